//! Answers that come as files, one for each task.

use std::collections::HashMap;
use std::fs;

use crate::FleetError;
use crate::engine::{Said, Task};
use crate::folder::RunFolder;

/// The files of answers, and how much of each was handed on.
#[derive(Debug, Default)]
pub(crate) struct Files {
    seen: HashMap<u32, u64>,
}

impl Files {
    /// The lines of every file that has grown. A file is handed on as a whole: lines that were there before say the same again.
    pub(crate) fn said(
        &mut self,
        folder: &RunFolder,
        open: &[(Task, String)],
    ) -> Result<Vec<Said>, FleetError> {
        let mut said = Vec::new();
        for (task, _) in open {
            let path = folder.out(task.number);
            let Ok(facts) = fs::metadata(&path) else { continue };
            if self.seen.insert(task.number, facts.len()) == Some(facts.len()) {
                continue;
            }
            let bytes = fs::read(&path).map_err(FleetError::at(&path))?;
            let text = String::from_utf8_lossy(&bytes);
            said.extend(text.lines().map(|line| Said { task: task.number, line: line.to_owned() }));
        }
        Ok(said)
    }
}

/// Bytes at the end of a file of complaints that are looked at.
const COMPLAINT_BYTES: usize = 4096;

/// The last thing that a task complained of.
pub(crate) fn complaint(folder: &RunFolder, task: u32) -> Option<String> {
    let bytes = fs::read(folder.errors(task)).ok()?;
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(COMPLAINT_BYTES)..]).into_owned();
    text.lines().rev().find_map(crate::ask::one_line)
}
