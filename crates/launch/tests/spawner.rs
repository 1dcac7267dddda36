//! Tests of the real spawner. The test program is its own spawner, and therefore has a `main`.
#![expect(clippy::disallowed_macros, reason = "a test program of its own prints")]

mod support;

use std::path::PathBuf;

use fauxplat_launch::{
    Entry, LaunchError, Launcher, Pad, Reply, Request, RunEnd, Spawner, Stdin, Stdout, Table,
};
use fauxplat_model::{Metric, MetricSet, Process, Readings};
use fauxplat_sys::inherited::Signals;
use fauxplat_sys::process::{Exit, is_root};
use support::{program, reply_to, request, scratch, shell, spawner};

fn main() {
    let tests: [(&str, fn()); 24] = [
        ("reads every metric", reads_every_metric),
        ("the stack is limited as the entry says", the_stack_is_limited_as_the_entry_says),
        ("reports status and signal", reports_status_and_signal),
        ("says why a program cannot start", says_why_a_program_cannot_start),
        ("ends what never ends", ends_what_never_ends),
        ("ends what is left behind", ends_what_is_left_behind),
        ("counts a sub-shell's children", counts_a_sub_shells_children),
        ("peak memory is the command's own", peak_memory_is_the_commands_own),
        ("survives a flood and a closed stdin", survives_a_flood_and_a_closed_stdin),
        ("stdin starts anew in each run", stdin_starts_anew_in_each_run),
        ("a stack offset is the same for all", a_stack_offset_is_the_same_for_all),
        ("displaces the heap", displaces_the_heap),
        ("lists the tree", lists_the_tree),
        ("keeps the beginning of long command lines", keeps_the_beginning_of_long_command_lines),
        ("a tree that is growing is ended", a_tree_that_is_growing_is_ended),
        ("a tree that never sleeps is ended", a_tree_that_never_sleeps_is_ended),
        ("a signal to its whole group is the program's own", a_signal_to_its_whole_group_is_the_programs_own),
        ("whoever asks to be traced runs to its end", whoever_asks_to_be_traced_runs_to_its_end),
        ("stops on request", stops_on_request),
        ("a killed spawner takes its program along", a_killed_spawner_takes_its_program_along),
        (
            "a killed spawner takes along what left its group",
            a_killed_spawner_takes_along_what_left_its_group,
        ),
        ("a dead spawner is waited for once", a_dead_spawner_is_waited_for_once),
        ("answers many requests in order", answers_many_requests_in_order),
        ("tells what is announced", tells_what_is_announced),
    ];
    support::run(&tests);
}

fn once(entry: Entry) -> Reply {
    reply_to(&mut spawner(vec![entry]), request(0))
}

fn value(reply: &Reply, metric: Metric) -> u64 {
    let readings = Readings::new(MetricSet::built_in(), reply.readings.clone());
    readings.get(metric).unwrap_or_else(|| panic!("{} was not measured", metric.name()))
}

/// A reply has room for a reading of each metric in the table, however many there are.
fn tells_what_is_announced() {
    for count in [1, 15, 115] {
        let names = (1..count).map(|number| Metric::from_id(&format!("simulated:m{number}")).unwrap());
        let metrics: Vec<Metric> = names.chain([Metric::WALL]).collect();
        let table = Table { entries: vec![shell("true")], metrics, ..Table::default() };
        let mut spawner = Spawner::start(&program(), table).unwrap();
        for _ in 0..2 * spawner.depth() {
            let reply = reply_to(&mut spawner, request(0));
            assert_eq!(reply.readings.len(), count, "{:?}", reply.end);
            let (wall, others) = reply.readings.split_last().unwrap();
            assert!(wall.get().is_some() && others.iter().all(|other| other.get().is_none()), "{reply:?}");
        }
        assert_eq!(spawner.metrics().len(), count);
    }
}

fn the_stack_is_limited_as_the_entry_says() {
    let limited = |line: &str, bytes| Entry { stack_limit_bytes: Some(bytes), ..shell(line) };
    let own = limited("test $(ulimit -S -s) = 1024", 1 << 20);
    assert_eq!(once(own).end, RunEnd::Ended(Exit::Status(0)));
    // To lift the soft limit of the stack, a process needs a hard limit that is as high, or root; otherwise the program
    // is not started.
    let none = once(limited("test $(ulimit -S -s) = unlimited", u64::MAX)).end;
    assert!(matches!(none, RunEnd::Ended(Exit::Status(0)) | RunEnd::NotStarted(..)), "{none:?}");
}

