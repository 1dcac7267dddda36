//! Options of hyperfine: they have the same meaning in fauxplat, or the error names fauxplat's option.

use serde_json::Value;

use crate::common::{Done, Lab, SIGINT, eventually, number, runs};

fn commands(document: &Value) -> Vec<&str> {
    let commands = document["commands"].as_array().unwrap();
    commands.iter().map(|command| command["command"].as_str().unwrap()).collect()
}

#[test]
fn setup_and_cleanup_stand_around_the_whole_and_the_others_around_each_run() {
    let lab = Lab::new();
    let around =
        ["-s", "printf s >> log", "-p", "printf p >> log", "-C", "printf c >> log", "-c", "printf e >> log"];
    lab.run(&[&["run", "sh -c 'printf x >> log'", "-w", "1", "-r", "3"][..], &around].concat()).succeeds();
    assert_eq!(lab.read("log"), format!("s{}e", "pxc".repeat(4)));
    assert_eq!(lab.last()["definition"]["cleanup"], "printf e >> log");
}

#[test]
fn each_command_may_have_its_own_or_all_share_one() {
    let lab = Lab::new();
    let own = ["-p", "printf a > {x}", "-p", "printf b > {x}", "-C", "cat {x} >> log", "-L", "x=one,two"];
    lab.run(&[&["run", "true {x}", "test -e {x}", "-r", "1"][..], &own].concat()).succeeds();
    let mut log: Vec<char> = lab.read("log").chars().collect();
    log.sort_unstable();
    assert_eq!(log, ['a', 'a', 'b', 'b']);
    let three = ["run", "true", "true", "-s", "true", "-s", "true", "-s", "true"];
    lab.run(&three).complains(2, &["--setup", "3 times", "2 commands", "once for each"]);
}

/// A setup may create the program, since programs are looked up after it; the cleanup runs however the experiment ends.
#[test]
fn a_setup_may_build_what_is_run() {
    let lab = Lab::new();
    let setup = "printf '#!/bin/sh\\nexit 0\\n' > made; chmod +x made";
    let words = ["run", "./made", "-r", "2", "--setup", setup, "--cleanup", "rm made"];
    lab.run(&words).succeeds();
    assert!(!lab.path("made").exists());
    let failing = ["run", "false", "-r", "2", "--cleanup", "touch cleaned"];
    lab.run(&failing).complains(4, &["`false`", "status 1"]);
    assert!(lab.path("cleaned").exists());
    let nothing = ["run", "./nothing", "--setup", "touch begun", "--cleanup", "rm begun"];
    lab.run(&nothing).complains(2, &["./nothing"]);
    assert!(!lab.path("begun").exists());
}

#[test]
fn what_cleans_up_comes_after_an_interruption_too() {
    let lab = Lab::new();
    let live = lab.start(&[
        "run",
        "sleep 0.02",
        "-r",
        "100000",
        "-p",
        "touch begun",
        "-c",
        "sleep 0.3; touch cleaned",
    ]);
    assert!(eventually(|| lab.path("begun").exists()));
    live.signal(SIGINT);
    live.end().ends_with(130);
    assert!(lab.path("cleaned").exists());
}

#[test]
fn a_setup_that_fails_says_what_it_said() {
    let lab = Lab::new();
    let words = ["run", "touch ran", "--setup", "echo no compiler here; exit 3"];
    let done = lab.run(&words).ends_with(4);
    assert_eq!(
        done.err,
        "  no compiler here\nfauxplat: the setup `echo no compiler here; exit 3` ended with status 3\n"
    );
    assert!(!lab.path("ran").exists());
    let done = lab.run(&["run", "true", "-r", "2", "--cleanup", "echo stuck; exit 5"]).ends_with(4);
    assert!(done.err.contains("  stuck\n") && done.err.contains("the cleanup `echo stuck"), "{done:?}");
    assert!(done.out.contains("wall time"), "what was measured is reported: {done:?}");
    assert_eq!(runs(&lab.last(), 0).len(), 2);
}

/// Setups of several commands all run before the first measured run, since commands take turns. If they switch
/// branches, the last branch would be measured under every name.
#[test]
fn setups_that_switch_branches_are_refused() {
    let lab = Lab::new();
    let words = ["run", "true {b}", "-L", "b", "main,next", "--setup", "touch ran; git switch {b}"];
    lab.run(&words).complains(2, &["git switch main", "--build-a", "--build-b", "worktree"]);
    assert!(!lab.path("ran").exists());
}

