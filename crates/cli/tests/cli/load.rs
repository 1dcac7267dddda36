//! `load` and `--load`: known amounts of disturbance on stated CPUs, ended together with fauxplat.

use std::fs;
use std::process::Command;

use fauxplat_procfs::task::{self, TaskStat};
use fauxplat_procfs::{stat, status};
use fauxplat_sys::process::{has_ended, start_ticks};
use serde_json::Value;

use crate::common::{Done, Lab, Live, SIGINT, SIGKILL, allowed, eventually, first_cpu, first_pair, number};

/// `CAP_SYS_NICE`, see `capabilities(7)`.
const CAP_SYS_NICE: u32 = 23;
/// SIGSTOP and SIGCONT, see `signal(7)`.
const SIGSTOP: i32 = 19;
const SIGCONT: i32 = 18;

/// The last CPU that the tests may use, and whether there are others.
fn last_cpu() -> (u32, bool) {
    let allowed = allowed();
    (*allowed.last().unwrap(), allowed.len() > 1)
}

fn generators(document: &Value) -> &Vec<Value> {
    document["generators"].as_array().unwrap()
}

/// Process ids of the load generators that a fauxplat process started.
fn children(pid: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let is_generator = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains("__generator"))
    };
    task::children(&list).map(i32::unsigned_abs).filter(is_generator).collect()
}

/// A value from `/proc/PID/stat`; `None` when the process is gone.
fn said<T>(pid: u32, what: impl Fn(TaskStat<'_>) -> Option<T>) -> Option<T> {
    TaskStat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?).and_then(what)
}

/// CPU time of a process in clock ticks.
fn ticks(pid: u32) -> Option<u64> {
    said(pid, |task| task.cpu_ticks())
}

/// Starts loads and waits until they work; returns the process ids of the generators as well.
fn held(lab: &Lab, loads: &[&str]) -> (Live, Vec<u32>) {
    let words: Vec<&str> =
        ["load"].into_iter().chain(loads.iter().copied()).chain(["--format", "json"]).collect();
    let live = lab.start(&words);
    let working = || {
        let pids = children(live.pid());
        pids.len() == loads.len() && pids.iter().all(|&pid| ticks(pid).is_some_and(|ticks| ticks > 0))
    };
    assert!(eventually(working), "the generators do not work");
    let pids = children(live.pid());
    (live, pids)
}

#[test]
fn every_kind_works_where_it_should_and_says_how_much() {
    let lab = Lab::ordinary();
    let (cpu, _) = last_cpu();
    let kinds = [
        "integer", "float", "branch", "l1", "l2", "llc", "memory", "tlb", "faults", "forks", "switches",
        "timers", "files",
    ];
    let loads: Vec<String> = kinds.iter().map(|kind| format!("{kind}:3%@{cpu}")).collect();
    let mut words: Vec<&str> = loads.iter().map(String::as_str).collect();
    words.splice(0..0, ["load", "--time", "5s"]);
    let document = lab.json(&words);
    assert_eq!(document["schema"], "fauxplat.load/1");
    assert_eq!(generators(&document).len(), kinds.len());
    for (one, kind) in generators(&document).iter().zip(kinds) {
        assert_eq!((one["kind"].as_str(), number(one, "cpu")), (Some(kind), u64::from(cpu)));
        assert!(number(one, "operations") > 0 && number(one, "busy_ns") > 0, "{one}");
        let achieved = number(one, "busy_ns") as f64 / number(one, "wall_ns") as f64 * 100.0;
        assert!((one["achieved_percent"].as_f64().unwrap() - achieved).abs() < 1e-6, "{one}");
        assert_eq!((one["asked_percent"].as_u64(), &one["ended"]), (Some(3), &Value::Null), "{one}");
    }
    let bytes = |kind: usize| number(&generators(&document)[kind], "footprint_bytes");
    // The footprint of a load on a cache is the size of that cache. On a machine that reports no second-level cache,
    // the size of the first level is used.
    assert!(bytes(0) == 0 && 0 < bytes(3) && bytes(3) <= bytes(4) && bytes(4) <= bytes(5), "{document}");
    assert!(bytes(6) >= 64 << 20, "memory is more than caches: {document}");
    assert!(
        fs::read_dir(lab.folder())
            .unwrap()
            .flatten()
            .all(|entry| { !entry.file_name().to_string_lossy().contains(".fauxplat") })
    );
}

