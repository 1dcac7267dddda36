//! Runs over a fleet of hosts on this machine, under a real Slurm: how long they take, whether odd hosts are found and
//! no others, and whether anything is lost when hosts or Slurm's controller are killed.
//!
//! The measured program only prints a number that was drawn for its host, so that a hundred hosts on two CPUs do not
//! disturb each other.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use fauxplat_stats::draw::Draw;
use serde_json::Value;

use super::{failed, scratch};
use crate::cargo::root;
use crate::error::ChoreError;

const HOSTS: u32 = 128;
const TIMES: u32 = 20;
/// Relative standard deviations between hosts, and between runs on the same host, of the size that clusters have.
const BETWEEN: f64 = 0.005;
const WITHIN: f64 = 0.01;
/// Number of hosts that are killed while they measure.
const KILLED: u32 = 8;
/// Goals for the seconds from the submission of a run to its report: the one to reach, and a more ambitious one.
const GOAL_S: f64 = 30.0;
const STRETCH_S: f64 = 10.0;

/// Runs the named part of the bench, or all. Further arguments are the number of hosts, the number of repetitions, and
/// the path of another binary.
pub(super) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let part = words.first().copied().unwrap_or("all");
    let number =
        |at: usize, default: u32| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (hosts, times) = (number(1, HOSTS), number(2, TIMES));
    let program = match words.get(3) {
        Some(path) => PathBuf::from(path),
        None => super::fauxplat()?,
    };
    let Some(bed) = Bed::up(hosts, program)? else { return Ok(()) };
    let is_wanted = |name: &str| part == "all" || part == name;
    if is_wanted("speed") {
        bed.speed()?;
    }
    if is_wanted("peer") {
        bed.peer()?;
    }
    if is_wanted("odd") {
        bed.odd(times)?;
    }
    if is_wanted("clean") {
        bed.clean(times)?;
    }
    if is_wanted("killed") {
        bed.killed()?;
    }
    if is_wanted("restarted") {
        bed.restarted()?;
    }
    if is_wanted("shells") {
        bed.shells()?;
    }
    Ok(())
}

/// Hosts on this machine under a real Slurm, which are shut down when the value is dropped.
struct Bed {
    hosts: u32,
    folder: PathBuf,
    program: PathBuf,
}

impl Drop for Bed {
    fn drop(&mut self) {
        let _down = script().arg("down").arg(&self.folder).output();
    }
}

fn script() -> Command {
    Command::new(root().join("benches/fleet/hosts"))
}

fn name(host: u32) -> String {
    format!("n{host:03}")
}

