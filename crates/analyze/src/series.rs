//! The log ratios of one comparison in the order of the blocks, and the decision rule at its looks at the data (interim
//! analyses). A block is also called a cluster, the unit of analysis.

use fauxplat_model::{Estimand, Verdict};
use fauxplat_stats::distribution::clopper_pearson_lower;
use fauxplat_stats::eprocess::EProcess;
use fauxplat_stats::paired::carried::Carried;
use fauxplat_stats::paired::path::Keys;
use fauxplat_stats::paired::rises::{Rises, Source, source};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::share::{ExcessShare, threshold_of};
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted};

use crate::design::Design;
use crate::estimate::{Estimate, plain_z};
use crate::halves::Halves;
use crate::pairing::{Rise, Seen};
use crate::paths::Paths;
use crate::standing::{Standing, bounded, verdict};

/// Share of the error level for the test of typical runs; the tests of slow runs and of the mean get the rest.
pub(crate) const TYPICAL_SHARE: f64 = 0.8;

/// The critical values over all patterns of signs are computed only if the observed test statistic is at most this far
/// (in z) below the plain normal bound. Skipping the computation can only prevent a rejection, which is safe.
pub(crate) const FAR: f64 = 0.6;

/// The log ratios of one comparison, one or more per cluster, with the looks at the data taken so far.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// Log ratio B over A of each cluster that was not dropped: the mean over its pairs.
    pub(crate) d: Vec<f64>,
    /// Log ratio of each pair. The random order of the commands is common to all pairs of a cluster.
    pub(crate) pairs: Vec<f64>,
    /// Number of pairs in a cluster; 1 if a cluster counts as a single pair.
    pub(crate) group: usize,
    /// For each cluster in which commands ran twice in a row, the log ratio of the runs that follow their own command.
    pub(crate) after_itself: Vec<f64>,
    /// For each cluster in which commands ran twice in a row, the log ratio of the second runs, which follow their own
    /// command, minus that of the first runs.
    pub(crate) carried: Vec<f64>,
    /// Changes from the first to the second of two successive runs of a command, with the index of the cluster.
    pub(crate) rises: Vec<(usize, Rise)>,
    /// For each cluster in which commands ran twice in a row, the mean absolute log ratio of two successive runs of B
    /// minus that of A.
    pub(crate) apart: Vec<f64>,
    /// For each cluster in which commands ran twice in a row, the mean absolute log ratio of two successive runs of a
    /// command, over A and B.
    pub(crate) apart_usual: Vec<f64>,
    pub(crate) readings: Vec<(f64, f64)>,
    pub(crate) excess: ExcessShare,
    /// Numbers of clusters at the looks at the data so far, in ascending order.
    pub(crate) looked: Vec<u32>,
    /// Start of the first cluster in nanoseconds.
    began_ns: Option<u64>,
    /// Cached courses of the test statistics over the looks at the data: of the tests whether the log ratio is zero
    /// (`zero`) or an end of the margin (`ends`), of the test of the largest differences (`rare`), and of the test of
    /// the spread.
    pub(crate) zero: Paths,
    pub(crate) ends: [Paths; 2],
    pub(crate) rare: Paths,
    pub(crate) spread: Paths,
    /// Anytime-valid tests (e-processes) of all log ratios and of those of runs that follow their own command; `None`
    /// unless such a test decides.
    pub(crate) evidence: Option<[EProcess; 2]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Number of clusters seen.
    pub(crate) n: usize,
    /// Whether this is the last look at the data, which may spend the whole remaining error level.
    pub(crate) closing: bool,
    pub(crate) level: f64,
}

/// The log ratios at one look at the data: of all runs (`all`), and of the runs that follow a run of the same command
/// (`own`); with the carry-over, which is the difference between those and the runs that follow another command.
pub(crate) struct View {
    all: Sorted,
    own: Option<Sorted>,
    carried: Carried,
}

impl View {
    /// The log ratios that decide: of runs that follow their own command, if these differ from runs that follow another
    /// command; otherwise of all runs.
    pub(crate) fn active(&self) -> &Sorted {
        self.own.as_ref().filter(|_| self.carried.is_parted()).unwrap_or(&self.all)
    }

    /// Whether only log ratios of runs that follow their own command decide.
    pub(crate) fn is_parted(&self) -> bool {
        self.own.is_some() && self.carried.is_parted()
    }

