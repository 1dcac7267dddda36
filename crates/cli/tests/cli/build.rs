//! `compare` of programs that fauxplat builds: layouts per block, layouts against each other, and builds that go wrong.

use std::collections::HashSet;

use serde_json::Value;

use crate::common::Lab;

/// Source of a program whose counter is not aligned, so that it straddles two cache lines in some layouts. The cost of
/// that depends on the processor, and no test checks it.
const COUNTER: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static unsigned char record[24];
int main(void) {
    for (uint64_t i = 0; i < 12000000; i++) {
        uint64_t count;
        memcpy(&count, record + 12, sizeof count);
        count += i;
        memcpy(record + 12, &count, sizeof count);
        __asm__ volatile("" ::: "memory");
    }
    uint64_t count;
    memcpy(&count, record + 12, sizeof count);
    printf("%lu\n", (unsigned long)count);
}
"#;
const BUILD: &str = "cc -O1 {compile_flags} {link_flags} -o {out} counter.c";

fn yard() -> Lab {
    let lab = Lab::new();
    lab.write("counter.c", COUNTER);
    lab
}

fn first(document: &Value) -> &Value {
    &document["comparisons"][0]
}

/// A build line in which every second seed gives a program with three times the work: an effect of the layout on any
/// processor.
fn planted(lab: &Lab) -> String {
    let work = "for (uint64_t i = 0; i < 12000000 * (1 + 2 * (SEED % 2)) / 3; i++)";
    lab.write("planted.c", &COUNTER.replace("for (uint64_t i = 0; i < 12000000; i++)", work));
    BUILD.replace("cc ", "cc -DSEED={seed} ").replace("counter.c", "planted.c")
}

/// Builds of a single source differ as binaries, and the verdict says whether it is about the binaries or about the
/// source.
#[test]
fn two_layouts_of_one_source_differ_and_the_source_does_not() {
    let lab = yard();
    let build = planted(&lab);
    let words = ["--metric", "cpu", "--format", "json", "--check", "none"];
    let binaries = ["compare", "--build", &build, "--link-seeds", "widest:16"];
    let binaries = lab.run(&[&binaries[..], &words].concat()).succeeds().json();
    let found = first(&binaries);
    assert_eq!(
        (found["verdict"].as_str(), found["scope"].as_str()),
        (Some("different"), Some("binaries")),
        "{found}"
    );
    assert!(found["effect_ratio"].as_f64().unwrap() > 1.0, "{found}");
    assert_eq!(binaries["variants"].as_array().unwrap().len(), 2);
    assert!(
        binaries["warnings"].to_string().contains("chosen as the fastest and the slowest of 16"),
        "{binaries}"
    );

    let source =
        ["compare", "--build-a", &build, "--build-b", &build, "--level", "0.1%", "--max-pairs", "32"];
    let source = lab.run(&[&source[..], &words].concat()).succeeds().json();
    let found = first(&source);
    assert_eq!(found["scope"], "source", "{found}");
    assert_ne!(found["verdict"], "different", "{found}");
    let variants = source["variants"].as_array().unwrap();
    let seeds: HashSet<u64> = variants.iter().map(|one| one["link_seed"].as_u64().unwrap()).collect();
    assert!(seeds.len() >= 6 && variants.len() == 2 * seeds.len(), "{} variants", variants.len());
    assert!(variants.iter().all(|one| one["blocks"].as_array().unwrap().len() == 1));
    let hashes: HashSet<&str> = variants.iter().map(|one| one["sha256"].as_str().unwrap()).collect();
    assert_eq!(hashes.len(), seeds.len(), "A and B are one source, so a seed gives both the same program");
}

#[test]
fn a_true_difference_is_found_in_the_source() {
    let lab = yard();
    // Ten times the work, which no disturbance can hide.
    lab.write("slow.c", &COUNTER.replace("12000000", "120000000").replace("record + 12", "record + 8"));
    lab.write("counter.c", &COUNTER.replace("record + 12", "record + 8"));
    let b = BUILD.replace("counter.c", "slow.c");
    let done = lab
        .run(&["compare", "-v", "--build-a", BUILD, "--build-b", &b, "--check", "none", "--metric", "cpu"])
        .succeeds();
    let text = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let phrases = [
        "B is slower than A by",
        "for the source (every block had a layout of its own)",
        "layouts,",
        "varied: padding",
    ];
    assert!(phrases.iter().all(|phrase| text.contains(phrase)), "{text}");
}

