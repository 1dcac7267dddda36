//! Comparisons of programs that differ in designed ways, with the judge that `compare` uses: answers of gates,
//! carry-over, how often intervals contain the true value, and which programs are called equivalent.

use std::ops::Range;

use fauxplat_analyze::{Decision, Judge, Stand};
use fauxplat_model::{Extent, GateQuestion, GateState, Metric, Rule, Sample, Verdict};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::noise::sample;

/// Wall time of a run without noise, in nanoseconds.
const BASE_NS: f64 = 5.8e6;

/// A simulated machine, whose noise may depend on its past: a wandering load, a state, and the command that ran last.
pub(crate) struct World {
    random: ChaCha8Rng,
    load: f64,
    is_slow: bool,
    before: Option<u16>,
    runs: u32,
    own: [u32; 2],
    blocks: u32,
}

/// Function that returns the logarithm of the ratio of a run's time to [`BASE_NS`]; the number is the command.
pub(crate) type Run = dyn Fn(&mut World, u16) -> f64 + Sync;

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6465_7369);
        let mut world =
            World { random, load: 0.0, is_slow: false, before: None, runs: 0, own: [0; 2], blocks: 0 };
        world.load = world.normal();
        world.is_slow = world.chance(0.5);
        world
    }

    fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.uniform() < share
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Returns a load of variance 1 that changes from run to run with this autocorrelation.
    pub(crate) fn wandering(&mut self, correlation: f64) -> f64 {
        self.load = correlation * self.load + (1.0 - correlation * correlation).sqrt() * self.normal();
        self.load
    }

    /// Returns a state of the machine, slow or not, that changes with this probability between two runs.
    pub(crate) fn state(&mut self, changes: f64) -> bool {
        self.is_slow ^= self.chance(changes);
        self.is_slow
    }

    /// Whether the last run was one of `command`.
    pub(crate) fn follows(&self, command: u16) -> bool {
        self.before == Some(command)
    }

    /// Number of runs so far.
    pub(crate) fn number(&self) -> u32 {
        self.runs
    }

    /// Number of runs of a command so far.
    pub(crate) fn own_number(&self, command: u16) -> u32 {
        self.own[usize::from(command)]
    }

    /// Simulates a block of `commands` commands in random order, each `in_a_row` times in succession.
    pub(crate) fn block(&mut self, commands: u16, in_a_row: usize, run: &Run) -> Vec<Sample> {
        let mut order: Vec<u16> = (0..commands).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, (self.uniform() * (at + 1) as f64) as usize);
        }
        let runs = order.into_iter().flat_map(|command| std::iter::repeat_n(command, in_a_row));
        let samples =
            (0u16..).zip(runs).map(|(position, command)| self.sample(position, command, run)).collect();
        self.blocks += 1;
        samples
    }

    fn sample(&mut self, position: u16, command: u16, run: &Run) -> Sample {
        let log = run(self, command);
        self.before = Some(command);
        self.runs += 1;
        if let Some(own) = self.own.get_mut(usize::from(command)) {
            *own += 1;
        }
        let wall_ns = (BASE_NS * log.clamp(-8.0, 14.0).exp()) as u64;
        Sample { position, ..sample(self.runs - 1, self.blocks, command, wall_ns) }
    }
}

/// Two programs that are compared, under a name; `run` returns the times of both.
pub(crate) struct Design {
    name: &'static str,
    run: Box<Run>,
}

fn design(name: &'static str, run: impl Fn(&mut World, u16) -> f64 + Sync + 'static) -> Design {
    Design { name, run: Box::new(run) }
}

/// Log ratio by which a run takes longer if it is one of B (command 1): `effect` is the ratio minus one.
pub(crate) fn of_b(command: u16, effect: f64) -> f64 {
    if command == 1 { effect.ln_1p() } else { 0.0 }
}

/// Log noise of a run, about as large as the reference noise of the other tables.
fn reference(world: &mut World) -> f64 {
    let spike = if world.chance(0.025) { 0.05 * world.exponential() } else { 0.0 };
    0.01 * world.wandering(0.97) + 0.0112 * world.normal() + spike
}