#[test]
fn parameters_are_lists_scans_and_ranges() {
    let lab = Lab::new();
    let run = |words: &[&str]| lab.json(&[&["run", "-r", "1"], words].concat());
    assert_eq!(commands(&run(&["echo {n}", "-L", "n", "a,b"])), ["echo a", "echo b"]);
    assert_eq!(commands(&run(&["echo {n}", "-L", r"n=a\,b,"])), ["echo a,b", "echo "]);
    assert_eq!(commands(&run(&["echo {n}", "-L", "n=1..8:3"])), ["echo 1", "echo 4", "echo 7"]);
    let scan = ["echo {d}", "-P", "d", "0.3", "0.7", "-D", "0.2"];
    assert_eq!(commands(&run(&scan)), ["echo 0.3", "echo 0.5", "echo 0.7"]);
    assert_eq!(commands(&run(&["echo {n}", "--parameter-scan", "n", "-1", "1"])).len(), 3);
    lab.run(&["run", "echo {n}", "-P", "n", "3", "x"]).complains(2, &["-P n", "`x`"]);
    lab.run(&["run", "echo {n}", "-P", "n", "3", "1"]).complains(2, &["-P n", "3 to 1"]);
}

#[test]
fn statuses_that_are_ignored_are_named_or_all() {
    let lab = Lab::new();
    let three = "sh -c 'exit 3'";
    assert_eq!(runs(&lab.json(&["run", "-i", three, "-r", "3"]), 0).len(), 3);
    let some = lab.json(&["run", "-i", "1,3", three, "true", "-r", "3"]);
    assert_eq!(some["commands"][0]["summary"]["wall_ns"]["n"], 3);
    assert_eq!(some["condition"]["ignore_failure"], serde_json::json!([1, 3]));
    lab.run(&["run", "--ignore-failure=1,2", three]).complains(4, &["status 3"]);
    lab.run(&["compare", "--ignore-failure=2", "true", three]).complains(4, &["status 3"]);
    lab.run(&["run", "-i=0", "true"]).reports_misuse(&["--ignore-failure", "1 to 255"]);
}

#[test]
fn a_shell_is_named_or_not_used() {
    let lab = Lab::new();
    let shown = |words: &[&str]| lab.run(&[words, &["-r", "1", "--stdout", "out"]].concat()).succeeds();
    shown(&["run", "--shell", "bash --norc", "echo ${BASH_VERSION:+bash}"]);
    shown(&["run", "-S", "echo $((1 + 1))"]);
    shown(&["run", "-N", "echo plain"]);
    shown(&["run", "--shell=none", "echo plain"]);
    assert_eq!(lab.read("out"), "bash\n2\nplain\nplain\n");
    assert_eq!(lab.last()["condition"]["shell"], false);
    lab.run(&["run", "--shell=no-such-shell", "true"]).complains(2, &["--shell no-such-shell"]);
}

#[test]
fn a_shell_knows_the_number_of_the_run() {
    let lab = Lab::new();
    let around = ["-p", "printf p$FAUXPLAT_RUN >> log", "-C", "printf c$FAUXPLAT_RUN >> log"];
    lab.run(&[&["run", "-S", "printf x$FAUXPLAT_RUN >> log", "-w", "1", "-r", "2"][..], &around].concat())
        .succeeds();
    assert_eq!(lab.read("log"), "p0x0c0p1x1c1p2x2c2");
    lab.run(&["run", "env", "-r", "1", "--stdout", "plain"]).succeeds();
    assert!(!lab.read("plain").contains("FAUXPLAT_RUN"), "a program begins with what it was given");
}

#[test]
fn runs_have_bounds() {
    let lab = Lab::new();
    let counted = |words: &[&str]| runs(&lab.json(&[&["run"], words].concat()), 0).len();
    assert_eq!(counted(&["true", "-M", "12"]), 12);
    assert_eq!(counted(&["sleep 0.3", "--max-time", "1ms"]), 1);
    assert!(counted(&["sleep 0.2", "--min-runs", "17"]) >= 17);
    assert_eq!(counted(&["true", "--until", "0.001%", "--max-runs", "20"]), 20);
    lab.run(&["run", "true", "-m", "5", "-M", "3"]).complains(2, &["--min-runs 5", "--max-runs 3"]);
    lab.run(&["run", "true", "-m", "5", "-r", "3"]).reports_misuse(&["--min-runs", "--runs"]);
}

