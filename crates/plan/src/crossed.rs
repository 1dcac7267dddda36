//! A design in which several factors vary at once, from run to run.

use fauxplat_model::{Phase, Setup, Trial};
use fauxplat_units::{Cpu, CpuSet};
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::seeded::seeded;

/// Number of runs in a block: one for each sixteenth of a page, so that stack and heap are displaced into each
/// sixteenth once per block.
pub const RUNS_PER_BLOCK: u16 = 16;

/// Number of levels of a displacement of the stack or the heap: the sixteenths of a page.
const DISPLACEMENTS: u16 = 16;

/// Number of different displacements within a sixteenth of a page.
const PLACES: u16 = PAGE_BYTES / DISPLACEMENTS / ALIGNMENT_BYTES;

/// Bytes in a page. A displacement by more than a page has the effects of a smaller one again.
const PAGE_BYTES: u16 = 4096;

/// Alignment of stack and heap in bytes. Displacements between its multiples have no effect.
const ALIGNMENT_BYTES: u16 = 16;

/// Number of the first random stream; also the number of streams for each kind of draw of each factor.
const ASSIGNMENTS: u64 = 1 << 32;

/// A crossed plan: a function from the number of a block to its trials, and to the level of each factor in each trial.
///
/// Each factor assigns its levels independently of the other factors: all its levels in a random order, then all of
/// them again in another order, and so on. The part of this sequence that falls into a block is shuffled once more.
/// Every level therefore occurs equally often over the session, and nearly so in every block. Factors are orthogonal to
/// blocks, nearly orthogonal to each other, and on average orthogonal to the position in the block (a random balanced
/// design; Satterthwaite 1959).
///
/// A displacement consists of a sixteenth of a page and one of 16 positions within it. The position is drawn for each
/// run: all positions of a sixteenth are used once, in random order, before any is used again. If each sixteenth kept
/// one position for the whole session, a single slow position of a page would be missed with a probability of 15/16.
#[derive(Clone, Debug, Serialize)]
pub struct Crossed {
    /// Number of commands, usually variants of one program.
    pub commands: u16,
    /// CPUs to which runs are pinned, one CPU per run; `None` leaves the placement unchanged.
    pub cpus: Option<Vec<Cpu>>,
    /// Whether the stack of each run is displaced within a page.
    pub stack: bool,
    /// Whether the heap of each run is displaced within a page.
    pub heap: bool,
    pub seed: u64,
}

/// The level of each factor (command, CPU, stack, heap) in one trial, as indices from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coordinates {
    /// Index of the command among those of the experiment.
    pub command: u16,
    /// Index of the run's CPU in [`Crossed::cpus`].
    pub cpu: u16,
    /// Number, from 0, of the sixteenth of a page in which the displacement of the stack lies.
    pub stack: u16,
    /// Number, from 0, of the sixteenth of a page in which the displacement of the heap lies.
    pub heap: u16,
    /// Displacement of the stack within the sixteenth `stack`, in steps of 16 bytes.
    pub stack_place: u16,
    /// Displacement of the heap within the sixteenth `heap`, in steps of 16 bytes.
    pub heap_place: u16,
}

impl Coordinates {
    /// Displacement of the stack in bytes.
    pub fn stack_offset(&self) -> u16 {
        self.stack_slot() * ALIGNMENT_BYTES
    }

    /// Displacement of the heap in bytes.
    pub fn heap_offset(&self) -> u16 {
        self.heap_slot() * ALIGNMENT_BYTES
    }

    /// Displacement of the stack in steps of 16 bytes.
    pub fn stack_slot(&self) -> u16 {
        self.stack * PLACES + self.stack_place
    }

    /// Displacement of the heap in steps of 16 bytes.
    pub fn heap_slot(&self) -> u16 {
        self.heap * PLACES + self.heap_place
    }
}

impl Crossed {
    /// The trials of a block, in the order in which they run.
    pub fn block(&self, block: u32, phase: Phase) -> Vec<Trial> {
        let trial = |(position, at): (u16, Coordinates)| Trial {
            block,
            position,
            command: at.command,
            phase,
            setup: Setup {
                cpus: self.cpus.as_ref().map(|cpus| CpuSet::from_iter([cpus[usize::from(at.cpu)]])),
                stack_offset_bytes: self.stack.then(|| at.stack_offset()),
                heap_offset_bytes: self.heap.then(|| at.heap_offset()),
                ..Setup::default()
            },
        };
        (0..).zip(self.coordinates(block)).map(trial).collect()
    }

    /// The levels of all factors in each trial of a block, in the order in which the trials run.
    pub fn coordinates(&self, block: u32) -> Vec<Coordinates> {
        let cpus = self.cpus.as_ref().map_or(1, |cpus| cpus.len() as u16);
        let [command, cpu, stack, heap] = [self.commands, cpus, DISPLACEMENTS, DISPLACEMENTS];
        let command = self.deal(0, command, block);
        let (cpu, stack, heap) =
            (self.deal(1, cpu, block), self.deal(2, stack, block), self.deal(3, heap, block));
        let coordinates = |at: usize| Coordinates {
            command: command[at],
            cpu: cpu[at],
            stack: stack[at],
            heap: heap[at],
            stack_place: self.place(4, stack[at], block),
            heap_place: self.place(5, heap[at], block),
        };
        (0..usize::from(RUNS_PER_BLOCK)).map(coordinates).collect()
    }

