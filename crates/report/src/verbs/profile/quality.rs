//! The quality of a profile: a line in every report, and advice if the quality is poor.

use fauxplat_model::{Profile, ProfileFindings, ProfileQuality, ProfiledObject, Whole};
use fauxplat_units::Nanos;

use super::words::{ROWS, cell, file, part, share, short, whole};
use crate::Detail;
use crate::parts::{Grid, Piece, Rank, Tone};
use crate::words::{counted, grouped, listed, visible};

/// Number of samples below which a profile gets a warning.
pub(super) const SAMPLES_MIN: u64 = 100;
/// Shares beyond which a profile may mislead (above a maximum, below a minimum): of lost samples, of samples with
/// truncated stacks, of the events for which samples stand, of samples whose callers were lost, of samples in code
/// without a name, and of the requested rate.
const LOST_MAX: f64 = 0.01;
const TRUNCATED_MAX: f64 = 0.01;
const COVERED_MIN: f64 = 0.95;
const BROKEN_MAX: f64 = 0.05;
const UNKNOWN_MAX: f64 = 0.05;
const RATE_MIN: f64 = 0.9;
/// The largest part of a stack that the kernel copies, in bytes: 64 KiB minus one word.
const STACK_MAX: u32 = 65_528;
/// Maximum number of files without symbol names that a short report lists.
const FILES_MAX: usize = 3;

/// Pieces about a profile's quality: a line of figures, warnings, and notes about unusual sampling.
pub(super) fn pieces(profile: &Profile) -> Vec<Piece> {
    let quality = &profile.quality;
    // Even the shortest reports contain the line about quality.
    let mut pieces = vec![Piece { details: &Detail::ALL, ..Piece::plain(line(quality)) }];
    let warnings = warnings(quality);
    pieces.extend(warnings.into_iter().map(|it| Piece::sentence(Rank::Warning, Tone::Doubt, it).joined()));
    pieces.extend(quality.notes.iter().map(|note| Piece::plain(visible(note)).joined()));
    pieces
}

/// The line about quality, such as "12,345 samples of cpu-clock at 997 a second (999 asked), 0 lost, …".
fn line(of: &ProfileQuality) -> String {
    let event = if of.event.is_empty() { String::new() } else { format!(" of {}", visible(&of.event)) };
    let runs =
        if of.runs > 1 { format!(" in {}", counted(of.runs as usize, "run", "runs")) } else { String::new() };
    let word = if of.samples == 1 { "sample" } else { "samples" };
    let mut said = vec![
        format!("{} {word}{event}{runs}{}", grouped(of.samples), rate(of)),
        format!("{} lost", grouped(of.lost)),
    ];
    let shared = |count: u64| share(part(count, of.samples));
    let cure = if of.truncated > 0 && can_copy_more(of) { " (raise --stack-size)" } else { "" };
    said.extend(covered(of));
    said.push(format!("{} of stacks truncated{cure}", shared(of.truncated)));
    said.push(format!("{} broken", shared(of.broken)));
    said.push(format!("{} without a name", shared(of.unknown)));
    let kernel = if of.has_kernel { "" } else { ", the kernel's own functions not among them" };
    format!("{}{kernel}; {}.", said.join(", "), sources(of).join("; "))
}

fn rate(of: &ProfileQuality) -> String {
    let number = |hz: f64| if hz.is_finite() { format!("{hz:.0}") } else { "?".to_owned() };
    match (of.reached_hz, of.rate_hz) {
        (Some(reached), Some(asked)) => format!(" at {} a second ({} asked)", number(reached), number(asked)),
        (Some(reached), None) => format!(" at {} a second", number(reached)),
        (None, Some(asked)) => format!(" ({} a second asked)", number(asked)),
        (None, None) => String::new(),
    }
}

/// Words for the part of the events that samples represent, such as "standing for 207,000 of 207,913 page-faults";
/// `None` if time is sampled.
fn covered(of: &ProfileQuality) -> Option<String> {
    let (events, counted) = (of.events?, of.counted?);
    let is_told = of.whole() == Whole::Events && of.samples > 0;
    // At a requested rate, the kernel estimates the number of events for each sample, so that their sum may exceed the
    // count by part of a period.
    let part = if events < counted { grouped(events) } else { "all".to_owned() };
    is_told.then(|| format!("standing for {part} of {} {}", grouped(counted), whole(of)))
}

/// Whether the kernel can copy a larger part of each stack than was requested.
fn can_copy_more(of: &ProfileQuality) -> bool {
    (1..STACK_MAX).contains(&of.stack_bytes)
}

