//! Tests with real child processes that are held before their program begins.
#![expect(clippy::disallowed_macros, reason = "a test program of its own prints")]
#![expect(clippy::disallowed_methods, reason = "a client that is killed must be a process of its own")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fauxplat_launch::{Capture, Entry, LaunchError, Launcher, Request, RunCpu, RunEnd};
use fauxplat_model::Outcome;
use fauxplat_sys::process::{Exit, is_root};
use fauxplat_sys::{sched, signal};
use support::{reply_to, request, scratch, shell, spawner};

fn main() {
    if std::env::args().nth(1).is_some_and(|word| word == HOLDER) {
        return hold_for_ever();
    }
    let tests: [(&str, fn()); 10] = [
        ("a held child has its condition and not its program", a_held_child_has_its_condition),
        ("a held child enters a group that it is put into", a_held_child_can_be_put_into_a_group),
        ("a begun child ends as any other", a_begun_child_ends_as_any_other),
        ("its limit counts from its beginning", its_limit_counts_from_its_beginning),
        ("a dropped child never begins", a_dropped_child_never_begins),
        ("a program that cannot begin is told after it was let go", a_missing_program_is_told_after_begin),
        ("a condition that cannot hold is told at once", a_bad_condition_is_told_at_once),
        ("a stop ends a held child", a_stop_ends_a_held_child),
        ("a command that the user's own key ends was interrupted", the_key_ends_a_command_as_a_stop_does),
        ("a killed client leaves nothing", a_killed_client_leaves_nothing),
    ];
    support::run(&tests);
}

/// Argument with which this test program acts as a client that holds a child until the client is killed.
const HOLDER: &str = "__holder";

fn hold_for_ever() {
    let mut spawner = spawner(vec![shell("exec sleep 1000")]);
    let held = spawner.hold(request(0)).unwrap();
    println!("{}", held.pid());
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn status(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default()
}

fn field(pid: i32, name: &str) -> String {
    let status = status(pid);
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_default().trim().to_owned()
}

/// Waits for a change made by another process, and panics with `what` if the change does not come within a minute.
fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..12_000 {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}");
}

fn is_gone(pid: i32) -> bool {
    let state = field(pid, "State");
    state.is_empty() || state.starts_with('Z')
}

fn executable(pid: i32) -> PathBuf {
    fs::read_link(format!("/proc/{pid}/exe")).unwrap()
}

fn a_held_child_has_its_condition() {
    let cpu = sched::affinity(0).unwrap().first().unwrap();
    let entry = Entry { nice: Some(7), ..shell("exec sleep 1000") };
    let mut spawner = spawner(vec![entry]);
    let held = spawner.hold(Request { place: RunCpu::Cpu(cpu.0), ..request(0) }).unwrap();
    let pid = held.pid();
    assert_eq!(executable(pid), std::env::current_exe().unwrap());
    assert_eq!(field(pid, "Cpus_allowed_list"), cpu.0.to_string());
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let nice = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(16).map(str::to_owned);
    assert_eq!(nice.as_deref(), Some("7"));
    let fds = fs::read_link(format!("/proc/{pid}/fd/0")).unwrap();
    assert_eq!(fds, Path::new("/dev/null"));
    held.begin();
    eventually("the program never began", || executable(pid) != std::env::current_exe().unwrap());
    spawner.abort();
    assert_eq!(spawner.next_reply().unwrap().end, RunEnd::Aborted);
}

/// Folder of a new control group; `None` where this user may not make one.
fn group() -> Option<PathBuf> {
    let name = format!("fauxplat-held-{}", std::process::id());
    let roots = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup", "/sys/fs/cgroup/cpuacct"];
    let made = roots.iter().map(|root| Path::new(root).join(&name)).find(|folder| {
        fs::create_dir(folder).is_ok()
            && (folder.join("cgroup.procs").exists() || fs::remove_dir(folder).is_err())
    });
    made.filter(|folder| folder.join("cgroup.procs").exists())
}

fn a_held_child_can_be_put_into_a_group() {
    let Some(folder) = group().filter(|_| is_root()) else {
        println!("a held child enters a group: NOT TESTED, no group can be made here");
        return;
    };
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let mut spawner = spawner(vec![shell(&format!("grep -q {name} /proc/self/cgroup"))]);
    let held = spawner.hold(request(0)).unwrap();
    fs::write(folder.join("cgroup.procs"), held.pid().to_string()).unwrap();
    held.begin();
    let reply = spawner.next_reply().unwrap();
    assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)), "the program began outside of its group");
    assert_eq!(reply_to(&mut spawner, request(0)).end, RunEnd::Ended(Exit::Status(1)));
    fs::remove_dir(folder).unwrap();
}

