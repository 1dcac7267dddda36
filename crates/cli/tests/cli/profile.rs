//! Profiles: functions, their callers, and the notes where these cannot be known.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Done, Lab};

/// A laboratory with a program that is compiled from `benches/profile/shares.c`, or from these lines; `None` without a
/// compiler, or where sampling is not permitted.
fn compiled(lab: Lab, name: &str, lines: Option<&str>) -> Option<Lab> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/profile/shares.c");
    let source = match lines {
        Some(lines) => lab.write("source.c", lines),
        None => own.display().to_string(),
    };
    match Command::new("cc").args(["-O1", "-g", "-pthread", "-o", &lab.file(name), &source]).status() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: cc is not installed");
            return None;
        }
        done => assert!(done.unwrap().success(), "{source} compiles"),
    }
    lab.readable(name);
    let tried = lab.run_unstored(&["profile", "--format", "json", "true"]);
    let may = tried.code != Some(3);
    if !may {
        println!("skipped: {}", tried.err.trim());
    }
    may.then_some(lab)
}

fn shares() -> Option<Lab> {
    compiled(Lab::new(), "shares", None)
}

fn profiled(lab: &Lab, words: &[&str]) -> Value {
    lab.json(&[&["profile", "--user-only"], words].concat())
}

/// The stacks of a profile: the functions from the outermost on, the number of samples in the first profile, and how
/// the stack ends.
fn stacks(document: &Value) -> Vec<(Vec<String>, u64, String)> {
    let frames = document["frames"].as_array().unwrap();
    let name = |frame: &Value| frames[frame.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_owned();
    let one = |stack: &Value| {
        let names = stack["frames"].as_array().unwrap().iter().map(name).collect();
        (names, stack["samples"][0].as_u64().unwrap(), stack["end"].as_str().unwrap().to_owned())
    };
    document["stacks"].as_array().unwrap().iter().map(one).collect()
}

fn function<'d>(document: &'d Value, name: &str) -> Option<&'d Value> {
    document["profiles"][0]["functions"].as_array().unwrap().iter().find(|it| it["name"] == name)
}

/// A run whose preparation (`--prepare`) failed is not made; after a run that was made, the command of `--conclude`
/// runs.
#[test]
fn a_profiled_run_is_prepared_or_is_none() {
    let Some(lab) = shares() else { return };
    let profile = |prepare: &str| {
        lab.run(&["profile", "--shell", "sleep 0.05", "--prepare", prepare, "--conclude", "touch concluded"])
    };
    profile("exit 3").complains(4, &["prepare", "status 3"]);
    profile("touch prepared").succeeds();
    assert!(lab.path("prepared").exists() && lab.path("concluded").exists());
}

