//! A design in which several factors vary at once, run by run.

use fauxplat_model::{Phase, Setup, Trial};
use fauxplat_units::{Cpu, CpuSet};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::seeded::seeded;

/// Runs of a block: as many as a displacement has levels, so that each comes once in each block.
pub const RUNS_PER_BLOCK: u16 = 16;

/// Levels of a displacement: one out of each sixteenth of a page.
const DISPLACEMENTS: u16 = 16;

/// Bytes in a page: displacements beyond it repeat.
const PAGE_BYTES: u16 = 4096;

/// What stack and heap are aligned to: displacements in between are the same.
const ALIGNMENT_BYTES: u16 = 16;

/// Streams of the generator.
const STACK_LEVELS: u64 = 0;
const HEAP_LEVELS: u64 = 1;
const ASSIGNMENTS: u64 = 1 << 32;

/// A crossed plan: from the number of a block to its trials, and to the level of each factor in each trial.
///
/// Each factor deals its levels out by itself: a fresh random order of all its levels for each round of them, shuffled
/// once more within the block. So every level comes equally often over the rounds, and nearly so in every block; factors
/// are orthogonal to blocks, nearly so to each other, and to the place in the block on average (a random balanced design;
/// Satterthwaite 1959).
#[derive(Clone, Debug, Serialize)]
pub struct Crossed {
    /// Number of commands: variants of one program as a rule.
    pub commands: u16,
    /// CPUs that runs are pinned to, one by one; `None` leaves the placement alone.
    pub cpus: Option<Vec<Cpu>>,
    /// Whether the stack is displaced.
    pub stack: bool,
    /// Whether the heap is displaced.
    pub heap: bool,
    /// Seed of everything.
    pub seed: u64,
}

/// The level of each factor in one trial, as indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coordinates {
    /// The command.
    pub command: u16,
    /// Among [`Crossed::cpus`].
    pub cpu: u16,
    /// Among [`Crossed::stack_offsets`].
    pub stack: u16,
    /// Among [`Crossed::heap_offsets`].
    pub heap: u16,
}

impl Crossed {
    /// The trials of a block, in the order in which they run.
    pub fn block(&self, block: u32, phase: Phase) -> Vec<Trial> {
        let (stack, heap) = (self.stack_offsets(), self.heap_offsets());
        let trial = |(position, at): (u16, Coordinates)| Trial {
            block,
            position,
            command: at.command,
            phase,
            setup: Setup {
                cpus: self.cpus.as_ref().map(|cpus| CpuSet::from_iter([cpus[usize::from(at.cpu)]])),
                stack_offset_bytes: self.stack.then(|| stack[usize::from(at.stack)]),
                heap_offset_bytes: self.heap.then(|| heap[usize::from(at.heap)]),
                ..Setup::default()
            },
        };
        (0..).zip(self.coordinates(block)).map(trial).collect()
    }

    /// The levels of the factors in each trial of a block.
    pub fn coordinates(&self, block: u32) -> Vec<Coordinates> {
        let cpus = self.cpus.as_ref().map_or(1, |cpus| cpus.len() as u16);
        let [command, cpu, stack, heap] = [self.commands, cpus, DISPLACEMENTS, DISPLACEMENTS];
        let command = self.deal(0, command, block);
        let (cpu, stack, heap) =
            (self.deal(1, cpu, block), self.deal(2, stack, block), self.deal(3, heap, block));
        (0..usize::from(RUNS_PER_BLOCK))
            .map(|at| Coordinates { command: command[at], cpu: cpu[at], stack: stack[at], heap: heap[at] })
            .collect()
    }

    /// Displacements of the stack in bytes, rising.
    pub fn stack_offsets(&self) -> Vec<u16> {
        self.offsets(STACK_LEVELS)
    }

    /// Displacements of the heap in bytes, rising.
    pub fn heap_offsets(&self) -> Vec<u16> {
        self.offsets(HEAP_LEVELS)
    }

