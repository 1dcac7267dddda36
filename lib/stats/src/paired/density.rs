//! The density of values that are symmetric about zero, seen through their magnitudes.

use std::f64::consts::PI;

/// Bins in a bandwidth.
const BINS: f64 = 4.0;

/// How many bins the kernel reaches to either side: four bandwidths.
const REACH: i64 = 16;

/// Magnitudes further out than this many bins are alone, as far as a density can say.
const BINS_MAX: usize = 4096;

/// Beyond so many bandwidths a kernel is zero to rounding.
const NEGLIGIBLE: f64 = 9.0;

/// A Gaussian kernel density of ±r, without the point at which it is looked at.
pub(crate) struct Density {
    /// Bandwidth.
    pub(crate) width: f64,
    /// Per bin: how many magnitudes are there.
    counts: Vec<u32>,
    /// Where a magnitude is, the sums of K, u·K and (1 − u²)·K over all points but it and its mirror image.
    sums: Vec<[f64; 3]>,
}

impl Density {
    /// Of rising magnitudes; `None` if more than a quarter are zero or all are equal to rounding.
    pub(crate) fn of(r: &[f64]) -> Option<Density> {
        let n = r.len() as f64;
        let squares: f64 = r.iter().map(|r| r * r).sum();
        // A quarter of the magnitudes of a standard normal deviate lie below 0.3186.
        let scale = (r[r.len() / 4] / 0.3186).min((squares / n).sqrt());
        let width = 1.06 * scale * (2.0 * n).powf(-0.2);
        if width.is_nan() || width <= 1e-12 * r[r.len() - 1] {
            return None;
        }
        let mut counts = Vec::new();
        let inside = r.iter().map(|&r| bin(r, width)).take_while(|&bin| bin < BINS_MAX);
        for bin in inside {
            counts.resize(counts.len().max(bin + 1), 0u32);
            counts[bin] += 1;
        }
        let taps = taps();
        let at =
            |bin: usize| if counts[bin] > 0 { without(sums(&counts, &taps, bin), bin) } else { [0.0; 3] };
        let sums = (0..counts.len()).map(at).collect();
        Some(Density { width, counts, sums })
    }

    /// Score −f′/(f + K(0)) at a magnitude, and its derivative, in units of the bandwidth.
    pub(crate) fn score(&self, r: f64) -> (f64, f64) {
        let Some([k, uk, curve]) = self.sums.get(bin(r, self.width)) else { return (0.0, 0.0) };
        let below = k + 1.0;
        (uk / below, (curve * below + uk * uk) / (below * below))
    }

    /// The density at zero and its mean over the points, which estimates ∫f².
    pub(crate) fn at_zero_and_mean(&self, r: &[f64]) -> (f64, f64) {
        let n = r.len() as f64;
        let norm = 1.0 / (self.width * (2.0 * PI).sqrt());
        let near = r.iter().take_while(|&&r| r < NEGLIGIBLE * self.width);
        let zero: f64 = near.map(|r| (-0.5 * (r / self.width).powi(2)).exp()).sum();
        let mean: f64 =
            self.counts.iter().zip(&self.sums).map(|(&count, sums)| f64::from(count) * sums[0]).sum();
        (zero * norm / n, mean * norm / (n * (2.0 * n - 2.0)))
    }
}

fn bin(r: f64, width: f64) -> usize {
    (r / width * BINS) as usize
}

/// Values of K, u·K and (1 − u²)·K at all bins within reach.
fn taps() -> Vec<[f64; 3]> {
    let at = |step: i64| {
        let u = -step as f64 / BINS;
        let k = (-0.5 * u * u).exp();
        [k, u * k, (1.0 - u * u) * k]
    };
    (-REACH..=REACH).map(at).collect()
}

/// Sums over all points and their mirror images, seen from the middle of a bin.
fn sums(counts: &[u32], taps: &[[f64; 3]], bin: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for (step, tap) in (-REACH..).zip(taps) {
        let place = bin as i64 + step;
        let place = if place < 0 { -1 - place } else { place };
        let count = f64::from(counts.get(place as usize).copied().unwrap_or(0));
        sums.iter_mut().zip(tap).for_each(|(sum, tap)| *sum += count * tap);
    }
    sums
}

/// The same without one point in the bin and its mirror image.
fn without([k, uk, curve]: [f64; 3], bin: usize) -> [f64; 3] {
    let u = (2 * bin + 1) as f64 / BINS;
    let mirror = (-0.5 * u * u).exp();
    [k - 1.0 - mirror, uk - u * mirror, curve - 1.0 - (1.0 - u * u) * mirror]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn a_normal_sample_has_a_normal_density_and_a_straight_score() {
        let mut draw = Draw::new(3, 0);
        let mut r: Vec<f64> = (0..4000).map(|_| draw.normal().abs()).collect();
        r.sort_by(f64::total_cmp);
        let density = Density::of(&r).unwrap();
        let (zero, mean) = density.at_zero_and_mean(&r);
        assert!((zero - 0.399).abs() < 0.02 && (mean - 0.282).abs() < 0.01, "{zero} {mean}");
        // The score of a normal density is x itself, with slope one; smoothing takes a little of it.
        let scores: Vec<(f64, f64)> = r.iter().map(|&r| density.score(r)).collect();
        let slope = scores.iter().map(|one| one.1).sum::<f64>() / 4000.0 / density.width.powi(2);
        let along = scores.iter().zip(&r).map(|(one, r)| one.0 * r).sum::<f64>() / 4000.0 / density.width;
        assert!((slope - 1.0).abs() < 0.25 && (along - 1.0).abs() < 0.25, "{slope} {along}");
    }

    #[test]
    fn what_has_no_spread_has_no_density() {
        assert!(Density::of(&[0.0; 40]).is_none());
        let mut mostly = vec![0.0; 30];
        mostly.extend([1.0; 10]);
        assert!(Density::of(&mostly).is_none());
        // One value far out is alone.
        let mut far: Vec<f64> = (0..60).map(|i| 1e-3 * f64::from(i)).collect();
        far.push(1e6);
        assert_eq!(Density::of(&far).unwrap().score(1e6), (0.0, 0.0));
    }
}
