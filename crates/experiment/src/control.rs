//! Named pipes by which measured programs enable and disable the counting of events.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use fauxplat_launch::{ControlEntry, CounterEntry};
use fauxplat_model::{Control, Definition, Metric, MetricError, MetricSpec, Sample};
use fauxplat_sys::pipes::{make_pipe, open_pipe};

use crate::Failure;

/// Control pipes and their metrics as an entry of the launcher's table, with the pipes that were created for it.
#[derive(Clone, Debug)]
pub(crate) struct Controlled {
    pub(crate) entry: ControlEntry,
    _pipes: Arc<Pipes>,
}

/// Paths of the pipes that this process created, which are removed on drop, and the locks of all pipes in use.
#[derive(Debug, Default)]
struct Pipes {
    made: Vec<PathBuf>,
    held: Vec<File>,
}

impl Drop for Pipes {
    fn drop(&mut self) {
        for path in &self.made {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Controlled {
    /// Opens the pipes of a definition, with metrics for what these counters count while a program has enabled
    /// counting; `None` if the definition has no pipes.
    ///
    /// # Errors
    /// Fails if the definition has an option that excludes control pipes, or a pipe can neither be opened nor created.
    pub(crate) fn open(definition: &Definition, counters: &[CounterEntry]) -> Result<Option<Self>, Failure> {
        let Some(control) = &definition.control else { return Ok(None) };
        refuse(definition)?;
        let mut pipes = Pipes::default();
        let mut absolute = |path: &PathBuf| {
            let fail = |error| Failure::usage(format!("--control {}: {error}", path.display()));
            let path = std::path::absolute(path).map_err(fail)?;
            let is_made = make_pipe(&path).map_err(fail)?;
            let pipe = open_pipe(&path).map_err(fail)?;
            pipe.try_lock().map_err(|_| {
                Failure::usage(format!("--control {}: another fauxplat uses this pipe", path.display()))
            })?;
            pipes.held.push(pipe);
            pipes.made.extend(is_made.then(|| path.clone()));
            Ok::<_, Failure>(path)
        };
        let place = Control {
            commands: absolute(&control.commands)?,
            acknowledgements: control.acknowledgements.as_ref().map(&mut absolute).transpose()?,
        };
        let known =
            |spec: Result<MetricSpec, MetricError>| spec.and_then(Metric::open).map_err(Failure::usage);
        let counted = |counter: &CounterEntry| known(counter.metric.spec().while_enabled());
        let entry = ControlEntry {
            place,
            wall: known(MetricSpec::of_control("wall"))?,
            times: known(MetricSpec::of_control("times"))?,
            counters: counters.iter().map(counted).collect::<Result<_, _>>()?,
        };
        Ok(Some(Controlled { entry, _pipes: Arc::new(pipes) }))
    }

    /// Whether a metric is measured only while a program has enabled counting.
    pub(crate) fn gives(&self, metric: Metric) -> bool {
        let ControlEntry { wall, times, counters, .. } = &self.entry;
        [wall, times].into_iter().chain(counters).any(|own| *own == metric)
    }

    /// Sentences about samples without readings for the times of enabled counting, and the reasons.
    pub(crate) fn not_measured(&self, samples: &[Sample]) -> Vec<String> {
        let lacking = |metric: Metric| samples.iter().filter(|sample| sample.get(metric).is_none()).count();
        let (runs, untold) = (samples.len(), lacking(self.entry.wall));
        let untold_sentence = format!(
            "control in {untold} of {runs} runs: the program wrote neither `enable` nor `disable` into {}",
            self.entry.place.commands.display()
        );
        let partly = self.entry.counters.iter().filter(|metric| lacking(**metric) > untold).map(|metric| {
            let lacking = lacking(*metric) - untold;
            format!(
                "{} in {lacking} of {runs} runs: other programs had the counter for a part of the time",
                metric.name()
            )
        });
        (untold > 0).then_some(untold_sentence).into_iter().chain(partly).collect()
    }
}

fn refuse(definition: &Definition) -> Result<(), Failure> {
    let refused = [
        (definition.rule.duet, "--duet", "two programs would write into one pipe"),
        (definition.condition.simulate.is_some(), "--simulated", "a simulator counts the whole program"),
    ];
    match refused.into_iter().find(|(is_asked, ..)| *is_asked) {
        Some((_, option, why)) => {
            Err(Failure::usage(format!("--control and {option}: {why}; leave one option out")))
        }
        None => Ok(()),
    }
}
