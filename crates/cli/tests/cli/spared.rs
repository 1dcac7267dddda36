//! Files and pipes of the user: what a command line reads is not overwritten, and input that can be read once is not
//! used twice.

use crate::common::{Done, Lab, SIGINT, SIGTERM, eventually};

/// No report overwrites a file that a command, a redirection, a helper or a definition certainly opens.
#[test]
fn a_report_spares_what_the_commands_read_run_and_write() {
    let lab = Lab::new();
    lab.write("in.txt", "precious");
    lab.shell("mkdir below && cp /bin/true below/program && cp /bin/true tool && cp in.txt below/in.txt");
    lab.write("given.toml", "[[command]]\ncommand = \"cat\"\n[condition]\nstdin = \"in.txt\"\n");
    let folder = lab.file("below");
    for words in [
        &["run", "-S", "sort <in.txt", "--export", "json=in.txt"][..],
        &["run", "sh -c 'sort < in.txt'", "--events", "in.txt"],
        &["run", "-S", "cat <{f}", "-L", "f=in.txt,given.toml", "--output", "in.txt"],
        &["run", "true", "--prepare", "cat <in.txt", "--output", "in.txt"],
        &["run", "--definition", "given.toml", "--output", "in.txt"],
        &["run", "-S", "cat <in.txt", "--cwd", &folder, "--output", "below/in.txt"],
        &["run", "./program", "--cwd", &folder, "--output", "below/program"],
        &["run", "env", "--output", "/usr/bin/env"],
        &["run", "true", "--stdout", "so.txt", "--output", "./so.txt"],
        &["suite", "./tool", "./below/program", "--output", "tool"],
    ] {
        let done = lab.run(words).ends_with(2);
        let is_told = ["would overwrite it", "is the same file"];
        assert!(is_told.iter().any(|told| done.err.contains(told)), "{words:?}: {}", done.err);
    }
    lab.shell(
        "grep -q precious in.txt && grep -q precious below/in.txt && below/program && test ! -e so.txt",
    );
    for words in [
        &["run", "-r", "2", "cat in.txt", "--output", "out.txt"][..],
        &["run", "-r", "2", "true", "--stdout", "so.txt", "--output", "out.txt"],
        &["run", "-r", "2", "cat in.txt", "--cwd", &folder, "--output", "out.txt"],
    ] {
        lab.run(words).succeeds();
    }
}

/// Output of the commands is not appended to a file that the same command line reads.
#[test]
fn output_of_the_commands_spares_what_is_read() {
    let lab = Lab::new();
    lab.run(&["run", "-r", "6", "echo x", "--export", "json=old.json"]).succeeds();
    lab.write("in.txt", "precious");
    lab.write("given.toml", "[[command]]\ncommand = \"echo x\"\n");
    lab.write(
        "saved.toml",
        "[[command]]\ncommand = \"cat\"\n[condition]\noutput = { file = \"saved.toml\" }\n",
    );
    lab.shell("ln -s old.json link && cp old.json kept.json && cp saved.toml kept.toml && cp /bin/echo tool");
    for words in [
        &["compare", "--baseline", "old.json", "echo x", "--stdout", "link"][..],
        &["run", "--definition", "given.toml", "--stdout", "given.toml"],
        &["run", "--definition", "saved.toml"],
        &["run", "cat", "--stdin", "in.txt", "--stdout", "./in.txt"],
        &["run", "echo x", "--store", "store.sqlite", "--stdout", "store.sqlite-wal"],
        &["run", "./tool x", "--stdout", "tool"],
        &["run", "-S", "cat <in.txt", "--stdout", "in.txt"],
    ] {
        Done::of(lab.bare(words))
            .complains(2, &["would be appended to it", "name another file for --stdout"]);
    }
    let mut shell = std::process::Command::new("sh");
    let starter = lab.starter().join(" ");
    shell.args(["-c", &format!("{starter} compare --baseline - 'echo x' --stdout old.json <old.json")]);
    lab.settle(&mut shell);
    Done::of(shell).complains(2, &["standard input", "would be appended to it"]);
    lab.shell("cmp old.json kept.json && cmp saved.toml kept.toml && test $(wc -c <in.txt) = 8 && ./tool");
    lab.run(&["run", "-r", "2", "echo x", "--stdout", "given.toml"]).succeeds();
}

/// A word of a command that equals the name of an earlier report does not count as an input: a second call succeeds
/// like the first, with a message about the word.
#[test]
fn words_that_equal_earlier_reports_are_no_inputs() {
    let lab = Lab::new();
    lab.shell("cp /bin/true ./true");
    for words in [
        &["run", "-r", "2", "echo a.md", "--export", "markdown=a.md"][..],
        &["run", "-r", "2", "true", "-n", "x", "--export", "csv=x"],
        &["run", "-r", "2", "true", "--export", "csv=./true"],
        &["run", "-r", "2", "echo {f}", "-L", "f=y,z", "--output", "y"],
        &["run", "-r", "2", "true", "--env", "REPORT=e.json", "--export", "json=e.json"],
    ] {
        lab.run(words).ends_with(0);
        lab.run(words).ends_with(0);
    }
    lab.run(&["run", "-r", "2", "echo a.md", "--export", "markdown=a.md"])
        .complains(0, &["`echo a.md` has a word of this name; the report replaces it"]);
}

