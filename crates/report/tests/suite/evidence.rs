//! Exports of evidence other than runs, in the formats that can contain it.

use std::collections::BTreeMap;

use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{
    Event, Evidence, Histogram, IndexFindings, Metric, Outcome, Process, Series, ShiftSample, Tree, Unit,
};
use fauxplat_report::{Format, Style, View};
use serde_json::{Value, json};

use crate::common::{self, Owned};

fn pieces() -> Vec<Evidence> {
    let process = Process {
        pid: 7,
        parent: 1,
        command: "sort -n, -r".into(),
        cpu_ns: 5,
        wall_ns: 6,
        peak_memory_bytes: 7,
        threads: 1,
        outcome: Some(Outcome::Exited(0)),
    };
    let metric = Metric::from_id("table:requests").unwrap();
    vec![
        Evidence::Shift(ShiftSample { round: 1, cell: 2, hand: 3, units: 4, ..ShiftSample::default() }),
        Evidence::Histogram(Histogram {
            round: 0,
            cell: 1,
            name: "timer".into(),
            unit: Unit::Nanos,
            missed: 2,
            bounds: vec![100, 200],
            counts: vec![9, 1],
        }),
        Evidence::Series(Series { trial: 3, metric, until_ns: vec![10], values: vec![1.5] }),
        Evidence::Tree(Tree { command: 0, processes: vec![process] }),
        Evidence::Event(Event {
            at_ns: 12,
            trial: None,
            name: "oom-kill".into(),
            message: "the kernel killed `sort`".into(),
            figures: BTreeMap::from([("memory_bytes".to_owned(), 64)]),
        }),
    ]
}

const STYLE: Style = Style { width: 80, colour: false, unicode: true };

fn written(record: &Record, evidence: &[Evidence], format: Format) -> String {
    let mut out = Vec::new();
    fauxplat_report::write_with_evidence(record, evidence, format, (&STYLE, &View::default()), &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_kind_of_evidence_is_an_object_with_its_kind() {
    let owned: Owned = common::run(&["a", "b"]);
    let samples = owned.samples.iter().cloned().map(Evidence::Run);
    let evidence: Vec<Evidence> = samples.chain(pieces()).collect();
    let document: Value = serde_json::from_str(&written(&owned.record(), &evidence, Format::Json)).unwrap();
    let pieces = document["evidence"].as_array().unwrap();
    let kinds: Vec<_> = pieces.iter().map(|piece| piece["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["shift", "histogram", "series", "tree", "event"]);
    assert_eq!((&pieces[0]["units"], &pieces[0]["hand"]), (&json!(4), &json!(3)));
    assert_eq!((&pieces[1]["unit"], &pieces[1]["counts"]), (&json!("nanos"), &json!([9, 1])));
    assert_eq!((&pieces[2]["metric"], &pieces[2]["values"]), (&json!("table:requests"), &json!([1.5])));
    assert_eq!(pieces[3]["processes"][0]["pid"], 7);
    assert_eq!(pieces[4]["figures"]["memory_bytes"], 64);
    // Without evidence other than runs the document is unchanged.
    let plain = owned.render(Format::Json, &STYLE);
    let runs: Vec<Evidence> = owned.samples.iter().cloned().map(Evidence::Run).collect();
    assert_eq!(written(&owned.record(), &runs, Format::Json), plain);
}

#[test]
fn figures_are_rows_where_there_are_no_runs() {
    let owned: Owned = common::run(&["a", "b"]);
    let findings = Findings::Index(IndexFindings::default());
    let record = Record { commands: &[], samples: &[], findings: &findings, ..owned.record() };
    let csv = written(&record, &pieces(), Format::Csv);
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("kind,number,round,cell,worker,trial,name,figure,at,value"));
    for row in [
        "shift,0,1,2,3,,,units,,4",
        "histogram,1,0,1,,,timer,missed,,2",
        "histogram,1,0,1,,,timer,count,200,1",
        "series,2,,,,3,table:requests,value_micro_per_s,10,1.5",
        "tree,3,,0,,,,command,7,\"sort -n, -r\"",
        "event,4,,,,,oom-kill,memory_bytes,12,64",
    ] {
        assert!(csv.lines().any(|line| line == row), "{row}\n{csv}");
    }
    let runs = written(&owned.record(), &pieces(), Format::Csv);
    assert_eq!(runs, owned.render(Format::Csv, &STYLE), "runs have the rows to themselves");
}
