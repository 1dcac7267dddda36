//! Ctrl-Z: stops the running program when fauxplat is stopped.

use std::time::Duration;

use fauxplat_sys::{pause, signal};

/// Number of stops and continuations of fauxplat that have been acted upon.
#[derive(Debug, Default)]
pub(super) struct Pauses(u32);

/// Interval at which the spawner checks whether fauxplat is still stopped. No run takes place during the stop.
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Pauses {
    /// Passes a stop or continuation on to the running program, as a terminal would: to the whole process group. The
    /// spawner ignores both signals.
    pub(super) fn pass_on(&mut self) {
        let turns = pause::turns_of_parent();
        if turns != self.0 {
            self.0 = turns;
            let signal = if pause::parent_is_stopped() { signal::SIGTSTP } else { signal::SIGCONT };
            signal::send_to_group(std::process::id() as i32, signal);
        }
    }

    /// Marks stops and continuations as acted upon while no program runs.
    pub(super) fn note(&mut self) {
        let turns = pause::turns_of_parent();
        if turns != self.0 {
            self.0 = turns;
            if !signal::stop_requested() {
                signal::quiet();
            }
        }
    }

    /// Waits while fauxplat is stopped, so that no run begins. Returns as well when fauxplat ends, which counts as a
    /// request to stop.
    pub(super) fn sit_out(&mut self) {
        while pause::parent_is_stopped() && !signal::stop_requested() {
            self.note();
            std::thread::sleep(LOOK_EVERY);
        }
        self.note();
    }
}
