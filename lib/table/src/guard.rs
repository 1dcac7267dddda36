//! Handling of pages of a mapped table that cannot be provided.
//!
//! The kernel answers an access to such a page with SIGBUS, which ends the process. This guard catches the signal for
//! addresses of its mappings only, records it for `Table::check`, and distinguishes two cases by the length of the
//! file. If the file was truncated, empty memory replaces the lost end: readers then see absent values, and stores have
//! no effect. If the file has its full length, the file system is full or failing and the page was never reserved, as
//! in a damaged file or in a copy without the pages of its holes: that one page reads as absent from then on, and a
//! store into it ends the process, because a value that other processes do not see must not count as stored. Every
//! other SIGBUS is passed to the previous handler.
#![expect(unsafe_code, reason = "signal handlers and fixed mappings have no safe form")]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Maximum number of mappings that are watched at once. Further mappings work without the guard.
const MOST: usize = 256;

/// A watched mapping. All fields are atomics because the handler can run at any time on any thread.
struct Watched {
    taken: AtomicBool,
    base: AtomicUsize,
    len: AtomicUsize,
    protection: AtomicI32,
    file: AtomicI32,
    /// Inode number, which distinguishes the file from another file that got the same descriptor number.
    inode: AtomicU64,
    loss: AtomicU32,
}

static WATCHED: [Watched; MOST] = [const {
    Watched {
        taken: AtomicBool::new(false),
        base: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        protection: AtomicI32::new(0),
        file: AtomicI32::new(-1),
        inode: AtomicU64::new(0),
        loss: AtomicU32::new(NONE),
    }
}; MOST];

/// The action for SIGBUS that was installed before the guard's handler. Written once, before the guard's handler can
/// run; never freed.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());
static INSTALL: Once = Once::new();
/// [`page_bytes`] for the handler, in which `sysconf(3)` must not be called. Written at the same time as `BEFORE`.
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// The pages that a mapping has lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The file was truncated.
    End,
    /// The file has its full length, and the file system had no page for a hole in it.
    Page,
}

const NONE: u32 = 0;
const END: u32 = 1;
const ONE_PAGE: u32 = 2;

/// An entry of the list of watched mappings; dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct Ticket(usize);

