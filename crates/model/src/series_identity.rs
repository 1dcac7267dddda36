//! The identity of a series: all that makes the sessions of a benchmark one series, beside the metric and the machine.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Build, Checkout, Command, Origin};

/// Word that a suite of plain commands records in the place of a harness.
pub const PLAIN_COMMANDS: &str = "plain commands";

/// Identity of a series: measurements whose identities differ are never compared with each other as sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesIdentity {
    /// Name of the command, which is its line unless the user named it, or of a benchmark of a suite.
    pub benchmark: String,
    /// File name of the program without its folder, which differs between work trees; of a program that fauxplat builds,
    /// the command that builds it.
    pub program: String,
    /// Arguments that the user gave to a benchmark program. Empty for a command, whose name stands for its arguments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arguments: String,
    /// Harness that measured the benchmark; `None` for a command that fauxplat timed itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    /// Repository, and the folder within it, in which the command ran, as `NAME` or `NAME:FOLDER`; outside of a
    /// repository the folder alone. `None` where the record tells neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl SeriesIdentity {
    /// Identity of a command that fauxplat timed, without its place. `build` is how fauxplat built its program.
    pub fn of_command(command: &Command, build: Option<&Build>) -> Self {
        // A command of `--commits` is named after its commit, so its line is the name of the benchmark.
        let name = if command.commit().is_some() { &command.command } else { &command.name };
        SeriesIdentity {
            benchmark: name.clone(),
            program: program(command, build),
            ..SeriesIdentity::default()
        }
    }

    /// Identity of a benchmark of a suite, without its place. `command` is the program with the arguments of the user,
    /// or the plain command of a benchmark, for which `harness` is [`PLAIN_COMMANDS`].
    pub fn of_benchmark(name: &str, command: &Command, harness: &str) -> Self {
        let is_plain = harness == PLAIN_COMMANDS;
        // The recorded argument vector contains words of the harness, so the line of the user is read.
        let line = command.command.trim_start();
        let arguments = line.split_once(char::is_whitespace).map_or("", |(_, arguments)| arguments.trim());
        SeriesIdentity {
            benchmark: name.to_owned(),
            program: program(command, None),
            arguments: if is_plain { String::new() } else { arguments.to_owned() },
            harness: (!is_plain).then(|| harness.to_owned()),
            place: None,
        }
    }

    /// All parts but the name of the benchmark: program, arguments, harness and place; empty where there is none.
    pub fn parts(&self) -> [&str; 4] {
        let [harness, place] = [&self.harness, &self.place].map(|part| part.as_deref().unwrap_or_default());
        [&self.program, &self.arguments, harness, place]
    }
}

fn program(command: &Command, build: Option<&Build>) -> String {
    match build {
        Some(build) => {
            let words: Vec<&str> =
                [&build.line].into_iter().chain(&build.objects).map(String::as_str).collect();
            words.join(" ")
        }
        None => {
            let name = command.program.file_name().unwrap_or(command.program.as_os_str());
            name.to_string_lossy().into_owned()
        }
    }
}

/// Where a command ran, as far as a record tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// Repository, and the folder within it, as `NAME` or `NAME:FOLDER`. `None` outside of a repository, and in records
    /// of earlier versions.
    pub repository: Option<String>,
    /// Absolute path of the folder; `None` where the record does not tell it.
    pub folder: Option<String>,
}

impl Ground {
    /// Reads the ground of a command from its record. Records of earlier versions have no folder, but it follows from a
    /// program that was named by a relative path.
    pub fn of(command: &Command, origin: &Origin) -> Self {
        let ground = match &origin.folder {
            Some(folder) => Ground::recorded(command, origin, Path::new(folder)),
            None => Ground { repository: None, folder: folder_by_program(command) },
        };
        Ground { folder: ground.folder.filter(|folder| lasts(folder)), ..ground }
    }

    fn recorded(command: &Command, origin: &Origin, called_in: &Path) -> Self {
        // The work trees of `--commits` stand for the folder in which fauxplat was called.
        let own = command.condition.cwd.as_deref().filter(|_| command.commit().is_none());
        let folder = own.map_or_else(|| called_in.to_owned(), |own| without_detours(&called_in.join(own)));
        let within = |checkout: &Checkout| {
            let (name, top) = (checkout.repository.as_ref()?, checkout.top.as_ref()?);
            let below = folder.strip_prefix(top).ok()?;
            Some(match below.as_os_str().is_empty() {
                true => name.clone(),
                false => format!("{name}:{}", below.display()),
            })
        };
        let repository = origin.checkout.as_ref().and_then(within);
        Ground { repository, folder: folder.to_str().map(str::to_owned) }
    }
}

/// Folder in which a program was named by a relative path: the program's path without the words of that path. `None` for
/// a program that was named otherwise, and in the work trees of `--commits`, which do not stay.
fn folder_by_program(command: &Command) -> Option<String> {
    let word = command.argv.first().filter(|word| word.contains('/') && command.commit().is_none())?;
    let named: PathBuf = Path::new(word).components().filter(|part| *part != Component::CurDir).collect();
    if named.is_absolute() || !command.program.is_absolute() || !command.program.ends_with(&named) {
        return None;
    }
    let folder = command.program.ancestors().nth(named.components().count())?;
    folder.to_str().map(str::to_owned)
}

