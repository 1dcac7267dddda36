//! `compare --commits` and `bisect`, in repositories whose programs sleep for a time that each commit states:
//! where a test expects a verdict, the times are so far apart that no disturbance hides it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{Done, Lab, SIGTERM, alive, eventually};

/// A build line that makes a program which sleeps for as many seconds as the commit states.
const BUILD: &str = r#"test -s seconds && printf '#!/bin/sh\nexec sleep %s\n' "$(cat seconds)" > program && chmod +x program"#;

/// A git repository with a commit for each of these texts of the file `seconds`; the subject of a commit is its number.
fn repository(lab: &Lab, seconds: &[&str]) -> PathBuf {
    let name = "a repository";
    lab.shell(&format!("git init -q -b main '{name}'"));
    for (number, seconds) in seconds.iter().enumerate() {
        let write = format!("cd '{name}' && printf '%s' '{seconds}' > seconds && echo {number} > number");
        let commit = format!("git add -A && git -c user.name=n -c user.email=e commit -qm 'number {number}'");
        lab.shell(&format!("{write} && {commit}"));
    }
    lab.path(name)
}

/// The command that starts fauxplat in a folder.
fn command(lab: &Lab, folder: &Path, words: &[&str]) -> Command {
    let mut command = lab.command(words);
    command.current_dir(folder);
    command
}

fn run(lab: &Lab, folder: &Path, words: &[&str]) -> Done {
    Done::of(command(lab, folder, words))
}

fn json(lab: &Lab, folder: &Path, words: &[&str]) -> Value {
    run(lab, folder, &[words, &["--format", "json"]].concat()).ends_with(0).json()
}

