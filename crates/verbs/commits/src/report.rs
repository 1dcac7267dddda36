//! The report of a search for a commit.

use fauxplat_model::document::Record;
use fauxplat_model::is_no_bound;
use fauxplat_report::parts::{Grid, Piece, Tone};
use fauxplat_report::{Case, CaseOutcome, OwnReport, Rows, say};
use serde::Deserialize;
use serde_json::{Error, Value};

use crate::decision::Ratio;
use crate::findings::{Answer, BisectFindings, Commit, Compared, Outcome, SCHEMA, Step};

/// Maximum number of suspects that a sentence names; it gives only the number of the others.
const NAMED: usize = 10;

#[derive(Debug)]
pub(crate) struct BisectReport;

impl OwnReport for BisectReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn earlier(&self) -> &'static [&'static str] {
        &["fauxplat.bisect/1"]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        let found = BisectFindings::deserialize(document)?;
        let mut pieces = vec![answer(&found)];
        pieces.extend(ends(&found).map(Piece::plain));
        let left = suspects(&found.suspects);
        match (found.answer, found.suspects.len()) {
            (Answer::Several, 2..) => {
                pieces.push(Piece::plain(format!("They cannot be told apart: {left}.")));
            }
            (Answer::Stopped, 2..) if found.ends.is_some() => {
                pieces.push(Piece::plain(format!("The suspects: {left}.")));
            }
            _ => {}
        }
        if !found.steps.is_empty() {
            pieces.push(Piece::heading("Steps"));
            pieces.push(Piece::table(steps(&found.steps)));
        }
        pieces.push(Piece::plain(work(&found)));
        Ok(pieces)
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = BisectFindings::deserialize(document)?;
        let headings = [
            "commit",
            "name",
            "outcome",
            "from_good_ratio",
            "from_good_low_ratio",
            "from_good_high_ratio",
            "to_bad_ratio",
            "to_bad_low_ratio",
            "to_bad_high_ratio",
            "pairs",
            "elapsed_s",
        ];
        let rows = found.steps.iter().map(row).collect();
        Ok(Rows { headings: headings.map(str::to_owned).to_vec(), rows })
    }

    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error> {
        let found = BisectFindings::deserialize(document)?;
        let outcome = match found.answer {
            Answer::Commit => CaseOutcome::Failed(found.summary.clone()),
            Answer::NoChange => CaseOutcome::Passed(found.summary.clone()),
            _ => CaseOutcome::Skipped(found.summary.clone()),
        };
        let name = format!("{} to {}", found.good.name, found.bad.name);
        Ok(vec![Case { name, time_s: Some(found.elapsed_s), outcome }])
    }
}

/// The answer as a part of a sentence, for lists of experiments.
pub(crate) fn summary(found: &BisectFindings) -> String {
    let named =
        |found: &BisectFindings| found.found.as_ref().map_or_else(String::new, |it| it.commit.name.clone());
    match found.answer {
        Answer::Commit => {
            format!(
                "{}: {}",
                named(found),
                found.found.as_ref().and_then(|it| it.own).map_or("?".to_owned(), changed)
            )
        }
        Answer::Several => format!("one of {} commits", found.suspects.len()),
        Answer::NotConfirmed => format!("{}, not confirmed", named(found)),
        Answer::NoChange => "no change between the ends".to_owned(),
        Answer::NotShown => "no change shown between the ends".to_owned(),
        Answer::Stopped if found.ends.is_none() => "stopped before the ends were compared".to_owned(),
        Answer::Stopped => {
            format!("stopped with {}", say::counted(found.suspects.len(), "suspect", "suspects"))
        }
    }
}

