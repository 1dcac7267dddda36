//! The experiment of `explain`: varies many factors at once, and attributes the variation of the time to them.

use fauxplat_analyze::{ExplainFactor, ExplainJudged, ExplainPlaces, explain_findings};
use fauxplat_model::{CommandLine, Definition, EnvPad, ExplainFindings, Placement, Sample, Variant};
use fauxplat_plan::{Coordinates, Crossed};
use fauxplat_units::Cpu;

use super::layouts;
use crate::steer::ExplainSteering;
use crate::{Driver, Failure};

/// Maximum number of CPUs that become levels of the factor `cpu`; of more CPUs an evenly spaced selection is used.
const CPUS_MAX: usize = 16;

/// Factors whose part in the variation of the time is to be found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Varied {
    /// Whether the position of the stack within a page varies between runs.
    pub env_size: bool,
    /// Whether the position of the heap varies between runs.
    pub heap: bool,
    /// Whether the CPU of a run varies between runs.
    pub cpu: bool,
    pub fixes: Fixed,
}

/// Factors that the command line fixes, and so cannot vary.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed {
    /// Padding of the environment; `None` if the command line does not state it.
    pub env_pad: Option<EnvPad>,
    /// Whether the command line states the position of the heap.
    pub heap: bool,
}

/// Varies factors that are usually ignored, all at once, and attributes the variation of the time to them.
///
/// # Errors
/// Fails with an error of the runs.
pub fn explain(driver: &mut Driver, varied: &Varied) -> Result<ExplainFindings, Failure> {
    let variants = driver.surroundings.programs().map_or_else(Vec::new, |builds| builds.variants().to_vec());
    let plan = plan(driver, varied);
    let judged = run(driver, &plan, &variants)?;
    judged.warnings.into_iter().for_each(|warning| driver.warn(warning));
    let mut findings = judged.findings;
    findings.floor_ns = driver.floor_ns;
    findings.elapsed_s = driver.elapsed_s();
    findings.variants = variants;
    close(driver);
    Ok(findings)
}

/// Turns the one command of a definition into `count` commands, each with a different layout of the built program.
///
/// # Errors
/// Fails if several commands are built.
pub fn lay_out(definition: &mut Definition, count: u64) -> Result<(), Failure> {
    let draws = |line: &CommandLine| line.build.is_some() && line.link_seed.is_none();
    match definition.commands.as_slice() {
        [line] if draws(line) => {
            definition.commands = layouts::of_line(line, &(1..=count).collect::<Vec<u64>>());
            Ok(())
        }
        lines if lines.iter().any(draws) => Err(Failure::usage(
            "with --build or --link, explain takes only one command: the layouts of its program are the levels of the factor `layout`",
        )),
        _ => Ok(()),
    }
}

/// Ends the use of the built programs, and notes the factor `layout` as not measured if all layouts gave the same
/// program.
fn close(driver: &mut Driver) {
    let (variants, warnings) = driver.surroundings.close_programs();
    warnings.into_iter().for_each(|warning| driver.warn(warning));
    if programs(&variants).len() == 1 {
        driver.header.not_measured.push(
            "layout: the build gave the same program for every link seed, so nothing was varied (use {link_flags}, \
             {compile_flags}, {objects} or {seed} in it)"
                .to_owned(),
        );
    }
}

/// Hashes of the different programs among the layouts.
fn programs(variants: &[Variant]) -> Vec<&str> {
    let mut hashes: Vec<&str> = Vec::new();
    for variant in variants {
        if !hashes.contains(&variant.sha256.as_str()) {
            hashes.push(&variant.sha256);
        }
    }
    hashes
}

