//! Tests of sentences in the report of `fauxplat why`.

use fauxplat_model::{NO_BOUND_LOG, Verdict};

use super::*;
use crate::findings::{Compared, DifferencePart, Function, Kind};
use crate::question::Question;

fn found() -> WhyFindings {
    WhyFindings {
        programs: ["./fast".to_owned(), "./slow".to_owned()],
        slower: Some(1),
        ..Default::default()
    }
}

/// The answer, with plain spaces instead of the non-breaking ones between numbers and units.
fn plain(found: &WhyFindings) -> String {
    sentence(found).1.replace('\u{a0}', " ")
}

fn cause_in(place: &str) -> Cause {
    Cause {
        kind: Kind::MoreWork,
        what: "executes more instructions".to_owned(),
        account: Account::User,
        explains_ns: 1e6,
        share: 0.9,
        is_part: false,
        is_certain: true,
        grade: Grade::Reckoned,
        place: Some(place.to_owned()),
        because: Vec::new(),
        next: String::new(),
    }
}

#[test]
fn names_in_the_answer_lack_their_ends_and_no_middle() {
    for (place, told) in [
        ("__strlen_avx2 called by count_spaces", "in __strlen_avx2, called by count_spaces"),
        ("walk (work.c:12) called by main", "in walk (work.c:12), called by main"),
        ("walk", "in walk"),
        (
            "fill (./string/../sysdeps/x86_64/multiarch/a-long-name-of-a-file.S:336)",
            "in fill (a-long-name-of-a-file.S:336)",
        ),
    ] {
        assert!(cause(&cause_in(place)).ends_with(told), "{place}");
    }
    let long = format!("{} called by {}", "runtime.memclr".repeat(9), "f".repeat(200));
    let said = cause(&cause_in(&long));
    assert!(said.contains("in runtime.memclr") && said.contains("…, called by ffff"), "{said}");
    let quoted = format!("'{}' \"x y\"", "dir with space/".repeat(9));
    assert!(short(&quoted).ends_with('…') && quoted.starts_with(short(&quoted).trim_end_matches('…')));
    let mut alike = found();
    alike.programs = [format!("{}1", "p".repeat(80)), format!("{}2", "p".repeat(80))];
    let [a, b] = shorts(&alike);
    assert_ne!(a, b, "names that end differently are told apart");
}

#[test]
fn long_names_of_functions_lose_their_template_arguments() {
    let argument = "std::pair<int const, std::string>, ".repeat(9);
    let name = format!("Tree<{argument}Key>::find(void (*)(int))");
    let said = cause(&cause_in(&format!("{name} (src/tree.h:7) called by walk<{argument}int>(int)")));
    assert!(said.ends_with("in Tree‹…›::find(void (*)(int)) (tree.h:7), called by walk‹…›(int)"), "{said}");
    let short = "Tree<int>::find(void (*)(int))";
    assert!(cause(&cause_in(short)).ends_with(short));
    assert_eq!(place(&format!("{name} (src/tree.h:7)")), "Tree‹…›::find(void (*)(int)) (src/tree.h:7)");
    assert_eq!(place("/var/log/a<b>/x called by y"), "/var/log/a<b>/x called by y");
    assert_eq!(line(&format!("9 more in {name}")), "9 more in Tree‹…›::find(void (*)(int))");
    assert_eq!(line("9 more in walk<int>"), "9 more in walk<int>");
    let alike = words::column(&[&name, &name.replace("Key", "Int"), short]);
    assert!(alike[0] != alike[1] && alike[0].contains('…') && alike[2] == short, "{alike:?}");
}

#[test]
fn a_difference_that_is_not_shown_is_not_said_to_be_there() {
    let more = |value: f64, low: f64| Some(Amount { value, low, high: 3.0 * value.abs() });
    let gone = WhyFindings { answer: Answer::Vanished, more_ns: more(2.5e6, -0.8e6), ..found() };
    let said = plain(&gone);
    assert!(said.contains("no difference is shown now") && said.contains("−800.0 µs to"), "{said}");
    assert!(!said.contains("takes"), "{said}");
    let said = plain(&WhyFindings { more_ns: more(-1e6, -2e6), ..gone });
    assert!(said.contains("is not any more"), "{said}");
}

