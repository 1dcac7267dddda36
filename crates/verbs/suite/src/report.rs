//! The report of a suite: the answer, the changes from worst to best, and the open questions.

use std::cmp::Ordering;

use fauxplat_model::document::Record;
use fauxplat_model::{FailIf, GateQuestion, GateState, Metric, PLAIN_COMMANDS};
use fauxplat_report::parts::{Effect, Effects, Grid, Medium, Piece, Tone};
use fauxplat_report::{Case, CaseOutcome, Format, OwnReading, OwnReport, Rows, say};
use serde::Deserialize;
use serde_json::{Error, Value};

use crate::carried::carried;
use crate::findings::{Benchmark, Control, Group, Ratio, SCHEMA, State, SuiteFindings};
use crate::intervals::{as_read, ends, is_changed, more_is_better, with_interval};
use crate::lost::{self, lost};
use crate::names::{NAME_COLUMNS, named, reason};
use crate::one_sided;
use crate::open::open;
use crate::processes::missed;

#[derive(Debug)]
pub struct SuiteReport;

/// Maximum number of rows of a comment on a pull request, which may have 65,536 bytes.
const ROWS_OF_COMMENT: usize = 25;

/// Maximum number of rows of the drawing of changes. The rows are sorted, so the omitted ones show little change.
const ROWS_OF_FOREST: usize = 60;

/// Headings of the rows for spreadsheets.
const HEADINGS: [&str; 12] = [
    "benchmark",
    "group",
    "state",
    "ratio",
    "low_ratio",
    "high_ratio",
    "p_adjusted",
    "a",
    "b",
    "unit",
    "pairs",
    "gate",
];

/// Maximum number of columns of a unit.
const UNIT_COLUMNS: usize = 24;

/// Media of reports with room for a row for every benchmark.
const WIDE: [Medium; 2] = [Medium::Terminal, Medium::Page];

impl OwnReport for SuiteReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::GoBenchmark, Format::GoogleBenchmark, Format::JUnit, Format::Svg]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        Ok(pieces(&SuiteFindings::deserialize(document)?))
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = SuiteFindings::deserialize(document)?;
        Ok(Rows {
            headings: HEADINGS.map(str::to_owned).to_vec(),
            rows: found
                .benchmarks
                .iter()
                .map(fields)
                .chain(one_sided::rows(&found, HEADINGS.len()))
                .collect(),
        })
    }

    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error> {
        let found = SuiteFindings::deserialize(document)?;
        let cases = found.benchmarks.iter().map(|it| case(&found, it));
        Ok(cases.chain(one_sided::cases(&found)).chain(lost::cases(&found)).collect())
    }

    fn readings(&self, document: &Value) -> Result<Vec<OwnReading>, Error> {
        let found = SuiteFindings::deserialize(document)?;
        let of = |side: &'static str, value: fn(&(f64, f64)) -> f64| -> Vec<OwnReading> {
            let readings =
                found.benchmarks.iter().flat_map(|it| it.readings.iter().map(move |pair| (it, pair)));
            readings
                .map(|(it, pair)| OwnReading {
                    benchmark: it.name.clone(),
                    side,
                    value: value(pair),
                    unit: it.unit.clone(),
                    more_is_better: more_is_better(it),
                })
                .collect()
        };
        Ok([of("A", |pair| pair.0), of("B", |pair| pair.1)].concat())
    }
}

fn fields(it: &Benchmark) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let effect = |of: fn(Ratio) -> Option<f64>| number(it.effect.and_then(of));
    vec![
        it.name.clone(),
        it.group.clone(),
        word(it.state).to_owned(),
        effect(|it| Some(it.ratio)),
        effect(|it| it.low),
        effect(|it| it.high),
        it.p_adjusted.to_string(),
        number(it.a),
        number(it.b),
        it.unit.clone(),
        it.pairs.to_string(),
        it.gate.map(gate_word).unwrap_or_default().to_owned(),
    ]
}

