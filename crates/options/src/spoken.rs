//! Normalises the command line before it is parsed: adds a missing verb, and joins options with their values where
//! other tools separate them by blanks.

use clap::error::ErrorKind;

use crate::advice::{self, of_documents, readable, with_names, with_quotes};
use crate::foreign::verb_for;
use crate::help::{Parsed, whole};
use crate::quoting::mistaken_option;
use crate::reading::{commands, is_bare, is_program, takes_commands, unquoted_word};
use crate::translation::{in_our_words, of_tool};
use crate::{Verb, parse};

/// The command line with a missing verb added, and with the values of options joined to the options.
pub fn understood(words: &[String]) -> Vec<String> {
    let first = words.get(1).map_or("", String::as_str);
    let has_verb = has_verb(first);
    match (has_verb, takes_commands(first)) {
        (true, true) => [words[..2].to_vec(), joined(&words[2..])].concat(),
        (true, false) => words.to_vec(),
        (false, _) => with_verb(words, &joined(words.get(1..).unwrap_or_default())),
    }
}

/// Whether the first word is a verb, or requests help or the version.
fn has_verb(first: &str) -> bool {
    let is_verb =
        |verb: &clap::Command| verb.get_name() == first || verb.get_all_aliases().any(|name| name == first);
    ["", "help", "-h", "--help", "-V", "--version"].contains(&first) || whole().get_subcommands().any(is_verb)
}

/// Joins options such as `-L` with their values in the next one or two words.
fn joined(words: &[String]) -> Vec<String> {
    let (mut out, mut rest) = (Vec::new(), words.iter().peekable());
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--" => {
                out.push(word.clone());
                out.extend(rest.by_ref().cloned());
            }
            "-L" | "--parameter-list" => {
                out.push(word.clone());
                let Some(name) = rest.next() else { break };
                let values = rest.next_if(|next| !name.contains('=') && !next.starts_with("--"));
                out.push(values.map_or(name.clone(), |values| format!("{name}={values}")));
            }
            "-i" | "--ignore-failure" => {
                let statuses = rest.next_if(|next| is_statuses(next));
                out.push(statuses.map_or(word.clone(), |next| format!("--ignore-failure={next}")));
            }
            "-S" | "--shell" => {
                let shell = rest.next_if(|next| names_a_shell(next));
                out.push(shell.map_or(word.clone(), |next| format!("--shell={next}")));
            }
            _ => out.push(word.clone()),
        }
    }
    out
}

/// The message with which a valid command line is refused because it probably has a different intended meaning, so that
/// the wrong thing would be measured; `None` if there is no doubt.
pub fn doubt(words: &[String]) -> Option<String> {
    let of_verb = || {
        let understood = understood(words);
        shell_or_command(&understood)
            .or_else(|| option_of_command(&understood))
            .or_else(|| several_names(&understood))
    };
    foreign_verb(words).or_else(|| unsaid_verb(words)).or_else(of_verb)
}

/// A message about a line in the notation of another tool, possibly with the tool's name first: `fauxplat perf stat
/// ls`.
fn foreign_verb(words: &[String]) -> Option<String> {
    let first = words.get(1).filter(|first| is_bare(first) && !has_verb(first))?;
    if first == "hyperfine" {
        let ours = understood(&[&words[..1], &words[2..]].concat());
        let line = readable(ours.clone(), words).or_else(|| with_quotes(&ours));
        let line = line.unwrap_or_else(|| "fauxplat run 'COMMAND'".to_owned());
        return Some(format!("`{first}` is no verb of fauxplat; try: {line}"));
    }
    let told = match of_tool(words) {
        Some(told) => told,
        None => in_our_words(words, verb_for(first)?)?,
    };
    let beside = told.beside.map_or(String::new(), |beside| format!(" ({beside})"));
    let remedy = match (told.line, told.left_out.is_empty()) {
        (Some(line), true) => format!("; try: {line}"),
        (Some(line), false) => format!("; without {}: {line}", told.left_out.join(" ")),
        (None, _) => format!(": {}", told.ours),
    };
    Some(format!("`{}` is no verb of fauxplat{beside}{remedy}", told.call))
}

/// The message that refuses an option after an unquoted program, which the verb would take as its own option: `run bash
/// -c ls`.
fn option_of_command(words: &[String]) -> Option<String> {
    let (name, at) = mistaken_option(words)?;
    let (option, program) = (&words[at], &words[at - 1]);
    let line = with_quotes(words)?;
    Some(format!(
        "`{option}` behind `{program}` would be --{name} here, which stands before the command where it is meant; a command \
         with its arguments is one word of the shell, try: {line}"
    ))
}

