//! Plans of randomised blocks of trials; the trials of a block share their setup.

use fauxplat_model::{EnvPad, Heap, Phase, Placement, Setup, Trial};
use fauxplat_units::{Cpu, CpuSet};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::seeded::seeded;

/// Order of the trials within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Each command once.
    Single,
    /// Each command twice in a row (AABB or BBAA), the given number of times, each time in a newly drawn order. The
    /// second of two runs follows a run of the same command, so a comparison of second runs is free of effects of one
    /// command on the other.
    Twice(u16),
    /// Each command twice, the second time in the opposite order (ABBA or BAAB), so that a drift that is linear over
    /// the block cancels. For runs so short that the machine does not change during a pair.
    Mirrored,
    /// Each command the given number of times, with the order reversed every second time. For setups that are
    /// expensive, such as programs that take long to link.
    Repeated(u16),
    /// Two commands at the same moment on these two CPUs, and once more with the CPUs exchanged, so that effects of the
    /// CPUs cancel within the block.
    Duet([Cpu; 2]),
}

impl Layout {
    pub fn rounds(self) -> u16 {
        match self {
            Layout::Single => 1,
            Layout::Twice(times) => 2 * times.max(1),
            Layout::Mirrored | Layout::Duet(_) => 2,
            Layout::Repeated(rounds) => rounds.max(1),
        }
    }
}

/// A plan: a function from the number of a block to its trials.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub commands: u16,
    pub placement: Placement,
    pub env_pad: EnvPad,
    pub heap: Heap,
    pub layout: Layout,
    pub seed: u64,
}

/// First random stream of each kind of draw. Every kind has streams of its own, so that changing one kind of draw
/// leaves the others as they were.
const SETUPS: u64 = 0;
const ORDERS: u64 = 1 << 40;
const PLACES: u64 = 2 << 40;
const HEAPS: u64 = 3 << 40;
const ROUNDS: u64 = 1 << 56;

/// Bytes in a page. A displacement by more than a page has the effects of a smaller one again.
const PAGE_BYTES: u16 = 4096;

impl Plan {
    /// The trials of a block, in the order in which they run. All trials share one setup.
    pub fn block(&self, block: u32, phase: Phase) -> Vec<Trial> {
        let setup = self.setup(block);
        let order = self.orders(block);
        let trial = |(position, command)| Trial {
            block,
            position: position as u16,
            command,
            phase,
            setup: self.placed(setup.clone(), position),
        };
        order.into_iter().enumerate().map(trial).collect()
    }

    /// The trials of a block in which only some commands run, each once. Every order is equally likely, so that effects
    /// of time and of the commands are not confounded.
    pub fn visit(&self, block: u32, commands: &[u16], phase: Phase) -> Vec<Trial> {
        let setup = self.setup(block);
        let mut order = commands.to_vec();
        order.shuffle(&mut seeded(self.seed, ORDERS + u64::from(block)));
        let trial = |(position, command)| Trial {
            block,
            position: position as u16,
            command,
            phase,
            setup: setup.clone(),
        };
        order.into_iter().enumerate().map(trial).collect()
    }

    /// The setup of the trial at a position of the block, from the setup of the whole block. In a duet every second run
    /// starts together with the preceding one.
    fn placed(&self, setup: Setup, position: usize) -> Setup {
        let Layout::Duet(cpus) = self.layout else { return setup };
        let cpu = cpus[position % 2];
        Setup { cpus: Some([cpu].into_iter().collect()), idle: false, together: position % 2 == 1, ..setup }
    }

    fn orders(&self, block: u32) -> Vec<u16> {
        if let Layout::Twice(times) = self.layout {
            let order = |time| self.order_of_round(block, 2 * time);
            let in_a_row = |command| [command, command];
            return (0..times.max(1)).flat_map(order).flat_map(in_a_row).collect();
        }
        let mut orders = Vec::new();
        for round in 0..self.layout.rounds() {
            let order = match round % 2 {
                0 => self.order_of_round(block, round),
                _ => orders.iter().rev().take(self.commands.into()).copied().collect(),
            };
            orders.extend(order);
        }
        orders
    }

    /// The order of the commands in one round of a block, drawn independently of all other rounds.
    fn order_of_round(&self, block: u32, round: u16) -> Vec<u16> {
        let mut order = self.order(block);
        if round > 0 {
            order.shuffle(&mut seeded(self.seed, ROUNDS + (u64::from(block) << 16 | u64::from(round))));
        }
        order
    }

