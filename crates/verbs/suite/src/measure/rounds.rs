//! Rounds: decides which benchmarks run next, in which processes and order.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_experiment::steer::{HOPELESS_FROM, Standing};
use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::Order;
use fauxplat_stats::draw::Draw;

use super::Asked;
use super::source::{Facts, Given, Source, Turn};
use crate::analysis::{Judge, Named, Rule, Together, benchmarks, chosen, not_measured};
use crate::findings::{Benchmark, StoppedBy, SuiteFindings};
use crate::processes::{Processes, SIDES};

/// Least work of a process, so that the share of its startup is small: this many seconds, and this multiple of its
/// startup time.
const WORK_S: f64 = 0.5;
const STARTS: f64 = 10.0;

/// Consecutive failures after which a benchmark is dropped: by default, and if the user's option leaves failed runs
/// out.
const FAILURES_MAX: u32 = 3;
const FAILURES_MAX_LEFT_OUT: u32 = HOPELESS_FROM as u32;

/// Progress of one benchmark.
#[derive(Debug, Default)]
struct Entry {
    named: Named,
    /// Whether the benchmark now runs alone, because a process that ran it together with others failed.
    is_alone: bool,
    failures: u32,
    has_cost: bool,
}

/// Progress of a whole suite.
struct Rounds<'a> {
    asked: &'a Asked,
    judge: Judge,
    entries: Vec<Entry>,
    order: Order,
    coin: Draw,
    processes: u32,
    processes_by_side: [Processes; 2],
    /// Benchmarks that the lists of the programs have on one side alone.
    one_sided: BTreeSet<String>,
    /// Number of processes of each side that printed a benchmark of `one_sided`, by name.
    printed: [BTreeMap<String, u32>; 2],
    began_s: f64,
    skips_failures: bool,
    failures_max: u32,
}

/// Runs both sides until all benchmarks are decided, the time limit is reached, or the user interrupts. The time counts
/// from `began_s`, in seconds on the driver's clock.
///
/// # Errors
/// Fails where a program cannot be started.
pub(super) fn run(
    driver: &mut Driver,
    asked: &Asked,
    source: &mut dyn Source,
    began_s: f64,
) -> Result<SuiteFindings, Failure> {
    let (facts, margins) = (source.facts(), source.margins());
    let margins: Vec<f64> = margins.into_iter().map(|own| own.unwrap_or(asked.rule.margin)).collect();
    let entry = |name: String| Entry {
        named: Named { name, cost_s: source.cost_s(), ..Named::default() },
        ..Entry::default()
    };
    let skips_failures = driver.header.condition.ignore_failure.are_left_out();
    let mut rounds = Rounds {
        asked,
        judge: Judge::with_margins(&margins, asked.rule),
        entries: facts.names.into_iter().map(entry).collect(),
        order: asked.order.unwrap_or(source.order()),
        coin: Draw::new(driver.header.seed, 47),
        processes: 0,
        processes_by_side: Default::default(),
        one_sided: facts.new.into_iter().chain(facts.gone).collect(),
        printed: Default::default(),
        began_s,
        skips_failures,
        failures_max: if skips_failures { FAILURES_MAX_LEFT_OUT } else { FAILURES_MAX },
    };
    let stopped = rounds.all(driver, source);
    source.finish(driver);
    let stopped_by = stopped?;
    Ok(rounds.findings(driver, source, stopped_by))
}

