//! A simulated machine: the wall times of runs under noise whose parts are known.

use fauxplat_model::{Metric, Sample};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The parts of the noise. Standard deviations, distances and slowdowns are of the logarithm of the wall time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Standard deviation of the noise of each process, such as page placement and hash seeds, drawn in every run.
    pub(crate) process_sd: f64,
    /// Standard deviation of all other short noise, drawn in every run.
    pub(crate) short_sd: f64,
    /// Standard deviation of a load that changes from run to run as an autoregressive series of first order.
    pub(crate) load_sd: f64,
    /// Correlation of the load between successive runs.
    pub(crate) load_phi: f64,
    /// Probability that a run has a spike.
    pub(crate) spike_share: f64,
    /// Mean of a spike, which is exponentially distributed.
    pub(crate) spike_mean: f64,
    /// Standard deviation of the effect of the layout of each program, drawn for A and for B in every block.
    pub(crate) layout_sd: f64,
    /// Distance of the slow mode from the fast one, on a machine with two modes.
    pub(crate) mode_gap: f64,
    /// Probability that a run is in the slow mode.
    pub(crate) mode_share: f64,
    /// Scale of Cauchy-distributed noise, which has such heavy tails that it has no mean.
    pub(crate) cauchy: f64,
    /// Slowdown by a competing program while it is running.
    pub(crate) burner: f64,
    /// Probability that the competing program starts or stops between two runs.
    pub(crate) burner_flip: f64,
    /// Slowdown that is added in each block, as on a machine that warms up.
    pub(crate) ramp: f64,
    /// Probability that a run of B is slow; runs of A never are.
    pub(crate) b_slow_share: f64,
    /// Share by which a slow run of B takes longer.
    pub(crate) b_slow_by: f64,
    /// Step to which wall times are rounded, as a share of [`BASE_NS`], so that readings are often equal, as counts
    /// are; zero for no rounding.
    pub(crate) step: f64,
}

/// Noise whose parts are all zero, from which others are derived.
pub(crate) const SILENT: Noise = Noise {
    process_sd: 0.0,
    short_sd: 0.0,
    load_sd: 0.0,
    load_phi: 0.0,
    spike_share: 0.0,
    spike_mean: 0.0,
    layout_sd: 0.0,
    mode_gap: 0.0,
    mode_share: 0.5,
    cauchy: 0.0,
    burner: 0.0,
    burner_flip: 0.0,
    ramp: 0.0,
    b_slow_share: 0.0,
    b_slow_by: 0.0,
    step: 0.0,
};

/// A successful run at the first position of its block; successive runs start six milliseconds apart.
pub(crate) fn sample(run: u32, block: u32, command: u16, wall_ns: u64) -> Sample {
    Sample {
        trial: run,
        block,
        command,
        started_ns: u64::from(run + 1) * 6_000_000,
        ..Sample::of([(Metric::WALL, wall_ns)].into())
    }
}

pub(crate) struct Machine {
    noise: Noise,
    random: ChaCha8Rng,
    load: f64,
    burning: bool,
    runs: u32,
    blocks: u32,
}

/// Wall time of a run without noise in nanoseconds, large enough for rounding to nanoseconds not to matter.
const BASE_NS: f64 = 5.8e6;

impl Machine {
    pub(crate) fn new(noise: Noise, seed: u64) -> Self {
        let mut machine = Machine {
            noise,
            random: ChaCha8Rng::seed_from_u64(seed),
            load: 0.0,
            burning: false,
            runs: 0,
            blocks: 0,
        };
        machine.load = noise.load_sd * machine.normal();
        machine
    }

    /// Simulates a block as `compare` runs it: each command twice in a row, in an order that a fair coin decides.
    /// `effect` is the ratio B over A as a logarithm.
    pub(crate) fn block(&mut self, effect: f64) -> Vec<Sample> {
        let layouts = [self.noise.layout_sd * self.normal(), effect + self.noise.layout_sd * self.normal()];
        let first = u16::from(self.uniform() < 0.5);
        let order = [first, first, 1 - first, 1 - first];
        let order = order.map(|command| (command, layouts[usize::from(command)] + self.slow(command)));
        self.visit(order)
    }

    /// Extra time of the run if it is a slow one of B, as a log ratio.
    fn slow(&mut self, command: u16) -> f64 {
        let is_slow =
            command == 1 && self.noise.b_slow_share > 0.0 && self.uniform() < self.noise.b_slow_share;
        if is_slow { self.noise.b_slow_by.ln_1p() } else { 0.0 }
    }

    /// Simulates a block of runs in this order, given as the command of each and its effect as a log ratio.
    pub(crate) fn visit(&mut self, order: impl IntoIterator<Item = (u16, f64)>) -> Vec<Sample> {
        let place = |(position, (command, shift))| Sample { position, ..self.run(command, shift) };
        let runs = (0u16..).zip(order).map(place).collect();
        self.blocks += 1;
        runs
    }

    fn run(&mut self, command: u16, shift: f64) -> Sample {
        let log = BASE_NS.ln() + shift + self.disturbance();
        let wall_ns = self.stepped(log.min(40.0).exp()) as u64;
        self.runs += 1;
        sample(self.runs - 1, self.blocks, command, wall_ns)
    }

    /// The wall time, rounded to a multiple of the step if there is one.
    fn stepped(&self, wall_ns: f64) -> f64 {
        let step_ns = self.noise.step * BASE_NS;
        if step_ns > 0.0 { (wall_ns / step_ns).round() * step_ns } else { wall_ns }
    }

    /// The noise of one run, as a log ratio.
    fn disturbance(&mut self) -> f64 {
        let noise = self.noise;
        let fresh = (1.0 - noise.load_phi.powi(2)).sqrt();
        self.load = noise.load_phi * self.load + fresh * noise.load_sd * self.normal();
        self.burning ^= self.uniform() < noise.burner_flip;
        let mut log = self.load + f64::from(self.blocks) * noise.ramp;
        log += noise.process_sd.hypot(noise.short_sd) * self.normal();
        log += if self.uniform() < noise.spike_share { -noise.spike_mean * self.uniform().ln() } else { 0.0 };
        log += if self.uniform() < noise.mode_share { noise.mode_gap } else { 0.0 };
        log += noise.cauchy * (std::f64::consts::PI * (self.uniform() - 0.5)).tan();
        log + if self.burning { noise.burner } else { 0.0 }
    }

    /// A uniform random number between 0 and 1, never 0.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A standard normal random number by the method of Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }
}
