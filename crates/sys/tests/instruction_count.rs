//! The loop [`arithmetic::fauxplat`] executes exactly the stated number of instructions, as counted by valgrind.
#![expect(clippy::disallowed_methods, reason = "the test starts valgrind on itself")]
#![expect(clippy::disallowed_macros, reason = "a test that cannot run says so")]

use std::process::Command;

use fauxplat_sys::arithmetic::{self, FAUXPLAT_INSTRUCTIONS};

/// Environment variable of the process whose instructions are counted: the number of iterations.
const ITERATIONS: &str = "FAUXPLAT_TEST_ITERATIONS";

/// Counts the instructions of [`arithmetic::fauxplat`] for this many iterations, by running this test once more under
/// valgrind; `None` if valgrind is not installed.
fn counted(iterations: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=*arithmetic*{}*fauxplat*", std::env::consts::ARCH))
        .arg(std::env::current_exe().unwrap())
        .env(ITERATIONS, iterations.to_string())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    let count = line.unwrap_or_else(|| panic!("valgrind says: {text}")).1;
    Some(count.trim().parse().unwrap())
}

#[test]
fn every_iteration_has_the_stated_number_of_instructions() {
    if let Ok(iterations) = std::env::var(ITERATIONS) {
        arithmetic::fauxplat(iterations.parse().unwrap());
        return;
    }
    let Some(stated) = FAUXPLAT_INSTRUCTIONS else {
        return println!("not tested: this architecture has no assembly of its own");
    };
    let Some(fewer) = counted(100_000) else {
        return println!("not tested: valgrind is not installed (apt-get install valgrind)");
    };
    let more = counted(300_000).unwrap();
    assert_eq!(more - fewer, 200_000 * stated);
}