impl Rounds<'_> {
    fn all(&mut self, driver: &mut Driver, source: &mut dyn Source) -> Result<StoppedBy, Failure> {
        let mut round = 0;
        loop {
            let cost_s: Vec<f64> = self.entries.iter().map(|entry| entry.named.cost_s).collect();
            let chosen = chosen(&self.judge, &cost_s, self.left_s(driver), round);
            if chosen.is_empty() {
                return Ok(self.ended());
            }
            for part in self.parts(source, &chosen) {
                if round > 0 && self.left_s(driver) < self.cost_s(source, &part) || self.left_s(driver) <= 0.0
                {
                    return Ok(StoppedBy::Time);
                }
                let (began_s, pairs) = (driver.elapsed_s(), if self.is_block(&part) { 2.0 } else { 1.0 });
                if let Some(stopped) = self.turns(driver, source, round, &part)? {
                    return Ok(stopped);
                }
                self.judge.look();
                self.took(&part, (driver.elapsed_s() - began_s) / pairs);
            }
            round += 1;
        }
    }

    /// Why nothing is left to run.
    fn ended(&self) -> StoppedBy {
        let is_given_up = |at: usize| self.entries[at].named.is_given_up && !self.judge.is_answered(at);
        match (0..self.entries.len()).any(is_given_up) {
            true => StoppedBy::GivenUp,
            false => StoppedBy::Decided,
        }
    }

    fn left_s(&self, driver: &Driver) -> f64 {
        self.asked.max_time_s - (driver.elapsed_s() - self.began_s)
    }

    /// Whether the next runs of these benchmarks are a block, in which each side runs twice in a row.
    fn is_block(&self, part: &[usize]) -> bool {
        self.order == Order::Aabb && part.iter().any(|&at| self.judge.wants_block(at))
    }

    /// Estimated seconds of the processes of a block, or of a pair, that run these benchmarks.
    fn cost_s(&self, source: &dyn Source, part: &[usize]) -> f64 {
        let processes = if self.is_block(part) { 4.0 } else { 2.0 };
        processes * (source.overhead_s() + part.iter().map(|&at| self.entries[at].named.cost_s).sum::<f64>())
    }

    /// Distributes the chosen benchmarks over processes, so that A and B of each benchmark run at about the same time,
    /// and startups take a small share. Returns the benchmarks of each process, by index.
    fn parts(&self, source: &dyn Source, chosen: &[usize]) -> Vec<Vec<usize>> {
        let Some(most) = source.most() else { return vec![chosen.to_vec()] };
        let work_s = WORK_S.max(STARTS * source.overhead_s());
        let (mut parts, mut part, mut part_s) = (Vec::new(), Vec::new(), 0.0);
        for &at in chosen {
            let entry = &self.entries[at];
            if entry.is_alone {
                parts.push(vec![at]);
                continue;
            }
            part.push(at);
            part_s += entry.named.cost_s;
            if part_s >= work_s || part.len() >= most {
                parts.push(std::mem::take(&mut part));
                part_s = 0.0;
            }
        }
        parts.extend((!part.is_empty()).then_some(part));
        parts
    }

    /// Runs processes of A and B for these benchmarks, in random order. Returns why no further process may begin, or
    /// `None`; results of an incomplete pair or block are then dropped.
    fn turns(
        &mut self,
        driver: &mut Driver,
        source: &mut dyn Source,
        round: u32,
        part: &[usize],
    ) -> Result<Option<StoppedBy>, Failure> {
        source.choose(driver, part)?;
        let in_a_row = if self.is_block(part) { 2 } else { 1 };
        let first = self.coin.below(2);
        let mut given = [Vec::new(), Vec::new()];
        for position in 0..2 * in_a_row {
            if position > 0 && self.left_s(driver) <= 0.0 {
                return Ok(Some(StoppedBy::Time));
            }
            let side = if position < in_a_row { first } else { 1 - first };
            let standing = self.standing(driver, round);
            let turn = Turn { round, position: position as u16, side };
            let Some(told) = source.run(driver, turn, standing)? else { return Ok(Some(StoppedBy::User)) };
            self.processes += 1;
            self.processes_by_side[side].ran(told.failed.as_deref());
            for name in told.readings.keys().filter(|name| self.one_sided.contains(*name)) {
                *self.printed[side].entry(name.clone()).or_default() += 1;
            }
            given[side].push(told);
        }
        let [a, b] = given;
        let given: Vec<[Given; 2]> = a.into_iter().zip(b).map(<[Given; 2]>::from).collect();
        self.take(source, part, &given, first == 1);
        Ok(None)
    }

    /// Notes the seconds that a pair of these benchmarks took together, with all that happened around its processes.
    fn took(&mut self, part: &[usize], pair_s: f64) {
        let each_s = pair_s / part.len() as f64;
        for &at in part {
            let known = &mut self.entries[at].named.pair_s;
            *known = if *known > 0.0 { 0.5 * (*known + each_s) } else { each_s };
        }
    }

    fn standing(&self, driver: &Driver, round: u32) -> Standing {
        let decided = (0..self.entries.len()).filter(|&at| self.judge.is_answered(at)).count();
        let share = (1.0 - self.left_s(driver) / self.asked.max_time_s).clamp(0.0, 1.0);
        let words = format!("{decided} of {} benchmarks decided, round {}", self.entries.len(), round + 1);
        Standing { share, words, blocks: round }
    }

    /// Records the results of a pair of processes, or of the two pairs of a block.
    fn take(&mut self, source: &dyn Source, part: &[usize], given: &[[Given; 2]], is_b_first: bool) {
        let processes = || given.iter().flatten();
        let mean_s = processes().map(|given| given.wall_s).sum::<f64>() / processes().count().max(1) as f64;
        let spent_s = (mean_s - source.overhead_s()).max(1e-4);
        let any_failed = processes().any(|given| given.failed.is_some());
        // A process with several benchmarks may have failed because of any of them.
        let is_own = part.len() == 1 || source.most().is_none();
        for &at in part {
            let entry = &mut self.entries[at];
            let each_s = spent_s / part.len() as f64;
            let (cost, has_cost) = (entry.named.cost_s, entry.has_cost);
            entry.named.cost_s = if has_cost { 0.5 * (cost + each_s) } else { each_s };
            entry.has_cost = true;
            count(&mut entry.named.processes, &entry.named.name, given, is_own);
            entry.named.has_failed |= any_failed && is_own && !self.skips_failures;
            match pairs_of(&entry.named.name, given) {
                Ok((readings, unit)) => {
                    entry.failures = 0;
                    let log_ratio = |&pair: &(f64, f64)| Named::log_ratio(&unit, pair);
                    let log_ratios: Option<Vec<f64>> = readings.iter().map(log_ratio).collect();
                    match log_ratios.as_deref() {
                        Some(&[d]) => self.judge.pair(at, d),
                        Some(&[first, second]) => self.judge.block(at, [first, second], is_b_first),
                        _ => {}
                    }
                    entry.named.unit = unit;
                    entry.named.readings.extend(readings);
                }
                Err(why) => {
                    entry.named.trouble = Some(why);
                    entry.is_alone |= any_failed;
                    // A process with several benchmarks may have failed because of another benchmark, so its failure
                    // does not count here.
                    entry.failures += u32::from(is_own || !entry.is_alone);
                    if entry.failures >= self.failures_max {
                        entry.named.has_failed |= any_failed;
                        entry.named.is_given_up |= self.judge.is_open(at);
                        self.judge.close(at);
                    }
                }
            }
        }
    }

    fn findings(mut self, driver: &Driver, source: &dyn Source, stopped_by: StoppedBy) -> SuiteFindings {
        self.judge.look();
        let named: Vec<Named> = self.entries.into_iter().map(|entry| entry.named).collect();
        let mut found = benchmarks(&self.judge, &named);
        for (at, (benchmark, named)) in found.iter_mut().zip(&named).enumerate() {
            let faster = benchmark.a.zip(benchmark.b).map(|(a, b)| a.min(b));
            benchmark.alone = source.alone(at, faster.filter(|_| named.unit == crate::harness::Unit::Ns));
            benchmark.metric = source.metric(at).map(|metric| metric.name().to_owned());
        }
        let together = Together::of(&found, self.asked.rule.margin);
        let mut facts = source.facts();
        let processes = self.processes_by_side.each_ref().map(|side| side.count);
        found.extend(sometimes(&mut facts, &self.asked.rule, &self.printed, processes));
        SuiteFindings {
            harness: facts.harness,
            programs: facts.programs,
            are_same_file: facts.are_same_file,
            control: self.asked.rule.control,
            level: self.asked.rule.level,
            margin: self.asked.rule.margin,
            fail_if: self.asked.fail_if.clone(),
            seed: driver.header.seed,
            order: Some(self.order),
            is_weaker: false,
            common: together.common,
            mean: together.mean,
            groups: together.groups,
            parameters: together.parameters,
            benchmarks: found,
            new: facts.new,
            gone: facts.gone,
            processes: self.processes,
            processes_by_side: self.processes_by_side,
            skips_failures: self.skips_failures,
            elapsed_s: driver.elapsed_s() - self.began_s,
            stopped_by,
        }
    }
}

