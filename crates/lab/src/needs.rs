//! Requirements of a lab, an experiment or a claim, checked on this machine.
//!
//! The message about a missing requirement gives the command that installs it, or the kind of machine that has it.

use fauxplat_experiment::{Machine, relation};
use fauxplat_launch::words;
use fauxplat_model::Needs;
use fauxplat_sys::process;

/// Programs that labs need, with the package of each on Debian and on Fedora.
const PACKAGES: [(&str, &str, &str); 7] = [
    ("cc", "gcc", "gcc"),
    ("c++", "g++", "gcc-c++"),
    ("perf", "linux-perf", "perf"),
    ("python3", "python3", "python3"),
    ("seq", "coreutils", "coreutils"),
    ("taskset", "util-linux", "util-linux"),
    ("valgrind", "valgrind", "valgrind"),
];

/// Fragments of paths, each with the kind of machine that has such files.
const MACHINES: [(&str, &str); 4] = [
    ("/cpufreq/", "a machine whose kernel may set the frequency, mostly one of its own and no virtual one"),
    ("/online", "a kernel that can take this CPU offline (CONFIG_HOTPLUG_CPU); CPU 0 mostly cannot be"),
    (
        "/sys/devices/system/node/",
        "a machine with several memory nodes (QEMU: `-numa node -numa node`, which costs what one node costs)",
    ),
    ("/event_source/devices/msr/", "an x86 processor with APERF and MPERF, mostly on a machine of its own"),
];

/// The first missing requirement, as a message; `None` if all are met.
pub(crate) fn missing(needs: &Needs) -> Option<String> {
    programs(needs).or_else(|| files(needs)).or_else(|| cpus(needs)).or_else(|| root(needs))
}

fn programs(needs: &Needs) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let absent = |program: &&String| words::find_program(program, &here, &path).is_err();
    let program = needs.programs.iter().find(absent)?;
    let place = if program.contains('/') { "is not there" } else { "is not in PATH" };
    Some(format!("it needs the program `{program}`, which {place}{}", installed_by(program)))
}

fn installed_by(program: &str) -> String {
    let known = PACKAGES.iter().find(|(name, ..)| *name == program);
    known.map_or_else(String::new, |(_, debian, fedora)| {
        format!(": `apt install {debian}` on Debian and Ubuntu, `dnf install {fedora}` on Fedora")
    })
}

fn files(needs: &Needs) -> Option<String> {
    let file = needs.files.iter().find(|file| !file.exists())?;
    let path = file.display().to_string();
    let takes = MACHINES.iter().find(|(part, _)| path.contains(part));
    let takes = takes.map_or_else(String::new, |(_, machine)| format!("; it takes {machine}"));
    Some(format!("it needs {path}, which this machine does not have{takes}"))
}

fn cpus(needs: &Needs) -> Option<String> {
    let wanted = needs.cpus.as_ref()?;
    let failure = relation::answer(wanted, &Machine::here()).err()?;
    let takes = match wanted.to_string().contains("sibling") {
        true => {
            "cores with hardware threads, switched on (/sys/devices/system/cpu/smt/control; QEMU: `-smp 4,threads=2`)"
        }
        false => "a machine with more CPUs, or a wider mask (`taskset -c 0-N fauxplat …`)",
    };
    Some(format!("it needs CPUs that this machine does not have or allow: {failure}; it takes {takes}"))
}

fn root(needs: &Needs) -> Option<String> {
    (needs.root && !process::is_root()).then(|| "only root may do it: `sudo fauxplat lab run …`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_what_brings_it() {
        let of_file = |path: &str| missing(&Needs { files: vec![path.into()], ..Needs::default() }).unwrap();
        assert!(of_file("/sys/devices/system/cpu/cpu9999/cpufreq/x").ends_with("no virtual one"));
        assert!(of_file("/sys/devices/system/node/node9999").contains("several memory nodes"));
        assert!(of_file("/no/such/file").ends_with("does not have"), "nothing is known of it");
        assert_eq!(installed_by("no-such-program"), "");
        assert!(installed_by("c++").contains("`apt install g++`") && installed_by("c++").contains("gcc-c++"));
        let cpus = Needs { cpus: Some("65000".parse().unwrap()), ..Needs::default() };
        let said = missing(&cpus).unwrap();
        assert!(said.contains("it takes a machine with more CPUs"), "{said}");
    }
}
