//! Man pages and completions, which the program writes from the definition of its command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cargo;
use crate::error::ChoreError;
use crate::violation::Violation;

/// A kind of file that the program writes into a directory.
#[derive(Clone, Copy)]
pub(crate) struct Product {
    /// The binaries of the command's package that write the files.
    programs: &'static [&'static str],
    /// The hidden verb by which the binaries write them.
    verb: &'static str,
    /// Name of the chore.
    chore: &'static str,
    /// The folder that holds the committed files, from the root of the workspace.
    folder: &'static str,
}

/// Man pages.
pub(crate) const MAN: Product =
    Product { programs: &["fauxplat", "fauxplat-blink"], verb: "__man", chore: "man", folder: "docs/man" };

/// Completions of the usual shells.
pub(crate) const COMPLETIONS: Product = Product {
    programs: &["fauxplat"],
    verb: "__completions",
    chore: "completions",
    folder: "docs/completions",
};

/// File names and contents of a flat folder.
type Files = BTreeMap<String, Vec<u8>>;

/// Replaces the committed files by those that the program writes.
pub(crate) fn write(product: Product) -> Result<(), ChoreError> {
    replace(&cargo::root().join(product.folder), &make(product)?)
}

fn replace(folder: &Path, made: &Files) -> Result<(), ChoreError> {
    for name in read(folder)?.keys().filter(|name| !made.contains_key(*name)) {
        let stale = folder.join(name);
        fs::remove_file(&stale).map_err(ChoreError::at(stale))?;
    }
    fs::create_dir_all(folder).map_err(ChoreError::at(folder))?;
    for (name, contents) in made {
        let path = folder.join(name);
        fs::write(&path, contents).map_err(ChoreError::at(path))?;
    }
    Ok(())
}

/// Fails when the committed files differ from those that the program writes.
pub(crate) fn check(product: Product) -> Result<(), ChoreError> {
    let violations = drift(product, &make(product)?, &read(&cargo::root().join(product.folder))?);
    if violations.is_empty() { Ok(()) } else { Err(ChoreError::Untidy(violations)) }
}

/// Writes the list of hazards, as `doctor` explains them.
pub(crate) fn hazards() -> Result<(), ChoreError> {
    let file = cargo::root().join("docs/hazards.md");
    let words = ["doctor", "--explain", "all", "--output"].map(AsRef::as_ref);
    cargo::run("fauxplat-cli", &[], &[&words[..], &[file.as_os_str()]].concat())
}

/// Lets the program write into a fresh folder below the target directory.
fn make(product: Product) -> Result<Files, ChoreError> {
    let metadata = cargo::metadata()?;
    let target = metadata["target_directory"].as_str().ok_or(ChoreError::Metadata("a target directory"))?;
    let folder = PathBuf::from(target).join("xtask").join(product.chore);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(ChoreError::at(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(ChoreError::at(&folder))?;
    for program in product.programs {
        cargo::run("fauxplat-cli", &["--bin", program], &[product.verb.as_ref(), folder.as_os_str()])?;
    }
    read(&folder)
}

/// The files of a folder; none when it does not exist.
fn read(folder: &Path) -> Result<Files, ChoreError> {
    let mut files = Files::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder).map_err(ChoreError::at(folder))? {
        let path = entry.map_err(ChoreError::at(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(&path).map_err(ChoreError::at(path))?);
    }
    Ok(files)
}

/// A violation for each committed file that is missing, left over or out of date.
fn drift(product: Product, made: &Files, kept: &Files) -> Vec<Violation> {
    let violation = |name: &String, what| {
        let path = Path::new(product.folder).join(name);
        Violation::new(path, None, what, format!("run `cargo xtask {}` and commit it", product.chore))
    };
    let stale = made.iter().filter_map(|(name, contents)| match kept.get(name) {
        None => Some(violation(name, "is missing")),
        Some(other) => (other != contents).then(|| violation(name, "is not what the program writes")),
    });
    let left = kept.keys().filter(|name| !made.contains_key(*name));
    stale.chain(left.map(|name| violation(name, "is written by nothing any more"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn drift_names_each_file() {
        let made = files(&[("a.1", "new"), ("b.1", "same"), ("c.1", "more")]);
        let kept = files(&[("a.1", "old"), ("b.1", "same"), ("d.1", "gone")]);
        let lines: Vec<String> = drift(MAN, &made, &kept).iter().map(Violation::to_string).collect();
        assert_eq!(
            lines,
            [
                "docs/man/a.1: is not what the program writes; run `cargo xtask man` and commit it",
                "docs/man/c.1: is missing; run `cargo xtask man` and commit it",
                "docs/man/d.1: is written by nothing any more; run `cargo xtask man` and commit it",
            ]
        );
        assert!(drift(MAN, &made, &made).is_empty());
    }

    #[test]
    fn a_folder_becomes_what_was_made() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("docs/man");
        for made in [files(&[("a.1", "old"), ("b.1", "gone")]), files(&[("a.1", "new"), ("c.1", "more")])] {
            replace(&folder, &made).unwrap();
            assert_eq!(read(&folder).unwrap(), made);
        }
    }
}
