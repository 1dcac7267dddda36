//! The report of `explain`: a sentence, and a bar for each factor.

use fauxplat_model::{Component, ExplainFindings, Interaction, LevelEffect, is_no_bound};
use fauxplat_units::Nanos;
use serde::Serialize;

use crate::parts::{Grid, Piece, Rank, Tone};
use crate::words::{counted, percent, visible};

/// Number of characters of the longest bar.
const BAR: f64 = 20.0;

pub(crate) fn parts(found: &ExplainFindings) -> Vec<Piece> {
    if found.components.is_empty() {
        return vec![Piece::answer(Tone::Doubt, "Too few runs to explain anything.".to_owned())];
    }
    let mut parts = vec![Piece::answer(Tone::Title, answer(found)), Piece::table(table(found))];
    parts.extend(chance(found).map(Piece::plain));
    parts.extend(found.interaction.as_ref().map(|pair| Piece::plain(together(pair, found.level)).in_full()));
    parts.push(Piece::plain(rests_on(found)).in_full());
    let failed = || counted(found.failures, "failed run was", "failed runs were");
    let failed = (found.failures > 0).then(|| format!("{} left out.", failed()));
    parts.extend(failed.map(|it| Piece::sentence(Rank::Warning, Tone::Doubt, it).in_brief()));
    parts
}

fn is_named(component: &Component, level: f64) -> bool {
    component.p_adjusted.is_some_and(|p| p <= level)
}

/// The sentence of the answer, such as "Of the 12 % between the slowest and the fastest tenth of the runs: 7.0 points
/// layout (…), 2.0 points unexplained."
fn answer(found: &ExplainFindings) -> String {
    let named = found.components.iter().filter(|component| is_named(component, found.level));
    let mut said: Vec<String> =
        named.map(|one| format!("{} {}", points(one.points_percent), words(one))).collect();
    // The table has a row for what no factor explains, and the sentence says the same figure.
    let sum = |is_counted: &dyn Fn(&Component) -> bool| -> f64 {
        found.components.iter().filter(|one| is_counted(one)).map(|one| one.points_percent).sum()
    };
    let silent = points(sum(&|one| one.p_adjusted.is_some() && !is_named(one, found.level)));
    let is_shown = silent != points(0.0);
    said.extend(is_shown.then(|| format!("{silent} indistinguishable from chance")));
    said.push(format!("{} unexplained", points(sum(&|one| one.p_adjusted.is_none()))));
    let whole = percent(found.worst_over_best_ratio - 1.0);
    let ends =
        |[low, high]: [f64; 2]| format!("95 % interval {} to {}", percent(low - 1.0), percent(high - 1.0));
    let within = found.worst_over_best_interval.map_or_else(|| "–".to_owned(), ends);
    format!(
        "Of the {whole} ({within}) between the slowest and the fastest tenth of the runs: {}.",
        said.join(", ")
    )
}

fn points(points: f64) -> String {
    let shown = format!("{:.1}", points.max(0.0));
    let word = if shown == "1.0" { "point" } else { "points" };
    format!("{shown}\u{a0}{word}")
}

/// A factor with its extreme levels, such as "cpu (CPU 1 against CPU 0: +3.1 %)".
fn words(component: &Component) -> String {
    let by_ratio = |a: &&LevelEffect, b: &&LevelEffect| a.ratio.total_cmp(&b.ratio);
    let (slow, fast) = (component.levels.iter().max_by(by_ratio), component.levels.iter().min_by(by_ratio));
    match (slow, fast) {
        (Some(slow), Some(fast)) if component.factor != "drift" => {
            let apart = percent(slow.ratio / fast.ratio - 1.0);
            let (factor, slow, fast) = (&component.factor, visible(&slow.level), visible(&fast.level));
            format!("{factor} ({slow} against {fast}: +{apart})")
        }
        _ => component.factor.clone(),
    }
}

fn table(found: &ExplainFindings) -> Grid {
    let header = ["factor", "points", "", "variance", "95 % interval", "p"];
    let mut grid = Grid::new(&header, &[5, 2]);
    let most = found.components.iter().map(|one| one.points_percent).fold(0.0, f64::max);
    for one in &found.components {
        let tone = if is_named(one, found.level) { Tone::Neutral } else { Tone::Plain };
        grid.push(tone, row(one, most));
    }
    grid
}

