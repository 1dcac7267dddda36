//! Text reports with different amounts of detail. The snapshots are meant to be read.

use fauxplat_model::Verdict::{Different, Equivalent, Inconclusive};
use fauxplat_model::document::Findings;
use fauxplat_report::{Detail, Format, Style, View, write_with_evidence};

use crate::common::{self, Owned};
use crate::comparisons::{self, comparison};
use crate::{html, sweep};

/// Maximum number of lines of a brief report of two commands.
const LINES_MAX: usize = 14;

fn rendered(owned: &Owned, format: Format, detail: Detail) -> String {
    in_columns(80, owned, format, detail)
}

fn in_columns(width: usize, owned: &Owned, format: Format, detail: Detail) -> String {
    let mut out = Vec::new();
    let (style, view) = (Style { width, ..Style::default() }, View { detail, ..View::default() });
    write_with_evidence(&owned.record(), &[], format, (&style, &view), &mut out).expect("memory has room");
    String::from_utf8(out).expect("reports are UTF-8")
}

/// Removes the warnings of a record.
fn calm(mut owned: Owned) -> Owned {
    owned.header.warnings.clear();
    owned
}

/// A record of `run` with two commands and their verdict.
fn run_of_two() -> Owned {
    let mut owned = common::run(&["gzip -1 -c access.log", "gzip -6 -c access.log"]);
    if let Findings::Run(found) = &mut owned.findings {
        let verdict = comparison("gzip -1 -c access.log", "gzip -6 -c access.log", Different, 2.71, 0.11);
        found[1].against_first = Some(Box::new(verdict));
    }
    owned
}

#[test]
fn two_commands_take_fourteen_lines() {
    let verdicts = [(Different, 1.0231, 0.0055), (Equivalent, 1.0005, 0.004), (Inconclusive, 1.0075, 0.0115)];
    let names = [
        ["gzip -1 -c access.log", "gzip -6 -c access.log"],
        [
            "./target/release/parse --threads 4 --input /data/measurements/2026/access.log --old",
            "./target/release/parse --threads 4 --input /data/measurements/2026/access.log --new",
        ],
    ];
    let compared = names.into_iter().flat_map(|[a, b]| {
        verdicts.map(|(verdict, effect, half)| comparisons::compare(comparison(a, b, verdict, effect, half)))
    });
    for owned in compared.chain([run_of_two(), common::run(&["sort data"])]) {
        let text = rendered(&calm(owned), Format::Text, Detail::Brief);
        assert!(text.lines().count() <= LINES_MAX, "{text}");
        assert!(text.contains("repeat with: ") && !text.contains("condition: "), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn what_is_brief() {
    for (name, owned) in [
        ("compare", comparisons::compare(comparison("sort", "gsort", Different, 1.0231, 0.0055))),
        ("compare_three", comparisons::compare_three()),
        ("run", common::run(&["sort -n data"])),
        ("run_two", run_of_two()),
        ("run_troubled", common::troubled_run()),
        ("aa", common::aa()),
        ("sweep", sweep::owned(sweep::sizes())),
        ("explain", crate::explain::explained()),
    ] {
        insta::assert_snapshot!(format!("{name}_brief"), rendered(&owned, Format::Text, Detail::Brief));
        insta::assert_snapshot!(format!("{name}_line"), rendered(&owned, Format::Text, Detail::Line));
    }
}

/// Scripts that read the report in a line each rely on this number of lines.
#[test]
fn a_line_for_each_comparison_and_each_command() {
    let lines = |owned: &Owned| rendered(owned, Format::Text, Detail::Line).lines().count();
    assert_eq!(lines(&comparisons::compare(comparison("a", "b", Inconclusive, 1.0, 0.01))), 1);
    // The three lines are two comparisons with the first command, and the winner.
    assert_eq!(lines(&comparisons::compare_three()), 3);
    assert_eq!(lines(&common::run(&["a", "b", "c"])), 3);
}

/// Warnings are in every brief report, in whole sentences.
#[test]
fn a_warning_is_cut_at_the_end_of_a_sentence() {
    let mut owned = comparisons::compare_three();
    let long = format!("{}of ours.", "a neighbour took much of the time ".repeat(9));
    owned.header.warnings = vec![format!("{long} {long}"), format!("It is so. {long}"), "short".to_owned()];
    let text = rendered(&owned, Format::Text, Detail::Brief);
    let told: Vec<&str> = text.lines().filter(|line| line.starts_with("warning: ")).collect();
    // Three warnings are in the record; two more are about the dropped pairs, and about the cost of starting a process.
    assert_eq!(told.len(), 5, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let spread: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(spread.contains(&format!("warning: {long} …")), "{text}");
    assert!(spread.contains("warning: It is so. … warning: short"), "{text}");
    assert!(spread.contains("20 of 148 pairs were dropped"), "{text}");
    let whole = rendered(&owned, Format::Text, Detail::Full);
    assert_eq!(whole.split_whitespace().filter(|word| *word == "neighbour").count(), 27, "{whole}");
}

#[test]
fn only_text_is_brief_and_no_verb_is_silent() {
    for (name, owned) in html::all() {
        let of = |format| Detail::ALL.map(|detail| rendered(&owned, format, detail));
        for format in [Format::Html, Format::Markdown, Format::Json] {
            let [line, brief, whole] = of(format);
            assert!(line == whole && brief == whole, "{name}");
        }
        let [line, brief, whole] = of(Format::Text).map(|text| text.lines().count());
        assert!(0 < line && line <= brief && brief <= whole, "{name}: {line}, {brief}, {whole}");
    }
}

/// A percentile that would only be the slowest of few runs is not shown.
#[test]
fn a_percentile_takes_runs_enough() {
    let line = |runs: usize| {
        let mut owned = common::run(&["sort"]);
        let Findings::Run(found) = &mut owned.findings else { unreachable!("a run") };
        for summary in &mut found[0].summaries {
            (summary.n, summary.p99) = (runs, Some(summary.max));
        }
        let document: serde_json::Value =
            serde_json::from_str(&rendered(&owned, Format::Json, Detail::Full)).expect("JSON");
        let p99 = document["commands"][0]["summary"]["wall_ns"]["p99"].clone();
        let text = in_columns(200, &owned, Format::Text, Detail::Full);
        (p99, text.lines().find(|line| line.contains("percentiles in ")).map(str::to_owned))
    };
    let (few, some, many) = (line(19), line(99), line(100));
    assert!(few.0.is_null() && some.0.is_null() && many.0.is_number(), "{few:?} {some:?} {many:?}");
    let [few, some, many] = [few, some, many].map(|(_, text)| text.expect("a line of percentiles"));
    assert!(few.contains("p5 –") && few.contains("p95 –, p99 – (p5 and p95 need 20 runs, p99 100)"), "{few}");
    assert!(!some.contains("p95 –") && some.contains("p99 – (p99 needs 100 runs)"), "{some}");
    assert!(!many.contains('–'), "{many}");
    assert_eq!(line(4).1, None);
}
