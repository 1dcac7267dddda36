//! The experiment of `run`: rounds of all commands, each described by itself.

use fauxplat_analyze::{Judge, doubts, run_findings};
use fauxplat_model::{Metric, Order, Phase, Rule, RunFindings, Sample};
use fauxplat_plan::{Layout, Plan};
use fauxplat_units::Nanos;

use crate::steer::{Bounds, Rounds};
use crate::throttle::Stopped;
use crate::{Driver, Failure};

/// Observations to make in further, untimed runs of each command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Further {
    /// Whether a further run of each command is traced to list its process tree.
    pub trees: bool,
    /// Interval at which the counters are read in a further run; `None` for no such run.
    pub series: Option<Nanos>,
}

/// Runs all commands as often as the definition requires, and, if requested, each once more for further observations. A
/// failure is returned together with the findings so far.
pub fn run(driver: &mut Driver, further: Further) -> (Vec<RunFindings>, Option<Failure>) {
    let stopped = Stopped::from_now(driver.machine().root());
    let mut failed = refuse(driver, further).and_then(|()| in_turn(driver)).err();
    warn_of_quota(driver, &stopped);
    let ignore_failure = driver.header.condition.ignore_failure.any();
    let mut findings = run_findings(driver.samples(), driver.commands.len(), ignore_failure);
    driver.add_rates(&mut findings);
    driver.add_level_changes(&mut findings, Metric::WALL);
    doubts(driver.samples(), driver.commands.len(), ignore_failure)
        .into_iter()
        .for_each(|it| driver.warn(it));
    if failed.is_none() {
        judge(driver, &mut findings);
        warn_of_first_runs(driver, &findings);
    }
    if failed.is_none() && !driver.is_interrupted() {
        failed = look_further(driver, &mut findings, further).err();
    }
    (findings, failed)
}

/// Warns if a CPU quota of the control group around fauxplat stopped the runs, since their times then depend on the
/// quota.
fn warn_of_quota(driver: &mut Driver, stopped: &Stopped) {
    if let Some((stopped, periods)) = stopped.since() {
        driver.warn(format!(
            "a CPU quota of the control group around fauxplat was used up in {stopped} of {periods} periods, and what ran was \
             stopped until the next: these times are those of the quota (cpu.max; in a container --cpus), and more than \
             the commands take"
        ));
    }
}

/// Refuses to trace the process tree of commands that use control pipes. A traced run gets no acknowledgements, so a
/// command that waits for them would wait for ever.
fn refuse(driver: &Driver, further: Further) -> Result<(), Failure> {
    match further.trees && driver.header.definition.control.is_some() {
        true => {
            Err(Failure::usage("--tree and --control: a traced run gets no answers; leave one option out"))
        }
        false => Ok(()),
    }
}

/// Makes the runs of `run`. Several commands run twice in a row each, so that a comparison of second runs is free of
/// the carry-over between commands. Simulated runs have no carry-over.
fn in_turn(driver: &mut Driver) -> Result<(), Failure> {
    let plan = driver.single_plan();
    let header = &driver.header;
    let is_twice = plan.commands > 1
        && header.condition.simulate.is_none()
        && header.definition.rule.order == Order::Aabb;
    rounds_of(driver, if is_twice { Plan { layout: Layout::Twice(1), ..plan } } else { plan })
}

/// Makes the warm-up runs and as many rounds as the definition requires, each command once in a round.
pub(super) fn rounds(driver: &mut Driver) -> Result<(), Failure> {
    let plan = driver.single_plan();
    rounds_of(driver, plan)
}

fn rounds_of(driver: &mut Driver, plan: Plan) -> Result<(), Failure> {
    let (warmup, bounds) = (driver.header.definition.warmup, Bounds::of(&driver.header.definition));
    driver.warm_up(warmup)?;
    if driver.is_interrupted() {
        return Ok(());
    }
    driver.plan(&plan)?;
    driver.steer(&mut Rounds::new(plan, bounds)).map(drop)
}

