//! `compare --commits`: the commands in work trees of revisions.

use std::path::Path;

use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{Command, Definition};
use fauxplat_options::CompareArgs;
use fauxplat_revisions::{Revision, Tree, Workshop, alike, commands_in};

use crate::output;

/// Built work trees of the compared revisions, which stay as long as this lives.
pub(super) struct Commits {
    workshop: Workshop,
    trees: Vec<Tree>,
}

impl Commits {
    /// Makes and builds the work trees that the options ask for; `None` where they ask for none.
    pub(super) fn open(args: &CompareArgs) -> Result<Option<Self>, Failure> {
        let words = &args.commits.commits;
        if words.is_empty() {
            return Ok(None);
        }
        if words.len() < 2 {
            return Err(Failure::usage(
                "--commits needs two revisions, BASE,HEAD: WORKTREE is the local changes",
            ));
        }
        let mut workshop = Workshop::around(Path::new("."), args.build.build.as_deref())?;
        let revisions = words.iter().map(|word| workshop.revision(word));
        let mut revisions: Vec<Revision> = revisions.collect::<Result<_, _>>()?;
        if args.commits.merge_base {
            revisions[0] = workshop.repository.merge_base(&revisions[0], &revisions[1])?;
        }
        let tell = |line: &str| {
            if !args.output.is_quiet() {
                output::complain(line);
            }
        };
        let built = revisions.iter().map(|revision| workshop.tree(revision, &tell));
        let trees = built.collect::<Result<_, _>>()?;
        Ok(Some(Commits { workshop, trees }))
    }

    /// Gives the definition a command for each revision, called by it unless the user named it.
    pub(super) fn spread(&self, definition: &mut Definition) -> Result<(), Failure> {
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
            // A single line for all had the name of its first command.
            definition.commands[number].name = match &definition.commands[number].name {
                Some(given) if lines > 1 => Some(given.clone()),
                _ => Some(name),
            };
        }
        Ok(())
    }

    /// The commands, each in its work tree.
    pub(super) fn resolve(
        &self,
        definition: &Definition,
        machine: &Machine,
    ) -> Result<Vec<Command>, Failure> {
        commands_in(&self.workshop.repository, &self.all(), definition, machine)
    }

    /// Sentences for the reader of the report.
    pub(super) fn notes(&self, commands: &[Command]) -> Vec<String> {
        let of_trees = self.trees.iter().flat_map(|tree| tree.notes.iter().cloned());
        of_trees.chain(alike(&self.all(), commands)).collect()
    }

    fn all(&self) -> Vec<&Tree> {
        self.trees.iter().collect()
    }
}
