//! Disks that are full, read-only, or full from a certain byte on, while a machine is tuned and restored.
#![expect(clippy::disallowed_methods, reason = "a process of its own has mounts and limits of its own")]

use std::fs;
use std::process::{Command, ExitStatus, Stdio};
use std::time::SystemTime;

use fauxplat_sys::process;
use fauxplat_tuning::{Restore, restore};

use crate::machine::Machine;
use crate::{Case, HOLD, KEEP, RESTORE};

pub(crate) const CASES: &[Case] = &[
    (
        "a_disk_that_cannot_be_written_to_keeps_nothing_from_being_put_back",
        a_disk_that_cannot_be_written_to_keeps_nothing_from_being_put_back,
    ),
    (
        "a_journal_that_ends_at_any_byte_leaves_the_machine",
        a_journal_that_ends_at_any_byte_leaves_the_machine,
    ),
    ("a_note_that_finds_no_room_keeps_no_cpu_away", a_note_that_finds_no_room_keeps_no_cpu_away),
    (
        "where_one_place_cannot_be_written_to_there_is_another",
        where_one_place_cannot_be_written_to_there_is_another,
    ),
];

/// Script for a mount namespace: a small file system for the journal, a machine that is kept tuned, a disk that fails,
/// and a restoration. Exit statuses from 90 on mean that this environment cannot be set up here.
const MOUNTED: &str = r#"
folder=$1 program=$2 root=$3 what=$4
mount -t tmpfs -o size=64k,mode=700 tmpfs "$folder" || exit 99
"$program" keep "$root" "$folder/journal" || exit 1
grep -q '"record":"kept"' "$folder/journal" || exit 2
case $what in
full) cat /dev/zero > "$folder/fill" 2> /dev/null ;;
read-only) mount -o remount,ro "$folder" || exit 99 ;;
esac
"$program" restore "$root" "$folder/journal" || exit 3
cat "$root/proc/sys/vm/swappiness" > "$root/seen"
[ $what = full ] && [ -e "$folder/journal" ] && exit 4
mount -o remount,rw "$folder"
"$program" restore "$root" "$folder/journal" || exit 5
[ ! -e "$folder/journal" ] || exit 6
"#;

fn a_disk_that_cannot_be_written_to_keeps_nothing_from_being_put_back() {
    for what in ["full", "read-only"] {
        let machine = Machine::new();
        let before = machine.all();
        let folder = machine.journal().with_file_name("disk");
        fs::create_dir(&folder).unwrap();
        let mut mounted = Command::new("unshare");
        mounted.args(["--mount", "--propagation", "private", "sh", "-c", MOUNTED, "sh"]);
        mounted.arg(&folder).arg(std::env::current_exe().unwrap()).arg(machine.root.path()).arg(what);
        let done = mounted.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        if !process::is_root() || done.status.code() == Some(99) || said.starts_with("unshare:") {
            return eprintln!("skipped: it takes the right to mount ({said})");
        }
        assert!(done.status.success(), "{what}: {} {said}", done.status);
        assert_eq!(machine.read("seen"), before["proc/sys/vm/swappiness"], "{what}: nothing was put back");
        assert_eq!(machine.all(), before, "{what}");
    }
}

