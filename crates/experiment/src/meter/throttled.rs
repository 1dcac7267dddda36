//! Meter of the time for which the kernel stopped the commands because a CPU quota was used up: the quota of their
//! control group, or of a group above it (`cpu.stat`, see cgroups(7) and Documentation/scheduler/sched-bwc.rst of the
//! kernel).

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_model::{Metric, Readings};
use fauxplat_procfs::cgroup;

use super::{Meter, Over};
use crate::throttle::accounts;

/// Meter that reads the accounts (`cpu.stat`) of all groups that may stop a command. While one command runs, the
/// accounts of other commands' groups do not change.
#[derive(Debug)]
pub(super) struct Throttled {
    metric: Metric,
    accounts: Vec<PathBuf>,
    before: Vec<Option<u64>>,
    runs: u32,
    missed: u32,
}

impl Throttled {
    /// A meter for the groups above this process. Groups of the commands are added when they have been created.
    pub(super) fn of(metric: Metric, root: &Path) -> Self {
        Throttled { metric, accounts: accounts(root), before: Vec::new(), runs: 0, missed: 0 }
    }

    fn read(&self) -> Vec<Option<u64>> {
        let of = |path: &PathBuf| cgroup::throttled_ns(&fs::read_to_string(path).ok()?);
        self.accounts.iter().map(of).collect()
    }
}

impl Meter for Throttled {
    fn metrics(&self) -> Vec<Metric> {
        vec![self.metric]
    }

    fn groups(&mut self, folders: &[PathBuf]) {
        let stat = folders.iter().map(|folder| folder.join("cpu.stat"));
        self.accounts.extend(stat.filter(|path| path.exists()));
        self.accounts.sort_unstable();
        self.accounts.dedup();
    }

    fn begin(&mut self) {
        self.before = self.read();
    }

    fn end(&mut self, _run: Over, readings: &mut Readings) {
        let rise = |(after, before): (Option<u64>, &Option<u64>)| after?.checked_sub((*before)?);
        let rises: Vec<Option<u64>> = self.read().into_iter().zip(&self.before).map(rise).collect();
        let known = rises.iter().any(Option::is_some);
        let sum = rises.into_iter().flatten().fold(0, u64::saturating_add);
        readings.set(self.metric, known.then_some(sum));
        self.runs += 1;
        self.missed += u32::from(!known);
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        let is_lacking = metric == self.metric && self.missed > 0;
        is_lacking.then_some(
            "no control group of the commands has a CPU quota, so that nothing stops them; --limit sets one",
        )
    }

    fn not_measured(&self) -> Vec<String> {
        let (missed, runs, name) = (self.missed, self.runs, self.metric.name());
        let why = self.trouble(self.metric).unwrap_or_default();
        (missed > 0).then(|| format!("{name} in {missed} of {runs} runs: {why}")).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::MetricSet;

    #[test]
    fn what_stops_a_run_is_added_up_and_a_group_that_is_gone_is_none() {
        let root = tempfile::tempdir().unwrap();
        let metric = Metric::from_id("cgroup:throttled").unwrap();
        let mut meter = Throttled::of(metric, root.path());
        let read = |meter: &mut Throttled, between: &dyn Fn()| {
            let mut readings = Readings::new(MetricSet::new([metric]), Vec::new());
            meter.begin();
            between();
            meter.end(Over { trial: 0, started_ns: 0, wall_ns: 1 }, &mut readings);
            readings.get(metric)
        };
        assert_eq!(read(&mut meter, &|| ()), None);
        assert!(meter.not_measured()[0].contains("no control group of the commands has a CPU quota"));
        let folders = ["old", "new"].map(|name| root.path().join(name));
        folders.iter().for_each(|folder| fs::create_dir(folder).unwrap());
        let write = |at: usize, text: &str| fs::write(folders[at].join("cpu.stat"), text).unwrap();
        write(0, "nr_throttled 1\nthrottled_time 500\n");
        write(1, "usage_usec 9\nnr_throttled 1\nthrottled_usec 7\n");
        meter.groups(&folders);
        let both = || {
            write(0, "nr_throttled 2\nthrottled_time 800\n");
            write(1, "usage_usec 9\nnr_throttled 2\nthrottled_usec 9\n");
        };
        assert_eq!(read(&mut meter, &both), Some(2300));
        assert_eq!(read(&mut meter, &|| fs::remove_file(folders[1].join("cpu.stat")).unwrap()), Some(0));
        assert_eq!(
            read(&mut meter, &|| write(0, "throttled_time 1\n")),
            None,
            "an account that falls is another one's"
        );
    }
}
