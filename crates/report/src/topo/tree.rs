//! The tree as text, a line per kind of part: equal ones are one line.

use std::io;

use fauxplat_model::{GroupKind, Topology};
use fauxplat_units::CpuSet;
use unicode_width::UnicodeWidthStr;

use super::objects::{Object, Part, Sort, Tree, merged, size};
use crate::grid::{Grid, Tone};
use crate::text::Page;
use crate::words::{counted, shorten, spaced};

/// One line: what stands at the left, and the CPUs of each such part at the right.
struct Line {
    left: String,
    cpus: Vec<String>,
}

/// Columns between the two.
const GAP: usize = 2;
/// Columns of CPUs that are always shown.
const CPUS_MIN: usize = 12;

pub(super) fn write(page: &mut Page, topology: &Topology) -> io::Result<()> {
    let tree = Tree::of(topology);
    let mut lines = vec![Line { left: machine(topology), cpus: vec![topology.online.to_string()] }];
    walk(&[&tree.machine], "", page.unicode(), &mut lines);
    let widest = lines.iter().map(|line| line.left.width()).max().unwrap_or(0);
    let left = widest.min(page.width - GAP - CPUS_MIN);
    for line in lines {
        let text = shorten(&line.left, left, page.ellipsis());
        let pad = " ".repeat(left - text.width() + GAP);
        let cpus = listed(&line.cpus, page.width - left - GAP, page.ellipsis());
        let shown = page.spell(&format!("{text}{pad}{cpus}"));
        page.line(Tone::Plain, &shown)?;
    }
    rest(page, topology, &tree.astray)
}

fn machine(topology: &Topology) -> String {
    let online = counted(topology.online.len(), "CPU", "CPUs");
    match topology.present.len() - topology.online.len() {
        0 => format!("machine, {online}"),
        _ => format!("machine, {online} of {} online", topology.present.len()),
    }
}

/// The lines below objects that are alike: their children, merged.
fn walk(alike: &[&Object], margin: &str, unicode: bool, lines: &mut Vec<Line>) {
    // A core's threads are told in its own line.
    let children: Vec<&Object> = alike.iter().flat_map(|object| &object.children).collect();
    let groups = merged(&children);
    let branches = if unicode { ["├ ", "└ ", "│ ", "  "] } else { ["|-", "`-", "| ", "  "] };
    for (place, group) in groups.iter().enumerate() {
        let is_last = place + 1 == groups.len();
        let branch = branches[usize::from(is_last)];
        let each = group.len() / alike.len();
        let count = if each * alike.len() == group.len() { each } else { group.len() };
        lines.push(Line { left: format!("{margin}{branch}{}", title(group, count)), cpus: cpus(group) });
        let below = format!("{margin}{}", branches[2 + usize::from(is_last)]);
        walk(group, &below, unicode, lines);
    }
}

/// `package 0, L3 32 MiB`, or `6 × core of 2 threads, L2 256 KiB`. A number is shown where there is only one.
fn title(alike: &[&Object], count: usize) -> String {
    let object = alike[0];
    let times = if count > 1 { format!("{count} × ") } else { String::new() };
    let mut parts: Vec<&Part> = object.parts.iter().collect();
    // What contains a core is a core to people, whatever caches it has for itself.
    parts.sort_by_key(|part| part.sort != Sort::Core);
    let single = alike.len() == 1;
    let words: Vec<String> = parts.iter().map(|part| words(part, object, single)).collect();
    format!("{times}{}", words.join(", "))
}

fn words(part: &Part, object: &Object, single: bool) -> String {
    let is_own = matches!(part.sort, Sort::OwnCache(..)) && object.has(Sort::Core);
    let number = if single && !is_own { format!(" {}", part.number) } else { String::new() };
    let size = part.size.map_or(String::new(), |bytes| format!(" {}", size(bytes)));
    let threads = match (part.sort, object.cpus.len()) {
        (Sort::Core, 1) => String::new(),
        (Sort::Core, threads) => format!(" of {threads} threads"),
        _ => String::new(),
    };
    format!("{}{number}{threads}{size}", part.name)
}

fn cpus(alike: &[&Object]) -> Vec<String> {
    alike.iter().map(|object| object.cpus.to_string()).collect()
}

