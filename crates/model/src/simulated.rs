//! Simulated machines: the caches whose misses a processor simulator counts.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::Bytes;

/// A cache, as `SIZE,WAYS,LINE` in bytes: `32768,8,64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheShape {
    pub bytes: u64,
    /// Associativity: number of ways.
    pub ways: u32,
    pub line_bytes: u32,
}

impl CacheShape {
    const fn new(kibibytes: u64, ways: u32) -> Self {
        CacheShape { bytes: kibibytes << 10, ways, line_bytes: 64 }
    }

    /// Checks that the simulator supports the cache: the number of sets is a power of two, and so is the line size,
    /// which is at least 16 bytes (Cachegrind's manual, "Simulation Options").
    ///
    /// # Errors
    /// Returns a sentence without the name of the cache.
    pub fn check(self) -> Result<(), String> {
        let CacheShape { bytes, ways, line_bytes } = self;
        let set_bytes = u64::from(ways) * u64::from(line_bytes);
        if !line_bytes.is_power_of_two() || line_bytes < LINE_BYTES_MIN {
            return Err(format!(
                "lines of {line_bytes} bytes cannot be: give a power of two from {LINE_BYTES_MIN}"
            ));
        }
        match set_bytes {
            0 => Err("a cache has one way at least".to_owned()),
            _ if bytes == 0 || !bytes.is_multiple_of(set_bytes) => Err(format!(
                "{bytes} bytes are no whole number of sets of {ways} lines of {line_bytes} bytes"
            )),
            _ if !(bytes / set_bytes).is_power_of_two() => Err(format!(
                "{} sets are no power of two, and no other number can be simulated",
                bytes / set_bytes
            )),
            _ if bytes > BYTES_MAX => Err(format!("more than {} is not simulated", Bytes(BYTES_MAX))),
            _ => Ok(()),
        }
    }

    /// The size and associativity as text for reports, such as `32.0 KiB 8-way`.
    fn told(self) -> String {
        format!("{} {}-way", Bytes(self.bytes), self.ways)
    }
}

const LINE_BYTES_MIN: u32 = 16;
/// Largest size of a cache in bytes, since the simulator counts in 32 bits.
const BYTES_MAX: u64 = 1 << 31;

impl fmt::Display for CacheShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.bytes, self.ways, self.line_bytes)
    }
}

impl FromStr for CacheShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || format!("`{text}` is no cache: SIZE,WAYS,LINE in bytes, such as 32768,8,64");
        let mut parts = text.split(',').map(|part| part.trim().parse::<u64>().map_err(|_| fail()));
        let mut next = || parts.next().unwrap_or_else(|| Err(fail()));
        let (bytes, ways, line_bytes) = (next()?, next()?, next()?);
        let shape = CacheShape {
            bytes,
            ways: ways.try_into().map_err(|_| fail())?,
            line_bytes: line_bytes.try_into().map_err(|_| fail())?,
        };
        if parts.next().is_some() {
            return Err(fail());
        }
        shape.check().map_err(|why| format!("`{text}`: {why}"))?;
        Ok(shape)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedCaches {
    /// First-level instruction cache.
    pub i1: CacheShape,
    /// First-level data cache.
    pub d1: CacheShape,
    /// Last-level cache.
    pub ll: CacheShape,
}

impl SimulatedCaches {
    /// The caches as text for reports, which show it beside each count.
    pub fn told(&self) -> String {
        let [i1, d1, ll] = [self.i1, self.d1, self.ll].map(CacheShape::told);
        format!("I1 {i1}, D1 {d1}, LL {ll}")
    }
}

/// The simulated machine, written as `classic`, `small`, `here`, or by its caches:
/// `I1=SIZE,WAYS,LINE+D1=SIZE,WAYS,LINE+LL=SIZE,WAYS,LINE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimulatedMachine {
    /// First-level caches of 32 KiB and a last-level cache of 8 MiB: the usual choice for counting by simulation, so
    /// that counts of different users are comparable.
    #[default]
    Classic,
    /// First-level caches of 32 KiB and a last-level cache of 1 MiB, which reveals too large a working set sooner.
    Small,
    /// The caches of the machine on which fauxplat runs, which are read when an experiment begins; [`Self::Caches`]
    /// then replaces this variant.
    Here,
    /// Caches that were stated or read from the machine.
    Caches(SimulatedCaches),
}

