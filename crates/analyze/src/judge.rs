//! The judge: receives finished blocks, tests after some of them (a look at the data) whether a comparison can stop,
//! and returns its findings at the end.

use fauxplat_model::{
    CompareFindings, DifferenceIn, Extent, GateState, Margin, Rule, Sample, Scope, StoppedBy, Verdict,
};

use fauxplat_stats::paired::Question;
use fauxplat_stats::paired::rows::Rows;

use crate::censored::{self, Censored, Limited};
use crate::contest::Contest;
use crate::design::Design;
use crate::exact::Exact;
use crate::guard::Guard;
use crate::level::Level;
use crate::pairing::{Pair, Seen};
use crate::series::Series;

/// Maximum number of blocks of any comparison.
pub(crate) const BLOCKS_MAX: u32 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    GoOn,
    /// Every comparison is decided, or the limit of pairs is reached.
    Stop,
}

/// State of a comparison, for a progress line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Pairs measured so far, dropped ones included.
    pub pairs: u32,
    /// Number of pairs at the next look at the data.
    pub pairs_next_look: u32,
    pub pairs_max: u32,
    /// Number of comparisons with a verdict, over all metrics.
    pub decided: usize,
    /// Number of comparisons of the other commands with the first one, over all metrics.
    pub comparisons: usize,
}

/// State of one comparison at its latest look at the data, without the figures that only the full report needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    pub verdict: Verdict,
    /// Whether an *equivalent* holds for typical runs only or as a whole; `None` for another verdict.
    pub extent: Option<Extent>,
    /// Whether a *different* lies in slow runs, at least in part.
    pub in_tail: bool,
    /// Number of pairs on which the verdict rests.
    pub pairs: usize,
    /// Number of pairs after which it was known whether typical runs differ.
    pub pairs_typical: usize,
    /// Ratio B over A of typical runs.
    pub effect_ratio: f64,
    /// Lower end of the interval of `effect_ratio`, which holds at all looks at the data together.
    pub ci_low_ratio: f64,
    pub ci_high_ratio: f64,
    /// Ratio of the means, its lower and upper end, and the cap as a multiple of the typical reading.
    pub mean: Option<[f64; 4]>,
    /// Answer of the gate so far: beyond, within or undecided; `None` without a gate.
    pub gate: Option<GateState>,
    /// Whether only runs that follow a run of the same command decide, since runs that follow another command differ
    /// from them (carry-over).
    pub parted: bool,
    /// Whether the differences of the pairs are not explained by one common ratio (a mixture).
    pub leans: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The findings without `floor_ns`, which the caller measures and adds.
    pub findings: CompareFindings,
    /// Warnings about the findings, one sentence each.
    pub warnings: Vec<String>,
}

/// Duration of one of several sessions, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SessionCost {
    /// Time in which pairs were measured.
    pub pairs_s: f64,
    /// Time of everything else: the pause before the session, the setup, the warm-up.
    pub outside_s: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    /// Number of the last block of this or an earlier session whose pair was not dropped; `None` if every pair was.
    pub(crate) last_block: Option<u32>,
    pub(crate) cost: SessionCost,
}

/// Decides, while measurement goes on, how each of several commands compares with the first, in one metric or several.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(crate) rule: Rule,
    pub(crate) seed: u64,
    pub(crate) scope: Scope,
    pub(crate) ignore_failure: bool,
    pub(crate) single_task: bool,
    has_quota: bool,
    pub(crate) commands: usize,
    /// Comparisons of the other commands with the first: all comparisons in the first metric, in the order of the
    /// commands, then those in the next metric.
    pub(crate) contests: Vec<Contest>,
    /// Number of pairs in each block, known from the first block on.
    pub(crate) pairs_per_block: u32,
    blocks: u32,
    /// Command of the last run of the block before; `None` before the first block.
    pub(crate) before: Option<u16>,
    /// Number of blocks that fit into the time limit; `None` if the limit of pairs allows as many.
    horizon: Option<u32>,
    question: Question,
    /// Random patterns of signs of the blocks, which all comparisons share.
    pub(crate) rows: Rows,
    /// The finished sessions of several; `None` for a single session. The data are not looked at before the end of the
    /// last session.
    pub(crate) sessions: Option<Vec<Session>>,
    /// Counts so far, if the metrics are counts of a simulator, which may repeat exactly.
    pub(crate) exact: Option<Exact>,
}

