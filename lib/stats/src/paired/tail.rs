//! Whether the largest differences lie to one side: a program that is slow now and then.

use super::path::Keys;
use super::rows::Rows;

/// The largest differences are counted in groups of so many, and larger ones.
const FIRST: usize = 8;

/// No group is larger: what half of 1024 pairs do is typical.
const LAST: usize = 512;

/// 8, 12, 16, 24, … up to half of the pairs.
fn groups(n: usize) -> impl Iterator<Item = usize> {
    let all = (0..).flat_map(|power| [FIRST << power, 12usize << power]);
    all.take_while(move |&size| size <= (n / 2).min(LAST))
}

/// The places of the differences that are not zero, the largest magnitude first, as many as the largest group holds.
fn largest(d: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..d.len()).filter(|&place| d[place] != 0.0).collect();
    let by_size = |one: &usize, other: &usize| d[*other].abs().total_cmp(&d[*one].abs()).then(one.cmp(other));
    let wanted = groups(d.len()).last().unwrap_or(0);
    if wanted < places.len() {
        places.select_nth_unstable_by(wanted, by_size);
        places.truncate(wanted);
    }
    places.sort_unstable_by(by_size);
    places
}

/// How far the signs of the k largest magnitudes lie to either side, for the k that shows it best, with the paths of all
/// other signs. This is McNemar's test with its threshold scanned (McNemar 1947).
pub fn keys(rows: &Rows, d: &[f64]) -> Keys {
    let mut counts = vec![0i32; rows.count()];
    let (mut up, mut down) = (vec![0f32; rows.count()], vec![0f32; rows.count()]);
    let mut groups = groups(d.len()).peekable();
    for (seen, place) in (1..).zip(largest(d)) {
        rows.add(place, if d[place] > 0.0 { 1 } else { -1 }, &mut counts);
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

/// The key of the observed signs, to whichever side it is larger.
pub fn observed(d: &[f64]) -> f64 {
    let mut groups = groups(d.len()).peekable();
    let (mut count, mut size) = (0.0, 0.0f64);
    for (seen, place) in (1..).zip(largest(d)) {
        count += d[place].signum();
        if groups.next_if_eq(&seen).is_some() {
            size = size.max(f64::abs(count) / (seen as f64).sqrt());
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use crate::paired::path::crossed;

    /// 512 pairs of which B is twice as slow in one of twenty runs.
    fn spiky(seed: u64) -> Vec<f64> {
        let mut draw = Draw::new(seed, 1);
        (0..512).map(|_| 0.01 * draw.normal() + if draw.below(20) == 0 { 0.7 } else { 0.0 }).collect()
    }

    #[test]
    fn slow_runs_of_one_side_cross_and_those_of_both_do_not() {
        let mut rows = Rows::new(1, 5);
        rows.grow(512);
        let d = spiky(1);
        let all = crossed(&[keys(&rows, &d)], &[0.001]);
        assert!(all.up && !all.down && observed(&d) > 3.0);
        let both: Vec<f64> = d.iter().enumerate().map(|(i, d)| if i % 2 == 0 { *d } else { -d }).collect();
        let all = crossed(&[keys(&rows, &both)], &[0.001]);
        assert!(!all.up && !all.down);
        assert_eq!(observed(&[0.0; 40]), 0.0);
        assert_eq!(observed(&d[..8]), 0.0);
    }
}
