//! Steering of a comparison: requests blocks until the judge decides.

use std::path::Path;

use fauxplat_analyze::{Decision, Judge, Judged, Patience};
use fauxplat_model::{Metric, Phase, Rule, Sample, Scope, StoppedBy, Trial};
use fauxplat_plan::Plan;

use super::failed::Failures;
use super::{Landed, Standing, Steering};
use crate::throttle::ThrottleCounter;
use crate::{Failure, Next, Stopped};

/// Number of first blocks from whose duration the number of blocks within the time limit is estimated. The judge's
/// first look at the data comes later.
const PACE_BLOCKS: u32 = 6;

/// Returns whether the question of the caller is answered by the data so far; called at each look of the judge. The
/// comparison then ends before its verdicts.
pub struct Until(pub Box<dyn Fn(&Judge) -> bool>);

impl std::fmt::Debug for Until {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Until")
    }
}

#[derive(Debug)]
pub struct CompareSteering {
    plan: Plan,
    judge: Judge,
    throttle: Option<ThrottleCounter>,
    /// Number of the first block and index of the first sample of this comparison, since several comparisons of one
    /// experiment share both sequences.
    first_block: u32,
    first_sample: usize,
    asked: u32,
    block: Vec<Sample>,
    blocks: u32,
    failures: Failures,
    patience: Patience,
    /// Start of the first run, by the clock of the samples.
    first_ns: u64,
    started_ns: Option<u64>,
    elapsed_ns: u64,
    /// Number of pairs at the judge's next look, and the precision of the difference at the last one.
    known: (u32, Option<f64>),
    margin: f64,
    /// Largest reported share of the way to the end. The estimate may fall when the first blocks have shown their
    /// duration, the reported progress may not.
    share: f64,
    out_of_time: bool,
    is_warmed_anew: bool,
    until: Option<Until>,
    is_answered: bool,
}

impl CompareSteering {
    /// Steering of a comparison that begins after these samples, on the machine below a root path.
    pub fn new(plan: Plan, judge: Judge, rule: &Rule, before: &[Sample], root: &Path) -> Self {
        CompareSteering {
            plan,
            judge,
            throttle: ThrottleCounter::open(root),
            first_block: before.iter().map(|sample| sample.block + 1).max().unwrap_or(0),
            first_sample: before.len(),
            asked: 0,
            block: Vec::new(),
            blocks: 0,
            failures: Failures::default(),
            patience: Patience::new(rule),
            first_ns: 0,
            started_ns: None,
            elapsed_ns: 0,
            known: (0, None),
            margin: rule.margin,
            share: 0.0,
            out_of_time: false,
            is_warmed_anew: false,
            until: None,
            is_answered: false,
        }
    }

    /// With `true`, each command also runs once unmeasured before each block: for built programs, which are replaced
    /// for each block and have never been run.
    pub fn warmed_anew(self, is_warmed_anew: bool) -> Self {
        CompareSteering { is_warmed_anew, ..self }
    }

    /// Lets the comparison also end as soon as `until` returns true at a look.
    pub fn until(self, until: Option<Until>) -> Self {
        CompareSteering { until, ..self }
    }

    /// Replaces the limits of time and runs of the whole experiment by those of one session.
    pub fn patient(self, patience: Patience) -> Self {
        CompareSteering { patience, ..self }
    }

    fn is_over(&mut self, now_ns: u64) -> bool {
        let elapsed_ns = now_ns - *self.started_ns.get_or_insert(now_ns);
        self.elapsed_ns = elapsed_ns;
        let decided = self.is_answered || self.judge.decision() == Decision::Stop;
        let late = self.patience.is_over(elapsed_ns, self.blocks * self.pairs_per_block(), &self.judge);
        // The judge may have reached a verdict, or its maximum number of pairs, at the moment when the time is over.
        let has_verdict = self.is_answered || self.judge.stopped_by() == StoppedBy::Verdict;
        self.out_of_time |= late && !has_verdict;
        decided || late
    }

    /// Estimates how many blocks fit into the time limit, from the duration of the first ones. The duration of a block
    /// does not show which command is faster, and the estimate precedes the first look at the data.
    fn set_horizon(&mut self, now_ns: u64) {
        let block_ns = now_ns.saturating_sub(self.first_ns) / u64::from(PACE_BLOCKS);
        self.patience.blocks(block_ns).into_iter().for_each(|blocks| self.judge.horizon(blocks));
    }

    /// Share of the longest possible way to the end, from 0 to 1: of the maximum number of pairs, or of the time limit,
    /// whichever is larger.
    fn share_now(&self) -> f64 {
        let stand = self.judge.progress();
        let by_pairs = f64::from(stand.pairs) / f64::from(stand.pairs_max.max(1));
        by_pairs.max(self.patience.share(self.elapsed_ns, stand.pairs))
    }

