//! Samples one run of a command for its profile.

use std::io::ErrorKind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use fauxplat_model::{Definition, OFF_CPU, Outcome, ProfileQuality, Whole};
use fauxplat_profile::{Followed, Profiler, Waiting};
use fauxplat_sys::perf::{Counter, CountingEvent, Whom};
use fauxplat_sys::sampling::{CAN_COPY_STACKS, Pace, Sampler, SamplingEvent, Stack};
use fauxplat_sys::{SysError, clock, signal};
use fauxplat_units::CpuSet;

use super::{Profiling, Unwinding};
use crate::counters::{Counters, IN_KERNEL};
use crate::series::cure_for_threads;
use crate::{Driver, Failure, Machine};

/// Maximum size in bytes of the ring buffer of samples of each CPU, and of all rings together.
const RING_BYTES: u64 = 8 << 20;
const RINGS_BYTES: u64 = 256 << 20;
/// Maximum size in bytes of each CPU's ring buffer of context switches, which may be much more frequent than samples.
const RING_BYTES_OF_SWITCHES: u64 = 32 << 20;
/// Events that are sampled by default: the first that can be opened.
const USUAL: [&str; 2] = ["cycles", "cpu-clock"];
/// Error code of the kernel for too many open files, `EMFILE` of errno(3).
const TOO_MANY_FILES: i32 = 24;
/// The kernel's count of a thread's context switches, `PERF_COUNT_SW_CONTEXT_SWITCHES`.
const CONTEXT_SWITCHES: CountingEvent = CountingEvent { config: [3, 0, 0], ..TASK_CLOCK };
/// The kernel's clock of a thread's CPU time, `PERF_COUNT_SW_TASK_CLOCK`.
const TASK_CLOCK: CountingEvent = CountingEvent {
    kind: 1,
    config: [1, 0, 0],
    excludes_user: false,
    excludes_kernel: false,
    excludes_hypervisor: false,
};

pub(super) struct Chosen {
    pub(super) event: SamplingEvent,
    /// How waits of threads become samples; `None` if another event is sampled.
    pub(super) waiting: Option<Waiting>,
    cpus: CpuSet,
    /// Quality figures that are the same for the profiles of all commands.
    pub(super) quality: ProfileQuality,
}

pub(super) struct Run {
    pub(super) command: u16,
    pub(super) block: u32,
    pub(super) followed: Followed,
    pub(super) cpu_s: f64,
    pub(super) elapsed_s: f64,
    /// How the command ended; `None` for a process that was already running, and for a run that the user stopped.
    pub(super) outcome: Option<Outcome>,
}

/// Finds the event to sample and opens it for this thread, so that an error is reported before anything is run.
pub(super) fn choose(asked: &Profiling, machine: &Machine) -> Result<Chosen, Failure> {
    let Wanted { name, counting, pace, is_of_waits, mut notes } = wanted(asked, machine)?;
    let mut unwinding = asked.unwinding;
    if unwinding == Unwinding::EhFrame && !CAN_COPY_STACKS {
        unwinding = Unwinding::FramePointers;
        notes.push(
            "callers are found by frame pointers: this processor's stacks cannot be followed otherwise"
                .into(),
        );
    }
    let (unwinding, stack, stack_bytes) = match unwinding {
        Unwinding::EhFrame => ("eh_frame", Stack::Copy(asked.stack_bytes), asked.stack_bytes),
        Unwinding::FramePointers => ("frame-pointers", Stack::Chain, 0),
    };
    let cpus = machine.topology().online.clone();
    let mut event = SamplingEvent { event: counting, pace, stack, has_switches: is_of_waits };
    if let Err(error) = attempt(&event, &cpus) {
        // With the kernel excluded there would be no samples: a wait begins in the kernel, where a thread loses its
        // CPU, and some other events also occur in the kernel alone.
        if is_of_waits || is_in_kernel(&name) {
            return Err(refused(&name, &error));
        }
        event.event.excludes_kernel = true;
        attempt(&event, &cpus).map_err(|_| refused(&name, &error))?;
        notes.push(format!("the kernel's own functions are left out: {}", cure(&error)));
    }
    let has_kernel = !event.event.excludes_kernel && !asked.is_user_only;
    let sample_ns = asked.period.unwrap_or(1_000_000_000 / asked.rate_hz.max(1));
    let waiting = is_of_waits.then(|| Waiting::new(sample_ns, has_kernel));
    let quality = ProfileQuality {
        event: name,
        notes,
        unwinding: unwinding.to_owned(),
        stack_bytes,
        has_kernel,
        rate_hz: asked.period.is_none().then_some(asked.rate_hz as f64),
        ..ProfileQuality::default()
    };
    Ok(Chosen { event, waiting, cpus, quality })
}

