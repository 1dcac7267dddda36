//! End-to-end tests of the runner on simulated machines: its requests, the samples that it passes on, and how it ends.
//!
//! Length: all of its tests are led by one script of trials, and short.

use std::path::PathBuf;

use fauxplat_experiment::{Executor, Extra, Feed, LaunchError, Launcher, Next, RunError, Stopped, Table};
use fauxplat_launch::simulated::{
    Behaviour, Failure, Machine, Mode, Neighbour, SimulatedLauncher, Stopper, Times, When,
};
use fauxplat_launch::{Entry, Request, RunEnd};
use fauxplat_model::{Command, Condition, Evidence, Metric, Outcome, Phase, Sample, Setup, Trial};
use fauxplat_sys::process::Exit;
use proptest::prelude::*;

const MS: f64 = 1e6;

fn command(name: &str) -> Command {
    Command {
        name: name.to_owned(),
        command: name.to_owned(),
        program: PathBuf::from(name),
        program_sha256: None,
        argv: vec![name.to_owned()],
        parameters: Vec::new(),
        prepare: None,
        conclude: None,
        condition: Condition::default(),
    }
}

fn trial(number: usize, command: u16) -> Trial {
    let (block, phase) = (number as u32, Phase::Measured);
    Trial { block, position: 0, command, phase, setup: Setup::default() }
}

/// Commands in turn.
fn turns(runs: usize, commands: u16) -> Vec<Trial> {
    (0..runs).map(|number| trial(number, (number % usize::from(commands)) as u16)).collect()
}

/// Feed that asks for a list of trials, keeps the samples, and runs a hook after each.
struct Script {
    trials: Option<Vec<Trial>>,
    scenes: bool,
    samples: Vec<Sample>,
    /// Number of samples at each call of `landed`.
    landed: Vec<usize>,
    entered: Vec<(usize, u32)>,
    stop_after: Option<(usize, Stopper)>,
    full_after: usize,
}

impl Script {
    fn new(trials: Vec<Trial>) -> Self {
        Script {
            trials: Some(trials),
            scenes: false,
            samples: Vec::new(),
            landed: Vec::new(),
            entered: Vec::new(),
            stop_after: None,
            full_after: usize::MAX,
        }
    }

    fn values(&self, command: u16, metric: Metric) -> Vec<u64> {
        let of_command = self.samples.iter().filter(|sample| sample.command == command);
        of_command.map(|sample| sample.get(metric).unwrap()).collect()
    }

    fn walls(&self, command: u16) -> Vec<u64> {
        self.values(command, Metric::WALL)
    }
}

impl Feed for Script {
    type Error = &'static str;
    type Scene = u64;

    fn next(&mut self, _now_ns: u64) -> Next {
        self.trials.take().map_or(Next::Done, Next::Trials)
    }

    fn scene(&self, trial: &Trial) -> u64 {
        if self.scenes { u64::from(trial.block) / 5 } else { 0 }
    }

    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Self::Error> {
        self.entered.push((self.samples.len(), trial.block));
        Ok(())
    }

    fn sample(&mut self, sample: Sample) -> Result<(), Self::Error> {
        if self.samples.len() == self.full_after {
            return Err("the store is full");
        }
        self.samples.push(sample);
        if let Some((_, stopper)) = self.stop_after.as_ref().filter(|(after, _)| *after == self.samples.len())
        {
            stopper.stop();
        }
        Ok(())
    }

    fn evidence(&mut self, evidence: Evidence) -> Result<(), Self::Error> {
        panic!("nothing is published here: {evidence:?}")
    }

    fn landed(&mut self) -> Result<(), Self::Error> {
        self.landed.push(self.samples.len());
        Ok(())
    }
}

/// An executor on a simulated machine, whose commands are the described programs.
fn executor(machine: Machine) -> Executor {
    let commands: Vec<Command> = machine.programs.iter().map(|program| command(&program.name)).collect();
    executor_of(machine, &commands).0
}

fn executor_of(machine: Machine, commands: &[Command]) -> (Executor, Stopper) {
    let mut stopper = None;
    let launch = |table: Table| -> Result<Box<dyn Launcher>, LaunchError> {
        let launcher = SimulatedLauncher::new(machine, table);
        stopper = Some(launcher.stopper());
        Ok(Box::new(launcher))
    };
    let executor = Executor::new(launch, commands, &Extra::default()).unwrap();
    (executor, stopper.unwrap())
}

fn execute(machine: Machine, trials: Vec<Trial>) -> Script {
    let mut script = Script::new(trials);
    assert_eq!(executor(machine).execute(&mut script).unwrap(), Stopped::Done);
    script
}

fn median(mut values: Vec<u64>) -> f64 {
    values.sort_unstable();
    values[values.len() / 2] as f64
}

fn noisy(name: &str, median_ns: f64) -> Behaviour {
    Behaviour::new(name, Times::noisy(median_ns, 0.02))
}

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

/// Runs that were requested after it are repeated as well, so that blocks stay whole and in order.
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
        // Each run of the machine is drawn by its number, so the repeated runs have later draws.
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

/// Any behaviour of a program on a simulated machine.
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
    // The drift compounds: with a larger one, the times of later runs would grow without bound.
    (any::<u64>(), programs, -0.2f64..0.02, proptest::option::of(neighbour)).prop_map(
        |(seed, programs, drift_per_s, neighbour)| Machine {
            drift_per_s,
            neighbour,
            ..Machine::quiet(seed, programs)
        },
    )
}

/// Invariants of every run on every machine: each trial lands once, in order, after the one before has ended, and is
/// the requested one.
fn is_orderly(script: &Script, asked: &[Trial]) -> Result<(), TestCaseError> {
    prop_assert!(script.samples.len() <= asked.len());
    for (number, (sample, trial)) in script.samples.iter().zip(asked).enumerate() {
        prop_assert_eq!(sample.trial as usize, number);
        prop_assert_eq!(
            (sample.block, sample.command, sample.phase),
            (trial.block, trial.command, trial.phase)
        );
    }
    for two in script.samples.windows(2) {
        let wall_ns = two[0].get(Metric::WALL).unwrap_or(0);
        prop_assert!(two[1].started_ns >= two[0].started_ns + wall_ns, "two runs overlap: {two:?}");
    }
    prop_assert!(script.landed.is_sorted());
    let committed = script.landed.last().copied().unwrap_or(0);
    prop_assert_eq!(committed, script.samples.len(), "what landed is committed");
    Ok(())
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
        // A scene begins when all runs of the one before have landed, and each is entered once.
        let scenes_of = |blocks: &mut dyn Iterator<Item = u32>| blocks.map(|block| block / 5).collect::<Vec<_>>();
        let entered = scenes_of(&mut script.entered.iter().map(|(_, block)| *block));
        prop_assert!(entered.windows(2).all(|two| two[0] < two[1]), "{entered:?}");
        for &(landed, block) in script.entered.iter().filter(|_| scenes) {
            let before = asked.iter().filter(|trial| trial.block / 5 < block / 5).count();
            prop_assert_eq!(landed, before, "runs of an earlier scene were under way");
        }
    }

    /// Stopped at any moment, or with a spawner that died in any run: the samples are a prefix of those of the complete
    /// experiment.
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

    /// A feed that refuses a sample (a store that is full) at any moment gets no further one.
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
