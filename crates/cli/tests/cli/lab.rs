//! `fauxplat lab`: labs are data, and each claim gets one of three answers.

use crate::common::Lab;

/// A lab whose claim is about two shell loops, one of which goes `rounds` times as far as the other.
fn tiny(yard: &Lab, name: &str, rounds: u32, extra: &str) {
    std::fs::create_dir_all(yard.path(&format!("labs/{name}"))).unwrap();
    yard.write(&format!("labs/{name}/README.md"), "# tiny: a loop that goes further\n");
    yard.write(
        &format!("labs/{name}/lab.toml"),
        &format!(
            r#"question = "Does twice the work take longer?"
{extra}
prepare = ["printf 'i=0; while [ $i -lt $1 ]; do i=$((i+1)); done' >loop.sh"]
[claim]
statement = "five times the rounds take five times as long"
unit = "times"
low = 4.0
high = 6.0
direction = "above"
than = 1.0
source = "arithmetic"
machine = "any"
[[experiment]]
name = "loops"
line = "compare --metric cpu --max-pairs 48 'sh loop.sh 4000' 'sh loop.sh {}'"
[measured]
experiment = "loops"
value = "/comparisons/0/effect_ratio"
low = "/comparisons/0/ci_low_ratio"
high = "/comparisons/0/ci_high_ratio"
less = "the loops are alike"
[[check]]
experiment = "loops"
pointer = "/comparisons/0/scope"
is = "binaries"
otherwise = "it was about the {{}}"
"#,
            4000 * rounds
        ),
    );
}

#[test]
fn a_claim_is_reproduced_or_not_here_for_a_reason() {
    let yard = Lab::new();
    tiny(&yard, "further", 6, "");
    tiny(&yard, "alike", 2, "");
    tiny(&yard, "elsewhere", 6, "needs = ['no-such-program']");
    let found =
        yard.run(&["lab", "run", "further", "alike", "elsewhere", "--format", "json"]).succeeds().json();
    assert_eq!(found["schema"], "fauxplat.lab/1");
    let outcomes: Vec<&str> =
        found["labs"].as_array().unwrap().iter().map(|lab| lab["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["reproduced", "not here", "cannot run here"], "{found}");
    let lab = |at: usize| &found["labs"][at];
    let measured = lab(0)["measured"]["value"].as_f64().unwrap();
    assert!((2.0..12.0).contains(&measured), "{measured}");
    assert!(lab(1)["reason"].as_str().unwrap().contains("the loops are alike"), "{}", lab(1));
    assert!(lab(2)["reason"].as_str().unwrap().contains("no-such-program") && lab(2)["measured"].is_null());
    // The experiment behind it is stored like any other.
    let id = lab(0)["experiments"][0]["id"].as_i64().unwrap().to_string();
    assert!(yard.run(&["history", "show", &id]).succeeds().out.contains("sh loop.sh 24000"));

    yard.run(&["lab", "run", "--strict", "alike"]).complains(1, &["--strict", "alike", "not here"]);
    let text = yard.run(&["lab", "run", "further"]).succeeds().out;
    assert!(text.contains("further: reproduced: measured") && text.contains("arithmetic"), "{text}");
}

#[test]
fn labs_are_listed_and_shown_wherever_they_are() {
    let yard = Lab::new();
    tiny(&yard, "mine", 6, "");
    let list = yard.run_unstored(&["lab", "list"]).succeeds().out;
    for name in ["link-order", "layout-roulette", "mine"] {
        assert!(list.lines().any(|line| line.trim_start().starts_with(name)), "{list}");
    }
    let listed = yard.run_unstored(&["lab", "list", "--format", "json"]).succeeds().json();
    assert!(listed["labs"].as_array().unwrap().iter().all(|lab| lab["outcome"].is_null()));
    let shown = yard.run_unstored(&["lab", "show", "link-order"]).succeeds().out;
    assert!(
        shown.contains("# link-order") && shown.contains("fauxplat compare") && shown.contains("built in"),
        "{shown}"
    );
    assert!(yard.run_unstored(&["lab", "show", "./labs/mine"]).succeeds().out.contains("labs/mine"));
    yard.run_unstored(&["lab", "show", "yours"]).complains(2, &["no lab `yours`", "mine"]);
    yard.write("labs/mine/lab.toml", "question = 1\n");
    yard.run_unstored(&["lab", "run", "mine"]).complains(2, &["lab mine", "lab.toml", "line 1"]);
}

/// The control of the roulette: two layouts of one source differ, and the sources do not.
#[test]
fn the_roulette_gives_two_verdicts() {
    let yard = Lab::new();
    std::fs::create_dir(yard.path("kept")).unwrap();
    let found =
        yard.run(&["lab", "run", "layout-roulette", "--keep", "kept", "--format", "json"]).succeeds().json();
    let lab = &found["labs"][0];
    assert!(lab["reason"].as_str().unwrap().len() > 20, "{lab}");
    let document = |name: &str| -> serde_json::Value {
        serde_json::from_str(&yard.read(&format!("kept/layout-roulette-{name}.json"))).unwrap()
    };
    assert_eq!(document("binaries")["comparisons"][0]["scope"], "binaries");
    assert_eq!(document("source")["comparisons"][0]["scope"], "source");
}
