//! Reports of a made-up machine of two cores with two threads each, of which this process may not use one.

use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{CpuFacts, MachineFacts};
use fauxplat_report::{Format, ReportError, Style, know_reports, write};
use fauxplat_topo::{TopoFindings, TopoReport};
use fauxplat_units::Bytes;
use serde_json::{Value, json};

use crate::parts::shown;

fn topology() -> Value {
    let cpu = |cpu: u32| {
        let siblings = if cpu < 2 { "0-1" } else { "2-3" };
        json!({ "cpu": cpu, "online": true, "siblings": siblings, "package": "0-3", "description": 0 })
    };
    let group = |level: &str, number: u32, cpus: &str| json!({ "level": level, "number": number, "id": number, "cpus": cpus });
    let cache = |number: u32, level: u32, kind: &str, size: u64, cpus: &str| {
        json!({
            "number": number, "level": level, "kind": kind, "id": number, "size": size, "line": null, "ways": null,
            "cpus": cpus,
        })
    };
    json!({
        "possible": "0-3", "present": "0-3", "online": "0-3", "isolated": "3", "nohz_full": "", "affinity": "0-2",
        "cpuset": null, "allowed": "0-2", "cpus": [cpu(0), cpu(1), cpu(2), cpu(3)],
        "groups": [group("package", 0, "0-3"), group("core", 0, "0-1"), group("core", 1, "2-3")],
        "caches": [
            cache(0, 1, "data", 32 << 10, "0-1"), cache(1, 1, "data", 32 << 10, "2-3"),
            cache(0, 3, "unified", 32 << 20, "0-3"),
        ],
        "nodes": [{ "node": 0, "cpus": "0-3", "memory": 8u64 << 30, "distances": [10] }],
        "kinds": [], "packages_are_clusters": false,
    })
}

fn found(pick: &Value) -> TopoFindings {
    serde_json::from_value(json!({ "topology": topology(), "pick": pick })).unwrap()
}

fn all() -> TopoFindings {
    found(&Value::Null)
}

fn picked() -> TopoFindings {
    let activity = json!({
        "busy_share": 0.02, "steal_share": 0.0, "interrupts_per_s": 250.0, "softirqs_per_s": 90.0, "pinned_tasks": 1,
        "pinned_kernel_threads": 5, "pinned_names": ["db"], "sibling_busy_share": 0.4,
    });
    found(&json!({
        "relation": "quietest:1", "cpus": "2", "watched_ns": 100_000_000,
        "chosen": [{ "cpu": 2, "why": "the least busy", "isolated": false, "activity": activity }],
    }))
}

fn header() -> Header {
    let machine = MachineFacts {
        kernel: "6.1.0-26-amd64".into(),
        architecture: "x86_64".into(),
        os: "Debian GNU/Linux 12 (bookworm)".into(),
        cpu: CpuFacts {
            model: "AMD EPYC 7B13".into(),
            online: "0-3".parse().unwrap(),
            allowed: "0-1".parse().unwrap(),
            governor: None,
        },
        memory_bytes: Bytes(8 << 30),
        hypervisor: Some("KVM".into()),
        ..MachineFacts::default()
    };
    Header {
        fauxplat_version: "0.1.0".into(),
        started: "2026-11-02T09:30:00Z".into(),
        invocation: ["/usr/bin/fauxplat", "topo"].map(String::from).to_vec(),
        machine,
        warnings: vec!["the hypervisor took 1.2 % of the time (steal)".into()],
        not_measured: vec!["migrations: perf_event_paranoid is 4 (lower it to 2)".into()],
        ..Header::default()
    }
}

fn written(findings: &TopoFindings, format: Format) -> String {
    shown(&header(), findings, format, &Style::default())
}

fn text(findings: &TopoFindings) -> String {
    written(findings, Format::Text)
}

#[test]
fn the_parts_are_a_tree_in_a_terminal_and_a_table_elsewhere() {
    insta::assert_snapshot!("text", text(&all()));
    insta::assert_snapshot!("markdown", written(&all(), Format::Markdown));
}

