//! Resolution on simulated machines.

use super::*;
use crate::machines::{Tree, amd, arm64, hybrid, none};
use crate::parse::parse;

fn resolve(tree: &Tree, text: &str) -> Result<Vec<Resolved>, CounterError> {
    Catalog::read(tree.root()).resolve_all(&parse(text).unwrap())
}

/// Returns the name, type and `config` numbers of each event.
fn codes(tree: &Tree, text: &str) -> Vec<(String, u32, [u64; 3])> {
    let events = resolve(tree, text).unwrap();
    events.into_iter().map(|one| (one.name, one.event.kind, one.event.config)).collect()
}

fn code(name: &str, kind: u32, config: [u64; 3]) -> (String, u32, [u64; 3]) {
    (name.to_owned(), kind, config)
}

fn refused(tree: &Tree, text: &str) -> String {
    resolve(tree, text).unwrap_err().to_string()
}

#[test]
fn one_kind_of_cores_takes_generic_events_as_they_are() {
    assert_eq!(
        codes(&amd(), "cycles:u,llc-misses,r1c0,cpu/event=0x1ff,umask=2/,page-faults"),
        [
            code("cycles:u", 0, [0, 0, 0]),
            code("llc-misses", 3, [0x1_0002, 0, 0]),
            code("r1c0", 4, [0x1c0, 0, 0]),
            code("cpu/event=0x1ff,umask=0x2/", 4, [0x1_0000_02ff, 0, 0]),
            code("page-faults", 1, [2, 0, 0]),
        ]
    );
    let user = &resolve(&amd(), "cycles:u").unwrap()[0];
    assert!(!user.event.excludes_user && user.event.excludes_kernel && user.event.excludes_hypervisor);
    assert_eq!((user.device.as_deref(), user.title.as_str()), (Some("cpu"), "processor cycles in user mode"));
}

#[test]
fn events_that_a_device_names_are_its_terms() {
    assert_eq!(
        codes(&amd(), "cpu/branch-misses/,cpu/branch-misses,umask=3/,msr/tsc/,cpu/bus-cycles/"),
        [
            code("cpu/branch-misses/", 4, [0xc3, 0, 0]),
            code("cpu/branch-misses,umask=0x3/", 4, [0x3c3, 0, 0]),
            code("msr/tsc/", 10, [0, 0, 0]),
            code("cpu/bus-cycles/", 0, [6, 0, 0]),
        ]
    );
    assert_eq!(codes(&amd(), "cpu/config=0x10,config1=7/")[0].2, [0x10, 7, 0]);
}

#[test]
fn each_kind_of_cores_gets_an_event_of_its_own() {
    assert_eq!(
        codes(&hybrid(), "{cycles:u,r1c0},task-clock"),
        [
            code("cpu_atom/cycles/u", 0, [0xa_0000_0000, 0, 0]),
            code("cpu_core/cycles/u", 0, [0x4_0000_0000, 0, 0]),
            code("cpu_atom/r1c0/", 10, [0x1c0, 0, 0]),
            code("cpu_core/r1c0/", 4, [0x1c0, 0, 0]),
            code("task-clock", 1, [1, 0, 0]),
        ]
    );
    let events = resolve(&hybrid(), "{cycles,r1c0}").unwrap();
    assert!(events[0].group == events[2].group && events[1].group == events[3].group);
    assert!(events[0].group != events[1].group && events.iter().all(|event| event.is_partial));
}

#[test]
fn names_of_one_kind_of_cores_are_read_again_as_the_same() {
    for text in ["cycles:u", "l1d-misses", "rc0:k", "slots"] {
        for event in resolve(&hybrid(), text).unwrap() {
            let again = &resolve(&hybrid(), &event.name).unwrap()[0];
            assert_eq!((&again.name, again.event), (&event.name, event.event));
        }
    }
}

#[test]
fn the_parts_of_top_down_are_named_by_the_device() {
    assert_eq!(codes(&hybrid(), "slots"), [code("cpu_core/slots/", 4, [0x400, 0, 0])]);
    assert_eq!(
        refused(&amd(), "topdown"),
        "this processor names no event `slots` in /sys/bus/event_source/devices/cpu/events: ask for another"
    );
}

#[test]
fn cores_of_arm_are_one_device() {
    let tree = arm64();
    assert_eq!(codes(&tree, "cycles"), [code("cycles", 0, [0, 0, 0])]);
    assert_eq!(
        codes(&tree, "armv8_pmuv3_0/inst_retired/"),
        [code("armv8_pmuv3_0/inst_retired/", 8, [8, 0, 0])]
    );
}

#[test]
fn a_machine_without_counters_resolves_what_the_kernel_may_refuse() {
    let tree = none();
    let events = resolve(&tree, "cycles,page-faults,sched:sched_switch").unwrap();
    assert_eq!((events[0].device.as_deref(), &events[1].device), (Some(NAMELESS), &None));
    assert_eq!((events[2].event.kind, events[2].event.config), (2, [314, 0, 0]));
    assert_eq!(events[2].source, Source::Tracepoint);
}

#[test]
fn devices_that_follow_no_process_are_refused() {
    assert!(refused(&amd(), "power/energy-pkg/").starts_with("`power` counts for the whole machine"));
    let power = &Catalog::read(amd().root()).devices["power"];
    let scale = power.events["energy-pkg"].scale.clone().unwrap();
    assert_eq!(scale, Scale { factor: 0.5, unit: Some("Joules".to_owned()) });
}

#[test]
fn what_a_device_does_not_have_is_refused_with_what_it_has() {
    let tree = amd();
    assert!(refused(&tree, "cpuu/event=1/").ends_with("did you mean `cpu`?"));
    assert_eq!(
        refused(&tree, "cpu/umsk=1/"),
        "device `cpu` has no `umsk`: its terms are event, umask, config, config1, config2: did you mean `umask`?"
    );
    assert_eq!(
        refused(&tree, "cpu/umask=0x100/"),
        "0x100 is too large: term `umask` of device `cpu` has 8 bits"
    );
    assert_eq!(
        refused(&tree, "cpu/with-place/"),
        "term `umask` of device `cpu` needs a value: write `umask=0x1`"
    );
    assert_eq!(codes(&tree, "cpu/with-place,umask=4/")[0].2, [0x401, 0, 0]);
    assert!(refused(&tree, "sched:sched_switch").starts_with("no tracepoint `sched:sched_switch` below "));
}

#[test]
fn a_metric_says_what_it_is() {
    let events = resolve(&amd(), "instructions:u,task-clock,cpu/event=0xc0/").unwrap();
    let metrics: Vec<Metric> = events.iter().map(|event| event.metric().unwrap()).collect();
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    assert_eq!(names, ["pmu:instructions:u", "software:task-clock", "pmu:cpu/event=0xc0/"]);
    assert_eq!(metrics[1].field(), "software:task-clock_ns");
    assert_eq!((metrics[0].spec().coverage, metrics[0].spec().source.as_ref()), (Coverage::Tree, ORIGIN));
    assert!(!metrics[0].more_is_better());
}

#[test]
fn this_machine_can_be_read() {
    let catalog = Catalog::read(std::path::Path::new("/"));
    assert!(catalog.devices.get("software").is_none_or(|device| device.kind == SOFTWARE));
}
