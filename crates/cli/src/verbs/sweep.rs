//! `fauxplat sweep`: does a factor that nobody looks at change the time?

use fauxplat_analyze::{SweepJudged, run_findings};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, Metric, Sample, SweepAnswer};
use fauxplat_plan::{Layout, Plan};
use fauxplat_run::{Executor, Program, Stopped};

use crate::args::SweepArgs;
use crate::define;
use crate::failure::Failure;
use crate::layouts;
use crate::session::Session;
use crate::steering::WarmUp;
use crate::survey::{Prepared, Tour, prepare};

/// Visits the levels of a factor in random order until it is sure whether they differ.
pub(crate) fn sweep(args: &SweepArgs, invocation: &[String]) -> Result<(), Failure> {
    let commands = layouts::or_program(&args.commands, args.build.is_given());
    let mut definition = define::definition(&commands, &args.condition)?;
    define::apply_sweep(&mut definition, args);
    define::apply_build(&mut definition, &args.build);
    let mut prepared = None;
    let make = |definition: &mut Definition| {
        let ready = prepare(definition)?;
        let commands = ready.commands.clone();
        let program = Program::this_binary(crate::SPAWNER_VERB);
        let executor = Executor::in_groups(&program, &commands, &ready.groups.folders(&commands))?;
        prepared = Some(ready);
        Ok((commands, executor))
    };
    let mut session = Session::with_commands("sweep", definition, make, &args.output, invocation)?;
    let Some(prepared) = prepared else { return Err(Failure::usage("there is nothing to sweep")) };
    let is_open = args.rule.blocks.is_none() && args.commands.input.is_none() && !args.rule.exhaustive;
    let judged = match visit(&mut session, prepared, is_open) {
        Ok(judged) => judged,
        Err(failure) => return give_up(session, failure),
    };
    let mut findings = judged.findings;
    session.header.warnings.extend(judged.warnings);
    findings.floor_ns = session.floor_ns;
    findings.elapsed_s = session.elapsed_s();
    let failed = args.fail_if_effect && findings.finding.answer == SweepAnswer::Effect;
    let gate = failed.then(|| Failure::gate(format!("--fail-if-effect: {} has an effect", findings.factor)));
    session.finish(&Findings::Sweep(Box::new(findings)), None)?;
    gate.map_or(Ok(()), Err)
}

/// Reports what was measured before a failure ended the sweep.
fn give_up(session: Session<'_>, failure: Failure) -> Result<(), Failure> {
    let ignore_failure = session.header.condition.ignore_failure;
    let findings = run_findings(session.samples(), session.commands.len(), ignore_failure);
    session.finish(&Findings::Run(findings), Some(&failure))?;
    Err(failure)
}

/// A minute is cheap: as many blocks as fit into it are allowed before a sweep ends undecided.
const CHEAP_NS: f64 = 60e9;

/// Blocks that are allowed however cheap they are.
const CHEAP_BLOCKS_MAX: f64 = 1000.0;

/// Runs the sweep. If its number of blocks is open, runs of the warm-up say how many are cheap.
fn visit(session: &mut Session<'_>, prepared: Prepared, is_open: bool) -> Result<SweepJudged, Failure> {
    warm_up(session)?;
    let mut judge = prepared.judge;
    if is_open {
        let blocks = cheap_blocks(session.samples(), judge.distinct().len());
        let rule = &mut session.header.definition.rule;
        rule.max_pairs = rule.max_pairs.max(blocks);
        judge = judge.blocks_max(rule.max_pairs);
    }
    let condition = &session.header.condition;
    let plan = Plan {
        commands: session.commands.len() as u16,
        placement: condition.cpu.clone(),
        env_pad: condition.env_pad,
        heap: condition.heap,
        layout: Layout::Single,
        seed: session.header.seed,
    };
    let rule = session.header.definition.rule.clone();
    let allowed = session.header.machine.cpu.allowed.clone();
    let mut tour = Tour::new(
        &mut session.recorder,
        &session.commands,
        &prepared.level_of,
        &session.progress,
        (plan, judge),
        (&rule, allowed),
    );
    let stopped = session.executor.execute(&mut tour)?;
    let judged = tour.judged(stopped);
    session.interrupted |= stopped == Stopped::Interrupted;
    Ok(judged)
}

/// How many blocks of so many levels fit into it.
fn cheap_blocks(warm_up: &[Sample], levels: usize) -> u32 {
    let wall_ns = warm_up.iter().filter_map(|sample| sample.get(Metric::WALL)).min();
    wall_ns.map_or(0, |wall_ns| {
        (CHEAP_NS / (wall_ns.max(1) as f64 * levels as f64)).min(CHEAP_BLOCKS_MAX) as u32
    })
}

/// Warms the first level up. It may be the very one at which the command fails, which is no reason to end.
fn warm_up(session: &mut Session<'_>) -> Result<(), Failure> {
    let times = session.header.definition.warmup.max(1);
    let mut steering = WarmUp::new(&mut session.recorder, 1, times, true, &session.commands);
    let stopped = session.executor.execute(&mut steering)?;
    session.interrupted |= stopped == Stopped::Interrupted;
    Ok(())
}