impl SimulatedMachine {
    /// The caches; `None` for [`Self::Here`].
    pub fn caches(&self) -> Option<SimulatedCaches> {
        let (i1, d1) = (CacheShape::new(32, 8), CacheShape::new(32, 8));
        match self {
            SimulatedMachine::Classic => Some(SimulatedCaches { i1, d1, ll: CacheShape::new(8 << 10, 16) }),
            SimulatedMachine::Small => Some(SimulatedCaches { i1, d1, ll: CacheShape::new(1 << 10, 16) }),
            SimulatedMachine::Here => None,
            SimulatedMachine::Caches(caches) => Some(*caches),
        }
    }
}

impl fmt::Display for SimulatedMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulatedMachine::Classic => f.write_str("classic"),
            SimulatedMachine::Small => f.write_str("small"),
            SimulatedMachine::Here => f.write_str("here"),
            SimulatedMachine::Caches(SimulatedCaches { i1, d1, ll }) => {
                write!(f, "I1={i1}+D1={d1}+LL={ll}")
            }
        }
    }
}

impl FromStr for SimulatedMachine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "classic" => return Ok(SimulatedMachine::Classic),
            "small" => return Ok(SimulatedMachine::Small),
            "here" => return Ok(SimulatedMachine::Here),
            _ => {}
        }
        let mut shapes = [None; 3];
        for part in text.split('+') {
            let named = part.split_once('=').and_then(|(name, shape)| {
                let place = ["I1", "D1", "LL"].iter().position(|known| name.eq_ignore_ascii_case(known))?;
                Some((place, shape))
            });
            let (place, shape) = named.ok_or_else(|| {
                format!(
                    "`{text}` is no machine to simulate: classic, small, here, or I1=SIZE,WAYS,LINE+D1=…+LL=…"
                )
            })?;
            shapes[place] = Some(shape.parse::<CacheShape>()?);
        }
        let [Some(i1), Some(d1), Some(ll)] = shapes else {
            return Err(format!("`{text}` lacks one of I1, D1 and LL"));
        };
        Ok(SimulatedMachine::Caches(SimulatedCaches { i1, d1, ll }))
    }
}

crate::text::as_text!(SimulatedMachine);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_read_what_they_print() {
        for text in ["classic", "small", "here", "I1=32768,8,64+D1=49152,12,64+LL=1048576,16,64"] {
            assert_eq!(text.parse::<SimulatedMachine>().unwrap().to_string(), text);
        }
        let caches = SimulatedMachine::default().caches().unwrap();
        assert_eq!(caches.told(), "I1 32.0 KiB 8-way, D1 32.0 KiB 8-way, LL 8.0 MiB 16-way");
        assert_eq!(SimulatedMachine::Here.caches(), None);
    }

    #[test]
    fn caches_that_cannot_be_simulated_are_refused() {
        let caches = [
            ("3145728,16,64", "3072 sets are no power of two"),
            ("32768,8,60", "power of two"),
            ("32768,0,64", "one way"),
            ("100,8,64", "no whole number of sets"),
            ("0,8,64", "no whole number of sets"),
            ("32768,8", "is no cache"),
            ("32768,8,64,1", "is no cache"),
            ("4294967296,16,64", "is not simulated"),
            ("18446744073709551615,4294967295,64", "no whole number"),
        ];
        for (text, why) in caches {
            let error = text.parse::<CacheShape>().unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        for text in ["", "big", "I1=32768,8,64", "L2=32768,8,64+D1=32768,8,64+LL=32768,8,64"] {
            assert!(text.parse::<SimulatedMachine>().is_err(), "{text}");
        }
    }
}
