//! What the commands answer: one more run of each, whose output is hashed and not timed. A processor that computes wrongly is
//! rarely slow.

use fauxplat_launch::{Capture, environment};
use fauxplat_model::{Command, EnvBase, NodeAnswer, NodeFailure, NodeRecord, Outcome};

use crate::{Driver, Failure};

/// Runs every command once more.
pub(super) fn answers(driver: &Driver, record: &mut NodeRecord) -> Result<(), Failure> {
    for (command, number) in driver.commands.iter().zip(0_u16..) {
        let done = capture(command).run()?;
        if done.outcome == Outcome::TimedOut {
            return Err(Failure::machine("it was asked to end before every program had answered"));
        }
        if !done.outcome.is_success() && !driver.header.condition.ignore_failure.any() {
            let reason = format!("`{}` failed when it was asked for its answer", command.command);
            record.failures.push(NodeFailure { command: Some(number), runs: 1, reason });
            continue;
        }
        let sha256 = done.output.sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        record.answers.push(NodeAnswer { command: number, sha256, runs: 1 });
    }
    Ok(())
}

/// The command under as much of its condition as a run has that is not timed.
fn capture(command: &Command) -> Capture {
    let condition = &command.condition;
    let named =
        |setting: String| setting.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    Capture {
        program: command.program.clone(),
        arguments: command.argv.iter().skip(1).cloned().collect(),
        env: EnvBase::Clean,
        env_set: environment(condition).into_iter().filter_map(named).collect(),
        cwd: condition.cwd.clone(),
        stdin: condition.stdin.clone(),
        limit: condition.timeout.map(|limit| std::time::Duration::from_nanos(limit.0)),
        ..Capture::default()
    }
}
