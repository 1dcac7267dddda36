//! Checks that a variant gives the same answer as the unvaried program.

use std::path::Path;
use std::time::Duration;

use fauxplat_launch::Capture;
use fauxplat_model::{Condition, Outcome};

use crate::VariantError;
use crate::shell::fill_for_shell;

/// A way to run a program, and to check that its answer is right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Argument vector, in which `{program}` stands for the program's path; for a shell line `sh`, `-c` and the line.
    pub argv: Vec<String>,
    /// Environment, working directory, standard input and time limit of the run.
    pub condition: Condition,
    /// Shell command with `{program}` that exits with status 0 if the answer is right; `none` disables the check.
    /// Without a command, exit status and standard output are compared with those of the unvaried program.
    pub check: Option<String>,
}

/// Answer of a program: how it ended, and what it wrote to standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    outcome: Outcome,
    /// SHA-256 of the output, which may be larger than memory; zeros if only the outcome is compared.
    output: [u8; 32],
}

/// Replaces `{program}` by the program's path, and also `{out}`, which is its name in build commands.
pub fn fill(text: &str, program: &str) -> String {
    text.replace("{program}", program).replace("{out}", program)
}

impl Question {
    /// Runs a program and returns its answer; `None` if the check is disabled.
    fn put_to(&self, program: &Path) -> Result<Option<Answer>, VariantError> {
        let path = program.display().to_string();
        let capture = match self.check.as_deref() {
            Some("none") => return Ok(None),
            Some(line) => self.under(Capture::shell(&fill_for_shell(line, &path))),
            None => {
                let mut words = self.words(&path).into_iter();
                let program = words.next().unwrap_or_default().into();
                self.under(Capture { program, arguments: words.collect(), ..Capture::default() })
            }
        };
        let captured = capture.run()?;
        match captured.outcome {
            // The output up to the time limit differs from run to run, so it is not compared.
            outcome @ Outcome::TimedOut => Ok(Some(Answer { outcome, output: [0; 32] })),
            // Only the exit status of a checking command counts; its output is for people.
            outcome if self.check.is_some() => Ok(Some(Answer { outcome, output: [0; 32] })),
            outcome => Ok(Some(Answer { outcome, output: captured.output.sha256 })),
        }
    }

    /// Argument vector with the program's path filled in, as in a measured run.
    fn words(&self, program: &str) -> Vec<String> {
        let mut words: Vec<String> = self.argv.iter().map(|word| fill(word, program)).collect();
        if let (true, Some(line), Some(filled)) =
            (self.condition.shell.is_used(), self.argv.last(), words.last_mut())
        {
            *filled = fill_for_shell(line, program);
        }
        words
    }

    fn under(&self, capture: Capture) -> Capture {
        let pairs = self.condition.env_set.iter().filter_map(|setting| setting.split_once('='));
        Capture {
            env: self.condition.env,
            env_set: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            cwd: self.condition.cwd.clone(),
            stdin: self.condition.stdin.clone(),
            limit: self.condition.timeout.map(|limit| Duration::from_nanos(limit.0)),
            ends_leftovers: true,
            ..capture
        }
    }

    /// Returns the answer of the unvaried program, which the variants must give. Without a checking command the program
    /// is run twice, since an answer that changes from run to run cannot be compared.
    pub(crate) fn expected(&self, program: &Path, line: &str) -> Result<Option<Answer>, VariantError> {
        let first = self.put_to(program)?;
        let unchecked = self.check.is_some();
        match &first {
            Some(answer) if unchecked && answer.outcome != Outcome::Exited(0) => {
                Err(VariantError::OtherAnswer {
                    line: line.to_owned(),
                    how: format!("without any variation already fails --check ({})", told(answer.outcome)),
                })
            }
            Some(_) if !unchecked && self.put_to(program)? != first => {
                Err(VariantError::NoAnswer { line: line.to_owned() })
            }
            _ => Ok(first),
        }
    }