/// Samples of earlier runs are kept when a later run is never started.
#[test]
fn an_interrupt_between_two_runs_keeps_the_first() {
    let Some(lab) = shares() else { return };
    let profile = concat!(
        "echo $$ > pid; exec \"$0\" profile --user-only --runs 9 --prepare ",
        "'test $FAUXPLAT_RUN = 0 || kill -INT $(cat pid)' --format json --output report.json --store none './shares 100000 2 30'"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", profile, env!("CARGO_BIN_EXE_fauxplat")]).current_dir(lab.folder());
    let done = shell.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let report: Value =
        serde_json::from_slice(&std::fs::read(lab.path("report.json")).expect(&said)).unwrap();
    assert_eq!(report["profiles"][0]["quality"]["runs"], 1, "{said}");
    assert!(function(&report, "hot").is_some() || !stacks(&report).is_empty(), "{said}");
}

/// Each function has all its callers up to the beginning of the program, whichever launcher starts the program.
#[test]
fn callers_are_right_behind_every_launcher() {
    let Some(lab) = shares() else { return };
    for launcher in ["", "env ", "timeout 60 ", "sh -c 'A; true'"] {
        let own = "./shares 100000 2 30";
        let command =
            if launcher.contains('A') { launcher.replace('A', own) } else { format!("{launcher}{own}") };
        let document = profiled(&lab, &[&command]);
        let mut seen = 0;
        for (names, samples, end) in stacks(&document) {
            let Some(at) = names.iter().position(|name| name == "thirty") else { continue };
            seen += samples;
            assert_eq!(end, "whole", "{command}: {names:?}");
            let deeper = names[..at].iter().filter(|name| *name == "deeper").count();
            assert_eq!((names[at - 1].as_str(), deeper), ("timed", 31), "{command}: {names:?}");
        }
        assert!(seen > 0, "{command}: nothing was sampled in a function that has a third of the time");
    }
}

#[test]
fn shares_come_with_their_intervals_and_the_quality_of_the_profile() {
    let Some(lab) = shares() else { return };
    let document = profiled(&lab, &["--callers-of", "^thirty$", "--annotate", "^fifty$", "./shares 100000"]);
    let quality = &document["profiles"][0]["quality"];
    assert!(quality["samples"].as_u64() > Some(0) && quality["cpu_s"].as_f64() > Some(0.0), "{quality}");
    assert_eq!(
        (quality["unwinding"].as_str(), quality["has_kernel"].as_bool()),
        (Some("eh_frame"), Some(false))
    );
    for name in ["fifty", "thirty"] {
        let it = function(&document, name).unwrap_or_else(|| panic!("{name} has a share"));
        let [low, share, high] = ["self_low", "self_share", "self_high"].map(|end| it[end].as_f64().unwrap());
        assert!(0.0 <= low && low < share && share < high && high <= 1.0, "{it}");
    }
    let callers = document["views"][0]["relatives"].as_array().unwrap();
    let timed = callers.iter().find(|it| it["name"] == "timed").unwrap();
    assert_eq!((timed["depth"].as_u64(), timed["share"].as_f64()), (Some(1), Some(1.0)), "{callers:?}");
    let annotated = &document["views"][1]["functions"][0];
    assert!(annotated["file"].as_str().unwrap().ends_with("shares.c"), "{annotated}");
    assert!(!annotated["lines"].as_array().unwrap().is_empty(), "{annotated}");
}

/// Sampled runs do not count as timed runs.
#[test]
fn a_profile_is_stored_and_holds_no_timed_run() {
    let Some(lab) = shares() else { return };
    let has_no_run = |command: &Value| command["runs"].as_array().is_none_or(Vec::is_empty);
    lab.run(&["profile", "./shares 50000"]).succeeds();
    let document = lab.last();
    assert_eq!(document["schema"], "fauxplat.profile/1");
    assert!(function(&document, "fifty").is_some(), "what was found is there when it is shown again");
    assert!(document["commands"].as_array().is_none_or(|commands| commands.iter().all(has_no_run)));
}

#[test]
fn stacks_that_were_cut_are_counted() {
    let Some(lab) = shares() else { return };
    let document = profiled(&lab, &["--stack-size", "1KiB", "./shares 100000 1 400"]);
    let quality = &document["profiles"][0]["quality"];
    let (cut, all) = (quality["truncated"].as_u64().unwrap(), quality["samples"].as_u64().unwrap());
    let thirty = function(&document, "thirty").unwrap()["total_samples"].as_u64().unwrap();
    assert!(cut >= thirty && thirty > 0 && cut <= all, "{quality}");
}

/// The program deletes its own file before the profile is written. Functions still get their names, since fauxplat
/// opens the file while the program runs.
#[test]
fn a_program_that_was_deleted_keeps_its_names() {
    let lines = "#include <unistd.h>\n\
        __attribute__((noinline)) long work(long n) { volatile long sum = 0; for (long i = 0; i < n; i++) sum += i; return sum; }\n\
        int main(int argc, char **argv) { work(60000000); unlink(argv[0]); work(60000000); return argc == 0; }\n";
    let Some(lab) = compiled(Lab::new(), "gone", Some(lines)) else { return };
    let document = profiled(&lab, &["./gone"]);
    assert!(!lab.path("gone").exists());
    assert!(function(&document, "work").is_some(), "{}", document["profiles"][0]["functions"]);
}

#[test]
fn a_process_that_runs_already_is_followed_to_its_end() {
    let Some(lab) = shares() else { return };
    let mut process =
        Command::new(lab.path("shares")).arg("5000000").stderr(std::process::Stdio::null()).spawn().unwrap();
    let pid = process.id().to_string();
    let document = profiled(&lab, &["--pid", &pid, "--max-time", "60s"]);
    process.wait().unwrap();
    let (names, ..) = stacks(&document)
        .into_iter()
        .find(|(names, ..)| names.last().is_some_and(|it| it == "fifty"))
        .unwrap();
    assert!(names.contains(&"work".to_owned()) && names.contains(&"main".to_owned()), "{names:?}");
    lab.run(&["profile", "--pid", &pid]).complains(2, &["--pid", "no such process"]);
}

#[test]
fn whoever_may_not_see_the_kernel_gets_the_rest_and_is_told() {
    for lab in Lab::both() {
        let Some(lab) = compiled(lab, "shares", None) else { continue };
        let document = lab.json(&["profile", "./shares 100000"]);
        let quality = &document["profiles"][0]["quality"];
        assert!(function(&document, "fifty").is_some());
        let notes = quality["notes"].to_string();
        assert!(quality["has_kernel"] == true || notes.contains("kernel"), "{quality}");
    }
}

/// A laboratory with a program that causes a known number of events.
fn events() -> Option<Lab> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/profile/events.c");
    compiled(Lab::new(), "events", Some(&std::fs::read_to_string(source).unwrap()))
}

