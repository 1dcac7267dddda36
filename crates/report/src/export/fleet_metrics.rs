//! A fleet in the format OpenMetrics, for systems that already monitor fleets.

use std::io::{self, Write};

use fauxplat_model::{FleetFindings, FleetNode, NodeState};

use super::distinct;
use super::openmetrics::{escaped, head};
use crate::words::visible;

/// A figure of machines: name of its family, help text, and its value for a machine that has it.
type Figure = (&'static str, &'static str, fn(&FleetNode) -> Option<f64>);

const FIGURES: [Figure; 4] = [
    ("fauxplat_fleet_effect_ratio", "The machine over its group.", |node| node.effect_ratio),
    ("fauxplat_fleet_effect_low_ratio", "Low end of the 95 % interval of that.", |node| node.low),
    ("fauxplat_fleet_effect_high_ratio", "High end of it.", |node| node.high),
    ("fauxplat_fleet_z", "Robust standard deviations on the slow side of its group.", |node| node.z),
];

const STATE: &str = "fauxplat_fleet_state";
const MACHINES: &str = "fauxplat_fleet_machines";
const DETECTABLE: &str = "fauxplat_fleet_smallest_detectable_ratio";

/// Writes one family after the other, and the end mark.
pub(super) fn write(found: &FleetFindings, out: &mut dyn Write) -> io::Result<()> {
    // Different names may look alike once they are escaped, and a collector drops everything when a series occurs
    // twice.
    let names = found.nodes.iter().map(|node| visible(&node.node));
    let names = distinct(names, |name, count| format!("{name} ({count})"));
    let labels: Vec<String> =
        found.nodes.iter().zip(&names).map(|(node, name)| labels(found, node, name)).collect();
    for (family, help, figure) in FIGURES {
        head(family, "gauge", help, out)?;
        unit(family, out)?;
        for (node, labels) in found.nodes.iter().zip(&labels) {
            let Some(value) = figure(node).filter(|value| value.is_finite()) else { continue };
            writeln!(out, "{family}{{{labels}}} {value}")?;
        }
    }
    head(STATE, "gauge", "1 for what is said of the machine.", out)?;
    for (node, labels) in found.nodes.iter().zip(&labels) {
        writeln!(out, "{STATE}{{{labels},state=\"{}\"}} 1", node.state.word())?;
    }
    head(MACHINES, "gauge", "Machines of which this is said.", out)?;
    for state in NodeState::ALL {
        let count = found.nodes.iter().filter(|node| node.state == state).count();
        let metric = escaped(found.metric.name());
        writeln!(out, "{MACHINES}{{metric=\"{metric}\",state=\"{}\"}} {count}", state.word())?;
    }
    detectable(found, out)?;
    writeln!(out, "# EOF")
}

fn labels(found: &FleetFindings, node: &FleetNode, name: &str) -> String {
    let group = node.group.map_or(String::new(), |group| group.to_string());
    let metric = escaped(&visible(found.metric.name()));
    format!("node=\"{}\",group=\"{group}\",metric=\"{metric}\"", escaped(name))
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
            writeln!(out, "{DETECTABLE}{{group=\"{index}\"}} {ratio}")?;
        }
    }
    Ok(())
}
