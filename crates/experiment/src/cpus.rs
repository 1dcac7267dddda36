//! Checks that requested CPUs can be used.

use fauxplat_model::{Condition, Placement};
use fauxplat_units::CpuSet;

use crate::{Failure, Machine};

/// Checks that the CPUs of a placement are online and allowed, since the runs would otherwise silently execute
/// elsewhere.
///
/// # Errors
/// Fails for a CPU that does not exist, is offline, or is not allowed.
pub fn check_placement(placement: &Placement, machine: &Machine) -> Result<(), Failure> {
    let (Placement::Set(wanted) | Placement::OneOf(wanted) | Placement::IdleOf(wanted)) = placement else {
        return Ok(());
    };
    check_cpus(&format!("--cpu {wanted}"), wanted, machine)
}

/// As [`check_placement`], for CPUs of any option; `asked` is the option as the message quotes it.
///
/// # Errors
/// Fails as [`check_placement`] does.
pub fn check_cpus(asked: &str, wanted: &CpuSet, machine: &Machine) -> Result<(), Failure> {
    let say = |cpus: CpuSet, why: String| Err(Failure::usage(format!("{asked}: CPU {cpus} {why}")));
    let facts = &machine.facts().cpu;
    let present = fauxplat_topology::present(machine.root());
    let missing = wanted.without(&facts.online);
    let unknown = missing.without(&present);
    if !unknown.is_empty() {
        return say(unknown, format!("does not exist; this machine has CPUs {present}"));
    }
    if !missing.is_empty() {
        return say(missing, format!("is offline; online are {}", facts.online));
    }
    let forbidden = wanted.without(&facts.allowed);
    if !forbidden.is_empty() {
        let allowed = &facts.allowed;
        return say(
            forbidden,
            format!("is not allowed to this process; allowed are {allowed} (affinity or cpuset)"),
        );
    }
    Ok(())
}

/// Refuses CPUs that the condition requests for runs or threads and its own limit forbids. The kernel would silently
/// use the CPUs of the limit instead, and the record would name CPUs on which nothing ran.
///
/// # Errors
/// Fails for a CPU outside the limit.
pub(crate) fn check_limit(condition: &Condition) -> Result<(), Failure> {
    let Some(limit) = &condition.limit.cpus else { return Ok(()) };
    let placed = match &condition.cpu {
        Placement::Set(cpus) | Placement::OneOf(cpus) | Placement::IdleOf(cpus) => Some(cpus.clone()),
        Placement::Auto | Placement::Free | Placement::Related(..) => None,
    };
    let placed = placed.map(|cpus| (format!("--cpu {}", condition.cpu), cpus));
    let threads = condition.pin_threads.as_ref().map(|threads| {
        let cpus: CpuSet = threads.cpus().unwrap_or_default().into_iter().collect();
        (format!("--pin-threads {threads}"), cpus)
    });
    placed.into_iter().chain(threads).try_for_each(|(asked, cpus)| {
        let outside = cpus.without(limit);
        match outside.is_empty() {
            true => Ok(()),
            false => Err(Failure::usage(format!(
                "{asked}: CPU {outside} is not among those of the limit, {limit}; leave one option out, \
                 or name the same CPUs"
            ))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(cpu: &str, threads: Option<&str>, limit: &str) -> Result<(), String> {
        let condition = Condition {
            cpu: cpu.parse().unwrap(),
            pin_threads: threads.map(|threads| threads.parse().unwrap()),
            limit: limit.parse().unwrap(),
            ..Condition::default()
        };
        check_limit(&condition).map_err(|failure| failure.to_string())
    }

    #[test]
    fn cpus_outside_of_a_limit_are_refused() {
        let fine = [("2", "cpus:2-3"), ("one-of:2-3", "cpus:2-3"), ("auto", "cpus:0"), ("7", "cpu:50%")];
        for (cpu, limit) in fine {
            assert_eq!(checked(cpu, None, limit), Ok(()), "{cpu} in {limit}");
        }
        for (cpu, says) in [("1", "--cpu 1: CPU 1"), ("one-of:0-1", "CPU 1"), ("idle-of:0-2", "CPU 1-2")] {
            let said = checked(cpu, None, "cpus:0").unwrap_err();
            assert!(said.contains(says) && said.contains("those of the limit, 0"), "{said}");
        }
        let said = checked("auto", Some("0,3"), "cpus:0-1").unwrap_err();
        assert!(said.contains("--pin-threads 0,3: CPU 3"), "{said}");
    }
}
