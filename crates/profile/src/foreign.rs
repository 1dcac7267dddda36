//! Untrusted files, read by libraries that panic on damaged input.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside a library call: a panic is then caused by the file and not by a bug in fauxplat.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// Calls a library that may panic on damaged files; `None` if it panics, without the usual message. The closure must
/// contain only library calls, since a panic by a bug in fauxplat would be taken for a damaged file.
pub(crate) fn unless_it_panics<T>(read: impl FnOnce() -> T) -> Option<T> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !READS.get() {
                tell(panic);
            }
        }));
    });
    READS.set(true);
    let found = panic::catch_unwind(AssertUnwindSafe(read)).ok();
    READS.set(false);
    found
}
