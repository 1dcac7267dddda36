//! A comparison that is measured in several sessions, each of which counts as one value.
//!
//! A session may affect only one of the programs. Such an effect is not part of the noise between the pairs of the
//! session, so no number of pairs shows it, and sessions are counted instead. The data are not looked at before the end
//! of the last session: the estimate of a session that ended because of its result would be biased away from zero.

use fauxplat_model::{Replication, SessionEffect, StoppedBy, Verdict};
use fauxplat_stats::describe::{mean, standard_deviation};
use fauxplat_stats::distribution::{t_two_sided_p, t_upper_quantile};
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted};
use fauxplat_stats::winsor::{Location, location};

use crate::contest::Contest;
use crate::judge::{Judge, Session, SessionCost};
use crate::standing::{Standing, bounded, verdict};

/// Minimum number of sessions from which an effect is estimated. Two sessions have one degree of freedom, with which
/// nothing can be shown.
pub(crate) const SESSIONS_MIN: usize = 3;

impl Judge {
    /// Announces that the blocks come in several sessions: the data are not looked at before the end of the last one,
    /// and then each session counts as one value.
    pub fn in_sessions(mut self) -> Self {
        self.sessions = Some(Vec::new());
        self
    }

    /// Ends a session; all further blocks belong to the next one.
    pub fn end_session(&mut self, cost: SessionCost) {
        let last_block = self.contests.iter().filter_map(|contest| contest.good.last().copied()).max();
        self.sessions.iter_mut().for_each(|sessions| sessions.push(Session { last_block, cost }));
        self.before = None;
    }

    /// Replaces the result over all pairs by the result over the sessions, for a measurement in several sessions.
    pub(crate) fn put_sessions(&mut self) {
        let level = self.rule.level / self.contests.len().max(1) as f64;
        let mut contests = std::mem::take(&mut self.contests);
        for contest in &mut contests {
            contest.decided = contest.decided.map(|pooled| self.over_sessions(contest, pooled, level));
        }
        self.contests = contests;
    }

    /// State of the comparison over the sessions, if it has enough of them; otherwise `pooled`, the state over all
    /// their pairs together.
    pub(crate) fn over_sessions(&self, contest: &Contest, pooled: Standing, level: f64) -> Standing {
        match self.over(contest, &pooled) {
            Some(over) => {
                contest.censored.limit(over.standing(pooled, contest.design.margin, level)).standing
            }
            None => pooled,
        }
    }

    /// The effects of the sessions, from the log ratios that decide. An effect is a median if no common shift explains
    /// the log ratios. `None` if there are too few sessions.
    fn over(&self, contest: &Contest, pooled: &Standing) -> Option<Over> {
        let end =
            |session: &Session| contest.kept.partition_point(|&block| Some(block) <= session.last_block);
        let d = contest.series.active(pooled.parted, contest.series.d.len());
        Over::of(d, pooled.leans, self.sessions.as_ref()?.iter().map(end))
    }

    /// Prediction for the next session from the sessions of a comparison; `None` if there are too few.
    pub(crate) fn replication(&self, contest: &Contest) -> Option<Replication> {
        let over = self.over(contest, contest.decided.as_ref()?)?;
        let pairs = self.pairs_per_block as usize;
        let session =
            |it: &Location| SessionEffect { effect_ratio: bounded(it.estimate).exp(), pairs: it.n * pairs };
        let half = over.half(self.rule.level) * (1.0 + over.count()).sqrt();
        Some(Replication {
            sessions: over.effects.iter().map(session).collect(),
            between_sd: over.between(),
            next_low_ratio: bounded(over.centre - half).exp(),
            next_high_ratio: bounded(over.centre + half).exp(),
            pairs_per_session: over.best_clusters(&self.costs()).map(|best| best * pairs),
        })
    }

