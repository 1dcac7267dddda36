//! Watches the memory, CPU time and events of control groups while commands run in them.

use fauxplat_model::{GroupUsage, LimitEvent, LimitEventKind, LimitLook, Outcome};
use fauxplat_units::Bytes;

use super::victims::{Log, by_its_end};
use super::{Limiting, RunGroup};
use crate::abreast::{Beside, Ended};
use crate::{Event, Failure, Listeners};

/// Maximum number of looks (readings of all groups) that are stored; when there are more, every second one is dropped.
const LOOKS_MAX: usize = 400;
/// Maximum number of readings of the groups' CPU time that are stored while all groups work. The shares of CPU time are
/// computed over far fewer intervals.
const TOGETHER_MAX: usize = 20_000;

pub(super) struct Watch<'g> {
    standing: &'g [RunGroup],
    asked: &'g Limiting,
    log: Log,
    began_ns: u64,
    pub(super) elapsed_s: f64,
    pub(super) pids: Vec<i32>,
    /// Name of each command's process, from the kernel.
    names: Vec<String>,
    pub(super) last: Vec<GroupUsage>,
    /// Time in seconds since the beginning and CPU time of every group in nanoseconds, at moments when all groups had a
    /// running command.
    pub(super) together: Vec<(f64, Vec<u64>)>,
    pub(super) looks: Vec<LimitLook>,
    /// Every `stride`-th look is stored in `looks`.
    stride: usize,
    seen: usize,
    /// Kinds of events that have happened to each group, with the time in seconds of the first one.
    first: Vec<Vec<(LimitEventKind, f64)>>,
    pub(super) is_timed_out: bool,
}

impl<'g> Watch<'g> {
    pub(super) fn new(standing: &'g [RunGroup], asked: &'g Limiting, log: Log) -> Self {
        Watch {
            standing,
            asked,
            log,
            began_ns: 0,
            elapsed_s: 0.0,
            pids: vec![0; asked.group_of.len()],
            names: vec![String::new(); asked.group_of.len()],
            last: vec![GroupUsage::default(); standing.len()],
            together: Vec::new(),
            looks: Vec::new(),
            stride: 1,
            seen: 0,
            first: vec![Vec::new(); standing.len()],
            is_timed_out: false,
        }
    }

    /// Records kinds of events that have not happened to a group before. A pause is also reported at once, since the
    /// user has to act.
    fn note(&mut self, at: usize, now: &GroupUsage, listeners: &Listeners) {
        for kind in happened(now) {
            if self.first[at].iter().all(|(known, _)| *known != kind) {
                self.first[at].push((kind, self.elapsed_s));
                if kind == LimitEventKind::Paused {
                    listeners.tell(&Event::Warning(&paused(&self.standing[at], now)));
                }
            }
        }
    }

    /// Stores a look, and drops every second stored one when there are too many.
    fn keep(&mut self, now: &[GroupUsage]) {
        if self.seen.is_multiple_of(self.stride) {
            self.looks.push(LimitLook { at_s: self.elapsed_s, groups: now.to_vec() });
        }
        self.seen += 1;
        if thin(&mut self.looks, LOOKS_MAX) {
            self.stride *= 2;
        }
    }

    fn name(&mut self, running: &[bool]) {
        for (lane, _) in running.iter().enumerate().filter(|(_, runs)| **runs) {
            if let Ok(name) = std::fs::read_to_string(format!("/proc/{}/comm", self.pids[lane])) {
                self.names[lane] = name.trim_end().to_owned();
            }
        }
    }

    fn all_run(&self, running: &[bool]) -> bool {
        let runs = |group| (0..running.len()).any(|it| running[it] && self.asked.group_of[it] == group);
        (0..self.standing.len()).all(runs)
    }

