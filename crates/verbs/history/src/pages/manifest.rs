//! The contents of a folder of pages: a hash of the sessions of each page, and the line of the index about the page.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::{BENCHMARKS, PagesError};
use crate::findings::SeriesFindings;

/// Name of the file beside the pages.
const FILE: &str = "pages.json";

/// Name of its schema.
const SCHEMA: &str = "fauxplat.history-pages/1";

/// Number of the form of pages: another form makes all pages anew.
pub(super) const FORM: u32 = 1;

/// The entry of a page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Hash of what the page was made of.
    pub(super) hash: String,
    /// Size of the page.
    pub(super) bytes: u64,
    /// The lines of the index: the series of each machine, without sessions.
    pub(super) series: Vec<SeriesFindings>,
}

/// The contents of a folder of pages.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    schema: String,
    /// Name of the metric.
    pub(super) metric: String,
    /// The pages by their file names.
    pub(super) pages: BTreeMap<String, Entry>,
}

impl Manifest {
    pub(super) fn new(metric: &str, pages: BTreeMap<String, Entry>) -> Self {
        Manifest { schema: SCHEMA.to_owned(), metric: metric.to_owned(), pages }
    }

    /// The manifest of a folder, which is made if need be.
    ///
    /// # Errors
    /// The folder holds something else, or cannot be made.
    pub(super) fn open(folder: &Path) -> Result<Self, PagesError> {
        let benchmarks = folder.join(BENCHMARKS);
        let file = folder.join(FILE);
        match fs::read(&file) {
            // A file that cannot be understood is of another version: all pages are made anew.
            Ok(bytes) => {
                let read: Manifest = serde_json::from_slice(&bytes).unwrap_or_default();
                Ok(if read.schema == SCHEMA { read } else { Manifest::default() })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let stranger = entries.map(|entry| entry.file_name()).find(|name| {
                    // A hidden file of a repository or a host of pages is nobody's page.
                    !name.as_encoded_bytes().starts_with(b".") && name != "CNAME"
                });
                // The pages of a call that was interrupted before its end have no manifest yet.
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

    /// The entry of a page that was made of the same and is still there.
    pub(super) fn entry(&self, folder: &Path, page: &str, hash: &str) -> Option<&Entry> {
        let entry = self.pages.get(page).filter(|entry| entry.hash == hash)?;
        let facts = fs::metadata(folder.join(BENCHMARKS).join(page)).ok()?;
        (facts.len() == entry.bytes).then_some(entry)
    }

    /// Removes the pages that another manifest does not have; returns their number.
    pub(super) fn remove_others(&self, folder: &Path, after: &Manifest) -> Result<usize, PagesError> {
        let mut removed = 0;
        for page in self.pages.keys().filter(|page| !after.pages.contains_key(*page)) {
            // A name that leads elsewhere is none of ours, whoever wrote it into the file.
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

    /// Writes the manifest, after all pages.
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

/// Replaces a file as a whole: whoever reads meanwhile has the page before or the one after. Nothing waits for the disk, since
/// pages can be made again.
pub(super) fn put(path: &Path, text: &str) -> Result<(), PagesError> {
    let part = path.with_extension("part");
    fs::write(&part, text).map_err(|error| failed(&part, &error))?;
    fs::rename(&part, path).map_err(|error| failed(path, &error))
}