    /// Log difference beyond the margin that as many sessions would show with a given probability, whose normal
    /// quantile is `z`; `None` if there are too few sessions.
    ///
    /// Student's t has to exceed its quantile *c*, and the standard deviation is itself estimated from few sessions:
    /// the shift is *c* (1 − 1/4f) + z √(1 + c²/2f) standard errors with *f* degrees of freedom (Johnson and Welch
    /// 1940, "Applications of the non-central t-distribution").
    pub(crate) fn found_over_sessions(
        &self,
        contest: &Contest,
        standing: &Standing,
        level: f64,
        z: f64,
    ) -> Option<f64> {
        let over = self.over(contest, standing)?;
        let df = over.count() - 1.0;
        let (critical, error) = (t_upper_quantile(level / 2.0, df), over.sd / over.count().sqrt());
        Some(error * (critical * (1.0 - 0.25 / df) + z * (1.0 + critical.powi(2) / (2.0 * df)).sqrt()))
    }

    fn costs(&self) -> Vec<SessionCost> {
        self.sessions.iter().flatten().map(|session| session.cost).collect()
    }

    /// Reason for which a comparison ended: its verdict, or `otherwise`. With several sessions it is never the verdict.
    pub(crate) fn ended_by(&self, standing: &Standing, otherwise: StoppedBy) -> StoppedBy {
        match self.sessions.is_none()
            && standing.is_answered(self.rule.gate.map(|gate| gate.side(self.rule.metric)))
        {
            true => StoppedBy::Verdict,
            false => otherwise,
        }
    }
}

struct Over {
    effects: Vec<Location>,
    centre: f64,
    /// Standard deviation of the effects, in log ratios, over the sessions.
    sd: f64,
}

impl Over {
    /// Summarises sessions from the log ratios of all clusters (blocks); `ends` has the number of clusters up to the
    /// end of each session. `None` if there are too few sessions.
    fn of(d: &[f64], leans: bool, ends: impl Iterator<Item = usize> + Clone) -> Option<Over> {
        let begins = std::iter::once(0).chain(ends.clone());
        let sessions = begins.zip(ends).filter_map(|(from, to)| d.get(from..to));
        let effect = |d: &[f64]| if leans { by_median(d) } else { location(d) };
        let effects: Vec<Location> = sessions.filter(|d| d.len() > 1).map(effect).collect();
        let centres: Vec<f64> = effects.iter().map(|it| it.estimate).collect();
        let enough = effects.len() >= SESSIONS_MIN;
        let centre = mean(&centres).filter(|_| enough)?;
        Some(Over { effects, centre, sd: standard_deviation(&centres) })
    }

    fn count(&self) -> f64 {
        self.effects.len() as f64
    }

    fn half(&self, level: f64) -> f64 {
        t_upper_quantile(level / 2.0, self.count() - 1.0) * self.sd / self.count().sqrt()
    }

    /// Combines the results over pairs and over sessions: the weaker of the two counts, since sessions that happen to
    /// be alike do not make a few pairs certain.
    fn standing(&self, pooled: Standing, margin: f64, level: f64) -> Standing {
        let half = self.half(level);
        let (low, high) = (pooled.low.min(self.centre - half), pooled.high.max(self.centre + half));
        let t = self.centre / (self.sd / self.count().sqrt());
        let p = if t.is_finite() { t_two_sided_p(t, self.count() - 1.0) } else { 0.0 };
        let p = p.max(pooled.p.unwrap_or(1.0)).min(1.0);
        let typical = verdict(low, high, margin, || p <= level);
        // Slow runs that were shown only relative to a typical difference mean nothing if that difference is not shown.
        let is_baseless = typical != Verdict::Different && pooled.tail_side != pooled.gate_side;
        let standing = Standing {
            estimate: self.centre,
            low: bounded(low),
            high: bounded(high),
            p: Some(p),
            typical,
            tail: if is_baseless { Verdict::Inconclusive } else { pooled.tail },
            ..pooled
        };
        standing.with_sides(margin).concluded(true)
    }

    /// Mean over the sessions of the squared standard error within a session.
    fn within(&self) -> f64 {
        mean(&self.effects.iter().map(|it| it.se.powi(2)).collect::<Vec<_>>()).unwrap_or(0.0)
    }

