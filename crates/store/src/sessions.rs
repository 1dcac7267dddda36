//! Earlier A/A sessions: by how much the same program differed from itself, session by session.

use std::collections::BTreeMap;

use fauxplat_model::document::Findings;
use fauxplat_model::{MachineFacts, Metric, Phase, Sample};

use crate::error::at;
use crate::machine::MachineKey;
use crate::{State, Store, StoreError, findings, sql};

/// What one finished A/A session says about the difference between identical programs.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEffect {
    /// The experiment.
    pub id: i64,
    /// When it began, in RFC 3339 form, UTC.
    pub started: String,
    /// Natural logarithm of B over A of each block in which both commands ran well, in the order of the blocks:
    /// for those who estimate with less respect for outliers.
    pub log_ratios: Vec<f64>,
    /// Mean of them.
    pub log_effect: f64,
    /// Standard error of it, from the spread between the blocks.
    pub standard_error: f64,
}

impl Store {
    /// Effects of the finished `aa` experiments of this machine, oldest first: what the variance between sessions
    /// (tau²) is estimated from. The machine is the same across boots and affinities, not across kernels.
    ///
    /// A pair is the first two commands of one block, each by the mean logarithm of its measured, successful runs;
    /// sessions with fewer than two pairs, or none above zero, are left out, and so are calibrations that held
    /// anything but undisturbed identical programs (`aa --strata plain`).
    ///
    /// # Errors
    /// Those of reading.
    pub fn sessions(&self, machine: &MachineFacts, metric: Metric) -> Result<Vec<SessionEffect>, StoreError> {
        let mut effects = Vec::new();
        for (id, started) in self.finished_on(machine)? {
            let mut blocks = Blocks::default();
            self.samples(id, |sample| blocks.add(&sample, metric))?;
            effects.extend(blocks.effect(id, started));
        }
        Ok(effects)
    }

    fn finished_on(&self, machine: &MachineFacts) -> Result<Vec<(i64, String)>, StoreError> {
        let identity = MachineKey::of(machine)?.identity;
        let failed = at(&self.path);
        let mut statement = self.connection.prepare_cached(sql::FINISHED_ON).map_err(&failed)?;
        let mut rows = statement.query(["aa", State::Finished.name(), &identity]).map_err(&failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let findings: Option<String> = row.get(2).map_err(&failed)?;
            if findings.is_none_or(|text| is_plain(&text)) {
                found.push((row.get(0).map_err(&failed)?, row.get(1).map_err(&failed)?));
            }
        }
        Ok(found)
    }
}

/// Whether a calibration compared identical programs undisturbed and did nothing else: blocks of copies that do more
/// work, or that a burner disturbed, say nothing about the variance between sessions.
fn is_plain(findings: &str) -> bool {
    findings::decode("fauxplat.aa/1", findings).is_some_and(|findings| match findings {
        Findings::Aa(aa) => aa.power.is_empty() && aa.strata.iter().all(|stratum| stratum.name == "plain"),
        _ => false,
    })
}

/// Per block and command: how many runs, and the sum of their logarithms.
#[derive(Default)]
struct Blocks(BTreeMap<u32, [(u32, f64); 2]>);

impl Blocks {
    fn add(&mut self, sample: &Sample, metric: Metric) {
        let value = sample.get(metric).filter(|&value| value > 0);
        let counts = sample.phase == Phase::Measured && sample.outcome.is_success() && sample.command < 2;
        if let (true, Some(value)) = (counts, value) {
            let (runs, sum) = &mut self.0.entry(sample.block).or_default()[usize::from(sample.command)];
            *runs += 1;
            *sum += (value as f64).ln();
        }
    }

    fn effect(&self, id: i64, started: String) -> Option<SessionEffect> {
        let ratio = |[a, b]: &[(u32, f64); 2]| {
            (a.0 > 0 && b.0 > 0).then(|| b.1 / f64::from(b.0) - a.1 / f64::from(a.0))
        };
        let ratios: Vec<f64> = self.0.values().filter_map(ratio).collect();
        let n = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / n;
        let squares: f64 = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
        let standard_error = (squares / (n - 1.0) / n).sqrt();
        let enough = ratios.len() >= 2;
        enough.then_some(SessionEffect { id, started, log_effect: mean, standard_error, log_ratios: ratios })
    }
}
