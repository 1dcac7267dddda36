//! Limits of control groups, as the command line states them.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Bytes, CpuSet};

/// Limits of a control group: `none`, or several joined by `+`, such as `cpu:50%+memory:64MiB+swap:0+pids:64`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// CPU time per wall time, in per cent of one CPU.
    pub cpu_percent: Option<u32>,
    /// Weight for CPU time in competition with other groups, 1 to 10,000; 100 is the default.
    pub weight: Option<u16>,
    pub cpus: Option<CpuSet>,
    /// NUMA nodes from which the group gets memory.
    pub mems: Option<CpuSet>,
    pub memory: Option<Bytes>,
    /// Limit of memory moved to swap, which is not part of `memory`.
    pub swap: Option<Bytes>,
    pub pids: Option<u32>,
    pub io: Vec<IoLimit>,
}

impl Limit {
    pub fn is_none(&self) -> bool {
        *self == Limit::default()
    }

    /// Fills limits that are not set from `other`.
    pub fn or(self, other: &Limit) -> Limit {
        Limit {
            cpu_percent: self.cpu_percent.or(other.cpu_percent),
            weight: self.weight.or(other.weight),
            cpus: self.cpus.or_else(|| other.cpus.clone()),
            mems: self.mems.or_else(|| other.mems.clone()),
            memory: self.memory.or(other.memory),
            swap: self.swap.or(other.swap),
            pids: self.pids.or(other.pids),
            io: if self.io.is_empty() { other.io.clone() } else { self.io },
        }
    }
}

/// Limit of the traffic with one device, named by its path or its numbers (`254:0`): `/dev/vda:rbps=1MiB:wiops=100`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoLimit {
    /// Path or numbers of the device, as the user wrote them.
    pub device: String,
    /// Limited quantities, each with its limit per second.
    pub rates: Vec<(IoRate, u64)>,
}

/// A quantity of a device's traffic that can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoRate {
    /// Bytes read per second.
    ReadBytes,
    /// Bytes written per second.
    WriteBytes,
    /// Read operations per second.
    Reads,
    /// Write operations per second.
    Writes,
}

impl IoRate {
    pub const ALL: [IoRate; 4] = [IoRate::ReadBytes, IoRate::WriteBytes, IoRate::Reads, IoRate::Writes];

    /// The name of the quantity in the kernel's file `io.max`.
    pub fn word(self) -> &'static str {
        match self {
            IoRate::ReadBytes => "rbps",
            IoRate::WriteBytes => "wbps",
            IoRate::Reads => "riops",
            IoRate::Writes => "wiops",
        }
    }
}

/// The highest weight that the kernel accepts (`CGROUP_WEIGHT_MAX` in `include/linux/cgroup.h`).
const WEIGHT_MAX: u16 = 10_000;

impl fmt::Display for IoLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.device)?;
        self.rates.iter().try_for_each(|(rate, number)| write!(f, ":{}={number}", rate.word()))
    }
}

impl FromStr for IoLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || {
            format!(
                "`{text}` limits no device: DEVICE:rbps=1MiB, with wbps, riops and wiops likewise, DEVICE being a path or its numbers"
            )
        };
        let (device, rates) = match text.find('=').and_then(|at| text[..at].rfind(':')) {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => return Err(fail()),
        };
        let rate = |one: &str| {
            let (word, number) = one.split_once('=')?;
            let rate = IoRate::ALL.into_iter().find(|rate| rate.word() == word)?;
            Some((rate, number.parse::<Bytes>().ok().filter(|number| number.0 > 0)?.0))
        };
        let rates: Option<Vec<(IoRate, u64)>> = rates.split(':').map(rate).collect();
        let rates = rates.filter(|rates| !device.is_empty() && are_different(rates)).ok_or_else(fail)?;
        Ok(IoLimit { device: device.to_owned(), rates })
    }
}

fn are_different(rates: &[(IoRate, u64)]) -> bool {
    let is_first = |at: usize| rates[..at].iter().all(|(rate, _)| *rate != rates[at].0);
    (0..rates.len()).all(is_first)
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            self.cpu_percent.map(|percent| format!("cpu:{percent}%")),
            self.weight.map(|weight| format!("weight:{weight}")),
            self.cpus.as_ref().map(|cpus| format!("cpus:{cpus}")),
            self.mems.as_ref().map(|mems| format!("mems:{mems}")),
            self.memory.map(|Bytes(bytes)| format!("memory:{bytes}")),
            self.swap.map(|Bytes(bytes)| format!("swap:{bytes}")),
            self.pids.map(|pids| format!("pids:{pids}")),
        ];
        let io = self.io.iter().map(|limit| format!("io:{limit}"));
        let words: Vec<String> = words.into_iter().flatten().chain(io).collect();
        f.write_str(if words.is_empty() { "none" } else { "" })?;
        f.write_str(&words.join("+"))
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Limit::default());
        }
        let mut limit = Limit::default();
        text.split('+').try_for_each(|part| limit.add(part)).map_err(|reason| match reason.is_empty() {
            true => format!("`{text}` is not a limit: none, or some of {WORDS}, joined by +"),
            false => format!("`{text}`: {reason}"),
        })?;
        Ok(limit)
    }
}

