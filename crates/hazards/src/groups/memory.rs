//! Hazards of the group *memory*: how the kernel allocates memory.

use std::path::Path;

use fauxplat_procfs::keyed::number;
use fauxplat_procfs::meminfo;
use fauxplat_sys::memory::page_bytes as own_page_bytes;
use fauxplat_units::Bytes;

use crate::finding::{HazardGroup, Severity};
use crate::groups::scheduling::switch;
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, percent};
use crate::tree::Missing;
use crate::view::View;

const NO_FIGURE: &str = "No published figure was found.";

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "numa-balancing",
        title: "automatic moves of memory between nodes",
        group: HazardGroup::Memory,
        reads: "/proc/sys/kernel/numa_balancing, /sys/devices/system/node/online",
        cost: "On a Kunpeng with 128 cores these moves cost sysbench 16 % in memory and 15 % in threads, most other \
               programs 2 % or less (Futurewei).",
        levels: "high: on, with several nodes, because the published loss is many per cent; none: off, or one node.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("numa-balancing=off"),
        advice: "Switch NUMA balancing off while you measure, or bind the program's memory to a node.",
        judge: numa_balancing,
    },
    Hazard {
        name: "transparent-huge-pages",
        title: "huge pages without asking",
        group: HazardGroup::Memory,
        reads: "/sys/kernel/mm/transparent_hugepage/{enabled,defrag}",
        cost: "Whether a program gets huge pages depends on free memory at that moment, and they can reverse a \
               ranking. No published figure was found.",
        levels: "medium: always, since every program that uses more than 2 MiB may or may not get huge pages; none: \
                 madvise, where only programs that ask get them, or never.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("thp=never"),
        advice: "Measure with `never` and with `always`, or ask for huge pages per program.",
        judge: huge_pages,
    },
    Hazard {
        name: "khugepaged",
        title: "the daemon that collects huge pages",
        group: HazardGroup::Memory,
        reads: "/sys/kernel/mm/transparent_hugepage/{enabled,khugepaged/*}, thp_collapse_alloc of /proc/vmstat twice",
        cost: "The daemon copies pages of running programs, some time after their start. No published figure was \
               found.",
        levels: "medium: the daemon collapsed pages during the interval; low: it may, because huge pages are on; none: \
                 they are off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("khugepaged=off"),
        advice: "Switch transparent huge pages off while you measure what runs for more than some seconds.",
        judge: khugepaged,
    },
    Hazard {
        name: "same-page-merging",
        title: "merging of equal pages (KSM)",
        group: HazardGroup::Memory,
        reads: "/sys/kernel/mm/ksm/{run,pages_sharing}",
        cost: "Pages of measured programs are compared with others and copied back when written. No published figure \
               was found.",
        levels: "low: the merging daemon runs; none: it does not.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("ksm=off"),
        advice: "Write 0 to /sys/kernel/mm/ksm/run while you measure.",
        judge: merging,
    },
    Hazard {
        name: "memory-compaction",
        title: "compaction of memory",
        group: HazardGroup::Memory,
        reads: "/proc/sys/vm/compaction_proactiveness, compact_* of /proc/vmstat twice",
        cost: "Pages of running programs are moved to make room for huge ones. No published figure was found.",
        levels: "medium: pages were moved during the interval; low: the kernel may move pages unasked; none: it may \
                 not.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("compaction=off"),
        advice: "Write 0 to compaction_proactiveness while you measure.",
        judge: compaction,
    },
    Hazard {
        name: "memory-statistics",
        title: "interval of memory statistics",
        group: HazardGroup::Memory,
        reads: "/proc/sys/vm/stat_interval",
        cost: NO_FIGURE,
        levels: "low: every CPU folds its statistics more often than every 10 s; none: less often, as the profile \
                 network-latency of tuned has it.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("stat-interval=120"),
        advice: "Write 10 to stat_interval for latency.",
        judge: statistics,
    },
    Hazard {
        name: "zone-reclaim",
        title: "reclaim before using another node",
        group: HazardGroup::Memory,
        reads: "/proc/sys/vm/zone_reclaim_mode",
        cost: "A node throws its caches away although another has free memory. No published figure was found.",
        levels: "medium: on; none: off.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write 0 to zone_reclaim_mode.",
        judge: |view| switch(view, "proc/sys/vm/zone_reclaim_mode", Severity::Medium),
    },
    Hazard {
        name: "swapping",
        title: "pages that go to disk and come back",
        group: HazardGroup::Memory,
        reads: "pswpin and pswpout of /proc/vmstat twice, SwapTotal and SwapFree of /proc/meminfo",
        cost: "A page that comes back from a disk takes a thousand times as long as one in memory. No published figure \
               of the usual loss was found.",
        levels: "high: pages went in or out during the interval; low: swap is in use, so that old pages come back when \
                 they are touched; none: not in use.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End what uses the memory. Do not call swapoff on a machine that needs it.",
        judge: swapping,
    },
    Hazard {
        name: "memory-reclaim",
        title: "search for free memory",
        group: HazardGroup::Memory,
        reads: "pgscan_direct and pgscan_kswapd of /proc/vmstat twice",
        cost: "A program that asks for memory has to search for it itself, and its files leave the cache. No published \
               figure was found.",
        levels: "high: programs searched for memory themselves; medium: the kernel searched beside them; none: no \
                 search took place.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End what uses the memory, or measure with smaller data.",
        judge: reclaim,
    },
    Hazard {
        name: "free-memory",
        title: "memory that is available",
        group: HazardGroup::Memory,
        reads: "MemAvailable and MemTotal of /proc/meminfo",
        cost: "Too little available memory leads to reclaim and swapping. No published figure was found.",
        levels: "high: below 5 % of all; medium: below 10 %; low: below 20 %: shares at which a run that asks for some \
                 more starts reclaim.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End what uses the memory.",
        judge: available,
    },
    Hazard {
        name: "memory-fragmentation",
        title: "room for huge pages",
        group: HazardGroup::Memory,
        reads: "/proc/buddyinfo",
        cost: "Without contiguous memory a program gets small pages where it had huge ones before. No published figure \
               was found.",
        levels: "low: less than 64 MiB in blocks of 2 MiB and more, of all nodes together; none: more.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write 1 to /proc/sys/vm/compact_memory before you measure, or restart the machine.",
        judge: fragmentation,
    },
    Hazard {
        name: "node-memory",
        title: "free memory of each NUMA node",
        group: HazardGroup::Memory,
        reads: "/sys/devices/system/node/node*/meminfo",
        cost: "A node without free memory gives that of another, which is further away. No published figure was found.",
        levels: "medium: some node has less than 2 % free, so that the next program is given another's; none: each has \
                 more, or there is one node.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Bind the program to a node that has room.",
        judge: nodes,
    },
    Hazard {
        name: "reserved-huge-pages",
        title: "memory reserved for huge pages",
        group: HazardGroup::Memory,
        reads: "HugePages_Total, Hugepagesize and MemTotal of /proc/meminfo",
        cost: "Reserved memory serves only programs that ask for it. No published figure was found.",
        levels: "low: more than a tenth of all memory; none: less.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Write a smaller number to /proc/sys/vm/nr_hugepages.",
        judge: reserved,
    },
    Hazard {
        name: "memory-pressure",
        title: "programs that wait for memory",
        group: HazardGroup::Memory,
        reads: "/proc/pressure/memory twice",
        cost: "The share of time in which some program waited for memory, which is the loss itself.",
        levels: "as for every pressure: low from 1 %, medium from 5 %, high from 20 % of the time on; where the \
                 interval shows less, the last ten seconds count half.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "End what uses the memory.",
        judge: |view| super::background::pressure(view, |counters| &counters.memory_pressure),
    },
];

