//! Hosts of an inventory, by a tool that the user has: ClusterShell, pdsh or Ansible, each with its own inventories, its own
//! ssh, and its own idea of how many at a time.
//!
//! One process of the tool carries one order to many hosts. What it prints goes to a file with the name of the host before
//! each line, so that answers are found again after any end of fauxplat.

mod ansible;
mod call;
mod tool;

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use fauxplat_launch::{Errand, Sent, Trace};

use crate::engine::{Engine, HandedOver, Listed, Said, Standing, Task};
use crate::local::{handle_of, trace_of};
use crate::schedule::cron;
use crate::site::Site;
use crate::{FleetError, ask, engine};
use fauxplat_model::Every;
pub(crate) use tool::Tool;

/// Hosts that one process of a tool is told: a list of them has to fit into one word of a command line.
const HOSTS_MAX: usize = 2000;
/// Hosts at a time, where nobody says otherwise. Ansible's own default of five makes a run of hours of one of minutes.
const FAN: u32 = 64;

/// Hosts of an inventory.
#[derive(Debug)]
pub(crate) struct Fan {
    tool: Tool,
    inventory: String,
    site: Site,
    /// Processes that this one began, by their handle.
    sent: HashMap<String, Sent>,
    /// Bytes of each file that were read.
    read: HashMap<PathBuf, usize>,
}

impl Fan {
    /// Hosts of this inventory, by this tool.
    pub(crate) fn new(tool: Tool, inventory: String, site: Site) -> Self {
        Fan { tool, inventory, site, sent: HashMap::new(), read: HashMap::new() }
    }

    fn fan(&self) -> u32 {
        self.site.options.at_once.unwrap_or(FAN)
    }

    /// The lines of a shell here that ship the program and carry the order out.
    fn script(&self, tasks: &[Task], answers: &str) -> String {
        let hosts: Vec<&str> = tasks.iter().map(|task| task.node.as_str()).collect();
        let to = call::Call { inventory: &self.inventory, hosts: &hosts.join(","), fan: self.fan(), answers };
        let place = format!("/tmp/fauxplat-{}", self.site.folder.id());
        let quoted = |words: Vec<String>| shell_words::join(words);
        let mut lines = Vec::new();
        if self.site.options.program_there.is_none() {
            // However it ends, nothing is left behind; and only when all hosts are done, since two of them may see the same files.
            let away = quoted(self.tool.clean(&to, &format!("rm -f {place}-*"))) + " > /dev/null 2>&1";
            lines.push(format!("trap {} EXIT", shell_words::quote(&away)));
            lines.push("trap 'exit 143' TERM INT HUP".to_owned());
            let ship = |(arch, program): (String, PathBuf)| {
                quoted(self.tool.copy(&to, &program.display().to_string(), &format!("{place}-{arch}")))
            };
            lines.extend(self.site.programs().into_iter().map(ship));
        }
        lines.push(quoted(self.tool.run(&to, &self.remote(&tasks[0], &place))));
        lines.join("\n")
    }

    /// What the shell of a host reads.
    fn remote(&self, task: &Task, place: &str) -> String {
        let words = shell_words::join(self.site.words(task, true));
        if let Some(program) = &self.site.options.program_there {
            return format!("{} {words}", shell_words::quote(program));
        }
        // It was shipped for every architecture that there is a program for.
        format!(
            "p={place}-$(uname -m); [ -f \"$p\" ] || {{ echo no program was shipped for $(uname -m) >&2; exit 91; }}; \
             chmod 700 \"$p\" && \"$p\" {words}"
        )
    }

    /// Where one process of the tool writes.
    fn files(&self, first: u32) -> (PathBuf, PathBuf, PathBuf) {
        let out = self.site.folder.file("out");
        (
            out.join(format!("fan-{first}")),
            self.site.folder.file("errors").join(format!("fan-{first}")),
            out.join(format!("tree-{first}")),
        )
    }

    /// The last thing that the tool said of a host.
    fn complaint(&self, node: &str, first: u32) -> Option<String> {
        let own = || ansible::complaint(&self.files(first).2, node);
        if let Some(told) = (self.tool == Tool::Ansible).then(own).flatten() {
            return Some(told);
        }
        let text = fs::read_to_string(self.files(first).1).ok()?;
        let about = |line: &&str| {
            let words = line.split(':').map(str::trim);
            words.take(3).any(|word| word == node)
        };
        let said: Vec<&str> = text.lines().filter(about).collect();
        let best = said.iter().find(|line| !line.contains("exited with exit code")).or(said.last());
        best.copied().or_else(|| text.lines().last()).and_then(ask::one_line)
    }

