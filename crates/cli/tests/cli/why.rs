//! `why`: explanations of differences that are large compared with any noise, so that nothing depends on the machine.

use serde_json::Value;

use crate::common::{Done, Lab, SIGINT, eventually};

/// The document of an explanation of two commands, from experiments that need no other tools and no permissions.
fn why(lab: &Lab, commands: [&str; 2], words: &[&str]) -> Value {
    asked(lab, commands, &[&["--format", "json", "--no-simulate", "--no-profile"], words].concat())
        .succeeds()
        .json()
}

fn asked(lab: &Lab, commands: [&str; 2], words: &[&str]) -> Done {
    let store = lab.file("store.sqlite");
    let all = [&["why", "--max-time", "30s", "--store", &store], words, &commands].concat();
    Done::of(lab.bare(&all))
}

fn kinds(document: &Value) -> Vec<&str> {
    let causes = document["causes"].as_array().unwrap();
    causes.iter().map(|cause| cause["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_sleep_is_named_whichever_command_has_it() {
    let lab = Lab::new();
    for (commands, slower) in [(["true", "sleep 0.2"], 1), (["sleep 0.2", "true"], 0)] {
        let document = why(&lab, commands, &[]);
        assert_eq!(document["schema"], "fauxplat.why/2");
        assert_eq!(
            (&document["answer"], &document["slower"]),
            (&"cause".into(), &slower.into()),
            "{document:#}"
        );
        assert_eq!(kinds(&document).first(), Some(&"sleep"), "{document:#}");
        let part = |name: &str| {
            let all = document["parts"].as_array().unwrap();
            all.iter().find(|part| part["account"] == name).unwrap()["more_ns"]["value"].as_f64().unwrap()
        };
        let whole = document["more_ns"]["value"].as_f64().unwrap();
        let sum: f64 = ["user", "system", "run-queue", "blocked"].map(part).iter().sum();
        assert!((sum - whole).abs() < 1e-3 * whole, "the parts sum to the whole: {sum} and {whole}");
        assert!(part("blocked") > 0.5 * whole, "{document:#}");
    }
    let stored = lab.last();
    assert_eq!(stored["schema"], "fauxplat.why/2", "the store has the document");
}

#[test]
fn threads_that_only_sleep_do_not_hide_the_work_of_another() {
    let lab = Lab::new();
    lab.write(
        "work.c",
        "#include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         static void *rest(void *unused) { for (;;) pause(); return unused; }\n\
         int main(int count, char **words) {\n\
           pthread_t t; volatile unsigned n = 1;\n\
           for (int i = 0; i < 6; i++) pthread_create(&t, 0, rest, 0);\n\
           for (long i = atol(words[count - 1]); i > 0; i--) n = n * 5 + 1;\n\
           return 0;\n\
         }\n",
    );
    lab.shell("cc -O1 work.c -o work -lpthread");
    let [few, many] = ["2000000", "12000000"].map(|count| format!("{} {count}", lab.file("work")));
    let document = why(&lab, [&few, &many], &[]);
    let of = |account: &str| {
        let parts = document["parts"].as_array().unwrap();
        parts.iter().find(|part| part["account"] == account).unwrap()["share"].as_f64().unwrap()
    };
    assert!(of("blocked") < 0.3 && of("user") > of("blocked"), "{document:#}");
    assert_eq!(document["causes"][0]["account"], "user", "{document:#}");
}

/// Each of the two processes waits while the other works, so the wall time is the sum of their CPU times.
#[test]
fn work_that_is_waited_for_through_a_pipe_is_work() {
    let lab = Lab::new();
    lab.write(
        "turns.c",
        "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
         static void work(long n) { volatile unsigned x = 1; while (n-- > 0) x = x * 5 + 1; }\n\
         int main(int count, char **words) {\n\
           int to[2], from[2]; char byte = 0; long n = atol(words[count - 1]);\n\
           if (pipe(to) || pipe(from)) return 1;\n\
           if (!fork()) {\n\
             close(to[1]);\n\
             while (read(to[0], &byte, 1) == 1) { work(n); if (write(from[1], &byte, 1) != 1) break; }\n\
             _exit(0);\n\
           }\n\
           for (int i = 0; i < 10; i++) {\n\
             work(500000); if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1) return 1;\n\
           }\n\
           close(to[1]); wait(0); return 0;\n\
         }\n",
    );
    lab.shell("cc -O1 turns.c -o turns");
    let [few, many] = ["500000", "2000000"].map(|count| format!("{} {count}", lab.file("turns")));
    let document = why(&lab, [&few, &many], &[]);
    let of = |account: &str| {
        let parts = document["parts"].as_array().unwrap();
        parts.iter().find(|part| part["account"] == account).unwrap()["share"].as_f64().unwrap()
    };
    assert!(of("blocked") < 0.2 && of("user") > of("blocked"), "{document:#}");
    assert_eq!(document["causes"][0]["account"], "user", "{document:#}");
}

/// Tracing two million calls takes longer than the time for it allows.
#[test]
fn system_calls_are_found_where_they_are_too_many_to_trace() {
    let lab = Lab::new();
    lab.write(
        "calls.c",
        "#include <stdlib.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
         int main(int count, char **words) {\n\
           for (long i = atol(words[count - 1]); i > 0; i--) syscall(SYS_getppid);\n\
           return 0;\n\
         }\n",
    );
    lab.shell("cc -O1 calls.c -o calls");
    let [few, many] = ["10", "2000000"].map(|count| format!("{} {count}", lab.file("calls")));
    let document = why(&lab, [&few, &many], &[]);
    let causes = document["causes"].as_array().unwrap();
    let is_meant = |it: &&Value| it["kind"] == "calls" && it["what"].as_str().unwrap().contains("getppid");
    assert!(causes.iter().any(|it| is_meant(&it)), "{document:#}");
}

#[test]
fn an_earlier_comparison_is_explained() {
    let lab = Lab::new();
    let program = |seconds: &str| {
        lab.write("slow", &format!("#!/bin/sh\nexec sleep {seconds}\n"));
        lab.shell("chmod +x slow");
    };
    program("0.2");
    let (slow, store) = (lab.file("slow"), lab.file("store.sqlite"));
    let words = ["compare", "--max-pairs", "6", "--nice", "3", "--store", &store, "true", &slow];
    Done::of(lab.bare(&words)).succeeds();
    let ask = ["why", "--stored", "last", "--no-simulate", "--no-profile", "--max-time", "20s"];
    let document = Done::of(lab.bare(&[&ask[..], &["--store", &store, "--format", "json"]].concat()));
    let document = document.succeeds().json();
    assert_eq!(kinds(&document).first(), Some(&"sleep"), "{document:#}");
    assert!(document.to_string().contains("\"nice\":3"), "the condition of the comparison: {document:#}");
    let ask = |id: &str| Done::of(lab.bare(&["why", "--stored", id, "--store", &store, "--max-time", "20s"]));
    program("0.1");
    let again = ask("1").ends_with(0);
    assert!(again.out.contains("has changed since it was compared"), "{}{}", again.out, again.err);
    ask("2").succeeds();
    let listed = ["compare", "--max-pairs", "6", "--store", &store, "sleep {t}", "-L", "t=0,0.01"];
    Done::of(lab.bare(&listed)).succeeds();
    ask("last").complains(2, &["parameter lists"]);
    ask("77").complains(2, &["77"]);
}

/// A later session of one command has accounts and conditions, and no causes that only its earlier runs could show.
#[test]
fn a_command_is_compared_with_itself_in_an_earlier_session() {
    let lab = Lab::new();
    let program = |sleeps: &str| {
        lab.write("late", &format!("#!/bin/sh\nsleep {sleeps}\n"));
        lab.shell("chmod +x late");
    };
    let (late, store) = (lab.file("late"), lab.file("store.sqlite"));
    let of = |words: &[&str]| Done::of(lab.bare(&[words, &["--store", &store]].concat()));
    program("0.05");
    of(&["run", "--quiet", "--runs", "8", &late]).succeeds();
    program("0.4");
    let document = of(&["why", "--stored", "1", "--max-time", "30s", "--format", "json"]).succeeds().json();
    assert_eq!((&document["slower"], &document["are_same"]), (&1.into(), &false.into()), "{document:#}");
    let parts = document["parts"].as_array().unwrap();
    let blocked = parts.iter().find(|part| part["account"] == "blocked").unwrap();
    assert!(blocked["share"].as_f64().unwrap() > 0.5, "{document:#}");
    assert!(document["programs"][0].as_str().unwrap().contains("(experiment 1)"), "{document:#}");
    let conditions = document["conditions"].as_array().unwrap();
    assert!(conditions.iter().any(|it| it["what"].as_str().unwrap().contains("content")), "{document:#}");
    assert!(document["experiments"].as_array().unwrap().iter().all(|it| it["took_s"].is_null()));
    // The explanation was a session of the command, too.
    let again = of(&["why", "--stored", "last", "--max-time", "30s", "--quiet"]).succeeds();
    assert!(again.out.contains("(experiment 2)") && !again.out.contains("More --max-time"), "{}", again.out);
    of(&["run", "--quiet", "--runs", "2", &late]).succeeds();
    of(&["why", "--stored", "last", "--max-time", "30s"]).complains(2, &["2 readings", "at least 6"]);
    of(&["run", "--quiet", "--runs", "2", "true", "false", "-i"]).succeeds();
    of(&["why", "--stored", "last"]).complains(2, &["2 commands"]);
}

#[test]
fn a_comparison_is_explained_after_its_report() {
    let lab = Lab::new();
    let compare = |words: &[&str]| {
        let store = lab.file("store.sqlite");
        let whole = [&["compare", "--quiet", "--max-pairs", "60", "--store", &store][..], words].concat();
        Done::of(lab.bare(&whole))
    };
    let done = compare(&["--why=20s", "--nice", "3", "true", "sleep 0.2"]).succeeds();
    let [verdict, cause] = ["slower", "sleeps longer"].map(|words| done.out.find(words));
    assert!(verdict.is_some() && verdict < cause, "the explanation follows the verdict: {}", done.out);
    assert_eq!(lab.last()["schema"], "fauxplat.why/2");
    let gated = compare(&["--why=20s", "--fail-if", "slower", "true", "sleep 0.2"]).ends_with(1);
    assert!(gated.out.contains("sleeps longer"), "a gate that fails is explained, too: {}", gated.out);
    let equal = compare(&["--why=20s", "sleep 0.01", "sleep 0.01"]).succeeds();
    // Equal commands may be reported as different once in a hundred times.
    assert!(equal.out.contains("slower") || !equal.out.contains("account"), "{}", equal.out);
    compare(&["--why", "true", "true", "true"]).complains(2, &["--why", "two commands"]);
    compare(&["--why", "--metric", "cpu", "true", "true"]).complains(2, &["--why", "wall time"]);
    compare(&["--why", "--format", "json", "true", "true"]).complains(2, &["--why", "--format"]);
    compare(&["--why", "--output", "file", "true", "true"]).complains(2, &["--why", "--output"]);
    Done::of(lab.bare(&["compare", "--why", "--store", "none", "true", "true"]))
        .complains(2, &["--why", "--store"]);
}

#[test]
fn a_benchmark_of_a_suite_is_explained() {
    let lab = Lab::new();
    let store = lab.file("store.sqlite");
    lab.write(
        "suite.toml",
        "[[benchmark]]\nname = 'same'\na = 'sleep 0.01'\nb = 'sleep 0.01'\n\
         [[benchmark]]\nname = 'late'\na = 'sh -c \"test -f made\"'\nb = 'sh -c \"test -f made; sleep 0.2\"'\n\
         prepare = 'touch made'\n",
    );
    let of = |words: &[&str]| Done::of(lab.bare(&[words, &["--store", &store]].concat()));
    let done = of(&["suite", "--quiet", "--max-time", "10s", "--why=20s", "suite.toml"]).succeeds();
    assert!(done.out.contains("late") && done.out.contains("sleeps longer"), "{}", done.out);
    let ask = |name: &str| of(&["why", "--stored", "1", "--benchmark", name, "--quiet", "--max-time", "20s"]);
    assert!(ask("late").succeeds().out.contains("sleeps longer"));
    ask("later").complains(2, &["later", "no such benchmark", "same"]);
    of(&["why", "--stored", "1"]).complains(2, &["--benchmark"]);
    of(&["why", "--stored", "2", "--benchmark", "late"]).complains(2, &["--benchmark", "no suite"]);
    let lines = |ns: u32| format!("sh -c 'echo x: {ns} ns'");
    let of_lines =
        ["suite", "--quiet", "--harness", "lines:^(\\S+): ([0-9.]+) (ns)$", "--why", &lines(10), &lines(20)];
    of(&of_lines).complains(3, &["--why", "number of rounds", "fixed amount"]);
}

#[test]
fn equal_commands_get_no_cause() {
    let lab = Lab::new();
    let document = why(&lab, ["sleep 0.02", "sleep 0.02"], &[]);
    assert_eq!(document["are_same"], true);
    // The comparison may find a difference once in a hundred times; without one there is no cause.
    let is_different = document["compared"]["verdict"] == "different";
    assert!(is_different || kinds(&document).is_empty() && document["slower"].is_null(), "{document:#}");
    assert!(is_different || ["equivalent", "undecided"].contains(&document["answer"].as_str().unwrap()));
}

#[test]
fn reports_have_the_answer_the_account_and_what_to_type_next() {
    let lab = Lab::new();
    let words = [
        "--no-simulate",
        "--no-profile",
        "--export",
        "csv=w.csv",
        "--export",
        "html=w.html",
        "--export",
        "junit=w.xml",
    ];
    let done = asked(&lab, ["true", "sleep 0.2"], &words).succeeds();
    for wanted in ["sleeps longer", "waiting for something else", "together", "fauxplat profile -e off-cpu"] {
        assert!(done.out.contains(wanted), "{wanted}: {}", done.out);
    }
    assert!(lab.read("w.csv").starts_with("kind,account,explains_ns"), "{}", lab.read("w.csv"));
    assert!(lab.read("w.html").contains("sleeps longer"));
    assert!(lab.read("w.xml").contains("testcase"));
}

#[test]
fn what_cannot_be_made_is_named_and_the_rest_is_done() {
    let lab = Lab::new();
    let document = why(&lab, ["true", "sleep 0.2"], &["--no-trace"]);
    assert_eq!(document["answer"], "unexplained", "{document:#}");
    let experiments = document["experiments"].as_array().unwrap();
    let traced =
        experiments.iter().find(|it| it["question"] == "which calls, waits and conditions?").unwrap();
    assert_eq!((&traced["took_s"], &traced["note"]), (&Value::Null, &"left out by --no-trace".into()));
    let off = ["--no-trace", "--no-simulate", "--no-profile"];
    let said = asked(&lab, ["true", "sleep 0.2"], &off).succeeds().out;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "the experiments that look for the cause were not made";
    assert!(said.contains(why) && !said.contains("no experiment explains"), "{said}");
}

#[test]
fn what_is_no_pair_of_timed_commands_is_refused() {
    let lab = Lab::new();
    asked(&lab, ["true", "true"], &["true"]).complains(2, &["give two"]);
    asked(&lab, ["true", "true"], &["--simulated"]).complains(2, &["leave --simulated out"]);
}

#[test]
fn a_command_that_fails_ends_it() {
    let lab = Lab::new();
    let done = asked(&lab, ["true", "false"], &["--no-simulate"]);
    assert_ne!(done.code, Some(0), "{}", done.out);
}

/// A command that fails after a few runs ends the comparison before the eight pairs that a verdict takes.
#[test]
fn a_failure_in_the_middle_leaves_the_findings_until_then() {
    let lab = Lab::new();
    let failing = "sh -c 'echo >> log; test $(wc -l < log) -lt 8'";
    let done = asked(&lab, ["true", failing], &["--format", "json"]).ends_with(4);
    let document = done.json();
    assert_eq!((&document["schema"], &document["answer"]), (&"fauxplat.why/2".into(), &"undecided".into()));
    let failed = document["failed"].as_str().unwrap();
    assert!(failed.contains("ended with status 1"), "{failed}");
    assert_eq!((&document["slower"], kinds(&document)), (&Value::Null, Vec::new()), "{document:#}");
    assert!(document["more_ns"]["value"].is_number(), "{document:#}");
    lab.write("log", "");
    let said = asked(&lab, ["true", failing], &[]).ends_with(4).out;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("A failure ended the comparison") && said.contains("Pairs of runs until then"),
        "{said}"
    );
}

/// An interrupted explanation reports everything that is known by then, and names no experiment as failed.
#[test]
fn an_interrupted_explanation_says_so() {
    let lab = Lab::new();
    for runs in [1, 3, 12, 40] {
        lab.write("log", "");
        let live = lab.start(&["why", "true", "sh -c 'echo >> log; sleep 0.05'", "--max-time", "60s"]);
        assert!(eventually(|| lab.read("log").lines().count() >= runs), "{runs}");
        live.signal(SIGINT);
        let done = live.end().ends_with(130);
        let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!said.contains("does not have the form") && !said.contains("experiment explains"), "{said}");
        assert!(said.is_empty() || said.to_lowercase().contains("interrupted"), "{said}");
    }
}
