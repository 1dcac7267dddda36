//! `fauxplat compare`: is it really faster?

use std::path::Path;

use fauxplat_analyze::{Baseline, Judge, Judged, baseline_findings, run_findings, summarize_values};
use fauxplat_model::document::Findings;
use fauxplat_model::{Comparison, Definition, Metric, Rule, RunFindings, Runs, Verdict};
use fauxplat_plan::{Layout, Plan, expand};
use fauxplat_report::read_baseline;
use fauxplat_sys::clock;

use crate::args::{CompareArgs, Gate};
use crate::contest::Contest;
use crate::define;
use crate::duet;
use crate::failure::Failure;
use crate::foundry::Foundry;
use crate::layouts;
use crate::session::{Session, median_of};
use crate::steering::Rounds;

/// Compares commands with the first of them, or one command with stored results.
pub(crate) fn compare(args: &CompareArgs, invocation: &[String]) -> Result<(), Failure> {
    let mut definition = definition(args)?;
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    let searched = match &args.link_seeds {
        Some(seeds) => layouts::choose(&mut definition, seeds, args)?,
        None => None,
    };
    check_count(expand(&definition).map_err(Failure::usage)?.len(), args.baseline.is_some())?;
    let mut foundry = Foundry::open(&definition, seed)?;
    let programs = foundry.as_ref().map(Foundry::programs).unwrap_or_default();
    let mut session = Session::begin_built("compare", definition, &args.output, invocation, &programs)?;
    session.header.warnings.extend(searched);
    let judged = match &args.baseline {
        None => against_each_other(&mut session, foundry.as_mut()),
        Some(baseline) => against_baseline(&mut session, baseline),
    };
    let judged = judged.map(|judged| with_variants(judged, foundry));
    let mut judged = match judged {
        Ok(judged) => judged,
        Err(failure) if session.samples().is_empty() => return forget(session, failure),
        Err(failure) => return give_up(session, failure),
    };
    judged.findings.floor_ns = session.floor_ns;
    judged.findings.elapsed_s = session.elapsed_s();
    session.add_rates(&mut judged.findings.commands);
    session.header.warnings.append(&mut judged.warnings);
    // Behind the comparisons with the first command may stand that of the winner with the runner-up.
    let with_first = session.commands.len().saturating_sub(1).max(1);
    let with_first = &judged.findings.comparisons[..with_first.min(judged.findings.comparisons.len())];
    let gate = gate(&args.fail_if, with_first);
    session.finish(&Findings::Compare(judged.findings), None)?;
    gate
}

/// What the command line asks for.
fn definition(args: &CompareArgs) -> Result<Definition, Failure> {
    let mut definition = define::definition(&layouts::commands(args), &args.condition)?;
    define::apply_rule(&mut definition.rule, &args.rule);
    definition.rule.duet |= args.duet;
    define::apply_build(&mut definition, &args.build);
    layouts::apply_builds(&mut definition, args)?;
    Ok(definition)
}

/// Adds which layouts were measured.
fn with_variants(mut judged: Judged, foundry: Option<Foundry>) -> Judged {
    if let Some(foundry) = foundry {
        let (variants, mut warnings) = foundry.close();
        judged.findings.variants = variants;
        judged.warnings.append(&mut warnings);
    }
    judged
}

/// Commands enough to be compared. This is seen before anything is run.
fn check_count(commands: usize, has_baseline: bool) -> Result<(), Failure> {
    match (commands, has_baseline) {
        (0..=1, false) => Err(Failure::usage("compare needs two commands, or one and --baseline")),
        (2.., true) => Err(Failure::usage("--baseline compares exactly one command with stored results")),
        _ => Ok(()),
    }
}

/// A mistake that shows before the first run leaves nothing behind: an empty experiment would be the `last` one.
fn forget(mut session: Session<'_>, failure: Failure) -> Result<(), Failure> {
    session.progress.end();
    drop(session.recorder.experiment.take());
    if let (Some(store), Some(id)) = (&session.store, session.header.id) {
        store.remove(id)?;
    }
    Err(failure)
}

/// Reports what was measured before a failure ended the comparison.
fn give_up(session: Session<'_>, failure: Failure) -> Result<(), Failure> {
    let ignore_failure = session.header.condition.ignore_failure;
    let findings = run_findings(session.samples(), session.commands.len(), ignore_failure);
    session.finish(&Findings::Run(findings), Some(&failure))?;
    Err(failure)
}

