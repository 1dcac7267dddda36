//! Creates a process under given conditions, at the cost of a bare `vfork` and `exec`.
#![expect(unsafe_code, reason = "clone(2) and execve(2) need raw pointers that outlive the child's start")]

mod stage;

use std::ffi::CString;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_units::CpuSet;

use crate::inherited::{Restoration, close_all_on_exec};
use crate::sched::try_policy;
use crate::shared::Doorbell;
use crate::summons::{Summoned, Summons};
use crate::{SysError, mempolicy};

pub use stage::Stage;

/// Maximum size in bytes of the environment variable by which a sweep varies the size of a program's environment: many
/// pages, so that the sweep covers a wide range.
pub const PAD_BYTES_MAX: usize = u16::MAX as usize;

const POINTER_BYTES: usize = size_of::<*const u8>();

/// A program, its arguments and its environment in the format of `execve(2)`, so that no further start has to convert
/// them again.
#[derive(Debug)]
pub struct Image {
    program: CString,
    argv: Vec<CString>,
    env: Vec<CString>,
    /// Pointers to the strings of `argv`, with a null at the end. They stay valid when the struct moves, since the
    /// strings are on the heap.
    argv_pointers: Vec<*const libc::c_char>,
    /// Pointers to the strings of `env`, with room before the null at the end for the two variables of [`Number`] and
    /// the padding variable.
    env_pointers: Vec<*const libc::c_char>,
    /// Environment variables with the number of the run; `None` if the program does not get the number.
    number: Option<Number>,
}

impl Image {
    /// Prepares a program for [`start`]. A string that contains a null byte is an error, since it cannot be passed to a
    /// program.
    pub fn new(program: &str, argv: &[String], env: &[String]) -> Result<Self, std::ffi::NulError> {
        let strings = |list: &[String]| {
            list.iter().map(|text| CString::new(text.as_str())).collect::<Result<Vec<_>, _>>()
        };
        let (argv, env) = (strings(argv)?, strings(env)?);
        let argv_pointers = argv.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        let env_pointers = env.iter().map(|text| text.as_ptr()).chain([ptr::null(); 4]).collect();
        Ok(Image { program: CString::new(program)?, argv, env, argv_pointers, env_pointers, number: None })
    }

    /// Adds the environment variable [`NUMBER_NAME`] with the number of the run, and a filler variable that compensates
    /// for the number of digits, so that the stack starts at the same address in every run.
    pub fn numbered(self) -> Self {
        Image { number: Some(Number::default()), ..self }
    }

    pub fn set_number(&mut self, number: u32) {
        if let Some(text) = &mut self.number {
            text.write(number);
        }
    }

    /// Returns the bytes that arguments, environment, program name and their pointers take at the top of the stack,
    /// without the padding variable. Two images of the same size start with the same stack pointer when ASLR is off.
    pub fn stack_bytes(&self) -> usize {
        let bytes = |list: &[CString]| {
            list.iter().map(|text| text.as_bytes_with_nul().len() + POINTER_BYTES).sum::<usize>()
        };
        let number = self.number.as_ref().map_or(0, |number| number.text.len() + 2 * POINTER_BYTES);
        bytes(&self.argv) + bytes(&self.env) + number + self.program.as_bytes_with_nul().len()
    }

    /// Writes the pointers that follow those to `env`: to the variables with the number of the run, to the padding
    /// variable if there is one, and a null.
    fn set_pad(&mut self, pad: Option<*const libc::c_char>) {
        let mut place = self.env.len();
        for variable in self.number.iter().flat_map(Number::variables).chain(pad) {
            self.env_pointers[place] = variable;
            place += 1;
        }
        self.env_pointers[place] = ptr::null();
    }
}

/// Name of the environment variable with the number of a run.
pub const NUMBER_NAME: &str = "FAUXPLAT_RUN";
/// Name of the environment variable that compensates for the number of digits in [`NUMBER_NAME`].
const FILL_NAME: &str = "FAUXPLAT_RUN_FILL";
const DIGITS_MAX: usize = 10;

