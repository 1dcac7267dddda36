//! `fauxplat explain`: how much of the variation comes from which factor?

use fauxplat_analyze::{ExplainFactor, ExplainJudged, explain_findings, run_findings};
use fauxplat_model::document::Findings;
use fauxplat_model::{Aslr, CommandLine, Definition, EnvPad, Placement, Sample, Variant};
use fauxplat_plan::{Coordinates, Crossed};
use fauxplat_run::Stopped;
use fauxplat_sys::clock;
use fauxplat_units::Cpu;

use crate::args::{DesignArgs, ExplainArgs, Varied};
use crate::crossing::Crossing;
use crate::define;
use crate::failure::Failure;
use crate::foundry::Foundry;
use crate::layouts;
use crate::session::Session;

/// Blocks and seconds without other orders.
const BLOCKS_MAX: u32 = 60;
const TIME_MAX_S: f64 = 60.0;

/// More CPUs than this are represented by as many of them.
const CPUS_MAX: usize = 16;

/// Varies what nobody looks at, all at once, and says which of it moves the time.
pub(crate) fn explain(args: &ExplainArgs, invocation: &[String]) -> Result<(), Failure> {
    let given = layouts::or_program(&args.commands, args.build.is_given());
    let mut definition = define::definition(&given, &args.condition)?;
    apply(&mut definition, args);
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    lay_out(&mut definition, args.layouts)?;
    let foundry = Foundry::open(&definition, seed)?;
    let programs = foundry.as_ref().map(Foundry::programs).unwrap_or_default();
    let mut session = Session::begin_built("explain", definition, &args.output, invocation, &programs)?;
    let variants = foundry.as_ref().map_or_else(Vec::new, |foundry| foundry.variants().to_vec());
    let plan = plan(&mut session, args);
    let judged = match run(&mut session, &plan, &variants) {
        Ok(judged) => judged,
        Err(failure) => return give_up(session, failure),
    };
    let mut findings = judged.findings;
    session.header.warnings.extend(judged.warnings);
    findings.floor_ns = session.floor_ns;
    findings.elapsed_s = session.elapsed_s();
    findings.variants = variants;
    if let Some(foundry) = foundry {
        close(foundry, &mut session);
    }
    session.finish(&Findings::Explain(findings), None)
}

/// Makes a command of each layout of a program that is built.
fn lay_out(definition: &mut Definition, count: u64) -> Result<(), Failure> {
    let draws = |line: &CommandLine| line.build.is_some() && line.link_seed.is_none();
    match definition.commands.as_slice() {
        [line] if draws(line) => {
            definition.commands = layouts::of_line(line, &(1..=count).collect::<Vec<u64>>());
            Ok(())
        }
        lines if lines.iter().any(draws) => Err(Failure::usage(
            "explain builds the program of one command: its layouts are the levels of a factor",
        )),
        _ => Ok(()),
    }
}

/// Takes the programs away, and tells the reader whether they differed at all.
fn close(foundry: Foundry, session: &mut Session<'_>) {
    let (variants, warnings) = foundry.close();
    session.header.warnings.extend(warnings);
    if programs(&variants).len() == 1 {
        session.header.not_measured.push(
            "layout: the build gave the same program for every link seed, so nothing was varied (use {link_flags}, \
             {compile_flags}, {objects} or {seed} in it)"
                .to_owned(),
        );
    }
}

/// The different programs among the layouts.
fn programs(variants: &[Variant]) -> Vec<&str> {
    let mut hashes: Vec<&str> = Vec::new();
    for variant in variants {
        if !hashes.contains(&variant.sha256.as_str()) {
            hashes.push(&variant.sha256);
        }
    }
    hashes
}

/// Reports what was measured before a failure ended the explanation.
fn give_up(session: Session<'_>, failure: Failure) -> Result<(), Failure> {
    let ignore_failure = session.header.condition.ignore_failure;
    let findings = run_findings(session.samples(), session.commands.len(), ignore_failure);
    session.finish(&Findings::Run(findings), Some(&failure))?;
    Err(failure)
}

/// The rule, and ASLR off where nothing else was said: with it the kernel draws the places of stack and heap anew in
/// each run, and what is varied here would be lost in what it draws.
fn apply(definition: &mut Definition, args: &ExplainArgs) {
    define::apply_build(definition, &args.build);
    let (rule, design) = (&mut definition.rule, &args.design);
    let is_saved = args.commands.input.is_some();
    rule.metric = design.metric.unwrap_or(rule.metric);
    rule.level = design.level.unwrap_or(rule.level);
    rule.max_pairs = design.blocks.unwrap_or(if is_saved { rule.max_pairs } else { BLOCKS_MAX });
    let limit_s = design.max_time.map(|limit| limit.as_secs_f64()).or(rule.max_time_s);
    rule.max_time_s = limit_s.or((!is_saved).then_some(TIME_MAX_S));
    if definition.condition.aslr == Aslr::Inherit && varies(design, Varied::EnvSize, Varied::Heap) {
        definition.condition.aslr = Aslr::Off;
    }
}

/// Whether either factor is wanted.
fn varies(design: &DesignArgs, one: Varied, other: Varied) -> bool {
    design.factors.is_empty() || design.factors.contains(&one) || design.factors.contains(&other)
}

