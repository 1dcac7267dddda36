//! `fauxplat aa`: does the verdict itself hold on this machine?

use fauxplat_experiment::measure::aa::{Calibration, calibrate, twice};
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::document::Findings;

use crate::args::AaArgs;
use crate::begin::{beginning, conclude};
use crate::define;

/// Makes many complete comparisons of identical copies, and counts the false verdicts.
pub(crate) fn aa(args: &AaArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let mut definition = define::definition(&args.commands, &args.condition, &machine)?;
    define::apply_rule(&mut definition.rule, &args.rule)?;
    twice(&mut definition)?;
    definition.rule.duet |= args.duet;
    let mut driver =
        Driver::of_commands(beginning("aa", definition, machine, (&args.output, &args.end), invocation)?)?;
    let power = args.power.map(|more| (more, args.power_comparisons.unwrap_or(args.comparisons)));
    let strata = args.strata.iter().copied().map(Into::into).collect();
    let (findings, failed) = calibrate(
        &mut driver,
        &Calibration { strata, comparisons: args.comparisons, power, rivals: args.rivals },
    )?;
    conclude(driver.finish(Findings::Aa(findings), failed), &args.output)
}
