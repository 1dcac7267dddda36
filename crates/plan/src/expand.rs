//! Expansion of the parameters of a definition: every combination of their values becomes a command.

use std::path::PathBuf;

use fauxplat_model::{Build, CommandLine, Definition, Parameter, Runs};

/// A command line with all parameters filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    pub name: String,
    pub command: String,
    /// Environment variables for this command alone, as `NAME=VALUE`.
    pub env: Vec<String>,
    /// Command run once before all runs.
    pub setup: Option<String>,
    pub prepare: Option<String>,
    pub conclude: Option<String>,
    /// Command run once after all runs.
    pub cleanup: Option<String>,
    /// Names and values of the parameters that were filled in.
    pub parameters: Vec<(String, String)>,
    pub build: Option<Build>,
    /// Link seed of the single layout in which the program is built; `None` to draw a layout for each block.
    pub link_seed: Option<u64>,
    pub cwd: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    #[error("no command: give at least one command to run")]
    NoCommand,
    /// A parameter that no command uses would only repeat the same runs.
    #[error("parameter `{0}` is used nowhere: write {{{0}}} where its values belong")]
    Unused(String),
    #[error("parameter `{0}` has no values: write {0}=value,value,…")]
    NoValues(String),
    #[error("parameter `{0}` is given twice")]
    Twice(String),
    #[error("the parameters give more than {MAX} commands")]
    TooMany,
    /// The text of all commands is longer than `TEXT_BYTES_MAX`. A value is repeated in every place that names its
    /// parameter, and in every command.
    #[error("with all parameters filled in, the commands are longer than {} MiB together", TEXT_BYTES_MAX >> 20)]
    TooLong,
    #[error("{0} runs (--runs, or its bounds, and --warmup, times the commands) are more than {RUNS_MAX}")]
    TooManyRuns(u64),
}

/// Greatest number of commands. A larger number is most likely a typing error.
const MAX: usize = 10_000;

/// Greatest length in bytes of the text of all commands together. A kernel accepts at most 6 MiB of arguments for one
/// program, and usually 2.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// Greatest number of runs of all commands together. Each run takes about 200 bytes of memory during the experiment,
/// and computing the figures of a million runs takes minutes.
pub const RUNS_MAX: u64 = 1_000_000;

/// All commands of a definition: for each command line every combination of the parameters that it uses. The last
/// parameter varies fastest.
pub fn expand(definition: &Definition) -> Result<Vec<Expanded>, ExpandError> {
    if definition.commands.is_empty() {
        return Err(ExpandError::NoCommand);
    }
    check(definition)?;
    let commands = count(definition);
    if commands > MAX {
        return Err(ExpandError::TooMany);
    }
    // Number of runs of each command that is checked against the maximum: with `Auto` the minimum of runs, since the
    // time limit ends them, and with `Until` the greatest number that may be needed for the precision.
    let asked = match definition.runs {
        Runs::Count(count) => count,
        Runs::Auto => definition.min_runs.unwrap_or(0),
        Runs::Until(_) => definition.max_runs.or(definition.min_runs).unwrap_or(0),
    };
    let runs = (u64::from(asked) + u64::from(definition.warmup)).saturating_mul(commands as u64);
    if runs > RUNS_MAX {
        return Err(ExpandError::TooManyRuns(runs));
    }
    let mut room = Room(TEXT_BYTES_MAX);
    let lines = definition.commands.iter().map(|line| expand_line(definition, line, &mut room));
    Ok(lines.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Number of commands after expansion, capped at `usize::MAX`.
fn count(definition: &Definition) -> usize {
    let of_line = |line| {
        let lengths = used(definition, line).into_iter().map(|parameter| parameter.values.len());
        lengths.fold(1, usize::saturating_mul)
    };
    definition.commands.iter().map(of_line).fold(0, usize::saturating_add)
}

fn check(definition: &Definition) -> Result<(), ExpandError> {
    for (index, parameter) in definition.parameters.iter().enumerate() {
        let name = || parameter.name.clone();
        if parameter.values.is_empty() {
            return Err(ExpandError::NoValues(name()));
        }
        if definition.parameters[..index].iter().any(|other| other.name == parameter.name) {
            return Err(ExpandError::Twice(name()));
        }
        if !definition
            .commands
            .iter()
            .any(|line| texts(definition, line).any(|text| text.contains(&place(parameter))))
        {
            return Err(ExpandError::Unused(name()));
        }
    }
    Ok(())
}

fn place(parameter: &Parameter) -> String {
    format!("{{{}}}", parameter.name)
}

/// The names in braces in the texts of a definition, each of which can be a parameter.
pub fn places(definition: &Definition) -> Vec<String> {
    let texts = definition.commands.iter().flat_map(|line| texts(definition, line));
    let names = texts.flat_map(|text| {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name.to_owned()))
    });
    let is_name =
        |name: &String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    names.filter(is_name).collect()
}

