//! The plan: a comparison and the experiments after it that look for causes.

use fauxplat_experiment::measure::compare::{compare_within, complete};
use fauxplat_experiment::{Driver, Failure, Standing};
use fauxplat_model::{Command, Comparison, Metric, Placement, Sample, Verdict};
use fauxplat_stats::describe::mean;
use fauxplat_sys::signal;
use fauxplat_units::{CpuSet, Nanos};

use super::aside::{Effort, Under, differences, elsewhere, pairs};
use super::sampled::{Of, sampled};
use super::{addresses, copies, files, simulated, start, timed, traced};
use crate::analysis::{Difference, account, amount};
use crate::args::WhyArgs;
use crate::definition::FOR_THE_VERDICT;
use crate::evidence::{Amount, Evidence};
use crate::findings::{Account, Experiment};
use crate::question::Question;

/// Shares of the time left after the comparison that each experiment may take at most.
const FOR_ACCOUNT: [f64; 3] = [0.15, 0.25, 0.2];
const FOR_TRACES: f64 = 0.25;
const FOR_STARTS: f64 = 0.08;
const FOR_COUNTS: f64 = 0.5;
const FOR_SAMPLES: f64 = 0.4;
const FOR_ONE_CPU: f64 = 0.2;
const FOR_ADDRESSES: f64 = 0.1;
const FOR_COPIES: f64 = 0.1;
const FOR_AGAIN: f64 = 0.1;
/// Maximum number of pairs of runs for the time of the start, for runs on one CPU, at other addresses or from copies of
/// the files, and for the measurement at the end.
const PAIRS: u32 = 24;
/// Minimum number of pairs for the account of the difference.
const PAIRS_LEAST: u32 = 10;
/// Share of the time left that the fewest pairs for the account of the difference may take.
const FOR_FEW: f64 = 0.5;
/// Maximum number of pairs of runs for the account of the difference, each time that it needs more of them.
const PAIRS_OF_ACCOUNT: u32 = 300;
/// Share of the difference from which on an account is examined by further experiments.
const LOOK_FROM: f64 = 0.15;
/// Least number of pairs of sampled runs.
const SAMPLED_MIN: f64 = 10.0;
/// Duration of a traced run relative to a timed one, at which tracing may end early.
const TRACED_TIMES: f64 = 1.3;
/// Least number of pairs in a small experiment.
const FEW: f64 = 3.0;
/// Usual duration of a run in the simulator, relative to its CPU time outside.
const SIMULATED_TIMES: f64 = 40.0;

/// Reason given for an experiment that was not finished because the user interrupted it.
pub(crate) const INTERRUPTED: &str = "it was interrupted";

/// Questions of experiments that do not look for a cause.
pub(crate) const NO_CAUSE: [&str; 2] = [Question::Account.words(), Question::Again.words()];

/// A comparison, and the experiments after it.
#[derive(Default)]
pub(crate) struct Measured {
    /// The comparison; `None` where a failure ended it.
    pub(crate) comparison: Option<Comparison>,
    /// The command as it was in an earlier session; `None` where two commands are compared.
    pub(crate) earlier: Option<Command>,
    /// Evidence with the slower command second, or of the pairs until a failure in the order of the commands; `None`
    /// without a difference.
    pub(crate) evidence: Option<Evidence>,
    /// Index of the slower command.
    pub(crate) slower: Option<usize>,
    pub(crate) experiments: Vec<Experiment>,
    /// Questions whose experiments the user interrupted.
    pub(crate) open: Vec<Question>,
    /// Difference of wall time measured at the end, slower minus faster, in nanoseconds, and the seconds until then.
    pub(crate) again: Option<(Amount, f64)>,
}

