//! Every knob whose setting is in a file, with values that are accepted, clamped and refused.

use std::fs;
use std::os::unix::fs::symlink;

use fauxplat_model::KnobOutcome;
use fauxplat_sys::process;
use fauxplat_tuning::{TuneError, Tuning, catalog, preview, settings, status};

use crate::Case;
use crate::machine::{Machine, outcome};

pub(crate) const CASES: &[Case] = &[
    ("every_knob_is_turned_and_comes_back_to_the_byte", every_knob_is_turned_and_comes_back_to_the_byte),
    ("all_knobs_together_come_back_newest_first", all_knobs_together_come_back_newest_first),
    ("a_value_that_is_there_already_is_not_written", a_value_that_is_there_already_is_not_written),
    ("what_is_as_it_is_wished_needs_no_permission", what_is_as_it_is_wished_needs_no_permission),
    ("a_policy_whose_cpus_are_off_is_left_out", a_policy_whose_cpus_are_off_is_left_out),
    ("an_interrupt_that_stays_fails_only_where_all_do", an_interrupt_that_stays_fails_only_where_all_do),
    (
        "a_second_thread_that_was_off_before_stays_off_after",
        a_second_thread_that_was_off_before_stays_off_after,
    ),
    ("whoever_stays_on_a_shield_is_named", whoever_stays_on_a_shield_is_named),
    (
        "what_a_governor_resets_comes_back_as_it_was_before_it",
        what_a_governor_resets_comes_back_as_it_was_before_it,
    ),
    ("what_fauxplat_itself_is_given_ends_with_it", what_fauxplat_itself_is_given_ends_with_it),
    (
        "what_the_kernel_does_not_take_is_told_and_the_rest_done",
        what_the_kernel_does_not_take_is_told_and_the_rest_done,
    ),
    (
        "a_shield_that_could_not_be_left_again_is_not_entered",
        a_shield_that_could_not_be_left_again_is_not_entered,
    ),
    ("all_or_nothing_is_nothing_when_one_is_refused", all_or_nothing_is_nothing_when_one_is_refused),
    ("what_could_not_be_taken_back_is_not_said_to_be", what_could_not_be_taken_back_is_not_said_to_be),
    (
        "a_machine_that_has_nothing_is_told_of_and_left_alone",
        a_machine_that_has_nothing_is_told_of_and_left_alone,
    ),
];

