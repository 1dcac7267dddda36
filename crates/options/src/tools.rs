//! Other tools and their options, each with the equivalent line or option of fauxplat.

/// The descriptions of other tools, as blocks of lines. The first lines of the file describe the format.
const BLOCKS: &str = include_str!("tools.txt");

/// A tool, or a subcommand of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    /// The names by which the tool is called, each of one or several words.
    calls: Vec<Vec<&'static str>>,
    /// The equivalent verb of fauxplat, with the words that always follow.
    pub(crate) ours: Vec<&'static str>,
    /// Whether options of the tool may follow its other words. Otherwise these words are a command with its arguments.
    pub(crate) mixes: bool,
    /// An additional sentence for the message about the tool.
    pub(crate) beside: Option<&'static str>,
    options: Vec<Foreign>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    words: Vec<&'static str>,
    pub(crate) values: Values,
    pub(crate) ours: Ours,
}

/// The number of values that an option of the tool takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    None,
    One,
    Maybe,
}

/// fauxplat's equivalent of a tool's option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ours {
    /// These words of a command line, in place of the option.
    Words(Vec<&'static str>),
    /// These words begin a command line of another verb.
    Line(Vec<&'static str>),
    /// Nothing, because fauxplat does the same without an option.
    Needless,
    /// Nothing, because fauxplat has no equivalent.
    Missing,
}

impl Tool {
    pub(crate) fn option(&self, word: &str) -> Option<&Foreign> {
        self.options.iter().find(|option| option.words.contains(&word))
    }
}

/// The tool that the first words of a line name, and the number of words of its name; `None` if no known tool is named.
/// The longest matching name wins.
pub(crate) fn called(words: &[String]) -> Option<(Tool, usize)> {
    let begins = |call: &[&str]| words.len() >= call.len() && call.iter().zip(words).all(|(a, b)| a == b);
    let of = |tool: Tool| {
        let length = tool.calls.iter().filter(|call| begins(call)).map(Vec::len).max()?;
        Some((tool, length))
    };
    tools().filter_map(of).max_by_key(|(_, length)| *length)
}

fn tools() -> impl Iterator<Item = Tool> {
    let blocks = BLOCKS.split("\n\n").map(|block| block.lines().filter(|line| !line.starts_with('#')));
    blocks.filter_map(|mut lines| {
        let mut tool = head(lines.next()?)?;
        tool.options = lines.filter_map(option).collect();
        Some(tool)
    })
}

fn head(line: &'static str) -> Option<Tool> {
    let (calls, behind) = line.split_once(" >")?;
    let (ours, beside) = behind.split_once(" ; ").map_or((behind, None), |(ours, told)| (ours, Some(told)));
    Some(Tool {
        calls: calls.split(", ").map(|call| call.split(' ').collect()).collect(),
        ours: ours.trim_start_matches('>').split_whitespace().collect(),
        mixes: ours.starts_with('>'),
        beside,
        options: Vec::new(),
    })
}

fn option(line: &'static str) -> Option<Foreign> {
    let mut words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| ["0", "1", "?"].contains(word))?;
    let ours = words.split_off(at + 1);
    let values = match words.pop()? {
        "0" => Values::None,
        "1" => Values::One,
        _ => Values::Maybe,
    };
    let ours = match ours.as_slice() {
        ["."] => Ours::Needless,
        ["-"] => Ours::Missing,
        [">", line @ ..] => Ours::Line(line.to_vec()),
        words => Ours::Words(words.to_vec()),
    };
    Some(Foreign { words, values, ours })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = BLOCKS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
        let read: usize = tools().map(|tool| 1 + tool.options.len()).sum();
        assert_eq!(read, lines);
        for tool in tools() {
            assert!(!tool.ours.is_empty(), "{tool:?}");
            assert!(tool.options.iter().all(|option| !option.words.is_empty()), "{tool:?}");
        }
    }

    /// No option of a tool occurs twice in its block, and no option is translated to one that runs a program, unless
    /// its value is a program for the other tool, too.
    #[test]
    fn options_are_told_once_and_start_nothing_unasked() {
        for tool in tools() {
            let mut words: Vec<&str> = tool.options.iter().flat_map(|option| option.words.clone()).collect();
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count, "{tool:?}");
        }
        let starts = |option: &Foreign| match &option.ours {
            Ours::Words(words) => words
                .first()
                .is_some_and(|word| crate::advice::EXECUTING.contains(&word.trim_start_matches('-'))),
            _ => false,
        };
        let starting: Vec<&str> = tools()
            .flat_map(|tool| tool.options.clone())
            .filter(starts)
            .flat_map(|option| option.words)
            .collect();
        assert_eq!(starting, ["--pre", "--post"]);
    }

    #[test]
    fn the_longest_name_is_meant() {
        let ours = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            called(&words).map(|(tool, length)| (tool.ours[0], length))
        };
        assert_eq!(ours("perf stat -r 5 ls"), Some(("run", 2)));
        assert_eq!(ours("stat ls"), Some(("run", 1)));
        assert_eq!(ours("pyperf system tune"), Some(("tune", 3)));
        assert_eq!(ours("pyperf system"), Some(("doctor", 2)));
        assert_eq!(ours("pyperfs system"), None);
    }
}
