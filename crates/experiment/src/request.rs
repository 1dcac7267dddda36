//! Translates trials into requests to the spawner, and its replies into outcomes.

use fauxplat_launch::{Entry, Keeps, Pad, Request, RunCpu, RunEnd, entry_of};
use fauxplat_model::{Command, Outcome, Setup, Trial};
use fauxplat_sys::process::Exit;

/// Indices of a command and its helpers in the spawner's table of programs, and the number of its runs.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) name: String,
    pub(crate) run: u32,
    pub(crate) prepare: Option<u32>,
    pub(crate) conclude: Option<u32>,
    /// Number of runs begun so far, warm-up runs included.
    pub(crate) begun: u32,
}

impl Places {
    /// Number of the command's latest run, from 0.
    pub(crate) fn number(&self) -> u32 {
        self.begun.saturating_sub(1)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    Helper { role: &'static str, command: u16 },
    Trial(Trial),
}

/// Number of consecutive runs of a block after which an idle CPU is chosen again.
const STAY_TOGETHER: u16 = 32;

/// Entry of a helper (`prepare` or `conclude`) in the spawner's table. The entry has the command's condition except for
/// settings that serve only measuring. Background processes that `prepare` leaves serve the run, and end after the run
/// or after `conclude`.
pub(crate) fn helper_entry(command: &Command, argv: &[String], prepares: bool) -> Entry {
    let program = argv.first().cloned().unwrap_or_default();
    let entry = entry_of(command, program, argv.to_vec());
    Entry {
        cpus: None,
        policy: None,
        timeout_ns: None,
        pad_bytes: 0,
        heap_offset_bytes: None,
        is_numbered: true,
        keeps: Keeps {
            own: prepares || command.condition.keep_background,
            earlier: prepares || command.condition.keep_background,
        },
        ..entry
    }
}

/// Request to run the entry `entry` of the table as a helper of the run with this number, or as an untimed run with
/// this number.
pub(crate) fn numbered_request(entry: u32, number: u32) -> Request {
    Request { number, ..plain_request(entry) }
}

/// Request that has none of the values that a block draws, such as a CPU or padding.
pub(crate) fn plain_request(entry: u32) -> Request {
    Request { entry, ..Request::default() }
}

pub(crate) fn request_of(entry: u32, setup: &Setup, position: u16) -> Request {
    let one = setup.cpus.as_ref().filter(|cpus| cpus.len() == 1).and_then(|cpus| cpus.first());
    let place = match (setup.idle, one) {
        // The first run of a block chooses an idle CPU, and the block stays there; in a long block an idle CPU is
        // chosen again every `STAY_TOGETHER` runs.
        (true, _) if position.is_multiple_of(STAY_TOGETHER) => RunCpu::Idle,
        (true, _) => RunCpu::Same,
        (false, Some(cpu)) => RunCpu::Cpu(cpu.0),
        (false, None) => RunCpu::Entry,
    };
    let pad = match (setup.stack_offset_bytes, setup.env_pad_bytes) {
        (Some(offset), _) => Pad::StackOffset(offset),
        (None, 0) => Pad::Entry,
        (None, bytes) => Pad::Bytes(bytes),
    };
    Request { place, pad, heap_offset_bytes: setup.heap_offset_bytes, ..plain_request(entry) }
}

pub(crate) fn outcome_of(end: RunEnd) -> Outcome {
    match end {
        RunEnd::Ended(Exit::Status(status)) => Outcome::Exited(status),
        RunEnd::Ended(Exit::Signal(signal)) => Outcome::Signaled(signal),
        RunEnd::TimedOut | RunEnd::Aborted | RunEnd::NotStarted(..) | RunEnd::TooManyReadings(_) => {
            Outcome::TimedOut
        }
    }
}
