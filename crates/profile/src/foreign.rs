//! Files of strangers, read by libraries that panic on damaged input.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside a library call: a panic is then caused by the file and not by a bug of ours.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// Calls a library that may panic on damaged files; `None` where it panics, without the usual message. Only the
/// library's code belongs in the closure, since a bug of ours would pass for a damaged file.
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
