//! `fauxplat sweep`: whether a factor such as the size of the environment changes the time of a command.

use fauxplat_experiment::measure::sweep;
use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::document::Findings;

use crate::begin::{beginning, finish};
use fauxplat_options::SweepArgs;
use fauxplat_options::define;

/// Measures a command at the levels of a factor in random order until it is decided whether the levels differ.
pub(crate) fn sweep(args: &SweepArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let commands = define::or_program(&args.commands, args.build.is_given());
    let mut definition = define::definition(&commands, &args.condition, &machine)?;
    define::apply_sweep(&mut definition, args)?;
    define::apply_build(&mut definition, &args.build);
    define::needs_build(&definition)?;
    let (mut driver, prepared) =
        sweep::begin(beginning("sweep", definition, machine, (&args.output, &args.end), invocation)?)?;
    let is_open = args.rule.blocks.is_none() && args.commands.definition.is_none() && !args.rule.exhaustive;
    let findings = sweep::sweep(&mut driver, &prepared, is_open);
    let gate = findings.as_ref().ok().filter(|_| args.fail_if_effect).and_then(|findings| {
        findings
            .has_effect()
            .then(|| Failure::gate(format!("--fail-if-effect: {} has an effect", findings.factor)))
    });
    let findings = findings.map(|findings| Findings::Sweep(Box::new(findings)));
    finish(driver, findings, &args.output, gate.map_or(Ok(()), Err))
}
