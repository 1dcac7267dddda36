//! The process of a generator, which stays on its CPU, works on request, and ends with its parent.
//!
//! **Why a process.** Page faults and forks of a thread would take the locks of fauxplat's own address space, a load
//! that fails would take fauxplat with it, and the CPU time of a process can be read from outside, in `/proc/PID/stat`.
//!
//! **How it ends.** The kernel sends `SIGKILL` to the generator when the thread that started it ends
//! (`PR_SET_PDEATHSIG`), which also ends a stopped process. Signals of a terminal are ignored: the parent alone
//! decides.

use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;

use fauxplat_model::LoadKind;
use fauxplat_sys::sched;
use fauxplat_sys::shared::{Doorbell, SharedWords, adopt};
use fauxplat_sys::{SysError, clock, signal, timer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::LoadError;
use crate::board::{Board, Stage, WORDS, Wish, Word};
use crate::labour;
use crate::order::{Order, Rhythm};
use crate::pace::{PERIOD_NS, Pace};
use crate::watchdog::{self, PRIORITY};
use crate::worker::Worker;

/// Length of the work between two readings of the clock, in nanoseconds.
const LAP_NS: u64 = 40_000;
/// Length of the work between two readings of the clock for a load that never rests, where the exact end does not
/// matter.
const LONG_LAP_NS: u64 = 400_000;
/// Interval, in nanoseconds, at which a generator checks whether its CPU is online again.
const AWAY_NS: u64 = 20_000_000;

/// Runs as a generator until the parent kills the process or ends itself. The words come from
/// [`crate::Generator::start`].
///
/// # Errors
/// Fails where the words are invalid, or the shared memory cannot be used.
pub fn serve(words: &[String]) -> Result<(), LoadError> {
    let stranger = || LoadError::Stranger;
    let [board, bell, parent, order @ ..] = words else { return Err(stranger()) };
    let number = |word: &String| word.parse::<RawFd>().map_err(|_| stranger());
    let (fds, parent) = ([number(board)?, number(bell)?], number(parent)?);
    let order = Order::from_words(order).ok_or_else(stranger)?;
    signal::ignore_terminal();
    signal::on_parent_death(signal::SIGKILL)?;
    // If the parent ended before the call above, no signal will come.
    if parent != std::os::unix::process::parent_id() as i32 {
        return Ok(());
    }
    let [memory, bell] = adopt(fds)?;
    let memory = Arc::new(SharedWords::map(&memory.into(), WORDS)?);
    let generator = Generator { memory: &memory, board: Board(memory.words()), bell: bell.into(), order };
    let Err(end) = generator.live();
    generator.board.write(Word::Errno, end.source.raw_os_error().unwrap_or_default().unsigned_abs().into());
    generator.board.enter(end.stage);
    loop {
        // The parent reads the error, and then ends this process.
        let _rang = generator.bell.wait(-1);
    }
}

/// The reason why a generator cannot continue.
struct End {
    stage: Stage,
    source: io::Error,
}

/// Uninhabited: the generator never returns normally.
enum Never {}

struct Generator<'a> {
    memory: &'a Arc<SharedWords>,
    board: Board<'a>,
    bell: Doorbell,
    order: Order,
}

