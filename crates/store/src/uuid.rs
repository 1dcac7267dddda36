//! Globally unique names of experiments.

use std::fs::File;
use std::io::{self, Read};

/// A random UUID (version 4, RFC 9562) from the kernel's randomness (`random(4)`).
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(version_4(bytes))
}

fn version_4(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = bytes.map(|byte| format!("{byte:02x}")).concat();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_and_the_variant_stand_in_their_places() {
        assert_eq!(version_4([0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(version_4([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_ne!(random().unwrap(), random().unwrap());
    }
}
