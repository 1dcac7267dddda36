//! `fauxplat explain`: how much of the variation comes from which factor?

use fauxplat_experiment::measure::explain::{self, Fixed};
use fauxplat_experiment::surroundings::ProgramBuilds;
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::document::Findings;
use fauxplat_model::{Aslr, Definition, Metric, Rule};
use fauxplat_sys::clock;

use crate::begin::{beginning, finish};
use fauxplat_options::define;
use fauxplat_options::{DesignArgs, ExplainArgs, Varied};

/// Default limits of an explanation: number of blocks, and time in seconds.
const BLOCKS_MAX: u32 = 64;
const TIME_MAX_S: f64 = 60.0;
/// Default number of layouts of a program that is built.
const LAYOUTS: u64 = 8;

pub(crate) fn explain(args: &ExplainArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let given = define::or_program(&args.commands, args.build.is_given());
    let mut definition = define::definition(&given, &args.condition, &machine)?;
    apply(&mut definition, args);
    define::needs_build(&definition)?;
    if args.layouts.is_some() {
        define::is_about_a_build(&definition, "--layouts")?;
    }
    check(&definition.rule)?;
    check_factors(args)?;
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    explain::lay_out(&mut definition, args.layouts.unwrap_or(LAYOUTS))?;
    let programs = ProgramBuilds::open(&definition, seed)?;
    let beginning = beginning("explain", definition, machine, (&args.output, &args.end), invocation)?;
    let mut driver = Driver::of_commands(fauxplat_experiment::Beginning { programs, ..beginning })?;
    let findings = explain::explain(&mut driver, &varied(args));
    finish(driver, findings.map(Findings::Explain), &args.output, Ok(()))
}

/// The factors that the experiment varies, and the conditions that options fix at one value.
fn varied(args: &ExplainArgs) -> explain::Varied {
    let wanted = |factor| varies(&args.design, factor, factor);
    explain::Varied {
        env_size: wanted(Varied::EnvSize),
        heap: wanted(Varied::Heap),
        cpu: wanted(Varied::Cpu),
        fixes: Fixed { env_pad: args.condition.env_pad, heap: args.condition.heap.is_some() },
    }
}

/// Sets the build, the rule and the condition of a definition from the options. ASLR is switched off unless an option
/// says otherwise: with ASLR the kernel draws the addresses of stack and heap anew in each run, which would hide the
/// effects of the factors that displace them.
fn apply(definition: &mut Definition, args: &ExplainArgs) {
    define::apply_build(definition, &args.build);
    let (rule, design) = (&mut definition.rule, &args.design);
    let is_saved = args.commands.definition.is_some();
    rule.metric = design.metric.unwrap_or(rule.metric);
    rule.level = design.level.unwrap_or(rule.level);
    rule.max_pairs = design.blocks.unwrap_or(if is_saved { rule.max_pairs } else { BLOCKS_MAX });
    let limit_s = design.max_time.map(|limit| limit.as_secs_f64()).or(rule.max_time_s);
    rule.max_time_s = limit_s.or((!is_saved).then_some(TIME_MAX_S));
    if definition.condition.aslr == Aslr::Inherit && varies(design, Varied::EnvSize, Varied::Heap) {
        definition.condition.aslr = Aslr::Off;
    }
}

/// Refuses factors that are asked for by name and fixed by another option.
fn check_factors(args: &ExplainArgs) -> Result<(), Failure> {
    let condition = &args.condition;
    let fixed = |factor: &Varied| match factor {
        Varied::EnvSize => condition.env_pad.map(|_| "env-size: --env-pad"),
        Varied::Heap => condition.heap.map(|_| "heap: --heap"),
        Varied::Cpu => None,
    };
    match args.design.factors.iter().find_map(fixed) {
        Some(both) => Err(Failure::usage(format!(
            "--factors {both} fixes what the factor varies: leave one option out"
        ))),
        None => Ok(()),
    }
}

/// Greatest number of blocks: the time of the analysis grows with their third power.
const BLOCKS_WORKED: u32 = 500;

/// Least error level: the p-values come from a few thousand random orders, and a dozen tests share the level.
const LEVEL_LEAST: f64 = 0.005;

/// Refuses rules whose metric, number of blocks or level the analysis cannot handle.
fn check(rule: &Rule) -> Result<(), Failure> {
    let of_time = [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::CPU];
    let wrong = match rule {
        _ if !of_time.contains(&rule.metric) => {
            format!("--metric {}: only times are explained: take wall, cpu, user or sys", rule.metric.name())
        }
        _ if rule.max_pairs > BLOCKS_WORKED => {
            format!("--blocks {}: at most {BLOCKS_WORKED} blocks can be analysed", rule.max_pairs)
        }
        _ if rule.level < LEVEL_LEAST => format!(
            "--level {} %: the test has too few random orders to name a factor at this level; at least {} %",
            rule.level * 100.0,
            LEVEL_LEAST * 100.0
        ),
        _ => return Ok(()),
    };
    Err(Failure::usage(wrong))
}

/// Whether at least one of the two factors is varied; without a list of factors (`--factors`) all are.
fn varies(design: &DesignArgs, one: Varied, other: Varied) -> bool {
    design.factors.is_empty() || design.factors.contains(&one) || design.factors.contains(&other)
}
