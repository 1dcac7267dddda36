//! Resolves names of lines to lines.

use std::path::{Path, PathBuf};

use crate::{
    CharacterDevice, Chip, ChipName, Input, InputWish, Keys, Leds, LineName, Output, OutputWish, Result,
    SimulatedChip, Sysfs,
};

/// All chips of a machine, and a simulated one.
#[derive(Clone, Debug)]
pub struct Chips {
    root: PathBuf,
    /// The simulated chip.
    pub simulated: SimulatedChip,
}

/// Number of lines of the simulated chip.
const SIMULATED_LINES: u32 = 16;

impl Chips {
    /// The chips of the machine whose `/sys` and `/dev` are below this folder.
    pub fn below(root: &Path) -> Self {
        Chips { root: root.to_owned(), simulated: SimulatedChip::new(SIMULATED_LINES) }
    }

    /// See [`Chip::input`].
    ///
    /// # Errors
    /// As there.
    pub fn input(&self, name: &LineName, wish: &InputWish) -> Result<Box<dyn Input>> {
        self.chip(&name.chip).input(&name.line, wish)
    }

    /// See [`Chip::output`].
    ///
    /// # Errors
    /// As there.
    pub fn output(&self, name: &LineName, wish: &OutputWish) -> Result<Box<dyn Output>> {
        self.chip(&name.chip).output(&name.line, wish)
    }

    fn chip(&self, name: &ChipName) -> Box<dyn Chip> {
        // A path given by the user is not put below the root.
        let at = |folder: &str, name: &str| self.root.join(folder).join(name);
        match name {
            ChipName::Device(name) => Box::new(CharacterDevice::new(&at("dev", name), name)),
            ChipName::Sysfs => Box::new(Sysfs::new(&self.root.join("sys/class/gpio"))),
            ChipName::Leds => Box::new(Leds::new(&self.root.join("sys/class/leds"))),
            ChipName::Keys(name) => Box::new(Keys::new(&at("dev/input", name), name)),
            ChipName::Simulated => Box::new(self.simulated.clone()),
        }
    }
}
