//! From a factor to commands: each level that may be visited is one command of the experiment.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use fauxplat_analyze::{SweepJudge, SweepLevel, SweepSubject};
use fauxplat_model::{Command, Definition, EnvBase, EnvPad, Factor, Level, Parameter, Placement, Setting};
use fauxplat_plan::{Sweep, apply, parse_sweep, places, stack_class};
use fauxplat_sys::clock;

use super::folders::Folders;
use super::groups::Groups;
use super::offer::offer;
use crate::commands;
use crate::failure::Failure;

/// A sweep that is ready to begin.
pub(crate) struct Prepared {
    pub(crate) judge: SweepJudge,
    /// The commands of the levels that may be visited.
    pub(crate) commands: Vec<Command>,
    /// The level of each command, rising.
    pub(crate) level_of: Vec<u16>,
    pub(crate) groups: Groups,
    /// They live as long as the sweep.
    pub(crate) _folders: Folders,
}

/// Plans a sweep: levels, one command for each that differs, and what stands around them. The definition gets the
/// seed, and the condition of the factor.
///
/// # Errors
/// Whatever is wrong with the factor, the command, or the machine.
pub(crate) fn prepare(definition: &mut Definition) -> Result<Prepared, Failure> {
    let text =
        definition.sweep.clone().ok_or_else(|| Failure::usage("sweep needs a factor, such as env-size"))?;
    let [_] = definition.commands.as_slice() else {
        let count = definition.commands.len();
        return Err(Failure::usage(format!("sweep takes one command, not {count}: compare takes several")));
    };
    let mut folders = Folders::new()?;
    let sweep = parse_sweep(&text, &places(definition), &offer(&folders)?).map_err(refused)?;
    state_condition(definition, &sweep)?;
    folders.make(&sweep.levels)?;
    let all = all_commands(definition, &sweep, &folders)?;
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    let subject = SweepSubject {
        factors: sweep.factors.iter().map(Factor::to_string).collect(),
        unit: unit(&sweep.factors),
    };
    let judge = SweepJudge::new(&definition.rule, subject, judged_levels(&sweep, &all), seed)
        .exhaustive(definition.exhaustive)
        .ignore_failure(definition.condition.ignore_failure);
    let level_of = judge.distinct().to_vec();
    let commands: Vec<Command> = level_of.iter().map(|&level| all[usize::from(level)].clone()).collect();
    let groups = Groups::of(&commands)?;
    Ok(Prepared { judge, commands, level_of, groups, _folders: folders })
}

fn refused(error: fauxplat_plan::FactorError) -> Failure {
    if error.is_machine() { Failure::machine(error) } else { Failure::usage(error) }
}

/// The unit of the numbers, where only one factor has some.
fn unit(factors: &[Factor]) -> Option<String> {
    let mut units = factors.iter().filter_map(Factor::unit);
    let first = units.next()?;
    units.next().is_none().then(|| first.to_owned())
}

/// What the factors mean for the condition that all levels share.
fn state_condition(definition: &mut Definition, sweep: &Sweep) -> Result<(), Failure> {
    let condition = &mut definition.condition;
    if sweep.factors.iter().any(Factor::moves_the_stack) {
        // A random displacement would even out what the levels do to the stack.
        condition.env_pad = EnvPad::None;
    }
    if sweep.factors.contains(&Factor::EnvSize) {
        condition.env = EnvBase::Clean;
    }
    if sweep.factors.contains(&Factor::Cpu) {
        if condition.cpu != Placement::Auto {
            return Err(Failure::usage(
                "--cpu says where all levels run, and the factor cpu varies it: choose one",
            ));
        }
        condition.cpu = Placement::Free;
    }
    for factor in &sweep.factors {
        if let Factor::Parameter(name) = factor {
            let values = sweep.levels.iter().flat_map(|level| values(level, name));
            let mut values: Vec<String> = values.collect();
            let mut seen = std::collections::HashSet::new();
            values.retain(|value| seen.insert(value.clone()));
            definition.parameters.retain(|parameter| parameter.name != *name);
            definition.parameters.push(Parameter { name: name.clone(), values });
        }
    }
    match definition
        .parameters
        .iter()
        .find(|parameter| !sweep.factors.contains(&Factor::Parameter(parameter.name.clone())))
    {
        Some(other) => Err(Failure::usage(format!(
            "-L {}: in a sweep a parameter is a factor: sweep {}=… or one more factor after a *",
            other.name, other.name
        ))),
        None => Ok(()),
    }
}

