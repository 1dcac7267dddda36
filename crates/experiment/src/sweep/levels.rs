//! Turns a factor into commands: each level that may be visited is one command of the experiment.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Read;
use std::path::{Path, PathBuf};

use fauxplat_analyze::{SweepLevel, SweepPanel, SweepSubject};
use fauxplat_model::{
    Command, Condition, Definition, EnvBase, EnvPad, Factor, Level, Parameter, Placement, Setting,
};
use fauxplat_plan::{Sweep, apply, parse_sweep, places, stack_class};
use fauxplat_sys::clock;
use fauxplat_sys::files::open_regular;

use super::builds::Builds;
use super::offer::offer;
use crate::cpus::check_limit;
use crate::surroundings::folders::Folders;
use crate::{Failure, Machine, commands};

#[derive(Debug)]
pub struct Prepared {
    pub judge: SweepPanel,
    pub commands: Vec<Command>,
    /// Index of the level that each command stands for, ascending.
    pub level_of: Vec<u16>,
    // The commands use these folders and programs, which are deleted on drop.
    _folders: Folders,
    builds: Option<Builds>,
}

impl Prepared {
    /// Warning about processes that builds of the levels left behind; `None` where they left none.
    pub(crate) fn left_behind(&self) -> Option<String> {
        self.builds.as_ref().and_then(Builds::left_behind)
    }
}

/// Plans a sweep: its levels, one command for each level that may be visited, and the folders and programs that these
/// use. The definition gets the seed, and the condition that the factor requires.
///
/// # Errors
/// Fails for an invalid factor or command, or a machine that does not support the factor.
pub fn prepare(definition: &mut Definition, machine: &Machine) -> Result<Prepared, Failure> {
    let text =
        definition.sweep.clone().ok_or_else(|| Failure::usage("sweep needs a factor, such as env-size"))?;
    let count = definition.commands.len();
    if count > 1 {
        return Err(Failure::usage(format!("sweep takes one command, not {count}: compare takes several")));
    }
    let mut folders = Folders::new()?;
    let sweep = parse_sweep(&text, &places(definition), &offer(machine, &folders)).map_err(refused)?;
    if count == 0 {
        return Err(Failure::usage(format!(
            "sweep needs a command after its factor, as in: fauxplat sweep {text} true"
        )));
    }
    state_condition(definition, &sweep)?;
    folders.make(&sweep.levels)?;
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    let builds = Builds::of(definition, &sweep, seed)?;
    let all = all_commands(definition, machine, &sweep, (&folders, builds.as_ref()))?;
    let subject = SweepSubject {
        factors: sweep.factors.iter().map(Factor::to_string).collect(),
        unit: unit(&sweep.factors),
    };
    let judge = SweepPanel::new(&definition.rule, &subject, &judged_levels(&sweep, &all), seed)
        .exhaustive(definition.exhaustive)
        .ignore_failure(definition.condition.ignore_failure.any());
    let level_of = judge.distinct().to_vec();
    let commands: Vec<Command> = level_of.iter().map(|&level| all[usize::from(level)].clone()).collect();
    Ok(Prepared { judge, commands, level_of, _folders: folders, builds })
}

fn refused(error: fauxplat_plan::FactorError) -> Failure {
    if error.is_machine() { Failure::machine(error) } else { Failure::usage(error) }
}

/// Unit of the levels' numbers, if exactly one factor of the sweep has numbers with a unit; otherwise `None`.
fn unit(factors: &[Factor]) -> Option<String> {
    let mut units = factors.iter().filter_map(Factor::unit);
    let first = units.next()?;
    units.next().is_none().then(|| first.to_owned())
}

