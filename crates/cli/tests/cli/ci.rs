//! The files of `docs/ci`: their steps are run as a CI service would run them, with an imitation of the service's API.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::common::{Done, Lab};

fn of_docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci").join(name)
}

/// The name and the script of each step of a GitHub workflow that runs a script.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let (mut steps, mut name) = (Vec::<(String, String)>::new(), String::new());
    for line in workflow.lines().map(str::trim_start) {
        if let Some(found) = line.strip_prefix("- name: ") {
            name = found.to_owned();
        }
        if let Some(script) = line.strip_prefix("run: ") {
            steps.push((name.clone(), script.to_owned()));
        }
    }
    steps
}

/// The lines of a GitLab job's scripts, each with its last word as a name.
fn lines_of_gitlab(job: &str) -> Vec<(String, String)> {
    let scripts = job.lines().filter_map(|line| line.trim().strip_prefix("- sh "));
    let name = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
    scripts.map(|line| (name(line), format!("sh {line}"))).collect()
}

/// A git repository with a program in two versions, with the files for every CI service. The second version sleeps for
/// the given time.
fn repository(sleeps: &str) -> Lab {
    let lab = Lab::new();
    let program = |sleeps: &str| format!("printf '#!/bin/sh\\nsleep {sleeps}\\n' > make-it");
    lab.shell(&format!(
        "mkdir -p repository && cd repository && git init -q . && git config user.email a@b && git config user.name a && {} && \
         git add . && git commit -qm one && {} && git commit -qam two --allow-empty",
        program("0.005"),
        program(sleeps)
    ));
    let init =
        ["init", "--build", "cp make-it program && chmod +x program", "--benchmark", "program=./program"];
    let mut command = lab.bare(&[&init[..], &["--max-time", "30s", "--ci", "github,gitlab"]].concat());
    command.current_dir(lab.path("repository"));
    Done::of(command).ends_with(0);
    lab
}

/// Runs a step's script in the repository, with the fauxplat program of this build in the path.
fn run(lab: &Lab, script: &str, variables: &[(&str, &str)]) -> Done {
    let bin = Path::new(env!("CARGO_BIN_EXE_fauxplat")).parent().unwrap().display().to_string();
    let mut shell = Command::new("bash");
    shell.args(["-e", "-c", &format!("export PATH={bin}:$PATH\n{script}")]);
    lab.settle(&mut shell);
    shell.current_dir(lab.path("repository"));
    shell.envs([("FAUXPLAT_BASE", "HEAD~1"), ("GITHUB_STEP_SUMMARY", "summary.md"), ("GITHUB_PATH", "path")]);
    shell.env("GITHUB_ACTION_PATH", of_docs("")).envs(variables.iter().copied());
    Done::of(shell)
}

