//! List of the objects that contain code, each of them once, however many processes map it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fauxplat_sys::sampling::Mapping;

use crate::elf::Elf;

pub(crate) type ObjectId = u32;

/// The origin of an object's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file that could be opened, so that it can be read even after it was replaced or deleted.
    File,
    /// A file that could not be opened, or had been replaced by then, with the reason.
    Lost(String),
    /// The vDSO, which the kernel maps into every process.
    Vdso,
    /// Memory without a file, into which a program writes its own code.
    Jit {
        pid: i32,
        /// The process id in the process's own namespace, which is part of the name of its map.
        inner: u32,
        /// The user of the process, who may provide names for the code; `None` if unknown.
        user: Option<u32>,
    },
    Kernel,
    /// Unknown, since an address lies outside of all known mappings.
    Unknown,
}

#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) path: String,
    pub(crate) source: Source,
    pub(crate) elf: Option<Elf>,
    /// The file of the code; for generated code, the folder in which the process may store the names of its functions.
    file: Option<File>,
}

impl Object {
    fn plain(path: &str, source: Source) -> Self {
        Object { path: path.to_owned(), source, elf: None, file: None }
    }

    /// Returns a path at which the open file can be read, even after it was renamed or deleted.
    pub(crate) fn readable(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        self.file.as_ref().map(|file| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())))
    }
}

/// Objects that always exist: the kernel, and code of unknown origin.
pub(crate) const KERNEL: ObjectId = 0;
pub(crate) const UNKNOWN: ObjectId = 1;

/// A file of an imported recording: its object, once there is one, and its build id, if the recording says it.
#[derive(Clone, Debug, Default)]
struct Recorded {
    known: Option<ObjectId>,
    build_id: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Objects {
    all: Vec<Object>,
    files: HashMap<((u32, u32), u64), ObjectId>,
    jits: HashMap<i32, ObjectId>,
    vdso: Option<ObjectId>,
    /// Files by path, for an imported recording; `None` while live processes are followed.
    recorded: Option<HashMap<String, Recorded>>,
    /// Start of profiling in seconds since 1970. A file that changed later may not be the mapped file.
    begun_s: i64,
}

impl Objects {
    pub(crate) fn new() -> Self {
        let begun_s = (fauxplat_sys::clock::realtime_ns() / 1_000_000_000) as i64;
        let all =
            vec![Object::plain("[kernel]", Source::Kernel), Object::plain("[unknown]", Source::Unknown)];
        Objects { all, files: HashMap::new(), jits: HashMap::new(), vdso: None, recorded: None, begun_s }
    }

    /// Sets the build ids of a recording. Live processes are not consulted then.
    pub(crate) fn recorded(&mut self, builds: HashMap<String, String>) {
        self.recorded = Some(
            builds
                .into_iter()
                .map(|(path, build)| (path, Recorded { known: None, build_id: Some(build) }))
                .collect(),
        );
    }

