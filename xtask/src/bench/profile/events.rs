//! Compares shares of events in profiles with the program's own counts, for sampling at a rate and with a period, by
//! fauxplat and from a file of perf.

use std::path::{Path, PathBuf};
use std::process::Command;

use fauxplat_stats::draw::Draw;
use serde_json::Value;

use super::super::instrument::installed;
use super::super::{compile, failed, fauxplat, output, scratch};
use super::figures;
use crate::error::ChoreError;

/// Number of runs, and goal for the number of those whose interval contains the true share.
const RUNS: u32 = 60;
const HELD_MIN: u32 = 57;

/// Each event, with the kind of work that causes it, the two amounts of work, and the sampling period.
const EVENTS: [(&str, &str, [u64; 2], &str); 3] = [
    ("page-faults", "faults", [3000, 204_800], "1000"),
    ("context-switches", "switches", [200, 2000], "7"),
    ("cpu-clock", "clock", [200_000, 2_000_000], "1000003"),
];

/// Compares the shares in profiles with the program's own counts, for every event or for `only`, sampled at a rate
/// and with a period. `times` is the number of runs, [`RUNS`] by default.
pub(crate) fn run(times: Option<u32>, binary: Option<&Path>, only: Option<&str>) -> Result<(), ChoreError> {
    let program = binary.map_or_else(fauxplat, |path| Ok(path.to_owned()))?;
    let events = compile("profile/events.c", &["-g"])?;
    let times = times.unwrap_or(RUNS);
    println!(
        "95 % intervals that contain the true share, which the program counts itself, of {times} runs (goal: {HELD_MIN} \
         of {RUNS}):"
    );
    for (event, what, amounts, period) in EVENTS.into_iter().filter(|it| only.is_none_or(|only| it.0 == only))
    {
        for pace in [["-F", "997"], ["--period", period]] {
            let profiled = |command: &str| profiled(&program, event, pace, command);
            tell(&format!("{event} {}", pace.join(" ")), &events, (what, amounts), times, profiled)?;
            if installed("perf") {
                let words = if pace[0] == "-F" { pace } else { ["-c", pace[1]] };
                let recorded = |command: &str| recorded(&program, event, words, command);
                let name = format!("{event} perf record {}, --import", words.join(" "));
                tell(&name, &events, (what, amounts), times, recorded)?;
            }
        }
    }
    Ok(())
}

/// Prints a row: the number of runs whose interval contains the true share, and the mean error of the share.
fn tell(
    name: &str,
    program: &Path,
    (what, amounts): (&str, [u64; 2]),
    times: u32,
    profiled: impl Fn(&str) -> Result<(Value, String), ChoreError>,
) -> Result<(), ChoreError> {
    let mut draw = Draw::new(3, 0);
    let (mut held, mut errors) = (0, Vec::new());
    for run in 0..times {
        // Amounts and number of turns differ from run to run, so that no sampling period stays in step with the
        // program.
        let [few, many] = amounts.map(|amount| amount + draw.below(amount as usize / 4) as u64);
        let turns = [1, 4][run as usize % 2];
        let [few, many] = [few / turns, many / turns];
        let command = format!("{} {what} {few} {many} {turns}", program.display());
        let (document, said) = profiled(&command)?;
        let truth = figures(&said);
        let of =
            |word: &str| truth.get(word).copied().ok_or_else(|| failed("the program", &"it said nothing"));
        let truth = of("few")? / of("all")?;
        let functions = document["profiles"][0]["functions"].as_array().cloned().unwrap_or_default();
        let it = functions.iter().find(|it| it["name"] == "few");
        let [low, share, high] = ["total_low", "total_share", "total_high"]
            .map(|end| it.and_then(|it| it[end].as_f64()).unwrap_or(0.0));
        held += u32::from((low..=high).contains(&truth));
        errors.push(share - truth);
    }
    let mean = 100.0 * errors.iter().sum::<f64>() / f64::from(times.max(1));
    println!("  {name:<60} {held:3} of {times}  mean error of the share {mean:+.2} points");
    Ok(())
}

fn profiled(
    program: &Path,
    event: &str,
    pace: [&str; 2],
    command: &str,
) -> Result<(Value, String), ChoreError> {
    let report = scratch()?.join("events.json");
    let mut profile = Command::new(program);
    profile.args(["profile", "--quiet", "--store", "none", "--show-output", "-e", event]).args(pace);
    profile.args(["--format", "json", "--output"]).arg(&report).arg(command);
    let said = output(&mut profile)?;
    Ok((read(&report)?, String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned()))
}

fn recorded(
    program: &Path,
    event: &str,
    pace: [&str; 2],
    command: &str,
) -> Result<(Value, String), ChoreError> {
    let [data, report] = ["events.data", "events.json"].map(|name| scratch().map(|folder| folder.join(name)));
    let (data, report): (PathBuf, PathBuf) = (data?, report?);
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-e", event]).args(pace).args(["--call-graph", "dwarf,8192", "-o"]).arg(&data);
    let said = output(perf.arg("--").args(command.split(' ')))?;
    let mut import = Command::new(program);
    import
        .args(["profile", "--quiet", "--format", "json", "--output"])
        .arg(&report)
        .arg("--import")
        .arg(&data);
    output(&mut import)?;
    Ok((read(&report)?, String::from_utf8_lossy(&said.stderr).into_owned()))
}

fn read(report: &Path) -> Result<Value, ChoreError> {
    let text = std::fs::read_to_string(report).map_err(ChoreError::at(report))?;
    serde_json::from_str(&text).map_err(|error| failed("the profile", &error))
}