    /// The setup that all commands of the block share.
    pub fn setup(&self, block: u32) -> Setup {
        let mut random = seeded(self.seed, SETUPS + u64::from(block));
        let stack_offset_bytes = match self.env_pad {
            EnvPad::Random => Some(random.random_range(0..PAGE_BYTES)),
            EnvPad::Level => Some(0),
            EnvPad::None | EnvPad::Bytes(_) => None,
        };
        let env_pad_bytes = if let EnvPad::Bytes(bytes) = self.env_pad { bytes } else { 0 };
        let cpus = match &self.placement {
            // Placements by relation, such as `sibling-of`, were resolved to lists of CPUs before planning.
            Placement::Auto | Placement::Free | Placement::Related(..) => None,
            Placement::Set(cpus) | Placement::IdleOf(cpus) => Some(cpus.clone()),
            Placement::OneOf(cpus) => Some(self.one_of(cpus, block)),
        };
        // Allocators align to 16 bytes, so displacements in between have no effect.
        let heap_offset_bytes = (self.heap == Heap::Random)
            .then(|| seeded(self.seed, HEAPS + u64::from(block)).random_range(0..PAGE_BYTES / 16) * 16);
        let idle = matches!(self.placement, Placement::IdleOf(_));
        Setup { cpus, idle, stack_offset_bytes, heap_offset_bytes, env_pad_bytes, together: false }
    }

    /// The CPU for a block. Every CPU of the set is used once before any is used again, in an order that is drawn anew
    /// for each such cycle.
    fn one_of(&self, cpus: &CpuSet, block: u32) -> CpuSet {
        let mut list: Vec<_> = cpus.iter().collect();
        let count = (list.len() as u32).max(1);
        list.shuffle(&mut seeded(self.seed, PLACES + u64::from(block / count)));
        list.into_iter().skip((block % count) as usize).take(1).collect()
    }

