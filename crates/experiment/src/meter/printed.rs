//! Metrics that commands print. Their standard output goes to a file, which is read between the runs.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use fauxplat_model::{Metric, PrintedPlace, PrintedSource, Readings};
use fauxplat_sys::workplace::Workplace;
use regex::bytes::{Regex, RegexBuilder};

use super::{Meter, Over};
use crate::Failure;

/// Number of bytes at the end of the output that patterns search.
const SEARCHED_BYTES: u64 = 1 << 20;
/// Maximum size in bytes of an output that is parsed as JSON.
const JSON_BYTES: u64 = 16 << 20;
/// Printed numbers are stored in millionths.
const MILLIONTHS: f64 = 1e6;
/// Maximum number of characters of a printed number in a message.
const SHOWN_MAX: usize = 40;
/// Upper limit of a number in millionths: the store has 63 bits.
const STORED_MAX: f64 = 9.2e18;

#[derive(Debug)]
pub struct Printed {
    outlet: Outlet,
    numbers: Vec<Number>,
}

#[derive(Debug)]
struct Outlet {
    /// Folder that contains the file, which is deleted on drop.
    _folder: Workplace,
    path: PathBuf,
    file: File,
}

impl Outlet {
    fn new() -> io::Result<Self> {
        let folder = Workplace::make("output", &std::env::temp_dir())?;
        let path = folder.path().join("output");
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        Ok(Outlet { _folder: folder, path, file })
    }
}

impl Printed {
    /// Opens a meter for these sources.
    ///
    /// # Errors
    /// Fails for a pattern that is invalid or has no group, a name that cannot be a metric's, or if the file cannot be
    /// created.
    pub fn open(sources: &[PrintedSource]) -> Result<Self, Failure> {
        let fail =
            |error| Failure::machine(format!("--metric-from: no file for what commands print: {error}"));
        let numbers = sources.iter().map(Number::of).collect::<Result<_, _>>()?;
        Ok(Printed { outlet: Outlet::new().map_err(fail)?, numbers })
    }

    /// The number of each source in this output of a run, in millionths; its error is the reason why it was not found.
    pub fn numbers(&self, printed: &[u8]) -> Vec<Result<u64, String>> {
        let output = Output::whole(printed.to_vec());
        self.numbers.iter().map(|number| number.found(&output).map(|found| found.millionths)).collect()
    }
}

impl Meter for Printed {
    fn metrics(&self) -> Vec<Metric> {
        self.numbers.iter().map(|number| number.metric).collect()
    }

    fn stdout(&self) -> Option<&Path> {
        Some(&self.outlet.path)
    }

    fn begin(&mut self) {
        // Commands append their output to the file. If the file cannot be truncated, the output of earlier runs stays
        // in front of the next run's output.
        let _ = self.outlet.file.set_len(0);
    }

    fn end(&mut self, _run: Over, readings: &mut Readings) {
        let output = Output::of(&self.outlet.file);
        for number in &mut self.numbers {
            readings.set(number.metric, number.read(&output));
        }
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        let number = self.numbers.iter().find(|number| number.metric == metric);
        number.map(|number| number.last_trouble.as_str())
    }

    fn not_measured(&self) -> Vec<String> {
        self.numbers.iter().filter_map(Number::not_measured).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.numbers.iter().filter_map(Number::rounded).collect()
    }
}

#[derive(Debug, Default)]
struct Output {
    /// The last `SEARCHED_BYTES` of the output, which patterns search.
    end: Vec<u8>,
    /// The whole output; `None` if it is longer than `JSON_BYTES`.
    whole: Option<Vec<u8>>,
    trouble: Option<String>,
}

impl Output {
    fn whole(bytes: Vec<u8>) -> Self {
        Output { end: end_of(&bytes), whole: Some(bytes), trouble: None }
    }

    fn of(file: &File) -> Self {
        Output::read(file).unwrap_or_else(|error| Output {
            trouble: Some(format!("what the command printed cannot be read: {error}")),
            ..Output::default()
        })
    }

    fn read(mut file: &File) -> std::io::Result<Self> {
        let length = file.metadata()?.len();
        let is_short = length <= JSON_BYTES;
        file.seek(SeekFrom::Start(if is_short { 0 } else { length - SEARCHED_BYTES }))?;
        let mut bytes = Vec::new();
        file.take(JSON_BYTES).read_to_end(&mut bytes)?;
        match is_short {
            true => Ok(Output::whole(bytes)),
            false => Ok(Output { end: end_of(&bytes), ..Output::default() }),
        }
    }
}

/// The part of the output that patterns search.
fn end_of(bytes: &[u8]) -> Vec<u8> {
    bytes[bytes.len().saturating_sub(SEARCHED_BYTES as usize)..].to_vec()
}

#[derive(Debug)]
struct Number {
    source: PrintedSource,
    metric: Metric,
    /// Pattern whose first group is the number; `None` if the number is found by a JSON pointer.
    pattern: Option<Regex>,
    last_trouble: String,
    runs: u32,
    missed: u32,
    /// Number of runs whose number lost digits that matter.
    coarse: u32,
    /// The latest number that lost digits that matter, as it was printed.
    last_coarse: String,
}

