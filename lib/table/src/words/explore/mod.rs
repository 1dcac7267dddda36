//! A small explorer of schedules and of weak memory.
//!
//! The shipped algorithm runs on simulated memory. The explorer tries, depth first and within stated bounds, every
//! choice of which thread takes the next step, which of the visible stores a load reads, and whether the thread dies at
//! that step. The memory follows the view semantics of C11 (Kang et al., *A Promising Semantics for Relaxed-Memory
//! Concurrency*, POPL 2017, without promises): a store is a message that carries the view of its writer, a load may
//! read any message that its thread has not yet seen past, and a store may be placed before any such message. Load
//! buffering is omitted; an exhaustive checker for it was run on a transcription, see `docs/table.md`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use memory::Store;

mod litmus;
mod memory;
mod mutants;
mod protocol;
mod regions;
mod rows;

/// Maximum number of threads of a scenario, including the final observer.
const THREADS: usize = 4;
/// Maximum number of steps of a thread in one execution; a thread that takes more is considered endless.
const STEPS: usize = 3000;

/// Results of the calls of a scenario's thread.
pub(super) type Output = Vec<Option<i64>>;
pub(super) type Body<'a> = &'a (dyn Fn(Handle<'_>) -> Output + Sync);

/// Checks the outputs of the threads, `None` for a dead one, and the state that an observer finds afterwards.
pub(super) type Check<'a> = &'a dyn Fn(Handle<'_>, &[Option<Output>]) -> Result<(), String>;

#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Maximum number of switches away from a thread that could have continued.
    pub preemptions: u32,
    /// Maximum number of loads that read a store other than the newest, and of stores that are placed before others of
    /// their location.
    pub stale: u32,
    /// Maximum number of threads that are killed.
    pub kills: u32,
    /// Maximum number of pages that the file system refuses.
    pub refusals: u32,
}

#[derive(Debug)]
pub(super) struct Verdict {
    pub executions: u64,
    pub failure: Option<String>,
}

/// A choice of the explorer: the index of the alternative that was taken, and the number of alternatives.
#[derive(Clone, Copy)]
struct Choice {
    taken: u32,
    of: u32,
}

struct State {
    store: Store,
    path: Vec<Choice>,
    depth: usize,
    current: usize,
    alive: [bool; THREADS],
    left: Bounds,
    steps: usize,
    /// Whether only the observer runs, after the end of all threads: there are no choices then, and loads read the
    /// newest values.
    alone: bool,
    endless: bool,
    /// Ranges of the file that have pages, in scenarios that track them.
    pages: Option<Vec<(usize, usize)>>,
    /// The first word that was accessed although it has no page.
    bare: Option<usize>,
}

impl State {
    /// Records an access to a word if the word has no page.
    fn touch(&mut self, location: usize) {
        let has_page = |ranges: &Vec<(usize, usize)>| {
            ranges.iter().any(|&(offset, bytes)| (offset..offset + bytes).contains(&location))
        };
        if !self.pages.as_ref().is_none_or(has_page) {
            self.bare.get_or_insert(location);
        }
    }

    fn choose(&mut self, of: u32) -> u32 {
        if of <= 1 || self.alone {
            return 0;
        }
        if self.depth == self.path.len() {
            self.path.push(Choice { taken: 0, of });
        }
        let choice = self.path[self.depth];
        debug_assert_eq!(choice.of, of, "the threads of a scenario are not deterministic");
        self.depth += 1;
        choice.taken
    }
}

/// Payload that unwinds a thread that is killed. Not a panic, so that no message is printed.
struct Killed;

/// The simulated machine of one execution.
pub(super) struct Machine {
    state: Mutex<State>,
    turn: [Condvar; THREADS],
}

/// A thread's access to the machine; the memory that the algorithm runs on.
#[derive(Clone, Copy)]
pub(super) struct Handle<'m> {
    machine: &'m Machine,
    thread: usize,
}

impl Machine {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the turn to the thread and waits until it comes back.
    fn pass_to(&self, mut state: MutexGuard<'_, State>, from: usize, to: usize) {
        state.current = to;
        self.turn[to].notify_one();
        drop(self.wait(state, from));
    }

    fn wait<'s>(&'s self, state: MutexGuard<'s, State>, thread: usize) -> MutexGuard<'s, State> {
        self.turn[thread]
            .wait_while(state, |state| state.current != thread)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a thread as ended, and gives the turn to another living thread.
    fn retire(&self, thread: usize) {
        let mut state = self.lock();
        state.alive[thread] = false;
        let others: Vec<usize> = (0..THREADS).filter(|&other| state.alive[other]).collect();
        if !others.is_empty() {
            let next = others[state.choose(others.len() as u32) as usize];
            state.current = next;
            self.turn[next].notify_one();
        }
    }
}

impl Handle<'_> {
    /// Gives pages to these ranges and tracks accesses from now on: an access to any other word is an error.
    fn keep_account(self, ranges: &[(usize, usize)]) {
        self.machine.lock().pages = Some(ranges.to_vec());
    }

    /// Takes a step of the thread: first the explorer chooses whether other threads run before it and whether the
    /// thread dies, then the operation is executed.
    fn step<T>(self, operation: impl FnOnce(&mut State, usize) -> T) -> T {
        let mut state = self.machine.lock();
        state.steps += 1;
        if state.steps > STEPS {
            state.endless = true;
            drop(state);
            resume_unwind(Box::new(Killed));
        }
        if !state.alone {
            let me = self.thread;
            let others: Vec<usize> = (0..THREADS).filter(|&n| n != me && state.alive[n]).collect();
            let switches = if state.left.preemptions > 0 { others.len() as u32 } else { 0 };
            let kill = u32::from(state.left.kills > 0);
            let choice = state.choose(1 + switches + kill);
            if choice > switches {
                state.left.kills -= 1;
                drop(state);
                resume_unwind(Box::new(Killed));
            }
            if choice > 0 {
                state.left.preemptions -= 1;
                self.machine.pass_to(state, me, others[choice as usize - 1]);
                state = self.machine.lock();
            }
        }
        operation(&mut state, self.thread)
    }
}

/// Runs one execution along the path and returns the outputs, `None` for a thread that died.
fn execute(machine: &Machine, bodies: &[Body<'_>]) -> Vec<Option<Output>> {
    let first = machine.lock().choose(bodies.len() as u32) as usize;
    machine.lock().current = first;
    std::thread::scope(|scope| {
        let run = |thread: usize| {
            drop(machine.wait(machine.lock(), thread));
            let handle = Handle { machine, thread };
            let result = catch_unwind(AssertUnwindSafe(|| bodies[thread](handle)));
            machine.retire(thread);
            match result {
                Ok(output) => Some(output),
                Err(cause) if cause.is::<Killed>() => None,
                Err(cause) => resume_unwind(cause),
            }
        };
        let threads: Vec<_> = (0..bodies.len()).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    })
}

/// Advances the path to the next execution in depth-first order, by the next alternative of the deepest choice that has
/// one left. Returns `false` if every path has been explored.
fn advance(path: &mut Vec<Choice>) -> bool {
    while let Some(last) = path.last_mut() {
        if last.taken + 1 < last.of {
            last.taken += 1;
            return true;
        }
        path.pop();
    }
    false
}

/// Tries every execution within the bounds. `setup` runs before the threads and is visible to all of them; `check`
/// judges the outputs and the state that an observer finds afterwards.
pub(super) fn explore(
    bounds: Bounds,
    setup: &dyn Fn(Handle<'_>),
    bodies: &[Body<'_>],
    check: Check<'_>,
) -> Verdict {
    let mut path = Vec::new();
    let mut executions = 0;
    loop {
        executions += 1;
        let mut alive = [false; THREADS];
        alive[..bodies.len()].fill(true);
        let state = State {
            store: Store::default(),
            path,
            depth: 0,
            current: usize::MAX,
            alive,
            left: bounds,
            steps: 0,
            alone: true,
            endless: false,
            pages: None,
            bare: None,
        };
        let machine = Machine { state: Mutex::new(state), turn: [const { Condvar::new() }; THREADS] };
        let observer = Handle { machine: &machine, thread: THREADS - 1 };
        setup(observer);
        let mut begin = machine.lock();
        begin.store.meet();
        begin.alone = false;
        drop(begin);
        let outputs = execute(&machine, bodies);
        let mut end = machine.lock();
        end.store.meet();
        end.alone = true;
        end.steps = 0;
        let endless = end.endless;
        drop(end);
        let result = match endless {
            true => Err("a thread never ends".to_owned()),
            false => catch_unwind(AssertUnwindSafe(|| check(observer, &outputs)))
                .unwrap_or_else(|_| Err("the observer never ends".to_owned())),
        };
        let mut last = machine.lock();
        path = std::mem::take(&mut last.path);
        let result = match last.bare {
            Some(word) => Err(format!("the word at {word} was accessed and has no page")),
            None => result,
        };
        drop(last);
        if let Err(failure) = result {
            return Verdict { executions, failure: Some(failure) };
        }
        if !advance(&mut path) {
            return Verdict { executions, failure: None };
        }
    }
}
