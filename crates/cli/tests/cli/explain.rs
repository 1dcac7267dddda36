//! `fauxplat explain`: effects that a program has by design are attributed to their factors, the levels of each run
//! follow from the seed, and bad input is refused.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Lab, all_runs, allowed, first_cpu, number};

/// Compiles the program with planted effects; `None`, with a message, without a compiler.
fn planted(lab: &Lab) -> Option<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/explain/planted.c");
    let out = lab.file("planted");
    match Command::new("cc").args(["-O1", "-o", &out]).arg(source).status() {
        Ok(status) => {
            assert!(status.success());
            Some("./planted".to_owned())
        }
        Err(error) => {
            println!("skipped: no C compiler ({error})");
            None
        }
    }
}

fn component<'a>(document: &'a Value, factor: &str) -> Option<&'a Value> {
    document["components"].as_array().unwrap().iter().find(|component| component["factor"] == factor)
}

/// Share of a factor in the points that are explained by it or by the other factors of the design. The components of
/// CPU and time are left out, unless the factor is the CPU: other load on the machine can make them arbitrarily large.
fn attributed(document: &Value, factor: &str) -> f64 {
    let points = |component: &Value| component["points_percent"].as_f64().unwrap();
    let all = document["components"].as_array().unwrap();
    let designed = |name: &str| is_of(name, factor) || !["cpu", "drift", "residual"].contains(&name);
    let name = |one: &Value| one["factor"].as_str().unwrap().to_owned();
    let sum =
        |which: &dyn Fn(&str) -> bool| all.iter().filter(|one| which(&name(one))).map(points).sum::<f64>();
    sum(&|name| is_of(name, factor)) / sum(&designed)
}

/// Whether a component belongs to a factor. A factor whose levels are ranges of displacements has two components: one
/// between the levels, and one within them, named `-place`.
fn is_of(name: &str, factor: &str) -> bool {
    name == factor || name.strip_suffix("-place") == Some(factor)
}

#[test]
fn planted_effects_go_to_their_factors() {
    let lab = Lab::new();
    let Some(planted) = planted(&lab) else { return };
    let cpus = allowed();
    let (first, slow) = (cpus[0], cpus[cpus.len() - 1]);
    // All allowed CPUs would be too many: a few would be chosen, perhaps without the slow one.
    let both = format!("{first},{slow}");
    for (word, factor) in [("cpu", "cpu"), ("stack", "env-size"), ("heap", "heap")] {
        if word == "cpu" && first == slow {
            println!("skipped: one CPU has nothing to be compared with");
            continue;
        }
        // CPU time is explained, since other tests at the same time change it less than wall time. The rounds take much
        // longer than the start of the program, whose time varies most.
        let command = format!("{planted} {word} 1600000 {slow}");
        let words = ["explain", &command, "--blocks", "64", "--metric", "cpu", "--seed", "5"];
        let placed = if word == "cpu" { &["--cpu", &both][..] } else { &[] };
        let document = lab.json(&[&words[..], placed].concat());
        assert_eq!(document["schema"], "fauxplat.explain/2");
        assert!(attributed(&document, factor) >= 0.8, "{word}: {}", document["components"]);
        let parts = document["components"].as_array().unwrap().iter();
        let own = parts.filter(|one| is_of(one["factor"].as_str().unwrap(), factor));
        let least = own.filter_map(|one| one["p_adjusted"].as_f64()).fold(1.0, f64::min);
        assert!(least <= 0.01, "{word}: {}", document["components"]);
        assert_eq!(number(&document, "runs"), 64 * 16);
    }
}

#[test]
fn several_commands_are_a_factor() {
    let lab = Lab::new();
    let Some(planted) = planted(&lab) else { return };
    let (short, long) = (format!("{planted} none 400000"), format!("{planted} none 4000000"));
    let words = ["explain", &short, &long, "--names", "short,long", "--blocks", "12", "--metric", "cpu"];
    let document = lab.json(&[&words[..], &["--factors", "env-size"]].concat());
    assert!(attributed(&document, "command") >= 0.8, "{}", document["components"]);
    let levels = &component(&document, "command").unwrap()["levels"];
    assert_eq!((&levels[0]["level"], &levels[1]["level"]), (&"short".into(), &"long".into()));
    assert!(levels[1]["ratio"].as_f64() > levels[0]["ratio"].as_f64());
    assert!(component(&document, "heap").is_none() && component(&document, "cpu").is_none());
}

