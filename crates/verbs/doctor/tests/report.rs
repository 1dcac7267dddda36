//! Reports of a machine's hazards.

use fauxplat_doctor::{DoctorReport, Document};
use fauxplat_hazards::{CpuHazard, Examination, HazardFinding, HazardGroup, Severity};
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{CpuFacts, MachineFacts};
use fauxplat_report::{Detail, Format, ReportError, Style, View, know_reports, write_with_evidence};
use fauxplat_units::Cpu;

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

fn document() -> Document {
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
    let examined = Examination { hazards, cpus, interval_ns: 100_400_000, elapsed_ns: 120_000_000 };
    Document::new(examined, false)
}

fn header() -> Header {
    Header {
        fauxplat_version: "0.1.0".into(),
        started: "2026-11-02T09:30:00Z".into(),
        invocation: ["/usr/bin/fauxplat", "doctor"].map(String::from).to_vec(),
        machine: MachineFacts {
            kernel: "6.1.0-26-amd64".into(),
            architecture: "x86_64".into(),
            os: "Debian GNU/Linux 12 (bookworm)".into(),
            cpu: CpuFacts { model: "AMD EPYC 7B13".into(), ..CpuFacts::default() },
            ..MachineFacts::default()
        },
        not_measured: vec!["kernel-log (/dev/kmsg may not be read (run as root))".into()],
        ..Header::default()
    }
}

fn written(
    document: &Document,
    format: Format,
    style: &Style,
    detail: Detail,
) -> Result<String, ReportError> {
    know_reports(vec![&DoctorReport]);
    let (header, findings) = (header(), Findings::Own(document.findings().expect("it has a form in JSON")));
    let record = Record { header: &header, commands: &[], samples: &[], findings: &findings };
    let view = View { detail, ..View::default() };
    let mut out = Vec::new();
    write_with_evidence(&record, &[], format, (style, &view), &mut out)?;
    Ok(String::from_utf8(out).expect("reports are UTF-8"))
}

fn shown(document: &Document, format: Format) -> String {
    written(document, format, &Style::default(), Detail::Full).expect("memory has room")
}

fn text(document: &Document, detail: Detail) -> String {
    let style = Style { colour: false, width: 80, unicode: true };
    written(document, Format::Text, &style, detail).expect("memory has room")
}

#[test]
fn the_worst_group_comes_first() {
    insta::assert_snapshot!(text(&document(), Detail::Full));
}

#[test]
fn reports_have_three_amounts_of_detail() {
    insta::assert_snapshot!("brief", text(&document(), Detail::Brief));
    insta::assert_snapshot!("line", text(&document(), Detail::Line));
}

#[test]
fn on_request_the_harmless_are_listed_too() {
    insta::assert_snapshot!(text(&Document { lists_all: true, ..document() }, Detail::Full));
}

#[test]
fn narrow_terminals_without_unicode_are_served() {
    let style = Style { colour: false, width: 40, unicode: false };
    let text = written(&document(), Format::Text, &style, Detail::Full).unwrap();
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 40), "{text}");
}

#[test]
fn a_machine_without_hazards_says_so() {
    let text = text(&Document::new(Examination::default(), false), Detail::Full);
    assert!(text.starts_with("Of 0 hazards"), "{text}");
}

#[test]
fn programs_get_every_hazard_in_every_format() {
    insta::assert_snapshot!("json", shown(&document(), Format::Json));
    insta::assert_snapshot!("csv", shown(&document(), Format::Csv));
    insta::assert_snapshot!("markdown", shown(&document(), Format::Markdown));
    let page = shown(&document(), Format::Html);
    assert!(page.contains("busy-cpus") && !page.contains('\u{1b}'), "{page}");
}

/// Documents of earlier versions have no summary and do not say whether all hazards are listed.
#[test]
fn documents_without_later_fields_are_read() {
    let mut value = serde_json::to_value(document()).unwrap();
    let fields = value.as_object_mut().unwrap();
    fields.retain(|name, _| ["hazards", "cpus", "interval_ns", "elapsed_ns"].contains(&name.as_str()));
    let read: Document = serde_json::from_value(value).unwrap();
    assert_eq!(read.examination, document().examination);
}

#[test]
fn there_is_nothing_for_readers_of_timings() {
    for format in
        [Format::HyperfineJson, Format::PyperfJson, Format::GithubActionBenchmark, Format::BencherBmf]
    {
        let error = written(&document(), format, &Style::default(), Detail::Full).unwrap_err();
        assert!(matches!(error, ReportError::NothingToExport { .. }), "{error}");
    }
}
