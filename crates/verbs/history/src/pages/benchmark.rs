//! The web page of a benchmark: its trend and its changes on each machine, and a form that compares any two sessions.

use fauxplat_report::parts::{Across, Line, Point, Series, Values};
use fauxplat_report::{page, say};
use maud::{Markup, html};
use serde::Serialize;

use super::script;
use crate::findings::{LevelChange, SeriesFindings, Session};
use crate::report::{
    commit_of, difference, direction, interval, known, machine, moment, needing, range, value,
};

/// Maximum number of points in a drawing; with more sessions, each point stands for several of them.
const POINTS_MAX: usize = 240;

/// Maximum number of sessions in a table, which shows the newest. The data for the script contain all sessions.
const ROWS_MAX: usize = 50;

#[derive(Serialize)]
struct Data<'a> {
    /// Standard deviation between sessions, of logarithms of values.
    between: f64,
    more_is_better: bool,
    /// For each session: its description, its value as text, the logarithm of the value, and the standard error of that
    /// logarithm.
    sessions: Vec<(String, String, f64, f64)>,
    machine: &'a str,
}

pub(super) fn page(series: &[SeriesFindings]) -> String {
    let name = series.first().map_or_else(String::new, |it| say::visible(&it.name.identity.benchmark));
    let data: Vec<Data<'_>> = series.iter().map(data).collect();
    let json = serde_json::to_string(&data).unwrap_or_default();
    let body = html! {
        a.skip href="#result" { "Skip to the result" }
        header { nav { a href="../index.html" { "All benchmarks" } } }
        main #result tabindex="-1" {
            h1 { (name) }
            @for (number, one) in series.iter().enumerate() { (section(number, one, series)) }
        }
        (page::data("data", &json))
    };
    page::page(&name, &body, (script::STYLE, script::BENCHMARK))
}

fn data(series: &SeriesFindings) -> Data<'_> {
    let of = |session: &Session| {
        let error = match (session.low, session.high) {
            (Some(low), Some(high)) => (high / low).ln() / 3.92,
            _ => 0.0,
        };
        let words = [
            Some(moment(&session.started)),
            Some(commit_of(session)),
            session.label.as_deref().map(say::visible),
        ];
        let words: Vec<String> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
        (words.join(" "), value(&series.name, session.value), rounded(session.value.ln()), rounded(error))
    };
    Data {
        between: series.between_sd.unwrap_or(0.0),
        more_is_better: series.name.more_is_better,
        sessions: series.sessions.iter().map(of).collect(),
        machine: &series.name.machine,
    }
}

/// Rounds a logarithm to a millionth, which is finer than the precision of any reading.
fn rounded(ln: f64) -> f64 {
    (ln * 1e6).round() / 1e6
}

/// Section of a series; `all` are those of the page, from which its heading tells it apart.
fn section(number: usize, series: &SeriesFindings, all: &[SeriesFindings]) -> Markup {
    let identities: Vec<_> = all.iter().map(|it| &it.name.identity).collect();
    let which = difference(&series.name.identity, &identities).map(|which| format!(": {which}"));
    html! {
        section {
            h2 { "On " (machine(&series.name)) (which.unwrap_or_default()) }
            p.answer { (answer(series)) }
            figure tabindex="0" { (page::drawing(drawing(series))) }
            @if !series.changes.is_empty() { (changes(series)) }
            p { (noise(series)) }
            (comparison(number))
            (sessions(series))
        }
    }
}

fn answer(series: &SeriesFindings) -> Markup {
    let apart = series.apart.as_ref().map_or_else(String::new, |apart| format!("; {}", needing(apart)));
    match series.changes.last() {
        None if !apart.is_empty() => html! {
            "No change of level is shown yet in " (series.session_count) " sessions" (apart) "."
        },
        None => html! {
            "No change of level in " (series.session_count) " sessions; the level is "
            (value(&series.name, series.level)) "."
        },
        Some(last) => html! {
            span class=(tone(last)) { (direction(&series.name, last.ratio)) }
            " since " (moment(&last.started)) ": " (interval(last)) (commits(last)) "; the level is "
            (value(&series.name, series.level)) " since then" (apart) "."
        },
    }
}

fn tone(change: &LevelChange) -> &'static str {
    if change.is_worse { "bad" } else { "good" }
}

fn commits(change: &LevelChange) -> String {
    change.commits.as_ref().map_or_else(String::new, |commits| format!(", {}", range(commits)))
}

fn noise(series: &SeriesFindings) -> String {
    let spread = series.between_sd.map_or_else(|| "not known".to_owned(), say::percent);
    format!("Robust standard deviation between sessions, beyond what the runs within each explain: {spread}.")
}