const WORDS: &str =
    "cpu:50%, weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0, pids:64, io:/dev/sda:wbps=1MiB";

impl Limit {
    /// Parses a limit such as `cpu:50%` and sets it. The error is a reason, or empty if the list in [`WORDS`] is
    /// explanation enough.
    fn add(&mut self, part: &str) -> Result<(), String> {
        let (word, value) = part.split_once(':').ok_or_else(String::new)?;
        let number = || value.parse::<u32>().ok().filter(|&number| number > 0).ok_or_else(String::new);
        match word {
            "cpu" => put(&mut self.cpu_percent, percent(value)?),
            "weight" => put(&mut self.weight, weight(value)?),
            "cpus" => put(&mut self.cpus, list(value)?),
            "mems" => put(&mut self.mems, list(value)?),
            "memory" => put(&mut self.memory, size(value).filter(|size| size.0 > 0).ok_or_else(String::new)?),
            "swap" => put(&mut self.swap, size(value).ok_or_else(String::new)?),
            "pids" => put(&mut self.pids, number()?),
            "io" => {
                self.io.push(value.parse()?);
                Ok(())
            }
            _ => Err(String::new()),
        }
    }
}

/// Sets a value; an error if it was set before.
fn put<T>(place: &mut Option<T>, value: T) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err("the same limit is stated twice".to_owned()),
    }
}

/// Parses a share of one CPU such as `50%`, which may exceed 100 %; returns per cent.
pub fn percent(text: &str) -> Result<u32, String> {
    let percent = text.strip_suffix('%').and_then(|digits| digits.parse().ok());
    percent.filter(|&percent| percent > 0).ok_or_else(|| {
        format!("`{text}` is no share of CPU time: whole per cent of one CPU, such as 50% or 150%")
    })
}

pub fn weight(text: &str) -> Result<u16, String> {
    let weight = text.parse().ok().filter(|weight| (1..=WEIGHT_MAX).contains(weight));
    weight.ok_or_else(|| format!("`{text}` is no weight: 1 to {WEIGHT_MAX}, and 100 is usual"))
}

/// Parses a non-empty list of CPUs or of memory nodes.
pub fn list(text: &str) -> Result<CpuSet, String> {
    let set: CpuSet = text.parse().map_err(|error: fauxplat_units::ParseCpuSetError| error.to_string())?;
    if set.is_empty() { Err(format!("`{text}` is an empty list")) } else { Ok(set) }
}

fn size(text: &str) -> Option<Bytes> {
    text.parse().ok()
}

crate::text::as_text!(Limit);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_what_they_print() {
        for text in [
            "none",
            "cpu:50%",
            "memory:1048576",
            "cpu:150%+memory:4096",
            "cpu:50%+weight:75+cpus:2-3+mems:0+memory:20971520+swap:0+pids:64+io:/dev/sda:rbps=1:wiops=2+io:8:16:wbps=9",
        ] {
            assert_eq!(text.parse::<Limit>().unwrap().to_string(), text);
        }
        assert_eq!("memory:64MiB".parse::<Limit>().unwrap().memory, Some(Bytes(64 << 20)));
        assert_eq!("io:8:16:rbps=1MiB".parse::<Limit>().unwrap().io[0].device, "8:16");
    }

    #[test]
    fn what_is_no_limit_says_what_is_one() {
        for bad in [
            "",
            "cpu",
            "cpu:0%",
            "cpu:50",
            "memory:0",
            "disk:1",
            "weight:0",
            "weight:10001",
            "pids:0",
            "pids:-1",
            "cpus:",
            "cpus:x",
            "mems:1-",
            "swap:-1",
            "io:8:0",
            "io:rbps=1",
            "io:8:0:rbps=0",
            "io:8:0:rbps=1:rbps=2",
            "none+cpu:1%",
            "cpu:1%+",
        ] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
        let said = |text: &str| text.parse::<Limit>().unwrap_err();
        assert!(said("disk:1").contains("memory:64MiB, swap:0, pids:64"));
        assert!(said("cpu:1%+cpu:2%").contains("stated twice"));
        assert!(said("weight:0").contains("1 to 10000"));
    }

    #[test]
    fn what_a_group_states_goes_before_what_holds_for_all() {
        let of = |text: &str| text.parse::<Limit>().unwrap();
        let both = of("cpus:3+weight:75").or(&of("weight:100+memory:4096+io:8:0:rbps=1"));
        assert_eq!(both, of("cpus:3+weight:75+memory:4096+io:8:0:rbps=1"));
    }
}
