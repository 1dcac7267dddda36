//! Latency from the expiry of a timer to the thread's execution.

use fauxplat_sys::{clock, signal};
use fauxplat_threads::ThreadPlacement;

use super::recording::Recording;
use super::stage::{run, sleep_until};
use crate::LatencyError;

/// Records how late a thread runs that sleeps until absolute times, one every `interval_ns` nanoseconds, at least 1000.
/// `activations` is the number of these times, missed ones included. Ends early when a stop was requested, even while
/// the next activation is far off.
///
/// # Errors
/// Fails where the thread cannot be created or placed.
pub fn timer(place: &ThreadPlacement, interval_ns: u64, activations: u64) -> Result<Recording, LatencyError> {
    let interval_ns = interval_ns.max(1000);
    run(place, || {
        let mut recording = Recording::default();
        let begun_ns = clock::monotonic_ns();
        let mut due_ns = begun_ns + interval_ns;
        let mut left = activations;
        while left > 0 && !signal::stop_requested() {
            if !sleep_until(due_ns, signal::stop_requested) {
                break;
            }
            let now_ns = clock::monotonic_ns();
            let missed = recording.record_periodic(now_ns - due_ns, interval_ns);
            due_ns += (missed + 1) * interval_ns;
            left = left.saturating_sub(missed + 1);
        }
        recording.wall_ns = clock::monotonic_ns() - begun_ns;
        Ok(recording)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Policy;
    use fauxplat_sys::sched;

    #[test]
    fn every_activation_is_served_or_missed() {
        let cpu = sched::affinity(0).unwrap().first().unwrap();
        let place = ThreadPlacement { cpu, policy: Policy::Other, slack_ns: Some(1) };
        let recording = timer(&place, 200_000, 50).unwrap();
        assert!(recording.count() + recording.missed >= 50, "{recording:?}");
        assert!(recording.wall_ns >= 50 * 200_000);
        let nowhere = ThreadPlacement { cpu: fauxplat_units::Cpu(99_999), ..place };
        assert!(timer(&nowhere, 200_000, 1).unwrap_err().to_string().contains("99999"));
    }
}
