//! Lays tables out in columns that fit the width: names are shortened, dispensable columns are left out, long words
//! continue in further lines, and remaining columns continue in a further table.

use std::collections::HashMap;

use comfy_table::{CellAlignment, ContentArrangement, Table};
use unicode_width::UnicodeWidthStr;

use crate::parts::{Grid, Tone};
use crate::words::shorten;

/// Number of blank characters between two columns of a table.
const GAP: usize = 2;

/// Width in characters to which the first column (names) is shortened before another column is left out.
const NAME_COMFORTABLE: usize = 22;

/// Minimum width of the first column, in characters.
const NAME_MIN: usize = 10;

/// Width in characters to which a column of words can always extend, however wide the first column is.
const WORDS_MIN: usize = 20;

/// The lines of a table, each with its tone. No line is wider than `width`, unless a single number is.
pub(crate) fn lay_out(grid: &Grid, width: usize, ellipsis: &str) -> Vec<(Tone, String)> {
    let mut widths: Vec<usize> = (0..grid.header.len()).map(|column| column_width(grid, column)).collect();
    let beside_name = width.saturating_sub(widths[0].min(NAME_COMFORTABLE) + GAP).max(WORDS_MIN);
    for (column, own) in widths.iter_mut().enumerate().skip(1).filter(|(column, _)| !grid.is_numeric(*column))
    {
        *own = (*own).min(beside_name.max(grid.header[column].width()));
    }
    let kept = keep(grid, &widths, width);
    let parts = split(&kept, &widths, width);
    parts.iter().flat_map(|part| draw(grid, part, &widths, width, ellipsis)).collect()
}

fn column_width(grid: &Grid, column: usize) -> usize {
    let cells = grid.rows.iter().map(|row| &row.cells[column]);
    std::iter::once(&grid.header[column]).chain(cells).map(|cell| cell.width()).max().unwrap_or(0)
}

/// Indices of the columns after the first that are shown. Dispensable columns are left out so that names remain
/// readable.
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

/// Total width of columns in characters, with the gaps before them.
fn taken(columns: &[usize], widths: &[usize]) -> usize {
    columns.iter().map(|&column| widths[column] + GAP).sum()
}

/// Divides columns into several tables, each of which fits into the width beside the names.
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
        let rest = columns.iter().map(|&column| wrapped(&cells[column], widths[column]));
        std::iter::once(first).chain(rest).collect()
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
    let lines_of = |cells: &[String]| {
        columns
            .iter()
            .map(|&column| wrapped(&cells[column], widths[column]).lines().count())
            .max()
            .unwrap_or(1)
    };
    let rows = grid.rows.iter().flat_map(|row| std::iter::repeat_n(row.tone, lines_of(&row.cells).max(1)));
    std::iter::once(Tone::Faint).chain(rows).zip(table.lines()).collect()
}

/// The text of a cell, broken into lines of at most `width` characters.
fn wrapped(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let options = textwrap::Options::new(width.max(1))
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(cell, options).join("\n")
}

