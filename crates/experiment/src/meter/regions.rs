//! Regions marked by the commands' programs: their calls, wall time, and event counts.

use fauxplat_launch::CounterEntry;
use fauxplat_model::{Definition, Metric, MetricSpec, Readings, check_region};

use super::region_page::{EVENTS, Marked, Page, Slot, VARIABLE};
use super::{Meter, Over};
use crate::Failure;
use crate::counters::Counters;

/// Upper limit of a stored reading: the store has 63 bits.
const STORED_MAX: u64 = 1 << 63;

#[derive(Debug)]
pub(super) struct Regions {
    page: Page,
    variable: String,
    named: Vec<Named>,
    /// Why there was no page (the file on which programs mark regions) for a run, or why it could not be read.
    page_trouble: Option<String>,
    lost: u64,
}

#[derive(Debug)]
struct Named {
    name: String,
    calls: Metric,
    wall: Metric,
    /// Metrics of counted events, each with the index of the event in [`Slot::counts`]. Several events can be parts of
    /// one metric, which is their sum.
    counters: Vec<(Metric, usize)>,
    runs: u64,
    missed: u64,
    last_trouble: String,
    open: u64,
    unpaired: u64,
    /// Number of calls of the region without counted events, and of all calls.
    uncounted: (u64, u64),
}

impl Regions {
    /// Opens a meter for the regions of a definition, including those of deciding metrics; `None` if there are none.
    ///
    /// # Errors
    /// Fails for an invalid name, counters that cannot be counted in a region, or if the page cannot be created.
    pub(super) fn open(definition: &Definition, counters: &Counters) -> Result<Option<Self>, Failure> {
        let names = definition.all_regions();
        if names.is_empty() {
            return Ok(None);
        }
        for name in &names {
            check_region(name).map_err(|why| Failure::usage(format!("region {name}: {why}")))?;
        }
        refuse(definition)?;
        let events = counters.only_set_of_runs()?;
        if events.len() > EVENTS {
            return Err(Failure::usage(format!(
                "--region: a region counts {EVENTS} events at most, and -e names {}",
                events.len()
            )));
        }
        let fail = |error| Failure::machine(format!("--region: no room for the page of marks: {error}"));
        let page = Page::new(&events).map_err(fail)?;
        let variable = format!("{VARIABLE}={}", page.path().display());
        let named: Vec<Named> =
            names.into_iter().map(|name| Named::of(name, &events)).collect::<Result<_, _>>()?;
        let given: Vec<Metric> = named.iter().flat_map(Named::metrics).collect();
        let mut decided = definition.rule.decided().into_iter().map(|(metric, _)| metric);
        if let Some(metric) = decided.find(|metric| metric.region().is_some() && !given.contains(metric)) {
            let given: Vec<&str> = given.iter().map(|metric| metric.name()).collect();
            return Err(Failure::usage(format!(
                "--metric {}: no region gives it; there is {}",
                metric.name(),
                given.join(", ")
            )));
        }
        Ok(Some(Regions { page, variable, named, page_trouble: None, lost: 0 }))
    }
}

fn refuse(definition: &Definition) -> Result<(), Failure> {
    let refused = [
        (definition.rule.duet, "--duet", "two programs would write on one page"),
        (
            definition.condition.simulate.is_some(),
            "--simulated",
            "a simulator counts the whole program, and simulated runs are not timed",
        ),
    ];
    match refused.into_iter().find(|(is_asked, ..)| *is_asked) {
        Some((_, option, why)) => {
            Err(Failure::usage(format!("--region and {option}: {why}; leave one option out")))
        }
        None => Ok(()),
    }
}

impl Named {
    fn of(name: String, events: &[CounterEntry]) -> Result<Self, Failure> {
        let metric =
            |of: &str| MetricSpec::of_region(&name, of).and_then(Metric::open).map_err(Failure::usage);
        let counter = |(at, event): (usize, &CounterEntry)| {
            let metric = event.metric.spec().within(&name).and_then(Metric::open).map_err(Failure::usage)?;
            Ok((metric, at))
        };
        let counters = events.iter().enumerate().map(counter).collect::<Result<_, Failure>>()?;
        let (calls, wall) = (metric("calls")?, metric("wall")?);
        Ok(Named {
            name,
            calls,
            wall,
            counters,
            runs: 0,
            missed: 0,
            last_trouble: String::new(),
            open: 0,
            unpaired: 0,
            uncounted: (0, 0),
        })
    }

    fn metrics(&self) -> Vec<Metric> {
        let mut all = vec![self.calls, self.wall];
        all.extend(self.counters.iter().map(|(metric, _)| *metric));
        all.dedup();
        all
    }

