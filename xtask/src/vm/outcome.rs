//! Outcome of a test in a virtual machine, and counts of outcomes.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::error::ChoreError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The statement of the test holds.
    Passed,
    /// The statement of the test does not hold, or the test did not end in time.
    Failed,
    /// The machine cannot show whether the statement of the test holds.
    Skipped,
}

impl Outcome {
    /// Outcome of a test that exited with this code; 77 means *skipped*, as for tests of automake.
    pub(super) fn of_code(code: i32) -> Self {
        match code {
            0 => Outcome::Passed,
            77 => Outcome::Skipped,
            _ => Outcome::Failed,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "FAILED",
            Outcome::Skipped => "skipped",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    pub(super) fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }

    pub(super) fn skip(&mut self, tests: usize) {
        self.skipped += tests;
    }

    /// An error if some test failed, or if none passed.
    pub(super) fn verdict(self) -> Result<(), ChoreError> {
        match (self.failed, self.passed) {
            (0, 0) => Err(ChoreError::Skipped(
                "no test could run in a virtual machine here; the reasons stand above",
            )),
            (0, _) => Ok(()),
            _ => Err(ChoreError::Bench(format!("vm: {} failed; what they said stands above", self.failed))),
        }
    }
}

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        *self = *self + other;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Tally {
        tallies.fold(Tally::default(), Add::add)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vm: {} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_outweighs_what_passed_and_nothing_at_all_is_no_success() {
        let mut tally = Tally::default();
        tally.skip(2);
        assert_eq!(tally.verdict().unwrap_err().exit_code(), 77);
        tally.count(Outcome::of_code(0));
        assert!(tally.verdict().is_ok());
        tally.count(Outcome::of_code(124));
        tally.count(Outcome::of_code(77));
        assert_eq!(tally.verdict().unwrap_err().exit_code(), 1);
        assert_eq!(tally.to_string(), "vm: 1 passed, 1 failed, 3 skipped");
    }
}
