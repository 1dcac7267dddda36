//! Draws trees with characters.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::page::Page;
use crate::parts::{Branch, Grid, Tree};
use crate::render::pen::Pen;
use crate::words::{shorten, visible};

/// Number of blanks between a branch and the text beside it.
const GAP: usize = 2;

/// Minimum width of the text beside a branch, in columns.
const BESIDE_MIN: usize = 12;

/// Maximum indentation in levels. Deeper branches are aligned with the last level, or no room would be left for them.
const DEPTH_MAX: usize = 8;

/// Separator of the items beside a branch.
const BAR: &str = " | ";

pub(super) fn write(page: &mut Page, indent: usize, tree: &Tree) -> io::Result<()> {
    match tree {
        Tree::Columns { header, dispensable, branches } => {
            let mut grid = Grid::named(header, dispensable);
            for branch in branches {
                grid.push(branch.tone, cells(page.pen, branch));
            }
            page.table(indent, &grid)
        }
        Tree::Sets(branches) => sets(page, branches),
        // Nested boxes are drawn on pages, and by a separate format for terminals.
        Tree::Boxes(_) => Ok(()),
    }
}

fn cells(pen: Pen, branch: &Branch) -> Vec<String> {
    let margin = match branch.depth {
        0 => String::new(),
        depth => format!("{}{}", "  ".repeat(depth.min(DEPTH_MAX) - 1), pen.branches()[1]),
    };
    let text = format!("{margin}{}", pen.name(&visible(&branch.text), pen.width / 2));
    std::iter::once(text).chain(branch.beside.iter().cloned()).collect()
}

/// Writes a tree with the branches at the left, and the items of each at the right.
fn sets(page: &mut Page, branches: &[Branch]) -> io::Result<()> {
    let pen = page.pen;
    let texts: Vec<String> = (0..branches.len())
        .map(|index| format!("{}{}", margin(branches, index, pen), branches[index].text))
        .collect();
    let widest = texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let left = widest.min(pen.width.saturating_sub(GAP + BESIDE_MIN));
    for (text, branch) in texts.iter().zip(branches) {
        let text = shorten(text, left, pen.ellipsis());
        let pad = " ".repeat((left + GAP).saturating_sub(text.width()));
        let items = listed(&branch.beside, pen.width.saturating_sub(left + GAP), pen.ellipsis());
        page.line(branch.tone, &pen.spell(&format!("{text}{pad}{items}")))?;
    }
    Ok(())
}

/// The part of a line before a branch: the connecting lines from the root.
fn margin(branches: &[Branch], index: usize, pen: Pen) -> String {
    let depth = branches[index].depth;
    let [fork, last, along, nothing] = pen.branches();
    let goes_on = |depth| Branch::has_sibling_below(branches, index, depth);
    let above = (1..depth).map(|depth| if goes_on(depth) { along } else { nothing });
    let own = (depth > 0).then(|| if goes_on(depth) { fork } else { last });
    above.chain(own).collect()
}

/// The items separated by bars; if that is wider than `width`, the first few and the last.
fn listed(each: &[String], width: usize, ellipsis: &str) -> String {
    let whole = each.join(BAR);
    let (Some((last, others)), true) = (each.split_last(), whole.width() > width) else { return whole };
    let end = format!("{BAR}{ellipsis}{BAR}{last}");
    let begun_with = |first: usize| others[..first].join(BAR);
    let fits = |first: &usize| begun_with(*first).width() + end.width() <= width;
    // If there is only one item and it is too wide, no other item can be left out.
    let Some(first) = (1..=others.len()).rev().find(fits).or((!others.is_empty()).then_some(1)) else {
        return shorten(&whole, width, ellipsis);
    };
    let begun = begun_with(first);
    // The first item and a mark for further items, used if there is no room for the last one.
    let more = format!("{}{BAR}{ellipsis}", each[0]);
    match (begun.width() + end.width() <= width, more.width() <= width) {
        (true, _) => begun + &end,
        (_, true) => more,
        _ => shorten(&whole, width, ellipsis),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn items(each: &[&str]) -> Vec<String> {
        each.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn what_is_left_out_is_the_middle() {
        let all = items(&["0", "1", "2", "3", "39"]);
        assert_eq!(listed(&all, 80, "…"), "0 | 1 | 2 | 3 | 39");
        assert_eq!(listed(&all, 17, "…"), "0 | 1 | … | 39");
        assert_eq!(listed(&all, 10, "…"), "0 | … | 39");
        assert_eq!(listed(&all, 9, "…"), "0 | …");
        assert_eq!(listed(&items(&["0,2,4,6,8,10,12"]), 6, "…"), "0,2…12");
        assert_eq!(listed(&[], 0, "…"), "");
    }

    proptest! {
        /// Lists of CPUs of every length fit into arbitrarily narrow terminals.
        #[test]
        fn items_fit_into_every_width(
            each in prop::collection::vec("[0-9,-]{0,40}", 0..30),
            width in 0usize..120,
            unicode: bool,
        ) {
            let ellipsis = if unicode { "…" } else { "..." };
            let said = listed(&each, width, ellipsis);
            prop_assert!(said.width() <= width.max(ellipsis.len()), "{said:?} in {width}");
        }
    }
}
