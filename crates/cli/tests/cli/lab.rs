//! `fauxplat lab`: labs are files, and each claim gets one of three answers.

use serde_json::Value;

use crate::common::{Done, Lab};

/// A lab whose claim is about two shell loops, one of which has `rounds` times as many rounds. They take long enough
/// for the start of a shell to be negligible on any machine.
fn tiny(yard: &Lab, name: &str, rounds: u32, extra: &str) {
    let definition = format!(
        r#"question = "Does twice the work take longer?"
source = "arithmetic"
machine = "any"
{extra}
prepare = ["printf 'i=0; while [ $i -lt $1 ]; do i=$((i+1)); done' >loop.sh"]
[[experiment]]
name = "loops"
line = "compare --metric cpu --max-pairs 48 'sh loop.sh 20000' 'sh loop.sh {}'"
[[claim]]
name = "loops"
[claim.published]
statement = "six times the rounds take six times as long"
unit = "times"
low = 3.0
high = 9.0
spread = "half for the start of the shell and a loud machine"
direction = "above"
than = 1.0
[claim.measured]
experiment = "loops"
value = "/comparisons/0/effect_ratio"
low = "/comparisons/0/ci_low_ratio"
high = "/comparisons/0/ci_high_ratio"
less = "perhaps the loops are alike"
[[claim.check]]
experiment = "loops"
pointer = "/comparisons/0/scope"
is = "binaries"
otherwise = "it was about the {{}}"
"#,
        20_000 * rounds
    );
    write(yard, name, &definition);
}

/// Writes a lab with this definition into `./labs`.
fn write(yard: &Lab, name: &str, definition: &str) {
    std::fs::create_dir_all(yard.path(&format!("labs/{name}"))).unwrap();
    yard.write(&format!("labs/{name}/README.md"), "# a lab that was made up\n");
    yard.write(&format!("labs/{name}/lab.toml"), definition);
}

/// Writes a lab without builds, whose experiments print documents; `rest` is the variable part of the definition.
pub(crate) fn told(yard: &Lab, name: &str, rest: &str) {
    let head = "question = 'Is it?'\nsource = 'nobody'\nmachine = 'any'\n";
    write(yard, name, &format!("{head}{rest}"));
}

/// An experiment that prints a document, and a claim that its `/n` is between one and two.
pub(crate) const NUMBER: &str = r#"
[[experiment]]
name = "number"
run = """echo '{"n": [1.1, 1.2, 1.3, 1.4, 1.5, 1.6], "over": 4, "table": {"columns": ["a", "b"], "rows": [["x", "1"]]}}'"""
[[claim]]
name = "number"
published = { statement = "it is", unit = "times", low = 1.0, high = 2.0, spread = "chosen", direction = "above", than = 1.0 }
measured = { experiment = "number", value = "/n" }
"#;

#[test]
fn a_claim_is_reproduced_or_not_here_for_a_reason() {
    let yard = Lab::new();
    tiny(&yard, "further", 6, "");
    tiny(&yard, "alike", 2, "");
    tiny(&yard, "elsewhere", 6, "needs = { programs = ['no-such-program'] }");
    let words =
        ["lab", "run", "--quiet", "./labs/further", "./labs/alike", "./labs/elsewhere", "--format", "json"];
    let is_as_made = |found: &Value| {
        let outcomes = found["labs"].as_array().unwrap().iter().map(|lab| lab["outcome"].as_str().unwrap());
        outcomes.eq(["reproduced", "not here", "cannot run here"])
    };
    // Other load may now and then widen an interval so much that a claim has another outcome, so five attempts are
    // made.
    let found = (0..5).map(|_| yard.run(&words).succeeds().json()).find(is_as_made);
    let found = found.expect("what the labs were made to find is not found five times");
    assert_eq!(found["schema"], "fauxplat.lab/1");
    let lab = |at: usize| &found["labs"][at];
    let measured = lab(0)["measured"]["value"].as_f64().unwrap();
    assert!(measured > 1.0, "{measured}");
    assert!(lab(1)["reason"].as_str().unwrap().contains("; perhaps the loops are alike"), "{}", lab(1));
    assert!(lab(2)["reason"].as_str().unwrap().contains("no-such-program") && lab(2)["measured"].is_null());
    // The experiment behind the claim is stored like any other.
    let id = lab(0)["experiments"][0]["id"].as_i64().unwrap().to_string();
    assert!(yard.run(&["history", "show", &id]).succeeds().out.contains("sh loop.sh 120000"));

    let strict = || yard.run(&["lab", "run", "--quiet", "--strict", "./labs/alike"]);
    let refused = (0..5).map(|_| strict()).find(|done| done.code == Some(1)).unwrap_or_else(strict);
    refused.complains(1, &["--strict", "alike", "loops: not here"]);
    let told = || yard.run(&["lab", "run", "--quiet", "./labs/further"]).succeeds().out;
    let is_told = |text: &String| text.contains("further: reproduced: measured");
    let text = (0..5).map(|_| told()).find(is_told).expect("a claim that holds is not reproduced five times");
    assert!(text.contains("arithmetic"), "{text}");
}