impl Judge {
    /// A judge of at least two `commands`. The error level of the rule is clamped to 0.000001 … 0.5.
    pub fn new(rule: &Rule, commands: usize, seed: u64) -> Self {
        let rule = Rule { level: rule.level.clamp(1e-6, 0.5), ..rule.clone() };
        let contests = commands.saturating_sub(1) * rule.decided().len() + usize::from(commands > 2);
        Judge {
            rows: Rows::new(contests, rule.level, seed),
            contests: Vec::new(),
            rule,
            seed,
            scope: Scope::Binaries,
            ignore_failure: false,
            single_task: false,
            has_quota: false,
            commands,
            pairs_per_block: 1,
            blocks: 0,
            before: None,
            horizon: None,
            question: Question::Typical,
            sessions: None,
            exact: None,
        }
    }

    /// Sets whether the verdict is about these binaries or about their source.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// States whether every block has another layout of the programs. The question is then about the mean over layouts,
    /// and no layout is treated as an outlier.
    pub fn layouts(mut self, redrawn: bool) -> Self {
        self.question = if redrawn { Question::Mean } else { Question::Typical };
        self
    }

    /// Sets the number of blocks that fit into the time limit; used if it exceeds the limit of pairs. The number must
    /// not depend on which command was faster, and is ignored after the first look at the data.
    pub fn horizon(&mut self, blocks: u32) {
        let nothing_seen = self.contests.iter().all(|contest| contest.series.looked.is_empty());
        if nothing_seen && self.sessions.is_none() {
            self.horizon = Some(blocks.min(BLOCKS_MAX));
            let contests = std::mem::take(&mut self.contests);
            let anew = |contest: Contest| {
                let design = self.design(contest.design.seed, 0.0);
                let (margin, gate) = (contest.design.margin, contest.design.gate);
                Contest { design: Design { margin, gate, ..design }, ..contest }
            };
            self.contests = contests.into_iter().map(anew).collect();
        }
    }

    /// Whether typical runs are decided in every comparison, so that only rare slow runs are still open.
    pub fn is_typical_known(&self) -> bool {
        let known = |contest: &Contest| !contest.is_open() || contest.typical_at.is_some();
        !self.contests.is_empty() && self.contests.iter().all(known)
    }

    /// States whether every command is one process with one thread that stays on one CPU. Pairs in which other programs
    /// kept it waiting are then dropped.
    pub fn single_task(mut self, single: bool) -> Self {
        self.single_task = single;
        self
    }

    /// States whether the commands run under a CPU quota of their own. Pairs are then not dropped for waiting, since
    /// the quota makes the commands wait, and not other programs.
    pub fn quota(mut self, has_quota: bool) -> Self {
        self.has_quota = has_quota;
        self
    }

    pub fn ignore_failure(mut self, ignore: bool) -> Self {
        self.ignore_failure = ignore;
        self
    }

    /// Adds the samples of one finished block, which has each command once or several times, and decides whether to
    /// stop. Runs that are not measured are skipped.
    pub fn block(&mut self, samples: &[Sample]) -> Decision {
        self.take(samples, false)
    }

    /// Adds a block during which the control group was throttled; its pairs are dropped.
    pub fn throttled_block(&mut self, samples: &[Sample]) -> Decision {
        self.take(samples, true)
    }

    pub fn decision(&self) -> Decision {
        let decided = !self.contests.is_empty() && !self.contests.iter().any(Contest::is_open);
        let limit = self.blocks >= self.blocks_max();
        if decided || limit || self.is_exact() || self.is_hopeless(self.blocks) {
            Decision::Stop
        } else {
            Decision::GoOn
        }
    }

    /// Why no more blocks are needed: a verdict in every comparison, or the limit of pairs.
    pub fn stopped_by(&self) -> StoppedBy {
        let is_decided = !self.contests.is_empty() && self.contests.iter().all(Contest::has_verdict);
        match self.is_exact() || is_decided {
            true => StoppedBy::Verdict,
            false => StoppedBy::MaxPairs,
        }
    }

