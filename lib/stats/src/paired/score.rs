//! Weights by which the signs of paired differences count in a test, chosen from the magnitudes alone.

use crate::describe::MAD_TO_SD;

use super::density::Density;

/// Magnitudes beyond this many scaled medians are capped.
const CAP: f64 = 1.5;

/// Minimum number of differences for which the weights are chosen by their efficacy.
const CHOSEN_FROM: usize = 24;

/// Minimum number of differences for which the fitted shape of the noise can be a weight.
const SHAPED_FROM: usize = 48;

/// Factor by which the efficacy of the fitted shape has to exceed that of the other weights to be chosen. Above one,
/// because fitting costs precision if the shape is not needed.
const SHAPED_GAIN: f64 = 1.1;

/// Question that a test of the differences answers, which determines the possible weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether there is any difference: weights are chosen, including the fitted shape of the noise. The shape depends
    /// on the positions of modes and not on their frequencies, so it can find a difference but not bound one.
    Any,
    /// How large the typical difference is: weights are chosen that never decrease with the magnitude.
    Typical,
    /// How large the mean difference is: every value counts in full.
    Mean,
}

/// Differences in order, so that magnitudes about any point are available without sorting again.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorted {
    /// Differences in ascending order, each with its index in chronological order.
    rising: Vec<(f64, u32)>,
    /// Number of consecutive differences for which one toss of a coin ordered A and B, so that their signs flip
    /// together; at least one.
    group: u32,
}

impl Default for Sorted {
    fn default() -> Self {
        Sorted::grouped(&[], 1)
    }
}

/// Distances of the differences from a point in ascending order, each with its sign and its index in chronological
/// order.
pub(crate) struct About {
    pub(crate) r: Vec<f64>,
    pub(crate) sign: Vec<f64>,
    pub(crate) place: Vec<u32>,
}

impl About {
    fn push(&mut self, r: f64, sign: f64, place: u32) {
        self.r.push(r);
        self.sign.push(sign);
        self.place.push(place);
    }
}

impl Sorted {
    /// Sorts differences in chronological order, none of which may be NaN.
    pub fn new(d: &[f64]) -> Self {
        Sorted::grouped(d, 1)
    }

    /// Sorts differences in chronological order, for every `group` consecutive ones of which one toss of a coin ordered
    /// A and B.
    pub fn grouped(d: &[f64], group: u32) -> Self {
        let mut sorted = Sorted { rising: Vec::new(), group: group.max(1) };
        sorted.extend(d);
        sorted
    }

    /// Number of coin tosses behind the differences, which is the number of columns of [`Rows`](super::rows::Rows) that
    /// they use.
    pub fn coins(&self) -> usize {
        self.rising.len().div_ceil(self.group as usize)
    }

    /// Sum of the weights of each coin toss, each with the sign of its difference. `weights` are in the order of
    /// `about`.
    pub(crate) fn by_coin(&self, about: &About, weights: &[f64]) -> Vec<f32> {
        let mut signed = vec![0.0; self.coins()];
        for ((weight, sign), &place) in weights.iter().zip(&about.sign).zip(&about.place) {
            signed[(place / self.group) as usize] += (weight * sign) as f32;
        }
        signed
    }

    /// Adds new differences. The sort is fast, since the existing part is sorted already.
    pub fn extend(&mut self, d: &[f64]) {
        let first = self.rising.len() as u32;
        self.rising.extend(d.iter().copied().zip(first..));
        self.rising.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    }

    /// The smallest and the largest difference; `None` if there are none.
    pub fn range(&self) -> Option<(f64, f64)> {
        Some((self.rising.first()?.0, self.rising.last()?.0))
    }

    /// Number of differences.
    pub fn len(&self) -> usize {
        self.rising.len()
    }

