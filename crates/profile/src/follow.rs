//! Reads samples while programs run.

use std::collections::HashMap;
use std::time::Duration;

use fauxplat_model::{StackEnd, Weight};
use fauxplat_sys::clock;
use fauxplat_sys::sampling::{Mapping, Record, Sampled, Sampler, Stack, Switch};

use crate::objects::{KERNEL, Objects};
use crate::process::Process;
use crate::stacks::{CodeAddress, RawStack, Stacks};
use crate::unwind::{self, Cache, Callers};
use crate::waits::{PREEMPTED, Wait, Waiting, Waits};

/// Longest time for which a record may be missing in a ring buffer after its timestamp, with a wide margin. Younger
/// records wait for the next read, so that all rings are merged in the order of time.
const SETTLED_NS: u64 = 2_000_000;
/// Bounds of the pause between two reads of the kernel's ring buffers, which is long while few records arrive.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
/// Fill level of a ring buffer, where 1 is full, above which the pauses become shorter.
const FILL_MAX: f64 = 0.25;

/// Samples of the processes of one run, counted by stack.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Samples of each stack, indexed by the stack's number.
    pub stacks: Vec<Weight>,
    pub samples: u64,
    /// Number of events that the samples represent together.
    pub events: u64,
    /// Number of events that each sample represents; `None` if it differs between samples.
    pub period: Option<u64>,
    /// Number of events that the kernel counted while it sampled; `None` if the kernel does not tell.
    pub counted: Option<u64>,
    /// Samples that the kernel dropped because its buffer was full.
    pub lost: u64,
    /// How often the kernel throttled sampling.
    pub throttled: u64,
    /// Number of waits, during which a thread had no CPU, that were seen.
    pub waits: u64,
    /// Total length of the waits, in nanoseconds.
    pub waited_ns: u64,
    /// CPU time that reading the samples took, in nanoseconds.
    pub own_cpu_ns: u64,
    /// Each process that was sampled.
    pub processes: Vec<FollowedProcess>,
}

#[derive(Clone, Debug, Default)]
pub struct FollowedProcess {
    pub pid: i32,
    /// The name of the process at its end, as known to the kernel.
    pub name: String,
    pub weight: Weight,
    /// Number of threads that were sampled.
    pub threads: u32,
}

/// A profiler, which turns the samples of any number of runs into stacks.
pub struct Profiler {
    pub(crate) objects: Objects,
    pub(crate) stacks: Stacks,
    cache: Cache,
    addresses: Vec<u32>,
}

impl Default for Profiler {
    fn default() -> Self {
        Profiler {
            objects: Objects::new(),
            stacks: Stacks::default(),
            cache: Cache::new(),
            addresses: Vec::new(),
        }
    }
}

/// The state of one run while it is sampled.
pub(crate) struct Run<'p> {
    profiler: &'p mut Profiler,
    pub(crate) stack: Stack,
    waits: Option<Waits>,
    processes: HashMap<i32, Process>,
    followed: Followed,
}

impl Profiler {
    pub(crate) fn begin(&mut self, stack: Stack, waiting: Option<Waiting>) -> Run<'_> {
        let waits = waiting.map(Waits::new);
        Run { profiler: self, stack, waits, processes: HashMap::new(), followed: Followed::default() }
    }

    /// Reads samples until `is_over` returns true, and then the records that were still in the ring buffers. `running`
    /// are the processes that run already: id, name and mappings. `is_over` waits for the given pause. With `waiting`,
    /// each sample is the stack in which a thread begins to wait, and stacks count the length of waits.
    pub fn follow(
        &mut self,
        sampler: &mut Sampler,
        (stack, waiting): (Stack, Option<Waiting>),
        running: Vec<(i32, String, Vec<Mapping>)>,
        mut is_over: impl FnMut(Duration) -> bool,
    ) -> Followed {
        let begun_ns = clock::thread_cpu_ns();
        let mut run = self.begin(stack, waiting);
        for (pid, name, mappings) in running {
            run.add(pid, &name, &mappings);
        }
        let mut pause = SHORTEST_PAUSE;
        while !is_over(pause) {
            pause = match sampler.fill() {
                fill if fill > FILL_MAX => (pause / 2).max(SHORTEST_PAUSE),
                fill if fill < FILL_MAX / 4.0 => (pause * 2).min(LONGEST_PAUSE),
                _ => pause,
            };
            let settled_ns = clock::monotonic_ns().saturating_sub(SETTLED_NS);
            sampler.drain(settled_ns, |record| run.take(record));
        }
        let end_ns = clock::monotonic_ns();
        run.followed.counted = sampler.counted();
        sampler.drain(u64::MAX, |record| run.take(record));
        run.end_waits(end_ns);
        let mut followed = run.finish();
        followed.own_cpu_ns = clock::thread_cpu_ns() - begun_ns;
        followed
    }
}

