//! Findings about hazards: the state and the severity of each on one machine.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

/// How much a hazard can spoil in its present state, in the order in which reports show hazards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The hazard can reverse a verdict, or change a figure by several per cent.
    High,
    /// The hazard can change a figure by about one per cent, or widen its spread visibly.
    Medium,
    /// The hazard is present, but rarely visible in a figure.
    Low,
    /// The state could not be read, so that the severity is not known.
    Unknown,
    /// The state was read, and is harmless.
    None,
    /// The hazard cannot occur, or has no meaning, on this machine.
    NotApplicable,
}

impl Severity {
    pub const ALL: [Severity; 6] = [
        Severity::High,
        Severity::Medium,
        Severity::Low,
        Severity::Unknown,
        Severity::None,
        Severity::NotApplicable,
    ];

    /// The name of the severity in documents.
    pub fn name(self) -> &'static str {
        match self {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
            Severity::Unknown => "unknown",
            Severity::None => "none",
            Severity::NotApplicable => "not-applicable",
        }
    }

    pub fn is_present(self) -> bool {
        self <= Severity::Low
    }

    /// Whether the hazard was read and is harmless, or cannot be there.
    pub fn is_harmless(self) -> bool {
        matches!(self, Severity::None | Severity::NotApplicable)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Severity {
    type Err = String;

    /// Parses a severity that a gate may name: low, medium or high.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let levels = [Severity::Low, Severity::Medium, Severity::High];
        let unknown = || format!("`{text}` is not a level: low, medium or high");
        levels.into_iter().find(|level| level.name() == text).ok_or_else(unknown)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HazardGroup {
    Frequency,
    IdleStates,
    /// The CPUs, the parts that they share, and other programs on them.
    Cpus,
    Scheduling,
    Memory,
    Interrupts,
    Virtualisation,
    /// Build options and instrumentation of the kernel.
    Kernel,
    /// Resources and permissions of the fauxplat process.
    Limits,
    Background,
    Storage,
    /// State of the fauxplat process that a measured program inherits.
    Process,
}

impl HazardGroup {
    /// All groups, in the order in which documents list them.
    pub const ALL: [HazardGroup; 12] = [
        HazardGroup::Frequency,
        HazardGroup::IdleStates,
        HazardGroup::Cpus,
        HazardGroup::Scheduling,
        HazardGroup::Memory,
        HazardGroup::Interrupts,
        HazardGroup::Virtualisation,
        HazardGroup::Kernel,
        HazardGroup::Limits,
        HazardGroup::Background,
        HazardGroup::Storage,
        HazardGroup::Process,
    ];

    pub fn title(self) -> &'static str {
        match self {
            HazardGroup::Frequency => "frequency and heat",
            HazardGroup::IdleStates => "idle states",
            HazardGroup::Cpus => "CPUs and isolation",
            HazardGroup::Scheduling => "scheduling",
            HazardGroup::Memory => "memory",
            HazardGroup::Interrupts => "interrupts",
            HazardGroup::Virtualisation => "virtualisation",
            HazardGroup::Kernel => "kernel",
            HazardGroup::Limits => "limits and container",
            HazardGroup::Background => "background activity",
            HazardGroup::Storage => "storage",
            HazardGroup::Process => "this process",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuHazard {
    pub cpu: Cpu,
    pub value: String,
    pub severity: Severity,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HazardFinding {
    /// Stable name of the hazard in kebab case.
    pub name: String,
    /// Description of the hazard in a few words.
    pub title: String,
    pub group: HazardGroup,
    /// The state of the machine that was read, as text; `None` if none could be read.
    pub value: Option<String>,
    pub severity: Severity,
    /// Why the state could not be read, or why it has no meaning on this machine; `None` otherwise.
    pub reason: Option<String>,
    /// Effect of the hazard on a measurement, with the published or measured figure and its source.
    pub cost: String,
    /// Whether fauxplat itself protects its measurements from the hazard.
    pub neutralised_by_us: bool,
    /// How fauxplat protects its measurements from the hazard, wholly or in part; `None` if it does not.
    pub neutralised_how: Option<String>,
    /// Whether `fauxplat tune` can remove the hazard on this machine.
    pub can_tune: bool,
    /// The `fauxplat tune` command line that removes the hazard; `None` if there is none.
    pub tune: Option<String>,
    pub advice: String,
    /// The CPUs with the worst severity, if the severity differs between CPUs; otherwise empty.
    #[serde(default)]
    pub cpus: Vec<CpuHazard>,
}

/// The hazards of a machine, as one examination found them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examination {
    /// Every known hazard, the worst first.
    pub hazards: Vec<HazardFinding>,
    pub cpus: CpuSet,
    /// Nanoseconds between the two readings of all counters; zero if they were read once.
    pub interval_ns: u64,
    /// Duration of the whole examination in nanoseconds.
    pub elapsed_ns: u64,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn levels_of_gates_are_those_of_hazards_that_are_there() {
        for level in Severity::ALL {
            assert_eq!(level.name().parse::<Severity>().is_ok(), level.is_present(), "{level}");
        }
        assert!(Severity::High < Severity::Medium, "worst comes first");
        let message = "bad".parse::<Severity>().unwrap_err();
        assert!(message.contains("low, medium or high"), "{message}");
    }

    /// Lists of hazards are sorted by severity, and show the worst first.
    #[test]
    fn what_is_there_comes_before_what_is_not() {
        assert!(Severity::ALL.is_sorted());
        let present: Vec<bool> = Severity::ALL.iter().map(|severity| severity.is_present()).collect();
        assert_eq!(present, [true, true, true, false, false, false]);
        assert_eq!(format!("{:8}|", Severity::Low), "low     |", "tables pad it");
    }

    #[test]
    fn names_are_those_of_documents_and_titles_differ() {
        for level in Severity::ALL {
            assert_eq!(serde_json::to_value(level).unwrap(), level.name());
        }
        let titles: BTreeSet<&str> = HazardGroup::ALL.iter().map(|group| group.title()).collect();
        assert_eq!(titles.len(), HazardGroup::ALL.len());
    }
}
