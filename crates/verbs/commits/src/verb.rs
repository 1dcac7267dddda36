//! The subcommand `bisect`, which searches for the commit that changed a program.

use std::path::Path;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{Definition, Estimand, Rule, sha256_of_parts};
use fauxplat_options::{EndArgs, after, define};
use fauxplat_report::{OwnReport, say};
use fauxplat_revisions::{LineCommit, Revision, WORKTREE, Workshop};
use fauxplat_sys::signal;
use fauxplat_units::Nanos;
use fauxplat_verb::{Group, Host, Verb};

use crate::error::BisectError;
use crate::findings::{Answer, BisectFindings, Commit, Found};
use crate::hunt::{Hunt, Hunted};
use crate::laboratory::Here;
use crate::options::{BisectArgs, EXAMPLES};
use crate::report::{BisectReport, summary};
use crate::search::Search;
use crate::state::{Known, State};

/// Time in seconds after which the comparison of the good with the bad end, and each step, may end undecided.
const LIMIT_S: f64 = 60.0;

#[derive(Debug)]
pub struct Bisect;

impl Verb for Bisect {
    fn group(&self) -> Group {
        Group::Moved
    }

    fn command(&self) -> Command {
        let command = Command::new("bisect").about("Which commit made the change, and how sure is that?");
        BisectArgs::augment_args(command).after_help(after(EXAMPLES))
    }

    fn measures(&self) -> bool {
        true
    }

    fn takes_commands(&self) -> bool {
        true
    }

    fn end(&self, given: &ArgMatches) -> Option<EndArgs> {
        BisectArgs::from_arg_matches(given).ok().map(|args| args.end)
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = BisectArgs::from_arg_matches(given).map_err(Failure::usage)?;
        bisect(&args, host, invocation)
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&BisectReport]
    }
}

fn bisect(args: &BisectArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let begun_ns = fauxplat_sys::clock::monotonic_ns();
    let definition = definition(args)?;
    let mut workshop = Workshop::around(Path::new("."), args.build.build.as_deref())?;
    let ends = [workshop.revision(&args.good)?, workshop.revision(&args.bad)?];
    let line = line(&workshop, &ends, args.first_parent)?;
    let hunt = hunt(&line, &definition.rule);
    let state = State::open(&workshop.searches(), &key(args, &workshop, &ends, &definition))?;
    if args.anew {
        state.forget();
    }
    let known = state.known();
    let steps_before = known.steps.len();
    let mut here = Here::new(args, (host, invocation), (&workshop, &line), definition.clone());
    here.say(&plan(&hunt, &known));
    let hunted = hunt.search(known, &mut here, &mut |known| Ok(state.note(known)?))?;
    // A later call can only continue a search that was stopped.
    if hunted.answer != Answer::Stopped {
        state.forget();
    }
    let work = here.work;
    let mut found = findings(&hunt, hunted, &definition.rule);
    found.steps_before = steps_before;
    (found.built, found.build_s) = (work.built, work.build_s);
    found.elapsed_s = (fauxplat_sys::clock::monotonic_ns() - begun_ns) as f64 / 1e9;
    let answer = match (args.undecided_code, found.answer) {
        (None, _) | (_, Answer::Commit) => Ok(()),
        // An interrupted search has no answer, so `--undecided-code` does not apply.
        _ if signal::stop_requested() => Ok(()),
        (Some(code), _) => Err(Failure::gate(format!("--undecided-code: {}", found.summary)).coded(code)),
    };
    here.conclude(&found, warnings(&found), answer)
}

/// Definition of an experiment with the single command of the options, and the user's rule.
fn definition(args: &BisectArgs) -> Result<Definition, Failure> {
    let unfit = |what: &str| Failure::from(BisectError::Unfit { what: what.to_owned() });
    let mut definition = define::definition(&args.commands, &args.condition, &Machine::here())?;
    let asked = &args.rule;
    let rule = &mut definition.rule;
    rule.decide(&asked.metric.into_iter().collect::<Vec<_>>());
    (rule.margin, rule.level) = (asked.margin.unwrap_or(rule.margin), asked.level.unwrap_or(rule.level));
    rule.max_time_s = asked.max_time.map(Nanos::as_secs_f64);
    let (rule, commands) = (&definition.rule, definition.commands.len());
    let is_named = !args.commands.command_name.is_empty() || !args.commands.names.is_empty();
    match () {
        () if commands != 1 || !definition.parameters.is_empty() => {
            Err(unfit("measures one command in every commit: give one, without parameter lists"))
        }
        () if is_named => {
            Err(unfit("calls each commit by its hash and subject: leave --command-name and --names out"))
        }
        () if !rule.also.is_empty() => Err(unfit("follows one metric: give one --metric")),
        () if rule.margin_absolute.is_some() => Err(unfit("takes a margin as a share, such as 1%")),
        () if rule.anytime || rule.duet || rule.sessions.is_some() || rule.estimand == Estimand::Mean => {
            Err(unfit("judges typical runs, side by side: leave other rules of the definition out"))
        }
        () if definition.condition.simulate.is_some() => {
            Err(unfit("measures real runs: leave --simulated out"))
        }
        () => Ok(definition),
    }
}

