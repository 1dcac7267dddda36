//! Every option of every verb changes something that is seen here, or is refused.
//!
//! `shown.txt` has a section for each verb: a command line as a base, and blocks of options. A block is one command line,
//! the base and all options of the block, and each option has a sign in what comes of it, which the base does not give.
//! What shows without a block of its own stands in the table of `options.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::LazyLock;

use fauxplat_launch::words::split;
use serde_json::Value;

use crate::common::{Done, Lab, first_cpu, first_pair, takes_store};
use crate::options;

/// A program of the tests: the arguments are written down, and a figure is printed.
const PROBE: &str = r#"#!/bin/sh
here={lab}; program=$1
{
    echo "folder $PWD"
    echo "variables ${SEEN-none} ${FAUXPLAT_NEVER-none}"
    read -r line; echo "input $line"
    while read -r key value; do case $key in Cpus_allowed_list:) echo "cpus $value";; esac; done </proc/self/status
    read -r stat </proc/self/stat; set -- $stat
    echo "nice ${19} policy ${41}"
    read -r personality </proc/self/personality; echo "personality $personality"
    while read -r line; do echo "group $line"; done </proc/self/cgroup
} 2>/dev/null >>"$here/probe.log" 
echo "size: 7 ns"
echo complaint >&2
[ -x "$program" ] && "$program"
:
"#;

/// Makes all other files that the lines of `shown.txt` name.
const PLACE: &str = r#"
mkdir below
echo something >input
printf '[[command]]\ncommand = "%s/probe"\n[[command]]\ncommand = "%s/probe 2"\n' "$PWD" "$PWD" >saved.toml
printf '[[command]]\ncommand = "%s/probe"\n' "$PWD" >one.toml
echo 'size: 7 ns' >old.txt; echo 'size: 70 ns' >new.txt
git init -q -b main repository; cd repository
for seconds in 0.001 0.02; do
    printf '#!/bin/sh\nexec sleep %s\n' $seconds >program; chmod +x program; git add -A
    git -c user.name=n -c user.email=e commit -qm $seconds
done
printf '[[command]]\ncommand = "./program"\n' >program.toml
cd ..
printf 'size: 7 ns\nother: 8 ns\n' >two.txt
printf 'volatile int n; __attribute__((noinline)) void work(void) { for (n = 0; n < 90000000; ++n); }\nint main(void) { work(); return 0; }\n' >spin.c
cc -g -O1 -o spin spin.c
printf '[condition]\nshell = true\n' >shell.toml
"#;

/// Where an option shows.
#[derive(Clone, Debug)]
enum Sign {
    /// A line of the probe that begins so.
    Probe(String),
    /// A value of the JSON document, or any other one than that of the base.
    Json(String, Option<String>),
    /// A file, with a text in it.
    File(String, String),
    /// Words of the output.
    Says(String),
    /// Words that only the base says.
    Lacks(String),
    /// Nothing: with the option the command line is refused.
    Refused,
    /// Fewer lines, but some; or more; or none; or colours; or the other order of two names.
    Shorter,
    Longer,
    Empty,
    Coloured,
    Swaps,
    /// A test of another module, which needs a terminal or a history of its own.
    Elsewhere,
    /// The exit code.
    Code(i32),
}

impl Sign {
    fn of(text: &str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (first, others) =
            rest.split_once(' ').map_or((rest, None), |(first, others)| (first, Some(others)));
        match word {
            "probe" => Sign::Probe(rest.into()),
            "json" => Sign::Json(first.into(), others.map(str::to_owned)),
            "file" => Sign::File(first.into(), others.unwrap_or_default().into()),
            "says" => Sign::Says(rest.into()),
            "lacks" => Sign::Lacks(rest.into()),
            "refused" => Sign::Refused,
            "shorter" => Sign::Shorter,
            "longer" => Sign::Longer,
            "empty" => Sign::Empty,
            "coloured" => Sign::Coloured,
            "swaps" => Sign::Swaps,
            "elsewhere" => Sign::Elsewhere,
            "code" => Sign::Code(rest.parse().unwrap()),
            other => panic!("`{other}` is no sign"),
        }
    }
}

/// An option with its words, and its sign.
#[derive(Clone, Debug)]
struct Row {
    words: Vec<String>,
    sign: Sign,
}

impl Row {
    fn option(&self) -> &str {
        self.words[0].trim_start_matches('-').split('=').next().unwrap_or_default()
    }
}

/// Options that are tried on one command line.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Words in the place of the base.
    line: Option<Vec<String>>,
    rows: Vec<Row>,
}

impl Block {
    fn wants_json(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.sign, Sign::Json(..)))
    }
}

