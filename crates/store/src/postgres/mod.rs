//! PostgreSQL as an engine. Everything that is specific to it (addresses, passwords, types, permissions) is in this
//! module.

mod dialect;
mod error;
mod link;
mod open;
mod passfile;
mod server;
mod url;
mod value;

pub use link::Patience;
pub use url::{Url, masked, typeable};

pub(crate) use open::open;
pub(crate) use server::Server;
