//! State in which a child executes its program, and the reported step at which a start failed.

use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicU64, Ordering};

use fauxplat_sys::process::{Exit, Waited, keep_over_exec, redirect, wait};
use fauxplat_sys::shared::{Doorbell, duplicate, memory_file};
use fauxplat_sys::spawn::{
    ADDR_NO_RANDOMIZE, ChildSetup, Gate, Image, Stage, StartFailed, StartSpace, Started, start, start_held,
};
use fauxplat_sys::{inherited, sched, summons};

use crate::{Case, stat_field, value};

pub(crate) const CASES: &[Case] = &[
    ("a_child_is_what_was_asked_for", a_child_is_what_was_asked_for),
    ("a_real_time_child_is_one_from_the_start", a_real_time_child_is_one_from_the_start),
    ("every_step_that_fails_is_named", every_step_that_fails_is_named),
    ("a_child_waits_at_the_gate_until_it_is_opened", a_child_waits_at_the_gate_until_it_is_opened),
    ("a_child_that_is_sent_away_never_runs", a_child_that_is_sent_away_never_runs),
    ("a_child_gets_the_signals_of_the_start", a_child_gets_the_signals_of_the_start),
    ("an_image_is_started_again_and_again", an_image_is_started_again_and_again),
    ("standard_descriptors_change_places", standard_descriptors_change_places),
    ("a_child_does_its_extra_work_and_nothing_else", a_child_does_its_extra_work_and_nothing_else),
];

fn shell(script: &str) -> Image {
    let words = ["sh", "-c", script].map(str::to_owned);
    Image::new("/bin/sh", &words, &["PATH=/usr/bin:/bin".to_owned()]).unwrap()
}

