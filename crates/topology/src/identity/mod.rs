//! Facts about a machine's processor, board, firmware, memory and settings, and its counts of heat and errors.
//!
//! The names are those of [`fauxplat_model::FACTS`]. A fact that cannot be read is left out.

mod readings;
mod smbios;

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_procfs::keyed;
use fauxplat_sys::files::read_bounded;

pub use readings::throttles;

use crate::common::Common;
use crate::{cpus, facts, read};

/// Facts of the machine by name. The entry `not-measured` gives reasons why facts are missing.
pub fn identity(root: &Path) -> BTreeMap<String, String> {
    let mut found = Found { known: BTreeMap::new(), missing: Vec::new() };
    kind(root, &mut found);
    firmware(root, &mut found);
    memory(root, &mut found);
    settings(root, &mut found);
    readings::add(root, &mut found);
    if !found.missing.is_empty() {
        found.known.insert("not-measured".to_owned(), found.missing.join("; "));
    }
    found.known
}

/// Facts by name, and the reasons why others are missing.
struct Found {
    known: BTreeMap<String, String>,
    missing: Vec<String>,
}

impl Found {
    fn add(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
            self.known.insert(name.to_owned(), value);
        }
    }
}

/// Adds processor, kernel and hypervisor.
fn kind(root: &Path, found: &mut Found) {
    let common = Common::read(root);
    let line = |name: &str| keyed::value(&common.cpuinfo, name).map(str::to_owned);
    let machine = facts(&common);
    found.add("architecture", Some(machine.architecture));
    found.add("cpu-model", Some(machine.cpu.model));
    found.add("cpu-stepping", line("stepping").or_else(|| line("CPU revision")));
    found.add("microcode", line("microcode"));
    found.add("cpus", Some(machine.cpu.online.len().to_string()));
    found.add("governor", machine.cpu.governor);
    found.add("kernel", Some(machine.kernel));
    found.add("hypervisor", machine.hypervisor);
    let packages: std::collections::BTreeSet<String> = machine
        .cpu
        .online
        .iter()
        .filter_map(|cpu| {
            read::text(root, &format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"))
        })
        .collect();
    found.add("sockets", (!packages.is_empty()).then(|| packages.len().to_string()));
}

/// Adds product, board and BIOS from the firmware's DMI tables. On arm64 boards without these tables the product comes
/// from the device tree.
fn firmware(root: &Path, found: &mut Found) {
    let dmi = |name: &str| read::text(root, &format!("sys/class/dmi/id/{name}"));
    let pair = |one: &str, other: &str| match (dmi(one), dmi(other)) {
        (Some(vendor), Some(name)) => Some(format!("{vendor} {name}")),
        (vendor, name) => name.or(vendor),
    };
    let product = pair("sys_vendor", "product_name").or_else(|| read::text(root, "proc/device-tree/model"));
    if dmi("bios_version").is_none() && dmi("board_name").is_none() {
        found.missing.push("mainboard and BIOS: the firmware tells nothing in /sys/class/dmi/id".to_owned());
    }
    found.add("product", product);
    found.add("board", pair("board_vendor", "board_name"));
    found.add("board-version", dmi("board_version"));
    found.add("bios", pair("bios_vendor", "bios_version"));
    found.add("bios-date", dmi("bios_date"));
    // Only root can read the serial number. Comparisons leave it out, since it differs on every machine.
    found.add("board-serial", dmi("board_serial"));
}

/// Size limit of the firmware's tables, in bytes; those of servers have some tens of KiB.
const TABLES_BYTES_MAX: u64 = 4 << 20;

/// Adds the memory modules from the firmware's tables, and the board's number of processor sockets and memory slots,
/// occupied or not. Only root can read the tables; without them, sockets and slots are counted in the folder of the
/// kernel module dmi-sysfs, which everybody can list.
fn memory(root: &Path, found: &mut Found) {
    let path = "sys/firmware/dmi/tables/DMI";
    match read_bounded(&root.join(path), TABLES_BYTES_MAX) {
        Ok(tables) => {
            let modules = smbios::modules(&tables);
            found.add("memory-modules", smbios::described(&modules));
            found.add("memory-speed", smbios::speed(&modules));
            let places = |kind| Some(smbios::places(&tables, kind)).filter(|&places| places > 0);
            found.add("board-sockets", places(smbios::PROCESSOR).map(|places| places.to_string()));
            found.add("memory-slots", places(smbios::MEMORY).map(|places| places.to_string()));
        }
        Err(error) => {
            found.missing.push(format!("memory modules: /{path}: {}", error.kind()));
            found.add("board-sockets", entries(root, smbios::PROCESSOR));
            found.add("memory-slots", entries(root, smbios::MEMORY));
        }
    }
}

/// Number of entries of a kind in the folder of dmi-sysfs, whose names consist of kind and number, such as `17-0`.
fn entries(root: &Path, kind: u8) -> Option<String> {
    let names = std::fs::read_dir(root.join("sys/firmware/dmi/entries")).ok()?.flatten();
    let begin = format!("{kind}-");
    let count = names.filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin)).count();
    (count > 0).then(|| count.to_string())
}

