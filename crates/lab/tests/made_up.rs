//! Labs that ship, held against documents of machines that nobody here has: each of their claims comes out either way.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use LabOutcome::{CannotRunHere, NotHere, Reproduced};
use fauxplat_experiment::Failure;
use fauxplat_lab::{Bench, catalog};
use fauxplat_model::{LabOutcome, LabResult};
use fauxplat_plan::LabSettings;
use serde_json::{Value, json};
use toml::Table;

/// A lab runs in a folder of its own, which is the whole process's: one at a time.
static FOLDER: Mutex<()> = Mutex::new(());

/// What a machine gives for an experiment: its document, or what is missing for it.
type Machine<'a> = dyn Fn(&str) -> Result<Value, &'static str> + 'a;

/// The lab of this name as it ships, but that nothing is built or needed and each experiment asks the machine for its document.
fn asked_of_a_machine(name: &str) -> String {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let mut lab: Table = fs::read_to_string(labs.join(name).join("lab.toml")).unwrap().parse().unwrap();
    lab.remove("needs");
    lab.remove("prepare");
    for part in ["experiment", "claim"] {
        for one in lab[part].as_array_mut().unwrap() {
            let one = one.as_table_mut().unwrap();
            one.remove("needs");
            if part == "experiment" {
                let line = format!("made-up '{}'", one["name"].as_str().unwrap());
                one.remove("run");
                one.insert("line".to_owned(), line.into());
            }
        }
    }
    lab.to_string()
}

fn run(name: &str, machine: &Machine<'_>) -> Result<LabResult, Failure> {
    let _alone = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(name);
    fs::create_dir(&place).unwrap();
    fs::write(place.join("lab.toml"), asked_of_a_machine(name)).unwrap();
    let lab = catalog::find(place.to_str().unwrap(), &LabSettings::new()).unwrap();
    let perform = |words: &[String]| {
        let place = words.iter().position(|word| word == "--output").unwrap();
        let document = machine(&words[2..place - 2].join(" ")).map_err(Failure::machine)?;
        fs::write(&words[place + 1], document.to_string()).map_err(Failure::machine)
    };
    Bench::new(None, Vec::new(), &perform).unwrap().run(&lab, 1)
}

/// What comes of each claim on this machine.
fn outcomes(name: &str, machine: &Machine<'_>) -> BTreeMap<String, LabOutcome> {
    let claims = run(name, machine).unwrap().claims;
    claims.into_iter().map(|claim| (claim.name, claim.outcome.unwrap())).collect()
}

/// On this machine these claims are so, and all others as `others` says.
fn expect(name: &str, machine: &Machine<'_>, others: LabOutcome, these: &[(&str, LabOutcome)]) {
    let found = outcomes(name, machine);
    for (claim, _) in these {
        assert!(found.contains_key(*claim), "{name} has no claim {claim}: {found:?}");
    }
    for (claim, outcome) in &found {
        let expected = these.iter().find(|(it, _)| it == claim).map_or(others, |(_, outcome)| *outcome);
        assert_eq!(*outcome, expected, "{name}: {claim}: {found:?}");
    }
}

/// Twelve readings about this figure.
fn about(figure: f64) -> Value {
    json!((0..12).map(|it| figure * (1.0 + (f64::from(it) - 5.5) * 1e-4)).collect::<Vec<_>>())
}

/// Twelve readings from one end to the other.
fn anywhere(low: f64, high: f64) -> Value {
    json!((0..12).map(|it| low + (high - low) * f64::from(it) / 11.0).collect::<Vec<_>>())
}

fn interval(value: f64, low: f64, high: f64) -> Value {
    json!({ "effect_ratio": value, "ci_low_ratio": low, "ci_high_ratio": high })
}

const NO_COUNTERS: &str = "the host gives this virtual machine no counters";

/// Numbers of loops, as `beside.py` tells them.
fn loops(loaded: Value, effect: &str, above: Value) -> Value {
    json!({
        "loaded_over_alone": loaded, "instructions_over_alone": about(1.0), "effect": effect,
        "threshold_above_published": above,
    })
}

