//! Figures about the code: its amount, the lengths of its parts, and circles between files.

use std::fmt::Write as _;
use std::path::Path;

use super::circles;
use super::code::{Crate, Module, Role};
use super::functions::{self, Function};

/// Number of lines above which a file is listed.
const LONG_FILE_LINES: usize = 500;

/// Numbers of lines of one or several crates, by the role of their files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    source: usize,
    test: usize,
    aside: usize,
}

impl Lines {
    fn of(module: &Module) -> Self {
        match module.role {
            Role::Source => {
                Lines { source: module.lines - module.test_lines, test: module.test_lines, aside: 0 }
            }
            Role::Test => Lines { test: module.lines, ..Lines::default() },
            Role::Aside => Lines { aside: module.lines, ..Lines::default() },
        }
    }

    fn and(self, other: Self) -> Self {
        Lines {
            source: self.source + other.source,
            test: self.test + other.test,
            aside: self.aside + other.aside,
        }
    }
}

pub(super) fn text(crates: &[Crate]) -> String {
    let mut text = String::new();
    lines(crates, &mut text);
    lengths(&functions::functions(crates), &mut text);
    long_files(crates, &mut text);
    let pairs: Vec<String> = crates
        .iter()
        .flat_map(circles::circles)
        .map(|(a, b)| format!("  {} and {}\n", a.display(), b.display()))
        .collect();
    list("pairs of files of one crate that use each other", &pairs, &mut text);
    text
}

fn lines(crates: &[Crate], text: &mut String) {
    let row = |name: &str, Lines { source, test, aside }, text: &mut String| {
        let ratio = test as f64 / source.max(1) as f64;
        let _ = writeln!(text, "{name:<20} {source:>8} {test:>8} {ratio:>8.2} {aside:>8}");
    };
    let _ = writeln!(text, "{:<20} {:>8} {:>8} {:>8} {:>8}", "lines of", "source", "tests", "ratio", "aside");
    let (mut product, mut all, mut cli) = (Lines::default(), Lines::default(), 0);
    for one in crates {
        let own = one.modules.iter().map(Lines::of).fold(Lines::default(), Lines::and);
        row(&one.folder.display().to_string(), own, text);
        all = all.and(own);
        if one.folder != Path::new("xtask") {
            product = product.and(own);
        }
        if one.folder == Path::new("crates/cli") {
            cli = own.source;
        }
    }
    row("crates and lib", product, text);
    row("all", all, text);
    let _ = writeln!(text, "aside: examples, benches, build scripts\n\ncli without tests: {cli} lines\n");
}

/// A percentile of sorted values: the smallest value that is not exceeded by at least this percentage of the values.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

fn lengths(functions: &[Function], text: &mut String) {
    let mut sorted: Vec<usize> = functions.iter().map(|function| function.lines).collect();
    sorted.sort_unstable();
    let _ = writeln!(
        text,
        "functions outside of tests: {}, of {} lines in the median, {} at the 90th percentile",
        sorted.len(),
        percentile(&sorted, 50),
        percentile(&sorted, 90)
    );
    if let Some(Function { name, path, line, lines }) = functions.iter().max_by_key(|function| function.lines)
    {
        let _ = writeln!(text, "the longest: `{name}` of {lines} lines, {}:{line}", path.display());
    }
    text.push('\n');
}

fn long_files(crates: &[Crate], text: &mut String) {
    let modules = crates.iter().flat_map(|one| &one.modules);
    let long: Vec<String> = modules
        .filter(|module| module.lines > LONG_FILE_LINES)
        .map(|module| format!("  {} {}\n", module.path.display(), module.lines))
        .collect();
    list(&format!("files over {LONG_FILE_LINES} lines"), &long, text);
}

fn list(title: &str, rows: &[String], text: &mut String) {
    let _ = writeln!(text, "{title}: {}", rows.len());
    rows.iter().for_each(|row| text.push_str(row));
}

#[cfg(test)]
mod tests {
    use super::super::code::tests::planted;
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        assert_eq!(
            (percentile(&[1, 2, 3, 4], 50), percentile(&[1, 2, 3, 4], 90), percentile(&[], 50)),
            (2, 4, 0)
        );
        assert_eq!(percentile(&(1..=100).collect::<Vec<_>>(), 90), 90);
    }

    #[test]
    fn lines_of_tests_are_those_of_their_files_and_modules() {
        let modules = vec![
            planted("src/lib.rs", "fn a() {\n}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n"),
            planted("tests/c.rs", "fn c() {}\n"),
            planted("examples/d.rs", "fn d() {}\nfn e() {}\n"),
        ];
        let cli = Crate { folder: "crates/cli".into(), modules: vec![planted("src/main.rs", "fn f() {}\n")] };
        let text = text(&[Crate { folder: "crates/a".into(), modules }, cli]);
        assert!(text.contains("cli without tests: 1 lines"), "{text}");
        let row = |name: &str| {
            text.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
        };
        assert_eq!(row("crates/a"), ["crates/a", "2", "5", "2.50", "2"]);
        assert_eq!(row("crates and lib")[3..], ["3", "5", "1.67", "2"]);
        assert!(text.contains("functions outside of tests: 2, of 1 lines in the median, 2 at"), "{text}");
        assert!(text.contains("the longest: `a` of 2 lines, crates/a/src/lib.rs:1"), "{text}");
        assert!(text.contains("files over 500 lines: 0") && text.contains("use each other: 0"), "{text}");
    }
}