/// The CPUs of each, with bars between them; where that is too wide, the first few and the last.
fn listed(each: &[String], width: usize, ellipsis: &str) -> String {
    let whole = each.join(BAR);
    let (Some(last), true) = (each.last(), whole.width() > width) else { return whole };
    let end = format!("{BAR}{ellipsis}{BAR}{last}");
    let mut first = 1;
    while each[..=first].join(BAR).width() + end.width() <= width {
        first += 1;
    }
    let begun = each[..first].join(BAR);
    // Where there is no room for the last one, it is only said that there are more.
    let more = format!("{}{BAR}{ellipsis}", each[0]);
    match (begun.width() + end.width() <= width, more.width() <= width) {
        (true, _) => begun + &end,
        (_, true) => more,
        _ => shorten(&whole, width, ellipsis),
    }
}

const BAR: &str = " | ";

/// What no tree shows: nodes and their distances, kinds, and CPUs that cannot be used.
fn rest(page: &mut Page, topology: &Topology, astray: &[Part]) -> io::Result<()> {
    if topology.kinds.len() > 1 {
        page.blank()?;
        page.table(0, &kinds(topology))?;
    }
    if topology.nodes.len() > 1 {
        page.blank()?;
        page.table(0, &nodes(topology))?;
    }
    let notes = notes(topology, astray);
    if !notes.is_empty() {
        page.blank()?;
    }
    notes.iter().try_for_each(|note| page.paragraph(Tone::Plain, 0, note))
}

/// Sentences about CPUs that are not like the others.
pub(super) fn notes(topology: &Topology, astray: &[Part]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut say = |cpus: &CpuSet, what: &str| {
        if !cpus.is_empty() {
            notes.push(format!("CPU {cpus} {what}"));
        }
    };
    say(&topology.offline(), "is offline; the kernel does not say which core it belongs to");
    let limited = |limit: &Option<CpuSet>| match limit {
        Some(limit) => topology.online.without(limit),
        None => CpuSet::new(),
    };
    say(&limited(&topology.cpuset), "is not in the cpuset of this process's control group");
    let by_cpuset = limited(&topology.cpuset);
    say(&limited(&topology.affinity).without(&by_cpuset), "is not in the affinity of this process");
    say(&topology.isolated, "is isolated: the kernel puts no task there by itself");
    say(&topology.nohz_full, "has no timer tick while one task runs (nohz_full)");
    if topology.level(GroupKind::Core).next().is_none() {
        notes.push("the kernel does not say which CPUs share a core".to_owned());
    }
    for part in astray {
        notes.push(format!("{} {} overlaps with other parts and is left out above", part.name, part.number));
    }
    notes
}

/// Distances between more nodes than this fill pages, and stand in JSON alone.
const DISTANCES_MAX: usize = 8;

/// The table of nodes, also for Markdown.
pub(super) fn nodes(topology: &Topology) -> Grid {
    let mut header = vec!["node".to_owned(), "CPUs".to_owned(), "memory".to_owned()];
    let distances = if topology.nodes.len() <= DISTANCES_MAX { &topology.nodes[..] } else { &[] };
    header.extend(distances.iter().map(|node| format!("to {}", node.node)));
    let titles: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut grid = Grid::new(&titles, &[]);
    for node in &topology.nodes {
        let mut cells = vec![node.node.to_string(), none(node.cpus.to_string())];
        cells.push(node.memory.map_or_else(|| "–".to_owned(), size));
        let distance = |place: usize| node.distances.get(place).map_or("–".to_owned(), u32::to_string);
        cells.extend((0..distances.len()).map(distance));
        grid.push(Tone::Plain, cells);
    }
    grid
}

/// The table of kinds.
pub(super) fn kinds(topology: &Topology) -> Grid {
    let mut grid = Grid::new(&["kind", "CPUs", "capacity", "highest frequency"], &[]);
    for kind in &topology.kinds {
        let frequency = kind.frequency_khz_max.map(|khz| format!("{:.2} GHz", khz as f64 / 1e6));
        let capacity = kind.capacity.map(|capacity| capacity.to_string());
        let cells = [
            Some(format!("{} ({})", kind.number, kind.name)),
            Some(kind.cpus.to_string()),
            capacity,
            frequency,
        ];
        grid.push(Tone::Plain, cells.map(|cell| cell.unwrap_or("–".to_owned())).to_vec());
    }
    grid
}

fn none(text: String) -> String {
    if text.is_empty() { "none".to_owned() } else { spaced(&text) }
}
