//! What can go wrong with a control group.

use std::path::PathBuf;

/// Why a control group cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// No hierarchy has this controller.
    #[error("this machine has no control groups with the {0} controller (is /sys/fs/cgroup mounted?)")]
    NoController(&'static str),
    /// No group in which one of ours could be made.
    #[error(
        "no permission to make a control group with the {controller} controller below {} (run as root, or in a delegated group: systemd-run --user --scope -p Delegate=yes …)",
        mount.display()
    )]
    NoPlace {
        /// The controller.
        controller: &'static str,
        /// Where its hierarchy is mounted.
        mount: PathBuf,
    },
    /// A file of a group cannot be written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
}