fn ended(started: Started) -> Exit {
    loop {
        match wait(started.pid, true) {
            Waited::Ended { exit, .. } => return exit,
            Waited::Interrupted => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the trimmed output of a script that is started with this setup.
fn told_under(script: &str, setup: ChildSetup) -> String {
    let mut output = memory_file(0).unwrap();
    let setup = ChildSetup { stdio: [0, output.as_raw_fd(), 2], ..setup };
    let started = start(&mut shell(script), &setup, None, &mut StartSpace::default()).unwrap();
    assert_eq!(ended(started), Exit::Status(0), "{script}");
    let mut text = String::new();
    output.rewind().unwrap();
    output.read_to_string(&mut text).unwrap();
    text.trim().to_owned()
}

pub(crate) fn told_by(script: &str) -> String {
    told_under(script, ChildSetup::default())
}

fn a_child_is_what_was_asked_for() {
    let ours = (sched::nice(), sched::personality());
    let setup = ChildSetup {
        nice: Some(11),
        personality: Some(ADDR_NO_RANDOMIZE),
        cwd: Some(c"/proc".into()),
        ..ChildSetup::default()
    };
    let told = told_under("pwd; cat /proc/self/personality /proc/self/stat", setup);
    let [cwd, personality, stat] = told.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert_eq!((cwd, stat_field(stat, 19)), ("/proc", 11));
    assert_eq!(u32::from_str_radix(personality, 16).unwrap() & ADDR_NO_RANDOMIZE, ADDR_NO_RANDOMIZE);
    assert_eq!((sched::nice(), sched::personality()), ours, "the creator stays as it is");
    assert_ne!(std::env::current_dir().unwrap().to_str(), Some("/proc"), "the child's folder is its own");
}

fn a_real_time_child_is_one_from_the_start() {
    let setup = ChildSetup { policy: Some((sched::FIFO, 1)), stdio: [0, 1, 2], ..ChildSetup::default() };
    match start(&mut shell("exit 0"), &setup, None, &mut StartSpace::default()) {
        Ok(started) => assert_eq!(ended(started), Exit::Status(0)),
        Err(failed) => {
            assert_eq!(failed.stage, Stage::Policy);
            return println!("not tested, for want of the right to it: error {}", failed.errno);
        }
    }
    let stat = told_under("cat /proc/self/stat", setup);
    assert_eq!((stat_field(&stat, 41), stat_field(&stat, 40)), (1, 1));
    let ours = std::fs::read_to_string("/proc/self/stat").unwrap();
    assert_eq!(stat_field(&ours, 41), 0, "the creator is none");
}

fn every_step_that_fails_is_named() {
    const NOT_OPEN: i32 = 1_000_000;
    let setup = || ChildSetup { stdio: [0, 1, 2], ..ChildSetup::default() };
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let (not_there, bad_number, invalid, no_room) = (2, 9, 22, 28);
    for (setup, stage, errno) in [
        (ChildSetup { cwd: Some(c"/nonexistent".into()), ..setup() }, Stage::WorkingDirectory, not_there),
        (ChildSetup { stdio: [0, 1, NOT_OPEN], ..setup() }, Stage::Stdio, bad_number),
        (ChildSetup { inherited: Some(vec![NOT_OPEN]), ..setup() }, Stage::Inherited, bad_number),
        (ChildSetup { groups: vec![NOT_OPEN], ..setup() }, Stage::Group, bad_number),
        (ChildSetup { groups: vec![full.as_raw_fd()], ..setup() }, Stage::Group, no_room),
        (ChildSetup { policy: Some((sched::FIFO, 100)), ..setup() }, Stage::Policy, invalid),
    ] {
        let failed = start(&mut shell("exit 0"), &setup, None, &mut StartSpace::default()).unwrap_err();
        assert_eq!((failed.stage, failed.errno), (stage, errno));
    }
    for (program, errno) in [("/proc", 13), ("/dev/null", 13), ("/nonexistent", not_there), ("", not_there)] {
        let mut image = Image::new(program, &[], &[]).unwrap();
        let failed = start(&mut image, &setup(), None, &mut StartSpace::default()).unwrap_err();
        assert_eq!((failed.stage, failed.errno), (Stage::Exec, errno), "{program}");
    }
    assert_eq!(wait(-1, false), Waited::NoChild, "what failed is reaped");
    for number in -1..40 {
        assert!(Stage::from_number(number).is_none_or(|stage| stage as i32 == number), "{number}");
    }
    assert!((1..=14).all(|number| Stage::from_number(number).is_some()));
    assert!(Image::new("a\0b", &[], &[]).is_err() && Image::new("a", &["\0".to_owned()], &[]).is_err());
}

/// Starts a child at a [`Gate`], gives it the order `word`, and returns the result of the start, and `/proc/PID/stat`
/// of the child while it waited.
fn held(word: u64, script: &str) -> (Result<Started, StartFailed>, String) {
    let (arrived, order) = (AtomicU64::new(0), AtomicU64::new(0));
    let (bell, (summoner, summons)) = (Doorbell::new().unwrap(), summons::pair().unwrap());
    let gate = Gate { arrived: &arrived, bell: &bell, order: &order, summons: &summons };
    let setup = ChildSetup { stdio: [0, 1, 2], nice: Some(9), ..ChildSetup::default() };
    std::thread::scope(|scope| {
        let keeper = scope.spawn(|| {
            while !bell.wait(-1).unwrap() {}
            let pid = arrived.load(Ordering::SeqCst);
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            order.store(word, Ordering::SeqCst);
            summoner.call();
            stat
        });
        let done = start_held(&mut shell(script), &setup, None, &mut StartSpace::default(), &gate);
        (done, keeper.join().unwrap())
    })
}

fn a_child_waits_at_the_gate_until_it_is_opened() {
    let before_ns = fauxplat_sys::clock::monotonic_ns();
    let (done, stat) = held(Gate::OPEN, "exit 3");
    assert_eq!(stat_field(&stat, 19), 9, "all of its setup is applied at the gate");
    let started = done.unwrap();
    assert!(stat.starts_with(&format!("{} ", started.pid)) && started.started_ns > before_ns);
    assert_eq!(ended(started), Exit::Status(3));
}

fn a_child_that_is_sent_away_never_runs() {
    let (done, _) = held(Gate::SHUT, "kill -9 $PPID");
    assert_eq!(done.unwrap_err().stage, Stage::Hold);
    assert_eq!(wait(-1, false), Waited::NoChild);
}

fn a_child_gets_the_signals_of_the_start() {
    let mask = |text: &str| u64::from_str_radix(text.trim(), 16).unwrap();
    let ignored = || mask(&value("/proc/self/status", "SigIgn").unwrap());
    let start = inherited::Signals::at_start();
    fauxplat_sys::signal::ignore_requests_to_end();
    let now = inherited::Signals::now();
    assert_eq!(now.ignored, ignored(), "as the kernel counts them");
    assert_ne!(now, start);
    let setup = ChildSetup { signals: start.restoration(), ..ChildSetup::default() };
    let told = told_under("grep -E '^Sig(Ign|Blk):' /proc/self/status | cut -f 2", setup);
    let masks: Vec<u64> = told.lines().map(mask).collect();
    assert_eq!(masks, [start.blocked, start.ignored]);
    assert_eq!(ignored(), now.ignored, "the creator keeps its own");
}

fn an_image_is_started_again_and_again() {
    let output = memory_file(0).unwrap();
    let (mut image, mut space) = (shell("printf '%s\\n' \"${FAUXPLAT_PAD-none}\""), StartSpace::default());
    let unmarked = memory_file(0).unwrap();
    keep_over_exec(unmarked.as_raw_fd(), true).unwrap();
    let setup = ChildSetup {
        stdio: [0, output.as_raw_fd(), 2],
        inherited: Some(Vec::new()),
        ..ChildSetup::default()
    };
    for pad in [Some(20), None, Some(15), Some(64), None] {
        assert_eq!(ended(start(&mut image, &setup, pad, &mut space).unwrap()), Exit::Status(0));
    }
    let mut text = String::new();
    (&output).rewind().unwrap();
    (&output).read_to_string(&mut text).unwrap();
    let told: Vec<&str> = text.lines().collect();
    let padding = |bytes: usize| "x".repeat(bytes - "FAUXPLAT_PAD=".len() - 1);
    assert_eq!(told, [padding(20), "none".into(), padding(15), padding(64), "none".into()]);
}

/// Checks every way in which three descriptors can be moved to three numbers: in order, exchanged, duplicated, from
/// above.
fn standard_descriptors_change_places() {
    const ABOVE: i32 = 8;
    const TOLD: i32 = 9;
    // The descriptor numbers are occupied, so that no file of the test gets them.
    [ABOVE, TOLD].into_iter().for_each(|place| redirect(2, place).unwrap());
    let [input, output, errors, above, told] = [(); 5].map(|()| memory_file(0).unwrap());
    let ours = [0, 1, 2].map(|place| duplicate(place).unwrap());
    let files = [&input, &output, &errors, &above];
    let inodes = files.map(|file| file.metadata().unwrap().ino().to_string());
    for (place, file) in [0, 1, 2, ABOVE, TOLD].into_iter().zip(files.into_iter().chain([&told])) {
        redirect(file.as_raw_fd(), place).unwrap();
    }
    // The shell redirects its own output before it starts a program, so the script stores the answer first.
    let script = "t=$(stat -L -c %i /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2) && echo \"$t\" >&9";
    let (mut image, mut space) = (shell(script), StartSpace::default());
    let (mut expected, mut ends) = (Vec::new(), Vec::new());
    for stdio in (0..64).map(|number| [number / 16, number / 4 % 4, number % 4]) {
        let setup = ChildSetup { stdio: stdio.map(|it| [0, 1, 2, ABOVE][it]), ..ChildSetup::default() };
        ends.push(start(&mut image, &setup, None, &mut space).map(ended).ok());
        expected.extend(stdio.map(|it| inodes[it].as_str()));
    }
    // Failures from here on must be visible, so the standard descriptors are restored.
    ours.into_iter().zip(0..).for_each(|(fd, place)| redirect(fd.as_raw_fd(), place).unwrap());
    assert_eq!(ends, [Some(Exit::Status(0)); 64]);
    let mut text = String::new();
    (&told).rewind().unwrap();
    (&told).read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

fn a_child_does_its_extra_work_and_nothing_else() {
    let cpu_ns = |extra_work| {
        let setup = ChildSetup { stdio: [0, 1, 2], extra_work, ..ChildSetup::default() };
        let started = start(&mut shell("exit 0"), &setup, None, &mut StartSpace::default()).unwrap();
        match wait(started.pid, true) {
            Waited::Ended { exit: Exit::Status(0), usage, .. } => usage.user_ns + usage.system_ns,
            other => panic!("{other:?}"),
        }
    };
    // Twenty million dependent multiplications take some milliseconds on any CPU.
    assert!(cpu_ns(20_000_000) > cpu_ns(0) + 2_000_000);
}
