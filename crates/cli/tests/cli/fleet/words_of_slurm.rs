//! Runs with Slurm, whose programs are imitated: nodes that are down, refuse, return garbage, or answer for another.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::Value;

use crate::common::{Done, LIMITS, Lab, eventually};

const WORDS: &str = include_str!("slurm.sh");

/// A laboratory in which Slurm's programs are imitated, and `sinfo` prints these lines.
fn lab(nodes: &str) -> Lab {
    let lab = Lab::new();
    for folder in ["bin", "fake", "fake/jobs"] {
        fs::create_dir(lab.path(folder)).unwrap();
    }
    let said = lab.write("bin/said", WORDS);
    fs::set_permissions(&said, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["sinfo", "sbatch", "squeue", "scontrol", "scancel"] {
        symlink(&said, lab.path("bin").join(name)).unwrap();
    }
    lab.write("fake/nodes", nodes);
    // A program to measure that prints a larger figure on n7.
    let speed = lab.write("speed", "#!/bin/sh\ncase $FAKE_NODE in n7) echo 1250 ;; *) echo 1000 ;; esac\n");
    fs::set_permissions(&speed, fs::Permissions::from_mode(0o755)).unwrap();
    lab
}

fn command(lab: &Lab, words: &[&str]) -> Command {
    let mut command = lab.command(words);
    command.env("PATH", format!("{}:/usr/bin:/bin", lab.file("bin"))).env("FAKE", lab.file("fake"));
    command.args(["--format", "json"]);
    command
}

const RUN: [&str; 8] = ["fleet", "run", "--on", "slurm:all", "-r", "3", "--metric-from", "t=([0-9.]+)"];

fn run(lab: &Lab, words: &[&str]) -> Done {
    Done::of(command(lab, &[&RUN[..], words, &["--quiet", "./speed"]].concat()))
}

fn node<'d>(document: &'d Value, name: &str) -> &'d Value {
    let nodes = document["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["node"] == name).unwrap_or_else(|| panic!("{name}: {document}"))
}

fn reasons(document: &Value, name: &str) -> String {
    let deliveries = document["deliveries"].as_array().unwrap().iter();
    let of: Vec<String> = deliveries
        .filter(|it| it["node"] == name)
        .map(|it| format!("{} {}", it["state"], it["reason"]))
        .collect();
    of.join("; ")
}

#[test]
fn whoever_gives_nothing_is_told_with_the_reason() {
    let lab = lab(
        "n1|idle|none\nn2|idle|none\nn3|down*|Not responding\nforbidden|idle|none\ngarbage|idle|none\n\
                   another|idle|none\napart|idle|none\nbroken|idle|none\narm|idle|none\n$(touch pwned)|idle|none\n",
    );
    let found = run(&lab, &["--no-confirm", "--licence", "meas", "--job-minutes", "5"]).succeeds().json();
    for name in ["n1", "n2"] {
        assert_eq!(node(&found, name)["runs"], 3, "{found}");
    }
    for (name, why) in [
        ("n3", "down: Not responding"),
        ("forbidden", "Access/permission denied"),
        ("garbage", "Segmentation fault"),
        ("another", "answer of n1"),
        ("apart", "--program"),
        ("broken", "no room in /tmp"),
        ("arm", "sparc64"),
        ("$(touch pwned)", "name"),
    ] {
        let said = reasons(&found, name);
        assert!(said.contains(why), "{name}: {said}");
        let is_asked = !["n3", "arm", "$(touch pwned)"].contains(&name);
        let state = if is_asked { "missing" } else { "unreached" };
        assert_eq!(node(&found, name)["state"], state, "{name}");
    }
    assert!(!lab.path("pwned").exists());
    let submitted = lab.read("fake/submitted");
    assert!(!submitted.contains("n3") && !submitted.contains("--nodelist=arm"), "{submitted}");
    let first = submitted.lines().next().unwrap();
    for word in
        ["--nodelist=n1", "--exclusive", "--licenses=meas", "--time=5", "--partition=all", "--no-requeue"]
    {
        assert!(first.split(' ').any(|other| other == word), "{word}: {first}");
    }
}

