//! Opens lines by their names.

use std::path::{Path, PathBuf};

use crate::{
    CharacterDevice, Chip, ChipName, Input, InputWish, Keys, Leds, LineName, Output, OutputWish, Result,
    SimulatedChip, Sysfs,
};

/// All chips of a machine, and a simulated one.
#[derive(Clone, Debug)]
pub struct Chips {
    root: PathBuf,
    pub simulated: SimulatedChip,
}

const SIMULATED_LINES: u32 = 16;

impl Chips {
    /// The chips of the machine whose `/sys` and `/dev` are below this folder.
    pub fn below(root: &Path) -> Self {
        Chips { root: root.to_owned(), simulated: SimulatedChip::new(SIMULATED_LINES) }
    }

    /// Opens a line with [`Chip::input`].
    ///
    /// # Errors
    /// Fails as [`Chip::input`] does.
    pub fn input(&self, name: &LineName, wish: &InputWish) -> Result<Box<dyn Input>> {
        self.chip(&name.chip).input(&name.line, wish)
    }

    /// Opens a line with [`Chip::output`].
    ///
    /// # Errors
    /// Fails as [`Chip::output`] does.
    pub fn output(&self, name: &LineName, wish: &OutputWish) -> Result<Box<dyn Output>> {
        self.chip(&name.chip).output(&name.line, wish)
    }

    fn chip(&self, name: &ChipName) -> Box<dyn Chip> {
        // An absolute path given by the user replaces the root and the folder.
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
