//! Events that can be counted on this machine; for other events, the reason and a remedy.

mod reason;

use std::path::Path;

use fauxplat_procfs::status;
use fauxplat_sys::perf::CountingEvent;

use crate::asked::{Asked, Form, Modifiers, Term};
use crate::catalog::{Catalog, text};
use crate::error::CounterError;
use crate::fit::{Counters, Kernel};
use crate::resolve::Resolved;
use crate::vocabulary::{Source, WORDS};

pub use reason::{Reason, Refusal, reason};

/// The capabilities that perf requires, by number, see `capabilities(7)`; before Linux 5.8 only `CAP_SYS_ADMIN` exists.
const CAP_PERFMON: u32 = 38;
const CAP_SYS_ADMIN: u32 = 21;

/// Properties of the machine and of this process that explain why the kernel refuses an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Whether the kernel has a device for the counters of the processor's cores.
    pub has_cores: bool,
    /// `kernel.perf_event_paranoid`; `None` where it cannot be read.
    pub paranoid: Option<i32>,
    /// Whether the level `paranoid` does not apply to this process, because it has `CAP_PERFMON` or `CAP_SYS_ADMIN`.
    pub is_privileged: bool,
    pub is_virtual: bool,
}

impl Circumstances {
    /// Reads the circumstances of this process from `/proc` below `root`. The caller knows from the machine's facts
    /// whether the machine is virtual.
    pub fn read(root: &Path, catalog: &Catalog, is_virtual: bool) -> Circumstances {
        let status = text(&root.join("proc/self/status")).unwrap_or_default();
        let capabilities = status::effective_capabilities(&status).unwrap_or(0);
        let has = |capability: u32| capabilities >> capability & 1 == 1;
        Circumstances {
            has_cores: catalog.cores().next().is_some(),
            paranoid: text(&root.join("proc/sys/kernel/perf_event_paranoid"))
                .and_then(|level| level.parse().ok()),
            is_privileged: has(CAP_PERFMON) || has(CAP_SYS_ADMIN),
            is_virtual,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Name by which the event can be requested.
    pub name: String,
    /// Name in reports.
    pub title: String,
    pub source: Source,
    /// Whether this process may and can count the event on this machine.
    pub is_available: bool,
    /// Reason, in words, why the event cannot be counted; `None` if it can.
    pub reason: Option<String>,
    /// Advice by which the event becomes available; `None` if there is none.
    pub cure: Option<String>,
}

/// Tries to count every event of the vocabulary, and every named event of devices that can follow a process, on the
/// calling thread; returns an entry for each.
pub fn available(catalog: &Catalog, circumstances: &Circumstances) -> Vec<Availability> {
    available_by(&Kernel, catalog, circumstances)
}

/// Works like [`available`] on counters other than the kernel's, such as simulated ones in a test.
pub fn available_by<C: Counters>(
    counters: &C,
    catalog: &Catalog,
    circumstances: &Circumstances,
) -> Vec<Availability> {
    let each = candidates(catalog).into_iter().flat_map(|asked| match catalog.resolve(&asked) {
        Ok(events) => events.into_iter().map(|event| tried(counters, event, circumstances)).collect(),
        Err(error) => vec![unresolved(asked, error, circumstances)],
    });
    each.collect()
}

fn candidates(catalog: &Catalog) -> Vec<Asked> {
    let words = WORDS.iter().map(Form::Word);
    let devices = catalog.devices.values().filter(|device| !device.is_system_wide);
    let named = devices.flat_map(|device| {
        device.events.keys().map(|event| Form::Device {
            device: device.name.clone(),
            terms: vec![Term { name: event.clone(), value: None }],
        })
    });
    words.chain(named).map(|form| Asked::new(form, Modifiers::NONE, None)).collect()
}

fn tried<C: Counters>(counters: &C, event: Resolved, circumstances: &Circumstances) -> Availability {
    let refusal = counters.open(&event.event, None).err().map(|errno| refusal(counters, &event.event, errno));
    let reason = refusal.map(|refusal| reason(refusal, &event, circumstances));
    Availability {
        name: event.name,
        title: event.title,
        source: event.source,
        is_available: reason.is_none(),
        cure: reason.as_ref().and_then(|reason| reason.cure.clone()),
        reason: reason.map(|reason| reason.why),
    }
}

/// Returns the error number that explains a refusal, and whether the event is accepted in user mode. The kernel checks
/// permissions first, even for events that it does not have, so an event that was refused for want of permission is
/// tried again in user mode, which needs less permission.
pub fn refusal<C: Counters>(counters: &C, event: &CountingEvent, errno: i32) -> Refusal {
    let is_forbidden = |errno| matches!(errno, libc::EACCES | libc::EPERM);
    let refused = Refusal { errno, is_taken_in_user_mode: false };
    if !is_forbidden(errno) {
        return refused;
    }
    let less = CountingEvent { excludes_kernel: true, excludes_hypervisor: true, ..*event };
    match counters.open(&less, None) {
        Ok(_) => Refusal { is_taken_in_user_mode: true, ..refused },
        Err(errno @ (libc::ENOENT | libc::ENODEV)) => Refusal { errno, ..refused },
        Err(_) => refused,
    }
}

/// Returns the entry for an event that cannot be resolved on this machine.
fn unresolved(asked: Asked, error: CounterError, circumstances: &Circumstances) -> Availability {
    let Reason { why, cure } = match error {
        CounterError::NotNamed { .. } if !circumstances.has_cores => reason::no_cores(circumstances),
        other => Reason { why: other.to_string(), cure: None },
    };
    let title = match &asked.form {
        Form::Word(word) => word.title.to_owned(),
        _ => asked.name.clone(),
    };
    Availability {
        name: asked.name,
        title,
        source: asked.source,
        is_available: false,
        reason: Some(why),
        cure,
    }
}

#[cfg(test)]
mod tests;
