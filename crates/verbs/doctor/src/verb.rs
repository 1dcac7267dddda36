//! The subcommand `doctor`.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::{Failure, Machine, header, relation};
use fauxplat_model::Relation;
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_options::{EndArgs, Group};
use fauxplat_report::{Format, OwnReport};
use fauxplat_units::{CpuSet, Nanos};
use fauxplat_verb::{Host, Verb};

use crate::args::DoctorArgs;
use crate::document::Document;
use crate::error::DoctorError;
use crate::gate::Gate;
use crate::report::DoctorReport;

/// Longest interval for which the machine is observed, so that a typing error does not make the user wait for hours.
const INTERVAL_MAX: Nanos = Nanos(60_000_000_000);

/// The subcommand `doctor`.
#[derive(Debug)]
pub struct Doctor;

impl Verb for Doctor {
    fn group(&self) -> Group {
        Group::Machine
    }

    fn command(&self) -> Command {
        DoctorArgs::augment_args(Command::new("doctor"))
    }

    fn measures(&self) -> bool {
        false
    }

    fn end(&self, _: &ArgMatches) -> Option<EndArgs> {
        None
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = DoctorArgs::from_arg_matches(given).map_err(Failure::usage)?;
        match &args.explain {
            Some(name) => {
                host.lines(&explained(name, args.output.format).map_err(Failure::usage)?, &args.output)
            }
            None => examine(&args, host, invocation),
        }
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&DoctorReport]
    }
}

fn examine(args: &DoctorArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let gates: Result<Vec<Gate>, DoctorError> = args.fail_if.iter().map(|text| text.parse()).collect();
    let gates = gates.map_err(Failure::usage)?;
    let root = root(args).map_err(Failure::usage)?;
    let cpus = cpus(args, &root)?;
    host.try_files(&args.output)?;
    let examination = fauxplat_hazards::examine(&root, cpus.as_ref(), args.interval);
    let unanswered = |gate: &Gate| gate.unanswered(&examination);
    let header = Header {
        not_measured: fauxplat_hazards::not_measured(&examination),
        warnings: gates
            .iter()
            .filter_map(|gate| unanswered(gate).or_else(|| gate.doubt(&examination)))
            .collect(),
        ..header::inspection(fauxplat_topology::discover(&root), invocation)
    };
    let failed: Vec<String> = gates.iter().filter_map(|gate| gate.failed(&examination)).collect();
    let open: Vec<String> = gates.iter().filter_map(unanswered).collect();
    let document = Document::new(examination, args.all).findings().map_err(Failure::machine)?;
    let record = Record { header: &header, commands: &[], samples: &[], findings: &Findings::Own(document) };
    let shown = host.report(&record, &|_| Vec::new(), &args.output);
    let failed = (!failed.is_empty()).then(|| Failure::gate(format!("--fail-if {}", failed.join("; "))));
    let open = (!open.is_empty()).then(|| Failure::machine(open.join("; ")));
    Failure::answer_first(shown, Failure::both(failed.map_or(Ok(()), Err), open.map_or(Ok(()), Err)))
}

fn explained(name: &str, format: Format) -> Result<String, DoctorError> {
    match (name, format) {
        ("all", Format::Text | Format::Markdown) => Ok(fauxplat_hazards::all_hazards()),
        (name, Format::Text | Format::Markdown) => {
            Ok(fauxplat_hazards::explain(fauxplat_hazards::find(name)?))
        }
        (_, other) => Err(DoctorError::ExplainedAs(other.name())),
    }
}

fn root(args: &DoctorArgs) -> Result<PathBuf, DoctorError> {
    let Some(folder) = &args.sysroot else { return Ok(PathBuf::from("/")) };
    let name = folder.display().to_string();
    // The path is made canonical, so that another spelling of `/` is recognised as this machine.
    match folder.canonicalize() {
        Ok(root) if root.is_dir() => Ok(root),
        Ok(_) => Err(DoctorError::NoFolder(name)),
        Err(source) => Err(DoctorError::NoRoot { folder: name, source }),
    }
}

/// The CPUs that options name; `None` for all. Refuses CPUs that are not online, and an observation interval out of
/// range.
fn cpus(args: &DoctorArgs, root: &Path) -> Result<Option<CpuSet>, Failure> {
    if args.interval > INTERVAL_MAX {
        return Err(Failure::usage(DoctorError::Interval { given: args.interval, most: INTERVAL_MAX }));
    }
    let cpus = match &args.cpu {
        None => return Ok(None),
        Some(Relation::List(cpus)) => cpus.clone(),
        Some(relation) => {
            relation::answer(relation, &Machine::read(root))?.iter().map(|chosen| chosen.cpu).collect()
        }
    };
    let off = cpus.without(&fauxplat_topology::online(root));
    match (cpus.is_empty(), off.is_empty()) {
        (true, _) => Err(Failure::usage(DoctorError::NoCpu)),
        (false, false) => Err(Failure::usage(DoctorError::Offline { asked: cpus, off })),
        (false, true) => Ok(Some(cpus)),
    }
}
