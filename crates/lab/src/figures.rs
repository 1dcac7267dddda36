//! Figures of claims, extracted from the documents of a lab's experiments.

use fauxplat_analyze::{Combined, Found, LabReading, NoFigure, lab_figure};
use fauxplat_model::{LabClaim, LabGround, LabMeasured, Measure, NO_BOUND_LOG, Plain, Second};
use serde_json::Value;

use super::pointer::{self, Nothing};

/// A function that looks up the documents of an experiment by name: one per round; empty if the experiment was not run.
pub(crate) type Documents<'a> = dyn Fn(&str) -> &'a [Value] + 'a;

/// Error message about a mistake in the lab: a pointer to a place that no document of the experiment can have.
pub(crate) type Mistake = String;

/// The values at the pointers of a claim's checks: for each check, one value per round.
///
/// # Errors
/// Fails if a pointer names a place that no document of the experiment can have.
pub(crate) fn found(claim: &LabClaim, documents: &Documents<'_>) -> Result<Vec<Vec<Found>>, Mistake> {
    claim.checks.iter().map(|check| look(&check.experiment, &check.pointer, documents)).collect()
}

/// The values at the pointers of the reasons (`grounds`) by which a claim explains its outcome: for each reason, one
/// value per round; empty if its experiment was not run.
///
/// # Errors
/// Fails as [`found`] does.
pub(crate) fn grounds(claim: &LabClaim, documents: &Documents<'_>) -> Result<Vec<Vec<Found>>, Mistake> {
    claim.grounds.iter().map(|ground| ground_of(ground, documents)).collect()
}

/// The values by which a claim tells that something disturbed the measurement: for each condition that it names, one
/// value per round.
///
/// # Errors
/// Fails as [`found`] does.
pub(crate) fn disturbed(claim: &LabClaim, documents: &Documents<'_>) -> Result<Vec<Vec<Found>>, Mistake> {
    claim.disturbed.iter().map(|ground| ground_of(ground, documents)).collect()
}

/// The value on which a reason rests, in each round; with `over`, the quotient of two numbers of the same document.
fn ground_of(ground: &LabGround, documents: &Documents<'_>) -> Result<Vec<Found>, Mistake> {
    let found = look(&ground.experiment, &ground.pointer, documents)?;
    let Some(over) = &ground.over else { return Ok(found) };
    let by = look(&ground.experiment, over, documents)?;
    let ratio = |(one, by): (Found, Found)| match (one, by) {
        (Found::Value(Plain::Number(one)), Found::Value(Plain::Number(by))) if by != 0.0 => {
            Found::Value(Plain::Number(one / by))
        }
        _ => Found::Unmeasured,
    };
    Ok(found.into_iter().zip(by).map(ratio).collect())
}

fn look(experiment: &str, pointer: &str, documents: &Documents<'_>) -> Result<Vec<Found>, Mistake> {
    let each = |document| match pointer::at(document, pointer) {
        Ok(value) => plain(value)
            .map(Found::Value)
            .ok_or_else(|| format!("what stands at {pointer} of `{experiment}` is no plain value")),
        Err(Nothing::Absent) => Ok(Found::Absent),
        Err(Nothing::Unmeasured) => Ok(Found::Unmeasured),
        Err(Nothing::Nowhere) => Err(nowhere(experiment, pointer)),
    };
    documents(experiment).iter().map(each).collect()
}

fn nowhere(experiment: &str, pointer: &str) -> Mistake {
    format!("nothing stands at {pointer} of `{experiment}`: its document has no such place")
}

/// The figure of a claim, or the reason why there is none.
///
/// # Errors
/// Fails if a pointer names a place that no document of the experiment can have.
pub(crate) fn figure(
    measure: &Measure,
    documents: &Documents<'_>,
) -> Result<Result<LabMeasured, NoFigure>, Mistake> {
    match combined(measure, documents) {
        Ok(figure) => Ok(Ok(figure)),
        Err(Missing::Figure(why)) => Ok(Err(why)),
        Err(Missing::FigureLocation(mistake)) => Err(mistake),
    }
}

enum Missing {
    Figure(NoFigure),
    FigureLocation(Mistake),
}

