//! Execution of one experiment of a lab: runs its command line and reads the JSON document of the result.

use std::fs;
use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_launch::{Capture, Captured, LaunchError, Written};
use fauxplat_model::{LabExperiment, Outcome};
use fauxplat_sys::signal;
use serde_json::Value;

use crate::{Lab, Share};

/// Exit status of a command line that cannot run on this machine; the last line of its output gives the reason.
const CANNOT_RUN_HERE: i32 = 77;

/// Runs the shell lines by which the lab prepares what it measures, such as compiling a program. Returns the missing
/// requirement, if any.
///
/// # Errors
/// Fails if a line of the shell fails for a reason other than a missing requirement.
pub(crate) fn prepare(lab: &Lab) -> Result<Option<String>, Failure> {
    for line in &lab.definition.prepare {
        let done = match (Capture { with_stderr: true, ..shell(lab, line)? }).run() {
            Err(LaunchError::Interrupted { .. }) => return Ok(Some(INTERRUPTED.to_owned())),
            done => done?,
        };
        if let Some(reason) = ended(lab, line, &done, &done.output)? {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

/// A function that runs a command line of fauxplat and returns its document. The inner error is the reason why this
/// machine cannot run the line.
pub(crate) type OfFauxplat<'a> = dyn Fn(&str) -> Result<Result<Value, String>, Failure> + 'a;

/// Reason why an experiment was not measured, if the user interrupted the lab.
pub(crate) const INTERRUPTED: &str = "the lab was interrupted before it was measured";

/// Runs an experiment and returns its document; the inner error is the reason why there is none: a missing requirement,
/// the time limit, or an interrupt.
///
/// # Errors
/// Fails if the experiment fails for a reason other than a missing requirement.
pub(crate) fn perform(
    lab: &Lab,
    experiment: &LabExperiment,
    file: &Path,
    share: Share,
    of_fauxplat: &OfFauxplat<'_>,
) -> Result<Result<Value, String>, Failure> {
    let done = match (&experiment.line, &experiment.run) {
        (Some(line), _) => of_fauxplat(line),
        (None, run) => of_shell(lab, run.as_deref().unwrap_or_default(), file, share),
    };
    if signal::stop_requested() {
        return Ok(Err(INTERRUPTED.to_owned()));
    }
    done.map_err(|failure| failure.within(&format!("lab {}, experiment {}", lab.name, experiment.name)))
}

/// Runs a shell line that prints a JSON document to its standard output.
fn of_shell(lab: &Lab, line: &str, file: &Path, share: Share) -> Result<Result<Value, String>, Failure> {
    let mut shell = shell(lab, line)?;
    shell.env_set.extend(share.words().map(|part| ("LAB_MAX_TIME".to_owned(), part)));
    let done = match (Capture { limit: share.left(), ..shell }).run() {
        Err(LaunchError::Interrupted { .. }) => return Ok(Err(INTERRUPTED.to_owned())),
        done => done?,
    };
    if let Some(over) = share.over().filter(|_| done.outcome == Outcome::TimedOut) {
        return Ok(Err(over));
    }
    if let Some(reason) = ended(lab, line, &done, &done.errors)? {
        return Ok(Err(reason));
    }
    let Some(output) = done.output.whole() else {
        let bytes = done.output.bytes;
        return Err(Failure::command(format!(
            "`{line}` printed {bytes} bytes, which are too many for a document"
        )));
    };
    let text = String::from_utf8_lossy(output);
    let document: Value = serde_json::from_str(&text).map_err(|error| {
        Failure::command(format!("`{line}` printed no JSON document ({error}): {}", beginning(&text)))
    })?;
    if !document.is_object() {
        return Err(Failure::command(format!("`{line}` printed no JSON object: {}", beginning(&text))));
    }
    fs::write(file, text.as_bytes())
        .map_err(|error| Failure::machine(format!("{}: {error}", file.display())))?;
    Ok(Ok(document))
}

fn beginning(text: &str) -> String {
    match text.lines().find(|line| !line.trim().is_empty()) {
        None => "it printed nothing".to_owned(),
        Some(line) => format!("it begins with `{}`", line.chars().take(60).collect::<String>()),
    }
}

/// Prepares a shell line, with the path of this program in `FAUXPLAT` and the lab's original directory in `LAB_FOLDER`
/// (empty for a built-in lab).
fn shell(lab: &Lab, line: &str) -> Result<Capture, Failure> {
    let program = std::env::current_exe().map_err(Failure::machine)?;
    let folder = lab.folder().map_or_else(String::new, |folder| folder.display().to_string());
    let env_set =
        vec![("FAUXPLAT".to_owned(), program.display().to_string()), ("LAB_FOLDER".to_owned(), folder)];
    Ok(Capture { env_set, with_stderr: false, ..Capture::shell(line) })
}

/// The reason why a line cannot run on this machine: the last line of its output, if its exit status is 77; `None`
/// after success. Any other status is an error of the lab.
fn ended(lab: &Lab, line: &str, done: &Captured, said: &Written) -> Result<Option<String>, Failure> {
    let said = said.text();
    match done.outcome.exit_status() {
        0 => Ok(None),
        CANNOT_RUN_HERE => {
            let last = said.lines().rfind(|line| !line.trim().is_empty());
            Ok(Some(last.unwrap_or("its program gave no reason").to_owned()))
        }
        status => {
            let failed = format!("lab {}: `{line}` ended with status {status}", lab.name);
            Err(Failure::command(failed).quoting(&said))
        }
    }
}
