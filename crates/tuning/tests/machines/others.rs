//! Other programs that change the machine or tune it, at the same time or before.

use std::fs;
use std::os::unix::fs::symlink;

use fauxplat_model::KnobOutcome;
use fauxplat_sys::{process, signal};
use fauxplat_tuning::{TuneError, status};
use fauxplat_units::Nanos;

use crate::Case;
use crate::machine::{Machine, WORDS, outcome};

pub(crate) const CASES: &[Case] = &[
    (
        "what_somebody_else_changed_stays_until_it_is_forced",
        what_somebody_else_changed_stays_until_it_is_forced,
    ),
    ("a_machine_is_put_back_once", a_machine_is_put_back_once),
    ("two_tuners_come_one_after_the_other", two_tuners_come_one_after_the_other),
    ("the_lock_of_the_dead_locks_nobody_out", the_lock_of_the_dead_locks_nobody_out),
    ("a_tuned_machine_is_tuned_anew_only_on_purpose", a_tuned_machine_is_tuned_anew_only_on_purpose),
    (
        "a_value_that_is_not_taken_back_is_said_to_be_in_the_way",
        a_value_that_is_not_taken_back_is_said_to_be_in_the_way,
    ),
    ("what_a_short_limit_put_back_is_not_kept", what_a_short_limit_put_back_is_not_kept),
    ("a_guardian_that_is_gone_is_told_of", a_guardian_that_is_gone_is_told_of),
    ("a_value_that_cannot_be_read_is_not_given_up", a_value_that_cannot_be_read_is_not_given_up),
    (
        "another_boot_and_a_file_that_is_gone_are_left_alone",
        another_boot_and_a_file_that_is_gone_are_left_alone,
    ),
];

const SWAPPINESS: &str = "proc/sys/vm/swappiness";
const KSM: &str = "sys/kernel/mm/ksm/run";

fn what_somebody_else_changed_stays_until_it_is_forced() {
    let machine = Machine::new();
    machine.keep(&["swappiness=1", "ksm=off"]);
    machine.write(SWAPPINESS, b"33\n");
    for _ in 0..2 {
        let back = machine.restore(false).unwrap().unwrap();
        assert_eq!((back.complete, outcome(&back.changes, SWAPPINESS)), (false, KnobOutcome::Left));
        assert_eq!((machine.read(SWAPPINESS).as_str(), machine.read(KSM).as_str()), ("33\n", "1\n"));
    }
    let back = machine.restore(true).unwrap().unwrap();
    assert_eq!((back.complete, outcome(&back.changes, SWAPPINESS)), (true, KnobOutcome::Restored));
    assert_eq!(back.changes.len(), 1, "the other is settled");
    assert_eq!(machine.read(SWAPPINESS), "60\n\n");
    // A value that another program has already restored needs no restoration.
    machine.keep(&["swappiness=1"]);
    machine.write(SWAPPINESS, b"60\n");
    let back = machine.restore(false).unwrap().unwrap();
    assert_eq!((back.complete, outcome(&back.changes, SWAPPINESS)), (true, KnobOutcome::Already));
}

fn a_machine_is_put_back_once() {
    let machine = Machine::new();
    assert_eq!(machine.restore(false).unwrap(), None);
    machine.keep(&["swappiness=1"]);
    let back = machine.restore(false).unwrap().unwrap();
    assert_eq!(back.tuned_by, WORDS);
    machine.write(SWAPPINESS, b"44\n");
    assert_eq!(machine.restore(true).unwrap(), None);
    assert_eq!(machine.read(SWAPPINESS), "44\n", "a journal that was acted upon is gone");
    // A process that lets the machine stay tuned restores nothing itself.
    let mut tuned = machine.tune(&["swappiness=1"], |_| {}).unwrap();
    tuned.keep(false).unwrap();
    assert_eq!(tuned.restore().unwrap(), None);
    assert_eq!(machine.read(SWAPPINESS), "1");
    assert!(machine.restore(false).unwrap().unwrap().complete);
    assert_eq!(machine.read(SWAPPINESS), "44\n");
}

