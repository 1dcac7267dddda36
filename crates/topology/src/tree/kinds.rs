//! Kinds of CPUs: performance and efficiency cores, or big and little ones on Arm.

use std::path::Path;

use fauxplat_model::{CpuKind, GroupKind, Topology};
use fauxplat_units::{Cpu, CpuSet};

use super::files::Files;
use crate::descriptions::Descriptions;

/// Event sources of hybrid processors, from the fastest cores on, with the names of their kinds.
const EVENT_SOURCES: [(&str, &str); 3] =
    [("cpu_core", "core"), ("cpu_atom", "atom"), ("cpu_lowpower", "lowpower")];

/// Two CPUs whose speeds differ by less are of one kind: makers let the best cores of a kind run a little faster.
const SPEED_RATIO: f64 = 0.85;

/// Facts about the CPUs of one core by which kinds are told apart.
struct Known {
    cpus: CpuSet,
    /// Index of the event source that counts on the core.
    source: Option<usize>,
    /// Name of the design, on Arm.
    design: Option<String>,
    capacity: Option<u32>,
    khz: Option<u64>,
}

impl Known {
    /// Speed of the core, comparable only within the machine: its capacity, or else its frequency. Zero where neither
    /// is known.
    fn speed(&self) -> f64 {
        self.capacity.map(f64::from).or(self.khz.map(|khz| khz as f64)).unwrap_or(0.0)
    }
}

pub(crate) fn read(topology: &mut Topology, files: &mut Files<'_>, root: &Path, descriptions: &Descriptions) {
    let sources: Vec<(usize, CpuSet)> = sources(files, root);
    let cores: Vec<Known> =
        cores(topology).into_iter().map(|cpus| known(files, &sources, descriptions, cpus)).collect();
    let mut kinds = split(told_of_all(cores));
    if kinds.len() < 2 {
        return;
    }
    let fastest = |kind: &CpuKind| (kind.capacity, kind.frequency_khz_max);
    kinds.sort_by(|a, b| rank(&a.name).cmp(&rank(&b.name)).then(fastest(b).cmp(&fastest(a))));
    for (number, kind) in (0..).zip(kinds.iter_mut()) {
        kind.number = number;
    }
    name_by_rank(&mut kinds);
    topology.kinds = kinds;
}

/// The place of a name among the event sources; other names are ranked by speed.
fn rank(name: &str) -> usize {
    EVENT_SOURCES.iter().position(|(_, word)| *word == name).unwrap_or(0)
}

/// The event sources that count on some CPUs only. They lie beside the folder of the CPUs.
fn sources(files: &mut Files<'_>, root: &Path) -> Vec<(usize, CpuSet)> {
    let mut devices = Files::open(root, "sys/devices", files.reading);
    let cpus = |devices: &mut Files<'_>, place: usize| {
        let (folder, _) = EVENT_SOURCES[place];
        devices.list(format_args!("{folder}/cpus")).map(|cpus| (place, cpus))
    };
    (0..EVENT_SOURCES.len()).filter_map(|place| cpus(&mut devices, place)).collect()
}

/// Online CPUs by core, since threads of a core are of one kind; without cores, one by one.
fn cores(topology: &Topology) -> Vec<CpuSet> {
    let cores: Vec<CpuSet> = topology.level(GroupKind::Core).map(|core| core.cpus.clone()).collect();
    match cores.is_empty() {
        true => topology.online.iter().map(|cpu| [cpu].into_iter().collect()).collect(),
        false => cores,
    }
}

fn known(
    files: &mut Files<'_>,
    sources: &[(usize, CpuSet)],
    descriptions: &Descriptions,
    cpus: CpuSet,
) -> Known {
    let first = cpus.first().unwrap_or(Cpu(0));
    Known {
        source: sources.iter().find(|(_, list)| list.contains(first)).map(|&(place, _)| place),
        design: descriptions.design_of(first),
        capacity: files.number(format_args!("cpu{first}/cpu_capacity")),
        khz: files.number(format_args!("cpu{first}/cpufreq/cpuinfo_max_freq")).map(u64::from),
        cpus,
    }
}

/// Facts that are known of some cores alone tell no kinds apart: older kernels of Arm describe the design once, behind
/// the last CPU.
fn told_of_all(mut cores: Vec<Known>) -> Vec<Known> {
    let lacks = |lacks: fn(&Known) -> bool| cores.iter().any(lacks);
    let design = lacks(|it| it.design.is_none());
    let [capacity, khz] = [lacks(|it| it.capacity.is_none()), lacks(|it| it.khz.is_none())];
    for core in &mut cores {
        core.design = core.design.take().filter(|_| !design);
        core.capacity = core.capacity.filter(|_| !capacity);
        core.khz = core.khz.filter(|_| !khz);
    }
    cores
}

/// Cores of one event source, one design and about one speed are of one kind.
fn split(mut cores: Vec<Known>) -> Vec<CpuKind> {
    cores.sort_by(|a, b| {
        let by_name = (a.source, &a.design).cmp(&(b.source, &b.design));
        by_name.then(b.speed().total_cmp(&a.speed()))
    });
    let mut kinds: Vec<CpuKind> = Vec::new();
    let mut last: Option<Known> = None;
    for core in cores {
        let same = last.as_ref().is_some_and(|last| {
            (last.source, &last.design) == (core.source, &core.design)
                && core.speed() >= SPEED_RATIO * last.speed()
        });
        match kinds.last_mut().filter(|_| same) {
            Some(kind) => {
                kind.cpus = kind.cpus.union(&core.cpus);
                kind.capacity = kind.capacity.max(core.capacity);
                kind.frequency_khz_max = kind.frequency_khz_max.max(core.khz);
            }
            None => kinds.push(CpuKind {
                number: 0,
                name: core
                    .source
                    .map(|place| EVENT_SOURCES[place].1.to_owned())
                    .or(core.design.clone())
                    .unwrap_or_default(),
                cpus: core.cpus.clone(),
                capacity: core.capacity,
                frequency_khz_max: core.khz,
            }),
        }
        last = Some(core);
    }
    kinds
}

/// Names kinds that have no name by their rank in speed.
fn name_by_rank(kinds: &mut [CpuKind]) {
    let last = kinds.len() - 1;
    for (place, kind) in kinds.iter_mut().enumerate().filter(|(_, kind)| kind.name.is_empty()) {
        kind.name = match place {
            0 => "performance".to_owned(),
            place if place == last => "efficiency".to_owned(),
            place => format!("middle {place}"),
        };
    }
}
