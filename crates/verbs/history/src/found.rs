//! `history trend` and `history gate`: computes their findings from a store.

use std::collections::BTreeMap;

use fauxplat_experiment::Failure;
use fauxplat_model::SeriesIdentity;
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_report::say;
use fauxplat_stats::levels::Searcher;
use fauxplat_store::Store;
use fauxplat_verb::Host;

use crate::analysis::{self, GateRule, SEED};
use crate::args::{By, GateArgs, SeriesArgs, TrendArgs};
use crate::findings::{GATE_SCHEMA, SeriesFindings, TREND_SCHEMA, TrendFindings};
use crate::report::{choosing, difference, gate_summary, moment, trend_summary};
use crate::series::{Context, Series, all, named, of, ordered};

pub(crate) fn trend(args: &TrendArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let store = host.history(&args.output)?;
    let context = Context::of(&store)?;
    let metric = &args.series.metric;
    let mut series = asked(&store, &args.series)?;
    if let Some(name) = &args.name {
        series = named(series, name, metric)?;
    }
    series = of(series, &args.of.of)?;
    let found = trends(series, args.name.is_some(), &context, (args.level, args.by, metric));
    let own = OwnFindings::new(TREND_SCHEMA, &found).map_err(Failure::machine)?;
    host.show(&Findings::Own(own), &args.output, invocation)
}

/// Series in the store that the options choose by metric and machine.
fn asked(store: &Store, args: &SeriesArgs) -> Result<Vec<Series>, Failure> {
    let series = all(store, &args.metric, args.machine.as_deref())?;
    match (&args.machine, series.is_empty()) {
        (Some(machine), true) => Err(Failure::usage(format!(
            "--machine {machine}: the store has no session in {} of a machine with this host name or identity",
            args.metric
        ))),
        _ => Ok(series),
    }
}

/// Findings about these series, with a list of their sessions if the user named one benchmark.
pub fn trends(
    series: Vec<Series>,
    is_of_one: bool,
    context: &Context,
    (level, by, metric): (f64, By, &str),
) -> TrendFindings {
    let mut searcher = Searcher::new(SEED);
    let of = |series: Series| -> Option<SeriesFindings> {
        let series = ordered(series, by);
        let _empty = series.points.first()?;
        let mut found = analysis::trend(&series, context, &mut searcher, level);
        if is_of_one {
            found.sessions = series.points.iter().map(|point| analysis::session(point, context)).collect();
        }
        Some(found)
    };
    let mut found: Vec<SeriesFindings> = series.into_iter().filter_map(of).collect();
    if !is_of_one {
        analysis::keep_together(&mut found, level);
    }
    analysis::sort(&mut found);
    let by = match by {
        By::Time => "time",
        By::Commit => "commit",
    };
    let mut trend = TrendFindings {
        summary: String::new(),
        metric: metric.to_owned(),
        by: by.to_owned(),
        level,
        is_of_one,
        series: found,
    };
    trend.summary = trend_summary(&trend);
    trend
}

/// Carries out `history gate`: compares the newest session of a benchmark with earlier ones, and reports that.
pub(crate) fn gate(args: &GateArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let store = host.history(&args.output)?;
    let context = Context::of(&store)?;
    let metric = &args.series.metric;
    let all = asked(&store, &args.series)?;
    let series = of(named(all, &args.name, metric)?, &args.of.of)?;
    refuse_several(&series)?;
    let series = series.into_iter().map(|series| ordered(series, By::Time));
    // A benchmark may have a series on each of several machines; the machine with the latest session is judged.
    let newest = series
        .max_by_key(|series| series.points.last().map(|point| (point.started.to_string(), point.experiment)));
    let rule = GateRule { fail_if: args.fail_if.clone(), margin: args.margin, level: args.level };
    let found = newest.and_then(|series| analysis::gate(&series, &context, &rule));
    let mut found = found.ok_or_else(|| Failure::usage("the benchmark has no session"))?;
    found.summary = gate_summary(&found);
    let own = OwnFindings::new(GATE_SCHEMA, &found).map_err(Failure::machine)?;
    let shown = host.show(&Findings::Own(own), &args.output, invocation);
    let answer = match found.fails {
        true => Err(Failure::gate(format!(
            "--fail-if {}: {} {}",
            found.fail_if.join(","),
            say::visible(&found.name.identity.benchmark),
            found.summary
        ))),
        false => Ok(()),
    };
    Failure::answer_first(shown, answer)
}

/// Maximum number of series that a refusal names.
const NAMED_MAX: usize = 10;

/// Refuses series of different identities: the newest session of one would be judged by the name of all.
fn refuse_several(series: &[Series]) -> Result<(), Failure> {
    let mut newest: BTreeMap<&SeriesIdentity, &str> = BTreeMap::new();
    for Series { key, points } in series {
        let started = points.iter().map(|point| &*point.started).max().unwrap_or_default();
        let known = newest.entry(&key.identity).or_default();
        *known = started.max(*known);
    }
    let all: Vec<&SeriesIdentity> = newest.keys().copied().collect();
    let [first, _, ..] = all.as_slice() else { return Ok(()) };
    let one = |identity: &&SeriesIdentity| {
        let which = difference(identity, &all).unwrap_or_default();
        format!("{which} (newest session {})", moment(newest[*identity]))
    };
    let more = all.len().saturating_sub(NAMED_MAX);
    let more = (more > 0).then(|| format!("{more} more"));
    let listed: Vec<String> = all.iter().take(NAMED_MAX).map(one).chain(more).collect();
    let example = all.iter().find_map(|identity| choosing(identity, &all)).map(say::shell_word);
    Err(Failure::usage(format!(
        "{} series have the name `{}`: {}; choose one by --of and a text that it alone has{}",
        all.len(),
        say::visible(&first.benchmark),
        say::listed(&listed),
        example.map_or_else(String::new, |example| format!(", such as --of {}", say::visible(&example)))
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Key;

    fn series(program: &str, machine: &str) -> Series {
        let identity =
            SeriesIdentity { benchmark: "b00".into(), program: program.into(), ..SeriesIdentity::default() };
        Series { key: Key { identity, machine: machine.into() }, points: Vec::new() }
    }

    #[test]
    fn a_gate_of_two_series_is_refused_with_how_to_choose() {
        assert!(refuse_several(&[series("alpha", "m1"), series("alpha", "m2")]).is_ok());
        assert!(refuse_several(&[]).is_ok());
        let why = refuse_several(&[series("alpha", "m1"), series("it's", "m1")]).unwrap_err().to_string();
        assert!(why.starts_with("2 series have the name `b00`: alpha (newest session"), "{why}");
        assert!(why.ends_with("such as --of alpha"), "{why}");
    }
}
