//! Counts of a light's events, and the JSON document that holds them.

use std::collections::BTreeMap;

use fauxplat_blink::{Ending, Happening, Press, Style, Why};
use fauxplat_sys::clock;
use serde::Serialize;

const SCHEMA: &str = "fauxplat.blink/1";
/// Greatest number of presses that are listed one by one, since a light may blink for years.
const PRESSES_MAX: usize = 1000;

#[derive(Debug, Serialize)]
pub(crate) struct Account {
    schema: &'static str,
    /// How the program waited between edges: `event` or `busy`.
    style: &'static str,
    first_period_ns: u64,
    period_ns: u64,
    edges: u64,
    missed: u64,
    latest_ns: u64,
    mean_late_ns: f64,
    presses: Vec<Pressed>,
    pressed: u64,
    no_press: NoPress,
    lost_events: u64,
    ended_by: String,
    wall_ns: u64,
    cpu_ns: u64,
    #[serde(skip)]
    begun_ns: u64,
    /// Number of lost events of each line so far, by the line's name.
    #[serde(skip)]
    lost_of: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
struct Pressed {
    at_ns: u64,
    button: &'static str,
    from_ns: u64,
    to_ns: u64,
}

#[derive(Debug, Default, Serialize)]
struct NoPress {
    first: u64,
    release: u64,
    bounce: u64,
}

impl Account {
    pub(crate) fn new(style: Style, period_ns: u64, begun_ns: u64) -> Self {
        Account {
            schema: SCHEMA,
            style: if style == Style::Busy { "busy" } else { "event" },
            first_period_ns: period_ns,
            period_ns,
            edges: 0,
            missed: 0,
            latest_ns: 0,
            mean_late_ns: 0.0,
            presses: Vec::new(),
            pressed: 0,
            no_press: NoPress::default(),
            lost_events: 0,
            ended_by: String::new(),
            wall_ns: 0,
            cpu_ns: 0,
            begun_ns,
            lost_of: BTreeMap::new(),
        }
    }

    pub(crate) fn note(&mut self, happened: &Happening<'_>) {
        match *happened {
            Happening::Edge { due_ns, at_ns, missed, .. } => self.edge(at_ns.saturating_sub(due_ns), missed),
            Happening::Press { press, at_ns, from_ns, to_ns } => self.press(press, at_ns, from_ns, to_ns),
            Happening::NoPress { why: Why::First, .. } => self.no_press.first += 1,
            Happening::NoPress { why: Why::Release, .. } => self.no_press.release += 1,
            Happening::NoPress { why: Why::Bounce, .. } => self.no_press.bounce += 1,
            Happening::Lost { line, events } => self.lost(line, events),
        }
    }

    /// Records that a line has lost this many events so far. Totals of a line may arrive in any order, and the largest
    /// counts.
    fn lost(&mut self, line: &str, events: u64) {
        let of_line = self.lost_of.entry(line.to_owned()).or_default();
        *of_line = events.max(*of_line);
        self.lost_events = self.lost_of.values().fold(0, |all, lost| all.saturating_add(*lost));
    }

    fn edge(&mut self, late_ns: u64, missed: u64) {
        self.edges += 1;
        self.missed = self.missed.saturating_add(missed);
        self.latest_ns = self.latest_ns.max(late_ns);
        self.mean_late_ns += (late_ns as f64 - self.mean_late_ns) / self.edges as f64;
    }

    fn press(&mut self, press: Press, at_ns: u64, from_ns: u64, to_ns: u64) {
        self.pressed += 1;
        self.period_ns = to_ns;
        if self.presses.len() < PRESSES_MAX {
            let at_ns = at_ns.saturating_sub(self.begun_ns);
            self.presses.push(Pressed { at_ns, button: press.name(), from_ns, to_ns });
        }
    }

    /// The account as a JSON document, completed with the reason for the end and with the wall time and CPU time until
    /// now.
    pub(crate) fn ended(mut self, ending: Ending) -> String {
        self.ended_by = match ending {
            Ending::Signal(signal) => format!("signal {signal}"),
            Ending::TimeIsUp => "max-time".to_owned(),
            Ending::Asked => "request".to_owned(),
        };
        self.wall_ns = clock::monotonic_ns().saturating_sub(self.begun_ns);
        self.cpu_ns = clock::process_cpu_ns();
        // Serialising text and numbers cannot fail.
        serde_json::to_string_pretty(&self).unwrap_or_default()
    }

    /// A summary of edges and presses in words, for the log.
    pub(crate) fn sentence(&self) -> String {
        let missed = if self.missed > 0 { format!(" ({} left out)", self.missed) } else { String::new() };
        let edges = if self.edges == 1 { "edge" } else { "edges" };
        let presses = if self.pressed == 1 { "press" } else { "presses" };
        format!("{} {edges}{missed}, {} {presses}", self.edges, self.pressed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_happens_is_counted() {
        let mut account = Account::new(Style::Busy, 500, 100);
        let edge =
            |late_ns: u64| Happening::Edge { due_ns: 1000, at_ns: 1000 + late_ns, is_on: true, missed: 2 };
        assert_eq!(account.sentence(), "0 edges, 0 presses");
        account.note(&edge(30));
        account.note(&Happening::Press { press: Press::Halve, at_ns: 150, from_ns: 500, to_ns: 250 });
        assert_eq!(account.sentence(), "1 edge (2 left out), 1 press");
        account.note(&edge(10));
        for why in [Why::First, Why::Release, Why::Bounce, Why::Bounce] {
            account.note(&Happening::NoPress { press: Press::Halve, at_ns: 1, why });
        }
        for _ in 0..PRESSES_MAX + 4 {
            account.note(&Happening::Press { press: Press::Halve, at_ns: 150, from_ns: 500, to_ns: 250 });
        }
        for (line, events) in [("sim:1", 2), ("sim:2", 4), ("sim:1", 3)] {
            account.note(&Happening::Lost { line, events });
        }
        assert_eq!(account.sentence(), "2 edges (4 left out), 1005 presses");
        let said: serde_json::Value = serde_json::from_str(&account.ended(Ending::Signal(15))).unwrap();
        assert_eq!((&said["edges"], &said["missed"], &said["latest_ns"]), (&2.into(), &4.into(), &30.into()));
        assert_eq!((said["mean_late_ns"].as_f64(), said["period_ns"].as_u64()), (Some(20.0), Some(250)));
        assert_eq!(said["no_press"], serde_json::json!({ "first": 1, "release": 1, "bounce": 2 }));
        assert_eq!(
            (said["presses"].as_array().unwrap().len(), &said["presses"][0]["at_ns"]),
            (PRESSES_MAX, &50.into())
        );
        assert_eq!((&said["ended_by"], &said["lost_events"]), (&"signal 15".into(), &7.into()));
    }
}
