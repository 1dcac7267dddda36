//! Waiting for processes, and the relations of parents, children and sessions.

use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use fauxplat_sys::process::{self, Exit, Seen, Usage, Waited, wait};
use fauxplat_sys::{shared, signal};

use crate::{Case, stat_field, value};

pub(crate) const CASES: &[Case] = &[
    ("a_child_is_seen_to_run_to_stop_and_to_end", a_child_is_seen_to_run_to_stop_and_to_end),
    ("an_orphan_comes_to_the_subreaper", an_orphan_comes_to_the_subreaper),
    ("a_session_of_ones_own_is_left_by_no_accident", a_session_of_ones_own_is_left_by_no_accident),
    ("children_that_are_made_to_end_leave_nothing", children_that_are_made_to_end_leave_nothing),
    ("descriptors_are_adopted_once_and_only_whole", descriptors_are_adopted_once_and_only_whole),
    ("a_wait_for_a_descriptor_ends_by_what_is_there", a_wait_for_a_descriptor_ends_by_what_is_there),
    ("a_signal_ends_a_wait_and_is_no_reading", a_signal_ends_a_wait_and_is_no_reading),
];

fn sleeper() -> i32 {
    Command::new("sleep").arg("1000").spawn().unwrap().id() as i32
}

fn a_child_is_seen_to_run_to_stop_and_to_end() {
    const STOP: i32 = 19;
    const CONTINUE: i32 = 18;
    let pid = sleeper();
    assert_eq!(wait(pid, false), Waited::Running);
    assert!(!process::has_ended(pid) && process::start_ticks(pid as u32).is_some());
    signal::send(pid, STOP);
    assert_eq!(process::wait_unreaped(pid), Seen::Stopped(STOP));
    signal::send(pid, CONTINUE);
    signal::send(pid, signal::SIGTERM);
    assert_eq!(process::wait_unreaped(pid), Seen::Ended, "a stop is told once");
    assert!(process::has_ended(pid));
    assert!(value(&format!("/proc/{pid}/status"), "State").unwrap().starts_with('Z'), "it can still be read");
    assert_eq!(process::start_ticks(pid as u32), None, "the dead have no start");
    assert!(matches!(wait(pid, true), Waited::Ended { pid: it, exit: Exit::Signal(15), .. } if it == pid));
    assert_eq!((wait(pid, true), process::wait_unreaped(pid)), (Waited::NoChild, Seen::Ended));
    assert!(!process::has_ended(pid), "what is no child has not ended as one");
    let own = std::fs::read_to_string("/proc/self/stat").unwrap();
    assert_eq!(process::start_ticks(std::process::id()), Some(stat_field(&own, 22) as u64));
}

fn an_orphan_comes_to_the_subreaper() {
    process::become_subreaper().unwrap();
    let mut parent = Command::new("sh");
    let output = parent.args(["-c", "sleep 1000 >/dev/null 2>&1 & echo $!"]).output().unwrap();
    let orphan: i32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    let parent = value(&format!("/proc/{orphan}/status"), "PPid").unwrap();
    assert_eq!(parent, std::process::id().to_string());
    signal::send(orphan, signal::SIGKILL);
    assert!(matches!(wait(-1, true), Waited::Ended { pid, exit: Exit::Signal(9), .. } if pid == orphan));
}

fn a_session_of_ones_own_is_left_by_no_accident() {
    let (group, session) = (5, 6);
    let field = |number| stat_field(&std::fs::read_to_string("/proc/self/stat").unwrap(), number);
    let us = i64::from(std::process::id());
    process::own_session();
    assert_eq!((field(group), field(session)), (us, us));
    // A number that names no process must never mean this process group, nor all processes.
    signal::send_to_group(0, signal::SIGKILL);
    signal::send_group(0, signal::SIGKILL);
    signal::send(0, signal::SIGKILL);
    let leader =
        Command::new("sh").args(["-c", "sleep 1000 & wait"]).process_group(0).spawn().unwrap().id() as i32;
    signal::send_group(leader, signal::SIGKILL);
    assert!(matches!(wait(leader, true), Waited::Ended { exit: Exit::Signal(9), .. }));
    signal::send_group(leader, signal::SIGKILL);
}

