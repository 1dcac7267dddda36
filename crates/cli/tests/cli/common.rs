//! A laboratory for each test: a folder with a store, and ways to run fauxplat there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fauxplat_sys::{process, sched, signal};
use serde_json::Value;
use tempfile::TempDir;

/// SIGINT, SIGKILL and SIGTERM, see `signal(7)`.
pub(crate) const SIGINT: i32 = 2;
pub(crate) const SIGKILL: i32 = signal::SIGKILL;
pub(crate) const SIGTERM: i32 = signal::SIGTERM;

/// The user id of `nobody`, an ordinary user on every machine.
const ORDINARY_USER: &str = "65534";

/// Time limits for tests in which something has to happen before a limit of fauxplat: if a machine is too slow for one
/// limit, the next is tried.
pub(crate) const LIMITS: [&str; 3] = ["2s", "20s", "200s"];

/// A private folder for one test, with a store in it.
pub(crate) struct Lab {
    folder: TempDir,
    /// Whether fauxplat is started by root, which first gives up its privileges.
    demoted: bool,
}

/// A private folder, whatever the umask: files in folders that others may write to are refused.
fn private_folder() -> TempDir {
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir().unwrap()
}

impl Lab {
    /// A laboratory of the user who runs the tests.
    pub(crate) fn new() -> Self {
        Lab { folder: private_folder(), demoted: false }
    }

    /// A laboratory of an ordinary user, also where root runs the tests.
    pub(crate) fn ordinary() -> Self {
        let lab = Lab { folder: private_folder(), demoted: process::is_root() };
        fs::set_permissions(lab.folder(), fs::Permissions::from_mode(0o777)).unwrap();
        if lab.demoted {
            // The build folder need not be readable by others. `install` writes the copy, since a descriptor that
            // this process held open for writing could be inherited by a child of another test: "text file busy".
            let copied =
                Command::new("install").args(["-m", "755", BINARY]).arg(lab.path("fauxplat")).status();
            assert!(copied.unwrap().success());
        }
        lab
    }

    /// Laboratories of all available users: of root and of an ordinary user, or, where the tests do not run as root, of
    /// their user alone.
    pub(crate) fn both() -> Vec<Self> {
        match process::is_root() {
            true => vec![Lab::new(), Lab::ordinary()],
            false => vec![Lab::new()],
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The path of a file in this laboratory as text, for command lines.
    pub(crate) fn file(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.readable(name);
        self.file(name)
    }

    /// Lets the laboratory's user read and start a file that root created in it, whatever root's umask is.
    pub(crate) fn readable(&self, name: &str) {
        if self.demoted {
            let mode = fs::metadata(self.path(name)).unwrap().permissions().mode();
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode | mode >> 3 | mode >> 6))
                .unwrap();
        }
    }

    /// Runs a line of shell in the folder of this laboratory.
    pub(crate) fn shell(&self, line: &str) {
        let done = Command::new("sh").args(["-c", line]).current_dir(self.folder()).status();
        assert!(done.unwrap().success(), "{line}");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Whether the fauxplat of this laboratory holds a capability, by its number in `capabilities(7)`.
    pub(crate) fn has_capability(&self, number: u32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let mask = fauxplat_procfs::status::effective_capabilities(&status).unwrap();
        !self.demoted && mask >> number & 1 == 1
    }

    /// The command that starts fauxplat with these words, without a store option.
    pub(crate) fn bare(&self, words: &[&str]) -> Command {
        let mut command = self.program();
        command.args(words);
        self.settle(&mut command);
        command
    }

    /// The command that starts fauxplat with these words and the store of this laboratory.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare(words);
        if takes_store(words) {
            command.args(["--store", &self.file("store.sqlite")]);
        }
        command
    }

    /// The words that start fauxplat in this laboratory: the program, or a command that first gives up root's
    /// privileges.
    pub(crate) fn starter(&self) -> Vec<String> {
        if !self.demoted {
            return vec![BINARY.to_owned()];
        }
        let demote = ["setpriv", "--reuid", ORDINARY_USER, "--regid", ORDINARY_USER, "--clear-groups"];
        demote.map(str::to_owned).into_iter().chain([self.file("fauxplat")]).collect()
    }

