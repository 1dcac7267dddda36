//! The report of `history trend`.

use fauxplat_model::document::Record;
use fauxplat_report::parts::{Across, Grid, Line, Piece, Point, Series, Tone, Values};
use fauxplat_report::{Case, Format, Gauges, OwnReport, Rows, say};
use serde::Deserialize;
use serde_json::{Error, Value};

use super::titles::{difference, titles};
use super::{commit_of, direction, interval, known, machine, moment, range, value};
use crate::findings::{Apart, LevelChange, SeriesFindings, Session, TREND_SCHEMA, TrendFindings};

/// Number of sessions in the table of a brief report, which shows the newest.
const SESSIONS_BRIEF: usize = 10;

/// Least number of sessions in which a change of level can be found.
const SESSIONS_MIN: usize = 6;

#[derive(Debug)]
pub(crate) struct TrendReport;

impl OwnReport for TrendReport {
    fn schema(&self) -> &'static str {
        TREND_SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Svg, Format::OpenMetrics]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        let found = TrendFindings::deserialize(document)?;
        Ok(match found.is_of_one {
            true => of_one(&found),
            false => of_all(&found),
        })
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = TrendFindings::deserialize(document)?;
        Ok(if found.is_of_one { session_rows(&found) } else { series_rows(&found) })
    }

    fn cases(&self, _: &Value) -> Result<Vec<Case>, Error> {
        Ok(Vec::new())
    }

    fn gauges(&self, document: &Value) -> Result<Vec<Gauges>, Error> {
        let found = TrendFindings::deserialize(document)?;
        let of = |name, help, value: fn(&SeriesFindings) -> Option<f64>| {
            let one = |series: &SeriesFindings| value(series).map(|value| (labels(series), value));
            Gauges { name, help, values: found.series.iter().filter_map(one).collect() }
        };
        Ok(vec![
            of("fauxplat_history_newest", "Typical reading of the newest session.", |it| Some(it.newest)),
            of("fauxplat_history_level", "Typical reading since the last change of level.", |it| {
                Some(it.level)
            }),
            of(
                "fauxplat_history_between_sessions_sd_ratio",
                "Standard deviation between sessions, as a share of the reading.",
                |it| it.between_sd,
            ),
            of("fauxplat_history_sessions", "Number of sessions.", |it| Some(it.session_count as f64)),
            of("fauxplat_history_changes", "Number of changes of level.", |it| Some(it.changes.len() as f64)),
            of("fauxplat_history_last_change_ratio", "New level over old level at the last change.", |it| {
                it.changes.last().map(|change| change.ratio)
            }),
        ])
    }
}

/// Names of the labels that together identify a series.
const LABELS: [&str; 9] =
    ["benchmark", "program", "metric", "unit", "machine", "host", "arguments", "harness", "place"];

fn names(series: &SeriesFindings) -> [String; 9] {
    let name = &series.name;
    let [program, arguments, harness, place] = name.identity.parts();
    let host = name.host.as_deref().unwrap_or_default();
    let benchmark = name.identity.benchmark.as_str();
    [benchmark, program, &name.metric, &name.unit, &name.machine, host, arguments, harness, place]
        .map(str::to_owned)
}

fn labels(series: &SeriesFindings) -> Vec<(&'static str, String)> {
    LABELS.into_iter().zip(names(series)).collect()
}

/// A table whose rows begin with the labels of their series.
fn labelled<'s>(headings: &[&str], rows: impl Iterator<Item = (&'s SeriesFindings, Vec<String>)>) -> Rows {
    Rows {
        headings: LABELS.iter().chain(headings).map(ToString::to_string).collect(),
        rows: rows.map(|(series, cells)| names(series).into_iter().chain(cells).collect()).collect(),
    }
}

/// Numbers of series that became worse at their last change, and better.
fn worse_and_better(found: &TrendFindings) -> [usize; 2] {
    let last = || found.series.iter().filter_map(|series| series.changes.last());
    let worse = last().filter(|change| change.is_worse).count();
    [worse, last().count() - worse]
}

