//! Facts about machines: those that define equal hardware, and those that may explain slowness.

/// Role of a fact in the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactRole {
    /// Identity: machines that differ in the fact are not the same hardware, and are not compared with each other.
    Identity,
    /// Candidate: a name in which machines of the same hardware may differ, and which may explain slowness.
    Candidate,
    /// Candidate with a number, of which more or less may explain slowness.
    Reading,
    /// For people only, and never an explanation, since the value is different on every machine.
    Told,
}

/// A fact that nodes report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactSpec {
    /// Name in documents.
    pub name: &'static str,
    /// Name in reports.
    pub title: &'static str,
    /// Role of the fact.
    pub role: FactRole,
}

const fn fact(name: &'static str, title: &'static str, role: FactRole) -> FactSpec {
    FactSpec { name, title, role }
}

/// All facts that are known by name. Any other fact is a candidate.
///
/// A fact that a fault or a setting can change is never identity: a module of memory that the firmware has switched
/// off, or a core that is offline, has to show as a difference within a group, and not as a group of one machine. Nor is a
/// serial number, nor a count of what is online.
pub const FACTS: [FactSpec; 29] = [
    fact("architecture", "architecture", FactRole::Identity),
    fact("cpu-model", "CPU model", FactRole::Identity),
    fact("cpu-stepping", "CPU stepping", FactRole::Identity),
    fact("board", "mainboard", FactRole::Identity),
    fact("board-sockets", "sockets of the mainboard", FactRole::Identity),
    fact("memory-slots", "memory slots", FactRole::Identity),
    // A name of a product may hold the serial number, and a processor that failed is missing among those online.
    fact("product", "product", FactRole::Candidate),
    fact("sockets", "sockets online", FactRole::Candidate),
    fact("microcode", "microcode", FactRole::Candidate),
    fact("board-version", "mainboard version", FactRole::Candidate),
    fact("bios", "BIOS", FactRole::Candidate),
    fact("bios-date", "BIOS date", FactRole::Candidate),
    fact("memory-modules", "memory modules", FactRole::Candidate),
    fact("memory-speed", "memory speed", FactRole::Candidate),
    fact("cpus", "CPUs online", FactRole::Candidate),
    fact("governor", "governor", FactRole::Candidate),
    fact("turbo", "turbo", FactRole::Candidate),
    fact("smt", "SMT", FactRole::Candidate),
    fact("numa", "NUMA nodes", FactRole::Candidate),
    fact("kernel", "kernel", FactRole::Candidate),
    fact("cmdline", "kernel command line", FactRole::Candidate),
    fact("hypervisor", "hypervisor", FactRole::Candidate),
    fact("throttles", "throttle events", FactRole::Reading),
    fact("machine-checks", "machine checks", FactRole::Reading),
    fact("temperature", "temperature", FactRole::Reading),
    fact("steal", "steal", FactRole::Reading),
    fact("pressure", "CPU pressure", FactRole::Reading),
    fact("board-serial", "mainboard serial number", FactRole::Told),
    fact("not-measured", "not measured", FactRole::Told),
];

/// The role of a fact, by its name.
pub fn role_of(name: &str) -> FactRole {
    FACTS.iter().find(|fact| fact.name == name).map_or(FactRole::Candidate, |fact| fact.role)
}
