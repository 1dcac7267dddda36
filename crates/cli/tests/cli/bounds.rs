//! Counts, products, sizes and times that come from outside: each is refused by one line or processed, in a bounded
//! amount of memory.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::Command;

use fauxplat_sys::process;
use fauxplat_table::{Options, Table};

use crate::common::{Done, LIMITS, Lab, SIGINT, alive, eventually, number, runs};
use crate::table::Shared;

/// An option of `prlimit(1)` that limits the address space: enough for every command here, and not for one that would
/// ask for more memory than a machine has.
const SPACE: &str = "--as=700000000";

/// Runs fauxplat with the limit of address space [`SPACE`].
fn confined(lab: &Lab, words: &[&str]) -> Done {
    confined_to(lab, SPACE, words)
}

/// Runs fauxplat under a limit, which is an option of `prlimit(1)`.
fn confined_to(lab: &Lab, limit: &str, words: &[&str]) -> Done {
    let mut command = Command::new("prlimit");
    command.arg(limit).args(lab.starter()).args(words).args(["--store", &lab.file("store.sqlite")]);
    lab.settle(&mut command);
    Done::of(command)
}

#[test]
fn counts_and_products_are_refused_before_anything_is_laid_out() {
    let lab = Lab::new();
    let lists: Vec<String> =
        ["a", "b", "c", "d", "e", "f"].map(|name| format!("{name}={}", "v,".repeat(4096))).to_vec();
    let mut words = vec!["run", "true {a}{b}{c}{d}{e}{f}"];
    words.extend(lists.iter().flat_map(|list| ["-L", list]));
    confined(&lab, &words).complains(2, &["more than 10000 commands"]);
    for words in [["run", "true", "--warmup", "4000000000"], ["run", "true", "--runs", "4000000000"]] {
        confined(&lab, &words).complains(2, &["4000000000 runs", "more than 1000000"]);
    }
    confined(&lab, &["compare", "true", "true", "--warmup", "4294967295"]).complains(2, &["8589934590 runs"]);
    for range in ["n=1..1000000000", "n=0..18446744073709551615", "n=0..18446744073709551615*n=1,2"] {
        confined(&lab, &["sweep", range, "true {n}"]).complains(2, &["more than 20000"]);
    }
    confined(&lab, &["compare", "true", "true", "--max-pairs", "1000000"]).complains(2, &["6..=100000"]);
    confined(&lab, &["explain", "true", "--blocks", "4000"]).complains(2, &["at most 500"]);
    confined(&lab, &["index", "--duration", "2h"]).reports_misuse(&["5000 s"]);
    let many = "env-size*".repeat(10_000) + "aslr";
    confined(&lab, &["sweep", &many, "true"]).complains(2, &["at most two factors"]);
}