/// A machine that has counters and hardware threads, and does what was published.
fn smt_counters(experiment: &str) -> Value {
    match experiment {
        "cycles" | "time" => loops(about(1.97), "yes", json!(0)),
        "stalls" => json!({ "stalled_share": about(0.61) }),
        "simulated" => json!({ "alone": 3_000_004, "loaded": 3_000_004 }),
        "pairs" => json!({ "labels": [{ "label": "smt-sibling" }] }),
        other => panic!("no experiment {other}"),
    }
}

#[test]
fn instructions_and_cycles_beside_loops() {
    let lab = "smt-counters";
    expect(lab, &|name| Ok(smt_counters(name)), Reproduced, &[]);
    // No hardware threads: loops take turns with the program, and cost no cycles.
    let plain = |name: &str| match name {
        "cycles" | "time" => loops(about(1.0), "no", Value::Null),
        "stalls" => json!({ "stalled_share": about(0.1) }),
        "pairs" => json!({ "labels": [] }),
        _ => smt_counters(name),
    };
    let constant = ["instructions do not change", "simulated instructions do not change"];
    expect(lab, &|name| Ok(plain(name)), NotHere, &constant.map(|claim| (claim, Reproduced)));
    // What loops cost has another size, and the counts move.
    let moved = |name: &str| match name {
        "cycles" => {
            let mut document = loops(about(1.2), "yes", json!(1));
            document["instructions_over_alone"] = about(1.01);
            document
        }
        "time" => loops(about(1.2), "yes", json!(-3)),
        "stalls" => json!({ "stalled_share": anywhere(0.3, 0.7) }),
        "simulated" => json!({ "alone": 3_000_004, "loaded": 3_000_007 }),
        _ => smt_counters(name),
    };
    expect(lab, &|name| Ok(moved(name)), NotHere, &[]);
}

#[test]
fn a_threshold_that_was_not_decided_is_neither_there_nor_absent() {
    let thresholds = ["threshold in cycles", "threshold in CPU time"].map(|claim| (claim, CannotRunHere));
    for effect in ["undecided", "yes"] {
        let hidden = |name: &str| match name {
            "cycles" | "time" => loops(about(1.97), effect, Value::Null),
            _ => smt_counters(name),
        };
        expect("smt-counters", &|name| Ok(hidden(name)), Reproduced, &thresholds);
    }
}

#[test]
fn without_counters_what_stands_in_for_them_is_judged() {
    let machine = |name: &str| match name {
        "cycles" | "stalls" => Err(NO_COUNTERS),
        _ => Ok(smt_counters(name)),
    };
    let missing = [
        "instructions do not change",
        "cycles on a full machine",
        "stalled front end",
        "threshold in cycles",
    ];
    expect("smt-counters", &machine, Reproduced, &missing.map(|claim| (claim, CannotRunHere)));
    let claims = run("smt-counters", &machine).unwrap().claims;
    let cycles = claims.iter().find(|claim| claim.name == "cycles on a full machine").unwrap();
    assert_eq!(cycles.reason.as_deref(), Some(NO_COUNTERS));
}

/// A comparison whose second command takes so much longer, each run by so many seconds.
fn longer(ratio: f64, seconds: f64) -> Value {
    let runs = |wall: f64| -> Value {
        (0..12).map(|it| json!({ "wall_ns": wall + f64::from(it) * 1e5 })).collect::<Vec<_>>().into()
    };
    let half = 0.5e9;
    json!({
        "comparisons": [interval(ratio, ratio - 0.01, ratio + 0.01)],
        "commands": [{ "runs": runs(half) }, { "runs": runs(half + seconds * 1e9) }],
    })
}

#[test]
fn what_it_costs_to_be_measured() {
    let lab = "observer-cost";
    let each =
        |us: Value, over_perf: Value| json!({ "counted_over_plain_us": us, "counted_over_perf": over_perf });
    let cheap = |name: &str| match name {
        "each run" => each(about(14.0), about(0.5)),
        _ => longer(1.08, 0.05),
    };
    expect(lab, &|name| Ok(cheap(name)), Reproduced, &[]);
    let dear = |name: &str| match name {
        "each run" => each(about(500.0), about(1.5)),
        // Nothing can be seen of perf, and much of the others.
        _ => longer(1.0, 0.6),
    };
    expect(lab, &|name| Ok(dear(name)), NotHere, &[]);
    let without = |name: &str| match name {
        "perf stat" => Err("perf is there and does not work"),
        "fauxplat -e cycles" => Err(NO_COUNTERS),
        "each run" => Ok(each(about(14.0), Value::Null)),
        _ => Ok(cheap(name)),
    };
    let missing = ["perf stat", "fauxplat, counting in the processor", "less than perf stat"];
    expect(lab, &without, Reproduced, &missing.map(|claim| (claim, CannotRunHere)));
    let noise = |name: &str| match name {
        "each run" => each(anywhere(-20.0, 60.0), anywhere(0.5, 1.5)),
        _ => longer(1.005, 0.405),
    };
    expect(
        lab,
        &|name| Ok(noise(name)),
        NotHere,
        &[
            ("fauxplat", Reproduced),
            ("fauxplat, counting in the kernel", Reproduced),
            ("fauxplat, counting in the processor", Reproduced),
        ],
    );
}

