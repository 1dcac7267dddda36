//! Reads the crates of the workspace as syntax: files with their place in the tree of modules, and their parts for
//! tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::{Attribute, Item, ItemMod};

use crate::error::ChoreError;

/// Purpose of a file of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Part of the program.
    Source,
    /// Part of the crate's tests only.
    Test,
    /// An example, a bench or a build script.
    Aside,
}

pub(super) struct Module {
    /// Path of the file, from the root of the workspace.
    pub(super) path: PathBuf,
    /// Names of the modules from the root of the crate to this one; empty for the root itself, and for files that are
    /// no sources.
    pub(super) place: Vec<String>,
    pub(super) role: Role,
    pub(super) lines: usize,
    /// Number of lines in modules that are compiled only for tests.
    pub(super) test_lines: usize,
    /// Syntax of the file, without the modules that are compiled only for tests.
    pub(super) syntax: syn::File,
}

pub(super) struct Crate {
    /// Path of the crate's folder, from the root of the workspace.
    pub(super) folder: PathBuf,
    pub(super) modules: Vec<Module>,
}

/// Folder below `crates` that contains crates, and is no crate itself.
const VERBS: &str = "crates/verbs";

/// Reads all crates, each with those of the given files that are in its folder.
pub(super) fn read(root: &Path, files: &[PathBuf]) -> Result<Vec<Crate>, ChoreError> {
    let mut folders: Vec<PathBuf> = vec![PathBuf::from("xtask")];
    for place in
        ["crates", VERBS, "lib"].into_iter().filter(|place| *place != VERBS || root.join(place).is_dir())
    {
        let folder = root.join(place);
        for entry in fs::read_dir(&folder).map_err(ChoreError::at(&folder))? {
            folders.push(Path::new(place).join(entry.map_err(ChoreError::at(&folder))?.file_name()));
        }
    }
    folders.retain(|folder| folder != Path::new(VERBS));
    folders.sort();
    folders.into_iter().map(|folder| read_crate(root, folder, files)).collect()
}

fn read_crate(root: &Path, folder: PathBuf, files: &[PathBuf]) -> Result<Crate, ChoreError> {
    let mut own: Vec<PathBuf> =
        files.iter().filter_map(|file| Some(file.strip_prefix(root).ok()?.to_owned())).collect();
    own.retain(|file| file.starts_with(&folder));
    own.sort();
    let (mut modules, mut for_tests) = (Vec::new(), BTreeSet::new());
    for path in own {
        let whole = root.join(&path);
        let text = fs::read_to_string(&whole).map_err(ChoreError::at(&whole))?;
        let found = module(&folder, path, &text)
            .map_err(|error| ChoreError::Bench(format!("{}: {error}", whole.display())))?;
        for_tests.extend(found.1);
        modules.push(found.0);
    }
    for module in &mut modules {
        let is_below = |of: &Vec<String>| !of.is_empty() && module.place.starts_with(of);
        if module.role == Role::Source && for_tests.iter().any(is_below) {
            module.role = Role::Test;
        }
    }
    Ok(Crate { folder, modules })
}

/// Parses a file; also returns the places of modules that are separate files and compiled only for tests.
pub(super) fn module(
    folder: &Path,
    path: PathBuf,
    text: &str,
) -> Result<(Module, Vec<Vec<String>>), syn::Error> {
    let mut syntax = syn::parse_file(text)?;
    let below = path.strip_prefix(folder).unwrap_or(&path).to_owned();
    let (role, place) = role_of(&below);
    let mut tests = Tests::default();
    tests.take_from(&mut syntax.items, &place);
    let is_test = role == Role::Test || is_for_tests(&syntax.attrs);
    let role = if is_test { Role::Test } else { role };
    let module = Module { path, place, role, lines: text.lines().count(), test_lines: tests.lines, syntax };
    Ok((module, tests.files))
}

