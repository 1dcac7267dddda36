//! Where variance comes from: components by moments.

use crate::describe::variance;

/// Variance between groups (beyond what their members explain) and within them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Components {
    /// Between groups.
    pub between: f64,
    /// Within groups.
    pub within: f64,
}

/// One-way components by the method of moments (Searle, Casella and McCulloch, "Variance Components", section 3.6),
/// for groups of unequal size. `None` unless there are two groups and one of them has two members.
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
}
