//! Hazards of the group *storage*: busy disks, and data that waits to be written.

use fauxplat_units::Bytes;

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, grade, percent};
use crate::tree::Missing;
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "dirty-pages",
        title: "pages that wait to be written",
        group: HazardGroup::Storage,
        reads: "Dirty and Writeback of /proc/meminfo",
        cost: "The kernel writes these pages while the next runs are measured, and programs that write may have to \
               wait. No published figure was found.",
        levels: "low: from 64 MiB on, some tenths of a second of an ordinary disk; medium: from 1 GiB on, or while \
                 more than 16 MiB are being written; none: less.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Call sync and wait before you measure, or pass `--prepare sync`.",
        judge: dirty,
    },
    Hazard {
        name: "busy-disks",
        title: "disks that work for others",
        group: HazardGroup::Storage,
        reads: "/proc/diskstats twice, /sys/block",
        cost: "A program that reads or writes waits for the requests of others. No published figure was found.",
        levels: "low if a request is in flight for 5 % of the interval, medium from 20 %, high from 60 % on.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End what reads and writes, or measure from files in memory.",
        judge: disks,
    },
    Hazard {
        name: "io-pressure",
        title: "programs that wait for a disk",
        group: HazardGroup::Storage,
        reads: "/proc/pressure/io twice",
        cost: "The share of time in which some program waited for a disk, which is the loss itself if the program is \
               yours.",
        levels: "low from 1 %, medium from 5 %, high from 20 % of the time on; where the interval shows less, the last \
                 ten seconds count half.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End what reads and writes.",
        judge: |view| super::background::pressure(view, |counters| &counters.io_pressure),
    },
    Hazard {
        name: "raid-resync",
        title: "arrays that are being rebuilt or checked",
        group: HazardGroup::Storage,
        reads: "/proc/mdstat",
        cost: "A rebuild reads or writes all disks for hours, and computes parity. No published figure was found.",
        levels: "high: one is under way; none: none is.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Wait for the end of the rebuild or check, or write idle to /sys/block/md*/md/sync_action.",
        judge: resync,
    },
];

fn dirty(view: &View<'_>) -> Verdict {
    let (dirty, writing) = (super::memory::memory(view, "Dirty")?, super::memory::memory(view, "Writeback")?);
    let severity = match (dirty, writing) {
        (_, writing) if writing > 16 << 20 => Severity::Medium,
        (dirty, _) => grade(dirty as f64, 67_108_864.0, 1_073_741_824.0, f64::INFINITY),
    };
    Ok(Judged::new(severity, format!("{} dirty, {} being written", Bytes(dirty), Bytes(writing))))
}

fn disks(view: &View<'_>) -> Verdict {
    let (before, now) = view.pair(|counters| &counters.disks)?;
    let mut shares: Vec<(f64, &str)> = Vec::new();
    for disk in now {
        let Some(old) = before.iter().find(|old| old.name == disk.name) else { continue };
        let busy_ms = disk.busy_ms.saturating_sub(old.busy_ms) as f64;
        let share = if view.seconds > 0.0 { (busy_ms / 1000.0 / view.seconds).min(1.0) } else { 0.0 };
        shares.push((share, &disk.name));
    }
    let Some((share, name)) = shares.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Ok(Judged::none("no disk"));
    };
    let value = if share > 0.0 { format!("{name} busy for {}", percent(share)) } else { "idle".to_owned() };
    Ok(Judged::new(grade(share, 0.05, 0.2, 0.6), value))
}

fn resync(view: &View<'_>) -> Verdict {
    let text = view.tree.text("proc/mdstat")?;
    let working = ["resync", "recovery", "check", "reshape"];
    let found = text.lines().find_map(|line| {
        let line = line.trim();
        working.into_iter().find(|word| line.contains(&format!("{word} =")))
    });
    match found {
        Some(word) => Ok(Judged::high(format!("{word} under way"))),
        None if text.contains("Personalities") => Ok(Judged::none("none")),
        None => Err(Missing::garbage("proc/mdstat", "it lists no array")),
    }
}
