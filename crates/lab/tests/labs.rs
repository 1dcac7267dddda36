//! Complete labs with made-up documents: the lines that are run, their order, and the outcome of every claim.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fauxplat_experiment::{Failure, Kind};
use fauxplat_lab::{Bench, Lab, Share, catalog, listed};
use fauxplat_model::{LabOutcome, LabResult};
use fauxplat_plan::LabSettings;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A running lab changes the current directory of the whole process, so the tests run one at a time.
static FOLDER: Mutex<()> = Mutex::new(());

/// A lab in a temporary directory, and what its run asked for: command lines of fauxplat, and messages.
struct Yard {
    folder: TempDir,
    asked: RefCell<Vec<Vec<String>>>,
    told: RefCell<Vec<String>>,
    share: Share,
    _alone: MutexGuard<'static, ()>,
}

impl Yard {
    fn new(definition: &str) -> Self {
        let alone = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tried")).unwrap();
        let head = "question = 'Is it so?'\nsource = 'somebody'\nmachine = 'any'\n";
        let yard = Yard {
            folder,
            asked: RefCell::default(),
            told: RefCell::default(),
            share: Share::unlimited(),
            _alone: alone,
        };
        fs::write(yard.at("tried/lab.toml"), format!("{head}{definition}")).unwrap();
        fs::write(yard.at("tried/README.md"), "# Tried\n\nOne page.\n").unwrap();
        yard
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn found(&self, settings: &LabSettings) -> Result<Lab, Failure> {
        catalog::find(self.at("tried").to_str().unwrap(), settings)
    }

    /// Runs the lab; `answer` makes the document of a line from its words, or fails.
    fn run_with(
        &self,
        keep: Option<&Path>,
        options: &[&str],
        seed: u64,
        answer: &dyn Fn(&str) -> Result<Value, Failure>,
    ) -> Result<LabResult, Failure> {
        let perform = |words: &[String]| {
            let place = words.iter().position(|word| word == "--output").expect("the document has a place");
            let line = words[1..place - 2].join(" ");
            self.asked.borrow_mut().push(words.to_vec());
            let document = answer(&line);
            let written = document.as_ref().map(Value::to_string).unwrap_or_else(|_| "{}".to_owned());
            if !matches!(&document, Err(failure) if failure.kind() == Kind::Machine) {
                fs::write(&words[place + 1], written).unwrap();
            }
            document.map(drop)
        };
        let before = std::env::current_dir().unwrap();
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let tell = |line: &str| self.told.borrow_mut().push(line.to_owned());
        let bench = Bench::new(keep, options, &perform, &tell).unwrap();
        let done = bench.run(&self.found(&LabSettings::new()).unwrap(), seed, self.share);
        assert_eq!(std::env::current_dir().unwrap(), before, "whatever happened, it comes back");
        done
    }

    fn run(&self, answer: &dyn Fn(&str) -> Result<Value, Failure>) -> Result<LabResult, Failure> {
        self.run_with(None, &[], 1, answer)
    }

    /// The lines that were run, without the options that the bench adds.
    fn lines(&self) -> Vec<String> {
        let line = |words: &Vec<String>| {
            let place = words.iter().position(|word| word == "--format").unwrap();
            words[1..place].join(" ")
        };
        self.asked.borrow().iter().map(line).collect()
    }
}

/// A claim that a figure lies between 1.2 and 1.5 and above 1.
const CLAIM: &str = "[[claim]]\nname = 'more'\n\
    published = { statement = 'it is more', unit = 'times', low = 1.2, high = 1.5, spread = 'ten runs', direction = 'above', than = 1.0 }\n\
    measured = { experiment = 'one', value = '/value', low = '/low', high = '/high' }\n";

const ONE: &str = "[[experiment]]\nname = 'one'\nline = 'run one'\n";

fn figure(value: f64, low: f64, high: f64) -> Value {
    json!({ "id": 3, "value": value, "low": low, "high": high })
}

fn outcome(result: &LabResult) -> LabOutcome {
    result.outcome.expect("it was run")
}

#[test]
fn an_outcome_follows_from_the_document_alone() {
    use LabOutcome::{CannotRunHere, NotHere, Reproduced, Undecided};
    for (document, expected, words) in [
        (figure(1.3, 1.25, 1.35), Reproduced, "direction and size agree"),
        (figure(1.45, 1.3, 1.6), Reproduced, "agree"),
        (figure(1.6, 1.4, 1.8), Undecided, "the direction is that of the claim"),
        (figure(1.1, 1.05, 1.15), NotHere, "smaller"),
        (figure(2.0, 1.9, 2.1), NotHere, "larger"),
        (figure(0.9, 0.8, 0.95), NotHere, "no effect in the direction"),
        (figure(1.3, 0.9, 1.7), Undecided, "neither the claim nor its contrary"),
        (json!({ "value": null, "low": null, "high": null }), CannotRunHere, "measured nothing for /value"),
        (json!({ "value": 1.3, "low": null, "high": 1.4 }), CannotRunHere, "measured nothing for /low"),
    ] {
        let yard = Yard::new(&format!("{ONE}{CLAIM}"));
        let result = yard.run(&|_| Ok(document.clone())).unwrap();
        let reason = result.reason.clone().unwrap();
        assert_eq!(outcome(&result), expected, "{document}: {reason}");
        assert!(reason.contains(words), "{document}: {reason}");
        assert_eq!(result.measured.is_some(), expected != CannotRunHere, "{document}");
        assert_eq!((result.name.as_str(), result.claims.len()), ("tried", 1));
        assert_eq!(yard.lines(), ["run one"]);
    }
}

#[test]
fn a_pointer_that_finds_nothing_is_an_error_of_the_lab() {
    for (claim, words) in [
        (CLAIM.replace("/value", "/valeu"), "nothing stands at /valeu of `one`"),
        (CLAIM.replace("/high", "/hihg"), "nothing stands at /hihg of `one`"),
        (
            format!("{CLAIM}[[claim.check]]\nexperiment = 'one'\npointer = '/v'\nis = 1\notherwise = ''"),
            "/v of `one`",
        ),
        (CLAIM.replace("/value", "/word"), "is no number"),
    ] {
        let yard = Yard::new(&format!("{ONE}{claim}"));
        let document = json!({ "value": 1.3, "low": 1.2, "high": 1.4, "word": "x" });
        let result = yard.run(&|_| Ok(document.clone())).unwrap();
        assert_eq!(outcome(&result), LabOutcome::Error);
        assert!(result.reason.as_ref().unwrap().contains(words), "{result:?}");
        assert!(result.measured.is_none());
    }
}

#[test]
fn every_round_visits_each_experiment_once_in_an_order_of_its_seed() {
    let experiments: String = ["one", "two", "three"]
        .map(|name| format!("[[experiment]]\nname = '{name}'\nline = 'run {name}'\n"))
        .concat();
    let over = CLAIM.replace(", low = '/low', high = '/high' }", ", over = { experiment = 'two' } }");
    let third = over.replace("'more'", "'other'").replace("'two'", "'three'");
    let definition = format!("rounds = 7\n{experiments}{over}{third}");
    let orders = |seed| {
        let yard = Yard::new(&definition);
        // The figures grow from round to round, as on a machine that drifts. The ratio within a round stays the same.
        let drift = RefCell::new(0.0);
        let answer = |line: &str| {
            *drift.borrow_mut() += 1.0;
            let scale = 100.0 + (*drift.borrow() / 3.0_f64).ceil() * 10.0;
            let value = if line == "run one" { 1.3 * scale } else { scale };
            Ok(json!({ "id": *drift.borrow() as i64, "value": value }))
        };
        let result = yard.run_with(None, &[], seed, &answer).unwrap();
        assert_eq!(outcome(&result), LabOutcome::Reproduced, "{:?}", result.reason);
        let measured = result.measured.unwrap();
        assert!((measured.value - 1.3).abs() < 1e-9 && measured.high - measured.low < 1e-9, "{measured:?}");
        let names: Vec<&str> = result.experiments.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["one", "two", "three"], "as the lab has them");
        let mut ids: Vec<i64> = result.experiments.iter().flat_map(|run| run.ids.clone()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=21).collect::<Vec<_>>());
        yard.lines()
    };
    let [first, again, other] = [1, 1, 2].map(orders);
    assert_eq!(first, again);
    assert_ne!(first, other);
    for lines in [&first, &other] {
        for round in lines.chunks(3) {
            let mut round = round.to_vec();
            round.sort();
            assert_eq!(round, ["run one", "run three", "run two"]);
        }
        assert!(lines.chunks(3).any(|round| round != &lines[..3]), "an order for each round");
    }
}

