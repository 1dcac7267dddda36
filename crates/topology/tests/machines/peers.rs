//! Machines of which hwloc and lscpu keep captures for their own tests, described anew in `fixtures/sysfs/peers`, with
//! the expected parts of each: those that these tools report, or different parts for a stated reason.
//!
//! `fixtures/sysfs/README.md` describes the lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fauxplat_model::{GroupKind, Topology};
use fauxplat_report::{Format, Style};
use fauxplat_topology::{Depth, pick, read, survey};
use fauxplat_units::{Cpu, CpuSet};

use crate::expand::{expand, sets};
use crate::parts::{every_form, report};
use crate::{fixture, in_memory};

/// The lists of CPUs of a machine's parts, by the name of the level.
type Parts = BTreeMap<String, BTreeSet<String>>;

struct Peer {
    name: String,
    /// The description from which the files are expanded.
    tree: String,
    /// Names of the other tools' tests that use a capture of this machine.
    tests: Vec<String>,
    /// Names of the captures that other tools kept in the past, or of variants, which the machine stands for.
    shapes: Vec<String>,
    parts: Parts,
    /// Expected columns of `lscpu -p`: the sets of CPUs in the order of their numbers.
    columns: BTreeMap<String, Vec<String>>,
    /// Levels for which another tool reports other sets.
    others: Parts,
    reasons: usize,
}

impl Peer {
    fn of(name: &str, text: &str) -> Self {
        let (tree, answer) = text.split_once("\n---\n").unwrap_or_else(|| panic!("{name} has no answer"));
        let mut peer = Peer {
            name: name.to_owned(),
            tree: tree.to_owned(),
            tests: Vec::new(),
            shapes: Vec::new(),
            parts: Parts::new(),
            columns: BTreeMap::new(),
            others: Parts::new(),
            reasons: 0,
        };
        answer.lines().filter(|line| !line.is_empty()).for_each(|line| peer.line(line));
        peer
    }

    fn line(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let (first, rest): (_, Vec<&str>) = (words.next().expect("lines have words"), words.collect());
        let level = || rest[0].to_owned();
        let all = || rest[1..].iter().filter(|word| **word != "-").flat_map(|word| sets(word));
        let set = |cpus: Vec<u32>| cpus.into_iter().map(Cpu).collect::<CpuSet>().to_string();
        match first {
            "tests" => self.tests.extend(rest.iter().map(|&name| name.to_owned())),
            "shapes" => self.shapes.extend(rest.iter().map(|&name| name.to_owned())),
            "is" => drop(self.parts.insert(level(), all().map(set).collect())),
            "column" => drop(self.columns.insert(level(), all().map(set).collect())),
            "hwloc" | "lscpu" => drop(self.others.insert(level(), all().map(set).collect())),
            "because" => self.reasons += 1,
            other => panic!("{}: `{other}` begins no line of an answer", self.name),
        }
    }
}