/// Compares two commands, and if they differ runs the experiments that look for causes.
///
/// # Errors
/// Errors of the comparison. An experiment that fails is only noted in [`Measured::experiments`].
pub(crate) fn measure(driver: &mut Driver, args: &WhyArgs) -> Result<Measured, Failure> {
    let judged = compare_within(driver, args.max_time.as_secs_f64() * FOR_THE_VERDICT)?;
    let found = complete(driver, judged);
    let comparison = found.comparisons.first();
    let is_different = comparison.is_some_and(|it| it.verdict == Verdict::Different);
    let mut measured = Measured { comparison: comparison.cloned(), ..Measured::default() };
    let Some(comparison) = comparison.filter(|_| is_different) else { return Ok(measured) };
    let slower = usize::from(!comparison.b_is_better());
    let is_in_some_runs = comparison.is_told_by_its_tail();
    measured.slower = Some(slower);
    let begun_s = driver.elapsed_s();
    let mut plan = Plan {
        left_s: (args.max_time.as_secs_f64() - begun_s).max(1.0),
        begun_s,
        runs_s: runs_s(driver.samples()),
        slower,
        driver,
        args,
        experiments: Vec::new(),
        open: Vec::new(),
    };
    let mut evidence = plan.timed(comparison);
    evidence.is_in_some_runs = is_in_some_runs;
    plan.account(&mut evidence);
    plan.all(&mut evidence);
    measured.again = plan.again(is_in_some_runs);
    (measured.experiments, measured.open) = (plan.experiments, plan.open);
    measured.evidence = Some(evidence.oriented(slower));
    Ok(measured)
}

/// The pairs of runs that were made until a failure ended the comparison. Nothing looked for causes.
pub(crate) fn until_failure(driver: &Driver) -> Measured {
    let is_passed = |sample: &&Sample| {
        let ignored = driver.commands.get(usize::from(sample.command)).map(|it| &it.condition.ignore_failure);
        ignored.is_some_and(|ignored| ignored.lets_pass(sample.outcome))
    };
    let passed: Vec<Sample> = driver.samples().iter().filter(is_passed).cloned().collect();
    let level = driver.header.definition.rule.level;
    let evidence = Evidence { pairs: timed::pairs(&passed), level, ..Evidence::default() };
    Measured { evidence: Some(evidence), open: vec![Question::Calls], ..Measured::default() }
}

struct Plan<'d> {
    driver: &'d mut Driver,
    args: &'d WhyArgs,
    slower: usize,
    begun_s: f64,
    /// Seconds available to all experiments together.
    left_s: f64,
    /// Mean seconds of a run of each command.
    runs_s: [f64; 2],
    experiments: Vec<Experiment>,
    /// Questions whose experiments the user interrupted.
    open: Vec<Question>,
}

