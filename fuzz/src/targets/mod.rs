//! The targets, by area.

mod blink;
mod counters;
mod fleet;
mod hazards;
mod latency;
mod model;
mod plan;
mod profile;
mod report;
mod store;
mod topology;
mod tree;

// Bodies that are shared with the tests of the crates that they belong to.
#[path = "../../../lib/procfs/tests/procfs/body.rs"]
mod procfs;
#[path = "../../../lib/table/tests/replay/body.rs"]
mod table;
#[path = "../../../crates/tuning/tests/replay/body.rs"]
mod tuning;

use crate::Target;

macro_rules! targets {
    ($($name:literal => $run:path, $words:expr;)*) => {
        &[$(Target { name: $name, run: $run, words: $words }),*]
    };
}

/// Every target.
pub(crate) const ALL: &[Target] = targets! {
    "blink-definitions" => blink::definitions, blink::WORDS;
    "counters-devices" => counters::devices, counters::DEVICE_WORDS;
    "counters-lists" => counters::lists, counters::LIST_WORDS;
    "counters-simulated" => counters::simulated, counters::COUNT_WORDS;
    "fleet-answers" => fleet::answers, fleet::ANSWER_WORDS;
    "fleet-folders" => fleet::folders, fleet::FOLDER_WORDS;
    "fleet-records" => fleet::records, fleet::RECORD_WORDS;
    "hazards-tree" => hazards::tree, hazards::WORDS;
    "latency-documents" => latency::documents, latency::WORDS;
    "model-words" => model::words, model::WORDS;
    "plan-commands" => plan::commands, plan::COMMAND_WORDS;
    "plan-definitions" => plan::definitions, plan::WORDS;
    "plan-labs" => plan::labs, plan::WORDS;
    "plan-sweeps" => plan::sweeps, plan::SWEEP_WORDS;
    "procfs-files" => procfs::files, &["cpu0 ", "intr ", "MemTotal: ", " kB\n", "0::/", "some avg10=", "CPU0", "55d0-55d1 r-xp 0 08:01 7 /bin/sh", "ffffffff81000000 t do_one\t[ext4]", "\n"];
    "profile-maps" => profile::maps, profile::MAP_WORDS;
    "profile-recordings" => profile::recordings, profile::WORDS;
    "report-baselines" => report::baselines, report::WORDS;
    "report-records" => report::records, report::RECORD_WORDS;
    "store-files" => store::files, &["\u{0}\u{0}", "SQLite format 3\u{0}"];
    "store-values" => store::values, store::WORDS;
    "table-contents" => table::contents, &[];
    "table-operations" => table::operations, &[];
    "topology-formats" => topology::formats, &["0-3", ",", "ffffffff", "sibling-of:", "same-l2:", "&", "|", "(", ")", "!"];
    "topology-tree" => topology::tree, &["0-2", "ffffffff,", "Node 0 MemTotal: ", "Data", "Unified", "32K", "\n"];
    "tuning-journal" => tuning::journal, &["\"record\":", "\"change\"", "\"settled\"", "\"path\":", "../", "\n", "null"];
    "tuning-profiles" => tuning::profiles, &["[mine]\n", "purpose = ", "set = [", "\"ksm=off\"", "\"cpu:1=offline\"", "shield=", "=", "'", "\"\"\"", "\\n", "\n"];
    "tuning-words" => tuning::words, &["quiet", "cpu:1=offline", "shield=", "irq-affinity=away:", "thp=never", " "];
};

/// A folder for the files of a target: where the user says, else in memory, since most of the work is writing files. It
/// is private whatever the umask, since some parsers refuse a folder that others may write to.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let made = match std::env::var_os("TMPDIR").is_none() && memory.is_dir() {
        true => builder.tempdir_in(memory),
        false => builder.tempdir(),
    };
    made.expect("a folder for the files of a target")
}
