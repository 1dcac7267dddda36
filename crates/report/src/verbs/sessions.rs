//! Sentences about a comparison that combines several sessions.

use fauxplat_model::{Comparison, Replication};

use crate::verdict::end;
use crate::words::{change, counted, percent, round_percent};

/// Maximum number of sessions that are listed. With more sessions, only the extremes are named.
const LISTED_MAX: usize = 12;

/// Sentences about the sessions, the forecast for the next session, and the best use of time; empty for a single
/// session.
pub(super) fn sentences(comparison: &Comparison) -> Vec<String> {
    let Some(found) = &comparison.replication else { return Vec::new() };
    let level = round_percent(1.0 - comparison.level);
    let next = format!(
        "The next session of as many pairs will come to {} to {} ({level}).",
        end(found.next_low_ratio),
        end(found.next_high_ratio)
    );
    vec![each(found), next, best(found)]
}

fn each(found: &Replication) -> String {
    let effects: Vec<f64> = found.sessions.iter().map(|it| it.effect_ratio).collect();
    let said = match effects.len() <= LISTED_MAX {
        true => effects.iter().map(|&ratio| change(ratio)).collect::<Vec<_>>().join(", "),
        false => {
            let ends =
                |pick: fn(f64, f64) -> f64, first: f64| change(effects.iter().copied().fold(first, pick));
            format!("{} to {}", ends(f64::min, f64::INFINITY), ends(f64::max, 0.0))
        }
    };
    let between = match found.between_sd > 0.0 {
        true => format!(
            "their standard deviation is {} beyond what their pairs explain",
            percent(found.between_sd.exp_m1())
        ),
        false => "they differ by no more than their pairs explain".to_owned(),
    };
    format!("Sessions: {said}; {between}.")
}

fn best(found: &Replication) -> String {
    let usual = found.sessions.iter().map(|it| it.pairs).sum::<usize>() / found.sessions.len().max(1);
    let usual = counted(usual, "pair", "pairs");
    match found.pairs_per_session {
        Some(best) => format!("Each session had {usual}; about {best} each would use the time best."),
        None => format!("Each session had {usual}; more sessions would tell no more than more pairs."),
    }
}
