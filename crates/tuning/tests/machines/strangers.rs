//! Other users of the machine, who try to keep root from restoring it, or to make root write something for them.
#![expect(clippy::disallowed_methods, reason = "a stranger is a process of another user")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fauxplat_model::KnobOutcome;
use fauxplat_sys::process;
use fauxplat_tuning::{Restore, TuneError, restore, status};
use fauxplat_units::Nanos;

use crate::machine::{Machine, outcome};
use crate::{Case, KEEP};

pub(crate) const CASES: &[Case] = &[
    ("nobody_else_keeps_root_from_restoring", nobody_else_keeps_root_from_restoring),
    ("what_others_may_have_written_is_not_acted_upon", what_others_may_have_written_is_not_acted_upon),
    ("journal_and_lock_are_their_owners_alone", journal_and_lock_are_their_owners_alone),
    ("a_journal_of_another_container_is_restored_there", a_journal_of_another_container_is_restored_there),
    ("a_boot_that_cannot_be_told_is_no_other_boot", a_boot_that_cannot_be_told_is_no_other_boot),
    ("a_value_that_could_not_be_read_back_is_put_back", a_value_that_could_not_be_read_back_is_put_back),
];

const SWAPPINESS: &str = "proc/sys/vm/swappiness";
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    if !process::is_root() {
        eprintln!("skipped: it takes root to be another user too");
    }
    process::is_root()
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A process of another user that locks each of some files that it can open, until the value is dropped.
struct Stranger(Child);

const HOLD: &str = r#"
for file; do
    if (exec 9< "$file") 2> /dev/null; then
        (exec 9< "$file" && flock --shared 9 && echo held && exec sleep 1000) &
    else
        echo refused
    fi
done
wait
"#;

impl Stranger {
    /// Starts the process; also returns how many of the files it could lock.
    fn holds(files: &[PathBuf]) -> (Self, usize) {
        let mut shell = Command::new("sh");
        shell.args(["-c", HOLD, "sh"]).args(files).uid(NOBODY).gid(NOBODY).current_dir("/");
        let mut child = shell.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines().take(files.len());
        let held = answers.filter(|answer| answer.as_ref().unwrap() == "held").count();
        (Stranger(child), held)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        fauxplat_sys::signal::send_to_group(self.0.id() as i32, fauxplat_sys::signal::SIGKILL);
        self.0.wait().unwrap();
    }
}

