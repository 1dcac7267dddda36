//! Runs property tests with other seeds and more cases than `make test` does.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use serde_json::Value;

use crate::cargo::{self, root};
use crate::error::ChoreError;

/// Number of cases for a test that does not set a number itself.
const CASES: u32 = 5_000;

/// Runs the property tests of the named packages, or of every package that uses proptest, with a new seed, which is
/// printed so that a failure can be repeated.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let (mut cases, mut packages) = (CASES, Vec::new());
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--cases" => {
                let given = words.next().and_then(|cases| cases.parse().ok());
                cases = given.ok_or(ChoreError::Usage(super::USAGE))?;
            }
            option if option.starts_with('-') => return Err(ChoreError::Usage(super::USAGE)),
            package => packages.push(package.to_owned()),
        }
    }
    let packages = if packages.is_empty() { drawing()? } else { packages };
    let seed = RandomState::new().hash_one(std::process::id());
    println!("PROPTEST_RNG_SEED={seed} PROPTEST_CASES={cases} for {}", packages.join(", "));
    let mut test = cargo::cargo();
    test.args(["test", "--quiet"]).args(packages.iter().flat_map(|package| ["--package", package]));
    test.env("PROPTEST_RNG_SEED", seed.to_string()).env("PROPTEST_CASES", cases.to_string());
    let status = test.status().map_err(ChoreError::at("cargo"))?;
    status.success().then_some(()).ok_or_else(|| ChoreError::Cargo(format!("test, with the seed {seed}")))
}

/// Names of the packages of the workspace that depend on proptest.
fn drawing() -> Result<Vec<String>, ChoreError> {
    let known = cargo::metadata()?;
    let packages = known["packages"].as_array().ok_or(ChoreError::Metadata("a list of packages"))?;
    let draws = |package: &&Value| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let is_ours =
            package["manifest_path"].as_str().is_some_and(|path| Path::new(path).starts_with(root()));
        is_ours && dependencies.into_iter().any(|one| one["name"] == "proptest")
    };
    let names = packages.iter().filter(draws).filter_map(|package| package["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}
