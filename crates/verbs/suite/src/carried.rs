//! Sentence of the report about benchmarks with carry-over: a run influences the next one.

use fauxplat_report::parts::{Piece, Tone};
use fauxplat_report::say;

use crate::findings::{Benchmark, SuiteFindings};
use crate::intervals::more_is_better;
use crate::names::named;

/// Maximum number of names of benchmarks in the sentence about influence between runs.
const NAMES: usize = 5;

/// Sentence about the benchmarks in which a run of one side influences the next run; `None` if there is none.
pub(crate) fn carried(found: &SuiteFindings) -> Option<Piece> {
    let one = |it: &Benchmark| {
        let carried = it.carried_over?;
        let as_read = |ratio: f64| say::change(if more_is_better(it) { 1.0 / ratio } else { ratio });
        Some(format!(
            "{} ({} in runs that follow the same program, {} over all runs)",
            named(&it.name),
            as_read(carried.after_itself),
            as_read(carried.all_runs)
        ))
    };
    let told: Vec<String> = found.benchmarks.iter().filter_map(one).collect();
    let more = told.len().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!told.is_empty()).then(|| {
        Piece::said(
            Tone::Doubt,
            format!(
                "A run of one program influences the next run of the other in {}{more}, as a cold page cache does, so only \
                 runs that follow the same program decide there.",
                say::listed(&told[..told.len().min(NAMES)])
            ),
        )
    })
}
