//! Signal state with which this process was started, before any of its code changed it: ignored and blocked signals.
//!
//! A measured program must start as a shell would start it, so it gets the signal state that fauxplat itself had at its
//! start. Rust's start-up code ignores SIGPIPE before `main`; hence the state is read even earlier.
#![expect(
    unsafe_code,
    reason = "signal dispositions are read and set by C calls, before main by an entry of .init_array"
)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Largest signal number, and the signals that [`signals`] omits: SIGKILL and SIGSTOP, which cannot be ignored, and
/// those that the C library reserves.
const LAST: i32 = 64;
const UNTOUCHABLE: [i32; 4] = [libc::SIGKILL, libc::SIGSTOP, 32, 33];
/// Signals reserved by the C library. Programs started by its `posix_spawn(3)` ignore them, and the programs that such
/// a program starts would inherit that.
const OF_THE_LIBRARY: [i32; 2] = [32, 33];
/// Signals that the spawner, the process that starts the measured programs, needs for its own work: to be stopped, to
/// keep time, to wait for children, and to be notified that its parent was stopped.
const NEEDED: [i32; 4] = [libc::SIGTERM, libc::SIGALRM, libc::SIGCHLD, NEWS_OF_PARENT];
/// Signal by which a parent reports that it was stopped. The last real-time signal is used, since real-time signals are
/// queued and carry a value.
pub(crate) const NEWS_OF_PARENT: i32 = LAST;

/// Signals that report a fault of the process itself, or an event elsewhere, and request nothing.
const OWN: [i32; 11] = [
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGSEGV,
    libc::SIGSYS,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGCONT,
    libc::SIGURG,
    libc::SIGWINCH,
];

static IGNORED: AtomicU64 = AtomicU64::new(0);
static BLOCKED: AtomicU64 = AtomicU64::new(0);
static LACKS_STDOUT: AtomicBool = AtomicBool::new(false);

/// Runs `look` before `main`, see `ld.so(8)` and the System V ABI on `.init_array`.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Stores the signal state of this process, and gives SIGCHLD its default: if it is ignored, no child can be waited for
/// (see `wait(2)`). SIGXFSZ is ignored, so that exceeding the limit of `ulimit -f` is reported as an error; measured
/// programs get its original state.
extern "C" fn look() {
    let signals = Signals::now();
    IGNORED.store(signals.ignored, Ordering::Relaxed);
    BLOCKED.store(signals.blocked, Ordering::Relaxed);
    // SAFETY: only integers are passed. Rust's start-up code opens /dev/null in the place of a closed descriptor.
    LACKS_STDOUT.store(unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1, Ordering::Relaxed);
    if signals.ignores(libc::SIGCHLD) {
        set(libc::SIGCHLD, libc::SIG_DFL);
    }
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

/// Returns whether this process was started with its standard output closed, so that all output is lost.
pub fn lacks_stdout() -> bool {
    LACKS_STDOUT.load(Ordering::Relaxed)
}

/// Signals that a process ignores and blocks, which exec preserves. Bit n − 1 is signal n, as in `/proc/PID/status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    pub ignored: u64,
    pub blocked: u64,
}

/// Changes of the signal state that a child makes between its creation and exec; usually none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restoration {
    /// Signals whose disposition changes; true for ignored, false for default.
    dispositions: Vec<(i32, bool)>,
    /// New signal mask; `None` if it need not change.
    blocked: Option<u64>,
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

fn signals() -> impl Iterator<Item = i32> {
    (1..=LAST).filter(|signal| !UNTOUCHABLE.contains(signal))
}

fn is_ignored(signal: i32) -> bool {
    let mut found = KernelAction::default();
    // SAFETY: the kernel writes its structure, which is no longer than this one, and is given none.
    let done = unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            std::ptr::null::<KernelAction>(),
            &raw mut found,
            MASK_BYTES,
        )
    };
    done == 0 && found[0] == libc::SIG_IGN
}

/// The kernel's own structure, see `rt_sigaction(2)`: the disposition, followed by zeroes unless the disposition is a
/// function. The C library's function would not report its reserved signals.
type KernelAction = [usize; 8];
/// Size of a signal set in bytes, for the kernel.
const MASK_BYTES: usize = 8;

/// Sets a signal to its default disposition, as [`set`] does, but also a signal that the C library reserves.
fn set_default(signal: i32) {
    let default = KernelAction::default();
    // SAFETY: the kernel reads its structure, which is no longer than this one, and default needs no function.
    unsafe {
        let none = std::ptr::null_mut::<KernelAction>();
        libc::syscall(libc::SYS_rt_sigaction, signal, &raw const default, none, MASK_BYTES);
    }
}

fn set(signal: i32, disposition: libc::sighandler_t) {
    // SAFETY: the disposition is one of the two that need no function.
    unsafe { libc::signal(signal, disposition) };
}

extern "C" fn nothing(_: libc::c_int) {}

