//! Machines over time: when their readings changed, and which fact changed at the same time.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{
    ChangePoint, Estimand, FactChange, FactRole, FleetWatchFindings, NodeRecord, NodeVisit, SinceFact,
    SmallestChange, WatchedNode, role_of,
};
use fauxplat_stats::changepoint::{Change, Scanner};
use fauxplat_stats::describe::{mean, median};
use fauxplat_stats::multiple::benjamini_hochberg;
use fauxplat_stats::steps::{self, MIN_SEGMENT};

use super::FleetQuestion;
use super::estimate::{Estimate, finite};
use super::machine::{Machine, sign};
use super::whole::{Together, Visited, together};

/// Probability of a false change of any machine, and of a false change of the fleet as a whole.
const ALPHA: f64 = 0.008;
const ALPHA_OF_WHOLE: f64 = 0.002;

/// Minimum number of visits before and after a change that the rank test finds.
const MIN_OF_RANKS: usize = 4;

/// Divisor of the number of visits: the smallest detectable change is reported for a change before the last quarter of
/// the visits.
const LATEST: usize = 4;

/// Maximum number of visits between a change of a fact and a change of the readings that are reported as connected: the
/// accuracy with which a change is located.
const NEAR: usize = 1;

/// Minimum number of machines on which a fact changed from which an interval over them is computed.
const MACHINES_MIN: usize = 3;

/// The visit that `watch` stores for a record; `None` if the record has no reading above zero.
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

/// Visits of a machine in chronological order.
struct History<'a> {
    node: &'a str,
    visits: Vec<&'a NodeVisit>,
    /// Logarithms of the medians, with the sign turned so that more is slower.
    slow: Vec<f64>,
    /// Logarithms of the medians as in `slow`, minus the part that all machines of the fleet have in common at each
    /// visit.
    own: Vec<f64>,
    /// Logarithms of the means, with the sign turned so that more is slower; empty if some visit has no mean.
    means: Vec<f64>,
}

/// Finds changes of machines over time. `visits` may come in any order; `command` is the name for the report.
///
/// Each machine has two series: its medians, and the ratios of its means to its medians, which show slow runs that
/// change no median. The part that all machines have in common is subtracted from the medians, and is a series of its
/// own. Every series is tested separately. Changes are then selected by the procedure of Benjamini and Hochberg over
/// all machines, so that ten thousand machines do not give ten thousand times the false alarms of one.
pub fn fleet_watch(visits: &[NodeVisit], command: &str, question: &FleetQuestion) -> FleetWatchFindings {
    let mut histories = histories(visits, question);
    let common = take_off_common(&mut histories);
    let mut scanner = Scanner::new(MIN_OF_RANKS, question.seed);
    let mut found: Vec<Vec<Change>> =
        histories.iter().map(|history| steps::changes(&history.own, &mut scanner, ALPHA)).collect();
    found.extend(histories.iter().map(|history| scanner.changes(&history.beside(), ALPHA)));
    let series = histories.len() + histories.iter().filter(|history| !history.means.is_empty()).count();
    let mut kept = kept(&found, series);
    let of_means = kept.split_off(histories.len());
    let changes = kept.iter().zip(&of_means);
    let watched = histories.iter().zip(changes).map(|(history, of)| history.finding(of, sign(question)));
    let mut nodes: Vec<WatchedNode> = watched.collect();
    let since = since(&histories, &kept, sign(question));
    nodes.sort_by(|a, b| a.changes.is_empty().cmp(&b.changes.is_empty()).then_with(|| a.node.cmp(&b.node)));
    let whole = whole_changes(&common, &histories, &mut scanner, sign(question));
    FleetWatchFindings {
        command: command.to_owned(),
        metric: question.metric,
        alpha: ALPHA + ALPHA_OF_WHOLE,
        min_segment: MIN_SEGMENT,
        whole,
        smallest: smallest_change(&histories, series, sign(question)),
        nodes,
        since,
    }
}

