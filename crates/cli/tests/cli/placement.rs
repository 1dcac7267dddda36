//! CPUs, scheduling policies and memory policies for commands: unavailable ones are refused, and available ones take
//! effect.

use std::fs;
use std::process::Command;

use crate::common::{Done, Lab, first_cpu};

/// Number of `CAP_SYS_NICE` in `capabilities(7)`.
const CAP_SYS_NICE: u32 = 23;

/// CPUs on which this process may run, in the kernel's list format.
pub(crate) fn allowed() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    fauxplat_procfs::status::cpus_allowed_list(&status).unwrap().to_owned()
}

/// A memory node on which this process may have memory.
pub(crate) fn first_node() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let nodes = fauxplat_procfs::status::memory_nodes_allowed_list(&status).unwrap();
    nodes.split(['-', ',']).next().unwrap().to_owned()
}

#[test]
fn a_cpu_that_does_not_exist() {
    for lab in Lab::both() {
        lab.run(&["run", "true", "--cpu", "9999"]).complains(2, &["--cpu 9999", "CPU 9999 does not exist"]);
        lab.run(&["compare", "true", "true", "--cpu", "one-of:0,9999"])
            .complains(2, &["CPU 9999 does not exist"]);
    }
}

#[test]
fn a_cpu_that_is_not_allowed() {
    let (allowed, own) = (allowed(), first_cpu());
    let others: Vec<&str> = allowed.split([',', '-']).filter(|cpu| **cpu != own).collect();
    let Some(other) = others.first() else { return };
    let lab = Lab::new();
    let mut command = Command::new("taskset");
    command.args(["-c", &own]).args(lab.starter()).args(["run", "true", "--store", "none", "--cpu", other]);
    lab.settle(&mut command);
    Done::of(command).complains(2, &[&format!("CPU {other} is not allowed"), &format!("allowed are {own}")]);
}

/// No CPU is taken offline: the test mounts another list of online CPUs, in a mount namespace for this fauxplat.
#[test]
fn a_cpu_that_is_offline() {
    let lab = Lab::new();
    let present = fs::read_to_string("/sys/devices/system/cpu/present").unwrap_or_default();
    let Some(last) = present.trim().strip_prefix("0-") else { return };
    lab.write("online", "0\n");
    let inside = |line: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c"]);
        command.arg(format!("mount --bind online /sys/devices/system/cpu/online && {line}"));
        lab.settle(&mut command);
        command.output().unwrap()
    };
    if !inside("true").status.success() {
        return;
    }
    let words = lab.starter().join(" ");
    let done = Done::from(inside(&format!("exec {words} run true --store none --cpu 0-{last}")));
    done.complains(2, &["offline", "online are 0"]);
}

/// Process ids in the `/proc` of another pid namespace belong to other processes, so readings from there must not be
/// used.
#[test]
fn processes_that_have_other_numbers_in_proc() {
    let lab = Lab::new();
    let within = |mount: &[&str], words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork"]).args(mount).args(words);
        lab.settle(&mut command);
        Done::of(command)
    };
    if within(&["--mount-proc"], &["true"]).code != Some(0) {
        eprintln!("skipped: no pid namespace can be made here");
        return;
    }
    let mut words = lab.starter();
    let setup = "--setup=touch was-set-up";
    words.extend(["run", "true", "--runs", "2", "--store", "none", setup].map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    within(&[], &words).complains(3, &["another pid namespace", "mount -t proc proc /proc"]);
    assert!(!lab.path("was-set-up").exists(), "nothing is set up for runs that there cannot be");
    within(&["--mount-proc"], &words).succeeds();
}

