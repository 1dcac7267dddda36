//! The file of speedscope: <https://www.speedscope.app/file-format-schema.json>. All profiles share one table of frames.

use std::io::Write;

use fauxplat_model::ProfileFindings;
use fauxplat_model::document::Record;
use serde::Serialize;

use super::profiles::{found, names};
use crate::calls::{self, Way, ways};
use crate::words::visible;
use crate::{Format, ReportError};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
struct Document {
    #[serde(rename = "$schema")]
    schema: &'static str,
    shared: Shared,
    profiles: Vec<Sampled>,
    name: String,
    #[serde(rename = "activeProfileIndex")]
    active: usize,
    exporter: String,
}

#[derive(Serialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Serialize)]
struct Frame {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// Weights are counts of samples, since nobody knows when they were.
#[derive(Serialize)]
struct Sampled {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    #[serde(rename = "startValue")]
    start: u64,
    #[serde(rename = "endValue")]
    end: u64,
    /// Places of frames, the outermost first.
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

/// Writes all profiles.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, Format::Speedscope.name())?;
    let ways = ways(found);
    let mut table = Table::new(found);
    let stacks: Vec<Vec<usize>> = ways.iter().map(|way| table.stack(found, way)).collect();
    let names = names(found);
    let profiles = names.iter().enumerate().map(|(profile, name)| sampled(profile, name, &ways, &stacks));
    let document = Document {
        schema: SCHEMA,
        profiles: profiles.collect(),
        shared: Shared { frames: table.frames },
        name: names.join(", "),
        active: 0,
        exporter: format!("fauxplat {}", record.header.fauxplat_version),
    };
    serde_json::to_writer(&mut *out, &document)?;
    Ok(writeln!(out)?)
}

fn sampled(profile: usize, name: &str, ways: &[Way], stacks: &[Vec<usize>]) -> Sampled {
    let taken = || ways.iter().zip(stacks).filter(|(way, _)| way.samples(profile) > 0);
    let weights: Vec<u64> = taken().map(|(way, _)| way.samples(profile)).collect();
    Sampled {
        r#type: "sampled",
        name: name.to_owned(),
        unit: "none",
        start: 0,
        end: weights.iter().sum(),
        samples: taken().map(|(_, stack)| stack.clone()).collect(),
        weights,
    }
}

/// The frames of the profile, and behind them names that are no code.
struct Table {
    frames: Vec<Frame>,
    /// Where those begin that are no code.
    code: usize,
}

impl Table {
    fn new(found: &ProfileFindings) -> Self {
        let frames = found.frames.iter().map(|it| Frame {
            name: visible(&it.name),
            file: it.file.as_deref().map(visible),
            line: it.line.filter(|_| it.file.is_some()),
        });
        Table { frames: frames.collect(), code: found.frames.len() }
    }

    fn stack(&mut self, found: &ProfileFindings, way: &Way) -> Vec<usize> {
        let process = Some(way.process).filter(|name| !name.is_empty());
        let mut stack: Vec<usize> =
            process.into_iter().chain(way.mark).map(|name| self.place(name)).collect();
        stack.extend(calls::frames(found, way.frames).map(|(place, _)| place as usize));
        stack
    }

    fn place(&mut self, name: &str) -> usize {
        let name = visible(name);
        let known = self.frames[self.code..].iter().position(|frame| frame.name == name);
        self.code
            + known.unwrap_or_else(|| {
                self.frames.push(Frame { name, file: None, line: None });
                self.frames.len() - 1 - self.code
            })
    }
}
