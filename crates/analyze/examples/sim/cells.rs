//! Simulates many comparisons under one noise with the judge that `compare` uses, and counts their verdicts.

use fauxplat_analyze::{Decision, Judge};
use fauxplat_model::{Extent, Rule, Verdict};

use super::noise::{Machine, Noise, SILENT};

/// A kind of simulated comparison.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) name: &'static str,
    pub(crate) noise: Noise,
    /// True effect: the ratio B over A minus one.
    pub(crate) effect: f64,
    pub(crate) rule: Rule,
}

/// Counts over the simulated comparisons of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) different: usize,
    pub(crate) wrong_sign: usize,
    pub(crate) equivalent: usize,
    /// Number of comparisons called equivalent as a whole.
    pub(crate) whole: usize,
    /// Number of comparisons called different in slow runs, at least in part.
    pub(crate) in_tail: usize,
    pub(crate) covered: usize,
    pub(crate) pairs: Vec<f64>,
}

/// Noise of the comparisons that have reference figures.
pub(crate) const REFERENCE: Noise = Noise {
    process_sd: 0.005,
    short_sd: 0.01,
    load_sd: 0.01,
    load_phi: 0.97,
    spike_share: 0.025,
    spike_mean: 0.05,
    ..SILENT
};

/// Reference noise, with a layout that is drawn anew for A and for B in every block.
pub(crate) const REFERENCE_LAYOUT: Noise = Noise { layout_sd: 0.01, ..REFERENCE };

/// Reference figures: share of comparisons called different (with the right sign), share called equivalent, and mean
/// number of pairs. They come from 400 comparisons by the present rule, so that a change of the rule is noticed. `None`
/// for a figure that is not checked.
pub(crate) type Reference = (Option<f64>, Option<f64>, Option<f64>);

/// The cells that have reference figures, at an error level of 5 %.
pub(crate) fn reference_cells() -> Vec<(Cell, Reference)> {
    let rule = Rule { level: 0.05, ..Rule::default() };
    let cell = |name, noise, effect| Cell { name, noise, effect, rule: rule.clone() };
    vec![
        (cell("same program", REFERENCE, 0.0), (Some(0.042), Some(0.948), Some(56.4))),
        (cell("0.5 % slower", REFERENCE, 0.005), (Some(0.682), None, Some(69.2))),
        (cell("1 % slower", REFERENCE, 0.01), (Some(0.995), None, Some(39.9))),
        (cell("2 % slower", REFERENCE, 0.02), (Some(1.0), None, Some(21.2))),
        (cell("relinked: same program", REFERENCE_LAYOUT, 0.0), (Some(0.042), Some(0.648), Some(112.4))),
        (cell("relinked: 1 % slower", REFERENCE_LAYOUT, 0.01), (Some(0.858), None, Some(77.0))),
        (cell("relinked: 2 % slower", REFERENCE_LAYOUT, 0.02), (None, None, Some(30.4))),
    ]
}

/// Noises of many shapes. The rate of false verdicts may be significantly above the error level under none of them.
pub(crate) fn shapes() -> Vec<(&'static str, Noise)> {
    let short = |short_sd| Noise { short_sd, ..SILENT };
    vec![
        ("normal 0.7 %", short(0.005)),
        ("normal 7 %", short(0.05)),
        ("1 run in 10 spikes by 5 %", Noise { spike_share: 0.1, spike_mean: 0.05, ..short(0.005) }),
        ("1 run in 20 spikes by 30 %", Noise { spike_share: 0.05, spike_mean: 0.3, ..short(0.005) }),
        ("1 run in 5 spikes by 10 %", Noise { spike_share: 0.2, spike_mean: 0.1, ..short(0.005) }),
        ("Cauchy 0.3 %", Noise { cauchy: 0.003, ..SILENT }),
        ("two modes 5 % apart", Noise { mode_gap: 0.05, ..short(0.002) }),
        ("two modes 3 % apart", Noise { mode_gap: 0.03, ..short(0.005) }),
        ("two modes 1 % apart", Noise { mode_gap: 0.01, ..short(0.005) }),
        ("wandering load 5 %", Noise { load_sd: 0.05, load_phi: 0.95, ..short(0.003) }),
        ("restless load 2 %", Noise { load_sd: 0.02, load_phi: 0.5, ..short(0.003) }),
        ("CPU burner on and off, 30 %", Noise { burner: 0.3, burner_flip: 0.05, ..short(0.005) }),
        ("ramp 0.1 % a block", Noise { ramp: 0.001, ..short(0.003) }),
        ("steps of 1 %, ties", Noise { step: 0.01, ..short(0.005) }),
        ("reference noise", REFERENCE),
        ("reference noise, relinked", REFERENCE_LAYOUT),
    ]
}

/// Noise of a machine in a busy hour: pairs differ by some 5 %, often by more.
pub(crate) const LOUD: Noise =
    Noise { short_sd: 0.03, load_sd: 0.02, load_phi: 0.9, spike_share: 0.05, spike_mean: 0.2, ..SILENT };

/// Noise of a program with four threads on two CPUs: two modes, which are 30 % apart and depend on the scheduler.
pub(crate) const THREADS: Noise =
    Noise { short_sd: 0.022, mode_gap: 0.3, mode_share: 0.42, spike_share: 0.15, spike_mean: 0.08, ..SILENT };

