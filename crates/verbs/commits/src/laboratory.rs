//! The laboratory of a real search, which builds and measures commits on this machine.

use std::collections::BTreeMap;

use fauxplat_experiment::measure::compare::{compare_until, complete};
use fauxplat_experiment::{Beginning, Driver, Failure, Kind, Machine};
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_model::{CompareFindings, Definition};
use fauxplat_options::OutputArgs;
use fauxplat_revisions::{LineCommit, Tree, Workshop, alike, commands_in, placed_in};
use fauxplat_sys::signal;
use fauxplat_verb::Host;

use crate::findings::{BisectFindings, Compared, SCHEMA};
use crate::hunt::{Attempt, Laboratory, Test};
use crate::options::BisectArgs;

pub(crate) struct Here<'a> {
    pub(crate) args: &'a BisectArgs,
    pub(crate) host: &'a dyn Host,
    pub(crate) invocation: &'a [String],
    pub(crate) workshop: &'a Workshop,
    pub(crate) line: &'a [LineCommit],
    /// The command that every commit runs, with the user's rule.
    pub(crate) definition: Definition,
    pub(crate) work: Work,
    trees: BTreeMap<usize, Tree>,
    /// The latest experiment and its findings; the findings of the whole search are stored in its record.
    last: Option<(Driver, CompareFindings)>,
    /// Whether an experiment was measured, so that the search goes on even if the store takes nothing more.
    has_measured: bool,
    /// Why an experiment was not stored, after which none is; `None` as long as the store takes everything.
    unstored: Option<Failure>,
}

/// Builds that this call of `bisect` made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// Number of commits that were built.
    pub(crate) built: usize,
    /// Duration of these builds, in seconds.
    pub(crate) build_s: f64,
}

/// Reason why the work tree of a commit, or the command in it, is missing.
enum Missing {
    /// The commit is at fault, so that another commit may succeed.
    Commit(String),
    Stopped,
}

impl<'a> Here<'a> {
    pub(crate) fn new(
        args: &'a BisectArgs,
        (host, invocation): (&'a dyn Host, &'a [String]),
        (workshop, line): (&'a Workshop, &'a [LineCommit]),
        definition: Definition,
    ) -> Self {
        let (work, trees) = (Work::default(), BTreeMap::new());
        let (last, has_measured, unstored) = (None, false, None);
        Here { args, host, invocation, workshop, line, definition, work, trees, last, has_measured, unstored }
    }

