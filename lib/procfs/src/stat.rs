//! `/proc/stat` (`proc_stat(5)`): ticks of each CPU by kind, and counters of the whole machine.

use crate::number;

/// `USER_HZ`: ticks in a second, 100 on every architecture that Linux supports today (`time(7)`).
pub const TICKS_PER_S: u64 = 100;

/// Length of a tick in nanoseconds.
pub const TICK_NS: u64 = 1_000_000_000 / TICKS_PER_S;

/// Kinds of CPU time, in the order of the columns. The time of guests is also included in user and nice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Programs in user mode.
    User,
    /// Programs in user mode with a positive nice value.
    Nice,
    /// Kernel mode.
    System,
    /// Idle.
    Idle,
    /// Idle, while a task of this CPU waited for a disk. Since Linux 2.6.
    Iowait,
    /// Handling of interrupts.
    Irq,
    /// Deferred work of interrupts.
    Softirq,
    /// Time that the hypervisor took. Since Linux 2.6.11.
    Steal,
    /// Running guests. Since Linux 2.6.24.
    Guest,
    /// Running guests with a positive nice value. Since Linux 2.6.33.
    GuestNice,
}

const KINDS: usize = 10;

/// Ticks since boot, by kind; `None` if the kernel has no such column or the number is malformed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks([Option<u64>; KINDS]);

impl Ticks {
    /// Returns the ticks of one kind.
    pub fn of(&self, kind: Kind) -> Option<u64> {
        self.0[kind as usize]
    }

    /// Returns the sum of all kinds except idle, waiting for a disk and steal.
    pub fn busy(&self) -> Option<u64> {
        self.sum(&[Kind::User, Kind::Nice, Kind::System, Kind::Irq, Kind::Softirq])
    }

    /// Returns the sum of idle and waiting for a disk.
    pub fn idle(&self) -> Option<u64> {
        self.sum(&[Kind::Idle, Kind::Iowait])
    }

    /// Returns the sum of all kinds, in which the time of guests counts once.
    pub fn total(&self) -> Option<u64> {
        [self.busy()?, self.idle()?, self.of(Kind::Steal).unwrap_or(0)]
            .into_iter()
            .try_fold(0, u64::checked_add)
    }

    /// Returns the sum of the kinds. An absent kind counts as zero; a sum that overflows is `None`.
    fn sum(&self, kinds: &[Kind]) -> Option<u64> {
        kinds.iter().filter_map(|kind| self.of(*kind)).try_fold(0, u64::checked_add)
    }
}

/// The line of `/proc/stat` of one CPU, or of all CPUs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuLine<'t> {
    /// The CPU; `None` for all CPUs together.
    pub cpu: Option<u32>,
    numbers: &'t str,
}

impl<'t> CpuLine<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let rest = line.strip_prefix("cpu")?;
        // Fast path for the line of all CPUs, which is read most often: its blank follows at once.
        if let Some(numbers) = rest.strip_prefix(' ') {
            return Some(CpuLine { cpu: None, numbers });
        }
        let (digits, numbers) = rest.split_at(rest.bytes().position(|byte| byte == b' ')?);
        Some(CpuLine { cpu: Some(u32::try_from(number(digits)?).ok()?), numbers })
    }

    /// Returns the ticks of one kind, without parsing the columns after it.
    pub fn ticks_of(&self, kind: Kind) -> Option<u64> {
        number(self.numbers.split_ascii_whitespace().nth(kind as usize)?)
    }

    /// Returns the time of one kind in nanoseconds.
    pub fn ns_of(&self, kind: Kind) -> Option<u64> {
        self.ticks_of(kind)?.checked_mul(TICK_NS)
    }

    /// Returns the ticks of all kinds.
    pub fn ticks(&self) -> Ticks {
        let mut ticks = Ticks::default();
        let words = self.numbers.split_ascii_whitespace();
        ticks.0.iter_mut().zip(words).for_each(|(ticks, word)| *ticks = number(word));
        ticks
    }
}

/// Returns the line of all CPUs together, which comes first.
pub fn machine(text: &str) -> Option<CpuLine<'_>> {
    text.lines().filter_map(CpuLine::parse).find(|line| line.cpu.is_none())
}

/// Returns the line of one CPU; an offline CPU has none.
pub fn cpu(text: &str, cpu: u32) -> Option<CpuLine<'_>> {
    text.lines().filter_map(CpuLine::parse).find(|line| line.cpu == Some(cpu))
}

