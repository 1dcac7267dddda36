//! Files and pipes of the user: what is read is not overwritten, what can be read once is not asked for twice.

use crate::common::{Done, Lab, SIGINT, SIGTERM, eventually};

/// Files that only a command names, and what the shell did before fauxplat began.
#[test]
fn a_report_spares_what_the_commands_read_run_and_write() {
    let lab = Lab::new();
    lab.write("in.txt", "precious");
    lab.write("main.c", "int main(void) { return 0; }");
    lab.shell("mkdir below && cp /bin/true below/program && cp in.txt below/in.txt");
    lab.write("given.toml", "[[command]]\ncommand = \"cat\"\n[condition]\nstdin = \"in.txt\"\n");
    let (folder, build) = (lab.file("below"), "cc main.c -o {out}");
    for words in [
        &["run", "cat in.txt", "--output", "in.txt"][..],
        &["run", "-S", "sort <in.txt", "--export", "json=in.txt"],
        &["run", "dd if=in.txt", "--events", "in.txt"],
        &["run", "cat {f}", "-L", "f=in.txt,main.c", "--output", "in.txt"],
        &["run", "true", "--prepare", "cat in.txt", "--output", "in.txt"],
        &["run", "--definition", "given.toml", "--output", "in.txt"],
        &["run", "cat in.txt", "--cwd", &folder, "--output", "below/in.txt"],
        &["run", "./program", "--cwd", &folder, "--output", "below/program"],
        &["run", "env", "--output", "/usr/bin/env"],
        &["run", "true", "--stdout", "so.txt", "--output", "so.txt"],
        &["compare", "--build-a", build, "--build-b", build, "--output", "main.c"],
    ] {
        lab.run(words).complains(2, &["would overwrite it"]);
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
    piped("FAUXPLAT suite --store none --max-time 100ms <(cat suite.toml)").succeeds();
    piped("FAUXPLAT run --store none --stdin <(echo) cat").complains(2, &["--stdin", "read once", "save it"]);
    piped("FAUXPLAT profile --store none --import <(echo)").complains(2, &["no regular file, but a pipe"]);
}

/// Files that do not exist yet are told apart by their folders and names.
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
        lab.run(&words).complains(2, &["is the same file, and another output"]);
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
