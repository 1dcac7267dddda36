//! `init`: the files that it writes for a project, and that these measure what was asked for.

use std::os::unix::fs::PermissionsExt;

use crate::common::{Done, Lab};

/// A repository of two revisions, the second of which sleeps for 200 ms.
fn repository(lab: &Lab) {
    lab.shell(
        "mkdir p && cd p && git init -q . && git config user.email a@b && git config user.name a && \
         printf 'all:\\n\\tcp make-it program && chmod +x program\\n' > Makefile && \
         printf '#!/bin/sh\\nsleep 0.002\\n' > make-it && git add . && git commit -qm one && \
         printf '#!/bin/sh\\nsleep 0.2\\n' > make-it && git commit -qam two",
    );
}

fn within(lab: &Lab, words: &[&str]) -> Done {
    let mut command = lab.bare(words);
    command.current_dir(lab.path("p"));
    Done::of(command)
}

const INIT: [&str; 5] = ["init", "--benchmark", "sleep 'it'=./program \"x\"", "--ci", "github,gitlab"];

#[test]
fn what_init_writes_finds_the_change() {
    let lab = Lab::new();
    repository(&lab);
    let done = within(&lab, &INIT).ends_with(0);
    assert!(done.err.contains("try: fauxplat suite --commits HEAD~1,HEAD fauxplat.toml"), "{done:?}");
    let text = lab.read("p/fauxplat.toml");
    assert!(text.contains("build = \"make\"") && text.contains("fail-if = \"slower\""), "{text}");
    let mode = |file: &str| lab.path(file).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("p/fauxplat.toml"), mode("p/Makefile"), "the permissions of any new file");
    let gate = within(&lab, &["suite", "--commits", "HEAD~1,HEAD", "--store", "none", "fauxplat.toml"]);
    assert_eq!(gate.code, Some(1), "{gate:?}");
    assert!(gate.out.contains("sleep 'it'"), "{gate:?}");
}

#[test]
fn nothing_is_replaced_unless_that_is_asked_for() {
    let lab = Lab::new();
    repository(&lab);
    lab.shell("mkdir -p p/.github/workflows && echo mine > p/.github/workflows/fauxplat.yml");
    within(&lab, &INIT).complains(2, &["fauxplat.yml is there already", "--force"]);
    assert!(!lab.path("p/fauxplat.toml").exists() && !lab.path("p/ci").exists(), "all or nothing");
    within(&lab, &[&INIT[..], &["--force"]].concat()).ends_with(0);
    assert!(lab.read("p/.github/workflows/fauxplat.yml").contains("ci/fauxplat.sh install"));
    within(&lab, &["init", "--folder", "/dev/null", "--program", "./b"])
        .complains(3, &["/dev/null/fauxplat.toml"]);
}

#[test]
fn what_is_measured_has_to_be_said() {
    let lab = Lab::new();
    repository(&lab);
    within(&lab, &["init"]).complains(2, &["--benchmark NAME=COMMAND", "--program"]);
    within(&lab, &["init", "--benchmark", "sort"]).complains(2, &["no NAME=COMMAND"]);
    within(&lab, &["init", "--benchmark", "a=b", "--benchmark", "a=c"])
        .complains(2, &["two benchmarks are called `a`"]);
    within(&lab, &["init", "--benchmark", "a=b", "--max-time", "5"]).complains(2, &["unit"]);
    assert!(!lab.path("p/fauxplat.toml").exists());
}

/// A program with characters that a shell would execute, or that a YAML reader would treat specially, stays one word.
#[test]
fn a_program_with_quotes_is_one_word_of_the_job() {
    let lab = Lab::new();
    repository(&lab);
    let program = "./bench --filter='a: b' # $(touch pwned) ${{ github.token }}";
    within(&lab, &["init", "--program", program, "--ci", "github", "--fail-if", "none"]).ends_with(0);
    let job = lab.read("p/.github/workflows/fauxplat.yml");
    let line = job.lines().find(|line| line.contains("FAUXPLAT_SUITE")).unwrap();
    assert_eq!(
        line.trim(),
        "FAUXPLAT_SUITE: './bench --filter=''a: b'' # $(touch pwned) $ {{ github.token }}'"
    );
    assert!(!lab.read("p/fauxplat.toml").contains("fail-if"));
}
