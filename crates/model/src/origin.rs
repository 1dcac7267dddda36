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
}

/// Where and by whom a measurement was made. A field is `None` if its value could not be determined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// State of the repository around the working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<Checkout>,
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
    pub fn is_empty(&self) -> bool {
        *self == Origin::default()
    }
}