#[test]
fn labs_are_listed_and_shown_wherever_they_are() {
    let yard = Lab::new();
    tiny(&yard, "mine", 6, "");
    let list = yard.run_unstored(&["lab", "list"]).succeeds().out;
    for (name, is_listed) in [("link-order", true), ("layout-roulette", true), ("mine", false)] {
        assert_eq!(list.lines().any(|line| line.trim_start().starts_with(name)), is_listed, "{list}");
    }
    let listed = yard.run_unstored(&["lab", "list", "--format", "json"]).succeeds().json();
    assert!(listed["labs"].as_array().unwrap().iter().all(|lab| lab["outcome"].is_null()));
    let course = yard.run_unstored(&["lab", "list", "--course"]).succeeds().out;
    let place = |name: &str| course.find(&format!(" {name} ")).unwrap_or_else(|| panic!("{name}: {course}"));
    for (first, then) in [("known-count", "env-size"), ("env-size", "link-order"), ("smt-share", "protect")] {
        assert!(place(first) < place(then), "{first} comes before {then}: {course}");
    }
    assert!(unwrapped(&course).contains("minutes after teaches"), "{course}");
    let shown = yard.run_unstored(&["lab", "show", "link-order"]).succeeds().out;
    assert!(
        shown.contains("# link-order") && shown.contains("fauxplat compare") && shown.contains("built in"),
        "{shown}"
    );
    assert!(yard.run_unstored(&["lab", "show", "./labs/mine"]).succeeds().out.contains("labs/mine"));
    yard.run_unstored(&["lab", "show", "yours"]).complains(2, &["no lab `yours`", "link-order"]);
    // Every built-in lab shows its claims.
    for lab in listed["labs"].as_array().unwrap() {
        let (name, claims) = (lab["name"].as_str().unwrap(), lab["claims"].as_array().unwrap());
        let shown = yard.run_unstored(&["lab", "show", name]).succeeds().out;
        assert!(claims.iter().all(|claim| shown.contains(claim["name"].as_str().unwrap())), "{shown}");
    }
    yard.write("labs/mine/lab.toml", "question = 1\n");
    yard.run_unstored(&["lab", "run", "--quiet", "./labs/mine"])
        .complains(2, &["lab mine", "lab.toml", "line 1"]);
}

/// A lab in the current folder is not run by the name of a built-in lab, only by its path.
#[test]
fn a_lab_of_the_current_folder_is_run_for_its_path_alone() {
    let yard = Lab::new();
    let planted = format!("prepare = ['touch \"{}\"']\n{NUMBER}", yard.file("ran"));
    for folder in ["labs/link-order", "labs/mine", "link-order", "mine"] {
        std::fs::create_dir_all(yard.path(folder)).unwrap();
        let head = "question = 'Is it?'\nsource = 'nobody'\nmachine = 'any'\n";
        yard.write(&format!("{folder}/lab.toml"), &format!("{head}{planted}"));
        yard.write(&format!("{folder}/README.md"), "# planted\n");
    }
    let shown = yard.run_unstored(&["lab", "show", "link-order"]).succeeds().out;
    assert!(shown.contains("built in") && !shown.contains("planted"), "{shown}");
    for verb in ["show", "run"] {
        let refused = yard.run_unstored(&["lab", verb, "mine"]);
        refused.complains(2, &["no lab `mine`", "named by its path", "./labs/mine"]);
    }
    assert!(!yard.path("ran").exists());
    yard.run(&["lab", "run", "--quiet", "./labs/mine"]).succeeds();
    assert!(yard.path("ran").exists(), "who asks for it gets it");
}

