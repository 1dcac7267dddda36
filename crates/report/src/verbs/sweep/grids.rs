//! The tables of the report of a sweep.

use fauxplat_model::{LevelFindings, SweepFindings};

use crate::bounded::interval_of_changes;
use crate::parts::{Grid, Tone};
use crate::words::{Scale, change, p_value, quantity, visible};

pub(crate) fn peaks(found: &SweepFindings) -> Grid {
    let header = ["level", "against median", "interval", "p", "blocks"];
    let mut grid = Grid::named(&header, &[4, 3]);
    for peak in &found.finding.peaks {
        let cells = vec![
            visible(&peak.level),
            change(peak.ratio),
            interval_of_changes(peak.ci_low_ratio, peak.ci_high_ratio, " … "),
            p_value(peak.p_adjusted),
            peak.blocks.to_string(),
        ];
        grid.push(if peak.ratio > 1.0 { Tone::Bad } else { Tone::Good }, cells);
    }
    grid
}

pub(crate) fn levels(found: &SweepFindings) -> Grid {
    let header = ["level", "median", "95 % interval", "against median", "runs", "failed"];
    let mut grid = Grid::named(&header, &[4, 5]);
    for level in &found.levels {
        let interval = level.median_ns.zip(level.low_ns).zip(level.high_ns);
        let interval = interval.map_or("–".to_owned(), |((median, low), high)| {
            let scale = Scale::of(found.metric, median);
            format!("{} … {}", scale.number(low), scale.number(high))
        });
        let cells = vec![
            visible(&level.level),
            level.median_ns.map_or("–".to_owned(), |median| quantity(found.metric, median)),
            interval,
            level.ratio.map_or("–".to_owned(), change),
            level.runs.to_string(),
            level.failures.to_string(),
        ];
        grid.push(tone(level), cells);
    }
    grid
}

fn tone(level: &LevelFindings) -> Tone {
    if level.failures == 0 { Tone::Plain } else { Tone::Doubt }
}