/// The value of a parameter at a level.
fn values(level: &Level, wanted: &str) -> Option<String> {
    level.settings.iter().find_map(|setting| match setting {
        Setting::Parameter { name, value } if name == wanted => Some(value.clone()),
        _ => None,
    })
}

/// A command for every level that was asked for.
fn all_commands(definition: &Definition, sweep: &Sweep, folders: &Folders) -> Result<Vec<Command>, Failure> {
    let facts = fauxplat_topology::discover(Path::new("/")).cpu;
    let bases = commands::resolve(definition, &facts, &[])?;
    let fits = |base: &&Command, level: &Level| {
        base.parameters.iter().all(|(name, value)| values(level, name).as_ref() == Some(value))
    };
    let one = |level: &Level| {
        let base = bases.iter().find(|base| fits(base, level)).unwrap_or(&bases[0]);
        let mut command = base.clone();
        command.name = name(&sweep.factors, level);
        level.settings.iter().for_each(|setting| apply(setting, &mut command, |bytes| folders.of(bytes)));
        command
    };
    Ok(sweep.levels.iter().map(one).collect())
}

/// `env-size=64`, or `env-size=64 aslr=off`.
fn name(factors: &[Factor], level: &Level) -> String {
    let levels = level.name.split(" × ");
    factors
        .iter()
        .zip(levels)
        .map(|(factor, level)| format!("{factor}={level}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The levels as the judge knows them, with a key for those whose stacks must begin at the same place.
fn judged_levels(sweep: &Sweep, commands: &[Command]) -> Vec<SweepLevel> {
    let sized = |factor: &Factor| matches!(factor, Factor::EnvSize | Factor::ArgvSize);
    let place = sweep.factors.iter().position(sized);
    // The size of the other factor's level is left alone: two factors that both move the stack are not merged.
    let merged = place.filter(|_| {
        sweep.factors.iter().filter(|factor| factor.moves_the_stack()).count() == 1
            || sweep.factors.contains(&Factor::Aslr)
    });
    let mut keys: HashMap<(Option<u16>, (usize, usize)), u32> = HashMap::new();
    let mut script = HashMap::new();
    let mut level = |(level, command): (&Level, &Command)| {
        let other = level.cell.map(|(a, b)| if place == Some(0) { b } else { a });
        let same = merged.filter(|_| !command.condition.shell).map(|_| {
            let interpreter = script
                .entry(command.program.clone())
                .or_insert_with(|| interpreter(&command.program))
                .clone();
            let next = keys.len() as u32;
            *keys.entry((other, start_of(command, interpreter.as_deref()))).or_insert(next)
        });
        SweepLevel { name: level.name.clone(), number: level.number, cell: level.cell, same }
    };
    sweep.levels.iter().zip(commands).map(&mut level).collect()
}

/// Where the stack of a command begins, see [`stack_class`]. For a script the kernel replaces `argv[0]` by the
/// interpreter, its one argument and the path of the script, see `execve(2)`.
fn start_of(command: &Command, interpreter: Option<&[String]>) -> (usize, usize) {
    let path = command.program.display().to_string();
    let pad = match command.condition.env_pad {
        EnvPad::Bytes(bytes) => usize::from(bytes),
        _ => 0,
    };
    let mut argv: Vec<&str> = command.argv.iter().map(String::as_str).collect();
    if let Some(words) = interpreter {
        argv.splice(..1, words.iter().map(String::as_str).chain([path.as_str()]));
    }
    let env = fauxplat_launch::environment(&command.condition);
    let texts = argv.iter().map(|text| text.len() + 1).chain(env.iter().map(|text| text.len() + 1));
    let strings = argv.len() + env.len() + usize::from(pad > 0);
    stack_class(path.len() + 1 + texts.sum::<usize>() + pad, strings)
}

/// The interpreter of a script, and its argument if it has one.
fn interpreter(program: &Path) -> Option<Vec<String>> {
    let mut head = [0; 256];
    let read = std::fs::File::open(program).ok()?.read(&mut head).ok()?;
    let line = head[..read].strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).trim().to_owned();
    // Everything after the first blank is one argument.
    Some(line.splitn(2, [' ', '\t']).map(|word| word.trim().to_owned()).collect())
}
