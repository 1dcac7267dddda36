//! Computes the power of a CPU from laps: timed repetitions of a fixed number of instructions.

use fauxplat_model::{CpuIndex, ShiftSample};
use fauxplat_stats::describe::{median, quantile_sorted, sorted, standard_deviation};
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_units::Cpu;

/// Quantile of the lap times, from the fastest on, that counts as the undisturbed lap: large enough that a few wrongly
/// timed laps do not matter.
const EDGE: f64 = 0.002;
/// Quantile of the lap times, from the fastest on, that is the slower end of the interval of the undisturbed lap.
const EDGE_MAX: f64 = 0.01;
/// Largest width of the narrowest half of a CPU's lap times, relative to its fastest lap, at which most laps count as
/// of one speed.
const SHARP: f64 = 0.005;
/// Relative change of speed that counts as a step of the clock frequency: 100 MHz of 2 to 10 GHz. Another program on
/// the same core costs far more.
const STEP: std::ops::Range<f64> = 0.01..0.05;

/// The power of a CPU from the shifts (periods of work) of its worker; `None` without a lap.
///
/// A fixed number of instructions takes a minimum time. Sharing the core, such as with a sibling that the guest does
/// not see, only adds to it, for milliseconds or for minutes. So the index of CPUs that are measured one after the
/// other is computed from undisturbed laps, whenever they occurred: from the 0.2 % quantile of all lap times. Its
/// interval reaches from the fastest lap to the 1 % quantile; it is narrow if the laps near the quantile are equally
/// long, so that a repetition finds it again.
///
/// A clock that runs a step faster in some laps of one session and in none of the next would change that quantile. If
/// most laps have one speed and a few are a step faster, with nothing in between, the index is the quantile of the
/// majority, which all sessions share, and the interval includes the step.
///
/// For CPUs that work at the same time (`together`) the disturbance itself is measured, so the index is the median of
/// all laps. Beside neighbours on the host the speed varies over minutes, and the variation between rounds is the best
/// evidence of the variation between measurements. The interval is therefore the prediction interval of one more round
/// (Student's t on the medians of the rounds), and not that of the mean. Neither interval is narrower than the
/// resolution of the clock.
pub fn cpu_index(
    cpu: Cpu,
    shifts: &[&ShiftSample],
    fauxplats_per_lap: f64,
    comparable: bool,
    together: bool,
) -> Option<CpuIndex> {
    let per_s = |lap_ns: f64| fauxplats_per_lap * 1e9 / lap_ns;
    let laps =
        |shift: &ShiftSample| sorted(&shift.laps_cpu_ns.iter().map(|&ns| ns as f64).collect::<Vec<_>>());
    let rounds: Vec<Vec<f64>> =
        shifts.iter().map(|shift| laps(shift)).filter(|laps| !laps.is_empty()).collect();
    let typical_ns = median(&rounds.concat())?;
    let lap = if together { typical(&rounds, typical_ns) } else { undisturbed(&rounds)? };
    let lap_ns = lap.ns;
    let clock = resolution(shifts, lap_ns);
    let (slower, faster) = (lap.slower.hypot(clock), lap.faster.hypot(clock));
    let sum = |of: fn(&ShiftSample) -> u64| shifts.iter().map(|shift| of(shift)).sum::<u64>() as f64;
    let wall_ns = sum(|shift| shift.wall_ns);
    let share = |of: fn(&ShiftSample) -> Option<i64>| {
        let parts: Option<Vec<i64>> = shifts.iter().map(|shift| of(shift)).collect();
        parts.map(|parts| parts.iter().sum::<i64>() as f64 / wall_ns)
    };
    Some(CpuIndex {
        cpu,
        fauxplat_per_s: per_s(lap_ns),
        low: per_s(lap_ns * (1.0 + slower)),
        high: per_s(lap_ns / (1.0 + faster)),
        typical_per_s: per_s(typical_ns),
        wall_per_s: per_s(typical_ns) * sum(|shift| shift.cpu_ns) / wall_ns,
        run_delay_share: share(|shift| shift.run_delay_ns.map(|ns| ns as i64)),
        rest_share: share(ShiftSample::rest_ns),
        laps: rounds.iter().map(Vec::len).sum(),
        rounds: rounds.len(),
        comparable,
    })
}

/// Time of a lap in nanoseconds, with the distances to the slower and to the faster end of its interval as shares of
/// `ns`.
struct Lap {
    ns: f64,
    slower: f64,
    faster: f64,
}

fn undisturbed(rounds: &[Vec<f64>]) -> Option<Lap> {
    let laps = sorted(&rounds.concat());
    let fastest = *laps.first()?;
    // A single round says nothing about the next: its interval covers half and twice the index.
    let is_single = rounds.len() < 2;
    let at_step = step(&laps);
    let most = &laps[at_step.unwrap_or(0)..];
    let edge = quantile_sorted(most, EDGE)?;
    let slow = quantile_sorted(most, EDGE_MAX)?;
    let (slower, faster) = ((slow - edge) / edge, edge / fastest - 1.0);
    Some(match (is_single, at_step) {
        (true, _) => Lap { ns: edge, slower: 1.0, faster: 1.0 },
        (false, Some(_)) => Lap { ns: edge, slower: slower.max(edge / most[0] - 1.0), faster },
        (false, None) => Lap { ns: edge, slower: slower.max(faster), faster: slower.max(faster) },
    })
}