/// Role of a file and its place among the modules, by the path below the folder of its crate.
fn role_of(path: &Path) -> (Role, Vec<String>) {
    let mut names: Vec<String> =
        path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let role = match names.first().map(String::as_str) {
        Some("src") => Role::Source,
        Some("tests") => Role::Test,
        _ => Role::Aside,
    };
    if role != Role::Source {
        return (role, Vec::new());
    }
    names.remove(0);
    let is_root = names.len() == 1 && (names[0] == "lib" || names[0] == "main");
    if is_root || names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    (role, names)
}

/// Parts of a file that are compiled only for tests, collected while they are removed from the file's syntax.
#[derive(Default)]
struct Tests {
    lines: usize,
    files: Vec<Vec<String>>,
}

impl Tests {
    fn take_from(&mut self, items: &mut Vec<Item>, place: &[String]) {
        items.retain_mut(|item| {
            let attributes = attributes(item);
            if !is_for_tests(attributes) {
                if let Item::Mod(ItemMod { ident, content: Some((_, inner)), .. }) = item {
                    let place = [place, &[ident.to_string()]].concat();
                    self.take_from(inner, &place);
                }
                return true;
            }
            let first = attributes.first().map_or(item.span(), |attribute| attribute.span()).start().line;
            self.lines += item.span().end().line + 1 - first;
            if let Item::Mod(ItemMod { ident, content: None, .. }) = item {
                self.files.push([place, &[ident.to_string()]].concat());
            }
            false
        });
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        Item::Const(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        _ => &[],
    }
}

/// Whether one of the attributes is `#[test]`, or a `#[cfg(…)]` that holds only in tests.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let words = match &attribute.meta {
            syn::Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string(),
            meta => return meta.path().is_ident("test"),
        };
        let idents: Vec<&str> = words.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        idents.contains(&"test") && !idents.contains(&"not")
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a module of a made-up crate.
    pub(in super::super) fn planted(path: &str, text: &str) -> Module {
        module(Path::new("crates/a"), Path::new("crates/a").join(path), text).unwrap().0
    }

    #[test]
    fn a_file_has_a_role_and_a_place() {
        for (path, role, place) in [
            ("src/lib.rs", Role::Source, &[][..]),
            ("src/main.rs", Role::Source, &[]),
            ("src/b/mod.rs", Role::Source, &["b"]),
            ("src/b/c.rs", Role::Source, &["b", "c"]),
            ("tests/b/c.rs", Role::Test, &[]),
            ("examples/b.rs", Role::Aside, &[]),
            ("build.rs", Role::Aside, &[]),
        ] {
            let found = planted(path, "");
            assert_eq!(
                (found.role, found.place.as_slice()),
                (role, &place.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..]),
                "{path}"
            );
        }
    }

    #[test]
    fn what_is_compiled_for_tests_alone_is_taken_out_and_counted() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(all(test, unix))]\nmod more;\n#[cfg(not(test))]\nfn c() {}\n";
        let (found, files) = module(Path::new("x"), "x/src/d.rs".into(), text).unwrap();
        assert_eq!((found.lines, found.test_lines, found.syntax.items.len()), (9, 6, 2));
        assert_eq!(files, [["d", "more"]]);
        assert_eq!(planted("src/b.rs", "#![cfg(test)]\nfn a() {}\n").role, Role::Test);
    }

    #[test]
    fn a_module_that_a_parent_declares_for_tests_is_one_with_all_below_it() {
        let root = tempfile::tempdir().unwrap();
        let plant = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let files = [
            plant("crates/a/src/lib.rs", "#[cfg(test)]\nmod tests;\nmod b;\n"),
            plant("crates/a/src/tests.rs", "mod c;\n"),
            plant("crates/a/src/tests/c.rs", ""),
            plant("crates/a/src/b.rs", ""),
            plant("lib/z/src/lib.rs", ""),
        ];
        let crates = read(root.path(), &files).unwrap();
        let roles: Vec<Role> = crates[0].modules.iter().map(|module| module.role).collect();
        assert_eq!(roles, [Role::Source, Role::Source, Role::Test, Role::Test]);
        let broken = [plant("lib/z/src/lib.rs", "fn (")];
        let error = read(root.path(), &broken).err().unwrap().to_string();
        assert!(error.contains("lib/z/src/lib.rs: "), "{error}");
    }
}
