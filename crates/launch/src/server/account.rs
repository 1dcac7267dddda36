//! The account of a run's whole process tree, from exit records, migrations and steal time.

use fauxplat_sys::migrations::{Move, Observer};
use fauxplat_sys::spawn::Started;
use fauxplat_sys::taskstats::{self, ExitRecord, Listener};
use fauxplat_sys::{clock, sched};

use crate::procfs::{self, FirstThread, StealClock};
use crate::ring::{HAS_MIGRATIONS, HAS_TASKSTATS};

/// Sources of readings that are available on this machine and with these permissions.
#[derive(Debug)]
pub(crate) struct Accounts {
    listener: Option<Listener>,
    observer: Option<Observer>,
    steal: StealClock,
    /// Process id of the spawner, which orphans report as their parent.
    spawner: i32,
    records: Vec<ExitRecord>,
    moves: Vec<Move>,
    /// Time by `CLOCK_MONOTONIC` at which all exit records were last read; 0 to discard those that exist at the next
    /// run.
    taken_ns: u64,
    /// Number of runs so far of which exit records were lost.
    lossy_runs: u64,
}

/// Time after the last reading within which the tasks of a machine cannot fill the buffer for their exit records.
const ROOMY_NS: u64 = 5_000_000;

/// Readings of all sources for one run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) cpu_ns: Option<u64>,
    pub(crate) run_delay_ns: Option<u64>,
    pub(crate) peak_memory_bytes: Option<u64>,
    pub(crate) migrations: Option<u64>,
    pub(crate) cpu_last: Option<u16>,
    /// Whether exit records were lost, so that the readings that come from them are unknown.
    pub(crate) lossy: bool,
}

impl Accounts {
    /// Opens every source that can be opened.
    pub(crate) fn open() -> Self {
        Accounts::with_room(taskstats::ROOM_BYTES)
    }

    fn with_room(room_bytes: i32) -> Self {
        let online = procfs::online().or_else(|| sched::affinity(0).ok()).unwrap_or_default();
        let listener = Listener::open(&online.to_string(), room_bytes).ok();
        // Without exit records the tasks of the tree are unknown, so observed migrations could not be attributed.
        let observer = listener.as_ref().and_then(|_| Observer::open(&online).ok());
        let steal = StealClock::open();
        let spawner = std::process::id() as i32;
        Accounts {
            listener,
            observer,
            steal,
            spawner,
            records: Vec::with_capacity(64),
            moves: Vec::with_capacity(64),
            taken_ns: 0,
            lossy_runs: 0,
        }
    }

    pub(crate) fn abilities(&self) -> u64 {
        u64::from(self.listener.is_some()) * HAS_TASKSTATS
            + u64::from(self.observer.is_some()) * HAS_MIGRATIONS
    }

    /// Whether all readings of a run come from exit records and perf events, so that `/proc` need not be read.
    pub(crate) fn complete(&self) -> bool {
        self.abilities() == HAS_TASKSTATS | HAS_MIGRATIONS
    }

    pub(crate) fn lossy_runs(&self) -> u64 {
        self.lossy_runs
    }

    /// Discards records from before the run. Between consecutive runs nothing can have piled up; after a pause, records
    /// of the whole machine may have overflowed, which must not count as a loss of the next run.
    pub(crate) fn begin(&mut self) {
        let now_ns = clock::monotonic_ns();
        if let Some(listener) = self.listener.as_mut().filter(|_| now_ns - self.taken_ns > ROOMY_NS) {
            let _lost_or_not = listener.drain(drop);
        }
        if let Some(observer) = &self.observer {
            observer.skip();
        }
    }

    /// Gives up a run that did not start. The exit record of the failed child is discarded before the next run, which
    /// would otherwise be charged with it: the child had the memory of the spawner.
    pub(crate) fn abandon(&mut self) {
        self.taken_ns = 0;
    }

    /// Gathers the records of a run after all its processes were reaped. `late` holds children of earlier runs that
    /// ended during this one and do not belong to it.
    pub(crate) fn end(&mut self, started: Started, seen: Option<FirstThread>, late: &[i32]) -> Account {
        let mut account = Account::default();
        self.records.clear();
        let records = &mut self.records;
        let drained = self.listener.as_mut().map(|listener| listener.drain(|record| records.push(record)));
        let whole = matches!(drained, Some(Ok(true)));
        account.lossy = matches!(drained, Some(Ok(false)));
        self.lossy_runs += u64::from(account.lossy);
        self.taken_ns = clock::monotonic_ns();
        let tree = whole.then(|| tree_of(started.pid, self.spawner, &self.records, late));
        if let Some(tree) = &tree {
            let tasks = || self.records.iter().filter(|record| tree.contains(record.pid));
            account.cpu_ns = Some(tasks().map(|task| task.cpu_ns).sum());
            account.run_delay_ns = Some(tasks().map(|task| task.run_delay_ns).sum());
            account.peak_memory_bytes = tasks().map(|task| task.peak_memory_bytes).max();
            self.count_moves(started, tree, &mut account);
        }
        if let Some(seen) = seen.filter(|_| !account.lossy) {
            account.run_delay_ns = account.run_delay_ns.or(seen.run_delay_ns);
            account.migrations = account.migrations.or(seen.migrations);
            account.cpu_last = account.cpu_last.or(seen.cpu);
        }
        account
    }

