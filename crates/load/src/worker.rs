//! The worker of a generator, which does the work in laps of about a given length, and keeps the account.

use std::io;

use fauxplat_sys::clock;
use fauxplat_sys::sched::WaitClock;

use crate::board::{Board, Word};
use crate::labour::Labour;

/// Initial estimate of the time of a unit. Units may be expensive, so the estimate is high and the first lap short.
const UNKNOWN_UNIT_NS: f64 = 40_000.0;
/// Weight of a new lap in the estimate of the time of a unit: large enough to follow a CPU whose clock changes, small
/// enough to bear a lap with an interrupt.
const FOLLOW: f64 = 0.2;

pub(crate) struct Worker {
    labour: Box<dyn Labour>,
    unit_ns: f64,
    wait: WaitClock,
    busy_ns: u64,
    /// Clocks at the last update of the account.
    entered: Clocks,
    /// Elapsed times that the account contains so far.
    sums: Clocks,
    away_ns: u64,
    operations: u64,
}

/// Readings of the clocks, or sums of elapsed times.
#[derive(Clone, Copy, Debug, Default)]
struct Clocks {
    busy_ns: u64,
    wall_ns: u64,
    run_delay_ns: Option<u64>,
}

impl Worker {
    pub(crate) fn new(labour: Box<dyn Labour>) -> Self {
        let (wait, busy_ns) = (WaitClock::open(), labour.busy_ns());
        let sums = Clocks { run_delay_ns: wait.run_delay_ns().map(|_| 0), ..Clocks::default() };
        let (entered, unit_ns) = (Clocks::default(), UNKNOWN_UNIT_NS);
        Worker { labour, unit_ns, wait, busy_ns, entered, sums, away_ns: 0, operations: 0 }
    }

    /// Reading of the clock of [`Labour::busy_ns`] at the end of the last lap.
    pub(crate) fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// Begins to count time, from the present readings of the clocks.
    pub(crate) fn begin(&mut self) {
        self.busy_ns = self.labour.busy_ns();
        self.entered = self.clocks();
    }

    /// Works for about this time, and rather a little less, since excess cannot be undone.
    ///
    /// # Errors
    /// Fails where a system call of the work fails.
    pub(crate) fn lap(&mut self, length_ns: u64) -> io::Result<()> {
        let units = ((length_ns as f64 / self.unit_ns) as u64).max(1);
        self.labour.lap(units)?;
        self.operations += self.labour.operations(units);
        let busy_ns = self.labour.busy_ns();
        let unit_ns = busy_ns.saturating_sub(self.busy_ns) as f64 / units as f64;
        self.unit_ns = (self.unit_ns + FOLLOW * (unit_ns - self.unit_ns)).max(1.0);
        self.busy_ns = busy_ns;
        Ok(())
    }

    /// Adds the time since the last update to the account, and writes the account to the board.
    pub(crate) fn publish(&mut self, board: &Board<'_>) {
        let now = self.clocks();
        let since = |now: u64, before: u64| now.saturating_sub(before);
        self.sums.busy_ns += since(now.busy_ns, self.entered.busy_ns);
        self.sums.wall_ns += since(now.wall_ns, self.entered.wall_ns);
        let delay = now.run_delay_ns.zip(self.entered.run_delay_ns);
        self.sums.run_delay_ns = self.sums.run_delay_ns.zip(delay).map(|(sum, (b, a))| sum + since(b, a));
        self.entered = now;
        board.write(Word::BusyNs, self.sums.busy_ns);
        board.write(Word::WallNs, self.sums.wall_ns);
        board.write(Word::RunDelayNs, self.sums.run_delay_ns.unwrap_or(0));
        board.write(Word::TellsDelay, u64::from(self.sums.run_delay_ns.is_some()));
        board.write(Word::AwayNs, self.away_ns);
        board.write(Word::Operations, self.operations);
    }

    /// Updates the account after a time in which the generator's CPU was not available.
    pub(crate) fn publish_as_away(&mut self, board: &Board<'_>) {
        self.away_ns += clock::monotonic_ns().saturating_sub(self.entered.wall_ns);
        self.publish(board);
    }

