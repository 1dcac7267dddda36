//! Reads edges in the kernel's format, from a line of the kernel or of the simulated chip.

use std::io::{self, Read};

use fauxplat_sys::gpio::{EVENT_BYTES, EdgeEvent};

use crate::{GpioError, LineEvent, Result, Stamp};

/// Number of events read at once; the kernel buffers sixteen per line.
const EVENTS_AT_ONCE: usize = 16;

/// State of reading a line: sequence number of its last event, and number of its lost events.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    last: Option<u32>,
    pub(crate) lost: u64,
}

impl Edges {
    /// Reads available events. End of file means that the line has vanished.
    pub(crate) fn take(&mut self, line: &str, from: &mut impl Read, into: &mut Vec<LineEvent>) -> Result<()> {
        let mut buffer = [0; EVENT_BYTES * EVENTS_AT_ONCE];
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => {
                    return Err(GpioError::Gone {
                        line: line.to_owned(),
                        why: "its chip is gone".to_owned(),
                    });
                }
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(GpioError::of_open(line, "read of an event", error)),
            };
            let (events, _) = buffer[..read].as_chunks::<EVENT_BYTES>();
            into.extend(events.iter().filter_map(EdgeEvent::read).map(|event| self.told(event)));
            if read < buffer.len() {
                return Ok(());
            }
        }
    }

    fn told(&mut self, event: EdgeEvent) -> LineEvent {
        // Sequence numbers begin with 1, and a gap means lost events.
        let expected = self.last.unwrap_or(0).wrapping_add(1);
        let skipped = event.number.wrapping_sub(expected);
        // A number that goes back shows a new numbering, and no lost event.
        self.lost += if skipped < u32::MAX / 2 { skipped.into() } else { 0 };
        self.last = Some(event.number);
        LineEvent { at_ns: event.at_ns, stamp: Stamp::Source, is_active: event.is_rising }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[u32]) -> Vec<u8> {
        let event = |&number: &u32| EdgeEvent { at_ns: 5, is_rising: true, offset: 0, number }.write();
        numbers.iter().flat_map(event).collect()
    }

    #[test]
    fn what_is_left_out_was_lost() {
        for (numbers, lost) in [(&[1, 2, 3][..], 0), (&[1, 4], 2), (&[3], 2), (&[1, 2, 1], 0)] {
            let (mut edges, mut into) = (Edges::default(), Vec::new());
            let all = bytes(numbers);
            let ended = edges.take("l", &mut all.as_slice(), &mut into);
            // These events fit into one read, so the end of the data is not seen as the end of the line.
            assert!(ended.is_ok());
            assert_eq!(into.len(), numbers.len());
            assert_eq!(edges.lost, lost, "{numbers:?}");
        }
    }

    #[test]
    fn the_end_of_the_file_is_the_end_of_the_line() {
        let (mut edges, mut into) = (Edges::default(), Vec::new());
        let all = bytes(&(1..=40).collect::<Vec<_>>());
        assert!(edges.take("l", &mut all.as_slice(), &mut into).is_ok());
        assert_eq!((into.len(), edges.lost), (40, 0));
        let gone = edges.take("sim:7", &mut io::empty(), &mut into).unwrap_err();
        assert!(gone.is_gone() && gone.to_string().contains("sim:7"), "{gone}");
    }
}