fn case(found: &SuiteFindings, it: &Benchmark) -> Case {
    let sentence = match as_read(it) {
        Some(effect) => format!("{} ({})", word(it.state), with_interval(effect, is_changed(it))),
        None => format!("not measured: {}", it.trouble.as_deref().unwrap_or("no pair could be measured")),
    };
    let sentence = [vec![sentence], missed(&it.processes)].concat().join("; ");
    let outcome = match (it.gate, it.state) {
        _ if it.has_failed || found.is_failed(it) => CaseOutcome::Failed(sentence),
        (None, State::Slower) if found.fail_if.is_empty() => CaseOutcome::Failed(sentence),
        (Some(GateState::Within | GateState::Beyond), _)
        | (None, State::Unchanged | State::Faster | State::Slower) => CaseOutcome::Passed(sentence),
        _ => CaseOutcome::Skipped(sentence),
    };
    let time_s = it.b.filter(|_| it.unit == "ns").map(|median_ns| median_ns / 1e9);
    Case { name: it.name.clone(), time_s, outcome }
}

fn word(state: State) -> &'static str {
    match state {
        State::Slower => "slower",
        State::Faster => "faster",
        State::Unchanged => "unchanged",
        State::Undecided => "not decided",
        State::NotMeasured => "not measured",
    }
}

fn gate_word(gate: GateState) -> &'static str {
    match gate {
        GateState::Beyond => "beyond",
        GateState::Within => "within",
        GateState::Undecided => "undecided",
    }
}

fn pieces(found: &SuiteFindings) -> Vec<Piece> {
    let mut pieces = vec![answer(found)];
    if found.are_same_file == Some(true) {
        pieces.push(Piece::said(Tone::Doubt, EQUAL));
    }
    if found.is_weaker {
        pieces.push(Piece::said(Tone::Doubt, WEAKER));
    }
    pieces.extend(found.common.map(common));
    pieces.extend(gate(found));
    pieces.extend(lost(found));
    pieces.extend(found.mean.filter(|_| found.benchmarks.len() > 1).map(|mean| mean_of(found, mean)));
    let sorted = sorted(&found.benchmarks);
    let (told, alike): (Vec<&Benchmark>, Vec<&Benchmark>) =
        sorted.iter().partition(|it| it.state != State::Unchanged);
    let changed: Vec<&Benchmark> = told.iter().copied().filter(|it| is_changed(it)).collect();
    pieces.extend(forest(found, &sorted));
    if !told.is_empty() {
        let short: Vec<&Benchmark> =
            told.iter().copied().take(ROWS_OF_COMMENT.max(changed.len().min(60))).collect();
        let left_out = told.len() - short.len();
        pieces.push(Piece::table(grid(&told, usize::MAX)).only(&WIDE));
        pieces.push(Piece::table(grid(&short, NAME_COLUMNS)).only(&[Medium::Comment]));
        if left_out > 0 {
            let sentence = format!(
                "{} left out here; --format html and csv have all.",
                say::counted(left_out, "further benchmark is", "further benchmarks are")
            );
            pieces.push(Piece::plain(sentence).only(&[Medium::Comment]));
        }
    }
    pieces.extend(carried(found));
    pieces.extend(open(found));
    for (title, heading, all) in [
        ("groups, the worst first", "group", &found.groups),
        ("benchmarks of one parameter, the worst first", "parameter", &found.parameters),
    ] {
        if !all.is_empty() {
            pieces.push(Piece::heading(title).in_full().only(&WIDE));
            pieces.push(Piece::table(groups(heading, all)).joined().in_full().only(&WIDE));
        }
    }
    if !alike.is_empty() {
        pieces.push(Piece::heading(format!("unchanged within {}", margin(found))).in_full().only(&WIDE));
        pieces.push(Piece::table(grid(&alike, usize::MAX)).joined().in_full().only(&WIDE));
    }
    pieces.extend(one_sided::pieces(found));
    pieces.push(Piece::plain(how(found)).in_full());
    pieces
}

