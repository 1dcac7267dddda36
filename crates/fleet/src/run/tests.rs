//! Runs with a simulated engine, which behaves badly, as do its nodes.

mod ending;

use std::collections::HashMap;

use fauxplat_model::{Delivery, FleetEvidence, NodeOrder, NodePlan, NodeRecord};

use super::*;
use crate::engine::Listed;
use crate::record::{AskedNode, evidence};
use crate::wire;
use fauxplat_model::Every;

const DAY_NS: i64 = 86_400_000_000_000;

/// Behaviour of a simulated node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    Answers,
    AnswersTwice,
    /// The end of the answer is missing.
    AnswersInPart,
    AnswersFor(&'static str),
    /// The node's clock is a day ahead.
    AnswersTomorrow,
    IsOfAnotherVersion,
    /// The answer is complete, but no valid record.
    AnswersNonsense,
    Fails,
    IsForgotten,
    Waits,
    /// The engine forgets the task when it is submitted for the first time.
    IsLost,
    /// The node answers only at the second attempt.
    AnswersLater,
    /// The task runs and never answers.
    Hangs,
    /// The task is submitted without a confirmation.
    IsHandedUnsaid,
}

/// A simulated engine.
#[derive(Debug, Default)]
struct Twin {
    does: HashMap<String, Does>,
    /// Tasks that were submitted and whose output was not fetched yet.
    fresh: Vec<Task>,
    /// Number of times that each task was submitted, by its number.
    handed: HashMap<u32, u32>,
    /// Number of further submissions that fail, as if the engine did not answer.
    silent: u32,
    cancelled: std::rc::Rc<std::cell::RefCell<Vec<u32>>>,
    /// Whether cancellations have no effect.
    cancels_nothing: bool,
    /// Number of tasks that run at the same time if one script serves all tasks that are submitted together, whose
    /// handle they share; `None` if each task has a handle.
    fan: Option<usize>,
}

impl Twin {
    fn of(&self, task: &Task) -> Does {
        let does = self.does.get(&task.node).copied().unwrap_or(Does::Answers);
        match (does, task.attempt) {
            (Does::AnswersLater, 1) => Does::Fails,
            (Does::AnswersLater, _) => Does::Answers,
            (Does::IsLost, _) if self.handed.get(&task.number) == Some(&2) => Does::Answers,
            _ => does,
        }
    }

    fn lines(&self, task: &Task) -> Vec<String> {
        let answer = |task: &Task, begun_utc_ns: i64| {
            let record =
                NodeRecord { started_utc_ns: begun_utc_ns, ended_utc_ns: begun_utc_ns, ..record(task) };
            wire::lines(&task.token, &serde_json::to_string(&record).unwrap()).unwrap()
        };
        let now_utc_ns = clock::realtime_ns() as i64;
        match self.of(task) {
            Does::Answers => answer(task, now_utc_ns),
            Does::AnswersTwice => [answer(task, now_utc_ns), answer(task, now_utc_ns + 5)].concat(),
            Does::AnswersInPart => {
                // Incompressible text, so that the answer needs several lines.
                let noise: String =
                    (0..3000_u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_string()).collect();
                wire::lines(&task.token, &noise).unwrap().split_last().unwrap().1.to_vec()
            }
            Does::AnswersFor(other) => {
                let theirs = Task { token: format!("token-of-{other}"), ..task.clone() };
                answer(&theirs, now_utc_ns)
            }
            Does::AnswersTomorrow => answer(task, now_utc_ns + DAY_NS),
            Does::IsOfAnotherVersion => {
                let record = NodeRecord { fauxplat_version: "0.9".into(), ..record(task) };
                wire::lines(&task.token, &serde_json::to_string(&record).unwrap()).unwrap()
            }
            Does::AnswersNonsense => wire::lines(&task.token, "{\"schema\":7}").unwrap(),
            Does::IsLost => Vec::new(),
            _ => vec!["Welcome to the node".to_owned()],
        }
    }
}

fn silent() -> FleetError {
    FleetError::Engine { program: "sbatch".into(), said: "Unable to contact slurm controller".into() }
}

impl Engine for Twin {
    fn words(&self) -> String {
        "twin".into()
    }

    fn nodes(&self) -> Result<Vec<Listed>, FleetError> {
        Ok(Vec::new())
    }

    fn hand_over(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        if self.silent > 0 {
            self.silent -= 1;
            return Err(silent());
        }
        self.fresh.extend(waiting.iter().cloned());
        waiting.iter().for_each(|task| *self.handed.entry(task.number).or_default() += 1);
        let first = waiting[0].number;
        let said = waiting.iter().filter(|task| self.of(task) != Does::IsHandedUnsaid);
        let handle = |task: &Task| self.fan.map_or(task.number, |_| first).to_string();
        Ok(said.map(|task| HandedOver { task: task.number, handle: Ok(handle(task)) }).collect())
    }

