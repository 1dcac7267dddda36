//! A CPU burner that comes and goes, like a neighbour.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fauxplat_sys::{clock, sched};
use fauxplat_units::CpuSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How a burner comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// It never rests.
    Always,
    /// Bursts and rests of random length, each uniform between the two bounds.
    Random {
        /// Shortest burst or rest.
        shortest_ms: u64,
        /// Longest burst or rest.
        longest_ms: u64,
    },
    /// So many per cent of every hundredth of a second.
    Share(u8),
}

/// A thread that burns CPU time until it is dropped.
#[derive(Debug)]
pub struct Burner {
    stop: Arc<AtomicBool>,
    burnt_ns: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

/// Iterations between two looks at the clock: some ten microseconds.
const SLICE: u64 = 20_000;
/// Period of a burner that burns a share of the time.
const SHARE_PERIOD_US: u64 = 10_000;

impl Burner {
    /// Starts a burner on these CPUs (`None`: wherever the scheduler puts it).
    ///
    /// # Errors
    /// The thread cannot be created or cannot run there.
    pub fn start(cpus: Option<&CpuSet>, rhythm: Rhythm, seed: u64) -> std::io::Result<Burner> {
        let (stop, burnt_ns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (told, count, cpus) = (Arc::clone(&stop), Arc::clone(&burnt_ns), cpus.cloned());
        let (ready, placed) = std::sync::mpsc::channel();
        let body = move || {
            let done = cpus.map_or(Ok(()), |cpus| sched::set_affinity(0, &cpus));
            let go_on = done.is_ok();
            // The receiver waits for exactly this message.
            let _ = ready.send(done.map_err(|error| error.source));
            if go_on {
                burn(rhythm, seed, &told, &count);
            }
        };
        let thread = std::thread::Builder::new().name("burner".into()).stack_size(64 << 10).spawn(body)?;
        let burner = Burner { stop, burnt_ns, thread: Some(thread) };
        placed.recv().map_err(std::io::Error::other)??;
        Ok(burner)
    }

    /// CPU time that it burnt so far.
    pub fn burnt_ns(&self) -> u64 {
        // Relaxed: a count for reports, which orders nothing.
        self.burnt_ns.load(Ordering::Relaxed)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn burn(rhythm: Rhythm, seed: u64, stop: &AtomicBool, burnt_ns: &AtomicU64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rest_and_burst_us = move || match rhythm {
        Rhythm::Always => (0, 1_000_000),
        Rhythm::Random { shortest_ms, longest_ms } => {
            let mut length_us = || random.random_range(shortest_ms..=longest_ms.max(shortest_ms)) * 1000;
            (length_us(), length_us())
        }
        Rhythm::Share(percent) => {
            let burst_us = u64::from(percent.min(100)) * SHARE_PERIOD_US / 100;
            (SHARE_PERIOD_US - burst_us, burst_us)
        }
    };
    while !stop.load(Ordering::Relaxed) {
        let (rest_us, burst_us) = rest_and_burst_us();
        if rest_us > 0 {
            std::thread::park_timeout(Duration::from_micros(rest_us));
        }
        let until_ns = clock::monotonic_ns() + burst_us * 1000;
        while clock::monotonic_ns() < until_ns && !stop.load(Ordering::Relaxed) {
            for i in 0..SLICE {
                std::hint::black_box(i);
            }
        }
        burnt_ns.store(clock::thread_cpu_ns(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn burns_and_ends() {
        let burner = Burner::start(None, Rhythm::Random { shortest_ms: 1, longest_ms: 3 }, 1).unwrap();
        while burner.burnt_ns() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(burner);
    }

    #[test]
    fn a_share_burns_less_than_all() {
        let burnt_in_ns = |rhythm, wall_ns: u64| {
            let burner = Burner::start(None, rhythm, 1).unwrap();
            let until_ns = clock::monotonic_ns() + wall_ns;
            while clock::monotonic_ns() < until_ns {
                std::thread::sleep(Duration::from_millis(5));
            }
            burner.burnt_ns()
        };
        let wall_ns = 200_000_000;
        let burnt_ns = burnt_in_ns(Rhythm::Share(20), wall_ns);
        // A busy machine may give less than the share, and never more.
        assert!(burnt_ns > 0 && burnt_ns < wall_ns / 2, "{burnt_ns}");
    }

    #[test]
    fn a_place_that_does_not_exist_is_refused() {
        let nowhere: CpuSet = "99999".parse().unwrap();
        assert!(Burner::start(Some(&nowhere), Rhythm::Always, 1).is_err());
    }
}
