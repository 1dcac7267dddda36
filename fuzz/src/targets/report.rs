//! Results that were measured before, by this or another tool.

use fauxplat_report::read_baseline;

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "\"schema\":\"fauxplat.run/1\"",
    "\"commands\":[",
    "\"runs\":[",
    "\"phase\":\"measured\"",
    "\"exit_status\":0",
    "\"wall_ns\":",
    "\"results\":[",
    "\"times\":[",
    "\"measurements\":[",
    "\"time_wall_clock\":{\"value\":",
    "\"benchmarks\":[",
    "\"values\":[",
    "\"metadata\":{",
    "\"command_max_rss\":",
    "\"command\":\"",
    "null",
    "[[[[",
    "{\"a\":",
    "]",
    "}",
    ",",
];

/// A baseline of any format: what is read are numbers that can be compared.
pub(crate) fn baselines(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match read_baseline(&text) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(series) => {
            let values = series.iter().flat_map(|one| &one.values);
            assert!(!series.is_empty());
            for (_, values) in values {
                assert!(!values.is_empty() && values.iter().all(|value| value.is_finite() && *value >= 0.0));
            }
        }
    }
}
