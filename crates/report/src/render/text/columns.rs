//! Grids in columns that fit the width: names are shortened, dispensable columns left out, the rest continued below.

use std::collections::HashMap;

use comfy_table::{CellAlignment, ContentArrangement, Table};
use unicode_width::UnicodeWidthStr;

use crate::parts::{Grid, Tone};
use crate::words::shorten;

/// Columns between two columns.
const GAP: usize = 2;

/// The first column is shortened down to this before another column is left out.
const NAME_COMFORTABLE: usize = 22;

/// The first column is never shortened below this.
const NAME_MIN: usize = 10;

/// The lines of a grid, each with its tone. Every line is at most `width` wide, unless one number alone is wider.
pub(crate) fn lay_out(grid: &Grid, width: usize, ellipsis: &str) -> Vec<(Tone, String)> {
    let widths: Vec<usize> = (0..grid.header.len()).map(|column| column_width(grid, column)).collect();
    let kept = keep(grid, &widths, width);
    let parts = split(&kept, &widths, width);
    parts.iter().flat_map(|part| draw(grid, part, &widths, width, ellipsis)).collect()
}

fn column_width(grid: &Grid, column: usize) -> usize {
    let cells = grid.rows.iter().map(|row| &row.cells[column]);
    std::iter::once(&grid.header[column]).chain(cells).map(|cell| cell.width()).max().unwrap_or(0)
}

/// The columns after the first that stay, when dispensable ones give way to a readable name.
fn keep(grid: &Grid, widths: &[usize], width: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (1..widths.len()).collect();
    for dispensable in &grid.dispensable {
        if widths[0].min(NAME_COMFORTABLE) + taken(&kept, widths) <= width {
            break;
        }
        kept.retain(|column| column != dispensable);
    }
    kept
}

/// Width of these columns with the gaps before them.
fn taken(columns: &[usize], widths: &[usize]) -> usize {
    columns.iter().map(|&column| widths[column] + GAP).sum()
}

/// As many parts as are needed so that each fits beside the name.
fn split(kept: &[usize], widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
    for &column in kept {
        let part = parts.last_mut().expect("there is always a part");
        let needed = widths[0].min(NAME_MIN) + taken(part, widths) + GAP + widths[column];
        match part.is_empty() || needed <= width {
            true => part.push(column),
            false => parts.push(vec![column]),
        }
    }
    parts
}

fn draw(
    grid: &Grid,
    columns: &[usize],
    widths: &[usize],
    width: usize,
    ellipsis: &str,
) -> Vec<(Tone, String)> {
    let room = width.saturating_sub(taken(columns, widths)).max(NAME_MIN);
    let names = shortened(grid, room, ellipsis);
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Disabled);
    let pick = |first: String, cells: &[String]| -> Vec<String> {
        std::iter::once(first).chain(columns.iter().map(|&column| cells[column].clone())).collect()
    };
    table.add_row(pick(grid.header[0].clone(), &grid.header));
    for (row, name) in grid.rows.iter().zip(names) {
        table.add_row(pick(name, &row.cells));
    }
    let originals = std::iter::once(0).chain(columns.iter().copied());
    for (column, original) in table.column_iter_mut().zip(originals) {
        let is_numeric = grid.is_numeric(original);
        column.set_padding((if original == 0 { 0 } else { GAP as u16 }, 0));
        column.set_cell_alignment(if is_numeric { CellAlignment::Right } else { CellAlignment::Left });
    }
    table.load_style(comfy_table::TableStyle::new());
    let tones = std::iter::once(Tone::Faint).chain(grid.rows.iter().map(|row| row.tone));
    tones.zip(table.lines()).collect()
}

/// The first column in so many columns; names that became alike are told apart by the number of their row.
fn shortened(grid: &Grid, room: usize, ellipsis: &str) -> Vec<String> {
    let full = grid.rows.iter().map(|row| row.cells[0].as_str());
    let short: Vec<String> = full.clone().map(|name| shorten(name, room, ellipsis)).collect();
    let mut origins: HashMap<&str, Vec<&str>> = HashMap::new();
    for (short, full) in short.iter().zip(full.clone()) {
        let names = origins.entry(short).or_default();
        if !names.contains(&full) && names.len() < 2 {
            names.push(full);
        }
    }
    let distinct = |(index, (short, full)): (usize, (&String, &str))| match origins[short.as_str()].len() {
        1 => short.clone(),
        _ => {
            let number = format!("{}: ", index + 1);
            let rest = shorten(full, room.saturating_sub(number.width()), ellipsis);
            number + &rest
        }
    };
    short.iter().zip(full).enumerate().map(distinct).collect()
}