/// Number of laps that were a step of the clock faster than the majority; `None` if most laps do not have one speed, or
/// if no laps are a step faster than that.
fn step(laps: &[f64]) -> Option<usize> {
    let half = laps.len() / 2;
    let width = |from: &usize| laps[from + half] - laps[*from];
    let from = (0..laps.len() - half).min_by(|a, b| width(a).total_cmp(&width(b)))?;
    let usual = laps[from];
    let faster_than = |share: f64| laps.partition_point(|&lap| lap < usual * (1.0 - share));
    let (fast, between) = (faster_than(STEP.start), faster_than(SHARP));
    let is_step = fast > 0 && laps[0] > usual * (1.0 - STEP.end) && (between - fast) * 10 <= fast;
    (width(&from) <= SHARP * usual && is_step).then_some(fast)
}

fn typical(rounds: &[Vec<f64>], typical_ns: f64) -> Lap {
    let medians: Vec<f64> = rounds.iter().filter_map(|laps| median(laps)).collect();
    let half = half_width(&medians, typical_ns);
    Lap { ns: typical_ns, slower: half, faster: half }
}

/// Half of the 95 % prediction interval of one more round, relative to the median lap.
fn half_width(rounds_ns: &[f64], middle_ns: f64) -> f64 {
    let n = rounds_ns.len() as f64;
    if rounds_ns.len() < 2 {
        // A single round says nothing about the next: the interval covers half and twice the index.
        return 1.0;
    }
    t_upper_quantile(0.025, n - 1.0) * standard_deviation(rounds_ns) * (1.0 + 1.0 / n).sqrt() / middle_ns
}

/// Relative resolution of a lap: the time of reading the clock divided by the time of a lap.
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

    fn judged(shifts: &[ShiftSample], together: bool) -> CpuIndex {
        cpu_index(Cpu(3), &shifts.iter().collect::<Vec<_>>(), 4.0, true, together).unwrap()
    }

    fn index(shifts: &[ShiftSample]) -> CpuIndex {
        judged(shifts, false)
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
        let found = judged(&wandering, true);
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
    fn neighbours_that_come_and_go_leave_the_index_where_it_is() {
        // Up to nine tenths of the laps are slow; in some rounds all of them are.
        let round = |round: u32| {
            let slow = |lap: u32| round % 5 == 4 || (lap + 37 * round) % 100 < 30 + 3 * round;
            let lap = |lap: u32| if slow(lap) { 1_400_000 + u64::from(lap) * 997 } else { 1_000_000 };
            shift(round, (0..1000).map(lap).collect())
        };
        let found = index(&(0..20).map(round).collect::<Vec<_>>());
        assert!((found.fauxplat_per_s - 4000.0).abs() < 1.0, "{found:?}");
        assert!(found.high / found.low < 1.01 && found.typical_per_s < 3500.0, "{found:?}");
        // Three laps of every second round of 500 are undisturbed; the disturbed laps are of different lengths.
        let seldom = |round: u32| {
            let lap =
                |lap: u64| if lap < 3 && round.is_multiple_of(2) { 1_000_000 } else { 1_050_000 + lap * 500 };
            shift(round, (0..500).map(lap).collect())
        };
        let hidden = index(&(0..20).map(seldom).collect::<Vec<_>>());
        assert!((hidden.fauxplat_per_s - 4000.0).abs() < 1.0, "{hidden:?}");
        assert!(hidden.high / hidden.low > 1.1, "who was hardly ever undisturbed is not sure: {hidden:?}");
    }

    #[test]
    fn a_clock_that_works_a_step_faster_now_and_then_keeps_its_index() {
        // Modelled on a quiet virtual machine: an index of 3615 nearly always; in three of five sessions 3703 for some
        // laps of a few rounds.
        let lap = |speed: f64, at: u32| (4e9 / speed * (1.0 + f64::from(at * 37 % 100) * 2e-6)) as u64;
        let session = |number: u32| {
            let has_bursts = number % 5 < 3;
            let fast = |round: u32, at: u32| {
                has_bursts && (round + number).is_multiple_of(7) && at < 40 + 60 * number
            };
            let laps = |round: u32| -> Vec<u64> {
                (0..900).map(|at| lap(if fast(round, at) { 3703.0 } else { 3615.0 }, at)).collect()
            };
            index(&(0..20).map(|round| shift(round, laps(round))).collect::<Vec<_>>())
        };
        let sessions: Vec<CpuIndex> = (0..10).map(session).collect();
        for (one, other) in sessions.iter().flat_map(|one| sessions.iter().map(move |other| (one, other))) {
            assert!(one.low <= other.fauxplat_per_s && other.fauxplat_per_s <= one.high, "{one:?} {other:?}");
        }
        assert!(sessions.iter().all(|one| (one.fauxplat_per_s - 3615.0).abs() < 2.0), "{sessions:?}");
        // The interval of a session in which laps were a step faster includes the step; that of a session without such
        // laps does not.
        assert!(sessions[0].high > 3700.0 && sessions[0].low > 3605.0, "{:?}", sessions[0]);
        assert!(sessions[4].high < 3630.0, "{:?}", sessions[4]);
    }

    #[test]
    fn without_laps_there_is_no_index() {
        assert!(cpu_index(Cpu(0), &[], 4.0, true, false).is_none());
    }
}
