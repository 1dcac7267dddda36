//! Reports of `fleet`: odd machines among equal ones, two programs on all machines, and changes over time.

mod compare;
mod facts;
mod map;
mod nodes;
mod notices;
mod odd;
mod watch;

use std::io::Write;

use fauxplat_model::{FleetCompareFindings, FleetFindings, FleetWatchFindings, NodeState};

pub(crate) use compare::parts as parts_of_comparison;
pub(crate) use odd::parts;
pub(crate) use watch::parts as parts_of_watch;

#[derive(serde::Serialize)]
struct MachineRow<'a> {
    node: &'a str,
    group: Option<usize>,
    runs: usize,
    median: Option<f64>,
    z: Option<f64>,
    effect_ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    state: NodeState,
    reason: Option<&'a str>,
}

pub(crate) fn rows(found: &FleetFindings, rows: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    found.nodes.iter().try_for_each(|node| {
        rows.serialize(MachineRow {
            node: &node.node,
            group: node.group,
            runs: node.runs,
            median: node.median,
            z: node.z,
            effect_ratio: node.effect_ratio,
            low: node.low,
            high: node.high,
            state: node.state,
            reason: node.reason.as_deref(),
        })
    })
}

#[derive(serde::Serialize)]
struct EffectRow<'a> {
    node: &'a str,
    pairs: usize,
    effect_ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    reason: Option<&'a str>,
}

pub(crate) fn rows_of_comparison(
    found: &FleetCompareFindings,
    rows: &mut csv::Writer<impl Write>,
) -> csv::Result<()> {
    found.nodes.iter().try_for_each(|it| {
        rows.serialize(EffectRow {
            node: &it.node,
            pairs: it.pairs,
            effect_ratio: it.effect_ratio,
            low: it.low,
            high: it.high,
            reason: it.reason.as_deref(),
        })
    })
}

#[derive(serde::Serialize)]
struct ChangeRow<'a> {
    node: &'a str,
    at: usize,
    at_utc_ns: i64,
    before: f64,
    after: f64,
    effect_ratio: f64,
    low: f64,
    high: f64,
    p_value: f64,
    q_value: f64,
}

pub(crate) fn rows_of_watch(
    found: &FleetWatchFindings,
    rows: &mut csv::Writer<impl Write>,
) -> csv::Result<()> {
    let changes = found.nodes.iter().flat_map(|node| node.changes.iter().map(move |change| (node, change)));
    for (node, it) in changes {
        rows.serialize(ChangeRow {
            node: &node.node,
            at: it.at,
            at_utc_ns: it.at_utc_ns,
            before: it.before,
            after: it.after,
            effect_ratio: it.effect_ratio,
            low: it.low,
            high: it.high,
            p_value: it.p_value,
            q_value: it.q_value,
        })?;
    }
    Ok(())
}
