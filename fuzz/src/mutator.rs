//! A mutator without feedback. An input depends on its number, the seed, the corpus and the words alone, so that a
//! campaign can be resumed at any number, and an input that crashed a process can be made again.

use crate::Target;

/// Limit of an input's length in bytes: longer inputs only take longer.
const BYTES_MAX: usize = 64 << 10;

/// Bytes that have a meaning in some format.
const ALPHABET: &[u8] = b"\"'{}[]()<>:;,=+-*/%@#&|!~_.$\\0123456789abcdefinrtux \t\n\r\0\x1b\x7f\x80\xc3\xff";

/// Numbers at the limits of arithmetic.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "127",
    "255",
    "256",
    "4096",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e309",
    "-0.0",
    "nan",
    "inf",
    "0x10",
    "1_000",
];

/// Makes inputs of one target.
#[derive(Debug)]
pub struct Mutator {
    corpus: Vec<Vec<u8>>,
    words: &'static [&'static str],
    seed: u64,
}

/// Random numbers of one input.
struct Random(u64);

impl Random {
    /// SplitMix64, see Steele et al. 2014.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn one_of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> Option<&'a T> {
        list.get(self.below(list.len())).copied()
    }
}

impl Mutator {
    /// A mutator with the corpus of the target.
    ///
    /// # Errors
    /// The corpus cannot be read.
    pub fn new(target: &Target, seed: u64) -> std::io::Result<Self> {
        Ok(Mutator { corpus: target.corpus()?, words: target.words, seed })
    }

    /// Number of committed inputs, which have the first numbers and are not mutated.
    pub fn committed(&self) -> u64 {
        self.corpus.len() as u64
    }

    /// The input of this number.
    pub fn input(&self, number: u64) -> Vec<u8> {
        if let Some(whole) = self.corpus.get(usize::try_from(number).unwrap_or(usize::MAX)) {
            return whole.clone();
        }
        let mut random = Random(self.seed ^ number.wrapping_mul(0xA24B_AED4_963E_E407));
        let mut bytes = self.beginning(&mut random);
        for _ in 0..=random.below(6) {
            self.change(&mut bytes, &mut random);
        }
        bytes.truncate(BYTES_MAX);
        bytes
    }

    /// Most inputs begin as one of the corpus, some as words, a few as random bytes.
    fn beginning(&self, random: &mut Random) -> Vec<u8> {
        match random.below(16) {
            0 => (0..random.below(200)).map(|_| random.next() as u8).collect(),
            1 | 2 => {
                let words = (0..random.below(12)).filter_map(|_| random.one_of(self.words));
                words.collect::<Vec<_>>().concat().into_bytes()
            }
            _ => self.corpus.get(random.below(self.corpus.len())).cloned().unwrap_or_default(),
        }
    }

    fn change(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(40)).min(bytes.len());
        match random.below(10) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, ALPHABET[random.below(ALPHABET.len())]),
            2 => bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte = ALPHABET[random.below(ALPHABET.len())]),
            3 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            4 => drop(bytes.drain(at..to)),
            5 => {
                let part = bytes[at..to].repeat(1 + random.below(4));
                bytes.splice(at..at, part);
            }
            6 => {
                let other = self.corpus.get(random.below(self.corpus.len())).map_or(&[][..], Vec::as_slice);
                let from = random.below(other.len() + 1);
                let until = (from + random.below(200)).min(other.len());
                bytes.splice(at..to, other[from..until].iter().copied());
            }
            7 => {
                let word = random.one_of(self.words).unwrap_or_default();
                bytes.splice(at..at, word.bytes());
            }
            8 => number_at(bytes, at, random),
            // A short piece is repeated very often, to reach limits of depth and length.
            _ => {
                let times = 1 << random.below(13);
                let part = bytes[at..to.min(at + 4)].repeat(times);
                bytes.splice(at..at, part);
            }
        }
    }
}

/// Replaces the next number in the input by another one, or inserts one at `at`.
fn number_at(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let from = bytes[at..].iter().position(is_digit).map_or(at, |offset| at + offset);
    let digits = bytes[from..].iter().take_while(|byte| is_digit(byte)).count();
    let number = random.one_of(NUMBERS).unwrap_or_default();
    bytes.splice(from..from + digits, number.bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_alone_decides() {
        let target = Target::find("model-words").unwrap();
        let (a, b) = (Mutator::new(target, 7).unwrap(), Mutator::new(target, 7).unwrap());
        let other = Mutator::new(target, 8).unwrap();
        let numbers = || 0..500;
        assert!(numbers().rev().all(|number| a.input(number) == b.input(number)));
        assert!(numbers().any(|number| a.input(number) != other.input(number)));
        let distinct: std::collections::HashSet<_> = numbers().map(|number| a.input(number)).collect();
        assert!(distinct.len() > 400, "{}", distinct.len());
    }
}