    fn adopt(&mut self, waiting: &[Task]) -> Result<Vec<HandedOver>, FleetError> {
        if self.silent > 0 {
            return Err(silent());
        }
        let unsaid = waiting.iter().filter(|task| self.handed.contains_key(&task.number));
        let adopted = |task: &Task| HandedOver { task: task.number, handle: Ok(task.number.to_string()) };
        Ok(unsaid.map(adopted).collect())
    }

    fn side_by_side(&self) -> usize {
        self.fan.unwrap_or(usize::MAX)
    }

    fn look(&mut self, open: &[(Task, String)]) -> Result<Vec<(u32, TaskState)>, FleetError> {
        let standing = |(task, _): &(Task, String)| {
            let standing = match self.of(task) {
                Does::Fails => TaskState::Failed("its disk is full".into()),
                Does::IsForgotten | Does::IsLost => TaskState::Unknown,
                Does::Waits => TaskState::Waiting("Resources".into()),
                Does::Hangs => TaskState::Running,
                _ => TaskState::Done,
            };
            (task.number, standing)
        };
        Ok(open.iter().map(standing).collect())
    }

    fn said(&mut self, open: &[(Task, String)]) -> Result<Vec<Said>, FleetError> {
        let fresh = std::mem::take(&mut self.fresh);
        let (now, later): (Vec<Task>, Vec<Task>) = fresh
            .into_iter()
            .partition(|task| open.iter().any(|(open, _)| open.number == task.number) || open.len() > 99);
        self.fresh = later;
        let said = |task: &Task| {
            let number = task.number;
            self.lines(task).into_iter().map(move |line| Said { task: number, line })
        };
        Ok(now.iter().flat_map(said).collect())
    }

    fn cancel(&mut self, open: &[(Task, String)]) -> Result<(), FleetError> {
        if self.cancels_nothing {
            return Err(silent());
        }
        self.cancelled.borrow_mut().extend(open.iter().map(|(task, _)| task.number));
        Ok(())
    }

    fn pace_ms(&self) -> u64 {
        1
    }

    fn schedule(&self, _: &str, _: Every) -> Vec<String> {
        Vec::new()
    }
}

fn order() -> NodeOrder {
    let plan = NodePlan { definition_sha256: "ab".into(), seed: 7 };
    NodeOrder { fleet: "f".into(), plan, fauxplat_version: "1.0".into(), ..NodeOrder::default() }
}

fn record(task: &Task) -> NodeRecord {
    let order = order();
    NodeRecord {
        schema: NodeRecord::SCHEMA.into(),
        fleet: order.fleet,
        node: task.node.clone(),
        plan: order.plan,
        round: task.round,
        attempt: task.attempt,
        fauxplat_version: order.fauxplat_version,
        ..NodeRecord::default()
    }
}

struct Bench {
    _runs: tempfile::TempDir,
    folder: RunFolder,
    asked: Asked,
}

fn bench(names: &[String]) -> Bench {
    let runs = crate::private();
    let folder = RunFolder::make(runs.path()).unwrap();
    let nodes = names.iter().map(|name| AskedNode { name: name.clone(), unable: None }).collect();
    Bench { _runs: runs, folder, asked: Asked { order: order(), nodes, ..Asked::default() } }
}

fn names(of: &[&str]) -> Vec<String> {
    of.iter().map(|&name| name.to_owned()).collect()
}

impl Bench {
    fn open(&self, twin: Twin, limits: Limits) -> Run {
        // A child process of another test inherits the lock until it executes another program.
        while matches!(self.folder.hold(), Err(FleetError::Busy(_))) {
            std::thread::yield_now();
        }
        Run::open(&self.folder, self.asked.clone(), Box::new(twin), limits).unwrap()
    }

    fn evidence(&self) -> FleetEvidence {
        evidence(&self.folder, &self.asked, &["wall"]).unwrap()
    }
}

fn twin(does: &[(&str, Does)]) -> Twin {
    Twin { does: does.iter().map(|(node, does)| ((*node).to_owned(), *does)).collect(), ..Twin::default() }
}

/// Returns the names of nodes that answered, and a line for each failed delivery.
fn told(evidence: &FleetEvidence) -> (Vec<&str>, Vec<String>) {
    let mut answered: Vec<&str> = evidence.records.iter().map(|record| record.node.as_str()).collect();
    answered.sort_unstable();
    let words = |it: &Delivery| format!("{} {:?} {}", it.node, it.state, it.reason.as_deref().unwrap_or("-"));
    (answered, evidence.deliveries.iter().map(words).collect())
}

