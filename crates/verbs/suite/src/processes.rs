//! Counts of the processes of one side, and of those that failed or gave no usable reading.

use serde::{Deserialize, Serialize};

/// Names of the two sides.
pub const SIDES: [&str; 2] = ["A", "B"];

/// Maximum number of different reasons that are kept.
const REASONS_MAX: usize = 3;

/// Processes of which no reading counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Missed {
    pub count: u32,
    /// The first different reasons; empty where there is none beyond the absence of a reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

impl Missed {
    fn add(&mut self, why: &str) {
        self.count += 1;
        let why = why.strip_prefix("its process ").unwrap_or(why);
        if !why.is_empty() && self.why.len() < REASONS_MAX && self.why.iter().all(|known| known != why) {
            self.why.push(why.to_owned());
        }
    }

    /// Share of all processes as text, such as `7 of 20 processes`.
    pub fn share(&self, all: u32) -> String {
        format!("{} of {all} {}", self.count, if all == 1 { "process" } else { "processes" })
    }

    fn share_and_why(&self, all: u32) -> String {
        match self.why.is_empty() {
            true => self.share(all),
            false => format!("{}: {}", self.share(all), self.why.join("; ")),
        }
    }
}

/// Processes of one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Processes {
    /// Number of processes that ran.
    pub count: u32,
    /// Processes that failed.
    #[serde(default)]
    pub failed: Missed,
    /// Processes that succeeded and gave no usable reading.
    #[serde(default)]
    pub without_reading: Missed,
}

impl Processes {
    /// Counts a process; `failed` is the reason why no reading of the process counts.
    pub fn ran(&mut self, failed: Option<&str>) {
        self.count += 1;
        failed.into_iter().for_each(|why| self.failed.add(why));
    }

    /// Counts a process that succeeded and gave no usable reading. The reason is empty where there simply is no
    /// reading.
    pub fn ran_without_reading(&mut self, why: &str) {
        self.ran(None);
        self.without_reading.add(why);
    }

    /// Sentence about the failed processes, without its full stop; `None` where none failed.
    pub fn failure(&self, side: &str) -> Option<String> {
        let share = || self.failed.share_and_why(self.count);
        (self.failed.count > 0).then(|| format!("{side} failed in {}", share()))
    }

    /// Sentence about the processes without a usable reading, without its full stop; `None` where there are none.
    pub fn lack(&self, side: &str) -> Option<String> {
        let share = || self.without_reading.share_and_why(self.count);
        (self.without_reading.count > 0).then(|| format!("{side} gave no usable reading in {}", share()))
    }
}

/// Whether all processes of both sides succeeded and gave readings.
pub fn none_missed(sides: &[Processes; 2]) -> bool {
    sides.iter().all(|side| side.failed.count == 0 && side.without_reading.count == 0)
}

/// Sentences about the processes of both sides of which no reading counts, without their full stops.
pub fn missed(sides: &[Processes; 2]) -> Vec<String> {
    let both = SIDES.into_iter().zip(sides);
    both.flat_map(|(name, side)| [side.failure(name), side.lack(name)]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_says_how_many_processes_are_missing_and_why() {
        let mut sides = [Processes::default(), Processes::default()];
        assert!(none_missed(&sides) && missed(&sides).is_empty());
        sides[0].ran_without_reading("");
        for at in 0..20 {
            sides[1].ran((at < 7).then_some("its process ended with status 7"));
        }
        assert!(!none_missed(&sides));
        assert_eq!(
            missed(&sides),
            [
                "A gave no usable reading in 1 of 1 process",
                "B failed in 7 of 20 processes: ended with status 7"
            ]
        );
    }
}
