//! A fleet in the OpenMetrics format, for systems that already monitor fleets.

use std::collections::BTreeMap;
use std::io::{self, Write};

use fauxplat_model::{FleetFindings, FleetNode, NodeState, Unit};

use super::openmetrics::{escaped, head};
use crate::apart::distinct;
use crate::words::visible;

/// A figure that machines have: name of its family, help text, and a function that returns the value for a machine.
type Figure = (&'static str, &'static str, fn(&FleetNode) -> Option<f64>);

const FIGURES: [Figure; 6] = [
    ("fauxplat_fleet_runs", "Valid runs of the machine.", |node| Some(node.runs as f64)),
    (
        "fauxplat_fleet_explained_ratio",
        "Slowdown, as a ratio, that facts such as the BIOS explain.",
        |node| node.explained_ratio,
    ),
    (
        "fauxplat_fleet_effect_ratio",
        "Median of the machine over that of its group, without what facts explain.",
        |node| node.effect_ratio,
    ),
    ("fauxplat_fleet_effect_low_ratio", "Low end of the 95 % interval of the effect.", |node| node.low),
    ("fauxplat_fleet_effect_high_ratio", "High end of the 95 % interval of the effect.", |node| node.high),
    (
        "fauxplat_fleet_z",
        "Robust standard deviations by which the machine is slower than its group.",
        |node| node.z,
    ),
];

const STATE: &str = "fauxplat_fleet_state";
const MACHINES: &str = "fauxplat_fleet_machines";
const DETECTABLE: &str = "fauxplat_fleet_smallest_detectable_ratio";
const NOTICE: &str = "fauxplat_fleet_notice";
const STARTED: &str = "fauxplat_fleet_run_timestamp_seconds";

/// Number of characters of the definition's checksum in labels: enough to distinguish any two definitions.
const HASH_CHARS: usize = 12;

/// Writes the families of metrics one after the other, and the end mark.
pub(super) fn write(found: &FleetFindings, out: &mut dyn Write) -> io::Result<()> {
    // Different names may become equal when they are escaped, and a collector drops the whole exposition if a series
    // occurs twice.
    let names = found.nodes.iter().map(|node| visible(&node.node));
    let names = distinct(names, |name, count| format!("{name} ({count})"));
    let labels: Vec<String> =
        found.nodes.iter().zip(&names).map(|(node, name)| labels(found, node, name)).collect();
    started(found, out)?;
    medians(found, &labels, out)?;
    for (family, help, figure) in FIGURES {
        head(family, "gauge", help, out)?;
        unit(family, out)?;
        for (node, labels) in found.nodes.iter().zip(&labels) {
            let Some(value) = figure(node).filter(|value| value.is_finite()) else { continue };
            writeln!(out, "{family}{{{labels}}} {value}")?;
        }
    }
    head(STATE, "gauge", "1 for the state of the machine that is named in the label.", out)?;
    for (node, labels) in found.nodes.iter().zip(&labels) {
        writeln!(out, "{STATE}{{{labels},state=\"{}\"}} 1", node.state.word())?;
    }
    notices(found, &labels, out)?;
    head(MACHINES, "gauge", "Number of machines in each state.", out)?;
    for state in NodeState::ALL {
        let count = found.nodes.iter().filter(|node| node.state == state).count();
        writeln!(out, "{MACHINES}{{{},state=\"{}\"}} {count}", of_run(found), state.word())?;
    }
    detectable(found, out)?;
    writeln!(out, "# EOF")
}

fn labels(found: &FleetFindings, node: &FleetNode, name: &str) -> String {
    let group = node.group.map_or(String::new(), |group| group.to_string());
    format!("node=\"{}\",group=\"{group}\",{}", escaped(name), of_run(found))
}

/// Labels that every series has, which keep the results of two benchmarks apart in one collector.
fn of_run(found: &FleetFindings) -> String {
    let metric = escaped(&visible(found.metric.name()));
    let command = escaped(&visible(&found.command));
    let definition: String = found.definition_sha256.chars().take(HASH_CHARS).collect();
    format!("command=\"{command}\",definition=\"{}\",metric=\"{metric}\"", escaped(&visible(&definition)))
}

/// Writes the time of the measurement, which the collector does not know: its timestamps are those of reading the file.
fn started(found: &FleetFindings, out: &mut dyn Write) -> io::Result<()> {
    let Some(started_utc_ns) = found.started_utc_ns else { return Ok(()) };
    head(STARTED, "gauge", "When the first machine began, in seconds since 1970.", out)?;
    writeln!(out, "# UNIT {STARTED} seconds")?;
    writeln!(out, "{STARTED}{{{}}} {:.3}", of_run(found), started_utc_ns as f64 / 1e9)
}

/// Writes the medians of the machines, in base units.
fn medians(found: &FleetFindings, labels: &[String], out: &mut dyn Write) -> io::Result<()> {
    let (unit, per) = match found.metric.unit() {
        Unit::Nanos => ("seconds", 1e9),
        Unit::Bytes => ("bytes", 1.0),
        Unit::MicroPerSecond => ("per_second", 1e6),
        Unit::Count => ("count", 1.0),
        Unit::Millionth => ("units", 1e6),
    };
    let family = format!("fauxplat_fleet_median_{unit}");
    head(&family, "gauge", "Median of the machine's runs in the first measurement.", out)?;
    writeln!(out, "# UNIT {family} {unit}")?;
    for (node, labels) in found.nodes.iter().zip(labels) {
        if let Some(median) = node.median {
            writeln!(out, "{family}{{{labels}}} {}", median / per)?;
        }
    }
    Ok(())
}

/// Writes observations of machines other than slowness. A machine may differ in several facts.
fn notices(found: &FleetFindings, labels: &[String], out: &mut dyn Write) -> io::Result<()> {
    head(NOTICE, "gauge", "1 for each thing other than slowness that stands out on the machine.", out)?;
    let labels_of: BTreeMap<&str, &String> =
        found.nodes.iter().map(|node| node.node.as_str()).zip(labels).collect();
    for notice in &found.notices {
        let Some(labels) = labels_of.get(notice.node.as_str()) else { continue };
        let fact = notice.differs.as_ref().map_or(String::new(), |it| escaped(&visible(&it.fact)));
        writeln!(out, "{NOTICE}{{{labels},kind=\"{}\",fact=\"{fact}\"}} 1", notice.kind.word())?;
    }
    Ok(())
}

fn unit(family: &str, out: &mut dyn Write) -> io::Result<()> {
    match family.ends_with("_ratio") {
        true => writeln!(out, "# UNIT {family} ratio"),
        false => Ok(()),
    }
}

fn detectable(found: &FleetFindings, out: &mut dyn Write) -> io::Result<()> {
    head(DETECTABLE, "gauge", "The smallest slowdown that is found in 8 of 10 machines that have it.", out)?;
    unit(DETECTABLE, out)?;
    for (index, group) in found.groups.iter().enumerate() {
        if let Some(ratio) = group.smallest_detectable {
            writeln!(out, "{DETECTABLE}{{group=\"{index}\",{}}} {ratio}", of_run(found))?;
        }
    }
    Ok(())
}
