//! The text exposition of a live table for Prometheus and compatible collectors.
//!
//! The format is that of <https://prometheus.io/docs/specs/om/open_metrics_spec/>, version 1.0. A key with a name is a
//! separate family. Kind, unit and help come from the description by the table's creator; without one, a name that ends
//! in `_total` makes a counter and any other name a gauge. All keys without a name form one family. Types are written
//! for gauges too, and only types that the older text format has as well, because the text-file collector of the node
//! exporter reads the older format.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use fauxplat_model::document::{Findings, OwnFindings, Record};
use fauxplat_model::{CountersFindings, TableFindings, TableKey, TableKind, TableValue, WatchedProcess};

use crate::apart::distinct;
use crate::format::EXPOSED;
use crate::words::visible;
use crate::{Format, ReportError, own};

const UNNAMED: &str = "fauxplat_table_value";
/// Name of the family that states whether the table's creator still runs.
const ALIVE: &str = "fauxplat_table_creator_alive";
/// Name of the family that holds the counters of a process.
const COUNTED: &str = "fauxplat_counted";
/// Base units of the OpenMetrics specification. A family whose name ends in such a unit declares it.
const UNITS: [&str; 9] =
    ["seconds", "bytes", "ratio", "celsius", "meters", "joules", "volts", "amperes", "grams"];

struct Family<'a> {
    /// Name of the family in characters that the format allows, without `_total`, and with the unit at its end, as the
    /// specification requires.
    name: String,
    /// The key, and its name as the table or the user gave it; `None` for keys without a name.
    key: Option<(u64, &'a str)>,
    counter: bool,
    described: Option<&'a TableKey>,
    values: Vec<&'a TableValue>,
}

/// Writes the values of a live table, whether its creator is alive, and the end mark. Also writes the counts of a
/// process that was watched.
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

/// Writes the counts of a watched process, summed over all intervals. A counter that was never scheduled has no value.
fn counted(found: &WatchedProcess, out: &mut dyn Write) -> Result<(), ReportError> {
    head(COUNTED, "counter", "Counts of a process while it was watched; times in nanoseconds.", out)?;
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

/// Writes the figures of a verb whose findings have no type in the model of all verbs.
pub(super) fn gauges(found: &OwnFindings, out: &mut dyn Write) -> Result<(), ReportError> {
    let nothing = ReportError::NothingToExport { format: Format::OpenMetrics.name(), reason: EXPOSED };
    for family in own::gauges(found).filter(|all| !all.is_empty()).ok_or(nothing)? {
        head(family.name, "gauge", family.help, out)?;
        for (labels, value) in family.values.iter().filter(|(_, value)| value.is_finite()) {
            let label = |(name, value): &(&str, String)| format!("{name}=\"{}\"", escaped(&visible(value)));
            let labels = labels.iter().map(label).collect::<Vec<_>>().join(",");
            writeln!(out, "{}{{{labels}}} {value}", family.name)?;
        }
    }
    Ok(writeln!(out, "# EOF")?)
}

/// The label of each object of a live table: its name or its number. A number is appended to equal names, since a
/// collector drops the whole exposition if a series occurs twice.
fn objects(values: &[TableValue]) -> BTreeMap<u64, String> {
    let mut seen = BTreeSet::new();
    let each: Vec<&TableValue> = values.iter().filter(|value| seen.insert(value.object)).collect();
    let name = |value: &&TableValue| value.object_name.clone().unwrap_or_else(|| value.object.to_string());
    let names = distinct(each.iter().map(name), |name, count| format!("{name} ({count})"));
    each.iter().map(|value| value.object).zip(names).collect()
}

/// The values of a live table by the names of their keys; values of a family are adjacent, as the specification
/// requires. A collector drops the whole exposition if a name could be mistaken for a part of another, so the number of
/// the key is appended to a name that is taken.
fn families(found: &TableFindings) -> Vec<Family<'_>> {
    let mut by_key: BTreeMap<Option<(&str, u64)>, Vec<&TableValue>> = BTreeMap::new();
    for value in &found.values {
        by_key.entry(value.key_name.as_deref().map(|name| (name, value.key))).or_default().push(value);
    }
    let described = |key| found.keys.iter().find(|one| one.key == key);
    let mut taken: BTreeSet<String> = [ALIVE.to_owned(), UNNAMED.to_owned()].into();
    let mut families = Vec::new();
    for (key, values) in by_key {
        families.push(match key {
            None => Family { name: UNNAMED.to_owned(), key: None, counter: false, described: None, values },
            Some((name, key)) => {
                let mut family = Family::new((name, name, key), described(key), values);
                let mut numbered = format!("{}_key_{key}", name.strip_suffix("_total").unwrap_or(name));
                while !family.claims(&mut taken) {
                    family = Family::new((&numbered, name, key), described(key), family.values);
                    numbered.push('_');
                }
                family
            }
        });
    }
    families
}

