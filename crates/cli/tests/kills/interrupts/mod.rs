//! Ctrl-C on a real terminal at random moments of every verb that measures: the verb ends soon and in order, its report
//! is complete, and no process, file, group or changed knob is left. With `--kill`, SIGKILL instead of Ctrl-C: files
//! and control groups are then gone once the next experiment has begun.
//!
//! `script(1)` makes the terminal and passes on what is typed; the kernel sends SIGINT to the foreground group.

mod subjects;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use fauxplat_sys::{clock, signal};
use serde_json::Value;
use tempfile::TempDir;

use crate::progress::Progress;
use crate::state::State;
use subjects::{SUBJECTS, Subject};

/// Time after the interrupt at which a verb that has not ended counts as hung.
const HANGS_NS: u64 = 60_000_000_000;
/// Time from the interrupt to the end above which the end counts as late. No verb needs that long, not even beside a
/// compiler.
const LATE_NS: u64 = 5_000_000_000;
/// Exit code of `script -e` for a command that SIGKILL has ended.
const KILLED: i32 = 128 + 9;
/// Time after the start at which a verb has reached all its phases, so that later moments are not tried.
const SPAN_NS_MAX: u64 = 8_000_000_000;

/// The way in which a running verb is ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// By the key Ctrl-C on the terminal.
    CtrlC,
    /// By SIGKILL to fauxplat alone.
    Kill,
}

impl By {
    /// Prefix of the names of rounds in the file that records a campaign's progress.
    fn word(self) -> &'static str {
        match self {
            By::CtrlC => "",
            By::Kill => "killed ",
        }
    }
}

/// Runs a campaign with the options `[--kill] [--seed S] [N [VERB]]`.
pub(crate) fn run(words: &[&str], mut progress: Progress) {
    let (by, words) = match words {
        ["--kill", rest @ ..] => (By::Kill, rest),
        rest => (By::CtrlC, rest),
    };
    let (seed, words) = match words {
        ["--seed", seed, rest @ ..] => (seed.parse().expect("a seed"), rest),
        rest => (1, rest),
    };
    let rounds: Option<u32> = words.first().map(|rounds| rounds.parse().expect("a number of moments"));
    let word = words.get(1).unwrap_or(&"");
    let mut failed = 0;
    for subject in SUBJECTS.iter().filter(|subject| subject.name.contains(word)) {
        failed += subject.campaign(by, rounds.unwrap_or(subject.rounds), seed, &mut progress);
    }
    assert_eq!(failed, 0, "what is wrong stands above");
    progress.finish();
}

struct Round {
    /// Time in nanoseconds from the start of the verb to the interrupt or kill.
    at_ns: u64,
    /// Time from the interrupt to the end; for a kill, until all started processes are gone.
    took_ns: u64,
    code: i32,
    reported: bool,
    wrong: Vec<String>,
}

impl Round {
    fn words(&self) -> String {
        format!("{} {} {} {} {}", self.at_ns, self.took_ns, self.code, self.reported, self.wrong.join("; "))
    }

    fn of_words(text: &str) -> Option<Self> {
        let mut words = text.splitn(5, ' ');
        let (at_ns, took_ns) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let (code, reported) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let wrong = words.next().filter(|wrong| !wrong.is_empty()).map(str::to_owned);
        Some(Round { at_ns, took_ns, code, reported, wrong: wrong.into_iter().collect() })
    }
}