fn against_each_other(session: &mut Session<'_>, foundry: Option<&mut Foundry>) -> Result<Judged, Failure> {
    let names = session.names();
    let rule = session.header.definition.rule.clone();
    session.warm_up(session.header.definition.warmup.max(1))?;
    session.check_rates()?;
    let judge = Judge::new(&rule, names.len(), session.header.seed)
        .between_sessions(between_sessions(session, rule.metric)?)
        .single_task(session.single_task)
        .ignore_failure(session.header.condition.ignore_failure);
    let duet = rule.duet.then(|| duet::begin(session)).transpose()?;
    let mut plan = plan(session, session.header.seed);
    let foundry = foundry.filter(|foundry| foundry.redraws());
    if let Some(foundry) = &foundry {
        plan.layout = layouts::per_layout(plan.layout, foundry.build_ns(), pair_ns(session), rule.max_pairs);
    }
    let mut contest =
        Contest::new(&mut session.recorder, &session.commands, &session.progress, plan, judge, &rule)
            .built_by(foundry);
    let stopped = session.executor.execute(&mut contest)?;
    let mut judged = contest.judged(stopped, &names);
    session.interrupted |= stopped == fauxplat_run::Stopped::Interrupted;
    judged.findings.duet_cpus = session.duet;
    judged.warnings.extend(duet.and_then(|alone| duet::contention(&alone, session)));
    Ok(judged)
}

/// A run shorter than this is over before the machine changes, so a block holds it twice, mirrored.
const SHORT_NS: f64 = 2e6;

/// The plan of a comparison, after the commands were warmed up.
pub(crate) fn plan(session: &Session<'_>, seed: u64) -> Plan {
    let commands = session.commands.len() as u16;
    let longest = (0..commands)
        .filter_map(|command| median_of(session.samples(), command, Metric::WALL))
        .fold(0.0, f64::max);
    Plan {
        commands,
        placement: session.header.condition.cpu.clone(),
        env_pad: session.header.condition.env_pad,
        heap: session.header.condition.heap,
        layout: match session.duet {
            Some(cpus) => Layout::Duet(cpus),
            None if longest < SHORT_NS => Layout::Mirrored,
            None => Layout::Single,
        },
        seed,
    }
}

/// How long one run of every command takes, from the warm-up.
fn pair_ns(session: &Session<'_>) -> f64 {
    let commands = 0..session.commands.len() as u16;
    commands.filter_map(|command| median_of(session.samples(), command, Metric::WALL)).sum()
}

/// Variance between earlier A/A sessions on this machine, where there are enough of them.
fn between_sessions(session: &Session<'_>, metric: Metric) -> Result<Option<f64>, Failure> {
    let Some(store) = &session.store else { return Ok(None) };
    let earlier = store.sessions(&session.header.machine, metric)?;
    let effects: Vec<(f64, f64)> = earlier.iter().map(|one| (one.log_effect, one.standard_error)).collect();
    Ok(fauxplat_stats::components::between_sessions(&effects))
}

/// Readings from another time.
struct Earlier {
    name: String,
    values: Vec<f64>,
    findings: RunFindings,
}

fn against_baseline(session: &mut Session<'_>, baseline: &str) -> Result<Judged, Failure> {
    let rule = session.header.definition.rule.clone();
    let earlier = earlier(session, baseline, &rule)?;
    session.warm_up(session.header.definition.warmup.max(1))?;
    session.check_rates()?;
    let plan = Plan { layout: Layout::Single, ..plan(session, session.header.seed) };
    let runs = session.header.definition.runs;
    let runs = if runs == Runs::Auto { Runs::Count(rule.max_pairs) } else { runs };
    let mut rounds = Rounds::new(&mut session.recorder, &session.commands, plan, runs, &session.progress);
    let stopped = session.executor.execute(&mut rounds)?;
    session.interrupted |= stopped == fauxplat_run::Stopped::Interrupted;
    let old = Baseline { name: &earlier.name, values: &earlier.values, findings: &earlier.findings };
    let (ignore, tau2) = (session.header.condition.ignore_failure, between_sessions(session, rule.metric)?);
    let name = session.commands[0].name.clone();
    let mut judged =
        baseline_findings(&rule, old, session.samples(), &name, ignore, tau2, session.header.seed);
    if earlier.values.len() < session.samples().len() / 4 {
        judged.warnings.push(format!("the baseline has only {} runs", earlier.values.len()));
    }
    Ok(judged)
}