/// Takes from `facts` the benchmarks that a program did not list and did print in some of its processes: such a benchmark
/// is neither new nor gone, and none of its pairs was measured.
fn sometimes(
    facts: &mut Facts,
    rule: &Rule,
    printed: &[BTreeMap<String, u32>; 2],
    processes: [u32; 2],
) -> Vec<Benchmark> {
    let mut found = Vec::new();
    for (names, side) in [(&mut facts.gone, 1), (&mut facts.new, 0)] {
        names.retain(|name| {
            let Some(times) = printed[side].get(name) else { return true };
            let (program, all) = (SIDES[side], processes[side]);
            let trouble = format!(
                "{program} did not print it when its benchmarks were listed, and did in {times} of {all} processes"
            );
            found.push(not_measured(name, trouble, rule));
            false
        });
    }
    found
}

/// Counts the processes of a benchmark. `is_own` says whether a failed process failed because of this benchmark.
fn count(sides: &mut [Processes; 2], name: &str, given: &[[Given; 2]], is_own: bool) {
    for pair in given {
        for (side, given) in sides.iter_mut().zip(pair) {
            match (&given.failed, given.readings.get(name)) {
                (Some(why), _) if is_own => side.ran(Some(why)),
                (Some(_), _) => {}
                (None, Some((value, _))) if *value > 0.0 => side.ran(None),
                (None, Some((value, unit))) => {
                    side.ran_without_reading(&format!("{value} {unit} is not above 0"));
                }
                (None, None) => {
                    side.ran_without_reading(given.missing.get(name).map_or("", String::as_str));
                }
            }
        }
    }
}

