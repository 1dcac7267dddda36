//! Builds and runs the examples in C, C++ and Python. A missing compiler skips its test with a message.
#![expect(clippy::disallowed_methods, reason = "compilers and the programs they make are processes")]
#![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Returns the directory with the libraries of this build: the parent of the tests' own directory.
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
    // A second run must report on stderr that the table exists, and fail.
    let again = run(Command::new(&program).arg(&table).env("LD_LIBRARY_PATH", libraries()))?;
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("create of"));
    let _ = std::fs::remove_file(table);
    Some(text(&output))
}

/// Name of the program in its build directory.
const PROGRAM: &str = "program";

/// Builds a source with the library, in a directory of the user who runs the tests: cargo's own directory belongs to
/// the user who built them.
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

/// Inline reads and reads through the index, in both widths, return the same as `fxt_get`.
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
    if let Some(output) = run(python(&["examples/publish.py"]).arg(&table)) {
        let expected = "sum 3000 row {0: 3000} many [3000, 4, None] objects [1, 10, 11, 12, 13, 14]";
        assert_eq!(text(&output), expected);
        let seen = fauxplat_table::AnyTable::open_read_only(&table).expect("it was just made");
        let names: Vec<&str> = seen.described().iter().map(|key| key.name.as_str()).collect();
        assert_eq!(names, ["requests", "depth"]);
    }
    let _ = std::fs::remove_file(table);
}

/// Returns Python with the module, and with the library of this build.
fn python(words: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", here("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("FAUXPLAT_TABLE_LIBRARY", libraries().join("libfauxplat_table_c.so"));
    command.args(words.iter().map(|word| here(word)));
    command
}

/// The features of the Python module that the Python example does not use: errors, descriptions, facts, records, and
/// NumPy if it is installed.
#[test]
fn python_reads_what_there_is() {
    let table = table("python-more");
    if let Some(output) = run(python(&["tests/module.py"]).arg(&table)) {
        let printed = text(&output);
        assert!(printed.ends_with("as it should be"), "{printed}");
        println!("{printed}");
    }
    let _ = std::fs::remove_file(table);
}

/// Many pairs at a time, rows, facts and descriptions; a second process opens the table that the first has created.
#[test]
fn c_writes_and_reads_many() {
    let Some(built) = build("cc", &["-std=c11"], "examples/many.c") else { return };
    let table = table("many");
    for _ in 0..2 {
        let mut command = Command::new(built.path().join(PROGRAM));
        let output = run(command.arg(&table).env("LD_LIBRARY_PATH", libraries()));
        let printed = text(&output.expect("it was just built"));
        assert_eq!(printed, "wrong 0 rows 999 key reads (reads done)");
    }
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&table).expect("it was just made"));
    assert_eq!(mode & 0o777 & !0o644, 0, "the permissions are those asked for, or fewer");
    let _ = std::fs::remove_file(table);
}

/// A path is bytes: a path that is not UTF-8 must not become the name of another file.
#[test]
fn a_path_that_is_no_text_is_taken_as_it_is() {
    let Some(built) = build("cc", &["-std=c11"], "examples/many.c") else { return };
    let folder = table("bytes");
    std::fs::create_dir(&folder).expect("a folder can be made");
    let name = std::ffi::OsStr::from_bytes(b"table-\xFF\xFE");
    let mut command = Command::new(built.path().join(PROGRAM));
    let output = run(command.arg(folder.join(name)).env("LD_LIBRARY_PATH", libraries()));
    text(&output.expect("it was just built"));
    let names = std::fs::read_dir(&folder).expect("a folder of our own");
    let names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names, [name]);
    let _ = std::fs::remove_dir_all(folder);
}
