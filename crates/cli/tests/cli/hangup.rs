//! SIGHUP ends a measurement in order, unless nohup(1) or its like had it ignored. Also: a spawner that is killed, and
//! fauxplat itself that is killed.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use fauxplat_sys::signal::{self, SIGCONT, SIGHUP};

use crate::common::{HEARING, Lab, SIGINT, SIGKILL, alive, eventually, runs};
use crate::pty::{parent, state};

/// SIGSTOP, see `signal(7)`.
const SIGSTOP: i32 = 19;

/// A command whose first three runs end at once. The fourth run becomes a process with these words, which hangs.
fn hangs(sleeper: &str) -> String {
    format!("printf x >> log; test $(wc -c < log) -lt 4 || exec {sleeper}")
}

fn is_gone(pid: i32) -> bool {
    state(pid).is_none()
}

#[test]
fn a_run_that_is_hung_up_reports_what_it_has() {
    let (lab, sleeper) = (Lab::new(), "sleep 86471");
    let words = ["run", "--warmup", "0", "--shell", &hangs(sleeper), "--format", "json"];
    let live = lab.start_under(&HEARING, &words);
    assert!(eventually(|| alive(sleeper) > 0));
    live.signal(SIGHUP);
    let document = live.end().ends_with(130).json();
    assert_eq!((runs(&document, 0).len(), alive(sleeper)), (3, 0), "{document}");
    assert!(document["warnings"].to_string().contains("interrupted"), "{document}");
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "stopped");
}

/// A test of timers runs in threads of fauxplat itself, and is ended by SIGHUP too.
#[test]
fn a_test_of_timers_that_is_hung_up_reports_what_it_has() {
    let lab = Lab::new();
    let words = ["latency", "timer", "--interval", "1ms", "--count", "1000000", "--format", "json"];
    let live = lab.start_under(&HEARING, &words);
    live.has_slept(50);
    live.signal(SIGHUP);
    let document = live.end().ends_with(130).json();
    assert!(document["warnings"].to_string().contains("interrupted"), "{document}");
}

#[test]
fn under_nohup_a_run_outlives_its_terminal() {
    let lab = Lab::new();
    let waits = "printf x >> log; test $(wc -c < log) -ne 4 || \
        { echo $$ > program; while [ ! -e go ]; do sleep 0.01; done; }";
    let live = lab.start_under(&["nohup"], &["run", "--warmup", "0", "--runs", "6", "--shell", waits]);
    let program = told(&lab, "program");
    live.signal(SIGHUP);
    // An ignored signal is never delivered, so the test looks at the masks. The program inherits its mask from
    // fauxplat.
    for pid in [live.pid() as i32, program] {
        assert_eq!(mask(pid, "SigIgn") & 1, 1, "SIGHUP is not ignored");
    }
    lab.write("go", "");
    let done = live.end();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!((runs(&lab.last(), 0).len(), lab.read("log").len()), (6, 6));
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "finished");
}

/// A set of signals, as a bit mask, in a row of `/proc/PID/status`, see `proc_pid_status(5)`.
fn mask(pid: i32, row: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(':')).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

/// A process cannot notice SIGSTOP in advance, so the program continues while fauxplat is stopped, and its run is
/// valid.
#[test]
fn a_run_counts_that_ended_while_fauxplat_alone_was_stopped() {
    let lab = Lab::new();
    let waits = "printf x >> log; test $(wc -c < log) -ne 4 || \
        { echo $$ > program; while [ ! -e go ]; do sleep 0.01; done; }";
    let live = lab.start(&["run", "--warmup", "0", "--runs", "6", "--shell", waits]);
    let (program, fauxplat) = (told(&lab, "program"), live.pid() as i32);
    live.signal(SIGSTOP);
    assert!(eventually(|| state(fauxplat) == Some('T')));
    lab.write("go", "");
    assert!(eventually(|| is_gone(program)));
    assert_eq!(state(fauxplat), Some('T'));
    live.signal(SIGCONT);
    live.end().succeeds();
    assert_eq!((runs(&lab.last(), 0).len(), lab.read("log").len()), (6, 6));
}

/// Waits for the process id that the program of a run writes into a file, and returns it.
fn told(lab: &Lab, name: &str) -> i32 {
    assert!(eventually(|| lab.read(name).ends_with('\n')), "{name}");
    lab.read(name).trim().parse().unwrap()
}

