//! Campaigns that kill a tuner at system calls spread over its whole life, and their results.

use crate::machine::{Fake, Native, calls_of, expect_same};
use crate::progress::Progress;
use crate::round::{Outcome, Scenario, Whom};
use crate::state::State;

type Case = (Scenario, Box<dyn Fn() -> State>);

/// Makes a few rounds of each scenario, for a test; returns a summary.
pub(crate) fn few(cases: &[Case], rounds: u32) -> String {
    let told: Vec<String> = cases
        .iter()
        .map(|(scenario, state)| {
            let rounds = if scenario.notes_tasks { Whom::ALL.len() as u32 } else { rounds };
            let found = kill(scenario, state.as_ref(), rounds, &mut Progress::default());
            format!("{}: {} kills over {} calls", scenario.name, found.kills, found.calls)
        })
        .collect();
    told.join(", ")
}

#[derive(Default)]
struct Found {
    kills: u32,
    calls: u32,
    compared: usize,
    /// Time that the guardian took to restore the machine, for each round in which there was something to restore.
    restored_ns: Vec<u64>,
}

impl Found {
    /// Adds the outcome of a round to the results. A tuner that ended before it was to be killed does not count as a
    /// kill.
    fn add(&mut self, outcome: &Outcome) {
        self.kills += u32::from(outcome.calls.is_none());
        self.restored_ns.extend(outcome.restored_ns);
    }
}

/// Kills the tuner at `rounds` places, evenly spread over its life, and compares the state after each kill. Rounds of
/// an interrupted earlier campaign count with the results that it stored.
fn kill(scenario: &Scenario, state: &dyn Fn() -> State, rounds: u32, progress: &mut Progress) -> Found {
    let before = state();
    let calls = calls_of(scenario);
    let mut found = Found { calls, compared: before.len(), ..Found::default() };
    for round in 0..rounds {
        let whom = Whom::ALL[round as usize % Whom::ALL.len()];
        let name = format!("{}, round {round} of {rounds}", scenario.name);
        if let Some(outcome) = progress.of_round(&name).and_then(Outcome::of_words) {
            found.add(&outcome);
            continue;
        }
        let stops = (u64::from(calls) * 2 * u64::from(round) / u64::from(rounds)) as u32;
        let outcome = scenario.kill_after(stops, whom);
        found.add(&outcome);
        // The first kills come before the journal exists, and after a kill of all processes another process restores
        // the machine.
        expect_same(scenario, &before, state, &format!("stop {stops} of {}, {whom:?}", calls * 2));
        progress.note(&name, &outcome.words());
    }
    found
}

/// Runs the long campaign: `rounds` rounds over all scenarios. Only scenarios whose names contain the word are run, so
/// that the campaign can be run in pieces. Tasks of every kind are left to [`Native::matrix`].
pub(crate) fn run(rounds: u32, word: &str, mut progress: Progress) {
    let fake = Fake::new();
    let mut cases = shares(fake.scenarios(), rounds / 5);
    match Native::enter() {
        Err(why) => println!("this machine was left alone: {why}"),
        Ok(native) => {
            cases.extend(shares(native.scenarios(), rounds - rounds / 5));
            // `native` locks this machine against other tests, and is kept until the last round.
            report_all(&cases, word, Some(&native), &mut progress);
            return progress.finish();
        }
    }
    report_all(&cases, word, None, &mut progress);
    progress.finish();
}

/// Divides the rounds among the scenarios. A scenario that records every task makes ten times as many system calls,
/// each with two stops, and gets a quarter of the rounds of any other scenario.
fn shares(cases: Vec<Case>, rounds: u32) -> Vec<(Case, u32)> {
    let weight = |case: &Case| if case.0.notes_tasks { 1 } else { 4 };
    let sum: u32 = cases.iter().map(weight).sum();
    cases
        .into_iter()
        .map(|case| {
            let share = (rounds * weight(&case)).div_ceil(sum);
            (case, share)
        })
        .collect()
}

fn report_all(cases: &[(Case, u32)], word: &str, _turn: Option<&Native>, progress: &mut Progress) {
    let chosen = cases.iter().filter(|((scenario, _), _)| scenario.name.contains(word));
    let total: u32 = chosen.map(|(case, rounds)| report(case, *rounds, progress)).sum();
    println!("{total} kills, and after each of them the machine was as before");
}

/// Runs the rounds of a scenario and prints its line for the record; returns the number of kills.
fn report((scenario, state): &Case, rounds: u32, progress: &mut Progress) -> u32 {
    let found = kill(scenario, state.as_ref(), rounds, progress);
    let mut rising = found.restored_ns.clone();
    rising.sort_unstable();
    let at = |share: f64| match rising.len() {
        0 => "–".to_owned(),
        count => format!("{:.1} ms", rising[((count - 1) as f64 * share) as usize] as f64 / 1e6),
    };
    println!(
        "{:<16} {:>5} kills over {:>5} system calls, {:>5} values and tasks the same; \
         put back by the guardian {:>4} times: median {}, 99 % {}, longest {}",
        scenario.name,
        found.kills,
        found.calls,
        found.compared,
        rising.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    found.kills
}
