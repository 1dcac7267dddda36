//! Hazards of the group *frequency* that heat and power cause.

use crate::finding::{HazardGroup, Severity};
use crate::hazard::{Hazard, Judged, Neutralised, Verdict};
use crate::tree::{Missing, Tree};
use crate::view::View;

const HOST_KNOWS: &str = "heat and power are the host's, and a guest sees none of them";

pub(super) const HAZARDS: &[Hazard] = &[
    Hazard {
        name: "thermal-throttling",
        title: "slowed down by heat",
        group: HazardGroup::Frequency,
        reads: "/sys/devices/system/cpu/cpu*/thermal_throttle/{core,package}_throttle_count, twice",
        cost: "A CPU that throttles runs at a fraction of its frequency until it has cooled down; long runs are hit \
               and short ones are not. No published figure was found.",
        levels: "high: it throttled during the interval; low: at some time since boot, so that load of some minutes \
                 will do it again; none: never.",
        in_vm: Some(HOST_KNOWS),
        neutralised: Neutralised::Partly("commands run in turns, and the drift of a session is reported"),
        knob: None,
        advice: "Let the machine cool down between sessions, improve its cooling, or switch turbo off.",
        judge: throttling,
    },
    Hazard {
        name: "temperature",
        title: "distance to the critical temperature",
        group: HazardGroup::Frequency,
        reads: "/sys/class/hwmon/hwmon*/temp*_{input,crit}, /sys/class/thermal/thermal_zone*/{temp,trip_point_*}",
        cost: "Close to the limit the firmware takes frequency away before the kernel counts any throttling. No \
               published figure was found.",
        levels: "high: within 5 °C of the limit, which a second of load crosses; medium: within 15 °C, which some \
                 minutes of load cross; none: cooler.",
        in_vm: Some(HOST_KNOWS),
        neutralised: Neutralised::No,
        knob: None,
        advice: "Wait until the machine has cooled down, as Krun does before each run.",
        judge: temperature,
    },
    Hazard {
        name: "power-limit",
        title: "limit of the package's power",
        group: HazardGroup::Frequency,
        reads: "/sys/class/powercap/*/constraint_0_{power_limit,max_power}_uw",
        cost: "Under a lowered power limit the frequency falls as soon as several cores work. No published figure was \
               found.",
        levels: "medium: the long-term limit lies below the greatest that the package allows; none: the limit is the \
                 greatest.",
        in_vm: Some(HOST_KNOWS),
        neutralised: Neutralised::No,
        knob: None,
        advice: "Raise constraint_0_power_limit_uw, or choose another power profile, if the cooling allows.",
        judge: power_limit,
    },
    Hazard {
        name: "on-battery",
        title: "running from a battery",
        group: HazardGroup::Frequency,
        reads: "/sys/class/power_supply/*/{type,scope,online}",
        cost: "Firmware lowers power limits on battery, by laptop and by charge. No published figure was found.",
        levels: "high: no mains supply is on line; none: one is.",
        in_vm: Some(HOST_KNOWS),
        neutralised: Neutralised::No,
        knob: None,
        advice: "Plug the machine in.",
        judge: battery,
    },
    Hazard {
        name: "platform-profile",
        title: "power profile of the firmware",
        group: HazardGroup::Frequency,
        reads: "/sys/firmware/acpi/platform_profile",
        cost: "The profile sets power limits and fans. No published figure was found.",
        levels: "none: performance; low: balanced; high: every profile that saves power or noise, since it lowers the \
                 limits that turbo works against.",
        in_vm: Some(HOST_KNOWS),
        neutralised: Neutralised::No,
        knob: None,
        advice: "Choose the profile `performance` while you measure.",
        judge: profile,
    },
];

fn throttling(view: &View<'_>) -> Verdict {
    let now = view.now.thermal.as_ref().map_err(Clone::clone)?;
    let total: u64 = now.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    let before = view.before.and_then(|before| before.thermal.as_ref().ok());
    let earlier =
        before.map_or(total, |before| before.iter().map(|(_, count)| *count).fold(0, u64::saturating_add));
    Ok(match (total.saturating_sub(earlier), total) {
        (0, 0) => Judged::none("never since boot"),
        (0, total) => Judged::low(format!("{total} times since boot")).on(now
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(cpu, count)| (*cpu, Severity::Low, format!("{count} times")))),
        (new, _) => Judged::high(format!("{new} times just now")),
    })
}