struct Wanted {
    name: String,
    counting: CountingEvent,
    pace: Pace,
    /// Whether each event is the beginning of a wait, whose duration becomes the weight of the sample.
    is_of_waits: bool,
    notes: Vec<String>,
}

fn wanted(asked: &Profiling, machine: &Machine) -> Result<Wanted, Failure> {
    if asked.event.as_deref() == Some(OFF_CPU) {
        return Ok(Wanted {
            name: OFF_CPU.to_owned(),
            counting: CONTEXT_SWITCHES,
            pace: Pace::Period(1),
            is_of_waits: true,
            notes: Vec::new(),
        });
    }
    let (name, counting, notes) = event(asked, machine)?;
    let counting =
        CountingEvent { excludes_kernel: counting.excludes_kernel || asked.is_user_only, ..counting };
    if counting.excludes_kernel && is_in_kernel(&name) {
        return Err(Failure::usage(format!(
            "-e {name}: it happens in the kernel alone, so that user mode has no sample of it; without --user-only it takes root, \
             CAP_PERFMON, or a kernel.perf_event_paranoid below 2"
        )));
    }
    let is_clock = name.starts_with("cpu-clock") || name.starts_with("task-clock");
    let pace = match asked.period {
        Some(period) => Pace::Period(period),
        // The events of a clock are nanoseconds, so the period that gives the requested rate is known.
        None if is_clock => Pace::Period(1_000_000_000 / asked.rate_hz.max(1)),
        None => Pace::Frequency(asked.rate_hz),
    };
    Ok(Wanted { name, counting, pace, is_of_waits: false, notes })
}

/// Whether the event of this name occurs in the kernel alone, so that there are no samples of it in user mode.
fn is_in_kernel(name: &str) -> bool {
    IN_KERNEL.contains(&name.split(':').next().unwrap_or_default())
}

/// The event to sample and its name, with sentences for the report about how it is counted.
fn event(asked: &Profiling, machine: &Machine) -> Result<(String, CountingEvent, Vec<String>), Failure> {
    let mut notes = Vec::new();
    let names: Vec<&str> = match &asked.event {
        Some(name) => vec![name],
        None => USUAL.to_vec(),
    };
    let mut failed = None;
    for name in names {
        match open(name, machine) {
            Ok((event, more)) => {
                notes.extend(more);
                return Ok((event.name, event.event, notes));
            }
            Err(failure) => {
                notes.push(format!("{name} cannot be counted here: `fauxplat counters` says why"));
                failed = failed.or(Some(failure));
            }
        }
    }
    Err(failed.unwrap_or_else(|| Failure::usage("-e names no event")))
}

/// An event that can be opened, with its final name: `cpu-clock:u` where counting the kernel is not permitted.
struct Named {
    name: String,
    event: CountingEvent,
}

fn open(name: &str, machine: &Machine) -> Result<(Named, Vec<String>), Failure> {
    let definition = Definition { counters: vec![name.to_owned()], ..Definition::default() };
    let counters = Counters::open(&definition, machine)?;
    let entries = counters.only_set()?;
    match entries.as_slice() {
        [entry] => {
            let id = entry.metric.name();
            let name = id.split_once(':').map_or(id, |(_, name)| name).to_owned();
            Ok((Named { name, event: entry.event() }, counters.notes))
        }
        _ => Err(Failure::usage(format!("-e {name}: a profile is of one event; name one"))),
    }
}

fn attempt(event: &SamplingEvent, cpus: &CpuSet) -> Result<(), SysError> {
    let own = Whom::Process(fauxplat_sys::wake::thread_id());
    let one: CpuSet = cpus.iter().take(1).collect();
    Sampler::open(event, &[own], &one, 0).map(drop)
}

fn refused(name: &str, error: &SysError) -> Failure {
    Failure::machine(format!("{name} cannot be sampled here: {}", cure(error)))
}

