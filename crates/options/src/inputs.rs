//! Checks that reports and outputs of commands do not overwrite files that the experiment reads, runs or writes.
//!
//! A file counts as an input if something certainly opens it: the program of a command, the standard input, a
//! redirection `<` of a shell, an object that is linked. Any other word of a command that equals a file name may be
//! something else, such as a text to print, so a report to a file of that name causes a message and no refusal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fauxplat_experiment::Failure;
use fauxplat_launch::words::{find_program, split};
use fauxplat_model::{CommandLine, Definition, Output};
use fauxplat_plan::{Expanded, expand};

use crate::OutputArgs;
use crate::overwritten::{How, exists_at, is_at, is_stream, refusal};

/// Files to which the output options write reports and events, without the standard streams.
fn reports(output: &OutputArgs) -> Vec<PathBuf> {
    let exports = output.exports().into_iter().map(|export| export.file);
    let files = output.output.iter().chain(&output.events).cloned().chain(exports);
    files.filter(|file| !is_stream(file)).collect()
}

/// Refuses to write into the program of a command, a helper or a build, or into a file that one of them reads, and to
/// write a report into the output of the commands. Returns a message for each report whose file name is a word of a
/// command.
///
/// # Errors
/// Fails for the first file with two such uses. The message names the file and its use.
pub fn spare_inputs(definition: &Definition, output: &OutputArgs) -> Result<Vec<String>, Failure> {
    let condition = &definition.condition;
    let stdout = if let Output::File(file) = &condition.output { Some(file) } else { None };
    let reports = reports(output).into_iter().map(|file| (file, How::Report));
    let written: Vec<(PathBuf, How)> =
        reports.chain(stdout.into_iter().map(|file| (file.clone(), How::Appended))).collect();
    let clash = |of: Option<How>, is_it: &dyn Fn(&Path) -> bool, why: &str| {
        let is_one = |(file, how): &&(PathBuf, How)| of.is_none_or(|of| of == *how) && is_it(file);
        let found = written.iter().find(is_one).map(|(file, how)| refusal(file, *how, why));
        found.map_or(Ok(()), |told| Err(Failure::usage(told)))
    };
    if let Some(file) = stdout {
        clash(Some(How::Report), &|written| is_at(written, file), "the commands write to it")?;
    }
    if let Some(file) = &condition.stdin {
        clash(None, &|written| is_at(written, file), "the commands read it")?;
    }
    let mut told = BTreeSet::new();
    for (cwd, text) in texts(definition) {
        let folder = cwd.as_deref().unwrap_or(Path::new("."));
        let is_in = |files: &BTreeSet<String>, written: &Path| {
            files.iter().any(|file| exists_at(written, &folder.join(file)))
        };
        let program = split(&text).ok().and_then(|words| program_of(words.first()?, folder));
        let is_program = |written: &Path| program.as_ref().is_some_and(|it| exists_at(written, it));
        clash(None, &is_program, &format!("`{text}` runs it"))?;
        let (read, named) = (redirected(&text), words(&text));
        clash(None, &|written| is_in(&read, written), &format!("`{text}` reads it"))?;
        let named = written.iter().filter(|(file, _)| is_in(&named, file));
        told.extend(named.map(|(file, how)| caution(file, *how, &text)));
    }
    for file in objects(definition) {
        clash(None, &|written| exists_at(written, Path::new(&file)), "it is linked")?;
    }
    Ok(told.into_iter().collect())
}

/// The message about a file to be written whose name is a word of a command.
fn caution(file: &Path, how: How, text: &str) -> String {
    let what = match how {
        How::Report => "the report replaces it",
        How::Appended => "the commands' output is appended to it",
    };
    format!("{}: `{text}` has a word of this name; {what}", file.display())
}

/// Refuses to write reports into a folder that is reserved for other files; `what` says for which.
///
/// # Errors
/// Fails for the first report in the folder, which the message names.
pub fn spare_folder(folder: &Path, what: &str, output: &OutputArgs) -> Result<(), Failure> {
    let is_inside = |file: &&PathBuf| {
        let place = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (place, folder) = (place.canonicalize(), folder.canonicalize());
        place.is_ok_and(|place| folder.is_ok_and(|folder| place.starts_with(folder)))
    };
    match reports(output).iter().find(is_inside) {
        Some(file) => Err(Failure::usage(refusal(file, How::Report, what))),
        None => Ok(()),
    }
}

