//! Latency of a blinking light: the time from when an edge is due until the loop of `fauxplat-blink` makes it.

use std::ops::ControlFlow;

use fauxplat_blink::{Blinker, Change, Controller, Happening, How, Limits, Period, Rules, Style};
use fauxplat_gpio::{Chips, Leave, LineName, OutputWish};
use fauxplat_sys::{clock, signal};
use fauxplat_threads::ThreadPlacement;

use super::recording::Recording;
use super::stage::{DEAF_NS, run, sleep_until};
use crate::LatencyError;

/// Records how late each of `count` edges of a light is made; an edge is due every `interval_ns` nanoseconds, at least
/// 1000. The light is restored afterwards. Ends early when a stop was requested, even while the next edge is far off.
///
/// # Errors
/// Fails where the thread cannot be created or placed, or the line cannot be requested or restored, or vanishes.
pub fn edge(
    place: &ThreadPlacement,
    chips: &Chips,
    light: &LineName,
    interval_ns: u64,
    count: u64,
) -> Result<Recording, LatencyError> {
    let interval_ns = interval_ns.max(1000);
    run(place, || {
        let limits = Limits::new(2, u64::MAX)?;
        let period = Period::new(interval_ns.saturating_mul(2), limits)?;
        let rules = Rules { change: Change::Now, debounce_ns: 0, first_counts: false };
        let wish = OutputWish { consumer: "fauxplat-latency".to_owned(), ..OutputWish::default() };
        let light = chips.output(light, &wish)?;
        let begun_ns = clock::monotonic_ns();
        let mut next_ns = begun_ns + interval_ns;
        let controller = Controller::new(period, rules, next_ns);
        let mut blinker = Blinker::new(light, Vec::new(), controller, Leave::AsItWas);
        let how = How { style: Style::Event, until_ns: None, signals: None, stop: signal::stop_requested };
        let (mut recording, mut left) = (Recording::default(), count);
        // The blinker's loop checks for a stop only at edges, so the loop is entered shortly before an edge.
        let is_near = interval_ns <= DEAF_NS;
        let comes = |due_ns: u64| {
            !signal::stop_requested() && sleep_until(due_ns.saturating_sub(DEAF_NS), signal::stop_requested)
        };
        while left > 0 && comes(next_ns) {
            blinker.run(&how, &mut |happened| {
                if let Happening::Edge { due_ns, at_ns, missed: left_out, .. } = happened {
                    let missed = recording.record_periodic(at_ns.saturating_sub(due_ns), interval_ns);
                    left = left.saturating_sub(missed + 1);
                    next_ns = due_ns.saturating_add(interval_ns.saturating_mul(left_out + 1));
                }
                if is_near && left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
        }
        blinker.end()?;
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
    fn every_edge_is_made_or_missed_and_the_light_is_left_as_it_was() {
        let cpu = sched::affinity(0).unwrap().first().unwrap();
        let place = ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None };
        let chips = Chips::below("/".as_ref());
        let light = "sim:3".parse().unwrap();
        chips.simulated.drive(3, true).unwrap();
        let mut seen = chips.simulated.watch(3).unwrap();
        let recording = edge(&place, &chips, &light, 200_000, 50).unwrap();
        assert!(recording.count() + recording.missed >= 50, "{recording:?}");
        let mut edges = Vec::new();
        seen.take(&mut edges).unwrap();
        assert!(edges.len() as u64 >= recording.count());
        assert!(chips.simulated.is_high(3));
        let taken = chips.output(&light, &OutputWish::default()).unwrap();
        let refused = edge(&place, &chips, &light, 200_000, 5).unwrap_err().to_string();
        assert!(refused.contains("sim:3 is taken"), "{refused}");
        drop(taken);
    }

    /// For edges further apart than [`DEAF_NS`], the blinker's loop is entered anew for each.
    #[test]
    fn edges_that_are_far_apart_keep_their_rhythm() {
        let cpu = sched::affinity(0).unwrap().first().unwrap();
        let place = ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None };
        let interval_ns = DEAF_NS + 1_000_000;
        let recording = edge(&place, &Chips::below("/".as_ref()), &"sim:3".parse().unwrap(), interval_ns, 3);
        let recording = recording.unwrap();
        assert!(recording.count() > 0 && recording.count() + recording.missed >= 3, "{recording:?}");
        assert!(recording.wall_ns >= 3 * interval_ns, "{recording:?}");
    }
}
