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

    /// The message about a gate that passes because the severity of its hazard could not be read; `None` otherwise.
    pub(crate) fn doubt(&self, examination: &Examination) -> Option<String> {
        let name = self.hazard?;
        let found = examination.hazards.iter().find(|found| found.name == name)?;
        let reason = found.reason.as_deref().unwrap_or("unknown");
        (found.severity == Severity::Unknown)
            .then(|| format!("--fail-if {name}={} cannot be answered: {reason}", self.level))
    }
}
