//! Watches a command from its start to its end.

use fauxplat_sys::process::{self, Exit, Seen, Usage, Waited};
use fauxplat_sys::spawn::{Stage, Started};
use fauxplat_sys::{clock, signal};

use super::births::Births;
use super::control::Control;
use super::counting::Counting;
use super::pauses::Pauses;
use crate::procfs;
use crate::ring::RunEnd;

pub(super) struct Watched {
    pub(super) end: RunEnd,
    pub(super) ended_ns: u64,
    pub(super) usage: Usage,
    pub(super) seen: Option<procfs::FirstThread>,
}

/// Waits for the end of the command. A request to stop or the time limit ends the command and its descendants.
///
/// The clock is read as soon as the end is seen, before the kernel removes the process (the 2 µs of reaping are not
/// part of the command's time). Until then `/proc` still shows the ended process.
pub(super) fn watch(
    started: Started,
    timeout_ns: Option<u64>,
    look: bool,
    (mut control, mut births): (Option<(&mut Control, &Counting)>, Option<&mut Births>),
    pauses: &mut Pauses,
) -> Watched {
    let mut killed = None;
    // The signal that stopped the command last.
    let mut stop = None;
    // Result of waiting for the command, where the kernel refuses to report an end without reaping the child.
    let mut reaped = None;
    let ending = control.is_some().then(|| process::end_of(started.pid).ok()).flatten();
    loop {
        let seen = match (&mut control, &mut births) {
            (_, Some(births)) => births.wait(),
            (None, None) => process::wait_unreaped(started.pid),
            (Some((control, counting)), None) => control.wait(started, ending.as_ref(), counting),
        };
        match seen {
            Seen::Ended => break,
            Seen::Refused => match process::wait(started.pid, true) {
                Waited::Interrupted => {}
                waited => {
                    reaped = Some(waited);
                    break;
                }
            },
            // SIGTTIN and SIGTTOU stop a command that uses the terminal from the background. No shell would continue
            // the command, so it is killed.
            Seen::Stopped(signal @ (signal::SIGTTIN | signal::SIGTTOU)) => {
                killed = killed.or(Some(RunEnd::Ended(Exit::Signal(signal as u8))));
            }
            Seen::Stopped(signal) => stop = Some(signal),
            Seen::Interrupted => {}
        }
        pauses.pass_on();
        let over = |limit_ns| clock::monotonic_ns() - started.started_ns >= limit_ns;
        if signal::stop_requested() {
            killed = Some(RunEnd::Aborted);
        } else if timeout_ns.is_some_and(over) {
            killed = killed.or_else(|| Some(at_limit(started.pid, stop)));
        }
        if let Some(end) = killed
            && !signal::send_if_permitted(started.pid, signal::SIGKILL)
        {
            // The process now belongs to another user, such as a command started by sudo. The process continues
            // unwatched.
            return Watched { end, ended_ns: clock::monotonic_ns(), usage: Usage::default(), seen: None };
        }
    }
    let ended_ns = clock::monotonic_ns();
    if let Some((control, counting)) = &mut control {
        control.end(started, ended_ns, counting);
    }
    let seen = (look && reaped.is_none()).then(|| procfs::first_thread(started.pid));
    let (end, usage) = reap(started.pid, reaped);
    // If waiting failed, the end of the program is not known, even if fauxplat killed it.
    let end = if matches!(end, RunEnd::NotStarted(..)) { end } else { killed.unwrap_or(end) };
    Watched { end, ended_ns, usage, seen }
}

/// How a run ended that is over because of its time limit: a command that stopped itself, and that nothing has
/// continued, would not have ended with more time, so that the signal that stopped it is reported.
fn at_limit(pid: i32, stop: Option<i32>) -> RunEnd {
    match stop.filter(|_| procfs::is_stopped(pid)) {
        Some(signal) => RunEnd::Ended(Exit::Signal(signal as u8)),
        None => RunEnd::TimedOut,
    }
}

/// Outcome and resource usage of the command; `reaped` holds both if the command was reaped before.
fn reap(pid: i32, reaped: Option<Waited>) -> (RunEnd, Usage) {
    let mut waited = reaped;
    loop {
        match waited.take().unwrap_or_else(|| process::wait(pid, true)) {
            Waited::Ended { exit, usage, .. } => return (RunEnd::Ended(exit), usage),
            Waited::Interrupted => {}
            Waited::Refused(errno) => {
                return (RunEnd::NotStarted(Stage::Wait as i32, errno), Usage::default());
            }
            Waited::NoChild | Waited::Running => {
                return (RunEnd::Ended(Exit::Status(255)), Usage::default());
            }
        }
    }
}
