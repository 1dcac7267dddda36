//! Sequential tests that know the distribution of the noise, with which gates are compared.

use fauxplat_model::{GateQuestion, Metric, Rule, Sample};
use fauxplat_stats::draw::Draw;
use fauxplat_stats::paired::{looks, spending};

use super::designs::{World, all, noises_of_gates, of_b, rule};

/// Prints the mean numbers of pairs that gates take, and that Student's t and two tests that know the noise take. The
/// first of these two looks at the data when the judge does, spends the same error probability, and sums the locally
/// most powerful score of the noise. The second is a sequential probability-ratio test that also knows the size of the
/// change, and looks after each block. The distribution of the noise is estimated with other seeds.
pub(crate) fn print(repetitions: usize) {
    println!(
        "| noise | true % | pairs, mean | Student's t | ratio | noise known | ratio | noise and change known | ratio |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let student = Student::new(512, 0.005);
    for (name, noise) in noises_of_gates() {
        let differences = |seed: u64, effect: f64| {
            let mut world = World::new(seed);
            let run = move |world: &mut World, command: u16| noise(world) + of_b(command, effect);
            std::iter::repeat_with(move || difference(&world.block(2, 2, &run)))
        };
        let gate = Rule { gate: Some(GateQuestion::Slower), ..rule(1024) };
        let drawn: Vec<f64> =
            (0..400).flat_map(|seed| differences(1_000_000 + seed, 0.0).take(1024)).collect();
        let density = Density::of(drawn.clone());
        let scored = Scored::new(&density, &drawn, 512, 0.5 * gate.level);
        for effect in [0.02, 0.03, 0.05] {
            let ended =
                all(&gate, repetitions, 2, &move |world, command| noise(world) + of_b(command, effect));
            let asked = (0.01f64.ln_1p(), effect.ln_1p());
            let mean = |blocks: &dyn Fn(u64) -> usize| {
                2.0 * (0..repetitions as u64).map(blocks).sum::<usize>() as f64 / repetitions as f64
            };
            let fair = mean(&|seed| scored.decided(differences(seed, effect).take(512), asked.0));
            let by_t = mean(&|seed| student.decided(differences(seed, effect).take(512), asked.0));
            let best = mean(&|seed| {
                density.decided(differences(seed, effect).take(512), asked, gate.level).map_or(512, |it| it.0)
            });
            let pairs = ended.iter().map(|it| it.stand.pairs).sum::<usize>() as f64 / ended.len() as f64;
            println!(
                "| {name} | {:+.0} | {pairs:.1} | {by_t:.1} | {:.2} | {fair:.1} | {:.2} | {best:.1} | {:.2} |",
                100.0 * effect,
                pairs / by_t,
                pairs / fair,
                pairs / best
            );
        }
    }
}

/// Mean log time of B minus that of A in a block.
fn difference(block: &[Sample]) -> f64 {
    let logs = |command: u16| {
        block
            .iter()
            .filter(move |it| it.command == command)
            .map(|it| (it.get(Metric::WALL).unwrap_or(1) as f64).ln())
    };
    let mean = |command| logs(command).sum::<f64>() / logs(command).count() as f64;
    mean(1) - mean(0)
}

/// Number of bins of a density, and largest absolute log ratio that the bins cover.
const BINS: usize = 4000;
const REACH: f64 = 1.0;
/// Probability that is added to each bin, so that a bin without simulated values has a finite logarithm too.
const LEAST: f64 = 1e-7;

/// Density of the log ratio of a block of two identical programs, estimated from many simulated blocks.
struct Density {
    logs: Vec<f64>,
    /// Range in which the slope of the density is known well enough: it contains 99.9 % of the simulated log ratios.
    known: (f64, f64),
}

impl Density {
    /// Estimates the density from simulated log ratios, smoothed with a kernel whose standard deviation is a tenth of
    /// the width of their middle half.
    fn of(mut drawn: Vec<f64>) -> Self {
        drawn.sort_by(f64::total_cmp);
        let middle = drawn[3 * drawn.len() / 4] - drawn[drawn.len() / 4];
        let width = 2.0 * REACH / BINS as f64;
        let mut counts = vec![0.0; BINS];
        drawn.iter().for_each(|&d| counts[bin(d)] += 1.0 / drawn.len() as f64);
        let (sd, reach) = ((0.1 * middle / width).max(0.5), (0.4 * middle / width).ceil().max(2.0) as isize);
        let weight = |by: isize| (-0.5 * (by as f64 / sd).powi(2)).exp();
        let sum: f64 = (-reach..=reach).map(weight).sum();
        let smooth = |at: usize| -> f64 {
            let near =
                |by: isize| counts.get(at.checked_add_signed(by)?).map(|count| count * weight(by) / sum);
            (-reach..=reach).filter_map(near).sum()
        };
        let known = (drawn[drawn.len() / 2000], drawn[drawn.len() - 1 - drawn.len() / 2000]);
        Density { known, logs: (0..BINS).map(|at| (smooth(at) + LEAST).ln()).collect() }
    }

    fn log(&self, d: f64) -> f64 {
        self.logs[bin(d)]
    }

    /// The score of a log ratio: the negative slope of the logarithm of the density. Outside of `known` the score is
    /// constant.
    fn score(&self, d: f64) -> f64 {
        let d = d.clamp(self.known.0, self.known.1);
        let by = 2.0 * REACH / BINS as f64 * 4.0;
        (self.log(d - by) - self.log(d + by)) / (2.0 * by)
    }

    /// Number of blocks until a sequential probability-ratio test decides between a change of `margin` and one of
    /// `effect`, both as log ratios, with this error probability on either side, and whether it decides for `effect`.
    /// `None` if it does not decide.
    fn decided(
        &self,
        differences: impl Iterator<Item = f64>,
        (margin, effect): (f64, f64),
        error: f64,
    ) -> Option<(usize, bool)> {
        let bound = ((1.0 - error) / error).ln();
        let mut evidence = 0.0;
        differences.enumerate().find_map(|(at, d)| {
            evidence += self.log(d - effect) - self.log(d - margin);
            (evidence.abs() >= bound).then_some((at + 1, evidence > 0.0))
        })
    }
}

/// A sequential test by the score of a known noise, which looks at the data when the judge does and spends the same
/// error probability.
struct Scored<'d> {
    density: &'d Density,
    /// Standard deviation of the score of a block if the change is the margin; the correlation of successive blocks is
    /// included.
    sd: f64,
    looks: Vec<u32>,
    critical: Vec<f64>,
}

