//! Differences in time between two profiled programs, function by function, with a bound on the probability that any
//! difference is reported falsely.
//!
//! Runs of both programs come in pairs, one after the other. The CPU seconds of a function in a run are its share of
//! the run's samples times the run's CPU time, and each pair gives a difference. If nothing differs, chance decides
//! which run of a pair is slower, so the signs of whole pairs can be flipped. The distribution of the largest statistic
//! of all functions over such flips gives the significance of the observed one (Westfall and Young 1993,
//! "Resampling-based multiple testing", single-step max T). The error probability then holds for all functions
//! together, however they depend on each other.

use std::collections::HashMap;

use fauxplat_model::{FunctionDifference, ProfileDifference, ProfileFindings, ProfiledRun, Weight, Whole};
use fauxplat_stats::draw::Draw;

use super::functions::Functions;
use super::kinship::{self, Canon};

/// Minimum number of samples of both programs together with which a function is tested. Testing functions with fewer
/// would only raise the critical value for the other functions.
const SAMPLES_MIN: u64 = 20;
/// Maximum number of pairs for which all flips of signs are used. For more pairs, [`FLIPS`] flips are drawn at random,
/// or more if the error level is so small that the bound would be exceeded by less than one of them.
const PAIRS_EXACT: usize = 12;
const FLIPS: usize = 4096;
const FLIPS_PER_ERROR: f64 = 5.0;
const FLIPS_MAX: usize = 100_000;

/// A quantity of a function that is compared between the programs: the time in its own code, or the time including the
/// functions it calls.
struct Quantity {
    /// Time of the second program minus that of the first in each pair of runs, in seconds.
    differences: Vec<f64>,
    /// Variance of a difference that is due to counting random samples, in seconds squared.
    counting: f64,
    is_in_family: bool,
}

impl Quantity {
    fn mean(&self) -> f64 {
        self.differences.iter().sum::<f64>() / self.differences.len().max(1) as f64
    }

    /// Standard deviation of the sum of differences under random signs. It is at least that of the counting alone,
    /// since a function with few samples may have equal differences in all pairs by chance.
    fn scale(&self) -> f64 {
        let squares: f64 = self.differences.iter().map(|d| d * d).sum();
        squares.max(self.counting * self.differences.len() as f64).sqrt()
    }

    fn statistic(&self) -> f64 {
        ratio(self.differences.iter().sum::<f64>().abs(), self.scale())
    }

    /// Half width of the interval of differences for which the test statistic stays within `bound`; infinite for too
    /// few pairs.
    fn half_width(&self, bound: f64) -> f64 {
        let n = self.differences.len() as f64;
        let mean = self.mean();
        let spread = self.differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n;
        if bound * bound >= n {
            return f64::INFINITY;
        }
        bound * (spread / (n - bound * bound)).max(self.counting / n).sqrt()
    }
}

fn ratio(sum: f64, scale: f64) -> f64 {
    if scale > 0.0 { sum / scale } else { 0.0 }
}

/// CPU time, or waiting time, that profile `b` has more than `a`, in each function. `error` is the maximum probability
/// that any function is reported as different if none is.
pub fn difference(
    found: &ProfileFindings,
    runs: &[ProfiledRun],
    a: u16,
    b: u16,
    error: f64,
) -> ProfileDifference {
    let canon = kinship::canon(&Functions::of(&found.frames).all, found, [a, b]);
    let pairs = pairs(runs, a, b);
    let seconds: Vec<[RunSeconds; 2]> =
        pairs.iter().map(|pair| pair.map(|run| RunSeconds::of(found, &canon, run))).collect();
    let whole = quantity(&seconds, |run| run.whole_s, |_| 0.0, u64::MAX);
    let present: Vec<usize> = (0..canon.count()).filter(|&function| canon.is_present(function)).collect();
    let mut quantities = Vec::new();
    for &function in &present {
        let pooled = |of: fn(&Seconds) -> u64| -> u64 {
            seconds.iter().flatten().filter_map(|run| run.functions.get(&function)).map(of).sum()
        };
        let of = |run: &RunSeconds| run.functions.get(&function).copied().unwrap_or_default();
        let own = |run: &RunSeconds| of(run).own.events as f64 * run.per_event;
        let total = |run: &RunSeconds| of(run).total.events as f64 * run.per_event;
        quantities.push(quantity(
            &seconds,
            own,
            |run| of(run).own.squares * run.per_event.powi(2),
            pooled(|it| it.own.samples),
        ));
        quantities.push(quantity(
            &seconds,
            total,
            |run| of(run).total.squares * run.per_event.powi(2),
            pooled(|it| it.total.samples),
        ));
    }
    let worlds = largest_of_worlds(&quantities, pairs.len(), error);
    let bound = bound(&worlds, error);
    let mean_of = |side: usize| {
        seconds.iter().map(|pair| pair[side].whole_s).sum::<f64>() / seconds.len().max(1) as f64
    };
    let [first, second] = [mean_of(0), mean_of(1)];
    // A function takes between none and all of the time, which limits the intervals of differences that are not known
    // well.
    let family = Family { worlds, bound, least: -first, most: second };
    let own_s = present.iter().zip(quantities.chunks(2)).map(|(&it, of)| (it, of[0].mean())).collect();
    let mut functions: Vec<FunctionDifference> = present
        .iter()
        .zip(quantities.chunks(2))
        .map(|(&function, quantities)| family.told(found, &canon, function, quantities, &own_s))
        .collect();
    sort(&mut functions, error);
    // The program as a whole is a single question, so it is tested without the functions.
    let worlds = largest_of_worlds(std::slice::from_ref(&whole), pairs.len(), error);
    let half = whole.half_width(self::bound(&worlds, error));
    ProfileDifference {
        a,
        b,
        pairs: pairs.len() as u32,
        a_cpu_s: first,
        cpu_s: whole.mean(),
        low_s: (whole.mean() - half).max(-first),
        high_s: (whole.mean() + half).min(second),
        error,
        functions,
    }
}

