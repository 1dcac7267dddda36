//! The pool of worker threads, and their shifts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread::JoinHandle;

use fauxplat_kernels::{Caches, Kernel, Ready};
use fauxplat_model::{Policy, ShiftSample};
use fauxplat_sys::{clock, signal};
use fauxplat_threads::{Side, ThreadPlacement, real_time_or_ordinary};
use fauxplat_units::Cpu;

use crate::WorkerError;
use crate::account::{Books, Counted};
use crate::cache_transfer::Parcel;
use crate::exchange::Exchange;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Station {
    pub cpu: Cpu,
    pub policy: Policy,
    /// Sizes of the caches that the CPU uses.
    pub caches: Caches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    pub kernel: Kernel,
    /// Time of work before accounting begins, in nanoseconds, so that caches and clock frequencies settle under the
    /// same load.
    pub warm_ns: u64,
    /// Duration of the accounted work, in nanoseconds.
    pub duration_ns: u64,
    /// Number of units of the kernel in a lap, which is the work between two readings of the clock.
    pub lap_units: u64,
    /// Whether the shift's account lists the CPU time of each lap, for at most `LAPS_MAX` laps.
    pub keep_laps: bool,
    /// Whether the first of two workers also writes memory that the second reads, to measure a cache transfer.
    pub hands_over: bool,
}

/// A shift, with the state that its workers share.
struct Order {
    shift: Shift,
    barrier: Arc<Barrier>,
    /// State for measuring how long data take from one worker to the other; `None` unless exactly two work, on
    /// different CPUs.
    exchange: Option<(Arc<Exchange>, Side)>,
}

/// Worker threads that wait for shifts.
#[derive(Debug)]
pub struct WorkerPool {
    workers: Vec<Worker>,
    /// Memory for cache transfers, allocated on first use.
    parcel: Option<Arc<Parcel>>,
}

#[derive(Debug)]
struct Worker {
    cpu: Cpu,
    caches: Caches,
    orders: Option<Sender<Order>>,
    accounts: Receiver<Account>,
    thread: Option<JoinHandle<()>>,
}

impl WorkerPool {
    /// Creates a worker per station. Several workers may share a CPU.
    ///
    /// # Errors
    /// Fails if a CPU is offline or not allowed, a policy is not permitted, or a thread cannot be created.
    pub fn new(stations: &[Station]) -> Result<Self, WorkerError> {
        Self::counting(stations, &[])
    }

    /// Like [`WorkerPool::new`]; each worker also counts events during its shifts.
    ///
    /// # Errors
    /// Fails as [`WorkerPool::new`] does.
    pub fn counting(stations: &[Station], counted: &[Counted]) -> Result<Self, WorkerError> {
        let start = |station: &Station| Worker::start(station, counted.to_vec());
        let workers = stations.iter().map(start).collect::<Result<_, _>>()?;
        Ok(WorkerPool { workers, parcel: None })
    }

    /// Creates a pool at real-time priority if that is permitted, otherwise under the ordinary policy; also returns the
    /// policy.
    ///
    /// # Errors
    /// Fails if a CPU is offline or not allowed, or a thread cannot be created.
    pub fn at_real_time(
        priority: u8,
        stations: impl Fn(Policy) -> Vec<Station>,
    ) -> Result<(Self, Policy), WorkerError> {
        real_time_or_ordinary(priority, WorkerError::is_permission, |policy| Self::new(&stations(policy)))
    }

    /// Runs a shift: workers with an entry in `shifts` begin together, and the others sleep. Returns the account of
    /// each worker at the worker's index; `None` for a worker that slept.
    ///
    /// # Errors
    /// Fails if a worker has ended or has no memory for its kernel.
    pub fn work(&mut self, shifts: &[Option<Shift>]) -> Result<Vec<Option<ShiftSample>>, WorkerError> {
        let working: Vec<&Worker> =
            self.workers.iter().zip(shifts).filter_map(|(worker, shift)| shift.map(|_| worker)).collect();
        let barrier = Arc::new(Barrier::new(working.len()));
        let exchange = match working.as_slice() {
            [a, b] if a.cpu != b.cpu => {
                let parcel = shifts.iter().flatten().all(|shift| shift.hands_over).then(|| {
                    let made = self.parcel.get_or_insert_with(|| Arc::new(Parcel::for_all(&self.workers)));
                    Arc::clone(made)
                });
                Some(Arc::new(Exchange::with(parcel)))
            }
            _ => None,
        };
        let mut sides = [Side::First, Side::Second].into_iter();
        for (worker, shift) in self.workers.iter().zip(shifts) {
            if let Some(shift) = *shift {
                let exchange = exchange.clone().zip(sides.next());
                let order = Order { shift, barrier: Arc::clone(&barrier), exchange };
                let sent = worker.orders.as_ref().map(|orders| orders.send(order));
                sent.and_then(Result::ok).ok_or(WorkerError::Gone(worker.cpu))?;
            }
        }
        let account = |(worker, shift): (&Worker, &Option<Shift>)| {
            let told = shift.map(|_| worker.accounts.recv().unwrap_or(Err(WorkerError::Gone(worker.cpu))));
            told.transpose()
        };
        // Every account is received, even after an error: an account that is left in its channel would be taken for one
        // of the next shift.
        let accounts: Vec<_> = self.workers.iter().zip(shifts).map(account).collect();
        accounts.into_iter().collect()
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            // Closing the channel ends the worker.
            worker.orders = None;
        }
        for thread in self.workers.iter_mut().filter_map(|worker| worker.thread.take()) {
            let _ = thread.join();
        }
    }
}

