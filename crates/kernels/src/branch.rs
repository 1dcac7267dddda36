//! Unpredictable branches.

use std::hint::black_box;

/// A sequence of pseudo-random bits, which no branch predictor learns. Each bit decides between two blocks of code.
#[derive(Debug)]
pub(crate) struct Branches {
    state: u64,
}

/// Number of branches that a drawn word of bits decides.
const BITS: u32 = 64;

impl Branches {
    pub(crate) fn new() -> Self {
        Branches { state: 0x2545_f491_4f6c_dd1d }
    }

    /// Runs units of 64 branches each; returns a number that depends on all branches.
    pub(crate) fn run(&mut self, units: u64) -> u64 {
        let mut sum = 0u64;
        for _ in 0..units {
            // Marsaglia, "Xorshift RNGs", 2003.
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            for bit in 0..BITS {
                // `black_box` hides the values of both arms from the compiler, which could otherwise replace the branch
                // by a conditional move.
                if self.state >> bit & 1 == 1 {
                    sum = black_box(sum.wrapping_add(3));
                } else {
                    sum = black_box(sum ^ 5);
                }
            }
        }
        sum.wrapping_add(self.state)
    }
}
