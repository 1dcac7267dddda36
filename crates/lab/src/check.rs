//! Check of a lab against the rules of labs, without running it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fauxplat_model::{ClaimResult, Direction, LabClaim, LabMeasured, LabOutcome};
use fauxplat_plan::asked;
use serde_json::json;
use toml::Table;

use crate::Lab;
use crate::made_up::{Machine, Outcomes};
use crate::page;
use crate::trials::{Gap, Trials};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub claims: usize,
    /// Number of made-up machines on which the claims were judged.
    pub machines: usize,
    /// Violations, one line each, with a remedy.
    pub complaints: Vec<String>,
}

/// Checks a lab: its page, the text of its claims, and the outcome of each claim on made-up machines.
pub fn check(lab: &Lab) -> Checked {
    let mut complaints = page::complaints(&lab.readme);
    complaints.extend(copies(&lab.text));
    let machines = machines(lab).unwrap_or_else(|complaint| {
        complaints.push(complaint);
        Vec::new()
    });
    complaints.extend(lab.definition.claims.iter().filter_map(without_places));
    complaints.extend(judged(lab, &machines));
    Checked { claims: lab.definition.claims.len(), machines: machines.len(), complaints }
}

/// Returns a complaint about the first claim whose published statement differs from that of an earlier claim only in
/// digits: the two should be one claim with an option.
fn copies(text: &str) -> Option<String> {
    let table: Table = text.parse().ok()?;
    let claims = table.get("claim")?.as_array()?;
    let mut seen = HashMap::new();
    claims.iter().find_map(|claim| {
        let (name, words) =
            (claim.get("name")?.as_str()?, claim.get("published")?.get("statement")?.as_str()?);
        let words: String = words.chars().filter(|it| !it.is_ascii_digit()).collect();
        let other = seen.insert(words, name)?;
        Some(format!(
            "lab.toml: claims `{other}` and `{name}` say the same: write one, with an option for what differs"
        ))
    })
}

/// The made-up machines of the lab, with inherited values and options filled in.
fn machines(lab: &Lab) -> Result<Vec<Machine>, String> {
    let text = lab.outcomes.as_deref().ok_or_else(|| {
        "outcomes.toml: there is none: it has a made-up machine for each outcome of each claim (docs/labs.md, Made-up machines)"
            .to_owned()
    })?;
    let outcomes: Outcomes = toml::from_str(text)
        .map_err(|error| format!("outcomes.toml: {}", error.to_string().replace('\n', " ")))?;
    let options = options(lab);
    let whole = |machine: &Machine| {
        let none = || format!("outcomes.toml: the `like` of `{}` names no machine above it", machine.is);
        outcomes.whole(machine).map(|it| it.filled(&options)).ok_or_else(none)
    };
    outcomes.machines.iter().map(whole).collect()
}

fn options(lab: &Lab) -> BTreeMap<String, Vec<String>> {
    let values = |default: &str| default.split(',').map(|value| value.trim().to_owned()).collect();
    lab.definition.options.iter().map(|(name, option)| (name.clone(), values(&option.default))).collect()
}

/// Judges the claim on empty documents, in which its pointers find nothing, so that the outcome must be an error.
/// Returns a complaint about any other outcome, which would not depend on what is measured.
fn without_places(claim: &LabClaim) -> Option<String> {
    let mut trials = Trials::default();
    for experiment in asked(claim) {
        trials.give(experiment, vec![json!({})]);
    }
    let found = trials.judge(claim, None);
    let outcome = found.outcome.filter(|outcome| *outcome != LabOutcome::Error)?;
    Some(format!(
        "lab.toml: claim `{}` is {} when documents are empty, where it must be an error: its pointers read nothing",
        claim.name,
        outcome.words()
    ))
}

/// Compares the outcome of every claim on every made-up machine with the expected outcome, and complains about
/// differences, and about possible outcomes that no machine shows.
fn judged(lab: &Lab, machines: &[Machine]) -> Vec<String> {
    let mut seen: BTreeMap<&str, Vec<LabOutcome>> = BTreeMap::new();
    let mut noisy: BTreeSet<&str> = BTreeSet::new();
    let mut complaints: Vec<String> = machines.iter().flat_map(|machine| unknown(lab, machine)).collect();
    for machine in machines {
        let trials = trials(lab, machine);
        for claim in &lab.definition.claims {
            let found = trials.judge(claim, None);
            let (outcome, reason) =
                (found.outcome.unwrap_or(LabOutcome::Error), found.reason.clone().unwrap_or_default());
            let expected = machine.but.get(&claim.name).copied().unwrap_or(machine.expect);
            if outcome != expected {
                complaints.push(format!(
                    "outcomes.toml: on `{}` the claim `{}` is {}, and {} was expected: {reason}",
                    machine.is,
                    claim.name,
                    outcome.words(),
                    expected.words()
                ));
            }
            seen.entry(&claim.name).or_default().push(outcome);
            noisy.extend(is_noisy(claim, &found).then_some(claim.name.as_str()));
        }
    }
    let quiet = lab.definition.claims.iter().filter(|it| has_size(it) && !noisy.contains(it.name.as_str()));
    complaints.extend(quiet.map(not_noisy));
    let lacks = lab.definition.claims.iter().flat_map(|claim| {
        let seen = seen.get(claim.name.as_str()).map_or(&[][..], Vec::as_slice);
        wanted(claim)
            .into_iter()
            .filter(|outcome| !seen.contains(outcome))
            .map(|outcome| lack(claim, outcome))
    });
    complaints.extend(lacks);
    complaints
}

