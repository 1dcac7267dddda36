//! `fauxplat sweep`: levels take effect, equal levels give equal results, bad input is refused, and failing levels are
//! found.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use fauxplat_plan::stack_class;
use serde_json::Value;

use crate::common::{Lab, all_runs, allowed, first_cpu, number, runs};

/// Compiles a C file of the repository; prints a message and returns `None` without a compiler.
fn compile(lab: &Lab, source: &str, options: &[&str]) -> Option<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(source);
    let out = lab.file("subject");
    let done = Command::new("cc").args(options).arg("-o").arg(&out).arg(source).status();
    match done {
        Ok(status) => {
            assert!(status.success());
            Some(out)
        }
        Err(error) => {
            println!("skipped: no C compiler ({error})");
            None
        }
    }
}

/// The level of this name in the document of a sweep.
fn level<'a>(document: &'a Value, name: &str) -> &'a Value {
    let levels = document["levels"].as_array().unwrap();
    levels.iter().find(|level| level["name"] == name).unwrap_or_else(|| panic!("no level {name}"))
}

/// Sweeps run only one of the sizes of a class: sizes of one class give the same stack address, and sizes of different
/// classes give different addresses.
#[test]
fn sizes_of_one_class_begin_at_the_same_stack_address() {
    let lab = Lab::new();
    let Some(subject) = compile(&lab, "benches/sweep/straddle.c", &["-O1"]) else { return };
    let command = format!("'{subject}' 1 1");
    let mut by_address: Vec<(String, (usize, usize))> = Vec::new();
    for bytes in 0..=70usize {
        let out = format!("place{bytes}");
        let pad = bytes.to_string();
        let words = ["run", &command, "--runs", "1", "--env", "clean", "--aslr", "off", "--cpu", "free"];
        lab.run_unstored(&[&words[..], &["--env-pad", &pad, "--stdout", &out]].concat()).succeeds();
        let address = lab.read(&out).lines().nth(1).unwrap().to_owned();
        // The program's path and the three arguments, of which the first is the path as well, each with its terminator.
        let strings = 2 * (subject.len() + 1) + 4 + bytes;
        by_address.push((address, stack_class(strings, 3 + usize::from(bytes > 0))));
    }
    for (a, b) in by_address.iter().flat_map(|a| by_address.iter().map(move |b| (a, b))) {
        // The empty environment has one pointer less, and its stack may happen to begin where others do.
        if a.1.1 == b.1.1 {
            assert_eq!(a.0 == b.0, a.1 == b.1, "{a:?} {b:?}");
        }
    }
    let addresses: BTreeSet<&String> = by_address.iter().map(|(address, _)| address).collect();
    assert!((5..=7).contains(&addresses.len()), "{addresses:?}");
}

#[test]
fn an_environment_of_a_level_has_exactly_its_bytes() {
    let lab = Lab::new();
    let words = ["sweep", "env-size=0..96:32", "cat /proc/self/environ", "--blocks", "2", "--exhaustive"];
    let document = lab.json(&[&words[..], &["--stdout", "out", "--cpu", "free"]].concat());
    let bytes: u64 = all_runs(&document).iter().map(|(_, run)| number(run, "env_pad_bytes")).sum();
    assert_eq!(lab.read("out").len() as u64, bytes);
    assert_eq!(document["schema"], "fauxplat.sweep/2");
    assert_eq!((&document["factor"], &document["unit"]), (&"env-size".into(), &"bytes".into()));
    let names: Vec<&Value> =
        document["levels"].as_array().unwrap().iter().map(|level| &level["level"]).collect();
    assert_eq!(names, [0, 32, 64, 96].map(Value::from).iter().collect::<Vec<_>>());
    assert_eq!(number(&document, "runs_done"), 8);
    assert_eq!(number(&document, "runs_exhaustive"), 400);
}

#[test]
fn every_block_visits_every_wanted_level_once_in_an_order_of_its_own() {
    let lab = Lab::new();
    let document = lab.json(&["sweep", "n=1..12", "true {n}", "--blocks", "4", "--exhaustive"]);
    let measured: Vec<(usize, &Value)> =
        all_runs(&document).into_iter().filter(|(_, run)| run["phase"] == "measured").collect();
    let mut orders = BTreeSet::new();
    for block in 0..4 {
        let of_block = measured.iter().filter(|(_, run)| number(run, "block") == block);
        let order: Vec<usize> = of_block.map(|(command, _)| *command).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..12).collect::<Vec<_>>());
        orders.insert(order);
    }
    assert!(orders.len() > 1, "{orders:?}");
}

