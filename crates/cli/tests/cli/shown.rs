//! Every option of every verb has an effect that these tests see, or is refused.
//!
//! `shown.txt` has a section for each verb: a command line as a base, and rows. A row is an option with its words, and
//! a sign of it in the results of the command line, which the base does not give. Rows without an empty line between
//! them are tried together on one line. A row with `|?` may be refused instead, where this machine or user cannot do
//! it; an option with the sign `refused` must be, in a sentence that names it. Options of verbs that only look are in
//! `options.rs`.
//! Length: the table of signs, its reader and its walk belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use fauxplat_launch::words::split;
use fauxplat_table::Options;
use serde_json::Value;

use crate::common::{Done, Lab, first_cpu, first_pair, takes_store};
use crate::options;

/// Shell functions that make the files and programs that the lines of `shown.txt` name.
const PLACE: &str = include_str!("shown.sh");

/// The sign by which the effect of an option is seen in the outcome of a command line, compared with that of the base.
#[derive(Clone, Debug)]
enum Sign {
    /// A line with this beginning in the log of the program `probe` of `shown.sh`.
    Probe(String),
    /// A value of the JSON document, given by the end of its path; an empty text stands for any value there.
    Json(String, String),
    /// A file of this name with this text in it, or a folder; the base makes no such file.
    File(String, String),
    /// These words in the report or in a message on standard error.
    Says(String),
    /// Words that the base prints and the line with the option does not.
    Lacks(String),
    /// A refusal that contains these words, or, if they are empty, names the option.
    Refused(String),
    /// A report with fewer lines than that of the base, but not an empty one.
    Shorter,
    /// A report with more lines than that of the base.
    Longer,
    /// An empty report.
    Empty,
    /// Escape sequences in the report.
    Coloured,
    /// No character outside ASCII, where the base has some.
    Ascii,
    /// Two names in the report, in another order than in the base.
    Swaps,
    /// The effect is seen by a test of another module, which has a terminal or a history of its own; the text is the
    /// path of that test.
    Elsewhere(String),
    /// An exit code of this number.
    Code(i32),
    /// An earlier end than that of the base line.
    Sooner,
}

impl Sign {
    fn of(text: &str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (first, others) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "probe" => Sign::Probe(rest.into()),
            "json" => Sign::Json(format!("/{first}"), others.into()),
            "file" => Sign::File(first.into(), others.into()),
            "says" => Sign::Says(rest.into()),
            "lacks" => Sign::Lacks(rest.into()),
            "refused" => Sign::Refused(rest.into()),
            "shorter" => Sign::Shorter,
            "longer" => Sign::Longer,
            "empty" => Sign::Empty,
            "coloured" => Sign::Coloured,
            "ascii" => Sign::Ascii,
            "swaps" => Sign::Swaps,
            "elsewhere" => Sign::Elsewhere(rest.into()),
            "code" => Sign::Code(rest.parse().unwrap()),
            "sooner" => Sign::Sooner,
            other => panic!("`{other}` is no sign"),
        }
    }
}

/// An option with its value as words of a command line, and the sign of its effect.
#[derive(Clone, Debug)]
struct Row {
    words: Vec<String>,
    sign: Sign,
    /// Whether the option may be refused instead, since not every machine and user supports it.
    may_be_refused: bool,
}

impl Row {
    fn of(line: &str) -> Self {
        let (words, sign, may_be_refused) = match (line.split_once(" |? "), line.split_once(" | ")) {
            (Some((words, sign)), _) => (words, sign, true),
            (None, Some((words, sign))) => (words, sign, false),
            (None, None) => panic!("{line}: no sign"),
        };
        Row { words: split(words).unwrap(), sign: Sign::of(sign), may_be_refused }
    }

    fn option(&self) -> &str {
        self.words[0].trim_start_matches('-').split('=').next().unwrap_or_default()
    }

    /// Whether the option has to be tried on a command line of its own.
    fn is_alone(&self) -> bool {
        matches!(self.sign, Sign::Refused(_))
    }
}

/// Options that are tried on one command line.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Words of the command line to which the options are added, instead of the section's base.
    line: Option<Vec<String>>,
    /// Words of the command line with which the lines of the block are compared, instead of the line without these
    /// options.
    than: Option<Vec<String>>,
    rows: Vec<Row>,
}

