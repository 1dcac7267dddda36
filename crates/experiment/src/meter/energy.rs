//! Meter of energy: the increase of the processor's energy counters during a run, see
//! Documentation/power/powercap/powercap.rst of the kernel.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_model::{Metric, Readings};

use super::{Meter, Over};
use crate::Failure;

/// Meter of a powercap zone of the machine: a package, its cores or its memory. Its counter includes the energy of all
/// programs.
#[derive(Debug)]
pub(super) struct Energy {
    metric: Metric,
    account: PathBuf,
    /// Value at which the counter wraps around, in microjoules.
    range_uj: u64,
    before_uj: Option<u64>,
    runs: u32,
    missed: u32,
}

/// Folder of the powercap zones, below the root of the machine.
const ZONES: &str = "sys/class/powercap";

impl Energy {
    /// Opens the zones that a word names: `energy` all of them, `energy:package-0` one.
    ///
    /// # Errors
    /// Fails if there is no such zone, or it may not be read.
    pub(super) fn named(word: &str, root: &Path) -> Result<Vec<Self>, Failure> {
        let all = zones(root);
        let wanted = |name: &str| word == "energy" || word.strip_prefix("energy:") == Some(name);
        let names: Vec<String> = all.iter().map(|(name, _)| format!("energy:{name}")).collect();
        let chosen: Vec<(String, PathBuf)> = all.into_iter().filter(|(name, _)| wanted(name)).collect();
        if chosen.is_empty() {
            let known = match names.is_empty() {
                true => "the kernel shows none, as on virtual machines".to_owned(),
                false => format!("there is {}", names.join(", ")),
            };
            return Err(Failure::machine(format!(
                "-e {word}: this machine has no such account of energy in /{ZONES}; {known}"
            )));
        }
        chosen.into_iter().map(|(name, folder)| Energy::open(&name, &folder)).collect()
    }

    fn open(name: &str, folder: &Path) -> Result<Self, Failure> {
        let metric = Metric::from_id(&format!("energy:{name}")).map_err(Failure::usage)?;
        let account = folder.join("energy_uj");
        if let Err(error) = fs::read_to_string(&account) {
            let path = account.display();
            return Err(Failure::machine(format!(
                "-e energy:{name}: {path}: {error}; since Linux 5.10 only root may read it"
            )));
        }
        let range_uj = number(&folder.join("max_energy_range_uj")).unwrap_or(0);
        Ok(Energy { metric, account, range_uj, before_uj: None, runs: 0, missed: 0 })
    }

    /// Energy since the beginning of the run in microjoules; `None` if the counter cannot be read. The counter may have
    /// wrapped around once.
    fn taken_uj(&self) -> Option<u64> {
        let (before, after) = (self.before_uj?, number(&self.account)?);
        after.checked_sub(before).or_else(|| Some((self.range_uj.checked_sub(before)?).saturating_add(after)))
    }
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Names of all zones with their folders. The name of a nested zone is prefixed by the name of the outer one.
fn zones(root: &Path) -> Vec<(String, PathBuf)> {
    let Ok(listed) = fs::read_dir(root.join(ZONES)) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = listed
        .flatten()
        .map(|entry| entry.path())
        .filter(|folder| folder.join("energy_uj").exists())
        .collect();
    folders.sort();
    let own = |folder: &Path| {
        let name = fs::read_to_string(folder.join("name")).ok()?;
        let plain: String = name.trim().chars().filter(|c| c.is_ascii_graphic() && *c != ',').collect();
        (!plain.is_empty()).then_some(plain)
    };
    let outer = |folder: &Path| {
        let (outer, _) = folder.file_name()?.to_str()?.rsplit_once(':')?;
        own(&folder.with_file_name(outer))
    };
    let whole = |folder: PathBuf| {
        let name = own(&folder)?;
        Some((outer(&folder).map_or(name.clone(), |outer| format!("{outer}/{name}")), folder))
    };
    folders.into_iter().filter_map(whole).collect()
}

impl Meter for Energy {
    fn metrics(&self) -> Vec<Metric> {
        vec![self.metric]
    }

    fn begin(&mut self) {
        self.before_uj = number(&self.account);
    }

    fn end(&mut self, _run: Over, readings: &mut Readings) {
        let taken = self.taken_uj();
        readings.set(self.metric, taken);
        self.runs += 1;
        self.missed += u32::from(taken.is_none());
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        (metric == self.metric && self.missed > 0).then_some("its account could not be read")
    }

    fn not_measured(&self) -> Vec<String> {
        let (missed, runs, name) = (self.missed, self.runs, self.metric.name());
        let sentence =
            format!("{name} in {missed} of {runs} runs: {} could not be read", self.account.display());
        (missed > 0).then_some(sentence).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::MetricSet;

    #[test]
    fn what_a_run_takes_is_what_the_account_rose_by() {
        let root = std::env::temp_dir().join(format!("fauxplat-energy-{}", std::process::id()));
        let write = |zone: &str, file: &str, text: &str| {
            let folder = root.join(ZONES).join(zone);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(file), format!("{text}\n")).unwrap();
        };
        assert!(Energy::named("energy", &root).is_err());
        for (zone, name) in
            [("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core"), ("intel-rapl:1", "psys")]
        {
            write(zone, "name", name);
            write(zone, "energy_uj", "900");
            write(zone, "max_energy_range_uj", "1000");
        }
        let names = |word: &str| -> Vec<&'static str> {
            Energy::named(word, &root).unwrap().iter().map(|it| it.metric.name()).collect()
        };
        assert_eq!(names("energy"), ["energy:package-0", "energy:package-0/core", "energy:psys"]);
        assert_eq!(names("energy:psys"), ["energy:psys"]);
        let mut meter = Energy::named("energy:package-0", &root).unwrap().remove(0);
        let mut taken = |after: &str| {
            let mut readings = Readings::new(MetricSet::new([meter.metric]), Vec::new());
            meter.begin();
            write("intel-rapl:0", "energy_uj", after);
            meter.end(Over { trial: 0, started_ns: 0, wall_ns: 1 }, &mut readings);
            readings.get(meter.metric)
        };
        assert_eq!([taken("960"), taken("10"), taken("no number")], [Some(60), Some(50), None]);
        assert_eq!(
            (meter.not_measured().len(), meter.metric.title()),
            (1, "energy of package-0, whole machine (J)")
        );
        assert!(Energy::named("energy:../../proc", &root).is_err());
        fs::remove_dir_all(root).unwrap();
    }
}
