//! Compares one command with itself in an earlier session: what can still be told of runs that are over.
//!
//! The earlier runs cannot be traced, simulated or sampled any more. Their times and counts are in the store, so that the
//! difference can be divided into accounts, and conditions of the machine were recorded.

use fauxplat_analyze::facts_apart;
use fauxplat_experiment::measure::baseline::{Earlier, against};
use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Command, Phase, Sample, Verdict};

use super::plan::Measured;
use super::{files, timed};
use crate::evidence::Evidence;
use crate::findings::{Difference, Experiment};
use crate::question::Question;

/// Reason why no experiment looks for the cause.
const OVER: &str = "the runs of an earlier session are over, and cannot be followed any more";

/// Number of runs of the present session, for as many readings of the earlier one.
const RUNS: std::ops::RangeInclusive<u32> = 30..=300;

/// An earlier session of a command.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) earlier: Earlier,
    pub(crate) samples: Vec<Sample>,
    /// Index of the command in its experiment.
    pub(crate) command: u16,
}

impl Session {
    /// Number of runs with which the present session is compared with the earlier one.
    pub(crate) fn runs(&self) -> u32 {
        (self.samples.len() as u32).clamp(*RUNS.start(), *RUNS.end())
    }
}

/// Measures the one command of an experiment, judges it against the earlier session, and divides the difference into
/// accounts.
///
/// # Errors
/// Errors of the runs, or of the comparison with the earlier session.
pub(crate) fn since(driver: &mut Driver, session: &Session) -> Result<Measured, Failure> {
    let judged = against(driver, &session.earlier, true)?;
    judged.warnings.into_iter().for_each(|sentence| driver.warn(sentence));
    let comparison = judged.findings.comparisons.first();
    let then =
        Command { name: session.earlier.name.clone(), ..session.earlier.command.clone().unwrap_or_default() };
    let mut measured =
        Measured { comparison: comparison.cloned(), earlier: Some(then), ..Measured::default() };
    let Some(comparison) = comparison.filter(|it| it.verdict == Verdict::Different) else {
        return Ok(measured);
    };
    let slower = usize::from(!comparison.b_is_better());
    measured.slower = Some(slower);
    let note = Some(OVER.to_owned());
    let asked = [Question::Calls, Question::Counts, Question::Functions];
    measured.experiments = asked
        .map(|question| Experiment {
            question: question.words().to_owned(),
            took_s: None,
            note: note.clone(),
        })
        .to_vec();
    let commands = [measured.earlier.clone().unwrap_or_default(), driver.commands[0].clone()];
    let samples = both(session, driver.samples());
    let order = [1 - slower, slower];
    let evidence = Evidence {
        names: commands.each_ref().map(|it| it.name.clone()),
        commands: commands.each_ref().map(|it| it.command.clone()),
        pairs: timed::pairs(&samples),
        counts: timed::counts(&samples),
        files: files::files(
            order.map(|side| commands[side].program.as_path()),
            order.map(|side| commands[side].program_sha256.as_deref()),
            order.map(|side| commands[side].argv.as_slice()),
        ),
        is_of_sessions: true,
        is_of_comparison: true,
        apart: apart(driver, session, &commands),
        is_in_some_runs: comparison.is_told_by_its_tail(),
        level: comparison.level,
        ..Evidence::default()
    };
    measured.evidence = Some(evidence.oriented(slower));
    Ok(measured)
}

/// Samples of both sessions as those of two commands: the runs of each in their order, the n-th of one in a block with the
/// n-th of the other. Sessions are independent, so that the pairing leans neither way.
fn both(session: &Session, now: &[Sample]) -> Vec<Sample> {
    let of = |samples: &[Sample], own: u16, command: u16| -> Vec<Sample> {
        let own = samples
            .iter()
            .filter(|it| it.command == own && it.phase == Phase::Measured && it.outcome.is_success());
        (0..).zip(own).map(|(block, it)| Sample { command, block, ..it.clone() }).collect()
    };
    [of(&session.samples, session.command, 0), of(now, 0, 1)].concat()
}

/// Conditions that differ between the sessions, the earlier one's first.
fn apart(driver: &Driver, session: &Session, commands: &[Command; 2]) -> Vec<Difference> {
    let here = driver.machine().facts();
    let facts = session.earlier.machine.as_ref().map_or_else(Vec::new, |there| facts_apart(there, here));
    let mut found: Vec<Difference> = facts
        .into_iter()
        .map(|it| Difference { what: it.what.to_owned(), fast: it.there, slow: it.here })
        .collect();
    let boots = session.earlier.machine.as_ref().map(|there| [&there.boot_id, &here.boot_id]);
    if boots.is_some_and(|[there, here]| there != here) {
        let [fast, slow] = ["an earlier one", "the present one"].map(str::to_owned);
        found.push(Difference { what: "boot".to_owned(), fast, slow });
    }
    let hashes = commands.each_ref().map(|it| it.program_sha256.as_deref());
    if let [Some(then), Some(now)] = hashes
        && then != now
    {
        let [fast, slow] = [then, now].map(|hash| hash.chars().take(12).collect());
        found.push(Difference { what: "content of the program's file (SHA-256)".to_owned(), fast, slow });
    }
    found
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{Metric, Outcome, Readings};

    use super::*;

    #[test]
    fn runs_of_both_sessions_are_paired_in_their_order() {
        let sample = |command, ns, outcome| {
            let mut readings = Readings::none();
            readings.set(Metric::WALL, Some(ns));
            Sample { command, outcome, ..Sample::of(readings) }
        };
        let good = Outcome::Exited(0);
        let samples = vec![
            sample(0, 1, good),
            sample(1, 10, good),
            sample(1, 99, Outcome::Exited(1)),
            sample(1, 20, good),
        ];
        let earlier = Earlier {
            name: "x".to_owned(),
            values: Vec::new(),
            findings: fauxplat_model::RunFindings::default(),
            command: None,
            machine: None,
        };
        let session = Session { earlier, samples, command: 1 };
        let now = [sample(0, 11, good), sample(0, 22, good), sample(0, 33, good)];
        let walls: Vec<[f64; 2]> = timed::pairs(&both(&session, &now)).iter().map(|it| it.wall_ns).collect();
        assert_eq!(walls, [[10.0, 11.0], [20.0, 22.0]]);
        assert_eq!(session.runs(), 30);
    }
}