/// Log noise of a run in a busy hour of the machine.
fn loud(world: &mut World) -> f64 {
    let spike = if world.chance(0.05) { 0.2 * world.exponential() } else { 0.0 };
    0.02 * world.wandering(0.9) + 0.03 * world.normal() + spike
}

/// Log noise of a run with two modes that are `apart`; `share` is the share of the runs in the slow mode.
fn modes(world: &mut World, share: f64, apart: f64, sd: f64) -> f64 {
    let slow = if world.chance(share) { apart } else { 0.0 };
    slow + sd * world.normal()
}

/// State of a comparison at its end.
pub(crate) struct Ended {
    pub(crate) stand: Stand,
    blocks: u32,
}

fn compared(rule: &Rule, seed: u64, in_a_row: usize, run: &Run) -> Ended {
    let mut world = World::new(seed);
    let mut judge = Judge::new(rule, 2, seed);
    while judge.block(&world.block(2, in_a_row, run)) == Decision::GoOn {}
    Ended { stand: judge.stand(1).expect("a judge that stopped has seen a block"), blocks: world.blocks }
}

pub(crate) fn all(rule: &Rule, repetitions: usize, in_a_row: usize, run: &Run) -> Vec<Ended> {
    all_of(rule, 0..repetitions as u64, in_a_row, run)
}

/// Results of one comparison for each seed.
pub(crate) fn all_of(rule: &Rule, seeds: Range<u64>, in_a_row: usize, run: &Run) -> Vec<Ended> {
    let threads = super::threads();
    let part = |thread: usize| -> Vec<Ended> {
        let own = seeds.clone().skip(thread).step_by(threads);
        own.map(|seed| compared(rule, seed, in_a_row, run)).collect()
    };
    let part = &part;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a simulated comparison panicked"))
            .collect()
    })
}

pub(crate) fn percent(ended: &[Ended], is_counted: impl Fn(&Stand) -> bool) -> f64 {
    100.0 * ended.iter().filter(|ended| is_counted(&ended.stand)).count() as f64 / ended.len() as f64
}

pub(crate) fn median_pairs(ended: &[Ended]) -> f64 {
    let mut pairs: Vec<usize> = ended.iter().map(|ended| ended.stand.pairs).collect();
    pairs.sort_unstable();
    pairs[pairs.len() / 2] as f64
}

pub(crate) fn is_up(stand: &Stand) -> bool {
    stand.verdict == Verdict::Different && stand.effect_ratio > 1.0
}

pub(crate) fn is_down(stand: &Stand) -> bool {
    stand.verdict == Verdict::Different && stand.effect_ratio < 1.0
}

/// The default rule with a limit of `max_pairs` and without a least span of time before the first look at the data.
pub(crate) fn rule(max_pairs: u32) -> Rule {
    Rule { max_pairs, least_span_s: 0.0, ..Rule::default() }
}