fn visited<'a>(history: &History<'a>) -> Vec<Visited<'a>> {
    let middle = median(&history.slow).unwrap_or(0.0);
    let of = |(place, visit): (usize, &&'a NodeVisit)| Visited {
        fleet: &visit.fleet,
        at_utc_ns: visit.at_utc_ns,
        distance: history.slow[place] - middle,
        changed: if place > 0 { history.facts_at(place) } else { Vec::new() },
    };
    history.visits.iter().enumerate().map(of).collect()
}

/// Sets `own` of every machine: subtracts from each visit the part that all machines of the same run over the fleet
/// have in common. Returns these parts in chronological order.
fn take_off_common(histories: &mut [History]) -> Vec<Together> {
    let common = together(histories.iter().flat_map(visited));
    let shifts: BTreeMap<&str, f64> =
        common.iter().map(|(fleet, together)| (fleet.as_str(), together.shift)).collect();
    for history in histories.iter_mut() {
        let shift = |visit: &&NodeVisit| shifts.get(visit.fleet.as_str()).copied().unwrap_or(0.0);
        history.own = history.visits.iter().zip(&history.slow).map(|(it, slow)| slow - shift(it)).collect();
    }
    common.into_iter().map(|(_, together)| together).collect()
}

/// Changes of the fleet as a whole: of the part that all machines have in common, with the readings of the typical
/// machine before and after.
fn whole_changes(
    common: &[Together],
    histories: &[History],
    scanner: &mut Scanner,
    sign: f64,
) -> Vec<ChangePoint> {
    let series: Vec<f64> = common.iter().map(|together| together.shift).collect();
    let middles: Vec<f64> = histories.iter().filter_map(|history| median(&history.slow)).collect();
    let Some(middle) = median(&middles) else { return Vec::new() };
    let found = steps::changes(&series, scanner, ALPHA_OF_WHOLE);
    let kept: Vec<Kept> = found.into_iter().map(|change| (change, change.p_value)).collect();
    let levels: Vec<f64> = series.iter().map(|shift| middle + shift).collect();
    let with = |change: ChangePoint| ChangePoint {
        at_utc_ns: common[change.at].at_utc_ns,
        facts: common[change.at].changed.iter().cloned().collect(),
        ..change
    };
    points(&kept, &series, &levels, sign).into_iter().map(with).collect()
}

/// The smallest change that could be found if it lay before the last quarter of the visits of a typical machine; `None`
/// without a machine with enough visits.
fn smallest_change(histories: &[History], series: usize, sign: f64) -> Option<SmallestChange> {
    let judged = || histories.iter().filter(|history| history.own.len() >= 2 * MIN_SEGMENT);
    let spreads: Vec<f64> = judged().filter_map(|history| steps::spread(&history.own)).collect();
    let visits = median(&judged().map(|history| history.own.len() as f64).collect::<Vec<_>>())? as usize;
    let after = (visits / LATEST).max(MIN_SEGMENT);
    let change = steps::smallest(median(&spreads)?, visits, after, series, ALPHA)?;
    Some(SmallestChange { visits, after, ratio: finite((sign * change).exp())? })
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
        History { node, visits, slow, own: Vec::new(), means: turned }
    };
    by_node.into_iter().map(history).collect()
}

/// A change and its false discovery rate.
type Kept = (Change, f64);

/// The changes of each series whose false discovery rate over all machines is at most [`ALPHA`]. Every series counts as
/// a test, and so do the two further stretches of visits, before and after it, that every change made it necessary to
/// search.
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

