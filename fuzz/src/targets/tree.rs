//! A tree of a few files in memory, made once: a folder for each input would be most of the work.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_units::CpuSet;

/// CPUs of a machine that is made up: more than have files. Readers ask for eight files of each that is listed, so that
/// a list of all that a kernel can have costs a hundred thousand of them, and nothing else is tried meanwhile; the
/// readers of lists by themselves get any number (`topology-formats`).
const CPUS_MAX: usize = 8;

/// Lists of CPUs that decide of how many files are asked for.
const LISTS: [&str; 3] = ["cpu/online", "cpu/present", "cpu/possible"];

/// The files, and their latest contents.
pub(crate) struct Tree {
    /// Gone with the tree.
    _root: tempfile::TempDir,
    /// The folder of the files.
    place: PathBuf,
    files: Vec<(&'static str, Option<Vec<u8>>)>,
}

impl Tree {
    pub(crate) fn new(files: &[&'static str]) -> Self {
        let root = super::folder();
        for file in files {
            let parent = root.path().join(file).parent().expect("files have folders").to_owned();
            fs::create_dir_all(parent).expect("a folder of the tree");
        }
        let place = root.path().to_owned();
        Tree { _root: root, place, files: files.iter().map(|&file| (file, None)).collect() }
    }

    /// The tree with other files, in a folder within it that the tested code has created.
    pub(crate) fn within(self, folder: &Path, files: &[&'static str]) -> Self {
        Tree { files: files.iter().map(|&file| (file, None)).collect(), place: folder.to_owned(), ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.place
    }

    /// Writes the files. Those without contents do not exist, and those with unchanged contents are not written again.
    pub(crate) fn fill<'b>(&mut self, mut content: impl FnMut(&str) -> Option<Cow<'b, [u8]>>) {
        for (file, last) in &mut self.files {
            let content = content(file).map(|bytes| if is_list(file) { few(bytes) } else { bytes });
            if content.as_deref() == last.as_deref() {
                continue;
            }
            let path = self.place.join(*file);
            match &content {
                Some(bytes) => fs::write(path, bytes).expect("a file of the tree"),
                None => fs::remove_file(path).expect("a file that was there"),
            }
            *last = content.map(Cow::into_owned);
        }
    }
}

fn is_list(file: &str) -> bool {
    LISTS.iter().any(|list| file.ends_with(list))
}

/// A list cut to the machine's number of CPUs; text that is no list is unchanged.
fn few(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let cpus = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse::<CpuSet>().ok());
    match cpus {
        Some(cpus) if cpus.len() > CPUS_MAX => {
            let first: CpuSet = cpus.iter().take(CPUS_MAX).collect();
            first.to_string().into_bytes().into()
        }
        _ => bytes,
    }
}