/// Readings of A and B in all pairs, and their unit; the error says why a pair has no readings.
fn pairs_of(name: &str, given: &[[Given; 2]]) -> Result<(Vec<(f64, f64)>, crate::harness::Unit), String> {
    let pairs: Vec<_> = given.iter().map(|given| pair_of(name, given)).collect::<Result<_, _>>()?;
    let unit = pairs.first().map(|(_, unit)| unit.clone()).unwrap_or_default();
    Ok((pairs.into_iter().map(|(readings, _)| readings).collect(), unit))
}

/// Readings of A and B, and their unit; the error says why there is no pair of readings.
fn pair_of(name: &str, given: &[Given; 2]) -> Result<((f64, f64), crate::harness::Unit), String> {
    let mut values = Vec::new();
    for (side, given) in ["A", "B"].into_iter().zip(given) {
        let why = given.failed.as_ref().or_else(|| given.missing.get(name));
        match given.readings.get(name).filter(|_| given.failed.is_none()) {
            Some((value, unit)) if *value > 0.0 => values.push((*value, unit.clone())),
            Some((value, unit)) => {
                return Err(format!("{side} reads {value} {unit}, which must be above 0 for a ratio"));
            }
            None => return Err(format!("{side}: {}", why.map_or("there is no reading", String::as_str))),
        }
    }
    match values.as_slice() {
        [(a, unit), (b, other)] if unit == other => Ok(((*a, *b), unit.clone())),
        [(_, unit), (_, other)] => Err(format!("the unit of A is {unit}, and of B {other}")),
        _ => Err("there is no reading".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{GateQuestion, GateState};

    use super::*;
    use crate::findings::{Control, State};
    use crate::harness::Unit;

    fn given(value: f64, unit: &str) -> Given {
        let unit = Unit::reading(value, unit);
        Given { readings: [("x".to_owned(), unit)].into(), ..Given::default() }
    }

    #[test]
    fn only_like_readings_above_zero_are_a_pair() {
        assert_eq!(pair_of("x", &[given(1.0, "us"), given(900.0, "ns")]).unwrap().0, (1000.0, 900.0));
        let why = |a, b| pair_of("x", &[a, b]).unwrap_err();
        assert!(why(given(1.0, "ns"), given(2.0, "MB/s")).contains("unit of A is ns, and of B MB/s"));
        assert!(why(given(1.0, "ns"), given(0.0, "ns")).contains("B reads 0 ns"));
        let failed =
            Given { failed: Some("its process ended with status 139".to_owned()), ..given(1.0, "ns") };
        assert!(why(failed, given(1.0, "ns")).starts_with("A: its process"));
        assert!(why(given(1.0, "ns"), Given::default()).contains("B: there is no reading"));
    }

    #[test]
    fn a_benchmark_that_a_program_prints_now_and_then_is_not_gone() {
        let mut facts = Facts {
            harness: String::new(),
            programs: Default::default(),
            are_same_file: None,
            names: Vec::new(),
            new: vec!["new".into(), "early".into()],
            gone: vec!["gone".into(), "late".into()],
        };
        let rule = Rule {
            level: 0.01,
            margin: 0.03,
            control: Control::Family,
            gate: Some(GateQuestion::Slower),
            needs_verdict: false,
        };
        let printed =
            [[("early".to_owned(), 2), ("gone".to_owned(), 20)].into(), [("late".to_owned(), 1)].into()];
        let found = sometimes(&mut facts, &rule, &printed, [20, 19]);
        assert_eq!((facts.gone, facts.new), (vec!["gone".to_owned()], vec!["new".to_owned()]));
        let told: Vec<&str> = found.iter().filter_map(|it| it.trouble.as_deref()).collect();
        assert!(
            told[0].starts_with("B did not print it") && told[0].ends_with("in 1 of 19 processes"),
            "{told:?}"
        );
        assert!(
            told[1].starts_with("A did not print it") && told[1].ends_with("in 2 of 20 processes"),
            "{told:?}"
        );
        let states: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.state, it.gate)).collect();
        let open = Some(GateState::Undecided);
        assert_eq!(states, [("late", State::NotMeasured, open), ("early", State::NotMeasured, open)]);
    }

    #[test]
    fn a_failed_process_counts_for_the_benchmark_that_it_ran_alone() {
        let failed =
            || Given { failed: Some("its process ended with status 7".to_owned()), ..Given::default() };
        let pairs = [
            [given(1.0, "ns"), failed()],
            [given(1.0, "ns"), Given::default()],
            [given(0.0, "ns"), given(1.0, "ns")],
        ];
        for (is_own, count_b, failed_b) in [(true, 3, 1), (false, 2, 0)] {
            let mut sides = <[Processes; 2]>::default();
            count(&mut sides, "x", &pairs, is_own);
            assert_eq!((sides[0].count, sides[0].without_reading.count), (3, 1));
            assert_eq!((sides[1].count, sides[1].failed.count), (count_b, failed_b));
            assert_eq!(sides[1].without_reading.count, 1);
        }
    }
}