fn a_begun_child_ends_as_any_other() {
    let mut spawner = spawner(vec![shell("exit 5")]);
    for _ in 0..20 {
        let held = spawner.hold(request(0)).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        let let_go_ns = fauxplat_sys::clock::monotonic_ns();
        held.begin();
        let reply = spawner.next_reply().unwrap();
        assert_eq!((reply.end, reply.held), (RunEnd::Ended(Exit::Status(5)), true));
        assert!(reply.started_ns >= let_go_ns, "the time at the gate is not the program's");
        let timed = reply_to(&mut spawner, request(0));
        assert_eq!((timed.end, timed.held), (RunEnd::Ended(Exit::Status(5)), false));
    }
}

/// Longer limits are tried as well, since on a slow machine the program may not end within the first limit.
fn its_limit_counts_from_its_beginning() {
    let ends = |line, limit: Duration| {
        let timeout_ns = Some(limit.as_nanos() as u64);
        let mut spawner = spawner(vec![Entry { timeout_ns, ..shell(line) }]);
        let held = spawner.hold(request(0)).unwrap();
        std::thread::sleep(limit + limit / 3);
        held.begin();
        spawner.next_reply().unwrap().end
    };
    let limits = [300, 3_000, 30_000].map(Duration::from_millis);
    assert!(limits.into_iter().any(|limit| ends("exit 0", limit) == RunEnd::Ended(Exit::Status(0))));
    assert_eq!(ends("sleep 100", limits[0]), RunEnd::TimedOut);
}

fn a_dropped_child_never_begins() {
    let folder = scratch("held");
    let mut spawner = spawner(vec![shell(&format!("touch '{}'", folder.display())), shell("exit 3")]);
    for _ in 0..20 {
        let held = spawner.hold(request(0)).unwrap();
        let pid = held.pid();
        drop(held);
        assert!(is_gone(pid), "{}", status(pid));
        assert_eq!(spawner.under_way(), 0);
    }
    assert_eq!(reply_to(&mut spawner, request(1)).end, RunEnd::Ended(Exit::Status(3)));
    assert!(!folder.exists(), "a child that was never let go has run");
}

fn a_missing_program_is_told_after_begin() {
    let argv = vec!["program".to_owned()];
    let mut spawner = spawner(vec![Entry { program: "/no/such/program".into(), argv, ..Entry::default() }]);
    spawner.hold(request(0)).unwrap().begin();
    let reply = spawner.next_reply().unwrap();
    let error = spawner.start_error(0, reply.end).expect("it cannot start").to_string();
    assert!(error.contains("cannot be executed: No such file"), "{error}");
}

fn a_bad_condition_is_told_at_once() {
    let cpus = Some("99999".parse().unwrap());
    let mut spawner = spawner(vec![Entry { cpus, ..shell("true") }, shell("exit 0")]);
    let error = spawner.hold(request(0)).unwrap_err().to_string();
    assert!(error.contains("CPUs"), "{error}");
    assert_eq!(reply_to(&mut spawner, request(1)).end, RunEnd::Ended(Exit::Status(0)));
}

fn a_stop_ends_a_held_child() {
    signal::stop_on_interrupt().unwrap();
    let mut spawner = spawner(vec![shell("sleep 1000"), shell("exit 0")]);
    let held = spawner.hold(request(0)).unwrap();
    let pid = held.pid();
    // A terminal sends the signal to the foreground process group alone, and the spawner has a process group of its
    // own.
    signal::send(std::process::id() as i32, signal::SIGINT);
    eventually("the stop was not seen", signal::stop_requested);
    drop(held);
    assert!(is_gone(pid), "{}", status(pid));
    assert!(matches!(spawner.hold(request(0)).unwrap_err(), LaunchError::Stopped));
    signal::clear_stop();
    assert_eq!(reply_to(&mut spawner, request(1)).end, RunEnd::Ended(Exit::Status(0)));
}

/// The terminal's signal reaches a command that has not left this process group yet, before a stop can be passed on.
fn the_key_ends_a_command_as_a_stop_does() {
    signal::stop_on_interrupt().unwrap();
    let both = Capture::shell(&format!("kill -INT {}; kill -INT $$", std::process::id()));
    let interrupted = both.run().unwrap_err();
    assert!(matches!(interrupted, LaunchError::Interrupted { .. }), "{interrupted}");
    signal::clear_stop();
    let itself = Capture::shell("kill -INT $$");
    assert_eq!(itself.run().unwrap().outcome, Outcome::Signaled(2), "nobody wanted that");
}

fn a_killed_client_leaves_nothing() {
    let mut client = client();
    let mut line = String::new();
    BufReader::new(client.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let held: i32 = line.trim().parse().unwrap();
    let spawner: i32 = field(held, "PPid").parse().unwrap();
    assert!(spawner > 1 && !is_gone(spawner));
    client.kill().unwrap();
    client.wait().unwrap();
    eventually("the held child lives on", || is_gone(held));
    eventually("the spawner lives on", || is_gone(spawner));
}

fn client() -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new(program).arg(HOLDER).stdout(Stdio::piped()).spawn().unwrap()
}
