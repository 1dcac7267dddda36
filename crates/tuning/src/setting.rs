//! Parses settings of the form `KNOB=VALUE`.

use crate::TuneError;
use crate::knob::Knob;
use crate::knobs;

#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// Name of the knob as given, including the number of a CPU.
    pub(crate) name: String,
    pub(crate) knob: &'static Knob,
    /// Number of the CPU in the name; `None` if the name has none.
    pub(crate) cpu: Option<String>,
    pub(crate) value: String,
    /// Whether the user named the knob directly, and not through a profile.
    pub(crate) by_name: bool,
}

impl Setting {
    /// # Errors
    /// Fails where there is no such knob, or where the value is invalid for it.
    pub(crate) fn parse(text: &str, by_name: bool) -> Result<Self, TuneError> {
        let bad = |reason: String| TuneError::BadSetting { setting: text.to_owned(), reason };
        let (name, value) = text.split_once('=').ok_or_else(|| bad("a setting is KNOB=VALUE".into()))?;
        let (name, value) = (name.trim(), value.trim());
        let (knob, cpu) = knobs::find(name).ok_or_else(|| TuneError::UnknownKnob(name.to_owned()))?;
        if cpu.is_some_and(|cpu| cpu.parse::<u32>().is_err()) {
            return Err(bad(format!("{} takes the number of a CPU", knob.name)));
        }
        match knob.objection(value) {
            Some(reason) => Err(bad(reason)),
            None => Ok(Setting {
                name: name.to_owned(),
                knob,
                cpu: cpu.map(str::to_owned),
                value: value.to_owned(),
                by_name,
            }),
        }
    }
}
