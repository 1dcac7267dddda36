//! Folded stacks: a line for each, its functions between semicolons and its samples behind a blank, as
//! `stackcollapse.pl` of <https://github.com/brendangregg/FlameGraph> writes them. Of two profiles it is what its
//! `difffolded.pl` writes, with both counts.

use std::collections::BTreeMap;
use std::io::Write;

use fauxplat_model::ProfileFindings;
use fauxplat_model::document::Record;

use super::profiles::found;
use crate::calls::{self, Way, ways};
use crate::words::visible;
use crate::{Format, ReportError};

/// Writes the stacks in the order of their names, so that equal profiles are equal files.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let format = Format::Folded.name();
    let found = found(record, format)?;
    if found.profiles.len() > 2 {
        let reason = "a line holds the samples of two profiles at most; profile two, or take speedscope, firefox or pprof";
        return Err(ReportError::NothingToExport { format, reason });
    }
    let mut lines: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for way in ways(found) {
        let counts = lines.entry(line(found, &way)).or_insert_with(|| vec![0; found.profiles.len()]);
        for (profile, count) in counts.iter_mut().enumerate() {
            *count += way.samples(profile);
        }
    }
    for (line, counts) in lines.iter().filter(|(_, counts)| counts.iter().any(|&count| count > 0)) {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        writeln!(out, "{line} {}", counts.join(" "))?;
    }
    Ok(())
}

fn line(found: &ProfileFindings, way: &Way) -> String {
    let process = Some(way.process).filter(|name| !name.is_empty());
    let above = process.into_iter().chain(way.mark);
    let code = calls::frames(found, way.frames).map(|(_, frame)| frame.name.as_str());
    above.chain(code).map(step).collect::<Vec<_>>().join(";")
}

/// A name that neither ends the step nor the line.
fn step(name: &str) -> String {
    match visible(name).replace(';', ":") {
        name if name.trim().is_empty() => "?".to_owned(),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_step_has_no_end_within() {
        assert_eq!(["a;b\nc", " ", "f<x, y>(int)"].map(super::step), ["a:b\\nc", "?", "f<x, y>(int)"]);
    }
}
