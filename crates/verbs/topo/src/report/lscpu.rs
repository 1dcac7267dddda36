//! The output of `lscpu -p` of util-linux 2.38.1, byte for byte, for scripts that read it.
//!
//! `lscpu(1)` numbers cores and sockets in the order of their first CPU, starting anew for each description in
//! `/proc/cpuinfo`, and caches by the kernel's identifier if there is one. A CPU without a cache of some name has a
//! shorter row; a CPU without a description has empty fields. Where newer versions of `lscpu` differ, the older form is
//! used, for which existing scripts were written.

use std::fmt::Write;

use fauxplat_model::{Cache, CacheKind, LogicalCpu, Topology};
use fauxplat_units::{Cpu, CpuSet};

/// The first three lines of the output.
const HEAD: &str = "\
# The following is the parsable format, which can be fed to other
# programs. Each different item in every column has an unique ID
# starting usually from zero.
";

pub(super) fn page(topology: &Topology) -> String {
    let view = View::of(topology);
    let mut out = HEAD.to_owned();
    let socket = if topology.packages_are_clusters { "Cluster" } else { "Socket" };
    let _ = write!(out, "# CPU,Core,{socket},Node");
    if !view.caches.is_empty() {
        let _ = write!(out, ",,{}", view.names().join(","));
    }
    out.push('\n');
    for cpu in topology.cpus.iter().filter(|cpu| cpu.online) {
        view.row(cpu, topology, &mut out);
        out.push('\n');
    }
    out
}

/// Cores, sockets and caches in the order in which `lscpu` numbers them.
struct View<'t> {
    /// For each CPU description in `/proc/cpuinfo`, the CPUs of its cores and of its sockets, in the order of their
    /// first CPU.
    cores: Vec<Vec<&'t CpuSet>>,
    sockets: Vec<Vec<&'t CpuSet>>,
    /// Caches with their names and numbers, sorted by name.
    caches: Vec<Numbered<'t>>,
}

struct Numbered<'t> {
    name: String,
    number: u32,
    cache: &'t Cache,
}

impl<'t> View<'t> {
    fn of(topology: &'t Topology) -> Self {
        let mut view = View { cores: Vec::new(), sockets: Vec::new(), caches: numbered(&topology.caches) };
        for cpu in &topology.cpus {
            let Some(description) = cpu.description.map(|number| number as usize) else { continue };
            meet(&mut view.cores, description, &cpu.siblings);
            meet(&mut view.sockets, description, &cpu.package);
        }
        // `lscpu` reads no caches if no CPU has a description.
        if topology.cpus.iter().all(|cpu| cpu.description.is_none()) {
            view.caches.clear();
        }
        view
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.caches.iter().map(|one| one.name.as_str()).collect();
        names.dedup();
        names
    }

    fn row(&self, cpu: &LogicalCpu, topology: &Topology, out: &mut String) {
        let Some(description) = cpu.description.map(|number| number as usize) else {
            out.push_str(",,,");
            return;
        };
        let _ = write!(out, "{},", cpu.cpu);
        for groups in [&self.cores, &self.sockets] {
            let place =
                groups.get(description).and_then(|sets| sets.iter().position(|set| set.contains(cpu.cpu)));
            let _ = place.map(|place| write!(out, "{place}"));
            out.push(',');
        }
        // A NUMA node that the kernel does not report is no node for `lscpu`.
        let node = topology.node_of(cpu.cpu).filter(|_| !topology.node_is_implied);
        let _ = node.map(|node| write!(out, "{}", node.node));
        if !self.caches.is_empty() {
            out.push_str(",,");
            self.caches_of(cpu.cpu, out);
        }
    }

    fn caches_of(&self, cpu: Cpu, out: &mut String) {
        let mut separator = "";
        for name in self.names() {
            let holds = |one: &&Numbered| one.name == name && one.cache.cpus.contains(cpu);
            if let Some(found) = self.caches.iter().find(holds) {
                let _ = write!(out, "{separator}{}", found.number);
                separator = ",";
            }
        }
    }
}

/// Adds a set of CPUs to the sets of a description, unless it is empty or already there.
fn meet<'t>(all: &mut Vec<Vec<&'t CpuSet>>, description: usize, set: &'t CpuSet) {
    if all.len() <= description {
        all.resize(description + 1, Vec::new());
    }
    if !set.is_empty() && !all[description].contains(&set) {
        all[description].push(set);
    }
}

/// The caches with their names, each with the kernel's number or else its position among caches of its kind. Two
/// entries with equal kind and number are one cache.
fn numbered(caches: &[Cache]) -> Vec<Numbered<'_>> {
    let mut found: Vec<Numbered<'_>> = Vec::new();
    let kind = |cache: &Cache| -> (u32, CacheKind) { (cache.level, cache.kind) };
    for cache in caches {
        let alike = found.iter().filter(|one| kind(one.cache) == kind(cache));
        let number = cache.id.unwrap_or(alike.clone().count() as u32);
        if !alike.map(|one| one.number).any(|taken| taken == number) {
            found.push(Numbered { name: cache.name(), number, cache });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