/// Some containers show nothing but processes in `/proc`, or have no `/sys`: what cannot be read is not measured, and
/// everything else is.
#[test]
fn a_machine_is_measured_whose_proc_or_sys_is_hidden() {
    let lab = Lab::new();
    let hidden = [
        "mount -t proc -o subset=pid proc /proc",
        "mount -t tmpfs none /sys",
        "umount -l /sys",
        "mount -t tmpfs none /sys/fs/cgroup",
    ];
    for mount in hidden {
        let script = format!("{mount} && exec \"$@\"");
        let Some(done) =
            lab.with_mounts(&script, &["run", "--runs", "3", "--store", "none", "--format", "json", "true"])
        else {
            return;
        };
        let document = done.ends_with(0).json();
        assert_eq!(document["commands"][0]["runs"].as_array().map(Vec::len), Some(3), "{mount}: {document}");
        for words in [
            &["doctor"][..],
            &["topo"],
            &["counters"],
            &["compare", "--store", "none", "--max-pairs", "6", "true", "false"],
        ] {
            let done = lab.with_mounts(&script, words).unwrap();
            assert!(
                done.code.is_some_and(|code| code <= 4) && !done.err.contains("bug"),
                "{mount}, {words:?}: {done:?}"
            );
        }
    }
}

#[test]
fn the_command_runs_where_it_was_told_to() {
    let cpu = first_cpu();
    for lab in Lab::both() {
        let line = "grep Cpus_allowed_list: /proc/self/status";
        let document = lab.json(&["run", line, "--cpu", &cpu, "--runs", "3", "--stdout", "out"]);
        assert_eq!(lab.read("out"), format!("Cpus_allowed_list:\t{cpu}\n").repeat(3));
        assert_eq!(document["condition"]["cpu"], cpu);
        for run in document["commands"][0]["runs"].as_array().unwrap() {
            assert_eq!(run["cpu_first"].to_string(), cpu);
        }
    }
    let lab = Lab::new();
    lab.run(&["run", "grep Cpus_allowed_list: /proc/self/status", "--runs", "2", "--stdout", "out"])
        .succeeds();
    assert_eq!(
        lab.read("out"),
        format!("Cpus_allowed_list:\t{}\n", allowed()).repeat(2),
        "run leaves commands free"
    );
}

/// The two commands of a block run on one CPU: by default on an idle one, and with `one-of` on one that is drawn for
/// the block.
#[test]
fn a_block_stays_on_one_cpu() {
    let lab = Lab::new();
    let all = allowed();
    if first_cpu() == all {
        return;
    }
    let words = ["compare", "sleep 0.003", "sleep 0.003", "--max-pairs", "24", "--margin", "0.01%"];
    let cpus = |document: &serde_json::Value, command: usize| -> Vec<(u64, u64)> {
        let runs = document["commands"][command]["runs"].as_array().unwrap().iter();
        let measured = runs.filter(|run| run["phase"] == "measured");
        measured.map(|run| (run["block"].as_u64().unwrap(), run["cpu_first"].as_u64().unwrap())).collect()
    };
    let idle = lab.json(&words);
    assert_eq!(idle["condition"]["cpu"], format!("idle-of:{all}"));
    assert_eq!(cpus(&idle, 0), cpus(&idle, 1));
    // Of two CPUs the same one would be drawn for all blocks once in eight million sessions, and never with this seed.
    let drawn = lab.json(&[&words[..], &["--seed", "1", "--cpu", &format!("one-of:{all}")]].concat());
    assert_eq!(cpus(&drawn, 0), cpus(&drawn, 1));
    let mut seen: Vec<u64> = cpus(&drawn, 0).into_iter().map(|(_, cpu)| cpu).collect();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 1, "every block ran on one CPU");
    // A command of several processes is not placed on one CPU, which would slow it down.
    let document = lab.json(&["compare", "--shell", "true | true", "true | true", "--max-pairs", "6"]);
    assert_eq!(document["condition"]["cpu"], "free");
}

#[test]
fn a_real_time_policy_needs_permission() {
    for lab in Lab::both() {
        let words = ["run", "cat /proc/self/stat", "--policy", "fifo:10", "--runs", "2", "--stdout", "out"];
        let done = lab.run(&words);
        if lab.has_capability(CAP_SYS_NICE) {
            done.succeeds();
            // Fields 40 and 41 of proc_pid_stat(5): real-time priority and policy (SCHED_FIFO is 1).
            assert_eq!(stat_fields(&lab.read("out"), [40, 41]), [["10", "1"], ["10", "1"]]);
        } else if real_time_limit() == "0" {
            done.complains(3, &["cat /proc/self/stat", "real-time policy", "CAP_SYS_NICE", "ulimit -r"]);
            lab.run(&["run", "true", "--nice", "-5"])
                .complains(3, &["nice value", "CAP_SYS_NICE", "ulimit -e"]);
        }
    }
    let lab = Lab::new();
    if lab.has_capability(CAP_SYS_NICE) {
        lab.run(&["run", "cat /proc/self/stat", "--policy", "rr:3", "--runs", "1", "--stdout", "out"])
            .succeeds();
        assert_eq!(stat_fields(&lab.read("out"), [40, 41]), [["3", "2"]]);
    }
}

