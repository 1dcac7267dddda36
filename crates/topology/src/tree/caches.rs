//! Caches, each read once: a cache is not read again from other CPUs that share it.

use std::collections::BTreeMap;

use fauxplat_model::{Cache, CacheKind, Topology};
use fauxplat_units::{Cpu, CpuSet};

use super::files::Files;
use crate::Depth;

/// Number of index folders that are tried for each CPU. No machine has more than five.
const INDEX_MAX: usize = 16;
/// Below this index a missing folder does not end the search, since a hypervisor may hide single caches.
const INDEX_USUAL: usize = 4;

const KINDS: [&str; 3] = ["Data", "Instruction", "Unified"];

pub(crate) fn read(topology: &mut Topology, files: &mut Files<'_>, depth: Depth) {
    // For each index, the positions in `caches` of the caches found under this index.
    let mut by_index: Vec<Vec<usize>> = vec![Vec::new(); INDEX_MAX];
    let mut caches: Vec<Cache> = Vec::new();
    // For each level and kind, the CPUs whose cache was found.
    let mut taken: BTreeMap<(u32, CacheKind), CpuSet> = BTreeMap::new();
    for cpu in topology.online.iter() {
        let own = topology.cpus.iter().find(|known| known.cpu == cpu);
        let siblings = own.map(|own| own.siblings.intersection(&topology.online)).unwrap_or_default();
        for (index, found) in by_index.iter_mut().enumerate() {
            // Neighbouring CPUs are read one after the other, so the newest cache is the most likely match.
            if found.iter().rev().any(|&place| caches[place].cpus.contains(cpu)) {
                continue;
            }
            let level = files.number(format_args!("cpu{cpu}/cache/index{index}/level"));
            let Some(level) = level else { if index < INDEX_USUAL { continue } else { break } };
            let Some(mut cache) = one(files, (cpu, &siblings), index, level) else { continue };
            let taken = taken.entry((cache.level, cache.kind)).or_default();
            if cache.cpus.overlaps(taken) && is_contradicted(files, &caches, &cache, (cpu, index)) {
                continue;
            }
            *taken = taken.union(&cache.cpus);
            if depth == Depth::Whole {
                details(files, cpu, index, &mut cache);
            }
            found.push(place(&mut caches, cache));
        }
    }
    if caches.is_empty() {
        caches = flat(topology, files);
    }
    number(&mut caches);
    topology.caches = caches;
}

/// Whether the sharers that a CPU names overlap those of another cache of the same level and kind. Such a list is noted
/// as a problem and not used; the list of another CPU may still contain this CPU.
fn is_contradicted(
    files: &mut Files<'_>,
    caches: &[Cache],
    cache: &Cache,
    (cpu, index): (Cpu, usize),
) -> bool {
    let overlaps = |other: &&Cache| {
        (other.level, other.kind) == (cache.level, cache.kind)
            && other.cpus != cache.cpus
            && other.cpus.overlaps(&cache.cpus)
    };
    let other = caches.iter().find(overlaps);
    if let Some(other) = other {
        files.reading.add(format_args!(
            "cpu{cpu}/cache/index{index} names CPU {} as sharers, which share it with CPU {}",
            cache.cpus.intersection(&other.cpus),
            other.cpus
        ));
    }
    other.is_some()
}

/// Caches of SPARC: prefixes of the files in each CPU's folder, with level and kind. Sharers are not reported.
const FLAT: [(&str, u32, CacheKind); 3] = [
    ("l1_icache", 1, CacheKind::Instruction),
    ("l1_dcache", 1, CacheKind::Data),
    ("l2_cache", 2, CacheKind::Unified),
];

fn flat(topology: &Topology, files: &mut Files<'_>) -> Vec<Cache> {
    let mut caches = Vec::new();
    for cpu in topology.online.iter() {
        for (name, level, kind) in FLAT {
            let Some(size) = files.size(format_args!("cpu{cpu}/{name}_size")) else { return caches };
            let line = files.size(format_args!("cpu{cpu}/{name}_line_size"));
            let cpus = [cpu].into_iter().collect();
            caches.push(Cache { number: 0, level, kind, id: None, size: Some(size), line, ways: None, cpus });
        }
    }
    caches
}

fn one(files: &mut Files<'_>, (cpu, siblings): (Cpu, &CpuSet), index: usize, level: u32) -> Option<Cache> {
    let kind = files.word(format_args!("cpu{cpu}/cache/index{index}/type"), &KINDS)?;
    let mask = files.mask(format_args!("cpu{cpu}/cache/index{index}/shared_cpu_map"));
    let shared = mask.or_else(|| files.list(format_args!("cpu{cpu}/cache/index{index}/shared_cpu_list")));
    // An empty list means the threads of the core: Itanium's firmware describes its outer caches in this way.
    let shared = shared.map(|cpus| if cpus.is_empty() { siblings.clone() } else { cpus });
    let own: CpuSet = [cpu].into_iter().collect();
    Some(Cache {
        number: 0,
        level,
        kind: [CacheKind::Data, CacheKind::Instruction, CacheKind::Unified][kind],
        id: None,
        size: files.size(format_args!("cpu{cpu}/cache/index{index}/size")),
        line: None,
        ways: None,
        // A CPU shares its own cache, whatever the kernel's list says.
        cpus: shared.unwrap_or_default().union(&own),
    })
}

fn details(files: &mut Files<'_>, cpu: Cpu, index: usize, cache: &mut Cache) {
    cache.id = files.number(format_args!("cpu{cpu}/cache/index{index}/id"));
    cache.line = files.size(format_args!("cpu{cpu}/cache/index{index}/coherency_line_size"));
    cache.ways = files.number(format_args!("cpu{cpu}/cache/index{index}/ways_of_associativity"));
}

/// Position of a cache in the list, which is extended if necessary. A cache that two CPUs number differently is listed
/// once.
fn place(caches: &mut Vec<Cache>, cache: Cache) -> usize {
    let same =
        |other: &Cache| other.level == cache.level && other.kind == cache.kind && other.cpus == cache.cpus;
    caches.iter().position(same).unwrap_or_else(|| {
        caches.push(cache);
        caches.len() - 1
    })
}

/// Numbers the caches of each level and kind from 0, in the order of the list.
fn number(caches: &mut [Cache]) {
    let mut counts: Vec<((u32, CacheKind), u32)> = Vec::new();
    for cache in caches {
        let name = (cache.level, cache.kind);
        let place = counts.iter().position(|(counted, _)| *counted == name).unwrap_or_else(|| {
            counts.push((name, 0));
            counts.len() - 1
        });
        cache.number = counts[place].1;
        counts[place].1 += 1;
    }
}
