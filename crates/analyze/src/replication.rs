//! Replication: whether the sessions in which the same two programs were compared agree with each other.

use fauxplat_model::{Comparison, DifferenceIn, Extent, Grade, Side, Verdict};
use fauxplat_stats::describe::{mean, standard_deviation};
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::winsor::{location, winsorised_mean};

use crate::sessions::SESSIONS_MIN;
use crate::standing::{bounded, verdict};

/// Checks a comparison by earlier sessions of the *same two* programs, each given by its log ratios. The comparison
/// gets the grade *replicated* if all sessions together give the same verdict and no single session shows the contrary.
/// Otherwise returns a sentence about what the sessions show; `None` if the verdict is replicated or there are too few
/// sessions.
///
/// Each session counts as one value, whatever its number of pairs: for typical runs its winsorised mean, and for slow
/// runs, which a winsorised mean does not show, the share of pairs in which B is much slower minus the share in which A
/// is. The interval is Student's t over the sessions, at the level of the comparison. Sessions with other programs
/// cannot be used, not even those of identical copies: they do not contain the effect that a session has on only one of
/// these two programs.
pub fn replicate(comparison: &mut Comparison, earlier: &[&[f64]]) -> Option<String> {
    let sessions = earlier.len() + 1;
    if sessions < SESSIONS_MIN || comparison.verdict == Verdict::Inconclusive || comparison.bounded.is_some()
    {
        return None;
    }
    let asked = [typical(comparison, earlier), slow_runs(comparison, earlier)];
    let failed = asked.into_iter().flatten().find(|part| !part.is_replicated);
    if failed.is_none() {
        comparison.grade = Grade::Replicated;
    }
    // Another metric of the same comparison may have another verdict, which its sessions may replicate.
    let (metric, verdict) = (comparison.metric.title(), word(comparison.verdict));
    failed.map(|part| {
        format!(
            "{sessions} sessions of this pair do not replicate the verdict in {metric}, {verdict}: {}",
            part.said
        )
    })
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Different => "different",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// Whether a single session shows the contrary of the comparison's verdict, by Student's t over its pairs at the level
/// of the comparison: a difference in the other direction or, if the verdict is *equivalent*, one beyond the margin.
fn is_contrary(comparison: &Comparison, session: &[f64]) -> bool {
    let it = location(session);
    let half = t_upper_quantile(comparison.level / 2.0, it.df.max(1.0)) * it.se;
    let (low, high) = (it.estimate - half, it.estimate + half);
    let margin = comparison.margin.max(0.0).ln_1p();
    match comparison.verdict {
        Verdict::Different if comparison.effect_ratio > 1.0 => high < 0.0,
        Verdict::Different => low > 0.0,
        _ => low > margin || high < -margin,
    }
}

struct ReplicatedPart {
    is_replicated: bool,
    said: String,
}

/// The mean of one value per session, and half of its interval by Student's t.
fn over(sessions: &[f64], level: f64) -> Option<[f64; 2]> {
    let n = sessions.len() as f64;
    let error = standard_deviation(sessions) / n.sqrt();
    Some([mean(sessions)?, t_upper_quantile(level / 2.0, n - 1.0) * error])
}

/// Whether typical runs are replicated; `None` if the verdict is about slow runs alone.
fn typical(comparison: &Comparison, earlier: &[&[f64]]) -> Option<ReplicatedPart> {
    if comparison.difference_in == [DifferenceIn::Tail] {
        return None;
    }
    let own = comparison.effect_ratio.ln();
    let effects: Vec<f64> = earlier.iter().map(|d| winsorised_mean(d)).chain([own]).collect();
    let [centre, half] = over(&effects, comparison.level)?;
    let (low, high) = (centre - half, centre + half);
    let over_sessions = verdict(low, high, comparison.margin.max(0.0).ln_1p(), || true);
    let same_side = over_sessions != Verdict::Different || (centre > 0.0) == (own > 0.0);
    let [centre, low, high] =
        [centre, low, high].map(|log| format!("{:+.2} %", 100.0 * bounded(log).exp_m1()));
    let (a, b) = (&comparison.a, &comparison.b);
    let contrary = earlier.iter().filter(|session| is_contrary(comparison, session)).count();
    let shown = match contrary {
        0 => String::new(),
        1 => ", and one of them shows the contrary by itself".to_owned(),
        many => format!(", and {many} of them show the contrary by themselves"),
    };
    Some(ReplicatedPart {
        is_replicated: over_sessions == comparison.verdict && same_side && contrary == 0,
        said: format!("{b} against {a} is {centre} over all sessions, {low} to {high}{shown}"),
    })
}

/// Whether slow runs are replicated; `None` if the verdict says nothing about them.
fn slow_runs(comparison: &Comparison, earlier: &[&[f64]]) -> Option<ReplicatedPart> {
    let side = comparison.tail_side();
    let tail = comparison.tail.filter(|_| side.is_some() || comparison.extent == Some(Extent::Whole))?;
    // If typical runs differ, a pair counts as slow relative to the typical ratio of its session.
    let is_shifted = comparison.difference_in.contains(&DifferenceIn::Typical);
    let threshold = tail.threshold_ratio.ln();
    let excess = |d: &&[f64]| {
        let shift = if is_shifted { winsorised_mean(d) } else { 0.0 };
        let count = |side: f64| d.iter().filter(|&&d| side * (d - shift) > threshold).count() as f64;
        (count(1.0) - count(-1.0)) / d.len().max(1) as f64
    };
    let shares: Vec<f64> = earlier.iter().map(excess).chain([tail.share_b - tail.share_a]).collect();
    let [centre, half] = over(&shares, comparison.level)?;
    let (low, high) = ((centre - half).max(-1.0), (centre + half).min(1.0));
    let is_replicated = match side {
        Some(Side::B) => low > 0.0,
        Some(Side::A) => high < 0.0,
        None => -tail.margin <= low && high <= tail.margin,
    };
    let points = [centre, low, high].map(|share| format!("{:+.1}", 100.0 * share));
    let [centre, low, high] = points;
    let (a, b) = (&comparison.a, &comparison.b);
    Some(ReplicatedPart {
        is_replicated,
        said: format!(
            "the share of pairs in which {b} was much higher, minus that in which {a} was, is {centre} points over all \
             sessions, {low} to {high}"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Baseline, baseline_findings, run_findings};
    use fauxplat_model::{Rule, Tail};
    use fauxplat_stats::draw::Draw;

    /// A comparison of a single session with this verdict and log ratio.
    fn session(verdict: Verdict, log_effect: f64) -> Comparison {
        let findings = run_findings(&[], 1, false).remove(0);
        let nothing = Baseline { name: "a", values: &[], findings: &findings };
        let mut judged = baseline_findings(&Rule::default(), nothing, &[], "b", false, None, 1);
        let comparison = judged.findings.comparisons.remove(0);
        Comparison { verdict, grade: Grade::WithinSession, effect_ratio: log_effect.exp(), ..comparison }
    }

    /// Grade and warning of a session that follows earlier ones with these log ratios.
    fn judged(verdict: Verdict, log_effect: f64, earlier: &[f64]) -> (Grade, Option<String>) {
        let mut comparison = session(verdict, log_effect);
        let sessions: Vec<[f64; 2]> = earlier.iter().map(|&effect| [effect, effect]).collect();
        let said = replicate(&mut comparison, &sessions.iter().map(<[f64; 2]>::as_slice).collect::<Vec<_>>());
        (comparison.grade, said)
    }

    #[test]
    fn replicated_is_what_other_sessions_of_the_pair_say_too() {
        let alike = [0.051, 0.049, 0.05];
        assert_eq!(judged(Verdict::Different, 0.05, &alike), (Grade::Replicated, None));
        assert_eq!(judged(Verdict::Equivalent, 0.001, &[0.0, -0.001, 0.0005]), (Grade::Replicated, None));
        // With only one earlier session, Student's t would have a single degree of freedom.
        assert_eq!(judged(Verdict::Different, 0.05, &alike[..1]), (Grade::WithinSession, None));
        assert_eq!(judged(Verdict::Inconclusive, 0.05, &alike), (Grade::WithinSession, None));
        let (grade, said) = judged(Verdict::Different, 0.05, &[-0.02, 0.01, 0.0]);
        assert_eq!(grade, Grade::WithinSession);
        assert!(
            said.as_ref().is_some_and(|said| said.starts_with(
                "4 sessions of this pair do not replicate the verdict in wall time, different: b"
            )),
            "{said:?}"
        );
        // The other sessions agree with each other, and contradict the last one.
        assert_eq!(
            judged(Verdict::Different, 0.01, &[-0.05, -0.051, -0.049, -0.05, -0.05]).0,
            Grade::WithinSession
        );
    }

    /// In the mean, many sessions that agree outweigh one that shows the contrary; that one nevertheless prevents the
    /// grade and is mentioned.
    #[test]
    fn a_session_that_shows_the_contrary_is_told() {
        let alike = [0.05, 0.051, 0.049, 0.05, 0.052, 0.05, 0.049, 0.051, 0.05, 0.05];
        assert_eq!(judged(Verdict::Different, 0.05, &alike).0, Grade::Replicated);
        let (grade, said) = judged(Verdict::Different, 0.05, &[&alike[..], &[-0.004]].concat());
        assert_eq!(grade, Grade::WithinSession);
        assert!(
            said.as_ref().is_some_and(|said| said.ends_with("one of them shows the contrary by itself")),
            "{said:?}"
        );
        let (_, said) = judged(Verdict::Different, -0.05, &[-0.05, -0.051, 0.004, 0.003]);
        assert!(said.is_some_and(|said| said.ends_with("2 of them show the contrary by themselves")));
        let equal = [0.001, -0.001, 0.0, 0.0005, -0.0005, 0.0, 0.001, -0.001, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(judged(Verdict::Equivalent, 0.0, &equal).0, Grade::Replicated);
        assert_eq!(
            judged(Verdict::Equivalent, 0.0, &[&equal[..], &[0.012]].concat()).0,
            Grade::WithinSession
        );
        // A session that is too noisy to show a difference does not count as showing the contrary.
        let mut comparison = session(Verdict::Different, 0.05);
        let noisy = [-0.2, 0.19, -0.1, 0.09];
        let earlier: Vec<&[f64]> = vec![&[0.05, 0.05][..]; 40].into_iter().chain([&noisy[..]]).collect();
        let said = replicate(&mut comparison, &earlier);
        assert!(said.is_none_or(|said| !said.contains("contrary")));
    }

    /// Grade and warning of a session in which B is slow in the share `share_b` of the pairs, after earlier sessions of
    /// fifty pairs with the given numbers of slow pairs.
    fn with_slow_runs(share_b: f64, earlier: &[usize]) -> (Grade, Option<String>) {
        let is_slow = share_b > 0.0;
        let tail = Tail {
            margin: 0.03,
            threshold_ratio: 1.02,
            share_b,
            share_b_interval: [0.0, 1.0],
            share_a: 0.0,
            share_a_interval: [0.0, 1.0],
            excess_excluded: 1.0,
            side: is_slow.then_some(Side::B),
        };
        let verdict = if is_slow { Verdict::Different } else { Verdict::Equivalent };
        let mut comparison = Comparison {
            tail: Some(tail),
            extent: (!is_slow).then_some(Extent::Whole),
            difference_in: is_slow.then_some(DifferenceIn::Tail).into_iter().collect(),
            ..session(verdict, 0.0001)
        };
        let session = |&slow: &usize| -> Vec<f64> {
            (0..50).map(|pair| if pair < slow { 0.7 } else { 0.001 * (pair % 3) as f64 }).collect()
        };
        let sessions: Vec<Vec<f64>> = earlier.iter().map(session).collect();
        let said = replicate(&mut comparison, &sessions.iter().map(Vec::as_slice).collect::<Vec<_>>());
        (comparison.grade, said)
    }

    #[test]
    fn slow_runs_are_replicated_by_slow_runs() {
        assert_eq!(with_slow_runs(0.1, &[5, 5, 6, 5]), (Grade::Replicated, None));
        let (grade, said) = with_slow_runs(0.1, &[0, 0, 1]);
        assert_eq!(grade, Grade::WithinSession);
        assert!(
            said.as_ref().is_some_and(|said| said.contains("much higher") && said.contains("+3.0 points")),
            "{said:?}"
        );
        // Typical runs are equivalent in all sessions; in the second case the earlier sessions had slow runs.
        assert_eq!(with_slow_runs(0.0, &[0, 0, 0]), (Grade::Replicated, None));
        assert_eq!(with_slow_runs(0.0, &[5, 6, 5]).0, Grade::WithinSession);
    }

    #[test]
    fn programs_that_sessions_favour_in_turns_are_not_called_replicated() {
        let mut draw = Draw::new(7, 0);
        let mut session = || 0.02 * draw.normal();
        let mut is_replicated = |_: &u32| {
            let effects: [f64; 4] = std::array::from_fn(|_| session());
            judged(Verdict::Different, effects[0], &effects[1..]).0 == Grade::Replicated
        };
        let wrong = (0..2000).filter(&mut is_replicated).count();
        // By chance 20 wrong answers in 2000 are expected; 34 would occur once in a thousand repetitions.
        assert!(wrong <= 34, "{wrong} of 2000");
    }
}
