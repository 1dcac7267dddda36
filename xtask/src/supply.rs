//! Checks of the supply chain and the packages: advisories, licences and bans of dependencies, unused dependencies,
//! misspelt words, documentation with warnings, and packages that could be published.
#![expect(clippy::disallowed_methods, reason = "a chore starts programs")]

use std::process::Command;

use crate::cargo::{self, root};
use crate::error::ChoreError;

/// Names of the published crates, each after those on which it depends.
const PUBLISHED: [&str; 5] =
    ["fauxplat-units", "fauxplat-stats", "fauxplat-procfs", "fauxplat-table", "fauxplat-region"];

/// Each check: its name, the words after `cargo`, and the crate that provides the subcommand if cargo itself does not.
const CHECKS: [(&str, &[&str], Option<&str>); 3] = [
    ("advisories, licences, bans", &["deny", "--all-features", "check"], Some("cargo-deny")),
    ("dependencies that nothing uses", &["shear"], Some("cargo-shear")),
    ("documentation", &["doc", "--workspace", "--no-deps", "--locked", "--quiet"], None),
];

/// Runs every check whose tool is installed; after a failed check, the others still run.
pub(crate) fn run() -> Result<(), ChoreError> {
    let mut failed = Vec::new();
    let mut missing = Vec::new();
    for (name, words, tool) in CHECKS {
        let mut check = cargo::cargo();
        check.args(words).env("RUSTDOCFLAGS", "-D warnings");
        tell(name, tool, &mut check, (&mut failed, &mut missing))?;
    }
    let mut spelling = Command::new("typos");
    tell("spelling", Some("typos-cli"), &mut spelling, (&mut failed, &mut missing))?;
    let mut packages = cargo::cargo();
    packages.args(["package", "--locked", "--quiet", "--allow-dirty"]);
    packages.args(PUBLISHED.iter().flat_map(|name| ["--package", name]));
    tell(
        "packages of the libraries, each built from its own files",
        None,
        &mut packages,
        (&mut failed, &mut missing),
    )?;
    match (failed.is_empty(), missing.is_empty()) {
        (false, _) => Err(ChoreError::Dist(format!("failed: {}", failed.join("; ")))),
        (true, false) => Err(ChoreError::Skipped("tools are missing, as said above")),
        (true, true) => Ok(()),
    }
}

/// Runs a check and prints its result; if its tool is missing, prints the command that installs the tool.
fn tell(
    name: &str,
    tool: Option<&str>,
    check: &mut Command,
    (failed, missing): (&mut Vec<String>, &mut Vec<String>),
) -> Result<(), ChoreError> {
    if let Some(tool) = tool.filter(|tool| !is_here(tool)) {
        println!("skipped  {name}: {tool} is not installed (cargo install --locked {tool})");
        missing.push(name.to_owned());
        return Ok(());
    }
    let program = check.get_program().display().to_string();
    let output = check.current_dir(root()).output().map_err(ChoreError::at(&program))?;
    if output.status.success() {
        println!("passed   {name}");
    } else {
        println!("FAILED   {name}");
        println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        failed.push(name.to_owned());
    }
    Ok(())
}

/// Whether the program of a tool is installed.
fn is_here(tool: &str) -> bool {
    let program = tool.strip_suffix("-cli").unwrap_or(tool);
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
