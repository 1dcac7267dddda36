//! Options of other tools that fauxplat has under another name, or not at all; the error message names fauxplat's own.

use crate::help::MEASURING;

/// Lines of verbs, options, and the text that tells what to type. `*` stands for all verbs that measure commands.
const LINES: &str = include_str!("foreign.txt");

/// An option of another tool, and what to type instead.
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

/// The text that tells what to type instead of an option that a verb does not have; `None` for an unknown option.
pub(crate) fn ours(verb: &str, option: &str) -> Option<&'static str> {
    let word = option.split('=').next().unwrap_or_default();
    let fits = |foreign: &Foreign| foreign.verbs.contains(&verb) && foreign.words.contains(&word);
    all().find(fits).map(|foreign| foreign.ours)
}

/// The verb with which these words, a verb of other tools, are said here.
pub(crate) fn verb_for(word: &str) -> Option<&'static str> {
    all()
        .find(|foreign| foreign.verbs == [VERBS] && foreign.words.contains(&word))
        .map(|foreign| foreign.ours)
}

/// Stands in the place of a verb in the lines about verbs of other tools.
const VERBS: &str = "fauxplat";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// An option that a verb has is not foreign to it: its entry here would never be read.
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