#[test]
fn levels_reach_the_command() {
    let lab = Lab::new();
    let say = |sweep: &str, command: &str| {
        let out = format!("{}.out", sweep.replace('*', "-"));
        let words = ["sweep", sweep, command, "--blocks", "2", "--exhaustive", "--stdout", &out];
        lab.run_unstored(&words).succeeds();
        let text = lab.read(&out);
        text.lines().map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let lengths = say("cwd-length=128,300", "sh -c 'pwd | wc -c'");
    assert_eq!(lengths, ["129", "301"].map(str::to_owned).into());
    let names = say("argv-size=0,3", "sh -c 'tr \"\\000\" \"\\n\" < /proc/$$/cmdline | head -n 1'");
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("////")), "{names:?}");
    assert_eq!(say("n=a,b", "echo {n}"), ["a", "b"].map(str::to_owned).into());
    let nice = say("priority=0,19", "sh -c 'cut -d\" \" -f19 /proc/self/stat'");
    assert_eq!(nice, ["0", "19"].map(str::to_owned).into());
    let crossed = say("n=1,2*m=x,y", "echo {n} {m}");
    assert_eq!(crossed.len(), 4, "{crossed:?}");
}

#[test]
fn address_spaces_and_huge_pages_are_as_the_level_says() {
    let lab = Lab::new();
    let words = ["sweep", "aslr", "cat /proc/self/personality", "--blocks", "2", "--stdout", "aslr.out"];
    lab.run_unstored(&words).succeeds();
    let seen: BTreeSet<String> = lab.read("aslr.out").lines().map(str::to_owned).collect();
    assert_eq!(seen.len(), 2, "{seen:?}");
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    if !own.contains("THP_enabled:\t1") {
        return println!(
            "skipped: this kernel has no huge pages to switch off, or has them off for everybody"
        );
    }
    let command = "sh -c 'grep THP_enabled /proc/self/status; echo tunables:$GLIBC_TUNABLES'";
    let words = ["sweep", "huge-pages", command, "--blocks", "2", "--stdout", "pages.out"];
    lab.run_unstored(&words).succeeds();
    let text = lab.read("pages.out");
    assert!(text.contains("THP_enabled:\t0") && text.contains("THP_enabled:\t1"), "{text}");
    assert!(text.contains("tunables:glibc.malloc.hugetlb=1"), "{text}");
}

/// The level is the size of `dd`'s buffer in MiB, which the command also prints, so that two metrics depend on it.
#[test]
fn several_metrics_are_decided_in_the_same_runs() {
    let lab = Lab::new();
    let command = "sh -c 'dd if=/dev/zero of=/dev/null bs={n}M count=1 status=none; echo size {n}'";
    let metrics = ["--metric", "peak-memory,printed:size", "--metric-from", "size=size ([0-9]+)"];
    let margins = ["--margin", "peak-memory=4MiB", "--cpu", "free"];
    let document = lab.json(&[&["sweep", "n=1,2,64", command][..], &metrics, &margins].concat());
    assert_eq!((&document["metric"], &document["finding"]["effect"]), (&"peak-memory".into(), &true.into()));
    assert_eq!(document["finding"]["margin_absolute"], 4.0 * 1_048_576.0);
    let also = &document["also"][0];
    assert_eq!((&also["metric"], &also["finding"]["answer"]), (&"printed:size".into(), &"effect".into()));
    let printed = |level: usize| also["levels"][level]["median"].as_f64().unwrap().round();
    assert_eq!([0, 1, 2].map(printed), [1e6, 2e6, 64e6]);
    // The two metrics get half of the error level each.
    assert_eq!((&document["finding"]["level"], &also["finding"]["level"]), (&0.005.into(), &0.005.into()));
    assert_eq!(lab.last()["also"], document["also"]);
    let list = lab.run(&["history", "list", "--format", "csv"]).succeeds().out;
    assert!(list.contains("in peak memory"), "{list}");
    let gate = [&["sweep", "n=1,64", command, "--fail-if-effect"][..], &metrics].concat();
    lab.run(&gate).complains(1, &["has an effect"]);
}