#[test]
fn picked_cpus_come_first_and_have_reasons() {
    insta::assert_snapshot!("pick_text", text(&picked()));
    insta::assert_snapshot!("pick_markdown", written(&picked(), Format::Markdown));
}

#[test]
fn a_page_has_the_table_and_a_drawing() {
    let page = written(&all(), Format::Html);
    assert!(page.contains("<desc>4 CPUs in nested boxes</desc>") && page.contains("nohz_full"), "{page}");
    let page = written(&picked(), Format::Html);
    assert!(page.contains("<svg") && page.contains("CPU 2: the least busy."), "{page}");
}

/// Programs read fields that are made for them, and not the topology as fauxplat keeps it.
#[test]
fn the_document_has_the_fields_of_its_schema() {
    let document: Value = serde_json::from_str(&written(&picked(), Format::Json)).unwrap();
    assert_eq!(document["schema"], "fauxplat.topo/1");
    assert!(document.get("topology").is_none() && document.get("summary").is_none(), "{document}");
    let cpu = json!({
        "cpu": 3, "core": 1, "package": 0, "die": null, "node": 0, "online": true, "allowed": false,
        "isolated": true, "siblings": [2], "l1d": 1, "l1i": null, "l2": null, "l3": 0, "cluster": null,
        "core_id": 1, "package_id": 0, "kind": null,
    });
    let cache = json!({
        "cache": "L3", "number": 0, "id": 0, "level": 3, "kind": "unified", "size_bytes": 32 << 20,
        "line_bytes": null, "ways": null, "cpus": "0-3",
    });
    let node = json!({ "node": 0, "cpus": "0-3", "memory_bytes": 8u64 << 30, "distances": [10] });
    let group = json!({ "level": "core", "number": 1, "id": 1, "cpus": "2-3" });
    let parts = [&document["cpus"][3], &document["caches"][2], &document["nodes"][0], &document["groups"][2]];
    assert_eq!(parts, [&cpu, &cache, &node, &group]);
    let of_machine = json!({
        "possible": "0-3", "present": "0-3", "online": "0-3", "offline": "", "isolated": "3", "nohz_full": "",
        "affinity": "0-2", "cpuset": null, "allowed": "0-2", "kinds": [], "commands": [],
    });
    for (field, value) in of_machine.as_object().unwrap() {
        assert_eq!(document.get(field), Some(value), "{field}");
    }
    assert_eq!(document["pick"], serde_json::to_value(picked().pick).unwrap());
    let all: Value = serde_json::from_str(&written(&all(), Format::Json)).unwrap();
    assert!(all.get("pick").is_none(), "{all}");
}

/// Scripts read the output like that of `lscpu -p`: comments, then a row of numbers per CPU, as many as the heading
/// names.
#[test]
fn lscpu_gives_each_cpu_a_row_of_numbers() {
    let text = written(&all(), Format::Lscpu);
    let (comments, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let heading = comments.last().unwrap().trim_start_matches("# ");
    assert_eq!(heading, "CPU,Core,Socket,Node,,L1d,L3");
    let numbers = |row: &str| row.split(',').map(|field| field.parse::<u32>().ok()).collect::<Vec<_>>();
    let rows: Vec<Vec<Option<u32>>> = rows.into_iter().map(numbers).collect();
    assert_eq!(rows.len(), 4);
    for (cpu, row) in rows.iter().enumerate() {
        let core = cpu as u32 / 2;
        let expected = [Some(cpu as u32), Some(core), Some(0), Some(0), None, Some(core), Some(0)];
        assert_eq!(row, &expected);
    }
}

#[test]
fn there_is_nothing_for_readers_of_timings_and_profiles() {
    know_reports(vec![&TopoReport]);
    let header = header();
    let findings = Findings::Own(all().findings().unwrap());
    let record = Record { header: &header, commands: &[], samples: &[], findings: &findings };
    for format in
        [Format::HyperfineJson, Format::PyperfJson, Format::Folded, Format::Pprof, Format::SlurmDrain]
    {
        assert!(format.suits("topo").is_err(), "{format}");
        let error = write(&record, format, &Style::default(), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, ReportError::NothingToExport { .. }), "{format}: {error}");
    }
}