#[test]
fn what_is_missing_costs_only_the_claims_that_need_it() {
    let two = "[[experiment]]\nname = 'two'\nline = 'run two'\nneeds = { files = ['/no/such/file'] }\n\
               [[experiment]]\nname = 'idle'\nline = 'run idle'\n";
    let other = CLAIM.replace("'more'", "'other'").replace("'one'", "'two'");
    let absent =
        CLAIM.replace("name = 'more'", "name = 'absent'\nneeds = { programs = ['no-such-program'] }");
    let yard = Yard::new(&format!("{ONE}{two}{CLAIM}{other}{absent}"));
    let result = yard.run(&|_| Ok(figure(1.3, 1.25, 1.35))).unwrap();
    assert_eq!(yard.lines(), ["run one"], "what no claim waits for is not run");
    let told: Vec<(LabOutcome, &str)> =
        result.claims.iter().map(|one| (one.outcome.unwrap(), one.reason.as_deref().unwrap())).collect();
    assert_eq!(told[0].0, LabOutcome::Reproduced);
    assert_eq!(
        told[1],
        (LabOutcome::CannotRunHere, "it needs /no/such/file, which this machine does not have")
    );
    assert!(told[2].0 == LabOutcome::CannotRunHere && told[2].1.contains("`no-such-program`"), "{told:?}");
    assert_eq!(outcome(&result), LabOutcome::Reproduced);
    assert_eq!(result.reason.as_deref(), Some("of 3 claims 1 reproduced, 2 cannot run here"));
}

