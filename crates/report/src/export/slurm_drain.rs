//! Commands that take machines which are confirmed as slow out of a cluster. An administrator has to run them; fauxplat
//! does not.
//!
//! The lines are those of `scontrol update` of Slurm (scontrol(1), "SPECIFICATIONS FOR UPDATE COMMAND").

use std::io::Write;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{FleetFindings, FleetNode, NodeState};

use crate::words::visible;
use crate::{Format, ReportError};

/// Maximum length of a machine's name that is written: host names have at most 253 characters.
const NAME_MAX: usize = 253;

/// Writes a line for each machine that is confirmed as slow. If its name has special characters, the line is a comment,
/// since a shell could interpret the name.
pub(super) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let Findings::Fleet(found) = record.findings else {
        let reason = "it lists the confirmed machines of `fleet report`";
        return Err(ReportError::NothingToExport { format: Format::SlurmDrain.name(), reason });
    };
    let drained: Vec<&FleetNode> = found.nodes.iter().filter(|node| is_drained(node)).collect();
    writeln!(
        out,
        "# Machines that fauxplat confirmed as slower than machines like them: {}.",
        drained.len()
    )?;
    writeln!(
        out,
        "# Run {} of {}. Nothing has been changed yet: read this script, and run it if you agree.",
        visible(&found.fleet),
        visible(&found.command)
    )?;
    for node in drained {
        match is_plain_name(&node.node) {
            true => writeln!(
                out,
                "scontrol update NodeName={} State=DRAIN Reason=\"{}\"",
                node.node,
                reason(found, node)
            )?,
            false => writeln!(
                out,
                "# left out, since a shell would read more than a name in it: {}",
                visible(&node.node)
            )?,
        }
    }
    Ok(())
}

fn is_drained(node: &FleetNode) -> bool {
    node.state == NodeState::Confirmed
}

/// Whether a name has only letters, digits, dots, hyphens and underscores, and cannot be taken for an option.
fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= NAME_MAX && !name.starts_with(['-', '.']) && name.chars().all(plain)
}

/// The reason that Slurm shows for a drained machine, with only fauxplat's figures, so that no foreign text is within
/// the quotes.
fn reason(found: &FleetFindings, node: &FleetNode) -> String {
    let ratio = node.effect_ratio.unwrap_or(f64::NAN);
    let slower = if found.metric.more_is_better() { 1.0 - ratio } else { ratio - 1.0 };
    format!("fauxplat: {:.1} percent slower than its group in {} rounds", slower * 100.0, node.rounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_names() {
        for name in ["node7", "r1-n10.example.org", "a_b"] {
            assert!(is_plain_name(name), "{name}");
        }
        let long = "a".repeat(254);
        for name in [
            "",
            "-w",
            ".",
            "a b",
            "a;rm -rf /",
            "$(id)",
            "a\nb",
            "`id`",
            "nöde",
            "a\"",
            "a[1-9]",
            "a,b",
            &long,
        ] {
            assert!(!is_plain_name(name), "{name}");
        }
    }
}
