//! The subcommand `why`.

use clap::{ArgMatches, Args, FromArgMatches};
use fauxplat_experiment::measure::baseline::from_store;
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_model::{Command, Comparison, Metric, Rule, Runs, Verdict};
use fauxplat_options::{EndArgs, Group, after};
use fauxplat_report::OwnReport;
use fauxplat_revisions::{Changes, Compared as Revisions};
use fauxplat_store::StoredExperiment;
use fauxplat_verb::{Host, Verb};

use crate::analysis::{Chain, explain_until};
use crate::args::{EXAMPLES, WhyArgs};
use crate::definition::{FOR_THE_VERDICT, definition, is_session};
use crate::findings::{Answer, ChangedLines, Compared, SCHEMA, WhyFindings};
use crate::measure::{Measured, Session, measure, since, until_failure};
use crate::report::{WhyReport, summary};

/// The subcommand `why`.
#[derive(Debug)]
pub struct Why;

/// Name of the subcommand.
const NAME: &str = "why";

impl Verb for Why {
    fn group(&self) -> Group {
        Group::Moved
    }

    fn command(&self) -> clap::Command {
        let command = clap::Command::new(NAME).about("What made it slower, where, and what did not?");
        WhyArgs::augment_args(command).after_help(after(EXAMPLES))
    }

    fn measures(&self) -> bool {
        true
    }

    fn takes_commands(&self) -> bool {
        true
    }

    fn end(&self, given: &ArgMatches) -> Option<EndArgs> {
        EndArgs::from_arg_matches(given).ok()
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = WhyArgs::from_arg_matches(given).map_err(Failure::usage)?;
        let machine = Machine::here();
        let revisions = revisions(&args, host)?;
        let earlier = earlier(&args, host)?;
        let session = session(&args, earlier.as_ref(), host)?;
        let mut definition = definition(&args, &machine, (revisions.as_ref(), earlier.as_ref()))?;
        if let Some(session) = &session {
            definition.runs = Runs::Count(session.runs());
        }
        let what = (definition, machine);
        let beginning = host.beginning(NAME, what, (&args.output, &args.end), invocation)?;
        let mut driver = match &revisions {
            None => Driver::of_commands(beginning)?,
            Some(revisions) => revisions.driver(beginning)?,
        };
        changed_since(&mut driver, earlier.as_ref());
        let (mut measured, failed) = match &session {
            Some(session) => (since(&mut driver, session)?, None),
            None => match measure(&mut driver, &args) {
                Ok(measured) => (measured, None),
                Err(failure) => (until_failure(&driver), Some(failure)),
            },
        };
        if let (Some(evidence), true) = (&mut measured.evidence, revisions.is_some()) {
            evidence.revisions = Some(words_of_revisions(&args, &driver));
        }
        let mut found = findings(measured, &driver, failed.as_ref());
        match revisions.as_ref().map(Revisions::changes) {
            Some(Ok(changes)) => mark(&mut found, &changes),
            Some(Err(error)) => driver.warn(format!("changed functions are not marked: {error}")),
            None => {}
        }
        revisions.iter().for_each(|revisions| relate(&mut found, revisions));
        let findings = Findings::Own(OwnFindings::new(SCHEMA, &found).map_err(Failure::machine)?);
        host.conclude(driver.finish(findings, failed), &args.output, Ok(()))
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&WhyReport]
    }
}

/// The stored comparison that `--stored` names; `None` without that option.
fn earlier(args: &WhyArgs, host: &dyn Host) -> Result<Option<StoredExperiment>, Failure> {
    let Some(id) = &args.stored else { return Ok(None) };
    let store = host.history(&args.output)?;
    Ok(Some(store.load_without_samples(store.resolve(id)?)?))
}

/// The earlier session of the one command that `--stored` names; `None` where that is a comparison.
fn session(
    args: &WhyArgs,
    earlier: Option<&StoredExperiment>,
    host: &dyn Host,
) -> Result<Option<Session>, Failure> {
    let Some((earlier, id)) = earlier.filter(|it| is_session(it)).zip(args.stored.as_deref()) else {
        return Ok(None);
    };
    let store = host.history(&args.output)?;
    let id = store.resolve(id)?;
    let rule = Rule::default();
    let name = &earlier.commands[0].name;
    let of_store = from_store(Some(&store), &id.to_string(), name, &rule)?;
    Ok(Some(Session { earlier: of_store, samples: store.load(id)?.samples, command: 0 }))
}

