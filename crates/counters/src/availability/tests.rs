//! Tests of each reason why an event is not available, and of all events on simulated machines.

use super::*;
use crate::fit::Ran;
use crate::machines::{amd, hybrid, none};
use crate::parse::parse;

/// Counters that refuse hardware events with one error number and software events with another; 0 accepts the events.
struct Refuses {
    hardware: i32,
    software: i32,
}

impl Counters for Refuses {
    type Open = ();

    fn open(&self, event: &CountingEvent, _: Option<&()>) -> Result<(), i32> {
        match if event.kind == 1 { self.software } else { self.hardware } {
            0 => Ok(()),
            errno => Err(errno),
        }
    }

    fn try_out(&self, _: &[()]) -> Ran {
        Ran::Whole
    }
}

const METAL: Circumstances =
    Circumstances { has_cores: true, paranoid: Some(2), is_privileged: false, is_virtual: false };

fn why(errno: i32, name: &str, circumstances: Circumstances) -> String {
    let event = Catalog::read(amd().root()).resolve(&parse(name).unwrap()[0]).unwrap().remove(0);
    let refusal = Refusal { errno, is_taken_in_user_mode: !name.starts_with("msr") };
    let Reason { why, cure } = reason(refusal, &event, &circumstances);
    format!("{why}; {}", cure.unwrap_or_default())
}

#[test]
fn no_device_of_cores_is_the_hosts_or_the_kernels_doing() {
    let bare = Circumstances { has_cores: false, is_privileged: true, ..METAL };
    assert!(why(libc::ENOENT, "cycles", bare).starts_with("the kernel has no driver for the counters"));
    let guest = Circumstances { is_virtual: true, ..bare };
    let text = why(libc::ENOENT, "cycles", guest);
    assert!(
        text.starts_with("the host gives this virtual machine no counters; enable the virtual PMU"),
        "{text}"
    );
    assert!(why(libc::ENOENT, "page-faults", guest).starts_with("this machine has no such event"));
    assert!(why(libc::ENOENT, "cycles", METAL).starts_with("this machine has no such event"));
}

#[test]
fn a_level_says_what_it_leaves_and_how_it_is_lowered() {
    for errno in [libc::EACCES, libc::EPERM] {
        let text = why(errno, "cycles", METAL);
        assert!(
            text.contains(
                "paranoid is 2, so that this user may count in user mode alone; ask for `cycles:u`"
            ),
            "{text}"
        );
        assert!(
            text.contains("sysctl kernel.perf_event_paranoid=1") && text.contains("CAP_PERFMON"),
            "{text}"
        );
    }
    assert!(why(libc::EACCES, "cpu/event=1/", METAL).contains("ask for `cpu/event=0x1/u`"));
    assert!(!why(libc::EACCES, "msr/tsc/", METAL).contains("ask for"));
    assert!(!why(libc::EACCES, "cs", METAL).contains("ask for"));
    let strict = Circumstances { paranoid: Some(4), ..METAL };
    assert!(why(libc::EACCES, "cycles:u", strict).contains("is 4, so that this user may count nothing"));
    let unknown = Circumstances { paranoid: None, ..METAL };
    assert!(why(libc::EACCES, "cycles", unknown).starts_with("this user may not count it; give CAP_PERFMON"));
}

#[test]
fn what_no_level_explains_is_a_filter() {
    let root = Circumstances { is_privileged: true, ..METAL };
    for (errno, name, circumstances) in
        [(libc::EPERM, "cycles", root), (libc::ENOSYS, "cycles", METAL), (libc::EACCES, "cycles:u", METAL)]
    {
        let text = why(errno, name, circumstances);
        assert!(text.contains("a container's seccomp filter"), "{text}");
    }
}

#[test]
fn the_other_numbers_have_their_reasons() {
    let starts = [
        (libc::EINVAL, "cycles", "`cpu` has no such event; ask for another"),
        (
            libc::EINVAL,
            "msr/tsc/u",
            "`msr` has no such event, or cannot leave out user or kernel mode; ask for it without",
        ),
        (libc::EINVAL, "cs", "`kernel` has no such event"),
        (libc::EOPNOTSUPP, "cycles", "the hardware cannot count it in this way"),
        (libc::ENODEV, "cycles", "this machine has no such event"),
        (libc::EMFILE, "cycles", "too many files are open"),
        (libc::EBUSY, "cycles", "another program has the counters"),
        (libc::ENOSPC, "cycles", "there are not enough counters"),
        (libc::E2BIG, "cycles", "the kernel is older"),
    ];
    for (errno, name, start) in starts {
        let text = why(errno, name, METAL);
        assert!(text.starts_with(start), "{text}");
    }
    let by_the_library = std::io::Error::from_raw_os_error(libc::EIO).to_string();
    assert!(why(libc::EIO, "cycles", METAL).starts_with(&by_the_library));
}

