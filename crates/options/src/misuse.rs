//! Messages about errors of the command line: one line that ends with a correct command line if possible.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use fauxplat_store::masked;

use crate::advice::{
    example, for_option, for_verb, readable, said_once, with_options, with_other_value, with_quotes, without,
};
use crate::durations::meant;
use crate::foreign::{ours, verb_for};
use crate::help::verb_of;
use crate::reading::is_program;
use crate::translation::replaced;

/// The message about an error of a command line: the fault, and the corrected line or a reference to the help.
pub fn misuse(error: &clap::Error, words: &[String]) -> String {
    let verb = verb(words);
    let told = Told { error, words, verb: &verb };
    let (what, remedy) = match error.kind() {
        ErrorKind::UnknownArgument => told.unknown(),
        ErrorKind::InvalidSubcommand => told.no_verb(),
        ErrorKind::InvalidValue => (told.not_among(), told.as_command()),
        ErrorKind::ValueValidation => (told.refused(), told.with_value().or_else(|| told.as_command())),
        ErrorKind::ArgumentConflict => told.conflict(),
        ErrorKind::MissingRequiredArgument => told.missing(),
        ErrorKind::InvalidUtf8 => ("a word of the command line is not UTF-8".to_owned(), None),
        _ => (rendered(error), None),
    };
    format!("{what}{}", remedy.unwrap_or_else(|| format!(" (see fauxplat {})", help(&verb))))
}

fn help(verb: &str) -> String {
    if verb.is_empty() { "--help".to_owned() } else { format!("{verb} --help") }
}

/// The names of the verb and its subcommand, as far as the words of the line name them.
fn verb(words: &[String]) -> String {
    let path = verb_of(words).get_bin_name().unwrap_or_default().to_owned();
    path.split(' ').skip(1).collect::<Vec<_>>().join(" ")
}

/// The parser's own message in one line, without its tips and without the usage text, which `--help` shows.
fn rendered(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let said = text.split("\n\n").next().unwrap_or_default();
    let words = said.split_whitespace().skip_while(|word| *word == "error:");
    words.map(masked).collect::<Vec<_>>().join(" ")
}

/// An error with the command line that it concerns.
struct Told<'a> {
    error: &'a clap::Error,
    words: &'a [String],
    verb: &'a str,
}

