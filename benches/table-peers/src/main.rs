//! Prints how the table compares with a flat array and with its peers, as medians of paired ratios.
//!
//! `table-peers dense|hashed|peers|stores|writer|big|add|insert|longest|locks|neighbours|sampled`: one section a run. `dense` and `hashed` take a
//! number of objects: with few of them everything stays in the nearest cache and only the instructions are left.

mod add;
mod data;
mod paired;
mod peers;
mod reads;

fn main() {
    let section = std::env::args().nth(1).unwrap_or_default();
    let objects = std::env::args().nth(2).map_or(65_536, |word| word.parse().expect("a number of objects"));
    match section.as_str() {
        "dense" => reads::dense(objects),
        "hashed" => reads::hashed(objects),
        "big" => reads::big(),
        "writer" => reads::beside_a_writer(),
        "peers" => peers::maps(),
        "stores" => peers::stores(),
        "locks" => peers::locks(),
        "add" => add::owned(),
        "insert" => add::inserts(),
        "longest" => add::longest(),
        "neighbours" => add::neighbours(),
        "sampled" => add::sampled(),
        _ => println!("sections: dense hashed peers stores writer big add insert longest locks neighbours sampled"),
    }
}
