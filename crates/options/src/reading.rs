//! Checks whether a verb accepts a parsed command line, as far as that is possible without measuring.

use fauxplat_launch::plain;
use fauxplat_model::{Definition, Factor};
use fauxplat_plan::{expand, places};

use crate::help::{MEASURING, Parsed};
use crate::joined::joined;
use crate::{CommandArgs, CompareArgs, ConditionArgs, FleetAction, FleetArgs, SweepArgs, Verb, define};

/// The commands of a line; `None` if its verb takes none.
pub(crate) fn commands(parsed: &Parsed) -> Option<&[String]> {
    let Parsed::Defined(cli) = parsed else { return None };
    let args = match &cli.verb {
        Verb::Run(args) => &args.commands,
        Verb::Compare(args) => &args.commands,
        Verb::Aa(args) => &args.commands,
        Verb::Sweep(args) => &args.commands,
        Verb::Explain(args) => &args.commands,
        Verb::Profile(args) => &args.commands,
        Verb::Fleet(FleetArgs { action: FleetAction::Run(args) }) => &args.commands,
        Verb::Fleet(FleetArgs { action: FleetAction::Compare(args) }) => &args.commands,
        _ => return None,
    };
    Some(&args.commands)
}

/// Number of words, including the program's name, that name a verb which takes commands; `None` for other verbs.
pub(crate) fn words_before_commands(words: &[String]) -> Option<usize> {
    let verb = words.get(1)?;
    let is_of_fleet = || verb == "fleet" && words.get(2).is_some_and(|it| it == "run" || it == "compare");
    if takes_commands(verb) { Some(2) } else { is_of_fleet().then_some(3) }
}

/// Whether a word can be the name of a program or of a verb: it is no option, no path, and no command with arguments.
pub(crate) fn is_bare(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && !word.contains(|c: char| c.is_whitespace() || c == '/')
}

pub(crate) fn is_program(word: &String) -> bool {
    let is_option_or_line = word.starts_with('-') || word.contains(char::is_whitespace);
    !is_option_or_line && plain::find(std::slice::from_ref(word)).is_ok()
}

/// Whether a verb takes commands, each as a single word.
pub(crate) fn takes_commands(verb: &str) -> bool {
    let joined = joined();
    let has_joined = || joined.iter().any(|it| it.takes_commands && (it.command)().get_name() == verb);
    MEASURING.contains(&verb) || verb == "profile" || has_joined()
}

/// The first word among the commands that is no program and so shows that a command was typed without quotes; `None` if
/// there is none.
pub(crate) fn unquoted_word<'a>(words: &[String], parsed: &'a Parsed) -> Option<&'a String> {
    let commands = commands(parsed)?;
    let is_shell = |word: &String| word.starts_with("-S") || word.starts_with("--shell");
    if commands.len() < 2 || words.iter().any(is_shell) || commands.iter().all(is_program) {
        return None;
    }
    let is_word = |command: &String| !command.contains(char::is_whitespace);
    if !commands.iter().all(is_word) || !is_program(&commands[0]) {
        return None;
    }
    // In a comparison of two words, the second may also be a program with a typing error in its name.
    let other = commands.iter().find(|word| !is_program(word))?;
    let compares = matches!(parsed, Parsed::Defined(cli) if matches!(cli.verb, Verb::Compare(_)));
    let is_slip = compares && commands.len() == 2 && !std::path::Path::new(other).exists();
    (!is_slip).then_some(other)
}

/// Whether the verb accepts the line: there are enough commands, names for them, only parameters that they use, and
/// only known factors.
pub(crate) fn is_accepted(parsed: &Parsed) -> bool {
    let Parsed::Defined(cli) = parsed else { return true };
    match &cli.verb {
        Verb::Run(args) => count(&args.commands, &args.condition).is_some(),
        Verb::Compare(args) => is_compared(args),
        Verb::Aa(args) => args.replay.is_some() || count(&args.commands, &args.condition).is_some(),
        Verb::Sweep(args) => is_swept(args),
        Verb::Explain(args) => args.build.is_given() || count(&args.commands, &args.condition).is_some(),
        Verb::Profile(args) => {
            args.pid.is_some() || args.import.is_some() || count(&args.commands, &args.condition).is_some()
        }
        _ => true,
    }
}

/// The number of commands that a definition expands to; `None` if it is refused.
fn count(commands: &CommandArgs, condition: &ConditionArgs) -> Option<usize> {
    let definition = define::unresolved(commands, condition).ok()?;
    expand(&definition).ok().map(|commands| commands.len())
}

fn is_compared(args: &CompareArgs) -> bool {
    let is_other = args.with.is_some()
        || args.plan
        || !args.commits.commits.is_empty()
        || args.link_seeds.is_some()
        || args.build_a.is_some();
    is_other
        || match (count(&args.commands, &args.condition), &args.baseline) {
            (Some(commands), Some(_)) => commands == 1,
            (Some(commands), None) => commands > 1,
            (None, _) => false,
        }
}

fn is_swept(args: &SweepArgs) -> bool {
    let commands = define::or_program(&args.commands, args.build.is_given());
    let Ok(definition) = define::unresolved(&commands, &args.condition) else { return false };
    let is_factor = |text: &String| is_factor(text, &definition);
    !definition.commands.is_empty()
        && args.factor.as_ref().or(definition.sweep.as_ref()).is_some_and(is_factor)
}

/// Whether the text of a sweep names only known factors. The verb itself checks levels and the features of the machine.
fn is_factor(text: &str, definition: &Definition) -> bool {
    let places = places(definition);
    text.split(['*', '×']).all(|part| {
        let name = part.split('=').next().unwrap_or_default().trim();
        let is_place = || places.iter().any(|place| place == name.strip_prefix("param:").unwrap_or(name));
        Factor::BUILT_IN.iter().any(|factor| factor.name() == name) || is_place()
    })
}