/// Clock ticks of CPU time that the test sees a generator use. The CPU time that the generator reports is no lower,
/// except for a round that it could not end.
const SEEN_TICKS: u64 = 30;

#[test]
fn what_is_told_is_what_others_see() {
    let lab = Lab::new();
    let (cpu, _) = last_cpu();
    let (live, pids) = held(&lab, &[&format!("integer:30%@{cpu}")]);
    let status = fs::read_to_string(format!("/proc/{}/status", pids[0])).unwrap();
    assert_eq!(status::cpus_allowed_list(&status), Some(cpu.to_string().as_str()));
    let first = ticks(pids[0]).unwrap();
    assert!(eventually(|| ticks(pids[0]).is_some_and(|now| now >= first + SEEN_TICKS)), "it does not go on");
    live.signal(SIGINT);
    let pid = live.pid();
    assert!(eventually(|| has_ended(pid as i32)), "Ctrl-C does not end it");
    // The CPU time of reaped children is that of the generator, and includes its start, which the report does not
    // include.
    let most =
        said(pid, |task| Some(task.field(16)?.parse::<u64>().ok()? + task.field(17)?.parse::<u64>().ok()?));
    let document = live.end().ends_with(0).json();
    let told = number(&generators(&document)[0], "busy_ns") / stat::TICK_NS;
    assert!(told >= SEEN_TICKS / 2 && told <= most.unwrap() + 2, "told {told} ticks of {most:?}");
    assert!(!document["warnings"].to_string().contains("interrupted"), "Ctrl-C is how it ends");
    assert!(eventually(|| start_ticks(pids[0]).is_none()));
}

#[test]
fn generators_end_with_fauxplat_whatever_ends_it() {
    let (cpu, _) = last_cpu();
    for stopped in [false, true] {
        let lab = Lab::new();
        let loads = [format!("llc:20%@{cpu}"), format!("forks:20%@{cpu}"), format!("switches:20%@{cpu}")];
        let (live, pids) = held(&lab, &loads.each_ref().map(String::as_str));
        if stopped {
            pids.iter().for_each(|&pid| fauxplat_sys::signal::send(pid as i32, SIGSTOP));
        }
        live.signal(SIGKILL);
        live.end();
        assert!(eventually(|| pids.iter().all(|&pid| start_ticks(pid).is_none())), "stopped: {stopped}");
    }
}

#[test]
fn a_generator_that_is_ended_is_reported_and_the_others_go_on() {
    let lab = Lab::new();
    let (cpu, _) = last_cpu();
    let (live, pids) = held(&lab, &[&format!("integer:10%@{cpu}"), &format!("float:10%@{cpu}")]);
    fauxplat_sys::signal::send(pids[0] as i32, SIGKILL);
    assert!(eventually(|| start_ticks(pids[0]).is_none()));
    live.signal(SIGINT);
    let document = live.end().ends_with(0).json();
    assert!(
        generators(&document)[0]["ended"].as_str().unwrap().contains("its process was ended"),
        "{document}"
    );
    assert!(document["warnings"].to_string().contains("ended early"), "{document}");
    assert_eq!(generators(&document)[1]["ended"], Value::Null);
    let all = lab.start(&["load", &format!("integer:10%@{cpu}")]);
    assert!(eventually(|| children(all.pid()).len() == 1));
    assert!(eventually(|| {
        children(all.pid()).iter().for_each(|&pid| fauxplat_sys::signal::send(pid as i32, SIGKILL));
        children(all.pid()).is_empty()
    }));
    all.end().ends_with(3);
}