fn numa_balancing(view: &View<'_>) -> Verdict {
    let mode: i64 = view.tree.parse("proc/sys/kernel/numa_balancing")?;
    if mode == 0 {
        return Ok(Judged::none("off"));
    }
    let nodes = view.tree.numbered("sys/devices/system/node", "node").map_or(1, |nodes| nodes.len());
    Ok(match nodes {
        0 | 1 => Judged::none("on, with one node, where there is nothing to move"),
        nodes => Judged::high(format!("on, with {nodes} nodes")),
    })
}

const HUGE_PAGES: &str = "sys/kernel/mm/transparent_hugepage";

fn huge_pages(view: &View<'_>) -> Verdict {
    let mode = view.tree.chosen(&format!("{HUGE_PAGES}/enabled"))?;
    let defrag = view.tree.chosen(&format!("{HUGE_PAGES}/defrag"));
    let value = defrag.map_or(mode.clone(), |defrag| format!("{mode}, defrag {defrag}"));
    Ok(Judged::either(mode == "always", Severity::Medium, value))
}

fn khugepaged(view: &View<'_>) -> Verdict {
    let mode = view.tree.chosen(&format!("{HUGE_PAGES}/enabled"))?;
    let collapsed = events(view, &["thp_collapse_alloc"]).unwrap_or(0);
    Ok(match (collapsed, mode.as_str()) {
        (0, "always") => Judged::low("may collect"),
        (0, _) => Judged::none(format!("huge pages are {mode}")),
        (count, _) => Judged::medium(format!("{count} huge pages collected just now")),
    })
}

