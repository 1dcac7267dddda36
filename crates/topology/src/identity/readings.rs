//! Readings of a machine that change while it runs: counts since boot, temperature, steal and pressure.

use std::fs;
use std::path::Path;

use fauxplat_procfs::per_cpu::Table;
use fauxplat_procfs::pressure;
use fauxplat_procfs::stat::{self, Kind};

use super::Found;
use crate::{cpus, read};

pub(super) fn add(root: &Path, found: &mut Found) {
    found.add("throttles", throttles(root).map(|count| count.to_string()));
    found.add("machine-checks", machine_checks(root).map(|count| count.to_string()));
    found.add("temperature", temperature_c(root).map(|degrees| format!("{degrees:.0}")));
    found.add("steal", steal_share(root).map(|share| format!("{share:.5}")));
    let waiting = read::text(root, "proc/pressure/cpu").and_then(|text| pressure::some(&text)?.avg60_percent);
    found.add("pressure", waiting.map(|percent| format!("{:.4}", percent / 100.0)));
    for (name, what) in [
        ("throttles", "throttle events: the processor counts none in thermal_throttle"),
        ("temperature", "temperature: no sensor"),
        ("pressure", "pressure: the kernel does not account for it"),
    ] {
        if !found.known.contains_key(name) {
            found.missing.push(what.to_owned());
        }
    }
}

/// Number of times that cores and packages were throttled for heat since boot, summed over the online CPUs
/// (Documentation/arch/x86/x86_64/machinecheck); `None` where no CPU counts them. An event of a core or a package is
/// counted on each of its CPUs.
pub fn throttles(root: &Path) -> Option<u64> {
    let count = |cpu: fauxplat_units::Cpu| {
        let file = |name: &str| {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{name}_throttle_count");
            read::text(root, &path)?.parse::<u64>().ok()
        };
        Some(file("core")?.saturating_add(file("package").unwrap_or_default()))
    };
    cpus::online(root).iter().filter_map(count).reduce(u64::saturating_add)
}

/// Machine-check exceptions of all CPUs plus corrected and uncorrected memory errors since boot; `None` where the
/// kernel counts neither.
fn machine_checks(root: &Path) -> Option<u64> {
    let interrupts = read::table(root, "proc/interrupts");
    let exceptions = interrupts.as_deref().and_then(|text| {
        let row = Table::parse(text)?.rows().find(|row| row.name == "MCE")?;
        Some(row.counts().flatten().fold(0, u64::saturating_add))
    });
    [exceptions, memory_errors(root)].into_iter().flatten().reduce(u64::saturating_add)
}

fn memory_errors(root: &Path) -> Option<u64> {
    let controllers = fs::read_dir(root.join("sys/devices/system/edac/mc")).ok()?;
    let count =
        |folder: &Path, name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let errors = |folder: &Path| [count(folder, "ce_count"), count(folder, "ue_count")];
    controllers.flatten().flat_map(|entry| errors(&entry.path())).flatten().reduce(u64::saturating_add)
}

/// The highest temperature of all thermal zones, in degrees Celsius.
fn temperature_c(root: &Path) -> Option<f64> {
    let zones = fs::read_dir(root.join("sys/class/thermal")).ok()?;
    let of = |path: &Path| fs::read_to_string(path.join("temp")).ok()?.trim().parse::<f64>().ok();
    let hot = zones.flatten().filter_map(|entry| of(&entry.path())).filter(|degrees| degrees.is_finite());
    hot.map(|thousandths| thousandths / 1000.0).reduce(f64::max)
}

/// Share of all CPU time since boot that the hypervisor took.
fn steal_share(root: &Path) -> Option<f64> {
    let text = read::table(root, "proc/stat")?;
    let ticks = stat::machine(&text)?.ticks();
    let total = ticks.total()?;
    (total > 0).then(|| ticks.of(Kind::Steal).map(|steal| steal as f64 / total as f64))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_cpus_are_added() {
        let root = tempfile::tempdir().unwrap();
        let plant = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        plant("sys/devices/system/cpu/online", "0-1");
        plant("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
        plant("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n");
        plant("sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "10\n");
        plant("proc/interrupts", "       CPU0 CPU1\n MCE:  1  2  Machine check exceptions\n");
        plant("sys/devices/system/edac/mc/mc0/ce_count", "7\n");
        plant("sys/class/thermal/thermal_zone0/temp", "48000\n");
        plant("sys/class/thermal/thermal_zone1/temp", "61500\n");
        plant("proc/stat", "cpu  80 0 10 0 0 0 0 10 0 0\n");
        assert_eq!((throttles(root.path()), machine_checks(root.path())), (Some(17), Some(10)));
        assert_eq!(temperature_c(root.path()), Some(61.5));
        assert!((steal_share(root.path()).unwrap() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn garbage_is_no_reading() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc")).unwrap();
        fs::write(root.path().join("proc/stat"), "cpu x\n").unwrap();
        fs::write(root.path().join("proc/interrupts"), "?").unwrap();
        let none = (throttles(root.path()), machine_checks(root.path()), steal_share(root.path()));
        assert_eq!(none, (None, None, None));
    }
}
