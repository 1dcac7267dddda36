//! Checks the output (the answer) of each command by one more run, whose output is hashed and which is not timed. A
//! processor that computes wrongly is rarely slow.

use fauxplat_launch::{Capture, LaunchError, environment};
use fauxplat_model::{Command, EnvBase, NodeAnswer, NodeFailure, NodeRecord, hex};

use crate::{Driver, Failure};

/// Runs every command once more, prepared and concluded like its timed runs, and adds hashes of the outputs to the
/// record. A command whose `prepare` failed has no answer.
pub(super) fn answers(driver: &mut Driver, record: &mut NodeRecord) -> Result<(), Failure> {
    for (command, number) in driver.commands.clone().iter().zip(0_u16..) {
        let line = &command.command;
        let prepared = driver.executor.as_mut().map_or(Ok(()), |executor| executor.prepare(number));
        let done = prepared.map(|()| capture(command).run());
        // `conclude` is run in any case, so that prepared resources are not left behind.
        let concluded = driver.executor.as_mut().map_or(Ok(()), |executor| executor.conclude(number));
        if let Err(why) = concluded {
            driver.warn(format!("after `{line}` was asked for its answer: {why}"));
        }
        let done = match done {
            Ok(Err(LaunchError::Interrupted { .. })) => {
                return Err(Failure::machine("fauxplat was asked to end before every program had answered"));
            }
            Ok(done) => done?,
            Err(why) => {
                driver.warn(format!("`{line}` was not asked for its answer: {why}"));
                continue;
            }
        };
        if !driver.header.condition.ignore_failure.lets_pass(done.outcome) {
            let reason = format!("`{line}` failed when it was asked for its answer");
            record.failures.push(NodeFailure { command: Some(number), runs: 1, reason });
            continue;
        }
        let sha256 = hex(&done.output.sha256);
        record.answers.push(NodeAnswer { command: number, sha256, runs: 1 });
    }
    Ok(())
}

/// The command in a form in which its output can be captured, with as much of its condition as applies to an untimed
/// run.
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
