//! Latency from the sending of a signal to its handler, in a thread that sleeps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use fauxplat_sys::{clock, signal, wake};
use fauxplat_threads::ThreadPlacement;

use super::recording::Recording;
use super::stage::run_both;
use crate::LatencyError;

/// Sends `count` signals from the first place to a thread that sleeps at the second, and records the time until each
/// handler runs.
///
/// # Errors
/// Fails where a thread cannot be created or placed, or the handler cannot be set.
pub fn signals(places: [&ThreadPlacement; 2], count: u64) -> Result<Recording, LatencyError> {
    let failed = |source| LatencyError::ThreadPlacement { cpu: places[1].cpu, source };
    let number = wake::stamp_signals().map_err(failed)?;
    let over = AtomicBool::new(false);
    let (sleeper, told) = channel();
    let sends = || {
        let tid = told.recv().map_err(|_| LatencyError::Gone(places[1].cpu))?;
        let _woken = Woken { tid, number, told, over: &over };
        send(tid, number, count).map_err(failed)
    };
    let sleeps = || {
        // The channel's sender moves into this thread, so that the end of the thread closes the channel, for which
        // `Woken` waits.
        let sleeper = sleeper;
        // Sending fails only if the thread that sends signals has ended with an error of its own.
        let _ = sleeper.send(wake::thread_id());
        while !over.load(Ordering::Acquire) {
            wake::pause();
        }
        Ok(())
    };
    run_both(places, sends, sleeps).map(|(recording, ())| recording)
}

/// Guard of a thread that sleeps until it gets signals; ends that thread when dropped.
struct Woken<'a> {
    tid: i32,
    number: i32,
    told: Receiver<i32>,
    over: &'a AtomicBool,
}

impl Drop for Woken<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // The thread may just be about to sleep, so it is signalled until it has ended.
        while self.told.recv_timeout(Duration::from_millis(1)) == Err(RecvTimeoutError::Timeout) {
            let _ = wake::signal_thread(self.tid, self.number);
        }
    }
}

/// Pause between two signals, in nanoseconds, so that the receiver is asleep again when the next signal comes.
const PAUSE_NS: u64 = 50_000;

fn send(tid: i32, number: i32, count: u64) -> fauxplat_sys::Result<Recording> {
    let mut recording = Recording::default();
    let begun_ns = clock::monotonic_ns();
    for _ in 0..count {
        if signal::stop_requested() {
            break;
        }
        let (before, sent_ns) = (wake::arrivals().0, clock::monotonic_ns());
        wake::signal_thread(tid, number)?;
        let arrived_ns = loop {
            match wake::arrivals() {
                (arrivals, arrived_ns) if arrivals > before => break arrived_ns,
                // On one CPU the receiver can only run when the sender yields.
                _ => std::thread::yield_now(),
            }
        };
        recording.record(arrived_ns.saturating_sub(sent_ns));
        fauxplat_sys::timer::sleep_until_ns(clock::monotonic_ns() + PAUSE_NS);
    }
    recording.wall_ns = clock::monotonic_ns() - begun_ns;
    Ok(recording)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Policy;
    use fauxplat_sys::sched;
    use fauxplat_units::Cpu;

    #[test]
    fn every_signal_is_timed() {
        let cpus: Vec<Cpu> = sched::affinity(0).unwrap().iter().collect();
        let place = |cpu| ThreadPlacement { cpu, policy: Policy::Other, slack_ns: Some(1) };
        let recording = signals([&place(cpus[0]), &place(cpus[cpus.len() - 1])], 20).unwrap();
        assert_eq!(recording.count(), 20);
        assert!(signals([&place(cpus[0]), &place(Cpu(99_999))], 5).is_err());
    }
}
