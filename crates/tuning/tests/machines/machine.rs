//! A machine that consists of files in a temporary folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fauxplat_model::{KnobChange, KnobOutcome};
use fauxplat_tuning::{Restore, Root, Settings, TuneError, Tuned, Tuning, restore, settings};

use crate::GUARD;

/// Path and content of each file. White space differs on purpose, since it has to be restored too.
const FILES: [(&str, &str); 26] = [
    ("proc/sys/kernel/random/boot_id", "one-boot\n"),
    ("proc/sys/kernel/osrelease", "6.0\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "schedutil"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "800000\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "3000000\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "4000000\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
    ("sys/devices/system/cpu/cpu0/power/energy_perf_bias", "6\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
    ("sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n"),
    ("sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs", "10000\n"),
    ("sys/kernel/mm/ksm/run", "1\n"),
    ("proc/sys/kernel/numa_balancing", " 1\n"),
    ("proc/sys/vm/compaction_proactiveness", "20\n"),
    ("proc/sys/vm/stat_interval", "1\n"),
    ("proc/sys/vm/dirty_writeback_centisecs", "500\n"),
    ("proc/sys/vm/swappiness", "60\n\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/sys/kernel/sched_rt_runtime_us", "950000\n"),
    ("proc/sys/kernel/timer_migration", "1\n"),
    ("proc/sys/kernel/sched_autogroup_enabled", "1\n"),
    ("proc/sys/kernel/perf_event_max_sample_rate", "100000\n"),
    ("proc/sys/kernel/nmi_watchdog", "1\n"),
    ("proc/sys/kernel/soft_watchdog", "1\n"),
    ("proc/irq/7/smp_affinity_list", "0-3\n"),
];

pub(crate) struct Machine {
    folder: tempfile::TempDir,
    pub(crate) root: Root,
}

/// Command line that the journal records for the tuning.
pub(crate) const WORDS: [&str; 2] = ["fauxplat", "tune"];

impl Machine {
    pub(crate) fn new() -> Self {
        // Only the owner has access, whatever the umask, since files that other users could have written are not used.
        let for_us = fs::Permissions::from_mode(0o700);
        let mut folder = tempfile::Builder::new();
        folder.permissions(for_us);
        let folder = folder.tempdir_in("/dev/shm").or_else(|_| folder.tempdir()).unwrap();
        let machine = Machine { root: Root::new(&folder.path().join("root")), folder };
        FILES.iter().for_each(|(file, text)| machine.write(file, text.as_bytes()));
        machine.write("sys/devices/system/cpu/online", b"0-3\n");
        machine
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root.path().join(file)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    pub(crate) fn write(&self, file: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), bytes).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn all(&self) -> BTreeMap<&'static str, String> {
        FILES.iter().map(|(file, _)| (*file, self.read(file))).collect()
    }

    /// Tunes the machine with these settings, without waiting for the lock. `change` may change further options.
    pub(crate) fn tune(
        &self,
        words: &[&str],
        change: impl FnOnce(&mut Tuning<'_>),
    ) -> Result<Tuned, TuneError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        self.tune_to(settings(&words).unwrap(), change)
    }

    pub(crate) fn tune_to(
        &self,
        settings: Settings,
        change: impl FnOnce(&mut Tuning<'_>),
    ) -> Result<Tuned, TuneError> {
        let argv = WORDS.map(str::to_owned);
        let mut tuning = Tuning {
            root: self.root.clone(),
            journal: self.journal(),
            settings,
            command: false,
            machine_wide: true,
            all_or_nothing: false,
            wait: false,
            replace: false,
            max: None,
            argv: &argv,
            guardian_verb: GUARD,
        };
        change(&mut tuning);
        tuning.apply()
    }

    /// Tunes the machine, and lets it stay tuned.
    pub(crate) fn keep(&self, words: &[&str]) {
        assert!(self.tune(words, |_| {}).unwrap().keep(false).unwrap());
    }

    pub(crate) fn restore(&self, force: bool) -> Result<Option<fauxplat_model::Restoration>, TuneError> {
        restore(&self.root, &self.journal(), Restore { force, wait: false }, "test")
    }
}

pub(crate) fn outcome(changes: &[KnobChange], file: &str) -> KnobOutcome {
    let target = format!("/{file}");
    let change = changes.iter().find(|change| Path::new(&change.target) == Path::new(&target));
    change.unwrap_or_else(|| panic!("{file} is not among {changes:?}")).outcome
}
