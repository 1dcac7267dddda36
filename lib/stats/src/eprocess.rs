//! A test that may be looked at whenever one likes: the sign-symmetric mixture e-process.

/// Running sums of an e-process. It takes 32 bytes however long the series is.
///
/// If each difference is, given all earlier ones, as likely as its negative, exp(λS − λ²V/2) with S = Σd and V = Σd²
/// is a non-negative supermartingale for every λ (de la Peña 1999, "A General Class of Exponential Inequalities for
/// Martingales and Ratios"). Mixing over λ ~ N(0, r²) gives E = (1 + r²V)^−½ exp(r²S² / (2(1 + r²V))), which
/// exceeds 1/level with probability at most the level, over all time (Ville's inequality).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EProcess {
    n: u32,
    sum: f64,
    squares: f64,
    scale: f64,
}

impl EProcess {
    /// An empty process; `scale` is the size of difference that it is best at seeing, in the unit of the differences.
    pub fn new(scale: f64) -> Self {
        EProcess { n: 0, sum: 0.0, squares: 0.0, scale: scale.max(1e-9) }
    }

    /// Takes one more difference.
    pub fn push(&mut self, d: f64) {
        self.n += 1;
        self.sum += d;
        self.squares += d * d;
    }

    /// Natural logarithm of the evidence against symmetry about `theta`.
    ///
    /// Far from zero the mixture looks for differences of the size of `theta` itself; any choice that does not depend
    /// on the data is valid for each `theta`, and this one keeps far values from being undecidable.
    pub fn ln_e(&self, theta: f64) -> f64 {
        let n = f64::from(self.n);
        let sum = self.sum - n * theta;
        let squares = (self.squares - 2.0 * theta * self.sum + n * theta * theta).max(0.0);
        let r2 = self.scale.max(theta.abs()).powi(-2);
        r2 * sum * sum / (2.0 * (1.0 + r2 * squares)) - 0.5 * (r2 * squares).ln_1p()
    }

    /// The p-value that is valid at every moment: 1/E against zero, at most one.
    pub fn p_value(&self) -> f64 {
        (-self.ln_e(0.0)).exp().min(1.0)
    }

    /// The confidence sequence at `level`: the values of theta around the mean whose evidence is below 1/level.
    /// It covers the centre of symmetry at all times at once; its ends are infinite while nothing is excluded.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        if self.n == 0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let centre = self.sum / f64::from(self.n);
        (self.end(centre, -1.0, level), self.end(centre, 1.0, level))
    }

    /// The first theta in one direction that is excluded.
    fn end(&self, centre: f64, direction: f64, level: f64) -> f64 {
        let excluded = |distance: f64| self.ln_e(centre + direction * distance) >= -level.ln();
        let first = self.scale * 1e-3;
        // Steps of 10 % find the first crossing; nothing beyond 10⁹ times the scale is worth excluding.
        let steps = std::iter::successors(Some(first), |distance| Some(distance * 1.1)).take(290);
        let Some(mut outside) = steps.into_iter().find(|&distance| excluded(distance)) else {
            return direction * f64::INFINITY;
        };
        let mut inside = if outside == first { 0.0 } else { outside / 1.1 };
        for _ in 0..40 {
            let middle = 0.5 * (inside + outside);
            if excluded(middle) { outside = middle } else { inside = middle }
        }
        centre + direction * outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_by_the_formula() {
        let mut process = EProcess::new(0.5);
        [1.0, 2.0, -0.5].into_iter().for_each(|d| process.push(d));
        // S = 2.5, V = 5.25, r² = 4: ln E = 4·6.25 / (2·22) − ½ ln 22.
        assert!((process.ln_e(0.0) - (25.0 / 44.0 - 0.5 * 22f64.ln())).abs() < 1e-12);
        assert_eq!(process.p_value(), 1.0);
    }

    #[test]
    fn the_interval_is_where_the_evidence_is_small() {
        let mut process = EProcess::new(0.01);
        for index in 0..40 {
            process.push(0.03 + 0.002 * f64::from(index % 5 - 2));
        }
        let (low, high) = process.interval(0.01);
        assert!(low < 0.03 && 0.03 < high && low > 0.02 && high < 0.04, "{low} {high}");
        assert!((process.ln_e(low) - 100f64.ln()).abs() < 1e-6);
        assert!(process.p_value() < 0.01);
    }

    #[test]
    fn nothing_is_excluded_at_first() {
        let mut process = EProcess::new(0.01);
        assert_eq!(process.interval(0.05).1, f64::INFINITY);
        process.push(0.02);
        assert_eq!(process.interval(0.05), (f64::NEG_INFINITY, f64::INFINITY));
        let mut zeros = EProcess::new(0.01);
        (0..40).for_each(|_| zeros.push(0.0));
        let (low, high) = zeros.interval(0.01);
        assert!(low < 0.0 && high > 0.0 && high < 0.01, "{low} {high}");
        assert_eq!(zeros.p_value(), 1.0);
    }
}
