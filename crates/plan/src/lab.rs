//! Parser of labs: files of published claims and of the experiments that test them. Options are filled in, and a lab
//! whose claims could not be judged is refused before any experiment runs.

use std::collections::{BTreeMap, HashSet};

use fauxplat_model::{Claim, Direction, LabClaim, LabDefinition, LabExperiment, LabOption, Measure};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::definition::{DefinitionError, read, reason};

/// Values of a lab's options, by the name of the option; one option may have several values.
pub type LabSettings = BTreeMap<String, Vec<String>>;

/// Parses a lab. The value of an option replaces `{NAME}`. If the option has several values, each element of a list
/// that contains `{NAME}` is repeated for each value.
///
/// # Errors
/// Fails for broken TOML, an unknown name, a value of the wrong kind, or a claim that cannot be judged, with line and
/// column.
pub fn parse_lab(text: &str, settings: &LabSettings) -> Result<LabDefinition, DefinitionError> {
    let table: Table = read(text)?;
    let mut lab: LabDefinition = match table.contains_key("option") {
        true => filled(text, table, settings)?,
        false => read(text)?,
    };
    let (source, machine) = (lab.source.clone(), lab.machine.clone());
    for claim in &mut lab.claims {
        for (own, shared) in
            [(&mut claim.published.source, &source), (&mut claim.published.machine, &machine)]
        {
            if own.is_empty() {
                own.clone_from(shared);
            }
        }
    }
    match mistake(&lab) {
        None => Ok(lab),
        Some((name, reason)) => Err(DefinitionError { line: line_of(text, &name), column: 1, reason }),
    }
}

/// Number, from 1, of the line that gives a part of a lab this name; 1 if there is no such line.
fn line_of(text: &str, name: &str) -> usize {
    let names = |line: &str| line.trim_start().starts_with("name") && line.contains(&format!("\"{name}\""));
    text.lines().position(names).map_or(1, |index| index + 1)
}

fn filled(text: &str, mut table: Table, settings: &LabSettings) -> Result<LabDefinition, DefinitionError> {
    // The definitions of the options are taken out, so that placeholders in their own texts are kept.
    let options = table.remove("option").unwrap_or_else(|| Table::new().into());
    let known: BTreeMap<String, LabOption> = typed(text, options.clone())?;
    for (name, option) in &known {
        let defaults = || option.default.split(',').map(|value| value.trim().to_owned()).collect();
        let values: Vec<String> = settings.get(name).cloned().unwrap_or_else(defaults);
        table = fill_table(&table, &format!("{{{name}}}"), &values);
    }
    table.insert("option".to_owned(), options);
    typed(text, Value::Table(table))
}

/// Deserialises data that have no locations in a text. If reading the original text gives the same error, that error is
/// returned with its location.
fn typed<T: DeserializeOwned>(text: &str, value: Value) -> Result<T, DefinitionError> {
    value.try_into().map_err(|error: toml::de::Error| {
        let reason = reason(error.message());
        let placed = read::<LabDefinition>(text).err().filter(|placed| placed.reason == reason);
        placed.unwrap_or(DefinitionError { line: 1, column: 1, reason })
    })
}

fn fill_table(table: &Table, place: &str, values: &[String]) -> Table {
    table.iter().map(|(key, value)| (key.clone(), fill(value, place, values))).collect()
}

/// Replaces a placeholder in a value. An element of a list that contains the placeholder is repeated for each value;
/// any other text gets all values, separated by commas.
fn fill(value: &Value, place: &str, values: &[String]) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(place, &values.join(", "))),
        Value::Table(table) => Value::Table(fill_table(table, place, values)),
        Value::Array(elements) => {
            Value::Array(elements.iter().flat_map(|it| each(it, place, values)).collect())
        }
        plain => plain.clone(),
    }
}

fn each(element: &Value, place: &str, values: &[String]) -> Vec<Value> {
    match mentions(element, place) {
        true => values.iter().map(|value| fill(element, place, std::slice::from_ref(value))).collect(),
        false => vec![element.clone()],
    }
}

fn mentions(value: &Value, place: &str) -> bool {
    match value {
        Value::String(text) => text.contains(place),
        Value::Array(elements) => elements.iter().any(|element| mentions(element, place)),
        Value::Table(table) => table.values().any(|value| mentions(value, place)),
        _ => false,
    }
}

