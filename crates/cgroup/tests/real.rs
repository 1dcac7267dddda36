//! Tests with real control groups, which need root or a delegated group and are skipped otherwise.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test starts processes and says why it skips"
)]

use std::path::Path;
use std::process::Command;

use fauxplat_cgroup::{Controller, Group, Host};
use fauxplat_model::Limit;
use fauxplat_sys::sched;
use fauxplat_units::{Bytes, CpuSet};

/// A group with this limit; `None`, with a message, if it cannot be made.
fn group(number: usize, limit: &Limit) -> Option<(Host, Group)> {
    let host = Host::discover(Path::new("/"));
    match host.create(number, limit, &[Controller::Cpu, Controller::Memory]) {
        Ok(group) => Some((host, group)),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// Command that runs the program in the group: a shell enters the group and then executes it.
fn inside(group: &Group, program: &str) -> Command {
    let enter: String = group
        .folders()
        .iter()
        .map(|folder| format!("echo 0 > {}/cgroup.procs && ", folder.display()))
        .collect();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{enter}exec {program}")]);
    shell
}

#[test]
fn memory_beyond_the_limit_ends_the_program_and_less_does_not() {
    let limit = Limit { memory: Some(Bytes(24 << 20)), ..Limit::default() };
    let Some((_, group)) = group(1, &limit) else { return };
    // `dd` holds one block in memory, and fills it.
    let fits = inside(&group, "dd if=/dev/zero of=/dev/null bs=4M count=1 status=none").status().unwrap();
    assert!(fits.success(), "{fits}");
    let beyond = inside(&group, "dd if=/dev/zero of=/dev/null bs=96M count=1 status=none").status().unwrap();
    assert!(!beyond.success(), "{beyond}");
    let folders = group.folders().to_vec();
    drop(group);
    assert!(folders.iter().all(|folder| !folder.exists()));
}

#[test]
fn a_cpu_quota_is_written_and_the_group_goes_even_with_a_process_inside() {
    let limit = Limit { cpu_percent: Some(50), ..Limit::default() };
    let Some((_, group)) = group(2, &limit) else { return };
    let quota = group.folders().iter().find_map(|folder| {
        let v2 = std::fs::read_to_string(folder.join("cpu.max")).ok();
        v2.or_else(|| std::fs::read_to_string(folder.join("cpu.cfs_quota_us")).ok())
    });
    assert!(quota.unwrap().starts_with("5000"));
    let mut sleeper = inside(&group, "sleep 60").spawn().unwrap();
    let entered = |folder: &std::path::PathBuf| {
        std::fs::read_to_string(folder.join("cgroup.procs")).is_ok_and(|text| !text.is_empty())
    };
    while !group.folders().iter().all(entered) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let folders = group.folders().to_vec();
    drop(group);
    assert!(folders.iter().all(|folder| !folder.exists()));
    assert!(!sleeper.wait().unwrap().success());
}

/// A killed process needs CPU time once more to end, and a group with this quota has almost none.
#[test]
fn a_group_goes_however_little_of_a_cpu_it_has() {
    let limit = Limit { cpu_percent: Some(50), ..Limit::default() };
    let Some((_, group)) = group(8, &limit) else { return };
    let busy = |_| inside(&group, "sh -c 'while :; do :; done'").spawn().unwrap();
    let mut busy: Vec<_> = (0..4).map(busy).collect();
    while busy.iter().any(|one| !group.pids().contains(&(one.id() as i32))) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // The quota is 1 ms in 1 s, which is the longest period that the kernel accepts.
    for (file, text) in
        [("cpu.max", "1000 1000000"), ("cpu.cfs_period_us", "1000000"), ("cpu.cfs_quota_us", "1000")]
    {
        for file in group.folders().iter().map(|folder| folder.join(file)).filter(|file| file.exists()) {
            std::fs::write(file, text).unwrap();
        }
    }
    let folders = group.folders().to_vec();
    drop(group);
    assert!(folders.iter().all(|folder| !folder.exists()));
    assert!(busy.iter_mut().all(|one| !one.wait().unwrap().success()));
}

#[test]
fn groups_of_dead_owners_are_removed_and_those_of_the_living_stay() {
    let Some((host, group)) = group(3, &Limit::default()) else { return };
    let here = fauxplat_sys::process::pid_namespace().unwrap();
    let beside = |namespace: u64| {
        let folder = group.folders()[0].parent().unwrap().join(format!("fauxplat-{namespace}-4194304-1-0"));
        std::fs::create_dir(&folder).unwrap();
        folder
    };
    let (dead, of_another_container) = (beside(here), beside(here - 1));
    assert!(host.remove_stale() >= 1);
    assert!(!dead.exists() && of_another_container.exists());
    std::fs::remove_dir(of_another_container).unwrap();
    assert!(group.folders().iter().all(|folder| folder.exists()));
}

/// In version 2 a controller is enabled for all children of a group at once, so a controller that one copy of fauxplat
/// disables may be needed by another.
#[test]
fn groups_that_come_and_go_at_once_have_what_they_need_and_leave_nothing_given_on() {
    let (host, limit): (_, Limit) = (Host::discover(Path::new("/")), "pids:50".parse().unwrap());
    let first = match host.create(20, &limit, &[]) {
        Ok(group) => group,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let above: Vec<_> = first.folders().iter().map(|folder| folder.parent().unwrap().to_owned()).collect();
    let given_on = || -> Vec<String> {
        let files = above.iter().map(|folder| folder.join("cgroup.subtree_control"));
        let texts: String = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        texts.split_whitespace().map(str::to_owned).collect()
    };
    drop(first);
    let before = given_on();
    if before.iter().any(|name| name == "pids") {
        eprintln!("given on already: that each group has what it needs is all that is seen here");
    }
    let host = &host;
    std::thread::scope(|scope| {
        for lane in 0..4 {
            scope.spawn(move || {
                for _ in 0..25 {
                    let group = host.create(10 + lane, &"pids:50".parse().unwrap(), &[]).unwrap();
                    let limits = group.folders().iter().map(|folder| folder.join("pids.max"));
                    assert!(
                        limits.filter_map(|file| std::fs::read_to_string(file).ok()).any(|it| it == "50\n")
                    );
                }
            });
        }
    });
    // Groups of other tests may still need controllers for some time.
    let is_left = || given_on().iter().any(|name| !before.contains(name));
    for _ in 0..6000 {
        if !is_left() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("given on before: {before:?}, now: {:?}", given_on());
}

/// A process id that does not exist in another pid namespace may belong to a running process here.
#[test]
fn a_group_that_is_in_use_is_not_stale_in_another_namespace() {
    const LOOK: &str = "FAUXPLAT_CGROUP_LOOK";
    let test = "a_group_that_is_in_use_is_not_stale_in_another_namespace";
    if std::env::var_os(LOOK).is_some() {
        Host::discover(Path::new("/")).remove_stale();
        return;
    }
    let Some((_, group)) = group(4, &Limit::default()) else { return };
    let mut container = Command::new("unshare");
    container.args(["--pid", "--fork", "--mount-proc"]).arg(std::env::current_exe().unwrap());
    let looked = container.args(["--exact", test]).env(LOOK, "1").output().unwrap();
    let said = String::from_utf8_lossy(&looked.stderr);
    if said.starts_with("unshare:") {
        return eprintln!("skipped: {said}");
    }
    assert!(looked.status.success(), "{said}");
    assert!(group.folders().iter().all(|folder| folder.exists()), "another container removed it");
}

/// Limits are effective, and usage is counted, whichever version this machine has.
#[test]
fn a_group_tells_what_holds_and_what_was_used() {
    let host = Host::discover(Path::new("/"));
    let limit: Limit = "memory:24M+pids:50+weight:50".parse().unwrap();
    let group = match host.create_watched(5, &limit) {
        Ok(group) => group,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let held = group.limits();
    assert_eq!((held.memory_bytes, held.pids, held.weight), (Some(24 << 20), Some(50), Some(50.0)));
    let fits = inside(&group, "dd if=/dev/zero of=/dev/null bs=4M count=9 status=none").status().unwrap();
    assert!(fits.success(), "{fits}");
    let used = group.usage();
    assert!(used.cpu_ns > Some(0), "{used:?}");
    assert_eq!((used.oom_kills, used.is_paused), (Some(0), false));
    assert!(group.peak_memory_bytes().is_none_or(|bytes| bytes >= 4 << 20));
    assert!(group.places().iter().all(|place| !place.way.is_empty()));
    let mut sleeper = inside(&group, "sleep 60").spawn().unwrap();
    while !group.pids().contains(&(sleeper.id() as i32)) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    drop(group);
    assert!(!sleeper.wait().unwrap().success());
}

/// Groups that a program makes below its own group are removed with it.
#[test]
fn groups_below_ours_go_with_it() {
    let Some((_, group)) = group(6, &Limit::default()) else { return };
    let folders = group.folders().to_vec();
    std::fs::create_dir(folders[0].join("inner")).unwrap();
    drop(group);
    assert!(folders.iter().all(|folder| !folder.exists()));
}

#[test]
fn a_group_whose_processes_cannot_be_ended_holds_nobody_up() {
    // Processes frozen by the freezer of version 1 do not end before they are thawed; the freezer of version 2 lets
    // SIGKILL through.
    let freezer = Path::new("/sys/fs/cgroup/freezer").join(format!("held-{}", std::process::id()));
    if std::fs::create_dir(&freezer).is_err() || !freezer.join("freezer.state").exists() {
        let _none_was_made = std::fs::remove_dir(&freezer);
        return eprintln!("skipped: there is no freezer of version 1 that this user may use");
    }
    let frozen = |group: &Group| {
        let deep: Vec<_> = group.folders().iter().map(|folder| folder.join("a/b/c")).collect();
        deep.iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        // A cpuset of version 1 accepts no process before it has CPUs and memory nodes.
        for folder in deep.iter().filter(|folder| !folder.join("cpuset.cpus").exists()).chain([&freezer]) {
            std::fs::write(folder.join("cgroup.procs"), sleeper.id().to_string()).unwrap();
        }
        // The request to freeze is repeated: a process that is still being loaded from a network file system may lose a
        // request, since that file system drops the pending signal by which it is made (`p9_client_rpc` in
        // `net/9p/client.c`).
        let state = freezer.join("freezer.state");
        let is_frozen = || {
            std::fs::write(&state, "FROZEN").unwrap();
            std::fs::read_to_string(&state).unwrap().trim() == "FROZEN"
        };
        while !is_frozen() {
            assert!(sleeper.try_wait().unwrap().is_none());
            std::thread::yield_now();
        }
        sleeper
    };
    if let Some((_, group)) = group(9, &Limit::default()) {
        let (folders, mut sleeper) = (group.folders().to_vec(), frozen(&group));
        let begun_ns = fauxplat_sys::clock::monotonic_ns();
        drop(group);
        let took_ns = fauxplat_sys::clock::monotonic_ns() - begun_ns;
        let stays = folders.iter().any(|folder| folder.exists());
        std::fs::write(freezer.join("freezer.state"), "THAWED").unwrap();
        let ended = sleeper.wait().unwrap();
        for folder in folders.iter().filter(|folder| folder.exists()) {
            for below in ["a/b/c", "a/b", "a", ""] {
                std::fs::remove_dir(folder.join(below)).unwrap();
            }
        }
        // The time limit for the removal applies to each hierarchy once, not to each level of groups.
        assert!(took_ns < 60_000_000_000, "{} s", took_ns / 1_000_000_000);
        assert!(stays && !ended.success(), "it was held, and ended when it was let go: {ended}");
    }
    std::fs::remove_dir(&freezer).unwrap();
}

/// Before Linux 6.2 a process that enters a group gets all CPUs of the group. On a machine with one CPU the test proves
/// nothing.
#[test]
fn a_process_that_is_put_into_a_group_keeps_its_cpu() {
    let allowed = sched::affinity(0).unwrap();
    let one: CpuSet = allowed.iter().take(1).collect();
    let limit = Limit { cpus: Some(allowed), ..Limit::default() };
    let Some((_, group)) = group(7, &limit) else { return };
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = sleeper.id() as i32;
    sched::set_affinity(pid, &one).unwrap();
    group.put(pid).unwrap();
    let kept = sched::affinity(pid).unwrap();
    drop(group);
    assert!(!sleeper.wait().unwrap().success());
    assert_eq!(kept, one);
}
