//! How programs are built, where fauxplat builds them.

use clap::Args;
use fauxplat_model::Way;

// Programs that fauxplat builds itself, so that it can vary their layout.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Build")]
pub(crate) struct BuildArgs {
    /// Shell command that builds the program which {program} names in the measured command. Places: {out}, where it
    /// goes; {link_flags}, before the sources; {compile_flags}; {seed}. The same stands in the environment as
    /// FAUXPLAT_OUT, FAUXPLAT_LINK_FLAGS, FAUXPLAT_COMPILE_FLAGS and FAUXPLAT_SEED
    #[arg(long, value_name = "CMD")]
    pub(crate) build: Option<String>,
    /// Object files, linked in an order of its own for each layout
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "link")]
    pub(crate) objects: Vec<String>,
    /// Shell command that links the objects: 'cc {objects} -o {out}'
    #[arg(long, value_name = "CMD", requires = "objects", conflicts_with = "build")]
    pub(crate) link: Option<String>,
    /// Ways in which layouts differ: object-order, padding, section-order, section-padding, alignment [default: all that
    /// the tools of this machine have]
    #[arg(long, value_name = "WAY", value_delimiter = ',', value_parser = way)]
    pub(crate) vary: Vec<Way>,
    /// How a built program is checked: a shell command with {program} that ends with status 0, or `none` [default: exit
    /// status and output must be those of the program without any variation]
    #[arg(long, value_name = "CMD|none")]
    pub(crate) check: Option<String>,
}

impl BuildArgs {
    /// Whether something is to be built.
    pub(crate) fn is_given(&self) -> bool {
        self.build.is_some() || self.link.is_some()
    }
}

fn way(name: &str) -> Result<Way, String> {
    Way::from_name(name).ok_or_else(|| {
        let names = Way::ALL.map(Way::name);
        format!("there is no way `{name}`; there are {}", names.join(", "))
    })
}

/// Which layouts of one build are compared with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkSeeds {
    /// These.
    These(Vec<u64>),
    /// The fastest and the slowest of so many.
    WidestOf(u64),
}

impl std::str::FromStr for LinkSeeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || {
            format!(
                "`{text}` is neither two or more different link seeds such as 3,17 nor widest:N with N from 2 on"
            )
        };
        if let Some(count) = text.strip_prefix("widest:") {
            return count
                .parse()
                .ok()
                .filter(|count| (2..=1000).contains(count))
                .map(LinkSeeds::WidestOf)
                .ok_or_else(fail);
        }
        let seeds: Vec<u64> =
            text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| fail())?;
        let distinct = (1..seeds.len()).all(|at| !seeds[..at].contains(&seeds[at]));
        if seeds.len() < 2 || !distinct { Err(fail()) } else { Ok(LinkSeeds::These(seeds)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_seeds_are_several_or_a_search() {
        assert_eq!("3,17".parse(), Ok(LinkSeeds::These(vec![3, 17])));
        assert_eq!("widest:8".parse(), Ok(LinkSeeds::WidestOf(8)));
        for bad in ["3", "3,3", "", "widest:1", "widest:x", "a,b", "-1,2"] {
            assert!(bad.parse::<LinkSeeds>().is_err(), "{bad}");
        }
    }
}
