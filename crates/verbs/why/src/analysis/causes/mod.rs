//! Candidates: what could explain a part of the difference, and how much of it.

pub(super) mod addresses;
mod conditions;
mod kernel;
pub(super) mod open;
mod start;
mod waiting;
pub(super) mod work;

use fauxplat_model::Metric;
use fauxplat_report::say;
use fauxplat_stats::describe::mean;

use super::account::Difference;
use crate::evidence::{Evidence, PairReading};
use crate::findings::{Account, Cause, Grade, Kind};

/// Share of the difference that a cause has to explain at least.
pub(super) const SHARE_MIN: f64 = 0.10;

/// CPU time that the sampled runs of a suggested profile should have together, and most time that they may take, in
/// nanoseconds; a profile takes about a thousand samples in each second of CPU time.
const SAMPLED_NS: f64 = 1e9;
const RUNS_NS: f64 = 10e9;
/// Maximum number of runs in a suggested profile.
const RUNS_MAX: f64 = 1000.0;

/// Evidence about two programs and the account of their difference, from which candidates for causes are derived.
pub(super) struct Case<'e> {
    pub(super) evidence: &'e Evidence,
    pub(super) difference: &'e Difference,
    /// Number of threads that share the work of each program, the faster program's first; the times of all its threads
    /// are divided by that.
    pub(super) lanes: [f64; 2],
}

impl Case<'_> {
    /// Additional time of the slower program in an account, in nanoseconds per run; zero if the faster one has more.
    /// The estimate is used even where its interval includes zero, since candidates are sought where the difference
    /// most likely lies.
    pub(super) fn more(&self, account: Account) -> f64 {
        self.difference.of(account).value.max(0.0)
    }

    /// The whole difference of wall time, in nanoseconds per run.
    pub(super) fn whole(&self) -> f64 {
        self.difference.whole.value
    }

    /// Command lines of both programs, each quoted as one word of a shell, that of the faster one first.
    pub(super) fn both(&self) -> String {
        self.evidence.commands.each_ref().map(|command| shell_words::quote(command).into_owned()).join(" ")
    }

    /// Command line of the slower program, quoted as one word of a shell.
    pub(super) fn slow(&self) -> String {
        shell_words::quote(&self.evidence.commands[1]).into_owned()
    }

    /// Command line of a profile of the slower program with these options. A short program is sampled in many runs,
    /// since one of them has few samples or none.
    pub(super) fn profile(&self, options: &str) -> String {
        match self.runs_to_sample() {
            1 => format!("fauxplat profile {options} {}", self.slow()),
            runs => format!("fauxplat profile {options} --runs {runs} {}", self.slow()),
        }
    }

    /// Number of runs of the slower program in which enough samples are taken.
    fn runs_to_sample(&self) -> u32 {
        let mean_ns = |of: &dyn Fn(&PairReading) -> f64| {
            let all: Vec<f64> = self.evidence.pairs.iter().map(of).collect();
            mean(&all).unwrap_or(0.0).max(1.0)
        };
        let cpu_ns = mean_ns(&|it| it.user_ns[1] + it.system_ns[1]);
        let wall_ns = mean_ns(&|it| it.wall_ns[1]);
        (SAMPLED_NS / cpu_ns).min(RUNS_NS / wall_ns).ceil().clamp(1.0, RUNS_MAX) as u32
    }

    /// A cause that explains `explains_ns` nanoseconds per run, still without texts.
    pub(super) fn cause(&self, kind: Kind, account: Account, explains_ns: f64) -> Cause {
        Cause {
            kind,
            what: String::new(),
            account,
            explains_ns,
            share: explains_ns / self.whole().max(f64::MIN_POSITIVE),
            is_part: false,
            is_certain: false,
            grade: Grade::Measured,
            place: None,
            because: Vec::new(),
            next: String::new(),
        }
    }
}

pub(super) fn candidates(case: &Case<'_>) -> Vec<Cause> {
    let all = [
        waiting::causes(case),
        kernel::causes(case),
        work::causes(case),
        start::causes(case),
        conditions::causes(case),
    ];
    let by_addresses = addresses::causes(case);
    // If runs at other addresses have shown that addresses are the cause, the candidates that only suspect this are
    // dropped.
    let is_explained = |it: &Cause| by_addresses.is_some() && it.kind == Kind::Place;
    let others = all.into_iter().flatten().filter(|it| !is_explained(it));
    others.chain(by_addresses.clone()).collect()
}

/// Duration in nanoseconds as text with a suitable unit.
pub(super) fn time(ns: f64) -> String {
    say::quantity(Metric::WALL, ns)
}

/// A count as text: with one decimal if it is below ten and not whole, and else rounded, its digits in groups.
pub(super) fn number(count: f64) -> String {
    if count < 10.0 && count.fract() != 0.0 {
        return format!("{count:.1}");
    }
    say::grouped(count.max(0.0).round() as u64)
}

/// Change of a count as text: a percentage such as `+12 %`, or both counts if the first is zero.
pub(super) fn change(fast: f64, slow: f64) -> String {
    if fast > 0.0 { say::change(slow / fast) } else { format!("0 → {}", number(slow)) }
}

/// Number of calls as text, such as `12 calls`.
pub(super) fn calls(count: f64) -> String {
    format!("{} {}", number(count), if count == 1.0 { "call" } else { "calls" })
}
