//! The folder of pages. The folder and its subfolder are held open, and every file is reached from there, so that no
//! symbolic link in them is followed, even if another user puts one there during the call.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use fauxplat_sys::files::{open_itself, open_without_waiting};
use fauxplat_sys::workplace::{Workplace, remove_forgotten};

use super::{BENCHMARKS, INDEX, LIST, PagesError, is_page_stem};

/// Word in the name of the folder in which files are written before they replace others.
const PURPOSE: &str = "pages";

/// Name of a file in that folder.
const FRESH: &str = "page";

/// Files beside the pages that earlier versions wrote before renaming them, and left where they were killed.
const PARTS: [&str; 2] = ["index.part", "pages.part"];

/// A folder as it was found or just made, before it is known whether pages may be written to it.
#[derive(Debug)]
pub(super) struct Found {
    /// Path as the user named it, for messages.
    path: PathBuf,
    folder: File,
    /// The subfolder with the pages of benchmarks; `None` where it does not exist.
    benchmarks: Option<File>,
}

impl Found {
    /// Opens a folder, and creates it if it does not exist. The path itself may lead over symbolic links.
    ///
    /// # Errors
    /// Fails if the path or the subfolder of pages is anything but a folder, or cannot be created or opened.
    pub(super) fn open(path: &Path) -> Result<Self, PagesError> {
        let fail = |error: io::Error| PagesError::folder(path, &error);
        match fs::metadata(path) {
            Ok(facts) if !facts.is_dir() => {
                return Err(PagesError::obstacle(path, facts.file_type(), "a folder"));
            }
            Ok(_) => {}
            Err(_) => fs::create_dir_all(path).map_err(fail)?,
        }
        let folder = open_without_waiting(File::options().read(true), path).map_err(fail)?;
        let benchmarks = subfolder(&folder, path)?;
        Ok(Found { path: path.to_owned(), folder, benchmarks })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn has_benchmarks(&self) -> bool {
        self.benchmarks.is_some()
    }

    /// Names in the folder.
    pub(super) fn names(&self) -> Vec<OsString> {
        names(&self.folder)
    }

    /// Names in the subfolder of pages.
    pub(super) fn pages(&self) -> Vec<OsString> {
        self.benchmarks.as_ref().map_or_else(Vec::new, names)
    }

    /// Reads at most one byte more than `bytes_max` of the manifest; `None` where there is no manifest.
    ///
    /// # Errors
    /// Fails if the manifest is no regular file, or cannot be read.
    pub(super) fn manifest(&self, bytes_max: u64) -> Result<Option<Vec<u8>>, PagesError> {
        let (at, shown) = (inside(&self.folder).join(LIST), self.path.join(LIST));
        let fail = |error: io::Error| PagesError::folder(&shown, &error);
        let is_regular = |facts: &fs::Metadata| match facts.is_file() {
            true => Ok(()),
            false => Err(PagesError::obstacle(&shown, facts.file_type(), "a regular file")),
        };
        // The kind is checked before opening as well, since opening some devices has an effect.
        match fs::symlink_metadata(&at) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            facts => is_regular(&facts.map_err(fail)?)?,
        }
        let file = open_itself(File::options().read(true), &at).map_err(fail)?;
        is_regular(&file.metadata().map_err(fail)?)?;
        let mut bytes = Vec::new();
        file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(fail)?;
        Ok(Some(bytes))
    }

    /// Creates the subfolder of pages if it does not exist, and removes unfinished files of calls that were killed.
    ///
    /// # Errors
    /// Fails if the subfolder cannot be created or opened.
    pub(super) fn prepared(self) -> Result<Place, PagesError> {
        let Found { path, folder, benchmarks } = self;
        let benchmarks = match benchmarks {
            Some(benchmarks) => benchmarks,
            None => made(&folder, &path)?,
        };
        remove_forgotten(&inside(&folder));
        let place = Place { path, folder, benchmarks, desk: None };
        place.remove_parts();
        Ok(place)
    }
}

/// A folder to which pages are written.
#[derive(Debug)]
pub(super) struct Place {
    /// Folder in which files are written before they replace others; `None` until the first file is written. It is
    /// dropped before `folder`, through which it is removed.
    desk: Option<Workplace>,
    /// Path as the user named it, for messages.
    path: PathBuf,
    folder: File,
    benchmarks: File,
}

