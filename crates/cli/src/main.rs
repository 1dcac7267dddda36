//! The fauxplat command: verbs, wiring, exit codes.

mod args;
mod begin;
mod define;
mod ending;
mod events;
mod exit;
mod foreign;
mod inspection;
mod names;
mod output;
mod progress;
mod spoken;
mod verbs;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use fauxplat_experiment::Failure;
use fauxplat_experiment::hidden::{GENERATOR_VERB, GUARDIAN_VERB, SPAWNER_VERB};
use fauxplat_store::masked;
use fauxplat_sys::signal;

fn main() -> ExitCode {
    let words: Vec<String> = match std::env::args_os().map(|word| word.into_string()).collect() {
        Ok(words) => words,
        Err(word) => {
            output::complain(&format!(
                "{}: the command line must be UTF-8, since it is recorded",
                word.display()
            ));
            return ExitCode::from(exit::USAGE);
        }
    };
    match words.get(1).map(String::as_str) {
        Some(SPAWNER_VERB) => return served(fauxplat_launch::serve(&words[2..])),
        Some(GENERATOR_VERB) => return served(fauxplat_load::serve(&words[2..])),
        Some(GUARDIAN_VERB) => return served(fauxplat_tuning::guard(&words[2..])),
        _ => {}
    }
    let answer = std::panic::catch_unwind(|| dispatch(&words));
    ExitCode::from(answer.unwrap_or_else(|_| {
        output::complain("this is a bug in fauxplat; please report the lines above");
        exit::BUG
    }))
}

/// How a helper process of our own ended.
fn served<E: std::fmt::Display>(done: Result<(), E>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(exit::BUG)
        }
    }
}

/// Parses the words and runs the verb; the exit code.
fn dispatch(words: &[String]) -> u8 {
    let words = &spoken::understood(words);
    let cli = match args::parse(words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and version are answers and go to standard output.
            let _ = error.print();
            return 0;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return exit::USAGE;
        }
        Err(error) => return exit::tell(&Failure::usage(misuse(&error, words))),
    };
    let end = cli.verb.end().cloned();
    let done = execute(cli.verb, &recorded(words));
    let code = done.as_ref().err().map_or(0, exit::tell);
    if let Some(end) = end {
        end.notify.iter().for_each(|line| end.ending.tell(line, &done, code));
        if end.beep {
            output::beep();
        }
    }
    code
}

/// Does what the words of a command line ask for, for those whose definitions hold command lines.
///
/// # Errors
/// Those of the verb, and a line that cannot be parsed.
fn perform(words: &[String]) -> Result<(), Failure> {
    let words = &spoken::understood(words);
    let cli = args::parse(words).map_err(|error| Failure::usage(misuse(&error, words)))?;
    execute(cli.verb, &recorded(words))
}

/// The words of a command line as they may be shown and recorded: without passwords.
fn recorded(words: &[String]) -> Vec<String> {
    // What a command that is measured takes is that command's own.
    let shown = |word: &String| if word.contains("postgres") { masked(word) } else { word.clone() };
    words.iter().map(shown).collect()
}

fn execute(verb: args::Verb, words: &[String]) -> Result<(), Failure> {
    if measures(&verb) {
        signal::stop_on_interrupt().map_err(Failure::machine)?;
    }
    match verb {
        args::Verb::Run(args) => verbs::run::run(&args, words),
        args::Verb::Compare(args) => verbs::compare::compare(&args, words),
        args::Verb::Aa(args) => verbs::aa::aa(&args, words),
        args::Verb::Table(args) => verbs::table::table(&args, words),
        args::Verb::Contend(args) => verbs::contend::contend(&args, words),
        args::Verb::Latency(args) => verbs::latency::latency(&args, words),
        args::Verb::Limit(args) => verbs::limit::limit(&args, words),
        args::Verb::Load(args) => verbs::load::load(&args, words),
        args::Verb::Index(args) => verbs::index::index(&args, words),
        args::Verb::Sweep(args) => verbs::sweep::sweep(&args, words),
        args::Verb::Tune(args) => verbs::tune::tune(&args, words),
        args::Verb::Restore(args) => verbs::restore::restore(&args, words),
        args::Verb::Lab(args) => verbs::lab::lab(&args, words),
        args::Verb::Counters(args) => verbs::counters::counters(&args, words),
        args::Verb::Profile(args) => verbs::profile::profile(&args, words),
        args::Verb::Doctor(args) => verbs::doctor::doctor(&args, words),
        args::Verb::Topo(args) => verbs::topo::topo(&args, words),
        args::Verb::Explain(args) => verbs::explain::explain(&args, words),
        args::Verb::Fleet(args) => verbs::fleet::fleet(&args, words),
        args::Verb::Node(args) => verbs::node::node(&args, words),
        args::Verb::History(args) => verbs::history::history(&args),
        args::Verb::Man { folder } => verbs::generate::man(&folder),
        args::Verb::Completions { folder } => verbs::completions::write(&folder),
        args::Verb::Words { kind } => verbs::completions::candidates(kind),
    }
}

/// Whether a verb measures, and so ends in order when it is asked to stop, with what it has. Its handlers stand before it
/// looks at the machine, builds or tries anything: whoever interrupts it at once is answered like whoever does so later.
/// The other verbs end when they are told to, as any program does; those that follow or change something set their own.
fn measures(verb: &args::Verb) -> bool {
    use args::Verb;
    matches!(
        verb,
        Verb::Run(_)
            | Verb::Compare(_)
            | Verb::Aa(_)
            | Verb::Sweep(_)
            | Verb::Explain(_)
            | Verb::Contend(_)
            | Verb::Latency(_)
            | Verb::Limit(_)
            | Verb::Load(_)
            | Verb::Index(_)
            | Verb::Profile(_)
            | Verb::Lab(_)
            | Verb::Fleet(_)
            | Verb::Node(_)
    )
}

/// What the parser says, as one line: its first sentence and its tips, without the usage that `--help` shows. Of an option
/// of another tool it says what to type here.
fn misuse(error: &clap::Error, words: &[String]) -> String {
    let verb = words.get(1).map_or("", String::as_str);
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && let Some(ours) = foreign::ours(verb, option)
    {
        return format!("{verb} has no {option}: {ours} (see fauxplat {verb} --help)");
    }
    let text = error.render().to_string();
    let said = text.split("\nUsage:").next().unwrap_or_default();
    let said = said.split("For more information").next().unwrap_or_default();
    let words = said.split_whitespace().skip_while(|word| *word == "error:");
    let words: Vec<String> = words.map(masked).collect();
    format!("{} (see --help)", words.join(" "))
}