fn state_condition(definition: &mut Definition, sweep: &Sweep) -> Result<(), Failure> {
    let condition = &mut definition.condition;
    for factor in &sweep.factors {
        if let Some(option) = fixed(factor, condition) {
            return Err(Failure::usage(format!(
                "{option} fixes for all levels what the factor {} varies: choose one",
                factor.name()
            )));
        }
    }
    if sweep.factors.iter().any(Factor::moves_the_stack) {
        // A random displacement of the stack would average out the effect of the levels, which displace it too.
        condition.env_pad = EnvPad::None;
    }
    if sweep.factors.contains(&Factor::EnvSize) {
        condition.env = EnvBase::Clean;
    }
    if sweep.factors.contains(&Factor::Cpu) {
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

/// The option of the command line that fixes the property that a factor varies; `None` if none does.
fn fixed(factor: &Factor, condition: &Condition) -> Option<&'static str> {
    let usual = Condition::default();
    let is_given = |given: bool, option| given.then_some(option);
    match factor {
        Factor::EnvSize => is_given(condition.env_pad != usual.env_pad, "--env-pad"),
        Factor::CwdLength => is_given(condition.cwd != usual.cwd, "--cwd"),
        Factor::Aslr => is_given(condition.aslr != usual.aslr, "--aslr"),
        Factor::HeapPad => is_given(condition.heap != usual.heap, "--heap"),
        Factor::Cpu => is_given(condition.cpu != usual.cpu, "--cpu")
            .or(is_given(condition.pin_threads != usual.pin_threads, "--pin-threads")),
        Factor::Priority => is_given(condition.nice != usual.nice, "--nice")
            .or(is_given(condition.policy != usual.policy, "--policy")),
        Factor::Limit => is_given(condition.limit != usual.limit, "--limit"),
        Factor::MemoryPolicy => is_given(condition.memory_policy != usual.memory_policy, "--memory-policy"),
        Factor::ArgvSize
        | Factor::Background
        | Factor::Frequency
        | Factor::HugePages
        | Factor::StackLimit
        | Factor::Locale
        | Factor::LinkOrder
        | Factor::LinkPadding
        | Factor::CodeAlign
        | Factor::Parameter(_) => None,
    }
}

fn values(level: &Level, wanted: &str) -> Option<String> {
    level.settings.iter().find_map(|setting| match setting {
        Setting::Parameter { name, value } if name == wanted => Some(value.clone()),
        _ => None,
    })
}

/// Resolves a command for every level that was requested.
fn all_commands(
    definition: &Definition,
    machine: &Machine,
    sweep: &Sweep,
    (folders, builds): (&Folders, Option<&Builds>),
) -> Result<Vec<Command>, Failure> {
    let count = sweep.levels.iter().flat_map(|level| &level.settings).count();
    // Resolved commands by the path of the program that they run; the path is empty if nothing is built.
    let mut bases: HashMap<PathBuf, Vec<Command>> = HashMap::new();
    let mut commands = Vec::new();
    for (index, level) in sweep.levels.iter().enumerate() {
        let built = builds.map(|builds| builds.program(index));
        let path = built.map(|built| built.path.clone()).unwrap_or_default();
        let bases = match bases.entry(path.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(empty) => {
                let programs = vec![built.map(|_| path); count];
                empty.insert(commands::resolve(definition, machine, &programs)?)
            }
        };
        let mut command = base(bases, level).clone();
        command.name = name(&sweep.factors, level);
        if let Some(built) = built {
            command.program_sha256 = Some(built.sha256.clone());
        }
        level.settings.iter().for_each(|setting| apply(setting, &mut command, |bytes| folders.of(bytes)));
        check_limit(&command.condition).map_err(|failure| failure.within(&command.name))?;
        commands.push(command);
    }
    Ok(commands)
}

/// The resolved command whose parameters have the values of this level.
fn base<'c>(bases: &'c [Command], level: &Level) -> &'c Command {
    let fits = |base: &&Command| {
        base.parameters.iter().all(|(name, value)| values(level, name).as_ref() == Some(value))
    };
    bases.iter().find(fits).unwrap_or(&bases[0])
}

/// Name of a level: `env-size=64`, or `env-size=64 aslr=off`.
fn name(factors: &[Factor], level: &Level) -> String {
    let levels = level.name.split(" × ");
    factors
        .iter()
        .zip(levels)
        .map(|(factor, level)| format!("{factor}={level}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Levels as the judge of the sweep takes them, with a common key for levels that must behave equally.
fn judged_levels(sweep: &Sweep, commands: &[Command]) -> Vec<SweepLevel> {
    let mut keys: HashMap<String, u32> = HashMap::new();
    let mut interpreters = HashMap::new();
    let mut level = |(index, (level, command)): (usize, (&Level, &Command))| {
        let interpreter = interpreters
            .entry(command.program.clone())
            .or_insert_with(|| interpreter(&command.program))
            .clone();
        let next = keys.len() as u32;
        let same = same(sweep, level, index, command, interpreter.as_deref())
            .map(|key| *keys.entry(key).or_insert(next));
        SweepLevel { name: level.name.clone(), number: level.number, cell: level.cell, same }
    };
    sweep.levels.iter().zip(commands).enumerate().map(&mut level).collect()
}

/// Key of a level, equal for levels that must behave equally; `None` when no factor has equal levels.
///
/// Levels of a size are equal if the stack begins at the same place, unless two factors move the stack or a shell
/// starts programs that are not known beforehand. Levels of a build are equal if they gave the same program.
fn same(
    sweep: &Sweep,
    level: &Level,
    index: usize,
    command: &Command,
    interpreter: Option<&[String]>,
) -> Option<String> {
    let movers = |factor: &&Factor| factor.moves_the_stack() && **factor != Factor::Aslr;
    let merges_sizes = !command.condition.shell.is_used() && sweep.factors.iter().filter(movers).count() == 1;
    let cells = level.cell.map_or([index as u16, 0], |(a, b)| [a, b]);
    let mut is_merged = false;
    let parts = sweep.factors.iter().zip(cells).map(|(factor, cell)| match factor {
        Factor::EnvSize | Factor::ArgvSize if merges_sizes => {
            is_merged = true;
            format!("{:?}", start_of(command, interpreter))
        }
        factor if factor.is_built() => {
            is_merged = true;
            command.program_sha256.clone().unwrap_or_default()
        }
        _ => cell.to_string(),
    });
    let key = parts.collect::<Vec<_>>().join(" ");
    is_merged.then_some(key)
}

/// Position at which a command's stack begins, see [`stack_class`]. For a script the kernel replaces `argv[0]` by the
/// interpreter, its only argument and the path of the script, see `execve(2)`.
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

/// The interpreter of a script, and its argument if it has one; `None` if the program is no script.
fn interpreter(program: &Path) -> Option<Vec<String>> {
    let mut head = [0; 256];
    let read = open_regular(program).ok()?.read(&mut head).ok()?;
    let line = head[..read].strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).trim().to_owned();
    // The kernel passes everything after the first blank as one argument.
    Some(line.splitn(2, [' ', '\t']).map(|word| word.trim().to_owned()).collect())
}
