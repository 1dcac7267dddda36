//! What on the machine may spoil a measurement.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Cpu, CpuSet};
use serde::{Deserialize, Serialize};

/// How much a hazard can spoil, as it stands now; in the order in which reports show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It can turn a verdict around, or move a figure by several per cent.
    High,
    /// It can move a figure by about one per cent, or widen its spread visibly.
    Medium,
    /// It is there, and rarely shows in a figure.
    Low,
    /// It could not be read, so that nobody knows.
    Unknown,
    /// It was read and is harmless as it stands.
    None,
    /// This machine cannot have it, or it means nothing here.
    NotApplicable,
}

impl Severity {
    /// All, worst first.
    pub const ALL: [Severity; 6] = [
        Severity::High,
        Severity::Medium,
        Severity::Low,
        Severity::Unknown,
        Severity::None,
        Severity::NotApplicable,
    ];

    /// The word in documents.
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

    /// Whether the hazard is there at all: low, medium or high.
    pub fn is_present(self) -> bool {
        self <= Severity::Low
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Severity {
    type Err = String;

    /// Reads a level that a gate can ask for.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let levels = [Severity::Low, Severity::Medium, Severity::High];
        let unknown = || format!("`{text}` is not a level: low, medium or high");
        levels.into_iter().find(|level| level.name() == text).ok_or_else(unknown)
    }
}

/// What a hazard is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HazardGroup {
    /// How fast the CPUs run.
    Frequency,
    /// How deep they sleep.
    IdleStates,
    /// Which CPUs there are, what they share, who else may use them.
    Cpus,
    /// How the kernel divides time.
    Scheduling,
    /// How it gives out memory.
    Memory,
    /// What interrupts a program.
    Interrupts,
    /// What the host does behind the guest's back.
    Virtualisation,
    /// How the kernel was built and what it watches.
    Kernel,
    /// What this process may use and change.
    Limits,
    /// What else is running.
    Background,
    /// Disks and what waits to be written.
    Storage,
    /// What a measured program inherits.
    Process,
}

impl HazardGroup {
    /// All, in the order of the documents.
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

    /// What reports call it.
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

/// The same hazard on one CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuHazard {
    /// The CPU.
    pub cpu: Cpu,
    /// What was read there.
    pub value: String,
    /// How bad it is there.
    pub severity: Severity,
}

/// One hazard, as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HazardFinding {
    /// Stable name in kebab case.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// What it is about.
    pub group: HazardGroup,
    /// What was read; absent when nothing could be.
    pub value: Option<String>,
    /// How much it can spoil.
    pub severity: Severity,
    /// Why it could not be read, or why it means nothing here.
    pub reason: Option<String>,
    /// What it costs, with the published or measured figure and its source.
    pub cost: String,
    /// Whether a measurement by fauxplat does not suffer from it.
    pub neutralised_by_us: bool,
    /// How fauxplat neutralises it, wholly or in part.
    pub neutralised_how: Option<String>,
    /// Whether `fauxplat tune` can change it on this machine.
    pub can_tune: bool,
    /// The command line that does.
    pub tune: Option<String>,
    /// What the user can do.
    pub advice: String,
    /// The CPUs on which it is worst, where it differs from CPU to CPU.
    #[serde(default)]
    pub cpus: Vec<CpuHazard>,
}

/// What an examination of the machine found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorFindings {
    /// Every hazard that is known, worst first.
    pub hazards: Vec<HazardFinding>,
    /// CPUs that were looked at.
    pub cpus: CpuSet,
    /// Time between the two readings of everything that counts; zero when there was one reading alone.
    pub interval_ns: u64,
    /// Time that the whole examination took.
    pub elapsed_ns: u64,
    /// Whether reports for people list what is harmless too; documents for programs always have all.
    #[serde(skip)]
    pub show_all: bool,
}

#[cfg(test)]
mod tests {
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
}
