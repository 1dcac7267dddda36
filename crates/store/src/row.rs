//! Converts a sample to a row of integers of the table `sample`, and back.

use std::sync::Arc;

use fauxplat_model::{Bounds, Metric, MetricSet, Outcome, Phase, Reading, Readings, Sample, Sources};
use rusqlite::{Row, Statement};

/// Number of columns of the table `sample` before the readings, apart from the experiment and the sequence number.
const FACTS: usize = 12;

/// Binds the parameters of `sql::INSERT_SAMPLE` to the values of a sample.
pub(crate) fn bind(
    statement: &mut Statement<'_>,
    experiment: i64,
    sequence: i64,
    sample: &Sample,
) -> rusqlite::Result<()> {
    let (exit_status, signal) = ended(sample.outcome);
    let facts: [Option<i64>; FACTS + 2] = [
        Some(experiment),
        Some(sequence),
        Some(sample.trial.into()),
        Some(sample.block.into()),
        Some(sample.command.into()),
        Some(sample.position.into()),
        Some((sample.phase == Phase::Measured).into()),
        exit_status,
        signal,
        known_cpu(sample.cpu_first),
        known_cpu(sample.cpu_last),
        Some(sample.left_behind.into()),
        Some(sample.env_pad_bytes.into()),
        Some(signed(sample.started_ns)),
    ];
    let readings = Metric::BUILT_IN.iter().map(|&metric| sample.told(metric).map(|told| signed(told.number)));
    let bounds = Some(sample.readings.bounds().bits().into());
    for (index, value) in facts.into_iter().chain(readings).chain([bounds]).enumerate() {
        statement.raw_bind_parameter(index + 1, value)?;
    }
    Ok(())
}

/// Parses a row of `sql::SAMPLES` as a sample with these metrics; readings without a column are added later. A row of
/// an earlier version does not say which readings are bounds; this is derived from `sources`.
pub(crate) fn read(row: &Row<'_>, metrics: &Arc<MetricSet>, sources: &Sources) -> rusqlite::Result<Sample> {
    let reading = |index: usize| -> rusqlite::Result<Reading> {
        Ok(row.get::<_, Option<i64>>(FACTS + index)?.map(i64::cast_unsigned).into())
    };
    let readings = (0..Metric::BUILT_IN.len()).map(reading).collect::<rusqlite::Result<Vec<_>>>()?;
    let mut readings = Readings::new(Arc::clone(metrics), readings);
    match row.get::<_, Option<u32>>(FACTS + Metric::BUILT_IN.len())? {
        Some(bits) => readings.set_bounds(Bounds::from_bits(bits)),
        None => sources.mark(&mut readings),
    }
    Ok(Sample {
        trial: row.get(0)?,
        block: row.get(1)?,
        command: row.get(2)?,
        position: row.get(3)?,
        phase: if row.get(4)? { Phase::Measured } else { Phase::Warmup },
        outcome: outcome(row.get(5)?, row.get(6)?),
        cpu_first: row.get::<_, Option<u16>>(7)?.unwrap_or(u16::MAX),
        cpu_last: row.get::<_, Option<u16>>(8)?.unwrap_or(u16::MAX),
        left_behind: row.get(9)?,
        env_pad_bytes: row.get(10)?,
        started_ns: row.get::<_, i64>(11)?.cast_unsigned(),
        readings,
    })
}

/// Returns the exit status or the signal for the two columns of an outcome; a run that was ended at its time limit has
/// neither.
fn ended(outcome: Outcome) -> (Option<i64>, Option<i64>) {
    match outcome {
        Outcome::Exited(status) => (Some(status.into()), None),
        Outcome::Signaled(signal) => (None, Some(signal.into())),
        Outcome::TimedOut => (None, None),
    }
}

fn outcome(exit_status: Option<u8>, signal: Option<u8>) -> Outcome {
    match (exit_status, signal) {
        (Some(status), _) => Outcome::Exited(status),
        (None, Some(signal)) => Outcome::Signaled(signal),
        (None, None) => Outcome::TimedOut,
    }
}

fn known_cpu(cpu: u16) -> Option<i64> {
    (cpu != u16::MAX).then_some(cpu.into())
}

/// Converts a reading to a signed SQL integer. No real reading reaches 2^63: that many nanoseconds are 292 years.
pub(crate) fn signed(value: u64) -> i64 {
    value.min(i64::MAX.cast_unsigned()).cast_signed()
}