#[test]
fn a_report_does_not_go_where_standard_output_goes() {
    let lab = Lab::new();
    let redirected = |line: &str| {
        let mut shell = std::process::Command::new("sh");
        let starter = lab.starter().join(" ");
        shell.args(["-c", &format!("{starter} run -r 2 --store none true {line}")]);
        lab.settle(&mut shell);
        Done::of(shell)
    };
    redirected("--export json=r.json >r.json").complains(2, &["standard output goes to this file"]);
    redirected("--output both 2>both >/dev/null").ends_with(2);
    redirected("--events ./e.log >>e.log").complains(2, &["standard output goes to this file"]);
    redirected("--export json=/dev/stdout >r.json").ends_with(0);
    assert!(lab.read("r.json").starts_with('{'), "{}", lab.read("r.json"));
    redirected("--export json=other.json >r.txt").succeeds();
}

#[test]
fn pipes_are_read_once_or_refused() {
    let lab = Lab::new();
    let piped = |line: &str| {
        let mut shell = std::process::Command::new("bash");
        let starter = lab.starter().join(" ");
        shell.args(["-c", &line.replace("FAUXPLAT", &starter)]);
        lab.settle(&mut shell);
        Done::of(shell)
    };
    lab.run(&["run", "-r", "6", "true", "--export", "json=before.json"]).succeeds();
    lab.write("given.toml", "[[command]]\ncommand = \"true\"\n");
    lab.write("suite.toml", "[[benchmark]]\nname = \"x\"\na = \"true\"\nb = \"true\"\n");
    piped("FAUXPLAT run -r 2 --store none --definition - <given.toml").succeeds();
    piped("cat given.toml | FAUXPLAT run -r 2 --store none --definition -").succeeds();
    piped("cat before.json | FAUXPLAT compare --store none --max-pairs 6 --baseline - true").succeeds();
    piped("cat given.toml | FAUXPLAT run -r 2 --store none --output - --definition -").succeeds();
    piped("cat before.json | FAUXPLAT compare --store none --max-pairs 6 --baseline - true --export json=-")
        .ends_with(0);
    piped("FAUXPLAT suite --store none --max-time 4s <(cat suite.toml)").succeeds();
    piped("cat suite.toml | FAUXPLAT suite --store none --max-time 4s -").succeeds();
    piped("FAUXPLAT suite --store none --max-time 4s - <suite.toml").succeeds();
    piped("FAUXPLAT suite --store none --max-time 4s -").ends_with(2);
    for twice in [
        "compare --baseline - --with -",
        "compare --baseline - --with /dev/stdin",
        "suite --from - -",
        "compare --definition - --baseline -",
        "run --definition - --stdin -",
    ] {
        piped(&format!("cat before.json | FAUXPLAT {twice}")).complains(2, &["standard input", "read once"]);
    }
    piped("FAUXPLAT run --store none --stdin <(echo) cat").complains(2, &["--stdin", "read once", "save it"]);
    piped("FAUXPLAT profile --store none --import <(echo)").complains(2, &["no perf.data that can be read"]);
}

/// Whether two names mean the same file that does not exist yet is decided by folder and name.
#[test]
fn two_reports_in_one_file_to_come_are_refused() {
    let lab = Lab::new();
    lab.shell("mkdir below && ln -s below link");
    for outputs in [
        ["--export", "json=x", "--export", "csv=./x"],
        ["--output", "below/x", "--export", "csv=link/x"],
        ["--export", "json=x", "--events", "below/../x"],
    ] {
        let words = [&["run", "-r", "2", "true"][..], &outputs].concat();
        lab.run(&words).complains(2, &["is the same file"]);
    }
}

#[test]
fn a_pipe_that_nobody_reads_does_not_outlast_an_interrupt() {
    let lab = Lab::new();
    lab.shell("mkfifo events report");
    let live = lab.start(&["run", "touch ran", "-r", "2", "--events", "events"]);
    live.answers();
    live.signal(SIGINT);
    live.end().complains(130, &["events", "anybody read"]);
    let live = lab.start(&["run", "touch ran", "-r", "2", "--output", "report"]);
    assert!(eventually(|| lab.path("ran").exists()));
    live.signal(SIGTERM);
    assert!(live.end().err.contains("report"), "it ended");
}

/// A reader that opens a pipe and does not read from it does not keep fauxplat from ending when the user asks for that.
#[test]
fn a_reader_that_fell_asleep_does_not_outlast_an_interrupt() {
    let lab = Lab::new();
    lab.shell("mkfifo events report");
    let changed = || std::fs::metadata(lab.path("ran")).and_then(|facts| facts.modified()).ok();
    for (pipe, words) in [
        ("events", &["run", "touch ran", "-r", "3000", "--events", "events"][..]),
        ("report", &["run", "touch ran", "-r", "600", "--format", "json", "--output", "report"]),
    ] {
        // Opening a pipe at both ends does not wait for another process.
        let asleep = std::fs::File::options().read(true).write(true).open(lab.path(pipe)).unwrap();
        let live = lab.start(words);
        live.answers();
        // Waits until the pipe is full, or everything is written: then no run touches the file any more.
        let is_silent = || {
            let before = changed();
            std::thread::sleep(std::time::Duration::from_millis(300));
            before.is_some() && before == changed()
        };
        assert!(eventually(is_silent), "{pipe}");
        live.signal(SIGTERM);
        live.end();
        drop(asleep);
    }
}
