//! Replication: whether other sessions of the same pair say the same.

use fauxplat_model::{Comparison, Grade, Verdict};
use fauxplat_stats::describe::{mean, standard_deviation};
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::winsor::winsorised_mean;

use crate::sessions::SESSIONS_MIN;
use crate::standing::{bounded, verdict};

/// Judges a comparison by earlier sessions of *this* pair, each given by its log ratios, and calls it replicated if they
/// and this session together come to the same verdict. Says what they came to otherwise.
///
/// A session counts once, by its winsorised mean, whatever number of pairs it holds; the interval is Student's t over the
/// sessions, at the level of the comparison. Sessions of other pairs say nothing, and those of identical copies least of
/// all: what one session does to one program and not to the other cannot show in them.
pub fn replicate(comparison: &mut Comparison, earlier: &[&[f64]]) -> Option<String> {
    let own = comparison.effect_ratio.ln();
    let effects: Vec<f64> = earlier.iter().map(|d| winsorised_mean(d)).chain([own]).collect();
    if effects.len() < SESSIONS_MIN || comparison.verdict == Verdict::Inconclusive {
        return None;
    }
    let centre = mean(&effects)?;
    let n = effects.len() as f64;
    let error = standard_deviation(&effects) / n.sqrt();
    let half = t_upper_quantile(comparison.level / 2.0, n - 1.0) * error;
    let (low, high) = (centre - half, centre + half);
    let over_sessions = verdict(low, high, comparison.margin.max(0.0).ln_1p(), || true);
    let same_side = over_sessions != Verdict::Different || (centre > 0.0) == (own > 0.0);
    if over_sessions == comparison.verdict && same_side {
        comparison.grade = Grade::Replicated;
        return None;
    }
    let percent = |log: f64| format!("{:+.2} %", 100.0 * bounded(log).exp_m1());
    Some(format!(
        "{} sessions of this pair do not replicate it: {} over {} is {} over all of them, {} to {}",
        effects.len(),
        comparison.b,
        comparison.a,
        percent(centre),
        percent(low),
        percent(high)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Baseline, baseline_findings, run_findings};
    use fauxplat_model::Rule;
    use fauxplat_stats::draw::Draw;

    /// A comparison within a session that came to this.
    fn session(verdict: Verdict, log_effect: f64) -> Comparison {
        let findings = run_findings(&[], 1, false).remove(0);
        let nothing = Baseline { name: "a", values: &[], findings: &findings };
        let mut judged = baseline_findings(&Rule::default(), nothing, &[], "b", false, None, 1);
        let comparison = judged.findings.comparisons.remove(0);
        Comparison { verdict, grade: Grade::WithinSession, effect_ratio: log_effect.exp(), ..comparison }
    }

    /// What a session and earlier ones with these effects come to.
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
        // One earlier session is one degree of freedom, and none is none.
        assert_eq!(judged(Verdict::Different, 0.05, &alike[..1]), (Grade::WithinSession, None));
        assert_eq!(judged(Verdict::Inconclusive, 0.05, &alike), (Grade::WithinSession, None));
        let (grade, said) = judged(Verdict::Different, 0.05, &[-0.02, 0.01, 0.0]);
        assert_eq!(grade, Grade::WithinSession);
        assert!(
            said.as_ref().is_some_and(|said| said.starts_with("4 sessions of this pair do not")),
            "{said:?}"
        );
        // Sessions that agree with each other and not with this one say the opposite of it.
        assert_eq!(
            judged(Verdict::Different, 0.01, &[-0.05, -0.051, -0.049, -0.05, -0.05]).0,
            Grade::WithinSession
        );
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
        // 20 nominally; 34 would come once in a thousand times.
        assert!(wrong <= 34, "{wrong} of 2000");
    }
}