    pub fn progress(&self) -> Progress {
        let next = self.contests.iter().filter(|contest| contest.is_open()).filter_map(Contest::to_next_look);
        Progress {
            pairs: self.blocks * self.pairs_per_block,
            pairs_next_look: (self.blocks + next.min().unwrap_or(0)).min(self.blocks_max())
                * self.pairs_per_block,
            pairs_max: self.blocks_max() * self.pairs_per_block,
            decided: self.contests.iter().filter(|contest| contest.has_verdict()).count(),
            comparisons: self.commands.saturating_sub(1) * self.rule.decided().len(),
        }
    }

    /// Half width of the widest interval among the open comparisons at their latest look at the data, as a ratio minus
    /// one: a measure of progress that does not show which command leads. `None` while an interval is unbounded or
    /// nothing is open.
    pub fn precision(&self) -> Option<f64> {
        let level = self.open_level();
        let open = self.contests.iter().filter(|contest| contest.is_open());
        let widest =
            open.map(|contest| contest.series.half_width(&contest.design, level)).reduce(f64::max)?;
        widest.is_finite().then(|| widest.exp_m1())
    }

    /// State of the comparison of command `candidate` with command 0 in the first metric; `None` before the first
    /// block.
    pub fn stand(&self, candidate: usize) -> Option<Stand> {
        let contest = self.contests.get(candidate.checked_sub(1)?)?;
        let now = || contest.series.clone().standing(&self.rows, &contest.design, self.open_level(), false);
        let standing = contest.decided.unwrap_or_else(|| contest.censored.limit(now()).standing);
        Some(Stand {
            verdict: standing.verdict,
            extent: standing.extent(),
            in_tail: standing.difference_in().contains(&DifferenceIn::Tail),
            pairs: standing.n * self.pairs_per_block as usize,
            pairs_typical: contest.typical_at.unwrap_or(standing.n) * self.pairs_per_block as usize,
            effect_ratio: standing.estimate.exp(),
            ci_low_ratio: standing.low.exp(),
            ci_high_ratio: standing.high.exp(),
            mean: standing.mean.map(|mean| [mean.ratio, mean.low, mean.high, mean.cap]),
            gate: contest.design.gate.map(|gate| standing.state(gate)),
            parted: standing.parted,
            leans: standing.leans,
        })
    }

    pub(crate) fn close(&mut self) {
        self.begin(1);
        self.contests.iter_mut().for_each(Contest::settle_margin);
        self.decide(true);
    }

    pub(crate) fn closed(&self) -> Judge {
        let mut closed = self.clone();
        closed.close();
        let (rows, mut contests) = (closed.rows.clone(), std::mem::take(&mut closed.contests));
        contests.iter_mut().for_each(|contest| contest.put_p_value(&rows));
        closed.contests = contests;
        closed.put_sessions();
        closed
    }

    fn blocks_max(&self) -> u32 {
        if self.sessions.is_some() {
            return BLOCKS_MAX;
        }
        (self.rule.max_pairs / self.pairs_per_block).max(self.horizon.unwrap_or(0)).max(1)
    }

    pub(crate) fn blocks_to_come(&self) -> usize {
        self.blocks_max() as usize
    }

    fn design(&self, seed: u64, margin: f64) -> Design {
        let design = Design::new(&self.rule, margin, seed, self.blocks_max(), self.question);
        let last = || design.looks.last().copied().into_iter().collect();
        let looks = if self.sessions.is_some() { last() } else { design.looks.clone() };
        Design { looks, ..design }
    }

    fn take(&mut self, samples: &[Sample], throttled: bool) -> Decision {
        let block: Vec<&Sample> = crate::pairing::blocks(samples).concat();
        self.begin(Pair::of(&block, 0, 1).pairs().max(1) as u32);
        self.blocks += 1;
        if let Some(exact) = &mut self.exact {
            exact.take(samples, self.ignore_failure);
        }
        let (ignore, limit) = (self.ignore_failure, self.blocks >= self.blocks_max());
        let last = block.iter().max_by_key(|run| run.position).map(|run| run.command);
        let before = std::mem::replace(&mut self.before, last);
        let mut look = false;
        for contest in &mut self.contests {
            let pair = Pair::of(&block, contest.reference, contest.candidate);
            let is_open = contest.is_open();
            let dropped = contest.guard.judge(&pair, contest.metric, (ignore, throttled), is_open);
            let (None, Some(seen), Some(run)) =
                (dropped, censored::seen(&pair, contest.metric), block.first())
            else {
                continue;
            };
            contest.good.push(run.block);
            if is_open {
                contest.censored.note(&pair, contest.metric);
                let rises = pair.rises(&block, before, contest.metric);
                look |= contest.push(&Seen { rises, ..seen });
                contest.kept.push(run.block);
            }
        }
        if limit {
            self.contests.iter_mut().for_each(Contest::settle_margin);
        }
        if look || limit {
            self.decide(limit);
        }
        self.decision()
    }

