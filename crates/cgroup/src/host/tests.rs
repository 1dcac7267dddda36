//! Tests of hierarchies and limits on trees of plain files.

use super::*;
use crate::ScopeUnit;
use crate::hierarchy::{Made, Version};

const V1_MOUNTS: &str = "\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
const V2_MOUNTS: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

/// A tree of files under a fresh folder.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &str)]) -> Tree {
        let root = std::env::temp_dir().join(format!("fauxplat-cgroup-{name}-{}", std::process::id()));
        let tree = Tree(root);
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    fn host(&self) -> Host {
        Host::discover(&self.0)
    }

    /// Makes a folder below the own group in the hierarchy of each controller, with these files, as if the kernel had
    /// made a group there.
    fn group(&self, controllers: &[Controller], folder: &str, files: &[(&str, &str)]) -> Group {
        let mut group = Group::default();
        for controller in controllers {
            let hierarchy = self.host().find(*controller).unwrap();
            let made = Made { folder: hierarchy.own.join(folder), ..Made::default() };
            group.add(hierarchy, made);
        }
        let folders: Vec<PathBuf> = group.folders().to_vec();
        for folder in folders {
            fs::create_dir_all(&folder).unwrap();
            files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
        }
        group
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

fn v1(name: &str) -> Tree {
    Tree::new(
        name,
        &[
            ("proc/self/mountinfo", V1_MOUNTS),
            ("proc/self/cgroup", "5:cpuset:/\n4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n"),
            ("proc/meminfo", "SwapTotal: 4096 kB\n"),
            ("sys/fs/cgroup/memory/a/b/tasks", ""),
            ("sys/fs/cgroup/cpu,cpuacct/tasks", ""),
            ("sys/fs/cgroup/cpuset/cpuset.cpus", "0-3\n"),
            ("sys/fs/cgroup/cpuset/cpuset.mems", "0\n"),
            ("sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n"),
        ],
    )
}

fn v2(name: &str) -> Tree {
    Tree::new(
        name,
        &[
            ("proc/self/mountinfo", V2_MOUNTS),
            ("proc/self/cgroup", "0::/user.slice/app.slice/shell.scope\n"),
            ("proc/meminfo", "SwapTotal: 0 kB\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n"),
            ("sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu memory pids\n"),
            ("sys/fs/cgroup/user.slice/app.slice/cgroup.subtree_control", "memory\n"),
            ("sys/fs/cgroup/user.slice/app.slice/shell.scope/cgroup.procs", ""),
        ],
    )
}

#[test]
fn version_1_has_a_hierarchy_for_each_controller() {
    let tree = v1("v1");
    let find = |controller| tree.host().find(controller).unwrap();
    let (cpu, memory) = (find(Controller::Cpu), find(Controller::Memory));
    assert_eq!((cpu.version, memory.version), (Version::One, Version::One));
    assert_eq!(cpu.own, tree.0.join("sys/fs/cgroup/cpu,cpuacct"));
    assert_eq!(memory.own, tree.0.join("sys/fs/cgroup/memory/a/b"));
    assert_eq!(find(Controller::Pressure).version, Version::Two, "a machine with both");
    assert_eq!(memory.path_of(&memory.own.join("x")), "/a/b/x");
    let mut wanted = Vec::new();
    [Controller::Cpu, Controller::CpuAccount].into_iter().for_each(|one| add(&mut wanted, find(one), true));
    assert_eq!(wanted.len(), 1, "both are counted in one hierarchy");
}

#[test]
fn version_2_makes_groups_beside_our_own_where_controllers_are_given_on() {
    let tree = v2("v2");
    let cpu = tree.host().find(Controller::Cpu).unwrap();
    let made = cpu.make(0).unwrap();
    assert_eq!(made.folder.parent(), Some(tree.0.join("sys/fs/cgroup/user.slice").as_path()));
    assert!(made.way.starts_with("above our own group"), "{}", made.way);
    assert!(made.way.contains("app.slice: its cgroup.subtree_control has no cpu"), "{}", made.way);
    let memory = tree.host().find(Controller::Memory).unwrap().make(0).unwrap();
    assert!(memory.way.starts_with("beside our own group"), "{}", memory.way);
    assert_eq!(memory.enabled, 0);
}

#[test]
fn what_no_group_gives_on_is_given_on_meanwhile_and_taken_back() {
    let tree = v2("enable");
    let cpuset = tree.host().find(Controller::Cpuset).unwrap();
    assert!(!cpuset.is_given_on());
    let made = cpuset.make(0).unwrap();
    let above = "sys/fs/cgroup/user.slice/app.slice/cgroup.subtree_control";
    assert_eq!((tree.read(above).as_str(), made.enabled), ("+cpuset", owner::mask(Controller::Cpuset)));
    assert!(made.way.contains("cpuset enabled there meanwhile"), "{}", made.way);
    fs::remove_dir(&made.folder).unwrap();
    hierarchy::disable(made.folder.parent().unwrap(), made.enabled);
    assert_eq!(tree.read(above), "-cpuset");
    // Another group of fauxplat has the controller in its name, and so still needs it.
    fs::create_dir(made.folder.with_file_name(owner::name(7, made.enabled))).unwrap();
    tree.write(above, "cpuset");
    hierarchy::disable(made.folder.parent().unwrap(), made.enabled);
    assert_eq!(tree.read(above), "cpuset");
    // A group whose name lacks the controller does not need it, since it was made before the controller was enabled.
    let pids = owner::mask(Controller::Pids);
    hierarchy::disable(made.folder.parent().unwrap(), made.enabled | pids);
    assert_eq!(tree.read(above), "-pids");
}

#[test]
fn a_place_that_was_tried_twice_is_told_once_with_what_was_found_last() {
    let tree = v2("tried");
    let cpuset = tree.host().find(Controller::Cpuset).unwrap();
    fs::remove_dir_all(tree.0.join("sys")).unwrap();
    let told = cpuset.make(0).unwrap_err().to_string();
    assert_eq!(
        (told.matches("No such file").count(), told.matches("subtree_control has no").count()),
        (4, 0),
        "{told}"
    );
}

#[test]
fn a_missing_controller_is_named_with_the_reason() {
    let told = |controllers: &str, mounts: &str, controller| {
        let tree = Tree::new(
            "none",
            &[("proc/self/mountinfo", mounts), ("proc/self/cgroup", "0::/\n"), ("proc/cgroups", controllers)],
        );
        tree.host().find(controller).unwrap_err().to_string()
    };
    let none = told("", "", Controller::Cpu);
    assert!(none.contains("with the cpu controller") && none.contains("none are mounted"), "{none}");
    let table =
        "#subsys_name\thierarchy\tnum_cgroups\tenabled\nmemory\t0\t1\t0\nblkio\t7\t3\t1\npids\t0\t1\t1\n";
    let why = |controller| told(table, V2_MOUNTS, controller);
    assert!(why(Controller::Memory).contains("cgroup_disable"));
    assert!(why(Controller::Io).contains("claimed by a hierarchy of version 1"));
    assert!(why(Controller::Pids).contains("does not have it"));
    assert!(why(Controller::Cpuset).contains("this kernel has none"));
}

#[test]
fn limits_of_version_1_are_written_where_the_kernel_wants_them() {
    let tree = v1("set-v1");
    let files = [
        ("cpu.cfs_period_us", "100000"),
        ("cpu.cfs_quota_us", "-1"),
        ("cpu.shares", "1024"),
        ("cpuset.cpus", ""),
        ("cpuset.mems", ""),
        ("memory.limit_in_bytes", ""),
        ("memory.memsw.limit_in_bytes", ""),
        ("memory.oom_control", ""),
    ];
    let mut group = tree.group(&[Controller::Cpu, Controller::Cpuset, Controller::Memory], "g", &files);
    let limit: Limit = "cpu:50%+weight:75+cpus:2-3+memory:20M".parse().unwrap();
    group.set(&limit, &tree.0).unwrap();
    let held = group.limits();
    assert_eq!((held.cpu_percent, held.weight), (Some(50.0), Some(75.0)));
    assert_eq!((held.cpus.as_deref(), held.mems.as_deref()), (Some("2-3"), Some("0")));
    assert_eq!((held.memory_bytes, held.swap_bytes), (Some(20 << 20), Some(0)));
    assert_eq!(tree.read("sys/fs/cgroup/cpu,cpuacct/g/cpu.shares"), "768");
    assert!(group.remarks()[0].contains("memory nodes: 0, as in the group above"), "{:?}", group.remarks());
    let notes = group.notes().join("\n");
    assert!(notes.contains("swap: 0, since only memory was stated"), "{notes}");
    assert_eq!(group.pause_on_oom(&limit).unwrap(), crate::Pausing::ByKernel);
    assert_eq!(tree.read("sys/fs/cgroup/memory/a/b/g/memory.oom_control"), "1");
    assert_eq!(group.version(), "1");
    let refused = |text: &str| {
        let mut group = tree.group(&[Controller::Cpuset, Controller::Memory], "h", &files);
        group.set(&text.parse().unwrap(), &tree.0).unwrap_err().to_string()
    };
    assert!(refused("cpus:3-4").contains("has only the CPUs 0-3"));
    assert!(refused("swap:0").contains("state memory:SIZE as well"));
    tree.write("sys/fs/cgroup/cpuset/cpuset.mems", "\n");
    assert!(refused("cpus:3").contains("version 1 lets no task into a group before"));
}

#[test]
fn limits_of_version_2_are_written_where_the_kernel_wants_them() {
    let tree = v2("set-v2");
    let files = [
        ("cpu.max", "max 100000"),
        ("cpu.weight", "100"),
        ("memory.max", "max"),
        ("memory.high", "max"),
        ("memory.swap.max", "max"),
        ("pids.max", "max"),
        ("io.max", ""),
    ];
    let mut group = tree.group(&[Controller::Cpu], "g", &files);
    group.parts[0].hierarchy.controllers.extend([Controller::Memory, Controller::Pids, Controller::Io]);
    let limit: Limit = "cpu:5%+weight:25+memory:20M+swap:1M+pids:9+io:8:0:rbps=1M:wiops=5".parse().unwrap();
    tree.write("sys/fs/cgroup/user.slice/app.slice/memory.max", "10485760\n");
    group.set(&limit, &tree.0).unwrap();
    let held = group.limits();
    assert_eq!((held.cpu_percent, held.weight, held.pids), (Some(5.0), Some(25.0), Some(9)));
    assert_eq!((held.memory_bytes, held.swap_bytes), (Some(20 << 20), Some(1 << 20)));
    assert_eq!(held.io, ["8:0:rbps=1048576:wiops=5"]);
    let told = group.notes().join("\n");
    assert!(told.contains("app.slice allows 10.0 MiB for all in it, which is less than 20.0 MiB"), "{told}");
    let pausing = group.pause_on_oom(&limit).unwrap();
    let high_bytes = (20 << 20) / 32 * 31;
    assert_eq!(pausing, crate::Pausing::ByFreezing { high_bytes });
    assert_eq!((group.limits().memory_bytes, group.limits().memory_high_bytes), (None, Some(high_bytes)));
    assert!(group.pause_on_oom(&Limit::default()).unwrap_err().to_string().contains("--memory"));
    assert!(group.freeze(true).is_err(), "a kernel without cgroup.freeze has no such file");
}

#[test]
fn both_versions_are_read_alike() {
    let one = v1("read-v1");
    let files = [
        ("memory.usage_in_bytes", "4096\n"),
        ("memory.memsw.usage_in_bytes", "5000\n"),
        ("memory.max_usage_in_bytes", "8192\n"),
        ("memory.failcnt", "1\n"),
        ("memory.memsw.failcnt", "2\n"),
        ("memory.oom_control", "oom_kill_disable 1\nunder_oom 1\noom_kill 2\n"),
        ("cpu.stat", "nr_periods 5\nnr_throttled 2\nthrottled_time 700\n"),
        ("cpuacct.usage", "123456\n"),
    ];
    let group = one.group(&[Controller::Cpu, Controller::Memory], "g", &files);
    let usage = group.usage();
    assert_eq!((usage.memory_bytes, usage.swap_bytes, usage.max), (Some(4096), Some(904), Some(3)));
    assert_eq!((usage.oom_kills, usage.is_paused, group.peak_memory_bytes()), (Some(2), true, Some(8192)));
    assert_eq!((usage.throttled_periods, usage.throttled_ns, usage.pids), (Some(2), Some(700), None));
    let two = v2("read-v2");
    let files = [
        ("memory.current", "4096\n"),
        ("memory.peak", "8192\n"),
        ("memory.events", "low 0\nhigh 4\nmax 3\noom 1\noom_kill 2\n"),
        ("cgroup.events", "populated 1\nfrozen 1\n"),
        ("cpu.stat", "usage_usec 77\nnr_periods 5\nnr_throttled 2\nthrottled_usec 7\n"),
        ("memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=55\n"),
    ];
    let mut group = two.group(&[Controller::Memory], "g", &files);
    group.parts[0].hierarchy.controllers.extend([Controller::Cpu, Controller::Pressure]);
    let usage = group.usage();
    assert_eq!((usage.memory_bytes, usage.high, usage.max), (Some(4096), Some(4), Some(3)));
    assert_eq!((usage.oom_kills, usage.is_paused, group.peak_memory_bytes()), (Some(2), true, Some(8192)));
    assert_eq!((usage.cpu_ns, usage.throttled_ns), (Some(77_000), Some(7000)));
    assert_eq!((usage.memory_pressure_us, usage.cpu_pressure_us), (Some(55), None));
}

#[test]
fn groups_with_groups_below_them_go_as_a_whole() {
    let tree = v2("nested");
    let folder = tree.0.join("sys/fs/cgroup/user.slice/app.slice/fauxplat-1-2-3-4");
    fs::create_dir_all(folder.join("a/b")).unwrap();
    // Removing a group fails in the kernel's file system as busy, and in a plain file system as not empty; the group is
    // kept in either case.
    assert_eq!(fs::remove_dir(&folder).unwrap_err().kind(), std::io::ErrorKind::DirectoryNotEmpty);
    assert!(!crate::group::remove(&folder), "a folder that is no control group is left alone");
    assert!(folder.exists());
}

#[test]
fn the_last_of_several_groups_takes_back_what_was_given_on_for_the_first() {
    let tree = v2("several");
    let cpuset = tree.host().find(Controller::Cpuset).unwrap();
    let above = "sys/fs/cgroup/user.slice/app.slice/cgroup.subtree_control";
    let make = |number| {
        let mut group = Group::default();
        group.add(cpuset.clone(), cpuset.make(number).unwrap());
        // The kernel's file would list the enabled controllers from now on.
        tree.write(above, "cpuset memory\n");
        group
    };
    let groups: Vec<Group> = (0..2).map(make).collect();
    drop(groups);
    assert_eq!(tree.read(above), "-cpuset");
    // Groups of dead owners are removed in any order.
    tree.write(above, "cpuset memory\n");
    let here = fauxplat_sys::process::pid_namespace().unwrap();
    for (ticks, enabled) in [(1, 0), (2, owner::mask(Controller::Cpuset)), (3, 0)] {
        let name = format!("fauxplat-{here}-4194304-{ticks}-{}", enabled * 1_000_000);
        fs::create_dir(tree.0.join(above).with_file_name(name)).unwrap();
    }
    assert_eq!(tree.host().remove_stale(), 3);
    assert_eq!(tree.read(above), "-cpuset");
}

#[test]
fn limits_that_fauxplat_leaves_are_told() {
    let tree = v2("left");
    let own = "sys/fs/cgroup/user.slice/app.slice/shell.scope";
    tree.write(&format!("{own}/memory.max"), "20971520\n");
    tree.write(&format!("{own}/cpu.max"), "50000 100000\n");
    tree.write(&format!("{own}/pids.max"), "max\n");
    tree.write(&format!("{own}/cpuset.cpus"), "0-1\n");
    let mut group = Group::default();
    let cpu = tree.host().find(Controller::Cpu).unwrap();
    let made = cpu.make(0).unwrap();
    group.add(cpu.clone(), made);
    let told = group.left_around();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("shell.scope, whose limits do not hold"), "{told:?}");
    assert!(told[0].ends_with(": cpu 50 %, memory 20.0 MiB, cpus 0-1"), "{told:?}");
    // A group below fauxplat's own group is under every limit that applies to fauxplat, so no note is needed.
    let below = tree.group(&[Controller::Cpu], "g", &[]);
    assert_eq!(below.left_around(), Vec::<String>::new());
}

