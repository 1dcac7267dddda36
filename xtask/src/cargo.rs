//! Runs cargo and reads its output.
#![expect(clippy::disallowed_methods, reason = "the chores start cargo and measure nothing")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::error::ChoreError;

pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// A command that runs the cargo by which this program was started, so that the toolchain is the same.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Metadata of the workspace's packages, as cargo reports it, without dependencies.
pub(crate) fn metadata() -> Result<Value, ChoreError> {
    let words = "metadata --format-version 1 --no-deps";
    let output = cargo().args(words.split(' ')).stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(ChoreError::at("cargo"))?;
    if !output.status.success() {
        return Err(ChoreError::Cargo(words.into()));
    }
    serde_json::from_slice(&output.stdout).map_err(|_| ChoreError::Metadata("JSON"))
}

/// Builds and runs a program of a package.
pub(crate) fn run(package: &str, target: &[&str], arguments: &[impl AsRef<OsStr>]) -> Result<(), ChoreError> {
    let mut run = cargo();
    run.args(["run", "--quiet", "--package", package]).args(target).arg("--").args(arguments);
    let status = run.status().map_err(ChoreError::at("cargo"))?;
    let failed = || ChoreError::Cargo(format!("run --package {package} {}", target.join(" ")));
    status.success().then_some(()).ok_or_else(failed)
}

/// Builds and runs one test program of a package in release mode.
pub(crate) fn run_test(package: &str, name: &str, arguments: &[&str]) -> Result<(), ChoreError> {
    let mut test = cargo();
    test.args(["test", "--release", "--quiet", "--package", package, "--test", name, "--"]).args(arguments);
    let status = test.status().map_err(ChoreError::at("cargo"))?;
    let failed = || ChoreError::Cargo(format!("test --package {package} --test {name}"));
    status.success().then_some(()).ok_or_else(failed)
}

pub(crate) fn target() -> Result<PathBuf, ChoreError> {
    let known = metadata()?;
    let folder = known["target_directory"].as_str().ok_or(ChoreError::Metadata("a target directory"))?;
    Ok(PathBuf::from(folder))
}

/// Builds an example in release mode and returns its path.
pub(crate) fn build_example(package: &str, name: &str) -> Result<PathBuf, ChoreError> {
    let words = ["build", "--release", "--quiet", "--package", package, "--example", name];
    let status = cargo().args(words).status().map_err(ChoreError::at("cargo"))?;
    match status.success() {
        true => Ok(target()?.join("release/examples").join(name)),
        false => Err(ChoreError::Cargo(words.join(" "))),
    }
}

/// Builds the release binary of the command and returns its path.
pub(crate) fn build_release() -> Result<PathBuf, ChoreError> {
    let words = "build --release --quiet --package fauxplat-cli";
    let status = cargo().args(words.split(' ')).status().map_err(ChoreError::at("cargo"))?;
    match status.success() {
        true => Ok(target()?.join("release/fauxplat")),
        false => Err(ChoreError::Cargo(words.into())),
    }
}

/// Whether the standard library for a target is installed; if it is not, rustup gets a minute to install it.
pub(crate) fn has_target(triple: &str) -> Result<bool, ChoreError> {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).output();
    let folder = String::from_utf8_lossy(&output.map_err(ChoreError::at("rustc"))?.stdout).trim().to_owned();
    if Path::new(&folder).is_dir() {
        return Ok(true);
    }
    let mut add = Command::new("timeout");
    add.args(["60", "rustup", "target", "add", triple]).current_dir(root());
    Ok(add.output().is_ok_and(|output| output.status.success()))
}

/// A test program that cargo has built.
#[derive(Debug, Clone)]
pub(crate) struct Executable {
    /// Name of the crate's folder and of the target, such as `launch.spawner`; the unit tests of a library are called
    /// `launch.lib`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Folder in which cargo would start the program.
    pub(crate) folder: PathBuf,
}

/// Builds test programs without running them, and returns them.
pub(crate) fn build_tests(arguments: &[&str]) -> Result<Vec<Executable>, ChoreError> {
    let words = "test --no-run --quiet --message-format json-render-diagnostics";
    let output =
        cargo().args(words.split(' ')).args(arguments).stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(ChoreError::at("cargo"))?;
    if !output.status.success() {
        return Err(ChoreError::Cargo(format!("{words} {}", arguments.join(" "))));
    }
    let lines = output.stdout.split(|&byte| byte == b'\n');
    Ok(lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .filter_map(|line| executable(&line))
        .collect())
}

/// The test program that a message of cargo reports; `None` for other messages. See "External tools" in the book of
/// cargo.
fn executable(message: &Value) -> Option<Executable> {
    let (path, target) = (message["executable"].as_str()?, &message["target"]);
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let is_library = target["kind"].as_array()?.iter().any(|kind| kind == "lib");
    let part = if is_library { "lib" } else { target["name"].as_str()? };
    let name = format!("{}.{part}", folder.file_name()?.to_string_lossy());
    Some(Executable { name, path: path.into(), folder: folder.to_owned() })
}
