//! Finds circles between files of a crate: to understand either of two files that use each other, a reader needs both.
//!
//! A file uses another one if a path that begins with `crate`, `super` or `self` leads there, also through names that a
//! module on the way re-exports. A module and its submodules count as a unit, even if they are several files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Item, UseTree};

use super::code::{Crate, Module, Role};
use crate::violation::Violation;

/// Pairs of files that are allowed to form a circle. The list may only get shorter: an entry that is no longer a circle
/// is refused, and so is a circle that is not listed.
const STANDING: [(&str, &str); 0] = [];

/// A name in a module: the path to which it refers, relative to the module.
struct Name {
    path: Vec<String>,
    /// Whether modules above this one can use the name, too.
    is_public: bool,
}

/// Properties of a module that paths through it depend on: its file, names and re-exports.
#[derive(Default)]
struct ModuleFacts {
    file: PathBuf,
    names: BTreeMap<String, Name>,
    /// Paths of modules from which all names are imported.
    globs: Vec<Vec<String>>,
    items: BTreeSet<String>,
}

/// Two files that form a circle: one uses the other, and is used by it, directly or through other files.
pub(super) type Pair = (PathBuf, PathBuf);

/// Circles that are not in [`STANDING`], and entries of that list that are no circles.
pub(super) fn check(crates: &[Crate]) -> Vec<Violation> {
    let found: BTreeSet<Pair> = crates.iter().flat_map(circles).collect();
    compare(&found, &STANDING)
}

fn compare(found: &BTreeSet<Pair>, standing: &[(&str, &str)]) -> Vec<Violation> {
    let listed: BTreeSet<Pair> =
        standing.iter().map(|&(a, b)| ordered(PathBuf::from(a), PathBuf::from(b))).collect();
    let new = found.difference(&listed).map(|(a, b)| {
        let what = format!("it stands in a circle with {}", b.display());
        Violation::new(a, None, what, "move what both need into a file of its own, which uses neither")
    });
    let gone = listed.difference(found).map(|(a, b)| {
        let what = format!("it stands in no circle with {} any more", b.display());
        Violation::new(a, None, what, "take the pair out of the list in xtask/src/tidy/circles.rs")
    });
    new.chain(gone).collect()
}

fn ordered(a: PathBuf, b: PathBuf) -> Pair {
    if a <= b { (a, b) } else { (b, a) }
}

/// Pairs of files of a crate that use each other.
pub(super) fn circles(of: &Crate) -> BTreeSet<Pair> {
    let sources = || of.modules.iter().filter(|module| module.role == Role::Source);
    let map: BTreeMap<&[String], ModuleFacts> =
        sources().map(|module| (module.place.as_slice(), place(module))).collect();
    let mut uses: BTreeMap<&[String], BTreeSet<Vec<String>>> = BTreeMap::new();
    for module in sources() {
        let mut paths = Paths::default();
        paths.visit_file(&module.syntax);
        let targets = paths.found.iter().map(|path| resolve(&map, &module.place, path, 0));
        let family =
            |other: &Vec<String>| other.starts_with(&module.place) || module.place.starts_with(other);
        uses.insert(&module.place, targets.flatten().filter(|other| !family(other)).collect());
    }
    let file = |place: &[String]| map.get(place).map(|known| known.file.clone()).unwrap_or_default();
    let edges = uses.iter().flat_map(|(&from, all)| all.iter().map(move |to| (from, to.as_slice())));
    let circular = edges.filter(|(from, to)| reaches(&uses, to, from));
    circular.map(|(from, to)| ordered(file(from), file(to))).collect()
}

/// Whether one module uses another, directly or through further modules.
fn reaches(uses: &BTreeMap<&[String], BTreeSet<Vec<String>>>, from: &[String], to: &[String]) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_vec()]);
    while let Some(place) = open.pop() {
        if place == to {
            return true;
        }
        if seen.insert(place.clone()) {
            open.extend(uses.get(place.as_slice()).into_iter().flatten().cloned());
        }
    }
    false
}

