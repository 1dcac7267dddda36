//! Reports of fleets: machines, their map, and exports.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    AnswersDiffer, DifferenceIn, Estimand, FleetFindings, FleetMean, FleetTail, NodeState, Side, Verdict,
};
use fauxplat_report::{Format, ReportError, Style, write};
use serde_json::{Value, json};

use crate::common::Owned;
use crate::constructed::record;
use crate::grammars::open_metrics;

fn facts(bios: &str) -> Value {
    json!({ "cpu-model": "Example 9000", "bios": bios, "kernel": "6.1.0" })
}

fn machine(name: &str, state: &str, ratio: f64, more: Value) -> Value {
    let mut node = json!({
        "node": name, "group": 0, "runs": 40, "median": 1.0e8 * ratio, "z": (ratio - 1.0) / 0.01,
        "effect_ratio": ratio, "low": ratio - 0.008, "high": ratio + 0.008, "state": state, "reason": null,
        "rounds": 0, "facts": facts("1.4"),
    });
    for (field, value) in more.as_object().expect("fields") {
        node[field] = value.clone();
    }
    node
}

fn explained(slow: usize) -> Value {
    json!([{
        "fact": "bios", "same_as": ["bios-date"], "value": "1.2",
        "values": [
            { "value": "1.2", "machines": 3, "slow": slow, "effect_ratio": 1.09 },
            { "value": "1.4", "machines": 17, "slow": 0, "effect_ratio": 0.92 },
        ],
        "machines": 3, "of_machines": 20, "slow": slow, "of_slow": slow, "p_value": 0.001, "effect_ratio": 1.09,
        "low": 1.07, "high": 1.11,
    }])
}

/// A record of twenty machines in two racks, with every kind of anomaly.
pub(crate) fn odd() -> Owned {
    let mut nodes: Vec<Value> =
        (0..14).map(|at| machine(&format!("r{}-n{at}", at / 10), "normal", 1.0, json!({}))).collect();
    let differs = json!([{ "fact": "bios", "value": "1.2", "usual": "1.4", "usual_machines": 16, "shared_machines": 2 }]);
    nodes.push(machine(
        "r1-n14",
        "confirmed",
        1.1,
        json!({ "rounds": 6, "differs": differs, "facts": facts("1.2") }),
    ));
    nodes.push(machine(
        "r1-n15",
        "wrong-answer",
        1.0,
        json!({ "reason": "its answer is not that of the others" }),
    ));
    nodes.push(machine("r1-n16", "suspect", 1.08, json!({ "differs": differs })));
    nodes.push(machine(
        "r1-n17",
        "noisy",
        1.2,
        json!({ "rounds": 6, "warnings": ["3 % of the time was stolen"] }),
    ));
    nodes.push(machine("r1-n18", "cleared", 1.01, json!({ "rounds": 6 })));
    let nothing = json!({ "median": null, "z": null, "effect_ratio": null, "low": null, "high": null, "group": null, "runs": 0, "reason": "nothing came: down" });
    nodes.push(machine("r1-n19", "missing", 1.0, nothing.clone()));
    nodes.push(machine("r1-n20", "unreached", 1.0, nothing));
    nodes.push(machine(
        "r1-n21",
        "uncompared",
        1.0,
        json!({ "reason": "no other machine has its hardware" }),
    ));
    record(
        "fleet",
        json!({
            "fleet": "5f0c6d3e-0000-4000-8000-000000000001", "command": "sort data", "metric": "wall",
            "definition_sha256": "ef".repeat(32), "started_utc_ns": 1_500_000_000_000_000_000_i64,
            "least_effect": 0.03, "false_flags": 0.1, "nodes": nodes,
            "notices": [
                { "node": "r0-n3", "kind": "fast", "ratio": 0.5 },
                { "node": "r0-n4", "kind": "scatter", "ratio": 20.0 },
                { "node": "r0-n5", "kind": "runs", "ratio": 0.2 },
                { "node": "r0-n6", "kind": "fact", "ratio": null, "differs": {
                    "fact": "bios", "value": "1.3", "usual": "1.4", "usual_machines": 16, "shared_machines": 0,
                } },
            ],
            "groups": [{
                "facts": { "cpu-model": "Example 9000" }, "machines": 19, "median": 1.0e8, "rule": "robust",
                "between": 0.01, "between_runs": 0.004, "within": 0.012, "spread": 0.011, "max_min_ratio": 1.21,
                "z_threshold": 3.4, "smallest_detectable": 1.045,
            }],
            "facts_explained": explained(3), "facts_tested": ["bios", "bios-date", "kernel"],
            "answers": [
                { "command": 0, "group": null, "sha256": "ab".repeat(32), "machines": 18, "majority": true },
                { "command": 0, "group": null, "sha256": "cd".repeat(32), "machines": 1, "majority": false },
            ],
            "again": {
                "rounds": [["r0-n1", "r1-n16", "r0-n2"]], "suspects": [{ "node": "r1-n16", "references": ["r0-n1", "r0-n2"] }],
                "left_out": [{ "node": "r1-n3", "reason": "no machine of its group can be measured beside it" }],
            },
            "deliveries": [{ "node": "r1-n19", "round": 0, "attempt": 2, "state": "missing", "reason": "down" }],
        }),
    )
}

