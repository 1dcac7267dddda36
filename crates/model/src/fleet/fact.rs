//! Which facts of a machine make it the same hardware as another, and which may explain that it is slower.

/// What a fact is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactRole {
    /// Machines that differ in it are not the same hardware, and are not compared with each other.
    Identity,
    /// Machines of the same hardware may differ in it, and be slower for it.
    Candidate,
    /// The same, but it is a number of which more or less may be slower, and not a name.
    Reading,
    /// Told for people, and never an explanation: it is another one on every machine.
    Told,
}

/// One fact that nodes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactSpec {
    /// Its name in documents.
    pub name: &'static str,
    /// What a person calls it.
    pub title: &'static str,
    /// What it is for.
    pub role: FactRole,
}

const fn fact(name: &'static str, title: &'static str, role: FactRole) -> FactSpec {
    FactSpec { name, title, role }
}

/// All facts that are known by name. One that is not among them is a candidate.
///
/// What a fault or a setting can change is never identity: a module of memory that the firmware has switched off, or a
/// core that is offline, has to show as a difference within a group, and not as a group of one machine.
pub const FACTS: [FactSpec; 27] = [
    fact("architecture", "architecture", FactRole::Identity),
    fact("product", "product", FactRole::Identity),
    fact("cpu-model", "CPU model", FactRole::Identity),
    fact("cpu-stepping", "CPU stepping", FactRole::Identity),
    fact("sockets", "sockets", FactRole::Identity),
    fact("microcode", "microcode", FactRole::Candidate),
    fact("board", "mainboard", FactRole::Candidate),
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

/// What a fact is for, by its name.
pub fn role_of(name: &str) -> FactRole {
    FACTS.iter().find(|fact| fact.name == name).map_or(FactRole::Candidate, |fact| fact.role)
}
