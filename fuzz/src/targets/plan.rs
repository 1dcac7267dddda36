//! Definitions, labs, sweeps and command lines.

use std::collections::BTreeMap;

use fauxplat_launch::words;
use fauxplat_model::Definition;
use fauxplat_plan::{DefinitionError, Offer, expand, parse, parse_lab, parse_sweep, places};

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "[[command]]\n",
    "command = ",
    "[[parameter]]\n",
    "values = [",
    "name = ",
    "[condition]\n",
    "cpu = ",
    "[rule]\n",
    "{n}",
    "warmup = ",
    "runs = ",
    "sweep = ",
    "[option.",
    "default = ",
    "[[experiment]]\n",
    "[[claim]]\n",
    "[claim.measured]\n",
    "a.a.a.",
    "\"\"\"",
    "'''",
    "\\u0000",
    "true",
    "1979-05-27",
    "[[[[",
    "{a = {a = ",
];

/// For the mutator.
pub(crate) const SWEEP_WORDS: &[&str] = &[
    "env-size=",
    "argv-size=",
    "cwd-length=",
    "aslr",
    "heap-pad=",
    "cpu=",
    "priority=",
    "background=",
    "frequency=",
    "limit=",
    "huge-pages=",
    "stack-limit=",
    "memory-policy=",
    "interleave:",
    "bind:",
    "preferred:",
    "link-order=",
    "link-padding=",
    "code-align=",
    "n=",
    "param:",
    "0..",
    "..",
    ":",
    "*",
    ",",
];

/// For the mutator.
pub(crate) const COMMAND_WORDS: &[&str] =
    &["'", "\"", "\\", " ", "| ", "> ", "&&", "$(", "`", "#", "~", "{", "}", "\n"];

fn place(error: &DefinitionError, text: &str) {
    assert!(
        error.line >= 1 && error.line <= text.lines().count() + 1,
        "{error} of {} lines",
        text.lines().count()
    );
    assert!(!error.reason.contains('\n'), "one line: {error}");
}

/// A definition, with everything that is planned from it.
pub(crate) fn definitions(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match parse(&text) {
        Err(error) => place(&error, &text),
        Ok(definition) => planned(&definition),
    }
}

fn planned(definition: &Definition) {
    if let Ok(all) = expand(definition) {
        assert!(!all.is_empty() && all.len() <= 10_000);
    }
    if let Some(sweep) = &definition.sweep {
        swept(sweep, &places(definition));
    }
    // A definition is part of every record.
    let written = serde_json::to_string(definition).expect("a definition is JSON");
    assert!(serde_json::from_str::<Definition>(&written).is_ok(), "{written}");
}

/// A lab, with and without a setting.
pub(crate) fn labs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let set = BTreeMap::from([("n".to_owned(), vec!["1".to_owned(), "{n}".to_owned()])]);
    for settings in [BTreeMap::new(), set] {
        if let Err(error) = parse_lab(&text, &settings) {
            place(&error, &text);
        }
    }
}

/// Sweeps, on a machine that offers everything and on one that offers nothing.
pub(crate) fn sweeps(bytes: &[u8]) {
    swept(&String::from_utf8_lossy(bytes), &["n".to_owned()]);
}

fn swept(text: &str, places: &[String]) {
    let rich = Offer {
        allowed: "0-7".parse().expect("a list of CPUs"),
        frequencies_khz: vec![1_000_000, 2_000_000, 3_000_000],
        cwd_bytes_min: 24,
        may_raise_priority: true,
        memory_nodes: "0-3".parse().expect("a list of nodes"),
        memory_bytes: 8 << 30,
    };
    for offer in [rich, Offer::default()] {
        match parse_sweep(text, places, &offer) {
            Ok(sweep) => assert!((2..=20_000).contains(&sweep.levels.len())),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A command line, which a shell would split alike.
pub(crate) fn commands(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(words) = words::split(&text) {
        assert!(!words.is_empty() && !words[0].is_empty());
    }
}