#[test]
fn a_lab_that_lacks_something_runs_nothing_at_all() {
    let needs = "needs = { programs = ['/no/such/program'] }\nprepare = ['touch prepared; exit 1']\n";
    let yard = Yard::new(&format!("{needs}{ONE}{CLAIM}"));
    let result = yard.run(&|_| panic!("nothing is run")).unwrap();
    assert_eq!(outcome(&result), LabOutcome::CannotRunHere);
    assert!(result.reason.unwrap().contains("`/no/such/program`, which is not there"));
    assert!(result.experiments.is_empty());
}

#[test]
fn failures_of_the_machine_are_told_apart_from_those_of_the_lab() {
    let definition = format!(
        "rounds = 6\n{ONE}[[experiment]]\nname = 'two'\nline = 'run two'\n{}",
        CLAIM.replace(", low = '/low', high = '/high' }", ", over = { experiment = 'two' } }")
    );
    let yard = Yard::new(&definition);
    let refused = |line: &str| match line {
        "run two" => Err(Failure::machine("no counter is left")),
        _ => Ok(json!({ "value": 1.0 })),
    };
    let result = yard.run(&refused).unwrap();
    assert_eq!(outcome(&result), LabOutcome::CannotRunHere);
    assert_eq!(result.reason.as_deref(), Some("no counter is left"));
    assert_eq!(yard.lines().iter().filter(|line| *line == "run two").count(), 1, "it is not tried again");
    drop(yard);

    let yard = Yard::new(&format!("{ONE}{CLAIM}"));
    let result = yard.run(&|_| Err(Failure::command("`one` ended with status 1"))).unwrap();
    let told = result.reason.clone().unwrap();
    assert!(
        outcome(&result) == LabOutcome::Error && told.starts_with("lab tried, experiment one: "),
        "{told}"
    );
    drop(yard);

    // A failed gate leaves a document; the document here lacks the figure of the claim.
    let yard = Yard::new(&format!("{ONE}{CLAIM}"));
    let result = yard.run(&|_| Err(Failure::gate("it is slower"))).unwrap();
    assert!(result.reason.unwrap().contains("nothing stands at /value"));
}

