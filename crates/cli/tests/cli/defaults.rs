//! Files of defaults: which options they may set, and what is reported about these options.

use crate::common::{Done, Lab};

/// A laboratory with a user's file of defaults, and a project's file in a repository with a folder below its root.
fn configured(of_user: &str, of_project: &str) -> Lab {
    let lab = Lab::new();
    lab.shell("mkdir -p .config/fauxplat project/.git project/deep");
    if !of_user.is_empty() {
        lab.write(".config/fauxplat/config.toml", of_user);
    }
    if !of_project.is_empty() {
        lab.write("project/fauxplat.toml", of_project);
    }
    lab
}

fn within(lab: &Lab, words: &[&str]) -> Done {
    let mut command = lab.bare(words);
    command.current_dir(lab.path("project/deep"));
    Done::of(command)
}

/// The command line that a report records.
fn recorded(done: Done) -> String {
    done.succeeds().json()["invocation"].to_string()
}

const RUN: [&str; 4] = ["run", "--format", "json", "true"];

#[test]
fn a_typed_option_wins_over_the_project_and_that_over_the_user() {
    let lab = configured(
        "[defaults]\nstore = 'none'\n[defaults.run]\nruns = 3\nwarmup = 1\n",
        "[defaults.run]\nruns = 4\n",
    );
    let words = recorded(within(&lab, &RUN));
    assert!(
        words.contains("\"--runs=4\",\"--warmup=1\"") || words.contains("\"--warmup=1\",\"--runs=4\""),
        "{words}"
    );
    assert!(words.contains("--store=none"), "{words}");
    assert!(!lab.path(".local").exists(), "the default of every verb holds");
    let typed = recorded(within(&lab, &["run", "-r", "2", "--format", "json", "true"]));
    assert!(typed.contains("\"-r\",\"2\"") && !typed.contains("--runs"), "{typed}");
    let bare = recorded(within(&lab, &["true", "--format", "json"]));
    assert!(bare.contains("--runs=4"), "{bare}");
}

#[test]
fn files_that_are_not_asked_for_are_not_read() {
    let lab = configured("[defaults]\nnonsense", "");
    within(&lab, &RUN).complains(2, &["config.toml", "FAUXPLAT_CONFIG=none"]);
    let mut without = lab.bare(&RUN);
    without.env("FAUXPLAT_CONFIG", "none");
    Done::of(without).succeeds();
    let other = lab.write("other.toml", "[defaults.run]\nruns = 5\n");
    let mut named = lab.bare(&RUN);
    named.env("FAUXPLAT_CONFIG", other);
    assert!(recorded(Done::of(named)).contains("--runs=5"));
    let mut missing = lab.bare(&RUN);
    missing.env("FAUXPLAT_CONFIG", "/nowhere.toml");
    Done::of(missing).complains(2, &["/nowhere.toml"]);
}

#[test]
fn a_verb_without_the_option_of_all_verbs_goes_without_it() {
    let lab = configured("[defaults]\nmax-time = '5s'\nrepeat-often = 3\n", "");
    within(&lab, &["doctor"]).complains(2, &["no verb has no option --repeat-often"]);
    let lab = configured("[defaults]\nmax-pairs = 30\n[defaults.run]\nmax-pairs = 3\n", "");
    within(&lab, &["doctor", "--format", "json"]).succeeds();
    within(&lab, &RUN).complains(2, &["the verb `run` has no option --max-pairs"]);
}

/// A project's file of defaults may come from a stranger: no command that the file names is run, and no file is
/// written.
#[test]
fn a_project_gives_no_commands_and_no_files() {
    for option in [
        "notify = 'touch pwned'",
        "prepare = 'touch pwned'",
        "output = '/tmp/x'",
        "store = 'x'",
        "load = 'cpu'",
    ] {
        let lab = configured("", &format!("[defaults.run]\n{option}\n"));
        let name = option.split(' ').next().unwrap();
        within(&lab, &RUN).complains(
            2,
            &[&format!("--{name} is not for a project's file"), ".config/fauxplat/config.toml"],
        );
        assert!(!lab.path("project/deep/pwned").exists());
    }
    let outside = configured("", "");
    outside.write("fauxplat.toml", "[defaults.run]\nruns = 7\n");
    assert!(!recorded(within(&outside, &RUN)).contains("--runs"), "the repository ends below");
}

#[test]
fn a_default_that_does_not_go_with_what_was_typed_is_left_out() {
    let lab = configured("[defaults.run]\nruns = 3\nverbose = true\n", "");
    let done =
        within(&lab, &["run", "--min-runs", "2", "--max-runs", "4", "--store", "none", "true"]).ends_with(0);
    assert!(done.err.contains("--runs=3, a default of") && done.err.contains("does not go with"), "{done:?}");
    assert!(done.err.contains("--verbose is a default of"), "{done:?}");
    lab.write("project/deep/it.toml", "runs = 2\n[[command]]\nrun = 'true'\n");
    let defined = within(&lab, &["run", "-v", "--definition", "it.toml", "--store", "none"]);
    assert!(defined.err.contains("do not apply beside --definition"), "{defined:?}");
}

#[test]
fn a_value_that_an_option_refuses_is_told_with_its_file() {
    for (line, why) in [
        ("runs = 'many'", "`many` is not a number of runs"),
        ("verbose = 'yes'", "`verbose` is true or false"),
        ("warmup = {a = 1}\nruns = [{}]", "`runs` is a list of words and numbers"),
        ("max-time = 5", "unit"),
    ] {
        let lab = configured(&format!("[defaults.run]\n{line}\n"), "");
        within(&lab, &RUN).complains(2, &["config.toml", why]);
    }
}
