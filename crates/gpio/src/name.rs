//! Names of lines on a command line.

use std::fmt;
use std::str::FromStr;

/// Name of a line: its chip, and the line within the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineName {
    pub chip: ChipName,
    /// Number or name of the line within the chip; for a key, its code.
    pub line: String,
}

/// Chip or interface of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChipName {
    /// A GPIO character device, by its name below `/dev` or its path.
    Device(String),
    /// The old interface below `/sys/class/gpio`, where lines are numbered across all chips.
    Sysfs,
    /// LEDs, of which each line is named by its folder below `/sys/class/leds` or the folder's path.
    Leds,
    /// Keys of an input device, by its name below `/dev/input` or its path.
    Keys(String),
    /// The chip simulated in this process.
    Simulated,
}

/// The text is not the name of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a line: gpiochip0:17 (by number or name), sysfs:17, led:NAME, key:event3:28 (device, and code of the key) \
     or sim:0"
)]
pub struct ParseLineNameError(String);

impl FromStr for LineName {
    type Err = ParseLineNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || ParseLineNameError(text.to_owned());
        let (kind, rest) = text.split_once(':').ok_or_else(fail)?;
        // Names of devices may contain colons themselves, as those below /dev/input/by-path do.
        let device =
            |whole: &str| whole.rsplit_once(':').map(|(chip, line)| (chip.to_owned(), line.to_owned()));
        let (chip, line) = match kind {
            "sysfs" => (ChipName::Sysfs, rest.to_owned()),
            "led" => (ChipName::Leds, rest.to_owned()),
            "sim" => (ChipName::Simulated, rest.to_owned()),
            "key" => device(rest).map(|(chip, line)| (ChipName::Keys(chip), line)).ok_or_else(fail)?,
            _ if kind.starts_with("gpiochip") || kind.starts_with('/') => {
                device(text).map(|(chip, line)| (ChipName::Device(chip), line)).ok_or_else(fail)?
            }
            _ => return Err(fail()),
        };
        let is_number = line.parse::<u32>().is_ok();
        let needs_number = matches!(chip, ChipName::Sysfs | ChipName::Simulated | ChipName::Keys(_));
        let is_named = !matches!(&chip, ChipName::Device(name) | ChipName::Keys(name) if name.is_empty());
        let is_whole = !line.is_empty() && !line.contains('\0') && is_named && (is_number || !needs_number);
        is_whole.then_some(LineName { chip, line }).ok_or_else(fail)
    }
}

impl fmt::Display for LineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = &self.line;
        match &self.chip {
            ChipName::Device(chip) => write!(f, "{chip}:{line}"),
            ChipName::Sysfs => write!(f, "sysfs:{line}"),
            ChipName::Leds => write!(f, "led:{line}"),
            ChipName::Keys(device) => write!(f, "key:{device}:{line}"),
            ChipName::Simulated => write!(f, "sim:{line}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_line_has_a_name() {
        let named = |text: &str| text.parse::<LineName>().unwrap();
        assert_eq!(named("gpiochip0:17").chip, ChipName::Device("gpiochip0".into()));
        assert_eq!(named("/dev/gpiochip1:STATUS").line, "STATUS");
        assert_eq!(named("led:green:status").line, "green:status");
        assert_eq!(
            named("key:/dev/input/by-path/a:b-event:28").chip,
            ChipName::Keys("/dev/input/by-path/a:b-event".into())
        );
        assert_eq!((named("sim:3").chip, named("sysfs:17").chip), (ChipName::Simulated, ChipName::Sysfs));
        for wrong in [
            "",
            "17",
            "led:",
            "sim:",
            "sim:x",
            "sysfs:-1",
            "key:28",
            "key::28",
            "lamp:1",
            "gpiochip0",
            "gpiochip0:",
        ] {
            let said = wrong.parse::<LineName>().unwrap_err().to_string();
            assert!(said.contains(wrong) && said.contains("gpiochip0:17"), "{said}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_told_is_told_again(text in "(gpiochip[0-9]|/[a-z:]{1,9}|led|sim|sysfs|key:[a-z/:]{1,9}|.{0,4}):.{0,9}") {
            if let Ok(name) = text.parse::<LineName>() {
                prop_assert_eq!(name.to_string().parse::<LineName>(), Ok(name));
            }
        }
    }
}
