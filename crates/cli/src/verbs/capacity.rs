//! `fauxplat contend --capacity`: what one more thread is worth, and so what is left of the machine while it works.

use std::path::Path;
use std::time::Duration;

use fauxplat_analyze::{capacity_left, worth};
use fauxplat_kernels::Kernel;
use fauxplat_model::document::Findings;
use fauxplat_model::{
    CapacityFindings, CapacityLook, Condition, EnvPad, GroupKind, Placement, Policy, ShiftSample, Topology,
    Worth,
};
use fauxplat_report::Format;
use fauxplat_run::{Stopped, execute_shifts};
use fauxplat_sys::signal;
use fauxplat_topology::Watch;
use fauxplat_units::{Cpu, CpuSet};
use fauxplat_workers::{Shift, Station, WorkerPool};

use crate::args::ContendArgs;
use crate::failure::Failure;
use crate::neighbours::caches_of;
use crate::output;
use crate::workshop::{Workshop, cells_plan};

/// Measures the worth of threads, then looks at the machine as often as was asked.
pub(crate) fn capacity(
    args: &ContendArgs,
    topology: &Topology,
    cpus: &CpuSet,
    invocation: &[String],
) -> Result<(), Failure> {
    let (crew, policy) = crew(topology, cpus)?;
    let condition = Condition {
        cpu: Placement::Set(cpus.clone()),
        policy,
        env_pad: EnvPad::None,
        load: args.beside.load.clone(),
        ..Condition::default()
    };
    let mut workshop = Workshop::begin("contend", condition, args.seed, &args.output, invocation)?;
    let cores = cores(topology, cpus);
    let worths = measure(&mut workshop, crew, args, cpus, &cores)?;
    workshop.progress.end();
    let full: Vec<(CpuSet, f64)> =
        cores.into_iter().zip(&worths).map(|(core, worth)| (core, worth.ratio)).collect();
    let looks = look(&mut workshop, args, topology, &full)?;
    let elapsed_s = workshop.elapsed_s();
    workshop.finish(&Findings::Capacity(CapacityFindings { worths, looks, elapsed_s }))
}

/// The CPUs of each core.
fn cores(topology: &Topology, cpus: &CpuSet) -> Vec<CpuSet> {
    let mut cores: Vec<CpuSet> = topology
        .level(GroupKind::Core)
        .map(|core| core.cpus.intersection(cpus))
        .filter(|core| !core.is_empty())
        .collect();
    let known: CpuSet = cores.iter().flat_map(CpuSet::iter).collect();
    // A CPU of which the kernel says nothing is a core of its own.
    cores.extend(cpus.without(&known).iter().map(|cpu| [cpu].into_iter().collect()));
    cores
}

fn crew(topology: &Topology, cpus: &CpuSet) -> Result<(WorkerPool, Policy), Failure> {
    let with = |policy| {
        let station = |cpu: Cpu| Station { cpu, policy, caches: caches_of(topology, cpu) };
        WorkerPool::new(&cpus.iter().map(station).collect::<Vec<_>>()).map(|crew| (crew, policy))
    };
    match with(Policy::Fifo(90)) {
        Err(error) if error.is_permission() => Ok(with(Policy::Other)?),
        done => Ok(done?),
    }
}

/// Cells: each CPU alone, each core with all its threads, one thread per core, every CPU.
fn measure(
    workshop: &mut Workshop<'_>,
    mut crew: WorkerPool,
    args: &ContendArgs,
    cpus: &CpuSet,
    cores: &[CpuSet],
) -> Result<Vec<Worth>, Failure> {
    let list: Vec<Cpu> = cpus.iter().collect();
    let mut groups: Vec<CpuSet> = cores.to_vec();
    groups.push(cores.iter().filter_map(CpuSet::first).collect());
    groups.push(cpus.clone());
    let alone: Vec<CpuSet> = list.iter().map(|&cpu| [cpu].into_iter().collect()).collect();
    let duration_ns = args.duration.0.max(1_000_000);
    let shift = Shift {
        kernel: Kernel::Fauxplat,
        warm_ns: duration_ns / 5,
        duration_ns,
        lap_units: 100,
        keep_laps: false,
        hands_over: false,
    };
    let works = |group: &CpuSet| list.iter().map(|&cpu| group.contains(cpu).then_some(shift)).collect();
    let cells: Vec<Vec<Option<Shift>>> = alone.iter().chain(&groups).map(works).collect();
    let plan = cells_plan(cells.len(), workshop.header.seed);
    let (mut samples, progress) = (Vec::new(), &workshop.progress);
    let stopped = execute_shifts(&mut crew, &cells, &plan, args.rounds, |sample: ShiftSample| {
        progress
            .show(f64::from(sample.round) / f64::from(args.rounds), || "what a thread is worth".to_owned());
        samples.push(sample);
    })?;
    workshop.interrupted = stopped == Stopped::Interrupted;
    let of_cells = |from: usize, to: usize| -> Vec<&ShiftSample> {
        samples.iter().filter(|sample| (from..to).contains(&usize::from(sample.cell))).collect()
    };
    let lone = of_cells(0, alone.len());
    let one = |(index, group): (usize, &CpuSet)| {
        let cell = alone.len() + index;
        worth(group.clone(), &of_cells(cell, cell + 1), &lone, workshop.header.seed)
    };
    Ok(groups.iter().enumerate().filter_map(one).collect())
}

/// Looks at the machine, and says each look at once to a person.
fn look(
    workshop: &mut Workshop<'_>,
    args: &ContendArgs,
    topology: &Topology,
    cores: &[(CpuSet, f64)],
) -> Result<Vec<CapacityLook>, Failure> {
    let live = args.output.format == Format::Text && args.output.output.is_none();
    let mut looks = Vec::new();
    if live && !workshop.interrupted {
        output::lines("elapsed_s  busy  left\n", &args.output)?;
    }
    while !workshop.interrupted && looks.len() < args.count as usize {
        let (begun_s, watch) = (workshop.elapsed_s(), Watch::begin(Path::new("/")));
        std::thread::sleep(Duration::from_nanos(args.interval.0));
        let elapsed_s = workshop.elapsed_s();
        let activities = watch.end(topology, ((elapsed_s - begun_s) * 1e9) as u64);
        let busy = |cpu: Cpu| {
            activities.iter().find(|one| one.0 == cpu).map_or(0.0, |one| one.1.busy_share.clamp(0.0, 1.0))
        };
        let (busy_share, left_share) = capacity_left(cores, busy);
        if live {
            let line = format!("{elapsed_s:9.1} {:4.0}% {:4.0}%\n", busy_share * 100.0, left_share * 100.0);
            output::lines(&line, &args.output)?;
        }
        looks.push(CapacityLook { elapsed_s, busy_share, left_share });
        workshop.interrupted |= signal::stop_requested();
    }
    Ok(looks)
}
