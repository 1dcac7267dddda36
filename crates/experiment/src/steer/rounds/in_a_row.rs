//! Chooses for each block whether its commands run twice in a row.

use fauxplat_model::Runs;
use fauxplat_plan::Layout;

use super::Bounds;

/// Minimum number of runs of each command for which running twice in a row is useful: each block then gives a test one
/// independent sign (a "coin") for two runs, and fewer than ten signs decide nothing.
const RUNS_FROM: u32 = 20;

/// Choice of the layout of each block, for a plan whose commands should run twice in a row.
///
/// If the number of runs is odd, the first block has single runs. If the number is not known yet, the first block has
/// single runs as well, and its duration shows whether there will be enough runs. Such a first block takes no part in a
/// comparison of the blocks in which commands run twice in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct InARow {
    wanted: Layout,
    /// Whether each command will have [`RUNS_FROM`] runs; `None` while that depends on their duration.
    is_enough: Option<bool>,
}

impl InARow {
    pub(super) fn of(wanted: Layout, bounds: &Bounds) -> Self {
        let is_enough = match (wanted, bounds.runs) {
            (Layout::Twice(_), Runs::Count(count)) => Some(count >= RUNS_FROM),
            (Layout::Twice(_), _) if bounds.most.is_some_and(|most| most < RUNS_FROM) => Some(false),
            (Layout::Twice(_), _) => bounds.least.filter(|&least| least >= RUNS_FROM).map(|_| true),
            _ => Some(true),
        };
        InARow { wanted, is_enough }
    }

    /// Decides whether there will be enough runs, by the duration of the first round and the time that all rounds may
    /// take.
    pub(super) fn paced(&mut self, round_ns: u64, time_ns: u64) {
        let is_enough = || round_ns.saturating_mul(RUNS_FROM.into()) <= time_ns;
        self.is_enough = Some(self.is_enough.unwrap_or_else(is_enough));
    }

    /// Whether the layout of the next block depends on the duration of the first.
    pub(super) fn is_open(&self) -> bool {
        self.is_enough.is_none()
    }

    /// Layout of the next block. `left` is the number of remaining runs of each command, where that is known.
    pub(super) fn next(&self, is_first: bool, left: Option<u32>) -> Layout {
        let Layout::Twice(_) = self.wanted else { return self.wanted };
        let is_odd = is_first && left.is_some_and(|left| left % 2 == 1);
        match self.is_enough == Some(true) && !is_odd && left != Some(1) {
            true => self.wanted,
            false => Layout::Single,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWICE: Layout = Layout::Twice(1);

    fn choice(runs: Runs, most: Option<u32>) -> InARow {
        InARow::of(TWICE, &Bounds { runs, most, ..Bounds::default() })
    }

    #[test]
    fn a_number_of_runs_is_met_exactly() {
        let layouts = |count: u32| {
            let choice = choice(Runs::Count(count), None);
            let mut done = Vec::new();
            while let left @ 1.. = count - done.iter().map(|it: &Layout| u32::from(it.rounds())).sum::<u32>()
            {
                done.push(choice.next(done.is_empty(), Some(left)));
            }
            (done[0], done.len())
        };
        assert_eq!(layouts(19), (Layout::Single, 19));
        assert_eq!(layouts(20), (TWICE, 10));
        assert_eq!(layouts(21), (Layout::Single, 11));
    }

    #[test]
    fn the_first_block_tells_whether_there_will_be_runs_enough() {
        let paced = |round_ns, most| {
            let mut choice = choice(Runs::Auto, most);
            let (was_open, first) = (choice.is_open(), choice.next(true, most));
            choice.paced(round_ns, 3_000);
            assert!(first == Layout::Single && !choice.is_open());
            (was_open, choice.next(false, None))
        };
        assert_eq!(paced(150, None), (true, TWICE));
        assert_eq!(paced(151, None), (true, Layout::Single));
        assert_eq!(paced(1, Some(12)), (false, Layout::Single));
        let least = Bounds { runs: Runs::Auto, least: Some(20), ..Bounds::default() };
        assert_eq!(InARow::of(TWICE, &least).next(true, Some(500)), TWICE);
        let mut most = choice(Runs::Auto, Some(500));
        most.paced(1, 3_000);
        assert_eq!([Some(2), Some(1)].map(|left| most.next(false, left)), [TWICE, Layout::Single]);
    }

    #[test]
    fn other_layouts_stay_as_they_are() {
        let single = InARow::of(Layout::Single, &Bounds { runs: Runs::Count(21), ..Bounds::default() });
        assert_eq!((single.is_open(), single.next(true, Some(21))), (false, Layout::Single));
    }
}
