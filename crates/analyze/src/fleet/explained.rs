//! Facts that are associated with the slowness of machines, with the probability that such an association arises by
//! chance.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::{FactExplained, FactRole, FactValue, role_of};
use fauxplat_stats::association::{Attribute, NO_LEVEL, strongest};
use fauxplat_stats::describe::{median, quantile_sorted, sorted};
use fauxplat_stats::outlying::robust;

use super::estimate::Estimate;

/// Error level of the tests: the probability that the report names any fact by chance.
const LEVEL: f64 = 0.05;

/// Number of random permutations of a test.
const DRAWS: usize = 999;

/// Maximum number of facts that are reported. Each is tested on the differences that the facts before it leave
/// unexplained.
const FACTS_MAX: usize = 3;

/// Minimum number of machines with a value of a fact for the value to be tested.
const MACHINES_MIN: usize = 2;

/// Minimum number of machines with the same value of a fact from which their median counts as the effect of that value.
const SHIFTED_FROM: usize = 8;

/// Number of robust standard deviations from the centre at which the distance of a single machine is capped.
const PULLED_IN: f64 = 3.0;

/// Maximum number of values that are listed for a fact.
const VALUES_MAX: usize = 20;

/// Value that stands for a fact that a machine does not report.
const UNKNOWN: &str = "not known";

pub(super) struct Subject<'a> {
    pub(super) facts: &'a BTreeMap<String, String>,
    /// Distance of the machine from its group: its log reading minus the median of the group or, in a comparison of
    /// programs, its log ratio minus the typical one. The sign is turned so that more is slower.
    pub(super) value: f64,
    /// Number of the machine's group; only machines of the same group are compared.
    pub(super) stratum: u32,
    /// Whether the machine's slowness is to be explained.
    pub(super) slow: bool,
}

struct Column<'a> {
    name: &'a str,
    same_as: Vec<String>,
    attribute: Attribute,
    /// Value of each machine in words; numbers are replaced by ranges of numbers.
    labels: Vec<String>,
    is_number: bool,
}

pub(super) struct Explanation<'a> {
    /// The facts that are associated with slowness, the strongest association first.
    facts: Vec<Explained<'a>>,
    pub(super) tested: Vec<String>,
}

struct Explained<'a> {
    finding: FactExplained,
    column: Column<'a>,
    /// For each machine, whether it has the value of the fact that stands out.
    has: Vec<bool>,
}

impl Explanation<'_> {
    /// Returns for each machine the part of its `value` that its settings explain: for each fact the median of the
    /// machines with the same value, if they are so many that no odd machine moves it. Numeric facts explain nothing
    /// here, since heat and throttling are symptoms of a fault.
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

    /// The facts for the report. `slow` says of each machine whether it was found slow.
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
/// the sign of the logarithms was turned, otherwise 1.
pub(super) fn explained(subjects: &[Subject], sign: f64, seed: u64) -> (Vec<FactExplained>, Vec<String>) {
    let explanation = explain(subjects, sign, seed);
    (explanation.facts.into_iter().map(|fact| fact.finding).collect(), explanation.tested)
}

/// Finds the facts that are associated with slowness. The slow machines need not be known yet;
/// [`Explanation::findings`] adds their numbers.
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

/// Divides the groups (strata) of machines further by the values of a fact, since the next fact has to be associated
/// with slowness within these smaller groups.
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

/// All facts that can be tested. Facts that divide the machines in the same way are merged.
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

/// A fact as numbered levels; `None` if all machines have the same value. Levels are numbered in the order of their
/// first occurrence, so that two facts that divide the machines alike have equal columns.
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
            // The key is borrowed from `counts`, which lives as long as `numbers`.
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

/// A fact as numbers; `None` if some machine reports something other than a number, or if all numbers are equal.
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

/// Rank of each number; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let sorted = sorted(numbers);
    let rank = |number: &f64| {
        let below = sorted.partition_point(|other| other < number);
        let up_to = sorted.partition_point(|other| other <= number);
        (below + up_to) as f64 / 2.0
    };
    numbers.iter().map(rank).collect()
}

/// Ranges into which the numbers are divided for the report: one for each value if there are at most four, otherwise
/// one for each quarter of the machines.
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

/// Describes a fact whose value number `level` stands out, and returns for each machine whether it has that value.
/// `None` if too few machines can be compared.
fn told(
    column: &Column,
    subjects: &[Subject],
    (level, p_value): (usize, f64),
    sign: f64,
) -> Option<(FactExplained, Vec<bool>)> {
    let mut has = members(column, level);
    let distinct: BTreeSet<&String> = column.labels.iter().collect();
    // With two values, each stands out as much as the other; the one that fewer machines have is reported.
    if !column.is_number && distinct.len() == 2 && 2 * has.iter().filter(|&&has| has).count() > has.len() {
        has.iter_mut().for_each(|has| *has = !*has);
    }
    let value = match (column.is_number, level) {
        (true, 0) => "less".to_owned(),
        (true, _) => "more".to_owned(),
        (false, _) => column.labels[has.iter().position(|&it| it)?].clone(),
    };
    // Only groups in which some machines have the value and some do not are used.
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

/// Returns for each machine whether it has the level that stands out. Of a number, level 0 is the lowest quarter of the
/// machines, and any other level the highest quarter. If that quarter would reach to the opposite extreme, because most
/// machines have that value, all machines with another value are returned.
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

/// The most frequent values of a fact, the slowest first, each with its ratio to the machines with other values.
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
