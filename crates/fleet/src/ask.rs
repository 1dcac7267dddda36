//! How a program of an engine is asked: to its end, with words that no shell reads.

use std::path::PathBuf;
use std::time::Duration;

use fauxplat_launch::{Capture, plain};
use fauxplat_model::Outcome;

use crate::FleetError;

/// An engine that does not answer within this time does not answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where a program of an engine is.
///
/// # Errors
/// It is not installed.
pub(crate) fn find(program: &str, hint: &'static str) -> Result<PathBuf, FleetError> {
    let missing = |_| FleetError::NotInstalled { program: program.to_owned(), hint };
    plain::find(&[program.to_owned()]).map_err(missing)
}

/// Whether it is installed.
pub(crate) fn has(program: &str) -> bool {
    find(program, "").is_ok()
}

/// What a program says to these words. Messages of engines are read, so they are asked for in English; and in UTF-8,
/// without which Ansible does nothing.
///
/// # Errors
/// It is not installed, ends with another status than 0, or takes too long.
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
        // What asks for the end of jobs has to come to its own end when the user wants everything to end.
        is_spared: true,
        limit: Some(patience),
        ..Capture::default()
    };
    let done = capture.run()?;
    let failed = |said: String| FleetError::Engine { program: program.to_owned(), said };
    match done.outcome {
        Outcome::Exited(0) => {
            let whole = done.output.whole().ok_or_else(|| failed("it says more than is read".to_owned()))?;
            Ok(String::from_utf8_lossy(whole).into_owned())
        }
        Outcome::TimedOut => {
            Err(FleetError::Silent { program: program.to_owned(), seconds: patience.as_secs() })
        }
        outcome => {
            Err(failed(one_line(&done.errors.text()).unwrap_or_else(|| format!("it failed: {outcome:?}"))))
        }
    }
}

/// Foreign words as one line without anything that a terminal would act upon.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).take(300).collect();
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it was asked for may have happened, so it is asked again, and looked for before.
    #[test]
    fn a_program_that_hangs_may_answer_later() {
        let error = ask_within(Duration::from_millis(50), "sleep", &["1000"], "").unwrap_err();
        assert!(error.is_passing() && error.to_string().starts_with("sleep: no answer within"), "{error}");
        let refused = ask("sh", &["-c", "echo it is forbidden >&2; exit 1"], "").unwrap_err();
        assert!(!refused.is_passing() && refused.to_string() == "sh: it is forbidden", "{refused}");
    }
}