impl Parcel {
    /// Creates a parcel that suits the smallest second-level cache of these workers, since the cores of a machine may
    /// differ.
    fn for_all(workers: &[Worker]) -> Self {
        let least = workers.iter().map(|worker| worker.caches).min_by_key(|caches| caches.l2);
        Parcel::new(&least.unwrap_or_default())
    }
}

impl Worker {
    fn start(station: &Station, counted: Vec<Counted>) -> Result<Self, WorkerError> {
        let (orders, inbox) = channel();
        let (outbox, accounts) = channel();
        let (ready, placed) = channel();
        let station = *station;
        let body = move || {
            let done = station.take();
            let go_on = done.is_ok();
            // The receiver waits for this message, so sending cannot fail.
            let _ = ready.send(done);
            if go_on {
                station.serve(&Books::open(station.cpu, &counted), &inbox, &outbox);
            }
        };
        let thread = std::thread::Builder::new().name(format!("worker {}", station.cpu));
        let thread = thread.spawn(body).map_err(WorkerError::Thread)?;
        placed.recv().map_err(|_| WorkerError::Gone(station.cpu))??;
        Ok(Worker {
            cpu: station.cpu,
            caches: station.caches,
            orders: Some(orders),
            accounts,
            thread: Some(thread),
        })
    }
}

impl Station {
    /// Places the calling thread on its CPU, under its policy.
    fn take(&self) -> Result<(), WorkerError> {
        let place = ThreadPlacement { cpu: self.cpu, policy: self.policy, slack_ns: None };
        place.take().map_err(|source| WorkerError::Station { cpu: self.cpu, source })
    }

    fn serve(&self, books: &Books, inbox: &Receiver<Order>, outbox: &Sender<Account>) {
        // The memory of each kernel is kept for later shifts.
        let mut ready: HashMap<Kernel, Ready> = HashMap::new();
        while let Ok(Order { shift, barrier, exchange }) = inbox.recv() {
            let work = match ready.entry(shift.kernel) {
                Entry::Occupied(there) => Ok(there.into_mut()),
                Entry::Vacant(free) => Ready::new(shift.kernel, &self.caches).map(|fresh| free.insert(fresh)),
            };
            // A worker without memory still joins the barrier, since the others wait for it there, and then skips the
            // shift.
            barrier.wait();
            let work = match work {
                Ok(work) => work,
                Err(source) => {
                    let failed = WorkerError::Memory { cpu: self.cpu, kernel: shift.kernel, source };
                    if outbox.send(Err(failed)).is_err() {
                        return;
                    }
                    continue;
                }
            };
            let exchange = exchange.as_ref();
            let begin = exchange.and_then(|(shared, side)| shared.at_the_beginning.round_trip(*side));
            let handover = exchange.and_then(|(shared, side)| shared.cache_transfer(*side));
            let account = labour(&shift, work, books);
            let end = exchange.and_then(|(shared, side)| shared.at_the_end.round_trip(*side));
            let account = ShiftSample { round_trips_ns: [begin, end], handover, ..account };
            if outbox.send(Ok(account)).is_err() {
                return;
            }
        }
    }
}

type Account = Result<ShiftSample, WorkerError>;

