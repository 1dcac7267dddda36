//! Checks of the readings before they are judged: a rate that is not published, a metric without readings, and readings
//! that are only bounds.

use fauxplat_model::{Metric, Sample};

use crate::median::median_of;
use crate::{Driver, Failure};

impl Driver {
    /// Refuses a comparison by published rates or by an open metric if no run of a command has a value: the comparison
    /// would be inconclusive after all its pairs. Called after the warm-up, which shows whether there are values.
    ///
    /// # Errors
    /// Fails if a command has no value of a deciding metric that is the rate or an open metric.
    pub fn check_rates(&self) -> Result<(), Failure> {
        if self.interrupted {
            return Ok(());
        }
        self.header.definition.rule.decided().into_iter().try_for_each(|(metric, _)| self.check_rate(metric))
    }

    fn check_rate(&self, metric: Metric) -> Result<(), Failure> {
        if metric.is_built_in() && metric != Metric::RATE {
            return Ok(());
        }
        let has_rate = |command: u16| median_of(self.samples(), command, metric).is_some();
        let trouble = self.executor.as_ref().map_or("", |executor| executor.meters().trouble(metric));
        match (0..self.commands.len() as u16).find(|&command| !has_rate(command)) {
            None => Ok(()),
            Some(command) => Err(Failure::usage(format!(
                "--metric {}: no run of `{}` has a value: {trouble}",
                metric.name(),
                self.commands[usize::from(command)].command
            ))),
        }
    }

    /// Fails if a deciding metric has no reading in any successful run so far, so that nothing could be decided.
    pub(crate) fn check_read(&self) -> Result<(), Failure> {
        if self.interrupted {
            return Ok(());
        }
        let is_unread = |metric: &Metric| {
            let mut succeeded = self.samples().iter().filter(|sample| sample.outcome.is_success()).peekable();
            succeeded.peek().is_some() && succeeded.all(|sample| sample.told(*metric).is_none())
        };
        let decided = self.header.definition.rule.decided().into_iter().map(|(metric, _)| metric);
        let Some(metric) = decided.into_iter().find(is_unread) else { return Ok(()) };
        let trouble = self.executor.as_ref().map_or("", |executor| executor.meters().trouble(metric));
        let why = if trouble.is_empty() { "this metric is not measured here" } else { trouble };
        Err(Failure::usage(format!("--metric {}: no run has a value: {why}", metric.name())))
    }

    /// Refuses to compare by a metric with readings that are bounds, which limit a value on one side only.
    ///
    /// # Errors
    /// Fails if there is such a reading, with advice on how to get a value.
    pub(crate) fn check_values(&self) -> Result<(), Failure> {
        let decided = self.header.definition.rule.decided();
        let open = |sample: &Sample| {
            let of = |(metric, _): &(Metric, _)| Some((*metric, sample.told(*metric)?));
            let bound = decided.iter().filter_map(of).find(|(_, told)| told.bound.is_open());
            bound.map(|(metric, told)| (metric, told, sample.command))
        };
        match self.samples().iter().find_map(open) {
            None => Ok(()),
            Some((metric, told, command)) => {
                let name = self.commands.get(usize::from(command)).map_or("a command", |it| it.name.as_str());
                Err(bounded(metric, &format!("{} {} of `{name}`", told.bound.sign(), told.number)))
            }
        }
    }
}

/// The failure for readings of a metric that are bounds; `which` says whose readings.
pub(crate) fn bounded(metric: Metric, which: &str) -> Failure {
    let cure = match metric == Metric::PEAK_MEMORY {
        true => {
            "peak memory below that of fauxplat's own helper process is not seen; run as root, or with CAP_NET_ADMIN, \
             and it is measured"
        }
        false => "measure it where it can be read",
    };
    Failure::usage(format!(
        "--metric {}: some readings are bounds and no values ({which}), which cannot be judged here: {cure}",
        metric.name()
    ))
}
