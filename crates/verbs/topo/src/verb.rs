//! The subcommand `topo`.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::{Failure, header, relation};
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_options::{EndArgs, Group, OutputArgs};
use fauxplat_report::{Format, OwnReport};
use fauxplat_topology::Depth;
use fauxplat_units::{CpuSet, Nanos};
use fauxplat_verb::{Host, Verb};

use crate::args::{PickArgs, TopoAction, TopoArgs, TopoLook, TopoMachine};
use crate::error::TopoError;
use crate::findings::{Pick, TopoFindings};
use crate::report::TopoReport;

/// The subcommand `topo`.
#[derive(Debug)]
pub struct Topo;

impl Verb for Topo {
    fn group(&self) -> Group {
        Group::Machine
    }

    fn command(&self) -> Command {
        TopoArgs::augment_args(Command::new("topo"))
    }

    fn measures(&self) -> bool {
        false
    }

    fn end(&self, _: &ArgMatches) -> Option<EndArgs> {
        None
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = TopoArgs::from_arg_matches(given).map_err(Failure::usage)?;
        match &args.action {
            None => show(&args.look, host, invocation),
            Some(TopoAction::Pick(args)) => pick(args, host, invocation),
        }
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&TopoReport]
    }
}

fn show(args: &TopoLook, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let output = match args.draw {
        true if args.output.format == Format::Text => {
            OutputArgs { format: Format::Boxes, ..OutputArgs::clone(&args.output) }
        }
        true => return Err(TopoError::DrawnAndFormatted.into()),
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
    report(&header, &findings, host, &output)
}

/// Least time for which CPUs are observed where the choice depends on their activity.
const SHORTEST_WATCH: Nanos = Nanos(50_000_000);

fn pick(args: &PickArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let root = root(&args.machine)?;
    if args.relation.asks_for_activity() && (1..SHORTEST_WATCH.0).contains(&args.watch.0) {
        return Err(TopoError::ShortWatch { given: args.watch, least: SHORTEST_WATCH }.into());
    }
    let (mut header, mut findings) = look(&root, Depth::Whole, invocation);
    let topology = &findings.topology;
    // The files of a captured tree do not change, so there is nothing to watch.
    let is_live = args.machine.sysroot.is_none();
    let watched = (is_live && args.watch.0 > 0).then(|| relation::watch(&root, topology, args.watch));
    let chosen = relation::pick(&args.relation, topology, watched.as_ref())?;
    let cpus: CpuSet = chosen.iter().map(|one| one.cpu).collect();
    if args.output.quiet && args.output.format == Format::Text {
        return host.lines(&format!("{cpus}\n"), &args.output);
    }
    if watched.is_none() {
        let why = if is_live { "the CPUs were not watched" } else { "a captured machine runs nothing" };
        header.not_measured.push(format!("interrupts, steal, load and bound tasks of the CPUs: {why}"));
    }
    let watched_ns = watched.map(|_| args.watch.0);
    findings.pick = Some(Pick { relation: args.relation.to_string(), cpus, chosen, watched_ns });
    report(&header, &findings, host, &args.output)
}

fn report(
    header: &Header,
    findings: &TopoFindings,
    host: &dyn Host,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let findings = Findings::Own(findings.findings().map_err(Failure::machine)?);
    let record = Record { header, commands: &[], samples: &[], findings: &findings };
    host.report(&record, &|_| Vec::new(), output)
}

/// The header and the topology of the machine whose `/sys` and `/proc` are below a root.
fn look(root: &Path, depth: Depth, invocation: &[String]) -> (Header, TopoFindings) {
    let (machine, topology, warnings) = fauxplat_topology::survey(root, depth);
    let header = Header { warnings, ..header::inspection(machine, invocation) };
    (header, TopoFindings { topology, pick: None })
}

/// The root that an option names; a root without `sys` and `proc` is refused.
fn root(machine: &TopoMachine) -> Result<PathBuf, TopoError> {
    let Some(root) = &machine.sysroot else { return Ok(PathBuf::from("/")) };
    match root.join("sys").is_dir() || root.join("proc").is_dir() {
        true => Ok(root.clone()),
        false => Err(TopoError::NoTree(root.clone())),
    }
}
