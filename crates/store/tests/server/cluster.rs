//! A PostgreSQL server that the tests start: in a temporary folder, as the user nobody, on a socket.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// A running PostgreSQL server, which ends when the value is dropped.
pub(crate) struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    postmaster: Child,
}

/// User id of `nobody` on every distribution.
const NOBODY: u32 = 65534;
const OWNER: &str = "owner";
/// A database role that has to log in with a password, and its password.
pub(crate) const LOCKED: (&str, &str) = ("locked", "open-sesame");

/// Returns the server that the tests of this process share; it runs as long as a test needs it.
pub(crate) fn shared() -> Arc<Cluster> {
    static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cluster) = shared.upgrade() {
        return cluster;
    }
    let cluster = Arc::new(Cluster::start());
    *shared = Arc::downgrade(&cluster);
    cluster
}

impl Cluster {
    /// Creates and starts a server. Panics without PostgreSQL, since the tests that need a server are only run on
    /// request.
    pub(crate) fn start() -> Cluster {
        let programs = programs().expect("PostgreSQL is not installed (apt-get install postgresql)");
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(folder.path().join("own")).unwrap();
        if is_root() {
            chown(folder.path().join("own"), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut made = as_nobody(&programs.join("initdb"));
        made.arg("-D").arg(data(folder.path())).args(["-U", OWNER, "-E", "UTF8", "--locale=C", "--no-sync"]);
        let made = made.stdout(Stdio::null()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let hosts = format!("local all {} scram-sha-256\nlocal all all trust\n", LOCKED.0);
        fs::write(data(folder.path()).join("pg_hba.conf"), hosts).unwrap();
        let postmaster = launched(&programs, folder.path());
        let cluster = Cluster { folder, programs, postmaster };
        cluster.answers();
        cluster
    }

    /// Waits until the server accepts connections, for at most two minutes.
    fn answers(&self) {
        for _ in 0..2400 {
            if self.try_sql("postgres", "SELECT 1").is_ok() {
                return;
            }
            sleep(Duration::from_millis(50));
        }
        panic!("{}", fs::read_to_string(self.folder.path().join("own/log")).unwrap_or_default());
    }

    pub(crate) fn url(&self, database: &str) -> String {
        self.url_of(OWNER, database)
    }

    pub(crate) fn url_of(&self, login: &str, database: &str) -> String {
        format!("postgres://{login}@/{database}?host={}", self.socket().display())
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("own")
    }

    /// Creates a database for one test; returns its address.
    pub(crate) fn database(&self, name: &str) -> String {
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0"));
        self.url(name)
    }

    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        self.try_sql(database, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    fn try_sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut asked = Command::new(self.programs.join("psql"));
        asked.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", OWNER, "-d", database, "-c", sql]);
        let done = asked.arg("-h").arg(self.socket()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
    }

    /// Ends all processes of the server at once, as in a power failure, and reaps them.
    pub(crate) fn kill(&mut self) {
        let postmaster = self.postmaster.id();
        signal("STOP", &[postmaster]);
        let mut all = children(postmaster);
        all.push(postmaster);
        signal("KILL", &all);
        self.postmaster.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.postmaster = launched(&self.programs, self.folder.path());
        self.answers();
    }

    /// Kills the server and starts it as a standby, which waits for a primary that does not exist.
    pub(crate) fn recover_for_ever(&mut self) {
        self.kill();
        let path = data(self.folder.path()).join("standby.signal");
        fs::write(&path, "").unwrap();
        if is_root() {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        self.restart();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        signal("QUIT", &[self.postmaster.id()]);
        let _ended = self.postmaster.wait();
    }
}

fn launched(programs: &Path, folder: &Path) -> Child {
    let log = fs::OpenOptions::new().create(true).append(true).open(folder.join("own/log")).unwrap();
    let mut server = as_nobody(&programs.join("postgres"));
    server.arg("-D").arg(data(folder)).arg("-k").arg(folder.join("own"));
    // The data need only survive a killed process and no power failure, so the server does not wait for a disk.
    for setting in
        ["listen_addresses=", "fsync=off", "shared_buffers=16MB", "autovacuum=off", "max_connections=40"]
    {
        server.args(["-c", setting]);
    }
    server.stdout(Stdio::null()).stdin(Stdio::null()).stderr(log).spawn().unwrap()
}

fn data(folder: &Path) -> PathBuf {
    folder.join("own/data")
}

/// Prepares a program to run as nobody: PostgreSQL refuses to run as root.
fn as_nobody(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").env_remove("PGDATA");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) == 0
}

/// Returns the folder with the programs of the newest PostgreSQL, which distributions keep outside of `PATH`; `None` if
/// it is not installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.extend(["/usr/pgsql/bin", "/usr/local/bin", "/usr/bin"].map(PathBuf::from));
    folders
        .into_iter()
        .find(|folder| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).exists()))
}

fn children(parent: u32) -> Vec<u32> {
    let line = format!("PPid:\t{parent}\n");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|status| status.contains(&line))
    };
    numbers.filter(is_child).collect()
}

fn signal(name: &str, processes: &[u32]) {
    let numbers = processes.iter().map(ToString::to_string);
    // Processes may have ended by themselves, so the result of `kill` is not checked.
    let _told = Command::new("kill").arg(format!("-{name}")).args(numbers).stderr(Stdio::null()).status();
}
