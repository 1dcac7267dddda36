//! Reads stored JSON that another version of fauxplat may have written.
//!
//! Fields that this version does not know are dropped, and fields that the other version did not write get their
//! defaults. A value that cannot be read at all is replaced by its default, with a warning in the record.

use fauxplat_model::{
    Command, CommandLine, Condition, Definition, KnobChange, MachineFacts, Origin, Parameter, Source, Sources,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A type that is stored as JSON, with an example of all its fields. Lists in the example hold one element.
pub(crate) trait Stored: Serialize + DeserializeOwned {
    /// Name of the type's values in warnings.
    const NAME: &'static str;

    /// Returns a value with all fields, by which stored JSON is completed and checked.
    fn example() -> Self;
}

impl Stored for Condition {
    const NAME: &'static str = "condition";

    fn example() -> Self {
        let (tune, tuned) = (vec![String::new()], vec![KnobChange::default()]);
        Condition { tune, tuned, ..Condition::default() }
    }
}

impl Stored for MachineFacts {
    const NAME: &'static str = "machine facts";

    fn example() -> Self {
        MachineFacts::default()
    }
}

impl Stored for Definition {
    const NAME: &'static str = "definition";

    fn example() -> Self {
        let parameter = Parameter { name: String::new(), values: Vec::new() };
        Definition {
            commands: vec![CommandLine::default()],
            parameters: vec![parameter],
            ..Definition::default()
        }
    }
}

impl Stored for Sources {
    const NAME: &'static str = "sources of the figures";

    fn example() -> Self {
        Sources {
            cpu_time: Source::None,
            peak_memory: Source::None,
            peak_memory_floor_bytes: 0,
            run_delay: Source::None,
            migrations: Source::None,
            counter_floors: Vec::new(),
        }
    }
}

/// Parses a stored value; `warnings` gets a line where the value, or parts of it, cannot be read.
pub(crate) fn noun<T: Stored>(text: &str, warnings: &mut Vec<String>) -> T {
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    let example = serde_json::to_value(T::example()).unwrap_or_default();
    let read = |stored| serde_json::from_value(overlay(&example, Some(stored))).ok();
    if let Some(value) = serde_json::from_str(text).ok().and_then(read) {
        warnings.push(format!("another version of fauxplat wrote the {}: some fields are left out", T::NAME));
        return value;
    }
    warnings.push(format!("the stored {} cannot be read by this version: defaults are shown", T::NAME));
    // The lists of the example have elements only to show the format of an element, so the default has empty lists.
    serde_json::from_value(overlay(&example, None)).unwrap_or_else(|_| T::example())
}

/// Parses a list of texts; if it cannot be read, returns an empty list and adds a warning that names it `what`.
pub(crate) fn words(what: &str, text: &str, warnings: &mut Vec<String>) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|_| {
        warnings.push(format!("the stored {what} cannot be read by this version: none is shown"));
        Vec::new()
    })
}

/// Parses the origin of an experiment (checkout, host, user); the default if there is none, or if this version cannot
/// read it.
pub(crate) fn origin(text: Option<&str>) -> Origin {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Reads a command from a row of `sql::COMMANDS`.
pub(crate) fn command(row: &rusqlite::Row<'_>, warnings: &mut Vec<String>) -> rusqlite::Result<Command> {
    let optional = |column| -> rusqlite::Result<Option<Vec<String>>> {
        Ok(row.get::<_, Option<String>>(column)?.and_then(|text| serde_json::from_str(&text).ok()))
    };
    Ok(Command {
        name: row.get(0)?,
        command: row.get(1)?,
        program: row.get::<_, String>(2)?.into(),
        program_sha256: row.get(3)?,
        argv: words("argument vector", &row.get::<_, String>(4)?, warnings),
        parameters: serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default(),
        prepare: optional(6)?,
        // The column `cleanup` is older than the name `conclude`: it has always held the command that runs after each
        // run.
        conclude: optional(7)?,
        condition: noun(&row.get::<_, String>(8)?, warnings),
    })
}

/// Returns the example with the stored value of each field that was stored; fields that the example lacks are dropped.
fn overlay(example: &Value, stored: Option<Value>) -> Value {
    match (example, stored) {
        (Value::Object(fields), Some(Value::Object(mut stored))) => {
            fields.iter().map(|(name, field)| (name.clone(), overlay(field, stored.remove(name)))).collect()
        }
        (Value::Object(fields), None) => {
            fields.iter().map(|(name, field)| (name.clone(), overlay(field, None))).collect()
        }
        (Value::Array(elements), Some(Value::Array(stored))) if elements.len() == 1 => {
            stored.into_iter().map(|element| overlay(&elements[0], Some(element))).collect()
        }
        (Value::Array(_), None) => Value::Array(Vec::new()),
        (_, Some(stored)) => stored,
        (_, None) => example.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Rule;

    fn read<T: Stored>(text: &str) -> (T, usize) {
        let mut warnings = Vec::new();
        let value = noun(text, &mut warnings);
        (value, warnings.len())
    }

    #[test]
    fn what_this_version_writes_is_read_as_it_was() {
        let command = CommandLine {
            command: "true".into(),
            name: Some("t".into()),
            env: vec!["A=1".into()],
            ..CommandLine::default()
        };
        let definition = Definition { commands: vec![command], warmup: 3, ..Definition::default() };
        let text = serde_json::to_string(&definition).unwrap();
        assert_eq!(read::<Definition>(&text), (definition, 0));
    }

    #[test]
    fn unknown_fields_are_left_out_at_every_depth() {
        let text = r#"{"warmup": 2, "colour": 1, "command": [{"command": "a", "speed": 9}], "rule": {"level": 0.05, "x": 0}}"#;
        let (definition, warnings) = read::<Definition>(text);
        assert_eq!(warnings, 1);
        assert_eq!((definition.warmup, definition.commands[0].command.as_str()), (2, "a"));
        assert_eq!(definition.rule, Rule { level: 0.05, ..Rule::default() });
        assert!(definition.parameters.is_empty());
    }

    #[test]
    fn missing_facts_take_their_defaults() {
        let (facts, warnings) = read::<MachineFacts>(r#"{"kernel": "6.1", "planet": "Mars"}"#);
        assert_eq!((facts.kernel.as_str(), warnings), ("6.1", 1));
    }

    #[test]
    fn nonsense_becomes_the_default_with_a_warning() {
        for text in [r#"{"policy": "batch"}"#, "7", "not JSON"] {
            assert_eq!(read::<Condition>(text), (Condition::default(), 1), "{text}");
        }
        assert_eq!(read::<Definition>("7"), (Definition::default(), 1));
    }
}
