//! Event counts of fauxplat's own worker threads.

use fauxplat_model::{Metric, ShiftSample, WorkerCount, WorkerCounts};
use fauxplat_stats::describe::median;

use crate::derived::figures;

/// Counts in shifts of the same kernel, per unit of work and per second of CPU time: medians over the shifts. `None` if
/// no event was counted.
pub fn worker_counts(work: String, shifts: &[&ShiftSample]) -> Option<WorkerCounts> {
    let of = |shift: &ShiftSample, metric: Metric| {
        shift.counts.iter().find(|it| it.metric == metric).and_then(|it| it.count)
    };
    let one = |metric: Metric| {
        let over = |base: fn(&ShiftSample) -> f64| -> Vec<f64> {
            let ratio = |shift: &&ShiftSample| Some(of(shift, metric)? as f64 / base(shift));
            shifts.iter().filter_map(ratio).filter(|it| it.is_finite()).collect()
        };
        let (units, cpu_s) = (over(|it| it.units as f64), over(|it| it.cpu_ns as f64 / 1e9));
        Some(WorkerCount {
            metric,
            per_unit: median(&units)?,
            per_cpu_s: median(&cpu_s)?,
            shifts: units.len(),
        })
    };
    let counts: Vec<WorkerCount> = shifts.first()?.counts.iter().filter_map(|it| one(it.metric)).collect();
    let get = |at: usize, metric: Metric| match metric == Metric::CPU {
        true => Some(shifts[at].cpu_ns),
        false => of(shifts[at], metric),
    };
    (!counts.is_empty()).then(|| WorkerCounts { work, counts, derived: figures(shifts.len(), &get) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::ShiftCount;

    #[test]
    fn counts_are_of_a_unit_and_of_a_second_of_cpu_time() {
        let metric = |name: &str| Metric::from_id(name).unwrap();
        let count = |name: &str, count: Option<u64>| ShiftCount { metric: metric(name), count };
        let shift = |cycles: Option<u64>| ShiftSample {
            units: 10,
            cpu_ns: 500,
            counts: vec![count("pmu:cycles", cycles), count("pmu:instructions", Some(4000))],
            ..ShiftSample::default()
        };
        let shifts = [shift(Some(1000)), shift(None), shift(Some(1000))];
        let found = worker_counts("CPU 0".to_owned(), &shifts.iter().collect::<Vec<_>>()).unwrap();
        let shown: Vec<(f64, f64, usize)> =
            found.counts.iter().map(|it| (it.per_unit, it.per_cpu_s, it.shifts)).collect();
        assert_eq!(shown, [(100.0, 2e9, 2), (400.0, 8e9, 3)]);
        let derived: Vec<(&str, f64)> =
            found.derived.iter().map(|it| (it.name.as_str(), it.median)).collect();
        assert_eq!(derived, [("instructions per cycle", 4.0), ("clock", 2.0)]);
        assert_eq!(worker_counts(String::new(), &[&ShiftSample::default()]), None);
    }
}
