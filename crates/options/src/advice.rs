//! The command line that was probably meant. A line is proposed only where it would be read without an error.

use clap::Command;

use fauxplat_launch::plain;
use fauxplat_report::say::shell_word;
use fauxplat_store::masked;

use crate::help::{MEASURING, Parsed, definition, verb_of};
use crate::joined::joined;
use crate::{FleetAction, FleetArgs, Verb, parse};

/// A command line for a message, as a shell reads it.
fn line(words: &[String]) -> String {
    let words = words.iter().skip(1).map(|word| shell_word(&masked(word)));
    std::iter::once("fauxplat".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The line, where it would be read, runs programs that are there, and says something else than what was typed.
fn readable(candidate: Vec<String>, typed: &[String]) -> Option<String> {
    let parsed = parse(&candidate).ok().filter(|_| candidate != typed)?;
    let commands = commands(&parsed);
    let runs = match commands {
        // An option has taken the command for its value.
        Some([]) => !candidate[2..].iter().any(is_program),
        Some(commands) => commands.iter().all(|it| it.contains(char::is_whitespace) || is_program(it)),
        None => true,
    };
    runs.then(|| line(&candidate))
}

/// The commands of a line, where its verb takes some.
pub(crate) fn commands(parsed: &Parsed) -> Option<&[String]> {
    let Parsed::Defined(cli) = parsed else { return None };
    let args = match &cli.verb {
        Verb::Run(args) => &args.commands,
        Verb::Compare(args) => &args.commands,
        Verb::Aa(args) => &args.commands,
        Verb::Sweep(args) => &args.commands,
        Verb::Explain(args) => &args.commands,
        Verb::Profile(args) => &args.commands,
        Verb::Fleet(FleetArgs { action: FleetAction::Run(args) }) => &args.commands,
        Verb::Fleet(FleetArgs { action: FleetAction::Compare(args) }) => &args.commands,
        _ => return None,
    };
    Some(&args.commands)
}

/// Number of words, with the program's, that name a verb which takes commands.
fn words_before_commands(words: &[String]) -> Option<usize> {
    let verb = words.get(1)?;
    let is_of_fleet = || verb == "fleet" && words.get(2).is_some_and(|it| it == "run" || it == "compare");
    if takes_commands(verb) { Some(2) } else { is_of_fleet().then_some(3) }
}

/// Commands that every machine has, for lines in which one is missing.
const SAMPLES: [&str; 2] = ["ls", "ls /"];

/// The line with as many commands as its verb needs: a single command is run and not compared.
pub fn with_commands(words: &[String]) -> Option<String> {
    let begin = words_before_commands(words)?;
    let parsed = parse(words).ok()?;
    let compares = words[begin - 1] == "compare";
    match (commands(&parsed)?, compares) {
        ([], _) => {
            let samples = &SAMPLES[..1 + usize::from(compares)];
            let whole = words.iter().cloned().chain(samples.iter().map(|&it| it.to_owned()));
            readable(whole.collect(), words)
        }
        ([only], true) => {
            let run = |rest: &[String]| [&words[..begin - 1], &["run".to_owned()], rest].concat();
            readable(run(&words[begin..]), words).or_else(|| readable(run(std::slice::from_ref(only)), words))
        }
        _ => None,
    }
}

/// The line with these options, each with the value that it has in an example of the verb's help.
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

/// The line that says here what was said in a verb of another tool, with the command behind it: `fauxplat stat ls`.
pub(crate) fn in_our_words(words: &[String], ours: &str) -> Option<String> {
    let begin = (2..words.len()).find(|&at| is_program(&words[at]))?;
    let command: Vec<String> = words[begin..].iter().map(|word| shell_word(word).to_string()).collect();
    let spoken = ours.split(", or ").next()?.strip_prefix("fauxplat ")?.replacen(" 'COMMAND'", "", 2);
    let verb = spoken.replace("COUNTER,…", "page-faults");
    let line = ["fauxplat"].into_iter().chain(verb.split(' ')).map(str::to_owned);
    let command = if words[begin..].len() == 1 { words[begin].clone() } else { command.join(" ") };
    readable(line.chain([command]).collect(), words)
}

/// The line without an option that no verb has, and without its value.
pub(crate) fn without(words: &[String], unknown: &str) -> Option<String> {
    let at = words.iter().position(|word| word.split('=').next() == Some(unknown))?;
    let cut = |count: usize| [&words[..at], words.get(at + count..)?].concat().into();
    [1, 2].into_iter().filter_map(cut).find_map(|candidate: Vec<String>| {
        let has_command = commands(&parse(&candidate).ok()?).is_some_and(|commands| !commands.is_empty());
        readable(candidate, words).filter(|_| has_command)
    })
}

/// Whether a word may be the name of a program or a verb: no option, no path, and no command with arguments.
pub(crate) fn is_bare(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && !word.contains(|c: char| c.is_whitespace() || c == '/')
}

/// Whether a word names a program.
pub(crate) fn is_program(word: &String) -> bool {
    let is_option_or_line = word.starts_with('-') || word.contains(char::is_whitespace);
    !is_option_or_line && plain::find(std::slice::from_ref(word)).is_ok()
}

/// Whether a verb takes commands, each as a single word.
pub(crate) fn takes_commands(verb: &str) -> bool {
    let joined = joined();
    let has_joined = || joined.iter().any(|it| it.takes_commands && (it.command)().get_name() == verb);
    MEASURING.contains(&verb) || verb == "profile" || has_joined()
}

/// The line in which commands that were typed without quotes have them: a command begins at each word that names a program
/// and ends where an option of the verb follows.
pub(crate) fn with_quotes(words: &[String]) -> Option<String> {
    let head = words_before_commands(words)?;
    let verb = &words[head - 1];
    let begin = (head..words.len()).find(|&at| is_program(&words[at]))?;
    let longs = verb_of(words);
    let is_own = |word: &String| {
        let name = word.strip_prefix("--").and_then(|name| name.split('=').next());
        name.is_some_and(|name| longs.get_arguments().any(|arg| arg.get_long() == Some(name)))
    };
    let end = words[begin..].iter().position(is_own).map_or(words.len(), |at| begin + at);
    let mut commands: Vec<String> = Vec::new();
    for word in words[begin..end].iter().filter(|word| *word != "--") {
        match commands.last_mut().filter(|_| !is_program(word)) {
            Some(command) => *command = format!("{command} {}", shell_word(word)),
            None => commands.push(word.clone()),
        }
    }
    if verb == "compare" && commands.len() == 1 {
        commands.push("OTHER COMMAND".to_owned());
    }
    let before = words[..begin].iter().filter(|word| *word != "--").cloned();
    readable(before.chain(commands).chain(words[end..].iter().cloned()).collect(), words)
}

/// The lines with an option of the verb, a format or a verb in the place of an option that the verb does not have.
pub(crate) fn for_option(words: &[String], unknown: &str, similar: Option<&str>) -> Vec<String> {
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
    let longs = verb.get_arguments().filter_map(clap::Arg::get_long).map(|long| format!("--{long}"));
    let longs: Vec<String> = longs.collect();
    let begun: Vec<&String> = longs.iter().filter(|long| long.starts_with(unknown)).collect();
    // `--no-quiet` asks for anything but `--quiet`.
    let is_denied = |long: &str| name.strip_prefix("no-") == long.strip_prefix("--");
    let is_alike =
        |long: &&String| (similar == Some(long.as_str()) || is_transposed(long, unknown)) && !is_denied(long);
    let alike = if begun.is_empty() { longs.iter().filter(is_alike).collect() } else { begun };
    let lines: Vec<String> = alike.iter().filter_map(|long| instead(&[long.as_str()])).collect();
    if !lines.is_empty() {
        return lines;
    }
    let by_format = || instead(&["--format", name]);
    by_verb(words, at, name).or_else(by_format).into_iter().collect()
}

/// The line of the verb whose name was typed as an option: `fauxplat tune --restore`.
fn by_verb(words: &[String], option: usize, name: &str) -> Option<String> {
    definition().find_subcommand(name)?;
    let rest = words.iter().enumerate().skip(2).filter(|(at, _)| *at != option).map(|(_, word)| word.clone());
    readable([words[0].clone(), name.to_owned()].into_iter().chain(rest).collect(), words)
}

/// Whether two words have the same letters: a slip of the fingers that measures of likeness overlook in short words.
fn is_transposed(one: &str, other: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    letters(one) == letters(other)
}

/// The lines with a verb in the place of a word that is none.
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

/// The line in which a word in the place of a verb is an option of `run`: `fauxplat runs 5 ls`.
fn with_option(words: &[String], typed: &str) -> Option<String> {
    let head = [words[0].clone(), "run".to_owned(), format!("--{typed}")];
    verb_of(&head).get_arguments().find(|arg| arg.get_long() == Some(typed))?;
    readable([&head[..], &words[2..]].concat(), words)
}

fn likeness(name: &str, typed: &str) -> f64 {
    if is_transposed(name, typed) { 1.0 } else { strsim::jaro_winkler(name, typed) }
}

/// The likeness, by Jaro and Winkler, above which a word was probably meant to be another.
const LIKE: f64 = 0.8;

/// Whether a word is probably a mistyped verb.
pub(crate) fn resembles_a_verb(word: &str) -> bool {
    let is_alike = |verb: &Command| !verb.is_hide_set() && likeness(verb.get_name(), word) > LIKE;
    definition().get_subcommands().any(is_alike)
}

/// The line with an option whose name, this word, was typed without its dashes: `fauxplat tune status`.
pub fn with_dashes(words: &[String], word: &str) -> Option<String> {
    verb_of(words).get_arguments().find(|arg| arg.get_long() == Some(word))?;
    let dashed = |other: &String| if other == word { format!("--{word}") } else { other.clone() };
    readable(words.iter().map(dashed).collect(), words)
}

/// The line that compares stored results whose files were given as commands.
pub(crate) fn of_documents(words: &[String], commands: &[String]) -> Option<String> {
    let is_document = |word: &String| word.ends_with(".json") && std::path::Path::new(word).is_file();
    let [before, after] = commands else { return None };
    if words.get(1).is_none_or(|verb| verb != "compare") || ![before, after].into_iter().all(is_document) {
        return None;
    }
    let rest = words.iter().filter(|word| !commands.contains(word)).cloned();
    let stored = ["--baseline", before, "--with", after].map(str::to_owned);
    readable(rest.chain(stored).collect(), words)
}
