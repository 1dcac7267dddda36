//! Resolution of requested events to the parameters of `perf_event_open(2)` on this machine.

mod device;

use fauxplat_model::{Better, Coverage, Metric, MetricError, MetricId, MetricSpec, Unit};
use fauxplat_sys::perf::CountingEvent;

use crate::asked::{Asked, Form, Modifiers, Term, name};
use crate::catalog::{Catalog, Device, Scale};
use crate::error::CounterError;
use crate::vocabulary::{Code, RAW, SOFTWARE, Source, TRACEPOINT, Word};

/// Number of the lowest bit of `config` that encodes the device of a generic event (`PERF_PMU_TYPE_SHIFT`).
const DEVICE_SHIFT: u32 = 32;

/// Value of the field `source` of the metrics of all events.
const ORIGIN: &str = "perf_event_open(2)";

#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Origin of the count; together with the name, the id of the metric.
    pub source: Source,
    /// Name of the requested event; with several kinds of cores, also of the device whose cores count the event.
    pub name: String,
    /// Name in reports.
    pub title: String,
    pub unit: Unit,
    pub event: CountingEvent,
    /// Number of the group, whose events are counted at the same time, or not at all. `None` for an event outside of
    /// groups.
    pub group: Option<u16>,
    /// The device whose counters the event needs; `None` for events that the kernel counts in software.
    pub device: Option<String>,
    /// Whether the device is one of several kinds of cores, so that the event is counted only while a thread is on
    /// cores of that kind.
    pub is_partial: bool,
    /// Factor by which the count has to be multiplied, if the device states one.
    pub scale: Option<Scale>,
}

impl Resolved {
    /// Returns the metric of this event's counts, see [`metric()`].
    ///
    /// # Errors
    /// Fails where the name is too long, or where there are too many metrics.
    pub fn metric(&self) -> Result<Metric, MetricError> {
        metric(self)
    }
}

/// Returns the metric of an event's readings: `pmu:instructions:u`.
///
/// # Errors
/// Fails where the name is too long, or where there are too many metrics.
pub fn metric(event: &Resolved) -> Result<Metric, MetricError> {
    let id = MetricId::open(event.source.word(), &event.name)?;
    Metric::open(MetricSpec {
        title: event.title.clone().into(),
        source: ORIGIN.into(),
        coverage: Coverage::Tree,
        better: Better::Less,
        ..MetricSpec::open(id, event.unit)
    })
}

impl Catalog {
    /// Returns the events of this machine for a request: usually one, or one for each kind of cores.
    ///
    /// # Errors
    /// Fails where there is no such device, or where it has no such event.
    pub fn resolve(&self, asked: &Asked) -> Result<Vec<Resolved>, CounterError> {
        match &asked.form {
            Form::Word(word) => self.word(asked, word),
            Form::Raw(config) => Ok(self.raw(asked, *config)),
            Form::Device { device, terms } => self.within(asked, device, terms).map(|event| vec![event]),
            Form::Tracepoint { subsystem, event } => self.traced(asked, subsystem, event),
        }
    }

    /// Returns the events of this machine for a list of requests.
    ///
    /// # Errors
    /// Returns the error of the first event that has one.
    pub fn resolve_all(&self, asked: &[Asked]) -> Result<Vec<Resolved>, CounterError> {
        let each = asked.iter().map(|one| self.resolve(one)).collect::<Result<Vec<_>, _>>()?;
        Ok(each.into_iter().flatten().collect())
    }

    fn word(&self, asked: &Asked, word: &'static Word) -> Result<Vec<Resolved>, CounterError> {
        let cores: Vec<&Device> = self.cores().collect();
        match (word.code, cores.as_slice()) {
            (Code::Generic { kind: SOFTWARE, config }, _) => Ok(vec![plain(asked, SOFTWARE, config, None)]),
            // Without a device the event is resolved nevertheless: the kernel refuses to open it, and that reason is
            // reported.
            (Code::Generic { kind, config }, [] | [_]) => {
                Ok(vec![plain(asked, kind, config, cores.first().copied())])
            }
            (Code::Generic { .. }, _) => {
                let each = cores.iter().zip(0..).map(|(core, place)| {
                    let within = self.within(asked, &core.name, &[term(word.name)])?;
                    Ok(Resolved { group: split(asked.group, place), ..within })
                });
                each.collect()
            }
            (Code::Named, _) => self.named(asked, word, &cores),
        }
    }

