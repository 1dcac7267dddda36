//! Writes the files by which a project measures its changes.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempPath};
use toml::Value;

use crate::error::InitError;
use crate::wishes::{Subject, Wishes};
use crate::words::{DEFINITION, FailIf, Service};

/// Script that the CI jobs of every service call.
const SCRIPT: &str = include_str!("../../../../docs/ci/fauxplat.sh");
const GITHUB: &str = include_str!("../../../../docs/ci/compare.yml");
const GITLAB: &str = include_str!("../../../../docs/ci/gitlab.yml");

/// Line of the GitHub and GitLab jobs that names what `fauxplat suite` measures.
const SUITE: &str = "FAUXPLAT_SUITE: fauxplat.toml";

/// A file to write: path within the project, and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub path: PathBuf,
    pub text: String,
}

/// All files that a project with these wishes needs.
pub(crate) fn files(wishes: &Wishes) -> Vec<Written> {
    let of_path = |path: &str, text: String| Written { path: path.into(), text };
    let mut all = vec![of_path(DEFINITION, definition(wishes))];
    if !wishes.ci.is_empty() {
        all.push(of_path("ci/fauxplat.sh", SCRIPT.to_owned()));
    }
    let job =
        |template: &str| template.replace(SUITE, &format!("FAUXPLAT_SUITE: {}", in_yaml(wishes.suite())));
    if wishes.ci.contains(&Service::Github) {
        all.push(of_path(".github/workflows/fauxplat.yml", job(GITHUB)));
    }
    if wishes.ci.contains(&Service::Gitlab) {
        all.push(of_path("ci/fauxplat.gitlab.yml", job(GITLAB)));
    }
    all
}

/// Writes all files or none: an error leaves no new file or folder, and each file that was there as it was. Files that
/// exist are an error unless `force` is true.
pub(crate) fn write(folder: &Path, files: &[Written], force: bool) -> Result<(), InitError> {
    // A symbolic link without a target counts as existing.
    let is_there = |it: &&Written| folder.join(&it.path).symlink_metadata().is_ok();
    if let (false, Some(there)) = (force, files.iter().find(is_there)) {
        return Err(InitError::IsThere(folder.join(&there.path)));
    }
    let unwritable = |file: PathBuf| move |source| InitError::Unwritable { file, source };
    // Declared first and so dropped last: a folder can be removed once the temporary files in it are.
    let mut placed = Placed::default();
    let mut parts = Vec::new();
    for it in files {
        let file = folder.join(&it.path);
        parts.push(placed.part(&file, &it.text).map_err(unwritable(file))?);
    }
    for (it, part) in files.iter().zip(parts) {
        let file = folder.join(&it.path);
        placed.place(&file, part).map_err(unwritable(file))?;
    }
    placed.is_whole = true;
    Ok(())
}

/// A file beside its place, and the former file of that place under a name of its own, if there is one.
struct Part {
    new: NamedTempFile,
    former: Option<TempPath>,
}

/// Files and folders that were made so far. Dropped before all are made, they are taken back.
#[derive(Default)]
struct Placed {
    /// Missing folders, each before those in it.
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Option<TempPath>)>,
    is_whole: bool,
}