fn git(folder: &Path, words: &[&str]) -> String {
    let done = Command::new("git").args(words).current_dir(folder).output().unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

#[test]
fn revisions_are_compared_by_their_names_and_built_once() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.1"]);
    let words = ["compare", "--commits", "HEAD~1,HEAD", "--build", BUILD, "./program"];
    let first = run(&lab, &top, &[&words[..], &["--format", "json"]].concat()).ends_with(0);
    assert_eq!(first.err.matches("building").count(), 2, "{}", first.err);
    let found = first.json();
    let comparison = &found["comparisons"][0];
    assert_eq!(comparison["verdict"], "different");
    let short = git(&top, &["log", "-1", "--format=%h %s"]);
    assert_eq!(comparison["b"], short.as_str());
    let hash = git(&top, &["rev-parse", "HEAD"]);
    assert_eq!(found["commands"][1]["parameters"][0][1], hash.as_str(), "{}", found["commands"][1]);
    let again = run(&lab, &top, &[&words[..], &["--max-pairs", "6"]].concat()).succeeds();
    assert!(!again.out.is_empty());
    run(&lab, &top, &["why", "--stored", "last"]).complains(2, &["--commits BASE,HEAD"]);
    assert_eq!(git(&top, &["status", "--porcelain"]), "");
    assert_eq!(git(&top, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn the_cause_of_a_difference_of_two_revisions_is_named() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.2"]);
    let words = ["why", "--commits", "HEAD~1,HEAD", "--build", BUILD, "--no-simulate", "--max-time", "30s"];
    let found = json(&lab, &top, &[&words[..], &["./program"]].concat());
    assert_eq!((&found["answer"], &found["slower"]), (&"cause".into(), &1.into()), "{found:#}");
    assert_eq!(found["programs"][1], git(&top, &["log", "-1", "--format=%h %s"]).as_str());
    let cause = &found["causes"][0];
    assert_eq!(cause["kind"], "sleep");
    let next = cause["next"].as_str().unwrap();
    assert!(
        next.starts_with("fauxplat compare ") && next.contains("--commits 'HEAD~1,HEAD' --build"),
        "{next}"
    );
    assert_eq!(found["changes"], serde_json::json!({"files": 2, "places": 2}), "seconds and number");
    let three = ["why", "--commits", "HEAD~1,HEAD,HEAD", "--build", BUILD, "./program"];
    run(&lab, &top, &three).complains(2, &["two revisions"]);
    run(&lab, &top, &["why", "--build", BUILD, "./program", "./program"]).complains(2, &["--commits"]);
}

#[test]
fn local_changes_and_merge_bases_are_revisions() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.004"]);
    lab.shell("cd 'a repository' && printf 0.1 > seconds");
    let found = json(&lab, &top, &["compare", "--commits", "HEAD,WORKTREE", "--build", BUILD, "./program"]);
    assert_eq!(found["comparisons"][0]["verdict"], "different");
    assert!(found["comparisons"][0]["b"].as_str().unwrap().starts_with("WORKTREE on "));
    lab.shell("cd 'a repository' && git stash -q && git checkout -q -b side HEAD~1 && echo > side && git add -A && git -c user.name=n -c user.email=e commit -qm side");
    let words = [
        "compare",
        "--commits",
        "main,side",
        "--merge-base",
        "--build",
        BUILD,
        "--max-pairs",
        "6",
        "./program",
    ];
    let found = json(&lab, &top, &words);
    assert_eq!(found["comparisons"][0]["a"], git(&top, &["log", "-1", "--format=%h %s", "side~1"]).as_str());
    let warnings = found["warnings"].to_string();
    assert!(warnings.contains("the same program (SHA-256"), "{warnings}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let lab = Lab::new();
    let top = repository(&lab, &["", "0.004"]);
    let refused = |words: &[&str], status: i32, said: &str| {
        let done = run(&lab, &top, &[&["compare"], words].concat());
        assert_eq!(done.code, Some(status), "{}", done.err);
        assert!(done.err.contains(said), "{words:?}: {}", done.err);
    };
    let both = ["--commits", "HEAD~1,HEAD"];
    refused(&[&both[..], &["--build", BUILD, "./program"]].concat(), 4, "number 0 does not build");
    refused(&["--commits", "HEAD", "true"], 2, "--commits needs two revisions");
    refused(&["--commits", "HEAD,nothing", "true"], 2, "there is no revision `nothing`");
    refused(&[&both[..], &["true", "false", "true"]].concat(), 2, "do not suit 2 revisions");
    refused(&[&both[..], &["./missing"]].concat(), 2, "number 0");
    let own = lab.write("a repository/own", "#!/bin/sh\n");
    lab.shell("chmod +x 'a repository/own'");
    refused(&[&both[..], &[&format!("'{own}'")]].concat(), 2, "a file of your own work tree");
    let done = run(&lab, lab.folder(), &["compare", "--commits", "a,b", "true"]);
    assert!(done.code == Some(2) && done.err.contains("in no git repository"), "{}", done.err);
}

#[test]
fn what_is_not_decided_has_a_code_of_its_own() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "", "0.004"]);
    let words = ["compare", "--max-pairs", "6", "--undecided-code", "125", "--build", BUILD];
    let status =
        |commits: &str| run(&lab, &top, &[&words[..], &["--commits", commits, "./program"]].concat()).code;
    assert_eq!(status("HEAD~2,HEAD"), Some(125));
    assert_eq!(status("HEAD~2,HEAD~1"), Some(125), "one that does not build is no answer either");
}

#[test]
fn git_bisect_finds_the_commit_by_a_gate() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.004", "0.004", "", "0.2", "0.2"]);
    let gate = ["compare", "--commits", "main~5,HEAD", "--fail-if", "slower", "--undecided-code", "125"];
    lab.shell("cd 'a repository' && git bisect start main main~5 > ../bisect.log 2>&1");
    let fauxplat = command(&lab, &top, &[&gate[..], &["--build", BUILD, "./program"]].concat());
    let mut bisect = Command::new("git");
    lab.settle(&mut bisect);
    bisect.args(["bisect", "run"]).arg(fauxplat.get_program()).args(fauxplat.get_args()).current_dir(&top);
    let done = Done::of(bisect);
    let said = done.out + &done.err;
    // Commit 3 does not build, so git cannot decide whether commit 3 or 4 made the change.
    assert!(said.contains("only 'skip'ped commits left") || said.contains("number 4"), "{said}");
}

