//! Command lines of other tools, as new users type them: the message that refuses one ends with fauxplat's line.

use crate::common::{Done, Lab};

/// Command lines of other tools, each with the line of fauxplat that its refusal proposes.
const TOLD: [(&str, &str); 54] = [
    ("perf stat -p 1234 -e page-faults", "fauxplat counters --pid 1234 -e page-faults"),
    ("perf stat -p 1234 -I 100 sleep 10", "fauxplat counters --pid 1234 --series 100ms --max-time 10s"),
    ("perf record -p 1234", "fauxplat profile --pid 1234"),
    ("perf record -g -F 99 -p 1234 sleep 10", "fauxplat profile --pid 1234 -F 99 --max-time 10s"),
    ("perf top -p 1234", "fauxplat profile --pid 1234"),
    ("perf stat -d ls", "fauxplat run -e cache ls"),
    ("perf stat -I 100 ls", "fauxplat run -e page-faults --series 100ms ls"),
    ("perf stat -C 0 ls -l", "fauxplat run -e page-faults --cpu 0 'ls -l'"),
    ("perf stat -o out.txt ls", "fauxplat run -e page-faults --output out.txt ls"),
    ("perf stat -r 10 -x, ls -l", "fauxplat run -e page-faults -r 10 --format csv 'ls -l'"),
    ("perf stat -B -e page-faults,cs ls -l -a", "fauxplat run -e page-faults,cs 'ls -l -a'"),
    ("perf record --call-graph dwarf,8192 ls", "fauxplat profile --unwind eh-frame ls"),
    ("perf report --no-children", "fauxplat history show last"),
    ("perf list", "fauxplat counters"),
    ("stat -r 5 ls", "fauxplat run -e page-faults -r 5 ls"),
    ("run --iterations 5 ls", "fauxplat run --runs 5 ls"),
    ("run --samples=5 ls", "fauxplat run --runs=5 ls"),
    ("run --count 5 ls", "fauxplat run --runs 5 ls"),
    ("run --pin 0 ls", "fauxplat run --cpu 0 ls"),
    ("profile --iterations 5 ls", "fauxplat profile --runs 5 ls"),
    ("compare --iterations 20 ls true", "fauxplat compare --max-pairs 20 ls true"),
    ("compare --pairs 20 ls true", "fauxplat compare --max-pairs 20 ls true"),
    ("compare --threshold 5 ls true", "fauxplat compare --margin 5% ls true"),
    ("compare --threshold=0.02 ls true", "fauxplat compare --margin=2% ls true"),
    ("compare --alpha 0.05 ls true", "fauxplat compare --level 5% ls true"),
    ("compare --confidence 95 ls true", "fauxplat compare --level 5% ls true"),
    ("compare --confidence 0.99 ls true", "fauxplat compare --level 1% ls true"),
    ("compare old.json new.json", "fauxplat compare --baseline old.json --with new.json"),
    ("timeit -s x=1 x+1", r"fauxplat run 'python3 -c '\''x=1; x+1'\'''"),
    ("pyperf timeit -n 5 x+1", "fauxplat run 'python3 -c x+1'"),
    ("-p ls", "fauxplat run ls"),
    ("system tune", "fauxplat tune"),
    ("pyperf system reset", "fauxplat restore"),
    ("pyperf system show", "fauxplat doctor"),
    ("pyperf compare_to old.json new.json", "fauxplat compare --baseline old.json --with new.json"),
    ("pyperf command -p 5 --affinity 0 ls -l", "fauxplat run --runs 5 --cpu 0 'ls -l'"),
    ("poop ls true", "fauxplat compare ls true"),
    ("poop -d 5000 ls true", "fauxplat compare --max-time 5s ls true"),
    ("hyperfine --warmup 3 ls true", "fauxplat compare --warmup 3 ls true"),
    ("hyperfine -N -r 5 ls", "fauxplat run -N -r 5 ls"),
    ("benchstat old.txt new.txt", "fauxplat suite --from old.txt new.txt"),
    ("benchexec x.xml", "fauxplat suite --help"),
    (
        "runexec --timelimit 5 --memlimit 64MB -- ls -l",
        "fauxplat run --timeout 5s --limit memory:64MB 'ls -l'",
    ),
    ("asv continuous main HEAD", "fauxplat compare --commits main,HEAD ls"),
    (
        "samply record -r 1000 -s -o p.json ls -l",
        "fauxplat profile -F 1000 --format firefox --output p.json 'ls -l'",
    ),
    ("cyclictest -t1 -p90 -i200 -l1000", "fauxplat latency --policy fifo:90 --interval 200us --count 1000"),
    ("cyclictest -Smp 80 -D 10", "fauxplat latency --cpu all --policy fifo:80 --duration 10s"),
    ("stress-ng --cpu 1 --timeout 10s", "fauxplat load integer@0 --time 10s"),
    ("stress --cpu 2 --vm 1 -t 60", "fauxplat load integer@0-1 memory@0 --time 1m"),
    ("lstopo machine.svg", "fauxplat topo --format svg --output machine.svg"),
    ("lscpu -p", "fauxplat topo --format lscpu"),
    ("taskset -c 0 ls -l", "fauxplat run 'taskset -c 0 ls -l'"),
    ("time -p ls -l", "fauxplat run 'ls -l'"),
    ("multitime -n 5 ls", "fauxplat run --runs 5 ls"),
];

