//! Translates command lines of other tools to command lines of fauxplat, for messages.

use fauxplat_report::say::shell_word;

use crate::advice::{asks_help, readable, with_quotes};
use crate::foreign::{Equal, equal};
use crate::quoting::Own;
use crate::reading::{is_program, words_before_commands};
use crate::tools::{Foreign, Ours, Tool, Values, called};
use crate::values::{filled, python};

/// The translation of another tool's command line, and the words without an equivalent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Translated {
    /// The line of fauxplat; `None` if no valid line results.
    pub(crate) line: Option<String>,
    pub(crate) left_out: Vec<String>,
    /// The words by which the other tool was called.
    pub(crate) call: String,
    /// fauxplat's verb with the words that always follow, for messages without a line.
    pub(crate) ours: String,
    pub(crate) beside: Option<&'static str>,
}

/// The translation of a line with another tool's name after `fauxplat`, such as `fauxplat perf stat -r 5 ls`; `None` if
/// no known tool is named.
pub(crate) fn of_tool(words: &[String]) -> Option<Translated> {
    let (tool, length) = called(words.get(1..)?)?;
    let mut said = Said::read(&tool, &words[1 + length..]);
    let line = said.line(&tool, words);
    let has_commands =
        words_before_commands(&[words[..1].to_vec(), vec![tool.ours[0].to_owned()]].concat()).is_some();
    let open = tool.ours.join(" ").replace("{1} {2}", "OLD NEW").replace("{1},{2}", "OLD,NEW");
    let open = open.replace("{1}", "OLD").replace("{2}", "NEW").replace("{python}", "'COMMAND'");
    let is_closed = !has_commands || tool.ours.len() > 1 && !tool.ours.contains(&"-e");
    Some(Translated {
        line,
        left_out: said.left_out,
        call: words[1..=length].join(" "),
        ours: if is_closed { format!("fauxplat {open}") } else { format!("fauxplat {open} 'COMMAND'") },
        beside: tool.beside,
    })
}

/// The parts of another tool's command line, already translated where possible.
#[derive(Default)]
struct Said {
    /// The beginning of the translated line, if an option demands another one than the tool's usual equivalent.
    other: Option<Vec<String>>,
    /// Equivalent options of fauxplat, each with its values.
    options: Vec<Vec<String>>,
    /// Words that are no options: commands or files.
    words: Vec<String>,
    statements: Vec<String>,
    left_out: Vec<String>,
}

impl Said {
    fn read(tool: &Tool, rest: &[String]) -> Self {
        let (mut said, mut at) = (Said::default(), 0);
        while let Some(word) = rest.get(at) {
            at += 1;
            let is_option = word.len() > 1 && word.starts_with('-');
            match (is_option, tool.option("WORD")) {
                _ if word == "--" => {
                    said.words.extend_from_slice(&rest[at..]);
                    break;
                }
                (true, _) => said.option(tool, word, rest, &mut at),
                (false, Some(place)) => said.put(place, "", Some(word)),
                (false, None) if tool.mixes => said.words.push(word.clone()),
                (false, None) => {
                    said.words.extend_from_slice(&rest[at - 1..]);
                    break;
                }
            }
        }
        said
    }

    /// Reads a word with one or several options of the tool. The last option may take its value from the following
    /// words.
    fn option(&mut self, tool: &Tool, word: &str, rest: &[String], at: &mut usize) {
        for (name, attached) in parts(tool, word) {
            let next = rest.get(*at).filter(|next| !next.starts_with('-'));
            let Some(option) = tool.option(&name) else {
                self.left_out.push(name);
                // A word that is not a command and is followed by further words is probably the value of the unknown
                // option.
                let is_value = |next: &&String| !is_command(next) && *at + 1 < rest.len();
                if let Some(value) = next.filter(|_| attached.is_none()).filter(is_value) {
                    self.left_out.push(value.clone());
                    *at += 1;
                }
                continue;
            };
            let is_list = |next: &&String| next.chars().all(|c| c.is_ascii_digit() || ",-".contains(c));
            let taken = match (option.values, &attached) {
                (Values::One, None) => rest.get(*at),
                (Values::Maybe, None) => next.filter(is_list),
                _ => None,
            };
            *at += usize::from(taken.is_some());
            self.put(option, &name, attached.as_deref().or(taken.map(String::as_str)));
        }
    }

