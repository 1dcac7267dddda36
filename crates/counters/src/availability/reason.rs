//! Meanings of the error numbers with which the kernel refuses events, see the errors of `perf_event_open(2)`.

use std::io;

use super::Circumstances;
use crate::resolve::Resolved;
use crate::vocabulary::{CACHE, HARDWARE, RAW, Source};

/// Level of `kernel.perf_event_paranoid` from which on an ordinary user can only count in user mode.
const USER_MODE_ALONE: i32 = 2;
/// Level of `kernel.perf_event_paranoid` from which on an ordinary user can count nothing; an addition of Debian and
/// Android.
const NOTHING: i32 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The reason why the event cannot be counted, as part of a sentence.
    pub why: String,
    /// Advice by which the event becomes available; `None` if there is none.
    pub cure: Option<String>,
}

impl Reason {
    fn new(why: impl Into<String>, cure: impl Into<String>) -> Reason {
        Reason { why: why.into(), cure: Some(cure.into()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub errno: i32,
    /// Whether the kernel accepts the event restricted to user mode.
    pub is_taken_in_user_mode: bool,
}

pub fn reason(refusal: Refusal, event: &Resolved, circumstances: &Circumstances) -> Reason {
    // Missing counters of the cores do not explain why an event of another device is refused, since that device exists.
    let is_of_cores = matches!(event.event.kind, HARDWARE | CACHE | RAW);
    match refusal.errno {
        libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP if is_of_cores && !circumstances.has_cores => {
            no_cores(circumstances)
        }
        libc::ENOENT | libc::ENODEV => Reason::new(
            "this machine has no such event",
            "ask for another event, or give its code in the terms of its device, such as cpu/event=0x3c,umask=0x0/",
        ),
        libc::EACCES | libc::EPERM if circumstances.is_privileged => {
            filtered("forbids it to a privileged process")
        }
        libc::EACCES | libc::EPERM => forbidden(refusal, event, circumstances.paranoid),
        libc::ENOSYS => filtered("has no perf_event_open(2)"),
        libc::EINVAL => invalid(event),
        libc::EOPNOTSUPP => Reason::new(
            "the hardware cannot count it in this way",
            "ask for it without modifiers, or for another event",
        ),
        libc::EMFILE | libc::ENFILE => {
            Reason::new("too many files are open", "ask for fewer events, or raise the limit (`ulimit -n`)")
        }
        libc::EBUSY => {
            Reason::new("another program has the counters alone", "end other profilers, and try again")
        }
        libc::ENOSPC => Reason::new("there are not enough counters", "ask for fewer events at once"),
        libc::E2BIG => {
            Reason::new("the kernel is older than this event's fields", "ask for it without config2")
        }
        other => Reason { why: io::Error::from_raw_os_error(other).to_string(), cure: None },
    }
}

/// Returns the reason if the kernel has no device for the counters of the processor.
pub(super) fn no_cores(circumstances: &Circumstances) -> Reason {
    if circumstances.is_virtual {
        return Reason::new(
            "the host gives this virtual machine no counters",
            "enable the virtual PMU on the host (QEMU: `-cpu host,pmu=on`; VMware: virtualised CPU performance \
             counters), or measure on the host",
        );
    }
    Reason::new(
        "the kernel has no driver for the counters of this processor",
        "look for `perf` and `PMU` in the kernel's log (`dmesg`), and for counters that the firmware switched off",
    )
}

/// Returns the reason for a refusal that the level of `kernel.perf_event_paranoid` does not explain: the seccomp filter
/// of a container, a security module, a locked-down kernel, or a kernel without perf.
fn filtered(what: &str) -> Reason {
    Reason::new(
        format!(
            "the kernel {what}: mostly a container's seccomp filter, or else a security module or a kernel without it"
        ),
        "start the container with a seccomp profile that lets perf_event_open pass, and with CAP_PERFMON",
    )
}

fn forbidden(refusal: Refusal, event: &Resolved, paranoid: Option<i32>) -> Reason {
    let grant = "give CAP_PERFMON (`setcap cap_perfmon+ep`)";
    let Some(level) = paranoid else {
        return Reason::new("this user may not count it", format!("{grant}, or run as root"));
    };
    let why = format!("kernel.perf_event_paranoid is {level}");
    match level {
        NOTHING.. => Reason::new(
            format!("{why}, so that this user may count nothing"),
            format!("`sysctl kernel.perf_event_paranoid={}`, or {grant}", USER_MODE_ALONE - 1),
        ),
        USER_MODE_ALONE if !event.event.excludes_kernel => Reason::new(
            format!("{why}, so that this user may count in user mode alone"),
            format!(
                "{}`sysctl kernel.perf_event_paranoid={}`, or {grant}",
                in_user_mode(refusal, event),
                USER_MODE_ALONE - 1
            ),
        ),
        _ => filtered(&format!("forbids it, although {why}")),
    }
}

/// Advice to count in user mode. Empty where the kernel refuses user mode too, and for software events, most of which
/// happen in the kernel, so that hardly any would be counted.
fn in_user_mode(refusal: Refusal, event: &Resolved) -> String {
    match event.source {
        _ if !refusal.is_taken_in_user_mode => String::new(),
        Source::Pmu if event.name.ends_with('/') => format!("ask for `{}u`, ", event.name),
        Source::Pmu => format!("ask for `{}:u`, ", event.name),
        Source::Software | Source::Tracepoint => String::new(),
    }
}

/// Explains `EINVAL`, which a device returns for every missing event or feature.
fn invalid(event: &Resolved) -> Reason {
    let asked = event.event;
    let device = event.device.as_deref().unwrap_or("kernel");
    if asked.excludes_user || asked.excludes_kernel || asked.excludes_hypervisor {
        return Reason::new(
            format!("`{device}` has no such event, or cannot leave out user or kernel mode"),
            "ask for it without modifiers",
        );
    }
    Reason::new(format!("`{device}` has no such event"), "ask for another event")
}