/// The message that refuses a list of names for several commands where the option names only the first command.
fn several_names(words: &[String]) -> Option<String> {
    let Parsed::Defined(cli) = parse(words).ok()? else { return None };
    let args = match &cli.verb {
        Verb::Run(args) => &args.commands,
        Verb::Compare(args) => &args.commands,
        Verb::Explain(args) => &args.commands,
        Verb::Profile(args) => &args.commands,
        _ => return None,
    };
    let [names] = args.command_name.as_slice() else { return None };
    let is_list = args.commands.len() > 1 && names.split(',').count() == args.commands.len();
    let line = with_names(words, names).filter(|_| is_list)?;
    Some(format!(
        "--command-name names one command, and `{names}` would be the name of the first; try: {line}"
    ))
}

/// A message about a line that begins with a bare word that is no verb: the user of `fauxplat diff` does not expect 500
/// runs of diff.
fn unsaid_verb(words: &[String]) -> Option<String> {
    let rest = words.get(1..).filter(|rest| !rest.is_empty() && rest.iter().all(|word| is_bare(word)))?;
    let first = &rest[0];
    if has_verb(first) || resembles_a_verb(words) {
        return None;
    }
    let spoken = |verb: &str| [&[words[0].clone(), verb.to_owned()], rest].concat();
    let run =
        with_quotes(&spoken("run")).or_else(|| is_program(first).then(|| format!("fauxplat run {first}")));
    let to_run = run.map(|line| format!("to measure a program, say: {line}"));
    let said =
        [verb_for(first).map(str::to_owned), to_run].into_iter().flatten().collect::<Vec<_>>().join("; ");
    Some(match said.is_empty() {
        true => {
            format!("`{first}` is neither a verb of fauxplat nor a program (fauxplat help lists the verbs)")
        }
        false => format!("`{first}` is no verb of fauxplat: {said}"),
    })
}

/// The message that refuses a valid line whose commands were typed without quotes, or in which stored results were
/// given as commands. `words` is the normalised line.
pub fn unquoted(words: &[String], parsed: &Parsed) -> Option<String> {
    if let Some(line) = commands(parsed).and_then(|commands| of_documents(words, commands)) {
        return Some(format!("stored results are no commands; try: {line}"));
    }
    let other = unquoted_word(words, parsed)?;
    let line = with_quotes(words)?;
    Some(format!(
        "`{other}` is no program; a command with its arguments is one word of the shell, try: {line}"
    ))
}

/// The message that refuses a bare `--shell` where the next word could be its value or a command; `None` if that is
/// clear.
fn shell_or_command(understood: &[String]) -> Option<String> {
    let at = understood.iter().position(|word| word == "-S" || word == "--shell")?;
    let behind = understood.get(at + 1).filter(|word| may_be_a_shell(word))?;
    let parsed = parse(understood).ok()?;
    let commands = commands(&parsed)?;
    (commands.len() > 1 && commands.contains(behind)).then(|| {
        format!(
            "{} `{behind}`: is this the shell, or the first command? Say --shell='{behind}' for the shell, or \
             --shell=default before commands that /bin/sh reads",
            understood[at]
        )
    })
}

/// Whether a word after `--shell` that was taken for a command may be meant as the shell: the name of a shell, possibly
/// with arguments other than `-c`, or any single plain word, which would not need a shell if it were a command.
fn may_be_a_shell(word: &str) -> bool {
    let mut words = word.split_whitespace();
    let name = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
    let is_single = !word.is_empty() && word.chars().all(is_plain);
    is_single || SHELLS.contains(&name) && words.all(|option| option != "-c")
}