/// Whether a folder lasts: temporary folders of fauxplat, such as the copy of a lab in which it runs, have another name
/// each time.
fn lasts(folder: &str) -> bool {
    !folder.split('/').any(|name| name.starts_with("fauxplat-") && name.ends_with(".tmp"))
}

/// A path without `.` and `..`, by its words alone.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Condition;

    fn command(line: &str, program: &str) -> Command {
        Command {
            name: line.to_owned(),
            command: line.to_owned(),
            program: program.into(),
            argv: line.split(' ').map(str::to_owned).collect(),
            ..Command::default()
        }
    }

    fn origin(folder: &str, repository: Option<&str>) -> Origin {
        let checkout = repository.map(|name| Checkout {
            repository: Some(name.to_owned()),
            top: Some("/home/ada/tool".to_owned()),
            ..Checkout::default()
        });
        Origin { checkout, folder: Some(folder.to_owned()), ..Origin::default() }
    }

    #[test]
    fn a_benchmark_of_a_suite_has_its_program_its_arguments_and_its_harness() {
        let bench = command("./old/bench --quick", "/home/ada/tool/old/bench");
        let with = SeriesIdentity::of_benchmark("sort/8", &bench, "go");
        assert_eq!(with.parts(), ["bench", "--quick", "go", ""]);
        let plain = SeriesIdentity::of_benchmark("sort/8", &bench, PLAIN_COMMANDS);
        assert_eq!(plain.parts(), ["bench", "", "", ""]);
    }

    #[test]
    fn a_built_program_is_named_by_its_build() {
        let build = |line: &str| Build { line: line.to_owned(), objects: vec!["a.o".to_owned()] };
        let built = Command { name: "A".to_owned(), ..command("{program}", "/cache/program") };
        let of = |line: &str| SeriesIdentity::of_command(&built, Some(&build(line)));
        assert_eq!(
            (of("cc {objects}").benchmark, of("cc {objects}").program),
            ("A".into(), "cc {objects} a.o".into())
        );
        assert_ne!(of("cc sort.c"), of("cc parse.c"));
        assert_eq!(SeriesIdentity::of_command(&built, None).program, "program");
    }

    #[test]
    fn a_command_of_a_commit_is_its_line() {
        let mut of_commit = Command { name: "abc1234 mend it".into(), ..command("./p x", "/t/1/p") };
        assert_eq!(SeriesIdentity::of_command(&of_commit, None).benchmark, "abc1234 mend it");
        of_commit.parameters.push((crate::COMMIT.into(), "c".repeat(40)));
        let identity = SeriesIdentity::of_command(&of_commit, None);
        assert_eq!((&*identity.benchmark, &*identity.program), ("./p x", "p"));
    }

    #[test]
    fn a_ground_is_a_folder_of_a_repository_or_a_folder() {
        let bench = command("./bench", "/home/ada/tool/x/bench");
        let of = |folder: &str, repository| Ground::of(&bench, &origin(folder, repository)).repository;
        assert_eq!(of("/home/ada/tool", Some("example.org/tool")).as_deref(), Some("example.org/tool"));
        assert_eq!(of("/home/ada/tool/x", Some("example.org/tool")).as_deref(), Some("example.org/tool:x"));
        assert_eq!(of("/home/ada/tool", None), None);
        let elsewhere = |cwd: &str| {
            let condition = Condition { cwd: Some(cwd.into()), ..Condition::default() };
            let ground =
                Ground::of(&Command { condition, ..bench.clone() }, &origin("/home/ada/tool/x", Some("t")));
            (ground.repository, ground.folder)
        };
        assert_eq!(elsewhere("../y"), (Some("t:y".into()), Some("/home/ada/tool/y".into())));
        assert_eq!(elsewhere("/srv"), (None, Some("/srv".into())));
        assert_eq!(elsewhere("/tmp/fauxplat-lab-x1.tmp/lab"), (None, None));
    }

    #[test]
    fn records_of_earlier_versions_tell_the_folder_of_a_relative_program() {
        let folder =
            |line: &str, program: &str| Ground::of(&command(line, program), &Origin::default()).folder;
        assert_eq!(folder("./bench 1", "/home/ada/bench").as_deref(), Some("/home/ada"));
        assert_eq!(folder("./a/./bench", "/home/ada/a/bench").as_deref(), Some("/home/ada"));
        assert_eq!(folder("../bench", "/home/ada/../bench").as_deref(), Some("/home/ada"));
        assert_eq!(folder("sort x", "/usr/bin/sort"), None);
        assert_eq!(folder("/opt/bench", "/opt/bench"), None);
        assert_eq!(folder("./bench", "/cache/program"), None);
        let mut of_commit = command("./bench", "/cache/tree/bench");
        of_commit.parameters.push((crate::COMMIT.into(), "c".repeat(40)));
        assert_eq!(Ground::of(&of_commit, &Origin::default()).folder, None);
    }
}