/// A slow node is found, and measured again beside two others until it is confirmed.
#[test]
fn a_slow_node_is_measured_again_and_confirmed() {
    let nodes: String = (1..=8).map(|at| format!("n{at}|idle|none\n")).collect();
    let lab = lab(&nodes);
    let found = run(&lab, &[]).succeeds().json();
    let slow = node(&found, "n7");
    assert_eq!(slow["state"], "confirmed", "{slow}");
    assert!((slow["effect_ratio"].as_f64().unwrap() - 1.25).abs() < 1e-6, "{slow}");
    let rounds = slow["rounds"].as_u64().unwrap();
    assert!(rounds >= 3);
    let others = found["nodes"].as_array().unwrap().iter().filter(|node| node["node"] != "n7");
    assert!(others.into_iter().all(|node| node["state"] == "normal"), "{found}");
    // The suspect was measured in each round between two other machines; no other machine was measured again.
    let submitted = lab.read("fake/submitted").lines().count() as u64;
    assert_eq!(submitted, 8 + 3 * rounds);
}

#[test]
fn a_node_that_has_its_program_is_asked_whatever_it_is() {
    let lab = lab("arm|idle|none\n");
    let words = ["--no-confirm", "--program-there", env!("CARGO_BIN_EXE_fauxplat")];
    let found = run(&lab, &words).succeeds().json();
    assert_eq!(node(&found, "arm")["runs"], 3, "{found}");
}

/// A resumed run keeps the options with which it was begun, here `--no-confirm`.
#[test]
fn suspects_of_a_run_that_leaves_them_alone_stay_suspects() {
    let nodes: String = (1..=8).map(|at| format!("n{at}|idle|none\n")).collect();
    let lab = lab(&nodes);
    let found = run(&lab, &["--no-confirm"]).succeeds().json();
    let resume = ["fleet", "run", "--quiet", "--resume", found["fleet"].as_str().unwrap()];
    let found = Done::of(command(&lab, &resume)).succeeds().json();
    assert_eq!(node(&found, "n7")["state"], "suspect", "{found}");
    assert_eq!(lab.read("fake/submitted").lines().count(), 8);
}

/// Whether a file of the imitated Slurm contains the exit code of a job.
fn is_code(entry: &fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|end| end == "code")
}

/// A run that is killed in the rounds of suspects is resumed there, with the same plan; nodes without an answer are
/// asked once more.
#[test]
fn rounds_of_suspects_that_were_ended_go_on() {
    let nodes: String = (1..=8).map(|at| format!("n{at}|idle|none\n")).collect();
    let lab = lab(&nodes);
    // In the first measurement all nodes answer. In the first round of suspects n7 hangs until the file `go` exists.
    let script = "#!/bin/sh\n[ $FAKE_NODE = n7 ] || { echo 1000; exit; }\n[ $FAKE_TASK -lt 8 ] || echo x > hangs\n\
                  while [ -e hangs ] && [ ! -e go ]; do sleep 0.05; done\necho 1250\n";
    lab.write("speed", script);
    let mut words = command(&lab, &[&RUN[..], &["--no-answers", "--quiet", "./speed"]].concat());
    let out = fs::File::create(lab.path("out")).unwrap();
    let mut child = words.stdout(out).stderr(fs::File::create(lab.path("err")).unwrap()).spawn().unwrap();
    let ended =
        || fs::read_dir(lab.path("fake/jobs")).unwrap().filter(|it| is_code(it.as_ref().unwrap())).count();
    assert!(eventually(|| lab.path("hangs").exists() && ended() == 8 + 2));
    child.kill().unwrap();
    child.wait().unwrap();
    let id = Done::of(command(&lab, &["fleet", "list"])).succeeds().json()["runs"][0]["id"].clone();
    let resume = ["fleet", "run", "--quiet", "--resume", id.as_str().unwrap()];
    // At the end of the time limit open jobs are cancelled, and no round is begun that would have to be ended.
    let mut late = command(&lab, &[&resume[..], &["--max-time", "1ms"]].concat());
    late.stderr(fs::File::create(lab.path("err")).unwrap());
    let found = Done::of(late).json();
    assert_eq!(node(&found, "n7")["state"], "suspect", "{found}");
    assert!(found["again"]["rounds"].as_array().unwrap().len() == 6, "the other rounds are to come: {found}");
    assert_eq!(lab.read("fake/submitted").lines().count(), 8 + 3);
    lab.write("go", "");
    let found = Done::of(command(&lab, &resume)).succeeds().json();
    let slow = node(&found, "n7");
    assert_eq!((&slow["state"], &slow["rounds"]), (&"confirmed".into(), &6.into()), "{slow}");
    assert!(found["again"].is_null(), "{found}");
    // Only n7 had not answered in the first round, so only n7 is asked again there; five further rounds follow.
    assert_eq!(lab.read("fake/submitted").lines().count(), 8 + 3 + 1 + 5 * 3);
}