/// All texts of a command line in which parameters are replaced, including the commands before and after its runs.
fn texts<'a>(definition: &'a Definition, line: &'a CommandLine) -> impl Iterator<Item = &'a String> {
    let built = line.build.iter().flat_map(|build| [&build.line].into_iter().chain(&build.objects));
    [&line.command]
        .into_iter()
        .chain(&line.env)
        .chain(built)
        .chain(around(definition, line).into_iter().flatten())
}

/// The commands `setup`, `prepare`, `conclude` and `cleanup` of a command line; for each that it lacks, the
/// definition's.
fn around<'a>(definition: &'a Definition, line: &'a CommandLine) -> [Option<&'a String>; 4] {
    let or = |own: &'a Option<String>, shared: &'a Option<String>| own.as_ref().or(shared.as_ref());
    [
        or(&line.setup, &definition.setup),
        or(&line.prepare, &definition.prepare),
        or(&line.conclude, &definition.conclude),
        or(&line.cleanup, &definition.cleanup),
    ]
}

fn used<'a>(definition: &'a Definition, line: &'a CommandLine) -> Vec<&'a Parameter> {
    let uses = |parameter: &&Parameter| texts(definition, line).any(|text| text.contains(&place(parameter)));
    definition.parameters.iter().filter(uses).collect()
}

fn expand_line(
    definition: &Definition,
    line: &CommandLine,
    room: &mut Room,
) -> Result<Vec<Expanded>, ExpandError> {
    let mut combinations: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for parameter in used(definition, line) {
        let mut extended = Vec::with_capacity(combinations.len() * parameter.values.len());
        for values in &combinations {
            for value in &parameter.values {
                room.take(parameter.name.len() + value.len())?;
                let one = (parameter.name.clone(), value.clone());
                extended.push(values.iter().cloned().chain([one]).collect());
            }
        }
        combinations = extended;
    }
    combinations.into_iter().map(|parameters| fill(definition, line, parameters, room)).collect()
}

/// Number of bytes that are still available for the text of all commands.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize) -> Result<(), ExpandError> {
        self.0 = self.0.checked_sub(bytes).ok_or(ExpandError::TooLong)?;
        Ok(())
    }

    /// A text with all its placeholders replaced at once, so that a value with braces is not taken for a placeholder of
    /// another parameter. The length is checked before each piece is built.
    fn filled(&mut self, text: &str, parameters: &[(String, String)]) -> Result<String, ExpandError> {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            let here = parameters.iter().find_map(|(name, value)| {
                let after = from[1..].strip_prefix(name.as_str())?.strip_prefix('}')?;
                Some((value.as_str(), after))
            });
            let (piece, after) = here.unwrap_or(("{", &from[1..]));
            self.take(before.len() + piece.len())?;
            out.extend([before, piece]);
            rest = after;
        }
        self.take(rest.len())?;
        Ok(out + rest)
    }

    fn all(&mut self, texts: &[String], parameters: &[(String, String)]) -> Result<Vec<String>, ExpandError> {
        texts.iter().map(|text| self.filled(text, parameters)).collect()
    }
}

