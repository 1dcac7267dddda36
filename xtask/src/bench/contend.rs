//! Repeatability of `contend` on an idle machine, and beside processes that burn CPU time.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use super::{coming_and_going, failed, fauxplat, output};
use crate::error::ChoreError;

/// Number of matrices that are measured on an otherwise idle machine.
const QUIET: u32 = 10;
/// Number of matrices that are measured beside burners, for each priority of the measuring threads.
const LOADED: u32 = 3;

/// Runs the named parts of the bench, or all.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let parts = if words.is_empty() { &["labels", "load"][..] } else { words };
    parts.iter().try_for_each(|part| match *part {
        "labels" => labels(),
        "load" => load(),
        _ => Err(ChoreError::Usage("usage: cargo xtask bench contend [labels | load]…")),
    })
}

/// Runs `contend` once and returns its document. Without the privilege for real-time priority, its workers are ordinary
/// threads.
fn matrix(privileged: bool) -> Result<Value, ChoreError> {
    let mut command = match privileged {
        true => Command::new(fauxplat()?),
        false => {
            let mut demoted = Command::new("setpriv");
            demoted.args(["--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]).arg(fauxplat()?);
            demoted
        }
    };
    command.args(["contend", "--format", "json", "--store", "none", "--quiet"]);
    serde_json::from_slice(&output(&mut command)?.stdout).map_err(|error| failed("report", &error))
}

/// Labels of all pairs of CPUs in one line, taken from this field of the document.
fn labels_of(document: &Value, field: &str) -> String {
    let one = |it: &Value| format!("{}:{} {}", it["cpu_a"], it["cpu_b"], it[field].as_str().unwrap_or("?"));
    document["labels"].as_array().into_iter().flatten().map(one).collect::<Vec<_>>().join(", ")
}

/// Measures [`QUIET`] matrices on an otherwise idle machine, and prints their labels and the wall time that nothing
/// explains.
fn labels() -> Result<(), ChoreError> {
    let mut said: BTreeMap<String, u32> = BTreeMap::new();
    let (mut worst, mut cells, mut steal) = (0.0_f64, 0, 0);
    for _ in 0..QUIET {
        let document = matrix(true)?;
        *said.entry(labels_of(&document, "label")).or_default() += 1;
        for label in
            document["labels"].as_array().into_iter().flatten().filter(|it| it["cpu_a"] != it["cpu_b"])
        {
            let word = |field: &str| label[field].as_str().unwrap_or("?").to_owned();
            println!("  {}:{} {} ({})", label["cpu_a"], label["cpu_b"], word("label"), word("evidence"));
        }
        for pair in document["pairs"].as_array().into_iter().flatten() {
            worst = worst.max(pair["unexplained_share"].as_f64().unwrap_or(1.0).abs());
            steal += pair["steal_ns"].as_u64().unwrap_or(0);
            cells += 1;
        }
    }
    println!("{QUIET} matrices on an otherwise idle machine; goal: the same labels every time");
    said.iter().for_each(|(labels, times)| println!("  {times:2} times: {labels}"));
    println!(
        "wall time that is neither CPU time nor run-queue wait nor steal; goal: at most 1 % of every cell"
    );
    println!("  at most {:.2} % of {cells} cells ({} ms of steal in all)", worst * 100.0, steal / 1_000_000);
    Ok(())
}

/// Measures matrices beside a burner on every CPU, with and without real-time priority.
fn load() -> Result<(), ChoreError> {
    let online = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let burners = (0..online).map(coming_and_going).collect::<Result<Vec<_>, _>>()?;
    println!(
        "{LOADED} matrices each beside {online} burners that come and go; goal: the labels of the idle machine, or not \
         decided"
    );
    for (how, privileged) in [("at real-time priority", true), ("as ordinary threads", false)] {
        for _ in 0..LOADED {
            let document = matrix(privileged)?;
            println!("  {how}: {}", labels_of(&document, "label"));
        }
    }
    drop(burners);
    Ok(())
}