/// The kernel begins with a sample for each event and then takes fewer samples, so shares are those of the events for
/// which the samples stand.
#[test]
fn shares_of_events_are_those_of_events_and_not_of_samples() {
    let Some(lab) = events() else { return };
    let document = profiled(&lab, &["-e", "page-faults", "./events faults 3000 204800"]);
    let it = function(&document, "few").unwrap();
    let [low, high] = ["total_low", "total_high"].map(|end| it[end].as_f64().unwrap());
    // The true share of events is 0.0144, but far more than a third of the samples are in this function.
    assert!(low < 0.0144 && high < 0.15, "{it}");
    let quality = &document["profiles"][0]["quality"];
    let [events, counted] = ["events", "counted"].map(|name| quality[name].as_f64().unwrap());
    assert!(counted >= 207_800.0 && (0.9..=1.05).contains(&(events / counted)), "{quality}");
    assert!(quality["period"].is_null() && quality["samples"].as_u64() > Some(0), "{quality}");
    let of_stacks: u64 =
        document["stacks"].as_array().unwrap().iter().map(|it| it["events"][0].as_u64().unwrap()).sum();
    assert_eq!(Some(of_stacks), quality["events"].as_u64(), "a stack says what its samples stand for");
}

#[test]
fn a_period_is_kept_by_events_of_the_kernel() {
    let Some(lab) = events() else { return };
    let words = ["-e", "page-faults", "--period", "1000", "./events faults 3000 204800"];
    // Samples are lost where the machine keeps fauxplat from reading them, so three attempts are made.
    let is_whole = |document: &Value| document["profiles"][0]["quality"]["lost"] == 0;
    let document = (0..3).map(|_| profiled(&lab, &words)).find(is_whole).expect("samples are lost each time");
    let quality = &document["profiles"][0]["quality"];
    let [samples, lost, counted] = ["samples", "lost", "counted"].map(|name| quality[name].as_u64().unwrap());
    // Each thousand events make a sample, and fewer than a thousand are left over on each CPU.
    assert!(lost == 0 && (200..=209).contains(&samples) && counted >= 207_800, "{quality}");
    assert_eq!((quality["period"].as_u64(), quality["events"].as_u64()), (Some(1000), Some(samples * 1000)));
    let it = function(&document, "few").unwrap();
    let [low, high] = ["total_low", "total_high"].map(|end| it[end].as_f64().unwrap());
    assert!((low..=high).contains(&0.0144), "{it}");
}

