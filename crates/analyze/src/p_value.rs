//! The p value that a comparison reports.

use fauxplat_model::{Estimand, Verdict};
use fauxplat_stats::paired::path::Keys;
use fauxplat_stats::paired::rows::Rows;

use crate::asked::Asked;
use crate::design::Design;
use crate::estimate::Estimate;
use crate::paths::Paths;
use crate::series::{Series, TYPICAL_SHARE};
use crate::standing::Standing;

impl Series {
    /// The smallest error level at which the looks at the data would have called the commands different, or the p-value
    /// of the anytime-valid test (the e-process) if that decides. Only the tests behind the verdict count; if
    /// successive log ratios are correlated, one of them flips the signs of neighbouring blocks together.
    pub(crate) fn p_value(&mut self, rows: &Rows, design: &Design, closing: bool, shown: &Standing) -> f64 {
        if self.evidence.is_some() {
            return shown.p.unwrap_or(1.0);
        }
        if self.looked.is_empty() {
            return 1.0;
        }
        let looked = self.looked.clone();
        let crosses = |paths: &mut Paths, level: f64, keys: &dyn Fn(usize) -> Keys| {
            let all = paths.crossed(&looked, &design.spent(level, &looked, closing), keys);
            all.up || all.down
        };
        let mut zero = std::mem::take(&mut self.zero);
        let (question, is_parted) = (design.asked_of_zero(), shown.parted);
        let crosses_zero = |paths: &mut Paths, level: f64| {
            let spent = design.spent(level, &looked, closing);
            let asked = Asked { series: self, rows, looked: &looked, spent: &spent, question, is_parted };
            let all = asked.crossed(paths, 0.0);
            all.up || all.down
        };
        let typical = smallest_level(|level| match design.estimand {
            Estimand::Typical => crosses_zero(&mut zero, level),
            Estimand::Mean => crosses(&mut zero, level, &|n| Keys::of_sums(rows, &self.excess_readings(n))),
        });
        self.zero = zero;
        let typical = match shown.in_runs {
            true => typical.max(Estimate::of(&self.d[..shown.n]).p(&self.d[..shown.n], design.seed)),
            false => typical,
        };
        let typical = match shown.is_in_doubt {
            true => typical.max(self.p_of_both_places(shown.n)),
            false => typical,
        };
        let mut rare = std::mem::take(&mut self.rare);
        let is_asked =
            !shown.parted && !shown.is_in_doubt && (!shown.in_runs || shown.typical == Verdict::Equivalent);
        let tail = match is_asked && self.rare_key(self.d.len()).abs() > 2.0 {
            true => smallest_level(|level| crosses(&mut rare, level, &|n| self.rare_keys(rows, n))),
            false => 1.0,
        };
        self.rare = rare;
        (typical / TYPICAL_SHARE).min(tail / (1.0 - TYPICAL_SHARE)).min(1.0)
    }
}

/// Smallest level for which `crosses` is true, by bisection on a logarithmic scale down to a millionth; 1 if there is
/// none.
fn smallest_level(mut crosses: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (1e-6f64, 1.0f64);
    if !crosses(high) {
        return 1.0;
    }
    for _ in 0..16 {
        let middle = (low * high).sqrt();
        if crosses(middle) { high = middle } else { low = middle }
    }
    high
}
