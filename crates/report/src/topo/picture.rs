//! Nested boxes as a drawing.

use fauxplat_model::Topology;
use fauxplat_units::Cpu;
use maud::{Markup, html};

use super::objects::{Object, Part, Sort, Tree, size};
use crate::svg::{Anchor, TEXT_SIZE, document, rect, text, text_width};
use crate::words::counted;

/// Pixels around everything within a box, and between boxes.
const GAP: f64 = 8.0;
/// Height of a line of text.
const LINE: f64 = 16.0;
/// A logical CPU.
const CPU_WIDTH: f64 = 34.0;
const CPU_HEIGHT: f64 = 24.0;

/// A laid-out box: its size, and how it is drawn when its corner is known.
struct Laid {
    width: f64,
    height: f64,
    lines: Vec<String>,
    class: String,
    hint: String,
    children: Vec<(f64, f64, Laid)>,
}

/// The whole drawing.
pub(super) fn draw(topology: &Topology, name: &str) -> String {
    let tree = Tree::of(topology);
    let laid = object(&tree.machine, topology, name);
    let (width, height) = (laid.width + 2.0 * GAP, laid.height + 2.0 * GAP);
    let notes = super::tree::notes(topology, &tree.astray);
    let footer: Markup = html! {
        @for (place, note) in notes.iter().enumerate() {
            (text(GAP, height + LINE * (place as f64 + 0.6), Anchor::Start, TEXT_SIZE, "faint", note))
        }
    };
    let body = html! { (laid.draw(GAP, GAP)) (footer) };
    let noted = notes.iter().map(|note| text_width(note, TEXT_SIZE)).fold(0.0, f64::max) + 2.0 * GAP;
    let title = format!("Topology of {name}");
    let description = format!("{} in nested boxes", counted(topology.online.len(), "CPU", "CPUs"));
    document(width.max(noted), height + LINE * notes.len() as f64, &title, &description, &body)
}

fn object(object: &Object, topology: &Topology, name: &str) -> Laid {
    let mut lines: Vec<String> = object.parts.iter().map(|part| label(part, object)).collect();
    if object.parts.is_empty() {
        lines.push(name.to_owned());
    }
    let mut children: Vec<Laid> =
        object.children.iter().map(|child| self::object(child, topology, name)).collect();
    children.extend(object.own_cpus().into_iter().map(|cpu| thread(cpu, topology)));
    let hint = format!("CPU {}", object.cpus);
    arranged(lines, class(object), hint, children)
}

fn label(part: &Part, object: &Object) -> String {
    let is_own = matches!(part.sort, Sort::OwnCache(..)) && object.has(Sort::Core);
    let number = if is_own { String::new() } else { format!(" {}", part.number) };
    let bytes = part.size.map_or(String::new(), |bytes| format!(" · {}", size(bytes)));
    format!("{}{number}{bytes}", part.name)
}

/// Each kind of part has a tint of its own; what contains more is fainter.
fn class(object: &Object) -> String {
    let tint = match object.parts.iter().map(|part| part.sort).max() {
        None => 0,
        Some(Sort::Core) => 1,
        Some(Sort::OwnCache(..) | Sort::Cluster) => 2,
        Some(Sort::SharedCache(_)) => 3,
        Some(Sort::Die) => 4,
        Some(Sort::Node) => 5,
        Some(Sort::Drawer | Sort::Book | Sort::Package) => 6,
    };
    format!("box tint{tint}")
}

fn thread(cpu: Cpu, topology: &Topology) -> Laid {
    let is_allowed = topology.allowed.contains(cpu);
    let word = if is_allowed { "" } else { ": this process may not use it" };
    Laid {
        width: CPU_WIDTH.max(text_width(&cpu.to_string(), TEXT_SIZE) + GAP),
        height: CPU_HEIGHT,
        lines: vec![cpu.to_string()],
        class: if is_allowed { "box tint0".to_owned() } else { "box tint0 off".to_owned() },
        hint: format!("CPU {cpu}{word}"),
        children: Vec::new(),
    }
}

/// Puts the children into rows that make the box about twice as wide as high.
fn arranged(lines: Vec<String>, class: String, hint: String, children: Vec<Laid>) -> Laid {
    let area: f64 = children.iter().map(|child| (child.width + GAP) * (child.height + GAP)).sum();
    let widest = children.iter().map(|child| child.width).fold(0.0, f64::max);
    let room = (2.0 * area).sqrt().max(widest);
    let head = lines.len() as f64 * LINE + GAP / 2.0;
    let (mut x, mut y, mut row, mut used) = (GAP, head, 0.0_f64, 0.0_f64);
    let mut placed = Vec::with_capacity(children.len());
    for child in children {
        if x > GAP && x + child.width > room + GAP {
            (x, y, row) = (GAP, y + row + GAP, 0.0);
        }
        let at = (x, y);
        x += child.width + GAP;
        used = used.max(x);
        row = row.max(child.height);
        placed.push((at.0, at.1, child));
    }
    let words = lines.iter().map(|line| text_width(line, TEXT_SIZE)).fold(0.0, f64::max) + 2.0 * GAP;
    let bottom = if placed.is_empty() { head } else { y + row };
    Laid { width: used.max(words), height: bottom + GAP, lines, class, hint, children: placed }
}

impl Laid {
    fn draw(&self, x: f64, y: f64) -> Markup {
        let is_thread = self.children.is_empty() && self.lines.len() == 1;
        html! {
            (rect(x, y, self.width, self.height, &self.class, &self.hint))
            @if is_thread {
                (text(x + self.width / 2.0, y + self.height / 2.0 + TEXT_SIZE / 3.0, Anchor::Middle, TEXT_SIZE, "", &self.lines[0]))
            } @else {
                @for (place, line) in self.lines.iter().enumerate() {
                    (text(x + GAP, y + LINE * (place as f64 + 0.85), Anchor::Start, TEXT_SIZE, if place == 0 { "strong" } else { "" }, line))
                }
            }
            @for (left, top, child) in &self.children {
                (child.draw(x + left, y + top))
            }
        }
    }
}
