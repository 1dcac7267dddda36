//! Tests of documents: unknown fields of a definition are refused, and findings of earlier and later versions are read.

use std::collections::BTreeSet;

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::*;
use fauxplat_units::{Cpu, Nanos};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn through_a_document<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// Arbitrary text, including text that is hard to quote or to display.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        select(vec!["", "\0", "\u{202e}", "{n}", "\"\\", "a=b", "--"]).prop_map(str::to_owned)
    ]
}

fn surroundings() -> impl Strategy<Value = Condition> {
    let placements = ["auto", "free", "0-3", "one-of:sibling-of:1", "idle-of:0,2"];
    (
        select(placements.to_vec()).prop_map(|text| text.parse().unwrap()),
        prop_oneof![
            Just(Policy::Other),
            (1u8..=99).prop_map(Policy::Fifo),
            (1u8..=99).prop_map(Policy::RoundRobin)
        ],
        of(any::<i8>()),
        select(vec![Aslr::Inherit, Aslr::On, Aslr::Off]),
        (select(vec![EnvBase::Inherit, EnvBase::Clean]), vec(text(), 0..3)),
        prop_oneof![
            Just(EnvPad::None),
            Just(EnvPad::Random),
            Just(EnvPad::Level),
            (0u16..=8192).prop_map(EnvPad::Bytes)
        ],
        prop_oneof![Just(Heap::Inherit), Just(Heap::Random), any::<u16>().prop_map(Heap::Bytes)],
        select(vec![HugePages::Inherit, HugePages::Never, HugePages::Malloc]),
        select(vec!["none", "cpu:50%", "memory:4096", "cpu:5%+memory:8"])
            .prop_map(|text| text.parse().unwrap()),
        of(any::<u32>()),
    )
        .prop_map(
            |(cpu, policy, nice, aslr, (env, env_set), env_pad, heap, huge_pages, limit, frequency_khz)| {
                Condition {
                    cpu,
                    policy: Some(policy),
                    nice,
                    aslr,
                    env,
                    env_set,
                    env_pad,
                    heap,
                    huge_pages,
                    limit,
                    frequency_khz,
                    ..Condition::default()
                }
            },
        )
}

fn condition() -> impl Strategy<Value = Condition> {
    let output = prop_oneof![
        Just(Output::Null),
        Just(Output::Inherit),
        text().prop_map(|path| Output::File(path.into()))
    ];
    let files = (of(text()), of(text()), output);
    let loads = vec(select(vec!["llc", "integer:30%@1", "memory@sibling-of:0"]), 0..3);
    let rest = (files, of(any::<u64>()), any::<[bool; 2]>(), vec(text(), 0..3), loads);
    (surroundings(), rest).prop_map(
        |(condition, ((stdin, cwd, output), timeout, [shell, ignore_failure], tune, loads))| Condition {
            stdin: stdin.map(Into::into),
            cwd: cwd.map(Into::into),
            timeout: timeout.map(Nanos),
            output,
            shell: if shell { Shell::Other("bash --norc".into()) } else { Shell::None },
            ignore_failure: match ignore_failure {
                true => IgnoredFailures::Statuses(vec![1, 255]),
                false => IgnoredFailures::All,
            },
            pin_threads: shell.then(|| "once:2,sibling-of:2,(node:0,2)".parse().unwrap()),
            memory_policy: if shell { "interleave:0-1,4" } else { "inherit" }.parse().unwrap(),
            tune,
            load: loads.into_iter().map(|text| text.parse().unwrap()).collect(),
            ..condition
        },
    )
}

fn command_line() -> impl Strategy<Value = CommandLine> {
    let build = (text(), vec(text(), 0..3)).prop_map(|(line, objects)| Build { line, objects });
    (text(), of(text()), vec(text(), 0..2), of(build), of(any::<u64>())).prop_map(
        |(command, name, env, build, link_seed)| CommandLine {
            conclude: name.clone(),
            setup: Some(command.clone()),
            command,
            name,
            env,
            build,
            link_seed,
            ..CommandLine::default()
        },
    )
}