#[test]
fn a_metric_that_is_never_printed_ends_the_sweep_soon() {
    let lab = Lab::new();
    let words = ["sweep", "n=1,2,3", "echo {n}", "--metric", "wall,printed:none"];
    let from = ["--metric-from", "none=never ([0-9]+)"];
    lab.run(&[&words[..], &from].concat()).complains(2, &["--metric printed:none", "matches"]);
    lab.run(&words).complains(2, &["printed:none"]);
    let metrics = ["--metric", "wall,user,sys", "--level", "0.2%"];
    lab.run(&[&words[..3], &metrics].concat()).complains(2, &["at most 2", "--level"]);
    let stray = ["--margin", "peak-memory=1MiB"];
    lab.run(&[&words[..3], &stray].concat()).complains(2, &["peak-memory", "not among the metrics"]);
}

/// Each CPU is a level of the factor `cpu`, and the runs of a level begin and end on that CPU.
#[test]
fn cpus_are_levels() {
    let lab = Lab::new();
    if allowed().len() < 2 {
        return println!("skipped: one CPU");
    }
    let document = lab.json(&["sweep", "cpu", "sleep 0.005", "--blocks", "3"]);
    let mut seen = 0;
    for (index, command) in document["commands"].as_array().unwrap().iter().enumerate() {
        // For an ordinary user the last CPU of a run is known only if the run takes so long that fauxplat looks it up
        // in `/proc`.
        for run in runs(&document, index).iter().filter(|run| run["cpu"].is_u64()) {
            assert_eq!(run["cpu"].as_u64().unwrap().to_string(), command["condition"]["cpu"], "{command}");
            seen += 1;
        }
    }
    assert!(seen >= allowed().len(), "{document}");
}