impl Plan<'_> {
    /// Evidence that the timed runs of the comparison give.
    fn timed(&self, comparison: &Comparison) -> Evidence {
        let commands = &self.driver.commands;
        let of = |side: usize| &commands[side];
        let order = [1 - self.slower, self.slower];
        let programs = order.map(|side| of(side).program.as_path());
        let hashes = order.map(|side| of(side).program_sha256.as_deref());
        let words = order.map(|side| of(side).argv.as_slice());
        let samples = self.driver.samples();
        Evidence {
            names: [0, 1].map(|side| of(side).name.clone()),
            commands: [0, 1].map(|side| of(side).command.clone()),
            pairs: timed::pairs(samples),
            counts: timed::counts(samples),
            files: files::files(programs, hashes, words),
            is_of_comparison: true,
            shown_ns: 1e9 * self.runs_s[0] * (comparison.effect_ratio - 1.0).abs(),
            level: comparison.level,
            ..Evidence::default()
        }
    }

    /// Seconds that are left for experiments.
    fn rest_s(&self) -> f64 {
        self.left_s - (self.driver.elapsed_s() - self.begun_s)
    }

    fn ns(&self, share: f64) -> u64 {
        ((self.left_s * share).min(self.rest_s()).max(0.0) * 1e9) as u64
    }

    /// Marks the driver as interrupted if a stop was requested, since experiments beside the record may be the ones
    /// that notice the request.
    fn hear(&mut self) {
        if signal::stop_requested() {
            self.driver.interrupt();
        }
    }

    /// Duration of a pair of runs, one of each program, in seconds.
    fn pair_s(&self) -> f64 {
        self.runs_s.iter().sum()
    }

    /// Effort of an experiment of at most so many pairs of runs. Dozens of runs are requested before the first has ended, so
    /// that the time alone does not bound the number of long ones.
    fn effort(&self, pairs: u32, longest_ns: u64) -> Effort {
        let fit = (longest_ns as f64 / 1e9 / self.pair_s().max(1e-6)).ceil();
        Effort { pairs: pairs.min(fit.max(FEW) as u32), longest_ns }
    }

    /// Carries out an experiment if there is time for it, and records its duration or why there is no result. `off` is
    /// the option by which the user left the experiment out, and `pairs` the least number of pairs of runs that it
    /// needs. Returns the result of `make`.
    fn ask<T>(
        &mut self,
        question: Question,
        (is_asked, off, pairs): (bool, Option<&str>, f64),
        make: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Option<T> {
        if !is_asked {
            return None;
        }
        let begun_s = self.driver.elapsed_s();
        let share = 1.0 - self.rest_s() / self.left_s;
        let words = question.words().to_owned();
        self.driver.tell(&Standing { share: share.clamp(0.0, 1.0), words: words.clone(), blocks: 0 });
        self.hear();
        let made = match off {
            Some(option) => Err(format!("left out by {option}")),
            None => self.carry_out(pairs, make),
        };
        let took_s = self.driver.elapsed_s() - begun_s;
        let (result, note) = match made {
            Ok(result) => (Some(result), None),
            Err(why) => (None, Some(why)),
        };
        if note.as_deref() == Some(INTERRUPTED) {
            self.open.push(question);
        }
        let took_s = result.is_some().then_some(took_s);
        self.experiments.push(Experiment { question: words, took_s, note });
        result
    }

    /// Carries out an experiment that needs at least so many pairs of runs, if there is time for it. Its result counts
    /// only if the user did not interrupt it: with a part of the runs it could suggest a cause that all runs would not.
    fn carry_out<T>(
        &mut self,
        pairs: f64,
        make: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let made = match () {
            () if self.driver.is_interrupted() => Err(INTERRUPTED.to_owned()),
            () if self.rest_s() <= 0.0 => Err("there was no time left: give it more --max-time".to_owned()),
            () if pairs * self.pair_s() > self.rest_s() => {
                let [takes, left] = [pairs * self.pair_s(), self.rest_s()].map(about);
                Err(format!("it would take about {takes}, and {left} are left: give it more --max-time"))
            }
            () => make(self),
        };
        self.hear();
        if self.driver.is_interrupted() { Err(INTERRUPTED.to_owned()) } else { made }
    }

    /// Runs further pairs for the account of the difference. The comparison ended as soon as its pairs showed a
    /// difference, so that the difference in those pairs tends to be too large.
    fn account(&mut self, evidence: &mut Evidence) {
        let found = self.ask(Question::Account, (true, None, f64::from(PAIRS_LEAST)), |plan| {
            let fewest_s = f64::from(PAIRS_LEAST) * plan.pair_s();
            if fewest_s > (FOR_FEW * plan.left_s).min(plan.rest_s()) {
                let takes = about(fewest_s);
                return Err(format!(
                    "{PAIRS_LEAST} further pairs would take about {takes}: those of the comparison are taken"
                ));
            }
            let mut kept: Vec<Sample> = Vec::new();
            for (number, share) in (0..).zip(FOR_ACCOUNT) {
                let pairs = timed::pairs(&kept).len();
                if pairs >= PAIRS_LEAST as usize && plan.shows(evidence, &kept) {
                    break;
                }
                let missing = (PAIRS_LEAST as usize).saturating_sub(pairs);
                let least_ns = (missing as f64 * plan.pair_s() * 1e9) as u64;
                let fresh = plan.further(plan.ns(share).max(least_ns), number * PAIRS_OF_ACCOUNT)?;
                kept = plan.clearer(evidence, kept, fresh);
            }
            Ok(kept)
        });
        let Some(samples) = found else { return };
        let fresh = timed::pairs(&samples);
        if fresh.len() >= PAIRS_LEAST as usize {
            (evidence.pairs, evidence.counts) = (fresh, timed::counts(&samples));
            evidence.is_of_comparison = false;
        }
    }

    /// Samples of further pairs of runs; the numbers of their blocks begin at `first_block`.
    fn further(&self, longest_ns: u64, first_block: u32) -> Result<Vec<Sample>, String> {
        let both = [self.driver.commands[0].clone(), self.driver.commands[1].clone()];
        let effort = self.effort(PAIRS_OF_ACCOUNT, longest_ns);
        let under = Under::usual(self.driver);
        let pairs = pairs(self.driver, &both, under, effort).map_err(|failure| failure.to_string())?;
        let mut samples: Vec<Sample> = pairs.into_iter().flatten().collect();
        samples.iter_mut().for_each(|sample| sample.block += first_block);
        Ok(samples)
    }

    /// Account of these samples; `None` without pairs.
    fn of(&self, evidence: &Evidence, samples: &[Sample]) -> Option<Difference> {
        let fresh = Evidence { pairs: timed::pairs(samples), ..evidence.clone() };
        account(&fresh.oriented(self.slower))
    }

    /// Whether the account of these samples surely shows a difference of wall time.
    fn shows(&self, evidence: &Evidence, samples: &[Sample]) -> bool {
        self.of(evidence, samples).is_some_and(|it| it.is_shown_in_wall_time())
    }

    /// All samples together, or the later ones alone where these tell the difference of wall time more closely, as after
    /// other programs have ended. The choice looks at the widths of the intervals alone, so that it leans neither way.
    fn clearer(&self, evidence: &Evidence, earlier: Vec<Sample>, later: Vec<Sample>) -> Vec<Sample> {
        let all = [earlier, later.clone()].concat();
        let width = |samples: &[Sample]| {
            let found = self.of(evidence, samples);
            found.map_or(f64::INFINITY, |it| it.hidden.unwrap_or(it.whole).width())
        };
        let is_enough = timed::pairs(&later).len() >= PAIRS_LEAST as usize;
        if is_enough && width(&later) < width(&all) { later } else { all }
    }

    fn all(&mut self, evidence: &mut Evidence) {
        let off = self.args.no_trace.then_some("--no-trace");
        evidence.traced = self
            .ask(Question::Calls, (true, off, TRACED_TIMES), |plan| {
                let longest_ns = plan.ns(FOR_TRACES);
                // Tracing a run is only given up if the run takes much longer than usual.
                let own_ns = plan.runs_s.map(|run_s| (TRACED_TIMES * run_s * 1e9) as u64);
                let each_ns = own_ns.map(|own_ns| own_ns.max(longest_ns / 2));
                let traced = traced::traced(plan.driver, longest_ns, each_ns)
                    .map_err(|failure| failure.to_string())?;
                traced.ok_or_else(|| "a run ended before it could be traced".to_owned())
            })
            .filter(|traced| traced.iter().all(|it| it.wall_ns > 0.0));
        let Some(difference) = account(&evidence.clone().oriented(self.slower)) else { return };
        let whole_ns = difference.whole.value.abs().max(1.0);
        let is_in = |account: Account| difference.of(account).value > LOOK_FROM * whole_ns;
        let more = |account: Account| difference.of(account).value.max(0.0);
        let (user_ns, system_ns) = (more(Account::User), more(Account::System));
        // Beside other programs, a longer CPU time also lengthens the wait for a CPU.
        let is_in_cpu = user_ns + system_ns + more(Account::RunQueue) > LOOK_FROM * whole_ns;
        let is_in_user = is_in_cpu && user_ns > LOOK_FROM * (user_ns + system_ns);
        self.start(evidence, is_in_cpu);
        self.counts(evidence, is_in_user);
        self.samples(evidence, (is_in_cpu, is_in(Account::Blocked)));
        let is_shared = is_in_user && evidence.traced.as_ref().is_some_and(is_parallel);
        self.one_cpu(evidence, is_shared);
        self.addresses(evidence, is_in_user && !evidence.is_in_some_runs);
        let are_files = self.driver.commands[0].program != self.driver.commands[1].program;
        self.copies(evidence, is_in_user && are_files && !evidence.is_in_some_runs);
    }

    fn start(&mut self, evidence: &mut Evidence, is_asked: bool) {
        let Some(held) = evidence.traced.as_ref().map(|[a, b]| [a.held.clone(), b.held.clone()]) else {
            return;
        };
        let found = self.ask(Question::Start, (is_asked, None, 0.0), |plan| {
            let effort = plan.effort(PAIRS, plan.ns(FOR_STARTS));
            start::start(plan.driver, [&held[0], &held[1]], effort).map_err(|failure| failure.to_string())
        });
        evidence.start = found.flatten();
    }

    fn counts(&mut self, evidence: &mut Evidence, is_asked: bool) {
        let cpu_s: f64 = mean_cpu_s(evidence).iter().sum();
        let off = self.args.no_simulate.then_some("--no-simulate");
        evidence.simulated = self.ask(Question::Counts, (is_asked, off, 0.0), |plan| {
            let longest_ns = plan.ns(FOR_COUNTS);
            if cpu_s * SIMULATED_TIMES > longest_ns as f64 / 1e9 {
                let takes = about(cpu_s * SIMULATED_TIMES);
                return Err(format!(
                    "simulated runs would take about {takes}: give it more --max-time, or a smaller input"
                ));
            }
            simulated::simulated(plan.driver, longest_ns).map_err(|failure| failure.to_string())
        });
        if let (Some(last), Some(simulated)) = (self.experiments.last_mut(), &evidence.simulated) {
            last.note = Some(match simulated.repeats_within {
                Some(change) if change > 0.001 => {
                    format!("{}; counts differ by {:.1} % from run to run", simulated.machine, 100.0 * change)
                }
                _ => simulated.machine.clone(),
            });
        }
    }

    fn samples(&mut self, evidence: &mut Evidence, (on_cpu, off_cpu): (bool, bool)) {
        let wall_s: f64 = evidence.pairs.iter().map(|it| it.wall_ns[0] + it.wall_ns[1]).sum::<f64>()
            / (1e9 * evidence.pairs.len().max(1) as f64);
        let level = evidence.level;
        // Short runs need a high sampling rate for enough samples; long runs have enough at a low one.
        let rate_hz = (100.0 / wall_s.max(1e-3)).clamp(1000.0, 9000.0) as u64;
        for (of, is_asked, question) in
            [(Of::Cpu, on_cpu, Question::Functions), (Of::Waits, off_cpu, Question::Waits)]
        {
            let off = self.args.no_profile.then_some("--no-profile");
            let found = self.ask(question, (is_asked, off, 0.0), |plan| {
                let longest_ns = plan.ns(FOR_SAMPLES);
                if wall_s * SAMPLED_MIN > longest_ns as f64 / 1e9 {
                    let [takes, room] = [wall_s * SAMPLED_MIN, longest_ns as f64 / 1e9].map(about);
                    return Err(format!(
                        "ten pairs of sampled runs would take about {takes}, and {room} are for them: give it more \
                         --max-time"
                    ));
                }
                let longest_ns = longest_ns.min(((wall_s * 40.0).max(4.0) * 1e9) as u64);
                sampled(plan.driver, of, (rate_hz, longest_ns, level))
            });
            match of {
                Of::Cpu => evidence.on_cpu = found,
                Of::Waits => evidence.off_cpu = found,
            }
        }
    }

    /// Runs both programs on one CPU, where no other CPU can take a cache line away.
    fn one_cpu(&mut self, evidence: &mut Evidence, is_asked: bool) {
        evidence.on_one_cpu = self.ask(Question::OneCpu, (is_asked, None, FEW), |plan| {
            let one: CpuSet = plan.driver.machine().allowed().iter().take(1).collect();
            let mut both = [plan.driver.commands[0].clone(), plan.driver.commands[1].clone()];
            for command in &mut both {
                command.condition.cpu = Placement::Set(one.clone());
            }
            let effort = plan.effort(PAIRS, plan.ns(FOR_ONE_CPU));
            let under = Under::on(plan.driver, Placement::Set(one));
            let pairs = pairs(plan.driver, &both, under, effort).map_err(|failure| failure.to_string())?;
            Ok(elsewhere(&pairs))
        });
    }

    /// Runs both programs with random addresses where the comparison had fixed ones, and with fixed addresses
    /// otherwise.
    fn addresses(&mut self, evidence: &mut Evidence, is_asked: bool) {
        evidence.readdressed = self.ask(Question::Addresses, (is_asked, None, FEW), |plan| {
            let effort = plan.effort(PAIRS, plan.ns(FOR_ADDRESSES));
            addresses::readdressed(plan.driver, effort)
        });
    }

    /// Runs both programs from copies of their files.
    fn copies(&mut self, evidence: &mut Evidence, is_asked: bool) {
        evidence.copied = self.ask(Question::Pages, (is_asked, None, FEW), |plan| {
            let effort = plan.effort(PAIRS, plan.ns(FOR_COPIES));
            copies::copied(plan.driver, effort)
        });
    }

    /// Measures at the end whether the difference is still there, since it may have been transient. Returns the
    /// difference, slower minus faster, and when it was measured.
    fn again(&mut self, is_in_some_runs: bool) -> Option<(Amount, f64)> {
        let sign = if self.slower == 1 { 1.0 } else { -1.0 };
        let found = self.ask(Question::Again, (!is_in_some_runs, None, FEW), |plan| {
            let both = [plan.driver.commands[0].clone(), plan.driver.commands[1].clone()];
            let effort = plan.effort(PAIRS, plan.ns(FOR_AGAIN));
            let under = Under::usual(plan.driver);
            let pairs = pairs(plan.driver, &both, under, effort).map_err(|failure| failure.to_string())?;
            let values: Vec<f64> =
                differences(&pairs, Metric::WALL).into_iter().map(|it| it * sign).collect();
            Ok(amount(&values, 0.05))
        })?;
        Some((found, self.driver.elapsed_s()))
    }
}

/// Number of seconds as text with a suitable unit.
fn about(seconds: f64) -> String {
    Nanos::from_secs_f64(seconds.max(0.0)).to_string()
}

/// Mean seconds of a run of each command.
fn runs_s(samples: &[Sample]) -> [f64; 2] {
    [0, 1].map(|command| {
        let own = samples.iter().filter(|it| it.command == command);
        let walls: Vec<f64> = own.filter_map(|it| Some(it.get(Metric::WALL)? as f64 / 1e9)).collect();
        mean(&walls).unwrap_or(0.0)
    })
}

fn is_parallel(traced: &[crate::evidence::Traced; 2]) -> bool {
    traced.iter().any(|it| it.tasks > it.processes)
}

/// Mean CPU time of a run of each program, in seconds.
fn mean_cpu_s(evidence: &Evidence) -> [f64; 2] {
    [0, 1].map(|side| {
        let all = evidence.pairs.iter().map(|it| it.user_ns[side] + it.system_ns[side]).sum::<f64>();
        all / (1e9 * evidence.pairs.len().max(1) as f64)
    })
}
