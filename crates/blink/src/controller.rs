//! Decides when a light changes, and which button events are presses. The module reads neither a clock nor a file:
//! times are arguments.

use fauxplat_gpio::LineEvent;

use crate::{Period, Press};

/// When a press takes effect on the light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// At once: the present part of the period, in which the light is on or off, gets its new length, counted from the
    /// beginning of the part.
    Now,
    /// From the next period on.
    AfterPeriod,
}

/// Rules by which an event of a button's line is a press, and by which a press changes the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    pub change: Change,
    /// Time in nanoseconds for which a line must not have changed before an edge counts as a press.
    pub debounce_ns: u64,
    /// Whether the first event of a line may be a press. On some lines the first event only results from opening the
    /// line.
    pub first_counts: bool,
}

/// Whether an event of a button's line is a press, and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A press. Both periods, in nanoseconds, are equal if a limit prevents a change.
    Pressed {
        /// Period before the press.
        from_ns: u64,
        /// Period after the press; the rules decide whether it holds at once or from the next period on.
        to_ns: u64,
    },
    NoPress(Why),
}

/// Why an event of a button's line is no press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The first event of a line, which results from opening the line.
    First,
    Release,
    /// The line changed shortly before: contacts bounce, when they close and when they open.
    Bounce,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub due_ns: u64,
    /// Whether the light goes on.
    pub is_on: bool,
    /// Number of later edges that are due already and are left out: two for each whole period by which the loop is
    /// late, so that the light keeps its rhythm.
    pub missed: u64,
}

/// State of a button's line: the time of its last event, in nanoseconds of the monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    last_ns: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct Controller {
    rules: Rules,
    period: Period,
    /// Length of the present period. With `AfterPeriod`, a press changes the length only when the next period begins.
    running_ns: u64,
    is_on: bool,
    /// Time at which the present part of the period, in which the light is on or off, began.
    since_ns: u64,
    due_ns: u64,
    tracks: [Track; 3],
}

impl Controller {
    /// Creates the state of a light that is off and goes on at `start_ns`.
    pub fn new(period: Period, rules: Rules, start_ns: u64) -> Self {
        Controller {
            rules,
            period,
            running_ns: period.ns(),
            is_on: false,
            since_ns: start_ns,
            due_ns: start_ns,
            tracks: [Track::default(); 3],
        }
    }

    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Period in nanoseconds, including presses that take effect with the next period.
    pub fn period_ns(&self) -> u64 {
        self.period.ns()
    }

    /// Performs the edge that is due; `None` if no edge is due.
    pub fn edge(&mut self, now_ns: u64) -> Option<Edge> {
        if now_ns < self.due_ns {
            return None;
        }
        let due_ns = self.due_ns;
        self.is_on = !self.is_on;
        if self.is_on {
            self.running_ns = self.period.ns();
        }
        self.since_ns = due_ns;
        self.due_ns = due_ns.saturating_add(self.part_ns());
        let mut missed = 0;
        if self.due_ns <= now_ns {
            let periods = (now_ns - self.due_ns) / self.running_ns + 1;
            let skipped_ns = periods.saturating_mul(self.running_ns);
            self.since_ns = self.since_ns.saturating_add(skipped_ns);
            self.due_ns = self.due_ns.saturating_add(skipped_ns);
            missed = periods.saturating_mul(2);
        }
        Some(Edge { due_ns, is_on: self.is_on, missed })
    }

    /// Decides whether an event of a button's line is a press, and applies a press to the period.
    pub fn event(&mut self, press: Press, event: &LineEvent) -> Said {
        let track = &mut self.tracks[press as usize];
        let last_ns = track.last_ns.replace(event.at_ns);
        let quiet_ns = last_ns.map(|last_ns| event.at_ns.saturating_sub(last_ns));
        match quiet_ns {
            None if !self.rules.first_counts => Said::NoPress(Why::First),
            _ if !event.is_active => Said::NoPress(Why::Release),
            Some(quiet_ns) if quiet_ns < self.rules.debounce_ns => Said::NoPress(Why::Bounce),
            _ => self.press(press, event.at_ns),
        }
    }

    /// Applies a press. If by the new period the present part (light on or light off) would be over already, the part
    /// ends at the press, since the light cannot be switched in the past.
    fn press(&mut self, press: Press, at_ns: u64) -> Said {
        let from_ns = self.period.ns();
        self.period = self.period.after(press);
        if self.rules.change == Change::Now {
            self.running_ns = self.period.ns();
            self.due_ns = self.since_ns.saturating_add(self.part_ns()).max(at_ns.min(self.due_ns));
        }
        Said::Pressed { from_ns, to_ns: self.period.ns() }
    }

