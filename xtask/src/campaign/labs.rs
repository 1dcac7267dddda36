//! Runs all labs on this machine or in a guest, and writes a record of their outcomes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use super::USAGE;
use crate::error::ChoreError;
use crate::{cargo, dist, vm};

/// Default time limit for all labs together, in minutes.
const MINUTES: u64 = 60;
/// Additional seconds for a guest, in which it boots and writes its record.
const GUEST_SECONDS: u64 = 600;

/// Runs the campaign: `[--in SHAPE] [--minutes N] [NAME]…`; without a name, all labs.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (mut shape, mut minutes, mut names) = (None, MINUTES, Vec::new());
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().copied().ok_or(ChoreError::Usage(USAGE));
        match word {
            "--in" => shape = Some(value()?),
            "--minutes" => minutes = value()?.parse().map_err(|_| ChoreError::Usage(USAGE))?,
            option if option.starts_with('-') => return Err(ChoreError::Usage(USAGE)),
            name => names.push(name),
        }
    }
    if names.is_empty() {
        names.push("all");
    }
    let folder = super::folder(&format!("labs/{}", shape.unwrap_or("here")))?;
    let seconds = minutes.saturating_mul(60);
    match shape {
        Some(shape) => {
            let command = lab_run(program_for(shape)?, &names, seconds, Path::new("/job"));
            let command: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
            vm::in_guest(shape, seconds.saturating_add(GUEST_SECONDS), Some(&folder), &command)?;
        }
        None => {
            let command = lab_run(installed()?, &names, seconds, &folder);
            let status = Command::new(&command[0]).args(&command[1..]).status();
            if !status.map_err(ChoreError::at(&command[0]))?.success() {
                return Err(ChoreError::Bench("the labs have failed; why stands above".to_owned()));
            }
        }
    }
    println!("the record is {}", folder.join("labs.json").display());
    Ok(())
}

/// Words that start fauxplat in a guest of this shape.
fn program_for(shape: &str) -> Result<Vec<String>, ChoreError> {
    match shape.starts_with("arm64") {
        true => Ok(vec![dist::for_arm64()?.map_err(ChoreError::Dist)?.display().to_string()]),
        false => installed(),
    }
}

/// Installs fauxplat and the other tools that labs need (the light's controller and the table's library) below a folder
/// of the campaign; returns the words that start fauxplat there.
fn installed() -> Result<Vec<String>, ChoreError> {
    let prefix = super::folder("labs/prefix")?.display().to_string();
    let mut make = Command::new("make");
    let made = make
        .arg("--silent")
        .arg("install")
        .arg(format!("PREFIX={prefix}"))
        .current_dir(cargo::root())
        .status();
    if !made.map_err(ChoreError::at("make"))?.success() {
        return Err(ChoreError::Bench(
            "fauxplat cannot be installed for the labs; why stands above".to_owned(),
        ));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    Ok(vec![
        "env".to_owned(),
        format!("PATH={prefix}/bin:{path}"),
        format!("PKG_CONFIG_PATH={prefix}/lib/pkgconfig"),
        format!("LD_LIBRARY_PATH={prefix}/lib"),
        format!("{prefix}/bin/fauxplat"),
    ])
}

fn lab_run(program: Vec<String>, names: &[&str], seconds: u64, folder: &Path) -> Vec<String> {
    let mut words = program;
    words.extend(["lab".into(), "run".into()]);
    words.extend(names.iter().map(|&name| name.to_owned()));
    words.extend(["--max-time".into(), format!("{seconds}s"), "--store".into(), "none".into()]);
    words.extend(["--record".into(), folder.join("labs.json").display().to_string()]);
    words
}
