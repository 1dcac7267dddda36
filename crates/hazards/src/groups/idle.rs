//! Hazards of the group *idle states*: how deeply the CPUs sleep.

use fauxplat_units::Cpu;

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict, grade};
use crate::tree::Missing;
use crate::view::View;

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "deep-idle-states",
        title: "deep idle states",
        group: HazardGroup::IdleStates,
        reads: "/sys/devices/system/cpu/cpu*/cpuidle/state*/{latency,disable}, power/pm_qos_resume_latency_us",
        cost: "Each wake-up from a deep state takes its exit latency. Without a fix for polling while idle, wake-ups \
               in a KVM guest went from 60 µs to 40 ms at most (seapath, issue 57).",
        levels: "medium: an exit latency from 100 µs on, which every sleep of a program pays; high: from 1 ms on; low: \
                 from 10 µs on. A program that never sleeps pays nothing.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: Some("dma-latency=0"),
        advice: "Where wake-ups matter, keep /dev/cpu_dma_latency open with 0 while you measure; it reverts by itself.",
        judge: deep_states,
    },
    Hazard {
        name: "idle-driver",
        title: "driver and governor of idle states",
        group: HazardGroup::IdleStates,
        reads: "/sys/devices/system/cpu/cpuidle/{current_driver,current_governor}",
        cost: "Recorded for comparisons: machines that idle differently wake up differently. Polling keeps the core's \
               other thread busy. No published figure was found.",
        levels: "low: a driver that polls in a guest (haltpoll); none: every other driver.",
        in_vm: None,
        neutralised: Neutralised::No,
        knob: None,
        advice: "Compare latencies only between machines that idle alike.",
        judge: driver,
    },
];

fn deep_states(view: &View<'_>) -> Verdict {
    let base = "sys/devices/system/cpu";
    let mut worst: Vec<(Cpu, u64, String)> = Vec::new();
    let mut missing = Missing::Absent(format!("{base}/cpu*/cpuidle"));
    for cpu in view.cpus.iter() {
        match deepest(view, cpu) {
            Ok((latency, name)) => worst.push((cpu, latency, name)),
            Err(why) => missing = why,
        }
    }
    let level = |latency: u64| grade(latency as f64, 10.0, 100.0, 1000.0);
    let Some((_, latency, name)) = worst.iter().max_by_key(|(_, latency, _)| *latency) else {
        return Err(missing);
    };
    let differ = worst.iter().any(|(_, other, _)| other != latency);
    let cpus = worst.iter().map(|(cpu, us, name)| (*cpu, level(*us), format!("{name}, {us} µs")));
    let judged = Judged::new(level(*latency), format!("{name}, {latency} µs to wake up"));
    Ok(if differ { judged.on(cpus.collect::<Vec<_>>()) } else { judged })
}

/// Returns exit latency, in microseconds, and name of the deepest idle state that a CPU may enter.
fn deepest(view: &View<'_>, cpu: Cpu) -> Result<(u64, String), Missing> {
    let base = format!("sys/devices/system/cpu/cpu{cpu}");
    let mut found = (0, "polling".to_owned());
    // `n/a` forbids every state, a number forbids states with a longer exit latency, and 0 sets no limit.
    let allowed = match view.tree.text(&format!("{base}/power/pm_qos_resume_latency_us")).as_deref() {
        Ok("n/a") => 0,
        Ok(text) => text.parse().ok().filter(|us| *us > 0).unwrap_or(u64::MAX),
        Err(_) => u64::MAX,
    };
    for state in view.tree.numbered(&format!("{base}/cpuidle"), "state")? {
        let state = format!("{base}/cpuidle/{state}");
        let latency: u64 = view.tree.parse(&format!("{state}/latency"))?;
        let is_off = view.tree.parse::<u64>(&format!("{state}/disable")).is_ok_and(|off| off & 1 == 1);
        if !is_off && latency <= allowed && latency >= found.0 {
            found =
                (latency, view.tree.text(&format!("{state}/name")).unwrap_or_else(|_| "a state".to_owned()));
        }
    }
    Ok(found)
}

fn driver(view: &View<'_>) -> Verdict {
    let base = "sys/devices/system/cpu/cpuidle";
    let driver = view.tree.word(&format!("{base}/current_driver"))?;
    let governor = ["current_governor", "current_governor_ro"]
        .iter()
        .find_map(|file| view.tree.word(&format!("{base}/{file}")).ok());
    let value = governor.map_or(driver.clone(), |governor| format!("{driver}, governor {governor}"));
    Ok(Judged::either(driver == "haltpoll", Severity::Low, value))
}