/// Adds settings that an administrator can change.
fn settings(root: &Path, found: &mut Found) {
    let cpu = |name: &str| read::text(root, &format!("sys/devices/system/cpu/{name}"));
    let turbo = match (cpu("intel_pstate/no_turbo").as_deref(), cpu("cpufreq/boost").as_deref()) {
        (Some("0"), _) | (None, Some("1")) => Some("on".to_owned()),
        (Some("1"), _) | (None, Some("0")) => Some("off".to_owned()),
        _ => None,
    };
    found.add("turbo", turbo);
    found.add("smt", cpu("smt/control"));
    let nodes = read::text(root, "sys/devices/system/node/online").and_then(|list| list.parse().ok());
    found.add("numa", nodes.map(|nodes: fauxplat_units::CpuSet| nodes.len().to_string()));
    found.add("cmdline", read::text(root, "proc/cmdline").map(|line| without_identity(&line)));
    if cpus::governor(root, &cpus::online(root)).is_none() {
        found.missing.push("governor: no cpufreq".to_owned());
    }
}

/// The kernel's command line without identifiers of this machine, such as its disks: they differ on every machine, and
/// would hide a difference in another option.
fn without_identity(line: &str) -> String {
    const OF_ONE: [&str; 7] = ["root=", "resume=", "BOOT_IMAGE=", "ip=", "BOOTIF=", "hostname=", "initrd="];
    let words = line.split_whitespace().filter(|word| !OF_ONE.iter().any(|name| word.starts_with(name)));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::machine;

    #[test]
    fn a_server_tells_its_board_and_its_settings() {
        let root = machine(&[
            ("proc/cpuinfo", "processor : 0\nmodel name : A CPU\nstepping : 7\nmicrocode : 0x5003604\n"),
            ("proc/sys/kernel/osrelease", "6.1.0\n"),
            ("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=1-2 ro mitigations=off\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
            ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
            ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "1\n"),
            ("sys/devices/system/cpu/smt/control", "off\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("sys/devices/system/node/online", "0-1\n"),
            ("sys/class/dmi/id/board_vendor", "Maker\n"),
            ("sys/class/dmi/id/board_name", "X11\n"),
            ("sys/class/dmi/id/bios_vendor", "AMI\n"),
            ("sys/class/dmi/id/bios_version", "1.2\n"),
            ("sys/class/dmi/id/bios_date", "04/01/2021\n"),
            ("sys/firmware/dmi/entries/4-0/type", "4\n"),
            ("sys/firmware/dmi/entries/4-1/type", "4\n"),
            ("sys/firmware/dmi/entries/17-0/type", "17\n"),
        ]);
        let known = identity(root.path());
        for (name, value) in [
            ("cpu-model", "A CPU"),
            ("cpu-stepping", "7"),
            ("microcode", "0x5003604"),
            ("sockets", "2"),
            ("cpus", "2"),
            ("smt", "off"),
            ("turbo", "off"),
            ("numa", "2"),
            ("board", "Maker X11"),
            ("board-sockets", "2"),
            ("memory-slots", "1"),
            ("bios", "AMI 1.2"),
            ("bios-date", "04/01/2021"),
            ("cmdline", "ro mitigations=off"),
        ] {
            assert_eq!(known.get(name).map(String::as_str), Some(value), "{name}");
        }
        let missing = &known["not-measured"];
        assert!(missing.contains("memory modules") && missing.contains("governor"), "{missing}");
        assert!(!missing.contains("mainboard"), "{missing}");
    }

    /// A container reports few facts, and none of these is an empty string.
    #[test]
    fn what_is_not_there_is_left_out_and_said() {
        let root = machine(&[("proc/cmdline", "\n")]);
        let known = identity(root.path());
        assert!(known["not-measured"].contains("mainboard and BIOS"));
        assert!(known.values().all(|value| !value.is_empty()) && !known.contains_key("board"), "{known:?}");
    }

    #[test]
    fn every_fact_has_a_name_that_is_known() {
        let known = identity(Path::new("/"));
        let strange = known.keys().find(|name| !fauxplat_model::FACTS.iter().any(|fact| fact.name == *name));
        assert_eq!(strange, None);
    }
}