    /// Further log ratios, whose test statistic has to support the deciding one, and by how much it may be smaller. If
    /// all log ratios decide, the further ones are those of runs that follow their own command. If only these decide
    /// and the reason of their difference is unclear, the further ones are all log ratios. `None` if no support is
    /// needed.
    pub(crate) fn backing(&self) -> Option<(&Sorted, f64)> {
        match self.is_unclear() {
            true => Some((&self.all, 0.0)),
            false => Some((self.own.as_ref()?, self.carried.slack()?)),
        }
    }

    /// Whether the first and second of two successive runs differ, unless the command that ran before is the clear
    /// reason.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.parting().is_some_and(|source| source != Source::Another)
    }

    /// Whether only log ratios of runs that follow their own command decide, for an unclear reason.
    pub(crate) fn is_unclear(&self) -> bool {
        self.is_parted() && self.carried.parting() == Some(Source::Unclear)
    }

    /// The reason why runs that follow their own command differ from runs that follow another command; `None` if they
    /// do not differ.
    pub(crate) fn parting(&self) -> Option<Source> {
        self.carried.parting()
    }

    fn keys(&self, rows: &Rows, theta: f64, question: Question) -> Keys {
        match &self.own {
            Some(own) => Keys::after_itself(rows, [&self.all, own], &self.carried, theta, question),
            None => Keys::of(rows, &self.all, theta, question),
        }
    }
}

impl Series {
    pub(crate) fn new(design: &Design) -> Self {
        Series {
            d: Vec::new(),
            pairs: Vec::new(),
            group: 1,
            after_itself: Vec::new(),
            carried: Vec::new(),
            rises: Vec::new(),
            apart: Vec::new(),
            apart_usual: Vec::new(),
            readings: Vec::new(),
            excess: ExcessShare::new(2.0 * design.margin, design.tail_margin),
            looked: Vec::new(),
            began_ns: None,
            zero: Paths::default(),
            ends: Default::default(),
            rare: Paths::default(),
            spread: Paths::default(),
            evidence: design.anytime.then(|| [(); 2].map(|()| EProcess::new(design.margin.max(1e-4)))),
        }
    }

    /// Adds one more cluster; returns whether the data are to be looked at now.
    pub(crate) fn push(&mut self, seen: &Seen, design: &Design) -> bool {
        self.d.push(seen.log_ratio);
        let whole = [seen.log_ratio];
        // A layout counts as one value, whatever its number of pairs; so does a cluster whose order of runs makes
        // effects of the position cancel in its mean.
        let is_split = seen.twice.is_some() && design.question != Question::Mean;
        let values: &[f64] = if is_split { &seen.log_ratios } else { &whole };
        self.group = values.len();
        self.pairs.extend(values);
        if let Some(twice) = seen.twice {
            self.after_itself.push(twice.after_itself);
            self.carried.push(twice.after_itself - twice.after_another);
            self.apart.push(twice.apart[1] - twice.apart[0]);
            self.apart_usual.push(0.5 * (twice.apart[1] + twice.apart[0]));
        }
        let cluster = self.d.len() - 1;
        self.rises.extend(seen.rises.iter().map(|&rise| (cluster, rise)));
        self.readings.extend(&seen.readings);
        values.iter().for_each(|&d| self.excess.push(d));
        let own = seen.twice.map_or(seen.log_ratio, |twice| twice.after_itself);
        if let Some([of_all, of_own]) = &mut self.evidence {
            of_all.push(seen.log_ratio);
            of_own.push(own);
        }
        let began_ns = *self.began_ns.get_or_insert(seen.began_ns);
        let span_s = seen.ended_ns.saturating_sub(began_ns) as f64 / 1e9;
        let n = self.d.len() as u32;
        let is_last = design.looks.last() == Some(&n);
        let look = design.looks.contains(&n) && (is_last || span_s >= design.least_span_s);
        if look {
            self.looked.push(n);
        }
        look || design.anytime && span_s >= design.least_span_s
    }

    pub(crate) fn is_twice(&self) -> bool {
        !self.d.is_empty() && self.after_itself.len() == self.d.len()
    }

