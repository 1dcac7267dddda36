//! Configurations of machine and user that differ from those of a developer.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fauxplat_sys::process;

use super::machines;
use crate::cargo::{Executable, root};
use crate::error::ChoreError;

/// Numeric id of the user `nobody`.
const NOBODY: &str = "65534";

/// Locale whose language and decimal separator differ from those of the sources.
const LANGUAGE: &str = "de_DE.UTF-8";

/// A configuration of machine and user under which test programs run.
pub(super) struct Configuration {
    pub(super) name: String,
    /// Difference from a developer's machine, in the words of the record.
    pub(super) about: &'static str,
    /// Line for a shell, run before the test program replaces the shell; as root, in a separate mount namespace.
    line: String,
    /// Words of the command line that precede the test program.
    words: Vec<String>,
    environment: Vec<(&'static str, String)>,
    /// Beginnings of the names of test programs that run under the configuration; empty for all.
    only: &'static [&'static str],
    /// Beginnings of the names of test programs that do not run under the configuration.
    but: &'static [&'static str],
    needs_root: bool,
    /// Name of the guest in which the programs run; `None` for this machine.
    guest: Option<&'static str>,
    /// Whether CPU burners come and go while the programs run.
    burners: bool,
    folder: PathBuf,
}

/// Beginnings of the names of test programs that read a machine's description and pin no threads, and so can run on a
/// made-up machine.
const READERS: &[&str] =
    &["topology.", "topo.", "hazards.", "units.", "procfs.", "model.", "report.", "tuning.", "cgroup."];

/// Beginnings of the names of test programs that would take hours in an emulated guest: they start whole experiments or
/// a compiler, or compute for long.
const LONG: &[&str] = &["analyze.simulation", "cli.", "experiment.", "fuzz.", "load.", "table.", "xtask."];

/// Names of guests that can run programs built on this machine.
const GUESTS: [&str; 2] = ["x86-v1", "x86-numa"];

/// Time limit of a test program in a guest, in seconds.
const GUEST_SECONDS: &str = "1800";

impl Configuration {
    fn new(name: impl Into<String>, about: &'static str, folder: &Path) -> Self {
        let name = name.into();
        let folder = folder.join(&name);
        Configuration {
            name,
            about,
            line: String::new(),
            words: Vec::new(),
            environment: Vec::new(),
            only: &[],
            but: &[],
            needs_root: false,
            guest: None,
            burners: false,
            folder,
        }
    }

    /// All configurations; each may write files below `folder`.
    pub(super) fn all(folder: &Path) -> Vec<Self> {
        let new = |name: &str, about| Configuration::new(name, about, folder);
        let mut all = vec![
            Configuration { burners: true, ..new("burners", "two CPU burners that come and go") },
            Configuration { words: one_cpu(), ..new("one-cpu", "one CPU only, the last one, by affinity") },
            user(new("user", "an ordinary user without capabilities, with a home and a TMPDIR of its own")),
            places(
                new(
                    "places-077",
                    "TMPDIR with spaces on another file system, HOME read-only, LANG=de_DE.UTF-8, umask 077",
                ),
                "077",
            ),
            places(new("places-000", "as places-077, but with umask 0"), "0"),
            Configuration {
                words: ["setsid", "-w", "sh", "-c", "exec \"$@\" <&-", "sh"].map(str::to_owned).to_vec(),
                ..new("detached", "no terminal, and standard input closed")
            },
        ];
        all.extend(machines::NAMES.iter().map(|name| Configuration {
            line: machines::binding(&folder.join(format!("machine-{name}"))),
            only: READERS,
            needs_root: true,
            ..new(&format!("machine-{name}"), "tests that read the machine, on a made-up one bound over it")
        }));
        all.extend(GUESTS.iter().map(|shape| Configuration {
            guest: Some(shape),
            but: LONG,
            ..new(&format!("guest-{shape}"), "tests that do not take hours, in an emulated machine (vm/)")
        }));
        all
    }

