//! A thread with a higher priority than another on the same CPU: the watchdog of a real-time thread, which no other
//! thread could stop.

use std::io;

use fauxplat_sys::{sched, wake};

/// The highest real-time priority of Linux, see `sched(7)`.
const HIGHEST: u8 = 99;

/// Starts a thread on the CPUs of the calling thread, with the priority above `priority`, that of the calling thread.
/// `watch` gets the id of the calling thread. When this returns, the new thread has its priority.
///
/// # Errors
/// The thread cannot be created; there is no higher priority, which is [`io::ErrorKind::InvalidInput`]; or the priority
/// is not permitted.
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
        // The receiver is waiting for this message, so sending cannot fail.
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
