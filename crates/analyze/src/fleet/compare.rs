//! Comparison of two programs on all machines of a fleet; each machine counts as one value.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{
    Delivery, EffectElsewhere, FactExplained, FleetCompareFindings, FleetEvidence, MachineEffect, NodeRecord,
    Verdict,
};
use fauxplat_stats::describe::{mean, variance};
use fauxplat_stats::distribution::t_two_sided_p;
use fauxplat_stats::randomise::sign_flip_p;

use super::FleetQuestion;
use super::answers::{answers, differ};
use super::beside::{beside, concluded};
use super::estimate::{Estimate, finite};
use super::explained::{Subject, explained};
use super::machine::{first_records, logarithms, sign};
use super::two_programs::{LEVEL, SIDES, SIGNS_FROM};

struct Say<'a> {
    record: &'a NodeRecord,
    /// Log ratio B over A of each block with both programs, with the sign turned so that more is slower.
    pairs: Vec<f64>,
    effect: Result<Estimate, String>,
}

/// Compares two programs over a fleet on which every node ran both in every block.
pub fn fleet_compare(evidence: &FleetEvidence, question: &FleetQuestion) -> FleetCompareFindings {
    let judged = answers(evidence, &BTreeMap::new());
    let says: Vec<Say> = first_records(evidence)
        .map(|record| Say::of(record, judged.wrong.get(&record.node), question))
        .collect();
    let counted: Vec<&Say> = says.iter().filter(|say| say.effect.is_ok()).collect();
    let effects: Vec<f64> =
        counted.iter().filter_map(|say| say.effect.as_ref().ok()).map(|it| it.at).collect();
    let overall = over_machines(&effects);
    let flipped = (effects.len() > 1).then(|| sign_flip_p(&effects, question.seed));
    let (facts_explained, apart) = divided(&counted, question);
    let sign = sign(question);
    let [effect_ratio, low, high] = ratios(overall, sign);
    let typical = verdict(overall, flipped.filter(|_| effects.len() >= SIGNS_FROM), question.least_effect);
    let beside = beside(counted.iter().map(|say| say.record), question);
    let (verdict, extent, difference_in) = concluded(typical, beside.as_ref());
    let (mean, tail) = beside.unzip();
    let name = |side: u16| evidence.commands.get(usize::from(side)).cloned().unwrap_or_default();
    FleetCompareFindings {
        fleet: evidence.fleet.clone(),
        a: name(SIDES[0]),
        b: name(SIDES[1]),
        metric: question.metric,
        margin: question.least_effect,
        verdict,
        extent,
        difference_in,
        mean,
        tail,
        machines: effects.len(),
        effect_ratio,
        low,
        high,
        p_value: overall
            // If the mean log ratio is exactly zero, the standard error may be zero as well.
            .map(|it| {
                if it.at == 0.0 { 1.0 } else { t_two_sided_p(it.at / it.error, effects.len() as f64 - 1.0) }
            }),
        p_sign_flip: flipped,
        between: between(&counted),
        nodes: nodes(&says, evidence, sign),
        elsewhere: facts_explained.first().and(apart),
        facts_explained,
        answers_differ: differ(counted.iter().map(|say| say.record)),
        answers: judged.told,
        deliveries: evidence.deliveries.clone(),
    }
}

/// Mean of the machines' log ratios with Student's interval. Outliers are not winsorised, so that every machine that
/// differs counts in full. `None` for fewer than two machines.
fn over_machines(effects: &[f64]) -> Option<Estimate> {
    let n = effects.len() as f64;
    let error = (variance(effects) / n).sqrt();
    (effects.len() > 1).then(|| Estimate::new(mean(effects).unwrap_or(0.0), error, n - 1.0, LEVEL))
}

fn ratios(estimate: Option<Estimate>, sign: f64) -> [Option<f64>; 3] {
    estimate.map_or([None; 3], |it| it.ratios(sign).map(finite))
}

/// The verdict: *different* if the interval excludes zero and the p-value of the sign-flip test, if there is one,
/// agrees; *equivalent* if the interval lies within the margin; otherwise *inconclusive*.
fn verdict(overall: Option<Estimate>, signs: Option<f64>, margin: f64) -> Verdict {
    let Some(it) = overall else { return Verdict::Inconclusive };
    let reach = margin.ln_1p();
    let excludes_zero = it.low > 0.0 || it.high < 0.0;
    match (excludes_zero && signs.is_none_or(|p| p <= LEVEL), it.low > -reach && it.high < reach) {
        (true, _) => Verdict::Different,
        (false, true) => Verdict::Equivalent,
        (false, false) => Verdict::Inconclusive,
    }
}

/// Standard deviation of the log ratio between machines beyond the errors of each machine (the moment estimator of
/// DerSimonian and Laird 1986).
fn between(counted: &[&Say]) -> Option<f64> {
    let known = counted.iter().filter_map(|say| say.effect.as_ref().ok());
    let (effects, weights): (Vec<f64>, Vec<f64>) =
        known.filter(|it| it.error > 0.0).map(|it| (it.at, 1.0 / it.error.powi(2))).unzip();
    if effects.len() < 2 {
        return None;
    }
    let total: f64 = weights.iter().sum();
    let centre = effects.iter().zip(&weights).map(|(effect, weight)| effect * weight).sum::<f64>() / total;
    let squares: f64 =
        effects.iter().zip(&weights).map(|(effect, weight)| weight * (effect - centre).powi(2)).sum();
    let scale = total - weights.iter().map(|weight| weight * weight).sum::<f64>() / total;
    finite(((squares - (effects.len() as f64 - 1.0)) / scale).max(0.0).sqrt())
}

