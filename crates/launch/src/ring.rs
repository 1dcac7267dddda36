//! The memory that fauxplat shares with its spawner, the process that starts the measured programs: two rings of
//! fixed-size messages, and one word per side that tells whether that side sleeps.
//!
//! Each ring has one writer and one reader. The writer fills a slot with relaxed stores and publishes it by a release
//! store of `produced`, with which the reader's acquire load of `produced` synchronises. A side that is about to sleep
//! sets its `asleep` word and checks for messages once more before it sleeps; the other side publishes first and reads
//! `asleep` afterwards. All four accesses are sequentially consistent, since otherwise each side could miss the other's
//! store (Dekker's problem).

use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_model::Reading;
use fauxplat_sys::inherited::Signals;
use fauxplat_sys::process::Exit;

/// Request to the spawner for one run. The default is the first entry of the table under the condition of that entry,
/// without delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub entry: u32,
    pub place: RunCpu,
    pub pad: Pad,
    /// Number of the run among those of its command, for programs that receive it.
    pub number: u32,
    /// Displacement of the heap in bytes; `None` for that of the entry in the table.
    pub heap_offset_bytes: Option<u16>,
    /// Whether the run's whole process tree is traced and listed, instead of timed.
    pub traced: bool,
    /// Whether the process is held before its first instruction until fauxplat releases it.
    pub held: bool,
    /// Number of the set of counters (bit of [`CounterEntry::sets`](crate::CounterEntry::sets)) that count during the
    /// run.
    pub counter_set: u8,
    /// Start time by `CLOCK_MONOTONIC`, so that the spawners of a duet can start at the same moment; 0 means at once.
    pub start_at_ns: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunCpu {
    /// On the CPUs of the entry in the table; if it has none, wherever the spawner may run.
    #[default]
    Entry,
    Cpu(u32),
    /// On a CPU that is idle at the start of the run, among those of [`RunCpu::Entry`].
    Idle,
    /// On the CPU that [`RunCpu::Idle`] chose for an earlier run.
    Same,
}

/// Padding of a run's environment, which displaces the stack of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pad {
    /// The padding of the entry in the table, usually none.
    #[default]
    Entry,
    /// A variable of exactly this many bytes is added.
    Bytes(u16),
    /// A variable is added whose size brings the total size of arguments and environment to this many bytes modulo
    /// 4096.
    StackOffset(u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The program exited, or a signal ended it.
    Ended(Exit),
    /// The run reached the time limit and was ended.
    TimedOut,
    /// The experiment was stopped.
    Aborted,
    /// The program could not be started: number of the stage at which starting it failed, and error number (errno).
    NotStarted(i32, i32),
    /// The run gave this many readings, more than its reply has room for, so none of them is reported.
    TooManyReadings(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub end: RunEnd,
    /// Whether the run was held before its first instruction. Such a run is no timed sample: the program began in a
    /// process that had slept until its release.
    pub held: bool,
    /// Whether fauxplat and the program with it were stopped during the run, so that the readings are no measurement.
    pub paused: bool,
    /// Start of the run by `CLOCK_MONOTONIC`; 0 for a run that never began.
    pub started_ns: u64,
    /// CPU on which the run began; `u16::MAX` when unknown.
    pub cpu_first: u16,
    /// CPU on which the run ended; `u16::MAX` when unknown.
    pub cpu_last: u16,
    /// Number of processes that outlived the command and were ended by the spawner.
    pub left_behind: u16,
    /// Padding that was added to the environment, in bytes.
    pub pad_bytes: u16,
    /// Readings, one per metric of the table and in the table's order; empty for a run that never began. If a counter
    /// was running only part of the time, the enabled times of all counters follow, in ns, and then their running
    /// times.
    pub readings: Vec<Reading>,
}

pub(crate) const fn ring_words(readings: usize) -> usize {
    REPLIES + SLOTS * (REPLY_WORDS + readings)
}

/// Number of slots in each ring. At most this many requests are submitted and not yet answered, so no ring overflows.
pub(crate) const SLOTS: usize = 64;
const LINE: usize = 8;
const REQUEST_PRODUCED: usize = 0;
const REPLY_PRODUCED: usize = LINE;
const SERVER_ASLEEP: usize = 2 * LINE;
const CLIENT_ASLEEP: usize = 3 * LINE;
const PEAK_FLOOR: usize = 4 * LINE;
const SOURCES: usize = 4 * LINE + 1;
const SIGNALS: usize = 4 * LINE + 2;
const LOSSY_RUNS: usize = 4 * LINE + 4;
const GOODBYE: usize = 5 * LINE;
const ARRIVED: usize = 6 * LINE;
const ORDER: usize = 7 * LINE;
const REQUESTS: usize = 8 * LINE;
const REQUEST_WORDS: usize = 6;
const REPLIES: usize = REQUESTS + SLOTS * REQUEST_WORDS;
/// Number of words of a reply before its readings.
const REPLY_WORDS: usize = 4;
const NONE: u64 = u64::MAX;
/// Bit in the word at `SOURCES`: the spawner receives the kernel's exit records (taskstats).
pub(crate) const HAS_TASKSTATS: u64 = 1;
/// Bit in the word at `SOURCES`: the spawner observes migrations between CPUs.
pub(crate) const HAS_MIGRATIONS: u64 = 2;

/// The two rings in the shared memory, as one of the two processes uses them.
#[derive(Debug)]
pub(crate) struct Rings<'a> {
    words: &'a [AtomicU64],
    /// Number of readings that each reply has room for.
    readings: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    Requests,
    Replies,
}

