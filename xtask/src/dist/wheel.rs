//! Makes the Python wheel that contains the program: `pip install` puts the program beside the other programs of an
//! environment. See "Binary distribution format" in the Python Packaging User Guide.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Target, commit_time, done, folder, fresh, install, program, workspace, write};
use crate::error::ChoreError;

/// Writes the wheel for the architecture of this machine, and prints its path.
pub(crate) fn wheel() -> Result<(), ChoreError> {
    let has_packer = Command::new("python3").args(["-m", "wheel", "version"]).output();
    if !has_packer.is_ok_and(|it| it.status.success()) {
        return Err(ChoreError::Skipped("python3 has no module `wheel` here (pip install wheel)"));
    }
    let program = program::build(Target::HERE)?.map_err(ChoreError::Dist)?;
    println!("{}", package(Target::HERE, &program)?.display());
    Ok(())
}

/// Lays out the files of the wheel and packs them; returns its path. The module `wheel` writes the list of files with
/// their digests.
pub(super) fn package(target: Target, program: &Path) -> Result<PathBuf, ChoreError> {
    let (tree, version) = (fresh("wheel")?, env!("CARGO_PKG_VERSION"));
    let data = tree.join(format!("fauxplat-{version}.data"));
    // Installers put the content of `scripts` beside the interpreter, and that of `data` into the folder of the
    // environment.
    install(target, program, &data.join("data"), "")?;
    let (bin, scripts) = (data.join("data/bin"), data.join("scripts"));
    fs::rename(&bin, scripts).map_err(ChoreError::at(&bin))?;
    let facts = tree.join(format!("fauxplat-{version}.dist-info"));
    write(&facts.join("METADATA"), &metadata(version)?)?;
    write(&facts.join("WHEEL"), &tags(target))?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let to = facts.join("licenses");
        fs::create_dir_all(&to).map_err(ChoreError::at(&to))?;
        super::copy(&workspace().join(licence), &to.join(licence))?;
    }
    done(Command::new("chmod").arg("-R").arg("u+w,go-w,a+rX").arg(&tree))?;
    let mut pack = Command::new("python3");
    pack.args(["-m", "wheel", "pack"]).arg(&tree).arg("--dest-dir").arg(folder()?);
    done(pack.env("SOURCE_DATE_EPOCH", commit_time()))?;
    Ok(folder()?.join(format!("fauxplat-{version}-{}.whl", tag(target))))
}

/// Platforms that the wheel names: a static program runs with every C library, so these are the oldest platform of
/// each.
fn platforms(target: Target) -> [String; 2] {
    ["manylinux_2_17", "musllinux_1_1"].map(|platform| format!("{platform}_{}", target.name()))
}

fn tag(target: Target) -> String {
    format!("py3-none-{}", platforms(target).join("."))
}

fn tags(target: Target) -> String {
    let tags = platforms(target).map(|platform| format!("Tag: py3-none-{platform}\n")).concat();
    format!("Wheel-Version: 1.0\nGenerator: cargo xtask wheel\nRoot-Is-Purelib: false\n{tags}")
}

fn metadata(version: &str) -> Result<String, ChoreError> {
    let readme = workspace().join("README.md");
    let readme = fs::read_to_string(&readme).map_err(ChoreError::at(&readme))?;
    Ok(format!(
        "Metadata-Version: 2.1\nName: fauxplat\nVersion: {version}\n\
         Summary: performance laboratory: is it really faster, and what moved the number\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3.7\nClassifier: Environment :: Console\n\
         Classifier: Operating System :: POSIX :: Linux\nClassifier: Topic :: System :: Benchmark\n\
         Description-Content-Type: text/markdown\n\n{readme}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_and_its_tags_agree() {
        for target in [Target::X86_64, Target::Arm64] {
            let (tag, tags) = (tag(target), tags(target));
            let platforms = tag.strip_prefix("py3-none-").unwrap();
            for platform in platforms.split('.') {
                assert!(tags.lines().any(|line| line == format!("Tag: py3-none-{platform}")), "{tags}");
            }
            assert_eq!(tags.matches("Tag: ").count(), platforms.split('.').count());
        }
    }

    #[test]
    fn the_metadata_has_what_an_index_asks_for() {
        let text = metadata("1.2.3").unwrap();
        let (head, body) = text.split_once("\n\n").unwrap();
        for field in ["Metadata-Version", "Name", "Version", "Summary", "License"] {
            assert!(head.lines().any(|line| line.starts_with(&format!("{field}: "))), "{head}");
        }
        assert!(body.starts_with("# "), "{body}");
    }
}
