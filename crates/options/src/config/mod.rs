//! Files of defaults: options that a user or a project would otherwise type each time.
//!
//! A default becomes a word of the command line, so that it is checked, refused and recorded like a typed word. The
//! command line in a report, by which the experiment can be repeated, therefore contains the default and works without
//! the file.

mod error;
mod file;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::environment::store_of_environment;
use crate::help::{definition, parse, verb_of, whole};
use crate::misuse::misuse;
pub use error::ConfigError;
use file::{Default, File};

/// A command line with the defaults that apply to it.
#[derive(Debug, PartialEq, Eq)]
pub struct Configured {
    /// The words of the command line, with the defaults inserted after the verb.
    pub words: Vec<String>,
    /// Messages: one about each default that was applied, and about each that was left out because it conflicts with
    /// the typed words.
    pub told: Vec<String>,
}

/// The command line with the defaults of the user's and of the project's file. A typed option overrides that of the
/// project's file, which overrides that of the user's. A default that conflicts with the typed words is left out.
///
/// # Errors
/// Fails for a file that cannot be read, is no file of defaults, has an option that no verb has, or has a value that
/// the option refuses.
pub fn with_defaults(words: &[String]) -> Result<Configured, ConfigError> {
    let files = file::found()?;
    // An invalid line gets no defaults, so that it is refused as it was typed.
    let typed = (!files.is_empty()).then(|| definition().try_get_matches_from(words).ok()).flatten();
    let Some(typed) = typed else { return Ok(Configured { words: words.to_vec(), told: Vec::new() }) };
    let verb = verb_of(words);
    let path: Vec<&str> = verb.get_bin_name().unwrap_or_default().split(' ').skip(1).collect();
    let defaults = applying(&files, &path, &verb)?;
    let of_verb = below(&typed);
    let is_defined = of_verb.try_contains_id("definition").is_ok_and(|given| given);
    let mut told = Vec::new();
    if is_defined && !defaults.is_empty() {
        told.push(
            "defaults of files do not apply beside --definition, which states the experiment".to_owned(),
        );
    }
    let open: Vec<Word> = match is_defined {
        true => Vec::new(),
        false => defaults.into_iter().filter(|it| !is_typed(of_verb, &it.id)).collect(),
    };
    let (taken, left) = fitting(words, path.len(), open)?;
    told.extend(
        taken.iter().map(|it| format!("{} is a default of {}", it.text.join(" "), it.file.display())),
    );
    told.extend(left.iter().map(|it| {
        format!("{}, a default of {}, does not go with what was typed", it.text.join(" "), it.file.display())
    }));
    Ok(Configured { words: spliced(words, path.len(), &taken), told })
}

/// Whether the command line has `--verbose`. The full report then lists the defaults from files and from the
/// environment.
pub fn is_verbose(words: &[String]) -> bool {
    let matches = definition().try_get_matches_from(words);
    matches.is_ok_and(|matches| below(&matches).try_get_one("verbose").ok().flatten() == Some(&true))
}

/// A default as words of the command line.
#[derive(Clone, Debug)]
struct Word {
    id: String,
    text: Vec<String>,
    file: PathBuf,
}

/// The defaults of all files that apply to the verb, as words. If several files have the same option, the last file
/// wins.
fn applying(files: &[File], path: &[&str], verb: &Command) -> Result<Vec<Word>, ConfigError> {
    let mut all: Vec<Word> = Vec::new();
    for file in files {
        for default in file.defaults(path)? {
            let Some(arg) = option(verb, &default.name) else {
                known_elsewhere(file, &default, path)?;
                continue;
            };
            let is_named = default.name == "store" && store_of_environment().is_some();
            if is_named {
                continue;
            }
            let text = default.words(arg).map_err(|why| file.refused(&default, &why))?;
            all.retain(|other| other.id != arg.get_id().as_str());
            if !text.is_empty() {
                all.push(Word { id: arg.get_id().to_string(), text, file: file.path.clone() });
            }
        }
    }
    Ok(all)
}

fn option<'a>(verb: &'a Command, name: &str) -> Option<&'a Arg> {
    let takes = |arg: &&Arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
    };
    verb.get_arguments().find(takes)
}

/// Refuses a default for an option that no verb has, or that a file sets for a verb without it.
fn known_elsewhere(file: &File, default: &Default, path: &[&str]) -> Result<(), ConfigError> {
    let known = |verbs: &[&Command]| verbs.iter().any(|verb| option(verb, &default.name).is_some());
    let is_known = default.is_of_all && {
        let mut tree = whole();
        tree.build();
        let verbs: Vec<&Command> = tree.get_subcommands().collect();
        let below: Vec<&Command> = verbs.iter().flat_map(|verb| verb.get_subcommands()).collect();
        known(&verbs) || known(&below)
    };
    let who = if default.is_of_all { "no verb".to_owned() } else { format!("the verb `{}`", path.join(" ")) };
    match is_known {
        true => Ok(()),
        false => Err(ConfigError::NoOption { file: file.path.clone(), name: default.name.clone(), who }),
    }
}

/// The options given to the verb, or to its subcommand if the line has one.
fn below(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, given)| below(given))
}

fn is_typed(given: &ArgMatches, id: &str) -> bool {
    let is_known = given.try_contains_id(id).is_ok();
    is_known && given.value_source(id) == Some(ValueSource::CommandLine)
}

/// The words of a command line with the defaults inserted after the verb, before the typed options. `depth` is the
/// number of words of the verb.
fn spliced(words: &[String], depth: usize, defaults: &[Word]) -> Vec<String> {
    let (verb, typed) = words.split_at(words.len().min(1 + depth));
    let between = defaults.iter().flat_map(|it| it.text.iter().cloned());
    verb.iter().cloned().chain(between).chain(typed.iter().cloned()).collect()
}

/// Returns the defaults that the parser accepts beside the typed words, and those that it refuses, because they exclude
/// a typed option or need an option that is missing.
fn fitting(words: &[String], depth: usize, open: Vec<Word>) -> Result<(Vec<Word>, Vec<Word>), ConfigError> {
    let is_read = |with: &[Word]| parse(&spliced(words, depth, with));
    if open.is_empty() || is_read(&open).is_ok() || parse(words).is_err() {
        return Ok((open, Vec::new()));
    }
    let (mut taken, mut left) = (Vec::new(), open);
    // A default may need another one that comes after it, so those that were refused are tried again as long as others
    // were accepted.
    loop {
        let before = left.len();
        for word in std::mem::take(&mut left) {
            let with = [taken.as_slice(), std::slice::from_ref(&word)].concat();
            match is_read(&with).map_err(|error| (error.kind(), error)) {
                Ok(_) => taken = with,
                // Refusals after the parser's own have the kind `Io`.
                Err((
                    ErrorKind::ArgumentConflict | ErrorKind::MissingRequiredArgument | ErrorKind::Io,
                    _,
                )) => left.push(word),
                Err((_, error)) => {
                    let why = misuse(&error, &spliced(words, depth, &with));
                    return Err(ConfigError::Refused { file: word.file, why });
                }
            }
        }
        if left.len() == before || left.is_empty() {
            return Ok((taken, left));
        }
    }
}