#[test]
fn the_subject_is_made_in_a_copy() {
    let prepare = "prepare = ['echo 1.3 > made', 'test -f lab.toml']\n";
    let run = "[[experiment]]\nname = 'one'\n\
        run = '''v=$(cat made); test -n \"$FAUXPLAT\" && test -f \"$LAB_FOLDER/lab.toml\" && \
        printf '{\"value\": %s, \"low\": 1.2, \"high\": 1.4, \"table\": {\"columns\": [\"a\"], \"rows\": [[\"b\"]]}}' $v'''\n";
    let yard = Yard::new(&format!("{prepare}{run}{CLAIM}"));
    let result = yard.run(&|_| panic!("there is no line of fauxplat")).unwrap();
    assert_eq!(outcome(&result), LabOutcome::Reproduced, "{:?}", result.reason);
    assert_eq!(*yard.told.borrow(), ["tried: experiment `one` …", "tried: more: reproduced"]);
    let run = &result.experiments[0];
    assert!(run.shell && run.id.is_none() && run.table.as_ref().is_some_and(|table| table.rows == [["b"]]));
    assert!(!yard.at("tried/made").exists(), "the original stays as it was");
}

#[test]
fn a_program_is_told_its_part_of_the_time() {
    let run = "[[experiment]]\nname = 'one'\n\
        run = '''printf '{\"value\": 1.3, \"low\": 1.2, \"high\": 1.4, \"table\": {\"columns\": [\"a\"], \"rows\": [[\"%s\"]]}}' \
        \"$LAB_MAX_TIME\"'''\n";
    let told = |share: Share| {
        let mut yard = Yard::new(&format!("{run}{CLAIM}"));
        yard.share = share;
        let result = yard.run(&|_| panic!("there is no line of fauxplat")).unwrap();
        result.experiments[0].table.as_ref().unwrap().rows[0][0].clone()
    };
    let part = told(Share::of(std::time::Duration::from_secs(3600)));
    let part: u64 = part.strip_suffix("ms").and_then(|digits| digits.parse().ok()).expect(&part);
    assert!((1..=3_600_000).contains(&part), "{part}");
    assert_eq!(told(Share::unlimited()), "");
}

#[test]
fn a_program_that_cannot_run_here_says_why_and_one_that_fails_is_an_error() {
    let with = |prepare: &str, run: &str| {
        let shell = format!("[[experiment]]\nname = 'one'\nrun = \"{run}\"\n");
        Yard::new(&format!("prepare = [\"{prepare}\"]\n{shell}{CLAIM}"))
            .run(&|_| panic!("no line of fauxplat"))
    };
    for result in [
        with("echo first; echo no such device; echo; exit 77", "exit 1"),
        with("true", "echo '{}'; echo no such device >&2; exit 77"),
    ] {
        let result = result.unwrap();
        assert_eq!(outcome(&result), LabOutcome::CannotRunHere);
        assert_eq!(result.reason.as_deref(), Some("no such device"));
    }
    assert_eq!(with("exit 77", "exit 1").unwrap().reason.as_deref(), Some("its program gave no reason"));
    for (prepare, run, words) in [
        ("echo broken; exit 3", "true", "`echo broken; exit 3` ended with status 3"),
        ("true", "exit 5", "ended with status 5"),
        ("true", "kill -9 $$", "ended with status 137"),
        ("true", "true", "printed no JSON document"),
        ("true", "echo [1]", "printed no JSON object"),
        ("true", "echo '{} {}'", "printed no JSON document"),
        ("echo; echo line 7 is wrong; exit 1", "true", "ended with status 1: line 7 is wrong"),
    ] {
        let result = with(prepare, run).unwrap();
        assert_eq!(outcome(&result), LabOutcome::Error, "{run}");
        assert!(result.reason.as_ref().unwrap().contains(words), "{run}: {result:?}");
    }
}

