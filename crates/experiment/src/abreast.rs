//! Runs commands at the same time, each by a separate launcher. All commands are held until the observer has attached
//! to each process (to put it into its control group, for instance), and are then released one after the other.

use fauxplat_launch::{Held, LaunchError, Launcher, Reply, RunEnd};
use fauxplat_model::{Metric, Outcome, Readings};

use crate::request::{outcome_of, plain_request};
use crate::{Driver, Executor, Failure, Listeners};

/// Observer of commands that run at the same time.
pub(crate) trait Beside {
    /// Called when the process of the command with the index `lane` exists and its program has not begun.
    fn attach(&mut self, lane: usize, pid: i32) -> Result<(), Failure>;

    /// Called when all programs have begun, with the time by the monotonic clock.
    fn begun(&mut self, now_ns: u64);

    /// Called regularly while commands run, with a flag for each command that tells whether it still runs. If the
    /// result is false, the commands are ended.
    fn look(&mut self, now_ns: u64, running: &[bool], listeners: &Listeners) -> bool;
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ended {
    /// How the command ended; `None` for a command that fauxplat ended.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) wall_ns: Option<u64>,
    pub(crate) cpu_ns: Option<u64>,
}

/// Time between two calls of [`Beside::look`].
const LOOK_EVERY_MS: i32 = 20;

impl Driver {
    /// Runs each of these commands once, at the same time; `None` if the user stopped them before they began.
    ///
    /// # Errors
    /// Fails if a command cannot be launched or the observer fails.
    pub(crate) fn abreast(
        &mut self,
        commands: &[u16],
        beside: &mut dyn Beside,
    ) -> Result<Option<Vec<Ended>>, Failure> {
        let listeners = &self.listeners;
        let Some(executor) = &mut self.executor else { return Ok(None) };
        let ended = executor.abreast(commands, beside, listeners)?;
        self.interrupted |= executor.launcher.stop_requested();
        Ok(ended)
    }
}

impl Executor {
    fn abreast(
        &mut self,
        commands: &[u16],
        beside: &mut dyn Beside,
        listeners: &Listeners,
    ) -> Result<Option<Vec<Ended>>, Failure> {
        let entries: Vec<u32> =
            commands.iter().map(|&command| self.commands[usize::from(command)].run).collect();
        let prepared = commands.iter().try_for_each(|&command| self.prepare(command));
        let ran = prepared.and_then(|()| self.run_abreast(&entries, beside, listeners));
        for &command in commands {
            self.conclude(command)?;
        }
        ran
    }

    fn run_abreast(
        &mut self,
        entries: &[u32],
        beside: &mut dyn Beside,
        listeners: &Listeners,
    ) -> Result<Option<Vec<Ended>>, Failure> {
        let others: Result<Vec<_>, _> = entries.iter().skip(1).map(|_| self.launcher.partner()).collect();
        let mut others = others?;
        let mut lanes: Vec<&mut dyn Launcher> = vec![self.launcher.as_mut()];
        lanes.extend(others.iter_mut().map(|lane| lane.as_mut() as &mut dyn Launcher));
        match begin(&mut lanes, entries, beside) {
            Ok(()) => {}
            Err(Begun::Stopped) => return Ok(None),
            Err(Begun::Failed(failure)) => return Err(failure),
        }
        beside.begun(lanes[0].now_ns());
        let replies = follow(&mut lanes, beside, listeners)?;
        let mut ended = Vec::new();
        for ((reply, lane), &entry) in replies.into_iter().zip(&lanes).zip(entries) {
            if let Some(error) = lane.start_error(entry, reply.end) {
                return Err(error.into());
            }
            let metrics = lane.metrics();
            ended.push(match reply.end {
                RunEnd::Aborted => Ended::default(),
                end => {
                    let readings = Readings::with_parts(metrics.clone(), metrics.len(), reply.readings);
                    let (wall_ns, cpu_ns) = (readings.get(Metric::WALL), readings.get(Metric::CPU));
                    Ended { outcome: Some(outcome_of(end)), wall_ns, cpu_ns }
                }
            });
        }
        Ok(Some(ended))
    }
}

enum Begun {
    Stopped,
    Failed(Failure),
}

impl From<LaunchError> for Begun {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Stopped => Begun::Stopped,
            other => Begun::Failed(other.into()),
        }
    }
}

/// Holds all commands, lets the observer attach to each process, and releases them. After a failure, commands that are
/// held end without having begun.
fn begin(lanes: &mut [&mut dyn Launcher], entries: &[u32], beside: &mut dyn Beside) -> Result<(), Begun> {
    let mut held: Vec<Held<'_>> = Vec::new();
    for (at, (lane, &entry)) in lanes.iter_mut().zip(entries).enumerate() {
        let one = lane.hold(plain_request(entry))?;
        let pid = one.pid();
        held.push(one);
        beside.attach(at, pid).map_err(Begun::Failed)?;
    }
    held.into_iter().for_each(Held::begin);
    Ok(())
}

/// Waits for the end of all commands, and returns their replies in the order of the launchers. Ends the commands when
/// the user or the observer requests it.
fn follow(
    lanes: &mut [&mut dyn Launcher],
    beside: &mut dyn Beside,
    listeners: &Listeners,
) -> Result<Vec<Reply>, LaunchError> {
    let mut replies: Vec<Option<Reply>> = lanes.iter().map(|_| None).collect();
    let mut is_ending = false;
    loop {
        for (lane, reply) in lanes.iter_mut().zip(&mut replies) {
            if reply.is_none() {
                *reply = lane.try_reply();
            }
        }
        let running: Vec<bool> = replies.iter().map(Option::is_none).collect();
        let goes_on = beside.look(lanes[0].now_ns(), &running, listeners);
        let Some(first) = running.iter().position(|&runs| runs) else { break };
        if !is_ending && (!goes_on || lanes[first].stop_requested()) {
            is_ending = true;
            let under_way = lanes.iter_mut().zip(&running).filter(|(_, runs)| **runs);
            under_way.for_each(|(lane, _)| lane.abort());
        }
        lanes[first].wait(LOOK_EVERY_MS)?;
    }
    Ok(replies.into_iter().flatten().collect())
}
