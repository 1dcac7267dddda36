//! Constructed records for the tests, equal in every run of them.

use std::path::PathBuf;

use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{
    AaFindings, AaStratum, Aslr, Command, Condition, CpuFacts, Definition, EnvPad, MachineFacts, Metric,
    Outcome, Phase, Policy, PowerResult, Process, Readings, RivalCount, RunFindings, Sample, Source, Sources,
    Summary,
};
use fauxplat_report::{Format, Style, write};
use fauxplat_units::Bytes;

/// The formats in which records of runs can be written. Formats for drawings, topologies, profiles and metrics refuse
/// them.
pub(crate) fn formats_of_runs() -> impl Iterator<Item = Format> {
    let others = [Format::Svg, Format::Boxes, Format::Lscpu, Format::OpenMetrics];
    let of_others = [Format::Folded, Format::Speedscope, Format::Firefox, Format::Pprof, Format::SlurmDrain];
    let is_other = move |format: &Format| others.contains(format) || of_others.contains(format);
    Format::ALL.into_iter().filter(move |format| !is_other(format))
}

/// The parts of a record, owned; a `Record` borrows them.
#[derive(Clone)]
pub(crate) struct Owned {
    pub(crate) header: Header,
    pub(crate) commands: Vec<Command>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) findings: Findings,
}

impl Owned {
    pub(crate) fn record(&self) -> Record<'_> {
        Record {
            header: &self.header,
            commands: &self.commands,
            samples: &self.samples,
            findings: &self.findings,
        }
    }

    pub(crate) fn render(&self, format: Format, style: &Style) -> String {
        let mut out = Vec::new();
        write(&self.record(), format, style, &mut out).expect("writing to memory works");
        String::from_utf8(out).expect("reports are UTF-8")
    }

    pub(crate) fn text(&self, width: usize) -> String {
        self.render(Format::Text, &Style { colour: false, width, unicode: true })
    }
}

pub(crate) fn header(verb: &str) -> Header {
    let machine = MachineFacts {
        kernel: "6.1.0-26-amd64".into(),
        architecture: "x86_64".into(),
        os: "Debian GNU/Linux 12 (bookworm)".into(),
        cpu: CpuFacts {
            model: "AMD EPYC 7B13".into(),
            online: "0-3".parse().unwrap(),
            allowed: "0-1".parse().unwrap(),
            governor: None,
        },
        memory_bytes: Bytes(8 << 30),
        hypervisor: Some("KVM".into()),
        boot_id: "6a2f4c5e-0000-4000-8000-000000000001".into(),
        randomize_va_space: Some(2),
    };
    Header {
        fauxplat_version: "0.1.0".into(),
        id: Some(7),
        uuid: None,
        origin: Default::default(),
        plan: None,
        started: "2026-11-02T09:30:00Z".into(),
        invocation: vec![
            "/usr/bin/fauxplat".into(),
            verb.into(),
            "sort -n data".into(),
            "gsort -n data".into(),
        ],
        seed: 42,
        machine,
        condition: Condition {
            policy: Some(Policy::Other),
            env_pad: EnvPad::Random,
            aslr: Aslr::On,
            ..Condition::default()
        },
        definition: Definition::default(),
        sources: Sources {
            cpu_time: Source::Taskstats,
            peak_memory: Source::Rusage,
            peak_memory_floor_bytes: 1 << 20,
            run_delay: Source::Taskstats,
            migrations: Source::None,
            counter_floors: Vec::new(),
        },
        warnings: vec!["the hypervisor took 1.2 % of the time (steal)".into()],
        not_measured: vec!["migrations: perf_event_paranoid is 4 (lower it to 2)".into()],
    }
}

pub(crate) fn command(name: &str) -> Command {
    Command {
        name: name.into(),
        command: name.into(),
        program: PathBuf::from("/usr/bin/sort"),
        program_sha256: Some("ab".repeat(32)),
        argv: name.split(' ').map(str::to_owned).collect(),
        parameters: vec![("size".into(), "10".into())],
        prepare: None,
        conclude: None,
        condition: Condition { policy: Some(Policy::Other), ..Condition::default() },
    }
}

/// A sample whose wall time varies deterministically from `wall_ns` upwards.
pub(crate) fn sample(trial: u32, command: u16, wall_ns: u64) -> Sample {
    let wobble = u64::from(trial).wrapping_mul(2_654_435_761) % 1000;
    let wall = wall_ns + wall_ns / 100_000 * wobble;
    let mut readings: Readings = Metric::BUILT_IN.iter().map(|&metric| (metric, 0)).collect();
    readings.set(Metric::WALL, Some(wall));
    readings.set(Metric::USER, Some(wall / 2));
    readings.set(Metric::SYSTEM, Some(wall / 4));
    readings.set(Metric::CPU, Some(wall / 4 * 3));
    readings.set(Metric::RUN_DELAY, Some(wobble * 10));
    readings.set(Metric::PEAK_MEMORY, Some(3_500_000 + wobble * 16));
    readings.set(Metric::VOLUNTARY_SWITCHES, Some(wobble % 3));
    readings.set(Metric::MINOR_FAULTS, Some(150 + wobble % 7));
    readings.set(Metric::MIGRATIONS, None);
    readings.set(Metric::RATE, None);
    Sample {
        trial,
        block: trial / 2,
        command,
        position: (trial % 2) as u16,
        cpu_first: 1,
        env_pad_bytes: 128,
        started_ns: u64::from(trial) * 7_000_000,
        ..Sample::of(readings)
    }
}