impl Place {
    /// Removes unfinished files of earlier versions: regular files under the names that these versions gave them. A
    /// file that cannot be removed does no harm.
    fn remove_parts(&self) {
        let is_part = |name: &OsString| {
            name.to_str().and_then(|name| name.strip_suffix(".part")).is_some_and(is_page_stem)
        };
        let of_pages = names(&self.benchmarks).into_iter().filter(is_part);
        let of_pages = of_pages.map(|name| inside(&self.benchmarks).join(name));
        let beside = PARTS.into_iter().map(|name| inside(&self.folder).join(name));
        for path in of_pages.chain(beside) {
            if fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_file()) {
                let _stays = fs::remove_file(path);
            }
        }
    }

    pub(super) fn has_index(&self) -> bool {
        fs::symlink_metadata(inside(&self.folder).join(INDEX)).is_ok_and(|facts| facts.is_file())
    }

    /// Size of a benchmark's page in bytes; `None` unless the page is a regular file.
    pub(super) fn page_size(&self, page: &str) -> Option<u64> {
        let facts = fs::symlink_metadata(inside(&self.benchmarks).join(page)).ok()?;
        facts.is_file().then_some(facts.len())
    }

    /// Replaces a file of the folder.
    ///
    /// # Errors
    /// Fails if the file cannot be written; it then has its old contents.
    pub(super) fn put(&mut self, name: &str, text: &str) -> Result<(), PagesError> {
        let (at, shown) = (inside(&self.folder).join(name), self.path.join(name));
        self.replace(&at, &shown, text)
    }

    /// Replaces the page of a benchmark.
    ///
    /// # Errors
    /// Fails if the page cannot be written; it then has its old contents.
    pub(super) fn put_page(&mut self, page: &str, text: &str) -> Result<(), PagesError> {
        let (at, shown) = (inside(&self.benchmarks).join(page), self.path.join(BENCHMARKS).join(page));
        self.replace(&at, &shown, text)
    }

    /// Replaces a file by a rename, so that readers see either the old content or the new one; a symbolic link of that
    /// name is replaced itself. No `fsync` is needed, since pages can be made again.
    fn replace(&mut self, at: &Path, shown: &Path, text: &str) -> Result<(), PagesError> {
        let desk = match &mut self.desk {
            Some(desk) => desk,
            none => {
                let made = Workplace::make(PURPOSE, &inside(&self.folder));
                none.insert(made.map_err(|error| PagesError::folder(&self.path, &error))?)
            }
        };
        let fresh = desk.path().join(FRESH);
        // The owner of the folder of pages may put another folder in the place of the desk, so nothing that exists is
        // opened.
        let file = File::options().write(true).create_new(true).open(&fresh);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.and_then(|()| fs::rename(&fresh, at)).map_err(|error| PagesError::file(shown, &error))
    }

    /// Removes the page of a benchmark, and returns whether there was one: anything but a regular file is left.
    ///
    /// # Errors
    /// Fails if the page cannot be removed.
    pub(super) fn remove_page(&self, page: &str) -> Result<bool, PagesError> {
        if self.page_size(page).is_none() {
            return Ok(false);
        }
        match fs::remove_file(inside(&self.benchmarks).join(page)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(PagesError::file(&self.path.join(BENCHMARKS).join(page), &error)),
        }
    }
}

/// Path of an open folder, which leads to that folder whatever its name refers to meanwhile.
fn inside(folder: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

fn names(folder: &File) -> Vec<OsString> {
    let entries = fs::read_dir(inside(folder)).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

/// Opens the subfolder of pages of a folder; `None` where it does not exist.
fn subfolder(folder: &File, path: &Path) -> Result<Option<File>, PagesError> {
    let (at, shown) = (inside(folder).join(BENCHMARKS), path.join(BENCHMARKS));
    let fail = |error: io::Error| PagesError::folder(&shown, &error);
    let is_folder = |facts: &fs::Metadata| match facts.is_dir() {
        true => Ok(()),
        false => Err(PagesError::obstacle(&shown, facts.file_type(), "a folder")),
    };
    match fs::symlink_metadata(&at) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        facts => is_folder(&facts.map_err(fail)?)?,
    }
    // Another file may have been put there since that check.
    let opened = open_itself(File::options().read(true), &at).map_err(fail)?;
    is_folder(&opened.metadata().map_err(fail)?)?;
    Ok(Some(opened))
}

/// Makes the subfolder of pages, unless another call has just made it.
fn made(folder: &File, path: &Path) -> Result<File, PagesError> {
    let shown = path.join(BENCHMARKS);
    let fail = |error: io::Error| PagesError::folder(&shown, &error);
    match fs::create_dir(inside(folder).join(BENCHMARKS)) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(fail(error)),
        _ => {}
    }
    subfolder(folder, path)?.ok_or_else(|| fail(ErrorKind::NotFound.into()))
}
