//! Reads samples while programs run.

use std::collections::HashMap;
use std::time::Duration;

use fauxplat_model::StackEnd;
use fauxplat_sys::clock;
use fauxplat_sys::sampling::{Mapping, Record, Sampled, Sampler, Stack};

use crate::objects::{KERNEL, Objects};
use crate::process::Process;
use crate::stacks::{Place, Stacks};
use crate::unwind::{self, Cache, Callers};

/// How long the kernel may take from the time of a record to its being there to read, generously.
const SETTLED_NS: u64 = 2_000_000;
/// How long nobody looks when nearly nothing comes, and when much does.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
/// A ring may fill up to here before the next look comes sooner.
const FILL_MAX: f64 = 0.25;

/// What was seen of the processes of one run.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Samples of each stack, by the stack's number.
    pub stacks: Vec<u64>,
    /// All samples.
    pub samples: u64,
    /// Samples for which the kernel had no room.
    pub lost: u64,
    /// How often the kernel kept samples back.
    pub throttled: u64,
    /// CPU time that reading took, in nanoseconds.
    pub own_cpu_ns: u64,
    /// Number, name, samples and threads of each process.
    pub processes: Vec<(i32, String, u64, u32)>,
}

/// Makes stacks of samples, of as many runs as one likes.
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

/// One run while it goes on.
struct Run<'p> {
    profiler: &'p mut Profiler,
    stack: Stack,
    processes: HashMap<i32, Process>,
    followed: Followed,
}

impl Profiler {
    /// Reads until it is over, and what was still under way then.
    pub fn follow(
        &mut self,
        sampler: &mut Sampler,
        stack: Stack,
        running: Vec<(i32, String, Vec<Mapping>)>,
        mut is_over: impl FnMut(Duration) -> bool,
    ) -> Followed {
        let begun_ns = clock::thread_cpu_ns();
        let mut run = Run { profiler: self, stack, processes: HashMap::new(), followed: Followed::default() };
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
        sampler.drain(u64::MAX, |record| run.take(record));
        let mut followed = run.finish();
        followed.own_cpu_ns = clock::thread_cpu_ns() - begun_ns;
        followed
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

    fn take(&mut self, record: Record) {
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
            // Another thread has the same memory; and what ended is told when all is over.
            Record::Forked { .. } | Record::Ended { .. } => {}
            Record::Lost(count) => self.followed.lost += count,
            Record::Throttled => self.followed.throttled += 1,
        }
    }

    fn sample(&mut self, sampled: &Sampled) {
        let Run { profiler, stack, processes, followed } = self;
        let process = processes.entry(sampled.pid).or_insert_with(|| Process::new("?"));
        followed.samples += 1;
        process.samples += 1;
        process.threads.insert(sampled.tid);
        let Profiler { objects, stacks, cache, addresses } = &mut **profiler;
        addresses.clear();
        for (at, &address) in sampled.kernel_chain.iter().enumerate() {
            // All but the first are where a call goes on.
            let address = if at == 0 { address } else { address.saturating_sub(1) };
            addresses.push(stacks.place(Place { object: KERNEL, address }));
        }
        if sampled.is_kernel && addresses.is_empty() {
            addresses.push(stacks.place(Place { object: KERNEL, address: sampled.ip }));
        }
        let callers = match *stack {
            Stack::Chain => unwind::chain(sampled),
            Stack::Copy(_) if sampled.registers.is_none() => {
                Callers { addresses: Vec::new(), end: StackEnd::Whole }
            }
            Stack::Copy(bytes) => unwind::tables(sampled, bytes, &process.unwinder, cache),
        };
        let is_begun = || callers.addresses.last().is_some_and(|&last| process.is_entry(last, objects));
        let end = match callers.end {
            StackEnd::Broken if is_begun() => StackEnd::Whole,
            end => end,
        };
        addresses.extend(callers.addresses.iter().map(|&address| stacks.place(process.place(address))));
        let name = stacks.name(&process.name);
        let number = stacks.stack(addresses, name, end) as usize;
        if followed.stacks.len() <= number {
            followed.stacks.resize(number + 1, 0);
        }
        followed.stacks[number] += 1;
    }

    fn end(&mut self, pid: i32, process: Process) {
        if process.samples > 0 {
            let threads = process.threads.len() as u32;
            self.followed.processes.push((pid, process.name, process.samples, threads));
        }
    }

    fn finish(mut self) -> Followed {
        for (pid, process) in std::mem::take(&mut self.processes) {
            self.end(pid, process);
        }
        self.followed.processes.sort_by_key(|(pid, _, samples, _)| (std::cmp::Reverse(*samples), *pid));
        self.followed
    }
}
