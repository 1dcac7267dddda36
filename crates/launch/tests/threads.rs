//! Tests of thread placement with real processes. The test program is its own spawner, and also the program whose
//! threads are placed, and therefore has a `main`.
#![expect(clippy::disallowed_macros, reason = "a test program of its own prints")]

mod support;

use std::path::{Path, PathBuf};

use fauxplat_launch::{Entry, Launcher, Reply, RunEnd, Stdout, ThreadCpus};
use fauxplat_sys::process::Exit;
use fauxplat_sys::sched;
use fauxplat_units::Cpu;
use support::{reply_to, request, shell, spawner};

fn main() {
    if std::env::args().nth(1).is_some_and(|word| word == SUBJECT) {
        return subject();
    }
    let tests: [(&str, fn()); 7] = [
        ("threads get the CPUs of the list in turn", threads_get_the_cpus_of_the_list_in_turn),
        ("once leaves further threads alone", once_leaves_further_threads_alone),
        ("another program in the process begins anew", another_program_in_the_process_begins_anew),
        ("what is forked is not placed", what_is_forked_is_not_placed),
        ("a place that no thread can have ends the run", a_place_that_no_thread_can_have_ends_the_run),
        ("a traced program has its signals and its end", a_traced_program_has_its_signals_and_its_end),
        ("a heap is displaced beside it", a_heap_is_displaced_beside_it),
    ];
    support::run(&tests);
}

/// Argument with which this test program acts as the program whose threads are placed.
const SUBJECT: &str = "__threads";
/// Number of threads besides the first; each is created after the previous thread has ended.
const THREADS: usize = 3;

/// Prints the affinity of each thread, and then whether the process is traced.
fn subject() {
    let tell = || println!("{}", sched::affinity(0).expect("a thread knows its affinity"));
    tell();
    for _ in 0..THREADS {
        std::thread::spawn(tell).join().expect("the thread ends");
    }
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a status");
    println!("traced: {}", !status.contains("TracerPid:\t0\n"));
}

/// The last and the first usable CPU: equal where there is only one.
fn two() -> [Cpu; 2] {
    let allowed = sched::affinity(0).unwrap();
    [allowed.iter().last().unwrap(), allowed.first().unwrap()]
}

fn list(cpus: &[Cpu], once: bool) -> Option<ThreadCpus> {
    Some(ThreadCpus { cpus: cpus.to_vec(), once })
}

fn folder(name: &str) -> PathBuf {
    let folder = support::scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Entry that runs this program with the verb [`SUBJECT`].
fn own(threads: Option<ThreadCpus>) -> Entry {
    let program = std::env::current_exe().unwrap().display().to_string();
    Entry { program, argv: vec!["subject".into(), SUBJECT.into()], threads, ..Entry::default() }
}

/// Lines of standard output of a program, which exits with status 0.
fn said(entry: Entry, name: &str) -> Vec<String> {
    let folder = folder(name);
    let out = folder.join("out");
    std::fs::write(&out, "").unwrap();
    let reply = once(Entry { stdout: Stdout::File(out.clone()), ..entry });
    assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
    let lines = lines(&out);
    std::fs::remove_dir_all(folder).unwrap();
    lines
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn once(entry: Entry) -> Reply {
    reply_to(&mut spawner(vec![entry]), request(0))
}

fn expected(cpus: [Cpu; THREADS + 1], traced: bool) -> Vec<String> {
    cpus.iter().map(Cpu::to_string).chain([format!("traced: {traced}")]).collect()
}

fn threads_get_the_cpus_of_the_list_in_turn() {
    let [a, b] = two();
    assert_eq!(said(own(list(&[a, b], false)), "turn"), expected([a, b, a, b], true));
    assert_eq!(said(own(list(&[b], false)), "one"), expected([b; 4], true));
    let all = sched::affinity(0).unwrap().to_string();
    let free = said(own(None), "free");
    assert_eq!(free, [all.as_str(), &all, &all, &all, "traced: false"], "nobody asked for places");
}

fn once_leaves_further_threads_alone() {
    let [a, b] = two();
    // Later threads inherit the affinity of the first thread, which creates them.
    assert_eq!(said(own(list(&[a, b], true)), "once"), expected([a, b, a, a], false));
    assert_eq!(said(own(list(&[b], true)), "only"), expected([b; 4], false));
    // With more CPUs than threads the program is traced to its end.
    assert_eq!(said(own(list(&[a, b, b, a, a], true)), "more"), expected([a, b, b, a], true));
}

/// Entry that starts this program by a shell line.
fn by_shell(line: &str, threads: Option<ThreadCpus>) -> Entry {
    let own = own(None);
    Entry { threads, ..shell(&line.replace("SUBJECT", &format!("{} {SUBJECT}", own.program))) }
}

fn another_program_in_the_process_begins_anew() {
    let [a, b] = two();
    let said = said(by_shell("exec SUBJECT", list(&[a, b], false)), "exec");
    assert_eq!(said, expected([a, b, a, b], true));
}

fn what_is_forked_is_not_placed() {
    let [a, b] = two();
    let said = said(by_shell("SUBJECT; true", list(&[a, b], false)), "fork");
    assert_eq!(said, expected([a; 4], false), "it inherits the CPU of the thread that made it");
}

fn a_place_that_no_thread_can_have_ends_the_run() {
    let [a, _] = two();
    let nowhere = Cpu(99_999);
    for places in [vec![nowhere], vec![a, nowhere], vec![a, a, nowhere]] {
        let mut spawner = spawner(vec![own(list(&places, false)), shell("exit 3")]);
        let reply = reply_to(&mut spawner, request(0));
        let error = spawner.start_error(0, reply.end).expect("it was refused").to_string();
        assert!(error.contains("--pin-threads") && error.contains("Invalid argument"), "{error}");
        let next = reply_to(&mut spawner, request(1));
        assert_eq!(next.end, RunEnd::Ended(Exit::Status(3)), "the spawner is none the worse");
    }
}

fn a_traced_program_has_its_signals_and_its_end() {
    let [a, b] = two();
    let placed = |line: &str| Entry { threads: list(&[a, b], false), ..shell(line) };
    let end = |line: &str| once(placed(line)).end;
    assert_eq!(end("trap 'exit 5' USR1; kill -USR1 $$; exit 4"), RunEnd::Ended(Exit::Status(5)));
    assert_eq!(end("kill -SEGV $$"), RunEnd::Ended(Exit::Signal(11)));
    assert_eq!(
        end("kill -STOP $$; exit 6"),
        RunEnd::Ended(Exit::Status(6)),
        "who is traced cannot stay stopped"
    );
    let late = Entry { timeout_ns: Some(50_000_000), ..placed("sleep 100 & sleep 100") };
    assert_eq!(once(late).end, RunEnd::TimedOut);
    let left = once(placed("sleep 100 & exit 0"));
    assert_eq!((left.end, left.left_behind), (RunEnd::Ended(Exit::Status(0)), 1));
}

fn a_heap_is_displaced_beside_it() {
    if !cfg!(target_arch = "x86_64") {
        return println!("skipped: heaps are displaced on x86-64 alone");
    }
    let [a, b] = two();
    let entry = Entry { heap_offset_bytes: Some(64), ..own(list(&[a, b], true)) };
    assert_eq!(said(entry, "heap"), expected([a, b, a, a], false));
}
