//! Tests of counters and the threads that they cover. Where the kernel refuses `perf_event_open(2)`, they count
//! nothing.

use std::io::Write;
use std::os::fd::AsRawFd;

use super::*;
use crate::process::{Waited, is_root, wait};
use crate::spawn::{ChildSetup, Image, StartSpace, start};

const SOFTWARE: u32 = 1;
const CPU_CLOCK: u64 = 0;
const PAGE_FAULTS: u64 = 2;

/// Returns a software event such as page faults, only in user mode, which an ordinary user may count too.
fn event(config: u64) -> CountingEvent {
    CountingEvent {
        kind: SOFTWARE,
        config: [config, 0, 0],
        excludes_kernel: true,
        excludes_hypervisor: true,
        ..CountingEvent::default()
    }
}

/// Opens a counter; `None` where an ordinary user, or a user in a container, is refused.
fn open_if_allowed(config: u64, whom: Whom, leader: Option<&Counter>) -> Option<Counter> {
    match Counter::open(&event(config), whom, leader) {
        Ok(counter) => Some(counter),
        Err(error) => {
            let is_refusal = error.is_permission() || error.source.raw_os_error() == Some(libc::ENOSYS);
            assert!(is_refusal && !is_root(), "{error}");
            None
        }
    }
}

fn touch_pages() {
    // The pages are leaked, since the allocator would reuse freed pages.
    let pages = Box::leak(vec![0_u8; 4 << 20].into_boxed_slice());
    pages.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(pages);
}

fn run_a_child() {
    let null = File::options().read(true).write(true).open("/dev/null").unwrap();
    let stdio = [null.as_raw_fd(), null.as_raw_fd(), 2];
    let mut image = Image::new("/bin/true", &["true".to_owned()], &[]).unwrap();
    let setup = ChildSetup { stdio, ..ChildSetup::default() };
    let started = start(&mut image, &setup, None, &mut StartSpace::default()).unwrap();
    assert!(matches!(wait(started.pid, true), Waited::Ended { .. }));
}

#[test]
fn children_are_counted_and_their_parent_is_not() {
    let Some(counter) = open_if_allowed(PAGE_FAULTS, Whom::Children, None) else { return };
    touch_pages();
    assert_eq!(counter.read().unwrap(), Count::default());
    run_a_child();
    let first = counter.read().unwrap();
    assert!(first.value > 0 && first.enabled_ns > 0, "{first:?}");
    assert_eq!(first.enabled_ns, first.running_ns);
    // The kernel must not swap the events of parent and child: if it could, it would do so in most of these rounds.
    let mut earlier = first;
    for _ in 0..20 {
        run_a_child();
        let counted = counter.read().unwrap();
        let child = counted.since(earlier).unwrap();
        assert!(child.value > 0 && child.enabled_ns > 0, "{child:?}");
        earlier = counted;
    }
}

#[test]
fn a_thread_is_counted_while_it_is_enabled() {
    let Some(counter) = open_if_allowed(PAGE_FAULTS, Whom::Myself, None) else { return };
    touch_pages();
    assert_eq!(counter.read().unwrap().value, 0);
    counter.enable().unwrap();
    touch_pages();
    counter.disable().unwrap();
    let counted = counter.read().unwrap();
    assert!(counted.value > 0, "{counted:?}");
    touch_pages();
    assert_eq!(counter.read().unwrap(), counted);
    counter.reset().unwrap();
    assert_eq!(counter.read().unwrap(), Count { value: 0, ..counted });
}

#[test]
fn a_process_is_counted_by_its_number() {
    let this_thread = crate::wake::thread_id();
    let Some(counter) = open_if_allowed(PAGE_FAULTS, Whom::Process(this_thread), None) else { return };
    counter.enable().unwrap();
    touch_pages();
    assert!(counter.read().unwrap().value > 0);
}

#[test]
fn a_process_that_waits_is_counted_from_its_exec_on() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let words = ["sh", "-c", "read line; exec sh -c '/bin/true; :'"].map(str::to_owned);
    let mut image = Image::new("/bin/sh", &words, &[]).unwrap();
    let setup = ChildSetup { stdio: [reader.as_raw_fd(), 1, 2], ..ChildSetup::default() };
    let child = start(&mut image, &setup, None, &mut StartSpace::default()).unwrap().pid;
    let counter = open_if_allowed(PAGE_FAULTS, Whom::Held(child), None);
    let before = counter.as_ref().map(|counter| counter.read().unwrap());
    writer.write_all(b"go\n").unwrap();
    assert!(matches!(wait(child, true), Waited::Ended { .. }));
    let (Some(counter), Some(before)) = (counter, before) else { return };
    let counted = counter.read().unwrap();
    assert_eq!(before, Count::default());
    assert!(counted.value > 0 && counted.enabled_ns > 0, "{counted:?}");
}

#[test]
fn a_leader_and_its_member_count_over_the_same_time() {
    for whom in [Whom::Myself, Whom::Children] {
        let Some(leader) = open_if_allowed(CPU_CLOCK, whom, None) else { return };
        let member = open_if_allowed(PAGE_FAULTS, whom, Some(&leader)).unwrap();
        if whom == Whom::Myself {
            member.enable().unwrap();
            leader.enable().unwrap();
            touch_pages();
            leader.disable().unwrap();
        } else {
            run_a_child();
        }
        let (leader, member) = (leader.read().unwrap(), member.read().unwrap());
        assert!(leader.value > 0 && member.value > 0, "{leader:?} {member:?}");
        assert_eq!(leader.enabled_ns, member.enabled_ns);
    }
}

#[test]
fn a_group_counts_every_child() {
    let Some(leader) = open_if_allowed(CPU_CLOCK, Whom::Children, None) else { return };
    let member = open_if_allowed(PAGE_FAULTS, Whom::Children, Some(&leader)).unwrap();
    let mut earlier = [Count::default(); 2];
    for _ in 0..20 {
        run_a_child();
        let counted = [&leader, &member].map(|counter| counter.read().unwrap());
        let [of_leader, of_member] = [0, 1].map(|place| counted[place].since(earlier[place]).unwrap());
        assert!(of_leader.enabled_ns > 0 && of_member.value > 0, "{of_leader:?} {of_member:?}");
        earlier = counted;
    }
}

#[test]
fn an_event_that_is_none_is_refused() {
    let error = Counter::open(&event(1 << 40), Whom::Myself, None).unwrap_err();
    assert!(error.call.starts_with("perf_event_open(type 1, config 0x10000000000"), "{error}");
    assert!(matches!(
        error.source.raw_os_error(),
        Some(libc::ENOENT | libc::EACCES | libc::EPERM | libc::ENOSYS)
    ));
}

#[test]
fn a_count_that_runs_backwards_is_none() {
    let count = |value, enabled_ns, running_ns| Count { value, enabled_ns, running_ns };
    assert_eq!(count(5, 7, 6).since(count(2, 3, 4)), Some(count(3, 4, 2)));
    for later in [count(1, 9, 9), count(9, 2, 9), count(9, 9, 3)] {
        assert_eq!(later.since(count(2, 3, 4)), None);
    }
}

#[test]
fn a_part_of_the_time_is_scaled_and_all_of_it_left_alone() {
    let scaled = |value, enabled_ns, running_ns| Count { value, enabled_ns, running_ns }.scaled();
    assert_eq!((scaled(59, 100, 59), scaled(7, 100, 100), scaled(0, 0, 0)), (100, 7, 0));
    assert_eq!(scaled(u64::MAX, u64::MAX, 1), u64::MAX - 1);
}
