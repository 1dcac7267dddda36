//! The compressed protocol buffer of pprof, by
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>: each profile is a type of value of its own.

use std::collections::HashMap;
use std::io::Write;

use fauxplat_model::document::Record;
use fauxplat_model::{Profile, ProfileFindings};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::profiles::{found, names};
use crate::calls::{self, Way, ways};
use crate::words::visible;
use crate::{Format, ReportError};

/// Numbers of the fields of `Profile`.
const SAMPLE_TYPE: u64 = 1;
const SAMPLE: u64 = 2;
const MAPPING: u64 = 3;
const LOCATION: u64 = 4;
const FUNCTION: u64 = 5;
const STRING_TABLE: u64 = 6;
const DURATION_NANOS: u64 = 10;
const PERIOD_TYPE: u64 = 11;
const PERIOD: u64 = 12;

/// Writes all profiles. The file holds no time, so that equal profiles are equal files.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, Format::Pprof.name())?;
    let mut document = Document::new(found);
    for way in ways(found) {
        document.sample(&way);
    }
    let mut compressed = GzEncoder::new(out, Compression::default());
    compressed.write_all(&document.bytes())?;
    compressed.finish()?;
    Ok(())
}

/// A message under construction: <https://protobuf.dev/programming-guides/encoding/>.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number; what is zero is left out, since readers take it for that.
    fn number(&mut self, field: u64, value: u64) {
        if value > 0 {
            self.varint(field << 3);
            self.varint(value);
        }
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Numbers in one field.
    fn packed(&mut self, field: u64, values: &[u64]) {
        let mut packed = Message::default();
        values.iter().for_each(|&value| packed.varint(value));
        self.bytes(field, &packed.0);
    }
}

/// Texts that everything else names by their place; the first is empty.
struct Strings {
    places: HashMap<String, u64>,
    texts: Vec<String>,
}

impl Strings {
    fn new() -> Self {
        Strings { places: HashMap::from([(String::new(), 0)]), texts: vec![String::new()] }
    }

    fn place(&mut self, text: &str) -> u64 {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.texts.len() as u64;
        self.places.insert(text.to_owned(), place);
        self.texts.push(text.to_owned());
        place
    }
}

struct Document<'f> {
    found: &'f ProfileFindings,
    whole: Message,
    strings: Strings,
    /// Numbers of functions by name and file.
    functions: HashMap<(u64, u64), u64>,
    /// Numbers of locations by their frames: one that was called, and those that stand in its code.
    locations: HashMap<Vec<u32>, u64>,
    /// The same of what is no code.
    marks: HashMap<&'static str, u64>,
    locations_count: u64,
    /// Nanoseconds of CPU time that a sample stands for, for each profile; absent where none does.
    periods: Vec<Option<f64>>,
}

impl<'f> Document<'f> {
    fn new(found: &'f ProfileFindings) -> Self {
        let mut it = Document {
            found,
            whole: Message::default(),
            strings: Strings::new(),
            functions: HashMap::new(),
            locations: HashMap::new(),
            marks: HashMap::new(),
            locations_count: 0,
            periods: found.profiles.iter().map(period).collect(),
        };
        it.types();
        it.mappings();
        it
    }

