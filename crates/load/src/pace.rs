//! Feedback loop: computes how much work the next period needs to reach the share.

/// Length of a period in nanoseconds: short compared with measurements, and long compared with the cost of a timer or a
/// context switch.
pub(crate) const PERIOD_NS: u64 = 10_000_000;

/// Maximum amount of missed work that is made up for, in nanoseconds. Older losses to a competitor are forgiven: a load
/// of a third of the time must not fill a whole second because it got no CPU time for three seconds.
const DEBT_NS_MAX: u64 = 100_000_000;

/// A feedback loop that keeps busy time at a share of wall time.
///
/// The loop uses the sums since the beginning rather than those of the last period, so that no error of one period
/// remains in the result: a lap that is too long, a late timer, a context switch, steal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    share: f64,
    /// Wall and busy time at the beginning; `from_ns` moves when a debt is forgiven.
    from_ns: f64,
    busy_from_ns: u64,
    period_ends_ns: u64,
}

impl Pace {
    /// Begins at the time `now_ns`, when the busy clock reads `busy_ns`.
    pub(crate) fn new(percent: u8, now_ns: u64, busy_ns: u64) -> Self {
        let share = f64::from(percent.min(100)) / 100.0;
        Pace { share, from_ns: now_ns as f64, busy_from_ns: busy_ns, period_ends_ns: now_ns + PERIOD_NS }
    }

    pub(crate) fn period_ends_ns(&self) -> u64 {
        self.period_ends_ns
    }

    /// Returns the busy time that is still needed before the end of this period.
    pub(crate) fn wanted_ns(&mut self, busy_ns: u64) -> u64 {
        let done_ns = busy_ns.saturating_sub(self.busy_from_ns) as f64;
        let due_ns = (self.period_ends_ns as f64 - self.from_ns) * self.share;
        let most_ns = DEBT_NS_MAX as f64 + PERIOD_NS as f64 * self.share;
        if due_ns - done_ns > most_ns {
            self.from_ns += (due_ns - done_ns - most_ns) / self.share;
            return most_ns as u64;
        }
        (due_ns - done_ns).max(0.0) as u64
    }