    pub(crate) fn view(&self, n: usize) -> View {
        let all = Sorted::grouped(&self.pairs[..n * self.group], self.group as u32);
        match self.is_twice() {
            true => View {
                all,
                own: Some(Sorted::new(&self.after_itself[..n])),
                carried: Carried::of(&self.carried[..n]).from(|| self.source(n)),
            },
            false => View { all, own: None, carried: Carried::default() },
        }
    }

    /// The reason of the difference between first and second runs in the first `n` clusters.
    fn source(&self, n: usize) -> Source {
        let mut commands = [Rises::default(), Rises::default()];
        for (_, rise) in self.rises.iter().take_while(|(cluster, _)| *cluster < n) {
            let of = &mut commands[usize::from(rise.is_b)];
            if rise.follows_itself { &mut of.after_itself } else { &mut of.after_another }
                .push(rise.log_ratio);
        }
        source(&commands)
    }

    pub(crate) fn keys(&self, rows: &Rows, theta: f64, question: Question) -> impl Fn(usize) -> Keys {
        move |n: usize| self.view(n).keys(rows, theta, question)
    }

    /// State of the comparison at the latest look at the data, tested at an error level. With `closing` this is the
    /// last look: clusters since the last scheduled look are used too, and the whole remaining level is spent.
    pub(crate) fn standing(&mut self, rows: &Rows, design: &Design, level: f64, closing: bool) -> Standing {
        if let Some(evidence) = &self.evidence {
            return self.anytime(evidence, design, level, closing);
        }
        let n = self.d.len() as u32;
        if closing && n > 0 && self.looked.last() != Some(&n) {
            self.looked.push(n);
        }
        let n = self.looked.last().map_or(0, |&look| look as usize);
        let look = Look { n, closing: closing || design.looks.last() == Some(&(n as u32)), level };
        let main = match design.estimand {
            Estimand::Typical => self.typical(rows, design, look, closing),
            Estimand::Mean => self.by_mean(rows, design, look),
        };
        // The test whether the interval lies within the margin does not compute its ends. The reported interval may be
        // wider, if successive log ratios are correlated or have no common location, and has to lie within the margin
        // too, so its ends are computed here.
        let is_shown =
            design.estimand == Estimand::Typical && main.typical == Verdict::Equivalent && !closing;
        let main = if is_shown { self.typical(rows, design, look, true) } else { main };
        let main = Standing { level, margin: design.margin, estimand: design.estimand, ..main };
        let main = match design.estimand {
            Estimand::Typical => self.in_both_places(main, design, look.level),
            Estimand::Mean => main,
        };
        let is_asked = match main.typical {
            Verdict::Equivalent => true,
            // Drift of the machine, which `in_runs` shows, changes the largest differences as well.
            Verdict::Inconclusive => closing && !main.in_runs,
            Verdict::Different => false,
        };
        let standing = if is_asked { self.rare(main, rows, design, look) } else { main };
        let standing = standing.concluded(closing);
        let is_open = standing.verdict == Verdict::Inconclusive && standing.typical == Verdict::Inconclusive;
        // The other figures are not needed while the comparison continues.
        if !closing && is_open && design.gate.is_none() {
            return standing;
        }
        let known = Standing { mean: standing.mean.or_else(|| self.mean(n, level)), ..standing };
        let known = match design.estimand {
            Estimand::Typical => self.told_apart(known, rows, design, look),
            Estimand::Mean => self.with_typical(known, rows, design, look),
        };
        // With carry-over, the first of two successive runs differs from the second, which would look like spread.
        let is_apart = design.question != Question::Mean
            && known.spread.is_none()
            && !known.parted
            && !known.is_in_doubt;
        let spread = if is_apart { self.spread_of(rows, design, look) } else { known.spread };
        self.steady(Standing { spread, ..known }, look)
    }

    /// Adds the estimate and interval of the typical pair to a comparison that is decided by the mean.
    fn with_typical(&mut self, standing: Standing, rows: &Rows, design: &Design, look: Look) -> Standing {
        // The cache `zero` belongs to the test of the mean, and the test of the typical pair needs another one.
        let of_mean = std::mem::take(&mut self.zero);
        let typical = self.typical(rows, design, look, true);
        self.zero = of_mean;
        Standing { beside: Some([typical.estimate, typical.low, typical.high]), ..standing }
    }