#[test]
fn output_of_the_commands_is_shown_on_request() {
    let lab = Lab::new();
    let done = lab.run(&["run", "echo shown", "--show-output", "-r", "2"]).succeeds();
    assert_eq!(done.out.lines().filter(|line| *line == "shown").count(), 2, "{}", done.out);
}

/// An option that has another meaning in hyperfine: the message names fauxplat's option, and nothing is run.
#[test]
fn words_with_another_meaning_name_ours() {
    let lab = Lab::new();
    let refuses = |words: &[&str], ours: &[&str]| {
        lab.run(&[&["run", "touch ran"], words].concat()).reports_misuse(ours);
        assert!(!lab.path("ran").exists());
    };
    refuses(&["--output", "null"], &["--output", "--stdout null"]);
    refuses(&["--output", "pipe"], &["--output", "--stdout"]);
    refuses(&["--output=inherit"], &["--output", "--show-output"]);
    refuses(&["--reference", "true"], &["--reference", "first command"]);
    refuses(&["--metric", "cpu"], &["--metric", "compare"]);
    refuses(&["--topdown"], &["--topdown", "-e", "--metric"]);
    lab.write("data.txt", "line\n");
    lab.run(&["run", "touch ran", "--input", "data.txt"])
        .complains(2, &["data.txt", "--stdin", "--definition"]);
    for word in ["--runs", "-m", "-M"] {
        lab.run(&["compare", "true", "true", word, "5"]).reports_misuse(&["--max-pairs", "fauxplat run"]);
    }
    lab.run(&["latency", "--loops", "5"]).reports_misuse(&["--count"]);
}

#[test]
fn commands_need_no_verb() {
    let lab = Lab::new();
    let json = |words: &[&str]| lab.json(words)["schema"].as_str().unwrap().to_owned();
    assert_eq!(json(&["true", "--max-time", "50ms"]), "fauxplat.run/2");
    assert_eq!(json(&["true", "sh -c true", "--max-pairs", "6"]), "fauxplat.compare/2");
    assert_eq!(lab.last()["invocation"][1], "compare", "what is repeated says its verb");
    assert_eq!(json(&["-w", "1", "-r", "3", "true"]), "fauxplat.run/2");
    Done::of(lab.bare(&["comapre", "true", "true"])).reports_misuse(&["comapre", "compare"]);
    Done::of(lab.bare(&["./no-such-thing"])).complains(2, &["`./no-such-thing`", "no such program"]);
}

/// Numbers without a unit are refused, since cyclictest takes microseconds, and other tools milliseconds or seconds.
#[test]
fn a_number_whose_unit_differs_by_tool_needs_one() {
    let lab = Lab::new();
    for words in [
        &["latency", "--interval", "200"][..],
        &["latency", "-d", "5"],
        &["latency", "--slack", "1us,50"],
        &["contend", "--duration", "10"],
        &["contend", "--capacity", "--interval", "1"],
    ] {
        lab.run(words).reports_misuse(&["has no unit", "us,", "ms or"]);
    }
    let timed = lab.json(&["latency", "--duration", "100ms", "--interval", "1ms", "--policy", "other"]);
    // Each round of the test begins with an activation, and a busy machine misses some of the others.
    assert!((1..=150).contains(&number(&timed["tests"][0], "count")), "{timed}");
}

/// A warning about a slow first run, which hyperfine has too.
#[test]
fn a_first_run_that_is_much_slower_is_said_with_what_to_do() {
    let lab = Lab::new();
    let warns = |seconds: &str, words: &[&str]| {
        let slow_once = format!("test -e warm || {{ touch warm; sleep {seconds}; }}");
        let document = lab.json(&[&["run", "-S", &slow_once, "-r", "12"], words].concat());
        lab.shell("rm warm");
        document["warnings"].to_string().contains("--warmup 3")
    };
    // The first run must be slower by more than the others differ from each other, which on a busy machine may be a
    // lot.
    assert!(["0.5", "5", "50"].iter().any(|seconds| warns(seconds, &[])));
    // Warm-up runs are the remedy for a slow first run, so with them there is no warning.
    assert!(!warns("0.5", &["-w", "1"]));
}

