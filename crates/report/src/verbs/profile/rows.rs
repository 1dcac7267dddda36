//! The functions of profiles as rows of a spreadsheet.

use std::io::Write;

use fauxplat_model::ProfileFindings;
use serde::Serialize;

#[derive(Serialize)]
struct FunctionRow<'a> {
    profile: &'a str,
    function: &'a str,
    file: &'a str,
    self_samples: u64,
    self_share: f64,
    self_low: f64,
    self_high: f64,
    total_samples: u64,
    total_share: f64,
    total_low: f64,
    total_high: f64,
}

const COLUMNS: [&str; 11] = [
    "profile",
    "function",
    "file",
    "self_samples",
    "self_share",
    "self_low",
    "self_high",
    "total_samples",
    "total_share",
    "total_low",
    "total_high",
];

pub(crate) fn rows(found: &ProfileFindings, rows: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    if found.profiles.iter().all(|profile| profile.functions.is_empty()) {
        // A table without rows keeps its heading, so that it is not taken for a truncated file.
        return rows.write_record(COLUMNS);
    }
    for profile in &found.profiles {
        for it in &profile.functions {
            let object = it.object.and_then(|place| found.objects.get(place as usize));
            rows.serialize(FunctionRow {
                profile: &profile.name,
                function: &it.name,
                file: object.map_or("", |object| &object.path),
                self_samples: it.self_samples,
                self_share: it.self_share,
                self_low: it.self_low,
                self_high: it.self_high,
                total_samples: it.total_samples,
                total_share: it.total_share,
                total_low: it.total_low,
                total_high: it.total_high,
            })?;
        }
    }
    Ok(())
}
