//! From laps to the power of a CPU.

use fauxplat_model::{CpuIndex, ShiftSample};
use fauxplat_stats::describe::{median, quantile_sorted, sorted, standard_deviation};
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_units::Cpu;

/// The power of a CPU from the shifts of its worker; `None` without a lap.
///
/// The estimate is the median lap. The interval is one for a repetition, not for a mean: on a machine with neighbours
/// the speed wanders over minutes, and what varies between the rounds of one measurement is the best evidence of what
/// will vary between two. So it is the prediction interval of one more round (Student's t on the medians of the
/// rounds), and never narrower than what the clock itself can tell.
pub fn cpu_index(
    cpu: Cpu,
    shifts: &[&ShiftSample],
    fauxplats_per_lap: f64,
    comparable: bool,
) -> Option<CpuIndex> {
    let per_s = |lap_ns: f64| fauxplats_per_lap * 1e9 / lap_ns;
    let laps = |shift: &ShiftSample| shift.laps_cpu_ns.iter().map(|&ns| ns as f64).collect::<Vec<_>>();
    let all = sorted(&shifts.iter().flat_map(|shift| laps(shift)).collect::<Vec<_>>());
    let middle_ns = quantile_sorted(&all, 0.5)?;
    let rounds: Vec<f64> = shifts.iter().filter_map(|shift| median(&laps(shift))).collect();
    let half = half_width(&rounds, middle_ns).hypot(resolution(shifts, middle_ns));
    let sum = |of: fn(&ShiftSample) -> u64| shifts.iter().map(|shift| of(shift)).sum::<u64>() as f64;
    let wall_ns = sum(|shift| shift.wall_ns);
    let share = |of: fn(&ShiftSample) -> Option<i64>| {
        let parts: Option<Vec<i64>> = shifts.iter().map(|shift| of(shift)).collect();
        parts.map(|parts| parts.iter().sum::<i64>() as f64 / wall_ns)
    };
    let best_ns = quantile_sorted(&all, 0.05)?;
    Some(CpuIndex {
        cpu,
        fauxplat_per_s: per_s(middle_ns),
        low: per_s(middle_ns * (1.0 + half)),
        high: per_s(middle_ns / (1.0 + half)),
        best_per_s: per_s(best_ns),
        wall_per_s: per_s(middle_ns) * sum(|shift| shift.cpu_ns) / wall_ns,
        run_delay_share: share(|shift| shift.run_delay_ns.map(|ns| ns as i64)),
        rest_share: share(ShiftSample::rest_ns),
        laps: all.len(),
        rounds: rounds.len(),
        comparable,
    })
}

/// Half of the 95 % prediction interval of one more round, relative to the median lap.
fn half_width(rounds_ns: &[f64], middle_ns: f64) -> f64 {
    let n = rounds_ns.len() as f64;
    if rounds_ns.len() < 2 {
        // One round says nothing about the next: everything is possible.
        return 1.0;
    }
    t_upper_quantile(0.025, n - 1.0) * standard_deviation(rounds_ns) * (1.0 + 1.0 / n).sqrt() / middle_ns
}

/// What a lap cannot tell because its clock takes time to read.
fn resolution(shifts: &[&ShiftSample], middle_ns: f64) -> f64 {
    shifts.iter().map(|shift| shift.clock_ns as f64).fold(0.0, f64::max) / middle_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(round: u32, laps_cpu_ns: Vec<u64>) -> ShiftSample {
        let cpu_ns: u64 = laps_cpu_ns.iter().sum();
        ShiftSample {
            round,
            cpu_ns,
            wall_ns: cpu_ns * 2,
            run_delay_ns: Some(cpu_ns / 2),
            clock_ns: 1000,
            laps_cpu_ns,
            ..ShiftSample::default()
        }
    }

    fn index(shifts: &[ShiftSample]) -> CpuIndex {
        cpu_index(Cpu(3), &shifts.iter().collect::<Vec<_>>(), 4.0, true).unwrap()
    }

    #[test]
    fn steady_laps_give_a_narrow_interval_and_one_round_a_wide_one() {
        let shifts: Vec<ShiftSample> = (0..10).map(|round| shift(round, vec![1_000_000; 50])).collect();
        let steady = index(&shifts);
        assert!((steady.fauxplat_per_s - 4000.0).abs() < 1e-9 && steady.laps == 500);
        assert!(
            steady.low < 4000.0 && steady.low > 3995.0,
            "the clock's own cost is always in doubt: {steady:?}"
        );
        assert!((steady.wall_per_s - 2000.0).abs() < 1e-9);
        assert_eq!((steady.run_delay_share, steady.rest_share), (Some(0.25), Some(0.25)));
        let single = index(&shifts[..1]);
        assert!(single.low <= 2000.0 && single.high >= 8000.0);
    }

    #[test]
    fn what_differs_between_rounds_widens_the_interval_and_a_few_slow_laps_do_not() {
        let wandering: Vec<ShiftSample> =
            (0..10).map(|round| shift(round, vec![1_000_000 + u64::from(round % 2) * 20_000; 50])).collect();
        let found = index(&wandering);
        assert!(found.high / found.low > 1.03, "{found:?}");
        let spikes: Vec<ShiftSample> = (0..10)
            .map(|round| {
                let mut laps = vec![1_000_000; 50];
                laps[7] = 9_000_000;
                shift(round, laps)
            })
            .collect();
        assert!(index(&spikes).high / index(&spikes).low < 1.01);
    }

    #[test]
    fn a_slow_fifth_shows_in_the_median_of_none_and_the_best_is_the_undisturbed() {
        let mut laps = vec![1_000_000; 80];
        laps.extend([1_300_000; 20]);
        let found = index(&[shift(0, laps.clone()), shift(1, laps)]);
        assert!((found.best_per_s - 4000.0).abs() < 1e-9);
        assert!(cpu_index(Cpu(0), &[], 4.0, true).is_none());
    }
}
