//! The text format of Go's benchmarks, which benchstat compares.
//!
//! Grammar: <https://go.dev/design/14313-benchmark-format>. Only lines about the machine that stay the same from day to
//! day are written, since benchstat does not compare results that differ in such a line.

use std::io::Write;

use fauxplat_model::document::{Findings, Header, OwnFindings, Record};
use fauxplat_model::{Bound, Metric, Sample, Unit};

use super::{Timed, timed};
use crate::apart::distinct;
use crate::samples::{ByCommand, is_analysed};
use crate::words::visible;
use crate::{Format, ReportError, own};

/// Writes a line for every analysed run that has a reading of the wall time. A metric that was not measured is left out
/// of the line.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    if let Findings::Own(found) = record.findings {
        return write_readings(record.header, found, out);
    }
    let commands = timed(record, Format::GoBenchmark.name())?;
    let samples = ByCommand::new(record);
    // Go appends the same kind of number to repeated names.
    let names = commands.iter().map(|command| safe(&command.name));
    let names = distinct(names, |name, count| format!("{name}#{count:02}"));
    describe(record.header, out)?;
    for (command, name) in commands.iter().zip(&names) {
        runs(record, &samples, command).try_for_each(|run| line(name, (run, command), out))?;
    }
    Ok(())
}

/// Writes a line for every reading of a document whose type is private to a verb. The side of a comparison is a key of
/// the file: `benchstat -col side` compares the sides.
fn write_readings(header: &Header, found: &OwnFindings, out: &mut dyn Write) -> Result<(), ReportError> {
    let readings = own::readings(found).unwrap_or_default();
    if readings.is_empty() {
        let reason = "these findings have no single readings; take text, json, csv or markdown";
        return Err(ReportError::NothingToExport { format: Format::GoBenchmark.name(), reason });
    }
    describe(header, out)?;
    let mut side = "";
    for reading in readings {
        if reading.side != side {
            side = reading.side;
            writeln!(out, "side: {side}")?;
        }
        let unit = match reading.unit.as_str() {
            "ns" => "ns/op".to_owned(),
            other => visible(other).replace(char::is_whitespace, "_"),
        };
        writeln!(out, "Benchmark{} 1 {} {unit}", safe(&reading.benchmark), reading.value)?;
    }
    Ok(())
}

fn describe(header: &Header, out: &mut dyn Write) -> std::io::Result<()> {
    let machine = &header.machine;
    let architecture = match machine.architecture.as_str() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let keys = [
        ("goos", "linux"),
        ("goarch", architecture),
        ("cpu", &machine.cpu.model),
        ("kernel", &machine.kernel),
    ];
    keys.into_iter().try_for_each(|(key, value)| writeln!(out, "{key}: {}", visible(value).trim()))
}

fn runs<'a>(
    record: &Record<'a>,
    samples: &ByCommand<'a>,
    timed: &Timed<'a>,
) -> impl Iterator<Item = &'a Sample> {
    let command = &record.commands[timed.index];
    let counts = |run: &&Sample| is_analysed(run, command) && run.get(Metric::WALL).is_some();
    samples.of(timed.index).filter(counts)
}

/// Writes the line of a run as one iteration, with a unit for each figure. A metric with bounds among its readings is
/// omitted from all runs: the remaining readings would be a biased selection.
fn line(name: &str, (run, command): (&Sample, &Timed), out: &mut dyn Write) -> std::io::Result<()> {
    write!(out, "Benchmark{name} 1")?;
    let is_bounded = |metric: Metric| command.findings.bounded.iter().any(|it| it.metric == metric);
    for (metric, value) in run.readings.iter().filter(|(metric, _)| !is_bounded(*metric)) {
        let Some(value) = value else { continue };
        let is_partial = run.readings.told(metric).is_some_and(|told| told.bound == Bound::FirstThread);
        let word = format!("{}{}", metric.name(), if is_partial { "-first-thread" } else { "" });
        match metric.unit() {
            Unit::Nanos if metric == Metric::WALL => write!(out, " {value} ns/op"),
            Unit::Nanos => write!(out, " {value} {word}-ns/op"),
            Unit::Bytes => write!(out, " {value} {word}-bytes"),
            Unit::Count => write!(out, " {value} {word}/op"),
            Unit::Millionth => write!(out, " {} {word}", value as f64 / 1e6),
            Unit::MicroPerSecond => write!(out, " {} {word}/s", value as f64 / 1e6),
        }?;
    }
    out.write_all(b"\n")
}

/// A name in the form that the grammar allows: without blanks, and beginning with a capital letter. A slash would begin
/// the name of a part, and a number after a final hyphen would be taken for the number of CPUs.
fn safe(name: &str) -> String {
    let replaced = |c: char| if c.is_whitespace() || c == '/' { '_' } else { c };
    // Blanks become underscores; hidden or terminal-controlling characters are spelt out.
    let mut name = visible(&name.chars().map(replaced).collect::<String>());
    let number = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if number < name.len() && name[..number].ends_with('-') {
        name.replace_range(number - 1..number, "_");
    }
    let mut rest = name.chars();
    match rest.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            format!("{}{}", first.to_ascii_uppercase(), rest.as_str())
        }
        _ => format!("Run_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn names_keep_to_the_grammar() {
        let cases = [
            ("gzip", "Gzip"),
            ("gzip -9", "Gzip__9"),
            ("a-b-1x", "A-b-1x"),
            ("./a b\u{a0}c", "Run_._a_b_c"),
            ("-1", "Run__1"),
            ("7", "Run_7"),
            ("ßig", "Run_ßig"),
            ("a\u{1b}[31m\u{202e}b\nBenchmarkX 1 2 ns/op", "A\\u{1b}[31m\\u{202e}b_BenchmarkX_1_2_ns_op"),
        ];
        for (name, expected) in cases {
            assert_eq!(safe(name), expected);
        }
    }
}