fn changes(series: &SeriesFindings) -> Markup {
    html! {
        h3 { "Changes of level" }
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for title in ["since", "change", "95 % interval", "commits", "between sessions", "notes"] {
                        th scope="col" { (title) }
                    }
                } }
                tbody {
                    @for it in &series.changes {
                        tr {
                            th scope="row" { (moment(&it.started)) }
                            td class=(tone(it)) { (say::change(it.ratio)) " " (direction(&series.name, it.ratio)) }
                            td { (say::change(it.low_ratio)) " to " (say::change(it.high_ratio)) }
                            td { code { (it.commits.as_ref().map_or_else(String::new, range)) } }
                            td { (it.at_low) " and " (it.at_high + 1) }
                            td { (say::visible(&it.notes.join("; "))) }
                        }
                    }
                }
            }
        }
    }
}

/// A form that compares two sessions, whose fields and answer the script fills in.
fn comparison(number: usize) -> Markup {
    html! {
        form.compare data-series=(number) hidden {
            h3 { "Two sessions" }
            label { "from " select name="a" {} }
            label { " to " select name="b" {} }
            output aria-live="polite" {}
        }
    }
}

fn sessions(series: &SeriesFindings) -> Markup {
    let first = series.sessions.len().saturating_sub(ROWS_MAX);
    let newest = &series.sessions[first..];
    html! {
        details {
            summary { "The newest " (say::counted(newest.len(), "session", "sessions")) }
            div.scroll tabindex="0" {
                table {
                    thead { tr {
                        @for title in ["started", "commit", "value", "95 % within it", "runs", "experiment", "label and notes"] {
                            th scope="col" { (title) }
                        }
                    } }
                    tbody { @for session in newest.iter().rev() { (row(series, session)) } }
                }
            }
        }
    }
}

fn row(series: &SeriesFindings, session: &Session) -> Markup {
    let said: Vec<&str> = session.label.iter().chain(&session.notes).map(String::as_str).collect();
    html! {
        tr {
            th scope="row" { (moment(&session.started)) }
            td { code { (commit_of(session)) } }
            td.n { (value(&series.name, session.value)) }
            td {
                @if let (Some(low), Some(high)) = (session.low, session.high) {
                    (value(&series.name, low)) " to " (value(&series.name, high))
                }
            }
            td.n { (session.runs) }
            td.n { (session.experiment) }
            td { (say::visible(&said.join("; "))) }
        }
    }
}

/// Drawing of the sessions. With many sessions, a point stands for several successive ones, by their median and the
/// range of their intervals; no point stands for sessions on both sides of a change.
fn drawing(series: &SeriesFindings) -> Series {
    let metric = known(&series.name);
    let first = series.sessions.first().map_or(1.0, |session| session.value);
    let scale = if metric.is_some() { 1.0 } else { first };
    let starts: Vec<usize> = [0].into_iter().chain(series.changes.iter().map(|change| change.at)).collect();
    let together = series.sessions.len().div_ceil(POINTS_MAX).max(1);
    let mut points = Vec::new();
    for (number, &from) in starts.iter().enumerate() {
        let to = starts.get(number + 1).copied().unwrap_or(series.sessions.len());
        let mut at = from;
        for some in series.sessions[from..to].chunks(together) {
            let is_change = at == from && number > 0;
            points.push(point(series, some, (at, scale, is_change)));
            at += some.len();
        }
    }
    let title = "Sessions, and the level of each stretch".to_owned();
    Series {
        description:
            "Typical readings of the sessions in their order; those after which the level changed stand out."
                .to_owned(),
        caption: title.clone(),
        title,
        values: metric.map_or(Values::Change, Values::Metric),
        across: Across { label: "session".to_owned(), names: None },
        lines: vec![Line { name: String::new(), points, is_drawn_through: true }],
        rules: Vec::new(),
        is_zoom: false,
    }
}

fn point(series: &SeriesFindings, some: &[Session], (at, scale, is_change): (usize, f64, bool)) -> Point {
    let mut values: Vec<f64> = some.iter().map(|session| session.value).collect();
    let median = fauxplat_stats::describe::median_in_place(&mut values).unwrap_or(0.0);
    let ends = some.iter().map(|it| (it.low.unwrap_or(it.value), it.high.unwrap_or(it.value)));
    let (low, high) = ends.fold((f64::INFINITY, 0.0_f64), |(low, high), (l, h)| (low.min(l), high.max(h)));
    let started = some.first().map_or_else(String::new, |session| moment(&session.started));
    Point {
        x: (at + 1) as f64,
        median: median / scale,
        low: low / scale,
        high: high / scale,
        hint: format!("{started}: {}", value(&series.name, median)),
        weight: if is_change { 2 } else { 0 },
    }
}