impl<'a> Say<'a> {
    fn of(record: &'a NodeRecord, wrong: Option<&String>, question: &FleetQuestion) -> Self {
        let pairs = pairs(record, question);
        let effect = match wrong {
            Some(reason) => Err(reason.clone()),
            None => effect(&pairs, record),
        };
        Say { record, pairs, effect }
    }

    fn at(&self) -> f64 {
        self.effect.as_ref().map_or(0.0, |it| it.at)
    }

    /// Whether the machine's own runs show less difference than usual: its whole interval lies nearer to zero than the
    /// interval of the typical log ratio, or on the other side of zero.
    fn is_against(&self, typical: Estimate) -> bool {
        let towards_zero = |it: &Estimate| match typical.at > 0.0 {
            true => it.high < typical.low,
            false => it.low > typical.high,
        };
        self.effect.as_ref().is_ok_and(towards_zero)
    }
}

/// Log ratios B over A of a machine, one for each block that has both programs.
fn pairs(record: &NodeRecord, question: &FleetQuestion) -> Vec<f64> {
    let of_block = |block: &fauxplat_model::NodeBlock| {
        let alone = NodeRecord { blocks: vec![block.clone()], ..NodeRecord::default() };
        let side = |command| mean(logarithms(&alone, question, command).first()?);
        Some(side(SIDES[1])? - side(SIDES[0])?)
    };
    record.blocks.iter().filter_map(of_block).collect()
}

/// Mean log ratio over the blocks of a machine, or the reason in words why there is none. With a single block the
/// interval is unbounded, but the machine still counts.
fn effect(pairs: &[f64], record: &NodeRecord) -> Result<Estimate, String> {
    let none = "no block has figures of both programs";
    let why = || record.failures.first().map_or(none.to_owned(), |it| it.reason.clone());
    match pairs {
        [] => Err(why()),
        [one] => Ok(Estimate::new(*one, 0.0, 0.0, LEVEL)),
        several => Estimate::of(several, LEVEL).ok_or_else(why),
    }
}

/// Returns the facts with whose values the log ratios of the machines differ, and the effect on the machines that lack
/// the value of the first of these facts.
fn divided(counted: &[&Say], question: &FleetQuestion) -> (Vec<FactExplained>, Option<EffectElsewhere>) {
    let effects: Vec<f64> = counted.iter().map(|say| say.at()).collect();
    // Outliers are winsorised here, so that a few odd machines do not move the typical log ratio.
    let Some(typical) = Estimate::of(&effects, LEVEL) else { return (Vec::new(), None) };
    let mut subjects = Vec::new();
    for say in counted {
        let (value, slow) = (say.at() - typical.at, say.is_against(typical));
        subjects.push(Subject { facts: &say.record.facts, value, stratum: 0, slow });
    }
    let (found, _) = explained(&subjects, sign(question), question.seed);
    let apart = found.first().and_then(|fact| elsewhere(fact, counted, sign(question)));
    (found, apart)
}

fn elsewhere(fact: &FactExplained, counted: &[&Say], sign: f64) -> Option<EffectElsewhere> {
    let has = |say: &&&Say| say.record.facts.get(&fact.fact).is_some_and(|value| *value == fact.value);
    let is_name = counted.iter().any(|say| has(&say));
    let others: Vec<f64> = counted.iter().filter(|say| !has(say)).map(|say| say.at()).collect();
    let [effect_ratio, low, high] = over_machines(&others).filter(|_| is_name)?.ratios(sign);
    Some(EffectElsewhere { machines: others.len(), effect_ratio, low, high })
}

/// All machines, the largest slowdown of B first; machines without a log ratio follow.
fn nodes(says: &[Say], evidence: &FleetEvidence, sign: f64) -> Vec<MachineEffect> {
    let mut ordered: Vec<&Say> = says.iter().collect();
    ordered.sort_by(|a, b| {
        let key = |say: &Say| (say.effect.is_err(), -say.at());
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let known: BTreeSet<&str> = says.iter().map(|say| say.record.node.as_str()).collect();
    let without = evidence.deliveries.iter().filter(|it| it.round == 0 && !known.contains(it.node.as_str()));
    let last: BTreeMap<&str, &Delivery> = without.map(|it| (it.node.as_str(), it)).collect();
    ordered.into_iter().map(|say| say.finding(sign)).chain(last.into_values().map(missing)).collect()
}

impl Say<'_> {
    fn finding(&self, sign: f64) -> MachineEffect {
        let [effect_ratio, low, high] = ratios(self.effect.as_ref().ok().copied(), sign);
        MachineEffect {
            node: self.record.node.clone(),
            pairs: self.pairs.len(),
            effect_ratio,
            low,
            high,
            reason: self.effect.as_ref().err().cloned(),
            facts: self.record.facts.clone(),
        }
    }
}

fn missing(delivery: &Delivery) -> MachineEffect {
    let reason = match &delivery.reason {
        Some(reason) => format!("{}: {reason}", delivery.state.words()),
        None => delivery.state.words().to_owned(),
    };
    MachineEffect {
        node: delivery.node.clone(),
        pairs: 0,
        effect_ratio: None,
        low: None,
        high: None,
        reason: Some(reason),
        facts: BTreeMap::new(),
    }
}
