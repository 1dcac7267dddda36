//! A thread that stands above another on its CPU: the watchdog of a real-time thread, which nobody else could stop.

use std::io;

use fauxplat_sys::{sched, wake};

/// Starts a thread with the next higher priority than `priority`, that of the calling thread, on the same CPUs, and gives
/// it the number of the calling thread. It stands there when this returns.
///
/// # Errors
/// There is no thread, or no priority above.
pub fn start_above(priority: u8, watch: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    let watched = wake::thread_id();
    let (ready, placed) = std::sync::mpsc::channel();
    std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
        let done = sched::set_policy(0, sched::FIFO, priority.saturating_add(1));
        let go_on = done.is_ok();
        // The receiver waits for exactly this message.
        let _ = ready.send(done);
        if go_on {
            watch(watched);
        }
    })?;
    placed.recv().map_err(io::Error::other)?.map_err(|error| error.source)
}