#[test]
fn a_clock_that_falls_and_one_that_does_not() {
    let lab = "background-heat";
    let at = |clock: f64, cycles: f64| {
        move |name: &str| match name {
            "beside" => json!({
                "cpu_over_alone": about(cycles / clock), "wall_over_alone": about(cycles / clock),
                "cycles_over_alone": about(cycles), "clock_over_alone": about(clock),
            }),
            _ => json!({
                "index_over_alone": about(clock), "typical_index_over_alone": about(clock / cycles),
                "clock_over_alone": about(clock),
            }),
        }
    };
    expect(lab, &|name| Ok(at(0.8, 1.0)(name)), Reproduced, &[]);
    // A clock that is held: nothing happens, and cycles stay.
    let stays = ["cycles do not", "the index falls as the clock does"].map(|claim| (claim, Reproduced));
    expect(lab, &|name| Ok(at(1.0, 1.0)(name)), NotHere, &stays);
    // Cycles rise with a held clock: the cores share something.
    let slower = ["CPU time rises", "wall time rises"].map(|claim| (claim, Reproduced));
    expect(lab, &|name| Ok(at(1.0, 1.3)(name)), NotHere, &slower);
    let blind = |name: &str| match name {
        "index" => Ok(at(0.8, 1.0)(name)),
        _ => Err(NO_COUNTERS),
    };
    expect(lab, &blind, CannotRunHere, &[("the index falls", Reproduced)]);
}

/// The server with each number of clients: pinned over free, by metric.
fn served(one: f64, many: f64, system: f64, user: f64, rare: f64) -> Value {
    let around = |value: f64| interval(value, value * 0.99, value * 1.01);
    let metric = |name: &str, value: f64| {
        let mut metric = around(value);
        metric["metric"] = json!(name);
        metric
    };
    let of = |clients: u32| {
        json!({
            "clients": clients, "elapsed": around(if clients == 1 { one } else { many }),
            "metrics": [metric("system", system), metric("user", user),
                metric("software:context-switches", rare), metric("pmu:cache-misses", rare * 8.0)],
        })
    };
    let all = [1, 2, 4, 8, 16, 32].map(of);
    json!({ "of": all })
}

#[test]
fn a_threaded_server_on_one_cpu() {
    let lab = "gil-affinity";
    expect(lab, &|_| Ok(served(1.05, 0.64, 0.12, 0.5, 0.025)), Reproduced, &[]);
    // Without a lock pinning costs time; what is saved is saved nowhere.
    expect(lab, &|_| Ok(served(0.9, 2.0, 1.1, 1.0, 0.9)), NotHere, &[]);
    assert_eq!(
        outcomes(lab, &|_| Ok(served(1.05, 0.64, 0.12, 0.5, 0.025))).len(),
        18,
        "six numbers of clients"
    );
    let counted = ["context switches, python3", "cache misses, python3"].map(|claim| (claim, CannotRunHere));
    let machine = |name: &str| match name {
        "free against pinned, python3" => Ok(served(1.05, 0.64, 0.12, 0.5, 0.025)),
        _ => Err("only root may count switches"),
    };
    expect(lab, &machine, Reproduced, &counted);
    // The first interval holds one, and the processor counted nothing.
    let undecided = || {
        let mut document = served(1.05, 0.64, 0.12, 0.5, 0.025);
        document["of"][0]["elapsed"] = interval(1.0, 0.9, 1.1);
        document["of"][2]["metrics"][3] = json!({
            "metric": "pmu:cache-misses", "effect_ratio": null, "ci_low_ratio": null, "ci_high_ratio": null,
        });
        document
    };
    let expected = [("1 client, python3", NotHere), ("cache misses, python3", CannotRunHere)];
    expect(lab, &|_| Ok(undecided()), Reproduced, &expected);
}

