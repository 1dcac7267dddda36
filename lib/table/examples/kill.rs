//! Kills writers at arbitrary instructions, the given number of times: `kill 10000`.
#![expect(clippy::disallowed_methods, reason = "the writers must be processes of their own to be killed")]
#![expect(clippy::disallowed_macros, reason = "an example prints its report")]

#[path = "../tests/crash/mod.rs"]
mod crash;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [cells, records, number] = arguments.as_slice() {
        return Ok(crash::write_for_ever(Path::new(cells), Path::new(records), number.parse()?)?);
    }
    let kills = arguments.first().map_or(Ok(1000), |count| count.parse())?;
    let program = std::env::current_exe()?;
    let place = PathBuf::from(format!("/dev/shm/fauxplat-kill-{}", std::process::id()));
    let start = Instant::now();
    let report = crash::campaign(kills, &place, &|cells, records, number| {
        let mut command = Command::new(&program);
        command.arg(cells).arg(records).arg(number.to_string());
        command.spawn().expect("this program can be started again")
    });
    println!("kills              {}", report.kills);
    println!("fresh tables       {}", report.tables);
    println!("checked reads      {}", report.reads);
    println!("additions counted  {}", report.adds);
    println!("objects inserted   {}", report.inserts);
    println!("rows waiting       {}", report.rows_waiting);
    println!("filled up with     {}", report.filled);
    println!(
        "lost (objects, values, rows), torn, moved or blocked: nothing, in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