/// Changes of a series for the report: each with its effect as a ratio, and with the medians of `levels` before and
/// after, up to the next change on either side.
fn points(changes: &[Kept], series: &[f64], levels: &[f64], sign: f64) -> Vec<ChangePoint> {
    let ends: Vec<usize> = changes.iter().map(|(change, _)| change.at).chain([series.len()]).collect();
    let starts: Vec<usize> = [0].into_iter().chain(changes.iter().map(|(change, _)| change.at)).collect();
    let level = |of: &[f64]| median(of).map(|middle| (sign * middle).exp());
    let point = |(index, (change, q_value)): (usize, &Kept)| {
        let (before, after) = (starts[index]..ends[index], ends[index]..ends[index + 1]);
        let effect = Estimate::difference(&series[after.clone()], &series[before.clone()], 0.05)?;
        let [effect_ratio, low, high] = effect.ratios(sign);
        Some(ChangePoint {
            estimand: Estimand::Typical,
            at: change.at,
            at_utc_ns: 0,
            before: level(&levels[before])?,
            after: level(&levels[after])?,
            effect_ratio,
            low,
            high,
            p_value: change.p_value,
            q_value: *q_value,
            facts: Vec::new(),
        })
    };
    changes.iter().enumerate().filter_map(point).collect()
}

/// The reason why so few visits of a machine show no change.
fn too_few_visits(visits: usize) -> String {
    match visits {
        1 => "1 visit is too few to see a change".to_owned(),
        _ => format!("{visits} visits are too few to see a change"),
    }
}

impl History<'_> {
    /// For each visit, the logarithm of the ratio of its mean to its median; empty if there are no means.
    fn beside(&self) -> Vec<f64> {
        self.means.iter().zip(&self.slow).map(|(mean, median)| mean - median).collect()
    }

    fn finding(&self, (typical, of_means): (&Vec<Kept>, &Vec<Kept>), sign: f64) -> WatchedNode {
        let too_few = self.slow.len() < 2 * MIN_SEGMENT;
        let mut changes = self.points(typical, &self.own, &self.slow, sign);
        let of_means = self.points(of_means, &self.means, &self.means, sign).into_iter();
        changes.extend(of_means.map(|change| ChangePoint { estimand: Estimand::Mean, ..change }));
        changes.sort_by_key(|change| change.at);
        WatchedNode {
            node: self.node.to_owned(),
            medians: self.visits.iter().map(|visit| visit.median).collect(),
            at_utc_ns: self.visits.iter().map(|visit| visit.at_utc_ns).collect(),
            changes,
            reason: too_few.then(|| too_few_visits(self.slow.len())),
        }
    }

    /// Changes of a series of this machine for the report, each with the time of its visit and the facts that changed
    /// near it.
    fn points(&self, changes: &[Kept], series: &[f64], levels: &[f64], sign: f64) -> Vec<ChangePoint> {
        let with = |change: ChangePoint| ChangePoint {
            at_utc_ns: self.visits[change.at].at_utc_ns,
            facts: self.facts_near(change.at).into_iter().collect(),
            ..change
        };
        points(changes, series, levels, sign).into_iter().map(with).collect()
    }

    /// Facts that changed at most [`NEAR`] visits from visit `at`.
    fn facts_near(&self, at: usize) -> BTreeSet<FactChange> {
        let from = at.saturating_sub(NEAR).max(1);
        let to = (at + NEAR).min(self.visits.len() - 1);
        (from..=to).flat_map(|place| self.facts_at(place)).collect()
    }

    /// Facts whose value at visit `place` differs from that at the visit before; facts that are readings are left out.
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

    /// Median log reading of the visits from `place` on minus that of the visits before.
    fn shift_at(&self, place: usize) -> Option<f64> {
        Some(median(&self.slow[place..])? - median(&self.slow[..place])?)
    }
}

/// Change of the readings after a change of a fact on one machine: `shift` is the difference of the median log
/// readings, and `with_change` tells whether a change of the readings was found near it.
struct Followed {
    shift: f64,
    with_change: bool,
}

/// Changes of facts after which readings changed: on a single machine, or on average over several machines.
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
    let level = ALPHA / by_change.len().max(1) as f64;
    let mut told: Vec<SinceFact> =
        by_change.into_iter().filter_map(|(change, followed)| told(change, &followed, level, sign)).collect();
    told.sort_by_key(|since| std::cmp::Reverse(since.with_change));
    told
}

/// Describes a change of a fact on the machines in `followed`. `None` if no machine has a change of its readings near
/// it and their average change is not significant at `level`. The reported interval is one of 95 %.
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