    /// Resolves an event that the devices of the cores name themselves; some kinds of cores may lack it.
    fn named(&self, asked: &Asked, word: &Word, cores: &[&Device]) -> Result<Vec<Resolved>, CounterError> {
        let having = cores.iter().zip(0..).filter(|(core, _)| core.events.contains_key(word.name));
        let each = having.map(|(core, place)| {
            let event = self.within(asked, &core.name, &[term(word.name)])?;
            let is_only = cores.len() == 1;
            let name = if is_only { asked.name.clone() } else { event.name.clone() };
            let group = if is_only { asked.group } else { split(asked.group, place) };
            Ok(Resolved { name, group, title: title(word.title, asked.modifiers), ..event })
        });
        let found: Vec<Resolved> = each.collect::<Result<_, _>>()?;
        let device = || cores.first().map_or("cpu", |core| &core.name).to_owned();
        if found.is_empty() {
            return Err(CounterError::NotNamed { name: word.name.to_owned(), device: device() });
        }
        Ok(found)
    }

    /// Resolves an event that is given by its number in the processor's manual. The type `PERF_TYPE_RAW` addresses only
    /// one kind of cores, so each of several kinds is addressed by its own type.
    fn raw(&self, asked: &Asked, config: u64) -> Vec<Resolved> {
        let cores: Vec<&Device> = self.cores().collect();
        if let [] | [_] = cores.as_slice() {
            return vec![plain(asked, RAW, config, cores.first().copied())];
        }
        let on = |(core, place): (&&Device, u16)| {
            let terms = vec![term(&format!("r{config:x}"))];
            let name = name(&Form::Device { device: core.name.clone(), terms }, asked.modifiers);
            let group = split(asked.group, place);
            Resolved { name, group, is_partial: true, ..plain(asked, core.kind, config, Some(core)) }
        };
        cores.iter().zip(0..).map(on).collect()
    }

    fn traced(&self, asked: &Asked, subsystem: &str, event: &str) -> Result<Vec<Resolved>, CounterError> {
        let id = self.tracepoint(subsystem, event).ok_or_else(|| CounterError::NoTracepoint {
            subsystem: subsystem.to_owned(),
            event: event.to_owned(),
            folder: self.tracepoints.clone(),
        })?;
        Ok(vec![plain(asked, TRACEPOINT, id, None)])
    }
}

fn term(name: &str) -> Term {
    Term { name: name.to_owned(), value: None }
}

/// Returns the number of the part of a group that the kind of cores with the index `place` counts. A group has one part
/// for each kind, since no kind can count events of another.
fn split(group: Option<u16>, place: u16) -> Option<u16> {
    group.map(|group| group * CORE_KINDS_MAX + place)
}

/// Name of a processor's device that is not described in sysfs.
const NAMELESS: &str = "cpu";

/// Maximum number of kinds of cores, more than any machine has.
const CORE_KINDS_MAX: u16 = 64;

fn plain(asked: &Asked, kind: u32, config: u64, device: Option<&Device>) -> Resolved {
    let (title, unit) = match &asked.form {
        Form::Word(word) => (title(word.title, asked.modifiers), word.unit),
        _ => (asked.name.clone(), Unit::Count),
    };
    // The counters of cores without a recognised device are limited in number too, so their events must not count as
    // software events.
    let nameless = (asked.source == Source::Pmu).then(|| NAMELESS.to_owned());
    Resolved {
        source: asked.source,
        name: asked.name.clone(),
        title,
        unit,
        event: event(kind, [config, 0, 0], asked.modifiers),
        group: split(asked.group, 0),
        device: device.map(|device| device.name.clone()).or(nameless),
        is_partial: false,
        scale: None,
    }
}

/// Excludes the modes that were not named; if none was named, nothing is excluded.
fn event(kind: u32, config: [u64; 3], modifiers: Modifiers) -> CountingEvent {
    let Modifiers { user, kernel, hypervisor } = modifiers;
    let is_named = !modifiers.is_none();
    CountingEvent {
        kind,
        config,
        excludes_user: is_named && !user,
        excludes_kernel: is_named && !kernel,
        excludes_hypervisor: is_named && !hypervisor,
    }
}

fn title(plain: &str, modifiers: Modifiers) -> String {
    let Modifiers { user, kernel, hypervisor } = modifiers;
    let words = [(user, "user mode"), (kernel, "the kernel"), (hypervisor, "a hypervisor")];
    let named: Vec<&str> =
        words.into_iter().filter(|(is_named, _)| *is_named).map(|(_, word)| word).collect();
    if named.is_empty() { plain.to_owned() } else { format!("{plain} in {}", named.join(" and ")) }
}

#[cfg(test)]
mod tests;