fn fill(
    definition: &Definition,
    line: &CommandLine,
    parameters: Vec<(String, String)>,
    room: &mut Room,
) -> Result<Expanded, ExpandError> {
    let command = room.filled(&line.command, &parameters)?;
    let name = name(line, &command, &parameters, room)?;
    let build = line.build.as_ref().map(|build| {
        let objects = room.all(&build.objects, &parameters)?;
        Ok(Build { line: room.filled(&build.line, &parameters)?, objects })
    });
    let [setup, prepare, conclude, cleanup] =
        around(definition, line).map(|line| line.map(|text| room.filled(text, &parameters)).transpose());
    Ok(Expanded {
        name,
        command,
        env: room.all(&line.env, &parameters)?,
        setup: setup?,
        prepare: prepare?,
        conclude: conclude?,
        cleanup: cleanup?,
        build: build.transpose()?,
        parameters,
        link_seed: line.link_seed,
        cwd: line.cwd.clone(),
    })
}

fn name(
    line: &CommandLine,
    command: &str,
    parameters: &[(String, String)],
    room: &mut Room,
) -> Result<String, ExpandError> {
    let suffix: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    match &line.name {
        Some(name) if suffix.is_empty() => Ok(name.clone()),
        Some(name) if name.contains('{') => room.filled(name, parameters),
        Some(name) => Ok(format!("{name} {}", suffix.join(" "))),
        // Parameters that are used only outside of the command, such as in the build, would give several commands the
        // same name.
        None if command == line.command && !suffix.is_empty() => {
            Ok(format!("{command} {}", suffix.join(" ")))
        }
        None => Ok(command.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(commands: &[&str], parameters: &[(&str, &[&str])]) -> Definition {
        Definition {
            commands: commands
                .iter()
                .map(|c| CommandLine { command: (*c).into(), ..CommandLine::default() })
                .collect(),
            parameters: parameters
                .iter()
                .map(|(name, values)| Parameter {
                    name: (*name).into(),
                    values: values.iter().map(|value| (*value).to_owned()).collect(),
                })
                .collect(),
            ..Definition::default()
        }
    }

    #[test]
    fn every_combination_once() {
        let all =
            expand(&definition(&["x {a} {b}", "y {b}"], &[("a", &["1", "2"]), ("b", &["3", "4"])])).unwrap();
        let commands: Vec<&str> = all.iter().map(|one| one.command.as_str()).collect();
        assert_eq!(commands, ["x 1 3", "x 1 4", "x 2 3", "x 2 4", "y 3", "y 4"]);
        assert_eq!(all[3].parameters, [("a".into(), "2".into()), ("b".into(), "4".into())]);
    }

    #[test]
    fn awk_braces_are_left_alone() {
        let all = expand(&definition(&["awk '{print $1}' {f}"], &[("f", &["x"])])).unwrap();
        assert_eq!(all[0].command, "awk '{print $1}' x");
    }

    #[test]
    fn a_value_is_no_place_of_another_parameter() {
        let all = expand(&definition(&["echo {a} {b}"], &[("a", &["{b}"]), ("b", &["x"])])).unwrap();
        assert_eq!(all[0].command, "echo {b} x");
        let all = expand(&definition(&["x {{a}} {a"], &[("a", &[""])])).unwrap();
        assert_eq!(all[0].command, "x {} {a");
    }

    #[test]
    fn what_is_run_around_a_command_is_its_own_or_what_all_share() {
        let mut definition = definition(&["x {a}", "y"], &[("a", &["1", "2"])]);
        definition.prepare = Some("p {a}".into());
        definition.cleanup = Some("c".into());
        definition.commands[1].prepare = Some("own".into());
        let all = expand(&definition).unwrap();
        let prepared: Vec<_> = all.iter().map(|one| one.prepare.as_deref().unwrap()).collect();
        assert_eq!(prepared, ["p 1", "p 2", "own"]);
        assert!(all.iter().all(|one| one.cleanup.as_deref() == Some("c") && one.setup.is_none()));
    }

    #[test]
    fn parameters_reach_the_build_and_tell_the_commands_apart() {
        let mut definition = definition(&["{program} x"], &[("v", &["old", "new"])]);
        definition.commands[0].build =
            Some(Build { line: "cc {v}.c -o {out}".into(), objects: vec!["{v}.o".into()] });
        let all = expand(&definition).unwrap();
        assert_eq!(all[1].build.as_ref().unwrap().line, "cc new.c -o {out}");
        assert_eq!(all[1].build.as_ref().unwrap().objects, ["new.o"]);
        assert_eq!([&all[0].name, &all[1].name], ["{program} x v=old", "{program} x v=new"]);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(expand(&definition(&[], &[])), Err(ExpandError::NoCommand));
        assert_eq!(expand(&definition(&["x"], &[("a", &["1"])])), Err(ExpandError::Unused("a".into())));
        assert_eq!(expand(&definition(&["x {a}"], &[("a", &[])])), Err(ExpandError::NoValues("a".into())));
        let twice = expand(&definition(&["x {a}"], &[("a", &["1"]), ("a", &["2"])]));
        assert_eq!(twice, Err(ExpandError::Twice("a".into())));
    }

    /// Each of these definitions is a few bytes or kilobytes long and would expand beyond the memory of any machine.
    #[test]
    fn what_would_not_fit_is_refused_by_arithmetic() {
        let many: Vec<&str> = vec!["v"; 4096];
        let six = ["a", "b", "c", "d", "e", "f"].map(|name| (name, many.as_slice()));
        assert_eq!(expand(&definition(&["{a}{b}{c}{d}{e}{f}"], &six)), Err(ExpandError::TooMany));
        let runs = |runs, warmup| {
            let two = definition(&["x {a}"], &[("a", &["1", "2"])]);
            expand(&Definition { runs, warmup, ..two }).map(|all| all.len())
        };
        assert_eq!(runs(Runs::Auto, 4_000_000_000), Err(ExpandError::TooManyRuns(8_000_000_000)));
        assert_eq!(runs(Runs::Count(u32::MAX), u32::MAX), Err(ExpandError::TooManyRuns(4 * 0xFFFF_FFFF)));
        assert_eq!(runs(Runs::Count(499_999), 1), Ok(2));
        let bounded = |runs, least, most| {
            let one = definition(&["x"], &[]);
            expand(&Definition { runs, min_runs: least, max_runs: most, ..one }).map(|all| all.len())
        };
        assert_eq!(bounded(Runs::Auto, Some(2_000_000), None), Err(ExpandError::TooManyRuns(2_000_000)));
        assert_eq!(
            bounded(Runs::Until(0.1), None, Some(2_000_000)),
            Err(ExpandError::TooManyRuns(2_000_000))
        );
        assert_eq!(bounded(Runs::Auto, None, Some(2_000_000)), Ok(1), "time ends it before");
    }

    #[test]
    fn a_value_in_many_places_ends() {
        let (line, value) = ("{a} ".repeat(1000), "x".repeat(100_000));
        assert_eq!(expand(&definition(&[&line], &[("a", &[&value])])), Err(ExpandError::TooLong));
    }

    #[test]
    fn what_a_value_says_is_no_place_of_another_parameter() {
        let all = expand(&definition(&["{a} {b} {c}"], &[("a", &["{b}"]), ("b", &["{a}"])])).unwrap();
        assert_eq!(all[0].command, "{b} {a} {c}");
    }
}
