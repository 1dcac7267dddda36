//! The keys under which a machine's facts are stored.

use fauxplat_model::{MachineFacts, sha256};
use fauxplat_units::CpuSet;

use crate::StoreError;
use crate::error::json;

/// A machine's facts as text, with two keys: one that identifies exactly these facts, and one that is stable across
/// boots and CPU affinities.
pub(crate) struct MachineKey {
    /// SHA-256 of all facts.
    pub(crate) hash: String,
    /// SHA-256 of the facts without the boot id and the CPUs that the process may use.
    pub(crate) identity: String,
    /// The facts as JSON.
    pub(crate) facts: String,
}

impl MachineKey {
    pub(crate) fn of(facts: &MachineFacts) -> Result<Self, StoreError> {
        let mut lasting = facts.clone();
        lasting.boot_id.clear();
        lasting.cpu.allowed = CpuSet::new();
        let (all, lasting) = (json("machine facts", facts)?, json("machine facts", &lasting)?);
        Ok(MachineKey { hash: sha256(&all), identity: sha256(&lasting), facts: all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_survives_a_boot_and_not_another_kernel() {
        let facts = MachineFacts { kernel: "6.1".into(), boot_id: "a".into(), ..MachineFacts::default() };
        let booted = MachineFacts { boot_id: "b".into(), ..facts.clone() };
        let updated = MachineFacts { kernel: "6.2".into(), ..facts.clone() };
        let key = |facts| MachineKey::of(facts).unwrap();
        assert_ne!(key(&facts).hash, key(&booted).hash);
        assert_eq!(key(&facts).identity, key(&booted).identity);
        assert_ne!(key(&facts).identity, key(&updated).identity);
    }
}