    /// Samples, and CPU time where a sample stands for some, of each profile.
    fn types(&mut self) {
        let names = names(self.found);
        let suffix = |name: &str| if names.len() > 1 { format!(" of {name}") } else { String::new() };
        for (profile, name) in names.iter().enumerate() {
            let samples = self.value_type(&format!("samples{}", suffix(name)), "count");
            self.whole.bytes(SAMPLE_TYPE, &samples.0);
            if self.periods[profile].is_some() {
                let time = self.value_type(&format!("cpu{}", suffix(name)), "nanoseconds");
                self.whole.bytes(SAMPLE_TYPE, &time.0);
            }
        }
        if let Some(Some(period)) = self.periods.first().copied() {
            let time = self.value_type("cpu", "nanoseconds");
            self.whole.bytes(PERIOD_TYPE, &time.0);
            self.whole.number(PERIOD, period as u64);
        }
        let elapsed: f64 = self.found.profiles.iter().map(|profile| profile.quality.elapsed_s).sum();
        self.whole.number(DURATION_NANOS, (elapsed * 1e9) as u64);
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> Message {
        let mut message = Message::default();
        message.number(1, self.strings.place(kind));
        message.number(2, self.strings.place(unit));
        message
    }

    /// The files. All that could be found out of them is in the profile, so that pprof need not look.
    fn mappings(&mut self) {
        for (place, object) in self.found.objects.iter().enumerate() {
            let mut mapping = Message::default();
            mapping.number(1, place as u64 + 1);
            mapping.number(5, self.strings.place(&visible(&object.path)));
            mapping.number(6, self.strings.place(object.build_id.as_deref().unwrap_or_default()));
            (7..=10).for_each(|has| mapping.number(has, 1));
            self.whole.bytes(MAPPING, &mapping.0);
        }
    }

    fn sample(&mut self, way: &Way) {
        let mut values = Vec::new();
        for (profile, period) in self.periods.iter().enumerate() {
            let samples = way.samples(profile);
            values.push(samples);
            values.extend(period.map(|period| (samples as f64 * period).round() as u64));
        }
        if values.iter().all(|&value| value == 0) {
            return;
        }
        let mut sample = Message::default();
        sample.packed(1, &self.stack(way));
        sample.packed(2, &values);
        if !way.process.is_empty() {
            let mut label = Message::default();
            label.number(1, self.strings.place("process"));
            label.number(2, self.strings.place(&visible(way.process)));
            sample.bytes(3, &label.0);
        }
        self.whole.bytes(SAMPLE, &sample.0);
    }

    /// Numbers of locations, the innermost first.
    fn stack(&mut self, way: &Way) -> Vec<u64> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (place, frame) in calls::frames(self.found, way.frames) {
            match groups.last_mut().filter(|_| frame.is_inlined) {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        let mut stack: Vec<u64> = groups.into_iter().rev().map(|group| self.location(group)).collect();
        stack.extend(way.mark.map(|mark| self.mark(mark)));
        stack
    }

    fn location(&mut self, group: Vec<u32>) -> u64 {
        if let Some(&number) = self.locations.get(&group) {
            return number;
        }
        let found = self.found;
        let object = calls::frames(found, &group).find_map(|(_, frame)| frame.object);
        // Lines of what was inlined come before those of where it stands.
        let lines: Vec<(u64, u64)> = calls::frames(found, &group)
            .rev()
            .map(|(_, frame)| {
                let file = frame.file.as_deref().unwrap_or_default();
                (self.function(&frame.name, file), u64::from(frame.line.unwrap_or(0)))
            })
            .collect();
        let known = object.filter(|&place| (place as usize) < found.objects.len());
        let number = self.add(known.map_or(0, |place| u64::from(place) + 1), &lines);
        self.locations.insert(group, number);
        number
    }

    /// What stands for callers that nobody knows.
    fn mark(&mut self, mark: &'static str) -> u64 {
        if let Some(&number) = self.marks.get(mark) {
            return number;
        }
        let function = self.function(mark, "");
        let number = self.add(0, &[(function, 0)]);
        self.marks.insert(mark, number);
        number
    }

    fn add(&mut self, mapping: u64, lines: &[(u64, u64)]) -> u64 {
        self.locations_count += 1;
        let mut location = Message::default();
        location.number(1, self.locations_count);
        location.number(2, mapping);
        for &(function, number) in lines {
            let mut line = Message::default();
            line.number(1, function);
            line.number(2, number);
            location.bytes(4, &line.0);
        }
        self.whole.bytes(LOCATION, &location.0);
        self.locations_count
    }

    fn function(&mut self, name: &str, file: &str) -> u64 {
        let key = (self.strings.place(&visible(name)), self.strings.place(&visible(file)));
        let next = self.functions.len() as u64 + 1;
        *self.functions.entry(key).or_insert_with(|| {
            let mut function = Message::default();
            function.number(1, next);
            function.number(2, key.0);
            function.number(3, key.0);
            function.number(4, key.1);
            self.whole.bytes(FUNCTION, &function.0);
            next
        })
    }

    fn bytes(mut self) -> Vec<u8> {
        for text in &self.strings.texts {
            self.whole.bytes(STRING_TABLE, text.as_bytes());
        }
        self.whole.0
    }
}

/// What a sample of a clock stands for, in nanoseconds of CPU time.
fn period(profile: &Profile) -> Option<f64> {
    let quality = &profile.quality;
    let is_time = calls::is_time(&quality.event) && quality.samples > 0 && quality.cpu_s > 0.0;
    is_time.then(|| quality.cpu_s * 1e9 / quality.samples as f64)
}