    fn count_moves(&mut self, started: Started, tree: &Tree, account: &mut Account) {
        let Some(observer) = &self.observer else { return };
        self.moves.clear();
        let moves = &mut self.moves;
        if !observer.drain(|step| moves.push(step)) {
            return;
        }
        account.migrations = Some(self.moves.iter().filter(|step| tree.contains(step.pid)).count() as u64);
        // The ring buffers of the CPUs are read one after the other, so the order of several migrations of the leader
        // is unknown, and so is its last CPU.
        let mut leader = self.moves.iter().filter(|step| step.tid == started.pid);
        account.cpu_last = match (leader.next(), leader.next()) {
            (None, _) => started.cpu,
            (Some(step), None) => u16::try_from(step.cpu).ok(),
            _ => None,
        };
    }

    /// Steal time of the machine since boot, in nanoseconds, for use before a run.
    pub(crate) fn steal_before(&mut self) -> Option<u64> {
        self.steal.before(clock::monotonic_ns())
    }

    /// Steal time of the machine since boot, in nanoseconds, for use after a run.
    pub(crate) fn steal_after(&mut self) -> Option<u64> {
        self.steal.read(clock::monotonic_ns())
    }
}

/// Process ids of a run's process tree; usually only the leader's.
#[derive(Debug)]
struct Tree {
    leader: i32,
    others: Vec<i32>,
}

impl Tree {
    fn contains(&self, pid: i32) -> bool {
        pid == self.leader || self.others.contains(&pid)
    }
}

/// Finds the tree among the records of all processes of the machine that ended during the run.
///
/// A parent usually ends after its children, so their records come first and membership needs several passes. Orphans
/// report the spawner as their parent: a child of the spawner that is not the leader is an orphan of this run, unless
/// an earlier run left it.
fn tree_of(leader: i32, spawner: i32, records: &[ExitRecord], late: &[i32]) -> Tree {
    let mut tree = Tree { leader, others: Vec::new() };
    loop {
        let before = tree.others.len();
        for record in records {
            let is_orphan = record.parent == spawner && !late.contains(&record.pid);
            let belongs = is_orphan || tree.contains(record.parent);
            if belongs && !tree.contains(record.pid) {
                tree.others.push(record.pid);
            }
        }
        if tree.others.len() == before {
            return tree;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;
    use fauxplat_sys::process;
    use fauxplat_sys::spawn::{ChildSetup, Image, start};

    fn record(pid: i32, parent: i32) -> ExitRecord {
        ExitRecord { tid: pid, pid, parent, cpu_ns: 1, run_delay_ns: 1, peak_memory_bytes: 1 }
    }

    #[test]
    fn the_tree_is_found_among_strangers() {
        let spawner = std::process::id() as i32;
        // The grandchild first, then its parent, an orphan that the spawner adopted, an unrelated process, and the
        // leader last.
        let records = [
            record(-12, -11),
            record(-11, -10),
            record(-20, spawner),
            record(-30, -31),
            record(-10, spawner),
        ];
        for late in [&[][..], &[-20]] {
            let tree = tree_of(-10, spawner, &records, late);
            // A process that an earlier run left is not part of the tree.
            for (pid, inside) in [(-10, true), (-11, true), (-12, true), (-20, late.is_empty()), (-30, false)]
            {
                assert_eq!(tree.contains(pid), inside, "{pid}");
            }
        }
    }

    /// Account of a shell that starts this many programs.
    fn account_of(accounts: &mut Accounts, programs: usize) -> Account {
        let line = format!("i=0; while [ $i -lt {programs} ]; do /bin/true; i=$((i+1)); done");
        let mut image = Image::new("/bin/sh", &["sh".into(), "-c".into(), line], &[]).unwrap();
        let setup = ChildSetup { stdio: [0, 1, 2], ..Default::default() };
        accounts.begin();
        let started = start(&mut image, &setup, None, &mut Default::default()).unwrap();
        process::wait(started.pid, true);
        accounts.end(started, None, &[])
    }

    #[test]
    fn a_run_of_more_exits_than_there_is_room_for_is_marked_and_the_next_one_is_not() {
        let mut accounts = Accounts::with_room(64 << 10);
        if accounts.listener.is_none() {
            assert!(!process::is_root());
            return;
        }
        let many = account_of(&mut accounts, 500);
        assert!(
            many.lossy && many.cpu_ns.is_none() && many.run_delay_ns.is_none() && many.migrations.is_none()
        );
        let few = account_of(&mut accounts, 1);
        assert!(!few.lossy && few.cpu_ns.is_some() && few.run_delay_ns.is_some());
        assert_eq!(accounts.lossy_runs(), 1);
    }

    #[test]
    fn a_run_that_did_not_start_leaves_no_record_to_the_next_one() {
        let mut accounts = Accounts::open();
        if accounts.listener.is_none() {
            assert!(!process::is_root());
            return;
        }
        account_of(&mut accounts, 0);
        let memory = account_of(&mut accounts, 0).peak_memory_bytes.unwrap();
        accounts.begin();
        let setup = ChildSetup { stdio: [0, 1, 2], ..Default::default() };
        let mut missing = Image::new("/no such program", &["x".into()], &[]).unwrap();
        assert!(start(&mut missing, &setup, None, &mut Default::default()).is_err());
        accounts.abandon();
        // The child that did not start had the memory of this process, which is larger than that of a shell.
        let block = vec![1_u8; 64 << 20];
        assert!(
            account_of(&mut accounts, 0).peak_memory_bytes.unwrap() < memory + (32 << 20),
            "{}",
            block.len()
        );
    }

    #[test]
    fn what_piled_up_before_a_run_is_not_the_runs_loss() {
        let mut accounts = Accounts::with_room(64 << 10);
        if accounts.listener.is_some() {
            let unnoticed = Capture::shell("i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done");
            unnoticed.run().unwrap();
            assert!(!account_of(&mut accounts, 1).lossy);
        }
    }
}