/// Runs that fail are counted and left out; if no run of a command succeeds, the experiment still ends.
#[test]
fn failures_are_skipped_on_request() {
    let lab = Lab::new();
    let every_third = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; test $((n % 3)) != 0";
    lab.run(&["run", "--shell", every_third, "--runs", "9"]).complains(4, &["status 1", "--skip-failures"]);
    lab.shell("rm n");
    let document = lab.json(&["run", "--shell", every_third, "--runs", "9", "--skip-failures"]);
    assert_eq!((runs(&document, 0).len(), &document["commands"][0]["failures"]), (9, &3.into()));
    assert_eq!(document["commands"][0]["summary"]["wall_ns"]["n"], 6);
    assert_eq!(document["condition"]["ignore_failure"], "left-out");
    let report = lab.run(&["history", "show", "last"]).out;
    assert!(report.contains("left out"), "{report}");
    lab.run(&["run", "false", "--runs", "50", "--skip-failures"]).complains(4, &["`false`"]);
    let of_pairs = ["compare", "--shell", every_third, every_third, "--skip-failures", "--max-pairs", "12"];
    let document = lab.json(&of_pairs);
    assert!(number(&document["comparisons"][0], "dropped_pairs") > 0, "{}", document["comparisons"][0]);
    lab.run(&["run", "true", "--skip-failures", "-i"])
        .reports_misuse(&["--skip-failures", "--ignore-failure"]);
}

/// Options of other tools without a meaning here are refused with advice what to type. The options are those in the
/// manuals of the tools.
#[test]
fn every_option_of_other_tools_names_ours() {
    let of_hyperfine = "--debug-mode --reference --reference-name --min-benchmarking-time";
    let of_perf_stat = "--no-inherit --pid -t --tid --detailed -a --all-cpus --repeat -B --big-num -A \
                        --no-aggr --null -x --field-separator --append --log-fd --pre --post -I --interval-print \
                        --interval-count --interval-clear --metric-only --topdown --td-level --sync --per-core \
                        --per-socket --per-die --per-node --per-thread --delay -T --transaction -j --json-output -G \
                        --cgroup --for-each-cgroup --cputype --summary --no-csv-summary --no-merge \
                        --hybrid-merge --smi-cost --bpf-counters -g --group";
    let of_pyperf = "--rigorous --fast --processes --values -l --loops --warmups --min-time --debug-single-value \
                     --append --inherit-environ --copy-env --affinity --track-memory --tracemalloc --name --python \
                     --compare-to --pipe --worker --calibrate-loops --duplicate --min-speed --group-by-speed --stats \
                     --no-locale";
    let of_poop = "-d --duration --allow-failures";
    let of_benchexec = "--memlimit --timelimit --softtimelimit --walltimelimit --cores --allowed-cores --limitCores \
                        --no-hyperthreading --require-cgroup-subsystem --set-cgroup-value --dir --container \
                        --no-container --read-only-dir --hidden-dir --overlay-dir --full-access-dir --network-access \
                        --tmpfs --numOfThreads --rundefinition --tasks --outputpath --maxOutputSize --maxLogfileSize";
    let of_cyclictest = "-a --affinity -A --aligned -b --breaktrace --clock --distance -D -H --histogram --histofall \
                         -l --loops --laptop -m --mlockall -M --refresh_on_max -N --nsecs --oscope -p --prio \
                         --priority -r --relative -R --resolution --secaligned -s --system -S --smp --spike -t \
                         --threads --tracemark --unbuffered -x --posix_timers --mainaffinity --priospread \
                         --default-system --json";
    let lab = Lab::new();
    for (verb, words) in [
        ("run", of_hyperfine),
        ("run", of_perf_stat),
        ("run", of_pyperf),
        ("compare", of_poop),
        ("run", of_benchexec),
        ("latency", of_cyclictest),
    ] {
        for word in words.split_whitespace() {
            lab.run(&[verb, word]).complains(2, &[&format!("{verb} has no option {word}: ")]);
        }
    }
}
