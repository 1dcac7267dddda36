//! From the words of the command line to a definition.

use std::path::Path;

use fauxplat_experiment::{Failure, Machine, relation};
use fauxplat_model::{
    Aslr, Build, CommandLine, Condition, Definition, EnvBase, EnvPad, Output, Parameter, Placement, Rule,
};

use crate::args::{BuildArgs, CommandArgs, ConditionArgs, OnOff, RuleArgs, RunArgs, SweepArgs};

/// The definition that a command line asks for. A saved one comes first, and what the command line says replaces it;
/// CPUs that are named by relation are asked for once, here.
pub(crate) fn definition(
    commands: &CommandArgs,
    condition: &ConditionArgs,
    machine: &Machine,
) -> Result<Definition, Failure> {
    let mut definition = match &commands.input {
        Some(path) => read(path)?,
        None => Definition::default(),
    };
    apply_commands(&mut definition, commands)?;
    apply_condition(&mut definition.condition, condition)?;
    relation::resolve(&mut definition.condition, machine)?;
    Ok(definition)
}

fn read(path: &Path) -> Result<Definition, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    fauxplat_plan::parse(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn apply_commands(definition: &mut Definition, args: &CommandArgs) -> Result<(), Failure> {
    if !args.commands.is_empty() {
        let line = |command: &String| CommandLine { command: command.clone(), ..CommandLine::default() };
        definition.commands = args.commands.iter().map(line).collect();
    }
    if args.names.len() > definition.commands.len() {
        let (names, commands) = (args.names.len(), definition.commands.len());
        return Err(Failure::usage(format!("--names gives {names} names for {commands} commands")));
    }
    for (line, name) in definition.commands.iter_mut().zip(&args.names) {
        line.name = Some(name.clone());
    }
    let mut given = Vec::new();
    for text in &args.parameters {
        let (name, values) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`-L {text}` is not a parameter list: -L NAME=VALUE,VALUE,…"))
        })?;
        let values = values.split(',').filter(|value| !value.is_empty()).map(str::to_owned).collect();
        given.push(Parameter { name: name.to_owned(), values });
    }
    definition.parameters.retain(|saved| given.iter().all(|parameter| parameter.name != saved.name));
    definition.parameters.append(&mut given);
    if !args.tables.is_empty() {
        definition.tables.clone_from(&args.tables);
    }
    definition.prepare = args.prepare.clone().or(definition.prepare.take());
    definition.cleanup = args.cleanup.clone().or(definition.cleanup.take());
    definition.warmup = args.warmup.unwrap_or(definition.warmup);
    definition.seed = args.seed.or(definition.seed);
    Ok(())
}

fn apply_condition(condition: &mut Condition, args: &ConditionArgs) -> Result<(), Failure> {
    for setting in &args.env {
        match setting.as_str() {
            "clean" => condition.env = EnvBase::Clean,
            "inherit" => condition.env = EnvBase::Inherit,
            text if text.find('=').is_some_and(|at| at > 0) => condition.env_set.push(text.to_owned()),
            text => {
                return Err(Failure::usage(format!("`--env {text}` is none of clean, inherit, NAME=VALUE")));
            }
        }
    }
    if let Some(cpu) = &args.cpu {
        condition.cpu = cpu.clone();
    }
    condition.policy = args.policy.unwrap_or(condition.policy);
    condition.nice = args.nice.or(condition.nice);
    condition.aslr = match args.aslr {
        None => condition.aslr,
        Some(OnOff::On) => Aslr::On,
        Some(OnOff::Off) => Aslr::Off,
    };
    condition.env_pad = args.env_pad.unwrap_or(condition.env_pad);
    condition.heap = args.heap.unwrap_or(condition.heap);
    condition.stdin = args.stdin.clone().or(condition.stdin.take());
    condition.cwd = args.cwd.clone().or(condition.cwd.take());
    condition.timeout = args.timeout.or(condition.timeout);
    condition.shell |= args.shell;
    condition.ignore_failure |= args.ignore_failure;
    args.surroundings.apply(condition);
    match args.stdout.as_deref() {
        None => {}
        Some("null") => condition.output = Output::Null,
        Some("inherit") => condition.output = Output::Inherit,
        Some(path) => condition.output = Output::File(path.into()),
    }
    Ok(())
}