/// What can be varied here of what is wanted; what cannot is said.
fn plan(session: &mut Session<'_>, args: &ExplainArgs) -> Crossed {
    let wanted = |factor| varies(&args.design, factor, factor);
    let mut missing = Vec::new();
    let is_placed = session.header.condition.aslr == Aslr::Off;
    let stack = wanted(Varied::EnvSize) && is_placed && args.condition.env_pad.is_none();
    let heap = wanted(Varied::Heap) && is_placed && args.condition.heap.is_none();
    let reason = |stated: bool| match stated {
        true => "the command line fixes it",
        false => "ASLR draws it anew in each run: leave --aslr on out",
    };
    if wanted(Varied::EnvSize) && !stack {
        missing.push(format!("env-size: {}", reason(args.condition.env_pad.is_some())));
    }
    if wanted(Varied::Heap) && !heap {
        missing.push(format!("heap: {}", reason(args.condition.heap.is_some())));
    }
    let cpus = if wanted(Varied::Cpu) { cpus(session, &mut missing) } else { None };
    session.header.not_measured.append(&mut missing);
    // What varies from run to run is no condition: the factors say it.
    session.header.condition.env_pad = args.condition.env_pad.unwrap_or(EnvPad::None);
    Crossed { commands: session.commands.len() as u16, cpus, stack, heap, seed: session.header.seed }
}

/// The CPUs that runs are pinned to in turn.
fn cpus(session: &mut Session<'_>, missing: &mut Vec<String>) -> Option<Vec<Cpu>> {
    let condition = &mut session.header.condition;
    let (Placement::Set(set) | Placement::OneOf(set) | Placement::IdleOf(set)) = condition.cpu.clone() else {
        let reason = "cpu: the command has several threads or processes, which one CPU would strangle; name CPUs with --cpu";
        missing.push(reason.to_owned());
        return None;
    };
    let all: Vec<Cpu> = set.iter().collect();
    if all.len() < 2 {
        missing.push(format!("cpu: there is only CPU {set} to choose from"));
        return None;
    }
    let kept = all.len().min(CPUS_MAX);
    let chosen: Vec<Cpu> = (0..kept).map(|at| all[at * all.len() / kept]).collect();
    if kept < all.len() {
        missing.push(format!("cpu: {kept} of {} CPUs stand for all", all.len()));
    }
    condition.cpu = Placement::Set(chosen.iter().copied().collect());
    Some(chosen)
}

fn run(session: &mut Session<'_>, plan: &Crossed, variants: &[Variant]) -> Result<ExplainJudged, Failure> {
    session.warm_up(session.header.definition.warmup.max(1))?;
    let rule = session.header.definition.rule.clone();
    let mut crossing =
        Crossing::new(&mut session.recorder, &session.commands, &session.progress, plan, &rule);
    let stopped = session.executor.execute(&mut crossing)?;
    session.interrupted |= stopped == Stopped::Interrupted;
    let mut factors = factors(plan, session.samples());
    factors.extend(commands(plan, &session.names(), variants, session.samples()));
    let ignore_failure = session.header.condition.ignore_failure;
    Ok(explain_findings(&rule, &factors, session.samples(), ignore_failure, session.header.seed))
}

/// The coordinates of all trials: the plan tells them again from the seed.
fn coordinates(plan: &Crossed, samples: &[Sample]) -> Vec<Vec<Coordinates>> {
    let blocks = samples.iter().map(|sample| sample.block + 1).max().unwrap_or(0);
    (0..blocks).map(|block| plan.coordinates(block)).collect()
}

/// What the condition varies, with the level of each in every trial.
fn factors(plan: &Crossed, samples: &[Sample]) -> Vec<ExplainFactor> {
    let coordinates = coordinates(plan, samples);
    let factor = |name: &str, levels: Vec<String>, is_sample, pick: fn(&Coordinates) -> u16| ExplainFactor {
        name: name.to_owned(),
        levels,
        is_sample,
        at: coordinates.iter().map(|block| block.iter().map(pick).collect()).collect(),
    };
    let bytes = |offsets: Vec<u16>| offsets.iter().map(|offset| format!("{offset} bytes")).collect();
    let mut factors = Vec::new();
    if plan.stack {
        factors.push(factor("env-size", bytes(plan.stack_offsets()), true, |at| at.stack));
    }
    if plan.heap {
        factors.push(factor("heap", bytes(plan.heap_offsets()), true, |at| at.heap));
    }
    if let Some(cpus) = &plan.cpus {
        let names = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
        factors.push(factor("cpu", names, false, |at| at.cpu));
    }
    factors
}

/// The commands as a factor: `layout` when they are layouts of one program, of which those that came out equal are one
/// level.
fn commands(
    plan: &Crossed,
    names: &[String],
    variants: &[Variant],
    samples: &[Sample],
) -> Option<ExplainFactor> {
    let programs = programs(variants);
    let program = |command: usize| {
        let variant = variants.iter().find(|variant| usize::from(variant.command) == command)?;
        programs.iter().position(|&hash| hash == variant.sha256)
    };
    let level_of: Vec<usize> = (0..names.len()).map(|command| program(command).unwrap_or(command)).collect();
    let count = level_of.iter().max()? + 1;
    let first = |level: usize| level_of.iter().position(|&of| of == level);
    let levels = (0..count).filter_map(first).map(|command| names[command].clone()).collect();
    let level = |at: &Coordinates| level_of[usize::from(at.command)] as u16;
    (count > 1).then(|| ExplainFactor {
        name: if variants.is_empty() { "command" } else { "layout" }.to_owned(),
        levels,
        is_sample: !variants.is_empty(),
        at: coordinates(plan, samples).iter().map(|block| block.iter().map(level).collect()).collect(),
    })
}
