//! Asks the user at a terminal what to measure.

use std::io::BufRead;

use crate::args::InitArgs;
use crate::error::InitError;
use crate::wishes::{Subject, Wishes};
use crate::words::{Benchmark, Service};

/// Asks for everything that the options left open. `suggested` is the build command that an empty answer accepts.
pub(crate) fn ask(
    args: &InitArgs,
    suggested: Option<&str>,
    answers: &mut dyn BufRead,
    say: &dyn Fn(&str),
) -> Result<Wishes, InitError> {
    let build = match &args.build {
        Some(build) => Some(build.clone()),
        None => {
            let usual = suggested.map_or("nothing is built".to_owned(), str::to_owned);
            say(&format!("How is the project built? [{usual}]"));
            answer(answers)?.or_else(|| suggested.map(str::to_owned))
        }
    };
    say("Which commands are measured? One a line, as NAME=COMMAND; an empty line ends the list");
    let mut commands = Vec::new();
    while let Some(line) = answer(answers)? {
        match line.parse::<Benchmark>() {
            Ok(benchmark) => commands.push(benchmark),
            Err(why) => say(&why),
        }
    }
    if commands.is_empty() {
        return Err(InitError::NothingToMeasure);
    }
    let ci = if args.ci.is_empty() { service(answers, say)? } else { args.ci.clone() };
    Wishes {
        subject: Subject::Commands(commands),
        build,
        margin: args.margin.clone(),
        max_time: args.max_time.clone(),
        fail_if: args.fail_if,
        ci,
    }
    .check()
}

/// The CI service that the user chooses; empty for none.
fn service(answers: &mut dyn BufRead, say: &dyn Fn(&str)) -> Result<Vec<Service>, InitError> {
    loop {
        say("For which CI service is a job written: github, gitlab or shell? [none]");
        match answer(answers)?.as_deref() {
            None | Some("none") => return Ok(Vec::new()),
            Some("github") => return Ok(vec![Service::Github]),
            Some("gitlab") => return Ok(vec![Service::Gitlab]),
            Some("shell") => return Ok(vec![Service::Shell]),
            Some(other) => say(&format!("`{other}` is not one of github, gitlab, shell and none")),
        }
    }
}

/// The next line of the user without white space around it; `None` if it is empty.
fn answer(answers: &mut dyn BufRead) -> Result<Option<String>, InitError> {
    let mut line = String::new();
    match answers.read_line(&mut line) {
        Ok(0) | Err(_) => Err(InitError::NoAnswer),
        Ok(_) => Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty())),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    fn asked(answers: &str) -> Result<Wishes, InitError> {
        let command = InitArgs::augment_args(Command::new("init"));
        let args = InitArgs::from_arg_matches(&command.get_matches_from(["init"])).unwrap();
        ask(&args, Some("make"), &mut answers.as_bytes(), &|_| ())
    }

    #[test]
    fn an_empty_answer_takes_what_is_suggested_and_a_wrong_one_is_asked_again() {
        let wishes = asked("\nnonsense\n sort = ./program sort \n\nnowhere\ngitlab\n").unwrap();
        assert_eq!(wishes.build.as_deref(), Some("make"));
        let sort = Benchmark { name: "sort".to_owned(), command: "./program sort".to_owned() };
        assert_eq!(wishes.subject, Subject::Commands(vec![sort]));
        assert_eq!(wishes.ci, [Service::Gitlab]);
    }

    #[test]
    fn a_closed_terminal_and_an_empty_list_set_nothing_up() {
        assert!(matches!(asked(""), Err(InitError::NoAnswer)));
        assert!(matches!(asked("make\na=b\n"), Err(InitError::NoAnswer)));
        assert!(matches!(asked("make\n\n"), Err(InitError::NothingToMeasure)));
        assert!(matches!(asked("make\na=b\na=c\n\n\n"), Err(InitError::TwoOfAName(name)) if name == "a"));
    }
}
