//! Functions that the tests of the spawner share: a `main`, since the test program is its own spawner, and small
//! programs.
#![expect(clippy::disallowed_macros, reason = "a test program of its own prints")]

use std::path::PathBuf;

use fauxplat_launch::{Entry, Launcher, Program, Reply, Request, Spawner, Table, serve};

/// Runs the tests whose names contain the first word, or all tests without one; started as a spawner, runs the spawner.
pub(crate) fn run(tests: &[(&str, fn())]) {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "__spawner") {
        serve(&words[1..]).expect("the spawner serves");
        return;
    }
    let filter = words.iter().find(|word| !word.starts_with('-'));
    let chosen: Vec<_> =
        tests.iter().filter(|(name, _)| filter.is_none_or(|f| name.contains(f.as_str()))).collect();
    for (name, test) in &chosen {
        test();
        println!("test {name} ... ok");
    }
    println!(
        "\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; {} filtered out",
        chosen.len(),
        tests.len() - chosen.len()
    );
}

/// A temporary path of this process, and not in the build folder: the user who runs the tests may not be the user who
/// built them.
pub(crate) fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("fauxplat-{name}-{}", std::process::id()))
}

/// Command that starts this program as a spawner.
pub(crate) fn program() -> Program {
    Program { path: std::env::current_exe().unwrap(), words: vec!["__spawner".into()] }
}

pub(crate) fn spawner(entries: Vec<Entry>) -> Spawner {
    Spawner::start(&program(), Table { entries, ..Table::default() }).unwrap()
}

pub(crate) fn shell(line: &str) -> Entry {
    let argv = ["sh", "-c", line].map(str::to_owned).to_vec();
    Entry { program: "/bin/sh".into(), argv, env: vec!["PATH=/usr/bin:/bin".into()], ..Entry::default() }
}

pub(crate) fn request(entry: u32) -> Request {
    Request { entry, ..Request::default() }
}

pub(crate) fn reply_to(spawner: &mut Spawner, request: Request) -> Reply {
    spawner.submit(request);
    loop {
        if let Some(reply) = spawner.try_reply() {
            return reply;
        }
        spawner.wait(1000).unwrap();
    }
}