fn row(one: &Component, most: f64) -> Vec<String> {
    let length = if most > 0.0 { BAR * (one.points_percent / most).clamp(0.0, 1.0) } else { 0.0 };
    let p = |p: f64| if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") };
    vec![
        if one.factor == "residual" { "unexplained".to_owned() } else { one.factor.clone() },
        format!("{:.2}", one.points_percent),
        "█".repeat(length.round() as usize),
        percent(one.variance_share),
        format!("{} … {}", percent(one.low), percent(one.high)),
        one.p_adjusted.map_or_else(String::new, p),
    ]
}

/// Sentence about factors whose effect is compatible with chance; `None` if there are none.
fn chance(found: &ExplainFindings) -> Option<String> {
    let silent: Vec<&str> = found
        .components
        .iter()
        .filter(|one| one.p_adjusted.is_some_and(|p| p > found.level))
        .map(|one| one.factor.as_str())
        .collect();
    (!silent.is_empty()).then(|| format!("Indistinguishable from chance here: {}.", silent.join(", ")))
}

/// Sentence about the interaction of two factors: stated if significant, otherwise bounded.
fn together(pair: &Interaction, level: f64) -> String {
    let [one, other] = &pair.factors;
    let interval = format!("{} to {} of the variance", percent(pair.low), percent(pair.high));
    match pair.p_adjusted <= level {
        true => format!(
            "The unexplained part contains an interaction: {one} and {other} do together what neither does alone \
             ({interval})."
        ),
        false => {
            format!(
                "No interaction can be told from chance here; the largest may be {one} with {other} ({interval})."
            )
        }
    }
}

fn rests_on(found: &ExplainFindings) -> String {
    let runs = counted(found.runs, "run", "runs");
    let blocks = counted(found.blocks, "block", "blocks");
    let failed = match found.failures {
        0 => String::new(),
        failures => format!(" and {} left out", counted(failures, "failed run", "failed runs")),
    };
    let median = found.median_ns.map_or_else(|| "?".to_owned(), Nanos::display_f64);
    let ends = |[low, high]: [f64; 2]| format!("{} … {}", Nanos::display_f64(low), Nanos::display_f64(high));
    let within = found.median_interval_ns.map_or_else(|| "–".to_owned(), ends);
    format!(
        "This explanation rests on {runs} in {blocks}{failed}; median {} {median} ({within}).",
        found.metric.title()
    )
}

/// A row of CSV: a factor, or a level of a factor.
#[derive(Serialize)]
struct Line<'a> {
    factor: &'a str,
    level: Option<&'a str>,
    runs: Option<usize>,
    variance_share: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    points_percent: Option<f64>,
    p_adjusted: Option<f64>,
    ratio: Option<f64>,
    ci_low_ratio: Option<f64>,
    ci_high_ratio: Option<f64>,
}

const COLUMNS: [&str; 11] = [
    "factor",
    "level",
    "runs",
    "variance_share",
    "low",
    "high",
    "points_percent",
    "p_adjusted",
    "ratio",
    "ci_low_ratio",
    "ci_high_ratio",
];

/// Writes rows of CSV: every factor is followed by its levels.
pub(crate) fn rows(found: &ExplainFindings, rows: &mut csv::Writer<impl std::io::Write>) -> csv::Result<()> {
    if found.components.is_empty() {
        // A table without rows keeps its heading, so that it is not taken for a truncated file.
        return rows.write_record(COLUMNS);
    }
    for one in &found.components {
        rows.serialize(Line::of(one))?;
        one.levels.iter().try_for_each(|level| rows.serialize(Line::of_level(one, level)))?;
    }
    Ok(())
}

impl<'a> Line<'a> {
    fn of(one: &'a Component) -> Self {
        Line {
            factor: &one.factor,
            level: None,
            runs: None,
            variance_share: Some(one.variance_share),
            low: Some(one.low),
            high: Some(one.high),
            points_percent: Some(one.points_percent),
            p_adjusted: one.p_adjusted,
            ratio: None,
            ci_low_ratio: None,
            ci_high_ratio: None,
        }
    }

    fn of_level(one: &'a Component, level: &'a LevelEffect) -> Self {
        Line {
            factor: &one.factor,
            level: Some(&level.level),
            runs: Some(level.runs),
            variance_share: None,
            low: None,
            high: None,
            points_percent: None,
            p_adjusted: None,
            ratio: Some(level.ratio),
            ci_low_ratio: Some(level.ci_low_ratio).filter(|end| !is_no_bound(*end)),
            ci_high_ratio: Some(level.ci_high_ratio).filter(|end| !is_no_bound(*end)),
        }
    }
}
