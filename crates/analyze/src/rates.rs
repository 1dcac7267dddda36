//! Rates at which published counters rose during the runs of a command.

use fauxplat_model::{CounterRates, RateSeries, Sample, TableSource};
use fauxplat_stats::describe::{median, sorted};

use crate::analysed::counts;

/// Rates of each counter in the analysed runs of one command. `series` has, for each counter, its series in the runs of
/// all commands; a counter without a reading in the runs of this command is left out.
pub fn counter_rates(
    tables: &[TableSource],
    series: &[Vec<RateSeries>],
    samples: &[Sample],
    command: u16,
    ignore_failure: bool,
) -> Vec<CounterRates> {
    let mut trials: Vec<u32> = samples
        .iter()
        .filter(|sample| sample.command == command && counts(sample, ignore_failure))
        .map(|sample| sample.trial)
        .collect();
    trials.sort_unstable();
    let ours = |series: &[RateSeries]| -> Vec<RateSeries> {
        series.iter().filter(|run| trials.binary_search(&run.trial).is_ok()).cloned().collect()
    };
    tables.iter().zip(series).filter_map(|(counter, series)| rates(counter, ours(series))).collect()
}

fn rates(counter: &TableSource, series: Vec<RateSeries>) -> Option<CounterRates> {
    let all: Vec<f64> = series.iter().flat_map(|run| run.rate_per_s.iter().copied()).collect();
    let rising = sorted(&all);
    Some(CounterRates {
        counter: counter.clone(),
        min_per_s: *rising.first()?,
        median_per_s: median(&all)?,
        max_per_s: *rising.last()?,
        series,
    })
}
