//! The report of `aa`: does the verdict itself hold on this machine.

use std::io;

use fauxplat_model::AaFindings;
use fauxplat_model::document::Record;
use fauxplat_units::Nanos;

use crate::grid::Tone;
use crate::tables;
use crate::text::page::{INDENT, Page};
use crate::words::{counted, round_percent};

pub(crate) fn write(page: &mut Page, record: &Record, found: &AaFindings) -> io::Result<()> {
    if !found.strata.is_empty() {
        let (sentence, tone) = calibration(record, found);
        page.paragraph(tone, 0, &sentence)?;
        page.blank()?;
        page.table(INDENT, &tables::strata(found))?;
    }
    if let Some(rivals) = tables::rivals(found) {
        page.blank()?;
        page.line(Tone::Title, RIVALS_TITLE)?;
        page.table(INDENT, &rivals)?;
    }
    if !found.power.is_empty() {
        page.blank()?;
        page.line(Tone::Title, POWER_TITLE)?;
        page.table(INDENT, &tables::power(&found.power))?;
    }
    page.blank()?;
    page.paragraph(Tone::Plain, 0, &elapsed(found))
}

/// Short enough for the narrowest page.
pub(crate) const RIVALS_TITLE: &str = "false verdicts, by rule";
pub(crate) const POWER_TITLE: &str = "true differences that were found";

/// False verdicts over all strata.
pub(crate) fn calibration(record: &Record, found: &AaFindings) -> (String, Tone) {
    let wrong: usize = found.strata.iter().map(|stratum| stratum.false_verdicts).sum();
    let all: usize = found.strata.iter().map(|stratum| stratum.comparisons).sum();
    let level = record.header.definition.rule.level;
    let verdicts = counted(wrong, "false verdict", "false verdicts");
    let comparisons = counted(all, "comparison", "comparisons");
    let expected = wrong as f64 <= level * all as f64;
    let tone = if expected { Tone::Good } else { Tone::Doubt };
    let sentence = format!(
        "{verdicts} in {comparisons} of identical programs (allowed rate {}); the bound of each stratum is exact.",
        round_percent(level)
    );
    (sentence, tone)
}

/// How long it took.
pub(crate) fn elapsed(found: &AaFindings) -> String {
    format!("Took {} in all.", Nanos::from_secs_f64(found.elapsed_s))
}
