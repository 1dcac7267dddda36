//! Definition of a knob as data: its name, the files that may hold its setting, and the words for its values.

use serde::{Deserialize, Serialize};

use crate::Root;

/// Knobs that depend on each other. Groups are applied in this order and restored in the reverse order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Group {
    /// Settings of a process, or held by an open descriptor, which the journal never contains.
    Process,
    /// Frequency and its limits. A governor resets the settings that follow it in the table of knobs, so a restoration
    /// of this group also follows the order of the table. Under the governor `performance` the kernel refuses to change
    /// the energy preference.
    Frequency,
    Memory,
    /// The scheduler and its timers.
    Scheduler,
    Watchdogs,
    Interrupts,
    /// CPUs on which tasks may run: taken offline, or reserved for the command by a shield. This group is applied last
    /// and restored first, since it disturbs values that the other groups wrote.
    Tasks,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// The file contains the value alone.
    #[default]
    Plain,
    /// The file lists all possible values, with the present one in brackets: `always [madvise] never`.
    Choice,
    /// The file lists names; writing `+cpuset` adds a name, and `-cpuset` removes it.
    Controllers,
}

impl Form {
    /// Returns the value in the text of a file of this form.
    pub(crate) fn value(self, text: &str) -> String {
        let text = text.trim();
        match self {
            Form::Plain => text.to_owned(),
            Form::Choice => chosen(text).unwrap_or(text).to_owned(),
            Form::Controllers => {
                let on = text.split_whitespace().any(|name| name == "cpuset");
                if on { "+cpuset".to_owned() } else { "-cpuset".to_owned() }
            }
        }
    }
}

fn chosen(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0)
}

/// A set of files that may hold the setting of a knob. The first set of which a file exists on this machine is used.
#[derive(Debug)]
pub(crate) struct KnobLocation {
    /// Pattern of the paths, for `Root::glob`.
    pub(crate) pattern: &'static str,
    pub(crate) form: Form,
    /// Pairs of a word of the user and the value written for it; a word that is not listed is written unchanged.
    pub(crate) words: &'static [(&'static str, &'static str)],
}

impl KnobLocation {
    /// Returns the files of this machine that match the pattern, without those of frequency policies whose CPUs are all
    /// offline, which the kernel neither reads nor writes.
    pub(crate) fn files(&self, root: &Root) -> Vec<String> {
        let rests = |file: &String| {
            let cpus = beside(file, "affected_cpus");
            root.has(&cpus) && root.value(&cpus).is_none_or(|cpus| cpus.is_empty())
        };
        root.glob(self.pattern).into_iter().filter(|file| !rests(file)).collect()
    }
}

/// Returns the path of the file with this name in the same folder.
pub(crate) fn beside(file: &str, name: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/{name}")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// A word of this list.
    Words(&'static [&'static str]),
    /// A word of this list, or an integer within these bounds.
    Number(&'static [&'static str], i64, i64),
    /// A frequency in kilohertz, or the name of a neighbouring file with a frequency: `min`, `max`, `base`.
    Frequency,
    /// A word that the kernel driver of the hardware defines, such as the name of a frequency governor.
    Driver,
    /// CPUs to keep free, as in `away:2-3`.
    Away,
    /// A list of CPUs, as in `2-3`.
    Cpus,
}

/// A setting that belongs to a single process, or ends when a descriptor is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// `personality(ADDR_NO_RANDOMIZE)`.
    Aslr,
    /// `prctl(PR_SET_THP_DISABLE)`.
    HugePages,
    /// `prctl(PR_SET_TIMERSLACK)`.
    TimerSlack,
    /// A latency limit that lasts as long as `/dev/cpu_dma_latency` is open.
    DmaLatency,
}

impl Own {
    /// Returns the name of the system call or file by which the setting is made, for reports.
    pub(crate) fn call(self) -> &'static str {
        match self {
            Own::Aslr => "personality(2)",
            Own::HugePages => "prctl(PR_SET_THP_DISABLE)",
            Own::TimerSlack => "prctl(PR_SET_TIMERSLACK)",
            Own::DmaLatency => "/dev/cpu_dma_latency",
        }
    }
}

/// A knob: one setting of the machine or of a process.
#[derive(Debug)]
pub(crate) struct Knob {
    /// Name of the knob; a name that ends with a colon is a prefix, as `cpu:` is of `cpu:3`.
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    /// Purpose of the knob, for listings.
    pub(crate) purpose: &'static str,
    pub(crate) values: Values,
    /// Files that hold the setting; empty for settings of a process, and for knobs whose files other code finds, such
    /// as `shield`, `irq-affinity` and `cpu:`.
    pub(crate) places: &'static [KnobLocation],
    /// Setting of a single process with the same effect, and the value of the knob that has it; an empty text stands
    /// for all values.
    pub(crate) own: Option<(Own, &'static str)>,
}

impl Knob {
    pub(crate) fn values_in_words(&self) -> String {
        match self.values {
            Values::Words(words) => words.join(" | "),
            Values::Number(words, low, high) => {
                words.iter().map(|word| format!("{word} | ")).collect::<String>() + &format!("{low} … {high}")
            }
            Values::Frequency => "min | max | base | kHz".into(),
            Values::Driver => "a word of the driver".into(),
            Values::Away => "away:CPUS".into(),
            Values::Cpus => "CPUS".into(),
        }
    }

    /// Returns why a value is invalid for this knob; `None` if it is valid.
    pub(crate) fn objection(&self, value: &str) -> Option<String> {
        let number = |low: i64, high: i64| value.parse().is_ok_and(|number| (low..=high).contains(&number));
        let cpus = |list: &str| {
            list.parse::<fauxplat_units::CpuSet>().is_ok_and(|cpus: fauxplat_units::CpuSet| !cpus.is_empty())
        };
        let fits = match self.values {
            Values::Words(words) => words.contains(&value),
            Values::Number(words, low, high) => words.contains(&value) || number(low, high),
            Values::Frequency => ["min", "max", "base"].contains(&value) || number(1, 100_000_000),
            Values::Driver => {
                !value.is_empty()
                    && value.len() < 64
                    && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
            }
            Values::Away => value.strip_prefix("away:").is_some_and(cpus),
            Values::Cpus => cpus(value),
        };
        (!fits).then(|| format!("{} takes {}", self.name, self.values_in_words()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_finds_the_value_in_the_text() {
        assert_eq!(Form::Plain.value(" 12 \n"), "12");
        assert_eq!(Form::Choice.value("always [madvise] never\n"), "madvise");
        assert_eq!(Form::Choice.value("never"), "never");
        assert_eq!(Form::Choice.value("broken ["), "broken [");
        assert_eq!(Form::Controllers.value("cpu io cpuset memory\n"), "+cpuset");
        assert_eq!(Form::Controllers.value("\n"), "-cpuset");
    }
}
