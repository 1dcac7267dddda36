//! Comparisons of recorded runs are decided within the number of pairs that the design promises.

use fauxplat_stats::draw::Draw;
use fauxplat_stats::paired::path::{Keys, crossed};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::score::{Question, Sorted};
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{looks, spending};

const FOUR_THREADS: &str = include_str!("data/four-threads.txt");
const MUTEX: &str = include_str!("data/mutex.txt");
const TRUE: &str = include_str!("data/true.txt");
const PIPELINE: &str = include_str!("data/pipeline.txt");

/// Result of one comparison: whether it found a difference, and after how many pairs.
type Answer = Option<(bool, u32)>;

/// A comparison of pairs that are resampled from recorded differences, each with a random sign, B slower by `shift`,
/// margin 1 %, level 0.8 %, up to 1024 of 4096 pairs.
fn compare(recorded: &[f64], shift: f64, seed: u64) -> Answer {
    let (schedule, level, margin) = (looks(4096), 0.008, 0.01f64.ln_1p());
    let mut draw = Draw::new(seed, 77);
    let mut rows = Rows::new(1, 0.01, seed);
    let (mut d, mut looked): (Vec<f64>, [Vec<Keys>; 3]) = (Vec::new(), Default::default());
    for (number, &n) in schedule.iter().enumerate().take_while(|(_, n)| **n <= 1024) {
        while d.len() < n as usize {
            let one = recorded[draw.below(recorded.len())];
            d.push(shift.ln_1p() + if draw.below(2) == 0 { one } else { -one });
        }
        rows.grow(d.len());
        let sorted = Sorted::new(&d);
        let spent: Vec<f64> =
            (1..=number + 1).map(|look| 0.5 * level * spending(look, schedule.len())).collect();
        let zero = Keys::of(&rows, &sorted, 0.0, Question::Any);
        let [above, below] =
            [margin, -margin].map(|theta| Keys::of(&rows, &sorted, theta, Question::Typical));
        looked[0].push(zero);
        looked[1].push(above);
        looked[2].push(below);
        let [zero, above, below] = [0, 1, 2].map(|at| crossed(&looked[at], &spent));
        let (low, high) = Shift::new(&sorted, Question::Typical).interval(zero.critical, &[]);
        // The fitted shape of the noise may find a difference, but narrows no interval.
        let is_clear = zero.up != zero.down || low > 0.0 || high < 0.0;
        if is_clear && (zero.up && high > 0.0 || zero.down && low < 0.0) {
            return Some((true, n));
        }
        if above.down && below.up && -margin <= low && high <= margin {
            return Some((false, n));
        }
    }
    None
}

/// Out of ten comparisons, the number that find a difference and the number that find equivalence, and the median
/// number of pairs of all of these.
fn ten(recorded: &str, shift: f64) -> (usize, usize, u32) {
    let recorded: Vec<f64> = recorded.lines().map(|line| 1e-6 * line.parse::<f64>().unwrap()).collect();
    let answers: Vec<(bool, u32)> = (0..10).filter_map(|seed| compare(&recorded, shift, seed)).collect();
    let mut pairs: Vec<u32> = answers.iter().map(|answer| answer.1).collect();
    pairs.sort_unstable();
    let different = answers.iter().filter(|answer| answer.0).count();
    (different, answers.len() - different, pairs.get(pairs.len() / 2).copied().unwrap_or(u32::MAX))
}

#[test]
fn equal_programs_are_typically_equivalent_in_hundreds_of_pairs() {
    // With two modes, the shift depends on how often each mode occurs, which a thousand pairs just suffice to estimate.
    for (name, recorded, least, wanted) in [("four threads", FOUR_THREADS, 5, 1024), ("true", TRUE, 10, 256)]
    {
        let (different, equal, pairs) = ten(recorded, 0.0);
        assert!(different == 0 && equal >= least, "{name}: {different} {equal}");
        // A tolerance of one half, for comparisons that need one more look.
        assert!(pairs <= wanted * 3 / 2, "{name}: {pairs}");
    }
}

#[test]
fn two_per_cent_are_found() {
    let programs = [
        ("four threads", FOUR_THREADS, 128),
        ("mutex", MUTEX, 256),
        ("true", TRUE, 96),
        ("pipeline", PIPELINE, 256),
    ];
    for (name, recorded, wanted) in programs {
        let (different, equal, pairs) = ten(recorded, 0.02);
        assert_eq!((different, equal), (10, 0), "{name}");
        assert!(pairs <= wanted * 3 / 2, "{name}: {pairs}");
    }
}