/// Judges how far the sensor that is closest to its critical temperature is from it, among the sensors of hwmon and the
/// thermal zones.
fn temperature(view: &View<'_>) -> Verdict {
    let mut sensors = hwmon(view.tree);
    sensors.extend(zones(view.tree));
    // Temperatures are in thousandths of a degree; a sensor without a plausible limit is ignored.
    let sensible =
        |(now, limit): &&(i64, i64)| (1..200_000).contains(now) && (30_000..200_000).contains(limit);
    let closest = sensors.iter().filter(sensible).min_by_key(|(now, limit)| limit - now);
    let Some((now, limit)) = closest else {
        return Err(Missing::Absent("sys/class/hwmon/hwmon*/temp*_crit".to_owned()));
    };
    let severity = match limit - now {
        i64::MIN..=5_000 => Severity::High,
        5_001..=15_000 => Severity::Medium,
        _ => Severity::None,
    };
    Ok(Judged::new(severity, format!("{} °C of {} °C", now / 1000, limit / 1000)))
}

fn hwmon(tree: &Tree) -> Vec<(i64, i64)> {
    let base = "sys/class/hwmon";
    let mut found = Vec::new();
    for device in tree.numbered(base, "hwmon").unwrap_or_default() {
        for name in tree.names(&format!("{base}/{device}")).unwrap_or_default() {
            let Some(sensor) = name.strip_suffix("_input").filter(|name| name.starts_with("temp")) else {
                continue;
            };
            let read = |kind: &str| tree.parse::<i64>(&format!("{base}/{device}/{sensor}_{kind}")).ok();
            found.extend(read("input").zip(read("crit")));
        }
    }
    found
}

fn zones(tree: &Tree) -> Vec<(i64, i64)> {
    let base = "sys/class/thermal";
    let mut found = Vec::new();
    for zone in tree.numbered(base, "thermal_zone").unwrap_or_default() {
        for name in tree.names(&format!("{base}/{zone}")).unwrap_or_default() {
            let Some(point) = name.strip_suffix("_type").filter(|name| name.starts_with("trip_point_"))
            else {
                continue;
            };
            let is_critical =
                tree.text(&format!("{base}/{zone}/{name}")).is_ok_and(|kind| kind == "critical");
            let read = |file: &str| tree.parse::<i64>(&format!("{base}/{zone}/{file}")).ok();
            found.extend(read("temp").zip(read(&format!("{point}_temp"))).filter(|_| is_critical));
        }
    }
    found
}

fn power_limit(view: &View<'_>) -> Verdict {
    let base = "sys/class/powercap";
    let watts = |microwatts: u64| microwatts / 1_000_000;
    let mut lowered = Vec::new();
    let (mut packages, mut missing) = (0, Missing::Absent(base.to_owned()));
    for zone in view.tree.names(base)? {
        let read = |file: &str| view.tree.parse::<u64>(&format!("{base}/{zone}/constraint_0_{file}_uw"));
        match read("power_limit").and_then(|limit| Ok((limit, read("max_power")?))) {
            Ok((limit, most)) if limit < most => {
                lowered.push(format!("{zone}: {} of {} W", watts(limit), watts(most)))
            }
            Ok(_) => packages += 1,
            Err(why @ Missing::Denied(_)) => missing = why,
            Err(_) => {}
        }
    }
    match (lowered.is_empty(), packages) {
        (false, _) => Ok(Judged::medium(lowered.join(", "))),
        (true, 0) => Err(missing),
        (true, _) => Ok(Judged::none("at the greatest")),
    }
}

fn battery(view: &View<'_>) -> Verdict {
    let base = "sys/class/power_supply";
    let supplies = view.tree.names(base)?;
    let is = |name: &str, file: &str, word: &str| {
        view.tree.text(&format!("{base}/{name}/{file}")).is_ok_and(|text| text == word)
    };
    // The battery of a device, such as a mouse, does not supply the machine. A USB supply counts only on a machine with
    // a battery.
    let has_battery = supplies.iter().any(|name| is(name, "type", "Battery") && !is(name, "scope", "Device"));
    let is_mains = |name: &&String| is(name, "type", "Mains") || has_battery && is(name, "type", "USB");
    let mains: Vec<&String> = supplies.iter().filter(is_mains).collect();
    let is_on =
        |name: &&String| view.tree.parse::<u8>(&format!("{base}/{name}/online")).is_ok_and(|on| on > 0);
    match (mains.is_empty(), mains.iter().any(is_on)) {
        // The supplies are listed, and none of them is mains.
        (true, _) => Ok(Judged::not_applicable("", Missing::Absent(format!("{base}/*/online")).to_string())),
        (false, true) => Ok(Judged::none("no")),
        (false, false) => Ok(Judged::high("yes")),
    }
}

fn profile(view: &View<'_>) -> Verdict {
    let profile = view.tree.word("sys/firmware/acpi/platform_profile")?;
    let severity = match profile.as_str() {
        "performance" | "balanced-performance" => Severity::None,
        "balanced" => Severity::Low,
        _ => Severity::High,
    };
    Ok(Judged::new(severity, profile))
}
