//! Writes a line for each stack, as Brendan Gregg's scripts fold them; for two profiles with two counts, as
//! `difffolded.pl` writes them.

use std::collections::BTreeMap;
use std::io::Write;

use fauxplat_model::document::Record;

use super::{above, found};
use crate::ReportError;
use crate::calls;
use crate::format::TWO_PROFILES;
use crate::words::visible;

const NAME: &str = "folded";

pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, NAME)?;
    let profiles = found.profiles.len();
    if profiles > 2 {
        return Err(ReportError::NothingToExport { format: NAME, reason: TWO_PROFILES });
    }
    // Stacks with the same functions but different source lines are added up in one line.
    let mut lines: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for way in calls::ways(found) {
        let names = calls::frames(found, way.frames).map(|(_, frame)| visible(&frame.name));
        let line: Vec<String> = above(&way).chain(names).map(|name| step(&name)).collect();
        let counts = lines.entry(line.join(";")).or_insert_with(|| vec![0; profiles]);
        counts.iter_mut().enumerate().for_each(|(profile, count)| *count += way.events(profile));
    }
    for (line, counts) in lines.iter().filter(|(_, counts)| counts.iter().any(|&count| count > 0)) {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        writeln!(out, "{line} {}", counts.join(" "))?;
    }
    Ok(())
}

/// A function's name as a step of a folded stack: without semicolons, and not empty, since readers drop empty steps.
fn step(name: &str) -> String {
    if name.trim().is_empty() { "?".to_owned() } else { name.replace(';', ":") }
}
