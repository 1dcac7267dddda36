//! The help texts other than those of the options: the overview of verbs in groups, examples, exit codes. Manual pages
//! contain the same texts.

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use super::Cli;
use crate::joined::{Group, joined};
use crate::{overwritten, requirements, unseen};

/// The groups of the overview, with the order of verbs in each. Verbs that are not named here stand behind the others.
const GROUPS: [(Group, &[&str]); 4] = [
    (Group::Faster, &["run", "compare", "aa"]),
    (Group::Moved, &["sweep", "explain", "profile", "lab"]),
    (
        Group::Machine,
        &[
            "doctor", "tune", "restore", "topo", "index", "contend", "latency", "load", "counters", "limit",
            "fleet",
        ],
    ),
    (Group::Results, &["table"]),
];

/// The verbs that run given commands and have the options about commands; verbs of other crates are not among them.
pub const MEASURING: [&str; 5] = ["run", "compare", "aa", "sweep", "explain"];

const TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{options}{after-help}\n";

const USAGE: &str = "fauxplat [OPTIONS] 'COMMAND' ['COMMAND'…]\n       fauxplat VERB [OPTIONS] …";

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0   done
  1   a gate failed (--fail-if, --strict)
  2   bad usage or bad input
  3   the machine or its permissions do not allow it
  4   the measured command, or one that builds it, failed
  130 interrupted; a verb that measures reports what it has until then
  70  a bug in fauxplat";

const FLEET_EXIT_CODES: &str = "\
Exit codes:
  0   done: at least one machine was measured
  1   a gate failed (--fail-if)
  2   bad usage or bad input
  3   the machine or its permissions do not allow it, or no machine answered
  4   no machine could be measured, since the measured command failed there
  130 interrupted; the report has what came until then
  70  a bug in fauxplat";

pub fn after(examples: &str) -> String {
    // A text that begins on a new line of the source has indented lines except its first, which gets its indentation
    // here.
    format!("Examples:\n  {}\n\n{EXIT_CODES}", examples.trim_start())
}

/// The help after the options of verbs about fleets: examples and the exit codes of these verbs.
pub(crate) fn after_fleet(examples: &str) -> String {
    format!("Examples:\n  {}\n\n{FLEET_EXIT_CODES}", examples.trim_start())
}

/// The help after the options of a verb: an explanation, examples and exit codes.
pub(crate) fn after_text(text: &str, examples: &str) -> String {
    format!("{text}\n\n{}", after(examples))
}

pub(crate) const OVERVIEW: &str = "\
  fauxplat 'sort big.txt'                         how long it takes
  fauxplat 'sort big.txt' 'sort -S 1G big.txt'    which is faster
  fauxplat sweep env-size ./program               does the size of the environment move it
  fauxplat doctor                                 what here will spoil a measurement
  fauxplat help VERB                              every option of a verb";

/// The definition of the command line for the parser, with the verbs in groups in its overview.
pub fn definition() -> Command {
    let cli = whole();
    let groups = groups(&cli);
    cli.help_template(TEMPLATE).override_usage(USAGE).before_help(groups).after_help(after(OVERVIEW))
}

/// The definition of the command line with all verbs, including those of other crates that have joined.
pub(crate) fn whole() -> Command {
    Cli::command().subcommands(joined().iter().map(|verb| (verb.command)()))
}

/// Whether the verb of these words has the option with the given long name.
pub fn takes(words: &[String], long: &str) -> bool {
    let mut tree = definition();
    tree.build();
    let mut verb = &tree;
    for word in words.iter().skip(1) {
        match verb.find_subcommand(word) {
            Some(found) => verb = found,
            None if !verb.is_subcommand_required_set() => break,
            None => {}
        }
    }
    verb.get_arguments().any(|arg| arg.get_long() == Some(long))
}

/// A parsed command line.
#[derive(Debug)]
pub enum Parsed {
    /// A verb that is defined in this crate.
    Defined(Box<Cli>),
    /// The name of a joined verb, and its arguments.
    Joined(String, ArgMatches),
}

/// Parses a command line.
///
/// # Errors
/// Returns the errors of the parser, which include requests for help and version.
pub fn parse(words: &[String]) -> Result<Parsed, clap::Error> {
    let mut cli = definition();
    let mut matches = cli.try_get_matches_from_mut(words)?;
    requirements::refuse(&matches, &cli)?;
    overwritten::refuse(&matches, &cli)?;
    unseen::refuse(&matches)?;
    let is_joined = |name: &str| joined().iter().any(|verb| (verb.command)().get_name() == name);
    match matches.subcommand_name().is_some_and(is_joined) {
        true => {
            let (name, given) = matches.remove_subcommand().expect("its name was just read");
            Ok(Parsed::Joined(name, given))
        }
        false => Cli::from_arg_matches(&matches).map(|cli| Parsed::Defined(Box::new(cli))),
    }
}