    /// The sixteenths of a page, each as its first and last displacement in bytes.
    pub fn displacements() -> Vec<(u16, u16)> {
        let part = PAGE_BYTES / DISPLACEMENTS;
        (0..DISPLACEMENTS).map(|at| (at * part, (at + 1) * part - ALIGNMENT_BYTES)).collect()
    }

    /// All displacements within a page in bytes, ascending.
    pub fn places() -> Vec<u16> {
        (0..DISPLACEMENTS * PLACES).map(|slot| slot * ALIGNMENT_BYTES).collect()
    }

    /// The displacement within a sixteenth of a page, in steps of 16 bytes, in the one trial of a block to which a
    /// factor (stack or heap) assigns this sixteenth.
    fn place(&self, factor: u64, sixteenth: u16, block: u32) -> u16 {
        let round = u64::from(block / u32::from(PLACES));
        let number = round * u64::from(DISPLACEMENTS) + u64::from(sixteenth);
        let mut order: Vec<u16> = (0..PLACES).collect();
        order.shuffle(&mut seeded(self.seed, stream(factor, 0, number)));
        order[(block % u32::from(PLACES)) as usize]
    }

    /// The level of a factor in each trial of a block, as indices below `levels`.
    fn deal(&self, factor: u64, levels: u16, block: u32) -> Vec<u16> {
        let (runs, levels) = (u64::from(RUNS_PER_BLOCK), u64::from(levels.max(1)));
        let round = |number: u64| {
            let mut order: Vec<u16> = (0..levels as u16).collect();
            order.shuffle(&mut seeded(self.seed, stream(factor, 0, number)));
            order
        };
        let first = u64::from(block) * runs;
        let rounds = first / levels..=(first + runs - 1) / levels;
        let all: Vec<u16> = rounds.flat_map(round).collect();
        let skip = (first % levels) as usize;
        let mut dealt = all[skip..skip + usize::from(RUNS_PER_BLOCK)].to_vec();
        dealt.shuffle(&mut seeded(self.seed, stream(factor, 1, u64::from(block))));
        dealt
    }
}

/// Number of a random stream of a factor: kind 0 draws orders of levels or positions, kind 1 shuffles the levels within
/// a block, and `number` counts the draws of a kind.
fn stream(factor: u64, kind: u64, number: u64) -> u64 {
    ASSIGNMENTS + (factor * 2 + kind) * ASSIGNMENTS + number
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
    fn every_place_of_a_page_comes_once_in_sixteen_blocks_in_random_order() {
        let plan = plan(1, 5);
        let slots = |blocks: std::ops::Range<u32>| -> Vec<u16> {
            blocks.flat_map(|block| plan.coordinates(block)).map(|at| at.stack_slot()).collect()
        };
        for round in 0..4 {
            let (mut first, second) =
                (slots(16 * round..16 * round + 16), slots(16 * round + 16..16 * round + 32));
            assert_ne!(first, second);
            first.sort_unstable();
            assert_eq!(first, (0..256).collect::<Vec<_>>());
        }
        assert_ne!(
            slots(0..16),
            (0..16).flat_map(|block| plan.coordinates(block)).map(|at| at.heap_slot()).collect::<Vec<_>>()
        );
    }

    #[test]
    fn factors_are_nearly_orthogonal() {
        let plan = plan(2, 7);
        let all: Vec<Coordinates> = (0..60).flat_map(|block| plan.coordinates(block)).collect();
        let sign = |level: u16| f64::from(level) * 2.0 - 1.0;
        let together: f64 = all.iter().map(|at| sign(at.command) * sign(at.cpu)).sum();
        // Five standard deviations of the sum of 960 fair coins of the values 1 and -1 are 155.
        assert!(together.abs() < 155.0, "{together}");
        let early: f64 = all.chunks(16).flat_map(|block| &block[..8]).map(|at| sign(at.command)).sum();
        assert!(early.abs() < 110.0, "{early}");
    }

    #[test]
    fn trials_hold_what_the_coordinates_say() {
        let plan = plan(3, 11);
        for (trial, at) in plan.block(4, Phase::Measured).iter().zip(plan.coordinates(4)) {
            assert_eq!(trial.command, at.command);
            assert_eq!(trial.setup.stack_offset_bytes, Some((at.stack * 16 + at.stack_place) * 16));
            assert_eq!(trial.setup.heap_offset_bytes, Some((at.heap * 16 + at.heap_place) * 16));
            assert_eq!(trial.setup.cpus.as_ref().and_then(|cpus| cpus.first()), Some(Cpu(at.cpu.into())));
        }
        let bare = Crossed { cpus: None, stack: false, heap: false, ..plan };
        assert!(bare.block(0, Phase::Measured).iter().all(|trial| trial.setup == Setup::default()));
        assert_eq!(bare.block(2, Phase::Measured), bare.block(2, Phase::Measured));
    }
}
