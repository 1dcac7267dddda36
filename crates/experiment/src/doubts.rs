//! Warnings about the commands themselves, for instance programs that check where their output goes, and programs that
//! were replaced during the experiment.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;

use fauxplat_launch::words;
use fauxplat_model::{Command, EnvBase, Output, Shell};
use fauxplat_sys::clock;
use regex::Regex;

/// Names of programs that do less when their output is `/dev/null` (GNU grep since 2.5.2 and GNU tar), and what they do
/// then.
const LOOKING: [(&str, &str); 4] = [
    ("grep", "stops at the first match"),
    ("egrep", "stops at the first match"),
    ("fgrep", "stops at the first match"),
    ("tar", "reads no file"),
];

/// A sentence for each program that does less because its output is `/dev/null`.
pub(crate) fn look_away(commands: &[Command]) -> Vec<String> {
    let of = |command: &Command| {
        let name = command.program.file_name()?.to_str()?;
        let (_, less) = LOOKING.iter().find(|(known, _)| *known == name)?;
        let is_discarded = command.condition.output == Output::Null && !command.condition.shell.is_used();
        is_discarded.then(|| {
            format!(
                "GNU {name} {less} when its output is /dev/null, as it is here: --stdout FILE has it do all of its work, and so \
                 has --shell with `| cat >/dev/null`"
            )
        })
    };
    commands.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A sentence for each name in braces that is the name of no parameter: `run 'echo {n}'` without `-L n=…` measures the
/// literal braces. Quoted parts of the line, such as a program for awk, are not checked. A name counts only if an
/// argument of the program still contains it, unlike `{program}`, which is replaced by the path of a built program.
pub(crate) fn unfilled(commands: &[Command]) -> Vec<String> {
    if !commands.iter().any(|command| command.command.contains('{')) {
        return Vec::new();
    }
    let name =
        Regex::new(r#"'[^']*'|"[^"]*"|\{([A-Za-z_][A-Za-z0-9_-]*)\}"#).expect("the pattern is constant");
    let names =
        commands.iter().filter(|command| command.condition.shell == Shell::None).flat_map(|command| {
            let found = name.captures_iter(&command.command);
            let names = found.filter_map(|found| Some(found.get(1)?.as_str().to_owned()));
            names.filter(|name| is_passed(command, name)).collect::<Vec<_>>()
        });
    let names: BTreeSet<String> = names.collect();
    let told =
        |name| format!("{{{name}}} is passed as it stands: no parameter has this name (-L {name}=VALUE,…)");
    names.into_iter().map(told).collect()
}

/// Whether the program of a command gets a name in its braces as an argument.
fn is_passed(command: &Command, name: &str) -> bool {
    let place = format!("{{{name}}}");
    command.argv.iter().any(|word| word.contains(&place))
}

/// A sentence about a single command whose name is a whole number: `run -n 10` was probably meant as a number of runs.
pub(crate) fn called_a_number(commands: &[Command]) -> Option<String> {
    let [Command { name: number, command, .. }] = commands else { return None };
    let is_number = number != command && number.parse::<u32>().is_ok();
    is_number.then(|| {
        format!("-n {number} is the name of the command in reports; the number of runs is --runs {number}")
    })
}

/// A sentence about environment variables that commands do not inherit, because they are not UTF-8 and documents hold
/// only text; `None` if there are none.
pub(crate) fn left_out(commands: &[Command]) -> Option<String> {
    let is_inherited = commands.iter().any(|command| command.condition.env == EnvBase::Inherit);
    let is_text = |(name, value): &(OsString, OsString)| name.to_str().is_some() && value.to_str().is_some();
    let names = std::env::vars_os().filter(|variable| is_inherited && !is_text(variable));
    let names: Vec<String> = names.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    (!names.is_empty()).then(|| {
        format!("variables left out of the environment of the commands, since their names or values are not UTF-8: {}", names.join(", "))
    })
}

/// A sentence for each program whose file was replaced since the experiment began `elapsed_s` ago.
pub(crate) fn replaced(commands: &[Command], elapsed_s: f64) -> Vec<String> {
    // A clock that was set back meanwhile causes a needless hash of an unchanged file; a clock that was set forward may
    // hide a replacement.
    let now_s = (clock::realtime_ns() / 1_000_000_000).cast_signed();
    let began_s = now_s - (elapsed_s.max(0.0) + SLACK_S) as i64;
    let is_another = |command: &&Command| {
        let Some(before) = &command.program_sha256 else { return false };
        let changed = std::fs::metadata(&command.program).map(|facts| facts.ctime());
        changed.is_ok_and(|ctime| ctime >= began_s)
            && words::sha256(&command.program).is_some_and(|now| now != *before)
    };
    let told = commands.iter().filter(is_another).map(|command| {
        format!(
            "`{}` was replaced while it was measured: its runs are those of two programs, and the hash on record is that of the \
             first; measure again",
            command.program.display()
        )
    });
    told.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Seconds that may pass between hashing a program and the beginning of the experiment.
const SLACK_S: f64 = 60.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &std::path::Path) -> Command {
        Command {
            name: "x".into(),
            command: "x".into(),
            program: program.to_owned(),
            program_sha256: words::sha256(program),
            argv: vec!["x".into()],
            ..Command::default()
        }
    }

    #[test]
    fn a_program_that_changed_is_told_and_one_that_did_not_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, "one").unwrap();
        let commands = [command(&path), command(&path)];
        assert_eq!(replaced(&commands, 1.0), [""; 0]);
        std::fs::write(&path, "two").unwrap();
        let told = replaced(&commands, 1.0);
        assert!(told.len() == 1 && told[0].contains("was replaced while it was measured"), "{told:?}");
    }

    #[test]
    fn names_in_braces_that_no_parameter_has_are_told() {
        let argv = |line: &str| line.split(' ').map(str::to_owned).collect();
        let line =
            |line: &str| Command { command: line.into(), argv: argv(line), ..command("/bin/true".as_ref()) };
        assert!(unfilled(&[line("true {n}"), line("true {n} {m}")])[1].contains("-L n="));
        for plain in ["awk '{print}' x", r#"true "{n}""#, "find . -exec true {} +", "true {1..3} {a,b}"] {
            assert_eq!(unfilled(&[line(plain)]), [""; 0], "{plain}");
        }
        let built =
            Command { command: "{program} {n}".into(), argv: argv("/cache/program {n}"), ..line("x") };
        let told = unfilled(&[built]);
        assert!(told.len() == 1 && told[0].contains("-L n="), "{told:?}");
    }

    #[test]
    fn programs_that_look_away_are_told_where_nobody_reads() {
        let grep = command("/usr/bin/grep".as_ref());
        assert!(look_away(&[grep.clone(), grep.clone()])[0].contains("stops at the first match"));
        let mut read = grep;
        read.condition.output = Output::File("out".into());
        assert_eq!(look_away(&[read, command("/usr/bin/sort".as_ref())]), [""; 0]);
    }
}
