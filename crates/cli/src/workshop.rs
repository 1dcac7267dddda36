//! What the verbs whose workers are our own do alike: facts, store, progress, report.

use std::path::Path;

use fauxplat_load::Loads;
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{Condition, Definition, EnvPad, Heap, Placement, Sources};
use fauxplat_plan::{Layout, Plan};
use fauxplat_store::{Experiment, State};
use fauxplat_sys::{clock, signal};
use fauxplat_units::CpuSet;

use crate::args::OutputArgs;
use crate::commands;
use crate::disturb;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::relation;
use crate::session::open_store;

/// An experiment without commands.
pub(crate) struct Workshop<'a> {
    pub(crate) header: Header,
    pub(crate) progress: Progress,
    pub(crate) interrupted: bool,
    /// The loads that are held beside all of it.
    pub(crate) load: Option<Loads>,
    experiment: Option<Experiment>,
    output: &'a OutputArgs,
    started_ns: u64,
}

impl<'a> Workshop<'a> {
    /// Facts, store and loads, before anything is measured.
    ///
    /// # Errors
    /// The store cannot be opened, or a load cannot stand.
    pub(crate) fn begin(
        kind: &'static str,
        condition: Condition,
        seed: Option<u64>,
        output: &'a OutputArgs,
        invocation: &[String],
    ) -> Result<Self, Failure> {
        signal::stop_on_interrupt().map_err(Failure::machine)?;
        let seed = seed.unwrap_or_else(clock::fresh_seed);
        let mut header = Header {
            fauxplat_version: env!("CARGO_PKG_VERSION").to_owned(),
            id: None,
            started: clock::now_rfc3339(),
            invocation: invocation.to_vec(),
            seed,
            machine: fauxplat_topology::discover(Path::new("/")),
            definition: Definition {
                condition: condition.clone(),
                seed: Some(seed),
                ..Definition::default()
            },
            condition,
            sources: Sources::default(),
            warnings: Vec::new(),
            not_measured: Vec::new(),
        };
        let experiment = match open_store(output)? {
            Some(store) => Some(store.begin(&header, kind, &[])?),
            None => None,
        };
        header.id = experiment.as_ref().map(Experiment::id);
        let load = disturb::begin(&header.condition.load)?;
        let progress = Progress::new(output.quiet);
        let started_ns = clock::monotonic_ns();
        Ok(Workshop { header, progress, interrupted: false, load, experiment, output, started_ns })
    }

    /// Seconds since the beginning.
    pub(crate) fn elapsed_s(&self) -> f64 {
        (clock::monotonic_ns() - self.started_ns) as f64 / 1e9
    }

    /// Ends the loads and records what they did.
    pub(crate) fn end_loads(&mut self) {
        disturb::end(self.load.take(), &mut self.header);
    }

    /// Stores and reports what was found.
    ///
    /// # Errors
    /// The store or the report cannot be written.
    pub(crate) fn finish(mut self, findings: &Findings) -> Result<(), Failure> {
        self.progress.end();
        self.end_loads();
        if self.interrupted {
            self.header.warnings.push("interrupted: this is what was measured until then".to_owned());
        }
        let state = if self.interrupted { State::Stopped } else { State::Finished };
        let stored = match self.experiment.take() {
            Some(experiment) => experiment.finish(&self.header, Some(findings), state).map(drop),
            None => Ok(()),
        };
        output::write(&Record { header: &self.header, commands: &[], samples: &[], findings }, self.output)?;
        Ok(stored?)
    }
}

/// A plan that visits every cell of a design once in each block.
pub(crate) fn cells_plan(cells: usize, seed: u64) -> Plan {
    Plan {
        commands: cells as u16,
        placement: Placement::Free,
        env_pad: EnvPad::None,
        heap: Heap::Inherit,
        layout: Layout::Single,
        seed,
    }
}

/// The CPUs that a placement names, checked against what is there and allowed.
///
/// # Errors
/// A CPU that is not there or not allowed, or a placement that names none.
pub(crate) fn cpus_of(placement: &Placement) -> Result<CpuSet, Failure> {
    let mut chosen = Condition { cpu: placement.clone(), ..Condition::default() };
    relation::resolve(&mut chosen)?;
    let facts = fauxplat_topology::discover(Path::new("/")).cpu;
    match &chosen.cpu {
        Placement::Set(cpus) => commands::check_placement(&chosen.cpu, &facts).map(|()| cpus.clone()),
        other => Err(Failure::usage(format!(
            "`{other}` names no CPU here: give a list such as 0-3, or a relation such as one-per-core"
        ))),
    }
}
