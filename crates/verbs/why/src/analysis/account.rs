//! The account of the difference in wall time between two programs: parts that sum to the whole.
//!
//! The wall time of a run is the sum of CPU time in user mode, CPU time in the kernel, the wait for a CPU, and the
//! rest, in which the program waited for something else. For a program with several threads, the first three are
//! divided by the number of threads that shared the work, so that the sum is still the wall time.
//!
//! Means of parts add up to the mean of the whole, and medians do not. Outlying pairs are therefore left out as a
//! whole, a fifth of the pairs at each end of the differences of wall time, and all accounts are means over the
//! remaining pairs. Since those scatter less than all pairs do, all intervals are widened as the interval of a trimmed
//! mean is (Tukey and McLaughlin 1963).
//!
//! Beside other programs the wall time may scatter so much that its difference is not shown any more, where that of the
//! times without the wait for a CPU is, or that of CPU time. The whole is then that difference, and has fewer parts.

use fauxplat_stats::describe::{mean, variance};
use fauxplat_stats::distribution::t_upper_quantile;

use crate::evidence::{Amount, Evidence, PairReading};
use crate::findings::{Account, DifferencePart};

/// Share of the pairs, sorted by their difference of wall time, that is left out at each end.
const TRIMMED: f64 = 0.2;
/// Number of pairs below which no pair is left out.
const TRIMMED_FROM: usize = 10;
/// Number of intervals that have to hold simultaneously: of the whole difference, of its four parts, and of the two sums
/// that can stand for it.
const INTERVALS: f64 = 7.0;
/// Share of the difference that the comparison showed, which the other times have to reach to stand for a wall time whose
/// difference is not shown any more. Of a smaller one most of the time would go unexplained.
const STANDS_FROM: f64 = 0.3;

/// The difference of the times of two programs, divided into accounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The whole difference in nanoseconds per run: of wall time, or of the accounts in `parts` where `hidden` has a value.
    pub whole: Amount,
    /// The difference of wall time where the pairs do not show it, but do show that of some accounts.
    pub hidden: Option<Amount>,
    /// Numbers by which the times of all threads of each program are divided.
    pub lanes: [f64; 2],
    /// Part of each account in the difference, in the order of [`Account`].
    pub parts: Vec<DifferencePart>,
    /// Mean time of the faster program in each account, in nanoseconds per run: user, system, run-queue, blocked.
    pub fast_ns: [f64; 4],
}

impl Difference {
    /// Whether the pairs surely show that the second program takes more wall time.
    pub fn is_shown_in_wall_time(&self) -> bool {
        self.hidden.is_none() && self.whole.is_more()
    }

    /// Whether an account is a part of the whole.
    pub fn has(&self, account: Account) -> bool {
        self.parts.iter().any(|part| part.account == account)
    }

    /// Difference in an account, in nanoseconds per run; zero if the account is no part of the difference.
    pub fn of(&self, account: Account) -> Amount {
        let part = self.parts.iter().find(|part| part.account == account);
        part.map_or(Amount::default(), |part| part.more_ns)
    }
}

/// Times of the four accounts of a run in nanoseconds, whose sum is its wall time: user, system, waiting for a CPU,
/// blocked. CPU times and waits of all threads are divided by `lanes`, the number of threads that share the work.
fn accounts(pair: &PairReading, side: usize, lanes: f64) -> [f64; 4] {
    let [user, system, delay] = [pair.user_ns, pair.system_ns, pair.delay_ns].map(|it| it[side] / lanes);
    let rest = pair.wall_ns[side] - user - system;
    // A thread that waits for a CPU while another one works prolongs the run only by what the work does not account for.
    let delay = delay.min(rest.max(0.0));
    [user, system, delay, rest - delay]
}

/// Divides the difference of two programs into accounts; `None` without pairs.
pub fn account(evidence: &Evidence) -> Option<Difference> {
    let of_wall = account_of_wall_time(evidence)?;
    if of_wall.whole.is_more() {
        return Some(of_wall);
    }
    Some(account_without_others(evidence, of_wall.whole).unwrap_or(of_wall))
}