    /// Adds fauxplat's equivalent of an option of the tool, or the option to the words without an equivalent.
    fn put(&mut self, option: &Foreign, name: &str, value: Option<&str>) {
        let fill = |words: &[&str]| words.iter().map(|word| filled(word, value)).collect::<Option<Vec<_>>>();
        let found = match &option.ours {
            Ours::Needless => return,
            Ours::Words(words) if words == &["{python}"] => {
                self.statements.extend(value.map(str::to_owned));
                return;
            }
            Ours::Words(words) => fill(words).map(|words| self.options.push(words)),
            Ours::Line(words) => fill(words).map(|words| self.other = Some(words)),
            Ours::Missing => None,
        };
        if found.is_none() {
            self.left_out.extend(
                [name, value.unwrap_or_default()].iter().filter(|it| !it.is_empty()).map(|&it| it.to_owned()),
            );
        }
    }

    /// The translated line; `None` if the result would not be valid.
    fn line(&mut self, tool: &Tool, typed: &[String]) -> Option<String> {
        let is_other = self.other.is_some();
        let begin = match self.other.take() {
            Some(words) => words,
            None => self.usual(tool)?,
        };
        let head: Vec<String> = [&typed[..1], &begin[..1]].concat();
        let commands = self.commands(&head, is_other, tool.mixes);
        let own = Own::of(&head);
        let (taken, refused): (Vec<_>, Vec<_>) = std::mem::take(&mut self.options)
            .into_iter()
            .partition(|words| !words[0].starts_with('-') || own.option(&words[0]).is_some());
        self.left_out.extend(refused.into_iter().flatten());
        let whole = [&head[..], &begin[1..], &taken.concat(), &commands].concat();
        asks_help(&whole).or_else(|| readable(whole.clone(), typed)).or_else(|| with_quotes(&whole))
    }

    /// The usual beginning of a translated line of this tool, with its placeholders filled in; `None` if a word for
    /// them is missing.
    fn usual(&mut self, tool: &Tool) -> Option<Vec<String>> {
        let counts = self.options.iter().any(|words| words[0] == "-e");
        let ours = if counts { &tool.ours[..1] } else { &tool.ours[..] };
        let mut begin = Vec::new();
        if ours.contains(&"{python}") {
            self.statements.append(&mut self.words);
            if self.statements.is_empty() {
                return None;
            }
        }
        let mut taken = 0;
        for word in ours {
            let mut word = word.replace("{python}", &python(&self.statements));
            for (place, at) in [("{1}", 0), ("{2}", 1)] {
                if word.contains(place) {
                    word = word.replace(place, self.words.get(at)?);
                    taken = taken.max(at + 1);
                }
            }
            begin.push(word);
        }
        self.words.drain(..taken);
        Some(begin)
    }

    /// The commands of the translated line. If the line watches a process and runs no command, the command `sleep N`
    /// becomes a time limit of N seconds.
    fn commands(&mut self, head: &[String], is_other: bool, mixes: bool) -> Vec<String> {
        let words = std::mem::take(&mut self.words);
        match words.as_slice() {
            [sleep, time] if is_other && sleep == "sleep" => {
                let time = filled("{s}", Some(time));
                self.options.extend(time.map(|time| vec!["--max-time".to_owned(), time]));
                Vec::new()
            }
            _ if is_other || words_before_commands(head).is_none() => {
                self.left_out.extend(words);
                Vec::new()
            }
            [_] | [] => words,
            _ if mixes => words,
            [program, rest @ ..] => {
                let rest = rest.iter().map(|word| shell_word(word));
                vec![std::iter::once(program.clone()).chain(rest).collect::<Vec<_>>().join(" ")]
            }
        }
    }
}

