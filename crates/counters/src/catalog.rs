//! The counting devices of this machine, as the kernel describes them below a root path.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fauxplat_sys::files::read_bounded;

use crate::format::Format;

/// Directory of the devices, below the root.
const DEVICES: &str = "sys/bus/event_source/devices";
/// Directories of tracepoints: tracefs at its present and its former mount point.
const TRACEPOINTS: [&str; 2] = ["sys/kernel/tracing/events", "sys/kernel/debug/tracing/events"];
/// Maximum length, in bytes, of a file of a device that is read.
const BYTES_MAX: u64 = 64 << 10;

/// Factor by which the count of a named event is multiplied, and the unit of the product.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    pub factor: f64,
    /// Unit of the product, such as `Joules`; `None` if the kernel names none.
    pub unit: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NamedEvent {
    /// Terms of the event: `event=0xc0,umask=0x1`.
    pub terms: String,
    /// Scale of the event's count; `None` for a plain count.
    pub scale: Option<Scale>,
}

/// A device that counts events, such as the counters of the processor's cores.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Name: `cpu`, `cpu_core`, `armv8_pmuv3_0`, `msr`.
    pub name: String,
    /// Number of the device: the value of the field `type` of `perf_event_open(2)`.
    pub kind: u32,
    /// For each term of an event, by name, the bits of the kernel's `config` fields that hold its value.
    pub formats: BTreeMap<String, Format>,
    pub events: BTreeMap<String, NamedEvent>,
    /// Whether the device represents the counters of processor cores.
    pub is_core: bool,
    /// Whether the device counts only for whole CPUs, so that it cannot follow a process.
    pub is_system_wide: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    pub devices: BTreeMap<String, Device>,
    pub tracepoints: PathBuf,
}

impl Catalog {
    /// Reads the devices of a machine below `root`, which is `/` for the present machine. Unreadable devices are
    /// skipped.
    pub fn read(root: &Path) -> Catalog {
        let found = names(&root.join(DEVICES)).into_iter();
        let devices = found.filter_map(|name| Device::read(&root.join(DEVICES).join(&name), name));
        Catalog {
            devices: devices.map(|device| (device.name.clone(), device)).collect(),
            tracepoints: tracepoints(root),
        }
    }

    /// Returns the counters of the processor's cores: one device, or one for each kind of core.
    pub fn cores(&self) -> impl Iterator<Item = &Device> + Clone {
        self.devices.values().filter(|device| device.is_core)
    }

    /// Returns the kernel's number of a tracepoint; `None` if its file `id` is missing or may not be read.
    pub(crate) fn tracepoint(&self, subsystem: &str, event: &str) -> Option<u64> {
        text(&self.tracepoints.join(subsystem).join(event).join("id"))?.parse().ok()
    }
}

fn tracepoints(root: &Path) -> PathBuf {
    let [new, old] = TRACEPOINTS.map(|folder| root.join(folder));
    if !new.is_dir() && old.is_dir() { old } else { new }
}

impl Device {
    fn read(folder: &Path, name: String) -> Option<Device> {
        let kind = text(&folder.join("type"))?.parse().ok()?;
        // Kinds of cores list their CPUs in `cpus`; the single kind of an x86 machine is called `cpu`. A `cpumask`
        // lists the CPUs on which the events of a system-wide device have to be opened.
        let is_core = name == "cpu" || name.starts_with("armv") || folder.join("cpus").exists();
        Some(Device {
            kind,
            formats: formats(&folder.join("format")),
            events: events(&folder.join("events")),
            is_core,
            is_system_wide: !is_core && folder.join("cpumask").exists(),
            name,
        })
    }
}

fn formats(folder: &Path) -> BTreeMap<String, Format> {
    let format = |name: String| Some((Format::parse(&text(&folder.join(&name))?)?, name));
    names(folder).into_iter().filter_map(format).map(|(format, name)| (name, format)).collect()
}

/// Suffixes of the files that contain attributes of an event, such as its scale and unit.
const ATTRIBUTES: [&str; 4] = [".scale", ".unit", ".per-pkg", ".snapshot"];

fn events(folder: &Path) -> BTreeMap<String, NamedEvent> {
    let is_event = |name: &String| !ATTRIBUTES.iter().any(|ending| name.ends_with(ending));
    let event = |name: String| {
        let terms = text(&folder.join(&name))?;
        let scale = scale(folder, &name);
        Some((name, NamedEvent { terms, scale }))
    };
    names(folder).into_iter().filter(is_event).filter_map(event).collect()
}

fn scale(folder: &Path, event: &str) -> Option<Scale> {
    let read = |ending: &str| text(&folder.join(format!("{event}{ending}")));
    let factor = read(".scale").and_then(|factor| factor.parse().ok());
    let unit = read(".unit");
    (factor.is_some() || unit.is_some()).then(|| Scale { factor: factor.unwrap_or(1.0), unit })
}

/// Returns the names of a directory's entries that are valid text.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

pub(crate) fn text(path: &Path) -> Option<String> {
    let bytes = read_bounded(path, BYTES_MAX).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim().to_owned())
}