/// Comparisons under several noises, in which B is not slower, slower by half of the margin, or slower by the margin.
pub(crate) fn margins() -> Vec<Cell> {
    let noises = [
        ("normal 0.7 %", shapes()[0].1),
        ("reference noise", REFERENCE),
        ("1 run in 5 spikes by 10 %", shapes()[4].1),
        ("two modes 5 % apart", shapes()[6].1),
        ("four threads", THREADS),
        ("a loud hour", LOUD),
        ("steps of 1 %, ties", shapes()[13].1),
    ];
    let rule = Rule { max_pairs: 1024, ..Rule::default() };
    let all = noises.map(|(name, noise)| [0.0, 0.005, 0.01].map(|effect| (name, noise, effect)));
    all.into_iter()
        .flatten()
        .map(|(name, noise, effect)| Cell { name, noise, effect, rule: rule.clone() })
        .collect()
}

/// Two programs whose typical runs are equal, while B takes twice as long in the share `share` of its runs.
pub(crate) fn slow_now_and_then(share: f64) -> Cell {
    let noise = Noise { short_sd: 0.003, b_slow_share: share, b_slow_by: 1.0, ..SILENT };
    let rule = Rule { max_pairs: 1024, ..Rule::default() };
    Cell { name: "B twice as long in some runs", noise, effect: 0.0, rule }
}

/// Slow runs of B in a busy hour, with a limit of as many pairs as fit into 30 s.
pub(crate) fn slow_in_a_loud_hour(share: f64) -> Cell {
    let noise = Noise { b_slow_share: share, b_slow_by: 1.0, ..LOUD };
    let rule = Rule { max_pairs: 2560, ..Rule::default() };
    Cell { name: "B twice as long in some runs, loud hour", noise, effect: 0.0, rule }
}

/// Slow runs of B in a program with four threads, whose runs have two modes.
pub(crate) fn slow_among_modes(share: f64) -> Cell {
    let noise = Noise { b_slow_share: share, b_slow_by: 1.0, ..THREADS };
    let rule = Rule { max_pairs: 2560, ..Rule::default() };
    Cell { name: "B twice as long in some runs, four threads", noise, effect: 0.0, rule }
}

/// A count that is constant, except in the share `share` of the runs of B, in which it is larger by 30 %.
pub(crate) fn count_that_rises(share: f64) -> Cell {
    let noise = Noise { step: 0.01, b_slow_share: share, b_slow_by: 0.3, ..SILENT };
    let rule = Rule { max_pairs: 512, ..Rule::default() };
    Cell { name: "a count of B 30 % larger in some runs", noise, effect: 0.0, rule }
}

/// Layouts drawn anew in each block, of which one in sixteen makes B 20 % slower.
pub(crate) fn one_bad_layout() -> Cell {
    let noise =
        Noise { short_sd: 0.002, layout_sd: 0.002, b_slow_share: 1.0 / 16.0, b_slow_by: 0.2, ..SILENT };
    Cell {
        name: "one layout in 16 slow for B",
        noise,
        effect: 0.0,
        rule: Rule { max_pairs: 512, ..Rule::default() },
    }
}

/// Runs `repetitions` comparisons on `threads` threads. The result does not depend on the number of threads.
pub(crate) fn run(cell: &Cell, repetitions: usize, threads: usize) -> Tally {
    let part = |thread: usize| {
        let mut tally = Tally::default();
        (thread..repetitions).step_by(threads).for_each(|number| tally.add(cell, number as u64));
        tally
    };
    let parts: Vec<Tally> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a simulated comparison panicked")).collect()
    });
    parts.into_iter().fold(Tally::default(), Tally::merge)
}

impl Tally {
    /// Simulates the comparison with this number and adds its outcome.
    fn add(&mut self, cell: &Cell, number: u64) {
        let effect = cell.effect.ln_1p();
        let mut machine = Machine::new(cell.noise, number.wrapping_mul(0x2545_f491_4f6c_dd1d) + 1);
        let relinked = cell.noise.layout_sd > 0.0;
        // Looks at the data need not wait for a least span of time, since no part of this noise lasts long; the table
        // `passing` has differences that last only for a while.
        let rule = Rule { least_span_s: 0.0, ..cell.rule.clone() };
        let mut judge = Judge::new(&rule, 2, number).layouts(relinked);
        while judge.block(&machine.block(effect)) == Decision::GoOn {}
        let stand = judge.stand(1).expect("a judge that stopped has seen a block");
        let different = stand.verdict == Verdict::Different;
        self.different += usize::from(different);
        self.wrong_sign += usize::from(different && (stand.effect_ratio > 1.0) != (effect > 0.0));
        self.equivalent += usize::from(stand.verdict == Verdict::Equivalent);
        self.whole += usize::from(stand.extent == Some(Extent::Whole));
        self.in_tail += usize::from(stand.in_tail);
        self.covered += usize::from((stand.ci_low_ratio.ln()..=stand.ci_high_ratio.ln()).contains(&effect));
        self.pairs.push(stand.pairs_typical as f64);
    }

    fn merge(mut self, other: Tally) -> Tally {
        self.different += other.different;
        self.wrong_sign += other.wrong_sign;
        self.equivalent += other.equivalent;
        self.whole += other.whole;
        self.in_tail += other.in_tail;
        self.covered += other.covered;
        self.pairs.extend(other.pairs);
        self
    }

    pub(crate) fn share(&self, count: usize) -> f64 {
        count as f64 / self.pairs.len() as f64
    }

    /// Mean number of pairs until typical runs were decided, and its standard error.
    pub(crate) fn pairs_mean(&self) -> (f64, f64) {
        let mean = fauxplat_stats::describe::mean(&self.pairs).unwrap_or(0.0);
        (mean, fauxplat_stats::series::standard_error(&self.pairs))
    }
}

/// Standard error of a share that is observed in `count` comparisons and whose true value is `share`.
pub(crate) fn share_error(share: f64, count: usize) -> f64 {
    (share * (1.0 - share) / count as f64).sqrt()
}