/// Measured runs are stored, the program and processes that have left its session are ended, and the message names the
/// spawner.
#[test]
fn a_killed_spawner_is_named_and_leaves_nobody() {
    let lab = Lab::new();
    let leaves = "printf x >> log; test $(wc -c < log) -lt 4 || \
        { setsid sh -c \"echo \\$\\$ > far; exec sleep 86473\" & echo $$ > near; exec sleep 86474; }";
    let live = lab.start(&["run", "--warmup", "0", "--shell", leaves]);
    let (near, far) = (told(&lab, "near"), told(&lab, "far"));
    let spawner = parent(near).unwrap();
    assert_eq!(parent(spawner), Some(live.pid() as i32), "the spawner is a child of fauxplat");
    signal::send(spawner, SIGKILL);
    let done = live.end();
    assert!(eventually(|| is_gone(near) && is_gone(far)), "{done:?}");
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(done.err.contains("SIGKILL"), "{done:?}");
    assert_eq!(runs(&lab.last(), 0).len(), 3);
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "failed");
}

fn entries(folder: &Path, prefix: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(prefix)).collect()
}

/// After fauxplat was killed only the spawner can clean up, and it ends the program. Copied programs stay until the
/// next experiment begins, which spares those of running experiments.
#[test]
fn the_copies_of_a_killed_calibration_go_with_the_next_experiment() {
    let lab = Lab::new();
    // The first run is made with the original program.
    let hangs = |file: &str| {
        let hangs = format!("echo $$ > {file}; exec sleep 86475");
        format!("sh -c 'case $(readlink /proc/$$/exe) in *fauxplat-aa-*) {hangs};; esac'")
    };
    let folders = || entries(lab.folder(), "fauxplat-");
    let live = lab.start(&["aa", &hangs("program"), "--strata", "plain"]);
    let program = told(&lab, "program");
    let (spawner, its) = (parent(program).unwrap(), folders());
    assert!(its.len() == 1 && its[0].starts_with("fauxplat-aa-"), "{its:?}");
    let other = lab.start(&["aa", &hangs("another"), "--strata", "plain"]);
    let another = told(&lab, "another");
    live.signal(SIGKILL);
    assert_eq!(live.end().code, None);
    assert!(eventually(|| is_gone(program) && is_gone(spawner)));
    assert!(folders().len() == 2 && folders().contains(&its[0]), "{:?}", folders());
    lab.run(&["run", "true", "-r", "1"]).succeeds();
    assert!(folders().len() == 1 && !folders().contains(&its[0]), "{:?}", folders());
    other.signal(SIGINT);
    other.end();
    assert!(is_gone(another) && folders().is_empty(), "{:?}", folders());
}

/// The path of the file (page) for region marks, by the variable in the program's environment.
fn page_of(program: i32) -> PathBuf {
    let environment = fs::read(format!("/proc/{program}/environ")).unwrap();
    let text = String::from_utf8_lossy(&environment).into_owned();
    text.split('\0').find_map(|variable| variable.strip_prefix("FAUXPLAT_REGIONS=")).unwrap().into()
}

/// Pipes that the user made stay and can be used again. The page of regions is removed by the next experiment, of any
/// verb.
#[test]
fn of_a_killed_run_the_users_pipes_stay_and_its_page_goes() {
    let lab = Lab::new();
    let words = ["run", "--warmup", "0", "--control", "fifo:ctl,ack", "--region", "part"];
    let live = lab.start(&[&words[..], &["sh -c 'echo $$ > program; exec sleep 86476'"]].concat());
    let program = told(&lab, "program");
    let (spawner, page) = (parent(program).unwrap(), page_of(program));
    live.signal(SIGKILL);
    live.end();
    assert!(eventually(|| is_gone(program) && is_gone(spawner)));
    let pipes = |name: &str| fs::metadata(lab.path(name)).is_ok_and(|file| file.file_type().is_fifo());
    assert!(pipes("ctl") && pipes("ack"));
    let asks = "echo enable > ctl; read answer < ack; echo disable > ctl; read answer < ack";
    lab.write("asks.sh", asks);
    lab.run(&["run", "-r", "2", "--control", "fifo:ctl,ack", "sh asks.sh"]).succeeds();
    assert!(runs(&lab.last(), 0).iter().all(|run| run["control:wall_ns"].is_u64()));
    assert!(!page.parent().unwrap().exists(), "{page:?}");
}
