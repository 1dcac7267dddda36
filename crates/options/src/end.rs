//! Options for the end of an experiment.

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use fauxplat_experiment::Ending;

// Options for the end of an experiment.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Results")]
pub struct EndArgs {
    /// Ring the terminal's bell at the end
    #[arg(long)]
    pub beep: bool,
    /// Shell command that is run at the end, however the experiment ended, for 10 s at most; it finds FAUXPLAT_VERDICT,
    /// FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own exit status changes nothing
    #[arg(long, value_name = "CMD", value_parser = NonEmptyStringValueParser::new())]
    pub notify: Option<String>,
    /// A text by which the experiment is found again in `history`, such as the version or what was tried
    #[arg(long, value_name = "TEXT", value_parser = label)]
    pub label: Option<String>,
    /// How the experiment ended, as far as it is over.
    #[arg(skip)]
    pub ending: Ending,
}

/// Greatest length of a label in bytes: lists of experiments have one line for each experiment.
const LABEL_MAX: usize = 200;

/// Parses a label, which is one non-empty line.
fn label(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the label is empty".to_owned()),
        text if text.len() > LABEL_MAX => Err(format!("a label has at most {LABEL_MAX} bytes")),
        text if text.chars().any(char::is_control) => Err("a label is one line of text".to_owned()),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_one_line_that_is_not_empty() {
        assert_eq!(label(" new compiler ").unwrap(), "new compiler");
        for text in ["", "  ", "a\nb", "\u{1b}[31m", "x".repeat(201).as_str()] {
            assert!(label(text).is_err(), "{text:?}");
        }
    }
}