/// The answer as a part of a sentence, for lists of experiments.
pub(crate) fn trend_summary(found: &TrendFindings) -> String {
    let [worse, better] = worse_and_better(found);
    match (found.series.as_slice(), worse + better) {
        ([], _) => "no sessions".to_owned(),
        ([only], 0) if only.apart.is_some() => format!(
            "no change shown yet in {}{}",
            say::counted(only.session_count, "session", "sessions"),
            only.apart.as_ref().map_or_else(String::new, |apart| format!(", but {}", lying(apart)))
        ),
        ([only], 0) => format!("no change in {}", say::counted(only.session_count, "session", "sessions")),
        ([only], _) => say::counted(only.changes.len(), "change of level", "changes of level"),
        (all, _) => format!("{worse} of {} became worse, {better} better", all.len()),
    }
}

fn of_all(found: &TrendFindings) -> Vec<Piece> {
    if found.series.is_empty() {
        let sentence = format!("No benchmark has sessions in {}.", say::visible(&found.metric));
        return vec![Piece::answer(Tone::Doubt, sentence)];
    }
    let mut grid = Grid::named(
        &[
            "benchmark",
            "machine",
            "sessions",
            "level",
            "last change",
            "since",
            "commits",
            "scatter of sessions",
        ],
        &[7, 1, 2, 5],
    );
    let titles = titles(&found.series);
    for (series, title) in found.series.iter().zip(&titles) {
        let last = series.changes.last();
        let cell = |text: &dyn Fn(&LevelChange) -> String| last.map_or_else(String::new, text);
        let tone = last.map_or(Tone::Plain, tone);
        let cells = vec![
            title.clone(),
            machine(&series.name),
            series.session_count.to_string(),
            value(&series.name, series.level),
            cell(&interval),
            cell(&|change| moment(&change.started)),
            cell(&commits),
            series.between_sd.map_or_else(String::new, say::percent),
        ];
        grid.push(tone, cells);
    }
    let [worse, better] = worse_and_better(found);
    let of_all = match found.series.len() {
        1 => found.summary.clone(),
        _ => format!("{worse} became worse at their last change of level, {better} better"),
    };
    let sentence = format!("{}: {of_all}.", say::counted(found.series.len(), "series", "series"));
    let level = say::percent(found.level);
    let meaning = format!("Of the reported changes at most {level} are expected to be false.");
    let mut pieces = vec![Piece::answer(Tone::Plain, sentence), Piece::table(grid)];
    let apart = |(series, title): (&SeriesFindings, &String)| {
        let apart = series.apart.as_ref()?;
        Some(Piece::plain(format!("{}: {}.", say::named(title), needing(apart))))
    };
    pieces.extend(found.series.iter().zip(&titles).filter_map(apart));
    pieces.push(Piece::plain(meaning).in_full());
    pieces
}

/// Where the newest sessions lie, as a part of a sentence.
fn lying(apart: &Apart) -> String {
    let newest = match apart.sessions {
        1 => "the newest session lies".to_owned(),
        more => format!("the newest {more} sessions lie"),
    };
    let side = if apart.ratio > 1.0 { "above" } else { "below" };
    let share = say::percent((apart.ratio - 1.0).abs());
    format!("{newest} {share} {side} the level of the {} before", apart.before)
}

/// Where the newest sessions lie, and what is needed to show a change of level.
pub(crate) fn needing(apart: &Apart) -> String {
    format!("{}; more sessions are needed to show a change of level", lying(apart))
}

fn tone(change: &LevelChange) -> Tone {
    if change.is_worse { Tone::Bad } else { Tone::Good }
}

fn commits(change: &LevelChange) -> String {
    match &change.commits {
        Some(same) if same.last_before == same.first_after => {
            format!("both at {}", super::short(&same.first_after))
        }
        Some(commits) => range(commits),
        None => String::new(),
    }
}

fn of_one(found: &TrendFindings) -> Vec<Piece> {
    let titles = titles(&found.series);
    let mut pieces: Vec<Piece> =
        found.series.iter().zip(&titles).map(|(series, title)| answer(series, title)).collect();
    let identities: Vec<_> = found.series.iter().map(|series| &series.name.identity).collect();
    for series in &found.series {
        if found.series.len() > 1 {
            let program = || say::visible(&series.name.identity.program);
            let which = difference(&series.name.identity, &identities).unwrap_or_else(program);
            pieces.push(Piece::heading(format!("{which} on {}", machine(&series.name))));
        }
        pieces.extend(drawing(series, &found.by));
        if !series.changes.is_empty() {
            pieces.push(Piece::table(changes(series)));
        }
        pieces.push(Piece::plain(noise(series)));
        pieces.extend(sessions(series));
    }
    let meaning = format!(
        "In {} of series without any change a false one is reported; places and sizes have intervals of 95 %.",
        say::percent(found.level)
    );
    pieces.push(Piece::plain(meaning));
    pieces
}