/// Error for two experiments or claims of the same name, which result from an option with several values and a name
/// that does not mention the option.
const TWICE: &str = "two have this name (it must contain each option that has several values)";

/// The first error in a parsed lab: the name of the experiment or claim, and the reason; `None` if the lab is valid.
fn mistake(lab: &LabDefinition) -> Option<(String, String)> {
    let mut experiments = HashSet::new();
    for one in &lab.experiments {
        let twice = (!experiments.insert(one.name.as_str())).then(|| TWICE.to_owned());
        if let Some(reason) = twice.or_else(|| of_experiment(one)) {
            return Some((one.name.clone(), format!("experiment `{}`: {reason}", one.name)));
        }
    }
    let mut claims = HashSet::new();
    for claim in &lab.claims {
        let twice = (!claims.insert(claim.name.as_str())).then(|| TWICE.to_owned());
        if let Some(reason) = twice.or_else(|| of_claim(claim, &experiments)) {
            return Some((claim.name.clone(), format!("claim `{}`: {reason}", claim.name)));
        }
    }
    if let Some(file) = lab.borrows.iter().find(|file| !is_of_a_lab(file)) {
        return Some((
            String::new(),
            format!("borrows: `{file}` is not LAB/subject/FILE, a file of another lab"),
        ));
    }
    let nothing = lab.claims.is_empty().then(|| "a lab without a claim has nothing to judge".to_owned());
    let never = match lab.rounds {
        0 => Some("rounds = 0 runs nothing".to_owned()),
        1..=ROUNDS_MAX => None,
        many => Some(format!("rounds = {many}: at most {ROUNDS_MAX}")),
    };
    nothing.or(never).map(|reason| (String::new(), reason))
}

/// Greatest number of rounds of a lab, far above any real one.
const ROUNDS_MAX: u32 = 10_000;

/// Whether a path names a file in the subject folder of a lab, and nothing outside of it.
fn is_of_a_lab(file: &str) -> bool {
    let parts: Vec<&str> = file.split('/').collect();
    let is_name = |part: &str| !part.is_empty() && !part.starts_with('.');
    parts.len() == 3 && parts[1] == "subject" && parts.iter().all(|part| is_name(part))
}

fn of_experiment(one: &LabExperiment) -> Option<String> {
    match (&one.line, &one.run) {
        (Some(_), None) | (None, Some(_)) => None,
        _ => Some("either a line of fauxplat (line = …) or one for the shell (run = …) is needed".to_owned()),
    }
}

fn of_claim(claim: &LabClaim, experiments: &HashSet<&str>) -> Option<String> {
    let published = &claim.published;
    if published.source.is_empty() || published.machine.is_empty() {
        return Some("`source` (who published it) and `machine` (measured on which) are needed".to_owned());
    }
    if published.low.zip(published.high).is_some_and(|(low, high)| low > high) {
        return Some("its low is above its high".to_owned());
    }
    if let Some(name) = consulted(claim).into_iter().find(|name| !experiments.contains(name)) {
        return Some(format!("there is no experiment `{name}`"));
    }
    if claim.checks.iter().any(|check| check.is.is_none() && check.is_not.is_none()) {
        return Some("a check needs what must stand there (`is`) or must not (`is_not`)".to_owned());
    }
    let mut shown = claim.grounds.iter().chain(&claim.disturbed);
    if shown.any(|it| it.is.is_none() && it.above.is_none() && it.below.is_none()) {
        return Some("a reason says which reading shows it (`is`, `above` or `below`)".to_owned());
    }
    match &claim.measured {
        None if claim.checks.is_empty() => Some("a claim takes a figure (measured) or a check".to_owned()),
        None if published.direction.is_some() => {
            Some("the claim has a direction and no figure (measured)".to_owned())
        }
        None => None,
        Some(_) if published.direction.is_none() => Some("its figure has no `direction`".to_owned()),
        Some(measure) => of_published(published, measure).or_else(|| of_measure(measure)),
    }
}

