//! The sentences that came with the third edition of the decision rule: typical and mean, gates, carry-over, halves,
//! mixtures, imbalance of dropped pairs.
//!
//! Length: the tests share one constructed comparison.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    CarryOver, Comparison, DifferenceIn, DroppedLean, Estimand, Extent, Gate, GateQuestion, GateState,
    LevelChange, MeanRatio, Metric, ModeShares, QuantileShift, RatioInterval, RiseSource, Side, SpreadChange,
    Tail, Verdict,
};
use fauxplat_report::{Detail, Format, Style, View, verdict_sentence, write_with_evidence};

use crate::common::Owned;
use crate::comparisons::{self, comparison};

/// The brief report of a comparison, as one line.
fn brief(comparison: &Comparison) -> String {
    words(&brief_of(&comparisons::compare(comparison.clone())))
}

fn brief_of(owned: &Owned) -> String {
    let mut out = Vec::new();
    let (style, view) =
        (Style { width: 80, ..Style::default() }, View { detail: Detail::Brief, ..View::default() });
    write_with_evidence(&owned.record(), &[], Format::Text, (&style, &view), &mut out)
        .expect("memory has room");
    String::from_utf8(out).expect("reports are UTF-8")
}

fn full(comparison: &Comparison) -> String {
    words(&comparisons::compare(comparison.clone()).text(100))
}

/// The text with single blanks between words, and without line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(text: &str, wanted: &[&str]) {
    for one in wanted {
        assert!(text.contains(one), "{one}: {text}");
    }
}

fn mean(ratio: f64, half: f64) -> MeanRatio {
    MeanRatio {
        ratio,
        low_ratio: ratio - half,
        high_ratio: ratio + half,
        plain_ratio: Some(ratio),
        cap: Some(1.5),
        capped: [0, 0],
    }
}

fn tail(excess_excluded: f64) -> Tail {
    Tail {
        margin: 0.03,
        threshold_ratio: 1.05,
        share_b: 0.01,
        share_b_interval: [0.0, 0.04],
        share_a: 0.01,
        share_a_interval: [0.0, 0.04],
        excess_excluded,
        side: None,
    }
}

fn spread(usual: f64, difference: f64, verdict: Verdict) -> SpreadChange {
    SpreadChange {
        of_each: Some([usual - 0.5 * difference, usual + 0.5 * difference]),
        usual,
        difference,
        low: difference - 0.005,
        high: difference + 0.005,
        margin: 0.01,
        verdict,
    }
}

/// A comparison in which typical runs differ.
fn slower() -> Comparison {
    let slower = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    Comparison { difference_in: vec![DifferenceIn::Typical], beyond_margin: Some(true), ..slower }
}

/// A comparison in which typical runs are alike, with all further findings of the judge.
fn alike(extent: Extent) -> Comparison {
    Comparison {
        extent: Some(extent),
        tail: Some(tail(0.021)),
        mean: Some(mean(1.001, 0.003)),
        mean_verdict: Verdict::Equivalent,
        spread: Some(spread(0.02, 0.0, Verdict::Equivalent)),
        ..comparison("sort", "gsort", Verdict::Equivalent, 1.0005, 0.004)
    }
}

/// A comparison in which only the means differ.
fn slower_on_average() -> Comparison {
    Comparison {
        difference_in: vec![DifferenceIn::Mean],
        mean: Some(mean(1.12, 0.08)),
        mean_verdict: Verdict::Different,
        ..comparison("sort", "gsort", Verdict::Different, 1.0004, 0.003)
    }
}