/// The cells of the first column, shortened to `room` characters. Names that became equal are distinguished by the
/// number of their row.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(header: &[&str], dispensable: &[usize], rows: &[&[&str]]) -> Grid {
        let mut grid = Grid::named(header, dispensable);
        for row in rows {
            grid.push(Tone::Plain, row.iter().map(|&cell| cell.to_owned()).collect());
        }
        grid
    }

    fn lines(grid: &Grid, width: usize) -> Vec<String> {
        lay_out(grid, width, "…").into_iter().map(|(_, line)| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn numbers_stand_under_each_other_from_the_right_and_words_from_the_left() {
        let one = grid(&["name", "time", "verdict"], &[], &[&["a", "5.0", "equal"], &["long", "−12", "no"]]);
        assert_eq!(lines(&one, 80), ["name  time  verdict", "a      5.0  equal", "long   −12  no"]);
        // A dash stands for a missing number; if one cell has a word, the whole column is aligned as words.
        let dashed = grid(&["name", "time"], &[], &[&["a", "5.0"], &["b", "–"]]);
        assert_eq!(lines(&dashed, 80), ["name  time", "a      5.0", "b        –"]);
        let words = grid(&["name", "time"], &[], &[&["a", "5.0"], &["b", "none"]]);
        assert_eq!(lines(&words, 80), ["name  time", "a     5.0", "b     none"]);
    }

    #[test]
    fn what_is_dispensable_goes_before_a_name_is_cut() {
        let row: &[&str] = &["a command of some words", "1.0", "2.0", "3.0"];
        let one = grid(&["name", "mean", "min", "max"], &[3, 1], &[row]);
        assert!(lines(&one, 60)[0].ends_with("max"));
        assert_eq!(lines(&one, 34)[0].split_whitespace().collect::<Vec<_>>(), ["name", "mean", "min"]);
        assert_eq!(lines(&one, 28)[0].split_whitespace().collect::<Vec<_>>(), ["name", "min"]);
        assert!(lines(&one, 20)[1].contains('…'), "{:?}", lines(&one, 20));
    }

    #[test]
    fn words_that_are_too_long_for_a_line_go_on_in_the_next() {
        let why = "it was off, and nobody could turn it on again, since the key was lost";
        let one = grid(&["machine", "state", "why"], &[], &[&["n1", "missing", why], &["n2", "well", ""]]);
        assert_eq!(
            lines(&one, 40),
            [
                "machine  state",
                "n1       missing",
                "n2       well",
                "machine  why",
                "n1       it was off, and nobody could",
                "         turn it on again, since the key",
                "         was lost",
                "n2",
            ]
        );
        let whole = lines(&one, 100);
        assert!(whole[1].ends_with(why) && whole.len() == 3, "{whole:?}");
    }

    #[test]
    fn what_does_not_fit_goes_on_below_with_the_names_again() {
        let one = grid(&["name", "first", "second"], &[], &[&["a", "1111111111", "2222222222"]]);
        assert_eq!(
            lines(&one, 20),
            ["name       first", "a     1111111111", "name      second", "a     2222222222"]
        );
    }

    #[test]
    fn names_that_became_alike_are_numbered_and_equal_ones_are_not() {
        let long = |middle: &str| format!("the beginning {middle} the end");
        let [a, b] = ["one", "two"].map(long);
        let one = grid(&["name", "n"], &[], &[&[&a, "1"], &[&b, "2"], &[&a, "3"]]);
        let shown = lines(&one, 16);
        assert!(shown[1].starts_with("1: ") && shown[2].starts_with("2: "), "{shown:?}");
        let same = grid(&["name", "n"], &[], &[&[&a, "1"], &[&a, "2"]]);
        assert!(lines(&same, 16)[1].starts_with("the"), "{:?}", lines(&same, 16));
    }

    #[test]
    fn a_table_without_rows_or_further_columns_is_its_heading() {
        assert_eq!(lines(&grid(&["name", "time"], &[], &[]), 40), ["name  time"]);
        assert_eq!(lines(&grid(&["name"], &[], &[&["a"]]), 40), ["name", "a"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn every_line_fits_and_every_cell_that_is_not_dispensable_is_there(
            names in proptest::collection::vec("[a-z文 ]{1,40}", 1..5),
            columns in 1usize..6,
            width in 30usize..120,
        ) {
            let header: Vec<String> = (0..=columns).map(|column| format!("c{column}")).collect();
            let mut one = Grid::named(&header.iter().map(String::as_str).collect::<Vec<_>>(), &[columns]);
            for (row, name) in names.iter().enumerate() {
                let cells = (0..columns).map(|column| format!("{}", 100 * row + column + 1000));
                one.push(Tone::Plain, std::iter::once(name.clone()).chain(cells).collect());
            }
            let shown = lines(&one, width);
            prop_assert!(shown.iter().all(|line| line.width() <= width), "{shown:?}");
            for (row, column) in (0..names.len()).flat_map(|row| (0..columns - 1).map(move |column| (row, column))) {
                let cell = (100 * row + column + 1000).to_string();
                let times = shown.iter().flat_map(|line| line.split_whitespace()).filter(|word| *word == cell);
                prop_assert_eq!(times.count(), 1, "{} in {:?}", cell, shown);
            }
        }
    }
}