/// A shell line that uses 64 MiB. The kernel counts pages for each CPU before it sums them up, and on a machine of many
/// CPUs a small program may end while its sum is still zero.
const TOUCH_MEMORY: &str = "dd if=/dev/zero of=/dev/null bs=64M count=1 2>/dev/null";

fn reads_every_metric() {
    let work = format!("{TOUCH_MEMORY}; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
    let mut spawner = spawner(vec![shell(&work)]);
    // The spawner reads `/proc` only for programs whose previous run was long enough, so the first run may lack
    // metrics.
    reply_to(&mut spawner, request(0));
    let reply = reply_to(&mut spawner, request(0));
    assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
    // `RATE` is read by the process that owns the live tables. The other metrics of the list need scheduler statistics
    // without which a kernel may be built.
    let elsewhere = [Metric::RATE, Metric::RUN_DELAY, Metric::MIGRATIONS, Metric::STEAL];
    for metric in Metric::BUILT_IN.iter().copied().filter(|metric| !elsewhere.contains(metric)) {
        value(&reply, metric);
    }
    let (wall, cpu) = (value(&reply, Metric::WALL), value(&reply, Metric::CPU));
    assert!(cpu > 1_000_000 && cpu <= wall, "cpu {cpu} wall {wall}");
    assert_eq!(value(&reply, Metric::USER) + value(&reply, Metric::SYSTEM), cpu);
    assert!(value(&reply, Metric::MINOR_FAULTS) > 10);
    assert!(reply.cpu_first != u16::MAX);
}

fn reports_status_and_signal() {
    assert_eq!(once(shell("exit 3")).end, RunEnd::Ended(Exit::Status(3)));
    assert_eq!(once(shell("kill -SEGV $$")).end, RunEnd::Ended(Exit::Signal(11)));
}

fn says_why_a_program_cannot_start() {
    let fails = |entry: Entry| {
        let mut spawner = spawner(vec![entry]);
        let reply = reply_to(&mut spawner, request(0));
        spawner.start_error(0, reply.end).expect("it cannot start").to_string()
    };
    let missing =
        Entry { program: "/no/such/program".into(), argv: vec!["program".into()], ..Entry::default() };
    assert!(fails(missing.clone()).contains("cannot be executed: No such file"));
    let passwd = Entry { program: "/etc/passwd".into(), ..missing };
    assert!(fails(passwd).contains("Permission denied"));
    let cpus = Some("99999".parse().unwrap());
    assert!(fails(Entry { cpus, ..shell("true") }).contains("CPUs"));
    if !is_root() {
        assert!(fails(Entry { policy: Some((1, 50)), ..shell("true") }).contains("CAP_SYS_NICE"));
    }
    let nowhere = Entry { cwd: Some("/no/such/folder".into()), ..shell("true") };
    let table = Table { entries: vec![nowhere], ..Table::default() };
    let error = Spawner::start(&program(), table).unwrap_err();
    assert!(matches!(error, LaunchError::File { .. }), "{error}");
}

fn ends_what_never_ends() {
    let reply = once(Entry { timeout_ns: Some(50_000_000), ..shell("sleep 100 & sleep 100") });
    assert_eq!(reply.end, RunEnd::TimedOut);
    assert!(value(&reply, Metric::WALL) >= 50_000_000);
}

fn ends_what_is_left_behind() {
    let mark = format!("{}.25", 3000 + std::process::id());
    let reply = once(shell(&format!("sleep {mark} & (setsid sleep {mark} &) ; exit 0")));
    assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
    assert_eq!(reply.left_behind, 2);
    let alive = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| line == format!("sleep\0{mark}\0").as_bytes())
    });
    assert!(!alive, "a process of the command still runs");
}

fn counts_a_sub_shells_children() {
    let burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
    let mut spawner = spawner(vec![shell(burn), shell(&format!("( ( {burn} ) ); true"))]);
    // The machine may lengthen single runs, so the shortest of three are compared.
    let mut least = |entry| {
        let runs = (0..3).map(|_| value(&reply_to(&mut spawner, request(entry)), Metric::CPU));
        runs.min().expect("three runs")
    };
    let [alone, nested] = [0, 1].map(&mut least);
    assert!(nested * 2 > alone, "nested {nested} ns, alone {alone} ns");
}