/// `RLIMIT_RTPRIO`, by which an ordinary user may be allowed real-time policies.
fn real_time_limit() -> String {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime priority")).unwrap();
    line.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_nice_value_is_the_commands_own() {
    for lab in Lab::both() {
        lab.run(&["run", "cat /proc/self/stat", "--nice", "12", "--runs", "2", "--stdout", "out"]).succeeds();
        assert_eq!(stat_fields(&lab.read("out"), [19]), [["12"], ["12"]]);
    }
}

/// Fields of lines of `/proc/PID/stat`, counted from 1. The second field, the program's name, may contain blanks, but
/// not for these programs.
fn stat_fields<const N: usize>(lines: &str, fields: [usize; N]) -> Vec<[String; N]> {
    let of = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        fields.map(|field| words[field - 1].to_owned())
    };
    lines.lines().map(of).collect()
}

/// CPUs for threads (`--pin-threads`): unavailable ones are refused before anything runs, and the experiment records
/// those that took effect.
#[test]
fn places_of_threads() {
    let own = first_cpu();
    let lab = Lab::new();
    let pinned = |places: &str, more: &[&str]| {
        lab.run(&[&["run", "true", "--runs", "1", "--pin-threads", places], more].concat())
    };
    pinned("9999", &[]).complains(2, &["--pin-threads 9999", "CPU 9999 does not exist"]);
    pinned(&own, &["--cpu", &own]).complains(2, &["--pin-threads", "--cpu"]);
    pinned(&own, &["--shell"]).complains(2, &["--pin-threads", "--shell"]);
    pinned("0,,1", &[]).complains(2, &["`0,,1`", "empty"]);
    pinned("other-cpu:9999", &[]).complains(2, &["--pin-threads", "9999"]);
    lab.write("saved.toml", &format!("[condition]\ncpu = \"{own}\"\npin_threads = \"{own}\"\n"));
    lab.run(&["run", "true", "--definition", "saved.toml"]).complains(2, &["--pin-threads", "--cpu"]);
    let document = lab.json(&["run", "true", "--runs", "1", "--pin-threads", &format!("once:{own},{own}")]);
    assert_eq!(document["condition"]["pin_threads"], format!("once:{own},{own}"));
    assert_eq!(document["condition"]["cpu"], "free");
}

/// Memory policies on NUMA nodes, where the kernel reports any nodes.
#[test]
fn memory_policies() {
    let lab = Lab::new();
    let run = |policy: &[&str]| lab.run(&[&["run", "true", "--runs", "1"], policy].concat());
    run(&["--memory-policy", "near"]).complains(2, &["`near` is no memory policy", "interleave:NODES"]);
    run(&["--interleave", "0", "--memory-policy", "local"])
        .complains(2, &["--interleave", "--memory-policy"]);
    if !std::path::Path::new("/sys/devices/system/node/node0").exists() {
        run(&["--interleave", "0"]).complains(3, &["no memory nodes"]);
        return;
    }
    run(&["--interleave", "9999"])
        .complains(2, &["--memory-policy interleave:9999", "node 9999 does not exist"]);
    let node = first_node();
    let maps = "sh -c 'cut -d\" \" -f2 /proc/self/numa_maps'";
    let policy = format!("bind:{node}");
    let words = ["run", maps, "--runs", "1", "--memory-policy", &policy, "--stdout", "maps"];
    let done = lab.run(&words);
    let refused = done.err.contains("set_mempolicy(2) is forbidden");
    if !refused {
        done.succeeds();
        // The kernel may append the kind of nodes (`=static`).
        let said = lab.read("maps").replace("=static", "");
        assert!(said.lines().all(|line| line == policy) && !said.is_empty(), "{said}");
    }
}