const EQUAL: &str = "The files of both programs are equal byte for byte, and so are their arguments: whatever differs is \
                     noise, or comes from other files.";

const WEAKER: &str = "These results were stored at two times: what the machine did in between counts as a change. \
                      Run both programs in one suite to exclude that.";

/// Sorts benchmarks by state and then by the size of the change: slower, faster, undecided, not measured, unchanged.
fn sorted(benchmarks: &[Benchmark]) -> Vec<&Benchmark> {
    let rank = |it: &Benchmark| match it.state {
        State::Slower => 0,
        State::Faster => 1,
        State::Undecided => 2,
        State::NotMeasured => 3,
        State::Unchanged => 4,
    };
    let size = |it: &Benchmark| it.effect.map_or(0.0, |effect| effect.ratio.ln().abs());
    let mut sorted: Vec<&Benchmark> = benchmarks.iter().collect();
    let order = |a: &&Benchmark, b: &&Benchmark| -> Ordering {
        rank(a).cmp(&rank(b)).then(size(b).total_cmp(&size(a)))
    };
    sorted.sort_by(order);
    sorted
}

fn answer(found: &SuiteFindings) -> Piece {
    let all = found.benchmarks.len();
    let count = |state| found.count(state);
    let (slower, faster, alike) = (count(State::Slower), count(State::Faster), count(State::Unchanged));
    let (open, failed) = (count(State::Undecided), count(State::NotMeasured));
    let margin = margin(found);
    let mut said = Vec::new();
    for (number, words) in [(slower, "slower"), (faster, "faster")] {
        said.extend((number > 0).then(|| format!("{number} {words}")));
    }
    said.extend((alike > 0).then(|| format!("{alike} unchanged within {margin}")));
    said.extend((open > 0).then(|| format!("{open} not decided")));
    said.extend((failed > 0).then(|| format!("{failed} not measured")));
    let changed = slower + faster;
    let begin = match (changed, open + failed) {
        (0, 0) => format!("No benchmark changed: of {all},"),
        (0, _) => format!("No benchmark was shown to change: of {all},"),
        _ => format!("Of {} in both programs,", say::counted(all, "benchmark", "benchmarks")),
    };
    let worst = sorted(&found.benchmarks).into_iter().find(|it| is_changed(it));
    let worst = worst.and_then(|it| {
        let more = if more_is_better(it) { " (more is better)" } else { "" };
        Some(format!("; the most: {} {}{more}", named(&it.name), say::change(as_read(it)?.ratio)))
    });
    let tone = match (slower, faster, open + failed) {
        (0, 0, 0) => Tone::Good,
        (0, 0, _) => Tone::Doubt,
        (0, ..) => Tone::Good,
        _ => Tone::Bad,
    };
    Piece::answer(tone, format!("{begin} {}{}.", say::listed(&said), worst.unwrap_or_default()))
}

/// The margin as a part of a sentence. It is a factor in both directions, so that the share downwards is smaller.
fn named_margin(found: &SuiteFindings) -> String {
    match found.benchmarks.iter().any(|it| it.margin.is_some()) {
        true => margin(found),
        false => format!("the margin of {}", margin(found)),
    }
}

/// The margin as text.
pub(crate) fn margin(found: &SuiteFindings) -> String {
    match found.benchmarks.iter().any(|it| it.margin.is_some()) {
        true => "their margins".to_owned(),
        false => say::percent(found.margin),
    }
}

fn common(common: Ratio) -> Piece {
    let way = if common.ratio > 1.0 { "slower" } else { "faster" };
    Piece::said(
        Tone::Doubt,
        format!(
            "Nearly all benchmarks are {way} by the same share, {}: look for a cause that they share, such as the \
             compiler, its options, the harness or a library, before single benchmarks.",
            with_interval(common, false)
        ),
    )
}

