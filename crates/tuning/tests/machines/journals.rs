//! Journals that are truncated, changed, or owned by another user: a journal that is not fully understood is not used.
#![expect(clippy::disallowed_methods, reason = "whoever waits for a journal is a process of its own")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fauxplat_sys::process;
use fauxplat_tuning::{TuneError, status};

use crate::machine::Machine;
use crate::{Case, RESTORE};

pub(crate) const CASES: &[Case] = &[
    ("a_journal_that_is_cut_puts_back_all_or_nothing", a_journal_that_is_cut_puts_back_all_or_nothing),
    ("a_journal_with_a_flipped_bit_is_never_acted_upon", a_journal_with_a_flipped_bit_is_never_acted_upon),
    ("a_journal_of_somebody_else_is_never_acted_upon", a_journal_of_somebody_else_is_never_acted_upon),
    ("a_journal_that_leads_elsewhere_is_refused", a_journal_that_leads_elsewhere_is_refused),
    (
        "what_takes_the_name_of_an_open_journal_is_not_acted_upon",
        what_takes_the_name_of_an_open_journal_is_not_acted_upon,
    ),
    (
        "what_is_put_back_already_is_not_taken_for_what_a_cpu_has_taken",
        what_is_put_back_already_is_not_taken_for_what_a_cpu_has_taken,
    ),
];

const SETTINGS: [&str; 3] = ["swappiness=1", "thp=never", "ksm=off"];

/// A machine that is kept tuned, the bytes of its journal, and the values of its files before and after tuning.
struct Kept {
    machine: Machine,
    journal: Vec<u8>,
    before: BTreeMap<&'static str, String>,
    tuned: BTreeMap<&'static str, String>,
}

fn kept() -> Kept {
    let machine = Machine::new();
    let before = machine.all();
    machine.keep(&SETTINGS);
    let (journal, tuned) = (fs::read(machine.journal()).unwrap(), machine.all());
    assert_ne!(before, tuned);
    Kept { machine, journal, before, tuned }
}

/// Writes these bytes as the journal of a machine.
fn lay(machine: &Machine, bytes: &[u8]) {
    // Only the owner may open the file, whatever the umask.
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(machine.journal()).unwrap().write_all(bytes).unwrap();
}

impl Kept {
    /// Restores the machine from these bytes as its journal, and returns the resulting values or the error; the machine
    /// is tuned again afterwards.
    fn restored_from(&self, bytes: &[u8], force: bool) -> Result<BTreeMap<&'static str, String>, TuneError> {
        lay(&self.machine, bytes);
        let done = self.machine.restore(force);
        let now = self.machine.all();
        self.tuned.iter().for_each(|(file, text)| self.machine.write(file, text.as_bytes()));
        if let Err(error) = done {
            assert_eq!(now, self.tuned, "{error}");
            assert!(!error.to_string().contains('\n') && self.machine.journal().exists(), "{error}");
            return Err(error);
        }
        Ok(now)
    }
}

/// Wherever the journal is cut, each file has its value before the tuning or after it, and never another.
fn a_journal_that_is_cut_puts_back_all_or_nothing() {
    let kept = kept();
    let mut acted = 0;
    for end in (0..kept.journal.len()).step_by(3).chain([kept.journal.len()]) {
        let cut = &kept.journal[..end];
        let whole = cut.ends_with(b"\n");
        let done = kept.restored_from(cut, false);
        assert_eq!(done.is_ok(), whole, "cut at {end}: {done:?}");
        let Ok(now) = kept.restored_from(cut, true) else {
            assert!(!cut.contains(&b'\n'), "what has a beginning can be forced: {end}");
            continue;
        };
        for (file, text) in &now {
            let known = [&kept.before[file], &kept.tuned[file]];
            assert!(known.contains(&text), "cut at {end}: {file} holds {text:?}");
        }
        acted += usize::from(now != kept.tuned);
    }
    assert!(acted > 0);
    assert_eq!(kept.restored_from(&kept.journal, false).unwrap(), kept.before);
}

fn a_journal_with_a_flipped_bit_is_never_acted_upon() {
    let kept = kept();
    for at in (0..kept.journal.len() - 1).step_by(5) {
        let mut changed = kept.journal.clone();
        changed[at] ^= 1 << (at % 8);
        let forced = kept.restored_from(&changed, true);
        assert!(matches!(forced, Err(TuneError::Damaged { .. })), "byte {at}: {forced:?}");
        assert!(status(&kept.machine.root, &kept.machine.journal()).is_err());
        let error = kept.machine.tune(&["swappiness=5"], |tuning| tuning.replace = true).unwrap_err();
        assert!(matches!(error, TuneError::Damaged { .. }), "byte {at}: {error}");
        assert_eq!(kept.machine.all(), kept.tuned, "nor is the machine tuned anew");
    }
}

