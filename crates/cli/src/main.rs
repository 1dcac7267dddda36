//! The `fauxplat` program: parses the command line, runs the verb and turns errors into exit codes.

mod begin;
mod created;
mod events;
mod exit;
mod first_sentence;
mod host;
mod inspection;
mod messages;
mod names;
mod output;
mod progress;
mod registry;
mod style;
mod verbs;

use std::process::ExitCode;

use clap::error::ErrorKind;
use fauxplat_experiment::hidden::{GENERATOR_VERB, GUARDIAN_VERB, SPAWNER_VERB};
use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::{LaunchError, SPAWNER_REFUSED};
use fauxplat_options::{
    FleetAction, Parsed, Verb, completion_script, doubt, is_verbose, misuse, parse, short_help,
    store_of_environment, understood, unquoted, verb_page, with_commands, with_dashes, with_defaults,
    write_pages,
};
use fauxplat_store::{masked, typeable};
use fauxplat_sys::{pause, process, signal};

/// Stack size that fauxplat's deepest calls need, with a margin.
const STACK_BYTES_MIN: u64 = 512 << 10;

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
        Some(SPAWNER_VERB) => return spawned(fauxplat_launch::serve(&words[2..])),
        Some(GENERATOR_VERB) => return served(fauxplat_load::serve(&words[2..]), exit::BUG),
        Some(GUARDIAN_VERB) => return served(fauxplat_tuning::guard(&words[2..]), exit::BUG),
        _ => {}
    }
    if let Some(bytes) = process::stack_limit_bytes().filter(|bytes| *bytes < STACK_BYTES_MIN) {
        output::complain(&format!(
            "a stack of {} KiB is too small to work in (ulimit -s): allow {} KiB or more; a command has it as `fauxplat sweep stack-limit` says",
            bytes >> 10,
            STACK_BYTES_MIN >> 10
        ));
        return ExitCode::from(exit::MACHINE);
    }
    if let Err(error) = process::random_bytes_are_there() {
        output::complain(&format!(
            "{error}: the kernel gives no random numbers, without which nothing can be drawn"
        ));
        return ExitCode::from(exit::MACHINE);
    }
    let answer = std::panic::catch_unwind(|| dispatch(&words));
    ExitCode::from(answer.unwrap_or_else(|_| {
        output::complain("this is a bug in fauxplat; please report the lines above");
        exit::BUG
    }))
}

/// The exit code of the spawner process: by this code the process that started it distinguishes a refusal of the kernel
/// from a bug.
fn spawned(done: Result<(), LaunchError>) -> ExitCode {
    let is_refusal = done.as_ref().is_err_and(LaunchError::is_refusal);
    served(done, if is_refusal { SPAWNER_REFUSED } else { exit::BUG })
}

/// The exit code of a process that fauxplat starts from its own program: spawner, generator or guardian.
fn served<E: std::fmt::Display>(done: Result<(), E>, code: u8) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(code)
        }
    }
}

/// Parses the command line and runs the verb; returns the exit code.
fn dispatch(words: &[String]) -> u8 {
    registry::join();
    if let Some(doubt) = doubt(words) {
        return exit::tell(&Failure::usage(doubt));
    }
    let configured = match with_defaults(&understood(words)) {
        Ok(configured) => configured,
        Err(error) => return exit::tell(&Failure::input(error)),
    };
    let words = &configured.words;
    tell_defaults(&configured.told, words);
    let parsed = match parse(words) {
        Ok(parsed) => match unquoted(words, &parsed) {
            None => parsed,
            Some(told) => return exit::tell(&Failure::usage(told)),
        },
        Err(error) if !error.use_stderr() => {
            // Help and version are answers and go to standard output.
            let short = short_help(words).filter(|_| error.kind() == ErrorKind::DisplayHelp);
            return match short {
                Some(text) => output::names(&[text.trim_end().to_owned()])
                    .map_or_else(|failure| exit::tell(&failure), |()| 0),
                None => output::help(&error).map_or_else(|failure| exit::tell(&failure), |()| 0),
            };
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return exit::USAGE;
        }
        Err(error) => return exit::tell(&Failure::usage(misuse(&error, words))),
    };
    let end = match &parsed {
        Parsed::Defined(cli) => cli.verb.end().cloned(),
        Parsed::Joined(name, given) => registry::verb(name).and_then(|verb| verb.end(given)),
    };
    let has_an_end = has_an_end(&parsed);
    let done = execute(parsed, &recorded(words)).map_err(|failure| advised(failure, words));
    let done = Failure::answer_first(events::written(), done);
    let code = exit::ended(&done, has_an_end && signal::stop_requested());
    if let Some(end) = end {
        if let Some(line) = &end.notify
            && let Err(why) = end.ending.tell(line, &done, code)
        {
            output::complain(&format!("--notify `{line}` {why}"));
        }
        if end.beep {
            output::beep();
        }
    }
    code
}

/// Prints, in verbose mode, where options come from that the user has not typed: a configuration file or the
/// environment.
fn tell_defaults(told: &[String], words: &[String]) {
    let of_environment = store_of_environment().map(|store| {
        format!(
            "the store is {}, where no --store is given, by FAUXPLAT_STORE",
            masked(&store.to_string_lossy())
        )
    });
    if (!told.is_empty() || of_environment.is_some()) && is_verbose(words) {
        told.iter().chain(&of_environment).for_each(|line| output::complain(line));
    }
}

