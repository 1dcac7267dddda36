//! Lookup of labs: in a directory that is named by its path, in the installed share directory, in the binary itself.
//! The current directory is not searched by name, because a lab contains shell commands that would be run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_experiment::Failure;
use fauxplat_model::LabDefinition;
use fauxplat_plan::LabSettings;
use fauxplat_sys::text::{read_regular, read_text};
use rust_embed::RustEmbed;

/// The labs of this repository, embedded so that a copied binary has them without installed files.
#[derive(RustEmbed)]
#[folder = "../../labs"]
struct BuiltIn;

/// Maximum size, in bytes, of a file that a lab borrows from another lab.
const BORROWED_BYTES_MAX: usize = 64 << 20;

#[derive(Debug)]
pub struct Lab {
    /// Name of the lab's directory.
    pub name: String,
    /// Definition of the lab, from `lab.toml`, with the values of its options filled in.
    pub definition: LabDefinition,
    pub readme: String,
    /// Text of `lab.toml`, the definition before options are filled in.
    pub(crate) text: String,
    /// Text of `outcomes.toml`, the expected outcomes on made-up machines; `None` without the file.
    pub(crate) outcomes: Option<String>,
    place: LabLocation,
}

#[derive(Clone, Debug)]
enum LabLocation {
    Folder(PathBuf),
    BuiltIn,
}

const DEFINITION: &str = "lab.toml";

/// Finds a lab by its name, or by the path of its directory, which contains a `/`.
///
/// # Errors
/// Fails if the lab does not exist or its definition is invalid.
pub fn find(name: &str, settings: &LabSettings) -> Result<Lab, Failure> {
    if name.contains('/') {
        let folder =
            Path::new(name).canonicalize().map_err(|error| Failure::usage(format!("lab {name}: {error}")))?;
        return read(LabLocation::Folder(folder), None, settings);
    }
    if let Some(folder) = installed().map(|labs| labs.join(name)).filter(|lab| is_lab(lab)) {
        return read(LabLocation::Folder(folder), None, settings);
    }
    match built_in().iter().any(|known| known == name) {
        true => read(LabLocation::BuiltIn, Some(name), settings),
        false => Err(Failure::usage(format!(
            "there is no lab `{name}`; there are {}{}",
            names().join(", "),
            meant(name)
        ))),
    }
}

fn is_lab(folder: &Path) -> bool {
    folder.join(DEFINITION).is_file()
}

/// Hint for an error message, where the current directory, which is not searched, has a lab of this name; empty
/// otherwise.
fn meant(name: &str) -> String {
    let here = ["./labs/", "./"].map(|folder| format!("{folder}{name}"));
    let found = here.into_iter().find(|path| is_lab(Path::new(path)));
    found.map_or(String::new(), |path| {
        format!(
            "; a lab of the current folder is named by its path, and its lines are run as they are: {path}"
        )
    })
}

pub fn names() -> Vec<String> {
    let entries = installed().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| is_lab(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.extend(built_in());
    names.sort_unstable();
    names.dedup();
    names
}

/// The directory of installed labs: for `<prefix>/bin/fauxplat`, `<prefix>/share/fauxplat/labs`. `None` if there is no
/// such directory.
fn installed() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.parent()?.join("share/fauxplat/labs")).filter(|folder| folder.is_dir())
}

fn built_in() -> Vec<String> {
    let name = |file: &str| file.strip_suffix(&format!("/{DEFINITION}")).map(str::to_owned);
    BuiltIn::iter().filter_map(|file| name(&file)).collect()
}

fn read(place: LabLocation, name: Option<&str>, settings: &LabSettings) -> Result<Lab, Failure> {
    let name = match (&place, name) {
        (_, Some(name)) => name.to_owned(),
        (LabLocation::Folder(folder), None) => {
            folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
        }
        (LabLocation::BuiltIn, None) => String::new(),
    };
    let text = |file: &str| match &place {
        LabLocation::Folder(folder) => read_text(&folder.join(file), fauxplat_plan::BYTES_MAX)
            .map_err(|error| Failure::usage(format!("{}: {error}", folder.join(file).display()))),
        LabLocation::BuiltIn => {
            let data = BuiltIn::get(&format!("{name}/{file}")).map(|file| file.data).unwrap_or_default();
            Ok(String::from_utf8_lossy(&data).into_owned())
        }
    };
    let written = text(DEFINITION)?;
    let definition = fauxplat_plan::parse_lab(&written, settings)
        .map_err(|error| Failure::usage(format!("lab {name}: {DEFINITION}: {error}")))?;
    let readme = text("README.md").unwrap_or_default();
    let outcomes = text("outcomes.toml").ok().filter(|text| !text.is_empty());
    Ok(Lab { name, definition, readme, text: written, outcomes, place })
}

impl Lab {
    pub fn found_in(&self) -> String {
        match &self.place {
            LabLocation::Folder(folder) => folder.display().to_string(),
            LabLocation::BuiltIn => "built in".to_owned(),
        }
    }

