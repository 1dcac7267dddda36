//! Keys and buttons of the kernel's input devices: `linux/input.h`, and `Documentation/input/input.rst` of Linux.
#![expect(unsafe_code, reason = "ioctl(2) has no safe form in std")]

use std::fs::File;
use std::mem::offset_of;
use std::os::fd::AsRawFd;

use crate::{Result, SysError};

/// Type of an event's seconds and microseconds in the kernel: a `long`, whatever the C library's `time_t` is.
type Word = libc::c_ulong;

pub const EVENT_BYTES: usize = size_of::<libc::input_event>();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyEvent {
    /// Time of the event, by the wall clock, or by the clock that was set for the device
    /// ([`stamp_by_monotonic_clock`]).
    pub at_ns: u64,
    /// Code of the key, from `linux/input-event-codes.h`.
    pub code: u16,
    /// Whether the key was pressed, rather than released.
    pub is_down: bool,
}

/// An event of an input device that concerns a key, or the loss of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEvent {
    Key(KeyEvent),
    /// The kernel dropped events for lack of room.
    Lost,
}

const EV_SYN: u16 = 0;
const EV_KEY: u16 = 1;
const SYN_DROPPED: u16 = 3;

impl InputEvent {
    /// Decodes an event; `None` if no key was pressed or released. The repetition of a held key is neither.
    pub fn read(bytes: &[u8; EVENT_BYTES]) -> Option<Self> {
        let two = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let (kind, code) =
            (two(offset_of!(libc::input_event, type_)), two(offset_of!(libc::input_event, code)));
        let value = offset_of!(libc::input_event, value);
        let value = i32::from_ne_bytes(std::array::from_fn(|at| bytes[value + at]));
        match (kind, value) {
            (EV_KEY, 0 | 1) => {
                Some(InputEvent::Key(KeyEvent { at_ns: moment_ns(bytes), code, is_down: value == 1 }))
            }
            (EV_SYN, _) if code == SYN_DROPPED => Some(InputEvent::Lost),
            _ => None,
        }
    }

    /// Encodes a key event as the kernel writes it, for tests that stand in for a device.
    pub fn write(key: KeyEvent) -> [u8; EVENT_BYTES] {
        let mut bytes = [0; EVENT_BYTES];
        let mut put = |at: usize, some: &[u8]| bytes[at..at + some.len()].copy_from_slice(some);
        put(0, &((key.at_ns / 1_000_000_000) as Word).to_ne_bytes());
        let us = key.at_ns % 1_000_000_000 / 1000;
        put(size_of::<Word>(), &(us as Word).to_ne_bytes());
        put(offset_of!(libc::input_event, type_), &EV_KEY.to_ne_bytes());
        put(offset_of!(libc::input_event, code), &key.code.to_ne_bytes());
        put(offset_of!(libc::input_event, value), &i32::from(key.is_down).to_ne_bytes());
        bytes
    }
}

/// Returns the time of an event, whose first words are seconds and microseconds.
#[expect(clippy::unnecessary_cast, reason = "a word has 64 bits here, and 32 elsewhere")]
fn moment_ns(bytes: &[u8; EVENT_BYTES]) -> u64 {
    let word = |from: usize| Word::from_ne_bytes(std::array::from_fn(|at| bytes[from + at]));
    let (seconds, us) = (word(0), word(size_of::<Word>()));
    // The arithmetic saturates, since a simulated device may write any value.
    (seconds as u64).saturating_mul(1_000_000_000).saturating_add((us as u64).saturating_mul(1000))
}

/// The ioctl `EVIOCSCLOCKID`.
const SET_CLOCK: libc::Ioctl = libc::_IOW::<libc::c_int>(b'E' as u32, 0xa0);

/// Makes a device stamp its events by `CLOCK_MONOTONIC` instead of the wall clock.
///
/// # Errors
/// Fails where the file is no input device.
pub fn stamp_by_monotonic_clock(device: &File) -> Result<()> {
    let clock: libc::c_int = libc::CLOCK_MONOTONIC;
    // SAFETY: the call reads one integer, which outlives it.
    match unsafe { libc::ioctl(device.as_raw_fd(), SET_CLOCK, &raw const clock) } {
        -1 => Err(SysError::last("EVIOCSCLOCKID")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_as_they_were() {
        if cfg!(target_pointer_width = "64") {
            assert_eq!((EVENT_BYTES, SET_CLOCK as u32), (24, 0x4004_45a0));
        }
        for is_down in [true, false] {
            let key = KeyEvent { at_ns: 7_000_123_000, code: 28, is_down };
            assert_eq!(InputEvent::read(&InputEvent::write(key)), Some(InputEvent::Key(key)));
        }
        let mut repeats = InputEvent::write(KeyEvent { at_ns: 1000, code: 28, is_down: true });
        repeats[offset_of!(libc::input_event, value)] = 2;
        assert_eq!(InputEvent::read(&repeats), None);
        assert_eq!(InputEvent::read(&[0; EVENT_BYTES]), None, "the end of a report");
        let mut lost = [0; EVENT_BYTES];
        lost[offset_of!(libc::input_event, code)] = 3;
        assert_eq!(InputEvent::read(&lost), Some(InputEvent::Lost));
    }

    #[test]
    fn no_bytes_are_too_strange() {
        for byte in 0..=u8::MAX {
            let _ = InputEvent::read(&[byte; EVENT_BYTES]);
        }
        assert!(stamp_by_monotonic_clock(&File::open("/dev/null").unwrap()).is_err());
    }
}