/// The section of a verb: the command line without options (the base), and the blocks of options.
#[derive(Clone, Debug, Default)]
struct Section {
    base: Vec<String>,
    /// Folder of the laboratory in which the lines are run.
    folder: String,
    /// Lines for the shell, before the first command line.
    before: Vec<String>,
    /// Lines for the shell, before each command line.
    again: Vec<String>,
    blocks: Vec<Block>,
}

/// The sections of `shown.txt`, by the words of the verb.
static SECTIONS: LazyLock<BTreeMap<String, Section>> = LazyLock::new(|| sections(include_str!("shown.txt")));

fn sections(text: &str) -> BTreeMap<String, Section> {
    let pid = std::process::id().to_string();
    let text = text.replace("{cpu}", &first_cpu()).replace("{pair}", &first_pair()).replace("{pid}", &pid);
    let mut found = BTreeMap::new();
    let mut groups = BTreeMap::new();
    for part in text.split("\n[").skip(1) {
        let (head, body) = part.split_once("]\n").expect("a section has a name");
        let section = section(body, &groups);
        match head.strip_prefix("group ") {
            Some(name) => drop(groups.insert(name.to_owned(), section.blocks)),
            None => assert!(found.insert(head.to_owned(), section).is_none(), "{head} twice"),
        }
    }
    found
}

fn section(body: &str, groups: &BTreeMap<String, Vec<Block>>) -> Section {
    let (mut section, mut used) = (Section::default(), Vec::new());
    for paragraph in body.split("\n\n") {
        let mut block = Block::default();
        for line in paragraph.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("base", words) => section.base = split(words).unwrap(),
                ("in", folder) => folder.clone_into(&mut section.folder),
                ("before", line) => section.before.push(line.to_owned()),
                ("again", line) => section.again.push(line.to_owned()),
                ("line", words) => block.line = Some(split(words).unwrap()),
                ("than", words) => block.than = Some(split(words).unwrap()),
                ("use", names) => used.extend(names.split(' ').flat_map(|name| groups[name].clone())),
                _ => block.rows.push(Row::of(line)),
            }
        }
        if !block.rows.is_empty() {
            section.blocks.push(block);
        }
    }
    // A row of the section itself replaces a row for the same option in a group.
    let own = section.blocks.iter().flat_map(|block| &block.rows).map(|row| row.option().to_owned());
    let own: BTreeSet<String> = own.collect();
    used.iter_mut().for_each(|block| block.rows.retain(|row| !own.contains(row.option())));
    section.blocks.extend(used);
    section
}

#[derive(Debug)]
struct Outcome {
    done: Done,
    document: Value,
    /// The log in which the program `probe` of `shown.sh` describes each of its runs.
    probe: String,
    /// Texts of the files that the command line made, of those that the rows of the section name, by name.
    files: BTreeMap<String, String>,
    took: Duration,
}

impl Outcome {
    /// Whether this command line was refused, and in another way than the base.
    fn is_refused(&self, base: &Outcome) -> bool {
        let of = |it: &Outcome| (it.done.code, it.done.err.clone());
        matches!(self.done.code, Some(2 | 3)) && of(self) != of(base)
    }

    /// All values of the document whose path ends with `end`.
    fn values(&self, end: &str) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.document, String::new(), end, &mut found);
        found
    }
}

fn collect(value: &Value, path: String, end: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, it)| collect(it, format!("{path}/{name}"), end, found));
        }
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(at, it)| collect(it, format!("{path}/{at}"), end, found));
        }
        _ => {}
    }
    if path.ends_with(end) {
        found.push(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
}

fn says(done: &Done, text: &str) -> bool {
    done.out.contains(text) || done.err.contains(text)
}

fn lines(outcome: &Outcome) -> usize {
    outcome.done.out.lines().count()
}

/// The trial of a verb's options: the verb's laboratory, and the options whose effect was not seen.
struct Trial<'s> {
    verb: &'s str,
    section: &'s Section,
    options: Vec<String>,
    lab: Lab,
    silent: Vec<String>,
}

