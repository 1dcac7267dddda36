//! `fleet facts` and `fleet rm`: facts in which the machines of a run differ or have changed, and the removal of runs.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_analyze::fleet::first_records;
use fauxplat_experiment::Failure;
use fauxplat_fleet::{RunFolder, evidence};
use fauxplat_model::{FactRole, role_of};
use fauxplat_report::Format;
use serde::Serialize;

use super::{chosen, found, runs_folder};
use crate::output;
use fauxplat_options::{FleetPlaceArgs, OutputArgs};

/// Number of machines that a row names; further ones are only counted.
const NAMED: usize = 4;

/// Facts of the machines of a run: for each machine the value of each fact, by its name.
type Told = BTreeMap<String, BTreeMap<String, String>>;

/// A value of a fact in which the machines of a run differ, and the machines that have this value.
#[derive(Serialize)]
struct Value {
    fact: String,
    value: Option<String>,
    nodes: Vec<String>,
}

/// A fact that changed since the run before: the two values, and the machines on which it changed in this way.
#[derive(Serialize)]
struct Changed {
    fact: String,
    before: Option<String>,
    after: Option<String>,
    nodes: Vec<String>,
}

/// Lists the facts in which the machines of a run differ, and the facts that changed since the run before.
pub(super) fn facts(
    run: Option<&String>,
    place: &FleetPlaceArgs,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let folder = chosen(run, place, output)?;
    let told = told(&folder)?;
    let differ = differing(&told);
    let changed = match before(&folder, place, output)? {
        Some(earlier) => changed(&self::told(&earlier)?, &told),
        None => Vec::new(),
    };
    match output.format {
        Format::Text if differ.is_empty() && changed.is_empty() => {
            output::lines("machines agree in all facts, and none changed\n", output)
        }
        Format::Text => {
            let which = |nodes: &[String]| {
                let more = nodes.len().saturating_sub(NAMED);
                let named = nodes[..nodes.len() - more].join(", ");
                if more == 0 { named } else { format!("{named} and {more} more") }
            };
            let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "not told".to_owned());
            let of_value = |it: &Value| {
                vec![it.fact.clone(), word(&it.value), it.nodes.len().to_string(), which(&it.nodes)]
            };
            let of_change = |it: &Changed| {
                let value = format!("{}, before {}", word(&it.after), word(&it.before));
                vec![it.fact.clone(), value, it.nodes.len().to_string(), which(&it.nodes)]
            };
            let rows: Vec<Vec<String>> =
                differ.iter().map(of_value).chain(changed.iter().map(of_change)).collect();
            output::wide_table(&["fact", "value", "machines", "which"], &rows, output)
        }
        Format::Json => {
            let document = serde_json::json!({
                "schema": "fauxplat.fleet-facts/1", "fleet": folder.id(), "machines": told.len(),
                "differ": differ, "changed": changed,
            });
            let text = serde_json::to_string_pretty(&document).map_err(Failure::machine)?;
            output::lines(&(text + "\n"), output)
        }
        other => Err(Failure::usage(format!("fleet facts is written as text or json, not as {other}"))),
    }
}

fn told(folder: &RunFolder) -> Result<Told, Failure> {
    let asked = found::asked(folder)?;
    let evidence = evidence(folder, &asked, &[])?;
    let stable = |name: &str| matches!(role_of(name), FactRole::Identity | FactRole::Candidate);
    let of = |record: &fauxplat_model::NodeRecord| {
        let facts = record.facts.iter().filter(|(name, _)| stable(name));
        (record.node.clone(), facts.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    Ok(first_records(&evidence).map(of).collect())
}

/// The latest run before this one that has the same definition; `None` if there is none.
fn before(
    folder: &RunFolder,
    place: &FleetPlaceArgs,
    output: &OutputArgs,
) -> Result<Option<RunFolder>, Failure> {
    let definition =
        |folder: &RunFolder| found::asked(folder).ok().map(|asked| asked.order.plan.definition_sha256);
    let own = definition(folder);
    let all = RunFolder::all(&runs_folder(place, output)?)?;
    let earlier = all.into_iter().take_while(|it| it.id() != folder.id());
    Ok(earlier.filter(|it| definition(it) == own).last())
}

fn differing(told: &Told) -> Vec<Value> {
    let names: BTreeSet<&String> = told.values().flat_map(BTreeMap::keys).collect();
    let mut found = Vec::new();
    for fact in names {
        let mut values: BTreeMap<Option<&String>, Vec<String>> = BTreeMap::new();
        for (node, facts) in told {
            values.entry(facts.get(fact)).or_default().push(node.clone());
        }
        if values.len() > 1 {
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
            found.extend(values.into_iter().map(|(value, nodes)| Value {
                fact: fact.clone(),
                value: value.cloned(),
                nodes,
            }));
        }
    }
    found
}

fn changed(before: &Told, after: &Told) -> Vec<Changed> {
    let mut found: BTreeMap<(String, Option<String>, Option<String>), Vec<String>> = BTreeMap::new();
    for (node, facts) in after {
        let Some(earlier) = before.get(node) else { continue };
        let names: BTreeSet<&String> = facts.keys().chain(earlier.keys()).collect();
        for fact in names.into_iter().filter(|fact| facts.get(*fact) != earlier.get(*fact)) {
            let key = (fact.clone(), earlier.get(fact).cloned(), facts.get(fact).cloned());
            found.entry(key).or_default().push(node.clone());
        }
    }
    let one = |((fact, before, after), nodes)| Changed { fact, before, after, nodes };
    found.into_iter().map(one).collect()
}

/// Removes runs. All are looked up before the first is removed, so that a mistyped name removes none.
pub(super) fn remove(runs: &[String], place: &FleetPlaceArgs, output: &OutputArgs) -> Result<(), Failure> {
    let folders: Vec<RunFolder> =
        runs.iter().map(|run| chosen(Some(run), place, output)).collect::<Result<_, _>>()?;
    for folder in folders {
        // A run whose answers are being collected is locked by the collecting process, and is not removed.
        let held = folder.hold()?;
        std::fs::remove_dir_all(folder.path())
            .map_err(|error| Failure::machine(format!("{}: {error}", folder.path().display())))?;
        drop(held);
    }
    Ok(())
}
