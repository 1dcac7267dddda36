//! Slurm: one job per node, so that a busy node waits without blocking idle nodes.
//!
//! A job finds the program in the folder of the run, and writes its answer there, if its node shares that folder with
//! the submitting machine. Otherwise the job's exit status shows that the folder is missing, and `srun` copies the
//! program to the node and returns the answer over Slurm's own connections.

mod script;
pub mod words;

use std::collections::HashMap;
use std::path::PathBuf;

use fauxplat_launch::{Errand, Sent, Trace};
use fauxplat_model::Outcome;
use fauxplat_sys::clock;

use crate::ask::{ask, find};
use crate::engine::{Engine, HandedOver, Listed, Said, Task, TaskState};
use crate::files::{Files, IDLE_MAX_NS, complaint};
use crate::folder::random_hex;
use crate::local::{failed, gone, handle_of, trace_of};
use crate::schedule::scrontab;
use crate::site::Site;
use crate::{FleetError, engine};
use fauxplat_model::Every;
use script::{Ending, JOB_FILE};

const HINT: &str = "install Slurm's client programs (on Debian: apt install slurm-client), or name another engine after --on";

/// Maximum number of jobs that are submitted between two reads of answers.
const BATCH: usize = 16;
/// Time in nanoseconds for which a job may wait for a node that is not available, before the node is reported as
/// missing.
const NODELESS_NS: u64 = 120_000_000_000;
/// Minimum time between two queries of Slurm's controller, in milliseconds.
const PACE_MS: u64 = 500;
/// Prefix of the handle of a task that runs by `srun`, and not by a job script.
const BY_SRUN: &str = "srun:";

/// The engine Slurm, restricted to a partition if the user named one.
#[derive(Debug)]
pub(crate) struct Slurm {
    partition: Option<String>,
    site: Site,
    files: Files,
    /// Processes of `srun` that this process started, by task.
    carried: HashMap<u32, Sent>,
    /// Monotonic time in nanoseconds at which a job was first seen to wait for a node that is not available, by task.
    nodeless_since_ns: HashMap<u32, u64>,
    /// Whether a submission may have succeeded without a confirmation; also true at first, since an earlier fauxplat
    /// may have been killed while it submitted a job.
    is_unsure: bool,
    pace_ms: u64,
}

impl Slurm {
    /// # Errors
    /// Fails where the name of the partition is invalid.
    pub(crate) fn new(partition: Option<String>, site: Site) -> Result<Self, FleetError> {
        if let Some(name) = partition.as_deref().filter(|name| !engine::is_plain(name)) {
            let why = "the name of a partition has letters, digits, dots, dashes and underlines".to_owned();
            return Err(FleetError::Words { words: format!("slurm:{name}"), why });
        }
        Ok(Slurm {
            partition,
            site,
            files: Files::default(),
            carried: HashMap::new(),
            nodeless_since_ns: HashMap::new(),
            is_unsure: true,
            pace_ms: PACE_MS,
        })
    }

    /// Returns the options that every job has, whether started by `sbatch` or by `srun`.
    fn options(&self, task: &Task) -> Vec<String> {
        let options = &self.site.options;
        let mut words = vec![
            format!("--job-name={}", self.job_name(task)),
            format!("--nodelist={}", task.node),
            "--nodes=1".to_owned(),
            "--ntasks=1".to_owned(),
        ];
        words.extend((!options.shared).then(|| "--exclusive".to_owned()));
        words.extend(self.partition.iter().map(|partition| format!("--partition={partition}")));
        words.extend(options.licence.iter().map(|licence| format!("--licenses={licence}")));
        words.extend(options.limit_minutes.map(|minutes| format!("--time={minutes}")));
        words
    }

    /// Returns the name of a task's job, by which the job is found again if the confirmation of its submission was
    /// lost.
    fn job_name(&self, task: &Task) -> String {
        format!("fauxplat-{}-{}", self.site.folder.id(), task.number)
    }

