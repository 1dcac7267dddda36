//! Prints the names that shell completions offer.

use std::path::Path;

use fauxplat_experiment::{Failure, open_store};
use fauxplat_lab::catalog;
use fauxplat_model::{LoadKind, Metric};
use fauxplat_options::Candidates;
use fauxplat_report::Format;
use fauxplat_store::Filter;
use fauxplat_tuning::Root;

use crate::output;

/// Prints the names of one kind, such as metrics, each on a line.
///
/// # Errors
/// Returns the error of standard output.
pub(crate) fn candidates(kind: Candidates) -> Result<(), Failure> {
    let names: Vec<String> = match kind {
        Candidates::Metrics => Metric::BUILT_IN.iter().map(|metric| metric.name().to_owned()).collect(),
        Candidates::Formats => Format::ALL.map(|format| format.name().to_owned()).into(),
        Candidates::Hazards => fauxplat_hazards::hazards().map(|hazard| hazard.name.to_owned()).collect(),
        Candidates::Labs => catalog::names(),
        Candidates::Loads => LoadKind::ALL.map(|kind| kind.name().to_owned()).into(),
        Candidates::Relations => RELATIONS.map(str::to_owned).into(),
        Candidates::Knobs => {
            let known = fauxplat_tuning::catalog(&Root::new(Path::new("/")));
            let profiles = known.profiles.into_iter().map(|profile| profile.name);
            profiles.chain(known.knobs.into_iter().map(|knob| format!("{}=", knob.name))).collect()
        }
        Candidates::Runs => runs(),
    };
    output::names(&names)
}

/// Examples of the relations by which CPUs are chosen; `topo pick --help` has their grammar.
const RELATIONS: [&str; 10] = [
    "all",
    "isolated",
    "one-per-core",
    "one-per-node",
    "quietest:1",
    "sibling-of:0",
    "same-l3:0",
    "other-core-same-l3:0",
    "node:0",
    "package:0",
];

/// Numbers of the newest experiments in the store, after the word `last`. Where there is no store the list has only
/// this word, since a completion cannot show an error.
fn runs() -> Vec<String> {
    const SHOWN: usize = 50;
    let filter = Filter { limit: Some(SHOWN), ..Filter::default() };
    let rows = open_store(None).ok().flatten().and_then(|store| store.list(&filter).ok()).unwrap_or_default();
    std::iter::once("last".to_owned()).chain(rows.iter().map(|row| row.id.to_string())).collect()
}
