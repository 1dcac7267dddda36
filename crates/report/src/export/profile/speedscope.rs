//! The file format of speedscope: a profile for each command, with one table of frames.

use std::collections::HashMap;
use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Profile, ProfileFindings};
use serde::Serialize;

use super::{above, found, seconds_per_event, ways_of};
use crate::ReportError;
use crate::calls;
use crate::words::visible;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
struct File {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: String,
    name: String,
    shared: Shared,
    profiles: Vec<Sampled>,
}

#[derive(Serialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct Frame {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: f64,
    end_value: f64,
    samples: Vec<Vec<usize>>,
    weights: Vec<f64>,
}

pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, "speedscope")?;
    let mut frames = Frames::default();
    let one = |(at, profile): (usize, &Profile)| sampled(found, at, profile, &mut frames);
    let profiles: Vec<Sampled> = found.profiles.iter().enumerate().map(one).collect();
    let name = profiles.iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>().join(", ");
    let exporter = format!("fauxplat {}", record.header.fauxplat_version);
    let file = File { schema: SCHEMA, exporter, name, shared: Shared { frames: frames.all }, profiles };
    serde_json::to_writer(&mut *out, &file)?;
    Ok(writeln!(out)?)
}

fn sampled(found: &ProfileFindings, at: usize, profile: &Profile, frames: &mut Frames) -> Sampled {
    let (mut samples, mut weights) = (Vec::new(), Vec::new());
    let unit_s = seconds_per_event(profile);
    for way in ways_of(found, at) {
        let mut stack: Vec<usize> =
            above(&way).map(|name| frames.number(Frame { name, file: None, line: None })).collect();
        for (_, frame) in calls::frames(found, way.frames) {
            let file = frame.file.as_deref().map(visible);
            stack.push(frames.number(Frame { name: visible(&frame.name), file, line: frame.line }));
        }
        samples.push(stack);
        weights.push(way.events(at) as f64 * unit_s.unwrap_or(1.0));
    }
    Sampled {
        kind: "sampled",
        name: visible(&profile.name),
        unit: if unit_s.is_some() { "seconds" } else { "none" },
        start_value: 0.0,
        end_value: weights.iter().sum(),
        samples,
        weights,
    }
}

/// Table of frames, each stored once under a number.
#[derive(Default)]
struct Frames {
    numbers: HashMap<Frame, usize>,
    all: Vec<Frame>,
}

impl Frames {
    fn number(&mut self, frame: Frame) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(frame.clone()).or_insert(next);
        if number == next {
            self.all.push(frame);
        }
        number
    }
}
