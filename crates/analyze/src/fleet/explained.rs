//! Facts that are associated with slowness, over all machines, with the probability that such an association arises by
//! chance.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{FactExplained, FactRole, FactValue, role_of};
use fauxplat_stats::association::{Attribute, NO_LEVEL, strongest};
use fauxplat_stats::describe::{median, quantile_sorted, sorted};
use fauxplat_stats::outlying::robust;

use super::estimate::Estimate;

/// Error over all facts: chance brings a fact into the report in one of twenty fleets.
const LEVEL: f64 = 0.05;

/// Random orders of a test.
const DRAWS: usize = 999;

/// Maximum number of facts that are reported, each for what the facts before it left unexplained.
const FACTS_MAX: usize = 3;

/// Minimum number of machines with a value for it to be tested as a group. Rarer values belong to single machines.
const MACHINES_MIN: usize = 2;

/// Minimum number of machines with one value of a fact for their median to be subtracted from them.
const SHIFTED_FROM: usize = 8;

/// Bound on the influence of a single machine, in robust standard deviations.
const PULLED_IN: f64 = 3.0;

/// Maximum number of a fact's values that are listed.
const VALUES_MAX: usize = 20;

/// Value of a fact that a machine does not report.
const UNKNOWN: &str = "not known";

pub(super) struct Subject<'a> {
    pub(super) facts: &'a BTreeMap<String, String>,
    /// Logarithm of the machine's slowness relative to its group.
    pub(super) value: f64,
    /// Group of the machine; only machines of one group are compared.
    pub(super) stratum: u32,
    /// Whether the machine is among those whose slowness is to be explained.
    pub(super) slow: bool,
}

struct Column<'a> {
    name: &'a str,
    same_as: Vec<String>,
    attribute: Attribute,
    /// Value of each machine, in words that describe a group of machines.
    labels: Vec<String>,
    is_number: bool,
}

pub(super) struct Explanation<'a> {
    /// The facts, the strongest association first.
    facts: Vec<Explained<'a>>,
    pub(super) tested: Vec<String>,
}

struct Explained<'a> {
    finding: FactExplained,
    column: Column<'a>,
    /// Whether each machine has the value that stands out.
    has: Vec<bool>,
}

impl Explanation<'_> {
    /// The part of each machine's value that its settings explain: for each fact the median of the machines with one
    /// value, if there are enough of them for a median that no odd machine moves. Facts with numbers explain nothing
    /// away, since heat and throttling are symptoms of a fault.
    pub(super) fn shifts(&self, subjects: &[Subject]) -> Vec<f64> {
        let mut shifts = vec![0.0; subjects.len()];
        for fact in self.facts.iter().filter(|fact| !fact.column.is_number) {
            let mut by_label: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (index, label) in fact.column.labels.iter().enumerate() {
                by_label.entry(label).or_default().push(index);
            }
            for members in by_label.values().filter(|members| members.len() >= SHIFTED_FROM) {
                let left: Vec<f64> =
                    members.iter().map(|&index| subjects[index].value - shifts[index]).collect();
                let shift = median(&left).unwrap_or(0.0);
                members.iter().for_each(|&index| shifts[index] += shift);
            }
        }
        shifts
    }

    /// The findings, completed with the machines that were found slow.
    pub(super) fn findings(self, slow: &[bool]) -> Vec<FactExplained> {
        let all = slow.iter().filter(|&&slow| slow).count();
        let finding = |fact: Explained| {
            let both = |is: &dyn Fn(usize) -> bool| (0..slow.len()).filter(|&at| slow[at] && is(at)).count();
            let mut finding = fact.finding;
            finding.of_slow = all;
            finding.slow = both(&|at| fact.has[at]);
            for value in &mut finding.values {
                value.slow = both(&|at| fact.column.labels[at] == value.value);
            }
            finding
        };
        self.facts.into_iter().map(finding).collect()
    }
}

