//! Errors of control groups.

use std::path::PathBuf;

/// The reason why a control group cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// No hierarchy has this controller.
    #[error("there are no control groups with the {controller} controller here: {reason}")]
    NoController { controller: &'static str, reason: String },
    /// No existing group permits making a group below it.
    #[error("no control group with {controllers} can be made: {tried}")]
    NoPlace {
        controllers: String,
        /// Groups that were tried, each with the reason against it, and advice.
        tried: String,
    },
    /// No group can be made because of processes in the way: one could be made if the processes in `folder` were moved.
    #[error(
        "no control group with {controllers} can be made: {tried} (move the processes that stand in {folder} \
         out of the way: mkdir {folder}/leaf, and write each number in {folder}/cgroup.procs to \
         {folder}/leaf/cgroup.procs; for a service, systemd does that with DelegateSubgroup=leaf beside Delegate=yes)"
    )]
    Occupied {
        controllers: String,
        /// Groups that were tried, each with the reason against it.
        tried: String,
        /// The nearest group that contains processes and that this user may change.
        folder: String,
    },
    /// A file of a group cannot be written.
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// A limit cannot be set; the text gives the reason.
    #[error("{0}")]
    Refused(String),
}

impl CgroupError {
    /// Whether the only problem is that no existing group permits making a group below it.
    pub fn is_for_want_of_a_place(&self) -> bool {
        matches!(self, CgroupError::NoPlace { .. } | CgroupError::Occupied { .. })
    }
}
