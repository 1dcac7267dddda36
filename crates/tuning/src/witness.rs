//! The kernel's log as evidence of tasks that lost a CPU: the kernel logs each task that it moves off the last CPU on
//! which the task might run. If the task was not yet bound to that CPU at the time of the snapshot, its mask cannot be
//! repaired, but is reported.

use std::collections::HashMap;
use std::path::Path;

use fauxplat_sys::klog::{self, Record};
use fauxplat_units::Cpu;

use crate::Root;

/// Returns the sequence number of the newest record in the kernel's log; `None` where the log cannot be read.
pub(crate) fn newest(root: &Root) -> Option<u64> {
    records(root)?.last().map(|record| record.number)
}

/// Returns the tasks that lost a CPU according to the records of the log after this one, each with that CPU. The log
/// has task ids of the initial namespace, so a task counts only if a task of this id and name exists here.
pub(crate) fn moved_since(root: &Root, number: u64) -> HashMap<i32, Cpu> {
    let later = records(root).into_iter().flatten().filter(|record| record.number > number);
    let is_here =
        |tid: i32, name: &str| root.value(&format!("proc/{tid}/comm")).is_some_and(|here| here == name);
    later
        .filter_map(|record| {
            let (tid, name, cpu) = moved(&record.message)?;
            is_here(tid, name).then_some((tid, cpu))
        })
        .collect()
}

/// Returns the kernel's log; `None` for a captured tree, whose tasks do not run here, or if the log cannot be read.
fn records(root: &Root) -> Option<Vec<Record>> {
    let mut log = root.is_real().then(|| klog::open(Path::new("/")).ok())??;
    Some(klog::records(&mut log))
}

/// Parses `process 812 (name) no longer affine to cpu3`, a message of `select_fallback_rq` in the kernel's
/// `sched/core.c`, into task id, name and CPU. The kernel limits the rate of that message, so some tasks are missing.
fn moved(message: &str) -> Option<(i32, &str, Cpu)> {
    let (process, cpu) = message.rsplit_once(") no longer affine to cpu")?;
    let (number, name) = process.strip_prefix("process ")?.split_once(" (")?;
    Some((number.parse().ok()?, name, Cpu(cpu.trim().parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_kernel_are_understood_and_no_others() {
        assert_eq!(moved("process 812 (sleep) no longer affine to cpu3"), Some((812, "sleep", Cpu(3))));
        assert_eq!(moved("process 9 (a) (b) no longer affine to cpu15"), Some((9, "a) (b", Cpu(15))));
        assert_eq!(moved("smpboot: CPU 3 is now offline"), None);
        assert_eq!(moved("process x (y) no longer affine to cpu3"), None);
    }
}