    /// Records the precision of the difference and evaluates `until`, once after each look of the judge.
    fn note_look(&mut self) {
        let next = self.judge.progress().pairs_next_look;
        if next != self.known.0 {
            self.known = (next, self.judge.precision());
            self.is_answered |= self.until.as_ref().is_some_and(|until| until.0(&self.judge));
        }
    }

    fn warmed(&self, trials: Vec<Trial>) -> Vec<Trial> {
        let first = trials.iter().take(usize::from(self.plan.commands));
        let warm_up = first.map(|trial| Trial { phase: Phase::Warmup, ..trial.clone() });
        warm_up.chain(trials.iter().cloned()).collect()
    }

    pub fn ended_by(&self, stopped: Stopped) -> StoppedBy {
        match (stopped, self.out_of_time) {
            (Stopped::Interrupted, _) => StoppedBy::Interrupt,
            (Stopped::Done, true) => StoppedBy::MaxTime,
            (Stopped::Done, false) if self.is_answered => StoppedBy::Verdict,
            (Stopped::Done, false) => self.judge.stopped_by(),
        }
    }

    pub fn into_judge(self) -> Judge {
        self.judge
    }

    /// Findings of the comparison, with the reason of its end. `all` holds the samples of the experiment.
    pub fn judged(&self, all: &[Sample], stopped: Stopped, scope: Scope, names: &[String]) -> Judged {
        self.judge.clone().scope(scope).findings(self.own(all), names, self.ended_by(stopped))
    }

    /// The samples of this comparison among those of the experiment.
    pub fn own<'s>(&self, all: &'s [Sample]) -> &'s [Sample] {
        &all[self.first_sample..]
    }

    fn pairs_per_block(&self) -> u32 {
        self.plan.layout.rounds().into()
    }

    fn is_whole(&self) -> bool {
        self.block.len() == usize::from(self.plan.commands) * usize::from(self.plan.layout.rounds())
    }

    fn has_run_all(&self) -> bool {
        (0..self.plan.commands).all(|command| self.block.iter().any(|run| run.command == command))
    }

    fn block_is_over(&mut self) {
        let throttled = self.throttle.as_mut().is_some_and(ThrottleCounter::moved);
        match throttled {
            true => self.judge.throttled_block(&self.block),
            false => self.judge.block(&self.block),
        };
        let end = |run: &Sample| run.started_ns + run.get(Metric::WALL).unwrap_or(0);
        let now_ns = self.block.iter().map(end).max().unwrap_or(0);
        let first_ns = self.block.iter().map(|run| run.started_ns).min().unwrap_or(0);
        self.block.clear();
        self.blocks += 1;
        self.share = self.share.max(self.share_now());
        self.note_look();
        if self.blocks == 1 {
            self.first_ns = first_ns;
        }
        if self.blocks == PACE_BLOCKS {
            self.set_horizon(now_ns);
        }
    }
}

impl Steering for CompareSteering {
    fn next(&mut self, now_ns: u64) -> Next {
        if self.is_over(now_ns) {
            return Next::Done;
        }
        // Before the first block the judge has no next look; afterwards no run is made beyond the number of pairs of
        // the next look.
        let look = self.judge.progress().pairs_next_look.max(self.pairs_per_block());
        if self.asked * self.pairs_per_block() >= look {
            return Next::Wait;
        }
        let mut trials = self.plan.block(self.asked, Phase::Measured);
        if self.is_warmed_anew {
            trials = self.warmed(trials);
        }
        trials.iter_mut().for_each(|trial| trial.block += self.first_block);
        self.asked += 1;
        Next::Trials(trials)
    }

    fn is_overdue(&mut self, now_ns: u64) -> bool {
        let is_past = self.started_ns.is_some_and(|started_ns| self.patience.is_past(now_ns - started_ns));
        let is_overdue = is_past && (self.blocks > 0 || self.has_run_all());
        self.out_of_time |= is_overdue;
        is_overdue
    }

    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure> {
        self.failures.count(landed, self.blocks, "blocks")?;
        if landed.sample.phase == Phase::Measured {
            self.block.push(landed.sample.clone());
        }
        if self.is_whole() {
            self.block_is_over();
        }
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        let stand = self.judge.progress();
        let known = self.known.1.map_or(String::new(), |known| {
            format!(
                ", known to within about {:.2} % (margin {} %)",
                100.0 * known,
                (1e8 * self.margin).round() / 1e6
            )
        });
        let words = format!("pair {}, next look at {}{known}", stand.pairs, stand.pairs_next_look);
        Some(Standing { share: self.share, words, blocks: self.blocks })
    }
}