impl Placed {
    /// Writes a text beside the place of its file, with the permissions that any new file gets.
    fn part(&mut self, file: &Path, text: &str) -> io::Result<Part> {
        let folder = folder_of(file);
        let missing = folder.ancestors().take_while(|it| !it.as_os_str().is_empty() && !it.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        self.folders.extend(missing.into_iter().rev());
        fs::create_dir_all(folder)?;
        let mut new = Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        let former = file.symlink_metadata().is_ok().then(|| second_name(file)).transpose()?;
        Ok(Part { new, former })
    }

    fn place(&mut self, file: &Path, part: Part) -> io::Result<()> {
        part.new.persist(file)?;
        self.files.push((file.to_owned(), part.former));
        Ok(())
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        if self.is_whole {
            return;
        }
        // Nothing more can be done about an error here, and the first one is reported.
        for (file, former) in self.files.drain(..).rev() {
            let _stays = match former {
                Some(former) => former.persist(file).map_err(io::Error::from),
                None => fs::remove_file(file),
            };
        }
        for folder in self.folders.iter().rev() {
            // A folder in which another process has put something stays.
            let _stays = fs::remove_dir(folder);
        }
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives an existing file a second name, under which it outlasts its replacement; a copy where the file system has no
/// hard links.
fn second_name(file: &Path) -> io::Result<TempPath> {
    let link = |name: &Path| match fs::hard_link(file, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => fs::copy(file, name).map(drop),
        done => done,
    };
    Ok(Builder::new().make_in(folder_of(file), link)?.into_temp_path())
}

fn definition(wishes: &Wishes) -> String {
    let mut lines = vec![
        "# Benchmarks of this project, and the options with which they are measured where none are typed:"
            .to_owned(),
        format!("# fauxplat suite --commits HEAD~1,HEAD {}", shell_words::quote(wishes.suite())),
        "[defaults.suite]".to_owned(),
    ];
    let mut option = |name: &str, value: Option<String>| {
        lines.extend(value.map(|value| format!("{name} = {}", Value::String(value))));
    };
    option("build", wishes.build.clone());
    option("margin", wishes.margin.clone());
    option("max-time", wishes.max_time.clone());
    let fail_if = match wishes.fail_if {
        FailIf::Slower => Some("slower"),
        FailIf::SlowerUndecided => Some("slower,undecided"),
        FailIf::None => None,
    };
    option("fail-if", fail_if.map(str::to_owned));
    if let Subject::Commands(commands) = &wishes.subject {
        for benchmark in commands {
            let [name, command] =
                [&benchmark.name, &benchmark.command].map(|text| Value::String(text.clone()).to_string());
            lines.push(format!("\n[[benchmark]]\nname = {name}\ncommand = {command}"));
        }
    }
    lines.join("\n") + "\n"
}

/// A text as a scalar of YAML, quoted unless it is plain.
fn in_yaml(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    match !text.starts_with('-') && text.chars().all(is_plain) {
        true => text.to_owned(),
        // GitHub evaluates `${{` in every string, so the two characters are separated.
        false => format!("'{}'", text.replace('\'', "''").replace("${{", "$ {{")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(paths: &[&str]) -> Vec<Written> {
        paths.iter().map(|path| Written { path: path.into(), text: "new".into() }).collect()
    }

    /// The names of all files below a folder, those of temporary files included.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A file that cannot be written, as on a full disk, is the last of several here.
    #[test]
    fn an_error_while_files_are_written_leaves_none_of_them() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("there"), "old").unwrap();
        let files = written(&["new", "deep/er/new", "there", "there/below"]);
        let error = write(folder.path(), &files, true).unwrap_err().to_string();
        assert!(error.contains("there/below"), "{error}");
        assert_eq!(names(folder.path()), ["there"]);
        assert_eq!(fs::read_to_string(folder.path().join("there")).unwrap(), "old");
    }

    /// A folder is in the place of a file only once the files before it have theirs.
    #[test]
    fn an_error_while_files_are_put_in_their_places_takes_them_back() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("there"), "old").unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
        let files = written(&["new", "there", "link", "sub/new", "late", "late/below"]);
        let error = write(folder.path(), &files, true).unwrap_err().to_string();
        assert!(error.contains("late"), "{error}");
        assert_eq!(names(folder.path()), ["link", "there"]);
        assert_eq!(fs::read_to_string(folder.path().join("there")).unwrap(), "old");
        assert_eq!(fs::read_link(folder.path().join("link")).unwrap(), Path::new("nowhere"));
        write(folder.path(), &written(&["new", "there", "link"]), true).unwrap();
        assert_eq!(names(folder.path()), ["link", "new", "there"]);
        assert_eq!(fs::read_to_string(folder.path().join("link")).unwrap(), "new");
    }
}