    /// Advances to the period that contains this moment.
    pub(crate) fn advance(&mut self, now_ns: u64) {
        while self.period_ends_ns <= now_ns {
            self.period_ends_ns += PERIOD_NS;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Simulates a generator whose laps take `lap_ns`, which wakes up `late_ns` late, and which gets the share `given`
    /// of the CPU while it works.
    fn achieved(percent: u8, lap_ns: u64, late_ns: u64, given: f64, periods: u64) -> f64 {
        let (mut now_ns, mut busy_ns) = (5_000_000u64, 1_000_000u64);
        let (began_ns, busy_from_ns) = (now_ns, busy_ns);
        let mut pace = Pace::new(percent, now_ns, busy_ns);
        while now_ns < began_ns + periods * PERIOD_NS {
            let until_ns = busy_ns + pace.wanted_ns(busy_ns);
            while busy_ns < until_ns {
                busy_ns += lap_ns;
                now_ns += (lap_ns as f64 / given) as u64;
            }
            if now_ns < pace.period_ends_ns() {
                now_ns = pace.period_ends_ns() + late_ns;
            }
            pace.advance(now_ns);
        }
        (busy_ns - busy_from_ns) as f64 / (now_ns - began_ns) as f64 * 100.0
    }

    #[test]
    fn the_share_comes_out_whatever_laps_and_timers_do() {
        for percent in [1, 5, 30, 50, 80, 99] {
            for (lap_ns, late_ns) in [(10_000, 0), (300_000, 60_000), (2_000_000, 1_000_000)] {
                let got = achieved(percent, lap_ns, late_ns, 1.0, 500);
                assert!((got - f64::from(percent)).abs() < 1.0, "{percent} % with {lap_ns}: {got}");
            }
        }
    }

    #[test]
    fn a_competitor_is_made_up_for_while_there_is_time() {
        assert!((achieved(30, 50_000, 60_000, 0.5, 500) - 30.0).abs() < 0.5);
        assert!((achieved(80, 50_000, 60_000, 0.5, 500) - 50.0).abs() < 0.5);
    }

    #[test]
    fn an_old_debt_is_forgiven() {
        let mut pace = Pace::new(50, 0, 0);
        pace.advance(10_000_000_000);
        let most_ns = DEBT_NS_MAX + PERIOD_NS / 2;
        assert_eq!(pace.wanted_ns(0), most_ns);
        assert_eq!(pace.wanted_ns(most_ns), 0, "and it stays forgiven");
    }

    #[test]
    fn a_period_that_had_too_much_is_followed_by_one_that_rests() {
        let mut pace = Pace::new(10, 0, 0);
        assert_eq!(pace.wanted_ns(0), PERIOD_NS / 10);
        pace.advance(PERIOD_NS);
        assert_eq!(pace.wanted_ns(PERIOD_NS), 0);
    }

    #[test]
    fn all_of_the_time_is_wanted_whole_and_none_of_it_never() {
        let mut all = Pace::new(100, 0, 0);
        assert_eq!(all.wanted_ns(0), PERIOD_NS);
        assert_eq!(all.wanted_ns(PERIOD_NS), 0, "there is no more of a period than all of it");
        let mut none = Pace::new(0, 0, 0);
        none.advance(1_000 * PERIOD_NS);
        assert_eq!(none.wanted_ns(0), 0);
        assert_eq!(Pace::new(255, 0, 0).wanted_ns(0), PERIOD_NS, "more than all is all");
    }

    #[test]
    fn a_period_begins_where_the_moment_lies() {
        let mut pace = Pace::new(30, 1_000, 0);
        assert_eq!(pace.period_ends_ns(), 1_000 + PERIOD_NS);
        for (now_ns, ends) in
            [(0, 1), (999 + PERIOD_NS, 1), (1_000 + PERIOD_NS, 2), (1_000 + 7 * PERIOD_NS + 5, 8)]
        {
            pace.advance(now_ns);
            assert_eq!(pace.period_ends_ns(), 1_000 + ends * PERIOD_NS, "{now_ns}");
        }
        pace.advance(0);
        assert_eq!(
            pace.period_ends_ns(),
            1_000 + 8 * PERIOD_NS,
            "a clock that goes back begins no earlier one"
        );
    }

    /// A clock of CPU time that is below its initial value (another thread's, after an exec) is no reason to work more.
    #[test]
    fn a_busy_clock_that_goes_back_is_one_that_stands_still() {
        let mut pace = Pace::new(50, 0, 1_000_000);
        assert_eq!(pace.wanted_ns(0), pace.wanted_ns(1_000_000));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn any_share_comes_out(percent in 1u8..100, lap_ns in 1_000u64..500_000, late_ns in 0u64..1_000_000) {
            // Time lost by late timers in a period that is nearly full cannot be made up for.
            let reachable = f64::from(percent).min(100.0 * (1.0 - late_ns as f64 / PERIOD_NS as f64));
            let got = achieved(percent, lap_ns, late_ns, 1.0, 300);
            prop_assert!(got <= f64::from(percent) + 1.5 && got >= reachable - 1.5, "{} of {}", got, percent);
        }

        /// The wanted time never exceeds the permitted debt, however long the load starved.
        #[test]
        fn no_debt_grows_without_end(percent in 1u8..=100, steps in proptest::collection::vec((0u64..60_000_000_000, 0u64..50_000_000), 1..30)) {
            let (mut now_ns, mut busy_ns) = (0, 0);
            let mut pace = Pace::new(percent, now_ns, busy_ns);
            for (passed_ns, worked_ns) in steps {
                now_ns += passed_ns;
                busy_ns += worked_ns.min(passed_ns);
                pace.advance(now_ns);
                prop_assert!(pace.period_ends_ns() > now_ns);
                let wanted_ns = pace.wanted_ns(busy_ns);
                prop_assert!(wanted_ns <= DEBT_NS_MAX + PERIOD_NS, "{wanted_ns}");
                // A second call at the same moment returns the same value.
                prop_assert!(pace.wanted_ns(busy_ns).abs_diff(wanted_ns) <= 1);
                prop_assert!(pace.wanted_ns(busy_ns + wanted_ns) <= 1, "and no more than that");
            }
        }
    }
}
