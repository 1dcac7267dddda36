//! The guardian: a process that only waits for the end of the tuner, the process that changes the machine, and then
//! restores everything.
//!
//! The guardian leads its own session, so that neither a terminal nor a signal to the tuner's process group reaches it.
//! It ignores all signals that can be ignored, and the kernel selects it last when memory runs out. It holds the read
//! end of a pipe whose write end only the tuner has, so that it sees any end of the tuner as an end of file. If the
//! guardian is killed too (as in a container that is stopped), the journal remains, and the next fauxplat restores the
//! machine from it.

use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_sys::spawn::{ChildSetup, Image, StartSpace, start};
use fauxplat_sys::{clock, process, shared, signal};

use crate::keeper::Keeper;
use crate::lock::Lock;
use crate::restore::{Cut, recover};
use crate::{Root, TuneError, journal};

/// Byte by which the tuner says that the machine stays tuned.
const KEEP: u8 = b'k';
/// Byte by which the guardian says that it is shielded from signals, and watching.
const READY: u8 = b'r';
/// Byte by which the guardian says that it has released the lock.
const RELEASED: u8 = b'l';
/// Interval in milliseconds at which, after the time limit, the guardian checks whether the tuner has made further
/// changes.
const LOOK_AGAIN_MS: i32 = 500;
/// Word for "no time limit" in the command line of the guardian.
const NEVER_MS: &str = "never";

/// The guardian process, held by the tuner. Dropping the value without [`Guardian::keep`] makes the guardian restore
/// the remaining changes, and waits for that.
#[derive(Debug)]
pub(crate) struct Guardian {
    pid: i32,
    pipe: Option<PipeWriter>,
    told: PipeReader,
    stays: bool,
}

impl Guardian {
    /// Starts the guardian process, which is this binary with its hidden subcommand. Returns once the guardian is
    /// watching.
    pub(crate) fn start(
        verb: &str,
        root: &Root,
        journal: &Path,
        lock: &Lock,
        max_ms: Option<u64>,
    ) -> Result<Self, TuneError> {
        let fail = |error: &dyn std::fmt::Display| TuneError::Guardian(error.to_string());
        let (reader, writer) = std::io::pipe().map_err(|error| fail(&error))?;
        let (ready, told) = std::io::pipe().map_err(|error| fail(&error))?;
        let null = File::options().read(true).write(true).open("/dev/null").map_err(|error| fail(&error))?;
        let fds = [reader.as_raw_fd(), told.as_raw_fd(), lock.file().as_raw_fd()];
        let words = words(verb, fds, root, journal, max_ms).map_err(|error| fail(&error))?;
        let mut image = Image::new("/proc/self/exe", &words, &[]).map_err(|error| fail(&error))?;
        // The guardian inherits no other descriptors: as it may live for hours, it must not hold a lock or a pipe of
        // the caller.
        let stdio = [null.as_raw_fd(); 3];
        let setup = ChildSetup { stdio, inherited: Some(fds.to_vec()), ..ChildSetup::default() };
        let started =
            signal::while_requests_wait(|| start(&mut image, &setup, None, &mut StartSpace::default()));
        let refused = |errno| fail(&std::io::Error::from_raw_os_error(errno));
        let pid = started.map_err(|failed| refused(failed.errno))?.pid;
        drop((reader, told));
        let mut guardian = Guardian { pid, pipe: Some(writer), told: ready, stays: false };
        match guardian.hear() {
            Some(READY) => Ok(guardian),
            _ => Err(fail(&"the guardian ended at once")),
        }
    }

    /// Returns the next message of the guardian; `None` once the process has ended.
    fn hear(&mut self) -> Option<u8> {
        let mut word = [0];
        self.told.read_exact(&mut word).ok().map(|()| word[0])
    }

    /// Returns the identity of the guardian process, by which another process can find it later; `None` if it has
    /// ended.
    pub(crate) fn keeper(&self) -> Option<Keeper> {
        Keeper::of(self.pid)
    }

    /// Lets the machine stay tuned. The guardian continues if there is a time limit (`limited`), and ends otherwise. In
    /// both cases it has released the lock when this function returns.
    pub(crate) fn keep(mut self, limited: bool) {
        self.stays = limited;
        if let Some(pipe) = &mut self.pipe {
            // If the guardian is gone, nothing is restored at the limit, but the journal still allows a restoration.
            let _gone = pipe.write_all(&[KEEP]);
        }
        let _released = limited && self.hear() == Some(RELEASED);
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        self.pipe = None;
        while !self.stays && process::wait(self.pid, true) == process::Waited::Interrupted {}
    }
}

/// Returns the command line of the guardian. Its paths are absolute, since the guardian leaves the working directory.
fn words(
    verb: &str,
    fds: [RawFd; 3],
    root: &Root,
    journal: &Path,
    max_ms: Option<u64>,
) -> std::io::Result<Vec<String>> {
    let absolute = |path: &Path| std::path::absolute(path).map(|path| path.display().to_string());
    let mut words = vec!["fauxplat".to_owned(), verb.to_owned()];
    words.extend(fds.map(|fd| fd.to_string()));
    words.push(max_ms.map_or(NEVER_MS.to_owned(), |limit_ms| limit_ms.to_string()));
    words.extend([absolute(journal)?, absolute(root.path())?]);
    Ok(words)
}

