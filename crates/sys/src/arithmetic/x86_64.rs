//! The loops of the parent module in x86-64 assembly, of instructions that every processor of the architecture has.
#![expect(unsafe_code, reason = "inline assembly")]

use std::arch::asm;
use std::f64::consts::PI;

use super::{ADDEND, MULTIPLIER, Sums};

/// Number of instructions of the loop of [`fauxplat`] between its label and its jump, the jump included.
pub(super) const FAUXPLAT_INSTRUCTIONS: Option<u64> = Some(48);

/// Scaled reciprocals of 25 and 75: division by a constant is a multiplication and a shift, as every compiler writes it
/// (Granlund and Montgomery 1994). With m the respective constant, n / 100 = ((n / 4) · m) / 2^66 and n / 600 = ((n /
/// 8) · m) / 2^70, exact for all 64-bit n.
const RECIPROCAL_25: u64 = 0x28f5_c28f_5c28_f5c3;
const RECIPROCAL_75: u64 = 0xda74_0da7_40da_740e;

#[expect(clippy::too_many_lines, reason = "one instruction per line, so that they can be counted")]
// A function of its own in the binary, so that an instruction counter can be turned on around it.
#[inline(never)]
pub(super) fn fauxplat(iterations: u64) -> Sums {
    let mut integer = 0u64;
    let mut double = [0.0f64; 4];
    let [a, b, c, e] = &mut double;
    // The first jump skips the loop if there are no iterations.
    // SAFETY: registers alone are read and written, all of them declared; the flags are clobbered, as is the default.
    unsafe {
        asm!(
            "test {n}, {n}",
            "jz 3f",
            ".p2align 6",
            "2:",
            "add {r}, {i}",
            "lea {d}, [{r} + {r}]",
            // Circumference of the circle.
            "imul rax, {d}, 314",
            "shr rax, 2",
            "mul {m25}",
            "shr rdx, 2",
            "add {sum}, rdx",
            // Area of the circle.
            "mov rax, {r}",
            "imul rax, rax",
            "imul rax, rax, 314",
            "shr rax, 2",
            "mul {m25}",
            "shr rdx, 2",
            "add {sum}, rdx",
            // Surface of the sphere.
            "mov {q}, {d}",
            "imul {q}, {q}",
            "imul rax, {q}, 314",
            "shr rax, 2",
            "mul {m25}",
            "shr rdx, 2",
            "add {sum}, rdx",
            // Volume of the sphere.
            "imul {q}, {d}",
            "imul rax, {q}, 314",
            "shr rax, 3",
            "mul {m75}",
            "shr rdx, 6",
            "add {sum}, rdx",
            // All four results again, in doubles.
            "xorps {x}, {x}",
            "cvtsi2sd {x}, {r}",
            "movapd {y}, {x}",
            "addsd {y}, {x}",
            "movapd {z}, {y}",
            "mulsd {z}, {pi}",
            "addsd {a}, {z}",
            "mulsd {x}, {x}",
            "mulsd {x}, {pi}",
            "addsd {b}, {x}",
            "movapd {z}, {y}",
            "mulsd {z}, {y}",
            "movapd {x}, {z}",
            "mulsd {z}, {pi}",
            "addsd {c}, {z}",
            "mulsd {x}, {y}",
            "mulsd {x}, {pi6}",
            "addsd {e}, {x}",
            "inc {i}",
            "cmp {i}, {n}",
            "jne 2b",
            "3:",
            n = in(reg) iterations,
            r = inout(reg) 0u64 => _,
            i = inout(reg) 0u64 => _,
            d = out(reg) _,
            q = out(reg) _,
            m25 = in(reg) RECIPROCAL_25,
            m75 = in(reg) RECIPROCAL_75,
            sum = inout(reg) integer,
            pi = in(xmm_reg) PI,
            pi6 = in(xmm_reg) PI / 6.0,
            x = out(xmm_reg) _,
            y = out(xmm_reg) _,
            z = out(xmm_reg) _,
            a = inout(xmm_reg) *a,
            b = inout(xmm_reg) *b,
            c = inout(xmm_reg) *c,
            e = inout(xmm_reg) *e,
            out("rax") _,
            out("rdx") _,
            options(nomem, nostack),
        );
    }
    Sums { integer, double }
}

