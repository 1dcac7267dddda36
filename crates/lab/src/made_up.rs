//! Made-up machines of a lab: values for the documents of its experiments, and expected outcomes of its claims.
//!
//! The machines are listed in `outcomes.toml` beside the definition. Each document is given by the values at its
//! pointers, and holds only values that the lab reads.

use std::collections::BTreeMap;

use fauxplat_model::{LabClaim, LabDefinition, LabOutcome, Measure};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Contents of a lab's `outcomes.toml`: made-up machines, with the outcomes that the lab's claims must have on them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outcomes {
    #[serde(default, rename = "machine")]
    pub(crate) machines: Vec<Machine>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Machine {
    /// Description of the machine, which explains the outcomes of the claims there.
    pub(crate) is: String,
    /// Name of an earlier machine from which this machine inherits values that it does not state.
    #[serde(default)]
    pub(crate) like: Option<String>,
    /// Expected outcome of all claims except those in `but`.
    pub(crate) expect: LabOutcome,
    /// Expected outcomes by claim, where they differ from `expect`.
    #[serde(default)]
    pub(crate) but: BTreeMap<String, LabOutcome>,
    /// Values that stand in the documents of the experiments, by experiment and JSON pointer.
    #[serde(default)]
    pub(crate) gives: BTreeMap<String, BTreeMap<String, Given>>,
    /// Reasons why experiments cannot run on this machine, by experiment.
    #[serde(default)]
    pub(crate) missing: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Given {
    Truth(bool),
    Number(f64),
    Text(String),
    /// A figure whose repetitions or interval lie between two ends.
    Between([f64; 2]),
    /// A value that was not measured, written as `{}`.
    Nothing(Empty),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Empty {}

/// Greatest length of a list in a made-up document, in elements.
const PLACES_MAX: usize = 10_000;

/// Number of repetitions that a made-up document has for a figure without an interval.
const READINGS: u32 = 12;

impl Outcomes {
    /// Fills in inherited values; `None` if `like` names a machine that is not listed earlier.
    pub(crate) fn whole(&self, machine: &Machine) -> Option<Machine> {
        let Some(other) = &machine.like else { return Some(machine.clone()) };
        let place = self.machines.iter().position(|it| it.is == machine.is)?;
        let mut whole = self.whole(self.machines[..place].iter().find(|it| it.is == *other)?)?;
        for (experiment, places) in &machine.gives {
            whole.missing.remove(experiment);
            whole.gives.entry(experiment.clone()).or_default().extend(places.clone());
        }
        for experiment in machine.missing.keys() {
            whole.gives.remove(experiment);
        }
        whole.missing.extend(machine.missing.clone());
        Some(Machine { gives: whole.gives, missing: whole.missing, ..machine.clone() })
    }
}

impl Machine {
    /// Fills in the options of a lab: an entry whose key mentions an option is repeated for each value of the option.
    pub(crate) fn filled(&self, options: &BTreeMap<String, Vec<String>>) -> Machine {
        Machine {
            but: keys(&self.but, options, Clone::clone),
            gives: keys(&self.gives, options, |places| keys(places, options, Clone::clone)),
            missing: keys(&self.missing, options, Clone::clone),
            ..self.clone()
        }
    }

    /// The documents of an experiment, one for each round; none if the experiment has no values.
    pub(crate) fn documents(&self, lab: &LabDefinition, experiment: &str) -> Vec<Value> {
        let Some(places) = self.gives.get(experiment) else { return Vec::new() };
        let document = |round| {
            let mut document = json!({});
            for (place, given) in places {
                write(&mut document, (lab, experiment), place, given, round);
            }
            document
        };
        (0..lab.rounds).map(document).collect()
    }
}

fn keys<A, B>(
    of: &BTreeMap<String, A>,
    options: &BTreeMap<String, Vec<String>>,
    change: impl Fn(&A) -> B,
) -> BTreeMap<String, B> {
    let each = |(key, value): (&String, &A)| -> Vec<(String, B)> {
        texts(key, options).into_iter().map(|key| (key, change(value))).collect()
    };
    of.iter().flat_map(each).collect()
}

/// Repeats a text for each value of every option that it mentions as `{name}`.
fn texts(text: &str, options: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    options.iter().fold(vec![text.to_owned()], |texts, (name, values)| {
        let place = format!("{{{name}}}");
        let each = |text: String| match text.contains(&place) {
            true => values.iter().map(|value| text.replace(&place, value)).collect(),
            false => vec![text],
        };
        texts.into_iter().flat_map(each).collect()
    })
}

fn write(
    document: &mut Value,
    (lab, experiment): (&LabDefinition, &str),
    place: &str,
    given: &Given,
    round: u32,
) {
    let value = match given {
        Given::Truth(truth) => json!(truth),
        Given::Number(number) => json!(number),
        Given::Text(text) => json!(text),
        Given::Nothing(_) => Value::Null,
        Given::Between([low, high]) => {
            if let Some([low_place, high_place]) = ends(lab, experiment, place) {
                put(document, &low_place, &|_| json!(low));
                put(document, &high_place, &|_| json!(high));
                json!(f64::midpoint(*low, *high))
            } else if lab.rounds > 1 {
                reading((*low, *high), round, lab.rounds)
            } else if place.contains("/*") {
                return put(document, place, &|at| reading((*low, *high), at, READINGS));
            } else {
                (0..READINGS).map(|at| reading((*low, *high), at, READINGS)).collect()
            }
        }
    };
    put(document, place, &|_| value.clone());
}

/// Element `at` of `count` readings, evenly spaced between the two ends.
fn reading((low, high): (f64, f64), at: u32, count: u32) -> Value {
    json!(low + (high - low) * f64::from(at) / f64::from(count - 1))
}

/// Pointers to the two ends of the interval of the figure at `place`; `None` if no claim reads an interval of that
/// figure.
fn ends(lab: &LabDefinition, experiment: &str, place: &str) -> Option<[String; 2]> {
    let measures = lab.claims.iter().filter_map(|claim: &LabClaim| claim.measured.as_ref());
    let own = measures.flat_map(figures);
    own.filter(|(of, value, _)| *of == experiment && *value == place).find_map(|(.., ends)| ends)
}

type Figure<'l> = (&'l str, &'l str, Option<[String; 2]>);

/// The figures of a measure: experiment, pointer to the value, and pointers to the ends of its interval.
fn figures(measure: &Measure) -> Vec<Figure<'_>> {
    let pair = |low: Option<&String>, high: Option<&String>| Some([low?.clone(), high?.clone()]);
    let first = pair(measure.low.as_ref(), measure.high.as_ref());
    let seconds = [&measure.over, &measure.minus].into_iter().flatten().map(|second| {
        let experiment = second.experiment.as_ref().unwrap_or(&measure.experiment);
        let value = second.value.as_ref().unwrap_or(&measure.value);
        let ends = pair(second.low.as_ref(), second.high.as_ref()).or_else(|| first.clone());
        (experiment.as_str(), value.as_str(), ends)
    });
    let one = (measure.experiment.as_str(), measure.value.as_str(), first.clone());
    std::iter::once(one).chain(seconds).collect()
}

/// Stores a value at a pointer, once per element where the pointer contains `*`; missing objects and lists are created.
fn put(document: &mut Value, place: &str, value: &dyn Fn(u32) -> Value) {
    put_at(document, place.strip_prefix('/').unwrap_or(place), 0, value);
}

fn put_at(at: &mut Value, place: &str, element: u32, value: &dyn Fn(u32) -> Value) {
    let (step, rest) = step(place);
    if step == "*" {
        let list = list(at);
        list.resize(list.len().max(READINGS as usize), Value::Null);
        for (element, one) in list.iter_mut().enumerate() {
            put_rest(one, rest, element as u32, value);
        }
        return;
    }
    put_rest(entry(at, step), rest, element, value);
}

fn put_rest(at: &mut Value, rest: &str, element: u32, value: &dyn Fn(u32) -> Value) {
    match rest {
        "" => *at = value(element),
        rest => put_at(at, rest, element, value),
    }
}

/// Splits a pointer into its first step and the rest. A value in brackets may contain a `/`.
fn step(place: &str) -> (&str, &str) {
    let end = match place.starts_with('[') {
        true => place.find(']').map_or(place.len(), |end| end + 1),
        false => place.find('/').unwrap_or(place.len()),
    };
    (&place[..end], place[end..].strip_prefix('/').unwrap_or(""))
}

fn entry<'v>(at: &'v mut Value, step: &str) -> &'v mut Value {
    let selector =
        step.strip_prefix('[').and_then(|it| it.strip_suffix(']')).and_then(|it| it.split_once('='));
    match (selector, step.parse::<usize>()) {
        (Some((key, wanted)), _) => element(list(at), key, wanted),
        (None, Ok(number)) if number < PLACES_MAX => {
            let list = list(at);
            list.resize(list.len().max(number + 1), Value::Null);
            &mut list[number]
        }
        // An index far beyond the end of any list becomes the name of a member, which no claim reads.
        (None, _) => {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            &mut at[step.replace("~1", "/").replace("~0", "~")]
        }
    }
}

