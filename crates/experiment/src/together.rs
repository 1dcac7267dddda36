//! Starts two trials at the same moment, for duets: each has a separate launcher, and both get the same start time.

use fauxplat_launch::{Heard, LaunchError, Launcher, Reply, Request, RunEnd};
use fauxplat_model::Trial;

use crate::request::{Purpose, numbered_request, plain_request, request_of};
use crate::{Executor, Feed, RunError};

/// Time in nanoseconds between the request and the start of two trials, within which both launchers wake up on their
/// CPUs.
const APPOINTMENT_NS: u64 = 400_000;

impl Executor {
    /// Starts a second launcher with the same programs, for trials that are marked `together`.
    fn pair_up(&mut self) -> Result<(), LaunchError> {
        let mut partner = self.launcher.partner()?;
        // A run of the empty program ensures that the launcher is ready; otherwise it would be late for the first start
        // time.
        if let Some((floor, _)) = self.floor {
            partner.answer(plain_request(floor))?;
        }
        self.partner = Some(partner);
        Ok(())
    }

    /// Runs two trials that start at the same moment, each by a separate launcher. No other run is under way, and the
    /// helpers before and after the trials run alone.
    pub(crate) fn run_together<F: Feed>(
        &mut self,
        trials: &[Trial; 2],
        feed: &mut F,
    ) -> Result<(), RunError<F::Error>> {
        let begun =
            |executor: &Self| trials.each_ref().map(|it| executor.commands[usize::from(it.command)].begun);
        let before = begun(self);
        let mut done = self.prepared_together(trials, feed);
        let after = begun(self);
        // If `prepare` of the first trial failed, the second trial has not begun.
        let has_begun = before.iter().zip(&after).map(|(before, after)| after > before);
        for (trial, _) in trials.iter().zip(has_begun).filter(|&(_, has_begun)| has_begun) {
            let concluded = match done.is_err() || self.launcher.stop_requested() {
                true => self.conclude(trial.command).map_err(RunError::from),
                false => match self.help("conclude", trial.command, feed) {
                    // The user's request stopped `conclude`, and prepared resources are still there.
                    Ok(false) => self.conclude(trial.command).map_err(RunError::from),
                    helped => helped.map(drop),
                },
            };
            done = done.and(concluded);
        }
        done
    }

    fn prepared_together<F: Feed>(
        &mut self,
        trials: &[Trial; 2],
        feed: &mut F,
    ) -> Result<(), RunError<F::Error>> {
        for trial in trials {
            self.commands[usize::from(trial.command)].begun += 1;
            self.help("prepare", trial.command, feed)?;
        }
        let replies = self.answers_at_once(trials)?;
        if replies.iter().any(|reply| reply.paused) {
            trials.iter().for_each(|trial| self.again.push(trial.clone()));
        } else if replies.iter().all(|reply| reply.end != RunEnd::Aborted) {
            for (trial, reply) in trials.iter().zip(replies) {
                self.settle(Purpose::Trial(trial.clone()), reply, feed)?;
            }
        }
        feed.landed().map_err(RunError::Feed)
    }

    /// Runs the helper of this role, if the command has one, while nothing else is under way; returns whether it
    /// completed.
    fn help<F: Feed>(
        &mut self,
        role: &'static str,
        command: u16,
        feed: &mut F,
    ) -> Result<bool, RunError<F::Error>> {
        let Some(entry) = self.helper(role, command) else { return Ok(true) };
        let number = self.commands[usize::from(command)].number();
        let reply = self.launcher.answer(numbered_request(entry, number))?;
        match reply.end {
            RunEnd::Aborted => Ok(false),
            _ => self.settle(Purpose::Helper { role, command }, reply, feed).map(|()| true),
        }
    }

    /// Requests one trial from each launcher with a common start time, and waits for both replies.
    fn answers_at_once(&mut self, trials: &[Trial; 2]) -> Result<Vec<Reply>, LaunchError> {
        if self.partner.is_none() {
            self.pair_up()?;
        }
        let start_at_ns = self.launcher.now_ns() + APPOINTMENT_NS;
        let mut lanes: Vec<&mut Box<dyn Launcher>> =
            [&mut self.launcher].into_iter().chain(&mut self.partner).collect();
        for (lane, trial) in lanes.iter_mut().zip(trials) {
            let places = &self.commands[usize::from(trial.command)];
            let request = request_of(places.run, &trial.setup, trial.position);
            lane.submit(Request { start_at_ns, number: places.number(), ..request });
        }
        let mut replies = Vec::new();
        let mut heard = Heard::nothing();
        while replies.len() < trials.len() {
            if heard.anew(lanes[0].stops()) {
                lanes.iter_mut().for_each(|lane| lane.abort());
            }
            // Replies are taken in the order of the trials, although the second may be ready before the first.
            let lane = &mut lanes[replies.len()];
            match lane.try_reply() {
                Some(reply) => replies.push(reply),
                None => lane.wait(1000)?,
            }
        }
        Ok(replies)
    }
}
