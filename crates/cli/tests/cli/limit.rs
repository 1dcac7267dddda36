//! Programs in control groups: limits hold, events are reported, and nothing is left behind.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{LIMITS, Lab, SIGINT, eventually, first_cpu};
use crate::placement::{allowed, first_node};

/// A command that fills a block of 96 MiB, far more memory than any group of these tests may have.
const GREEDY: &str = "dd if=/dev/zero of=/dev/null bs=96M count=1 status=none";

/// Whether groups with these limits can be made here; the reason is printed for readers of the log.
fn can_limit(lab: &Lab, words: &[&str]) -> bool {
    let done = lab.run_unstored(&[&["limit"], words, &["true"]].concat());
    if done.code == Some(3) {
        println!("skipped: {}", done.err.trim());
    }
    done.code != Some(3)
}

/// Folders of the control groups that a process of fauxplat made.
fn groups_of(pid: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(PathBuf::from("/sys/fs/cgroup"), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            match name.strip_prefix("fauxplat-").map(|rest| rest.split('-').nth(1) == Some(&pid.to_string()))
            {
                Some(true) => found.push(entry.path()),
                _ if depth < 6 => open.push((entry.path(), depth + 1)),
                _ => {}
            }
        }
    }
    found
}

fn limited(document: &Value, group: usize) -> &Value {
    &document["groups"][group]
}

fn kinds(group: &Value) -> Vec<&str> {
    group["events"].as_array().unwrap().iter().filter_map(|event| event["kind"].as_str()).collect()
}

#[test]
fn whoever_wants_too_much_memory_is_killed_and_named() {
    let lab = Lab::new();
    if !can_limit(&lab, &["--memory", "24M"]) {
        return;
    }
    let words = ["limit", "--memory", "24M", "--swap", "0", GREEDY, "--format", "json"];
    let done = lab.run(&words);
    assert_eq!(done.code, Some(4), "{}", done.err);
    assert!(
        done.err.contains("was killed for want of memory, of which it may have 24.0 MiB"),
        "{}",
        done.err
    );
    let document = done.json();
    let group = limited(&document, 0);
    assert!(kinds(group).contains(&"oom-kill"), "{group}");
    assert_eq!(
        (&group["limits"]["memory_bytes"], &group["limits"]["swap_bytes"]),
        (&(24 << 20).into(), &0.into())
    );
    assert_eq!(group["commands"][0]["outcome"]["signaled"], 9);
    let event = group["events"].as_array().unwrap().iter().find(|event| event["kind"] == "oom-kill").unwrap();
    match event["victim"].is_null() {
        true => assert!(document["not_measured"].to_string().contains("kernel's log"), "{document}"),
        false => assert_eq!(
            (&event["victim"]["name"], &event["victim"]["pid"]),
            (&"dd".into(), &group["commands"][0]["pid"])
        ),
    }
    // The stored experiment says, as the report does, that the kernel killed the program.
    let stored = lab.last();
    assert!(
        stored["evidence"].as_array().unwrap().iter().any(|piece| piece.to_string().contains("oom-kill"))
    );
    lab.run_unstored(&["limit", "--memory", "24M", "--ignore-failure", GREEDY]).succeeds();
}