fn answer(series: &SeriesFindings, title: &str) -> Piece {
    let name = say::named(title);
    let count = say::counted(series.session_count, "session", "sessions");
    let Some(last) = series.changes.last() else {
        if let Some(apart) = &series.apart {
            let sentence = format!("{name}, {count} on {}: {}.", machine(&series.name), needing(apart));
            return Piece::answer(Tone::Doubt, sentence);
        }
        return match series.session_count < SESSIONS_MIN {
            true => Piece::answer(
                Tone::Doubt,
                format!(
                    "{name}: {count} on {}, and it takes {SESSIONS_MIN} to see a change.",
                    machine(&series.name)
                ),
            ),
            false => Piece::answer(
                Tone::Good,
                format!("{name}: no change of level in {count} on {}.", machine(&series.name)),
            ),
        };
    };
    let commits = commits(last);
    let commits = if commits.is_empty() { commits } else { format!(", {commits}") };
    let more = match series.changes.len() - 1 {
        0 => String::new(),
        more => format!(" {} before it.", say::counted(more, "change of level", "changes of level")),
    };
    let apart =
        series.apart.as_ref().map_or_else(String::new, |apart| format!(" Since then, {}.", needing(apart)));
    let sentence = format!(
        "{name} is {} since {} on {}: {} from session {} of {} on{commits}.{more}{apart}",
        direction(&series.name, last.ratio),
        moment(&last.started),
        machine(&series.name),
        interval(last),
        last.at + 1,
        series.session_count
    );
    Piece::answer(tone(last), sentence)
}

/// Drawing of a series' sessions; `None` for fewer than two sessions.
fn drawing(series: &SeriesFindings, by: &str) -> Option<Piece> {
    if series.sessions.len() < 2 {
        return None;
    }
    let metric = known(&series.name);
    let scale = if metric.is_some() { 1.0 } else { series.sessions[0].value };
    let point = |(at, session): (usize, &Session)| Point {
        x: (at + 1) as f64,
        median: session.value / scale,
        low: session.low.unwrap_or(session.value) / scale,
        high: session.high.unwrap_or(session.value) / scale,
        hint: hint(series, session),
        weight: if series.changes.iter().any(|change| change.at == at) { 2 } else { 0 },
    };
    let points = series.sessions.iter().enumerate().map(point).collect();
    let title = format!("{} over its sessions", say::visible(&series.name.identity.benchmark));
    let label = if by == "commit" { "commit" } else { "session" };
    Some(Piece::series(Series {
        description: format!("{title}; those after which the level changed stand out."),
        caption: title.clone(),
        title,
        values: metric.map_or(Values::Change, Values::Metric),
        across: Across { label: label.to_owned(), names: None },
        lines: vec![Line { name: String::new(), points, is_drawn_through: true }],
        rules: Vec::new(),
        is_zoom: false,
    }))
}

fn hint(series: &SeriesFindings, session: &Session) -> String {
    let words = [Some(commit_of(session)), session.label.as_deref().map(say::visible)];
    let notes = session.notes.iter().map(|note| say::visible(note));
    let words = words.into_iter().flatten().chain(notes).filter(|word| !word.is_empty());
    let beside: String = words.map(|word| format!(", {word}")).collect();
    format!(
        "experiment {}, {}: {}{beside}",
        session.experiment,
        moment(&session.started),
        value(&series.name, session.value)
    )
}

fn changes(series: &SeriesFindings) -> Grid {
    let headings =
        ["since", "experiment", "change", "95 % interval", "commits", "between sessions", "p", "notes"];
    let mut grid = Grid::new(&headings, &[6, 5, 7]);
    for change in &series.changes {
        let cells = vec![
            moment(&change.started),
            change.experiment.to_string(),
            format!("{} {}", say::change(change.ratio), direction(&series.name, change.ratio)),
            format!("{} to {}", say::change(change.low_ratio), say::change(change.high_ratio)),
            commits(change),
            format!("{} and {}", change.at_low, change.at_high + 1),
            say::p_value(change.p_value),
            change.notes.iter().map(|note| say::visible(note)).collect::<Vec<_>>().join("; "),
        ];
        grid.push(tone(change), cells);
    }
    grid
}