#[test]
fn the_table_has_a_typical_pair_and_a_mean_and_says_which_decides() {
    let typical = Comparison { mean: Some(mean(1.03, 0.01)), ..slower() };
    says(
        &brief(&typical),
        &["typical pair (decides) mean", "+2.31 % (+1.76 … +2.86) +3.00 % (+2.00 … +4.00)"],
    );
    says(&brief(&slower()), &["typical pair (decides) mean", "+2.31 % (+1.76 … +2.86) –"]);
    let by_mean = Comparison {
        estimand: Estimand::Mean,
        difference_in: vec![DifferenceIn::Mean],
        mean: Some(mean(1.0231, 0.0055)),
        ..slower()
    };
    let text = brief(&by_mean);
    says(
        &text,
        &[
            "gsort is slower than sort by 2.31 % on average (99 %",
            "typical pair mean (decides)",
            "– +2.31 % (+1.76",
        ],
    );
    // Without pairs, as against a baseline from another time, there is a single figure.
    let weaker = words(&comparisons::against_baseline().text(100));
    assert!(weaker.contains("difference") && !weaker.contains("typical pair"), "{weaker}");
}

/// A sentence about the mean adds at most one line to a brief report.
#[test]
fn two_commands_that_agree_take_few_lines() {
    let slower = Comparison { mean: Some(mean(1.024, 0.006)), ..slower() };
    for (one, most) in [(slower, 12), (alike(Extent::Whole), 13)] {
        let mut owned = comparisons::compare(one);
        owned.header.warnings.clear();
        let text = brief_of(&owned);
        assert!(text.lines().count() <= most, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn medians_on_the_other_side_are_explained() {
    // The medians of the constructed runs rise by 14 %.
    let against = Comparison { effect_ratio: 0.93, ci_low_ratio: 0.92, ci_high_ratio: 0.94, ..slower() };
    says(
        &brief(&against),
        &[
            "Medians of all runs differ by +14.1 %, the estimate of pairs by −7.00 %",
            "drift of the machine, which cancels",
        ],
    );
    assert!(!brief(&slower()).contains("Medians of all runs"));
}

#[test]
fn typical_and_mean_that_disagree_are_both_said() {
    let with = |it: MeanRatio| verdict_sentence(&Comparison { mean: Some(it), ..slower() });
    let shown = |it: MeanRatio| {
        let of = Comparison { mean: Some(it), mean_verdict: Verdict::Different, ..slower() };
        verdict_sentence(&of)
    };
    says(
        &shown(mean(0.98, 0.01)),
        &[
            "gsort is slower than sort by 2.31 %",
            ", but takes 2.00 % less time on average (99 % interval −3.00 % to −1.00 %)",
        ],
    );
    says(&with(mean(1.001, 0.004)), &[", while means are alike: +0.10 % (99 % interval"]);
    says(&with(mean(1.0, 0.015)), &[", while the means are indistinguishable: +0.00 % (99 % interval"]);
    let agreed = with(mean(1.03, 0.01));
    assert!(!agreed.contains("average") && !agreed.contains("means"), "{agreed}");
    let within = Comparison {
        beyond_margin: Some(false),
        effect_ratio: 1.005,
        ci_low_ratio: 1.002,
        ci_high_ratio: 1.008,
        ..slower()
    };
    let beyond = Comparison { mean: Some(mean(1.1, 0.02)), mean_verdict: Verdict::Different, ..within };
    says(
        &verdict_sentence(&beyond),
        &["within the margin of ±1 %", ", and takes 10.0 % longer on average (99 %"],
    );
}

/// An interval of the mean that excludes equality is no difference: the mean's own verdict needs its test too.
#[test]
fn no_difference_of_the_mean_is_claimed_without_its_verdict() {
    let tail = Tail { side: Some(Side::B), ..tail(0.2) };
    let in_some_runs =
        Comparison { tail: Some(tail), difference_in: vec![DifferenceIn::Tail], ..slower_on_average() };
    let open = comparison("sort", "gsort", Verdict::Inconclusive, 1.0075, 0.0115);
    let within = Comparison { effect_ratio: 1.005, ci_low_ratio: 1.002, ci_high_ratio: 1.008, ..slower() };
    for told in [within, alike(Extent::Typical), in_some_runs, open] {
        for apart in [mean(1.1, 0.02), mean(0.9, 0.02)] {
            let of = Comparison { mean: Some(apart), mean_verdict: Verdict::Inconclusive, ..told.clone() };
            let sentence = verdict_sentence(&of);
            assert!(!sentence.contains("on average") && !sentence.contains("On average"), "{sentence}");
            assert!(sentence.contains("eans, without a verdict: "), "{sentence}");
        }
    }
}

#[test]
fn a_difference_of_the_mean_alone_is_one_on_average() {
    let text = brief(&slower_on_average());
    says(
        &text,
        &[
            "gsort takes 12.0 % longer on average than sort (99 % interval +4.00 % to +20.0 %), while typical runs are alike: \
             +0.040 % (99 % interval",
            "in wall time, within this session",
        ],
    );
    assert!(full(&slower_on_average()).contains("slower on average"));
    let memory = Comparison { metric: Metric::PEAK_MEMORY, ..slower_on_average() };
    says(&verdict_sentence(&memory), &["gsort has 12.0 % more peak memory on average than sort"]);
}

#[test]
fn capped_readings_are_told() {
    let capped = |counts: [usize; 2]| {
        let mean = MeanRatio { capped: counts, plain_ratio: Some(1.41), cap: Some(4.0), ..mean(1.12, 0.08) };
        brief(&Comparison { mean: Some(mean), ..slower_on_average() })
    };
    says(
        &capped([1, 7]),
        &[
            "7 runs of gsort (and 1 of sort) took over 4 times their usual time and count as 4 times; without this cap the mean ratio is +41.0 %.",
        ],
    );
    says(&capped([0, 1]), &["1 run of gsort took over 4 times its usual time and counts as 4 times"]);
    assert!(!capped([0, 0]).contains("without this cap"));
    // If the cap on readings changes nothing, only full reports mention it.
    let few = MeanRatio { capped: [0, 2], ..mean(1.03, 0.01) };
    let few = Comparison { mean: Some(few), ..slower() };
    assert!(!brief(&few).contains("without this cap"));
    says(&full(&few), &["2 runs of gsort took over 1.5 times their usual time"]);
}

#[test]
fn equivalent_says_of_what() {
    let whole = verdict_sentence(&alike(Extent::Whole));
    says(
        &whole,
        &[
            "sort and gsort are equivalent as a whole: typical runs (99 % interval −0.35 % to +0.45 %) and means differ by at \
             most ±1 %, spreads are alike, and",
            "neither is much slower (by more than 5.00 %) in 2.10 % more of its runs",
        ],
    );
    let open = Comparison {
        tail: Some(tail(0.05)),
        mean: Some(MeanRatio { low_ratio: 0.992, high_ratio: 1.031, ..mean(1.01, 0.0) }),
        mean_verdict: Verdict::Inconclusive,
        spread: Some(spread(0.03, 0.04, Verdict::Different)),
        ..alike(Extent::Typical)
    };
    let said = verdict_sentence(&open);
    assert!(!said.contains("as a whole"), "{said}");
    says(
        &said,
        &[
            "Typical runs of sort and gsort are equivalent: they differ by at most ±1 % (99 %",
            "It is possible that one command is much slower (by more than 5.00 %) in up to 5.00 % more of its runs.",
            "The difference of means is not bounded by ±1 % yet: −0.80 % to +3.10 %.",
            "Runs of gsort scatter more: two in a row differ by 5.00 %, those of sort by 1.00 %.",
        ],
    );
    let rest =
        Comparison { spread: Some(spread(0.03, 0.01, Verdict::Inconclusive)), ..alike(Extent::Typical) };
    says(
        &verdict_sentence(&rest),
        &[
            "Neither command is much slower",
            "Means differ by at most ±1 % too (",
            "The difference in scatter is not bounded yet.",
        ],
    );
    let by_mean = Comparison { estimand: Estimand::Mean, ..alike(Extent::Whole) };
    says(
        &verdict_sentence(&by_mean),
        &["The means of sort and gsort are equivalent: they differ by at most ±1 %"],
    );
}

fn gated(question: GateQuestion, state: GateState) -> Comparison {
    Comparison { gate: Some(Gate { question, margin: 0.01, state, detectable: Some(0.0184) }), ..slower() }
}

#[test]
fn a_gate_says_what_it_came_to_and_what_it_would_have_found() {
    let sentence = |question, state| verdict_sentence(&gated(question, state));
    let found = "; a change of about +1.84 % would have been found in 9 of 10 such comparisons.";
    for (state, wanted) in [
        (GateState::Beyond, " Regression: slower by more than 1 %"),
        (GateState::Within, " No regression beyond 1 %"),
        (GateState::Undecided, " Not decided whether it is slower by more than 1 %"),
    ] {
        says(&sentence(GateQuestion::Slower, state), &[&format!("{wanted}{found}")]);
    }
    says(
        &sentence(GateQuestion::Faster, GateState::Within),
        &["No improvement beyond 0.99 %; a change of about −1.81 % would"],
    );
    let mut lower = gated(GateQuestion::Faster, GateState::Within);
    lower.gate = lower.gate.map(|gate| Gate { detectable: Some(-0.0181), ..gate });
    says(&verdict_sentence(&lower), &["a change of about −1.81 % would"]);
    says(
        &sentence(GateQuestion::Different, GateState::Beyond),
        &["Change: different by more than 1 %; a change of about ±1.84 %"],
    );
    let memory = Comparison { metric: Metric::PEAK_MEMORY, ..gated(GateQuestion::Slower, GateState::Beyond) };
    says(&verdict_sentence(&memory), &["Regression: higher in peak memory by more than 1 %"]);
    let average =
        Comparison { gate: gated(GateQuestion::Slower, GateState::Beyond).gate, ..slower_on_average() };
    says(&verdict_sentence(&average), &["Regression: slower by more than 1 % on average"]);
    assert!(!verdict_sentence(&slower()).contains("egression"));
}

/// The mean may differ although typical runs, and with them the gate, are not decided.
#[test]
fn a_mean_that_is_apart_is_said_beside_an_open_gate() {
    let gate = gated(GateQuestion::Slower, GateState::Undecided).gate;
    let mean_of = |it: MeanRatio, of: &Comparison| Comparison { gate, mean: Some(it), ..of.clone() };
    let open = comparison("sort", "gsort", Verdict::Inconclusive, 1.0075, 0.0115);
    let apart = mean_of(mean(1.11, 0.08), &open);
    let wanted = "; means, without a verdict: +11.0 % (99 % interval +3.00 % to +19.0 %)";
    says(&verdict_sentence(&apart), &[wanted, "Not decided whether it is slower by more than 1 %"]);
    says(&brief(&apart), &[&wanted[2..]]);
    let wide = verdict_sentence(&mean_of(mean(1.11, 0.2), &open));
    let torn = verdict_sentence(&Comparison { halves: Some([0.9, 1.2]), ..apart.clone() });
    let torn_by_slow_runs = verdict_sentence(&Comparison { tail_halves: Some([61, 22]), ..apart });
    assert!([wide, torn, torn_by_slow_runs].iter().all(|it| !it.contains("without a verdict")));
    let unsure = Comparison { effect_ratio: 1.009, ci_low_ratio: 1.003, ci_high_ratio: 1.015, ..slower() };
    let unsure = mean_of(mean(1.11, 0.105), &Comparison { beyond_margin: None, ..unsure });
    let unsure = verdict_sentence(&unsure);
    says(&unsure, &["; means, without a verdict: +11.0 % (99 % interval +0.50 % to +21.5 %)"]);
    let equal = Comparison { mean_verdict: Verdict::Inconclusive, ..alike(Extent::Typical) };
    says(
        &verdict_sentence(&mean_of(mean(1.015, 0.01), &equal)),
        &["Means, without a verdict: +1.50 % (99 % interval +0.50 % to +2.50 %)."],
    );
}

#[test]
fn a_gate_is_in_every_format_that_people_and_ci_read() {
    let render = |state, format| {
        comparisons::compare(gated(GateQuestion::Slower, state)).render(format, &Style::default())
    };
    for (state, counts, case) in [
        (GateState::Beyond, "failures=\"1\" errors=\"0\" skipped=\"0\"", "<failure message="),
        (GateState::Within, "failures=\"0\" errors=\"0\" skipped=\"0\"", "<system-out>"),
        (GateState::Undecided, "failures=\"0\" errors=\"0\" skipped=\"1\"", "<skipped message="),
    ] {
        let text = render(state, Format::JUnit);
        says(&text, &[counts, case, "would have been found in 9 of 10"]);
    }
    says(&render(GateState::Within, Format::Markdown), &["No regression beyond 1"]);
    says(&render(GateState::Within, Format::Html), &["No regression beyond 1"]);
    says(&render(GateState::Within, Format::GithubActionBenchmark), &["; no regression beyond 1 %"]);
    let rows = render(GateState::Undecided, Format::CsvSummary);
    let rows: Vec<&str> = rows.lines().collect();
    assert!(rows[0].ends_with(",gate,gate_detectable"), "{rows:?}");
    assert!(rows[1].ends_with(",,") && rows[2].ends_with(",undecided,0.0184"), "{rows:?}");
    let document: serde_json::Value =
        serde_json::from_str(&render(GateState::Within, Format::Json)).expect("JSON");
    let wanted =
        serde_json::json!({ "question": "slower", "margin": 0.01, "state": "within", "detectable": 0.0184 });
    assert_eq!(document["comparisons"][0]["gate"], wanted);
}

fn carrying(is_shown: bool, decides: bool) -> Comparison {
    let around =
        |ratio: f64, half: f64| RatioInterval { ratio, low_ratio: ratio - half, high_ratio: ratio + half };
    let carry_over = CarryOver {
        after_itself: around(0.357, 0.02),
        after_another: around(1.6, 0.1),
        carried: around(0.22, 0.02),
        is_shown,
        decides,
        source: None,
    };
    Comparison { carry_over: Some(carry_over), ..slower() }
}

#[test]
fn what_is_left_to_the_next_run_is_a_finding() {
    let text = brief(&carrying(true, true));
    says(
        &text,
        &[
            "A command affects the run after it, which takes longer after sort than after gsort: after a run of the \
             same command gsort is 2.80 times as fast, after a run of the other 1.60 times as slow; the verdict is that of \
             runs that follow a run of the same command, which include effects of a command on its own next run.",
        ],
    );
    says(&brief(&carrying(true, false)), &["the verdict is that of all runs together"]);
    assert!(!brief(&carrying(false, false)).contains("affects the run after it"));
    let figures = "after the same command: −64.3 % (−66.3 % to −62.3 %); after another command: +60.0 % (";
    says(&full(&carrying(false, false)), &[figures]);
    // Carry-over below the margin is no finding, and no cause is named if a third command ran, too.
    let mut small = carrying(true, false);
    small.carry_over.as_mut().unwrap().carried =
        RatioInterval { ratio: 1.004, low_ratio: 1.002, high_ratio: 1.006 };
    assert!(!brief(&small).contains("affects the run after it"));
    let mut three = comparisons::compare_three();
    let Findings::Compare(found) = &mut three.findings else { unreachable!("it was compared") };
    found.comparisons[1].carry_over = carrying(true, true).carry_over;
    says(
        &words(&brief_of(&three)),
        &["A command affects the run after it: after a run of the same command rsort data is 2.80 times"],
    );
}

#[test]
fn runs_that_alternate_by_themselves_are_no_carry_over() {
    let with = |source| {
        let mut found = carrying(false, false);
        found.carry_over.as_mut().unwrap().source = Some(source);
        found
    };
    let own = with(RiseSource::Itself);
    let parts = "Of two runs in a row, B against A is +60.0 % in the first, −64.3 % in the second.";
    says(&brief(&own), &[parts, "runs alternate by themselves", "`--order ab` is out of step with them."]);
    says(
        &full(&own),
        &["; the programs alternate by themselves, and a verdict has to hold for both kinds of runs."],
    );
    let unclear = with(RiseSource::Unclear);
    says(
        &brief(&unclear),
        &[parts, "has to hold for first runs and for second ones. More pairs may decide it."],
    );
    assert!(!brief(&unclear).contains("affects the run after it"));
    assert!(!brief(&with(RiseSource::AnotherCommand)).contains("in a row"));
}

#[test]
fn two_modes_are_told_with_the_share_of_each_command() {
    let modes = ModeShares {
        low: 10e6,
        high: 13e6,
        cut: 11.5e6,
        share_a: 0.45,
        share_a_interval: [0.38, 0.52],
        share_b: 0.55,
        share_b_interval: [0.48, 0.62],
        side: Some(Side::B),
    };
    let named = Comparison { modes: Some(modes), ..slower() };
    says(
        &brief(&named),
        &[
            "There are two kinds of runs: some take about 10.00 ms, others about 13.00 ms. Of the slow kind are 45.0 % of \
             the runs of sort (99 % interval 38.0 % to 52.0 %) and 55.0 % of the runs of gsort (99 % interval 48.0 % to \
             62.0 %): gsort is slow more often.",
        ],
    );
    let alike = Comparison { modes: Some(ModeShares { side: None, ..modes }), ..slower() };
    assert!(!brief(&alike).contains("two kinds"), "modes that both share alike are a detail");
    says(&full(&alike), &["48.0 % to 62.0 %); a difference between these shares is not shown."]);
    let memory = ModeShares { low: 1_048_576.0, high: 2_097_152.0, ..modes };
    let memory = Comparison { metric: Metric::PEAK_MEMORY, modes: Some(memory), ..slower() };
    says(&brief(&memory), &["some have about 1.000 MiB, others about 2.000 MiB. Of the high kind are"]);
    let other =
        Comparison { is_mixture: true, modes: Some(ModeShares { side: Some(Side::A), ..modes }), ..slower() };
    says(&brief(&other), &["sort is slow more often."]);
    let opposed = |modes| brief(&Comparison { effect_ratio: 0.4, modes, ..slower() });
    says(
        &opposed(Some(modes)),
        &["Medians of all runs differ by", "a median of all runs is that of the one kind or of the other."],
    );
    assert!(!opposed(Some(modes)).contains("drift") && opposed(None).contains("share the drift"));
    let document = serde_json::to_value(&named).unwrap();
    assert_eq!(document["modes"]["share_b_interval"], serde_json::json!([0.48, 0.62]));
    assert_eq!(document["modes"]["side"], "b");
    assert!(serde_json::to_value(slower()).unwrap().get("modes").is_none());
}

#[test]
fn halves_that_do_not_agree_withhold_the_verdict() {
    let passing = Comparison {
        halves: Some([1.05, 1.001]),
        ..comparison("sort", "gsort", Verdict::Inconclusive, 1.0231, 0.0055)
    };
    says(
        &brief(&passing),
        &[
            "the means of all pairs, extreme ones capped, do not agree in the early and in the late half of the session \
             (+5.00 % against +0.10 %), so no verdict is given",
        ],
    );
    let now_and_then = Comparison { halves: None, tail_halves: Some([61, 22]), ..passing };
    says(
        &brief(&now_and_then),
        &[
            "large differences came mostly in one half of the session (61 pairs in the early half, 22 in the late one), so \
             no verdict is given",
        ],
    );
}

#[test]
fn a_mixture_has_no_single_shift() {
    let shift = |quantile, ratio| QuantileShift { quantile, ratio, low_ratio: ratio, high_ratio: ratio };
    let mixture = Comparison {
        is_mixture: true,
        quantiles: vec![shift(0.1, 0.99), shift(0.5, 1.02), shift(0.9, 1.31)],
        ..slower()
    };
    says(
        &brief(&mixture),
        &[
            "The difference is not the same for fast and for slow runs, so that the typical pair is the median of the pairs; \
             quantile by quantile from −1.00 % at 10.0 % to +31.0 % at 90.0 %.",
        ],
    );
    assert!(!brief(&slower()).contains("not the same for fast"));
}

#[test]
fn dropped_pairs_that_lean_withhold_equality() {
    let open = comparison("sort", "gsort", Verdict::Inconclusive, 1.0231, 0.0055);
    let dropped =
        |a, b, leans| Comparison { dropped_lean: Some(DroppedLean { a, b, leans }), ..open.clone() };
    says(
        &brief(&dropped(1, 14, true)),
        &[
            "Of 15 pairs that were dropped because a command waited for a CPU, gsort waited in 14, so ",
            "equivalent",
            " is withheld.",
        ],
    );
    let different = Comparison { dropped_lean: Some(DroppedLean { a: 9, b: 1, leans: true }), ..slower() };
    says(
        &brief(&different),
        &["Of 10 pairs that were dropped because a command waited for a CPU, sort waited in 9."],
    );
    assert!(!brief(&dropped(3, 4, false)).contains("dropped because"));
    says(
        &full(&dropped(3, 4, false)),
        &["for a CPU, sort waited in 3 and gsort waited in 4: chance allows this difference."],
    );
}

/// Documents of earlier versions have a mean with a plain interval, and none of the newer answers.
#[test]
fn documents_of_earlier_versions_are_read_and_told() {
    let written = serde_json::to_value(alike(Extent::Whole)).expect("a document");
    let mut old = written.clone();
    let fields = old.as_object_mut().expect("an object");
    for name in
        ["estimand", "gate", "mean_verdict", "carry_over", "spread", "halves", "is_mixture", "dropped_lean"]
    {
        fields.remove(name);
    }
    fields
        .insert("mean".to_owned(), serde_json::json!({ "ratio": 1.2, "low_ratio": 1.1, "high_ratio": 1.3 }));
    let read: Comparison = serde_json::from_value(old).expect("an earlier document is read");
    assert_eq!(
        read.mean.map(|it| (it.ratio, it.plain_ratio, it.cap, it.capped)),
        Some((1.2, None, None, [0, 0]))
    );
    let said = verdict_sentence(&read);
    assert!(said.contains("are equivalent: typical runs differ") && !said.contains("as a whole"), "{said}");
    says(&brief(&read), &["+20.0 % (+10.0 … +30.0)"]);
    let typical = Comparison { extent: Some(Extent::Typical), ..read };
    assert!(!verdict_sentence(&typical).contains("mean"), "{}", verdict_sentence(&typical));
    let again: Comparison = serde_json::from_value(written).expect("a document of today is read");
    assert_eq!(again, alike(Extent::Whole));
}

/// A command that becomes slower within a session: the report says when, in brief where the halves do not agree.
#[test]
fn a_level_that_changes_is_told_with_its_place() {
    let change = LevelChange {
        metric: Metric::WALL,
        run: 101,
        run_low: 98,
        run_high: 110,
        at_s: 4.2,
        at_low_s: 4.0,
        at_high_s: 4.6,
        ratio: 1.2,
        low_ratio: 1.15,
        high_ratio: 1.25,
    };
    let wanted = "The wall time of gsort changes from run 101 on (95 % interval 98 to 110), 4.200 s after the start \
                  (4.000 s to 4.600 s): +20.0 % (95 % interval +15.0 % to +25.0 %) against the runs before.";
    let moved = |comparison: Comparison| {
        let mut owned = comparisons::compare(comparison);
        let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
        found.commands[1].level_changes = vec![change; 5];
        owned
    };
    let torn = Comparison { halves: Some([1.0, 1.2]), ..slower() };
    says(&words(&brief_of(&moved(torn))), &[wanted, "gsort: 2 further changes of level."]);
    let whole = moved(slower());
    assert!(!words(&brief_of(&whole)).contains("changes from run"));
    says(&words(&whole.text(100)), &[wanted]);
    let mut run = crate::common::run(&["gsort"]);
    let Findings::Run(found) = &mut run.findings else { unreachable!("`run` was asked for") };
    found[0].level_changes = vec![LevelChange { run_low: 101, run_high: 101, ..change }];
    says(&words(&brief_of(&run)), &["from run 101 on, 4.200 s after the start: +20.0 %"]);
    let document: serde_json::Value =
        serde_json::from_str(&run.render(Format::Json, &Style::default())).expect("valid JSON");
    assert_eq!(document["commands"][0]["level_changes"][0]["run"], 101);
}