    fn submit(&self, task: &Task) -> Result<String, FleetError> {
        let mut words = self.options(task);
        // If nodes do not share the folder of the run, an output file in it would keep the job from starting.
        words.extend(
            ["--parsable", "--no-requeue", "--output=/dev/null", "--error=/dev/null"].map(str::to_owned),
        );
        words.push(self.site.folder.file(JOB_FILE).display().to_string());
        words.extend(script::arguments(task));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = ask("sbatch", &words, HINT)?;
        // The output of sbatch is `JOB`, or `JOB;CLUSTER`.
        let job = said.trim().split(';').next().unwrap_or_default().to_owned();
        match !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()) {
            true => Ok(job),
            false => Err(FleetError::Engine {
                program: "sbatch".to_owned(),
                said: format!("its output is no number of a job: {job:?}"),
            }),
        }
    }

    /// Returns the jobs of this run that Slurm knows, by the number of their task.
    fn jobs(&self) -> Result<HashMap<u32, words::Job>, FleetError> {
        let format = format!("--format={}", words::JOB_FORMAT);
        let text = ask("squeue", &["--noheader", "--me", "--states=all", &format], HINT)?;
        let prefix = format!("fauxplat-{}-", self.site.folder.id());
        let mut jobs = HashMap::new();
        for job in text.lines().filter_map(words::job) {
            let Some(task) = job.name.strip_prefix(&prefix).and_then(|task| task.parse().ok()) else {
                continue;
            };
            // The newest of several jobs with the same name counts.
            let known: &mut words::Job = jobs.entry(task).or_insert_with(|| job.clone());
            if job.number() > known.number() {
                *known = job;
            }
        }
        Ok(jobs)
    }

    fn standing(
        &mut self,
        task: &Task,
        handle: &str,
        jobs: &HashMap<u32, words::Job>,
    ) -> Result<TaskState, FleetError> {
        if let Some(handle) = handle.strip_prefix(BY_SRUN) {
            return Ok(self.carried_standing(task, handle, jobs.get(&task.number)));
        }
        let Some(job) = jobs.get(&task.number).filter(|job| job.id == handle) else {
            return self.forgotten(handle);
        };
        Ok(match job.state.as_str() {
            "PENDING" if self.is_without_node(task.number, words::is_hopeless(&job.reason)) => {
                let _gone = ask("scancel", &[handle], HINT);
                TaskState::Failed(format!("its job cannot start: {}", job.reason))
            }
            "PENDING" => TaskState::Waiting(job.reason.clone()),
            "COMPLETED" => TaskState::Done,
            "RUNNING" | "COMPLETING" | "CONFIGURING" | "SUSPENDED" | "STAGE_OUT" | "SIGNALING" => {
                TaskState::Running
            }
            "FAILED" => self.ended(task, words::exit_code(&show(handle)?))?,
            other => {
                TaskState::Failed(format!("its job ended as {}", other.to_lowercase().replace('_', " ")))
            }
        })
    }

    /// Returns whether a job has waited too long for a node that is not available, and would wait until an
    /// administrator repairs the node. A controller that was restarted knows no node for a while, so a short wait does
    /// not count.
    fn is_without_node(&mut self, task: u32, is_hopeless: bool) -> bool {
        let now_ns = clock::monotonic_ns();
        let since_ns = *self.nodeless_since_ns.entry(task).or_insert(now_ns);
        if !is_hopeless {
            self.nodeless_since_ns.remove(&task);
        }
        is_hopeless && now_ns - since_ns >= NODELESS_NS
    }

    /// Returns the state of a job that `squeue` no longer lists, from Slurm's accounting; unknown if there is no
    /// accounting.
    fn forgotten(&self, job: &str) -> Result<TaskState, FleetError> {
        let words = ["--noheader", "--parsable2", "--allocations", "--format=State", "--jobs", job];
        match ask("sacct", &words, HINT) {
            Ok(text) if text.trim() == "COMPLETED" => Ok(TaskState::Done),
            Ok(text) if matches!(text.trim(), "PENDING" | "RUNNING") => Ok(TaskState::Running),
            Ok(text) if !text.trim().is_empty() => {
                Ok(TaskState::Failed(format!("its job ended as {}", text.trim().to_lowercase())))
            }
            _ => Ok(TaskState::Unknown),
        }
    }

    /// Returns the state of a task whose job script has ended with this exit status.
    fn ended(&mut self, task: &Task, code: Option<u8>) -> Result<TaskState, FleetError> {
        Ok(match script::ending(code) {
            Ending::NothingInCommon => match self.carry(task) {
                Ok(handle) => TaskState::Moved(handle),
                Err(error) => TaskState::Failed(error.to_string()),
            },
            Ending::Told(why) => TaskState::Failed(why.to_owned()),
            Ending::Program(status) => {
                let said = complaint(&self.site.folder, task.number);
                TaskState::Failed(failed(Outcome::Exited(status), said))
            }
        })
    }

    /// Starts a task by `srun`, which copies the program to the node and returns the answer. Returns the task's handle.
    fn carry(&mut self, task: &Task) -> Result<String, FleetError> {
        // A node that has never been up has no architecture in Slurm yet.
        let shown = ask("scontrol", &["--oneliner", "show", "node", &task.node], HINT).unwrap_or_default();
        let arch = words::architecture(&shown, &task.node);
        let sent = self.errand(task, find("srun", HINT)?, arch.as_deref())?.send()?;
        let handle = format!("{BY_SRUN}{}", handle_of(sent.trace));
        self.carried.insert(task.number, sent);
        Ok(handle)
    }

    /// Returns the process to start for `srun`. The program for the node's architecture is copied to `/tmp` of the
    /// node, unless a program is installed there. Other users can write to `/tmp` as well, and Slurm overwrites
    /// existing files, so the name of the copy is random, and `srun` receives it in its environment (`SLURM_BCAST` in
    /// `srun(1)`): arguments of `srun` are readable for every user of this machine as long as the job waits.
    fn errand(&self, task: &Task, srun: PathBuf, arch: Option<&str>) -> Result<Errand, FleetError> {
        let (program, place) = match &self.site.options.program_there {
            Some(there) => (there.clone(), None),
            None => {
                let known = self.site.programs().into_iter().find(|(known, _)| Some(known.as_str()) == arch);
                let program = known.map_or(self.site.own_program(), |(_, program)| program);
                (program.display().to_string(), Some(format!("/tmp/fauxplat-{}", random_hex(16)?)))
            }
        };
        let mut arguments = self.options(task);
        arguments.push(program);
        arguments.extend(self.site.words(task, false));
        // The copy is in `/tmp` of the node, so the program is told to delete itself.
        arguments.extend(place.as_ref().map(|_| "--shipped".to_owned()));
        Ok(Errand {
            program: srun,
            arguments,
            env_set: place.map(|place| ("SLURM_BCAST".to_owned(), place)).into_iter().collect(),
            output: self.site.folder.out(task.number),
            errors: self.site.folder.errors(task.number),
        })
    }

    /// Returns the state of a task that runs by `srun`. The process of `srun` exists while its job waits, perhaps for
    /// hours, so the job's state counts; `job` is the newest job with the name of the task.
    fn carried_standing(&mut self, task: &Task, handle: &str, job: Option<&words::Job>) -> TaskState {
        let pending = job.filter(|job| job.state == "PENDING");
        let is_hopeless = pending.is_some_and(|job| words::is_hopeless(&job.reason));
        let is_without_node = self.is_without_node(task.number, is_hopeless);
        let said = || complaint(&self.site.folder, task.number);
        let (is_there, ended) = match self.carried.get_mut(&task.number) {
            Some(sent) => (true, sent.ended()),
            None => (trace_of(handle).is_some_and(Trace::is_there), None),
        };
        match (ended, pending) {
            (Some(outcome), _) if outcome.is_success() => TaskState::Done,
            (Some(outcome), _) => TaskState::Failed(failed(outcome, said())),
            (None, _) if !is_there => gone(said()),
            (None, Some(job)) if is_without_node => {
                trace_of(handle).into_iter().for_each(Trace::end);
                TaskState::Failed(format!("its job cannot start: {}", job.reason))
            }
            (None, Some(job)) => TaskState::Waiting(job.reason.clone()),
            (None, None) => TaskState::Running,
        }
    }
}