    pub(crate) fn get(&self, id: ObjectId) -> &Object {
        &self.all[id as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.all.iter()
    }

    /// Returns the object of a mapping. The file is opened at once, while the process probably still exists.
    pub(crate) fn of(&mut self, mapping: &Mapping) -> ObjectId {
        let path = String::from_utf8_lossy(&mapping.path).into_owned();
        if path == "[vdso]" {
            return self.vdso();
        }
        if let Some(recorded) = &mut self.recorded
            && is_path(&path)
        {
            let Recorded { known, build_id } = recorded.entry(path.clone()).or_default().clone();
            return known.unwrap_or_else(|| {
                let id = self.add(recorded_before(path.clone(), build_id));
                self.recorded
                    .iter_mut()
                    .for_each(|all| all.entry(path.clone()).or_default().known = Some(id));
                id
            });
        }
        if mapping.inode == 0 {
            return self.jit(mapping.pid);
        }
        let key = (mapping.device, mapping.inode);
        if let Some(&known) = self.files.get(&key) {
            return known;
        }
        let id = self.add(opened(mapping, path, self.begun_s));
        self.files.insert(key, id);
        id
    }

    /// Returns the object for code that a process generates in its own memory.
    pub(crate) fn jit(&mut self, pid: i32) -> ObjectId {
        match self.jits.get(&pid) {
            Some(&known) => known,
            None => {
                let user = fs::metadata(format!("/proc/{pid}")).ok().map(|facts| facts.uid());
                // The process of a recording has ended, and another process may have its id now.
                let is_alive = self.recorded.is_none();
                let inner = is_alive.then(|| innermost(pid)).flatten().unwrap_or(pid as u32);
                let file = is_alive.then(|| temporary(pid)).flatten();
                let source = Source::Jit { pid, inner, user };
                let id = self.add(Object { file, ..Object::plain("[jit]", source) });
                self.jits.insert(pid, id);
                id
            }
        }
    }

    fn vdso(&mut self) -> ObjectId {
        if let Some(known) = self.vdso {
            return known;
        }
        let elf = own_vdso().and_then(|image| Elf::of_image(&image));
        let id = self.add(Object { elf, ..Object::plain("[vdso]", Source::Vdso) });
        self.vdso = Some(id);
        id
    }

    fn add(&mut self, object: Object) -> ObjectId {
        self.all.push(object);
        (self.all.len() - 1) as ObjectId
    }
}

/// Returns the id of a process in the innermost of its namespaces.
fn innermost(pid: i32) -> Option<u32> {
    fauxplat_procfs::status::innermost_process(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

/// Opens the folder for temporary files as seen by a process, which may live in a container. The folder stays open,
/// since the container may be gone when the profile is written.
fn temporary(pid: i32) -> Option<File> {
    let path = PathBuf::from(format!("/proc/{pid}/root/tmp"));
    // A symbolic link would be resolved in the root of this process, and not in that of process `pid`.
    let named = path.symlink_metadata().ok().filter(fs::Metadata::is_dir)?;
    let folder = File::open(&path).ok()?;
    let facts = folder.metadata().ok()?;
    ((facts.dev(), facts.ino()) == (named.dev(), named.ino())).then_some(folder)
}

/// Returns whether the text is the path of a file, rather than a name by which the kernel or perf marks another kind of
/// mapping.
fn is_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.starts_with("/dev/zero")
        && !path.starts_with("/SYSV")
}

/// Returns the file of a recording, if its build id still matches the recording.
fn recorded_before(path: String, build_id: Option<String>) -> Object {
    let lost = |why: &str| Object::plain(&path, Source::Lost(why.to_owned()));
    if !fs::metadata(&path).is_ok_and(|facts| facts.is_file()) {
        return lost("the file is not here");
    }
    let Ok(file) = fauxplat_sys::files::open_at_once(Path::new(&path), false) else {
        return lost("the file may not be read");
    };
    let elf = Elf::of_file(&file);
    let own = elf.as_ref().and_then(|elf| elf.build_id.clone());
    if build_id.is_some() && own != build_id {
        return lost("the file is another build than the one that was recorded");
    }
    Object { elf, file: Some(file), ..Object::plain(&path, Source::File) }
}

/// Returns the file of a mapping, if it is still the mapped file.
fn opened(mapping: &Mapping, path: String, changed_before_s: i64) -> Object {
    // The path goes through the root of the process, which may live in a container.
    let within = Path::new("/proc").join(mapping.pid.to_string()).join("root");
    let inside = within.join(path.trim_start_matches('/'));
    // `map_files` leads to the mapped file even if its name has changed; only root may use it.
    let end = mapping.start.saturating_add(mapping.bytes);
    let mapped = format!("/proc/{}/map_files/{:x}-{end:x}", mapping.pid, mapping.start);
    let found = [PathBuf::from(mapped), inside, PathBuf::from(&path)].into_iter().find_map(|path| {
        // Only regular files are opened: opening a device may have side effects.
        fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let file = fauxplat_sys::files::open_at_once(&path, false).ok()?;
        let facts = file.metadata().ok().filter(fs::Metadata::is_file)?;
        // Layered file systems show other inode numbers here than in mappings, so a file that has not changed since
        // profiling began is accepted as well.
        (facts.ino() == mapping.inode || facts.ctime() < changed_before_s).then_some(file)
    });
    let Some(file) = found else {
        let why = "the file was deleted or replaced before it could be opened".to_owned();
        return Object::plain(&path, Source::Lost(why));
    };
    Object { elf: Elf::of_file(&file), file: Some(file), ..Object::plain(&path, Source::File) }
}

/// Returns the bytes of the vDSO of this process.
pub(crate) fn own_vdso() -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let mut lines = maps.lines().filter_map(fauxplat_procfs::maps::MapsLine::parse);
    let place = lines.find(|line| line.path == "[vdso]")?.addresses;
    let mut image = vec![0; usize::try_from(place.end - place.start).ok()?];
    File::open("/proc/self/mem").ok()?.read_exact_at(&mut image, place.start).ok()?;
    Some(image)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_macros, reason = "a skipped test says so")]
    #![expect(
        clippy::disallowed_methods,
        reason = "a process in namespaces of its own is started, and nothing is measured"
    )]

    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;
    use crate::jit::PerfMap;

    /// A process with another process id and another `/tmp` in its own namespaces, as in a container. Its map is read
    /// after its end.
    #[test]
    fn names_of_a_process_in_a_container_are_where_it_wrote_them() {
        let script =
            "mount -t tmpfs none /tmp && echo '1000 10 inner' > /tmp/perf-$$.map && echo $$ && read _";
        let mut container = Command::new("unshare")
            .args(["--user", "--map-root-user", "--pid", "--fork", "--mount", "sh", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(container) = &mut container else { return println!("skipped: unshare cannot be run") };
        let mut said = String::new();
        BufReader::new(container.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let Ok(inner) = said.trim().parse::<u32>() else {
            container.wait().unwrap();
            return println!("skipped: no namespaces can be made here");
        };
        let children = format!("/proc/{0}/task/{0}/children", container.id());
        let pid: i32 = fs::read_to_string(children).unwrap().trim().parse().unwrap();
        assert_ne!(inner, pid as u32);
        let mut objects = Objects::new();
        let id = objects.jit(pid);
        drop(container.stdin.take());
        container.wait().unwrap();
        let object = objects.get(id);
        let Source::Jit { pid, inner: known, user } = object.source else { panic!("{:?}", object.source) };
        assert_eq!(known, inner);
        let map = PerfMap::read(object.readable().as_deref(), (pid, known), user).unwrap();
        assert_eq!(map.find(0x1008), Some("inner"));
    }
}