fn noise(series: &SeriesFindings) -> String {
    let level = value(&series.name, series.level);
    let spread = match series.between_sd {
        Some(sd) => format!(
            "sessions differ by {} (robust standard deviation) beyond what their runs explain",
            say::percent(sd)
        ),
        None => "one session says nothing of how sessions differ".to_owned(),
    };
    let alike = match series.dependence {
        Some(factor) if factor > 1.3 => {
            format!(
                "; neighbouring sessions resemble each other, so their means scatter {factor:.1} times as much as those of \
                 independent ones"
            )
        }
        _ => String::new(),
    };
    match &series.apart {
        Some(_) => {
            let newest = value(&series.name, series.newest);
            format!(
                "The level is {level} without what lies apart, and the newest session {newest}; {spread}{alike}."
            )
        }
        None => format!("The level is {level} now; {spread}{alike}."),
    }
}

/// Table of a series' sessions: the newest in a brief report, and all in a full one.
fn sessions(series: &SeriesFindings) -> Vec<Piece> {
    let grid = |sessions: &[Session]| {
        let headings =
            ["experiment", "started", "commit", "value", "95 % within it", "runs", "label and notes"];
        let mut grid = Grid::new(&headings, &[5, 4, 1]);
        for session in sessions {
            let interval = match (session.low, session.high) {
                (Some(low), Some(high)) => {
                    format!("{} to {}", value(&series.name, low), value(&series.name, high))
                }
                _ => String::new(),
            };
            let said: Vec<String> =
                session.label.iter().chain(&session.notes).map(|text| say::visible(text)).collect();
            let cells = vec![
                session.experiment.to_string(),
                moment(&session.started),
                commit_of(session),
                value(&series.name, session.value),
                interval,
                session.runs.to_string(),
                said.join("; "),
            ];
            grid.push(Tone::Plain, cells);
        }
        Piece::table(grid)
    };
    let newest = &series.sessions[series.sessions.len().saturating_sub(SESSIONS_BRIEF)..];
    vec![grid(newest).in_brief(), grid(&series.sessions).in_full()]
}

fn series_rows(found: &TrendFindings) -> Rows {
    let headings = [
        "sessions",
        "newest",
        "newest_started",
        "level",
        "between_sd",
        "changes",
        "change_started",
        "change_ratio",
        "change_low_ratio",
        "change_high_ratio",
        "change_is_worse",
        "last_before",
        "first_after",
    ];
    let row = |it: &SeriesFindings| {
        let last = it.changes.last();
        let of = |text: &dyn Fn(&LevelChange) -> String| last.map_or_else(String::new, text);
        let commit = |text: fn(&crate::findings::CommitRange) -> &String| {
            of(&|change| change.commits.as_ref().map_or_else(String::new, |it| text(it).clone()))
        };
        vec![
            it.session_count.to_string(),
            it.newest.to_string(),
            it.newest_started.clone(),
            it.level.to_string(),
            it.between_sd.map_or_else(String::new, |sd| sd.to_string()),
            it.changes.len().to_string(),
            of(&|change| change.started.clone()),
            of(&|change| change.ratio.to_string()),
            of(&|change| change.low_ratio.to_string()),
            of(&|change| change.high_ratio.to_string()),
            of(&|change| change.is_worse.to_string()),
            commit(|it| &it.last_before),
            commit(|it| &it.first_after),
        ]
    };
    labelled(&headings, found.series.iter().map(|it| (it, row(it))))
}

fn session_rows(found: &TrendFindings) -> Rows {
    let headings = [
        "experiment",
        "started",
        "commit",
        "dirty",
        "label",
        "notes",
        "value",
        "low",
        "high",
        "runs",
        "is_change",
        "change_ratio",
    ];
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let row = |series: &SeriesFindings, at: usize, session: &Session| {
        let change = series.changes.iter().find(|change| change.at == at);
        vec![
            session.experiment.to_string(),
            session.started.clone(),
            session.commit.clone().unwrap_or_default(),
            session.dirty.map_or_else(String::new, |dirty| dirty.to_string()),
            session.label.clone().unwrap_or_default(),
            session.notes.join("; "),
            session.value.to_string(),
            number(session.low),
            number(session.high),
            session.runs.to_string(),
            change.is_some().to_string(),
            number(change.map(|change| change.ratio)),
        ]
    };
    let rows = found.series.iter().flat_map(|series| {
        series.sessions.iter().enumerate().map(move |(at, session)| (series, row(series, at, session)))
    });
    labelled(&headings, rows)
}