    /// Length of the present part of the period, in which the light is on or off. The two parts add up to the period,
    /// even if the period is odd.
    fn part_ns(&self) -> u64 {
        let on_ns = self.running_ns / 2;
        if self.is_on { on_ns } else { self.running_ns - on_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use fauxplat_gpio::Stamp;
    use proptest::prelude::*;

    const RULES: Rules = Rules { change: Change::Now, debounce_ns: 10, first_counts: false };

    fn light(period_ns: u64, rules: Rules) -> Controller {
        let period = Period::new(period_ns, Limits::new(2, u64::MAX).unwrap()).unwrap();
        Controller::new(period, rules, 1000)
    }

    fn event(at_ns: u64, is_active: bool) -> LineEvent {
        LineEvent { at_ns, stamp: Stamp::Source, is_active }
    }

    #[test]
    fn a_light_keeps_its_rhythm_however_late_somebody_looks() {
        let mut it = light(101, RULES);
        assert_eq!(it.edge(999), None);
        let edges =
            |it: &mut Controller, at_ns| it.edge(at_ns).map(|edge| (edge.due_ns, edge.is_on, edge.missed));
        assert_eq!(edges(&mut it, 1000), Some((1000, true, 0)));
        assert_eq!(edges(&mut it, 1049), None);
        assert_eq!(edges(&mut it, 1070), Some((1050, false, 0)));
        assert_eq!(edges(&mut it, 1101), Some((1101, true, 0)), "parts of 50 and 51 make a period");
        // Three whole periods late: one edge is made, and six are left out.
        assert_eq!(edges(&mut it, 1151 + 2 * 101 + 60), Some((1151, false, 6)));
        assert_eq!(it.due_ns(), 1202 + 3 * 101);
    }

    #[test]
    fn the_first_event_of_each_line_is_no_press() {
        let mut it = light(100, RULES);
        for press in Press::ALL {
            assert_eq!(it.event(press, &event(2000, true)), Said::NoPress(Why::First), "{press:?}");
        }
        assert_eq!(it.period_ns(), 100);
        assert_eq!(it.event(Press::Halve, &event(2500, true)), Said::Pressed { from_ns: 100, to_ns: 50 });
        let mut counts = light(100, Rules { first_counts: true, ..RULES });
        assert_eq!(counts.event(Press::Double, &event(5, true)), Said::Pressed { from_ns: 100, to_ns: 200 });
    }

    #[test]
    fn contacts_bounce_when_they_close_and_when_they_open() {
        let mut it = light(100, RULES);
        let mut said = |at_ns, is_active| it.event(Press::Double, &event(at_ns, is_active));
        said(1, false);
        assert!(matches!(said(100, true), Said::Pressed { .. }));
        assert_eq!(said(103, false), Said::NoPress(Why::Release));
        assert_eq!(said(105, true), Said::NoPress(Why::Bounce));
        assert_eq!(said(300, false), Said::NoPress(Why::Release));
        assert_eq!(said(304, true), Said::NoPress(Why::Bounce), "it opens, and touches once more");
        assert_eq!(said(309, false), Said::NoPress(Why::Release));
        assert!(matches!(said(319, true), Said::Pressed { .. }), "quiet for as long as it has to be");
        let mut never = light(100, Rules { debounce_ns: 0, first_counts: true, ..RULES });
        assert!((0..4).all(|_| matches!(never.event(Press::Reset, &event(7, true)), Said::Pressed { .. })));
        // An event with an earlier time than the last one must not make the call fail.
        assert!(matches!(said(20, true), Said::NoPress(Why::Bounce)));
    }

    #[test]
    fn a_change_takes_effect_now_or_after_the_period() {
        let rules = |change| Rules { change, debounce_ns: 0, first_counts: true };
        let mut now = light(100, rules(Change::Now));
        now.edge(1000);
        now.event(Press::Double, &event(1010, true));
        assert_eq!(now.due_ns(), 1100, "the part that has begun is longer");
        now.event(Press::Halve, &event(1020, true));
        now.event(Press::Halve, &event(1030, true));
        assert_eq!(now.due_ns(), 1030, "and over at the press where it has been long enough");
        assert_eq!(now.edge(1034).unwrap().due_ns, 1030, "so that it is late by what came after that");

        let mut after = light(100, rules(Change::AfterPeriod));
        after.edge(1000);
        after.event(Press::Double, &event(1010, true));
        assert_eq!((after.due_ns(), after.period_ns()), (1050, 200));
        after.edge(1050);
        assert_eq!(after.due_ns(), 1100, "the period that has begun is as long as it was");
        after.edge(1100);
        assert_eq!(after.due_ns(), 1200, "and the next is new");
    }

    proptest! {
        // 100,000 events: 200 lights with 500 events each.
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_that_is_pressed_stops_the_light_or_makes_it_burn_through(
            period_ns in any::<u64>(), digits in 0u32..64, now in any::<bool>(), debounce_ns in 0u64..1000,
            steps in proptest::collection::vec((0usize..3, any::<bool>(), 0u64..1 << 62), 500),
        ) {
            let change = if now { Change::Now } else { Change::AfterPeriod };
            let mut it = light((period_ns >> digits).max(2), Rules { change, debounce_ns, first_counts: false });
            let (mut now_ns, mut seen, mut is_on) = (1000_u64, [false; 3], false);
            for (which, is_active, passed_ns) in steps {
                // Mostly short steps, and some very long ones.
                now_ns = now_ns.saturating_add(if passed_ns % 7 == 0 { passed_ns } else { passed_ns % 5000 });
                let said = it.event(Press::ALL[which], &event(now_ns, is_active));
                if !std::mem::replace(&mut seen[which], true) {
                    prop_assert_eq!(said, Said::NoPress(Why::First));
                }
                prop_assert!(it.period_ns() >= 2);
                if let Some(edge) = it.edge(now_ns) {
                    prop_assert_eq!(edge.is_on, !is_on);
                    is_on = edge.is_on;
                    prop_assert!(edge.due_ns <= now_ns && (it.due_ns() > now_ns || it.due_ns() == u64::MAX));
                }
            }
        }
    }
}
