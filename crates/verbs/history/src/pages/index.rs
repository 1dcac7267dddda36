//! The index page: all benchmarks, worst change first, with a search, and sortable by any column.

use std::collections::BTreeMap;

use fauxplat_report::{page, say};
use maud::{Markup, html};

use super::manifest::Manifest;
use super::{BENCHMARKS, script};
use crate::analysis;
use crate::findings::SeriesFindings;
use crate::report::{interval, machine, moment, range, titles, value};

pub(super) fn page(manifest: &Manifest) -> String {
    let mut pages: BTreeMap<(String, String), &str> = BTreeMap::new();
    let mut all: Vec<SeriesFindings> = Vec::new();
    for (page, entry) in &manifest.pages {
        for series in &entry.series {
            pages
                .insert((series.name.identity.benchmark.clone(), series.name.identity.program.clone()), page);
            all.push(series.clone());
        }
    }
    analysis::sort(&mut all);
    let metric = say::visible(&manifest.metric);
    let title = format!("Benchmarks over time: {metric}");
    let body = html! {
        a.skip href="#result" { "Skip to the result" }
        main #result tabindex="-1" {
            h1 { (title) }
            p { (count(&all)) }
            p #search hidden { label { "Search " input type="search" autocomplete="off"; } " " output aria-live="polite" {} }
            div.scroll tabindex="0" { (table(&all, &pages)) }
            h2 { "Machines" }
            div.scroll tabindex="0" { (machines(&all)) }
            p.faint {
                "In one of a hundred series without any change a false one is reported. Intervals are those of 95 %."
            }
        }
    };
    page::page(&title, &body, (script::STYLE, script::INDEX))
}

fn count(all: &[SeriesFindings]) -> String {
    let worse = all.iter().filter(|it| it.changes.last().is_some_and(|change| change.is_worse)).count();
    let better = all.iter().filter(|it| it.changes.last().is_some_and(|change| !change.is_worse)).count();
    format!(
        "{}: {worse} became worse at their last change, {better} better.",
        say::counted(all.len(), "series", "series")
    )
}

const COLUMNS: [&str; 8] =
    ["benchmark", "machine", "sessions", "level", "last change", "since", "commits", "scatter of sessions"];

fn table(all: &[SeriesFindings], pages: &BTreeMap<(String, String), &str>) -> Markup {
    html! {
        table #benchmarks {
            thead { tr { @for title in COLUMNS { th scope="col" { button type="button" { (title) } } } } }
            tbody {
                @for (it, title) in all.iter().zip(titles(all)) {
                    @let key = (it.name.identity.benchmark.clone(), it.name.identity.program.clone());
                    @let page = pages.get(&key).copied().unwrap_or_default();
                    (row(it, &title, page))
                }
            }
        }
    }
}

/// A row of the index. The script sorts a column by the attribute `data-v` of its cells, or by their text if they lack
/// it.
fn row(it: &SeriesFindings, title: &str, page: &str) -> Markup {
    let last = it.changes.last();
    let worse = last.map_or(0.0, |change| if change.is_worse { 1.0 } else { -1.0 } * change.ratio.ln().abs());
    html! {
        tr {
            th scope="row" { a href=(format!("{BENCHMARKS}/{page}")) { (title) } }
            td { (machine(&it.name)) }
            td.n data-v=(it.session_count) { (it.session_count) }
            td.n data-v=(it.level) { (value(&it.name, it.level)) }
            td data-v=(worse) class=[last.map(|change| if change.is_worse { "bad" } else { "good" })] {
                (last.map_or_else(String::new, interval))
            }
            td { (last.map_or_else(String::new, |change| moment(&change.started))) }
            td { code { (last.and_then(|change| change.commits.as_ref()).map_or_else(String::new, range)) } }
            td.n data-v=(it.between_sd.unwrap_or(0.0)) { (it.between_sd.map_or_else(String::new, say::percent)) }
        }
    }
}

fn machines(all: &[SeriesFindings]) -> Markup {
    let mut by_machine: BTreeMap<&str, (String, usize, usize)> = BTreeMap::new();
    for it in all {
        let known = by_machine.entry(&it.name.machine).or_insert_with(|| (machine(&it.name), 0, 0));
        known.1 += 1;
        known.2 += it.session_count;
    }
    html! {
        table {
            thead { tr {
                @for title in ["machine", "identity", "series", "sessions"] { th scope="col" { (title) } }
            } }
            tbody {
                @for (identity, (name, series, sessions)) in &by_machine {
                    tr {
                        th scope="row" { (name) }
                        td { code { (say::visible(identity)) } }
                        td.n { (series) }
                        td.n { (sessions) }
                    }
                }
            }
        }
    }
}
