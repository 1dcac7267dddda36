//! The protocol buffer of pprof, `profile.proto` (<https://github.com/google/pprof/blob/main/proto/profile.proto>),
//! uncompressed: pprof accepts both forms.

use std::collections::HashMap;
use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Profile, Whole};

use super::proto::Message;
use super::{above, found, only, seconds_per_event, ways_of};
use crate::ReportError;
use crate::calls;
use crate::words::visible;

const NAME: &str = "pprof";

pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, NAME)?;
    let profile = only(found, NAME)?;
    let mut tables = Tables::default();
    let mut file = Message::default();
    tables.string("");
    let unit_ns = seconds_per_event(profile).map(|seconds| seconds * 1e9);
    let mut types = vec![["samples", "count"]];
    let kind = kind(profile);
    types.extend(unit_ns.map(|_| [kind, "nanoseconds"]));
    // For events other than time, each sample has a value for the number of events that it represents.
    let event = visible(profile.quality.event.split(':').next().unwrap_or_default());
    let period = profile.quality.period.unwrap_or(1);
    let has_events = unit_ns.is_none() && profile.quality.events.is_some() && !event.is_empty();
    types.extend(has_events.then_some([event.as_str(), "count"]));
    for [kind, unit] in &types {
        let (kind, unit) = (tables.string(kind), tables.string(unit));
        file.bytes(1, &value_type(kind, unit));
    }
    for way in ways_of(found, 0) {
        let mut places: Vec<u64> = above(&way).map(|name| tables.place(name, String::new(), 0)).collect();
        for (_, frame) in calls::frames(found, way.frames) {
            let file = frame.file.as_deref().map(visible).unwrap_or_default();
            places.push(tables.place(visible(&frame.name), file, frame.line.unwrap_or(0).into()));
        }
        // pprof lists the innermost function first.
        places.reverse();
        let events = way.events(0);
        let mut values = vec![way.samples(0)];
        values.extend(unit_ns.map(|unit| (events as f64 * unit).round() as u64));
        values.extend(has_events.then(|| events.saturating_mul(period)));
        let mut sample = Message::default();
        sample.numbers(1, &places);
        sample.numbers(2, &values);
        file.bytes(2, &sample.0);
    }
    let default = tables.string(types[types.len() - 1][0]);
    let comment = tables.string(&format!("{} of {}", profile.quality.event, visible(&profile.name)));
    file.0.extend_from_slice(&tables.messages.0);
    tables.strings.iter().for_each(|text| file.bytes(6, text.as_bytes()));
    file.number(10, (profile.quality.elapsed_s * 1e9) as u64);
    if let Some(unit) = unit_ns {
        let (kind, nanos) = (tables.known(kind), tables.known("nanoseconds"));
        file.bytes(11, &value_type(kind, nanos));
        let per_sample = unit * profile.quality.weight() as f64 / profile.quality.samples.max(1) as f64;
        file.number(12, per_sample.round() as u64);
    }
    file.number(13, comment);
    file.number(14, default);
    Ok(out.write_all(&file.0)?)
}

/// pprof's name for what the samples measure. For waiting time the name is that of Go's profiles.
fn kind(profile: &Profile) -> &'static str {
    match profile.quality.whole() {
        Whole::WaitingTime => "delay",
        Whole::CpuTime | Whole::Events => "cpu",
    }
}

fn value_type(kind: u64, unit: u64) -> Vec<u8> {
    let mut message = Message::default();
    message.number(1, kind);
    message.number(2, unit);
    message.0
}

/// The tables of the format: strings, functions and locations, each stored once. A location is a line of a function.
#[derive(Default)]
struct Tables {
    strings: Vec<String>,
    numbers: HashMap<String, u64>,
    functions: HashMap<(String, String), u64>,
    places: HashMap<(u64, u64), u64>,
    /// Encoded functions and locations in the order of first use.
    messages: Message,
}

impl Tables {
    fn string(&mut self, text: &str) -> u64 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let number = self.strings.len() as u64;
        self.strings.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    fn known(&self, text: &str) -> u64 {
        self.numbers.get(text).copied().unwrap_or(0)
    }

    fn place(&mut self, name: String, file: String, line: u64) -> u64 {
        let (name_at, file_at) = (self.string(&name), self.string(&file));
        let next = self.functions.len() as u64 + 1;
        let function = *self.functions.entry((name, file)).or_insert(next);
        if function == next {
            let mut message = Message::default();
            message.number(1, function);
            message.number(2, name_at);
            // The field for the linker's name is left out: if it equals the name, pprof takes the name for a mangled
            // one and removes the template arguments, so that all instances of a template become one.
            message.number(4, file_at);
            self.messages.bytes(5, &message.0);
        }
        let next = self.places.len() as u64 + 1;
        let place = *self.places.entry((function, line)).or_insert(next);
        if place == next {
            let (mut at, mut message) = (Message::default(), Message::default());
            at.number(1, function);
            at.number(2, line);
            message.number(1, place);
            message.bytes(4, &at.0);
            self.messages.bytes(4, &message.0);
        }
        place
    }
}
