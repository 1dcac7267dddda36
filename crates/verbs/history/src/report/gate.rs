//! The report of `history gate`.

use fauxplat_model::document::Record;
use fauxplat_model::{GateQuestion, GateState, Metric};
use fauxplat_report::parts::{Piece, Tone};
use fauxplat_report::{Case, CaseOutcome, Format, Gauges, OwnReport, Rows, say};
use serde::Deserialize;
use serde_json::{Error, Value};

use super::{commit_of, is_speed, known, machine, moment, value};
use crate::findings::{GATE_SCHEMA, GateFindings, Moved, SeriesName};

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
        pieces.extend(moved(&found).map(Piece::plain));
        pieces.extend(error(&found).map(Piece::plain));
        Ok(pieces)
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = GateFindings::deserialize(document)?;
        let headings = [
            "benchmark",
            "program",
            "metric",
            "machine",
            "arguments",
            "harness",
            "place",
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
        let [program, arguments, harness, place] = found.name.identity.parts().map(str::to_owned);
        let row = vec![
            found.name.identity.benchmark.clone(),
            program,
            found.name.metric.clone(),
            found.name.machine.clone(),
            arguments,
            harness,
            place,
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
        Ok(vec![Case { name: found.name.identity.benchmark, time_s, outcome }])
    }

    fn gauges(&self, document: &Value) -> Result<Vec<Gauges>, Error> {
        let found = GateFindings::deserialize(document)?;
        let labels = || {
            let [program, arguments, harness, place] = found.name.identity.parts().map(str::to_owned);
            vec![
                ("benchmark", found.name.identity.benchmark.clone()),
                ("program", program),
                ("metric", found.name.metric.clone()),
                ("machine", found.name.machine.clone()),
                ("arguments", arguments),
                ("harness", harness),
                ("place", place),
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

/// The answer as a part of a sentence, for lists of experiments and messages. Where the gate asked about one side, the
/// sentence names that side, since nothing is said of the other.
pub(crate) fn gate_summary(found: &GateFindings) -> String {
    let (name, of) = (&found.name, of_metric(&found.name));
    // A margin is a factor, equal in both directions: 20 % upwards are 16.7 % downwards.
    let margin = |is_higher: bool| match is_higher {
        true => say::round_percent(found.gate.margin),
        false => say::percent(found.gate.margin / (1.0 + found.gate.margin)),
    };
    let Some(ratio) = found.ratio else {
        return format!(
            "is not decided{of}: {}",
            found.reason.as_deref().unwrap_or("nothing is known of its past")
        );
    };
    let interval = interval(found);
    match (found.gate.state, asked(found)) {
        (GateState::Beyond, _) => {
            let is_higher = ratio > 1.0;
            format!("is {}{of} by more than {}: {interval}", side(name, is_higher), margin(is_higher))
        }
        (GateState::Within, Some(is_higher)) if is_beyond(found, !is_higher) => format!(
            "is not {}{of} by more than {}: it is {}, {interval}",
            side(name, is_higher),
            margin(is_higher),
            side(name, !is_higher)
        ),
        (GateState::Within, Some(is_higher)) => {
            format!("is not {}{of} by more than {}: {interval}", side(name, is_higher), margin(is_higher))
        }
        (GateState::Within, None) => format!("did not change{of} by more than {}: {interval}", margin(true)),
        (GateState::Undecided, Some(is_higher)) => {
            format!(
                "may or may not be {}{of} by more than {}: {interval}",
                side(name, is_higher),
                margin(is_higher)
            )
        }
        (GateState::Undecided, None) => {
            format!("may or may not have changed{of} by more than {}: {interval}", margin(true))
        }
    }
}

/// The metric as a part of a sentence, such as ` in peak memory`; empty for wall time.
fn of_metric(name: &SeriesName) -> String {
    match known(name) {
        Some(metric) if metric == Metric::WALL => String::new(),
        Some(metric) if metric.is_built_in() => format!(" in {}", metric.title()),
        _ => format!(" in {}", say::visible(&name.metric)),
    }
}

/// Whether the gate asked about higher values; `None` where it asked about both sides.
fn asked(found: &GateFindings) -> Option<bool> {
    let more_is_better = found.name.more_is_better;
    match found.gate.question {
        GateQuestion::Slower => Some(!more_is_better),
        GateQuestion::Faster => Some(more_is_better),
        GateQuestion::Different => None,
    }
}

/// Word for a side: slower or faster for times and rates, higher or lower for other amounts.
fn side(name: &SeriesName, is_higher: bool) -> &'static str {
    match (is_speed(name), is_higher) {
        (true, is_higher) if is_higher != name.more_is_better => "slower",
        (true, _) => "faster",
        (false, true) => "higher",
        (false, false) => "lower",
    }
}

/// Whether the interval shows a change beyond the margin on a side.
fn is_beyond(found: &GateFindings, is_higher: bool) -> bool {
    let margin = 1.0 + found.gate.margin;
    match is_higher {
        true => found.low_ratio.is_some_and(|low| low > margin),
        false => found.high_ratio.is_some_and(|high| high < 1.0 / margin),
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
    Piece::answer(tone, format!("{} {}.", say::named(&found.name.identity.benchmark), found.summary))
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
            "{newest}. The mean of {} before it, from experiment {since} on, is {}.",
            say::counted(found.past_sessions, "session", "sessions"),
            value(&found.name, level)
        ),
        _ => format!("{newest}. There is no session before it."),
    }
}

/// How the level moved before the newest session; `None` where it did not.
fn moved(found: &GateFindings) -> Option<String> {
    let Moved { experiment, ratio, is_shown } = found.moved.as_ref()?;
    let change = say::change(*ratio);
    Some(match *is_shown {
        true => format!("The level changed by {change} at experiment {experiment}, where this past begins."),
        false => format!(
            "Experiment {experiment} was beyond the margin ({change}), and all later sessions lie on its side; this past contains \
             them, so it hides that the level has moved."
        ),
    })
}

/// How far the interval can be trusted; `None` where there is none.
fn error(found: &GateFindings) -> Option<String> {
    let detectable = match found.gate.detectable {
        Some(share) => format!(" Nine of ten changes of {} would be found.", say::percent(share)),
        None => String::new(),
    };
    found.ratio.map(|_| {
        format!(
            "The interval misses the true change in at most {} of such gates, if sessions scatter as before.{detectable}",
            say::percent(found.level)
        )
    })
}

#[cfg(test)]
mod tests {
    use fauxplat_model::Gate;

    use super::*;
    use crate::findings::Session;

    fn found(question: GateQuestion, state: GateState, [ratio, low, high]: [f64; 3]) -> GateFindings {
        let newest = Session {
            experiment: 9,
            started: "2026-11-28T10:00:00Z".into(),
            commit: None,
            dirty: None,
            label: None,
            notes: Vec::new(),
            value: 1.0,
            low: None,
            high: None,
            runs: 1,
        };
        GateFindings {
            summary: String::new(),
            name: SeriesName { metric: "wall".into(), unit: "ns".into(), ..SeriesName::default() },
            level: 0.01,
            fail_if: Vec::new(),
            newest,
            past_sessions: 8,
            past_since: Some(1),
            past_value: Some(1.0),
            ratio: Some(ratio),
            low_ratio: Some(low),
            high_ratio: Some(high),
            reason: None,
            moved: None,
            gate: Gate { question, margin: 0.03, state, detectable: None },
            fails: false,
        }
    }

    /// The summary up to the interval, with plain spaces.
    fn told(found: &GateFindings) -> String {
        let text = gate_summary(found).replace('\u{a0}', " ");
        text.split(['+', '\u{2212}']).next().unwrap_or_default().trim_end().to_owned()
    }

    const ABOVE: [f64; 3] = [1.343, 1.278, 1.412];
    const BELOW: [f64; 3] = [0.789, 0.75, 0.83];
    const AROUND: [f64; 3] = [0.979, 0.933, 1.027];
    const WIDE: [f64; 3] = [1.0, 0.8, 1.25];

    #[test]
    fn a_question_of_one_side_is_answered_of_that_side() {
        use GateQuestion::{Different, Faster, Slower};
        use GateState::{Beyond, Undecided, Within};
        let told = |question, state, interval| told(&found(question, state, interval));
        assert_eq!(told(Slower, Beyond, ABOVE), "is slower by more than 3 %:");
        assert_eq!(told(Slower, Within, AROUND), "is not slower by more than 3 %:");
        assert_eq!(told(Slower, Within, BELOW), "is not slower by more than 3 %: it is faster,");
        assert_eq!(told(Faster, Within, ABOVE), "is not faster by more than 2.91 %: it is slower,");
        assert_eq!(told(Faster, Beyond, BELOW), "is faster by more than 2.91 %:");
        assert_eq!(told(Slower, Undecided, WIDE), "may or may not be slower by more than 3 %:");
        assert_eq!(told(Different, Within, [1.0, 0.99, 1.01]), "did not change by more than 3 %:");
        assert_eq!(told(Different, Undecided, WIDE), "may or may not have changed by more than 3 %:");
    }

    #[test]
    fn a_metric_is_named_with_its_own_word() {
        use GateQuestion::{Faster, Slower};
        let of = |metric: &str, unit: &str, more_is_better, question, interval| {
            let name = SeriesName {
                metric: metric.into(),
                unit: unit.into(),
                more_is_better,
                ..SeriesName::default()
            };
            told(&GateFindings { name, ..found(question, GateState::Within, interval) })
        };
        assert_eq!(
            of("printed:v", "", false, Faster, ABOVE),
            "is not lower in printed:v by more than 2.91 %: it is higher,"
        );
        assert_eq!(
            of("printed:v", "", true, Slower, ABOVE),
            "is not lower in printed:v by more than 2.91 %: it is higher,"
        );
        assert_eq!(
            of("peak-memory", "B", false, Slower, AROUND),
            "is not higher in peak memory by more than 3 %:"
        );
        assert_eq!(
            of("printed:MB/s", "MB/s", true, Slower, ABOVE),
            "is not slower in printed:MB/s by more than 2.91 %: it is faster,"
        );
        let short = GateFindings {
            ratio: None,
            reason: Some("the past is too short".into()),
            ..found(Slower, GateState::Undecided, WIDE)
        };
        assert_eq!(gate_summary(&short), "is not decided: the past is too short");
    }
}
