//! Writes the files by which a project measures its changes.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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

/// Writes all files; writes none if one of them exists and `force` is false.
pub(crate) fn write(folder: &Path, files: &[Written], force: bool) -> Result<(), InitError> {
    // A symbolic link without a target counts as existing.
    let is_there = |it: &&Written| folder.join(&it.path).symlink_metadata().is_ok();
    if let (false, Some(there)) = (force, files.iter().find(is_there)) {
        return Err(InitError::IsThere(folder.join(&there.path)));
    }
    files.iter().try_for_each(|it| {
        let file = folder.join(&it.path);
        put(&file, &it.text).map_err(|source| InitError::Unwritable { file, source })
    })
}

/// Writes a file atomically, with the permissions that any new file gets.
fn put(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut part = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    part.write_all(text.as_bytes())?;
    part.as_file().sync_all()?;
    part.persist(file)?;
    Ok(())
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
