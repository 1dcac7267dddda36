//! Loops of a known number of instructions, for measurements of the CPU itself.
//!
//! On x86-64 and AArch64 the loops are fixed assembly, so that no compiler decides what is measured, and two machines
//! of one architecture execute the same bytes. On other architectures a portable form gives the same answers, but its
//! times are not comparable.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod elsewhere;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as here;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use elsewhere as here;
#[cfg(target_arch = "x86_64")]
use x86_64 as here;

/// Whether the loops are the fixed assembly of this architecture.
pub const IS_ASSEMBLY: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Number of iterations of [`fauxplat`] that are one FauxPlat, the unit of work of the verb `index`.
pub const FAUXPLAT_ITERATIONS: u64 = 100_000;

/// Instructions of one iteration of [`fauxplat`]; `None` where the compiler chooses them.
pub const FAUXPLAT_INSTRUCTIONS: Option<u64> = here::FAUXPLAT_INSTRUCTIONS;

/// Odd multiplier with well-spread bits (Steele and Vigna, "Computationally easy, spectrally good multipliers", 2021).
const MULTIPLIER: u64 = 0xd134_2543_de82_ef95;
const ADDEND: u64 = 0x9e37_79b9_7f4a_7c15;

/// Results of [`fauxplat`]. The tests compare them with those of the portable form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// Sum of the four integer results of every iteration, modulo 2^64.
    pub integer: u64,
    /// Sums of circumference, area, surface and volume.
    pub double: [f64; 4],
}

/// Runs the loop by which the verb `index` measures the power of a CPU. In each iteration a running sum r grows by the
/// number of the iteration, and with d = 2r the loop computes the circumference and area of a circle and the surface
/// and volume of a sphere of radius r: each once in 64-bit integers (π as 314/100) and once in doubles.
pub fn fauxplat(iterations: u64) -> Sums {
    here::fauxplat(iterations)
}

/// Runs eight independent chains of additions, exclusive ors, rotations and subtractions, and returns their sum. The
/// loop uses every integer port in every cycle, and so the resources that hyper-threads share. One unit is 32
/// instructions, four of each chain.
pub fn integer_ports(units: u64) -> u64 {
    here::integer_ports(units)
}

/// Runs a chain of dependent multiplications, which leaves most of a core to other threads, and returns the last
/// product. One unit is 8 multiplications.
pub fn integer_latency(units: u64) -> u64 {
    here::integer_latency(units)
}

/// Runs eight independent chains of multiplications and additions of doubles, and returns their sum. One unit is 16
/// operations, two of each chain.
pub fn float_ports(units: u64) -> f64 {
    here::float_ports(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_and_portable_form_agree_to_the_last_bit() {
        for iterations in [0, 1, 2, 3, 100, 99_999, FAUXPLAT_ITERATIONS] {
            assert_eq!(fauxplat(iterations), portable::fauxplat(iterations), "{iterations}");
        }
        for units in [0, 1, 2, 1000] {
            assert_eq!(integer_ports(units), portable::integer_ports(units));
            assert_eq!(integer_latency(units), portable::integer_latency(units));
            assert_eq!(float_ports(units).to_bits(), portable::float_ports(units).to_bits());
        }
    }

    #[test]
    fn the_sums_are_what_paper_says() {
        // r is 0, 1, 3 in the first three iterations.
        let sums = fauxplat(3);
        let integer = |r: u64| {
            let d = 2 * r;
            d * 314 / 100 + r * r * 314 / 100 + d * d * 314 / 100 + d * d * d * 314 / 600
        };
        assert_eq!(sums.integer, integer(0) + integer(1) + integer(3));
        let pi = std::f64::consts::PI;
        assert!(
            (sums.double[0] - 8.0 * pi).abs() < 1e-12
                && (sums.double[3] - 4.0 / 3.0 * pi * 28.0).abs() < 1e-9
        );
    }
}
