//! Two threads on one CPU that wake each other.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use fauxplat_sys::clock;
use fauxplat_sys::wake::EventCounter;

use super::{Labour, plain};

/// Number of round trips in a unit.
const TRIPS: u64 = 4;

pub(super) struct Switches {
    there: Arc<EventCounter>,
    back: Arc<EventCounter>,
    /// Thread that lives as long as the process, and sleeps between wake-ups.
    _partner: JoinHandle<()>,
}

impl Switches {
    /// Starts the partner, which inherits the CPU of the calling thread.
    pub(super) fn new() -> io::Result<Self> {
        let there = Arc::new(EventCounter::new().map_err(plain)?);
        let back = Arc::new(EventCounter::new().map_err(plain)?);
        let (heard, answer) = (Arc::clone(&there), Arc::clone(&back));
        let partner = std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
            loop {
                if heard.take() {
                    answer.add();
                }
            }
        })?;
        Ok(Switches { there, back, _partner: partner })
    }
}

impl Labour for Switches {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        for _ in 0..units * TRIPS {
            self.there.add();
            while !self.back.take() {}
        }
        Ok(())
    }

    /// CPU time of both threads.
    fn busy_ns(&self) -> u64 {
        clock::process_cpu_ns()
    }

    fn operations(&self, units: u64) -> u64 {
        // Two switches per round trip.
        units * TRIPS * 2
    }
}
