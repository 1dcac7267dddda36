//! Surroundings that every test gives its experiment: a store, a machine described by empty files, and a listener.

use std::cell::{Cell, RefCell};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::rc::Rc;

use fauxplat_experiment::{
    Beginning, Driver, Event, Failure, Finished, Launch, Listener, Listeners, Machine, measure,
};
use fauxplat_launch::simulated::{self, Behaviour, SimulatedLauncher, Times};
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{
    Command, Condition, CpuFacts, Definition, Evidence, MachineFacts, Origin, Phase, Placement, Sample,
    Verdict,
};
use fauxplat_report::{Format, ReportError, Style};
use fauxplat_store::{State, Store, StoredExperiment};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const MS: f64 = 1e6;

/// A program whose wall time is log-normal around the median, with the noise of a quiet machine.
pub(crate) fn noisy(name: &str, median_ns: f64) -> Behaviour {
    Behaviour::new(name, Times::noisy(median_ns, 0.01))
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Heard {
    Begun { id: Option<i64>, commands: usize },
    Plan(Value),
    Samples(Vec<Sample>),
    Evidence(Evidence),
    Progress(f64),
    Held { command: u16, pid: i32 },
    Warning(String),
    Finished { state: &'static str, samples: usize },
}

#[derive(Clone, Default)]
struct Ear(Rc<RefCell<Vec<Heard>>>);

impl Listener for Ear {
    fn hear(&mut self, event: &Event<'_>) {
        self.0.borrow_mut().push(match event {
            Event::Begun { header, commands, .. } => Heard::Begun { id: header.id, commands: commands.len() },
            Event::Plan(plan) => Heard::Plan((*plan).clone()),
            Event::Samples(samples) => Heard::Samples(samples.to_vec()),
            Event::Evidence(evidence) => Heard::Evidence((*evidence).clone()),
            Event::Progress(standing) => Heard::Progress(standing.share),
            Event::Held { command, pid } => Heard::Held { command: *command, pid: *pid },
            Event::Warning(warning) => Heard::Warning((*warning).to_owned()),
            Event::Finished { state, record } => Heard::Finished { state, samples: record.samples.len() },
        });
    }
}

/// A temporary folder for a store and the files of a machine, and a listener to the experiment's events.
pub(crate) struct Laboratory {
    folder: TempDir,
    ear: Ear,
}

impl Laboratory {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("machine")).unwrap();
        Laboratory { folder, ear: Ear::default() }
    }

    pub(crate) fn store_path(&self) -> PathBuf {
        self.folder.path().join("store.sqlite")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.store_path()).unwrap()
    }

    /// The only experiment of the store.
    pub(crate) fn stored(&self) -> StoredExperiment {
        self.store().load(1).unwrap()
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.ear.0.borrow().clone()
    }

    /// An existing program file, for verbs that look it up. The file is never executed.
    pub(crate) fn program(&self) -> String {
        let path = self.folder.path().join("subject");
        fs::write(&path, "what a described machine runs").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The arguments with which an experiment on a simulated machine begins.
    pub(crate) fn beginning(
        &self,
        kind: &'static str,
        definition: Definition,
        described: simulated::Machine,
    ) -> Beginning<'static> {
        let mut listeners = Listeners::default();
        listeners.add(self.ear.clone());
        Beginning {
            kind,
            definition: Definition { seed: definition.seed.or(Some(1)), ..definition },
            machine: Machine::known(&self.folder.path().join("machine"), facts(described.cpus)),
            origin: Origin::default(),
            store: Some(self.store()),
            invocation: &[],
            programs: None,
            listeners,
            launch: Launch::by(move |table| Ok(Box::new(SimulatedLauncher::new(described.clone(), table)))),
        }
    }

    /// Begins an experiment with the described programs as commands.
    pub(crate) fn begin(
        &self,
        kind: &'static str,
        definition: Definition,
        described: simulated::Machine,
    ) -> Driver {
        let names = names(&described);
        driver_of(self.beginning(kind, definition, described), names)
    }

    pub(crate) fn run(&self, definition: Definition, described: simulated::Machine) -> Finished {
        let mut driver = self.begin("run", definition, described);
        let (findings, failed) = measure::run::run(&mut driver, Default::default());
        driver.finish(Findings::Run(findings), failed)
    }

    /// Makes a whole `compare`. Each restart of the spawner replaces the machine by the next one.
    pub(crate) fn compare_on(&self, definition: Definition, machines: Vec<simulated::Machine>) -> Finished {
        let beginning = self.beginning("compare", definition, machines[0].clone());
        let names = names(&machines[0]);
        let begun = Cell::new(0);
        let launch = Launch::by(move |table| {
            let machine = machines[begun.replace(begun.get() + 1) % machines.len()].clone();
            Ok(Box::new(SimulatedLauncher::new(machine, table)))
        });
        judged(driver_of(Beginning { launch, ..beginning }, names))
    }

    pub(crate) fn compare(&self, definition: Definition, described: simulated::Machine) -> Finished {
        judged(self.begin("compare", definition, described))
    }

    /// Checks the properties that an experiment has however it ended: its state, equal samples in store and memory, its
    /// plans, the order of its events, and a report in every format.
    #[track_caller]
    pub(crate) fn is_sound(&self, finished: &Finished, state: State) {
        let (record, stored) = (finished.record(), self.stored());
        assert!(finished.stored.is_ok(), "{:?}", finished.stored);
        assert_eq!(stored.state, state);
        assert_eq!(stored.samples, record.samples);
        let read_back = stored.findings.as_ref().unwrap();
        let again = Record { findings: read_back, ..record.clone() };
        assert_eq!(text_of(&again), text_of(&record), "the report of a stored experiment");
        assert_eq!(stored.header.warnings, record.header.warnings);
        assert_eq!(stored.header.not_measured, record.header.not_measured);
        self.was_told_in_order(finished, state);
        reports_render(finished);
    }

    #[track_caller]
    fn was_told_in_order(&self, finished: &Finished, state: State) {
        let (heard, samples) = (self.heard(), finished.record().samples);
        let commands = finished.record().commands.len();
        assert_eq!(heard.first(), Some(&Heard::Begun { id: Some(1), commands }));
        let end = Heard::Finished { state: state.name(), samples: samples.len() };
        assert_eq!(heard.last(), Some(&end));
        let ends = |heard: &&Heard| matches!(heard, Heard::Begun { .. } | Heard::Finished { .. });
        assert_eq!(heard.iter().filter(ends).count(), 2, "begun once and finished once");
        let told = heard.iter().filter_map(|one| match one {
            Heard::Samples(samples) => Some(samples.as_slice()),
            _ => None,
        });
        assert!(told.flatten().eq(samples), "every sample is told once, in its order");
        let plans = heard.iter().filter_map(|one| match one {
            Heard::Plan(plan) => Some(plan.clone()),
            _ => None,
        });
        let plans: Vec<Value> = plans.collect();
        let first_measured = |one: &Heard| match one {
            Heard::Samples(samples) => samples.iter().any(|sample| sample.phase == Phase::Measured),
            _ => false,
        };
        let is_plan = |one: &Heard| matches!(one, Heard::Plan(_));
        let [plan, measured] = [heard.iter().position(is_plan), heard.iter().position(first_measured)];
        assert!(plan < measured || measured.is_none() || plans.is_empty(), "the plan comes first");
        let stored = self.stored().plan;
        assert_eq!(stored, (!plans.is_empty()).then(|| Value::from(plans)));
        let shares = heard.iter().filter_map(|one| match one {
            Heard::Progress(share) => Some(*share),
            _ => None,
        });
        assert!(shares.is_sorted(), "progress goes back");
    }
}

