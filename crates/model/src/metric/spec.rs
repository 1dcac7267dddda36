//! Specifications of metrics: id, names, unit, whether more or less is better, coverage.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The unit in which a metric is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    Nanos,
    Bytes,
    Count,
    /// Millionths of an event per second: integers with enough resolution for one event per hour.
    MicroPerSecond,
    /// Millionths of a joule, or of the unit in which a program prints a number: integers with six decimal places.
    Millionth,
}

impl Unit {
    /// Suffix of field names in documents, such as `_ns`; empty for a number of events.
    pub const fn suffix(self) -> &'static str {
        match self {
            Unit::Nanos => "_ns",
            Unit::Bytes => "_bytes",
            Unit::Count => "",
            Unit::MicroPerSecond => "_micro_per_s",
            Unit::Millionth => "_millionths",
        }
    }
}

/// Whether more or less of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better, as for time, memory and most events.
    Less,
    /// More is better, as for a rate.
    More,
}

/// The processes, or the machine, that a reading covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// The whole process tree of the run, unless [`crate::Sources`] says less.
    Tree,
    /// The whole machine during the run.
    Machine,
    /// A number that the program, or another program beside it, publishes about itself.
    Published,
    /// Not known, since only the id of the metric is known.
    Unknown,
}

/// The unique name of a metric: a bare word (`wall`) for a built-in metric, `source:name` (`table:requests`) for every
/// other metric, so that different sources can use the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MetricId(Cow<'static, str>);

impl MetricId {
    /// Greatest length of an id in bytes, which is bounded because ids also come from documents and are never freed.
    pub const MAX_BYTES: usize = 200;

    pub(super) const fn built_in(word: &'static str) -> Self {
        MetricId(Cow::Borrowed(word))
    }

