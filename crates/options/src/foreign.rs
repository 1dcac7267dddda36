//! Options of other tools that fauxplat has under another word, or not at all: the error names ours.

use crate::spoken::MEASURING;

/// A line for each: verbs, options and what to type here. `*` are all verbs that measure commands.
const LINES: &str = include_str!("foreign.txt");

/// Options of another tool, and what to type here.
struct Foreign {
    verbs: Vec<&'static str>,
    words: Vec<&'static str>,
    ours: &'static str,
}

fn all() -> impl Iterator<Item = Foreign> {
    LINES.lines().filter(|line| !line.starts_with('#')).filter_map(read)
}

fn read(line: &'static str) -> Option<Foreign> {
    let mut parts = line.splitn(3, " | ");
    let verbs = parts.next()?;
    let verbs = if verbs == "*" { MEASURING.to_vec() } else { verbs.split(' ').collect() };
    Some(Foreign { verbs, words: parts.next()?.split(' ').collect(), ours: parts.next()? })
}

/// What to type instead of an option that a verb does not take.
pub(crate) fn ours(verb: &str, option: &str) -> Option<&'static str> {
    let word = option.split('=').next().unwrap_or_default();
    let fits = |foreign: &Foreign| foreign.verbs.contains(&verb) && foreign.words.contains(&word);
    all().find(fits).map(|foreign| foreign.ours)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// A word that a verb takes is not foreign to it: its entry here would never be read.
    #[test]
    fn nothing_that_a_verb_takes_is_foreign_to_it() {
        let mut cli = Cli::command();
        cli.build();
        for Foreign { verbs, words, .. } in all() {
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
