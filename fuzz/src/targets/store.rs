//! Files of stores: a store that is whole, with bytes changed.

use std::fs;
use std::path::Path;

use fauxplat_model::document::Header;
use fauxplat_model::{
    Command, Condition, CpuFacts, Definition, MachineFacts, Metric, Outcome, Phase, Sample, Sources,
};
use fauxplat_store::{Filter, State, Store};
use fauxplat_units::Bytes;

/// For the mutator of values.
pub(crate) const WORDS: &[&str] = &[
    "fauxplat_version",
    "condition",
    "definition",
    "machine",
    "\"cpu\":",
    "null",
    "{}",
    "[]",
    "[[",
    "finished",
    "measured",
    "running",
    "2026-11-21T10:00:00Z",
    "\\u0000",
    "-1",
    "1e999",
];

thread_local! {
    /// The folder of this thread, and the bytes of a store that is whole.
    static WHOLE: (tempfile::TempDir, Vec<u8>) = {
        let folder = super::folder();
        let bytes = make(&folder.path().join("whole"));
        (folder, bytes)
    };
}

fn make(path: &Path) -> Vec<u8> {
    let store = Store::open(path).expect("a fresh store");
    let header = header();
    let command = Command {
        name: "MARK-name".into(),
        command: "true".into(),
        program: "/bin/true".into(),
        program_sha256: Some("ab".repeat(32)),
        argv: vec!["true".into()],
        parameters: vec![("size".into(), "10".into())],
        prepare: Some(vec!["sync".into()]),
        conclude: None,
        condition: Condition::default(),
    };
    let mut experiment = store.begin(&header, "run", &[command]).expect("an experiment");
    (0..20).for_each(|trial| experiment.append(&sample(trial)).expect("a sample"));
    experiment.finish(&header, None, State::Finished).expect("an end");
    drop(store);
    fs::read(path).expect("the store that was just written")
}

fn header() -> Header {
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
            cpu: CpuFacts {
                model: "A CPU".into(),
                online: "0-1".parse().expect("a list of CPUs"),
                allowed: "0-1".parse().expect("a list of CPUs"),
                governor: None,
            },
            memory_bytes: Bytes(8 << 30),
            hypervisor: Some("KVM".into()),
            boot_id: "b".into(),
            randomize_va_space: Some(2),
        },
        condition: Condition::default(),
        definition: Definition { warmup: 2, ..Definition::default() },
        sources: Sources::default(),
        warnings: vec!["MARK: frequency scaling is on".into()],
        not_measured: vec!["migrations: no permission".into()],
    }
}

fn sample(trial: u32) -> Sample {
    Sample {
        trial,
        block: trial,
        command: 0,
        position: 0,
        phase: Phase::Measured,
        outcome: Outcome::Exited(0),
        cpu_first: 0,
        cpu_last: 0,
        left_behind: 0,
        env_pad_bytes: 0,
        started_ns: u64::from(trial),
        readings: Metric::BUILT_IN.iter().map(|&metric| (metric, u64::from(trial) + 1000)).collect(),
    }
}

/// Reads everything that a store can be asked for.
fn read(bytes: &[u8], folder: &Path) {
    let path = folder.join("store");
    for name in ["store", "store-wal", "store-shm", "store-journal"] {
        let _not_there = fs::remove_file(folder.join(name));
    }
    fs::write(&path, bytes).expect("a store");
    let Ok(store) = Store::open(&path) else { return };
    let rows = store.list(&Filter::default()).unwrap_or_default();
    for id in rows.iter().map(|row| row.id).take(5).chain([1, i64::MAX]) {
        let _refused = store.samples(id, drop);
        let _refused = (store.load(id).is_ok(), store.artifact(id, 1).is_ok());
        let _refused = store.evidence(id, drop);
    }
    let _refused = (store.resolve("last").is_ok(), store.size().is_ok());
}

/// Four bytes of input are a place in the file and a byte; a first byte of 0xff cuts the file there.
pub(crate) fn files(input: &[u8]) {
    let mut changed = WHOLE.with(|(_, bytes)| bytes.clone());
    for word in input.chunks_exact(4).take(64) {
        let at = usize::from(word[0]) << 16 | usize::from(word[1]) << 8 | usize::from(word[2]);
        match word[0] {
            0xff => changed.truncate(at % (changed.len() + 1)),
            // The header, and the first page with the schema, decide most.
            0x80.. => {
                let place = at % changed.len().clamp(1, 4096);
                changed.iter_mut().skip(place).take(1).for_each(|byte| *byte = word[3]);
            }
            _ => {
                let place = at % changed.len().max(1);
                changed.iter_mut().skip(place).take(1).for_each(|byte| *byte = word[3]);
            }
        }
    }
    WHOLE.with(|(folder, _)| read(&changed, folder.path()));
}

/// The input in the place of a text of equal length that is stored: JSON that is none, numbers that are none.
pub(crate) fn values(input: &[u8]) {
    let Some((&which, text)) = input.split_first() else { return };
    let mut changed = WHOLE.with(|(_, bytes)| bytes.clone());
    let marks: &[&[u8]] = &[b"MARK", b"{\"", b"\":", b"[\"", b"2026", b"run", b"finished"];
    let mark = marks[usize::from(which) % marks.len()];
    let mut places =
        changed.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark).map(|(at, _)| at);
    let Some(at) = places.nth(usize::from(which) / marks.len()) else { return };
    changed.iter_mut().skip(at).zip(text.iter().take(400)).for_each(|(byte, &new)| *byte = new);
    WHOLE.with(|(folder, _)| read(&changed, folder.path()));
}