/// A verb, its base and its blocks.
#[derive(Clone, Debug, Default)]
struct Section {
    base: Vec<String>,
    /// Folder of the laboratory in which the lines are run.
    folder: String,
    blocks: Vec<Block>,
}

/// The sections of `shown.txt`, by the words of the verb.
static SECTIONS: LazyLock<BTreeMap<String, Section>> = LazyLock::new(|| sections(include_str!("shown.txt")));

fn sections(text: &str) -> BTreeMap<String, Section> {
    let text = text.replace("{cpu}", &first_cpu()).replace("{pair}", &first_pair());
    let mut found = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<Block>> = BTreeMap::new();
    for part in text.split("\n[").skip(1) {
        let (head, body) = part.split_once("]\n").expect("a section has a name");
        let mut section = Section::default();
        for paragraph in body.split("\n\n").map(str::trim).filter(|it| !it.is_empty()) {
            let mut block = Block::default();
            for line in paragraph.lines().filter(|line| !line.starts_with('#')) {
                match line.split_once(' ').unwrap_or((line, "")) {
                    ("base", words) => section.base = words_of(words),
                    ("in", folder) => folder.clone_into(&mut section.folder),
                    ("line", words) => block.line = Some(words_of(words)),
                    ("use", names) => {
                        let of = |name: &str| {
                            groups.get(name).unwrap_or_else(|| panic!("no group {name}")).clone()
                        };
                        section.blocks.extend(names.split(' ').flat_map(of));
                    }
                    _ => {
                        let (words, sign) =
                            line.split_once(" | ").unwrap_or_else(|| panic!("{line}: no sign"));
                        block.rows.push(Row { words: words_of(words), sign: Sign::of(sign) });
                    }
                }
            }
            if !block.rows.is_empty() {
                section.blocks.push(block);
            }
        }
        match head.strip_prefix("group ") {
            Some(name) => drop(groups.insert(name.to_owned(), section.blocks)),
            None => drop(found.insert(head.to_owned(), section)),
        }
    }
    found
}

fn words_of(line: &str) -> Vec<String> {
    split(line).unwrap()
}

/// The outcome of a command line.
struct Outcome {
    done: Done,
    document: Value,
    probe: String,
}

impl Outcome {
    fn of(lab: &Lab, folder: &str, words: &[String]) -> Self {
        let _ = fs::remove_file(lab.path("probe.log"));
        let folder_of_lab = lab.folder().to_str().unwrap();
        let filled: Vec<String> = words.iter().map(|word| word.replace("{lab}", folder_of_lab)).collect();
        let mut words: Vec<&str> = filled.iter().map(String::as_str).collect();
        let store = lab.file("store.sqlite");
        if !words.contains(&"--store") && takes_store(&words) {
            words.extend(["--store", store.as_str()]);
        }
        let mut command = lab.bare(&words);
        command.current_dir(lab.path(folder));
        let mut done = Done::of(command);
        let document = serde_json::from_str(&done.out).unwrap_or_default();
        // The last line of a report says the command line again, and shows nothing of what was heard.
        done.out.truncate(done.out.find("repeat with: ").unwrap_or(done.out.len()));
        Outcome { document, probe: lab.read("probe.log"), done }
    }

    /// Whether this outcome has a sign that another one lacks.
    fn has(&self, lab: &Lab, sign: &Sign, base: &Outcome) -> bool {
        let Outcome { done, document, probe } = self;
        match sign {
            Sign::Probe(text) => {
                let text = text.replace("{lab}", lab.folder().to_str().unwrap());
                let begins = |log: &str| log.lines().any(|line| line.starts_with(&text));
                begins(probe) && !begins(&base.probe)
            }
            Sign::Json(pointer, value) => {
                let [ours, theirs] =
                    [document, &base.document].map(|it| it.pointer(pointer).map(Value::to_string));
                let is_it = value
                    .as_ref()
                    .is_none_or(|value| ours.as_deref().map(|it| it.trim_matches('"')) == Some(value));
                ours.is_some() && ours != theirs && is_it
            }
            Sign::File(name, text) => lab.path(name).exists() && lab.read(name).contains(text),
            Sign::Says(text) => {
                let says = |it: &Done| it.out.contains(text.as_str()) || it.err.contains(text.as_str());
                says(done) && !says(&base.done)
            }
            Sign::Lacks(text) => !done.out.contains(text.as_str()) && base.done.out.contains(text.as_str()),
            Sign::Refused => false,
            Sign::Shorter => (1..lines(&base.done)).contains(&lines(done)),
            Sign::Longer => lines(done) > lines(&base.done),
            Sign::Empty => done.out.is_empty() && !base.done.out.is_empty(),
            Sign::Coloured => done.out.contains('\u{1b}') && !base.done.out.contains('\u{1b}'),
            Sign::Swaps => {
                let order = |it: &Done| it.out.find("slow").cmp(&it.out.find("true"));
                order(done) != order(&base.done)
            }
            Sign::Elsewhere => true,
            Sign::Code(code) => done.code == Some(*code) && base.done.code != Some(*code),
        }
    }
}

