//! Courses of the test statistic over the looks at the data (interim analyses), one for every pattern of signs of the
//! blocks; computed on demand and kept for later looks.

use fauxplat_stats::paired::path::{Course, Crossed, Keys};

/// Courses of the test statistic for one hypothetical log ratio, at the looks at the data that have been computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    looks: Vec<Keys>,
    course: Course,
}

impl Paths {
    pub(crate) fn crossed(&mut self, looked: &[u32], spent: &[f64], keys: impl Fn(usize) -> Keys) -> Crossed {
        let missing = looked.get(self.looks.len()..).unwrap_or(&[]);
        self.looks.extend(missing.iter().map(|&n| keys(n as usize)));
        self.course.crossed(&self.looks, spent)
    }

    /// Whether the observed course crosses the critical value on the side that `side` picks. The looks are computed in
    /// growing steps, since a course that has crossed needs no later look.
    pub(crate) fn crosses(
        &mut self,
        looked: &[u32],
        spent: &[f64],
        side: fn(Crossed) -> bool,
        keys: impl Fn(usize) -> Keys,
    ) -> bool {
        let mut till = self.looks.len().max(1);
        loop {
            till = till.min(looked.len());
            let has_crossed = side(self.crossed(&looked[..till], &spent[..till], &keys));
            if has_crossed || till == looked.len() {
                return has_crossed;
            }
            till *= 2;
        }
    }
}
