//! The report of `fleet run` and `fleet report`: machines that are slow or otherwise unlike the others.

use fauxplat_model::{Delivery, FleetFindings, FleetNode, NodeState};

use super::facts::{Goes, answers, brief, deliveries, explained, slower_words, state_with_reason};
use super::{map, nodes, notices};
use crate::parts::spans::{code, named};
use crate::parts::{Note, Notes, Part, Piece, Tone};
use crate::words::{counted, percent, round_number, round_percent, visible};

pub(crate) fn parts(found: &FleetFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(tone(found), answer(found))];
    parts.extend(answers(&found.answers));
    parts.extend(explained(&found.facts_explained, found.metric, Goes::Slow(found.facts_tested.len())));
    parts.extend(nodes::odd(found));
    parts.extend(nodes::warnings(found));
    parts.extend(notices::parts(found));
    parts.extend(again(found).map(|text| Piece::said(Tone::Neutral, text)));
    parts.extend(map::part(found));
    if !found.groups.is_empty() {
        parts.push(nodes::groups(found));
        parts.push(Piece::plain(meaning(found)).in_full());
        parts.push(Piece::new(Part::Notes(hardware(found))));
    }
    parts.push(nodes::all(found));
    // A missing machine's row in the table already contains the reason.
    let is_in_a_row = |it: &Delivery| found.nodes.iter().any(|node| is_reason(node, it));
    let others: Vec<Delivery> = found.deliveries.iter().filter(|it| !is_in_a_row(it)).cloned().collect();
    parts.extend(deliveries(&others));
    parts
}

fn is_reason(node: &FleetNode, it: &Delivery) -> bool {
    node.node == it.node && it.round == 0 && node.reason.as_deref() == Some(&state_with_reason(it))
}

fn hardware(found: &FleetFindings) -> Notes {
    let facts: Vec<String> = found.facts_tested.iter().map(|fact| super::facts::title(fact)).collect();
    let mut lines = vec![Note::fact("", nodes::hardware(found))];
    lines
        .extend((!facts.is_empty()).then(|| Note::fact("facts looked at", vec![facts.join(", ")]).in_full()));
    Notes { title: "Machines".to_owned(), folded: true, lines }
}

fn tone(found: &FleetFindings) -> Tone {
    let bad = [NodeState::WrongAnswer, NodeState::Confirmed];
    let quiet = [NodeState::Normal, NodeState::Cleared, NodeState::Unreached];
    match found.nodes.iter().any(|node| bad.contains(&node.state)) {
        true => Tone::Bad,
        // Machines that were cleared of suspicion, and machines that were intentionally not asked, such as drained
        // nodes, give no reason for doubt.
        false => match found.nodes.iter().any(|node| !quiet.contains(&node.state))
            || !found.notices.is_empty()
            || !found.facts_explained.is_empty()
        {
            true => Tone::Doubt,
            false => Tone::Title,
        },
    }
}

/// The answer, such as "128 machines: node7 is 9.80 % slower than its group; 1 missing."
fn answer(found: &FleetFindings) -> String {
    let machines = counted(found.nodes.len(), "machine", "machines");
    let mut said: Vec<String> = Vec::new();
    said.extend(some(found, NodeState::WrongAnswer, "gives a different answer", "give a different answer"));
    said.extend(confirmed(found));
    said.extend(some(found, NodeState::Suspect, "is suspected of being slow", "are suspected of being slow"));
    said.extend(some(found, NodeState::Noisy, "is too noisy to tell", "are too noisy to tell"));
    said.extend(some(found, NodeState::Cleared, "was cleared", "were cleared"));
    said.extend(some(found, NodeState::Missing, "is missing", "are missing"));
    said.extend(some(found, NodeState::Unreached, "could not be asked", "could not be asked"));
    said.extend(some(found, NodeState::Uncompared, "could not be compared", "could not be compared"));
    said.extend(found.facts_explained.iter().map(|it| brief(it, found.metric)));
    said.extend(notices::brief(found));
    let rest = match said.is_empty() {
        true => "none is out of line".to_owned(),
        false => said.join("; "),
    };
    format!("{} on {machines}: {rest}.", named(&found.command))
}

/// Clause about the machines in a state: a single one by its name, several by their number; `None` if there are none.
fn some(found: &FleetFindings, state: NodeState, one: &str, many: &str) -> Option<String> {
    let mut of = found.nodes.iter().filter(|node| node.state == state);
    let first = of.next()?;
    Some(match of.count() {
        0 => format!("{} {one}", named(&first.node)),
        more => format!("{} {many}", more + 1),
    })
}

fn confirmed(found: &FleetFindings) -> Option<String> {
    let mut of = found.nodes.iter().filter(|node| node.state == NodeState::Confirmed);
    let first = of.next()?;
    let effect =
        first.effect_ratio.map_or_else(|| "slower".to_owned(), |ratio| slower_words(found.metric, ratio));
    Some(match of.count() {
        0 => format!("{} is {effect} than machines like it", named(&first.node)),
        more => format!(
            "{} are slower than machines like them, up to {} ({effect})",
            more + 1,
            named(&first.node)
        ),
    })
}

fn again(found: &FleetFindings) -> Option<String> {
    let plan = found.again.as_ref()?;
    let rounds = counted(plan.rounds.len(), "round", "rounds");
    let left = plan.left_out.first().map_or(String::new(), |first| {
        let others = plan.left_out.len() - 1;
        let more = if others > 0 { format!(" and {others} more") } else { String::new() };
        format!(" {}{more} cannot be measured again: {}.", named(&first.node), visible(&first.reason))
    });
    match plan.suspects.is_empty() {
        true => Some(left.trim_start().to_owned()),
        false => Some(format!(
            "{} to be measured again in {rounds}, each between two machines of its group: only then is it confirmed or \
             cleared.{left}",
            counted(plan.suspects.len(), "suspect is", "suspects are")
        )),
    }
}

fn meaning(found: &FleetFindings) -> String {
    let threshold = found.groups.iter().find_map(|group| group.z_threshold);
    let z = threshold.map_or(String::new(), |z| {
        format!(
            " A machine is suspect from z {} on if it is also more than {} slower; at most {} machines of a fleet \
             without an odd one are, on average.",
            round_number(z),
            round_percent(found.least_effect),
            round_number(found.false_flags)
        )
    });
    let finds = found.groups.iter().find_map(|group| group.smallest_detectable);
    let power = finds.map_or(String::new(), |ratio| {
        format!(" Of machines that are {} slower, 8 in 10 are found.", percent(ratio - 1.0))
    });
    let varies = found.groups.first().and_then(|group| group.between).map_or(String::new(), |between| {
        format!(
            " Machines of the largest group differ by {} (standard deviation) beyond their own runs.",
            percent(between)
        )
    });
    let drain = code("--format slurm-drain");
    format!(
        "{varies}{z}{power} With {drain} the confirmed machines are listed as commands for Slurm; nothing is done to \
         them."
    )
    .trim_start()
    .to_owned()
}