/// The record [`odd`] without the odd machines.
pub(crate) fn clean() -> Owned {
    let mut owned = odd();
    let found = findings(&mut owned);
    found.nodes.retain(|node| node.state == NodeState::Normal);
    found.facts_explained.clear();
    found.notices.clear();
    found.answers.clear();
    found.deliveries.clear();
    found.again = None;
    owned
}

fn findings(owned: &mut Owned) -> &mut FleetFindings {
    match &mut owned.findings {
        Findings::Fleet(found) => found,
        _ => unreachable!("it is a fleet"),
    }
}

pub(crate) fn compared() -> Owned {
    let node = |at: usize, ratio: f64| json!({ "node": format!("n{at}"), "pairs": 8, "effect_ratio": ratio, "low": ratio - 0.01, "high": ratio + 0.01, "reason": null, "facts": facts("1.4") });
    let mut nodes: Vec<Value> = (0..12).map(|at| node(at, if at < 3 { 1.0 } else { 0.979 })).collect();
    nodes.push(json!({ "node": "n99", "pairs": 0, "effect_ratio": null, "low": null, "high": null, "reason": "failed: no space", "facts": {} }));
    record(
        "fleet-compare",
        json!({
            "fleet": "5f0c6d3e-0000-4000-8000-000000000002", "a": "old", "b": "new", "metric": "wall", "margin": 0.01,
            "verdict": "different", "machines": 12, "effect_ratio": 0.984, "low": 0.979, "high": 0.989,
            "p_value": 0.0002, "p_sign_flip": 0.0005, "between": 0.009, "nodes": nodes, "facts_explained": explained(3),
            "elsewhere": { "machines": 9, "effect_ratio": 0.979, "low": 0.976, "high": 0.982 },
            "answers": [], "deliveries": [],
        }),
    )
}

