//! Keys on a real terminal, and the end of the terminal: Ctrl-C, Ctrl-Z and `fg`, a window that is closed.

use fauxplat_sys::signal;
use serde_json::Value;

use crate::common::{Lab, SIGKILL, alive, eventually, pids, runs};
use crate::pty::{CTRL_C, CTRL_Z, Terminal, parent, said, state};

/// A command whose first three runs end at once. The fourth run becomes a process with these words, which hangs until
/// it is killed.
fn hangs_in_its_fourth_run(sleeper: &str) -> String {
    format!("printf x >> log; test $(wc -c < log) -lt 4 || exec {sleeper}")
}

fn waits(sleeper: &str) -> bool {
    eventually(|| alive(sleeper) > 0)
}

/// Checks that three runs are stored and reported, and that no process and no prepared file is left.
#[track_caller]
fn three_runs_are_kept(lab: &Lab, sleeper: &str) -> Value {
    assert_eq!(alive(sleeper), 0, "{}", said(lab));
    assert!(!lab.path("prepared").exists() && lab.path("concluded").exists(), "{}", said(lab));
    let report: Value = serde_json::from_str(&lab.read("report.json")).unwrap();
    let last = lab.last();
    for document in [&report, &last] {
        assert_eq!(runs(document, 0).len(), 3, "{document}");
        assert!(document["warnings"].to_string().contains("interrupted"), "{document}");
    }
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "stopped");
    report
}

fn measuring(sleeper: &str) -> String {
    let command = hangs_in_its_fourth_run(sleeper);
    format!(
        "fauxplat run --warmup 0 --shell '{command}' --prepare 'touch prepared' \
         --conclude 'rm -f prepared; touch concluded' --format json --output report.json"
    )
}

#[test]
fn ctrl_c_ends_a_run_with_what_it_has() {
    let (lab, sleeper) = (Lab::new(), "sleep 86461");
    let mut terminal = Terminal::new(&lab, &measuring(sleeper));
    assert!(waits(sleeper), "{}", said(&lab));
    terminal.press(CTRL_C);
    assert_eq!(terminal.code(&lab), "130", "{}", said(&lab));
    three_runs_are_kept(&lab, sleeper);
}

#[test]
fn ctrl_c_ends_a_build() {
    let (lab, sleeper) = (Lab::new(), "sleep 86462");
    let line = format!(
        "fauxplat explain {{program}} --build 'touch building; {sleeper} & {sleeper}' --output report.json"
    );
    let mut terminal = Terminal::new(&lab, &line);
    assert!(eventually(|| lab.path("building").exists() && alive(sleeper) == 2), "{}", said(&lab));
    terminal.press(CTRL_C);
    assert_eq!(terminal.code(&lab), "130", "{}", said(&lab));
    assert!(said(&lab).contains("interrupted"), "{}", said(&lab));
    assert_eq!(alive(sleeper), 0);
    assert!(!lab.path("report.json").exists(), "there is nothing to report");
}

/// The window is closed while a program runs: measured runs are kept, as after Ctrl-C.
#[test]
fn a_terminal_that_hangs_up_ends_a_run_with_what_it_has() {
    let (lab, sleeper) = (Lab::new(), "sleep 86463");
    // The end of the terminal first ends the shell by a signal, and only then the kernel signals the process group in
    // the foreground.
    let job = format!(". ./preamble.sh\ntrap : HUP\n{}\necho $? > told; mv told code\n", measuring(sleeper));
    lab.write("job.sh", &job);
    let mut terminal = Terminal::new(&lab, "sh job.sh");
    assert!(waits(sleeper), "{}", said(&lab));
    terminal.hang_up();
    assert_eq!(terminal.code(&lab), "130", "{}", said(&lab));
    three_runs_are_kept(&lab, sleeper);
}

