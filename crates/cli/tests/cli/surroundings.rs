//! Surroundings of runs are the same for every measuring verb: limits, loads, the machine's settings, CPUs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{Done, Lab, SIGINT, allowed, eventually, first_cpu, first_pair, number, runs};

/// Short command lines of verbs that measure commands.
fn of_commands(command: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["run", command, "--runs", "2"],
        vec!["compare", command, command, "--max-pairs", "6"],
        vec!["sweep", "env-size=0,64", command, "--blocks", "2"],
        vec!["explain", command, "--blocks", "2"],
    ]
}

/// Command lines of verbs that measure with fauxplat's own threads, running long enough to be observed.
fn of_workers(pair: &str) -> [Vec<&str>; 4] {
    [
        vec!["index", "--duration", "10m"],
        vec!["latency", "timer", "--count", "100000000"],
        vec!["contend", "--pairs", pair, "--duration", "1ms", "--rounds", "1000"],
        vec!["contend", "--capacity", "--duration", "1ms", "--rounds", "5", "--count", "100000"],
    ]
}

/// Short command lines of verbs that measure with fauxplat's own threads.
const SHORT: [&[&str]; 3] = [
    &["index", "--duration", "20ms"],
    &["latency", "timer", "--count", "60"],
    &["contend", "--capacity", "--duration", "1ms", "--rounds", "5", "--count", "1", "--interval", "50ms"],
];

/// Whether control groups can be made here; the reason is printed for readers of the log.
fn can_limit(lab: &Lab) -> bool {
    let done = lab.run(&["run", "true", "--runs", "1", "--limit", "cpu:50%+memory:512MiB"]);
    if done.code == Some(3) {
        println!("skipped: {}", done.err.trim());
    }
    done.code != Some(3)
}

