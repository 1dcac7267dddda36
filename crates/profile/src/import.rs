//! Imports profiles that perf recorded; the samples are processed like fauxplat's own.

mod sections;
mod unpacking;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use fauxplat_model::hex;
use fauxplat_sys::files::open_regular;
use fauxplat_sys::sampling::{Mapping, Record, Sampled, Stack, chains, registers};
use fauxplat_sys::workplace::Workplace;
use fauxplat_sys::{process, signal};
use linux_perf_data::linux_perf_event_reader::{
    CpuMode, EventRecord, Mmap2FileId, SampleRecord, SamplingPolicy,
};
use linux_perf_data::{AttributeDescription, PerfFile, PerfFileReader, PerfFileRecord};

use crate::follow::{Followed, Profiler};
use crate::foreign::unless_it_panics;

/// Maximum number of events that a sample of a file is assumed to represent, so that sums over millions of samples do
/// not overflow.
const PERIOD_MAX: u64 = 1 << 38;
/// `PROT_EXEC` of `mmap(2)`.
const EXECUTE: u32 = 4;

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{path}: {source}", path = path.display())]
    Open { path: PathBuf, source: std::io::Error },
    /// The file is no perf.data, or is damaged.
    #[error("{path}: it is no perf.data that can be read: {reason}", path = path.display())]
    Damaged { path: PathBuf, reason: String },
    /// The file was recorded on another kind of processor.
    #[error("{path}: it was recorded on {theirs}, and stacks of {ours} are followed here", path = path.display())]
    Processor {
        path: PathBuf,
        /// The processor on which the file was recorded.
        theirs: String,
        /// The processor for which this program was built.
        ours: &'static str,
    },
    #[error("{path}: interrupted before all of it was read", path = path.display())]
    Stopped { path: PathBuf },
}

/// Contents of an imported perf.data.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    pub followed: Followed,
    /// The event, by perf's name.
    pub event: String,
    /// The command, if the file contains it.
    pub command: Option<String>,
    /// Bytes of the stack that were copied with a sample; 0 if callers were found by frame pointers.
    pub stack_bytes: u32,
    /// Whether the profile has samples of the kernel.
    pub has_kernel: bool,
    /// Time from the first sample to the last, in nanoseconds.
    pub elapsed_ns: u64,
    /// Further events of the file, whose samples are ignored.
    pub left_out: Vec<String>,
}

impl Profiler {
    /// Reads a file of `perf record`, and adds its samples to this profiler.
    ///
    /// # Errors
    /// Fails where the file cannot be read, is damaged, or was recorded on another kind of processor, and at a request
    /// to stop.
    pub fn import(&mut self, path: &Path) -> Result<Imported, ImportError> {
        let file = opened(path)?;
        sections::check(&file).map_err(|reason| damaged(path, &reason))?;
        let reader = whole(path, || PerfFileReader::parse_file(BufReader::new(file)))?;
        let PerfFileReader { perf_file: mut about, record_iter: mut records } = reader;
        check_processor(path, &about)?;
        self.objects.recorded(builds(&about));
        let mut imported = described(&about);
        let (mut first_ns, mut last_ns) = (u64::MAX, 0);
        let period = fixed_period(&about);
        let mut run = self.begin(Stack::Chain, None);
        while let Some(record) = whole(path, || records.next_record(&mut about))? {
            if signal::stop_requested() {
                return Err(ImportError::Stopped { path: path.to_owned() });
            }
            let PerfFileRecord::EventRecord { attr_index, record } = record else { continue };
            match whole(path, || record.parse())? {
                EventRecord::Sample(sample) if attr_index == 0 => {
                    let words = Words::of(&sample);
                    imported.stack_bytes = imported.stack_bytes.max(words.copied);
                    if let Some(time) = sample.timestamp {
                        (first_ns, last_ns) = (first_ns.min(time), last_ns.max(time));
                    }
                    run.stack = if words.has_copy { Stack::Copy(words.copied) } else { Stack::Chain };
                    let sampled = words.sampled(&sample, period);
                    imported.has_kernel |= sampled.is_kernel;
                    run.take(Record::Sample(sampled));
                }
                other => {
                    if let Some(record) = told(other) {
                        run.take(record);
                    }
                }
            }
        }
        imported.followed = run.finish();
        imported.elapsed_ns = last_ns.saturating_sub(first_ns.min(last_ns));
        Ok(imported)
    }
}

