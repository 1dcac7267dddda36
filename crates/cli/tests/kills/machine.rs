//! The machines that are tuned: a made-up one, for every user, and this one, for root.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fauxplat_sys::process;
use fauxplat_units::CpuSet;

use crate::actors::Cast;
use crate::round::{Scenario, Whom};
use crate::state::State;

/// A made-up machine: a folder with a few files for each kind of setting that a tuner changes.
pub(crate) struct Fake {
    folder: tempfile::TempDir,
}

/// Files of the made-up machine, each with the text that a kernel would show.
const FILES: &[(&str, &str)] = &[
    ("proc/sys/kernel/random/boot_id", "3f0c1b7e-0000-4000-8000-000000000001\n"),
    ("proc/sys/kernel/nmi_watchdog", "1\n"),
    ("proc/sys/kernel/numa_balancing", "1\n"),
    ("proc/sys/vm/stat_interval", "1\n"),
    ("sys/kernel/mm/ksm/run", "1\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ("sys/kernel/rcu_expedited", "0\n"),
    ("sys/devices/system/cpu/online", "0-3\n"),
    ("sys/devices/system/cpu/cpu3/online", "1\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "schedutil\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference", "balance_power\n"),
    ("sys/devices/system/cpu/cpufreq/policy2/energy_performance_preference", "balance_power\n"),
    ("proc/irq/9/smp_affinity_list", "0-3\n"),
    ("proc/irq/10/smp_affinity_list", "2\n"),
];

impl Fake {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        for (file, text) in FILES {
            let path = folder.path().join("root").join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        Fake { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn scenarios(&self) -> Vec<(Scenario, Box<dyn Fn() -> State>)> {
        let root = self.root();
        let words = [
            "quiet",
            "--machine-wide",
            "--set",
            "thp=never",
            "--set",
            "irq-affinity=away:2-3",
            "--for",
            "true",
        ];
        vec![(self.scenario("made-up machine", &words), Box::new(move || State::of_tree(&root)))]
    }

    /// A scenario that takes a CPU offline, so that the journal gets further entries during the restoration.
    pub(crate) fn hotplug(&self) -> (Scenario, Box<dyn Fn() -> State>) {
        let root = self.root();
        let words = ["--set", "cpu:3=offline", "--set", "thp=never", "--set", "irq-affinity=away:2-3"];
        (self.scenario("made-up hotplug", &words), Box::new(move || State::of_tree(&root)))
    }

    fn scenario(&self, name: &'static str, words: &[&str]) -> Scenario {
        Scenario {
            name,
            words: words.iter().map(|&word| word.to_owned()).collect(),
            journal: self.folder.path().join("journal"),
            sysroot: self.root(),
            notes_tasks: false,
        }
    }
}

/// The real machine, locked against other tests.
pub(crate) struct Native {
    journal: PathBuf,
    /// The CPU that is taken offline; `None` where no CPU can be.
    spare: Option<CpuSet>,
    online: CpuSet,
    _turn: File,
}

impl Native {
    /// Waits until no other test changes this machine.
    ///
    /// # Errors
    /// Returns the reason why this machine cannot be tuned.
    pub(crate) fn enter() -> Result<Self, String> {
        if !process::is_root() {
            return Err("it takes root to change a machine".into());
        }
        fs::OpenOptions::new()
            .write(true)
            .open("/proc/sys/vm/stat_interval")
            .map_err(|error| format!("/proc/sys cannot be written to: {error}"))?;
        let folder = std::env::temp_dir().join("fauxplat-kills");
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        // Tests take turns, since each would see the other's changes.
        let turn = File::create(folder.join("turn")).map_err(|error| error.to_string())?;
        turn.lock().map_err(|error| error.to_string())?;
        let online: CpuSet = read("/sys/devices/system/cpu/online").parse().unwrap_or_default();
        let last = online.iter().last().filter(|last| last.0 > 0);
        let spare =
            last.filter(|last| Path::new(&format!("/sys/devices/system/cpu/cpu{last}/online")).exists());
        let spare = spare.map(|cpu| [cpu].into_iter().collect());
        Ok(Native { journal: folder.join("journal"), spare, online, _turn: turn })
    }

    fn scenario(&self, name: &'static str, settings: &[String]) -> Scenario {
        let mut words: Vec<String> = vec!["--machine-wide".into()];
        words.extend(settings.iter().flat_map(|setting| ["--set".to_owned(), setting.clone()]));
        words.extend(["--for", "true"].map(str::to_owned));
        let notes_tasks = settings.iter().any(|one| one.starts_with("cpu:") || one.starts_with("shield="));
        Scenario { name, words, journal: self.journal.clone(), sysroot: "/".into(), notes_tasks }
    }

    /// Scenarios of tuning that change only values, followed by scenarios that move tasks.
    pub(crate) fn scenarios(&self) -> Vec<(Scenario, Box<dyn Fn() -> State>)> {
        let values = [
            "stat-interval=7",
            "timer-migration=off",
            "swappiness=11",
            "compaction=off",
            "numa-balancing=off",
            "khugepaged=off",
            "thp=never",
            "aslr=off",
            "writeback=700",
        ];
        let mut scenarios = vec![self.scenario("values", &values.map(str::to_owned))];
        if let Some(spare) = &self.spare {
            scenarios.push(self.scenario("interrupts", &[format!("irq-affinity=away:{spare}")]));
            if Path::new("/sys/fs/cgroup/cpuset/cpuset.cpus").exists()
                || read("/sys/fs/cgroup/cgroup.controllers").contains("cpuset")
            {
                scenarios.push(self.scenario("shield", &[format!("shield={spare}")]));
            }
            let off = [format!("cpu:{spare}=offline"), "stat-interval=9".to_owned()];
            scenarios.push(self.scenario("hotplug", &off));
        }
        scenarios
            .into_iter()
            .map(|one| (one, Box::new(State::of_this_machine) as Box<dyn Fn() -> State>))
            .collect()
    }

    /// Checks that the journal of this machine is by default in a folder that only root can read, and that there are
    /// never two journals at a time.
    pub(crate) fn journals(&self) -> String {
        const KNOB: &str = "/proc/sys/vm/stat_interval";
        let before = read(KNOB);
        let fauxplat = |words: &[&str], journal: Option<&Path>| {
            let mut command = Command::new(super::fauxplat());
            command.args(words).env_remove("FAUXPLAT_JOURNAL");
            if let Some(journal) = journal {
                command.arg("--journal").arg(journal);
            }
            let done = command.stdin(Stdio::null()).output().expect("fauxplat");
            (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
        };
        let other = self.journal.with_extension("other");
        for (first, second) in [
            (None, Some(other.as_path())),
            (Some(other.as_path()), None),
            (Some(&self.journal), Some(&other)),
        ] {
            let (code, said) = fauxplat(&["tune", "--set", "stat-interval=7"], first);
            assert_eq!(code, Some(0), "{said}");
            let file = first.unwrap_or(Path::new("/run/fauxplat/journal"));
            let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
            assert_eq!(mode(file), 0o600, "{}", file.display());
            assert!(first.is_some() || mode(Path::new("/run/fauxplat")) == 0o700);
            let (code, said) = fauxplat(&["tune", "--set", "stat-interval=9"], second);
            assert!(
                code == Some(3) && said.contains(&format!("restore --journal {}", file.display())),
                "{said}"
            );
            assert_eq!(read(KNOB).trim(), "7");
            let (code, said) = fauxplat(&["restore"], first);
            assert_eq!((code, read(KNOB)), (Some(0), before.clone()), "{said}");
        }
        "three pairs".into()
    }

    /// Starts tasks that lose their CPU in different ways; they end when the value is dropped.
    fn cast(&self) -> Option<Cast> {
        self.spare.as_ref().map(|spare| Cast::begin(spare, &self.online))
    }

    /// Tries every kind of task in every kind of cpuset, through a tuning that ends by itself and through tunings that
    /// are killed.
    pub(crate) fn matrix(&self) -> String {
        let Some(_cast) = self.cast() else { return "skipped: no CPU here can be taken off".into() };
        let (mut rounds, mut compared) = (0, 0);
        for (scenario, state) in self.scenarios().iter().filter(|(one, _)| one.notes_tasks) {
            let before = state();
            scenario.run();
            expect_same(scenario, &before, state.as_ref(), "after a tuning that ended well");
            for whom in Whom::ALL {
                scenario.kill_while_held(whom);
                expect_same(scenario, &before, state.as_ref(), &format!("after the end of {whom:?}"));
            }
            (rounds, compared) = (rounds + 4, before.len());
        }
        format!("{rounds} rounds, {compared} values and tasks compared")
    }
}

/// Number of system calls of a tuner that ends by itself.
pub(crate) fn calls_of(scenario: &Scenario) -> u32 {
    scenario.kill_after(u32::MAX, Whom::Tuner).calls.expect("a tuner that comes to its end")
}

/// Number of times that a differing state is read, [`SETTLING`] apart: other processes change the machine as well, but
/// differences that a tuner left do not go away by themselves.
const LOOKS: u32 = 50;
const SETTLING: Duration = Duration::from_millis(100);

/// Checks that the state of a machine is that before the tuning, and that no change is left to revert.
#[track_caller]
pub(crate) fn expect_same(scenario: &Scenario, before: &State, state: &dyn Fn() -> State, when: &str) {
    expect_same_values(scenario, before, state, when);
    scenario.assert_done();
}

/// Checks that the state of a machine is that before the tuning, whatever its journal says.
#[track_caller]
pub(crate) fn expect_same_values(scenario: &Scenario, before: &State, state: &dyn Fn() -> State, when: &str) {
    let mut differences = before.differences(&state());
    for _ in 1..LOOKS {
        if differences.is_empty() {
            break;
        }
        std::thread::sleep(SETTLING);
        differences = before.differences(&state());
    }
    assert!(differences.is_empty(), "{}, {when}:\n{}", scenario.name, differences.join("\n"));
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