    fn program(&self) -> Command {
        let words = self.starter();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// Sets the working directory of a command, and an environment in which no variable of the user changes the
    /// outcome.
    pub(crate) fn settle(&self, command: &mut Command) {
        command.current_dir(self.folder()).stdin(Stdio::null());
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
        command.env("HOME", self.folder()).env("TMPDIR", self.folder()).env("LANG", "C.UTF-8");
    }

    /// Runs fauxplat as the arguments (`"$@"`) of a shell script in a mount namespace, where the script can mount;
    /// `None`, with a message, where mounting is not permitted.
    pub(crate) fn with_mounts(&self, script: &str, words: &[&str]) -> Option<Done> {
        if !fauxplat_sys::process::is_root() {
            eprintln!("skipped: mounting takes root");
            return None;
        }
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "sh", "-c", script, "sh"]).args(self.starter()).args(words);
        self.settle(&mut unshare);
        let done = Done::of(unshare);
        let may_mount = !done.err.contains("unshare failed") && !done.err.contains("mount:");
        if !may_mount {
            eprintln!("skipped: this container may not mount: {}", done.err);
        }
        may_mount.then_some(done)
    }

    /// Runs fauxplat to its end, with the store of this laboratory.
    pub(crate) fn run(&self, words: &[&str]) -> Done {
        Done::of(self.command(words))
    }

    pub(crate) fn run_unstored(&self, words: &[&str]) -> Done {
        let mut command = self.bare(words);
        if takes_store(words) {
            command.args(["--store", "none"]);
        }
        Done::of(command)
    }

    /// Runs fauxplat, which must succeed, and reads the JSON that it prints.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let mut command = self.command(words);
        command.args(["--format", "json"]);
        Done::of(command).succeeds().json()
    }

    /// The document of the newest experiment in the store, with all its samples.
    pub(crate) fn last(&self) -> Value {
        self.json(&["history", "export", "last"])
    }

    /// Starts fauxplat in this laboratory, and returns while it runs.
    pub(crate) fn start(&self, words: &[&str]) -> Live {
        Live::of(self.command(words))
    }

    /// Starts fauxplat under another program, such as nohup(1), which replaces itself by fauxplat in the same process.
    pub(crate) fn start_under(&self, prefix: &[&str], words: &[&str]) -> Live {
        let all: Vec<String> = prefix.iter().map(|&word| word.to_owned()).chain(self.starter()).collect();
        let mut command = Command::new(&all[0]);
        command.args(&all[1..]).args(words);
        if takes_store(words) {
            command.args(["--store", &self.file("store.sqlite")]);
        }
        self.settle(&mut command);
        Live::of(command)
    }
}

/// Whether a command line accepts `--store`. A line without a verb gets one as in fauxplat.
pub(crate) fn takes_store(words: &[&str]) -> bool {
    let words: Vec<String> = ["fauxplat"].iter().chain(words).map(|&word| word.to_owned()).collect();
    fauxplat_options::takes(&fauxplat_options::understood(&words), "store")
}

const BINARY: &str = env!("CARGO_BIN_EXE_fauxplat");

/// Words that start a program with the default action for SIGHUP, since the tests may run with that signal ignored, as
/// under nohup(1).
pub(crate) const HEARING: [&str; 2] = ["env", "--default-signal=HUP"];

/// A running fauxplat process, and the thread that reads its report: a full pipe would block the process.
pub(crate) struct Live(Child, std::thread::JoinHandle<Vec<u8>>);

impl Live {
    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut pipe, &mut text).unwrap();
            text
        });
        Live(child, reader)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn signal(&self, signal: i32) {
        signal::send(self.0.id() as i32, signal);
    }

    /// Waits until SIGINT would end the process in order, because its handler is installed.
    pub(crate) fn answers(&self) {
        assert!(eventually(|| catches_interrupts(self.pid())), "fauxplat has no handler of SIGINT");
    }

    /// Waits until the periodic test is under way: its threads have slept at least this many times.
    pub(crate) fn has_slept(&self, times: u64) {
        assert!(eventually(|| sleeps(self.pid()) >= times), "fauxplat does not begin to sleep");
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Waits for the end of the process. A process that hangs is killed, and the test fails.
    pub(crate) fn end(mut self) -> Done {
        let ended = eventually(|| !self.is_running());
        if !ended {
            self.signal(SIGKILL);
        }
        let mut output = self.0.wait_with_output().unwrap();
        output.stdout = self.1.join().unwrap();
        assert!(ended, "fauxplat did not end: {}", String::from_utf8_lossy(&output.stderr));
        Done::from(output)
    }
}