/// Opens a recording. A pipe that was passed to this process, such as a shell's `<(command)`, is copied into a file
/// without a name, since a recording is not read sequentially. A named pipe may have no writer, and is refused.
fn opened(path: &Path) -> Result<File, ImportError> {
    let fail = |source| ImportError::Open { path: path.to_owned(), source };
    let place = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    let is_given = ["/dev/fd", "/proc/self/fd", "/dev/stdin"].iter().any(|given| place.starts_with(given));
    if !is_given || !place.metadata().is_ok_and(|facts| facts.file_type().is_fifo()) {
        return open_regular(place).map_err(fail);
    }
    let mut pipe = File::open(place).map_err(fail)?;
    let folder = Workplace::make("import", &std::env::temp_dir()).map_err(fail)?;
    let copy = folder.path().join("recording");
    let mut copy = File::options().read(true).write(true).create_new(true).open(copy).map_err(fail)?;
    let mut chunk = vec![0; COPIED];
    loop {
        if signal::stop_requested() {
            return Err(ImportError::Stopped { path: path.to_owned() });
        }
        let is_ready = process::wait_readable(pipe.as_raw_fd(), LOOK_MS);
        if !is_ready.map_err(|error| fail(std::io::Error::other(error)))? {
            continue;
        }
        match pipe.read(&mut chunk).map_err(fail)? {
            0 => break,
            read => copy.write_all(&chunk[..read]).map_err(fail)?,
        }
    }
    copy.rewind().map_err(fail)?;
    Ok(copy)
}

/// Bytes of a pipe that are copied at a time.
const COPIED: usize = 1 << 16;
/// Interval, in milliseconds, at which requests to stop are checked while a pipe is silent.
const LOOK_MS: i32 = 50;

fn damaged(path: &Path, reason: &dyn std::fmt::Display) -> ImportError {
    ImportError::Damaged { path: path.to_owned(), reason: reason.to_string() }
}

/// Calls the library that reads a perf.data; a panic of the library, whose assertions fail on damaged files, is
/// reported as damage.
fn whole<T, E: std::fmt::Display>(
    path: &Path,
    read: impl FnOnce() -> Result<T, E>,
) -> Result<T, ImportError> {
    match unless_it_panics(read) {
        Some(read) => read.map_err(|error| damaged(path, &error)),
        None => Err(damaged(path, &"its records are incomplete")),
    }
}

/// Returns an optional part of the file's metadata; `None` if it is missing or damaged.
fn said<T, E>(read: impl FnOnce() -> Result<T, E>) -> Option<T> {
    unless_it_panics(read)?.ok()
}

fn check_processor(path: &Path, about: &PerfFile) -> Result<(), ImportError> {
    let ours = std::env::consts::ARCH;
    match said(|| about.arch()).flatten() {
        Some(theirs) if theirs != ours => {
            Err(ImportError::Processor { path: path.to_owned(), theirs: theirs.to_owned(), ours })
        }
        _ => Ok(()),
    }
}

/// Returns the build ids of the recorded program files by path, as of the time when perf recorded.
fn builds(about: &PerfFile) -> HashMap<String, String> {
    let all = said(|| about.build_ids()).unwrap_or_default();
    all.into_values()
        .map(|file| (String::from_utf8_lossy(&file.path).into_owned(), hex(&file.build_id)))
        .collect()
}

fn described(about: &PerfFile) -> Imported {
    let names: Vec<String> = about
        .event_attributes()
        .iter()
        .map(|event: &AttributeDescription| event.name().unwrap_or("unnamed event").to_owned())
        .collect();
    let words = said(|| about.cmdline()).flatten();
    let (event, left_out) =
        names.split_first().map_or_else(Default::default, |(first, rest)| (first.clone(), rest.to_vec()));
    Imported { event, left_out, command: words.map(|words| words.join(" ")), ..Imported::default() }
}

/// Returns the number of events that a sample without a period of its own represents (`perf record -c`); 1 if the file
/// does not say.
fn fixed_period(about: &PerfFile) -> u64 {
    let policy = about.event_attributes().first().map(|event| event.attr.sampling_policy);
    match policy {
        Some(SamplingPolicy::Period(events)) => events.get(),
        _ => 1,
    }
}

