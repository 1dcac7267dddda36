//! Findings with a type that is private to their verb, in every format.

use fauxplat_model::document::{Findings, OwnFindings, Record};
use fauxplat_report::parts::{Curve, Grid, Histograms, Piece, Quantiles, Tone};
use fauxplat_report::{Case, CaseOutcome, Format, OwnReport, Rows, Style, know_reports, say, write};
use serde::Deserialize;
use serde_json::{Error, Value, json};

use crate::common::{self, Owned};

#[derive(Deserialize)]
struct Herd {
    sheep: Vec<(String, f64)>,
}

struct HerdReport;

impl OwnReport for HerdReport {
    fn schema(&self) -> &'static str {
        "fauxplat.herd/1"
    }

    fn earlier(&self) -> &'static [&'static str] {
        &["fauxplat.herd/0"]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        let herd = Herd::deserialize(document)?;
        let mut grid = Grid::named(&["sheep", "weight"], &[]);
        for (name, weight) in &herd.sheep {
            grid.push(Tone::Plain, vec![say::visible(name), say::percent(*weight)]);
        }
        let first = say::named(&herd.sheep[0].0);
        let answer = Piece::answer(Tone::Good, format!("The herd is led by {first}."));
        Ok(vec![answer, Piece::quantiles(hops(&herd)), Piece::table(grid), Piece::histograms(ages(&herd))])
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let row = |(name, weight): (String, f64)| vec![name, weight.to_string()];
        let herd = Herd::deserialize(document)?;
        let headings = ["sheep", "weight_ratio"].map(str::to_owned).to_vec();
        Ok(Rows { headings, rows: herd.sheep.into_iter().map(row).collect() })
    }

    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error> {
        let case = |(name, weight): (String, f64)| {
            let outcome = match weight < 1.0 {
                true => CaseOutcome::Passed("light".to_owned()),
                false => CaseOutcome::Failed("heavy".to_owned()),
            };
            Case { name, time_s: None, outcome }
        };
        Ok(Herd::deserialize(document)?.sheep.into_iter().map(case).collect())
    }
}

/// Curves of how far each sheep hops.
fn hops(herd: &Herd) -> Quantiles {
    let curve = |(name, weight): &(String, f64)| Curve {
        name: name.clone(),
        seen: vec![(0.0, *weight), (1.0, 1.0 + weight), (2.0, 4.0 + weight)],
        corrected: Some(vec![(0.0, *weight), (2.0, 6.0 + weight)]),
    };
    Quantiles {
        title: "Hops".to_owned(),
        description: "how far each sheep hops".to_owned(),
        curves: herd.sheep.iter().map(curve).collect(),
        legend: "dashed: including the fence",
    }
}

fn ages(herd: &Herd) -> Histograms {
    Histograms {
        title: "days by age".to_owned(),
        names: herd.sheep.iter().map(|(name, _)| name.clone()).collect(),
        counts: herd.sheep.iter().map(|_| vec![0, 7, 1, 9]).collect(),
        ends: ["a lamb", "a ram"].map(str::to_owned),
    }
}

fn owned(schema: &str, document: Value) -> Owned {
    know_reports(vec![&HerdReport]);
    let mut owned = common::run(&["true"]);
    owned.findings = Findings::Own(OwnFindings { schema: schema.to_owned(), document });
    owned
}

/// A record of a herd that is led by a sheep of this name.
pub(crate) fn led_by(name: &str) -> Owned {
    owned("fauxplat.herd/1", json!({"sheep": [[name, 0.25], ["Bob", 1.5]]}))
}

fn shown(schema: &str, document: Value, format: Format) -> Result<String, String> {
    let owned = owned(schema, document);
    let mut out = Vec::new();
    write(&owned.record(), format, &Style::default(), &mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

fn herd() -> Value {
    json!({"summary": "two sheep", "sheep": [["Ann\u{1b}[31m", 0.25], ["Bob, \"b\"", 1.5]]})
}

#[test]
fn every_format_shows_the_document_of_a_verb() {
    let of = |format| shown("fauxplat.herd/1", herd(), format).unwrap();
    for format in [Format::Text, Format::Markdown, Format::Html, Format::Org, Format::AsciiDoc] {
        let text = of(format);
        assert!(text.contains("The herd is led by") && text.contains("150"), "{format}: {text}");
        assert!(!text.contains('\u{1b}'), "{format}");
    }
    let json: Value = serde_json::from_str(&of(Format::Json)).unwrap();
    assert_eq!((&json["schema"], &json["sheep"][1][1]), (&json!("fauxplat.herd/1"), &json!(1.5)));
    let text = of(Format::Text);
    assert!(text.contains("days by age") && text.contains('█') && text.contains("a lamb"), "{text}");
    let svg = of(Format::Svg);
    assert!(svg.contains("polyline") && svg.contains("including the fence"), "{svg}");
    assert!(of(Format::Csv).starts_with("sheep,weight_ratio\nAnn"), "{}", of(Format::Csv));
    let lscpu = shown("fauxplat.herd/1", herd(), Format::Lscpu).unwrap_err();
    assert!(lscpu.contains("no such form"), "a format of another verb: {lscpu}");
    let junit = of(Format::JUnit);
    assert!(junit.contains("tests=\"2\" failures=\"1\"") && junit.contains("message=\"heavy\""), "{junit}");
}

#[test]
fn a_document_of_another_version_or_form_says_so() {
    let text = shown("fauxplat.herd/0", herd(), Format::Text).unwrap();
    assert!(text.contains("The herd is led by"), "an earlier version is shown: {text}");
    let text = shown("fauxplat.herd/9", herd(), Format::Text).unwrap();
    assert!(text.contains("cannot show documents of fauxplat.herd/9"), "{text}");
    let json = shown("fauxplat.herd/9", herd(), Format::Json).unwrap();
    assert!(json.contains("two sheep"), "the document itself can still be had: {json}");
    let text = shown("fauxplat.herd/1", json!({"sheep": 7}), Format::Text).unwrap();
    assert!(text.contains("does not have the form of fauxplat.herd/1"), "{text}");
    assert!(shown("fauxplat.herd/1", json!({}), Format::JUnit).unwrap_err().contains("cannot read"));
}

#[test]
fn the_formats_of_a_verb_of_its_own_are_those_of_its_report() {
    know_reports(vec![&HerdReport]);
    let known = Format::names_of("herd");
    for format in [Format::Text, Format::Json, Format::JUnit, Format::Svg] {
        assert!(format.suits("herd").is_ok() && known.contains(format.name()), "{format}: {known}");
    }
    let refused = Format::GoBenchmark.suits("herd").unwrap_err().to_string();
    assert!(refused.contains("what herd finds") && !known.contains("go-benchmark"), "{refused}");
    // Messages about the formats of other verbs mention this verb, too.
    let refused = Format::Svg.suits("index").unwrap_err().to_string();
    assert!(refused.contains(", herd"), "{refused}");
}