impl<'s> Trial<'s> {
    /// A laboratory with all that the lines of `shown.txt` name.
    fn new(verb: &'s str) -> Self {
        let section = SECTIONS.get(verb).unwrap_or_else(|| panic!("{verb} has no section"));
        let options = options::all().remove(verb).unwrap_or_else(|| panic!("there is no {verb}"));
        let trial = Trial { verb, section, options, lab: Lab::new(), silent: Vec::new() };
        trial.lab.write("shown.sh", PLACE);
        trial.shell("probe; files");
        if verb == "table" {
            let options = Options::new().dense_objects(4).max_hashed_objects(64).dense_keys(4).on_disk(true);
            let table: fauxplat_table::Table = options.create(trial.lab.path("live.table")).unwrap();
            // No number of a process has so many digits.
            for (object, key, value) in [(1, 0, 31_415_926), (1, 3, 5), (27_182_818, 0, 42)] {
                table.set(object, key, value).unwrap();
            }
        }
        section.before.iter().for_each(|line| trial.shell(line));
        trial
    }

    fn filled(&self, text: &str) -> String {
        text.replace("{lab}", self.lab.folder().to_str().unwrap())
    }

    fn shell(&self, line: &str) {
        let mut command = Command::new("sh");
        command.args(["-ec", &format!(". ./shown.sh\n{}", self.filled(line))]);
        self.lab.settle(&mut command);
        command.env("FAUXPLAT", &self.lab.starter()[0]).env("FAUXPLAT_STORE", self.lab.path("store.sqlite"));
        let done = Done::of(command);
        assert_eq!(done.code, Some(0), "{line}: {done:?}");
    }

    /// Runs a command line, with the store of the laboratory and a JSON document beside its report.
    fn run(&self, words: &[String]) -> Outcome {
        self.section.again.iter().for_each(|line| self.shell(line));
        for file in ["probe.log", "document.json"] {
            let _ = fs::remove_file(self.lab.path(file));
        }
        let mut words: Vec<String> = words.iter().map(|word| self.filled(word)).collect();
        let mut given = Vec::new();
        let is_stored = takes_store(&words.iter().map(String::as_str).collect::<Vec<&str>>());
        if is_stored && !words.contains(&"--store".to_owned()) {
            given.extend(["--store".to_owned(), self.lab.file("store.sqlite")]);
        }
        let has_document = self.options.iter().any(|option| option == "export");
        if has_document {
            given.extend(["--export".to_owned(), format!("json={}", self.lab.file("document.json"))]);
        }
        let end = words.iter().position(|word| word == "--for").unwrap_or(words.len());
        words.splice(end..end, given);
        let mut command = self.lab.bare(&words.iter().map(String::as_str).collect::<Vec<&str>>());
        command.current_dir(self.lab.path(&self.section.folder));
        let began = Instant::now();
        let mut done = Done::of(command);
        let took = began.elapsed();
        let text = if has_document { &self.lab.read("document.json") } else { &done.out };
        let read = if self.verb == "fleet emit" { order(text) } else { serde_json::from_str(text).ok() };
        let document = read.unwrap_or_default();
        // The last line of a report repeats the command line, so it is no sign of an effect.
        done.out.truncate(done.out.find("repeat with: ").unwrap_or(done.out.len()));
        Outcome { document, probe: self.lab.read("probe.log"), files: self.take(), done, took }
    }

    /// Whether the effect that `sign` describes is in an outcome and not in that of the base.
    fn has(&self, outcome: &Outcome, sign: &Sign, base: &Outcome) -> bool {
        let (ours, theirs) = (&outcome.done, &base.done);
        match sign {
            Sign::Probe(text) => {
                let begins = |log: &str| log.lines().any(|line| line.starts_with(&self.filled(text)));
                begins(&outcome.probe) && !begins(&base.probe)
            }
            Sign::Json(end, value) => {
                let has = |it: &Outcome| it.values(end).iter().any(|one| value.is_empty() || one == value);
                has(outcome) && !has(base)
            }
            Sign::File(name, text) => {
                let has = |it: &Outcome| it.files.get(name).is_some_and(|file| file.contains(text));
                has(outcome) && !has(base)
            }
            Sign::Says(text) => says(ours, text) && !says(theirs, text),
            Sign::Lacks(text) => !says(ours, text) && says(theirs, text),
            Sign::Refused(_) => false,
            Sign::Shorter => (1..lines(base)).contains(&lines(outcome)),
            Sign::Longer => lines(outcome) > lines(base),
            Sign::Empty => ours.out.is_empty() && !theirs.out.is_empty(),
            Sign::Coloured => ours.out.contains('\u{1b}') && !theirs.out.contains('\u{1b}'),
            Sign::Ascii => ours.out.is_ascii() && !theirs.out.is_ascii(),
            Sign::Swaps => {
                let order = |it: &Done| it.out.find("sleep").cmp(&it.out.find("true"));
                order(ours) != order(theirs)
            }
            Sign::Elsewhere(test) => is_test(test),
            Sign::Sooner => outcome.took < base.took,
            Sign::Code(code) => ours.code == Some(*code) && theirs.code != Some(*code),
        }
    }

