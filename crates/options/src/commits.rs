//! Options for revisions of a repository.

use clap::Args;

// Options for revisions of the repository around the working directory.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Commits")]
pub struct CommitsArgs {
    /// Compare revisions of the git repository around this folder, each in a work tree of its own: BASE and one or more
    /// others, each against BASE; WORKTREE is the local changes. One command stands for all; --build CMD is run in the same
    /// folder of each work tree, and what it made is kept for the next call
    #[arg(long, value_name = "BASE,HEAD", value_delimiter = ',')]
    pub commits: Vec<String>,
    /// The first of --commits is its merge base with the second, as for a pull request
    #[arg(long, requires = "commits")]
    pub merge_base: bool,
}

// The option for building work trees.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Commits")]
pub struct TreeBuildArgs {
    /// Shell command that builds a work tree, in the same folder as this one; what it made is kept for the next call
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,
}
