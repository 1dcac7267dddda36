//! The report of `doctor`: hazards of the machine, worst first.

use fauxplat_hazards::{CpuHazard, HazardFinding, HazardGroup, Severity};
use fauxplat_model::document::Record;
use fauxplat_report::parts::{Note, Notes, Piece, Tone};
use fauxplat_report::say::{counted, listed, visible};
use fauxplat_report::{Case, Format, OwnReport, Rows};
use fauxplat_units::Nanos;
use serde::Deserialize;
use serde_json::{Error, Value};

use crate::document::{Document, SCHEMA};

/// The report of the document of `doctor`.
#[derive(Debug)]
pub struct DoctorReport;

impl OwnReport for DoctorReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        Ok(pieces(&Document::deserialize(document)?))
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = Document::deserialize(document)?;
        Ok(Rows {
            headings: HEADINGS.map(str::to_owned).to_vec(),
            rows: found.examination.hazards.iter().map(row).collect(),
        })
    }

    fn cases(&self, _: &Value) -> Result<Vec<Case>, Error> {
        Ok(Vec::new())
    }
}

/// Maximum number of CPUs that are listed below one hazard; JSON has all.
const CPUS_MAX: usize = 8;

/// The report: groups of hazards ordered by their worst hazard, and the hazards of each by severity. Low and harmless
/// hazards take one line each.
fn pieces(found: &Document) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(overall(found), format!("{} {}", counts(found), looked_at(found)))];
    parts.extend(groups(found).into_iter().map(|group| block(found, group)));
    let shown = shown(found).count();
    let matter = shown_in_brief(found).count();
    let more = "--all lists every hazard, --explain NAME describes one.";
    parts.extend(hidden(found, shown, more).map(Piece::in_full));
    let more = "-v shows the hazards that are present and what each costs, --all shows every hazard.";
    parts.extend(hidden(found, matter, more).map(Piece::in_brief));
    parts
}

/// Sentence with the number of hazards that are not shown, and the option that shows them; `None` if all are shown.
fn hidden(found: &Document, shown: usize, more: &str) -> Option<Piece> {
    let hidden = found.examination.hazards.len() - shown;
    let hazards = counted(hidden, "hazard", "hazards");
    (hidden > 0).then(|| Piece::said(Tone::Faint, format!("{hazards} not shown: {more}")))
}

/// Hazards that a brief report shows: those that spoil measurements, or all on request.
fn shown_in_brief(found: &Document) -> impl Iterator<Item = &HazardFinding> {
    shown(found).filter(|hazard| found.lists_all || is_serious(hazard))
}

fn is_serious(hazard: &HazardFinding) -> bool {
    hazard.severity <= Severity::Medium
}

/// The headings of the rows for spreadsheets.
const HEADINGS: [&str; 12] = [
    "name",
    "group",
    "severity",
    "value",
    "reason",
    "neutralised_by_us",
    "can_tune",
    "tune",
    "advice",
    "cost",
    "neutralised_how",
    "cpus",
];

fn row(hazard: &HazardFinding) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let on_cpu = |one: &CpuHazard| format!("CPU {}: {}, {}", one.cpu, one.severity, one.value);
    let cpus: Vec<String> = hazard.cpus.iter().map(on_cpu).collect();
    vec![
        hazard.name.clone(),
        hazard.group.title().to_owned(),
        hazard.severity.name().to_owned(),
        text(&hazard.value),
        text(&hazard.reason),
        hazard.neutralised_by_us.to_string(),
        hazard.can_tune.to_string(),
        text(&hazard.tune),
        hazard.advice.clone(),
        hazard.cost.clone(),
        text(&hazard.neutralised_how),
        cpus.join("; "),
    ]
}

/// Hazards that a full report shows: those that are present, or all on request.
fn shown(found: &Document) -> impl Iterator<Item = &HazardFinding> {
    found.examination.hazards.iter().filter(|hazard| found.lists_all || hazard.severity.is_present())
}

fn overall(found: &Document) -> Tone {
    let worst = found.examination.hazards.iter().map(|hazard| hazard.severity).min();
    match worst {
        Some(Severity::High) => Tone::Bad,
        Some(Severity::Medium) => Tone::Doubt,
        _ => Tone::Good,
    }
}

fn counts(found: &Document) -> String {
    let of =
        |level: Severity| found.examination.hazards.iter().filter(|hazard| hazard.severity == level).count();
    let parts = Severity::ALL.map(|level| (of(level), phrase(level)));
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    format!("Of {}: {}.", counted(found.examination.hazards.len(), "hazard", "hazards"), listed(&parts))
}

fn phrase(level: Severity) -> &'static str {
    match level {
        Severity::High => "high",
        Severity::Medium => "medium",
        Severity::Low => "low",
        Severity::Unknown => "could not be read",
        Severity::None => "harmless",
        Severity::NotApplicable => "cannot be here",
    }
}

