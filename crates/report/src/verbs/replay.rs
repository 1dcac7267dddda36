//! The report of `aa --replay` and `compare --plan`: effects that can be found on this machine, and the required time.

use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{GateQuestion, Injected, ReplayFindings, ReplayRow, Rule};
use fauxplat_units::Nanos;
use serde::Serialize;

use crate::parts::{Grid, Piece, Tone};
use crate::words::{counted, listed, percent, quantity, round_percent};

/// Share of the replayed comparisons that have to find an effect for it to count as found.
const FOUND: f64 = 0.9;

pub(super) fn parts(record: &Record, found: &ReplayFindings) -> Vec<Piece> {
    if found.rows.is_empty() {
        return vec![Piece::answer(Tone::Doubt, "Nothing was replayed.".to_owned())];
    }
    let rule = &record.header.definition.rule;
    let mut parts = vec![Piece::answer(Tone::Title, answer(found))];
    parts.extend(rule.gate.map(|gate| Piece::plain(gated(gate, rule, found))));
    parts.extend(false_different(found, rule));
    parts.extend(false_equivalent(found, rule));
    parts.push(Piece::table(table(found, rule.gate.is_some())));
    parts.push(Piece::plain(rests_on(found)));
    parts
}

/// Sentence that explains the table's counts if the comparisons were decided by a gate.
fn gated(gate: GateQuestion, rule: &Rule, found: &ReplayFindings) -> String {
    let word = match gate {
        GateQuestion::Slower => "slower",
        GateQuestion::Faster => "faster",
        GateQuestion::Different => "different",
    };
    format!(
        "Judged by the gate of --fail-if {word}: it fails where B is shown to be beyond the margin of {}, passes where B is \
         shown not to be, and else is not decided.",
        percent(found.margin.unwrap_or(rule.margin))
    )
}

fn share(events: usize, row: &ReplayRow) -> f64 {
    events as f64 / row.comparisons.max(1) as f64
}

fn shifts(found: &ReplayFindings) -> impl Iterator<Item = (f64, &ReplayRow)> {
    found.rows.iter().filter_map(|row| match row.injected {
        Injected::Shift { ratio } => Some((ratio - 1.0, row)),
        _ => None,
    })
}

/// The answer, such as "1 % is found in 1.4 s here, 2 % in 0.5 s; 0.3 % is not."
fn answer(found: &ReplayFindings) -> String {
    let is_found = |row: &ReplayRow| share(row.different, row) >= FOUND;
    let time = |row: &ReplayRow| Nanos::from_secs_f64(row.pairs_p90 * found.pair_s);
    let said: Vec<String> = shifts(found)
        .filter(|(_, row)| is_found(row))
        .map(|(shift, row)| format!("{} in {}", round_percent(shift), time(row)))
        .collect();
    let most = shifts(found).filter(|(_, row)| !is_found(row)).last();
    let missed = most.map(|(shift, row)| {
        let (often, within) = (percent(share(row.different, row)), limit(found));
        format!("{} is found in only {often} of comparisons, within {within}", round_percent(shift))
    });
    match (said.is_empty(), missed) {
        (false, None) => format!("Differences found here in nine comparisons of ten: {}.", listed(&said)),
        (false, Some(missed)) => {
            format!("Differences found here in nine comparisons of ten: {}; {missed}.", listed(&said))
        }
        (true, Some(missed)) => {
            format!("No difference that was tried is found here in nine comparisons of ten; {missed}.")
        }
        (true, None) => "The replay was ended before a difference was tried.".to_owned(),
    }
}

fn limit(found: &ReplayFindings) -> String {
    let pairs = counted(found.max_pairs, "pair", "pairs");
    match found.limit_s {
        Some(limit_s) => format!("the limit of {}", Nanos::from_secs_f64(limit_s)),
        None => format!("the limit of {pairs}"),
    }
}

/// Sentence about false *different* verdicts on identical programs: without an added difference, and with an added cost
/// of running second.
fn false_different(found: &ReplayFindings, rule: &Rule) -> Option<Piece> {
    let level = rule.level;
    let same = found
        .rows
        .iter()
        .filter(|row| matches!(row.injected, Injected::Nothing | Injected::CarryOver { .. }));
    let said: Vec<String> = same
        .clone()
        .map(|row| {
            format!("{}: {}", words(row.injected), rate(row.different, row, row.different_interval_95))
        })
        .collect();
    let above = same.clone().any(|row| row.different_interval_95[0] > level);
    let tone = if above { Tone::Bad } else { Tone::Good };
    let allowed = round_percent(level);
    (!said.is_empty()).then(|| {
        Piece::said(
            tone,
            format!(
                "{} of identical programs, {}; the allowed share is {allowed}.",
                alarm(rule),
                listed(&said)
            ),
        )
    })
}

