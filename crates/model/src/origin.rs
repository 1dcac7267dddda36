//! Where a measurement was made: the state of the code, the person and the machine.

use serde::{Deserialize, Serialize};

/// State of the work tree of a git repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkout {
    /// Full hash of the commit.
    pub commit: String,
    /// Name of the branch; `None` for a detached head.
    pub branch: Option<String>,
    /// Whether tracked files differ from the commit; `None` where git did not say so in time.
    pub dirty: Option<bool>,
    /// When the commit was made, in seconds since 1970, UTC; `None` where git did not say so in time.
    pub committed_s: Option<i64>,
}

/// Where a measurement was made. Every field is `None` where it could not be found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// State of the repository around the working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<Checkout>,
    /// The text of `--label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Name of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Name of the user, or the number of one who has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Identity of the installation, which machines of one model do not share: a hash of the machine-id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<String>,
}

impl Origin {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Origin::default()
    }
}