/// Refuses a counter with a negative value, which the format does not permit.
fn check(families: &[Family<'_>]) -> Result<(), ReportError> {
    let is_below = |family: &&Family<'_>| family.counter && family.values.iter().any(|it| it.value < 0);
    let reason = "it is a counter, and one of its values is below zero";
    match families.iter().find(is_below) {
        Some(family) => Err(ReportError::NotAMetric { name: family.name.clone(), reason }),
        None => Ok(()),
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == ':'
}

fn is_name(name: &str) -> bool {
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// The name with an underscore for every character that metrics may not have: only letters, digits, `_` and `:` are
/// allowed, with no leading digit.
fn spelt(name: &str) -> String {
    let spelt = name.chars().map(|c| if is_letter(c) || c.is_ascii_digit() { c } else { '_' });
    let front = if name.starts_with(is_letter) { "" } else { "_" };
    format!("{front}{}", spelt.collect::<String>())
}

/// Whether a name ends in an underscore and this unit.
fn ends_with_unit(name: &str, unit: &str) -> bool {
    !unit.is_empty() && name.strip_suffix(unit).is_some_and(|stem| stem.ends_with('_'))
}

impl<'a> Family<'a> {
    /// Creates the family of a key under the given name; `own` is the key's original name.
    fn new(
        (name, own, key): (&str, &'a str, u64),
        described: Option<&'a TableKey>,
        values: Vec<&'a TableValue>,
    ) -> Self {
        let name = &spelt(name);
        let stem = name.strip_suffix("_total").filter(|stem| is_name(stem));
        let counter = described.map_or(own.ends_with("_total"), |key| key.kind == TableKind::Counter);
        let stem = stem.filter(|_| counter).unwrap_or(name);
        // A unit with characters that no name may have appears in the help only.
        let unit = described.map(|key| key.unit.as_str()).filter(|unit| is_name(unit));
        let name = match unit {
            Some(unit) if !ends_with_unit(stem, unit) => format!("{stem}_{unit}"),
            _ => stem.to_owned(),
        };
        Family { name, key: Some((key, own)), counter, described, values }
    }

    /// Adds the family's name and the names that a collector derives from it to `taken`; returns false and adds nothing
    /// if one of them is there already.
    fn claims(&self, taken: &mut BTreeSet<String>) -> bool {
        let suffixes: &[&str] = if self.counter { &["", "_total", "_created"] } else { &[""] };
        let names: Vec<String> = suffixes.iter().map(|suffix| format!("{}{suffix}", self.name)).collect();
        let is_free = names.iter().all(|name| !taken.contains(name));
        if is_free {
            taken.extend(names);
        }
        is_free
    }

    fn unit(&self) -> Option<&str> {
        let own = self.described.map(|key| key.unit.as_str());
        own.into_iter().chain(UNITS).find(|unit| ends_with_unit(&self.name, unit))
    }

    /// Help text of the family: the description of the key, and the key's original name if the family could not have
    /// that name.
    fn help(&self) -> String {
        let Some((key, own)) = self.key else {
            return "Values of a live table, by object and key.".to_owned();
        };
        let help = match self.described.map(|key| key.help.as_str()) {
            Some(help) if !help.is_empty() => visible(help),
            _ => "Values of a live table, by object.".to_owned(),
        };
        let is_own = spelt(own) == own && !self.name.ends_with(&format!("_key_{key}"));
        let called = if is_own { String::new() } else { format!(" (key {key}, named \"{}\")", visible(own)) };
        escaped(&format!("{help}{called}"))
    }

    fn write(&self, file: &str, objects: &BTreeMap<u64, String>, out: &mut dyn Write) -> std::io::Result<()> {
        let (kind, suffix) = if self.counter { ("counter", "_total") } else { ("gauge", "") };
        let named = self.key.is_some();
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

pub(super) fn head(name: &str, kind: &str, help: &str, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# TYPE {name} {kind}\n# HELP {name} {help}")
}

/// A label's value as the format has it: backslash, quote and line feed are escaped; all other characters are
/// unchanged.
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

    /// The exported lines of a table with one value, of key 3.
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
            "# TYPE jobs_total gauge\n# HELP jobs_total Values of a live table, by object.\n\
             jobs_total{file=\"f\",object=\"1\"} 5\n"
        );
        let counted = exposed("lag_seconds_total", TableKind::Counter, "seconds", "late");
        assert!(
            counted.starts_with("# TYPE lag_seconds counter\n") && counted.contains("\nlag_seconds_total{")
        );
    }

    /// Names of the families that are exported for these values, and the result of the check.
    fn named(values: &[TableValue]) -> (Vec<String>, Result<(), ReportError>) {
        let found = of(values, Vec::new());
        let families = families(&found);
        (families.iter().map(|family| family.name.clone()).collect(), check(&families))
    }

    #[test]
    fn every_name_is_spelt_as_the_format_has_it_and_none_is_taken_twice() {
        type Case<'a> = (&'a [(u64, &'a str)], &'a [&'a str]);
        let cases: [Case<'_>; 8] = [
            (&[(0, "a_total"), (1, "b")], &["a", "b"]),
            (&[(0, "requests per s")], &["requests_per_s"]),
            (&[(0, "requests per s"), (1, "requests_per_s")], &["requests_per_s", "requests_per_s_key_1"]),
            (&[(0, "9a"), (1, "")], &["_", "_9a"]),
            (&[(0, "Größe/é")], &["Gr__e__"]),
            (&[(0, "a"), (1, "a_total")], &["a", "a_key_1"]),
            (&[(0, "a"), (1, "a")], &["a", "a_key_1"]),
            (
                &[(0, ALIVE), (1, UNNAMED)],
                &["fauxplat_table_creator_alive_key_0", "fauxplat_table_value_key_1"],
            ),
        ];
        for (keys, expected) in cases {
            let values: Vec<_> = keys.iter().map(|&(key, name)| value(1, key, Some(name), 1)).collect();
            let (names, checked) = named(&values);
            assert_eq!(names, expected, "{keys:?}");
            assert!(checked.is_ok() && names.iter().all(|name| is_name(name)), "{keys:?}");
        }
        let said = named(&[value(1, 0, Some("a_total"), -1)]).1.unwrap_err().to_string();
        assert!(said.contains("below zero"), "{said}");
        let spaced = exposed("requests per s", TableKind::Gauge, "", "served");
        assert!(
            spaced.contains("HELP requests_per_s served (key 3, named \\\"requests per s\\\")"),
            "{spaced}"
        );
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(escaped("a\\b\"c\nd"), "a\\\\b\\\"c\\nd");
    }
}
