//! Where and by whom a measurement was made: the state of the code, the user and the machine.

use serde::{Deserialize, Serialize};

/// State of the work tree of a git repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkout {
    /// Full hash of the commit.
    pub commit: String,
    /// Name of the branch; `None` for a detached head.
    pub branch: Option<String>,
    /// Whether tracked files differ from the commit; `None` if git did not answer in time.
    pub dirty: Option<bool>,
    /// Time of the commit, in seconds since 1970, UTC; `None` if git did not answer in time.
    pub committed_s: Option<i64>,
    /// Name of the repository, equal for its clones on all machines: host and path of its remote, without user and
    /// password, or the path of its folder if there is no remote. `None` in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Absolute path of the top of the work tree; `None` in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<String>,
}

/// Where and by whom a measurement was made. A field is `None` if its value could not be determined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// State of the repository around the working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<Checkout>,
    /// Absolute path of the working directory; `None` in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The user's text in `--label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Name of the user, or the numeric user id if there is no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// A hash of the machine-id of the operating system, which distinguishes machines of the same model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<String>,
}

impl Origin {
    /// Repository of the working directory or, outside of a repository, that folder; `None` in records of earlier
    /// versions.
    pub fn place(&self) -> Option<&str> {
        let repository = self.checkout.as_ref().and_then(|checkout| checkout.repository.as_deref());
        repository.or(self.folder.as_deref())
    }

    pub fn is_empty(&self) -> bool {
        *self == Origin::default()
    }
}
