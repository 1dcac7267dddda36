//! Loads beside a measurement: starts the processes that make the requested loads (generators), and records how much
//! each of them worked.

use std::path::Path;

use fauxplat_analyze::load_shortfalls;
use fauxplat_kernels::Caches;
use fauxplat_load::{LoadError, Loads, Order, Program, Rhythm};
use fauxplat_model::document::Header;
use fauxplat_model::{LoadKind, LoadSpec, Relation, Topology};
use fauxplat_procfs::mounts::{self, Mount};
use fauxplat_units::{Bytes, Cpu, CpuSet};

use crate::cpus::check_cpus;
use crate::hidden::GENERATOR_VERB;
use crate::{Failure, Machine, relation};

pub fn program() -> Program {
    Program::this_binary(GENERATOR_VERB)
}

/// Starts the requested loads; `None` if there are none, or if the user stops fauxplat meanwhile. In that case the
/// experiment sees the request to stop before its first run, and ends as interrupted.
///
/// # Errors
/// Fails for CPUs that cannot be used, a missing permission, or loads that would take the whole machine.
pub(crate) fn begin(specs: &[LoadSpec], machine: &Machine) -> Result<Option<Loads>, Failure> {
    if specs.is_empty() {
        return Ok(None);
    }
    let orders = orders(specs, machine)?;
    leaves_a_cpu(&orders, machine.allowed())?;
    let wanted = Bytes(orders.iter().map(|order| order.footprint().0).sum());
    let memory = machine.facts().memory_bytes;
    if memory.0 > 0 && wanted.0 > memory.0 / 2 {
        return Err(Failure::machine(format!(
            "the loads would use {wanted} of memory, more than half of this machine's {memory}: choose fewer CPUs"
        )));
    }
    match Loads::start(&program(), orders) {
        Err(LoadError::Interrupted) => Ok(None),
        started => Ok(Some(started?)),
    }
}

/// Refuses CPUs that loads list and that cannot be used, before any command is run.
///
/// # Errors
/// Fails for a CPU that does not exist or is not allowed.
pub(crate) fn check(specs: &[LoadSpec], machine: &Machine) -> Result<(), Failure> {
    specs.iter().try_for_each(|spec| match &spec.cpus {
        Relation::List(cpus) => check_cpus(&format!("load {spec}"), cpus, machine),
        _ => Ok(()),
    })
}

/// Orders that tell the generators what to do, one per load and CPU.
fn orders(specs: &[LoadSpec], machine: &Machine) -> Result<Vec<Order>, Failure> {
    let topology = machine.topology();
    let mut orders = Vec::new();
    for spec in specs {
        let cpus = cpus(spec, machine)?;
        orders.extend(cpus.iter().map(|cpu| order(spec.kind, Rhythm::Share(spec.percent), cpu, topology)));
    }
    Ok(orders)
}

/// Order for a generator that works on this CPU, with the sizes of the CPU's caches.
pub fn order(kind: LoadKind, rhythm: Rhythm, cpu: Cpu, topology: &Topology) -> Order {
    Order {
        kind,
        rhythm,
        cpus: Some([cpu].into_iter().collect()),
        caches: Caches::of(topology, cpu),
        folder: std::env::temp_dir(),
    }
}

fn cpus(spec: &LoadSpec, machine: &Machine) -> Result<CpuSet, Failure> {
    match &spec.cpus {
        Relation::List(cpus) => check_cpus(&format!("load {spec}"), cpus, machine).map(|()| cpus.clone()),
        Relation::All => Ok(machine.allowed().clone()),
        related => {
            let chosen = relation::answer(related, machine)?;
            Ok(chosen.iter().map(|one| one.cpu).collect())
        }
    }
}

/// Refuses real-time loads on every CPU, which would leave no CPU for the process that ends them.
fn leaves_a_cpu(orders: &[Order], allowed: &CpuSet) -> Result<(), Failure> {
    let real_time = orders.iter().filter(|order| order.kind == LoadKind::RealTime);
    let taken: CpuSet = real_time.filter_map(|order| order.cpus.as_ref()).flat_map(CpuSet::iter).collect();
    if taken.is_empty() || !allowed.is_subset(&taken) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "load realtime would take every CPU that fauxplat may use ({allowed}) and leave none to end it: name fewer CPUs, for instance \
         realtime@{}",
        allowed.iter().nth(1).map_or("N on a machine with more CPUs".to_owned(), |cpu| cpu.to_string())
    )))
}

/// Ends the loads, and records how much each of them worked.
pub(crate) fn end(loads: Option<Loads>, header: &mut Header) {
    let Some(loads) = loads else { return };
    header.condition.loaded = loads.end();
    header.warnings.extend(load_shortfalls(&header.condition.loaded));
    let forces_blocks = header.condition.loaded.iter().any(|account| account.kind == LoadKind::Files);
    header.warnings.extend(forces_blocks.then(without_device).flatten());
}

/// Returns a warning if the temporary folder is on no device, so that blocks that the load `files` writes reach none.
fn without_device() -> Option<String> {
    let folder = std::env::temp_dir();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let kind = in_memory(&mounts, &folder.canonicalize().ok()?)?;
    Some(format!(
        "what load files wrote went to {}, which is {kind}: memory, so that no device was touched; set TMPDIR to a \
         folder on one",
        folder.display()
    ))
}

/// Type of the file system that contains a folder, if it has no device and stores everything in memory; otherwise
/// `None`.
fn in_memory<'t>(mountinfo: &'t str, folder: &Path) -> Option<&'t str> {
    let point = |mount: &Mount<'_>| mounts::unescaped(mount.point).into_owned();
    // The deepest mount that contains the folder decides; of several mounts at one path it is the last, which covers
    // the earlier ones.
    let holds = mounts::mountinfo(mountinfo).filter(|mount| folder.starts_with(point(mount)));
    let mount = holds.max_by_key(|mount| Path::new(&point(mount)).components().count())?;
    matches!(mount.kind, "tmpfs" | "ramfs" | "devtmpfs" | "rootfs").then_some(mount.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "21 1 254:0 / / rw - ext4 /dev/vda rw\n\
                          22 21 0:20 / /tmp rw shared:2 - tmpfs tmpfs rw\n\
                          23 22 254:1 / /tmp/disk rw - xfs /dev/vdb rw\n\
                          24 21 254:1 / /scratch rw - xfs /dev/vdb rw\n\
                          25 21 0:21 / /scratch rw - tmpfs tmpfs rw\n\
                          26 21 0:22 / /with\\040blank rw - ramfs ramfs rw\n";

    #[test]
    fn folders_in_memory_are_known_by_what_holds_them() {
        let kind = |folder: &str| in_memory(MOUNTS, Path::new(folder));
        for (folder, expected) in [
            ("/", None),
            ("/home/tmp", None),
            ("/tmp", Some("tmpfs")),
            ("/tmp/a/b", Some("tmpfs")),
            ("/tmpfoo", None),
            ("/tmp/disk/a", None),
            ("/scratch", Some("tmpfs")),
            ("/with blank/a", Some("ramfs")),
        ] {
            assert_eq!(kind(folder), expected, "{folder}");
        }
        assert_eq!(in_memory("", Path::new("/tmp")), None);
    }
}
