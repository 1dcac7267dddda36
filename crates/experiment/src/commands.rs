//! Resolves the commands of a definition to programs with arguments.

use std::path::{Path, PathBuf};

use fauxplat_launch::words;
use fauxplat_model::{Command, Condition, Definition, Shell};
use fauxplat_plan::{Expanded, expand};

use crate::cpus::{check_limit, check_placement};
use crate::{Failure, Machine, memory, threads};

/// Resolves every command of a definition to its program, arguments and hash. `programs` has the paths of programs that
/// fauxplat built, by the index of the command; a command without a path names an existing program.
///
/// # Errors
/// Fails for an invalid command line, a program that is not found, or CPUs that cannot be used.
pub fn resolve(
    definition: &Definition,
    machine: &Machine,
    programs: &[Option<PathBuf>],
) -> Result<Vec<Command>, Failure> {
    check_placement(&definition.condition.cpu, machine)?;
    memory::check(&definition.condition, machine)?;
    threads::check(definition, machine)?;
    check_limit(&definition.condition)?;
    let expanded = expand(definition).map_err(Failure::usage)?;
    let programs = programs.iter().map(Option::as_deref).chain(std::iter::repeat(None));
    let resolved = |(one, program): (&Expanded, Option<&Path>)| {
        let found = command(one, &definition.condition, program);
        // A command without a given name is named by its line, of which the message quotes the faulty part already.
        found.map_err(|failure| if one.name == one.command { failure } else { failure.within(&one.name) })
    };
    expanded.iter().zip(programs).map(resolved).collect()
}

/// Resolves one command; `built` is the path of its built program, which replaces `{program}`.
fn command(expanded: &Expanded, shared: &Condition, built: Option<&Path>) -> Result<Command, Failure> {
    let built_at = built.map(|path| path.display().to_string());
    let mut condition = shared.clone();
    condition.env_set.extend_from_slice(&expanded.env);
    condition.cwd = expanded.cwd.clone().or(condition.cwd);
    if let Some(setting) = condition.env_set.iter().find(|setting| setting.find('=').is_none_or(|at| at == 0))
    {
        return Err(Failure::usage(format!("`{setting}` in the environment is not NAME=VALUE")));
    }
    let (program, argv) = match program(&expanded.command, &condition, built_at.as_deref()) {
        // The command of --prepare may create the program, as in hyperfine. If it does not, the first run fails.
        Err(_) if expanded.prepare.is_some() && !condition.shell.is_used() => {
            made_by_then(&expanded.command, &condition, built_at.as_deref())?
        }
        found => found?,
    };
    let helper = |line: &Option<String>| -> Result<Option<Vec<String>>, Failure> {
        let Some(line) = line else { return Ok(None) };
        let (program, mut argv) = by_shell(&condition, &filled_for_shell(line, built_at.as_deref()))?;
        argv[0] = program.display().to_string();
        Ok(Some(argv))
    };
    Ok(Command {
        name: expanded.name.clone(),
        command: expanded.command.clone(),
        // The built program at this path changes with the layout; the findings list the hashes of all layouts.
        program_sha256: if built.is_some() { None } else { words::sha256(&program) },
        program,
        argv,
        parameters: expanded.parameters.clone(),
        prepare: helper(&expanded.prepare)?,
        conclude: helper(&expanded.conclude)?,
        condition,
    })
}

/// The executable and the argument vector of a command line. The path of a built program may contain blanks, so it is
/// inserted after the line has been split into words.
fn program(
    line: &str,
    condition: &Condition,
    built: Option<&str>,
) -> Result<(PathBuf, Vec<String>), Failure> {
    match condition.shell.is_used() {
        true if line.trim().is_empty() => Err(Failure::usage("the command is empty")),
        true => by_shell(condition, &filled_for_shell(line, built)),
        false => {
            let filled = |word: String| match built {
                Some(path) => fauxplat_variants::fill(&word, path),
                None => word,
            };
            let argv: Vec<String> = words::split(line)?.into_iter().map(filled).collect();
            Ok((find(&argv[0], condition)?, argv))
        }
    }
}

/// As [`program`], for a program that is named by its path and need not exist yet.
fn made_by_then(
    line: &str,
    condition: &Condition,
    built: Option<&str>,
) -> Result<(PathBuf, Vec<String>), Failure> {
    let argv = words::split(line)?;
    let cwd = condition.cwd.as_deref().unwrap_or(Path::new("."));
    match argv[0].contains('/') && built.is_none() && !cwd.join(&argv[0]).exists() {
        true => {
            let cwd = std::path::absolute(cwd).map_err(Failure::machine)?;
            Ok((recordable(cwd.join(&argv[0]), &cwd), argv))
        }
        false => program(line, condition, built),
    }
}

/// A shell line in which `{program}` is replaced by the built program's path, quoted as one word.
fn filled_for_shell(line: &str, built: Option<&str>) -> String {
    built.map_or_else(|| line.to_owned(), |path| fauxplat_variants::fill_for_shell(line, path))
}

/// The shell that the condition requests, or `/bin/sh` if it requests none, with the argument vector by which it
/// executes a line.
pub(crate) fn by_shell(condition: &Condition, line: &str) -> Result<(PathBuf, Vec<String>), Failure> {
    let (program, mut argv) = match &condition.shell {
        Shell::None | Shell::Standard => (PathBuf::from("/bin/sh"), vec!["sh".to_owned()]),
        Shell::Other(shell) => {
            let argv = words::split(shell)?;
            let found = find(&argv[0], condition);
            (found.map_err(|failure| failure.within(&format!("--shell {shell}")))?, argv)
        }
    };
    argv.extend(["-c".to_owned(), line.to_owned()]);
    Ok((program, argv))
}

/// The executable that the first word of a command names, by the command's working directory and `PATH`.
fn find(word: &str, condition: &Condition) -> Result<PathBuf, Failure> {
    let cwd = std::path::absolute(condition.cwd.as_deref().unwrap_or(Path::new(".")));
    let cwd = cwd.map_err(|error| Failure::machine(format!("working directory: {error}")))?;
    Ok(recordable(words::find_program(word, &cwd, &search_path(condition))?, &cwd))
}

/// The path of a program in a form that documents can hold: absolute, or relative to the command's working directory if
/// the name of a folder above is not UTF-8. Commands enter that directory before they are executed.
fn recordable(program: PathBuf, cwd: &Path) -> PathBuf {
    match (program.to_str(), program.strip_prefix(cwd)) {
        (None, Ok(below)) => Path::new(".").join(below),
        _ => program,
    }
}

/// `PATH` of the command's environment; if the condition sets none, `PATH` of fauxplat's environment; without either,
/// the default of `execvp(3)`.
fn search_path(condition: &Condition) -> String {
    let set = condition.env_set.iter().rev().find_map(|setting| setting.strip_prefix("PATH="));
    // A clean environment has no PATH, but the user named the program with the PATH of the calling shell in mind.
    let inherited = || std::env::var("PATH").ok();
    set.map(str::to_owned).or_else(inherited).unwrap_or_else(|| "/bin:/usr/bin".to_owned())
}
