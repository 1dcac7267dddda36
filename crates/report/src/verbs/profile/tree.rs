//! The calls of a profile as indented lines, for a terminal.

use fauxplat_model::ProfileFindings;

use super::words::{part, share, short};
use crate::calls::{CallTree, Kind, unit};
use crate::parts::{Listed, Listing, Tone};
use crate::words::{counted, grouped};

/// Minimum share of a call that is listed.
const SHARE_MIN: f64 = 0.005;
/// Maximum indentation in steps. Deeper calls are aligned with each other.
const STEPS_MAX: usize = 24;
/// Maximum number of lines, far beyond what is readable.
const LINES_MAX: usize = 1000;

/// The call tree of one profile as lines; `None` without samples.
pub(super) fn listing(found: &ProfileFindings, profile: usize) -> Option<Listing> {
    let tree = CallTree::of(found, &[profile]);
    let all = tree.trunk().events[0];
    if all == 0 {
        return None;
    }
    let mut lines = Vec::new();
    let mut left_out = 0;
    // Calls that are still to be written, the next one last: call, indentation, and prefix of the name. A recursive
    // implementation would overflow the stack if the profiled program recurses deeply.
    let mut open = vec![(0, 0, "")];
    while let Some((place, steps, mark)) = open.pop() {
        let call = &tree.calls[place];
        if lines.len() >= LINES_MAX {
            left_out += 1;
            continue;
        }
        lines.push(Listed {
            tone: if steps == 0 && place == 0 { Tone::Faint } else { Tone::Plain },
            cells: vec![share(part(call.events[0], all)), grouped(call.events[0])],
            text: format!(
                "{}{mark}{}{}",
                "  ".repeat(steps.clamp(1, STEPS_MAX) - 1),
                short(call.name),
                remark(call.kind)
            ),
        });
        let mut callees: Vec<usize> = call.callees.clone();
        callees.retain(|&callee| part(tree.calls[callee].events[0], all) >= SHARE_MIN);
        left_out += call.callees.len() - callees.len();
        callees.sort_by_key(|&callee| {
            (tree.calls[callee].events[0], std::cmp::Reverse(tree.calls[callee].name))
        });
        // If a function has a single callee, the callee is not indented, so that only forks take columns.
        let (steps, mark) = match callees.len() {
            0 | 1 if steps == 0 => (0, ""),
            0 | 1 => (steps, "  "),
            _ => (steps + 1, "└ "),
        };
        open.extend(callees.into_iter().map(|callee| (callee, steps, mark)));
    }
    let rest = match left_out {
        0 => String::new(),
        calls => {
            format!("; {} with less than {} left out", counted(calls, "branch", "branches"), share(SHARE_MIN))
        }
    };
    Some(Listing {
        title: format!("Calls, those with most samples first{rest}"),
        header: ["share", unit(found)[1]].map(str::to_owned).to_vec(),
        lines,
    })
}

fn remark(kind: Kind) -> &'static str {
    match kind {
        Kind::Inlined => " (inlined)",
        Kind::Kernel => " (kernel)",
        Kind::Jit => " (JIT)",
        Kind::Frame | Kind::User | Kind::Unknown => "",
    }
}