#[test]
fn everybody_has_a_record_or_a_reason() {
    let all =
        names(&["good", "twice", "part", "another", "full", "forgotten", "tomorrow", "older", "nonsense"]);
    let bench = bench(&all);
    let does = [
        ("twice", Does::AnswersTwice),
        ("part", Does::AnswersInPart),
        ("another", Does::AnswersFor("good")),
        ("full", Does::Fails),
        ("forgotten", Does::IsForgotten),
        ("tomorrow", Does::AnswersTomorrow),
        ("older", Does::IsOfAnotherVersion),
        ("nonsense", Does::AnswersNonsense),
    ];
    let mut run = bench.open(twin(&does), Limits::default());
    run.ask(&all, 0).unwrap();
    let mut nodes = Vec::new();
    run.collect(0, &mut |told| nodes.extend(matches!(told, Told::Node { .. }).then(|| told.clone())))
        .unwrap();
    assert_eq!(nodes.len(), all.len(), "each is told once: {nodes:?}");
    let evidence = bench.evidence();
    let (answered, others) = told(&evidence);
    assert_eq!(answered, ["good", "tomorrow", "twice"]);
    let said = |node: &str| {
        others.iter().filter(|line| line.starts_with(node)).cloned().collect::<Vec<_>>().join("|")
    };
    assert!(said("twice").contains("Twice") && said("part").contains("parts of its answer"), "{others:?}");
    assert!(said("another").contains("ForAnother") && said("full").contains("disk is full"), "{others:?}");
    assert!(said("forgotten").contains("Welcome"), "{others:?}");
    assert!(
        said("older").contains("fauxplat 0.9 answered") && said("nonsense").contains("Garbage"),
        "{others:?}"
    );
    // A clock that is a day off cannot be corrected exactly, but the measurement is accepted.
    let of = |node: &str| evidence.records.iter().find(|record| record.node == node).unwrap();
    let apart_ns = of("tomorrow").started_utc_ns.abs_diff(of("good").started_utc_ns);
    assert!(apart_ns < DAY_NS as u64 / 2, "{apart_ns}");
    assert!(of("tomorrow").noise.warnings[0].contains("ahead") && of("good").noise.warnings.is_empty());
}

/// Records on the disk survive any end of the process, and nodes without an answer get another task.
#[test]
fn a_run_goes_on_with_what_was_kept() {
    let all = names(&["n1", "n2", "n3"]);
    let bench = bench(&all);
    let does = [("n2", Does::AnswersLater), ("n3", Does::AnswersLater)];
    let mut run = bench.open(twin(&does), Limits::default());
    run.ask(&all, 0).unwrap();
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(run.unanswered(0), ["n2", "n3"]);
    assert!(
        Run::open(&bench.folder, bench.asked.clone(), Box::new(twin(&[])), Limits::default()).is_err(),
        "one at a time"
    );
    drop(run);
    let mut run = bench.open(twin(&does), Limits::default());
    assert_eq!((run.rounds(|_| true), run.is_complete(0)), (BTreeSet::from([0]), true));
    run.begin(0, &all).unwrap();
    run.collect(0, &mut |_| ()).unwrap();
    let evidence = bench.evidence();
    let attempts: Vec<(&str, u32)> =
        evidence.records.iter().map(|record| (record.node.as_str(), record.attempt)).collect();
    assert_eq!(attempts, [("n1", 1), ("n2", 2), ("n3", 2)]);
}

/// If only some tasks of a round reached the disk, the round is begun for the other nodes.
#[test]
fn a_round_of_which_the_disk_has_a_part_is_begun_for_the_rest() {
    let all = names(&["n1", "n2", "n3"]);
    let bench = bench(&all);
    let mut run = bench.open(twin(&[]), Limits::default());
    run.begin(0, &all).unwrap();
    drop(run);
    let path = bench.folder.file(JOURNAL);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.split_inclusive('\n').next().unwrap()).unwrap();
    let mut run = bench.open(twin(&[]), Limits::default());
    for round in run.unfinished() {
        run.collect(round, &mut |_| ()).unwrap();
    }
    run.begin(0, &all).unwrap();
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(told(&bench.evidence()).0, ["n1", "n2", "n3"]);
    let before = run.states.len();
    run.begin(0, &all).unwrap();
    assert_eq!(run.states.len(), before, "nobody is asked twice");
}

/// The process was killed after tasks were submitted and before they were answered: the answers are found when the run
/// is resumed.
#[test]
fn tasks_that_were_handed_over_are_not_handed_over_again() {
    let all = names(&["n1"]);
    let bench = bench(&all);
    let mut run = bench.open(twin(&[("n1", Does::Waits)]), Limits::default());
    run.ask(&all, 0).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    let task = run.states[0].task.clone();
    drop(run);
    let back = Twin { fresh: vec![task], ..twin(&[]) };
    let mut run = bench.open(back, Limits::default());
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(told(&bench.evidence()).0, ["n1"]);
    assert_eq!(run.states[0].status, Status::Answered);
}

