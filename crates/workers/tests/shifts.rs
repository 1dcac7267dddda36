//! Shifts on the real machine: properties of accounts that hold under any load.

use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::{Policy, ShiftSample};
use fauxplat_sys::{clock, sched};
use fauxplat_units::{Bytes, Cpu};
use fauxplat_workers::{Shift, Station, WorkerError, WorkerPool};

const DURATION_NS: u64 = 5_000_000;
/// Tolerance in nanoseconds for the clocks of an account, which are read one after the other: some hundred nanoseconds,
/// or a time slice of the hypervisor.
const APART_NS: u64 = 10_000_000;

fn cpu() -> Cpu {
    sched::affinity(0).unwrap().first().unwrap()
}

fn stations(policy: Policy, count: usize) -> Vec<Station> {
    let caches = Caches { l2: Bytes(64 << 10), llc: Bytes(256 << 10), ..Caches::default() };
    vec![Station { cpu: cpu(), policy, caches }; count]
}

fn shift(lap_units: u64, keep_laps: bool) -> Option<Shift> {
    let (warm_ns, duration_ns) = (0, DURATION_NS);
    Some(Shift {
        kernel: Kernel::IntegerLatency,
        warm_ns,
        duration_ns,
        lap_units,
        keep_laps,
        hands_over: false,
    })
}

fn adds_up(account: &ShiftSample, lap_units: u64) {
    assert!(account.wall_ns >= DURATION_NS, "{account:?}");
    assert_eq!(account.units % lap_units, 0, "laps are whole: {account:?}");
    let laps_ns: u64 = account.laps_cpu_ns.iter().sum();
    assert!(laps_ns <= account.cpu_ns, "laps are a part of the shift: {account:?}");
}

/// Whether neither CPU time nor run-queue wait exceeds the wall time: a thread has one CPU at most. CPU time and wait
/// are read at both ends of the shift; the scheduler accounts a wait only after it is over.
fn is_within_wall_time(account: &ShiftSample) -> bool {
    let most_ns = account.wall_ns + APART_NS;
    account.cpu_ns <= most_ns && account.run_delay_ns.is_none_or(|wait_ns| wait_ns <= most_ns)
}

#[test]
fn every_nanosecond_of_a_shift_is_in_its_account() {
    let mut pool = WorkerPool::new(&stations(Policy::Other, 3)).unwrap();
    let shifts = [shift(10, true), shift(25, true), shift(1, false)];
    let (mut within, mut all) = (0, 0);
    for _ in 0..10 {
        let accounts = pool.work(&shifts).unwrap();
        within += accounts.iter().flatten().filter(|account| is_within_wall_time(account)).count();
        all += accounts.iter().flatten().count();
        for (account, lap_units) in accounts.iter().flatten().zip([10, 25, 1]) {
            adds_up(account, lap_units);
        }
        let laps: Vec<usize> = accounts.iter().flatten().map(|account| account.laps_cpu_ns.len()).collect();
        assert!(laps[0] > 0 && laps[1] > 0 && laps[2] == 0, "laps are kept for who asks: {laps:?}");
    }
    // A hypervisor may take the CPU for longer than the tolerance between the readings of two clocks, but not always.
    assert!(2 * within > all, "{within} of {all} accounts");
}

#[test]
fn accounts_stand_in_the_places_of_their_shifts() {
    let mut pool = WorkerPool::new(&stations(Policy::Other, 3)).unwrap();
    for working in 0..8u8 {
        let works = |worker: u8| working >> worker & 1 == 1;
        let shifts: Vec<Option<Shift>> =
            (0..3).map(|worker| shift(5, false).filter(|_| works(worker))).collect();
        let accounts = pool.work(&shifts).unwrap();
        let given: Vec<bool> = accounts.iter().map(Option::is_some).collect();
        assert_eq!(given, [works(0), works(1), works(2)]);
    }
}

#[test]
fn on_one_cpu_nobody_asks_how_far_the_other_is() {
    let mut pool = WorkerPool::new(&stations(Policy::Other, 2)).unwrap();
    let hands_over = shift(5, false).map(|shift| Shift { hands_over: true, ..shift });
    for account in pool.work(&[hands_over, hands_over]).unwrap().into_iter().flatten() {
        assert_eq!((account.round_trips_ns, account.handover), ([None, None], None));
    }
}

#[test]
fn threads_go_home_with_their_pool() {
    let named = || {
        let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).ok();
        threads.filter_map(name).filter(|name| name.starts_with("worker 31337")).count()
    };
    let station = |cpu| Station { cpu, ..stations(Policy::Other, 1)[0] };
    let nowhere = [station(cpu()), station(Cpu(31_337))];
    let error = WorkerPool::new(&nowhere).unwrap_err();
    assert!(matches!(error, WorkerError::Station { cpu: Cpu(31_337), .. }), "{error}");
    assert!(error.to_string().contains("CPU 31337") && !error.is_permission(), "{error}");
    // The refused thread is about to end; two minutes suffice even on a very busy machine.
    let until_ns = clock::monotonic_ns() + 120_000_000_000;
    while named() > 0 {
        assert!(clock::monotonic_ns() < until_ns, "a refused worker stays");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn real_time_falls_back_to_the_ordinary_policy_and_says_so() {
    let (mut pool, policy) = WorkerPool::at_real_time(1, |policy| stations(policy, 1)).unwrap();
    assert_eq!(policy == Policy::Fifo(1), WorkerPool::new(&stations(Policy::Fifo(1), 1)).is_ok());
    assert!(matches!(policy, Policy::Fifo(1) | Policy::Other));
    adds_up(pool.work(&[shift(10, true)]).unwrap()[0].as_ref().unwrap(), 10);
    let nowhere = |policy| vec![Station { cpu: Cpu(99_999), ..stations(policy, 1)[0] }];
    assert!(
        WorkerPool::at_real_time(1, nowhere).is_err(),
        "a CPU that is not there is no permission that lacks"
    );
}
