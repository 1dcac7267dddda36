//! `/proc/pressure/*` and `*.pressure` of control groups: time that tasks had to wait, see
//! `Documentation/accounting/psi.rst` of the kernel.

use crate::number;

/// A line of a pressure file: the shares of recent time in which tasks waited, and their total waiting time since boot,
/// or since their control group was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// Share of the last ten seconds in which tasks waited, in per cent.
    pub avg10_percent: Option<f64>,
    /// Share of the last minute in which tasks waited, in per cent.
    pub avg60_percent: Option<f64>,
    /// Share of the last five minutes in which tasks waited, in per cent.
    pub avg300_percent: Option<f64>,
    /// Waiting time since boot or since the control group was made, in microseconds.
    pub total_us: Option<u64>,
}

/// Returns the time in which at least one task waited.
pub fn some(text: &str) -> Option<Pressure> {
    line(text, "some")
}

/// Returns the time in which all tasks that were not idle waited; for the CPU only since Linux 5.13.
pub fn full(text: &str) -> Option<Pressure> {
    line(text, "full")
}

fn line(text: &str, kind: &str) -> Option<Pressure> {
    let words = text.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
    let word = |name: &str| {
        words.split_ascii_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let percent =
        |name: &str| word(name)?.parse().ok().filter(|share: &f64| share.is_finite() && *share >= 0.0);
    Some(Pressure {
        avg10_percent: percent("avg10"),
        avg60_percent: percent("avg60"),
        avg300_percent: percent("avg300"),
        total_us: word("total").and_then(number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lines_are_told_apart() {
        let text = "some avg10=3.25 avg60=10.73 avg300=9.38 total=58107410\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        let some = some(text).unwrap();
        assert_eq!(
            (some.avg10_percent, some.avg300_percent, some.total_us),
            (Some(3.25), Some(9.38), Some(58_107_410))
        );
        assert_eq!(full(text).unwrap().total_us, Some(0));
        assert_eq!(
            full("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"),
            None,
            "the CPU before Linux 5.13"
        );
    }

    #[test]
    fn a_figure_that_makes_no_sense_is_absent_and_the_others_stay() {
        let line = some("some avg10=NaN avg60=-1 avg300=inf total=18446744073709551616 new=1\n").unwrap();
        assert_eq!(
            (line.avg10_percent, line.avg60_percent, line.avg300_percent, line.total_us),
            (None, None, None, None)
        );
        assert_eq!(some("some total=7").unwrap().total_us, Some(7));
        assert!(some("").is_none() && some("somebody total=1").is_none());
    }
}
