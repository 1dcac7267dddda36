//! Peak memory that fauxplat itself takes for a hundred thousand samples.

use std::process::Command;

use super::{compile, failed, fauxplat, output, scratch};
use crate::error::ChoreError;

const RUNS: u32 = 100_000;
const GOAL_MIB: f64 = 32.0;

/// Measures each report format, since formats read the samples in different ways. The measuring tool is fauxplat, too.
pub(super) fn run() -> Result<(), ChoreError> {
    let fauxplat = fauxplat()?;
    let empty = compile("instrument/empty.c", &["-static", "-nostdlib", "-ffreestanding"])?;
    println!("Peak memory of fauxplat for {RUNS} samples; goal: below {GOAL_MIB} MiB");
    for format in ["text", "json", "csv"] {
        let store = scratch()?.join("memory.sqlite");
        let _ = std::fs::remove_file(&store);
        let (name, empty, store) = (fauxplat.display(), empty.display(), store.display());
        let inner = format!("{name} run {empty} --quiet -r {RUNS} --format {format} --store {store}");
        let told = output(
            Command::new(&fauxplat).args(["run", "-r", "1", "--format", "json", "--store", "none", &inner]),
        )?;
        let record: serde_json::Value =
            serde_json::from_slice(&told.stdout).map_err(|error| failed("report", &error))?;
        let bytes = record["commands"][0]["runs"][0]["peak_memory_bytes"].as_f64();
        let mib = bytes.ok_or_else(|| failed("report", &"it has no peak memory"))? / f64::from(1 << 20);
        println!(
            "  --format {format:<6} {mib:.1} MiB{}",
            if mib < GOAL_MIB { "" } else { "  ABOVE THE GOAL" }
        );
    }
    Ok(())
}
