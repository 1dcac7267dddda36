//! Test whether the largest differences lie on one side, as for a program that is occasionally slow.

use super::path::Keys;
use super::rows::Rows;
use super::share::threshold_of;

/// Size of the smallest group of largest differences that is tested.
const FIRST: usize = 8;

/// Size of the largest group: half of 1024 pairs is no tail any more.
const LAST: usize = 512;

/// Group sizes 8, 12, 16, 24, … up to half of the pairs or the number of `large` differences, and that maximum itself.
fn groups(n: usize, large: usize) -> impl Iterator<Item = usize> {
    let most = large.min(n / 2).min(LAST);
    let all = (0..).flat_map(|power| [FIRST << power, 12usize << power]);
    all.take_while(move |&size| size < most).chain((most > 0).then_some(most))
}

/// Indices of the large differences, the largest magnitude first, with the sizes of the groups. Differences below
/// `least` are never large. Only magnitudes decide, not signs.
fn largest(d: &[f64], least: f64) -> (Vec<usize>, impl Iterator<Item = usize>) {
    let threshold = threshold_of(d, least);
    let mut places: Vec<usize> = (0..d.len()).filter(|&place| d[place].abs() > threshold).collect();
    let by_size = |one: &usize, other: &usize| d[*other].abs().total_cmp(&d[*one].abs()).then(one.cmp(other));
    places.sort_unstable_by(by_size);
    let groups = groups(d.len(), places.len());
    (places, groups)
}

/// Sign imbalance of the k largest magnitudes, for the k that shows it best, with the paths of all other sign patterns.
/// McNemar's test with its threshold scanned (McNemar 1947). Only differences take part that are large compared
/// with the usual ones and above `least`: smaller ones are no tail, whichever side they lean to.
///
/// Every `group` neighbours were ordered by one coin, so their signs flip together.
pub fn keys(rows: &Rows, d: &[f64], group: usize, least: f64) -> Keys {
    let mut counts = vec![0i32; rows.count()];
    let (mut up, mut down) = (vec![0f32; rows.count()], vec![0f32; rows.count()]);
    let (places, groups) = largest(d, least);
    let mut groups = groups.peekable();
    for (seen, place) in (1..).zip(places) {
        rows.add(place / group, if d[place] > 0.0 { 1 } else { -1 }, &mut counts);
        if groups.next_if_eq(&seen).is_some() {
            let scale = 1.0 / (seen as f32).sqrt();
            for ((up, down), &count) in up.iter_mut().zip(&mut down).zip(&counts) {
                let z = scale * count as f32;
                *up = up.max(z);
                *down = down.max(-z);
            }
        }
    }
    Keys::from_sides(up, down)
}

/// Test statistic of the observed signs, in standard errors, on the side where it is larger; negative if that is the
/// lower side.
pub fn observed(d: &[f64], least: f64) -> f64 {
    let (places, groups) = largest(d, least);
    let mut groups = groups.peekable();
    let (mut count, mut most) = (0.0, 0.0f64);
    for (seen, place) in (1..).zip(places) {
        count += d[place].signum();
        let z = count / (seen as f64).sqrt();
        if groups.next_if_eq(&seen).is_some() && z.abs() > most.abs() {
            most = z;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use crate::paired::path::crossed;

    /// Minimum size of a large difference: two margins of 1 %.
    const LEAST: f64 = 0.02;

    /// 512 pairs in which B is twice as slow in one of twenty runs.
    fn spiky(seed: u64) -> Vec<f64> {
        let mut draw = Draw::new(seed, 1);
        (0..512).map(|_| 0.01 * draw.normal() + if draw.below(20) == 0 { 0.7 } else { 0.0 }).collect()
    }

    #[test]
    fn slow_runs_of_one_side_cross_and_those_of_both_do_not() {
        let mut rows = Rows::new(1, 0.01, 5);
        rows.grow(512);
        let d = spiky(1);
        let all = crossed(&[keys(&rows, &d, 1, LEAST)], &[0.001]);
        assert!(all.up && !all.down && observed(&d, LEAST) > 3.0);
        let mirrored: Vec<f64> = d.iter().map(|d| -d).collect();
        assert_eq!(observed(&mirrored, LEAST), -observed(&d, LEAST));
        let both: Vec<f64> = d.iter().enumerate().map(|(i, d)| if i % 2 == 0 { *d } else { -d }).collect();
        let all = crossed(&[keys(&rows, &both, 1, LEAST)], &[0.001]);
        assert!(!all.up && !all.down);
        assert_eq!(observed(&[0.0; 40], LEAST), 0.0);
    }

    /// Differences within two margins are no tail, and neither is ordinary noise, even if all of it leans to one side.
    #[test]
    fn what_is_not_large_is_no_tail() {
        let mut rows = Rows::new(1, 0.01, 5);
        rows.grow(512);
        let mut draw = Draw::new(3, 1);
        let small: Vec<f64> =
            (0..512).map(|n| if n % 3 == 0 { 0.015 } else { 0.0005 * draw.normal() }).collect();
        let shifted: Vec<f64> = (0..512).map(|_| 0.02 + 0.05 * draw.normal()).collect();
        for d in [small, shifted] {
            let all = crossed(&[keys(&rows, &d, 1, LEAST)], &[0.01]);
            assert!(!all.up && !all.down && observed(&d, LEAST) < 2.5, "{}", observed(&d, LEAST));
        }
    }

    #[test]
    fn the_signs_of_large_differences_cross_as_often_as_they_may() {
        let mut rows = Rows::new(1, 0.01, 5);
        rows.grow(256);
        let crossings = (0..400).filter(|&seed| {
            let mut draw = Draw::new(seed, 7);
            let d: Vec<f64> =
                (0..256).map(|_| 0.01 * draw.normal() + [0.0, 0.0, 0.0, 0.5, -0.5][draw.below(5)]).collect();
            let all = crossed(&[keys(&rows, &d, 1, LEAST)], &[0.025]);
            all.up || all.down
        });
        // Four standard errors of 5 % in 400 are 4.4 points.
        let crossings = crossings.count();
        assert!((4..=37).contains(&crossings), "{crossings}");
    }
}
