//! Programs that the spawner is ready to start.

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use fauxplat_sys::files::open_at_once;
use fauxplat_sys::inherited::Restoration;
use fauxplat_sys::process;
use fauxplat_sys::shared::duplicate;
use fauxplat_sys::spawn::{ChildSetup, Image};
use fauxplat_units::CpuSet;

use crate::LaunchError;
use crate::ring::Pad;
use crate::table::{Entry, Keeps, Stdin, Stdout, Table, ThreadCpus};

/// A program of the table, with its files open and the strings for `execve(2)` prepared.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) image: Image,
    pub(crate) setup: ChildSetup,
    pub(crate) cpus: Option<CpuSet>,
    pub(crate) timeout_ns: Option<u64>,
    pub(crate) heap_offset_bytes: Option<u16>,
    pub(crate) threads: Option<ThreadCpus>,
    pub(crate) without_huge_pages: bool,
    pub(crate) keeps: Keeps,
    /// Padding of the environment, in bytes, in runs whose request specifies none.
    own_pad_bytes: u16,
    /// Wall time of the program's previous run; below `WORTH_A_LOOK_NS` the next run is not looked up in `/proc`.
    pub(crate) last_wall_ns: u64,
    stdin: Option<File>,
    _stdout: Option<File>,
    _groups: Vec<File>,
}

pub(crate) fn read(mut file: File) -> Result<Table, LaunchError> {
    let fail = |source| LaunchError::File { path: "table of programs".into(), source };
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).map_err(fail)?;
    file.read_to_string(&mut text).map_err(fail)?;
    serde_json::from_str(&text).map_err(|error| fail(error.into()))
}

pub(crate) fn load(table: Table, signals: &Restoration) -> Result<(Vec<Loaded>, Outlets), LaunchError> {
    let outlets = Outlets::open(table.entries.iter().any(|entry| entry.stdout == Stdout::Inherit))?;
    let programs = table.entries.into_iter().map(|entry| Loaded::new(entry, &outlets, signals));
    Ok((programs.collect::<Result<_, _>>()?, outlets))
}

fn open(path: &Path, write: bool) -> Result<File, LaunchError> {
    open_at_once(path, write).map_err(|source| LaunchError::File { path: path.to_owned(), source })
}

/// Opens the file through which a child enters a control group.
fn open_group(folder: &Path) -> Result<File, LaunchError> {
    let path = folder.join("cgroup.procs");
    File::options().write(true).open(&path).map_err(|source| LaunchError::File { path, source })
}

/// Destinations of the children's standard output and error other than files, and the source of an empty input.
#[derive(Debug)]
pub(crate) struct Outlets {
    null: File,
    /// Standard output of fauxplat, if some program writes there.
    out: Option<OwnedFd>,
}

impl Outlets {
    /// Opens the null device at descriptors 0 and 1, where most children need it: for these, no descriptor has to be
    /// duplicated at the start. Standard error stays that of fauxplat, so that errors of the spawner can be read.
    fn open(inherit: bool) -> Result<Self, LaunchError> {
        let path = Path::new("/dev/null");
        let null = File::options().read(true).write(true).open(path);
        let null = null.map_err(|source| LaunchError::File { path: path.to_owned(), source })?;
        let out = inherit.then(|| duplicate(1)).transpose()?;
        process::redirect(null.as_raw_fd(), 0)?;
        process::redirect(null.as_raw_fd(), 1)?;
        Ok(Outlets { null, out })
    }
}

impl Loaded {
    fn new(entry: Entry, outlets: &Outlets, signals: &Restoration) -> Result<Self, LaunchError> {
        let stdin = match &entry.stdin {
            Stdin::Null => None,
            Stdin::File(path) => Some(open(path, false)?),
        };
        let stdout = match &entry.stdout {
            Stdout::File(path) => Some(open(path, true)?),
            Stdout::Null | Stdout::Inherit => None,
        };
        let (out, err) = match &entry.stdout {
            Stdout::Inherit => (outlets.out.as_ref().map_or(1, AsRawFd::as_raw_fd), 2),
            _ => (stdout.as_ref().map_or(1, AsRawFd::as_raw_fd), outlets.null.as_raw_fd()),
        };
        let image = Image::new(&entry.program, &entry.argv, &entry.env)
            .map_err(|_| LaunchError::NullByte(entry.argv.join(" ")))?;
        let image = if entry.is_numbered { image.numbered() } else { image };
        let cwd = entry
            .cwd
            .map(CString::new)
            .transpose()
            .map_err(|_| LaunchError::NullByte("working directory".into()))?;
        let groups = entry.groups.iter().map(|group| open_group(group)).collect::<Result<Vec<_>, _>>()?;
        let setup = ChildSetup {
            policy: entry.policy,
            nice: entry.nice,
            personality: entry.personality,
            stack_limit_bytes: entry.stack_limit_bytes,
            memory_policy: entry.memory_policy,
            cwd,
            groups: groups.iter().map(AsRawFd::as_raw_fd).collect(),
            stdio: [stdin.as_ref().map_or(0, AsRawFd::as_raw_fd), out, err],
            own_group: false,
            traced: false,
            extra_work: entry.extra_work,
            inherited: None,
            signals: signals.clone(),
        };
        let Entry { cpus, timeout_ns, heap_offset_bytes, threads, without_huge_pages, keeps, .. } = entry;
        Ok(Loaded {
            image,
            setup,
            cpus,
            timeout_ns,
            heap_offset_bytes,
            threads,
            without_huge_pages,
            keeps,
            own_pad_bytes: entry.pad_bytes,
            last_wall_ns: 0,
            stdin,
            _stdout: stdout,
            _groups: groups,
        })
    }

    /// Rewinds standard input before a run. Input that cannot be rewound (a terminal, a pipe) is shared by all runs.
    pub(crate) fn rewind_stdin(&mut self) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.seek(SeekFrom::Start(0));
        }
    }

    /// Size in bytes of the padding variable, including its null byte; `None` for no padding.
    pub(crate) fn pad_bytes(&self, pad: Pad) -> Option<usize> {
        match pad {
            Pad::Entry => Some(usize::from(self.own_pad_bytes)).filter(|&bytes| bytes > 0),
            Pad::Bytes(bytes) => Some(usize::from(bytes)).filter(|&bytes| bytes > 0),
            Pad::StackOffset(offset) => Some(pad_to(self.image.stack_bytes(), offset.into())),
        }
    }
}

/// Padding in bytes that brings `natural_bytes` to `offset` modulo a page. At least 16 bytes, so that the variable
/// keeps its name whatever the offset.
fn pad_to(natural_bytes: usize, offset: usize) -> usize {
    const PAGE: usize = 4096;
    const SHORTEST: usize = 16;
    SHORTEST + (offset + 2 * PAGE - (natural_bytes + SHORTEST) % PAGE) % PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_reaches_the_same_offset_from_everywhere() {
        for natural in [0usize, 1, 15, 16, 17, 4095, 4096, 5000] {
            for offset in [0usize, 1, 2048, 4095] {
                let pad = pad_to(natural, offset);
                assert_eq!((natural + pad) % 4096, offset);
                assert!((16..16 + 4096).contains(&pad));
            }
        }
    }
}
