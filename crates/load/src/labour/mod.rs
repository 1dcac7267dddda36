//! The work of each kind of load, in a file of its own if it is more than a loop.

mod faults;
mod files;
mod forks;
mod loops;
mod switches;
mod timers;
mod tlb;

use std::io;

use fauxplat_model::LoadKind;
use fauxplat_sys::clock;

use crate::order::Order;

/// Work that can be done in laps of any length.
pub(crate) trait Labour {
    /// Does this many units of the work, at least one.
    ///
    /// # Errors
    /// Fails where the kernel refuses a call, for example for lack of space or of processes.
    fn lap(&mut self, units: u64) -> io::Result<()>;

    /// Reading, in nanoseconds, of the clock by which the time at work is measured: the CPU time of this thread, unless
    /// the CPU time of a kind of work is spent elsewhere or the work waits for a device.
    fn busy_ns(&self) -> u64 {
        clock::thread_cpu_ns()
    }

    /// Number of operations that this many units of the work consist of.
    fn operations(&self, units: u64) -> u64 {
        units
    }
}

/// Prepares the work of an order on the thread that will do it, which is on its CPU already.
///
/// # Errors
/// Fails where the memory, file or thread of the work cannot be created.
pub(crate) fn ready(order: &Order) -> io::Result<Box<dyn Labour>> {
    Ok(match order.kind {
        LoadKind::Integer | LoadKind::Float | LoadKind::Branch | LoadKind::RealTime => {
            Box::new(loops::Arithmetic::new(order))
        }
        LoadKind::L1 | LoadKind::L2 | LoadKind::Llc | LoadKind::Memory => Box::new(loops::Lines::new(order)?),
        LoadKind::Tlb => Box::new(tlb::Walk::new()?),
        LoadKind::Faults => Box::new(faults::Faults::new()?),
        LoadKind::Forks => Box::new(forks::Forks),
        LoadKind::Switches => Box::new(switches::Switches::new()?),
        LoadKind::Timers => Box::new(timers::Timers::new()),
        LoadKind::Files => Box::new(files::Files::new(&order.folder)?),
    })
}

/// The I/O error of a failed kernel call.
fn plain(error: fauxplat_sys::SysError) -> io::Error {
    error.source
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Rhythm;
    use fauxplat_kernels::Caches;
    use fauxplat_units::Bytes;

    #[test]
    fn every_kind_works_and_its_clock_moves() {
        let caches = Caches { llc: Bytes(4 << 20), ..Caches::default() };
        for kind in LoadKind::ALL {
            let folder = std::env::temp_dir();
            let order = Order { kind, rhythm: Rhythm::Share(100), cpus: None, caches, folder };
            let mut labour = ready(&order).unwrap();
            let before_ns = labour.busy_ns();
            while labour.busy_ns() < before_ns + 2_000_000 {
                labour.lap(3).unwrap();
            }
            assert!(labour.operations(3) >= 3, "{kind}");
        }
    }
}
