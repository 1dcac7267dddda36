//! Ansible, which writes the answer of each host to a file (`ansible --tree`).

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fauxplat_sys::files::open_regular;
use serde_json::Value;

use super::call::{Call, HOSTS, words};
use crate::FleetError;
use crate::ask::{ask, one_line};
use crate::wire::TEXT_BYTES_MAX;

const HINT: &str = "install ansible, or name another engine after --on";

/// Returns the hosts of an inventory, which Ansible lists on indented lines below the number of hosts.
pub(super) fn hosts(inventory: &str) -> Result<Vec<String>, FleetError> {
    let said = ask("ansible", &["-i", inventory, "all", "--list-hosts"], HINT)?;
    Ok(listed(&said))
}

fn listed(said: &str) -> Vec<String> {
    said.lines()
        .filter(|line| line.starts_with("    "))
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

pub(super) fn copy(to: &Call<'_>, from: &str, there: &str) -> Vec<String> {
    let argument = serde_json::json!({"src": from, "dest": there, "mode": "0700"}).to_string();
    call(to, &["-m", "copy", "-a", &argument])
}

pub(super) fn run(to: &Call<'_>, line: &str) -> Vec<String> {
    let argument = serde_json::json!({"cmd": line}).to_string();
    call(to, &["-m", "shell", "-a", &argument, "-t", to.answers])
}

/// Returns the command line that runs a shell line on the hosts without a folder for answers, since its output would
/// overwrite the answers there.
pub(super) fn clean(to: &Call<'_>, line: &str) -> Vec<String> {
    let argument = serde_json::json!({"cmd": line}).to_string();
    call(to, &["-m", "shell", "-a", &argument])
}

fn call(to: &Call<'_>, rest: &[&str]) -> Vec<String> {
    let fan = to.fan.to_string();
    let mut all = words(&["ansible", "-i", to.inventory, HOSTS, "-o", "-f", &fan]);
    all.extend(words(rest));
    all
}

/// Size and modification time (seconds and nanoseconds) of each host's file at the last read, so that an unchanged file
/// is not read again.
#[derive(Debug, Default)]
pub(super) struct Trees(HashMap<PathBuf, (u64, i64, i64)>);

impl Trees {
    /// Passes the lines of a host's output to `add`, unless its file is unchanged. A file that is still being written
    /// is skipped.
    pub(super) fn said(&mut self, file: &Path, add: &mut dyn FnMut(&str)) {
        let Ok(facts) = fs::metadata(file) else { return };
        let now = (facts.len(), facts.mtime(), facts.mtime_nsec());
        if self.0.insert(file.to_owned(), now) == Some(now) {
            return;
        }
        let Some(told) = told(file) else { return };
        let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
        let all = [text("stdout"), text("stderr"), text("msg")].join("\n");
        all.lines().filter(|line| !line.trim().is_empty()).for_each(add);
    }
}

/// Returns the JSON document that Ansible wrote for a host; `None` if the file cannot be read, is incomplete, or is
/// longer than any answer of a host.
fn told(file: &Path) -> Option<Value> {
    let mut bytes = Vec::new();
    open_regular(file).ok()?.take(2 * TEXT_BYTES_MAX as u64).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Returns why a host gave no answer: the error output of its shell, or else Ansible's message; `None` if there is no
/// message.
pub(super) fn complaint(folder: &Path, node: &str) -> Option<String> {
    let told = told(&folder.join(node))?;
    let text = |name: &str| told[name].as_str().and_then(one_line);
    text("stderr").or_else(|| text("module_stderr")).or_else(|| text("msg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_stand_below_their_number() {
        assert_eq!(listed("  hosts (2):\n    n1\n    n2\n"), ["n1", "n2"]);
        assert!(listed("  hosts (0):\n[WARNING]: no inventory\n").is_empty());
    }

    #[test]
    fn every_host_has_a_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("n1"), r#"{"rc":0,"stdout":"a\nb","stderr":""}"#).unwrap();
        fs::write(folder.path().join("n2"), r#"{"msg":"unreachable","unreachable":true}"#).unwrap();
        fs::write(folder.path().join("n3"), r#"{"stdout":"ha"#).unwrap();
        let mut trees = Trees::default();
        let mut said = Vec::new();
        let mut hear = |node: &str| {
            trees.said(&folder.path().join(node), &mut |line| said.push(format!("{node} {line}")));
        };
        ["n1", "n2", "n3", "n4", "n1"].into_iter().for_each(&mut hear);
        fs::write(folder.path().join("n3"), r#"{"stdout":"half"}"#).unwrap();
        hear("n3");
        assert_eq!(said, ["n1 a", "n1 b", "n2 unreachable", "n3 half"], "each says it once");
    }

    #[test]
    fn a_host_that_gave_nothing_says_why_itself() {
        let folder = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            fs::write(folder.path().join("n1"), text).unwrap();
            complaint(folder.path(), "n1")
        };
        let said =
            of(r#"{"rc":91,"stdout":"","stderr":"no program was shipped\n","msg":"non-zero return code"}"#);
        assert_eq!(said.as_deref(), Some("no program was shipped"));
        assert_eq!(of(r#"{"msg":"unreachable","unreachable":true}"#).as_deref(), Some("unreachable"));
        assert_eq!((of("{"), complaint(folder.path(), "n2")), (None, None));
    }

    /// The argument of a module is JSON, so that Ansible parses no part of it as another argument. The argument
    /// contains no pair of braces, which Jinja would interpret.
    #[test]
    fn arguments_are_one_word() {
        let to = Call { inventory: "hosts.ini", fan: 64, answers: "/a b" };
        let words = run(&to, "p=x; \"$p\" node");
        let argument = &words[words.iter().position(|word| word == "-a").unwrap() + 1];
        assert_eq!(serde_json::from_str::<Value>(argument).unwrap()["cmd"], "p=x; \"$p\" node");
        assert!(words.windows(2).any(|pair| pair == ["-t", "/a b"]));
    }
}
