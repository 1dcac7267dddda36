//! Every option does something or is refused: an accepted option without an effect would mislead the user.

use std::collections::BTreeMap;
use std::fs;

use clap::{Arg, Command};

use crate::common::{Done, Lab};
use crate::registry;

/// The options about results: name, words for a command line, and the file that the option makes, if any.
const RESULTS: [(&str, &[&str], Option<&str>); 18] = [
    ("format", &["--format", "json"], None),
    ("output", &["--output", "made.out"], Some("made.out")),
    ("export", &["--export", "json=made.json"], Some("made.json")),
    ("export-json", &["--export-json", "made.h.json"], Some("made.h.json")),
    ("export-csv", &["--export-csv", "made.csv"], Some("made.csv")),
    ("export-markdown", &["--export-markdown", "made.md"], Some("made.md")),
    ("export-asciidoc", &["--export-asciidoc", "made.adoc"], Some("made.adoc")),
    ("export-orgmode", &["--export-orgmode", "made.org"], Some("made.org")),
    ("colour", &["--colour", "always"], None),
    ("ascii", &["--ascii"], None),
    ("style", &["--style", "none"], None),
    ("time-unit", &["--time-unit", "second"], None),
    ("sort", &["--sort", "mean-time"], None),
    ("verbose", &["--verbose"], None),
    ("brief", &["--brief"], None),
    ("store", &["--store", "made.sqlite"], Some("made.sqlite")),
    ("events", &["--events", "made.events"], Some("made.events")),
    ("quiet", &["--quiet"], None),
];