fn names(described: &simulated::Machine) -> Vec<String> {
    described.programs.iter().map(|program| program.name.clone()).collect()
}

/// Begins an experiment with programs of these names as commands.
fn driver_of(beginning: Beginning<'static>, names: Vec<String>) -> Driver {
    let make = move |definition: &mut Definition, _: &Machine| -> Result<Vec<Command>, Failure> {
        Ok(names.iter().map(|name| command(name, &definition.condition)).collect())
    };
    Driver::of(beginning, make).unwrap()
}

fn judged(mut driver: Driver) -> Finished {
    match measure::compare::compare(&mut driver) {
        Ok(judged) => {
            let findings = measure::compare::complete(&mut driver, judged);
            driver.finish(Findings::Compare(findings), None)
        }
        Err(failure) => driver.give_up(failure),
    }
}

fn facts(cpus: u16) -> MachineFacts {
    let all = fauxplat_units::CpuSet::from_iter((0..cpus).map(|cpu| fauxplat_units::Cpu(cpu.into())));
    let cpu = CpuFacts { online: all.clone(), allowed: all, ..CpuFacts::default() };
    MachineFacts { kernel: "described".into(), cpu, ..MachineFacts::default() }
}

pub(crate) fn command(name: &str, condition: &Condition) -> Command {
    Command {
        name: name.to_owned(),
        command: name.to_owned(),
        program: PathBuf::from(name),
        argv: vec![name.to_owned()],
        condition: condition.clone(),
        ..Command::default()
    }
}

/// A definition whose commands may run on any CPU, so that they need not be traced first.
pub(crate) fn free() -> Definition {
    let condition = Condition { cpu: Placement::Free, ..Condition::default() };
    Definition { condition, ..Definition::default() }
}

/// The verdict and the estimated ratio of B over A.
#[track_caller]
pub(crate) fn verdict(finished: &Finished) -> (Verdict, f64) {
    let Findings::Compare(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
    (found.comparisons[0].verdict, found.comparisons[0].effect_ratio)
}

fn text_of(record: &Record<'_>) -> String {
    let mut out = Vec::new();
    fauxplat_report::write(record, Format::Text, &Style::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The report in a format; `None` if the format does not support these findings.
pub(crate) fn report(finished: &Finished, format: Format) -> Option<String> {
    let mut out = Vec::new();
    match fauxplat_report::write(&finished.record(), format, &Style::default(), &mut out) {
        Ok(()) => Some(String::from_utf8(out).unwrap()),
        Err(ReportError::NothingToExport { .. }) => None,
        Err(error) => panic!("{format}: {error}"),
    }
}

#[track_caller]
pub(crate) fn reports_render(finished: &Finished) {
    for format in Format::ALL {
        let text = report(finished, format);
        // Formats of other tools may not support these findings; the formats of fauxplat always do.
        let is_ours =
            matches!(format, Format::Text | Format::Json | Format::Csv | Format::Markdown | Format::Html);
        assert!(text.as_ref().is_some_and(|text| !text.is_empty()) || !is_ours, "{format} is empty");
    }
    let json: Value = serde_json::from_str(&report(finished, Format::Json).unwrap()).unwrap();
    assert_eq!(json["schema"], finished.record().findings.schema());
    assert_eq!(json["id"], 1);
}
