//! The metrics that decide a comparison by a rule, and the margin of each.

use std::fmt;
use std::str::FromStr;

use fauxplat_units::{Bytes, Nanos};

use crate::{AlsoDecided, Metric, Rule, Sessions, Unit};

/// The largest difference in a metric that still counts as no difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// A share of the reading, for instance 0.01 for 1 %.
    Ratio(f64),
    /// An amount in the unit in which the metric is stored.
    Absolute(f64),
}

impl Margin {
    /// The margin as a ratio and as an amount, of which one is `None`, for the fields `margin` and `margin_absolute`.
    fn fields(self) -> (Option<f64>, Option<f64>) {
        match self {
            Margin::Ratio(ratio) => (Some(ratio), None),
            Margin::Absolute(amount) => (None, Some(amount)),
        }
    }

    fn is_above_zero(self) -> bool {
        let (Margin::Ratio(amount) | Margin::Absolute(amount)) = self;
        amount > 0.0 && amount.is_finite()
    }
}

impl Rule {
    /// The metrics that decide, each with its margin; the first metric of the rule comes first.
    pub fn decided(&self) -> Vec<(Metric, Margin)> {
        let margin = |ratio: Option<f64>, absolute: Option<f64>| {
            absolute.map_or(Margin::Ratio(ratio.unwrap_or(self.margin)), Margin::Absolute)
        };
        let others = self.also.iter().map(|it| (it.metric, margin(it.margin, it.margin_absolute)));
        [(self.metric, margin(None, self.margin_absolute))].into_iter().chain(others).collect()
    }

    /// A rule for each deciding metric by itself, with an equal share of the error level (Bonferroni), for readings
    /// that are analysed once and not sequentially.
    pub fn apart(&self) -> Vec<Rule> {
        let decided = self.decided();
        let level = self.level / decided.len() as f64;
        let alone = |(metric, margin): (Metric, Margin)| {
            let mut rule = Rule { metric, level, also: Vec::new(), ..self.clone() };
            rule.put_first(margin);
            rule
        };
        decided.into_iter().map(alone).collect()
    }

    /// Replaces the metrics that decide; the first of `metrics` comes first. A metric that decided before keeps its
    /// margin. Does nothing if `metrics` is empty.
    pub fn decide(&mut self, metrics: &[Metric]) {
        let earlier = self.decided();
        let Some((&first, others)) = metrics.split_first() else { return };
        let kept = |metric: Metric| earlier.iter().find(|(known, _)| *known == metric).map(|(_, kept)| *kept);
        self.metric = first;
        self.put_first(kept(first).unwrap_or(Margin::Ratio(self.margin)));
        let also = |&metric: &Metric| {
            let (margin, margin_absolute) = kept(metric).map_or((None, None), Margin::fields);
            AlsoDecided { metric, margin, margin_absolute }
        };
        self.also = others.iter().map(also).collect();
        self.renew();
    }

    /// Sets margins. A margin without a metric holds for all metrics and is applied first; a margin with a metric holds
    /// for that metric alone.
    ///
    /// # Errors
    /// Returns a sentence if the metric of a margin is not decided, a metric has two margins, or the amount is not in
    /// the metric's unit.
    pub fn allow(&mut self, margins: &[StatedMargin]) -> Result<(), String> {
        for (at, stated) in margins.iter().enumerate() {
            if margins[..at].iter().any(|earlier| earlier.metric == stated.metric) {
                return Err(format!("--margin {stated}: that margin is given twice; give it once"));
            }
        }
        if let Some(all) = margins.iter().find(|stated| stated.metric.is_none()) {
            self.margin = share(&all.amount).ok_or_else(|| all.why_no_share())?;
            self.margin_absolute = None;
            self.also.iter_mut().for_each(|it| (it.margin, it.margin_absolute) = (None, None));
        }
        // The ratio of metrics without a margin of their own must not change with the margin of the first metric.
        let common = self.margin;
        for stated in margins.iter().filter(|stated| stated.metric.is_some()) {
            self.allow_one(stated, common)?;
        }
        Ok(())
    }

