//! The state of a machine as functions that judge hazards see it.

use std::cell::OnceCell;
use std::path::Path;

use fauxplat_procfs::{keyed, mounts};
use fauxplat_units::{Cpu, CpuSet};

use crate::read::counters::{Counters, Read};
use crate::read::kconfig::Config;
use crate::read::table::Table;
use crate::tree::{Missing, Tree};

/// Folders of the kernel's settings.
const SETTINGS: [&str; 2] = ["/sys", "/proc/sys"];

/// A machine as it was read at one moment, or at two moments.
pub(crate) struct View<'a> {
    pub(crate) tree: &'a Tree,
    /// CPUs for which hazards are judged.
    pub(crate) cpus: CpuSet,
    pub(crate) online: CpuSet,
    pub(crate) allowed: CpuSet,
    pub(crate) hypervisor: Option<String>,
    pub(crate) before: Option<&'a Counters>,
    pub(crate) now: &'a Counters,
    /// Seconds between the two readings; 0 if there is only one.
    pub(crate) seconds: f64,
    config: OnceCell<Read<Config>>,
}

impl<'a> View<'a> {
    /// Creates a view of one moment. Without `cpus`, hazards are judged for the CPUs on which this process may run.
    pub(crate) fn new(tree: &'a Tree, root: &Path, cpus: Option<&CpuSet>, now: &'a Counters) -> Self {
        let facts = fauxplat_topology::discover(root);
        View {
            tree,
            cpus: cpus.unwrap_or(&facts.cpu.allowed).clone(),
            online: facts.cpu.online,
            allowed: facts.cpu.allowed,
            hypervisor: facts.hypervisor,
            before: None,
            now,
            seconds: 0.0,
            config: OnceCell::new(),
        }
    }

    /// Adds an earlier reading, so that rates can be judged.
    pub(crate) fn since(self, before: &'a Counters) -> Self {
        let seconds = self.now.at_ns.saturating_sub(before.at_ns) as f64 / 1e9;
        View { before: Some(before), seconds, ..self }
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.hypervisor.is_some()
    }

    /// Returns whether the machine is no guest.
    ///
    /// # Errors
    /// Fails where a capture lacks the files that would tell: on x86 a flag of the CPU does, elsewhere the firmware.
    pub(crate) fn is_bare(&self) -> Result<bool, Missing> {
        if self.is_virtual() || self.tree.is_live() {
            return Ok(!self.is_virtual());
        }
        let cpus = self.tree.long("proc/cpuinfo")?;
        let firmware = ["sys/class/dmi/id", "proc/device-tree"];
        match keyed::value(&cpus, "flags").is_some() || firmware.iter().any(|path| self.tree.has(path)) {
            true => Ok(true),
            false => Err(Missing::Absent(firmware[0].to_owned())),
        }
    }

    /// Returns whether some process has one of these names.
    pub(crate) fn runs(&self, names: &[&str]) -> Result<bool, Missing> {
        let processes = self.now.processes.as_ref().map_err(Clone::clone)?;
        Ok(processes.tasks.values().any(|task| names.contains(&task.name.as_str())))
    }

    /// Returns a counter's earlier and present values.
    pub(crate) fn pair<T>(&self, get: impl Fn(&Counters) -> &Read<T>) -> Result<(&'a T, &'a T), Missing> {
        // The present reading comes first, so that a missing file is reported rather than the missing second reading.
        let late = get(self.now).as_ref().map_err(Clone::clone)?;
        let early = get(self.before.ok_or(Missing::NoDelta)?).as_ref().map_err(Clone::clone)?;
        Ok((early, late))
    }

    /// Returns the counts between the two readings.
    pub(crate) fn counted(&self, get: impl Fn(&Counters) -> &Read<Table>) -> Result<Table, Missing> {
        let (before, now) = self.pair(get)?;
        Ok(now.since(before))
    }

    /// Returns the kernel's build configuration.
    pub(crate) fn config(&self) -> Result<&Config, Missing> {
        self.config.get_or_init(|| Config::read(self.tree)).as_ref().map_err(Clone::clone)
    }

    /// Returns the online hardware threads (CPUs) that share a core with a CPU, without the CPU itself.
    pub(crate) fn siblings(&self, cpu: Cpu) -> CpuSet {
        let listed = fauxplat_topology::siblings(self.tree.root(), cpu).intersection(&self.online);
        listed.iter().filter(|sibling| *sibling != cpu).collect()
    }

    /// Returns those folders of [`SETTINGS`] that are mounted read-only here: settings below them can be changed only
    /// on the host.
    pub(crate) fn locked(&self) -> Vec<&'static str> {
        let text = self.tree.long("proc/self/mountinfo").unwrap_or_default();
        // Of several mounts at one place, the last is visible.
        let mount = |point: &str| mounts::mountinfo(&text).rev().find(|mount| mount.point == point);
        let is_read_only = |point: &&str| mount(point).is_some_and(|mount| mount.is_read_only());
        SETTINGS.into_iter().filter(is_read_only).collect()
    }

    /// Returns the value in the line `key` of `/proc/self/status`.
    pub(crate) fn status(&self, key: &str) -> Result<String, Missing> {
        let status = self.tree.long("proc/self/status")?;
        let found = keyed::value(&status, key).map(str::to_owned);
        found.ok_or_else(|| Missing::Absent(format!("proc/self/status ({key})")))
    }
}
