//! Tests that a measured program starts in the state in which a shell in the same place would start it.
#![expect(clippy::disallowed_macros, reason = "a test program of its own prints")]
#![expect(
    clippy::disallowed_methods,
    reason = "shells and clients in other surroundings are processes of their own"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use fauxplat_launch::{Entry, Request, RunEnd, Stdin, Stdout, plain};
use fauxplat_sys::process::Exit;
use support::{reply_to, request, scratch, shell, spawner};

/// Argument with which this test program acts as fauxplat, in an environment made by the test.
const CLIENT: &str = "__client";
const PLAIN: &str = "__plain";
const READER: &str = "__reader";
/// Command that prints the status, limits and control groups of its own process.
const SHOWS: [&str; 4] = ["/bin/cat", "/proc/self/status", "/proc/self/limits", "/proc/self/cgroup"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some(CLIENT) => return client(Path::new(&words[1])),
        Some(PLAIN) => return unmeasured(),
        Some(READER) => return reader(),
        _ => {}
    }
    let tests: [(&str, fn()); 6] = [
        ("a child begins as a shell's", a_child_begins_as_a_shells),
        ("ignored and blocked signals are passed on", ignored_and_blocked_signals_are_passed_on),
        ("an unmeasured command begins so too", an_unmeasured_command_begins_so_too),
        ("nothing is open that was not meant", nothing_is_open_that_was_not_meant),
        ("a reader of the terminal is ended", a_reader_of_the_terminal_is_ended),
        ("a named pipe holds nobody up", a_named_pipe_holds_nobody_up),
    ];
    support::run(&tests);
}

/// Measures three programs: the first prints its state, the second lists its descriptors, the third counts the
/// spawner's descriptors.
fn client(output: &Path) {
    let stdout = Stdout::File(output.to_owned());
    let argv = SHOWS.map(str::to_owned).to_vec();
    let itself = Entry { program: SHOWS[0].to_owned(), argv, stdout: stdout.clone(), ..Entry::default() };
    let its = Entry { stdout: stdout.clone(), ..shell("ls /proc/self/fd") };
    let spawners = Entry { stdout, ..shell("ls /proc/$PPID/fd | wc -l") };
    let mut spawner = spawner(vec![itself, its, spawners]);
    for number in [0, 1, 2] {
        assert_eq!(reply_to(&mut spawner, request(number)).end, RunEnd::Ended(Exit::Status(0)));
    }
}

fn unmeasured() {
    let argv = SHOWS.map(str::to_owned);
    assert_eq!(plain::run(Path::new(SHOWS[0]), &argv, false).unwrap(), 0);
}

/// Output of a command that the program named by `surroundings`, such as `env`, starts after setting up an environment.
fn printed(surroundings: &[&str], command: &[&str]) -> String {
    let words = [surroundings, command].concat();
    let done = Command::new(words[0]).args(&words[1..]).output().unwrap();
    assert!(done.status.success(), "{words:?}: {done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Output of the command [`SHOWS`], run as a measured program by a fauxplat that these words start.
fn measured(surroundings: &[&str]) -> String {
    let me = std::env::current_exe().unwrap().display().to_string();
    let output = scratch("shown");
    printed(surroundings, &[&me, CLIENT, output.to_str().unwrap()]);
    let shown = fs::read_to_string(&output).unwrap();
    fs::remove_file(output).unwrap();
    shown
}

/// Output of [`SHOWS`], run as a child of a shell that these words start. The second command keeps the shell from
/// executing the first in its own process.
fn of_a_shell(surroundings: &[&str]) -> String {
    printed(surroundings, &["/bin/sh", "-c", &format!("{}; true", SHOWS.join(" "))])
}

/// The lines of the output of [`SHOWS`] that are equal in two processes that started in the same way.
fn comparable(shown: &str) -> Vec<String> {
    const STATUS: [&str; 17] = [
        "Umask",
        "Uid",
        "Gid",
        "Groups",
        "SigPnd",
        "ShdPnd",
        "SigBlk",
        "SigIgn",
        "SigCgt",
        "CapInh",
        "CapPrm",
        "CapEff",
        "CapBnd",
        "CapAmb",
        "NoNewPrivs",
        "Seccomp",
        "Cpus_allowed_list",
    ];
    let of_status = |line: &&str| STATUS.iter().any(|name| line.starts_with(&format!("{name}:")));
    let rows =
        shown.lines().filter(|line| of_status(line) || line.starts_with("Max ") || line.contains(":/"));
    rows.map(str::to_owned).collect()
}

fn field<'a>(shown: &'a str, name: &str) -> &'a str {
    let line = shown.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {shown}")).trim()
}

fn a_child_begins_as_a_shells() {
    let limited = ["/bin/sh", "-c", "ulimit -S -n 200; umask 027; exec \"$@\"", "sh"];
    for surroundings in [&["env"][..], &limited] {
        let (ours, shells) = (measured(surroundings), of_a_shell(surroundings));
        assert!(comparable(&ours).len() > 30, "{ours}");
        assert_eq!(comparable(&ours), comparable(&shells));
    }
}

