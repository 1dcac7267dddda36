//! A chip without hardware. Its lines are sockets that carry events in the kernel's format, stamped at the edge, so
//! that a waiting thread takes the same path through the kernel's scheduler as with a real line; only the interrupt is
//! missing.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fauxplat_sys::clock;
use fauxplat_sys::gpio::EdgeEvent;

use crate::events::Edges;
use crate::{Chip, GpioError, Input, InputWish, Leave, LineEvent, Output, OutputWish, Result};

/// A simulated chip, which threads of this process may share.
#[derive(Clone, Debug)]
pub struct SimulatedChip(Arc<Mutex<Vec<State>>>);

/// State of a line.
#[derive(Debug, Default)]
struct State {
    is_high: bool,
    is_gone: bool,
    /// Label of the line's user; `None` if the line is free.
    consumer: Option<String>,
    /// Receivers of the line's edges.
    ears: Vec<Ear>,
}

/// A receiver of the edges of a line.
#[derive(Debug)]
struct Ear {
    socket: UnixStream,
    is_active_low: bool,
    /// Sequence number of the last event.
    number: u32,
}

impl Ear {
    /// Sends an edge; returns false if the receiver has gone. If the socket is full, the event is lost, which the
    /// receiver sees by a gap in the numbers.
    fn tell(&mut self, offset: u32, is_high: bool, at_ns: u64) -> bool {
        self.number = self.number.wrapping_add(1);
        let is_rising = is_high != self.is_active_low;
        let event = EdgeEvent { at_ns, is_rising, offset, number: self.number };
        let told = self.socket.write_all(&event.write());
        told.is_ok() || told.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl SimulatedChip {
    /// A chip with this many lines, all low.
    pub fn new(lines: u32) -> Self {
        SimulatedChip(Arc::new(Mutex::new((0..lines).map(|_| State::default()).collect())))
    }

    /// Sets the level of an input line, as a circuit outside the chip would; a change of the level is an edge. Returns
    /// the `CLOCK_MONOTONIC` time at which the level was set.
    ///
    /// # Errors
    /// Fails where there is no such line, or the line has vanished.
    pub fn drive(&self, line: u32, is_high: bool) -> Result<u64> {
        let name = name(line);
        let mut states = self.states();
        let state = states.get_mut(line as usize).ok_or_else(|| missing(&name))?;
        state.change(line, &name, is_high)
    }

    /// Observes the edges of a line from outside, whether or not another user has the line.
    ///
    /// # Errors
    /// Fails where there is no such line, or no socket can be created.
    pub fn watch(&self, line: u32) -> Result<Box<dyn Input>> {
        Ok(Box::new(self.listen(line, false, None)?))
    }

    pub fn is_high(&self, line: u32) -> bool {
        self.states().get(line as usize).is_some_and(|state| state.is_high)
    }

    /// Removes a line, as when a device is unplugged.
    pub fn unplug(&self, line: u32) {
        if let Some(state) = self.states().get_mut(line as usize) {
            state.is_gone = true;
            state.ears.clear();
        }
    }

    fn states(&self) -> MutexGuard<'_, Vec<State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a line for a user; returns its number and its full name.
    fn claim(&self, line: &str, consumer: &str) -> Result<(u32, String)> {
        let name = format!("sim:{line}");
        let number: u32 = line.parse().map_err(|_| missing(&name))?;
        let mut states = self.states();
        let state = states.get_mut(number as usize).ok_or_else(|| missing(&name))?;
        if state.is_gone {
            return Err(gone(&name));
        }
        if let Some(by) = &state.consumer {
            return Err(GpioError::Taken { line: name, by: by.clone() });
        }
        state.consumer = Some(consumer.to_owned());
        Ok((number, name))
    }

    fn listen(&self, line: u32, is_active_low: bool, held: Option<Held>) -> Result<SimulatedInput> {
        let name = name(line);
        let pair = UnixStream::pair().and_then(|(ours, theirs)| {
            ours.set_nonblocking(true)?;
            theirs.set_nonblocking(true)?;
            Ok((ours, theirs))
        });
        let (ours, theirs) = pair.map_err(|error| GpioError::opening(&name, "socketpair", error))?;
        let mut states = self.states();
        let state = states.get_mut(line as usize).ok_or_else(|| missing(&name))?;
        state.ears.push(Ear { socket: theirs, is_active_low, number: 0 });
        Ok(SimulatedInput { socket: ours, edges: Edges::default(), name, _held: held })
    }
}

fn name(line: u32) -> String {
    format!("sim:{line}")
}

fn missing(name: &str) -> GpioError {
    GpioError::Missing { line: name.to_owned(), why: "the simulated chip has no such line".to_owned() }
}

fn gone(name: &str) -> GpioError {
    GpioError::Gone { line: name.to_owned(), why: "the device was unplugged".to_owned() }
}

impl State {
    fn change(&mut self, line: u32, name: &str, is_high: bool) -> Result<u64> {
        if self.is_gone {
            return Err(gone(name));
        }
        let at_ns = clock::monotonic_ns();
        if self.is_high != is_high {
            self.is_high = is_high;
            self.ears.retain_mut(|ear| ear.tell(line, is_high, at_ns));
        }
        Ok(at_ns)
    }
}

/// Reservation of a line, which ends when dropped.
#[derive(Debug)]
struct Held {
    chip: SimulatedChip,
    line: u32,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(state) = self.chip.states().get_mut(self.line as usize) {
            state.consumer = None;
        }
    }
}

impl Chip for SimulatedChip {
    fn input(&self, line: &str, wish: &InputWish) -> Result<Box<dyn Input>> {
        let (line, _) = self.claim(line, &wish.consumer)?;
        let held = Held { chip: self.clone(), line };
        Ok(Box::new(self.listen(line, wish.is_active_low, Some(held))?))
    }

    fn output(&self, line: &str, wish: &OutputWish) -> Result<Box<dyn Output>> {
        let was_high = line.parse().is_ok_and(|line| self.is_high(line));
        let (line, name) = self.claim(line, &wish.consumer)?;
        let held = Held { chip: self.clone(), line };
        let mut output = SimulatedOutput { held, name, is_active_low: wish.is_active_low, was_high };
        output.set(wish.is_active)?;
        Ok(Box::new(output))
    }
}

#[derive(Debug)]
struct SimulatedInput {
    socket: UnixStream,
    edges: Edges,
    name: String,
    _held: Option<Held>,
}

impl Input for SimulatedInput {
    fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn take(&mut self, into: &mut Vec<LineEvent>) -> Result<()> {
        self.edges.take(&self.name, &mut self.socket, into)
    }

    fn lost(&self) -> u64 {
        self.edges.lost
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[derive(Debug)]
struct SimulatedOutput {
    held: Held,
    name: String,
    is_active_low: bool,
    was_high: bool,
}

impl SimulatedOutput {
    fn set_high(&self, is_high: bool) -> Result<u64> {
        let line = self.held.line;
        self.held.chip.states()[line as usize].change(line, &self.name, is_high)
    }
}

impl Output for SimulatedOutput {
    fn set(&mut self, is_active: bool) -> Result<u64> {
        self.set_high(is_active != self.is_active_low)
    }

    fn leave(&mut self, way: Leave) -> Result<()> {
        match way {
            Leave::Inactive => self.set(false),
            Leave::Active => self.set(true),
            Leave::AsItWas => self.set_high(self.was_high),
        }
        .map(drop)
    }

    fn name(&self) -> &str {
        &self.name
    }
}
