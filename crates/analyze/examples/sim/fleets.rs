//! Simulated fleets, in which the spread between machines, odd machines and the effects of facts are known.

use std::collections::BTreeMap;

use fauxplat_model::{FleetEvidence, Metric, NodeAnswer, NodeBlock, NodePlan, NodeRecord, Remeasurement};
use fauxplat_stats::draw::Draw;

/// Distribution of the differences between machines of the same hardware; each has a standard deviation of 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spread {
    Normal,
    /// Student's t with 5 degrees of freedom, scaled to variance 1.
    Heavy,
    /// A gamma distribution of shape 4 (skewness 1), whose longer tail is on the slow side.
    Skewed,
}

impl Spread {
    pub(crate) const ALL: [Spread; 3] = [Spread::Normal, Spread::Heavy, Spread::Skewed];

    fn draw(self, draw: &mut Draw) -> f64 {
        match self {
            Spread::Normal => draw.normal(),
            Spread::Heavy => draw.normal() / (draw.chi_square(5.0) / 3.0).sqrt(),
            Spread::Skewed => draw.chi_square(8.0) / 4.0 - 2.0,
        }
    }
}

/// Description of a simulated fleet. Speeds and standard deviations are of log times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) machines: usize,
    pub(crate) blocks: usize,
    pub(crate) runs_per_block: usize,
    pub(crate) spread: Spread,
    /// Standard deviation between machines.
    pub(crate) between: f64,
    pub(crate) within: f64,
    /// Number of odd machines, which are slower by the share `slower`: the first machines, or the last with `odd_last`.
    pub(crate) odd: usize,
    pub(crate) slower: f64,
    /// Distance, in machines, between machines with an old BIOS, which are slower by the share `bios_slower`; zero if
    /// no machine has one.
    pub(crate) bios_every: usize,
    pub(crate) bios_slower: f64,
    /// Whether machines report further facts than their hardware.
    pub(crate) told: bool,
    /// Number of machines, at the end of the list, with rarer hardware. Groups of five have equal hardware and equal
    /// mean speed.
    pub(crate) small: usize,
    pub(crate) odd_last: bool,
}

impl World {
    pub(crate) fn of(machines: usize, runs: usize, between: f64, within: f64) -> Self {
        World {
            machines,
            blocks: runs,
            runs_per_block: 1,
            spread: Spread::Normal,
            between,
            within,
            odd: 0,
            slower: 0.0,
            bios_every: 0,
            bios_slower: 0.0,
            told: true,
            small: 0,
            odd_last: false,
        }
    }
}

/// A simulated fleet: the log time of every machine relative to a typical one, and its measurements so far.
pub(crate) struct Drawn {
    world: World,
    slow: Vec<f64>,
    pub(crate) evidence: FleetEvidence,
    draw: Draw,
}

/// Number of machines in a small group.
const SMALL: usize = 5;

/// Wall time of a run on a typical machine in nanoseconds.
const WALL_NS: f64 = 1e8;

pub(crate) fn name(index: usize) -> String {
    format!("rack{:02}-node{index:05}", index / 40)
}

impl Drawn {
    /// Draws the machines, and measures each of them once.
    pub(crate) fn new(world: World, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let slow = (0..world.machines).map(|index| world.slowness(index, &mut draw)).collect();
        let evidence = FleetEvidence {
            fleet: "00000000-0000-4000-8000-000000000001".to_owned(),
            plan: NodePlan { definition_sha256: "d".repeat(64), seed },
            commands: vec!["program".to_owned()],
            ..FleetEvidence::default()
        };
        let mut drawn = Drawn { world, slow, evidence, draw };
        (0..world.machines).for_each(|index| drawn.measure(index, 0));
        drawn
    }

    fn measure(&mut self, index: usize, round: u32) {
        let world = self.world;
        let blocks = (0..world.blocks).map(|block| self.block(index, block)).collect();
        let record = NodeRecord {
            schema: NodeRecord::SCHEMA.to_owned(),
            fleet: self.evidence.fleet.clone(),
            node: name(index),
            plan: self.evidence.plan.clone(),
            round,
            attempt: 1,
            blocks,
            answers: vec![NodeAnswer { command: 0, sha256: "a".repeat(64), runs: 5 }],
            facts: world.facts(index),
            ..NodeRecord::default()
        };
        self.evidence.records.push(record);
    }

    fn block(&mut self, index: usize, block: usize) -> NodeBlock {
        let runs = self.world.runs_per_block;
        let run = |draw: &mut Draw| {
            let wall = WALL_NS * (self.slow[index] + self.world.within * draw.normal()).exp();
            Some(wall as u64)
        };
        let values = (0..runs).map(|_| run(&mut self.draw)).collect();
        NodeBlock {
            started_ns: block as u64 * 1_000_000_000,
            commands: vec![0; runs],
            values: BTreeMap::from([(Metric::WALL.name().to_owned(), values)]),
        }
    }

    pub(crate) fn measure_again(&mut self, plan: &Remeasurement) {
        for (round, nodes) in (1..).zip(&plan.rounds) {
            for node in nodes {
                let index = (0..self.world.machines).find(|&index| name(index) == *node);
                self.measure(index.expect("the plan names machines of the fleet"), round);
            }
        }
    }
}

impl World {
    fn slowness(&self, index: usize, draw: &mut Draw) -> f64 {
        let is_odd = if self.odd_last { index + self.odd >= self.machines } else { index < self.odd };
        let odd = if is_odd { self.slower.ln_1p() } else { 0.0 };
        let hardware = self.hardware(index) as f64 * 0.1;
        let old = if self.is_old(index) { self.bios_slower.ln_1p() } else { 0.0 };
        self.between * self.spread.draw(draw) + odd + old + hardware
    }

    /// Number of a machine's kind of hardware; 0 is the kind of most machines.
    fn hardware(&self, index: usize) -> usize {
        let before = self.machines - self.small;
        if index < before { 0 } else { 1 + (index - before) / SMALL }
    }

    fn is_old(&self, index: usize) -> bool {
        self.bios_every > 0 && index % self.bios_every == self.bios_every / 2
    }

    fn facts(&self, index: usize) -> BTreeMap<String, String> {
        if !self.told {
            let model = format!("Example {}", 9000 + self.hardware(index));
            return BTreeMap::from([("cpu-model".to_owned(), model)]);
        }
        let bios = if self.is_old(index) { "1.2" } else { "1.4" };
        let other = |count: usize| (index * 2_654_435_761 % 1009 % count).to_string();
        let facts = [
            ("cpu-model", "Example 9000".to_owned()),
            ("bios", bios.to_owned()),
            ("microcode", format!("0x{}", other(3))),
            ("kernel", format!("6.1.{}", other(7))),
            ("board-version", format!("B{}", other(5))),
            ("memory-speed", format!("{}", 2933 + 267 * (index / 3 % 2))),
            ("governor", if index % 17 == 5 { "powersave" } else { "performance" }.to_owned()),
            ("temperature", format!("{}", 40 + index * 7 % 23)),
            ("throttles", format!("{}", if index % 29 == 3 { index % 11 } else { 0 })),
            ("board-serial", format!("S{index}")),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
