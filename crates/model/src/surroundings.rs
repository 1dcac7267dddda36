//! Settings around a run: load beside it, stack limit, huge pages.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::Bytes;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// On the CPU of the command.
    Same,
    /// On another CPU than the command's.
    Other,
    /// On every CPU, one load each.
    All,
}

/// Load that fauxplat runs beside a command: `none`, or `burner@WHERE` with a share of the time such as
/// `burner@other:50%`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// No load by fauxplat.
    #[default]
    None,
    /// Threads that compute without accessing memory.
    Burner {
        beside: Beside,
        /// Share of the time in which the threads compute, in per cent, 1 to 100.
        percent: u8,
    },
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Beside::Same => "same",
            Beside::Other => "other",
            Beside::All => "all",
        })
    }
}

impl fmt::Display for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Background::None => f.write_str("none"),
            Background::Burner { beside, percent: 100 } => write!(f, "burner@{beside}"),
            Background::Burner { beside, percent } => write!(f, "burner@{beside}:{percent}%"),
        }
    }
}

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || {
            format!(
                "`{text}` is not a background load: none, or burner@same, burner@other, burner@all, with a share such as burner@all:50%"
            )
        };
        if text == "none" {
            return Ok(Background::None);
        }
        let rest = text.strip_prefix("burner@").ok_or_else(fail)?;
        let (place, share) = rest.split_once(':').unwrap_or((rest, "100%"));
        let beside = match place {
            "same" => Beside::Same,
            "other" => Beside::Other,
            "all" => Beside::All,
            _ => return Err(fail()),
        };
        let percent = share.strip_suffix('%').and_then(|digits| digits.parse().ok());
        let percent = percent.filter(|percent| (1..=100).contains(percent)).ok_or_else(fail)?;
        Ok(Background::Burner { beside, percent })
    }
}

/// Soft limit of the stack, see `RLIMIT_STACK` in `getrlimit(2)`: `inherit`, a size such as `8MiB`, or `unlimited`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StackLimit {
    #[default]
    Inherit,
    Bytes(Bytes),
    /// No limit. The kernel then lays out mappings from the bottom up.
    Unlimited,
}

impl StackLimit {
    pub fn is_inherited(&self) -> bool {
        *self == StackLimit::Inherit
    }

    /// The value for `setrlimit(2)`, in which all ones mean no limit; `None` leaves the limit unchanged.
    pub fn soft_bytes(self) -> Option<u64> {
        match self {
            StackLimit::Inherit => None,
            StackLimit::Bytes(Bytes(bytes)) => Some(bytes),
            StackLimit::Unlimited => Some(u64::MAX),
        }
    }
}

impl fmt::Display for StackLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StackLimit::Inherit => f.write_str("inherit"),
            StackLimit::Bytes(Bytes(bytes)) => bytes.fmt(f),
            StackLimit::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl FromStr for StackLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // With a smaller limit the kernel refuses argument lists that every program may rely on (the limit has to be
        // four times ARG_MAX).
        const LEAST: u64 = 512 << 10;
        match text {
            "inherit" => Ok(StackLimit::Inherit),
            "unlimited" => Ok(StackLimit::Unlimited),
            _ => match text.parse::<Bytes>() {
                Ok(size) if size.0 >= LEAST => Ok(StackLimit::Bytes(size)),
                _ => Err(format!(
                    "`{text}` is not a limit of the stack: inherit, unlimited, or a size from 512KiB on such as 8MiB"
                )),
            },
        }
    }
}

crate::text::as_text!(Background, StackLimit);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HugePages {
    #[default]
    Inherit,
    /// No transparent huge pages, by `PR_SET_THP_DISABLE`.
    Never,
    /// The C library's allocator requests transparent huge pages, by `glibc.malloc.hugetlb=1`.
    Malloc,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_read_what_they_print() {
        for text in ["none", "burner@same", "burner@other:25%", "burner@all:1%"] {
            assert_eq!(text.parse::<Background>().unwrap().to_string(), text);
        }
        for text in ["inherit", "unlimited", "8388608"] {
            assert_eq!(text.parse::<StackLimit>().unwrap().to_string(), text);
        }
        assert_eq!("8MiB".parse::<StackLimit>().unwrap().soft_bytes(), Some(8 << 20));
        for bad in ["", "none", "511KiB", "-1", "NaN", "8 apples"] {
            assert!(bad.parse::<StackLimit>().is_err(), "{bad}");
        }
        for bad in ["", "burner", "burner@here", "burner@all:0%", "burner@all:101%", "burner@all:50"] {
            assert!(bad.parse::<Background>().is_err(), "{bad}");
        }
    }
}
