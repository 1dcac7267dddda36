//! Digests and identifiers as text.

use sha2::{Digest, Sha256};

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// SHA-256 of several parts, in hexadecimal. Each part is hashed after its length, so that two lists of parts with the
/// same concatenation have different digests.
pub fn sha256_of_parts<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> String {
    let mut whole = Sha256::new();
    for part in parts {
        whole.update((part.as_ref().len() as u64).to_le_bytes());
        whole.update(part);
    }
    hex(&whole.finalize())
}

/// A UUID from random bytes (version 4, RFC 9562).
pub fn uuid(mut random: [u8; 16]) -> String {
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    let hex = hex(&random);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_sha256() {
        // FIPS 180-4, the example of one block.
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn lists_of_parts_have_different_digests() {
        assert_ne!(sha256_of_parts(["ab", "c"]), sha256_of_parts(["a", "bc"]));
        assert_ne!(sha256_of_parts(["ab"]), sha256_of_parts(["ab", ""]));
        assert_eq!(sha256_of_parts(["ab", "c"]), sha256_of_parts(["ab", "c"]));
    }

    #[test]
    fn the_version_and_the_variant_stand_in_their_places() {
        assert_eq!(uuid([0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