#[test]
fn a_search_names_the_commit() {
    let lab = Lab::new();
    let mut seconds = vec!["0.004"; 7];
    seconds.extend(["0.1"; 6]);
    // The third commit does not build, and the search does not need it.
    seconds[2] = "";
    let top = repository(&lab, &seconds);
    let words = ["bisect", "--good", "HEAD~12", "--build", BUILD, "./program"];
    let found = json(&lab, &top, &words);
    assert_eq!(
        (&found["schema"], &found["answer"]),
        (&"fauxplat.bisect/2".into(), &"commit".into()),
        "{found}"
    );
    let name = found["found"]["commit"]["name"].as_str().unwrap();
    assert!(name.ends_with("number 7"), "{name}");
    assert!(found["found"]["own"]["low_ratio"].as_f64().unwrap() > 1.0);
    let text = run(&lab, &top, &words).ends_with(0);
    assert!(text.out.contains("number 7") && text.out.contains("made the change"), "{}", text.out);
    assert!(!text.err.contains("building"), "{}", text.err);
    assert_eq!(git(&top, &["status", "--porcelain"]), "");
}

#[test]
fn without_a_change_no_commit_is_named() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.004", "0.004"]);
    let words = [
        "bisect",
        "--good",
        "HEAD~2",
        "--max-time",
        "10s",
        "--undecided-code",
        "9",
        "--build",
        BUILD,
        "./program",
    ];
    let done = run(&lab, &top, &words);
    assert_eq!(done.code, Some(9), "{}", done.err);
    let says = ["No change between the ends", "may or may not differ"];
    assert!(
        says.iter().any(|says| done.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(says)),
        "{}",
        done.out
    );
}

#[test]
fn a_killed_search_goes_on() {
    let lab = Lab::new();
    let mut seconds = vec!["0.004"; 9];
    seconds.extend(["0.1"; 8]);
    let top = repository(&lab, &seconds);
    let words = ["bisect", "--good", "HEAD~16", "--build", BUILD, "./program"];
    let mut killed = command(&lab, &top, &words);
    let mut killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let notes = lab.path(".cache/fauxplat/commits/searches");
    let is_noted = || {
        let files = std::fs::read_dir(&notes).into_iter().flatten().flatten();
        // A file of notes that is still being written has another name.
        let notes = files.filter(|file| file.path().extension().is_none_or(|it| it != "part"));
        let texts = notes.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        texts.filter(|text| text.contains("\"outcome\"")).count() > 0
    };
    // Waits up to five minutes until the first step of the search is noted.
    assert!((0..60_000).any(|_| is_noted() || (std::thread::sleep(Duration::from_millis(5)), false).1));
    killed.kill().unwrap();
    killed.wait().unwrap();
    lab.shell("cp -r .cache/fauxplat/commits/searches kept");
    let found = json(&lab, &top, &words);
    assert!(found["steps_before"].as_u64().unwrap() >= 1, "{found}");
    assert!(found["found"]["commit"]["name"].as_str().unwrap().ends_with("number 9"), "{found}");
    lab.shell("rm -r .cache/fauxplat/commits/searches; mv kept .cache/fauxplat/commits/searches");
    let found = json(&lab, &top, &[&words[..], &["--anew"]].concat());
    assert_eq!(found["steps_before"], 0, "{found}");
}

#[test]
fn a_search_that_makes_no_sense_is_refused() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.004"]);
    let refused = |words: &[&str], said: &str| {
        let done = run(&lab, &top, &[&["bisect"], words].concat());
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains(said), "{words:?}: {}", done.err);
    };
    refused(&["--good", "HEAD", "--bad", "HEAD~1", "true"], "is no ancestor of");
    refused(&["--good", "HEAD", "true"], "is no ancestor of");
    refused(&["--good", "HEAD~1", "true", "false"], "measures one command");
    refused(&["--good", "HEAD~1", "-L", "n=1,2", "echo {n}"], "measures one command");
    refused(&["--good", "HEAD~1", "--metric", "wall,cpu", "true"], "wall,cpu");
}

