//! The settings of fauxplat-blink in a file.

use std::fs;
use std::path::PathBuf;

use fauxplat_blink::{Change, Limits, Period, Press};
use fauxplat_gpio::LineName;
use fauxplat_units::Nanos;

// The program has no library: its settings are its command line, which this is.
#[cfg_attr(not(test), expect(dead_code, reason = "of the command line the file alone is read here"))]
#[path = "../../../crates/cli/src/blink/args.rs"]
mod args;

use args::Settings;

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "led = ",
    "halve = ",
    "reset = ",
    "double = ",
    "'gpiochip0:17'",
    "'sysfs:17'",
    "'led:input0::capslock'",
    "'key:event3:28'",
    "'sim:0'",
    "period = ",
    "shortest = ",
    "longest = ",
    "'1.5s'",
    "'2ns'",
    "change = 'after-period'",
    "first-event = 'counts'",
    "pull = 'as-it-is'",
    "at-end = 'as-it-was'",
    "busy = true",
    "\"\"\"",
    "\n",
];

thread_local! {
    static FILE: (tempfile::TempDir, PathBuf) = {
        let folder = super::folder();
        let file = folder.path().join("blink.toml");
        (folder, file)
    };
}

/// A settings file: refused in one line that names it, or parsed to line names that parse again to equal ones, and to a
/// period that stays within its limits whatever is pressed.
pub(crate) fn definitions(bytes: &[u8]) {
    FILE.with(|(_folder, file)| {
        fs::write(file, bytes).expect("a file of settings");
        match Settings::read(file) {
            Err(why) => assert!(why.starts_with(&*file.to_string_lossy()) && !why.contains('\n'), "{why:?}"),
            Ok(read) => settings(read),
        }
    });
}

fn settings(read: Settings) {
    let lines = [&read.led, &read.halve, &read.reset, &read.double];
    for line in lines.into_iter().flatten() {
        assert_eq!(line.to_string().parse::<LineName>().ok().as_ref(), Some(line));
    }
    let ns = |time: Option<Nanos>, usual: u64| time.map_or(usual, |time| time.0);
    let (shortest_ns, longest_ns) = (ns(read.shortest, 1000), ns(read.longest, 3_600_000_000_000));
    let period = Limits::new(shortest_ns, longest_ns)
        .and_then(|limits| Period::new(ns(read.period, 500_000_000), limits));
    match period {
        Err(error) => assert!(!error.to_string().contains('\n'), "one line: {error}"),
        Ok(mut period) => {
            for press in
                [Press::Halve, Press::Double, Press::Reset, Press::Double].into_iter().cycle().take(70)
            {
                period = period.after(press);
                assert!((shortest_ns..=longest_ns).contains(&period.ns()), "{period:?}");
            }
        }
    }
    let (change, words) = (read.change(), format!("{:?}{:?}", read.bias(), read.leave()));
    assert!(matches!(change, Change::Now | Change::AfterPeriod) && !words.is_empty());
    let usual = Settings::default().over(read.clone());
    assert_eq!(format!("{usual:?}"), format!("{read:?}"), "options that nobody gave change nothing");
}