/// Two consecutive environment variables: the number of the run, and a filler that makes the length of both together
/// the same for every number.
#[derive(Debug)]
struct Number {
    text: Vec<u8>,
    /// Offset in `text` of the second variable, the filler.
    second: usize,
}

impl Default for Number {
    fn default() -> Self {
        let mut number = Number { text: Vec::new(), second: 0 };
        number.write(0);
        number
    }
}

impl Number {
    fn write(&mut self, number: u32) {
        let digits = number.to_string();
        let fill = "x".repeat(DIGITS_MAX - digits.len());
        self.second = NUMBER_NAME.len() + 1 + digits.len() + 1;
        self.text.clear();
        self.text.extend_from_slice(format!("{NUMBER_NAME}={digits}\0{FILL_NAME}={fill}\0").as_bytes());
    }

    fn variables(&self) -> [*const libc::c_char; 2] {
        [self.text.as_ptr().cast(), self.text[self.second..].as_ptr().cast()]
    }
}

/// Environment variable by which a sweep varies the size of a program's environment. All images share one, since a
/// sweep has thousands of images, of which only one is started at a time.
#[derive(Debug)]
struct Padding {
    /// Text of the variable, ended by a null byte.
    text: Vec<u8>,
    /// Index in `text` of the null byte that ends the variable.
    end: usize,
}

impl Default for Padding {
    fn default() -> Self {
        let mut text = vec![b'x'; PAD_BYTES_MAX + 64];
        text[..PAD_NAME.len()].copy_from_slice(PAD_NAME);
        Padding { text, end: PAD_BYTES_MAX }
    }
}

impl Padding {
    /// Returns a pointer to a variable of exactly this many bytes, its null byte included.
    fn of_bytes(&mut self, bytes: usize) -> *const libc::c_char {
        // A variable shorter than its own name is cut: such a string has no meaning, but the correct size.
        self.text[self.end] = if self.end < PAD_NAME.len() { PAD_NAME[self.end] } else { b'x' };
        self.end = bytes.clamp(1, PAD_BYTES_MAX) - 1;
        self.text[self.end] = 0;
        self.text.as_ptr().cast()
    }
}

const PAD_NAME: &[u8] = b"FAUXPLAT_PAD=";

/// Settings that a child applies to itself between its creation and the exec of its program.
#[derive(Clone, Debug, Default)]
pub struct ChildSetup {
    /// Scheduling policy (`libc::SCHED_*`) and priority.
    pub policy: Option<(i32, u8)>,
    pub nice: Option<i8>,
    /// Execution domain, see `personality(2)`.
    pub personality: Option<u32>,
    /// Soft limit of the stack; `u64::MAX` for unlimited. The layout of the address space depends on it, see
    /// `execve(2)` and `getrlimit(2)`.
    pub stack_limit_bytes: Option<u64>,
    /// Memory policy: a mode of [`crate::mempolicy`] and its nodes.
    pub memory_policy: Option<(i32, CpuSet)>,
    pub cwd: Option<CString>,
    /// Descriptors that become standard input, output and error.
    pub stdio: [i32; 3],
    /// Descriptors of `cgroup.procs` files, open for writing: the control groups that the child enters. Entering may
    /// take the kernel many milliseconds, so [`Started::started_ns`] of a child that enters groups is taken afterwards.
    pub groups: Vec<i32>,
    /// Whether the child leads a process group of its own, so that signals to its group do not reach the parent.
    pub own_group: bool,
    /// Whether the child asks to be traced by its parent.
    pub traced: bool,
    /// Iterations of a fixed chain of arithmetic that the child does before it executes the program: a known amount of
    /// extra work, for calibration.
    pub extra_work: u64,
    /// The only descriptors above standard error that stay open over exec; all others are marked to be closed. `None`:
    /// every descriptor without the close-on-exec mark stays open.
    pub inherited: Option<Vec<i32>>,
    /// Signal dispositions and signal mask that the child changes.
    pub signals: Restoration,
}