/// A verb that ends at once: its name; words that give a result; and, for each option that is not about results, words
/// to add. If these begin with `=`, they replace the line.
type AtOnce = (&'static str, &'static [&'static str], &'static [(&'static str, &'static [&'static str])]);

const AT_ONCE: [AtOnce; 7] = [
    ("topo", &["topo"], &[("draw", &["--draw"]), ("sysroot", &["--sysroot", "root"])]),
    (
        "topo pick",
        &["topo", "pick", "all", "--watch", "0s"],
        &[("watch", &["=", "topo", "pick", "all", "--watch", "60ms"]), ("sysroot", &["--sysroot", "root"])],
    ),
    (
        "doctor",
        &["doctor", "--sysroot", "root"],
        &[
            ("all", &["--all"]),
            ("cpu", &["--cpu", "0"]),
            ("interval", &["--interval", "2h"]),
            ("fail-if", &["--fail-if", "any=low,load=low"]),
            ("explain", &["=", "doctor", "--explain", "smt"]),
            ("sysroot", &["=", "doctor"]),
        ],
    ),
    ("lab list", &["lab", "list"], &[("course", &["--course"])]),
    ("lab show", &["lab", "show", "env-size"], &[]),
    (
        "history list",
        &["history", "list"],
        &[
            ("kind", &["--kind", "compare"]),
            ("name", &["--name", "nothing"]),
            ("since", &["--since", "2999"]),
            ("limit", &["--limit", "0"]),
        ],
    ),
    ("history show", &["history", "show", "last"], &[]),
];

fn tree() -> Command {
    registry::join();
    let mut tree = fauxplat_options::definition();
    tree.build();
    tree
}

/// The options of every verb that can be called, by the words of the verb.
pub(crate) fn all() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    verbs(&tree(), "", &mut found);
    found
}

/// The options of a verb that this module tries: all of a verb that ends at once, and none of any other.
pub(crate) fn tried_at_once(verb: &str) -> Vec<String> {
    let is_here = AT_ONCE.iter().any(|(name, ..)| *name == verb);
    if is_here { all().remove(verb).unwrap_or_default() } else { Vec::new() }
}

/// Adds the options of every verb below a command that can be called, by the words of the verb.
fn verbs(command: &Command, path: &str, found: &mut BTreeMap<String, Vec<String>>) {
    let shown = |verb: &&Command| !verb.get_name().starts_with("__") && verb.get_name() != "help";
    for verb in command.get_subcommands().filter(shown) {
        let path = format!("{path} {}", verb.get_name()).trim().to_owned();
        let takes = |arg: &&Arg| arg.get_long().is_some_and(|long| !["help", "version"].contains(&long));
        let options = verb.get_arguments().filter(takes).filter_map(|arg| arg.get_long());
        if !verb.is_subcommand_required_set() {
            found.insert(path.clone(), options.map(str::to_owned).collect());
        }
        verbs(verb, &path, found);
    }
}

/// A laboratory with an experiment in its store, and with captured files of a small machine.
fn workplace() -> Lab {
    let lab = Lab::new();
    lab.run(&["run", "sleep 0.02", "true", "-r", "3"]).succeeds();
    fs::create_dir_all(lab.path("root/sys/devices/system/cpu/cpu0")).unwrap();
    fs::create_dir_all(lab.path("root/proc")).unwrap();
    fs::create_dir_all(lab.path("root/sys/devices/system/cpu/cpu1/cpufreq")).unwrap();
    fs::write(lab.path("root/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"), "powersave\n").unwrap();
    fs::write(lab.path("root/sys/devices/system/cpu/online"), "0-1\n").unwrap();
    lab
}

/// Runs a command line with the store of the laboratory, unless the line names a store.
fn run(lab: &Lab, words: &[&str]) -> Done {
    match !words.contains(&"--store") {
        true => lab.run(words),
        false => Done::of(lab.bare(words)),
    }
}

/// Whether a command line differs from another one in its exit code, its output, or a file that it makes.
fn shows(lab: &Lab, base: &Done, words: &[&str], file: Option<&str>) -> bool {
    let done = run(lab, words);
    let has_made = file.is_some_and(|file| fs::remove_file(lab.path(file)).is_ok());
    let is_other = (done.code, &done.out, &done.err) != (base.code, &base.out, &base.err);
    has_made || is_other
}

/// Options about results that a verb does not take are refused, in a sentence that names them, also where another
/// option of that verb has a similar purpose.
#[test]
fn what_a_verb_does_not_take_is_refused() {
    let found = all();
    assert!(found.len() > 25 && found.contains_key("topo pick"), "{found:?}");
    let lab = workplace();
    for (verb, options) in &found {
        for (name, words, _) in RESULTS.iter().filter(|(name, ..)| !options.contains(&(*name).to_owned())) {
            let line: Vec<&str> = verb.split(' ').chain(words.iter().copied()).collect();
            let done = Done::of(lab.bare(&line));
            assert_eq!(done.code, Some(2), "{verb} {name}: {done:?}");
            let option = format!("--{name}");
            assert!(done.err.contains(&option) && done.out.is_empty(), "{verb} {name}: {done:?}");
        }
    }
}

/// Tries every option of each verb that ends at once, and checks that the table lists no option that the verb does not
/// have.
#[test]
fn every_option_of_a_verb_that_looks_changes_what_is_seen() {
    let found = all();
    for (verb, base, own) in AT_ONCE {
        let (lab, options) = (workplace(), &found[verb]);
        let before = run(&lab, base);
        for option in options {
            let of_results = RESULTS.iter().find(|(name, ..)| name == option);
            let (words, file) = match of_results {
                Some((_, words, file)) => (*words, *file),
                None => {
                    let own = own.iter().find(|(name, _)| name == option);
                    (own.unwrap_or_else(|| panic!("{verb} --{option} is in no table")).1, None)
                }
            };
            let line: Vec<&str> = match words {
                ["=", whole @ ..] => whole.to_vec(),
                _ => base.iter().chain(words).copied().collect(),
            };
            // A report without colours and without characters outside ASCII is not changed by options about these.
            let is_a_look = ["colour", "ascii"].contains(&option.as_str());
            let seen = shows(&lab, &before, &line, file);
            assert!(seen || is_a_look, "{verb} --{option} changes nothing: {line:?}");
            if option == "ascii" {
                assert!(run(&lab, &line).out.is_ascii(), "{verb}");
            }
        }
        for (name, _) in own {
            assert!(options.iter().any(|option| option == name), "{verb} has no --{name}");
        }
    }
}

/// Measuring verbs share these options, so a run stands for all such verbs: measuring with each verb would take long.
#[test]
fn every_option_about_results_shows_in_a_run() {
    let lab = workplace();
    let base = ["run", "true", "sleep 0.01", "-r", "2", "--seed", "1"];
    for (name, words, file) in RESULTS {
        let line: Vec<&str> = base.iter().chain(words).copied().collect();
        let done = run(&lab, &line);
        let made = file.is_none_or(|file| lab.path(file).exists());
        assert!(done.code == Some(0) && made, "--{name}: {done:?}");
        match name {
            "format" => assert!(done.out.starts_with('{')),
            "colour" => assert!(done.out.contains('\u{1b}')),
            "ascii" => assert!(done.out.is_ascii()),
            "style" => assert_eq!(done.out, ""),
            "time-unit" => assert!(!done.out.contains(" ms") && !done.out.contains(" µs"), "{}", done.out),
            "verbose" => assert!(done.out.contains("condition:")),
            "brief" => assert!(done.out.lines().count() <= 4, "{}", done.out),
            _ => {}
        }
    }
    // Even a busy machine starts `true` in less than a second.
    let slow_first = ["run", "sleep 1", "true", "-r", "2", "--sort"];
    let first = |order: &str| {
        let out = run(&lab, &[&slow_first[..], &[order]].concat()).succeeds().out;
        out.find("true").zip(out.find("sleep 1")).map(|(fast, slow)| fast < slow)
    };
    assert_ne!(first("mean-time"), first("command"));
}

/// The options of `tune` that change nothing, such as `--list`, refuse options about changes.
#[test]
fn what_has_no_meaning_beside_another_option_is_refused() {
    let lab = workplace();
    for line in [
        &["tune", "--list", "--max", "5m"][..],
        &["tune", "--list", "--all-or-nothing"],
        &["tune", "--list", "--machine-wide"],
        &["tune", "--list", "--wait"],
        &["tune", "--list", "--journal", "j"],
        &["tune", "--status", "--max", "5m"],
        &["tune", "--status", "--machine-wide"],
        &["tune", "quiet", "--dry-run", "--all-or-nothing"],
        &["doctor", "--explain", "smt", "--all"],
        &["doctor", "--explain", "smt", "--cpu", "0"],
        &["doctor", "--explain", "smt", "--fail-if", "any=low"],
        &["doctor", "--explain", "smt", "--export", "json=x"],
    ] {
        let done = Done::of(lab.bare(line));
        assert!(done.code == Some(2) && done.err.contains("cannot be used with"), "{line:?}: {done:?}");
    }
    assert!(!lab.path("x").exists());
}
