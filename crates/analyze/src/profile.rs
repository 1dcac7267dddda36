//! A stand-in while the real one is written.
use fauxplat_model::*;
/// .
pub fn shares(found: &mut ProfileFindings) {
    let mut all: Vec<std::collections::BTreeMap<String, (u64, u64)>> =
        vec![Default::default(); found.profiles.len()];
    for stack in &found.stacks {
        for (at, &samples) in stack.samples.iter().enumerate() {
            let mut seen = std::collections::BTreeSet::new();
            for (depth, &frame) in stack.frames.iter().enumerate() {
                let name = &found.frames[frame as usize].name;
                let entry = all[at].entry(name.clone()).or_default();
                if depth + 1 == stack.frames.len() {
                    entry.0 += samples;
                }
                if seen.insert(name) {
                    entry.1 += samples;
                }
            }
        }
    }
    for (profile, map) in found.profiles.iter_mut().zip(all) {
        profile.functions = map
            .into_iter()
            .map(|(name, (own, total))| FunctionShare {
                name,
                self_samples: own,
                total_samples: total,
                self_share: own as f64 / profile.quality.samples.max(1) as f64,
                total_share: total as f64 / profile.quality.samples.max(1) as f64,
                ..Default::default()
            })
            .collect();
        profile.functions.sort_by_key(|it| std::cmp::Reverse(it.self_samples));
    }
}
/// .
pub fn difference(_: &ProfileFindings, _: &[ProfiledRun], _: u16, _: u16, _: f64) -> ProfileDifference {
    ProfileDifference::default()
}
/// .
pub fn callers_of(_: &ProfileFindings, _: u16, _: &regex::Regex) -> Relatives {
    Relatives::default()
}
/// .
pub fn callees_of(_: &ProfileFindings, _: u16, _: &regex::Regex) -> Relatives {
    Relatives::default()
}
/// .
pub fn annotated(_: &ProfileFindings, _: u16, _: &regex::Regex) -> Annotated {
    Annotated::default()
}
