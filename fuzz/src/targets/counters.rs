//! Lists of counters, the kernel's descriptions of devices, and files written by a simulator.

use std::fs;
use std::path::Path;

use fauxplat_counters::{Catalog, EVENTS_MAX, cachegrind, parse};

use super::folder;

pub(crate) const LIST_WORDS: &[&str] = &[
    "cycles",
    "instructions:u",
    "{",
    "}",
    ",",
    ":",
    "uk",
    "r1",
    "cpu/",
    "event=0x3c",
    "umask=",
    "/",
    "config1:0-63",
    "sched:sched_switch",
    "default",
    "cache",
    "topdown",
    "TopdownL1",
    "page-faults",
];

/// A list as `-e` takes it, and each of its events on a machine with one device.
pub(crate) fn lists(bytes: &[u8]) {
    let Ok(asked) = parse(&String::from_utf8_lossy(bytes)) else { return };
    assert!(!asked.is_empty() && asked.len() <= EVENTS_MAX);
    let machine = folder();
    let files = [("type", "4"), ("format/event", "config:0-7,32-35"), ("format/umask", "config:8-15")];
    write(machine.path(), &files.map(|(name, text)| (name, text.as_bytes())));
    let catalog = Catalog::read(machine.path());
    for one in &asked {
        assert!(!one.name.is_empty());
        for event in catalog.resolve(one).unwrap_or_default() {
            assert!(!event.name.is_empty());
        }
    }
}

/// Files of a device, in the order in which the bytes fill them, a zero byte behind each.
const DEVICE: [&str; 8] = [
    "type",
    "format/event",
    "format/umask",
    "format/any",
    "events/cycles",
    "events/cycles.scale",
    "events/cycles.unit",
    "cpumask",
];

pub(crate) const DEVICE_WORDS: &[&str] = &[
    "config:0-7,32-35",
    "config1:",
    "config2:63",
    "event=0x3c",
    ",umask=0x00",
    "?",
    "\u{0}",
    "4",
    "1e-9",
    "Joules",
];

/// A kernel device, and its events by name and by number.
pub(crate) fn devices(bytes: &[u8]) {
    let machine = folder();
    let files: Vec<(&str, &[u8])> = DEVICE.into_iter().zip(bytes.split(|&byte| byte == 0)).collect();
    write(machine.path(), &files);
    let catalog = Catalog::read(machine.path());
    for list in ["cycles", "cpu/cycles/", "cpu/event=0xffffffffffffffff,umask=1,any/", "cpu/any=1/u", "r3c"] {
        for one in parse(list).expect("a list that is well formed") {
            let _any = catalog.resolve(&one);
        }
    }
}

fn write(root: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        let path = root.join("sys/bus/event_source/devices/cpu").join(name);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder of its own");
        fs::write(path, bytes).expect("a file of its own");
    }
}

pub(crate) const COUNT_WORDS: &[&str] = &[
    "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\n",
    "summary: ",
    "==10== Command: x\n",
    "==10== Parent PID: 1\n",
    "18446744073709551615",
    "\u{0}",
    "\n",
    " 1",
];

/// The log and the counts of two processes, a zero byte between them.
pub(crate) fn simulated(bytes: &[u8]) {
    let left = folder();
    for (name, text) in
        ["log.10", "counts.10", "log.11", "counts.11"].into_iter().zip(bytes.split(|&byte| byte == 0))
    {
        fs::write(left.path().join(name), text).expect("a file of its own");
    }
    match cachegrind::collect(left.path()) {
        Ok(counts) => assert_eq!(counts.len(), cachegrind::names().count()),
        Err(why) => assert!(!why.to_string().is_empty()),
    }
    cachegrind::clear(left.path());
    assert_eq!(fs::read_dir(left.path()).expect("its folder").count(), 0);
}