/// Whether a claim is an effect with a published size and is measured with an interval, so that a noisy figure can
/// leave the claim undecided.
fn has_size(claim: &LabClaim) -> bool {
    let published = &claim.published;
    let is_effect = published.direction != Some(Direction::At);
    let has_interval = claim.measured.as_ref().is_some_and(|measure| !measure.exact);
    has_interval && is_effect && (published.low.is_some() || published.high.is_some())
}

/// Whether a claim is undecided only because its interval is wide: the interval lies wholly on one side of the
/// published `than` and overlaps the published range.
fn is_noisy(claim: &LabClaim, found: &ClaimResult) -> bool {
    let published = &claim.published;
    let is_wide = |it: LabMeasured| {
        let is_beside = it.low > published.than || it.high < published.than;
        let meets = published.low.is_none_or(|low| it.high >= low)
            && published.high.is_none_or(|high| it.low <= high);
        is_beside && meets
    };
    found.outcome == Some(LabOutcome::Undecided) && found.measured.is_some_and(is_wide)
}

/// The outcomes that a claim can have by its figures: one made-up machine at least has to show each of them.
fn wanted(claim: &LabClaim) -> Vec<LabOutcome> {
    let has_interval = claim.measured.as_ref().is_some_and(|measure| !measure.exact);
    let is_open = has_interval || claim.checks.iter().any(|check| check.undecided.is_some());
    let decided = [LabOutcome::Reproduced, LabOutcome::NotHere];
    decided.into_iter().chain(is_open.then_some(LabOutcome::Undecided)).collect()
}

fn not_noisy(claim: &LabClaim) -> String {
    format!(
        "outcomes.toml: there is no noisy machine for the claim `{}`: add a [[machine]] whose interval lies on the \
         claim's side and holds what was published and so much else that the claim is undecided, and expect = \"undecided\"",
        claim.name
    )
}

fn lack(claim: &LabClaim, outcome: LabOutcome) -> String {
    format!(
        "outcomes.toml: there is no machine on which the claim `{}` is {}: add a [[machine]] that says in words what it is (is), \
         what its experiments give ([machine.gives.EXPERIMENT]), and expect = \"{}\"",
        claim.name,
        outcome.words(),
        outcome.words()
    )
}

/// Complaints about experiments and claims that a machine names and the lab does not have, and about experiments for
/// which the machine has neither values nor a reason.
fn unknown(lab: &Lab, machine: &Machine) -> Vec<String> {
    let has_experiment = |name: &str| lab.definition.experiments.iter().any(|one| one.name == name);
    let has_claim = |name: &str| lab.definition.claims.iter().any(|claim| claim.name == name);
    let experiments = machine.gives.keys().chain(machine.missing.keys());
    let strange = experiments.filter(|name| !has_experiment(name)).map(|name| ("experiment", name));
    let strange =
        strange.chain(machine.but.keys().filter(|name| !has_claim(name)).map(|name| ("claim", name)));
    let said = strange.map(|(what, name)| {
        format!("outcomes.toml: `{}` names the {what} `{name}`, which the lab does not have", machine.is)
    });
    let silent = lab.definition.experiments.iter().map(|one| &one.name);
    let silent =
        silent.filter(|name| !machine.gives.contains_key(*name) && !machine.missing.contains_key(*name));
    let silent = silent.map(|name| {
        format!(
            "outcomes.toml: `{}` says nothing of the experiment `{name}`: what it gives, or what is missing",
            machine.is
        )
    });
    said.chain(silent).collect()
}

fn trials(lab: &Lab, machine: &Machine) -> Trials {
    let mut trials = Trials::default();
    for one in &lab.definition.experiments {
        match machine.missing.get(&one.name) {
            Some(why) => trials.lack(one, Gap::Missing(why.clone())),
            None => trials.give(&one.name, machine.documents(&lab.definition, &one.name)),
        }
    }
    trials
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use fauxplat_plan::LabSettings;

    use super::*;
    use crate::catalog;

    #[test]
    fn every_lab_of_this_repository_keeps_the_rules() {
        let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
        let mut said = String::new();
        for folder in fs::read_dir(&labs).unwrap().map(|entry| entry.unwrap().path()) {
            let lab = catalog::find(folder.to_str().unwrap(), &LabSettings::new())
                .unwrap_or_else(|failure| panic!("{failure}"));
            let found = check(&lab);
            for complaint in found.complaints {
                said += &format!("labs/{}/{complaint}\n", lab.name);
            }
            assert!(found.claims > 0, "{}", lab.name);
        }
        assert!(said.is_empty(), "docs/labs.md has the rules; these are not kept:\n{said}");
    }
}
