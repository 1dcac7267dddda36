//! Writes a constructed record, such as `cargo run --example constructed -- compare markdown`, to try the formats on
//! the programs that read them.

use std::io::stdout;

#[expect(dead_code, reason = "each user of the constructed records takes some of them")]
#[path = "../tests/suite/common.rs"]
mod common;
#[expect(dead_code, reason = "each user of the constructed records takes some of them")]
#[path = "../tests/suite/comparisons.rs"]
mod comparisons;
#[path = "../tests/suite/constructed.rs"]
mod constructed;

use fauxplat_report::{Style, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let word = |index: usize, default: &str| words.get(index).map_or(default.to_owned(), Clone::clone);
    let owned = match word(1, "run").as_str() {
        "run" => common::run(&["sort -n data", "gsort -n data"]),
        "troubled" => common::troubled_run(),
        "compare" => comparisons::compare_three(),
        "aa" => common::aa(),
        "contend" => constructed::contend(),
        "capacity" => constructed::capacity(),
        "index" => constructed::index(),
        "limit" => constructed::limit(),
        "limit-groups" => constructed::limit_groups(),
        "load" => constructed::load(),
        "tune" => constructed::tune(),
        "tune-list" => constructed::tune_list(),
        "replay" => constructed::replay(),
        "restore" => constructed::restore(),
        "lab" => constructed::lab(),
        "table" => constructed::table(),
        other => return Err(format!("`{other}` is not one of the records in this example").into()),
    };
    let style =
        Style { colour: true, width: word(3, "100").parse()?, unicode: word(4, "unicode") != "ascii" };
    Ok(write(&owned.record(), word(2, "text").parse()?, &style, &mut stdout())?)
}
