//! The inherited state of programs under `run` and `tune --for`, compared with a child of a plain shell in the same
//! place.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::common::{Done, Lab};

/// A script that prints its inherited state, one part for each kind of state; the last part is parent, process group
/// and session.
const SHOW: &str = r#"
echo "== status"
grep -E '^(Umask|Uid|Gid|Groups|SigPnd|ShdPnd|SigBlk|SigIgn|SigCgt|Cap|NoNewPrivs|Seccomp:|Cpus_allowed_list|Mems_allowed_list|THP)' \
    /proc/self/status
echo "== limits"
cat /proc/self/limits
echo "== descriptors"
ls /proc/self/fd
readlink /proc/self/fd/0
echo "== folder"
readlink /proc/self/cwd
echo "== environment"
env | sort
echo "== scheduling"
cut -d ' ' -f 18,19,40,41 /proc/self/stat
cat /proc/self/timerslack_ns
cat /proc/self/personality
echo "== groups"
cat /proc/self/cgroup
echo "== session"
cut -d ' ' -f 6 /proc/$$/stat
echo "== group"
test "$(cut -d ' ' -f 5 /proc/$$/stat)" = $PPID && echo "the parent's own" || echo "another"
"#;

/// Beginnings of environment variables that a shell sets for its children, and of those that tell a program about its
/// run.
const MADE: [&str; 6] = ["_=", "PWD=", "OLDPWD=", "SHLVL=", "FAUXPLAT_RUN", "FAUXPLAT_PAD"];

/// The parts of the script's output, each by its name with its rows.
fn parts(text: &str) -> Vec<(String, Vec<String>)> {
    let parts = text.split("== ").skip(1);
    let part = |part: &str| {
        let (name, rows) = part.split_once('\n').unwrap();
        let rows = rows.lines().filter(|row| !MADE.iter().any(|made| row.starts_with(made)));
        (name.to_owned(), rows.map(str::to_owned).collect())
    };
    parts.map(part).collect()
}

fn line(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ")
}

/// The parts of the script's output after running a shell line, which writes them to the file `shown`, in surroundings
/// that a line before it sets up.
fn shown(lab: &Lab, surroundings: &str, line: &str) -> Vec<(String, Vec<String>)> {
    let mut shell = Command::new("sh");
    // The final `true` keeps the shell from executing the program in its own process.
    shell.args(["-c", &format!("{surroundings} sh -c '{line}; true'")]);
    lab.settle(&mut shell);
    shell.env("OF_THE_USER", "a value, with words").stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = Done::of(shell);
    assert_eq!(done.code, Some(0), "{surroundings} {line}: {done:?}");
    let text = lab.read("shown");
    fs::remove_file(lab.path("shown")).unwrap();
    parts(&text)
}

#[track_caller]
fn are_the_same(ours: &[(String, Vec<String>)], shells: &[(String, Vec<String>)], but: &[&str]) {
    let names: BTreeSet<&str> = ours.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 9, "{names:?}");
    for ((name, ours), (_, shells)) in ours.iter().zip(shells) {
        assert!(!ours.is_empty(), "nothing is shown of {name}");
        if !but.contains(&name.as_str()) {
            assert_eq!(ours, shells, "{name}");
        }
    }
}

#[test]
fn a_program_begins_as_a_child_of_a_shell() {
    let surroundings = [
        "",
        "nohup",
        "nice -n 3",
        "ulimit -S -n 200; ulimit -S -s 4096; umask 027; exec 7< /dev/null;",
        "trap \"\" INT QUIT PIPE USR1;",
    ];
    for lab in Lab::both() {
        let starter = lab.starter();
        lab.write("show.sh", SHOW);
        // Where root first gives up its privileges, both the shell and fauxplat run without them.
        let (fauxplat, demoted) = (line(&starter), line(&starter[..starter.len() - 1]));
        for around in surroundings {
            let shells = shown(&lab, around, &format!("{demoted} sh show.sh > shown"));
            let measured =
                format!("{fauxplat} run -r 1 --warmup 0 --stdout shown --store none \"sh show.sh\" > report");
            let ours = shown(&lab, around, &measured);
            are_the_same(&ours, &shells, &["group", "descriptors"]);
            // The measured program has no open descriptors besides that of the listing itself, whatever the caller has
            // open.
            let descriptors = ours.iter().find(|(name, _)| name == "descriptors").unwrap();
            assert_eq!(descriptors.1, ["0", "1", "2", "3", "/dev/null"]);
            let group = ours.iter().find(|(name, _)| name == "group").unwrap();
            assert_eq!(group.1, ["the parent's own"], "it is the spawner's");
        }
    }
}

/// A command that runs while the machine is tuned shares the terminal, the process group and open files with fauxplat.
/// The test tunes its own timer slack to the usual value, which needs no permission.
#[test]
fn so_does_the_command_of_tune() {
    let lab = Lab::new();
    let fauxplat = line(&lab.starter());
    lab.write("show.sh", SHOW);
    for around in ["", "nohup", "umask 027; trap \"\" INT;"] {
        let shells = shown(&lab, around, "sh show.sh > shown");
        let held = format!(
            "{fauxplat} tune --journal journal --set timer-slack=50000 --for sh -c \"sh show.sh > shown\" > report"
        );
        are_the_same(&shown(&lab, around, &held), &shells, &[]);
    }
}

/// Programs in a folder whose name is not UTF-8 are named relative to it, since documents contain only text. Four ways
/// to name a program, for the verbs that start it in a way of their own.
#[test]
fn a_folder_whose_name_is_not_utf8_is_like_any_other() {
    let lab = Lab::new();
    let folder = lab.folder().join(OsStr::from_bytes(b"a\xffb"));
    fs::create_dir_all(folder.join("below")).unwrap();
    let script = folder.join("own");
    fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(&script, folder.join("below/other")).unwrap();
    let there = |words: &[&str]| {
        let mut command = lab.command(words);
        command.current_dir(&folder);
        Done::of(command)
    };
    for (program, known) in [("./own", "./own"), ("below/other", "./below/other")] {
        there(&["run", "-r", "2", program]).ends_with(0);
        assert_eq!(lab.last()["commands"][0]["program"], known);
    }
    there(&["run", "-r", "2", "--cwd", "below", "./other"]).ends_with(0);
    let mut by_name = lab.command(&["run", "-r", "2", "own"]);
    by_name.current_dir(&folder).env("PATH", ".:/usr/bin:/bin");
    Done::of(by_name).ends_with(0);
    there(&["run", "-r", "2", "--format", "json", "--output", "there.json", "./own"]).ends_with(0);
    assert!(folder.join("there.json").exists());
    there(&["run", "-r", "2", "--prepare", "touch made", "./own"]).ends_with(0);
    assert!(folder.join("made").exists());
    there(&["compare", "--max-pairs", "10", "./own", "below/other"]).ends_with(0);
    there(&["aa", "-N", "1", "--max-pairs", "10", "./own"]).ends_with(0);
    let profiled = there(&["profile", "./own"]);
    assert!(!profiled.err.contains("No such file"), "{profiled:?}");

    let mut with_variable = lab.command(&["run", "-r", "2", "--format", "json", "true"]);
    with_variable.env("ODD", OsStr::from_bytes(b"\xff"));
    let warned = Done::of(with_variable).ends_with(0).json()["warnings"].to_string();
    assert!(warned.contains("not UTF-8: ODD"), "{warned}");
}