pub(crate) fn watched() -> Owned {
    let change = json!({ "fact": "microcode", "before": "0x1", "after": "0x2" });
    let medians: Vec<f64> =
        (0..12).map(|at| if at < 6 { 1.0e8 } else { 1.06e8 } + f64::from(at) * 1e4).collect();
    let at: Vec<i64> = (0..12).map(|at| at * 86_400_000_000_000).collect();
    record(
        "fleet-watch",
        json!({
            "command": "sort data", "metric": "wall", "alpha": 0.01, "min_segment": 4,
            "nodes": [
                {
                    "node": "n1", "medians": medians, "at_utc_ns": at, "reason": null,
                    "changes": [{
                        "at": 6, "at_utc_ns": 6, "before": 1.0e8, "after": 1.06e8, "effect_ratio": 1.06, "low": 1.05,
                        "high": 1.07, "p_value": 0.0001, "q_value": 0.0003, "facts": [change],
                    }],
                },
                { "node": "n2", "medians": [1.0e8], "at_utc_ns": [0], "changes": [], "reason": "1 visit is too few to see a change" },
            ],
            "since": [{ "fact": "microcode", "before": "0x1", "after": "0x2", "machines": 3, "with_change": 1, "effect_ratio": 1.06, "low": 1.04, "high": 1.08 }],
        }),
    )
}

#[test]
fn the_answer_names_what_is_wrong() {
    let text = odd().text(100);
    for said in [
        "r1-n15 gives a different answer",
        "r1-n14 is 10.0 % slower",
        "all 3 of the slow ones",
        "BIOS 1.2, not 1.4",
        "r0-n3 is faster than machines like it",
        "r0-n4 scatters more than the others",
        "r0-n5 made a different number of runs",
        "r0-n6 differs in a fact",
        "could not be asked",
        "BIOS 1.2: 9.00 % slower, 3 machines",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(said), "{said}: {text}");
    }
    assert!(clean().text(100).contains("none is out of line"));
    let text = compared().text(100).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("on all but the 3 with BIOS 1.2"), "{text}");
}

/// The sentence about whether both programs printed the same answers precedes any time.
#[test]
fn other_answers_of_the_second_program_come_first() {
    let mut owned = compared();
    assert!(!owned.text(100).contains("a different answer"), "an earlier document says nothing of it");
    let Findings::FleetCompare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    found.answers_differ = Some(AnswersDiffer { machines: 11, of: 12 });
    let text = owned.text(100).split_whitespace().collect::<Vec<_>>().join(" ");
    let (answers, verdict) = (text.find("on 11 of 12 machines"), text.find("on all but the 3"));
    assert!(
        text.contains("new gives a different answer than old") && answers.unwrap() < verdict.unwrap(),
        "{text}"
    );
}

/// A mean that slow runs change is reported even if typical runs are alike.
#[test]
fn means_and_slow_runs_of_a_fleet_are_told() {
    let mut owned = compared();
    let Findings::FleetCompare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    found.difference_in = vec![DifferenceIn::Tail];
    found.mean = Some(FleetMean {
        ratio: 1.05,
        low_ratio: 1.04,
        high_ratio: 1.06,
        plain_ratio: 1.9,
        cap: 1.5,
        capped: [0, 40],
        verdict: Verdict::Different,
    });
    found.tail = Some(FleetTail {
        margin: 0.03,
        threshold_ratio: 1.5,
        share_a: 0.0,
        share_b: 0.1,
        excess: 0.1,
        low: 0.07,
        high: 0.13,
        excess_excluded: 0.14,
        side: Some(Side::B),
        verdict: Verdict::Different,
    });
    let text = owned.text(100).replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "new is not the same as old on 12 machines, although its typical runs are",
        "Means of new differ: +5.00 % (99 % interval +4.00 % to +6.00 %; 40 runs lie beyond 1.5 times the typical figure, without capping these +90.0 %).",
        "new is much slower than usual in more runs than old: 10.0 % of its runs against",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!compared().text(100).contains("Means of"), "an earlier document says nothing of it");
    let mut changed = watched();
    let Findings::FleetWatch(found) = &mut changed.findings else { unreachable!("it is a watch") };
    found.nodes[0].changes[0].estimand = Estimand::Mean;
    assert!(changed.text(200).contains("in the mean"), "{}", changed.text(200));
}

