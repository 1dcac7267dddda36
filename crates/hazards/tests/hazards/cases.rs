//! The cases of `cases.txt`: each hazard is present in one case at least and harmless in another, and each case is a
//! machine of its own.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;

use fauxplat_hazards::{HazardFinding, Severity, hazards};

use crate::fake::{folder, look, machine, one, write};

/// A hazard, the files of a machine, and the expected finding.
#[derive(Debug)]
struct Case {
    hazard: String,
    cpus: Option<String>,
    files: Vec<(String, String)>,
    /// Files that had other contents in the earlier capture.
    before: Vec<(String, String)>,
    level: Severity,
    /// Text that the value or the reason of the finding contains.
    says: String,
}

fn cases() -> Vec<Case> {
    let (mut texts, mut cases) = (BTreeMap::new(), Vec::<Case>::new());
    for line in include_str!("cases.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let file = || {
            let (name, text) = line.trim().split_once(" =").unwrap_or_else(|| panic!("no file: {line}"));
            let text = text.strip_prefix(' ').unwrap_or(text);
            (name.to_owned(), texts.get(text).cloned().unwrap_or_else(|| unescaped(text)))
        };
        match line.chars().next() {
            Some('$') => {
                let (name, text) = file();
                texts.insert(name, text);
            }
            Some(' ') => {
                let ((name, text), case) = (file(), cases.last_mut().expect("a case comes before its files"));
                match name.strip_prefix("before ") {
                    Some(name) => case.before.push((name.to_owned(), text)),
                    None => case.files.push((name, text)),
                }
            }
            _ => cases.push(heading(line)),
        }
    }
    cases
}

/// Parses the first line of a case: `NAME on CPU LIST: SEVERITY, words`.
fn heading(line: &str) -> Case {
    let (subject, expected) = line.split_once(": ").unwrap_or_else(|| panic!("no case: {line}"));
    let (level, says) = expected.split_once(", ").unwrap_or_else(|| panic!("no severity: {line}"));
    let level = Severity::ALL.into_iter().find(|known| known.name() == level);
    let (hazard, cpus) = match subject.split_once(" on CPU ") {
        Some((hazard, cpus)) => (hazard, Some(cpus.to_owned())),
        None => (subject, None),
    };
    Case {
        hazard: hazard.to_owned(),
        cpus,
        files: Vec::new(),
        before: Vec::new(),
        level: level.unwrap_or_else(|| panic!("no severity: {line}")),
        says: says.to_owned(),
    }
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0").replace("\\7", "\u{7}")
}

fn found(case: &Case) -> HazardFinding {
    let (before, after) = (machine(&case.files), machine(&case.files));
    for (name, text) in &case.before {
        write(before.path(), name, text.as_bytes());
    }
    one(&look(before.path(), after.path(), case.cpus.as_deref()), &case.hazard)
}

#[test]
fn each_case_is_found_as_it_is() {
    for case in cases() {
        let found = found(&case);
        assert_eq!(found.severity, case.level, "{case:?}: {found:?}");
        let parts = [found.value.clone(), found.reason.clone()];
        let said = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&case.says), "{said:?} is not what {case:?} expects");
    }
}

/// The hazard that a process shows by dangling symbolic links, which `cases.txt` cannot describe; it has a test of its
/// own.
const ELSEWHERE: &str = "perf-sampling";

#[test]
fn every_hazard_is_tried_present_and_not() {
    let cases = cases();
    for hazard in hazards() {
        let of_this = || cases.iter().filter(|case| case.hazard == hazard.name);
        let is_absent = |case: &Case| !case.level.is_present();
        assert!(of_this().any(is_absent), "no machine without {}", hazard.name);
        let is_present = of_this().any(|case| case.level.is_present());
        assert!(is_present || hazard.name == ELSEWHERE, "no machine with {}", hazard.name);
    }
}

#[test]
fn counters_that_others_hold_are_seen_by_their_links() {
    let stat = "7 (rustc) R 1 7 7 0 -1 0 0 0 0 0 40 10 0 0 20 0 1 0 5";
    let rate = ("proc/sys/kernel/perf_event_max_sample_rate", "100000");
    let root = machine(&[("proc/7/stat", stat), ("proc/7/fd/", ""), rate]);
    symlink("anon_inode:[perf_event]", root.path().join("proc/7/fd/3")).unwrap();
    let found = one(&look(root.path(), root.path(), None), ELSEWHERE);
    assert_eq!((found.severity, found.value.as_deref()), (Severity::Medium, Some("held by rustc")));
}

/// Hazards that no content of a file makes unknown: an environment has a size whatever its bytes, and a file is a job
/// by its name.
const ANY_BYTES: [&str; 2] = ["environment-size", "periodic-jobs"];

/// The hazard of which an empty file is the usual, harmless state.
const EMPTY_IS_USUAL: &str = "isolation";

/// The file that marks a machine as a guest. The test does not replace this file by garbage, since most hazards of
/// guests have no meaning on other machines.
const GUEST: &str = "sys/hypervisor/type";

#[test]
fn a_file_that_makes_no_sense_is_never_a_hazard() {
    let kept = folder();
    let wide = "-99999999999999999999999999 0-4294967295,9-1\n";
    let garbage: [&[u8]; 4] = [b"", b"\xff\xfe{[\x00\x01\x7f", wide.as_bytes(), &[b'x'; 1 << 20]];
    for (number, bytes) in garbage.iter().enumerate() {
        write(kept.path(), &number.to_string(), bytes);
        let nonsense = kept.path().join(number.to_string());
        for case in cases().iter().filter(|case| case.level.is_present() && case.hazard != "virtual-machine")
        {
            let root = machine(&case.files);
            case.files.iter().for_each(|(name, _)| replace(&root.path().join(name), &nonsense));
            let found = one(&look(root.path(), root.path(), case.cpus.as_deref()), &case.hazard);
            let means_something = ANY_BYTES.contains(&case.hazard.as_str())
                || (case.hazard == EMPTY_IS_USUAL && bytes.is_empty());
            let is_fine = means_something || !found.severity.is_present();
            assert!(is_fine, "{} with garbage {number}: {found:?}", case.hazard);
        }
    }
}

/// Replaces a file by a link to a file with nonsense.
fn replace(file: &Path, nonsense: &Path) {
    if file.is_file() && !file.ends_with(GUEST) {
        std::fs::remove_file(file).unwrap();
        symlink(nonsense, file).unwrap();
    }
}
