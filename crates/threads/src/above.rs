//! A thread that stands above another on its CPU: the watchdog of a real-time thread, which nobody else could stop.

use std::io;

use fauxplat_sys::{sched, wake};

/// The highest priority that Linux knows, see `sched(7)`.
const HIGHEST: u8 = 99;

/// Starts a thread with the next higher priority than `priority`, that of the calling thread, on the same CPUs, and gives
/// it the number of the calling thread. It stands there when this returns.
///
/// # Errors
/// There is no thread; no priority above, which is [`io::ErrorKind::InvalidInput`]; or none that is permitted.
pub fn start_above(priority: u8, watch: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    if priority >= HIGHEST {
        let most = HIGHEST - 1;
        let why =
            format!("it stands above the priority {priority} that it watches: {most} is the most for that");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let watched = wake::thread_id();
    let (ready, placed) = std::sync::mpsc::channel();
    std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
        let done = sched::set_policy(0, sched::FIFO, priority + 1);
        let go_on = done.is_ok();
        // The receiver waits for exactly this message.
        let _ = ready.send(done);
        if go_on {
            watch(watched);
        }
    })?;
    placed.recv().map_err(io::Error::other)?.map_err(|error| error.source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_stands_above_the_highest_priority() {
        for priority in [99, u8::MAX] {
            let refused = start_above(priority, |_| ()).unwrap_err();
            assert!(refused.to_string().contains("98 is the most"), "{refused}");
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        }
    }
}