impl Followed {
    /// Updates [`Followed::period`] with the weight of new samples, before these are counted.
    fn note_period(&mut self, weight: Weight) {
        let Some(period) = weight.events.checked_div(weight.samples) else { return };
        match self.period {
            None if self.samples == 0 => self.period = Some(period),
            Some(known) if known != period => self.period = None,
            _ => {}
        }
    }
}

impl Run<'_> {
    fn add(&mut self, pid: i32, name: &str, mappings: &[Mapping]) {
        let mut process = Process::new(name);
        mappings.iter().for_each(|mapping| process.map(mapping, &mut self.profiler.objects));
        self.processes.insert(pid, process);
    }

    fn process(&mut self, pid: i32) -> &mut Process {
        self.processes.entry(pid).or_insert_with(|| Process::new("?"))
    }

    pub(crate) fn take(&mut self, record: Record) {
        match record {
            Record::Sample(sampled) => self.sample(&sampled),
            Record::Mapped(mapping) if mapping.is_code => {
                let process = self.processes.entry(mapping.pid).or_insert_with(|| Process::new("?"));
                process.map(&mapping, &mut self.profiler.objects);
            }
            Record::Mapped(_) => {}
            Record::Named { pid, tid, name, is_exec } => {
                let process = self.process(pid);
                if is_exec {
                    process.forget_code();
                }
                if pid == tid {
                    process.name = String::from_utf8_lossy(&name).into_owned();
                }
            }
            Record::Forked { pid, parent, .. } if pid != parent => {
                let child = self.process(parent).child();
                let former = self.processes.insert(pid, child);
                former.into_iter().for_each(|former| self.end(pid, former));
            }
            // A thread shares the memory map of its process, so there is nothing to copy.
            Record::Forked { .. } => {}
            // The process stays known until all records are read. The id of the thread may be reused, so a wait of this
            // id is forgotten.
            Record::Ended { tid, .. } => self.waits.iter_mut().for_each(|waits| waits.forget(tid)),
            Record::Switched { pid, tid, time_ns, how } => self.switched((pid, tid), time_ns, how),
            Record::Lost(count) => self.followed.lost += count,
            Record::Throttled => self.followed.throttled += 1,
        }
    }

    fn sample(&mut self, sampled: &Sampled) {
        let stack = self.stack_of(sampled);
        match &mut self.waits {
            None => {
                let stack = self.profiler.stacks.stack(stack);
                self.count((sampled.pid, sampled.tid), stack, Weight::of(1, sampled.period));
            }
            Some(waits) => {
                let (pid, since_ns) = (sampled.pid, sampled.time_ns);
                waits.begins(sampled.tid, Wait { pid, since_ns, stack: Some(stack), is_preempted: false });
            }
        }
    }

    fn stack_of(&mut self, sampled: &Sampled) -> RawStack {
        let Run { profiler, stack, processes, waits, .. } = self;
        let process = processes.entry(sampled.pid).or_insert_with(|| Process::new("?"));
        let Profiler { objects, stacks, cache, addresses } = &mut **profiler;
        addresses.clear();
        let kernel_chain = match waits {
            Some(waits) => waits.waiting.kernel_chain(sampled.kernel_chain),
            None => sampled.kernel_chain,
        };
        for (at, &address) in kernel_chain.iter().enumerate() {
            // Every address except the first is a return address.
            let address = if at == 0 { address } else { address.saturating_sub(1) };
            addresses.push(stacks.place(CodeAddress { object: KERNEL, address }));
        }
        if sampled.is_kernel && addresses.is_empty() && waits.is_none() {
            addresses.push(stacks.place(CodeAddress { object: KERNEL, address: sampled.ip }));
        }
        let callers = match *stack {
            Stack::Chain => unwind::chain(sampled),
            Stack::Copy(_) if sampled.registers.is_none() => {
                Callers { addresses: Vec::new(), end: StackEnd::Whole }
            }
            Stack::Copy(_) => unwind::tables(sampled, process.unwinder(), cache),
        };
        let is_begun = || callers.addresses.last().is_some_and(|&last| process.is_entry(last, objects));
        let end = match callers.end {
            StackEnd::Broken if is_begun() => StackEnd::Whole,
            end => end,
        };
        addresses.extend(callers.addresses.iter().map(|&address| stacks.place(process.place(address))));
        let process = stacks.name(&process.name);
        RawStack { places: addresses.as_slice().into(), process, end }
    }

    fn count(&mut self, (pid, tid): (i32, i32), stack: u32, weight: Weight) {
        let process = self.processes.entry(pid).or_insert_with(|| Process::new("?"));
        process.weight += weight;
        process.threads.insert(tid);
        let followed = &mut self.followed;
        followed.note_period(weight);
        followed.samples += weight.samples;
        followed.events = followed.events.saturating_add(weight.events);
        let number = stack as usize;
        if followed.stacks.len() <= number {
            followed.stacks.resize(number + 1, Weight::default());
        }
        followed.stacks[number] += weight;
    }

    fn switched(&mut self, (pid, tid): (i32, i32), time_ns: u64, how: Switch) {
        let Some(waits) = &mut self.waits else { return };
        if how == Switch::Runs {
            self.end_wait(tid, time_ns);
        } else {
            waits.switched_out(tid, pid, time_ns, how == Switch::Preempted);
        }
    }

    fn end_wait(&mut self, tid: i32, now_ns: u64) {
        let Some(waits) = &mut self.waits else { return };
        let Some((wait, waited_ns)) = waits.ends(tid, now_ns) else { return };
        let stacks = &mut self.profiler.stacks;
        let mut stack = wait.stack.unwrap_or_else(|| {
            let name = self.processes.get(&wait.pid).map_or("?", |process| &process.name);
            RawStack { places: Box::new([]), process: stacks.name(name), end: StackEnd::Broken }
        });
        if wait.is_preempted {
            let preempted = stacks.place(PREEMPTED);
            stack.places = std::iter::once(preempted).chain(stack.places).collect();
        }
        let stack = stacks.stack(stack);
        let weight = Weight::of(waits.samples(stack, waited_ns), waits.waiting.sample_ns());
        self.followed.waits += 1;
        self.followed.waited_ns += waited_ns;
        self.count((wait.pid, tid), stack, weight);
    }

    /// Ends all waits at the end of sampling: a thread that still waits has waited until now.
    fn end_waits(&mut self, now_ns: u64) {
        let open = self.waits.as_ref().map(Waits::open).unwrap_or_default();
        open.into_iter().for_each(|tid| self.end_wait(tid, now_ns));
    }

    fn end(&mut self, pid: i32, process: Process) {
        if process.weight.samples > 0 {
            let (threads, weight) = (process.threads.len() as u32, process.weight);
            self.followed.processes.push(FollowedProcess { pid, name: process.name, weight, threads });
        }
    }

    pub(crate) fn finish(mut self) -> Followed {
        for (pid, process) in std::mem::take(&mut self.processes) {
            self.end(pid, process);
        }
        self.followed.processes.sort_by_key(|it| (std::cmp::Reverse(it.weight.events), it.pid));
        self.followed
    }
}