fn two_tuners_come_one_after_the_other() {
    let machine = Machine::new();
    let first = machine.tune(&["swappiness=1"], |_| {}).unwrap();
    let told = status(&machine.root, &machine.journal()).unwrap();
    assert_eq!(
        told.tuner.map(|tuner| (tuner.pid, tuner.command)),
        Some((std::process::id(), WORDS.join(" ")))
    );
    for error in [machine.tune(&["ksm=off"], |_| {}).unwrap_err(), machine.restore(true).unwrap_err()] {
        let pid = std::process::id();
        assert!(matches!(&error, TuneError::Busy { holder, .. } if holder.pid == pid), "{error}");
    }
    assert_eq!((machine.read(KSM).as_str(), machine.read(SWAPPINESS).as_str()), ("1\n", "1"));
    first.restore().unwrap();
    let second = machine.tune(&["ksm=off"], |_| {}).unwrap();
    assert!(second.recovered.is_none(), "nothing was left behind");
    assert_eq!((machine.read(KSM).as_str(), machine.read(SWAPPINESS).as_str()), ("0", "60\n\n"));
}

fn the_lock_of_the_dead_locks_nobody_out() {
    let machine = Machine::new();
    let lock = machine.journal().with_extension("lock");
    for left in [&b""[..], b"{\"pid\":1,\"uid\":0,\"command\":\"gone\"}", b"\xff\0{", &[b'x'; 100_000]] {
        fs::write(&lock, left).unwrap();
        assert_eq!(status(&machine.root, &machine.journal()).unwrap().tuner, None);
        let tuned = machine.tune(&["swappiness=1"], |_| {}).unwrap();
        let told = status(&machine.root, &machine.journal()).unwrap().tuner.unwrap();
        assert_eq!(
            (told.pid, told.command),
            (std::process::id(), WORDS.join(" ")),
            "nothing is left of the other"
        );
        tuned.restore().unwrap();
    }
}

/// A file of the kernel that cannot be written stands in for a file that refuses its original value.
fn a_value_that_is_not_taken_back_is_said_to_be_in_the_way() {
    let fixed = "/proc/sys/kernel/cap_last_cap";
    let Ok(value) = fs::read_to_string(fixed) else { return eprintln!("skipped: there is no {fixed}") };
    let machine = Machine::new();
    machine.keep(&[&format!("swappiness={}", value.trim())]);
    fs::remove_file(machine.path(SWAPPINESS)).unwrap();
    symlink(fixed, machine.path(SWAPPINESS)).unwrap();
    for force in [false, true] {
        let back = machine.restore(force).unwrap().unwrap();
        assert_eq!((back.complete, outcome(&back.changes, SWAPPINESS)), (false, KnobOutcome::Refused));
        let error = machine.tune(&["ksm=off"], |tuning| tuning.replace = true).unwrap_err();
        assert!(matches!(&error, TuneError::Stuck { .. }), "{error}");
        let (told, journal) = (error.to_string(), machine.journal().display().to_string());
        for words in [&WORDS.join(" "), "swappiness is", "was 60 before", "by hand", &journal] {
            assert!(told.contains(words), "{told}");
        }
        // No option would help: a journal at another path is refused as well, and a refused write cannot be forced.
        assert!(!told.contains("--journal") && !told.contains("--force"), "{told}");
        assert_eq!(machine.read(KSM), "1\n");
    }
    // Removing the journal, as advised, makes tuning possible again.
    fs::remove_file(machine.journal()).unwrap();
    machine.tune(&["ksm=off"], |_| {}).unwrap().restore().unwrap();
}

/// A folder in place of the file stands in for a value that the kernel does not show at present.
fn a_value_that_cannot_be_read_is_not_given_up() {
    let machine = Machine::new();
    machine.keep(&["swappiness=1", "ksm=off"]);
    fs::remove_file(machine.path(SWAPPINESS)).unwrap();
    fs::create_dir(machine.path(SWAPPINESS)).unwrap();
    for force in [false, true] {
        let back = machine.restore(force).unwrap().unwrap();
        assert_eq!((back.complete, outcome(&back.changes, SWAPPINESS)), (false, KnobOutcome::Refused));
        let told = back.changes.iter().find(|change| change.knob == "swappiness").unwrap();
        assert!(told.reason.as_ref().unwrap().contains("directory"), "{told:?}");
        assert_eq!(machine.read(KSM), "1\n");
    }
    // The journal still has the original value for the time when the file can be read again.
    fs::remove_dir(machine.path(SWAPPINESS)).unwrap();
    machine.write(SWAPPINESS, b"1");
    assert!(machine.restore(false).unwrap().unwrap().complete);
    assert_eq!(machine.read(SWAPPINESS), "60\n\n");
}

