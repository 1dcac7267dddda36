//! Rates of published counters, for `table --watch` and for runs with tables.

use std::ops::ControlFlow;

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

/// The previous sample of a table, from which rates are computed.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// Each pair and its value in the last sample, in order, and the time of that sample.
    last: Vec<((u64, u64), i64)>,
    last_ns: u64,
}

/// A pair at the time of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Number of the object.
    pub object: u64,
    /// Number of the key.
    pub key: u64,
    /// The present value.
    pub value: i64,
    /// Rise per second since the previous sample. `None` in the first sample, after a reset (the value fell), and if no
    /// time has passed: an unknown rate is not reported as 0.
    pub per_second: Option<f64>,
}

impl AnyTable {
    /// Returns every value of the table and its rate since the last call; see [`Rates`].
    pub fn sample(&self, rates: &mut Rates, now_ns: u64) -> Result<Vec<Rate>, Error> {
        rates.sample(self, &Selection::default(), now_ns)
    }

    /// Returns the pairs of a selection that have a value, in no particular order. One object and one key cost one
    /// read; all objects cost one walk.
    pub fn values(&self, selection: &Selection) -> Vec<((u64, u64), i64)> {
        self.values_until(selection, &|| false).unwrap_or_default()
    }

    /// Works like [`AnyTable::values`]; `None` if `stop`, which is called for each object, has returned true.
    fn values_until(&self, selection: &Selection, stop: &dyn Fn() -> bool) -> Option<Vec<((u64, u64), i64)>> {
        let mut values = Vec::new();
        if !selection.objects.is_empty() {
            for &object in &selection.objects {
                if stop() {
                    return None;
                }
                values.extend(self.values_of(object, &selection.keys));
            }
            return Some(values);
        }
        let is_chosen = |key| selection.keys.is_empty() || selection.keys.contains(&key);
        let mut last = None;
        let walk = self.visit(|object, key, value| {
            if last.replace(object) != Some(object) && stop() {
                return ControlFlow::Break(());
            }
            if is_chosen(key) {
                values.push(((object, key), value));
            }
            ControlFlow::Continue(())
        });
        walk.is_continue().then_some(values)
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
    /// Creates rates without a previous sample.
    pub fn new() -> Self {
        Self::default()
    }

    /// Samples the pairs of a selection, in the order of objects and keys. `now_ns` is the time of any steady clock;
    /// the caller reads it, because this library reads none. Pairs that no longer exist are forgotten.
    ///
    /// Reading disturbs the writers only by the transfer of the cache lines that are read.
    pub fn sample(
        &mut self,
        table: &AnyTable,
        selection: &Selection,
        now_ns: u64,
    ) -> Result<Vec<Rate>, Error> {
        Ok(self.sample_until(table, selection, now_ns, &|| false)?.unwrap_or_default())
    }

    /// Works like [`Rates::sample`], for tables so large that a user may not want to wait: `stop` is called for each
    /// object, and ends the sample without a result if it returns true.
    pub fn sample_until(
        &mut self,
        table: &AnyTable,
        selection: &Selection,
        now_ns: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Rate>>, Error> {
        table.check()?;
        let Some(mut values) = table.values_until(selection, stop) else { return Ok(None) };
        values.sort_unstable_by_key(|value| value.0);
        values.dedup_by_key(|value| value.0);
        // The table is checked once more: a file that was truncated during the sample gave absent values, which are not
        // the table's.
        table.check()?;
        Ok(Some(self.advance(values, now_ns)))
    }

    /// Computes rates. The two samples are in order, so they are compared in one pass.
    fn advance(&mut self, values: Vec<((u64, u64), i64)>, now_ns: u64) -> Vec<Rate> {
        let mut last = self.last.iter().peekable();
        let rate = |&((object, key), value): &((u64, u64), i64)| {
            while last.next_if(|last| last.0 < (object, key)).is_some() {}
            let before = last.next_if(|last| last.0 == (object, key));
            let per_second = before.and_then(|&(_, before)| rise(before, value, self.last_ns, now_ns));
            Rate { object, key, value, per_second }
        };
        let rates = values.iter().map(rate).collect();
        (self.last, self.last_ns) = (values, now_ns);
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
