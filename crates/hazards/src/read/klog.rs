//! The kernel's log, record by record.

use std::fs::File;
use std::io::{ErrorKind, Read};

use crate::tree::{Missing, Tree};

const PATH: &str = "dev/kmsg";

/// Records that are read: a buffer of the usual size holds some thousands.
const RECORDS_MAX: usize = 20_000;

/// The messages that the kernel still holds, oldest first, without their prefixes.
///
/// `/dev/kmsg` gives one record per read and would wait for the next at the end, hence without blocking. The format is
/// `priority,number,microseconds,flags;message`, see Documentation/ABI/testing/dev-kmsg of the kernel.
pub(crate) fn messages(tree: &Tree) -> Result<Vec<String>, Missing> {
    let mut file = tree.open_any(PATH)?;
    let mut messages = Vec::new();
    let mut buffer = [0; 8192];
    while messages.len() < RECORDS_MAX {
        match next(&mut file, &mut buffer) {
            Some(0) | None => break,
            Some(length) => messages.extend(lines(&String::from_utf8_lossy(&buffer[..length]))),
        }
    }
    Ok(messages)
}

/// Bytes of the next record; a record that was overwritten meanwhile (EPIPE) is passed over.
fn next(file: &mut File, buffer: &mut [u8]) -> Option<usize> {
    for _ in 0..RECORDS_MAX {
        match file.read(buffer) {
            Ok(length) => return Some(length),
            Err(error) if error.kind() == ErrorKind::BrokenPipe || error.kind() == ErrorKind::Interrupted => {
            }
            Err(_) => return None,
        }
    }
    None
}

/// A read of the device gives one record; a read of a file, many lines.
fn lines(text: &str) -> Vec<String> {
    let message = |line: &str| line.split_once(';').map(|(_, message)| message.to_owned());
    text.lines().filter(|line| !line.starts_with(' ')).filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn records_are_messages_without_their_prefix() {
        let text =
            "6,339,5140900,-;NET: Registered\n SUBSYSTEM=x\n4,340,7,-;RT throttling; activated\nnoise\n";
        assert_eq!(super::lines(text), ["NET: Registered", "RT throttling; activated"]);
    }
}