/// Iterates over the ticks of every online CPU. User, nice, system and idle time exist in all versions of the kernel: a
/// line without them is skipped.
pub fn cpus(text: &str) -> impl Iterator<Item = (u32, Ticks)> + '_ {
    let lines = text.lines().filter_map(CpuLine::parse);
    let entry = |line: CpuLine<'_>| Some((line.cpu?, line.ticks()));
    lines.filter_map(entry).filter(|(_, ticks)| ticks.0[..4].iter().all(Option::is_some))
}

/// Returns a counter of the whole machine: `ctxt` (context switches), `btime` (seconds since 1970 at boot), `processes`
/// (created since boot), `procs_running`, `procs_blocked`, and the sums of `intr` and `softirq`.
pub fn counter(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    number(rest.split_ascii_whitespace().next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A guest with two CPUs, kernel 6.18.
    const TEXT: &str = "cpu  88155 0 12735 25028 965 0 98 1100 0 0\ncpu0 43518 0 5766 14070 173 0 8 538 0 0\n\
        cpu1 44636 0 6968 10957 791 0 89 562 0 0\nintr 3 0 3\nctxt 4715533\nbtime 1763837011\nprocesses 18870\n\
        procs_running 5\nprocs_blocked 0\nsoftirq 12 1 11\n";

    #[test]
    fn lines_belong_to_a_cpu_or_to_all() {
        assert_eq!(machine(TEXT).unwrap().ns_of(Kind::Steal), Some(11_000_000_000));
        assert_eq!(cpu(TEXT, 1).unwrap().ticks_of(Kind::Steal), Some(562));
        assert_eq!(cpu(TEXT, 2), None);
        let cpus: Vec<(u32, Ticks)> = cpus(TEXT).collect();
        assert_eq!(cpus.iter().map(|(cpu, _)| *cpu).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(cpus[0].1.busy(), Some(43518 + 5766 + 8));
        assert_eq!(cpus[0].1.idle(), Some(14070 + 173));
        assert_eq!(cpus[0].1.total(), Some(43518 + 5766 + 8 + 14070 + 173 + 538));
    }

    #[test]
    fn a_cpu_that_begins_like_another_is_not_taken_for_it() {
        let text = "cpu10 1 1 1 1 1 1 1 10\ncpu1 1 1 1 1 1 1 1 11\n";
        assert_eq!(cpu(text, 1).unwrap().ticks_of(Kind::Steal), Some(11));
        assert_eq!(machine(text), None);
    }

    #[test]
    fn columns_of_other_kernels_are_absent_or_passed_over() {
        let old = cpus("cpu0 1 2 3 4\n").next().unwrap().1;
        assert_eq!((old.of(Kind::Iowait), old.of(Kind::Steal), old.total()), (None, None, Some(10)));
        let new = cpus("cpu0 1 2 3 4 5 6 7 8 9 10 11 12\n").next().unwrap().1;
        assert_eq!((new.of(Kind::GuestNice), new.total()), (Some(10), Some(36)));
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let text = "cpux 1 2 3 4\ncpu-1 1 2 3 4\ncpu4294967296 1 2 3 4\ncpu7 a 2 3 4\ncpu8 1 2 3\ncpu9 1 2 3 4 x 6\n";
        let found: Vec<(u32, Ticks)> = cpus(text).collect();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0, found[0].1.of(Kind::Iowait), found[0].1.of(Kind::Irq)), (9, None, Some(6)));
    }

    #[test]
    fn nothing_wraps() {
        let text = format!("cpu  {0} {0} 0 0 0 0 0 {0}\n", u64::MAX);
        let line = machine(&text).unwrap();
        assert_eq!((line.ns_of(Kind::Steal), line.ticks().busy()), (None, None));
        assert_eq!(line.ticks_of(Kind::Steal), Some(u64::MAX));
        assert_eq!(machine("cpu 18446744073709551616 2").unwrap().ticks_of(Kind::User), None);
    }

    #[test]
    fn counters_have_names_of_their_own() {
        assert_eq!(counter(TEXT, "ctxt"), Some(4_715_533));
        assert_eq!(counter(TEXT, "btime"), Some(1_763_837_011));
        assert_eq!((counter(TEXT, "intr"), counter(TEXT, "softirq")), (Some(3), Some(12)));
        assert_eq!(
            (counter(TEXT, "procs"), counter("ctxt\n", "ctxt"), counter("ctxt x", "ctxt")),
            (None, None, None)
        );
    }
}