    pub(crate) fn verify(&self, expected: &Answer, program: &Path, line: &str) -> Result<(), VariantError> {
        let Some(answer) = self.put_to(program)? else { return Ok(()) };
        let how = match (answer.outcome == expected.outcome, answer.output == expected.output) {
            (true, true) => return Ok(()),
            (false, _) => format!("{} instead of: {}", told(answer.outcome), told(expected.outcome)),
            (true, false) => "writes another output".to_owned(),
        };
        Err(VariantError::OtherAnswer { line: line.to_owned(), how })
    }
}

fn told(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("ended with status {status}"),
        // SIGSTOP, SIGTSTP, SIGTTIN and SIGTTOU end nothing: a command with such an outcome was stopped, and then killed.
        Outcome::Signaled(signal @ (19..=22)) => format!("was stopped by signal {signal} and then ended"),
        Outcome::Signaled(signal) => format!("was ended by signal {signal}"),
        Outcome::TimedOut => "was still running at the limit of --timeout".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha256(output: &[u8]) -> [u8; 32] {
        use sha2::Digest;
        sha2::Sha256::digest(output).into()
    }

    fn question(argv: &[&str]) -> Question {
        Question { argv: argv.iter().map(|&word| word.to_owned()).collect(), ..Question::default() }
    }

    #[test]
    fn answers_are_status_and_output() {
        let ask = question(&["{program}", "-c", "echo 1"]);
        let sh = Path::new("/bin/sh");
        let expected = ask.expected(sh, "x").unwrap().unwrap();
        ask.verify(&expected, sh, "x").unwrap();
        let refused = ask.verify(&expected, Path::new("/bin/false"), "x").unwrap_err().to_string();
        assert!(refused.contains("ended with status 1 instead of: ended with status 0"), "{refused}");
        let refused = ask.verify(&expected, Path::new("/bin/echo"), "x").unwrap_err().to_string();
        assert!(refused.contains("another output"), "{refused}");
    }

    /// Without a time limit, fauxplat would wait forever for the program, and for each of its layouts.
    #[test]
    fn a_program_that_does_not_end_has_the_time_of_a_run() {
        let limit = Some(fauxplat_units::Nanos(50_000_000));
        let condition = Condition { timeout: limit, ..Condition::default() };
        let ask = Question { condition, ..question(&["{program}", "-c", "sleep 600"]) };
        let expected = ask.expected(Path::new("/bin/sh"), "x").unwrap().unwrap();
        assert_eq!(expected.outcome, Outcome::TimedOut);
        // On a slow machine a program that ends may need more than 50 ms.
        let ask = Question { condition: Condition::default(), ..ask };
        let refused = ask.verify(&expected, Path::new("/bin/true"), "x").unwrap_err().to_string();
        assert!(refused.contains("instead of: was still running"), "{refused}");
    }

    #[test]
    fn a_line_for_the_shell_takes_a_program_below_any_folder() {
        let folder = tempfile::Builder::new().prefix("it's another ").tempdir().unwrap();
        let program = folder.path().join("a program");
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
        let condition = Condition { shell: fauxplat_model::Shell::Standard, ..Condition::default() };
        let ask = Question { condition, ..question(&["sh", "-c", "{program} -c 'echo 3' | cat"]) };
        let expected = ask.expected(&program, "x").unwrap().unwrap();
        assert_eq!(expected, Answer { outcome: Outcome::Exited(0), output: sha256(b"3\n") });
    }

    /// A process that a run leaves behind would run beside every measured run.
    #[test]
    fn what_an_answer_left_behind_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("sleep 600 & echo $! > '{}'", folder.path().join("pid").display());
        let ask = question(&["{program}", "-c", &line]);
        ask.expected(Path::new("/bin/sh"), "x").unwrap().unwrap();
        let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
        let lives = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
        };
        let is_gone = (0..4000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            !lives()
        });
        assert!(is_gone, "process {pid}");
    }

    #[test]
    fn an_answer_that_changes_is_none() {
        let ask = question(&["{program}", "-c", "cat /proc/sys/kernel/random/uuid"]);
        assert!(matches!(ask.expected(Path::new("/bin/sh"), "x"), Err(VariantError::NoAnswer { .. })));
        let ask = Question { check: Some("none".into()), ..ask };
        assert_eq!(ask.expected(Path::new("/bin/sh"), "x").unwrap(), None);
    }

    #[test]
    fn a_command_may_check_instead() {
        let ask = Question { check: Some("test -x {program}".into()), ..question(&["{program}"]) };
        let expected = ask.expected(Path::new("/bin/sh"), "x").unwrap().unwrap();
        ask.verify(&expected, Path::new("/bin/true"), "x").unwrap();
        assert!(ask.verify(&expected, Path::new("/etc/passwd"), "x").is_err());
    }

    #[test]
    fn both_names_of_the_program_are_filled_in_wherever_they_stand() {
        assert_eq!(fill("{program} --self={out} {other}", "/p"), "/p --self=/p {other}");
        let ask = question(&["sh", "-c", "{out} -c 'echo 3'"]);
        let expected = ask.expected(Path::new("/bin/sh"), "x").unwrap().unwrap();
        assert_eq!(expected, Answer { outcome: Outcome::Exited(0), output: sha256(b"3\n") });
    }

    #[test]
    fn a_program_may_fail_if_it_always_fails_alike() {
        let ask = question(&["{program}", "-c", "echo out; echo err >&2; exit 7"]);
        let sh = Path::new("/bin/sh");
        let expected = ask.expected(sh, "x").unwrap().unwrap();
        assert_eq!(expected, Answer { outcome: Outcome::Exited(7), output: sha256(b"out\n") });
        ask.verify(&expected, sh, "x").unwrap();
        let killed = question(&["{program}", "-c", "echo out; kill -9 $$"]);
        let refused = killed.verify(&expected, sh, "cc x.c").unwrap_err().to_string();
        assert!(refused.contains("was ended by signal 9 instead of: ended with status 7"), "{refused}");
        assert!(refused.contains("`cc x.c`"), "{refused}");
    }

    #[test]
    fn a_check_that_fails_for_the_program_as_it_is_is_no_check() {
        let ask = Question { check: Some("exit 3".into()), ..question(&["{program}"]) };
        let refused = ask.expected(Path::new("/bin/sh"), "x").unwrap_err().to_string();
        assert!(refused.contains("already fails --check") && refused.contains("status 3"), "{refused}");
    }

    /// The path of a program may contain blanks and quotes.
    #[test]
    fn a_check_takes_a_program_below_any_folder() {
        let folder = tempfile::Builder::new().prefix("it's another ").tempdir().unwrap();
        let program = folder.path().join("a program");
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
        for check in [
            "{program} -c 'exit 0'",
            "\"{program}\" -c 'exit 0'",
            "'{program}' -c 'exit 0'",
            "env \"$(echo {out})\" -c 'exit 0'",
            "perl -e 'exit system(\"{program}\", \"-c\", \"exit 0\")'",
        ] {
            let ask = Question { check: Some(check.to_owned()), ..question(&["{program}"]) };
            ask.expected(&program, "x").unwrap().unwrap();
        }
    }

    /// The output of a checking command may differ from run to run: only its exit status counts.
    #[test]
    fn what_a_check_says_does_not_count() {
        let check = Some("cat /proc/sys/kernel/random/uuid".into());
        let ask = Question { check, ..question(&["{program}"]) };
        let expected = ask.expected(Path::new("/bin/sh"), "x").unwrap().unwrap();
        ask.verify(&expected, Path::new("/bin/sh"), "x").unwrap();
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_asked() {
        let ask = question(&["{program}"]);
        let error = ask.expected(Path::new("/no/such/program"), "x").unwrap_err();
        assert!(
            matches!(error, VariantError::Launch(_)) && error.to_string().contains("/no/such/program"),
            "{error}"
        );
    }
}