fn peak_memory_is_the_commands_own() {
    // The memory of this large process must not be counted as that of a small child.
    let big = vec![1u8; 200 << 20];
    let small = once(shell("true"));
    let eater = once(shell("head -c 60000000 /dev/zero | tail -c 60000000 | wc -c"));
    assert!(big.iter().step_by(4096).all(|&byte| byte == 1));
    assert!(value(&small, Metric::PEAK_MEMORY) < 20 << 20, "{}", value(&small, Metric::PEAK_MEMORY));
    assert!(value(&eater, Metric::PEAK_MEMORY) > 50 << 20, "{}", value(&eater, Metric::PEAK_MEMORY));
}

fn survives_a_flood_and_a_closed_stdin() {
    assert_eq!(
        once(shell("head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2")).end,
        RunEnd::Ended(Exit::Status(0))
    );
    assert_eq!(once(shell("exec <&- >&- 2>&-; exit 4")).end, RunEnd::Ended(Exit::Status(4)));
}

fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn stdin_starts_anew_in_each_run() {
    let folder = folder("stdin");
    let (input, output) = (folder.join("in"), folder.join("out"));
    std::fs::write(&input, "abc").unwrap();
    let entry = Entry { stdin: Stdin::File(input), stdout: Stdout::File(output.clone()), ..shell("cat") };
    let mut spawner = spawner(vec![entry]);
    for _ in 0..3 {
        reply_to(&mut spawner, request(0));
    }
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "abcabcabc");
    std::fs::remove_dir_all(folder).unwrap();
}

fn a_stack_offset_is_the_same_for_all() {
    // Field 28 of `/proc/PID/stat` is the address of the stack's start, below arguments and environment.
    let folder = folder("stack");
    let output = folder.join("out");
    let entry = |extra: &str| Entry {
        personality: Some(0x0040000),
        stdout: Stdout::File(output.clone()),
        ..shell(&format!("set -- $(cat /proc/$$/stat); shift 27; echo $1 # {extra}"))
    };
    let mut spawner = spawner(vec![entry(""), entry(&"y".repeat(777))]);
    for (entry, offset) in [(0, 1024), (1, 1024), (0, 2048), (0, 0), (1, 0)] {
        reply_to(&mut spawner, Request { pad: Pad::StackOffset(offset), ..request(entry) });
    }
    let text = std::fs::read_to_string(&output).unwrap();
    let starts: Vec<u64> = text.lines().map(|line| line.parse::<u64>().unwrap() % 4096).collect();
    assert_eq!((starts[0], starts[3]), (starts[1], starts[4]), "both programs stand at the same place");
    assert_eq!((starts[0] + 4096 - starts[2]) % 4096, 1024, "and the offset moves them");
    std::fs::remove_dir_all(folder).unwrap();
}

fn displaces_the_heap() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("displaces the heap: NOT TESTED, there is no way to do it on this architecture");
        return;
    }
    let folder = folder("heap");
    let output = folder.join("out");
    let line = "while read -r range rest; do case $rest in *heap*) echo $range;; esac; done < /proc/$$/maps";
    let entry = Entry { stdout: Stdout::File(output.clone()), ..shell(line) };
    let mut spawner = spawner(vec![entry]);
    for heap_offset_bytes in [None, Some(4080), None] {
        let reply = reply_to(&mut spawner, Request { heap_offset_bytes, ..request(0) });
        assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
    }
    // The allocator takes the same amount from a start that the offset displaces, and the end of the heap is
    // page-aligned.
    let text = std::fs::read_to_string(&output).unwrap();
    let bytes = |range: &str| {
        let (low, high) = range.split_once('-').unwrap();
        u64::from_str_radix(high, 16).unwrap() - u64::from_str_radix(low, 16).unwrap()
    };
    let sizes: Vec<u64> = text.lines().map(bytes).collect();
    assert_eq!(sizes, [sizes[0], sizes[0] + 4096, sizes[0]]);
    std::fs::remove_dir_all(folder).unwrap();
}

fn lists_the_tree() {
    let line = format!("sleep 0.01; (sh -c 'exit 3'; true) ; {TOUCH_MEMORY}; true");
    let mut spawner = spawner(vec![shell(&line)]);
    let reply = reply_to(&mut spawner, Request { traced: true, ..request(0) });
    assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
    let tree = spawner.tree();
    let find = |text: &str| {
        tree.iter().find(|process| process.command.starts_with(text)).unwrap_or_else(|| panic!("{tree:?}"))
    };
    let (leader, sleep, inner) = (&tree[0], find("sleep 0.01"), find("sh -c 'exit 3'"));
    assert_eq!(sleep.parent, leader.pid);
    assert!(sleep.wall_ns >= 10_000_000 && leader.wall_ns >= sleep.wall_ns);
    assert!(find("dd ").peak_memory_bytes > 32 << 20);
    assert_ne!(inner.parent, leader.pid, "the sub-shell stands between");
    assert_eq!(inner.outcome, Some(fauxplat_model::Outcome::Exited(3)));
    assert!(tree.iter().all(|process| process.cpu_ns > 0));
}