    /// Removes the files that a command line made and the section names; returns their texts. A name may have a `*` for
    /// a folder.
    fn take(&self) -> BTreeMap<String, String> {
        let rows = self.section.blocks.iter().flat_map(|block| &block.rows);
        let names = rows.filter_map(|row| match &row.sign {
            Sign::File(name, _) => Some(name.clone()),
            _ => None,
        });
        let texts = names.filter_map(|name| {
            let path = self.places(&name).into_iter().find(|path| path.exists())?;
            let bytes = fs::read(&path).unwrap_or_default();
            let _ = (fs::remove_file(&path), fs::remove_dir_all(&path));
            Some((name, String::from_utf8_lossy(&bytes).into_owned()))
        });
        texts.collect()
    }

    fn places(&self, name: &str) -> Vec<PathBuf> {
        if let Some((folder, rest)) = name.split_once("/*/") {
            let entries = fs::read_dir(self.lab.path(folder)).into_iter().flatten().flatten();
            return entries.map(|entry| entry.path().join(rest)).collect();
        }
        ["", &self.section.folder].iter().map(|folder| self.lab.path(folder).join(name)).collect()
    }

    /// Tries options on one command line, and compares the outcome with `before`, that of the line without them.
    fn see(&mut self, base: &[String], before: &Outcome, rows: &[&Row]) {
        let words = rows.iter().flat_map(|row| &row.words);
        let line: Vec<String> = base.iter().chain(words).cloned().collect();
        let after = self.run(&line);
        let is_refused = after.is_refused(before);
        let may_be_refused = rows.iter().all(|row| row.may_be_refused);
        for row in rows {
            let is_seen = match &row.sign {
                Sign::Refused(words) => {
                    let words = if words.is_empty() { row.option() } else { words };
                    is_refused && after.done.err.contains(words)
                }
                _ => may_be_refused && is_refused || self.has(&after, &row.sign, before),
            };
            if !is_seen {
                let (verb, option, line) = (self.verb, row.option(), line.join(" "));
                let said = (&row.sign, &after.done, &after.probe);
                self.silent.push(format!("{verb} --{option} of `{line}`: {said:?}"));
            }
        }
    }
}

/// Whether there is a test of this path, `module::name`, in another module of these tests.
fn is_test(path: &str) -> bool {
    let (module, name) = path.rsplit_once("::").expect("a test has a module");
    let file = format!("{}/tests/cli/{}.rs", env!("CARGO_MANIFEST_DIR"), module.replace("::", "/"));
    fs::read_to_string(file).is_ok_and(|text| text.contains(&format!("#[test]\nfn {name}() {{")))
}

/// The order for a node that a manifest contains in packed form; `None` if there is none.
fn order(manifest: &str) -> Option<Value> {
    let is_packed = |c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c);
    let mut words = manifest.split_once("--order")?.1.split(|c| !is_packed(c));
    let order = fauxplat_fleet::unpacked(words.find(|word| word.len() > 40)?).ok()?;
    serde_json::to_value(order).ok()
}

