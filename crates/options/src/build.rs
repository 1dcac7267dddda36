//! Options for programs that fauxplat builds.

use clap::Args;
use fauxplat_model::Way;

// Options for programs that fauxplat builds itself, so that it can vary their layout.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Build")]
pub struct BuildArgs {
    /// Shell command that builds the program which {program} names in the measured command. Placeholders: {out}, where
    /// the program goes; {link_flags}, before the sources; {compile_flags}; {seed}. The same stands in the environment
    /// as FAUXPLAT_OUT, FAUXPLAT_LINK_FLAGS, FAUXPLAT_COMPILE_FLAGS and FAUXPLAT_SEED
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,
    /// Object files, linked in an order of its own for each layout
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "link")]
    pub objects: Vec<String>,
    /// Shell command that links the objects: 'cc {objects} -o {out}'
    #[arg(long, value_name = "CMD", requires = "objects", conflicts_with = "build")]
    pub link: Option<String>,
    /// Ways in which layouts differ: object-order, padding, section-order, section-padding, alignment [default: all
    /// that the tools of this machine support]
    #[arg(long, value_name = "WAY", value_delimiter = ',', value_parser = way)]
    pub vary: Vec<Way>,
    /// How a built program is checked: a shell command with {program} that ends with status 0, or `none` [default: exit
    /// status and output must be those of the program without any variation]
    #[arg(long, value_name = "CMD|none")]
    pub check: Option<String>,
}

impl BuildArgs {
    pub fn is_given(&self) -> bool {
        self.build.is_some() || self.link.is_some()
    }
}

fn way(name: &str) -> Result<Way, String> {
    Way::from_name(name).ok_or_else(|| {
        let names = Way::ALL.map(Way::name);
        format!("there is no way to vary `{name}`; there are {}", names.join(", "))
    })
}