impl Bed {
    /// Starts the hosts. If that is not possible, prints the reason and returns `None`.
    fn up(hosts: u32, program: PathBuf) -> Result<Option<Self>, ChoreError> {
        // Slurm limits the length of paths, so the folder is a temporary one; the hosts see all files of this machine.
        let folder = std::env::temp_dir().join(format!("fauxplat-hosts-{}", std::process::id()));
        let bed = Bed { hosts, folder, program };
        let up = script().arg("up").arg(hosts.to_string()).arg(&bed.folder).output();
        let up = up.map_err(|error| failed("hosts", &error))?;
        match up.status.code() {
            Some(0) => {}
            Some(3) => {
                println!("fleet: skipped: {}", String::from_utf8_lossy(&up.stderr).trim());
                return Ok(None);
            }
            _ => return Err(failed("hosts up", &String::from_utf8_lossy(&up.stderr).trim())),
        }
        bed.scripted()?;
        Ok(Some(bed))
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Writes the script that every host measures: it prints the host's number with some noise, and first sleeps if a
    /// certain file asks for it.
    fn scripted(&self) -> Result<(), ChoreError> {
        let text = format!(
            "#!/bin/sh\n\
             # The number of this host, with the noise of a run: a sum of twelve uniform ones is nearly normal.\n\
             [ ! -e '{0}' ] || sleep \"$(cat '{0}')\"\n\
             seed=$(od -An -N3 -tu4 /dev/urandom)\n\
             awk -v seed=\"$seed\" -v host=\"$(hostname)\" '$1 == host {{\n\
                 srand(seed); for (i = 0; i < 12; i++) z += rand(); printf \"%.3f\\n\", $2 * (1 + {WITHIN} * (z - 6))\n\
             }}' '{1}'\n",
            self.path("wait"),
            self.path("numbers"),
        );
        let file = self.path("measured");
        let write = || {
            fs::write(&file, text)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))
        };
        write().map_err(|error: std::io::Error| failed(&file, &error))
    }

    /// Draws the number that each host prints; those of hosts in `slow` are multiplied by the given factor.
    fn numbers(&self, draw: &mut Draw, slow: &BTreeMap<u32, f64>) -> Result<(), ChoreError> {
        let line = |host: u32| {
            let between = 1.0 + BETWEEN * draw.normal();
            format!("{} {:.4}\n", name(host), 1000.0 * between * slow.get(&host).copied().unwrap_or(1.0))
        };
        let text: String = (1..=self.hosts).map(line).collect();
        fs::write(self.path("numbers"), text).map_err(|error| failed("numbers", &error))
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = script();
        command.arg("in").arg(&self.folder).arg(&self.program).args(words);
        command.args(["--store", &self.path("store.sqlite"), "--format", "json"]);
        command
    }

    /// The command that submits a run over all hosts and reports it.
    fn fleet(&self, on: &str, words: &[&str]) -> Command {
        let mut command =
            self.command(&["fleet", "run", "--on", on, "-r", "5", "--metric-from", "t=([0-9.]+)"]);
        command.args(words).arg(self.path("measured"));
        command
    }

    fn speed(&self) -> Result<(), ChoreError> {
        println!(
            "{} hosts under Slurm, 5 scripted runs each, from the submission to the report:",
            self.hosts
        );
        for _ in 0..3 {
            self.reported()?;
        }
        Ok(())
    }

    /// Measures the wall time of one `fleet` run over all hosts, without confirmation of suspects.
    fn reported(&self) -> Result<(), ChoreError> {
        self.numbers(&mut Draw::new(1, 0), &BTreeMap::new())?;
        let begun = Instant::now();
        let found = document(self.fleet("slurm:all", &["--no-confirm"]).output())?;
        let took_s = begun.elapsed().as_secs_f64();
        let verdict = if took_s < STRETCH_S {
            "below the stretch goal"
        } else if took_s < GOAL_S {
            "below the goal"
        } else {
            "ABOVE THE GOAL"
        };
        println!(
            "  {took_s:.1} s, {} of {} answered  {verdict} (goals: {STRETCH_S:.0} and {GOAL_S:.0} s)",
            answered(&found),
            self.hosts
        );
        Ok(())
    }

    /// Runs the same program with ReFrame, as one test for each node, in turns with `fleet`.
    fn peer(&self) -> Result<(), ChoreError> {
        if !super::instrument::installed("reframe") {
            println!("reframe is not installed (pip install reframe-hpc)");
            return Ok(());
        }
        println!("fleet and ReFrame in turns:");
        let told = root().join("benches/fleet/reframe.py");
        for _ in 0..2 {
            self.reported()?;
            let mut reframe = script();
            reframe.arg("in").arg(&self.folder).args([
                "reframe",
                "--nocolor",
                "--distribute=all",
                "-r",
                "--prefix",
            ]);
            reframe.arg(self.path("reframe")).arg("-C").arg(&told).arg("-c").arg(&told);
            reframe.env("MEASURED", self.path("measured")).current_dir(&self.folder);
            let begun = Instant::now();
            let done = reframe.output().map_err(|error| failed("reframe", &error))?;
            let took_s = begun.elapsed().as_secs_f64();
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            let ran = said.lines().find(|line| line.contains("Ran ")).unwrap_or("nothing reported").trim();
            println!("  {took_s:.1} s by ReFrame: {ran}");
        }
        Ok(())
    }

    /// Makes one host a tenth slower, a different one each time, and counts how often `fleet` finds it.
    fn odd(&self, times: u32) -> Result<(), ChoreError> {
        let (mut found_times, mut others) = (0, 0);
        for time in 0..times {
            let mut draw = Draw::new(2, u64::from(time));
            let host = 1 + draw.below(self.hosts as usize) as u32;
            self.numbers(&mut draw, &[(host, 1.1)].into())?;
            let found = document(self.fleet("slurm:all", &[]).output())?;
            let confirmed = of_state(&found, "confirmed");
            found_times += u32::from(confirmed.contains(&name(host)));
            others += confirmed.iter().filter(|other| **other != name(host)).count();
        }
        println!(
            "One host in {} slower by 10 %: confirmed in {found_times} of {times} runs (goal: all), others: {others}",
            self.hosts
        );
        Ok(())
    }

    fn clean(&self, times: u32) -> Result<(), ChoreError> {
        let (mut confirmed, mut suspected) = (0, 0);
        for time in 0..times {
            self.numbers(&mut Draw::new(3, u64::from(time)), &BTreeMap::new())?;
            let found = document(self.fleet("slurm:all", &[]).output())?;
            confirmed += of_state(&found, "confirmed").len();
            let flagged = ["suspect", "cleared", "noisy"].map(|state| of_state(&found, state).len());
            suspected += flagged.iter().sum::<usize>();
        }
        println!(
            "No odd host in {}: {confirmed} confirmed in {times} runs (goal: none), {suspected} suspected and not confirmed",
            self.hosts
        );
        Ok(())
    }

    /// Kills hosts while they measure, and resumes the run once they are back.
    fn killed(&self) -> Result<(), ChoreError> {
        self.numbers(&mut Draw::new(4, 0), &BTreeMap::new())?;
        self.wait_s("1.5")?;
        let mut child = self.begun()?;
        self.handed_over(&mut child)?;
        let victims: Vec<u32> = (1..=KILLED).map(|at| at * (self.hosts / KILLED)).collect();
        for host in &victims {
            self.host("kill", Some(*host))?;
        }
        let found = document(child.wait_with_output())?;
        println!(
            "{KILLED} of {} hosts killed while they measured: {} answered, {} reported as missing",
            self.hosts,
            answered(&found),
            of_state(&found, "missing").len()
        );
        for host in &victims {
            self.host("wake", Some(*host))?;
        }
        self.wait_s("0")?;
        self.all_idle()?;
        let fleet = found["fleet"].as_str().unwrap_or_default().to_owned();
        let again = document(self.command(&["fleet", "run", "--no-confirm", "--resume", &fleet]).output())?;
        println!("  resumed: {} of {} answered (goal: all)", answered(&again), self.hosts);
        Ok(())
    }

    fn restarted(&self) -> Result<(), ChoreError> {
        self.numbers(&mut Draw::new(5, 0), &BTreeMap::new())?;
        self.wait_s("0.5")?;
        let mut child = self.begun()?;
        self.handed_over(&mut child)?;
        self.host("restart", None)?;
        let found = document(child.wait_with_output())?;
        self.wait_s("0")?;
        println!(
            "slurmctld killed and started again in the middle: {} of {} answered (goal: all)",
            answered(&found),
            self.hosts
        );
        Ok(())
    }

    /// Repeats the run with `clush` and `pdsh`, as far as these are installed.
    fn shells(&self) -> Result<(), ChoreError> {
        self.numbers(&mut Draw::new(6, 0), &BTreeMap::new())?;
        let hosts = format!("n[001-{:03}]", self.hosts);
        for tool in ["clush", "pdsh"] {
            if !super::instrument::installed(tool) {
                println!("{tool} is not installed");
                continue;
            }
            // All hosts see the same files, so pdsh does not copy the program, for which it would need a copy of itself
            // on each host.
            let there = self.program.display().to_string();
            let words: &[&str] =
                if tool == "pdsh" { &["--no-confirm", "--program-there", &there] } else { &["--no-confirm"] };
            let begun = Instant::now();
            let found = document(self.fleet(&format!("{tool}:{hosts}"), words).output())?;
            println!(
                "by {tool}: {:.1} s, {} of {} answered",
                begun.elapsed().as_secs_f64(),
                answered(&found),
                self.hosts
            );
        }
        Ok(())
    }

    fn wait_s(&self, seconds: &str) -> Result<(), ChoreError> {
        fs::write(self.path("wait"), seconds).map_err(|error| failed("wait", &error))
    }

    fn begun(&self) -> Result<Child, ChoreError> {
        let mut command = self.fleet("slurm:all", &["--no-confirm"]);
        let errors =
            fs::File::create(scratch()?.join("fleet.err")).map_err(|error| failed("fleet.err", &error))?;
        command.stdout(Stdio::piped()).stderr(errors).spawn().map_err(|error| failed("fleet run", &error))
    }

    /// Waits until at least half of the hosts run their jobs, some of which may already have been answered.
    fn handed_over(&self, child: &mut Child) -> Result<(), ChoreError> {
        let jobs = || {
            let done = script()
                .arg("in")
                .arg(&self.folder)
                .args(["squeue", "-h", "-t", "running", "-o", "%i"])
                .output();
            done.map_or(0, |done| String::from_utf8_lossy(&done.stdout).lines().count())
        };
        while jobs() * 2 < self.hosts as usize {
            if let Ok(Some(status)) = child.try_wait() {
                return Err(failed("fleet run", &format!("it ended before its jobs ran: {status}")));
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        Ok(())
    }

    fn all_idle(&self) -> Result<(), ChoreError> {
        let idle = || {
            let done =
                script().arg("in").arg(&self.folder).args(["sinfo", "-h", "-t", "idle", "-o", "%D"]).output();
            done.is_ok_and(|done| String::from_utf8_lossy(&done.stdout).trim() == self.hosts.to_string())
        };
        for _ in 0..600 {
            if idle() {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        Err(failed("hosts", &"not all of them came back"))
    }

    fn host(&self, what: &str, host: Option<u32>) -> Result<(), ChoreError> {
        let mut command = script();
        command.arg(what).arg(&self.folder).args(host.map(|host| host.to_string()));
        // A host that is woken up outlives the script and inherits its descriptors, so that a pipe would never end.
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status.map_err(|error| failed("hosts", &error))?.success() {
            true => Ok(()),
            false => Err(failed(&format!("hosts {what}"), &"it failed")),
        }
    }
}

fn document(output: std::io::Result<Output>) -> Result<Value, ChoreError> {
    let output = output.map_err(|error| failed("fleet run", &error))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).map_err(|error| failed("fleet run", &format!("{error}: {said}")))
}

fn nodes(found: &Value) -> impl Iterator<Item = &Value> {
    found["nodes"].as_array().into_iter().flatten()
}

fn answered(found: &Value) -> usize {
    nodes(found).filter(|node| node["runs"].as_u64().is_some_and(|runs| runs > 0)).count()
}

fn of_state(found: &Value, state: &str) -> Vec<String> {
    let of = nodes(found).filter(|node| node["state"] == state);
    of.map(|node| node["node"].as_str().unwrap_or_default().to_owned()).collect()
}
