//! The period of a light, and how three buttons change it.

use crate::BlinkError;

/// A press of one of the three buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// Halves the period: faster.
    Halve,
    /// Returns to the initial period.
    Reset,
    /// Doubles the period: slower.
    Double,
}

impl Press {
    pub const ALL: [Press; 3] = [Press::Halve, Press::Reset, Press::Double];

    pub fn name(self) -> &'static str {
        match self {
            Press::Halve => "halve",
            Press::Reset => "reset",
            Press::Double => "double",
        }
    }
}

/// The shortest and the longest period to which presses can lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    shortest_ns: u64,
    longest_ns: u64,
}

/// Least value of a lower limit: each of the two parts of a period, light on and light off, has to last 1 ns.
const SHORTEST_NS: u64 = 2;

impl Limits {
    /// Creates limits, in nanoseconds.
    ///
    /// # Errors
    /// Fails if the lower limit is below 2 ns or above the upper limit.
    pub fn new(shortest_ns: u64, longest_ns: u64) -> Result<Self, BlinkError> {
        match (SHORTEST_NS..=longest_ns).contains(&shortest_ns) {
            true => Ok(Limits { shortest_ns, longest_ns }),
            false => Err(BlinkError::Limits { shortest_ns, longest_ns }),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    ns: u64,
    first_ns: u64,
    limits: Limits,
}

impl Period {
    /// Creates an initial period, to which *reset* returns.
    ///
    /// # Errors
    /// Fails if the period is outside its limits.
    pub fn new(ns: u64, limits: Limits) -> Result<Self, BlinkError> {
        let Limits { shortest_ns, longest_ns } = limits;
        match (shortest_ns..=longest_ns).contains(&ns) {
            true => Ok(Period { ns, first_ns: ns, limits }),
            false => Err(BlinkError::Period { period_ns: ns, shortest_ns, longest_ns }),
        }
    }

    pub fn ns(self) -> u64 {
        self.ns
    }

    #[must_use]
    pub fn after(self, press: Press) -> Self {
        let ns = match press {
            Press::Halve => (self.ns / 2).max(self.limits.shortest_ns),
            Press::Reset => self.first_ns,
            Press::Double => self.ns.saturating_mul(2).min(self.limits.longest_ns),
        };
        Period { ns, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn period(ns: u64, shortest_ns: u64, longest_ns: u64) -> Period {
        Period::new(ns, Limits::new(shortest_ns, longest_ns).unwrap()).unwrap()
    }

    #[test]
    fn three_buttons() {
        let start = period(500, 2, u64::MAX);
        let pressed = |presses: &[Press]| presses.iter().fold(start, |it, &press| it.after(press)).ns();
        assert_eq!(pressed(&[Press::Halve]), 250);
        assert_eq!(pressed(&[Press::Double, Press::Double]), 2000);
        assert_eq!(pressed(&[Press::Halve, Press::Halve, Press::Halve, Press::Reset]), 500);
        assert_eq!(pressed(&[Press::Halve, Press::Double]), 500);
    }

    #[test]
    fn the_limits_hold_at_both_ends() {
        let pressed = |mut it: Period, press, times| {
            (0..times).for_each(|_| it = it.after(press));
            it.ns()
        };
        assert_eq!(pressed(period(500, 2, 9000), Press::Halve, 200), 2);
        assert_eq!(pressed(period(500, 3, 9000), Press::Halve, 200), 3);
        assert_eq!(pressed(period(500, 2, 9000), Press::Double, 200), 9000);
        assert_eq!(pressed(period(500, 2, u64::MAX), Press::Double, 200), u64::MAX);
        // If a limit cut a change short, the opposite button leads to another period than before.
        assert_eq!(period(5, 3, 9000).after(Press::Halve).after(Press::Double).ns(), 6);
    }

    #[test]
    fn limits_that_no_period_keeps_are_refused() {
        for (shortest_ns, longest_ns) in [(0, 9), (1, 9), (9, 8), (2, 0)] {
            let said = Limits::new(shortest_ns, longest_ns).unwrap_err().to_string();
            assert!(said.contains(&shortest_ns.to_string()), "{said}");
        }
        let limits = Limits::new(10, 20).unwrap();
        for ns in [0, 9, 21, u64::MAX] {
            assert!(Period::new(ns, limits).unwrap_err().to_string().contains("10 to 20"), "{ns}");
        }
        assert!(Period::new(10, limits).is_ok() && Period::new(20, limits).is_ok());
    }

    proptest! {
        // 100,000 presses: 200 periods with 500 presses each.
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_presses_lead_out_of_the_limits(
            ends in (any::<u64>(), any::<u64>()), digits in (0u32..64, 0u32..64), at in any::<u64>(),
            presses in proptest::collection::vec(0usize..3, 500),
        ) {
            // Limits of every order of magnitude, since uniform draws would have only large ones.
            let ends = ((ends.0 >> digits.0).max(2), (ends.1 >> digits.1).max(2));
            let (shortest_ns, longest_ns) = (ends.0.min(ends.1), ends.0.max(ends.1));
            let start = at.clamp(shortest_ns, longest_ns);
            let mut it = period(start, shortest_ns, longest_ns);
            for press in presses.into_iter().map(|at| Press::ALL[at]) {
                let before = it.ns();
                it = it.after(press);
                prop_assert!((shortest_ns..=longest_ns).contains(&it.ns()) && it.ns() >= 2);
                match press {
                    Press::Halve => prop_assert!(it.ns() <= before),
                    Press::Double => prop_assert!(it.ns() >= before),
                    Press::Reset => prop_assert_eq!(it.ns(), start),
                }
            }
        }
    }
}