/// The facts that are associated with slowness, the strongest first, and the names of all facts tested. `sign` is −1 if
/// the logarithms were turned.
pub(super) fn explained(subjects: &[Subject], sign: f64, seed: u64) -> (Vec<FactExplained>, Vec<String>) {
    let explanation = explain(subjects, sign, seed);
    (explanation.facts.into_iter().map(|fact| fact.finding).collect(), explanation.tested)
}

/// The facts that are associated with slowness, before the slow machines are known.
pub(super) fn explain<'a>(subjects: &[Subject<'a>], sign: f64, seed: u64) -> Explanation<'a> {
    let mut columns = columns(subjects);
    let tested =
        columns.iter().flat_map(|it| std::iter::once(it.name.to_owned()).chain(it.same_as.clone())).collect();
    let values = pulled_in(subjects);
    let mut strata: Vec<u32> = subjects.iter().map(|subject| subject.stratum).collect();
    let mut found = Vec::new();
    while found.len() < FACTS_MAX {
        let attributes: Vec<Attribute> = columns.iter().map(|column| column.attribute.clone()).collect();
        let Some(best) = strongest(&values, &strata, &attributes, DRAWS, seed) else { break };
        if best.p_value > LEVEL {
            break;
        }
        let column = columns.remove(best.attribute);
        strata = refined(&strata, &column.labels);
        if let Some((finding, has)) = told(&column, subjects, (best.level, best.p_value), sign) {
            found.push(Explained { finding, column, has });
        }
    }
    Explanation { facts: found, tested }
}

fn pulled_in(subjects: &[Subject]) -> Vec<f64> {
    let values: Vec<f64> = subjects.iter().map(|subject| subject.value).collect();
    match robust(&values).filter(|scale| scale.spread > 0.0) {
        Some(scale) => {
            let reach = PULLED_IN * scale.spread;
            values.iter().map(|value| value.clamp(scale.centre - reach, scale.centre + reach)).collect()
        }
        None => values,
    }
}

/// Divides the strata further by this fact, since the next fact has to show within them.
fn refined(strata: &[u32], labels: &[String]) -> Vec<u32> {
    let mut known: BTreeMap<(u32, &str), u32> = BTreeMap::new();
    let cells = strata.iter().zip(labels);
    cells
        .map(|(&stratum, label)| {
            let next = known.len() as u32;
            *known.entry((stratum, label)).or_insert(next)
        })
        .collect()
}

/// All facts that may explain something. Facts that divide the machines in the same way are merged.
fn columns<'a>(subjects: &[Subject<'a>]) -> Vec<Column<'a>> {
    let names: BTreeSet<&'a str> =
        subjects.iter().flat_map(|it| it.facts.keys().map(String::as_str)).collect();
    let mut columns: Vec<Column> = Vec::new();
    for name in names {
        let Some(column) = column(name, subjects) else { continue };
        match columns.iter_mut().find(|known| alike(&known.attribute, &column.attribute)) {
            Some(known) => known.same_as.push(name.to_owned()),
            None => columns.push(column),
        }
    }
    columns
}

fn alike(a: &Attribute, b: &Attribute) -> bool {
    match (a, b) {
        (Attribute::Levels { of: a, .. }, Attribute::Levels { of: b, .. }) => a == b,
        (Attribute::Number(a), Attribute::Number(b)) => a == b,
        _ => false,
    }
}

fn column<'a>(name: &'a str, subjects: &[Subject]) -> Option<Column<'a>> {
    match role_of(name) {
        FactRole::Identity | FactRole::Told => None,
        FactRole::Candidate => levels(name, subjects),
        FactRole::Reading => number(name, subjects).or_else(|| levels(name, subjects)),
    }
}

