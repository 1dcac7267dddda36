//! Passes the trials of a steering to the executor, and the samples of the executor to the steering and the recorder.

use fauxplat_model::{Command, Evidence, Sample, Trial};

use crate::feed::Feed;
use crate::part::ExperimentPart;
use crate::recorder::Recorder;
use crate::steer::{Landed, Steering};
use crate::surroundings::{Scene, Surroundings};
use crate::{Event, Failure, Listeners, Machine, Next};

/// Feed that connects a steering with the executor, and passes samples and evidence to the recorder.
pub(crate) struct Led<'a> {
    pub(crate) steering: &'a mut dyn Steering,
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) surroundings: &'a mut Surroundings,
    pub(crate) machine: &'a Machine,
    pub(crate) commands: &'a [Command],
    pub(crate) listeners: &'a Listeners,
    pub(crate) part: Option<&'a ExperimentPart>,
}

impl Led<'_> {
    fn command(&self, command: u16) -> &Command {
        &self.commands[usize::from(command)]
    }
}

impl Feed for Led<'_> {
    type Error = Failure;
    type Scene = Scene;

    fn next(&mut self, now_ns: u64) -> Next {
        self.steering.next(now_ns)
    }

    fn is_overdue(&mut self, now_ns: u64) -> bool {
        self.steering.is_overdue(now_ns)
    }

    fn scene(&self, trial: &Trial) -> Self::Scene {
        self.surroundings.scene(self.command(trial.command), trial)
    }

    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Failure> {
        self.surroundings.enter(self.machine, &self.commands[usize::from(trial.command)], trial)
    }

    fn sample(&mut self, sample: Sample) -> Result<(), Failure> {
        self.recorder.keep(sample);
        let all = &self.recorder.samples;
        match all.last() {
            Some(sample) => {
                let command = &self.commands[usize::from(sample.command)];
                self.steering.sample(Landed { sample, command, all })
            }
            None => Ok(()),
        }
    }

    fn evidence(&mut self, evidence: Evidence) -> Result<(), Failure> {
        self.listeners.tell(&Event::Evidence(self.recorder.record(evidence)));
        Ok(())
    }

    fn landed(&mut self) -> Result<(), Failure> {
        let fresh = self.recorder.land();
        if !fresh.is_empty() {
            self.listeners.tell(&Event::Samples(fresh));
        }
        if let Some(standing) = self.steering.standing().filter(|_| !self.listeners.is_empty()) {
            let standing = self.part.map_or(standing.clone(), |part| part.of_whole(&standing));
            self.listeners.tell(&Event::Progress(&standing));
        }
        Ok(())
    }
}