/// An imitation of the API for comments of a CI service, which answers requests until the test ends.
struct Service {
    address: String,
    comments: Arc<Mutex<Vec<Value>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Starts an imitation with this many comments of others, which accepts new comments if `may_write`.
    fn new(comments: usize, may_write: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let others = (0..comments).map(|id| json!({"id": id, "body": "a <!-- fauxplat in between"}));
        let comments = Arc::new(Mutex::new(others.collect::<Vec<Value>>()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, seen) = (comments.clone(), requests.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &kept, &seen, may_write);
            }
        });
        Service { address, comments, requests }
    }

    fn bodies(&self) -> Vec<String> {
        let comments = self.comments.lock().unwrap();
        comments.iter().map(|it| it["body"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn methods(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn serve(stream: TcpStream, comments: &Mutex<Vec<Value>>, requests: &Mutex<Vec<String>>, may_write: bool) {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length, mut is_json) = (String::new(), 0, true);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length: ").map_or(length, |text| text.parse().unwrap());
        // Only GitLab, whose requests carry `private-token`, takes forms instead of JSON.
        is_json &= !line.starts_with("private-token");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
    requests.lock().unwrap().push(method.clone());
    let mut comments = comments.lock().unwrap();
    let (status, answer) = match method.as_str() {
        "GET" => {
            let page: usize = path.rsplit("page=").next().unwrap().parse().unwrap();
            let shown: Vec<Value> = comments.iter().skip(100 * (page - 1)).take(100).cloned().collect();
            (200, Value::Array(shown))
        }
        _ if !may_write => (403, json!({"message": "Resource not accessible by integration"})),
        _ => {
            let text = match is_json {
                true => serde_json::from_slice::<Value>(&body).unwrap()["body"].as_str().unwrap().to_owned(),
                false => decoded(&String::from_utf8(body).unwrap())["body"].clone(),
            };
            let id: Option<usize> =
                path.rsplit('/').next().unwrap().parse().ok().filter(|_| method != "POST");
            let id = id.unwrap_or(comments.len());
            let comment = json!({"id": id, "body": text});
            match id < comments.len() {
                true => comments[id] = comment.clone(),
                false => comments.push(comment.clone()),
            }
            (if method == "POST" { 201 } else { 200 }, comment)
        }
    };
    let answer = answer.to_string();
    let head =
        format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    reader.into_inner().write_all(format!("{head}{answer}").as_bytes()).unwrap();
}

fn decoded(form: &str) -> BTreeMap<String, String> {
    let plain = |text: &str| {
        let (mut bytes, mut rest) = (Vec::new(), text.bytes());
        while let Some(byte) = rest.next() {
            let mut digit = || char::from(rest.next().unwrap()).to_digit(16).unwrap() as u8;
            bytes.push(match byte {
                b'%' => 16 * digit() + digit(),
                b'+' => b' ',
                other => other,
            });
        }
        String::from_utf8(bytes).unwrap()
    };
    form.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (plain(key), plain(value)))
        .collect()
}

/// Whether curl and jq are installed, which the script needs for comments; prints a message where they are not.
fn has_tools() -> bool {
    let is_there =
        |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success());
    let has = is_there("curl") && is_there("jq");
    if !has {
        eprintln!("skipped: curl or jq is missing (apt-get install curl jq)");
    }
    has
}

#[test]
fn jobs_fail_a_change_that_is_slower_and_keep_one_comment() {
    let jobs = |lab: &Lab| {
        let read = |path: &str| lab.read(&format!("repository/{path}"));
        let action = std::fs::read_to_string(of_docs("action.yml")).unwrap();
        [
            ("github", steps(&read(".github/workflows/fauxplat.yml"))),
            ("github", steps(&action)),
            ("gitlab", lines_of_gitlab(&read("ci/fauxplat.gitlab.yml"))),
        ]
    };
    for (sleeps, expected) in [("0.05", 1), ("0.002", 0)] {
        let lab = repository(sleeps);
        for (service, steps) in jobs(&lab) {
            assert!(steps.len() >= 3, "{steps:?}");
            for (name, script) in &steps {
                let code = if name == "measure" { expected } else { 0 };
                let done = run(&lab, script, &[]);
                assert_eq!(done.code, Some(code), "{service} {name}: {done:?}");
            }
        }
        let report = lab.read("repository/fauxplat-report/report.md");
        assert!(report.contains("program"), "{report}");
        assert!(lab.read("repository/summary.md").contains("<!-- fauxplat"), "the summary has a report");
        assert_eq!(lab.read("repository/fauxplat-report/status").trim(), expected.to_string());
        let junit = lab.read("repository/fauxplat-report/junit.xml");
        assert_eq!(junit.contains("<failure"), expected == 1, "{junit}");
    }
}

/// The environment variables by which a job of the service names its pull request, and the token for comments.
fn place(service: &str, address: &str, token: &'static str) -> Vec<(&'static str, String)> {
    let of = |pairs: &[(&'static str, &str)]| {
        pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    };
    let mut variables: Vec<(&'static str, String)> = match service {
        "github" => of(&[("GITHUB_API_URL", address), ("GITHUB_REPOSITORY", "a/b"), ("FAUXPLAT_PULL", "7")]),
        _ => of(&[("CI_API_V4_URL", address), ("CI_PROJECT_ID", "3"), ("CI_MERGE_REQUEST_IID", "7")]),
    };
    variables.push(("FAUXPLAT_TOKEN", token.to_owned()));
    variables
}

fn comment(lab: &Lab, service: &str, address: &str, token: &'static str) -> Done {
    let variables = place(service, address, token);
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    run(lab, "sh ci/fauxplat.sh comment", &variables)
}

#[test]
fn a_comment_is_written_once_and_updated_afterwards() {
    if !has_tools() {
        return;
    }
    let lab = repository("0.005");
    lab.shell("mkdir -p repository/fauxplat-report");
    for (service, change) in [("github", "PATCH"), ("gitlab", "PUT")] {
        for others in [0, 3, 100, 250] {
            let api = Service::new(others, true);
            for text in ["first: 'quoted' \"twice\" & 100 % + ü\n", "second\n"] {
                lab.write("repository/fauxplat-report/report.md", text);
                comment(&lab, service, &api.address, "t").ends_with(0);
                let bodies = api.bodies();
                assert_eq!(bodies.len(), others + 1, "{service}: one comment of ours");
                assert!(bodies[others].ends_with(text), "{service}: {:?}", bodies[others]);
                let expected = if text.starts_with("first") { "POST" } else { change };
                assert_eq!(api.methods().last().map(String::as_str), Some(expected), "{service}, {others}");
            }
        }
    }
}

/// A change from a fork has no token, or a token that may not write; a service may be down. In these cases the job does
/// not fail.
#[test]
fn a_job_that_may_not_comment_says_so_and_goes_on() {
    if !has_tools() {
        return;
    }
    let lab = repository("0.005");
    lab.shell("mkdir -p repository/fauxplat-report && echo report > repository/fauxplat-report/report.md");
    for service in ["github", "gitlab"] {
        let api = Service::new(2, false);
        let refused = comment(&lab, service, &api.address, "t").ends_with(0);
        assert!(refused.err.contains("status 403") && refused.err.contains("forks"), "{refused:?}");
        assert_eq!(api.bodies().len(), 2);
        api.methods();
        let without = comment(&lab, service, &api.address, "").ends_with(0);
        assert!(without.err.contains("no token"), "{without:?}");
        assert!(api.methods().is_empty(), "nothing is asked without a token");
        let gone = comment(&lab, service, "http://127.0.0.1:1", "t").ends_with(0);
        assert!(gone.err.contains("there is no comment"), "{gone:?}");
    }
    lab.shell("head -c 200000 /dev/zero | tr '\\0' x > repository/fauxplat-report/report.md");
    let api = Service::new(0, true);
    comment(&lab, "github", &api.address, "t").ends_with(0);
    assert!(api.bodies()[0].len() < 65_536, "the service takes no longer comment");
    assert!(api.bodies()[0].contains("the whole report is in the artifacts"));
}

/// Makes a folder with an archive as `make dist` names it, and its checksums.
fn published(lab: &Lab) {
    let machine = "$(uname -m)";
    lab.shell(&format!(
        "mkdir -p from/fauxplat-1-{machine}-linux/bin && cp {} from/fauxplat-1-{machine}-linux/bin/ && cd from && \
         tar -czf fauxplat-1-{machine}-linux.tar.gz fauxplat-1-{machine}-linux && echo other > fauxplat-1-other-linux.tar.gz && \
         sha256sum -- *.tar.gz > SHA256SUMS",
        env!("CARGO_BIN_EXE_fauxplat")
    ));
}

#[test]
fn an_archive_is_installed_only_as_its_checksum_says() {
    let lab = repository("0.005");
    published(&lab);
    let from = lab.file("from");
    let install = "sh ci/fauxplat.sh install";
    let done = run(&lab, install, &[("FAUXPLAT_FROM", &from)]).ends_with(0);
    assert!(done.out.contains("fauxplat "), "{done:?}");
    let path = lab.read("repository/path");
    assert!(Path::new(path.trim()).join("fauxplat").is_file(), "{path}");
    lab.shell("rm -r repository/.fauxplat && for it in from/*.tar.gz; do echo more >> \"$it\"; done");
    let changed = run(&lab, install, &[("FAUXPLAT_FROM", &from)]);
    assert_eq!(changed.code, Some(2), "{changed:?}");
    assert!(changed.err.contains("is not what SHA256SUMS says"), "{changed:?}");
    assert!(!lab.path("repository/.fauxplat/bin").exists());
    for (name, why) in [("no.tar.gz", "does not name"), ("../from/SHA256SUMS", "does not name")] {
        let missing = run(&lab, install, &[("FAUXPLAT_FROM", &from), ("FAUXPLAT_FILE", name)]);
        assert_eq!(missing.code, Some(2), "{missing:?}");
        assert!(missing.err.contains(why), "{missing:?}");
    }
    let nowhere = run(&lab, install, &[("FAUXPLAT_FROM", "/nowhere")]);
    assert_ne!(nowhere.code, Some(0), "{nowhere:?}");
}
