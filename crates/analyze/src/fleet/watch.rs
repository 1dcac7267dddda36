//! Machines over time: where their figures changed, and which fact changed with them.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{
    ChangePoint, Estimand, FactChange, FactRole, FleetWatchFindings, NodeRecord, NodeVisit, SinceFact,
    WatchedNode, role_of,
};
use fauxplat_stats::changepoint::{Change, Scanner};
use fauxplat_stats::describe::{mean, median};
use fauxplat_stats::multiple::benjamini_hochberg;

use super::FleetQuestion;
use super::estimate::{Estimate, finite};
use super::machine::{Machine, sign};

/// Probability of a change where there is none.
const ALPHA: f64 = 0.01;

/// The fewest visits between two changes.
const MIN_SEGMENT: usize = 4;

/// Most visits between a change of a fact and a change of the figures that goes with it: the place of a change is known
/// that well.
const NEAR: usize = 1;

/// Machines on which a fact changed that are needed for an interval over them.
const MACHINES_MIN: usize = 3;

/// Visit that `watch` keeps of a record; `None` for a record without figures.
pub fn visit(record: &NodeRecord, question: &FleetQuestion) -> Option<NodeVisit> {
    let machine = Machine::of(record, question)?;
    Some(NodeVisit {
        node: record.node.clone(),
        fleet: record.fleet.clone(),
        at_utc_ns: record.started_utc_ns,
        median: finite((sign(question) * machine.slow).exp())?,
        mean: mean(
            &machine.blocks.iter().flatten().map(|log| (sign(question) * log).exp()).collect::<Vec<_>>(),
        ),
        facts: record.facts.clone(),
    })
}

/// Visits of a machine in their order in time.
struct History<'a> {
    node: &'a str,
    visits: Vec<&'a NodeVisit>,
    /// Logarithms of the medians, turned so that more is slower.
    slow: Vec<f64>,
    /// Logarithms of the means, turned alike; empty where a visit has none.
    means: Vec<f64>,
}

/// Where machines changed. `visits` may come in any order; the command's name is what the report calls it.
///
/// Each machine has two series: its medians, and its means beside its medians, in which slow runs show that move no median.
/// Every series is tested by itself; then changes are kept as the procedure of Benjamini and Hochberg over
/// all machines allows, so that among ten thousand machines there is not a hundred times the false alarm of one.
pub fn fleet_watch(visits: &[NodeVisit], command: &str, question: &FleetQuestion) -> FleetWatchFindings {
    let histories = histories(visits, question);
    let mut scanner = Scanner::new(MIN_SEGMENT, question.seed);
    let mut found: Vec<Vec<Change>> =
        histories.iter().map(|history| scanner.changes(&history.slow, ALPHA)).collect();
    found.extend(histories.iter().map(|history| scanner.changes(&history.beside(), ALPHA)));
    let series = histories.len() + histories.iter().filter(|history| !history.means.is_empty()).count();
    let mut kept = kept(&found, series);
    let of_means = kept.split_off(histories.len());
    let changes = kept.iter().zip(&of_means);
    let watched = histories.iter().zip(changes).map(|(history, of)| history.finding(of, sign(question)));
    let mut nodes: Vec<WatchedNode> = watched.collect();
    let since = since(&histories, &kept, sign(question));
    nodes.sort_by(|a, b| a.changes.is_empty().cmp(&b.changes.is_empty()).then_with(|| a.node.cmp(&b.node)));
    FleetWatchFindings {
        command: command.to_owned(),
        metric: question.metric,
        alpha: ALPHA,
        min_segment: MIN_SEGMENT,
        nodes,
        since,
    }
}

fn histories<'a>(visits: &'a [NodeVisit], question: &FleetQuestion) -> Vec<History<'a>> {
    let mut by_node: BTreeMap<&str, Vec<&NodeVisit>> = BTreeMap::new();
    for visit in visits.iter().filter(|visit| visit.median > 0.0) {
        by_node.entry(&visit.node).or_default().push(visit);
    }
    let history = |(node, mut visits): (&'a str, Vec<&'a NodeVisit>)| {
        visits.sort_by(|a, b| a.at_utc_ns.cmp(&b.at_utc_ns).then_with(|| a.fleet.cmp(&b.fleet)));
        let slow = visits.iter().map(|visit| sign(question) * visit.median.ln()).collect();
        let mean = |visit: &&NodeVisit| visit.mean.filter(|&mean| mean > 0.0).map(f64::ln);
        let means: Option<Vec<f64>> = visits.iter().map(mean).collect();
        let turned = means.unwrap_or_default().into_iter().map(|log| sign(question) * log).collect();
        History { node, visits, slow, means: turned }
    };
    by_node.into_iter().map(history).collect()
}

/// A change and its share of false ones.
type Kept = (Change, f64);

/// The changes that stay when all machines are looked at together. Every series is one test, and so is every further
/// stretch that was looked at because a change had been found beside it.
fn kept(found: &[Vec<Change>], series: usize) -> Vec<Vec<Kept>> {
    let all: Vec<f64> = found.iter().flatten().map(|change| change.p_value).collect();
    let further: usize = found.iter().map(|changes| 2 * changes.len()).sum();
    let mut adjusted = benjamini_hochberg(&all, series + further).into_iter();
    let of = |changes: &Vec<Change>| {
        let with_q: Vec<Kept> = changes.iter().copied().zip(adjusted.by_ref()).collect();
        with_q.into_iter().filter(|(_, q)| *q <= ALPHA).collect()
    };
    found.iter().map(of).collect()
}

