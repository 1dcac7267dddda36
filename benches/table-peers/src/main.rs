//! Prints how the table compares with a flat array and with its peers, as medians of paired ratios.
//!
//! `table-peers dense|hashed|peers|stores|writer|big|add|insert|locks|sampled`: one section a run.

mod add;
mod data;
mod paired;
mod peers;
mod reads;

fn main() {
    let section = std::env::args().nth(1).unwrap_or_default();
    match section.as_str() {
        "dense" => reads::dense(65_536),
        "hashed" => reads::hashed(65_536),
        "big" => reads::big(),
        "writer" => reads::beside_a_writer(),
        "peers" => peers::maps(),
        "stores" => peers::stores(),
        "locks" => peers::locks(),
        "add" => add::owned(),
        "insert" => add::inserts(),
        "sampled" => add::sampled(),
        _ => println!("sections: dense hashed peers stores writer big add insert locks sampled"),
    }
}
