//! `fauxplat table`: live tables, printed once and repeatedly; damaged, replaced and removed tables.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use fauxplat_sys::signal;
use fauxplat_sys::workplace::Workplace;
use fauxplat_table::{Key, Options, Table};

use crate::common::{Done, Lab, SIGINT, eventually, number};

/// The path of a table in a file system in memory; the file is removed when the value is dropped.
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
}

impl Shared {
    pub(crate) fn new(name: &str) -> Self {
        let path = PathBuf::from(format!("/dev/shm/fauxplat-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        Shared { path }
    }

    /// Creates a small table, so that copying the file is cheap, and makes the file readable by everybody.
    pub(crate) fn create(&self) -> Table {
        let options = Options::new().dense_objects(4).max_hashed_objects(64).dense_keys(4).mode(0o644);
        let table = options.create(&self.path).unwrap();
        // Other users read the table, whatever the test's umask is.
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o644)).unwrap();
        table
    }

    pub(crate) fn file(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn filled(name: &str) -> (Shared, Table) {
    let shared = Shared::new(name);
    let table = shared.create();
    for (object, key, value) in [(1, 0, 41), (1, 3, -5), (900, 0, i64::MAX)] {
        table.set(object, key, value).unwrap();
    }
    (shared, table)
}

#[test]
fn a_table_is_printed_in_every_format() {
    let (shared, _table) = filled("formats");
    for lab in Lab::both() {
        let text = lab.run(&["table", shared.file(), "--names", "served=0,debt=3,front=@1"]).succeeds().out;
        assert!(
            text.contains("served") && text.contains("front") && text.contains("9223372036854775807"),
            "{text}"
        );
        assert!(text.contains("which still runs"), "{text}");
        let csv = lab.run(&["table", shared.file(), "--format", "csv"]).succeeds().out;
        assert_eq!(csv.lines().next(), Some("elapsed_s,object,object_name,key,key_name,value,rate_per_s"));
        assert_eq!(csv.lines().nth(2), Some("0.000000,1,,3,,-5,"));
        let markdown = lab.run(&["table", shared.file(), "--format", "markdown"]).succeeds().out;
        assert!(markdown.contains("| `900` | 9223372036854775807 | – |"), "{markdown}");
        let json = lab.json(&["table", shared.file()]);
        assert_eq!((json["schema"].as_str(), number(&json, "value_bytes")), (Some("fauxplat.table/1"), 8));
        assert_eq!(
            (json["values"][1]["value"].as_i64(), &json["values"][1]["rate_per_s"]),
            (Some(-5), &().into())
        );
        lab.run(&["table", shared.file(), "--format", "hyperfine-json"])
            .complains(2, &["hyperfine-json", "table"]);
    }
    assert!(Lab::new().run(&["run", "true", "--format", "openmetrics"]).err.contains("for fleet, table"));
}

#[test]
fn objects_and_keys_are_chosen() {
    let (shared, _table) = filled("chosen");
    let lab = Lab::new();
    let values = |words: &[&str]| {
        let json = lab.json(&[&["table", shared.file()], words].concat());
        let pair = |value: &serde_json::Value| (number(value, "object"), number(value, "key"));
        json["values"].as_array().unwrap().iter().map(pair).collect::<Vec<_>>()
    };
    assert_eq!(values(&[]), [(1, 0), (1, 3), (900, 0)]);
    assert_eq!(values(&["--object", "1"]), [(1, 0), (1, 3)]);
    assert_eq!(values(&["--key", "0"]), [(1, 0), (900, 0)]);
    assert_eq!(values(&["--object", "900", "--object", "1", "--key", "3"]), [(1, 3)]);
    assert_eq!(values(&["--object", "5"]), []);
    assert!(lab.run(&["table", shared.file(), "--object", "5"]).succeeds().out.contains("no value"));
}

#[test]
fn metrics_are_an_exposition_that_appears_at_once() {
    let (shared, _table) = filled("metrics");
    let lab = Lab::new();
    let out = lab.file("fauxplat.prom");
    let names = ["--names", "served_requests_total=0,debt_bytes=3,fr\"ont=@1"];
    let words = ["table", shared.file(), "--format", "openmetrics", "--output", &out];
    lab.run(&[&words[..], &names].concat()).succeeds();
    let file = shared.file();
    let expected = format!(
        "# TYPE debt_bytes gauge\n# HELP debt_bytes Values of a live table, by object.\n# UNIT debt_bytes bytes\n\
         debt_bytes{{file=\"{file}\",object=\"fr\\\"ont\"}} -5\n\
         # TYPE served_requests counter\n# HELP served_requests Values of a live table, by object.\n\
         served_requests_total{{file=\"{file}\",object=\"fr\\\"ont\"}} 41\n\
         served_requests_total{{file=\"{file}\",object=\"900\"}} 9223372036854775807\n\
         # TYPE fauxplat_table_creator_alive gauge\n\
         # HELP fauxplat_table_creator_alive Whether the process that created the table still runs.\n\
         fauxplat_table_creator_alive{{file=\"{file}\"}} 1\n# EOF\n"
    );
    assert_eq!(lab.read("fauxplat.prom"), expected);
    // An error while writing leaves the old file, and no other file beside it.
    let refused = lab.run(&[&words[..], &["--names", "debt_total=3"]].concat());
    refused.complains(2, &["`debt`", "openmetrics", "below zero"]);
    assert_eq!(lab.read("fauxplat.prom"), expected);
    assert_eq!(fs::read_dir(lab.folder()).unwrap().count(), 1);
    // The temporary file of a writer that was killed is removed.
    let killed = Workplace::make("report", lab.folder()).unwrap();
    let left = killed.path().to_owned();
    killed.abandon();
    lab.run(&[&words[..], &names].concat()).succeeds();
    assert!(!left.exists());
    // The process that collects metrics may belong to another user, so the file is as readable as the umask permits.
    fs::write(lab.path("any"), "").unwrap();
    let readable = |name: &str| lab.path(name).metadata().unwrap().permissions().mode() & 0o444;
    assert_eq!(readable("fauxplat.prom"), readable("any"));
}

/// The descriptions of keys that a table's creator gave are used in reports.
#[test]
fn what_the_creator_described_needs_no_names() {
    let shared = Shared::new("described");
    let keys = [
        Key::counter(0, "requests").help("requests served"),
        Key::counter(1, "sent").unit("bytes"),
        Key::gauge(7, "queue \"length\"").unit("jobs of all").help("waiting"),
    ];
    let options = Options::new().dense_keys(2).max_sparse_keys(8).describe(keys);
    let table: Table = options.create(&shared.path).unwrap();
    table.set_many(&[(1, 0, 5), (1, 1, 4096), (1, 7, 3), (2, 0, 6)]).unwrap();
    let lab = Lab::new();
    let file = shared.file();
    let text = lab.run(&["table", file]).succeeds().out;
    for shown in ["requests: a counter, requests served", "sent: a counter in bytes", "jobs of all, waiting"]
    {
        assert!(text.contains(shown), "{text}");
    }
    let header = text.lines().find(|line| line.contains("object")).unwrap();
    assert!(header.contains("requests") && header.contains("sent") && header.contains("queue"), "{text}");
    let json = lab.json(&["table", file]);
    let described = ["name", "kind", "unit"].map(|field| json["keys"][1][field].as_str());
    assert_eq!((number(&json["keys"][1], "key"), described), (1, ["sent", "counter", "bytes"].map(Some)));
    assert_eq!(json["values"][2]["key_name"], "queue \"length\"");
    // Names that the user gives replace those of the table.
    let names = ["table", file, "--names", "waiting_jobs=7", "--format", "openmetrics"];
    let metrics = lab.run(&names).succeeds().out;
    for line in [
        "# TYPE requests counter\n# HELP requests requests served\n",
        &format!("requests_total{{file=\"{file}\",object=\"2\"}} 6\n"),
        "# UNIT sent_bytes bytes\n",
        &format!("sent_bytes_total{{file=\"{file}\",object=\"1\"}} 4096\n"),
        "# TYPE waiting_jobs gauge\n# HELP waiting_jobs waiting\n",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    // A name that no metric can have is spelt as a possible one, with a message.
    let metrics = lab.run(&["table", file, "--format", "openmetrics"]).succeeds().out;
    assert!(metrics.contains("\nqueue__length_{") && metrics.contains("key 7, named"), "{metrics}");
    // Warnings tell of names that name nothing, or that the table has for another key.
    let said = lab.run(&["table", file, "--names", "x=55,sent=0,server=@9"]).ends_with(0).err;
    for told in ["no key 55", "no object 9", "calls its key 1 `sent`"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let quiet = ["table", file, "--names", "x=7,server=@1"];
    assert_eq!(lab.run(&quiet).succeeds().err, "");
    lab.run(&["table", file, "--watch", "5"]).reports_misuse(&["--watch", "no unit", "5ms or 5s"]);
    let kept = fs::read(&shared.path).unwrap();
    lab.run(&["table", file, "--output", file]).reports_misuse(&["would overwrite it"]);
    assert!(fs::read(&shared.path).unwrap() == kept);
}

/// A reader that stops reading in the middle of a long report: fauxplat still ends when the user asks for it.
#[test]
fn a_signal_ends_a_look_that_nobody_reads() {
    let shared = Shared::new("asleep");
    let table: Table = Options::new().dense_keys(1).create(&shared.path).unwrap();
    (1..=50_000).try_for_each(|object| table.set(object, 0, 1)).unwrap();
    let lab = Lab::new();
    let mut command = lab.command(&["table", shared.file(), "-w", "1ms"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first byte of a look of some megabytes: a pipe does not hold the rest.
    let mut pipe = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut pipe, &mut [0]).unwrap();
    signal::send(child.id() as i32, SIGINT);
    let ended = eventually(|| child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    let done = Done::from(child.wait_with_output().unwrap());
    assert!(ended, "it waits for a reader that has fallen asleep");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    drop(pipe);
}

#[test]
fn a_followed_table_gives_lines_with_rates() {
    let (shared, table) = filled("followed");
    let lab = Lab::new();
    let words = ["table", shared.file(), "--key", "0", "--watch", "20ms", "--count", "5"];
    let text = lab.run(&words).succeeds().out;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["elapsed_s", "object", "key", "value", "rate_per_s"]);
    assert_eq!(rows.len(), 1 + 5 * 2);
    assert_eq!(
        (rows[1][1..].to_vec(), rows[3][1..].to_vec()),
        (vec!["1", "0", "41", "-"], vec!["1", "0", "41", "0.000"])
    );
    table.set(1, 0, 42).unwrap();
    let json = lab.run(&[&words[..], &["--format", "json"]].concat()).succeeds().out;
    let looks: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((looks.len(), looks[4]["values"][0]["rate_per_s"].as_f64()), (5, Some(0.0)));
    assert!(number(&looks[4], "elapsed_ns") > number(&looks[1], "elapsed_ns"));
    let csv = lab.run(&[&words[..], &["--format", "csv"]].concat()).succeeds().out;
    assert_eq!(csv.lines().filter(|line| line.starts_with("elapsed_s")).count(), 1);
    lab.run(&[&words[..], &["--format", "markdown"]].concat()).complains(2, &["markdown", "followed"]);
    lab.run(&["table", shared.file(), "--watch", "soon"]).complains(2, &["soon"]);
    lab.run(&["table", shared.file(), "--watch", "0"]).complains(2, &["--watch 0"]);
    let words = ["table", shared.file(), "--watch", "20ms", "--count", "1"];
    let beside = |more: &[&'static str]| lab.run(&[&words[..], more].concat());
    beside(&["--export", "json=kept.json"]).complains(2, &["--export", "--watch"]);
    beside(&["--style", "none"]).complains(2, &["--style"]);
    assert!(!lab.path("kept.json").exists());
}

/// The publishing process ends, its table is removed, and a new table of the same name appears; at last the user
/// interrupts.
#[test]
fn a_table_that_is_replaced_is_found_again() {
    let (shared, table) = filled("replaced");
    let lab = Lab::new();
    let out = lab.file("out");
    let live =
        lab.start(&["table", shared.file(), "-w", "10ms", "--object", "1", "--key", "0", "--output", &out]);
    let seen = |text: &str| eventually(|| lab.read("out").contains(text));
    assert!(seen(" 41 "));
    fs::remove_file(&shared.path).unwrap();
    drop(table);
    let before = lab.read("out").len();
    let again = shared.create();
    again.set(1, 0, 7).unwrap();
    assert!(seen(" 7 "));
    // The first reading of the new table has no rate, although the value is below that of the old table.
    let text = lab.read("out").split_off(before);
    let first = text.lines().find(|line| line.contains(" 7 ")).unwrap();
    assert!(first.trim_end().ends_with('-'), "{first}");
    again.add(1, 0, 1).unwrap();
    assert!(seen(" 8 "));
    live.signal(SIGINT);
    let done = live.end();
    assert_eq!(done.code, Some(0), "{done:?}");
    let lines: Vec<&str> = done.err.lines().collect();
    assert!(lines.iter().all(|line| line.contains("waiting for a new table")), "{done:?}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it() {
    let (shared, _table) = filled("pipe");
    let lab = Lab::new();
    let mut command = lab.command(&["table", shared.file(), "-w", "1ms"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(eventually(|| child.try_wait().unwrap().is_some()));
    let done = Done::from(child.wait_with_output().unwrap());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
}

#[test]
fn what_is_no_table_is_refused_in_one_line() {
    let (shared, _table) = filled("hostile");
    let bytes = fs::read(&shared.path).unwrap();
    for lab in Lab::both() {
        let complaint = |code, words: &[&str]| lab.run(&["table", &lab.file("file")]).complains(code, words);
        complaint(2, &["No such file"]);
        lab.write("file", "not a table");
        complaint(2, &["not a usable table", "shorter"]);
        for length in [127, 4096, bytes.len() / 2, bytes.len() - 1] {
            fs::write(lab.path("file"), &bytes[..length]).unwrap();
            complaint(2, &[if length < 128 { "shorter" } else { "truncated" }]);
        }
        for (offset, word) in [(0, "first bytes"), (8, "byte-order"), (40, "checksum"), (104, "checksum")] {
            let mut damaged = bytes.clone();
            damaged[offset] ^= 0x10;
            fs::write(lab.path("file"), damaged).unwrap();
            complaint(2, &["not a usable table", word]);
        }
        let mut newer = bytes.clone();
        newer[16] = 9;
        fs::write(lab.path("file"), newer).unwrap();
        complaint(2, &["version 9"]);
        lab.run(&["table", "/dev/shm"]).complains(2, &["not a regular file"]);
        lab.run(&["table", "/dev/zero"]).complains(2, &["not a regular file"]);
        lab.run(&["table", shared.file(), "--names", "a"]).complains(2, &["--names", "No such file"]);
        lab.run(&["table", shared.file(), "--output", "/no/such/place"]).complains(2, &["/no/such/place"]);
        let metrics = ["table", shared.file(), "--format", "openmetrics", "--output", "/no/such/place"];
        lab.run(&metrics).complains(2, &["/no/such/place"]);
    }
}

/// Random bytes after an intact header: the values mean nothing, but the table is printed to its end.
#[test]
fn noise_is_printed_as_it_is() {
    let (shared, _table) = filled("noise");
    let mut bytes = fs::read(&shared.path).unwrap();
    let mut state = 7_u64;
    for byte in &mut bytes[4096..] {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *byte = (state >> 56) as u8;
    }
    let lab = Lab::new();
    fs::write(lab.path("file"), bytes).unwrap();
    lab.run(&["table", &lab.file("file"), "--format", "csv"]).succeeds();
    lab.run(&["table", &lab.file("file"), "-w", "5ms", "-n", "3"]).succeeds();
}

#[test]
fn a_table_of_somebody_else_is_a_matter_of_permissions() {
    let lab = Lab::ordinary();
    let (shared, _table) = filled("private");
    fs::set_permissions(&shared.path, fs::Permissions::from_mode(0o000)).unwrap();
    if fauxplat_sys::process::is_root() {
        lab.run(&["table", shared.file()]).complains(3, &["Permission denied"]);
    } else {
        Lab::new().run(&["table", shared.file()]).complains(3, &["Permission denied"]);
    }
}

/// In another container, the process id of the table's creator may belong to any process, so it says nothing.
#[test]
fn a_publisher_of_another_pid_namespace() {
    let (shared, _table) = filled("namespace");
    let lab = Lab::new();
    let looked = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork", "--mount-proc"]).args(lab.starter());
        command.args(["table", shared.file()]).args(words);
        lab.settle(&mut command);
        Done::of(command)
    };
    let text = looked(&[]);
    if text.err.starts_with("unshare:") {
        eprintln!("skipped: no pid namespace can be made here");
        return;
    }
    let text = text.succeeds().out;
    assert!(text.contains("is unknown here"), "{text}");
    let document = looked(&["--format", "json"]).succeeds().json();
    assert!(document["creator_alive"].is_null(), "{document}");
    let metrics = looked(&["--format", "openmetrics"]).succeeds().out;
    assert!(!metrics.contains("creator_alive") && metrics.ends_with("# EOF\n"), "{metrics}");
    let here = lab.json(&["table", shared.file()]);
    assert_eq!(here["creator_alive"], true);
}
