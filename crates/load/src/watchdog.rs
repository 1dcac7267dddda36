//! Watchdog of a real-time load: frees the CPU when fauxplat gives no sign of life.
//!
//! A real-time load takes all of its CPU from ordinary tasks. If fauxplat itself is blocked by that (pinned to that
//! CPU, stopped, or started from a terminal that hangs), no process could end the load any more. Therefore fauxplat
//! stores the time of its last sign of life on the board, and the watchdog, which has the higher priority on the same
//! CPU, turns the load into an ordinary one while that time is old.

use std::io;
use std::sync::Arc;

use fauxplat_sys::shared::SharedWords;
use fauxplat_sys::{clock, sched, timer};
use fauxplat_threads::start_above;

use crate::board::{Board, Stage, Word};

/// Priority of a real-time load: the lowest of `SCHED_FIFO`, which still precedes every ordinary task.
pub(crate) const PRIORITY: u8 = 1;
/// Interval, in nanoseconds, at which fauxplat gives signs of life.
pub(crate) const BEAT_NS: u64 = 100_000_000;
/// Age, in nanoseconds, of fauxplat's last sign of life above which a load at work loses its real-time priority.
const OLD_NS: u64 = 1_000_000_000;

/// Starts a thread of higher priority that takes the real-time priority from the calling thread, the load, while
/// fauxplat gives no sign of life. The thread ends with the process.
///
/// # Errors
/// Fails where no thread can be created, or no priority above that of the load is permitted.
pub(crate) fn start(memory: &Arc<SharedWords>) -> io::Result<()> {
    let memory = Arc::clone(memory);
    start_above(PRIORITY, move |load| watch(Board(memory.words()), load))
}

fn watch(board: Board<'_>, load: i32) -> ! {
    let (mut freed, mut next_ns) = (false, clock::monotonic_ns());
    loop {
        next_ns += BEAT_NS;
        timer::sleep_until_ns(next_ns);
        let old = clock::monotonic_ns().saturating_sub(board.read(Word::HeartbeatNs)) > OLD_NS;
        let is_at_work = board.stage() == Stage::Works;
        if old && is_at_work && !freed {
            // The calls cannot fail for a thread of this process whose priority was permitted before.
            let _ = sched::set_policy(load, sched::OTHER, 0);
            board.write(Word::WatchdogFrees, board.read(Word::WatchdogFrees) + 1);
            freed = true;
        } else if !old && freed {
            freed = false;
            if is_at_work {
                let _ = sched::set_policy(load, sched::FIFO, PRIORITY);
            }
        }
    }
}