/// Source of a program that does ten times the work for every second seed.
const SEEDED: &str = "int main(void) { volatile double sum = 0; for (long i = SEED; i < 300000L * (1 + 9 * (SEED % 2)); i++) sum += i; }";

#[test]
fn layouts_of_one_program_are_a_factor() {
    let lab = Lab::new();
    lab.write("work.c", SEEDED);
    let build = "cc -O1 -DSEED={seed} -o {out} work.c";
    // All runs are on one CPU, since the load of a neighbour would be an effect of the factor CPU.
    let cpu = first_cpu();
    let words =
        ["explain", "--build", build, "--layouts", "6", "--blocks", "12", "--metric", "cpu", "--cpu", &cpu];
    let document = lab.json(&words);
    assert!(attributed(&document, "layout") >= 0.8, "{}", document["components"]);
    let levels = component(&document, "layout").unwrap()["levels"].as_array().unwrap();
    let ratios: Vec<f64> = levels.iter().map(|level| level["ratio"].as_f64().unwrap()).collect();
    assert_eq!((levels.len(), document["variants"].as_array().unwrap().len()), (6, 6));
    assert!(ratios.iter().filter(|&&ratio| ratio > 1.0).count() == 3, "{ratios:?}");
}

#[test]
fn a_build_that_varies_nothing_is_said_to_and_one_that_fails_is_shown() {
    let lab = Lab::new();
    lab.write("work.c", "int main(void) { return 0; }");
    let build = "cc -O1 -o {out} work.c";
    let document = lab.json(&["explain", "--build", build, "--layouts", "3", "--blocks", "3"]);
    assert!(document["not_measured"].to_string().contains("nothing was varied"), "{document}");
    assert!(component(&document, "layout").is_none());
    let broken = lab.run(&["explain", "--build", "cc -o {out} none.c", "--blocks", "3"]);
    assert!(broken.code != Some(0) && broken.err.contains("none.c"), "{broken:?}");
    lab.run(&["explain", "{program} 1", "{program} 2", "--build", build]).complains(2, &["one command"]);
}

#[test]
fn the_seed_tells_the_design_again() {
    let lab = Lab::new();
    let once = |seed: &str| {
        let document = lab.json(&["explain", "true", "--blocks", "3", "--seed", seed]);
        let measured = all_runs(&document).into_iter().filter(|(_, run)| run["phase"] == "measured");
        measured.map(|(_, run)| (number(run, "block"), run["env_pad_bytes"].clone())).collect::<Vec<_>>()
    };
    let runs = once("9");
    assert_eq!(runs.len(), 48);
    assert_eq!(runs, once("9"));
    assert_ne!(runs, once("10"));
}

#[test]
fn what_cannot_be_varied_is_said() {
    let lab = Lab::new();
    let words = ["explain", "true", "--blocks", "2", "--aslr", "on", "--cpu", &first_cpu()];
    let document = lab.json(&words);
    let missing: Vec<&str> =
        document["not_measured"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for word in ["env-size:", "heap:", "cpu:"] {
        assert!(missing.iter().any(|reason| reason.starts_with(word)), "{word} {missing:?}");
    }
    let factors: Vec<&Value> =
        document["components"].as_array().unwrap().iter().map(|one| &one["factor"]).collect();
    assert!(factors.iter().all(|&factor| factor == "order" || factor == "drift" || factor == "residual"));
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let lab = Lab::new();
    lab.run(&["explain"]).complains(2, &["no command"]);
    lab.run(&["explain", "true", "--blocks", "1"]).complains(2, &["--blocks"]);
    lab.run(&["explain", "true", "--factors", "moon"]).complains(2, &["moon"]);
    let fixed = ["explain", "true", "--factors", "cpu,env-size", "--env-pad", "64"];
    lab.run(&fixed).complains(2, &["--factors env-size", "--env-pad"]);
    lab.run(&["explain", "false", "--blocks", "3"]).complains(4, &["status 1"]);
}
