//! Corrected command lines for messages about mistakes. A line is proposed only if it parses without an error.

use std::any::TypeId;
use std::path::PathBuf;

use clap::Command;
use clap::error::ErrorKind;

use fauxplat_report::say::shell_word;
use fauxplat_store::typeable;

use crate::help::{Parsed, definition, verb_of};
use crate::quoting::{Own, mistaken_option, quoted};
use crate::reading::{commands, is_accepted, is_bare, is_program, unquoted_word, words_before_commands};
use crate::{Verb, parse};

/// A command line as shown in a message: quoted for a shell, with `PASSWORD` in place of passwords in addresses.
fn line(words: &[String]) -> String {
    let words = words.iter().skip(1).map(|word| shell_word(&typeable(word)));
    std::iter::once("fauxplat".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The candidate for a corrected command line, as shown in a message; `None` unless the line parses, runs programs that
/// exist, and differs from the typed line.
pub(crate) fn readable(candidate: Vec<String>, typed: &[String]) -> Option<String> {
    let parsed = parse(&candidate).ok().filter(|_| candidate != typed)?;
    let is_refused = unquoted_word(&candidate, &parsed).is_some() || mistaken_option(&candidate).is_some();
    if is_refused || !is_accepted(&parsed) {
        return None;
    }
    let commands = commands(&parsed);
    let runs = match commands {
        // If no command is left and a word is a program, an option has probably taken the command as its value.
        Some([]) => !candidate[2..].iter().any(is_program),
        Some(commands) => commands.iter().all(|it| it.contains(char::is_whitespace) || is_program(it)),
        None => true,
    };
    runs.then(|| line(&candidate))
}

/// The candidate, if it is a command line that prints an existing help text.
pub(crate) fn asks_help(candidate: &[String]) -> Option<String> {
    let is_help = || parse(candidate).is_err_and(|error| error.kind() == ErrorKind::DisplayHelp);
    (candidate.last().is_some_and(|last| last == "--help") && is_help()).then(|| line(candidate))
}

/// Options whose values are executed. A similar name is not enough to propose such an option: a wrong proposal would
/// execute a word that the user never meant as a program.
pub(crate) const EXECUTING: [&str; 11] = [
    "prepare", "conclude", "setup", "cleanup", "notify", "build", "build-a", "build-b", "link", "check",
    "for",
];

/// Commands that every machine has, for lines in which a command is missing.
const SAMPLES: [&str; 2] = ["ls", "ls /"];

/// The typed line completed with as many sample commands as its verb needs. A single command after `compare` becomes
/// one for `run`.
pub fn with_commands(words: &[String]) -> Option<String> {
    let begin = words_before_commands(words)?;
    let parsed = parse(words).ok()?;
    if let Some(mended) = with_value(words, begin) {
        return mended.and_then(|line| readable(line.clone(), words).or_else(|| with_quotes(&line)));
    }
    let compares = words[begin - 1] == "compare";
    let has_baseline = matches!(&parsed, Parsed::Defined(cli)
        if matches!(&cli.verb, Verb::Compare(args) if args.baseline.is_some()));
    // The commands of a saved definition are counted when the definition is read.
    let is_saved = words.iter().any(|word| word.split('=').next() == Some("--definition"));
    match (commands(&parsed)?, compares) {
        ([], _) if !is_saved => {
            let samples = &SAMPLES[..1 + usize::from(compares && !has_baseline)];
            let whole = words.iter().cloned().chain(samples.iter().map(|&it| it.to_owned()));
            readable(whole.collect(), words)
        }
        ([_], true) => readable([&words[..begin - 1], &["run".to_owned()], &words[begin..]].concat(), words),
        _ => None,
    }
}

/// Sample values for options that have taken the command as their value because their own was missing.
const VALUES: [(&str, &str); 4] = [
    ("output", "report.txt"),
    ("events", "events.jsonl"),
    ("stdout", "out.txt"),
    ("export_json", "report.json"),
];

/// The words of the typed line with a sample value for the option that has taken the command as its value. `Some(None)`
/// if no suitable value is known for the option; `None` if no option took a command.
fn with_value(words: &[String], begin: usize) -> Option<Option<Vec<String>>> {
    let put =
        |at: usize, new: &[String], taken: usize| Some([&words[..at], new, &words[at + taken..]].concat());
    let own = Own::of(words);
    for at in own.before_commands(words, begin).0 {
        let (Some((arg, 1)), Some(value)) = (own.option(&words[at]), words.get(at + 1)) else { continue };
        let id = arg.get_id().as_str();
        let starts = arg.get_long().is_some_and(|long| EXECUTING.contains(&long));
        if starts && words[at] == format!("-{}", arg.get_short().unwrap_or('-')) && is_program(value) {
            // The short option belongs to another tool; here it takes the command as a helper command.
            return Some(put(at, std::slice::from_ref(value), 2));
        }
        let list = (id == "parameters").then(|| value.split_once('=')).flatten();
        if let Some((name, command)) = list.filter(|(name, it)| it.contains(&format!("{{{name}}}"))) {
            return Some(put(at + 1, &[format!("{name}=1,2,3"), command.to_owned()], 1));
        }
        let names_file = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() || id == "stdout";
        if names_file && is_bare(value) && is_program(value) && !std::path::Path::new(value).exists() {
            let known = VALUES.iter().find(|(option, _)| *option == id);
            return Some(known.and_then(|(_, text)| put(at + 1, &[(*text).to_owned()], 0)));
        }
    }
    let factor = words.get(begin).filter(|word| words[1] == "sweep" && !word.starts_with('-'))?;
    let program = factor.split_whitespace().next().map(str::to_owned);
    program.is_some_and(|it| is_program(&it)).then(|| put(begin, &["env-size".to_owned()], 0))
}

/// The typed line with the missing options added, each with the value that it has in an example of the verb's help.
pub(crate) fn with_options(words: &[String], missing: &[String]) -> Option<String> {
    let examples = examples(words);
    let value = |option: &String| {
        let words = examples.iter().find_map(|line| line.split_once(&format!(" {option} ")))?.1;
        Some([option.clone(), words.split(' ').next()?.to_owned()])
    };
    let added: Option<Vec<[String; 2]>> = missing.iter().map(value).collect();
    let whole = [words, &added?.concat()].concat();
    with_commands(&whole).or_else(|| readable(whole, words))
}

/// The first example in the help of the verb.
pub(crate) fn example(words: &[String]) -> Option<String> {
    examples(words).into_iter().next()
}

fn examples(words: &[String]) -> Vec<String> {
    let help = verb_of(words).get_after_help().map(ToString::to_string).unwrap_or_default();
    let behind = help.split_once("Examples:\n").map_or("", |(_, behind)| behind);
    let lines = behind.lines().take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().to_owned()).filter(|line| line.starts_with("fauxplat ")).collect()
}

/// The typed line without an option that no verb has, and without the option's value.
pub(crate) fn without(words: &[String], unknown: &str) -> Option<String> {
    let at = words.iter().position(|word| word.split('=').next() == Some(unknown))?;
    let cut = |count: usize| [&words[..at], words.get(at + count..)?].concat().into();
    // The value is removed with its option if a command remains.
    [2, 1].into_iter().filter_map(cut).find_map(|candidate: Vec<String>| {
        let has_command = commands(&parse(&candidate).ok()?).is_some_and(|commands| !commands.is_empty());
        readable(candidate, words).filter(|_| has_command)
    })
}

/// The typed line with quotes around commands that were typed without them.
pub(crate) fn with_quotes(words: &[String]) -> Option<String> {
    readable(quoted(words)?, words)
}

/// The typed line in which a flag that was given several times, such as `-vv`, occurs once.
pub(crate) fn said_once(words: &[String], flag: &str) -> Option<String> {
    let own = Own::of(words);
    let is_flag = |word: &str| {
        own.option(word).is_some_and(|(arg, _)| {
            Some(arg.get_long().unwrap_or_default()) == flag.strip_prefix("--")
                && !arg.get_action().takes_values()
        })
    };
    let mut is_said = false;
    let mut once = |word: &String| {
        if !word.starts_with('-') || word.starts_with("--") {
            let is_again = is_flag(word) && std::mem::replace(&mut is_said, true);
            return (!is_again).then(|| word.clone());
        }
        let mut kept = String::from("-");
        for letter in word[1..].chars() {
            let is_it = is_flag(&format!("-{letter}"));
            if !is_it || !std::mem::replace(&mut is_said, true) {
                kept.push(letter);
            }
        }
        (kept != "-" || word == "-").then_some(kept)
    };
    readable(words.iter().filter_map(&mut once).collect(), words)
}

/// The typed line with the value `other` in place of one that an option refuses.
pub(crate) fn with_other_value(words: &[String], value: &str, other: &str) -> Option<String> {
    let instead = |word: &String| match word.strip_suffix(value) {
        Some("") => other.to_owned(),
        Some(option) if option.starts_with('-') => format!("{option}{other}"),
        _ => word.clone(),
    };
    readable(words.iter().map(instead).collect(), words)
}

/// The typed line with `--names` in place of the option before a list of names, which would name only the first
/// command.
pub(crate) fn with_names(words: &[String], names: &str) -> Option<String> {
    let at = words.iter().position(|word| word == names)?;
    let line = words.iter().enumerate().map(|(place, word)| match place + 1 == at {
        true => "--names".to_owned(),
        false => word.clone(),
    });
    readable(line.collect(), words)
}

/// Corrected lines for an option that the verb does not have: with an option of the verb, a format or a verb instead.
/// The typed word has to be an abbreviation of its replacement, or differ from it by a typing error.
pub(crate) fn for_option(words: &[String], unknown: &str) -> Vec<String> {
    let place = words.iter().position(|word| word.split('=').next() == Some(unknown));
    let name = unknown.strip_prefix("--").filter(|name| !name.is_empty());
    let (Some(at), Some(name)) = (place, name) else { return Vec::new() };
    let instead = |option: &[&str]| {
        let mut line = words.to_vec();
        let first = line[at].replacen(unknown, option[0], 1);
        line.splice(at..=at, [first].into_iter().chain(option[1..].iter().map(|&word| word.to_owned())));
        readable(line, words)
    };
    let verb = verb_of(words);
    let longs = verb.get_arguments().filter_map(clap::Arg::get_long);
    let longs = longs.filter(|long| !EXECUTING.contains(long)).map(|long| format!("--{long}"));
    let longs: Vec<String> = longs.collect();
    let begun: Vec<&String> = longs.iter().filter(|long| long.starts_with(unknown)).collect();
    let alike =
        if begun.is_empty() { longs.iter().filter(|long| is_slip(long, unknown)).collect() } else { begun };
    let lines: Vec<String> = alike.iter().filter_map(|long| instead(&[long.as_str()])).collect();
    if !lines.is_empty() {
        return lines;
    }
    let by_format = || instead(&["--format", name]);
    by_verb(words, at, name).or_else(by_format).into_iter().collect()
}

/// The typed line as one of the verb whose name was typed as an option, such as `fauxplat tune --restore`.
fn by_verb(words: &[String], option: usize, name: &str) -> Option<String> {
    definition().find_subcommand(name)?;
    let rest = words.iter().enumerate().skip(2).filter(|(at, _)| *at != option).map(|(_, word)| word.clone());
    readable([words[0].clone(), name.to_owned()].into_iter().chain(rest).collect(), words)
}

/// Whether a word is a typing error for another: one letter too many, missing, wrong or swapped with its neighbour; in
/// a long word two such errors.
fn is_slip(long: &str, typed: &str) -> bool {
    is_transposed(long, typed) || strsim::osa_distance(long, typed) <= 1 + typed.len() / 12
}

/// Whether two words consist of the same letters in any order. Measures of similarity overlook such typing errors in
/// short words.
fn is_transposed(one: &str, other: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    letters(one) == letters(other)
}

/// Corrected lines with a similar verb in place of an unknown word.
pub(crate) fn for_verb(words: &[String], typed: &str) -> Vec<String> {
    let Some(at) = words.iter().position(|word| word == typed) else { return Vec::new() };
    let above = verb_of(&words[..at]);
    let names = above.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name);
    let mut alike: Vec<(f64, &str)> = names.map(|name| (likeness(name, typed), name)).collect();
    alike.retain(|(likeness, _)| *likeness > LIKE);
    alike.sort_by(|one, other| other.0.total_cmp(&one.0));
    let of = |name: &str| [&words[..at], &[name.to_owned()], &words[at + 1..]].concat();
    let meant = alike.into_iter().take(2).map(|(_, name)| of(name));
    let lines: Vec<String> =
        meant.filter_map(|line| readable(line.clone(), words).or_else(|| with_quotes(&line))).collect();
    match with_option(words, typed) {
        Some(line) if at == 1 => vec![line],
        _ => lines,
    }
}

