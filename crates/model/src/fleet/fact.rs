//! Facts about the machines of a fleet: which identify the hardware, and which may explain slowness.

/// Role of a fact in the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactRole {
    /// Machines that differ in the fact are different hardware and are not compared.
    Identity,
    /// A word that may differ between machines of the same hardware and may explain slowness.
    Candidate,
    /// A number that may explain slowness by being higher or lower.
    Reading,
    /// Information for people, which never explains slowness, since it is different on every machine.
    Told,
}

/// A fact that nodes report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactSpec {
    /// Name of the fact in documents.
    pub name: &'static str,
    /// Name of the fact in reports.
    pub title: &'static str,
    pub role: FactRole,
}

const fn fact(name: &'static str, title: &'static str, role: FactRole) -> FactSpec {
    FactSpec { name, title, role }
}

/// All facts that fauxplat knows by name. Any other fact is a [`FactRole::Candidate`].
///
/// A fact that a fault or a setting can change is never identity: a memory module that the firmware has disabled, or a
/// core that is offline, has to appear as a difference within a group, not as a group of one machine. For the same
/// reason neither serial numbers nor counts of online parts are identity.
pub const FACTS: [FactSpec; 29] = [
    fact("architecture", "architecture", FactRole::Identity),
    fact("cpu-model", "CPU model", FactRole::Identity),
    fact("cpu-stepping", "CPU stepping", FactRole::Identity),
    fact("board", "mainboard", FactRole::Identity),
    fact("board-sockets", "sockets of the mainboard", FactRole::Identity),
    fact("memory-slots", "memory slots", FactRole::Identity),
    // A product name may contain the serial number, and sockets whose processor has failed do not count as online.
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

pub fn role_of(name: &str) -> FactRole {
    FACTS.iter().find(|fact| fact.name == name).map_or(FactRole::Candidate, |fact| fact.role)
}
