//! Rate of false verdicts and power of `compare` on this machine.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{compile, failed, fauxplat, output, scratch};
use crate::error::ChoreError;

/// Wall time that a run of the measured program should take, in milliseconds.
const RUN_MS: f64 = 6.0;

/// Runs the acceptance campaign: A/A comparisons in three strata, a true difference of 1 % with and without drift, and
/// a true 0.5 % with a narrow margin.
pub(super) fn run() -> Result<(), ChoreError> {
    let (fauxplat, work) = (fauxplat()?, compile("work.c", &[])?);
    let command = format!("{} {}", work.display(), rounds_for(&work)?);
    println!("subject: {command}");
    let campaigns: [(&str, &[&str]); 4] = [
        ("A/A, 200 comparisons in three strata", &["-N", "67", "--strata", "plain,drift,layout"]),
        ("true 1 %, plain", &["-N", "1", "--power", "1%", "--power-comparisons", "60", "--strata", "plain"]),
        ("true 1 %, drift", &["-N", "1", "--power", "1%", "--power-comparisons", "20", "--strata", "drift"]),
        (
            "true 0.5 %, margin 0.2 %",
            &[
                "-N",
                "1",
                "--power",
                "0.5%",
                "--power-comparisons",
                "20",
                "--margin",
                "0.2%",
                "--strata",
                "plain",
            ],
        ),
    ];
    for (number, (title, options)) in campaigns.iter().enumerate() {
        println!("\n== {title}");
        let report = scratch()?.join(format!("verdict-{number}.txt"));
        let mut aa = Command::new(&fauxplat);
        aa.arg("aa")
            .arg(&command)
            .args(*options)
            .args(["--quiet", "--store", "none", "--output"])
            .arg(&report);
        output(aa.stdout(Stdio::null()))?;
        let text = std::fs::read_to_string(&report).map_err(|error| failed("report", &error))?;
        println!("{text}");
    }
    by_argument(&fauxplat, &work)
}

/// Number of comparisons of the program with itself at 1 % more rounds, an amount of work that needs no calibration.
const BY_ARGUMENT: u32 = 60;

fn by_argument(fauxplat: &Path, work: &Path) -> Result<(), ChoreError> {
    let rounds = rounds_for(work)?;
    let [a, b] = [rounds, rounds + rounds / 100].map(|rounds| format!("{} {rounds}", work.display()));
    let (mut found, mut pairs, mut logs) = (0, 0.0, 0.0);
    for seed in 1..=BY_ARGUMENT {
        let mut compare = Command::new(fauxplat);
        compare.args([
            "compare",
            "--quiet",
            "--store",
            "none",
            "--format",
            "json",
            "--seed",
            &seed.to_string(),
            &a,
            &b,
        ]);
        let record: serde_json::Value = serde_json::from_slice(&output(&mut compare)?.stdout)
            .map_err(|error| failed("report", &error))?;
        let comparison = &record["comparisons"][0];
        let ratio = comparison["effect_ratio"].as_f64().unwrap_or(1.0);
        found += u32::from(comparison["verdict"] == "different" && ratio > 1.0);
        pairs += comparison["pairs"].as_f64().unwrap_or(0.0);
        logs += ratio.ln();
    }
    let count = f64::from(BY_ARGUMENT);
    println!("\n== true 1 % by argument, each `compare` a process of its own");
    println!(
        "found {found} of {BY_ARGUMENT}, {:.1} pairs on average, estimate {:+.2} %",
        pairs / count,
        logs / count * 100.0
    );
    Ok(())
}

/// Number of rounds with which `work` takes [`RUN_MS`], by the fastest of five runs.
fn rounds_for(work: &Path) -> Result<u64, ChoreError> {
    let probe = 20_000_000u64;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        output(Command::new(work).arg(probe.to_string()))?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok((probe as f64 * RUN_MS / best) as u64)
}
