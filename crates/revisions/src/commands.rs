//! Commands in work trees.

use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, Machine, resolve};
use fauxplat_model::{COMMIT, Command, Definition};

use crate::{Repository, RevisionError, Tree};

/// Resolves the commands of a definition, each in the work tree with the same index. A working directory that lies
/// inside the repository becomes the same folder of the work tree; any other working directory stays.
///
/// # Errors
/// Fails as [`resolve`] does, and if a command names a file of the user's own work tree.
pub fn commands_in(
    repository: &Repository,
    trees: &[&Tree],
    definition: &Definition,
    machine: &Machine,
) -> Result<Vec<Command>, Failure> {
    let each = trees.iter().enumerate().map(|(number, tree)| {
        let mut own = definition.clone();
        own.condition.cwd = Some(tree.working_directory(repository, definition.condition.cwd.as_deref())?);
        own.commands = definition.commands.get(number).cloned().into_iter().collect();
        let found = resolve(&own, machine, &[]).map_err(|failure| failure.within(&tree.revision.name))?;
        let mut command = found.into_iter().next().ok_or_else(|| Failure::usage("there is no command"))?;
        is_of_the_tree(repository, tree, &command)?;
        command.parameters.push((COMMIT.to_owned(), tree.revision.commit.clone()));
        Ok(command)
    });
    each.collect()
}

/// Refuses a command that names a program in the user's own work tree by its path, since that program is the same for
/// every commit.
fn is_of_the_tree(repository: &Repository, tree: &Tree, command: &Command) -> Result<(), Failure> {
    let Some(top) = &repository.top else { return Ok(()) };
    let is_path =
        command.command.trim_start().split(char::is_whitespace).next().is_some_and(|word| word.contains('/'));
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (program, own) = (real(&command.program), real(&tree.top));
    match is_path && program.starts_with(real(top)) && !program.starts_with(own) {
        true => Err(RevisionError::NotOfTheTree { command: command.command.clone(), program }.into()),
        false => Ok(()),
    }
}

/// Gives each command of a definition a working directory in a work tree, so that the command's setup runs there too.
/// The first command gets the first tree, and so on; after the last tree the first is used again.
///
/// # Errors
/// Fails if a tree lacks the folder that the user named.
pub fn placed_in(
    repository: &Repository,
    trees: &[&Tree],
    definition: &mut Definition,
) -> Result<(), RevisionError> {
    let asked = definition.condition.cwd.as_deref();
    let folders = trees.iter().map(|tree| tree.working_directory(repository, asked));
    let folders: Vec<PathBuf> = folders.collect::<Result<_, _>>()?;
    let in_turns = folders.into_iter().cycle();
    definition.commands.iter_mut().zip(in_turns).for_each(|(line, folder)| line.cwd = Some(folder));
    Ok(())
}

impl Tree {
    /// Folder in which a command of this tree runs: the folder that corresponds to the one in which fauxplat was
    /// called, unless the user named another working directory.
    fn working_directory(
        &self,
        repository: &Repository,
        asked: Option<&Path>,
    ) -> Result<PathBuf, RevisionError> {
        let Some(asked) = asked else { return Ok(self.folder.clone()) };
        let Some(relative) = repository.relative(asked).filter(|_| repository.top.is_some()) else {
            return Ok(asked.to_owned());
        };
        let folder = self.top.join(&relative);
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(RevisionError::NoFolder {
                commit: self.revision.name.clone(),
                folder: relative.display().to_string(),
            }),
        }
    }

    pub fn has(&self, command: &Command) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        real(&command.program).starts_with(real(&self.top))
    }
}

/// Notes about commits that a measurement cannot tell from the first commit, since all their files are equal, or their
/// programs have the same hash.
pub fn alike(trees: &[&Tree], commands: &[Command]) -> Vec<String> {
    let Some((first, rest)) = trees.split_first() else { return Vec::new() };
    let sentence = |(tree, command): (&&Tree, &Command)| {
        let (a, b) = (&first.revision, &tree.revision);
        let hash = command.program_sha256.as_deref().filter(|_| first.has(&commands[0]) && tree.has(command));
        match hash {
            _ if a.tree == b.tree => {
                Some(format!("{} and {} hold the same files: whatever differs is noise", a.name, b.name))
            }
            Some(hash) if commands[0].program_sha256.as_deref() == Some(hash) => Some(format!(
                "{} and {} run the same program (SHA-256 {}…): only other files can make a difference",
                a.name,
                b.name,
                &hash[..hash.len().min(12)]
            )),
            _ => None,
        }
    };
    rest.iter().zip(commands.iter().skip(1)).filter_map(sentence).collect()
}
