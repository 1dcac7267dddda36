//! Runs over fleets whose nodes are processes of this machine.

use std::fs;

use serde_json::Value;

use crate::common::{Done, Lab, SIGKILL, eventually};

/// The text of the journals of all runs in a laboratory.
fn journal(lab: &Lab) -> String {
    let runs = fs::read_dir(lab.path("fleet")).into_iter().flatten().flatten();
    runs.filter_map(|entry| fs::read_to_string(entry.path().join("journal")).ok()).collect()
}

fn states(document: &Value) -> Vec<(String, String)> {
    let nodes = document["nodes"].as_array().unwrap();
    let text = |node: &Value, name: &str| node[name].as_str().unwrap_or_default().to_owned();
    let mut states: Vec<_> = nodes.iter().map(|node| (text(node, "node"), text(node, "state"))).collect();
    states.sort();
    states
}

fn order(lab: &Lab, version: &str) -> String {
    let definition = r#"{"command":[{"command":"echo 7"}],"runs":"3"}"#;
    let text = format!(
        r#"{{"schema":"fauxplat.node-order/1","fauxplat_version":"{version}","fleet":"f","node":"n1",
            "plan":{{"definition_sha256":"ab","seed":7}},"attempt":1,"definition":{definition},"answers":true}}"#
    );
    lab.write("order.json", &text)
}