    fn take(&mut self, found: Result<&Marked, &str>, readings: &mut Readings) {
        self.runs += 1;
        let slot = found.map_err(str::to_owned).and_then(|marked| {
            if marked.lost > 0 {
                return Err("the page of marks was full, so later marks of the run are unknown".to_owned());
            }
            let slot = marked.regions.get(&self.name).filter(|slot| slot.calls > 0);
            slot.ok_or_else(|| why_not_entered(&self.name, marked))
        });
        let trouble = match &slot {
            Err(why) => Some(why.clone()),
            Ok(slot) => self.read(slot, readings).err(),
        };
        if let Ok(marked) = found {
            let slot = marked.regions.get(&self.name).cloned().unwrap_or_default();
            // The number of open calls may be wrong, and then huge, if the page is read while a program writes to it.
            self.open = self.open.saturating_add(if slot.open < STORED_MAX { slot.open } else { 0 });
            self.unpaired = self.unpaired.saturating_add(slot.unpaired);
        }
        if let Some(why) = trouble {
            (self.missed, self.last_trouble) = (self.missed + 1, why);
        }
    }

    fn read(&mut self, slot: &Slot, readings: &mut Readings) -> Result<(), String> {
        if slot.calls >= STORED_MAX || slot.wall_ns >= STORED_MAX {
            return Err("the program has written over its page of marks".to_owned());
        }
        readings.set(self.calls, Some(slot.calls));
        readings.set(self.wall, Some(slot.wall_ns));
        if self.counters.is_empty() {
            return Ok(());
        }
        let missing = slot.calls.saturating_sub(slot.counted);
        self.uncounted =
            (self.uncounted.0.saturating_add(missing), self.uncounted.1.saturating_add(slot.calls));
        if missing > 0 {
            self.last_trouble = format!("{missing} of its {} calls were not counted", slot.calls);
            return Ok(());
        }
        let sum_of = |metric| -> Option<u64> {
            let parts = self.counters.iter().filter(|(other, _)| *other == metric);
            parts.map(|(_, at)| slot.counts[*at]).try_fold(0_u64, |sum, count| sum.checked_add(count))
        };
        for (metric, _) in &self.counters {
            readings.set(*metric, sum_of(*metric).filter(|&count| count < STORED_MAX));
        }
        Ok(())
    }

    fn not_measured(&self) -> Vec<String> {
        let Named { name, runs, missed, last_trouble, open, unpaired, .. } = self;
        let (uncounted, calls) = self.uncounted;
        let sentences = [
            (*missed > 0, format!("region {name} in {missed} of {runs} runs: {last_trouble}")),
            (
                *open > 0,
                format!(
                    "region {name}, {open} times: the region was begun and not ended, or its program was ended; later \
                     marks of that thread are in no figure either"
                ),
            ),
            (
                *unpaired > 0,
                format!(
                    "region {name}, {unpaired} marks: the region was ended where it had not begun in that thread, or \
                     begun inside 16 other regions"
                ),
            ),
            (
                uncounted > 0,
                format!(
                    "counters in region {name}, {uncounted} of {calls} calls: other programs had the counters, or the \
                     program may not open them; of runs with such calls there are no counts"
                ),
            ),
        ];
        sentences.into_iter().filter(|(is_so, _)| *is_so).map(|(_, sentence)| sentence).collect()
    }
}

/// Maximum number of regions that a sentence lists about a run in which a requested region was not entered.
const OTHERS: usize = 5;

fn why_not_entered(name: &str, marked: &Marked) -> String {
    if marked.regions.contains_key(name) {
        return "the region was begun and never ended".to_owned();
    }
    let others: Vec<&str> = marked.regions.keys().map(String::as_str).take(OTHERS).collect();
    match others.as_slice() {
        [] => format!(
            "no program marked any region: one that does is built with fauxplat_region.h, fauxplat-region or fauxplat_region.py, \
             has names of a-z 0-9 . _ -, needs {VARIABLE} in its environment and a right to write where that points"
        ),
        others => format!("no program marked it; marked were {}", others.join(", ")),
    }
}

impl Meter for Regions {
    fn metrics(&self) -> Vec<Metric> {
        self.named.iter().flat_map(Named::metrics).collect()
    }

    fn variable(&self) -> Option<&str> {
        Some(&self.variable)
    }

    fn begin(&mut self) {
        self.page_trouble =
            self.page.renew().err().map(|error| format!("no room for the page of marks: {error}"));
    }

    fn end(&mut self, _run: Over, readings: &mut Readings) {
        let read = || self.page.read().map_err(|error| format!("the page of marks cannot be read: {error}"));
        let found = self.page_trouble.take().map_or_else(read, Err);
        self.lost = self.lost.saturating_add(found.as_ref().map_or(0, |marked| marked.lost));
        for named in &mut self.named {
            named.take(found.as_ref().map_err(String::as_str), readings);
        }
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        let of = |named: &&Named| named.metrics().contains(&metric);
        self.named.iter().find(of).map(|named| named.last_trouble.as_str())
    }

    fn not_measured(&self) -> Vec<String> {
        let lost = (self.lost > 0).then(|| {
            format!(
                "regions of {} names that found no room: a page has 256, and 256 more for each name in each process of Python",
                self.lost
            )
        });
        self.named.iter().flat_map(Named::not_measured).chain(lost).collect()
    }
}
