//! A server of PostgreSQL as an engine. What is its own (addresses, passwords, types, who may do what) stands here alone.

mod dialect;
mod error;
mod link;
mod open;
mod passfile;
mod server;
mod url;
mod value;

pub use link::Patience;
pub use url::{Url, masked};

pub(crate) use open::open;
pub(crate) use server::Server;
