//! Keys and buttons with a driver in the kernel, as events of input devices.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use fauxplat_sys::clock;
use fauxplat_sys::files::open_without_waiting;
use fauxplat_sys::input::{EVENT_BYTES, InputEvent, KeyEvent, stamp_by_monotonic_clock};

use crate::{Chip, GpioError, Input, InputWish, LineEvent, Output, OutputWish, Result, Stamp};

/// An input device such as `/dev/input/event3`.
#[derive(Debug)]
pub struct Keys {
    path: PathBuf,
    name: String,
}

impl Keys {
    pub fn new(path: &Path, name: &str) -> Self {
        Keys { path: path.to_owned(), name: name.to_owned() }
    }
}

impl Chip for Keys {
    fn input(&self, line: &str, _wish: &InputWish) -> Result<Box<dyn Input>> {
        let name = format!("key:{}:{line}", self.name);
        let code = line.parse().map_err(|_| GpioError::Missing {
            line: name.clone(),
            why: "codes of keys are numbers up to 65535".to_owned(),
        })?;
        let open = open_without_waiting(File::options().read(true), &self.path);
        let device =
            open.map_err(|error| GpioError::opening(&name, self.path.display().to_string(), error))?;
        // A pipe that stands in for a device has no clock, so its events get the time at which they are read.
        let stamp = if stamp_by_monotonic_clock(&device).is_ok() { Stamp::Source } else { Stamp::Reader };
        Ok(Box::new(Key { device, code, stamp, lost: 0, name }))
    }

    fn output(&self, line: &str, _wish: &OutputWish) -> Result<Box<dyn Output>> {
        let line = format!("key:{}:{line}", self.name);
        Err(GpioError::Unfit { line, why: "a key cannot be driven" })
    }
}

#[derive(Debug)]
struct Key {
    device: File,
    code: u16,
    stamp: Stamp,
    lost: u64,
    name: String,
}

impl Key {
    fn told(&mut self, event: InputEvent, into: &mut Vec<LineEvent>) {
        match event {
            InputEvent::Key(KeyEvent { at_ns, code, is_down }) if code == self.code => {
                let at_ns = if self.stamp == Stamp::Source { at_ns } else { clock::monotonic_ns() };
                into.push(LineEvent { at_ns, stamp: self.stamp, is_active: is_down });
            }
            InputEvent::Key(_) => {}
            // The kernel reports that events were lost, and not how many, so each report counts as one event.
            InputEvent::Lost => self.lost += 1,
        }
    }
}

impl Input for Key {
    fn fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }

    fn take(&mut self, into: &mut Vec<LineEvent>) -> Result<()> {
        let mut buffer = [0; EVENT_BYTES * 32];
        loop {
            let read = match self.device.read(&mut buffer) {
                // End of file: a pipe that stands in for a device has no writer at the moment.
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(GpioError::of_open(&self.name, "read of an event", error)),
            };
            let (events, _) = buffer[..read].as_chunks::<EVENT_BYTES>();
            events.iter().filter_map(InputEvent::read).for_each(|event| self.told(event, into));
        }
    }

    fn lost(&self) -> u64 {
        self.lost
    }

    fn name(&self) -> &str {
        &self.name
    }
}
