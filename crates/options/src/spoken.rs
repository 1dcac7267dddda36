//! Normalises the command line before it is parsed: commands without a verb, and options whose values other tools
//! separate by blanks.

use clap::error::{ContextKind, ErrorKind};

use crate::help::{Parsed, whole};
use crate::joined::joined as joined_verbs;
use crate::{Verb, parse};

/// The command line with a verb, and with the values of options joined.
pub fn understood(words: &[String]) -> Vec<String> {
    let verbs: Vec<String> = whole().get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let first = words.get(1).map_or("", String::as_str);
    let has_verb = ["", "help", "-h", "--help", "-V", "--version"].contains(&first)
        || verbs.iter().any(|verb| verb == first);
    let takes_commands = |name: &str| {
        joined_verbs().iter().any(|verb| verb.takes_commands && (verb.command)().get_name() == name)
    };
    match (has_verb, MEASURING.contains(&first) || first == "profile" || takes_commands(first)) {
        (true, true) => [words[..2].to_vec(), joined(&words[2..])].concat(),
        (true, false) => words.to_vec(),
        (false, _) => with_verb(words, &joined(words.get(1..).unwrap_or_default())),
    }
}

/// The verbs that take commands and the options about them.
pub const MEASURING: [&str; 5] = ["run", "compare", "aa", "sweep", "explain"];

/// Joins options with values that stand in the next word or in the next two.
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

/// Why nobody can tell whether the word behind a bare `--shell` is the shell or the first of several commands; nothing
/// where it is plain. What is understood in one way and meant in the other would be measured without a word.
pub fn doubt(words: &[String]) -> Option<String> {
    let understood = understood(words);
    let at = understood.iter().position(|word| word == "-S" || word == "--shell")?;
    let behind = understood.get(at + 1).filter(|word| may_be_a_shell(word))?;
    let Parsed::Defined(cli) = parse(&understood).ok()? else { return None };
    let commands = commands(&cli.verb)?;
    (commands.len() > 1 && commands.contains(behind)).then(|| {
        format!(
            "{} `{behind}`: is this the shell, or the first command? Say --shell='{behind}' for the shell, or \
             --shell=default before commands that /bin/sh reads",
            understood[at]
        )
    })
}

/// The commands of a verb that has some.
fn commands(verb: &Verb) -> Option<&[String]> {
    let args = match verb {
        Verb::Run(args) => &args.commands,
        Verb::Compare(args) => &args.commands,
        Verb::Aa(args) => &args.commands,
        Verb::Sweep(args) => &args.commands,
        Verb::Explain(args) => &args.commands,
        Verb::Profile(args) => &args.commands,
        _ => return None,
    };
    Some(&args.commands)
}

/// Whether a word that was not taken for a shell may be one: a shell with words that are no options, or a single plain word,
/// for which as a command no shell would be needed.
fn may_be_a_shell(word: &str) -> bool {
    let mut words = word.split_whitespace();
    let name = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
    let is_single = !word.is_empty() && word.chars().all(is_plain);
    is_single || SHELLS.contains(&name) && words.all(|option| option != "-c")
}

/// Whether a word is a list of exit statuses such as `1,2`, or hyperfine's word for all.
fn is_statuses(word: &str) -> bool {
    word == "all-non-zero"
        || !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Names that are shells and nothing else.
const SHELLS: [&str; 14] = [
    "default", "none", "sh", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "tcsh",
    "zsh",
];

/// Whether a word is a shell, possibly with options, and so the value of `--shell` rather than a command.
fn names_a_shell(word: &str) -> bool {
    let mut words = word.split_whitespace();
    let name = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    SHELLS.contains(&name) && words.all(|option| option.starts_with('-') && option != "-c")
}

/// Several commands are compared, a single one is run; options that only one of the two verbs has decide.
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
        Ok(parsed) if is_several(&parsed) && !unknown(&compare) => compare,
        Err(error) if error.kind() == ErrorKind::UnknownArgument && !unknown(&compare) => compare,
        _ => run,
    }
}

/// Whether the first word is a mistyped verb rather than a command: it resembles a verb, and no program has its name.
fn resembles_a_verb(words: &[String]) -> bool {
    let is_one = |word: &&String| !word.starts_with('-') && !word.contains(char::is_whitespace);
    let Some(first) = words.get(1).filter(is_one) else { return false };
    let parsed = parse(&words[..2]);
    let is_near = parsed.is_err_and(|error| error.get(ContextKind::SuggestedSubcommand).is_some());
    is_near && fauxplat_launch::plain::find(std::slice::from_ref(first)).is_err()
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
            &["doctor"],
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