impl<'d> Scored<'d> {
    /// Prepares the test from a density, log ratios of identical programs in chronological order, the limit of blocks,
    /// and the error probability of one side. The critical values are those of simulated normal random walks, since the
    /// sum of ten scores or more is about normal.
    fn new(density: &'d Density, drawn: &[f64], blocks: u32, error: f64) -> Self {
        const PATHS: usize = 200_000;
        const TOGETHER: usize = 32;
        let sums =
            drawn.chunks_exact(TOGETHER).map(|part| part.iter().map(|&d| density.score(d)).sum::<f64>());
        let sums: Vec<f64> = sums.collect();
        let sd = (sums.iter().map(|sum| sum * sum).sum::<f64>() / (sums.len() * TOGETHER) as f64).sqrt();
        let looks = looks(blocks);
        let (mut walks, mut draw) = (vec![0.0; PATHS], Draw::new(1, 0));
        let (mut before, mut critical) = (0, Vec::new());
        for (at, &look) in looks.iter().enumerate() {
            let step = f64::from(look - before).sqrt();
            walks.iter_mut().for_each(|walk| *walk += step * draw.normal());
            before = look;
            walks.sort_by(f64::total_cmp);
            let left = (PATHS as f64 * (1.0 - error * spending(at + 1, looks.len()))).round() as usize;
            let edge = if left < walks.len() { walks[left] } else { f64::INFINITY };
            critical.push(edge / f64::from(look).sqrt());
            walks.truncate(left.max(1));
        }
        Scored { density, sd, looks, critical }
    }

    /// Number of blocks after which a change beyond the margin is shown; the limit of blocks if it is not shown.
    fn decided(&self, differences: impl Iterator<Item = f64>, margin: f64) -> usize {
        let (mut sum, mut next) = (0.0, 0);
        for (seen, d) in (1..).zip(differences) {
            sum += self.density.score(d - margin);
            if self.looks.get(next) == Some(&seen) {
                if sum >= self.critical[next] * self.sd * f64::from(seen).sqrt() {
                    return seen as usize;
                }
                next += 1;
            }
        }
        self.looks.last().map_or(0, |&last| last as usize)
    }
}

/// Student's t-test over blocks, which looks at the data when the judge does and spends the same error probability.
struct Student {
    looks: Vec<u32>,
    critical: Vec<f64>,
}

/// Number, sum and sum of squares of the log ratios so far.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, d: f64) {
        (self.n, self.sum, self.squares) = (self.n + 1.0, self.sum + d, self.squares + d * d);
    }

    fn t(&self) -> f64 {
        let mean = self.sum / self.n;
        mean / ((self.squares / self.n - mean * mean).max(1e-300) / (self.n - 1.0)).sqrt()
    }
}

impl Student {
    /// Prepares the test for a limit of blocks and an error probability of one side. The critical values are those of
    /// simulated normal log ratios.
    fn new(blocks: u32, error: f64) -> Self {
        const PATHS: usize = 100_000;
        let looks = looks(blocks);
        let (mut walks, mut draw) = (vec![Sums::default(); PATHS], Draw::new(2, 0));
        let (mut before, mut critical) = (0, Vec::new());
        for (at, &look) in looks.iter().enumerate() {
            for walk in &mut walks {
                (before..look).for_each(|_| walk.add(draw.normal()));
            }
            before = look;
            walks.sort_by(|a, b| a.t().total_cmp(&b.t()));
            let left = (PATHS as f64 * (1.0 - error * spending(at + 1, looks.len()))).round() as usize;
            critical.push(walks.get(left).map_or(f64::INFINITY, Sums::t));
            walks.truncate(left.max(1));
        }
        Student { looks, critical }
    }

    /// Number of blocks after which a change beyond the margin is shown; the limit of blocks if it is not shown.
    fn decided(&self, differences: impl Iterator<Item = f64>, margin: f64) -> usize {
        let (mut sums, mut next) = (Sums::default(), 0);
        for (seen, d) in (1..).zip(differences) {
            sums.add(d - margin);
            if self.looks.get(next) == Some(&seen) {
                if sums.t() >= self.critical[next] {
                    return seen as usize;
                }
                next += 1;
            }
        }
        self.looks.last().map_or(0, |&last| last as usize)
    }
}

fn bin(d: f64) -> usize {
    ((d + REACH) / (2.0 * REACH) * BINS as f64).clamp(0.0, BINS as f64 - 1.0) as usize
}
