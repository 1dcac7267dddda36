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
    #[arg(conflicts_with_all = ["baseline", "with", "plan", "build_a", "link", "link_seeds", "parameters", "scan"])]
    pub commits: Vec<String>,
    /// The first of --commits is its merge base with the second, as for a pull request
    #[arg(long, requires = "commits")]
    pub merge_base: bool,
}