fn definition() -> impl Strategy<Value = Definition> {
    let parameter = (text(), vec(text(), 0..4)).prop_map(|(name, values)| Parameter { name, values });
    let runs = prop_oneof![Just(Runs::Auto), (1u32..).prop_map(Runs::Count), Just(Runs::Until(0.07))];
    let metric = select(vec!["wall", "rate", "table:requests", "pmu:documents"]);
    let rule = (metric, any::<u32>(), any::<[bool; 2]>()).prop_map(|(metric, max_pairs, [anytime, duet])| {
        Rule { metric: Metric::from_id(metric).unwrap(), max_pairs, anytime, duet, ..Rule::default() }
    });
    let asked = (vec(command_line(), 0..3), vec(parameter, 0..3), condition(), runs, rule);
    let rest = (
        of(text()),
        of(text()),
        of(any::<u64>()),
        proptest::sample::subsequence(&Way::ALL[..], 0..=5),
        of(text()),
    );
    (asked, rest).prop_map(
        |((commands, parameters, condition, runs, rule), (prepare, sweep, seed, vary, check))| {
            let tables = vec!["a=/x:1.2".parse().unwrap()];
            Definition {
                commands,
                parameters,
                condition,
                runs,
                max_runs: seed.map(|seed| seed as u32),
                cleanup: check.clone(),
                prepare,
                tables,
                rule,
                sweep,
                seed,
                vary,
                check,
                ..Definition::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// An experiment is repeated from its definition, so every field must be read back exactly.
    #[test]
    fn a_definition_survives_as_a_document(definition in definition()) {
        prop_assert_eq!(through_a_document(&definition), definition);
    }

    /// An unknown field is refused, because a setting that is ignored would go unnoticed.
    #[test]
    fn a_definition_with_one_field_more_is_refused(definition in definition(), field in "[a-z]{12}") {
        let whole = serde_json::to_value(&definition).unwrap();
        for place in ["", "/condition", "/rule", "/command/0", "/parameter/0"] {
            let mut document = whole.clone();
            if let Some(Value::Object(fields)) = document.pointer_mut(place) {
                fields.insert(field.clone(), json!(1));
                let error = serde_json::from_value::<Definition>(document).unwrap_err().to_string();
                prop_assert!(error.contains(&field), "{}: {}", place, error);
            }
        }
    }
}

/// Omitted fields have defaults, so that a definition of an earlier version means the same in a later one.
#[test]
fn what_a_definition_leaves_out_has_its_default() {
    assert_eq!(serde_json::from_str::<Definition>("{}").unwrap(), Definition::default());
    let rule: Rule = serde_json::from_value(json!({ "metric": "cpu" })).unwrap();
    assert_eq!(rule, Rule { metric: Metric::CPU, ..Rule::default() });
    let line: CommandLine = serde_json::from_value(json!({ "command": "a" })).unwrap();
    assert_eq!(line, CommandLine { command: "a".into(), ..CommandLine::default() });
    assert!(serde_json::from_value::<Definition>(json!({ "rule": { "metric": "speed" } })).is_err());
    assert!(serde_json::from_value::<CommandLine>(json!({ "name": "a" })).is_err(), "a line needs a command");
}

fn no_lab() -> Value {
    json!({
        "question": "q",
        "experiment": [{ "name": "e", "line": "run true" }],
        "claim": [{ "name": "c", "published": { "statement": "s" },
            "measured": { "experiment": "e", "value": "/a" },
            "check": [{ "experiment": "e", "pointer": "/b", "otherwise": "o" }] }],
    })
}

/// A lab with an unknown field is refused, because a condition of a claim would go unnoticed.
#[test]
fn a_lab_is_read_strictly_wherever_a_word_is_unknown() {
    let lab: LabDefinition = serde_json::from_value(no_lab()).unwrap();
    assert_eq!((lab.rounds, &lab.needs), (1, &Needs::default()));
    assert_eq!(through_a_document(&lab), lab);
    for place in
        ["", "/experiment/0", "/claim/0", "/claim/0/published", "/claim/0/measured", "/claim/0/check/0"]
    {
        let mut document = no_lab();
        document.pointer_mut(place).unwrap()["misspelt"] = json!("x");
        let error = serde_json::from_value::<LabDefinition>(document).unwrap_err().to_string();
        assert!(error.contains("misspelt"), "{place}: {error}");
    }
    for plain in [json!(true), json!(1.5), json!("word")] {
        let mut document = no_lab();
        document["claim"][0]["check"][0]["is"] = plain.clone();
        let lab: LabDefinition = serde_json::from_value(document).unwrap();
        let said = lab.claims[0].checks[0].is.clone().unwrap();
        assert_eq!(serde_json::to_value(&said).unwrap(), plain);
        assert_eq!(said.to_string(), plain.as_str().map_or(plain.to_string(), str::to_owned));
    }
}

fn comparison() -> Comparison {
    Comparison {
        bounded: None,
        first_thread: false,
        a: "a".into(),
        b: "b".into(),
        metric: Metric::WALL,
        verdict: Verdict::Inconclusive,
        scope: Scope::Source,
        grade: Grade::AgainstBaseline,
        extent: None,
        difference_in: Vec::new(),
        beyond_margin: None,
        tail: None,
        estimand: fauxplat_model::Estimand::Typical,
        gate: None,
        typical: None,
        mean: None,
        mean_verdict: Verdict::Inconclusive,
        carry_over: None,
        modes: None,
        spread: None,
        halves: None,
        tail_halves: None,
        is_mixture: false,
        dropped_lean: None,
        quantiles: Vec::new(),
        effect_ratio: 1.25,
        ci_low_ratio: 0.5,
        ci_high_ratio: 2.0,
        bootstrap_low_ratio: 0.5,
        bootstrap_high_ratio: 2.0,
        p_value: 0.125,
        level: 0.01,
        margin: 0.01,
        margin_absolute: None,
        anytime: true,
        pairs: 7,
        dropped_pairs: 1,
        dropped: vec![Dropped { reason: DroppedReason::HeavySteal, pairs: 1 }],
        stopped_by: StoppedBy::Interrupt,
        pairs_needed: Some(90),
        variance: VarianceBudget::default(),
        secondary: Vec::new(),
        replication: None,
        exact: Some(ExactCounts { a: 1, b: 2, runs: 2 }),
    }
}

/// Findings of each kind that can be constructed without a machine.
fn findings() -> Vec<Findings> {
    let compare = CompareFindings {
        commands: Vec::new(),
        comparisons: vec![comparison()],
        winner: None,
        floor_ns: Some(0.5),
        elapsed_s: 1.5,
        variants: Vec::new(),
        duet_cpus: Some([Cpu(0), Cpu(2)]),
        disagreements: Vec::new(),
        profile: None,
    };
    vec![
        Findings::Run(Vec::new()),
        Findings::Compare(compare),
        Findings::Index(IndexFindings::default()),
        Findings::Limit(Box::default()),
        Findings::Load(LoadFindings::default()),
        Findings::Profile(Box::default()),
        Findings::Restore(RestoreFindings::default()),
        Findings::Lab(LabFindings::default()),
        Findings::LabCompare(Box::default()),
    ]
}

#[test]
fn a_comparison_of_no_pair_has_no_ratio_and_is_read_back() {
    let document = serde_json::to_value(Comparison { effect_ratio: f64::NAN, ..comparison() }).unwrap();
    assert_eq!(document["effect_ratio"], json!(null));
    let read: Comparison = serde_json::from_value(document).unwrap();
    assert!(read.effect_ratio.is_nan());
}

/// JSON has no infinity, so an end that is no bound is `null`. Documents of earlier versions have a number there.
#[test]
fn an_end_that_is_no_bound_is_null_and_is_read_back() {
    let ends = |at: f64| [(-at).exp(), at.exp()];
    let [low, high] = ends(NO_BOUND_LOG);
    let open = Comparison { ci_low_ratio: low, ci_high_ratio: high, ..comparison() };
    let mut document = serde_json::to_value(&open).unwrap();
    assert_eq!([&document["ci_low_ratio"], &document["ci_high_ratio"]], [&Value::Null; 2]);
    assert_eq!(document["bootstrap_low_ratio"], json!(0.5));
    let read = through_a_document(&open);
    assert!(read.ci_low_ratio < 1.0 && is_no_bound(read.ci_low_ratio), "{read:?}");
    assert!(read.ci_high_ratio > 1.0 && is_no_bound(read.ci_high_ratio), "{read:?}");
    (document["ci_low_ratio"], document["ci_high_ratio"]) = (json!(low), json!(high));
    assert_eq!(serde_json::from_value::<Comparison>(document).unwrap(), open);
    let [low_ratio, high_ratio] = ends(14.0);
    let wide = RatioInterval { ratio: 1.0, low_ratio, high_ratio };
    assert_eq!(through_a_document(&wide), wide, "a wide interval has ends");
    let infinite = RatioInterval { ratio: 1.0, low_ratio: 0.0, high_ratio: f64::INFINITY };
    assert!(is_no_bound(through_a_document(&infinite).high_ratio));
}

/// The findings of every verb write and read such an end alike, here the level of an explanation and of a sweep.
#[test]
fn an_end_that_is_no_bound_is_null_in_levels_and_peaks() {
    let [low, high] = [(-NO_BOUND_LOG).exp(), NO_BOUND_LOG.exp()];
    let (level, number, ratio) = (String::new(), None, 1.0);
    let effect = LevelEffect { level: level.clone(), runs: 1, ratio, ci_low_ratio: low, ci_high_ratio: high };
    let peak =
        Peak { level, number, ratio, ci_low_ratio: low, ci_high_ratio: high, p_adjusted: 1.0, blocks: 1 };
    for document in [serde_json::to_value(&effect).unwrap(), serde_json::to_value(&peak).unwrap()] {
        assert_eq!([&document["ci_low_ratio"], &document["ci_high_ratio"]], [&Value::Null; 2]);
    }
    assert_eq!(through_a_document(&effect), effect);
    assert_eq!(through_a_document(&peak), peak);
}

#[test]
fn findings_are_read_back_by_the_name_of_their_document_and_by_no_other() {
    let findings = findings();
    let names: BTreeSet<&str> = findings.iter().map(Findings::schema).collect();
    assert_eq!(names.len(), findings.len(), "each has a name of its own");
    for found in findings {
        let document = serde_json::to_value(&found).unwrap();
        let read = Findings::deserialize(found.schema(), document.clone()).unwrap().unwrap();
        assert_eq!(read, found);
        let version = format!("{}/9", found.schema().split('/').next().unwrap());
        assert!(Findings::deserialize(&version, document.clone()).is_none(), "{version} is not known here");
        assert!(Findings::deserialize("", document).is_none());
        assert!(Findings::deserialize(found.schema(), json!(3)).unwrap().is_err());
    }
}

/// Later versions only add fields to a document, so unknown fields are skipped when findings are read.
#[test]
fn findings_of_a_later_version_with_more_fields_are_read() {
    for found in findings() {
        let mut document = serde_json::to_value(&found).unwrap();
        let Value::Object(fields) = &mut document else { continue };
        fields.insert("added_later".into(), json!({ "anything": [1, null] }));
        if let Some(first) = document.pointer_mut("/comparisons/0") {
            first["added_later"] = json!(true);
        }
        assert_eq!(Findings::deserialize(found.schema(), document).unwrap().unwrap(), found);
    }
}

/// Fields of findings that were added later are optional, because documents of earlier versions lack them.
#[test]
fn findings_of_an_earlier_version_with_fewer_fields_are_read() {
    let mut compare = serde_json::to_value(&findings()[1]).unwrap();
    for field in ["variants", "duet_cpus"] {
        compare.as_object_mut().unwrap().remove(field);
    }
    let read = Findings::deserialize("fauxplat.compare/1", compare.clone()).unwrap().unwrap();
    assert!(
        matches!(read, Findings::Compare(found) if found.duet_cpus.is_none() && found.variants.is_empty())
    );
    compare.as_object_mut().unwrap().remove("comparisons");
    let error = Findings::deserialize("fauxplat.compare/1", compare).unwrap().unwrap_err().to_string();
    assert!(error.contains("comparisons"), "{error}");
}

#[test]
fn a_header_without_a_uuid_is_one_of_an_earlier_version() {
    let header = Header {
        fauxplat_version: "0".into(),
        id: Some(3),
        uuid: Some("u".into()),
        started: String::new(),
        invocation: vec!["fauxplat".into()],
        seed: u64::MAX,
        ..Header::default()
    };
    assert_eq!(through_a_document(&header), header);
    let mut document = serde_json::to_value(&header).unwrap();
    document.as_object_mut().unwrap().remove("uuid");
    assert_eq!(serde_json::from_value::<Header>(document).unwrap(), Header { uuid: None, ..header });
}

/// Whether less or more is better depends on the metric, and equality is not better.
#[test]
fn better_is_less_of_a_time_and_more_of_a_rate() {
    let of = |metric, effect_ratio| Comparison { metric, effect_ratio, ..comparison() }.b_is_better();
    assert!(of(Metric::WALL, 0.9) && !of(Metric::WALL, 1.1));
    assert!(of(Metric::RATE, 1.1) && !of(Metric::RATE, 0.9));
    assert!(!of(Metric::WALL, 1.0) && !of(Metric::RATE, 1.0));
}

/// If the mean alone differs, the mean decides which command is better, whatever the typical runs show.
#[test]
fn a_difference_of_means_has_a_direction_of_its_own() {
    let mean = MeanRatio {
        ratio: 1.12,
        low_ratio: 1.03,
        high_ratio: 1.2,
        plain_ratio: None,
        cap: None,
        capped: [0, 0],
    };
    let told = |difference_in: Vec<DifferenceIn>| Comparison {
        metric: Metric::WALL,
        effect_ratio: 0.999,
        mean: Some(mean),
        difference_in,
        ..comparison()
    };
    assert!(!told(vec![DifferenceIn::Mean]).b_is_better());
    assert!(told(vec![DifferenceIn::Typical, DifferenceIn::Mean]).b_is_better());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Recorded data are stored for years, so they must be read back exactly.
    #[test]
    fn evidence_survives_as_a_document(
        numbers in any::<[u64; 4]>(), small in any::<[u16; 2]>(), name in text(), list in vec(any::<u64>(), 0..5)
    ) {
        let shift = ShiftSample {
            round: small[0].into(), cell: small[1], units: numbers[0], wall_ns: numbers[1], cpu_ns: numbers[2],
            run_delay_ns: Some(numbers[3]), cpus: [Some(Cpu(small[0].into())), None], laps_cpu_ns: list.clone(),
            handover: Some(CacheTransfer { lines: 1, handed_ns: numbers[0], memory_ns: numbers[1] }),
            ..ShiftSample::default()
        };
        prop_assert_eq!(through_a_document(&shift), shift);
        let event = Event {
            at_ns: numbers[0], trial: None, name: name.clone(), message: name.clone(),
            figures: list.iter().map(|&value| (value.to_string(), value)).collect(),
        };
        prop_assert_eq!(through_a_document(&event), event);
        let histogram = Histogram {
            round: 0, cell: small[0], name, unit: Unit::Nanos, missed: numbers[3], bounds: list.clone(), counts: list,
        };
        prop_assert_eq!(through_a_document(&histogram), histogram);
    }

    /// Wall time is CPU time, waiting, and a rest; inconsistent clocks give a negative rest, not a panic.
    #[test]
    fn the_rest_of_a_shift_is_what_no_clock_explains(cpu_ns in 0u64..1 << 40, delay_ns in 0u64..1 << 40, wall_ns in 0u64..1 << 40) {
        let shift = ShiftSample { cpu_ns, wall_ns, run_delay_ns: Some(delay_ns), ..ShiftSample::default() };
        prop_assert_eq!(shift.rest_ns().unwrap() + (cpu_ns + delay_ns) as i64, wall_ns as i64);
        prop_assert_eq!(ShiftSample { run_delay_ns: None, ..shift.clone() }.rest_ns(), None);
        prop_assert!(shift.cpu_ns_per_unit().is_finite(), "no unit was done");
    }
}
