//! Output on terminals and in languages of all kinds: nothing is printed that the terminal cannot show, and no figure
//! is broken.

use std::process::Command;

use serde_json::Value;

use crate::common::{Done, Lab, runs};

const ESCAPE: char = '\x1b';

/// Runs fauxplat on a terminal made by `script(1)`, with these environment variables; returns the terminal's output.
fn on_a_terminal(lab: &Lab, words: &str, variables: &[(&str, &str)]) -> String {
    let line = format!("stty rows 24 cols 40; {} {words} --store none", lab.starter().join(" "));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]);
    lab.settle(&mut command);
    command.env_remove("COLUMNS").envs(variables.iter().copied());
    Done::of(command).succeeds().out
}

/// Whether a text has drawing characters: box drawing, blocks or braille.
fn draws(text: &str) -> bool {
    text.chars().any(|one| ('\u{2500}'..='\u{28ff}').contains(&one))
}

#[test]
fn a_terminal_that_cannot_redraw_gets_words_alone() {
    let lab = Lab::new();
    let words = "compare 'sleep 0.01' 'sleep 0.02' --max-pairs 8";
    for term in ["dumb", ""] {
        let text = on_a_terminal(&lab, words, &[("TERM", term), ("LC_ALL", "C.UTF-8")]);
        assert!(!text.contains(ESCAPE) && !draws(&text), "TERM={term}: {text:?}");
        assert!(text.contains("sleep 0.02"), "{text}");
    }
}

#[test]
fn forty_columns_hold_report_and_progress() {
    let lab = Lab::new();
    for variables in [&[("TERM", "dumb")][..], &[("TERM", "xterm"), ("NO_COLOR", "1")]] {
        let text = on_a_terminal(&lab, "run 'sleep 0.03' --runs 20", variables);
        // The redrawn progress line starts at the left margin each time, and escape sequences take no column, so the
        // parts between are measured.
        let lines = text.split(['\n', '\r']).filter(|line| !line.starts_with("repeat with: "));
        let longest = lines.map(|line| bare(line).chars().count()).max().unwrap();
        assert!(longest <= 40, "{longest}: {text:?}");
    }
}

/// A line without escape sequences (ESC [ … and a letter).
fn bare(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|one: char| !one.is_ascii_alphabetic()).get(1..));
    first + &rest.flatten().collect::<String>()
}

#[test]
fn the_environment_asks_for_colours_or_against_them() {
    let lab = Lab::new();
    let has_colour = |variables: &[(&str, &str)]| {
        let mut command = lab.command(&["compare", "true", "sleep 0.02", "--max-pairs", "8"]);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
        Done::of(command).succeeds().out.contains(ESCAPE)
    };
    assert!(!has_colour(&[]), "in a pipe");
    assert!(has_colour(&[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colour(&[("CLICOLOR_FORCE", "0")]));
    assert!(!has_colour(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "against goes before for");
}

#[test]
fn ascii_is_ascii_in_every_report() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "sh -c true", "--max-pairs", "6"]).succeeds();
    lab.run(&["sweep", "env-size=0,16", "true", "--blocks", "2"]).succeeds();
    for id in ["1", "2"] {
        let text = lab.run(&["history", "show", id, "--ascii"]).succeeds().out;
        assert!(text.is_ascii(), "{text}");
    }
    for words in [&["topo", "--ascii"][..], &["topo", "--ascii", "--format", "boxes"]] {
        let text = Done::of(lab.bare(words)).succeeds().out;
        assert!(text.is_ascii(), "{text}");
    }
}

/// Names in other scripts: columns stay aligned, and characters that change the direction of text do not reach the
/// terminal.
#[test]
fn names_of_every_script_keep_their_columns() {
    let lab = Lab::new();
    let names = "日本語,مقارنة,é,a\u{202e}b";
    let (a, b) = ("true", "sh -c true");
    let text = lab.run(&["run", a, b, a, b, "--names", names, "--runs", "3"]).succeeds().out;
    for name in ["日本語", "مقارنة", "é"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains('\u{202e}'), "{text:?}");
    let document = lab.last();
    let stored: Vec<&str> =
        document["commands"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(stored.join(","), names, "programs get what was given");
}

#[test]
fn machine_formats_have_decimal_points_in_every_locale() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "sleep 0.01", "--max-pairs", "6"]).succeeds();
    let shown = |format: &str, locale: &str| {
        let mut command = lab.command(&["history", "show", "last", "--format", format]);
        command.env("LANG", locale).env("LC_ALL", locale).env("LC_NUMERIC", locale);
        Done::of(command).succeeds().out
    };
    for format in ["json", "csv", "csv-summary", "hyperfine-json", "pyperf-json", "junit", "go-benchmark"] {
        assert_eq!(shown(format, "de_DE.UTF-8"), shown(format, "C.UTF-8"), "{format}");
    }
    let document: Value = serde_json::from_str(&shown("json", "de_DE.UTF-8")).unwrap();
    assert!(runs(&document, 0)[0]["wall_ns"].is_u64());
    let mut command = lab.command(&["run", "true", "--runs", "2", "--timeout", "1.5s"]);
    command.env("LC_ALL", "de_DE.UTF-8");
    Done::of(command).succeeds();
}
