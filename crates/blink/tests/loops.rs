//! The loop with lines of the simulated chip, in both styles, and every kind of end.

use std::ops::ControlFlow;

use fauxplat_blink::{
    BlinkError, Blinker, Button, Change, Controller, Ending, Happening, How, Limits, Period, Press, Rules,
    Style, Why,
};
use fauxplat_gpio::{Chips, InputWish, Leave, OutputWish};
use fauxplat_sys::poll::SignalFile;
use fauxplat_sys::{clock, wake};

const STYLES: [Style; 2] = [Style::Event, Style::Busy];

/// A simulated chip: a light at line 0, and buttons at lines 1, 2 and 3.
struct Bench {
    chips: Chips,
    style: Style,
}

impl Bench {
    fn new(style: Style) -> Self {
        Bench { chips: Chips::below("/".as_ref()), style }
    }

    fn blinker(&self, period_ns: u64, first_counts: bool, leave: Leave) -> Blinker {
        let light = self.chips.output(&"sim:0".parse().unwrap(), &OutputWish::default()).unwrap();
        let button = |(press, name): (Press, &str)| Button {
            press,
            line: self.chips.input(&name.parse().unwrap(), &InputWish::default()).unwrap(),
        };
        let buttons = Press::ALL.into_iter().zip(["sim:1", "sim:2", "sim:3"]).map(button).collect();
        let period = Period::new(period_ns, Limits::new(2, 1 << 60).unwrap()).unwrap();
        let rules = Rules { change: Change::Now, debounce_ns: 0, first_counts };
        Blinker::new(light, buttons, Controller::new(period, rules, clock::monotonic_ns()), leave)
    }

    fn how(&self) -> How<'static> {
        How { style: self.style, until_ns: None, signals: None, stop: || false }
    }

    fn click(&self, line: u32) {
        self.chips.simulated.drive(line, true).unwrap();
        self.chips.simulated.drive(line, false).unwrap();
    }
}

#[test]
fn a_light_blinks_until_its_time_is_up_and_is_left_as_stated() {
    for (style, leave) in
        STYLES.into_iter().flat_map(|style| [(style, Leave::Inactive), (style, Leave::Active)])
    {
        // On a slow machine the first time limit may be over before the first edge, so longer limits follow.
        assert!([20, 2_000, 50_000].into_iter().any(|ms| edges_within(ms, style, leave) > 0));
    }
}

