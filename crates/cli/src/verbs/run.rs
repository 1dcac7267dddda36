//! `fauxplat run`: how long, how much, under exactly which conditions.

use fauxplat_analyze::run_findings;
use fauxplat_model::Runs;
use fauxplat_model::document::Findings;
use fauxplat_plan::{Layout, Plan};
use fauxplat_run::Stopped;

use crate::args::RunArgs;
use crate::define;
use crate::failure::Failure;
use crate::session::Session;
use crate::steering::Rounds;

/// Measures one or several commands.
pub(crate) fn run(args: &RunArgs, invocation: &[String]) -> Result<(), Failure> {
    let mut definition = define::definition(&args.commands, &args.condition)?;
    definition.runs = args.until.map(Runs::Until).or(args.runs).unwrap_or(definition.runs);
    define::defaults_of_run(&mut definition.condition, args);
    let mut session = Session::begin("run", definition, &args.output, invocation)?;
    let failed = measure(&mut session).err();
    let ignore_failure = session.header.condition.ignore_failure;
    let mut findings = run_findings(session.samples(), session.commands.len(), ignore_failure);
    session.add_rates(&mut findings);
    if args.tree && failed.is_none() && !session.interrupted {
        for (command, findings) in findings.iter_mut().enumerate() {
            findings.tree = session.executor.tree(command as u16)?;
        }
    }
    session.finish(&Findings::Run(findings), failed.as_ref())?;
    failed.map_or(Ok(()), Err)
}

fn measure(session: &mut Session<'_>) -> Result<(), Failure> {
    let definition = &session.header.definition;
    let (warmup, runs) = (definition.warmup, definition.runs);
    session.warm_up(warmup)?;
    if session.interrupted {
        return Ok(());
    }
    let plan = Plan {
        commands: session.commands.len() as u16,
        placement: session.header.condition.cpu.clone(),
        env_pad: session.header.condition.env_pad,
        heap: session.header.condition.heap,
        layout: Layout::Single,
        seed: session.header.seed,
    };
    let mut rounds = Rounds::new(&mut session.recorder, &session.commands, plan, runs, &session.progress);
    let stopped = session.executor.execute(&mut rounds)?;
    session.interrupted |= stopped == Stopped::Interrupted;
    Ok(())
}
