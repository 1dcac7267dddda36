//! Fixed paths at which the programs of a comparison lie while they run.
//!
//! A command's path is part of its stack, so the commands of a comparison keep paths of equal length whatever layout
//! they have. A new layout comes as a new file: its pages lie elsewhere in memory, which is one more thing that is
//! drawn anew.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_launch::Capture;
use fauxplat_launch::words::sha256;
use fauxplat_model::Outcome;
use fauxplat_sys::workplace::Workplace;

use crate::error::at;
use crate::{Builder, Built, VariantError};

/// Slots for programs, deleted with their content when this is dropped.
#[derive(Debug)]
pub struct ProgramSlots {
    /// Keeps the folder of the slots.
    _folder: Workplace,
    paths: Vec<PathBuf>,
}

impl ProgramSlots {
    /// As many empty slots as there are commands.
    ///
    /// # Errors
    /// The folders cannot be made.
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

    /// Path of a slot, the same for all programs that are put into it.
    pub fn path(&self, place: usize) -> &Path {
        &self.paths[place]
    }

    /// Puts a program into a slot, by one rename, so that a reader never sees half of it.
    ///
    /// # Errors
    /// The program cannot be copied.
    pub fn put(&self, place: usize, built: &Built) -> Result<(), VariantError> {
        let path = self.path(place);
        let fresh = path.with_extension("new");
        let words = [&built.path, &fresh].map(|path| path.display().to_string());
        // Copied by another process: a program that this one had open for writing could not be executed while some
        // other thread's child still holds the descriptor.
        let copy = Capture {
            program: "cp".into(),
            arguments: words.to_vec(),
            with_stderr: true,
            ..Capture::default()
        };
        let copied = copy.run()?;
        // A truncated program may well run, and would be measured.
        match copied.outcome {
            Outcome::Exited(0) if sha256(&fresh).as_ref() == Some(&built.sha256) => {}
            _ => {
                let said = copied.output.text().trim().replace('\n', "; ");
                let said = if said.is_empty() { "its hash is another".to_owned() } else { said };
                return Err(VariantError::NotCopied { from: built.path.clone(), to: fresh, said });
            }
        }
        fs::rename(&fresh, path).map_err(at(path))
    }
}