fn pairs(runs: &[ProfiledRun], a: u16, b: u16) -> Vec<[&ProfiledRun; 2]> {
    let of = |profile: u16, block: u32| runs.iter().find(|run| run.profile == profile && run.block == block);
    let blocks = runs.iter().filter(|run| run.profile == a).map(|run| run.block);
    blocks.filter_map(|block| Some([of(a, block)?, of(b, block)?])).collect()
}

#[derive(Clone, Copy, Default)]
struct Seconds {
    own: Weight,
    /// Samples in the function or in functions that it calls. `squares` is the variance of the events by random
    /// sampling.
    total: Weight,
}

struct RunSeconds {
    functions: HashMap<usize, Seconds>,
    /// Seconds of run time for which an event stands.
    per_event: f64,
    whole_s: f64,
}

impl RunSeconds {
    fn of(found: &ProfileFindings, canon: &Canon, run: &ProfiledRun) -> Self {
        let profile = found.profiles.get(usize::from(run.profile));
        let is_of_waits = profile.is_some_and(|it| it.quality.whole() == Whole::WaitingTime);
        let mut functions: HashMap<usize, Seconds> = HashMap::new();
        let mut all = 0;
        let mut here = Vec::new();
        for &(stack, weight) in &run.stacks {
            all += weight.events;
            let Some(stack) = found.stacks.get(stack as usize) else { continue };
            here.clear();
            here.extend(stack.frames.iter().filter_map(|&frame| canon.of_frame(frame)));
            // The time of each wait is measured and not random, so only the number of waits contributes to the
            // variance.
            let squares = weight.squares / if is_of_waits { weight.samples.max(1) as f64 } else { 1.0 };
            let weight = Weight { squares, ..weight };
            if let Some(&last) = here.last() {
                functions.entry(last).or_default().own += weight;
            }
            here.sort_unstable();
            here.dedup();
            for &function in &here {
                functions.entry(function).or_default().total += weight;
            }
        }
        let per_event = if all == 0 { 0.0 } else { run.whole_s / all as f64 };
        RunSeconds { functions, per_event, whole_s: run.whole_s }
    }
}

fn quantity(
    seconds: &[[RunSeconds; 2]],
    of: impl Fn(&RunSeconds) -> f64,
    variance: impl Fn(&RunSeconds) -> f64,
    samples: u64,
) -> Quantity {
    let differences = seconds.iter().map(|[a, b]| of(b) - of(a)).collect();
    let counting = seconds.iter().flatten().map(variance).sum::<f64>() / seconds.len().max(1) as f64;
    Quantity { differences, counting, is_in_family: samples >= SAMPLES_MIN }
}

