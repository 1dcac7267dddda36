//! The report of `contend --capacity`: how much work several threads do at once relative to one, and how much of the
//! machine is unused.

use fauxplat_model::{CapacityFindings, Worth};

use crate::parts::{Grid, Piece, Tone};
use crate::words::percent;

pub(crate) fn parts(found: &CapacityFindings) -> Vec<Piece> {
    let mut grid = Grid::new(&["threads on CPUs", "work of one thread", "95 % interval", "per thread"], &[3]);
    for worth in &found.worths {
        grid.push(Tone::Plain, row(worth));
    }
    vec![Piece::answer(Tone::Title, answer(found)), Piece::table(grid)]
}

fn row(worth: &Worth) -> Vec<String> {
    let Worth { cpus, ratio, low_ratio, high_ratio } = worth;
    vec![
        cpus.to_string(),
        format!("{ratio:.2}"),
        format!("{low_ratio:.2} … {high_ratio:.2}"),
        format!("{:.2}", ratio / cpus.len().max(1) as f64),
    ]
}

fn answer(found: &CapacityFindings) -> String {
    let full = found.worths.last().map_or(String::new(), |all| {
        format!("All {} CPUs together do the work of {:.2} CPUs that work alone.", all.cpus.len(), all.ratio)
    });
    match found.looks.last() {
        Some(last) => format!(
            "{full} At the last look they were {} busy, and {} of the machine's capacity was unused.",
            percent(last.busy_share),
            percent(last.left_share)
        ),
        None => full,
    }
}
