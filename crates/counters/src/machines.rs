//! Simulated sysfs trees of machines, for tests.

use std::fs;
use std::path::Path;

/// A temporary root directory that is removed when the test ends.
pub(crate) struct Tree(tempfile::TempDir);

impl Tree {
    fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = tree.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }
        tree
    }

    fn of_devices(files: &[(&str, &str)]) -> Tree {
        let below = |(path, text): &(&str, &str)| {
            (format!("sys/bus/event_source/devices/{path}"), (*text).to_owned())
        };
        let files: Vec<(String, String)> = files.iter().map(below).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Tree::of(&files)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }
}

/// A machine with one kind of cores, and a device that counts for a whole package.
pub(crate) fn amd() -> Tree {
    Tree::of_devices(&[
        ("cpu/type", "4"),
        ("cpu/format/event", "config:0-7,32-35"),
        ("cpu/format/umask", "config:8-15"),
        ("cpu/events/cpu-cycles", "event=0x76"),
        ("cpu/events/branch-misses", "event=0xc3"),
        ("cpu/events/with-place", "event=0x1,umask=?"),
        ("software/type", "1"),
        ("msr/type", "10"),
        ("msr/format/event", "config:0-63"),
        ("msr/events/tsc", "event=0x00"),
        ("power/type", "11"),
        ("power/cpumask", "0"),
        ("power/format/event", "config:0-7"),
        ("power/events/energy-pkg", "event=0x02"),
        ("power/events/energy-pkg.scale", "5e-1"),
        ("power/events/energy-pkg.unit", "Joules"),
    ])
}

/// A machine with two kinds of cores, of which one has the counters for top-down analysis.
pub(crate) fn hybrid() -> Tree {
    Tree::of_devices(&[
        ("cpu_core/type", "4"),
        ("cpu_core/cpus", "0-15"),
        ("cpu_core/format/event", "config:0-7"),
        ("cpu_core/format/umask", "config:8-15"),
        ("cpu_core/events/slots", "event=0x00,umask=0x4"),
        ("cpu_core/events/topdown-retiring", "event=0x00,umask=0x80"),
        ("cpu_atom/type", "10"),
        ("cpu_atom/cpus", "16-23"),
        ("cpu_atom/format/event", "config:0-7"),
        ("cpu_atom/events/cpu-cycles", "event=0x3c"),
        ("software/type", "1"),
    ])
}

/// An arm64 server, whose system-wide device has a `cpumask`.
pub(crate) fn arm64() -> Tree {
    Tree::of_devices(&[
        ("armv8_pmuv3_0/type", "8"),
        ("armv8_pmuv3_0/cpus", "0-79"),
        ("armv8_pmuv3_0/format/event", "config:0-15"),
        ("armv8_pmuv3_0/events/inst_retired", "event=0x0008"),
        ("arm_dsu_0/type", "9"),
        ("arm_dsu_0/cpumask", "0"),
        ("software/type", "1"),
    ])
}

/// A virtual machine whose host provides no counters.
pub(crate) fn none() -> Tree {
    Tree::of(&[
        ("sys/bus/event_source/devices/software/type", "1"),
        ("sys/bus/event_source/devices/tracepoint/type", "2"),
        ("sys/bus/event_source/devices/msr/type", "10"),
        ("sys/bus/event_source/devices/msr/format/event", "config:0-63"),
        ("sys/bus/event_source/devices/msr/events/tsc", "event=0x00"),
        ("sys/kernel/tracing/events/sched/sched_switch/id", "314"),
    ])
}
