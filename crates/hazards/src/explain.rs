//! Texts of `doctor --explain`: the long text of one hazard, and the list of all.

use std::fmt::Write;

use crate::finding::HazardGroup;
use crate::groups::hazards;
use crate::hazard::{Hazard, Neutralised};

/// Returns the parts of a hazard's long text: each heading with the words below it.
fn parts(hazard: &Hazard) -> Vec<(&'static str, String)> {
    let mut parts = vec![
        ("costs", hazard.cost.to_owned()),
        ("levels", capital(hazard.levels)),
        ("read from", capital(hazard.reads)),
    ];
    parts.extend(hazard.in_vm.map(|why| ("in a virtual machine", format!("Meaningless: {why}."))));
    parts.push((
        "fauxplat",
        match hazard.neutralised {
            Neutralised::No => "Does nothing about it.".to_owned(),
            Neutralised::Partly(how) => format!("Reduces the effect: {how}."),
            Neutralised::Yes(how) => format!("Neutralises it: {how}."),
        },
    ));
    parts.extend(hazard.knob.map(|knob| ("tune", format!("`{}`", command(knob)))));
    parts.push(("what you can do", hazard.advice.to_owned()));
    parts
}

/// Capitalises the first letter of a text.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Beginnings of the settings that `tune` makes for one command and its children (`--for`), and not for the machine.
const OF_A_COMMAND: [&str; 4] = ["timer-slack=", "dma-latency=", "thp=never", "aslr=off"];

/// Returns the command line by which a user makes this setting.
pub(crate) fn command(knob: &str) -> String {
    let only = if OF_A_COMMAND.iter().any(|name| knob.starts_with(name)) { " --for CMD" } else { "" };
    format!("fauxplat tune --set {knob}{only}")
}

/// Returns the long text of one hazard, for a terminal of 80 columns.
pub fn explain(hazard: &Hazard) -> String {
    let mut text = format!("{}: {} ({})\n", hazard.name, hazard.title, hazard.group.title());
    for (heading, words) in parts(hazard) {
        text += &format!("\n{heading}\n");
        for line in wrapped(&words, 76) {
            text += &format!("  {line}\n");
        }
    }
    text
}

/// Wraps words to lines of at most `width` characters; a longer word gets a separate line.
fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        match line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width {
            true if line.is_empty() => *line = word.to_owned(),
            true => *line += &format!(" {word}"),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns every hazard by group, as Markdown.
pub fn all_hazards() -> String {
    let count = hazards().count();
    let mut text = format!(
        "# Hazards\n\n\
         `fauxplat doctor` looks at {count} hazards in {} groups. `fauxplat doctor --explain NAME` prints\n\
         one of them.\n\n\
         Levels: *high* can turn a verdict around or move a figure by several per cent; *medium* can move it by about one\n\
         per cent, or widen its spread visibly; *low* is there and rarely shows; *none* was read and is harmless;\n\
         *unknown* could not be read; *not applicable* cannot be there, or means nothing here.\n",
        HazardGroup::ALL.len()
    );
    for group in HazardGroup::ALL {
        let _ = write!(text, "\n## {}\n", capital(group.title()));
        for hazard in hazards().filter(|hazard| hazard.group == group) {
            let _ = write!(text, "\n### {}\n\n{}.\n\n", hazard.name, capital(hazard.title));
            for (heading, words) in parts(hazard) {
                // A star in a path, as of `cpu*`, would begin an emphasis in Markdown.
                let words = if heading == "read from" { format!("`{words}`") } else { words };
                let _ = writeln!(text, "- *{heading}*: {words}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("toolong a", 3), ["toolong", "a"]);
        assert_eq!(wrapped("grüße an", 8), ["grüße an"]);
    }

    #[test]
    fn a_knob_of_one_command_is_told_with_its_command() {
        assert_eq!(command("governor=performance"), "fauxplat tune --set governor=performance");
        assert_eq!(command("timer-slack=1us"), "fauxplat tune --set timer-slack=1us --for CMD");
        assert_eq!(command("thp=never"), "fauxplat tune --set thp=never --for CMD");
        assert_eq!(command("aslr=off"), "fauxplat tune --set aslr=off --for CMD");
        assert_eq!(command("dma-latency=0"), "fauxplat tune --set dma-latency=0 --for CMD");
    }

    #[test]
    fn a_beginning_is_made_a_capital_and_nothing_else_is_touched() {
        assert_eq!(
            [capital("low: x"), capital("ßa"), capital("/proc"), capital("")],
            ["Low: x", "SSa", "/proc", ""]
        );
    }

    proptest! {
        #[test]
        fn wrapping_loses_no_word_and_no_line_is_too_long(words in proptest::collection::vec("[a-zé]{1,12}", 0..30), width in 12usize..60) {
            let lines = wrapped(&words.join("  "), width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            let again: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            prop_assert_eq!(again, words.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
