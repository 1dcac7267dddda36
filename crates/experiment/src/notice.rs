//! Notice of the end of an experiment, for a user who does not watch it.

use std::time::Duration;

use fauxplat_launch::Capture;
use fauxplat_model::document::Findings;
use fauxplat_model::{Comparison, Outcome, SweepAnswer, Verdict};

/// Time limit of the shell line that delivers the notice.
pub const NOTICE_LIMIT: Duration = Duration::from_secs(10);

/// The message about how an experiment ended, in a word and in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The verdict, or the state `finished`, `stopped` or `failed` if there is no verdict.
    pub verdict: String,
    /// Summary of the findings, or the failure.
    pub sentence: String,
}

impl Notice {
    /// Notice for an experiment that ended in this state (`finished`, `stopped` or `failed`). A failed experiment has
    /// no verdict.
    pub fn of(state: &str, findings: &Findings, sentence: String) -> Self {
        let verdict = match findings {
            _ if state == "failed" => None,
            Findings::Compare(found) => common_verdict(&found.comparisons),
            // An effect of the factor on any metric counts as the verdict.
            Findings::Sweep(found) if found.has_effect() => Some(answer(SweepAnswer::Effect)),
            Findings::Sweep(found) => Some(answer(found.finding.answer)),
            _ => None,
        };
        Notice { verdict: verdict.unwrap_or(state).to_owned(), sentence }
    }

    /// Runs a shell line that finds the notice in its environment variables. The line is ended after [`NOTICE_LIMIT`].
    ///
    /// # Errors
    /// Returns the reason why the notice was not delivered, to be appended to the name of the option.
    pub fn tell(&self, line: &str, exit_code: u8) -> Result<(), String> {
        let variables = [
            ("FAUXPLAT_VERDICT", self.verdict.clone()),
            ("FAUXPLAT_EXIT_CODE", exit_code.to_string()),
            ("FAUXPLAT_SENTENCE", self.sentence.clone()),
        ];
        let env_set = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        // Ctrl-C does not reach the shell line: a user who interrupted the experiment wants to be notified, too.
        let capture = Capture { env_set, is_spared: true, limit: Some(NOTICE_LIMIT), ..Capture::shell(line) };
        match capture.run().map_err(|error| error.to_string())?.outcome {
            Outcome::Exited(0) => Ok(()),
            Outcome::TimedOut => Err(format!("still ran after {} s and was ended", NOTICE_LIMIT.as_secs())),
            other => Err(format!("ended with status {}", other.exit_status())),
        }
    }
}

fn answer(answer: SweepAnswer) -> &'static str {
    match answer {
        SweepAnswer::Effect => "effect",
        SweepAnswer::NoEffect => "no effect",
        SweepAnswer::Undecided => "undecided",
    }
}

/// Common verdict of several comparisons: `different` if any of them has this verdict, otherwise `inconclusive` if any
/// has that; `None` without comparisons.
fn common_verdict(comparisons: &[Comparison]) -> Option<&'static str> {
    let has = |verdict| comparisons.iter().any(|comparison| comparison.verdict == verdict);
    let words = [
        (Verdict::Different, "different"),
        (Verdict::Inconclusive, "inconclusive"),
        (Verdict::Equivalent, "equivalent"),
    ];
    words.into_iter().find(|(verdict, _)| has(*verdict)).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice() -> Notice {
        Notice { verdict: "different".to_owned(), sentence: "b's $(run) \"is\" slower.\nReally.".to_owned() }
    }

    #[test]
    fn a_line_finds_the_news_in_its_environment() {
        let line = "test \"$FAUXPLAT_VERDICT $FAUXPLAT_EXIT_CODE\" = 'different 1' && \
                    test \"$FAUXPLAT_SENTENCE\" = 'b'\\''s $(run) \"is\" slower.\nReally.'";
        assert_eq!(notice().tell(line, 1), Ok(()));
    }

    #[test]
    fn a_line_that_fails_says_how() {
        assert_eq!(notice().tell("exit 9", 0), Err("ended with status 9".to_owned()));
    }

    #[test]
    fn what_failed_or_was_stopped_has_no_verdict() {
        let of = |state| Notice::of(state, &Findings::Run(Vec::new()), String::new()).verdict;
        assert_eq!([of("failed"), of("stopped"), of("finished")], ["failed", "stopped", "finished"]);
    }
}
