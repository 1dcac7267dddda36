//! Errors of the command line, in one line.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use fauxplat_store::masked;

use crate::foreign::ours;

/// The parser's message in one line: its first sentence and its tips, without the usage that `--help` shows. For an
/// option of another tool, the message tells what to type instead.
pub fn misuse(error: &clap::Error, words: &[String]) -> String {
    let verb = words.get(1).map_or("", String::as_str);
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && let Some(ours) = ours(verb, option)
    {
        return format!("{verb} has no {option}: {ours} (see fauxplat {verb} --help)");
    }
    let text = error.render().to_string();
    let said = text.split("\nUsage:").next().unwrap_or_default();
    let said = said.split("For more information").next().unwrap_or_default();
    let words = said.split_whitespace().skip_while(|word| *word == "error:");
    let words: Vec<String> = words.map(masked).collect();
    format!("{} (see --help)", words.join(" "))
}
