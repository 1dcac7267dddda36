//! The parts of the described machines, in every form of the report.

use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{MachineFacts, Topology};
use fauxplat_report::{Format, Style, know_reports, write};
use fauxplat_topo::{TopoFindings, TopoReport};
use fauxplat_topology::{Depth, survey};

use crate::{described, fixture, parts_of};

/// The machines in `fixtures/sysfs/machines`.
const MACHINES: [&str; 10] = [
    "two-sockets",
    "hybrid",
    "many-l3",
    "cpu0-offline",
    "container",
    "arm-three-kinds",
    "mainframe",
    "power-smt8",
    "modules",
    "five-hundred-twelve",
];

fn written(machine: &str, format: Format, style: &Style) -> String {
    let (topology, facts) = parts_of(machine);
    report(topology, facts, format, style)
}

pub(crate) fn report(topology: Topology, facts: MachineFacts, format: Format, style: &Style) -> String {
    let header = Header {
        fauxplat_version: "0.0.0".into(),
        started: "2026-11-21T00:00:00Z".into(),
        invocation: vec!["fauxplat".into(), "topo".into()],
        machine: facts,
        ..Header::default()
    };
    shown(&header, &TopoFindings { topology, pick: None }, format, style)
}

pub(crate) fn shown(header: &Header, findings: &TopoFindings, format: Format, style: &Style) -> String {
    know_reports(vec![&TopoReport]);
    let findings = Findings::Own(findings.findings().unwrap());
    let mut out = Vec::new();
    let record = Record { header, commands: &[], samples: &[], findings: &findings };
    write(&record, format, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Writes every form that the report has.
pub(crate) fn every_form(topology: &Topology, facts: &MachineFacts, style: &Style) {
    know_reports(vec![&TopoReport]);
    for format in Format::ALL.into_iter().filter(|format| format.suits("topo").is_ok()) {
        report(topology.clone(), facts.clone(), format, style);
    }
}

/// Reading with [`Depth::Shown`] gives the same report as reading everything.
#[test]
fn what_is_shown_is_all_that_is_shown() {
    for machine in MACHINES {
        let root = described(machine);
        let [shown, whole] = [Depth::Shown, Depth::Whole].map(|depth| survey(root.path(), depth));
        assert!(shown.1.caches.iter().all(|cache| cache.line.is_none()), "{machine}: nothing is left out");
        for format in [Format::Text, Format::Boxes] {
            let written = |(facts, parts, _): &(MachineFacts, Topology, Vec<String>)| {
                report(parts.clone(), facts.clone(), format, &Style::default())
            };
            assert_eq!(written(&shown), written(&whole), "{machine} as {format}");
        }
    }
}

#[test]
fn every_description_is_tested() {
    let mut found: Vec<String> = std::fs::read_dir(fixture("machines"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    let mut tested = MACHINES.map(str::to_owned);
    tested.sort();
    assert_eq!(found, tested);
}

#[test]
fn trees_are_short() {
    for machine in MACHINES {
        insta::assert_snapshot!(format!("tree-{machine}"), written(machine, Format::Text, &Style::default()));
    }
}

#[test]
fn rows_are_those_of_lscpu() {
    for machine in MACHINES.into_iter().filter(|machine| *machine != "five-hundred-twelve") {
        insta::assert_snapshot!(
            format!("lscpu-{machine}"),
            written(machine, Format::Lscpu, &Style::default())
        );
    }
}

#[test]
fn boxes_fit_the_page() {
    for machine in MACHINES {
        for (width, unicode) in [(80, true), (120, false)] {
            let style = Style { width, unicode, ..Style::default() };
            let drawn = written(machine, Format::Boxes, &style);
            assert!(drawn.lines().all(|line| line.chars().count() <= width), "{machine} {width}:\n{drawn}");
            assert!(unicode || drawn.is_ascii(), "{machine}");
        }
    }
    for machine in ["two-sockets", "hybrid", "mainframe"] {
        insta::assert_snapshot!(
            format!("boxes-{machine}"),
            written(machine, Format::Boxes, &Style::default())
        );
    }
}

#[test]
fn a_document_names_what_the_contract_names() {
    let document: serde_json::Value =
        serde_json::from_str(&written("two-sockets", Format::Json, &Style::default())).unwrap();
    assert_eq!(document["schema"], "fauxplat.topo/1");
    let cpu = &document["cpus"][20];
    assert_eq!(
        (&cpu["cpu"], &cpu["core"], &cpu["package"], &cpu["die"]),
        (&20.into(), &8.into(), &1.into(), &1.into())
    );
    assert_eq!((&cpu["node"], &cpu["online"], &cpu["allowed"]), (&1.into(), &true.into(), &true.into()));
    assert_eq!(cpu["siblings"], serde_json::json!([8]));
    assert_eq!(
        [&cpu["l1d"], &cpu["l1i"], &cpu["l2"], &cpu["l3"]],
        [8, 8, 8, 1].map(serde_json::Value::from).each_ref()
    );
    let l3 = document["caches"].as_array().unwrap().iter().find(|cache| cache["cache"] == "L3").unwrap();
    assert_eq!(
        (&l3["size_bytes"], &l3["line_bytes"], &l3["cpus"]),
        (&15_728_640.into(), &64.into(), &"0-5,12-17".into())
    );
    assert_eq!(document["nodes"][1]["distances"], serde_json::json!([21, 10]));
}

#[test]
fn csv_has_a_row_per_cpu() {
    let rows = written("cpu0-offline", Format::Csv, &Style::default());
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines.len(), 25);
    assert_eq!(lines[0], "cpu,online,allowed,isolated,core,cluster,die,package,node,l1d,l1i,l2,l3");
    assert_eq!(lines[1], "0,no,no,no,,,,,,,,,");
    assert_eq!(lines[5], "4,yes,yes,no,0,,,0,0,0,0,0,0");
}

#[test]
fn drawings_are_xml_with_every_cpu() {
    for machine in MACHINES {
        let drawing = written(machine, Format::Svg, &Style::default());
        let (topology, _) = parts_of(machine);
        for cpu in topology.online.iter() {
            assert!(drawing.contains(&format!("<title>CPU {cpu}")), "{machine}: CPU {cpu}");
        }
        assert_balanced(&drawing);
    }
    insta::assert_snapshot!("picture-mainframe", written("mainframe", Format::Svg, &Style::default()));
}

/// Checks that all elements are closed, in the order of XML.
fn assert_balanced(drawing: &str) {
    let mut open = Vec::new();
    let body = drawing.split_once("?>").unwrap().1;
    for tag in body.split('<').skip(1) {
        let name = tag.split(['>', ' ']).next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
