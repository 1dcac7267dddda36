//! `tune` where the kernel itself refuses: files of the real kernel, each of which refuses in a way of its own, are
//! mounted over files of a made-up machine. Nothing of the real machine is changed.

use std::process::Command;

use fauxplat_sys::process;
use serde_json::Value;

use crate::common::{Done, Lab};
use crate::made_up::{Bench, GOVERNOR, INTERVAL, WATCHDOG, outcomes};

const SWAPPINESS: &str = "proc/sys/vm/swappiness";
const SCANS: &str = "sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs";

/// A script that mounts files of the kernel over those of the made-up machine: a sysctl that is read-only, as in a
/// container; the score of a process, which ends at 1000; its map of users, which can be written once; and the slack of
/// its timers, for which 0 means the default. The script then runs the tuner and `restore`, and keeps the values before
/// and after each.
const MOUNTS: &str = r#"
cd "$1" && shift || exit 99
echo 70000 > /proc/$$/timerslack_ns &&
    mount --bind /proc/sys/vm/stat_interval proc/sys/vm/stat_interval &&
    mount -o remount,bind,ro proc/sys/vm/stat_interval &&
    mount --bind /proc/$$/oom_score_adj "$SCANS" &&
    mount --bind /proc/$$/uid_map proc/sys/kernel/nmi_watchdog &&
    mount --bind /proc/$$/timerslack_ns "$SWAPPINESS" || exit 99
look() { head "$SCANS" "$SWAPPINESS" proc/sys/vm/stat_interval proc/sys/kernel/nmi_watchdog; }
look > ../before
"$@"
code=$?
look > ../tuned
"$FAUXPLAT" restore --sysroot . --journal ../state/journal > ../restored || exit 98
look > ../after
exit $code
"#;

/// The settings that are tried; the kernel makes only the first of them as requested.
const SETTINGS: [&str; 5] =
    ["governor=performance", "stat-interval=7", "khugepaged=off", "nmi-watchdog=off", "swappiness=0"];

/// Runs the tuner among the mounts; `None` with a message where mounting is not permitted.
fn tune(bench: &Bench, words: &[&str]) -> Option<Done> {
    if !process::is_root() {
        eprintln!("skipped: mounting takes root");
        return None;
    }
    bench.set(SCANS, "10000\n");
    bench.set(SWAPPINESS, "60\n");
    let settings = SETTINGS.iter().flat_map(|setting| ["--set", setting]);
    let words: Vec<&str> = ["tune"].into_iter().chain(settings).chain(words.iter().copied()).collect();
    let tuner = bench.command(&words);
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", MOUNTS, "sh"]).arg(bench.path(""));
    command.arg(tuner.get_program()).args(tuner.get_args());
    bench.lab.settle(&mut command);
    command.env("SCANS", SCANS).env("SWAPPINESS", SWAPPINESS).env("FAUXPLAT", tuner.get_program());
    let done = Done::of(command);
    if done.code == Some(99) || done.err.starts_with("unshare:") {
        eprintln!("skipped: this container may not mount: {}", done.err);
        return None;
    }
    Some(done)
}

/// The entry of the document about a knob.
fn change<'a>(document: &'a Value, knob: &str) -> &'a Value {
    document["changes"].as_array().unwrap().iter().find(|change| change["knob"] == knob).unwrap()
}

#[test]
fn each_refusal_of_the_kernel_is_told_in_its_words_and_the_rest_is_done() {
    let bench = Bench::of(Lab::new());
    let Some(done) = tune(&bench, &["--format", "json"]) else { return };
    assert_eq!(done.code, Some(3), "{done:?}");
    let document = done.json();
    for (knob, outcome, words) in [
        ("stat-interval", "refused", "read-only here, as in a container"),
        ("khugepaged", "refused", "the kernel does not take this value (Invalid argument"),
        ("nmi-watchdog", "refused", "not permitted here, even for root (Operation not permitted"),
        ("swappiness", "clamped", "the kernel holds another value than was written"),
    ] {
        let change = change(&document, knob);
        assert_eq!(change["outcome"], outcome, "{change}");
        assert!(change["reason"].as_str().unwrap().contains(words), "{change}");
    }
    assert_eq!(change(&document, "swappiness")["after"], "50000");
    assert_eq!(outcomes(&document, "governor"), ["changed"]);
    assert!(bench.lab.read("tuned").contains("\n50000\n"), "{}", bench.lab.read("tuned"));
    assert_eq!(bench.lab.read("after"), bench.lab.read("before"));
    assert_eq!(bench.get(GOVERNOR), "powersave\n");
}

/// With `--all-or-nothing`, a refused change reverts all others, whether the refusal is found before the first write or
/// by a write.
#[test]
fn all_or_nothing_leaves_nothing_beside_a_read_only_knob() {
    let bench = Bench::of(Lab::new());
    let Some(done) = tune(&bench, &["--all-or-nothing"]) else { return };
    done.complains(3, &["all-or-nothing", "put back"]);
    assert!(!bench.lab.read("before").is_empty());
    assert_eq!(bench.lab.read("tuned"), bench.lab.read("before"));
    assert!(bench.get(GOVERNOR) == "powersave\n" && !bench.lab.path("state/journal").exists());

    let bench = Bench::of(Lab::new());
    let done = read_only(&bench, &["tune", "quiet", "--all-or-nothing"]);
    let Some(done) = done else { return };
    done.complains(3, &["all-or-nothing", "stat-interval=120", "read-only here", "put back"]);
    assert!(bench.is_as_before() && !bench.lab.path("state/journal").exists());
}

/// Runs the tuner where a single value cannot be written, as in a container with part of `/proc/sys` read-only.
fn read_only(bench: &Bench, words: &[&str]) -> Option<Done> {
    let tuner = bench.command(words);
    let mut command = Command::new("unshare");
    let line = r#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99; shift; exec "$@""#;
    command.args(["--mount", "--propagation", "private", "sh", "-c", line, "sh"]).arg(bench.path(INTERVAL));
    command.arg(tuner.get_program()).args(tuner.get_args());
    bench.lab.settle(&mut command);
    let done = Done::of(command);
    assert_ne!(done.code, Some(99), "{done:?}");
    assert!(bench.path(WATCHDOG).exists());
    Some(done)
}
