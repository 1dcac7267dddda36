//! Files whose code runs, each once, whichever process maps it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fauxplat_sys::sampling::Mapping;

use crate::elf::Elf;

/// A file by its place in the list.
pub(crate) type ObjectId = u32;

/// Where code came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file that could be opened, so that it can be read when it has been replaced or deleted.
    File,
    /// A file that could not be opened, or was another one by then: why.
    Lost(String),
    /// What the kernel maps into every process.
    Vdso,
    /// Memory without a file, in which a program writes its own code.
    Jit {
        /// The process.
        pid: i32,
    },
    /// The kernel.
    Kernel,
    /// No memory that is known.
    Unknown,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) path: String,
    pub(crate) source: Source,
    pub(crate) elf: Option<Elf>,
    file: Option<File>,
}

impl Object {
    fn plain(path: &str, source: Source) -> Self {
        Object { path: path.to_owned(), source, elf: None, file: None }
    }

    /// A path at which the file can be read, whatever has become of its name.
    pub(crate) fn readable(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        self.file.as_ref().map(|file| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())))
    }
}

/// The kernel, and code of which nothing is known: they are always there.
pub(crate) const KERNEL: ObjectId = 0;
pub(crate) const UNKNOWN: ObjectId = 1;

/// All of them.
#[derive(Debug)]
pub(crate) struct Objects {
    all: Vec<Object>,
    files: HashMap<((u32, u32), u64), ObjectId>,
    jits: HashMap<i32, ObjectId>,
    vdso: Option<ObjectId>,
    /// When the first of them could be mapped, in seconds of the real time.
    begun_s: i64,
}

impl Objects {
    pub(crate) fn new() -> Self {
        let begun_s = (fauxplat_sys::clock::realtime_ns() / 1_000_000_000) as i64;
        let all =
            vec![Object::plain("[kernel]", Source::Kernel), Object::plain("[unknown]", Source::Unknown)];
        Objects { all, files: HashMap::new(), jits: HashMap::new(), vdso: None, begun_s }
    }

    pub(crate) fn get(&self, id: ObjectId) -> &Object {
        &self.all[id as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.all.iter()
    }

    /// The object of a mapping. Its file is opened while the process that maps it is likely to live.
    pub(crate) fn of(&mut self, mapping: &Mapping) -> ObjectId {
        let path = String::from_utf8_lossy(&mapping.path).into_owned();
        if path == "[vdso]" {
            return self.vdso();
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

    /// Memory of a process in which it writes code.
    pub(crate) fn jit(&mut self, pid: i32) -> ObjectId {
        match self.jits.get(&pid) {
            Some(&known) => known,
            None => {
                let id = self.add(Object::plain("[jit]", Source::Jit { pid }));
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

/// The file of a mapping, if it is still the one that was mapped.
fn opened(mapping: &Mapping, path: String, changed_before_s: i64) -> Object {
    // Through the process's own root: it may live in a container.
    let within = Path::new("/proc").join(mapping.pid.to_string()).join("root");
    let inside = within.join(path.trim_start_matches('/'));
    let found = [inside, PathBuf::from(&path)].into_iter().find_map(|path| {
        let file = fauxplat_sys::files::open_at_once(&path, false).ok()?;
        let facts = file.metadata().ok().filter(fs::Metadata::is_file)?;
        // Layered file systems tell other numbers here than in mappings, so a file is taken that has not changed lately.
        (facts.ino() == mapping.inode || facts.ctime() < changed_before_s).then_some(file)
    });
    let Some(file) = found else {
        let why = "it was deleted or replaced before it could be opened".to_owned();
        return Object::plain(&path, Source::Lost(why));
    };
    Object { elf: Elf::of_file(&file), file: Some(file), ..Object::plain(&path, Source::File) }
}

/// What the kernel maps into every process, as this one has it.
pub(crate) fn own_vdso() -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let mut lines = maps.lines().filter_map(fauxplat_procfs::maps::MapsLine::parse);
    let place = lines.find(|line| line.path == "[vdso]")?.addresses;
    let mut image = vec![0; usize::try_from(place.end - place.start).ok()?];
    File::open("/proc/self/mem").ok()?.read_exact_at(&mut image, place.start).ok()?;
    Some(image)
}