/// The lab `layout-roulette` gives two verdicts: two layouts of one source differ, and two builds of the same source do
/// not.
#[test]
fn the_roulette_gives_two_verdicts() {
    let yard = Lab::new();
    std::fs::create_dir(yard.path("kept")).unwrap();
    let found = yard
        .run(&["lab", "run", "--quiet", "layout-roulette", "--keep", "kept", "--format", "json"])
        .succeeds()
        .json();
    let lab = &found["labs"][0];
    assert!(lab["reason"].as_str().unwrap().len() > 20, "{lab}");
    let document = |name: &str| -> serde_json::Value {
        serde_json::from_str(&yard.read(&format!("kept/layout-roulette-{name}.json"))).unwrap()
    };
    assert_eq!(document("binaries")["comparisons"][0]["scope"], "binaries");
    assert_eq!(document("source")["comparisons"][0]["scope"], "source");
}

/// The lab that checks counters: the counts of a program agree with those by hand, and the counts of a program with
/// three instructions fewer do not.
#[test]
fn a_simulated_count_is_held_against_one_by_hand() {
    if cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))) {
        return;
    }
    let yard = Lab::new();
    let built_in = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/known-count");
    let text = |path: &str| std::fs::read_to_string(built_in.join(path)).unwrap();
    write(&yard, "short", &text("lab.toml").replace("LOOPS=1000000", "LOOPS=999999"));
    std::fs::create_dir(yard.path("labs/short/subject")).unwrap();
    for file in ["subject/known.S", "subject/faults.py"] {
        yard.write(&format!("labs/short/{file}"), &text(file));
    }
    let found = yard
        .run(&["lab", "run", "--quiet", "known-count", "./labs/short", "--format", "json"])
        .succeeds()
        .json();
    let outcome = |lab: usize, name: &str| {
        let claims = found["labs"][lab]["claims"].as_array().unwrap();
        claims.iter().find(|it| it["name"] == name).unwrap()["outcome"].as_str().unwrap()
    };
    if outcome(0, "instructions") == "cannot run here" {
        println!("skipped: {}", found["labs"][0]["reason"]);
        return;
    }
    // Where the hardware has no counters, claims about counts of the hardware cannot be tested.
    for name in ["instructions", "one too many"].into_iter().filter(|it| outcome(0, it) != "cannot run here")
    {
        assert_eq!([0, 1].map(|lab| outcome(lab, name)), ["reproduced", "not here"], "{found}");
    }
    if outcome(0, "one too many") == "cannot run here" {
        assert_eq!(outcome(0, "a loop is foreseen"), "cannot run here", "no simulator stands in: {found}");
    }
    for name in ["counts repeat", "one more is one more", "an odd number of rounds"] {
        assert_eq!([0, 1].map(|lab| outcome(lab, name)), ["reproduced"; 2], "{found}");
    }
}