/// Divides the difference of the times that other programs cannot prolong: of all accounts but the wait for a CPU, or else
/// of CPU time alone, since a virtual machine can lose its CPUs as well. `None` unless such a difference is shown, and
/// large enough to stand for the difference `hidden` of wall time.
fn account_without_others(evidence: &Evidence, hidden: Amount) -> Option<Difference> {
    let all = [(Account::User, 0), (Account::System, 1), (Account::Blocked, 3)];
    let own = account_of(evidence, &all, lanes(evidence));
    let found = own.filter(|it| stands(it, evidence));
    let found = found.or_else(|| account_of(evidence, &all[..2], [1.0; 2]).filter(|it| stands(it, evidence)));
    found.map(|it| Difference { hidden: Some(hidden), ..it })
}

fn stands(difference: &Difference, evidence: &Evidence) -> bool {
    difference.whole.is_more() && difference.whole.low >= STANDS_FROM * evidence.shown_ns
}

/// Divides the sum of some accounts, each given with its place among [`accounts`], into these; `None` without pairs.
fn account_of(evidence: &Evidence, which: &[(Account, usize)], lanes: [f64; 2]) -> Option<Difference> {
    let sum = |pair: &PairReading, side: usize| {
        let times = accounts(pair, side, lanes[side]);
        which.iter().map(|&(_, at)| times[at]).sum::<f64>()
    };
    let more = |pair: &PairReading| sum(pair, 1) - sum(pair, 0);
    let (kept, wider) = kept(&evidence.pairs, evidence.is_in_some_runs, more);
    let level = evidence.level / INTERVALS;
    let of = |time: &dyn Fn(&PairReading) -> f64| {
        interval(&kept.iter().map(time).collect::<Vec<f64>>(), level, wider)
    };
    let whole = of(&more)?;
    let part = |&(account, at): &(Account, usize)| {
        let own = |pair: &PairReading| accounts(pair, 1, lanes[1])[at] - accounts(pair, 0, lanes[0])[at];
        let more_ns = of(&own).unwrap_or_default();
        DifferencePart { account, more_ns, share: whole.is_sure().then(|| more_ns.value / whole.value) }
    };
    let fast = |at: usize| of(&|pair| accounts(pair, 0, lanes[0])[at]).map_or(0.0, |it| it.value);
    Some(Difference {
        whole,
        hidden: None,
        lanes,
        parts: which.iter().map(part).collect(),
        fast_ns: std::array::from_fn(fast),
    })
}

fn account_of_wall_time(evidence: &Evidence) -> Option<Difference> {
    let all = [(Account::User, 0), (Account::System, 1), (Account::RunQueue, 2), (Account::Blocked, 3)];
    account_of(evidence, &all, lanes(evidence))
}

fn nonzero(value: f64) -> f64 {
    if value == 0.0 { f64::MIN_POSITIVE } else { value }
}

/// Number of threads that share the work of each program, by which the times of its threads are divided. A program that
/// is traced is slower and may show fewer, so the number is at least the ratio of CPU time to wall time in the timed
/// runs.
fn lanes(evidence: &Evidence) -> [f64; 2] {
    [0, 1].map(|side| {
        let sum = |of: &dyn Fn(&PairReading) -> f64| evidence.pairs.iter().map(of).sum::<f64>();
        let busy = sum(&|it| it.user_ns[side] + it.system_ns[side]) / nonzero(sum(&|it| it.wall_ns[side]));
        match evidence.traced.as_ref().map(|traced| &traced[side]).filter(|traced| !traced.is_partial) {
            Some(traced) if traced.tasks == 1 => 1.0,
            // Threads share the work on as many CPUs as they have.
            Some(traced) => {
                let cpus = traced.held.cpu_count.map_or(f64::INFINITY, |count| count.max(1) as f64);
                traced.lanes.min(cpus).max(busy)
            }
            None => busy.max(1.0),
        }
    })
}

