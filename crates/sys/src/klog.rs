//! Reads the kernel's log, record by record.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Path of the log device, relative to the root directory. Each read of the device returns one record; at the end a
/// blocking read would wait.
pub const PATH: &str = "dev/kmsg";

/// Maximum number of records that are read: a buffer of the usual size holds some thousands.
const RECORDS_MAX: usize = 20_000;

/// A message of the kernel, or of a program that writes into its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Sequence number, which increases with each record of a boot.
    pub number: u64,
    /// Message without the prefix of priority, number, time and flags.
    pub message: String,
}

/// Opens the log without waiting for new records. Below another root the path may be a plain file.
///
/// # Errors
/// Returns the errors of `open(2)`: with `kernel.dmesg_restrict` an ordinary user is refused.
pub fn open(root: &Path) -> std::io::Result<File> {
    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(root.join(PATH))
}

/// Returns the records that the log still holds, oldest first.
///
/// The format is `priority,number,microseconds,flags;message`, see `Documentation/ABI/testing/dev-kmsg` of the kernel.
pub fn records(log: &mut impl Read) -> Vec<Record> {
    let mut records = Vec::new();
    let mut buffer = [0; 8192];
    while records.len() < RECORDS_MAX {
        match next(log, &mut buffer) {
            Some(0) | None => break,
            Some(length) => records.extend(parse(&String::from_utf8_lossy(&buffer[..length]))),
        }
    }
    records
}

/// Reads the next record and returns its size; a record that was overwritten meanwhile (EPIPE) is skipped.
fn next(log: &mut impl Read, buffer: &mut [u8]) -> Option<usize> {
    for _ in 0..RECORDS_MAX {
        match log.read(buffer) {
            Ok(length) => return Some(length),
            Err(error) if error.kind() == ErrorKind::BrokenPipe || error.kind() == ErrorKind::Interrupted => {
            }
            Err(_) => return None,
        }
    }
    None
}

/// Parses the text of one read: one record of the device, or many lines of a file.
fn parse(text: &str) -> Vec<Record> {
    let record = |line: &str| {
        let (prefix, message) = line.split_once(';')?;
        let number = prefix.split(',').nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
        Some(Record { number, message: message.to_owned() })
    };
    text.lines().filter(|line| !line.starts_with(' ')).filter_map(record).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn records_are_messages_with_their_number() {
        let text =
            "6,339,5140900,-;NET: Registered\n SUBSYSTEM=x\n4,340,7,-;RT throttling; activated\nnoise\n";
        let found = records(&mut text.as_bytes());
        let told: Vec<(u64, &str)> =
            found.iter().map(|record| (record.number, record.message.as_str())).collect();
        assert_eq!(told, [(339, "NET: Registered"), (340, "RT throttling; activated")]);
    }

    /// On a machine whose log can be read, the sequence numbers increase.
    #[test]
    fn the_log_of_this_machine_is_in_order() {
        let Ok(mut log) = open(Path::new("/")) else { return };
        let found = records(&mut log);
        assert!(found.is_sorted_by_key(|record| record.number));
    }

    #[test]
    fn a_log_of_endless_records_is_read_to_a_bound() {
        let mut endless = std::io::repeat(b'\n').chain(&b""[..]);
        assert!(records(&mut endless.by_ref().take(1 << 20)).is_empty(), "empty lines are no records");
        struct Same;
        impl Read for Same {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let line = b"6,1,1,-;x\n";
                buffer[..line.len()].copy_from_slice(line);
                Ok(line.len())
            }
        }
        assert_eq!(records(&mut Same).len(), RECORDS_MAX);
    }

    proptest! {
        #[test]
        fn every_record_is_read_as_it_was_written(all in proptest::collection::vec((any::<u64>(), "[^\n\r]{0,40}"), 0..20)) {
            let text: String = all.iter().map(|(number, message)| format!("6,{number},1,-;{message}\n")).collect();
            // A file is read in pieces of any length; here the whole text fits into a single piece.
            prop_assume!(text.len() < 8192);
            let found: Vec<(u64, String)> =
                records(&mut text.as_bytes()).into_iter().map(|it| (it.number, it.message)).collect();
            prop_assert_eq!(found, all);
        }

        #[test]
        fn any_text_is_records_or_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for record in records(&mut bytes.as_slice()) {
                prop_assert!(!record.message.contains('\n'));
            }
        }
    }
}
