//! Values of the command line that types of the model parse themselves: limits, loads, places, times, sizes, tables.

use std::fmt::Display;
use std::str::FromStr;

use fauxplat_hazards::Severity;
use fauxplat_model::{
    Background, EnvPad, Heap, Limit, LoadSpec, Placement, Policy, Relation, Runs, StackLimit, TableSource,
};
use fauxplat_report::Format;
use fauxplat_units::{Bytes, CpuSet, Nanos};

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "cpu:",
    "memory:",
    "50%",
    "64MiB",
    "none",
    "+",
    "swap:0",
    "pids:",
    "integer",
    "realtime",
    ":30%",
    "@",
    "0-3",
    "sibling-of:",
    "same-l2:",
    "quietest:2",
    "&",
    "|",
    "(",
    "!",
    "fifo:",
    "rr:",
    "other",
    "random",
    "one-of:",
    "idle-of:",
    "burner@all",
    "auto",
    "1%",
    "5ms",
    "1h",
    "KiB",
    "unlimited",
    "inherit",
    "name=file:*",
    ".*",
    "json",
];

/// A value that can be parsed is displayed as text that parses to an equal value.
fn round_trip<T: FromStr + Display + PartialEq>(text: &str) {
    if let Ok(read) = text.parse::<T>() {
        let written = read.to_string();
        let again = written.parse::<T>().ok();
        assert!(
            again.as_ref() == Some(&read),
            "`{text}` is written as `{written}`, which is another or none"
        );
    }
}

/// Every word that is a noun.
pub(crate) fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for word in text.lines().take(8) {
        let word: String = word.chars().take(2000).collect();
        let word = word.as_str();
        round_trip::<CpuSet>(word);
        round_trip::<Relation>(word);
        round_trip::<Limit>(word);
        round_trip::<StackLimit>(word);
        round_trip::<LoadSpec>(word);
        round_trip::<Background>(word);
        round_trip::<Policy>(word);
        round_trip::<Placement>(word);
        round_trip::<Runs>(word);
        let _refused = (word.parse::<EnvPad>().is_ok(), word.parse::<Heap>().is_ok());
        let _refused = (word.parse::<TableSource>().is_ok(), word.parse::<Severity>().is_ok());
        let _refused = word.parse::<Format>().is_ok();
        if let Ok(Nanos(nanos)) = word.parse() {
            assert!(nanos < 9_300_000_000_000_000_000);
        }
        if let Ok(size) = word.parse::<Bytes>() {
            let _told = size.to_string();
        }
    }
}