fn gate(found: &SuiteFindings) -> Option<Piece> {
    let [beyond, within] = [GateState::Beyond, GateState::Within].map(|answer| found.gated(answer));
    let [open, left_open] = found.left_open();
    let missing = if found.asks_for_missing() { found.count(State::NotMeasured) } else { left_open };
    let gone = if found.misses_gone() { found.gone.len() } else { 0 };
    let one_of = |count: usize, is: &str, are: &str| format!("{count} {}", if count == 1 { is } else { are });
    let mut said = match FailIf::question(&found.fail_if) {
        Some(question) => {
            let changed = match question {
                GateQuestion::Slower => "slower",
                GateQuestion::Faster => "faster",
                GateQuestion::Different => "slower or faster",
            };
            vec![format!("{} {changed} by more than {}", one_of(beyond, "is", "are"), named_margin(found))]
        }
        None => Vec::new(),
    };
    said.extend((within > 0).then(|| one_of(within, "is not", "are not")));
    said.extend((open > 0).then(|| one_of(open, "is not decided", "are not decided")));
    said.extend((missing > 0).then(|| one_of(missing, "was not measured", "were not measured")));
    said.extend((gone > 0).then(|| one_of(gone, "is only in A", "are only in A")));
    let needs_verdict = found.fail_if.contains(&FailIf::Inconclusive);
    said.extend(needs_verdict.then(|| one_of(found.inconclusive(), "has no verdict", "have no verdict")));
    if said.is_empty() {
        said.push("none is missing".to_owned());
    }
    let nothing_measured = found.count(State::NotMeasured) == found.benchmarks.len();
    let (tone, ends) = match (found.fails(), nothing_measured) {
        (true, _) => (Tone::Bad, "fails"),
        (false, true) => (Tone::Doubt, "has no answer"),
        (false, false) => (Tone::Neutral, "passes"),
    };
    (!found.fail_if.is_empty())
        .then(|| Piece::said(tone, format!("The gate {} {ends}: {}.", found.gates(), say::listed(&said))))
}

fn mean_of(found: &SuiteFindings, mean: Ratio) -> Piece {
    let sentence = match (mean.low, mean.high) {
        (None, None) => {
            format!("{}; it has no interval yet, since some benchmarks have none", say::change(mean.ratio))
        }
        _ => {
            format!(
                "{}; this interval and those below hold together with {}",
                with_interval(mean, false),
                say::round_percent(1.0 - found.level)
            )
        }
    };
    let of_rates = match found.benchmarks.iter().any(more_is_better) {
        true => ", with the inverse of rates",
        false => "",
    };
    let (all, counted) =
        (found.benchmarks.len(), found.benchmarks.iter().filter(|it| it.effect.is_some()).count());
    let of = match counted == all {
        true => format!("all {all} benchmarks"),
        false => format!("{counted} of {all} benchmarks"),
    };
    Piece::plain(format!("Geometric mean of the changes of {of}{of_rates}: {sentence}."))
}

fn how(found: &SuiteFindings) -> String {
    let error = match found.control {
        Control::Family => "The probability that any unchanged benchmark is called changed",
        Control::Discovery => "The expected share of unchanged benchmarks among those called changed",
    };
    let level = say::percent(found.level);
    let by = match found.harness == PLAIN_COMMANDS {
        true => "Plain commands".to_owned(),
        false => format!("Harness {}", named(&found.harness)),
    };
    let runs = || {
        let processes = say::counted(found.processes as usize, "process", "processes");
        format!(", {processes} in {}", fauxplat_units::Nanos::from_secs_f64(found.elapsed_s))
    };
    let runs = if found.is_weaker { String::new() } else { runs() };
    format!(
        "{error} is at most {level}, however often one looks; the same holds for benchmarks that differ by {} or more and \
         are called unchanged. {by}{runs}.",
        named_margin(found)
    )
}

fn tone(state: State) -> Tone {
    match state {
        State::Slower => Tone::Bad,
        State::Faster => Tone::Good,
        State::Unchanged => Tone::Neutral,
        State::Undecided | State::NotMeasured => Tone::Doubt,
    }
}