#[test]
fn whoever_may_not_be_killed_waits_until_the_time_is_over() {
    let lab = Lab::new();
    if !can_limit(&lab, &["--memory", "24M", "--on-oom", "pause"]) {
        return;
    }
    // The program uses its memory by itself: a system call that needs a page would return early instead of waiting.
    lab.write("fill.awk", "BEGIN { for (i = 0; i < 9999999; i++) a[i] = i }");
    let greedy = "awk -f fill.awk";
    let words = ["limit", "--memory", "24M", "--swap", "0", "--on-oom", "pause", greedy, "--format", "json"];
    let is_paused = LIMITS.iter().any(|limit| {
        let document = lab.run(&[&words[..], &["--max-time", limit]].concat()).ends_with(0).json();
        let group = limited(&document, 0);
        assert!(!kinds(group).contains(&"oom-kill"), "{group}");
        let outcome = &group["commands"][0]["outcome"];
        assert_eq!((&document["is_timed_out"], outcome), (&true.into(), &Value::Null), "{limit}");
        kinds(group).contains(&"paused")
    });
    assert!(is_paused, "it is never stopped");
    // Without a time limit, a user who sees that the group waits for memory can interrupt.
    let live = lab.start(&["limit", "--memory", "24M", "--swap", "0", "--on-oom", "pause", greedy]);
    let pid = live.pid();
    let is_paused = || {
        groups_of(pid).iter().any(|folder| {
            let text = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
            text("memory.oom_control").contains("under_oom 1") || text("cgroup.events").contains("frozen 1")
        })
    };
    assert!(eventually(is_paused));
    live.signal(SIGINT);
    let done = live.end();
    assert!(done.err.contains("its tasks wait; Ctrl-C or --max-time ends them"), "{}", done.err);
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
}

#[test]
fn what_is_stated_holds_and_is_told_by_the_kernel() {
    let lab = Lab::new();
    let (cpu, node) = (first_cpu(), first_node());
    let words = [
        "--memory",
        "64M",
        "--cpu-quota",
        "50%",
        "--weight",
        "75",
        "--cpuset",
        &cpu,
        "--mems",
        &node,
        "--pids",
        "64",
    ];
    if !can_limit(&lab, &words) {
        return;
    }
    let document =
        lab.run(&[&["limit"], &words[..], &["true", "--format", "json"]].concat()).ends_with(0).json();
    let limits = &limited(&document, 0)["limits"];
    assert_eq!(
        (&limits["cpu_percent"], &limits["weight"], &limits["pids"]),
        (&50.0.into(), &75.0.into(), &64.into())
    );
    assert_eq!((limits["cpus"].as_str(), limits["mems"].as_str()), (Some(&*cpu), Some(&*node)));
    let stated = format!("cpu:50%+weight:75+cpus:{cpu}+mems:{node}");
    let condition = &document["commands"][0]["condition"];
    assert_eq!(condition["limit"], format!("{stated}+memory:67108864+pids:64"));
    assert!(limited(&document, 0)["places"].as_array().unwrap().iter().all(|place| place["way"].is_string()));
    // A measuring verb takes the limit as one word.
    let limit = format!("{stated}+memory:64M+swap:0+pids:64");
    let document =
        lab.run(&["run", "-r", "1", "--limit", &limit, "true", "--format", "json"]).ends_with(0).json();
    let condition = &document["commands"][0]["condition"];
    assert_eq!(condition["limit"], format!("{stated}+memory:67108864+swap:0+pids:64"));
}

#[test]
fn groups_run_against_each_other_and_share_what_all_had() {
    let lab = Lab::new();
    let cpu = first_cpu();
    let group = |name: &str, weight: u32| format!("{name}:cpus:{cpu}+weight:{weight}");
    let groups = ["--group", &group("high", 75), "--group", &group("low", 25)];
    if !can_limit(&lab, &["--cpuset", &cpu, "--weight", "75"]) {
        return;
    }
    lab.write("spin.sh", "while :; do :; done");
    let commands =
        ["low=sh spin.sh", "high=sh spin.sh", "--max-time", "5s", "--watch=50ms", "--format", "json"];
    let done = lab.run(&[&["limit"], &groups[..], &commands].concat()).ends_with(0);
    assert!(
        done.err.lines().any(|line| line.contains("high: memory") && line.contains("; low: ")),
        "{}",
        done.err
    );
    let document = done.json();
    let share = |group: usize| limited(&document, group)["share"]["share"].as_f64().unwrap();
    assert!((share(0) + share(1) - 1.0).abs() < 1e-9 && share(0) > 0.0 && share(1) > 0.0, "{document}");
    assert_eq!(limited(&document, 0)["commands"][0]["command"], "sh spin.sh");
    assert_eq!(
        (&document["is_timed_out"], document["looks"].as_array().unwrap().is_empty()),
        (&true.into(), false)
    );
    assert_eq!(document["commands"][0]["condition"]["limit"], format!("weight:25+cpus:{cpu}"));
}