/// The options of a tool in one word, each with its attached value: `-Sp90` has `-S`, and `-p` with `90`.
fn parts(tool: &Tool, word: &str) -> Vec<(String, Option<String>)> {
    if tool.option(word).is_some() {
        return vec![(word.to_owned(), None)];
    }
    if word.starts_with("--") || word.contains('=') {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        return vec![(name.to_owned(), value.map(str::to_owned))];
    }
    let mut found = Vec::new();
    for (at, letter) in word.char_indices().skip(1) {
        let (name, behind) = (format!("-{letter}"), &word[at + letter.len_utf8()..]);
        match tool.option(&name) {
            Some(option) if option.values != Values::None && !behind.is_empty() => {
                found.push((name, Some(behind.to_owned())));
                return found;
            }
            Some(_) => found.push((name, None)),
            None => {
                found.push((format!("-{}", &word[at..]), None));
                return found;
            }
        }
    }
    found
}

/// The translation of a line with a verb of other tools that fauxplat does not have, such as `fauxplat bench -r 5 ls`;
/// `ours` is the advice for this verb. Options keep their names, as far as the verb has them.
pub(crate) fn in_our_words(words: &[String], ours: &str) -> Option<Translated> {
    let spoken = ours.split(", or ").next()?.strip_prefix("fauxplat ")?;
    let spoken = spoken.contains("'COMMAND'").then(|| spoken.replace(" 'COMMAND'", ""))?;
    let verb: Vec<String> = spoken.split(' ').map(str::to_owned).collect();
    let head = [words[0].clone(), verb[0].clone()];
    let rest = &words[2..];
    let begin = first_command(&head, rest)?;
    let (kept, left_out) = kept(&head, &rest[..begin]);
    let whole = [&head[..], &verb[1..], &kept, &rest[begin..]].concat();
    let line = readable(whole.clone(), words).or_else(|| with_quotes(&whole))?;
    Some(Translated { line: Some(line), left_out, call: words[1].clone(), ..Translated::default() })
}

fn is_command(word: &String) -> bool {
    is_program(word) || word.split_whitespace().next().is_some_and(|first| is_program(&first.to_owned()))
}

/// The position in `rest` of the first word that is a command and not the value of an option.
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
    // If every word was taken for an option or its value, a flag of the other tool probably has the letter of an option
    // that takes a value. The first word that is a command is then used.
    rest.iter().position(is_command)
}

/// Divides the words before a command: those that the verb accepts, or their equivalents, and those without an
/// equivalent.
fn kept(head: &[String], words: &[String]) -> (Vec<String>, Vec<String>) {
    let own = Own::of(head);
    let (mut kept, mut left_out): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let own = own.option(word).map(|(_, values)| values + 1);
        let own = own.and_then(|count| words.get(at..at + count)).map(|taken| (taken.to_vec(), taken.len()));
        let found = own.or_else(|| {
            let Equal { words, taken } = equal(&head[1], word, words.get(at + 1))?;
            Some((words, 1 + usize::from(taken)))
        });
        match &found {
            Some((taken, _)) => kept.extend_from_slice(taken),
            None if word == "--" => {}
            None => left_out.push(word.clone()),
        }
        at += found.map_or(1, |(_, count)| count);
    }
    (kept, left_out)
}

/// The typed words with fauxplat's equivalents in place of foreign options: of `option`, and of other long options that
/// the verb does not have.
pub(crate) fn replaced(verb: &str, words: &[String], option: &str) -> Vec<String> {
    let own = Own::of(words);
    let is_meant = |word: &str| {
        word.split('=').next() == Some(option) || word.starts_with("--") && own.option(word).is_none()
    };
    let (mut line, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        let found = equal(verb, word, words.get(at + 1)).filter(|_| is_meant(word));
        at += 1 + usize::from(found.as_ref().is_some_and(|found| found.taken));
        line.extend(found.map_or_else(|| vec![word.clone()], |found| found.words));
    }
    line
}
