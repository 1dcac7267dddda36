//! A test whose next activation is far off ends soon after a stop request. This is a separate test program, because the
//! stop concerns the whole process.

use std::path::Path;
use std::time::Duration;

use fauxplat_gpio::Chips;
use fauxplat_latency::{Drive, LatencyError, Lines, ThreadPlacement, edge, line, timer};
use fauxplat_model::Policy;
use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::signal;

const DAY_NS: u64 = 86_400_000_000_000;

fn place() -> ThreadPlacement {
    let cpu = fauxplat_sys::sched::affinity(0).unwrap().first().unwrap();
    ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None }
}

/// Whether exactly this number of threads of a test exist, all of them asleep.
fn sleep(threads: usize) -> bool {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    let sleeps = |task: &Path| {
        let read = |file: &str| std::fs::read_to_string(task.join(file)).ok();
        let is_ours = read("comm")?.starts_with("latency ");
        is_ours.then_some(TaskStat::parse(&read("stat")?)?.state() == Some('S'))
    };
    let found: Vec<bool> = tasks.filter_map(|task| sleeps(&task)).collect();
    found.len() == threads && found.iter().all(|sleeps| *sleeps)
}

/// Starts a test with this number of threads, and requests a stop when they sleep.
fn stopped(threads: usize, test: fn() -> Result<u64, LatencyError>) {
    let run = std::thread::spawn(test);
    while !sleep(threads) {
        assert!(!run.is_finished(), "it did not wait");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The kernel delivers the signal to the main thread, which does not belong to the test.
    signal::send(std::process::id() as i32, signal::SIGINT);
    assert_eq!(run.join().unwrap().unwrap(), 0);
    assert!(signal::stop_requested());
    signal::clear_stop();
}

#[test]
fn nobody_waits_a_day_for_the_next_activation() {
    signal::stop_on_interrupt().unwrap();
    stopped(1, || Ok(timer(&place(), DAY_NS, 10)?.count()));
    stopped(1, || {
        let chips = Chips::below("/".as_ref());
        Ok(edge(&place(), &chips, &"sim:3".parse().unwrap(), DAY_NS, 10)?.count())
    });
    stopped(2, || {
        let name = |text: &str| text.parse().unwrap();
        let chips = Chips::below("/".as_ref());
        let lines = Lines { chips, event: name("sim:0"), answer: name("sim:1"), drive: Drive::Simulated };
        Ok(line([&place(), &place()], &lines, DAY_NS, 10)?[0].count())
    });
}
