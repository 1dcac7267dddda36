//! Rates of published counters, as `table --watch` and a run with tables show them.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::options::AnyTable;

/// A selection of the pairs of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Selected objects; empty selects all.
    pub objects: Vec<u64>,
    /// Selected keys; empty selects all.
    pub keys: Vec<u64>,
}

/// Remembers the previous sample of a table.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// Time and value of each pair when it was last sampled.
    last: BTreeMap<(u64, u64), (u64, i64)>,
}

/// A pair at the time of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The object.
    pub object: u64,
    /// The key.
    pub key: u64,
    /// The present value.
    pub value: i64,
    /// Rise per second since the sample before. `None` the first time, after a reset (the value fell), and
    /// when no time has passed: a rate that cannot be known is not reported as 0.
    pub per_second: Option<f64>,
}

impl AnyTable {
    /// Every value of the table and its rate since the last call; see [`Rates`].
    pub fn sample(&self, rates: &mut Rates, now_ns: u64) -> Result<Vec<Rate>, Error> {
        rates.sample(self, &Selection::default(), now_ns)
    }

    /// The pairs of a selection that have a value, in no order. One object and one key cost one read.
    pub fn values(&self, selection: &Selection) -> Vec<((u64, u64), i64)> {
        match (selection.objects.as_slice(), selection.keys.as_slice()) {
            ([], _) => self.objects().flat_map(|object| self.values_of(object, &selection.keys)).collect(),
            (objects, keys) => objects.iter().flat_map(|&object| self.values_of(object, keys)).collect(),
        }
    }

    fn values_of(&self, object: u64, keys: &[u64]) -> Vec<((u64, u64), i64)> {
        match keys {
            [] => self.keys(object).into_iter().map(|(key, value)| ((object, key), value)).collect(),
            keys => {
                let value = |&key: &u64| Some(((object, key), self.get(object, key)?));
                keys.iter().filter_map(value).collect()
            }
        }
    }
}

impl Rates {
    /// Starts without a previous sample.
    pub fn new() -> Self {
        Self::default()
    }

    /// Samples the pairs of a selection, in the order of objects and keys. `now_ns` is any steady clock; the
    /// caller reads it, because this library reads none. Pairs that vanished are forgotten.
    ///
    /// Reading disturbs the writers by the transfer of the cache lines read and by nothing else.
    pub fn sample(
        &mut self,
        table: &AnyTable,
        selection: &Selection,
        now_ns: u64,
    ) -> Result<Vec<Rate>, Error> {
        table.check()?;
        let values: BTreeMap<(u64, u64), i64> = table.values(selection).into_iter().collect();
        // Checked once more: a file that was truncated during the sample gave absent values, which are not the table's.
        table.check()?;
        Ok(self.advance(values, now_ns))
    }

    fn advance(&mut self, values: BTreeMap<(u64, u64), i64>, now_ns: u64) -> Vec<Rate> {
        let rate = |(&(object, key), &value): (&(u64, u64), &i64)| {
            let before = self.last.get(&(object, key));
            let per_second = before.and_then(|&(then_ns, before)| rise(before, value, then_ns, now_ns));
            Rate { object, key, value, per_second }
        };
        let rates = values.iter().map(rate).collect();
        self.last = values.into_iter().map(|(pair, value)| (pair, (now_ns, value))).collect();
        rates
    }
}

fn rise(before: i64, now: i64, then_ns: u64, now_ns: u64) -> Option<f64> {
    let elapsed_ns = now_ns.checked_sub(then_ns).filter(|&ns| ns > 0)?;
    let rise = now.checked_sub(before).filter(|&rise| rise >= 0)?;
    Some(rise as f64 * 1e9 / elapsed_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::rise;

    #[test]
    fn a_rate_that_cannot_be_known_is_none() {
        assert_eq!(rise(10, 30, 0, 2_000_000_000), Some(10.0));
        assert_eq!(rise(30, 10, 0, 1), None);
        assert_eq!(rise(10, 30, 5, 5), None);
        assert_eq!(rise(10, 30, 5, 4), None);
        assert_eq!(rise(i64::MIN + 1, i64::MAX, 0, 1), None);
    }
}