/// Runs laps, first without accounting for the shift's `warm_ns`, and then with accounting until its `duration_ns` is
/// over or the user asks to stop.
fn labour(shift: &Shift, work: &mut Ready, books: &Books) -> ShiftSample {
    let is_before = |moment_ns: u64| clock::monotonic_ns() < moment_ns && !signal::stop_requested();
    let warm_until_ns = clock::monotonic_ns().saturating_add(shift.warm_ns);
    while is_before(warm_until_ns) {
        std::hint::black_box(work.run(shift.lap_units));
    }
    let (begin, counts) = (books.stand(), books.counts());
    let until_ns = clock::monotonic_ns().saturating_add(shift.duration_ns);
    let (mut units, mut laps) = (0, Vec::new());
    if shift.keep_laps {
        // The buffer must not grow between two readings of the clock.
        laps.reserve(LAPS_MAX);
    }
    while is_before(until_ns) {
        let before_ns = if shift.keep_laps { clock::thread_cpu_ns() } else { 0 };
        std::hint::black_box(work.run(shift.lap_units));
        if shift.keep_laps && laps.len() < LAPS_MAX {
            laps.push(clock::thread_cpu_ns() - before_ns);
        }
        units += shift.lap_units;
    }
    let counts = books.counted(counts, books.counts());
    ShiftSample { counts, ..begin.until(&books.stand(), units, laps) }
}

/// Greatest number of laps whose CPU times an account lists: one minute of laps of a millisecond.
const LAPS_MAX: usize = 60_000;

#[cfg(test)]
mod tests {
    use fauxplat_sys::{memory, sched};

    use super::*;

    fn station(cpu: u32) -> Station {
        Station { cpu: Cpu(cpu), policy: Policy::Other, caches: Caches::default() }
    }

    fn shift(kernel: Kernel) -> Option<Shift> {
        Some(Shift {
            kernel,
            warm_ns: 0,
            duration_ns: 20_000_000,
            lap_units: 100,
            keep_laps: true,
            hands_over: kernel == Kernel::Llc,
        })
    }

    #[test]
    fn a_shift_is_accounted_for() {
        let cpu = sched::affinity(0).unwrap().first().unwrap();
        let mut pool = WorkerPool::new(&[station(cpu.0), station(cpu.0)]).unwrap();
        let accounts = pool.work(&[shift(Kernel::Fauxplat), shift(Kernel::L1)]).unwrap();
        for account in accounts.into_iter().flatten() {
            assert!(account.units > 0 && account.units % 100 == 0);
            assert_eq!(account.laps_cpu_ns.len() as u64 * 100, account.units);
            // The two clocks are read one after the other.
            assert!(account.cpu_ns <= account.wall_ns + 10_000_000 && account.wall_ns >= 20_000_000);
            assert_eq!(account.cpus, [Some(cpu), Some(cpu)]);
        }
        let alone = pool.work(&[None, shift(Kernel::L1)]).unwrap();
        assert!(alone[0].is_none() && alone[1].as_ref().is_some_and(|account| account.units > 0));
    }

    #[test]
    fn two_on_cpus_of_their_own_say_how_far_apart_they_are() {
        let cpus: Vec<Cpu> = sched::affinity(0).unwrap().iter().collect();
        let [a, b] = [cpus[0], cpus[cpus.len() - 1]].map(|cpu| station(cpu.0));
        let mut pool = WorkerPool::new(&[a, b]).unwrap();
        let trips = |pool: &mut WorkerPool, shifts: &[Option<Shift>]| {
            let accounts = pool.work(shifts).unwrap();
            accounts.into_iter().flatten().map(|account| account.round_trips_ns).collect::<Vec<_>>()
        };
        let both = trips(&mut pool, &[shift(Kernel::L1), shift(Kernel::L1)]);
        assert_eq!(both[1], [None, None], "only one of them takes the time");
        // Other tests may preempt one of the two threads for longer than the other waits; the time of a round trip
        // depends on the machine.
        assert!(both[0].iter().flatten().all(|&took_ns| took_ns > 0 && a.cpu != b.cpu), "{both:?}");
        assert_eq!(trips(&mut pool, &[shift(Kernel::L1), None]), [[None, None]]);

        let mut is_handed_over = || {
            let accounts = pool.work(&[shift(Kernel::Llc), shift(Kernel::Llc)]).unwrap();
            let handed: Vec<_> = accounts.iter().flatten().map(|account| account.handover).collect();
            assert_eq!(handed[0], None, "who writes takes no time");
            assert!(handed[1].is_none_or(|took| took.handed_ns > 0), "{handed:?}");
            handed[1].is_some()
        };
        // A preempted thread may come too late for the handover, so one handover in several shifts suffices.
        let may_be_missing = a.cpu == b.cpu || !memory::CAN_FLUSH;
        let tries = if may_be_missing { 1 } else { 10 };
        assert!((0..tries).any(|_| is_handed_over()) || may_be_missing);
    }

    #[test]
    fn a_place_that_does_not_exist_is_refused() {
        let error = WorkerPool::new(&[station(99_999)]).unwrap_err();
        assert!(error.to_string().contains("99999") && !error.is_permission(), "{error}");
    }
}
