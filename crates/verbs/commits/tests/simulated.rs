//! Whole searches for a commit on a simulated machine.

mod support;

use fauxplat_commits::findings::{Answer, Outcome};
use fauxplat_commits::state::Known;
use fauxplat_experiment::Failure;
use support::{COMMITS, History, Noise, Simulated, hunt, searched};

const QUIET: Noise = Noise { sd: 0.01, ..Noise::NONE };

fn history(truth: usize, change: f64) -> History {
    History { truth, change, noise: QUIET }
}

#[test]
fn a_planted_change_is_found_wherever_it_is() {
    for (seed, truth, change) in [(1, 1, 1.05), (2, 100, 1.05), (3, COMMITS, 1.05), (4, 63, 0.95)] {
        let (hunted, _) = searched(&history(truth, change), seed, (0.01, 20.0));
        assert_eq!((hunted.answer, hunted.suspects.as_slice()), (Answer::Commit, &[truth][..]), "{truth}");
        assert!(hunted.known.steps.len() <= 8);
        let (_, before, own) = hunted.found.unwrap();
        let own = own.unwrap().ratio;
        assert!(before == truth - 1 && own.low_ratio < change && change < own.high_ratio, "{own:?}");
    }
}

#[test]
fn a_burner_that_comes_and_goes_hides_no_change_and_makes_none() {
    let beside = |change| History { truth: 77, change, noise: Noise::BURNER };
    let (hunted, _) = searched(&beside(1.05), 8, (0.01, 20.0));
    assert_eq!((hunted.answer, hunted.suspects.as_slice()), (Answer::Commit, &[77][..]));
    let (hunted, _) = searched(&beside(1.0), 8, (0.01, 5.0));
    assert!(matches!(hunted.answer, Answer::NoChange | Answer::NotShown) && hunted.suspects.is_empty());
}

#[test]
fn without_a_change_no_commit_is_named() {
    for seed in 0..4 {
        let (hunted, _) = searched(&history(50, 1.0), seed, (0.01, 20.0));
        assert_eq!((hunted.answer, hunted.suspects.len()), (Answer::NoChange, 0));
    }
}

#[test]
fn commits_that_do_not_build_are_passed() {
    let search = |broken: fn(usize) -> bool, truth| {
        let mut machine = Simulated::new(history(truth, 1.05), 5);
        machine.broken = broken;
        hunt(0.01, 20.0).search(Known::default(), &mut machine, &mut |_| Ok(())).unwrap()
    };
    let hunted = search(|commit| (90..=110).contains(&commit), 40);
    assert_eq!((hunted.answer, hunted.suspects.as_slice()), (Answer::Commit, &[40][..]));
    assert!(hunted.known.steps.iter().any(|step| step.outcome == Outcome::Failed && step.why.is_some()));
    let hunted = search(|commit| (39..=42).contains(&commit), 40);
    assert_eq!((hunted.answer, hunted.suspects.as_slice()), (Answer::Several, &[39, 40, 41, 42, 43][..]));
}

#[test]
fn an_interrupted_search_goes_on_with_what_is_known() {
    let search = |known: Known, machine: &mut Simulated, stop_after: usize| {
        let mut all = known.clone();
        let stop = |known: &Known| match known.steps.len() >= stop_after {
            true => Err(Failure::machine("stopped")),
            false => Ok(()),
        };
        let note = &mut |known: &Known| {
            all = known.clone();
            stop(known)
        };
        let done = hunt(0.01, 20.0).search(known, machine, note);
        (done, all)
    };
    let mut machine = Simulated::new(history(123, 1.05), 7);
    let (stopped, known) = search(Known::default(), &mut machine, 3);
    assert!(stopped.is_err() && known.steps.len() == 3);
    let compared = machine.compared;
    let (done, _) = search(known.clone(), &mut machine, usize::MAX);
    let done = done.unwrap();
    assert_eq!((done.answer, done.suspects.as_slice()), (Answer::Commit, &[123][..]));
    assert_eq!(done.known.steps[..3], known.steps[..]);
    // The ends and the first three steps are not measured again; the confirmation is one more comparison.
    assert_eq!(machine.compared - compared, done.known.steps.len() - 3 + 1);
}