/// Sentence about false *equivalent* verdicts at a difference equal to the margin. The allowed share is the level, as
/// for a false *different*.
fn false_equivalent(found: &ReplayFindings, rule: &Rule) -> Option<Piece> {
    let margin = found.margin.unwrap_or(rule.margin);
    let (_, row) = shifts(found).find(|(shift, _)| (shift - margin).abs() < 1e-9)?;
    let tone = if row.equivalent_interval_95[0] > rule.level { Tone::Bad } else { Tone::Good };
    let margin = match rule.margin_absolute {
        None => round_percent(margin),
        Some(amount) => format!("{} ({})", percent(margin), quantity(rule.metric, amount)),
    };
    let rate = rate(row.equivalent, row, row.equivalent_interval_95);
    Some(Piece::said(
        tone,
        format!("{} at a difference of exactly the margin of {margin}: {rate}.", missed(rule)),
    ))
}

fn alarm(rule: &Rule) -> &'static str {
    if rule.gate.is_some() { "False alarms" } else { "False different" }
}

fn missed(rule: &Rule) -> &'static str {
    if rule.gate.is_some() { "Passed" } else { "False equivalent" }
}

/// A number of verdicts with the interval of its share, such as "1 of 200 (0.01 % to 2.8 %)".
fn rate(events: usize, row: &ReplayRow, [low, high]: [f64; 2]) -> String {
    format!("{events} of {} ({} to {})", row.comparisons, percent(low), percent(high))
}

fn words(injected: Injected) -> String {
    match injected {
        Injected::Nothing => "nothing".to_owned(),
        Injected::Shift { ratio } => format!("B +{}", round_percent(ratio - 1.0)),
        Injected::Tail { share, ratio } => format!("B × {ratio} in {} of runs", round_percent(share)),
        Injected::CarryOver { ratio } => format!("second place +{}", round_percent(ratio - 1.0)),
    }
}

fn table(found: &ReplayFindings, is_gated: bool) -> Grid {
    let [different, equivalent, open] = match is_gated {
        true => ["fails", "passes", "not decided"],
        false => ["different", "equivalent", "open"],
    };
    let header =
        ["put in", different, "95 %", equivalent, "95 %", "as a whole", open, "pairs", "time (9 of 10)"];
    let mut grid = Grid::new(&header, &[5, 4, 7, 2]);
    let interval = |[low, high]: [f64; 2]| format!("{} – {}", percent(low), percent(high));
    for row in &found.rows {
        let time = Nanos::from_secs_f64(row.pairs_p90 * found.pair_s).to_string();
        let cells = vec![
            words(row.injected),
            percent(share(row.different, row)),
            interval(row.different_interval_95),
            percent(share(row.equivalent, row)),
            interval(row.equivalent_interval_95),
            percent(share(row.equivalent_whole, row)),
            percent(share(row.inconclusive, row)),
            format!("{:.0}", row.pairs_median),
            time,
        ];
        grid.push(if row.wrong_sign == 0 { Tone::Plain } else { Tone::Bad }, cells);
    }
    grid
}

fn rests_on(found: &ReplayFindings) -> String {
    let comparisons = found.rows.iter().map(|row| row.comparisons).max().unwrap_or(0);
    format!(
        "{} each, drawn from {} of {} in runs of {} neighbouring blocks, relabelled at random, and judged by the rule of \
         compare. These figures hold for a machine that stays as it was then. Took {} in all.",
        counted(comparisons, "comparison", "comparisons"),
        counted(found.pairs, "pair", "pairs"),
        found.source,
        found.run_length,
        Nanos::from_secs_f64(found.elapsed_s)
    )
}

#[derive(Serialize)]
struct Line {
    injected: String,
    comparisons: usize,
    different: usize,
    different_low: f64,
    different_high: f64,
    wrong_sign: usize,
    equivalent: usize,
    equivalent_low: f64,
    equivalent_high: f64,
    equivalent_whole: usize,
    inconclusive: usize,
    pairs_median: f64,
    pairs_p90: f64,
}

pub(super) fn rows(found: &ReplayFindings, rows: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    found.rows.iter().try_for_each(|row| {
        let [different_low, different_high] = row.different_interval_95;
        let [equivalent_low, equivalent_high] = row.equivalent_interval_95;
        rows.serialize(Line {
            injected: words(row.injected),
            comparisons: row.comparisons,
            different: row.different,
            different_low,
            different_high,
            wrong_sign: row.wrong_sign,
            equivalent: row.equivalent,
            equivalent_low,
            equivalent_high,
            equivalent_whole: row.equivalent_whole,
            inconclusive: row.inconclusive,
            pairs_median: row.pairs_median,
            pairs_p90: row.pairs_p90,
        })
    })
}