    fn clocks(&self) -> Clocks {
        Clocks {
            busy_ns: self.labour.busy_ns(),
            run_delay_ns: self.wait.run_delay_ns(),
            wall_ns: clock::monotonic_ns(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::atomic::AtomicU64;

    use proptest::prelude::*;

    use super::*;
    use crate::board::WORDS;

    /// Work on a simulated clock: each unit takes a given time, until it fails.
    struct Described {
        busy_ns: Rc<Cell<u64>>,
        unit_ns: Rc<Cell<u64>>,
        fails_after: u64,
    }

    impl Labour for Described {
        fn lap(&mut self, units: u64) -> io::Result<()> {
            if self.busy_ns.get() >= self.fails_after {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.busy_ns.set(self.busy_ns.get() + units * self.unit_ns.get());
            Ok(())
        }

        fn busy_ns(&self) -> u64 {
            self.busy_ns.get()
        }

        fn operations(&self, units: u64) -> u64 {
            2 * units
        }
    }

    /// A worker with its simulated clock and the time of a unit.
    fn worker(unit_ns: u64, fails_after: u64) -> (Worker, Rc<Cell<u64>>, Rc<Cell<u64>>) {
        let (busy_ns, unit_ns) = (Rc::new(Cell::new(7_000)), Rc::new(Cell::new(unit_ns)));
        let labour = Described { busy_ns: Rc::clone(&busy_ns), unit_ns: Rc::clone(&unit_ns), fails_after };
        (Worker::new(Box::new(labour)), busy_ns, unit_ns)
    }

    fn words() -> Vec<AtomicU64> {
        (0..WORDS).map(|_| AtomicU64::new(0)).collect()
    }

    #[test]
    fn laps_become_as_long_as_asked_whatever_a_unit_takes() {
        for unit_ns in [50, 3_000, 39_999] {
            let (mut worker, busy_ns, _) = worker(unit_ns, u64::MAX);
            worker.begin();
            (0..60).for_each(|_| worker.lap(40_000).unwrap());
            let before_ns = busy_ns.get();
            worker.lap(40_000).unwrap();
            let lap_ns = busy_ns.get() - before_ns;
            assert!(lap_ns <= 41_000 && lap_ns + unit_ns >= 39_000, "{unit_ns}: {lap_ns}");
        }
    }

    #[test]
    fn a_unit_that_is_longer_than_the_lap_is_done_alone() {
        let (mut worker, busy_ns, _) = worker(5_000_000, u64::MAX);
        worker.begin();
        for length_ns in [40_000, 1, 0] {
            let before_ns = busy_ns.get();
            worker.lap(length_ns).unwrap();
            assert_eq!(busy_ns.get() - before_ns, 5_000_000, "{length_ns}");
        }
        assert_eq!(worker.busy_ns(), busy_ns.get());
    }

    /// The estimate follows a CPU whose clock rises and falls, and recovers from a first lap with an interrupt.
    #[test]
    fn a_price_that_changes_is_learnt_anew() {
        let (mut worker, busy_ns, unit_ns) = worker(100, u64::MAX);
        worker.begin();
        for price_ns in [100, 10_000, 20] {
            unit_ns.set(price_ns);
            (0..80).for_each(|_| worker.lap(40_000).unwrap());
            let before_ns = busy_ns.get();
            worker.lap(40_000).unwrap();
            let lap_ns = busy_ns.get() - before_ns;
            assert!((30_000..=42_000).contains(&lap_ns), "{price_ns}: {lap_ns}");
        }
    }

    #[test]
    fn only_what_happens_after_the_beginning_counts() {
        let (mut worker, busy_ns, _) = worker(1_000, u64::MAX);
        worker.lap(10_000).unwrap();
        busy_ns.set(busy_ns.get() + 1_000_000_000);
        worker.begin();
        let (words, begun_ns) = (words(), busy_ns.get());
        let board = Board(&words);
        worker.lap(10_000).unwrap();
        worker.publish(&board);
        assert_eq!(board.read(Word::BusyNs), busy_ns.get() - begun_ns);
        let wall_ns = board.read(Word::WallNs);
        assert!(wall_ns > 0 && board.read(Word::AwayNs) == 0);
        worker.publish(&board);
        assert_eq!(board.read(Word::BusyNs), busy_ns.get() - begun_ns, "nothing is entered twice");
        assert!(board.read(Word::WallNs) >= wall_ns);
    }

    #[test]
    fn time_away_is_wall_time_without_work() {
        let (mut worker, _, _) = worker(1_000, u64::MAX);
        let words = words();
        let board = Board(&words);
        worker.begin();
        for _ in 0..3 {
            worker.publish_as_away(&board);
        }
        let (away_ns, wall_ns) = (board.read(Word::AwayNs), board.read(Word::WallNs));
        assert!(0 < away_ns && away_ns <= wall_ns, "{away_ns} of {wall_ns}");
        assert_eq!((board.read(Word::BusyNs), board.read(Word::Operations)), (0, 0));
    }

    #[test]
    fn work_that_fails_says_so_and_what_was_done_before_is_kept() {
        let (mut worker, busy_ns, _) = worker(10_000, 200_000);
        worker.begin();
        let failed = (0..100).find_map(|_| worker.lap(40_000).err()).expect("it fails in the end");
        assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
        let words = words();
        let board = Board(&words);
        worker.publish(&board);
        assert_eq!(board.read(Word::BusyNs), busy_ns.get() - 7_000);
        assert_eq!(board.read(Word::Operations), 2 * (busy_ns.get() - 7_000) / 10_000);
    }

    proptest! {
        /// For any requested length and any time of a unit, every lap does something, and every operation is counted.
        #[test]
        fn operations_are_conserved(steps in proptest::collection::vec((0u64..10_000_000, 1u64..1_000_000), 1..40)) {
            let (mut worker, busy_ns, unit_ns) = worker(1, u64::MAX);
            let words = words();
            let board = Board(&words);
            worker.begin();
            let (begun_ns, mut units) = (busy_ns.get(), 0);
            for (length_ns, price_ns) in steps {
                unit_ns.set(price_ns);
                let before_ns = busy_ns.get();
                worker.lap(length_ns).unwrap();
                let passed_ns = busy_ns.get() - before_ns;
                prop_assert!(passed_ns >= price_ns && passed_ns.is_multiple_of(price_ns));
                units += passed_ns / price_ns;
            }
            worker.publish(&board);
            prop_assert_eq!(board.read(Word::Operations), 2 * units);
            prop_assert_eq!(board.read(Word::BusyNs), busy_ns.get() - begun_ns);
        }
    }
}