#[test]
fn each_claim_is_judged_and_one_that_cannot_be_spoils_no_other() {
    let yard = Lab::new();
    let more = r#"
[[experiment]]
name = "other"
run = """printf '{"tests": [{"name": "a", "p": 1}, {"name": "b", "p": 2, "low": 1.9, "high": 2.1}], "said": "yes"}'"""
[[experiment]]
name = "gone"
run = "echo the pins are missing >&2; exit 77"
[[claim]]
name = "half"
published = { statement = "it is two thirds", unit = "times", low = 0.6, high = 0.8, spread = "chosen", direction = "above", than = 0.0 }
[claim.measured]
experiment = "number"
value = "/n"
over = { experiment = "other", value = "/tests/[name=b]/p", low = "/tests/[name=b]/low", high = "/tests/[name=b]/high" }
[[claim]]
name = "gone"
published = { statement = "there are pins" }
check = [{ experiment = "gone", pointer = "/x", is = true, otherwise = "there are none" }]
[[claim]]
name = "word"
needs = { programs = ["sh"], files = ["/proc/self/status"] }
published = { statement = "it says yes" }
check = [{ experiment = "other", pointer = "/said", is = "yes", otherwise = "it said {}" }]
[[claim]]
name = "elsewhere"
needs = { files = ["/sys/no/such/driver"] }
published = { statement = "it has a driver" }
check = [{ experiment = "other", pointer = "/said", is = "yes", otherwise = "it said {}" }]
"#;
    told(&yard, "many", &format!("{NUMBER}{more}"));
    let found = yard.run(&["lab", "run", "--quiet", "./labs/many", "--format", "json"]).succeeds().json();
    let lab = &found["labs"][0];
    let claim = |name: &str| lab["claims"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
    let outcome = |name: &str| claim(name)["outcome"].as_str().unwrap();
    assert_eq!(["number", "half", "word"].map(outcome), ["reproduced"; 3], "{lab}");
    assert_eq!(["gone", "elsewhere"].map(outcome), ["cannot run here"; 2], "{lab}");
    assert!(claim("gone")["reason"].as_str().unwrap().contains("the pins are missing"), "{lab}");
    assert!(claim("elsewhere")["reason"].as_str().unwrap().contains("/sys/no/such/driver"), "{lab}");
    // The interval of the quotient of two figures reaches from 1.1 over 2.1 to 1.6 over 1.9.
    let half = &claim("half")["measured"];
    let near = |field: &str, wanted: f64| (half[field].as_f64().unwrap() - wanted).abs() < 1e-9;
    assert!(near("value", 1.35 / 2.0) && near("low", 1.1 / 2.1) && near("high", 1.6 / 1.9), "{half}");
    assert_eq!(lab["outcome"], "reproduced");
    assert_eq!(lab["reason"], "of 5 claims 3 reproduced, 2 cannot run here");
    assert_eq!((&lab["claim"], &lab["measured"]), (&claim("number")["claim"], &claim("number")["measured"]));
    yard.run(&["lab", "run", "--quiet", "--strict", "./labs/many"])
        .complains(1, &["many: gone: cannot run here"]);

    // If a single claim is not reproduced, neither is the lab. Every claim has its line in every format.
    let other = yard.read("labs/many/lab.toml").replace("is = \"yes\"", "is = \"no\"");
    yard.write("labs/many/lab.toml", &other);
    let text = yard.run(&["lab", "run", "--quiet", "-v", "./labs/many"]).succeeds().out;
    for words in [
        "many: not here: of 5 claims 1 not here",
        "number: reproduced: measured 1.350",
        "Source: nobody; on any. number:",
        "it said yes",
    ] {
        assert!(unwrapped(&text).contains(words), "{words}: {text}");
    }
    assert!(text.contains("a  b"), "the table of the program: {text}");
    let rows = yard.run(&["lab", "run", "--quiet", "./labs/many", "--format", "csv"]).succeeds().out;
    assert_eq!(rows.lines().filter(|row| row.starts_with("many,")).count(), 5, "{rows}");
    assert!(
        yard.run(&["lab", "run", "--quiet", "./labs/many", "--format", "markdown"])
            .succeeds()
            .out
            .contains("it said yes")
    );
}

#[test]
fn a_program_that_does_not_answer_is_told_apart_from_one_that_cannot() {
    let yard = Lab::new();
    let (start, claims) = (NUMBER.find("run = ").unwrap(), NUMBER.find("[[claim]]").unwrap());
    for (name, run, words) in [
        ("talks", "echo hello", "printed no JSON document"),
        ("mute", "true", "it printed nothing"),
        ("lists", "echo '[1]'", "printed no JSON object"),
        ("fails", "echo it is broken >&2; exit 3", "ended with status 3"),
    ] {
        told(&yard, name, &format!("{}run = \"{run}\"\n{}", &NUMBER[..start], &NUMBER[claims..]));
        let complaint = yard.run(&["lab", "run", "--quiet", &format!("./labs/{name}")]);
        assert!(
            complaint.err.contains("experiment number") && complaint.err.contains(words),
            "{}",
            complaint.err
        );
        assert_eq!(complaint.code, Some(4));
    }
    for (wrong, words) in [
        (NUMBER.replace("\"/n\"", "\"/over\""), "has no interval"),
        (NUMBER.replace("1.5, 1.6", "1.5"), "5 values are too few"),
    ] {
        told(&yard, "wrong", &wrong);
        let text = yard.run(&["lab", "run", "--quiet", "./labs/wrong"]).succeeds().out;
        assert!(text.contains("wrong: undecided") && unwrapped(&text).contains(words), "{words}: {text}");
    }
    told(&yard, "wrong", &NUMBER.replace("\"/n\"", "\"/none\""));
    let broken = yard.run(&["lab", "run", "--quiet", "./labs/wrong"]);
    assert!(broken.out.contains("wrong: error"), "{}", broken.out);
    assert!(
        broken.code == Some(4) && broken.err.contains("lab wrong, claim number: nothing stands at /none"),
        "{}",
        broken.err
    );
    told(&yard, "wrong", &NUMBER.replace("experiment = \"number\"", "experiment = \"letter\""));
    yard.run(&["lab", "run", "--quiet", "./labs/wrong"])
        .complains(2, &["lab wrong", "claim `number`", "no experiment `letter`"]);
}

/// A text as one line.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn options_make_a_claim_for_each_of_their_values() {
    let yard = Lab::new();
    let option = "[option.n]\nabout = 'a number'\ndefault = '1.5'\n";
    let lab = NUMBER.replace("1.1, 1.2, 1.3, 1.4, 1.5, 1.6", "{n}, {n}, {n}, {n}, {n}, {n}");
    told(&yard, "set", &format!("{option}{}", lab.replace("\"number\"", "\"number {n}\"")));
    let found = yard
        .run(&["lab", "run", "--quiet", "./labs/set", "--set", "n=1.5,3", "--format", "json"])
        .succeeds()
        .json();
    let claims = found["labs"][0]["claims"].as_array().unwrap();
    let words = |claim: &serde_json::Value| {
        (claim["name"].as_str().unwrap().to_owned(), claim["outcome"].as_str().unwrap().to_owned())
    };
    let expected = [("number 1.5", "reproduced"), ("number 3", "not here")];
    let expected = expected.map(|(name, outcome)| (name.to_owned(), outcome.to_owned()));
    assert_eq!(claims.iter().map(words).collect::<Vec<_>>(), expected);
    assert!(
        yard.run_unstored(&["lab", "show", "./labs/set"]).succeeds().out.contains("--set n=1.5   a number")
    );
    yard.run(&["lab", "run", "--quiet", "./labs/set", "--set", "m=1"])
        .complains(2, &["--set m", "what may be set here is n"]);
    yard.run(&["lab", "run", "--quiet", "./labs/set", "--set", "n="])
        .complains(2, &["--set n=", "NAME=VALUE"]);
}