#[test]
fn a_node_carries_an_order_out_and_tells_about_itself() {
    let lab = Lab::ordinary();
    let version = env!("CARGO_PKG_VERSION");
    let record = Done::of(lab.bare(&["node", &order(&lab, version)])).succeeds().json();
    assert_eq!((&record["schema"], &record["node"]), (&"fauxplat.node/1".into(), &"n1".into()));
    let walls = record["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|block| block["values"]["wall"].as_array().unwrap());
    assert_eq!(walls.filter(|wall| wall.as_u64().is_some_and(|wall| wall > 0)).count(), 3);
    // The output of `printf '7\n' | sha256sum`.
    let sha256 = "10159baf262b43a92d95db59dae1f72c645127301661e0a3ce4e38b295a97c58";
    assert_eq!(record["answers"][0]["sha256"], sha256);
    assert!(record["facts"]["kernel"].is_string() && record["facts"]["not-measured"].is_string());
    assert_eq!(record["failures"].as_array().unwrap().len(), 0, "{record}");
}

/// The preparation of a command (`--prepare`) is also made for the run whose output is compared, and is cleaned up
/// afterwards.
#[test]
fn a_command_is_prepared_for_its_answer() {
    let lab = Lab::ordinary();
    lab.write("source", "7\n");
    let text = fs::read_to_string(order(&lab, env!("CARGO_PKG_VERSION"))).unwrap();
    let of = |prepare: &str| {
        let command = format!(r#""command":"cat made","prepare":"{prepare}","conclude":"rm made""#);
        lab.write("prepared.json", &text.replace(r#""command":"echo 7""#, &command))
    };
    let counted = "sh -c 'echo x >> count && cp source made'";
    let record = Done::of(lab.bare(&["node", &of(counted)])).succeeds().json();
    let sha256 = "10159baf262b43a92d95db59dae1f72c645127301661e0a3ce4e38b295a97c58";
    assert_eq!(record["answers"][0]["sha256"], sha256, "{record}");
    assert!(!lab.path("made").exists());
    // The last preparation is the one for the run whose output is compared. In the next attempt that preparation fails.
    let times = lab.read("count").lines().count();
    let but_once =
        format!("sh -c '[ $(wc -l < count) -lt {} ] && echo x >> count && cp source made'", times - 1);
    lab.write("count", "");
    let record = Done::of(lab.bare(&["node", &of(&but_once)])).succeeds().json();
    assert_eq!(record["answers"].as_array().unwrap().len(), 0, "{record}");
    assert!(record["noise"]["warnings"].to_string().contains("was not asked for its answer"), "{record}");
    assert_eq!(record["failures"].as_array().unwrap().len(), 0, "{record}");
}

/// A failure on a node is reported by the node itself, since only it knows the reason.
#[test]
fn a_node_of_another_version_or_without_the_program_says_so() {
    let lab = Lab::new();
    let record = Done::of(lab.bare(&["node", &order(&lab, "0.0.1")])).succeeds().json();
    let why = record["failures"][0]["reason"].as_str().unwrap();
    assert!(why.contains("0.0.1") && record["blocks"].as_array().unwrap().is_empty(), "{why}");
    let text = fs::read_to_string(order(&lab, env!("CARGO_PKG_VERSION"))).unwrap();
    let missing = lab.write("missing.json", &text.replace("echo 7", "no-such-program"));
    let record = Done::of(lab.bare(&["node", &missing])).succeeds().json();
    assert!(record["failures"][0]["reason"].as_str().unwrap().contains("no-such-program"), "{record}");
    let garbage = lab.write("garbage.json", "{\"schema\":");
    Done::of(lab.bare(&["node", &garbage])).complains(2, &["garbage.json"]);
    Done::of(lab.bare(&["node", "--order", "garbage"])).complains(2, &["not an answer of fauxplat"]);
}

/// A node that cannot write its answer says so by its exit status.
#[test]
fn a_node_whose_disk_is_full_says_so() {
    let lab = Lab::new();
    for framed in [&[][..], &["--framed", "token"]] {
        let order = order(&lab, env!("CARGO_PKG_VERSION"));
        let mut command = lab.bare(&[&["node"], framed, &[&*order]].concat());
        command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        Done::of(command).complains(3, &["No space left on device"]);
    }
}

#[test]
fn every_node_answers_and_the_run_is_kept() {
    let lab = Lab::new();
    let found = lab.json(&["fleet", "run", "-q", "--on", "local:3", "--at-once", "3", "-r", "5", "echo 7"]);
    assert_eq!(found["schema"], "fauxplat.fleet/1");
    let nodes: Vec<String> = states(&found).into_iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, ["local-1", "local-2", "local-3"]);
    assert!(found["nodes"].as_array().unwrap().iter().all(|node| node["runs"] == 5), "{found}");
    assert_eq!(found["groups"].as_array().unwrap().len(), 1, "one machine is one kind of hardware");
    // The stored run gives the same report, and is a row of the history.
    let again = lab.json(&["fleet", "report", &found["fleet"].as_str().unwrap()[..6]]);
    assert_eq!((&again["nodes"], &again["fleet"]), (&found["nodes"], &found["fleet"]));
    assert_eq!(lab.json(&["history", "list"])["experiments"][0]["kind"], "fleet");
    let list = lab.json(&["fleet", "list"]);
    assert_eq!((&list["runs"][0]["machines"], &list["runs"][0]["on"]), (&3.into(), &"local:3".into()));
    for format in ["text", "markdown", "csv", "html", "openmetrics"] {
        let done = lab.run(&["fleet", "report", "--format", format]).succeeds();
        assert!(
            done.out.contains("local-2") || format == "text" || format == "markdown",
            "{format}: {}",
            done.out
        );
    }
    // A complete run that is resumed has nothing to do.
    let before = journal(&lab);
    lab.run(&["fleet", "run", "-q", "--resume", found["fleet"].as_str().unwrap()]).succeeds();
    assert_eq!(journal(&lab), before);
}

/// fauxplat is killed while nodes measure; the nodes continue, and a resumed run finds their answers.
#[test]
fn a_run_that_was_killed_goes_on_without_loss() {
    let lab = Lab::new();
    let command = "sh -c 'while [ ! -e go ]; do sleep 0.02; done'";
    let words = [
        "fleet",
        "run",
        "--cpu",
        "free",
        "--on",
        "local:3",
        "--at-once",
        "2",
        "-r",
        "2",
        "--no-answers",
        "--no-confirm",
        command,
    ];
    let live = lab.start(&words);
    assert!(eventually(|| journal(&lab).matches("\"handed\"").count() == 2));
    live.signal(SIGKILL);
    live.end();
    lab.write("go", "");
    let list = lab.json(&["fleet", "list"]);
    let id = list["runs"][0]["id"].as_str().unwrap();
    let found = lab.json(&["fleet", "run", "-q", "--resume", id, "--no-confirm"]);
    assert!(found["nodes"].as_array().unwrap().iter().all(|node| node["runs"] == 2), "{found}");
    assert_eq!(journal(&lab).matches("\"answer\":").count(), 3);
}

/// Ctrl-C keeps the received answers, ends the other nodes, and prints how to resume.
#[test]
fn a_run_that_is_interrupted_keeps_what_came() {
    let lab = Lab::new();
    let words = [
        "fleet",
        "run",
        "-q",
        "--on",
        "local:2",
        "-r",
        "2",
        "--no-answers",
        "--no-confirm",
        "--cpu",
        "free",
        "--format",
        "json",
    ];
    let command =
        "sh -c 'echo x >> begun; while [ $(wc -l < begun) -gt 2 ] && [ ! -e go ]; do sleep 0.02; done'";
    let live = lab.start(&[&words[..], &[command]].concat());
    assert!(eventually(|| journal(&lab).contains("\"answer\":") && lab.read("begun").lines().count() == 3));
    live.signal(crate::common::SIGINT);
    let found = live.end().ends_with(130).json();
    let runs: Vec<_> =
        found["nodes"].as_array().unwrap().iter().map(|node| node["runs"].as_u64().unwrap()).collect();
    assert!(runs.contains(&2) && runs.contains(&0), "{found}");
    assert!(found["warnings"].to_string().contains("interrupted"));
    lab.write("go", "");
    let found =
        lab.json(&["fleet", "run", "-q", "--no-confirm", "--resume", found["fleet"].as_str().unwrap()]);
    assert!(found["nodes"].as_array().unwrap().iter().all(|node| node["runs"] == 2), "{found}");
}

#[test]
fn what_cannot_be_asked_is_refused_in_one_line() {
    let lab = Lab::new();
    for (words, said) in [
        (&["fleet", "run", "true"][..], "--on"),
        (&["fleet", "run", "--on", "nomad:x", "true"], "none of local"),
        (&["fleet", "run", "-q", "--on", "local:0", "true"], "number of nodes"),
        (&["fleet", "run", "-q", "--on", "local:2"], "no command"),
        (&["fleet", "run", "-q", "--on", "local:2", "true", "false"], "fleet compare"),
        (&["fleet", "run", "-q", "--on", "local:2", "a | b"], "--shell"),
        (&["fleet", "run", "-q", "--on", "local:2", "--licence", "x", "true"], "--licence is for"),
        (
            &["fleet", "run", "-q", "--on", "local:2", "--program-there", "/opt/fauxplat", "true"],
            "--program-there",
        ),
        (&["fleet", "run", "-q", "--on", "local:99999999", "true"], "nodes from 1 to 10000"),
        // A refused format leaves no run behind.
        (&["fleet", "run", "-q", "--on", "local:2", "--format", "hyperfine-json", "true"], "be written as"),
        (&["fleet", "run", "-q", "--on", "local:2", "--export", "junit=x", "true"], "be written as"),
        (&["fleet", "compare", "-q", "--on", "local:2", "-f", "slurm-drain", "true", "ls"], "be written as"),
        (&["fleet", "list", "--format", "csv"], "text, json"),
        (&["fleet", "compare", "-q", "--on", "local:2", "true"], "two commands"),
        (&["fleet", "run", "-q", "--resume", "nothing"], "no such fleet run"),
        (&["fleet", "emit", "kubernetes", "--image", "x", "--nodes", "2"], "no command"),
        (&["fleet", "emit", "kubernetes", "--image", "x", "--nodes", "2", "a", "b", "c"], "here are 3"),
        (
            &["fleet", "emit", "kubernetes", "--image", "x", "--nodes", "2", "--folder", "f", "true"],
            "--round",
        ),
        (&["fleet", "report"], "no run over a fleet"),
        // An escape sequence in a foreign name does not reach the terminal.
        (&["fleet", "report", "--folder", "a\u{1b}[2J"], "a\\u{1b}[2J: no run"),
    ] {
        lab.run(words).complains(2, &[said]);
    }
    let done = lab.run_unstored(&["fleet", "run", "-q", "--on", "local:2", "true"]);
    done.complains(2, &["--folder"]);
    // PATH has only folders of the system here. If clush is installed there, it knows no such group.
    let done = lab.run(&["fleet", "run", "--on", "clush:@no-such-group", "true"]);
    assert!([Some(2), Some(3)].contains(&done.code), "{}", done.err);
    assert!(!lab.path("fleet").exists() || fs::read_dir(lab.path("fleet")).unwrap().next().is_none());
}

/// A folder that an ordinary user could write to might make root run another program. Folders that root creates on the
/// way must not keep the user from measuring.
#[test]
fn root_runs_nothing_from_a_users_folder_and_leaves_it_to_the_user() {
    let lab = Lab::new();
    fs::create_dir(lab.path("home")).unwrap();
    if std::os::unix::fs::chown(lab.path("home"), Some(1234), Some(1234)).is_err() {
        println!("skipped: only root can give a folder away");
        return;
    }
    let words = ["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--no-confirm", "--folder"];
    let done = lab.run(&[&words[..], &[&lab.file("home/share/fleet"), "touch ran"]].concat());
    done.complains(3, &["user 1234", "--folder"]);
    assert!(!lab.path("ran").exists());
    for folder in ["home/share", "home/share/fleet"] {
        let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(lab.path(folder)).unwrap());
        assert_eq!(owner, 1234, "{folder}");
    }
}

/// The folder of a run must not be named after the server's address, which contains the password.
#[test]
fn a_run_whose_store_is_a_server_is_beside_the_default_store() {
    let lab = Lab::new();
    let url = "postgres://ada:secret@127.0.0.1:1/lab?connect_timeout=1";
    let done = |words: &[&str]| {
        let mut command = lab.bare(&[words, &["--store", url, "--format", "json"]].concat());
        command.env("XDG_DATA_HOME", lab.file("data"));
        Done::of(command).json()
    };
    // Experiments for a shared store are first written to a local spool, and so are runs over a fleet.
    let found = done(&["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--no-confirm", "true"]);
    let id = found["fleet"].as_str().unwrap();
    assert!(lab.path("data/fauxplat/fleet").join(id).is_dir());
    assert_eq!(done(&["fleet", "list"])["runs"][0]["id"], id);
    let named = fs::read_dir(lab.path(".")).unwrap().flatten().map(|entry| entry.file_name());
    assert!(named.into_iter().all(|name| !name.to_string_lossy().contains("postgres")));
}

/// An unreadable run is left out of lists, and asking for it gives the reason.
#[test]
fn a_run_that_cannot_be_read_is_told_and_left_out() {
    let lab = Lab::new();
    for _ in 0..2 {
        lab.run(&["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--no-confirm", "echo 7"]).succeeds();
    }
    let first = lab.json(&["fleet", "list"])["runs"][0]["folder"].as_str().unwrap().to_owned();
    let path = format!("{first}/run.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("fleet-run/1", "fleet-run/9")).unwrap();
    for verb in ["list", "watch"] {
        let done = lab.run(&["fleet", verb, "--format", "json"]);
        assert!(done.json().to_string().len() > 10);
        done.complains(0, &["run.json", "left out"]);
    }
}

/// Options that were fixed when a run began are refused when it is resumed, and not silently ignored.
#[test]
fn a_run_is_resumed_as_it_was_begun() {
    let lab = Lab::new();
    for option in [
        &["--on", "local:2"][..],
        &["--licence", "x"],
        &["--shared"],
        &["--at-once", "2"],
        &["--job-minutes", "5"],
        &["--program", "sparc64=other"],
        &["--program-there", "/opt/fauxplat"],
        &["--no-answers"],
        &["-r", "5"],
        &["--metric", "cpu"],
        &["--metric-from", "t=([0-9.]+)"],
        &["--warmup", "2"],
        &["--nice", "3"],
        &["--load", "integer@1"],
        &["echo 7"],
    ] {
        let done = lab.run(&[&["fleet", "run", "--resume", "3f2a"][..], option].concat());
        done.reports_misuse(&["--resume", "cannot be used with"]);
    }
}

/// The folder of a run may be renamed, and its programs may have been named from another folder.
#[test]
fn a_run_whose_folder_was_renamed_goes_on() {
    let lab = Lab::new();
    lab.write("other", "a program of another architecture");
    let words = ["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--program", "sparc64=other"];
    let more = ["--format", "json", "--no-confirm", "sh -c '[ -e go ] || exit 3; echo 7'"];
    let done = lab.run(&[&words[..], &more].concat());
    assert_eq!(done.code, Some(4), "{}", done.err);
    let found = done.json();
    let id = found["fleet"].as_str().unwrap();
    assert_eq!(found["nodes"][0]["state"], "missing", "{found}");
    let asked = lab.read(&format!("fleet/{id}/run.json"));
    assert!(asked.contains(&format!("\"sparc64\": \"{}\"", lab.file("other"))), "{asked}");
    fs::rename(lab.path("fleet").join(id), lab.path("é 7")).unwrap();
    lab.write("go", "");
    fs::create_dir(lab.path("elsewhere")).unwrap();
    let mut command =
        lab.command(&["fleet", "run", "--no-confirm", "--format", "json", "--resume", &lab.file("é 7")]);
    command.current_dir(lab.path("elsewhere"));
    let done = Done::of(command);
    assert_eq!(done.code, Some(4), "{}", done.err);
    assert!(done.err.contains(&format!("(fauxplat fleet report '{}')", lab.file("é 7"))), "{}", done.err);
    assert_eq!(done.json()["fleet"], id);
}

#[test]
fn two_programs_are_compared_on_every_node() {
    let lab = Lab::new();
    let words =
        ["fleet", "compare", "-q", "--on", "local:3", "--at-once", "3", "-r", "4", "--names", "old,new"];
    let metric = ["--metric-from", "t=([0-9.]+)", "echo 100", "echo 90"];
    let found = lab.json(&[&words[..], &metric].concat());
    assert_eq!(found["schema"], "fauxplat.fleet-compare/1");
    assert_eq!((&found["a"], &found["b"], &found["machines"]), (&"old".into(), &"new".into(), &3.into()));
    let ratio = found["effect_ratio"].as_f64().unwrap();
    assert!((ratio - 0.9).abs() < 0.001, "{found}");
    lab.run(&["fleet", "run", "-q", "--resume", found["fleet"].as_str().unwrap()])
        .complains(2, &["fleet compare"]);
}

/// The published schema is not available without a network, so its required fields and that of Indexed Jobs are
/// checked.
#[test]
fn a_manifest_for_kubernetes_carries_the_order() {
    let lab = Lab::new();
    let words =
        ["fleet", "emit", "kubernetes", "--image", "registry/fauxplat:1", "--nodes", "20", "./program"];
    let manifest = lab.run(&words).succeeds().json();
    assert_eq!((&manifest["apiVersion"], &manifest["kind"]), (&"batch/v1".into(), &"Job".into()));
    let spec = &manifest["spec"];
    assert_eq!((&spec["completions"], &spec["completionMode"]), (&20.into(), &"Indexed".into()));
    // A limit for the whole job would let one failing node end all others.
    assert_eq!(spec["backoffLimitPerIndex"], 0);
    assert!(spec["backoffLimit"].is_null());
    let pod = &spec["template"]["spec"];
    assert_eq!(pod["restartPolicy"], "Never", "the only one that a job with no retries may have here");
    let apart = &pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
    let name = &apart["labelSelector"]["matchLabels"]["fauxplat/fleet"];
    assert_eq!(name, &spec["template"]["metadata"]["labels"]["fauxplat/fleet"]);
    let arguments: Vec<&str> =
        pod["containers"][0]["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(arguments[0], "node");
    lab.run(&[&words[..], &["--job-name", "Not a label"]].concat()).complains(2, &["--job-name"]);
    // The order can be read by a node, whose answer then says that the program is missing on it.
    let done = Done::of(lab.bare(&["node", "--order", arguments.last().unwrap()])).succeeds();
    assert!(done.json()["failures"][0]["reason"].as_str().unwrap().contains("program"));
}

/// Logs of pods can be imported as a run, but not twice.
#[test]
fn logs_that_somebody_collected_are_a_run() {
    let lab = Lab::new();
    let words = ["fleet", "emit", "kubernetes", "--image", "x", "--nodes", "2", "-r", "2", "echo 7"];
    let text = lab.run(&words).succeeds().out;
    let manifest = lab.write("manifest.json", &text);
    let document: Value = serde_json::from_str(&text).unwrap();
    let args = document["spec"]["template"]["spec"]["containers"][0]["args"].as_array().unwrap().clone();
    let args: Vec<&str> = args.iter().map(|word| word.as_str().unwrap()).collect();
    for pod in ["node-a", "node-b"] {
        let mut command = lab.bare(&args);
        let log = Done::of({
            command.env("FAUXPLAT_NODE", pod);
            command
        });
        lab.write(&format!("{pod}.log"), &format!("starting\n{}", log.succeeds().out));
    }
    let damaged = lab.write("node-c.log", "panic: out of memory\n");
    let (a, b) = (lab.file("node-a.log"), lab.file("node-b.log"));
    // A mistyped file name leaves no run behind, so it can be corrected.
    lab.run(&["fleet", "take", &manifest, &a, &lab.file("node-x.log")]).complains(3, &["node-x.log"]);
    lab.run(&["fleet", "report"]).complains(2, &["no run over a fleet"]);
    let found = lab.json(&["fleet", "take", &manifest, &a, &b, &damaged]);
    let runs: Vec<u64> =
        found["nodes"].as_array().unwrap().iter().filter_map(|node| node["runs"].as_u64()).collect();
    assert_eq!(runs.iter().filter(|&&runs| runs == 2).count(), 2, "{found}");
    assert!(found["deliveries"].to_string().contains("out of memory"), "{found}");
    lab.run(&["fleet", "take", &manifest, &a]).complains(3, &["exists"]);
    lab.run(&["fleet", "take", &a, &b]).complains(2, &["no order"]);
}

/// A lab whose experiment prints its measurement.
const NUMBER: &str = r#"
question = "Is it?"
source = "nobody"
machine = "any"
[[experiment]]
name = "number"
run = """echo '{"n": 1.5}'"""
[[claim]]
name = "number"
published = { statement = "it is", unit = "times", low = 1.0, high = 2.0, direction = "above", than = 1.0 }
measured = { experiment = "number", value = "/n", exact = true }
"#;

/// A lab is run like a command, by the fauxplat program that measures on the node, wherever that program is installed.
#[test]
fn a_lab_is_run_on_every_node() {
    let lab = Lab::new();
    fs::create_dir_all(lab.path("labs/number")).unwrap();
    lab.write("labs/number/README.md", "# made up\n");
    lab.write("labs/number/lab.toml", NUMBER);
    let found =
        lab.json(&["fleet", "run", "-q", "--on", "local:2", "-r", "1", "--no-confirm", "lab:./labs/number"]);
    assert_eq!((&found["command"], &found["metric"]), (&"lab:./labs/number".into(), &"printed:lab".into()));
    // Printed values are stored in millionths.
    assert!(
        found["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .all(|node| (node["median"].as_f64().unwrap() - 1_500_000.0).abs() < 1.0),
        "{found}"
    );
    lab.run(&["fleet", "run", "-q", "--on", "local:2", "lab:no-such-lab"]).complains(2, &["no-such-lab"]);
}

#[test]
fn a_watched_fleet_tells_its_schedule_and_its_changes() {
    let lab = Lab::new();
    for _ in 0..2 {
        lab.run(&["fleet", "run", "-q", "--on", "local:2", "-r", "2", "--no-confirm", "echo 7"]).succeeds();
    }
    let found = lab.json(&["fleet", "watch"]);
    assert_eq!(found["schema"], "fauxplat.fleet-watch/1");
    assert_eq!(found["nodes"][0]["medians"].as_array().unwrap().len(), 2, "{found}");
    let lines = lab.run(&["fleet", "watch", "--every", "week"]).succeeds().out;
    assert!(lines.contains("17 3 * * 0 cd ") && lines.contains("fleet run -q --on local:2"), "{lines}");
    // The command of the crontab line repeats the run, also in another folder.
    let line = lines.lines().find_map(|line| line.strip_prefix("17 3 * * 0 ")).unwrap();
    let repeated = std::process::Command::new("sh").args(["-c", line]).current_dir("/").output().unwrap();
    assert!(repeated.status.success(), "{repeated:?}");
    assert_eq!(lab.json(&["fleet", "list"])["runs"].as_array().unwrap().len(), 3);
    // A run with a damaged journal is reported, and the other runs are watched.
    let first = lab.json(&["fleet", "list"])["runs"][0]["folder"].as_str().unwrap().to_owned();
    let text = fs::read_to_string(format!("{first}/journal")).unwrap();
    fs::write(format!("{first}/journal"), text.replacen("\"round\":0", "\"round\":1", 1)).unwrap();
    let done = lab.run(&["fleet", "watch", "--format", "json"]);
    assert_eq!(done.json()["nodes"][0]["medians"].as_array().unwrap().len(), 2, "{}", done.out);
    done.complains(0, &["journal", "checksum", "left out"]);
    // A command with a line break cannot be written into a crontab, where it would be two commands.
    let words = ["fleet", "run", "-q", "--on", "local:1", "-r", "2", "--no-confirm", "echo 7\n"];
    lab.run(&words).succeeds();
    lab.run(&["fleet", "watch", "--every", "day"]).complains(2, &["crontab"]);
}
