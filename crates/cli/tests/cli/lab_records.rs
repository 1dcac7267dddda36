//! Records of labs: written after each lab, resumed, and compared.

use crate::common::Lab;
use crate::lab::{NUMBER, told, unwrapped};

/// A record of a machine is written after each lab, continued by later calls, and compared with another record.
#[test]
fn a_record_of_a_machine_is_gone_on_with_and_compared() {
    let yard = Lab::new();
    let counted =
        |name: &str| format!("prepare = ['echo x >>\"{}\"']\n{NUMBER}", yard.file(&format!("ran-{name}")));
    told(&yard, "one", &counted("one"));
    told(&yard, "two", &format!("seconds = 1\n{}", counted("two")));
    let times = |name: &str| yard.read(&format!("ran-{name}")).lines().count();
    let both = [
        "lab",
        "run",
        "./labs/one",
        "./labs/two",
        "--record",
        "a.json",
        "--max-time",
        "1m",
        "--pages",
        "pages",
    ];
    let done = yard.run(&both);
    assert_eq!(done.code, Some(0), "{done:?}");
    let text = done.out;
    assert!(text.contains("one: reproduced") && text.contains("two: reproduced"), "{text}");
    for line in ["one: experiment `number` …", "one: number: reproduced", "two: number: reproduced"] {
        assert!(done.err.contains(line), "a line for each experiment and each claim: {}", done.err);
    }
    let record: serde_json::Value = serde_json::from_str(&yard.read("a.json")).unwrap();
    assert_eq!(record["schema"], "fauxplat.lab/1");
    let names: Vec<&str> =
        record["labs"].as_array().unwrap().iter().map(|lab| lab["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "two"], "as they were asked for, however they were run");
    assert!(record["labs"][0]["complete"] == true && record["machine"]["kernel"].is_string(), "{record}");

    // Labs in the record are not run again, others are.
    let again = yard.run(&both);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "nothing is run, and nothing told");
    assert_eq!((times("one"), times("two")), (1, 1));
    told(&yard, "three", &counted("three"));
    yard.run(&["lab", "run", "--quiet", "./labs/one", "./labs/three", "--record", "a.json"]).succeeds();
    assert_eq!((times("one"), times("three")), (1, 1));
    yard.run(&["lab", "run", "--quiet", "./labs/one", "--record", "b.json", "--max-time", "0s"]).succeeds();
    let late: serde_json::Value = serde_json::from_str(&yard.read("b.json")).unwrap();
    assert_eq!(
        (&late["labs"][0]["complete"], &late["labs"][0]["outcome"]),
        (&false.into(), &"cannot run here".into())
    );
    yard.run(&["lab", "run", "--quiet", "./labs/one", "--record", "b.json"]).succeeds();

    let page = yard.read("pages/one.html");
    assert!(page.contains("1 to 2 times (chosen)") && page.contains("1.3500 ("), "both figures: {page}");
    assert!(page.contains("published and measured here, as changes"), "a drawing: {page}");
    let index = yard.read("pages/index.html");
    for part in ["href=\"./one.html\"", "href=\"./two.html\"", "Labs: 2 reproduced. Claims: 2 reproduced."] {
        assert!(index.contains(part), "{part}: {index}");
    }

    the_index_keeps_earlier_labs(&yard);

    let other = yard.read("b.json").replace("1.35,", "1.9,").replace("reproduced", "not here");
    yard.write("c.json", &other);
    let found =
        yard.run_unstored(&["lab", "compare", "a.json", "c.json", "--format", "json"]).succeeds().json();
    assert_eq!(found["schema"], "fauxplat.lab-compare/1");
    assert_eq!(found["claims"][0]["agreement"], "another outcome", "{found}");
    let text = yard.run_unstored(&["lab", "compare", "a.json", "b.json"]).succeeds().out;
    assert!(unwrapped(&text).contains("1 alike") && text.contains("a.json"), "{text}");
    yard.write("d.json", "{}");
    yard.run_unstored(&["lab", "compare", "a.json", "d.json"])
        .complains(2, &["d.json", "no document of lab run"]);
    let elsewhere = yard.read("a.json").replace("\"kernel\": \"", "\"kernel\": \"another-");
    yard.write("e.json", &elsewhere);
    yard.run(&["lab", "run", "--quiet", "./labs/one", "--record", "e.json"])
        .complains(2, &["--record e.json", "another machine"]);
}

/// A lab whose settings or files have changed counts as a different lab. Only labs that were requested decide the exit
/// code.
#[test]
fn a_record_knows_whether_a_lab_has_changed() {
    let yard = Lab::new();
    let ran = format!("prepare = ['echo x >>\"{}\"']\n", yard.file("ran"));
    let times = || yard.read("ran").lines().count();
    told(&yard, "one", NUMBER);
    yard.run(&["lab", "run", "--quiet", "./labs/one", "--record", "s.json"]).succeeds();
    let set = format!("{ran}[option.n]\nabout = 'a number'\ndefault = '1.5'\n{NUMBER}");
    told(&yard, "set", &set.replace("1.1, 1.2, 1.3, 1.4, 1.5, 1.6", "{n}, {n}, {n}, {n}, {n}, {n}"));
    let run_set = |n: &str| {
        let words = ["lab", "run", "--quiet", "./labs/set", "--record", "s.json", "--set", &format!("n={n}")];
        yard.run(&words).succeeds().out
    };
    assert!(run_set("1.5").contains("set: reproduced") && run_set("3").contains("set: not here"));
    run_set("3");
    assert_eq!(times(), 2, "once for each value");
    yard.write("labs/set/input", "changed");
    assert_eq!((run_set("3"), times()).1, 3);
    yard.run(&["lab", "run", "--quiet", "--strict", "./labs/one", "--record", "s.json"]).succeeds();
    yard.run(&["lab", "run", "--quiet", "--strict", "./labs/set", "--set", "n=3", "--record", "s.json"])
        .complains(1, &["--strict: set: number: not here"]);
    let kept: serde_json::Value = serde_json::from_str(&yard.read("s.json")).unwrap();
    assert_eq!(kept["labs"].as_array().unwrap().len(), 2, "what was not asked for stays in the record");
}

/// Checks that the index of a folder of pages lists the labs of earlier calls as long as their pages exist.
fn the_index_keeps_earlier_labs(yard: &Lab) {
    yard.run(&["lab", "run", "--quiet", "./labs/three", "--pages", "pages"]).succeeds();
    let index = yard.read("pages/index.html");
    for part in ["href=\"./one.html\"", "href=\"./two.html\"", "href=\"./three.html\"", "Labs: 3 reproduced."]
    {
        assert!(index.contains(part), "{part}: {index}");
    }
    yard.shell("rm pages/two.html");
    yard.run(&["lab", "run", "--quiet", "./labs/one", "--pages", "pages"]).succeeds();
    let index = yard.read("pages/index.html");
    assert!(index.contains("./three.html") && !index.contains("./two.html"), "{index}");
    yard.shell("sed -i 's/\"kernel\": \"/&another-/' pages/index.json");
    yard.run(&["lab", "run", "--quiet", "./labs/one", "--pages", "pages"])
        .complains(0, &["left out of the index", "another machine"]);
    assert!(!yard.read("pages/index.html").contains("./three.html"));
}

/// A device holds no earlier record: reading it would take its endless zeros for one.
#[test]
fn a_device_is_no_earlier_record() {
    let yard = Lab::new();
    told(&yard, "one", NUMBER);
    let words = ["lab", "run", "--quiet", "./labs/one", "--record"];
    yard.run(&[&words[..], &["/dev/null"]].concat()).succeeds();
    yard.run(&[&words[..], &["/dev/full"]].concat()).complains(3, &["/dev/full", "No space left"]);
}
