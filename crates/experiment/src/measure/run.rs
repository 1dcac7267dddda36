//! The experiment of `run`: rounds of all commands, by themselves.

use fauxplat_analyze::{Judge, doubts, run_findings};
use fauxplat_model::{Metric, Phase, Rule, RunFindings, Sample};
use fauxplat_units::Nanos;

use crate::steer::{Bounds, Rounds};
use crate::{Driver, Failure};

/// What is looked at in further runs of each command, which are not timed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Further {
    /// Its processes.
    pub trees: bool,
    /// Its counters along the run, at the end of each interval of this length.
    pub series: Option<Nanos>,
}

/// Runs all commands as often as the definition says, and, if wanted, each once more to look at other things. What failed
/// stands beside what was found until then.
pub fn run(driver: &mut Driver, further: Further) -> (Vec<RunFindings>, Option<Failure>) {
    let mut failed = refuse(driver, further).and_then(|()| rounds(driver)).err();
    let ignore_failure = driver.header.condition.ignore_failure.any();
    let mut findings = run_findings(driver.samples(), driver.commands.len(), ignore_failure);
    driver.add_rates(&mut findings);
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

/// Nobody follows the commands of a program that is traced, and one that waits for an answer would wait for ever.
fn refuse(driver: &Driver, further: Further) -> Result<(), Failure> {
    match further.trees && driver.header.definition.control.is_some() {
        true => {
            Err(Failure::usage("--tree and --control: a traced run gets no answers; leave one of them out"))
        }
        false => Ok(()),
    }
}

/// The runs themselves: warm-up, and as many rounds as the definition says.
pub(super) fn rounds(driver: &mut Driver) -> Result<(), Failure> {
    let (warmup, bounds) = (driver.header.definition.warmup, Bounds::of(&driver.header.definition));
    driver.warm_up(warmup)?;
    if driver.is_interrupted() {
        return Ok(());
    }
    let plan = driver.single_plan();
    driver.plan(&plan)?;
    driver.steer(&mut Rounds::new(plan, bounds)).map(drop)
}

/// Fewer runs than this do not show what is usual.
const USUAL_FROM: usize = 10;

/// Says so where the first run of a command was much slower than the others: it found caches empty that they found full.
/// It counts as much slower behind Tukey's outer fence, and only where that is more than a tenth.
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

/// Fewer rounds than this allow nothing to be said, whatever they show.
const ROUNDS_MIN: usize = 6;

/// What the rounds allow to say of each command against the first: they took turns, as in a comparison. How many there are
/// was not decided by what they showed, so each may be looked at like a comparison of so many pairs at most.
fn judge(driver: &mut Driver, findings: &mut [RunFindings]) {
    let commands = driver.commands.len();
    let is_whole = |block: &&[Sample]| block.len() == commands;
    let measured = driver.samples().iter().skip_while(|sample| sample.phase != Phase::Measured);
    let measured: Vec<Sample> = measured.cloned().collect();
    let rounds: Vec<&[Sample]> =
        measured.chunk_by(|one, next| one.block == next.block).filter(is_whole).collect();
    // Counts that repeat are exact after two.
    let is_counted = driver.header.condition.simulate.is_some();
    if commands < 2 || rounds.len() < ROUNDS_MIN && !is_counted {
        return;
    }
    let header = &driver.header;
    let rule = Rule { max_pairs: rounds.len() as u32, also: Vec::new(), ..header.definition.rule.clone() };
    let mut judge =
        Judge::new(&rule, commands, header.seed).ignore_failure(header.condition.ignore_failure.any());
    judge = judge.counted(is_counted);
    for round in rounds {
        judge.block(round);
    }
    let judged = judge.findings(&measured, &driver.names(), judge.stopped_by());
    for (found, comparison) in findings.iter_mut().skip(1).zip(judged.findings.comparisons) {
        found.against_first = Some(Box::new(comparison));
    }
    judged.warnings.into_iter().for_each(|warning| driver.warn(warning));
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
