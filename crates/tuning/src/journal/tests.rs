//! A journal is read exactly as written, and damage is found wherever it is.

use super::*;

fn journal(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (path, root) = (folder.join("journal"), Root::new(folder));
    // Permissions that do not depend on the umask.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    fs::create_dir_all(folder.join(BOOT_ID).parent().unwrap()).unwrap();
    fs::write(folder.join(BOOT_ID), "a-boot\n").unwrap();
    let mut journal = Journal::create(&path, &root, &["fauxplat".into(), "tune".into()]).unwrap();
    for (want, file) in [("1", "proc/sys/vm/swappiness"), ("2", "sys/kernel/mm/ksm/run")] {
        let file = file.to_owned();
        let action = Action::Write { file, form: Default::default(), old: "0\n".into(), want: want.into() };
        let seq = journal.announce("ksm", Group::Memory, &action).unwrap();
        journal.got(seq, Some(want.into())).unwrap();
    }
    path
}

#[test]
fn a_journal_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path());
    let story = read(&path).unwrap().unwrap();
    assert_eq!((story.entries.len(), story.kept, story.cut), (2, false, None));
    assert_eq!(story.entries[1].got, Some(Some("2".into())));
    let mut again = Journal::reopen(&path).unwrap().unwrap();
    again.settle(vec![0]).unwrap();
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap());
    assert_eq!(mode & 0o777, 0o600, "for nobody else");
    again.keep(None).unwrap();
    let story = read(&path).unwrap().unwrap();
    assert_eq!((story.entries.len(), story.entries[0].seq, story.kept), (1, 1, true));
    again.remove().unwrap();
    assert_eq!(read(&path).unwrap(), None);
    assert!(Journal::reopen(&path).unwrap().is_none());
}

/// A cpuset outside the control group namespace is named `/..` in `/proc/PID/cpuset`, and no journal may contain such a
/// path.
#[test]
fn what_could_not_be_read_back_is_not_announced() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path());
    let whole = read(&path).unwrap();
    let (mask, tasks) = ("0-3".parse().unwrap(), vec![(1, 1)]);
    let outside = crate::changes::SavedTasks { mask, cpuset: "/../x".into(), tasks };
    let snapshot = crate::changes::Snapshot { tasks: vec![outside], ..Default::default() };
    let mut again = Journal::reopen(&path).unwrap().unwrap();
    let error = again.announce("smt", Group::Tasks, &Action::Snapshot(snapshot)).unwrap_err();
    assert!(matches!(error, TuneError::Implausible { .. }), "{error}");
    again.close();
    assert_eq!(read(&path).unwrap(), whole);
}

/// An incomplete record is reported wherever the file ends, every changed byte is found, and reading never panics.
#[test]
fn damage_is_found_at_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path());
    let bytes = fs::read(&path).unwrap();
    for end in 0..bytes.len() {
        match parse(&path, &bytes[..end]) {
            Ok(story) => assert_eq!(story.cut.is_none(), bytes[end - 1] == b'\n', "cut at {end}"),
            Err(error) => assert!(matches!(error, TuneError::Damaged { record: 1, .. }), "{error}"),
        }
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x15;
        let read = parse(&path, &changed);
        let cut = |story: &Story| story.cut.is_some();
        assert!(read.as_ref().map_or(true, cut), "byte {at}: {read:?}");
    }
}

#[test]
fn a_later_format_is_named_and_not_guessed_at() {
    let text = format!("{{\"fauxplat_journal\":{},\"anything\":[]}}", FORMAT + 1);
    let line = format!("{:08x} {text}\nwhatever follows\n", crc32fast::hash(text.as_bytes()));
    let error = parse(Path::new("j"), line.as_bytes()).unwrap_err();
    assert!(matches!(error, TuneError::Newer { found: 2, known: 1, .. }), "{error}");
}
