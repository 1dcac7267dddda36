//! The topology of a machine as nested boxes of characters, for a terminal.

use fauxplat_model::{GroupKind, Topology};
use fauxplat_report::say::{counted, shorten};
use fauxplat_units::{Cpu, CpuSet};
use unicode_width::UnicodeWidthStr;

use super::objects::{Object, ObjectPart, Sort, Tree, merged, size};

/// Maximum height of a drawing that shows equal parts separately; in higher drawings they are shown once, with their
/// number.
const LINES_MAX: usize = 120;

/// Minimum width to which the facts of a core are cut, in characters.
const FACT_MIN: usize = 12;

/// A part of the drawing: lines of equal width.
struct Block(Vec<String>);

impl Block {
    fn width(&self) -> usize {
        self.0.first().map_or(0, |line| line.width())
    }
}

struct Pen {
    corners: [char; 4],
    across: char,
    down: char,
    ellipsis: &'static str,
}

const UNICODE: Pen =
    Pen { corners: ['┌', '┐', '└', '┘'], across: '─', down: '│', ellipsis: "…" };
const ASCII: Pen = Pen { corners: ['+', '+', '+', '+'], across: '-', down: '|', ellipsis: ".." };

struct Painter<'t> {
    topology: &'t Topology,
    pen: Pen,
    merge: bool,
}

/// Draws the machine as lines of at most `width` columns, unless a single core is wider.
pub(super) fn draw(topology: &Topology, width: usize, unicode: bool) -> Vec<String> {
    let tree = Tree::of(topology);
    let pen = || if unicode { UNICODE } else { ASCII };
    let full = Painter { topology, pen: pen(), merge: false }.object(&[&tree.machine], width);
    match full.0.len() > LINES_MAX {
        true => Painter { topology, pen: pen(), merge: true }.object(&[&tree.machine], width).0,
        false => full.0,
    }
}

impl Painter<'_> {
    /// Draws one object of the tree, or several equal ones, as a box.
    fn object(&self, alike: &[&Object], width: usize) -> Block {
        let object = alike[0];
        let inside = width.saturating_sub(4);
        let mut lines: Vec<String> = self
            .facts(alike)
            .iter()
            .map(|fact| shorten(fact, inside.max(FACT_MIN), self.pen.ellipsis))
            .collect();
        let children: Vec<&Object> = object.children.iter().collect();
        let groups = match self.merge {
            true => merged(&children),
            false => children.into_iter().map(|child| vec![child]).collect(),
        };
        let blocks: Vec<Block> = groups.iter().map(|group| self.object(group, inside)).collect();
        lines.extend(beside_each_other(&blocks, inside));
        self.framed(&self.title(alike), &lines)
    }

    fn title(&self, alike: &[&Object]) -> String {
        let object = alike[0];
        let head = object.parts.iter().find(|part| part.sort == Sort::Core).or(object.parts.first());
        match head {
            None => format!("machine, {}", counted(self.topology.online.len(), "CPU", "CPUs")),
            Some(part) if alike.len() > 1 => format!("{} × {}", alike.len(), part.name),
            Some(part) => format!("{} {}", part.name, part.number),
        }
    }

    /// Facts that stand in a box above its inner boxes: size of the first part, the other parts, CPUs.
    fn facts(&self, alike: &[&Object]) -> Vec<String> {
        let object = alike[0];
        let is_core = object.has(Sort::Core);
        let mut facts: Vec<String> = Vec::new();
        for (place, part) in object.parts.iter().enumerate() {
            let is_title = if is_core { part.sort == Sort::Core } else { place == 0 };
            let is_own = is_core && matches!(part.sort, Sort::OwnCache(..));
            facts.extend(self.fact(part, is_title, is_own || alike.len() > 1));
        }
        let cpus = match alike.len() {
            1 => object.own_cpus().iter().map(|&cpu| self.cpu(cpu)).collect::<Vec<_>>().join(" "),
            _ => alike.iter().fold(CpuSet::new(), |all, object| all.union(&object.cpus)).to_string(),
        };
        if !cpus.is_empty() {
            facts.push(format!("CPU {cpus}"));
        }
        facts
    }

    fn fact(&self, part: &ObjectPart, is_title: bool, unnumbered: bool) -> Option<String> {
        let bytes = part.size.map(size);
        match (is_title, bytes) {
            (true, bytes) => bytes,
            (false, bytes) => {
                let number = if unnumbered { String::new() } else { format!(" {}", part.number) };
                let bytes = bytes.map_or(String::new(), |bytes| format!(" {bytes}"));
                Some(format!("{}{number}{bytes}", part.name))
            }
        }
    }

    /// The number of a CPU, in parentheses if this process may not use the CPU.
    fn cpu(&self, cpu: Cpu) -> String {
        match self.topology.allowed.contains(cpu) {
            true => cpu.to_string(),
            false => format!("({cpu})"),
        }
    }

    fn framed(&self, title: &str, lines: &[String]) -> Block {
        let Pen { corners: [a, b, c, d], across, down, ellipsis, .. } = &self.pen;
        let across = |columns: usize| across.to_string().repeat(columns);
        let inner = lines.iter().map(|line| line.width()).max().unwrap_or(0).max(title.width() + 1);
        let title = shorten(title, inner, ellipsis);
        let mut block = vec![format!("{a} {title} {}{b}", across(inner - title.width()))];
        for line in lines {
            block.push(format!("{down} {line}{} {down}", " ".repeat(inner - line.width())));
        }
        block.push(format!("{c}{}{d}", across(inner + 2)));
        Block(block)
    }
}

/// Arranges blocks in rows of at most `width` columns, each row as high as its highest block; returns the lines.
fn beside_each_other(blocks: &[Block], width: usize) -> Vec<String> {
    let rows = rows(blocks, width, blocks.len()).len().max(1);
    // Blocks are distributed evenly: if five of six blocks fit in a row, there are two rows of three.
    let even = blocks.len().div_ceil(rows);
    self::rows(blocks, width, even).iter().flat_map(|row| joined(row)).collect()
}

/// Divides blocks into rows: as many in each as fit into `width` columns, up to `blocks_max`.
fn rows(blocks: &[Block], width: usize, blocks_max: usize) -> Vec<Vec<&Block>> {
    let mut rows: Vec<Vec<&Block>> = Vec::new();
    let mut used = 0;
    for block in blocks {
        match rows.last_mut().filter(|row| row.len() < blocks_max && used + 1 + block.width() <= width) {
            Some(row) => {
                used += 1 + block.width();
                row.push(block);
            }
            None => {
                used = block.width();
                rows.push(vec![block]);
            }
        }
    }
    rows
}

fn joined(row: &[&Block]) -> Vec<String> {
    let height = row.iter().map(|block| block.0.len()).max().unwrap_or(0);
    let line = |index: usize| {
        let cells = row.iter().map(|block| match block.0.get(index) {
            Some(line) => line.clone(),
            None => " ".repeat(block.width()),
        });
        cells.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// Explanation of the marks in the drawing; `None` if there are none.
pub(super) fn legend(topology: &Topology) -> Option<String> {
    let forbidden = topology.online.without(&topology.allowed);
    let has_cores = topology.level(GroupKind::Core).next().is_some();
    (!forbidden.is_empty() && has_cores).then(|| "(n): this process may not use CPU n".to_owned())
}
