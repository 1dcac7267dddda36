//! Names of experiments that are unique in all stores.

use std::fs::File;
use std::io::{self, Read};

/// Returns a random UUID from the kernel's random number generator (`random(4)`).
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(fauxplat_model::uuid(bytes))
}