/// The content of a journal decides what root writes to the machine, so only root may own the file and write to it.
fn a_journal_of_somebody_else_is_never_acted_upon() {
    let kept = kept();
    // An ordinary user cannot give the file to another user.
    if !process::is_root() || chown(kept.machine.journal(), Some(65_534), None).is_err() {
        return println!("skipped: it takes root to have another user's journal");
    }
    for force in [false, true] {
        let done = kept.restored_from(&kept.journal, force);
        assert!(matches!(done, Err(TuneError::Foreign { owner: 65_534, .. })), "{done:?}");
    }
}

/// Returns a journal with replaced text and correct checksums.
fn forged(journal: &str, old: &str, new: &str) -> String {
    let seal = |line: &str| {
        let body = line.split_once(' ').unwrap().1.replace(old, new);
        format!("{:08x} {body}\n", crc32fast::hash(body.as_bytes()))
    };
    journal.lines().map(seal).collect()
}

/// Anyone can compute checksums: the machine is protected by the rule that records may only name files of knobs.
fn a_journal_that_leads_elsewhere_is_refused() {
    let kept = kept();
    let text = String::from_utf8(kept.journal.clone()).unwrap();
    let name = "proc/sys/vm/swappiness";
    assert!(text.contains(name));
    for place in [
        "etc/passwd",
        "proc/../etc/passwd",
        "/proc/sys/vm/swappiness",
        "sys/../../x",
        "",
        "proc/self/root/etc/passwd",
        "proc/1/cwd/x",
        "proc/sys/kernel/core_pattern",
        "proc/sys/kernel/modprobe",
        "sys/kernel/uevent_helper",
        "proc/irq/../sys/kernel/core_pattern",
    ] {
        let forged = forged(&text, name, place);
        let done = kept.restored_from(forged.as_bytes(), true);
        assert!(matches!(done, Err(TuneError::Damaged { .. })), "{place}: {done:?}");
    }
}

fn has_open(pid: u32, files: [&Path; 2]) -> bool {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let open: Vec<_> = entries.filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
    files.iter().all(|file| open.iter().any(|it| it == file))
}

/// A process that waits for the writer of a journal has already opened the file. If another file gets its name
/// meanwhile, owner and mode of that other file were not checked.
fn what_takes_the_name_of_an_open_journal_is_not_acted_upon() {
    let machine = Machine::new();
    machine.keep(&["swappiness=1"]);
    let journal = fs::canonicalize(machine.journal()).unwrap();
    let (lock, other) = (journal.with_extension("lock"), journal.with_extension("other"));
    let forged = forged(&fs::read_to_string(&journal).unwrap(), "\"old\":\"60", "\"old\":\"77");
    fs::write(&other, &forged).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
    let writer = fs::File::open(&journal).unwrap();
    writer.lock().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let mut restorer = command.arg(RESTORE).arg(machine.root.path()).arg(&journal).spawn().unwrap();
    let waits = || has_open(restorer.id(), [&lock, &journal]);
    assert!((0..60_000).any(|_| waits() || (std::thread::sleep(Duration::from_millis(1)), false).1));
    fs::rename(&other, &journal).unwrap();
    drop(writer);
    assert!(restorer.wait().unwrap().success());
    match machine.read("proc/sys/vm/swappiness").as_str() {
        "1" => assert_eq!(fs::read_to_string(&journal).unwrap(), forged, "it is left where it is"),
        // On a very slow machine the wait for the writer timed out, and the open file counts.
        now => return assert_eq!(now, "60\n\n"),
    }
    // Opened by its name, the other file is a journal like any other.
    assert!(machine.restore(false).unwrap().unwrap().complete);
    assert_eq!(machine.read("proc/sys/vm/swappiness"), "77\n\n");
}

/// A restoration was killed, or its disk failed, after it had written its last value and before it removed the journal:
/// only the snapshot of affinities is left, which was taken after an interrupt had been moved.
fn what_is_put_back_already_is_not_taken_for_what_a_cpu_has_taken() {
    const INTERRUPT: &str = "proc/irq/7/smp_affinity_list";
    let machine = Machine::new();
    machine.write("sys/devices/system/cpu/cpu3/online", b"1\n");
    let before = machine.all();
    machine.keep(&["irq-affinity=away:3", "cpu:3=offline"]);
    assert_eq!(machine.read(INTERRUPT), "0-2");
    let mut journal = fs::read_to_string(machine.journal()).unwrap();
    machine.restore(false).unwrap().unwrap();
    assert_eq!(machine.all(), before);
    let changes = journal.lines().filter(|line| line.contains("\"record\":\"change\"")).count();
    let snapshot = journal.lines().find(|line| line.contains("\"kind\":\"snapshot\"")).unwrap();
    let is_values = |seq: &usize| !snapshot.contains(&format!("\"seq\":{seq},"));
    let values: Vec<usize> = (0..changes).filter(is_values).collect();
    assert_eq!(values.len() + 1, changes);
    let settled = format!("{{\"record\":\"settled\",\"seqs\":{values:?}}}");
    journal += &format!("{:08x} {settled}\n", crc32fast::hash(settled.as_bytes()));
    lay(&machine, journal.as_bytes());
    machine.restore(false).unwrap().unwrap();
    assert_eq!(machine.all(), before);
    assert!(!machine.journal().exists());
}
