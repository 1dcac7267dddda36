//! Reasons why a CPU fulfils a relation, in words.

use fauxplat_model::{GroupKind, MachinePart, Relation, Topology};
use fauxplat_units::Cpu;

use super::evaluate::Asked;
use super::parts;

/// Returns, as text, the properties of the CPU by which it fulfils the relation.
pub(super) fn why(asked: &Asked<'_>, cpu: Cpu) -> String {
    let mut reasons = Vec::new();
    collect(asked.relation, asked, cpu, &mut reasons);
    match reasons.is_empty() {
        true => "this process may use it".to_owned(),
        false => reasons.join(", "),
    }
}

fn collect(relation: &Relation, asked: &Asked<'_>, cpu: Cpu, reasons: &mut Vec<String>) {
    let topology = asked.topology;
    match relation {
        Relation::All | Relation::List(_) | Relation::Isolated => {}
        Relation::NohzFull => reasons.push("without a tick".to_owned()),
        Relation::PerformanceCores | Relation::EfficiencyCores => {
            reasons.extend(topology.kind_of(cpu).map(|kind| format!("{} core", kind.name)));
        }
        Relation::In(part, _) => {
            reasons.push(format!("in {}{}", parts::word(*part), number(*part, topology, cpu)))
        }
        Relation::To { other, same, cpu: to } => reasons.push(related(*other, *same, *to, topology, cpu)),
        Relation::OnePer(part) => reasons.push(format!("lowest CPU left in its {}", parts::word(*part))),
        Relation::Quietest(_) => reasons.push("loses the least time to other programs".to_owned()),
        Relation::Not(inner) => reasons.push(format!("not {inner}")),
        Relation::Every(factors) => factors.iter().for_each(|factor| collect(factor, asked, cpu, reasons)),
        Relation::Any(parts) => {
            parts
                .iter()
                .filter(|part| asked.holds(part, cpu))
                .for_each(|part| collect(part, asked, cpu, reasons));
        }
    }
}

/// A blank and the number of the part of this kind that contains the CPU, to follow the word for the part; empty where
/// there is no such part.
fn number(part: MachinePart, topology: &Topology, cpu: Cpu) -> String {
    parts::of(topology, part, cpu).map_or(String::new(), |(number, _)| format!(" {number}"))
}

fn related(
    other: Option<MachinePart>,
    same: Option<MachinePart>,
    to: Cpu,
    topology: &Topology,
    cpu: Cpu,
) -> String {
    let number =
        |part| parts::of(topology, part, cpu).map_or(String::new(), |(number, _)| format!(" {number}"));
    let shares = |part: MachinePart| format!("shares {}{} with CPU {to}", parts::word(part), number(part));
    match (other, same) {
        (Some(MachinePart::Cpu), Some(MachinePart::Group(GroupKind::Core))) => {
            format!("other thread of CPU {to}'s core")
        }
        (None, Some(MachinePart::Cpu)) => format!("CPU {to} itself"),
        (None, Some(same)) => shares(same),
        (Some(other), Some(same)) => {
            format!("in a different {} than CPU {to}, {}", parts::word(other), shares(same))
        }
        (Some(other), None) => format!("in a different {} than CPU {to}", parts::word(other)),
        (None, None) => String::new(),
    }
}
