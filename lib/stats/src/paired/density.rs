//! The density of values that are symmetric about zero, estimated from their magnitudes.

use std::f64::consts::PI;

/// Number of bins per bandwidth.
const BINS: f64 = 4.0;

/// Reach of the kernel to either side, in bins: four bandwidths.
const REACH: i64 = 16;

/// Number of bins beyond which magnitudes are treated as having no neighbours.
const BINS_MAX: usize = 4096;

/// Number of bins that are summed side by side, for vectorisation.
const SIDE_BY_SIDE: usize = 16;

/// Number of bandwidths beyond which a kernel is zero to rounding.
const NEGLIGIBLE: f64 = 9.0;

/// A Gaussian kernel density of ±r, evaluated at each point without the point itself.
pub(crate) struct Density {
    /// Bandwidth of the kernel, in the unit of the magnitudes.
    pub(crate) width: f64,
    /// The bin of each magnitude.
    bins: Vec<u32>,
    /// Number of magnitudes per bin.
    counts: Vec<u32>,
    /// For each bin with a magnitude, the sums of K, u·K and (1 − u²)·K over all points except one in the bin and its
    /// mirror image.
    sums: Vec<[f64; 3]>,
}

impl Density {
    /// Estimates the density of ascending magnitudes; `None` if more than a quarter are zero, or if all are equal apart
    /// from rounding.
    pub(crate) fn of(r: &[f64]) -> Option<Density> {
        let n = r.len() as f64;
        let squares: f64 = r.iter().map(|r| r * r).sum();
        // A quarter of the magnitudes of a standard normal deviate lie below 0.3186.
        let scale = (r[r.len() / 4] / 0.3186).min((squares / n).sqrt());
        let width = 1.06 * scale * (2.0 * n).powf(-0.2);
        if width.is_nan() || width <= 1e-12 * r[r.len() - 1] {
            return None;
        }
        let bins: Vec<u32> = r.iter().map(|&r| bin(r, width)).collect();
        let inside = bins.partition_point(|&bin| bin < BINS_MAX as u32);
        let mut counts = vec![0u32; bins[..inside].last().map_or(0, |&last| last as usize + 1)];
        bins[..inside].iter().for_each(|&bin| counts[bin as usize] += 1);
        let mut sums = sums(&counts);
        for ((bin, sums), &count) in sums.iter_mut().enumerate().zip(&counts) {
            *sums = if count > 0 { without(*sums, bin) } else { [0.0; 3] };
        }
        Some(Density { width, bins, counts, sums })
    }

    /// For each magnitude the score −f′/(f + K(0)) and its derivative, in units of the bandwidth.
    pub(crate) fn scores(&self) -> impl Iterator<Item = (f64, f64)> {
        let scores: Vec<(f64, f64)> = self.sums.iter().map(|&sums| score(sums)).collect();
        self.bins.iter().map(move |&bin| scores.get(bin as usize).copied().unwrap_or((0.0, 0.0)))
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

fn bin(r: f64, width: f64) -> u32 {
    (r / width * BINS) as u32
}

/// Values of the Gaussian kernel K, of u·K and of (1 − u²)·K at all bins within reach.
fn taps() -> Vec<[f64; 3]> {
    let at = |step: i64| {
        let u = -step as f64 / BINS;
        let k = (-0.5 * u * u).exp();
        [k, u * k, (1.0 - u * u) * k]
    };
    (-REACH..=REACH).map(at).collect()
}

/// Score and derivative from the sums of a bin.
fn score([k, uk, curve]: [f64; 3]) -> (f64, f64) {
    let below = k + 1.0;
    (uk / below, (curve * below + uk * uk) / (below * below))
}

/// Sums over all points and their mirror images, seen from the middle of each bin. Many bins are summed side by side,
/// each from the lowest step to the highest, so that the result does not depend on the grouping.
fn sums(counts: &[u32]) -> Vec<[f64; 3]> {
    let reach = REACH as usize;
    let at = |place: usize| f64::from(counts.get(place).copied().unwrap_or(0));
    let padded: Vec<f64> = (0..reach).rev().chain(0..counts.len() + reach + SIDE_BY_SIDE).map(at).collect();
    let taps = taps();
    let mut all = Vec::with_capacity(counts.len());
    for (first, part) in (0..).step_by(SIDE_BY_SIDE).zip(counts.chunks(SIDE_BY_SIDE)) {
        let mut sums = [[0.0; SIDE_BY_SIDE]; 3];
        // Most distant bins are empty, and their sums are never used.
        if part.iter().any(|&count| count > 0) {
            for (step, tap) in taps.iter().enumerate() {
                let seen = &padded[first + step..][..SIDE_BY_SIDE];
                for (sums, tap) in sums.iter_mut().zip(tap) {
                    sums.iter_mut().zip(seen).for_each(|(sum, count)| *sum += count * tap);
                }
            }
        }
        all.extend((0..part.len()).map(|bin| [sums[0][bin], sums[1][bin], sums[2][bin]]));
    }
    all
}

/// The sums without one point in the bin and its mirror image.
fn without([k, uk, curve]: [f64; 3], bin: usize) -> [f64; 3] {
    let u = (2 * bin + 1) as f64 / BINS;
    // Beyond this the kernel is exactly zero in floating point.
    let mirror = if u < 40.0 { (-0.5 * u * u).exp() } else { 0.0 };
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
        // The score of a normal density is x itself, with slope one; smoothing reduces it slightly.
        let scores: Vec<(f64, f64)> = density.scores().collect();
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
        // A single outlier has no neighbours.
        let mut far: Vec<f64> = (0..60).map(|i| 1e-3 * f64::from(i)).collect();
        far.push(1e6);
        assert_eq!(Density::of(&far).unwrap().scores().last(), Some((0.0, 0.0)));
    }

    #[test]
    fn bins_summed_side_by_side_have_the_sums_of_one_alone() {
        let mut draw = Draw::new(8, 0);
        for bins in [1, 5, 15, 16, 17, 200] {
            let counts: Vec<u32> = (0..bins).map(|_| (draw.below(5) * draw.below(2)) as u32 + 1).collect();
            let alone = |bin: usize| {
                (-REACH..).zip(taps()).fold([0.0; 3], |sums: [f64; 3], (step, tap)| {
                    let place = bin as i64 + step;
                    let place = if place < 0 { -1 - place } else { place } as usize;
                    let count = f64::from(counts.get(place).copied().unwrap_or(0));
                    std::array::from_fn(|at| sums[at] + count * tap[at])
                })
            };
            assert_eq!(sums(&counts), (0..bins).map(alone).collect::<Vec<_>>());
        }
    }
}