/// Minimum number of runs from which the usual range of a command's wall time is known.
const USUAL_FROM: usize = 10;

/// Warns if the first run of a command, which fills the caches for the later ones, was much slower than those. Much
/// slower means beyond Tukey's outer fence and by more than a tenth.
fn warn_of_first_runs(driver: &mut Driver, findings: &[RunFindings]) {
    if driver.header.definition.warmup > 0 {
        return;
    }
    for (command, found) in findings.iter().enumerate() {
        let usual = found.summaries.iter().find(|it| it.metric == Metric::WALL && it.n >= USUAL_FROM);
        let is_ours = |sample: &&Sample| usize::from(sample.command) == command;
        let first = driver.samples().iter().find(is_ours).and_then(|sample| sample.get(Metric::WALL));
        let (Some(usual), Some(first)) = (usual, first) else { continue };
        let [_, p25, p75, _] = usual.percentiles;
        let fence = (p75 + 3.0 * (p75 - p25)).max(1.1 * usual.median);
        if first as f64 > fence {
            let name = &driver.commands[command].name;
            let times = first as f64 / usual.median;
            let warning = format!(
                "the first run of `{name}` took {times:.1} times as long as the median: --warmup 3 leaves such runs out, \
                 and --prepare CMD makes all of them so"
            );
            driver.warn(warning);
        }
    }
}

/// Minimum number of rounds of timed runs from which commands are compared.
const ROUNDS_MIN: usize = 6;

/// Compares each command with the first, as far as the number of rounds permits. The commands took turns, as in a
/// comparison, and the number of rounds did not depend on their results, so each may be judged like a comparison with
/// that limit of pairs.
fn judge(driver: &mut Driver, findings: &mut [RunFindings]) {
    let commands = driver.commands.len();
    let measured = driver.samples().iter().skip_while(|sample| sample.phase != Phase::Measured);
    let measured: Vec<Sample> = measured.cloned().collect();
    let (blocks, pairs) = alike(&measured, commands);
    // Counts of simulated runs are equal in every run of a command, so two rounds suffice.
    let is_counted = driver.header.condition.simulate.is_some();
    if commands < 2 || pairs < ROUNDS_MIN && !is_counted {
        return;
    }
    let header = &driver.header;
    let rule = Rule { max_pairs: pairs as u32, also: Vec::new(), ..header.definition.rule.clone() };
    let mut judge =
        Judge::new(&rule, commands, header.seed).ignore_failure(header.condition.ignore_failure.any());
    judge = judge.counted(is_counted);
    for block in blocks {
        judge.block(block);
    }
    let judged = judge.findings(&measured, &driver.names(), judge.stopped_by());
    for (found, comparison) in findings.iter_mut().skip(1).zip(judged.findings.comparisons) {
        found.against_first = Some(Box::new(comparison));
    }
    judged.warnings.into_iter().for_each(|warning| driver.warn(warning));
}

/// The blocks that can be judged together, and their number of pairs: the blocks in which each command ran twice in a
/// row, or the blocks in which each command ran once, whichever give more pairs.
fn alike(measured: &[Sample], commands: usize) -> (Vec<&[Sample]>, usize) {
    let of_length = |length: usize| -> Vec<&[Sample]> {
        let blocks = measured.chunk_by(|one, next| one.block == next.block);
        blocks.filter(|block| block.len() == length).collect()
    };
    let (twice, once) = (of_length(2 * commands), of_length(commands));
    match 2 * twice.len() >= once.len() {
        true => (twice.clone(), 2 * twice.len()),
        false => (once.clone(), once.len()),
    }
}

fn look_further(driver: &mut Driver, findings: &mut [RunFindings], further: Further) -> Result<(), Failure> {
    for (command, found) in findings.iter_mut().enumerate() {
        if driver.is_over() {
            break;
        }
        if further.trees {
            found.tree = driver.record_tree(command as u16)?;
        }
        if let Some(every) = further.series {
            found.series = driver.counter_series(command as u16, every)?;
        }
    }
    Ok(())
}