impl<'a> Rings<'a> {
    pub(crate) fn new(words: &'a [AtomicU64], readings: usize) -> Self {
        assert!(words.len() >= ring_words(readings), "the shared memory is too small");
        Rings { words, readings }
    }

    fn place(&self, way: Way) -> (&AtomicU64, &AtomicU64, usize, usize) {
        match way {
            Way::Requests => {
                (&self.words[REQUEST_PRODUCED], &self.words[SERVER_ASLEEP], REQUESTS, REQUEST_WORDS)
            }
            Way::Replies => {
                let size = REPLY_WORDS + self.readings;
                (&self.words[REPLY_PRODUCED], &self.words[CLIENT_ASLEEP], REPLIES, size)
            }
        }
    }

    /// Number of messages published so far in this ring.
    pub(crate) fn produced(&self, way: Way) -> u64 {
        self.place(way).0.load(Ordering::Acquire)
    }

    /// Publishes a message as number `index`. Returns whether the reader sleeps and has to be woken.
    pub(crate) fn publish(&self, way: Way, index: u64, message: &[u64]) -> bool {
        let (produced, asleep, start, size) = self.place(way);
        let slot = start + (index as usize % SLOTS) * size;
        for (word, &value) in self.words[slot..slot + size].iter().zip(message) {
            word.store(value, Ordering::Relaxed);
        }
        // Sequentially consistent, so that the store is not reordered with the load of `asleep`.
        produced.store(index + 1, Ordering::SeqCst);
        asleep.load(Ordering::SeqCst) != 0
    }

    /// Reads request number `index`, which must have been published.
    pub(crate) fn request(&self, index: u64) -> Request {
        let slot = self.slot(Way::Requests, index);
        Request::decode(std::array::from_fn(|i| slot[i].load(Ordering::Relaxed)))
    }

    /// Publishes reply number `index`. Returns whether the reader sleeps and has to be woken. A reply with more
    /// readings than there is room for becomes [`RunEnd::TooManyReadings`]. `words` is a buffer for reuse.
    pub(crate) fn reply_with(&self, index: u64, reply: &Reply, words: &mut Vec<u64>) -> bool {
        match reply.readings.len() {
            count if count > self.readings => {
                Reply::without_run(RunEnd::TooManyReadings(count as u32)).encode(words);
            }
            _ => reply.encode(words),
        }
        self.publish(Way::Replies, index, words)
    }