#[test]
fn switches_in_user_mode_are_none_and_are_refused() {
    let lab = Lab::new();
    let words = ["profile", "-e", "context-switches", "--user-only", "true"];
    lab.run_unstored(&words).complains(2, &["context-switches", "in the kernel alone", "CAP_PERFMON"]);
}

const WAITS: &str = "#define _GNU_SOURCE\n#include <poll.h>\n#include <time.h>\n\
    __attribute__((noinline)) void naps(void) { struct timespec t = {0, 3000000}; \
      for (int i = 0; i < 40; i++) nanosleep(&t, 0); __asm__ volatile(\"\"); }\n\
    __attribute__((noinline)) void polls(void) { poll(0, 0, 60); __asm__ volatile(\"\"); }\n\
    int main(int argc, char **argv) { (void)argv; naps(); polls(); return argc == 0; }\n";

/// Every wait is recorded, so the total waiting time is known whatever the load on the machine.
#[test]
fn time_without_a_cpu_is_where_it_was_waited() {
    let Some(lab) = compiled(Lab::new(), "waits", Some(WAITS)) else { return };
    let tried = lab.run_unstored(&["profile", "-e", "off-cpu", "--format", "json", "true"]);
    if tried.code == Some(3) {
        println!("skipped: {}", tried.err.trim());
        return;
    }
    for more in [&["--unwind", "eh-frame"][..], &["--user-only"]] {
        let words = [&["profile", "-e", "off-cpu", "-F", "10000"], more, &["./waits"]].concat();
        let document = lab.json(&words);
        let quality = &document["profiles"][0]["quality"];
        let waited_s = quality["waited_s"].as_f64().unwrap();
        assert!(waited_s >= 0.18 && quality["waits"].as_u64() >= Some(41), "{quality}");
        // Rounding changes each stack by less than a sample, and there are at most as many stacks as waits.
        let (samples, waits) = (quality["samples"].as_f64().unwrap(), quality["waits"].as_f64().unwrap());
        assert!((samples - waited_s * 10_000.0).abs() <= waits, "a sample is 100 µs: {quality}");
        // Each function has at least the time that it slept, and at most all waiting time; other waits are in other
        // functions.
        for (name, least_s) in [("naps", 0.12), ("polls", 0.06)] {
            let seconds = function(&document, name).unwrap()["total_samples"].as_f64().unwrap() / 10_000.0;
            let most_s = waited_s + waits / 10_000.0;
            assert!(seconds >= least_s - 0.002 && seconds <= most_s, "{name}: {seconds} s of {waited_s}");
        }
        let leads = document["profiles"][0]["functions"][0]["name"].as_str().unwrap();
        assert!(!leads.contains("schedule"), "{leads} says nothing of what is waited for");
    }
    let document = lab.json(&["profile", "-e", "off-cpu", "-r", "10", "sleep 0.02", "sleep 0.3"]);
    let difference = &document["differences"][0];
    assert!(difference["a_cpu_s"].as_f64() >= Some(0.02), "{difference}");
    assert!(difference["low_s"].as_f64() > Some(0.0), "{difference}");
    for function in difference["functions"].as_array().unwrap() {
        assert_ne!(function["name"], "", "{difference}");
    }
}

#[test]
fn two_commands_take_turns_and_few_pairs_say_nothing() {
    let Some(lab) = shares() else { return };
    let document = profiled(&lab, &["-r", "2", "./shares 20000", "./shares 20000 1 3"]);
    let difference = &document["differences"][0];
    assert_eq!((difference["pairs"].as_u64(), difference["error"].as_f64()), (Some(2), Some(0.01)));
    let functions = difference["functions"].as_array().unwrap();
    let is_named = |it: &&Value| {
        it["p_adjusted"].as_f64() <= Some(0.01) || it["total_p_adjusted"].as_f64() <= Some(0.01)
    };
    assert_eq!(functions.iter().filter(is_named).count(), 0, "{difference}");
    assert_eq!(document["profiles"][1]["quality"]["runs"], 2);
}

