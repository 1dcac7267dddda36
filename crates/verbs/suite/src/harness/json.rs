//! `json:POINTER`: programs that print a JSON document.

use serde_json::Value;

use super::unit::number;
use super::{Harness, Missing, Output, Reading, Told, Unit, numbered};
use crate::error::SuiteError;

/// Reads benchmarks from the value at a JSON pointer (RFC 6901): a number; an object of names and numbers, or of names
/// and objects with a number, as in Bencher's metric format; or an array of objects with a name and a number each.
#[derive(Debug)]
pub(super) struct Json {
    pointer: String,
}

/// Names of members that may hold an object's number, in order of preference.
const VALUES: [&str; 10] = [
    "value",
    "median",
    "median(elapsed)",
    "mean",
    "time",
    "real_time",
    "ns",
    "score",
    "latency",
    "throughput",
];

impl Json {
    /// A reader of the value at `pointer`; an empty pointer means the whole document.
    ///
    /// # Errors
    /// Fails for a pointer that is not empty and does not begin with a slash.
    pub(super) fn new(pointer: &str) -> Result<Self, SuiteError> {
        match pointer.is_empty() || pointer.starts_with('/') {
            true => Ok(Json { pointer: pointer.to_owned() }),
            false => Err(SuiteError::Pointer(pointer.to_owned())),
        }
    }
}

impl Harness for Json {
    fn name(&self) -> String {
        format!("json:{}", self.pointer)
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(self.told(output)?.readings.into_iter().map(|it| it.name).collect())
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let document: Value =
            serde_json::from_str(&output.stdout).map_err(|error| SuiteError::json("json", &error))?;
        let found = document.pointer(&self.pointer);
        let found = found
            .ok_or_else(|| SuiteError::output("json", &format!("it has nothing at `{}`", self.pointer)))?;
        let rows: Vec<(String, &Value)> = match found {
            Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
            Value::Array(rows) => rows.iter().enumerate().map(|(at, row)| (name_of(row, at), row)).collect(),
            _ => vec![(self.pointer.trim_start_matches('/').to_owned(), found)],
        };
        let names = numbered(rows.iter().map(|(name, _)| name.clone()).collect());
        let mut told = Told::default();
        for (name, (_, value)) in names.into_iter().zip(rows) {
            match value_of(value, 0) {
                Some((value, unit)) => told.readings.push(Reading { name, value, unit }),
                None => told.missing.push(Missing { name, why: "it has no number".to_owned() }),
            }
        }
        Ok(told)
    }

    fn can_choose(&self) -> bool {
        false
    }
}

fn name_of(row: &Value, at: usize) -> String {
    let name = ["name", "benchmark", "id", "title"].iter().find_map(|key| row.get(key)?.as_str());
    name.map_or_else(|| at.to_string(), str::to_owned)
}

/// Number and unit of a benchmark, from a number, a text or an object, or from an object within it; `None` where there
/// is no number.
fn value_of(value: &Value, depth: usize) -> Option<(f64, Unit)> {
    match value {
        Value::Number(number) => Some((number.as_f64()?, Unit::Ns)),
        Value::String(text) => Some((number(text)?, Unit::Ns)),
        Value::Object(members) if depth < 3 => {
            let (key, (value, inner)) =
                VALUES.iter().find_map(|key| Some((*key, value_of(members.get(*key)?, depth + 1)?)))?;
            let unit = ["unit", "time_unit", "units"].iter().find_map(|key| members.get(*key)?.as_str());
            Some(match (unit, key) {
                (Some(unit), _) => Unit::reading(value, unit),
                // nanobench reports seconds; its `unit` is the name of an operation.
                (None, "median(elapsed)") => Unit::reading(value, "s"),
                (None, "throughput") => (value, Unit::Other("operations/s".to_owned())),
                (None, _) => (value, inner),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pointer: &str, text: &str) -> Vec<(String, f64, String)> {
        let told = Json::new(pointer).unwrap().told(&Output::printed(text)).unwrap();
        told.readings.into_iter().map(|it| (it.name, it.value, it.unit.to_string())).collect()
    }

    #[test]
    fn objects_arrays_and_numbers_are_read() {
        let row = |name: &str, value, unit: &str| (name.to_owned(), value, unit.to_owned());
        assert_eq!(told("", r#"{"a":1.5,"b, \"c\"":2}"#), [row("a", 1.5, "ns"), row("b, \"c\"", 2.0, "ns")]);
        assert_eq!(told("/x", r#"{"x":[{"name":"a","time":2,"unit":"ms"}]}"#), [row("a", 2e6, "ns")]);
        assert_eq!(told("", r#"{"a":{"latency":{"value":88.0}}}"#), [row("a", 88.0, "ns")]);
        assert_eq!(told("/total", r#"{"total":5}"#), [row("total", 5.0, "ns")]);
        assert_eq!(told("", r#"{"a":{"throughput":{"value":9}}}"#), [row("a", 9.0, "operations/s")]);
    }

    #[test]
    fn what_is_no_document_is_an_error() {
        let json = Json::new("/x").unwrap();
        assert!(json.told(&Output::printed(r#"{"x":[{"na"#)).is_err());
        assert!(json.told(&Output::printed("{}")).unwrap_err().to_string().contains("/x"));
        assert!(Json::new("x").is_err());
        let told = json.told(&Output::printed(r#"{"x":[{"name":"a"}]}"#)).unwrap();
        assert_eq!(told.missing[0].name, "a");
    }
}