/// Warns of programs whose files have changed since the earlier comparison.
fn changed_since(driver: &mut Driver, earlier: Option<&StoredExperiment>) {
    let Some(earlier) = earlier else { return };
    let has_changed = |now: &&Command| {
        let mut then = earlier.commands.iter().filter(|then| then.program == now.program);
        then.any(|then| {
            now.program_sha256.is_some()
                && then.program_sha256.is_some()
                && now.program_sha256 != then.program_sha256
        })
    };
    let sentences: Vec<String> = driver
        .commands
        .iter()
        .filter(has_changed)
        .map(|now| format!("{} has changed since it was compared", now.program.display()))
        .collect();
    sentences.into_iter().for_each(|sentence| driver.warn(sentence));
}

/// The built work trees of the two revisions that `--commits` names; `None` without that option.
fn revisions(args: &WhyArgs, host: &dyn Host) -> Result<Option<Revisions>, Failure> {
    let words = &args.commits.commits;
    if words.len() > 2 {
        return Err(Failure::usage("why explains the difference of two revisions: --commits BASE,HEAD"));
    }
    let tell = |line: &str| {
        if !args.output.is_quiet() {
            host.complain(line);
        }
    };
    Revisions::open(words, args.commits.merge_base, args.build.build.as_deref(), &tell)
}

/// Options and arguments with which a command line compares the same revisions.
fn words_of_revisions(args: &WhyArgs, driver: &Driver) -> String {
    let mut words = vec!["--commits".to_owned(), args.commits.commits.join(",")];
    words.extend(args.commits.merge_base.then(|| "--merge-base".to_owned()));
    words.extend(args.build.build.iter().flat_map(|build| ["--build".to_owned(), build.clone()]));
    let commands = driver.commands.iter().map(|command| &command.command);
    words.extend(commands.take(if args.commands.commands.len() == 1 { 1 } else { 2 }).cloned());
    shell_words::join(words)
}

/// Least number of pairs of runs with which a comparison can be decided.
const PAIRS_LEAST: usize = 8;

/// Number of pairs of runs that would probably decide a comparison; `None` if none would.
fn needed(comparison: &Comparison) -> Option<usize> {
    match comparison.pairs < PAIRS_LEAST {
        true => Some(comparison.pairs_needed.unwrap_or(0).max(PAIRS_LEAST)),
        false => comparison.pairs_needed,
    }
}

/// Seconds of a pair of runs.
fn pair_s(driver: &Driver) -> f64 {
    let mean_s = |command: u16| {
        let own = driver.samples().iter().filter(|it| it.command == command);
        let walls: Vec<f64> = own.filter_map(|it| Some(it.get(Metric::WALL)? as f64 / 1e9)).collect();
        walls.iter().sum::<f64>() / walls.len().max(1) as f64
    };
    let both_s = mean_s(0) + mean_s(1);
    // Without recorded runs, the time until now stands in: that of the first runs, which show how many tasks each
    // command has.
    if both_s > 0.0 { both_s } else { driver.elapsed_s() }
}

/// Makes the paths of source files in the revisions' work trees relative to the repository.
fn relate(found: &mut WhyFindings, revisions: &Revisions) {
    let roots = revisions.trees().iter().map(|tree| format!("{}/", tree.top.display()));
    for root in roots {
        let cut = |text: &mut String| *text = text.replace(&root, "");
        found.functions.iter_mut().filter_map(|it| it.line.as_mut()).for_each(cut);
        for cause in &mut found.causes {
            cause.place.iter_mut().chain(&mut cause.because).for_each(cut);
        }
    }
}

/// Marks the functions that the second revision changes, and names the changed functions that call others.
fn mark(found: &mut WhyFindings, changes: &Changes) {
    for function in &mut found.functions {
        let line = function.line.as_deref().and_then(|line| line.rsplit_once(':'));
        let line = line.and_then(|(file, line)| Some((file, line.parse().ok()?)));
        function.is_changed = changes.touch(&function.name, line);
        let is_changed = |(name, line): &&(String, Option<(String, u32)>)| {
            changes.touch(name, line.as_ref().map(|(file, line)| (file.as_str(), *line)))
        };
        function.changed_caller = function.callers.iter().find(is_changed).map(|(name, _)| name.clone());
    }
    found.changes = Some(ChangedLines { files: changes.files(), places: changes.places() });
}

