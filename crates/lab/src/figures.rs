//! From the documents of a lab's experiments to the figures of its claims.

use fauxplat_analyze::{Combined, Found, LabReading, lab_figure};
use fauxplat_model::{LabClaim, LabMeasured, Measure, Plain, Second};
use serde_json::Value;

use super::pointer;

/// Documents of an experiment, one per round; none if it gave none.
pub(crate) type Documents<'a> = dyn Fn(&str) -> &'a [Value] + 'a;

/// What the documents say where the checks of a claim look; in rounds it must be the same everywhere.
pub(crate) fn found(claim: &LabClaim, documents: &Documents<'_>) -> Vec<Found> {
    let look = |check: &fauxplat_model::LabCheck| {
        let mut all = documents(&check.experiment).iter().map(|it| plain(pointer::at(it, &check.pointer)?));
        let first = all.next().flatten()?;
        let other = all.find(|it| it.as_ref() != Some(&first));
        other.map_or(Some(first), |other| other)
    };
    claim.checks.iter().map(look).collect()
}

/// The figure of a claim, or why there is none.
pub(crate) fn figure(measure: &Measure, documents: &Documents<'_>) -> Result<LabMeasured, String> {
    let first = reading(&Place::of(measure), documents)?;
    let second = [(Combined::Ratio, &measure.over), (Combined::Difference, &measure.minus)];
    let second = second.into_iter().find_map(|(how, second)| Some((how, second.as_ref()?)));
    let second = match second {
        Some((how, second)) => Some((how, reading(&Place::of_second(measure, second), documents)?)),
        None => None,
    };
    lab_figure(first, second, measure.times.unwrap_or(1.0))
}

/// Where a figure stands.
struct Place<'a> {
    experiment: &'a str,
    value: &'a str,
    ends: Option<(&'a str, &'a str)>,
    exact: bool,
}

impl<'a> Place<'a> {
    fn of(measure: &'a Measure) -> Self {
        Place {
            experiment: &measure.experiment,
            value: &measure.value,
            ends: measure.low.as_deref().zip(measure.high.as_deref()),
            exact: measure.exact,
        }
    }

    fn of_second(measure: &'a Measure, second: &'a Second) -> Self {
        let first = Place::of(measure);
        Place {
            experiment: second.experiment.as_deref().unwrap_or(first.experiment),
            value: second.value.as_deref().unwrap_or(first.value),
            ends: second.low.as_deref().zip(second.high.as_deref()).or(first.ends),
            exact: first.exact,
        }
    }
}

fn reading(place: &Place<'_>, documents: &Documents<'_>) -> Result<LabReading, String> {
    let nothing = |pointer: &str| format!("nothing stands at {pointer} of `{}`", place.experiment);
    let number = |document: &Value, pointer: &str| {
        pointer::at(document, pointer).and_then(Value::as_f64).ok_or_else(|| nothing(pointer))
    };
    match documents(place.experiment) {
        [] => Err(format!("`{}` gave no document", place.experiment)),
        [document] if place.value.contains("/*") => {
            let values = pointer::all(document, place.value).ok_or_else(|| nothing(place.value))?;
            numbers(&values).ok_or_else(|| nothing(place.value))
        }
        [document] => match (pointer::at(document, place.value), place.ends) {
            (None, _) => Err(nothing(place.value)),
            (Some(Value::Array(values)), _) => {
                numbers(&values.iter().collect::<Vec<_>>()).ok_or_else(|| nothing(place.value))
            }
            (_, Some((low, high))) => {
                let (value, low, high) =
                    (number(document, place.value)?, number(document, low)?, number(document, high)?);
                Ok(LabReading::Interval(LabMeasured { value, low, high }))
            }
            (_, None) if place.exact => {
                let value = number(document, place.value)?;
                Ok(LabReading::Interval(LabMeasured { value, low: value, high: value }))
            }
            _ => Err(format!("{} of `{}` has no interval", place.value, place.experiment)),
        },
        rounds => {
            rounds.iter().map(|it| number(it, place.value)).collect::<Result<_, _>>().map(LabReading::Rounds)
        }
    }
}

/// A list of repetitions, if all of it are numbers.
fn numbers(values: &[&Value]) -> Option<LabReading> {
    values.iter().map(|value| value.as_f64()).collect::<Option<_>>().map(LabReading::Rounds)
}

/// A value of a document, if it is a plain one.
fn plain(value: &Value) -> Found {
    match value {
        Value::Bool(truth) => Some(Plain::Truth(*truth)),
        Value::Number(number) => number.as_f64().map(Plain::Number),
        Value::String(text) => Some(Plain::Text(text.clone())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn measure(text: &str) -> Measure {
        toml::from_str(text).unwrap()
    }

    fn of(text: &str, documents: &[Value]) -> Result<LabMeasured, String> {
        let measure = measure(text);
        figure(&measure, &|name| if name == "x" { documents } else { &[] })
    }

    #[test]
    fn figures_have_an_interval_or_say_that_they_are_exact() {
        let document = [json!({"value": 2.0, "low": 1.0, "high": 4.0, "all": [1, 2, 3, 4, 5, 6]})];
        let bare = "experiment = 'x'\nvalue = '/value'\n";
        assert!(of(bare, &document).unwrap_err().contains("has no interval"));
        assert_eq!(of(&format!("{bare}exact = true"), &document).unwrap().high, 2.0);
        let whole = format!("{bare}low = '/low'\nhigh = '/high'\n");
        assert_eq!(of(&whole, &document).unwrap(), LabMeasured { value: 2.0, low: 1.0, high: 4.0 });
        let over = of(&format!("{whole}over = {{}}\ntimes = 10.0"), &document).unwrap();
        assert_eq!(over, LabMeasured { value: 10.0, low: 2.5, high: 40.0 });
        assert_eq!(of("experiment = 'x'\nvalue = '/all'", &document).unwrap().value, 3.5);
        let each: Vec<Value> = (1..=6).map(|it| json!({"wall": 4 * it, "cpu": it})).collect();
        let runs = [json!({"runs": each})];
        let paired = "experiment = 'x'\nvalue = '/runs/*/wall'\nover = { value = '/runs/*/cpu' }";
        assert_eq!(of(paired, &runs).unwrap(), LabMeasured { value: 4.0, low: 4.0, high: 4.0 });
        assert!(
            of("experiment = 'x'\nvalue = '/runs/*/none'", &runs).unwrap_err().contains("nothing stands")
        );
        assert!(
            of("experiment = 'x'\nvalue = '/none'\nexact = true", &document).unwrap_err().contains("/none")
        );
        assert!(of("experiment = 'y'\nvalue = '/value'", &document).unwrap_err().contains("no document"));
    }

    #[test]
    fn rounds_are_one_figure_and_must_agree_in_what_is_checked() {
        let rounds: Vec<Value> = (1..=6).map(|it| json!({"value": it, "same": "a", "odd": it > 5})).collect();
        assert_eq!(of("experiment = 'x'\nvalue = '/value'", &rounds).unwrap().high, 6.0);
        let claim: LabClaim = toml::from_str(
            "name = 'c'\npublished = { statement = 's' }\n[[check]]\nexperiment = 'x'\npointer = '/same'\notherwise = ''\n\
             [[check]]\nexperiment = 'x'\npointer = '/odd'\nis = false\notherwise = ''",
        )
        .unwrap();
        let found = found(&claim, &|_| rounds.as_slice());
        assert_eq!(
            found,
            [Some(Plain::Text("a".into())), Some(Plain::Truth(true))],
            "the one that differs is told"
        );
    }
}
