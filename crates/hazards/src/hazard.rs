//! The type of a hazard: a declaration, and a function that judges the files that were read.

use fauxplat_units::Cpu;

use crate::finding::{CpuHazard, HazardGroup, Severity};
use crate::tree::Missing;
use crate::view::View;

/// Whether a measurement by fauxplat suffers from the hazard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neutralised {
    /// The hazard affects measurements by fauxplat as well.
    No,
    /// The hazard affects measurements by fauxplat less than other measurements; the text says why.
    Partly(&'static str),
    /// The hazard does not affect measurements by fauxplat; the text says why.
    Yes(&'static str),
}

/// A property of a machine that may spoil a measurement.
///
/// The texts are printed by `doctor --explain`; none is empty.
#[derive(Clone, Copy)]
pub struct Hazard {
    /// Stable name in kebab case, an argument of `--fail-if` and `--explain`.
    pub name: &'static str,
    /// Title in a few words.
    pub title: &'static str,
    /// The group by which reports sort hazards.
    pub group: HazardGroup,
    /// Text for the user that names the files from which the hazard is read.
    pub reads: &'static str,
    /// The cost to a measurement, with the published or measured figure and its source; or a statement that there is no
    /// figure.
    pub cost: &'static str,
    /// The thresholds of the severities low, medium and high, with the reason for each.
    pub levels: &'static str,
    /// Why the hazard has no meaning in a virtual machine; `None` if it has a meaning there.
    pub in_vm: Option<&'static str>,
    /// Whether fauxplat itself makes the hazard harmless.
    pub neutralised: Neutralised,
    /// The argument of `fauxplat tune --set` that removes or reduces the hazard; `None` if there is none.
    pub knob: Option<&'static str>,
    pub advice: &'static str,
    /// The function that judges the hazard.
    pub(crate) judge: fn(&View<'_>) -> Verdict,
}

/// Result of [`Hazard::judge`]: a judgement, or the reason why there is none.
pub(crate) type Verdict = Result<Judged, Missing>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) severity: Severity,
    pub(crate) value: String,
    /// Why the hazard has no meaning on this machine, or the evidence for the value.
    pub(crate) reason: Option<String>,
    /// CPUs that have the hazard, worst first; empty if the hazard is none of single CPUs.
    pub(crate) cpus: Vec<CpuHazard>,
    /// The argument of `fauxplat tune --set` to recommend instead of [`Hazard::knob`].
    pub(crate) knob: Option<String>,
}

impl Judged {
    pub(crate) fn new(severity: Severity, value: impl Into<String>) -> Self {
        Judged { severity, value: value.into(), reason: None, cpus: Vec::new(), knob: None }
    }

    pub(crate) fn none(value: impl Into<String>) -> Self {
        Judged::new(Severity::None, value)
    }

    pub(crate) fn low(value: impl Into<String>) -> Self {
        Judged::new(Severity::Low, value)
    }

    pub(crate) fn medium(value: impl Into<String>) -> Self {
        Judged::new(Severity::Medium, value)
    }

    pub(crate) fn high(value: impl Into<String>) -> Self {
        Judged::new(Severity::High, value)
    }

    /// Creates a judgement for a hazard that cannot be present, since the machine lacks a feature that the hazard
    /// needs.
    pub(crate) fn not_applicable(value: impl Into<String>, reason: impl Into<String>) -> Self {
        Judged { reason: Some(reason.into()), ..Judged::new(Severity::NotApplicable, value) }
    }

    /// Creates a judgement with the given severity if the hazard is present, and `Severity::None` otherwise.
    pub(crate) fn either(is_there: bool, severity: Severity, value: impl Into<String>) -> Self {
        Judged::new(if is_there { severity } else { Severity::None }, value)
    }

    pub(crate) fn because(self, reason: impl Into<String>) -> Self {
        Judged { reason: Some(reason.into()), ..self }
    }

    pub(crate) fn by_knob(self, knob: String) -> Self {
        Judged { knob: Some(knob), ..self }
    }

    /// Adds the CPUs on which the hazard is present, worst first.
    pub(crate) fn on(self, cpus: impl IntoIterator<Item = (Cpu, Severity, String)>) -> Self {
        let present = cpus.into_iter().filter(|(_, severity, _)| severity.is_present());
        let mut cpus: Vec<CpuHazard> =
            present.map(|(cpu, severity, value)| CpuHazard { cpu, value, severity }).collect();
        cpus.sort_by_key(|found| (found.severity, found.cpu));
        Judged { cpus, ..self }
    }
}

/// Returns the severity of a number that is worse the larger it is; `low`, `medium` and `high` are the smallest numbers
/// of these severities.
pub(crate) fn grade(number: f64, low: f64, medium: f64, high: f64) -> Severity {
    match number {
        n if n >= high => Severity::High,
        n if n >= medium => Severity::Medium,
        n if n >= low => Severity::Low,
        _ => Severity::None,
    }
}

/// Formats a share as a percentage; a share above zero is never shown as zero.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p >= 9.95 || p <= 0.0 => format!("{p:.0} %"),
        p if p >= 0.1 => format!("{p:.1} %"),
        _ => "below 0.1 %".to_owned(),
    }
}

/// Formats a number of things, such as `1 CPU` or `2 CPUs`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_graded_from_their_thresholds_on() {
        let levels = [0.0, 1.0, 2.0, 3.0, f64::NAN].map(|number| grade(number, 1.0, 2.0, 3.0));
        use Severity::{High, Low, Medium, None};
        assert_eq!(levels, [None, Low, Medium, High, None]);
    }

    #[test]
    fn what_is_there_is_not_called_zero() {
        assert_eq!([0.0, 0.0001, 0.012, 0.5].map(percent), ["0 %", "below 0.1 %", "1.2 %", "50 %"]);
    }

    #[test]
    fn the_worst_cpu_comes_first_and_the_harmless_not_at_all() {
        let cpu = |number, severity| (Cpu(number), severity, String::new());
        let judged =
            Judged::low("x").on([cpu(0, Severity::Low), cpu(1, Severity::None), cpu(2, Severity::High)]);
        assert_eq!(judged.cpus.iter().map(|found| found.cpu.0).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn shares_are_told_in_as_many_digits_as_they_deserve() {
        for (share, told) in [
            (0.0, "0 %"),
            (1e-9, "below 0.1 %"),
            (0.000_999, "below 0.1 %"),
            (0.001, "0.1 %"),
            (0.0994, "9.9 %"),
            (0.0996, "10 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share), told, "{share}");
        }
    }

    #[test]
    fn nothing_happens_in_no_time() {
        assert_eq!((per_second(10, 2.0), per_second(10, 0.0), per_second(10, -1.0)), (5.0, 0.0, 0.0));
    }

    #[test]
    fn cpus_are_listed_where_it_is_there_the_worst_first() {
        use Severity::{High, Low, None};
        let found = [(4, Low), (2, High), (3, None), (0, Low), (1, High)];
        let judged = Judged::none("x").on(found.map(|(cpu, severity)| (Cpu(cpu), severity, "v".to_owned())));
        let order: Vec<(u32, Severity)> = judged.cpus.iter().map(|it| (it.cpu.0, it.severity)).collect();
        assert_eq!(order, [(1, High), (2, High), (0, Low), (4, Low)]);
        assert_eq!(Judged::either(false, High, "x").severity, None);
        assert_eq!(Judged::either(true, High, "x").because("y").reason.as_deref(), Some("y"));
    }
}
