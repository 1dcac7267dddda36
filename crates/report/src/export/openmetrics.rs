//! The text exposition of a live table for Prometheus and its like.
//!
//! The format: <https://prometheus.io/docs/specs/om/open_metrics_spec/>, version 1.0. A key with a name is a family of
//! its own: of the kind, unit and help with which the table's creator described it, or else a counter if the name ends
//! in `_total` and a gauge otherwise. All keys without a name are one family. Types
//! are written for gauges too, and only types that the older text format has as well, because the text-file collector
//! of the node exporter reads that one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{CountersFindings, TableFindings, TableKey, TableKind, TableValue, WatchedProcess};

use super::distinct;
use crate::format::EXPOSED;
use crate::words::visible;
use crate::{Format, ReportError};

/// The family of keys without a name.
const UNNAMED: &str = "fauxplat_table_value";
/// Name of the family that tells whether the table's creator still runs.
const ALIVE: &str = "fauxplat_table_creator_alive";
/// Name of the family that holds the counters of a process.
const COUNTED: &str = "fauxplat_counted";
/// Base units of the specification: a family whose name ends in one has it as its unit.
const UNITS: [&str; 9] =
    ["seconds", "bytes", "ratio", "celsius", "meters", "joules", "volts", "amperes", "grams"];

/// The values of one name.
struct Family<'a> {
    /// The name without `_total`, and with the unit at its end, as the specification demands.
    name: String,
    counter: bool,
    described: Option<&'a TableKey>,
    values: Vec<&'a TableValue>,
}

/// Writes the values of a table and whether its creator lives, and the end mark.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = match record.findings {
        Findings::Table(found) => found,
        Findings::Counters(CountersFindings { watched: Some(watched), .. }) => return counted(watched, out),
        _ => {
            return Err(ReportError::NothingToExport { format: Format::OpenMetrics.name(), reason: EXPOSED });
        }
    };
    let families = families(found);
    check(&families)?;
    let file = escaped(&found.file);
    let objects = objects(&found.values);
    for family in &families {
        family.write(&file, &objects, out)?;
    }
    if let Some(is_alive) = found.creator_alive {
        head(ALIVE, "gauge", "Whether the process that created the table still runs.", out)?;
        writeln!(out, "{ALIVE}{{file=\"{file}\"}} {}", u8::from(is_alive))?;
    }
    Ok(writeln!(out, "# EOF")?)
}

/// Writes counts of a process, summed over all intervals; a counter that never had a turn has no value.
fn counted(found: &WatchedProcess, out: &mut dyn Write) -> Result<(), ReportError> {
    head(
        COUNTED,
        "counter",
        "What was counted of a process while it was watched; times in nanoseconds.",
        out,
    )?;
    let name = escaped(&visible(&found.name));
    for series in &found.series {
        let counts = series.counts.iter().flatten().copied();
        let Some(total) = counts.reduce(u64::saturating_add) else { continue };
        let counter = escaped(&visible(series.metric.name()));
        let pid = found.pid;
        writeln!(out, "{COUNTED}_total{{pid=\"{pid}\",process=\"{name}\",counter=\"{counter}\"}} {total}")?;
    }
    Ok(writeln!(out, "# EOF")?)
}

/// The label of each object: its name, or its number. Equal names get a number, since a collector drops the whole
/// exposition when a series occurs twice.
fn objects(values: &[TableValue]) -> BTreeMap<u64, String> {
    let mut seen = BTreeSet::new();
    let each: Vec<&TableValue> = values.iter().filter(|value| seen.insert(value.object)).collect();
    let name = |value: &&TableValue| value.object_name.clone().unwrap_or_else(|| value.object.to_string());
    let names = distinct(each.iter().map(name), |name, count| format!("{name} ({count})"));
    each.iter().map(|value| value.object).zip(names).collect()
}

/// The values by the name of their key; those of a family follow each other, as the specification demands.
fn families(found: &TableFindings) -> Vec<Family<'_>> {
    let mut by_name: BTreeMap<&str, Vec<&TableValue>> = BTreeMap::new();
    for value in &found.values {
        by_name.entry(value.key_name.as_deref().unwrap_or(UNNAMED)).or_default().push(value);
    }
    let described = |values: &[&TableValue]| {
        let key = values.first().filter(|value| value.key_name.is_some())?.key;
        found.keys.iter().find(|one| one.key == key)
    };
    let family = |(name, values): (&str, Vec<_>)| Family::new(name, described(&values), values);
    by_name.into_iter().map(family).collect()
}

