//! Options of other tools that fauxplat has under a different name or not at all, for error messages that name
//! fauxplat's equivalent.

use crate::help::MEASURING;
use crate::joined::joined;
use crate::values::filled;

/// Table of foreign options: each line has verbs, options, and the advice. `*` stands for all verbs that measure
/// commands.
const LINES: &str = include_str!("foreign.txt");

/// An option of another tool, and the advice for it.
struct Foreign {
    verbs: Vec<&'static str>,
    words: Vec<&'static str>,
    ours: &'static str,
}

fn all() -> impl Iterator<Item = Foreign> {
    let of_joined = joined().iter().flat_map(|verb| verb.foreign.lines());
    LINES.lines().chain(of_joined).filter(|line| !line.starts_with('#')).filter_map(read)
}

fn read(line: &'static str) -> Option<Foreign> {
    let mut parts = line.splitn(3, " | ");
    let verbs = parts.next()?;
    let verbs = if verbs == "*" { MEASURING.to_vec() } else { verbs.split(' ').collect() };
    Some(Foreign { verbs, words: parts.next()?.split(' ').collect(), ours: parts.next()? })
}

/// The advice for an option that a verb does not have; `None` for an option that is not in the table.
pub(crate) fn ours(verb: &str, option: &str) -> Option<&'static str> {
    let word = option.split('=').next().unwrap_or_default();
    let fits = |foreign: &Foreign| foreign.verbs.contains(&verb) && foreign.words.contains(&word);
    all().find(fits).map(|foreign| foreign.ours)
}

/// Words of fauxplat that are equivalent to a foreign option.
pub(crate) struct Equal {
    pub(crate) words: Vec<String>,
    /// Whether the word after the foreign option is its value and is included in `words`.
    pub(crate) taken: bool,
}

/// fauxplat's equivalent of a foreign option with its value, which may be in the next word: `--runs 5` for `--repeat
/// 5`.
pub(crate) fn equal(verb: &str, word: &str, next: Option<&String>) -> Option<Equal> {
    let (foreign, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let text = ours(verb, foreign)?.split([',', ';']).next()?;
    let equal: Vec<&str> = text.split(' ').collect();
    let [option, place @ ..] = equal.as_slice() else { return None };
    if !option.starts_with("--") || place.len() > 1 {
        return None;
    }
    let Some(form) = place.first().and_then(|place| form(place)) else {
        let words = equal.iter().map(|&word| word.to_owned()).collect();
        return value.is_none().then_some(Equal { words, taken: false });
    };
    let said = filled(&form, value.or(next.map(String::as_str)))?;
    let words = match value {
        Some(_) => vec![format!("{option}={said}")],
        None => vec![(*option).to_owned(), said],
    };
    Some(Equal { words, taken: value.is_none() })
}

/// Translates a placeholder in the advice, a name in capitals such as `N` and `fifo:N`, to the form in braces by which
/// the value is converted; `None` for other words.
fn form(place: &str) -> Option<String> {
    let (before, name) = place.rfind(':').map_or(("", place), |at| place.split_at(at + 1));
    let is_place = |c: char| c.is_ascii_uppercase() || c == '-' || c == '1';
    if !name.chars().all(is_place) || !name.contains(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let form = match name {
        "PERCENT" => "{percent}",
        "1-CONFIDENCE" => "{rest}",
        "SECONDS" => "{s}",
        _ => "{}",
    };
    Some(format!("{before}{form}"))
}

/// The verb of fauxplat that is equivalent to a verb of other tools; `None` if none is known.
pub(crate) fn verb_for(word: &str) -> Option<&'static str> {
    all()
        .find(|foreign| foreign.verbs == [VERBS] && foreign.words.contains(&word))
        .map(|foreign| foreign.ours)
}

/// Marker in place of a verb for the lines about verbs of other tools.
const VERBS: &str = "fauxplat";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// No verb has an option itself that is in the table as foreign to it: such an entry would never be used.
    #[test]
    fn nothing_that_a_verb_takes_is_foreign_to_it() {
        let mut cli = Cli::command();
        cli.build();
        for Foreign { verbs, words, .. } in all().filter(|foreign| foreign.verbs != [VERBS]) {
            for (verb, word) in verbs.iter().flat_map(|verb| words.iter().map(move |word| (verb, word))) {
                let taken = cli.find_subcommand(verb).unwrap().get_arguments().any(|arg| {
                    arg.get_long().is_some_and(|long| format!("--{long}") == *word)
                        || arg.get_short().is_some_and(|short| format!("-{short}") == *word)
                });
                assert!(!taken, "{verb} takes {word}");
            }
        }
    }

    #[test]
    fn every_line_is_read() {
        let lines = LINES.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(all().filter(|foreign| !foreign.ours.is_empty()).count(), lines);
    }
}
