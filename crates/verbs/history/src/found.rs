//! `history trend` and `history gate`: computes their findings from a store.

use std::collections::BTreeSet;

use fauxplat_experiment::Failure;
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_report::say;
use fauxplat_stats::levels::Searcher;
use fauxplat_store::Store;
use fauxplat_verb::Host;

use crate::analysis::{self, GateRule, SEED};
use crate::args::{By, GateArgs, SeriesArgs, TrendArgs};
use crate::findings::{GATE_SCHEMA, SeriesFindings, TREND_SCHEMA, TrendFindings};
use crate::report::{gate_summary, trend_summary};
use crate::series::{Context, Series, all, named, ordered};

pub(crate) fn trend(args: &TrendArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let store = host.history(&args.output)?;
    let context = Context::of(&store)?;
    let metric = &args.series.metric;
    let mut series = asked(&store, &args.series)?;
    if let Some(name) = &args.name {
        series = named(series, name, metric)?;
    }
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
    let series = named(all, &args.name, metric)?;
    let programs: BTreeSet<String> = series.iter().map(|series| series.key.program.to_string()).collect();
    let series = series.into_iter().map(|series| ordered(series, By::Time));
    // A benchmark may have a series on each of several machines; the machine with the latest session is judged.
    let newest = series
        .max_by_key(|series| series.points.last().map(|point| (point.started.to_string(), point.experiment)));
    let rule = GateRule { fail_if: args.fail_if.clone(), margin: args.margin, level: args.level };
    let found = newest.and_then(|series| analysis::gate(&series, &context, &rule));
    let mut found = found.ok_or_else(|| Failure::usage("the benchmark has no session"))?;
    found.other_programs = programs.into_iter().filter(|it| *it != found.name.program).collect();
    found.summary = gate_summary(&found);
    let own = OwnFindings::new(GATE_SCHEMA, &found).map_err(Failure::machine)?;
    let shown = host.show(&Findings::Own(own), &args.output, invocation);
    let answer = match found.fails {
        true => Err(Failure::gate(format!(
            "--fail-if {}: {} {}",
            found.fail_if.join(","),
            say::visible(&found.name.benchmark),
            found.summary
        ))),
        false => Ok(()),
    };
    Failure::answer_first(shown, answer)
}
