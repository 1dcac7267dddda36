//! Options for the end of an experiment.

use clap::Args;

use fauxplat_experiment::Ending;

// Options for the end of an experiment.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Results")]
pub struct EndArgs {
    /// A sound of the terminal when it is over
    #[arg(long)]
    pub beep: bool,
    /// Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT,
    /// FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing
    #[arg(long, value_name = "CMD")]
    pub notify: Option<String>,
    /// How the experiment ended, as far as it is over.
    #[arg(skip)]
    pub ending: Ending,
}
