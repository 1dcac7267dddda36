//! Reports of a machine's hazards.

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{CpuHazard, DoctorFindings, HazardFinding, HazardGroup, Severity};
use fauxplat_report::{Format, ReportError, Style, write};
use fauxplat_units::Cpu;

use crate::common::{Owned, header};

fn hazard(name: &str, group: HazardGroup, severity: Severity) -> HazardFinding {
    HazardFinding {
        name: name.into(),
        title: format!("the {name}"),
        group,
        value: Some("powersave".into()),
        severity,
        reason: None,
        cost: "With it, sums varied by 9.3 to 14 % (somebody, 2026).".into(),
        neutralised_by_us: false,
        neutralised_how: Some("commands run in turns".into()),
        can_tune: true,
        tune: Some("fauxplat tune --set governor=performance".into()),
        advice: "Use the governor `performance` while you measure.".into(),
        cpus: Vec::new(),
    }
}

fn absent(name: &str, group: HazardGroup, severity: Severity, reason: &str) -> HazardFinding {
    let reason = Some(reason.to_owned());
    HazardFinding { value: None, reason, tune: None, can_tune: false, ..hazard(name, group, severity) }
}

pub(crate) fn findings() -> DoctorFindings {
    use HazardGroup::{Background, Frequency, Kernel, Process};
    let on_cpu = |cpu: u32| CpuHazard { cpu: Cpu(cpu), value: "97 % busy".into(), severity: Severity::High };
    let hazards = vec![
        HazardFinding {
            cpus: (0..10).map(on_cpu).collect(),
            ..hazard("busy-cpus", Background, Severity::High)
        },
        hazard("governor", Frequency, Severity::High),
        HazardFinding { neutralised_by_us: true, tune: None, ..hazard("aslr", Process, Severity::Medium) },
        HazardFinding {
            value: Some("\u{1b}[31mevil\nline|".into()),
            ..hazard("taint", Kernel, Severity::Low)
        },
        absent("kernel-log", Kernel, Severity::Unknown, "/dev/kmsg may not be read (run as root)"),
        hazard("clocksource", Kernel, Severity::None),
        absent("turbo", Frequency, Severity::NotApplicable, "in a virtual machine this is meaningless"),
        absent("epp", Frequency, Severity::NotApplicable, "in a virtual machine this is meaningless"),
    ];
    let cpus = "0-9".parse().unwrap();
    DoctorFindings { hazards, cpus, interval_ns: 100_400_000, elapsed_ns: 120_000_000, show_all: false }
}

pub(crate) fn record(findings: DoctorFindings) -> Owned {
    let header = Header {
        id: None,
        invocation: ["/usr/bin/fauxplat", "doctor"].map(String::from).to_vec(),
        warnings: Vec::new(),
        not_measured: vec!["kernel-log (/dev/kmsg may not be read (run as root))".into()],
        ..header("doctor")
    };
    Owned { header, commands: Vec::new(), samples: Vec::new(), findings: Findings::Doctor(findings) }
}

#[test]
fn the_worst_group_comes_first() {
    insta::assert_snapshot!(record(findings()).text(80));
}

#[test]
fn on_request_the_harmless_are_listed_too() {
    insta::assert_snapshot!(record(DoctorFindings { show_all: true, ..findings() }).text(80));
}

#[test]
fn narrow_terminals_without_unicode_are_served() {
    let style = Style { colour: false, width: 40, unicode: false };
    let text = record(findings()).render(Format::Text, &style);
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 40), "{text}");
}

#[test]
fn a_machine_without_hazards_says_so() {
    let text = record(DoctorFindings::default()).text(80);
    assert!(text.starts_with("Of 0 hazards"), "{text}");
}

#[test]
fn programs_get_every_hazard_in_every_format() {
    let record = record(findings());
    insta::assert_snapshot!("doctor_json", record.render(Format::Json, &Style::default()));
    insta::assert_snapshot!("doctor_csv", record.render(Format::Csv, &Style::default()));
    insta::assert_snapshot!("doctor_markdown", record.render(Format::Markdown, &Style::default()));
}

#[test]
fn there_is_nothing_for_readers_of_timings() {
    for format in
        [Format::HyperfineJson, Format::PyperfJson, Format::GithubActionBenchmark, Format::BencherBmf]
    {
        let error =
            write(&record(findings()).record(), format, &Style::default(), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, ReportError::NothingToExport { .. }), "{error}");
    }
}
