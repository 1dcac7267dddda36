//! Reports about series of sessions: text, pages, rows of tables, test cases and figures for monitoring.

mod gate;
mod list;
mod titles;
mod trend;

pub(crate) use gate::{GateReport, gate_summary};
pub(crate) use list::{LIST_SCHEMA, ListReport};
pub(crate) use titles::{choosing, difference, titles};
pub(crate) use trend::{TrendReport, needing, trend_summary};

use fauxplat_model::{Metric, Unit};
use fauxplat_report::say;

use crate::findings::{CommitRange, LevelChange, SeriesName, Session};
use crate::shown::SHORT_HASH;

/// A value of the series as text, in a unit that suits its size.
pub(crate) fn value(name: &SeriesName, value: f64) -> String {
    match known(name) {
        Some(metric) => say::quantity(metric, value),
        None => format!("{value:.4} {}", say::visible(&name.unit)).trim_end().to_owned(),
    }
}

/// Metric of a series, if its values are in the unit of that metric; `None` for other units, as results of a suite may
/// have.
pub(crate) fn known(name: &SeriesName) -> Option<Metric> {
    let metric = Metric::from_name(&name.metric);
    metric.or_else(|| Metric::from_id(&name.metric).ok().filter(|_| name.unit.is_empty()))
}

pub(crate) fn short(commit: &str) -> String {
    say::visible(commit.get(..SHORT_HASH).unwrap_or(commit))
}

/// Commits around a change, as git writes a range: `abc1234..def5678`.
pub(crate) fn range(commits: &CommitRange) -> String {
    format!("{}..{}", short(&commits.last_before), short(&commits.first_after))
}

pub(crate) fn moment(started: &str) -> String {
    say::visible(&started.get(..16).unwrap_or(started).replace('T', " "))
}

/// Short hash of a session's commit, with `+` for local changes; empty where the commit is unknown.
pub(crate) fn commit_of(session: &Session) -> String {
    let mark = if session.dirty == Some(true) { "+" } else { "" };
    session.commit.as_deref().map_or_else(String::new, |commit| format!("{}{mark}", short(commit)))
}

/// Whether the values of a series tell a speed, by a time or by a rate of work.
pub(crate) fn is_speed(name: &SeriesName) -> bool {
    let is_rate = known(name).is_some_and(|metric| metric.unit() == Unit::MicroPerSecond);
    name.unit == "ns" || name.unit.ends_with("/s") || is_rate
}

/// Word for the direction of a change: slower or faster for times and rates, more or less for other amounts.
pub(crate) fn direction(name: &SeriesName, ratio: f64) -> &'static str {
    match (is_speed(name), ratio > 1.0) {
        (true, is_higher) if is_higher != name.more_is_better => "slower",
        (true, _) => "faster",
        (false, true) => "more",
        (false, false) => "less",
    }
}

pub(crate) fn interval(change: &LevelChange) -> String {
    format!(
        "{} ({} to {})",
        say::change(change.ratio),
        say::change(change.low_ratio),
        say::change(change.high_ratio)
    )
}

/// Host name of a series' machine, or the machine's identity if that is unknown.
pub(crate) fn machine(name: &SeriesName) -> String {
    name.host.as_deref().map_or_else(|| say::visible(&name.machine), say::visible)
}
