//! The tree of a machine's parts, with one branch for all equal parts.

use fauxplat_model::{GroupKind, Topology};
use fauxplat_report::parts::{Branch, Grid, Piece, Tone};
use fauxplat_report::say::counted;
use fauxplat_units::CpuSet;

use super::objects::{Object, ObjectPart, Sort, Tree, merged, size};

/// Pieces of the report: the tree, in which each branch has the CPUs of all its parts beside it, further tables, and
/// notes.
pub(super) fn pieces(topology: &Topology) -> Vec<Piece> {
    let tree = Tree::of(topology);
    let mut branches = vec![branch(0, machine(topology), vec![topology.online.to_string()])];
    walk(&[&tree.machine], 1, &mut branches);
    let mut pieces = vec![Piece::sets(branches)];
    pieces.extend(tables(topology));
    pieces.extend(sentences(notes(topology, &tree.astray)));
    pieces
}

/// Tables of facts that the tree does not show: NUMA nodes with their distances, and kinds of CPUs.
fn tables(topology: &Topology) -> Vec<Piece> {
    let kinds = (topology.kinds.len() > 1).then(|| kinds(topology));
    let nodes = (topology.nodes.len() > 1).then(|| nodes(topology));
    kinds.into_iter().chain(nodes).map(|grid| Piece::table(grid).at(0)).collect()
}

/// Pieces for sentences that no empty lines separate.
fn sentences(notes: Vec<String>) -> impl Iterator<Item = Piece> {
    notes.into_iter().enumerate().map(|(index, note)| match index {
        0 => Piece::plain(note),
        _ => Piece::plain(note).joined(),
    })
}

fn branch(depth: usize, text: String, beside: Vec<String>) -> Branch {
    Branch { tone: Tone::Plain, depth, text, beside }
}

fn machine(topology: &Topology) -> String {
    let online = counted(topology.online.len(), "CPU", "CPUs");
    match topology.present.len() - topology.online.len() {
        0 => format!("machine, {online}"),
        _ => format!("machine, {online} of {} online", topology.present.len()),
    }
}

/// Adds the branches below equal objects: their children, merged into one branch where they are equal.
fn walk(alike: &[&Object], depth: usize, branches: &mut Vec<Branch>) {
    // Hardware threads have no branches; the line of their core mentions them.
    let children: Vec<&Object> = alike.iter().flat_map(|object| &object.children).collect();
    for group in merged(&children) {
        let each = group.len() / alike.len();
        let count = if each * alike.len() == group.len() { each } else { group.len() };
        let cpus = group.iter().map(|object| object.cpus.to_string()).collect();
        branches.push(branch(depth, title(&group, count), cpus));
        walk(&group, depth + 1, branches);
    }
}

/// The title of a branch for equal objects, such as `package 0, L3 32 MiB` or `6 × core of 2 threads, L2 256 KiB`. Only
/// a single part is shown with its number.
fn title(alike: &[&Object], count: usize) -> String {
    let object = alike[0];
    let times = if count > 1 { format!("{count} × ") } else { String::new() };
    let mut parts: Vec<&ObjectPart> = object.parts.iter().collect();
    // The word for a core comes first, even if the object also has caches.
    parts.sort_by_key(|part| part.sort != Sort::Core);
    let single = alike.len() == 1;
    let words: Vec<String> = parts.iter().map(|part| words(part, object, single)).collect();
    format!("{times}{}", words.join(", "))
}

fn words(part: &ObjectPart, object: &Object, single: bool) -> String {
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

/// Sentences about CPUs that differ from the others.
pub(super) fn notes(topology: &Topology, astray: &[ObjectPart]) -> Vec<String> {
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
    let forbidden = topology.forbidden_nodes();
    if !forbidden.is_empty() {
        notes.push(format!("memory node {forbidden} is not in the cpuset of this process's control group"));
    }
    if topology.level(GroupKind::Core).next().is_none() {
        notes.push("the kernel does not say which CPUs share a core".to_owned());
    }
    for part in astray {
        notes.push(format!("{} {} overlaps with other parts and is left out above", part.name, part.number));
    }
    notes
}

/// Maximum number of NUMA nodes for which the table has distances. With more nodes only JSON contains the distances.
const DISTANCES_MAX: usize = 8;

fn nodes(topology: &Topology) -> Grid {
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

fn kinds(topology: &Topology) -> Grid {
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
    if text.is_empty() { "none".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::NumaNode;

    use super::*;

    #[test]
    fn memory_nodes_outside_of_the_cpuset_are_named() {
        let node = |node| NumaNode { node, cpus: CpuSet::new(), memory: None, distances: Vec::new() };
        let memory_nodes = Some("0".parse().unwrap());
        let topology = Topology { nodes: vec![node(0), node(1)], memory_nodes, ..Topology::default() };
        let told = notes(&topology, &[]);
        assert!(told.iter().any(|note| note.starts_with("memory node 1 is not in the cpuset")), "{told:?}");
    }
}
