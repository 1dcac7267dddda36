//! `fauxplat aa`: counts how often comparisons of identical programs give a false verdict on this machine.

use std::path::Path;

use fauxplat_experiment::measure::aa::{Calibration, calibrate, twice};
use fauxplat_experiment::measure::replay::{Recorded, replay};
use fauxplat_experiment::{Driver, Failure, Machine, open_store};
use fauxplat_model::document::{Findings, Record};
use fauxplat_report::{BASELINE_BYTES_MAX, read_record};
use fauxplat_sys::clock;
use fauxplat_sys::text::read_text;

use super::baseline::is_id;
use crate::begin::{beginning, conclude};
use crate::{inspection, output};
use fauxplat_options::AaArgs;
use fauxplat_options::define;

/// Default number of A/A comparisons in each stratum of a calibration.
const COMPARISONS: u32 = 20;

/// Default number of comparisons that a replay draws from the recorded session for each size of difference.
pub(super) const DRAWN: u32 = 200;

/// Makes many complete comparisons of identical copies of a command, and counts the false verdicts.
pub(crate) fn aa(args: &AaArgs, invocation: &[String]) -> Result<(), Failure> {
    if let Some(session) = &args.replay {
        return replay_stored(args, session, invocation);
    }
    let machine = Machine::here();
    let mut definition = define::definition(&args.commands, &args.condition, &machine)?;
    define::apply_rule(&mut definition.rule, &args.rule)?;
    definition.rule.check_level(2).map_err(Failure::usage)?;
    twice(&mut definition)?;
    definition.rule.duet |= args.duet;
    let mut driver =
        Driver::of_commands(beginning("aa", definition, machine, (&args.output, &args.end), invocation)?)?;
    let comparisons = args.comparisons.unwrap_or(COMPARISONS);
    let power = args.power.map(|more| (more, args.power_comparisons.unwrap_or(comparisons)));
    let strata = args.strata.iter().copied().map(Into::into).collect();
    let (findings, failed) =
        calibrate(&mut driver, &Calibration { strata, comparisons, power, rivals: args.rivals })?;
    conclude(driver.finish(Findings::Aa(findings), failed), &args.output, Ok(()))
}

/// Applies the rule of comparisons to random parts of a recorded session. Nothing is measured, so nothing is stored.
fn replay_stored(args: &AaArgs, session: &str, invocation: &[String]) -> Result<(), Failure> {
    let recorded = match is_id(session) {
        true => Recorded::from_store(open_store(args.output.store.as_ref())?.as_ref(), session)?,
        false => recorded(session)?,
    };
    // The findings hold for the machine and the condition of the recorded session, so the header states those.
    let mut header = match &recorded.machine {
        Some(machine) => inspection::header_of(machine.clone(), invocation),
        None => inspection::header(Path::new("/"), invocation),
    };
    header.condition = recorded.commands.first().map(|it| it.condition.clone()).unwrap_or_default();
    define::apply_rule(&mut header.definition.rule, &args.rule)?;
    header.definition.rule.check_level(2).map_err(Failure::usage)?;
    header.seed = args.commands.seed.unwrap_or_else(clock::fresh_seed);
    let ignore_failure = header.condition.ignore_failure.any();
    let comparisons = args.comparisons.unwrap_or(DRAWN);
    let found = replay(&recorded, &header.definition.rule, comparisons, (ignore_failure, header.seed))?;
    let (commands, findings) = (&recorded.commands, Findings::Replay(found));
    output::write(&Record { header: &header, commands, samples: &[], findings: &findings }, &args.output)
}

/// Reads the session to replay from a file: a JSON document of fauxplat.
fn recorded(path: &str) -> Result<Recorded, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::input(format!("--replay {path}: {error}"));
    let text = read_text(Path::new(path), BASELINE_BYTES_MAX).map_err(|error| wrong(&error))?;
    let found = read_record(&text).map_err(|error| wrong(&error))?;
    Ok(Recorded {
        name: path.to_owned(),
        is_varied: found.has_power || found.strata.iter().any(|stratum| stratum != "plain"),
        commands: found.commands,
        samples: found.samples,
        machine: found.machine,
    })
}