#[test]
fn a_real_time_load_leaves_a_cpu_and_is_freed_when_nobody_watches_it() {
    let (cpu, more) = last_cpu();
    let lab = Lab::new();
    let everywhere = lab.run(&["load", "realtime", "--time", "1s"]);
    everywhere.complains(2, &["every CPU that fauxplat may use", "name fewer CPUs"]);
    if !more || !lab.has_capability(CAP_SYS_NICE) {
        eprintln!("skipped: a real-time load needs CAP_SYS_NICE and a second CPU");
        return;
    }
    let (live, pids) = held(&lab, &[&format!("realtime:40%@{cpu}")]);
    let policy = || said(pids[0], |task| task.policy());
    // The watchdog also frees the CPU while the machine keeps fauxplat itself from running.
    assert!(eventually(|| policy() == Some(1)), "SCHED_FIFO");
    live.signal(SIGSTOP);
    assert!(eventually(|| policy() == Some(0)), "the watchdog frees the CPU");
    live.signal(SIGCONT);
    assert!(eventually(|| policy() == Some(1)), "and gives it back");
    live.signal(SIGINT);
    let document = live.end().ends_with(0).json();
    assert!(number(&generators(&document)[0], "watchdog_frees") >= 1, "{document}");
    assert!(document["warnings"].to_string().contains("its watchdog freed the CPU"), "{document}");
}

#[test]
fn a_real_time_load_without_permission_is_refused() {
    let (cpu, more) = last_cpu();
    let lab = Lab::ordinary();
    if !more || lab.has_capability(CAP_SYS_NICE) {
        eprintln!("skipped: needs a second CPU and a user without CAP_SYS_NICE");
        return;
    }
    let refused = lab.run(&["load", &format!("realtime@{cpu}"), "--time", "1s"]);
    refused.complains(3, &["load realtime", "SCHED_FIFO", "CAP_SYS_NICE", "run as root"]);
}

#[test]
fn bad_loads_are_refused_in_one_line() {
    let lab = Lab::new();
    for intensity in ["0", "101%", "-5", "x"] {
        lab.run(&["load", &format!("l1:{intensity}@0")]).complains(2, &["from 1 to 100"]);
    }
    lab.run(&["load", "l4"]).complains(2, &["there is no load `l4`", "integer, float"]);
    lab.run(&["load"]).complains(2, &["load needs"]);
    lab.run(&["load", "llc@7000"]).complains(2, &["load llc@7000", "CPU 7000 does not exist"]);
    lab.run(&["load", "llc@sibling-of:7000"]).complains(2, &["CPU 7000 does not exist"]);
    lab.run(&["run", "true", "--load", "llc@7000"]).complains(2, &["CPU 7000 does not exist"]);
    lab.run(&["load", "integer", "--time", "-1s"]).ends_with(2);
    lab.shell("mkdir closed && chmod 0 closed");
    let mut command = lab.command(&["load", &format!("files@{}", first_cpu()), "--time", "1s"]);
    command.env("TMPDIR", lab.path("nowhere"));
    let says = format!("load files on CPU {}", first_cpu());
    Done::of(command).complains(3, &[&says, "No such file or directory"]);
}

#[test]
fn the_inherited_affinity_holds() {
    let (cpu, more) = last_cpu();
    if !more {
        eprintln!("skipped: needs two CPUs");
        return;
    }
    let lab = Lab::new();
    let first = allowed()[0];
    let confined = |words: &[&str]| {
        let mut command = Command::new("taskset");
        command.args(["-c", &first.to_string()]).args(lab.starter()).args(words).args(["--store", "none"]);
        lab.settle(&mut command);
        Done::of(command)
    };
    confined(&["load", &format!("integer@{cpu}"), "--time", "1s"])
        .complains(2, &["is not allowed to this process"]);
    let document =
        confined(&["load", "integer:20%", "--time", "300ms", "--format", "json"]).ends_with(0).json();
    assert_eq!(generators(&document).len(), 1, "one CPU, one generator: {document}");
    assert_eq!(number(&generators(&document)[0], "cpu"), u64::from(first));
    // A confined fauxplat has a single CPU, and none to spare for real-time load.
    confined(&["load", "realtime", "--time", "1s"]).complains(2, &["every CPU that fauxplat may use"]);
}

