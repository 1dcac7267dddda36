//! Scheduling noise: gaps in a thread that only reads the clock.

use std::fs::File;
use std::os::unix::fs::FileExt;

use fauxplat_procfs::{per_cpu, stat, whole_lines};
use fauxplat_sys::{clock, process, signal};
use fauxplat_threads::ThreadPlacement;
use fauxplat_units::Cpu;

use super::recording::Recording;
use super::stage::run;
use super::watchdog::Watchdog;
use crate::LatencyError;

/// The cause of a gap in which the watchdog freed the CPU.
const FREED: &str = "the watchdog: for a second nothing ordinary could run";

/// Limit of the test's wall time as a multiple of the requested duration. If nearly every reading of the clock is a
/// gap, as with a threshold below the cost of a reading, most of the time is spent on finding causes.
const LONGEST_TIMES: u64 = 4;

/// Reads the clock in a loop for `duration_ns`. Two successive readings that are at least `threshold_ns` apart are a
/// gap, whose cause is taken from the kernel's counters. The time for finding the cause is excluded from the test.
///
/// # Errors
/// Fails where the thread cannot be placed or the watchdog cannot be started.
pub fn noise(
    place: &ThreadPlacement,
    duration_ns: u64,
    threshold_ns: u64,
) -> Result<Recording, LatencyError> {
    run(place, || {
        let mut recording = Recording::default();
        let watchdog = Watchdog::start(place)?;
        let mut freed = watchdog.freed();
        let mut counters = Counters::open(place.cpu);
        let mut last_ns = clock::monotonic_ns();
        let ends_ns = last_ns.saturating_add(duration_ns.saturating_mul(LONGEST_TIMES));
        while recording.wall_ns < duration_ns && last_ns < ends_ns && !signal::stop_requested() {
            let now_ns = clock::monotonic_ns();
            let gap_ns = now_ns - last_ns;
            recording.wall_ns += gap_ns;
            last_ns = now_ns;
            if gap_ns >= threshold_ns.max(1) {
                recording.record(gap_ns);
                recording.lost_ns += gap_ns;
                let cause = counters.cause();
                let freed_before = std::mem::replace(&mut freed, watchdog.freed());
                recording.blame(if freed > freed_before { FREED } else { &cause }, gap_ns);
                last_ns = clock::monotonic_ns();
            }
        }
        Ok(recording)
    })
}

/// The kernel's counters for one CPU, by which the cause of a gap is found.
struct Counters {
    cpu: Cpu,
    interrupts: Option<File>,
    softirqs: Option<File>,
    stat: Option<File>,
    buffer: Vec<u8>,
    last: Stand,
}

#[derive(Clone, Default)]
struct Stand {
    switches: u64,
    steal_ticks: u64,
    interrupts: Vec<(String, u64)>,
    softirqs: Vec<(String, u64)>,
}

impl Counters {
    fn open(cpu: Cpu) -> Self {
        let open = |name: &str| File::open(name).ok();
        let mut counters = Counters {
            cpu,
            interrupts: open("/proc/interrupts"),
            softirqs: open("/proc/softirqs"),
            stat: open("/proc/stat"),
            buffer: vec![0; 1 << 18],
            last: Stand::default(),
        };
        counters.last = counters.stand();
        counters
    }

    fn stand(&mut self) -> Stand {
        let cpu = self.cpu;
        Stand {
            switches: process::involuntary_switches_of_thread(),
            interrupts: read(self.interrupts.as_ref(), &mut self.buffer)
                .map_or(Vec::new(), |text| column(text, cpu)),
            softirqs: read(self.softirqs.as_ref(), &mut self.buffer)
                .map_or(Vec::new(), |text| column(text, cpu)),
            steal_ticks: read(self.stat.as_ref(), &mut self.buffer)
                .and_then(|text| steal(text, cpu))
                .unwrap_or(0),
        }
    }