/// Words that start a command by `env(1)` with these options; `None` where `env` does not know them.
fn with_signals<'a>(options: &'a [&'a str]) -> Option<Vec<&'a str>> {
    let words = [&["env"], options].concat();
    let knows =
        Command::new(words[0]).args(&words[1..]).arg("true").output().is_ok_and(|done| done.status.success());
    knows.then_some(words)
}

fn ignored_and_blocked_signals_are_passed_on() {
    let cases: [(&[&str], u64, u64); 6] = [
        (&["--ignore-signal=HUP"], 1, 0),
        (&["--ignore-signal=CHLD"], 1 << 16, 0),
        (&["--ignore-signal=PIPE", "--ignore-signal=INT"], 1 << 12 | 1 << 1, 0),
        (&["--ignore-signal=TERM", "--ignore-signal=ALRM"], 1 << 14 | 1 << 13, 0),
        (&["--block-signal=USR1", "--block-signal=TERM"], 0, 1 << 9 | 1 << 14),
        (&["--ignore-signal=CHLD", "--block-signal=ALRM"], 1 << 16, 1 << 13),
    ];
    for (options, ignored, blocked) in cases {
        let Some(surroundings) = with_signals(options) else {
            println!("passed on {options:?}: NOT TESTED, this env(1) does not know them");
            continue;
        };
        // The measured program is compared with a program that no shell started, since shells may themselves change how
        // ignored and blocked signals are handled.
        let (ours, alone) = (measured(&surroundings), printed(&surroundings, &SHOWS));
        assert_eq!(comparable(&ours), comparable(&alone), "{options:?}");
        let mask = |name| u64::from_str_radix(field(&ours, name), 16).unwrap();
        assert_eq!((mask("SigIgn") & ignored, mask("SigBlk") & blocked), (ignored, blocked), "{options:?}");
    }
    let ours = measured(&["nohup"]);
    assert_eq!(comparable(&ours), comparable(&of_a_shell(&["nohup"])));
    assert_eq!(u64::from_str_radix(field(&ours, "SigIgn"), 16).unwrap() & 1, 1);
}

fn an_unmeasured_command_begins_so_too() {
    let me = std::env::current_exe().unwrap().display().to_string();
    for surroundings in
        [vec!["env"], with_signals(&["--ignore-signal=CHLD"]).unwrap_or_else(|| vec!["nohup"])]
    {
        let (ours, alone) = (printed(&surroundings, &[&me, PLAIN]), printed(&surroundings, &SHOWS));
        assert_eq!(comparable(&ours), comparable(&alone));
    }
}

fn nothing_is_open_that_was_not_meant() {
    let leaking = ["/bin/sh", "-c", "exec 7</dev/null 9>/dev/null; exec \"$@\"", "sh"];
    let spawners = [&["env"][..], &leaking].map(|surroundings| {
        let shown = measured(surroundings);
        let mut lines = shown.lines().rev();
        let of_spawner = lines.next().unwrap().to_owned();
        // Descriptor 3 is the folder that the listing itself reads.
        assert_eq!(lines.take(4).collect::<Vec<_>>(), ["3", "2", "1", "0"]);
        of_spawner
    });
    assert_eq!(spawners[0], spawners[1], "the spawner keeps what it was given");
}

/// Measures a program that reads from the terminal, and then another program.
fn reader() {
    let stdin = Stdin::File("/dev/tty".into());
    let mut spawner = spawner(vec![Entry { stdin, ..shell("cat; true") }, shell("exit 0")]);
    assert_eq!(reply_to(&mut spawner, request(0)).end, RunEnd::Ended(Exit::Signal(21)));
    let traced = Request { traced: true, ..request(0) };
    assert_eq!(reply_to(&mut spawner, traced).end, RunEnd::Ended(Exit::Signal(21)));
    assert_eq!(reply_to(&mut spawner, request(1)).end, RunEnd::Ended(Exit::Status(0)));
}

fn a_reader_of_the_terminal_is_ended() {
    let me = std::env::current_exe().unwrap();
    // `script(1)` gives its command a terminal of its own, and passes on its exit status.
    match Command::new("script").args(["-qec", &format!("{} {READER}", me.display()), "/dev/null"]).output() {
        Ok(done) => assert!(done.status.success(), "{done:?}"),
        Err(error) => println!("a reader of the terminal: NOT TESTED, script(1): {error}"),
    }
}

fn a_named_pipe_holds_nobody_up() {
    let pipe = scratch("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let entry = Entry { stdin: Stdin::File(pipe.clone()), ..shell("read line && exit 1; exit 4") };
    assert_eq!(reply_to(&mut spawner(vec![entry]), request(0)).end, RunEnd::Ended(Exit::Status(4)));
    fs::remove_file(pipe).unwrap();
}
