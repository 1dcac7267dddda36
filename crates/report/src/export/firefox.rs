//! The processed profile of the Firefox Profiler, version 55:
//! <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md>. The profiler
//! brings older versions up to its own when it opens a file. Each process of each profile is a thread there.
//!
//! The crate `fxprof-processed-profile` writes the same version, without the files and lines of functions.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use fauxplat_model::ProfileFindings;
use fauxplat_model::document::Record;
use serde_json::{Value, json};

use super::profiles::{found, names};
use crate::calls::{self, Kind, Way, ways};
use crate::words::visible;
use crate::{Format, ReportError};

const VERSION: u32 = 55;
/// Version of a form that nobody writes any more; the profiler asks for the field and reads the other one.
const GECKO_VERSION: u32 = 24;
/// A resource that is a library.
const LIBRARY: u32 = 1;
/// Milliseconds between two samples where no rate is known.
const INTERVAL_MS: f64 = 1.0;

/// The kinds of code by the names and colours that the profiler has, the first for all else.
const CATEGORIES: [(&str, &str); 6] = [
    ("Other", "grey"),
    ("User", "yellow"),
    ("Inlined", "green"),
    ("Kernel", "orange"),
    ("JIT", "blue"),
    ("Without a name", "magenta"),
];

fn category(kind: Kind) -> usize {
    match kind {
        Kind::Frame => 0,
        Kind::User => 1,
        Kind::Inlined => 2,
        Kind::Kernel => 3,
        Kind::Jit => 4,
        Kind::Unknown => 5,
    }
}

/// Writes all profiles.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, Format::Firefox.name())?;
    let ways = ways(found);
    let mut threads = Vec::new();
    for (profile, name) in names(found).iter().enumerate() {
        let mut processes: BTreeMap<&str, Vec<&Way>> = BTreeMap::new();
        for way in ways.iter().filter(|way| way.samples(profile) > 0) {
            processes.entry(way.process).or_default().push(way);
        }
        for (process, ways) in processes {
            threads.push(thread(found, (profile, name), process, &ways, threads.len()));
        }
    }
    let document = json!({
        "meta": meta(found, record),
        "libs": found.objects.iter().map(|it| library(&it.path, it.build_id.as_deref())).collect::<Vec<_>>(),
        "threads": threads,
        "pages": [],
        "profilerOverhead": [],
        "counters": [],
    });
    serde_json::to_writer(&mut *out, &document)?;
    Ok(writeln!(out)?)
}

fn meta(found: &ProfileFindings, record: &Record) -> Value {
    let categories =
        CATEGORIES.map(|(name, color)| json!({ "name": name, "color": color, "subcategories": ["Other"] }));
    json!({
        "categories": categories,
        "debug": false,
        "extensions": { "length": 0, "baseURL": [], "id": [], "name": [] },
        "interval": interval(found, 0),
        "preprocessedProfileVersion": VERSION,
        "processType": 0,
        "product": format!("fauxplat {}", visible(&record.header.fauxplat_version)),
        "oscpu": visible(&record.header.machine.kernel),
        "sampleUnits": { "time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs" },
        "startTime": 0,
        "symbolicated": true,
        "pausedRanges": [],
        "version": GECKO_VERSION,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "markerSchema": [],
    })
}

fn interval(found: &ProfileFindings, profile: usize) -> f64 {
    let hz = found.profiles.get(profile).and_then(|it| it.quality.reached_hz.or(it.quality.rate_hz));
    hz.filter(|hz| hz.is_finite() && *hz > 0.0).map_or(INTERVAL_MS, |hz| 1000.0 / hz)
}

