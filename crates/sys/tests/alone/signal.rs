//! Signals that count as requests to stop, stay blocked for a time, or interrupt a wait.

use std::process::Command;

use fauxplat_sys::process::{self, Waited, wait};
use fauxplat_sys::signal::{self, SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGTSTP};
use fauxplat_sys::{clock, timer, wake};

use crate::child::told_by;
use crate::{Case, value};

pub(crate) const CASES: &[Case] = &[
    ("a_stop_is_a_flag_until_it_is_cleared", a_stop_is_a_flag_until_it_is_cleared),
    ("a_request_to_end_waits_for_the_work", a_request_to_end_waits_for_the_work),
    ("a_wait_is_interrupted_again_and_again_until_quiet", a_wait_is_interrupted_again_and_again_until_quiet),
    ("polite_requests_are_ignored_by_who_must_not_end", polite_requests_are_ignored_by_who_must_not_end),
    ("a_sleep_ends_early_by_a_signal_and_says_so", a_sleep_ends_early_by_a_signal_and_says_so),
    ("a_storm_is_counted", a_storm_is_counted),
];

/// Number of SIGQUIT, see `signal(7)`, for which `fauxplat_sys::signal` has no constant.
const QUIT: i32 = 3;

fn own() -> i32 {
    std::process::id() as i32
}

fn a_stop_is_a_flag_until_it_is_cleared() {
    signal::stop_on_interrupt().unwrap();
    assert!(!signal::stop_requested());
    for number in [SIGINT, SIGTERM] {
        signal::send(own(), number);
        assert!(signal::stop_requested(), "signal {number}");
        assert!(signal::stop_requested(), "asking does not clear it");
        signal::clear_stop();
        assert!(!signal::stop_requested());
    }
}

fn a_request_to_end_waits_for_the_work() {
    signal::stop_on_interrupt().unwrap();
    let requests = [SIGINT, SIGTERM, SIGHUP, SIGTSTP, QUIT];
    let held =
        |blocked: &str, signal: i32| u64::from_str_radix(blocked, 16).unwrap() >> (signal - 1) & 1 == 1;
    const BLOCKED: &str = "grep ^SigBlk: /proc/self/status | cut -f 2";
    signal::while_requests_wait(|| {
        signal::send(own(), SIGTERM);
        signal::send(own(), SIGINT);
        assert!(!signal::stop_requested(), "they wait");
        let blocked = told_by(BLOCKED);
        for request in requests {
            assert!(
                held(&blocked, request),
                "a child keeps {request} back, and is not ended before it can say"
            );
        }
    });
    assert_eq!(signal::stops(), 2, "and come then");
    let blocked = told_by(BLOCKED);
    requests.into_iter().for_each(|request| assert!(!held(&blocked, request), "signal {request}"));
}

fn a_wait_is_interrupted_again_and_again_until_quiet() {
    signal::stop_on_interrupt_repeatedly().unwrap();
    let child = Command::new("sleep").arg("1000").spawn().unwrap().id() as i32;
    signal::interrupt_after(1);
    assert_eq!(wait(child, true), Waited::Interrupted);
    assert_eq!(wait(child, true), Waited::Interrupted, "once is not enough: the first may come too early");
    assert_eq!(process::wait_unreaped(child), process::Seen::Interrupted);
    assert!(!signal::stop_requested(), "to be interrupted is not to be stopped");
    signal::send(own(), SIGTERM);
    assert!(signal::stop_requested());
    assert_eq!(wait(child, true), Waited::Interrupted);
    signal::quiet();
    signal::send(child, SIGKILL);
    assert!(matches!(wait(child, true), Waited::Ended { .. }));
}

fn polite_requests_are_ignored_by_who_must_not_end() {
    signal::while_requests_wait(|| {
        signal::send(own(), SIGINT);
        signal::ignore_requests_to_end();
        let blocked = u64::from_str_radix(&value("/proc/thread-self/status", "SigBlk").unwrap(), 16).unwrap();
        assert_eq!(blocked >> (SIGINT - 1) & 1, 0, "who ignores a request has no reason to hold it back");
    });
    let ignored = u64::from_str_radix(&value("/proc/self/status", "SigIgn").unwrap(), 16).unwrap();
    let (user1, user2, pipe, alarm) = (10, 12, 13, 14);
    for number in [SIGINT, SIGTERM, SIGHUP, QUIT, user1, user2, pipe, alarm] {
        assert_eq!(ignored >> (number - 1) & 1, 1, "signal {number}");
        signal::send(own(), number);
    }
}

fn a_sleep_ends_early_by_a_signal_and_says_so() {
    signal::stop_on_interrupt_repeatedly().unwrap();
    let never_ns = clock::monotonic_ns() + 3_600_000_000_000;
    signal::interrupt_after(1_000_000);
    assert!(!timer::sleep_until_ns(never_ns));
    assert!(clock::monotonic_ns() < never_ns);
    wake::pause();
    signal::quiet();
}

fn a_storm_is_counted() {
    for number in 1..=5 {
        let until_ns = clock::monotonic_ns() + 3_600_000_000_000;
        timer::storm_once().unwrap();
        // The signal may have come before the sleep began.
        while timer::storm_signals() < number && clock::monotonic_ns() < until_ns {
            std::hint::spin_loop();
        }
        assert_eq!(timer::storm_signals(), number);
    }
}
