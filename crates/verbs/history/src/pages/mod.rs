//! A folder of web pages about all benchmarks. The pages need no server and load no other file, and a page whose
//! sessions have not changed is not written again.

mod benchmark;
mod error;
mod index;
mod manifest;
mod place;
mod script;

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_model::sha256;
use fauxplat_report::say;
use fauxplat_stats::levels::Searcher;
use fauxplat_store::{PointDigest, PointFilter, Store};
use fauxplat_verb::Host;

pub use error::PagesError;

use self::manifest::{Entry, Manifest};
use self::place::{Found, Place};
use crate::analysis::SEED;
use crate::args::{By, PagesArgs};
use crate::findings::SeriesFindings;
use crate::series::{Context, kept, ordered};
use crate::summing::sum_up;
use crate::{analysis, series};

/// Probability of a false change in a series that does not change.
const LEVEL: f64 = 0.01;

/// Name of the subfolder with a page for each benchmark.
const BENCHMARKS: &str = "benchmarks";

/// Name of the manifest's file, which is in the folder of pages itself.
const LIST: &str = "pages.json";

/// Name of the index page, which is in the folder itself.
const INDEX: &str = "index.html";

/// Maximum number of characters of a benchmark's name in the file name of its page.
const NAME_MAX: usize = 40;

/// Number of hexadecimal digits of the hash in the file name of a page.
const HASH_LENGTH: usize = 12;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    pub made: usize,
    /// Number of pages that were not written, since their sessions are unchanged.
    pub left: usize,
    /// Number of removed pages, whose benchmarks the store no longer has.
    pub removed: usize,
    /// Whether all pages were made anew, since the list of the pages there could not be used.
    pub is_anew: bool,
}

pub(crate) fn write(args: &PagesArgs, host: &dyn Host) -> Result<(), Failure> {
    let store = host.history(&args.output)?;
    let made = make(&store, &args.folder, &args.series.metric, args.series.machine.as_deref())?;
    if !args.output.is_quiet() {
        if made.is_anew {
            host.complain(&format!(
                "{}: another version wrote this list of pages, or it is damaged, so all pages were made anew",
                args.folder.join(LIST).display()
            ));
        }
        host.complain(&format!(
            "{}: {} written, {} unchanged, {} removed",
            args.folder.join(INDEX).display(),
            say::counted(made.made, "page", "pages"),
            made.left,
            made.removed
        ));
    }
    Ok(())
}

/// Writes the pages of a metric to a folder: those whose sessions have changed, and the index if any page has.
///
/// # Errors
/// Returns the store's error if reading fails; fails if the folder contains other files, or symbolic links where pages
/// need folders or files, or cannot be written.
pub fn make(store: &Store, folder: &Path, metric: &str, machine: Option<&str>) -> Result<Made, Failure> {
    let found = Found::open(folder)?;
    let (before, is_anew) = Manifest::open(&found)?;
    let place = found.prepared()?;
    let unkept = sum_up(store)?;
    let mut digests = store.point_digests(metric)?;
    let of_unkept = |digest: &PointDigest, benchmark: &str, program: &str| {
        digest.benchmark == benchmark && digest.program == program
    };
    for point in unkept.iter().filter(|point| *point.metric == *metric) {
        if !digests.iter().any(|it| of_unkept(it, &point.benchmark, &point.program)) {
            let (benchmark, program) = (point.benchmark.to_string(), point.program.to_string());
            digests.push(PointDigest { benchmark, program, digest: String::new() });
        }
    }
    let mut site = Site { store, place, metric, machine, searcher: Searcher::new(SEED), context: None };
    let (mut entries, mut made) = (BTreeMap::new(), Made { is_anew, ..Made::default() });
    for digest in &digests {
        let page = page_name(&digest.benchmark, &digest.program);
        let points = unkept.iter().filter(|it| of_unkept(digest, &it.benchmark, &it.program));
        let points: String = points.map(|it| format!("{} {} ", it.experiment, it.ln)).collect();
        let hash = sha256(&format!("{} {metric} {machine:?} {} {points}", manifest::FORM, digest.digest));
        let as_before = before.entry(&site.place, &page, &hash).cloned();
        let entry = match as_before {
            Some(entry) => {
                made.left += 1;
                Some(entry)
            }
            None => {
                made.made += 1;
                let unkept = unkept.iter().filter(|it| of_unkept(digest, &it.benchmark, &it.program));
                site.page(digest, &page, hash, unkept.cloned().collect())?
            }
        };
        entries.extend(entry.map(|entry| (page, entry)));
    }
    let after = Manifest::new(metric, entries);
    made.removed = before.remove_others(&site.place, &after)?;
    if made.made + made.removed > 0 || is_anew || !site.place.has_index() {
        site.place.put(INDEX, &index::page(&after))?;
        after.save(&mut site.place)?;
    }
    Ok(made)
}