/// Each process of a tree may have a command line of megabytes.
fn keeps_the_beginning_of_long_command_lines() {
    let mut spawner = spawner(vec![shell(&format!(": {}; (:); true", "x".repeat(100_000)))]);
    let reply = reply_to(&mut spawner, Request { traced: true, ..request(0) });
    assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
    let tree = spawner.tree();
    assert_eq!(tree.len(), 2, "the shell and its sub-shell");
    for process in tree {
        let length = process.command.len();
        assert!(process.command.starts_with("sh -c ': xxx") && process.command.contains('…'), "{process:?}");
        assert!(length < Process::COMMAND_MAX + 100, "{length} bytes");
    }
}

/// The kernel does not report a task that is created at the moment when its creator is killed. A spawner that relies on
/// reports alone waits without end in one of four runs of this kind.
fn a_tree_that_is_growing_is_ended() {
    let growing = |number| shell(&format!("(while :; do sh -c : & done) & sleep 0.0{number}"));
    let mut spawner = spawner((0..5).map(growing).collect());
    for number in 0..40 {
        spawner.submit(Request { traced: true, ..request(number % 5) });
        let late_ns = spawner.now_ns() + 60_000_000_000;
        let reply = loop {
            if let Some(reply) = spawner.try_reply() {
                break reply;
            }
            assert!(spawner.now_ns() < late_ns, "run {number} has no end");
            spawner.wait(1000).unwrap();
        };
        assert_eq!(reply.end, RunEnd::Ended(Exit::Status(0)));
        assert!(!spawner.tree().is_empty());
    }
}

fn stops_on_request() {
    // A stop is requested at once, before the spawner handles it, and then while the spawner runs a program.
    for after_ms in [0, 50] {
        stops_on_request_after(after_ms);
    }
}

fn stops_on_request_after(after_ms: u64) {
    let mut spawner = spawner(vec![shell("sleep 100"), shell("true")]);
    spawner.submit(request(0));
    spawner.submit(request(1));
    std::thread::sleep(std::time::Duration::from_millis(after_ms));
    spawner.abort();
    let mut ends = Vec::new();
    while ends.len() < 2 {
        spawner.wait(1000).unwrap();
        ends.extend(spawner.try_reply().map(|reply| reply.end));
    }
    assert_eq!(ends, [RunEnd::Aborted, RunEnd::Aborted]);
    assert_eq!(reply_to(&mut spawner, request(1)).end, RunEnd::Ended(Exit::Status(0)));
}

fn a_killed_spawner_takes_its_program_along() {
    dies_with_its_spawner("killed", "echo $PPID $$; exec sleep 1000", 2);
}

/// The program leads a session of its own, and its child another one.
fn a_killed_spawner_takes_along_what_left_its_group() {
    let far = "setsid sh -c 'echo $$; setsid sh -c \"echo \\$\\$; exec sleep 1000\" & exec sleep 1000' &";
    dies_with_its_spawner("far", &format!("echo $PPID $$; {far} exec sleep 1000"), 4);
}