/// What runs when only builds are given.
const PROGRAM: &str = "{program}";

/// The commands that were given, or the built program by itself.
pub(crate) fn or_program(commands: &CommandArgs, builds: bool) -> CommandArgs {
    let mut given = commands.clone();
    if builds && given.commands.is_empty() && given.input.is_none() {
        given.commands.push(PROGRAM.to_owned());
    }
    given
}

/// What builds the programs, with what the command line says. Without a command, the program by itself is run.
pub(crate) fn apply_build(definition: &mut Definition, args: &BuildArgs) {
    let line = args.build.as_ref().or(args.link.as_ref());
    if let Some(line) = line {
        let build = Build { line: line.clone(), objects: args.objects.clone() };
        definition.commands.iter_mut().for_each(|command| command.build = Some(build.clone()));
    }
    if !args.vary.is_empty() {
        definition.vary.clone_from(&args.vary);
    }
    definition.check = args.check.clone().or(definition.check.take());
}

/// The rule, with what the command line says.
pub(crate) fn apply_rule(rule: &mut Rule, args: &RuleArgs) {
    rule.metric = args.metric.unwrap_or(rule.metric);
    rule.margin = args.margin.unwrap_or(rule.margin);
    rule.level = args.level.unwrap_or(rule.level);
    let is_limited = rule.max_pairs != Rule::default().max_pairs || args.max_pairs.is_some();
    rule.max_pairs = args.max_pairs.unwrap_or(rule.max_pairs);
    rule.max_time_s = args.max_time.map(|limit| limit.as_secs_f64()).or(rule.max_time_s);
    rule.tail_margin = args.tail_margin.unwrap_or(rule.tail_margin);
    rule.anytime |= args.anytime;
    // A number of pairs is a limit. Otherwise time decides, and there are at least the usual number of pairs.
    rule.at_least_s = (!is_limited).then(|| rule.max_time_s.or(rule.at_least_s).unwrap_or(PATIENCE_S));
}

/// Seconds that an undecided comparison takes when nobody said how long.
const PATIENCE_S: f64 = 30.0;

/// Blocks of the classic exhaustive sweep, and so the most that anybody expects.
const BLOCKS_MAX: u32 = 100;

/// What is swept and how that is decided, with what the command line says.
pub(crate) fn apply_sweep(definition: &mut Definition, args: &SweepArgs) {
    definition.sweep = args.factor.clone().or(definition.sweep.take());
    definition.exhaustive |= args.rule.exhaustive;
    let (rule, stated) = (&mut definition.rule, &args.rule);
    rule.metric = stated.metric.unwrap_or(rule.metric);
    rule.margin = stated.margin.unwrap_or(rule.margin);
    rule.level = stated.level.unwrap_or(rule.level);
    let saved = if args.commands.input.is_some() { rule.max_pairs } else { BLOCKS_MAX };
    rule.max_pairs = stated.blocks.unwrap_or(saved);
    rule.max_time_s = stated.max_time.map(|limit| limit.as_secs_f64()).or(rule.max_time_s);
}

/// What is left to itself in `run`: nothing is to be compared, so nothing is pinned, and the environment is padded
/// only where nothing else moves the stack. With ASLR on, the kernel draws its place anew in each run.
pub(crate) fn defaults_of_run(condition: &mut Condition, args: &RunArgs, machine: &Machine) {
    if condition.cpu == Placement::Auto {
        condition.cpu = Placement::Free;
    }
    let stated = args.condition.env_pad.is_some() || args.commands.input.is_some();
    let is_random = machine.facts().randomize_va_space.is_some_and(|level| level > 0);
    let moves = condition.aslr != Aslr::Off && is_random;
    if !stated && moves {
        condition.env_pad = EnvPad::None;
    }
}
