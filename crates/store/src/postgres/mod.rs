//! Shared stores in PostgreSQL: addresses, passwords, types and permissions.

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