    /// New whole lines of a file.
    fn fresh(&mut self, path: &PathBuf) -> Result<String, FleetError> {
        let Ok(bytes) = fs::read(path) else { return Ok(String::new()) };
        let read = self.read.entry(path.clone()).or_default();
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let fresh = bytes.get(*read..whole).unwrap_or_default();
        *read = whole.max(*read);
        Ok(String::from_utf8_lossy(fresh).into_owned())
    }
}

/// A process of the tool and the first task that it carries, in one word.
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
        // One process at a time, which has its own idea of how many hosts at once; and one order goes to all of them.
        if self.sent.values().any(|sent| sent.trace.is_there()) {
            return Ok(Vec::new());
        }
        let same = |task: &&Task| task.token == waiting[0].token;
        let tasks: Vec<Task> = waiting.iter().take_while(same).take(HOSTS_MAX).cloned().collect();
        let first = tasks[0].number;
        let (output, errors, tree) = self.files(first);
        let errand = Errand {
            program: "/bin/sh".into(),
            arguments: vec!["-c".to_owned(), self.script(&tasks, &tree.display().to_string())],
            env_set: self.tool.environment(),
            output,
            errors,
        };
        let sent = errand.send()?;
        let handle = format!("{first}@{}", handle_of(sent.trace));
        self.sent.insert(handle.clone(), sent);
        Ok(tasks.iter().map(|task| HandedOver { task: task.number, handle: Ok(handle.clone()) }).collect())
    }

    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, Standing)>, FleetError> {
        for sent in self.sent.values_mut() {
            let _reaped = sent.ended();
        }
        let standing = |(task, handle): &(Task, String)| {
            let Some((first, trace)) = parts(handle) else { return (task.number, Standing::Unknown) };
            let is_there = trace_of(trace).is_some_and(Trace::is_there);
            let why = || self.complaint(&task.node, first).unwrap_or_else(|| "it said nothing".to_owned());
            (task.number, if is_there { Standing::Running } else { Standing::Failed(why()) })
        };
        Ok(open.iter().map(standing).collect())
    }

    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError> {
        let mut firsts: Vec<u32> = open.iter().filter_map(|(_, handle)| Some(parts(handle)?.0)).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let by_node: HashMap<(u32, &str), u32> = open
            .iter()
            .filter_map(|(task, handle)| Some(((parts(handle)?.0, task.node.as_str()), task.number)))
            .collect();
        let mut said = Vec::new();
        for first in firsts {
            let (output, _, tree) = self.files(first);
            let mut add = |node: &str, line: &str| {
                said.extend(by_node.get(&(first, node)).map(|&task| Said { task, line: line.to_owned() }));
            };
            if self.tool == Tool::Ansible {
                ansible::said(&tree, &mut add);
                continue;
            }
            for line in self.fresh(&output)?.lines() {
                if let Some((node, rest)) = line.split_once(": ") {
                    add(node.trim(), rest);
                }
            }
        }
        Ok(said)
    }

    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError> {
        let traces = open.iter().filter_map(|(_, handle)| trace_of(parts(handle)?.1));
        traces.for_each(Trace::end);
        Ok(())
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
        let runs = tempfile::tempdir().unwrap();
        let folder = RunFolder::make(runs.path()).unwrap();
        (runs, Fan::new(tool, "@all".into(), Site { folder, order: "T1JERVI=".into(), options }))
    }

    fn task(number: u32, node: &str) -> Task {
        Task { number, node: node.into(), round: 0, attempt: 1, token: "abc".into() }
    }

    #[test]
    fn the_program_is_shipped_once_and_taken_away_again() {
        let (_runs, fan) = fan(Tool::Clush, EngineOptions::default());
        let script = fan.script(&[task(0, "n1"), task(1, "n2")], "/answers");
        let lines: Vec<&str> = script.lines().collect();
        assert_eq!(lines.len(), 4, "{script}");
        assert!(
            lines[2].starts_with("clush ") && lines[2].contains("--copy") && lines[2].contains("-w n1,n2")
        );
        let words = shell_words::split(lines[3]).unwrap();
        let remote = words.last().unwrap();
        assert!(
            remote.contains("node --framed abc --round 0 --attempt 1 --order 'T1JERVI='")
                || remote.contains("T1JERVI=")
        );
        assert!(lines[0].contains("rm -f /tmp/fauxplat-") && lines[0].ends_with("EXIT"), "{script}");
        let there =
            EngineOptions { program_there: Some("/opt/it's here".into()), ..EngineOptions::default() };
        let (_runs, fan) = self::fan(Tool::Pdsh, there);
        let script = fan.script(&[task(0, "n1")], "/answers");
        let words = shell_words::split(&script).unwrap();
        assert_eq!(shell_words::split(words.last().unwrap()).unwrap()[0], "/opt/it's here");
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
        assert_eq!(standing[1].1, Standing::Failed("n2: Permission denied (publickey).".into()));
    }
}
