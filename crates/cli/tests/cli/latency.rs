//! `latency`: reports of timers, noise, messages and signals, and refused options.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use fauxplat_procfs::task::TaskStat;
use serde_json::Value;

use crate::common::{Done, Lab, SIGINT, allowed, eventually, first_cpu, first_pair, number};

/// `CAP_SYS_NICE`, see `capabilities(7)`.
const CAP_SYS_NICE: u32 = 23;

/// Stops and continues a process, see `signal(7)`.
const SIGSTOP: i32 = 19;
const SIGCONT: i32 = 18;

fn tests(document: &Value) -> &Vec<Value> {
    document["tests"].as_array().unwrap()
}

/// Checks that percentiles rise, and that the corrected histogram, which includes missed activations, has at least as
/// many late ones as the other.
fn is_sound(test: &Value) {
    let rising = ["min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "p99999_ns", "max_ns"];
    for of in [test, &test["corrected"]] {
        // A percentile is null where there are too few activations for it.
        let values: Vec<u64> = rising.iter().filter_map(|field| of[*field].as_u64()).collect();
        assert!(of["p99999_ns"].is_null() && values.len() >= 3, "{of}");
        assert!(values.is_sorted(), "{rising:?} = {values:?} in {test}");
    }
    // The other percentiles are not compared: where many activations were missed, their many short delays can lower the
    // percentile of a long delay.
    assert_eq!(number(&test["corrected"], "max_ns"), number(test, "max_ns"));
    for bin in test["histogram"].as_array().unwrap() {
        let later = |of: &Value| -> u64 {
            let bins = of["histogram"].as_array().unwrap().iter();
            bins.filter(|it| it[0].as_u64() >= bin[0].as_u64()).map(|it| it[1].as_u64().unwrap()).sum()
        };
        assert!(later(&test["corrected"]) >= later(test), "fewer are later than {bin} in {test}");
    }
    let counted = |of: &Value| -> u64 {
        of["histogram"].as_array().unwrap().iter().map(|bin| bin[1].as_u64().unwrap()).sum()
    };
    assert_eq!(counted(test), number(test, "count"));
    assert_eq!(counted(&test["corrected"]), number(test, "count") + number(test, "missed"));
    assert!(
        test["hdr"].as_str().unwrap().starts_with("HISTFAAA"),
        "a deflated V2 histogram: {}",
        test["hdr"]
    );
}

#[test]
fn every_test_gives_percentiles_that_hold_together() {
    for lab in Lab::both() {
        let words =
            ["latency", "timer", "noise", "message", "signal", "--count", "60", "--interval", "300us"];
        let found = lab.json(&[&words[..], &["--duration", "30ms", "--seed", "3"]].concat());
        assert_eq!((found["schema"].as_str(), &found["seed"]), (Some("fauxplat.latency/1"), &Value::from(3)));
        tests(&found).iter().for_each(is_sound);
        let names: Vec<&str> = tests(&found).iter().map(|test| test["name"].as_str().unwrap()).collect();
        for name in
            ["timer", "noise", "signal", "futex there", "pipe back", "eventfd round trip", "socketpair there"]
        {
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
        for test in tests(&found).iter().filter(|test| test["name"] == "timer") {
            assert!(number(test, "count") + number(test, "missed") >= 60, "{test}");
            assert_eq!(number(test, "interval_ns"), 300_000);
        }
        assert_eq!(lab.json(&["history", "show", "last"])["tests"], found["tests"]);
    }
}

/// The tests of lines (from edge to handler and answer) and of blinking lights use the simulated GPIO chip, which every
/// machine has.
#[test]
fn lines_and_lights_are_tests_like_any_other() {
    for lab in Lab::both() {
        let words = ["latency", "line", "edge", "--policy", "other", "--interval", "300us", "--count", "60"];
        let found = lab.json(&words);
        tests(&found).iter().for_each(is_sound);
        let of = |name: &str| -> Vec<&Value> {
            tests(&found).iter().filter(|test| test["name"] == name).collect()
        };
        for name in ["line to handler", "handler to answer", "line to answer"] {
            assert!(!of(name).is_empty(), "{name} is not in {found}");
            for test in of(name) {
                assert_eq!(number(test, "count") + number(test, "missed"), 60, "{test}");
                assert_eq!(test["lines"], "sim:0 to sim:1, driven by sim");
            }
        }
        for (part, whole) in of("line to handler").iter().zip(of("line to answer")) {
            assert!(number(whole, "max_ns") >= number(part, "max_ns"), "{whole}");
        }
        let light = of("edge")[0];
        assert!(
            number(light, "count") + number(light, "missed") >= 60 && light["lines"] == "sim:1",
            "{light}"
        );
        assert!(light["sd_ns"].as_f64().unwrap() >= 0.0 && light["interval_ns"] == 300_000);
    }
    let text = Lab::new().run(&["latency", "edge", "--count", "30", "--interval", "200us"]).succeeds().out;
    assert!(text.contains("standard deviation"), "{text}");
}

#[test]
fn lines_that_cannot_be_tested_are_refused_in_one_line() {
    let lab = Lab::new();
    let refused: [(&[&str], i32, &[&str]); 8] = [
        (&["timer", "--line", "sim:0"], 2, &["--line", "`line`"]),
        (&["line", "--line", "lamp"], 2, &["`lamp` is not a line", "gpiochip0:17"]),
        (&["line", "--drive", "wind"], 2, &["`wind` makes no edges"]),
        (&["line", "--line", "led:x"], 3, &["no edges to wait for"]),
        (&["line", "--answer", "sim:0"], 3, &["sim:0 is taken by fauxplat-latency"]),
        (&["line", "--drive", "pull:/nowhere/pull"], 3, &["/nowhere/pull"]),
        (&["edge", "--answer", "sim:77"], 3, &["sim:77 is not there"]),
        (&["edge", "--answer", "gpiochip77:0"], 3, &["gpiochip77:0 cannot be opened"]),
    ];
    for (words, code, says) in refused {
        let words = [&["latency"], words, &["--policy", "other", "--count", "6"]].concat();
        lab.run(&words).complains(code, says);
    }
}

#[test]
fn noise_has_causes_that_add_up() {
    let found = Lab::new().json(&["latency", "noise", "--duration", "60ms", "--policy", "other"]);
    let test = &tests(&found)[0];
    let causes = test["causes"].as_array().map_or(&[][..], Vec::as_slice);
    assert_eq!(causes.iter().map(|cause| number(cause, "count")).sum::<u64>(), number(test, "count"));
    assert!((0.0..=1.0).contains(&test["lost_share"].as_f64().unwrap()), "{test}");
}

/// Names and real-time priorities of the threads of a process, see `proc_pid_stat(5)`; an ordinary thread has priority
/// 0.
fn priorities(pid: u32) -> Vec<(String, String)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |task: fs::DirEntry| {
        let read = |file: &str| fs::read_to_string(task.path().join(file)).ok();
        let priority = TaskStat::parse(&read("stat")?)?.field(40)?.to_owned();
        Some((read("comm")?.trim().to_owned(), priority))
    };
    tasks.filter_map(of).collect()
}

/// A noise test in real time occupies its CPU. Its safeguard is an ordinary thread that sets marks while it can run,
/// and a thread of higher priority that watches the marks.
#[test]
fn a_noise_test_in_real_time_is_watched() {
    let lab = Lab::new();
    if !lab.has_capability(CAP_SYS_NICE) {
        eprintln!("skipped: a real-time test needs CAP_SYS_NICE");
        return;
    }
    let live = lab.start(&["latency", "noise", "--policy", "fifo:41", "--duration", "1000s"]);
    let stand = |threads: &[(String, String)]| {
        let has = |priority| threads.iter().any(|(_, its)| its == priority);
        has("41") && has("42") && threads.iter().any(|(name, its)| name == "latency mark" && its == "0")
    };
    let watched = eventually(|| stand(&priorities(live.pid())));
    live.signal(SIGINT);
    // The exit code shows that the interrupt ended the test, and not a thread that got no marks.
    live.end().ends_with(130);
    assert!(watched, "nobody would give the CPU back");
}

#[test]
fn slacks_and_policies_are_tests_of_their_own() {
    let words = [
        "latency",
        "timer",
        "--policy",
        "other",
        "--slack",
        "1ns,200us",
        "--count",
        "30",
        "--interval",
        "500us",
    ];
    let found = Lab::new().json(&words);
    // How much of its slack a timer uses is the kernel's choice, so no delay is checked.
    let slacks: Vec<u64> = tests(&found).iter().map(|test| number(test, "slack_ns")).collect();
    assert_eq!(slacks, [1, 200_000], "{found}");
    tests(&found).iter().for_each(is_sound);
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let lab = Lab::new();
    let pair = first_pair();
    let refused: [(&[&str], &[&str]); 9] = [
        (&["--cpu", "7000"], &["CPU 7000 does not exist"]),
        (&["message", "--pairs", "0:7000"], &["CPU 7000 does not exist"]),
        (&["message", "--pairs", "0"], &["`0` is not a pair"]),
        (&["message", "--pairs", &pair, "--channels", "line"], &["two different CPUs"]),
        (&["message", "--channels", "telegraph"], &["no channel `telegraph`", "socketpair"]),
        (&["quake"], &["quake", "timer"]),
        (&["--policy", "fifo:100"], &["fifo:100"]),
        (&["--interval", "soon"], &["soon"]),
        (&["--count", "0"], &["--count"]),
    ];
    for (words, says) in refused {
        lab.run(&[&["latency"], words].concat()).complains(2, says);
    }
    lab.run(&["latency", "--merge", "nowhere.json"]).complains(2, &["nowhere.json"]);
    lab.run(&["latency", "timer", "--merge", "a.json"]).complains(2, &["cannot be used with"]);
}

#[test]
fn a_policy_that_is_not_permitted_is_refused_when_asked_for_and_named_when_not() {
    let lab = Lab::ordinary();
    if lab.has_capability(23) {
        return;
    }
    let amount = |kind: &str| if kind == "noise" { ["--duration", "5ms"] } else { ["--count", "5"] };
    for kind in ["timer", "noise", "message", "signal"] {
        let [option, value] = amount(kind);
        let words = ["latency", kind, "--policy", "fifo:90", option, value];
        lab.run(&words).complains(3, &["sched_setscheduler", "CPU"]);
    }
    let found = lab.json(&["latency", "timer", "--count", "6"]);
    assert!(found["not_measured"].to_string().contains("CAP_SYS_NICE"), "{found}");
    assert!(tests(&found).iter().all(|test| test["policy"] == "other"));
}

/// A stalled test reports every activation that came due during the stall. The test here has more activations than it
/// needs and is interrupted, so that it cannot end before the stall.
#[test]
fn a_stall_is_reported_with_everything_that_it_delayed() {
    let lab = Lab::new();
    let words = ["latency", "timer", "--policy", "other", "--interval", "1ms", "--count", "1000000"];
    let live = lab.start(&[&words[..], &["--format", "json"]].concat());
    live.has_slept(200);
    live.signal(SIGSTOP);
    std::thread::sleep(Duration::from_millis(200));
    live.signal(SIGCONT);
    live.has_slept(1000);
    live.signal(SIGINT);
    let found = live.end().ends_with(130).json();
    let test = &tests(&found)[0];
    is_sound(test);
    assert!(number(test, "missed") >= 190, "{} were missed", test["missed"]);
    assert!(number(test, "count") >= 100, "{test}");
    // In a stall of 200 ms, every second activation waits for more than half of the stall.
    let corrected = test["corrected"]["histogram"].as_array().unwrap().iter();
    let late = corrected.filter(|bin| bin[0].as_u64() > Some(100_000_000));
    let late: u64 = late.map(|bin| bin[1].as_u64().unwrap()).sum();
    assert!(late >= 90, "{late} activations later than 100 ms");
}

/// For comparison: in the same stall, cyclictest drops the activations that were delayed.
#[test]
fn cyclictest_drops_what_the_same_stall_delays() {
    let begun_ns = fauxplat_sys::clock::monotonic_ns();
    let started = Command::new("cyclictest")
        .args(["-q", "-t", "1", "-i", "1000", "-h", "400000", "--default-system"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut cyclictest) = started else {
        eprintln!("skipped: cyclictest is not installed (package rt-tests)");
        return;
    };
    let pid = cyclictest.id() as i32;
    let ended = |child: &mut std::process::Child| child.try_wait().unwrap().is_some();
    assert!(crate::common::eventually(
        || crate::common::sleeps(cyclictest.id()) >= 200 || ended(&mut cyclictest)
    ));
    fauxplat_sys::signal::send(pid, SIGSTOP);
    std::thread::sleep(Duration::from_millis(200));
    fauxplat_sys::signal::send(pid, SIGCONT);
    fauxplat_sys::signal::send(pid, SIGINT);
    if !crate::common::eventually(|| ended(&mut cyclictest)) {
        cyclictest.kill().unwrap();
    }
    let done = cyclictest.wait_with_output().unwrap();
    if !done.status.success() {
        eprintln!("skipped: cyclictest does not run here ({})", done.status);
        return;
    }
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let late = |line: &str| {
        let (us, count) = line.split_once(' ')?;
        Some((us.parse::<u64>().ok()?, count.split_whitespace().next()?.parse::<u64>().ok()?))
    };
    // An activation that is later than all bins, because the machine made the stall longer, is an overflow.
    let beyond = text.lines().find_map(|line| line.strip_prefix("# Histogram Overflows:"));
    let beyond: u64 = beyond.and_then(|count| count.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    let in_bins = text.lines().filter_map(late).filter(|(us, _)| *us > 50_000);
    let stalled = beyond + in_bins.map(|(_, count)| count).sum::<u64>();
    // Of the two hundred delayed activations cyclictest counts only the first, and it also counts the first of each
    // further stall of the machine. Each such stall took 50 ms of the elapsed time, which limits their number.
    let most = (fauxplat_sys::clock::monotonic_ns() - begun_ns) / 50_000_000;
    assert!((1..=most).contains(&stalled), "{stalled} activations later than 50 ms, where {most} have room");
}

#[test]
fn documents_are_merged_test_by_test() {
    let lab = Lab::new();
    for (file, count) in [("a.json", "60"), ("b.json", "90")] {
        let words = [
            "latency",
            "timer",
            "--policy",
            "other",
            "--count",
            count,
            "--interval",
            "200us",
            "--format",
            "json",
        ];
        lab.run(&[&words[..], &["--output", &lab.file(file)]].concat()).succeeds();
    }
    let merged = lab.run(&["latency", "--merge", "a.json", "b.json", "--format", "json"]).succeeds().json();
    let [a, b] = ["a.json", "b.json"].map(|file| serde_json::from_str::<Value>(&lab.read(file)).unwrap());
    let (test, [a, b]) = (&tests(&merged)[0], [&tests(&a)[0], &tests(&b)[0]]);
    is_sound(test);
    assert_eq!(tests(&merged).len(), 1);
    for field in ["count", "missed", "wall_ns"] {
        assert_eq!(number(test, field), number(a, field) + number(b, field), "{field}");
    }
    assert_eq!(number(test, "max_ns"), number(a, "max_ns").max(number(b, "max_ns")));
    assert_eq!(number(test, "min_ns"), number(a, "min_ns").min(number(b, "min_ns")));
    lab.write("c.json", "{\"schema\": \"fauxplat.index/1\"}");
    lab.run(&["latency", "--merge", "a.json", "c.json"]).complains(2, &["c.json", "fauxplat.index/1"]);
    lab.write("d.json", &lab.read("a.json").replacen("\"hdr\": \"HIST", "\"hdr\": \"MIST", 1));
    lab.run(&["latency", "--merge", "d.json"]).complains(2, &["d.json", "timer"]);
}

#[test]
fn the_curves_are_drawn_in_every_form() {
    let lab = Lab::new();
    let words = ["latency", "timer", "--count", "60", "--interval", "200us", "--format"];
    let render = |format: &str| lab.run(&[&words[..], &[format]].concat()).succeeds().out;
    let text = render("text");
    assert!(text.contains("distribution") && text.contains('█'), "{text}");
    let svg = render("svg");
    assert!(svg.starts_with("<?xml") && svg.contains("polyline") && svg.contains("99 %"), "{svg}");
    assert!(render("html").contains("<svg") && render("markdown").contains("| test |"));
    let rows = render("csv");
    assert!(rows.starts_with("name,policy,cpu,") && rows.lines().count() >= 2, "{rows}");
}

#[test]
fn an_interrupted_test_reports_what_it_has() {
    let lab = Lab::new();
    // The report goes into a file, since the pipe to this test is read only at the end.
    let words = ["latency", "timer", "message", "signal", "--count", "6000000", "--format", "json"];
    let live = lab.start(&[&words[..], &["--output", "o.json"]].concat());
    live.has_slept(500);
    live.signal(SIGINT);
    live.end().ends_with(130);
    let found: Value = serde_json::from_str(&lab.read("o.json")).unwrap();
    assert!(found["warnings"].to_string().contains("interrupted"));
    assert!(tests(&found).iter().any(|test| number(test, "count") > 0), "{found}");
}

/// A reader that closes the pipe of a report causes no error, but a full disk does.
#[test]
fn pipes_and_full_disks_end_as_they_should() {
    let lab = Lab::new();
    let words = "latency timer --count 20 --interval 200us --store none";
    let line = format!("{} {words} --format json | head -c 10", lab.starter().join(" "));
    let mut shell = Command::new("sh");
    lab.settle(shell.args(["-c", &line]));
    assert_eq!(Done::of(shell).err, "");
    lab.run(&[&words.split(' ').collect::<Vec<_>>()[..4], &["--output", "/dev/full"]].concat())
        .complains(3, &["/dev/full"]);
}

/// A pair has a direction, from the first CPU to the second, and is no set.
#[test]
fn a_pair_keeps_its_direction() {
    let lab = Lab::new();
    let allowed: Vec<String> = allowed().iter().map(|cpu| cpu.to_string()).collect();
    let [first, .., last] = allowed.as_slice() else { return };
    let pair = format!("{last}:{first}");
    let document = lab.json(&["latency", "signal", "--pairs", &pair, "--count", "20", "--policy", "other"]);
    let test = &tests(&document)[0];
    assert_eq!((test["cpu"].to_string(), test["peer"].to_string()), (last.clone(), first.clone()), "{test}");
}

#[test]
fn options_of_other_tests_are_refused() {
    let lab = Lab::new();
    for (words, names) in [
        (["edge", "--line", "sim:0"], "--line"),
        (["timer", "--pairs", &first_pair()], "--pairs"),
        (["timer", "--channels", "pipe"], "--channels"),
        (["message", "--cpu", &first_cpu()], "--cpu"),
    ] {
        lab.run(&[&["latency"][..], &words].concat()).complains(2, &[names]);
    }
}

/// Reading the clock takes longer than this threshold, so that every reading is a gap, and each gap's cause takes time
/// to find.
#[test]
fn noise_ends_where_everything_is_noise() {
    let lab = Lab::new();
    let begun = std::time::Instant::now();
    lab.run(&["latency", "noise", "--threshold", "1ns", "--duration", "300ms", "--policy", "other"])
        .succeeds();
    assert!(begun.elapsed() < Duration::from_secs(60));
}