    /// The id of an open metric. The source is lower-case letters, digits, `.`, `-` and `_`; the name is anything
    /// printable without spaces.
    ///
    /// # Errors
    /// Returns [`MetricError::BadId`] if a part has another form or the id is too long.
    pub fn open(source: &str, name: &str) -> Result<Self, MetricError> {
        let id = format!("{source}:{name}");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
        let well_formed = source.starts_with(|c: char| c.is_ascii_lowercase())
            && source.chars().all(plain)
            && !name.is_empty()
            && !name.chars().any(|c| c.is_whitespace() || c.is_control())
            && id.len() <= Self::MAX_BYTES;
        match well_formed {
            true => Ok(MetricId(Cow::Owned(id))),
            false => Err(MetricError::BadId { id }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part of the id before the colon; `None` for a built-in metric.
    pub fn source(&self) -> Option<&str> {
        self.0.split_once(':').map(|(source, _)| source)
    }

    /// The part of the id after the colon, or the bare word.
    pub fn name(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(_, name)| name)
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<MetricId> for String {
    fn from(id: MetricId) -> Self {
        id.0.into_owned()
    }
}

impl TryFrom<String> for MetricId {
    type Error = MetricError;

    fn try_from(id: String) -> Result<Self, MetricError> {
        match id.split_once(':') {
            Some((source, name)) => MetricId::open(source, name),
            // Whether a bare word is a built-in metric is checked when it is looked up.
            None if !id.is_empty() && id.bytes().all(is_of_bare_word) => Ok(MetricId(Cow::Owned(id))),
            None => Err(MetricError::BadId { id }),
        }
    }
}

/// Whether a byte may occur in a bare word, which consists of lower-case letters and hyphens.
fn is_of_bare_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'-'
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricSpec {
    /// The id, which is also the word on the command line: `peak-memory`, `table:requests`.
    pub id: MetricId,
    /// The field name in documents, which ends with the unit: `peak_memory_bytes`, `table:requests_micro_per_s`.
    pub field: Cow<'static, str>,
    /// Name of the metric in reports, such as `peak memory`.
    pub title: Cow<'static, str>,
    pub unit: Unit,
    pub better: Better,
    /// Where readings come from: a system call, a kernel file, a table. If that depends on the machine, it is in
    /// [`crate::Sources`].
    pub source: Cow<'static, str>,
    pub coverage: Coverage,
}

impl MetricSpec {
    /// Specification of a metric that is not built in, with defaults: less is better, the id is the title, id and unit
    /// form the field, the id's source is the source, and the coverage is unknown.
    pub fn open(id: MetricId, unit: Unit) -> Self {
        let text = id.as_str().to_owned();
        MetricSpec {
            field: format!("{text}{}", unit.suffix()).into(),
            source: id.source().unwrap_or_default().to_owned().into(),
            title: text.into(),
            id,
            unit,
            better: Better::Less,
            coverage: Coverage::Unknown,
        }
    }

    /// Specification of the rate of a counter that is published under this name; see [`crate::TableSource`].
    ///
    /// # Errors
    /// Returns [`MetricError::BadId`] if the name has spaces or is too long.
    pub fn of_table(name: &str) -> Result<Self, MetricError> {
        let open = MetricSpec::open(MetricId::open("table", name)?, Unit::MicroPerSecond);
        Ok(MetricSpec {
            title: format!("rate of {name}").into(),
            better: Better::More,
            source: "live table".into(),
            coverage: Coverage::Published,
            ..open
        })
    }

    /// Names of the resources for which the kernel reports pressure.
    pub const PRESSURES: [&'static str; 3] = ["cpu", "memory", "io"];

    /// Specification of the time in which any task on the machine waited for a resource.
    fn of_pressure(id: MetricId) -> Self {
        let title = format!("wait of any task for {}", id.name());
        let source = format!("/proc/pressure/{}", id.name());
        let open = MetricSpec::open(id, Unit::Nanos);
        MetricSpec { title: title.into(), source: source.into(), coverage: Coverage::Machine, ..open }
    }

    /// Specification of the time for which a CPU quota kept the run off its CPUs.
    fn of_throttling(id: MetricId) -> Self {
        let open = MetricSpec::open(id, Unit::Nanos);
        let title = "stopped by CPU quota".into();
        MetricSpec { title, source: "cpu.stat of control groups".into(), coverage: Coverage::Tree, ..open }
    }

    /// Specification of the energy of a part of the machine (a powercap zone), in millionths of a joule.
    fn of_energy(id: MetricId) -> Self {
        let title = format!("energy of {}, whole machine (J)", id.name());
        let open = MetricSpec::open(id, Unit::Millionth);
        MetricSpec { title: title.into(), source: "powercap".into(), coverage: Coverage::Machine, ..open }
    }

    /// Specification of a reading within a region that is marked in programs: `wall`, `calls`, or the name of a
    /// counter.
    ///
    /// # Errors
    /// Returns [`MetricError::BadId`] if the region's name is invalid or too long.
    pub fn of_region(region: &str, name: &str) -> Result<Self, MetricError> {
        let unit = if name == "wall" { Unit::Nanos } else { Unit::Count };
        let part = MetricSpec::of_part(&format!("{}{region}", Self::REGION), region, name, unit)?;
        Ok(MetricSpec { source: "marks in the program".into(), coverage: Coverage::Published, ..part })
    }

    pub const REGION: &'static str = "region.";

    /// Specification of a reading over the time in which a program had counting enabled: `wall`, `times`, or the name
    /// of a counter.
    ///
    /// # Errors
    /// Returns [`MetricError::BadId`] if the name is too long.
    pub fn of_control(name: &str) -> Result<Self, MetricError> {
        let unit = if name == "wall" { Unit::Nanos } else { Unit::Count };
        let part = MetricSpec::of_part(Self::CONTROL, "enabled", name, unit)?;
        Ok(MetricSpec { source: "commands of the program".into(), coverage: Coverage::Tree, ..part })
    }

    pub const CONTROL: &'static str = "control";

    /// Specification of a metric of a part of the run. Its title begins with the name of the part and a colon.
    fn of_part(source: &str, part: &str, name: &str, unit: Unit) -> Result<Self, MetricError> {
        let shown = if name == "wall" { "wall time" } else { name };
        let open = MetricSpec::open(MetricId::open(source, name)?, unit);
        Ok(MetricSpec { title: format!("{part}: {shown}").into(), ..open })
    }

    /// Specification of this metric within a region that is marked in programs.
    ///
    /// # Errors
    /// Fails as [`MetricSpec::of_region`].
    pub fn within(&self, region: &str) -> Result<Self, MetricError> {
        Ok(self.as_part(MetricSpec::of_region(region, self.id.name())?))
    }

    /// Specification of this metric over the time in which a program had counting enabled.
    ///
    /// # Errors
    /// Fails as [`MetricSpec::of_control`].
    pub fn while_enabled(&self) -> Result<Self, MetricError> {
        Ok(self.as_part(MetricSpec::of_control(self.id.name())?))
    }

    /// Restricts the specification to a part of the run. The title begins with the name of the part.
    fn as_part(&self, part: MetricSpec) -> Self {
        let of = part.title.split_once(": ").map_or("", |(of, _)| of);
        MetricSpec {
            title: format!("{of}: {}", self.title).into(),
            field: format!("{}{}", part.id.as_str(), self.unit.suffix()).into(),
            unit: self.unit,
            ..part
        }
    }

    /// The specification that an id alone suggests: metrics of a live table are rates, most others are counts.
    pub(super) fn guess(id: MetricId) -> Result<Self, MetricError> {
        match id.source() {
            Some("pressure") if Self::PRESSURES.contains(&id.name()) => Ok(MetricSpec::of_pressure(id)),
            Some("cgroup") if id.name() == "throttled" => Ok(MetricSpec::of_throttling(id)),
            Some("energy") => Ok(MetricSpec::of_energy(id)),
            Some("table") => MetricSpec::of_table(id.name()),
            Some("printed") => Ok(MetricSpec::open(id, Unit::Millionth)),
            Some(Self::CONTROL) => MetricSpec::of_control(id.name()),
            Some(source) if source.starts_with(Self::REGION) => {
                MetricSpec::of_region(&source[Self::REGION.len()..], id.name())
            }
            _ => Ok(MetricSpec::open(id, Unit::Count)),
        }
    }
}

/// Checks that a name is valid for a region.
///
/// # Errors
/// Returns the requirements of a name.
pub fn check_region(name: &str) -> Result<(), &'static str> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_one = (1..=63).contains(&name.len())
        && name.bytes().all(|byte| is_plain(byte) || b"._-".contains(&byte))
        && name.bytes().next().is_some_and(is_plain);
    match is_one {
        true => Ok(()),
        false => {
            Err("a region has a name of 1 to 63 of a-z 0-9 . _ -, of which the first is a letter or a digit")
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricError {
    /// The id is neither built in nor of the form `source:name`.
    BadId {
        id: String,
    },
    /// A text of the specification is longer than `TEXT_MAX` bytes.
    TooLong {
        id: String,
    },
    /// The id or the field is that of a built-in metric.
    BuiltIn {
        id: String,
    },
    TooMany {
        id: String,
    },
}

impl fmt::Display for MetricError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetricError::BadId { id } => write!(
                f,
                "`{id}` is not a metric: give one that is built in, such as `wall`, or SOURCE:NAME without spaces and with \
                 at most {} bytes, such as `table:requests`",
                MetricId::MAX_BYTES
            ),
            MetricError::TooLong { id } => {
                write!(
                    f,
                    "the metric `{id}` has a title, field or source of more than {} bytes",
                    super::TEXT_MAX
                )
            }
            MetricError::BuiltIn { id } => {
                write!(f, "the metric `{id}` has the name or the field of a built-in one")
            }
            MetricError::TooMany { id } => write!(
                f,
                "the metric `{id}` is one too many: a process holds at most {} beside those that are built in",
                super::OPEN_MAX
            ),
        }
    }
}

impl std::error::Error for MetricError {}
