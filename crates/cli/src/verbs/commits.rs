//! `compare --commits`: the commands in work trees of revisions.

use fauxplat_experiment::Failure;
use fauxplat_model::Definition;
use fauxplat_options::CompareArgs;
use fauxplat_revisions::Compared;

use crate::output;

/// Makes and builds the work trees that the options ask for; `None` where they ask for none.
pub(super) fn open(args: &CompareArgs) -> Result<Option<Compared>, Failure> {
    let (words, build) = (&args.commits.commits, args.build.build.as_deref());
    let tell = |line: &str| {
        if !args.output.is_quiet() {
            output::complain(line);
        }
    };
    let is_asked = !words.is_empty();
    is_asked.then(|| Compared::open(words, args.commits.merge_base, build, &tell)).transpose()
}

/// Gives the definition a command for each revision, called by it unless the user named it.
pub(super) fn spread(compared: &Compared, definition: &mut Definition) -> Result<(), Failure> {
    let trees = compared.trees();
    let (lines, commits) = (definition.commands.len(), trees.len());
    if lines == 1 {
        definition.commands = vec![definition.commands[0].clone(); commits];
    } else if lines != commits {
        return Err(Failure::usage(format!(
            "--commits runs one command in the work trees of all revisions, or one in each: {lines} commands do not \
             suit {commits} revisions"
        )));
    }
    for (number, tree) in trees.iter().enumerate() {
        let name = &tree.revision.name;
        let before = trees[..number].iter().filter(|other| other.revision.name == *name).count();
        let name = if before == 0 { name.clone() } else { format!("{name} ({})", before + 1) };
        // A single line for all had the name of its first command.
        definition.commands[number].name = match &definition.commands[number].name {
            Some(given) if lines > 1 => Some(given.clone()),
            _ => Some(name),
        };
    }
    Ok(compared.place(definition)?)
}