    /// Whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.rising.is_empty()
    }

    /// Number of values below a point, and above it.
    pub(crate) fn sides(&self, theta: f64) -> (usize, usize) {
        let below = self.rising.partition_point(|one| one.0 < theta);
        (below, self.len() - self.rising.partition_point(|one| one.0 <= theta))
    }

    /// Signed-rank statistic of the values about a point (Wilcoxon 1945), in standard errors.
    pub(crate) fn signed_ranks(&self, theta: f64) -> f64 {
        let about = self.about(theta);
        unit(midranks(&about.r)).iter().zip(&about.sign).map(|(rank, sign)| rank * sign).sum()
    }

    /// The values with this rank from below and from above; infinite if the rank is below one.
    pub(crate) fn ranked(&self, rank: f64) -> (f64, f64) {
        let Some(rank) = (rank.floor() as isize).checked_sub(1).filter(|&rank| rank >= 0) else {
            return (f64::NEG_INFINITY, f64::INFINITY);
        };
        let (rank, last) = (rank as usize, self.rising.len() - 1);
        (self.rising[rank.min(last / 2)].0, self.rising[last - rank.min(last / 2)].0)
    }

    /// Median of the differences; zero if there are none.
    pub(crate) fn middle(&self) -> f64 {
        let Some(last) = self.rising.len().checked_sub(1) else { return 0.0 };
        0.5 * (self.rising[last / 2].0 + self.rising[last.div_ceil(2)].0)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.rising.iter().map(|one| one.0).sum::<f64>() / self.rising.len() as f64
    }

    /// Width of the middle half, defined symmetrically; zero for no values.
    pub(crate) fn middle_half(&self) -> f64 {
        if self.rising.is_empty() {
            return 0.0;
        }
        let (last, quarter) = (self.rising.len() - 1, self.rising.len() / 4);
        self.rising[last - quarter.min(last / 2)].0 - self.rising[quarter.min(last / 2)].0
    }

    pub(crate) fn about(&self, theta: f64) -> About {
        let n = self.rising.len();
        let mut about =
            About { r: Vec::with_capacity(n), sign: Vec::with_capacity(n), place: Vec::with_capacity(n) };
        let (low, high) = self.rising.split_at(self.rising.partition_point(|one| one.0 < theta));
        let (mut below, mut above) = (low.len(), 0);
        // Merged without a branch, because the order of the two sides is unpredictable.
        while below > 0 && above < high.len() {
            let (down, up) = (theta - low[below - 1].0, high[above].0 - theta);
            let is_down = down < up;
            about.r.push(if is_down { down } else { up });
            about.sign.push(if is_down { -1.0 } else { 1.0 });
            about.place.push(if is_down { low[below - 1].1 } else { high[above].1 });
            below -= usize::from(is_down);
            above += usize::from(!is_down);
        }
        low[..below].iter().rev().for_each(|one| about.push(theta - one.0, -1.0, one.1));
        high[above..].iter().for_each(|one| about.push(one.0 - theta, 1.0, one.1));
        about
    }
}

/// Weights of ascending magnitudes; the squares of each set sum to one. `monotone` never decreases with the magnitude,
/// and `shaped` follows the fitted shape of the noise, if that was chosen.
pub(crate) struct Weights {
    pub(crate) monotone: Vec<f64>,
    pub(crate) shaped: Option<Vec<f64>>,
}

pub(crate) fn weights(r: &[f64], question: Question) -> Weights {
    let plain = |weights| Weights { monotone: weights, shaped: None };
    if question == Question::Mean {
        return plain(unit(r.to_vec()));
    }
    let n = r.len();
    let cap = CAP * MAD_TO_SD * r.get(n / 2).copied().unwrap_or(0.0);
    let cap = if cap > 0.0 { cap } else { f64::INFINITY };
    let capped: Vec<f64> = r.iter().map(|r| r.min(cap)).collect();
    let density = (n >= CHOSEN_FROM).then(|| Density::of(r)).flatten();
    let Some(density) = density else { return plain(unit(capped)) };
    let (efficacy, monotone) = best_monotone(r, capped, cap, &density);
    let is_asked = n >= SHAPED_FROM && question == Question::Any;
    let shaped = is_asked.then(|| shape(r, &density, SHAPED_GAIN * efficacy)).flatten();
    Weights { monotone: unit(monotone), shaped }
}