fn place(module: &Module) -> ModuleFacts {
    let mut known = ModuleFacts { file: module.path.clone(), ..ModuleFacts::default() };
    for item in &module.syntax.items {
        match item {
            Item::Use(it) => {
                let is_public = !matches!(it.vis, syn::Visibility::Inherited);
                flatten(&it.tree, &mut Vec::new(), &mut |path, alias| match alias {
                    Some(alias) => {
                        known.names.insert(alias, Name { path: path.to_vec(), is_public });
                    }
                    None => known.globs.push(path.to_vec()),
                });
            }
            Item::Struct(it) => drop(known.items.insert(it.ident.to_string())),
            Item::Enum(it) => drop(known.items.insert(it.ident.to_string())),
            Item::Fn(it) => drop(known.items.insert(it.sig.ident.to_string())),
            Item::Trait(it) => drop(known.items.insert(it.ident.to_string())),
            Item::Const(it) => drop(known.items.insert(it.ident.to_string())),
            Item::Static(it) => drop(known.items.insert(it.ident.to_string())),
            Item::Type(it) => drop(known.items.insert(it.ident.to_string())),
            _ => {}
        }
    }
    known
}

/// Calls `tell` with each path in a tree of `use`, and with the name that the path gets; without a name for `*`.
fn flatten(tree: &UseTree, path: &mut Vec<String>, tell: &mut impl FnMut(&[String], Option<String>)) {
    match tree {
        UseTree::Path(it) => {
            path.push(it.ident.to_string());
            flatten(&it.tree, path, tell);
            path.pop();
        }
        UseTree::Name(it) if it.ident == "self" => tell(path, path.last().cloned()),
        UseTree::Name(it) => {
            tell(&[path.as_slice(), &[it.ident.to_string()]].concat(), Some(it.ident.to_string()))
        }
        UseTree::Rename(it) => {
            tell(&[path.as_slice(), &[it.ident.to_string()]].concat(), Some(it.rename.to_string()));
        }
        UseTree::Glob(_) => tell(path, None),
        UseTree::Group(it) => it.items.iter().for_each(|item| flatten(item, path, tell)),
    }
}

/// Maximum number of names that may refer to one another in turn, since a chain of names could be endless.
const DEPTH_MAX: usize = 8;

/// The module to which a path in the module `base` leads; `None` if the path leaves this crate.
fn resolve(
    map: &BTreeMap<&[String], ModuleFacts>,
    base: &[String],
    path: &[String],
    depth: usize,
) -> Option<Vec<String>> {
    let (mut at, rest) = start(map, base, path)?;
    for (index, name) in rest.iter().enumerate() {
        let below = [at.as_slice(), std::slice::from_ref(name)].concat();
        if map.contains_key(below.as_slice()) {
            at = below;
            continue;
        }
        let known = map.get(at.as_slice())?;
        let has = |name: &&Name| depth < DEPTH_MAX && (name.is_public || base.starts_with(&at));
        if let Some(further) = known.names.get(name).filter(has) {
            let whole = [further.path.as_slice(), &rest[index + 1..]].concat();
            return resolve(map, &at, &whole, depth + 1).or(Some(at));
        }
        let defines = |glob: &&Vec<String>| {
            let target = resolve(map, &at, glob, depth + 1);
            target
                .and_then(|target| map.get(target.as_slice()))
                .is_some_and(|place| place.items.contains(name))
        };
        if depth < DEPTH_MAX
            && !known.items.contains(name)
            && let Some(glob) = known.globs.iter().find(defines)
        {
            return resolve(map, &at, glob, depth + 1);
        }
        break;
    }
    Some(at)
}

/// The module in which a path begins, and the rest of the path; `None` if the path begins outside of this crate.
fn start<'p>(
    map: &BTreeMap<&[String], ModuleFacts>,
    base: &[String],
    path: &'p [String],
) -> Option<(Vec<String>, &'p [String])> {
    let mut at = base.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => return Some((Vec::new(), &path[1..])),
        "self" => return Some((at, &path[1..])),
        "super" => {}
        first => {
            at.push(first.to_owned());
            return map.contains_key(at.as_slice()).then(|| (at, &path[1..]));
        }
    }
    while let Some((first, more)) = rest.split_first().filter(|(first, _)| *first == "super") {
        debug_assert_eq!(first, "super");
        at.pop();
        rest = more;
    }
    Some((at, rest))
}

/// Paths in a file that begin within its crate.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
    /// Number of modules within the file that enclose the present item.
    inside: usize,
}

impl Paths {
    fn note(&mut self, mut path: Vec<String>) {
        for _ in 0..self.inside {
            match path.first().map(String::as_str) {
                // In a module within the file, `super` leads to the file itself.
                Some("super") => drop(path.remove(0)),
                _ => break,
            }
            if path.first().is_none_or(|word| word != "super") {
                path.insert(0, "self".to_owned());
            }
        }
        if path.first().is_some_and(|word| ["crate", "super", "self"].contains(&word.as_str())) {
            self.found.push(path);
        }
    }

