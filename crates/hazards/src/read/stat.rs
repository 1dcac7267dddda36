//! CPU time by kind, and its increase between two readings.

use std::collections::BTreeMap;

use fauxplat_procfs::stat::{self, Kind};
use fauxplat_units::Cpu;

pub(crate) const USER_HZ: f64 = stat::TICKS_PER_S as f64;

/// Time of one CPU in ticks, since boot or between two readings; a second has [`USER_HZ`] ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// Ticks in which the CPU ran something: all kinds but idle, waiting for a disk, and steal.
    pub(crate) busy: u64,
    /// Ticks in which the CPU could have run, but the hypervisor did not let it run.
    pub(crate) steal: u64,
    pub(crate) total: u64,
}

impl Ticks {
    /// Returns ticks since an earlier reading. Counters of idle time can decrease, which counts as no time.
    pub(crate) fn since(self, before: Ticks) -> Ticks {
        Ticks {
            busy: self.busy.saturating_sub(before.busy),
            steal: self.steal.saturating_sub(before.steal),
            total: self.total.saturating_sub(before.total),
        }
    }

    /// Returns the sums of these ticks and those of another CPU.
    pub(crate) fn plus(self, other: Ticks) -> Ticks {
        Ticks {
            busy: self.busy.saturating_add(other.busy),
            steal: self.steal.saturating_add(other.steal),
            total: self.total.saturating_add(other.total),
        }
    }

    /// Returns `part` as a share of all ticks, 0 to 1; zero if no time passed.
    pub(crate) fn share(self, part: u64) -> f64 {
        if self.total == 0 { 0.0 } else { part.min(self.total) as f64 / self.total as f64 }
    }
}

/// Returns the ticks of each online CPU, from the text of `/proc/stat`.
pub(crate) fn parse(text: &str) -> BTreeMap<Cpu, Ticks> {
    let ticks = |ticks: stat::Ticks| {
        let steal = ticks.of(Kind::Steal).unwrap_or(0);
        Some(Ticks { busy: ticks.busy()?, steal, total: ticks.total()? })
    };
    stat::cpus(text).filter_map(|(cpu, all)| Some((Cpu(cpu), ticks(all)?))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_cpu_line_is_split_into_kinds() {
        let cpus = parse("cpu  9 9 9 9\ncpu0 10 1 2 80 3 1 1 2 5 0\ncpu1 1 2 3 4\ncpux 1\nintr 5\ncpu2 a\n");
        assert_eq!(cpus.len(), 2);
        assert_eq!(cpus[&Cpu(0)], Ticks { busy: 15, steal: 2, total: 100 });
        assert_eq!(cpus[&Cpu(1)].total, 10, "kernels of long ago had four kinds");
    }

    #[test]
    fn counters_that_step_back_are_no_time() {
        let (early, late) = (Ticks { busy: 5, steal: 1, total: 9 }, Ticks { busy: 4, steal: 2, total: 8 });
        assert_eq!(late.since(early), Ticks { busy: 0, steal: 1, total: 0 });
        assert_eq!(late.since(early).share(1), 0.0);
    }

    #[test]
    fn a_share_is_one_of_the_whole_and_never_more() {
        let second = Ticks { busy: 30, steal: 200, total: 100 };
        assert_eq!((second.share(30), second.share(200), second.share(0)), (0.3, 1.0, 0.0));
        assert_eq!(Ticks::default().share(5), 0.0, "where no time passed there is no share");
        let most = Ticks { busy: u64::MAX, steal: 1, total: u64::MAX };
        assert_eq!(most.plus(most), Ticks { busy: u64::MAX, steal: 2, total: u64::MAX });
    }

    proptest! {
        #[test]
        fn kinds_add_up_to_the_whole(kinds in proptest::collection::vec(0u64..1 << 40, 10)) {
            let words: Vec<String> = kinds.iter().map(u64::to_string).collect();
            let found = parse(&format!("cpu3 {}\n", words.join(" ")))[&Cpu(3)];
            // The last two kinds, time of guests, are included in user time already.
            prop_assert_eq!(found.total, kinds[..8].iter().sum::<u64>());
            prop_assert_eq!(found.busy + found.steal + kinds[3] + kinds[4], found.total);
            prop_assert_eq!(found.since(Ticks::default()), found);
            prop_assert_eq!(found.since(found), Ticks::default());
        }
    }
}
