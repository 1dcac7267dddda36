//! Builds the release binary: small, and static, so that it runs where no library is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{done, folder, has, write};
use crate::cargo;
use crate::error::ChoreError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    X86_64,
    Arm64,
}

impl Target {
    pub(super) const HERE: Target = if cfg!(target_arch = "x86_64") { Target::X86_64 } else { Target::Arm64 };

    pub(super) fn name(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64",
            Target::Arm64 => "aarch64",
        }
    }

    /// Target triple of rustc. For the GNU target, the build script of the command links statically.
    fn triple(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64-unknown-linux-gnu",
            Target::Arm64 => "aarch64-unknown-linux-musl",
        }
    }
}

/// Limit for the size of the program in bytes. The aim is twelve million bytes, but no single part is so large that
/// leaving it out would reach that: see size.txt in records/2026-11-25-epyc-2cpu. Suites, commits and causes have added
/// three million since.
const BYTES_MAX: u64 = 20_500_000;

/// Builds the program with the profile `archive` and returns its path; the inner error is the reason why it cannot be
/// built here.
///
/// # Errors
/// Fails if the build fails, or if the built program needs libraries or is too large.
pub(super) fn build(target: Target) -> Result<Result<PathBuf, String>, ChoreError> {
    if target == Target::X86_64 && !cfg!(target_arch = "x86_64") {
        return Ok(Err("it is built on a machine of its own kind".to_owned()));
    }
    let mut build = cargo::cargo();
    build.args(["build", "--profile", "archive", "--quiet", "--package", "fauxplat-cli"]);
    let built = match target {
        Target::X86_64 => cargo::target()?.join("archive/fauxplat"),
        Target::Arm64 => {
            if let Err(why) = prepare_arm64(&mut build)? {
                return Ok(Err(why));
            }
            cargo::target()?.join(target.triple()).join("archive/fauxplat")
        }
    };
    let status = build.status().map_err(ChoreError::at("cargo"))?;
    if !status.success() {
        return Err(ChoreError::Cargo(format!("build for {}", target.triple())));
    }
    check(target, built).map(Ok)
}

/// Prepares a build for arm64; the inner error is the reason why that is not possible. Rust's own linker needs no cross
/// compiler, but SQLite and zstd are written in C.
fn prepare_arm64(build: &mut Command) -> Result<Result<(), String>, ChoreError> {
    let triple = Target::Arm64.triple();
    if !cargo::has_target(triple)? {
        return Ok(Err(format!("no Rust for {triple} here, and rustup cannot add it")));
    }
    build.args(["--target", triple]);
    if std::env::var_os("CC_aarch64_unknown_linux_musl").is_some() || has("aarch64-linux-musl-gcc") {
        return Ok(Ok(()));
    }
    let Some(zig) = zig() else {
        let why = "SQLite needs a C compiler for arm64: aarch64-linux-musl-gcc, zig (`pip install ziglang`), or \
                   CC_aarch64_unknown_linux_musl";
        return Ok(Err(why.to_owned()));
    };
    build.env("CC_aarch64_unknown_linux_musl", zig_cc(zig)?);
    // The `ar` of this machine will do, since archives do not depend on the architecture.
    build.env("AR_aarch64_unknown_linux_musl", "ar");
    Ok(Ok(()))
}

/// Command that runs zig, an installed one or that of the Python package `ziglang`; `None` where there is neither.
fn zig() -> Option<&'static str> {
    let packaged = || Command::new("python3").args(["-c", "import ziglang"]).output();
    match has("zig") {
        true => Some("zig"),
        false => packaged().is_ok_and(|it| it.status.success()).then_some("python3 -m ziglang"),
    }
}

/// Writes a wrapper of `zig cc` that drops the option `--target`, and returns its path: zig has other names for
/// targets, and rejects those that builds of C code in cargo pass on.
fn zig_cc(zig: &str) -> Result<PathBuf, ChoreError> {
    let path = folder()?.join("zig-cc-arm64");
    write(
        &path,
        &format!(
            "#!/bin/sh\nfor word; do shift; case $word in --target=*) ;; *) set -- \"$@\" \"$word\" ;; esac; done\n\
             exec {zig} cc -target aarch64-linux-musl \"$@\"\n"
        ),
    )?;
    done(Command::new("chmod").arg("755").arg(&path))?;
    Ok(path)
}

/// Checks that two programs are static and small: the one at `built`, whose path is returned, and `fauxplat-blink`
/// beside it.
fn check(target: Target, built: PathBuf) -> Result<PathBuf, ChoreError> {
    check_one(target, &built.with_file_name("fauxplat-blink"))?;
    check_one(target, &built)?;
    Ok(built)
}

fn check_one(target: Target, built: &Path) -> Result<(), ChoreError> {
    let bytes = fs::read(built).map_err(ChoreError::at(built))?;
    let refuse = |why: String| Err(ChoreError::Dist(format!("{}: {why}", built.display())));
    if needs_loader(&bytes) {
        return refuse(
            "it needs a loader and libraries: are libc.a and its like installed (libc6-dev)?".into(),
        );
    }
    let size = bytes.len() as u64;
    let name = built.file_name().unwrap_or_default().display();
    println!("{name} for {}: {:.1} MB", target.name(), size as f64 / 1e6);
    match size <= BYTES_MAX {
        true => Ok(()),
        false => refuse(format!("{size} bytes are more than {BYTES_MAX}")),
    }
}

/// Whether a 64-bit ELF file names a loader (`PT_INTERP`), see elf(5).
fn needs_loader(elf: &[u8]) -> bool {
    const PT_INTERP: u64 = 3;
    let number = |at: usize, size: usize| {
        let bytes = elf.get(at..at + size).unwrap_or_default();
        bytes.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    let (first, size, count) = (number(32, 8) as usize, number(54, 2) as usize, number(56, 2) as usize);
    (0..count).any(|header| number(first + header * size, 4) == PT_INTERP)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program of this test is linked dynamically, and so names a loader; a shell script does not.
    #[test]
    fn a_loader_is_seen() {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(needs_loader(&own), cfg!(not(target_feature = "crt-static")));
        assert!(!needs_loader(b"#!/bin/sh\n"));
    }
}