    /// Makes and builds the work trees of these commits, and checks that each has the command. Trees of other commits
    /// are released, except for those of the good and of the bad end of the search.
    fn prepare(&mut self, commits: &[usize]) -> Result<Result<(), Missing>, Failure> {
        let last = self.line.len() - 1;
        self.trees.retain(|commit, _| [0, last].contains(commit) || commits.contains(commit));
        for &commit in commits {
            if self.trees.contains_key(&commit) {
                continue;
            }
            let revision = &self.line[commit].revision;
            let made = self.workshop.tree(revision, &|line| self.say(line));
            let tried = made.map_err(Failure::from).and_then(|tree| self.tried(tree));
            match tried {
                Ok(tree) => drop(self.trees.insert(commit, tree)),
                Err(_) if signal::stop_requested() => return Ok(Err(Missing::Stopped)),
                Err(failure) if commit != 0 && commit != last && is_about_the_commit(&failure) => {
                    return Ok(Err(Missing::Commit(failure.to_string())));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(Ok(()))
    }

    pub(crate) fn say(&self, line: &str) {
        if !self.args.output.is_quiet() {
            self.host.complain(line);
        }
    }

    /// Records the build of a work tree, and checks that the tree has the command.
    fn tried(&mut self, tree: Tree) -> Result<Tree, Failure> {
        if let (true, Some(took_ns)) = (tree.is_new, tree.took_ns) {
            self.work.built += 1;
            self.work.build_s += took_ns as f64 / 1e9;
        }
        commands_in(&self.workshop.repository, &[&tree], &self.definition, &Machine::here())?;
        Ok(tree)
    }

    fn driver(&mut self, commits: &[usize], test: &Test) -> Result<Driver, Failure> {
        let trees: Vec<&Tree> = commits.iter().filter_map(|commit| self.trees.get(commit)).collect();
        let mut definition = self.definition.clone();
        let only = definition.commands.first().cloned().unwrap_or_default();
        let named = |tree: &&Tree| {
            let name = Some(tree.revision.name.clone());
            fauxplat_model::CommandLine { name, ..only.clone() }
        };
        definition.commands = trees.iter().map(named).collect();
        placed_in(&self.workshop.repository, &trees, &mut definition)?;
        definition.rule = test.rule(&definition.rule);
        let (beginning, refused) = self.beginning(&definition)?;
        let mut driver = Driver::of(beginning, |definition, machine| {
            commands_in(&self.workshop.repository, &trees, definition, machine)
        })?;
        let notes = trees.iter().flat_map(|tree| tree.notes.clone()).chain(alike(&trees, &driver.commands));
        notes.collect::<Vec<_>>().into_iter().for_each(|note| driver.warn(note));
        self.unstored = self.unstored.take().or(refused);
        if self.has_measured {
            driver.do_without_store();
        }
        Ok(driver)
    }

    /// Begins an experiment, without a store if an earlier one was not stored, or if the store cannot be opened any
    /// more; returns why it could not.
    fn beginning(&self, definition: &Definition) -> Result<(Beginning<'a>, Option<Failure>), Failure> {
        let begin = |output: &OutputArgs| {
            let what = (definition.clone(), Machine::here());
            self.host.beginning("bisect", what, (output, &self.args.end), self.invocation)
        };
        let output: &OutputArgs = &self.args.output;
        let unstored = || begin(&OutputArgs { store: Some("none".into()), ..output.clone() });
        if self.unstored.is_some() {
            return Ok((unstored()?, None));
        }
        match begin(output) {
            Err(refused) if self.has_measured => Ok((unstored()?, Some(refused))),
            begun => Ok((begun?, None)),
        }
    }

    /// Ends the latest experiment and stores its own findings, since another experiment follows.
    fn finish_last(&mut self) {
        if let Some((driver, found)) = self.last.take() {
            let stored = driver.finish(Findings::Compare(found), None).stored;
            self.unstored = self.unstored.take().or(stored.err());
        }
    }

    /// Stores and reports the findings of the search as those of the latest experiment.
    ///
    /// # Errors
    /// Fails with the `answer`, or else where the report cannot be written or an experiment of the search was not stored.
    pub(crate) fn conclude(
        &mut self,
        found: &BisectFindings,
        warnings: Vec<String>,
        answer: Result<(), Failure>,
    ) -> Result<(), Failure> {
        let findings = OwnFindings::new(SCHEMA, found).map_err(Failure::machine)?;
        let unstored = self.unstored.take();
        let reported = match self.last.take() {
            None => {
                let shown = self.host.show(&Findings::Own(findings), &self.args.output, self.invocation);
                Failure::answer_first(shown, answer)
            }
            Some((mut driver, _)) => {
                let unstored = unstored.as_ref().map(ToString::to_string);
                warnings.into_iter().chain(unstored).for_each(|warning| driver.warn(warning));
                self.host.conclude(driver.finish(Findings::Own(findings), None), &self.args.output, answer)
            }
        };
        reported?;
        unstored.map_or(Ok(()), Err)
    }
}

impl Laboratory for Here<'_> {
    fn compare(&mut self, commits: &[usize], test: Test) -> Result<Attempt, Failure> {
        match self.prepare(commits)? {
            Ok(()) => {}
            Err(Missing::Stopped) => return Ok(Attempt::Stopped),
            Err(Missing::Commit(why)) => return Ok(Attempt::Failed(why)),
        }
        self.finish_last();
        let mut driver = self.driver(commits, &test)?;
        let judged = match compare_until(&mut driver, Some(test.until)) {
            Ok(judged) => judged,
            Err(failure) => {
                // In a step, the failure of a run may be a property of the commit that is tried. If only the good and
                // the bad end are compared, it is an error.
                let why = failure.to_string();
                let is_of_a_commit = failure.kind() == Kind::Command && commits[0] != 0;
                let finished = driver.give_up(failure);
                return match finished.failed {
                    Some(failure) if !is_of_a_commit => Err(failure),
                    _ => Ok(Attempt::Failed(why)),
                };
            }
        };
        let found = complete(&mut driver, judged);
        let is_stopped = driver.is_interrupted();
        let compared = Compared::with_first(&found, commits.len() - 1);
        (self.last, self.has_measured) = (Some((driver, found)), true);
        Ok(if is_stopped { Attempt::Stopped } else { Attempt::Measured(compared) })
    }

    fn tell(&mut self, line: &str) {
        self.say(line);
    }

    fn build_s(&self) -> f64 {
        let took = self.trees.values().filter_map(|tree| tree.took_ns);
        took.max().map_or(0.0, |took_ns| took_ns as f64 / 1e9)
    }
}

/// Whether a failure may be a property of one commit, so that neighbouring commits may be tried.
fn is_about_the_commit(failure: &Failure) -> bool {
    matches!(failure.kind(), Kind::Command | Kind::Usage)
}