/// Folders of the control groups that a fauxplat process made, in any hierarchy.
fn groups_of(pid: u32) -> Vec<PathBuf> {
    let prefix = format!("fauxplat-{}-{pid}-", namespace());
    let mut found = Vec::new();
    let mut open = vec![(PathBuf::from("/sys/fs/cgroup"), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                found.push(entry.path());
            } else if depth < 6 {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    found
}

#[test]
fn every_command_of_every_verb_stands_in_a_group_of_ours() {
    let lab = Lab::new();
    if !can_limit(&lab) {
        return;
    }
    let log = lab.file("groups");
    let command = format!("sh -c 'grep -c /fauxplat- /proc/self/cgroup >> \"{log}\"'");
    for mut words in of_commands(&command) {
        let _ = fs::remove_file(&log);
        let limited = ["--limit", "cpu:50%+memory:512MiB", "--ignore-failure", "--format", "json"];
        words.extend(limited);
        let document = lab.run(&words).ends_with(0).json();
        let lines = lab.read("groups");
        let counts: Vec<u32> = lines.lines().map(|line| line.parse().unwrap()).collect();
        assert!(counts.len() >= 2, "{words:?}");
        // An additional run, such as the one that lists processes, has the surroundings as well.
        assert!(counts.iter().all(|&count| count > 0), "{words:?}: {lines}");
        let limit = &document["commands"][0]["condition"]["limit"];
        assert_eq!(limit, "cpu:50%+memory:536870912", "{words:?}");
    }
}

#[test]
fn workers_of_our_own_enter_a_group_and_leave_none_behind() {
    let lab = Lab::new();
    if !can_limit(&lab) {
        return;
    }
    let before = fs::read_to_string("/proc/self/cgroup").unwrap();
    for words in of_workers(&first_pair()) {
        let live = lab.start(&[&words[..], &["--limit", "cpu:20%"]].concat());
        let (pid, group) = (live.pid(), format!("/fauxplat-{}-{}-", namespace(), live.pid()));
        let is_inside = || {
            let own = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
            own.contains(&group)
        };
        assert!(eventually(is_inside), "{words:?} is in no group: {:?}", live.end());
        let folders = groups_of(pid);
        assert!(folders.iter().any(|folder| limits(folder)), "{words:?}: {folders:?}");
        live.answers();
        live.signal(SIGINT);
        live.end().ends_with(130);
        assert_eq!(groups_of(pid), Vec::<PathBuf>::new(), "{words:?}");
        assert_eq!(lab.last()["condition"]["limit"], "cpu:20%");
    }
    assert_eq!(fs::read_to_string("/proc/self/cgroup").unwrap(), before);
}

/// Throttled time is what the kernel counts for each group, and is absent without a quota. A quota takes effect only on
/// a group that would get more from the scheduler, so the quota is small, and one throttled run of several is enough.
#[test]
fn what_a_quota_takes_away_is_counted() {
    let lab = Lab::new();
    if !can_limit(&lab) {
        return;
    }
    lab.write("spin.sh", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done");
    let words = ["run", "-r", "3", "-e", "cgroup:throttled", "--limit", "cpu:10%", "sh spin.sh"];
    lab.run(&words).succeeds();
    let last = lab.last();
    let throttled: Vec<u64> = runs(&last, 0).iter().map(|run| number(run, "cgroup:throttled_ns")).collect();
    assert!(throttled.iter().any(|&ns| ns > 0), "{last}");
    lab.run(&["run", "-e", "cgroup:memory", "true"]).reports_misuse(&["cgroup:throttled"]);
}

/// A user who compares within a quota, as in a small container, is told that nothing was compared, also by the exit
/// code. A quota of the compared commands alone belongs to their condition, and pairs are not dropped for it.
#[test]
fn a_comparison_of_which_no_pair_is_left_has_failed() {
    let lab = Lab::new();
    if !can_limit(&lab) {
        return;
    }
    lab.write("spin.sh", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done");
    // The time suffices for a few pairs also where the machine gives less than the quota.
    let compare = ["compare", "--max-time", "20s", "sh spin.sh", "sh ./spin.sh"];
    let words: Vec<String> = lab
        .bare(&[&compare[..], &["--store", "none"]].concat())
        .get_args()
        .map(|word| word.to_str().unwrap().to_owned())
        .collect();
    let line = std::iter::once(env!("CARGO_BIN_EXE_fauxplat").to_owned()).chain(words);
    let line = line.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let within = ["run", "-r", "1", "--warmup", "0", "-i", "--limit", "cpu:5%", "--show-output", &line];
    let told = lab.run(&within).ends_with(0);
    let said = told.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let counts: Vec<&str> = said.split(" pairs were dropped").next().unwrap().rsplit(' ').take(3).collect();
    // The counts read backwards, such as 2 of 2.
    let is_all = counts.len() == 3 && counts[0] == counts[2] && counts[1] == "of";
    assert!(is_all && said.contains("so that none is left"), "{told:?}");
    assert!(told.err.contains("the machine disturbed every pair"), "{told:?}");
    assert_eq!(runs(&lab.last(), 0)[0]["exit_status"], 3, "{}", lab.last());
    let own = lab.run(&[&compare[..], &["--limit", "cpu:5%"]].concat()).ends_with(0);
    assert!(!own.out.contains("because other programs held the CPU"), "{own:?}");
}

/// The kernel may give a control group no real-time share even where fauxplat may use real-time policies.
#[test]
fn what_is_not_permitted_in_a_group_is_left_out_and_said() {
    let lab = Lab::new();
    if !can_limit(&lab) {
        return;
    }
    for words in SHORT {
        let done = lab.json(&[words, &["--limit", "cpu:50%"]].concat());
        assert_eq!(done["condition"]["limit"], "cpu:50%", "{words:?}");
        if words[0] == "latency" {
            let ordinary = done["tests"].as_array().unwrap().iter().all(|test| test["policy"] == "other");
            let is_said = done["not_measured"].to_string().contains("real-time policies");
            assert_eq!(ordinary, is_said, "{done}");
        }
    }
}

/// The number of this process's pid namespace, which is a part of the names of groups.
fn namespace() -> u64 {
    fauxplat_sys::process::pid_namespace().unwrap_or_default()
}

/// Whether a group has the quota of a fifth of a CPU, by the files of version 1 or 2 of control groups.
fn limits(folder: &Path) -> bool {
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let share = |quota: &str, period: &str| {
        let [quota, period] = [quota, period].map(|text| text.trim().parse::<f64>().unwrap_or(f64::NAN));
        (quota / period - 0.2).abs() < 1e-6
    };
    let max = read("cpu.max");
    let mut words = max.split_whitespace();
    share(words.next().unwrap_or(""), words.next().unwrap_or(""))
        || share(&read("cpu.cfs_quota_us"), &read("cpu.cfs_period_us"))
}

fn all_short(command: &str) -> Vec<Vec<&str>> {
    of_commands(command).into_iter().chain(SHORT.iter().map(|words| words.to_vec())).collect()
}

#[test]
fn a_load_stands_beside_every_verb_and_is_accounted_for() {
    let lab = Lab::new();
    let cpu = *allowed().last().unwrap();
    let load = format!("integer:3%@{cpu}");
    for mut words in all_short("true") {
        words.extend(["--load", &load, "--format", "json"]);
        let document = lab.run(&words).ends_with(0).json();
        let loaded = &document["condition"]["loaded"];
        assert_eq!(loaded.as_array().map(Vec::len), Some(1), "{words:?}: {loaded}");
        assert_eq!((&loaded[0]["kind"], &loaded[0]["cpu"]), (&"integer".into(), &cpu.into()), "{words:?}");
    }
}

#[test]
fn what_no_machine_has_is_refused_by_every_verb_before_anything_is_measured() {
    let lab = Lab::new();
    for words in all_short("touch begun") {
        let with = |more: &[&str]| lab.run(&[&words[..], more].concat());
        with(&["--tune", "no-such-knob=1"]).complains(2, &["no-such-knob"]);
        with(&["--load", "integer@7000"]).complains(2, &["7000"]);
        if !words.contains(&"--capacity") {
            with(&["--cpu", "7000"]).complains(2, &["7000"]);
        }
        assert!(!lab.path("begun").exists(), "{words:?}");
    }
    assert_eq!(lab.run(&["history", "list"]).succeeds().out, "no experiments\n");
}

/// Writes definitions of one and of two commands, each with these lines in the condition; returns their paths.
fn defined(lab: &Lab, condition: &str) -> [String; 2] {
    [1, 2].map(|count| {
        let commands = "[[command]]\ncommand = \"true\"\n\n".repeat(count);
        lab.write(&format!("defined{count}.toml"), &format!("{commands}[condition]\n{condition}\n"))
    })
}

/// Short command lines of verbs, with a definition in place of their commands.
fn with_definition([one, two]: &[String; 2]) -> Vec<Vec<&str>> {
    vec![
        vec!["run", "--input", one, "--runs", "2"],
        vec!["compare", "--input", two, "--max-pairs", "6"],
        vec!["sweep", "env-size=0,64", "--input", one, "--blocks", "2"],
        vec!["explain", "--input", one, "--blocks", "2"],
    ]
}

fn condition_of(done: Done) -> Value {
    done.ends_with(0).json()["commands"][0]["condition"].clone()
}

#[test]
fn a_definition_has_its_limit_and_its_background() {
    let lab = Lab::new();
    let beside = format!("background = \"burner@same:5%\"\ncpu = \"one-of:{}\"", first_cpu());
    let paths = defined(&lab, &beside);
    let run = |words: &[&str]| condition_of(lab.run(&[words, &["--format", "json"]].concat()));
    assert_eq!(run(&["run", "--input", &paths[0], "--runs", "2"])["background"], "burner@same:5%");
    if !can_limit(&lab) {
        return;
    }
    for words in with_definition(&defined(&lab, "limit = \"memory:512MiB\"")) {
        assert_eq!(run(&words)["limit"], "memory:536870912", "{words:?}");
    }
}

#[test]
fn a_frequency_that_this_machine_cannot_hold_is_refused_by_name() {
    if Path::new("/sys/devices/system/cpu/cpu0/cpufreq").exists() {
        return println!("skipped: this machine can hold a frequency");
    }
    let lab = Lab::new();
    for words in with_definition(&defined(&lab, "frequency_khz = 1000000")) {
        lab.run(&words).complains(3, &["frequency 1000000 kHz", "does not have it"]);
    }
}

/// A fauxplat that tunes the machine and also fixes the clock frequency would wait for its own lock.
#[test]
fn a_frequency_beside_a_tuned_machine_is_refused_and_the_machine_is_as_before() {
    const KNOB: &str = "/proc/sys/vm/stat_interval";
    let value = || std::fs::read_to_string(KNOB).unwrap_or_default();
    let before = value();
    let Ok(seconds) = before.trim().parse::<u32>() else { return println!("skipped: there is no {KNOB}") };
    if std::fs::OpenOptions::new().write(true).open(KNOB).is_err() {
        return println!("skipped: {KNOB} is not ours to write");
    }
    let lab = Lab::new();
    let [one, _] = defined(&lab, "frequency_khz = 1000000");
    let tune = format!("stat-interval={}", seconds + 1);
    let mut command = lab.command(&["run", "--input", &one, "--runs", "2", "--tune", &tune]);
    command.env("FAUXPLAT_JOURNAL", lab.path("journal"));
    Done::of(command).complains(2, &["--tune", "1000000 kHz", "leave it out"]);
    assert_eq!(value(), before);
}