#[test]
fn documents_are_kept_under_names_that_are_files() {
    let slashes =
        ONE.replace("'one'", "'one /usr/bin/python'").replace("run one", "run \"a b\" --for x --last");
    let yard = Yard::new(&format!("{slashes}{}", CLAIM.replace("'one'", "'one /usr/bin/python'")));
    let keep = yard.at("kept/below");
    yard.run_with(Some(&keep), &["--store", "none"], 1, &|_| Ok(figure(1.3, 1.25, 1.35))).unwrap();
    let kept: Vec<String> =
        fs::read_dir(&keep).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(kept, ["tried-one %2Fusr%2Fbin%2Fpython.json"]);
    // Words after `--for` are another program's command line, so options go before `--for`.
    let asked = yard.asked.borrow();
    let document = keep.join("tried-one %2Fusr%2Fbin%2Fpython.json");
    let expected = [
        "fauxplat",
        "run",
        "a b",
        "--format",
        "json",
        "--output",
        document.to_str().unwrap(),
        "--store",
        "none",
        "--for",
        "x",
        "--last",
    ];
    assert_eq!(asked[0], expected);
}

#[test]
fn options_make_a_claim_for_each_value_and_are_told_before() {
    let option = "[option.n]\nabout = 'how many'\ndefault = '1, 2'\n";
    let many = format!("{ONE}{CLAIM}")
        .replace("'one'", "'one {n}'")
        .replace("run one", "run {n}")
        .replace("'more'", "'more {n}'");
    let yard = Yard::new(&format!("{many}{option}"));
    let result = yard
        .run(&|line| Ok(if line == "run 1" { figure(1.3, 1.2, 1.4) } else { figure(1.0, 0.9, 1.1) }))
        .unwrap();
    let outcomes: Vec<(&str, LabOutcome)> =
        result.claims.iter().map(|one| (one.name.as_str(), one.outcome.unwrap())).collect();
    assert_eq!(outcomes, [("more 1", LabOutcome::Reproduced), ("more 2", LabOutcome::NotHere)]);
    let three = LabSettings::from([("n".to_owned(), vec!["5".to_owned()])]);
    let lab = yard.found(&three).unwrap();
    let before = listed(&lab);
    assert_eq!((before.outcome, before.claims[0].name.as_str(), before.claims.len()), (None, "more 5", 1));
    assert_eq!(before.found_in, yard.at("tried").canonicalize().unwrap().display().to_string());
    assert!(lab.readme.starts_with("# Tried"));
}

#[test]
fn a_lab_that_cannot_be_judged_is_refused_before_anything_is_run() {
    for (definition, words) in [
        (String::new(), "experiment"),
        (format!("{ONE}{CLAIM}{CLAIM}"), "two have this name"),
        (format!("{ONE}{ONE}{CLAIM}"), "two have this name"),
        (format!("rounds = 0\n{ONE}{CLAIM}"), "rounds = 0"),
        (format!("{ONE}{}", CLAIM.replace("'one'", "'two'")), "no experiment `two`"),
        (format!("{ONE}{}", CLAIM.replace("low = 1.2", "low = 1.9")), "low is above its high"),
        (format!("{ONE}{}", CLAIM.replace(", high = '/high'", "")), "has `low` and `high`"),
        (format!("[[experiment]]\nname = 'one'\n{CLAIM}"), "either a line of fauxplat"),
    ] {
        let yard = Yard::new(&definition);
        let failure = yard.found(&LabSettings::new()).unwrap_err();
        let told = failure.to_string();
        assert!(failure.kind() == Kind::Usage && told.contains("lab tried: lab.toml: "), "{told}");
        assert!(told.contains(words), "{words}: {told}");
    }
    let yard = Yard::new("");
    for missing in [yard.at("none"), yard.folder.path().to_owned()] {
        let failure = catalog::find(missing.to_str().unwrap(), &LabSettings::new()).unwrap_err();
        assert_eq!(failure.kind(), Kind::Usage, "{failure}");
    }
    let unknown = catalog::find("no-such-lab", &LabSettings::new()).unwrap_err().to_string();
    assert!(unknown.contains("`no-such-lab`") && unknown.contains("link-order"), "{unknown}");
}