/// Adds a correct command line to the message about a misuse, where the mistake is a missing command or an option
/// without its dashes.
fn advised(failure: Failure, words: &[String]) -> Failure {
    let said = failure.to_string();
    let lacks_command =
        failure.kind() == Kind::Usage && said.contains("command") && !said.contains("as in: ");
    if let Some(line) = lacks_command.then(|| with_commands(words)).flatten() {
        return failure.advising(&format!("try: {line}"));
    }
    let is_told =
        |word: &&String| failure.kind() == Kind::Usage && failure.to_string().contains(&format!("`{word}`"));
    match words[2.min(words.len())..].iter().filter(is_told).find_map(|word| with_dashes(words, word)) {
        Some(line) => failure.advising(&format!("try: {line}")),
        None => failure,
    }
}

/// Whether a verb ends by itself, so that an interrupt ends it before it is complete. Other verbs run until they are
/// interrupted.
fn has_an_end(parsed: &Parsed) -> bool {
    match parsed {
        Parsed::Joined(name, _) => registry::verb(name).is_some_and(|verb| verb.measures()),
        Parsed::Defined(cli) => match &cli.verb {
            Verb::Profile(args) => args.pid.is_none(),
            Verb::Fleet(args) => matches!(args.action, FleetAction::Run(_) | FleetAction::Compare(_)),
            Verb::Load(_) | Verb::Node(_) => false,
            verb => measures(verb),
        },
    }
}

/// Executes a command line that fauxplat itself composed, or one of a lab's definition.
///
/// # Errors
/// Returns the error of the verb, or a usage error for a line that cannot be parsed.
fn perform(words: &[String]) -> Result<(), Failure> {
    doubt(words).map_or(Ok(()), |doubt| Err(Failure::usage(doubt)))?;
    let words = &understood(words);
    let parsed = parse(words).map_err(|error| Failure::usage(misuse(&error, words)))?;
    unquoted(words, &parsed).map_or(Ok(()), |told| Err(Failure::usage(told)))?;
    execute(parsed, &recorded(words))
}

/// Executes a command line whose report follows another one on standard output.
///
/// # Errors
/// Returns the error of [`perform`].
fn further(words: &[String]) -> Result<(), Failure> {
    output::text("\n")?;
    perform(words)
}

/// The words of a command line with passwords replaced, so that the line can be shown, recorded and typed again.
fn recorded(words: &[String]) -> Vec<String> {
    // Only PostgreSQL addresses contain passwords that can be recognised; other arguments of measured commands are
    // recorded unchanged.
    let shown = |word: &String| if word.contains("postgres") { typeable(word) } else { word.clone() };
    words.iter().map(shown).collect()
}

fn execute(parsed: Parsed, words: &[String]) -> Result<(), Failure> {
    let measures = match &parsed {
        Parsed::Defined(cli) => measures(&cli.verb),
        Parsed::Joined(name, _) => registry::verb(name).is_some_and(|verb| verb.measures()),
    };
    if measures {
        signal::stop_on_interrupt().map_err(Failure::machine)?;
        pause::tell_when_stopped().map_err(Failure::machine)?;
    }
    match parsed {
        Parsed::Defined(cli) => execute_defined(cli.verb, words),
        Parsed::Joined(name, given) => match registry::verb(&name) {
            Some(verb) => verb.run(&given, &host::Terminal, words),
            None => Err(Failure::usage(format!("{name}: there is no such verb"))),
        },
    }
}

fn execute_defined(verb: Verb, words: &[String]) -> Result<(), Failure> {
    match verb {
        Verb::Run(args) => verbs::run::run(&args, words),
        Verb::Compare(args) => verbs::compare::compare(&args, words),
        Verb::Aa(args) => verbs::aa::aa(&args, words),
        Verb::Table(args) => verbs::table::table(&args, words),
        Verb::Contend(args) => verbs::contend::contend(&args, words),
        Verb::Limit(args) => verbs::limit::limit(&args, words),
        Verb::Load(args) => verbs::load::load(&args, words),
        Verb::Index(args) => verbs::index::index(&args, words),
        Verb::Sweep(args) => verbs::sweep::sweep(&args, words),
        Verb::Tune(args) => verbs::tune::tune(&args, words),
        Verb::Restore(args) => verbs::restore::restore(&args, words),
        Verb::Lab(args) => verbs::lab::lab(&args, words),
        Verb::Counters(args) => verbs::counters::counters(&args, words),
        Verb::Profile(args) => verbs::profile::profile(&args, words),
        Verb::Explain(args) => verbs::explain::explain(&args, words),
        Verb::Fleet(args) => verbs::fleet::fleet(&args, words),
        Verb::Node(args) => verbs::node::node(&args, words),
        Verb::Man { output: Some(folder), .. } => write_pages(&folder),
        Verb::Man { verb, output: None } => output::text(&verb_page(&verb)?),
        Verb::Completions { shell } => output::text(&completion_script(shell)),
        Verb::Words { kind } => verbs::words::candidates(kind),
    }
}

/// Whether a verb measures: on an interrupt, such a verb ends in order with its results. Its handlers are installed
/// before it examines the machine, builds or tries anything, so that an early interrupt is handled like a late one.
/// Other verbs end at once, as any program does, or install handlers of their own.
fn measures(verb: &Verb) -> bool {
    matches!(
        verb,
        Verb::Run(_)
            | Verb::Compare(_)
            | Verb::Aa(_)
            | Verb::Sweep(_)
            | Verb::Explain(_)
            | Verb::Contend(_)
            | Verb::Limit(_)
            | Verb::Load(_)
            | Verb::Index(_)
            | Verb::Profile(_)
            | Verb::Lab(_)
            | Verb::Fleet(_)
            | Verb::Node(_)
    )
}
