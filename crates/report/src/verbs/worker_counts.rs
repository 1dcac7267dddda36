//! Table of the events that fauxplat's worker threads counted while they worked.

use fauxplat_model::WorkerCounts;

use crate::parts::{Grid, Piece, Tone};
use crate::words::{TIE, quantity, significant};

/// Table with a row for each kind of work and counter, and for each figure derived from counts.
pub fn pieces(found: &[WorkerCounts]) -> Vec<Piece> {
    let mut grid = Grid::new(&["work", "counted", "per unit", "per second of CPU time"], &[2]);
    for one in found {
        for count in &one.counts {
            let name = count.metric.title().to_owned();
            let (unit, second) =
                (quantity(count.metric, count.per_unit), quantity(count.metric, count.per_cpu_s));
            grid.push(Tone::Plain, vec![one.work.clone(), name, unit, second]);
        }
        for figure in &one.derived {
            let unit = if figure.unit.is_empty() { String::new() } else { format!("{TIE}{}", figure.unit) };
            let value = format!("{}{unit}", significant(figure.median));
            grid.push(Tone::Plain, vec![one.work.clone(), figure.name.clone(), "–".to_owned(), value]);
        }
    }
    if grid.rows.is_empty() { Vec::new() } else { vec![Piece::table(grid)] }
}