/// Finds the baseline: an experiment of the store by its id, or a file.
fn earlier(session: &Session<'_>, baseline: &str, rule: &Rule) -> Result<Earlier, Failure> {
    let by_id = baseline == "last" || baseline.bytes().all(|byte| byte.is_ascii_digit());
    match by_id && !Path::new(baseline).exists() {
        true => from_store(session, baseline, rule.metric),
        false => from_file(session, baseline, rule.metric),
    }
}

fn from_store(session: &Session<'_>, baseline: &str, metric: Metric) -> Result<Earlier, Failure> {
    let store = session.store.as_ref();
    let store =
        store.ok_or_else(|| Failure::usage("--baseline with an id needs a store, and --store is none"))?;
    // The experiment that this very command began is the last one by now.
    let id = match baseline {
        "last" => last_before(session, store)?,
        id => store.resolve(id)?,
    };
    let stored = store.load(id)?;
    let names: Vec<String> = stored.commands.iter().map(|command| command.name.clone()).collect();
    let index = pick(&names, &session.commands[0].name, baseline)?;
    let ignore = stored.header.condition.ignore_failure;
    let findings = run_findings(&stored.samples, names.len(), ignore).swap_remove(index);
    let ours = stored.samples.iter().filter(|sample| {
        usize::from(sample.command) == index
            && sample.phase == fauxplat_model::Phase::Measured
            && (ignore || sample.outcome.is_success())
    });
    let values: Vec<f64> = ours.filter_map(|sample| sample.get(metric)).map(|value| value as f64).collect();
    enough(Earlier { name: format!("{} (experiment {id})", names[index]), values, findings }, metric)
}

fn last_before(session: &Session<'_>, store: &fauxplat_store::Store) -> Result<i64, Failure> {
    let rows = store.list(&fauxplat_store::Filter::default())?;
    let earlier = rows.iter().map(|row| row.id).filter(|&id| Some(id) != session.header.id).max();
    earlier.ok_or_else(|| Failure::usage("--baseline last: the store holds no earlier experiment"))
}

fn from_file(session: &Session<'_>, path: &str, metric: Metric) -> Result<Earlier, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("--baseline {path}: {error}")))?;
    let series = read_baseline(&text).map_err(|error| Failure::usage(format!("{path}: {error}")))?;
    let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
    let chosen = &series[pick(&names, &session.commands[0].name, path)?];
    let summaries =
        chosen.values.iter().filter_map(|(metric, values)| summarize_values(values, *metric)).collect();
    let findings =
        RunFindings { summaries, failures: 0, runs_with_left_behind: 0, tree: Vec::new(), rates: Vec::new() };
    let values = chosen.get(metric).unwrap_or_default().to_vec();
    enough(Earlier { name: format!("{} ({path})", chosen.name), values, findings }, metric)
}

/// The command of the baseline that is meant: the only one, or the one of the same name.
fn pick(names: &[String], name: &str, baseline: &str) -> Result<usize, Failure> {
    let same = names.iter().position(|other| other == name);
    let only = || (names.len() == 1).then_some(0);
    same.or_else(only).ok_or_else(|| {
        Failure::usage(format!(
            "--baseline {baseline} has several commands and none is called `{name}`; choose with --names: {}",
            names.join(" | ")
        ))
    })
}

fn enough(earlier: Earlier, metric: Metric) -> Result<Earlier, Failure> {
    match earlier.values.len() {
        few @ 0..=5 => Err(Failure::usage(format!(
            "the baseline {} has {few} readings of {}; at least 6 are needed",
            earlier.name,
            metric.title()
        ))),
        _ => Ok(earlier),
    }
}

/// The gate that the user asked for.
fn gate(gates: &[Gate], comparisons: &[Comparison]) -> Result<(), Failure> {
    for comparison in comparisons {
        let different = comparison.verdict == Verdict::Different;
        let fails = |gate: &&Gate| match gate {
            Gate::Slower => different && !comparison.b_is_better(),
            Gate::Faster => different && comparison.b_is_better(),
            Gate::Different => different,
            Gate::Inconclusive => comparison.verdict == Verdict::Inconclusive,
        };
        if let Some(gate) = gates.iter().find(fails) {
            let word = format!("{gate:?}").to_lowercase();
            return Err(Failure::gate(format!(
                "--fail-if {word}: {} against {}",
                comparison.b, comparison.a
            )));
        }
    }
    Ok(())
}
