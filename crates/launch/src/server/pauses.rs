//! Ctrl-Z: when fauxplat is stopped, so is the program that runs.

use std::time::Duration;

use fauxplat_sys::{pause, signal};

/// The turns of fauxplat, as far as they were acted upon.
#[derive(Debug, Default)]
pub(super) struct Pauses(u32);

/// How often it is looked whether fauxplat goes on. Nothing is measured meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Pauses {
    /// Passes a turn on to the program that runs, as a terminal would: to all in our group. We disregard both signals.
    pub(super) fn pass_on(&mut self) {
        let turns = pause::turns_of_parent();
        if turns != self.0 {
            self.0 = turns;
            let signal = if pause::parent_is_stopped() { signal::SIGTSTP } else { signal::SIGCONT };
            signal::send_to_group(std::process::id() as i32, signal);
        }
    }

    /// Notes a turn that finds no program: nothing has to be interrupted for it.
    pub(super) fn note(&mut self) {
        let turns = pause::turns_of_parent();
        if turns != self.0 {
            self.0 = turns;
            if !signal::stop_requested() {
                signal::quiet();
            }
        }
    }

    /// Begins nothing while fauxplat is stopped. Its end is a request to stop.
    pub(super) fn sit_out(&mut self) {
        while pause::parent_is_stopped() && !signal::stop_requested() {
            self.note();
            std::thread::sleep(LOOK_EVERY);
        }
        self.note();
    }
}
