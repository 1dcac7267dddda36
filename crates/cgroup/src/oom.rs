//! Makes the tasks of a group wait when memory is used up, instead of being killed.

use fauxplat_model::{GroupUsage, Limit};

use crate::group::write;
use crate::hierarchy::Version;
use crate::{CgroupError, Controller, Group};

/// `memory.high` is the limit minus a share of it, whose divisor this is. The kernel lets tasks exceed `memory.high` by
/// some per cent of it before they stand still (`calculate_high_delay` in `mm/memcontrol.c`), so that tasks stop at
/// about the limit.
const PAST_HIGH: u64 = 32;

/// Mechanism that makes the tasks of a group wait when its memory is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pausing {
    /// The kernel makes tasks wait (version 1, `memory.oom_control`).
    ByKernel,
    /// The kernel slows tasks down above a threshold (version 2, `memory.high`), and the watching process freezes them
    /// there.
    ByFreezing { high_bytes: u64 },
}

impl Group {
    /// Makes tasks wait when the memory limit is reached; returns the mechanism.
    ///
    /// # Errors
    /// Fails where there is no memory limit, or the kernel lacks the mechanism.
    pub fn pause_on_oom(&mut self, limit: &Limit) -> Result<Pausing, CgroupError> {
        let (Some(place), Some(memory)) = (self.place(Controller::Memory), limit.memory) else {
            return Err(CgroupError::Refused(
                "--on-oom pause: there is no limit of memory that could be met; state --memory SIZE"
                    .to_owned(),
            ));
        };
        let (version, folder) = (place.version, place.folder.to_owned());
        if version == Version::One {
            write(&folder.join("memory.oom_control"), "1")?;
            return Ok(Pausing::ByKernel);
        }
        let high_bytes = memory.0 - memory.0 / PAST_HIGH;
        write(&folder.join("memory.high"), &high_bytes.to_string())?;
        write(&folder.join("memory.max"), "max")?;
        self.note(
            "version 2 makes no task wait for memory: memory.high, a little below the limit, is set in the place of \
             memory.max, and the group is frozen when it stays above that",
        );
        Ok(Pausing::ByFreezing { high_bytes })
    }

    /// Freezes or thaws all tasks of the group; version 2 alone.
    ///
    /// # Errors
    /// Fails with version 1, and on kernels before Linux 5.2.
    pub fn freeze(&self, is_frozen: bool) -> Result<(), CgroupError> {
        let place = self.place(Controller::Memory).filter(|place| place.version == Version::Two);
        let place =
            place.ok_or_else(|| CgroupError::Refused("only groups of version 2 are frozen".to_owned()))?;
        write(&place.folder.join("cgroup.freeze"), if is_frozen { "1" } else { "0" })
    }
}

impl Pausing {
    /// Whether to freeze a group, by two successive readings of its usage: the group was above `memory.high` in both. A
    /// group that reads files reaches the threshold too, but falls below it when the kernel frees the cached pages of
    /// the files.
    pub fn wants_freezing(self, before: &GroupUsage, now: &GroupUsage) -> bool {
        let Pausing::ByFreezing { high_bytes } = self else { return false };
        let is_above = |usage: &GroupUsage| usage.memory_bytes.is_some_and(|bytes| bytes >= high_bytes);
        is_above(before) && is_above(now) && now.high > Some(0) && !now.is_paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_frozen_only_where_it_stays_above() {
        let pausing = Pausing::ByFreezing { high_bytes: 100 };
        let usage = |memory, high| GroupUsage {
            memory_bytes: Some(memory),
            high: Some(high),
            ..GroupUsage::default()
        };
        assert!(pausing.wants_freezing(&usage(100, 1), &usage(104, 2)));
        for (before, now) in [((99, 1), (104, 2)), ((104, 1), (99, 2)), ((104, 0), (104, 0))] {
            assert!(!pausing.wants_freezing(&usage(before.0, before.1), &usage(now.0, now.1)), "{before:?}");
        }
        let frozen = GroupUsage { is_paused: true, ..usage(104, 2) };
        assert!(!pausing.wants_freezing(&usage(104, 1), &frozen));
        assert!(!Pausing::ByKernel.wants_freezing(&usage(104, 1), &usage(104, 2)));
    }
}
