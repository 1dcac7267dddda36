//! Parser of saved definitions of experiments, in TOML.

use fauxplat_model::Definition;
use serde::de::DeserializeOwned;

/// Greatest length of a definition's text in bytes, far above any real one.
pub const BYTES_MAX: usize = 4 << 20;

/// A definition that cannot be parsed, with location and reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct DefinitionError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    pub reason: String,
}

/// Reads a definition.
///
/// # Errors
/// Returns line and column of broken TOML, an unknown name, or a value of the wrong kind.
pub fn parse(text: &str) -> Result<Definition, DefinitionError> {
    read(text)
}

/// Parses TOML and reports the location of an error.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, DefinitionError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = &text[..text.floor_char_boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        DefinitionError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: reason(error.message()),
        }
    })
}

/// The first line of a parser's message. For an unknown name, a note is added that other versions of fauxplat may know
/// it.
pub(crate) fn reason(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    match first.starts_with("unknown ") {
        true => {
            format!("{first} (this is fauxplat {}; other versions may know it)", env!("CARGO_PKG_VERSION"))
        }
        false => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::{EnvPad, Placement, Policy, Runs};

    #[test]
    fn a_definition_says_what_a_command_line_says() {
        let text = r#"
            warmup = 2
            runs = 30
            seed = 7
            [[command]]
            command = "sort -n {file}"
            name = "numeric"
            [[command]]
            command = "sort {file}"
            [[parameter]]
            name = "file"
            values = ["a", "b"]
            [condition]
            cpu = "0-1"
            policy = "fifo:10"
            env_pad = "random"
            timeout = "5s"
            [rule]
            margin = 0.02
        "#;
        let definition = parse(text).unwrap();
        assert_eq!(definition.commands[0].name.as_deref(), Some("numeric"));
        assert_eq!(definition.runs, Runs::Count(30));
        assert_eq!(definition.condition.cpu, Placement::Set("0-1".parse().unwrap()));
        assert_eq!(
            (definition.condition.policy, definition.condition.env_pad),
            (Some(Policy::Fifo(10)), EnvPad::Random)
        );
        assert_eq!(definition.condition.timeout, Some(fauxplat_units::Nanos(5_000_000_000)));
        assert_eq!((definition.rule.margin, definition.rule.level), (0.02, 0.01));
    }

    #[test]
    fn mistakes_have_a_place() {
        let at = |text: &str| parse(text).map(|_| ()).unwrap_err();
        let unknown = at("warmup = 1\nwarm = 2\n");
        assert_eq!((unknown.line, unknown.column), (2, 1));
        assert!(unknown.reason.contains("unknown field"), "{unknown}");
        let broken = at("[[command]]\ncommand = \"x\n");
        assert_eq!(broken.line, 2);
        let wrong = at("warmup = \"two\"");
        assert_eq!((wrong.line, wrong.column), (1, 10));
        let policy = at("[condition]\npolicy = \"fifo:1000\"\n");
        assert_eq!(policy.line, 2);
        assert!(policy.reason.contains("1 to 99"), "{policy}");
    }
}