/// Phrases about the method of finding callers, and about the cost of sampling.
fn sources(of: &ProfileQuality) -> Vec<String> {
    let stack = match of.stack_bytes {
        0 => String::new(),
        STACK_MAX => ", 64 KiB of stack".to_owned(),
        bytes if bytes % 1024 == 0 => format!(", {} KiB of stack", bytes / 1024),
        bytes => format!(", {bytes} B of stack"),
    };
    let unwinding = if of.unwinding.is_empty() { "nothing" } else { &of.unwinding };
    let mut said = Vec::new();
    if let (Some(waits), Some(waited_s)) = (of.waits, of.waited_s) {
        let word = if waits == 1 { "wait" } else { "waits" };
        said.push(format!("{} {word} of {} together", grouped(waits), Nanos::display_f64(waited_s * 1e9)));
    }
    said.push(format!("callers by {}{stack}", visible(unwinding)));
    if of.elapsed_s > 0.0 {
        said.push(format!("reading them took {} of a CPU", share(of.own_cpu_s / of.elapsed_s)));
    }
    said
}

/// Warnings about a profile that may mislead, each with advice.
fn warnings(of: &ProfileQuality) -> Vec<String> {
    let mut said = Vec::new();
    let shared = |count: u64| part(count, of.samples);
    let lost = part(of.lost, of.samples.saturating_add(of.lost));
    if of.samples > 0 && of.samples < SAMPLES_MIN {
        said.push(format!(
            "{} tell little: let the program run longer or more often, or ask for more samples a second.",
            counted(of.samples as usize, "sample", "samples")
        ));
    }
    if lost > LOST_MAX {
        said.push(format!(
            "{} of the samples were lost, and where the program was then is unknown: ask for fewer a second, or leave a \
             CPU free.",
            share(lost)
        ));
    }
    if let Some(covered) = of.covered().filter(|&it| of.whole() == Whole::Events && it < COVERED_MIN) {
        said.push(format!(
            "The samples stand for {} of the {}, and where the rest occurred is unknown: {}.",
            share(covered),
            whole(of),
            if of.lost > 0 { "ask for fewer samples a second" } else { "ask for more, or lower --period" }
        ));
    }
    if shared(of.truncated) > TRUNCATED_MAX {
        let cure = if can_copy_more(of) {
            ": raise --stack-size"
        } else if of.stack_bytes > 0 {
            ": the kernel copies no more than 64 KiB; --unwind frame-pointers goes further in programs that keep them"
        } else {
            ""
        };
        said.push(format!(
            "{} of the stacks lack their outermost callers{cure}.",
            share(shared(of.truncated))
        ));
    }
    if shared(of.broken) > BROKEN_MAX {
        let cure = match of.stack_bytes {
            0 => "build it with -fno-omit-frame-pointer, or leave out --unwind frame-pointers",
            _ => {
                "in a program that is built with frame pointers, --unwind frame-pointers finds callers beyond it; code that is \
                 written at run time (python -X perf) and assembly have no tables"
            }
        };
        said.push(format!(
            "{} of the stacks end in code whose callers are not found, so shares with callees are too low: {cure}.",
            share(shared(of.broken))
        ));
    }
    if shared(of.unknown) > UNKNOWN_MAX {
        said.push(format!(
            "{} of the samples are in functions without a name: install the debug information of what is listed below, \
             or build without stripping.",
            share(shared(of.unknown))
        ));
    }
    said.extend(slow(of));
    said
}

/// A warning if the sampling rate was below the requested one.
fn slow(of: &ProfileQuality) -> Option<String> {
    let (asked, reached) = (of.rate_hz?, of.reached_hz?);
    // Waits are recorded whatever their rate, and if the samples are most of the counted events, a higher rate would
    // give hardly more.
    let is_whole = of.whole() == Whole::WaitingTime
        || of.counted.is_some_and(|counted| of.whole() == Whole::Events && of.samples >= counted / 2);
    if of.samples == 0 || is_whole || reached >= asked * RATE_MIN {
        return None;
    }
    let why = match of.throttled {
        0 => "the machine's clock gives no more, or the program ran too briefly".to_owned(),
        times => format!(
            "the kernel kept them back {}; raise kernel.perf_event_max_sample_rate",
            counted(times as usize, "time", "times")
        ),
    };
    Some(format!(
        "{reached:.0} samples came in a second of CPU time where {asked:.0} were asked for: {why}, or ask for fewer."
    ))
}

/// A table of the sampled processes, if there are several.
pub(super) fn processes(profile: &Profile) -> Vec<Piece> {
    if profile.processes.len() < 2 {
        return Vec::new();
    }
    let table = |rows: usize| {
        let mut grid = Grid::named(&["process", "pid", "threads", "samples", "share (95 %)"], &[2, 1]);
        for it in profile.processes.iter().take(rows) {
            let held = part(it.events.unwrap_or(it.samples), profile.quality.weight());
            let held = it.interval.map_or_else(|| share(held), |[low, high]| cell(held, low, high));
            let numbers = [it.pid.to_string(), it.threads.to_string(), grouped(it.samples), held];
            grid.push(Tone::Plain, std::iter::once(short(&it.name)).chain(numbers).collect());
        }
        Piece::table(grid)
    };
    let many = counted(profile.processes.len(), "process was", "processes were");
    vec![
        Piece::plain(format!("{many} sampled.")),
        table(ROWS[1]).joined().in_full(),
        table(ROWS[0]).joined().in_brief(),
    ]
}