/// Name of a noise, and the function that returns the log noise of a run.
pub(crate) type NamedNoise = (&'static str, fn(&mut World) -> f64);

/// Noises under which gates are tested.
pub(crate) fn noises_of_gates() -> [NamedNoise; 5] {
    [
        ("normal 0.5 %", |world| 0.005 * world.normal()),
        ("normal 2 %", |world| 0.02 * world.normal()),
        ("normal 5 %", |world| 0.05 * world.normal()),
        ("reference", reference),
        ("loud hour", loud),
    ]
}

/// Prints how often a gate `--fail-if slower` with a margin of 1 % and a limit of 1,024 pairs gives each answer.
pub(crate) fn gates(repetitions: usize) {
    println!(
        "| noise | true % | beyond % | within % | undecided % | pairs, median |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (name, noise) in noises_of_gates() {
        for effect in [0.0, 0.009, 0.02, 0.03, 0.05, 0.1] {
            let rule = Rule { gate: Some(GateQuestion::Slower), ..rule(1024) };
            let ended =
                all(&rule, repetitions, 2, &move |world, command| noise(world) + of_b(command, effect));
            let state = |wanted| percent(&ended, |stand| stand.gate == Some(wanted));
            println!(
                "| {name} | {:+.1} | {:.1} | {:.1} | {:.1} | {:.0} |",
                100.0 * effect,
                state(GateState::Beyond),
                state(GateState::Within),
                state(GateState::Undecided),
                median_pairs(&ended)
            );
        }
    }
}

/// Prints a table of comparisons with carry-over, for blocks in which each command runs twice in a row and for blocks
/// in which each runs once, and for the noises whose names contain `of`; `first` is the first seed.
pub(crate) fn carry_over(repetitions: usize, of: &str, first: u64) {
    println!(
        "| noise | B after own command % | A slows next run by % | slowed | order | B slower % | B faster % | equivalent % | decided by runs after same command % | pairs, median |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    type Noise = fn(&mut World) -> f64;
    let noises: [(&str, Noise); 5] = [
        ("white 1 %", |world| 0.01 * world.normal()),
        ("white 5 %", |world| 0.05 * world.normal()),
        ("wandering 5 %", |world| 0.05 * world.wandering(0.9) + 0.01 * world.normal()),
        ("heavy tails", |world| {
            0.05 * world.normal() + if world.chance(0.05) { 0.5 * world.exponential() } else { 0.0 }
        }),
        ("reference", reference),
    ];
    // Each case has the log ratio of B itself, the slowdown of runs after a run of A, and which of these runs are
    // slowed down: all of them, or only runs of B.
    let cases = [
        (0.0, 0.0, "all"),
        (0.03, 0.0, "all"),
        (0.0, 0.10, "all"),
        (0.0, 0.02, "all"),
        (0.02, 0.05, "all"),
        (-0.05, 0.10, "all"),
        (0.045, 0.05, "all"),
        (0.0, 0.02, "B"),
        (0.0, 0.05, "B"),
        (0.0, 0.20, "B"),
        (-0.02, 0.05, "B"),
        (0.0, 1.0, "B"),
    ];
    for (name, noise) in noises.into_iter().filter(|(name, _)| name.contains(of)) {
        for (own, left, to) in cases {
            for (order, in_a_row) in [("AABB", 2), ("AB", 1)] {
                let run = move |world: &mut World, command: u16| {
                    noise(world)
                        + if command == 1 { own } else { 0.0 }
                        + if world.follows(0) && (to == "all" || command == 1) { left } else { 0.0 }
                };
                let ended = all_of(&rule(1024), first..first + repetitions as u64, in_a_row, &run);
                println!(
                    "| {name} | {:+.1} | {:+.1} | {to} | {order} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} |",
                    100.0 * if to == "all" { own - left } else { own },
                    100.0 * left,
                    percent(&ended, is_up),
                    percent(&ended, is_down),
                    percent(&ended, |stand| stand.verdict == Verdict::Equivalent),
                    percent(&ended, |stand| stand.parted),
                    median_pairs(&ended)
                );
            }
        }
    }
}

/// Designs with which intervals are tested: constant factors, mixtures, skewed noise, and a machine with two states.
fn covered() -> Vec<Design> {
    let sd = 0.01;
    vec![
        design("constant +5 %, normal 2 %", |world, command| 0.02 * world.normal() + of_b(command, 0.05)),
        design("constant +2 %, reference", |world, command| reference(world) + of_b(command, 0.02)),
        design("constant +3 %, loud hour", |world, command| loud(world) + of_b(command, 0.03)),
        design("constant +5 %, two modes 30 % apart", move |world, command| {
            modes(world, 0.5, 0.262, sd) + of_b(command, 0.05)
        }),
        design("constant +1 %, two modes 5 % apart", |world, command| {
            modes(world, 0.5, 0.05, 0.003) + of_b(command, 0.01)
        }),
        design("B +30 % in 30 % of its runs", move |world, command| {
            let slow = command == 1 && world.chance(0.3);
            sd * world.normal() + if slow { 1.3f64.ln() } else { 0.0 }
        }),
        design("B +10 % in half of its runs", move |world, command| {
            let slow = command == 1 && world.chance(0.5);
            sd * world.normal() + if slow { 1.1f64.ln() } else { 0.0 }
        }),
        design("B +40 % in 60 % of its runs", move |world, command| {
            let slow = command == 1 && world.chance(0.6);
            sd * world.normal() + if slow { 1.4f64.ln() } else { 0.0 }
        }),
        design("slow mode in 45 % of A, 55 % of B, 30 % apart", move |world, command| {
            modes(world, if command == 1 { 0.55 } else { 0.45 }, 0.262, sd)
        }),
        design("slow mode in 40 % of A, 60 % of B, 10 % apart", move |world, command| {
            modes(world, if command == 1 { 0.6 } else { 0.4 }, 0.095, sd)
        }),
        design("slow mode in 10 % of A, 60 % of B, 30 % apart", |world, command| {
            modes(world, if command == 1 { 0.6 } else { 0.1 }, 0.262, 0.02)
        }),
        design("B skewed, same median", move |world, command| {
            let skew = if command == 1 { 0.3 * (world.exponential() - std::f64::consts::LN_2) } else { 0.0 };
            sd * world.normal() + skew
        }),
        design("B longer by 10 % of a fast run, machine 1 or 3 times slow", move |world, command| {
            let state: f64 = if world.state(0.02) { 3.0 } else { 1.0 };
            (state * (sd * world.normal()).exp() + if command == 1 { 0.1 } else { 0.0 }).ln()
        }),
    ]
}

/// Returns the true values for a design: the median ratio of two runs side by side, and a function for the ratio of the
/// means with readings capped at a given multiple of the typical reading, as the judge caps them.
fn truth(run: &Run) -> (f64, impl Fn(f64) -> f64) {
    let (mut a, mut b, mut d) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..40 {
        let mut world = World::new(1_000_000 + seed);
        for _ in 0..2500 {
            let block = world.block(2, 2, run);
            let of = |command: u16| block.iter().filter(move |it| it.command == command);
            let wall = |it: &Sample| it.get(Metric::WALL).unwrap_or(1) as f64;
            for (one, other) in of(0).zip(of(1)) {
                a.push(wall(one));
                b.push(wall(other));
                d.push((wall(other) / wall(one)).ln());
            }
        }
    }
    d.sort_by(f64::total_cmp);
    let median = d[d.len() / 2].exp();
    let middle = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let typical = [middle(&a), middle(&b)];
    let mean = |values: &[f64], typical: f64, cap: f64| {
        values.iter().map(|value| value.clamp(typical / cap, typical * cap)).sum::<f64>()
    };
    (median, move |cap| mean(&b, typical[1], cap) / mean(&a, typical[0], cap))
}

/// Prints how often the intervals contain the true value at the moment at which the comparison ends.
pub(crate) fn coverage(repetitions: usize, of: &str) {
    println!(
        "| design | typical pair % | mean % | interval holds typical pair % | interval holds mean % | estimate outside its interval | pairs, median | width for typical pair, points |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for design in covered().into_iter().filter(|design| design.name.contains(of)) {
        let (median, mean) = truth(&*design.run);
        let usual = Rule { max_pairs: 1024, ..Rule::default() };
        let ended = all(&usual, repetitions, 2, &*design.run);
        let is_outside = |stand: &Stand| {
            let typical = stand.effect_ratio < stand.ci_low_ratio * (1.0 - 1e-9)
                || stand.effect_ratio > stand.ci_high_ratio * (1.0 + 1e-9)
                || stand.ci_low_ratio > stand.ci_high_ratio;
            typical || stand.mean.is_some_and(|[ratio, low, high, _]| ratio < low || ratio > high)
        };
        let outside = ended.iter().filter(|ended| is_outside(&ended.stand)).count();
        let mut widths: Vec<f64> =
            ended.iter().map(|it| 100.0 * (it.stand.ci_high_ratio - it.stand.ci_low_ratio)).collect();
        widths.sort_by(f64::total_cmp);
        println!(
            "| {} | {:+.2} | {:+.2} | {:.1} | {:.1} | {outside} of {} | {:.0} | {:.2} |",
            design.name,
            100.0 * (median - 1.0),
            100.0 * (mean(f64::INFINITY) - 1.0),
            percent(&ended, |stand| stand.ci_low_ratio <= median && median <= stand.ci_high_ratio),
            percent(&ended, |stand| stand
                .mean
                .is_none_or(|[_, low, high, cap]| (low..=high).contains(&mean(cap)))),
            ended.len(),
            median_pairs(&ended),
            widths[widths.len() / 2]
        );
    }
}

/// Designs whose means differ by more than one and a half margins, in various ways, or whose spreads differ.
fn unequal() -> Vec<Design> {
    let sd = 0.01;
    let sometimes = move |name, share: f64, times: f64| {
        design(name, move |world: &mut World, command| {
            let slow = command == 1 && world.chance(share);
            sd * world.normal() + if slow { times.ln() } else { 0.0 }
        })
    };
    vec![
        design("slow mode in 45 % of A, 55 % of B, 30 % apart", move |world, command| {
            modes(world, if command == 1 { 0.55 } else { 0.45 }, 0.262, sd)
        }),
        design("slow mode in 20 % of A, 27 % of B, 30 % apart", move |world, command| {
            modes(world, if command == 1 { 0.27 } else { 0.2 }, 0.262, sd)
        }),
        sometimes("B 10 times as long in 2 % of its runs", 0.02, 10.0),
        sometimes("B 100 times as long in 1 % of its runs", 0.01, 100.0),
        sometimes("B 1.5 times as long in 5 % of its runs", 0.05, 1.5),
        sometimes("B 1.15 times as long in 12 % of its runs", 0.12, 1.15),
        design("spread of A 1 %, of B 5 %", |world, command| {
            if command == 1 { 0.05 * world.normal() } else { 0.01 * world.normal() }
        }),
    ]
}

/// Prints the verdicts on programs that are not equivalent as a whole, and on identical programs, for the designs whose
/// names contain `of`.
pub(crate) fn wholes(repetitions: usize, of: &str) {
    println!(
        "| design | equivalent as a whole % | typical runs equivalent % | different % | pairs, median |\n\
         | --- | --- | --- | --- | --- |"
    );
    let same = [
        design("same program, normal 1 %", |world, _| 0.01 * world.normal()),
        design("same program, reference", |world, _| reference(world)),
        design("same program, loud hour", |world, _| loud(world)),
    ];
    for design in unequal().into_iter().chain(same).filter(|design| design.name.contains(of)) {
        let ended = all(&rule(2048), repetitions, 2, &*design.run);
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.0} |",
            design.name,
            percent(&ended, |stand| stand.extent == Some(Extent::Whole)),
            percent(&ended, |stand| stand.extent == Some(Extent::Typical)),
            percent(&ended, |stand| stand.verdict == Verdict::Different),
            median_pairs(&ended)
        );
    }
}