impl Subject {
    /// Runs the rounds of the verb and prints a line for the record of campaigns; returns the number of rounds that
    /// went wrong.
    fn campaign(&self, by: By, rounds: u32, seed: u64, progress: &mut Progress) -> usize {
        let Some(span_ns) = self.span_ns() else {
            println!("{:<14} skipped: it cannot be run here", self.name);
            return 0;
        };
        let mut all = Vec::new();
        for round in 0..rounds {
            let name = format!("{}{}, moment {round} of seed {seed}", by.word(), self.name);
            if let Some(known) = progress.of_round(&name).and_then(Round::of_words) {
                all.push(known);
                continue;
            }
            let draw = mixed(
                seed ^ (u64::from(round) << 32)
                    ^ self
                        .name
                        .bytes()
                        .fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))),
            );
            let done = self.interrupt(by, draw % span_ns);
            done.wrong.iter().for_each(|wrong| {
                println!("{}, moment {round}, after {} ms: {wrong}", self.name, done.at_ns / 1_000_000)
            });
            // Rounds with errors are not noted, so that the next campaign tries them again.
            if done.wrong.is_empty() {
                progress.note(&name, &done.words());
            }
            all.push(done);
        }
        self.print(by, &all, span_ns);
        all.iter().filter(|round| !round.wrong.is_empty()).count()
    }

    fn print(&self, by: By, all: &[Round], span_ns: u64) {
        let mut rising: Vec<u64> = all.iter().map(|round| round.took_ns).collect();
        rising.sort_unstable();
        let at = |share: f64| {
            rising.get(((rising.len().max(1) - 1) as f64 * share) as usize).map_or(0, |ns| ns / 1_000_000)
        };
        let with = |code| all.iter().filter(|round| round.code == code).count();
        let reported = all.iter().filter(|round| round.reported).count();
        let seen = match by {
            By::CtrlC => format!("{} before it listened, {reported} with a report", with(130)),
            By::Kill => format!("{} killed, {} over before", with(KILLED), with(0)),
        };
        println!(
            "{:<14} {:>4} moments of {:>5} ms: {seen}; ended within {} ms at the median, {} ms at 99 %, {} ms at most; {} went wrong",
            self.name,
            all.len(),
            span_ns / 1_000_000,
            at(0.5),
            at(0.99),
            at(1.0),
            all.iter().filter(|round| !round.wrong.is_empty()).count()
        );
    }

    /// Time in nanoseconds that the verb takes without an interrupt; `None` where it cannot be run on this machine.
    fn span_ns(&self) -> Option<u64> {
        let place = RoundFolders::new();
        let begun_ns = clock::monotonic_ns();
        let (mut child, _keys) = place.start(self);
        let code = end_of(&mut child, SPAN_NS_MAX)?;
        let span_ns = clock::monotonic_ns() - begun_ns;
        match code {
            Some(0) => Some(span_ns),
            // A verb that does not end by itself is interrupted at moments in this first part of its life.
            None => {
                place.sweep();
                let _ended = (child.kill(), child.wait());
                Some(SPAN_NS_MAX)
            }
            Some(_) => None,
        }
    }

    /// Runs the verb, interrupts or kills it at one moment, and checks what it leaves behind.
    fn interrupt(&self, by: By, at_ns: u64) -> Round {
        let place = RoundFolders::new();
        let before = (State::of_this_machine(), traces());
        let (mut child, mut keys) = place.start(self);
        std::thread::sleep(Duration::from_nanos(at_ns));
        let pressed_ns = clock::monotonic_ns();
        match by {
            // Writing the key fails where the program has already ended.
            By::CtrlC => drop(keys.write_all(b"\x03").and_then(|()| keys.flush())),
            By::Kill => drop(only_child(child.id()).map(|pid| signal::send(pid, signal::SIGKILL))),
        }
        let code = end_of(&mut child, HANGS_NS).flatten();
        let mut wrong = place.left_processes();
        let took_ns = clock::monotonic_ns() - pressed_ns;
        if by == By::Kill {
            wrong.extend(place.begin_the_next());
        }
        wrong.extend(place.wrong(by));
        wrong.extend(traces().difference(&before.1).map(|trace| format!("left {trace}")));
        wrong.extend(settled(&before.0));
        // The process still exists only if it has hung.
        let _ended = (child.kill(), child.wait());
        match code {
            Some(_) if took_ns > LATE_NS => wrong.push(format!("ended {} ms later", took_ns / 1_000_000)),
            Some(0) => {}
            Some(130) if by == By::CtrlC => {}
            Some(KILLED) if by == By::Kill => {}
            Some(code) if self.also.contains(&code) => {}
            Some(code) => wrong.push(format!("ended with {code}: {}", place.said())),
            None => wrong.push("did not end".to_owned()),
        }
        Round {
            at_ns,
            took_ns,
            code: code.unwrap_or(-1),
            reported: place.path("cwd/report.json").exists(),
            wrong,
        }
    }
}

/// The first child of a process, if there is one.
fn only_child(pid: u32) -> Option<i32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_ascii_whitespace().next()?.parse().ok()
}