    /// One displacement out of each part of a page: a regular choice would be blind for cache lines.
    fn offsets(&self, stream: u64) -> Vec<u16> {
        let mut random = seeded(self.seed, stream);
        let part = PAGE_BYTES / DISPLACEMENTS;
        let within = part / ALIGNMENT_BYTES;
        (0..DISPLACEMENTS).map(|at| at * part + random.random_range(0..within) * ALIGNMENT_BYTES).collect()
    }

    /// The levels that a factor deals to the trials of a block.
    fn deal(&self, factor: u64, levels: u16, block: u32) -> Vec<u16> {
        let (runs, levels) = (u64::from(RUNS_PER_BLOCK), u64::from(levels.max(1)));
        let stream = |kind: u64, number: u64| ASSIGNMENTS + (factor * 2 + kind) * ASSIGNMENTS + number;
        let round = |number: u64| {
            let mut order: Vec<u16> = (0..levels as u16).collect();
            order.shuffle(&mut seeded(self.seed, stream(0, number)));
            order
        };
        let first = u64::from(block) * runs;
        let rounds = first / levels..=(first + runs - 1) / levels;
        let all: Vec<u16> = rounds.flat_map(round).collect();
        let skip = (first % levels) as usize;
        let mut dealt = all[skip..skip + usize::from(RUNS_PER_BLOCK)].to_vec();
        dealt.shuffle(&mut seeded(self.seed, stream(1, u64::from(block))));
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(commands: u16, seed: u64) -> Crossed {
        Crossed { commands, cpus: Some(vec![Cpu(0), Cpu(1)]), stack: true, heap: true, seed }
    }

    #[test]
    fn every_level_comes_equally_often() {
        let plan = plan(5, 3);
        let all: Vec<Coordinates> = (0..10).flat_map(|block| plan.coordinates(block)).collect();
        for (levels, pick) in [
            (5, (|at| at.command) as fn(&Coordinates) -> u16),
            (2, |at| at.cpu),
            (16, |at| at.stack),
            (16, |at| at.heap),
        ] {
            for level in 0..levels {
                let times = all.iter().filter(|at| pick(at) == level).count();
                assert_eq!(times, 160 / usize::from(levels), "level {level} of {levels}");
            }
        }
        for block in all.chunks(16) {
            assert_eq!(block.iter().filter(|at| at.cpu == 0).count(), 8);
        }
    }

    #[test]
    fn factors_are_nearly_orthogonal() {
        let plan = plan(2, 7);
        let all: Vec<Coordinates> = (0..60).flat_map(|block| plan.coordinates(block)).collect();
        let sign = |level: u16| f64::from(level) * 2.0 - 1.0;
        let together: f64 = all.iter().map(|at| sign(at.command) * sign(at.cpu)).sum();
        // Five standard deviations of 960 coins are 155.
        assert!(together.abs() < 155.0, "{together}");
        let early: f64 = all.chunks(16).flat_map(|block| &block[..8]).map(|at| sign(at.command)).sum();
        assert!(early.abs() < 110.0, "{early}");
    }

    #[test]
    fn trials_hold_what_the_coordinates_say() {
        let plan = plan(3, 11);
        let (stack, heap) = (plan.stack_offsets(), plan.heap_offsets());
        assert!(stack.windows(2).all(|pair| pair[0] < pair[1]) && heap.iter().all(|at| at % 16 == 0));
        assert!(stack.iter().any(|at| at % 64 != 0) && stack != heap);
        for (trial, at) in plan.block(4, Phase::Measured).iter().zip(plan.coordinates(4)) {
            assert_eq!(trial.command, at.command);
            assert_eq!(trial.setup.stack_offset_bytes, Some(stack[usize::from(at.stack)]));
            assert_eq!(trial.setup.heap_offset_bytes, Some(heap[usize::from(at.heap)]));
            assert_eq!(trial.setup.cpus.as_ref().and_then(|cpus| cpus.first()), Some(Cpu(at.cpu.into())));
        }
        let bare = Crossed { cpus: None, stack: false, heap: false, ..plan };
        assert!(bare.block(0, Phase::Measured).iter().all(|trial| trial.setup == Setup::default()));
        assert_eq!(bare.block(2, Phase::Measured), bare.block(2, Phase::Measured));
    }
}
