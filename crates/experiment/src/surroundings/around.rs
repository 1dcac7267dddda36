//! Runs the user's shell lines once before the whole experiment (`--setup`) and once after it (`--cleanup`).

use fauxplat_launch::{Capture, LaunchError};
use fauxplat_model::{Condition, Definition};
use fauxplat_plan::{Expanded, expand};

use crate::Failure;
use crate::commands::by_shell;
use crate::steer::how_it_ended;

/// The user's shell lines that clean up, to be run when the experiment is over, however it ends.
#[derive(Debug, Default)]
pub(crate) struct Cleanup {
    steps: Vec<Step>,
}

/// A shell line, under the condition of the command that it belongs to.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    role: &'static str,
    line: String,
    condition: Condition,
}

/// Runs the setup lines and returns the cleanup lines. A line that several commands share runs once in each environment
/// and directory. Called before programs are looked for, since a setup may build them.
///
/// # Errors
/// Fails if a line fails, or the setups of several commands exclude each other. The cleanup has then been run.
pub(crate) fn set_up(definition: &Definition) -> Result<Cleanup, Failure> {
    let expanded = expand(definition).unwrap_or_default();
    let setups = steps("setup", definition, &expanded, |one| one.setup.as_ref());
    let cleanup = Cleanup { steps: steps("cleanup", definition, &expanded, |one| one.cleanup.as_ref()) };
    refuse_switching(&setups)?;
    setups.iter().try_for_each(|step| step.run(false))?;
    Ok(cleanup)
}

/// The different shell lines of a role, in the order of their commands. Equal lines under different environments or
/// directories count as different.
fn steps(
    role: &'static str,
    definition: &Definition,
    expanded: &[Expanded],
    line: impl Fn(&Expanded) -> Option<&String>,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for one in expanded {
        let Some(line) = line(one) else { continue };
        let mut condition = definition.condition.clone();
        condition.env_set.extend_from_slice(&one.env);
        condition.cwd = one.cwd.clone().or(condition.cwd);
        let step = Step { role, line: line.clone(), condition };
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps
}

/// Refuses several setups that check out a branch. Commands take turns, so all setups run before the first run, and
/// only the last branch would be measured, under every name.
fn refuse_switching(setups: &[Step]) -> Result<(), Failure> {
    let switching = setups.iter().find(|step| switches_branch(&step.line));
    match switching.filter(|_| setups.len() > 1) {
        None => Ok(()),
        Some(step) => Err(Failure::usage(format!(
            "--setup `{}`: the commands take turns, so all setups come before the first run, and only the last branch \
             would be measured; give each branch a folder of its own (git worktree add), and build both with compare \
             --build-a CMD --build-b CMD, or name the two programs",
            step.line
        ))),
    }
}

/// Whether a line checks out a branch with git.
fn switches_branch(line: &str) -> bool {
    line.split([';', '&', '|', '\n', '(', ')']).any(|part| {
        let mut words = part.split_whitespace().skip_while(|word| *word != "git");
        words.any(|word| word == "switch" || word == "checkout")
    })
}

impl Step {
    fn run(&self, is_spared: bool) -> Result<(), Failure> {
        let (program, argv) = by_shell(&self.condition, &self.line)?;
        let pair = |setting: &String| {
            setting.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        let capture = Capture {
            program,
            arguments: argv[1..].to_vec(),
            env: self.condition.env,
            env_set: self.condition.env_set.iter().filter_map(pair).collect(),
            cwd: self.condition.cwd.clone(),
            stdin: None,
            with_stderr: true,
            is_spared,
            // A setup may start a daemon that the commands talk to.
            ends_leftovers: false,
            limit: None,
        };
        let (role, line) = (self.role, &self.line);
        let captured = capture.run().map_err(|error| match error {
            LaunchError::Interrupted { .. } => {
                Failure::interrupted(format!("interrupted during the {role} `{line}`"))
            }
            other => other.into(),
        })?;
        if captured.outcome.is_success() {
            return Ok(());
        }
        let failure = Failure::command(format!("the {role} `{line}` {}", how_it_ended(captured.outcome)));
        Err(failure.quoting(&captured.output.text()))
    }
}

impl Cleanup {
    /// Runs every cleanup line, even after one that failed; returns the first failure.
    pub(crate) fn run(&mut self) -> Option<Failure> {
        let steps = std::mem::take(&mut self.steps);
        let failures: Vec<Failure> = steps.iter().filter_map(|step| step.run(true).err()).collect();
        failures.into_iter().next()
    }
}

/// Runs the cleanup lines also if an error ended the experiment before they were run.
impl Drop for Cleanup {
    fn drop(&mut self) {
        let _told_already = self.run();
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::CommandLine;

    use super::*;

    #[test]
    fn a_setup_runs_once_in_each_environment_and_directory() {
        let command = |env: &str, cwd: Option<&str>| CommandLine {
            command: "true".to_owned(),
            env: vec![env.to_owned()],
            setup: Some("make data".to_owned()),
            cwd: cwd.map(Into::into),
            ..CommandLine::default()
        };
        let commands = vec![
            command("N=1", None),
            command("N=2", None),
            command("N=1", Some("/tmp")),
            command("N=1", None),
            CommandLine { setup: None, ..command("N=3", None) },
        ];
        let mut definition = Definition { commands, ..Definition::default() };
        let expanded = expand(&definition).unwrap();
        let found = steps("setup", &definition, &expanded, |one| one.setup.as_ref());
        let of = |step: &Step| (step.condition.env_set.last().cloned(), step.condition.cwd.clone());
        let told: Vec<_> = found.iter().map(of).collect();
        let n = |n: &str| Some(format!("N={n}"));
        assert_eq!(told, [(n("1"), None), (n("2"), None), (n("1"), Some("/tmp".into()))]);
        definition.commands.iter_mut().for_each(|it| it.env.clear());
        let expanded = expand(&definition).unwrap();
        assert_eq!(steps("setup", &definition, &expanded, |one| one.setup.as_ref()).len(), 2);
    }

    #[test]
    fn only_git_that_checks_out_switches() {
        for line in ["git switch main", "cd x && git -C y checkout main", "make; (git checkout {b})"] {
            assert!(switches_branch(line), "{line}");
        }
        for line in ["make checkout", "git pull && ./switch", "echo git; switch", "git worktree add ../b b"] {
            assert!(!switches_branch(line), "{line}");
        }
    }
}
