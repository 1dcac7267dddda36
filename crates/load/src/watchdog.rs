//! The watchdog of a real-time load: it frees the CPU when fauxplat gives no sign of life.
//!
//! A real-time load takes all of its CPU from everything ordinary. If what stands still then is fauxplat itself (it was
//! pinned to that CPU, it was stopped, the terminal that would stop it hangs), nobody could end the load any more. So
//! fauxplat marks its life on the board, and the watchdog, which has the higher priority on the same CPU, turns the load
//! into an ordinary one while the mark is old.

use std::io;
use std::sync::Arc;

use fauxplat_sys::shared::SharedWords;
use fauxplat_sys::{clock, sched, timer};
use fauxplat_threads::start_above;

use crate::board::{Board, Stage, Word};

/// The priority of a real-time load: above everything that is not real-time, and below all else that is.
pub(crate) const PRIORITY: u8 = 1;
/// Time between two marks of life.
pub(crate) const BEAT_NS: u64 = 100_000_000;
/// A mark is old after this time.
const OLD_NS: u64 = 1_000_000_000;

/// Starts the watchdog of the thread that calls this. It ends with the process.
///
/// # Errors
/// There is no thread, or no priority above that of the load.
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
            // Neither call can fail for a thread of our own whose priority was permitted before.
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
