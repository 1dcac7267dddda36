//! Baselines that are files of this or of another tool.

use std::path::Path;

use fauxplat_analyze::summarize_values;
use fauxplat_experiment::measure::baseline::{Earlier, check_number, pick};
use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Metric, RunFindings};
use fauxplat_report::{BASELINE_BYTES_MAX, read_baseline};
use fauxplat_sys::text::read_text;

/// Readings of a file.
///
/// # Errors
/// It cannot be read, or none of its commands is meant.
pub(crate) fn from_file(driver: &Driver, path: &str, metric: Metric) -> Result<Earlier, Failure> {
    let text = read_text(Path::new(path), BASELINE_BYTES_MAX)
        .map_err(|error| Failure::usage(format!("--baseline {path}: {error}")))?;
    let series = read_baseline(&text).map_err(|error| Failure::usage(format!("{path}: {error}")))?;
    let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
    let chosen = &series[pick(&names, &driver.commands[0].name, path)?];
    let readings = chosen.values.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    check_number(readings, path)?;
    let summaries =
        chosen.values.iter().filter_map(|(metric, values)| summarize_values(values, *metric)).collect();
    let findings = RunFindings {
        summaries,
        failures: 0,
        runs_with_left_behind: 0,
        tree: Vec::new(),
        rates: Vec::new(),
        against_first: None,
    };
    let values = chosen.get(metric).unwrap_or_default().to_vec();
    Ok(Earlier { name: format!("{} ({path})", chosen.name), values, findings })
}
