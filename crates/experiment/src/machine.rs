//! The machine that is measured, whose description is read once.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use fauxplat_model::{MachineFacts, Topology};
use fauxplat_units::CpuSet;

/// The machine below a root path: `/`, except when another machine is replayed.
#[derive(Debug)]
pub struct Machine {
    root: PathBuf,
    facts: MachineFacts,
    topology: OnceCell<Topology>,
}

impl Machine {
    /// Reads the facts of the machine below a root path. The topology, which takes longer, is read when it is first
    /// requested.
    pub fn read(root: &Path) -> Self {
        Machine { root: root.to_owned(), facts: fauxplat_topology::discover(root), topology: OnceCell::new() }
    }

    /// The machine on which this process runs.
    pub fn here() -> Self {
        Machine::read(Path::new("/"))
    }

    pub fn known(root: &Path, facts: MachineFacts) -> Self {
        Machine { root: root.to_owned(), facts, topology: OnceCell::new() }
    }

    pub fn reread(self) -> Self {
        Machine::read(&self.root)
    }

    /// Root path below which the machine's files are read.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether this process runs on the machine, rather than on another one whose files are replayed.
    pub fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }

    pub fn facts(&self) -> &MachineFacts {
        &self.facts
    }

    /// The CPUs on which this process may run.
    pub fn allowed(&self) -> &CpuSet {
        &self.facts.cpu.allowed
    }

    pub fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| fauxplat_topology::read(&self.root).0)
    }
}
