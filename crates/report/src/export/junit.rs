//! The test report that CI systems show: a case for each command of a run, each verdict of a comparison, and each claim
//! of a lab.
//!
//! Specification: <https://github.com/testmoapp/junitxml>. A command that is slower than its reference by more than the
//! margin is a failure; a comparison without an answer is a skipped case. If there is a gate, its answer is the outcome
//! instead.

use std::io::Write;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Comparison, GateQuestion, GateState, LabOutcome, Metric, RunFindings, Verdict};

use super::{names, timed};
use crate::own::{self, Case, CaseOutcome as Outcome};
use crate::samples::{command_findings, compared, summary};
use crate::words::{spaced, visible};
use crate::{Format, ReportError, verdict, verdict_sentence};

/// Writes the cases of a record as one suite.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let cases = cases(record)?;
    let count = |wanted: fn(&Outcome) -> bool| cases.iter().filter(|case| wanted(&case.outcome)).count();
    let failures = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    // If no case has a time, as with the claims of a lab, the suite has no time attribute.
    let times_s: Vec<f64> = cases.iter().filter_map(|case| case.time_s).collect();
    let time = if times_s.is_empty() { String::new() } else { time_of(times_s.iter().sum()) };
    let (suite, started) = (record.findings.schema(), &record.header.started);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>")?;
    writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"{time} timestamp=\"{}\">",
        escaped(suite),
        cases.len(),
        escaped(started)
    )?;
    cases.iter().try_for_each(|case| write_case(case, suite, out))?;
    Ok(writeln!(out, "  </testsuite>\n</testsuites>")?)
}

fn cases(record: &Record) -> Result<Vec<Case>, ReportError> {
    match record.findings {
        Findings::Compare(found) => {
            let is_one = found.metrics().len() == 1;
            Ok(found.comparisons.iter().map(|it| verdict_case(record, it, is_one)).collect())
        }
        Findings::Lab(found) => {
            let claims = found.labs.iter().flat_map(|lab| {
                lab.claims.iter().map(move |claim| {
                    let outcome = claim_outcome(claim.outcome, claim.reason.as_deref());
                    Case { name: format!("{}: {}", lab.name, claim.name), time_s: None, outcome }
                })
            });
            Ok(claims.collect())
        }
        Findings::Own(found) if own::has_form(found, Format::JUnit) => {
            own::cases(found).ok_or(ReportError::NothingToExport {
                format: Format::JUnit.name(),
                reason: "this version of fauxplat cannot read the document; take json",
            })
        }
        _ => run_cases(record),
    }
}

fn verdict_case(record: &Record, comparison: &Comparison, is_one_metric: bool) -> Case {
    let sentence = said(record, comparison);
    let rule = &record.header.definition.rule;
    let outcome = match (comparison.gate.map(|gate| gate.state), comparison.verdict) {
        _ if !rule.fail_if.is_empty() => match comparison.failed(&rule.fail_if) {
            Some(_) => Outcome::Failed(sentence),
            None if comparison.is_left_open(&rule.fail_if) => Outcome::Skipped(sentence),
            None => Outcome::Passed(sentence),
        },
        // With `--undecided-code` alone, the gate's question is about both directions, and an improvement is no
        // failure.
        (Some(GateState::Beyond), _)
            if rule.gate == Some(GateQuestion::Different) && comparison.b_is_better() =>
        {
            Outcome::Passed(sentence)
        }
        (Some(GateState::Beyond), _) => Outcome::Failed(sentence),
        (Some(GateState::Within), _) => Outcome::Passed(sentence),
        (Some(GateState::Undecided), _) if rule.gate_is_strict => Outcome::Failed(sentence),
        (Some(GateState::Undecided), _) => Outcome::Skipped(sentence),
        // A difference that `--fail-if slower` would let pass is no failure.
        (None, Verdict::Different)
            if comparison.is_different_beyond_margin() && !comparison.b_is_better() =>
        {
            Outcome::Failed(sentence)
        }
        (None, Verdict::Different | Verdict::Equivalent) => Outcome::Passed(sentence),
        (None, Verdict::Inconclusive) => Outcome::Skipped(sentence),
    };
    let wall = compared(record).into_iter().find(|(name, _)| *name == comparison.b);
    let time_s = wall.and_then(|(_, found)| summary(found, Metric::WALL)).map(|wall| wall.median / 1e9);
    let metric = if is_one_metric { String::new() } else { format!(" in {}", comparison.metric.title()) };
    Case { name: format!("{} against {}{metric}", comparison.b, comparison.a), time_s, outcome }
}

/// The verdict in sentences, with the dropped pairs and the failed runs of both commands.
fn said(record: &Record, comparison: &Comparison) -> String {
    let dropped = verdict::guard(comparison).map(|guard| guard.sentence);
    let Comparison { a, b, .. } = comparison;
    let both = compared(record).into_iter().filter(|(name, _)| *name == a || *name == b);
    let failed = both.filter_map(|(name, found)| verdict::failed(found, &visible(name)));
    let failed = failed.map(|words| format!("{words}."));
    let more = dropped.into_iter().chain(failed).map(|sentence| spaced(&sentence));
    std::iter::once(verdict_sentence(comparison)).chain(more).collect::<Vec<_>>().join(" ")
}

fn claim_outcome(outcome: Option<LabOutcome>, reason: Option<&str>) -> Outcome {
    let reason = reason.unwrap_or_default();
    match outcome {
        Some(LabOutcome::Reproduced) => Outcome::Passed(reason.to_owned()),
        Some(outcome @ (LabOutcome::NotHere | LabOutcome::Error)) => {
            Outcome::Failed(format!("{} {reason}", outcome.words()))
        }
        Some(outcome) => Outcome::Skipped(format!("{} {reason}", outcome.words())),
        None => Outcome::Skipped(format!("not run {reason}")),
    }
}

/// Cases of `run`: one for each command, including commands without a successful run, whose absence would go unnoticed.
fn run_cases(record: &Record) -> Result<Vec<Case>, ReportError> {
    let commands = command_findings(record);
    if commands.is_empty() {
        return timed(record, Format::JUnit.name()).map(|_| Vec::new());
    }
    Ok(names(record).into_iter().zip(commands).map(|(name, found)| run_case(name, found)).collect())
}

fn run_case(name: String, found: &RunFindings) -> Case {
    let wall = summary(found, Metric::WALL);
    let runs = found.summaries.iter().map(|summary| summary.n).max().unwrap_or(0);
    let outcome = match (found.failures, runs) {
        (0, 0) => Outcome::Failed("there was no run".to_owned()),
        (0, runs) => Outcome::Passed(format!("{runs} runs")),
        (failures, _) => Outcome::Failed(format!("{failures} runs failed")),
    };
    Case { name, time_s: wall.map(|wall| wall.median / 1e9), outcome }
}

fn time_of(time_s: f64) -> String {
    format!(" time=\"{time_s:.9}\"")
}

fn write_case(case: &Case, suite: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let time = case.time_s.map(time_of).unwrap_or_default();
    let (name, class) = (escaped(&case.name), escaped(suite));
    writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\"{time}>")?;
    match &case.outcome {
        Outcome::Passed(said) => writeln!(out, "      <system-out>{}</system-out>", escaped(said)),
        Outcome::Failed(said) => writeln!(out, "      <failure message=\"{}\"/>", escaped(said)),
        Outcome::Skipped(said) => writeln!(out, "      <skipped message=\"{}\"/>", escaped(said)),
    }?;
    writeln!(out, "    </testcase>")
}

/// Escapes text for XML. Characters that control a terminal, which include all characters that XML 1.0 forbids, are
/// spelt out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