    /// Standard deviation of the effect between sessions beyond the error within them.
    fn between(&self) -> f64 {
        (self.sd.powi(2) - self.within()).max(0.0).sqrt()
    }

    /// Number of clusters per session that gives the most information in a given time (Kalibera and Jones 2013): √(cost
    /// of a session / cost of a cluster · variance of a cluster / variance between sessions). `None` if sessions do not
    /// differ.
    fn best_clusters(&self, costs: &[SessionCost]) -> Option<usize> {
        let clusters: usize = self.effects.iter().map(|it| it.n).sum();
        let per_cluster =
            self.effects.iter().map(|it| it.se.powi(2) * it.n as f64).sum::<f64>() / self.count();
        let sum = |of: fn(&SessionCost) -> f64| costs.iter().map(of).sum::<f64>();
        // A session with too few clusters for an effect still has a cost.
        let outside_s = sum(|it| it.outside_s) / costs.len() as f64;
        let cost = outside_s / (sum(|it| it.pairs_s) / clusters as f64);
        let best = (cost * per_cluster).sqrt() / self.between();
        best.is_finite().then(|| best.round().max(2.0) as usize)
    }
}

/// Median of the log ratios of a session. Its standard error is half the width of the interval whose ranks are one
/// standard error around the median.
fn by_median(d: &[f64]) -> Location {
    let sorted = Sorted::new(d);
    let shift = Shift::new(&sorted, Question::Typical);
    let (low, high) = shift.by_signs(1.0);
    let se = 0.5 * (high - low);
    let plain = location(d);
    Location { estimate: shift.median(), se: if se.is_finite() { se } else { plain.se }, ..plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(effects: &[(usize, f64, f64)]) -> Over {
        let of = |&(n, estimate, se): &(usize, f64, f64)| Location {
            n,
            estimate,
            se,
            df: n as f64 - 1.0,
            clipped: 0,
        };
        let effects: Vec<Location> = effects.iter().map(of).collect();
        let centres: Vec<f64> = effects.iter().map(|it| it.estimate).collect();
        Over { centre: mean(&centres).unwrap(), sd: standard_deviation(&centres), effects }
    }

    #[test]
    fn the_best_split_follows_the_costs_and_the_variances() {
        // The standard deviation of a pair's log ratio is 0.02, that between sessions 0.01; a session costs as much as
        // a hundred pairs.
        let alike = [(100, 0.05, 0.002), (100, 0.06, 0.002), (100, 0.07, 0.002)];
        let cost = SessionCost { pairs_s: 10.0, outside_s: 10.0 };
        let best = over(&alike).best_clusters(&[cost; 3]).unwrap();
        assert!((19..=21).contains(&best), "{best}");
        let dear = SessionCost { outside_s: 1000.0, ..cost };
        assert!(over(&alike).best_clusters(&[dear; 3]).unwrap() > 9 * best);
        let with_short = [&[cost; 3][..], &[SessionCost { pairs_s: 0.0, outside_s: 10.0 }; 6]].concat();
        assert_eq!(over(&alike).best_clusters(&with_short), Some(best), "six sessions without an effect");
        // If sessions differ by no more than the error within them, there is no best number of clusters.
        let same = [(100, 0.05, 0.002), (100, 0.0501, 0.002), (100, 0.0499, 0.002)];
        assert_eq!(over(&same).best_clusters(&[cost; 3]), None);
    }

    #[test]
    fn sessions_that_happen_to_be_alike_do_not_make_few_pairs_certain() {
        let same = over(&[(6, 0.05, 0.03), (6, 0.05, 0.03), (6, 0.05, 0.03)]);
        let pooled = Standing { low: -0.02, high: 0.12, p: Some(0.2), ..Standing::open(18) };
        let standing = same.standing(pooled, 0.01, 0.01);
        assert_eq!((standing.verdict, standing.low), (Verdict::Inconclusive, -0.02));
    }
}