    /// Reads reply number `index`, which must have been published.
    pub(crate) fn reply(&self, index: u64) -> Reply {
        Reply::decode(self.slot(Way::Replies, index))
    }

    fn slot(&self, way: Way, index: u64) -> &[AtomicU64] {
        let (_, _, start, size) = self.place(way);
        &self.words[start + (index as usize % SLOTS) * size..][..size]
    }

    /// Sets or clears the `asleep` word of the ring's reader. Returns whether message number `index` is not published
    /// yet, so that the reader may sleep.
    pub(crate) fn announce_sleep(&self, way: Way, asleep: bool, index: u64) -> bool {
        let (produced, word, ..) = self.place(way);
        word.store(asleep.into(), Ordering::SeqCst);
        produced.load(Ordering::SeqCst) <= index
    }

    /// Asks the spawner to end as soon as it has answered all requests.
    pub(crate) fn say_goodbye(&self) {
        self.words[GOODBYE].store(1, Ordering::SeqCst);
    }

    pub(crate) fn goodbye_said(&self) -> bool {
        self.words[GOODBYE].load(Ordering::SeqCst) != 0
    }

    /// Stores the number of runs so far of which exit records were lost, because the kernel had no room for them.
    pub(crate) fn set_lossy_runs(&self, runs: u64) {
        self.words[LOSSY_RUNS].store(runs, Ordering::Release);
    }

    pub(crate) fn lossy_runs(&self) -> u64 {
        self.words[LOSSY_RUNS].load(Ordering::Acquire)
    }

    /// Stores the signal dispositions and mask with which fauxplat was started, for the measured programs. Called
    /// before the spawner starts.
    pub(crate) fn set_signals(&self, signals: Signals) {
        self.words[SIGNALS].store(signals.ignored, Ordering::Release);
        self.words[SIGNALS + 1].store(signals.blocked, Ordering::Release);
    }

    pub(crate) fn signals(&self) -> Signals {
        let [ignored, blocked] = [0, 1].map(|word| self.words[SIGNALS + word].load(Ordering::Acquire));
        Signals { ignored, blocked }
    }

    /// Words of the gate at which a held child waits: the first receives the child's process id, the second holds the
    /// order for the child.
    pub(crate) fn gate(&self) -> (&'a AtomicU64, &'a AtomicU64) {
        (&self.words[ARRIVED], &self.words[ORDER])
    }

    /// Stores the spawner's own peak memory in bytes, and the bits of the sources that it could open, such as
    /// [`HAS_TASKSTATS`].
    pub(crate) fn set_abilities(&self, peak_floor_bytes: u64, sources: u64) {
        self.words[PEAK_FLOOR].store(peak_floor_bytes, Ordering::Release);
        self.words[SOURCES].store(sources, Ordering::Release);
    }

    pub(crate) fn abilities(&self) -> (u64, u64) {
        (self.words[PEAK_FLOOR].load(Ordering::Acquire), self.words[SOURCES].load(Ordering::Acquire))
    }
}

impl Request {
    pub(crate) fn encode(&self) -> [u64; REQUEST_WORDS] {
        let pad = match self.pad {
            Pad::Entry => NONE,
            Pad::Bytes(bytes) => bytes.into(),
            Pad::StackOffset(offset) => 1 << 32 | u64::from(offset),
        };
        let place = match self.place {
            RunCpu::Entry => NONE,
            RunCpu::Idle => NONE - 1,
            RunCpu::Same => NONE - 2,
            RunCpu::Cpu(cpu) => cpu.into(),
        };
        let heap = self.heap_offset_bytes.map_or(0, |bytes| 1 << 32 | u64::from(bytes) << 16);
        [
            self.entry.into(),
            place,
            pad,
            heap | u64::from(self.counter_set) << 8 | u64::from(self.held) << 1 | u64::from(self.traced),
            self.start_at_ns,
            self.number.into(),
        ]
    }

