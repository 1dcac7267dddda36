//! Loops of the crate `kernels`: arithmetic, and cache lines that are changed.

use std::io;

use fauxplat_kernels::{Kernel, Ready, Traffic};
use fauxplat_model::LoadKind;

use super::{Labour, plain};
use crate::order::Order;

/// Work that is arithmetic without any access to memory.
pub(super) struct Arithmetic(Ready);

impl Arithmetic {
    pub(super) fn new(order: &Order) -> Self {
        let kernel = match order.kind {
            LoadKind::Float => Kernel::Float,
            LoadKind::Branch => Kernel::Branch,
            _ => Kernel::IntegerPorts,
        };
        Arithmetic(Ready::new(kernel, &order.caches).expect("arithmetic walks no memory"))
    }
}

impl Labour for Arithmetic {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        std::hint::black_box(self.0.run(units));
        Ok(())
    }
}

/// Work that changes lines of a cache, or of memory.
pub(super) struct Lines(Traffic);

impl Lines {
    pub(super) fn new(order: &Order) -> io::Result<Self> {
        Traffic::new(order.footprint(), order.caches.line).map(Lines).map_err(plain)
    }
}

impl Labour for Lines {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        std::hint::black_box(self.0.run(units));
        Ok(())
    }

    fn operations(&self, units: u64) -> u64 {
        units * Traffic::LINES
    }
}
