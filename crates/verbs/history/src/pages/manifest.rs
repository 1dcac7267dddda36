//! The manifest of a folder of pages, which holds for each page a hash of its sessions, and its rows of the index.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use serde::{Deserialize, Serialize};

use super::place::{Found, Place};
use super::{BENCHMARKS, INDEX, LIST, PagesError, is_page_name, is_page_stem};
use crate::findings::SeriesFindings;

const SCHEMA: &str = "fauxplat.history-pages/1";

/// Beginning of the manifest of any version, also of one that was cut.
const BEGINNING: &str = "{\"schema\":\"fauxplat.history-pages/";

/// Maximum length of a manifest that is read, in bytes.
const BYTES_MAX: u64 = 64 << 20;

/// Version of the layout of pages; a new version makes all pages anew.
pub(super) const FORM: u32 = 2;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Hash of the sessions that the page shows.
    pub(super) hash: String,
    /// Size of the page in bytes.
    pub(super) bytes: u64,
    /// The series of the page, one per machine and identity, without their sessions; each is a row of the index.
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

    /// Reads the manifest of a folder; empty in a folder without one. The second value is whether the manifest cannot
    /// be used, since another version wrote it, or since it is damaged or too long, so that all pages are made anew.
    ///
    /// # Errors
    /// Fails if the folder contains other files, or if the manifest is no regular file or cannot be read.
    pub(super) fn open(found: &Found) -> Result<(Self, bool), PagesError> {
        let Some(bytes) = found.manifest(BYTES_MAX)? else {
            return match stranger(found) {
                Some(what) => Err(PagesError::NotOurs { folder: found.path().to_owned(), what }),
                None => Ok((Manifest::default(), false)),
            };
        };
        if !bytes.starts_with(BEGINNING.as_bytes()) {
            return Err(PagesError::ForeignList { path: found.path().join(LIST) });
        }
        if bytes.len() as u64 > BYTES_MAX {
            return Ok((Manifest::default(), true));
        }
        let read: Option<Manifest> = serde_json::from_slice(&bytes).ok();
        let read = read.filter(|read| read.schema == SCHEMA);
        let is_anew = read.is_none();
        Ok((read.unwrap_or_default(), is_anew))
    }

    /// Entry of a page; `None` unless the page shows the same sessions, and its file exists with the recorded size.
    pub(super) fn entry(&self, place: &Place, page: &str, hash: &str) -> Option<&Entry> {
        let entry = self.pages.get(page).filter(|entry| entry.hash == hash)?;
        (place.page_size(page) == Some(entry.bytes)).then_some(entry)
    }

    /// Removes the pages that the manifest `after` lacks, and returns their number.
    pub(super) fn remove_others(&self, place: &Place, after: &Manifest) -> Result<usize, PagesError> {
        let mut removed = 0;
        // The manifest may have been altered, so files under names that no page has are not removed.
        let of_pages = self.pages.keys().filter(|page| is_page_name(page));
        for page in of_pages.filter(|page| !after.pages.contains_key(*page)) {
            removed += usize::from(place.remove_page(page)?);
        }
        Ok(removed)
    }

    /// Writes the manifest, after all pages, so that it names only complete ones.
    pub(super) fn save(&self, place: &mut Place) -> Result<(), PagesError> {
        let text = serde_json::to_string(self)
            .map_err(|error| PagesError::File { path: LIST.into(), reason: error.to_string() })?;
        place.put(LIST, &text)
    }
}

/// Name of a file in a folder without a manifest that fauxplat did not put there; `None` if there is none. An
/// interrupted call leaves pages without a manifest, so a folder with nothing else is accepted.
fn stranger(found: &Found) -> Option<String> {
    // Hidden files belong to a repository or, like `CNAME`, to a web host, and may stay.
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let may_be_beside = |name: &OsStr| match name.to_str() {
        Some("CNAME" | BENCHMARKS) => true,
        Some(INDEX | "index.part" | "pages.part") => found.has_benchmarks(),
        // Another call may be writing there.
        Some(name) => name.starts_with("fauxplat-") && name.ends_with(".tmp"),
        None => false,
    };
    let may_be_a_page = |name: &OsStr| {
        name.to_str()
            .is_some_and(|name| is_page_name(name) || name.strip_suffix(".part").is_some_and(is_page_stem))
    };
    let beside = found.names().into_iter().filter(|name| !is_hidden(name) && !may_be_beside(name));
    let below = found.pages().into_iter().filter(|name| !is_hidden(name) && !may_be_a_page(name));
    let beside = beside.map(|name| name.to_string_lossy().into_owned());
    beside.chain(below.map(|name| format!("{BENCHMARKS}/{}", name.to_string_lossy()))).next()
}