/// The pairs that remain when those with outlying differences `more` are left out, and the factor by which the interval
/// of a mean of these has to be wider than that of as many untrimmed pairs. With `are_all` no pair is left out.
fn kept(pairs: &[PairReading], are_all: bool, more: impl Fn(&PairReading) -> f64) -> (Vec<PairReading>, f64) {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| more(a).total_cmp(&more(b)));
    let cut = (pairs.len() as f64 * TRIMMED) as usize;
    if are_all || pairs.len() < TRIMMED_FROM || cut == 0 {
        return (sorted, 1.0);
    }
    let kept = sorted[cut..sorted.len() - cut].to_vec();
    let inner: Vec<f64> = kept.iter().map(&more).collect();
    let ends = [inner[0], inner[inner.len() - 1]];
    let pulled_in: Vec<f64> = sorted.iter().map(|pair| more(pair).clamp(ends[0], ends[1])).collect();
    let (all, n) = (sorted.len() as f64, inner.len() as f64);
    // The standard error of a trimmed mean over that of a plain mean of the pairs that are kept.
    let ratio = (variance(&pulled_in) * all / n / variance(&inner).max(f64::MIN_POSITIVE)).sqrt();
    (kept, if ratio.is_finite() { ratio.clamp(1.0, WIDER_MAX) } else { 1.0 })
}

/// Largest factor by which an interval is widened. Where most differences are equal, the remaining pairs have almost no
/// scatter, and the factor would have no bound.
const WIDER_MAX: f64 = 5.0;