fn answer(found: &BisectFindings) -> Piece {
    let name = |commit: &Commit| say::named(&commit.name);
    let error = say::percent(found.error);
    let (tone, text) = match (found.answer, &found.found) {
        (Answer::Commit, Some(it)) => (
            Tone::Neutral,
            format!(
                "{} made the change: {} against the commit before it. The probability that a wrong commit is named is \
                 at most {error}.",
                name(&it.commit),
                it.own.map_or("?".to_owned(), interval)
            ),
        ),
        (Answer::NotConfirmed, Some(it)) => (
            Tone::Doubt,
            format!(
                "The search led to {}, which is not shown to differ from the commit before it{}: several commits may have \
                 made the change together.",
                name(&it.commit),
                it.own.map_or(String::new(), |own| format!(" ({})", interval(own)))
            ),
        ),
        (Answer::Several, _) => {
            (Tone::Doubt, format!("One of {} commits made the change.", found.suspects.len()))
        }
        (Answer::NoChange, _) => (
            Tone::Good,
            format!(
                "No change between the ends: {} and {} differ by less than {}.",
                name(&found.good),
                name(&found.bad),
                say::percent(found.margin)
            ),
        ),
        (Answer::NotShown, _) => (
            Tone::Doubt,
            format!(
                "{} and {} may or may not differ by more than {}: raise --max-time, or take a quieter machine or a \
                 metric with less noise.",
                name(&found.good),
                name(&found.bad),
                say::percent(found.margin)
            ),
        ),
        (Answer::Stopped, _) if found.ends.is_none() => (
            Tone::Doubt,
            format!(
                "Stopped before {} and {} were shown to differ: nothing is known of the {} yet, and the same command \
                 line begins anew.",
                name(&found.good),
                name(&found.bad),
                say::counted(found.commits, "commit", "commits")
            ),
        ),
        _ => (
            Tone::Doubt,
            format!(
                "Stopped with {} left: the same command line continues the search.",
                say::counted(found.suspects.len(), "suspect", "suspects")
            ),
        ),
    };
    Piece::answer(tone, text)
}

fn ends(found: &BisectFindings) -> Option<String> {
    let ends = found.ends?;
    let (good, bad) = (say::named(&found.good.name), say::named(&found.bad.name));
    let metric = found.metric.title();
    Some(format!("Between the ends: {bad} against {good}, {} in {metric}.", interval(ends)))
}

fn work(found: &BisectFindings) -> String {
    let built = match found.built {
        0 => "nothing was built".to_owned(),
        many => {
            format!("{} built in {:.1} s", say::counted(many, "commit was", "commits were"), found.build_s)
        }
    };
    let before = match found.steps_before {
        0 => String::new(),
        many => format!("; {} came from an earlier call", say::counted(many, "step", "steps")),
    };
    format!(
        "{} between the ends, {}; {built}; {:.1} s in all{before}.",
        say::counted(found.commits, "commit", "commits"),
        say::counted(found.steps.len(), "step", "steps"),
        found.elapsed_s
    )
}

fn suspects(suspects: &[Commit]) -> String {
    let named = suspects.iter().take(NAMED).map(|commit| say::named(&commit.name));
    let more = suspects.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    say::listed(&named.chain(more).collect::<Vec<_>>())
}

fn steps(steps: &[Step]) -> Grid {
    let mut grid =
        Grid::named(&["commit", "is", "from the good end", "to the bad end", "pairs", "time"], &[4, 5]);
    for step in steps {
        let (tone, is) = match step.outcome {
            Outcome::Good => (Tone::Plain, "good".to_owned()),
            Outcome::Bad => (Tone::Plain, "bad".to_owned()),
            Outcome::Undecided => (Tone::Doubt, "undecided".to_owned()),
            Outcome::Failed => (Tone::Bad, "skipped: it fails".to_owned()),
        };
        let of = |compared: Option<Compared>| compared.map_or_else(String::new, changed);
        let pairs = step.to_bad.map_or_else(String::new, |it| say::grouped(it.pairs as u64));
        let time = step.to_bad.map_or_else(String::new, |it| format!("{:.1} s", it.elapsed_s));
        grid.push(
            tone,
            vec![say::visible(&step.commit.name), is, of(step.from_good), of(step.to_bad), pairs, time],
        );
    }
    grid
}

fn changed(compared: Compared) -> String {
    say::change(compared.ratio.ratio)
}

fn interval(compared: Compared) -> String {
    let Ratio { ratio, low_ratio, high_ratio } = compared.ratio;
    format!("{} ({})", say::change(ratio), say::interval_of_changes(low_ratio, high_ratio, " to "))
}

fn row(step: &Step) -> Vec<String> {
    let outcome = match step.outcome {
        Outcome::Good => "good",
        Outcome::Bad => "bad",
        Outcome::Undecided => "undecided",
        Outcome::Failed => "failed",
    };
    let end = |end: f64| if is_no_bound(end) { String::new() } else { end.to_string() };
    let ratios = |compared: Option<Compared>| match compared.map(|it| it.ratio) {
        Some(it) => [it.ratio.to_string(), end(it.low_ratio), end(it.high_ratio)],
        None => Default::default(),
    };
    let last =
        step.to_bad.map_or_else(Default::default, |it| [it.pairs.to_string(), it.elapsed_s.to_string()]);
    let first = [step.commit.hash.clone(), step.commit.name.clone(), outcome.to_owned()];
    first.into_iter().chain(ratios(step.from_good)).chain(ratios(step.to_bad)).chain(last).collect()
}