    /// Events of each group, and sentences about facts of these events that could not be determined.
    pub(super) fn events(&self, ended: &[Ended]) -> (Vec<Vec<LimitEvent>>, Vec<String>) {
        let mut untold = Vec::new();
        let all = self.standing.iter().enumerate().map(|(at, one)| {
            let mut events = Vec::new();
            for &(kind, at_s) in &self.first[at] {
                // An event that was seen counts at least once, even if its counter is zero again: a pause is over when
                // the paused tasks have been ended.
                let times = times(kind, &self.last[at]).max(1);
                match kind {
                    LimitEventKind::OomKill => {
                        events.extend(self.kills(at, one, at_s, times, ended, &mut untold));
                    }
                    _ => events.push(LimitEvent { kind, at_s, times, victim: None }),
                }
            }
            events
        });
        (all.collect(), untold)
    }

    /// Events of processes that were killed for lack of memory in a group, one for each process.
    fn kills(
        &self,
        at: usize,
        one: &RunGroup,
        at_s: f64,
        times: u64,
        ended: &[Ended],
        untold: &mut Vec<String>,
    ) -> Vec<LimitEvent> {
        let mine: Vec<i32> = (0..self.pids.len())
            .filter(|&it| self.asked.group_of[it] == at)
            .map(|it| self.pids[it])
            .collect();
        let mut victims = self.log.victims(one.group.path_in_log().as_deref(), &mine);
        victims.truncate(times as usize);
        let signalled = (0..ended.len())
            .filter(|&it| self.asked.group_of[it] == at && ended[it].outcome == Some(Outcome::Signaled(9)));
        if victims.is_empty() && times == 1 {
            victims.extend(signalled.map(|it| by_its_end(self.pids[it], &self.names[it])).take(1));
        }
        let known = victims.len() as u64;
        let event = |victim, times| LimitEvent { kind: LimitEventKind::OomKill, at_s, times, victim };
        let mut events: Vec<LimitEvent> = victims.into_iter().map(|victim| event(Some(victim), 1)).collect();
        if known < times {
            untold.push(format!(
                "{} of the {times} processes killed in {}: {}",
                times - known,
                one.name,
                self.log.why()
            ));
            events.push(event(None, times - known));
        }
        events
    }
}

impl Beside for Watch<'_> {
    fn attach(&mut self, lane: usize, pid: i32) -> Result<(), Failure> {
        self.pids[lane] = pid;
        self.standing[self.asked.group_of[lane]].group.put(pid).map_err(Failure::machine)
    }

    fn begun(&mut self, now_ns: u64) {
        self.began_ns = now_ns;
    }

    fn look(&mut self, now_ns: u64, running: &[bool], listeners: &Listeners) -> bool {
        self.elapsed_s = now_ns.saturating_sub(self.began_ns) as f64 / 1e9;
        let now: Vec<GroupUsage> = self.standing.iter().map(|one| one.group.usage()).collect();
        for (at, usage) in now.iter().enumerate() {
            self.note(at, usage, listeners);
            let wants = |pausing: &fauxplat_cgroup::Pausing| pausing.wants_freezing(&self.last[at], usage);
            if self.standing[at].pausing.as_ref().is_some_and(wants) {
                // If the kernel refuses to freeze the group, that is ignored, since the next look shows whether it is
                // frozen.
                let _refused = self.standing[at].group.freeze(true);
            }
        }
        self.name(running);
        if self.all_run(running) {
            self.together.push((self.elapsed_s, now.iter().map(|usage| usage.cpu_ns.unwrap_or(0)).collect()));
            thin(&mut self.together, TOGETHER_MAX);
        }
        self.keep(&now);
        self.last = now;
        listeners.tell(&Event::Progress(&self.standing_words()));
        let is_late = self.asked.longest.is_some_and(|longest| self.elapsed_s * 1e9 >= longest.0 as f64);
        self.is_timed_out |= is_late && running.contains(&true);
        !is_late
    }
}

impl Watch<'_> {
    fn standing_words(&self) -> crate::Standing {
        let share = self.asked.longest.map_or(0.0, |longest| self.elapsed_s * 1e9 / longest.0.max(1) as f64);
        let earlier = self.looks.iter().rev().find(|look| look.at_s + RATES_S <= self.elapsed_s);
        let words = self.standing.iter().enumerate().map(|(at, one)| {
            let none = (0.0, GroupUsage::default());
            let (from_s, from) = earlier.map_or(none, |look| (look.at_s, look.groups[at].clone()));
            words(one, &self.last[at], &from, self.elapsed_s - from_s)
        });
        crate::Standing { share: share.min(1.0), words: words.collect::<Vec<_>>().join("; "), blocks: 0 }
    }
}