/// All commits from the good end to the bad end. Local changes come after the commit on which they were made.
fn line(
    workshop: &Workshop,
    [good, bad]: &[Revision; 2],
    first_parent: bool,
) -> Result<Vec<LineCommit>, Failure> {
    let repository = &workshop.repository;
    if bad.said != WORKTREE {
        return Ok(repository.line(good, bad, first_parent)?);
    }
    let mut line = match good.commit == bad.commit {
        true => vec![LineCommit { revision: good.clone(), parents: Vec::new() }],
        false => repository.line(good, bad, first_parent)?,
    };
    let parents = vec![line.len() - 1];
    line.push(LineCommit { revision: bad.clone(), parents });
    Ok(line)
}

fn hunt(line: &[LineCommit], rule: &Rule) -> Hunt {
    Hunt {
        commits: line.iter().map(|commit| of(&commit.revision)).collect(),
        parents: line.iter().map(|commit| commit.parents.clone()).collect(),
        level: rule.level,
        margin: rule.margin,
        limit_s: LIMIT_S,
        total_s: rule.max_time_s,
    }
}

fn of(revision: &Revision) -> Commit {
    // Local changes have HEAD as their commit, so the hash of the changed tree is added.
    let hash = match revision.said == WORKTREE {
        true => format!("{}+{}", revision.commit, revision.tree),
        false => revision.commit.clone(),
    };
    Commit { hash, name: revision.name.clone() }
}

/// Hash that identifies a search: equal for calls of `bisect` that ask the same question about the same history.
fn key(args: &BisectArgs, workshop: &Workshop, ends: &[Revision; 2], definition: &Definition) -> String {
    let asked = serde_json::to_string(definition).unwrap_or_default();
    let build = format!("{:?}", workshop.build());
    let place = workshop.repository.place().display().to_string();
    // Several machines may share a disk with the cache, so the model of the processor is a part of the key.
    let machine = Machine::here().facts().cpu.model.clone();
    let first_parent = args.first_parent.to_string();
    let [good, bad] = ends.each_ref().map(|end| of(end).hash);
    sha256_of_parts([&asked, &build, &place, &machine, &first_parent, &good, &bad])
}

/// Sentence that tells the user how long the search will probably take.
fn plan(hunt: &Hunt, known: &Known) -> String {
    let commits = hunt.commits.len() - 1;
    let steps = Search::new(&hunt.parents).steps();
    let time = match hunt.total_s {
        Some(total_s) => format!("{total_s:.0} s at most"),
        None => format!("about {:.0} s", f64::from(steps + 2) * hunt.limit_s),
    };
    let more = match hunt.total_s {
        Some(_) => "",
        None => ", less where differences are clear, and more where runs are long or commits stay undecided",
    };
    let before = match known.steps.len() {
        0 => String::new(),
        many => format!("; of these {many} are known from an interrupted call"),
    };
    format!(
        "plan: {}; after the ends {}{before}; {time} without the builds{more}",
        say::counted(commits, "commit", "commits"),
        say::counted(steps as usize, "step", "steps")
    )
}

fn findings(hunt: &Hunt, hunted: Hunted, rule: &Rule) -> BisectFindings {
    let commit = |number: usize| hunt.commits[number].clone();
    let Hunted { answer, known, suspects, found } = hunted;
    let mut findings = BisectFindings {
        summary: String::new(),
        answer,
        metric: rule.metric,
        error: rule.level,
        margin: rule.margin,
        good: commit(0),
        bad: commit(hunt.commits.len() - 1),
        commits: hunt.commits.len() - 1,
        ends: known.ends,
        steps: known.steps,
        suspects: suspects.into_iter().map(commit).collect(),
        found: found.map(|(number, before, own)| Found {
            commit: commit(number),
            before: commit(before),
            own,
        }),
        steps_before: 0,
        built: 0,
        build_s: 0.0,
        elapsed_s: 0.0,
    };
    findings.summary = summary(&findings);
    findings
}

fn warnings(found: &BisectFindings) -> Vec<String> {
    let between = found.steps.iter().filter(|step| step.is_between);
    let between = between.map(|step| {
        format!(
            "{} lies between both ends: more than one commit made the change, and the search followed the larger part",
            step.commit.name
        )
    });
    between.collect()
}
