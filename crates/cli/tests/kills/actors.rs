//! Tasks of every kind from which a tuner takes their CPU: asleep, woken often, always running, real-time, with
//! threads, and starting children all the time.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fauxplat_sys::{process, sched, signal};
use fauxplat_units::CpuSet;

/// `SCHED_FIFO`, see `sched(7)`.
const FIFO: i32 = 1;
const NAP: Duration = Duration::from_millis(3);

/// Behaves as a task of this kind, and never returns.
pub(crate) fn act(kind: &str) -> ! {
    // The actor ends with the test, so that a killed test leaves no busy loop behind.
    let _without_right = signal::on_parent_death(signal::SIGKILL);
    // Each actor has a session, and so an autogroup of its own, see `sched(7)`. A spinner and many frequent sleepers in
    // one group make Linux 6.18 reweight that group so often that no other task gets its CPU for minutes, and the
    // kernel cannot offline it.
    process::own_session();
    match kind {
        "sleeper" => loop {
            std::thread::sleep(Duration::from_secs(1000));
        },
        "waker" => nap_for_ever(),
        "spinner" => loop {
            std::hint::black_box(0);
        },
        "fifo-waker" => {
            // Without the right to a real-time policy, the task behaves like a `waker`.
            let _without_right = sched::set_policy(0, FIFO, 10);
            nap_for_ever()
        }
        "threads" => {
            let own = |_| std::thread::spawn(|| nap_for_ever());
            let _running: Vec<_> = (0..3).map(own).collect();
            nap_for_ever()
        }
        "forker" => loop {
            let _ended = Command::new("sleep").arg("0.02").status();
        },
        other => panic!("{other} is no kind of actor"),
    }
}

fn nap_for_ever() -> ! {
    loop {
        std::thread::sleep(NAP);
    }
}

const KINDS: [&str; 6] = ["sleeper", "waker", "spinner", "fifo-waker", "threads", "forker"];

/// Running actors of every kind, in the root cpuset and in cpusets made for them; all end when the value is dropped.
pub(crate) struct Cast {
    children: Vec<Child>,
    cpusets: Vec<PathBuf>,
}

impl Cast {
    /// Starts the actors: pinned to the CPU that is taken offline, pinned to the other CPUs, and not pinned.
    pub(crate) fn begin(cpu: &CpuSet, all: &CpuSet) -> Self {
        let mut cast = Cast { children: Vec::new(), cpusets: Vec::new() };
        let rest = all.without(cpu);
        for kind in KINDS {
            cast.add(kind, Some(cpu), None);
        }
        cast.add("waker", Some(&rest), None);
        cast.add("waker", None, None);
        for (name, cpus) in [("fauxplat-test-all", all), ("fauxplat-test-one", cpu)] {
            let Some(cpuset) = cast.make_cpuset(name, cpus) else { continue };
            for kind in ["sleeper", "waker", "threads", "forker"] {
                cast.add(kind, Some(cpu), Some(&cpuset));
            }
            cast.add("waker", None, Some(&cpuset));
        }
        cast.wait_until_placed();
        cast
    }

    /// Waits until each child has become this program: before that it is the shell or `taskset(1)` that places it, and
    /// does not stand yet where the tuner finds it.
    fn wait_until_placed(&self) {
        let own = std::env::current_exe().expect("this program").display().to_string() + "\0";
        let stands = |child: &Child| {
            let line = fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
            // A process that has ended has an empty command line.
            line.is_empty() || line.starts_with(own.as_bytes())
        };
        let placed = (0..12_000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            self.children.iter().all(stands)
        });
        assert!(placed, "an actor does not begin");
    }

    fn add(&mut self, kind: &str, cpus: Option<&CpuSet>, cpuset: Option<&PathBuf>) {
        let mut words: Vec<String> = Vec::new();
        if let Some(cpuset) = cpuset {
            let join = format!("echo $$ > {}/tasks && exec \"$@\"", cpuset.display());
            words.extend(["sh", "-c", &join, "sh"].map(str::to_owned));
        }
        if let Some(cpus) = cpus {
            words.extend(["taskset".to_owned(), "-c".to_owned(), cpus.to_string()]);
        }
        let own = std::env::current_exe().expect("this program");
        words.extend([own.display().to_string(), super::ACTOR.to_owned(), kind.to_owned()]);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null());
        self.children.push(command.spawn().expect("an actor"));
    }

    /// Makes a cpuset of cgroup v1, which forgets CPUs that go offline; `None` where this machine has no such cpusets.
    fn make_cpuset(&mut self, name: &str, cpus: &CpuSet) -> Option<PathBuf> {
        let base = PathBuf::from("/sys/fs/cgroup/cpuset");
        let mems = fs::read_to_string(base.join("cpuset.mems")).ok()?;
        let path = base.join(name);
        // A cpuset that an ended test left behind is used again.
        let _left_behind = fs::create_dir(&path);
        fs::write(path.join("cpuset.cpus"), cpus.to_string()).expect("a cpuset of our own");
        fs::write(path.join("cpuset.mems"), mems).expect("a cpuset of our own");
        self.cpusets.push(path.clone());
        Some(path)
    }
}

impl Drop for Cast {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ended = child.kill();
            let _ended = child.wait();
        }
        for cpuset in &self.cpusets {
            // The last children of the actors that start children have to end before a cpuset can be removed.
            let gone = (0..6000).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                fs::remove_dir(cpuset).is_ok()
            });
            assert!(gone, "{} is still in use", cpuset.display());
        }
    }
}
