//! The samples of runs agree with the simulated machine's description: order, times, outcomes, scenes, and readings.

use fauxplat_experiment::{Launcher, Table};
use fauxplat_launch::simulated::{
    Behaviour, Failure, Machine, Mode, Neighbour, SimulatedLauncher, Times, When,
};
use fauxplat_launch::{Entry, Request, RunEnd};
use fauxplat_model::{Metric, Outcome, Sample, Setup, Trial};
use fauxplat_sys::process::Exit;

use crate::script::{MS, Script, command, execute, executor, executor_of, median, noisy, trial, turns};

#[test]
fn every_trial_lands_once_and_in_order() {
    for median_ns in [0.05 * MS, 20.0 * MS] {
        let machine = Machine::quiet(1, vec![noisy("a", median_ns), noisy("b", 2.0 * median_ns)]);
        let script = execute(machine, turns(300, 2));
        let numbers: Vec<u32> = script.samples.iter().map(|sample| sample.trial).collect();
        assert_eq!(numbers, (0..300).collect::<Vec<_>>());
        assert!(script.samples.is_sorted_by_key(|sample| sample.started_ns));
        let ratio = median(script.walls(1)) / median(script.walls(0));
        assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
    }
}

#[test]
fn the_same_description_gives_the_same_samples_again() {
    let machine = |seed| Machine::quiet(seed, vec![noisy("a", MS), noisy("b", MS)]);
    let [first, again, other] = [7, 7, 8].map(|seed| execute(machine(seed), turns(50, 2)).samples);
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn long_runs_are_handed_over_one_by_one_and_short_ones_together() {
    let of = |median_ns| execute(Machine::quiet(1, vec![noisy("a", median_ns)]), turns(200, 1)).landed;
    assert!(of(50.0 * MS).windows(2).all(|pair| pair[1] - pair[0] <= 1));
    assert!(of(0.02 * MS).windows(2).any(|pair| pair[1] - pair[0] > 20));
}

#[test]
fn the_launcher_never_stands_still_between_short_runs() {
    for median_ns in [0.01 * MS, 0.04 * MS, 0.1 * MS, 0.5 * MS] {
        let machine = Machine::quiet(1, vec![noisy("a", median_ns)]);
        let between_ns = machine.between_runs_ns;
        let samples = execute(machine, turns(2000, 1)).samples;
        let wall_ns = |sample: &Sample| sample.get(Metric::WALL).unwrap();
        let busy_ns: u64 = samples.iter().map(|sample| wall_ns(sample) + between_ns).sum();
        let last = samples.last().unwrap();
        let whole_ns = last.started_ns + wall_ns(last) - samples[0].started_ns;
        assert!(whole_ns as f64 <= 1.02 * busy_ns as f64, "{median_ns} ns: {whole_ns} for {busy_ns}");
    }
}

#[test]
fn a_drifting_machine_shows_in_both_commands_and_not_in_their_ratio() {
    let programs = vec![noisy("a", 10.0 * MS), noisy("b", 10.0 * MS)];
    let machine = Machine { drift_per_s: 0.1, ..Machine::quiet(3, programs) };
    let script = execute(machine, turns(600, 2));
    let (a, b) = (script.walls(0), script.walls(1));
    let (early, late) = (median(a[..30].to_vec()), median(a[270..].to_vec()));
    assert!(late / early > 1.5, "{early} {late}");
    assert!((median(a) / median(b) - 1.0).abs() < 0.02);
}

#[test]
fn two_modes_have_their_share() {
    let mode = Some(Mode { ratio: 3.0, share: 0.25 });
    let program = Behaviour::new("a", Times { mode, ..Times::noisy(MS, 0.05) });
    let walls = execute(Machine::quiet(5, vec![program]), turns(2000, 1)).walls(0);
    let slow = walls.iter().filter(|&&wall_ns| wall_ns as f64 > 2.0 * MS).count();
    assert!((400..600).contains(&slow), "{slow}");
    assert!(walls.iter().all(|&wall_ns| !(1.5 * MS..2.2 * MS).contains(&(wall_ns as f64))));
}

#[test]
fn a_neighbour_takes_wall_time_and_leaves_cpu_time() {
    let neighbour = Some(Neighbour { stay_ns: 500_000_000, share: 0.5, slowdown: 2.0 });
    let program = Behaviour::new("a", Times::constant(10.0 * MS));
    let script = execute(Machine { neighbour, ..Machine::quiet(2, vec![program]) }, turns(500, 1));
    let disturbed = script.walls(0).iter().filter(|&&wall_ns| wall_ns == 20_000_000).count();
    assert!((50..450).contains(&disturbed), "{disturbed}");
    assert!(script.values(0, Metric::CPU).iter().all(|&cpu_ns| cpu_ns == 10_000_000));
    let delay_ns: u64 = script.values(0, Metric::RUN_DELAY).iter().sum();
    assert_eq!(delay_ns, script.walls(0).iter().map(|wall_ns| wall_ns - 10_000_000).sum::<u64>());
}

#[test]
fn what_a_run_leaves_makes_the_next_one_longer() {
    let dirty = Behaviour { carry_over: 0.5, ..Behaviour::new("dirty", Times::constant(MS)) };
    let machine = Machine::quiet(1, vec![dirty, Behaviour::new("victim", Times::constant(MS))]);
    let script = execute(machine, turns(10, 2));
    assert_eq!(script.walls(0), [1_000_000; 5]);
    assert_eq!(script.walls(1), [(MS * 0.5f64.exp()).round() as u64; 5]);
}

#[test]
fn failing_runs_are_samples_with_their_outcomes() {
    let failures = vec![
        Failure { when: When::Every(4), end: RunEnd::Ended(Exit::Signal(11)) },
        Failure { when: When::Run(1), end: RunEnd::Ended(Exit::Status(3)) },
    ];
    let program = Behaviour { failures, left_behind: 2, ..noisy("a", MS) };
    let script = execute(Machine::quiet(1, vec![program]), turns(8, 1));
    let [good, bad] = [Outcome::Exited(0), Outcome::Signaled(11)];
    let outcomes: Vec<Outcome> = script.samples.iter().map(|sample| sample.outcome).collect();
    assert_eq!(outcomes, [good, Outcome::Exited(3), good, bad, good, good, good, bad]);
    assert!(script.samples.iter().all(|sample| sample.left_behind == 2));
}

#[test]
fn a_share_of_the_runs_fails_by_chance() {
    let failures = vec![Failure { when: When::Share(0.1), end: RunEnd::Ended(Exit::Status(1)) }];
    let program = Behaviour { failures, ..noisy("a", MS) };
    let script = execute(Machine::quiet(4, vec![program]), turns(1000, 1));
    let failed = script.samples.iter().filter(|sample| sample.outcome == Outcome::Exited(1)).count();
    assert!((60..140).contains(&failed), "{failed}");
}

#[test]
fn the_limit_ends_a_run_and_absent_readings_stay_absent() {
    let mut slow = command("slow");
    slow.condition.timeout = Some("5ms".parse().unwrap());
    let machine = Machine {
        absent: vec![Metric::RUN_DELAY],
        ..Machine::quiet(1, vec![Behaviour::new("slow", Times::constant(50.0 * MS))])
    };
    let mut script = Script::new(turns(3, 1));
    executor_of(machine, &[slow]).0.execute(&mut script).unwrap();
    for sample in &script.samples {
        assert_eq!((sample.outcome, sample.get(Metric::WALL)), (Outcome::TimedOut, Some(5_000_000)));
        assert_eq!(sample.get(Metric::RUN_DELAY), None);
    }
}

#[test]
fn runs_whose_account_was_lost_are_told_of() {
    let told = |lossy_runs| executor(Machine { lossy_runs, ..Machine::quiet(1, Vec::new()) }).not_measured();
    assert_eq!(told(0), Vec::<String>::new());
    assert!(
        told(3)[0].contains("peak memory and migrations of 3 runs: more of their processes ended"),
        "{:?}",
        told(3)
    );
}

#[test]
fn a_scene_is_entered_when_nothing_is_under_way() {
    let mut script = Script { scenes: true, ..Script::new(turns(20, 1)) };
    executor(Machine::quiet(1, vec![noisy("a", 0.05 * MS)])).execute(&mut script).unwrap();
    assert_eq!(script.entered, [(0, 0), (5, 5), (10, 10), (15, 15)]);
}

#[test]
fn two_trials_at_the_same_moment_start_together_on_two_cpus() {
    let on = |cpu: &str, together| {
        let cpus = Some(cpu.parse().unwrap());
        Setup { cpus, together, ..Setup::default() }
    };
    let pair = |number| {
        [(0, on("0", false)), (1, on("1", true))]
            .map(|(command, setup)| Trial { setup, ..trial(number, command) })
    };
    let machine = Machine::quiet(1, vec![noisy("a", 5.0 * MS), noisy("b", 8.0 * MS)]);
    let script = execute(machine, (0..20).flat_map(pair).collect());
    assert_eq!(script.samples.len(), 40);
    for pair in script.samples.chunks(2) {
        assert_eq!(pair[0].started_ns, pair[1].started_ns);
        assert_eq!([pair[0].cpu_first, pair[1].cpu_first], [0, 1]);
    }
}

#[test]
fn the_floor_and_the_tree_come_from_the_described_machine() {
    let mut executor = executor(Machine::quiet(1, vec![noisy("a", MS)]));
    let floor = executor.floor(3, &Setup::default());
    assert_eq!(floor.iter().map(|run| run.get(Metric::WALL)).collect::<Vec<_>>(), [Some(50_000); 3]);
    let tree = executor.tree(0, &Setup::default()).unwrap().unwrap();
    assert_eq!((tree.len(), tree[0].command.as_str(), tree[0].outcome), (1, "a", Some(Outcome::Exited(0))));
}

#[test]
fn a_held_run_is_marked_and_a_dropped_one_never_was() {
    let argv = vec!["a".to_owned()];
    let table = Table { entries: vec![Entry { argv, ..Entry::default() }], ..Table::default() };
    let mut launcher = SimulatedLauncher::new(Machine::quiet(1, vec![noisy("a", MS)]), table);
    let request = Request { entry: 0, ..Request::default() };
    let held = launcher.hold(request).unwrap();
    assert!(held.pid() > 0);
    drop(held);
    assert_eq!(launcher.under_way(), 0);
    launcher.hold(request).unwrap().begin();
    let [held, timed] = [launcher.next_reply().unwrap(), launcher.answer(request).unwrap()];
    assert_eq!((held.held, timed.held), (true, false));
    assert!(held.started_ns < timed.started_ns);
}
