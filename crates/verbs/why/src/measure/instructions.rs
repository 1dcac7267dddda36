//! The instructions at which a function spends its time.

use fauxplat_experiment::measure::profile::annotate;
use fauxplat_model::{AnnotatedInstruction, ProfileFindings};
use regex::Regex;

/// Number of instructions with the most samples that are shown.
const SHOWN: usize = 3;

/// Texts of the instructions of a function with the most samples, each with the instruction before it: a sample is
/// taken when an instruction is over, and so often at the one behind it. Empty where the file cannot be read.
pub(super) fn hottest(found: &ProfileFindings, profile: u16, function: &str) -> Vec<String> {
    let Some(all) = listing(found, profile, function) else { return Vec::new() };
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

/// Addresses at which a function begins in the files of both programs; `None` unless its instructions are the same in
/// both. Operands are not compared, since those of jumps and of data hold addresses.
pub(super) fn begins(found: &ProfileFindings, function: &str) -> Option<[u64; 2]> {
    let [a, b] = [listing(found, 0, function)?, listing(found, 1, function)?];
    let name = |it: &AnnotatedInstruction| plain(it).split(' ').next().map(str::to_owned);
    let is_same = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| name(a) == name(b));
    if is_same { Some([a.first()?.address, b.first()?.address]) } else { None }
}

/// The instructions of a function; `None` where its file cannot be read.
fn listing(found: &ProfileFindings, profile: u16, function: &str) -> Option<Vec<AnnotatedInstruction>> {
    let pattern = Regex::new(&format!("^{}$", regex::escape(function))).ok()?;
    let annotated = annotate(found, profile, &pattern);
    Some(annotated.functions.into_iter().max_by_key(|it| it.samples)?.instructions)
}

/// Text of an instruction, with one space between its words.
fn plain(instruction: &AnnotatedInstruction) -> String {
    instruction.text.split_whitespace().collect::<Vec<_>>().join(" ")
}
