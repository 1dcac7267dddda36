//! What published claims come to on this machine and in guests: a record of all labs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::USAGE;
use crate::error::ChoreError;
use crate::{cargo, dist, vm};

/// How long all labs may take, unless told otherwise.
const MINUTES: u64 = 60;
/// What a guest has beyond that, to boot and to write its record.
const GUEST_SECONDS: u64 = 600;

/// `[--in SHAPE] [--minutes N] [NAME]…`.
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
            let program = program_for(shape)?;
            let command = lab_run(&program, &names, seconds, Path::new("/job"));
            let command: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
            vm::in_guest(shape, seconds.saturating_add(GUEST_SECONDS), Some(&folder), &command)?;
        }
        None => {
            let command = lab_run(&cargo::build_release()?, &names, seconds, &folder);
            let status = Command::new(&command[0]).args(&command[1..]).status();
            if !status.map_err(ChoreError::at(&command[0]))?.success() {
                return Err(ChoreError::Bench("the labs have failed; why stands above".to_owned()));
            }
        }
    }
    println!("the record is {}", folder.join("labs.json").display());
    Ok(())
}

fn program_for(shape: &str) -> Result<PathBuf, ChoreError> {
    match shape.starts_with("arm64") {
        true => dist::for_arm64()?.map_err(ChoreError::Dist),
        false => cargo::build_release(),
    }
}

fn lab_run(program: &Path, names: &[&str], seconds: u64, folder: &Path) -> Vec<String> {
    let mut words = vec![program.display().to_string(), "lab".into(), "run".into()];
    words.extend(names.iter().map(|&name| name.to_owned()));
    words.extend(["--max-time".into(), format!("{seconds}s"), "--store".into(), "none".into()]);
    words.extend(["--record".into(), folder.join("labs.json").display().to_string()]);
    words
}
