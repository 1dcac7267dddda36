//! Comparisons of programs that are slow in every second, third or fourth of their own runs, whichever program ran
//! before.

use fauxplat_model::Verdict;

use super::designs::{World, all_of, is_down, is_up, median_pairs, percent, rule};

/// Two programs, A and B. `slow` says for each of them which of its runs are slow: `(1, 3)` stands for its runs 1, 4,
/// 7, …, counted from 0. The other figures are log ratios: by how much slow runs take longer (`apart`), by how much B
/// always takes longer (`own`), and by how much a run of B takes longer after a run of A (`left`).
struct Case {
    name: &'static str,
    slow: [Option<(u32, u32)>; 2],
    apart: f64,
    own: f64,
    left: f64,
}

const SAME: Case = Case { name: "", slow: [None; 2], apart: 0.0, own: 0.0, left: 0.0 };

fn cases() -> Vec<Case> {
    let (odd, even) = (Some((0, 2)), Some((1, 2)));
    vec![
        Case { name: "same program, slow runs of both in step", slow: [odd, odd], apart: 0.8, ..SAME },
        Case { name: "same program, slow runs out of step", slow: [odd, even], apart: 0.8, ..SAME },
        Case { name: "same program, out of step, slow runs +10 %", slow: [odd, even], apart: 0.1, ..SAME },
        Case { name: "same program, out of step, slow runs +1 %", slow: [odd, even], apart: 0.01, ..SAME },
        Case {
            name: "A fast and slow in turns, B in the middle",
            slow: [odd, None],
            apart: 0.8,
            own: 0.4,
            ..SAME
        },
        Case {
            name: "A fast and slow in turns, B as slow as its slow runs",
            slow: [even, None],
            apart: 0.8,
            own: 0.8,
            ..SAME
        },
        Case { name: "A slow in every third run", slow: [Some((0, 3)), None], apart: 0.3, ..SAME },
        Case { name: "A slow in every fourth run", slow: [Some((3, 4)), None], apart: 0.3, ..SAME },
        Case {
            name: "A +10 % in every second run, and slows B after it by 10 %",
            slow: [odd, None],
            apart: 0.1,
            left: 0.1,
            ..SAME
        },
        Case { name: "A slows B after it by 10 %", left: 0.1, ..SAME },
        Case { name: "A slows B after it by 10 %, B is 5 % faster", left: 0.1, own: -0.05, ..SAME },
    ]
}

/// Prints a table of verdicts, for blocks in the order AABB and in the order AB, of the cases whose names contain `of`;
/// `first` is the first seed.
pub(crate) fn print(repetitions: usize, of: &str, first: u64) {
    println!(
        "| programs | noise | order | B slower % | B faster % | equivalent % | decided by runs after same command % | ratio, median | pairs, median |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for case in cases().into_iter().filter(|case| case.name.contains(of)) {
        for (noise, sd) in [("white 1 %", 0.01), ("white 5 %", 0.05)] {
            for (order, in_a_row) in [("AABB", 2), ("AB", 1)] {
                let Case { slow, apart, own, left, .. } = case;
                let run = move |world: &mut World, command: u16| {
                    let number = world.own_number(command);
                    let is_slow = slow[usize::from(command)].is_some_and(|(at, of)| number % of == at);
                    let of_b = own + if world.follows(0) { left } else { 0.0 };
                    sd * world.normal()
                        + if is_slow { apart } else { 0.0 }
                        + if command == 1 { of_b } else { 0.0 }
                };
                let ended = all_of(&rule(1024), first..first + repetitions as u64, in_a_row, &run);
                let mut ratios: Vec<f64> = ended.iter().map(|it| it.stand.effect_ratio).collect();
                ratios.sort_by(f64::total_cmp);
                println!(
                    "| {} | {noise} | {order} | {:.1} | {:.1} | {:.1} | {:.1} | {:+.1} % | {:.0} |",
                    case.name,
                    percent(&ended, is_up),
                    percent(&ended, is_down),
                    percent(&ended, |stand| stand.verdict == Verdict::Equivalent),
                    percent(&ended, |stand| stand.parted),
                    100.0 * (ratios[ratios.len() / 2] - 1.0),
                    median_pairs(&ended)
                );
            }
        }
    }
}
