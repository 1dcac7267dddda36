//! The report of `history gate`.

use fauxplat_model::GateState;
use fauxplat_model::document::Record;
use fauxplat_report::parts::{Piece, Tone};
use fauxplat_report::{Case, CaseOutcome, Format, Gauges, OwnReport, Rows, say};
use serde::Deserialize;
use serde_json::{Error, Value};

use super::{commit_of, direction, machine, moment, value};
use crate::findings::{GATE_SCHEMA, GateFindings};

#[derive(Debug)]
pub(crate) struct GateReport;

impl OwnReport for GateReport {
    fn schema(&self) -> &'static str {
        GATE_SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::JUnit, Format::OpenMetrics]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        let found = GateFindings::deserialize(document)?;
        let mut pieces = vec![answer(&found), Piece::plain(past(&found))];
        pieces.push(Piece::plain(error(&found)));
        Ok(pieces)
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = GateFindings::deserialize(document)?;
        let headings = [
            "benchmark",
            "program",
            "metric",
            "machine",
            "experiment",
            "started",
            "commit",
            "value",
            "past_sessions",
            "past_value",
            "ratio",
            "low_ratio",
            "high_ratio",
            "margin_ratio",
            "state",
        ];
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let row = vec![
            found.name.benchmark.clone(),
            found.name.program.clone(),
            found.name.metric.clone(),
            found.name.machine.clone(),
            found.newest.experiment.to_string(),
            found.newest.started.clone(),
            found.newest.commit.clone().unwrap_or_default(),
            found.newest.value.to_string(),
            found.past_sessions.to_string(),
            number(found.past_value),
            number(found.ratio),
            number(found.low_ratio),
            number(found.high_ratio),
            found.gate.margin.to_string(),
            word(found.gate.state).to_owned(),
        ];
        Ok(Rows { headings: headings.map(str::to_owned).to_vec(), rows: vec![row] })
    }

    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error> {
        let found = GateFindings::deserialize(document)?;
        let sentence = found.summary.clone();
        let outcome = match (found.fails, found.gate.state) {
            (true, _) => CaseOutcome::Failed(sentence),
            (false, GateState::Undecided) => CaseOutcome::Skipped(sentence),
            _ => CaseOutcome::Passed(sentence),
        };
        let time_s = (found.name.unit == "ns").then_some(found.newest.value / 1e9);
        Ok(vec![Case { name: found.name.benchmark, time_s, outcome }])
    }

    fn gauges(&self, document: &Value) -> Result<Vec<Gauges>, Error> {
        let found = GateFindings::deserialize(document)?;
        let labels = || {
            vec![
                ("benchmark", found.name.benchmark.clone()),
                ("program", found.name.program.clone()),
                ("metric", found.name.metric.clone()),
                ("machine", found.name.machine.clone()),
            ]
        };
        let state = match found.gate.state {
            GateState::Beyond => 1.0,
            GateState::Within => 0.0,
            GateState::Undecided => -1.0,
        };
        let one = |name, help, value: Option<f64>| Gauges {
            name,
            help,
            values: value.into_iter().map(|value| (labels(), value)).collect(),
        };
        Ok(vec![
            one("fauxplat_history_gate_ratio", "Ratio of the newest session to earlier ones.", found.ratio),
            one(
                "fauxplat_history_gate_state",
                "Change of the newest session: 1 beyond the margin, 0 within, -1 not decided.",
                Some(state),
            ),
        ])
    }
}

fn word(state: GateState) -> &'static str {
    match state {
        GateState::Beyond => "beyond",
        GateState::Within => "within",
        GateState::Undecided => "undecided",
    }
}

/// The answer as a part of a sentence, for lists of experiments and messages.
pub(crate) fn gate_summary(found: &GateFindings) -> String {
    let margin = say::percent(found.gate.margin);
    match (found.ratio, found.gate.state) {
        (None, _) => {
            format!("is not decided: {}", found.reason.as_deref().unwrap_or("nothing is known of its past"))
        }
        (Some(ratio), GateState::Beyond) => {
            format!("is {} by more than {margin}: {}", direction(&found.name, ratio), interval(found))
        }
        (Some(_), GateState::Within) => {
            format!("did not change by more than {margin}: {}", interval(found))
        }
        (Some(_), GateState::Undecided) => {
            format!("may or may not have changed by more than {margin}: {}", interval(found))
        }
    }
}

fn interval(found: &GateFindings) -> String {
    let end = |ratio: Option<f64>| ratio.map_or_else(|| "?".to_owned(), say::change);
    format!("{} ({} to {})", end(found.ratio), end(found.low_ratio), end(found.high_ratio))
}

fn answer(found: &GateFindings) -> Piece {
    let tone = match found.gate.state {
        GateState::Beyond if found.fails => Tone::Bad,
        GateState::Beyond => Tone::Neutral,
        GateState::Within => Tone::Good,
        GateState::Undecided => Tone::Doubt,
    };
    Piece::answer(tone, format!("{} {}.", say::named(&found.name.benchmark), found.summary))
}

fn past(found: &GateFindings) -> String {
    let commit = commit_of(&found.newest);
    let commit = if commit.is_empty() { commit } else { format!(" at {commit}") };
    let newest = format!(
        "The newest session is experiment {} of {}{commit} on {}: {}",
        found.newest.experiment,
        moment(&found.newest.started),
        machine(&found.name),
        value(&found.name, found.newest.value)
    );
    match (found.past_value, found.past_since) {
        (Some(level), Some(since)) => format!(
            "{newest}. Its past is {} since experiment {since}: {}.",
            say::counted(found.past_sessions, "session", "sessions"),
            value(&found.name, level)
        ),
        _ => format!("{newest}. There is no session before it."),
    }
}

fn error(found: &GateFindings) -> String {
    let detectable = match found.gate.detectable {
        Some(share) => format!(" Nine of ten changes of {} would be found.", say::percent(share)),
        None => String::new(),
    };
    format!(
        "The interval misses the true change in at most {} of such gates, if sessions scatter as before.{detectable}",
        say::percent(found.level)
    )
}