/// Ctrl-Z stops the program with fauxplat; after `fg` both go on, and the run that was stopped is made again.
#[test]
fn a_run_that_ctrl_z_stopped_is_made_again() {
    let lab = Lab::new();
    // The script starts no process: a shell that waits for a child to execute cannot stop before that has happened.
    lab.write("waiter.sh", "echo $$ > waiter; while [ ! -e go ]; do :; done");
    let command = "printf x >> log; test $(wc -c < log) -ne 4 || sh waiter.sh";
    let line = format!(
        "fauxplat run --warmup 0 --runs 6 --shell '{command}' --format json --output report.json\n\
         touch stopped; while [ ! -e resume ]; do sleep 0.01; done; fg"
    );
    let mut terminal = Terminal::new(&lab, &line);
    assert!(eventually(|| lab.read("waiter").ends_with('\n')), "{}", said(&lab));
    let program: i32 = lab.read("waiter").trim().parse().unwrap();
    let shell = parent(program).unwrap();
    let spawner = parent(shell).unwrap();
    let fauxplat = parent(spawner).unwrap();
    terminal.press(CTRL_Z);
    for pid in [fauxplat, program, shell] {
        assert!(eventually(|| state(pid) == Some('T')), "{pid} is not stopped: {}", said(&lab));
    }
    assert_ne!(state(spawner), Some('T'), "it has to see the end of fauxplat");
    assert!(eventually(|| lab.path("stopped").exists()), "the shell has its terminal back");
    lab.write("go", "");
    lab.write("resume", "");
    assert_eq!(terminal.code(&lab), "0", "{}", said(&lab));
    let report: Value = serde_json::from_str(&lab.read("report.json")).unwrap();
    assert_eq!((runs(&report, 0).len(), lab.read("log").len()), (6, 7), "{report}");
    assert!(report["warnings"].to_string().contains("fauxplat was stopped once (SIGTSTP)"), "{report}");
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "finished");
}

/// A stopped fauxplat that is killed leaves no stopped program behind, since the spawner still runs.
#[test]
fn what_ctrl_z_stopped_ends_with_a_fauxplat_that_is_killed() {
    let (lab, sleeper) = (Lab::new(), "sleep 86464");
    let line = format!("fauxplat run '{sleeper}'\ntouch stopped; while [ ! -e resume ]; do sleep 0.01; done");
    let mut terminal = Terminal::new(&lab, &line);
    assert!(waits(sleeper), "{}", said(&lab));
    let program = pids(sleeper)[0];
    let spawner = parent(program).unwrap();
    let fauxplat = parent(spawner).unwrap();
    terminal.press(CTRL_Z);
    assert!(eventually(|| state(program) == Some('T') && state(fauxplat) == Some('T')), "{}", said(&lab));
    signal::send(fauxplat, SIGKILL);
    assert!(eventually(|| state(program).or(state(spawner)).is_none()), "{program} {spawner}");
    lab.write("resume", "");
    terminal.code(&lab);
}

/// A measured program that reads from the terminal is stopped by the kernel, and fauxplat then ends it.
#[test]
fn a_program_that_wants_the_terminal_is_ended() {
    let lab = Lab::new();
    let line =
        "fauxplat run --warmup 0 --shell 'printf x >> log; test $(wc -c < log) -lt 4 || cat < /dev/tty'";
    assert_eq!(Terminal::new(&lab, line).code(&lab), "4", "{}", said(&lab));
    assert!(said(&lab).contains("signal 21"), "{}", said(&lab));
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["state"], "failed");
}

/// A setup command (`--setup`) runs in the background and cannot use the terminal: if it tries to, it is ended, and the
/// signal is named.
#[test]
fn a_setup_that_wants_the_terminal_is_ended() {
    for (wish, signal) in [("read line < /dev/tty", 21), ("stty -echo < /dev/tty", 22)] {
        let lab = Lab::new();
        let line = format!("fauxplat run true --shell --setup 'touch begun; {wish}; touch went-on'");
        let terminal = Terminal::new(&lab, &line);
        assert_ne!(terminal.code(&lab), "0", "{wish}: {}", said(&lab));
        assert!(said(&lab).contains(&format!("stopped by signal {signal} ")), "{wish}: {}", said(&lab));
        assert!(lab.path("begun").exists() && !lab.path("went-on").exists(), "{wish}");
    }
}