/// Summarises a metric of a command approximately, which is enough for reports to show.
pub(crate) fn summarise(metric: Metric, samples: &[Sample], command: u16) -> Option<Summary> {
    let of_command =
        samples.iter().filter(|sample| sample.command == command && sample.phase == Phase::Measured);
    let mut values: Vec<f64> = of_command.filter_map(|it| it.get(metric)).map(|it| it as f64).collect();
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let at = |share: f64| values[((n - 1) as f64 * share) as usize];
    let mean = values.iter().sum::<f64>() / n as f64;
    let sd = (values.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0).max(1.0)).sqrt();
    (n > 0).then(|| Summary {
        metric,
        n,
        median: at(0.5),
        mean,
        low: (n > 5).then(|| at(0.3)),
        high: (n > 5).then(|| at(0.7)),
        sd,
        min: at(0.0),
        max: at(1.0),
        percentiles: [at(0.05), at(0.25), at(0.75), at(0.95)],
        p99: None,
        outliers: 0,
        first_thread: false,
        intervals: Vec::new(),
    })
}

pub(crate) fn run_findings(samples: &[Sample], command: u16) -> RunFindings {
    let summaries =
        Metric::BUILT_IN.iter().copied().filter_map(|metric| summarise(metric, samples, command)).collect();
    RunFindings { summaries, ..RunFindings::default() }
}

/// A record of `run` with commands of these names, 20 runs each.
pub(crate) fn run(names: &[&str]) -> Owned {
    let count = names.len() as u32;
    let sample_of =
        |trial: u32| sample(trial, (trial % count) as u16, 5_000_000 + u64::from(trial % count) * 700_000);
    let samples: Vec<Sample> = (0..20 * count).map(sample_of).collect();
    let found = (0..count as u16).map(|index| run_findings(&samples, index)).collect();
    Owned {
        header: header("run"),
        commands: names.iter().map(|name| command(name)).collect(),
        samples,
        findings: Findings::Run(found),
    }
}

/// A record of `run` with failures, outliers and other trouble.
pub(crate) fn troubled_run() -> Owned {
    let mut owned =
        run(&["sh -c 'make -j2 && ./test --all --verbose' with a command line that is really rather long"]);
    owned.commands[0].command = "sh -c 'make -j2 && ./test --all --verbose'".into();
    owned.samples[0].phase = Phase::Warmup;
    owned.samples[3].outcome = Outcome::Signaled(9);
    owned.samples[5].readings.set(Metric::WALL, Some(60_000_000));
    let process = |pid, parent, command: &str, outcome| Process {
        pid,
        parent,
        command: command.into(),
        cpu_ns: u64::from(pid) * 10_000,
        wall_ns: u64::from(pid) * 15_000,
        peak_memory_bytes: u64::from(pid) * 4096,
        threads: pid % 3 + 1,
        outcome,
    };
    let mut found = run_findings(&owned.samples, 0);
    found.failures = 1;
    found.runs_with_left_behind = 1;
    found.summaries[0].outliers = 1;
    found.tree = vec![
        process(100, 1, "sh -c 'make -j2 && ./test --all --verbose'", Some(Outcome::Exited(0))),
        process(101, 100, "make -j2", Some(Outcome::Exited(0))),
        process(102, 101, "cc -O2 -c a.c", Some(Outcome::Exited(0))),
        process(103, 101, "cc -O2 -c b.c", Some(Outcome::Signaled(9))),
        process(104, 100, "./test --all --verbose", None),
    ];
    owned.findings = Findings::Run(vec![found]);
    owned
}

pub(crate) fn aa() -> Owned {
    let rivals = |counts: [usize; 2]| {
        let rival = |(rule, count): (&str, usize)| RivalCount {
            rule: rule.into(),
            comparisons: 60,
            false_verdicts: count,
        };
        [("hyperfine + Welch", counts[0]), ("poop", counts[1])].into_iter().map(rival).collect()
    };
    let stratum = |name: &str, false_verdicts, counts| AaStratum {
        name: name.into(),
        comparisons: 60,
        false_verdicts,
        equivalent: 58 - false_verdicts,
        inconclusive: 2,
        rate_upper_95: if false_verdicts == 0 { 0.0487 } else { 0.0767 },
        pairs_mean: 41.25,
        rivals: rivals(counts),
    };
    let power = PowerResult {
        stratum: "plain".into(),
        true_ratio: 1.01,
        comparisons: 60,
        found: 59,
        found_lower_95: 0.923,
        wrong_sign: 0,
        equivalent: 1,
        false_equivalent: 1,
        false_equivalent_upper_95: Some(0.0767),
        pairs_mean: 38.4,
        effect_mean_ratio: 1.0097,
    };
    let findings = AaFindings {
        strata: vec![
            stratum("plain", 0, [42, 0]),
            stratum("drift", 1, [51, 3]),
            stratum("layout", 0, [48, 5]),
        ],
        power: vec![power.clone(), PowerResult { stratum: "drift".into(), found: 55, ..power }],
        elapsed_s: 1830.0,
    };
    Owned {
        header: header("aa"),
        commands: vec![command("sort -n data")],
        samples: Vec::new(),
        findings: Findings::Aa(findings),
    }
}
