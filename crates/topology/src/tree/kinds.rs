//! Kinds of CPUs: performance and efficiency cores, or big and little cores on Arm.

use std::path::Path;

use fauxplat_model::{CpuKind, GroupKind, Topology};
use fauxplat_units::{Cpu, CpuSet};

use super::files::Files;
use crate::descriptions::Descriptions;

/// Event sources of hybrid processors, each with the name of the kind of core on which it counts; the fastest kind
/// first.
const EVENT_SOURCES: [(&str, &str); 3] =
    [("cpu_core", "core"), ("cpu_atom", "atom"), ("cpu_lowpower", "lowpower")];

/// Cores whose speeds have at least this ratio are of one kind: makers let the best cores of a kind run a little
/// faster.
const SPEED_RATIO: f64 = 0.85;

/// Facts about one core that distinguish kinds.
struct Known {
    cpus: CpuSet,
    /// Index in [`EVENT_SOURCES`] of the source that counts on the core.
    source: Option<usize>,
    /// Name of the design; only Arm kernels report it.
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

/// Position of a kind's name among the event sources; 0 for all other names, so that speed alone orders their kinds.
fn rank(name: &str) -> usize {
    EVENT_SOURCES.iter().position(|(_, word)| *word == name).unwrap_or(0)
}

/// The event sources of this machine from `/sys/devices`: the index of each in [`EVENT_SOURCES`], and the CPUs on which
/// it counts.
fn sources(files: &mut Files<'_>, root: &Path) -> Vec<(usize, CpuSet)> {
    let mut devices = Files::open(root, "sys/devices", files.reading);
    let cpus = |devices: &mut Files<'_>, place: usize| {
        let (folder, _) = EVENT_SOURCES[place];
        devices.list(format_args!("{folder}/cpus")).map(|cpus| (place, cpus))
    };
    (0..EVENT_SOURCES.len()).filter_map(|place| cpus(&mut devices, place)).collect()
}

/// Online CPUs grouped by core, since threads of a core are of one kind; where no core is known, each CPU by itself.
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

/// Drops every fact that is unknown for some cores, since it cannot distinguish kinds: older Arm kernels print the
/// design only once, after the last CPU.
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

/// Groups cores into kinds by event source, design and similar speed.
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

/// Names the unnamed kinds by their rank in speed.
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
