//! `fleet run` and `fleet compare`: ask the machines, collect answers, measure suspects again, and report.

use std::time::Duration;

use fauxplat_experiment::{Driver, Failure, Machine, Standing};
use fauxplat_fleet::{Asked, Counts, FleetError, Limits, Run, RunFolder, Site, Told, engine, evidence};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, FleetGate};
use fauxplat_sys::signal;

use super::found::{findings, gathered, metric};
use super::{chosen, gate, made_runs_folder, plan};
use crate::begin::{beginning, conclude};
use crate::output;
use fauxplat_options::{EndArgs, EngineArgs, FleetCompareArgs, FleetRunArgs, OutputArgs};

pub(super) fn run(args: &FleetRunArgs, invocation: &[String]) -> Result<(), Failure> {
    let define = || {
        let definition = plan::definition(&args.commands, &args.condition, args.runs, args.metric)?;
        match plan::names(&definition)?.len() {
            1 => Ok(definition),
            0 => Err(Failure::usage("there is no command to run")),
            _ => Err(Failure::usage("fleet run measures one command; fleet compare takes two")),
        }
    };
    let gates = &args.gate.fail_if;
    let what = What { compares: false, confirms: !args.no_confirm, engine: &args.engine, gates };
    carried_out(&what, define, (&args.output, &args.end), invocation)
}

pub(super) fn compare(args: &FleetCompareArgs, invocation: &[String]) -> Result<(), Failure> {
    let define = || {
        let definition = plan::definition(&args.commands, &args.condition, args.runs, args.metric)?;
        match plan::names(&definition)?.len() {
            2 => Ok(definition),
            count => Err(Failure::usage(format!("fleet compare takes two commands, and here are {count}"))),
        }
    };
    let what = What { compares: true, confirms: false, engine: &args.engine, gates: &[] };
    carried_out(&what, define, (&args.output, &args.end), invocation)
}

/// Settings in which `fleet run` and `fleet compare` differ.
struct What<'a> {
    compares: bool,
    confirms: bool,
    engine: &'a EngineArgs,
    gates: &'a [FleetGate],
}

fn carried_out(
    what: &What<'_>,
    define: impl FnOnce() -> Result<Definition, Failure>,
    (output, end): (&OutputArgs, &EndArgs),
    invocation: &[String],
) -> Result<(), Failure> {
    output::try_files(output)?;
    let ends = (output, end);
    let (folder, asked, mut driver) = match what.engine.resume.is_some() {
        true => resumed(what, ends, invocation)?,
        false => begun(what, define()?, ends, invocation)?,
    };
    let limits = Limits { max_time: of(what.engine.max_time), patience: of(what.engine.patience) };
    let site = site(&folder, &asked)?;
    let engine = engine(&asked.on, site.clone())?;
    let mut run = Run::open(&folder, asked.clone(), engine, limits)?;
    keep_programs(&site)?;
    let failed = rounds(&mut run, &folder, what, &mut driver, output).err().map(Failure::from);
    if failed.is_none() && run.is_over() {
        site.tidy();
    }
    drop(run);
    if signal::stop_requested() {
        driver.interrupt();
    }
    let evidence = gathered(&folder, &asked)?;
    let findings = findings(&asked, &evidence);
    let decided = gate::of_stored(what.gates, (&folder, &asked), &findings, &evidence);
    if !output.is_quiet() {
        let report = super::report_line(&folder, &what.engine.place, output);
        output::complain(&format!("kept in {} ({report})", folder.path().display()));
    }
    conclude(driver.finish(findings, failed), output, decided)
}

fn of(time: Option<fauxplat_units::Nanos>) -> Option<Duration> {
    time.map(|time| Duration::from_nanos(time.0))
}

/// The folder of a run over the fleet, its description, and the experiment by which it is reported.
type Opened = (RunFolder, Asked, Driver);

/// Opens a run that was begun earlier by the same verb and version of fauxplat, to continue it.
fn resumed(what: &What<'_>, ends: (&OutputArgs, &EndArgs), invocation: &[String]) -> Result<Opened, Failure> {
    let folder = chosen(what.engine.resume.as_ref(), &what.engine.place, ends.0)?;
    let mut asked = Asked::read(&folder)?;
    asked.order.definition.make_known().map_err(Failure::usage)?;
    if asked.compares != what.compares {
        let verb = if asked.compares { "compare" } else { "run" };
        return Err(Failure::usage(format!(
            "the run {} was begun by `fleet {verb}`: resume it by the same verb",
            folder.id()
        )));
    }
    let ours = env!("CARGO_PKG_VERSION");
    if asked.order.fauxplat_version != ours {
        let theirs = &asked.order.fauxplat_version;
        return Err(Failure::usage(format!(
            "{} was begun by fauxplat {theirs}, and this is {ours}",
            folder.id()
        )));
    }
    let driver = driver(&asked, ends, invocation)?;
    Ok((folder, asked, driver))
}