/// A number as it is stored.
struct Found {
    millionths: u64,
    /// The number as it was printed, if digits that matter were lost.
    coarse: Option<String>,
}

impl Number {
    fn of(source: &PrintedSource) -> Result<Self, Failure> {
        let metric = source.spec().and_then(Metric::open).map_err(Failure::usage)?;
        let pattern = match &source.place {
            PrintedPlace::Pointer(_) => None,
            PrintedPlace::Pattern(pattern) => Some(compiled(source, pattern)?),
        };
        Ok(Number {
            source: source.clone(),
            metric,
            pattern,
            last_trouble: String::new(),
            runs: 0,
            missed: 0,
            coarse: 0,
            last_coarse: String::new(),
        })
    }

    /// The number that one run printed, in millionths; `None` if it was not found.
    fn read(&mut self, output: &Output) -> Option<u64> {
        self.runs += 1;
        match self.found(output) {
            Ok(Found { millionths, coarse }) => {
                if let Some(text) = coarse {
                    (self.coarse, self.last_coarse) = (self.coarse + 1, text);
                }
                Some(millionths)
            }
            Err(why) => {
                (self.missed, self.last_trouble) = (self.missed + 1, why);
                None
            }
        }
    }

    fn found(&self, output: &Output) -> Result<Found, String> {
        if let Some(trouble) = &output.trouble {
            return Err(trouble.clone());
        }
        let text = self.text(output)?;
        let millionths = millionths(&text)?;
        let shown = || text.trim().chars().take(SHOWN_MAX).collect();
        Ok(Found { millionths, coarse: is_coarse(&text, millionths).then(shown) })
    }

    /// Sentence about numbers that lost digits that matter; `None` if there are none.
    fn rounded(&self) -> Option<String> {
        let (coarse, runs, name, text) = (self.coarse, self.runs, self.metric.name(), &self.last_coarse);
        (coarse > 0).then(|| {
            format!(
                "{name}: numbers are stored in millionths, so that those of {coarse} of {runs} runs lost digits that matter, \
                 such as {text}; print it in a smaller unit"
            )
        })
    }

    fn text(&self, output: &Output) -> Result<String, String> {
        match (&self.source.place, &self.pattern) {
            (PrintedPlace::Pattern(pattern), Some(compiled)) => last_match(compiled, &output.end)
                .ok_or_else(|| format!("nothing that the command printed matches `{pattern}`")),
            (PrintedPlace::Pointer(place) | PrintedPlace::Pattern(place), _) => pointed_at(place, output),
        }
    }

    fn not_measured(&self) -> Option<String> {
        let (missed, runs, name) = (self.missed, self.runs, self.metric.name());
        (missed > 0).then(|| format!("{name} in {missed} of {runs} runs: {}", self.last_trouble))
    }
}

/// Compiles the pattern of a source, in which `^` and `$` match at line ends. Fails if the pattern has no group.
fn compiled(source: &PrintedSource, pattern: &str) -> Result<Regex, Failure> {
    let compiled = RegexBuilder::new(pattern).multi_line(true).build().map_err(|error| {
        // The error's message shows the pattern over several lines; its last line has the reason.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::usage(format!("--metric-from {}: {why}", source.name))
    })?;
    match compiled.captures_len() {
        0 | 1 => Err(Failure::usage(format!(
            "--metric-from {}: `{pattern}` has no group; put the number in parentheses, as in 'took ([0-9.]+) ms'",
            source.name
        ))),
        _ => Ok(compiled),
    }
}

/// The first group of a pattern in its last match; `None` without a match.
fn last_match(pattern: &Regex, text: &[u8]) -> Option<String> {
    let last = pattern.captures_iter(text).last()?;
    Some(String::from_utf8_lossy(last.get(1)?.as_bytes()).into_owned())
}

