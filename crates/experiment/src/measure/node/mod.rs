//! The experiment on one machine (node) of a fleet: the runs of `run`, with facts about the machine, as one record.

mod answers;
mod quiet;

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_model::document::Findings;
use fauxplat_model::{
    IgnoredFailures, Metric, NodeBlock, NodeFailure, NodeOrder, NodePlan, NodeRecord, Origin, Phase, Sample,
    metrics_of,
};
use fauxplat_sys::clock;

use super::run;
use crate::{Beginning, Driver, Failure, Launch, Listeners, Machine};
use quiet::Quiet;

/// Makes the measurement that the order of a fleet asks of this node. A failure becomes part of the record, so that the
/// fleet learns why the node has no figure.
pub fn record(order: &NodeOrder, launch: Launch, invocation: &[String]) -> NodeRecord {
    let mut record = NodeRecord {
        schema: NodeRecord::SCHEMA.to_owned(),
        fleet: order.fleet.clone(),
        node: order.node.clone().unwrap_or_default(),
        plan: order.plan.clone(),
        round: order.round,
        attempt: order.attempt.max(1),
        fauxplat_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_utc_ns: clock::realtime_ns() as i64,
        ..NodeRecord::default()
    };
    let root = Path::new("/");
    let machine = Machine::here();
    record.architecture.clone_from(&machine.facts().architecture);
    record.boot_id.clone_from(&machine.facts().boot_id);
    let before = Quiet::read(root);
    let done = refuse(order).and_then(|()| measure(order, machine, launch, invocation, &mut record));
    if let Err(failure) = done {
        record.failures.push(NodeFailure { command: None, runs: 0, reason: failure.to_string() });
    }
    let spread = quiet::spread(&record.blocks, order.definition.rule.metric);
    Quiet::read(root).since(&before, spread, &mut record.noise);
    // Facts are read after the measurement, when the processor is still in the state in which it was measured.
    record.facts = fauxplat_topology::identity(root);
    record.ended_utc_ns = clock::realtime_ns() as i64;
    record
}

/// Refuses an order of another version of fauxplat, which would measure differently, so that the figures of the nodes
/// could not be compared.
fn refuse(order: &NodeOrder) -> Result<(), Failure> {
    let (theirs, ours) = (order.fauxplat_version.as_str(), env!("CARGO_PKG_VERSION"));
    match (order.schema == NodeOrder::SCHEMA, theirs == ours) {
        (true, true) => Ok(()),
        (false, _) => Err(Failure::usage(format!(
            "the order is a {:?}, and fauxplat {ours} reads {}",
            order.schema,
            NodeOrder::SCHEMA
        ))),
        (true, false) => Err(Failure::usage(format!(
            "the order comes from fauxplat {theirs}, and this is {ours}: leave --program-there out, so that \
             the program is shipped"
        ))),
    }
}

fn measure(
    order: &NodeOrder,
    machine: Machine,
    launch: Launch,
    invocation: &[String],
    record: &mut NodeRecord,
) -> Result<(), Failure> {
    let mut definition = order.definition.clone();
    definition.make_known().map_err(Failure::usage)?;
    definition.seed = Some(seed(&order.plan, order.node.as_deref(), record.round, record.attempt));
    let beginning = Beginning {
        kind: "run",
        definition,
        machine,
        origin: Origin::default(),
        store: None,
        invocation,
        programs: None,
        listeners: Listeners::default(),
        launch,
    };
    let mut driver = Driver::of_commands(beginning)?;
    let mut failed = run::rounds(&mut driver).err();
    let ignored = &driver.header.condition.ignore_failure;
    record.blocks = blocks(driver.samples(), driver.commands.len(), ignored);
    if failed.is_none() && order.answers && !driver.is_interrupted() {
        failed = answers::answers(&mut driver, record).err();
    }
    if driver.is_interrupted() {
        failed.get_or_insert(Failure::machine("fauxplat was asked to end before all runs were made"));
    }
    let findings = driver.run_findings();
    let finished = driver.finish(findings, failed);
    record.noise.warnings.clone_from(&finished.record().header.warnings);
    debug_assert!(matches!(finished.record().findings, Findings::Run(_)));
    finished.failed.map_or(Ok(()), Err)
}

