//! Reports of every verb, as text and as Markdown.

use fauxplat_model::document::Findings;
use fauxplat_report::{Format, ReportError, Style};

use crate::common::Owned;
use crate::constructed as made;

/// Records of the verbs whose findings are not runs of commands, each with its name.
pub(crate) fn without_runs() -> Vec<(&'static str, Owned)> {
    vec![
        ("contend", made::contend()),
        ("capacity", made::capacity()),
        ("index", made::index()),
        ("latency", made::latency()),
        ("limit", made::limit()),
        ("limit_groups", made::limit_groups()),
        ("load", made::load()),
        ("tune", made::tune()),
        ("tune_list", made::tune_list()),
        ("replay", made::replay()),
        ("restore", made::restore()),
        ("lab", made::lab()),
        ("profile", crate::profile::one()),
        ("profile_two", crate::profile::two()),
        ("fleet", crate::fleet::odd()),
        ("fleet_clean", crate::fleet::clean()),
        ("fleet_compare", crate::fleet::compared()),
        ("fleet_watch", crate::fleet::watched()),
        ("table", made::table()),
        ("topo", made::topo()),
        ("topo_pick", made::topo_pick()),
    ]
}

#[test]
fn in_words() {
    for (name, owned) in without_runs() {
        insta::assert_snapshot!(format!("{name}_text"), owned.text(80));
        insta::assert_snapshot!(
            format!("{name}_markdown"),
            owned.render(Format::Markdown, &Style::default())
        );
    }
}

/// If tests of latencies are too short for a percentile, the answer names them in the order of the longest delay of
/// each.
#[test]
fn the_best_test_of_a_latency_comes_before_the_worst() {
    let answer = |times: [(Option<u64>, u64); 2]| {
        let mut owned = made::latency();
        let Findings::Latency(found) = &mut owned.findings else { panic!("a test of latency") };
        for (test, (p99_ns, max_ns)) in found.tests.iter_mut().zip(times) {
            (test.corrected.p99_ns, test.corrected.max_ns) = (p99_ns, max_ns);
            test.slack_ns = None;
        }
        owned.text(200).lines().next().unwrap_or_default().replace('\u{a0}', " ")
    };
    let silent = {
        let mut owned = made::latency();
        let Findings::Latency(found) = &mut owned.findings else { panic!("a test of latency") };
        found.tests.truncate(2);
        (found.tests[0].count, found.tests[0].missed) = (0, 0);
        owned.text(200).lines().next().unwrap_or_default().replace('\u{a0}', " ")
    };
    assert!(silent.contains("half within") && silent.contains("; nothing arrived at timer"), "{silent}");
    let (other, fifo) = ("(timer, CPU 1, other)", "(timer, CPU 1, fifo:50)");
    let short = format!("2 tests: all within 503.0 µs {fifo} to 2.023 ms {other}");
    assert_eq!(answer([(None, 2_023_000), (None, 503_000)]), short);
    let mixed = format!("2 tests: 99 % within 80.00 µs {other} to 503.0 µs {fifo}");
    assert_eq!(answer([(Some(80_000), 900_000), (None, 503_000)]), mixed);
    let mixed = format!("2 tests: 99 % within 33.00 µs {fifo} to 80.00 µs {other}");
    assert_eq!(answer([(Some(80_000), 900_000), (None, 33_000)]), mixed);
}

/// A format that `Format::suits` refuses for a verb cannot be written, and every format that it accepts can.
#[test]
fn the_formats_of_a_verb_are_those_that_have_a_form() {
    for (name, owned) in without_runs() {
        let verb = match name {
            "capacity" => "contend",
            "replay" => "aa",
            "topo_pick" => "pick",
            "fleet_compare" => "fleet-compare",
            "fleet_watch" => "fleet-watch",
            name => name.split('_').next().unwrap_or_default(),
        };
        for format in Format::ALL {
            let written = fauxplat_report::write(&owned.record(), format, &Style::default(), &mut Vec::new());
            // Some findings of a verb have no drawing, and some formats hold only one profile.
            let is_of_a_part = format == Format::Svg || name == "profile_two" || name == "tune_list";
            match format.suits(verb) {
                Ok(()) if is_of_a_part => {}
                Ok(()) => assert!(written.is_ok(), "{name} as {format}: {written:?}"),
                Err(_) => assert!(
                    matches!(written, Err(ReportError::NothingToExport { .. })),
                    "{name} as {format}: {written:?}"
                ),
            }
        }
    }
    assert!(Format::Svg.suits("index").is_err() && Format::Svg.suits("contend").is_ok());
    assert!(Format::HyperfineJson.suits("aa").is_err() && Format::HyperfineJson.suits("run").is_ok());
}
