//! Builds programs for guests: fauxplat and the test programs of cargo, for this machine and for arm64.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{HOST, Shape};
use crate::cargo::{self, Executable, root};
use crate::error::ChoreError;

/// Target triple for guests of arm64. Programs are linked statically, since the guest has no libraries; see
/// `.cargo/config.toml` for the linker.
const ARM64: &str = "aarch64-unknown-linux-musl";

/// Files that guests of one architecture find in their folder `/job`.
#[derive(Debug, Clone, Default)]
pub(super) struct Artifacts {
    /// Test programs that cargo has built.
    tests: Vec<Executable>,
    /// Paths of small programs from `vm/guest`, each of a single source file.
    programs: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) struct Built {
    native: Artifacts,
    /// Files for guests of arm64; the error is the reason why these cannot be built.
    arm64: Result<Artifacts, String>,
}

/// Builds everything that the tests of these shapes need.
pub(super) fn build(shapes: &[Shape]) -> Result<Built, ChoreError> {
    let is_arm64 = |shape: &str| shape.starts_with("arm64");
    // The whole workspace is built, as in `make test`, so that nothing is compiled a second time with other features.
    let any_native = shapes.iter().any(|(shape, _)| shape != HOST && !is_arm64(shape));
    let mut tests = if any_native { cargo::build_tests(&["--workspace"])? } else { Vec::new() };
    if any_native {
        // The test program `kills` is built only when it is named, since it takes CPUs offline and changes the machine
        // on which it runs.
        tests.extend(cargo::build_tests(&["--workspace", "--test", "kills"])?);
    }
    let mut packages: Vec<&str> = shapes
        .iter()
        .filter(|(shape, _)| is_arm64(shape))
        .flat_map(|(_, tests)| tests)
        .flat_map(|test| &test.packages)
        .map(String::as_str)
        .collect();
    packages.sort_unstable();
    packages.dedup();
    let any_arm64 = shapes.iter().any(|(shape, _)| is_arm64(shape));
    let arm64 = if any_arm64 { build_arm64(&packages)? } else { Ok(Artifacts::default()) };
    Ok(Built { native: Artifacts { tests, programs: Vec::new() }, arm64 })
}

fn build_arm64(packages: &[&str]) -> Result<Result<Artifacts, String>, ChoreError> {
    if !cargo::has_target(ARM64)? {
        return Ok(Err(format!("no Rust for {ARM64} here, and rustup cannot add it")));
    }
    let mut words = vec!["--target", ARM64];
    words.extend(packages.iter().flat_map(|package| ["--package", package]));
    let tests = if packages.is_empty() { Vec::new() } else { cargo::build_tests(&words)? };
    Ok(Ok(Artifacts { tests, programs: vec![compile("known_count")?] }))
}

/// Compiles a program of a single file for arm64, and returns its path.
fn compile(name: &str) -> Result<PathBuf, ChoreError> {
    let folder = cargo::target()?.join("vm/programs");
    fs::create_dir_all(&folder).map_err(ChoreError::at(&folder))?;
    let out = folder.join(name);
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--target", ARM64, "-C", "linker=rust-lld", "-O", "-o"]);
    rustc.arg(&out).arg(root().join(format!("vm/guest/{name}.rs")));
    let status = rustc.status().map_err(ChoreError::at("rustc"))?;
    status
        .success()
        .then_some(out)
        .ok_or_else(|| ChoreError::Bench(format!("rustc cannot compile vm/guest/{name}.rs")))
}

impl Built {
    /// Fills the folder that a guest of this shape sees as `/job`; the inner error is the reason why the shape has
    /// nothing to run.
    pub(super) fn lay_out(&self, shape: &str, job: &Path) -> Result<Result<(), String>, ChoreError> {
        let artifacts = match (shape.starts_with("arm64"), &self.arm64) {
            (false, _) => &self.native,
            (true, Ok(arm64)) => arm64,
            (true, Err(why)) => return Ok(Err(why.clone())),
        };
        let (bin, programs) = (job.join("bin"), job.join("programs"));
        for folder in [&bin, &programs] {
            fs::create_dir_all(folder).map_err(ChoreError::at(folder))?;
        }
        artifacts.tests.iter().try_for_each(|test| write_starter(&bin, test))?;
        for program in &artifacts.programs {
            let copy = programs.join(program.file_name().unwrap_or_default());
            fs::copy(program, &copy).map_err(ChoreError::at(copy))?;
        }
        Ok(Ok(()))
    }
}

/// Writes a script that starts a test program in the folder of its crate, where its fixtures are. The script names the
/// root of the workspace, since insta would otherwise ask cargo for it, which a guest of another architecture lacks.
fn write_starter(bin: &Path, test: &Executable) -> Result<(), ChoreError> {
    let path = bin.join(&test.name);
    let (root, folder, program) = (root(), test.folder.display(), test.path.display());
    let text = format!(
        "#!/bin/sh\ncd '{folder}' && INSTA_WORKSPACE_ROOT='{}' INSTA_UPDATE=no exec '{program}' \"$@\"\n",
        root.display()
    );
    fs::write(&path, text).map_err(ChoreError::at(&path))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(ChoreError::at(&path))
}
