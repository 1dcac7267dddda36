//! The report of a suite as a comment on a pull request, whose length is limited.

use fauxplat_model::document::{Findings, Header, OwnFindings, Record};
use fauxplat_report::{Format, Style, know_reports, write};
use fauxplat_suite::analysis::{Rule, not_measured};
use fauxplat_suite::findings::{Benchmark, Control, Ratio, SCHEMA, State, StoppedBy, SuiteFindings};
use fauxplat_suite::report::SuiteReport;

/// Maximum number of characters of a comment on GitHub.
const COMMENT_MAX: usize = 65_536;

/// Findings about two thousand benchmarks with long names, units and reasons, none of which is unchanged.
fn large() -> SuiteFindings {
    let rule = Rule { level: 0.01, margin: 0.03, control: Control::Family, gate: None, needs_verdict: false };
    let names: Vec<String> = (0..2000).map(|number| format!("{number}/{}", "name<".repeat(1000))).collect();
    let benchmark = |(number, name): (usize, &String)| {
        let none = not_measured(name, "why ".repeat(1000), &rule);
        let ratio = 1.0 + number as f64 / 1000.0;
        let effect = Some(Ratio { ratio, low: Some(ratio), high: Some(ratio) });
        let (a, b, unit) = (Some(1.0), Some(ratio), "unit".repeat(1000));
        match number % 3 {
            0 => none,
            1 => Benchmark { state: State::Slower, trouble: None, effect, a, b, unit, pairs: 20, ..none },
            _ => Benchmark {
                state: State::Undecided,
                effect,
                a,
                b,
                unit,
                pairs: 20,
                is_given_up: true,
                ..none
            },
        }
    };
    SuiteFindings {
        harness: "lines:x".to_owned(),
        programs: ["./a".to_owned(), "./b".to_owned()],
        are_same_file: Some(false),
        control: Control::Family,
        level: 0.01,
        margin: 0.03,
        fail_if: Vec::new(),
        seed: 1,
        order: None,
        is_weaker: false,
        benchmarks: names.iter().enumerate().map(benchmark).collect(),
        new: names.clone(),
        gone: names.clone(),
        mean: None,
        common: None,
        groups: Vec::new(),
        parameters: Vec::new(),
        processes: 40,
        processes_by_side: Default::default(),
        skips_failures: false,
        elapsed_s: 1.0,
        stopped_by: StoppedBy::Time,
    }
}

#[test]
fn a_comment_has_the_worst_and_fits() {
    know_reports(vec![&SuiteReport]);
    let findings = Findings::Own(OwnFindings::new(SCHEMA, &large()).unwrap());
    let record = Record { header: &Header::default(), commands: &[], samples: &[], findings: &findings };
    let mut out = Vec::new();
    write(&record, Format::Markdown, &Style::default(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.chars().count() < COMMENT_MAX, "{} characters", text.chars().count());
    assert!(text.contains("left out here"), "{text}");
    // The largest change is that of the last benchmark of its state.
    assert!(text.contains("1999/name"), "{text}");
}
