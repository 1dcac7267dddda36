//! The load generators that work during one measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fauxplat_model::{LoadAccount, LoadKind};

use crate::LoadError;
use crate::Program;
use crate::generator::Generator;
use crate::order::Order;
use crate::watchdog::BEAT_NS;

/// Generators that begin to work when all of them are ready, and end when dropped.
#[derive(Debug)]
pub struct Loads {
    generators: Arc<Vec<Generator>>,
    heart: Option<Heart>,
}

/// Thread that regularly tells the watchdogs of real-time loads that fauxplat is alive.
#[derive(Debug)]
struct Heart {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Loads {
    /// Starts all generators, and makes them work when all are ready.
    ///
    /// # Errors
    /// Returns the error of the first generator that cannot be started, after ending the others. Fails also where the
    /// user asked to stop.
    pub fn start(program: &Program, orders: Vec<Order>) -> Result<Self, LoadError> {
        let real_time = orders.iter().any(|order| order.kind == LoadKind::RealTime);
        let generators: Vec<Generator> =
            orders.into_iter().map(|order| Generator::start(program, order)).collect::<Result<_, _>>()?;
        let generators = Arc::new(generators);
        let heart = if real_time { Some(Heart::start(&generators)?) } else { None };
        let loads = Loads { generators, heart };
        loads.each(Generator::work);
        Ok(loads)
    }

    fn each<T>(&self, tell: impl Fn(&Generator) -> T) -> Vec<T> {
        self.generators.iter().map(tell).collect()
    }

    pub fn accounts(&self) -> Vec<LoadAccount> {
        self.each(Generator::account)
    }

    /// The reason why no load will work any more; `None` while at least one may.
    pub fn all_over(&self) -> Option<String> {
        let reasons: Option<Vec<String>> = self.generators.iter().map(Generator::over).collect();
        reasons?.into_iter().next()
    }

    /// Ends the work; returns the final accounts.
    pub fn end(self) -> Vec<LoadAccount> {
        self.each(Generator::rest);
        self.accounts()
    }
}

impl Heart {
    fn start(generators: &Arc<Vec<Generator>>) -> Result<Self, LoadError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (told, generators) = (Arc::clone(&stop), Arc::clone(generators));
        let beat = move || {
            while !told.load(Ordering::Relaxed) {
                generators.iter().for_each(Generator::beat);
                std::thread::park_timeout(Duration::from_nanos(BEAT_NS));
            }
        };
        let thread = std::thread::Builder::new().name("heart".into()).stack_size(64 << 10).spawn(beat);
        let thread = thread.map_err(|source| LoadError::Failed {
            kind: LoadKind::RealTime,
            place: "its keeper".to_owned(),
            source,
        })?;
        Ok(Heart { stop, thread })
    }
}

impl Drop for Loads {
    fn drop(&mut self) {
        if let Some(Heart { stop, thread }) = self.heart.take() {
            stop.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
