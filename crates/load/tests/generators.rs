//! Tests with real generators. The test program is its own generator, and therefore has a `main`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test program prints, and is a parent itself"
)]

use std::path::PathBuf;
use std::time::Duration;

use fauxplat_kernels::Caches;
use fauxplat_load::{Generator, LoadError, Loads, Order, Program, Rhythm, serve};
use fauxplat_model::LoadKind;
use fauxplat_sys::{clock, process, sched, signal};
use fauxplat_units::{Bytes, Cpu, CpuSet};

/// Number of SIGINT, see `signal(7)`.
const SIGINT: i32 = 2;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("__generator") => return serve(&words[1..]).expect("the generator serves"),
        Some("__parent") => return parent(),
        _ => {}
    }
    let tests: [(&str, fn()); 9] = [
        ("works and rests as told", works_and_rests_as_told),
        ("accounts add up", accounts_add_up),
        ("refusals name place and reason", refusals_name_place_and_reason),
        ("strangers are not served", strangers_are_not_served),
        ("ends when it is dropped", ends_when_it_is_dropped),
        ("ends with its parent", ends_with_its_parent),
        ("an ended generator says so", an_ended_generator_says_so),
        ("loads are over when none is left", loads_are_over_when_none_is_left),
        // The last test changes the reaction of this process to SIGINT.
        ("a start that is interrupted ends", a_start_that_is_interrupted_ends),
    ];
    let filter = words.iter().find(|word| !word.starts_with('-'));
    let chosen: Vec<_> =
        tests.iter().filter(|(name, _)| filter.is_none_or(|f| name.contains(f.as_str()))).collect();
    for (name, test) in &chosen {
        test();
        println!("test {name} ... ok");
    }
    let left = tests.len() - chosen.len();
    println!(
        "\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; {left} filtered out",
        chosen.len()
    );
}

fn program() -> Program {
    Program { path: std::env::current_exe().unwrap(), words: vec!["__generator".into()] }
}

fn cpu() -> CpuSet {
    sched::affinity(0).unwrap().iter().take(1).collect()
}

fn order(kind: LoadKind, percent: u8) -> Order {
    let caches = Caches { l2: Bytes(64 << 10), llc: Bytes(256 << 10), ..Caches::default() };
    Order { kind, rhythm: Rhythm::Share(percent), cpus: Some(cpu()), caches, folder: PathBuf::from("/tmp") }
}

fn is_gone(pid: i32) -> bool {
    process::start_ticks(pid.unsigned_abs()).is_none()
}