    /// The lab's directory; `None` for a built-in lab.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match &self.place {
            LabLocation::Folder(folder) => Some(folder),
            LabLocation::BuiltIn => None,
        }
    }

    /// Reads a file of another lab. The directory that contains this lab is searched first, then the installed labs,
    /// then the built-in labs.
    fn borrowed(&self, file: &str) -> Result<Vec<u8>, Failure> {
        let beside = self.folder().and_then(Path::parent).map(|labs| labs.join(file));
        let installed = installed().map(|labs| labs.join(file));
        let on_disk =
            beside.into_iter().chain(installed).find_map(|path| read_regular(&path, BORROWED_BYTES_MAX).ok());
        let built_in = || BuiltIn::get(file).map(|file| file.data.into_owned());
        on_disk.or_else(built_in).ok_or_else(|| {
            Failure::usage(format!(
                "lab {}: it borrows {file}, and there is no such file of a lab",
                self.name
            ))
        })
    }

    /// Reads all files of the lab and the files that it borrows from others, by their path in the copy of the lab that
    /// is run.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub(crate) fn files(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
        let mut files = BTreeMap::new();
        for file in &self.definition.borrows {
            files.insert(borrowed_into(file), self.borrowed(file)?);
        }
        let fail = |error: std::io::Error| Failure::machine(format!("lab {}: {error}", self.name));
        match &self.place {
            LabLocation::Folder(folder) => gather(folder, Path::new(""), &mut files).map_err(fail)?,
            LabLocation::BuiltIn => files.extend(BuiltIn::iter().filter_map(|file| {
                let inner = file.strip_prefix(&format!("{}/", self.name))?;
                Some((PathBuf::from(inner), BuiltIn::get(&file)?.data.into_owned()))
            })),
        }
        Ok(files)
    }

    /// Copies all files of the lab into a directory, so that builds of its experiments do not change the original.
    pub(crate) fn unpack(&self, into: &Path) -> Result<(), Failure> {
        let write = |path: &Path, data: &[u8]| -> std::io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(into))?;
            fs::write(path, data)
        };
        let fail = |error: std::io::Error| Failure::machine(format!("lab {}: {error}", self.name));
        for file in &self.definition.borrows {
            write(&into.join(borrowed_into(file)), &self.borrowed(file)?).map_err(fail)?;
        }
        match &self.place {
            LabLocation::Folder(folder) => copy(folder, into).map_err(fail),
            LabLocation::BuiltIn => BuiltIn::iter()
                .filter_map(|file| {
                    Some((file.strip_prefix(&format!("{}/", self.name))?.to_owned(), BuiltIn::get(&file)?))
                })
                .try_for_each(|(file, embedded)| write(&into.join(file), &embedded.data).map_err(fail)),
        }
    }
}

/// Path of a borrowed file in the copy of the lab that is run: it joins the files of the measured program.
fn borrowed_into(file: &str) -> PathBuf {
    Path::new("subject").join(Path::new(file).file_name().unwrap_or_default())
}

/// Reads the files that [`copy`] would copy, keyed by their path below `root`.
fn gather(root: &Path, below: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> std::io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let inner = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            gather(root, &inner, files)?;
        } else if entry.path().metadata().is_ok_and(|facts| facts.is_file()) {
            files.insert(inner, fs::read(entry.path())?);
        }
    }
    Ok(())
}

fn copy(from: &Path, into: &Path) -> std::io::Result<()> {
    fs::create_dir_all(into)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = into.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            // Opening a named pipe would block forever, and sockets and devices are no sources. A dangling link, such
            // as an editor's lock file, is skipped too.
            false if entry.path().metadata().map_or(true, |facts| !facts.is_file()) => {}
            false => fs::copy(entry.path(), target).map(drop)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_lab_can_be_read() {
        let names = built_in();
        assert!(names.iter().any(|name| name == "link-order"), "{names:?}");
        for name in names {
            let lab = read(LabLocation::BuiltIn, Some(&name), &LabSettings::new())
                .unwrap_or_else(|failure| panic!("{failure}"));
            assert!(lab.outcomes.is_some() && lab.readme.starts_with("# "), "{name}");
        }
    }

    #[test]
    fn every_built_in_lab_is_in_the_course_after_labs_that_are_there() {
        let names = built_in();
        let mut open: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in &names {
            let lab = read(LabLocation::BuiltIn, Some(name), &LabSettings::new()).unwrap();
            let course = lab.definition.course.unwrap_or_else(|| panic!("{name} is not in the course"));
            assert!(!course.teaches.is_empty(), "{name}");
            assert!(course.after.iter().all(|it| names.contains(it)), "{name}: {:?}", course.after);
            open.insert(name.clone(), course.after);
        }
        while !open.is_empty() {
            let next = open.iter().find(|(_, after)| after.iter().all(|it| !open.contains_key(it)));
            let name = next.map(|(name, _)| name.clone());
            open.remove(&name.unwrap_or_else(|| panic!("a circle: {open:?}")));
        }
    }

    #[test]
    fn a_lab_is_unpacked_as_it_is_from_both_places() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        read(LabLocation::BuiltIn, Some("link-order"), &LabSettings::new())
            .unwrap()
            .unpack(one.path())
            .unwrap();
        read(LabLocation::Folder(one.path().to_owned()), None, &LabSettings::new())
            .unwrap()
            .unpack(two.path())
            .unwrap();
        for file in ["lab.toml", "README.md", "subject/main.c"] {
            let text = |root: &Path| fs::read_to_string(root.join(file)).unwrap();
            assert_eq!(text(one.path()), text(two.path()));
        }
    }
}