/// The options that the short help of a verb with many options shows: those for daily use. The long help shows all
/// options.
const DAILY: [&str; 21] = [
    "help",
    "runs",
    "warmup",
    "prepare",
    "shell",
    "parameter-list",
    "names",
    "ignore-failure",
    "cpu",
    "timeout",
    "max-time",
    "margin",
    "metric",
    "fail-if",
    "baseline",
    "with",
    "build-a",
    "build-b",
    "commits",
    "export",
    "format",
];

/// Number of visible options from which on the short help of a verb is restricted to options for daily use.
const MANY: usize = 40;

/// An option with its help shortened to the text before the first parenthesis or semicolon.
fn in_short(arg: clap::Arg) -> clap::Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let end = [" (", "; "].iter().filter_map(|end| help.find(end)).min().unwrap_or(help.len());
    arg.help(help[..end].to_owned())
}

/// The short help that `-h` requests, if the verb has so many options that it differs from the long help; `None`
/// otherwise.
pub fn short_help(words: &[String]) -> Option<String> {
    let asked = words.iter().take_while(|word| *word != "--");
    if !asked.clone().any(|word| word == "-h") || asked.clone().any(|word| word == "--help") {
        return None;
    }
    let mut verb = verb_of(words);
    let all = verb.get_arguments().filter(|arg| !arg.is_hide_set()).count();
    if all < MANY {
        return None;
    }
    let is_daily = |arg: &clap::Arg| arg.get_long().is_none_or(|long| DAILY.contains(&long));
    verb = verb.mut_args(|arg| if is_daily(&arg) { in_short(arg) } else { arg.hide(true) });
    let path = verb.get_bin_name().unwrap_or("fauxplat").to_owned();
    let shown = verb.get_arguments().filter(|arg| !arg.is_hide_set()).count();
    verb = verb.after_help(format!("{} more options, examples and exit codes: {path} --help", all - shown));
    Some(verb.render_help().to_string())
}

/// The definition of the verb that these words name, or of its subcommand.
pub(crate) fn verb_of(words: &[String]) -> Command {
    let mut found = definition();
    found.build();
    for word in words.iter().skip(1) {
        match found.find_subcommand(word) {
            Some(below) => found = below.clone(),
            None => break,
        }
    }
    found
}

/// The overview of the verbs: for each group its question, and below it a line for each visible verb.
fn groups(cli: &Command) -> String {
    let line = |name: &&str| {
        let verb = cli.get_subcommands().find(|verb| verb.get_name() == *name && !verb.is_hide_set())?;
        Some(format!("  {name:<9}{}\n", verb.get_about()?))
    };
    let group = |(group, names): &(Group, &[&str])| {
        let joined = joined().iter().filter(|verb| verb.group == *group).map(|verb| (verb.command)());
        let joined = joined.map(|verb| verb.get_name().to_owned());
        let joined: Vec<String> = joined.filter(|name| !names.contains(&name.as_str())).collect();
        let names = names.iter().copied().chain(joined.iter().map(String::as_str));
        let lines: String = names.filter_map(|name| line(&name)).collect();
        format!("{}\n{lines}", group.title())
    };
    GROUPS.iter().map(group).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of the overview have at most 80 columns: longer ones would be broken in a terminal and look like another
    /// verb.
    #[test]
    fn every_verb_stands_once_in_a_group_and_on_one_line() {
        let cli = Cli::command();
        for verb in cli.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = verb.get_name();
            let count = GROUPS.iter().flat_map(|(_, names)| *names).filter(|other| **other == name).count();
            assert_eq!(count, 1, "{name}");
        }
        let long: Vec<_> =
            groups(&cli).lines().filter(|line| line.chars().count() > 80).map(str::to_owned).collect();
        assert!(long.is_empty(), "{long:?}");
    }

    #[test]
    fn the_short_help_of_every_verb_is_one_screen() {
        for verb in definition().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let words = ["fauxplat", verb.get_name(), "-h"].map(str::to_owned);
            if let Some(short) = short_help(&words) {
                assert!(short.lines().count() <= 60, "{words:?}: {}", short.lines().count());
                assert!(short.contains(&format!("fauxplat {} --help", verb.get_name())), "{short}");
            }
        }
    }

    #[test]
    fn every_verb_has_examples_and_exit_codes() {
        let mut cli = definition();
        cli.build();
        check_those_below(&cli, "fauxplat");
    }

    fn check_those_below(command: &Command, path: &str) {
        let shown = |verb: &&Command| !verb.is_hide_set() && verb.get_name() != "help";
        for verb in command.get_subcommands().filter(shown) {
            let path = format!("{path} {}", verb.get_name());
            let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("Examples:\n"), "{path} has no examples");
            assert!(after.contains("Exit code"), "{path} has no exit codes");
            assert!(after.contains(&path), "the examples of {path} do not show it");
            check_those_below(verb, &path);
        }
    }
}
