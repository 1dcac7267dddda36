//! Compares the descriptions of two machines.

use std::fmt;

use fauxplat_model::MachineFacts;

/// Relative difference of the installed memory up to which it counts as equal: kernels reserve a small and varying
/// part.
const MEMORY_SHARE: f64 = 0.02;

/// A fact in which two machines, or one machine at two times, differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactApart {
    pub what: &'static str,
    pub there: String,
    pub here: String,
}

impl fmt::Display for FactApart {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} {} there, {} here", self.what, self.there, self.here)
    }
}

/// Differences between two machines; empty for one machine at two boots. Settings count as well, since another frequency
/// governor changes a benchmark as another machine would.
pub fn facts_apart(there: &MachineFacts, here: &MachineFacts) -> Vec<FactApart> {
    let absent = || "none".to_owned();
    let number = |value: Option<u8>| value.map_or_else(absent, |value| value.to_string());
    let texts = [
        ("CPU", there.cpu.model.clone(), here.cpu.model.clone()),
        ("architecture", there.architecture.clone(), here.architecture.clone()),
        ("CPUs online", there.cpu.online.to_string(), here.cpu.online.to_string()),
        ("kernel", there.kernel.clone(), here.kernel.clone()),
        ("system", there.os.clone(), here.os.clone()),
        (
            "hypervisor",
            there.hypervisor.clone().unwrap_or_else(absent),
            here.hypervisor.clone().unwrap_or_else(absent),
        ),
        (
            "governor",
            there.cpu.governor.clone().unwrap_or_else(absent),
            here.cpu.governor.clone().unwrap_or_else(absent),
        ),
        ("randomize_va_space", number(there.randomize_va_space), number(here.randomize_va_space)),
    ];
    let mut apart: Vec<FactApart> = texts
        .into_iter()
        .filter(|(_, there, here)| there != here)
        .map(|(what, there, here)| FactApart { what, there, here })
        .collect();
    let (memory_there, memory_here) = (there.memory_bytes.0 as f64, here.memory_bytes.0 as f64);
    if (memory_there - memory_here).abs() > MEMORY_SHARE * memory_there.max(memory_here) {
        let [there, here] = [there, here].map(|it| it.memory_bytes.to_string());
        apart.push(FactApart { what: "memory", there, here });
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_units::{Bytes, CpuSet};

    #[test]
    fn a_boot_is_no_other_machine_and_a_kernel_is() {
        let mut here =
            MachineFacts { kernel: "6.1".into(), memory_bytes: Bytes(8 << 30), ..Default::default() };
        here.cpu.online = "0-3".parse().unwrap();
        let mut booted = MachineFacts { boot_id: "another".into(), ..here.clone() };
        (booted.cpu.allowed, booted.memory_bytes) = (CpuSet::new(), Bytes((8 << 30) - 4096));
        assert_eq!(facts_apart(&booted, &here), []);
        let mut other = MachineFacts { kernel: "6.2".into(), memory_bytes: Bytes(4 << 30), ..here.clone() };
        (other.hypervisor, other.cpu.online) = (Some("kvm".into()), "0-1".parse().unwrap());
        let apart: Vec<String> = facts_apart(&other, &here).iter().map(ToString::to_string).collect();
        assert_eq!(apart[..2], ["CPUs online 0-1 there, 0-3 here", "kernel 6.2 there, 6.1 here"]);
        assert!(
            apart[2] == "hypervisor kvm there, none here" && apart[3].starts_with("memory "),
            "{apart:?}"
        );
    }
}
