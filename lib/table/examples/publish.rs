//! Works for a while and publishes its progress: `publish FILE ROUNDS`; the table in FILE is kept or created.
#![expect(clippy::disallowed_macros, reason = "an example prints its answer")]

use fauxplat_table::{Error, Options, Table};

/// Steps of a random number generator, the work of this example, between two additions to the counter.
const STEPS: u32 = 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, rounds] = words.as_slice() else { return Err("usage: publish FILE ROUNDS".into()) };
    let answer = publish(file, rounds.parse()?)?;
    println!("{answer:016x}");
    Ok(())
}

/// Runs the rounds. The answer depends on every step, so that the compiler cannot remove any.
fn publish(file: &str, rounds: u64) -> Result<u64, Error> {
    let options = Options::new().max_hashed_objects(16).dense_keys(1);
    let table: Table = options.open_or_create(file)?;
    let mut done = table.counter(1, 0)?;
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..rounds {
        for _ in 0..STEPS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
        done.add(1)?;
    }
    Ok(state)
}