#[test]
fn what_is_undecided_is_told_with_its_effect_and_time() {
    let compared = Compared {
        verdict: Verdict::Inconclusive,
        ratio: 3.3,
        low_ratio: 0.9,
        high_ratio: 9.0,
        pairs: 6,
        level: 0.01,
        margin: 0.01,
        is_in_some_runs: false,
    };
    let mut open = WhyFindings {
        answer: Answer::Undecided,
        compared: Some(compared),
        pairs_needed: Some(10),
        needs_s: Some(123.4),
        ..found()
    };
    let said = plain(&open);
    for words in ["+230 %", "6 pairs", "about 10 pairs", "2 m"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let no_high = Compared { high_ratio: NO_BOUND_LOG.exp(), ..open.compared.clone().unwrap() };
    let document = serde_json::to_value(&no_high).unwrap();
    assert!(document["high_ratio"].is_null() && document["low_ratio"].is_number(), "{document}");
    assert_eq!(serde_json::from_value::<Compared>(document).unwrap(), no_high);
    open.compared = Some(no_high);
    let said = plain(&open);
    assert!(said.contains("(at least −") && !said.contains("e7"), "{said}");
    (open.compared, open.pairs_needed) = (None, None);
    assert!(plain(&open).ends_with("More --max-time may decide."));
}

#[test]
fn a_changed_caller_is_no_acquittal() {
    let function = |name: &str, changed_caller: Option<&str>| Function {
        name: name.to_owned(),
        caller: Some("main".to_owned()),
        callers: Vec::new(),
        changed_caller: changed_caller.map(str::to_owned),
        line: None,
        more_ns: Amount::exact(1e6),
        more_instructions: None,
        is_changed: false,
    };
    let with =
        |functions| WhyFindings { functions, changes: Some(ChangedLines { files: 1, places: 1 }), ..found() };
    let said = |found: &WhyFindings| changed(found).unwrap();
    let called = said(&with(vec![function("crunch", Some("main"))]));
    assert!(called.contains("changes none itself, but") && called.contains("which calls"), "{called}");
    let none = said(&with(vec![function("crunch", None)]));
    assert!(none.contains("and their callers"), "{none}");
}

#[test]
fn a_command_line_is_said_to_be_about_the_second_of_two_causes() {
    assert_eq!(rivals(&found()), None);
    let said = rivals(&WhyFindings { would_tell: Some("fauxplat profile x".to_owned()), ..found() }).unwrap();
    assert!(said.contains("a closer look at the second: ") && said.contains("fauxplat profile x"), "{said}");
}

#[test]
fn questions_that_an_interruption_left_open_are_named() {
    let experiment = |question: Question, took_s: Option<f64>, note: Option<&str>| Experiment {
        question: question.words().to_owned(),
        took_s,
        note: note.map(str::to_owned),
    };
    let made = experiment(Question::Calls, Some(1.0), None);
    let without = experiment(Question::Counts, None, Some("left out by --no-simulate"));
    let mut found = WhyFindings { experiments: vec![made, without], ..found() };
    assert!(open(&found).is_empty());
    found.experiments.push(experiment(Question::Addresses, None, Some(INTERRUPTED)));
    found.experiments.push(experiment(Question::Again, None, Some(INTERRUPTED)));
    assert_eq!(open_questions(&found), [Question::Addresses.words(), Question::Again.words()]);
    assert_eq!(open(&found).len(), 3, "a sentence, and a line for each question");
}

#[test]
fn a_failure_is_said_with_the_runs_until_then() {
    let part = DifferencePart { account: Account::User, more_ns: Amount::exact(1e6), share: Some(1.0) };
    let mut failed = WhyFindings {
        slower: None,
        failed: Some("`./slow` ended with status 1".to_owned()),
        more_ns: Some(Amount::exact(1e6)),
        parts: vec![part],
        ..found()
    };
    let said = plain(&failed);
    assert!(said.starts_with("A failure ended the comparison before ./fast and ./slow"), "{said}");
    assert_eq!(pieces(&failed).len(), 3, "the answer, a sentence and the account");
    assert!(summary(&failed).contains("failure"));
    (failed.more_ns, failed.parts) = (None, Vec::new());
    assert_eq!(pieces(&failed).len(), 1);
}

#[test]
fn a_difference_that_only_cpu_time_shows_is_told_as_one_of_cpu_time() {
    let wide = Amount { value: 7e6, low: -90e6, high: 220e6 };
    let of_cpu = WhyFindings {
        answer: Answer::Cause,
        more_ns: Some(Amount { value: 22e6, low: 18e6, high: 27e6 }),
        hidden_ns: Some(wide),
        parts: vec![DifferencePart { account: Account::User, more_ns: Amount::exact(22e6), share: None }],
        causes: vec![cause_in("walk")],
        ..found()
    };
    assert!(
        plain(&of_cpu).contains("(18.00 ms to 27.00 ms) more CPU time than ./fast per run"),
        "{}",
        plain(&of_cpu)
    );
    let said = hidden(&of_cpu).unwrap().replace('\u{a0}', " ");
    assert!(said.contains("the difference of wall time (7.000 ms (−90.00 ms to 220.0 ms))"), "{said}");
    let of_wall = WhyFindings { hidden_ns: None, ..of_cpu };
    assert!(!plain(&of_wall).contains("CPU time") && hidden(&of_wall).is_none());
}

#[test]
fn a_wait_for_a_cpu_that_nothing_explains_is_told() {
    let part = |account, share| DifferencePart {
        account,
        more_ns: Amount { value: 8e6, low: 7e6, high: 9e6 },
        share: Some(share),
    };
    let unexplained = |account, share| WhyFindings {
        answer: Answer::Unexplained,
        more_ns: Some(Amount::exact(10e6)),
        parts: vec![part(account, share)],
        ..found()
    };
    assert!(
        plain(&unexplained(Account::RunQueue, 0.8)).ends_with(
            "; 80.0 % of it is waiting for a CPU that others have: ask again when they have ended."
        )
    );
    assert!(!plain(&unexplained(Account::RunQueue, 0.3)).contains("others have"));
    assert!(!plain(&unexplained(Account::Blocked, 0.8)).contains("others have"));
}

#[test]
fn a_difference_with_too_few_pairs_for_an_account_is_told_by_its_ratio() {
    let few = WhyFindings {
        answer: Answer::Unexplained,
        more_ns: Some(Amount { value: 50e6, low: -1e6, high: 101e6 }),
        ..found()
    };
    let said = plain(&few);
    assert!(
        said.contains("./slow is slower than ./fast") && said.ends_with("give it more --max-time."),
        "{said}"
    );
}