fn program_of(word: &str, cwd: &Path) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    find_program(word, cwd, &path).ok()
}

/// All command lines of a definition (commands, helpers, builds, check), each with its working directory if one is
/// specified. Lines that cannot be expanded are refused elsewhere.
fn texts(definition: &Definition) -> Vec<(Option<PathBuf>, String)> {
    let commands = expand(definition).unwrap_or_default();
    let of_command = |Expanded { command, setup, prepare, conclude, cleanup, cwd, .. }: Expanded| {
        let cwd = cwd.or_else(|| definition.condition.cwd.clone());
        let texts = [Some(command), setup, prepare, conclude, cleanup].into_iter().flatten();
        texts.map(move |text| (cwd.clone(), text)).collect::<Vec<_>>()
    };
    let of_build = |line: &CommandLine| line.build.clone().map(|build| (None, build.line));
    let further = definition.check.iter().map(|text| (None, text.clone()));
    let all = commands.into_iter().flat_map(of_command);
    all.chain(definition.commands.iter().filter_map(of_build)).chain(further).collect()
}

fn objects(definition: &Definition) -> impl Iterator<Item = String> {
    let builds = definition.commands.iter().filter_map(|line| line.build.clone());
    builds.flat_map(|build| build.objects)
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || "<>|;&()`\"'".contains(c)
}

/// The arguments in the text of a command line, both as its program receives them and as a shell within the text would.
fn words(text: &str) -> BTreeSet<String> {
    let of_shell = text.split(ends_word).map(str::to_owned).skip(1);
    let of_program = split(text).unwrap_or_default().into_iter().skip(1);
    of_program.chain(of_shell).filter(|word| !word.is_empty()).collect()
}

/// The files from which a command line redirects standard input by `<`. The operators `<<`, `<&` and `<(` name no file.
fn redirected(text: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for (at, _) in text.match_indices('<') {
        let behind = text[at + 1..].trim_start_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        if !text[..at].ends_with('<') && !behind.starts_with(['<', '&', '(']) {
            files.extend(behind.split(ends_word).next().filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    files
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
    fn what_commands_open_is_spared_and_what_they_name_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("in.txt"), "precious").unwrap();
        let full = at("in.txt").display().to_string();
        let refused = |definition: &Definition, file: &str| spare_inputs(definition, &to(at(file))).is_err();
        for command in [
            format!("sh -c 'sort <{full}'"),
            format!("sort < {full} | uniq"),
            format!("sort <\"{full}\""),
            format!("cat 0<{full}"),
        ] {
            assert!(refused(&definition(&[&command]), "in.txt"), "{command}");
            assert!(!refused(&definition(&[&command]), "new.txt"), "{command}");
        }
        for (command, is_told) in [
            (format!("cat {full}"), true),
            (format!("sh -c 'cat \"{full}\" | wc'"), true),
            (format!("sh -c 'cat <<{full}'"), true),
            (format!("echo <({full})"), true),
            ("true".to_owned(), false),
            (format!("echo {full}.old"), false),
        ] {
            let told = spare_inputs(&definition(&[&command]), &to(at("in.txt"))).unwrap();
            assert_eq!(told.len(), usize::from(is_told), "{command}: {told:?}");
        }
        let mut with = definition(&["cat in.txt"]);
        with.condition.cwd = Some(folder.path().to_owned());
        assert_eq!(spare_inputs(&with, &to(at("in.txt"))).unwrap().len(), 1, "a name below --cwd");
        with.prepare = Some("cat <in.txt".to_owned());
        assert!(refused(&with, "in.txt"), "a helper");
        let mut with = definition(&["true"]);
        with.condition.stdin = Some(at("in.txt"));
        assert!(refused(&with, "in.txt"), "standard input");
        with.condition.output = Output::File(at("in.txt"));
        assert!(refused(&with, "new.txt"), "standard output into standard input");
        with.condition.output = Output::File(at("so.txt"));
        assert!(refused(&with, "so.txt"), "standard output that is not there yet");
        assert!(!refused(&with, "new.txt"));
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
        let mut with = definition(&["program"]);
        with.condition.cwd = Some(folder.path().to_owned());
        assert!(spare_inputs(&with, &to(program.clone())).is_ok(), "a name in PATH is no file of the folder");
        let mut with = definition(&[&full]);
        with.condition.output = Output::File(program.clone());
        assert!(spare_inputs(&with, &OutputArgs::default()).is_err(), "output of the commands");
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
