//! Hosts of an inventory, reached by an installed tool: ClusterShell, pdsh or Ansible, each with its own inventories,
//! its own ssh, and its own limit of simultaneous connections.
//!
//! A shell script passes one order to many hosts by means of the tool. The tool's output goes to a file with the name
//! of the host before each line, so that the answers are found again even if fauxplat was killed.

mod ansible;
mod call;
mod script;
mod tool;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use fauxplat_launch::{Errand, Sent, Trace};
use fauxplat_sys::{clock, signal};

use crate::engine::{Engine, HandedOver, Listed, Said, Task, TaskState};
use crate::files::{Growing, Heard, end_of};
use crate::folder::random_hex;
use crate::local::{handle_of, trace_of};
use crate::schedule::cron;
use crate::site::Site;
use crate::{FleetError, ask, engine};
use fauxplat_model::Every;
use script::{Carried, Origin, Program};
pub(crate) use tool::Tool;

const HOSTS_MAX: usize = 2000;
/// Maximum total size of the host names of a script, in bytes: the list has to fit into one command line argument
/// (`MAX_ARG_STRLEN` in `execve(2)`).
const HOSTS_BYTES_MAX: usize = 100_000;
/// Number of bytes at the end of the tool's error output that are read.
const COMPLAINTS_BYTES: u64 = 1 << 20;
/// Time in nanoseconds for hosts to end their processes after a cancellation, after which fauxplat stops waiting.
const ENDING_NS: u64 = 10_000_000_000;
/// Default number of hosts that are contacted at the same time. Ansible's own default of five would turn minutes into
/// hours.
const FAN: u32 = 64;

/// Time in nanoseconds between two reads of the output of one script, multiplied by the number of scripts. The folder
/// of a run may be on a file system that others use.
const LOOK_NS: u64 = 250_000_000;

#[derive(Debug)]
pub(crate) struct Fan {
    tool: Tool,
    inventory: String,
    site: Site,
    /// Scripts that this process started, by handle.
    sent: HashMap<String, Sent>,
    /// Handles of scripts that an earlier fauxplat process started and that may still run.
    others: HashSet<String>,
    /// Positions in the output files of scripts, by the first task of the script; used where the tool writes one file
    /// for all hosts.
    outputs: HashMap<u32, Growing>,
    /// Read state of the output files of a tool that writes a file for each host.
    trees: ansible::Trees,
    heard: Heard,
    /// Monotonic time in nanoseconds from which on output is read again.
    next_ns: u64,
}

impl Fan {
    pub(crate) fn new(tool: Tool, inventory: String, site: Site) -> Self {
        Fan {
            tool,
            inventory,
            site,
            sent: HashMap::new(),
            others: HashSet::new(),
            outputs: HashMap::new(),
            trees: ansible::Trees::default(),
            heard: Heard::default(),
            next_ns: 0,
        }
    }

    fn fan(&self) -> u32 {
        self.site.options.at_once.unwrap_or(FAN)
    }

    /// Returns a script that copies the program to the hosts of the tasks and runs the order there.
    fn script(&self, tasks: &[Task], answers: &str) -> Result<String, FleetError> {
        let hosts: Vec<&str> = tasks.iter().map(|task| task.node.as_str()).collect();
        let carried = Carried {
            tool: self.tool,
            to: call::Call { inventory: &self.inventory, fan: self.fan(), answers },
            hosts: hosts.join(","),
            secret: random_hex(16)?,
            token: &tasks[0].token,
            origin: self.origin()?,
            words: self.site.words(&tasks[0], true),
        };
        Ok(carried.text())
    }

    fn origin(&self) -> Result<Origin, FleetError> {
        if let Some(path) = &self.site.options.program_there {
            return Ok(Origin::There(path.clone()));
        }
        let program = |(arch, path): (String, PathBuf)| {
            let bytes = fs::metadata(&path).map_err(FleetError::at(&path))?.len();
            Ok(Program { arch, path: path.display().to_string(), bytes })
        };
        Ok(Origin::Shipped(self.site.programs().into_iter().map(program).collect::<Result<_, FleetError>>()?))
    }

    /// Returns the files of the script whose first task is `first`: output and error output of its hosts, and the
    /// folder for answers of a tool that writes a file for each host.
    fn files(&self, first: u32) -> (PathBuf, PathBuf, PathBuf) {
        let out = self.site.folder.file("out");
        (
            out.join(format!("fan-{first}")),
            self.site.folder.file("errors").join(format!("fan-{first}")),
            out.join(format!("tree-{first}")),
        )
    }