#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<std::process::Output> for Done {
    fn from(output: std::process::Output) -> Self {
        Done {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Done {
    /// Runs a command to its end. Output is read while it runs, so that a full pipe cannot hold it up.
    pub(crate) fn of(mut command: Command) -> Self {
        Done::from(command.output().unwrap())
    }

    /// Checks for exit code 0 and an empty standard error.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        self
    }

    /// Checks the exit code, and that standard error is one message of fauxplat that contains all of these words.
    #[track_caller]
    pub(crate) fn complains(self, code: i32, words: &[&str]) -> Self {
        let line = self.err.trim_end_matches('\n');
        assert!(line.starts_with("fauxplat: ") && !line.contains('\n'), "not one line: {self:?}");
        assert!(words.iter().all(|word| line.contains(word)), "{words:?} are not all in: {line}");
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Checks the exit code, whatever was printed before the error line.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }

    /// Checks that the parser of the command line refused it, and that the first line of the message contains all of
    /// these words.
    #[track_caller]
    pub(crate) fn reports_misuse(self, words: &[&str]) -> Self {
        let line = self.err.lines().next().unwrap_or_default();
        assert!(words.iter().all(|word| line.contains(word)), "{words:?} are not all in: {line}");
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The CPUs that the tests may use. CPU 0 need not be among them.
pub(crate) fn allowed() -> Vec<u32> {
    sched::affinity(0).unwrap().iter().map(|cpu| cpu.0).collect()
}

/// The number of the first CPU that the tests may use, as text.
pub(crate) fn first_cpu() -> String {
    allowed()[0].to_string()
}

/// The first CPU that the tests may use, paired with itself, as text such as `0:0`.
pub(crate) fn first_pair() -> String {
    format!("{0}:{0}", first_cpu())
}

/// A command line that runs a shell loop of this many rounds: its CPU time is proportional to them, and it touches no
/// file.
pub(crate) fn spin(rounds: u32) -> String {
    format!("sh -c 'i=0; while [ $i -lt {rounds} ]; do i=$((i+1)); done'")
}

pub(crate) fn runs(document: &Value, command: usize) -> &Vec<Value> {
    document["commands"][command]["runs"].as_array().unwrap()
}

/// The runs of all commands, in the order in which they were made.
pub(crate) fn all_runs(document: &Value) -> Vec<(usize, &Value)> {
    let commands = document["commands"].as_array().unwrap();
    let mut all: Vec<_> = (0..commands.len())
        .flat_map(|command| runs(document, command).iter().map(move |run| (command, run)))
        .collect();
    all.sort_by_key(|(_, run)| number(run, "trial"));
    all
}

/// The value of a field that contains a whole number.
#[track_caller]
pub(crate) fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("{field} is {} in {value}", value[field]))
}

/// Whether a process has a handler of SIGINT, see `proc_pid_status(5)`.
fn catches_interrupts(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (SIGINT - 1) & 1 == 1)
}

/// Number of voluntary context switches of all live threads of a process.
pub(crate) fn sleeps(pid: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |thread: fs::DirEntry| {
        let status = fs::read_to_string(thread.path().join("status")).ok()?;
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        count.trim().parse::<u64>().ok()
    };
    threads.filter_map(of).sum()
}

/// Waits until a condition holds; false if it does not within two minutes, which is no measure of a fast machine but a
/// sign that it never will.
pub(crate) fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    within(Duration::from_secs(120), &mut holds)
}

/// Waits until a condition holds; false if it does not within this time.
pub(crate) fn within(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let step = Duration::from_millis(10);
    (0..limit.as_millis() / step.as_millis()).any(|_| {
        let held = holds();
        if !held {
            std::thread::sleep(step);
        }
        held
    }) || holds()
}

/// Number of processes on this machine whose command line consists of exactly these words.
pub(crate) fn alive(words: &str) -> usize {
    pids(words).len()
}

/// Process ids of the processes on this machine whose command line consists of exactly these words.
pub(crate) fn pids(words: &str) -> Vec<i32> {
    let same = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let given: Vec<&[u8]> = line.split(|&byte| byte == 0).filter(|word| !word.is_empty()).collect();
        // Words may contain blanks, so the command line is compared as a whole.
        given.join(&b' ') == words.as_bytes()
    };
    let entries = fs::read_dir("/proc").unwrap().flatten().filter(same);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