/// Finds the element of a list whose member `key` has the value `wanted`, and appends such an element if there is none.
fn element<'v>(list: &'v mut Vec<Value>, key: &str, wanted: &str) -> &'v mut Value {
    let wanted = wanted.parse::<f64>().map_or_else(|_| json!(wanted), |number| json!(number));
    let at = list.iter().position(|one| one[key] == wanted).unwrap_or_else(|| {
        list.push(json!({ key: wanted }));
        list.len() - 1
    });
    &mut list[at]
}

fn list(at: &mut Value) -> &mut Vec<Value> {
    if !at.is_array() {
        *at = json!([]);
    }
    match at {
        Value::Array(list) => list,
        _ => unreachable!("it was made a list"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(places: &[(&str, Value)]) -> Value {
        let mut document = json!({});
        for (place, value) in places {
            put(&mut document, place, &|_| value.clone());
        }
        document
    }

    #[test]
    fn a_document_is_made_by_its_places() {
        let document = made(&[
            ("/pairs/1/ratio", json!(2)),
            ("/tests/[name=a/b]/p", json!(1)),
            ("/tests/[name=a/b]/q", json!(3)),
            ("/tests/[cpu=0]/p", json!(true)),
            ("/a~1b", json!("x")),
        ]);
        let expected = json!({
            "pairs": [null, { "ratio": 2 }], "a/b": "x",
            "tests": [{ "name": "a/b", "p": 1, "q": 3 }, { "cpu": 0.0, "p": true }],
        });
        assert_eq!(document, expected);
        let mut each = json!({});
        put(&mut each, "/runs/*/wall", &|at| json!(at));
        assert_eq!(each["runs"].as_array().unwrap().len(), READINGS as usize);
        assert_eq!((&each["runs"][0]["wall"], &each["runs"][11]["wall"]), (&json!(0), &json!(11)));
    }

    #[test]
    fn what_mentions_an_option_is_there_for_each_of_its_values() {
        let options = BTreeMap::from([("n".to_owned(), vec!["1".to_owned(), "2".to_owned()])]);
        let machine: Machine = toml::from_str(
            "is = 'x'\nexpect = 'reproduced'\nbut = { '{n} clients' = 'not here' }\n[gives.'one {n}']\n'/of/{n}' = [1.0, 2.0]",
        )
        .unwrap();
        let filled = machine.filled(&options);
        assert_eq!(filled.but.len(), 2);
        assert_eq!(filled.gives["one 2"].keys().collect::<Vec<_>>(), ["/of/1", "/of/2"]);
    }

    #[test]
    fn a_machine_may_be_like_another_but_for_what_it_says() {
        let outcomes: Outcomes = toml::from_str(
            "[[machine]]\nis = 'a'\nexpect = 'reproduced'\n[machine.gives.e]\n'/x' = 1.0\n'/y' = {}\n\
             [[machine]]\nis = 'b'\nlike = 'a'\nexpect = 'not here'\n[machine.gives.e]\n'/x' = 2.0\n\
             [[machine]]\nis = 'c'\nlike = 'b'\nexpect = 'cannot run here'\nmissing = { e = 'gone' }\n\
             [[machine]]\nis = 'd'\nlike = 'none'\nexpect = 'error'",
        )
        .unwrap();
        let whole = |at: usize| outcomes.whole(&outcomes.machines[at]);
        let second = whole(1).unwrap();
        assert!(matches!(second.gives["e"]["/x"], Given::Number(2.0)), "{second:?}");
        assert!(matches!(second.gives["e"]["/y"], Given::Nothing(_)), "{second:?}");
        assert!(whole(2).unwrap().gives.is_empty() && whole(3).is_none());
    }
}