fn library(path: &str, build_id: Option<&str>) -> Value {
    let path = visible(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    json!({
        "name": name, "path": path, "debugName": name, "debugPath": path, "breakpadId": "", "codeId": build_id,
        "arch": null,
    })
}

/// The samples of one process of one profile. Nobody knows when each was: those of a stack follow each other.
fn thread(
    found: &ProfileFindings,
    (profile, name): (usize, &str),
    process: &str,
    ways: &[&Way],
    number: usize,
) -> Value {
    let mut tables = Tables::default();
    let stacks: Vec<Option<usize>> = ways.iter().map(|way| tables.stack(found, way)).collect();
    let weights: Vec<u64> = ways.iter().map(|way| way.samples(profile)).collect();
    let interval = interval(found, profile);
    // The first stands at the beginning, each other one behind the samples of the one before.
    let deltas: Vec<f64> =
        std::iter::once(0.0).chain(weights.iter().map(|&weight| weight as f64 * interval)).collect();
    let ends: f64 = deltas.iter().sum();
    let title = if process.is_empty() { name.to_owned() } else { format!("{name}: {}", visible(process)) };
    let mut thread = tables.into_value();
    let own = json!({
        "name": title,
        "isMainThread": true,
        "markers": {
            "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [], "startTime": [],
        },
        "pausedRanges": [],
        "pid": number.to_string(),
        "processName": title,
        "processShutdownTime": ends,
        "processStartupTime": 0,
        "processType": "default",
        "registerTime": 0,
        "samples": {
            "length": weights.len(),
            "weightType": "samples",
            "stack": stacks,
            "timeDeltas": deltas[..weights.len()],
            "weight": weights,
        },
        "tid": number.to_string(),
        "unregisterTime": ends,
        "showMarkersInTimeline": false,
    });
    if let (Value::Object(thread), Value::Object(own)) = (&mut thread, own) {
        thread.extend(own);
    }
    thread
}

/// What identifies a function: its name, its resource, its file.
type Function = (usize, i64, Option<usize>);

/// The tables of a thread, in which everything is named by its place.
#[derive(Default)]
struct Tables {
    strings: Vec<String>,
    string_places: HashMap<String, usize>,
    /// Libraries by their places, and their names.
    resources: Vec<(u32, usize)>,
    functions: Vec<Function>,
    function_places: HashMap<Function, usize>,
    /// Category, function, line, and how many calls were replaced by the code of what was called.
    frames: Vec<(usize, usize, Option<u32>, u32)>,
    frame_places: HashMap<(usize, usize, Option<u32>, u32), usize>,
    stacks: Vec<(Option<usize>, usize)>,
    stack_places: HashMap<(Option<usize>, usize), usize>,
}

impl Tables {
    fn string(&mut self, text: &str) -> usize {
        let text = visible(text);
        *self.string_places.entry(text.clone()).or_insert_with(|| {
            self.strings.push(text);
            self.strings.len() - 1
        })
    }

    fn resource(&mut self, found: &ProfileFindings, object: Option<u32>) -> i64 {
        let known = object.and_then(|place| Some((place, found.objects.get(place as usize)?)));
        let Some((place, object)) = known else { return -1 };
        if let Some(known) = self.resources.iter().position(|&(library, _)| library == place) {
            return known as i64;
        }
        let name = self.string(object.path.rsplit('/').next().unwrap_or_default());
        self.resources.push((place, name));
        self.resources.len() as i64 - 1
    }

    fn frame(&mut self, kind: Kind, function: Function, line: Option<u32>, inlined: u32) -> usize {
        let function = *self.function_places.entry(function).or_insert_with(|| {
            self.functions.push(function);
            self.functions.len() - 1
        });
        let frame = (category(kind), function, line, inlined);
        *self.frame_places.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() - 1
        })
    }

    fn call(&mut self, caller: Option<usize>, frame: usize) -> usize {
        *self.stack_places.entry((caller, frame)).or_insert_with(|| {
            self.stacks.push((caller, frame));
            self.stacks.len() - 1
        })
    }

    /// The place of a stack; absent where it has no frame at all.
    fn stack(&mut self, found: &ProfileFindings, way: &Way) -> Option<usize> {
        let mut stack = None;
        if let Some(mark) = way.mark {
            let name = self.string(mark);
            let frame = self.frame(Kind::Frame, (name, -1, None), None, 0);
            stack = Some(self.call(stack, frame));
        }
        let mut inlined = 0;
        for (_, it) in calls::frames(found, way.frames) {
            inlined = if it.is_inlined { inlined + 1 } else { 0 };
            let function = (
                self.string(&it.name),
                self.resource(found, it.object),
                it.file.as_deref().map(|file| self.string(file)),
            );
            let frame = self.frame(calls::kind(found, it), function, it.line, inlined);
            stack = Some(self.call(stack, frame));
        }
        stack
    }

    fn into_value(self) -> Value {
        let (frames, functions, resources) = (&self.frames, &self.functions, &self.resources);
        json!({
            "frameTable": {
                "length": frames.len(),
                "address": vec![-1; frames.len()],
                "inlineDepth": column(frames, |it| it.3),
                "category": column(frames, |it| it.0),
                "subcategory": vec![0; frames.len()],
                "func": column(frames, |it| it.1),
                "nativeSymbol": vec![Value::Null; frames.len()],
                "innerWindowID": vec![0; frames.len()],
                "line": column(frames, |it| it.2),
                "column": vec![Value::Null; frames.len()],
            },
            "funcTable": {
                "length": functions.len(),
                "name": column(functions, |it| it.0),
                "isJS": vec![false; functions.len()],
                "relevantForJS": vec![false; functions.len()],
                "resource": column(functions, |it| it.1),
                "fileName": column(functions, |it| it.2),
                "lineNumber": vec![Value::Null; functions.len()],
                "columnNumber": vec![Value::Null; functions.len()],
            },
            "nativeSymbols": { "length": 0, "address": [], "functionSize": [], "libIndex": [], "name": [] },
            "resourceTable": {
                "length": resources.len(),
                "lib": column(resources, |it| it.0),
                "name": column(resources, |it| it.1),
                "host": vec![Value::Null; resources.len()],
                "type": vec![LIBRARY; resources.len()],
            },
            "stackTable": {
                "length": self.stacks.len(),
                "prefix": column(&self.stacks, |it| it.0),
                "frame": column(&self.stacks, |it| it.1),
            },
            "stringArray": self.strings,
        })
    }
}

/// One property of all rows of a table.
fn column<T, V: serde::Serialize>(rows: &[T], of: impl Fn(&T) -> V) -> Vec<V> {
    rows.iter().map(of).collect()
}
