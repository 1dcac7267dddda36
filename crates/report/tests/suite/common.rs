//! Constructed records of every kind, always the same.
//!
//! Length: a field of a document stands here once, for all tests.

use std::path::PathBuf;

use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{
    AaFindings, AaStratum, Aslr, Command, CompareFindings, Comparison, Condition, CpuFacts, Definition,
    DifferenceIn, Dropped, DroppedReason, EnvPad, Estimand, Grade, MachineFacts, Metric, Outcome, Phase,
    Policy, PowerResult, Process, QuantileShift, Readings, RivalCount, RunFindings, Sample, Scope, Secondary,
    Side, Source, Sources, StoppedBy, Summary, Tail, VarianceBudget, Verdict,
};
use fauxplat_report::{Format, Style, write};
use fauxplat_units::Bytes;

/// The formats that carry runs: those for drawings, topologies and profiles refuse them.
pub(crate) fn formats_of_runs() -> impl Iterator<Item = Format> {
    let others = [Format::Svg, Format::Boxes, Format::Lscpu, Format::OpenMetrics];
    let of_others = [Format::Folded, Format::Speedscope, Format::Firefox, Format::Pprof, Format::SlurmDrain];
    let is_other = move |format: &Format| others.contains(format) || of_others.contains(format);
    Format::ALL.into_iter().filter(move |format| !is_other(format))
}

/// A record that owns its parts.
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

/// A sample whose wall time wanders deterministically around `wall_ns`.
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
        phase: Phase::Measured,
        outcome: Outcome::Exited(0),
        cpu_first: 1,
        cpu_last: u16::MAX,
        left_behind: 0,
        env_pad_bytes: 128,
        started_ns: u64::from(trial) * 7_000_000,
        readings,
    }
}

/// Location and spread, roughly: reports only have to show them.
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
    RunFindings {
        bounded: Vec::new(),
        derived: Vec::new(),
        summaries,
        failures: 0,
        runs_with_left_behind: 0,
        tree: Vec::new(),
        rates: Vec::new(),
        series: Vec::new(),
        against_first: None,
    }
}

/// `run` of some commands, 20 runs each.
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

/// `run` in which something is wrong with everything.
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

fn variance() -> VarianceBudget {
    VarianceBudget {
        layout: Some(0.31),
        process: Some(0.55),
        order: 0.04,
        residual: 0.1,
        pair_sd: 0.0071,
        autocorrelation: 0.05,
        position_ratio: 1.001,
        position_low_ratio: 0.999,
        position_high_ratio: 1.003,
    }
}

pub(crate) fn comparison(a: &str, b: &str, verdict: Verdict, effect: f64, half: f64) -> Comparison {
    Comparison {
        a: a.into(),
        b: b.into(),
        metric: Metric::WALL,
        verdict,
        scope: Scope::Binaries,
        grade: Grade::WithinSession,
        extent: None,
        difference_in: Vec::new(),
        beyond_margin: None,
        tail: None,
        estimand: Estimand::Typical,
        gate: None,
        typical: None,
        mean: None,
        mean_verdict: Verdict::Inconclusive,
        carry_over: None,
        modes: None,
        spread: None,
        halves: None,
        is_mixture: false,
        dropped_lean: None,
        quantiles: Vec::new(),
        effect_ratio: effect,
        ci_low_ratio: effect - half,
        ci_high_ratio: effect + half,
        bootstrap_low_ratio: effect - half,
        bootstrap_high_ratio: effect + half,
        p_value: 0.0002,
        level: 0.01,
        margin: 0.01,
        margin_absolute: None,
        anytime: false,
        pairs: 32,
        dropped_pairs: 0,
        dropped: Vec::new(),
        stopped_by: StoppedBy::Verdict,
        pairs_needed: None,
        variance: variance(),
        secondary: vec![
            Secondary {
                metric: Metric::USER,
                effect_ratio: 1.024,
                ci_low_ratio: 1.019,
                ci_high_ratio: 1.029,
                p_adjusted: 0.0004,
                different: true,
                first_thread: false,
            },
            Secondary {
                metric: Metric::PEAK_MEMORY,
                effect_ratio: 1.0001,
                ci_low_ratio: 0.9995,
                ci_high_ratio: 1.0007,
                p_adjusted: 0.8,
                different: false,
                first_thread: false,
            },
        ],
        replication: None,
        exact: None,
        bounded: None,
        first_thread: false,
    }
}

/// `compare` of two commands with this comparison.
pub(crate) fn compare(comparison: Comparison) -> Owned {
    let mut owned = run(&[&comparison.a, &comparison.b]);
    owned.header = header("compare");
    let Findings::Run(commands) = owned.findings else { unreachable!("`run` was asked for") };
    owned.findings = Findings::Compare(CompareFindings {
        commands,
        comparisons: vec![comparison],
        winner: None,
        floor_ns: Some(450_000.0),
        elapsed_s: 4.2,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: Vec::new(),
        profile: None,
    });
    owned
}

