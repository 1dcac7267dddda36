//! Turns the state of a finished judge into the findings that a report shows.

use fauxplat_model::{CompareFindings, Comparison, Disagreement, Metric, RunFindings, Sample, StoppedBy};
use fauxplat_stats::multiple::holm;

use crate::comparison::comparison;
use crate::contest::Contest;
use crate::disagreement::disagreement;
use crate::judge::{Judge, Judged};
use crate::pairing::blocks;
use crate::series::TYPICAL_SHARE;
use crate::summary::run_findings;
use crate::winner::winner;

impl Judge {
    /// Returns the comparisons, warnings and further findings at the end. `samples` are all samples of the experiment,
    /// `names` the commands' names in order.
    pub fn findings(&self, samples: &[Sample], names: &[String], stopped_by: StoppedBy) -> Judged {
        judged(&self.closed(), samples, names, stopped_by)
    }
}

impl Judge {
    /// Warning that no difference of slow runs can be shown, if the error level of their test, a fifth of the whole, is
    /// smaller than the probability of a single sign pattern.
    fn too_low_for_slow_runs(&self) -> Option<String> {
        let each = (1.0 - TYPICAL_SHARE) * self.rule.level
            / (self.contests.len() + usize::from(self.commands > 2)).max(1) as f64;
        let crossing = 0.5 * each * 2.0 * self.rows.count() as f64;
        let is_told = !self.rule.anytime && !self.is_exact() && crossing < 1.0;
        is_told.then(|| {
            format!(
                "at a level of {} % for each comparison no difference of slow runs can be shown: raise --level, or \
                 compare fewer commands",
                100.0 * self.rule.level / self.contests.len().max(1) as f64
            )
        })
    }
}

fn judged(judge: &Judge, samples: &[Sample], names: &[String], stopped_by: StoppedBy) -> Judged {
    let all_blocks = blocks(samples);
    let mut comparisons: Vec<Comparison> = judge
        .contests
        .iter()
        .map(|contest| comparison(judge, contest, &all_blocks, names, stopped_by))
        .collect();
    let adjusted = holm(&comparisons.iter().map(|comparison| comparison.p_value).collect::<Vec<_>>());
    comparisons.iter_mut().zip(adjusted).for_each(|(comparison, p)| comparison.p_value = p);
    judge.contests.iter().zip(&mut comparisons).for_each(|(contest, shown)| judge.put_exact(contest, shown));
    let mut warnings: Vec<String> = judge
        .contests
        .iter()
        .zip(&comparisons)
        .flat_map(|(contest, shown)| warnings(judge, contest, shown))
        .collect();
    warnings.dedup();
    warnings.extend(judge.not_exact(names));
    warnings.extend(judge.too_low_for_slow_runs());
    let winner = match judge.is_exact() {
        true => judge.exact_winner(),
        false => winner(judge, &all_blocks, &mut comparisons, names),
    };
    let commands = run_findings(samples, judge.commands, judge.ignore_failure);
    let disagreements = disagreements(judge, &comparisons, &commands);
    let findings = CompareFindings {
        commands,
        comparisons,
        winner,
        floor_ns: None,
        elapsed_s: elapsed_s(samples),
        variants: Vec::new(),
        duet_cpus: None,
        disagreements,
        profile: None,
    };
    Judged { findings, warnings }
}

/// Disagreements between the counts and the times of each command compared with the first.
fn disagreements(judge: &Judge, comparisons: &[Comparison], commands: &[RunFindings]) -> Vec<Disagreement> {
    let of = |candidate: u16| {
        let contests = judge.contests.iter().zip(comparisons);
        let own = contests.filter(|(contest, _)| (contest.reference, contest.candidate) == (0, candidate));
        let own: Vec<&Comparison> = own.map(|(_, comparison)| comparison).collect();
        disagreement(&own, [commands.first()?, commands.get(usize::from(candidate))?])
    };
    (1..judge.commands as u16).filter_map(of).collect()
}

fn warnings(judge: &Judge, contest: &Contest, shown: &Comparison) -> Vec<String> {
    let mut warnings = Vec::new();
    let metric = match judge.rule.also.is_empty() {
        true => String::new(),
        false => format!(" in {}", shown.metric.title()),
    };
    let pair = format!("{} against {}{metric}", shown.b, shown.a);
    if contest.decided.is_some_and(|standing| standing.in_runs) {
        warnings.push(format!(
            "{pair}: neighbouring pairs are alike (autocorrelation {:.2}), so their signs were flipped in runs and the \
             interval is wider",
            shown.variance.autocorrelation
        ));
    }
    if shown.metric == Metric::WALL
        && shown.dropped.iter().any(|d| d.reason == fauxplat_model::DroppedReason::HeavySteal)
    {
        warnings.push(format!("{pair}: the hypervisor took the CPU away; `--metric cpu` depends on it less"));
    }
    warnings
}

/// Seconds from the start of the experiment to the end of its last run.
pub(crate) fn elapsed_s(samples: &[Sample]) -> f64 {
    let end = |sample: &Sample| sample.started_ns + sample.get(Metric::WALL).unwrap_or(0);
    samples.iter().map(end).max().unwrap_or(0) as f64 / 1e9
}