fn pointed_at(pointer: &str, output: &Output) -> Result<String, String> {
    let whole = output
        .whole
        .as_ref()
        .ok_or_else(|| format!("over {} MiB were printed, which is not read as JSON", JSON_BYTES >> 20))?;
    let document: serde_json::Value = serde_json::from_slice(whole)
        .map_err(|error| format!("what the command printed is no JSON document: {error}"))?;
    match document.pointer(pointer) {
        Some(serde_json::Value::Number(number)) => Ok(number.to_string()),
        Some(serde_json::Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{pointer}` is no number in the JSON that was printed")),
        None => Err(format!("the JSON that was printed has no `{pointer}`")),
    }
}

/// Whether rounding to millionths changed a number, which is so small that half a millionth exceeds a tenth of the
/// usual margin of 1 %.
fn is_coarse(text: &str, millionths: u64) -> bool {
    let exact = text.trim().parse::<f64>().map_or(0.0, |number| number * MILLIONTHS);
    let stored = millionths as f64;
    0.5 > 0.1 * 0.01 * stored && (exact - stored).abs() > 1e-9 * stored
}

/// Parses a number above zero, and returns it in millionths. Zero and negative numbers are refused, because there is no
/// ratio of them.
fn millionths(text: &str) -> Result<u64, String> {
    let shown: String = text.chars().take(SHOWN_MAX).collect();
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| format!("`{shown}` is no number"))?;
    let millionths = (number * MILLIONTHS).round();
    match millionths {
        some if some >= STORED_MAX => Err(format!("`{shown}` is too large: at most 9.2e12 is stored")),
        some if some >= 1.0 => Ok(some as u64),
        _ if number > 0.0 => Err(format!("`{shown}` is too small: at least 0.000001 is stored")),
        _ => Err(format!("`{shown}` is not above 0, so that it has no ratio to others")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use fauxplat_model::MetricSet;

    fn printed(sources: &[&str]) -> Printed {
        let sources: Vec<PrintedSource> = sources.iter().map(|text| text.parse().unwrap()).collect();
        Printed::open(&sources).unwrap()
    }

    /// Readings of a run whose standard output is `output`.
    fn run(meter: &mut Printed, output: &[u8]) -> Vec<Option<u64>> {
        let metrics = meter.metrics();
        let mut readings = Readings::new(MetricSet::new(metrics.clone()), Vec::new());
        meter.begin();
        let mut file = File::options().append(true).open(meter.stdout().unwrap()).unwrap();
        file.write_all(output).unwrap();
        meter.end(Over { trial: 0, started_ns: 0, wall_ns: 1 }, &mut readings);
        metrics.into_iter().map(|metric| readings.get(metric)).collect()
    }

    #[test]
    fn the_last_match_counts_and_each_run_stands_alone() {
        let mut meter = printed(&["t1=^took ([^ ]*) ms$"]);
        assert_eq!(run(&mut meter, b"took 5 ms\n\xff\ntook 3.217 ms\n"), [Some(3_217_000)]);
        assert_eq!(run(&mut meter, b"nothing\n"), [None]);
        assert!(meter.trouble(meter.metrics()[0]).unwrap().contains("matches"));
        assert_eq!(run(&mut meter, b"took 1e3 ms\n"), [Some(1_000_000_000)]);
        assert!(meter.not_measured()[0].contains("printed:t1 in 1 of 3 runs"));
    }

    #[test]
    fn a_pointer_reads_the_whole_as_json() {
        let mut meter = printed(&["j1=/a/0/b", "j2=/c"]);
        assert_eq!(run(&mut meter, br#"{"a":[{"b":0.25}],"c":"12"}"#), [Some(250_000), Some(12_000_000)]);
        assert_eq!(run(&mut meter, br#"{"a":[{"b":[]}]}"#), [None, None]);
        assert_eq!(run(&mut meter, b"{\"a\"")[0], None);
        assert!(meter.trouble(meter.metrics()[0]).unwrap().contains("no JSON document"));
    }

    #[test]
    fn what_has_no_ratio_is_missing_and_says_so() {
        let cases = [
            ("0", "above 0"),
            ("-1", "above 0"),
            ("NaN", "no number"),
            ("inf", "no number"),
            ("x", "no number"),
        ];
        for (text, why) in cases.into_iter().chain([("1e13", "too large"), ("1e-9", "too small")]) {
            assert!(millionths(text).unwrap_err().contains(why), "{text}");
        }
        assert_eq!(millionths(" 9000000000000.000001 "), Ok(9_000_000_000_000_000_000));
    }

    #[test]
    fn a_number_that_loses_digits_is_warned_about_once() {
        let mut meter = printed(&["t1=^took (.*)$", "t2=^more (.*)$"]);
        run(&mut meter, b"took 0.000012\nmore 0.25\n");
        run(&mut meter, b"took 3\nmore 0.0006001\n");
        assert_eq!(meter.warnings(), Vec::<String>::new());
        assert_eq!(run(&mut meter, b"took 12.1e-6\nmore 1\n")[0], Some(12));
        run(&mut meter, b"took 11.9e-6\nmore 1\n");
        let warnings = meter.warnings();
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with("printed:t1: ") && warnings[0].contains("2 of 4 runs"),
            "{warnings:?}"
        );
        assert!(warnings[0].ends_with("such as 11.9e-6; print it in a smaller unit"), "{warnings:?}");
    }

    #[test]
    fn of_a_long_output_the_end_is_searched() {
        let mut meter = printed(&["l1=number (.)", "l2=/x"]);
        let long =
            [b"number 1\n".as_slice(), &vec![b' '; (JSON_BYTES + 10) as usize], b"number 2\n"].concat();
        assert_eq!(run(&mut meter, &long), [Some(2_000_000), None]);
        let hidden = [b"number 1\n".as_slice(), &vec![b' '; (SEARCHED_BYTES + 10) as usize]].concat();
        assert_eq!(run(&mut meter, &hidden), [None, None]);
    }

    #[test]
    fn a_pattern_that_cannot_find_a_number_is_refused() {
        for bad in ["p1=took", "p1=took (", "p1=a{5,2}(b)"] {
            let error = Printed::open(&[bad.parse().unwrap()]).unwrap_err().to_string();
            assert!(error.starts_with("--metric-from p1: ") && !error.contains('\n'), "{error}");
        }
    }
}
