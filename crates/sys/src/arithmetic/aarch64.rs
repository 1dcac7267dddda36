//! The loops of the parent module in AArch64 assembly, of instructions that every processor of the architecture has.
#![expect(unsafe_code, reason = "inline assembly")]

use std::arch::asm;
use std::f64::consts::PI;

use super::{ADDEND, MULTIPLIER, Sums};

/// Number of instructions of the loop of [`fauxplat`] between its label and its jump, the jump included.
pub(super) const FAUXPLAT_INSTRUCTIONS: Option<u64> = Some(37);

/// Scaled reciprocals of 25 and 75, by which the loop divides as on x86-64 (Granlund and Montgomery 1994).
const RECIPROCAL_25: u64 = 0x28f5_c28f_5c28_f5c3;
const RECIPROCAL_75: u64 = 0xda74_0da7_40da_740e;

#[expect(clippy::too_many_lines, reason = "one instruction per line, so that they can be counted")]
// A function of its own in the binary, so that an instruction counter can be turned on around it.
#[inline(never)]
pub(super) fn fauxplat(iterations: u64) -> Sums {
    let mut integer = 0u64;
    let mut double = [0.0f64; 4];
    let [a, b, c, e] = &mut double;
    // SAFETY: registers alone are read and written, all of them declared; the flags are clobbered, as is the default.
    unsafe {
        asm!(
            "cbz {n}, 3f",
            ".p2align 6",
            "2:",
            "add {r}, {r}, {i}",
            "add {d}, {r}, {r}",
            // Circumference of the circle.
            "mul {t}, {d}, {k}",
            "lsr {t}, {t}, #2",
            "umulh {t}, {t}, {m25}",
            "add {sum}, {sum}, {t}, lsr #2",
            // Area of the circle.
            "mul {t}, {r}, {r}",
            "mul {t}, {t}, {k}",
            "lsr {t}, {t}, #2",
            "umulh {t}, {t}, {m25}",
            "add {sum}, {sum}, {t}, lsr #2",
            // Surface of the sphere.
            "mul {q}, {d}, {d}",
            "mul {t}, {q}, {k}",
            "lsr {t}, {t}, #2",
            "umulh {t}, {t}, {m25}",
            "add {sum}, {sum}, {t}, lsr #2",
            // Volume of the sphere.
            "mul {q}, {q}, {d}",
            "mul {t}, {q}, {k}",
            "lsr {t}, {t}, #3",
            "umulh {t}, {t}, {m75}",
            "add {sum}, {sum}, {t}, lsr #6",
            // All four results again, in doubles.
            "scvtf {x:d}, {r}",
            "fadd {y:d}, {x:d}, {x:d}",
            "fmul {z:d}, {y:d}, {pi:d}",
            "fadd {a:d}, {a:d}, {z:d}",
            "fmul {x:d}, {x:d}, {x:d}",
            "fmul {x:d}, {x:d}, {pi:d}",
            "fadd {b:d}, {b:d}, {x:d}",
            "fmul {z:d}, {y:d}, {y:d}",
            "fmul {x:d}, {z:d}, {pi:d}",
            "fadd {c:d}, {c:d}, {x:d}",
            "fmul {z:d}, {z:d}, {y:d}",
            "fmul {z:d}, {z:d}, {pi6:d}",
            "fadd {e:d}, {e:d}, {z:d}",
            "add {i}, {i}, #1",
            "cmp {i}, {n}",
            "b.ne 2b",
            "3:",
            n = in(reg) iterations,
            r = inout(reg) 0u64 => _,
            i = inout(reg) 0u64 => _,
            d = out(reg) _,
            q = out(reg) _,
            t = out(reg) _,
            k = in(reg) 314u64,
            m25 = in(reg) RECIPROCAL_25,
            m75 = in(reg) RECIPROCAL_75,
            sum = inout(reg) integer,
            pi = in(vreg) PI,
            pi6 = in(vreg) PI / 6.0,
            x = out(vreg) _,
            y = out(vreg) _,
            z = out(vreg) _,
            a = inout(vreg) *a,
            b = inout(vreg) *b,
            c = inout(vreg) *c,
            e = inout(vreg) *e,
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
            "cbz {n}, 3f",
            ".p2align 6",
            "2:",
            "add {a}, {a}, {k}", "add {b}, {b}, {k}", "add {c}, {c}, {k}", "add {d}, {d}, {k}",
            "add {e}, {e}, {k}", "add {f}, {f}, {k}", "add {g}, {g}, {k}", "add {h}, {h}, {k}",
            "eor {a}, {a}, {k}", "eor {b}, {b}, {k}", "eor {c}, {c}, {k}", "eor {d}, {d}, {k}",
            "eor {e}, {e}, {k}", "eor {f}, {f}, {k}", "eor {g}, {g}, {k}", "eor {h}, {h}, {k}",
            // A rotation to the left by 13 is a rotation to the right by 51.
            "ror {a}, {a}, #51", "ror {b}, {b}, #51", "ror {c}, {c}, #51", "ror {d}, {d}, #51",
            "ror {e}, {e}, #51", "ror {f}, {f}, #51", "ror {g}, {g}, #51", "ror {h}, {h}, #51",
            "sub {a}, {a}, {k}", "sub {b}, {b}, {k}", "sub {c}, {c}, {k}", "sub {d}, {d}, {k}",
            "sub {e}, {e}, {k}", "sub {f}, {f}, {k}", "sub {g}, {g}, {k}", "sub {h}, {h}, {k}",
            "sub {n}, {n}, #1",
            "cbnz {n}, 2b",
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
            "cbz {n}, 3f",
            ".p2align 6",
            "2:",
            "mul {v}, {v}, {k}", "mul {v}, {v}, {k}", "mul {v}, {v}, {k}", "mul {v}, {v}, {k}",
            "mul {v}, {v}, {k}", "mul {v}, {v}, {k}", "mul {v}, {v}, {k}", "mul {v}, {v}, {k}",
            "sub {n}, {n}, #1",
            "cbnz {n}, 2b",
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
            "cbz {n}, 3f",
            ".p2align 6",
            "2:",
            "fmul {a:d}, {a:d}, {half:d}", "fmul {b:d}, {b:d}, {half:d}",
            "fmul {c:d}, {c:d}, {half:d}", "fmul {d:d}, {d:d}, {half:d}",
            "fmul {e:d}, {e:d}, {half:d}", "fmul {f:d}, {f:d}, {half:d}",
            "fmul {g:d}, {g:d}, {half:d}", "fmul {h:d}, {h:d}, {half:d}",
            "fadd {a:d}, {a:d}, {one:d}", "fadd {b:d}, {b:d}, {one:d}",
            "fadd {c:d}, {c:d}, {one:d}", "fadd {d:d}, {d:d}, {one:d}",
            "fadd {e:d}, {e:d}, {one:d}", "fadd {f:d}, {f:d}, {one:d}",
            "fadd {g:d}, {g:d}, {one:d}", "fadd {h:d}, {h:d}, {one:d}",
            "sub {n}, {n}, #1",
            "cbnz {n}, 2b",
            "3:",
            n = inout(reg) units => _,
            half = in(vreg) 0.5f64,
            one = in(vreg) 1.0f64,
            a = inout(vreg) *a, b = inout(vreg) *b, c = inout(vreg) *c, d = inout(vreg) *d,
            e = inout(vreg) *e, f = inout(vreg) *f, g = inout(vreg) *g, h = inout(vreg) *h,
            options(nomem, nostack),
        );
    }
    chains.into_iter().sum()
}

#[cfg(test)]
mod tests {
    /// The constant equals the number of lines of the loop: one instruction per line.
    #[test]
    fn the_stated_count_is_that_of_the_source() {
        let source = include_str!("aarch64.rs");
        let body = source.split("pub(super) fn fauxplat").nth(1).unwrap();
        let inner = body.split("\"2:\",").nth(1).unwrap().split("\"3:\",").next().unwrap();
        let lines = inner.lines().filter(|line| line.trim_start().starts_with('"')).count();
        assert_eq!(Some(lines as u64), super::FAUXPLAT_INSTRUCTIONS);
    }
}
