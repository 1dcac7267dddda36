//! Tests of types that are written as a word: parsing inverts printing, documents contain the same word, and no input
//! panics.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use fauxplat_model::*;
use fauxplat_units::{Bytes, Cpu, CpuSet};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Checks that a value is equal after printing and parsing it, and after writing and reading it as a document.
fn survives<T>(value: &T) -> Result<(), TestCaseError>
where
    T: Display + FromStr<Err = String> + PartialEq + Debug + Serialize + DeserializeOwned,
{
    let text = value.to_string();
    let read = text.parse::<T>();
    prop_assert_eq!(read.as_ref(), Ok(value), "{}", text);
    let document = serde_json::to_string(value).unwrap();
    prop_assert_eq!(&document, &serde_json::to_string(&text).unwrap());
    prop_assert_eq!(&serde_json::from_str::<T>(&document).unwrap(), value);
    Ok(())
}

/// Checks that accepted input survives printing and parsing, and that refused input gives an error of one line.
fn is_read_or_told<T>(text: &str) -> Result<(), TestCaseError>
where
    T: Display + FromStr<Err = String> + PartialEq + Debug + Serialize + DeserializeOwned,
{
    match text.parse::<T>() {
        Ok(value) => survives(&value),
        Err(error) => {
            prop_assert!(!error.is_empty());
            let document = serde_json::to_string(text).unwrap();
            prop_assert!(serde_json::from_str::<T>(&document).is_err(), "{}", document);
            Ok(())
        }
    }
}

fn cpus() -> impl Strategy<Value = CpuSet> {
    btree_set(0u32..5000, 1..6).prop_map(|cpus| cpus.into_iter().map(Cpu).collect())
}

fn part() -> impl Strategy<Value = MachinePart> {
    prop_oneof![
        Just(MachinePart::Cpu),
        Just(MachinePart::Node),
        Just(MachinePart::Kind),
        (1u32..=4).prop_map(MachinePart::Cache),
        select(&GroupKind::ALL[..]).prop_map(MachinePart::Group),
    ]
}

/// Random relations to a CPU: other CPUs that share a part with it, do not share a part, or both.
fn related() -> impl Strategy<Value = Relation> {
    let to = |(other, same, cpu)| Relation::To { other, same, cpu: Cpu(cpu) };
    prop_oneof![
        (part().prop_map(Some), proptest::option::of(part()), 0u32..5000).prop_map(to),
        (Just(None), part().prop_map(Some), 0u32..5000).prop_map(to),
    ]
}

fn relation() -> impl Strategy<Value = Relation> {
    let words = [
        Relation::All,
        Relation::Isolated,
        Relation::NohzFull,
        Relation::PerformanceCores,
        Relation::EfficiencyCores,
    ];
    let leaf = prop_oneof![
        select(words.to_vec()),
        cpus().prop_map(Relation::List),
        (part(), cpus()).prop_map(|(part, numbers)| Relation::In(part, numbers)),
        related(),
        part().prop_map(Relation::OnePer),
        (1usize..10_000).prop_map(Relation::Quietest),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Relation::Not(Box::new(inner))),
            vec(inner.clone(), 2..4).prop_map(Relation::Every),
            vec(inner, 2..4).prop_map(Relation::Any),
        ]
    })
}

fn placement() -> impl Strategy<Value = Placement> {
    let spread = select(vec![Spread::Set, Spread::OneOf, Spread::IdleOf]);
    prop_oneof![
        Just(Placement::Auto),
        Just(Placement::Free),
        (spread, relation()).prop_map(|(spread, relation)| match relation {
            Relation::List(cpus) => spread.on(cpus),
            relation => Placement::Related(spread, relation),
        }),
    ]
}

/// Fragments of the words of all types, so that random combinations are nearly valid.
const PIECES: [&str; 46] = [
    "auto",
    "free",
    "one-of:",
    "idle-of:",
    "sibling-of:",
    "same-",
    "other-",
    "-same-",
    "core",
    "l3",
    "l9",
    "node",
    "one-per-",
    "quietest:",
    "isolated",
    "all",
    "!",
    "(",
    ")",
    "&",
    "|",
    "@",
    ":",
    ",",
    "-",
    "0",
    "1",
    "99",
    "4096",
    "18446744073709551616",
    "%",
    "+",
    ".",
    "none",
    "random",
    "inherit",
    "burner@",
    "cpu:",
    "memory:",
    "MiB",
    "fifo:",
    "rr:",
    "llc",
    "=",
    "/x",
    "é",
];