/// The largest statistic over the tested quantities: first for the observed signs, then for each flip of signs.
fn largest_of_worlds(quantities: &[Quantity], pairs: usize, error: f64) -> Vec<f64> {
    let family: Vec<(&[f64], f64)> = quantities
        .iter()
        .filter(|it| it.is_in_family)
        .map(|it| (it.differences.as_slice(), it.scale()))
        .filter(|(_, scale)| *scale > 0.0)
        .collect();
    let largest = |signs: &[f64]| {
        let one = |(differences, scale): &(&[f64], f64)| {
            let sum: f64 = differences.iter().zip(signs).map(|(d, sign)| d * sign).sum();
            sum.abs() / scale
        };
        family.iter().map(one).fold(0.0, f64::max)
    };
    // A flip and its opposite have the same largest statistic, so the sign of the first pair stays as it is.
    let free = pairs.saturating_sub(1);
    if pairs <= PAIRS_EXACT {
        let signs = |world: usize| -> Vec<f64> {
            (0..pairs).map(|pair| if pair > 0 && world >> (pair - 1) & 1 == 1 { -1.0 } else { 1.0 }).collect()
        };
        return (0..1_usize << free).map(|world| largest(&signs(world))).collect();
    }
    let mut draw = Draw::new(0x5eed, pairs as u64);
    let mut worlds = vec![largest(&vec![1.0; pairs])];
    let flips = ((FLIPS_PER_ERROR / error) as usize).clamp(FLIPS, FLIPS_MAX);
    for _ in 1..flips {
        let signs: Vec<f64> = (0..pairs).map(|_| if draw.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        worlds.push(largest(&signs));
    }
    worlds
}

/// Critical value, which the largest statistic exceeds with at most the probability `error` if nothing differs;
/// infinite if there are too few pairs.
fn bound(worlds: &[f64], error: f64) -> f64 {
    let mut falling = worlds.to_vec();
    falling.sort_by(|a, b| b.total_cmp(a));
    // The p-value of a statistic counts all flips that reach it, and the observed signs are one of them.
    let allowed = (error * worlds.len() as f64 + 1e-9).floor() as usize;
    match allowed {
        0 => f64::INFINITY,
        allowed => falling.get(allowed).copied().unwrap_or(0.0),
    }
}

/// The randomisation test over all tested functions: the largest statistic for each choice of the signs of the pairs'
/// differences, the observed one first, and the limits of the reported differences.
struct Family {
    worlds: Vec<f64>,
    bound: f64,
    /// Smallest and largest possible difference, in seconds.
    least: f64,
    most: f64,
}

impl Family {
    fn p(&self, quantity: &Quantity) -> f64 {
        let statistic = quantity.statistic();
        if !quantity.is_in_family || statistic == 0.0 {
            return 1.0;
        }
        let as_large = self.worlds.iter().filter(|&&world| world >= statistic * (1.0 - 1e-12)).count();
        as_large as f64 / self.worlds.len() as f64
    }

    fn interval(&self, quantity: &Quantity) -> (f64, f64) {
        let half = quantity.half_width(self.bound);
        ((quantity.mean() - half).max(self.least), (quantity.mean() + half).min(self.most))
    }

    fn told(
        &self,
        found: &ProfileFindings,
        canon: &Canon,
        function: usize,
        of: &[Quantity],
        own_s: &HashMap<usize, f64>,
    ) -> FunctionDifference {
        let [own, total] = of else { unreachable!("two quantities of each function") };
        let [(low, high), (total_low, total_high)] = [own, total].map(|quantity| self.interval(quantity));
        let (name, renamed) = canon.names(function);
        FunctionDifference {
            name,
            renamed,
            is_guess: canon.is_guess(function),
            only_in: canon.only_in(function),
            absorbed_by: absorbed_by(canon, function, own_s),
            self_s: own.mean(),
            self_low_s: low,
            self_high_s: high,
            total_s: total.mean(),
            total_low_s: total_low,
            total_high_s: total_high,
            p_adjusted: self.p(own),
            total_p_adjusted: self.p(total),
            caller: canon.caller(found, function, own.mean() > 0.0),
        }
    }
}

/// A function that only one program has counts as merged into its caller in the other program if the changes of both
/// nearly cancel: if their sum is smaller than this share of the function's own change.
const LEFT_MAX: f64 = 0.5;

/// Name of the caller that probably contains the code of a function in the program that lacks the function; `None` if
/// none is likely. `own_s` is the additional own time of each function in the second program, in seconds.
fn absorbed_by(canon: &Canon, function: usize, own_s: &HashMap<usize, f64>) -> Option<String> {
    let caller = canon.main_caller(function)?;
    let (of_caller, of_function) = (own_s.get(&caller)?, own_s.get(&function)?);
    // The caller's time has to change in the opposite direction; otherwise the sum is small by chance.
    let fits = (of_caller + of_function).abs() < LEFT_MAX * of_function.abs();
    (of_caller * of_function < 0.0 && fits).then(|| canon.names(caller).0)
}

/// Sorts by size, in three groups: functions whose own time differs, then functions whose time with their callees
/// differs, then the rest.
fn sort(functions: &mut [FunctionDifference], error: f64) {
    let rank = |one: &FunctionDifference| match (one.p_adjusted <= error, one.total_p_adjusted <= error) {
        (true, _) => (0, one.self_s.abs()),
        (false, true) => (1, one.total_s.abs()),
        (false, false) => (2, one.self_s.abs()),
    };
    functions.sort_by(|a, b| {
        let ((first, size_a), (second, size_b)) = (rank(a), rank(b));
        first.cmp(&second).then(size_b.total_cmp(&size_a)).then_with(|| a.name.cmp(&b.name))
    });
}
