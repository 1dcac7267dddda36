//! Lines in the words of other tools, in ours.

use clap::Arg;

use crate::advice::{readable, with_quotes};
use crate::foreign::ours;
use crate::parse;
use crate::quoting::{Own, takes_text};
use crate::reading::is_program;

/// A line in our words, and the words that have none here.
pub(crate) struct Translated {
    pub(crate) line: String,
    pub(crate) left_out: Vec<String>,
}

/// The line that says here what was said in a verb of another tool, with its options and the command behind it:
/// `fauxplat stat -r 5 ls`. Of `perf`, short options whose value is any text mean something else here.
pub(crate) fn in_our_words(words: &[String], ours: &str, is_perf: bool) -> Option<Translated> {
    let spoken = ours.split(", or ").next()?.strip_prefix("fauxplat ")?;
    let spoken = spoken.contains("'COMMAND'").then(|| spoken.replace(" 'COMMAND'", ""))?;
    let spoken = spoken.replace("COUNTER,…", "page-faults");
    let verb: Vec<String> = spoken.split(' ').map(str::to_owned).collect();
    let head = [words[0].clone(), verb[0].clone()];
    let rest = &words[2..];
    let begin = first_command(&head, rest)?;
    let (kept, left_out) = kept(&head, &rest[..begin], is_perf);
    let counts = kept.iter().any(|word| word == "-e");
    let further = if counts { &[] } else { &verb[1..] };
    let whole = [&head[..], further, &kept, &rest[begin..]].concat();
    let line = readable(whole.clone(), words).or_else(|| with_quotes(&whole))?;
    Some(Translated { line, left_out })
}

fn is_command(word: &String) -> bool {
    is_program(word) || word.split_whitespace().next().is_some_and(|first| is_program(&first.to_owned()))
}

/// The place of the first word that is a command and no value of an option.
fn first_command(head: &[String], rest: &[String]) -> Option<usize> {
    let own = Own::of(head);
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        match own.option(word) {
            Some((_, values)) => at += values,
            None if is_command(word) => return Some(at),
            None => {}
        }
        at += 1;
    }
    // A flag of another tool may have the letter of an option with a value.
    rest.iter().position(is_command)
}

/// The words before a command that the verb takes, or an option of ours in their place; and those for which there is none.
fn kept(head: &[String], words: &[String], is_perf: bool) -> (Vec<String>, Vec<String>) {
    let own = Own::of(head);
    let (mut kept, mut left_out): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut at = 0;
    let reads = |option: &[String]| parse(&[head, option, &["true".to_owned()]].concat()).is_ok();
    while let Some(word) = words.get(at) {
        let is_ours = |arg: &Arg| {
            !is_perf
                || word.starts_with("--")
                || word == "-e"
                || arg.get_action().takes_values() && !takes_text(arg)
        };
        let own = own.option(word).filter(|(arg, _)| is_ours(arg)).map(|(_, values)| values + 1);
        let own = own.and_then(|count| words.get(at..at + count)).map(|taken| (taken.to_vec(), taken.len()));
        // A short option of `perf` is another here than in the tools whose options are known by their letters.
        let foreign = || equal(&head[1], word).filter(|_| !is_perf || word.starts_with("--"));
        let alone = || foreign().map(|ours| (ours, 1)).filter(|(ours, _)| reads(ours));
        let with_value = || Some(([foreign()?, vec![words.get(at + 1)?.clone()]].concat(), 2));
        let found = own.filter(|(taken, _)| reads(taken)).or_else(alone);
        let found = found.or_else(|| with_value().filter(|(ours, _)| reads(ours)));
        match &found {
            Some((taken, _)) => kept.extend_from_slice(taken),
            None if word == "--" => {}
            None => left_out.push(word.clone()),
        }
        at += found.map_or(1, |(_, count)| count);
    }
    (kept, left_out)
}

/// The line with our options in the place of foreign ones that have an equal here: this one, and other long ones.
pub(crate) fn replaced(verb: &str, words: &[String], option: &str) -> Vec<String> {
    let own = Own::of(words);
    let is_meant = |word: &str| {
        word.split('=').next() == Some(option) || word.starts_with("--") && own.option(word).is_none()
    };
    let ours = |word: &String| {
        let ours = equal(verb, word).filter(|_| is_meant(word));
        ours.unwrap_or_else(|| vec![word.clone()])
    };
    words.iter().flat_map(ours).collect()
}

/// Our option that is equal to a foreign one, for which the next word is the value where it has one: `--runs` for `--repeat`.
fn equal(verb: &str, word: &str) -> Option<Vec<String>> {
    let (foreign, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let text = ours(verb, foreign)?.split([',', ';']).next()?;
    let equal: Vec<&str> = text.split(' ').collect();
    let is_place = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase());
    match (equal.as_slice(), value) {
        ([option] | [option, _], _) if !option.starts_with("--") => None,
        ([option, place], Some(value)) if is_place(place) => Some(vec![format!("{option}={value}")]),
        ([option, place], None) if is_place(place) => Some(vec![(*option).to_owned()]),
        ([option, value], None) => Some(vec![(*option).to_owned(), (*value).to_owned()]),
        ([option], None) => Some(vec![(*option).to_owned()]),
        _ => None,
    }
}