/// Whether the condition becomes true within two minutes, which suffice on a very busy machine.
fn eventually(mut done: impl FnMut() -> bool) -> bool {
    let until_ns = clock::monotonic_ns() + 120_000_000_000;
    while !done() {
        if clock::monotonic_ns() > until_ns {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

fn works_and_rests_as_told() {
    let generator = Generator::start(&program(), order(LoadKind::Integer, 100)).unwrap();
    assert_eq!(generator.account().busy_ns, 0, "it rests until it is told");
    generator.work();
    assert!(eventually(|| generator.account().operations > 0), "it works");
    generator.rest();
    // An account is complete when the generator has come to rest, which a busy CPU may delay.
    let mut last = generator.account();
    assert!(
        eventually(|| {
            std::thread::sleep(Duration::from_millis(100));
            let now = generator.account();
            std::mem::replace(&mut last, now.clone()).operations == now.operations
        }),
        "it rests again"
    );
}

fn accounts_add_up() {
    for kind in [LoadKind::Integer, LoadKind::L1, LoadKind::Faults, LoadKind::Switches] {
        let loads = Loads::start(&program(), vec![order(kind, 50), order(kind, 20)]).unwrap();
        assert!(eventually(|| loads.accounts().iter().all(|account| account.operations > 0)), "{kind}");
        let accounts = loads.end();
        for (account, asked_percent) in accounts.iter().zip([50, 20]) {
            assert_eq!(
                (account.kind, account.asked_percent, account.cpu),
                (kind, asked_percent, cpu().first())
            );
            assert!(account.busy_ns > 0 && account.busy_ns <= account.wall_ns, "{account:?}");
            let share = account.busy_ns as f64 / account.wall_ns as f64 * 100.0;
            assert!(account.achieved_percent.is_some_and(|told| (told - share).abs() < 1e-6), "{account:?}");
            assert_eq!((account.ended.as_deref(), account.watchdog_frees), (None, 0));
        }
    }
}

fn refusals_name_place_and_reason() {
    let nowhere = Order { cpus: Some([Cpu(99_999)].into_iter().collect()), ..order(LoadKind::Integer, 10) };
    let refusal = Generator::start(&program(), nowhere.clone()).unwrap_err();
    assert!(matches!(refusal, LoadError::Place { .. }), "{refusal}");
    assert!(refusal.to_string().contains("99999") && refusal.to_string().contains("integer"), "{refusal}");
    let folder = PathBuf::from("/proc/no/such/folder");
    let refusal = Generator::start(&program(), Order { folder, ..order(LoadKind::Files, 10) }).unwrap_err();
    assert!(matches!(refusal, LoadError::Failed { kind: LoadKind::Files, .. }), "{refusal}");
    // The first generator, which can be started, is ended since the second cannot.
    assert!(Loads::start(&program(), vec![order(LoadKind::Integer, 10), nowhere]).is_err());
    let none = Program { path: "/no/such/program".into(), words: Vec::new() };
    assert!(Generator::start(&none, order(LoadKind::Integer, 10)).is_err());
}

fn strangers_are_not_served() {
    for words in [
        &[][..],
        &["1", "2"],
        &["a", "b", "c", "integer", "10", "0", "1,2,3,4", "/"],
        &["1", "2", "3", "nonsense"],
    ] {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        assert!(matches!(serve(&words), Err(LoadError::Stranger)), "{words:?}");
    }
    // Words in the right format, from a process that is not the parent, and with descriptors that are not shared
    // memory.
    let serves = |parent: &str| {
        let words = ["__generator", "0", "1", parent, "integer", "100", "anywhere", "1,1,1,64", "/tmp"];
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(words).stdin(std::process::Stdio::null()).output().unwrap()
    };
    let of_another = serves("1");
    assert!(of_another.status.success() && of_another.stderr.is_empty(), "{of_another:?}");
    let without_a_board = serves(&std::process::id().to_string());
    assert!(!without_a_board.status.success(), "{without_a_board:?}");
}

fn ends_when_it_is_dropped() {
    let generator = Generator::start(&program(), order(LoadKind::Integer, 10)).unwrap();
    let pid = generator.pid();
    assert!(!is_gone(pid));
    signal::send(pid, SIGINT);
    generator.work();
    assert!(eventually(|| generator.account().operations > 0), "what a terminal sends is ignored");
    drop(generator);
    assert!(is_gone(pid), "a drop waits for the end");
}

/// Run by [`ends_with_its_parent`]: holds a generator, prints its process id, and waits to be killed.
fn parent() {
    let generator = Generator::start(&program(), order(LoadKind::Integer, 10)).expect("a generator");
    generator.work();
    println!("{}", generator.pid());
    std::thread::sleep(Duration::from_secs(600));
}

fn ends_with_its_parent() {
    use std::io::{BufRead, BufReader};
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let mut child = command.arg("__parent").stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid: i32 = line.trim().parse().unwrap();
    assert!(!is_gone(pid));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(eventually(|| is_gone(pid)), "generator {pid} outlives its parent");
}

fn an_ended_generator_says_so() {
    let generator = Generator::start(&program(), order(LoadKind::Integer, 10)).unwrap();
    assert_eq!(generator.account().ended, None);
    signal::send(generator.pid(), signal::SIGKILL);
    assert!(eventually(|| generator.account().ended.is_some_and(|why| why.contains("ended"))));
    // Calls on a generator that is gone do not block.
    generator.work();
    generator.rest();
}

fn loads_are_over_when_none_is_left() {
    let loads =
        Loads::start(&program(), vec![order(LoadKind::Integer, 10), order(LoadKind::Float, 10)]).unwrap();
    let generators = children();
    assert_eq!(generators.len(), 2);
    assert_eq!(loads.all_over(), None);
    signal::send(generators[0], signal::SIGKILL);
    assert!(eventually(|| is_gone(generators[0])));
    assert_eq!(loads.all_over(), None, "the other goes on");
    signal::send(generators[1], signal::SIGKILL);
    assert!(eventually(|| loads.all_over().is_some_and(|why| why.contains("its process was ended"))));
}

/// Child processes of this test program.
fn children() -> Vec<i32> {
    let us = std::process::id();
    let list = std::fs::read_to_string(format!("/proc/{us}/task/{us}/children")).unwrap();
    list.split_ascii_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// A program that is no generator never becomes ready, like a generator that never gets its CPU. If the interruption
/// were ignored, the start would report the end of the program instead.
fn a_start_that_is_interrupted_ends() {
    signal::stop_on_interrupt().unwrap();
    let sleeper = Program { path: "/bin/sh".into(), words: vec!["-c".into(), "exec sleep 100".into()] };
    let asking = std::thread::spawn(|| {
        assert!(eventually(|| !children().is_empty()));
        signal::send(std::process::id() as i32, SIGINT);
    });
    let refusal = Generator::start(&sleeper, order(LoadKind::Integer, 10)).unwrap_err();
    assert!(matches!(refusal, LoadError::Interrupted), "{refusal}");
    asking.join().unwrap();
    assert!(children().is_empty(), "what was begun is ended");
    // The next generator is not even started.
    let refusal = Loads::start(&program(), vec![order(LoadKind::Integer, 10)]).unwrap_err();
    assert!(matches!(refusal, LoadError::Interrupted), "{refusal}");
    signal::clear_stop();
}