/// Mean of some values and its interval at the error level `level` by Student's t distribution, widened by the factor
/// `wider`; `None` without values.
fn interval(values: &[f64], level: f64, wider: f64) -> Option<Amount> {
    let value = mean(values)?;
    let n = values.len() as f64;
    if values.len() < 2 {
        return Some(Amount { value, low: f64::NEG_INFINITY, high: f64::INFINITY });
    }
    let reach = wider * t_upper_quantile(level / 2.0, n - 1.0) * (variance(values) / n).sqrt();
    Some(Amount { value, low: value - reach, high: value + reach })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Traced;
    use proptest::prelude::*;

    fn pair(fast: [f64; 4], slow: [f64; 4]) -> PairReading {
        let sum = |it: [f64; 4]| it.iter().sum::<f64>();
        PairReading {
            wall_ns: [sum(fast), sum(slow)],
            user_ns: [fast[0], slow[0]],
            system_ns: [fast[1], slow[1]],
            delay_ns: [fast[2], slow[2]],
        }
    }

    #[test]
    fn a_difference_is_in_the_account_that_took_it() {
        let pairs =
            (0..20).map(|i| pair([10.0 + f64::from(i % 3), 2.0, 0.0, 1.0], [10.0, 2.0, 0.0, 6.0])).collect();
        let found = account(&Evidence { pairs, level: 0.01, ..Evidence::default() }).unwrap();
        let blocked = found.of(Account::Blocked);
        assert!((blocked.value - 5.0).abs() < 1e-9 && blocked.is_more(), "{found:?}");
        assert!(!found.of(Account::User).is_more());
    }

    #[test]
    fn nothing_has_a_share_in_a_whole_that_may_be_zero() {
        let of = |blocked: f64| {
            let noise = |i: i32| if i % 2 == 0 { 2.0 } else { -2.0 };
            let slow = |i: i32| [10.0 + noise(i), 2.0, 0.0, 1.0 + blocked];
            let pairs = (0..20).map(|i| pair([10.0, 2.0, 0.0, 1.0], slow(i))).collect();
            account(&Evidence { pairs, level: 0.01, ..Evidence::default() }).unwrap()
        };
        let unsure = of(0.1);
        assert!(
            !unsure.whole.is_sure() && unsure.parts.iter().all(|part| part.share.is_none()),
            "{unsure:?}"
        );
        let sure = of(50.0);
        let share = sure.parts[3].share.unwrap();
        assert!((share - 50.0 / sure.whole.value).abs() < 1e-9, "{sure:?}");
    }

    #[test]
    fn threads_share_the_wall_time_among_them() {
        // Two of three threads compute all the time, and the third waits for both.
        let pairs: Vec<PairReading> = (0..12)
            .map(|_| PairReading { wall_ns: [10.0, 15.0], user_ns: [20.0, 30.0], ..PairReading::default() })
            .collect();
        let traced = |wall_ns| Traced { wall_ns, tasks: 3, lanes: 2.0, ..Traced::default() };
        let evidence = Evidence {
            pairs,
            traced: Some([traced(10.0), traced(15.0)]),
            level: 0.01,
            ..Evidence::default()
        };
        let found = account(&evidence).unwrap();
        assert!((found.of(Account::User).value - 5.0).abs() < 1e-9, "{found:?}");
        assert!(found.of(Account::Blocked).value.abs() < 1e-9);
    }

    /// Pairs of which the second program computes 5 ms more, while other programs prolong some runs by up to 90 ms.
    fn beside_others(evidence: Evidence) -> Option<Difference> {
        let noise = |i: i32| 1e6 * f64::from(i * i * 31 % 97);
        let pairs = (0..24)
            .map(|i| {
                pair([10e6, 1e6, 0.0, noise(i)], [14.5e6 + noise(i) / 1e3, 1.5e6, 0.0, noise(3 * i + 5)])
            })
            .collect();
        account(&Evidence { pairs, level: 0.01, ..evidence })
    }

    #[test]
    fn threads_on_one_cpu_take_turns() {
        // Four threads instead of one do four times the work on the only CPU.
        let pairs: Vec<PairReading> = (0..12)
            .map(|_| PairReading {
                wall_ns: [10.0, 40.0],
                user_ns: [10.0, 40.0],
                delay_ns: [0.0, 60.0],
                ..PairReading::default()
            })
            .collect();
        let traced = |tasks, lanes| {
            let held = crate::evidence::Held { cpu_count: Some(1), ..Default::default() };
            Traced { wall_ns: 10.0, tasks, lanes, held, ..Traced::default() }
        };
        let traces = Some([traced(1, 1.0), traced(5, 4.0)]);
        let found = account(&Evidence { pairs, traced: traces, level: 0.01, ..Evidence::default() }).unwrap();
        assert!((found.of(Account::User).value - 30.0).abs() < 1e-9, "{found:?}");
        assert!(found.of(Account::RunQueue).value.abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn cpu_time_stands_for_a_wall_time_that_others_hide() {
        let found = beside_others(Evidence { shown_ns: 6e6, ..Evidence::default() }).unwrap();
        assert!(!found.is_shown_in_wall_time() && found.whole.is_more(), "{found:?}");
        assert!((found.whole.value - 5e6).abs() < 0.1e6 && found.hidden.is_some(), "{found:?}");
        assert!(found.has(Account::User) && !found.has(Account::Blocked), "{found:?}");
        let sum: f64 = found.parts.iter().map(|part| part.more_ns.value).sum();
        assert!((sum - found.whole.value).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn cpu_time_does_not_stand_for_a_difference_of_which_it_is_the_small_part() {
        // Of a program that sleeps 50 ms more and computes 5 ms more, the sleep is what has to be found.
        let found = beside_others(Evidence { shown_ns: 55e6, ..Evidence::default() }).unwrap();
        assert!(found.hidden.is_none() && !found.whole.is_more(), "{found:?}");
    }

    proptest! {
        /// Parts of any measurement, however many threads took part, sum to the whole.
        #[test]
        fn parts_sum_to_the_whole(
            times in proptest::collection::vec(proptest::array::uniform8(0.0f64..1e9), 1..60),
            lanes in 1.0f64..8.0,
            are_all in any::<bool>(),
        ) {
            let pairs: Vec<PairReading> = times
                .iter()
                .map(|it| pair([it[0], it[1], it[2], it[3]], [it[4], it[5], it[6], it[7]]))
                .collect();
            let traced = Traced { tasks: 2, lanes, wall_ns: 1.0, ..Traced::default() };
            let evidence = Evidence {
                pairs,
                traced: Some([traced.clone(), traced]),
                is_in_some_runs: are_all,
                level: 0.01,
                ..Evidence::default()
            };
            let found = account(&evidence).unwrap();
            let sum: f64 = found.parts.iter().map(|part| part.more_ns.value).sum();
            prop_assert!((sum - found.whole.value).abs() <= 1e-6 * found.whole.value.abs().max(1e9));
            prop_assert!(found.whole.low <= found.whole.value && found.whole.value <= found.whole.high);
        }
    }
}
