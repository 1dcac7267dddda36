//! Serialises changes of the controllers that a group enables for its children.
//!
//! In version 2 a controller is enabled for all children of a group at once. Two copies of fauxplat that make and
//! remove groups in one place at the same moment could disable a controller that the other needs, or leave one enabled
//! for good. Therefore a process holds a `flock(2)` on the folder while it checks and changes the controllers.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use fauxplat_sys::{clock, signal};

/// The lock on a group's folder, held until dropped. `folder` is `None` where the lock was not obtained.
#[derive(Debug)]
pub(crate) struct Turn {
    #[cfg_attr(not(test), expect(dead_code, reason = "it is held, and not looked at"))]
    folder: Option<File>,
}

/// Longest wait for the lock: longer than another fauxplat waits for processes that cannot be ended, before it gives a
/// group up. Any user who may read a folder may lock it, so the wait must have a limit.
const PATIENCE_NS: u64 = 2_000_000_000;
/// Longest wait for the lock once the user has asked to stop: as long as another fauxplat waits for one group of
/// processes that cannot be ended.
const HURRIED_NS: u64 = 600_000_000;

impl Turn {
    /// Waits for the lock, for a shorter time once the user has asked to stop. A folder that cannot be opened is not
    /// locked.
    pub(crate) fn take(folder: &Path) -> Turn {
        let begun_ns = clock::monotonic_ns();
        let limit_ns = || if signal::stop_requested() { HURRIED_NS } else { PATIENCE_NS };
        let is_over = || clock::monotonic_ns() - begun_ns >= limit_ns();
        let is_taken = |file: &File| loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if !is_over() => std::thread::sleep(Duration::from_millis(1)),
                tried => return tried.is_ok(),
            }
        };
        Turn { folder: File::open(folder).ok().filter(is_taken) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn two_never_have_it_and_a_stranger_holds_nobody_up_for_ever() {
        let folder = std::env::temp_dir().join(format!("fauxplat-turn-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let turn = Turn::take(&folder);
                        if turn.folder.is_some() {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        let stranger = File::open(&folder).unwrap();
        stranger.lock_shared().unwrap();
        assert!(Turn::take(&folder).folder.is_none());
        drop(stranger);
        assert!(Turn::take(&folder).folder.is_some());
        assert!(Turn::take(&folder.join("none")).folder.is_none());
        std::fs::remove_dir(&folder).unwrap();
    }
}