/// Prints the verdicts on differences that last only for a while, with the default least span of time before the first
/// look at the data.
pub(crate) fn passing(repetitions: usize) {
    println!("| design | different % | equivalent % | pairs, median |\n| --- | --- | --- | --- |");
    let designs = [
        design("B +5 % in its first 15 runs only", |world, command| {
            0.005 * world.normal() + if world.number() < 30 { of_b(command, 0.05) } else { 0.0 }
        }),
        design("B ±3 % in a sine wave, period 100 pairs", |world, command| {
            let phase = f64::from(world.number()) / 200.0 * std::f64::consts::TAU;
            0.005 * world.normal() + if command == 1 { 0.03 * phase.sin() } else { 0.0 }
        }),
        design("B +5 % from pair 100 on", |world, command| {
            0.005 * world.normal() + if world.number() >= 200 { of_b(command, 0.05) } else { 0.0 }
        }),
        design("B +2 % throughout", |world, command| 0.005 * world.normal() + of_b(command, 0.02)),
    ];
    for design in designs {
        let ended = all(&Rule { max_pairs: 1024, ..Rule::default() }, repetitions, 2, &*design.run);
        println!(
            "| {} | {:.1} | {:.1} | {:.0} |",
            design.name,
            percent(&ended, |stand| stand.verdict == Verdict::Different),
            percent(&ended, |stand| stand.verdict == Verdict::Equivalent),
            median_pairs(&ended)
        );
    }
    let blocks = compared(&rule(64), 1, 2, &|world, _| 0.01 * world.normal()).blocks;
    println!("\nA limit of 64 pairs ends after {blocks} blocks at the latest.");
}