fn children_that_are_made_to_end_leave_nothing() {
    let before_ns = process::children_cpu_ns();
    (0..20).for_each(|_| process::fork_and_reap().unwrap());
    assert_eq!(wait(-1, false), Waited::NoChild);
    assert!(process::children_cpu_ns() >= before_ns);
    // The memory must be large enough to be counted: the kernel counts pages for each CPU before it sums them up.
    let line = "dd if=/dev/zero of=/dev/null bs=64M count=1 2>/dev/null; exit 5";
    let pid = Command::new("sh").args(["-c", line]).spawn().unwrap().id() as i32;
    let Waited::Ended { exit: Exit::Status(5), usage, .. } = wait(pid, true) else { panic!("it returned 5") };
    assert!(usage.peak_memory_bytes > 0 && usage.minor_faults > 0);
    let mut sum = Usage { peak_memory_bytes: 1, ..usage };
    sum.absorb(&usage);
    assert_eq!((sum.peak_memory_bytes, sum.minor_faults), (usage.peak_memory_bytes, 2 * usage.minor_faults));
    assert_eq!(sum.user_ns + sum.system_ns, 2 * (usage.user_ns + usage.system_ns));
}

fn descriptors_are_adopted_once_and_only_whole() {
    for (error, call) in [
        (shared::duplicate(-1).unwrap_err(), "fcntl(F_DUPFD_CLOEXEC): "),
        (process::redirect(-1, 100).unwrap_err(), "dup2: "),
        (process::keep_over_exec(-1, true).unwrap_err(), "fcntl(F_SETFD): "),
        (shared::adopt([1, 50]).unwrap_err(), "inherited descriptors [1, 50]: "),
        (shared::adopt([50, 50]).unwrap_err(), "inherited descriptors [50, 50]: "),
    ] {
        assert!(error.to_string().starts_with(call), "{error}");
    }
    for place in [50, 51] {
        process::redirect(2, place).unwrap();
    }
    let [a, _b] = shared::adopt([50, 51]).unwrap();
    let flags = value("/proc/self/fdinfo/50", "flags").unwrap();
    assert_eq!(i64::from_str_radix(&flags, 8).unwrap() & 0o2_000_000, 0o2_000_000, "closed on exec");
    assert!(shared::adopt([50, 51]).is_err(), "once in the life of a process");
    drop(a);
    assert!(shared::duplicate(50).is_err(), "who adopted it closes it");
}

fn a_wait_for_a_descriptor_ends_by_what_is_there() {
    let (read, mut write) = std::io::pipe().unwrap();
    let ready = |timeout_ms| process::wait_readable(read.as_raw_fd(), timeout_ms).unwrap();
    assert!(!ready(0) && !ready(1), "nothing was written");
    write.write_all(b"x").unwrap();
    assert!(ready(-1));
    drop(write);
    assert!(ready(-1), "that nobody writes any more is read as an end");
    let closed = read.as_raw_fd();
    drop(read);
    for not_open in [closed, -1, i32::MIN, 1_000_000] {
        let error = process::wait_readable(not_open, -1).unwrap_err();
        assert_eq!(error.source.raw_os_error(), Some(9), "{not_open}");
        assert!(error.to_string().starts_with("poll: "), "{error}");
    }
}

fn a_signal_ends_a_wait_and_is_no_reading() {
    signal::stop_on_interrupt_repeatedly().unwrap();
    let (read, _write) = std::io::pipe().unwrap();
    signal::interrupt_after(1);
    assert!(!process::wait_readable(read.as_raw_fd(), -1).unwrap());
    assert!(!process::wait_readable(read.as_raw_fd(), -1).unwrap(), "and the next one too");
    signal::quiet();
    assert!(!process::wait_readable(read.as_raw_fd(), 0).unwrap());
}
