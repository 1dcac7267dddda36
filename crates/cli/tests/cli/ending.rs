//! `--notify` and `--beep`: notifications for a user who does not wait.

use std::process::Stdio;

use crate::common::{Done, Lab, SIGINT, eventually};

/// A command for `--notify` that writes what it was told to the file `news`.
const NEWS: &str =
    "printf '%s|%s|%s' \"$FAUXPLAT_VERDICT\" \"$FAUXPLAT_EXIT_CODE\" \"$FAUXPLAT_SENTENCE\" > news";

/// Verdict, exit code and sentence that the command for `--notify` was given.
fn news(lab: &Lab) -> [String; 3] {
    let text = lab.read("news");
    let parts: Vec<&str> = text.splitn(3, '|').collect();
    [parts[0], parts[1], parts[2]].map(str::to_owned)
}

#[test]
fn an_end_is_told_with_its_word_its_code_and_a_sentence() {
    let lab = Lab::new();
    lab.run(&["compare", "true", "sleep 0.2", "--fail-if", "slower", "--notify", NEWS])
        .complains(1, &["slower"]);
    let [verdict, code, sentence] = news(&lab);
    assert_eq!((verdict.as_str(), code.as_str()), ("different", "1"));
    assert!(sentence.contains("sleep 0.2") && !sentence.contains('\n'), "{sentence}");
    let done = lab.run(&["run", "true", "--runs", "3", "--notify", NEWS]).succeeds();
    assert_eq!(done.err, "");
    let [verdict, code, sentence] = news(&lab);
    assert_eq!((verdict.as_str(), code.as_str()), ("finished", "0"));
    assert!(sentence.starts_with("true: median wall time "), "{sentence}");
}

#[test]
fn what_failed_is_told_too() {
    let lab = Lab::new();
    lab.run(&["run", "false", "--notify", NEWS]).complains(4, &["`false`"]);
    let [verdict, code, sentence] = news(&lab);
    assert_eq!((verdict.as_str(), code.as_str()), ("failed", "4"));
    assert!(sentence.contains("`false`"), "{sentence}");
    lab.run(&["run", "no-such-program", "--notify", NEWS]).complains(2, &["no-such-program"]);
    assert_eq!(news(&lab)[..2], ["failed", "2"]);
}

#[test]
fn an_interruption_is_told_too() {
    let lab = Lab::new();
    let words = ["run", "--shell", "touch begun; sleep 0.01", "--runs", "100000", "--notify", NEWS];
    let live = lab.start(&words);
    assert!(eventually(|| lab.path("begun").exists()));
    live.signal(SIGINT);
    live.end().ends_with(130);
    assert_eq!(news(&lab)[..2], ["stopped", "130"]);
}

/// A pipe that its reader closes is no error of the report, but the exit code still tells how the experiment ended.
#[test]
fn a_closed_pipe_hides_no_failure() {
    let lab = Lab::new();
    let code = |words: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        lab.command(words).stdout(writer).stderr(Stdio::null()).status().unwrap().code()
    };
    assert_eq!(code(&["run", "--shell", "exit 3", "--runs", "2", "--format", "json"]), Some(4));
    assert_eq!(code(&["compare", "true", "sleep 0.2", "--fail-if", "slower"]), Some(1));
    assert_eq!(code(&["run", "true", "--runs", "2"]), Some(0));
}

/// A notification command that fails or hangs does not change the exit code.
#[test]
fn a_command_that_cannot_tell_changes_nothing() {
    let lab = Lab::new();
    let told = |line: &str| lab.run(&["run", "true", "--runs", "2", "--notify", line]).ends_with(0).err;
    assert_eq!(told("exit 7"), "fauxplat: --notify `exit 7` ended with status 7\n");
    assert_eq!(told("echo words; (sleep 5 &)"), "", "what it says and leaves behind is nobody's affair");
    let late = told("trap '' TERM; sleep 86432");
    assert!(late.contains("was ended") && late.lines().count() == 1, "{late}");
}

/// The bell character is written to terminals only: in a pipe it would reach a file.
#[test]
fn a_sound_is_for_terminals() {
    let lab = Lab::new();
    let words = "run true --runs 2 --store none --quiet --beep";
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &format!("{} {words}", lab.starter().join(" ")), "/dev/null"]);
    lab.settle(&mut command);
    assert!(Done::of(command).succeeds().out.contains('\x07'));
    let done = lab.run(&["run", "true", "--runs", "2", "--beep"]).succeeds();
    assert!(!(done.out + &done.err).contains('\x07'));
}
