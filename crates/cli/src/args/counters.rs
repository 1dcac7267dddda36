//! `counters`.

use clap::Args;

use super::OutputArgs;
use super::help::after;

const EXAMPLES: &str = "\
  fauxplat counters
  fauxplat counters --format json
  fauxplat run -e page-faults,context-switches 'sort big.txt'";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub(crate) struct CountersArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
