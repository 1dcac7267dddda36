//! Constructed records for the tests, and child processes that store them.
#![expect(clippy::disallowed_methods, reason = "tests start processes by themselves")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use fauxplat_model::document::Header;
use fauxplat_model::{
    Checkout, Command, Condition, CpuFacts, Definition, MachineFacts, Metric, Origin, Outcome, Phase,
    Placement, Sample, Source, Sources,
};
use fauxplat_units::Bytes;

/// The environment variable that marks a test process as a child, and holds the path of the store.
const CHILD: &str = "FAUXPLAT_STORE_CHILD";

/// Returns the store's path if this process is a child of a test; otherwise `None`.
pub(crate) fn child_store() -> Option<PathBuf> {
    env::var_os(CHILD).map(PathBuf::from)
}

/// Starts this test binary again, to run one test alone with the store at `path`.
pub(crate) fn child(test: &str, path: &Path) -> Process {
    child_of(&env::current_exe().unwrap(), test, path)
}

/// Starts a copy of the test binary, to run one test alone with the store at `path`.
pub(crate) fn child_of(program: &Path, test: &str, path: &Path) -> Process {
    let mut process = Process::new(program);
    process.args(["--exact", test, "--nocapture"]).env(CHILD, path);
    process
}

/// Returns the header of a record with a value in almost every field.
pub(crate) fn header() -> Header {
    let cpus = || "0-1".parse().unwrap();
    Header {
        fauxplat_version: "0.1.0".into(),
        id: None,
        uuid: None,
        plan: None,
        started: "2026-11-21T10:00:00Z".into(),
        invocation: vec!["fauxplat".into(), "run".into(), "true".into()],
        seed: u64::MAX,
        machine: MachineFacts {
            kernel: "6.12.0".into(),
            architecture: "x86_64".into(),
            os: "Debian GNU/Linux 13".into(),
            cpu: CpuFacts { model: "A CPU".into(), online: cpus(), allowed: cpus(), governor: None },
            memory_bytes: Bytes(8 << 30),
            hypervisor: Some("KVM".into()),
            boot_id: "b".into(),
            randomize_va_space: Some(2),
        },
        origin: Origin {
            checkout: Some(Checkout {
                commit: "c".repeat(40),
                branch: Some("main".into()),
                dirty: Some(true),
                committed_s: Some(1_795_000_000),
                repository: Some("example.org/ada/tool".into()),
                top: Some("/home/ada/tool".into()),
            }),
            folder: Some("/home/ada/tool/benches".into()),
            label: Some("new compiler".into()),
            host: Some("h".into()),
            user: Some("ada".into()),
            machine_id: Some("0123456789abcdef".into()),
        },
        condition: Condition { cpu: Placement::Set(cpus()), nice: Some(-5), ..Condition::default() },
        definition: Definition { warmup: 2, ..Definition::default() },
        sources: Sources {
            cpu_time: Source::Rusage,
            peak_memory: Source::Rusage,
            peak_memory_floor_bytes: 1 << 20,
            run_delay: Source::FirstThread,
            migrations: Source::None,
            counter_floors: Vec::new(),
        },
        warnings: vec!["frequency scaling is on".into()],
        not_measured: vec!["migrations: no permission".into()],
    }
}

pub(crate) fn command(name: &str) -> Command {
    Command {
        name: name.into(),
        command: format!("sort -n {name}.txt"),
        program: "/usr/bin/sort".into(),
        program_sha256: Some("ab".repeat(32)),
        argv: vec!["sort".into(), "-n".into(), format!("{name}.txt")],
        parameters: vec![("size".into(), "10".into())],
        prepare: Some(vec!["sync".into()]),
        conclude: None,
        condition: Condition { stdin: Some("/dev/zero".into()), ..Condition::default() },
    }
}

/// Returns the sample of a trial, with readings that depend on it and a few that are absent.
pub(crate) fn sample(trial: u32) -> Sample {
    let known = Metric::BUILT_IN.iter().enumerate().filter(|(index, _)| index % 3 != 2);
    let readings = known.map(|(index, &metric)| (metric, u64::from(trial) * 1000 + index as u64));
    let outcomes = [Outcome::Exited(0), Outcome::Exited(255), Outcome::Signaled(9), Outcome::TimedOut];
    Sample {
        trial,
        block: trial / 2,
        command: (trial % 2) as u16,
        position: (trial % 2) as u16,
        phase: if trial < 2 { Phase::Warmup } else { Phase::Measured },
        outcome: outcomes[trial as usize % 4],
        cpu_first: 1,
        cpu_last: if trial.is_multiple_of(5) { u16::MAX } else { 0 },
        left_behind: 3,
        env_pad_bytes: 4095,
        started_ns: u64::from(trial) * 1_000_000_007,
        readings: readings.collect(),
    }
}

/// Returns the sample of a trial with readings of metrics that have no column in the store.
pub(crate) fn open_sample(trial: u32) -> Sample {
    let mut sample = sample(trial);
    let open = ["table:requests", "pmu:cycles", "pmu:instructions"];
    for (index, id) in (0..).zip(open).filter(|(index, _)| *index != trial % 3) {
        sample.readings.set(Metric::from_id(id).unwrap(), Some(u64::from(trial * 10 + index)));
    }
    sample
}