/// Every machine is a square whose tooltip has its name.
#[test]
fn the_map_has_every_machine_in_its_rack() {
    let page = odd().render(Format::Html, &Style::default());
    let map = page.split("<svg").find(|svg| svg.contains("The fleet by the names")).expect("a map");
    for at in 0..20 {
        assert!(map.contains(&format!("-n{at}: ")), "n{at}");
    }
    assert!(map.contains(">r0-n<") && map.contains(">r1-n<"), "{map}");
}

#[test]
fn others_that_watch_fleets_can_read_it() {
    let mut owned = odd();
    findings(&mut owned).nodes[0].node = "a\"b\\c\nd\u{202e}".into();
    findings(&mut owned).nodes[1].node = "a\"b\\c\\nd\\u{202e}".into();
    let samples = open_metrics(&owned.render(Format::OpenMetrics, &Style::default()));
    let value = |family: &str, label: &str, wanted: &str| {
        samples
            .iter()
            .find(|(name, labels, _)| name == family && labels.get(label).is_some_and(|it| it == wanted))
            .map(|it| it.2)
    };
    assert_eq!(value("fauxplat_fleet_effect_ratio", "node", "r1-n14"), Some(1.1));
    assert_eq!(value("fauxplat_fleet_machines", "state", "wrong-answer"), Some(1.0));
    assert_eq!(value("fauxplat_fleet_smallest_detectable_ratio", "group", "0"), Some(1.045));
    assert_eq!(value("fauxplat_fleet_effect_ratio", "node", "r1-n19"), None, "it was not measured");
    let median = value("fauxplat_fleet_median_seconds", "node", "r1-n14").unwrap();
    assert!((median - 0.11).abs() < 1e-9, "{median}");
    assert_eq!(value("fauxplat_fleet_run_timestamp_seconds", "metric", "wall"), Some(1.5e9));
    assert_eq!(value("fauxplat_fleet_notice", "fact", "bios"), Some(1.0));
    // A collector may hold the results of two benchmarks, so every series names its benchmark.
    findings(&mut owned).command = "another".into();
    let other = open_metrics(&owned.render(Format::OpenMetrics, &Style::default()));
    let both = samples.iter().chain(&other).map(|(name, labels, _)| (name, labels));
    assert_eq!(both.collect::<std::collections::BTreeSet<_>>().len(), samples.len() + other.len());
    assert!(
        samples.iter().all(|(_, labels, _)| labels.values().all(|value| !value.contains(['\n', '\u{202e}'])))
    );
}

#[test]
fn an_engine_gets_the_confirmed_and_nobody_else() {
    let mut owned = odd();
    let evil = "n1; rm -rf / #\n$(reboot)`id`";
    let nodes = &mut findings(&mut owned).nodes;
    nodes[0] = fauxplat_model::FleetNode { node: evil.into(), ..nodes[14].clone() };
    findings(&mut owned).command = "a\nscontrol update NodeName=all State=DOWN".into();
    let lines = owned.render(Format::SlurmDrain, &Style::default());
    let commands: Vec<&str> = lines.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        commands,
        [
            "scontrol update NodeName=r1-n14 State=DRAIN Reason=\"fauxplat: 10.0 percent slower than its group in 6 rounds\""
        ]
    );
    assert!(lines.contains("# left out"), "{lines}");
    let mut out = Vec::new();
    let error = write(&compared().record(), Format::SlurmDrain, &Style::default(), &mut out).unwrap_err();
    assert!(matches!(error, ReportError::NothingToExport { .. }), "{error}");
}

#[test]
fn a_terminal_is_shown_the_worst_and_a_page_all() {
    let mut owned = odd();
    let found = findings(&mut owned);
    let suspect = found.nodes[16].clone();
    found.nodes =
        (0..200).map(|at| fauxplat_model::FleetNode { node: format!("s{at}"), ..suspect.clone() }).collect();
    assert!(owned.text(100).lines().count() < 100);
    let page = owned.render(Format::Html, &Style::default());
    assert!((0..200).all(|at| page.contains(&format!("<code>s{at}</code>"))));
}
