//! The handle by which the parent process starts a load generator, makes it work or rest, and reads its account.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::time::Duration;

use fauxplat_model::LoadAccount;
use fauxplat_sys::process::{self, Waited};
use fauxplat_sys::shared::{Doorbell, SharedWords, memory_file};
use fauxplat_sys::spawn::{ChildSetup, Image, StartSpace, start};
use fauxplat_sys::{clock, sched, signal};
use fauxplat_units::CpuSet;

use crate::LoadError;
use crate::Program;
use crate::board::{Board, Stage, WORDS, Wish, Word};
use crate::order::{Order, Rhythm};

/// A generator process. Dropping it ends the process.
#[derive(Debug)]
pub struct Generator {
    order: Order,
    pid: i32,
    memory: SharedWords,
    bell: Doorbell,
}

/// Time limit of the start: preparing the memory of the largest load takes some tenths of a second on a busy machine.
const BEGIN_NS_MAX: u64 = 30_000_000_000;
/// Time limit for following a request: a working generator notices a request after its lap, a sleeping generator after
/// its period. On a crowded CPU the generator may not run in this time.
const HEED_NS_MAX: u64 = 1_000_000_000;

/// Whether a request to stop ends a wait for a generator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heeds {
    /// A request to stop ends the wait: the load need not begin any more.
    Stop,
    /// A request to stop does not end the wait: an account is complete only when its generator rests, which is part of
    /// stopping.
    Nobody,
}

impl Generator {
    /// Starts a generator. On return the generator is on its CPU, has prepared its memory, and rests.
    ///
    /// The generator ends with the calling thread.
    ///
    /// # Errors
    /// Fails where the process, its memory or its file cannot be created, its CPU cannot be used, its policy is not
    /// permitted, or the user asked to stop.
    pub fn start(program: &Program, order: Order) -> Result<Self, LoadError> {
        if signal::stop_requested() {
            return Err(LoadError::Interrupted);
        }
        let memory = memory_file(WORDS)?;
        let mut generator =
            Generator { order, pid: 0, memory: SharedWords::map(&memory, WORDS)?, bell: Doorbell::new()? };
        generator.pid = generator.spawn(program, &memory)?;
        generator.beat();
        let began = generator.wait_until(BEGIN_NS_MAX, Heeds::Stop, |stage| stage != Stage::Begins);
        match generator.trouble() {
            Some(error) => Err(error),
            None if began => Ok(generator),
            None if signal::stop_requested() => Err(LoadError::Interrupted),
            None => Err(generator.late()),
        }
    }

    fn spawn(&self, program: &Program, memory: &File) -> Result<i32, LoadError> {
        let fds = [memory.as_raw_fd(), self.bell.fd()];
        let mut words = vec!["fauxplat".to_owned()];
        words.extend(program.words.iter().cloned());
        words.extend(fds.map(|fd| fd.to_string()));
        words.push(std::process::id().to_string());
        words.extend(self.order.to_words());
        let path = program.path.display().to_string();
        let mut image = Image::new(&path, &words, &[]).map_err(|error| self.fails(error.into()))?;
        let null = File::options().read(true).write(true).open("/dev/null").map_err(|it| self.fails(it))?;
        let setup = ChildSetup { stdio: [null.as_raw_fd(); 3], ..ChildSetup::default() };
        fds.iter().try_for_each(|&fd| process::keep_over_exec(fd, true))?;
        let started =
            signal::while_requests_wait(|| start(&mut image, &setup, None, &mut StartSpace::default()));
        fds.iter().try_for_each(|&fd| process::keep_over_exec(fd, false))?;
        let refused = |errno| self.fails(std::io::Error::from_raw_os_error(errno));
        Ok(started.map_err(|failed| refused(failed.errno))?.pid)
    }

