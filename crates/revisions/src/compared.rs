//! Revisions that are compared: their built work trees, and commands in them.

use std::path::Path;

use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{Command, Definition};

use crate::{Revision, RevisionError, Tree, Workshop, alike, commands_in, placed_in};

/// Built work trees of the compared revisions, which stay as long as this lives.
#[derive(Debug)]
pub struct Compared {
    workshop: Workshop,
    trees: Vec<Tree>,
}

impl Compared {
    /// Makes and builds the work trees of two or more revisions of the repository around the working directory. With
    /// `from_merge_base` the first is its merge base with the second. `tell` hears of a build before it begins.
    ///
    /// # Errors
    /// Fewer than two revisions, one that does not exist, or one that cannot be built.
    pub fn open(
        words: &[String],
        from_merge_base: bool,
        build: Option<&str>,
        tell: &dyn Fn(&str),
    ) -> Result<Self, Failure> {
        if words.len() < 2 {
            return Err(Failure::usage(
                "--commits needs two revisions, BASE,HEAD: WORKTREE is the local changes",
            ));
        }
        let mut workshop = Workshop::around(Path::new("."), build)?;
        let revisions = words.iter().map(|word| workshop.revision(word));
        let mut revisions: Vec<Revision> = revisions.collect::<Result<_, RevisionError>>()?;
        if from_merge_base {
            revisions[0] = workshop.repository.merge_base(&revisions[0], &revisions[1])?;
        }
        let built = revisions.iter().map(|revision| workshop.tree(revision, tell));
        let trees = built.collect::<Result<_, RevisionError>>()?;
        Ok(Compared { workshop, trees })
    }

    /// The work trees, in the order of their words.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Gives each command of a definition the folder of its work tree, the trees in turns.
    ///
    /// # Errors
    /// As [`placed_in`].
    pub fn place(&self, definition: &mut Definition) -> Result<(), RevisionError> {
        let trees: Vec<&Tree> = self.trees.iter().collect();
        placed_in(&self.workshop.repository, &trees, definition)
    }

    /// The commands of a definition, in the work trees in turns.
    ///
    /// # Errors
    /// As [`commands_in`].
    pub fn resolve(&self, definition: &Definition, machine: &Machine) -> Result<Vec<Command>, Failure> {
        let trees: Vec<&Tree> = self.trees.iter().cycle().take(definition.commands.len()).collect();
        commands_in(&self.workshop.repository, &trees, definition, machine)
    }

    /// Sentences for the reader of the report.
    pub fn notes(&self, commands: &[Command]) -> Vec<String> {
        let trees: Vec<&Tree> = self.trees.iter().collect();
        let of_trees = self.trees.iter().flat_map(|tree| tree.notes.iter().cloned());
        of_trees.chain(alike(&trees, commands)).collect()
    }
}
