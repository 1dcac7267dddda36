//! Text reports as shown in a terminal. The snapshots are meant to be read.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    Comparison, ExactCounts, Grade, IgnoredFailures, Metric, NO_BOUND_LOG, Replication, Scope, SessionEffect,
    Side, StoppedBy, Verdict,
};
use fauxplat_report::{Format, Style};

use crate::common::{self, Owned};
use crate::comparisons::{self, comparison};

fn shown(name: &str, owned: &Owned) {
    for width in [60, 100] {
        insta::assert_snapshot!(format!("{name}_{width}"), owned.text(width));
    }
}

/// The first paragraph of a comparison's text report, which is the verdict.
fn verdict(owned: &Owned) -> String {
    let text = owned.text(200);
    text.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn one_command() {
    shown("run", &common::run(&["sort -n data"]));
}

#[test]
fn several_commands() {
    shown("run_several", &common::run(&["sort -n data", "gsort -n data", "rsort data"]));
}

#[test]
fn a_command_with_every_trouble() {
    shown("run_troubled", &common::troubled_run());
}

#[test]
fn several_metrics() {
    let text = comparisons::compare_metrics().text(200);
    for said in ["gsort is slower than sort", "64.00", "1.56", "in peak memory", "adjusted over the metrics"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    // The commands A and B have a row for each metric, and no winner is named if there are only two commands.
    let rows = |metric: &str| {
        let is_row = |line: &&str| line.contains(metric) && line.trim_start().starts_with(['s', 'g']);
        text.lines().filter(is_row).count()
    };
    assert!(rows("wall time") >= 2 && rows("peak memory") >= 2, "{text}");
    assert!(!text.contains("winner"), "{text}");
}

#[test]
fn a_difference() {
    shown("compare", &comparisons::compare(comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055)));
}

#[test]
fn three_commands() {
    shown("compare_three", &comparisons::compare_three());
}

#[test]
fn several_sessions_are_counted_and_not_their_pairs() {
    let sessions = |effects: &[f64]| {
        let session = |&effect_ratio: &f64| SessionEffect { effect_ratio, pairs: 40 };
        Replication {
            sessions: effects.iter().map(session).collect(),
            between_sd: 0.004,
            next_low_ratio: 1.004,
            next_high_ratio: 1.042,
            pairs_per_session: Some(12),
        }
    };
    let mut over = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    over.grade = Grade::Replicated;
    over.replication = Some(sessions(&[1.021, 1.026, 1.0222]));
    let text = comparisons::compare(over.clone()).text(400).replace('\u{a0}', " ");
    for said in [
        "in wall time, over 3 sessions, for this pair",
        "Sessions: +2.10 %, +2.60 %, +2.22 %; their standard deviation is 0.40 % beyond what their pairs explain.",
        "The next session of as many pairs will come to +0.40 % to +4.20 % (99 %).",
        "Each session had 40 pairs; about 12 each would use the time best.",
        "Student's t over the sessions, the larger p-value: p = 0.0002;",
        "(one look, when all sessions were over)",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let mut alike = sessions(&[1.02; 20]);
    (alike.between_sd, alike.pairs_per_session) = (0.0, None);
    over.replication = Some(alike);
    let text = comparisons::compare(over).text(400).replace('\u{a0}', " ");
    assert!(text.contains("Sessions: +2.00 % to +2.00 %; they differ by no more"), "{text}");
    assert!(text.contains("more sessions would tell no more than more pairs"), "{text}");
}

#[test]
fn a_difference_of_the_slowest_runs_and_where_it_lies() {
    shown("compare_tails", &comparisons::compare_tails());
    shown("compare_both", &comparisons::compare_both());
}

#[test]
fn a_baseline_from_another_time() {
    shown("against_baseline", &comparisons::against_baseline());
}

#[test]
fn the_winner_against_its_runner_up() {
    shown("runner_up", &comparisons::compare_with_runner_up());
}

#[test]
fn a_calibration() {
    shown("aa", &common::aa());
}

#[test]
fn without_unicode_every_character_is_ascii() {
    let style = Style { colour: false, width: 80, unicode: false };
    let mut owned = comparisons::compare_three();
    owned.commands[1].name = "naïve → grüße".into();
    let text = owned.render(Format::Text, &style);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("compare_three_ascii", text);
    assert!(common::troubled_run().render(Format::Text, &style).is_ascii());
    assert!(common::aa().render(Format::Text, &style).is_ascii());
}

#[test]
fn colours_are_those_of_every_terminal_and_end_on_their_line() {
    let text =
        comparisons::compare_three().render(Format::Text, &Style { colour: true, width: 100, unicode: true });
    assert!(text.contains("\u{1b}[32m") && text.contains("\u{1b}[33m"), "{text}");
    for line in text.lines() {
        assert!(!line.contains('\u{1b}') || line.ends_with("\u{1b}[0m"), "{line:?}");
    }
    let plain: String =
        text.split('\u{1b}').map(|part| part.split_once('m').map_or(part, |it| it.1)).collect();
    assert_eq!(plain.lines().count(), comparisons::compare_three().text(100).lines().count());
}

#[test]
fn a_verdict_says_what_it_covers() {
    let mut said = Vec::new();
    let mut slower = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    said.push(verdict(&comparisons::compare(slower.clone())));
    slower.scope = Scope::Source;
    slower.grade = Grade::Replicated;
    slower.effect_ratio = 0.4;
    said.push(verdict(&comparisons::compare(slower.clone())));
    slower.grade = Grade::AgainstBaseline;
    slower.effect_ratio = 1.7;
    said.push(verdict(&comparisons::compare(slower.clone())));
    slower.metric = Metric::PEAK_MEMORY;
    slower.grade = Grade::WithinSession;
    said.push(verdict(&comparisons::compare(slower.clone())));
    slower.metric = Metric::MINOR_FAULTS;
    slower.effect_ratio = 0.97;
    said.push(verdict(&comparisons::compare(slower.clone())));
    slower.metric = Metric::RATE;
    said.push(verdict(&comparisons::compare(slower.clone())));
    slower.effect_ratio = 2.5;
    said.push(verdict(&comparisons::compare(slower)));
    insta::assert_snapshot!("a_verdict_says_what_it_covers", said.join("\n"));
}

#[test]
fn equivalence_names_the_margin() {
    let mut said = Vec::new();
    let mut equal = comparison("sort", "gsort", Verdict::Equivalent, 1.0005, 0.004);
    said.push(verdict(&comparisons::compare(equal.clone())));
    equal.grade = Grade::AgainstBaseline;
    said.push(verdict(&comparisons::compare(equal)));
    insta::assert_snapshot!("equivalence_names_the_margin", said.join("\n"));
}

#[test]
fn inconclusive_says_why_and_what_would_decide() {
    let mut said = Vec::new();
    let mut open = comparison("sort", "gsort", Verdict::Inconclusive, 1.0075, 0.0115);
    open.pairs = 128;
    open.pairs_needed = Some(210);
    open.stopped_by = StoppedBy::MaxPairs;
    said.push(verdict(&comparisons::compare(open.clone())));
    open.stopped_by = StoppedBy::Interrupt;
    open.pairs_needed = None;
    (open.ci_low_ratio, open.ci_high_ratio) = (0.995, 1.004);
    said.push(verdict(&comparisons::compare(open.clone())));
    open.stopped_by = StoppedBy::MaxTime;
    (open.ci_low_ratio, open.ci_high_ratio, open.p_value) = (1.002, 1.02, 0.03);
    said.push(verdict(&comparisons::compare(open.clone())));
    open.pairs = 0;
    said.push(verdict(&comparisons::compare(open)));
    insta::assert_snapshot!("inconclusive_says_why_and_what_would_decide", said.join("\n"));
}

#[test]
fn of_no_pair_no_difference_is_told() {
    let mut open = comparison("sort", "gsort", Verdict::Inconclusive, f64::NAN, 0.0);
    (open.ci_low_ratio, open.ci_high_ratio, open.p_value) = ((-13.8_f64).exp(), 13.8_f64.exp(), 1.0);
    (open.pairs, open.dropped_pairs, open.stopped_by) = (0, 1, StoppedBy::MaxTime);
    let text = comparisons::compare(open).text(200);
    let row = text.lines().find(|line| line.contains("inconclusive") && !line.contains("against")).unwrap();
    assert!(row.contains("–") && !row.contains(['+', '%', '?']), "{row}");
}

#[test]
fn anytime_is_said() {
    let mut watched = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    watched.anytime = true;
    let text = comparisons::compare(watched).text(100);
    assert!(text.contains("anytime: the verdict and its interval hold whenever"), "{text}");
}

#[test]
fn a_few_dropped_pairs_are_told_and_many_are_a_warning() {
    let mut dropped = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    dropped.dropped_pairs = 3;
    let few = comparisons::compare(dropped.clone()).text(100);
    assert!(few.contains("3 of 35 pairs were dropped.") && !few.contains("Warning: 3"), "{few}");
    dropped.dropped_pairs = 4;
    let many = comparisons::compare(dropped).text(100);
    assert!(many.contains("Warning: 4 of 36 pairs were dropped: more than a tenth"), "{many}");
}

#[test]
fn a_floor_beyond_a_tenth_is_marked() {
    let mut owned = comparisons::compare(comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055));
    assert!(
        owned.text(200).contains(
            "An empty program takes 450.0 µs here, 8.96 % of the shortest command; it is included."
        )
    );
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    found.floor_ns = Some(2e6);
    assert!(owned.text(200).contains("the difference in the work itself is larger"));
}

#[test]
fn the_seed_makes_it_repeatable() {
    let mut owned = common::run(&["sort -n data"]);
    assert!(owned.text(100).contains("repeat with: fauxplat run --seed 42 'sort -n data' 'gsort -n data'\n"));
    owned.header.invocation = ["fauxplat", "run", "--seed=7", "it's"].map(str::to_owned).to_vec();
    assert!(owned.text(100).contains("repeat with: fauxplat run --seed=7 'it'\\''s'\n"));
}

/// The line that repeats an experiment names no seed for verbs that make no random choices or continue an earlier
/// experiment: they refuse one.
#[test]
fn a_line_that_draws_nothing_has_no_seed() {
    let repeat = |line: &str| {
        let mut owned = common::run(&["sort -n data"]);
        owned.header.invocation = line.split(' ').map(str::to_owned).collect();
        let text = owned.text(200);
        text.lines().find_map(|line| line.strip_prefix("repeat with: ")).map(str::to_owned)
    };
    for line in [
        "fauxplat fleet report",
        "fauxplat fleet report 3f2a --fail-if missing",
        "fauxplat fleet watch --folder runs",
        "fauxplat fleet take logs",
        "fauxplat fleet run --resume 3f2a",
        "fauxplat load integer@0",
        "fauxplat profile --import perf.data",
    ] {
        assert_eq!(repeat(line).as_deref(), Some(line));
    }
    let with_seed = "fauxplat fleet run --seed 42 --on local:2 true";
    assert_eq!(repeat("fauxplat fleet run --on local:2 true").as_deref(), Some(with_seed));
    let before_commands = repeat("fauxplat why -q -- ./old ./new");
    assert_eq!(before_commands.as_deref(), Some("fauxplat why -q --seed 42 -- ./old ./new"));
    assert_eq!(repeat("fauxplat latency -q").as_deref(), Some("fauxplat latency -q --seed 42"));
}

#[test]
fn names_that_look_alike_when_shortened_are_numbered() {
    let long = |end: &str| format!("program {} middle {end} {}", "a".repeat(60), "z".repeat(60));
    let text = common::run(&[&long("one"), &long("two")]).text(80);
    let table = text.split("side by side").nth(1).unwrap();
    assert!(table.contains("1: program") && table.contains("2: program"), "{table}");
}

/// JSON has no infinity, so e to the power of 13.8 stands for the missing end of an interval; text states that there is
/// no interval.
#[test]
fn an_interval_that_excludes_nothing_is_not_told_as_one() {
    let few = comparisons::comparison("a", "b", Verdict::Inconclusive, 2.18, 0.1);
    let few = Comparison {
        ci_low_ratio: (-NO_BOUND_LOG).exp(),
        ci_high_ratio: NO_BOUND_LOG.exp(),
        pairs: 7,
        ..few
    };
    let text = comparisons::compare(few).text(100);
    assert!(text.contains("too few pairs for an interval") && !text.contains("e7"), "{text}");
    // Even a large effect has a bound: almost nothing against a hundred megabytes.
    let large = comparisons::comparison("a", "b", Verdict::Different, 3.9e5, 0.0);
    let large = Comparison { ci_low_ratio: 3.8e5, ci_high_ratio: 4e6, ..large };
    let text = comparisons::compare(large).text(100);
    assert!(text.contains("+3.80e7") && !text.contains("no bound"), "{text}");
}

/// If the slow runs belong to the command that is faster in typical runs, the sentence names that command and does not
/// say "by more".
#[test]
fn slow_runs_of_the_faster_one_are_said_to_be_the_other_way() {
    let mut owned = comparisons::compare_both();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
    let tail = found.comparisons[0].tail.as_mut().unwrap();
    (tail.share_a, tail.share_b, tail.side) = (0.08, 0.08, Some(Side::A));
    let said = verdict(&owned);
    let wanted = "but in some runs the other way: beside that, sort was slower than gsort by more than 5.00 % in 8.00 %";
    assert!(said.contains(wanted) && !said.contains("by more:"), "{said}");
}

/// If the typical difference is larger than the excess of slow runs, the faster command is also faster in slow runs.
#[test]
fn slow_runs_within_the_typical_difference_are_no_runs_the_other_way() {
    for (effect, side) in [(1.3, Side::A), (0.7, Side::B)] {
        let mut owned = comparisons::compare_both();
        let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
        let comparison = &mut found.comparisons[0];
        comparison.effect_ratio = effect;
        (comparison.ci_low_ratio, comparison.ci_high_ratio) = (effect * 0.99, effect * 1.01);
        let tail = comparison.tail.as_mut().unwrap();
        (tail.share_a, tail.share_b, tail.side) = (0.08, 0.02, Some(side));
        let said = verdict(&owned).split_whitespace().collect::<Vec<_>>().join(" ");
        let (less, more) = if side == Side::A { ("8.00 %", "2.00 %") } else { ("2.00 %", "8.00 %") };
        let wanted = format!(
            "but in some runs by less: in {less} of the pairs by more than 5.00 % less than typically, and in {more} by as much more"
        );
        assert!(said.contains(&wanted) && !said.contains("the other way"), "{said}");
    }
}

#[test]
fn slow_runs_of_another_metric_name_it() {
    let mut owned = comparisons::compare_tails();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
    found.comparisons[0].metric = Metric::PEAK_MEMORY;
    let said = verdict(&owned);
    assert!(
        said.contains("gsort was higher than sort") && said.contains(", in peak memory, within"),
        "{said}"
    );
}

#[test]
fn why_an_interval_within_the_margin_was_not_enough() {
    let open = comparisons::comparison("a", "b", Verdict::Inconclusive, 1.001, 0.004);
    let text = comparisons::compare(Comparison { stopped_by: StoppedBy::MaxPairs, ..open }).text(200);
    assert!(
        text.contains("against −0.99 % do not both exclude such a difference") && !text.contains("next look"),
        "{text}"
    );
}

#[test]
fn one_against_none_is_told_by_both_counts() {
    let exact = Some(ExactCounts { a: 0, b: 1, runs: 2 });
    let one = comparisons::comparison("a", "b", Verdict::Different, 3.0, 0.0);
    let mut owned = comparisons::compare(Comparison { exact, metric: Metric::MAJOR_FAULTS, ..one });
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
    found.comparisons[0].beyond_margin = Some(true);
    assert!(!verdict(&owned).contains("within the margin"), "{}", verdict(&owned));
}

#[test]
fn nobody_wins_by_medians_alone() {
    let text = common::run(&["a", "b"]).text(100).to_lowercase();
    assert!(text.contains("`fauxplat compare` runs until it is sure"));
    for claim in ["faster", "slower", "fastest"] {
        assert!(!text.contains(claim), "{claim}");
    }
}

/// Advice has to fit: failed runs would end a comparison too, and a comparison that failed is no reason for another.
#[test]
fn no_comparison_is_advised_where_runs_or_a_comparison_failed() {
    let advice = "runs until it is sure";
    let mut failed = common::run(&["a", "b"]);
    let Findings::Run(found) = &mut failed.findings else { unreachable!("`run` was asked for") };
    found[1].failures = 1;
    assert!(!failed.text(100).contains(advice));
    failed.header.condition.ignore_failure = IgnoredFailures::LeftOut;
    assert!(failed.text(100).contains(advice));
    let mut given_up = common::run(&["a", "b"]);
    given_up.header.invocation = ["fauxplat", "compare", "a", "b"].map(str::to_owned).to_vec();
    assert!(!given_up.text(100).contains(advice));
}

#[test]
fn a_table_by_itself_continues_below_where_it_does_not_fit() {
    let rows =
        [vec!["7".to_owned(), "sort\u{1b}[2J".repeat(3)], vec!["8".to_owned(), "2026-11-02".to_owned()]];
    let mut out = Vec::new();
    let style = Style { width: 40, ..Style::default() };
    fauxplat_report::write_table(&["id", "command", "when", "verdict"], &rows, &style, &mut out).unwrap();
    insta::assert_snapshot!("table", String::from_utf8(out).unwrap());
}

#[test]
fn a_verdict_can_stand_alone() {
    let sentence =
        fauxplat_report::verdict_sentence(&comparison("so\nrt", "gsort", Verdict::Equivalent, 1.0, 0.005));
    assert!(
        sentence
            .starts_with("so\\nrt and gsort are equivalent: the difference is within ±1 % (99 % interval"),
        "{sentence}"
    );
}
