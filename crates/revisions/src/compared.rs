//! Revisions that are compared: their built work trees, and the commands in these trees.

use std::path::Path;

use fauxplat_experiment::{Beginning, Driver, Failure, Machine};
use fauxplat_model::{Command, Definition};

use crate::{Changes, Revision, RevisionError, Tree, Workshop, alike, commands_in, placed_in};

/// Maximum number of revisions that are compared at once: each has a work tree and a build of its own.
const REVISIONS_MAX: usize = 100;

/// Built work trees of the compared revisions. The trees exist as long as this value.
#[derive(Debug)]
pub struct Compared {
    workshop: Workshop,
    trees: Vec<Tree>,
}

impl Compared {
    /// Makes and builds the work trees of two or more revisions of the repository around the working directory; `None`
    /// without a revision. With `from_merge_base`, the first revision is replaced by its merge base with the second.
    /// `tell` is called before each build.
    ///
    /// # Errors
    /// Fails for a single revision, for more than a hundred, and for a revision that does not exist or does not build.
    pub fn open(
        words: &[String],
        from_merge_base: bool,
        build: Option<&str>,
        tell: &dyn Fn(&str),
    ) -> Result<Option<Self>, Failure> {
        match words.len() {
            0 => return Ok(None),
            1 => {
                return Err(Failure::usage(
                    "--commits needs two revisions, BASE,HEAD: WORKTREE is the local changes",
                ));
            }
            count if count > REVISIONS_MAX => {
                return Err(Failure::usage(format!(
                    "--commits names {count} revisions, and at most {REVISIONS_MAX} are compared at once; `fauxplat bisect` \
                     finds the commit that made a change"
                )));
            }
            _ => {}
        }
        let mut workshop = Workshop::around(Path::new("."), build)?;
        let revisions = words.iter().map(|word| workshop.revision(word));
        let mut revisions: Vec<Revision> = revisions.collect::<Result<_, RevisionError>>()?;
        if from_merge_base {
            revisions[0] = workshop.repository.merge_base(&revisions[0], &revisions[1])?;
        }
        let built = revisions.iter().map(|revision| workshop.tree(revision, tell));
        let trees = built.collect::<Result<_, RevisionError>>()?;
        Ok(Some(Compared { workshop, trees }))
    }

    /// The work trees, in the order of the revisions on the command line.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Gives each command of a definition a working directory in a work tree, see [`placed_in`].
    ///
    /// # Errors
    /// Fails as [`placed_in`] does.
    pub fn place(&self, definition: &mut Definition) -> Result<(), RevisionError> {
        let trees: Vec<&Tree> = self.trees.iter().collect();
        placed_in(&self.workshop.repository, &trees, definition)
    }

    /// Gives the definition a command for each revision, named after the revision unless the user named the command.
    ///
    /// # Errors
    /// Fails unless there is one command for all revisions or one for each, and as [`placed_in`] does.
    pub fn spread(&self, definition: &mut Definition) -> Result<(), Failure> {
        let (lines, commits) = (definition.commands.len(), self.trees.len());
        if lines == 1 {
            definition.commands = vec![definition.commands[0].clone(); commits];
        } else if lines != commits {
            return Err(Failure::usage(format!(
                "--commits runs one command in the work trees of all revisions, or one in each: {lines} commands do not \
                 suit {commits} revisions"
            )));
        }
        for (number, tree) in self.trees.iter().enumerate() {
            let name = &tree.revision.name;
            let before = self.trees[..number].iter().filter(|other| other.revision.name == *name).count();
            let name = if before == 0 { name.clone() } else { format!("{name} ({})", before + 1) };
            // A single command for all revisions has a single name, which cannot tell the revisions apart.
            definition.commands[number].name = match &definition.commands[number].name {
                Some(given) if lines > 1 => Some(given.clone()),
                _ => Some(name),
            };
        }
        Ok(self.place(definition)?)
    }

    /// Creates a driver for the commands in their work trees, with the notes for the reader of the report.
    ///
    /// # Errors
    /// Fails as [`commands_in`] does, and if the experiment cannot begin.
    pub fn driver(&self, beginning: Beginning<'_>) -> Result<Driver, Failure> {
        let mut driver = Driver::of(beginning, |definition, machine| self.resolve(definition, machine))?;
        let notes = self.notes(&driver.commands);
        notes.into_iter().for_each(|note| driver.warn(note));
        Ok(driver)
    }

    /// The lines that differ between the first and the second revision; empty without a second revision.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn changes(&self) -> Result<Changes, RevisionError> {
        let [from, to, ..] = &self.trees[..] else { return Ok(Changes::default()) };
        self.workshop.repository.changes(&from.revision, &to.revision)
    }

    /// Resolves the commands of a definition, each in the next work tree; after the last tree the first is used again.
    ///
    /// # Errors
    /// Fails as [`commands_in`] does.
    pub fn resolve(&self, definition: &Definition, machine: &Machine) -> Result<Vec<Command>, Failure> {
        let trees: Vec<&Tree> = self.trees.iter().cycle().take(definition.commands.len()).collect();
        commands_in(&self.workshop.repository, &trees, definition, machine)
    }

    /// Notes for the reader of the report, about the work trees and about commits that a measurement cannot tell apart.
    pub fn notes(&self, commands: &[Command]) -> Vec<String> {
        let trees: Vec<&Tree> = self.trees.iter().collect();
        let of_trees = self.trees.iter().flat_map(|tree| tree.notes.iter().cloned());
        of_trees.chain(alike(&trees, commands)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Too many revisions are refused before git is asked about the first of them, which does not exist here.
    #[test]
    fn more_revisions_than_are_compared_are_refused() {
        let words = vec!["no-such-revision".to_owned(); REVISIONS_MAX + 1];
        let failure = Compared::open(&words, false, None, &|_| {}).map(drop).unwrap_err().to_string();
        assert!(failure.contains("101 revisions") && failure.contains("at most 100"), "{failure}");
    }
}