#[test]
fn processes_that_stand_in_the_way_are_told_from_a_hierarchy_that_is_read_only() {
    let container = |kind: &[(&str, &str)]| {
        let files = [
            ("proc/self/mountinfo", V2_MOUNTS),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n"),
            ("sys/fs/cgroup/cgroup.subtree_control", "\n"),
            ("sys/fs/cgroup/cgroup.procs", "1\n7\n"),
        ];
        Tree::new("container", &[&files[..], kind].concat())
    };
    let tree = container(&[("sys/fs/cgroup/cgroup.type", "domain\n")]);
    let said = tree.host().create(0, &"memory:20M".parse().unwrap(), &[]).unwrap_err().to_string();
    let top = tree.0.join("sys/fs/cgroup");
    assert!(said.contains("processes are in this group itself"), "{said}");
    assert!(said.contains(&format!("mkdir {}/leaf", top.display())) && !said.contains("read-only"), "{said}");
    drop(tree);
    // The root group may enable controllers although it contains processes.
    let tree = container(&[]);
    let made = tree.host().find(Controller::Memory).unwrap().make(0).unwrap();
    assert_eq!(made.enabled, owner::mask(Controller::Memory));
}

#[test]
fn a_delegated_group_with_processes_in_it_is_named() {
    // Folders in place of files cannot be written to by any user, root included.
    let tree = Tree::new(
        "service",
        &[
            ("proc/self/mountinfo", V2_MOUNTS),
            ("proc/self/cgroup", "0::/system.slice/a.service\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n"),
            ("sys/fs/cgroup/cgroup.subtree_control/none", ""),
            ("sys/fs/cgroup/system.slice/cgroup.subtree_control/none", ""),
            ("sys/fs/cgroup/system.slice/a.service/cgroup.controllers", "memory\n"),
            ("sys/fs/cgroup/system.slice/a.service/cgroup.subtree_control", "\n"),
            ("sys/fs/cgroup/system.slice/a.service/cgroup.type", "domain\n"),
            ("sys/fs/cgroup/system.slice/a.service/cgroup.procs", "7\n"),
        ],
    );
    let said = tree.host().create(0, &"memory:20M".parse().unwrap(), &[]).unwrap_err().to_string();
    assert!(said.contains("a.service/leaf") && said.contains("DelegateSubgroup"), "{said}");
}