#[test]
fn an_engine_that_is_silent_for_a_while_is_asked_again() {
    let all = names(&["n1", "n2"]);
    let bench = bench(&all);
    let mut run = bench.open(Twin { silent: 3, ..Twin::default() }, Limits::default());
    run.ask(&all, 0).unwrap();
    let mut words = Vec::new();
    run.collect(0, &mut |told| words.extend(matches!(told, Told::Engine(_)).then(|| told.clone()))).unwrap();
    assert_eq!(words.len(), 1, "it is told once: {words:?}");
    assert_eq!(told(&bench.evidence()).0, ["n1", "n2"]);
}

/// A controller that crashed has forgotten the latest tasks, which are therefore submitted once more.
#[test]
fn what_the_engine_has_lost_is_handed_over_once_more() {
    let all = names(&["n1", "n2"]);
    let bench = bench(&all);
    let mut run = bench.open(twin(&[("n2", Does::IsLost)]), Limits::default());
    run.ask(&all, 0).unwrap();
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(told(&bench.evidence()), (vec!["n1", "n2"], Vec::new()));
}

/// If the journal could not be written, an answer exists only in the output file of its task.
#[test]
fn a_run_whose_disk_is_full_is_not_over() {
    let all = names(&["n1"]);
    let bench = bench(&all);
    let mut run = bench.open(twin(&[]), Limits::default());
    run.begin(0, &all).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    run.journal = Journal::on_a_full_disk();
    let mut words = Vec::new();
    let said = run.collect(0, &mut |told| words.push(told.clone())).unwrap_err().to_string();
    assert!(said.contains("No space left"), "{said}");
    assert!(run.states.iter().all(State::is_over) && !run.is_over());
    assert_eq!(words, [], "only what is on the disk has arrived");
}

/// The process was killed in the second round of remeasurements: the settled rounds stay the same, and nodes without an
/// answer get another task.
#[test]
fn rounds_of_suspects_go_on_where_they_were_ended() {
    let all = names(&["a", "s", "b"]);
    let bench = bench(&all);
    let plan = Remeasurement { rounds: vec![all.clone(), all.clone()], ..Remeasurement::default() };
    let does = [("b", Does::AnswersLater), ("s", Does::Waits)];
    let mut run = bench.open(twin(&does[..1]), Limits::default());
    assert_eq!(run.again(), None);
    run.settle(plan.clone()).unwrap();
    run.begin(1, &all).unwrap();
    run.collect(1, &mut |_| ()).unwrap();
    drop(run);
    let mut run = bench.open(twin(&does), Limits::default());
    run.begin(2, &all[1..2]).unwrap();
    run.hand_over(2, &mut |_| ()).unwrap();
    let task = run.states[3].task.clone();
    drop(run);
    let mut run = bench.open(Twin { fresh: vec![task], ..twin(&does[..1]) }, Limits::default());
    assert_eq!((run.again(), run.unfinished()), (Some(&plan), BTreeSet::from([2])));
    run.collect(2, &mut |_| ()).unwrap();
    for round in [1, 2] {
        run.begin(round, &all).unwrap();
        run.collect(round, &mut |_| ()).unwrap();
    }
    let evidence = bench.evidence();
    let mut came: Vec<(u32, &str, u32)> =
        evidence.records.iter().map(|it| (it.round, it.node.as_str(), it.attempt)).collect();
    came.sort_unstable();
    assert_eq!(came, [(1, "a", 1), (1, "b", 2), (1, "s", 1), (2, "a", 1), (2, "s", 1)]);
    assert_eq!(evidence.again, Some(plan));
    drop(run);
    let mut run = bench.open(twin(&[]), Limits::default());
    let before = run.states.len();
    run.begin(1, &all).unwrap();
    assert_eq!(run.states.len(), before, "nothing is left to do");
}

#[test]
fn ten_thousand_answers_at_once_are_all_kept() {
    let all: Vec<String> = (0..10_000).map(|at| format!("n{at}")).collect();
    let bench = bench(&all);
    let mut run = bench.open(Twin::default(), Limits::default());
    run.ask(&all, 0).unwrap();
    let mut counts = Counts::default();
    run.collect(0, &mut |told| {
        if let Told::Counts(now) = told {
            counts = *now;
        }
    })
    .unwrap();
    assert_eq!((counts.answered, counts.of), (10_000, 10_000));
    drop(run);
    assert_eq!(bench.evidence().records.len(), 10_000);
}