impl Told<'_> {
    fn text(&self, kind: ContextKind) -> String {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => masked(text),
            Some(ContextValue::Strings(texts)) => {
                texts.iter().map(|text| masked(text)).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        }
    }

    /// The message and the remedy for an option that the verb does not have: it belongs to another tool or to a command
    /// without quotes, or is mistyped.
    fn unknown(&self) -> (String, Option<String>) {
        let option = self.text(ContextKind::InvalidArg);
        if !option.starts_with('-') {
            let what = format!("{} takes no further word `{option}`", self.verb);
            return (what, with_quotes(self.words).map(|line| format!("; try: {line}")));
        }
        let what = format!("{} has no option {option}", self.who());
        let lines = for_option(self.words, &option);
        let quoted = with_quotes(self.words);
        let remedy = match (ours(self.verb, &option).filter(|_| !self.is_behind_a_program(&option)), quoted) {
            (Some(ours), Some(line)) => {
                Some(format!(": {ours}; where {option} belongs to the command: {line}"))
            }
            (Some(ours), None) => match self.in_our_words(&option) {
                Some(line) => Some(format!(": {ours}; try: {line}")),
                None => Some(format!(": {ours}")),
            },
            (None, _) if !lines.is_empty() => Some(format!("; try: {}", lines.join(", or "))),
            (None, Some(line)) => Some(format!("; a command is one word of the shell, try: {line}")),
            (None, None) => without(self.words, &option).map(|line| format!("; without it: {line}")),
        };
        (what, remedy)
    }

    /// The corrected line with fauxplat's option in place of a foreign one; `None` if that line is not valid.
    fn in_our_words(&self, option: &str) -> Option<String> {
        let whole = replaced(self.verb, self.words, option);
        readable(whole.clone(), self.words).or_else(|| with_quotes(&whole))
    }

    /// A remedy for a value that an option refuses: the line in which that word becomes part of the command.
    fn as_command(&self) -> Option<String> {
        with_quotes(self.words).map(|line| format!("; a command is one word of the shell, try: {line}"))
    }

    /// A remedy for a refused value: the line with the value in fauxplat's form, such as `5m` for `5min`.
    fn with_value(&self) -> Option<String> {
        let value = self.text(ContextKind::InvalidValue);
        let line = with_other_value(self.words, &value, &meant(&value)?)?;
        Some(format!("; try: {line}"))
    }

    /// Whether an option follows a program and is written among other letters, as in `ls -la`, so that it belongs to
    /// the program.
    fn is_behind_a_program(&self, option: &str) -> bool {
        let is_among_others = |word: &String| option.len() == 2 && word.len() > 2 && word.starts_with(option);
        let at = self.words.iter().position(is_among_others);
        at.and_then(|at| self.words.get(2..at)).is_some_and(|before| before.last().is_some_and(is_program))
    }

    fn who(&self) -> &str {
        if self.verb.is_empty() { "fauxplat" } else { self.verb }
    }

    /// The option that the error concerns, without the name of its value.
    fn option(&self) -> String {
        let option = self.text(ContextKind::InvalidArg);
        match option.starts_with('-') {
            true => option.split(' ').next().unwrap_or_default().to_owned(),
            false => option.trim_end_matches("...").to_owned(),
        }
    }

    fn no_verb(&self) -> (String, Option<String>) {
        let word = self.text(ContextKind::InvalidSubcommand);
        if self.verb == "help" {
            return (format!("`{word}` is no verb of fauxplat"), Some(" (see fauxplat help)".to_owned()));
        }
        let what = match self.verb {
            "" => format!("`{word}` is neither a verb of fauxplat nor a program"),
            verb => format!("{verb} has no subcommand `{word}`"),
        };
        if let Some(ours) = verb_for(&word).filter(|_| self.verb.is_empty()) {
            return (format!("`{word}` is no verb of fauxplat"), Some(format!(": {ours}")));
        }
        let lines = for_verb(self.words, &word);
        (what, (!lines.is_empty()).then(|| format!("; try: {}", lines.join(", or "))))
    }

    /// The message about a value that is not among those that an option accepts.
    fn not_among(&self) -> String {
        let (option, value) = (self.option(), self.text(ContextKind::InvalidValue));
        let valid = self.text(ContextKind::ValidValue);
        match (value.is_empty(), valid.is_empty()) {
            (true, true) => format!("{option} needs a value"),
            (true, false) => format!("{option} needs one of: {valid}"),
            (false, _) => format!("{option} takes one of: {valid}; not `{value}`"),
        }
    }

    /// The message about a value that the option's own parser refuses. The standard library's messages about numbers do
    /// not say what is wrong, so they are replaced.
    fn refused(&self) -> String {
        let (option, value) = (self.option(), self.text(ContextKind::InvalidValue));
        let source = self.error.source();
        let is_number = source
            .is_some_and(|it| it.is::<std::num::ParseIntError>() || it.is::<std::num::ParseFloatError>());
        match source {
            Some(_) if is_number => format!("{option} takes a number, not `{value}`"),
            Some(source) => {
                // A message of several lines, such as one about a pattern, states the fault in the last line.
                let told = source.to_string();
                let told = masked(told.lines().last().unwrap_or_default().trim_start_matches("error: "));
                let named = if told.contains(&value) { String::new() } else { format!(" {value}") };
                format!("{option}{named}: {told}")
            }
            None => format!("{option}: `{value}` is not valid"),
        }
    }

    fn conflict(&self) -> (String, Option<String>) {
        let (option, other) = (self.option(), self.text(ContextKind::PriorArg));
        let other = other.split(' ').next().unwrap_or_default();
        match other.is_empty() || other == option {
            true => {
                let once = said_once(self.words, &option).map(|line| format!("; try: {line}"));
                (format!("{option} is given more than once"), once)
            }
            false => (format!("{option} cannot be used with {other}"), None),
        }
    }

    fn missing(&self) -> (String, Option<String>) {
        let needed = self.text(ContextKind::InvalidArg);
        let options: Vec<String> =
            needed.split(", ").map(|it| it.split(' ').next().unwrap_or_default().to_owned()).collect();
        let mended = with_options(self.words, &options).map(|line| format!("; try: {line}"));
        let shown = || example(self.words).map(|line| format!("; as in: {line}"));
        (format!("{} needs {needed}", self.who()), mended.or_else(shown))
    }
}