#[test]
fn nobody_ends_the_process_that_removes_a_group() {
    let own = std::process::id().to_string();
    let tree = Tree::new("inside", &[("g/cgroup.procs", "4194304\n"), ("g/below/cgroup.procs", "")]);
    let group = tree.0.join("g");
    assert_eq!(crate::group::others(&group), Some(vec![4194304]));
    tree.write("g/below/cgroup.procs", &format!("{own}\n"));
    assert_eq!(crate::group::others(&group), None);
}

/// The service manager delegates the scope, and the groups above it belong to the manager.
#[test]
fn groups_stand_in_a_scope_that_was_given_for_them() {
    let tree = v2("scope");
    let scope = "sys/fs/cgroup/user.slice/app.slice/fauxplat-77-1234.scope";
    let unit = ScopeUnit::of_this_process();
    tree.write("proc/self/cgroup", &format!("0::/user.slice/app.slice/{}\n", unit.name()));
    assert!(unit.is_entered(&tree.0, &[7, 8]), "7 and 8 have ended");
    tree.write("proc/7/cgroup", "0::/user.slice/session-1.scope\n");
    tree.write("proc/7/stat", "7 (spawner) S 1 7 7");
    assert!(!unit.is_entered(&tree.0, &[7, 8]), "7 was not moved yet");
    tree.write("proc/7/cgroup", &format!("0::/user.slice/app.slice/{}\n", unit.name()));
    assert!(unit.is_entered(&tree.0, &[7, 8]));
    tree.write("proc/self/cgroup", "0::/user.slice/app.slice/fauxplat-77-1234.scope\n");
    assert!(!unit.is_entered(&tree.0, &[7, 8]), "another's");
    tree.write(&format!("{scope}/cgroup.procs"), "");
    // In a plain file system no `cgroup.procs` appears in the new folder, so this process cannot be moved there.
    assert!(matches!(
        ScopeUnit::make_room(&tree.0, &[std::process::id() as i32]),
        Err(CgroupError::File { .. })
    ));
    tree.write("proc/self/cgroup", "0::/user.slice/app.slice/fauxplat-77-1234.scope/fauxplat\n");
    let memory = tree.host().find(Controller::Memory).unwrap();
    assert_eq!(memory.candidates(), [tree.0.join(scope), tree.0.join(scope).join("fauxplat")]);
    let made = memory.make(0).unwrap();
    assert_eq!(made.folder.parent(), Some(tree.0.join(scope).as_path()));
    assert_eq!(tree.read(&format!("{scope}/cgroup.subtree_control")), "+memory");
    if !fauxplat_sys::process::is_root() {
        assert!(made.way.contains("the service manager of the user gave"), "{}", made.way);
    }
}