fn nearly() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(select(&PIECES[..]), 0..8).prop_map(|pieces| pieces.concat()),
        "\\PC{0,40}",
        any::<String>()
    ]
}

/// Failing cases are not written to a file, since each is fixed together with a test that names it.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_relation_is_read_as_it_is_printed(relation in relation()) {
        survives(&relation)?;
    }

    #[test]
    fn every_placement_is_read_as_it_is_printed(placement in placement()) {
        survives(&placement)?;
    }

    #[test]
    fn every_load_is_read_as_it_is_printed(
        kind in select(&LoadKind::ALL[..]), percent in 1u8..=100, cpus in relation()
    ) {
        survives(&kind)?;
        survives(&LoadSpec { kind, percent, cpus })?;
    }

    #[test]
    fn every_limit_and_background_is_read_as_it_is_printed(
        cpu_percent in proptest::option::of(1u32..), memory in proptest::option::of(1u64..1 << 62), percent in 1u8..=100,
        swap in proptest::option::of(0u64..1 << 62), weight in proptest::option::of(1u16..=10_000), cpu in 0u32..2000,
        reads in 1u64..1 << 62
    ) {
        let cpus = Some([Cpu(0), Cpu(cpu)].into_iter().collect());
        let io = vec![IoLimit { device: "8:16".into(), rates: vec![(IoRate::Reads, reads)] }];
        let memory = memory.map(Bytes);
        survives(&Limit { cpu_percent, memory, weight, swap: swap.map(Bytes), cpus, io, ..Limit::default() })?;
        for beside in [Beside::Same, Beside::Other, Beside::All] {
            survives(&Background::Burner { beside, percent })?;
        }
    }

    #[test]
    fn every_table_is_read_as_it_is_printed(
        name in "[^=]{1,12}", file in "(/|[a-z0-9:.*=]){1,20}", object in any::<Option<u64>>(), key in any::<Option<u64>>()
    ) {
        survives(&TableSource { name, file: file.into(), object, key })?;
    }

    /// A precision that a user wrote is equal after any number of passes through a document.
    #[test]
    fn a_number_of_runs_is_read_as_it_is_printed(count in 1u32.., digits in 1u32..99_999) {
        survives(&Runs::Count(count))?;
        let text = format!("{}%", f64::from(digits) / 1000.0);
        let read: Runs = text.parse().unwrap();
        prop_assert_eq!(read.to_string(), text);
        survives(&read)?;
    }

    /// Any other ratio is equal after it was printed once.
    #[test]
    fn every_precision_is_read_as_it_was_once_printed(ratio in 1e-6f64..0.99) {
        let text = Runs::Until(ratio).to_string();
        let read: Runs = text.parse().unwrap();
        prop_assert!(matches!(read, Runs::Until(again) if (again / ratio - 1.0).abs() < 1e-15), "{}", text);
        survives(&read)?;
    }

    #[test]
    fn hostile_words_are_refused_or_read(text in nearly()) {
        is_read_or_told::<Relation>(&text)?;
        is_read_or_told::<Placement>(&text)?;
        is_read_or_told::<Policy>(&text)?;
        is_read_or_told::<EnvPad>(&text)?;
        is_read_or_told::<Heap>(&text)?;
        is_read_or_told::<Limit>(&text)?;
        is_read_or_told::<Background>(&text)?;
        is_read_or_told::<LoadSpec>(&text)?;
        is_read_or_told::<TableSource>(&text)?;
        is_read_or_told::<Runs>(&text)?;
    }
}

/// A number in a document stands for its digits; any other type is refused with an error that names the expected form.
#[test]
fn numbers_are_words_and_nothing_else_is() {
    assert_eq!(serde_json::from_str::<Placement>("3").unwrap(), "3".parse().unwrap());
    assert_eq!(serde_json::from_str::<EnvPad>("64").unwrap(), EnvPad::Bytes(64));
    assert_eq!(serde_json::from_str::<Runs>("10").unwrap(), Runs::Count(10));
    for bad in ["-1", "1.5", "true", "null", "[3]", "{\"cpu\": 3}"] {
        assert!(serde_json::from_str::<EnvPad>(bad).is_err(), "{bad}");
        assert!(serde_json::from_str::<Runs>(bad).is_err(), "{bad}");
        assert!(serde_json::from_str::<Placement>(bad).is_err(), "{bad}");
    }
    let error = serde_json::from_str::<Heap>("[]").unwrap_err().to_string();
    assert!(error.contains("a word or a number"), "{error}");
}
