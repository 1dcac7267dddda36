//! `fauxplat load`: disturbs chosen CPUs by a known amount.

use std::time::Duration;

use fauxplat_experiment::measure::load::hold;
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::document::Findings;
use fauxplat_model::{Condition, Definition, EnvPad, Placement};

use crate::begin::{beginning, conclude};
use fauxplat_options::LoadArgs;

/// Keeps the loads at their requested intensity until the user stops them or their time is over, and reports the
/// intensity that they achieved.
pub(crate) fn load(args: &LoadArgs, invocation: &[String]) -> Result<(), Failure> {
    let condition = Condition {
        cpu: Placement::Free,
        env_pad: EnvPad::None,
        load: args.loads.clone(),
        ..Condition::default()
    };
    let definition = Definition { condition, ..Definition::default() };
    let beginning = beginning("load", definition, Machine::here(), (&args.output, &args.end), invocation)?;
    let mut driver = Driver::of_workers(beginning)?;
    let (findings, failed) = hold(&mut driver, args.time.map(|time| Duration::from_nanos(time.0)))?;
    let finished = driver.finish(Findings::Load(findings), None);
    conclude(finished, &args.output, failed.map_or(Ok(()), Err))
}
