//! Relations: CPUs named by their relation to each other, such as `sibling-of:3`, `one-per-core&node:0`, `!isolated`.
//!
//! A relation is resolved to a set of CPUs when the machine is known. The grammar, from the loosest binding on:
//!
//! ```text
//! relation = all-of { "|" all-of }          CPUs of any of them
//! all-of   = factor { "&" factor }          CPUs of all of them
//! factor   = "!" factor | "(" relation ")" | word | list
//! list     = 0-3,8                          these CPUs
//! word     = all | isolated | nohz-full | p-cores | e-cores
//!          | sibling-of:CPU                 the other threads of its core
//!          | same-PART:CPU                  all that share the part with it, itself among them
//!          | other-PART:CPU                 all in another part
//!          | other-PART-same-PART:CPU       in another part of the first kind, and in the same of the second
//!          | PART:LIST                      in the parts with these numbers
//!          | one-per-PART                   the lowest CPU of each part
//!          | quietest:COUNT                 those that lose the least time to others
//! PART     = cpu | core | cluster | l1 | l2 | l3 | l4 | die | package | book | drawer | node | kind
//! ```
//!
//! `one-per-…` and `quietest` choose among the CPUs that satisfy the other factors of the same `&`, whatever their
//! order: `one-per-core&!isolated` gives one non-isolated CPU of every core that has one.

mod parser;

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Cpu, CpuSet};

use crate::GroupKind;

/// A kind of part of the machine that CPUs can share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MachinePart {
    /// The logical CPU itself.
    Cpu,
    /// A group of CPUs in the topology, such as a core or a package.
    Group(GroupKind),
    /// The data or unified cache of this level.
    Cache(u32),
    /// A NUMA node.
    Node,
    /// A kind of CPUs, on hybrid machines.
    Kind,
}

impl fmt::Display for MachinePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachinePart::Cpu => f.write_str("cpu"),
            MachinePart::Group(level) => level.fmt(f),
            MachinePart::Cache(level) => write!(f, "l{level}"),
            MachinePart::Node => f.write_str("node"),
            MachinePart::Kind => f.write_str("kind"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// All CPUs that fauxplat may use.
    All,
    /// CPUs that the kernel keeps free of tasks that were not placed there (`isolcpus`).
    Isolated,
    /// CPUs without a timer tick while one task runs (`nohz_full`).
    NohzFull,
    /// CPUs of the fastest kind of a hybrid machine.
    PerformanceCores,
    /// CPUs of all kinds but the fastest of a hybrid machine.
    EfficiencyCores,
    /// The CPUs of a list.
    List(CpuSet),
    /// CPUs in the parts of this kind with these numbers.
    In(MachinePart, CpuSet),
    /// CPUs that share one part with `cpu`, are in another part than `cpu`, or both. At least one of `other` and `same`
    /// is given.
    To {
        /// The kind of part that must be different.
        other: Option<MachinePart>,
        /// The kind of part that must be shared.
        same: Option<MachinePart>,
        cpu: Cpu,
    },
    /// The lowest CPU of each part of this kind.
    OnePer(MachinePart),
    /// The given number of CPUs that lose the least time to other programs.
    Quietest(usize),
    Not(Box<Relation>),
    Every(Vec<Relation>),
    Any(Vec<Relation>),
}

impl Relation {
    /// Whether the resolved CPUs depend on the machine's current activity.
    pub fn asks_for_activity(&self) -> bool {
        match self {
            Relation::Quietest(_) => true,
            Relation::Not(inner) => inner.asks_for_activity(),
            Relation::Every(parts) | Relation::Any(parts) => parts.iter().any(Relation::asks_for_activity),
            _ => false,
        }
    }

    /// Whether the relation selects among CPUs instead of testing each CPU by itself.
    pub fn is_choice(&self) -> bool {
        matches!(self, Relation::OnePer(_) | Relation::Quietest(_))
    }
}

impl FromStr for Relation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parser::parse(text)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relation::All => f.write_str("all"),
            Relation::Isolated => f.write_str("isolated"),
            Relation::NohzFull => f.write_str("nohz-full"),
            Relation::PerformanceCores => f.write_str("p-cores"),
            Relation::EfficiencyCores => f.write_str("e-cores"),
            Relation::List(cpus) => cpus.fmt(f),
            Relation::In(part, numbers) => write!(f, "{part}:{numbers}"),
            Relation::To { other, same, cpu } => to(f, *other, *same, *cpu),
            Relation::OnePer(part) => write!(f, "one-per-{part}"),
            Relation::Quietest(count) => write!(f, "quietest:{count}"),
            Relation::Not(inner) => write!(f, "!{}", Bound(inner)),
            Relation::Every(parts) => joined(f, parts, "&"),
            Relation::Any(parts) => joined(f, parts, "|"),
        }
    }
}

fn to(
    f: &mut fmt::Formatter<'_>,
    other: Option<MachinePart>,
    same: Option<MachinePart>,
    cpu: Cpu,
) -> fmt::Result {
    match (other, same) {
        (Some(MachinePart::Cpu), Some(MachinePart::Group(GroupKind::Core))) => write!(f, "sibling-of:{cpu}"),
        (Some(other), Some(same)) => write!(f, "other-{other}-same-{same}:{cpu}"),
        (Some(other), None) => write!(f, "other-{other}:{cpu}"),
        (None, Some(same)) => write!(f, "same-{same}:{cpu}"),
        (None, None) => f.write_str("all"),
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Relation], sign: &str) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        write!(f, "{}{}", if place > 0 { sign } else { "" }, Bound(part))?;
    }
    Ok(())
}

/// An operand of `&`, `|` or `!` to be formatted, in parentheses if precedence requires them.
struct Bound<'r>(&'r Relation);

impl fmt::Display for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Relation::Every(_) | Relation::Any(_) => write!(f, "({})", self.0),
            plain => plain.fmt(f),
        }
    }
}

crate::text::as_text!(Relation);
