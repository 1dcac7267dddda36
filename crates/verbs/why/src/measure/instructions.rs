//! The instructions at which a function spends its time.

use fauxplat_experiment::measure::profile::annotate;
use fauxplat_model::{AnnotatedInstruction, ProfileFindings};
use regex::Regex;

/// Instructions with the most samples that are shown.
const SHOWN: usize = 3;

/// The instructions of a function with the most samples, and those before them: a sample is taken when an instruction is
/// over, and so often at the one behind it. Empty where the file cannot be read.
pub(super) fn hottest(found: &ProfileFindings, profile: u16, function: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(&format!("^{}$", regex::escape(function))) else { return Vec::new() };
    let annotated = annotate(found, profile, &pattern);
    let Some(function) = annotated.functions.into_iter().max_by_key(|it| it.samples) else {
        return Vec::new();
    };
    let all = function.instructions;
    let mut order: Vec<usize> = (0..all.len()).filter(|&at| all[at].samples > 0).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(all[at].samples));
    let mut shown: Vec<usize> = order.iter().take(SHOWN).flat_map(|&at| [at.saturating_sub(1), at]).collect();
    shown.dedup();
    let text = |at: usize| plain(&all[at]);
    let mut texts: Vec<String> = Vec::new();
    for text in shown.into_iter().map(text) {
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// The words of an instruction, with one space between them.
fn plain(instruction: &AnnotatedInstruction) -> String {
    instruction.text.split_whitespace().collect::<Vec<_>>().join(" ")
}