impl Generator<'_> {
    /// Moves the process to its CPU, prepares its memory there, and works whenever the parent requests work.
    fn live(&self) -> Result<Never, End> {
        let at = |stage| move |error: SysError| End { stage, source: error.source };
        self.take_place().map_err(at(Stage::NoPlace))?;
        if self.order.kind == LoadKind::RealTime {
            // The permission is tried before the work begins.
            sched::set_policy(0, sched::FIFO, PRIORITY).map_err(at(Stage::NoPolicy))?;
            sched::set_policy(0, sched::OTHER, 0).map_err(at(Stage::NoPolicy))?;
        }
        let failed = |source| End { stage: Stage::Failed, source };
        let labour = labour::ready(&self.order).map_err(failed)?;
        let mut worker = Worker::new(labour);
        if self.order.kind == LoadKind::RealTime {
            watchdog::start(self.memory).map_err(failed)?;
        }
        loop {
            self.board.enter(Stage::Rests);
            while self.board.wish() == Wish::Rest {
                let _rang = self.bell.wait(-1);
            }
            let done = self.work(&mut worker);
            worker.publish(&self.board);
            done.map_err(failed)?;
        }
    }

    fn take_place(&self) -> Result<(), SysError> {
        self.order.cpus.as_ref().map_or(Ok(()), |cpus| sched::set_affinity(0, cpus))
    }

    fn work(&self, worker: &mut Worker) -> io::Result<()> {
        if self.order.kind == LoadKind::RealTime {
            sched::set_policy(0, sched::FIFO, PRIORITY).map_err(|error| error.source)?;
        }
        worker.begin();
        self.board.enter(Stage::Works);
        while self.board.wish() == Wish::Work {
            match self.order.rhythm {
                Rhythm::Share(percent) => self.hold_share(worker, percent)?,
                Rhythm::Random { shortest_ms, longest_ms, seed } => {
                    self.come_and_go(worker, shortest_ms..=longest_ms.max(shortest_ms), seed)?;
                }
            }
            if self.is_away() {
                self.wait_for_place(worker);
            }
        }
        if self.order.kind == LoadKind::RealTime {
            sched::set_policy(0, sched::OTHER, 0).map_err(|error| error.source)?;
        }
        Ok(())
    }

    /// Holds a share of the time while the CPU is available.
    fn hold_share(&self, worker: &mut Worker, percent: u8) -> io::Result<()> {
        let mut pace = Pace::new(percent, clock::monotonic_ns(), worker.busy_ns());
        let lap_ns = if percent == 100 { LONG_LAP_NS } else { LAP_NS };
        while self.goes_on() {
            let until_ns = worker.busy_ns() + pace.wanted_ns(worker.busy_ns());
            while worker.busy_ns() < until_ns && self.goes_on() {
                worker.lap(lap_ns.min(until_ns - worker.busy_ns()))?;
            }
            let now_ns = clock::monotonic_ns();
            if now_ns < pace.period_ends_ns() && percent < 100 {
                timer::sleep_until_ns(pace.period_ends_ns());
            }
            pace.advance(clock::monotonic_ns());
            worker.publish(&self.board);
        }
        Ok(())
    }

    /// Alternates bursts and rests of random length while the CPU is available.
    fn come_and_go(
        &self,
        worker: &mut Worker,
        lengths_ms: std::ops::RangeInclusive<u64>,
        seed: u64,
    ) -> io::Result<()> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut next_ns = clock::monotonic_ns();
        while self.goes_on() {
            next_ns += random.random_range(lengths_ms.clone()) * 1_000_000;
            while self.goes_on() && clock::monotonic_ns() < next_ns {
                timer::sleep_until_ns(next_ns.min(clock::monotonic_ns() + PERIOD_NS));
            }
            next_ns += random.random_range(lengths_ms.clone()) * 1_000_000;
            while self.goes_on() && clock::monotonic_ns() < next_ns {
                worker.lap(LONG_LAP_NS)?;
            }
            worker.publish(&self.board);
        }
        Ok(())
    }

    fn goes_on(&self) -> bool {
        self.board.wish() == Wish::Work && !self.is_away()
    }

    /// Whether the process is on a wrong CPU: the CPU of the order went offline, or another program moved the process.
    fn is_away(&self) -> bool {
        let Some(cpus) = &self.order.cpus else { return false };
        sched::current_cpu().is_some_and(|cpu| !cpus.contains(cpu))
    }

    /// Waits until the generator's CPU is available again, rather than disturb another CPU.
    fn wait_for_place(&self, worker: &mut Worker) {
        self.board.enter(Stage::Away);
        worker.publish(&self.board);
        while self.board.wish() == Wish::Work && (self.take_place().is_err() || self.is_away()) {
            timer::sleep_until_ns(clock::monotonic_ns() + AWAY_NS);
            worker.publish_as_away(&self.board);
        }
        if self.board.wish() == Wish::Work {
            self.board.enter(Stage::Works);
        }
    }
}
