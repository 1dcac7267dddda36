//! The list of tests in virtual machines: scripts whose head says what the test shows, in which shapes it runs, and how
//! long it may take.

use std::fs;
use std::path::Path;

use crate::error::ChoreError;

/// A script in `vm/tests`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Test {
    /// Name of the script's file, without the extension.
    pub(super) name: String,
    /// Statement that holds if the test passes.
    pub(super) title: String,
    /// Names of the shapes of guests in which the test runs.
    pub(super) shapes: Vec<String>,
    /// Time limit in seconds, by the clock of the guest.
    pub(super) seconds: u64,
    /// Packages of the workspace whose tests the script runs.
    pub(super) packages: Vec<String>,
}

/// Reads all tests of a folder, in order of their time limits, so that as many as possible have run when the time is
/// up.
pub(super) fn read(folder: &Path) -> Result<Vec<Test>, ChoreError> {
    let mut tests = Vec::new();
    for entry in fs::read_dir(folder).map_err(ChoreError::at(folder))? {
        let path = entry.map_err(ChoreError::at(folder))?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|ending| ending == "sh") {
            let text = fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
            tests.push(parse(&name, &text)?);
        }
    }
    tests.sort_by_key(|test| (test.seconds, test.name.clone()));
    Ok(tests)
}

fn parse(name: &str, text: &str) -> Result<Test, ChoreError> {
    let lacks = |what: &str| {
        ChoreError::Bench(format!("vm/tests/{name}.sh: its head has no {what}, see vm/README.md"))
    };
    let head = || text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    let words = |key: &str| -> Vec<String> {
        let values = head().filter_map(|line| line.strip_prefix(key));
        values.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let title =
        head().nth(1).filter(|line| !line.is_empty()).ok_or_else(|| lacks("title in its second line"))?;
    let seconds = words("seconds:").first().and_then(|number| number.parse().ok());
    let shapes = words("shapes:");
    Ok(Test {
        name: name.to_owned(),
        title: title.trim_end_matches('.').to_owned(),
        shapes: if shapes.is_empty() { return Err(lacks("line `# shapes: …`")) } else { shapes },
        seconds: seconds.ok_or_else(|| lacks("line `# seconds: N`"))?,
        packages: words("packages:"),
    })
}

/// Tests that are named, by their own names or by a shape; all tests if there are no names.
pub(super) fn choose(tests: Vec<Test>, names: &[&str]) -> Result<Vec<Test>, ChoreError> {
    let known = |name: &str| {
        tests.iter().any(|test| test.name == name || test.shapes.iter().any(|shape| shape == name))
    };
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(ChoreError::Bench(format!("{unknown} is neither a test in vm/tests nor a shape of one")));
    }
    Ok(tests.into_iter().filter_map(|test| narrow(test, names)).collect())
}

/// The test, restricted to the shapes that are named; with all its shapes if the test itself or nothing is named.
/// `None` if no shape remains.
fn narrow(mut test: Test, names: &[&str]) -> Option<Test> {
    if !names.is_empty() && !names.contains(&test.name.as_str()) {
        test.shapes.retain(|shape| names.contains(&shape.as_str()));
    }
    (!test.shapes.is_empty()).then_some(test)
}

/// Tests of each shape: the shapes in order of their names, and the tests in the given order.
pub(super) fn by_shape(tests: &[Test]) -> Vec<(String, Vec<Test>)> {
    let mut shapes: Vec<&String> = tests.iter().flat_map(|test| &test.shapes).collect();
    shapes.sort_unstable();
    shapes.dedup();
    let of = |shape: &String| tests.iter().filter(|test| test.shapes.contains(shape)).cloned().collect();
    shapes.into_iter().map(|shape| (shape.clone(), of(shape))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "#!/bin/sh\n# Siblings are n and n+12.\n# shapes: x86-numa x86-v1\n# seconds: 20\n\nset -e\n# seconds: 3\n";

    fn test(name: &str, shapes: &[&str]) -> Test {
        let shapes = shapes.iter().map(|&shape| shape.to_owned()).collect();
        Test { name: name.into(), title: String::new(), shapes, seconds: 1, packages: vec![] }
    }

    #[test]
    fn reads_the_head() {
        let expected = Test {
            title: "Siblings are n and n+12".into(),
            seconds: 20,
            ..test("cpus", &["x86-numa", "x86-v1"])
        };
        assert_eq!(parse("cpus", SCRIPT).unwrap(), expected);
    }

    #[test]
    fn says_what_the_head_lacks() {
        for (cut, word) in [("# shapes: x86-numa x86-v1\n", "shapes"), ("# seconds: 20\n", "seconds")] {
            let error = parse("cpus", &SCRIPT.replace(cut, "")).unwrap_err().to_string();
            assert!(error.contains("vm/tests/cpus.sh") && error.contains(word), "{error}");
        }
    }

    #[test]
    fn chooses_by_test_and_by_shape() {
        let all = vec![test("a", &["x", "y"]), test("b", &["y"])];
        assert_eq!(choose(all.clone(), &[]).unwrap(), all);
        assert_eq!(choose(all.clone(), &["a"]).unwrap(), [test("a", &["x", "y"])]);
        assert_eq!(choose(all.clone(), &["y"]).unwrap(), [test("a", &["y"]), test("b", &["y"])]);
        assert!(choose(all, &["z"]).unwrap_err().to_string().contains('z'));
    }

    #[test]
    fn every_test_of_the_repository_has_a_head_and_known_shapes() {
        let vm = crate::cargo::root().join("vm");
        let tests = read(&vm.join("tests")).unwrap();
        assert!(!tests.is_empty());
        for shape in tests.iter().flat_map(|test| &test.shapes) {
            assert!(shape == super::super::HOST || vm.join("shapes").join(shape).is_file(), "{shape}");
        }
    }
}