#[test]
fn what_could_not_be_shown_is_refused() {
    let lab = Lab::new();
    lab.run(&["run", "true", "--runs", "6"]).succeeds();
    let baseline = ["compare", "true", "--baseline", "last"];
    let with = |more: &[&'static str]| lab.run(&[&baseline[..], more].concat());
    with(&["--level", "0.005%"]).complains(2, &["--level 0.005 %", "at least"]);
    with(&["--anytime"]).complains(2, &["--anytime", "once"]);
    for words in [["index", "--format", "svg"], ["index", "--export", "pprof=samples"]] {
        lab.run(&words).complains(2, &["cannot be written as"]);
    }
    lab.run(&["explain", "true", "--level", "0.1%"]).complains(2, &["--level 0.1 %", "0.5 %"]);
    lab.run(&["explain", "true", "--metric", "peak-memory"]).complains(2, &["peak-memory", "times"]);
    for [factor, option, value] in [
        ["limit=none,cpu:50%", "--limit", "memory:64MiB"],
        ["heap-pad=0..64:16", "--heap", "64"],
        ["env-size=0..64:16", "--env-pad", "512"],
        ["cwd-length=1000,2000", "--cwd", "."],
    ] {
        lab.run(&["sweep", factor, "true", option, value]).complains(2, &[option, "choose one"]);
    }
}

/// A value of a hundred kilobytes that is used in a thousand places would be a hundred megabytes.
#[test]
fn a_definition_that_grows_by_itself_is_refused() {
    let lab = Lab::new();
    let (places, value) = ("{n}".repeat(1000), "x".repeat(100_000));
    let text = format!(
        "[[command]]\ncommand = \"true {places}\"\n[[parameter]]\nname = \"n\"\nvalues = [\"{value}\"]\n"
    );
    let path = lab.write("grows.toml", &text);
    confined(&lab, &["run", "--input", &path]).complains(2, &["64 MiB"]);
}

#[test]
fn files_that_are_too_long_or_never_end_are_refused() {
    let lab = Lab::new();
    lab.shell("truncate -s 1G long.json; mkfifo silent");
    let long = lab.file("long.json");
    confined(&lab, &["compare", "true", "--baseline", &long]).complains(2, &[&long, "longer than 256 MiB"]);
    confined(&lab, &["latency", "--merge", &long]).complains(2, &[&long, "longer than 256 MiB"]);
    for endless in [long.as_str(), "/dev/zero"] {
        confined(&lab, &["run", "--input", endless]).complains(2, &[endless, "longer than 4 MiB"]);
    }
    // The FIFO `silent` has no writer, so it reads as empty.
    confined(&lab, &["run", "--input", &lab.file("silent")]).complains(2, &["no command"]);
    let deep = lab.write("deep.toml", &format!("a = {}", "[".repeat(2_000_000)));
    confined(&lab, &["run", "--input", &deep]).complains(2, &["deep.toml", "line 1"]);
    let deep = lab.write("deep.json", &format!("{{\"results\":{}", "[".repeat(2_000_000)));
    confined(&lab, &["compare", "true", "--baseline", &deep]).complains(2, &["deep.json", "line 1"]);
}

/// A pipe whose writer writes nothing is waited for until the user interrupts.
#[test]
fn a_silent_pipe_is_waited_for_until_an_interruption() {
    let lab = Lab::new();
    lab.shell("mkfifo silent");
    let _writer = std::fs::File::options().read(true).write(true).open(lab.path("silent")).unwrap();
    for words in [["run", "--input"], ["compare", "--baseline"]] {
        let path = lab.file("silent");
        let words: Vec<&str> = words.into_iter().chain([path.as_str()]).chain(["true"]).collect();
        let live = lab.start(&words);
        live.answers();
        live.signal(SIGINT);
        live.end().complains(130, &["silent", "interrupted"]);
    }
}

#[test]
fn an_output_without_end_is_kept_in_part() {
    let lab = Lab::new();
    let build = "echo first; yes 'some words of a compiler' | head -c 300000000; echo last >&2; exit 3";
    let done = confined(&lab, &["explain", "{program}", "--build", build]).ends_with(4);
    assert!(done.err.contains("  last\n") && done.err.len() < 20_000, "{} bytes", done.err.len());
    let one_line =
        confined(&lab, &["explain", "{program}", "--build", "head -c 300000000 /dev/zero; exit 3"]);
    assert!(one_line.ends_with(4).err.len() < 20_000);
}

/// A baseline of ten million runs would be resampled thousands of times, so it is refused.
#[test]
fn a_baseline_of_millions_of_runs_is_refused() {
    let lab = Lab::new();
    let times = vec!["0.001"; 10_000_000].join(",");
    let text = format!("{{\"results\":[{{\"command\":\"true\",\"times\":[{times}]}}]}}");
    let path = lab.write("many.json", &text);
    let done = confined(&lab, &["compare", "true", "--baseline", &path]);
    done.complains(2, &["10000000 readings", "at most 100000"]);
}

/// A command line that starts this many processes, one after the other.
fn forks(count: u32) -> String {
    format!("i=0; while [ $i -lt {count} ]; do (:); i=$((i+1)); done")
}

/// Runs fauxplat, which must succeed; returns its output and the peak memory of the process and its helpers. Another
/// fauxplat measures that memory: the kernel's account of a child of the test process begins with the test process's
/// own memory, which other tests have made large.
fn measured(lab: &Lab, words: &[&str]) -> (String, u64) {
    let all = lab.starter().into_iter().chain(words.iter().map(|&word| word.to_owned()));
    let quoted: Vec<String> = all.map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
    let _of_another_run = std::fs::remove_file(lab.path("printed"));
    let once =
        ["run", "--runs", "1", "--stdout", &lab.file("printed"), "--format", "json", &quoted.join(" ")];
    let document = lab.run_unstored(&once).ends_with(0).json();
    (lab.read("printed"), number(&runs(&document, 0)[0], "peak_memory_bytes"))
}

/// Processes that a run leaves behind are only counted: a few hundred bytes for each would exceed the 32 MiB of data
/// that each process of fauxplat may have here.
#[test]
fn a_hundred_thousand_processes_in_a_run_are_counted_in_little_memory() {
    let lab = Lab::new();
    let words = ["run", "--shell", &forks(100_000), "--runs", "1", "--quiet"];
    confined_to(&lab, "--data=33554432", &words).ends_with(0);
    let last = lab.last();
    assert_eq!(runs(&last, 0).len(), 1);
    assert_eq!(number(&runs(&last, 0)[0], "left_behind"), 0);
}

/// Of very many processes that a command makes, only the first 10,000 are listed.
#[test]
fn a_tree_of_very_many_processes_lists_the_first() {
    let lab = Lab::new();
    lab.run(&["run", "--shell", &forks(11_000), "--runs", "1", "--tree", "--quiet"]).ends_with(0);
    let last = lab.last();
    let tree = last["commands"][0]["tree"].as_array().unwrap();
    assert_eq!(tree.len(), 10_000);
    let shell = &tree[0];
    assert!(tree[1..].iter().all(|process| process["parent"] == shell["pid"]), "the first is the shell");
    assert!(number(shell, "wall_ns") >= number(tree.last().unwrap(), "wall_ns"), "it is followed to its end");
    let shown = lab.run(&["history", "show", "last"]).out;
    let heading = "process tree: the first 10000 processes";
    assert!(shown.contains(heading), "{:?}", shown.lines().take(20).collect::<Vec<_>>());
}

/// A recording of perf whose header claims more bytes than the file has: the memory that is allocated depends on the
/// file's true size.
#[test]
fn a_recording_that_says_more_than_it_holds_is_refused_in_little_memory() {
    let lab = Lab::new();
    let section = |of: u64, said: u64| [of, said];
    for said in [1 << 20, 200 << 20, 1 << 40, u64::MAX] {
        for attributes in [said, 136] {
            let [attrs, data, types] = [section(104, attributes), section(240, said), section(0, 0)];
            let features = [u64::MAX, 0, 0, 0];
            let words = [&[104, 136][..], &attrs, &data, &types, &features].concat();
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            let mut file = std::fs::File::create(lab.path("perf.data")).unwrap();
            file.write_all(&b"PERFILE2".iter().copied().chain(bytes).collect::<Vec<u8>>()).unwrap();
            file.set_len(300 << 20).unwrap();
            let done = confined(&lab, &["profile", "--import", "perf.data"]);
            done.complains(2, &["perf.data"]);
        }
    }
}

/// A sparse file of forty gibibytes: its rows are empty, and its index may be damaged.
#[test]
fn a_table_of_more_rows_than_memory_holds_is_read_where_somebody_wrote() {
    const VALUE: i64 = 424_242_424_242;
    let lab = Lab::new();
    let shared = Shared::new("sparse");
    let options = Options::new().dense_objects(1).max_hashed_objects((1 << 31) - 2).dense_keys(1);
    let table: Table = options.create(&shared.path).unwrap();
    table.set(7, 0, VALUE).unwrap();
    assert!(std::fs::metadata(&shared.path).unwrap().len() > 40 << 30);
    let words = ["table", shared.file(), "--format", "json"];
    let look = |more: &[&str]| {
        let (text, peak_bytes) = measured(&lab, &[&words[..], more].concat());
        assert!(peak_bytes < 64 << 20, "{more:?}: {peak_bytes} bytes");
        text
    };
    let watch = &["--watch", "1ms", "--count", "2"][..];
    for more in [&[][..], watch] {
        assert!(look(more).contains(&VALUE.to_string()), "{more:?}");
    }
    // A mapped table takes address space: a process with too little gets an error line.
    let mut command = Command::new("prlimit");
    command.arg(SPACE).args(lab.starter()).args(words);
    lab.settle(&mut command);
    Done::of(command).complains(3, &[shared.file(), "mmap"]);
    // Overwrites the levels of the index's regions, of which the largest is 32 GiB of holes, and the level that no
    // region is below.
    let file = std::fs::File::options().write(true).open(&shared.path).unwrap();
    for level in [u32::MAX, 23, 10] {
        file.write_all_at(&level.to_ne_bytes().repeat(1024), 8192).unwrap();
        file.write_all_at(&level.to_ne_bytes(), 4096 + 512).unwrap();
        for more in [&[][..], watch] {
            assert!(!look(more).contains(&VALUE.to_string()), "level {level}, {more:?}");
        }
    }
}

/// A process that now belongs to another user cannot be ended, and is not waited for.
#[test]
fn what_is_out_of_reach_is_not_waited_for() {
    let lab = Lab::ordinary();
    if !process::is_root() {
        return println!("skipped: only root can make a program that becomes another user's");
    }
    lab.shell("install -m 4755 $(command -v setpriv) ./become");
    let become_root = "./become --ruid 0 --euid 0 --inh-caps=-all sleep";
    let probe = lab.run(&["run", &format!("{become_root} 0.01"), "--runs", "1"]);
    if probe.code != Some(0) {
        return println!("skipped: no program can become another user's here: {}", probe.err);
    }
    // A command that ends leaves this process behind. The command waits until the process has become another user's.
    let waits = "i=0; until grep -q sleep /proc/$!/comm || [ $i -gt 6000 ]; do sleep 0.01; i=$((i+1)); done";
    let line = format!("{become_root} 86481 & {waits}");
    lab.run(&["run", "--shell", &line, "--runs", "2"]).succeeds();
    // Here the command itself becomes a process of another user.
    let live = lab.start(&["run", &format!("{become_root} 86482")]);
    assert!(eventually(|| alive("sleep 86482") > 0));
    live.signal(SIGINT);
    live.end().ends_with(130);
    // Before it has become another user's, the process is still in reach of a time limit.
    let is_out_of_reach = LIMITS.iter().any(|limit| {
        lab.run(&["run", &format!("{become_root} 86483"), "--timeout", limit]).complains(4, &["--timeout"]);
        alive("sleep 86483") > 0
    });
    assert!(is_out_of_reach, "it was ended after all");
    for seconds in ["86481", "86482", "86483"] {
        let line = format!("sleep {seconds}");
        assert!(alive(&line) > 0, "it was ended after all");
        for pid in crate::common::pids(&line) {
            fauxplat_sys::signal::send(pid, crate::common::SIGKILL);
        }
        assert!(eventually(|| alive(&line) == 0));
    }
}
