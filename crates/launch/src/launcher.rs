//! Interface between the runner, which executes a plan, and the parts that start programs.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use fauxplat_model::{HeldCondition, MetricSet, Process, Sources};
use fauxplat_sys::spawn::Stage;

use crate::error::missing_interpreter;
use crate::ring::{Reply, Request, RunEnd};
use crate::table::Table;
use crate::{Heard, Held, LaunchError};

const ENOENT: i32 = 2;

/// Starts programs and reports how they ended, as the [`Spawner`](crate::Spawner) does.
///
/// Time and interruption come from the launcher as well, so that a simulated launcher can have a clock of its own and a
/// test can interrupt an experiment without a signal.
pub trait Launcher: Debug + Send {
    fn table(&self) -> &Table;

    /// Metrics of each run, in the order of [`Reply::readings`].
    fn metrics(&self) -> &Arc<MetricSet>;

    fn depth(&self) -> usize;

    /// Number of requests that were submitted and not yet answered.
    fn under_way(&self) -> usize;

    /// Submits a run. The caller keeps [`Launcher::under_way`] below [`Launcher::depth`].
    fn submit(&mut self, request: Request);

    /// Takes the next reply if there is one. Replies come in the order of their requests.
    fn try_reply(&mut self) -> Option<Reply>;

    /// Sleeps until a reply is there, a signal arrives or the timeout has passed.
    ///
    /// # Errors
    /// Fails if the process that starts the programs has ended.
    fn wait(&mut self, timeout_ms: i32) -> Result<(), LaunchError>;

    /// Stops the run under way and all waiting requests, each of which is answered by [`RunEnd::Aborted`].
    fn abort(&mut self);

    fn tree(&mut self) -> Vec<Process>;

    /// Sources from which the readings of a run come, such as exit records; known once the first reply has arrived.
    fn sources(&self) -> Sources;

    /// Number of runs so far without CPU time, run-queue wait, peak memory and migrations, because more of their tasks
    /// ended than the kernel had room to report.
    fn lossy_runs(&self) -> u64 {
        0
    }

    /// A second launcher with the same programs and clock, for runs at the same moment as those of this launcher.
    ///
    /// # Errors
    /// Fails if the second launcher cannot be started.
    fn partner(&self) -> Result<Box<dyn Launcher>, LaunchError>;

    /// Nanoseconds of the clock by which runs are started and timed.
    fn now_ns(&self) -> u64;

    fn sleep(&mut self, duration_ns: u64);

    fn stops(&self) -> u32;

    fn stop_requested(&self) -> bool {
        self.stops() > 0
    }

    /// Creates the process of a run and holds it before its first instruction, its condition already applied. No other
    /// request may be under way.
    ///
    /// A held run is no timed sample, because it begins in a process that slept until its release. Its reply says so.
    ///
    /// # Errors
    /// Fails if the process cannot be created under its condition, or the run was stopped before it was held.
    fn hold(&mut self, request: Request) -> Result<Held<'_>, LaunchError>;

    /// The condition of the process of this request just before its program would begin, as the kernel shows it; the
    /// program is not started. `None` where the launcher starts no processes.
    ///
    /// # Errors
    /// Fails as [`Launcher::hold`] does.
    fn read_back(&mut self, _request: Request) -> Result<Option<HeldCondition>, LaunchError> {
        Ok(None)
    }

    /// Number of times that another process had stopped the process that runs the programs, which was then continued. A
    /// run under way at that time was measured as too long.
    fn stopped_by_others(&self) -> u64 {
        0
    }

    /// The error behind a run of this entry that was not started or not reported, with its command line; `None` for any
    /// other end of a run.
    fn start_error(&self, entry: u32, end: RunEnd) -> Option<LaunchError> {
        let program = self.table().entries.get(entry as usize);
        let program = program.map(|entry| entry.argv.join(" ")).unwrap_or_default();
        let (stage, errno) = match end {
            RunEnd::NotStarted(stage, errno) => (stage, errno),
            RunEnd::TooManyReadings(found) => {
                let announced = self.metrics().len();
                return Some(LaunchError::TooManyReadings { program, found, announced });
            }
            _ => return None,
        };
        let stage = Stage::from_number(stage).unwrap_or(Stage::Exec);
        if (stage, errno) == (Stage::Exec, ENOENT) {
            let path = self.table().entries.get(entry as usize).map(|entry| entry.program.clone());
            let missing = path.and_then(|path| missing_interpreter(Path::new(&path)));
            if let Some(missing) = missing {
                return Some(LaunchError::NoInterpreter { program, missing });
            }
        }
        Some(LaunchError::Refused { program, stage, source: std::io::Error::from_raw_os_error(errno) })
    }

    /// Submits a request and waits for its reply; no other request may be under way.
    ///
    /// # Errors
    /// Fails if the process that starts the programs has ended.
    fn answer(&mut self, request: Request) -> Result<Reply, LaunchError> {
        self.submit(request);
        self.next_reply()
    }

    /// Waits for the next reply. If the user asks to stop, or already has, the run under way is aborted.
    ///
    /// # Errors
    /// Fails if the process that starts the programs has ended.
    fn next_reply(&mut self) -> Result<Reply, LaunchError> {
        self.reply_unless(&mut Heard::nothing())
    }

    /// Waits for the next reply. Aborts the run under way when the user asks to stop more often than `heard` counts.
    ///
    /// # Errors
    /// Fails as [`Launcher::next_reply`] does.
    fn reply_unless(&mut self, heard: &mut Heard) -> Result<Reply, LaunchError> {
        loop {
            if let Some(reply) = self.try_reply() {
                return Ok(reply);
            }
            if heard.anew(self.stops()) {
                self.abort();
            }
            self.wait(1000)?;
        }
    }
}