    fn allow_one(&mut self, stated: &StatedMargin, common: f64) -> Result<(), String> {
        let name = stated.metric.as_deref().unwrap_or_default();
        let asked = self.decided();
        let is_meant = |metric: Metric| metric.name() == name || Metric::from_name(name) == Some(metric);
        let Some(&(metric, _)) = asked.iter().find(|(metric, _)| is_meant(*metric)) else {
            let names: Vec<&str> = asked.iter().map(|(metric, _)| metric.name()).collect();
            let asked = names.join(",");
            return Err(format!(
                "--margin {stated}: `{name}` is not among the metrics to judge; add it with \
                 --metric {asked},{name}, or leave its margin out"
            ));
        };
        let margin = amount(metric, &stated.amount).map_err(|why| format!("--margin {stated}: {why}"))?;
        if metric == self.metric {
            self.also.iter_mut().for_each(|it| it.margin = it.margin.or(Some(common)));
            self.put_first(margin);
        }
        for it in self.also.iter_mut().filter(|it| it.metric == metric) {
            (it.margin, it.margin_absolute) = margin.fields();
        }
        Ok(())
    }

    /// Checks that a sweep can be decided by this rule.
    ///
    /// # Errors
    /// Returns a sentence that names what a sweep does not support.
    pub fn check_sweep(&self) -> Result<(), String> {
        self.check()?;
        let metrics = self.decided().len();
        // A single metric may have a level below the minimum: the sweep raises that level to the lowest at which
        // anything can be shown.
        let most = (self.level / SWEEP_LEVEL_MIN * (1.0 + 1e-9)) as usize;
        match self.sessions {
            Some(_) => {
                Err("a sweep has no sessions: leave `sessions` out of the definition's rule".to_owned())
            }
            None if metrics > most.max(1) => Err(format!(
                "--metric: {metrics} metrics have an equal part of the level of {} % each, and a sweep shows nothing below {} \
                 %: name at most {}, or raise --level",
                100.0 * self.level,
                100.0 * SWEEP_LEVEL_MIN,
                most.max(1)
            )),
            None => Ok(()),
        }
    }

    /// Checks that the error level is high enough for comparisons of this number of commands, the first of which is the
    /// reference, to show anything.
    ///
    /// # Errors
    /// Returns a sentence that names the lowest sufficient level.
    pub fn check_level(&self, commands: usize) -> Result<(), String> {
        let comparisons = commands.saturating_sub(1).max(1) * self.decided().len();
        let least = COMPARISON_LEVEL_MIN * comparisons as f64;
        if self.anytime || self.level >= least * (1.0 - 1e-9) {
            return Ok(());
        }
        let percent = |level: f64| format!("{} %", (1e7 * level - 1e-6).ceil() / 1e5);
        Err(match comparisons {
            1 => format!(
                "--level {}: the test draws too few patterns of signs to show anything at this level; at \
                 least {}, or --anytime",
                percent(self.level),
                percent(least)
            ),
            many => format!(
                "--level {}: {many} comparisons share it, and with so little for each nothing could be shown; at least {}, or \
                 compare less at once",
                percent(self.level),
                percent(least)
            ),
        })
    }

    /// Looks the metrics up again by name, since a metric may have been named before its unit and direction were
    /// stated.
    pub fn renew(&mut self) {
        let renew = |metric: &mut Metric| *metric = Metric::from_name(metric.name()).unwrap_or(*metric);
        renew(&mut self.metric);
        self.also.iter_mut().for_each(|it| renew(&mut it.metric));
    }

    fn put_first(&mut self, margin: Margin) {
        let (ratio, absolute) = margin.fields();
        (self.margin, self.margin_absolute) = (ratio.unwrap_or(self.margin), absolute);
    }

    /// Checks that each deciding metric occurs once, with a margin above zero, and that the numbers of metrics and
    /// sessions are supported.
    ///
    /// # Errors
    /// Returns a sentence that describes the first fault.
    pub fn check(&self) -> Result<(), String> {
        let decided = self.decided();
        for (at, (metric, margin)) in decided.iter().enumerate() {
            let name = metric.name();
            if decided[..at].iter().any(|(earlier, _)| earlier == metric) {
                return Err(format!("--metric: `{name}` is asked for twice; name each metric once"));
            }
            if at > 0 && !margin.is_above_zero() {
                return Err(format!("the margin of `{name}` has to be above 0"));
            }
        }
        self.sessions.map_or(Ok(()), |sessions| self.check_sessions(sessions))?;
        match decided.len() {
            many if many > METRICS_MAX => Err(format!(
                "--metric: {many} metrics are too many; at most {METRICS_MAX} are judged at once"
            )),
            _ => Ok(()),
        }
    }
}

