//! Observations of machines other than slowness, as sentences and rows.

use fauxplat_model::{FleetFindings, FleetNotice, NoticeKind};

use super::facts::{slower_words, title};
use crate::parts::spans::named;
use crate::parts::{Grid, Part, Piece, Tone};
use crate::words::{counted, visible};

const ROWS_MAX: usize = 30;

/// Phrases for the first line of the report: one for each kind of observation that occurs.
pub(super) fn brief(found: &FleetFindings) -> Vec<String> {
    NoticeKind::ALL.into_iter().filter_map(|kind| some(found, kind)).collect()
}

fn some(found: &FleetFindings, kind: NoticeKind) -> Option<String> {
    let mut machines: Vec<&str> =
        found.notices.iter().filter(|it| it.kind == kind).map(|it| it.node.as_str()).collect();
    machines.dedup();
    let (one, many) = match kind {
        NoticeKind::Fast => ("is faster than machines like it", "are faster than machines like them"),
        NoticeKind::Scatter => ("scatters more than the others", "scatter more than the others"),
        NoticeKind::Runs => ("made a different number of runs", "made a different number of runs"),
        NoticeKind::Fact => ("differs in a fact", "differ in facts"),
    };
    match machines.as_slice() {
        [] => None,
        [only] => Some(format!("{} {one}", named(only))),
        several => Some(format!("{} {many}", several.len())),
    }
}

pub(super) fn parts(found: &FleetFindings) -> Vec<Piece> {
    if found.notices.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::named(&["machine", "beside slowness"], &[]);
    for notice in found.notices.iter().take(ROWS_MAX) {
        grid.push(Tone::Doubt, vec![visible(&notice.node), words(notice, found)]);
    }
    let mut parts = vec![Piece::new(Part::Table(grid))];
    if found.notices.len() > ROWS_MAX {
        let more = counted(found.notices.len() - ROWS_MAX, "more is", "more are");
        parts.push(Piece::plain(format!("{more} listed in the other formats.")));
    }
    parts
}

fn words(notice: &FleetNotice, found: &FleetFindings) -> String {
    let ratio = notice.ratio.unwrap_or(1.0);
    match (notice.kind, &notice.differs) {
        (NoticeKind::Fast, _) => format!("{} than its group", slower_words(found.metric, ratio)),
        (NoticeKind::Scatter, _) => format!("its runs scatter {ratio:.1} times as much as those of others"),
        (NoticeKind::Runs, _) => {
            let runs = found.nodes.iter().find(|node| node.node == notice.node).map_or(0, |node| node.runs);
            format!("{}, not {:.0}", counted(runs, "run", "runs"), runs as f64 / ratio.max(1e-9))
        }
        (NoticeKind::Fact, Some(it)) => {
            format!("{} {}, not {}", title(&it.fact), visible(&it.value), visible(&it.usual))
        }
        (NoticeKind::Fact, None) => String::new(),
    }
}
