//! Sentences about changes of level in the course of an experiment.

use fauxplat_model::{LevelChange, Metric, RunFindings};

use crate::words::{TIE, change, counted, quantity};

/// Number of changes that are told of one command; documents have all.
const TOLD_MAX: usize = 3;

/// A sentence for each of the first changes of the level of a command, whose name in the text is `name`, and one with
/// the number of the others.
pub(super) fn sentences(name: &str, found: &RunFindings) -> Vec<String> {
    let told = found.level_changes.iter().take(TOLD_MAX).map(|it| sentence(name, it));
    let more = found.level_changes.len().saturating_sub(TOLD_MAX);
    let rest = (more > 0).then(|| {
        format!("{name}: {}.", counted(more, "further change of level", "further changes of level"))
    });
    told.chain(rest).collect()
}

fn sentence(name: &str, it: &LevelChange) -> String {
    let seconds = |at_s: f64| quantity(Metric::WALL, at_s * 1e9);
    let place = match it.run_low == it.run_high {
        true => format!("from run{TIE}{} on, {} after the start", it.run, seconds(it.at_s)),
        false => format!(
            "from run{TIE}{} on (95{TIE}% interval {} to {}), {} after the start ({} to {})",
            it.run,
            it.run_low,
            it.run_high,
            seconds(it.at_s),
            seconds(it.at_low_s),
            seconds(it.at_high_s)
        ),
    };
    format!(
        "The {} of {name} changes {place}: {} (95{TIE}% interval {} to {}) against the runs before.",
        it.metric.title(),
        change(it.ratio),
        change(it.low_ratio),
        change(it.high_ratio)
    )
}
