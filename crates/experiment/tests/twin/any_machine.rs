//! Properties of the executor on random simulated machines.

use fauxplat_experiment::{LaunchError, RunError, Stopped};
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{Behaviour, Failure, Machine, Neighbour, Times, When};
use fauxplat_sys::process::Exit;
use proptest::prelude::*;

use crate::script::{MS, Script, executor, is_orderly, turns};

/// Generates the behaviour of a program on a simulated machine: time, failures, effect on the next run.
fn behaviour(name: usize) -> impl Strategy<Value = Behaviour> {
    let median_ns = prop_oneof![Just(20_000.0), Just(0.3 * MS), Just(4.0 * MS), Just(70.0 * MS)];
    let end = prop_oneof![
        (1u8..=255).prop_map(|status| RunEnd::Ended(Exit::Status(status))),
        (1u8..32).prop_map(|signal| RunEnd::Ended(Exit::Signal(signal))),
    ];
    let when =
        prop_oneof![(1u64..9).prop_map(When::Every), (0u64..40).prop_map(When::Run), Just(When::Share(0.2))];
    (median_ns, 0.0..0.3, proptest::option::of((when, end)), 0.0..0.2, 0u16..3).prop_map(
        move |(median_ns, noise, failure, carry_over, left_behind)| Behaviour {
            carry_over,
            left_behind,
            failures: failure.into_iter().map(|(when, end)| Failure { when, end }).collect(),
            ..Behaviour::new(&format!("p{name}"), Times::noisy(median_ns, noise))
        },
    )
}

fn machine() -> impl Strategy<Value = Machine> {
    let neighbour = (20_000_000u64..500_000_000, 0.0..0.9, 1.0..3.0)
        .prop_map(|(stay_ns, share, slowdown)| Neighbour { stay_ns, share, slowdown });
    let programs = (behaviour(0), behaviour(1), behaviour(2)).prop_map(|(a, b, c)| vec![a, b, c]);
    // The drift compounds: with more than 0.02 per second, the times of later runs would grow without bound.
    (any::<u64>(), programs, -0.2f64..0.02, proptest::option::of(neighbour)).prop_map(
        |(seed, programs, drift_per_s, neighbour)| Machine {
            drift_per_s,
            neighbour,
            ..Machine::quiet(seed, programs)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_trial_of_any_machine_lands_once_and_in_order(machine in machine(), runs in 0usize..150, scenes: bool) {
        let asked = turns(runs, 3);
        let mut script = Script { scenes, ..Script::new(asked.clone()) };
        prop_assert_eq!(executor(machine).execute(&mut script).unwrap(), Stopped::Done);
        prop_assert_eq!(script.samples.len(), runs);
        is_orderly(&script, &asked)?;
        // The surroundings of a group of trials (a scene) are set up after all runs of the group before have ended, and
        // only once.
        let scenes_of = |blocks: &mut dyn Iterator<Item = u32>| blocks.map(|block| block / 5).collect::<Vec<_>>();
        let entered = scenes_of(&mut script.entered.iter().map(|(_, block)| *block));
        prop_assert!(entered.windows(2).all(|two| two[0] < two[1]), "{entered:?}");
        for &(landed, block) in script.entered.iter().filter(|_| scenes) {
            let before = asked.iter().filter(|trial| trial.block / 5 < block / 5).count();
            prop_assert_eq!(landed, before, "runs of an earlier scene were under way");
        }
    }

    /// If the experiment is stopped at any moment or the spawner dies in any run, the samples are a prefix of the
    /// samples of the complete experiment.
    #[test]
    fn an_experiment_that_is_cut_off_is_the_beginning_of_a_whole_one(
        machine in machine(),
        stopped_at_ns in proptest::option::of(1u64..2_000_000_000),
        dies_at_run in proptest::option::of(0u64..160),
    ) {
        let asked = turns(120, 3);
        let mut whole = Script::new(asked.clone());
        executor(machine.clone()).execute(&mut whole).unwrap();
        let mut cut = Script::new(asked.clone());
        let ended = executor(Machine { stopped_at_ns, dies_at_run, ..machine }).execute(&mut cut);
        is_orderly(&cut, &asked)?;
        prop_assert_eq!(&cut.samples[..], &whole.samples[..cut.samples.len()]);
        match ended {
            Ok(Stopped::Done) => prop_assert_eq!(cut.samples.len(), 120),
            Ok(Stopped::Interrupted) => prop_assert!(stopped_at_ns.is_some()),
            Err(error) => {
                let died = matches!(error, RunError::Launch(LaunchError::SpawnerDied(_)));
                prop_assert!(died && dies_at_run.is_some(), "{}", error);
                prop_assert!(dies_at_run.is_some_and(|run| cut.samples.len() as u64 <= run));
            }
        }
    }

    /// After the feed refuses a sample, as with a full store, the feed gets no further sample.
    #[test]
    fn nothing_is_handed_over_after_a_refusal(machine in machine(), full_after in 0usize..60) {
        let asked = turns(60, 3);
        let mut script = Script { full_after, ..Script::new(asked.clone()) };
        let ended = executor(machine).execute(&mut script);
        prop_assert_eq!(ended.unwrap_err().to_string(), "the store is full");
        prop_assert_eq!(script.samples.len(), full_after);
        is_orderly(&script, &asked)?;
    }
}