    pub(crate) fn decode(words: [u64; REQUEST_WORDS]) -> Request {
        let pad = match words[2] {
            NONE => Pad::Entry,
            word if word >> 32 == 1 => Pad::StackOffset(word as u16),
            word => Pad::Bytes(word as u16),
        };
        let place = match words[1] {
            NONE => RunCpu::Entry,
            word if word == NONE - 1 => RunCpu::Idle,
            word if word == NONE - 2 => RunCpu::Same,
            word => RunCpu::Cpu(word as u32),
        };
        let heap_offset_bytes = (words[3] >> 32 != 0).then_some((words[3] >> 16) as u16);
        let [traced, held] = [1, 2].map(|bit| words[3] & bit != 0);
        let (start_at_ns, number) = (words[4], words[5] as u32);
        let counter_set = (words[3] >> 8) as u8;
        let entry = words[0] as u32;
        Request { entry, place, pad, number, heap_offset_bytes, traced, held, counter_set, start_at_ns }
    }
}

impl Reply {
    /// A reply about a run that never began.
    pub(crate) fn without_run(end: RunEnd) -> Reply {
        Reply {
            end,
            held: false,
            paused: false,
            started_ns: 0,
            cpu_first: u16::MAX,
            cpu_last: u16::MAX,
            left_behind: 0,
            pad_bytes: 0,
            readings: Vec::new(),
        }
    }

    fn encode(&self, words: &mut Vec<u64>) {
        let (kind, a, b) = match self.end {
            RunEnd::Ended(Exit::Status(status)) => (0, u32::from(status), 0),
            RunEnd::Ended(Exit::Signal(signal)) => (1, u32::from(signal), 0),
            RunEnd::TimedOut => (2, 0, 0),
            RunEnd::Aborted => (3, 0, 0),
            RunEnd::NotStarted(stage, errno) => (4, stage as u32, errno as u16),
            RunEnd::TooManyReadings(count) => (5, count, 0),
        };
        let small = [self.cpu_first, self.cpu_last, self.left_behind, self.pad_bytes];
        words.clear();
        words.extend([
            u64::from(b) << 48
                | u64::from(self.paused) << 41
                | u64::from(self.held) << 40
                | u64::from(a) << 8
                | kind,
            self.started_ns,
            small.iter().rev().fold(0, |word, &part| word << 16 | u64::from(part)),
            self.readings.len() as u64,
        ]);
        words.extend(self.readings.iter().map(|reading| reading.get().unwrap_or(NONE)));
    }