fn merging(view: &View<'_>) -> Verdict {
    let run: i64 = view.tree.parse("sys/kernel/mm/ksm/run")?;
    let sharing = view.tree.parse::<u64>("sys/kernel/mm/ksm/pages_sharing").unwrap_or(0);
    Ok(match run {
        1 => Judged::low(format!("on, {sharing} pages merged")),
        _ => Judged::none("off"),
    })
}

fn compaction(view: &View<'_>) -> Verdict {
    let proactiveness = view.tree.parse::<i64>("proc/sys/vm/compaction_proactiveness");
    let moved = events(view, &["compact_migrate_scanned"]);
    Ok(match (proactiveness, moved) {
        (_, Ok(moved @ 1..)) => Judged::medium(format!("{moved} pages looked at just now")),
        (Ok(0), _) => Judged::none("only when asked"),
        (Ok(level), _) => Judged::low(format!("proactive, level {level}")),
        (Err(missing), _) => return Err(missing),
    })
}

fn statistics(view: &View<'_>) -> Verdict {
    let seconds: u64 = view.tree.parse("proc/sys/vm/stat_interval")?;
    Ok(Judged::either(seconds < 10, Severity::Low, format!("every {seconds} s")))
}

/// Returns the number of events during the interval, summed over several counters of `/proc/vmstat`.
fn events(view: &View<'_>, names: &[&str]) -> Result<u64, Missing> {
    let (before, now) = view.pair(|counters| &counters.vmstat)?;
    let known = |name: &&&str| number(now, name).is_some();
    let counted: Vec<&&str> = names.iter().filter(known).collect();
    if counted.is_empty() {
        return Err(Missing::Absent(format!("proc/vmstat ({})", names.join(", "))));
    }
    let since =
        |name: &&&str| number(now, name).unwrap_or(0).saturating_sub(number(before, name).unwrap_or(0));
    Ok(counted.iter().map(since).fold(0, u64::saturating_add))
}

/// Returns the value in the line `key` of `/proc/meminfo`, in bytes.
pub(super) fn memory(view: &View<'_>, key: &str) -> Result<u64, Missing> {
    let found = meminfo::bytes(&view.tree.text("proc/meminfo")?, key);
    found.ok_or_else(|| Missing::Absent(format!("proc/meminfo ({key})")))
}

fn swapping(view: &View<'_>) -> Verdict {
    let used = memory(view, "SwapTotal")?.saturating_sub(memory(view, "SwapFree")?);
    // A kernel without swap has none of these counters, and moves no page.
    let moved = events(view, &["pswpin", "pswpout"]).unwrap_or(0);
    Ok(match (moved, used) {
        (0, 0) => Judged::none("none in use"),
        (0, used) => Judged::low(format!("{} in use", Bytes(used))),
        (moved, _) => Judged::high(format!("{moved} pages moved just now")),
    })
}

fn reclaim(view: &View<'_>) -> Verdict {
    let (direct, behind) = (events(view, &["pgscan_direct"])?, events(view, &["pgscan_kswapd"])?);
    Ok(match (direct, behind) {
        (0, 0) => Judged::none("none"),
        (0, pages) => Judged::medium(format!("{pages} pages searched by the kernel just now")),
        (pages, _) => Judged::high(format!("{pages} pages searched by programs just now")),
    })
}