/// Cancels exactly these jobs, by id, and not by name or user. If some of them cannot be cancelled, the others are
/// cancelled nevertheless.
fn cancel_all(
    jobs: &[&str],
    mut scancel: impl FnMut(&[&str]) -> Result<String, FleetError>,
) -> Result<(), FleetError> {
    jobs.chunks(500).map(|some| scancel(some).map(drop)).fold(Ok(()), Result::and)
}

/// Returns the output of `scontrol show job` for a job.
fn show(job: &str) -> Result<String, FleetError> {
    ask("scontrol", &["--oneliner", "show", "job", job], HINT)
}

impl Engine for Slurm {
    fn words(&self) -> String {
        self.partition.as_ref().map_or("slurm".to_owned(), |partition| format!("slurm:{partition}"))
    }

    fn nodes(&self) -> Result<Vec<Listed>, FleetError> {
        let partition = self.partition.as_ref().map(|partition| format!("--partition={partition}"));
        let format = format!("--format={}", words::NODE_FORMAT);
        let mut asked = vec!["--noheader", "--Node", format.as_str()];
        asked.extend(partition.as_deref());
        let mut nodes = words::nodes(&ask("sinfo", &asked, HINT)?);
        let shown = ask("scontrol", &["--oneliner", "show", "nodes"], HINT).unwrap_or_default();
        let known = self.site.programs();
        let lies_there = self.site.options.program_there.is_some();
        let has_program = |arch: &str| lies_there || known.iter().any(|(known, _)| known == arch);
        for node in nodes.iter_mut().filter(|node| node.unable.is_none()) {
            let arch = words::architecture(&shown, &node.name).filter(|arch| !has_program(arch));
            node.unable = arch.map(|arch| {
                format!("there is no program for its architecture: name one with --program {arch}=PATH")
            });
        }
        Ok(nodes)
    }