/// A script that prints how many tasks use the CPU: 1, or 2 where a load process (burner) of the fauxplat that runs the
/// script uses CPU time as well. Two tasks share one CPU, so a working burner uses some of it long before the script
/// has used a fifth of a second; a resting burner uses none, however long the script takes.
const LOOKS_BESIDE: &str = r#"
ticks() { read -r line < "/proc/$1/stat"; set -- $line; ticks=$((${14} + ${15})); }
read -r line < "/proc/$PPID/stat"; set -- $line; fauxplat=$4; burner=
for child in $(cat /proc/$fauxplat/task/*/children); do
    if grep -q __generator "/proc/$child/cmdline"; then burner=$child; fi
done
[ -n "$burner" ] || { echo tasks 1; exit; }
ticks "$burner"; enough=$((ticks + 3)); ticks $$; until=$((ticks + 20))
while ticks "$burner"; [ $ticks -lt $enough ]; do
    ticks $$; [ $ticks -lt $until ] || { echo tasks 1; exit; }
done
echo tasks 2
"#;

#[test]
fn background_stands_beside_its_levels_alone() {
    let lab = Lab::new();
    lab.write("looks.sh", LOOKS_BESIDE);
    let cpu = first_cpu();
    let words = ["sweep", "background=none,burner@same", "sh looks.sh", "--blocks", "3", "--cpu", &cpu];
    let metric = ["--metric", "printed:tasks", "--metric-from", "tasks=tasks ([12])"];
    let document = lab.json(&[&words[..], &metric].concat());
    for (command, tasks) in [(0, 1), (1, 2)] {
        let is_measured = |run: &&Value| run["phase"] == "measured";
        let of_level: Vec<&Value> = runs(&document, command).iter().filter(is_measured).collect();
        let is_so = |run: &&Value| number(run, "printed:tasks_millionths") == tasks * 1_000_000;
        assert!(!of_level.is_empty() && of_level.iter().all(is_so), "{document}");
    }
}

#[test]
fn limits_hold_and_their_groups_are_gone_afterwards() {
    let lab = Lab::new();
    let big = "dd if=/dev/zero of=/dev/null bs=96M count=1 status=none";
    let words = ["sweep", "limit=none,memory:24MiB", big, "--blocks", "4", "--format", "json"];
    let done = lab.run(&words);
    if done.code == Some(3) {
        return println!("skipped: {}", done.err);
    }
    let document = done.succeeds().json();
    assert_eq!(number(level(&document, "none"), "failures"), 0);
    let limited = level(&document, "memory:24MiB");
    // The sweep may be decided, and so end, before the last block.
    assert!((2..=4).contains(&number(limited, "failures")), "{limited}");
    assert_eq!(number(limited, "failure_exit_status"), 137);
    let folders = document["commands"].as_array().unwrap().len();
    assert_eq!(folders, 2);
    let left = walk(Path::new("/sys/fs/cgroup"), 4).into_iter().filter(|name| {
        // Control groups of other tests that run at the same time have a live owner.
        name.starts_with("fauxplat-") && fauxplat_sys::process::start_ticks(owner(name)).is_none()
    });
    assert_eq!(left.count(), 0);
}

/// The process id in the name of a control group, valid in the pid namespace that the name states before it.
fn owner(name: &str) -> u32 {
    name.split('-').nth(2).and_then(|pid| pid.parse().ok()).unwrap_or(0)
}

/// Names of all folders below a folder, down to this depth.
fn walk(folder: &Path, depth: usize) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .flat_map(|entry| {
            let below = if depth > 0 { walk(&entry.path(), depth - 1) } else { Vec::new() };
            below.into_iter().chain([entry.file_name().to_string_lossy().into_owned()])
        })
        .collect()
}

/// A command that crashes at one level only is a finding; the sweep continues.
#[test]
fn a_level_that_crashes_is_found() {
    let lab = Lab::new();
    let crash = "sh -c '[ {n} != 3 ] || kill -SEGV $$'";
    let document = lab.json(&["sweep", "n=1..5", crash, "--blocks", "8", "--exhaustive"]);
    let crashed = level(&document, "3");
    assert!((2..=8).contains(&number(crashed, "failures")), "{crashed}");
    assert_eq!(number(crashed, "failure_exit_status"), 139);
    assert_eq!(number(level(&document, "4"), "failures"), 0);
    assert!(level(&document, "4")["median_ns"].is_number() && crashed["median_ns"].is_null());
}

#[test]
fn a_command_that_fails_everywhere_ends_the_sweep() {
    Lab::new().run(&["sweep", "n=1..5", "sh -c 'exit {n}'"]).complains(4, &["ended with status"]);
}

#[test]
fn bad_input_is_one_line() {
    let lab = Lab::new();
    let refused = |words: &[&str], code: i32, say: &[&str]| {
        lab.run(&[&["sweep"], words].concat()).complains(code, say);
    };
    refused(&["colour", "true"], 2, &["no factor `colour`", "env-size", "{colour}"]);
    refused(&["env-size=4096..0", "true"], 2, &["reversed"]);
    refused(&["env-size=", "true"], 2, &["empty"]);
    refused(&["env-size=7..7", "true"], 2, &["at least two"]);
    refused(&["env-size=0..99999999", "true"], 2, &["100000000 levels", "STEP"]);
    refused(&["env-size=0..200000:50000", "true"], 2, &["100000", "beyond 0 to 65535"]);
    refused(&["n=1..30000", "true {n}"], 2, &["30000 levels", "STEP"]);
    refused(&["env-size", "true", "false"], 2, &["one command"]);
    refused(&["env-size"], 2, &["needs a command"]);
    refused(&["n=1..3", "true"], 2, &["{n}"]);
    let (code, why) =
        if allowed().len() == 1 { (3, "is allowed to this process") } else { (2, "choose one") };
    refused(&["cpu", "true", "--cpu", &first_cpu()], code, &[why]);
    refused(&["aslr", "true {n}", "-L", "n=1,2"], 2, &["a parameter is a factor"]);
    refused(&["aslr", "no-such-program"], 2, &["no such program"]);
    refused(&["priority=99", "true"], 2, &["-20 to 19"]);
    if !Path::new("/sys/devices/system/cpu/cpu0/cpufreq").exists() {
        refused(&["frequency", "true"], 3, &["cpufreq"]);
    }
}

/// More arguments than the kernel accepts are refused in one line before anything is run.
#[test]
fn arguments_beyond_the_kernels_limit_are_refused() {
    let lab = Lab::new();
    let huge = "x".repeat(120_000);
    let mut sweep = lab.command(&["sweep", "env-size=0..65535:65535", &format!("true {huge}")]);
    let limited = crate::common::Done::of({
        let program = sweep.get_program().to_owned();
        let mut shell = Command::new("sh");
        // A quarter of a stack of 640 KiB: the arguments fit, and 64 KiB of environment beside them do not.
        shell.args(["-c", "ulimit -s 640; exec \"$@\"", "sh"]).arg(program).args(sweep.get_args());
        lab.settle(&mut shell);
        sweep = shell;
        sweep
    });
    limited.complains(2, &["128 KiB", "ulimit -s"]);
}

#[test]
fn unprivileged_users_are_told_what_they_may_not() {
    let lab = Lab::ordinary();
    if lab.has_capability(23) {
        return println!("skipped: no ordinary user here");
    }
    lab.run(&["sweep", "priority=0,-5", "true"]).complains(3, &["CAP_SYS_NICE"]);
    lab.run(&["sweep", "aslr", "true", "--blocks", "2"]).succeeds();
}

/// A stored sweep can be shown with all its levels and in every format.
#[test]
fn a_stored_sweep_is_shown_again() {
    let lab = Lab::new();
    let first = lab.json(&["sweep", "env-size=0..64:16", "true", "--blocks", "3"]);
    assert_eq!(lab.last()["levels"], first["levels"]);
    let list = lab.run(&["history", "list", "--format", "csv"]).succeeds().out;
    assert!(list.contains("sweep") && list.contains("env-size:"), "{list}");
    for (format, words) in [
        ("html", &["<!DOCTYPE html>", "<svg", "env-size"][..]),
        ("svg", &["<?xml", "env-size in bytes"]),
        ("markdown", &["**", "env-size"]),
        ("csv", &["env-size=16"]),
        ("text", &["Plan:"]),
    ] {
        let shown = lab.run(&["history", "show", "last", "-v", "--format", format]).succeeds().out;
        assert!(words.iter().all(|word| shown.contains(word)), "{format}: {shown}");
        assert!(!shown.contains("src=") && !shown.contains("<link"), "{format} loads something");
    }
    let repeat = lab.run(&["history", "show", "last"]).succeeds().out;
    assert!(repeat.contains("repeat with: fauxplat sweep --seed"), "{repeat}");
}

#[test]
fn the_seed_repeats_the_order() {
    let lab = Lab::new();
    let order = |seed: &str| -> Vec<usize> {
        let words = ["sweep", "n=1..9", "true {n}", "--blocks", "3", "--exhaustive", "--seed", seed];
        all_runs(&lab.json(&words)).into_iter().map(|(command, _)| command).collect()
    };
    assert_eq!(order("5"), order("5"));
    assert_ne!(order("5"), order("6"));
}

/// Compiles three object files of a program in the laboratory; false without a compiler.
fn objects(lab: &Lab) -> bool {
    for (name, text) in [
        (
            "a",
            "int b(int), c(int); int main(void) { int s = 0; for (int i = 0; i < 1000; i++) s += b(i) + c(i); return s == 1; }",
        ),
        ("b", "int b(int x) { return x * 3; }"),
        ("c", "int c(int x) { return x - 7; }"),
    ] {
        let source = lab.write(&format!("{name}.c"), text);
        let done = Command::new("cc")
            .args(["-c", "-O1", &source, "-o"])
            .arg(lab.path(&format!("{name}.o")))
            .status();
        if !done.is_ok_and(|status| status.success()) {
            return false;
        }
    }
    true
}

/// SHA-256 hashes of the programs of all levels.
fn hashes(document: &Value) -> BTreeSet<String> {
    let commands = document["commands"].as_array().unwrap().iter();
    commands.map(|command| command["program_sha256"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn builds_are_levels_and_equal_ones_run_once() {
    let lab = Lab::new();
    if !objects(&lab) {
        return println!("skipped: no C compiler");
    }
    let link = ["--objects", "a.o", "b.o", "c.o", "--link", "cc {objects} -o {out}", "--blocks", "2"];
    let order = lab.json(&[&["sweep", "link-order=0..11"], &link[..]].concat());
    let different = hashes(&order).len();
    assert_eq!(number(&order, "levels_asked"), 12);
    // Three objects have six link orders, so several of the twelve seeds give the same program.
    assert_eq!(number(&order, "levels_distinct") as usize, different);
    assert!((2..=6).contains(&different), "{different}");
    let padding = lab.json(&[&["sweep", "link-padding=0,64,4096"], &link[..]].concat());
    assert_eq!((hashes(&padding).len(), &padding["unit"]), (3, &"bytes".into()));
    let build = ["--build", "cc {compile_flags} a.c b.c c.c -o {out}", "--blocks", "2"];
    let aligned = lab.json(&[&["sweep", "code-align=16,64"], &build[..]].concat());
    assert_eq!(hashes(&aligned).len(), 2);
}

#[test]
fn builds_that_vary_nothing_are_refused() {
    let lab = Lab::new();
    lab.run(&["sweep", "link-order", "true"]).complains(2, &["link-order", "--build", "--link"]);
    let built = ["sweep", "opt=0,3", "--build", "cc -O{opt} -o {out} x.c", "{program}"];
    lab.run(&built).complains(2, &["opt", "stands in the build", "compare"]);
    if !objects(&lab) {
        return println!("skipped: no C compiler");
    }
    let fixed = ["--build", "cc a.c b.c c.c -o {out}", "--blocks", "2"];
    lab.run(&[&["sweep", "code-align=16,64"], &fixed[..]].concat())
        .complains(2, &["nothing was varied", "{compile_flags}"]);
}
