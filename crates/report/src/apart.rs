//! Commands whose names look equal, which reports tell apart by a number behind the name.

use std::collections::HashSet;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Command, CompareFindings, Comparison};

use crate::words::visible;

/// Commands and findings of a record in which no two names look equal.
pub(crate) struct Apart {
    commands: Vec<Command>,
    findings: Findings,
}

impl Apart {
    /// Commands and findings with a number behind each repeated name; `None` if all names of the record differ, or if
    /// its findings are neither of `run` nor of `compare`.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let shown: Vec<String> = record.commands.iter().map(|command| visible(&command.name)).collect();
        let looks: Vec<String> = shown.iter().map(|name| look(name)).collect();
        let numbered = distinct(looks.iter().cloned(), |name, count| format!("{name} ({count})"));
        if numbered == looks {
            return None;
        }
        let names = numbered.into_iter().zip(looks).zip(shown);
        let names: Vec<String> =
            names.map(|((numbered, look), shown)| if numbered == look { shown } else { numbered }).collect();
        let findings = match record.findings {
            Findings::Run(found) => {
                let mut found = found.clone();
                for (own, name) in found.iter_mut().zip(&names) {
                    if let Some(comparison) = own.against_first.as_deref_mut() {
                        rename(comparison, [&names[0], name]);
                    }
                }
                Findings::Run(found)
            }
            Findings::Compare(found) => Findings::Compare(renamed(record, found, &names)),
            _ => return None,
        };
        let commands = record.commands.iter().cloned().zip(names);
        let commands = commands.map(|(command, name)| Command { name, ..command }).collect();
        Some(Apart { commands, findings })
    }

    /// The record with these commands and findings.
    pub(crate) fn record<'a>(&'a self, of: &Record<'a>) -> Record<'a> {
        Record { header: of.header, commands: &self.commands, samples: of.samples, findings: &self.findings }
    }
}

/// The findings of a comparison with new names of the commands. A baseline keeps its name, which ends in the place that
/// the baseline comes from.
fn renamed(record: &Record, found: &CompareFindings, names: &[String]) -> CompareFindings {
    let mut new = found.clone();
    for (at, comparison) in new.comparisons.iter_mut().enumerate() {
        if let Some([a, b]) = sides(record, found, at) {
            rename(comparison, [&names[a], &names[b]]);
        }
    }
    if let [a, b] = names {
        for disagreement in &mut new.disagreements {
            disagreement.a.clone_from(a);
            disagreement.b.clone_from(b);
        }
    }
    new
}

fn rename(comparison: &mut Comparison, [a, b]: [&String; 2]) {
    comparison.a.clone_from(a);
    comparison.b.clone_from(b);
}

/// Indices of both commands of a comparison: all commands are compared with the first, metric by metric, then the
/// winner with the runner-up. `None` if the indices are not known, as with a baseline.
fn sides(record: &Record, found: &CompareFindings, at: usize) -> Option<[usize; 2]> {
    let commands = record.commands.len();
    let candidates =
        commands.checked_sub(1).filter(|&count| count > 0 && found.commands.len() <= commands)?;
    if at < found.with_first(candidates).len() {
        return Some([0, 1 + at % candidates]);
    }
    let comparison = &found.comparisons[at];
    let winner = found.winner.filter(|&index| index < commands)?;
    // The runner-up is the best of several commands with its name.
    let rank = |index: usize| {
        let ratio = found.comparisons[index - 1].effect_ratio;
        if comparison.metric.more_is_better() { -ratio } else { ratio }
    };
    let is_named = |index: &usize| *index != winner && record.commands[*index].name == comparison.a;
    let runner_up = (1..commands).filter(is_named).min_by(|&one, &next| rank(one).total_cmp(&rank(next)))?;
    Some([runner_up, winner])
}

/// The name as a reader sees it: names that differ by their blanks alone look equal.
fn look(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names in their order, with a number from 2 on for repeated names.
pub(crate) fn distinct(
    names: impl Iterator<Item = String>,
    number: impl Fn(&str, usize) -> String,
) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut claim = |name: String| {
        let numbered = |count: usize| match count {
            1 => name.clone(),
            _ => number(&name, count),
        };
        (1..).map(numbered).find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    names.map(&mut claim).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn repeated_names_are_numbered() {
        let names = ["a", "a", "b", "a (2)", "a"].into_iter().map(str::to_owned);
        assert_eq!(
            super::distinct(names, |name, count| format!("{name} ({count})")),
            ["a", "a (2)", "b", "a (2) (2)", "a (3)"]
        );
    }
}
