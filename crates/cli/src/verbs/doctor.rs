//! `fauxplat doctor`: what on this machine will spoil a measurement, and the fix.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use fauxplat_experiment::{Failure, Machine, relation};
use fauxplat_model::document::Findings;
use fauxplat_model::{DoctorFindings, HazardFinding, Relation, Severity};
use fauxplat_report::Format;
use fauxplat_units::{CpuSet, Nanos};

use crate::{inspection, output};
use fauxplat_options::{DoctorArgs, OutputArgs};

/// Longest interval for which the machine is observed, so that a typing error does not make the user wait for hours.
const INTERVAL_MAX: Nanos = Nanos(60_000_000_000);

pub(crate) fn doctor(args: &DoctorArgs, invocation: &[String]) -> Result<(), Failure> {
    if let Some(name) = &args.explain {
        return explain(name, &args.output);
    }
    let gates = args.fail_if.iter().map(|text| text.parse()).collect::<Result<Vec<Gate>, Failure>>()?;
    let root = root(args)?;
    let cpus = cpus(args, &root)?;
    let mut findings = fauxplat_hazards::examine(&root, cpus.as_ref(), args.interval);
    findings.show_all = args.all;
    let mut header = inspection::header(&root, invocation);
    header.not_measured = fauxplat_hazards::not_measured(&findings);
    header.warnings.extend(gates.iter().filter_map(|gate| gate.doubt(&findings)));
    let failed: Vec<String> = gates.iter().filter_map(|gate| gate.failed(&findings)).collect();
    inspection::report(&header, &Findings::Doctor(findings), &args.output)?;
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::gate(format!("--fail-if {}", failed.join("; ")))),
    }
}

fn explain(name: &str, output: &OutputArgs) -> Result<(), Failure> {
    let text = match (name, output.format) {
        ("all", Format::Text | Format::Markdown) => fauxplat_hazards::all_hazards(),
        (name, Format::Text | Format::Markdown) => {
            fauxplat_hazards::explain(fauxplat_hazards::find(name).map_err(Failure::usage)?)
        }
        (_, other) => return Err(Failure::usage(format!("--explain is written as text, not as {other}"))),
    };
    output::lines(&text, output)
}

fn root(args: &DoctorArgs) -> Result<PathBuf, Failure> {
    let Some(folder) = &args.sysroot else { return Ok(PathBuf::from("/")) };
    let place = || format!("--sysroot {}", folder.display());
    // The path is made canonical, so that another spelling of `/` is recognised as this machine.
    let root = folder.canonicalize().map_err(|error| Failure::usage(format!("{}: {error}", place())))?;
    if root.is_dir() { Ok(root) } else { Err(Failure::usage(format!("{} is not a folder", place()))) }
}

/// The CPUs that options name; `None` for all. Refuses CPUs that are not online, and an observation interval out of
/// range.
fn cpus(args: &DoctorArgs, root: &Path) -> Result<Option<CpuSet>, Failure> {
    if args.interval > INTERVAL_MAX {
        return Err(Failure::usage(format!("--interval {}: at most {INTERVAL_MAX}", args.interval)));
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
        (true, _) => Err(Failure::usage("--cpu names no CPU")),
        (false, false) => Err(Failure::usage(format!("--cpu {cpus}: CPU {off} is not online"))),
        (false, true) => Ok(Some(cpus)),
    }
}

/// A condition (`--fail-if`) under which the verb fails: a given hazard, or any hazard, has at least a given severity.
#[derive(Debug)]
struct Gate {
    /// Name of the hazard; `None` for `any`.
    hazard: Option<&'static str>,
    level: Severity,
}

impl FromStr for Gate {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (name, level) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--fail-if {text}: say HAZARD=LEVEL, for instance any=high"))
        })?;
        let told = |error: &dyn std::fmt::Display| Failure::usage(format!("--fail-if: {error}"));
        let hazard = match name {
            "any" => None,
            name => Some(fauxplat_hazards::find(name).map_err(|error| told(&error))?.name),
        };
        let level = level.parse().map_err(|error: String| told(&error))?;
        Ok(Gate { hazard, level })
    }
}

impl Gate {
    /// Whether the gate applies to a hazard. Hazards that fauxplat neutralises count only where the gate names them.
    fn is_about(&self, found: &HazardFinding) -> bool {
        self.hazard.map_or(!found.neutralised_by_us, |name| name == found.name)
    }

    /// The message of a gate that failed; `None` where the gate passes.
    fn failed(&self, findings: &DoctorFindings) -> Option<String> {
        let bad =
            findings.hazards.iter().filter(|found| self.is_about(found) && found.severity <= self.level);
        let told: Vec<String> = bad
            .map(|found| {
                let value = found.value.as_deref().unwrap_or("unknown");
                format!("{} is {} ({value})", found.name, found.severity)
            })
            .collect();
        let gate = format!("{}={}", self.hazard.unwrap_or("any"), self.level);
        (!told.is_empty()).then(|| format!("{gate}: {}", told.join(", ")))
    }

    /// The message about a gate that passes because the severity of its hazard could not be read; `None` otherwise.
    fn doubt(&self, findings: &DoctorFindings) -> Option<String> {
        let name = self.hazard?;
        let found = findings.hazards.iter().find(|found| found.name == name)?;
        let reason = found.reason.as_deref().unwrap_or("unknown");
        (found.severity == Severity::Unknown)
            .then(|| format!("--fail-if {name}={} cannot be answered: {reason}", self.level))
    }
}
