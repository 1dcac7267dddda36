//! A thread with a higher priority than another thread on the same CPU, for watchdogs: only such a thread can run on
//! that CPU and stop a real-time thread there.

use std::io;

use fauxplat_sys::{sched, wake};

/// Highest real-time priority of Linux, see `sched(7)`.
const HIGHEST: u8 = 99;

/// Starts a thread on the CPUs of the calling thread, with the priority `priority + 1`, where `priority` is the
/// priority of the calling thread. The new thread runs `watch` with the id of the calling thread. The function returns
/// after the new thread has its priority.
///
/// # Errors
/// Fails if the thread cannot be created or the priority is not permitted; returns [`io::ErrorKind::InvalidInput`] if
/// there is no higher priority.
pub fn start_above(priority: u8, watch: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    if priority >= HIGHEST {
        let most = HIGHEST - 1;
        let why = format!(
            "the watching thread runs above the watched priority {priority}, which may be {most} at most"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let watched = wake::thread_id();
    let (ready, placed) = std::sync::mpsc::channel();
    std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
        let done = sched::set_policy(0, sched::FIFO, priority + 1);
        let go_on = done.is_ok();
        // The calling thread waits for this message, so sending cannot fail.
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
            assert!(refused.to_string().contains("98 at most"), "{refused}");
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        }
    }
}
