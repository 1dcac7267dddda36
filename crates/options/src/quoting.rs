//! Finds commands that were typed without quotes: where they begin, and where the options of the verb after them begin.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, Command};

use fauxplat_report::say::shell_word;

use crate::help::verb_of;
use crate::parse;
use crate::reading::{commands, is_program, words_before_commands};

/// Programs that run another program, which their arguments name.
const WRAPPERS: [&str; 32] = [
    "bwrap",
    "chroot",
    "chrt",
    "doas",
    "eatmydata",
    "env",
    "flock",
    "gdb",
    "ionice",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "numactl",
    "perf",
    "prlimit",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "unshare",
    "valgrind",
    "watch",
    "xargs",
];

/// Interpreters that accept the text of a program as the value of an option, as in `sh -c TEXT`.
const INTERPRETERS: [&str; 16] = [
    "ash", "bash", "csh", "dash", "fish", "ksh", "lua", "mksh", "node", "perl", "php", "python", "ruby",
    "sh", "tcsh", "zsh",
];

/// The name of a program without its folder and version, such as `python` for `/usr/bin/python3.11`.
fn plain_name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

fn is_wrapper(word: &str) -> bool {
    WRAPPERS.contains(&plain_name(word))
}

fn is_interpreter(word: &str) -> bool {
    INTERPRETERS.contains(&plain_name(word))
}

/// Whether an option of a verb accepts any text, so that a word of a command would be a valid value.
pub(crate) fn takes_text(arg: &Arg) -> bool {
    let kind = arg.get_value_parser().type_id();
    kind == TypeId::of::<String>() || kind == TypeId::of::<PathBuf>()
}

/// The options that the verb of a command line has.
pub(crate) struct Own(Command);

impl Own {
    pub(crate) fn of(words: &[String]) -> Self {
        Own(verb_of(words))
    }

    fn long(&self, name: &str) -> Option<&Arg> {
        self.0.get_arguments().find(|arg| {
            arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
        })
    }

    fn short(&self, letter: char) -> Option<&Arg> {
        self.0.get_arguments().find(|arg| arg.get_short() == Some(letter))
    }

    /// The option of this verb that a word names, and the number of following words that are its values; `None` if the
    /// word is no such option.
    pub(crate) fn option(&self, word: &str) -> Option<(&Arg, usize)> {
        let values = |arg: &Arg| match arg.get_action().takes_values() && !arg.is_require_equals_set() {
            true => arg.get_num_args().map_or(1, |range| range.min_values()),
            false => 0,
        };
        if let Some(name) = word.strip_prefix("--") {
            let (name, has_value) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
            let arg = self.long(name)?;
            return Some((arg, if has_value { 0 } else { values(arg) }));
        }
        let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty())?;
        for (at, letter) in letters.char_indices() {
            let arg = self.short(letter)?;
            let is_last = at + letter.len_utf8() == letters.len();
            if arg.get_action().takes_values() || is_last {
                return Some((arg, if is_last { values(arg) } else { 0 }));
            }
        }
        None
    }

    /// The positions in the line of the options of this verb before the first command, and the position of that
    /// command, if any. `head` is the number of words that name the program and the verb.
    pub(crate) fn before_commands(&self, words: &[String], head: usize) -> (Vec<usize>, Option<usize>) {
        let mut further = self.0.get_positionals().take_while(|arg| arg.get_id() != "commands").count();
        let (mut options, mut at) = (Vec::new(), head);
        while let Some(word) = words.get(at) {
            match self.option(word) {
                Some((_, values)) => {
                    options.push(at);
                    at += values;
                }
                None if word.starts_with('-') => {}
                None if further > 0 => further -= 1,
                None if is_program(word) => return (options, Some(at)),
                None => {}
            }
            at += 1;
        }
        (options, None)
    }

    /// Whether a word after a command is an option of the verb and not of the command: a long option that the verb has,
    /// or a short one whose value is not arbitrary text.
    fn goes_on(&self, word: &str) -> bool {
        let is_typed = |(arg, _): (&Arg, usize)| {
            word.starts_with("--") || arg.get_action().takes_values() && !takes_text(arg)
        };
        self.option(word).is_some_and(is_typed)
    }

    /// The position in the line after the commands, where options of the verb follow, or the end of the line.
    fn end(&self, words: &[String], begin: usize) -> usize {
        let places = || (begin + 1..words.len()).filter(|&at| self.goes_on(&words[at]));
        let are_options = |&at: &usize| {
            let line = [&words[..=begin], &words[at..]].concat();
            parse(&line).is_ok_and(|parsed| commands(&parsed).is_some_and(|commands| commands.len() == 1))
        };
        let first_long = || places().find(|&at| words[at].starts_with("--"));
        places().find(are_options).or_else(first_long).unwrap_or(words.len())
    }
}

/// The words of the line in which commands that were typed without quotes are one word each: a command begins at a word
/// that names a program, and ends where options of the verb follow.
pub(crate) fn quoted(words: &[String]) -> Option<Vec<String>> {
    let head = words_before_commands(words)?;
    let own = Own::of(words);
    let begin = own.before_commands(words, head).1?;
    let end = own.end(words, begin);
    let mut commands = split(&words[begin..end], words[head - 1] == "compare");
    if words[head - 1] == "compare" && commands.len() == 1 {
        commands.push("OTHER COMMAND".to_owned());
    }
    let before = words[..begin].iter().filter(|word| *word != "--").cloned();
    Some(before.chain(commands).chain(words[end..].iter().cloned()).collect())
}

/// Joins words that were typed without quotes into commands. `compares` means that several commands are expected.
fn split(words: &[String], compares: bool) -> Vec<String> {
    let (mut commands, mut first, mut previous): (Vec<String>, _, _) = (Vec::new(), "", "");
    for word in words.iter().filter(|word| *word != "--") {
        let is_line = || word.split_whitespace().nth(1).is_some();
        let names_program = || word.split_whitespace().next().is_some_and(|it| is_program(&it.to_owned()));
        let begins = match first {
            "" => true,
            _ if word == first => true,
            _ if is_wrapper(first) || is_interpreter(first) && previous.starts_with('-') => false,
            _ => (compares || is_line()) && names_program(),
        };
        match commands.last_mut().filter(|_| !begins) {
            Some(command) => *command = format!("{command} {}", shell_word(word)),
            None => {
                commands.push(word.clone());
                first = word;
            }
        }
        previous = word;
    }
    commands
}

/// Finds an option that probably belongs to an unquoted program, although the verb would take it as its own: returns
/// the long name of the verb's option, and the position in the line.
pub(crate) fn mistaken_option(words: &[String]) -> Option<(String, usize)> {
    let own = Own::of(words);
    let begin = own.before_commands(words, words_before_commands(words)?).1?;
    let (option, value) = (words.get(begin + 1)?, words.get(begin + 2)?);
    let (arg, _) = own.option(option).filter(|(arg, values)| *values == 1 && takes_text(arg))?;
    let is_hook = ["-s", "-p", "-C", "-c"].contains(&option.as_str());
    // A value that is a number, or a file that is not a program, cannot be a command for `--cleanup` and the like.
    let is_no_program = || {
        let is_argument = value.parse::<f64>().is_ok() || std::path::Path::new(value).is_file();
        is_argument && !is_program(value)
    };
    let is_of_program = match is_interpreter(&words[begin]) {
        true => is_hook || option == "-e",
        false => is_hook && is_no_program(),
    };
    is_of_program.then(|| (arg.get_long().unwrap_or_default().to_owned(), begin + 1))
}
