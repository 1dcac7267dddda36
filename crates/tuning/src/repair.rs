//! Restores the affinities that tasks, cpusets and interrupts lose when CPUs go offline and come back.
//!
//! The losses depend on the kernel and on whether a task happened to run meanwhile. So all affinities are recorded
//! before, and afterwards each one that differs is restored if the difference is one that the kernel itself makes. Any
//! other difference was made by another program on purpose.

use std::collections::{BTreeMap, HashMap};

use fauxplat_model::Repairs;
use fauxplat_sys::sched;
use fauxplat_units::CpuSet;

use crate::Root;
use crate::changes::{SavedTasks, Snapshot, interrupt};
use crate::cpusets::Cpusets;
use crate::tasks::{self, Task};
use crate::witness;

impl Snapshot {
    /// Records the affinities of all tasks, cpusets and interrupts before the CPUs in `removed` are taken away.
    pub(crate) fn take(root: &Root, removed: &CpuSet) -> Self {
        let taken_ticks = tasks::now_ticks(root);
        let mut groups: BTreeMap<(String, String), SavedTasks> = BTreeMap::new();
        // Tasks that could use none of these CPUs are included, since a partition or a move to another cpuset gives
        // each task a new mask.
        for task in tasks::scan(root).into_iter().filter(|task| !task.fixed) {
            let group = groups.entry((task.cpuset.clone(), task.mask.to_string()));
            let saved =
                group.or_insert(SavedTasks { mask: task.mask, cpuset: task.cpuset, tasks: Vec::new() });
            saved.tasks.push((task.tid, task.start_ticks));
        }
        Snapshot {
            removed: removed.clone(),
            possible: cpus(root, "possible"),
            taken_ticks,
            log_record: witness::newest(root),
            tasks: groups.into_values().collect(),
            cpusets: Cpusets::forgetful(root),
            interrupts: interrupts(root),
        }
    }

    /// Returns whether the kernel may set this mask when CPUs are taken away from a task or interrupt whose mask was
    /// `saved`: all possible CPUs, the removed CPUs, the others, the CPUs of the cpuset, or those of `saved` that
    /// remain.
    fn is_the_kernels(&self, mask: &CpuSet, saved: &CpuSet, cpuset: Option<&CpuSet>) -> bool {
        let rest = self.possible.without(&self.removed);
        *mask == self.possible
            || *mask == self.removed
            || *mask == rest
            || *mask == saved.without(&self.removed)
            || cpuset.is_some_and(|cpuset| mask == cpuset || *mask == saved.intersection(cpuset))
    }
}

/// Reads a list of CPUs below `/sys/devices/system/cpu`; empty if it cannot be read.
pub(crate) fn cpus(root: &Root, name: &str) -> CpuSet {
    let list = root.value(&format!("sys/devices/system/cpu/{name}"));
    list.and_then(|list| list.parse().ok()).unwrap_or_default()
}

fn interrupts(root: &Root) -> Vec<(u32, String)> {
    let affinity = |name: &String| {
        let number = name.parse().ok()?;
        Some((number, root.value(&interrupt(name))?))
    };
    root.names("proc/irq").iter().filter_map(affinity).collect()
}

/// A repair in progress: the snapshot, the tasks that have lost CPUs, and the repairs made so far.
#[derive(Debug)]
pub(crate) struct Repairer<'a> {
    root: &'a Root,
    snapshot: &'a Snapshot,
    cpusets: Option<Cpusets>,
    saved: HashMap<(i32, u64), (&'a CpuSet, &'a str)>,
    /// Tasks whose mask the kernel has changed, by id: the mask before, and the wider mask that the kernel gave, which
    /// children of the task have inherited.
    victims: HashMap<i32, (CpuSet, CpuSet)>,
    pub(crate) done: Repairs,
}

impl<'a> Repairer<'a> {
    pub(crate) fn new(root: &'a Root, snapshot: &'a Snapshot) -> Self {
        let mut saved = HashMap::new();
        for group in &snapshot.tasks {
            saved.extend(group.tasks.iter().map(|&task| (task, (&group.mask, group.cpuset.as_str()))));
        }
        let (cpusets, victims, done) = (Cpusets::of(root), HashMap::new(), Repairs::default());
        Repairer { root, snapshot, cpusets, saved, victims, done }
    }

    /// Restores all affinities that differ, those of cpusets before those of tasks.
    pub(crate) fn everything(&mut self) {
        self.cpusets();
        self.interrupts();
        self.tasks();
    }

    /// Restores cpusets, parents first, since the kernel gives no child a CPU that its parent lacks.
    fn cpusets(&mut self) {
        for (folder, saved) in &self.snapshot.cpusets {
            let file = format!("{folder}/cpuset.cpus");
            let (Some(now), Ok(before)) = (self.root.value(&file), saved.parse::<CpuSet>()) else { continue };
            if now == *saved {
                continue;
            }
            let mask = now.parse::<CpuSet>().unwrap_or_default();
            let lost = mask == before.without(&self.snapshot.removed);
            match lost && self.root.write(&file, saved).is_ok() {
                true => self.done.cpusets += 1,
                false => self.done.left.push(format!("/{file} is `{now}` and was `{saved}`")),
            }
        }
    }