/// A fact as levels, numbered in the order of their first occurrence, so that two facts that divide the machines alike
/// have equal columns.
fn levels<'a>(name: &'a str, subjects: &[Subject]) -> Option<Column<'a>> {
    let value = |subject: &Subject| subject.facts.get(name).map_or(UNKNOWN, String::as_str).to_owned();
    let labels: Vec<String> = subjects.iter().map(value).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    labels.iter().for_each(|label| *counts.entry(label).or_default() += 1);
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let number = |label: &'_ String| match counts[label.as_str()] < MACHINES_MIN {
        true => NO_LEVEL,
        false => {
            let next = numbers.len() as u32;
            // The key is borrowed from `counts`, which lives long enough.
            *numbers.entry(counts.get_key_value(label.as_str()).map_or("", |(key, _)| *key)).or_insert(next)
        }
    };
    let of: Vec<u32> = labels.iter().map(number).collect();
    let count = numbers.len();
    let varies = count > 0 && counts.len() > 1;
    varies.then(|| Column {
        name,
        same_as: Vec::new(),
        attribute: Attribute::Levels { of, count },
        labels: labels.clone(),
        is_number: false,
    })
}

/// A fact as numbers; `None` if some machine reports something other than a number.
fn number<'a>(name: &'a str, subjects: &[Subject]) -> Option<Column<'a>> {
    let read = |subject: &Subject| match subject.facts.get(name) {
        None => Some(None),
        Some(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()).map(Some),
    };
    let numbers: Vec<Option<f64>> = subjects.iter().map(read).collect::<Option<_>>()?;
    let known: Vec<f64> = numbers.iter().flatten().copied().collect();
    let middle = median(&known)?;
    let ranks = ranks(&numbers.iter().map(|number| number.unwrap_or(middle)).collect::<Vec<_>>());
    let bins = bins(&known);
    let label = |number: &Option<f64>| number.map_or(UNKNOWN.to_owned(), |number| bin_of(&bins, number));
    let varies = known.iter().any(|&number| number != known[0]);
    varies.then(|| Column {
        name,
        same_as: Vec::new(),
        labels: numbers.iter().map(label).collect(),
        attribute: Attribute::Number(ranks),
        is_number: true,
    })
}

/// Ranks; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let sorted = sorted(numbers);
    let rank = |number: &f64| {
        let below = sorted.partition_point(|other| other < number);
        let up_to = sorted.partition_point(|other| other <= number);
        (below + up_to) as f64 / 2.0
    };
    numbers.iter().map(rank).collect()
}

/// Ranges of a number: its values if there are at most four, otherwise quarters of the machines.
fn bins(numbers: &[f64]) -> Vec<(f64, f64)> {
    let sorted = sorted(numbers);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= 4 {
        return distinct.into_iter().map(|number| (number, number)).collect();
    }
    let mut ends: Vec<f64> =
        [0.25, 0.5, 0.75, 1.0].iter().filter_map(|&share| quantile_sorted(&sorted, share)).collect();
    ends.dedup();
    let mut from = sorted[0];
    let mut ranges = Vec::new();
    for end in ends {
        ranges.push((from, end));
        from = distinct.get(distinct.partition_point(|&number| number <= end)).copied().unwrap_or(end);
    }
    ranges
}

fn bin_of(bins: &[(f64, f64)], number: f64) -> String {
    let bin = bins.iter().find(|(_, end)| number <= *end).or(bins.last());
    match bin {
        Some((from, end)) if from == end => format!("{end}"),
        Some((from, end)) => format!("{from} … {end}"),
        None => UNKNOWN.to_owned(),
    }
}