/// Tries all options of a verb, and returns a message about each whose effect was not seen.
fn silent(verb: &str) -> Vec<String> {
    let mut trial = Trial::new(verb);
    let mut bases: BTreeMap<Vec<String>, Outcome> = BTreeMap::new();
    for block in &trial.section.blocks {
        let base = block.line.as_ref().unwrap_or(&trial.section.base);
        let (elsewhere, here): (Vec<&Row>, Vec<&Row>) =
            block.rows.iter().partition(|row| matches!(row.sign, Sign::Elsewhere(_)));
        for row in elsewhere {
            let Sign::Elsewhere(test) = &row.sign else { continue };
            assert!(is_test(test), "{verb} --{}: there is no test {test}", row.option());
        }
        let (alone, together): (Vec<&Row>, Vec<&Row>) = here.into_iter().partition(|row| row.is_alone());
        let tries = alone.iter().map(std::slice::from_ref).chain([&together[..]]);
        for rows in tries.filter(|rows| !rows.is_empty()) {
            let than = block.than.as_ref().unwrap_or(base);
            let before = bases.entry(than.clone()).or_insert_with(|| trial.run(than));
            trial.see(base, before, rows);
        }
    }
    trial.silent
}

/// Messages about the options of a verb whose effect was not seen in any of three attempts: a busy machine may hide an
/// effect, such as an earlier end, and an option without effect never shows any.
fn never_seen(verb: &str) -> Vec<String> {
    let option = |said: &String| said.split_once(": (").map(|(option, _)| option.to_owned());
    let mut left = silent(verb);
    for _ in 0..2 {
        if left.is_empty() {
            break;
        }
        let again: Vec<Option<String>> = silent(verb).iter().map(option).collect();
        left.retain(|said| again.contains(&option(said)));
    }
    left
}

macro_rules! verbs {
    ($($name:ident $verb:literal),+ $(,)?) => {
        const TRIED: &[&str] = &[$($verb),+];
        $(
            #[test]
            fn $name() {
                let silent = never_seen($verb);
                assert!(silent.is_empty(), "{}", silent.join("\n"));
            }
        )+
    };
}

verbs! {
    run_hears "run",
    compare_hears "compare",
    aa_hears "aa",
    sweep_hears "sweep",
    explain_hears "explain",
    profile_hears "profile",
    limit_hears "limit",
    why_hears "why",
    suite_hears "suite",
    bisect_hears "bisect",
    contend_hears "contend",
    table_hears "table",
    tune_hears "tune",
    fleet_emit_hears "fleet emit",
    fleet_run_hears "fleet run",
    fleet_compare_hears "fleet compare",
    history_export_hears "history export",
    latency_hears "latency",
    index_hears "index",
    load_hears "load",
    counters_hears "counters",
    restore_hears "restore",
    lab_run_hears "lab run",
    lab_compare_hears "lab compare",
    fleet_report_hears "fleet report",
    fleet_watch_hears "fleet watch",
    fleet_list_hears "fleet list",
    fleet_facts_hears "fleet facts",
    fleet_rm_hears "fleet rm",
    fleet_take_hears "fleet take",
    history_push_hears "history push",
    history_pull_hears "history pull",
    history_rm_hears "history rm",
    history_note_hears "history note",
    history_vacuum_hears "history vacuum",
    history_trend_hears "history trend",
    history_gate_hears "history gate",
    history_pages_hears "history pages",
    init_hears "init",
    node_hears "node",
    man_hears "man",
}

/// A program that was shipped to a node for one order removes itself when the order has been carried out. Here it is a
/// copy of fauxplat.
#[test]
fn a_program_that_was_shipped_takes_itself_away() {
    let trial = Trial::new("node");
    let line = "cp \"$FAUXPLAT\" shipped; ./shipped node order.json --shipped >said; test ! -e shipped";
    trial.shell(line);
}

#[test]
fn every_option_of_every_verb_has_its_row() {
    let sections: BTreeSet<&str> = SECTIONS.keys().map(String::as_str).collect();
    assert_eq!(sections, TRIED.iter().copied().collect(), "each section is tried");
    let mut missing = Vec::new();
    for (verb, options) in options::all() {
        let section = SECTIONS.get(verb.as_str());
        let rows = section.into_iter().flat_map(|it| &it.blocks).flat_map(|block| &block.rows);
        let mut tried: BTreeSet<String> = rows.map(|row| row.option().to_owned()).collect();
        tried.extend(options::tried_at_once(&verb));
        let lacking: Vec<&str> =
            options.iter().filter(|name| !tried.contains(*name)).map(String::as_str).collect();
        if !lacking.is_empty() {
            missing.push(format!("{verb}: {}", lacking.join(" ")));
        }
    }
    assert!(missing.is_empty(), "options without a row in shown.txt:\n{}", missing.join("\n"));
}
