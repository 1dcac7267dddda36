//! `fauxplat sweep`: does a factor that nobody looks at change the time?

use fauxplat_analyze::{SweepJudged, run_findings};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, SweepAnswer};
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
    let judged = match visit(&mut session, prepared) {
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

fn visit(session: &mut Session<'_>, prepared: Prepared) -> Result<SweepJudged, Failure> {
    warm_up(session)?;
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
        (plan, prepared.judge),
        (&rule, allowed),
    );
    let stopped = session.executor.execute(&mut tour)?;
    let judged = tour.judged(stopped);
    session.interrupted |= stopped == Stopped::Interrupted;
    Ok(judged)
}

/// Warms the first level up. It may be the very one at which the command fails, which is no reason to end.
fn warm_up(session: &mut Session<'_>) -> Result<(), Failure> {
    let times = session.header.definition.warmup.max(1);
    let mut steering = WarmUp::new(&mut session.recorder, 1, times, true, &session.commands);
    let stopped = session.executor.execute(&mut steering)?;
    session.interrupted |= stopped == Stopped::Interrupted;
    Ok(())
}