#[test]
fn a_load_stands_beside_a_whole_measurement() {
    let lab = Lab::ordinary();
    let (cpu, _) = last_cpu();
    let (load, pair) = (format!("branch:10%@{cpu}"), first_pair());
    for words in [
        // Each takes so long that a generator works meanwhile, also where it starts late.
        vec!["run", "sleep 0.1", "-r", "20"],
        vec!["compare", "true", "true", "--max-time", "2s"],
        vec!["contend", "l1", "--pairs", &pair, "--rounds", "5", "--max-rounds", "5", "--duration", "200ms"],
        vec!["latency", "timer", "--count", "2000"],
        vec!["index", "--duration", "2s"],
    ] {
        let words: Vec<&str> = words.into_iter().chain(["--load", &load]).collect();
        let document = lab.json(&words);
        let loaded = &document["condition"]["loaded"];
        assert_eq!(document["condition"]["load"][0], load.as_str(), "{words:?}");
        assert_eq!((loaded[0]["kind"].as_str(), loaded.as_array().unwrap().len()), (Some("branch"), 1));
        assert!(number(&loaded[0], "operations") > 0, "{words:?}: {loaded}");
        assert_eq!(lab.last()["condition"]["loaded"], *loaded, "{words:?}: what is stored is what was told");
    }
    let report = lab.run(&["run", "-v", "true", "-r", "30", "--load", &load]).ends_with(0).out;
    assert!(report.contains(&format!("beside: load branch on CPU {cpu}, ")), "{report}");
}

#[test]
fn reports_come_in_every_form() {
    let lab = Lab::new();
    let (cpu, _) = last_cpu();
    let load = format!("l2:5%@{cpu}");
    let report =
        |format: &str| lab.run(&["load", &load, "--time", "200ms", "--format", format]).ends_with(0).out;
    let text = report("text");
    assert!(text.contains("1 generator for "), "{text}");
    assert!(report("markdown").contains("| l2"), "{}", report("markdown"));
    let csv = report("csv");
    assert!(csv.starts_with("kind,cpu,asked_percent,achieved_percent,") && csv.lines().count() == 2, "{csv}");
}

/// A generator that is stopped before it is ready never reaches its CPU. Ctrl-C ends fauxplat all the same, between the
/// starts of two generators and during one.
#[test]
fn loads_that_are_interrupted_while_they_start_end_in_order() {
    // Where the test itself is kept from running meanwhile, all loads stand before the first is stopped.
    assert!((0..5).any(|_| is_interrupted_while_loads_start()), "each time all loads stood");
}

/// Interrupts fauxplat while it starts loads, and checks how it ends; false if all loads stood before.
fn is_interrupted_while_loads_start() -> bool {
    let lab = Lab::new();
    let (cpu, _) = last_cpu();
    let load = format!("integer:1%@{cpu}");
    let words: Vec<&str> =
        ["load"].into_iter().chain([load.as_str(); 100]).chain(["--format", "json"]).collect();
    let live = lab.start(&words);
    let begins = || {
        let pids = children(live.pid());
        pids.iter().for_each(|&pid| fauxplat_sys::signal::send(pid as i32, SIGSTOP));
        !pids.is_empty()
    };
    // The loop has no pause, since a generator is ready within a few milliseconds.
    assert!((0..1_000_000).any(|_| begins()), "no generator is started");
    live.signal(SIGINT);
    let document = live.end().ends_with(0).json();
    if generators(&document).len() == 100 {
        return false;
    }
    assert!(generators(&document).is_empty(), "{document}");
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("was interrupted before it stood"), "{warnings}");
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "stopped");
    true
}

/// A file system in memory accepts every block at once; the load reaches its intensity there too, with a warning.
#[test]
fn files_that_touch_no_device_are_told_of() {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    if !fauxplat_procfs::mounts::mountinfo(&mounts).any(|it| it.point == "/dev/shm" && it.kind == "tmpfs") {
        eprintln!("skipped: /dev/shm is not in memory here");
        return;
    }
    let lab = Lab::new();
    let (cpu, _) = last_cpu();
    let mut command = lab.command(&["load", &format!("files:5%@{cpu}"), "--time", "3s", "--format", "json"]);
    command.env("TMPDIR", "/dev/shm");
    let warnings = Done::of(command).succeeds().json()["warnings"].to_string();
    for words in ["/dev/shm", "tmpfs", "no device", "TMPDIR"] {
        assert!(warnings.contains(words), "{warnings}");
    }
}
