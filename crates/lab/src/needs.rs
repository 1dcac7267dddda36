//! Requirements of a lab, an experiment or a claim, checked on this machine.

use fauxplat_experiment::{Machine, relation};
use fauxplat_launch::words;
use fauxplat_model::Needs;
use fauxplat_sys::process;

/// The missing requirement in words; `None` if all are met.
pub(crate) fn missing(needs: &Needs) -> Option<String> {
    programs(needs).or_else(|| files(needs)).or_else(|| cpus(needs)).or_else(|| root(needs))
}

fn programs(needs: &Needs) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let absent = |program: &&String| words::find_program(program, &here, &path).is_err();
    let program = needs.programs.iter().find(absent)?;
    let place = if program.contains('/') { "is not there" } else { "is not in PATH" };
    Some(format!("it needs the program `{program}`, which {place}"))
}

fn files(needs: &Needs) -> Option<String> {
    let file = needs.files.iter().find(|file| !file.exists())?;
    Some(format!("it needs {}, which this machine does not have", file.display()))
}

fn cpus(needs: &Needs) -> Option<String> {
    let wanted = needs.cpus.as_ref()?;
    let failure = relation::answer(wanted, &Machine::here()).err()?;
    Some(format!("it needs CPUs that this machine does not have or allow: {failure}"))
}

fn root(needs: &Needs) -> Option<String> {
    (needs.root && !process::is_root()).then(|| "only root may do it".to_owned())
}