/// Drops every second element if there are more than `most`; returns whether there were more.
fn thin<T>(kept: &mut Vec<T>, most: usize) -> bool {
    if kept.len() <= most {
        return false;
    }
    let mut at = 0;
    kept.retain(|_| {
        at += 1;
        at % 2 == 1
    });
    true
}

/// Time over which the reported rates of a group are computed, in seconds.
const RATES_S: f64 = 1.0;

fn words(one: &RunGroup, now: &GroupUsage, before: &GroupUsage, over_s: f64) -> String {
    let of = |limit: Option<Bytes>| limit.map_or(String::new(), |limit| format!(" of {limit}"));
    let share = |now: Option<u64>, before: Option<u64>, unit: f64| {
        let rise = now?.saturating_sub(before.unwrap_or(0)) as f64;
        Some(rise / unit / over_s.max(1e-3) * 100.0)
    };
    let memory = now.memory_bytes.map(|bytes| format!("memory {}{}", Bytes(bytes), of(one.limit.memory)));
    let quota = one.limit.cpu_percent.map_or(String::new(), |percent| format!(" of {percent} %"));
    let cpu = share(now.cpu_ns, before.cpu_ns, 1e9).map(|percent| format!("CPU {percent:.0} %{quota}"));
    let throttled = share(now.throttled_ns, before.throttled_ns, 1e9).filter(|it| *it > 0.0);
    let throttled = throttled.map(|percent| format!("throttled {percent:.0} %"));
    let pressure = |name: &str, now, before| {
        share(now, before, 1e6)
            .filter(|it| *it >= 0.5)
            .map(|percent| format!("waits for {name} {percent:.0} %"))
    };
    let pids = one.limit.pids.and_then(|limit| Some(format!("pids {} of {limit}", now.pids?)));
    let parts = [
        memory,
        cpu,
        throttled,
        pressure("CPU", now.cpu_pressure_us, before.cpu_pressure_us),
        pressure("memory", now.memory_pressure_us, before.memory_pressure_us),
        pressure("devices", now.io_pressure_us, before.io_pressure_us),
        pids,
        now.is_paused.then(|| "paused".to_owned()),
    ];
    format!("{}: {}", one.name, parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Kinds of events that have happened to a group so far, by its counters.
fn happened(usage: &GroupUsage) -> impl Iterator<Item = LimitEventKind> + '_ {
    use LimitEventKind::{MemoryHigh, MemoryMax, OomKill, Paused, PidsMax, Throttled};
    let kinds = [MemoryHigh, MemoryMax, OomKill, Paused, PidsMax, Throttled];
    kinds.into_iter().filter(move |kind| times(*kind, usage) > 0)
}

fn times(kind: LimitEventKind, usage: &GroupUsage) -> u64 {
    match kind {
        LimitEventKind::OomKill => usage.oom_kills.unwrap_or(0),
        LimitEventKind::Paused => u64::from(usage.is_paused),
        LimitEventKind::Throttled => usage.throttled_periods.unwrap_or(0),
        LimitEventKind::MemoryHigh => usage.high.unwrap_or(0),
        LimitEventKind::MemoryMax => usage.max.unwrap_or(0),
        LimitEventKind::PidsMax => usage.pids_refused.unwrap_or(0),
    }
}

fn paused(one: &RunGroup, now: &GroupUsage) -> String {
    let used = now.memory_bytes.map_or(String::new(), |bytes| format!(" at {}", Bytes(bytes)));
    format!(
        "{}: paused{used}: its limit of memory is met, and its tasks wait; Ctrl-C or --max-time ends them",
        one.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_every_second_is_left_out() {
        let mut few: Vec<u32> = (0..5).collect();
        assert!(!thin(&mut few, 5));
        assert!(thin(&mut few, 4));
        assert_eq!(few, [0, 2, 4]);
    }
}
