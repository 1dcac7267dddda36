//! A process that keeps a CPU busy beside the measurements of a campaign.

use std::path::PathBuf;
use std::process::{Child, Command};

use crate::error::ChoreError;

/// A process that keeps a CPU busy until the value is dropped.
pub(super) struct Burner(Child);

impl Burner {
    pub(super) fn start() -> Result<Self, ChoreError> {
        let burning = Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
        burning.map(Burner).map_err(ChoreError::at(PathBuf::from("sh")))
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        let _over_already = self.0.kill();
        let _gone = self.0.wait();
    }
}
