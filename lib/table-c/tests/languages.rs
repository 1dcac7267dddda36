//! The examples of the other languages, built and run. A missing compiler skips its test with a line.
#![expect(clippy::disallowed_methods, reason = "compilers and the programs they make are processes")]
#![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The directory with the libraries of this very build: the parent of the tests' own.
fn libraries() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its own name");
    let deps = own.parent().expect("a test lies in a folder");
    let found = |folder: &Path| folder.join("libfauxplat_table_c.so").exists();
    [deps.to_owned(), deps.join("..")]
        .into_iter()
        .find(|folder| found(folder))
        .expect("the library was built")
}

fn run(program: &mut Command) -> Option<Output> {
    match program.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: {} is not installed", program.get_program().display());
            None
        }
        result => Some(result.expect("a program can be started")),
    }
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn table(name: &str) -> PathBuf {
    let path = PathBuf::from(format!("/dev/shm/fauxplat-c-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Builds a source with the library and runs it on a fresh table.
fn build_and_run(compiler: &str, arguments: &[&str], source: &str, name: &str) -> Option<String> {
    let built = build(compiler, arguments, source)?;
    let program = built.path().join(PROGRAM);
    let table = table(name);
    let output = run(Command::new(&program).arg(&table).env("LD_LIBRARY_PATH", libraries()))?;
    // A second run must say that the table exists, on stderr, and fail.
    let again = run(Command::new(&program).arg(&table).env("LD_LIBRARY_PATH", libraries()))?;
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("create of"));
    let _ = std::fs::remove_file(table);
    Some(text(&output))
}

/// Name of the program in its build directory.
const PROGRAM: &str = "program";

/// Builds a source with the library, in a directory of the user who runs the tests: cargo's own belongs to the user who
/// built them.
fn build(compiler: &str, arguments: &[&str], source: &str) -> Option<TempDir> {
    let folder = TempDir::new().expect("a temporary folder can be made");
    let mut command = Command::new(compiler);
    command.args(arguments).args(["-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-I"]);
    command.arg(here("include")).arg(here(source)).arg("-L").arg(libraries());
    command.args(["-lfauxplat_table_c", "-o"]).arg(folder.path().join(PROGRAM));
    text(&run(&mut command)?);
    Some(folder)
}

#[test]
fn c_publishes() {
    if let Some(printed) = build_and_run("cc", &["-std=c11"], "examples/publish.c", "publish-c") {
        assert_eq!(printed, "requests 1000 bytes 512000");
    }
}

/// In line and through the index, in both widths, as `fxt_get` would.
#[test]
fn c_reads_in_line() {
    let Some(built) = build("cc", &["-std=c11"], "examples/read.c") else { return };
    for width in [&[][..], &["narrow"]] {
        let table = table("read");
        let mut command = Command::new(built.path().join(PROGRAM));
        let output = run(command.arg(&table).args(width).env("LD_LIBRARY_PATH", libraries()));
        assert_eq!(text(&output.expect("it was just built")), "found 40 wrong 0 sum 2080");
        let _ = std::fs::remove_file(table);
    }
}

/// A server continues to count in the table of its predecessor.
#[test]
fn a_server_publishes_its_requests() {
    let Some(built) = build("cc", &["-std=c11"], "examples/serve.c") else { return };
    let table = table("serve");
    let requests = || {
        let mut command = Command::new(built.path().join(PROGRAM));
        let output = run(command.arg(&table).args(["5", "100"]).env("LD_LIBRARY_PATH", libraries()));
        let printed = text(&output.expect("it was just built"));
        printed.strip_prefix("requests ").and_then(|count| count.parse::<u64>().ok()).expect("a number")
    };
    let (first, second) = (requests(), requests());
    assert!(first > 0 && second > first, "{first} and then {second}");
    let _ = std::fs::remove_file(table);
}

#[test]
fn cpp_publishes() {
    if let Some(printed) = build_and_run("c++", &["-std=c++17"], "examples/publish.cpp", "publish-cpp") {
        assert_eq!(printed, "owned 40000 shared 40000");
    }
}

#[test]
fn python_publishes() {
    let table = table("python");
    let mut command = Command::new("python3");
    command.arg(here("examples/publish.py")).arg(libraries().join("libfauxplat_table_c.so")).arg(&table);
    if let Some(output) = run(&mut command) {
        assert_eq!(text(&output), "sum 3000");
    }
    let _ = std::fs::remove_file(table);
}
