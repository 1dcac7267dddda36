//! Completions for the common shells. Options and verbs come from the definition of the command line; for values that
//! are names, such as those of metrics, the shell calls fauxplat when the completion key is pressed.

use clap::{Arg, Command, ValueEnum};
use clap_complete::Shell;

use crate::help::definition;

/// The shells that have completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Completed {
    Bash,
    Zsh,
    Fish,
}

impl Completed {
    fn shell(self) -> Shell {
        match self {
            Completed::Bash => Shell::Bash,
            Completed::Zsh => Shell::Zsh,
            Completed::Fish => Shell::Fish,
        }
    }
}

/// The completions of a shell, as a script for that shell.
pub fn completion_script(shell: Completed) -> String {
    let (mut cli, mut script) = (definition(), Vec::new());
    clap_complete::generate(shell.shell(), &mut cli, "fauxplat", &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Completed::Bash => with_names_in_bash(&script, &cli),
        Completed::Zsh => with_names_in_zsh(&script, &cli),
        Completed::Fish => with_names_in_fish(&script, &cli),
    }
}

/// The kind of names that an argument accepts, as a word for the hidden verb `__words`; `None` if its values are no
/// names.
fn kind(command: &Command, arg: &Arg) -> Option<&'static str> {
    let value = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    Some(match (command.get_name(), arg.get_id().as_str(), value) {
        ("show" | "export" | "rm", "id" | "ids", _) | (_, _, "RUN-ID|FILE") => "runs",
        ("show" | "run" | "check", "name" | "names", "NAME" | "NAMES" | "") if arg.is_positional() => "labs",
        (_, "metric", _) => "metrics",
        (_, "format", _) => "formats",
        (_, _, "HAZARD" | "HAZARD=LEVEL") => "hazards",
        (_, _, "PROFILE|KNOB=VALUE" | "PROFILE") | ("tune", "set", _) => "knobs",
        (_, _, "KIND[:INTENSITY][@CPUS]") => "loads",
        (_, "cpu" | "relation", _) => "relations",
        _ => return None,
    })
}

fn question(kind: &str) -> String {
    format!("$(fauxplat __words {kind} 2>/dev/null)")
}

/// The command and all its subcommands, each with the words that lead to it, parents before their subcommands.
fn commands<'a>(command: &'a Command, path: &[&'a str]) -> Vec<(Vec<&'a str>, &'a Command)> {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    let deeper = below.flat_map(|below| commands(below, &[path, &[below.get_name()]].concat()));
    std::iter::once((path.to_vec(), command)).chain(deeper).collect()
}

/// The arguments of a command whose values are names, with the kind of names.
fn named(command: &Command) -> impl Iterator<Item = (&Arg, &'static str)> {
    command.get_arguments().filter_map(|arg| Some((arg, kind(command, arg)?)))
}

/// Adds the completion of names to the script for bash, which has a section for each command, and in it a case for each
/// option and the list of all words.
fn with_names_in_bash(script: &str, cli: &Command) -> String {
    let mut out = script.to_owned();
    for (path, command) in commands(cli, &[]) {
        let title = format!("\n        fauxplat__subcmd__{})\n", path.join("__subcmd__"));
        let Some(start) = out.find(&title).map(|at| at + title.len()) else { continue };
        let end = out[start..].find("\n        fauxplat__subcmd__").map_or(out.len(), |at| start + at);
        let mut section = out[start..end].to_owned();
        for (arg, kind) in named(command) {
            let words = [
                arg.get_long().map(|long| format!("--{long}")),
                arg.get_short().map(|short| format!("-{short}")),
            ];
            for word in words.into_iter().flatten() {
                let files = format!(
                    "                {word})\n                    COMPREPLY=($(compgen -f \"${{cur}}\"))"
                );
                let names = files.replace("compgen -f", &format!("compgen -W \"{}\" --", question(kind)));
                section = section.replace(&files, &names);
            }
            if arg.is_positional() {
                section = section.replacen("opts=\"", &format!("opts=\"{} ", question(kind)), 1);
            }
        }
        out.replace_range(start..end, &section);
    }
    out
}

/// Adds the completion of names to the script for zsh, where the action that completes an argument follows the last
/// colon of its line, after the name of the value.
fn with_names_in_zsh(script: &str, cli: &Command) -> String {
    let all = commands(cli, &[]);
    let asked: Vec<(Vec<String>, String, &str)> = all
        .iter()
        .flat_map(|(_, command)| named(command).map(|(arg, kind)| (marks(arg), end(arg), kind)))
        .collect();
    let line = |line: &str| {
        let found = asked.iter().find(|(marks, end, _)| {
            marks.iter().any(|mark| line.contains(mark.as_str())) && line.contains(end.as_str())
        });
        found.map_or(line.to_owned(), |(_, _, kind)| {
            let action = format!(":{{ compadd -- ${{(f)\"{}\"}} }}'", question(kind));
            line.replacen(":_default'", &action, 1)
        })
    };
    script.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Possible beginnings of an argument's line in the script for zsh.
fn marks(arg: &Arg) -> Vec<String> {
    let long = arg.get_long().map(|long| format!("--{long}=["));
    let short = arg.get_short().map(|short| format!("-{short}+["));
    let positional = arg.is_positional().then(|| format!(":{} -- ", arg.get_id()));
    [long, short, positional].into_iter().flatten().collect()
}

/// The end of an argument's line in the script for zsh. Beginning and end have to match, since two verbs may have
/// options of the same name with values of different kinds.
fn end(arg: &Arg) -> String {
    let value = arg.get_value_names().and_then(|names| names.first()).filter(|_| !arg.is_positional());
    value.map_or_else(|| ":_default'".to_owned(), |value| format!(":{value}:_default'"))
}

/// Adds the completion of names to the script for fish, which has a line for each option, and gets one for positional
/// arguments.
fn with_names_in_fish(script: &str, cli: &Command) -> String {
    let mut out = String::new();
    let all = commands(cli, &[]);
    for line in script.lines() {
        let asked = all.iter().filter(|(path, _)| !path.is_empty()).find_map(|(path, command)| {
            let here = format!("-n \"__fish_fauxplat_using_subcommand {}", path[0]);
            let is_here = line.contains(&here) && path[1..].iter().all(|word| line.contains(*word));
            let mut options = named(command).filter_map(|(arg, kind)| Some((arg.get_long()?, kind)));
            is_here.then(|| options.find(|(long, _)| line.contains(&format!(" -l {long} "))))?
        });
        out += line;
        out += &asked
            .map_or_else(String::new, |(_, kind)| format!(" -a \"(fauxplat __words {kind} 2>/dev/null)\""));
        out.push('\n');
    }
    for (path, command) in all.iter().filter(|(path, _)| !path.is_empty()) {
        for (_, kind) in named(command).filter(|(arg, _)| arg.is_positional()) {
            let seen = match path[1..].last() {
                Some(last) => format!("; and __fish_seen_subcommand_from {last}"),
                None => String::new(),
            };
            out += &format!(
                "complete -c fauxplat -n \"__fish_fauxplat_using_subcommand {}{seen}\" -a \"(fauxplat __words {kind} 2>/dev/null)\"\n",
                path[0]
            );
        }
    }
    out
}