/// Whether the child of process `pid` is in the foreground of its controlling terminal, see proc_pid_stat(5). A child
/// that has ended already counts, too.
fn has_the_terminal(pid: u32) -> bool {
    let Ok(children) = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")) else { return true };
    let Some(child) = children.split_ascii_whitespace().next() else {
        return fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
    };
    let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().collect();
    // Fields behind the name: state, parent, process group, session, terminal, foreground group of the terminal.
    matches!(fields[..], [_, _, group, _, terminal, foreground, ..] if terminal != "0" && foreground == group)
}

/// Waits for the end of a child and returns its exit code. The outer `None` means that waiting failed, the inner one
/// that a signal ended the child or that it did not end in time.
fn end_of(child: &mut Child, limit_ns: u64) -> Option<Option<i32>> {
    let end_ns = clock::monotonic_ns() + limit_ns;
    while clock::monotonic_ns() < end_ns {
        if let Some(status) = child.try_wait().ok()? {
            return Some(status.code());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Some(None)
}

/// Differences between the state of the machine before the verb and the present one, once changes in progress have
/// settled.
fn settled(before: &State) -> Vec<String> {
    let mut differences = before.differences(&State::of_this_machine());
    for _ in 0..20 {
        if differences.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
        differences = before.differences(&State::of_this_machine());
    }
    differences
}

/// Names of files in memory and in the temporary directory, and of control groups, that contain fauxplat's name.
fn traces() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(Path::new("/dev/shm"), 1, &mut found);
    collect(Path::new("/tmp"), 1, &mut found);
    collect(Path::new("/sys/fs/cgroup"), 4, &mut found);
    found
}

fn collect(folder: &Path, depth: usize, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().contains("fauxplat") {
            found.insert(path.display().to_string());
        }
        if depth > 1 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, depth - 1, found);
        }
    }
}

/// Mixes the bits of a number by SplitMix64, see Steele et al. 2014.
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Folders of one round, whose path also marks the processes of the round.
struct RoundFolders(TempDir);

