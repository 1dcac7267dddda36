//! Tasks that may run on only one CPU.

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_procfs::{keyed, status};
use fauxplat_units::{Cpu, CpuSet};

use crate::read;

/// Largest number of task names kept per CPU.
const NAMES_MAX: usize = 3;

/// Tasks bound to one CPU: numbers of user and kernel threads, and names of the first user threads.
#[derive(Debug, Default)]
pub(super) struct Bound {
    pub(super) users: u32,
    pub(super) kernel: u32,
    pub(super) names: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Pinned(BTreeMap<Cpu, Bound>);

impl Pinned {
    /// Examines the threads of all other processes; threads that end meanwhile are not counted.
    pub(super) fn read(root: &Path) -> Self {
        let own = std::process::id().to_string();
        let mut pinned = Pinned::default();
        for process in numbered(&root.join("proc")) {
            // The reading process may be bound to a CPU as well, but disturbs no other task while it reads.
            if process.ends_with(&own) {
                continue;
            }
            for thread in numbered(&process.join("task")) {
                pinned.add(&read::text(&thread, "status").unwrap_or_default());
            }
        }
        pinned
    }

    pub(super) fn of(&self, cpu: Cpu) -> Option<&Bound> {
        self.0.get(&cpu)
    }

    /// Counts a thread if its `/proc/PID/status` (`proc_pid_status(5)`) allows only one CPU.
    fn add(&mut self, text: &str) {
        let allowed = status::cpus_allowed_list(text).and_then(|list| list.parse::<CpuSet>().ok());
        let Some(cpus) = allowed.filter(|cpus| cpus.len() == 1) else { return };
        let bound = self.0.entry(cpus.first().unwrap_or(Cpu(0))).or_default();
        if status::is_kernel(text) {
            bound.kernel += 1;
        } else {
            bound.users += 1;
            let name = keyed::value(text, "Name").unwrap_or("?");
            if bound.names.len() < NAMES_MAX {
                bound.names.push(name.to_owned());
            }
        }
    }
}

/// The subfolders whose names are numbers, as for processes and threads.
fn numbered(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_number = |name: &std::ffi::OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    entries.filter(|entry| is_number(&entry.file_name())).map(|entry| entry.path()).collect()
}
