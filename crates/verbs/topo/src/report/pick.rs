//! The answer to a relation of CPUs: the list of CPUs first, and below it the reason for each of them.

use fauxplat_model::{GroupKind, Topology};
use fauxplat_report::parts::{Grid, Medium, Piece, Tone};
use fauxplat_report::say::{named, percent, visible};
use fauxplat_topology::{Chosen, CpuActivity};
use fauxplat_units::{CpuSet, Nanos};

use crate::findings::Pick;

pub(super) fn pieces(pick: &Pick, topology: &Topology) -> Vec<Piece> {
    let answer = format!("{}: {}", named(&pick.relation), pick.cpus);
    let mut pieces = vec![
        // In a terminal the list has its own line, so that a script can take the first line.
        Piece::plain(pick.cpus.to_string()).only(&[Medium::Terminal]),
        Piece::answer(Tone::Title, answer).only(&[Medium::Comment, Medium::Page]),
        Piece::table(table(pick, topology)).at(0),
    ];
    pieces.extend(notes(pick).into_iter().map(|note| Piece::plain(note).joined()));
    pieces
}

/// Table with a row for each chosen CPU, the best first if the relation ranks CPUs. Without a watch of the CPUs there
/// are no columns of activity.
fn table(pick: &Pick, topology: &Topology) -> Grid {
    let mut header = vec!["CPU", "core", "package", "node"];
    if pick.watched_ns.is_some() {
        header.extend(["busy", "steal", "interrupts/s", "softirqs/s", "pinned"]);
    }
    let mut grid = Grid::new(&header, &[7, 3]);
    for chosen in &pick.chosen {
        let number = |number: Option<u32>| number.map_or("–".to_owned(), |number| number.to_string());
        let group = |level| number(topology.group_of(level, chosen.cpu).map(|group| group.number));
        let node = topology.node_of(chosen.cpu).map(|node| node.node);
        let mut cells =
            vec![chosen.cpu.to_string(), group(GroupKind::Core), group(GroupKind::Package), number(node)];
        cells.extend(chosen.activity.iter().filter(|_| pick.watched_ns.is_some()).flat_map(figures));
        cells.resize(header.len(), "–".to_owned());
        grid.push(Tone::Plain, cells);
    }
    grid
}

fn figures(activity: &CpuActivity) -> [String; 5] {
    [
        percent(activity.busy_share),
        percent(activity.steal_share),
        format!("{:.0}", activity.interrupts_per_s),
        format!("{:.0}", activity.softirqs_per_s),
        pinned(activity),
    ]
}

/// Number of tasks that are bound to the CPU, such as `2 + 5 kernel`: user tasks, and kernel threads, of which every
/// CPU has some.
fn pinned(activity: &CpuActivity) -> String {
    format!("{} + {} kernel", activity.pinned_tasks, activity.pinned_kernel_threads)
}

/// Sentences about the reason for each CPU, the duration of the watch, names of pinned tasks, and busy siblings.
fn notes(pick: &Pick) -> Vec<String> {
    let mut notes = reasons(&pick.chosen);
    notes.extend(pick.watched_ns.map(|ns| format!("Watched for {}.", Nanos(ns))));
    for chosen in &pick.chosen {
        let Some(activity) = &chosen.activity else { continue };
        if !activity.pinned_names.is_empty() {
            let names: Vec<String> = activity.pinned_names.iter().map(|name| visible(name)).collect();
            notes.push(format!("Bound to CPU {} alone: {}.", chosen.cpu, names.join(", ")));
        }
        if let Some(share) = activity.sibling_busy_share.filter(|&share| share >= SIBLING_BUSY) {
            notes.push(format!(
                "The other thread of CPU {}'s core is busy for {}.",
                chosen.cpu,
                percent(share)
            ));
        }
    }
    notes
}

/// Share of its time from which on a busy sibling is reported.
const SIBLING_BUSY: f64 = 0.1;

/// Lines with the reasons for the chosen CPUs, one for all CPUs with the same reason.
fn reasons(chosen: &[Chosen]) -> Vec<String> {
    let mut lines: Vec<(String, CpuSet)> = Vec::new();
    for one in chosen {
        let why = format!("{}{}", one.why, if one.isolated { ", isolated" } else { "" });
        match lines.iter_mut().find(|(known, _)| *known == why) {
            Some((_, cpus)) => cpus.insert(one.cpu),
            None => lines.push((why, [one.cpu].into_iter().collect())),
        }
    }
    lines.into_iter().map(|(why, cpus)| format!("CPU {cpus}: {why}.")).collect()
}
