//! The manifest of a folder of pages, which holds for each page a hash of its sessions, and its rows of the index.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::{BENCHMARKS, PagesError};
use crate::findings::SeriesFindings;

/// Name of the manifest's file, which is in the folder of pages itself.
const FILE: &str = "pages.json";

const SCHEMA: &str = "fauxplat.history-pages/1";

/// Version of the layout of pages; a new version makes all pages anew.
pub(super) const FORM: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Hash of the sessions that the page shows.
    pub(super) hash: String,
    /// Size of the page in bytes.
    pub(super) bytes: u64,
    /// The series of the page, one per machine, without their sessions; each is a row of the index.
    pub(super) series: Vec<SeriesFindings>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    schema: String,
    pub(super) metric: String,
    /// Entries of the pages, by file name.
    pub(super) pages: BTreeMap<String, Entry>,
}

impl Manifest {
    pub(super) fn new(metric: &str, pages: BTreeMap<String, Entry>) -> Self {
        Manifest { schema: SCHEMA.to_owned(), metric: metric.to_owned(), pages }
    }

    /// Reads the manifest of a folder, and creates the folder if it does not exist.
    ///
    /// # Errors
    /// Fails if the folder contains other files, or cannot be created.
    pub(super) fn open(folder: &Path) -> Result<Self, PagesError> {
        let benchmarks = folder.join(BENCHMARKS);
        let file = folder.join(FILE);
        match fs::read(&file) {
            // An unreadable manifest is from another version, so all pages are made anew.
            Ok(bytes) => {
                let read: Manifest = serde_json::from_slice(&bytes).unwrap_or_default();
                Ok(if read.schema == SCHEMA { read } else { Manifest::default() })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let stranger = entries.map(|entry| entry.file_name()).find(|name| {
                    // Hidden files belong to a repository or, like `CNAME`, to a web host, and may stay.
                    !name.as_encoded_bytes().starts_with(b".") && name != "CNAME"
                });
                // An interrupted call leaves pages without a manifest, so a folder with nothing else is accepted.
                match stranger {
                    Some(what) if what != BENCHMARKS && what != "index.html" => Err(PagesError::NotOurs {
                        folder: folder.to_owned(),
                        what: what.to_string_lossy().into_owned(),
                    }),
                    Some(what) if what == "index.html" && !benchmarks.is_dir() => Err(PagesError::NotOurs {
                        folder: folder.to_owned(),
                        what: what.to_string_lossy().into_owned(),
                    }),
                    _ => Ok(Manifest::default()),
                }
            }
            Err(error) => Err(failed(&file, &error)),
        }
        .and_then(|manifest| {
            fs::create_dir_all(&benchmarks).map_err(|error| failed(&benchmarks, &error)).map(|()| manifest)
        })
    }

    /// Entry of a page; `None` unless the page shows the same sessions, and its file exists with the recorded size.
    pub(super) fn entry(&self, folder: &Path, page: &str, hash: &str) -> Option<&Entry> {
        let entry = self.pages.get(page).filter(|entry| entry.hash == hash)?;
        let facts = fs::metadata(folder.join(BENCHMARKS).join(page)).ok()?;
        (facts.len() == entry.bytes).then_some(entry)
    }

    /// Removes the pages that the manifest `after` lacks, and returns their number.
    pub(super) fn remove_others(&self, folder: &Path, after: &Manifest) -> Result<usize, PagesError> {
        let mut removed = 0;
        for page in self.pages.keys().filter(|page| !after.pages.contains_key(*page)) {
            // The manifest may have been altered, so a name that is a path to another folder is not removed.
            if !matches!(Path::new(page).components().collect::<Vec<_>>().as_slice(), [Component::Normal(_)])
            {
                continue;
            }
            let path = folder.join(BENCHMARKS).join(page);
            match fs::remove_file(&path) {
                Ok(()) => removed += 1,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(&path, &error)),
            }
        }
        Ok(removed)
    }

    /// Writes the manifest, after all pages, so that it names only complete ones.
    pub(super) fn save(&self, folder: &Path) -> Result<(), PagesError> {
        let file = folder.join(FILE);
        let text = serde_json::to_string(self)
            .map_err(|error| PagesError::File { path: file.clone(), reason: error.to_string() })?;
        put(&file, &text)
    }
}

fn failed(path: &Path, error: &std::io::Error) -> PagesError {
    PagesError::File { path: path.to_owned(), reason: error.to_string() }
}

/// Replaces a file by a rename, so that readers see either the old content or the new one. No `fsync` is needed, since
/// pages can be made again.
pub(super) fn put(path: &Path, text: &str) -> Result<(), PagesError> {
    let part = path.with_extension("part");
    fs::write(&part, text).map_err(|error| failed(&part, &error))?;
    fs::rename(&part, path).map_err(|error| failed(path, &error))
}