fn refused(lab: &Lab, typed: &str) -> String {
    let words: Vec<&str> = typed.split(' ').collect();
    let done = Done::of(lab.bare(&words)).ends_with(2);
    assert_eq!(done.err.lines().count(), 1, "{typed}: {}", done.err);
    done.err.trim_end().to_owned()
}

#[test]
fn lines_of_other_tools_are_told_in_our_words() {
    let lab = Lab::new();
    let wrong: Vec<String> = TOLD
        .iter()
        .map(|(typed, works)| (typed, works, refused(&lab, typed)))
        .filter(|(_, works, told)| !told.ends_with(&format!(": {works}")))
        .map(|(typed, works, told)| format!("{typed}\n  {told}\n  {works}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Options that fauxplat has no equivalent for are named, and not dropped silently.
#[test]
fn what_has_no_equal_is_named() {
    let lab = Lab::new();
    for (typed, named) in [
        ("perf stat -a ls", "without -a: fauxplat run"),
        ("perf stat -D 100 ls", "without -D 100: fauxplat run"),
        ("perf record --switch-output 1s ls", "without --switch-output 1s: fauxplat profile ls"),
        ("cyclictest -b 100 -p 80", "without -b 100: fauxplat latency"),
        ("stress-ng --cpu 1 --cpu-load 50", "without --cpu-load 50: fauxplat load integer@0"),
    ] {
        let told = refused(&lab, typed);
        assert!(told.contains(named), "{typed}: {told}");
    }
}

/// A word is proposed as a program only if the user typed it as one: neither a letter nor a similar name is enough.
#[test]
fn likeness_proposes_nothing_that_runs_a_program() {
    let lab = Lab::new();
    for typed in [
        "perf stat -p sync ls",
        "perf record -c 100 -s ls",
        "run --prepair sync ls",
        "run --setpu sync ls",
        "run --clean sync ls",
        "run --notfy sync ls",
        "compare --build-aa sync ls true",
        "-p sync",
        "pyperf command -p 5 ls",
        "setup sync",
    ] {
        let told = refused(&lab, typed);
        for option in ["-p sync", "-s ls", "-p 5", "--prepare", "--setup", "--cleanup", "--notify", "--build"]
        {
            let line = told.rsplit(": ").next().unwrap_or_default();
            assert!(!line.starts_with("fauxplat ") || !line.contains(option), "{typed}: {told}");
        }
    }
}