/// Slurm's controller is away for a while: fauxplat waits for it, and a job whose submission got no answer is not
/// submitted twice.
#[test]
fn a_controller_that_goes_away_for_a_while_loses_nothing() {
    let lab = lab("n1|idle|none\nn2|idle|none\n");
    lab.write("fake/dead", "");
    let mut words = command(&lab, &[&RUN[..], &["--no-confirm", "./speed"]].concat());
    let out = fs::File::create(lab.path("out")).unwrap();
    let err = fs::File::create(lab.path("err")).unwrap();
    let mut child = words.stdout(out).stderr(err).spawn().unwrap();
    assert!(eventually(|| lab.read("err").contains("asking again")));
    fs::remove_file(lab.path("fake/dead")).unwrap();
    assert!(child.wait().unwrap().success(), "{}", lab.read("err"));
    let found: Value = serde_json::from_str(&lab.read("out")).unwrap();
    assert!(found["nodes"].as_array().unwrap().iter().all(|node| node["runs"] == 3), "{found}");
    assert_eq!(lab.read("fake/submitted").lines().count(), 2);
}

/// At the end of the time limit only the jobs of this run are cancelled, by their job numbers.
#[test]
fn only_its_own_jobs_are_cancelled() {
    let cancelled =
        LIMITS.iter().find_map(|limit| cancelled_within(limit)).expect("no job is ever submitted");
    assert_eq!(cancelled, ["1", "2"]);
}

/// Numbers of the jobs that are cancelled at the end of this time limit; `None` if two had not been submitted by then.
fn cancelled_within(limit: &str) -> Option<Vec<String>> {
    let lab = lab("n1|idle|none\nn2|idle|none\n");
    lab.write("fake/jobs/0", "somebody-else");
    // The jobs continue while their folder exists, since the imitated `scancel` ends no process.
    lab.write("speed", "#!/bin/sh\nwhile [ -e \"$0\" ]; do sleep 0.05; done; echo 1000\n");
    let done = run(&lab, &["--no-confirm", "--max-time", limit]);
    if lab.read("fake/submitted").lines().count() < 2 {
        return None;
    }
    let found = done.json();
    assert_eq!(done.code, Some(3), "nobody was measured: {}", done.err);
    assert!(reasons(&found, "n1").contains("ended before it answered"), "{found}");
    let mut numbers: Vec<String> = lab.read("fake/cancelled").split_whitespace().map(str::to_owned).collect();
    numbers.sort_unstable();
    Some(numbers)
}

#[test]
fn an_engine_that_is_not_installed_is_named() {
    let lab = Lab::new();
    let mut command = lab.command(&["fleet", "run", "--on", "slurm", "true"]);
    Done::of({
        command.env("PATH", lab.file("nowhere"));
        command
    })
    .complains(3, &["sinfo is not installed"]);
}

/// A run whose engine cannot list its nodes leaves nothing behind that could be resumed.
#[test]
fn an_engine_that_cannot_be_reached_is_named() {
    let lab = lab("n1|idle|none\n");
    lab.write("fake/away", "");
    run(&lab, &["--no-confirm"]).complains(3, &["sinfo", "Unable to contact slurm controller"]);
    assert!(!lab.path("fake/submitted").exists());
    let left = fs::read_dir(lab.path("fleet")).into_iter().flatten().count();
    assert_eq!(left, 0, "nothing was begun");
}
