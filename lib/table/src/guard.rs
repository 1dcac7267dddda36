//! What happens when somebody cuts a table's file short while it is mapped.
//!
//! The kernel answers the next access behind the new end with SIGBUS, which ends the process. This guard
//! catches the signal for addresses of our mappings only, puts empty memory in place of the lost pages and
//! notes it: readers then see absent values, writers write into the void, and `Table::check` gives an
//! error. Every other SIGBUS goes where it would have gone.
#![expect(unsafe_code, reason = "signal handlers and fixed mappings have no safe form")]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

/// Mappings that can be watched at once. Further ones work, without the guard.
const MOST: usize = 256;
const PAGE: usize = 4096;

/// One watched mapping. All fields are atomics because the handler can run at any time on any thread.
struct Watched {
    taken: AtomicBool,
    base: AtomicUsize,
    len: AtomicUsize,
    protection: AtomicI32,
    hit: AtomicBool,
}

static WATCHED: [Watched; MOST] = [const {
    Watched {
        taken: AtomicBool::new(false),
        base: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        protection: AtomicI32::new(0),
        hit: AtomicBool::new(false),
    }
}; MOST];

/// The handler that was installed before ours. Written once, before ours can run; never freed.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());
static INSTALL: Once = Once::new();

/// A place in the list of watched mappings; dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct Ticket(usize);

impl Ticket {
    /// Whether an access to the mapping met the end of its file.
    pub(crate) fn hit(&self) -> bool {
        WATCHED[self.0].hit.load(Ordering::Acquire)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // Length first: a handler that runs in between finds an empty range.
        WATCHED[self.0].len.store(0, Ordering::Release);
        WATCHED[self.0].taken.store(false, Ordering::Release);
    }
}

/// Watches a mapping; `None` if too many are watched already.
pub(crate) fn watch(base: usize, len: usize, writable: bool) -> Option<Ticket> {
    INSTALL.call_once(install);
    let free = |watched: &Watched| !watched.taken.swap(true, Ordering::AcqRel);
    let place = WATCHED.iter().position(free)?;
    let watched = &WATCHED[place];
    let protection = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
    watched.hit.store(false, Ordering::Relaxed);
    watched.protection.store(protection, Ordering::Relaxed);
    watched.base.store(base, Ordering::Relaxed);
    // Release: a handler that sees the length sees the base.
    watched.len.store(len, Ordering::Release);
    Some(Ticket(place))
}

fn install() {
    let before = Box::into_raw(Box::new(default_action()));
    // SAFETY: sigaction(2) without a new action only fills `before`, which is a valid allocation.
    unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), before) };
    BEFORE.store(before, Ordering::Release);
    let mut action = default_action();
    action.sa_sigaction = on_fault as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: `action` names a handler of the three-argument form that calls only async-signal-safe
    // functions, and the previous action was stored before.
    unsafe { libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()) };
}

fn default_action() -> libc::sigaction {
    // SAFETY: all zeroes is the default action with an empty mask.
    unsafe { MaybeUninit::<libc::sigaction>::zeroed().assume_init() }
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid record to a handler installed with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    if !WATCHED.iter().any(|watched| replace(watched, address)) {
        pass_on(signal, info, context);
    }
}

/// Puts empty memory over the lost end of a mapping. `false` if the address is not in it.
fn replace(watched: &Watched, address: usize) -> bool {
    // Acquire pairs with the release in `watch`.
    let len = watched.len.load(Ordering::Acquire);
    let base = watched.base.load(Ordering::Relaxed);
    if address < base || address - base >= len {
        return false;
    }
    watched.hit.store(true, Ordering::Release);
    let start = address / PAGE * PAGE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    let protection = watched.protection.load(Ordering::Relaxed);
    // SAFETY: mmap(2) is a bare system call here and safe in a handler. The range is the end of a mapping
    // of ours that is still alive (its ticket is dropped before it is unmapped); replacing its pages looks
    // to the other threads like another process writing zeroes.
    let new = unsafe { libc::mmap(start as *mut c_void, base + len - start, protection, flags, -1, 0) };
    new != libc::MAP_FAILED
}

/// Does what would have happened without this guard.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let before = BEFORE.load(Ordering::Acquire);
    // SAFETY: `BEFORE` is set before the handler is installed and points to a leaked allocation.
    let before = unsafe { &*before };
    let handler = before.sa_sigaction;
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // The faulting instruction runs again and ends the process as it should.
        // SAFETY: sigaction(2) is async-signal-safe; the action is the default one.
        unsafe { libc::sigaction(signal, &default_action(), std::ptr::null_mut()) };
    } else if before.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: an action with SA_SIGINFO holds a handler of the three-argument form.
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: an action without SA_SIGINFO holds a handler of the one-argument form.
        let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
        handler(signal);
    }
}