/// The typed line as one of `run`, if the word in place of the verb is the name of an option, as in `fauxplat runs 5
/// ls`.
fn with_option(words: &[String], typed: &str) -> Option<String> {
    if EXECUTING.contains(&typed) {
        return None;
    }
    let head = [words[0].clone(), "run".to_owned(), format!("--{typed}")];
    verb_of(&head).get_arguments().find(|arg| arg.get_long() == Some(typed))?;
    readable([&head[..], &words[2..]].concat(), words)
}

fn likeness(name: &str, typed: &str) -> f64 {
    if is_transposed(name, typed) { 1.0 } else { strsim::jaro_winkler(name, typed) }
}

/// The similarity by Jaro and Winkler, from 0 to 1, above which a word is taken for a misspelt verb.
const LIKE: f64 = 0.8;

pub(crate) fn resembles_a_verb(word: &str) -> bool {
    let is_alike = |verb: &Command| !verb.is_hide_set() && likeness(verb.get_name(), word) > LIKE;
    definition().get_subcommands().any(is_alike)
}

/// The typed line with the dashes of an option whose name was typed without them, as in `fauxplat tune status`.
pub fn with_dashes(words: &[String], word: &str) -> Option<String> {
    verb_of(words).get_arguments().find(|arg| arg.get_long() == Some(word))?;
    let dashed = |other: &String| if other == word { format!("--{word}") } else { other.clone() };
    readable(words.iter().map(dashed).collect(), words)
}

/// The line that compares stored results (`--baseline`, `--with`), if two files of results were given as commands:
/// documents of fauxplat, or results of another harness.
pub(crate) fn of_documents(words: &[String], commands: &[String]) -> Option<String> {
    let [before, after] = commands else { return None };
    let is_none = |word: &String| word.contains(char::is_whitespace) || is_program(word);
    if words.get(1).is_none_or(|verb| verb != "compare") || commands.iter().any(is_none) {
        return None;
    }
    let rest = words.iter().filter(|word| !commands.contains(word)).cloned();
    if commands.iter().all(|word| word.ends_with(".json")) {
        let stored = ["--baseline", before, "--with", after].map(str::to_owned);
        return readable(rest.chain(stored).collect(), words);
    }
    let are_texts =
        commands.iter().all(|word| word.ends_with(".txt") && std::path::Path::new(word).is_file());
    are_texts.then(|| line(&[&words[0], "suite", "--from", before, after].map(str::to_owned)))
}
