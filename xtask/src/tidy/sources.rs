//! Checks the form of every module: its first line, its length, and that no work is put off.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ChoreError;
use crate::violation::Violation;

/// Maximum number of lines of a module that states no reason for its length.
const LENGTH_MAX: usize = 500;

/// The only reason for which a test may be ignored.
const STARTED_BY_A_TEST: &str = concat!("#[ig", "nore = \"started by the test below");

/// Beginning of the line in which a longer module states the reason.
const REASON: &str = "//! Length: ";

/// Folder of the root in which cargo builds by default.
const BUILT: &str = "target";

/// Folders of the root without modules of the workspace.
const WITHOUT_MODULES: [&str; 2] = ["labs", "fixtures"];

/// Name of the file that cargo puts into every build directory, wherever that is.
const BUILT_HERE: &str = "CACHEDIR.TAG";

/// Words that put work off, and the attribute that hides a test. Each is written in two halves, so that this file does
/// not contain it.
const PUT_OFF: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("#[ig", "nore"),
];

/// Checks every `.rs` file of the workspace.
pub(super) fn check(root: &Path) -> Result<Vec<Violation>, ChoreError> {
    let mut violations = Vec::new();
    for path in modules(root)? {
        let text = fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
        violations.extend(module(path.strip_prefix(root).unwrap_or(&path), &text));
    }
    Ok(violations)
}

pub(super) fn modules(root: &Path) -> Result<Vec<PathBuf>, ChoreError> {
    files(root, "rs", &WITHOUT_MODULES)
}

/// Paths of all files with this extension below the root, without build products, hidden folders, and the folders
/// `without` of the root.
pub(super) fn files(root: &Path, kind: &str, without: &[&str]) -> Result<Vec<PathBuf>, ChoreError> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(ChoreError::at(&folder))? {
            let path = entry.map_err(ChoreError::at(&folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_left_out = name == BUILT || without.contains(&name.as_ref());
            let skipped = name.starts_with('.') || folder == root && is_left_out;
            if path.is_dir() && !skipped && !path.join(BUILT_HERE).exists() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == kind) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn module(path: &Path, text: &str) -> Vec<Violation> {
    let put_off = text.lines().enumerate().filter_map(|(index, line)| delayed(path, index + 1, line));
    put_off.chain(first_line(path, text)).chain(length(path, text)).collect()
}

fn first_line(path: &Path, text: &str) -> Option<Violation> {
    let says = text.lines().next().and_then(|line| line.strip_prefix("//!"));
    says.is_none_or(|words| words.trim().is_empty()).then(|| {
        Violation::new(
            path,
            Some(1),
            "the module does not begin with `//!`",
            "say in the first line what it is for",
        )
    })
}

fn length(path: &Path, text: &str) -> Option<Violation> {
    let lines = text.lines().count();
    let reason = |line: &str| line.strip_prefix(REASON).is_some_and(|reason| !reason.trim().is_empty());
    (lines > LENGTH_MAX && !text.lines().any(reason)).then(|| {
        let cure = format!("split it, or state why not in a line `{REASON}…`");
        Violation::new(path, None, format!("the module has {lines} lines, more than {LENGTH_MAX}"), cure)
    })
}

fn delayed(path: &Path, line: usize, text: &str) -> Option<Violation> {
    // The body of a process that another test starts is no test itself, and cannot be left out in any other way.
    if text.trim_start().starts_with(STARTED_BY_A_TEST) {
        return None;
    }
    let word = PUT_OFF.iter().find(|word| text.contains(**word))?;
    let what = format!("`{word}` puts work off");
    Some(Violation::new(path, Some(line), what, "do it now, or file an issue and delete the line"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        module(Path::new("a.rs"), text).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_tidy_module_is_accepted() {
        assert_eq!(found("//! Adds numbers.\n\nfn add() {}\n"), Vec::<String>::new());
    }

    #[test]
    fn a_module_says_first_what_it_is_for() {
        let expected = "a.rs:1: the module does not begin with `//!`; say in the first line what it is for";
        for text in ["", "fn add() {}\n", "\n//! Late.\n", "//!\n", "// Plain.\n"] {
            assert_eq!(found(text), [expected], "{text:?}");
        }
    }

    #[test]
    fn a_long_module_needs_a_reason() {
        let long = |lines: usize, extra: &str| format!("//! Long.\n{extra}{}", "x\n".repeat(lines - 1));
        assert_eq!(found(&long(500, "")), Vec::<String>::new());
        let refused = found(&long(501, ""));
        assert!(
            refused.len() == 1 && refused[0].starts_with("a.rs: the module has 501 lines"),
            "{refused:?}"
        );
        assert_eq!(found(&long(501, "//! Length: one table.\n")), Vec::<String>::new());
        assert_eq!(found(&long(501, "//! Length: \n")).len(), 1);
    }

    #[test]
    fn work_that_is_put_off_is_found_with_its_line() {
        for word in PUT_OFF {
            let lines = found(&format!("//! A.\nfn a() {{\n    // {word}\n}}\n"));
            assert_eq!(
                lines,
                [format!("a.rs:3: `{word}` puts work off; do it now, or file an issue and delete the line")]
            );
        }
    }

    #[test]
    fn every_folder_is_searched_but_those_without_modules() {
        let root = tempfile::tempdir().unwrap();
        let plant = |path: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "fn main() {}\n").unwrap();
        };
        ["crates/a/src/b/c.rs", "crates/a/build.rs", "fuzz/f.rs", "crates/target/t.rs"]
            .into_iter()
            .for_each(plant);
        ["target/x.rs", ".git/x.rs", "labs/l/x.rs", "fixtures/x.rs", "crates/a/src/notes.txt"]
            .into_iter()
            .for_each(plant);
        let mut paths: Vec<_> = check(root.path()).unwrap().into_iter().map(|found| found.path).collect();
        paths.sort();
        let expected = ["crates/a/build.rs", "crates/a/src/b/c.rs", "crates/target/t.rs", "fuzz/f.rs"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }

    #[test]
    fn a_missing_root_is_an_error_with_its_path() {
        let error = check(Path::new("/nonexistent")).unwrap_err();
        assert!(error.to_string().starts_with("/nonexistent: "), "{error}");
    }
}