    /// Turns conclusions into *inconclusive* if the early and the late half of the session do not agree on them.
    fn steady(&self, standing: Standing, look: Look) -> Standing {
        let Some(halves) = Halves::of(self.active(standing.parted, look.n), look.level) else {
            return standing;
        };
        let is_rare = standing.typical != Verdict::Different && standing.verdict == Verdict::Different;
        match is_rare.then(|| self.rare_in_one_half(look)).flatten() {
            Some(counts) => Standing { tail_halves: Some(counts), ..standing.withheld() },
            None => halves.steady(standing),
        }
    }

    /// Numbers of large differences in the early and in the late half of the session, if one half contains
    /// significantly more than half of them.
    fn rare_in_one_half(&self, look: Look) -> Option<[usize; 2]> {
        let seen = &self.pairs[..look.n * self.group];
        let least = threshold_of(seen, self.excess.least());
        let large = |half: &[f64]| half.iter().filter(|d| d.abs() > least).count();
        let (early, late) = seen.split_at(seen.len() / 2);
        let (early, late) = (large(early), large(late));
        let most = early.max(late);
        let is_one = most > 0 && clopper_pearson_lower(most, early + late, 1.0 - look.level / 2.0) > 0.5;
        is_one.then_some([early, late])
    }

    /// Half width of a plain interval of the log ratio at the latest look at the data: the precision, which does not
    /// reveal the difference. Infinite while an end of the interval is unbounded.
    pub(crate) fn half_width(&self, design: &Design, level: f64) -> f64 {
        let view = self.view(self.looked.last().map_or(0, |&look| look as usize));
        let (low, high) = Shift::new(view.active(), design.question).interval(plain_z(level), &[]);
        let half = 0.5 * (high - low);
        if half.is_nan() { f64::INFINITY } else { half }
    }

    /// State of the comparison by an anytime-valid test (e-process) of all log ratios or, if runs that follow their own
    /// command differ from the other runs, of their log ratios only. Either test may decide, so each has half of the
    /// error level.
    fn anytime(&self, both: &[EProcess; 2], design: &Design, level: f64, closing: bool) -> Standing {
        let parted = self.is_twice() && self.view(self.d.len()).is_parted();
        let (evidence, part) = (&both[usize::from(parted)], if self.is_twice() { 0.5 } else { 1.0 });
        let d = self.active(parted, self.d.len());
        let estimate = Estimate::of(d);
        let sorted = Sorted::new(d);
        let shift = Shift::new(&sorted, design.question);
        let leans = design.question == Question::Typical && shift.leans(estimate.centre);
        let centre = if leans { shift.median() } else { estimate.centre };
        let (low, high) = evidence.interval(part * level);
        let (first, last, of_median) = match leans {
            true => evidence.median_interval(part * level),
            false => (low, high, 0.0),
        };
        let (low, high) = (low.min(first).min(centre), high.max(last).max(centre));
        let p = (evidence.p_value().max(of_median) / part).min(1.0);
        // The values that are not excluded can have a gap between zero and the differences; an interval has none.
        let (low, high) = if p > level { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        let typical = verdict(low, high, design.margin, || p <= level);
        let is_equal = typical == Verdict::Equivalent && self.excess.excludes(design.tail_margin, level);
        let standing = Standing {
            estimate: centre,
            se: estimate.se,
            low: bounded(low),
            high: bounded(high),
            p: Some(p),
            in_runs: estimate.in_runs,
            parted,
            leans,
            typical,
            tail: if is_equal { Verdict::Equivalent } else { Verdict::Inconclusive },
            level,
            margin: design.margin,
            ..Standing::open(self.d.len())
        };
        let standing = self.in_both_places(standing.with_sides(design.margin), design, level);
        let mean =
            (closing || typical != Verdict::Inconclusive).then(|| self.mean(self.d.len(), level)).flatten();
        let whole = self.bounded_as_whole(Standing { mean, ..standing }, design, None).concluded(closing);
        self.steady(whole, Look { n: self.d.len(), closing, level })
    }
}

impl Design {
    /// Question of the test whether the log ratio is zero: for a single layout, whether anything differs; over layouts,
    /// whether the mean differs.
    pub(crate) fn asked_of_zero(&self) -> Question {
        if self.question == Question::Mean { Question::Mean } else { Question::Any }
    }
}