    fn interrupts(&mut self) {
        let online = cpus(self.root, "online");
        for (number, saved) in &self.snapshot.interrupts {
            let file = interrupt(&number.to_string());
            let (Some(now), Ok(before)) = (self.root.value(&file), saved.parse::<CpuSet>()) else { continue };
            if now == *saved {
                continue;
            }
            let mask = now.parse::<CpuSet>().unwrap_or_default();
            let lost = self.snapshot.is_the_kernels(&mask, &before, Some(&online));
            // The kernel refuses to move an interrupt that it manages by itself (EIO).
            match lost && self.root.write(&file, saved).is_ok() {
                true => self.done.interrupts += 1,
                false => self.done.left.push(format!("interrupt {number} is `{now}` and was `{saved}`")),
            }
        }
    }

    /// Moves tasks back into their cpusets, and restores their masks and those of children created meanwhile. Repeated
    /// calls are useful: a task that was running during the first one may have lost its mask only later.
    pub(crate) fn tasks(&mut self) {
        let mut now = tasks::scan(self.root);
        if self.memberships(&now) {
            now = tasks::scan(self.root);
        }
        let mut effective: HashMap<String, Option<CpuSet>> = HashMap::new();
        for task in now.iter().filter(|task| !task.fixed) {
            let Some(&(mask, _)) = self.saved.get(&(task.tid, task.start_ticks)) else { continue };
            if task.mask == *mask {
                continue;
            }
            let kind = self.cpusets;
            let cpuset = effective
                .entry(task.cpuset.clone())
                .or_insert_with(|| kind.and_then(|kind| kind.effective(self.root, &task.cpuset)));
            let lost = self.snapshot.is_the_kernels(&task.mask, mask, cpuset.as_ref());
            self.victims.insert(task.tid, (mask.clone(), task.mask.clone()));
            match lost && sched::set_affinity(task.tid, mask).is_ok() {
                true => self.done.tasks += 1,
                false => self.leave(task, mask),
            }
        }
        self.children(&now);
    }

    /// Reports a task whose mask differs and is not restored, once for all passes.
    fn leave(&mut self, task: &Task, mask: &CpuSet) {
        let line = format!("task {} may run on {}, and before tuning on {mask}", task.tid, task.mask);
        if !self.done.left.contains(&line) {
            self.done.left.push(line);
        }
    }

    /// Reports tasks that the kernel's log names and that cannot be repaired: they were bound to a CPU that went
    /// offline, and had bound themselves only after the snapshot.
    pub(crate) fn ask_the_log(&mut self) {
        let Some(number) = self.snapshot.log_record else { return };
        let moved = witness::moved_since(self.root, number);
        if moved.is_empty() {
            return;
        }
        for task in tasks::scan(self.root) {
            let Some(&cpu) = moved.get(&task.tid).filter(|&&cpu| self.snapshot.removed.contains(cpu)) else {
                continue;
            };
            if !self.victims.contains_key(&task.tid) && !self.was_bound(&task) {
                let (tid, mask) = (task.tid, &task.mask);
                self.done.left.push(format!(
                    "task {tid} may run on {mask} and had bound itself to CPU {cpu} after its affinity was recorded: this binding is lost"
                ));
            }
        }
    }

    /// Returns whether the task was bound to removed CPUs only, already at the time of the snapshot.
    fn was_bound(&self, task: &Task) -> bool {
        let saved = self.saved.get(&(task.tid, task.start_ticks));
        saved.is_some_and(|(mask, _)| mask.without(&self.snapshot.removed).is_empty())
    }

    /// Moves tasks back into their cpusets: when a cpuset of version 1 loses its last CPU, the kernel moves its tasks
    /// to the parent. Returns whether any task was moved.
    fn memberships(&mut self, now: &[Task]) -> bool {
        let Some(kind @ Cpusets::V1) = self.cpusets else { return false };
        let moved_before = self.done.memberships;
        for task in now {
            let Some(&(_, cpuset)) = self.saved.get(&(task.tid, task.start_ticks)) else { continue };
            let upwards = cpuset.starts_with(task.cpuset.trim_end_matches('/'));
            if task.cpuset == cpuset || !upwards || !self.was_emptied(&kind.folder(cpuset)) {
                continue;
            }
            match self.root.write(&format!("{}/tasks", kind.folder(cpuset)), &task.tid.to_string()) {
                Ok(()) => self.done.memberships += 1,
                Err(_) => {
                    let now = &task.cpuset;
                    self.done.left.push(format!("task {} is in {now} and was in {cpuset}", task.tid));
                }
            }
        }
        self.done.memberships > moved_before
    }

    fn was_emptied(&self, folder: &str) -> bool {
        let cpus = self.snapshot.cpusets.iter().find(|(path, _)| path == folder);
        cpus.and_then(|(_, cpus)| cpus.parse::<CpuSet>().ok())
            .is_some_and(|cpus| !cpus.is_empty() && cpus.without(&self.snapshot.removed).is_empty())
    }

    /// Restores the masks of tasks that began while CPUs were gone: each inherited the wider mask of its parent, and
    /// gets the mask that the parent had before. A mask that differs from the parent's wider mask was set by the task
    /// itself.
    fn children(&mut self, now: &[Task]) {
        let mut born: Vec<&Task> = now
            .iter()
            .filter(|task| !task.fixed && !task.kernel && task.start_ticks >= self.snapshot.taken_ticks)
            .filter(|task| !self.saved.contains_key(&(task.tid, task.start_ticks)))
            .collect();
        born.sort_by_key(|task| (task.start_ticks, task.tid));
        for task in born {
            let maker = if task.tid == task.process { task.parent } else { task.process };
            let Some((mask, widened)) = self.victims.get(&maker).cloned() else { continue };
            if task.mask == widened && sched::set_affinity(task.tid, &mask).is_ok() {
                self.done.children += 1;
                self.victims.insert(task.tid, (mask, widened));
            }
        }
    }
}