/// Names that the format takes, none of which could be mistaken for a part of another, and counters from zero on.
fn check(families: &[Family<'_>]) -> Result<(), ReportError> {
    let refuse = |name: &str, reason| Err(ReportError::NotAMetric { name: visible(name), reason });
    let mut taken: BTreeSet<String> = [ALIVE.to_owned()].into();
    for family in families {
        if !is_name(&family.name) {
            return refuse(
                &family.name,
                "a metric's name has letters, digits, _ and :, and no digit in front",
            );
        }
        let suffixes: &[&str] = if family.counter { &["", "_total", "_created"] } else { &[""] };
        let fresh = suffixes.iter().all(|suffix| taken.insert(format!("{}{suffix}", family.name)));
        let key = family.values.first().map(|value| value.key);
        let is_one_key = family.is_unnamed() || family.values.iter().all(|value| Some(value.key) == key);
        if !fresh || !is_one_key {
            return refuse(&family.name, "it clashes with the name of another key");
        }
        if family.counter && family.values.iter().any(|value| value.value < 0) {
            return refuse(&family.name, "it is a counter, and one of its values is below zero");
        }
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == ':';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// Whether a name ends in a unit, behind an underscore.
fn ends_with_unit(name: &str, unit: &str) -> bool {
    !unit.is_empty() && name.strip_suffix(unit).is_some_and(|stem| stem.ends_with('_'))
}

impl<'a> Family<'a> {
    fn new(name: &str, described: Option<&'a TableKey>, values: Vec<&'a TableValue>) -> Self {
        let stem = name.strip_suffix("_total");
        let counter = described.map_or(stem.is_some(), |key| key.kind == TableKind::Counter);
        let stem = stem.filter(|_| counter).unwrap_or(name);
        // A unit that no name could end in is left to the help.
        let unit = described.map(|key| key.unit.as_str()).filter(|unit| is_name(unit));
        let name = match unit {
            Some(unit) if !ends_with_unit(stem, unit) => format!("{stem}_{unit}"),
            _ => stem.to_owned(),
        };
        Family { name, counter, described, values }
    }

    fn unit(&self) -> Option<&str> {
        let own = self.described.map(|key| key.unit.as_str());
        own.into_iter().chain(UNITS).find(|unit| ends_with_unit(&self.name, unit))
    }

    fn help(&self) -> String {
        match self.described.map(|key| key.help.as_str()) {
            Some(help) if !help.is_empty() => escaped(&visible(help)),
            _ if self.is_unnamed() => "Of a live table, by object and key.".to_owned(),
            _ => "Of a live table, by object.".to_owned(),
        }
    }

    /// Whether the family is that of keys without a name.
    fn is_unnamed(&self) -> bool {
        self.name == UNNAMED
    }

    fn write(&self, file: &str, objects: &BTreeMap<u64, String>, out: &mut dyn Write) -> std::io::Result<()> {
        let (kind, suffix) = if self.counter { ("counter", "_total") } else { ("gauge", "") };
        let named = !self.is_unnamed();
        head(&self.name, kind, &self.help(), out)?;
        if let Some(unit) = self.unit() {
            writeln!(out, "# UNIT {} {unit}", self.name)?;
        }
        for value in &self.values {
            let object = objects.get(&value.object).map_or_else(String::new, |name| escaped(name));
            let key = if named { String::new() } else { format!(",key=\"{}\"", value.key) };
            let name = &self.name;
            writeln!(out, "{name}{suffix}{{file=\"{file}\",object=\"{object}\"{key}}} {}", value.value)?;
        }
        Ok(())
    }
}

/// Type and help of a family.
pub(super) fn head(name: &str, kind: &str, help: &str, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# TYPE {name} {kind}\n# HELP {name} {help}")
}

/// A label's value: backslash, quote and line feed are escaped, and everything else is itself.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(object: u64, key: u64, name: Option<&str>, value: i64) -> TableValue {
        let key_name = name.map(str::to_owned);
        TableValue { object, object_name: None, key, key_name, value, rate_per_s: None }
    }

    fn of(values: &[TableValue], keys: Vec<TableKey>) -> TableFindings {
        TableFindings {
            file: "table".to_owned(),
            elapsed_ns: 0,
            value_bytes: 8,
            records: false,
            creator_pid: 1,
            creator_alive: None,
            followed: false,
            keys,
            values: values.to_vec(),
        }
    }

    /// The lines of a table with one value, of key 3.
    fn exposed(name: &str, kind: TableKind, unit: &str, help: &str) -> String {
        let name = name.to_owned();
        let values = [value(1, 3, Some(&name), 5)];
        let found = of(&values, vec![TableKey { key: 3, name, kind, unit: unit.into(), help: help.into() }]);
        let (objects, mut out) = (objects(&found.values), Vec::new());
        families(&found)[0].write("f", &objects, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_the_creator_says_decides() {
        assert_eq!(
            exposed("sent", TableKind::Counter, "bytes", "a \"b\" of\\c"),
            "# TYPE sent_bytes counter\n# HELP sent_bytes a \\\"b\\\" of\\\\c\n# UNIT sent_bytes bytes\n\
             sent_bytes_total{file=\"f\",object=\"1\"} 5\n"
        );
        assert_eq!(
            exposed("jobs_total", TableKind::Gauge, "jobs of all", ""),
            "# TYPE jobs_total gauge\n# HELP jobs_total Of a live table, by object.\n\
             jobs_total{file=\"f\",object=\"1\"} 5\n"
        );
        let counted = exposed("lag_seconds_total", TableKind::Counter, "seconds", "late");
        assert!(
            counted.starts_with("# TYPE lag_seconds counter\n") && counted.contains("\nlag_seconds_total{")
        );
    }

    fn complaint(values: &[TableValue]) -> String {
        check(&families(&of(values, Vec::new()))).err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn names_that_the_format_cannot_carry_are_refused() {
        assert_eq!(complaint(&[value(1, 0, Some("a_total"), 1), value(1, 1, Some("b"), -1)]), "");
        assert!(complaint(&[value(1, 0, Some("requests per s"), 1)]).contains("`requests per s`"));
        assert!(complaint(&[value(1, 0, Some("_total"), 1)]).contains("letters"));
        assert!(complaint(&[value(1, 0, Some("9a"), 1)]).contains("letters"));
        assert!(complaint(&[value(1, 0, Some("a_total"), -1)]).contains("below zero"));
        assert!(complaint(&[value(1, 0, Some("a"), 1), value(1, 1, Some("a_total"), 1)]).contains("clashes"));
        assert!(
            complaint(&[value(1, 0, Some("a_created"), 1), value(1, 1, Some("a_total"), 1)])
                .contains("clashes")
        );
        assert!(complaint(&[value(1, 0, Some(ALIVE), 1)]).contains("clashes"));
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(escaped("a\\b\"c\nd"), "a\\\\b\\\"c\\nd");
    }
}