/// The most efficient weights out of capped magnitudes, ranks and signs, with their efficacy (mean slope over root mean
/// square).
fn best_monotone(r: &[f64], capped: Vec<f64>, cap: f64, density: &Density) -> (f64, Vec<f64>) {
    let (at_zero, mean) = density.at_zero_and_mean(r);
    let sign = 2.0 * at_zero;
    let rank = 12f64.sqrt() * mean;
    let inside = r.iter().filter(|&&r| r < cap).count() as f64 / r.len() as f64;
    let magnitude = inside / mean_square(&capped).sqrt();
    if magnitude >= sign.max(rank) {
        (magnitude, capped)
    } else if rank >= sign {
        (rank, midranks(r))
    } else {
        (sign, r.iter().map(|&r| f64::from(r > 0.0)).collect())
    }
}

/// The score −f′/f of the density as weights, if its efficacy exceeds `asked`.
fn shape(r: &[f64], density: &Density, asked: f64) -> Option<Vec<f64>> {
    let (weights, slopes): (Vec<f64>, Vec<f64>) = density.scores().unzip();
    let slope = slopes.iter().sum::<f64>() / r.len() as f64 / density.width;
    let efficacy = slope / mean_square(&weights).sqrt();
    let zeroed = weights.iter().zip(r).map(|(&weight, &r)| if r > 0.0 { weight } else { 0.0 });
    (efficacy > asked).then(|| unit(zeroed.collect()))
}

fn mean_square(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64
}

/// Ranks of ascending magnitudes; equal ones share a mean rank, and zeros have rank zero.
fn midranks(r: &[f64]) -> Vec<f64> {
    let mut ranks = Vec::with_capacity(r.len());
    for equal in r.chunk_by(|one, next| one == next) {
        let rank = ranks.len() as f64 + (equal.len() as f64 + 1.0) / 2.0;
        let rank = if equal[0] > 0.0 { rank } else { 0.0 };
        ranks.resize(ranks.len() + equal.len(), rank);
    }
    ranks
}

/// Scales the weights so that their squares sum to one.
fn unit(mut weights: Vec<f64>) -> Vec<f64> {
    let length = weights.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
    if length > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= length);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn magnitudes_about_a_point_rise() {
        let about = Sorted::new(&[3.0, -1.0, 0.5, 0.5]).about(0.5);
        assert_eq!(about.r, [0.0, 0.0, 1.5, 2.5]);
        assert_eq!(about.sign[2..], [-1.0, 1.0]);
        assert_eq!(about.place[2..], [1, 0]);
        let mut grown = Sorted::new(&[3.0, -1.0]);
        grown.extend(&[0.5, 0.5]);
        assert_eq!(grown, Sorted::new(&[3.0, -1.0, 0.5, 0.5]));
        assert_eq!(midranks(&[0.0, 1.0, 1.0, 4.0]), [0.0, 2.5, 2.5, 4.0]);
    }

    fn chosen(draw: impl FnMut() -> f64, n: usize) -> Weights {
        let mut r: Vec<f64> = std::iter::repeat_with(draw).take(n).map(f64::abs).collect();
        r.sort_by(f64::total_cmp);
        weights(&r, Question::Any)
    }

    #[test]
    fn the_weights_fit_the_noise() {
        let mut draw = Draw::new(1, 0);
        let normal = chosen(|| draw.normal(), 200);
        assert!(normal.shaped.is_none());
        // Heavy tails: the largest magnitude hardly counts more than one in the middle of the upper half.
        let mut draw = Draw::new(2, 0);
        let heavy = chosen(|| draw.normal() / draw.normal(), 200);
        assert!(heavy.monotone[199] <= 1.5 * heavy.monotone[150]);
        // Three modes, for which the fitted shape is better.
        let mut draw = Draw::new(3, 0);
        let modes = chosen(|| [0.0, 25.0, 0.0, -25.0][draw.below(4)] + draw.normal(), 200);
        assert!(modes.shaped.is_some());
        let squares: f64 = modes.shaped.iter().flatten().map(|weight| weight * weight).sum();
        assert!((squares - 1.0).abs() < 1e-9);
    }

    #[test]
    fn zeros_and_nothing_weigh_nothing() {
        assert!(weights(&[0.0; 60], Question::Any).monotone.iter().all(|&weight| weight == 0.0));
        assert!(weights(&[], Question::Typical).monotone.is_empty());
        assert_eq!(weights(&[3.0, 4.0], Question::Mean).monotone, [0.6, 0.8]);
    }
}