/// `compare` of two commands that are alike but for their slowest runs.
pub(crate) fn compare_tails() -> Owned {
    let mut apart = comparison("sort", "gsort", Verdict::Different, 1.0004, 0.003);
    apart.difference_in = vec![DifferenceIn::Tail];
    apart.tail = Some(Tail {
        margin: 0.03,
        threshold_ratio: 1.05,
        share_b: 0.08,
        share_b_interval: [0.04, 0.13],
        share_a: 0.005,
        share_a_interval: [0.0, 0.03],
        excess_excluded: 0.13,
        side: Some(Side::B),
    });
    let shift = |quantile: f64, ratio: f64, half: f64| QuantileShift {
        quantile,
        ratio,
        low_ratio: ratio - half,
        high_ratio: ratio + half,
    };
    let typical = (1..9).map(|decile| shift(f64::from(decile) / 10.0, 1.0004, 0.004));
    apart.quantiles = typical.chain([shift(0.9, 1.21, 0.1), shift(0.95, 1.92, 0.2)]).collect();
    compare(apart)
}

/// Two commands whose typical runs differ too, by less than the margin.
pub(crate) fn compare_both() -> Owned {
    let mut owned = compare_tails();
    if let Findings::Compare(found) = &mut owned.findings {
        let both = &mut found.comparisons[0];
        both.difference_in = vec![DifferenceIn::Typical, DifferenceIn::Tail];
        both.beyond_margin = Some(false);
        (both.effect_ratio, both.ci_low_ratio, both.ci_high_ratio) = (1.006, 1.003, 1.009);
    }
    owned
}

/// `compare` of two commands in wall time and in peak memory, whose margin is an amount.
pub(crate) fn compare_metrics() -> Owned {
    let clear = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    let memory = Comparison {
        metric: Metric::PEAK_MEMORY,
        margin: 0.0156,
        margin_absolute: Some(65_536.0),
        secondary: Vec::new(),
        ..comparison("sort", "gsort", Verdict::Equivalent, 1.001, 0.003)
    };
    let mut owned = compare(clear);
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
    found.comparisons.push(memory);
    found.winner = Some(0);
    owned
}

/// `compare` of three commands, the last of which wins.
pub(crate) fn compare_three() -> Owned {
    let names = [
        "sort -n data",
        "gsort -n --parallel=1 --buffer-size=64M --temporary-directory=/tmp data",
        "rsort data",
    ];
    let mut owned = run(&names);
    owned.header = header("compare");
    let Findings::Run(commands) = owned.findings else { unreachable!("`run` was asked for") };
    let mut doubtful = comparison(names[0], names[1], Verdict::Inconclusive, 1.0075, 0.0115);
    doubtful.pairs = 128;
    doubtful.stopped_by = StoppedBy::MaxPairs;
    doubtful.pairs_needed = Some(210);
    doubtful.p_value = 0.21;
    doubtful.dropped_pairs = 20;
    doubtful.dropped = vec![
        Dropped { reason: DroppedReason::HeavySteal, pairs: 19 },
        Dropped { reason: DroppedReason::FailedRun, pairs: 1 },
    ];
    doubtful.variance.autocorrelation = 0.31;
    let clear = comparison(names[0], names[2], Verdict::Different, 0.48, 0.012);
    owned.findings = Findings::Compare(CompareFindings {
        commands,
        comparisons: vec![doubtful, clear],
        winner: Some(2),
        floor_ns: Some(900_000.0),
        elapsed_s: 12.5,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: Vec::new(),
        profile: None,
    });
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

/// `compare` of one command with a baseline from another time, as the analysis gives it: findings about both, but
/// one command only.
pub(crate) fn against_baseline() -> Owned {
    let mut weaker = comparison("last week's sort", "sort -n data", Verdict::Different, 1.0231, 0.0055);
    weaker.grade = Grade::AgainstBaseline;
    weaker.stopped_by = StoppedBy::MaxPairs;
    weaker.secondary.clear();
    let mut owned = run(&["sort -n data"]);
    owned.header = header("compare");
    let Findings::Run(found) = owned.findings else { unreachable!("`run` was asked for") };
    let mut earlier = found.clone();
    earlier[0].summaries.truncate(1);
    earlier[0].summaries[0].median = 4_900_000.0;
    earlier.extend(found);
    owned.findings = Findings::Compare(CompareFindings {
        commands: earlier,
        comparisons: vec![weaker],
        winner: Some(0),
        floor_ns: None,
        elapsed_s: 1.5,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: Vec::new(),
        profile: None,
    });
    owned
}

/// `compare` of three commands in which the comparison of the winner with the runner-up follows the others.
pub(crate) fn compare_with_runner_up() -> Owned {
    let mut owned = compare_three();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    let (second, best) = (found.comparisons[0].b.clone(), found.comparisons[1].b.clone());
    found.comparisons.push(comparison(&second, &best, Verdict::Different, 0.475, 0.013));
    owned
}