fn looked_at(found: &Document) -> String {
    let cpus = if found.examination.cpus.is_empty() {
        "no CPU".to_owned()
    } else {
        format!("CPU {}", found.examination.cpus)
    };
    match found.examination.interval_ns {
        0 => format!("Looked at {cpus}, at one moment."),
        interval => format!("Looked at {cpus} for {}.", Nanos(interval)),
    }
}

/// The groups that have a hazard to show, ordered by their worst one.
fn groups(found: &Document) -> Vec<HazardGroup> {
    let worst = |group: HazardGroup| {
        shown(found).filter(|hazard| hazard.group == group).map(|hazard| hazard.severity).min()
    };
    let mut groups: Vec<(Severity, HazardGroup)> =
        HazardGroup::ALL.into_iter().filter_map(|group| Some((worst(group)?, group))).collect();
    groups.sort();
    groups.into_iter().map(|(_, group)| group).collect()
}

fn block(found: &Document, group: HazardGroup) -> Piece {
    let hazards: Vec<&HazardFinding> = shown(found).filter(|hazard| hazard.group == group).collect();
    let lines = |alike: &[&HazardFinding]| {
        let is_brief = found.lists_all || alike.iter().any(|hazard| is_serious(hazard));
        let lines = lines(alike).into_iter();
        lines.map(|line| if is_brief { line } else { line.in_full() }).collect::<Vec<_>>()
    };
    let lines = hazards.chunk_by(|a, b| is_alike(a, b)).flat_map(lines).collect();
    Piece::notes(Notes { title: group.title().to_owned(), folded: false, lines })
}

/// Whether two hazards are absent for the same reason and have no value, so that they share a line.
fn is_alike(a: &HazardFinding, b: &HazardFinding) -> bool {
    let bare = |found: &HazardFinding| !found.severity.is_present() && found.value.is_none();
    bare(a) && bare(b) && a.severity == b.severity && a.reason == b.reason
}

/// Lines about hazards that share a line: one line, and below it for high and medium hazards the cost, the advice and
/// the CPUs.
fn lines(alike: &[&HazardFinding]) -> Vec<Note> {
    let Some(hazard) = alike.first() else { return Vec::new() };
    let names: Vec<String> = alike.iter().map(|found| visible(&found.name)).collect();
    let told = [hazard.value.as_deref(), hazard.reason.as_deref()];
    let told: Vec<String> = told.into_iter().flatten().map(visible).collect();
    let (level, tone) = label(hazard.severity);
    let text = format!("{level:<7} {}: {}", names.join(", "), told.join("; "));
    let mut lines = vec![line(tone, 1, text)];
    if is_serious(hazard) {
        lines.extend(grounds(hazard));
        lines.extend(cpus(&hazard.cpus).into_iter().map(Note::in_full));
    }
    lines
}

fn grounds(hazard: &HazardFinding) -> Vec<Note> {
    let helps = if hazard.neutralised_by_us { "fauxplat neutralises it" } else { "fauxplat helps" };
    let told = [
        ("costs", Tone::Plain, Some(&hazard.cost)),
        ("do", Tone::Plain, Some(&hazard.advice)),
        ("or", Tone::Plain, hazard.tune.as_ref()),
        (helps, Tone::Faint, hazard.neutralised_how.as_ref()),
    ];
    let told = told.into_iter().filter_map(|(label, tone, text)| Some((label, tone, visible(text?))));
    let note = |(label, tone, text)| Note { label, ..line(tone, 2, text) };
    told.map(note).map(|note| if note.label == "do" { note } else { note.in_full() }).collect()
}

fn line(tone: Tone, depth: usize, text: String) -> Note {
    Note { tone, depth, ..Note::fact("", vec![text]) }
}

fn cpus(found: &[CpuHazard]) -> Vec<Note> {
    let on_cpu = |one: &CpuHazard| {
        let (level, tone) = label(one.severity);
        line(tone, 2, format!("CPU {}: {level}, {}", one.cpu, visible(&one.value)))
    };
    let mut lines: Vec<Note> = found.iter().take(CPUS_MAX).map(on_cpu).collect();
    let more = found.len().saturating_sub(CPUS_MAX);
    let text = format!("and on {}", counted(more, "more CPU", "more CPUs"));
    lines.extend((more > 0).then(|| line(Tone::Faint, 2, text)));
    lines
}

fn label(severity: Severity) -> (&'static str, Tone) {
    match severity {
        Severity::High => ("high", Tone::Bad),
        Severity::Medium => ("medium", Tone::Doubt),
        Severity::Low => ("low", Tone::Plain),
        Severity::Unknown => ("unknown", Tone::Neutral),
        Severity::None => ("none", Tone::Good),
        Severity::NotApplicable => ("n/a", Tone::Faint),
    }
}