fn lines(done: &Done) -> usize {
    done.out.lines().count()
}

/// A laboratory with all that the lines of `shown.txt` name.
fn workplace() -> Lab {
    let lab = Lab::new();
    lab.write("probe", &PROBE.replace("{lab}", lab.folder().to_str().unwrap()));
    fs::set_permissions(lab.path("probe"), fs::Permissions::from_mode(0o755)).unwrap();
    lab.shell(PLACE);
    lab
}

/// The trial of a verb: what its base lines give, and the options of which nothing is seen.
struct Trial<'s> {
    verb: &'s str,
    section: &'s Section,
    lab: Lab,
    silent: Vec<String>,
}

impl Trial<'_> {
    /// Tries options on one command line. An option with which the line is refused has been heard, and the others are
    /// tried without it.
    fn block(&mut self, base: &[String], before: &Outcome, rows: &[Row]) {
        let line: Vec<String> = base.iter().chain(rows.iter().flat_map(|row| &row.words)).cloned().collect();
        let after = Outcome::of(&self.lab, &self.section.folder, &line);
        let refusal = (after.done.code, &after.done.err);
        let is_refused =
            matches!(after.done.code, Some(2 | 3)) && refusal != (before.done.code, &before.done.err);
        match rows {
            [_] if is_refused => {}
            _ if is_refused => {
                let is_named = |row: &&Row| after.done.err.contains(&format!("--{}", row.option()));
                let named: Vec<&str> = rows.iter().filter(is_named).map(Row::option).collect();
                match named[..] {
                    [option] => {
                        let others = rows.iter().filter(|row| row.option() != option).cloned();
                        self.block(base, before, &others.collect::<Vec<Row>>());
                    }
                    _ => rows.iter().for_each(|row| self.block(base, before, std::slice::from_ref(row))),
                }
            }
            _ => self.see(&line, before, &after, rows),
        }
    }

    fn see(&mut self, line: &[String], before: &Outcome, after: &Outcome, rows: &[Row]) {
        for row in rows.iter().filter(|row| !after.has(&self.lab, &row.sign, before)) {
            let (verb, option, line) = (self.verb, row.option(), line.join(" "));
            self.silent
                .push(format!("{verb} --{option}: no sign {:?} of `{line}`: {:?}", row.sign, after.done));
        }
        for row in rows {
            if let Sign::File(name, _) = &row.sign {
                let _ = fs::remove_file(self.lab.path(name));
            }
        }
    }
}

/// Tries all options of a verb, and says which of them have no sign.
fn silent(verb: &str) -> Vec<String> {
    let section = SECTIONS.get(verb).unwrap_or_else(|| panic!("{verb} has no section"));
    let mut bases: BTreeMap<Vec<String>, Outcome> = BTreeMap::new();
    let mut trial = Trial { verb, section, lab: workplace(), silent: Vec::new() };
    for block in &section.blocks {
        let json: &[&str] = if block.wants_json() { &["--format", "json"] } else { &[] };
        let json = json.iter().map(|&word| word.to_owned());
        let base: Vec<String> =
            block.line.as_ref().unwrap_or(&section.base).iter().cloned().chain(json).collect();
        let before =
            bases.entry(base.clone()).or_insert_with(|| Outcome::of(&trial.lab, &section.folder, &base));
        trial.block(&base, before, &block.rows);
    }
    trial.silent
}

macro_rules! verbs {
    ($($name:ident $verb:literal),+ $(,)?) => {
        const TRIED: &[&str] = &[$($verb),+];
        $(
            #[test]
            fn $name() {
                let silent = silent($verb);
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
}

/// Verbs without a section yet. The list only ever gets shorter.
const UNTRIED: [&str; 24] = [
    "bisect",
    "contend",
    "counters",
    "fleet compare",
    "fleet emit",
    "fleet facts",
    "fleet list",
    "fleet report",
    "fleet rm",
    "fleet run",
    "fleet take",
    "fleet watch",
    "history export",
    "history pull",
    "history push",
    "history rm",
    "index",
    "lab compare",
    "lab run",
    "latency",
    "load",
    "restore",
    "table",
    "tune",
];

#[test]
fn every_option_of_every_verb_has_its_row() {
    let sections: BTreeSet<&str> = SECTIONS.keys().map(String::as_str).collect();
    assert_eq!(sections, TRIED.iter().copied().collect(), "each section is tried");
    let mut missing = Vec::new();
    for (verb, options) in options::all().into_iter().filter(|(verb, _)| !UNTRIED.contains(&verb.as_str())) {
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