fn peers() -> Vec<Peer> {
    let mut files: Vec<_> =
        std::fs::read_dir(fixture("peers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let name = |file: &std::path::Path| file.file_stem().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|file| Peer::of(&name(file), &std::fs::read_to_string(file).unwrap())).collect()
}

/// The parts of a topology; levels that the machine lacks have no entry.
fn told(topology: &Topology) -> Parts {
    let mut parts = Parts::new();
    let mut tell = |level: String, cpus: &CpuSet| {
        parts.entry(level).or_default().insert(cpus.to_string());
    };
    tell("online".into(), &topology.online);
    for (level, cpus) in [
        ("offline", topology.offline()),
        ("disallowed", topology.online.without(&topology.allowed)),
        ("isolated", topology.isolated.clone()),
    ] {
        if !cpus.is_empty() {
            tell(level.into(), &cpus);
        }
    }
    topology.groups.iter().for_each(|group| tell(group.level.name().into(), &group.cpus));
    topology.caches.iter().for_each(|cache| tell(cache.name(), &cache.cpus.intersection(&topology.online)));
    topology.kinds.iter().for_each(|kind| tell("kind".into(), &kind.cpus));
    for node in &topology.nodes {
        tell(format!("node{}", node.node), &node.cpus);
    }
    // A level whose only parts are nodes without CPUs keeps its entry, without sets.
    parts.values_mut().for_each(|sets| sets.retain(|cpus| !cpus.is_empty()));
    parts
}

fn shown(parts: &Parts) -> String {
    parts.iter().fold(String::new(), |mut text, (level, sets)| {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let _ = writeln!(text, "{level} {}", sets.join(" "));
        text
    })
}

/// The columns of a page of `lscpu -p`, each as the sets of CPUs with the same number.
fn columns(page: &str) -> BTreeMap<String, Vec<String>> {
    let header = page.lines().rfind(|line| line.starts_with('#')).unwrap_or("#").trim_start_matches("# ");
    let names: Vec<&str> = header.split(',').filter(|name| !name.is_empty()).collect();
    let mut found: BTreeMap<String, BTreeMap<u32, BTreeSet<u32>>> = BTreeMap::new();
    for row in page.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> =
            row.splitn(5, ',').flat_map(|cell| cell.strip_prefix(',').unwrap_or(cell).split(',')).collect();
        let Some(cpu) = cells.first().and_then(|cell| cell.parse::<u32>().ok()) else { continue };
        for (name, cell) in names.iter().zip(&cells).skip(1) {
            if let Ok(number) = cell.parse() {
                found.entry((*name).to_owned()).or_default().entry(number).or_default().insert(cpu);
            }
        }
    }
    let set = |cpus: BTreeSet<u32>| cpus.into_iter().map(Cpu).collect::<CpuSet>().to_string();
    found.into_iter().map(|(name, by)| (name, by.into_values().map(set).collect())).collect()
}

#[test]
fn what_other_tools_know_of_their_machines_is_known() {
    let mut wrong = String::new();
    for peer in peers() {
        let root = in_memory();
        expand(&peer.tree, root.path()).unwrap();
        let (topology, warnings) = read(root.path());
        let told = told(&topology);
        if told != peer.parts {
            let differs = |parts: &Parts, from: &Parts| {
                let kept = parts.iter().filter(|(level, sets)| from.get(*level) != Some(sets));
                shown(&kept.map(|(level, sets)| (level.clone(), sets.clone())).collect())
            };
            let (is, expected) = (differs(&told, &peer.parts), differs(&peer.parts, &told));
            let _ = writeln!(wrong, "{}\n is\n{is} is to be\n{expected} {warnings:?}", peer.name);
        }
        picks(&peer.name, &topology);
        questions(&topology);
        let facts = fauxplat_topology::discover(root.path());
        let (_, shown, _) = survey(root.path(), Depth::Shown);
        for (width, unicode) in
            [40, 60, 80, 200].into_iter().flat_map(|width| [(width, true), (width, false)])
        {
            let style = Style { width, unicode, ..Style::default() };
            every_form(&topology, &facts, &style);
            report(shown.clone(), facts.clone(), Format::Text, &style);
        }
        let page = report(topology, facts, Format::Lscpu, &Style::default());
        let columns = columns(&page);
        for (name, sets) in &peer.columns {
            if columns.get(name) != Some(sets) {
                let _ =
                    writeln!(wrong, "{} lscpu {name}: {:?} and not {sets:?}", peer.name, columns.get(name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Checks that `one-per-core` and `one-per-package` pick the lowest allowed CPU of each part.
fn picks(name: &str, topology: &Topology) {
    for (relation, level) in [("one-per-core", GroupKind::Core), ("one-per-package", GroupKind::Package)] {
        let firsts: CpuSet = topology
            .level(level)
            .filter_map(|group| group.cpus.intersection(&topology.allowed).first())
            .collect();
        let chosen = pick(&relation.parse().unwrap(), topology, None);
        let chosen: CpuSet = chosen.into_iter().flatten().map(|one| one.cpu).collect();
        if !firsts.is_empty() {
            assert_eq!(chosen, firsts, "{name} {relation}");
        }
    }
}

/// Asks about the first and the last CPU by every level; no answer names a CPU that may not be used.
fn questions(topology: &Topology) {
    let levels =
        ["cpu", "core", "l1", "l2", "l3", "cluster", "die", "package", "node", "kind", "book", "drawer"];
    let mut asked: Vec<String> = levels.iter().map(|level| format!("one-per-{level}")).collect();
    let ends = [topology.online.iter().next(), topology.online.iter().last()];
    for cpu in ends.into_iter().flatten() {
        asked.extend(levels.iter().flat_map(|level| {
            ["same", "other", "other-core-same"].map(|relation| format!("{relation}-{level}:{cpu}"))
        }));
        asked.push(format!("sibling-of:{cpu}"));
    }
    asked.extend(
        ["all", "p-cores", "e-cores", "isolated", "node:0", "node:255", "!node:0"].map(str::to_owned),
    );
    // Some levels are no words of a relation, and are refused.
    for relation in asked.iter().filter_map(|text| text.parse().ok()) {
        let chosen = pick(&relation, topology, None).unwrap_or_default();
        assert!(chosen.iter().all(|one| topology.allowed.contains(one.cpu)), "{relation}");
    }
}

/// Where another tool reports other sets, the description gives a reason, and the sets really differ.
#[test]
fn what_is_said_otherwise_has_a_reason() {
    for peer in peers() {
        assert_eq!(peer.others.is_empty(), peer.reasons == 0, "{}", peer.name);
        for (level, sets) in &peer.others {
            let ours = peer.parts.get(level).cloned().unwrap_or_default();
            assert_ne!(&ours, sets, "{} {level}: the other tool says so, too", peer.name);
        }
    }
}

/// Every test of the other tools belongs to exactly one peer.
#[test]
fn each_test_of_the_other_tools_has_its_row() {
    let all = peers();
    let named: BTreeSet<&str> = all.iter().flat_map(|peer| &peer.tests).map(String::as_str).collect();
    let counted = all.iter().map(|peer| peer.tests.len()).sum::<usize>();
    assert_eq!((named.len(), counted), (HWLOC + LSCPU, HWLOC + LSCPU));
}

/// A machine belongs to a test of another tool, or stands for a shape that had a capture.
#[test]
fn each_machine_says_what_it_stands_for() {
    for peer in peers() {
        assert_ne!(peer.tests.is_empty(), peer.shapes.is_empty(), "{}", peer.name);
    }
}

/// Number of captures in `tests/hwloc/linux` of hwloc; [`LSCPU`] counts those in `tests/ts/lscpu/dumps` of util-linux.
const HWLOC: usize = 51;
const LSCPU: usize = 22;