/// Installs a handler that does nothing, and interrupts nothing. Unlike an ignored signal, a handler does not survive
/// exec.
fn disregard(signal: i32) {
    // SAFETY: a zeroed sigaction with a function that does nothing is valid; it outlives the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

fn mask_of(blocked: u64) -> libc::sigset_t {
    // SAFETY: zeroed sets are valid and emptied at once, and the signals exist.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut mask);
        signals().filter(|&signal| blocked & bit(signal) != 0).for_each(|signal| {
            libc::sigaddset(&mut mask, signal);
        });
        mask
    }
}

fn block(mask: &libc::sigset_t) {
    // SAFETY: the mask is initialised and only read.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

impl Signals {
    /// Returns the signal state of this process at its start.
    pub fn at_start() -> Self {
        Signals { ignored: IGNORED.load(Ordering::Relaxed), blocked: BLOCKED.load(Ordering::Relaxed) }
    }

    /// Returns the present signal state of this process and thread.
    pub fn now() -> Self {
        let ignored = signals().chain(OF_THE_LIBRARY).filter(|&signal| is_ignored(signal)).map(bit).sum();
        // SAFETY: the set is a local, filled in by the call.
        let blocked = unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &mut mask);
            signals().filter(|&signal| libc::sigismember(&mask, signal) == 1).map(bit).sum()
        };
        Signals { ignored, blocked }
    }

    pub fn ignores(&self, signal: i32) -> bool {
        self.ignored & bit(signal) != 0
    }

    /// Gives this process this signal state, as far as possible, so that its children begin with it. The signals that a
    /// terminal sends to a whole foreground group, and those that a child may send to its group, which includes this
    /// process, get a handler that does nothing: this process obeys only its parent. The signals that this process
    /// needs for its work keep their handlers and are unblocked.
    pub fn pass_on(&self) {
        for signal in signals().filter(|signal| !NEEDED.contains(signal)) {
            match (self.ignores(signal), is_ignored(signal)) {
                (true, false) => set(signal, libc::SIG_IGN),
                (false, true) => set(signal, libc::SIG_DFL),
                _ => {}
            }
        }
        let started_so = |signal: &i32| !self.ignores(*signal) && is_ignored(*signal);
        OF_THE_LIBRARY.into_iter().filter(started_so).for_each(set_default);
        // A child that reads from the terminal in the background makes the kernel send SIGTTIN to its whole group. This
        // process may be in that group, and must not stop.
        let meant_for_others =
            |signal: &i32| !self.ignores(*signal) && !NEEDED.contains(signal) && !OWN.contains(signal);
        signals().filter(meant_for_others).for_each(disregard);
        let needed: u64 = NEEDED.into_iter().map(bit).sum();
        block(&mask_of(self.blocked & !needed));
    }

    /// Returns the changes that a child of this process has to make to begin with this state.
    pub fn restoration(&self) -> Restoration {
        let now = Signals::now();
        let differ = signals().filter(|&signal| self.ignores(signal) != now.ignores(signal));
        Restoration {
            dispositions: differ.map(|signal| (signal, self.ignores(signal))).collect(),
            blocked: Some(self.blocked).filter(|&blocked| blocked != now.blocked),
        }
    }
}

impl Restoration {
    /// Changes the signal state of the calling process, only by calls that are safe after `vfork(2)`, and without any
    /// call if nothing has to change.
    pub(crate) fn apply(&self) {
        for &(signal, ignored) in &self.dispositions {
            set(signal, if ignored { libc::SIG_IGN } else { libc::SIG_DFL });
        }
        if let Some(blocked) = self.blocked {
            block(&mask_of(blocked));
        }
    }
}

/// Marks every descriptor above standard error to be closed on exec, see `close_range(2)`. On kernels before 5.11,
/// which lack the flag, each possible number is marked by a call of its own. Safe after `vfork(2)`.
pub fn close_all_on_exec() {
    // SAFETY: only integers are passed, and `limit`, which lives for its call. Marks on descriptors close nothing here.
    unsafe {
        let marked = libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
        if marked < 0 {
            let mut limit = libc::rlimit { rlim_cur: LAST_DESCRIPTOR, rlim_max: 0 };
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            for fd in 3..limit.rlim_cur.min(LAST_DESCRIPTOR) as libc::c_int {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// Largest descriptor number that is tried where the kernel cannot mark a range.
const LAST_DESCRIPTOR: libc::rlim_t = 65_536;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_was_taken_before_rust_ignored_sigpipe() {
        assert!(Signals::now().ignores(libc::SIGPIPE), "Rust's start-up code ignores it");
        let found = Signals::at_start();
        // A test harness may itself have been started with SIGPIPE ignored.
        let expected = found.ignores(libc::SIGPIPE);
        let change = found.restoration();
        assert_eq!(change.dispositions.contains(&(libc::SIGPIPE, false)), !expected);
    }

    #[test]
    fn a_mask_survives_the_way_through_the_c_library() {
        let blocked = bit(libc::SIGUSR1) | bit(64) | bit(1);
        let wanted = Signals { ignored: Signals::now().ignored, blocked };
        assert_eq!(wanted.restoration(), Restoration { dispositions: Vec::new(), blocked: Some(blocked) });
    }
}
