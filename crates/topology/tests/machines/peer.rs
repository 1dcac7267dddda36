//! Reads the descriptions in `fixtures/sysfs/peers`: of machines of which hwloc and lscpu keep captures for their own
//! tests, with the expected parts of each. The tests of `topo` share this module.
//!
//! `fixtures/sysfs/README.md` describes the lines.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_units::{Cpu, CpuSet};

use crate::expand::sets;
use crate::fixture;

/// The lists of CPUs of a machine's parts, by the name of the level.
pub(crate) type Parts = BTreeMap<String, BTreeSet<String>>;

pub(crate) struct Peer {
    pub(crate) name: String,
    /// The description from which the files are expanded.
    pub(crate) tree: String,
    /// Names of the other tools' tests that use a capture of this machine.
    pub(crate) tests: Vec<String>,
    /// Names of the captures that other tools kept in the past, or of variants, which the machine stands for.
    pub(crate) shapes: Vec<String>,
    pub(crate) parts: Parts,
    /// Expected columns of `lscpu -p`: the sets of CPUs in the order of their numbers.
    pub(crate) columns: BTreeMap<String, Vec<String>>,
    /// Levels for which another tool reports other sets.
    pub(crate) others: Parts,
    pub(crate) reasons: usize,
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

pub(crate) fn peers() -> Vec<Peer> {
    let mut files: Vec<_> =
        std::fs::read_dir(fixture("peers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let name = |file: &std::path::Path| file.file_stem().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|file| Peer::of(&name(file), &std::fs::read_to_string(file).unwrap())).collect()
}
