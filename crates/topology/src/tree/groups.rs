//! Cores, clusters, dies, packages, books and drawers.

use std::collections::BTreeMap;

use fauxplat_model::{Group, GroupKind, LogicalCpu, Topology};
use fauxplat_units::{Cpu, CpuSet};

use super::files::Files;
use crate::descriptions::Descriptions;

/// For each level of groups, names of files in the folder `topology` of a CPU: the older and the newer name of the mask
/// of the group's CPUs, and the name of the group's identifier.
const FILES: [(GroupKind, &str, &str, &str); 5] = [
    (GroupKind::Package, "core_siblings", "package_cpus", "physical_package_id"),
    (GroupKind::Die, "die_cpus", "die_cpus", "die_id"),
    (GroupKind::Cluster, "cluster_cpus", "cluster_cpus", "cluster_id"),
    (GroupKind::Book, "book_siblings", "book_cpus", "book_id"),
    (GroupKind::Drawer, "drawer_siblings", "drawer_cpus", "drawer_id"),
];

pub(crate) fn read(topology: &mut Topology, files: &mut Files<'_>, descriptions: &Descriptions) {
    let mut groups = Vec::new();
    let mut told = Told::default();
    for cpu in topology.present.iter() {
        let online = topology.online.contains(cpu);
        let mut one = LogicalCpu {
            cpu,
            online,
            siblings: CpuSet::new(),
            package: CpuSet::new(),
            description: descriptions.of_cpu(cpu),
        };
        if online {
            // All threads of a core are in the same larger groups, so only the files of a core's first thread are read.
            match told.cores.iter().find(|core: &&Core| core.siblings.contains(cpu)) {
                Some(core) => (one.siblings, one.package) = (core.siblings.clone(), core.package.clone()),
                None => told.read(files, cpu, &topology.online, &mut one, &mut groups),
            }
            told.core_ids.push((cpu, files.number(format_args!("cpu{cpu}/topology/core_id"))));
        }
        topology.cpus.push(one);
    }
    told.settle(&mut groups);
    groups.extend(told.cores(&topology.online));
    number(&mut groups);
    topology.groups = groups;
}

/// Hardware threads that the kernel lists as siblings, and the CPUs of their package.
struct Core {
    siblings: CpuSet,
    package: CpuSet,
}

/// State of reading the groups, CPU by CPU.
#[derive(Default)]
struct Told {
    cores: Vec<Core>,
    core_ids: Vec<(Cpu, Option<u32>)>,
    /// The kernel's lists of packages, offline CPUs included.
    packages: Vec<CpuSet>,
    /// Levels that the kernel does not report for the first core; the files of other cores are not opened.
    silent: Vec<GroupKind>,
    /// For each level, the CPUs that already belong to a group.
    taken: BTreeMap<GroupKind, CpuSet>,
    /// Groups that overlap groups read before, each with the CPU whose file names its members.
    contradicted: Vec<(Cpu, Group)>,
}

impl Told {
    fn read(
        &mut self,
        files: &mut Files<'_>,
        cpu: Cpu,
        online: &CpuSet,
        one: &mut LogicalCpu,
        groups: &mut Vec<Group>,
    ) {
        let siblings = set(files, cpu, "thread_siblings", "core_cpus");
        let is_first = self.cores.is_empty();
        for (level, old, new, id) in FILES {
            if self.taken(level).contains(cpu) || self.silent.contains(&level) {
                continue;
            }
            // A kernel without parts of this level reports every CPU as alone in a group with an unknown identifier.
            let id = files.identifier(format_args!("cpu{cpu}/topology/{id}"));
            let is_none = level != GroupKind::Package && id == Some(None);
            match set(files, cpu, old, new).filter(|_| !is_none) {
                Some(cpus) => {
                    let own: CpuSet = [cpu].into_iter().collect();
                    let group = Group {
                        level,
                        number: 0,
                        id: id.flatten(),
                        cpus: cpus.intersection(online).union(&own),
                    };
                    match group.cpus.overlaps(self.taken(level)) {
                        true => self.contradicted.push((cpu, contradicted(files, groups, group))),
                        false => self.add(groups, group),
                    }
                    if level == GroupKind::Package {
                        self.packages.push(cpus);
                    }
                }
                None if is_first => self.silent.push(level),
                None => {}
            }
        }
        one.package = self.packages.iter().find(|cpus| cpus.contains(cpu)).cloned().unwrap_or_default();
        one.siblings = siblings.unwrap_or_default();
        if !one.siblings.is_empty() {
            self.cores.push(Core { siblings: one.siblings.clone(), package: one.package.clone() });
        }
    }