impl History<'_> {
    /// The means beside the medians; empty where there are no means.
    fn beside(&self) -> Vec<f64> {
        self.means.iter().zip(&self.slow).map(|(mean, median)| mean - median).collect()
    }

    fn finding(&self, (typical, of_means): (&Vec<Kept>, &Vec<Kept>), sign: f64) -> WatchedNode {
        let too_few = self.slow.len() < 2 * MIN_SEGMENT;
        let mut changes = self.points(typical, &self.slow, sign);
        let of_means = self.points(of_means, &self.means, sign).into_iter();
        changes.extend(of_means.map(|change| ChangePoint { estimand: Estimand::Mean, ..change }));
        changes.sort_by_key(|change| change.at);
        WatchedNode {
            node: self.node.to_owned(),
            medians: self.visits.iter().map(|visit| visit.median).collect(),
            at_utc_ns: self.visits.iter().map(|visit| visit.at_utc_ns).collect(),
            changes,
            reason: too_few.then(|| format!("{} visits are too few to see a change", self.slow.len())),
        }
    }

    /// Changes of a series, each with the levels on its two sides.
    fn points(&self, changes: &[Kept], series: &[f64], sign: f64) -> Vec<ChangePoint> {
        let ends: Vec<usize> = changes.iter().map(|(change, _)| change.at).chain([series.len()]).collect();
        let starts: Vec<usize> = [0].into_iter().chain(changes.iter().map(|(change, _)| change.at)).collect();
        let point = |(index, kept): (usize, &Kept)| {
            let (before, after) =
                (&series[starts[index]..ends[index]], &series[ends[index]..ends[index + 1]]);
            self.change_point(kept, before, after, sign)
        };
        changes.iter().enumerate().filter_map(point).collect()
    }

    fn change_point(
        &self,
        (change, q_value): &Kept,
        before: &[f64],
        after: &[f64],
        sign: f64,
    ) -> Option<ChangePoint> {
        let effect = Estimate::difference(after, before, 0.05)?;
        let [effect_ratio, low, high] = effect.ratios(sign);
        let level = |of: &[f64]| median(of).map(|middle| (sign * middle).exp());
        Some(ChangePoint {
            estimand: Estimand::Typical,
            at: change.at,
            at_utc_ns: self.visits[change.at].at_utc_ns,
            before: level(before)?,
            after: level(after)?,
            effect_ratio,
            low,
            high,
            p_value: change.p_value,
            q_value: *q_value,
            facts: self.facts_near(change.at).into_iter().collect(),
        })
    }

    /// Facts that changed within a visit of the place.
    fn facts_near(&self, at: usize) -> BTreeSet<FactChange> {
        let from = at.saturating_sub(NEAR).max(1);
        let to = (at + NEAR).min(self.visits.len() - 1);
        (from..=to).flat_map(|place| self.facts_at(place)).collect()
    }

    /// Facts that are another one at a visit than at the one before.
    fn facts_at(&self, place: usize) -> Vec<FactChange> {
        let (before, after) = (&self.visits[place - 1].facts, &self.visits[place].facts);
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let told = names.into_iter().filter(|name| !matches!(role_of(name), FactRole::Reading));
        told.filter(|name| before.get(*name) != after.get(*name))
            .map(|name| FactChange {
                fact: name.clone(),
                before: before.get(name).cloned(),
                after: after.get(name).cloned(),
            })
            .collect()
    }

    /// By how much the figures differ after a visit from those before it, as far as the fact did not change again.
    fn shift_at(&self, place: usize) -> Option<f64> {
        Some(median(&self.slow[place..])? - median(&self.slow[..place])?)
    }
}

/// Change of figures that followed a change of a fact on one machine.
struct Followed {
    shift: f64,
    with_change: bool,
}

/// Changes of facts after which machines differ: with a change of the figures, or over several machines together.
fn since(histories: &[History], kept: &[Vec<Kept>], sign: f64) -> Vec<SinceFact> {
    let mut by_change: BTreeMap<FactChange, Vec<Followed>> = BTreeMap::new();
    for (history, changes) in histories.iter().zip(kept) {
        for place in 1..history.visits.len() {
            for change in history.facts_at(place) {
                let with_change = changes.iter().any(|(found, _)| found.at.abs_diff(place) <= NEAR);
                let followed = history.shift_at(place).map(|shift| Followed { shift, with_change });
                by_change.entry(change).or_default().extend(followed);
            }
        }
    }
    let level = 0.05 / by_change.len().max(1) as f64;
    let mut told: Vec<SinceFact> =
        by_change.into_iter().filter_map(|(change, followed)| told(change, &followed, level, sign)).collect();
    told.sort_by_key(|since| std::cmp::Reverse(since.with_change));
    told
}

/// `level` is for the decision, divided among all changes of facts; the interval that is told has 95 %.
fn told(change: FactChange, followed: &[Followed], level: f64, sign: f64) -> Option<SinceFact> {
    let shifts: Vec<f64> = followed.iter().map(|it| it.shift).collect();
    let with_change = followed.iter().filter(|it| it.with_change).count();
    let enough = shifts.len() >= MACHINES_MIN;
    let excludes_zero = |it: Estimate| it.low > 0.0 || it.high < 0.0;
    let together = enough && Estimate::of(&shifts, level).is_some_and(excludes_zero);
    if with_change == 0 && !together {
        return None;
    }
    let ends = Estimate::of(&shifts, 0.05).filter(|_| enough).map(|it| it.ratios(sign));
    Some(SinceFact {
        change,
        machines: shifts.len(),
        with_change,
        effect_ratio: (sign * median(&shifts)?).exp(),
        low: ends.map(|[_, low, _]| low),
        high: ends.map(|[_, _, high]| high),
    })
}