/// Kills a spawner, the first of the processes whose ids the program `line` prints, and waits until the others are
/// gone.
fn dies_with_its_spawner(name: &str, line: &str, processes: usize) {
    let folder = folder(name);
    let told = folder.join("pids");
    let mut spawner = spawner(vec![Entry { stdout: Stdout::File(told.clone()), ..shell(line) }]);
    spawner.submit(request(0));
    let pids: Vec<i32> = loop {
        let text = std::fs::read_to_string(&told).unwrap_or_default();
        if text.ends_with('\n') && text.split_whitespace().count() == processes {
            break text.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    fauxplat_sys::signal::send(pids[0], fauxplat_sys::signal::SIGKILL);
    let error = (0..60).find_map(|_| spawner.wait(1000).err()).expect("the death is seen");
    assert!(error.to_string().contains("SIGKILL"), "{error}");
    assert!(spawner.wait(0).is_err(), "and stays seen");
    let alive = || pids[1..].iter().any(|&pid| fauxplat_sys::process::start_ticks(pid as u32).is_some());
    // The kernel needs some time after the signal to remove the process.
    let gone = (0..12_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        !alive()
    });
    assert!(gone, "the program runs on without anybody who waits for it");
    std::fs::remove_dir_all(folder).unwrap();
}

/// In a tree that forks all the time an event is always pending, so no signal interrupts the wait.
fn a_tree_that_never_sleeps_is_ended() {
    let forks = "for i in 1 2 3 4 5 6 7 8; do (while :; do sh -c : & done) & done; wait";
    let mut spawner = spawner(vec![Entry { timeout_ns: Some(300_000_000), ..shell(forks) }]);
    assert_eq!(reply_to(&mut spawner, Request { traced: true, ..request(0) }).end, RunEnd::TimedOut);
}

/// The spawner is in the process group to which the program sends the signal, and must survive it.
fn a_signal_to_its_whole_group_is_the_programs_own() {
    let sends = |name: &str| [format!("trap '' {name}; kill -{name} 0; exit 3"), format!("kill -{name} 0")];
    let names =
        [("TERM", 15), ("HUP", 1), ("INT", 2), ("USR1", 10), ("USR2", 12), ("ALRM", 14), ("PROF", 27)];
    let lines: Vec<String> = names.into_iter().flat_map(|(name, _)| sends(name)).collect();
    let mut spawner = spawner(lines.iter().map(|line| shell(line)).collect());
    for (number, (name, signal)) in (0..).step_by(2).zip(names) {
        // Under `nohup(1)` and the like a shell's child ignores the signal in any case.
        if Signals::at_start().ignores(signal.into()) {
            continue;
        }
        for traced in [false, true] {
            let asked = |entry| Request { traced, ..request(entry) };
            let (ignoring, ending) = (asked(number), asked(number + 1));
            assert_eq!(reply_to(&mut spawner, ignoring).end, RunEnd::Ended(Exit::Status(3)), "{name}");
            assert_eq!(reply_to(&mut spawner, ending).end, RunEnd::Ended(Exit::Signal(signal)), "{name}");
        }
    }
}

/// Programs that resist debuggers ask to be traced, see `PTRACE_TRACEME` in `ptrace(2)`; 101 is the number of the call
/// on x86-64.
fn whoever_asks_to_be_traced_runs_to_its_end() {
    if !cfg!(target_arch = "x86_64") || !PathBuf::from("/usr/bin/perl").exists() {
        println!("whoever asks to be traced: NOT TESTED, it takes perl on x86-64");
        return;
    }
    let asks = "exec perl -e 'syscall(101, 0, 0, 0, 0); exec(q(sh), q(-c), q(exit 5))'";
    let signals =
        "exec perl -e 'syscall(101, 0, 0, 0, 0); $SIG{USR1} = sub { exit 6 }; kill(USR1 => $$); sleep 9'";
    let mut spawner = spawner(vec![shell(asks), shell(signals)]);
    assert_eq!(reply_to(&mut spawner, request(0)).end, RunEnd::Ended(Exit::Status(5)));
    assert_eq!(reply_to(&mut spawner, request(1)).end, RunEnd::Ended(Exit::Status(6)));
}

/// Only the first call after the spawner was killed waits for its end.
fn a_dead_spawner_is_waited_for_once() {
    let mut spawner = spawner(vec![shell("kill -9 $PPID")]);
    spawner.submit(request(0));
    while spawner.wait(1000).is_ok() {}
    let before_ns = spawner.now_ns();
    for _ in 1..spawner.depth() {
        assert!(matches!(spawner.answer(request(0)), Err(LaunchError::SpawnerKilled(_))));
    }
    let each_ns = (spawner.now_ns() - before_ns) / spawner.depth() as u64;
    assert!(each_ns < 500_000_000, "{each_ns} ns each");
}

fn answers_many_requests_in_order() {
    let entries = (0..4).map(|status| shell(&format!("exit {status}"))).collect();
    let mut spawner = spawner(entries);
    let (mut asked, mut answered) = (0u32, 0u32);
    while answered < 500 {
        while asked < 500 && spawner.under_way() < spawner.depth() {
            spawner.submit(request(asked % 4));
            asked += 1;
        }
        spawner.wait(1000).unwrap();
        while let Some(reply) = spawner.try_reply() {
            assert_eq!(reply.end, RunEnd::Ended(Exit::Status((answered % 4) as u8)));
            answered += 1;
        }
    }
}
