//! Places of a device's terms in the fields `config`, `config1` and `config2`, from the device's directory `format`.

/// The bits of one term: the field, and ranges of bits in it; the first range holds the lowest bits of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Index of the field: 0 is `config`, 1 `config1`, 2 `config2`.
    pub field: usize,
    /// First and last bit of each range.
    pub ranges: Vec<(u32, u32)>,
}

impl Format {
    /// Parses a line such as `config:0-7,32-35`; `None` for a field other than these three.
    pub fn parse(text: &str) -> Option<Format> {
        let (field, ranges) = text.trim().split_once(':')?;
        let field = ["config", "config1", "config2"].iter().position(|known| *known == field)?;
        let ranges = ranges.split(',').map(range).collect::<Option<Vec<_>>>()?;
        Some(Format { field, ranges })
    }

    pub fn bits(&self) -> u32 {
        self.ranges.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Stores a value in the bits of this term, replacing the previous value; returns false if the value has more bits
    /// than the term.
    pub fn set(&self, config: &mut [u64; 3], value: u64) -> bool {
        let word = &mut config[self.field];
        let mut rest = value;
        for &(first, last) in &self.ranges {
            let mask = u64::MAX >> (63 - (last - first));
            *word = *word & !(mask << first) | (rest & mask) << first;
            rest = rest.checked_shr(last - first + 1).unwrap_or(0);
        }
        rest == 0
    }
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last < 64).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_laid_over_its_ranges() {
        let format = Format::parse("config:0-7,32-35\n").unwrap();
        assert_eq!((format.field, format.bits()), (0, 12));
        let mut config = [0xffff_ffff_ffff_ff00, 0, 0];
        assert!(format.set(&mut config, 0x5c0));
        assert_eq!(config[0], 0xffff_fff5_ffff_ffc0);
        assert!(!format.set(&mut config, 0x1000));
    }

    #[test]
    fn whole_words_and_single_bits_are_formats_too() {
        let mut config = [0; 3];
        assert!(Format::parse("config1:0-63").unwrap().set(&mut config, u64::MAX));
        assert!(Format::parse("config2:18").unwrap().set(&mut config, 1));
        assert_eq!(config, [0, u64::MAX, 1 << 18]);
    }

    #[test]
    fn nonsense_is_none() {
        for text in
            ["", "config", "config:", "config:7-0", "config:64", "config3:0-7", "config:a-b", "config:-1"]
        {
            assert_eq!(Format::parse(text), None, "{text}");
        }
    }
}
