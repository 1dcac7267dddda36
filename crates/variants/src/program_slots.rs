//! Fixed paths for the programs of a comparison while they run.
//!
//! The path of a program lies on its stack, so paths of different lengths would move the stack. Each command therefore
//! keeps one path, and all paths are equally long. Each new layout is a new file, so the physical addresses of its
//! pages vary as well.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_launch::Capture;
use fauxplat_launch::words::sha256;
use fauxplat_model::Outcome;
use fauxplat_sys::workplace::Workplace;

use crate::error::at;
use crate::{Builder, Built, VariantError};

/// Slots: fixed paths for programs. The slots and the programs in them are deleted when the value is dropped.
#[derive(Debug)]
pub struct ProgramSlots {
    _folder: Workplace,
    paths: Vec<PathBuf>,
}

impl ProgramSlots {
    /// Creates `count` empty slots, one for each command.
    ///
    /// # Errors
    /// Fails if the folders cannot be made.
    pub fn new(builder: &Builder, count: usize) -> Result<Self, VariantError> {
        let folder = builder.workplace()?;
        let place = |number: usize| -> Result<PathBuf, VariantError> {
            let place = folder.path().join(format!("{number:05}"));
            fs::create_dir(&place).map_err(at(&place))?;
            Ok(place.join("program"))
        };
        let paths = (0..count).map(place).collect::<Result<_, _>>()?;
        Ok(ProgramSlots { _folder: folder, paths })
    }

    /// Path of a slot, at which every program that is put into the slot is executed.
    pub fn path(&self, place: usize) -> &Path {
        &self.paths[place]
    }

    /// Puts a program into a slot by one rename, so that a reader never sees an incomplete program.
    ///
    /// # Errors
    /// Fails if the program cannot be copied.
    pub fn put(&self, place: usize, built: &Built) -> Result<(), VariantError> {
        let path = self.path(place);
        let fresh = path.with_extension("new");
        let words = [&built.path, &fresh].map(|path| path.display().to_string());
        // Another process makes the copy: a file that this process has open for writing cannot be executed (`ETXTBSY`)
        // as long as a child that another thread has just created holds the descriptor.
        let copy = Capture {
            program: "cp".into(),
            arguments: words.to_vec(),
            with_stderr: true,
            ..Capture::default()
        };
        let copied = copy.run()?;
        // A truncated program might run, and would be measured.
        match copied.outcome {
            Outcome::Exited(0) if sha256(&fresh).as_ref() == Some(&built.sha256) => {}
            _ => {
                let said = copied.output.text().trim().replace('\n', "; ");
                let said = if said.is_empty() { "the copy has another hash".to_owned() } else { said };
                return Err(VariantError::NotCopied { from: built.path.clone(), to: fresh, said });
            }
        }
        fs::rename(&fresh, path).map_err(at(path))
    }
}