/// Explanation by a fact of which one level stands out.
fn told(
    column: &Column,
    subjects: &[Subject],
    (level, p_value): (usize, f64),
    sign: f64,
) -> Option<(FactExplained, Vec<bool>)> {
    let mut has = members(column, level);
    let distinct: BTreeSet<&String> = column.labels.iter().collect();
    // Two values stand out equally; the one that fewer machines have is reported.
    if !column.is_number && distinct.len() == 2 && 2 * has.iter().filter(|&&has| has).count() > has.len() {
        has.iter_mut().for_each(|has| *has = !*has);
    }
    let value = match (column.is_number, level) {
        (true, 0) => "less".to_owned(),
        (true, _) => "more".to_owned(),
        (false, _) => column.labels[has.iter().position(|&it| it)?].clone(),
    };
    // A group in which all machines have the value, or none, has nothing to compare.
    let strata = |wanted: bool| -> BTreeSet<u32> {
        let of = subjects.iter().zip(&has).filter(|(_, has)| **has == wanted);
        of.map(|(subject, _)| subject.stratum).collect()
    };
    let both: BTreeSet<u32> = strata(true).intersection(&strata(false)).copied().collect();
    let values = |wanted: bool| -> Vec<f64> {
        let of = subjects.iter().zip(&has).filter(|(it, has)| **has == wanted && both.contains(&it.stratum));
        of.map(|(subject, _)| subject.value).collect()
    };
    let effect = Estimate::difference(&values(true), &values(false), 0.05)?;
    let [effect_ratio, low, high] = effect.ratios(sign);
    let finding = FactExplained {
        fact: column.name.to_owned(),
        same_as: column.same_as.clone(),
        value,
        values: listed(column, subjects, sign),
        machines: has.iter().filter(|&&has| has).count(),
        of_machines: subjects.len(),
        slow: subjects.iter().zip(&has).filter(|(subject, has)| subject.slow && **has).count(),
        of_slow: subjects.iter().filter(|subject| subject.slow).count(),
        p_value,
        effect_ratio,
        low,
        high,
    };
    Some((finding, has))
}

/// Machines that have the level that stands out. For a number these are the upper or the lower quarter, or all machines
/// that are not at the extreme value if most are there.
fn members(column: &Column, level: usize) -> Vec<bool> {
    match &column.attribute {
        Attribute::Levels { of, .. } => of.iter().map(|&it| it as usize == level).collect(),
        Attribute::Number(ranks) => {
            let sorted = sorted(ranks);
            let at = |share| quantile_sorted(&sorted, share).unwrap_or(0.0);
            let (lowest, highest) = (at(0.0), at(1.0));
            let is_in = |rank: f64| match level {
                0 if at(0.25) < highest => rank <= at(0.25),
                0 => rank < highest,
                _ if at(0.75) > lowest => rank >= at(0.75),
                _ => rank > lowest,
            };
            ranks.iter().map(|&rank| is_in(rank)).collect()
        }
    }
}

/// The most frequent values, the slowest first.
fn listed(column: &Column, subjects: &[Subject], sign: f64) -> Vec<FactValue> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    column.labels.iter().for_each(|label| *counts.entry(label).or_default() += 1);
    let mut frequent: Vec<(&str, usize)> = counts.into_iter().collect();
    frequent.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let of_value = |value: &str| {
        let (mine, others): (Vec<_>, Vec<_>) =
            subjects.iter().zip(&column.labels).partition(|(_, label)| *label == value);
        let middle =
            |of: &[(&Subject, &String)]| median(&of.iter().map(|(it, _)| it.value).collect::<Vec<_>>());
        let distance = middle(&mine)? - middle(&others)?;
        let slow = mine.iter().filter(|(subject, _)| subject.slow).count();
        Some((distance, value.to_owned(), mine.len(), slow))
    };
    let mut values: Vec<_> =
        frequent.iter().take(VALUES_MAX).filter_map(|(value, _)| of_value(value)).collect();
    values.sort_by(|a, b| b.0.total_cmp(&a.0));
    let row = |(distance, value, machines, slow): (f64, String, usize, usize)| FactValue {
        value,
        machines,
        slow,
        effect_ratio: (sign * distance).exp(),
    };
    values.into_iter().map(row).collect()
}