fn combined(measure: &Measure, documents: &Documents<'_>) -> Result<LabMeasured, Missing> {
    let first = reading(&FigureLocation::of(measure), documents)?;
    let second = [(Combined::Ratio, &measure.over), (Combined::Difference, &measure.minus)];
    let second = second.into_iter().find_map(|(how, second)| Some((how, second.as_ref()?)));
    let (first, second) = match second {
        None => (first, None),
        Some((how, second)) => {
            let place = FigureLocation::of_second(measure, second);
            let second = reading(&place, documents)?;
            match were_together(&measure.experiment, place.experiment, documents) {
                true => (first, Some((how, second))),
                false => (alone(first)?, Some((how, alone(second)?))),
            }
        }
    };
    lab_figure(first, second, measure.times.unwrap_or(1.0)).map_err(unfit)
}

fn unfit(why: String) -> Missing {
    Missing::Figure(NoFigure::Unfit(why))
}

/// Whether two lists of figures can be paired element by element: lists of one experiment, or of two experiments that
/// took turns in rounds. Lists of experiments that ran one after the other are unrelated, even if they have one length.
fn were_together(first: &str, second: &str, documents: &Documents<'_>) -> bool {
    first == second || (documents(first).len() > 1 && documents(second).len() > 1)
}

/// Summarises the readings of one experiment as a figure with its own interval.
fn alone(reading: LabReading) -> Result<LabReading, Missing> {
    lab_figure(reading, None, 1.0).map(LabReading::Interval).map_err(unfit)
}

struct FigureLocation<'a> {
    experiment: &'a str,
    value: &'a str,
    ends: Option<(&'a str, &'a str)>,
    exact: bool,
}

impl<'a> FigureLocation<'a> {
    fn of(measure: &'a Measure) -> Self {
        FigureLocation {
            experiment: &measure.experiment,
            value: &measure.value,
            ends: measure.low.as_deref().zip(measure.high.as_deref()),
            exact: measure.exact,
        }
    }

    fn of_second(measure: &'a Measure, second: &'a Second) -> Self {
        let first = FigureLocation::of(measure);
        FigureLocation {
            experiment: second.experiment.as_deref().unwrap_or(first.experiment),
            value: second.value.as_deref().unwrap_or(first.value),
            ends: second.low.as_deref().zip(second.high.as_deref()).or(first.ends),
            exact: first.exact,
        }
    }
}

fn reading(place: &FigureLocation<'_>, documents: &Documents<'_>) -> Result<LabReading, Missing> {
    let number =
        |document: &Value, pointer: &str| place.number(place.at(pointer::at(document, pointer), pointer)?);
    match documents(place.experiment) {
        [] => Err(Missing::Figure(NoFigure::Unmeasured(format!("`{}` gave no document", place.experiment)))),
        [document] if place.value.contains("/*") => {
            place.numbers(&place.at(pointer::all(document, place.value), place.value)?)
        }
        [document] => match (place.at(pointer::at(document, place.value), place.value)?, place.ends) {
            (Value::Array(values), _) => place.numbers(&values.iter().collect::<Vec<_>>()),
            (value, Some((low, high))) => {
                let value = place.number(value)?;
                let low = place.end(document, low, -NO_BOUND_LOG)?;
                let high = place.end(document, high, NO_BOUND_LOG)?;
                Ok(LabReading::Interval(LabMeasured { value, low, high }))
            }
            (value, None) if place.exact => {
                let value = place.number(value)?;
                Ok(LabReading::Interval(LabMeasured { value, low: value, high: value }))
            }
            (_, None) => {
                let why = format!("{} of `{}` has no interval", place.value, place.experiment);
                Err(Missing::Figure(NoFigure::Unfit(why)))
            }
        },
        rounds => {
            rounds.iter().map(|it| number(it, place.value)).collect::<Result<_, _>>().map(LabReading::Rounds)
        }
    }
}

