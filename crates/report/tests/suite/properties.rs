//! Reports with arbitrary numbers and names: no panic, no line too long, no control character for the terminal.

use fauxplat_model::document::Findings;
use fauxplat_model::{Metric, Outcome, Phase, Summary, Verdict};
use fauxplat_report::{Format, Style, write};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::common::{self, Owned};
use crate::comparisons::{self, comparison};

/// Generates numbers that are hard to format: zeros, infinities, tiny and huge ones.
fn odd() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::ANY,
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        0.0..1e12,
        0.9..1.1
    ]
}

/// Generates names that are hard to show in terminals and tables.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "\\PC{0,30}",
        "[a-z ]{0,400}",
        "[\\x00-\\x1f\\x7f-\\u{a0}a-c]{0,20}",
        Just("\u{1b}[31mred\u{1b}]0;title\u{7}".to_owned()),
        Just("right\u{202e}tfel\u{200b}\u{feff}".to_owned()),
        Just("文件".repeat(80)),
        Just("| ` <b> **".to_owned()),
    ]
}

fn readings() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(
        prop_oneof![Just(0), Just(u64::MAX), Just(u64::MAX - 1), any::<u64>(), 1_000u64..9_000],
        0..30,
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![Just(Outcome::Exited(0)), any::<u8>().prop_map(Outcome::Signaled), Just(Outcome::TimedOut)]
}

fn summary(metric: Metric, odd: &[f64]) -> Summary {
    Summary {
        metric,
        n: 1,
        median: odd[0],
        mean: odd[1],
        low: Some(odd[2]),
        high: Some(odd[3]),
        sd: odd[4],
        min: odd[5],
        max: odd[6],
        percentiles: [odd[0]; 4],
        p99: None,
        outliers: usize::MAX,
        first_thread: false,
        intervals: Vec::new(),
    }
}

/// A record of a comparison with these unusual names and numbers.
fn strange(names: &[String], odd: &[f64], walls: &[u64], outcome: Outcome, verdict: Verdict) -> Owned {
    let mut it = comparison(&names[0], &names[1], verdict, odd[0], odd[1]);
    (it.level, it.margin, it.p_value) = (odd[2], odd[3], odd[4]);
    it.variance.pair_sd = odd[5];
    it.variance.autocorrelation = odd[6];
    it.pairs = walls.len();
    it.dropped_pairs = walls.len() / 2;
    let mut owned = comparisons::compare(it);
    owned.header.warnings = names.to_vec();
    owned.header.invocation = names.to_vec();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    (found.floor_ns, found.elapsed_s, found.winner) = (Some(odd[2]), odd[3], Some(walls.len()));
    found.commands[0].summaries = Metric::BUILT_IN.iter().map(|&metric| summary(metric, odd)).collect();
    found.commands[1].summaries.clear();
    for (index, sample) in owned.samples.iter_mut().enumerate() {
        let wall = walls.get(index).copied().unwrap_or(u64::MAX);
        sample.readings = Metric::BUILT_IN.iter().map(|&metric| (metric, wall)).collect();
        sample.outcome = outcome;
        sample.phase = if wall % 7 == 1 { Phase::Warmup } else { Phase::Measured };
    }
    owned
}

/// The commands of a comparison as a record of `run`.
fn as_run(owned: &Owned) -> Owned {
    let Findings::Compare(found) = &owned.findings else { unreachable!("it is a comparison") };
    Owned { findings: Findings::Run(found.commands.clone()), ..owned.clone() }
}

fn check_text(owned: &Owned, width: usize, unicode: bool) {
    let text = owned.render(Format::Text, &Style { colour: false, width, unicode });
    for line in text.lines() {
        let is_free = line.starts_with("repeat with: ");
        assert!(line.width() <= width || is_free, "{} > {width}: {line:?}", line.width());
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(!line.contains(['\u{202e}', '\u{200b}', '\u{feff}']), "{line:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_panics_and_every_line_fits(
        names in prop::collection::vec(name(), 2),
        odd in prop::collection::vec(odd(), 7),
        walls in readings(),
        outcome in outcome(),
        verdict in prop_oneof![Just(Verdict::Different), Just(Verdict::Equivalent), Just(Verdict::Inconclusive)],
        width in 40usize..200,
        unicode: bool,
    ) {
        let compared = strange(&names, &odd, &walls, outcome, verdict);
        for owned in [&compared, &as_run(&compared)] {
            check_text(owned, width, unicode);
            for format in Format::ALL {
                let mut out = Vec::new();
                // Refusing a format is a correct result; a panic is not.
                if write(&owned.record(), format, &Style::default(), &mut out).is_ok() && format.name().contains("json") {
                    prop_assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok());
                }
            }
        }
    }

    #[test]
    fn any_width_is_taken(width: usize) {
        let style = Style { colour: true, width, unicode: true };
        prop_assert!(common::troubled_run().render(Format::Text, &style).lines().count() > 10);
    }

    #[test]
    fn baselines_never_panic(text in "\\PC{0,60}|\\{\"(results|benchmarks|commands|schema)\": ?\\[?[0-9a-z\"{}:\\[\\], ]{0,60}") {
        prop_assert!(fauxplat_report::read_baseline(&text).is_err());
    }
}

#[test]
fn a_thousand_commands() {
    let names: Vec<String> =
        (0..1000).map(|index| format!("command number {index} with some words")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let owned = common::run(&names);
    for format in common::formats_of_runs() {
        assert!(owned.render(format, &Style::default()).len() > 10_000, "{format}");
    }
    let text = owned.text(60);
    assert!(text.contains("command number 0") && text.contains("command number 999"));
}

#[test]
fn the_narrowest_page_holds_everything() {
    for owned in [common::run(&["sort"]), common::troubled_run(), comparisons::compare_three(), common::aa()]
    {
        check_text(&owned, 40, true);
        check_text(&owned, 40, false);
    }
}

#[test]
fn one_run_of_nothing() {
    let mut owned = common::run(&["true"]);
    owned.samples.truncate(1);
    let Findings::Run(found) = &mut owned.findings else { unreachable!("`run` was asked for") };
    found[0].summaries = vec![Summary { outliers: 0, ..summary(Metric::WALL, &[0.0; 7]) }];
    let text = owned.text(80);
    assert!(text.contains("zero in every run: wall time") && text.contains("1 run\n"), "{text}");
    owned.samples.clear();
    let Findings::Run(found) = &mut owned.findings else { unreachable!("`run` was asked for") };
    found[0].summaries.clear();
    assert!(owned.text(80).contains("0 runs\n"));
}