fn available(view: &View<'_>) -> Verdict {
    let (available, total) = (memory(view, "MemAvailable")?, memory(view, "MemTotal")?);
    let share = if total == 0 { 0.0 } else { available as f64 / total as f64 };
    let severity = match share {
        share if share < 0.05 => Severity::High,
        share if share < 0.1 => Severity::Medium,
        share if share < 0.2 => Severity::Low,
        _ => Severity::None,
    };
    Ok(Judged::new(severity, format!("{} of {}", Bytes(available), Bytes(total))))
}

const HUGE_BYTES: u64 = 2 << 20;

/// Returns the page size of the machine, in bytes. A capture of another machine does not contain it; most machines have
/// 4 KiB.
fn page_bytes(view: &View<'_>) -> u64 {
    if view.tree.root() == Path::new("/") { own_page_bytes() as u64 } else { 4096 }
}

fn fragmentation(view: &View<'_>) -> Verdict {
    let text = view.tree.text("proc/buddyinfo")?;
    let is_zone = |line: &&str| line.starts_with("Node ") && line.contains("zone");
    let zones: Vec<&str> = text.lines().filter(is_zone).collect();
    if zones.is_empty() {
        return Err(Missing::garbage("proc/buddyinfo", "it lists no zone"));
    }
    let bytes = free_in_huge_blocks(&zones, page_bytes(view));
    Ok(Judged::either(
        bytes < 64 << 20,
        Severity::Low,
        format!("{} in blocks of 2 MiB and more", Bytes(bytes)),
    ))
}

/// Returns the free memory of all zones in blocks of 2 MiB and more, in bytes.
fn free_in_huge_blocks(zones: &[&str], page_bytes: u64) -> u64 {
    let mut bytes = 0_u64;
    for line in zones {
        // `Node 0, zone   Normal   5357 …`: one count of free blocks per order.
        let counts = line.split_whitespace().skip(4).map(|word| word.parse::<u64>().unwrap_or(0)).take(16);
        let blocks = counts.enumerate().map(|(order, count)| (page_bytes << order, count));
        for (block, count) in blocks.filter(|(block, _)| *block >= HUGE_BYTES) {
            bytes = bytes.saturating_add(count.saturating_mul(block));
        }
    }
    bytes
}

fn nodes(view: &View<'_>) -> Verdict {
    let base = "sys/devices/system/node";
    let nodes = view.tree.numbered(base, "node")?;
    if nodes.len() < 2 {
        return Ok(Judged::none("one node"));
    }
    let mut scarce = Vec::new();
    for node in nodes {
        let text = view.tree.text(&format!("{base}/{node}/meminfo"))?;
        let line = |key: &str| meminfo::bytes(&text, key);
        let (Some(total), Some(free)) = (line("MemTotal"), line("MemFree")) else { continue };
        // Nodes without memory are never scarce.
        if total > 0 && (free as f64) < 0.02 * total as f64 {
            scarce.push(format!("{node} has {} free", percent(free as f64 / total as f64)));
        }
    }
    Ok(if scarce.is_empty() {
        Judged::none("every node has some")
    } else {
        Judged::medium(scarce.join(", "))
    })
}

fn reserved(view: &View<'_>) -> Verdict {
    let text = view.tree.text("proc/meminfo")?;
    let pages = meminfo::count(&text, "HugePages_Total")
        .ok_or_else(|| Missing::Absent("proc/meminfo (HugePages)".into()))?;
    let bytes = pages.saturating_mul(memory(view, "Hugepagesize")?);
    Ok(Judged::either(bytes > memory(view, "MemTotal")? / 10, Severity::Low, Bytes(bytes).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two free blocks of each order: which of them are huge depends on the page size.
    #[test]
    fn blocks_are_as_large_as_their_pages_make_them() {
        let zones = ["Node 0, zone   Normal   2 2 2 2 2 2 2 2 2 2 2"];
        for (page_bytes, least_order) in [(4096_u64, 9_u32), (16 << 10, 7), (64 << 10, 5)] {
            let expected: u64 = (least_order..=10).map(|order| 2 * (page_bytes << order)).sum();
            assert_eq!(page_bytes << least_order, 2 << 20);
            assert_eq!(free_in_huge_blocks(&zones, page_bytes), expected, "{page_bytes}");
        }
    }
}
