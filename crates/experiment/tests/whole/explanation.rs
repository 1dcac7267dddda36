//! `explain`: the factor that was made to matter gets the variation, and no other factor does.

use fauxplat_experiment::Finished;
use fauxplat_experiment::measure::explain::{Varied, explain};
use fauxplat_launch::simulated::{Behaviour, Machine};
use fauxplat_model::document::Findings;
use fauxplat_model::{Aslr, Component, Condition, Definition, EnvPad, Placement, Rule};
use fauxplat_store::State;

use crate::support::{Laboratory, MS, free, noisy};

/// Makes an explanation that varies command, stack, heap and CPU.
fn explained(laboratory: &Laboratory, programs: Vec<Behaviour>, drift_per_s: f64) -> Finished {
    explained_on(laboratory, Machine { drift_per_s, ..Machine::quiet(5, programs) })
}

/// As [`explained`], on any machine.
pub(crate) fn explained_on(laboratory: &Laboratory, machine: Machine) -> Finished {
    let cpu = Placement::OneOf("0-1".parse().unwrap());
    let condition = Condition { aslr: Aslr::Off, cpu, env_pad: EnvPad::None, ..free().condition };
    let definition = Definition { condition, rule: Rule { max_pairs: 24, ..Rule::default() }, ..free() };
    let mut driver = laboratory.begin("explain", definition, machine);
    let varied = Varied { env_size: true, heap: true, cpu: true, ..Varied::default() };
    match explain(&mut driver, &varied) {
        Ok(findings) => driver.finish(Findings::Explain(findings), None),
        Err(failure) => driver.give_up(failure),
    }
}

fn components(finished: &Finished) -> &[Component] {
    let Findings::Explain(found) = finished.record().findings else { panic!("{:?}", finished.failed) };
    &found.components
}

/// Names of the factors with a significant part in the variation.
fn named(components: &[Component]) -> Vec<&str> {
    let is_named = |one: &&Component| one.p_adjusted.is_some_and(|p| p < Rule::default().level);
    components.iter().filter(is_named).map(|one| one.factor.as_str()).collect()
}

#[test]
fn a_command_that_is_slower_gets_the_variation() {
    let laboratory = Laboratory::new();
    let programs = vec![noisy("a", 5.0 * MS), noisy("b", 5.0 * MS), noisy("c", 5.3 * MS)];
    let finished = explained(&laboratory, programs, 0.0);
    laboratory.is_sound(&finished, State::Finished);
    let components = components(&finished);
    assert_eq!(named(components), ["command"]);
    assert_eq!((components[0].factor.as_str(), components[0].levels.len()), ("command", 3));
    assert!(components[0].variance_share > 0.7, "{:?}", components[0]);
    let ratios = &components[0].levels;
    assert!((ratios[2].ratio / ratios[0].ratio - 1.06).abs() < 0.01, "{ratios:?}");
}

#[test]
fn a_machine_that_drifts_is_told_from_factors() {
    let laboratory = Laboratory::new();
    let finished = explained(&laboratory, vec![noisy("a", 5.0 * MS)], 0.05);
    laboratory.is_sound(&finished, State::Finished);
    let components = components(&finished);
    assert_eq!(named(components), ["drift"]);
}

#[test]
fn where_nothing_is_planted_no_factor_is_named() {
    let laboratory = Laboratory::new();
    let finished = explained(&laboratory, vec![noisy("a", 5.0 * MS), noisy("b", 5.0 * MS)], 0.0);
    laboratory.is_sound(&finished, State::Finished);
    let components = components(&finished);
    assert_eq!(named(components), Vec::<&str>::new());
    let residual = components.last().unwrap();
    assert!(residual.factor == "residual" && residual.variance_share > 0.7, "{residual:?}");
    let shares: f64 = components.iter().map(|one| one.variance_share).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
    // Every run has the planned setup: stack displacements within a page, CPUs from the list.
    let samples = finished.record().samples;
    assert!(samples.iter().all(|sample| sample.cpu_first < 2 && sample.env_pad_bytes < 4096));
    assert!(samples.iter().any(|sample| sample.env_pad_bytes > 0));
}
