//! `compare --duet`: both commands at the same moment.

use crate::common::{Lab, all_runs, first_cpu, number, spin};

/// Whether the tests may use CPUs of two different cores.
pub(crate) fn two_cores() -> bool {
    let root = std::path::Path::new("/");
    let allowed = fauxplat_topology::allowed(root);
    allowed
        .iter()
        .any(|a| allowed.iter().any(|b| a != b && !fauxplat_topology::siblings(root, a).contains(b)))
}

#[test]
fn both_run_at_once_and_change_places() {
    let lab = Lab::new();
    let command = spin(40_000);
    let words = ["compare", "--duet", &command, &command, "--max-pairs", "12", "--format", "json"];
    if !two_cores() {
        lab.run(&words).complains(3, &["--duet"]);
        return;
    }
    let found = lab.run(&words).succeeds().json();
    assert_eq!(found["duet_cpus"].as_array().unwrap().len(), 2);
    let mut runs: Vec<_> =
        all_runs(&found).into_iter().map(|(_, run)| run).filter(|run| run["phase"] == "measured").collect();
    runs.sort_by_key(|run| (number(run, "block"), number(run, "position")));
    assert!(runs.len() >= 12 && runs.len().is_multiple_of(4));
    for block in runs.chunks(4) {
        let cpus: Vec<u64> = block.iter().map(|run| number(run, "cpu_first")).collect();
        assert!(cpus[0] != cpus[1] && cpus[0] == cpus[2] && cpus[1] == cpus[3], "{cpus:?}");
    }
    // On a quiet machine the runs of a pair begin within microseconds of each other, and beside other work some begin
    // late. If they ran one after the other, no run would begin before its partner has ended.
    let mut gaps: Vec<u64> = runs
        .chunks(2)
        .map(|two| number(two[0], "started_ns").abs_diff(number(two[1], "started_ns")))
        .collect();
    gaps.sort_unstable();
    let walls: Vec<u64> = runs.iter().map(|run| number(run, "wall_ns")).collect();
    let shortest = *walls.iter().min().unwrap();
    assert!(gaps[0] < shortest, "some of them overlap: {gaps:?} of {shortest}");
}

/// A second measurement that confirms a duet may use the same CPUs as the first, and agrees with it.
#[test]
fn a_duet_is_confirmed_on_its_own_cpus() {
    let lab = Lab::new();
    let words = ["compare", "--duet", "true", "sleep 0.2", "--fail-if", "slower", "--confirm"];
    if !two_cores() {
        println!("skipped: a duet takes two cores");
        return;
    }
    lab.run(&[&words[..], &["--level", "0.1%", "--max-pairs", "256"]].concat()).ends_with(1);
    assert!(lab.last()["warnings"].to_string().contains("this one agrees"));
}

#[test]
fn a_duet_needs_two_commands_and_two_cpus() {
    let lab = Lab::new();
    lab.run(&["compare", "--duet", "true", "true", "true"]).complains(2, &["two commands"]);
    let cpu = first_cpu();
    let says = ["needs two CPUs", &format!("CPU {cpu}")];
    lab.run(&["compare", "--duet", "--cpu", &cpu, "true", "true"]).complains(3, &says);
    if two_cores() {
        let text = lab
            .run(&["compare", "-v", "--duet", "--metric", "cpu", &spin(3000), &spin(60_000)])
            .succeeds()
            .out;
        assert!(text.contains("A duet: both commands ran at the same moment"), "{text}");
        assert!(text.contains("is slower than"), "{text}");
    }
}
