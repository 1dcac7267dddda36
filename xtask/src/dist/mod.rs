//! Makes the release artefacts: an archive for each architecture, a Debian package and a Python wheel. Two builds of
//! the same commit give the same bytes, since files are sorted and have the date of the commit.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a chore starts programs and prints"
)]

mod deb;
mod program;
mod root;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{self, root as workspace};
use crate::error::ChoreError;
pub(crate) use deb::deb;
use program::Target;
pub(crate) use root::installed;
pub(crate) use wheel::wheel;

/// Writes an archive for each architecture for which this machine can build, and prints the paths.
pub(crate) fn dist() -> Result<(), ChoreError> {
    for target in [Target::X86_64, Target::Arm64] {
        match program::build(target)? {
            Ok(program) => println!("{}", archive(target, &program)?.display()),
            Err(why) => println!("skipped  {}: {why}", target.name()),
        }
    }
    Ok(())
}

/// Builds the program for arm64, as guests of that architecture run it, and returns its path; the inner error is the
/// reason why it cannot be built here.
pub(crate) fn for_arm64() -> Result<Result<PathBuf, String>, ChoreError> {
    program::build(Target::Arm64)
}

/// Packs the program with everything that `make install` adds, the README, the licences and the changelog; returns the
/// path of the archive.
fn archive(target: Target, program: &Path) -> Result<PathBuf, ChoreError> {
    let name = format!("fauxplat-{}-{}-linux", env!("CARGO_PKG_VERSION"), target.name());
    let tree = fresh(&name)?;
    install(target, program, &tree, "")?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        copy(&workspace().join(file), &tree.join(file))?;
    }
    let archive = folder()?.join(format!("{name}.tar.gz"));
    let date = format!("--mtime=@{}", commit_time());
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go-w,go+rX", &date]);
    // Without `-n`, gzip would store a file name and a date, and two archives of the same commit would differ.
    tar.args(["--use-compress-program=gzip -9n", "-cf"]).arg(&archive);
    done(tar.arg("-C").arg(folder()?).arg(&name))?;
    Ok(archive)
}

/// Puts the program, manual pages, completions and labs below `destination`, where `make install` puts them. A program
/// for another architecture cannot print its manual pages here, so the program of this machine does, whose pages are
/// the same.
fn install(target: Target, program: &Path, destination: &Path, prefix: &str) -> Result<(), ChoreError> {
    let mut make = Command::new("make");
    make.args(["--silent", "--no-print-directory", "install-program"]).current_dir(workspace());
    make.arg(format!("BINARY={}", program.display()));
    if target != Target::HERE {
        let speaker = program::build(Target::HERE)?.map_err(ChoreError::Dist)?;
        make.arg(format!("SPEAKER={}", speaker.display()));
    }
    make.arg(format!("DESTDIR={}", destination.display()));
    done(make.arg(format!("PREFIX={prefix}")))
}

/// Path of the folder for all artefacts.
fn folder() -> Result<PathBuf, ChoreError> {
    Ok(cargo::target()?.join("dist"))
}

/// Makes an empty folder of this name among the artefacts, removing an existing one, and returns its path.
fn fresh(name: &str) -> Result<PathBuf, ChoreError> {
    let path = folder()?.join(name);
    if path.exists() {
        fs::remove_dir_all(&path).map_err(ChoreError::at(&path))?;
    }
    fs::create_dir_all(&path).map_err(ChoreError::at(&path))?;
    Ok(path)
}

fn copy(from: &Path, to: &Path) -> Result<(), ChoreError> {
    fs::copy(from, to).map(drop).map_err(ChoreError::at(from))
}

fn write(path: &Path, text: &str) -> Result<(), ChoreError> {
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(ChoreError::at(path))?;
    fs::write(path, text).map_err(ChoreError::at(path))
}

/// Date of all files in artefacts, as seconds since 1970: that of the commit.
fn commit_time() -> String {
    let time = said(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(workspace()));
    // A copy of the sources may lack the history of git; the date is then 1970.
    time.ok().filter(|time| !time.is_empty()).unwrap_or_else(|| "0".to_owned())
}

/// Runs a program, whose failure is an error.
fn done(command: &mut Command) -> Result<(), ChoreError> {
    said(command).map(drop)
}

/// Runs a program, whose failure is an error; returns its trimmed output.
fn said(command: &mut Command) -> Result<String, ChoreError> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(ChoreError::at(&name))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(ChoreError::Dist(format!("{name}: {}", text(&output.stderr)))),
    }
}

/// Whether a program is in `PATH` or in a folder for programs of root.
fn has(program: &str) -> bool {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&places).chain(["/usr/sbin".into(), "/sbin".into()]);
    places.any(|place| place.join(program).is_file())
}
