//! Reports of machines of which hwloc and lscpu keep captures for their own tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fauxplat_report::{Format, Style};
use fauxplat_topology::{Depth, survey};
use fauxplat_units::{Cpu, CpuSet};

use crate::expand::expand;
use crate::in_memory;
use crate::parts::{every_form, report};
use crate::peer::peers;

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
fn machines_of_other_tools_have_every_form_and_the_columns_of_lscpu() {
    let mut wrong = String::new();
    for peer in peers() {
        let root = in_memory();
        expand(&peer.tree, root.path()).unwrap();
        let (facts, topology, _) = survey(root.path(), Depth::Whole);
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
