//! The hypervisor under which the machine runs, if one is detected.

use std::path::Path;

use fauxplat_procfs::keyed;

use crate::read;

/// Words in the firmware's vendor and product names, and the hypervisor or cloud that they stand for.
const FIRMWARE: [(&str, &str); 13] = [
    ("kvm", "KVM"),
    ("qemu", "QEMU"),
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("parallels", "Parallels"),
    ("hvm domu", "Xen"),
    ("amazon ec2", "Amazon EC2"),
    ("google compute engine", "Google Compute Engine"),
    ("openstack", "OpenStack"),
    ("alibaba cloud", "Alibaba Cloud"),
    ("digitalocean", "DigitalOcean"),
    ("hetzner", "Hetzner Cloud"),
];

/// Clock sources that only a guest has, and the hypervisors that provide them.
const CLOCKS: [(&str, &str); 3] = [("kvm-clock", "KVM"), ("hyperv_clocksource", "Hyper-V"), ("xen", "Xen")];

/// The hypervisor; `unknown` where the CPU's flag reports one and no file names it. `None` where none is detected.
///
/// On x86 the CPU's own flag decides whether there is one, since machines that a cloud rents without a hypervisor carry
/// the same firmware words as the cloud's virtual machines.
pub(crate) fn name(root: &Path, cpuinfo: &str) -> Option<String> {
    if let Some(kind) = read::text(root, "sys/hypervisor/type") {
        return Some(if kind == "xen" { "Xen".into() } else { kind });
    }
    let flag = keyed::value(cpuinfo, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    match flag {
        Some(false) => None,
        Some(true) => named(root).or(Some("unknown".into())),
        None => named(root).filter(|_| !is_metal(root)),
    }
}

/// The clock source comes first: it names the hypervisor itself, while the firmware may name an emulator or a cloud.
fn named(root: &Path) -> Option<String> {
    clock(root).or_else(|| firmware(root)).or_else(|| device_tree(root))
}

fn firmware(root: &Path) -> Option<String> {
    let words = format!("{} {}", dmi(root, "sys_vendor"), dmi(root, "product_name")).to_lowercase();
    if words == "microsoft corporation virtual machine" {
        return Some("Hyper-V".into());
    }
    let found = FIRMWARE.iter().find(|(word, _)| words.contains(word))?;
    Some(found.1.into())
}

/// The hypervisor of a guest without firmware tables, from its device tree: `linux,kvm` or `xen,xen`.
fn device_tree(root: &Path) -> Option<String> {
    let compatible = read::text(root, "proc/device-tree/hypervisor/compatible")?;
    let word = compatible.split('\0').next()?;
    Some(match word {
        "linux,kvm" => "KVM".into(),
        "xen,xen" => "Xen".into(),
        other => other.into(),
    })
}

fn clock(root: &Path) -> Option<String> {
    let sources = read::text(root, "sys/devices/system/clocksource/clocksource0/available_clocksource")?;
    let found = CLOCKS.iter().find(|(clock, _)| sources.split(' ').any(|source| source == *clock))?;
    Some(found.1.into())
}

/// Whether the machine is an instance type without a hypervisor, whose name ends in `.metal` or `.metal-48xl`.
fn is_metal(root: &Path) -> bool {
    dmi(root, "product_name").contains(".metal")
}

fn dmi(root: &Path, name: &str) -> String {
    read::text(root, &format!("sys/class/dmi/id/{name}")).unwrap_or_default()
}