/// Lines about files without symbol names, and the packages to install for them.
pub(super) fn names(found: &ProfileFindings) -> Vec<Piece> {
    let missing: Vec<(&ProfiledObject, &str)> =
        found.objects.iter().filter_map(|it| Some((it, it.missing.as_deref()?))).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let one = |(place, (object, what)): (usize, &(&ProfiledObject, &str))| {
        let piece = Piece::plain(format!("{}: {}", super::words::named(&object.path), visible(what)));
        let piece = piece.at(1).joined();
        if place < FILES_MAX { piece } else { piece.in_full() }
    };
    let heading = Piece::heading("Names that are missing");
    let mut pieces: Vec<Piece> =
        std::iter::once(heading).chain(missing.iter().enumerate().map(one)).collect();
    if let Some(more) = missing.get(FILES_MAX..).filter(|more| !more.is_empty()) {
        let names: Vec<String> = more.iter().take(FILES_MAX).map(|(object, _)| file(&object.path)).collect();
        let others = counted(more.len(), "more file", "more files");
        pieces.push(Piece::plain(format!("{others}, such as {}.", listed(&names))).at(1).joined().in_brief());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::spaced;

    fn good() -> ProfileQuality {
        ProfileQuality {
            event: "cpu-clock".into(),
            unwinding: "eh_frame".into(),
            stack_bytes: 32 << 10,
            runs: 1,
            samples: 12_345,
            truncated: 12,
            broken: 37,
            unknown: 148,
            has_kernel: true,
            rate_hz: Some(999.0),
            reached_hz: Some(997.2),
            cpu_s: 12.4,
            elapsed_s: 12.5,
            own_cpu_s: 0.1625,
            ..ProfileQuality::default()
        }
    }

    #[test]
    fn a_line_says_how_good_it_is() {
        let expected = "12,345 samples of cpu-clock at 997 a second (999 asked), 0 lost, 0.10 % of stacks truncated \
            (raise --stack-size), 0.30 % broken, 1.2 % without a name; callers by eh_frame, 32 KiB of stack; reading \
            them took 1.3 % of a CPU.";
        assert_eq!(spaced(&line(&good())), expected);
        assert!(warnings(&good()).is_empty());
    }

    #[test]
    fn each_trouble_has_a_cure() {
        let bad = ProfileQuality {
            samples: 90,
            lost: 2,
            truncated: 1,
            broken: 5,
            unknown: 5,
            reached_hz: Some(800.0),
            throttled: 3,
            ..good()
        };
        let said = warnings(&bad).join("\n");
        let cures = [
            "run longer",
            "leave a CPU free",
            "raise --stack-size",
            "--unwind frame-pointers finds",
            "stripping",
            "perf_event_max_sample_rate",
        ];
        for cure in cures {
            assert!(said.contains(cure), "{cure}: {said}");
        }
        let full = ProfileQuality { stack_bytes: STACK_MAX, ..bad.clone() };
        assert!(warnings(&full).join("").contains("no more than 64 KiB"));
        // A profile exactly at the limits gets no warning.
        let fair = ProfileQuality {
            samples: 100,
            lost: 1,
            truncated: 1,
            broken: 5,
            unknown: 5,
            reached_hz: Some(900.0),
            ..good()
        };
        assert_eq!(warnings(&fair), Vec::<String>::new());
    }

    /// The line about quality states the part of the events that samples represent; for time, the achieved rate has
    /// that role.
    #[test]
    fn what_samples_stand_for_is_told() {
        let faults = |events| ProfileQuality {
            event: "page-faults".into(),
            events: Some(events),
            counted: Some(207_913),
            rate_hz: None,
            ..good()
        };
        assert!(spaced(&line(&faults(207_000))).contains("standing for 207,000 of 207,913 page-faults"));
        assert!(spaced(&line(&faults(208_391))).contains("standing for all of 207,913 page-faults"));
        assert!(warnings(&faults(207_000)).is_empty());
        let said = warnings(&ProfileQuality { lost: 9, ..faults(103_000) }).join("");
        assert!(
            spaced(&said).contains("stand for 49.5 % of the page-faults")
                && said.contains("fewer samples a second"),
            "{said}"
        );
        let clock = ProfileQuality { events: Some(1), counted: Some(2), ..good() };
        assert!(!line(&clock).contains("standing") && warnings(&clock).is_empty());
    }

    #[test]
    fn nothing_is_no_reason_to_fall_over() {
        let nothing = ProfileQuality::default();
        assert!(line(&nothing).starts_with("0 samples, 0 lost, 0.00"));
        assert!(warnings(&nothing).is_empty());
    }
}
