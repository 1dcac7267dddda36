//! Completes the definition of an experiment whose runs are simulated. Nothing is timed, so no property is drawn anew
//! for each block to be averaged over, and every command gets the same stack position.

use fauxplat_model::{
    Cache, CacheKind, CacheShape, Definition, EnvPad, Heap, Metric, Placement, Rule, Runs, SimulatedCaches,
    SimulatedMachine,
};
use fauxplat_units::Bytes;

use crate::{Failure, Machine};

const DECIDES: &str = "simulated:instructions";

/// Default number of runs of each command, enough to show whether counts repeat.
const RUNS: u32 = 2;

/// Completes a definition with simulated runs; leaves others as they are. Returns warnings about the simulated machine.
///
/// # Errors
/// Fails if the definition has an option that simulated runs cannot have.
pub(crate) fn settle(
    kind: &str,
    definition: &mut Definition,
    machine: &Machine,
) -> Result<Vec<String>, Failure> {
    let Some(simulated) = definition.condition.simulate else { return Ok(Vec::new()) };
    refuse(kind, definition)?;
    if definition.runs == Runs::Auto {
        definition.runs = Runs::Count(RUNS);
    }
    let rule = &mut definition.rule;
    if rule.metric == Rule::default().metric && rule.also.is_empty() {
        rule.metric = Metric::from_id(DECIDES).map_err(Failure::machine)?;
    }
    let condition = &mut definition.condition;
    if condition.env_pad == EnvPad::Random || condition.env_pad == EnvPad::None {
        condition.env_pad = EnvPad::Level;
    }
    if condition.cpu == Placement::Auto {
        condition.cpu = Placement::Free;
    }
    let mut doubts = Vec::new();
    if simulated == SimulatedMachine::Here {
        let caches = here(machine.topology().caches.as_slice())
            .ok_or_else(|| Failure::machine("--simulate-machine here: the kernel does not say which caches this machine has; name another machine"))?;
        condition.simulate = Some(SimulatedMachine::Caches(caches));
        doubts.extend(doubt(&caches));
    }
    Ok(doubts)
}

fn refuse(kind: &str, definition: &Definition) -> Result<(), Failure> {
    let (condition, rule) = (&definition.condition, &definition.rule);
    let is_timed = ["aa", "explain"].contains(&kind);
    let refused = [
        (is_timed, kind, "the verb asks how times vary, and simulated runs have none"),
        (matches!(definition.runs, Runs::Until(_)), "--until", "a precision is one of wall times"),
        (rule.duet, "--duet", "two runs at the same moment have nothing to share in a simulator"),
        (condition.heap != Heap::Inherit, "--heap", "the simulator places the heap"),
        (condition.policy.is_some(), "--policy", "a simulator does not schedule"),
        (condition.nice.is_some(), "--nice", "a simulator does not schedule"),
        (!condition.load.is_empty(), "--load", "nothing else runs on a simulated machine"),
        (rule.sessions.is_some(), "--sessions", "counts do not change from one session to the next"),
    ];
    match refused.into_iter().find(|(is_asked, ..)| *is_asked) {
        Some((_, option, why)) => {
            Err(Failure::usage(format!("{option} and --simulated: {why}; leave one option out")))
        }
        None => Ok(()),
    }
}

/// The caches of this machine in the form that the simulator takes; `None` if they cannot be simulated.
fn here(caches: &[Cache]) -> Option<SimulatedCaches> {
    let of = |level: u32, kinds: &[CacheKind]| {
        caches.iter().find(|it| it.level == level && kinds.contains(&it.kind)).and_then(shape)
    };
    let last = caches.iter().filter(|it| it.kind != CacheKind::Instruction).map(|it| it.level).max()?;
    Some(SimulatedCaches {
        i1: of(1, &[CacheKind::Instruction, CacheKind::Unified])?,
        d1: of(1, &[CacheKind::Data, CacheKind::Unified])?,
        ll: of(last, &[CacheKind::Unified, CacheKind::Data])?,
    })
}

/// The shape of a cache for the simulator, which requires a power of two as the number of sets; the number of ways
/// changes so that the size stays about the same. `None` if the cache's shape is not known.
fn shape(cache: &Cache) -> Option<CacheShape> {
    let (size, line, ways) = (cache.size?.0, cache.line?.0, u64::from(cache.ways?));
    let sets = size.checked_div(line * ways).filter(|&sets| sets > 0)?;
    let sets = 1 << sets.ilog2();
    let shape = CacheShape {
        bytes: size / (sets * line) * sets * line,
        ways: (size / (sets * line)).try_into().ok()?,
        line_bytes: line.try_into().ok()?,
    };
    shape.check().ok().map(|()| shape)
}

/// Size above which a simulated last-level cache has hardly any misses other than first accesses.
const LARGE: Bytes = Bytes(64 << 20);

fn doubt(caches: &SimulatedCaches) -> Option<String> {
    (caches.ll.bytes > LARGE.0).then(|| {
        format!(
            "the last-level cache of this machine ({}) holds nearly everything: its misses cannot be compared with those of \
             other machines; --simulate-machine classic can",
            Bytes(caches.ll.bytes)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(level: u32, kind: CacheKind, size: u64, ways: u32) -> Cache {
        let (number, id, cpus) = (0, None, "0".parse().unwrap());
        Cache {
            number,
            level,
            kind,
            id,
            size: Some(Bytes(size)),
            line: Some(Bytes(64)),
            ways: Some(ways),
            cpus,
        }
    }

    #[test]
    fn caches_of_any_machine_are_brought_into_a_form_that_can_be_simulated() {
        let first = [cache(1, CacheKind::Data, 48 << 10, 12), cache(1, CacheKind::Instruction, 32 << 10, 8)];
        // The numbers of sets of these caches are no powers of two: 480 MiB in 20 ways are 393,216 sets; 105 MiB in 15
        // ways are 114,688.
        for (size, ways) in [(480 << 20, 20), (105 << 20, 15), (32 << 20, 16), (8 << 20, 16)] {
            let all = [&first[..], &[cache(3, CacheKind::Unified, size, ways)]].concat();
            let found = here(&all).unwrap();
            assert_eq!(found.d1.to_string(), "49152,12,64");
            assert!(
                found.ll.check().is_ok() && found.ll.bytes <= size && found.ll.bytes > size / 10 * 9,
                "{found:?}"
            );
            assert_eq!(doubt(&found).is_some(), size > 64 << 20);
        }
        let only_second = [&first[..], &[cache(2, CacheKind::Unified, 1 << 20, 16)]].concat();
        assert_eq!(here(&only_second).unwrap().ll.bytes, 1 << 20);
        assert_eq!(here(&first[..1]), None);
        assert_eq!(here(&[]), None);
        assert_eq!(shape(&Cache { ways: Some(0), ..cache(3, CacheKind::Unified, 1, 1) }), None);
    }
}