    /// Reason why the configuration is not possible here; `None` if it is.
    pub(super) fn missing(&self) -> Option<&'static str> {
        (self.needs_root && !process::is_root()).then_some("it takes root")
    }

    pub(super) fn is_about(&self, program: &Executable) -> bool {
        let among = |names: &[&str]| names.iter().any(|start| program.name.starts_with(start));
        (self.only.is_empty() || among(self.only)) && !among(self.but)
    }

    /// Sets the configuration up, and starts its burners, which end when the returned value is dropped.
    pub(super) fn enter(&self) -> Result<Burners, ChoreError> {
        for folder in ["home", "tmp"] {
            let folder = self.folder.join(folder);
            std::fs::create_dir_all(&folder).map_err(ChoreError::at(&folder))?;
            if self.environment.iter().any(|(_, value)| Path::new(value) == folder) && process::is_root() {
                let nobody = NOBODY.parse().ok();
                std::os::unix::fs::chown(&folder, nobody, nobody).map_err(ChoreError::at(&folder))?;
            }
        }
        if let Some(name) = self.name.strip_prefix("machine-") {
            machines::lay_out(name, &self.folder)?;
        }
        if self.environment.iter().any(|(name, _)| *name == "LANG") {
            make_locale(&self.folder.join("locale"))?;
        }
        Ok(Burners::begin(if self.burners { 2 } else { 0 }))
    }

    pub(super) fn command(&self, program: &Executable) -> Result<Command, ChoreError> {
        let mut words: Vec<String> = Vec::new();
        if !self.line.is_empty() {
            words.extend(["unshare", "--mount", "--propagation", "private"].map(str::to_owned));
            words.extend(["sh", "-ec", &format!("{}\nexec \"$@\"", self.line), "sh"].map(str::to_owned));
        }
        words.extend(self.words.iter().cloned());
        // Cargo sets these variables for tests, which find their snapshots and fixtures through them.
        let mut environment = vec![
            ("CARGO_MANIFEST_DIR", program.folder.display().to_string()),
            ("INSTA_WORKSPACE_ROOT", root().display().to_string()),
            ("INSTA_UPDATE", "no".to_owned()),
        ];
        environment.extend(self.environment.iter().cloned());
        if let Some(shape) = self.guest {
            // A guest does not inherit the variables of this machine, so `env` sets them there.
            words.push(root().join("vm/run").display().to_string());
            words.extend([shape, "--seconds", GUEST_SECONDS, "--", "env"].map(str::to_owned));
            words.extend(environment.iter().map(|(name, value)| format!("{name}={value}")));
        }
        words.push(program.path.display().to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&program.folder).process_group(0);
        command.env_remove("LC_ALL").envs(environment);
        Ok(command)
    }
}

/// Words that restrict a program to the last CPU it may use, so that a test fails if it expects CPU 0.
fn one_cpu() -> Vec<String> {
    let last =
        fauxplat_sys::sched::affinity(0).ok().and_then(|cpus| cpus.iter().last()).map_or(0, |cpu| cpu.0);
    ["taskset", "-c", &last.to_string()].map(str::to_owned).to_vec()
}

/// Installs a German locale below `folder`, in which programs write decimal commas; the machine's own locales are not
/// changed.
fn make_locale(folder: &Path) -> Result<(), ChoreError> {
    std::fs::create_dir_all(folder).map_err(ChoreError::at(folder))?;
    let made = Command::new("localedef")
        .args(["-i", "de_DE", "-f", "UTF-8"])
        .arg(folder.join(LANGUAGE))
        .output()
        .is_ok_and(|made| made.status.success());
    if !made {
        println!(
            "{LANGUAGE} is only a name here: localedef or its sources are missing (apt-get install locales)"
        );
    }
    Ok(())
}

/// Makes programs run as an ordinary user. If the campaign already does so, only the folders are set.
fn user(new: Configuration) -> Configuration {
    let words = [
        "setpriv",
        "--reuid",
        NOBODY,
        "--regid",
        NOBODY,
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
    ];
    let words = if process::is_root() { words.map(str::to_owned).to_vec() } else { Vec::new() };
    let folder = |name: &str| new.folder.join(name).display().to_string();
    let environment = vec![("HOME", folder("home")), ("TMPDIR", folder("tmp"))];
    Configuration { words, environment, ..new }
}

/// Gives programs a read-only home, and a temporary directory on another file system, whose name has spaces.
fn places(new: Configuration, umask: &str) -> Configuration {
    let (home, tmp) = (new.folder.join("home"), new.folder.join("tmp"));
    let spaces = tmp.join("another file system");
    let mounts = format!(
        "mount -t tmpfs -o mode=1777 tmpfs '{}'\nmkdir -m 1777 '{}'\nmount -t tmpfs -o ro,mode=755 tmpfs '{}'",
        tmp.display(),
        spaces.display(),
        home.display()
    );
    let shell = format!("umask {umask}; exec \"$@\"");
    Configuration {
        line: mounts,
        words: ["sh", "-c", &shell, "sh"].map(str::to_owned).to_vec(),
        environment: vec![
            ("HOME", home.display().to_string()),
            ("TMPDIR", spaces.display().to_string()),
            ("LANG", LANGUAGE.to_owned()),
            ("LOCPATH", new.folder.join("locale").display().to_string()),
        ],
        needs_root: true,
        ..new
    }
}

/// Threads that compute and rest in turns until the value is dropped.
pub(super) struct Burners {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Burners {
    fn begin(count: u64) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let burner = |seed: u64| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || burn(seed, &over))
        };
        let threads = (1..=count).map(burner).collect();
        Burners { over, threads }
    }
}

impl Drop for Burners {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ended = thread.join();
        }
    }
}

/// Computes and rests in turns, each for a random 20 to 400 ms, until `over` is set.
fn burn(seed: u64, over: &AtomicBool) {
    let mut state = seed;
    let mut span = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis(20 + (state >> 33) % 380)
    };
    while !over.load(Ordering::Relaxed) {
        let end = std::time::Instant::now() + span();
        while std::time::Instant::now() < end {
            std::hint::spin_loop();
        }
        std::thread::sleep(span());
    }
}