/// A setting, the file that it changes, and the content of the file afterwards.
const TURNED: [(&str, &str, &str); 23] = [
    ("governor=performance", "sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "performance"),
    ("min-freq=max", "sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "4000000"),
    ("max-freq=2000000", "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "2000000"),
    ("turbo=off", "sys/devices/system/cpu/cpufreq/boost", "0"),
    ("epb=power", "sys/devices/system/cpu/cpu0/power/energy_perf_bias", "15"),
    ("thp=never", "sys/kernel/mm/transparent_hugepage/enabled", "never"),
    ("thp-defrag=defer+madvise", "sys/kernel/mm/transparent_hugepage/defrag", "defer+madvise"),
    ("khugepaged=off", "sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs", "3600000"),
    ("ksm=off", "sys/kernel/mm/ksm/run", "0"),
    ("numa-balancing=off", "proc/sys/kernel/numa_balancing", "0"),
    ("compaction=off", "proc/sys/vm/compaction_proactiveness", "0"),
    ("stat-interval=86400", "proc/sys/vm/stat_interval", "86400"),
    ("writeback=off", "proc/sys/vm/dirty_writeback_centisecs", "0"),
    ("swappiness=200", "proc/sys/vm/swappiness", "200"),
    ("aslr=off", "proc/sys/kernel/randomize_va_space", "0"),
    ("rt-throttle=off", "proc/sys/kernel/sched_rt_runtime_us", "-1"),
    ("timer-migration=off", "proc/sys/kernel/timer_migration", "0"),
    ("autogroup=off", "proc/sys/kernel/sched_autogroup_enabled", "0"),
    ("perf-sample-rate=1", "proc/sys/kernel/perf_event_max_sample_rate", "1"),
    ("nmi-watchdog=off", "proc/sys/kernel/nmi_watchdog", "0"),
    ("soft-watchdog=off", "proc/sys/kernel/soft_watchdog", "0"),
    ("irq-affinity=away:0-1", "proc/irq/7/smp_affinity_list", "2-3"),
    ("irq-affinity=away:1,3", "proc/irq/7/smp_affinity_list", "0,2"),
];

fn every_knob_is_turned_and_comes_back_to_the_byte() {
    let machine = Machine::new();
    let before = machine.all();
    for (setting, file, held) in TURNED {
        let tuned = machine.tune(&[setting], |_| {}).unwrap_or_else(|error| panic!("{setting}: {error}"));
        assert_eq!(outcome(&tuned.changes, file), KnobOutcome::Changed, "{setting}");
        assert_eq!(machine.read(file), held, "{setting}");
        let back = tuned.restore().unwrap().unwrap();
        assert!(
            back.complete && outcome(&back.changes, file) == KnobOutcome::Restored,
            "{setting}: {back:?}"
        );
        assert_eq!(machine.all(), before, "{setting}");
        assert!(!machine.journal().exists(), "{setting}");
    }
    let turned = |name: &str| TURNED.iter().any(|(setting, ..)| setting.starts_with(&format!("{name}=")));
    let files = catalog(&machine.root).knobs.into_iter().filter(|knob| knob.current.is_some());
    let forgotten: Vec<String> = files.map(|knob| knob.name).filter(|name| !turned(name)).collect();
    assert_eq!(forgotten, [""; 0], "a knob that this machine has was not tried");
}

fn all_knobs_together_come_back_newest_first() {
    let machine = Machine::new();
    let before = machine.all();
    let words: Vec<&str> = TURNED[..22].iter().map(|(setting, ..)| *setting).collect();
    let tuned = machine.tune(&words, |_| {}).unwrap();
    let made: Vec<String> = tuned.changes.iter().map(|change| change.target.clone()).collect();
    // Dropping the value is enough to restore the machine.
    drop(tuned);
    assert_eq!(machine.all(), before);
    machine.keep(&words);
    let back = machine.restore(false).unwrap().unwrap();
    let order: Vec<String> = back.changes.iter().map(|change| change.target.clone()).collect();
    let (frequency, others): (Vec<_>, Vec<_>) = made.into_iter().partition(|target| target.contains("/cpu/"));
    // The governor resets values that depend on it, so the frequency group is restored last, and in the order in which
    // it was applied.
    let expected: Vec<String> = others.into_iter().rev().chain(frequency).collect();
    assert_eq!(order, expected);
    assert_eq!(machine.all(), before);
}

fn a_value_that_is_there_already_is_not_written() {
    let machine = Machine::new();
    let before = machine.all();
    let mut tuned = machine.tune(&["swappiness=60", "thp=always", "ksm=on"], |_| {}).unwrap();
    assert!(tuned.changes.iter().all(|change| change.outcome == KnobOutcome::Already), "{:?}", tuned.changes);
    assert_eq!(machine.all(), before, "not even its white space");
    tuned.keep(false).unwrap();
    drop(tuned);
    let back = machine.restore(false).unwrap();
    assert!(back.is_none_or(|back| back.changes.is_empty() && back.complete));
}

/// For the settings of a policy whose CPUs are offline, the kernel returns EBUSY; a folder in place of the governor's
/// file fails in a similar way.
fn a_policy_whose_cpus_are_off_is_left_out() {
    let policy = |number: u32, file: &str| format!("sys/devices/system/cpu/cpufreq/policy{number}/{file}");
    let machine = Machine::new();
    machine.write(&policy(0, "affected_cpus"), b"0 1 2 3\n");
    machine.write(&policy(4, "affected_cpus"), b"\n");
    fs::create_dir_all(machine.path(&policy(8, "affected_cpus"))).unwrap();
    fs::create_dir_all(machine.path(&policy(8, "scaling_governor"))).unwrap();
    let governor = catalog(&machine.root).knobs.into_iter().find(|knob| knob.name == "governor").unwrap();
    assert_eq!(governor.current.as_deref(), Some("powersave"));
    let tuned = machine.tune(&["governor=performance"], |tuning| tuning.all_or_nothing = true).unwrap();
    let targets: Vec<&str> = tuned.changes.iter().map(|change| change.target.as_str()).collect();
    assert_eq!(targets, [format!("/{}", policy(0, "scaling_governor"))]);
    assert_eq!(machine.read(&policy(4, "scaling_governor")), "schedutil");
}

/// The file `coredump_filter` of this process stands in for an interrupt that cannot be moved: it accepts a number, but
/// no list of CPUs.
fn an_interrupt_that_stays_fails_only_where_all_do() {
    let filter = format!("/proc/{}/coredump_filter", std::process::id());
    let cpu = fs::read_to_string(&filter).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let Some(cpu) = cpu else { return eprintln!("skipped: {filter} is no number of a CPU") };
    let (machine, setting) = (Machine::new(), format!("irq-affinity=away:{cpu}"));
    fs::create_dir_all(machine.path("proc/irq/8")).unwrap();
    symlink(&filter, machine.path("proc/irq/8/smp_affinity_list")).unwrap();
    let all_or_nothing = |tuning: &mut Tuning<'_>| tuning.all_or_nothing = true;
    let error = machine.tune(&[&setting], all_or_nothing).unwrap_err();
    assert!(matches!(&error, TuneError::NotAll { failed, .. } if failed.contains("irq/8")), "{error}");
    machine.write("proc/irq/7/smp_affinity_list", format!("0,{cpu}\n").as_bytes());
    let tuned = machine.tune(&[&setting], all_or_nothing).unwrap();
    assert_eq!(outcome(&tuned.changes, "proc/irq/8/smp_affinity_list"), KnobOutcome::Refused);
    assert_eq!(machine.read("proc/irq/7/smp_affinity_list"), "0");
}

/// The kernel's own SMT switch would bring every second thread back online.
fn a_second_thread_that_was_off_before_stays_off_after() {
    const CONTROL: &str = "sys/devices/system/cpu/smt/control";
    let online = |cpu: u32| format!("sys/devices/system/cpu/cpu{cpu}/online");
    let machine = Machine::new();
    machine.write(CONTROL, b"on\n");
    machine.write("sys/devices/system/cpu/online", b"0-2\n");
    for (cpu, state, threads) in [(0, "1\n", "0-1"), (1, "1\n", "0-1"), (2, "1\n", "2"), (3, "0\n", "")] {
        machine.write(&online(cpu), state.as_bytes());
        let list = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        machine.write(&list, threads.as_bytes());
    }
    let tuned = machine.tune(&["smt=off"], |_| {}).unwrap();
    let targets: Vec<&str> = tuned.changes.iter().map(|change| change.target.as_str()).collect();
    assert_eq!(targets, [format!("/{}", online(1))], "each is a change of its own");
    assert_eq!((machine.read(&online(1)).as_str(), machine.read(CONTROL).as_str()), ("0", "on\n"));
    drop(tuned);
    assert_eq!([1, 3].map(|cpu| machine.read(&online(cpu))), ["1\n", "0\n"]);
    machine.write("sys/devices/system/cpu/online", b"0,2\n");
    let tuned = machine.tune(&["smt=off"], |_| {}).unwrap();
    assert_eq!(outcome(&tuned.changes, CONTROL), KnobOutcome::Already);
}

/// With control groups of version 1, exactly those cpusets with tasks are reported that share CPUs with the shield.
fn whoever_stays_on_a_shield_is_named() {
    let machine = Machine::new();
    let us = std::process::id().to_string();
    machine.write("sys/fs/cgroup/cpuset/cpuset.cpus", b"0-3\n");
    machine.write("proc/self/cpuset", b"/us\n");
    for (name, cpus, tasks) in [
        ("a", "0-3\n", "7\n"),
        ("a/b", "3\n", "8\n9\n"),
        ("c", "0\n", "7\n"),
        ("d", "3\n", ""),
        ("us", "3\n", &us),
    ] {
        machine.write(&format!("sys/fs/cgroup/cpuset/{name}/cpuset.cpus"), cpus.as_bytes());
        machine.write(&format!("sys/fs/cgroup/cpuset/{name}/cgroup.procs"), tasks.as_bytes());
    }
    let settings = settings(&["shield=3".to_owned()]).unwrap();
    let (_, notes) = preview(&machine.root, &settings, true, false);
    assert!(
        notes.len() == 1 && notes[0].contains("cpusets /a, /a/b may run on CPUs of the shield (3)"),
        "{notes:?}"
    );
}

/// An energy preference that changes with the governor gets back the value that it had before the governor changed.
fn what_a_governor_resets_comes_back_as_it_was_before_it() {
    let policy = |file: &str| format!("sys/devices/system/cpu/cpufreq/policy0/{file}");
    let (governor, preference) = (policy("scaling_governor"), policy("energy_performance_preference"));
    let machine = Machine::new();
    let before = machine.all();
    symlink("scaling_governor", machine.path(&preference)).unwrap();
    // The preference is not requested, requested with the value that the governor sets, or requested with another
    // value.
    for words in [
        &["governor=performance"][..],
        &["governor=performance", "epp=performance"],
        &["governor=performance", "epp=power"],
    ] {
        machine.keep(words);
        let told = status(&machine.root, &machine.journal()).unwrap().changes;
        assert!(told.iter().all(|change| !change.target.contains("freq/boost")), "{words:?}: {told:?}");
        let back = machine.restore(false).unwrap().unwrap();
        assert!(back.complete, "{words:?}: {back:?}");
        assert_eq!(outcome(&back.changes, &preference), KnobOutcome::Restored, "{words:?}");
        assert!(back.changes.iter().all(|change| change.knob != "turbo"), "{words:?}: {back:?}");
        assert_eq!(machine.all(), before, "{words:?}");
    }
    // A restoration must not touch the turbo setting, which fauxplat announced and did not change, when another program
    // changes it.
    machine.keep(&["governor=performance"]);
    machine.write("sys/devices/system/cpu/cpufreq/boost", b"0\n");
    let back = machine.restore(true).unwrap().unwrap();
    assert!(back.complete && !machine.journal().exists(), "{back:?}");
    assert_eq!(machine.read("sys/devices/system/cpu/cpufreq/boost"), "0\n");
    assert_eq!(machine.read(&governor), "powersave\n");
}

/// The file `cap_last_cap` of the kernel cannot be written by any process.
fn what_is_as_it_is_wished_needs_no_permission() {
    let fixed = "/proc/sys/kernel/cap_last_cap";
    let Ok(value) = fs::read_to_string(fixed) else { return eprintln!("skipped: there is no {fixed}") };
    let (machine, setting) = (Machine::new(), format!("swappiness={}", value.trim()));
    fs::remove_file(machine.path("proc/sys/vm/swappiness")).unwrap();
    symlink(fixed, machine.path("proc/sys/vm/swappiness")).unwrap();
    // The setting is tried alone, and with another change, which needs a journal.
    for words in [&[setting.as_str()][..], &["ksm=off", &setting]] {
        let settings = settings(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()).unwrap();
        let (previewed, _) = preview(&machine.root, &settings, false, true);
        let tuned = machine.tune(words, |tuning| tuning.all_or_nothing = true).unwrap();
        for changes in [&previewed, &tuned.changes] {
            assert_eq!(outcome(changes, "proc/sys/vm/swappiness"), KnobOutcome::Already, "{changes:?}");
        }
    }
}

/// Commands inherit settings of fauxplat's own process, which would also apply to the next experiment.
fn what_fauxplat_itself_is_given_ends_with_it() {
    let machine = Machine::new();
    let own = || {
        let slack = fs::read_to_string("/proc/self/timerslack_ns").unwrap();
        (process::huge_pages_are_disabled(), slack)
    };
    let before = own();
    let for_a_command = |tuning: &mut Tuning<'_>| (tuning.command, tuning.machine_wide) = (true, false);
    let tuned = machine.tune(&["thp=never", "timer-slack=7"], for_a_command).unwrap();
    assert_eq!(own(), (true, "7\n".to_owned()));
    drop(tuned);
    assert_eq!(own(), before);
}

/// Returns a machine whose files are devices that stand in for a kernel that forgets a value, refuses it, or returns
/// nothing usable.
fn hostile() -> Machine {
    let machine = Machine::new();
    for (file, device) in [
        ("proc/sys/vm/stat_interval", "/dev/null"),
        ("proc/sys/vm/dirty_writeback_centisecs", "/dev/zero"),
        ("proc/sys/kernel/soft_watchdog", "/proc/self/mem"),
    ] {
        fs::remove_file(machine.path(file)).unwrap();
        symlink(device, machine.path(file)).unwrap();
    }
    machine.write("proc/sys/vm/compaction_proactiveness", b"\xff\xfe\n");
    machine.write("proc/sys/kernel/nmi_watchdog", &[b'1'; 5000]);
    fs::remove_file(machine.path("sys/kernel/mm/ksm/run")).unwrap();
    fs::create_dir(machine.path("sys/kernel/mm/ksm/run")).unwrap();
    machine
}

const HOSTILE: [(&str, &str, KnobOutcome); 6] = [
    ("stat-interval=9", "proc/sys/vm/stat_interval", KnobOutcome::Clamped),
    ("writeback=off", "proc/sys/vm/dirty_writeback_centisecs", KnobOutcome::Refused),
    ("soft-watchdog=off", "proc/sys/kernel/soft_watchdog", KnobOutcome::Refused),
    ("compaction=off", "proc/sys/vm/compaction_proactiveness", KnobOutcome::Refused),
    ("nmi-watchdog=off", "proc/sys/kernel/nmi_watchdog", KnobOutcome::Refused),
    ("ksm=off", "sys/kernel/mm/ksm/run", KnobOutcome::Refused),
];

fn what_the_kernel_does_not_take_is_told_and_the_rest_done() {
    let machine = hostile();
    let words: Vec<&str> = HOSTILE.iter().map(|(setting, ..)| *setting).chain(["swappiness=1"]).collect();
    let tuned = machine.tune(&words, |_| {}).unwrap();
    for (setting, file, expected) in HOSTILE {
        assert_eq!(outcome(&tuned.changes, file), expected, "{setting}");
        let change = tuned.changes.iter().find(|change| change.target.ends_with(file)).unwrap();
        assert!(change.reason.as_ref().is_some_and(|reason| !reason.is_empty()), "{change:?}");
    }
    assert_eq!(machine.read("proc/sys/vm/swappiness"), "1");
    assert_eq!(fs::read(machine.path("proc/sys/vm/compaction_proactiveness")).unwrap(), b"\xff\xfe\n");
    tuned.restore().unwrap();
    assert_eq!(machine.read("proc/sys/vm/swappiness"), "60\n\n");
}

/// In a control group namespace, this process may be in a group that is not visible.
fn a_shield_that_could_not_be_left_again_is_not_entered() {
    for (there, text, own, named) in [
        ("cpuset/cpuset.cpus", "0-3\n", "proc/self/cpuset", "/../x\n"),
        ("cgroup.controllers", "cpuset cpu\n", "proc/self/cgroup", "0::/..\n"),
    ] {
        let machine = Machine::new();
        machine.write(&format!("sys/fs/cgroup/{there}"), text.as_bytes());
        machine.write(own, named.as_bytes());
        let for_a_command = |tuning: &mut Tuning<'_>| tuning.command = true;
        let tuned = machine.tune(&["shield=1"], for_a_command).unwrap();
        let [change] = &tuned.changes[..] else { panic!("{:?}", tuned.changes) };
        assert_eq!(change.outcome, KnobOutcome::Refused, "{change:?}");
        assert!(change.reason.as_ref().unwrap().contains("outside of what can be seen"), "{change:?}");
        assert!(!machine.journal().exists() && !machine.path("sys/fs/cgroup/fauxplat.shield").exists());
    }
}

fn all_or_nothing_is_nothing_when_one_is_refused() {
    for (setting, ..) in HOSTILE {
        let (machine, knob) = (hostile(), setting.split_once('=').unwrap().0);
        let error =
            machine.tune(&["swappiness=1", setting], |tuning| tuning.all_or_nothing = true).unwrap_err();
        assert!(
            matches!(&error, TuneError::NotAll { failed, .. } if failed.starts_with(knob)),
            "{setting}: {error}"
        );
        assert!(error.to_string().ends_with("; everything was put back"), "{setting}: {error}");
        assert_eq!(machine.read("proc/sys/vm/swappiness"), "60\n\n", "{setting}");
        assert!(machine.restore(false).unwrap().is_none_or(|back| back.changes.is_empty()), "{setting}");
    }
}

/// The kernel shows this filter in hexadecimal without a prefix and parses it as octal, so it never accepts the value
/// that it showed: the change fails, and so does its restoration.
fn what_could_not_be_taken_back_is_not_said_to_be() {
    let filter = format!("/proc/{}/coredump_filter", std::process::id());
    let Ok(before) = fs::read_to_string(&filter) else {
        return eprintln!("skipped: this kernel writes no cores");
    };
    let machine = Machine::new();
    fs::remove_file(machine.path("proc/sys/vm/swappiness")).unwrap();
    symlink(&filter, machine.path("proc/sys/vm/swappiness")).unwrap();
    let error = machine
        .tune(&["stat-interval=7", "swappiness=40"], |tuning| tuning.all_or_nothing = true)
        .unwrap_err();
    assert!(matches!(&error, TuneError::NotAll { failed, .. } if failed.contains("swappiness")), "{error}");
    let told = error.to_string();
    assert!(!told.contains("everything was put back") || told.contains("not everything"), "{told}");
    let journal = machine.journal().display().to_string();
    for words in [before.trim(), "/proc/sys/vm/swappiness", "by hand", journal.as_str()] {
        assert!(told.contains(words), "{told}");
    }
    assert!(machine.journal().exists());
    assert_eq!(machine.read("proc/sys/vm/stat_interval"), "1\n", "the other is back");
    fs::write(&filter, format!("0x{}", before.trim())).unwrap();
}

fn a_machine_that_has_nothing_is_told_of_and_left_alone() {
    let machine = Machine::new();
    fs::remove_dir_all(machine.path("sys")).unwrap();
    fs::remove_dir_all(machine.path("proc")).unwrap();
    fs::create_dir_all(machine.root.path()).unwrap();
    let words: Vec<&str> =
        TURNED.iter().map(|(setting, ..)| *setting).chain(["smt=off", "cpu:1=offline"]).collect();
    let tuned = machine.tune(&words, |_| {}).unwrap();
    let done = |outcome| !matches!(outcome, KnobOutcome::Absent | KnobOutcome::Refused);
    let changed: Vec<_> = tuned.changes.iter().filter(|change| done(change.outcome)).collect();
    assert!(changed.is_empty(), "{changed:?}");
    assert!(!machine.journal().exists(), "where nothing is changed nothing is announced");
    assert_eq!(fs::read_dir(machine.root.path()).unwrap().count(), 0, "no file was made");
}
