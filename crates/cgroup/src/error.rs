//! What can go wrong with a control group.

use std::path::PathBuf;

/// Why a control group cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// No hierarchy has this controller.
    #[error("there are no control groups with the {controller} controller here: {reason}")]
    NoController {
        /// The controller.
        controller: &'static str,
        /// Why not.
        reason: String,
    },
    /// No group in which one of ours could be made.
    #[error("no control group with {controllers} can be made: {tried}")]
    NoPlace {
        /// The controllers.
        controllers: String,
        /// What was tried, each with the reason that it is none, and what would help.
        tried: String,
    },
    /// The same where it is only processes that stand in the way.
    #[error(
        "no control group with {controllers} can be made: {tried} (move the processes that stand in {folder} \
         out of the way: mkdir {folder}/leaf, and write each number in {folder}/cgroup.procs to \
         {folder}/leaf/cgroup.procs; for a service, systemd does that with DelegateSubgroup=leaf beside Delegate=yes)"
    )]
    Occupied {
        /// The controllers.
        controllers: String,
        /// What was tried, each with the reason that it is none.
        tried: String,
        /// The nearest group in which processes stand and that may be changed.
        folder: String,
    },
    /// A file of a group cannot be written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// What was asked for is not to be had here.
    #[error("{0}")]
    Refused(String),
}

impl CgroupError {
    /// Whether it is only a place for a group that is missing.
    pub fn is_for_want_of_a_place(&self) -> bool {
        matches!(self, CgroupError::NoPlace { .. } | CgroupError::Occupied { .. })
    }
}