#[test]
fn a_command_that_fails_is_an_error_beside_what_was_sampled() {
    let Some(lab) = shares() else { return };
    let failed = lab.run_unstored(&["profile", "--format", "json", "./shares 50000 99"]);
    failed.complains(4, &["ended with status 2", "--ignore-failure"]);
    lab.run_unstored(&["profile", "--ignore-failure", "--format", "json", "./shares 50000 99"]).succeeds();
}

#[test]
fn what_makes_no_profile_is_refused() {
    let lab = Lab::new();
    let refused: [(&[&str], &[&str]); 8] = [
        (&["-e", "page-faults", "true", "true"], &["page-faults", "off-cpu", "compared by time"]),
        (&["-e", "cpu-clock,page-faults", "true"], &["one event"]),
        (&["-e", "cpu-clocc", "true"], &["cpu-clocc"]),
        (&["--region", "parse", "true"], &["--region", "not measured"]),
        (&["--stack-size", "1", "true"], &["1KiB"]),
        (&["--callers-of", "(", "true"], &["--callers-of"]),
        (&["--period", "0", "true"], &["--period"]),
        (&["-F", "0", "true"], &["--frequency"]),
    ];
    for (words, said) in refused {
        lab.run_unstored(&[&["profile"], words].concat()).complains(2, said);
    }
}

/// Records a program by perf into `perf.data`; false, with a message, where perf is not installed or may not record.
fn recorded(lab: &Lab, words: &[&str]) -> bool {
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-o", "perf.data"]).args(words).current_dir(lab.folder());
    let done = perf.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
    let is_recorded = done.is_ok_and(|status| status.success());
    if !is_recorded {
        println!("skipped: perf is not installed, or may not record here");
    }
    is_recorded
}

/// perf adapts the period of an event to its rate, so a sample of frequent faults stands for more of them. perf itself
/// says for how many.
#[test]
fn shares_of_an_imported_recording_are_sums_of_periods() {
    let Some(lab) = events() else { return };
    if !recorded(&lab, &["-e", "page-faults", "-F", "997", "./events", "faults", "3000", "204800"]) {
        return;
    }
    let mut perf = Command::new("perf");
    perf.args(["script", "-i", "perf.data", "-F", "period,ip,sym"]).current_dir(lab.folder());
    let listed = String::from_utf8(perf.output().unwrap().stdout).unwrap();
    let periods: Vec<(f64, bool)> = listed
        .lines()
        .filter_map(|line| Some((line.split_whitespace().next()?.parse().ok()?, line.ends_with(" few"))))
        .collect();
    let sum = |of: &dyn Fn(&(f64, bool)) -> bool| -> f64 {
        periods.iter().filter(|it| of(it)).map(|it| it.0).sum::<f64>()
    };
    let share = sum(&|it| it.1) / sum(&|_| true);
    let document = lab.json(&["profile", "--import", "perf.data"]);
    let it = function(&document, "few").unwrap();
    assert!((it["total_share"].as_f64().unwrap() - share).abs() < 1e-6, "{share}: {it}");
}

/// An imported recording of perf shows the same functions with the same callers.
#[test]
fn what_perf_recorded_is_shown_with_callers() {
    let Some(lab) = shares() else { return };
    if !recorded(&lab, &["-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf", "./shares", "100000"]) {
        return;
    }
    let mut piped = Command::new("bash");
    let line = "profile --import <(cat perf.data) --format json";
    piped.args(["-c", &format!("{} {line}", lab.starter().join(" "))]);
    lab.settle(&mut piped);
    assert!(function(&Done::of(piped).ends_with(0).json(), "fifty").is_some(), "through a pipe");
    let document = lab.json(&["profile", "--import", "perf.data", "--callers-of", "^thirty$"]);
    assert!(function(&document, "fifty").is_some(), "{}", document["profiles"][0]["functions"]);
    let timed = document["views"][0]["relatives"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "timed")
        .unwrap();
    assert_eq!((timed["depth"].as_u64(), timed["share"].as_f64()), (Some(1), Some(1.0)), "{document}");
}

