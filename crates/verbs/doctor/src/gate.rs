//! Gates (`--fail-if`): the hazards that fail the verb.

use std::str::FromStr;

use fauxplat_hazards::{Examination, HazardFinding, Severity};

use crate::error::DoctorError;

/// A condition under which the verb fails: a given hazard, or any hazard, has at least a given severity.
#[derive(Debug)]
pub(crate) struct Gate {
    /// Name of the hazard; `None` for `any`.
    hazard: Option<&'static str>,
    level: Severity,
}

impl FromStr for Gate {
    type Err = DoctorError;

    fn from_str(text: &str) -> Result<Self, DoctorError> {
        let (name, level) = text.split_once('=').ok_or_else(|| DoctorError::NoGate(text.to_owned()))?;
        let hazard = match name {
            "any" => None,
            name => Some(fauxplat_hazards::find(name).map_err(DoctorError::GateOfUnknownHazard)?.name),
        };
        let level = level.parse().map_err(DoctorError::UnknownLevel)?;
        Ok(Gate { hazard, level })
    }
}

impl Gate {
    /// Whether the gate applies to a hazard. Hazards that fauxplat neutralises count only where the gate names them.
    fn is_about(&self, found: &HazardFinding) -> bool {
        self.hazard.map_or(!found.neutralised_by_us, |name| name == found.name)
    }

    /// The message of a gate that failed; `None` where the gate passes.
    pub(crate) fn failed(&self, examination: &Examination) -> Option<String> {
        let bad =
            examination.hazards.iter().filter(|found| self.is_about(found) && found.severity <= self.level);
        let told: Vec<String> = bad
            .map(|found| {
                let value = found.value.as_deref().unwrap_or("unknown");
                format!("{} is {} ({value})", found.name, found.severity)
            })
            .collect();
        let gate = format!("{}={}", self.hazard.unwrap_or("any"), self.level);
        (!told.is_empty()).then(|| format!("{gate}: {}", told.join(", ")))
    }

    /// The message about a gate that has no answer, because no hazard could be read that it is about; `None` otherwise.
    pub(crate) fn unanswered(&self, examination: &Examination) -> Option<String> {
        let asked = || examination.hazards.iter().filter(move |found| self.is_about(found));
        let first = asked().next().filter(|_| asked().all(is_unread))?;
        let (reason, name) = (first.reason.as_deref().unwrap_or("unknown"), self.hazard.unwrap_or("any"));
        Some(format!("--fail-if {name}={} cannot be answered: {reason}", self.level))
    }

    /// The warning of a gate about any hazard that passes, although some could not be read; `None` otherwise.
    pub(crate) fn doubt(&self, examination: &Examination) -> Option<String> {
        let asked = examination.hazards.iter().filter(|found| self.is_about(found));
        let unread = asked.filter(|found| is_unread(found)).count();
        let is_open = self.hazard.is_none() && unread > 0 && self.failed(examination).is_none();
        is_open.then(|| {
            format!(
                "--fail-if any={} passes for what could be read; hazards that could not be: {unread}",
                self.level
            )
        })
    }
}

fn is_unread(found: &HazardFinding) -> bool {
    found.severity == Severity::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hazards(levels: &[Severity]) -> Examination {
        let hazard = |(name, severity): (&str, &Severity)| HazardFinding {
            name: name.to_owned(),
            title: String::new(),
            group: fauxplat_hazards::HazardGroup::Kernel,
            value: None,
            severity: *severity,
            reason: Some("/x is not there".to_owned()),
            cost: String::new(),
            neutralised_by_us: false,
            neutralised_how: None,
            can_tune: false,
            tune: None,
            advice: String::new(),
            cpus: Vec::new(),
        };
        let hazards = ["load", "smt"].into_iter().zip(levels).map(hazard).collect();
        Examination { hazards, ..Examination::default() }
    }

    /// A gate passes only for what was read, as a gate of a fleet does.
    #[test]
    fn a_gate_without_anything_read_has_no_answer() {
        use Severity::{High, None as Harmless, NotApplicable, Unknown};
        let told = |gate: &str, levels: &[Severity]| {
            let (gate, found) = (gate.parse::<Gate>().unwrap(), hazards(levels));
            (gate.failed(&found).is_some(), gate.unanswered(&found), gate.doubt(&found).is_some())
        };
        let open = |gate: &str| Some(format!("--fail-if {gate} cannot be answered: /x is not there"));
        assert_eq!(told("load=low", &[Unknown, Harmless]), (false, open("load=low"), false));
        assert_eq!(told("load=low", &[Harmless, Unknown]), (false, None, false));
        assert_eq!(told("load=low", &[NotApplicable, Unknown]), (false, None, false));
        assert_eq!(told("any=high", &[Unknown, Harmless]), (false, None, true));
        assert_eq!(told("any=high", &[High, Unknown]), (true, None, false));
        assert_eq!(told("any=high", &[Unknown, Unknown]), (false, open("any=high"), true));
    }
}