/// Creates the folder of a new run, and has the engine list the nodes.
fn begun(
    what: &What<'_>,
    definition: Definition,
    ends: (&OutputArgs, &EndArgs),
    invocation: &[String],
) -> Result<Opened, Failure> {
    let on = what.engine.on.as_deref().unwrap_or_default();
    let options = plan::options(what.engine)?;
    let (folder, _held) = RunFolder::begin(&made_runs_folder(&what.engine.place, ends.0)?)?;
    let make = || {
        let order = plan::order(definition, what.engine.no_answers, folder.id())?;
        let mut asked = plan::asked(order, on, options, what.compares, invocation)?;
        asked.no_confirm = !what.confirms;
        let site = site(&folder, &asked)?;
        asked.nodes = engine(on, site.clone())?.nodes()?.into_iter().map(Into::into).collect();
        keep_programs(&site)?;
        let driver = driver(&asked, ends, invocation)?;
        // The description is written last: a folder without one is no run, so that refused options do not leave a
        // folder that counts as the latest run.
        asked.keep(&folder)?;
        Ok((asked, driver))
    };
    let made: Result<_, Failure> = make();
    if made.is_err() {
        // Nothing was measured, so the folder is removed.
        let _gone = std::fs::remove_dir_all(folder.path());
    }
    made.map(|(asked, driver)| (folder, asked, driver))
}

/// Copies the fauxplat programs for the nodes into the folder of the run, unless they are there already.
fn keep_programs(site: &Site) -> Result<(), Failure> {
    Ok(site.keep_programs(&std::env::current_exe().map_err(Failure::machine)?)?)
}

fn site(folder: &RunFolder, asked: &Asked) -> Result<Site, Failure> {
    let order = Site::packed(&asked.order)?;
    Ok(Site { folder: folder.clone(), order, options: asked.options.clone() })
}

/// The experiment for the store and the listeners. Its measurements happen on the nodes.
fn driver(asked: &Asked, ends: (&OutputArgs, &EndArgs), invocation: &[String]) -> Result<Driver, Failure> {
    let definition = Definition { seed: Some(asked.order.plan.seed), ..Definition::default() };
    let kind = if asked.compares { "fleet-compare" } else { "fleet" };
    let mut driver = Driver::of_workers(beginning(kind, definition, Machine::here(), ends, invocation)?)?;
    driver.header.condition = asked.order.definition.condition.clone();
    driver.header.definition =
        Definition { seed: Some(asked.order.plan.seed), ..asked.order.definition.clone() };
    Ok(driver)
}

/// Carries out the first measurement of all nodes, and the rounds in which suspects are measured again.
fn rounds(
    run: &mut Run,
    folder: &RunFolder,
    what: &What<'_>,
    driver: &mut Driver,
    output: &OutputArgs,
) -> Result<(), FleetError> {
    let asked = run.asked.clone();
    let (is_quiet, is_pipe) = (output.is_quiet(), !std::io::IsTerminal::is_terminal(&std::io::stderr()));
    let mut hear = |told: &Told| match (told, is_quiet) {
        (Told::Counts(_), _) | (_, false) => hear(driver, told, is_pipe),
        (_, true) => {}
    };
    // Rounds that an interrupted fauxplat began are collected first: otherwise their jobs would run beside a new round.
    for round in run.unfinished() {
        run.collect(round, &mut hear)?;
    }
    if !run.is_ended() {
        run.begin(0, &asked.able())?;
        run.collect(0, &mut hear)?;
    }
    let confirms = what.confirms && !asked.no_confirm;
    let again = if confirms && !run.is_ended() { settled(run, folder)? } else { Vec::new() };
    for (nodes, round) in again.iter().zip(1..) {
        if run.is_ended() {
            break;
        }
        run.begin(round, nodes)?;
        run.collect(round, &mut hear)?;
    }
    Ok(())
}

/// The machines to measure again, round by round: as an interrupted fauxplat decided and stored, or else as follows
/// from the first measurement.
fn settled(run: &mut Run, folder: &RunFolder) -> Result<Vec<Vec<String>>, FleetError> {
    if let Some(again) = run.again() {
        return Ok(again.rounds.clone());
    }
    let metric = metric(&run.asked);
    let Findings::Fleet(found) = findings(&run.asked, &evidence(folder, &run.asked, &[metric.name()])?)
    else {
        return Ok(Vec::new());
    };
    let Some(again) = found.again.filter(|again| !again.rounds.is_empty()) else { return Ok(Vec::new()) };
    let rounds = again.rounds.clone();
    run.settle(again)?;
    Ok(rounds)
}

/// Prints what happened to a node. Answers are printed only into a pipe, since a terminal has a progress line that is
/// redrawn.
fn hear(driver: &Driver, told: &Told, is_pipe: bool) {
    match told {
        Told::Node { node, trouble: Some(why) } => output::complain(&format!("{node}: {why}")),
        Told::Node { node, trouble: None } if is_pipe => output::complain(&format!("{node}: answered")),
        Told::Node { .. } => {}
        Told::Engine(why) => output::complain(&format!("{why}; asking again")),
        Told::NotCancelled(why) => {
            output::complain(&format!("{why}; what was handed over may go on, and --resume waits for it"))
        }
        Told::Counts(counts) => driver.tell(&standing(counts)),
    }
}

/// Progress of a round, in words and as a share, for the progress line.
fn standing(counts: &Counts) -> Standing {
    let Counts { round, answered, given_up, open, of } = *counts;
    let done = answered + given_up;
    let what = if round == 0 { String::new() } else { format!("round {round} of suspects: ") };
    let given_up = if given_up == 0 { String::new() } else { format!(", {given_up} given up") };
    let words = format!("{what}{answered} of {of} answered{given_up}, {open} handed over");
    Standing { share: done as f64 / of.max(1) as f64, words, blocks: done as u32 }
}