#[test]
fn rounds_repeat_all_experiments_and_are_one_figure() {
    let yard = Lab::new();
    // An experiment that counts its rounds and multiplies the count by a factor: the ratio is the same in each round,
    // and the values are not.
    let counter = |name: &str, factor: u32| {
        format!(
            r#"
[[experiment]]
name = "{name}"
run = """n=$(cat {name} || echo 0); n=$((n+1)); echo $n >{name}; echo '{{"n": '$((n*{factor}))', "same": true}}'"""
"#
        )
    };
    let claim = r#"
[[claim]]
name = "three"
published = { statement = "three times", unit = "times", low = 3.0, high = 3.0, direction = "above", than = 1.0 }
measured = { experiment = "big", value = "/n", exact = true, over = { experiment = "small" } }
check = [{ experiment = "big", pointer = "/same", is = true, otherwise = "no" }]
"#;
    told(&yard, "six", &format!("rounds = 6\n{}{}{claim}", counter("big", 3), counter("small", 1)));
    let found = yard
        .run(&["lab", "run", "--quiet", "./labs/six", "--keep", "kept", "--format", "json"])
        .succeeds()
        .json();
    let lab = &found["labs"][0];
    assert_eq!(lab["outcome"], "reproduced", "{lab}");
    assert_eq!(lab["measured"]["high"], 3.0);
    assert_eq!(lab["experiments"].as_array().unwrap().len(), 2);
    assert!(yard.read("kept/six-small-6.json").contains("\"n\": 6"));
}

