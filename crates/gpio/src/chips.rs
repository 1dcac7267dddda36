//! From the name of a line to the line.

use std::path::{Path, PathBuf};

use crate::{
    CharacterDevice, Chip, ChipName, Input, InputWish, Keys, Leds, LineName, Output, OutputWish, Result,
    SimulatedChip, Sysfs,
};

/// All chips of a machine, and one that is simulated.
#[derive(Clone, Debug)]
pub struct Chips {
    root: PathBuf,
    /// The one that is simulated.
    pub simulated: SimulatedChip,
}

/// Lines of the simulated chip.
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
        // A path of the user's own stays what it is.
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