    /// The cause of a gap, from the counters that rose since the last gap. A switch to another task explains all other
    /// changes, and an interrupt explains its softirqs.
    fn cause(&mut self) -> String {
        let now = self.stand();
        let last = std::mem::replace(&mut self.last, now.clone());
        if now.switches > last.switches {
            return "another task".to_owned();
        }
        if let Some(name) = moved_most(&last.interrupts, &now.interrupts) {
            return format!("interrupt {name}");
        }
        if let Some(name) = moved_most(&last.softirqs, &now.softirqs) {
            return format!("softirq {name}");
        }
        match now.steal_ticks > last.steal_ticks {
            true => "steal".to_owned(),
            false => "no event that this kernel counts (hypervisor or firmware)".to_owned(),
        }
    }
}

fn read<'b>(file: Option<&File>, buffer: &'b mut [u8]) -> Option<&'b str> {
    let file = file?;
    let mut got = 0;
    // The kernel returns these files in pieces of at most a page.
    while got < buffer.len() {
        match file.read_at(&mut buffer[got..], got as u64) {
            Ok(0) | Err(_) => break,
            Ok(more) => got += more,
        }
    }
    Some(whole_lines(buffer, got))
}

/// The name of every line in a table of counts, and the count of a CPU in that line.
fn column(text: &str, cpu: Cpu) -> Vec<(String, u64)> {
    let Some(table) = per_cpu::Table::parse(text) else { return Vec::new() };
    let Some(column) = table.column_of(cpu.0) else { return Vec::new() };
    let counts =
        table.rows().filter_map(|row| Some((per_cpu::source(row.name, row.label), row.count_at(column)?)));
    counts.collect()
}

fn steal(text: &str, cpu: Cpu) -> Option<u64> {
    stat::cpu(text, cpu.0)?.ticks_of(stat::Kind::Steal)
}

/// The name of the line whose count increased most between two tables; `None` if no count increased. Lines are matched
/// by name, since they come and go with devices.
fn moved_most<'n>(last: &[(String, u64)], now: &'n [(String, u64)]) -> Option<&'n str> {
    let before = |name: &str| last.iter().find(|(other, _)| other == name).map_or(0, |(_, count)| *count);
    let grown = now.iter().map(|(name, count)| (count.saturating_sub(before(name)), name.as_str()));
    grown.filter(|(by, _)| *by > 0).max_by_key(|(by, _)| *by).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Policy;
    use fauxplat_sys::sched;

    const INTERRUPTS: &str = "            CPU0       CPU2\n   4:         10         20   IO-APIC    4-edge      ttyS0\n LOC:        100        200   Local timer interrupts\n ERR:          0\n";

    #[test]
    fn a_column_belongs_to_a_cpu_and_not_to_a_place() {
        let read = |cpu| column(INTERRUPTS, Cpu(cpu));
        assert_eq!(read(2), [("4 (ttyS0)".to_owned(), 20), ("LOC".to_owned(), 200)]);
        assert!(read(1).is_empty() && column("", Cpu(0)).is_empty());
        assert_eq!(steal("cpu  1 2\ncpu1 1 2 3 4 5 6 7 80 9 10\n", Cpu(1)), Some(80));
        assert_eq!(
            moved_most(&read(0), &[("LOC".to_owned(), 101), ("4 (ttyS0)".to_owned(), 30)]),
            Some("4 (ttyS0)")
        );
        assert_eq!(moved_most(&read(0), &read(0)), None);
    }

    #[test]
    fn gaps_have_causes_and_add_up() {
        let cpu = sched::affinity(0).unwrap().first().unwrap();
        let recording =
            noise(&ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None }, 30_000_000, 1_000)
                .unwrap();
        let causes = recording.causes();
        assert_eq!(causes.iter().map(|cause| cause.count).sum::<u64>(), recording.count());
        assert_eq!(causes.iter().map(|cause| cause.total_ns).sum::<u64>(), recording.lost_ns);
        // The wall time may be shorter than requested: if every reading is a gap, finding causes takes most of the
        // time.
        assert!(recording.wall_ns > 0 && recording.lost_ns <= recording.wall_ns);
    }
}