/// The error in a published figure that is to be compared with a measured one; `None` if there is none.
fn of_published(published: &Claim, measure: &Measure) -> Option<String> {
    let ends = [published.low, published.high];
    if published.low.is_some() && published.low == published.high && !measure.exact {
        return Some(BARE.to_owned());
    }
    if ends.iter().any(Option::is_some) && published.spread.is_empty() && !measure.exact {
        return Some(WHOSE.to_owned());
    }
    match published.direction {
        Some(Direction::At) if ends.contains(&None) => {
            Some("a claim of no effect needs `low` and `high`: how much counts as none".to_owned())
        }
        Some(Direction::At) if published.least.is_some() => {
            Some("`least` is for a claim of an effect; one of no effect has `low` and `high`".to_owned())
        }
        _ => published.least.filter(|least| *least < 0.0).map(|_| "`least` must not be negative".to_owned()),
    }
}

/// Error for a single published figure instead of a range. A measured interval gets narrower with every run and finally
/// excludes any single figure, so the claim would always end as *not here*.
const BARE: &str = "a single figure has the spread that its author gave (`low` below `high`), or the claim is its \
                    direction alone (`direction` and `than`, without `low` and `high`); a count has `exact = true`";
/// Error for a published range that does not say where its ends come from: ranges must not be invented.
const WHOSE: &str = "`low` and `high` need an origin (published.spread: the rounding of the figure, the author's runs, \
                     or who chose them)";

fn of_measure(measure: &Measure) -> Option<String> {
    if measure.over.is_some() && measure.minus.is_some() {
        return Some(
            "its figure is divided by a second one (over) or reduced by it (minus), not both".to_owned(),
        );
    }
    let guesses = [("less", &measure.less), ("more", &measure.more)];
    let sure = guesses.iter().find(|(_, it)| it.as_ref().is_some_and(|it| !it.starts_with("perhaps ")));
    if let Some((name, _)) = sure {
        return Some(format!(
            "`{name}` is a guess and must begin with \"perhaps\"; a reason that a reading shows is a [[claim.because]]"
        ));
    }
    let one_end = measure.low.is_some() != measure.high.is_some();
    let no_end = measure.exact && measure.low.is_some();
    (one_end || no_end).then(|| "an interval has `low` and `high`, an `exact` figure neither".to_owned())
}

/// Names of the experiments that decide a claim, without the experiments that only supply reasons.
pub fn asked(claim: &LabClaim) -> Vec<&str> {
    let measure = claim.measured.iter();
    let second = measure.clone().flat_map(|it| [&it.over, &it.minus]).flatten();
    let checks = claim.checks.iter().map(|check| check.experiment.as_str());
    let second = second.filter_map(|it| it.experiment.as_deref());
    measure.map(|it| it.experiment.as_str()).chain(second).chain(checks).collect()
}