    fn taken(&mut self, level: GroupKind) -> &mut CpuSet {
        self.taken.entry(level).or_default()
    }

    fn add(&mut self, groups: &mut Vec<Group>, group: Group) {
        let taken = self.taken(group.level);
        *taken = taken.union(&group.cpus);
        groups.push(group);
    }

    /// Places the CPUs whose lists overlapped other groups: a CPU that another group names stays there, and any other
    /// CPU forms a group with the members of its list that belong to no group yet.
    fn settle(&mut self, groups: &mut Vec<Group>) {
        for (cpu, mut group) in std::mem::take(&mut self.contradicted) {
            let taken = self.taken(group.level);
            if !taken.contains(cpu) {
                group.cpus = group.cpus.without(taken);
                self.add(groups, group);
            }
        }
    }

    /// Siblings with different core identifiers become separate cores: the two cores of a module of AMD's family 15h
    /// share a front end, and some kernels list such cores as siblings.
    fn cores(&self, online: &CpuSet) -> Vec<Group> {
        let id_of = |cpu: Cpu| {
            let at = self.core_ids.binary_search_by_key(&cpu, |&(cpu, _)| cpu).ok()?;
            self.core_ids[at].1
        };
        let mut cores = Vec::new();
        let mut taken = CpuSet::new();
        for core in &self.cores {
            let mut rest = core.siblings.intersection(online).without(&taken);
            taken = taken.union(&rest);
            while let Some(first) = rest.first() {
                let id = id_of(first);
                let cpus: CpuSet = rest.iter().filter(|&cpu| id_of(cpu) == id).collect();
                rest = rest.without(&cpus);
                cores.push(Group { level: GroupKind::Core, number: 0, id, cpus });
            }
        }
        cores
    }
}

/// The CPUs of a group: the mask under the older or the newer name, or else the list under the older name. `None` where
/// none of these files names a CPU.
fn set(files: &mut Files<'_>, cpu: Cpu, old: &str, new: &str) -> Option<CpuSet> {
    let mut cpus = files.mask(format_args!("cpu{cpu}/topology/{old}"));
    if cpus.is_none() && new != old {
        cpus = files.mask(format_args!("cpu{cpu}/topology/{new}"));
    }
    let cpus = cpus.or_else(|| files.list(format_args!("cpu{cpu}/topology/{old}_list")));
    cpus.filter(|cpus| !cpus.is_empty())
}

/// Returns the group as it is, and notes a problem for each other group of the level that shares CPUs with it.
fn contradicted(files: &mut Files<'_>, groups: &[Group], group: Group) -> Group {
    let level = group.level;
    let others = groups.iter().filter(|other| other.level == level && other.cpus.overlaps(&group.cpus));
    for other in others {
        let both = other.cpus.intersection(&group.cpus);
        files.reading.add(format_args!("CPU {both} is said to be in two groups of the level {level}"));
    }
    group
}

/// Numbers the groups of each level from 0, in the order of their first CPUs.
fn number(groups: &mut [Group]) {
    groups.sort_by_key(|group| (group.level, group.cpus.first()));
    let mut next = (None, 0);
    for group in groups {
        if next.0 != Some(group.level) {
            next = (Some(group.level), 0);
        }
        group.number = next.1;
        next.1 += 1;
    }
}