    /// Records the paths in a macro, which the parser leaves as tokens: names joined by `::`.
    fn note_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(word) if path.is_empty() || colons == 2 => path.push(word.to_string()),
                TokenTree::Ident(word) => {
                    self.note(std::mem::replace(&mut path, vec![word.to_string()]));
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && colons < 2 && !path.is_empty() => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.note(std::mem::take(&mut path));
                    self.note_tokens(group.stream());
                }
                _ => self.note(std::mem::take(&mut path)),
            }
            colons = 0;
        }
        self.note(path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut paths = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut |path, _| paths.push(path.to_vec()));
        paths.into_iter().for_each(|path| self.note(path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.note(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.note_tokens(mac.tokens.clone());
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.inside += 1;
        visit::visit_item_mod(self, module);
        self.inside -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::tests::planted;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let modules = files.iter().map(|(path, text)| planted(&format!("src/{path}"), text)).collect();
        let of = Crate { folder: "crates/a".into(), modules };
        let name = |path: PathBuf| path.strip_prefix("crates/a/src").unwrap().display().to_string();
        circles(&of).into_iter().map(|(a, b)| (name(a), name(b))).collect()
    }

    fn pair(a: &str, b: &str) -> (String, String) {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn files_that_use_each_other_are_found_whatever_the_path_looks_like() {
        for text in [
            "use crate::c::X;",
            "use super::c::X;",
            "use super::{c::X, d};",
            "use super::c::*;",
            "fn f() -> crate::c::X { crate::c::X }",
            "fn f() { assert!(a == (1, super::c::x())); }",
            "mod inner { use super::super::c::X; }",
            "use crate::X;",
            "use super::Y;",
        ] {
            let root = "mod b; mod c; pub use c::X; use c::X as Y;";
            let circle = found(&[("lib.rs", root), ("b.rs", text), ("c.rs", "use crate::b::f; struct X;")]);
            assert_eq!(circle, [pair("b.rs", "c.rs")], "{text}");
        }
    }

    #[test]
    fn names_that_a_parent_takes_as_a_whole_are_traced() {
        let root = "mod b; mod c; pub use c::*;";
        let circle =
            found(&[("lib.rs", root), ("b.rs", "use crate::X;"), ("c.rs", "use crate::b::f; pub struct X;")]);
        assert_eq!(circle, [pair("b.rs", "c.rs")]);
    }

    #[test]
    fn longer_circles_are_found_and_what_leads_into_one_is_none() {
        let circle = found(&[
            ("lib.rs", "mod b; mod c; mod d; mod e;"),
            ("b.rs", "use crate::c::X;"),
            ("c.rs", "use crate::d::X;"),
            ("d.rs", "use crate::b::X;"),
            ("e.rs", "use crate::b::X;"),
        ]);
        assert_eq!(circle, [pair("b.rs", "c.rs"), pair("b.rs", "d.rs"), pair("c.rs", "d.rs")]);
    }

    #[test]
    fn parents_children_tests_and_strangers_are_no_circles() {
        let files = [
            ("lib.rs", "mod b; mod c; use b::X;"),
            ("b/mod.rs", "mod d; use d::Y; struct X;"),
            ("b/d.rs", "use super::X; use crate::b::X as Z;"),
            (
                "c.rs",
                "use crate::b::X; use std::b; fn f() { b::g(); }\n#[cfg(test)]\nmod tests { use crate::b::X; }",
            ),
            ("b/e.rs", "#[cfg(test)]\nmod tests { use crate::c::f; }"),
        ];
        assert_eq!(found(&files), []);
    }

    #[test]
    fn the_list_holds_what_stands_and_nothing_else() {
        let circle: BTreeSet<Pair> = [(PathBuf::from("a"), PathBuf::from("b"))].into();
        assert_eq!(compare(&circle, &[("b", "a")]), []);
        let new = compare(&circle, &[])[0].to_string();
        assert!(new.starts_with("a: it stands in a circle with b; "), "{new}");
        let gone = compare(&BTreeSet::new(), &[("a", "b")])[0].to_string();
        assert!(gone.contains("stands in no circle with b any more; take the pair out"), "{gone}");
    }
}
