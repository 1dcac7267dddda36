//! Constructed pieces of evidence, one of each kind.

use std::collections::BTreeMap;

use fauxplat_model::{
    CacheTransfer, Event, Evidence, Histogram, Metric, Outcome, Process, Series, ShiftSample, Tree, Unit,
};

fn shift(round: u32) -> Evidence {
    Evidence::Shift(ShiftSample {
        round,
        cell: 2,
        hand: 1,
        units: u64::MAX,
        wall_ns: 7,
        run_delay_ns: Some(0),
        cpus: [Some(fauxplat_units::Cpu(3)), None],
        round_trips_ns: [None, Some(40)],
        handover: Some(CacheTransfer { lines: 64, handed_ns: 9, memory_ns: 8 }),
        laps_cpu_ns: (0..50).collect(),
        ..ShiftSample::default()
    })
}

pub(crate) fn histogram(round: u32) -> Evidence {
    let (bounds, counts) = ((1..500).map(|i| i * 100).collect(), (1..500).collect());
    Evidence::Histogram(Histogram {
        round,
        cell: 4,
        name: "pipe there".into(),
        unit: Unit::Nanos,
        missed: 3,
        bounds,
        counts,
    })
}

fn process(pid: u32) -> Process {
    Process {
        pid,
        parent: 1,
        command: "sh -c 'a b'".into(),
        cpu_ns: 5,
        wall_ns: 6,
        peak_memory_bytes: 7,
        threads: 1,
        outcome: pid.is_multiple_of(2).then_some(Outcome::Signaled(9)),
    }
}

pub(crate) fn pieces() -> Vec<Evidence> {
    let metric = Metric::from_id("table:requests").unwrap();
    vec![
        shift(0),
        histogram(1),
        Evidence::Series(Series { trial: 1, metric, until_ns: vec![5, 9], values: vec![0.5, 1e9] }),
        Evidence::Tree(Tree { command: 1, processes: vec![process(10), process(11), process(9)] }),
        Evidence::Event(Event {
            at_ns: 12,
            trial: Some(1),
            name: "oom-kill".into(),
            message: "the kernel killed `sort`".into(),
            figures: BTreeMap::from([("memory_bytes".to_owned(), 1 << 30)]),
        }),
        shift(1),
    ]
}
