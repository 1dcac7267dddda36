//! The report of `aa`: whether verdicts are reliable on this machine.

use fauxplat_model::AaFindings;
use fauxplat_model::document::Record;
use fauxplat_units::Nanos;

use crate::parts::{Piece, Tone};
use crate::tables;
use crate::words::{counted, round_percent};

pub(super) fn parts(record: &Record, found: &AaFindings) -> Vec<Piece> {
    let mut parts = Vec::new();
    if !found.strata.is_empty() {
        parts.extend([calibration(record, found), Piece::table(tables::strata(found))]);
    }
    if let Some(rivals) = tables::rivals(found) {
        parts.extend([Piece::heading(RIVALS_TITLE).in_full(), Piece::table(rivals).joined().in_full()]);
    }
    if !found.power.is_empty() {
        parts.extend([Piece::heading(POWER_TITLE), Piece::table(tables::power(&found.power)).joined()]);
    }
    parts.push(Piece::plain(format!("Took {} in all.", Nanos::from_secs_f64(found.elapsed_s))).in_full());
    parts
}

/// Titles of tables, short enough for the narrowest page.
const RIVALS_TITLE: &str = "false verdicts, by rule";
const POWER_TITLE: &str = "true differences that were found";

fn calibration(record: &Record, found: &AaFindings) -> Piece {
    let wrong: usize = found.strata.iter().map(|stratum| stratum.false_verdicts).sum();
    let all: usize = found.strata.iter().map(tables::answered).sum();
    let open: usize = found.strata.iter().map(|stratum| stratum.inconclusive).sum();
    let level = record.header.definition.rule.level;
    let verdicts = counted(wrong, "false verdict", "false verdicts");
    let comparisons = counted(all, "answer", "answers");
    let inconclusive = match open {
        0 => String::new(),
        _ => format!(", besides {open} inconclusive"),
    };
    let expected = wrong as f64 <= level * all as f64;
    let tone = if expected && all > 0 { Tone::Good } else { Tone::Doubt };
    let sentence = format!(
        "{verdicts} in {comparisons} about identical programs{inconclusive} (allowed rate {}); the bound of each stratum is exact.",
        round_percent(level)
    );
    Piece::answer(tone, sentence)
}