/// Findings of a comparison and of the experiments after it, or of what there was until a failure ended the comparison.
fn findings(measured: Measured, driver: &Driver, failed: Option<&Failure>) -> WhyFindings {
    let Measured { comparison, earlier, evidence, slower, experiments, open, again } = measured;
    let comparison = comparison.as_ref();
    let chain = evidence.as_ref().map(|it| explain_until(it, &open)).unwrap_or_default();
    let commands: Vec<&Command> = earlier.iter().chain(&driver.commands).collect();
    let [a, b] = commands[..] else { return WhyFindings::default() };
    let are_same = a.program_sha256.as_ref().zip(b.program_sha256.as_ref());
    // A comparison that was interrupted at once has no ratio.
    let is_told = |it: &&Comparison| {
        [it.effect_ratio, it.ci_low_ratio, it.ci_high_ratio].iter().all(|ratio| ratio.is_finite())
    };
    let compared = comparison.filter(is_told).map(|it| Compared {
        verdict: it.verdict,
        ratio: it.effect_ratio,
        low_ratio: it.ci_low_ratio,
        high_ratio: it.ci_high_ratio,
        pairs: it.pairs,
        level: it.level,
        margin: it.margin,
        is_in_some_runs: it.is_told_by_its_tail(),
    });
    let pairs_needed =
        comparison.filter(|it| earlier.is_none() && it.verdict == Verdict::Inconclusive).and_then(needed);
    let (again_ns, again_after_s) = again.unzip();
    let is_of_comparison = evidence.as_ref().is_some_and(|it| it.is_of_comparison);
    let answer = answer(comparison.map(|it| it.verdict), &chain, (is_of_comparison, again_ns));
    let Chain { difference, causes, unexplained, would_tell, excluded, conditions, counts, functions } =
        chain;
    // A difference that has vanished has no cause.
    let causes = if answer == Answer::Vanished { Vec::new() } else { causes };
    // Without a verdict it is not known which of the programs is slower, and nothing is excluded as a cause.
    let excluded = if slower.is_some() { excluded } else { Vec::new() };
    let mut found = WhyFindings {
        summary: String::new(),
        answer,
        programs: [a.name.clone(), b.name.clone()],
        slower,
        are_same: are_same.map(|(first, second)| first == second && a.argv.get(1..) == b.argv.get(1..)),
        compared,
        is_of_sessions: earlier.is_some(),
        pairs_needed,
        needs_s: pairs_needed.map(|pairs| (pairs + 1) as f64 * pair_s(driver) / FOR_THE_VERDICT),
        more_ns: difference.as_ref().map(|it| it.whole),
        hidden_ns: difference.as_ref().and_then(|it| it.hidden),
        parts: difference.map_or(Vec::new(), |it| it.parts),
        unexplained,
        causes,
        would_tell,
        excluded,
        conditions,
        counts,
        functions,
        experiments,
        again_ns,
        again_after_s,
        changes: None,
        is_interrupted: driver.is_interrupted(),
        failed: failed.map(ToString::to_string),
        elapsed_s: driver.elapsed_s(),
    };
    found.summary = summary(&found);
    found
}

/// Ratio of the difference in the last pairs of runs to the difference that is explained, below which the difference
/// has vanished.
const GONE: f64 = 0.3;

fn answer(
    verdict: Option<Verdict>,
    chain: &Chain,
    (is_of_comparison, again): (bool, Option<crate::amount::Amount>),
) -> Answer {
    let of_wall = chain.difference.as_ref().filter(|it| it.hidden.is_none());
    let whole_ns = of_wall.map_or(0.0, |it| it.whole.value);
    // Further pairs that do not show the difference mean that it has vanished, just as the pairs at the end do. The few
    // pairs of a comparison that was decided at once are only too few for an account.
    let is_gone = chain.difference.as_ref().is_some_and(|it| !is_of_comparison && !it.whole.is_more())
        || again.is_some_and(|again| !again.is_more() && again.high < GONE * whole_ns);
    match verdict {
        Some(Verdict::Different) if is_gone => Answer::Vanished,
        Some(Verdict::Different) if !chain.causes.is_empty() => Answer::Cause,
        Some(Verdict::Different) => Answer::Unexplained,
        Some(Verdict::Equivalent) => Answer::Equivalent,
        _ => Answer::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::Amount;
    use crate::analysis::Difference;

    #[test]
    fn pairs_that_are_too_few_for_an_account_do_not_mean_that_a_difference_has_gone() {
        let unsure = Amount { value: 50e6, low: -1e6, high: 101e6 };
        let difference =
            Difference { whole: unsure, hidden: None, lanes: [1.0; 2], parts: Vec::new(), fast_ns: [0.0; 4] };
        let chain = Chain { difference: Some(difference), ..Chain::default() };
        let of = |is_of_comparison| answer(Some(Verdict::Different), &chain, (is_of_comparison, None));
        assert_eq!([of(true), of(false)], [Answer::Unexplained, Answer::Vanished]);
    }
}
