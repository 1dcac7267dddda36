//! A made-up machine to tune: a tree of files, and a journal for its changes.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Done, Lab};

pub(crate) const BOOT_ID: &str = "proc/sys/kernel/random/boot_id";
pub(crate) const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
pub(crate) const WATCHDOG: &str = "proc/sys/kernel/nmi_watchdog";
pub(crate) const INTERVAL: &str = "proc/sys/vm/stat_interval";
pub(crate) const HUGE: &str = "sys/kernel/mm/transparent_hugepage/enabled";

pub(crate) const FILES: [(&str, &str); 9] = [
    (BOOT_ID, "0a\n"),
    (GOVERNOR, "powersave\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
    (WATCHDOG, "1\n"),
    (INTERVAL, "1\n"),
    (HUGE, "always [madvise] never\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/cpu0/online", "1\n"),
    ("sys/devices/system/cpu/cpu1/online", "1\n"),
];

/// A laboratory with a made-up machine.
pub(crate) struct Bench {
    pub(crate) lab: Lab,
}

impl Bench {
    pub(crate) fn of(lab: Lab) -> Self {
        let bench = Bench { lab };
        for (file, text) in FILES {
            bench.set(file, text);
        }
        fs::DirBuilder::new().mode(0o700).create(bench.lab.path("state")).unwrap();
        open_to_all(&bench.lab);
        bench
    }

    pub(crate) fn new() -> Self {
        Bench::of(Lab::new())
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.lab.path("machine").join(file)
    }

    pub(crate) fn set(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn get(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// The command line of a verb for this machine and its journal. Their options are added before the words of a
    /// command to run.
    pub(crate) fn command(&self, words: &[&str]) -> std::process::Command {
        let place = ["--sysroot", &self.lab.file("machine"), "--journal", &self.journal()].map(str::to_owned);
        let mut all: Vec<String> = vec![words[0].to_owned()];
        all.extend(place);
        all.extend(words[1..].iter().map(|&word| word.to_owned()));
        self.lab.bare(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub(crate) fn run(&self, words: &[&str]) -> Done {
        Done::of(self.command(words))
    }

    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let mut all = vec![words[0], "--format", "json"];
        all.extend(&words[1..]);
        self.run(&all).json()
    }

    pub(crate) fn journal(&self) -> String {
        self.lab.file("state/journal")
    }

    pub(crate) fn is_as_before(&self) -> bool {
        FILES.iter().all(|(file, text)| self.get(file) == *text)
    }
}

/// Lets an ordinary user change the files of the made-up machine, which root created.
fn open_to_all(lab: &Lab) {
    if lab.starter().len() > 1 {
        let done = std::process::Command::new("chmod").args(["-R", "a+rwX"]).arg(lab.folder()).status();
        assert!(done.unwrap().success());
    }
}

pub(crate) fn outcomes<'a>(document: &'a Value, knob: &str) -> Vec<&'a str> {
    let changes = document["changes"].as_array().unwrap().iter();
    changes
        .filter(|change| change["knob"] == knob)
        .map(|change| change["outcome"].as_str().unwrap())
        .collect()
}