/// A fauxplat that is killed by SIGKILL leaves groups with a program in them; the next fauxplat removes the groups and
/// ends the program.
#[test]
fn groups_of_a_killed_fauxplat_are_removed_by_the_next_with_what_is_in_them() {
    let lab = Lab::new();
    if !can_limit(&lab, &["--pids", "20"]) {
        return;
    }
    let live = lab.start(&["limit", "--pids", "20", "sleep 600"]);
    let pid = live.pid();
    let inside = || {
        let pids = |folder: &PathBuf| fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        groups_of(pid).iter().any(|folder| !pids(folder).is_empty())
    };
    assert!(eventually(inside));
    live.signal(9);
    live.end();
    lab.run_unstored(&["limit", "--pids", "20", "true"]).succeeds();
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
}

#[test]
fn what_cannot_hold_is_refused_in_one_line() {
    let lab = Lab::new();
    lab.run(&["limit", "--memory", "0", "true"]).complains(2, &["no program can run in 0 bytes"]);
    lab.run(&["limit", "--cpu-quota", "50", "true"]).complains(2, &["whole per cent of one CPU"]);
    lab.run(&["limit", "--group", "a:fast", "true"]).complains(2, &["is not a limit"]);
    lab.run(&["limit", "--group", "a", "--group", "b", "true"]).complains(2, &["1 commands for 2 groups"]);
    lab.run(&["limit", "-e", "cycles", "true"]).complains(2, &["fauxplat run --limit"]);
    lab.run(&["run", "--limit", "memory:20M+memory:30M", "true"]).complains(2, &["stated twice"]);
    let cpu = first_cpu();
    if can_limit(&lab, &["--cpuset", &cpu]) {
        lab.run(&["limit", "--cpuset", "7000", "true"]).complains(3, &["cpus:7000", "has only the CPUs"]);
        lab.run(&["limit", "--cpuset", &cpu, "--on-oom", "pause", "true"]).complains(2, &["--memory SIZE"]);
    }
    if can_limit(&lab, &["--memory", "24M"]) {
        let starved = lab.run(&["limit", "--memory", "4K", "true"]);
        assert!(starved.code == Some(4) || starved.code == Some(3), "{:?} {}", starved.code, starved.err);
        assert!(starved.err.contains("memory"), "{}", starved.err);
    }
    // A user who may not create control groups gets a message that names the attempt and a remedy.
    let refused = Lab::ordinary().run(&["limit", "--memory", "24M", "true"]);
    if refused.code == Some(3) {
        assert!(refused.err.contains("control group"), "{}", refused.err);
    }
}

#[test]
fn a_cpu_that_was_asked_for_is_kept_inside_of_a_limit() {
    let lab = Lab::new();
    let (all, one) = (allowed(), first_cpu());
    if !can_limit(&lab, &["--cpuset", &all]) {
        return;
    }
    let limit = format!("cpus:{all}");
    let words = ["run", "grep Cpus_allowed_list /proc/self/status", "--runs", "1", "--stdout", "cpus"];
    lab.run(&[&words[..], &["--cpu", &one, "--limit", &limit]].concat()).succeeds();
    assert_eq!(lab.read("cpus").split_whitespace().last(), Some(one.as_str()));
}

/// The option is refused before any group is made, so the test does not need one.
#[test]
fn a_cpu_outside_of_a_limit_is_refused() {
    let lab = Lab::new();
    let one = first_cpu();
    let says = ["is not among those of the limit, 7000"];
    lab.run(&["run", "true", "--cpu", &one, "--limit", "cpus:7000"]).complains(2, &says);
    lab.run(&["limit", "--cpuset", "7000", "--cpu", &one, "true"]).complains(2, &says);
    lab.run(&["sweep", "limit=none,cpus:7000", "true", "--cpu", &one]).complains(2, &says);
}
