//! `fauxplat run`: measures commands: their times, their use of resources, and the condition under which they ran.

use fauxplat_experiment::measure::run::Further;
use fauxplat_experiment::{Driver, Failure, Machine, measure};
use fauxplat_model::document::Findings;

use crate::begin::{beginning, conclude};
use fauxplat_options::RunArgs;
use fauxplat_options::define;

pub(crate) fn run(args: &RunArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let mut definition = define::definition(&args.commands, &args.condition, &machine)?;
    define::refuse_gate("run", &definition.rule, &args.commands)?;
    define::apply_runs(&mut definition, args)?;
    define::defaults_of_run(&mut definition.condition, args, &machine);
    let mut driver =
        Driver::of_commands(beginning("run", definition, machine, (&args.output, &args.end), invocation)?)?;
    let (findings, failed) =
        measure::run::run(&mut driver, Further { trees: args.tree, series: args.series });
    conclude(driver.finish(Findings::Run(findings), failed), &args.output, Ok(()))
}