#[test]
fn a_suite_runs_in_the_work_trees_of_two_revisions() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.1"]);
    let file = "[[benchmark]]\nname = 'own'\ncommand = './program'\n[[benchmark]]\nname = 'given'\ncommand = '{program}'\n";
    lab.write("suite.toml", file);
    let file = lab.file("suite.toml");
    let words = ["--commits", "HEAD~1,HEAD", "--build", BUILD];
    let of_file = [&["suite", &file, "./program", "--max-time", "60s"], &words[..]].concat();
    let found = json(&lab, &top, &of_file);
    let states: Vec<&str> =
        found["benchmarks"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["slower", "slower"]);
    let short = git(&top, &["log", "-1", "--format=%h %s"]);
    assert_eq!(found["programs"][1], format!("./program at {short}"));

    let harness = r"lines:^(\S+) (\S+) (\S+)$";
    let printed = "cat seconds | while read -r s; do echo \"printed $s s\"; done";
    lab.shell(&format!(
        "cd 'a repository' && printf '%s\\n' '{printed}' > bench && printf '0.004\\n' > seconds"
    ));
    lab.shell("cd 'a repository' && git add -A && git -c user.name=n -c user.email=e commit -qm a");
    lab.shell("cd 'a repository' && printf '0.008\\n' > seconds");
    let of_harness = ["suite", "--harness", harness, "--commits", "HEAD,WORKTREE", "sh bench"];
    let found = json(&lab, &top, &of_harness);
    assert_eq!(found["benchmarks"][0]["state"], "slower", "{found}");

    run(&lab, &top, &["suite", "--commits", "HEAD,HEAD~1,HEAD~2", "sh bench"])
        .complains(2, &["two revisions"]);
    run(&lab, &top, &["suite", "--build", "make", "a", "b"]).ends_with(2);
}

/// An interrupted build ends with the code of an interrupt and not with that of `--undecided-code`, which `git bisect
/// run` would take for an answer about the commit.
#[test]
fn an_interrupted_build_ends_with_130() {
    let building = "touch begun; sleep 86452";
    for words in [
        &["compare", "--commits", "HEAD~1,HEAD", "--undecided-code", "125"][..],
        &["suite", "--commits", "HEAD~1,HEAD", "--harness", "lines:(a)(b)"],
        &["bisect", "--good", "HEAD~1", "--undecided-code", "125"],
    ] {
        let lab = Lab::new();
        let top = repository(&lab, &["1", "2"]);
        let line = [words, &["--build", building, "./program"]].concat();
        let mut started = command(&lab, &top, &line);
        let started = started.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert!(eventually(|| alive("sleep 86452") > 0), "{words:?}");
        fauxplat_sys::signal::send(started.id() as i32, SIGTERM);
        let done = started.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(130), "{words:?}: {done:?}");
        assert_eq!(alive("sleep 86452"), 0, "{words:?}");
    }
}

#[test]
fn setups_run_in_each_work_tree() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.001", "0.002"]);
    let setup = "cat seconds > data";
    let words = ["compare", "--commits", "HEAD~1,HEAD", "--build", BUILD, "--setup", setup];
    run(&lab, &top, &[&words[..], &["--max-pairs", "6", "cmp seconds data"]].concat()).ends_with(0);
    assert!(!top.join("data").exists(), "the user's own folder is only read");
}

#[test]
fn a_search_without_time_says_how_far_it_came() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.004", "0.008", "0.012"]);
    let words = ["bisect", "--good", "HEAD~2", "--build", BUILD, "./program"];
    run(&lab, &top, &[&words[..], &["--names", "x"]].concat()).complains(2, &["--names"]);
    let found = run(&lab, &top, &[&words[..], &["--max-time", "200ms", "--level", "0.1%"]].concat());
    let said = found.ends_with(0).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!said.contains("0 suspects") && !said.contains("cannot be told apart"), "{said}");
    assert!(!said.contains("--seed 0"), "{said}");
}

/// With a very short time limit there may be no pair to analyse, and the report has no ratio.
#[test]
fn a_search_without_time_has_a_report() {
    let lab = Lab::new();
    let top = repository(&lab, &["0.001", "0.02"]);
    for max_time in ["1ns", "1us", "1ms", "20ms"] {
        let words = ["bisect", "--good", "HEAD~1", "--build", BUILD, "./program", "--max-time", max_time];
        let done = run(&lab, &top, &words).ends_with(0);
        assert!(!done.out.contains("does not have the form"), "{max_time}: {}", done.out);
        assert!(
            done.out.contains("--max-time") || done.out.contains("made the change"),
            "{max_time}: {}",
            done.out
        );
    }
}
