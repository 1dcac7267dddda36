//! Disturbances of the machine during the measurement: steal time, waits for a CPU, throttling.

use std::fs;
use std::path::Path;

use fauxplat_model::{Metric, NodeBlock, NodeNoise};
use fauxplat_procfs::pressure;
use fauxplat_procfs::stat::{self, Kind};
use fauxplat_sys::clock;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quiet {
    now_us: u64,
    /// Clock ticks that the hypervisor took from the machine's CPUs (steal), and all ticks.
    steal: Option<(u64, u64)>,
    /// Time in microseconds in which some task waited for a CPU.
    waited_us: Option<u64>,
    throttles: Option<u64>,
}

/// Shares of the measurement's time that were stolen, and in which some task waited for a CPU, from which on a warning
/// is given.
const STEAL_SHARE: f64 = 0.01;
const PRESSURE_SHARE: f64 = 0.1;

impl Quiet {
    pub(super) fn read(root: &Path) -> Self {
        let text = |path: &str| fs::read_to_string(root.join(path)).ok();
        let steal = text("proc/stat").and_then(|text| {
            let ticks = stat::machine(&text)?.ticks();
            Some((ticks.of(Kind::Steal)?, ticks.total()?))
        });
        let waited_us = text("proc/pressure/cpu").and_then(|text| pressure::some(&text)?.total_us);
        let throttles = fauxplat_topology::throttles(root);
        Quiet { now_us: clock::monotonic_ns() / 1000, steal, waited_us, throttles }
    }

    pub(super) fn since(&self, before: &Quiet, spread: Option<f64>, noise: &mut NodeNoise) {
        noise.steal_share =
            self.steal.zip(before.steal).and_then(|((steal, all), (steal_then, all_then))| {
                share(steal.checked_sub(steal_then)?, all.checked_sub(all_then)?)
            });
        noise.pressure_share = self
            .waited_us
            .zip(before.waited_us)
            .and_then(|(now, then)| share(now.checked_sub(then)?, self.now_us.checked_sub(before.now_us)?));
        noise.throttles = self.throttles.zip(before.throttles).and_then(|(now, then)| now.checked_sub(then));
        noise.spread = spread;
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        if let Some(steal) = noise.steal_share.filter(|&share| share >= STEAL_SHARE) {
            noise.warnings.push(format!("the hypervisor took {} of the time", percent(steal)));
        }
        if let Some(waited) = noise.pressure_share.filter(|&share| share >= PRESSURE_SHARE) {
            noise.warnings.push(format!("some task waited for a CPU in {} of the time", percent(waited)));
        }
        if let Some(times) = noise.throttles.filter(|&times| times > 0) {
            noise.warnings.push(format!("throttled {times} times while it was measured"));
        }
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64).min(1.0))
}

/// The interquartile range of a metric in all runs of the first command, divided by their median; `None` without
/// readings.
pub(super) fn spread(blocks: &[NodeBlock], metric: Metric) -> Option<f64> {
    let id = metric.name();
    let of_block = |block: &NodeBlock| {
        let runs = block.commands.iter().zip(block.values.get(id).cloned().unwrap_or_default());
        runs.filter(|(command, _)| **command == 0).filter_map(|(_, value)| value).collect::<Vec<u64>>()
    };
    let mut values: Vec<u64> = blocks.iter().flat_map(of_block).collect();
    values.sort_unstable();
    let at =
        |quarters: usize| values.get((values.len().checked_sub(1)? * quarters + 2) / 4).map(|&it| it as f64);
    let (low, middle, high) = (at(1)?, at(2)?, at(3)?);
    (middle > 0.0).then_some((high - low) / middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_meanwhile_is_told() {
        let before = Quiet { now_us: 0, steal: Some((10, 1000)), waited_us: Some(5), throttles: Some(3) };
        let after = Quiet {
            now_us: 1_000_000,
            steal: Some((110, 2000)),
            waited_us: Some(500_005),
            throttles: Some(3),
        };
        let mut noise = NodeNoise::default();
        after.since(&before, Some(0.25), &mut noise);
        assert_eq!((noise.steal_share, noise.pressure_share), (Some(0.1), Some(0.5)));
        assert_eq!((noise.throttles, noise.spread, noise.warnings.len()), (Some(0), Some(0.25), 2));
        // A counter or clock that fell gives no share, and an unchanged count of throttling is zero.
        let mut noise = NodeNoise::default();
        before.since(&after, None, &mut noise);
        assert_eq!(noise, NodeNoise { throttles: Some(0), ..NodeNoise::default() });
    }

    #[test]
    fn the_spread_is_that_of_the_first_command() {
        let id = Metric::WALL.name().to_owned();
        let block = |values: &[u64]| NodeBlock {
            commands: (0..values.len()).map(|at| u16::from(at % 2 == 1)).collect(),
            values: [(id.clone(), values.iter().map(|&value| Some(value)).collect())].into(),
            ..NodeBlock::default()
        };
        let blocks = [block(&[100, 9, 110]), block(&[120, 9, 130, 9, 140])];
        assert_eq!(spread(&blocks, Metric::WALL), Some(20.0 / 120.0));
        assert_eq!(spread(&[], Metric::WALL), None);
    }
}
