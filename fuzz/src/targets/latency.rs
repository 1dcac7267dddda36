//! Documents of `latency`, which `--merge` reads.

use fauxplat_latency::{LatencyTest, Recording};

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "\"tests\":[",
    "\"raw\":{\"hdr\":\"",
    "\"corrected\":",
    "\"missed\":",
    "\"lost_share\":",
    "\"wall_ns\":",
    "\"causes\":[",
    "null",
    "HISTFAAAA",
    "]}",
];

/// Tests of a document: those that can be restored are merged with themselves and reported.
pub(crate) fn documents(bytes: &[u8]) {
    let Ok(tests) = serde_json::from_slice::<Vec<LatencyTest>>(bytes) else { return };
    for test in tests.iter().take(20) {
        let Ok(mut recording) = Recording::restore(test) else { continue };
        let again = recording.clone();
        recording.merge(&again);
        let (raw, corrected) = (recording.raw(), recording.corrected());
        assert!(raw.p50_ns <= raw.max_ns && corrected.p50_ns <= corrected.max_ns);
        let _told = (recording.count(), recording.causes(), recording.bins());
    }
}
