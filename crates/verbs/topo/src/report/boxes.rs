//! The parts of a machine as nested boxes, for drawings.

use fauxplat_model::Topology;
use fauxplat_report::parts::{Boxes, TreeBox};
use fauxplat_report::say::counted;
use fauxplat_units::Cpu;

use super::objects::{Object, ObjectPart, Sort, Tree, size};
use super::tree::notes;

/// Boxes for every part of the machine, without merging equal ones.
pub(super) fn boxes(topology: &Topology, name: &str) -> Boxes {
    let tree = Tree::of(topology);
    Boxes {
        title: format!("Topology of {name}"),
        description: format!("{} in nested boxes", counted(topology.online.len(), "CPU", "CPUs")),
        whole: object(&tree.machine, topology, name),
        notes: notes(topology, &tree.astray),
    }
}

fn object(object: &Object, topology: &Topology, name: &str) -> TreeBox {
    let mut lines: Vec<String> = object.parts.iter().map(|part| label(part, object)).collect();
    if object.parts.is_empty() {
        lines.push(name.to_owned());
    }
    let mut children: Vec<TreeBox> =
        object.children.iter().map(|child| self::object(child, topology, name)).collect();
    children.extend(object.own_cpus().into_iter().map(|cpu| thread(cpu, topology)));
    TreeBox { lines, tint: tint(object), usable: true, hint: format!("CPU {}", object.cpus), children }
}

fn label(part: &ObjectPart, object: &Object) -> String {
    let is_own = matches!(part.sort, Sort::OwnCache(..)) && object.has(Sort::Core);
    let number = if is_own { String::new() } else { format!(" {}", part.number) };
    let bytes = part.size.map_or(String::new(), |bytes| format!(" · {}", size(bytes)));
    format!("{}{number}{bytes}", part.name)
}

/// Number of the colour for the kind of a part. Parts that contain more are fainter.
fn tint(object: &Object) -> usize {
    match object.parts.iter().map(|part| part.sort).max() {
        None => 0,
        Some(Sort::Core) => 1,
        Some(Sort::OwnCache(..) | Sort::Cluster) => 2,
        Some(Sort::SharedCache(_)) => 3,
        Some(Sort::Die) => 4,
        Some(Sort::Node) => 5,
        Some(Sort::Drawer | Sort::Book | Sort::Package) => 6,
    }
}

fn thread(cpu: Cpu, topology: &Topology) -> TreeBox {
    let usable = topology.allowed.contains(cpu);
    let word = if usable { "" } else { ": this process may not use it" };
    TreeBox {
        lines: vec![cpu.to_string()],
        tint: 0,
        usable,
        hint: format!("CPU {cpu}{word}"),
        children: Vec::new(),
    }
}
