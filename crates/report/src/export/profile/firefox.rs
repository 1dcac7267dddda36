//! The processed profile of the Firefox Profiler: a process for each command.
//!
//! fauxplat's profiles store how often a stack was seen and not when, so each stack becomes one sample with a weight.

use std::io::Write;

use fauxplat_model::Whole;
use fauxplat_model::document::Record;
use fxprof_processed_profile::{
    CategoryColor, CategoryPairHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, ReferenceTimestamp,
    SamplingInterval, Timestamp, WeightType,
};

use super::{above, found, ways_of};
use crate::ReportError;
use crate::calls::{self, Kind};
use crate::words::visible;

/// Nanoseconds between two samples if the profile has no rate per second.
const DISTANCE_NS: u64 = 1_000_000;

pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    let found = found(record, "firefox")?;
    let rate_hz = found.profiles.first().and_then(|it| it.quality.rate_hz).filter(|hz| *hz >= 1.0);
    let distance_ns = rate_hz.map_or(DISTANCE_NS, |hz| (1e9 / hz) as u64);
    let start = ReferenceTimestamp::from_millis_since_unix_epoch(0.0);
    let mut file = Profile::new("fauxplat", start, SamplingInterval::from_nanos(distance_ns));
    let categories = Categories::of(&mut file);
    for (at, profile) in found.profiles.iter().enumerate() {
        let pid = profile.processes.first().map_or(0, |process| process.pid);
        let begun = Timestamp::from_nanos_since_reference(0);
        let process = file.add_process(&visible(&profile.name), pid, begun);
        let thread = file.add_thread(process, pid, begun, true);
        file.set_thread_name(thread, &visible(&profile.name));
        file.set_thread_samples_weight_type(thread, WeightType::Samples);
        let mut now_ns: u64 = 0;
        // Weights are given as numbers of samples and not of events, since the viewer stores them in 32 bits.
        let per_event = profile.quality.samples as f64 / profile.quality.weight().max(1) as f64;
        for way in ways_of(found, at) {
            let samples = (way.events(at) as f64 * per_event).round() as u64;
            let above = above(&way).map(|name| (name, Kind::Frame));
            let frames = calls::frames(found, way.frames);
            let named = frames.map(|(_, frame)| (visible(&frame.name), calls::kind(found, frame)));
            let all: Vec<(String, Kind)> = above.chain(named).collect();
            let infos: Vec<FrameInfo> = all
                .into_iter()
                .map(|(name, kind)| FrameInfo {
                    frame: Frame::Label(file.intern_string(&name)),
                    category_pair: categories.pair(kind),
                    flags: FrameFlags::empty(),
                })
                .collect();
            let stack = file.intern_stack_frames(thread, infos.into_iter());
            let weight = i32::try_from(samples).unwrap_or(i32::MAX);
            let passed_ns = samples.saturating_mul(distance_ns);
            // A sample stands for the time since the previous one, during which CPU time was used, unless it represents
            // waiting.
            now_ns = now_ns.saturating_add(passed_ns);
            let cpu_ns = if profile.quality.whole() == Whole::WaitingTime { 0 } else { passed_ns };
            file.add_sample(
                thread,
                Timestamp::from_nanos_since_reference(now_ns),
                stack,
                CpuDelta::from_nanos(cpu_ns),
                weight,
            );
        }
    }
    serde_json::to_writer(&mut *out, &file)?;
    Ok(writeln!(out)?)
}

/// The Firefox Profiler's categories for the kinds of code, with the colours in which it shows them.
struct Categories([CategoryPairHandle; 5]);

impl Categories {
    fn of(file: &mut Profile) -> Self {
        let colours = [
            CategoryColor::Blue,
            CategoryColor::LightBlue,
            CategoryColor::Orange,
            CategoryColor::Green,
            CategoryColor::Gray,
        ];
        let mut at = 0;
        Categories(Kind::OF_CODE.map(|kind| {
            at += 1;
            file.add_category(kind.name(), colours[at - 1]).into()
        }))
    }

    fn pair(&self, kind: Kind) -> CategoryPairHandle {
        let place = Kind::OF_CODE.iter().position(|other| *other == kind);
        self.0[place.unwrap_or(self.0.len() - 1)]
    }
}