#[test]
fn an_experiment_that_fails_spoils_no_claim_of_another() {
    let two = "[[experiment]]\nname = 'two'\nline = 'run two'\n";
    let other = CLAIM.replace("'more'", "'other'").replace("'one'", "'two'");
    let yard = Yard::new(&format!("{ONE}{two}{CLAIM}{other}"));
    let answer = |line: &str| match line {
        "run two" => Err(Failure::usage("unknown option --frobnicate")),
        _ => Ok(figure(1.3, 1.25, 1.35)),
    };
    let result = yard.run(&answer).unwrap();
    assert_eq!(outcome(&result), LabOutcome::Error, "a lab with an error in it is no result");
    assert_eq!(result.claims[0].outcome, Some(LabOutcome::Reproduced));
    assert!(result.claims[1].reason.as_ref().unwrap().contains("--frobnicate"), "{result:?}");
    assert_eq!(result.reason.as_deref(), Some("of 2 claims 1 error, 1 reproduced"));
}

#[test]
fn a_reason_needs_an_experiment_that_may_be_missing() {
    let because =
        "[[claim.because]]\nexperiment = 'why'\npointer = '/n'\nabove = 2.0\nsays = 'there are {}'\n";
    let of = |needs: &str, count: u32| {
        let why = format!("[[experiment]]\nname = 'why'\nline = 'run why'\n{needs}");
        let yard = Yard::new(&format!("{ONE}{why}{CLAIM}{because}"));
        let document =
            |line: &str| Ok(if line == "run why" { json!({ "n": count }) } else { figure(1.1, 1.01, 1.12) });
        let result = yard.run(&document).unwrap();
        (outcome(&result), result.reason.unwrap())
    };
    let (found, reason) = of("", 3);
    assert!(found == LabOutcome::NotHere && reason.ends_with("; there are 3"), "{reason}");
    assert!(of("", 2).1.ends_with("smaller"));
    let (found, reason) = of("needs = { files = ['/no/such/file'] }\n", 3);
    assert!(
        found == LabOutcome::NotHere && reason.ends_with("smaller"),
        "it is judged all the same: {reason}"
    );
}

#[test]
fn what_has_no_time_left_is_not_begun_and_the_lab_is_not_complete() {
    let mut yard = Yard::new(&format!("{ONE}{CLAIM}"));
    yard.share = Share::of(std::time::Duration::ZERO);
    let result = yard.run(&|_| panic!("nothing is run")).unwrap();
    assert!(outcome(&result) == LabOutcome::CannotRunHere && !result.complete);
    assert!(result.reason.unwrap().contains("its share of --max-time"));
    drop(yard);

    let mut yard = Yard::new(&format!("{}{CLAIM}", ONE.replace("run one", "compare --max-time 5h a b")));
    yard.share = Share::of(std::time::Duration::from_secs(3600));
    let result = yard.run(&|_| Ok(figure(1.3, 1.25, 1.35))).unwrap();
    assert!(result.complete);
    let line = yard.lines().remove(0);
    assert!(
        line.starts_with("compare --max-time ") && line.ends_with("ms a b"),
        "its share is shorter: {line}"
    );
}

#[test]
fn a_file_of_another_lab_may_be_borrowed() {
    let run = "[[experiment]]\nname = 'one'\nrun = '''test -s subject/known.S && test -s subject/mine && \
               echo '{\"value\": 1.3, \"low\": 1.2, \"high\": 1.4}' '''\n";
    let borrows = "borrows = ['known-count/subject/known.S', 'beside/subject/mine']\n";
    let yard = Yard::new(&format!("{borrows}{run}{CLAIM}"));
    fs::create_dir_all(yard.at("beside/subject")).unwrap();
    fs::write(yard.at("beside/subject/mine"), "of the lab beside it").unwrap();
    let result = yard.run(&|_| panic!("no line of fauxplat")).unwrap();
    assert_eq!(outcome(&result), LabOutcome::Reproduced, "{result:?}");
    drop(yard);
    for (borrows, words) in
        [("'no-lab/subject/x'", "no such file of a lab"), ("'../x/y'", "LAB/subject/FILE")]
    {
        let yard = Yard::new(&format!("borrows = [{borrows}]\n{run}{CLAIM}"));
        let told = match yard.found(&LabSettings::new()) {
            Ok(_) => yard.run(&|_| panic!("no line")).unwrap_err().to_string(),
            Err(failure) => failure.to_string(),
        };
        assert!(told.contains(words), "{told}");
    }
}
