//! The progress of a campaign, stored in a file by which an interrupted campaign is resumed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Results of the rounds of a campaign, by the name of the round.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    done: BTreeMap<String, String>,
    file: Option<(PathBuf, File)>,
}

impl Progress {
    /// Reads the progress of an interrupted campaign from a file, and stores further results there. Without a file
    /// nothing is stored.
    pub(crate) fn of(path: Option<&str>) -> Self {
        let Some(path) = path.map(Path::new) else { return Progress::default() };
        let text = fs::read_to_string(path).unwrap_or_default();
        // A line without a line end was being written when the campaign was ended.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let line =
            |line: &str| line.split_once('\t').map(|(name, shown)| (name.to_owned(), shown.to_owned()));
        let done: BTreeMap<String, String> = whole.lines().filter_map(line).collect();
        let mut file = File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (name, shown) in &done {
            writeln!(file, "{name}\t{shown}").expect("the file of a campaign");
        }
        if !done.is_empty() {
            println!("going on after {} rounds that {} names", done.len(), path.display());
        }
        Progress { done, file: Some((path.to_owned(), file)) }
    }

    /// The result of a round in an interrupted earlier campaign; `None` if the round is still to be made.
    pub(crate) fn of_round(&self, name: &str) -> Option<&str> {
        self.done.get(name).map(String::as_str)
    }

    pub(crate) fn note(&mut self, name: &str, shown: &str) {
        if let Some((path, file)) = &mut self.file {
            writeln!(file, "{name}\t{shown}").unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }

    /// Removes the file at the end of a campaign, so that the next one begins anew.
    pub(crate) fn finish(self) {
        if let Some((path, _)) = self.file {
            fs::remove_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}