/// A user who can open a lock file can lock it, which looks as if a process were tuning.
fn nobody_else_keeps_root_from_restoring() {
    if !is_root() {
        return;
    }
    let machine = Machine::new();
    mode(machine.journal().parent().unwrap(), 0o755);
    let before = machine.all();
    let mut lock = machine.journal().into_os_string();
    lock.push(".lock");
    let files = [machine.journal(), lock.into()];
    machine.keep(&["swappiness=1"]);
    {
        let (_stranger, held) = Stranger::holds(&files);
        assert_eq!(held, 0, "another user opened a journal or a lock");
        assert!(machine.restore(false).unwrap().unwrap().complete);
    }
    assert_eq!(machine.all(), before);
    // At its time limit the guardian restores the machine, and kills a tuner that seems to hang because its journal is
    // locked. Locks of another user must not look like that.
    let limit = Some(Nanos(100_000_000));
    let tuned = machine.tune(&["swappiness=1"], |tuning| tuning.max = limit).unwrap();
    {
        let (_stranger, held) = Stranger::holds(&files);
        assert_eq!(held, 0, "another user opened a journal or a lock");
        while machine.read(SWAPPINESS) == "1" {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
    drop(tuned);
    assert_eq!(machine.all(), before);
    // An earlier version left lock files that all users can open; another user now holds these locks.
    machine.keep(&["swappiness=1"]);
    files.iter().for_each(|file| mode(file, 0o644));
    let (_stranger, held) = Stranger::holds(&files);
    assert_eq!(held, 2);
    assert!(machine.restore(false).unwrap().unwrap().complete, "after the patience for writers");
    assert_eq!(machine.all(), before);
}

/// Name of a flaw that makes a valid journal untrustworthy, and a function that produces it.
type Doubt = (&'static str, fn(&Path));

const DOUBTS: [Doubt; 9] = [
    ("its owner", |journal| chown(journal, Some(NOBODY), None).unwrap()),
    ("its mode", |journal| mode(journal, 0o666)),
    ("its group", |journal| mode(journal, 0o620)),
    ("the folder's owner", |journal| chown(journal.parent().unwrap(), Some(NOBODY), None).unwrap()),
    ("the folder's mode", |journal| mode(journal.parent().unwrap(), 0o777)),
    ("a folder like /tmp", |journal| mode(journal.parent().unwrap(), 0o1777)),
    ("a folder above", |journal| {
        let above = journal.parent().unwrap().parent().unwrap();
        chown(above, Some(NOBODY), None).unwrap();
    }),
    ("a link", |journal| {
        let real = journal.with_extension("real");
        fs::rename(journal, &real).unwrap();
        symlink(real, journal).unwrap();
    }),
    ("a pipe", |journal| {
        fs::remove_file(journal).unwrap();
        assert!(Command::new("mkfifo").arg(journal).status().unwrap().success());
    }),
];

fn what_others_may_have_written_is_not_acted_upon() {
    if !is_root() {
        return;
    }
    for (name, cast_doubt) in DOUBTS {
        let machine = Machine::new();
        let journal = machine.journal().with_file_name("deep").join("journal");
        let made = machine.tune(&["swappiness=1"], |tuning| tuning.journal = journal.clone());
        assert!(made.unwrap().keep(false).unwrap());
        let tuned = machine.all();
        cast_doubt(&journal);
        for force in [false, true] {
            let error = restore(&machine.root, &journal, Restore { force, wait: false }, "test").unwrap_err();
            assert!(!error.to_string().contains('\n'), "{name}: {error}");
        }
        assert!(status(&machine.root, &journal).is_err(), "{name}");
        let again = machine.tune(&["swappiness=2"], |tuning| {
            (tuning.journal, tuning.replace) = (journal.clone(), true);
        });
        assert!(again.is_err(), "{name}");
        assert_eq!(machine.all(), tuned, "{name}");
    }
    // A symbolic link in place of the lock file is not followed, and its target is not changed.
    let machine = Machine::new();
    let (precious, lock) = (machine.path("precious"), machine.journal().with_file_name("journal.lock"));
    fs::write(&precious, "precious").unwrap();
    symlink(&precious, lock).unwrap();
    let error = machine.tune(&["swappiness=1"], |_| {}).unwrap_err();
    assert!(matches!(error, TuneError::Journal { .. }), "{error}");
    assert_eq!(fs::read_to_string(precious).unwrap(), "precious");
}

fn journal_and_lock_are_their_owners_alone() {
    let machine = Machine::new();
    let folder = machine.journal().with_file_name("new");
    let journal = folder.join("journal");
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
    let done = shell.arg(KEEP).arg(machine.root.path()).arg(&journal).status().unwrap();
    assert!(done.success(), "{done}");
    assert_eq!(machine.read(SWAPPINESS), "1");
    let permissions = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(permissions(&folder), 0o700);
    for file in fs::read_dir(&folder).unwrap().flatten() {
        assert_eq!(permissions(&file.path()), 0o600, "{file:?}");
    }
    // A folder that existed before keeps its mode.
    let shared = machine.journal().with_file_name("shared");
    fs::DirBuilder::new().mode(0o755).create(&shared).unwrap();
    mode(&shared, 0o755);
    let elsewhere =
        machine.tune(&["numa-balancing=off"], |tuning| tuning.journal = shared.join("journal")).unwrap();
    assert_eq!((permissions(&shared), permissions(&shared.join("journal"))), (0o755, 0o600));
    drop(elsewhere);
    restore(&machine.root, &journal, Restore::default(), "test").unwrap().unwrap();
}

/// Ids of tasks in another PID namespace mean other tasks here.
fn a_journal_of_another_container_is_restored_there() {
    let machine = Machine::new();
    let before = machine.all();
    let namespace = |number: u32| {
        let folder = machine.path("proc/self/ns");
        fs::create_dir_all(&folder).unwrap();
        let _none = fs::remove_file(folder.join("pid"));
        symlink(format!("pid:[{number}]"), folder.join("pid")).unwrap();
    };
    namespace(1);
    machine.keep(&["swappiness=1"]);
    namespace(2);
    let error = machine.restore(false).unwrap_err();
    assert!(matches!(error, TuneError::OtherNamespace { .. }), "{error}");
    assert_eq!(machine.read(SWAPPINESS), "1");
    namespace(1);
    assert!(machine.restore(false).unwrap().unwrap().complete);
    assert_eq!(machine.all(), before);
}

/// If the boot id cannot be read, the journal may be of this boot or of another, so it is neither used nor removed.
fn a_boot_that_cannot_be_told_is_no_other_boot() {
    const BOOT_ID: &str = "proc/sys/kernel/random/boot_id";
    for text in [None, Some("\n")] {
        let machine = Machine::new();
        let before = machine.all();
        let hide = || match text {
            Some(text) => machine.write(BOOT_ID, text.as_bytes()),
            None => fs::remove_file(machine.path(BOOT_ID)).unwrap(),
        };
        hide();
        let error = machine.tune(&["swappiness=1"], |_| {}).unwrap_err();
        assert!(matches!(error, TuneError::NoBootId { .. }), "{error}");
        assert_eq!(machine.read(SWAPPINESS), before[SWAPPINESS]);
        machine.write(BOOT_ID, before[BOOT_ID].as_bytes());
        machine.keep(&["swappiness=1"]);
        hide();
        let error = machine.restore(false).unwrap_err();
        assert!(matches!(error, TuneError::NoBootId { .. }), "{error}");
        assert!(machine.journal().exists() && machine.read(SWAPPINESS) == "1");
        assert!(status(&machine.root, &machine.journal()).is_err());
        assert!(machine.restore(true).unwrap().unwrap().complete);
        assert_eq!(machine.read(SWAPPINESS), before[SWAPPINESS]);
    }
}

/// The value was written but could not be read back; it counts as written by fauxplat nevertheless.
fn a_value_that_could_not_be_read_back_is_put_back() {
    let machine = Machine::new();
    let before = machine.all();
    machine.keep(&["swappiness=1", "ksm=off"]);
    let journal = fs::read_to_string(machine.journal()).unwrap();
    assert!(journal.contains("\"value\":\"1\""), "{journal}");
    let unread = journal.lines().map(|line| {
        let body = line.split_once(' ').unwrap().1.replace("\"value\":\"1\"", "\"value\":null");
        format!("{:08x} {body}\n", crc32fast::hash(body.as_bytes()))
    });
    fs::write(machine.journal(), unread.collect::<String>()).unwrap();
    let back = machine.restore(false).unwrap().unwrap();
    assert_eq!((back.complete, outcome(&back.changes, SWAPPINESS)), (true, KnobOutcome::Restored));
    assert_eq!(machine.all(), before);
}