impl Rule {
    fn check_sessions(&self, sessions: Sessions) -> Result<(), String> {
        let Sessions { count, gap_s } = sessions;
        match (SESSIONS.contains(&count), self.anytime) {
            (false, _) => Err(format!(
                "--sessions: {count} is not among {} to {}: fewer say nothing of how sessions differ, and \
                 more take too long",
                SESSIONS.start(),
                SESSIONS.end()
            )),
            (_, true) => {
                Err("--sessions and --anytime: sessions are looked at once, when all are over".to_owned())
            }
            _ if !(0.0..=GAP_S_MAX).contains(&gap_s) => {
                Err(format!("--session-gap: {gap_s} s is not among 0 to {GAP_S_MAX} s"))
            }
            _ => Ok(()),
        }
    }
}

/// Allowed numbers of sessions. Two sessions leave one degree of freedom, with which nothing can be shown.
const SESSIONS: std::ops::RangeInclusive<u32> = 3..=200;

/// The longest pause between two sessions in seconds: one week. For longer pauses, a scheduler that repeats the command
/// is the better tool.
const GAP_S_MAX: f64 = 7.0 * 24.0 * 3600.0;

/// The lowest error level of a sweep. A test by at most two thousand random permutations cannot reach a lower one.
pub const SWEEP_LEVEL_MIN: f64 = 1e-3;

/// The lowest error level of one comparison. The test of typical runs draws at most 131,072 patterns of signs, and each
/// of its sides has 0.4 of the level, which must let at least one pattern exceed the critical value.
pub const COMPARISON_LEVEL_MIN: f64 = 2e-5;

/// Maximum number of metrics that decide; with more, each would have too small a share of the error level.
const METRICS_MAX: usize = 16;

/// A margin as written on the command line: `1%` for all metrics, or `peak-memory=64KiB` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedMargin {
    metric: Option<String>,
    amount: String,
}

impl StatedMargin {
    fn why_no_share(&self) -> String {
        format!(
            "`{}` is not a share such as 1%, above 0 and below 100 %; an amount is stated of one metric: \
             peak-memory=64KiB",
            self.amount
        )
    }
}

impl fmt::Display for StatedMargin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.metric {
            Some(metric) => write!(f, "{metric}={}", self.amount),
            None => f.write_str(&self.amount),
        }
    }
}

impl FromStr for StatedMargin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (metric, amount) = match text.split_once('=') {
            Some((metric, amount)) => (Some(metric.trim().to_owned()), amount),
            None => (None, text),
        };
        let stated = StatedMargin { metric, amount: amount.trim().to_owned() };
        match stated.metric.is_none() && share(&stated.amount).is_none() {
            true => Err(stated.why_no_share()),
            false => Ok(stated),
        }
    }
}

/// Parses `1%` or `0.01` as a share above 0 and below 1.
fn share(text: &str) -> Option<f64> {
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let share = digits.trim().parse::<f64>().ok()? / scale;
    (share > 0.0 && share < 1.0).then_some(share)
}

/// Parses a margin in a metric: a share, or an amount in the metric's unit.
fn amount(metric: Metric, text: &str) -> Result<Margin, String> {
    if let Some(share) = share(text) {
        return Ok(Margin::Ratio(share));
    }
    let has_unit = text.ends_with(|c: char| c.is_alphabetic());
    let (absolute, example) = match metric.unit() {
        Unit::Nanos => {
            (text.parse::<Nanos>().ok().filter(|_| has_unit).map(|it| it.as_secs_f64() * 1e9), "2ms")
        }
        Unit::Bytes => (text.parse::<Bytes>().ok().filter(|_| has_unit).map(|it| it.0 as f64), "64KiB"),
        Unit::Count => (text.parse::<u64>().ok().map(|events| events as f64), "5"),
        Unit::Millionth => (printed_amount(metric, text), "5us with NAME[us]"),
        Unit::MicroPerSecond => {
            let rate = text.strip_suffix("/s").and_then(|rate| rate.trim().parse::<f64>().ok());
            (rate.map(|rate| rate * 1e6), "50/s")
        }
    };
    let margin = absolute.map(Margin::Absolute).filter(|margin| margin.is_above_zero());
    margin.ok_or_else(|| {
        format!("`{text}` is neither a share such as 1% nor an amount of {} such as {example}", metric.name())
    })
}