pub(super) fn integer_ports(units: u64) -> u64 {
    let mut chains: [u64; 8] = std::array::from_fn(|index| index as u64 + 1);
    let [a, b, c, d, e, f, g, h] = &mut chains;
    // SAFETY: registers alone are read and written, all of them declared.
    unsafe {
        asm!(
            "test {n}, {n}",
            "jz 3f",
            ".p2align 6",
            "2:",
            "add {a}, {k}", "add {b}, {k}", "add {c}, {k}", "add {d}, {k}",
            "add {e}, {k}", "add {f}, {k}", "add {g}, {k}", "add {h}, {k}",
            "xor {a}, {k}", "xor {b}, {k}", "xor {c}, {k}", "xor {d}, {k}",
            "xor {e}, {k}", "xor {f}, {k}", "xor {g}, {k}", "xor {h}, {k}",
            "rol {a}, 13", "rol {b}, 13", "rol {c}, 13", "rol {d}, 13",
            "rol {e}, 13", "rol {f}, 13", "rol {g}, 13", "rol {h}, 13",
            "sub {a}, {k}", "sub {b}, {k}", "sub {c}, {k}", "sub {d}, {k}",
            "sub {e}, {k}", "sub {f}, {k}", "sub {g}, {k}", "sub {h}, {k}",
            "dec {n}",
            "jnz 2b",
            "3:",
            n = inout(reg) units => _,
            k = in(reg) ADDEND,
            a = inout(reg) *a, b = inout(reg) *b, c = inout(reg) *c, d = inout(reg) *d,
            e = inout(reg) *e, f = inout(reg) *f, g = inout(reg) *g, h = inout(reg) *h,
            options(nomem, nostack),
        );
    }
    chains.into_iter().fold(0, u64::wrapping_add)
}

pub(super) fn integer_latency(units: u64) -> u64 {
    let mut value = 1u64;
    // SAFETY: registers alone are read and written, all of them declared.
    unsafe {
        asm!(
            "test {n}, {n}",
            "jz 3f",
            ".p2align 6",
            "2:",
            "imul {v}, {k}", "imul {v}, {k}", "imul {v}, {k}", "imul {v}, {k}",
            "imul {v}, {k}", "imul {v}, {k}", "imul {v}, {k}", "imul {v}, {k}",
            "dec {n}",
            "jnz 2b",
            "3:",
            n = inout(reg) units => _,
            k = in(reg) MULTIPLIER,
            v = inout(reg) value,
            options(nomem, nostack),
        );
    }
    value
}

pub(super) fn float_ports(units: u64) -> f64 {
    let mut chains: [f64; 8] = std::array::from_fn(|index| index as f64 + 1.0);
    let [a, b, c, d, e, f, g, h] = &mut chains;
    // SAFETY: registers alone are read and written, all of them declared.
    unsafe {
        asm!(
            "test {n}, {n}",
            "jz 3f",
            ".p2align 6",
            "2:",
            "mulsd {a}, {half}", "mulsd {b}, {half}", "mulsd {c}, {half}", "mulsd {d}, {half}",
            "mulsd {e}, {half}", "mulsd {f}, {half}", "mulsd {g}, {half}", "mulsd {h}, {half}",
            "addsd {a}, {one}", "addsd {b}, {one}", "addsd {c}, {one}", "addsd {d}, {one}",
            "addsd {e}, {one}", "addsd {f}, {one}", "addsd {g}, {one}", "addsd {h}, {one}",
            "dec {n}",
            "jnz 2b",
            "3:",
            n = inout(reg) units => _,
            half = in(xmm_reg) 0.5f64,
            one = in(xmm_reg) 1.0f64,
            a = inout(xmm_reg) *a, b = inout(xmm_reg) *b, c = inout(xmm_reg) *c, d = inout(xmm_reg) *d,
            e = inout(xmm_reg) *e, f = inout(xmm_reg) *f, g = inout(xmm_reg) *g, h = inout(xmm_reg) *h,
            options(nomem, nostack),
        );
    }
    chains.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::super::FAUXPLAT_ITERATIONS;

    /// The constant equals the number of lines of the loop: one instruction per line.
    #[test]
    fn the_stated_count_is_that_of_the_source() {
        let source = include_str!("x86_64.rs");
        let body = source.split("pub(super) fn fauxplat").nth(1).unwrap();
        let inner = body.split("\"2:\",").nth(1).unwrap().split("\"3:\",").next().unwrap();
        let lines = inner.lines().filter(|line| line.trim_start().starts_with('"')).count();
        assert_eq!(Some(lines as u64), super::FAUXPLAT_INSTRUCTIONS);
        assert_eq!(FAUXPLAT_ITERATIONS, 100_000);
    }
}