fn what_a_short_limit_put_back_is_not_kept() {
    let machine = Machine::new();
    let mut tuned = machine.tune(&["swappiness=1"], |tuning| tuning.max = Some(Nanos(1_000_000))).unwrap();
    // On a slow machine, the limit of 1 ms may pass before the journal exists. The guardian restores later changes as
    // well.
    let is_back = (0..300_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        !machine.journal().exists()
    });
    assert!(is_back, "while the tuner lives");
    assert!(!tuned.keep(true).unwrap(), "there is nothing to restore");
    assert_eq!(machine.read(SWAPPINESS), "60\n\n");
}

/// A guardian that was killed together with its service or container is reported.
fn a_guardian_that_is_gone_is_told_of() {
    let machine = Machine::new();
    let gone = || status(&machine.root, &machine.journal()).unwrap().guardian_gone;
    machine.keep(&["swappiness=1"]);
    assert!(!gone(), "there was to be none");
    machine.restore(false).unwrap();
    let limit = Some(Nanos(3_600_000_000_000));
    let mut tuned = machine.tune(&["swappiness=1"], |tuning| tuning.max = limit).unwrap();
    assert!(tuned.keep(true).unwrap());
    assert!(!gone());
    let text = fs::read_to_string(machine.journal()).unwrap();
    let (_, named) = text.rsplit_once("\"pid\":").unwrap();
    let pid: i32 = named.split(',').next().unwrap().parse().unwrap();
    signal::send(pid, signal::SIGKILL);
    while process::start_ticks(pid as u32).is_some() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(gone());
    drop(tuned);
    assert!(machine.restore(false).unwrap().unwrap().complete);
}

fn a_tuned_machine_is_tuned_anew_only_on_purpose() {
    let machine = Machine::new();
    let before = machine.all();
    machine.keep(&["swappiness=1", "ksm=off"]);
    let error = machine.tune(&["swappiness=2"], |_| {}).unwrap_err();
    assert!(matches!(&error, TuneError::AlreadyTuned { by, .. } if *by == WORDS.join(" ")), "{error}");
    assert_eq!(machine.read(SWAPPINESS), "1");
    let tuned = machine.tune(&["swappiness=2"], |tuning| tuning.replace = true).unwrap();
    assert!(tuned.recovered.as_ref().unwrap().complete);
    assert_eq!((machine.read(SWAPPINESS).as_str(), machine.read(KSM).as_str()), ("2", "1\n"));
    let change = tuned.changes.iter().find(|change| change.knob == "swappiness").unwrap();
    assert_eq!(change.before.as_deref(), Some("60"), "what was before is what was before both");
    drop(tuned);
    assert_eq!(machine.all(), before);
}

fn another_boot_and_a_file_that_is_gone_are_left_alone() {
    let machine = Machine::new();
    machine.keep(&["swappiness=1", "ksm=off"]);
    fs::remove_file(machine.path(KSM)).unwrap();
    let back = machine.restore(false).unwrap().unwrap();
    assert_eq!((back.complete, outcome(&back.changes, KSM)), (true, KnobOutcome::Absent));
    assert!(!machine.path(KSM).exists(), "no file is made");
    machine.keep(&["swappiness=1"]);
    machine.write("proc/sys/kernel/random/boot_id", b"another\n");
    assert!(status(&machine.root, &machine.journal()).unwrap().rebooted);
    let back = machine.restore(false).unwrap().unwrap();
    assert!(back.rebooted && back.complete && back.changes.is_empty());
    assert_eq!(machine.read(SWAPPINESS), "1", "of what was before in another boot nobody knows");
}