impl FigureLocation<'_> {
    fn at<T>(&self, found: Result<T, Nothing>, pointer: &str) -> Result<T, Missing> {
        found.map_err(|nothing| match nothing {
            Nothing::Absent | Nothing::Unmeasured => self.unmeasured(pointer),
            Nothing::Nowhere => Missing::FigureLocation(nowhere(self.experiment, pointer)),
        })
    }

    /// Reads an end of an interval. An end of an interval of ratios that is `null` stands for "no bound", and becomes
    /// the ratio whose logarithm is `no_bound`.
    fn end(&self, document: &Value, pointer: &str, no_bound: f64) -> Result<f64, Missing> {
        match pointer::at(document, pointer) {
            Err(Nothing::Unmeasured) if pointer.ends_with("_ratio") => Ok(no_bound.exp()),
            found => self.number(self.at(found, pointer)?),
        }
    }

    fn unmeasured(&self, pointer: &str) -> Missing {
        let why = format!("`{}` measured nothing for {pointer}", self.experiment);
        Missing::Figure(NoFigure::Unmeasured(why))
    }

    fn number(&self, value: &Value) -> Result<f64, Missing> {
        value.as_f64().ok_or_else(|| match value {
            Value::Null => self.unmeasured(self.value),
            _ => Missing::FigureLocation(format!(
                "what stands at {} of `{}` is no number",
                self.value, self.experiment
            )),
        })
    }

    /// Reads a list of repetitions; every element has to be a number.
    fn numbers(&self, values: &[&Value]) -> Result<LabReading, Missing> {
        values.iter().map(|value| self.number(value)).collect::<Result<_, _>>().map(LabReading::Rounds)
    }
}