    fn board(&self) -> Board<'_> {
        Board(self.memory.words())
    }

    pub fn order(&self) -> &Order {
        &self.order
    }

    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Makes the generator work, and waits up to a second until it does or the user asks to stop.
    pub fn work(&self) {
        self.beat();
        self.board().wish_for(Wish::Work);
        self.bell.ring();
        self.wait_until(HEED_NS_MAX, Heeds::Stop, |stage| stage != Stage::Rests);
    }

    /// Makes the generator rest, and waits up to a second until it does. The account of a resting generator is
    /// complete.
    pub fn rest(&self) {
        self.board().wish_for(Wish::Rest);
        self.wait_until(HEED_NS_MAX, Heeds::Nobody, |stage| !matches!(stage, Stage::Works | Stage::Away));
    }

    /// Tells the watchdog of a real-time load that fauxplat is alive.
    pub(crate) fn beat(&self) {
        self.board().write(Word::HeartbeatNs, clock::monotonic_ns());
    }

    /// Waits until the stage satisfies the condition; returns whether it did.
    fn wait_until(&self, longest_ns: u64, heeds: Heeds, done: impl Fn(Stage) -> bool) -> bool {
        let until_ns = clock::monotonic_ns() + longest_ns;
        while !done(self.board().stage()) {
            let is_stopped = heeds == Heeds::Stop && signal::stop_requested();
            if is_stopped || clock::monotonic_ns() > until_ns || self.is_gone() {
                return false;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        true
    }

    /// Whether the process has ended; a generator never ends by itself.
    fn is_gone(&self) -> bool {
        process::start_ticks(self.pid.unsigned_abs()).is_none()
    }

    /// Error that keeps the generator from working; `None` if there is none.
    fn trouble(&self) -> Option<LoadError> {
        let (kind, place) = (self.order.kind, self.place());
        let source = std::io::Error::from_raw_os_error(self.board().read(Word::Errno) as i32);
        match self.board().stage() {
            Stage::NoPlace => Some(LoadError::Place { kind, place, source }),
            Stage::NoPolicy => Some(LoadError::Policy { kind, place, source }),
            Stage::Failed => Some(LoadError::Failed { kind, place, source }),
            _ if self.is_gone() => Some(LoadError::Failed {
                kind,
                place,
                source: std::io::Error::other("its process was ended"),
            }),
            Stage::Begins | Stage::Rests | Stage::Works | Stage::Away => None,
        }
    }

    fn fails(&self, source: std::io::Error) -> LoadError {
        LoadError::Failed { kind: self.order.kind, place: self.place(), source }
    }

    fn late(&self) -> LoadError {
        let (kind, place) = (self.order.kind, self.place());
        LoadError::Late { kind, place, seconds: BEGIN_NS_MAX / 1_000_000_000 }
    }

    /// The reason why the load will not work any more; `None` while it may. A generator whose CPU is offline resumes
    /// when the CPU is back.
    pub(crate) fn over(&self) -> Option<String> {
        self.trouble().map(|error| error.to_string())
    }

    fn place(&self) -> String {
        self.order.cpus.as_ref().map_or("any CPU".to_owned(), |cpus| format!("CPU {cpus}"))
    }

    pub fn account(&self) -> LoadAccount {
        let board = self.board();
        let (busy_ns, wall_ns) = (board.read(Word::BusyNs), board.read(Word::WallNs));
        let asked_percent = match self.order.rhythm {
            Rhythm::Share(percent) => percent,
            Rhythm::Random { .. } => 50,
        };
        let away =
            (board.stage() == Stage::Away).then(|| "its CPU is offline or not allowed any more".to_owned());
        LoadAccount {
            kind: self.order.kind,
            cpu: self.order.cpus.as_ref().and_then(CpuSet::first),
            asked_percent,
            achieved_percent: (wall_ns > 0).then(|| busy_ns as f64 / wall_ns as f64 * 100.0),
            busy_ns,
            wall_ns,
            run_delay_ns: (board.read(Word::TellsDelay) == 1).then(|| board.read(Word::RunDelayNs)),
            away_ns: board.read(Word::AwayNs),
            operations: board.read(Word::Operations),
            operation: self.order.kind.operation().to_owned(),
            footprint_bytes: self.order.footprint(),
            watchdog_frees: board.read(Word::WatchdogFrees),
            ended: self.over().or(away),
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        if self.pid > 0 {
            signal::send(self.pid, signal::SIGKILL);
            self.wait_until(HEED_NS_MAX, Heeds::Nobody, |_| false);
            // On a CPU that another task occupies all the time, the killed process never runs and so cannot end; it is
            // therefore allowed on other CPUs.
            if !self.is_gone()
                && let Ok(anywhere) = sched::affinity(0)
            {
                let _gone_meanwhile = sched::set_affinity(self.pid, &anywhere);
            }
            while process::wait(self.pid, true) == Waited::Interrupted {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use fauxplat_kernels::Caches;
    use fauxplat_model::LoadKind;

    use super::*;

    /// A generator whose process is gone.
    fn without_process(kind: LoadKind) -> Generator {
        let cpus = Some([fauxplat_units::Cpu(3)].into_iter().collect());
        let (rhythm, caches) = (Rhythm::Share(10), Caches::default());
        let order = Order { kind, rhythm, cpus, caches, folder: PathBuf::from("/") };
        let memory = SharedWords::map(&memory_file(WORDS).unwrap(), WORDS).unwrap();
        Generator { order, pid: 0, memory, bell: Doorbell::new().unwrap() }
    }

    /// Time away is a sum that never decreases, and says nothing about the end of the process.
    #[test]
    fn one_that_was_away_can_end_too() {
        let generator = without_process(LoadKind::Integer);
        generator.board().write(Word::AwayNs, 1_000);
        assert!(generator.account().away_ns > 0);
        for stage in [Stage::Works, Stage::Away] {
            generator.board().enter(stage);
            assert!(generator.over().is_some_and(|why| why.contains("its process was ended")), "{stage:?}");
        }
    }

    #[test]
    fn one_that_is_late_names_its_cpu_and_what_may_have_it() {
        let told = without_process(LoadKind::Llc).late().to_string();
        for words in ["load llc on CPU 3", "30 s", "real-time", "quota"] {
            assert!(told.contains(words), "{told}");
        }
    }
}