/// What a profile of the search says where equality has this share, and its callers these.
fn searching(equality: f64, is_new: f64, callers: Value) -> Value {
    json!({
        "profiles": [{ "functions": [{
            "name": "SearchingCounter::is_new", "total_share": is_new, "total_low": is_new - 0.01,
            "total_high": is_new + 0.01,
        }] }],
        "views": [{
            "share": equality, "low": equality - 0.01, "high": equality + 0.01, "relatives": callers,
        }],
    })
}

fn is_new(depth: u32, share: f64) -> Value {
    json!([{ "name": "SearchingCounter::is_new", "share": share, "low": share - 0.01, "high": share + 0.01, "depth": depth }])
}

fn leads(share: f64) -> Value {
    json!({ "profiles": [{ "functions": [
        { "name": "memcmp", "self_share": share, "self_low": share - 0.02, "self_high": share + 0.02 },
    ] }] })
}

#[test]
fn where_the_time_of_a_search_goes() {
    let lab = "hot-function";
    let both = |ratio: f64| json!({ "comparisons": [interval(ratio, ratio * 0.99, ratio * 1.01)] });
    let published = |name: &str| match name {
        "searching" => searching(0.6, 0.97, is_new(3, 1.0)),
        "with a set" => leads(0.2),
        "both" => both(0.011),
        other => panic!("no experiment {other}"),
    };
    expect(lab, &|name| Ok(published(name)), Reproduced, &[]);
    // Another log: strings differ at once, somebody else compares, the set brings little, and one function has all.
    let other = |name: &str| match name {
        "searching" => searching(0.05, 0.2, is_new(2, 0.4)),
        "with a set" => leads(0.9),
        _ => both(0.8),
    };
    expect(lab, &|name| Ok(other(name)), NotHere, &[]);
    // The test calls the comparison itself: that was not what was published.
    let direct = |name: &str| match name {
        "searching" => searching(0.6, 0.97, is_new(1, 1.0)),
        other => published(other),
    };
    let found = outcomes(lab, &|name| Ok(direct(name)));
    assert_ne!(found["who asks for it"], Reproduced, "{found:?}");
    // Nobody may sample: what was timed is judged all the same.
    let refused = |name: &str| if name == "both" { Ok(both(0.011)) } else { Err(NO_COUNTERS) };
    expect(lab, &refused, CannotRunHere, &[("the remedy", Reproduced)]);
}

/// How `blocks.py` tells where the program came to its end.
fn blocks(block: u32, killed: u32, paused: u32) -> Value {
    json!({ "block": block, "killed": killed, "paused": paused })
}

#[test]
fn programs_that_want_more_memory_than_they_may_have() {
    let lab = "memory-limit";
    let (killed, paused) = ("killed at the 10th block", "paused at the same block");
    let published = |name: &str| match name {
        "kill" => blocks(10, 1, 0),
        "pause" => blocks(10, 0, 1),
        other => panic!("no experiment {other}"),
    };
    expect(lab, &|name| Ok(published(name)), Reproduced, &[]);
    // Another block; version 2 lets a few more be filled before it freezes.
    let other = |name: &str| if name == "kill" { blocks(9, 1, 0) } else { blocks(11, 0, 1) };
    expect(lab, &|name| Ok(other(name)), NotHere, &[]);
    // It ended in that block, and not by the kernel; it was killed in the place of being paused.
    let otherwise = |name: &str| if name == "kill" { blocks(10, 0, 0) } else { blocks(10, 1, 1) };
    expect(lab, &|name| Ok(otherwise(name)), NotHere, &[]);
    // Nothing limits it: all blocks are full.
    let unlimited = |name: &str| if name == "kill" { blocks(0, 0, 0) } else { blocks(10, 0, 1) };
    expect(lab, &|name| Ok(unlimited(name)), NotHere, &[(paused, Reproduced)]);
    let refused =
        |name: &str| if name == "kill" { Ok(blocks(10, 1, 0)) } else { Err("no memory.oom_control") };
    expect(lab, &refused, CannotRunHere, &[(killed, Reproduced)]);
}

