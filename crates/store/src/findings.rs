//! Findings as stored text, and their one-line summary for lists.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    AaFindings, CompareFindings, Comparison, ExplainFindings, FleetFindings, LimitedGroup, LoadAccount,
    Metric, NodeState, Profile, RunFindings, SweepAnswer, SweepFinding, SweepFindings, Verdict,
};
use fauxplat_units::Nanos;

use crate::StoreError;
use crate::error::json;

/// Returns the findings as JSON, without the name of their schema, which has its own column.
pub(crate) fn encode(findings: &Findings) -> Result<String, StoreError> {
    json("findings", findings)
}

/// Parses findings that were stored under the name of their schema; `None` if this version does not know the schema, or
/// if fields are missing.
pub(crate) fn decode(schema: &str, text: &str) -> Option<Findings> {
    Findings::deserialize(schema, &mut serde_json::Deserializer::from_str(text))?.ok()
}

pub(crate) fn summary(findings: &Findings) -> String {
    match findings {
        Findings::Run(commands) => join(commands.iter().map(median)),
        Findings::Compare(CompareFindings { comparisons, .. }) => join(comparisons.iter().map(verdict)),
        Findings::Aa(aa) => false_verdicts(aa),
        Findings::Index(index) => {
            join(index.cpus.iter().map(|one| format!("CPU {} {:.0}/s", one.cpu, one.fauxplat_per_s)))
        }
        Findings::Table(table) => format!("{} values of {}", table.values.len(), table.file),
        Findings::Sweep(sweep) => answer(sweep),
        Findings::Tune(tune) => format!("{} values", tune.changes.len()),
        Findings::TuneList(list) => format!("{} knobs", list.knobs.len()),
        Findings::Restore(restore) => {
            format!("{} values", restore.restored.as_ref().map_or(0, |done| done.changes.len()))
        }
        Findings::Lab(lab) => {
            join(lab.labs.iter().map(|lab| {
                format!("{} {}", lab.name, lab.outcome.map_or("listed", |outcome| outcome.words()))
            }))
        }
        Findings::LabCompare(found) => format!("{} claims of two records", found.claims.len()),
        Findings::Contend(contend) => {
            join(contend.labels.iter().map(|one| format!("{}:{} {}", one.cpu_a, one.cpu_b, one.label)))
        }
        Findings::Capacity(capacity) => {
            join(capacity.looks.last().iter().map(|look| format!("{:.0} % left", look.left_share * 100.0)))
        }
        Findings::Profile(profile) => join(profile.profiles.iter().map(hottest)),
        Findings::Limit(found) => join(found.groups.iter().map(limited)),
        Findings::Load(load) => join(load.generators.iter().map(achieved)),
        Findings::Counters(found) => {
            format!("{} counters", found.counters.iter().filter(|it| it.available).count())
        }
        Findings::Explain(explain) => largest(explain),
        Findings::Replay(replay) => format!("replay of {}", replay.source),
        Findings::Fleet(fleet) => odd_machines(fleet),
        Findings::FleetCompare(compare) => {
            let by = compare.effect_ratio.map_or_else(String::new, by);
            format!("{}{by} on {} machines", compare.b, compare.machines)
        }
        Findings::FleetWatch(watch) => {
            let changed = watch.nodes.iter().filter(|node| !node.changes.is_empty()).count();
            format!("{changed} of {} machines changed", watch.nodes.len())
        }
        Findings::Own(own) => own.summary().to_owned(),
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Summarises a fleet: the number of its machines, and how many are in each state other than normal.
fn odd_machines(fleet: &FleetFindings) -> String {
    let count = |state| fleet.nodes.iter().filter(|node| node.state == state).count();
    let odd = NodeState::ALL.iter().filter(|&&state| state != NodeState::Normal && count(state) > 0);
    let said = join(odd.map(|&state| format!("{} {}", count(state), state.word())));
    match said.is_empty() {
        true => format!("{} machines alike", fleet.nodes.len()),
        false => format!("{} machines: {said}", fleet.nodes.len()),
    }
}

fn hottest(profile: &Profile) -> String {
    match profile.functions.first() {
        Some(first) => format!("{}: {:.1} % in {}", profile.name, first.self_share * 100.0, first.name),
        None => format!("{}: no samples", profile.name),
    }
}

fn median(findings: &RunFindings) -> String {
    let wall = findings.summaries.iter().find(|summary| summary.metric == Metric::WALL);
    wall.map_or("no measured run".into(), |summary| Nanos::display_f64(summary.median))
}

fn verdict(comparison: &Comparison) -> String {
    let word = match comparison.verdict {
        Verdict::Different => "different",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "inconclusive",
    };
    format!("{} {word}{}", comparison.b, by(comparison.effect_ratio))
}

/// Formats a ratio as a difference in per cent in brackets; empty if the ratio is not a number.
fn by(ratio: f64) -> String {
    if ratio.is_nan() { String::new() } else { format!(" ({:+.2} %)", (ratio - 1.0) * 100.0) }
}

/// Formats the answer of a sweep for each metric; metrics are named where there are several.
fn answer(findings: &SweepFindings) -> String {
    let also = findings.also.iter().map(|also| (also.metric, &also.finding));
    let all: Vec<(Metric, &SweepFinding)> =
        std::iter::once((findings.metric, &findings.finding)).chain(also).collect();
    let several = all.len() > 1;
    let one = |(metric, finding): (Metric, &SweepFinding)| {
        let of = if several { format!(" in {}", metric.title()) } else { String::new() };
        let (word, percent) = match finding.answer {
            SweepAnswer::Effect => ("effect", (finding.difference_ratio - 1.0) * 100.0),
            SweepAnswer::NoEffect => ("no effect above", (finding.difference_high_ratio - 1.0) * 100.0),
            SweepAnswer::Undecided => return format!("undecided{of}"),
        };
        format!("{word} {percent:.2} %{of}")
    };
    let answers: Vec<String> = all.into_iter().map(one).collect();
    format!("{}: {}", findings.factor, answers.join(", "))
}

fn limited(group: &LimitedGroup) -> String {
    let events: Vec<&str> = group.events.iter().map(|event| event.kind.word()).collect();
    match events.as_slice() {
        [] => format!("{}: within its limits", group.name),
        some => format!("{}: {}", group.name, some.join(" ")),
    }
}

fn achieved(account: &LoadAccount) -> String {
    let LoadAccount { kind, cpu, achieved_percent, .. } = account;
    let place = cpu.map_or(String::new(), |cpu| format!("@{cpu}"));
    achieved_percent.map_or_else(
        || format!("{kind}{place} never worked"),
        |percent| format!("{kind}{place} {percent:.1} %"),
    )
}

/// Formats the factor with the largest part in the variation, with its part and the whole in percentage points.
fn largest(findings: &ExplainFindings) -> String {
    let parts = findings.components.iter();
    let largest = parts.max_by(|a, b| a.points_percent.total_cmp(&b.points_percent));
    let whole = 100.0 * (findings.worst_over_best_ratio - 1.0);
    largest.map_or("nothing explained".into(), |one| {
        format!("{} {:.1} of {whole:.1} points", one.factor, one.points_percent)
    })
}

fn false_verdicts(findings: &AaFindings) -> String {
    let comparisons: usize = findings.strata.iter().map(|stratum| stratum.comparisons).sum();
    let wrong: usize = findings.strata.iter().map(|stratum| stratum.false_verdicts).sum();
    format!("{wrong} false in {comparisons}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::AaStratum;
    use fauxplat_model::document::OwnFindings;

    fn stratum(comparisons: usize, false_verdicts: usize) -> AaStratum {
        AaStratum {
            name: "plain".into(),
            comparisons,
            false_verdicts,
            equivalent: comparisons - false_verdicts,
            inconclusive: 0,
            rate_upper_95: 0.1,
            pairs_mean: 20.0,
            rivals: Vec::new(),
        }
    }

    #[test]
    fn findings_come_back_as_they_were() {
        let findings = Findings::Aa(AaFindings { strata: vec![stratum(60, 1)], ..AaFindings::default() });
        let text = encode(&findings).unwrap();
        assert_eq!(decode(findings.schema(), &text), Some(findings));
        assert_eq!(decode("fauxplat.aa/2", &text), None);
    }

    #[test]
    fn findings_that_a_verb_owns_come_back_unread_with_their_summary() {
        let document = serde_json::json!({"summary": "2 of 9 changed", "rows": [1.5, null]});
        let findings = Findings::Own(OwnFindings::new("fauxplat.herd/3", &document).unwrap());
        assert_eq!(summary(&findings), "2 of 9 changed");
        let text = encode(&findings).unwrap();
        assert_eq!(decode("fauxplat.herd/3", &text), Some(findings));
        assert_eq!(decode("strange.herd/3", &text), None, "another program's document");
    }

    #[test]
    fn a_calibration_is_summed_over_its_strata() {
        let strata = vec![stratum(60, 1), stratum(40, 2)];
        assert_eq!(summary(&Findings::Aa(AaFindings { strata, ..AaFindings::default() })), "3 false in 100");
    }
}
