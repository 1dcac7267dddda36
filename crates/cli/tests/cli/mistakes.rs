//! Common mistakes: the message that refuses a command line ends with the corrected line.

use crate::common::{Done, Lab};

/// Command lines with a mistake, each with the line that its refusal proposes.
const MENDED: [(&str, &str); 60] = [
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
    ("perf stat -d ls", "fauxplat run -e cache ls"),
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
    ("taskset -c 0 ls -l", "fauxplat run 'taskset -c 0 ls -l'"),
    ("nice -n 5 ls -l", "fauxplat run 'nice -n 5 ls -l'"),
    ("run -r 3 env A=b ls", "fauxplat run -r 3 'env A=b ls'"),
    ("compare nice ls nice sort ./access.log", "fauxplat compare 'nice ls' 'nice sort ./access.log'"),
    ("run --prepare sync --repeat 3 ls", "fauxplat run --prepare sync --runs 3 ls"),
    ("run --name first --repeat=3 ls", "fauxplat run --command-name first --runs=3 ls"),
    ("run -e page-faults ls -l -r 3", "fauxplat run -e page-faults 'ls -l' -r 3"),
    ("run ls -l --runs 3", "fauxplat run 'ls -l' --runs 3"),
    ("run -r 3 bash -c ls", "fauxplat run -r 3 'bash -c ls'"),
    ("run gzip -c access.log", "fauxplat run 'gzip -c access.log'"),
    ("run head -c 5", "fauxplat run 'head -c 5'"),
    ("run -n a,b ls true", "fauxplat run --names a,b ls true"),
    ("stat -r 5 ls", "fauxplat run -e page-faults -r 5 ls"),
    ("record -F 99 ls -l", "fauxplat profile -F 99 'ls -l'"),
    ("run --max-time 5min ls", "fauxplat run --max-time 5m ls"),
    ("compare --max-time=1h30m ls true", "fauxplat compare --max-time=90m ls true"),
    ("run -vv ls", "fauxplat run -v ls"),
];

/// Lines with quoted commands, each as the words that the shell passes, and the line that the refusal proposes.
const QUOTED: [(&[&str], &str); 8] = [
    (&["bench", "ls", "ls -l"], "fauxplat run ls 'ls -l'"),
    (&["diff", "ls", "ls -l"], "fauxplat compare ls 'ls -l'"),
    (&["hyperfine", "-r", "5", "ls -l"], "fauxplat run -r 5 'ls -l'"),
    (&["compare", "--output", "ls", "ls -l"], "fauxplat compare --output report.txt ls 'ls -l'"),
    (&["run", "-L", "n", "echo {n}"], "fauxplat run -L n=1,2,3 'echo {n}'"),
    (&["sweep", "ls -l"], "fauxplat sweep env-size 'ls -l'"),
    (&["compare", "--baseline", "last"], "fauxplat compare --baseline last ls"),
    (&["run", "sh", "-c", "ls -l"], r"fauxplat run 'sh -c '\''ls -l'\'''"),
];

/// Lines that are accepted, although they resemble refused ones.
const TAKEN: [&[&str]; 4] = [
    &["run", "-r", "2", "-c", "true", "ls"],
    &["run", "ls", "-r", "2", "-p", "sync"],
    &["run", "-r", "2", "-n", "a,b", "ls"],
    &["run", "-r", "2", "head -c 5"],
];

#[test]
fn what_is_proposed_is_what_the_shell_would_read() {
    let lab = Lab::new();
    for (words, works) in QUOTED {
        let done = Done::of(lab.bare(words)).ends_with(2);
        assert!(done.err.trim_end().ends_with(&format!(": {works}")), "{words:?}: {}", done.err);
    }
    for words in TAKEN {
        lab.run(words).succeeds();
    }
}

/// Runs each proposed line by a shell, with options that make it end soon.
#[test]
fn what_is_proposed_is_accepted() {
    let lab = Lab::new();
    lab.write("access.log", "{}");
    Done::of(lab.bare(&["run", "-r", "6", "ls", "--store", "baseline.sqlite"])).succeeds();
    let mended = MENDED.iter().map(|(_, works)| *works).chain(QUOTED.iter().map(|(_, works)| *works));
    let is_short = |line: &&str| {
        ["fauxplat run ", "fauxplat compare "].iter().any(|verb| line.starts_with(verb))
            && !["OTHER COMMAND", ".json", "--max-time"].iter().any(|word| line.contains(word))
    };
    for line in mended.filter(is_short) {
        let rest = line.strip_prefix("fauxplat ").unwrap();
        let store = if line.contains("--baseline") { "baseline.sqlite" } else { "store.sqlite" };
        let script = format!("exec \"$@\" {rest} --max-time 10ms --store {store}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, "sh"]).args(lab.starter());
        lab.settle(&mut shell);
        let done = Done::of(shell);
        assert!(done.code.is_some_and(|code| code != 2), "{line}: {}", done.err);
    }
}

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

/// Lines whose intended meaning is not known, each with words that its refusal contains.
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