/// A group on these CPUs whose two programs had so much CPU time.
fn on_cpus(cpus: &str, first_ns: f64, second_ns: f64) -> Value {
    json!({ "groups": [{
        "limits": { "cpus": cpus }, "used": { "cpu_ns": first_ns + second_ns },
        "commands": [{ "cpu_ns": first_ns }, { "cpu_ns": second_ns }],
    }] })
}

#[test]
fn programs_in_groups_with_cpus_of_their_own() {
    let lab = "cpuset";
    let machine = |alike: f64, cpus: &'static str, twice: f64| {
        move |name: &str| match name {
            "one CPU each" => Ok(on_cpus(cpus, 2e9, 2e9 * alike)),
            "two CPUs each" => Ok(on_cpus("2-3", 2e9 * twice, 2e9 * twice)),
            other => panic!("no experiment {other}"),
        }
    };
    expect(lab, &machine(1.0, "1", 2.0), Reproduced, &[]);
    // One of the two got more, so the group has less than half of what two CPUs give.
    expect(lab, &machine(0.7, "1", 1.0), NotHere, &[]);
    let half = "half of one CPU each";
    expect(lab, &machine(1.0, "0-1", 2.0), Reproduced, &[(half, NotHere)]);
    let two_cpus = |name: &str| match name {
        "one CPU each" => machine(1.0, "1", 2.0)(name),
        _ => Err("CPU 2 does not exist"),
    };
    expect(lab, &two_cpus, CannotRunHere, &[(half, Reproduced)]);
}

#[test]
fn groups_that_share_a_cpu_by_their_weights() {
    let lab = "cpu-shares";
    let shares = |share: f64, width: f64, weight: f64, alike: f64| {
        json!({ "groups": [{
            "limits": { "weight": weight },
            "share": { "share": share, "low": share - width, "high": share + width },
            "commands": [{ "cpu_ns": 7_500_000_000u64 }, { "cpu_ns": 7_500_000_000.0 * alike }],
        }] })
    };
    expect(lab, &|_| Ok(shares(0.751, 0.004, 75.0, 1.001)), Reproduced, &[]);
    expect(lab, &|_| Ok(shares(0.6, 0.004, 75.0, 1.2)), NotHere, &[]);
    let (quarters, alike) = ("three quarters", "alike within a group");
    // Too unsteady to tell.
    let unsteady = outcomes(lab, &|_| Ok(shares(0.75, 0.03, 75.0, 1.0)));
    assert!(unsteady[quarters] != Reproduced && unsteady[alike] == Reproduced, "{unsteady:?}");
    // A kernel that takes no such weight.
    expect(lab, &|_| Ok(shares(0.75, 0.004, 74.0, 1.0)), NotHere, &[(alike, Reproduced)]);
    // Both never ran at the same time.
    let apart = |_: &str| {
        let mut document = shares(0.75, 0.0, 75.0, 1.0);
        document["groups"][0]["share"] = Value::Null;
        Ok(document)
    };
    let found = outcomes(lab, &apart);
    assert!(found[quarters] != Reproduced && found[alike] == Reproduced, "{found:?}");
    expect(lab, &|_| Err("no cpu controller"), CannotRunHere, &[]);
}

