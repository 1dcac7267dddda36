//! Manual pages and shell completions, from the definition of the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use fauxplat_experiment::Failure;

use crate::args::Cli;

/// Writes a manual page per verb.
pub(crate) fn man(folder: &Path) -> Result<(), Failure> {
    create(folder)?;
    // Dates would make the pages differ from one build to the next.
    clap_mangen::generate_to(Cli::command(), folder)
        .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))
}

/// Writes completions for the common shells.
pub(crate) fn completions(folder: &Path) -> Result<(), Failure> {
    create(folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let written = clap_complete::generate_to(shell, &mut Cli::command(), "fauxplat", folder);
        written.map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    }
    Ok(())
}

fn create(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))
}