    fn decode(slot: &[AtomicU64]) -> Reply {
        let words: [u64; REPLY_WORDS] = std::array::from_fn(|i| slot[i].load(Ordering::Relaxed));
        let room = slot.len() - REPLY_WORDS;
        if words[3] > room as u64 {
            return Reply::without_run(RunEnd::TooManyReadings(words[3].min(u32::MAX.into()) as u32));
        }
        let reading = |word: &AtomicU64| match word.load(Ordering::Relaxed) {
            NONE => Reading::ABSENT,
            value => Reading::new(value),
        };
        let (a, b) = ((words[0] >> 8) as u32, (words[0] >> 48) as u16);
        let end = match words[0] & 0xff {
            0 => RunEnd::Ended(Exit::Status(a as u8)),
            1 => RunEnd::Ended(Exit::Signal(a as u8)),
            2 => RunEnd::TimedOut,
            3 => RunEnd::Aborted,
            5 => RunEnd::TooManyReadings(a),
            _ => RunEnd::NotStarted((a & 0xff) as i32, b.into()),
        };
        Reply {
            end,
            held: words[0] >> 40 & 1 != 0,
            paused: words[0] >> 41 & 1 != 0,
            started_ns: words[1],
            cpu_first: words[2] as u16,
            cpu_last: (words[2] >> 16) as u16,
            left_behind: (words[2] >> 32) as u16,
            pad_bytes: (words[2] >> 48) as u16,
            readings: slot[REPLY_WORDS..][..words[3] as usize].iter().map(reading).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_crossing() {
        for pad in [Pad::Entry, Pad::Bytes(0), Pad::Bytes(4096), Pad::StackOffset(4095)] {
            for place in [RunCpu::Entry, RunCpu::Cpu(0), RunCpu::Cpu(4000), RunCpu::Idle, RunCpu::Same] {
                let heap_offset_bytes = (place == RunCpu::Same).then_some(4080);
                let (traced, held) = (place == RunCpu::Idle, pad == Pad::Entry);
                let (start_at_ns, number) = (1 << 60, u32::MAX);
                let counter_set = if traced { 63 } else { 0 };
                let request = Request {
                    entry: 3,
                    place,
                    pad,
                    number,
                    heap_offset_bytes,
                    traced,
                    held,
                    counter_set,
                    start_at_ns,
                };
                assert_eq!(Request::decode(request.encode()), request);
            }
        }
        let ends = [
            RunEnd::Ended(Exit::Status(255)),
            RunEnd::Ended(Exit::Signal(9)),
            RunEnd::TimedOut,
            RunEnd::Aborted,
            RunEnd::NotStarted(8, 13),
            RunEnd::TooManyReadings(u32::MAX),
        ];
        for (end, readings) in ends.into_iter().flat_map(|end| [0, 1, 15, 115].map(|count| (end, count))) {
            let words = memory(115);
            let rings = Rings::new(&words, 115);
            let (held, paused) = (end == RunEnd::TimedOut, end == RunEnd::Aborted);
            let (cpu_first, cpu_last, left_behind, pad_bytes) = (1, 2, 3, 4095);
            let reply =
                Reply { held, paused, cpu_first, cpu_last, left_behind, pad_bytes, ..reply(end, readings) };
            for index in [0, SLOTS as u64 - 1] {
                rings.reply_with(index, &reply, &mut Vec::new());
                assert_eq!(rings.reply(index), reply);
            }
        }
    }

    fn memory(readings: usize) -> Vec<AtomicU64> {
        (0..ring_words(readings)).map(|_| AtomicU64::new(0)).collect()
    }

    /// A reply in which every third reading is absent.
    fn reply(end: RunEnd, readings: usize) -> Reply {
        let reading = |i: usize| if i % 3 == 2 { Reading::ABSENT } else { Reading::new(i as u64 * 7) };
        Reply { readings: (0..readings).map(reading).collect(), ..Reply::without_run(end) }
    }

    #[test]
    fn a_full_ring_keeps_the_readings_of_every_reply() {
        for count in [1, 15, 115] {
            let words = memory(count);
            let (rings, mut scratch) = (Rings::new(&words, count), Vec::new());
            let sent: Vec<Reply> = (0..SLOTS as u64)
                .map(|index| Reply { started_ns: index, ..reply(RunEnd::TimedOut, count) })
                .collect();
            for (index, reply) in (0..).zip(&sent) {
                rings.reply_with(index, reply, &mut scratch);
            }
            assert!((0..).zip(&sent).all(|(index, reply)| rings.reply(index) == *reply));
        }
    }

    #[test]
    fn more_readings_than_announced_are_told_and_none_of_them_taken() {
        let words = memory(15);
        let rings = Rings::new(&words, 15);
        rings.reply_with(0, &reply(RunEnd::TimedOut, 16), &mut Vec::new());
        assert_eq!(rings.reply(0), Reply::without_run(RunEnd::TooManyReadings(16)));
        // A reader stays within its slot whatever number of readings the memory claims.
        words[REPLIES + 3].store(u64::MAX, Ordering::Relaxed);
        assert_eq!(rings.reply(0).end, RunEnd::TooManyReadings(u32::MAX));
    }

    #[test]
    fn a_sleeper_is_seen_and_never_sleeps_over_a_message() {
        let words = memory(15);
        let rings = Rings::new(&words, 15);
        assert!(rings.announce_sleep(Way::Replies, true, 0));
        assert!(rings.reply_with(0, &reply(RunEnd::TimedOut, 15), &mut Vec::new()));
        assert!(!rings.announce_sleep(Way::Replies, true, 0));
        assert!(!rings.publish(Way::Requests, 0, &[5; REQUEST_WORDS]));
        assert_eq!(rings.reply(0), reply(RunEnd::TimedOut, 15));
    }
}