#[test]
fn memory_of_another_node() {
    let lab = "numa-distance";
    let runs = |latency: f64, bandwidth: f64| {
        let one = |at: u32| {
            let turn = 1.0 + (f64::from(at) - 3.5) * 1e-3;
            json!({ "printed:latency_millionths": latency * turn, "printed:bandwidth_millionths": bandwidth * turn })
        };
        json!({ "commands": [{ "runs": (0..8).map(one).collect::<Vec<_>>() }] })
    };
    let machine = |distance: u32, latency: f64, bandwidth: f64| {
        move |name: &str| match name {
            "distance" => Ok(json!({ "near": 10, "far": distance })),
            "near" => Ok(runs(90e6, 12e6)),
            "far" => Ok(runs(90e6 * latency, 12e6 * bandwidth)),
            other => panic!("no experiment {other}"),
        }
    };
    expect(lab, &machine(21, 2.1, 0.6), Reproduced, &[]);
    // As on most machines: it costs less than the table says, and a stream nothing.
    expect(lab, &machine(21, 1.5, 1.0), NotHere, &[]);
    expect(lab, &machine(21, 1.0, 0.6), NotHere, &[("bandwidth", Reproduced)]);
    expect(lab, &machine(32, 2.1, 0.6), Reproduced, &[("latency", NotHere)]);
    expect(lab, &|_| Err("one node"), CannotRunHere, &[]);
/// Six runs that took this share of a core.
fn shares_of_a_core(share: f64) -> Value {
    let run = |it: u32| json!({ "cpu_ns": share * f64::from(1_500_000 + it), "wall_ns": 1_500_000 + it });
    json!({ "commands": [{ "runs": (0..6).map(run).collect::<Vec<_>>() }] })
}

/// Lights as they were published.
fn busy_or_event(experiment: &str) -> Value {
    let pressed = |to_ns: u64| json!({ "to_ns": to_ns });
    match experiment {
        "busy" => shares_of_a_core(0.999),
        "event" => shares_of_a_core(0.0008),
        "nanoseconds" => shares_of_a_core(0.98),
        "buttons" => json!({
            "no_press": { "first": 3 }, "pressed": 5, "changes_in_log": 5, "period_ns": 1_000_000_000_u64,
            "presses": [pressed(250_000_000), pressed(125_000_000), pressed(250_000_000), pressed(500_000_000)],
        }),
        "shortest" => json!({ "period_ns": 2 }),
        "longest" => json!({ "period_ns": 9_000_000_000_000_000_000_u64 }),
        "now" => json!({ "edges": 2 }),
        "after the period" => json!({ "edges": 1 }),
        other => panic!("no experiment {other}"),
    }
}

#[test]
fn what_a_light_costs() {
    let lab = "busy-or-event";
    expect(lab, &|name| Ok(busy_or_event(name)), Reproduced, &[]);
    // A core that is shared, a loop that is no event loop, and a program that gets everything wrong.
    let wrong = |name: &str| match name {
        "busy" => shares_of_a_core(0.7),
        "event" => shares_of_a_core(0.02),
        "nanoseconds" => shares_of_a_core(0.3),
        "buttons" => json!({
            "no_press": { "first": 0 }, "pressed": 8, "changes_in_log": 4, "period_ns": 500_000_000_u64,
            "presses": vec![json!({ "to_ns": 250_000_000 }); 8],
        }),
        "shortest" => json!({ "period_ns": 0 }),
        "longest" => json!({ "period_ns": 16_000_000_000_000_000_000_u64 }),
        "now" => json!({ "edges": 1 }),
        _ => json!({ "edges": 2 }),
    };
    expect(lab, &|name| Ok(wrong(name)), NotHere, &[]);
    // Each of the checks decides by itself.
    for (experiment, place, claim) in [
        ("buttons", "/pressed", "the first event of a line is no press"),
        ("buttons", "/presses/2/to_ns", "halve, double, reset"),
        ("longest", "/period_ns", "never nothing, never an overflow"),
        ("after the period", "/edges", "a change takes effect now or after the period"),
        ("buttons", "/changes_in_log", "each change goes to the log"),
    ] {
        let one_wrong = |name: &str| {
            let mut document = busy_or_event(name);
            if name == experiment {
                *document.pointer_mut(place).unwrap() = json!(7);
            }
            document
        };
        expect(lab, &|name| Ok(one_wrong(name)), Reproduced, &[(claim, NotHere)]);
    }
    expect(lab, &|_| Err("fauxplat-blink is not installed"), CannotRunHere, &[]);
}

#[test]
fn a_document_without_the_place_is_an_error_and_no_outcome() {
    for lab in [
        "smt-counters",
        "observer-cost",
        "background-heat",
        "gil-affinity",
        "hot-function",
        "memory-limit",
        "cpuset",
        "cpu-shares",
        "numa-distance",
    ] {
    for lab in
        ["smt-counters", "observer-cost", "background-heat", "gil-affinity", "hot-function", "busy-or-event"]
    {
        let failure = run(lab, &|_| Ok(json!({ "something": "else" }))).unwrap_err().to_string();
        assert!(
            failure.contains(&format!("lab {lab}, claim ")) && failure.contains("nothing stands at"),
            "{failure}"
        );
    }
}
