//! The workflow in `docs/ci`: its steps are run as a runner would run them, except those that need the runner's
//! service.

use std::path::Path;

use crate::common::{Done, Lab};

/// The name and the script of each step that runs something.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let (mut steps, mut name) = (Vec::<(String, String)>::new(), String::new());
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        if let Some(found) = text.strip_prefix("- name: ") {
            name = found.to_owned();
        }
        let Some(script) = text.strip_prefix("run: ") else { continue };
        let depth = line.len() - text.len();
        let mut script = if script == "|" { String::new() } else { script.to_owned() };
        while let Some(more) = lines.next_if(|more| more.len() - more.trim_start().len() > depth) {
            script += more.trim_start();
            script.push('\n');
        }
        steps.push((name.clone(), script));
    }
    steps
}

/// A repository with a program in two versions, the second of which sleeps for the given time.
fn repository(lab: &Lab, sleeps: &str) {
    let program =
        |sleeps: &str| format!("printf '#!/bin/sh\\nsleep {sleeps}\\n' > make-it && chmod +x make-it");
    lab.shell(&format!(
        "mkdir repository && cd repository && git init -q . && git config user.email a@b && git config user.name a && {} && \
         git add . && git commit -qm one && {} && git commit -qam two",
        program("0.005"),
        program(sleeps)
    ));
}

fn run(lab: &Lab, script: &str) -> Done {
    let bin = Path::new(env!("CARGO_BIN_EXE_fauxplat")).parent().unwrap().display().to_string();
    let mut shell = std::process::Command::new("bash");
    shell.args(["-e", "-c", &format!("export PATH={bin}:$PATH\n{script}")]);
    lab.settle(&mut shell);
    shell.current_dir(lab.path("repository"));
    shell.envs([("BASE", "HEAD~1"), ("BUILD", "cp make-it program"), ("PROGRAM", "./program")]);
    shell.envs([("ARGUMENTS", "input"), ("GITHUB_STEP_SUMMARY", "summary.md")]);
    Done::of(shell)
}

#[test]
fn the_workflow_fails_a_change_that_is_slower_and_reports_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci/compare.yml");
    let steps = steps(&std::fs::read_to_string(folder).unwrap());
    assert_eq!(steps.len(), 6, "{steps:?}");
    for (sleeps, expected) in [("0.05", 1), ("0.002", 0)] {
        let lab = Lab::new();
        repository(&lab, sleeps);
        for (name, script) in steps.iter().filter(|(name, _)| name != "comment") {
            let code = if name == "compare" { expected } else { 0 };
            let done = run(&lab, script);
            assert_eq!(done.code, Some(code), "{name}: {done:?}");
        }
        let summary = lab.read("repository/summary.md");
        assert!(summary.contains("`change`") && summary.contains("`base`"), "{summary}");
        let junit = lab.read("repository/comparison.xml");
        assert_eq!(junit.contains("<failure"), expected == 1, "{junit}");
    }
}
