//! Runs a program of an engine (the tool that distributes work to machines, such as Slurm or Ansible) to its end,
//! without a shell, and reads its output.

use std::path::PathBuf;
use std::time::Duration;

use fauxplat_launch::{Capture, plain};
use fauxplat_model::Outcome;

use crate::FleetError;

/// Time limit for a program of an engine, such as Slurm's `sbatch`, to end.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the path of an engine's program; `hint` tells the user how to install it.
///
/// # Errors
/// Fails where the program is not installed.
pub(crate) fn find(program: &str, hint: &'static str) -> Result<PathBuf, FleetError> {
    let missing = |_| FleetError::NotInstalled { program: program.to_owned(), hint };
    plain::find(&[program.to_owned()]).map_err(missing)
}

pub(crate) fn has(program: &str) -> bool {
    find(program, "").is_ok()
}

/// Returns the output of a program with these arguments. The locale is English, because messages of engines are parsed,
/// and UTF-8, because Ansible requires it.
///
/// # Errors
/// Fails where the program is not installed, exits with another status than 0, or takes too long.
pub(crate) fn ask(program: &str, words: &[&str], hint: &'static str) -> Result<String, FleetError> {
    ask_within(PATIENCE, program, words, hint)
}

fn ask_within(
    patience: Duration,
    program: &str,
    words: &[&str],
    hint: &'static str,
) -> Result<String, FleetError> {
    let capture = Capture {
        program: find(program, hint)?,
        arguments: words.iter().map(|&word| word.to_owned()).collect(),
        env_set: vec![("LC_ALL".to_owned(), "C.UTF-8".to_owned())],
        // A command that cancels jobs has to complete even if the user interrupts fauxplat.
        is_spared: true,
        limit: Some(patience),
        ..Capture::default()
    };
    let done = capture.run()?;
    let failed = |said: String| FleetError::Engine { program: program.to_owned(), said };
    match done.outcome {
        Outcome::Exited(0) => {
            let whole = done.output.whole().ok_or_else(|| failed("its output is too long".to_owned()))?;
            Ok(String::from_utf8_lossy(whole).into_owned())
        }
        Outcome::TimedOut => Err(FleetError::Silent { program: program.to_owned(), patience }),
        outcome => {
            Err(failed(one_line(&done.errors.text()).unwrap_or_else(|| format!("it failed: {outcome:?}"))))
        }
    }
}

/// Returns foreign text as one line of at most 300 characters without control characters, safe for a terminal; `None`
/// if nothing remains.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).take(300).collect();
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request that timed out may have been carried out, so its error counts as passing: the caller checks whether
    /// the request took effect, and tries again.
    #[test]
    fn a_program_that_hangs_may_answer_later() {
        let error = ask_within(Duration::from_millis(50), "sleep", &["1000"], "").unwrap_err();
        assert!(error.is_passing() && error.to_string().starts_with("sleep: no answer within"), "{error}");
        let refused = ask("sh", &["-c", "echo it is forbidden >&2; exit 1"], "").unwrap_err();
        assert!(!refused.is_passing() && refused.to_string() == "sh: it is forbidden", "{refused}");
    }
}
