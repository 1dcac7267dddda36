//! Components of variance by the method of moments.

use crate::describe::{mean, variance};

/// Variance between groups (beyond what their members explain) and within them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Components {
    /// Variance between groups.
    pub between: f64,
    /// Variance within groups.
    pub within: f64,
}

/// Components of a one-way layout by the method of moments (Searle, Casella and McCulloch, "Variance Components",
/// section 3.6), for groups of unequal size. `None` unless there are two groups and one of them has two members.
pub fn nested(groups: &[Vec<f64>]) -> Option<Components> {
    let groups: Vec<&Vec<f64>> = groups.iter().filter(|group| !group.is_empty()).collect();
    let total: usize = groups.iter().map(|group| group.len()).sum();
    if groups.len() < 2 || total <= groups.len() {
        return None;
    }
    let grand = groups.iter().flat_map(|group| group.iter()).sum::<f64>() / total as f64;
    let size = |group: &Vec<f64>| group.len() as f64;
    let centre = |group: &Vec<f64>| group.iter().sum::<f64>() / size(group);
    let between_squares: f64 = groups.iter().map(|group| size(group) * (centre(group) - grand).powi(2)).sum();
    let within_squares: f64 = groups.iter().map(|group| variance(group) * (size(group) - 1.0)).sum();
    let within = within_squares / (total - groups.len()) as f64;
    let freedom = (groups.len() - 1) as f64;
    let effective_size =
        (total as f64 - groups.iter().map(|group| size(group).powi(2)).sum::<f64>() / total as f64) / freedom;
    Some(Components { between: ((between_squares / freedom - within) / effective_size).max(0.0), within })
}

/// Variance of values at three levels, each beyond the variance explained by the level below.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreeLevels {
    /// Variance between the outer groups.
    pub outer: f64,
    /// Variance between the inner groups of an outer group; `None` if no outer group has two inner ones.
    pub inner: Option<f64>,
    /// Variance within inner groups; `None` if no inner group has two values.
    pub within: Option<f64>,
}

/// Components of inner groups within outer ones by the method of moments, each level from the means of the level below
/// (Searle, Casella and McCulloch, section 3.6, twice). `None` for fewer than two outer groups with values.
pub fn three_levels(outer: &[Vec<Vec<f64>>]) -> Option<ThreeLevels> {
    let means: Vec<Vec<f64>> =
        outer.iter().map(|inner| inner.iter().filter_map(|values| mean(values)).collect()).collect();
    let centres: Vec<f64> = means.iter().filter_map(|inner| mean(inner)).collect();
    if centres.len() < 2 {
        return None;
    }
    let all: Vec<&Vec<f64>> = outer.iter().flatten().filter(|values| !values.is_empty()).collect();
    let within = pooled(all.iter().map(|values| values.as_slice()));
    // The part of the variance of an inner group's mean that the variance within the group explains.
    let owed = within.unwrap_or(0.0)
        * mean(&all.iter().map(|values| 1.0 / values.len() as f64).collect::<Vec<_>>())?;
    let of_means = pooled(means.iter().map(Vec::as_slice));
    let inner = of_means.map(|variance| (variance - owed).max(0.0));
    let sizes: Vec<f64> =
        means.iter().filter(|inner| !inner.is_empty()).map(|inner| 1.0 / inner.len() as f64).collect();
    let owed = of_means.unwrap_or(owed) * mean(&sizes)?;
    Some(ThreeLevels { outer: (variance(&centres) - owed).max(0.0), inner, within })
}

/// The pooled variance within groups; `None` if no group has two values.
fn pooled<'a>(groups: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0);
    for group in groups.filter(|group| group.len() > 1) {
        squares += variance(group) * (group.len() - 1) as f64;
        freedom += group.len() - 1;
    }
    (freedom > 0).then(|| squares / freedom as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_differ_and_groups_that_do_not() {
        let apart = nested(&[vec![0.0, 2.0], vec![10.0, 12.0], vec![20.0, 22.0]]).unwrap();
        assert!((apart.within - 2.0).abs() < 1e-12 && (apart.between - 99.0).abs() < 1e-12, "{apart:?}");
        let alike = nested(&[vec![0.0, 2.0, 1.0], vec![1.0, 0.0, 2.0]]).unwrap();
        assert_eq!(alike.between, 0.0);
        assert_eq!(nested(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(nested(&[vec![1.0, 2.0]]), None);
    }

    #[test]
    fn three_levels_are_told_apart() {
        let mut draw = crate::draw::Draw::new(8, 0);
        let outer: Vec<Vec<Vec<f64>>> = (0..400)
            .map(|_| {
                let machine = 3.0 * draw.normal();
                let mut block = || {
                    let level = machine + 2.0 * draw.normal();
                    (0..4).map(|_| level + draw.normal()).collect()
                };
                (0..5).map(|_| block()).collect()
            })
            .collect();
        let found = three_levels(&outer).unwrap();
        let near = |got: f64, want: f64| (got / want - 1.0).abs() < 0.2;
        assert!(
            near(found.outer, 9.0) && near(found.inner.unwrap(), 4.0) && near(found.within.unwrap(), 1.0),
            "{found:?}"
        );
    }

    #[test]
    fn levels_that_were_not_repeated_are_not_known() {
        let once = three_levels(&[vec![vec![1.0]], vec![vec![3.0]]]).unwrap();
        assert_eq!(once, ThreeLevels { outer: 2.0, inner: None, within: None });
        assert_eq!(three_levels(&[vec![vec![1.0, 2.0]]]), None);
        assert_eq!(three_levels(&[vec![], vec![vec![]]]), None);
    }
}
