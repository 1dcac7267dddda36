//! The choice of the next commit to measure: bisection of a history with merges, as git does it.
//!
//! A commit on the side of the bad end has the commit that made the change among its ancestors, itself included; a
//! commit on the side of the good end does not. So a bad commit leaves only suspects that are its ancestors, and a good
//! commit only suspects that are not.

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The commit does not contain the change.
    Good,
    /// The commit contains the change.
    Bad,
}

/// State of a search among commits that are numbered so that each has a larger number than its parents. Number 0 is the
/// good end, and the largest number the bad end.
#[derive(Clone, Debug)]
pub struct Search {
    ancestors: Vec<Bits>,
    suspects: Bits,
    passed: Bits,
}

impl Search {
    /// Starts a search; `parents` holds the numbers of each commit's parents.
    pub fn new(parents: &[Vec<usize>]) -> Self {
        let count = parents.len();
        let mut ancestors: Vec<Bits> = Vec::with_capacity(count);
        for (commit, parents) in parents.iter().enumerate() {
            let mut own = Bits::none(count);
            parents.iter().filter(|&&parent| parent < commit).for_each(|&parent| own.add(&ancestors[parent]));
            if commit > 0 {
                own.set(commit);
            }
            ancestors.push(own);
        }
        let suspects = ancestors.last().cloned().unwrap_or_else(|| Bits::none(count));
        Search { ancestors, suspects, passed: Bits::none(count) }
    }

    /// The commit that divides the suspects most evenly, among those that [`Search::pass`] did not exclude; `None` if
    /// none divides the suspects.
    pub fn next(&self) -> Option<usize> {
        let all = self.suspects.count();
        let worth = |commit: usize| {
            let before = self.ancestors[commit].common(&self.suspects);
            before.min(all - before)
        };
        let open = self.suspects.members().filter(|&commit| !self.passed.has(commit));
        // Of commits that divide equally well the first is taken, so that the order of the search is reproducible.
        let best = open.map(|commit| (worth(commit), std::cmp::Reverse(commit))).max()?;
        (best.0 > 0).then_some(best.1.0)
    }

    /// Removes the suspects that the side of this commit excludes.
    pub fn decide(&mut self, commit: usize, side: Side) {
        match side {
            Side::Bad => self.suspects.keep(&self.ancestors[commit]),
            Side::Good => self.suspects.remove(&self.ancestors[commit]),
        }
    }

    /// Keeps a commit that cannot be decided from being measured again; it remains a suspect.
    pub fn pass(&mut self, commit: usize) {
        self.passed.set(commit);
    }

    /// Numbers of the commits that may have made the change, oldest first.
    pub fn suspects(&self) -> Vec<usize> {
        self.suspects.members().collect()
    }

    /// Number of decisions that the search needs if every commit can be decided and divides the suspects evenly.
    pub fn steps(&self) -> u32 {
        usize::BITS - self.suspects.count().saturating_sub(1).leading_zeros()
    }
}

/// A set of numbers below a bound, with a bit for each number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn none(bound: usize) -> Self {
        Bits(vec![0; bound.div_ceil(64)])
    }

    fn set(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    fn each(&mut self, other: &Bits, of: impl Fn(u64, u64) -> u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own = of(*own, *other));
    }

    fn add(&mut self, other: &Bits) {
        self.each(other, |own, other| own | other);
    }

    fn keep(&mut self, other: &Bits) {
        self.each(other, |own, other| own & other);
    }

    fn remove(&mut self, other: &Bits) {
        self.each(other, |own, other| own & !other);
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn common(&self, other: &Bits) -> usize {
        self.0.iter().zip(&other.0).map(|(own, other)| (own & other).count_ones() as usize).sum()
    }

    fn members(&self) -> impl Iterator<Item = usize> + '_ {
        let of = |(place, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * place + bit)
        };
        self.0.iter().enumerate().flat_map(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize) -> Vec<Vec<usize>> {
        (0..=count).map(|commit| commit.checked_sub(1).into_iter().collect()).collect()
    }

    /// Searches for the commit `truth`; commits for which `passes` returns true are never decided. Returns the suspects
    /// and the number of steps.
    fn found(parents: &[Vec<usize>], truth: usize, passes: impl Fn(usize) -> bool) -> (Vec<usize>, u32) {
        let mut search = Search::new(parents);
        let mut steps = 0;
        while let Some(commit) = search.next() {
            assert!(steps < 1000);
            match passes(commit) {
                true => search.pass(commit),
                false => {
                    steps += 1;
                    let has_it = Search::new(parents).ancestors[commit].has(truth);
                    search.decide(commit, if has_it { Side::Bad } else { Side::Good });
                }
            }
        }
        (search.suspects(), steps)
    }

    #[test]
    fn every_commit_of_a_line_is_found_in_the_fewest_steps() {
        for count in [1, 2, 3, 7, 200, 256, 257] {
            let line = line(count);
            let most = Search::new(&line).steps();
            assert_eq!(most, (count as f64).log2().ceil() as u32, "{count}");
            for truth in 1..=count {
                let (suspects, steps) = found(&line, truth, |_| false);
                assert_eq!(suspects, [truth]);
                assert!(steps <= most, "{count}: {steps}");
            }
        }
    }

    #[test]
    fn commits_that_cannot_be_decided_stay_together_with_their_successor() {
        let (suspects, _) = found(&line(20), 11, |commit| (9..=12).contains(&commit));
        assert_eq!(suspects, [9, 10, 11, 12, 13]);
        let (suspects, _) = found(&line(20), 3, |commit| (9..=12).contains(&commit));
        assert_eq!(suspects, [3]);
        let (suspects, steps) = found(&line(5), 3, |_| true);
        assert_eq!((suspects, steps), (vec![1, 2, 3, 4, 5], 0));
    }

    #[test]
    fn side_branches_are_searched_too() {
        // A history with a merge: commits 1 and 2 are on one branch, 3 and 4 on another, 5 merges these, and 6 follows.
        let parents = vec![vec![], vec![0], vec![1], vec![0], vec![3], vec![2, 4], vec![5]];
        for truth in 1..=6 {
            assert_eq!(found(&parents, truth, |_| false).0, [truth]);
        }
    }

    #[test]
    fn ends_that_follow_each_other_leave_nothing_to_search() {
        let search = Search::new(&line(1));
        assert_eq!((search.next(), search.suspects(), search.steps()), (None, vec![1], 0));
    }
}