    /// Returns the most informative message about a host in the error output of the tool.
    fn complaint(&self, node: &str, first: u32, complaints: &str) -> Option<String> {
        let own = || ansible::complaint(&self.files(first).2, node);
        if let Some(told) = (self.tool == Tool::Ansible).then(own).flatten() {
            return Some(told);
        }
        let about = |line: &&str| {
            let words = line.split(':').map(str::trim);
            words.take(3).any(|word| word == node)
        };
        let said: Vec<&str> = complaints.lines().filter(about).collect();
        let best = said.iter().find(|line| !line.contains("exited with exit code")).or(said.last());
        best.copied().or_else(|| complaints.lines().last()).and_then(ask::one_line)
    }

    fn is_busy(&self) -> bool {
        let is_there = |handle: &String| trace_in(handle).is_some_and(Trace::is_there);
        self.sent.values().any(|sent| sent.trace.is_there()) || self.others.iter().any(is_there)
    }

    /// Asks scripts to end, and waits until they have ended the processes on their hosts: otherwise a run that is
    /// resumed at once would measure beside processes that still end. A further request to stop ends the wait. Returns
    /// whether the scripts have ended.
    fn end(&mut self, traces: &[Trace]) -> bool {
        traces.iter().for_each(|trace| trace.end());
        let (begun_ns, stops) = (clock::monotonic_ns(), signal::stops());
        loop {
            self.reap();
            if !traces.iter().any(|trace| trace.is_there()) {
                return true;
            }
            if clock::monotonic_ns() - begun_ns >= ENDING_NS || signal::stops() != stops {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn reap(&mut self) {
        for sent in self.sent.values_mut() {
            let _reaped = sent.ended();
        }
    }
}

/// Returns the tasks at the front of the list that one script can serve: they have one token, since all hosts of a
/// script get the same order, and their names fit into an argument.
fn batch(waiting: &[Task]) -> Vec<Task> {
    let mut bytes = 0;
    let fits = |task: &&Task| {
        bytes += task.node.len() + 1;
        task.token == waiting[0].token && bytes <= HOSTS_BYTES_MAX
    };
    waiting.iter().take_while(fits).take(HOSTS_MAX).cloned().collect()
}

/// Returns the process of the script that a task's handle names.
fn trace_in(handle: &str) -> Option<Trace> {
    trace_of(parts(handle)?.1)
}

/// Splits a task's handle into the first task of the script and the script's process.
fn parts(handle: &str) -> Option<(u32, &str)> {
    let (first, trace) = handle.split_once('@')?;
    Some((first.parse().ok()?, trace))
}

impl Engine for Fan {
    fn words(&self) -> String {
        format!("{}:{}", self.tool.name(), self.inventory)
    }

    fn nodes(&self) -> Result<Vec<Listed>, FleetError> {
        let listed: Vec<Listed> =
            self.tool.hosts(&self.inventory)?.iter().map(|name| engine::listed(name, None)).collect();
        match listed.is_empty() {
            true => {
                Err(FleetError::Words { words: Engine::words(self), why: "it names no hosts".to_owned() })
            }
            false => Ok(listed),
        }
    }

    fn hand_over(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        // Scripts run one at a time, so that the limit of simultaneous hosts, which the tool applies to each script,
        // holds for the whole run.
        if self.is_busy() {
            return Ok(Vec::new());
        }
        let tasks = batch(waiting);
        let first = tasks[0].number;
        let (output, errors, tree) = self.files(first);
        // The script is passed as a file, since it contains all hosts and may be longer than an argument may be.
        let name = format!("out/script-{first}");
        let script = self.script(&tasks, &tree.display().to_string())?;
        self.site.folder.write(&name, script.as_bytes())?;
        let errand = Errand {
            program: "/bin/sh".into(),
            arguments: vec![self.site.folder.file(&name).display().to_string()],
            env_set: self.tool.environment(),
            output,
            errors,
        };
        let sent = errand.send()?;
        let handle = format!("{first}@{}", handle_of(sent.trace));
        self.sent.insert(handle.clone(), sent);
        Ok(tasks.iter().map(|task| HandedOver { task: task.number, handle: Ok(handle.clone()) }).collect())
    }

    fn side_by_side(&self) -> usize {
        self.fan() as usize
    }

    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, TaskState)>, FleetError> {
        self.reap();
        let is_there = |handle: &String| trace_in(handle).is_some_and(Trace::is_there);
        if !open.iter().all(|(_, handle)| is_there(handle)) {
            // A script has ended, so its last answers are there: the next read is due at once.
            self.next_ns = 0;
        }
        let mut complaints: HashMap<u32, String> = HashMap::new();
        let mut standing = |(task, handle): &(Task, String)| {
            let Some((first, trace)) = parts(handle) else { return (task.number, TaskState::Unknown) };
            if trace_of(trace).is_some_and(Trace::is_there) {
                return (task.number, TaskState::Running);
            }
            let errors = || end_of(&self.files(first).1, COMPLAINTS_BYTES).unwrap_or_default();
            let why = self.complaint(&task.node, first, complaints.entry(first).or_insert_with(errors));
            (task.number, TaskState::Failed(why.unwrap_or_else(|| "it ended without a message".to_owned())))
        };
        Ok(open.iter().map(&mut standing).collect())
    }

    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError> {
        let is_other = |handle: &&String| !self.sent.contains_key(*handle);
        self.others = open.iter().map(|(_, handle)| handle).filter(is_other).cloned().collect();
        let now_ns = clock::monotonic_ns();
        if now_ns < self.next_ns {
            return Ok(Vec::new());
        }
        let mut by_script: HashMap<u32, HashMap<&str, u32>> = HashMap::new();
        for (task, handle) in open {
            let Some((first, _)) = parts(handle) else { continue };
            by_script.entry(first).or_default().insert(&task.node, task.number);
        }
        self.next_ns = now_ns + LOOK_NS * by_script.len().max(1) as u64;
        for (first, tasks) in by_script {
            let (output, _, tree) = self.files(first);
            if self.tool == Tool::Ansible {
                let Fan { trees, heard, .. } = self;
                // Only files of hosts that have not answered completely are read.
                for entry in fs::read_dir(&tree).into_iter().flatten().flatten() {
                    let name = entry.file_name();
                    if let Some(&task) = name.to_str().and_then(|node| tasks.get(node)) {
                        trees.said(&entry.path(), &mut |line| heard.add(task, line));
                    }
                }
                continue;
            }
            let Fan { outputs, heard, .. } = self;
            outputs.entry(first).or_default().lines(&output, &mut |line, is_whole| {
                let Some((node, rest)) = line.split_once(": ").filter(|_| is_whole) else { return };
                if let Some(&task) = tasks.get(node.trim()) {
                    heard.add(task, rest);
                }
            })?;
        }
        Ok(self.heard.take())
    }

    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError> {
        let handles: HashSet<&str> = open.iter().map(|(_, handle)| handle.as_str()).collect();
        let traces: Vec<Trace> = handles.into_iter().filter_map(trace_in).collect();
        match self.end(&traces) {
            true => Ok(()),
            // Processes on hosts may continue. The error tells the caller to keep the tasks open, so that a resumed run
            // waits for them.
            false => {
                let (program, patience) = (self.tool.name().to_owned(), Duration::from_nanos(ENDING_NS));
                Err(FleetError::Silent { program, patience })
            }
        }
    }

    fn pace_ms(&self) -> u64 {
        100
    }

    fn tells_all_the_same(&self) -> bool {
        true
    }

    fn schedule(&self, line: &str, every: Every) -> Vec<String> {
        cron(line, every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::RunFolder;
    use crate::site::EngineOptions;

    fn fan(tool: Tool, options: EngineOptions) -> (tempfile::TempDir, Fan) {
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        (runs, Fan::new(tool, "@all".into(), Site { folder, order: "T1JERVI=".into(), options }))
    }

    fn task(number: u32, node: &str) -> Task {
        Task { number, node: node.into(), round: 0, attempt: 1, token: "abc".into() }
    }

    fn with_program(fan: &Fan) {
        fs::write(fan.site.own_program(), "#!/bin/sh\n").unwrap();
    }

    #[test]
    fn the_program_is_shipped_under_a_name_that_nobody_knows_before() {
        let (_runs, fan) = fan(Tool::Clush, EngineOptions::default());
        assert!(fan.script(&[task(0, "n1")], "/answers").is_err(), "there is no program");
        with_program(&fan);
        let script = || fan.script(&[task(0, "n1"), task(1, "n2")], "/answers").unwrap();
        let place = |script: &str| script.split("/tmp/fauxplat-").nth(1).unwrap()[..32].to_owned();
        let (one, other) = (script(), script());
        assert!(one.starts_with("all=n1,n2\n"), "{one}");
        assert!(place(&one).bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
        assert_ne!(place(&one), place(&other), "a round after another, and a run that is resumed");
        assert!(!one.contains(&format!("/tmp/fauxplat-{}", fan.site.folder.id())));
        let copies = one.lines().filter(|line| line.contains("--copy")).count();
        assert_eq!(copies, 1, "{one}");
        assert!(one.lines().last().unwrap().contains("node --framed abc --round 0 --attempt 1 --order"));
        let there = EngineOptions { program_there: Some("/opt/it's".into()), ..EngineOptions::default() };
        let (_runs, fan) = self::fan(Tool::Pdsh, there);
        let script = fan.script(&[task(0, "n1")], "/answers").unwrap();
        assert!(!script.contains("pdcp") && script.contains("/opt/it"), "{script}");
    }

    /// The names of all hosts in the largest inventories exceed the maximum length of an argument.
    #[test]
    fn a_script_has_as_many_hosts_as_fit_into_a_word() {
        let long = "n".repeat(200);
        let tasks = |count: u32, name: &str| -> Vec<Task> {
            (0..count).map(|at| task(at, &format!("{name}{at}"))).collect()
        };
        let bytes = |tasks: &[Task]| tasks.iter().map(|task| task.node.len() + 1).sum::<usize>();
        let few = batch(&tasks(2000, &long));
        assert!(few.len() < 500 && (90_000..=100_000).contains(&bytes(&few)), "{}", few.len());
        assert_eq!(batch(&tasks(3000, "n")).len(), HOSTS_MAX);
        let mut others = tasks(3, "n");
        others[2].token = "another order".into();
        assert_eq!(batch(&others).len(), 2);
    }

    /// The script is passed as a file, so it may contain an inventory that is longer than an argument may be.
    #[test]
    fn a_script_may_be_longer_than_an_argument() {
        let there = EngineOptions { program_there: Some("/bin/true".into()), ..EngineOptions::default() };
        let (_runs, mut fan) = fan(Tool::Clush, there);
        // The tool need not be installed here: the test only checks that the script starts.
        (fan.tool, fan.inventory) = (Tool::Ansible, "x".repeat(200_000));
        let handed = fan.hand_over(&[task(0, "n1")]).unwrap();
        assert!(handed[0].handle.is_ok());
        let open = [(task(0, "n1"), handed[0].handle.clone().unwrap())];
        fan.cancel(&open).unwrap();
        assert!(!fan.is_busy(), "it is waited for");
    }

    /// A script started by an earlier fauxplat delays the next script.
    #[test]
    fn one_script_at_a_time_whoever_began_it() {
        let there = EngineOptions { program_there: Some("/bin/true".into()), ..EngineOptions::default() };
        let (_runs, mut fan) = fan(Tool::Clush, there);
        let ours = std::process::id();
        let trace = Trace { pid: ours, ticks: fauxplat_sys::process::start_ticks(ours).unwrap() };
        let open = [(task(0, "n1"), format!("0@{}", handle_of(trace)))];
        fan.said(&open).unwrap();
        assert_eq!(fan.hand_over(&[task(1, "n2")]).unwrap(), []);
    }

    #[test]
    fn lines_are_those_of_the_host_that_stands_before_them() {
        let (_runs, mut fan) = fan(Tool::Clush, EngineOptions::default());
        let (output, errors, _) = fan.files(0);
        fs::write(output, "n1: one\nn2: two: more\nstranger: x\nno host\nn1: half").unwrap();
        fs::write(errors, "n2: Permission denied (publickey).\nclush: n2: exited with exit code 255\n")
            .unwrap();
        let open = [(task(0, "n1"), "0@1:1".to_owned()), (task(1, "n2"), "0@1:1".to_owned())];
        let said = fan.said(&open).unwrap();
        let said: Vec<(u32, &str)> = said.iter().map(|said| (said.task, said.line.as_str())).collect();
        assert_eq!(said, [(0, "one"), (1, "two: more")]);
        assert!(fan.said(&open).unwrap().is_empty(), "what was read is not read again, nor is half a line");
        let standing = fan.look(&open).unwrap();
        assert_eq!(standing[1].1, TaskState::Failed("n2: Permission denied (publickey).".into()));
    }
}