    /// Sets up one contest per metric and candidate, once the first block shows the number of pairs per block.
    fn begin(&mut self, pairs_per_block: u32) {
        if !self.contests.is_empty() {
            return;
        }
        self.pairs_per_block = pairs_per_block;
        let of_metric = |metric| (1..self.commands as u16).map(move |candidate| (metric, candidate));
        let contests = (0..self.rule.decided().len()).flat_map(of_metric);
        self.contests = contests.map(|(metric, candidate)| self.contest(metric, 0, candidate)).collect();
    }

    /// A new contest in a metric, which is given by its index in the rule's list of deciding metrics.
    pub(crate) fn contest(&self, metric: usize, reference: u16, candidate: u16) -> Contest {
        let stream = (metric as u64) << 32 | u64::from(reference) << 16 | u64::from(candidate);
        let seed = self.seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (metric, margin) = self.rule.decided()[metric];
        let (ratio, level) = match margin {
            Margin::Ratio(ratio) => (ratio, None),
            Margin::Absolute(_) => (self.rule.margin, Some(Level::default())),
        };
        let gate = self.rule.gate.map(|gate| gate.side(metric));
        let design = Design { gate, ..self.design(seed, ratio) };
        let series = Series::new(&design);
        Contest {
            reference,
            candidate,
            metric,
            margin,
            level,
            design,
            series,
            guard: Guard::new(self.single_task && !self.has_quota),
            kept: Vec::new(),
            good: Vec::new(),
            typical_at: None,
            censored: Censored::default(),
            decided: None,
            rejected_at: None,
            leaning: false,
        }
    }

    /// Tests all open contests, and ends the ones that are answered; with `closing`, all of them.
    ///
    /// The levels follow Holm's procedure in a group-sequential design: a contest that is called *different* frees its
    /// share of the level for the contests that are still open, which are then looked at again (Maurer and Bretz 2013,
    /// "Multiple testing in group sequential trials using graphical approaches"). Equivalence frees nothing.
    fn decide(&mut self, closing: bool) {
        let columns = self.contests.iter().map(|contest| contest.series.d.len()).max();
        self.rows.grow(columns.unwrap_or(0));
        loop {
            let (level, rows) = (self.open_level(), &self.rows);
            let open = self.contests.iter_mut().filter(|contest| contest.is_open());
            let mut stands: Vec<(&mut Contest, Limited)> = open
                .map(|contest| {
                    let level = contest.rejected_at.unwrap_or(level);
                    let standing = contest.series.standing(rows, &contest.design, level, closing);
                    let limited = contest.censored.limit(contest.withheld(standing));
                    (contest, limited)
                })
                .collect();
            let is_new = |(contest, limited): &(&mut Contest, Limited)| {
                contest.rejected_at.is_none() && limited.standing.verdict == Verdict::Different
            };
            match stands.iter().position(is_new) {
                Some(found) => {
                    let (contest, Limited { standing, .. }) = &mut stands[found];
                    contest.rejected_at = Some(level);
                    let is_over = closing || standing.is_answered(contest.design.gate);
                    contest.decided = is_over.then_some(*standing);
                }
                None => {
                    return stands.into_iter().for_each(|(contest, limited)| {
                        contest.note(limited.standing, closing || limited.is_hopeless);
                    });
                }
            }
        }
    }

    /// Error level of each contest that has not been called *different*. With more than two commands, the comparison of
    /// the fastest command with the runner-up is one further hypothesis.
    pub(crate) fn open_level(&self) -> f64 {
        let rejected = self.contests.iter().filter(|contest| contest.rejected_at.is_some()).count();
        let winner = usize::from(self.commands > 2);
        self.rule.level / (self.contests.len() + winner - rejected).max(1) as f64
    }
}
