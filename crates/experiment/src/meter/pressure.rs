//! Meter of pressure: the time for which tasks of the machine had to wait for a resource during the run, see
//! Documentation/accounting/psi.rst of the kernel.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_model::{Metric, MetricSpec, Readings};
use fauxplat_procfs::pressure;

use super::{Meter, Over};

/// Meter of the pressure on one resource. A reading takes some microseconds, and is made before and after the run.
#[derive(Debug)]
pub(super) struct Pressure {
    metric: Metric,
    file: PathBuf,
    before_us: Option<u64>,
    runs: u32,
    missed: u32,
}

impl Pressure {
    /// A meter for this metric on this machine; `None` if the metric is no pressure.
    pub(super) fn here(metric: Metric) -> Option<Self> {
        Pressure::of(metric, Path::new("/"))
    }

    fn of(metric: Metric, root: &Path) -> Option<Self> {
        let resource = metric.name().strip_prefix("pressure:")?;
        let known = MetricSpec::PRESSURES.contains(&resource);
        let file = root.join("proc/pressure").join(resource);
        known.then_some(Pressure { metric, file, before_us: None, runs: 0, missed: 0 })
    }

    fn total_us(&self) -> Option<u64> {
        pressure::some(&fs::read_to_string(&self.file).ok()?)?.total_us
    }
}

impl Meter for Pressure {
    fn metrics(&self) -> Vec<Metric> {
        vec![self.metric]
    }

    fn begin(&mut self) {
        self.before_us = self.total_us();
    }

    fn end(&mut self, _run: Over, readings: &mut Readings) {
        let waited_us =
            self.total_us().zip(self.before_us).and_then(|(after, before)| after.checked_sub(before));
        readings.set(self.metric, waited_us.and_then(|waited_us| waited_us.checked_mul(1000)));
        self.runs += 1;
        self.missed += u32::from(waited_us.is_none());
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        let is_lacking = metric == self.metric && self.missed > 0;
        is_lacking.then_some("the kernel keeps no such account (CONFIG_PSI, psi=1 on its command line)")
    }

    fn not_measured(&self) -> Vec<String> {
        let (missed, runs, name) = (self.missed, self.runs, self.metric.name());
        let file = self.file.display();
        let sentence =
            format!("{name} in {missed} of {runs} runs: {file} cannot be read (CONFIG_PSI, psi=1)");
        (missed > 0).then_some(sentence).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::MetricSet;

    fn read(meter: &mut Pressure, between: impl FnOnce()) -> Option<u64> {
        let metric = meter.metric;
        let mut readings = Readings::new(MetricSet::new([metric]), Vec::new());
        meter.begin();
        between();
        meter.end(Over { trial: 0, started_ns: 0, wall_ns: 1 }, &mut readings);
        readings.get(metric)
    }

    #[test]
    fn the_wait_of_a_run_is_what_the_account_rose_by() {
        let root = std::env::temp_dir().join(format!("fauxplat-pressure-{}", std::process::id()));
        let folder = root.join("proc/pressure");
        fs::create_dir_all(&folder).unwrap();
        let write = |total_us: u64| {
            let line = |kind: &str| format!("{kind} avg10=0.00 avg60=0.00 avg300=0.00 total={total_us}\n");
            fs::write(folder.join("cpu"), line("some") + &line("full")).unwrap();
        };
        let mut meter = Pressure::of(Metric::from_id("pressure:cpu").unwrap(), &root).unwrap();
        assert_eq!((read(&mut meter, || ()), meter.not_measured().len()), (None, 1));
        write(1000);
        assert_eq!(read(&mut meter, || write(1250)), Some(250_000));
        assert_eq!(read(&mut meter, || write(1250)), Some(0));
        assert_eq!(read(&mut meter, || write(3)), None, "an account that falls is another one's");
        assert!(meter.trouble(meter.metric).is_some() && meter.trouble(Metric::WALL).is_none());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn no_file_is_read_that_a_stranger_names() {
        for name in ["pressure:../../etc/passwd", "pressure:irq", "table:cpu"] {
            assert!(Pressure::of(Metric::from_id(name).unwrap(), Path::new("/")).is_none(), "{name}");
        }
    }
}