/// Whether a word is a value of `--ignore-failure`: a list of exit statuses such as `1,2`, or hyperfine's word for all.
fn is_statuses(word: &str) -> bool {
    word == "all-non-zero"
        || !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Names of shells (and words of `--shell`) that name nothing else.
const SHELLS: [&str; 14] = [
    "default", "none", "sh", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "tcsh",
    "zsh",
];

/// Whether a word is a shell, possibly with options, and therefore is taken as the value of `--shell` and not as a
/// command.
fn names_a_shell(word: &str) -> bool {
    let mut words = word.split_whitespace();
    let name = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    SHELLS.contains(&name) && words.all(|option| option.starts_with('-') && option != "-c")
}

/// Adds the missing verb to a command line: `compare` for several commands, and `run` for a single one. If the line has
/// options that only one of the two verbs knows, that verb is added.
fn with_verb(words: &[String], rest: &[String]) -> Vec<String> {
    let program = words.first().cloned().unwrap_or_default();
    let spoken = |verb: &str| [&[program.clone(), verb.to_owned()], rest].concat();
    if resembles_a_verb(words) {
        return words.to_vec();
    }
    let (run, compare) = (spoken("run"), spoken("compare"));
    let unknown = |words: &[String]| match parse(words) {
        Err(error) => error.kind() == ErrorKind::UnknownArgument,
        Ok(_) => false,
    };
    let is_several = |parsed: &Parsed| match parsed {
        Parsed::Defined(cli) => matches!(&cli.verb, Verb::Run(args) if args.commands.is_several()),
        Parsed::Joined(..) => false,
    };
    match parse(&run) {
        // The words of one command that was typed without quotes are not separate commands to compare.
        Ok(parsed) if unquoted_word(&run, &parsed).is_some() => run,
        Ok(parsed) if is_several(&parsed) && !unknown(&compare) => compare,
        Err(error) if error.kind() == ErrorKind::UnknownArgument && !unknown(&compare) => compare,
        _ => run,
    }
}

/// Whether the first word is a mistyped verb, not a command: it resembles a verb, and no program has its name.
fn resembles_a_verb(words: &[String]) -> bool {
    let is_one = |word: &&String| !word.starts_with('-') && !word.contains(char::is_whitespace);
    let Some(first) = words.get(1).filter(is_one) else { return false };
    advice::resembles_a_verb(first) && !is_program(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(line: &[&str]) -> Vec<String> {
        let words: Vec<String> = ["fauxplat"].iter().chain(line).map(|&word| word.to_owned()).collect();
        understood(&words).split_off(1)
    }

    #[test]
    fn values_that_stand_apart_are_joined() {
        let cases: [(&[&str], &[&str]); 8] = [
            (&["run", "-L", "n", "1,2", "x {n}"], &["run", "-L", "n=1,2", "x {n}"]),
            (&["run", "-L", "n=1,2", "x {n}"], &["run", "-L", "n=1,2", "x {n}"]),
            (&["run", "-i", "1,2", "x"], &["run", "--ignore-failure=1,2", "x"]),
            (&["run", "-i", "x"], &["run", "-i", "x"]),
            (&["run", "--shell", "zsh", "x"], &["run", "--shell=zsh", "x"]),
            (&["run", "-S", "bash --norc", "x"], &["run", "--shell=bash --norc", "x"]),
            (&["run", "--shell", "bash -c true"], &["run", "--shell", "bash -c true"]),
            (&["run", "--", "-L", "a", "b"], &["run", "--", "-L", "a", "b"]),
        ];
        for (typed, expected) in cases {
            assert_eq!(spoken(typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn a_word_that_may_be_the_shell_or_a_command_is_neither() {
        let doubtful = |line: &[&str]| {
            let words: Vec<String> = ["fauxplat"].iter().chain(line).map(|&word| word.to_owned()).collect();
            doubt(&words)
        };
        for line in [
            &["run", "-S", "bash -e -o pipefail", "false | true"][..],
            &["--shell", "python3", "print(1)"],
            &["compare", "--shell", "bash x.sh", "bash y.sh"],
        ] {
            let told = doubtful(line).unwrap_or_default();
            assert!(told.contains("--shell='") && told.contains("--shell=default"), "{line:?}: {told}");
        }
        for line in [
            &["run", "-S", "bash -e", "false | true"][..],
            &["run", "--shell=bash -e -o pipefail", "false | true"],
            &["run", "-S", "sleep 1; true", "a | b"],
            &["run", "-S", "bash x.sh", "--runs", "5"],
            &["run", "-S", "true"],
            &["run", "a", "b", "--shell"],
            &["restore"],
        ] {
            assert_eq!(doubtful(line), None, "{line:?}");
        }
    }

    #[test]
    fn commands_without_a_verb_are_run_or_compared() {
        assert_eq!(spoken(&["sleep 1"]), ["run", "sleep 1"]);
        assert_eq!(spoken(&["-w", "3", "sleep 1"]), ["run", "-w", "3", "sleep 1"]);
        assert_eq!(spoken(&["sleep 1", "sleep 2"])[0], "compare");
        assert_eq!(spoken(&["-L", "n", "1,2", "sleep {n}"])[0], "compare");
        assert_eq!(spoken(&["-r", "5", "sleep 1", "sleep 2"])[0], "run", "only run counts runs");
        assert_eq!(spoken(&["--fail-if", "slower", "a", "b"])[0], "compare");
        assert_eq!(spoken(&["--baseline", "last", "a"])[0], "compare");
    }

    #[test]
    fn verbs_and_what_resembles_them_are_left_alone() {
        for line in [&["tune", "--for", "x", "-L", "a", "b"][..], &["comapre", "a", "b"], &["--version"], &[]]
        {
            assert_eq!(spoken(line), line);
        }
    }
}