#[derive(Clone, Copy, Debug)]
pub struct Started {
    pub pid: i32,
    /// CPU on which the child was just before exec; `None` if the kernel does not report it.
    pub cpu: Option<u16>,
    /// `CLOCK_MONOTONIC` just before the child was created, or just after it entered its control groups or passed a
    /// gate.
    pub started_ns: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct StartFailed {
    /// Step of the start that failed.
    pub stage: Stage,
    /// Error number of the failed call.
    pub errno: i32,
}

/// A gate at which a child waits, with all of its setup applied, until it is ordered to execute its program or to end.
///
/// Arrival and order are stored in memory that the child shares with the gatekeeper, the process that gives the order.
/// The bell and the pipe only wake the other side.
#[derive(Debug)]
pub struct Gate<'a> {
    /// The child stores its process id here when it has arrived at the gate, and rings the bell.
    pub arrived: &'a AtomicU64,
    pub bell: &'a Doorbell,
    /// Order of the gatekeeper: [`Gate::OPEN`], [`Gate::SHUT`], or 0 for none yet.
    pub order: &'a AtomicU64,
    /// Pipe by which the gatekeeper wakes the child. If the gatekeeper ends, the child ends as well.
    pub summons: &'a Summons,
}

impl Gate<'_> {
    /// Order: execute the program.
    pub const OPEN: u64 = 1;
    /// Order: end without executing the program.
    pub const SHUT: u64 = 2;

    /// Waits for the order, only by calls that are safe after `vfork(2)`. An order to end, a request to stop and the
    /// end of the gatekeeper are errors.
    fn pass(&self) -> Result<(), Stage> {
        // SAFETY: no pointer is passed.
        let pid = unsafe { libc::getpid() };
        self.arrived.store(pid as u64, Ordering::SeqCst);
        self.bell.ring();
        loop {
            match self.order.load(Ordering::SeqCst) {
                Gate::OPEN => return Ok(()),
                Gate::SHUT => return Err(Stage::Hold),
                // A request to stop that reaches the parent is counted in memory that the child shares with it.
                _ if crate::signal::stop_requested() => return Err(Stage::Hold),
                _ => {}
            }
            if !matches!(self.summons.wait(), Ok(Summoned::Called | Summoned::Interrupted)) {
                return Err(Stage::Hold);
            }
        }
    }
}

/// Data that the child reads and writes between clone and exec, in the memory that it shares with the parent.
struct Shared<'a> {
    image: &'a Image,
    setup: &'a ChildSetup,
    gate: Option<&'a Gate<'a>>,
    entered_ns: u64,
    cpu: libc::c_int,
    failed_stage: i32,
    errno: i32,
}

/// Buffers that are reused for every start: a stack for the child's few calls before exec, and the padding variable.
#[derive(Debug)]
pub struct StartSpace {
    stack: Vec<u128>,
    padding: Padding,
}

impl Default for StartSpace {
    fn default() -> Self {
        // 64 KiB, in units of 16 bytes because the ABI requires that alignment of the stack.
        StartSpace { stack: vec![0; 4096], padding: Padding::default() }
    }
}

/// Starts the image under the setup and returns once it has been executed, or has failed.
///
/// `pad_bytes` adds an environment variable of that size, its null byte included. The child is created with `CLONE_VM |
/// CLONE_VFORK`: the caller sleeps until exec, so the setup is in place before the program's first instruction.
pub fn start(
    image: &mut Image,
    setup: &ChildSetup,
    pad_bytes: Option<usize>,
    space: &mut StartSpace,
) -> Result<Started, StartFailed> {
    create(image, setup, pad_bytes, space, None)
}

/// Starts the image like [`start`], but the child waits at the gate before exec, while the caller sleeps.
pub fn start_held(
    image: &mut Image,
    setup: &ChildSetup,
    pad_bytes: Option<usize>,
    space: &mut StartSpace,
    gate: &Gate<'_>,
) -> Result<Started, StartFailed> {
    create(image, setup, pad_bytes, space, Some(gate))
}