/// The programs of all labs compile; a broken program would otherwise be noticed by its first user.
#[test]
fn the_subjects_of_all_labs_can_be_built() {
    let labs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let yard = Lab::new();
    yard.shell(&format!("cp -R '{}' labs", labs.display()));
    for folder in std::fs::read_dir(yard.path("labs")).unwrap() {
        let folder = folder.unwrap().path();
        let text = std::fs::read_to_string(folder.join("lab.toml")).unwrap();
        let definition = text.parse::<toml::Table>().unwrap();
        let borrowed = definition.get("borrows").and_then(|it| it.as_array()).cloned().unwrap_or_default();
        for file in borrowed.iter().map(|file| file.as_str().unwrap()) {
            yard.shell(&format!(
                "mkdir -p '{0}/subject' && cp 'labs/{file}' '{0}/subject'",
                folder.display()
            ));
        }
        let lines = definition.get("prepare").and_then(|it| it.as_array()).cloned().unwrap_or_default();
        // A preparation that lacks a library or compiler ends with status 77, as labs define it.
        for line in lines.iter().map(|line| filled(&definition, line.as_str().unwrap())) {
            yard.shell(&format!("cd '{}' && {{ {line}; }} || [ $? -eq 77 ]", folder.display()));
        }
    }
}

/// A command line of a lab in which the defaults of the lab's options are filled in.
fn filled(definition: &toml::Table, line: &str) -> String {
    let options = definition.get("option").and_then(|it| it.as_table()).cloned().unwrap_or_default();
    let fill = |line: String, (name, option): (&String, &toml::Value)| {
        line.replace(&format!("{{{name}}}"), option["default"].as_str().unwrap_or_default())
    };
    options.iter().fold(line.to_owned(), fill)
}

#[test]
fn a_new_lab_passes_and_runs() {
    let yard = Lab::new();
    let said = plainly(&yard, &["lab", "new", "my-lab"]).succeeds().out;
    assert!(said.contains("fauxplat lab check ./my-lab"), "{said}");
    let checked = plainly(&yard, &["lab", "check", "./my-lab"]).succeeds().out;
    assert!(checked.contains("my-lab: in order: 1 claims on 3 made-up machines"), "{checked}");
    let found = yard.run(&["lab", "run", "--quiet", "./my-lab", "--format", "json"]).succeeds().json();
    assert_ne!(found["labs"][0]["outcome"], "error", "{found}");
    assert!(found["labs"][0]["measured"]["value"].is_number(), "{found}");
    assert_eq!(found["labs"][0]["story"][0]["title"], "Question");
    plainly(&yard, &["lab", "new", "my-lab"]).complains(2, &["lab new", "my-lab"]);
    yard.write("my-lab/outcomes.toml", "");
    let lacks = plainly(&yard, &["lab", "check", "./my-lab"]);
    assert!(lacks.code == Some(1) && lacks.out.contains("outcomes.toml: there is none"), "{}", lacks.out);
}

/// Runs a verb that makes or checks a lab; such verbs measure nothing and have no option `--store`.
fn plainly(yard: &Lab, words: &[&str]) -> Done {
    Done::of(yard.bare(words))
}
