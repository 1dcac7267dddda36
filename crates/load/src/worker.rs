//! The work of a generator and the account of it.

use std::io;

use fauxplat_sys::clock;
use fauxplat_sys::sched::WaitClock;

use crate::board::{Board, Word};
use crate::labour::Labour;

/// A unit of which nothing is known yet may be an expensive one.
const UNKNOWN_UNIT_NS: f64 = 40_000.0;
/// How fast the estimate follows: fast enough for a CPU whose clock changes, slow enough for a lap with an interrupt.
const FOLLOW: f64 = 0.2;

/// Does the work in laps of about a stated length, and keeps the account.
pub(crate) struct Worker {
    labour: Box<dyn Labour>,
    /// What a unit takes, as far as it is known.
    unit_ns: f64,
    wait: WaitClock,
    busy_ns: u64,
    /// The clocks at the last entry.
    entered: Clocks,
    /// The sums of all entries.
    sums: Clocks,
    away_ns: u64,
    operations: u64,
}

/// The clocks at one moment, or sums of what passed on them.
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

    /// The clock by which the share is held, at the end of the last lap.
    pub(crate) fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// From now on time counts.
    pub(crate) fn begin(&mut self) {
        self.busy_ns = self.labour.busy_ns();
        self.entered = self.clocks();
    }

    /// Works for about so long, and a little less: what is too long cannot be taken back.
    ///
    /// # Errors
    /// The kernel does not go on.
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

    /// Enters what happened since the last entry.
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

    /// The same for time in which the CPU was away.
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