fn create(
    image: &mut Image,
    setup: &ChildSetup,
    pad_bytes: Option<usize>,
    space: &mut StartSpace,
    gate: Option<&Gate<'_>>,
) -> Result<Started, StartFailed> {
    image.set_pad(pad_bytes.map(|bytes| space.padding.of_bytes(bytes)));
    let mut shared = Shared { image, setup, gate, entered_ns: 0, cpu: -1, failed_stage: 0, errno: 0 };
    let started_ns = crate::clock::monotonic_ns();
    // SAFETY: `child` is an extern "C" function of clone's type. The stack pointer is the end of a live, aligned
    // block. CLONE_VFORK suspends this thread until the child has executed or exited, so `shared` and the stack
    // outlive the child's use of them, and no two threads touch them at once.
    let pid = unsafe {
        let top = space.stack.as_mut_ptr().add(space.stack.len());
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        libc::clone(child, top.cast(), flags, (&raw mut shared).cast())
    };
    if pid < 0 {
        let errno = SysError::last("clone").source.raw_os_error().unwrap_or(0);
        return Err(StartFailed { stage: Stage::Create, errno });
    }
    // SAFETY: `shared` was written by the child through the pointer above; a volatile read keeps the compiler
    // from assuming that the fields still hold what this function stored.
    let (stage, errno, cpu, entered_ns) = unsafe {
        (
            ptr::read_volatile(&shared.failed_stage),
            ptr::read_volatile(&shared.errno),
            ptr::read_volatile(&shared.cpu),
            ptr::read_volatile(&shared.entered_ns),
        )
    };
    if let Some(stage) = Stage::from_number(stage) {
        while crate::process::wait(pid, true) == crate::process::Waited::Interrupted {}
        return Err(StartFailed { stage, errno });
    }
    Ok(Started { pid, cpu: u16::try_from(cpu).ok(), started_ns: started_ns.max(entered_ns) })
}

/// Code of the child between clone and exec: only calls that are safe after `vfork(2)`, no allocation, no locks.
extern "C" fn child(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `start` passes a pointer to its `Shared`, which lives while the parent is suspended.
    let shared = unsafe { &mut *argument.cast::<Shared<'_>>() };
    // SAFETY: each call gets pointers into `shared.image` and `shared.setup`, which are null-terminated and live.
    unsafe {
        let ready = enter(&shared.setup.groups).and_then(|()| apply(shared.setup));
        if let Err(stage) = ready.and_then(|()| shared.gate.map_or(Ok(()), Gate::pass)) {
            shared.errno = *libc::__errno_location();
            shared.failed_stage = stage as i32;
            libc::_exit(127);
        }
        if !shared.setup.groups.is_empty() || shared.gate.is_some() {
            shared.entered_ns = crate::clock::monotonic_ns();
        }
        shared.cpu = libc::sched_getcpu();
        work(shared.setup.extra_work);
        let image = shared.image;
        libc::execve(image.program.as_ptr(), image.argv_pointers.as_ptr(), image.env_pointers.as_ptr());
        shared.errno = *libc::__errno_location();
        shared.failed_stage = Stage::Exec as i32;
        libc::_exit(127)
    }
}

/// Computes a multiplication and an addition per iteration, each dependent on the previous one, so that the chain
/// cannot be shortened.
fn work(iterations: u64) {
    (0..iterations)
        .fold(1u64, |sum, i| std::hint::black_box(sum.wrapping_mul(6364136223846793005).wrapping_add(i)));
}

/// Moves the calling process into control groups by writing a zero to each, which means the writer, see `cgroups(7)`.
/// The process keeps its affinity as far as the groups have those CPUs: before Linux 6.2 a process that enters a group
/// gets all CPUs of the group (`cpuset_attach` in `kernel/cgroup/cpuset.c`), and a run with a fixed placement would
/// move among them.
///
/// # Safety
/// Must run in the child of [`start`]; the descriptors are open.
unsafe fn enter(groups: &[i32]) -> Result<(), Stage> {
    if groups.is_empty() {
        return Ok(());
    }
    let mut mask = [0u64; MASK_WORDS];
    let bytes = size_of_val(&mask);
    // SAFETY: the kernel writes no more than `bytes` into the mask, which lives for the call.
    let got = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, bytes, mask.as_mut_ptr()) };
    // SAFETY: one byte is read from a constant.
    let all = groups.iter().all(|&fd| unsafe { libc::write(fd, b"0".as_ptr().cast(), 1) } == 1);
    if !all {
        return Err(Stage::Group);
    }
    if got > 0 {
        // The call fails where the groups have none of the earlier CPUs; the process then keeps those that the kernel
        // chose. Requested CPUs were checked before any child was created.
        // SAFETY: the kernel reads the bytes that it wrote above.
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, got, mask.as_ptr()) };
    }
    Ok(())
}

