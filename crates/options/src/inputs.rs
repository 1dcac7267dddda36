//! Reports that would overwrite what an experiment reads, runs or writes: files that only its commands name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fauxplat_experiment::Failure;
use fauxplat_launch::words::{find_program, split};
use fauxplat_model::{CommandLine, Definition, Output};
use fauxplat_plan::{Expanded, expand};

use crate::OutputArgs;
use crate::overwritten::{exists_at, is_at, is_stream, would_overwrite};

/// Files that the options have reports and events written into, without the standard streams.
fn written(output: &OutputArgs) -> Vec<PathBuf> {
    let exports = output.exports().into_iter().map(|export| export.file);
    let files = output.output.iter().chain(&output.events).cloned().chain(exports);
    files.filter(|file| !is_stream(file)).collect()
}

/// Refuses a report in a file that a command, a helper or a build names, in the program of a command, and in the standard
/// input or output of the commands.
///
/// # Errors
/// There is such a file; the message names it and what names it.
pub fn spare_inputs(definition: &Definition, output: &OutputArgs) -> Result<(), Failure> {
    let written = written(output);
    if written.is_empty() {
        return Ok(());
    }
    let refuse = |file: &Path, why: &str| Err(Failure::usage(would_overwrite(file, why).trim_end()));
    let condition = &definition.condition;
    let stdout = if let Output::File(file) = &condition.output { Some(file) } else { None };
    for (file, why) in
        [(&stdout, "the commands write to it"), (&condition.stdin.as_ref(), "the commands read it")]
    {
        let clash = file.and_then(|file| written.iter().find(|written| is_at(written, file)));
        if let Some(written) = clash {
            return refuse(written, why);
        }
    }
    let here = Path::new(".");
    for (cwd, text) in texts(definition) {
        let folder = cwd.as_deref().unwrap_or(here);
        for word in files_in(&text) {
            let is_it =
                |written: &&PathBuf| [folder, here].iter().any(|at| exists_at(written, &at.join(&word)));
            if let Some(written) = written.iter().find(is_it) {
                return refuse(written, &format!("`{text}` names this file as well"));
            }
        }
        let program = split(&text).ok().and_then(|words| program_of(words.first()?, folder));
        let clash = program.and_then(|program| written.iter().find(|written| exists_at(written, &program)));
        if let Some(written) = clash {
            return refuse(written, &format!("`{text}` runs it"));
        }
    }
    Ok(())
}

/// Refuses reports in a folder that somebody else keeps files in.
///
/// # Errors
/// There is one; the message names it.
pub fn spare_folder(folder: &Path, what: &str, output: &OutputArgs) -> Result<(), Failure> {
    let is_inside = |file: &&PathBuf| {
        let place = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (place, folder) = (place.canonicalize(), folder.canonicalize());
        place.is_ok_and(|place| folder.is_ok_and(|folder| place.starts_with(folder)))
    };
    match written(output).iter().find(is_inside) {
        Some(file) => Err(Failure::usage(would_overwrite(file, what).trim_end())),
        None => Ok(()),
    }
}

fn program_of(word: &str, cwd: &Path) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    find_program(word, cwd, &path).ok()
}

/// All that is run for a definition, each with its working directory. Lines that cannot be expanded are refused elsewhere.
fn texts(definition: &Definition) -> Vec<(Option<PathBuf>, String)> {
    let commands = expand(definition).unwrap_or_default();
    let of_command = |Expanded { command, setup, prepare, conclude, cleanup, cwd, .. }: Expanded| {
        let cwd = cwd.or_else(|| definition.condition.cwd.clone());
        let texts = [Some(command), setup, prepare, conclude, cleanup].into_iter().flatten();
        texts.map(move |text| (cwd.clone(), text)).collect::<Vec<_>>()
    };
    let of_build = |line: &CommandLine| {
        let build = line.build.clone();
        build
            .into_iter()
            .flat_map(|build| std::iter::once(build.line).chain(build.objects))
            .map(|text| (None, text))
            .collect::<Vec<_>>()
    };
    let further = definition.check.iter().chain(&definition.sweep).map(|text| (None, text.clone()));
    let all = commands.into_iter().flat_map(of_command);
    all.chain(definition.commands.iter().flat_map(of_build)).chain(further).collect()
}

/// The words of a text that may name files: those of a program's arguments, and those that a shell would read.
fn files_in(text: &str) -> BTreeSet<String> {
    let is_between = |c: char| c.is_whitespace() || "<>|;&()`\"',".contains(c);
    let of_shell = text.split(is_between).map(str::to_owned);
    let words = split(text).unwrap_or_default().into_iter().chain(of_shell);
    let parts = words.flat_map(|word| {
        let behind = ['=', '@'].map(|mark| word.split_once(mark).map(|(_, file)| file.to_owned()));
        behind.into_iter().flatten().chain([word]).collect::<Vec<_>>()
    });
    parts.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(commands: &[&str]) -> Definition {
        let line = |&command: &&str| CommandLine { command: command.to_owned(), ..CommandLine::default() };
        Definition { commands: commands.iter().map(line).collect(), ..Definition::default() }
    }

    fn to(file: PathBuf) -> OutputArgs {
        OutputArgs { output: Some(file), ..OutputArgs::default() }
    }

    #[test]
    fn what_commands_name_is_spared() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("in.txt"), "precious").unwrap();
        let full = at("in.txt").display().to_string();
        let refused = |definition: &Definition, file: &str| spare_inputs(definition, &to(at(file))).is_err();
        for command in [
            format!("cat {full}"),
            format!("sh -c 'sort <{full}'"),
            format!("dd if={full}"),
            format!("grep -f{} x", "no") + &format!(" \"{full}\""),
        ] {
            assert!(refused(&definition(&[&command]), "in.txt"), "{command}");
            assert!(!refused(&definition(&[&command]), "new.txt"), "{command}");
        }
        let mut with = definition(&["cat in.txt"]);
        with.condition.cwd = Some(folder.path().to_owned());
        assert!(refused(&with, "in.txt"), "a name below --cwd");
        let mut with = definition(&["true"]);
        with.prepare = Some(format!("touch {full}"));
        assert!(refused(&with, "in.txt"), "a helper");
        let mut with = definition(&["true"]);
        with.condition.stdin = Some(at("in.txt"));
        assert!(refused(&with, "in.txt"), "standard input");
        let mut with = definition(&["true"]);
        with.condition.output = Output::File(at("so.txt"));
        assert!(refused(&with, "so.txt"), "standard output that is not there yet");
        assert!(!refused(&with, "in.txt"));
    }

    #[test]
    fn programs_are_spared() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::copy("/bin/true", &program).unwrap();
        let full = program.display().to_string();
        assert!(spare_inputs(&definition(&[&full]), &to(program.clone())).is_err());
        let mut with = definition(&["./program"]);
        with.condition.cwd = Some(folder.path().to_owned());
        assert!(spare_inputs(&with, &to(program.clone())).is_err(), "by --cwd");
        assert!(spare_inputs(&definition(&["sh -c true"]), &to("/bin/sh".into())).is_err(), "by PATH");
        assert!(spare_inputs(&definition(&["true"]), &to(program)).is_ok());
    }

    #[test]
    fn a_folder_that_is_kept_is_spared() {
        let (kept, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(kept.path().join("below")).unwrap();
        let refused = |file: PathBuf| spare_folder(kept.path(), "a run is kept there", &to(file)).is_err();
        assert!(refused(kept.path().join("report")) && refused(kept.path().join("below/report")));
        assert!(!refused(other.path().join("report")) && !refused("-".into()));
    }
}
