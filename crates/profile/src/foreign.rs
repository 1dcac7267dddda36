//! Files that somebody else wrote, and that libraries read for us which panic at what is not whole.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a library reads for this thread: a panic says something of the file then, and nothing of us.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// What a library finds; nothing where it panics, of which the user is told nothing either. Only what is the library's
/// belongs in here, since a mistake of our own would pass for one of the file.
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