/// Parses an amount in the unit that the title of a printed metric names, such as `5us`; returns millionths of that
/// unit.
fn printed_amount(metric: Metric, text: &str) -> Option<f64> {
    let (_, unit) = metric.title().strip_suffix(')')?.rsplit_once(" (")?;
    text.strip_suffix(unit)?.trim().parse::<f64>().ok().map(|amount| amount * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(metrics: &[Metric], margins: &[&str]) -> Result<Rule, String> {
        let mut rule = Rule::default();
        rule.decide(metrics);
        let margins: Vec<StatedMargin> = margins.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        rule.allow(&margins)?;
        rule.check().map(|()| rule)
    }

    const BOTH: [Metric; 2] = [Metric::WALL, Metric::PEAK_MEMORY];

    #[test]
    fn each_metric_has_its_own_margin() {
        let of = |margins: &[&str]| {
            rule(&BOTH, margins).unwrap().decided().into_iter().map(|(_, margin)| margin).collect::<Vec<_>>()
        };
        let (ratio, absolute) = (Margin::Ratio, Margin::Absolute);
        assert_eq!(of(&[]), [ratio(0.01), ratio(0.01)]);
        assert_eq!(of(&["2%"]), [ratio(0.02), ratio(0.02)]);
        assert_eq!(of(&["wall=3%"]), [ratio(0.03), ratio(0.01)]);
        assert_eq!(of(&["peak-memory=64KiB", "2%"]), [ratio(0.02), absolute(65536.0)]);
        assert_eq!(of(&["wall=2ms", "peak-memory=0.05"]), [absolute(2e6), ratio(0.05)]);
    }

    #[test]
    fn a_margin_that_cannot_be_is_refused_with_what_to_do() {
        let why = |margins: &[&str]| rule(&BOTH, margins).unwrap_err();
        assert!(why(&["cpu=1%"]).contains("--metric wall,peak-memory,cpu"));
        assert!(why(&["wall=1%", "wall=2%"]).contains("twice"));
        assert!(why(&["64KiB"]).contains("peak-memory=64KiB"));
        for none in ["wall=5", "wall=0ms", "wall=64KiB", "peak-memory=64", "wall=", "wall=-1%", "wall=100%"] {
            assert!(why(&[none]).contains("neither a share"), "{none}");
        }
        assert!(rule(&[Metric::WALL, Metric::CPU, Metric::WALL], &[]).unwrap_err().contains("twice"));
    }

    #[test]
    fn metrics_asked_anew_keep_their_margins() {
        let mut rule = rule(&BOTH, &["wall=2%", "peak-memory=64KiB"]).unwrap();
        rule.decide(&[Metric::PEAK_MEMORY]);
        assert_eq!(rule.decided(), [(Metric::PEAK_MEMORY, Margin::Absolute(65536.0))]);
    }

    #[test]
    fn a_level_at_which_nothing_can_be_shown_is_refused_with_one_that_is_enough() {
        let rule = |level| Rule { level, ..Rule::default() };
        assert_eq!([0.01, 2e-5].map(|level| rule(level).check_level(2)), [Ok(()), Ok(())]);
        assert_eq!(rule(0.01).check_level(501), Ok(()));
        let why = rule(1e-5).check_level(2).unwrap_err();
        assert!(why.contains("--level 0.001 %") && why.contains("at least 0.002 %"), "{why}");
        let why = rule(0.01).check_level(601).unwrap_err();
        assert!(why.contains("600 comparisons") && why.contains("at least 1.2 %"), "{why}");
        let also = crate::AlsoDecided { metric: Metric::CPU, margin: None, margin_absolute: None };
        assert!(Rule { also: vec![also], ..rule(2e-5) }.check_level(2).is_err());
        assert_eq!(Rule { anytime: true, ..rule(1e-6) }.check_level(2), Ok(()));
    }

    #[test]
    fn a_sweep_shares_its_level_among_as_many_metrics_as_it_can() {
        let ten = Metric::BUILT_IN[..10].to_vec();
        let mut rule = rule(&ten, &[]).unwrap();
        assert_eq!(rule.check_sweep(), Ok(()));
        rule.decide(&Metric::BUILT_IN[..11]);
        let why = rule.check_sweep().unwrap_err();
        assert!(why.contains("11 metrics") && why.contains("at most 10"), "{why}");
        rule.level = 1e-4;
        assert!(rule.check_sweep().unwrap_err().contains("at most 1,"), "none would be no advice");
        rule.decide(&[Metric::WALL]);
        assert_eq!(rule.check_sweep(), Ok(()));
        rule.sessions = Some(Sessions { count: 3, gap_s: 0.0 });
        assert!(rule.check_sweep().unwrap_err().contains("sessions"));
    }

    #[test]
    fn one_metric_is_written_as_it_was_before() {
        let text = serde_json::to_string(&Rule::default()).unwrap();
        assert!(!text.contains("also") && !text.contains("absolute"), "{text}");
        let both = rule(&BOTH, &["peak-memory=64KiB"]).unwrap();
        let text = serde_json::to_string(&both).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), both);
    }
}
