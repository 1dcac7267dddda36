//! Completions as the shells offer them.

use std::path::Path;

use crate::common::{Done, Lab};

/// The words that bash offers to complete the last of these words.
fn offered(lab: &Lab, words: &[&str]) -> Vec<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_fauxplat")).parent().unwrap().display().to_string();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let line = format!(
        "PATH={binary}:$PATH; source <(fauxplat completions bash); COMP_WORDS=({}); COMP_CWORD={last}; \
         _fauxplat fauxplat '{}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words[last]
    );
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &line]);
    lab.settle(&mut bash);
    Done::of(bash).ends_with(0).out.lines().map(str::to_owned).collect()
}

#[test]
fn names_are_offered_where_a_value_has_one() {
    let lab = Lab::new();
    let has = |words: &[&str], name: &str| {
        let offered = offered(&lab, words);
        assert!(offered.iter().any(|one| one == name), "{words:?} offers {offered:?}");
    };
    has(&["fauxplat", "comp"], "compare");
    has(&["fauxplat", "compare", "--metric", "peak"], "peak-memory");
    has(&["fauxplat", "run", "--tune", "qu"], "quiet");
    has(&["fauxplat", "run", "--load", "ll"], "llc");
    has(&["fauxplat", "run", "--format", "hyper"], "hyperfine-json-2");
    has(&["fauxplat", "doctor", "--explain", "tur"], "turbo");
    has(&["fauxplat", "lab", "run", "env"], "env-size");
    has(&["fauxplat", "history", "show", ""], "last");
    has(&["fauxplat", "run", "--cpu", "qui"], "quietest:1");
    has(&["fauxplat", "topo", "pick", "same"], "same-l3:0");
    has(&["fauxplat", "tune", "lat"], "latency");
    has(&["fauxplat", "load", "ll"], "llc");
    has(&["fauxplat", "lab", "show", "env"], "env-size");
    has(&["fauxplat", "history", "rm", ""], "last");
    has(&["fauxplat", "compare", "--baseline", ""], "last");
    has(&["fauxplat", "compare", "--fail-if", "slo"], "slower");
    has(&["fauxplat", "compare", "--conf"], "--confirm");
    has(&["fauxplat", "aa", "--metric", "peak"], "peak-memory");
    has(&["fauxplat", "aa", "--strata", "busy"], "busy-sibling");
    has(&["fauxplat", "doctor", "--fail-if", "tur"], "turbo");
}

/// Shells that are installed read their completions without an error, and the scripts ask for every kind of name.
#[test]
fn completions_are_printed_for_each_shell() {
    let lab = Lab::new();
    for (shell, only_read) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let text = Done::of(lab.bare(&["completions", shell])).succeeds().out;
        for kind in ["metrics", "knobs", "labs", "hazards", "runs", "loads", "relations", "formats"] {
            assert!(text.contains(&format!("fauxplat __words {kind} ")), "{shell} asks for no {kind}");
        }
        let script = lab.write(&format!("script.{shell}"), &text);
        match std::process::Command::new(shell).args([only_read, &script]).output() {
            Ok(read) => assert!(read.status.success() && read.stderr.is_empty(), "{shell}: {read:?}"),
            Err(error) => println!("skipped: {shell} is not installed ({error})"),
        }
    }
}

/// Stored experiments are offered by their numbers; without a store only `last` is offered.
#[test]
fn stored_runs_are_offered() {
    let lab = Lab::new();
    let mut command = lab.bare(&["run", "true", "--runs", "1"]);
    command.env("XDG_DATA_HOME", lab.folder());
    Done::of(command).succeeds();
    let mut command = lab.bare(&["__words", "runs"]);
    command.env("XDG_DATA_HOME", lab.folder());
    assert_eq!(Done::of(command).succeeds().out, "last\n1\n");
    let mut command = lab.bare(&["__words", "runs"]);
    command.env("XDG_DATA_HOME", "/dev/null");
    assert_eq!(Done::of(command).succeeds().out, "last\n");
}