/// Runs as the guardian until there is nothing left to guard. `words` is the end of the command line that the tuner
/// composed: descriptors, time limit, journal and root.
///
/// # Errors
/// Fails where the words do not come from a tuner, or where the journal cannot be used; the journal remains then.
pub fn serve(words: &[String]) -> Result<(), TuneError> {
    let stranger = || TuneError::Guardian("it was not started by fauxplat".into());
    let [fds @ .., max_ms, journal, root] = words else { return Err(stranger()) };
    let fds: Option<Vec<RawFd>> = fds.iter().map(|word| word.parse().ok()).collect();
    let fds: [RawFd; 3] = fds.and_then(|fds| fds.try_into().ok()).ok_or_else(stranger)?;
    let tuner = std::os::unix::process::parent_id();
    process::own_session();
    signal::ignore_requests_to_end();
    take_cover();
    let [reader, told, lock] = shared::adopt::<3>(fds)?;
    let mut told = PipeWriter::from(told);
    tell(&mut told, READY);
    let watch = Watch {
        pipe: reader.into(),
        told,
        deadline_ns: max_ms.parse::<u64>().ok().map(|limit_ms| clock::monotonic_ns() + limit_ms * 1_000_000),
        lock: Some(Lock::inherited(lock.into())),
        journal: journal.into(),
        root: Root::new(Path::new(root)),
        tuner: Keeper::of(tuner as i32),
    };
    watch.until_the_end()
}

/// Makes the kernel select this process last when memory runs out, see `proc_pid_oom_score_adj(5)`; without permission,
/// only that protection is missing. Also leaves the working directory, so that its file system can be unmounted.
fn take_cover() {
    let _without_right = std::fs::write("/proc/self/oom_score_adj", "-1000");
    let _nowhere_else = std::env::set_current_dir("/");
}

fn tell(tuner: &mut PipeWriter, word: u8) {
    // A tuner that has ended reads nothing; the end of file on the other pipe shows that it has ended.
    let _gone = tuner.write_all(&[word]);
}

/// State of the guardian process.
struct Watch {
    pipe: PipeReader,
    told: PipeWriter,
    deadline_ns: Option<u64>,
    lock: Option<Lock>,
    journal: PathBuf,
    root: Root,
    /// Identity of the tuner process; `None` if it had already ended.
    tuner: Option<Keeper>,
}

/// Result of [`Watch::wait`].
enum Word {
    /// The tuner has ended, or has closed its end of the pipe: everything is restored.
    End,
    /// The tuner said that the machine stays tuned.
    Keep,
    /// The time limit has passed.
    Late,
}

impl Watch {
    fn until_the_end(mut self) -> Result<(), TuneError> {
        match self.wait()? {
            Word::End => self.restore(),
            Word::Keep if self.deadline_ns.is_none() => Ok(()),
            Word::Keep => self.until_the_deadline(),
            Word::Late => self.take_over(),
        }
    }

    fn left_ms(&self) -> i32 {
        let left = |deadline: u64| deadline.saturating_sub(clock::monotonic_ns()).div_ceil(1_000_000);
        self.deadline_ns.map_or(-1, |deadline| i32::try_from(left(deadline)).unwrap_or(i32::MAX))
    }

    fn wait(&mut self) -> Result<Word, TuneError> {
        loop {
            let left_ms = self.left_ms();
            if left_ms == 0 {
                return Ok(Word::Late);
            }
            if process::wait_readable(self.pipe.as_raw_fd(), left_ms)? {
                let mut word = [0];
                let read = self.pipe.read(&mut word).unwrap_or(0);
                return Ok(if read == 1 && word[0] == KEEP { Word::Keep } else { Word::End });
            }
        }
    }

    fn restore(&self) -> Result<(), TuneError> {
        recover(&self.root, &self.journal, false, Cut::Accept).map(drop)
    }

    /// Waits for the time limit after the tuner has ended with the machine tuned, and then restores the machine. The
    /// lock is free meanwhile, so another process may have restored the machine and tuned it anew. The journal then
    /// names no guardian or another one, and the changes of that process are not touched.
    fn until_the_deadline(mut self) -> Result<(), TuneError> {
        self.lock = None;
        tell(&mut self.told, RELEASED);
        while self.left_ms() > 0 {
            std::thread::sleep(Duration::from_millis(self.left_ms() as u64));
        }
        let command = "fauxplat tune --max: the time is over";
        let _lock = Lock::take_to_restore(&self.root, &self.journal, true, command)?;
        match self.is_ours()? {
            true => self.restore(),
            false => Ok(()),
        }
    }

    /// Returns whether the present journal names this process as the guardian.
    fn is_ours(&self) -> Result<bool, TuneError> {
        let named = journal::read(&self.journal)?.and_then(|story| story.keeper);
        Ok(named.is_some() && named == Keeper::of(std::process::id() as i32))
    }

    /// Restores the machine after the time limit while the tuner still runs. The tuner may finish its writes, and its
    /// own restoration of many CPUs takes a while; a tuner that hangs midway is killed, since no process could restore
    /// otherwise. A locked journal shows that the tuner is at work, since only its owner can open the file.
    fn take_over(mut self) -> Result<(), TuneError> {
        let is_at_work = || std::fs::File::open(&self.journal).is_ok_and(|file| file.try_lock().is_err());
        // A tuner that was slow to start may make changes after its time limit, so the restoration is repeated until
        // the tuner has ended.
        loop {
            if let Some(tuner) = self.tuner.filter(|tuner| tuner.hangs_while(is_at_work)) {
                tuner.end();
            }
            self.restore()?;
            if process::wait_readable(self.pipe.as_raw_fd(), LOOK_AGAIN_MS)? {
                break;
            }
        }
        self.deadline_ns = None;
        self.wait()?;
        self.restore()
    }
}