/// Table of benchmarks, whose names have at most so many columns.
fn grid(benchmarks: &[&Benchmark], name_columns: usize) -> Grid {
    let mut grid =
        Grid::named(&["benchmark", "change", "from", "to", "A", "B", "pairs", "finding"], &[6, 4, 5]);
    for it in benchmarks {
        let tone = tone(it.state);
        let (change, low, high) = match as_read(it) {
            Some(effect) => {
                let [low, high] = ends(effect, is_changed(it));
                (say::change(effect.ratio), low, high)
            }
            None => ("?".to_owned(), "?".to_owned(), "?".to_owned()),
        };
        let more = if more_is_better(it) { ", more is better" } else { "" };
        let finding = match (&it.trouble, it.is_within_margin && is_changed(it)) {
            (Some(why), _) if it.state == State::NotMeasured => reason(why),
            (Some(why), _) if it.state == State::Undecided => format!("not decided; {}", reason(why)),
            (_, true) => {
                let own = it.margin.map(|margin| format!(" of {}", say::percent(margin))).unwrap_or_default();
                format!("{}, within the margin{own}{more}", word(it.state))
            }
            _ if is_changed(it) => format!("{}{more}", word(it.state)),
            _ => match it.margin.filter(|_| it.state == State::Unchanged) {
                Some(margin) => format!("unchanged within {}", say::percent(margin)),
                None => word(it.state).to_owned(),
            },
        };
        let cells = vec![
            say::shorten(&say::visible(&it.name), name_columns, "…"),
            change,
            low,
            high,
            amount(it.a, &it.unit),
            amount(it.b, &it.unit),
            it.pairs.to_string(),
            finding,
        ];
        grid.push(tone, cells);
    }
    grid
}

/// Drawing of the largest changes with their intervals; `None` where there is none.
fn forest(found: &SuiteFindings, sorted: &[&Benchmark]) -> Option<Piece> {
    let row = |it: &&Benchmark| {
        let effect = it.effect?;
        let tone = tone(it.state);
        Some(Effect { name: it.name.clone(), tone, ratio: effect.ratio, low: effect.low, high: effect.high })
    };
    let rows: Vec<Effect> = sorted.iter().filter_map(row).take(ROWS_OF_FOREST).collect();
    let left_out = found.benchmarks.iter().filter(|it| it.effect.is_some()).count() - rows.len();
    let rest = if left_out > 0 { format!(", the first {ROWS_OF_FOREST}") } else { String::new() };
    let of_rates = if found.benchmarks.iter().any(more_is_better) { "; of rates the inverse" } else { "" };
    (!rows.is_empty()).then(|| {
        Piece::effects(Effects {
            title: format!("change from A to B, with simultaneous intervals{rest}{of_rates}"),
            description:
                "A dot upon its interval for each benchmark, the worst at the top; a band is the margin"
                    .to_owned(),
            margin: found.margin,
            rows,
        })
    })
}

fn groups(heading: &str, groups: &[Group]) -> Grid {
    let mut grid = Grid::named(&[heading, "change", "from", "to", "benchmarks", "slower", "faster"], &[]);
    for it in groups {
        let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), say::change);
        let cells = vec![
            say::visible(&it.name),
            say::change(it.mean.ratio),
            end(it.mean.low),
            end(it.mean.high),
            it.benchmarks.to_string(),
            it.slower.to_string(),
            it.faster.to_string(),
        ];
        grid.push(Tone::Plain, cells);
    }
    grid
}

fn amount(value: Option<f64>, unit: &str) -> String {
    match value {
        None => "?".to_owned(),
        Some(value) if unit == "ns" => say::quantity(Metric::WALL, value),
        Some(value) => format!("{value:.4} {}", say::shorten(&say::visible(unit), UNIT_COLUMNS, "…")),
    }
}

/// Summary of a suite for lists of experiments.
pub fn summary(found: &SuiteFindings) -> String {
    let count = |state| found.count(state);
    format!("{} slower, {} faster of {}", count(State::Slower), count(State::Faster), found.benchmarks.len())
}