/// Files that perf did not write, or that are truncated, are refused by a line that names the file.
#[test]
fn what_perf_did_not_write_is_refused() {
    let lab = Lab::new();
    let mut begun = b"PERFILE2".to_vec();
    begun.extend((0..200u64).flat_map(u64::to_le_bytes));
    std::fs::write(lab.path("begun"), begun).unwrap();
    lab.write("text", "no profile");
    lab.write("empty", "");
    for name in ["begun", "text", "empty", "missing", "."] {
        lab.run_unstored(&["profile", "--import", name]).complains(2, &[name]);
    }
}

/// The library that parses recordings panics at an invalid stack length; its panic message must not reach the user.
#[test]
fn what_a_library_panics_at_is_refused_in_a_line() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/profile/corpus/recordings/length-that-wraps");
    Lab::new()
        .run_unstored(&["profile", "--import", file])
        .complains(2, &["length-that-wraps", "incomplete"]);
}

/// A comparison with `--profile` stores timed runs and sampled runs in one experiment.
#[test]
fn a_comparison_says_where_its_difference_lies() {
    let source = "volatile long sum; __attribute__((noinline)) void grown(long n) { while (n--) sum += n; }
        __attribute__((noinline)) void same(long n) { while (n--) sum ^= n; }
        int main(int count, char **words) { (void)words; same(3000000); grown(count > 1 ? 60000000 : 3000000); return 0; }";
    let Some(lab) = compiled(Lab::new(), "grows", Some(source)) else { return };
    let words =
        ["compare", "--metric", "cpu", "--profile=1s", "--max-time", "60s", "./grows", "./grows more"];
    let document = lab.json(&words);
    // Twenty times the work in half of the program is a difference that every machine shows.
    assert_eq!(document["comparisons"][0]["verdict"], "different", "{document}");
    let profile = &document["profile"];
    let difference = &profile["differences"][0];
    assert!(difference["pairs"].as_u64().unwrap() >= 10, "{difference}");
    assert_eq!(difference["error"], document["comparisons"][0]["level"]);
    assert_eq!(difference["functions"][0]["name"], "grown", "{difference}");
    assert!(profile["profiles"][0]["quality"]["runs"].as_u64().unwrap() >= 10, "{profile}");
}

#[test]
fn a_profile_of_a_comparison_takes_two_commands_and_a_time() {
    let lab = Lab::new();
    for words in [
        &["--profile", "true", "false", "echo"][..],
        &["--profile", "--metric", "peak-memory", "true", "echo"],
        &["--profile", "--metric", "wall,cpu", "true", "echo"],
    ] {
        let tried = lab.run_unstored(&[&["compare"], words].concat());
        assert_eq!(tried.code, Some(2), "{}", tried.err);
        assert!(tried.err.contains("--profile: "), "{}", tried.err);
    }
}

/// A recording cannot be sampled again in another way, so options about sampling are refused.
#[test]
fn options_that_a_recording_cannot_follow_are_refused() {
    let lab = Lab::new();
    let import = ["--import", "perf.data"];
    let refused: [&[&str]; 4] =
        [&["-F", "50"], &["--user-only"], &["-e", "cycles"], &["--unwind", "frame-pointers"]];
    for words in refused {
        let tried = lab.run_unstored(&[&["profile"], &import[..], words].concat());
        assert_eq!(tried.code, Some(2), "{words:?}: {}", tried.err);
        assert!(tried.err.contains("cannot be used with"), "{words:?}: {}", tried.err);
    }
}
