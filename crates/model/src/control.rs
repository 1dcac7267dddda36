//! Named pipes by which a measured program switches its counting on and off.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The named pipes of `--control`, written as in perf-stat(1): `fifo:COMMANDS` or `fifo:COMMANDS,ACKNOWLEDGEMENTS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The pipe into which a program writes `enable`, `disable` and `ping`, one per line.
    pub commands: PathBuf,
    /// The pipe into which fauxplat writes `ack` after each command; `None` sends no acknowledgement.
    pub acknowledgements: Option<PathBuf>,
}

crate::text::as_text!(Control);

impl Control {
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.commands).chain(&self.acknowledgements)
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fifo:{}", self.commands.display())?;
        self.acknowledgements.as_ref().map_or(Ok(()), |path| write!(f, ",{}", path.display()))
    }
}

impl FromStr for Control {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with("fd:") {
            return Err(format!(
                "`{text}`: measured programs do not inherit descriptors of the caller; name pipes: fifo:CTL,ACK"
            ));
        }
        let paths = text.strip_prefix("fifo:").map(|paths| paths.split(',').collect::<Vec<_>>());
        match paths.as_deref() {
            Some(&[commands]) if !commands.is_empty() => {
                Ok(Control { commands: commands.into(), acknowledgements: None })
            }
            Some(&[commands, ack]) if !commands.is_empty() && !ack.is_empty() && commands != ack => {
                Ok(Control { commands: commands.into(), acknowledgements: Some(ack.into()) })
            }
            _ => Err(format!(
                "`{text}` is not a place of control: fifo:CTL or fifo:CTL,ACK, two different paths"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_what_they_print() {
        for text in ["fifo:ctl", "fifo:/tmp/a b,/tmp/ack"] {
            assert_eq!(text.parse::<Control>().unwrap().to_string(), text);
        }
        for bad in ["", "ctl", "fifo:", "fifo:,a", "fifo:a,", "fifo:a,b,c", "fifo:a,a"] {
            assert!(bad.parse::<Control>().unwrap_err().contains("fifo:CTL,ACK"), "{bad}");
        }
        assert!("fd:3".parse::<Control>().unwrap_err().contains("do not inherit"));
    }
}