/// Seed of one node and measurement, derived from the seed of the plan by FNV-1a over the identifying values. The order
/// of the commands thus differs between nodes and measurements, and is reproducible.
fn seed(plan: &NodePlan, node: Option<&str>, round: u32, attempt: u32) -> u64 {
    let words = format!("{} {} {round} {attempt}", plan.seed, node.unwrap_or_default());
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    // Of the hash 53 bits are used, which every JSON reader keeps exactly.
    words.bytes().fold(0xcbf2_9ce4_8422_2325, hash) >> 11
}

/// The measured runs in blocks. With several commands, each round is a block, since commands are compared within it.
/// Runs of one command are cut into blocks of equal length, which separates slow changes from variation between runs.
fn blocks(samples: &[Sample], commands: usize, ignored: &IgnoredFailures) -> Vec<NodeBlock> {
    let measured: Vec<&Sample> = samples.iter().filter(|sample| sample.phase == Phase::Measured).collect();
    let metrics = metrics_of(measured.iter().copied());
    let one = |runs: &[&Sample]| NodeBlock {
        started_ns: runs[0].started_ns,
        commands: runs.iter().map(|run| run.command).collect(),
        values: metrics.iter().map(|&metric| column(runs, metric, ignored)).collect::<BTreeMap<_, _>>(),
    };
    match commands {
        1 => measured.chunks(measured.len().isqrt().max(1)).map(one).collect(),
        _ => measured.chunk_by(|this, next| this.block == next.block).map(one).collect(),
    }
}

/// Name of a metric, and its readings in all runs; `None` for a run that failed, unless its failure is ignored.
fn column(runs: &[&Sample], metric: Metric, ignored: &IgnoredFailures) -> (String, Vec<Option<u64>>) {
    let read = |run: &&Sample| run.get(metric).filter(|_| ignored.lets_pass(run.outcome));
    (metric.name().to_owned(), runs.iter().map(read).collect())
}

#[cfg(test)]
mod tests {
    use fauxplat_model::Outcome;

    use super::*;

    fn sample(block: u32, command: u16, phase: Phase, outcome: Outcome) -> Sample {
        Sample {
            trial: block,
            block,
            command,
            position: command,
            phase,
            outcome,
            started_ns: 1000 + u64::from(block),
            ..Sample::of([(Metric::WALL, 100 + u64::from(block))].into_iter().collect())
        }
    }

    fn walls(block: &NodeBlock) -> &[Option<u64>] {
        &block.values["wall"]
    }

    #[test]
    fn runs_of_one_command_are_cut_into_blocks_and_rounds_of_several_are_blocks() {
        let ended = Outcome::Exited(0);
        let mut samples: Vec<Sample> = (0..10).map(|at| sample(at, 0, Phase::Measured, ended)).collect();
        samples.insert(0, sample(0, 0, Phase::Warmup, ended));
        samples[3].outcome = Outcome::Exited(1);
        let cut = blocks(&samples, 1, &IgnoredFailures::None);
        assert_eq!(cut.iter().map(|block| block.commands.len()).collect::<Vec<_>>(), [3, 3, 3, 1]);
        assert_eq!(walls(&cut[0]), [Some(100), Some(101), None], "a run that failed says nothing");
        for (ignored, reading) in [
            (IgnoredFailures::All, Some(102)),
            (IgnoredFailures::Statuses(vec![1]), Some(102)),
            (IgnoredFailures::Statuses(vec![2]), None),
            (IgnoredFailures::LeftOut, None),
        ] {
            assert_eq!(walls(&blocks(&samples, 1, &ignored)[0])[2], reading, "{ignored:?}");
        }
        assert_eq!(cut[1].started_ns, 1003);
        let two = [(0, 0), (0, 1), (1, 1), (1, 0)];
        let samples: Vec<Sample> =
            two.iter().map(|&(block, command)| sample(block, command, Phase::Measured, ended)).collect();
        let rounds = blocks(&samples, 2, &IgnoredFailures::None);
        assert_eq!((rounds.len(), &rounds[1].commands), (2, &vec![1, 0]));
        assert!(blocks(&[], 1, &IgnoredFailures::None).is_empty());
    }

    #[test]
    fn each_visit_draws_its_own_order_and_tells_it_again() {
        let plan = NodePlan { definition_sha256: String::new(), seed: 7 };
        let of = |node, round, attempt| seed(&plan, Some(node), round, attempt);
        assert_eq!(of("n1", 0, 1), of("n1", 0, 1));
        let others = [of("n2", 0, 1), of("n1", 1, 1), of("n1", 0, 2), seed(&plan, None, 0, 1)];
        assert!(others.iter().all(|&other| other != of("n1", 0, 1) && other < 1 << 53));
    }
}