/// Number of edges of a light that changes every millisecond, counted within `ms` milliseconds, of which it cannot be
/// more than the time allows.
fn edges_within(ms: u64, style: Style, leave: Leave) -> usize {
    let bench = Bench::new(style);
    let mut seen = bench.chips.simulated.watch(0).unwrap();
    let mut blinker = bench.blinker(2_000_000, false, leave);
    let until_ns = Some(clock::monotonic_ns() + ms * 1_000_000);
    let (mut edges, mut is_on) = (0, false);
    let ending = blinker.run(&How { until_ns, ..bench.how() }, &mut |happened| {
        if let Happening::Edge { due_ns, at_ns, is_on: now, .. } = happened {
            assert!(at_ns >= due_ns && now != is_on, "it goes on and off in turns, and never early");
            (edges, is_on) = (edges + 1, now);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(ending.unwrap(), Ending::TimeIsUp);
    assert!(edges as u64 <= ms + 1, "{edges} edges in {ms} ms");
    blinker.end().unwrap();
    assert_eq!(bench.chips.simulated.is_high(0), leave == Leave::Active);
    let mut events = Vec::new();
    seen.take(&mut events).unwrap();
    assert!(events.len() >= edges, "{} of {edges} were seen from outside", events.len());
    edges
}

/// The listener presses buttons when an edge is reported, so that the test does not depend on time.
#[test]
fn presses_change_the_period_and_the_first_event_of_each_line_does_not() {
    for style in STYLES {
        let bench = Bench::new(style);
        let mut blinker = bench.blinker(1_000_000, false, Leave::Inactive);
        let (mut edges, mut presses, mut firsts) = (0, Vec::new(), 0);
        let ending = blinker.run(&bench.how(), &mut |happened| {
            match happened {
                Happening::Edge { .. } => {
                    edges += 1;
                    if edges <= 3 {
                        // The first event of each line counts as no press, since it may result from opening the line.
                        (1..=3).for_each(|line| bench.click(line));
                    }
                }
                Happening::Press { press, from_ns, to_ns, .. } => presses.push((press, from_ns, to_ns)),
                Happening::NoPress { why: Why::First, .. } => firsts += 1,
                Happening::NoPress { .. } | Happening::Lost { .. } => {}
            }
            if presses.len() == 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((ending.unwrap(), firsts), (Ending::Asked, 3));
        let of = |press| presses.iter().filter(|it| it.0 == press).count();
        assert_eq!(Press::ALL.map(of), [2, 2, 2]);
        assert!(presses.iter().all(|(press, from_ns, to_ns)| match press {
            Press::Halve => *to_ns == from_ns / 2,
            Press::Reset => *to_ns == 1_000_000,
            Press::Double => *to_ns == from_ns * 2,
        }));
        assert_eq!(blinker.period_ns(), presses[5].2);
    }
}

#[test]
fn a_line_that_vanishes_ends_it_with_one_clear_line_and_the_light_off() {
    for (style, line) in STYLES.into_iter().flat_map(|style| [(style, 0), (style, 2)]) {
        let bench = Bench::new(style);
        let mut blinker = bench.blinker(1_000_000, false, Leave::Inactive);
        let mut edges = 0;
        let ended = blinker.run(&bench.how(), &mut |happened| {
            edges += usize::from(matches!(happened, Happening::Edge { .. }));
            if edges == 3 {
                bench.chips.simulated.unplug(line);
            }
            ControlFlow::Continue(())
        });
        let BlinkError::Line(error) = ended.unwrap_err() else { panic!("no line is named") };
        assert!(
            error.is_gone() && error.to_string().contains(&format!("sim:{line} has vanished")),
            "{error}"
        );
        drop(blinker);
        assert!(line == 0 || !bench.chips.simulated.is_high(0), "a light that is still there is left off");
    }
}

#[test]
fn a_panic_leaves_the_light_off_too() {
    let bench = Bench::new(Style::Event);
    let chip = bench.chips.simulated.clone();
    let panicked = std::thread::spawn(move || {
        let mut blinker = bench.blinker(1_000_000, false, Leave::Inactive);
        blinker.run(&bench.how(), &mut |happened| match happened {
            Happening::Edge { is_on: true, .. } => panic!("as tried"),
            _ => ControlFlow::Continue(()),
        })
    });
    assert!(panicked.join().is_err() && !chip.is_high(0));
    assert!(chip.clone().drive(0, true).is_ok());
}

#[test]
fn a_signal_ends_it_in_order() {
    for style in STYLES {
        // A thread of its own, since the signal is blocked in that thread alone, and sent to no other.
        std::thread::spawn(move || {
            let bench = Bench::new(style);
            let signals = SignalFile::new(&[SIGUSR2]).unwrap();
            let mut blinker = bench.blinker(1_000_000, false, Leave::Inactive);
            let how = How { signals: Some(&signals), ..bench.how() };
            let mut sent = false;
            let ending = blinker.run(&how, &mut |happened| {
                if matches!(happened, Happening::Edge { .. }) && !std::mem::replace(&mut sent, true) {
                    wake::signal_thread(wake::thread_id(), SIGUSR2).unwrap();
                }
                ControlFlow::Continue(())
            });
            assert_eq!(ending.unwrap(), Ending::Signal(SIGUSR2));
        })
        .join()
        .unwrap();
    }
}

/// Number of SIGUSR2, see `signal(7)`.
const SIGUSR2: i32 = 12;

#[test]
fn periods_of_nanoseconds_leave_edges_out_and_do_not_hang() {
    let left_out_within = |ms: u64| {
        let bench = Bench::new(Style::Event);
        let mut blinker = bench.blinker(2, true, Leave::Inactive);
        let until_ns = Some(clock::monotonic_ns() + ms * 1_000_000);
        let mut left_out = 0;
        let ending = blinker.run(&How { until_ns, ..bench.how() }, &mut |happened| {
            if let Happening::Edge { missed, .. } = happened {
                left_out += missed;
            }
            ControlFlow::Continue(())
        });
        assert_eq!(ending.unwrap(), Ending::TimeIsUp);
        left_out
    };
    // On a slow machine the first time limit may be over before the first edge, so longer limits follow.
    assert!([5, 500, 50_000].into_iter().any(|ms| left_out_within(ms) > 0));
}
