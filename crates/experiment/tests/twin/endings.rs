//! Runs that are aborted, repeated or refused.

use fauxplat_experiment::{LaunchError, RunError, Stopped};
use fauxplat_launch::RunEnd;
use fauxplat_launch::simulated::{Behaviour, Failure, Machine, Times, When};
use fauxplat_model::{Command, Outcome, Setup, Trial};
use fauxplat_sys::process::Exit;

use crate::script::{MS, Script, command, executor, executor_of, is_orderly, noisy, trial, turns};

#[test]
fn whoever_starts_programs_may_die_and_what_landed_is_kept() {
    for median_ns in [0.05 * MS, 20.0 * MS] {
        let machine = Machine { dies_at_run: Some(40), ..Machine::quiet(1, vec![noisy("a", median_ns)]) };
        let mut script = Script::new(turns(100, 1));
        let error = executor(machine).execute(&mut script).unwrap_err();
        assert!(matches!(error, RunError::Launch(LaunchError::SpawnerDied(_))), "{error}");
        assert_eq!((script.samples.len(), script.landed.last()), (40, Some(&40)));
    }
}

#[test]
fn the_users_stop_ends_the_run_under_way_which_is_no_sample() {
    let program = || Behaviour::new("a", Times::constant(10.0 * MS));
    let machine = Machine { stopped_at_ns: Some(105_000_000), ..Machine::quiet(1, vec![program()]) };
    let mut script = Script::new(turns(100, 1));
    let mut stopped = executor(machine);
    assert_eq!(stopped.execute(&mut script).unwrap(), Stopped::Interrupted);
    assert_eq!(script.samples.len(), 10);
    assert!(script.samples.iter().all(|sample| sample.outcome == Outcome::Exited(0)));
}

#[test]
fn a_stop_in_the_middle_of_short_runs_leaves_what_had_landed() {
    for after in [1, 77] {
        let commands = [command("a")];
        let machine = Machine::quiet(1, vec![noisy("a", 0.05 * MS)]);
        let (mut executor, stopper) = executor_of(machine, &commands);
        let mut script = Script { stop_after: Some((after, stopper)), ..Script::new(turns(1000, 1)) };
        assert_eq!(executor.execute(&mut script).unwrap(), Stopped::Interrupted);
        let landed = script.samples.len();
        assert!((after..after + 64).contains(&landed) && script.landed.last() == Some(&landed), "{landed}");
    }
}

/// Besides a run during which fauxplat was stopped, runs that were already requested after it are repeated too, so that
/// blocks stay whole and in order.
#[test]
fn a_run_during_which_fauxplat_was_stopped_is_made_again() {
    for (median_ns, scenes) in [(0.05 * MS, false), (0.05 * MS, true), (20.0 * MS, false)] {
        let machine =
            |paused_at_run| Machine { paused_at_run, ..Machine::quiet(1, vec![noisy("a", median_ns)]) };
        let asked = turns(100, 1);
        let run = |paused_at_run| {
            let mut script = Script { scenes, ..Script::new(asked.clone()) };
            assert_eq!(executor(machine(paused_at_run)).execute(&mut script).unwrap(), Stopped::Done);
            is_orderly(&script, &asked).unwrap();
            assert_eq!(script.samples.len(), 100);
            script.walls(0)
        };
        let (undisturbed, paused) = (run(None), run(Some(40)));
        assert_eq!(undisturbed[..40], paused[..40], "what landed before is kept");
        assert_ne!(undisturbed[40], paused[40], "what it read is no sample");
        // The simulated machine draws the time of each run by the run's number, so a repeated run has the time of a
        // later one.
        assert!(undisturbed[41..].contains(&paused[40]), "{paused:?}");
    }
}

#[test]
fn a_pair_at_the_same_moment_is_made_again_together() {
    let pair = |block: usize| {
        [0, 1].map(|command| {
            let setup = Setup { together: true, ..Setup::default() };
            Trial { position: command, setup, ..trial(block, command) }
        })
    };
    let programs = vec![noisy("a", 10.0 * MS), noisy("b", 10.0 * MS)];
    let machine = Machine { paused_at_run: Some(4), ..Machine::quiet(1, programs) };
    let mut script = Script::new((0..8).flat_map(pair).collect());
    assert_eq!(executor(machine).execute(&mut script).unwrap(), Stopped::Done);
    let found: Vec<(u32, u16)> = script.samples.iter().map(|sample| (sample.block, sample.command)).collect();
    let asked: Vec<(u32, u16)> = (0..8).flat_map(|block| [(block, 0), (block, 1)]).collect();
    assert_eq!(found, asked);
    let starts = |command| {
        script.samples.iter().filter(move |sample| sample.command == command).map(|it| it.started_ns)
    };
    assert!(starts(0).eq(starts(1)));
}

#[test]
fn a_program_that_cannot_start_ends_the_experiment_with_its_name() {
    let machine = Machine::quiet(1, vec![noisy("a", MS)]);
    let (mut executor, _) = executor_of(machine, &[command("a"), command("missing")]);
    let mut script = Script::new(turns(10, 2));
    let error = executor.execute(&mut script).unwrap_err().to_string();
    assert!(error.contains("`missing`: cannot be executed: No such file"), "{error}");
    assert_eq!(script.samples.len(), 1);
}

#[test]
fn helpers_run_around_each_trial_and_their_failure_is_told() {
    let failures = vec![Failure { when: When::Run(3), end: RunEnd::Ended(Exit::Status(9)) }];
    let clean = Behaviour { failures, ..noisy("clean", MS) };
    let helped = Command { conclude: Some(vec!["clean".to_owned()]), ..command("a") };
    let (mut executor, _) = executor_of(Machine::quiet(1, vec![noisy("a", MS), clean]), &[helped]);
    let mut script = Script::new(turns(10, 1));
    let error = executor.execute(&mut script).unwrap_err().to_string();
    assert_eq!(error, "the conclude command of `a` failed with status 9; see its output with --show-output");
    assert_eq!(script.samples.len(), 4);
}

#[test]
fn a_steering_that_refuses_ends_it_and_what_landed_before_is_committed() {
    let mut script = Script { full_after: 25, ..Script::new(turns(100, 1)) };
    let error = executor(Machine::quiet(1, vec![noisy("a", 0.05 * MS)])).execute(&mut script).unwrap_err();
    assert_eq!(error.to_string(), "the store is full");
    assert_eq!((script.samples.len(), script.landed.last()), (25, Some(&25)));
}
