//! Reproducible noise.

/// A pseudo-random number between −1 and 1 that depends only on the arguments.
pub(crate) fn jitter(index: u32, salt: u32) -> f64 {
    let mixed = index.wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
    f64::from((mixed ^ mixed >> 12).wrapping_mul(0x297a_2d39) >> 8) / f64::from(1u32 << 23) - 1.0
}