/// File name of a benchmark's page: readable characters of the benchmark's name, and a hash of the benchmark's and the
/// program's name.
fn page_name(benchmark: &str, program: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let mut name: String = benchmark.chars().map(plain).take(NAME_MAX).collect();
    while name.contains("--") {
        name = name.replace("--", "-");
    }
    let hash = sha256(&format!("{benchmark}\0{program}"));
    format!("{}-{}.html", name.trim_matches('-'), hash.get(..HASH_LENGTH).unwrap_or_default())
        .trim_start_matches('-')
        .to_owned()
}

/// Whether a file name has the form of those that [`page_name`] gives.
fn is_page_name(name: &str) -> bool {
    name.strip_suffix(".html").is_some_and(is_page_stem)
}

/// Whether a text has the form of a page's file name without its extension.
fn is_page_stem(stem: &str) -> bool {
    let (name, hash) = stem.rsplit_once('-').unwrap_or(("", stem));
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.len() <= NAME_MAX
        && name.bytes().all(is_plain)
        && hash.len() == HASH_LENGTH
        && hash.bytes().all(is_hexadecimal)
}

struct Site<'s> {
    store: &'s Store,
    place: Place,
    metric: &'s str,
    machine: Option<&'s str>,
    searcher: Searcher,
    /// Notes of the store; `None` until the first page has to be written, since mostly all pages are up to date.
    context: Option<Context>,
}

impl Site<'_> {
    /// Writes the page of a benchmark if it is not up to date, and returns its entry of the manifest; `None` if the
    /// benchmark has no session on the requested machine.
    fn page(
        &mut self,
        digest: &PointDigest,
        page: &str,
        hash: String,
        unkept: Vec<fauxplat_store::Point>,
    ) -> Result<Option<Entry>, Failure> {
        if self.context.is_none() {
            self.context = Some(Context::of(self.store)?);
        }
        let benchmark = Some((digest.benchmark.clone(), digest.program.clone()));
        let filter = PointFilter { metric: self.metric.to_owned(), benchmark };
        let all: Vec<series::Series> = kept(self.store, &filter, unkept, self.machine)?;
        let context = self.context.as_ref();
        let mut found = Vec::new();
        for series in all {
            let (series, Some(context)) = (ordered(series, By::Time), context) else { continue };
            let mut trend: SeriesFindings = analysis::trend(&series, context, &mut self.searcher, LEVEL);
            trend.sessions = series.points.iter().map(|point| analysis::session(point, context)).collect();
            found.push(trend);
        }
        if found.is_empty() {
            return Ok(None);
        }
        let text = benchmark::page(&found);
        self.place.put_page(page, &text)?;
        found.iter_mut().for_each(|series| series.sessions.clear());
        Ok(Some(Entry { hash, bytes: text.len() as u64, series: found }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages_are_plain_and_differ() {
        let names = ["../../etc/passwd", "</script>", "\u{202e}x", "", "a/b", "a b", &"é".repeat(300)];
        let pages: Vec<String> = names.iter().map(|name| page_name(name, "p")).collect();
        for page in &pages {
            let is_plain = page.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
            assert!(is_plain && page.len() < 80 && !page.starts_with(['.', '-']), "{page}");
            assert!(is_page_name(page), "{page}");
        }
        let mut distinct = pages.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "{pages:?}");
    }

    #[test]
    fn names_that_no_page_has_are_told_from_those_of_pages() {
        for name in ["sort-0123456789ab.html", "0123456789ab.html", "a-b-0123456789ab.html"] {
            assert!(is_page_name(name), "{name}");
        }
        let longer = format!("{}-0123456789ab.html", "a".repeat(NAME_MAX + 1));
        for name in [
            "keep.html",
            "bashrc",
            "sort-0123456789ab",
            "sort-0123456789ab.part",
            "sort-0123456789AB.html",
            "Sort-0123456789ab.html",
            "../sort-0123456789ab.html",
            "sort-0123456789abc.html",
            &longer,
            ".html",
            "",
        ] {
            assert!(!is_page_name(name), "{name}");
        }
    }
}