/// Parameters are filled into build lines, objects are linked in different orders, and a definition has the same effect
/// as the command line.
#[test]
fn builds_take_parameters_objects_and_definitions() {
    let lab = yard();
    lab.write("other.c", &COUNTER.replace("12000000", "12000001"));
    let build = "cc -O1 {link_flags} -o {out} {source}.c";
    let words =
        ["compare", "--build", build, "-L", "source=counter,other", "--max-pairs", "6", "--format", "json"];
    let found = lab.run(&words).succeeds().json();
    let names: Vec<&str> =
        found["commands"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["{program} source=counter", "{program} source=other"]);
    assert_eq!(first(&found)["scope"], "source");

    lab.shell("cc -c -O1 counter.c && echo 'int unused(void) { return 1; }' >unused.c && cc -c unused.c");
    let link = "cc {objects} -o {out}";
    let words =
        ["compare", "{program}", "{program} x", "--link", link, "--max-pairs", "6", "--format", "json"];
    let found = lab.run(&[&words[..], &["--objects", "counter.o", "unused.o"]].concat()).succeeds().json();
    let variation = &found["variants"][0]["variation"];
    assert!(variation["object_order"].is_u64() && variation["padding"]["drawn"].is_u64(), "{variation}");

    lab.write(
        "saved.toml",
        "[[command]]\ncommand = '{program}'\nname = 'one'\nbuild = { line = 'cc {link_flags} -o {out} counter.c' }\n\
         [[command]]\ncommand = '{program}'\nname = 'two'\nbuild = { line = 'cc {link_flags} -o {out} counter.c' }\n\
         [rule]\nmax_pairs = 6\n",
    );
    let found = lab
        .run(&["compare", "--input", "saved.toml", "--vary", "padding", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(first(&found)["scope"], "source");
    assert!(found["variants"][0]["variation"]["alignment_bytes"].is_null());
}

#[test]
fn builds_that_go_wrong_say_what() {
    let lab = yard();
    let compare =
        |a: &str, b: &str| lab.run(&["compare", "--build-a", a, "--build-b", b, "--max-pairs", "6"]);
    let broken = compare("cc -o {out} no-such-file.c", BUILD);
    assert!(broken.err.contains("no-such-file.c: No such file"), "its output is shown: {}", broken.err);
    broken.ends_with(4);
    compare("true", BUILD).complains(2, &["made no program", "{out}"]);
    compare("cc -DX={seed} -include x.h -o {out} counter.c", BUILD).ends_with(4);
    lab.write("seeded.c", "#include <stdio.h>\nint main(void) { printf(\"%ld\\n\", (long)SEED); }\n");
    compare("cc -DSEED={seed} -o {out} seeded.c", BUILD)
        .complains(4, &["another output", "not the same program"]);
    lab.write(
        "clock.c",
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf(\"%d\\n\", getpid()); }\n",
    );
    compare("cc {link_flags} -o {out} clock.c", BUILD).complains(2, &["--check"]);
    let command = ["compare", "true", "--build-a", BUILD, "--build-b", BUILD];
    lab.run(&command).complains(2, &["`true` does not use the program", "{program}"]);
    lab.run(&["compare", "--build", BUILD, "--link-seeds", "3"]).complains(2, &["two or more"]);
    lab.run(&["compare", "a", "b", "--link-seeds", "3,4"]).complains(2, &["one command"]);
    let vary = ["compare", "--build-a", BUILD, "--build-b", BUILD, "--vary", "luck"];
    lab.run(&vary).complains(2, &["there is no way to vary `luck`"]);
    for (verb, option) in [("compare", "--check"), ("sweep", "--vary"), ("explain", "--check")] {
        let commands: &[&str] = if verb == "sweep" { &["env-size=0,64", "true"] } else { &["true"] };
        let two: &[&str] = if verb == "compare" { &["false"] } else { &[] };
        let words = [&[verb], commands, two, &[option, "padding"]].concat();
        lab.run(&words).complains(2, &[option, "there is none", "--build"]);
    }
    let gone =
        ["compare", "{program}", "{program}", "--link", "cc {objects} -o {out}", "--objects", "gone.o"];
    lab.run(&gone).complains(2, &["gone.o"]);
}

#[test]
fn a_build_that_varies_nothing_is_said_to() {
    let lab = yard();
    let build = "cc -O1 -o {out} counter.c";
    let words = ["compare", "--build-a", build, "--build-b", build, "--max-pairs", "6", "--format", "json"];
    let found = lab.run(&words).succeeds().json();
    assert_eq!(first(&found)["scope"], "binaries");
    assert!(found["warnings"].to_string().contains("nothing was varied"), "{}", found["warnings"]);
}

/// With the same seed the second session finds its layouts in the cache; with a changed source it does not.
#[test]
fn layouts_come_back_from_the_cache_with_the_same_seed() {
    let lab = yard();
    let words = [
        "compare",
        "--build-a",
        BUILD,
        "--build-b",
        BUILD,
        "--max-pairs",
        "6",
        "--seed",
        "7",
        "--format",
        "json",
    ];
    let hashes = || -> Vec<String> {
        let found = lab.run(&words).succeeds().json();
        let variants = found["variants"].as_array().unwrap().iter();
        variants.map(|one| one["sha256"].as_str().unwrap().to_owned()).collect()
    };
    // The number of blocks for six pairs depends on how long builds take, so hashes are compared over the common
    // beginning.
    let same = |a: &[String], b: &[String]| a.iter().zip(b).filter(|(a, b)| a == b).count();
    let before = hashes();
    let made = |hash: &str| {
        let folders = std::fs::read_dir(lab.path(".cache/fauxplat/variants")).unwrap().flatten();
        let of_hash = folders.filter(|it| std::fs::read_to_string(it.path().join("sha256")).unwrap() == hash);
        of_hash.map(|it| it.path().join("program").metadata().unwrap().modified().unwrap()).max().unwrap()
    };
    let built = made(&before[0]);
    let again = hashes();
    assert_eq!(same(&before, &again), before.len().min(again.len()));
    assert_eq!(made(&before[0]), built, "not built anew");
    lab.write("counter.c", &COUNTER.replace("12000000", "12000002"));
    assert_eq!(same(&before, &hashes()), 0);
}