fn by_name<'a>(all: &'a [Availability], name: &str) -> &'a Availability {
    all.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("no {name} among {all:?}"))
}

#[test]
fn a_guest_without_counters_has_those_of_the_kernel() {
    let tree = none();
    let catalog = Catalog::read(tree.root());
    let circumstances = Circumstances::read(tree.root(), &catalog, true);
    assert_eq!(circumstances, Circumstances { is_virtual: true, ..Circumstances::default() });
    let all = available_by(&Refuses { hardware: libc::ENOENT, software: 0 }, &catalog, &circumstances);
    assert!(by_name(&all, "page-faults").is_available);
    assert!(
        by_name(&all, "msr/tsc/").reason.as_deref().unwrap().starts_with("this machine has no such event")
    );
    for name in ["cycles", "topdown-retiring"] {
        let one = by_name(&all, name);
        assert_eq!(one.reason.as_deref(), Some("the host gives this virtual machine no counters"), "{name}");
    }
}

#[test]
fn what_devices_name_is_tried_too_unless_they_follow_no_process() {
    let tree = amd();
    let catalog = Catalog::read(tree.root());
    let all = available_by(&Refuses { hardware: 0, software: 0 }, &catalog, &METAL);
    assert!(by_name(&all, "cpu/branch-misses/").is_available);
    assert!(by_name(&all, "cpu/with-place/").reason.as_deref().unwrap().contains("needs a value"));
    assert!(by_name(&all, "slots").reason.as_deref().unwrap().starts_with("this processor names no event"));
    assert!(all.iter().all(|one| !one.name.starts_with("power/")));
    assert!(all.iter().all(|one| one.is_available == one.reason.is_none()));
}

/// Counters as an ordinary user meets them: the kernel checks the permission for kernel mode before it checks whether
/// the processor has the counter.
struct Ordinary {
    has_counters: bool,
}

impl Counters for Ordinary {
    type Open = ();

    fn open(&self, event: &CountingEvent, _: Option<&()>) -> Result<(), i32> {
        match (event.excludes_kernel, event.kind == 1 || self.has_counters) {
            (false, _) => Err(libc::EACCES),
            (true, false) => Err(libc::ENOENT),
            (true, true) => Ok(()),
        }
    }

    fn try_out(&self, _: &[()]) -> Ran {
        Ran::Whole
    }
}

#[test]
fn what_is_not_there_is_not_a_matter_of_permission() {
    let tree = amd();
    let catalog = Catalog::read(tree.root());
    let cure = |has_counters, circumstances| {
        let all = available_by(&Ordinary { has_counters }, &catalog, &circumstances);
        let one = by_name(&all, "cycles");
        format!("{}; {}", one.reason.clone().unwrap(), one.cure.clone().unwrap())
    };
    assert!(cure(true, METAL).contains("ask for `cycles:u`"));
    let guest = Circumstances { has_cores: false, is_virtual: true, ..METAL };
    assert!(cure(false, guest).starts_with("the host gives this virtual machine no counters"));
}

#[test]
fn each_kind_of_cores_is_tried() {
    let tree = hybrid();
    let all = available_by(&Refuses { hardware: 0, software: 0 }, &Catalog::read(tree.root()), &METAL);
    assert!(by_name(&all, "cpu_core/cycles/").is_available && by_name(&all, "cpu_atom/cycles/").is_available);
    assert!(by_name(&all, "cpu_core/slots/").is_available);
}

#[test]
fn capabilities_and_the_level_are_read() {
    let tree = amd();
    let write = |path: &str, text: &str| {
        let path = tree.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("proc/sys/kernel/perf_event_paranoid", "-1\n");
    let catalog = Catalog::read(tree.root());
    for (mask, is_privileged) in
        [("0000004000000000", true), ("0000000000200000", true), ("0000000000001000", false)]
    {
        write("proc/self/status", &format!("Name:\ta\nCapEff:\t{mask}\n"));
        let read = Circumstances::read(tree.root(), &catalog, false);
        assert_eq!(read, Circumstances { paranoid: Some(-1), is_privileged, ..METAL });
    }
}

#[test]
fn this_machine_gives_an_answer_for_every_name() {
    let root = Path::new("/");
    let catalog = Catalog::read(root);
    let all = available(&catalog, &Circumstances::read(root, &catalog, true));
    assert!(all.len() >= WORDS.len());
    assert!(all.iter().all(|one| one.is_available != one.reason.is_some()));
}