/// Size in words of the largest CPU mask that a kernel may have: 8 KiB of the child's 64 KiB of stack.
const MASK_WORDS: usize = 1024;

/// # Safety
/// Must run in the child of [`start`], where changing the process affects no other code.
unsafe fn apply(setup: &ChildSetup) -> Result<(), Stage> {
    let done = |value: libc::c_int, stage| if value < 0 { Err(stage) } else { Ok(()) };
    // SAFETY: integers and null-terminated strings that live in `setup`; `param` lives for its call.
    unsafe {
        place_stdio(setup.stdio)?;
        if let Some(inherited) = &setup.inherited {
            close_on_exec_all_but(inherited)?;
        }
        setup.signals.apply();
        if setup.own_group {
            // The call cannot fail for a child that has just been created.
            libc::setpgid(0, 0);
        }
        if let Some(cwd) = &setup.cwd {
            done(libc::chdir(cwd.as_ptr()), Stage::WorkingDirectory)?;
        }
        if let Some(nice) = setup.nice {
            done(libc::setpriority(libc::PRIO_PROCESS, 0, nice.into()), Stage::Nice)?;
        }
        if let Some(personality) = setup.personality {
            done(libc::personality(personality.into()), Stage::Personality)?;
        }
        if let Some(bytes) = setup.stack_limit_bytes {
            done(limit_stack(bytes), Stage::StackLimit)?;
        }
        if let Some((mode, nodes)) = &setup.memory_policy {
            done(mempolicy::try_policy(*mode, nodes), Stage::MemoryPolicy)?;
        }
        if setup.traced {
            done(libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) as i32, Stage::Trace)?;
        }
        // The policy comes last: a real-time child must not hold the CPU for longer than it needs.
        if let Some((policy, priority)) = setup.policy {
            done(try_policy(0, policy, priority), Stage::Policy)?;
        }
    }
    Ok(())
}

/// Duplicates the three descriptors to the numbers 0, 1 and 2. A descriptor that occupies the number of another is
/// first duplicated to a higher number, since it would be overwritten before its turn.
///
/// # Safety
/// Must run in the child of [`start`], whose table of descriptors is its own.
unsafe fn place_stdio(mut stdio: [i32; 3]) -> Result<(), Stage> {
    let done = |value: libc::c_int| if value < 0 { Err(Stage::Stdio) } else { Ok(value) };
    for (place, fd) in (0..).zip(&mut stdio) {
        if *fd != place && (0..3).contains(fd) {
            // SAFETY: only integers are passed.
            *fd = done(unsafe { libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, 3) })?;
        }
    }
    for (place, fd) in (0..).zip(stdio) {
        if fd != place {
            // SAFETY: only integers are passed.
            done(unsafe { libc::dup2(fd, place) })?;
        }
    }
    Ok(())
}

/// Sets the soft limit of the stack and leaves the hard limit unchanged.
fn limit_stack(bytes: u64) -> libc::c_int {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a pointer to a live struct of the type that they take.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) < 0 {
            return -1;
        }
        limit.rlim_cur = bytes;
        libc::setrlimit(libc::RLIMIT_STACK, &raw const limit)
    }
}

/// Marks every descriptor above standard error to be closed on exec, except those listed.
///
/// # Safety
/// Must run in the child of [`start`], whose table of descriptors is its own.
unsafe fn close_on_exec_all_but(inherited: &[i32]) -> Result<(), Stage> {
    close_all_on_exec();
    // SAFETY: only integers are passed.
    let all = inherited.iter().all(|&fd| unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } == 0);
    if all { Ok(()) } else { Err(Stage::Inherited) }
}

/// The personality bit that switches address space layout randomisation off.
pub const ADDR_NO_RANDOMIZE: u32 = libc::ADDR_NO_RANDOMIZE as u32;

#[cfg(test)]
mod tests;
