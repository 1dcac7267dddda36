//! Tables of an explanation: conditions, functions and counts that differ.

use fauxplat_report::parts::{Grid, Medium, Piece, Tone};
use fauxplat_report::say;

use super::time;
use super::words::column;
use crate::findings::WhyFindings;

pub(super) fn tables(found: &WhyFindings) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (fast, slow) = (1 - found.slower.unwrap_or(1).min(1), found.slower.unwrap_or(1).min(1));
    let names = [fast, slow].map(|side| if side == 0 { "A" } else { "B" });
    if !found.conditions.is_empty() {
        let mut grid = Grid::named(&["condition", names[0], names[1]], &[]);
        for it in &found.conditions {
            grid.push(Tone::Plain, vec![it.what.clone(), say::visible(&it.fast), say::visible(&it.slow)]);
        }
        pieces.push(Piece::heading("conditions that differ").in_full().only(&Medium::ALL));
        pieces.push(Piece::table(grid).joined().in_full());
    }
    if !found.functions.is_empty() {
        let mut headings = vec!["function", "more per run", "from", "to", "instructions", "called by"];
        headings.extend(found.changes.map(|_| "changed"));
        let mut grid = Grid::named(&headings, &[3, 2, 5, 4]);
        let functions = &found.functions;
        let names: Vec<&str> = functions.iter().map(|it| it.name.as_str()).collect();
        let callers: Vec<&str> =
            functions.iter().map(|it| it.caller.as_deref().unwrap_or_default()).collect();
        for ((it, name), caller) in functions.iter().zip(column(&names)).zip(column(&callers)) {
            let instructions = it.more_instructions.map_or_else(|| "?".to_owned(), signed);
            let mut cells = vec![
                name,
                time(it.more_ns.value),
                time(it.more_ns.low),
                time(it.more_ns.high),
                instructions,
                caller,
            ];
            cells.extend(found.changes.map(|_| if it.is_changed { "yes" } else { "" }.to_owned()));
            grid.push(if it.more_ns.is_more() { Tone::Bad } else { Tone::Plain }, cells);
        }
        pieces.push(Piece::heading("functions, by CPU time").in_full());
        pieces.push(Piece::table(grid).joined().in_full());
    }
    if !found.counts.is_empty() {
        let mut grid = Grid::named(&["count", "source", names[0], names[1], "change"], &[1]);
        for it in &found.counts {
            let change = if it.fast > 0.0 { say::change(it.slow / it.fast) } else { "new".to_owned() };
            let cells =
                vec![say::visible(&it.what), it.source.clone(), count(it.fast), count(it.slow), change];
            grid.push(Tone::Plain, cells);
        }
        pieces.push(Piece::heading("counts that differ").in_full());
        pieces.push(Piece::table(grid).joined().in_full());
    }
    pieces
}

fn count(value: f64) -> String {
    if value < 100.0 && value.fract() != 0.0 {
        format!("{value:.1}")
    } else {
        say::grouped(value.max(0.0).round() as u64)
    }
}

fn signed(value: f64) -> String {
    let size = say::grouped(value.abs().round() as u64);
    if value < 0.0 { format!("−{size}") } else { format!("+{size}") }
}