    fn hand_over(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        script::write(&self.site)?;
        self.pace_ms = PACE_MS;
        let adopted = self.adopt(waiting)?;
        if !adopted.is_empty() {
            return Ok(adopted);
        }
        let mut handed = Vec::new();
        for task in waiting.iter().take(BATCH) {
            let handle = match self.submit(task) {
                Ok(job) => Ok(job),
                Err(error) if error.is_passing() || matches!(error, FleetError::NotInstalled { .. }) => {
                    self.is_unsure = error.is_passing();
                    return if handed.is_empty() { Err(error) } else { Ok(handed) };
                }
                Err(error) => Err(error.to_string()),
            };
            handed.push(HandedOver { task: task.number, handle });
        }
        Ok(handed)
    }

    fn adopt(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        if !self.is_unsure || waiting.is_empty() {
            return Ok(Vec::new());
        }
        let jobs = self.jobs()?;
        self.is_unsure = false;
        let known = |task: &Task| {
            let job = jobs.get(&task.number)?;
            Some(HandedOver { task: task.number, handle: Ok(job.id.clone()) })
        };
        Ok(waiting.iter().filter_map(known).collect())
    }

    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, TaskState)>, FleetError> {
        let jobs = self.jobs()?;
        let standings: Vec<(u32, TaskState)> = open
            .iter()
            .map(|(task, handle)| Ok((task.number, self.standing(task, handle, &jobs)?)))
            .collect::<Result<_, FleetError>>()?;
        let is_waiting = |standing: &TaskState| matches!(standing, TaskState::Waiting(_));
        // While all jobs wait, which may take hours, the controller is queried ever more rarely.
        self.pace_ms = match standings.iter().all(|(_, standing)| is_waiting(standing)) {
            true => (self.pace_ms + self.pace_ms / 2).min(IDLE_MAX_NS / 1_000_000),
            false => PACE_MS,
        };
        let goes_on = |standing: &TaskState| is_waiting(standing) || *standing == TaskState::Running;
        for (task, _) in standings.iter().filter(|(_, standing)| !goes_on(standing)) {
            self.files.expect(*task);
        }
        Ok(standings)
    }

    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError> {
        let grows = |handle: &str| handle.starts_with(BY_SRUN);
        self.files.appeared(&self.site.folder, open, grows, clock::monotonic_ns())
    }

    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError> {
        let (carried, jobs): (Vec<_>, Vec<_>) =
            open.iter().partition(|(_, handle)| handle.starts_with(BY_SRUN));
        carried.iter().filter_map(|(_, handle)| trace_of(handle.strip_prefix(BY_SRUN)?)).for_each(Trace::end);
        let jobs: Vec<&str> = jobs.iter().map(|(_, job)| job.as_str()).collect();
        cancel_all(&jobs, |some| ask("scancel", some, HINT))
    }

    fn pace_ms(&self) -> u64 {
        self.pace_ms
    }

    fn grace_ms(&self) -> u64 {
        60_000
    }

    fn schedule(&self, line: &str, every: Every) -> Vec<String> {
        scrontab(line, every, self.partition.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::RunFolder;
    use crate::site::EngineOptions;

    /// A job may wait for hours, and a user who learns the name of the copied program meanwhile could create that file
    /// first.
    #[test]
    fn nobody_reads_where_srun_puts_the_program() {
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let site = Site { folder, order: "T1JERVI=".into(), options: EngineOptions::default() };
        let slurm = Slurm::new(None, site).unwrap();
        let task = Task { number: 7, node: "n1".into(), round: 0, attempt: 1, token: "abc".into() };
        let places = [(); 2].map(|()| {
            let errand = slurm.errand(&task, "/usr/bin/srun".into(), None).unwrap();
            assert!(errand.arguments.iter().all(|word| !word.contains("/tmp/fauxplat-")), "{errand:?}");
            let (name, place) = &errand.env_set[0];
            assert!(name == "SLURM_BCAST" && place.starts_with("/tmp/fauxplat-"), "{errand:?}");
            place.clone()
        });
        assert_ne!(places[0], places[1]);
    }

    /// A node without the shared folder may have another architecture, or an installed program.
    #[test]
    fn srun_takes_the_program_of_the_node() {
        let runs = crate::private();
        let (mut slurm, task) = carried(runs.path());
        let options = EngineOptions {
            programs: [("sparc64".to_owned(), "other".into())].into(),
            ..EngineOptions::default()
        };
        slurm.site.options = options.clone();
        let errand = |slurm: &Slurm, arch: Option<&str>| {
            let errand = slurm.errand(&task, "/usr/bin/srun".into(), arch).unwrap();
            let program = errand.arguments.iter().find(|word| !word.starts_with("--")).cloned();
            let is_shipped = errand.arguments.contains(&"--shipped".to_owned());
            assert_eq!(is_shipped, !errand.env_set.is_empty(), "{errand:?}");
            (PathBuf::from(program.unwrap()), is_shipped)
        };
        let other = slurm.site.folder.file("programs").join("sparc64");
        assert_eq!(errand(&slurm, Some("sparc64")), (other, true));
        for own in [Some(std::env::consts::ARCH), None] {
            assert_eq!(errand(&slurm, own), (slurm.site.own_program(), true));
        }
        slurm.site.options = EngineOptions { program_there: Some("/opt/fauxplat".into()), ..options };
        assert_eq!(errand(&slurm, Some("sparc64")), ("/opt/fauxplat".into(), false));
    }

    /// Returns an engine for Slurm, and a task that an earlier fauxplat started by `srun`.
    fn carried(runs: &std::path::Path) -> (Slurm, Task) {
        let folder = RunFolder::make(runs).unwrap();
        let site = Site { folder, order: String::new(), options: EngineOptions::default() };
        let task = Task { number: 7, node: "n1".into(), round: 0, attempt: 1, token: "abc".into() };
        (Slurm::new(None, site).unwrap(), task)
    }

    /// Returns the handle of this process, which stands in for `srun`.
    fn alive() -> String {
        let pid = std::process::id();
        handle_of(Trace { pid, ticks: fauxplat_sys::process::start_ticks(pid).unwrap() })
    }

    /// A job of `srun` that waits behind other jobs is reported as waiting, so that the time limit of its node does not
    /// run.
    #[test]
    fn a_job_that_srun_waits_for_waits() {
        let runs = crate::private();
        let (mut slurm, task) = carried(runs.path());
        let mut of =
            |line: Option<&str>| slurm.carried_standing(&task, &alive(), line.and_then(words::job).as_ref());
        assert_eq!(of(Some("9|fauxplat-x-7|PENDING|Priority")), TaskState::Waiting("Priority".into()));
        for began in [Some("9|fauxplat-x-7|RUNNING|None"), Some("8|fauxplat-x-7|FAILED|None"), None] {
            assert_eq!(of(began), TaskState::Running, "{began:?}");
        }
    }

    #[test]
    fn what_srun_complained_of_is_told_by_whoever_comes_later() {
        let runs = crate::private();
        let (mut slurm, task) = carried(runs.path());
        assert_eq!(slurm.carried_standing(&task, "0:0", None), TaskState::Done);
        std::fs::write(slurm.site.folder.errors(7), "srun: error: no room in /tmp\n").unwrap();
        let standing = slurm.carried_standing(&task, "0:0", None);
        assert!(
            matches!(&standing, TaskState::Failed(why) if why.contains("no room in /tmp")),
            "{standing:?}"
        );
    }

    #[test]
    fn jobs_that_cannot_be_cancelled_keep_no_others_from_it() {
        let numbers: Vec<String> = (0..1200).map(|at| at.to_string()).collect();
        let jobs: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let mut asked = Vec::new();
        let said = cancel_all(&jobs, |some| {
            asked.extend(some.iter().map(|job| (*job).to_owned()));
            let said = format!("Kill job error on job id {}", some[0]);
            if some[0] == "1000" {
                Ok(String::new())
            } else {
                Err(FleetError::Engine { program: "scancel".into(), said })
            }
        });
        assert_eq!(asked, numbers);
        assert_eq!(said.unwrap_err().to_string(), "scancel: Kill job error on job id 0");
        cancel_all(&[], |_| panic!("nothing is to be cancelled")).unwrap();
    }
}
