//! The loops of the parent module in Rust: the reference for the tests, and the implementation for architectures
//! without assembly.

use std::f64::consts::PI;

use super::{ADDEND, MULTIPLIER, Sums};

pub(super) fn fauxplat(iterations: u64) -> Sums {
    let (mut r, mut integer, mut double) = (0u64, 0u64, [0.0f64; 4]);
    for i in 0..iterations {
        r = r.wrapping_add(i);
        let d = r.wrapping_add(r);
        let dd = d.wrapping_mul(d);
        integer = integer
            .wrapping_add(d.wrapping_mul(314) / 100)
            .wrapping_add(r.wrapping_mul(r).wrapping_mul(314) / 100)
            .wrapping_add(dd.wrapping_mul(314) / 100)
            .wrapping_add(dd.wrapping_mul(d).wrapping_mul(314) / 600);
        let x = r as i64 as f64;
        let y = x + x;
        double[0] += y * PI;
        double[1] += x * x * PI;
        double[2] += y * y * PI;
        double[3] += y * y * y * (PI / 6.0);
    }
    Sums { integer, double }
}

pub(super) fn integer_ports(units: u64) -> u64 {
    let mut chains: [u64; 8] = std::array::from_fn(|index| index as u64 + 1);
    for _ in 0..units {
        for step in 0..4 {
            for chain in &mut chains {
                *chain = match step {
                    0 => chain.wrapping_add(ADDEND),
                    1 => *chain ^ ADDEND,
                    2 => chain.rotate_left(13),
                    _ => chain.wrapping_sub(ADDEND),
                };
            }
        }
    }
    chains.into_iter().fold(0, u64::wrapping_add)
}

pub(super) fn integer_latency(units: u64) -> u64 {
    (0..units * 8).fold(1, |value, _| value.wrapping_mul(MULTIPLIER))
}

pub(super) fn float_ports(units: u64) -> f64 {
    let mut chains: [f64; 8] = std::array::from_fn(|index| index as f64 + 1.0);
    for _ in 0..units {
        for chain in &mut chains {
            *chain *= 0.5;
        }
        for chain in &mut chains {
            *chain += 1.0;
        }
    }
    chains.into_iter().sum()
}