/// Converts a JSON value to a scalar; `None` for null, lists and objects.
fn plain(value: &Value) -> Option<Plain> {
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
    use fauxplat_model::is_no_bound;
    use serde_json::json;

    fn measure(text: &str) -> Measure {
        toml::from_str(text).unwrap()
    }

    /// The figure, or the reason why there is none, prefixed by its kind: unmeasured, unfit, or a mistake in the lab.
    fn of(text: &str, documents: &[Value]) -> Result<LabMeasured, String> {
        match figure(&measure(text), &|name| if name == "x" { documents } else { &[] }) {
            Ok(figure) => figure.map_err(|why| match why {
                NoFigure::Unmeasured(why) => format!("unmeasured: {why}"),
                NoFigure::Unfit(why) => format!("unfit: {why}"),
            }),
            Err(mistake) => Err(format!("mistake: {mistake}")),
        }
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

    /// Two lists rise in step, so that their ratio is exact only if they are paired. Figures of one round may be
    /// paired, and figures of experiments that ran at different times may not.
    #[test]
    fn lists_are_paired_only_where_they_were_run_together() {
        let numbers = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let list = |times: f64| json!({"all": numbers.map(|it| it * times)});
        let rounds = |times: f64| numbers.map(|it| json!({"one": it * times}));
        let ratio = |value: &str, first: &[Value], second: &[Value]| {
            let text = format!("experiment = 'x'\nvalue = '{value}'\nover = {{ experiment = 'y' }}");
            figure(&measure(&text), &|name| if name == "x" { first } else { second }).unwrap().ok().unwrap()
        };
        let in_turns = ratio("/one", &rounds(3.0), &rounds(1.0));
        assert_eq!(in_turns, LabMeasured { value: 3.0, low: 3.0, high: 3.0 });
        let one_by_one = ratio("/all", &[list(3.0)], &[list(1.0)]);
        assert_eq!(one_by_one, LabMeasured { value: 3.0, low: 3.0 / 32.0, high: 96.0 });
    }

    #[test]
    fn rounds_are_one_figure_and_each_of_them_is_checked() {
        let rounds: Vec<Value> = (1..=6).map(|it| json!({"value": it, "same": "a", "odd": it > 5})).collect();
        assert_eq!(of("experiment = 'x'\nvalue = '/value'", &rounds).unwrap().high, 6.0);
        let claim: LabClaim = toml::from_str(
            "name = 'c'\npublished = { statement = 's' }\n[[check]]\nexperiment = 'x'\npointer = '/same'\notherwise = ''\n\
             [[check]]\nexperiment = 'x'\npointer = '/odd'\nis = false\notherwise = ''",
        )
        .unwrap();
        let odd = |round: u32| Found::Value(Plain::Truth(round > 5));
        let expected = [vec![Found::Value(Plain::Text("a".into())); 6], (1..=6).map(odd).collect()];
        assert_eq!(found(&claim, &|_| rounds.as_slice()).unwrap(), expected);
    }

    #[test]
    fn a_pointer_that_finds_nothing_is_a_mistake_of_the_lab() {
        let documents = [json!({"n": 1, "list": [1, "two"], "of": [{"a": 1}], "word": "x", "low": 1})];
        for (value, words) in [
            ("/m", "nothing stands at /m of `x`"),
            ("/of/*/b", "nothing stands at /of/*/b"),
            ("/of/[b=1]/a", "nothing stands at /of/[b=1]/a"),
            ("/word/*/a", "nothing stands at"),
            ("/list", "is no number"),
            ("/word", "is no number"),
        ] {
            let told =
                of(&format!("experiment = 'x'\nvalue = '{value}'\nexact = true"), &documents).unwrap_err();
            assert!(told.starts_with("mistake: ") && told.contains(words), "{value}: {told}");
        }
        let ends = "experiment = 'x'\nvalue = '/n'\nlow = '/low'\nhigh = '/hihg'";
        assert!(of(ends, &documents).unwrap_err().contains("nothing stands at /hihg"));
        let second = "experiment = 'x'\nvalue = '/n'\nexact = true\nminus = { value = '/m' }";
        assert!(of(second, &documents).unwrap_err().starts_with("mistake: "));
    }

    #[test]
    fn what_a_machine_did_not_give_is_not_measured() {
        let documents = [json!({"n": null, "list": [1, null], "tests": [{"name": "a", "p": 1}], "none": []})];
        for value in ["/n", "/n/deeper", "/list", "/tests/[name=b]/p", "/tests/3/p", "/none/0/p"] {
            let told =
                of(&format!("experiment = 'x'\nvalue = '{value}'\nexact = true"), &documents).unwrap_err();
            assert!(told.starts_with("unmeasured: `x` measured nothing for "), "{value}: {told}");
        }
        // A single round without a figure leaves no figure for the claim.
        let rounds: Vec<Value> = (0..6).map(|it| json!({"n": (it != 3).then_some(it)})).collect();
        assert!(of("experiment = 'x'\nvalue = '/n'", &rounds).unwrap_err().starts_with("unmeasured: "));
        let few = [json!({"list": [1, 2, 3]})];
        assert!(of("experiment = 'x'\nvalue = '/list'", &few).unwrap_err().starts_with("unfit: "));
    }

    #[test]
    fn an_end_that_is_no_bound_leaves_the_other() {
        let document = [json!({"effect_ratio": 1.5, "ci_low_ratio": 1.2, "ci_high_ratio": null, "n": null})];
        let ends = "low = '/ci_low_ratio'\nhigh = '/ci_high_ratio'";
        let open = of(&format!("experiment = 'x'\nvalue = '/effect_ratio'\n{ends}"), &document).unwrap();
        assert_eq!((open.value, open.low), (1.5, 1.2));
        assert!(is_no_bound(open.high));
        let none = "low = '/n'\nhigh = '/ci_high_ratio'";
        let none = of(&format!("experiment = 'x'\nvalue = '/effect_ratio'\n{none}"), &document).unwrap_err();
        assert!(none.starts_with("unmeasured: `x` measured nothing for /n"), "{none}");
    }

    fn check(pointer: &str) -> LabClaim {
        let text = format!(
            "name = 'c'\npublished = {{ statement = 's' }}\n[[check]]\nexperiment = 'x'\npointer = '{pointer}'\notherwise = ''"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_check_tells_nothing_measured_from_a_place_that_is_none() {
        let documents = [json!({"said": null, "labels": [{"label": "a"}], "whole": {"a": 1}})];
        let at = |pointer: &str| found(&check(pointer), &|_| documents.as_slice());
        assert_eq!(at("/said").unwrap(), [[Found::Unmeasured]]);
        assert_eq!(at("/labels/[label=b]/label").unwrap(), [[Found::Absent]]);
        assert_eq!(at("/labels/[label=a]/label").unwrap(), [[Found::Value(Plain::Text("a".into()))]]);
        assert!(at("/sayd").unwrap_err().contains("nothing stands at /sayd of `x`"));
        assert!(at("/whole").unwrap_err().contains("is no plain value"));
        let never: &[Value] = &[];
        assert_eq!(found(&check("/x"), &|_| never).unwrap(), [Vec::<Found>::new()]);
    }
}
