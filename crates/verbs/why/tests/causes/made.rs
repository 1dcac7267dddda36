//! Makes up evidence for tests.

use std::collections::BTreeMap;

use fauxplat_why::analysis::Chain;
use fauxplat_why::evidence::{
    Amount, Count, Evidence, Held, PairReading, Quota, Sampled, SampledFunction, Simulated,
    SimulatedFunction, Traced, Wait, Waited,
};
use fauxplat_why::findings::Cause;

pub(crate) const MS: f64 = 1e6;

/// Pairs of runs that take 10 ms of user time and 1 ms in the kernel. The slower program takes `more` milliseconds in
/// addition: user, system, run-queue, blocked.
pub(crate) fn pairs(more: [f64; 4]) -> Vec<PairReading> {
    (0..24)
        .map(|number| {
            let noise = MS * 0.05 * f64::from(number % 5 - 2);
            let (user, system) = (10.0 * MS + noise, MS);
            let sum = more.iter().sum::<f64>() * MS;
            PairReading {
                wall_ns: [user + system, user + system + sum],
                user_ns: [user, user + more[0] * MS],
                system_ns: [system, system + more[1] * MS],
                delay_ns: [0.0, more[2] * MS],
            }
        })
        .collect()
}

pub(crate) fn traced() -> Traced {
    let held = Held {
        cpus: Some("0-3".to_owned()),
        cpu_count: Some(4),
        nice: Some(0),
        policy: Some(0),
        quota: Some(Quota::Unlimited),
        environment: Some(BTreeMap::new()),
        program: Some("/bin/p".to_owned()),
        arguments: Some(Vec::new()),
        ..Held::default()
    };
    Traced { wall_ns: 12.0 * MS, tasks: 1, processes: 1, lanes: 1.0, held, ..Traced::default() }
}

pub(crate) fn evidence(more: [f64; 4]) -> Evidence {
    let mut traces = [traced(), traced()];
    traces[1].held.arguments = Some(vec!["slow".to_owned()]);
    Evidence {
        names: ["fast".to_owned(), "slow".to_owned()],
        commands: ["./p".to_owned(), "./p slow".to_owned()],
        pairs: pairs(more),
        traced: Some(traces),
        level: 0.01,
        ..Evidence::default()
    }
}

/// Calls of one name that waited for this reason, together for so many nanoseconds.
pub(crate) fn waited(
    wait: Wait,
    name: &str,
    count: f64,
    ns: f64,
) -> BTreeMap<Wait, BTreeMap<String, Waited>> {
    BTreeMap::from([(wait, BTreeMap::from([(name.to_owned(), Waited { count, ns })]))])
}

pub(crate) fn simulated(counts: &[(&str, f64, f64)]) -> Simulated {
    let names: Vec<String> = ["instructions", "l1i-misses", "l1d-misses", "llc-misses", "branch-misses"]
        .map(str::to_owned)
        .to_vec();
    let of = |name: &String, side: usize| {
        let found = counts.iter().find(|(known, ..)| known == name);
        found.map_or(1000.0, |&(_, fast, slow)| if side == 0 { fast } else { slow })
    };
    let counts = [0, 1].map(|side| names.iter().map(|name| of(name, side)).collect::<Vec<f64>>());
    let function =
        SimulatedFunction { name: "walk".to_owned(), counts: counts.clone(), ..SimulatedFunction::default() };
    Simulated { names, counts, functions: vec![function], ..Simulated::default() }
}

pub(crate) fn sampled(name: &str, object: &str, ms: f64, instructions: &[&str]) -> Sampled {
    let amount = Amount { value: ms * MS, low: 0.9 * ms * MS, high: 1.1 * ms * MS };
    let function = SampledFunction {
        name: name.to_owned(),
        object: object.to_owned(),
        own_ns: amount,
        total_ns: amount,
        caller: Some("sum".to_owned()),
        instructions: instructions.iter().map(|&it| it.to_owned()).collect(),
        ..SampledFunction::default()
    };
    Sampled { functions: vec![function], all_ns: amount, pairs: 10, has_kernel: true, ..Sampled::default() }
}

pub(crate) fn first(chain: &Chain) -> &Cause {
    chain.causes.first().unwrap_or_else(|| panic!("no cause: {chain:?}"))
}

/// A count of the kernel whose difference is known exactly.
pub(crate) fn count(name: &str, means: [f64; 2]) -> Count {
    Count { name: name.to_owned(), title: name.to_owned(), means, more: Amount::exact(means[1] - means[0]) }
}