    /// The order of the commands in the block. Every order is equally likely, independently of other blocks; for two
    /// commands the draw is a fair coin. If the orders were balanced over several blocks they would depend on each
    /// other, and an effect of a command on the next run would then reverse the signs of several differences together.
    fn order(&self, block: u32) -> Vec<u16> {
        let mut order: Vec<u16> = (0..self.commands).collect();
        order.shuffle(&mut seeded(self.seed, ORDERS + u64::from(block)));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(commands: u16, seed: u64) -> Plan {
        Plan {
            commands,
            placement: Placement::OneOf("0-2".parse().unwrap()),
            env_pad: EnvPad::Random,
            heap: Heap::Random,
            layout: Layout::Single,
            seed,
        }
    }

    fn orders(plan: &Plan, blocks: u32) -> Vec<Vec<u16>> {
        (0..blocks)
            .map(|b| plan.block(b, Phase::Measured).iter().map(|trial| trial.command).collect())
            .collect()
    }

    #[test]
    fn the_seed_alone_decides() {
        assert_eq!(plan(2, 7).block(3, Phase::Measured), plan(2, 7).block(3, Phase::Measured));
        assert_ne!(orders(&plan(2, 7), 64), orders(&plan(2, 8), 64));
    }

    #[test]
    fn the_coin_is_fair_and_has_no_memory() {
        let first: Vec<u16> = orders(&plan(2, 1), 4000).iter().map(|order| order[0]).collect();
        let ones = first.iter().filter(|&&command| command == 1).count();
        // Five standard deviations of a binomial of 4000 at one half are 158.
        assert!((1842..=2158).contains(&ones), "{ones}");
        let changes = first.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!((1842..=2158).contains(&changes), "{changes}");
    }

    #[test]
    fn of_several_commands_every_order_is_as_likely_whatever_came_before() {
        let orders = orders(&plan(3, 3), 6000);
        let mut counts = std::collections::BTreeMap::<_, usize>::new();
        let mut after = std::collections::BTreeMap::<_, usize>::new();
        orders.iter().for_each(|order| *counts.entry(order).or_default() += 1);
        orders.windows(2).for_each(|two| *after.entry((&two[0], &two[1])).or_default() += 1);
        // Five standard deviations of a binomial of 6000 at 1/6 are 144, at 1/36 they are 64.
        assert!(counts.len() == 6 && counts.values().all(|n| (856..=1144).contains(n)), "{counts:?}");
        assert!(after.len() == 36 && after.values().all(|n| (103..=231).contains(n)), "{after:?}");
    }

    #[test]
    fn a_block_shares_its_setup_and_cpus_come_in_turn() {
        let plan = plan(3, 9);
        let mut cpus = Vec::new();
        for block in 0..30 {
            let trials = plan.block(block, Phase::Measured);
            assert!(trials.iter().all(|trial| trial.setup == trials[0].setup));
            cpus.push(trials[0].setup.cpus.as_ref().unwrap().first().unwrap().0);
        }
        for group in cpus.chunks(3) {
            let mut group = group.to_vec();
            group.sort_unstable();
            assert_eq!(group, [0, 1, 2]);
        }
    }

    #[test]
    fn mirrored_blocks_read_the_same_backwards() {
        let plan = Plan { layout: Layout::Mirrored, ..plan(2, 5) };
        for order in orders(&plan, 20) {
            assert_eq!(order.len(), 4);
            assert!(order.iter().eq(order.iter().rev()));
        }
    }

    #[test]
    fn in_blocks_of_two_in_a_row_each_command_follows_itself_in_a_drawn_order() {
        let twice = Plan { layout: Layout::Twice(1), ..plan(3, 5) };
        let drawn = orders(&twice, 600);
        assert!(drawn.iter().all(|order| order.len() == 6 && order.chunks(2).all(|two| two[0] == two[1])));
        let mut counts = std::collections::BTreeMap::<_, usize>::new();
        drawn.iter().for_each(|order| *counts.entry([order[0], order[2], order[4]]).or_default() += 1);
        // Five standard deviations of a binomial of 600 at 1/6 are 46.
        assert!(counts.len() == 6 && counts.values().all(|n| (54..=146).contains(n)), "{counts:?}");
        let more = Plan { layout: Layout::Twice(3), ..plan(2, 5) };
        let drawn = orders(&more, 200);
        assert!(drawn.iter().all(|order| order.len() == 12 && order.chunks(2).all(|two| two[0] == two[1])));
        let same = drawn.iter().filter(|order| order[0] == order[4]).count();
        // Five standard deviations of a binomial of 200 at one half are 35.
        assert!((65..=135).contains(&same), "the second coin does not follow the first: {same}");
    }

    #[test]
    fn a_visit_takes_each_level_once_in_an_order_without_memory() {
        let plan = plan(600, 4);
        let wanted: Vec<u16> = (0..600).step_by(2).collect();
        let order = |block| {
            let visit = plan.visit(block, &wanted, Phase::Measured);
            assert!(visit.iter().enumerate().all(|(place, trial)| usize::from(trial.position) == place));
            visit.iter().map(|trial| trial.command).collect::<Vec<u16>>()
        };
        let mut sorted = order(0);
        sorted.sort_unstable();
        assert_eq!(sorted, wanted);
        assert_ne!(order(0), order(1));
        // The command's number and its position are uncorrelated: the correlation of 300 pairs has a standard deviation
        // of 0.058.
        let mean = 149.5;
        let covariance: f64 =
            order(2).iter().enumerate().map(|(i, &c)| (i as f64 - mean) * (f64::from(c) / 2.0 - mean)).sum();
        let variance: f64 = (0..300).map(|i| (f64::from(i) - mean).powi(2)).sum();
        assert!((covariance / variance).abs() < 0.3);
    }

    #[test]
    fn rounds_come_in_mirrored_twos_with_a_coin_each() {
        let plan = Plan { layout: Layout::Repeated(4), ..plan(2, 5) };
        let orders = orders(&plan, 64);
        assert!(orders.iter().all(|order| order.len() == 8));
        assert!(orders.iter().all(|order| order[..4].iter().eq(order[..4].iter().rev())));
        assert!(orders.iter().all(|order| order[4..].iter().eq(order[4..].iter().rev())));
        let same = orders.iter().filter(|order| order[0] == order[4]).count();
        assert!((12..=52).contains(&same), "the second coin does not follow the first: {same}");
    }

    #[test]
    fn a_duet_runs_twos_at_once_and_changes_their_places() {
        let cpus = [Cpu(3), Cpu(5)];
        let plan = Plan { layout: Layout::Duet(cpus), ..plan(2, 5) };
        let mut first = [0, 0];
        for block in 0..100 {
            let trials = plan.block(block, Phase::Measured);
            let together: Vec<bool> = trials.iter().map(|trial| trial.setup.together).collect();
            assert_eq!(together, [false, true, false, true]);
            let places: Vec<_> = trials
                .iter()
                .map(|trial| (trial.command, trial.setup.cpus.as_ref().unwrap().first()))
                .collect();
            for command in 0..2 {
                assert!(cpus.iter().all(|&cpu| places.contains(&(command, Some(cpu)))), "{places:?}");
            }
            assert_ne!(places[0].0, places[1].0);
            first[usize::from(places[0].0)] += 1;
        }
        assert!(first.iter().all(|&count| count > 25), "a coin decides who begins where: {first:?}");
    }

    #[test]
    fn displacements_cover_the_page() {
        let plan = plan(2, 11);
        let offsets: Vec<u16> =
            (0..2000).filter_map(|b| plan.block(b, Phase::Measured)[0].setup.stack_offset_bytes).collect();
        assert_eq!(offsets.len(), 2000);
        for quarter in 0..4 {
            let inside = offsets.iter().filter(|&&offset| offset / 1024 == quarter).count();
            assert!((400..600).contains(&inside), "{inside}");
        }
    }
}