/// Runs this test program with a limit for the size of files in bytes. A write beyond the limit fails, or ends the
/// process if `ends` is set. `None` if `prlimit` is not installed.
fn limited(machine: &Machine, bytes: usize, ends: bool, words: [&str; 1]) -> Option<ExitStatus> {
    let trap = if ends { "" } else { "trap '' XFSZ; " };
    let line = format!("{trap}exec prlimit --core=0 --fsize={bytes} -- \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line, "sh"]).arg(std::env::current_exe().unwrap()).args(words);
    shell.arg(machine.root.path()).arg(machine.journal()).stderr(Stdio::null());
    let done = shell.status().unwrap();
    (done.code() != Some(127)).then_some(done)
}

/// A limit for the size of files acts like a disk that is full from this byte on, so records are written in part.
fn a_journal_that_ends_at_any_byte_leaves_the_machine() {
    /// Smallest limit: longer than any value that is written here, so that all values can be written.
    const SHORTEST: usize = 16;
    let machine = Machine::new();
    let before = machine.all();
    machine.keep(&crate::SETTINGS);
    let length = fs::metadata(machine.journal()).unwrap().len() as usize;
    machine.restore(false).unwrap().unwrap();
    let (mut refused, mut done) = (0, 0);
    for bytes in (SHORTEST..length + 40).step_by(17) {
        for ends in [false, true] {
            let Some(status) = limited(&machine, bytes, ends, [HOLD]) else {
                return eprintln!("skipped: prlimit is not there");
            };
            *(if status.success() { &mut done } else { &mut refused }) += 1;
            // If the tuning process was killed, its guardian restores the machine, under the same limit.
            let wait = Restore { force: false, wait: true };
            let left = restore(&machine.root, &machine.journal(), wait, "test");
            assert!(left.as_ref().is_ok_and(|left| left.is_none()), "{bytes}, {ends}: {left:?}");
            assert_eq!(machine.all(), before, "{bytes} bytes, ends: {ends}");
        }
    }
    assert!(refused > 10 && done > 0, "{refused} {done}");
    // A restoration that cannot record its progress is tried with such limits.
    for bytes in [SHORTEST, length / 2, length, length + 9] {
        machine.keep(&crate::SETTINGS);
        let status = limited(&machine, bytes, false, [RESTORE]).unwrap();
        assert!(status.success(), "{bytes}: {status}");
        assert_eq!(machine.all(), before, "{bytes}");
        assert!(!machine.journal().exists(), "{bytes}");
    }
    assert!(limited(&machine, length * 2, false, [KEEP]).unwrap().success());
    assert!(limited(&machine, length * 2, false, [RESTORE]).unwrap().success());
    assert_eq!(machine.all(), before);
}

const ONLINE: &str = "sys/devices/system/cpu/cpu1/online";
const HURRY: &str = "sys/kernel/rcu_expedited";

/// Returns a machine with `rcu_expedited` and a CPU that is offline and can come back, as a killed process has left it.
fn left_with_a_cpu_off() -> Machine {
    let machine = Machine::new();
    machine.write(ONLINE, b"1\n");
    machine.write(HURRY, b"0\n");
    // Several settings, so that the journal has room for the announcements of the next tuning.
    machine.keep(&["cpu:1=offline", "swappiness=1", "ksm=off", "stat-interval=7", "thp=never", "aslr=off"]);
    assert_eq!(machine.read(ONLINE), "0");
    let journal = fs::read_to_string(machine.journal()).unwrap();
    let until = journal.rfind('\n').and_then(|end| journal[..end].rfind('\n')).unwrap();
    assert!(journal[until..].contains("\"record\":\"kept\""), "{journal}");
    fs::write(machine.journal(), &journal[..=until]).unwrap();
    fs::File::options()
        .write(true)
        .open(machine.path(HURRY))
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();
    machine
}

/// If setting `rcu_expedited` cannot be announced, CPUs come back without it: neither a restoration fails, nor a tuning
/// that has to restore first.
fn a_note_that_finds_no_room_keeps_no_cpu_away() {
    for verb in [RESTORE, HOLD] {
        for room in [10_000, 0] {
            let machine = left_with_a_cpu_off();
            let length = fs::metadata(machine.journal()).unwrap().len() as usize;
            let Some(status) = limited(&machine, length + room, false, [verb]) else {
                return eprintln!("skipped: prlimit is not there");
            };
            assert!(status.success(), "{verb}, room for {room}: {status}");
            assert_eq!(
                (machine.read(ONLINE).as_str(), machine.read(HURRY).as_str()),
                ("1\n", "0\n"),
                "{verb}"
            );
            assert!(!machine.journal().exists(), "{verb}");
            // The file's time shows that `rcu_expedited` was written, although it has its original value again.
            let written =
                fs::metadata(machine.path(HURRY)).unwrap().modified().unwrap() != SystemTime::UNIX_EPOCH;
            assert_eq!(written, room > 0, "{verb}: it hurries where that is announced, and nowhere else");
        }
    }
}

/// Script for a mount namespace: the default folders of the journal are empty, and become read-only one after the
/// other.
const PLACES: &str = r#"
program=$1 root=$2
unset FAUXPLAT_JOURNAL
for folder in /run /var/lib; do mount -t tmpfs -o mode=755 tmpfs "$folder" || exit 99; done
is() { [ "$("$program" where)" = "$1" ] || { echo "$("$program" where), where $2" >&2; exit 1; }; }
is /run/fauxplat/journal 'both can be written to'
mount -o remount,ro /run || exit 99
is /var/lib/fauxplat/journal '/run cannot be written to'
"$program" keep "$root" "$("$program" where)" || exit 2
[ -e /var/lib/fauxplat/journal ] || exit 3
mount -o remount,rw /run || exit 99
is /var/lib/fauxplat/journal 'there is one already'
"$program" restore "$root" "$("$program" where)" || exit 4
is /run/fauxplat/journal 'there is none any more'
mount -o remount,ro /run && mount -o remount,ro /var/lib || exit 99
is /run/fauxplat/journal 'nothing can be written to'
"#;

fn where_one_place_cannot_be_written_to_there_is_another() {
    let machine = Machine::new();
    let before = machine.all();
    let mut mounted = Command::new("unshare");
    mounted.args(["--mount", "--propagation", "private", "sh", "-c", PLACES, "sh"]);
    let done = mounted.arg(std::env::current_exe().unwrap()).arg(machine.root.path()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    if !process::is_root() || done.status.code() == Some(99) || said.starts_with("unshare:") {
        return eprintln!("skipped: it takes the right to mount ({said})");
    }
    assert!(done.status.success(), "{} {said}", done.status);
    assert_eq!(machine.all(), before);
}
