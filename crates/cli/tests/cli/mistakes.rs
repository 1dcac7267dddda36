//! First mistakes: a line that is refused ends with the line that works.

use crate::common::{Done, Lab};

/// A line, and the line that its refusal proposes.
const MENDED: [(&str, &str); 43] = [
    ("run sort access.log", "fauxplat run 'sort access.log'"),
    ("run -- sort access.log", "fauxplat run 'sort access.log'"),
    ("run ls -l access.log", "fauxplat run 'ls -l access.log'"),
    ("run --runs 3 ls -x", "fauxplat run --runs 3 'ls -x'"),
    ("sleep 1", "fauxplat run 'sleep 1'"),
    ("ls", "fauxplat run ls"),
    ("compare gzip -1 -c access.log", "fauxplat compare 'gzip -1 -c access.log' 'OTHER COMMAND'"),
    ("compare sort access.log cat access.log", "fauxplat compare 'sort access.log' 'cat access.log'"),
    ("compare before.json after.json", "fauxplat compare --baseline before.json --with after.json"),
    (
        "compare --margin 2% before.json after.json",
        "fauxplat compare --margin 2% --baseline before.json --with after.json",
    ),
    ("limit --mem 64M true", "fauxplat limit --memory 64M true"),
    ("tune --restore", "fauxplat restore"),
    ("tune status", "fauxplat tune --status"),
    ("rnu true", "fauxplat run true"),
    ("comapre true true", "fauxplat compare true true"),
    ("topologie", "fauxplat topo"),
    ("run --rnus 3 true", "fauxplat run --runs 3 true"),
    ("run --warm 3 true", "fauxplat run --warmup 3 true"),
    ("compare --margins 2% true true", "fauxplat compare --margin 2% true true"),
    ("compare true true --margins=2%", "fauxplat compare true true --margin=2%"),
    ("history lst", "fauxplat history list"),
    ("history lsit --limit 3", "fauxplat history list --limit 3"),
    ("fleet rum --on local:2 true", "fauxplat fleet run --on local:2 true"),
    ("doctor --json", "fauxplat doctor --format json"),
    ("topo --json", "fauxplat topo --format json"),
    ("lab lsit", "fauxplat lab list"),
    ("stat ls", "fauxplat run -e page-faults ls"),
    ("perf stat ls -la", "fauxplat run -e page-faults 'ls -la'"),
    ("perf stat -d ls", "fauxplat run -e page-faults ls"),
    ("time ls", "fauxplat run ls"),
    ("time ls -la", "fauxplat run 'ls -la'"),
    ("hyperfine ls", "fauxplat run ls"),
    ("runs 5 ls", "fauxplat run --runs 5 ls"),
    ("ls -la", "fauxplat run 'ls -la'"),
    ("run -r 3 --stat ls", "fauxplat run -r 3 ls"),
    ("run --nosuch 5 ls", "fauxplat run ls"),
    ("fleet run --on local:2 ls -la", "fauxplat fleet run --on local:2 'ls -la'"),
    ("fleet run ls", "fauxplat fleet run ls --on local:2"),
    ("fleet run", "fauxplat fleet run --on local:2 ls"),
    ("fleet compare --on local:2 ls", "fauxplat fleet run --on local:2 ls"),
    ("compare ls", "fauxplat run ls"),
    ("compare", "fauxplat compare ls 'ls /'"),
    ("run", "fauxplat run ls"),
];

#[test]
fn a_name_that_is_a_number_is_told_from_a_number_of_runs() {
    let lab = Lab::new();
    let warned = |words: &[&str]| lab.json(words)["warnings"].to_string().contains("--runs 10");
    assert!(warned(&["run", "-n", "10", "-r", "2", "true"]));
    assert!(!warned(&["run", "--names", "10,11", "-r", "2", "true", "true"]));
    assert!(!warned(&["run", "-n", "v10", "-r", "2", "true"]));
}

#[test]
fn a_refusal_ends_with_the_line_that_works() {
    let lab = Lab::new();
    for file in ["access.log", "before.json", "after.json"] {
        lab.write(file, "{}");
    }
    for (typed, works) in MENDED {
        let words: Vec<&str> = typed.split(' ').collect();
        let done = Done::of(lab.bare(&words)).ends_with(2);
        assert!(done.err.trim_end().ends_with(&format!(": {works}")), "{typed}: {}", done.err);
        assert_eq!(done.err.lines().count(), 1, "{typed}: {}", done.err);
    }
}

/// A line, and what its refusal says where no single line is known to be meant.
const TOLD: [(&str, &str); 16] = [
    ("diff", "fauxplat compare"),
    ("stat", "fauxplat run -e"),
    ("watch", "fauxplat counters"),
    ("deploy-to-nowhere", "neither a verb of fauxplat nor a program"),
    ("completion", "fauxplat completions bash|zsh|fish"),
    ("profile -g", "callers are always recorded"),
    ("profile -a", "fauxplat doctor"),
    ("run --json true", "--format json"),
    ("run -w x true", "--warmup takes a number, not `x`"),
    ("run --runs 3 --until 1% true", "--runs cannot be used with --until"),
    ("run --nice", "--nice needs a value"),
    ("compare true", "fauxplat run"),
    ("topo --no-such-thing", "see fauxplat topo --help"),
    ("run --format xml true", "json"),
    ("help nosuch", "see fauxplat help)"),
    ("table", "as in: fauxplat table /dev/shm/server.table"),
];

#[test]
fn a_refusal_says_what_is_there_instead() {
    let lab = Lab::new();
    for (typed, told) in TOLD {
        let words: Vec<&str> = typed.split(' ').collect();
        let done = Done::of(lab.bare(&words)).ends_with(2);
        assert!(done.err.contains(told), "{typed}: {}", done.err);
        for parsers in ["tip:", "unexpected argument", "unrecognized", "invalid value", "__"] {
            assert!(!done.err.contains(parsers), "{typed}: {}", done.err);
        }
    }
}