impl RoundFolders {
    fn new() -> Self {
        let place = RoundFolders(tempfile::tempdir().expect("a folder"));
        for folder in ["home", "tmp", "cwd"] {
            fs::create_dir(place.path(folder)).expect("a folder");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The variable that is in the environment of every process of this round, as `NAME=VALUE`.
    fn mark(&self) -> String {
        format!("FAUXPLAT_ROUND={}", self.0.path().display())
    }

    /// Starts the verb on a terminal, and returns the process of `script` and its standard input, which stands for the
    /// keyboard.
    fn start(&self, subject: &Subject) -> (Child, ChildStdin) {
        if subject.has_reference {
            self.make_reference();
        }
        let [home, tmp] = ["home", "tmp"].map(|name| self.path(name).display().to_string());
        // A campaign that a shell started in the background has SIGINT ignored, which its children would inherit.
        let mut words = ["exec", "env", "--default-signal=INT", "-i"].map(str::to_owned).to_vec();
        words.push("PATH=/usr/local/bin:/usr/bin:/bin".to_owned());
        words.extend([format!("HOME={home}"), format!("TMPDIR={tmp}"), "TERM=xterm".into(), self.mark()]);
        words.push(super::fauxplat().display().to_string());
        let report = ["--format", "json", "--output", "report.json"].map(str::to_owned);
        // Words after `--for` belong to the command that `tune` runs, so the options for the report go before them.
        let end = subject.words.iter().position(|word| *word == "--for").unwrap_or(subject.words.len());
        words.extend(subject.words[..end].iter().map(|&word| word.to_owned()));
        words.extend(report);
        words.extend(subject.words[end..].iter().map(|&word| word.to_owned()));
        let line: Vec<String> =
            words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
        // `exec` is a command of the shell and stays unquoted.
        let line = line.join(" ").replacen("'exec'", "exec", 1);
        let mut script = Command::new("script");
        script.args(["-q", "-e", "-f", "-c", &line]).arg(self.path("said")).current_dir(self.path("cwd"));
        script.env("SHELL", "/bin/sh").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = script.spawn().expect("script(1), of bsdutils");
        let keys = child.stdin.take().expect("a pipe");
        // A key pressed before the terminal has a foreground process is no signal.
        let begun_ns = clock::monotonic_ns();
        while !has_the_terminal(child.id()) && clock::monotonic_ns() - begun_ns < HANGS_NS {
            std::thread::sleep(Duration::from_micros(100));
        }
        (child, keys)
    }

    /// Measures the results with which the verb compares.
    fn make_reference(&self) {
        let mut command = Command::new(super::fauxplat());
        command.args([
            "run",
            "sleep 0.012",
            "--runs",
            "12",
            "--store",
            "none",
            "--format",
            "json",
            "--output",
        ]);
        command.arg(self.path(subjects::REFERENCE)).stdin(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().expect("fauxplat run").success(), "there is nothing to compare with");
    }

    fn said(&self) -> String {
        let said = fs::read(self.path("said")).unwrap_or_default();
        let text = String::from_utf8_lossy(&said).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("Script ")).collect();
        lines[lines.len().saturating_sub(3)..].join(" | ")
    }

    /// Kills the processes that outlived the verb for longer than [`LATE_NS`], and returns a message about each.
    fn left_processes(&self) -> Vec<String> {
        let end_ns = clock::monotonic_ns() + LATE_NS;
        let mut left = self.processes();
        while !left.is_empty() && clock::monotonic_ns() < end_ns {
            std::thread::sleep(Duration::from_millis(1));
            left = self.processes();
        }
        self.sweep();
        left.iter().map(|(_, name)| format!("left the process {name}")).collect()
    }

    /// Runs another experiment in the folders of the killed one, with control groups where these can be made. Returns a
    /// message if the experiment fails.
    fn begin_the_next(&self) -> Option<String> {
        let begun = |more: &[&str]| {
            let mut command = Command::new(super::fauxplat());
            command.args(["run", "true", "--runs", "1", "--store", "none"]).args(more);
            command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
            command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
            command.current_dir(self.path("home")).stdin(Stdio::null());
            command.output().expect("fauxplat run")
        };
        if begun(&["--limit", "pids:1000"]).status.success() {
            return None;
        }
        let plain = begun(&[]);
        let said = || format!("the next experiment: {}", String::from_utf8_lossy(&plain.stderr));
        (!plain.status.success()).then(said)
    }

    /// Messages about files left behind, and about a missing report or a damaged store, after the end of a round.
    fn wrong(&self, by: By) -> Vec<String> {
        let mut wrong = Vec::new();
        let names = |folder: &str| {
            let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        wrong.extend(names("tmp").iter().map(|name| format!("left {name} in TMPDIR")));
        let built = names("home/.cache/fauxplat").into_iter().filter(|name| name.starts_with("fauxplat-"));
        wrong.extend(built.map(|name| format!("left {name} in the cache")));
        let others = names("cwd").into_iter().filter(|name| name != "report.json");
        wrong.extend(others.map(|name| format!("left {name} in the working directory")));
        if by == By::CtrlC
            && let Ok(text) = fs::read_to_string(self.path("cwd/report.json"))
            && serde_json::from_str::<Value>(&text).is_err()
        {
            wrong.push(format!("half a report: {} bytes", text.len()));
        }
        wrong.extend(self.wrong_store(by));
        wrong
    }

    /// A message if the store cannot be read, or if an experiment in it is still under way.
    fn wrong_store(&self, by: By) -> Option<String> {
        let store = self.path("home/.local/share/fauxplat/store.sqlite");
        if !store.exists() {
            return None;
        }
        let mut history = Command::new(super::fauxplat());
        history.args(["history", "list", "--format", "json", "--store"]).arg(&store).stdin(Stdio::null());
        let done = history.output().expect("fauxplat history");
        let list: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
        let Some(experiments) = list["experiments"].as_array() else {
            return Some(format!("a store that cannot be read: {}", String::from_utf8_lossy(&done.stderr)));
        };
        let states = ["finished", "stopped", "failed", "interrupted"];
        let states = if by == By::Kill { &states[..] } else { &states[..3] };
        let open = experiments.iter().find(|one| !states.contains(&one["state"].as_str().unwrap_or("")));
        open.map(|one| format!("an experiment in the store is {}", one["state"]))
    }

    /// Process ids of this round's live processes, with their command lines.
    fn processes(&self) -> Vec<(i32, String)> {
        let mark = self.mark();
        let of_round = |entry: &fs::DirEntry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten().filter(of_round);
        entries
            .filter_map(|entry| {
                let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let pid = entry.file_name().to_str()?.parse().ok()?;
                Some((pid, String::from_utf8_lossy(&line).replace('\0', " ")))
            })
            .collect()
    }

    fn sweep(&self) {
        for (pid, _) in self.processes() {
            signal::send(pid, signal::SIGKILL);
        }
    }
}