/// Names of the experiments that decide a claim, followed by those that only supply reasons for its outcome.
pub fn consulted(claim: &LabClaim) -> Vec<&str> {
    let shown = claim.grounds.iter().chain(&claim.disturbed).map(|it| it.experiment.as_str());
    asked(claim).into_iter().chain(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAB: &str = r#"
question = "Is {who} slow?"
source = "arithmetic"
machine = "any"
[option.who]
about = "whom to ask, as {who}"
default = "a, b"
[[experiment]]
name = "time of {who}"
line = "run '{who} {program}'"
[[experiment]]
name = "nobody"
run = "echo '{}'"
[[claim]]
name = "{who} is slow"
needs = { programs = ["sh", "{who}"] }
[claim.published]
statement = "it is"
unit = "times"
low = 1.0
high = 2.0
spread = "chosen"
direction = "above"
than = 1.0
[claim.measured]
experiment = "time of {who}"
value = "/value"
low = "/low"
high = "/high"
over = { experiment = "nobody" }
"#;

    fn lab(text: &str, settings: &[(&str, &[&str])]) -> Result<LabDefinition, DefinitionError> {
        let value = |it: &[&str]| it.iter().map(|&value| value.to_owned()).collect();
        parse_lab(text, &settings.iter().map(|&(name, values)| (name.to_owned(), value(values))).collect())
    }

    #[test]
    fn what_mentions_an_option_is_there_once_for_each_value() {
        let one = lab(LAB, &[]).unwrap();
        let names = |lab: &LabDefinition| -> Vec<String> {
            lab.experiments.iter().map(|it| it.name.clone()).collect()
        };
        assert_eq!(names(&one), ["time of a", "time of b", "nobody"]);
        assert_eq!((one.claims.len(), one.question.as_str()), (2, "Is a, b slow?"));
        assert_eq!(one.claims[1].needs.programs, ["sh", "b"]);
        assert_eq!(one.experiments[1].line.as_deref(), Some("run 'b {program}'"), "other places stay");
        assert_eq!(one.claims[1].measured.as_ref().unwrap().experiment, "time of b");
        assert_eq!(one.options["who"].about, "whom to ask, as {who}");
        assert_eq!(names(&lab(LAB, &[("who", &["x"])]).unwrap()), ["time of x", "nobody"]);
        assert_eq!(asked(&one.claims[0]), ["time of a", "nobody"]);
    }

    #[test]
    fn an_option_may_stand_where_words_alone_have_no_meaning() {
        let lab = |relation: &str| {
            let needs = format!("needs = {{ cpus = \"{relation}\", programs");
            lab(&LAB.replace("needs = { programs", &needs), &[("who", &["3"])])
        };
        assert_eq!(
            lab("other-cpu:{who}").unwrap().claims[0].needs.cpus,
            Some("other-cpu:3".parse().unwrap())
        );
        let error = lab("odd-cpu:{who}").unwrap_err();
        assert!(error.reason.contains("odd-cpu:3"), "{error}");
    }

    #[test]
    fn a_claim_says_who_published_it_or_has_the_words_of_the_lab() {
        assert_eq!(lab(LAB, &[]).unwrap().claims[0].published.source, "arithmetic");
        let nobody = LAB.replace("source = \"arithmetic\"\n", "");
        let error = lab(&nobody, &[("who", &["x"])]).unwrap_err();
        assert!(error.reason.contains("claim `x is slow`: `source` (who published it)"), "{error}");
    }

    #[test]
    fn what_nothing_could_judge_is_refused_where_it_stands() {
        let complaint = |from: &str, to: &str| {
            assert!(LAB.contains(from), "{from}");
            lab(&LAB.replace(from, to), &[("who", &["x"])]).unwrap_err().to_string()
        };
        for (from, to, words) in [
            ("experiment = \"nobody\"", "experiment = \"somebody\"", "no experiment `somebody`"),
            ("run = \"echo '{}'\"", "", "either a line"),
            ("low = 1.0", "low = 3.0", "its low is above its high"),
            ("low = 1.0", "low = 2.0", "has the spread that its author gave"),
            ("spread = \"chosen\"\n", "", "need an origin"),
            ("low = 1.0\nhigh = 2.0\n", "least = -0.1\n", "`least` must not be negative"),
            (
                "high = 2.0\nspread = \"chosen\"\ndirection = \"above\"",
                "spread = \"x\"\ndirection = \"at\"",
                "needs `low` and `high`",
            ),
            ("direction = \"above\"", "least = 0.1\ndirection = \"at\"", "`least` is for a claim"),
            ("high = \"/high\"", "high = \"/high\"\nless = \"it is slow\"", "must begin with \"perhaps\""),
            (
                "over = {",
                "[[claim.check]]\nexperiment = \"nobody\"\npointer = \"/x\"\notherwise = \"\"\n#",
                "must stand there",
            ),
            (
                "over = {",
                "[[claim.because]]\nexperiment = \"nobody\"\npointer = \"/x\"\nsays = \"\"\n#",
                "which reading shows it",
            ),
            (
                "over = {",
                "[[claim.because]]\nexperiment = \"none\"\npointer = \"/x\"\nis = 1.0\nsays = \"\"\n#",
                "no experiment `none`",
            ),
            ("direction = \"above\"\n", "", "has no `direction`"),
            ("low = \"/low\"\n", "", "has `low` and `high`"),
            ("over = ", "exact = true\nover = ", "figure neither"),
            ("over = ", "minus = { value = \"/x\" }\nover = ", "not both"),
            ("name = \"nobody\"", "name = \"time of x\"", "two have this name"),
        ] {
            assert!(complaint(from, to).contains(words), "{words}: {}", complaint(from, to));
        }
        assert!(
            complaint("run = \"echo '{}'\"", "").starts_with("line 12,"),
            "the line of the experiment's name"
        );
        let unknown = lab(&LAB.replace("[claim.measured]", "[claim.meassured]"), &[]).unwrap_err();
        assert!(unknown.line > 20 && unknown.reason.contains("meassured"), "{unknown}");
    }
}