/// Plan that varies the requested factors; factors that cannot be varied here are noted as not measured.
fn plan(driver: &mut Driver, varied: &Varied) -> Crossed {
    let mut missing = Vec::new();
    let is_placed = driver.header.condition.aslr == fauxplat_model::Aslr::Off;
    let stack = varied.env_size && is_placed && varied.fixes.env_pad.is_none();
    let heap = varied.heap && is_placed && !varied.fixes.heap;
    let reason = |stated: bool| match stated {
        true => "an option of the command line fixes it",
        false => "ASLR draws it anew in each run: do not give `--aslr on`",
    };
    if varied.env_size && !stack {
        missing.push(format!("env-size: {}", reason(varied.fixes.env_pad.is_some())));
    }
    if varied.heap && !heap {
        missing.push(format!("heap: {}", reason(varied.fixes.heap)));
    }
    let cpus = if varied.cpu { cpus(driver, &mut missing) } else { None };
    driver.header.not_measured.append(&mut missing);
    // A property that varies is not part of the fixed condition, since the factors describe it.
    driver.header.condition.env_pad = varied.fixes.env_pad.unwrap_or(EnvPad::None);
    Crossed { commands: driver.commands.len() as u16, cpus, stack, heap, seed: driver.header.seed }
}

/// CPUs to which runs are pinned in turn; `None`, with the reason in `missing`, if there are fewer than two.
fn cpus(driver: &mut Driver, missing: &mut Vec<String>) -> Option<Vec<Cpu>> {
    let condition = &mut driver.header.condition;
    let (Placement::Set(set) | Placement::OneOf(set) | Placement::IdleOf(set)) = condition.cpu.clone() else {
        let reason = "cpu: runs are not bound to one CPU, which would slow down commands of several threads or \
                      processes; name two or more CPUs with --cpu";
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
        missing.push(format!("cpu: runs were placed on {kept} of {} CPUs only", all.len()));
    }
    condition.cpu = Placement::Set(chosen.iter().copied().collect());
    Some(chosen)
}

fn run(driver: &mut Driver, plan: &Crossed, variants: &[Variant]) -> Result<ExplainJudged, Failure> {
    driver.warm_up(driver.header.definition.warmup.max(1))?;
    driver.check_values()?;
    let rule = driver.header.definition.rule.clone();
    driver.plan(plan)?;
    driver.steer(&mut ExplainSteering::new(plan, &rule))?;
    driver.check_values()?;
    let mut factors = factors(plan, driver.samples());
    factors.extend(commands(plan, &driver.names(), variants, driver.samples()));
    let ignore_failure = driver.header.condition.ignore_failure.any();
    Ok(explain_findings(&rule, &factors, driver.samples(), ignore_failure, driver.header.seed))
}

/// Coordinates (the level of each factor) of all trials by block, which the plan derives again from the seed.
fn coordinates(plan: &Crossed, samples: &[Sample]) -> Vec<Vec<Coordinates>> {
    let blocks = samples.iter().map(|sample| sample.block + 1).max().unwrap_or(0);
    (0..blocks).map(|block| plan.coordinates(block)).collect()
}

/// Factors of the runs' condition (stack, heap, CPU), with the level of each in every trial.
fn factors(plan: &Crossed, samples: &[Sample]) -> Vec<ExplainFactor> {
    let coordinates = coordinates(plan, samples);
    let at = |pick: fn(&Coordinates) -> u16| -> Vec<Vec<u16>> {
        coordinates.iter().map(|block| block.iter().map(pick).collect()).collect()
    };
    let factor = |name: &str, levels: Vec<String>, is_sample, pick: fn(&Coordinates) -> u16| ExplainFactor {
        name: name.to_owned(),
        levels,
        is_sample,
        at: at(pick),
        places: None,
    };
    let sixteenths =
        || Crossed::displacements().iter().map(|(low, high)| format!("{low} to {high} bytes")).collect();
    let places = |pick: fn(&Coordinates) -> u16| {
        let names = Crossed::places().iter().map(|place| format!("{place} bytes")).collect();
        Some(ExplainPlaces { names, at: at(pick) })
    };
    let mut factors = Vec::new();
    if plan.stack {
        let stack = factor("env-size", sixteenths(), true, |at| at.stack);
        factors.push(ExplainFactor { places: places(Coordinates::stack_slot), ..stack });
    }
    if plan.heap {
        let heap = factor("heap", sixteenths(), true, |at| at.heap);
        factors.push(ExplainFactor { places: places(Coordinates::heap_slot), ..heap });
    }
    if let Some(cpus) = &plan.cpus {
        let names = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
        factors.push(factor("cpu", names, false, |at| at.cpu));
    }
    factors
}

/// The commands as a factor, named `layout` when they are layouts of one program. Layouts with equal programs are one
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
        places: None,
    })
}