impl Ticket {
    /// Returns the loss that accesses to the mapping have met so far.
    pub(crate) fn loss(&self) -> Option<Loss> {
        match WATCHED[self.0].loss.load(Ordering::Acquire) {
            NONE => None,
            END => Some(Loss::End),
            _ => Some(Loss::Page),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // The length is cleared first: a handler that runs in between finds an empty range.
        WATCHED[self.0].len.store(0, Ordering::Release);
        WATCHED[self.0].taken.store(false, Ordering::Release);
    }
}

/// Watches a mapping. `None` if [`MOST`] mappings are watched already, or if the inode number of the file is unknown.
pub(crate) fn watch(base: usize, len: usize, writable: bool, file: &File) -> Option<Ticket> {
    let inode = file.metadata().ok()?.ino();
    INSTALL.call_once(install);
    let free = |watched: &Watched| !watched.taken.swap(true, Ordering::AcqRel);
    let place = WATCHED.iter().position(free)?;
    let watched = &WATCHED[place];
    let protection = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
    watched.loss.store(NONE, Ordering::Relaxed);
    watched.file.store(file.as_raw_fd(), Ordering::Relaxed);
    watched.inode.store(inode, Ordering::Relaxed);
    watched.protection.store(protection, Ordering::Relaxed);
    watched.base.store(base, Ordering::Relaxed);
    // Release: a handler that sees the length also sees the base.
    watched.len.store(len, Ordering::Release);
    Some(Ticket(place))
}

/// Returns the size of a page of this system (`sysconf(3)`), which is 64 KiB on some arm64 and POWER machines. The page
/// size of the format does not depend on the system.
pub(crate) fn page_bytes() -> usize {
    // SAFETY: no pointer is passed.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Returns the start of the page that contains an address. The kernel accepts no other start for a mapping or for
/// advice (EINVAL).
pub(crate) fn page_start(place: usize, page_bytes: usize) -> usize {
    place / page_bytes * page_bytes
}

fn install() {
    PAGE_BYTES.store(page_bytes(), Ordering::Release);
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
    // SAFETY: the kernel passes a valid record to a handler installed with SA_SIGINFO, and errno is this thread's own.
    let (code, address, errno) =
        unsafe { ((*info).si_code, (*info).si_addr() as usize, *libc::__errno_location()) };
    // Any other code means that another process sent the signal, or that the memory itself is broken: neither concerns
    // the file.
    let ours = code == libc::BUS_ADRERR && WATCHED.iter().any(|watched| replace(watched, address));
    if !ours {
        // SAFETY: `info` is the record that the kernel passed to this handler.
        unsafe { pass_on(signal, info, context) };
    }
    // SAFETY: errno is this thread's own. The interrupted code must not see the errno of the calls made here.
    unsafe { *libc::__errno_location() = errno };
}

/// Maps empty memory over the lost part of a mapping. `false` if the address is not in the mapping, or if that fails.
fn replace(watched: &Watched, address: usize) -> bool {
    // Acquire pairs with the release in `watch`.
    let len = watched.len.load(Ordering::Acquire);
    let base = watched.base.load(Ordering::Relaxed);
    if address < base || address - base >= len {
        return false;
    }
    // Acquire pairs with the release in `install`.
    let page = PAGE_BYTES.load(Ordering::Acquire);
    let start = page_start(address, page);
    let (loss, bytes, protection) = match is_cut(watched, start - base) {
        true => (END, base + len - start, watched.protection.load(Ordering::Relaxed)),
        false => (ONE_PAGE, page, libc::PROT_READ),
    };
    watched.loss.store(loss, Ordering::Release);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: mmap(2) is a bare system call here and safe in a handler. The range belongs to a mapping of this guard
    // that is still alive (its ticket is dropped before it is unmapped); replacing its pages looks to the other threads
    // like another process writing zeroes.
    let new = unsafe { libc::mmap(start as *mut c_void, bytes, protection, flags, -1, 0) };
    new != libc::MAP_FAILED
}

/// Returns whether the file ends before an offset. `false` if the descriptor was closed or now belongs to another file:
/// only a read-only page then replaces the lost one, so that no store is lost silently.
fn is_cut(watched: &Watched, offset: usize) -> bool {
    let mut facts = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: fstat(2) may be called in a handler; it fills the record or fails, and the record is read only after
    // success.
    let facts = unsafe {
        if libc::fstat(watched.file.load(Ordering::Relaxed), facts.as_mut_ptr()) != 0 {
            return false;
        }
        facts.assume_init()
    };
    facts.st_ino == watched.inode.load(Ordering::Relaxed) && (facts.st_size as usize) <= offset
}

/// Calls the previous handler, or acts as the kernel would without a handler.
///
/// # Safety
///
/// `info` is the record that the kernel passed to the handler.
unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let before = BEFORE.load(Ordering::Acquire);
    // SAFETY: `BEFORE` is set before the handler is installed and points to a leaked allocation.
    let before = unsafe { &*before };
    let handler = before.sa_sigaction;
    // SAFETY: the caller passes the record of the kernel.
    let sent = unsafe { (*info).si_code } <= 0;
    if handler == libc::SIG_IGN && sent {
        // The signal is ignored, as it would be without this guard.
    } else if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // The faulting instruction runs again and ends the process as it should.
        // SAFETY: sigaction(2) is async-signal-safe; the action is the default one.
        unsafe { libc::sigaction(signal, &default_action(), std::ptr::null_mut()) };
        if sent {
            // A signal that another process sent is not repeated by returning, so it is raised again.
            // SAFETY: raise(3) is async-signal-safe. The signal is blocked here and comes when the handler returns.
            unsafe { libc::raise(signal) };
        }
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