fn cure(error: &SysError) -> String {
    match error.source.kind() {
        ErrorKind::PermissionDenied => {
            format!("{error}; it takes root, CAP_PERFMON, or a kernel.perf_event_paranoid below 2")
        }
        _ if error.source.raw_os_error() == Some(TOO_MANY_FILES) => {
            format!("{error}; each thread takes a descriptor for each CPU: allow more of them (ulimit -n)")
        }
        _ => error.to_string(),
    }
}

impl Run {
    /// Time in seconds that the samples divide among functions: the time of waiting if waits are sampled, otherwise CPU
    /// time.
    pub(super) fn whole_s(&self, whole: Whole) -> f64 {
        match whole {
            Whole::WaitingTime => self.followed.waited_ns as f64 / 1e9,
            Whole::CpuTime | Whole::Events => self.cpu_s,
        }
    }
}

impl Chosen {
    pub(super) fn sampler(&self, threads: &[Whom]) -> Result<Sampler, Failure> {
        let most = if self.waiting.is_some() { RING_BYTES_OF_SWITCHES } else { RING_BYTES };
        let each = (RINGS_BYTES / self.cpus.len().max(1) as u64).min(most);
        let ring_bytes = 1 << (63 - each.max(1).leading_zeros());
        Sampler::open(&self.event, threads, &self.cpus, ring_bytes).map_err(|error| {
            match cure_for_threads(&error) {
                "" => refused(&self.quality.event, &error),
                // Sampling a thread of fauxplat itself was permitted, so the error is about the sampled process.
                cure => Failure::machine(format!("the process cannot be sampled: {error}{cure}")),
            }
        })
    }
}

/// Runs a command once and samples it. Returns `None` if the user stopped the run before it began.
pub(super) fn run(
    driver: &mut Driver,
    chosen: &Chosen,
    profiler: &mut Profiler,
    command: u16,
    block: u32,
) -> Result<Option<Run>, Failure> {
    let (over, is_over) = channel::<()>();
    let (mut reader, mut clock, mut begun_ns) = (None, None, 0);
    let outcome = driver.hold(command, |pid| {
        let mut sampler = chosen.sampler(&[Whom::Held(pid)])?;
        clock = task_clock(Whom::Held(pid));
        let how = (chosen.event.stack, chosen.waiting.clone());
        begun_ns = clock::monotonic_ns();
        // The profiler is taken only now, so that the results of earlier runs are not lost if the start fails.
        let mut own = std::mem::take(&mut *profiler);
        reader = Some(thread::spawn(move || {
            let followed = own.follow(&mut sampler, how, Vec::new(), |pause| ends(&is_over, pause));
            (own, followed)
        }));
        Ok(())
    });
    let elapsed_s = (clock::monotonic_ns() - begun_ns) as f64 / 1e9;
    // Closing the channel tells the reader that the run has ended.
    drop(over);
    let read = reader.and_then(|reader| reader.join().ok());
    let cpu_s = clock.as_ref().map_or(0.0, seconds);
    let Some((own, followed)) = read else { return unless_stopped(outcome).map(|_| None) };
    *profiler = own;
    let outcome = unless_stopped(outcome)?;
    Ok(Some(Run { command, block, followed, cpu_s, elapsed_s, outcome }))
}

/// Opens a clock of the CPU time of a thread and of all tasks that it creates, if permitted. A user without privileges
/// must exclude the kernel, which does not change the count of this clock.
pub(super) fn task_clock(whom: Whom) -> Option<Counter> {
    let user = CountingEvent { excludes_kernel: true, ..TASK_CLOCK };
    let open = |event| Counter::open(event, whom, None);
    open(&TASK_CLOCK).or_else(|_| open(&user)).ok()
}

pub(super) fn seconds(clock: &Counter) -> f64 {
    clock.read().map_or(0.0, |count| count.value as f64 / 1e9)
}

/// Treats an error after Ctrl-C as a run that the user stopped (`None`): the signal reaches the command as well, which
/// may end before it is sampled.
fn unless_stopped(outcome: Result<Option<Outcome>, Failure>) -> Result<Option<Outcome>, Failure> {
    match outcome {
        Err(_) if signal::stop_requested() => Ok(None),
        outcome => outcome,
    }
}

/// Waits for the time `pause`, or until the sender of the channel is dropped; returns true in the latter case.
fn ends(is_over: &Receiver<()>, pause: Duration) -> bool {
    is_over.recv_timeout(pause) != Err(RecvTimeoutError::Timeout)
}
