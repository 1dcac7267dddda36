//! Creates the headers of records.

use fauxplat_model::document::Header;
use fauxplat_model::{Definition, MachineFacts, Origin, Sources};
use fauxplat_sys::clock;

pub fn header(
    machine: MachineFacts,
    definition: Definition,
    sources: Sources,
    invocation: &[String],
) -> Header {
    Header {
        fauxplat_version: env!("CARGO_PKG_VERSION").to_owned(),
        id: None,
        uuid: None,
        plan: None,
        started: clock::now_rfc3339(),
        invocation: invocation.to_vec(),
        seed: definition.seed.unwrap_or_default(),
        machine,
        origin: Origin::default(),
        condition: definition.condition.clone(),
        definition,
        sources,
        warnings: Vec::new(),
        not_measured: Vec::new(),
    }
}

/// Header for verbs that inspect a machine and start nothing.
pub fn inspection(machine: MachineFacts, invocation: &[String]) -> Header {
    header(machine, Definition::default(), Sources::default(), invocation)
}

/// Adds requested metrics to those that were not measured, also as warnings so that they are not overlooked.
pub(crate) fn miss(header: &mut Header, asked: Vec<String>) {
    header.warnings.extend(asked.iter().map(|one| format!("asked for and not measured: {one}")));
    header.not_measured.extend(asked);
}
