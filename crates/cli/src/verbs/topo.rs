//! `fauxplat topo`: the parts of a machine, and CPUs by their relation to each other.

use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, relation};
use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{Pick, TopoFindings};
use fauxplat_report::Format;
use fauxplat_topology::Depth;
use fauxplat_units::{CpuSet, Nanos};

use crate::{inspection, output};
use fauxplat_options::{OutputArgs, PickArgs, TopoAction, TopoArgs, TopoLook, TopoMachine};

pub(crate) fn topo(args: &TopoArgs, invocation: &[String]) -> Result<(), Failure> {
    match &args.action {
        None => show(&args.look, invocation),
        Some(TopoAction::Pick(args)) => pick(args, invocation),
    }
}

fn show(args: &TopoLook, invocation: &[String]) -> Result<(), Failure> {
    let output = match args.draw {
        true if args.output.format == Format::Text => {
            OutputArgs { format: Format::Boxes, ..OutputArgs::clone(&args.output) }
        }
        true => return Err(Failure::usage("--draw is a format of its own: leave out --format")),
        false => OutputArgs::clone(&args.output),
    };
    let root = root(&args.machine)?;
    let is_for_people = |format| matches!(format, Format::Text | Format::Boxes);
    let mut formats = output.exports().into_iter().map(|export| export.format);
    let depth = match is_for_people(output.format) && formats.all(is_for_people) {
        true => Depth::Shown,
        false => Depth::Whole,
    };
    let (header, findings) = look(&root, depth, invocation);
    inspection::report(&header, &Findings::Topo(Box::new(findings)), &output)
}

/// Least time for which CPUs are observed where the choice depends on their activity.
const SHORTEST_WATCH: Nanos = Nanos(50_000_000);

fn pick(args: &PickArgs, invocation: &[String]) -> Result<(), Failure> {
    let root = root(&args.machine)?;
    if args.relation.asks_for_activity() && (1..SHORTEST_WATCH.0).contains(&args.watch.0) {
        return Err(Failure::usage(format!(
            "--watch {}: too short to tell which CPU is quiet, since the kernel counts in ticks of 10 ms: {SHORTEST_WATCH} at least",
            args.watch
        )));
    }
    let (mut header, mut findings) = look(&root, Depth::Whole, invocation);
    let topology = &findings.topology;
    // The files of a captured tree do not change, so there is nothing to watch.
    let is_live = args.machine.sysroot.is_none();
    let watched = (is_live && args.watch.0 > 0).then(|| relation::watch(&root, topology, args.watch));
    let chosen = relation::pick(&args.relation, topology, watched.as_ref())?;
    let cpus: CpuSet = chosen.iter().map(|one| one.cpu).collect();
    if args.output.quiet && args.output.format == Format::Text {
        return output::lines(&format!("{cpus}\n"), &args.output);
    }
    if watched.is_none() {
        let why = if is_live { "the CPUs were not watched" } else { "a captured machine runs nothing" };
        header.not_measured.push(format!("interrupts, steal, load and bound tasks of the CPUs: {why}"));
    }
    let watched_ns = watched.map(|_| args.watch.0);
    findings.pick = Some(Pick { relation: args.relation.to_string(), cpus, chosen, watched_ns });
    inspection::report(&header, &Findings::Topo(Box::new(findings)), &args.output)
}

/// The header and the topology of the machine whose `/sys` and `/proc` are below a root.
fn look(root: &Path, depth: Depth, invocation: &[String]) -> (Header, TopoFindings) {
    let (machine, topology, warnings) = fauxplat_topology::survey(root, depth);
    let header = Header { warnings, ..inspection::header_of(machine, invocation) };
    (header, TopoFindings { topology, pick: None })
}

/// The root that an option names; a root without `sys` and `proc` is refused.
fn root(machine: &TopoMachine) -> Result<PathBuf, Failure> {
    let Some(root) = &machine.sysroot else { return Ok(PathBuf::from("/")) };
    match root.join("sys").is_dir() || root.join("proc").is_dir() {
        true => Ok(root.clone()),
        false => Err(Failure::usage(format!(
            "--sysroot {}: no folder `sys` or `proc` in it; it is the root of a captured tree",
            root.display()
        ))),
    }
}
