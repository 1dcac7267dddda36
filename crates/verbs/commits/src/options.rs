//! Options of `bisect`.

use clap::Args;
use fauxplat_options::{CommandArgs, ConditionArgs, EndArgs, Measured, Output, RuleArgs};

/// Examples for the help.
pub(crate) const EXAMPLES: &str = "\
  fauxplat bisect --good v1.2 --build 'make -j4' './program input'
  fauxplat bisect --good v1.2 --bad main --first-parent --build 'cargo build --release' 'target/release/p input'
  fauxplat bisect --good v1.2 --metric peak-memory --margin 5% --build make ./program
  git bisect run fauxplat compare --commits v1.2,HEAD --build make --fail-if slower --undecided-code 125 ./program";

#[derive(Debug, Args)]
pub(crate) struct BisectArgs {
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// Revision before the change: an ancestor of the other end
    #[arg(long, value_name = "REV", help_heading = "Commits")]
    pub(crate) good: String,
    /// Revision after the change, or WORKTREE, the local changes
    #[arg(long, value_name = "REV", default_value = "HEAD", help_heading = "Commits")]
    pub(crate) bad: String,
    /// Shell command that builds a work tree, in the same folder as this one; what it made is kept for the next call
    #[arg(long, value_name = "CMD", help_heading = "Commits")]
    pub(crate) build: Option<String>,
    /// Follow only the first parent of merges: a merge is one commit with all that it brought
    #[arg(long, help_heading = "Commits")]
    pub(crate) first_parent: bool,
    /// Begin anew, rather than go on where an interrupted search of the same ends and command stopped
    #[arg(long, help_heading = "Commits")]
    pub(crate) anew: bool,
    /// Exit code where no single commit is shown to have made the change [default: 0]
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) undecided_code: Option<u8>,
    #[command(flatten)]
    pub(crate) rule: RuleArgs,
    #[command(flatten)]
    pub(crate) condition: ConditionArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) output: Output<Measured>,
}