/// Chain, registers and stack of a sample as 64-bit words, in the form of the kernel's ring buffer.
struct Words {
    chain: Vec<u64>,
    /// The address of a sample in user mode that has neither a chain nor registers to unwind from.
    alone: Option<[u64; 1]>,
    registers: Option<Vec<u64>>,
    stack: Vec<u64>,
    copied: u32,
    has_copy: bool,
}

impl Words {
    fn of(sample: &SampleRecord) -> Self {
        let chain = sample.callchain.map(|chain| (0..chain.len()).filter_map(|at| chain.get(at)).collect());
        let wanted: BTreeSet<u32> = registers().into_iter().collect();
        let own = |all: &linux_perf_data::linux_perf_event_reader::Regs| -> Option<Vec<u64>> {
            wanted.iter().map(|&number| all.get(number.into())).collect()
        };
        let (bytes, filled) = match &sample.user_stack {
            Some((bytes, filled)) => (bytes.as_slice().into_owned(), *filled),
            None => (Vec::new(), 0),
        };
        let filled = bytes.len().min(usize::try_from(filled).unwrap_or(usize::MAX));
        let (words, _) = bytes[..filled].as_chunks::<8>();
        let registers = sample.user_regs.as_ref().and_then(own);
        let is_alone = sample.callchain.is_none() && registers.is_none() && !is_kernel(sample.cpu_mode);
        Words {
            chain: chain.unwrap_or_default(),
            alone: sample.ip.filter(|_| is_alone).map(|ip| [ip]),
            registers,
            stack: words.iter().map(|word| u64::from_ne_bytes(*word)).collect(),
            copied: bytes.len() as u32,
            has_copy: sample.user_stack.is_some(),
        }
    }

    /// Converts a sample; `period` counts if the sample states none.
    fn sampled(&self, sample: &SampleRecord, period: u64) -> Sampled<'_> {
        let (kernel_chain, mut user_chain) = chains(&self.chain);
        if let Some(alone) = &self.alone {
            user_chain = alone;
        }
        Sampled {
            pid: sample.pid.unwrap_or(0),
            tid: sample.tid.unwrap_or(0),
            time_ns: sample.timestamp.unwrap_or(0),
            ip: sample.ip.unwrap_or(0),
            is_kernel: is_kernel(sample.cpu_mode),
            period: sample.period.unwrap_or(period).min(PERIOD_MAX),
            kernel_chain,
            user_chain,
            registers: self.registers.as_deref(),
            stack: &self.stack,
            stack_room: self.copied.into(),
        }
    }
}

/// Converts a record of the library to a record of the kernel's ring buffer; `None` for a record that is not used.
fn told(record: EventRecord) -> Option<Record<'static>> {
    match record {
        EventRecord::Comm(it) => {
            let name = it.name.as_slice().into_owned();
            Some(Record::Named { pid: it.pid, tid: it.tid, name, is_exec: it.is_execve })
        }
        EventRecord::Fork(it) => Some(Record::Forked { pid: it.pid, parent: it.ppid, tid: it.tid }),
        EventRecord::Lost(it) => Some(Record::Lost(it.count)),
        EventRecord::Throttle(_) => Some(Record::Throttled),
        EventRecord::Mmap(it) if !is_kernel(it.cpu_mode) => Some(Record::Mapped(Mapping {
            pid: it.pid,
            start: it.address,
            bytes: it.length,
            file_offset: it.page_offset,
            device: (0, 0),
            inode: 0,
            is_code: it.is_executable,
            path: it.path.as_slice().into_owned(),
        })),
        EventRecord::Mmap2(it) if !is_kernel(it.cpu_mode) => Some(Record::Mapped(Mapping {
            pid: it.pid,
            start: it.address,
            bytes: it.length,
            file_offset: it.page_offset,
            device: (0, 0),
            inode: match &it.file_id {
                Mmap2FileId::InodeAndVersion(file) => file.inode,
                Mmap2FileId::BuildId(_) => 0,
            },
            is_code: it.protection & EXECUTE != 0,
            path: it.path.as_slice().into_owned(),
        })),
        _ => None,
    }
}

fn is_kernel(mode: CpuMode) -> bool {
    matches!(mode, CpuMode::Kernel | CpuMode::GuestKernel)
}
