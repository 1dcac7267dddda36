//! `fauxplat index`: the power of CPUs, in FauxPlats per second of CPU time.

use fauxplat_experiment::measure::index::{self, Power};
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::Definition;
use fauxplat_model::document::Findings;

use crate::begin::{beginning, finish};
use fauxplat_options::IndexArgs;

pub(crate) fn index(args: &IndexArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let asked = Power {
        cpu: args.cpu.clone(),
        all_cpus: args.all_cpus,
        together: args.together,
        duration: args.duration,
        policy: args.policy,
    };
    let definition = args.surroundings.of_workers(asked.cpus(&machine)?, args.seed);
    let definition = Definition { counters: args.counters.clone(), ..definition };
    let mut driver =
        Driver::of_workers(beginning("index", definition, machine, (&args.output, &args.end), invocation)?)?;
    let found = index::index(&mut driver, &asked);
    finish(driver, found.map(Findings::Index), &args.output, Ok(()))
}
