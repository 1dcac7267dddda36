//! Converts the parsed options of a command line to the definition of an experiment.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, Machine, relation};
use fauxplat_model::{
    Aslr, Build, CommandLine, Condition, Definition, EnvBase, EnvPad, Estimand, FailIf, IgnoredFailures,
    MemoryPolicy, Output, Parameter, Placement, Policy, Rule, Runs, Shell,
};
use fauxplat_sys::text::read_text;

use crate::{BuildArgs, CommandArgs, ConditionArgs, OnOff, RuleArgs, RunArgs, SweepArgs};

/// The definition that the options describe. Options override a saved definition. Relations between CPUs are resolved
/// here, once.
pub fn definition(
    commands: &CommandArgs,
    condition: &ConditionArgs,
    machine: &Machine,
) -> Result<Definition, Failure> {
    let mut definition = unresolved(commands, condition)?;
    relation::resolve(&mut definition.condition, machine)?;
    Ok(definition)
}

/// The definition of an earlier experiment, in which the given options replace the earlier settings.
///
/// # Errors
/// Fails as [`definition`] does.
pub fn changed(
    earlier: Definition,
    commands: &CommandArgs,
    condition: &ConditionArgs,
    machine: &Machine,
) -> Result<Definition, Failure> {
    let mut definition = applied(earlier, commands, condition)?;
    relation::resolve(&mut definition.condition, machine)?;
    Ok(definition)
}

/// The definition that the options describe, for other machines, each of which resolves relations between CPUs itself.
pub fn unresolved(commands: &CommandArgs, condition: &ConditionArgs) -> Result<Definition, Failure> {
    let saved = match &commands.definition {
        Some(path) => read(path)?,
        None => Definition::default(),
    };
    applied(saved, commands, condition)
}

fn applied(
    mut definition: Definition,
    commands: &CommandArgs,
    condition: &ConditionArgs,
) -> Result<Definition, Failure> {
    apply_commands(&mut definition, commands)?;
    apply_condition(&mut definition.condition, condition)?;
    match condition.stdout.as_deref() == Some("null") && !definition.printed.is_empty() {
        true => Err(Failure::usage(
            "--stdout null discards what --metric-from reads from the standard output of the commands: leave one of them out",
        )),
        false => Ok(definition),
    }
}

/// Refuses a definition with a gate, for a verb that compares nothing and would ignore the gate.
///
/// # Errors
/// Fails with a usage error that names the file of the definition and the verb that answers gates.
pub fn refuse_gate(verb: &str, rule: &Rule, commands: &CommandArgs) -> Result<(), Failure> {
    let gates: Vec<&str> = rule.gates().into_iter().map(FailIf::word).collect();
    let Some(file) = commands.definition.as_ref().filter(|_| !gates.is_empty()) else { return Ok(()) };
    let file = file.display();
    Err(Failure::usage(format!(
        "{file}: `{verb}` has no gate, and [rule] of the definition has one (fail_if: {}): take \
         `fauxplat compare --definition {file}`, or leave the gate out of the definition",
        gates.join(", ")
    )))
}

/// The path to open for a file name, in which `-` means standard input.
pub fn or_stdin(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("/dev/stdin") } else { path }
}

fn read(path: &Path) -> Result<Definition, Failure> {
    // A file whose name does not end in `.toml` is probably meant as the standard input of the commands.
    let hint = match path.extension().is_some_and(|extension| extension == "toml") {
        true => "",
        false => {
            " (--definition reads what is to be measured, in TOML; what the commands read is --stdin FILE)"
        }
    };
    let fail = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}{hint}", path.display()));
    let text = read_text(or_stdin(path), fauxplat_plan::BYTES_MAX).map_err(|error| fail(&error))?;
    fauxplat_plan::parse(&text).map_err(|error| fail(&error))
}

fn apply_commands(definition: &mut Definition, args: &CommandArgs) -> Result<(), Failure> {
    let is_number = |command: &&String| command.parse::<f64>().is_ok();
    if let Some(number) = args.commands.iter().skip(1).find(is_number) {
        return Err(Failure::usage(format!(
            "`{number}` is no command: a command with its arguments is one word of the shell, as in 'sleep 1'"
        )));
    }
    if !args.commands.is_empty() {
        let line = |command: &String| CommandLine { command: command.clone(), ..CommandLine::default() };
        definition.commands = args.commands.iter().map(line).collect();
    }
    apply_names(definition, args)?;
    let mut given = parameters(args)?;
    definition.parameters.retain(|saved| given.iter().all(|parameter| parameter.name != saved.name));
    definition.parameters.append(&mut given);
    if !args.tables.is_empty() {
        definition.tables.clone_from(&args.tables);
    }
    if !args.metric_from.is_empty() {
        definition.printed.clone_from(&args.metric_from);
    }
    if !args.counters.is_empty() {
        definition.counters.clone_from(&args.counters);
    }
    if !args.regions.is_empty() {
        definition.regions.clone_from(&args.regions);
    }
    if args.control.is_some() {
        definition.control.clone_from(&args.control);
    }
    definition.make_known().map_err(Failure::usage)?;
    apply_around(definition, args)?;
    definition.warmup = args.warmup.unwrap_or(definition.warmup);
    definition.seed = args.seed.or(definition.seed);
    Ok(())
}

fn apply_names(definition: &mut Definition, args: &CommandArgs) -> Result<(), Failure> {
    let (option, names) = match args.names.is_empty() {
        true => ("--command-name", &args.command_name),
        false => ("--names", &args.names),
    };
    let (given, commands) = (names.len(), definition.commands.len());
    if given > commands {
        return Err(Failure::usage(format!("{option} gives {given} names for {commands} commands")));
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(Failure::usage(format!("{option}: a name has no letters")));
    }
    for (line, name) in definition.commands.iter_mut().zip(names) {
        line.name = Some(name.clone());
    }
    Ok(())
}

fn parameters(args: &CommandArgs) -> Result<Vec<Parameter>, Failure> {
    let mut given = Vec::new();
    for text in &args.parameters {
        let (name, values) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`-L {text}` is not a parameter list: -L NAME=VALUE,VALUE,…"))
        })?;
        let values =
            fauxplat_plan::values(values).map_err(|error| Failure::usage(format!("-L {text}: {error}")))?;
        given.push(Parameter { name: name.to_owned(), values });
    }
    if let [name, from, to] = args.scan.as_slice() {
        let step = args.step.as_deref().unwrap_or("1");
        let values = fauxplat_plan::range(from, to, step)
            .map_err(|error| Failure::usage(format!("-P {name}: {error}")))?;
        given.push(Parameter { name: name.clone(), values });
    }
    Ok(given)
}

/// Applies the commands that run before and after the experiment or each run (`--setup` and so on). Each option is
/// given once for all measured commands, or once for each.
fn apply_around(definition: &mut Definition, args: &CommandArgs) -> Result<(), Failure> {
    let Definition { commands, setup, prepare, conclude, cleanup, .. } = definition;
    share("--setup", &args.setup, setup, commands, |line| &mut line.setup)?;
    share("--prepare", &args.prepare, prepare, commands, |line| &mut line.prepare)?;
    share("--conclude", &args.conclude, conclude, commands, |line| &mut line.conclude)?;
    share("--cleanup", &args.cleanup, cleanup, commands, |line| &mut line.cleanup)
}

fn share(
    option: &str,
    given: &[String],
    shared: &mut Option<String>,
    commands: &mut [CommandLine],
    place: impl Fn(&mut CommandLine) -> &mut Option<String>,
) -> Result<(), Failure> {
    match given {
        [] => {}
        [one] => {
            *shared = Some(one.clone());
            commands.iter_mut().for_each(|line| *place(line) = None);
        }
        each if each.len() == commands.len() => {
            commands.iter_mut().zip(each).for_each(|(line, given)| *place(line) = Some(given.clone()));
        }
        some => {
            let (times, commands) = (some.len(), commands.len());
            return Err(Failure::usage(format!(
                "{option} is given {times} times for {commands} commands: give it once for all of them, or once for each"
            )));
        }
    }
    Ok(())
}

fn apply_condition(condition: &mut Condition, args: &ConditionArgs) -> Result<(), Failure> {
    let is_given = |word: &str| args.env.iter().any(|setting| setting == word);
    if is_given("clean") && is_given("inherit") {
        return Err(Failure::usage("--env clean and --env inherit contradict each other"));
    }
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
    condition.policy = args.policy.or(condition.policy);
    condition.nice = args.nice.or(condition.nice);
    if let (Some(policy @ (Policy::Fifo(_) | Policy::RoundRobin(_))), Some(_)) = (condition.policy, args.nice)
    {
        return Err(Failure::usage(format!(
            "--nice has no effect under the policy {policy}: leave one option out"
        )));
    }
    condition.aslr = match args.aslr {
        None => condition.aslr,
        Some(OnOff::On) => Aslr::On,
        Some(OnOff::Off) => Aslr::Off,
    };
    condition.env_pad = args.env_pad.unwrap_or(condition.env_pad);
    condition.pin_threads = args.pin_threads.clone().or(condition.pin_threads.take());
    let interleaved = || args.interleave.clone().map(MemoryPolicy::Interleave);
    if let Some(policy) = args.memory_policy.clone().or_else(interleaved) {
        condition.memory_policy = policy;
    }
    condition.heap = args.heap.unwrap_or(condition.heap);
    condition.stdin = args.stdin.clone().or(condition.stdin.take());
    if let Some(path) = condition.stdin.take() {
        condition.stdin = Some(lasting(path)?);
    }
    condition.cwd = args.cwd.clone().or(condition.cwd.take());
    condition.timeout = args.timeout.or(condition.timeout);
    condition.keep_background |= args.keep_background;
    condition.shell = args.shell.clone().unwrap_or(std::mem::take(&mut condition.shell));
    let ignored = &mut condition.ignore_failure;
    let given = args.skip_failures.then_some(IgnoredFailures::LeftOut).or(args.ignore_failure.clone());
    *ignored = given.unwrap_or(std::mem::take(ignored));
    if let Some(machine) = args.simulate_machine {
        condition.simulate = Some(machine);
    } else if args.simulated {
        condition.simulate.get_or_insert_default();
    }
    args.surroundings.apply(condition);
    match args.stdout.as_deref().or(args.show_output.then_some("inherit")) {
        None => {}
        Some("null") => condition.output = Output::Null,
        Some("inherit") => condition.output = Output::Inherit,
        Some(path) => condition.output = Output::File(path.into()),
    }
    Ok(())
}

/// Checks that a file can be the standard input of every run. A path to fauxplat's own standard input means a different
/// file in the process that opens it, and a pipe, such as a shell's `<(command)`, is empty for the second run.
fn lasting(path: PathBuf) -> Result<PathBuf, Failure> {
    const OWN: [&str; 4] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"];
    let is_own = OWN.iter().any(|own| path == Path::new(own));
    let is_pipe =
        || path.metadata().is_ok_and(|facts| facts.file_type().is_fifo() || facts.file_type().is_socket());
    if !is_own && !is_pipe() {
        return Ok(path);
    }
    let file = std::fs::canonicalize("/dev/stdin").ok().filter(|real| is_own && real.is_file());
    file.ok_or_else(|| {
        Failure::usage(format!(
            "--stdin {}: what comes through a pipe or a terminal can be read once, and each run reads from the beginning: save it, as in `cat > input`, and say --stdin input",
            path.display()
        ))
    })
}

/// The measured command line if only builds are given: the built program.
const PROGRAM: &str = "{program}";

/// The given commands, or the built program itself if none is given.
pub fn or_program(commands: &CommandArgs, builds: bool) -> CommandArgs {
    let mut given = commands.clone();
    if builds && given.commands.is_empty() && given.definition.is_none() {
        given.commands.push(PROGRAM.to_owned());
    }
    given
}

/// Applies the options for builds to all commands of a definition.
pub fn apply_build(definition: &mut Definition, args: &BuildArgs) {
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

/// Refuses options about builds if nothing is built.
pub fn needs_build(definition: &Definition) -> Result<(), Failure> {
    let option = match (&definition.check, definition.vary.is_empty()) {
        (Some(_), _) => "--check",
        (None, false) => "--vary",
        (None, true) => return Ok(()),
    };
    is_about_a_build(definition, option)
}

/// Refuses an option about builds if nothing is built.
pub fn is_about_a_build(definition: &Definition, option: &str) -> Result<(), Failure> {
    match definition.commands.iter().any(|command| command.build.is_some()) {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "{option} is about a program that fauxplat builds, and there is none: give --build CMD, or leave it out"
        ))),
    }
}

/// Applies the options about the decision of a comparison to its rule.
pub fn apply_rule(rule: &mut Rule, args: &RuleArgs) -> Result<(), Failure> {
    rule.decide(&args.metric);
    rule.check().and_then(|()| rule.allow(&args.margin)).map_err(Failure::usage)?;
    if rule.fail_if.contains(&FailIf::Missing) {
        return Err(Failure::usage(
            "fail_if: only a suite has benchmarks that can be `missing`; leave the word out of [rule]",
        ));
    }
    rule.level = args.level.unwrap_or(rule.level);
    let is_limited = rule.max_pairs != Rule::default().max_pairs || args.max_pairs.is_some();
    rule.max_pairs = args.max_pairs.unwrap_or(rule.max_pairs);
    if rule.max_pairs > PAIRS_MAX {
        return Err(Failure::usage(format!("--max-pairs {}: at most {PAIRS_MAX}", rule.max_pairs)));
    }
    rule.max_time_s = args.max_time.map(|limit| limit.as_secs_f64()).or(rule.max_time_s);
    rule.tail_margin = args.tail_margin.unwrap_or(rule.tail_margin);
    rule.anytime |= args.anytime;
    rule.estimand = args.estimand.unwrap_or(rule.estimand);
    rule.order = args.order.unwrap_or(rule.order);
    if rule.estimand == Estimand::Mean && (rule.anytime || rule.sessions.is_some()) {
        return Err(Failure::usage(
            "--estimand mean: it goes neither with --anytime nor with several sessions, which judge the typical pair; \
             leave them out",
        ));
    }
    // If a number of pairs is given, it is the limit. Otherwise time is the limit, and the default number of pairs is
    // the least number.
    rule.at_least_s = (!is_limited).then(|| rule.max_time_s.or(rule.at_least_s).unwrap_or(PATIENCE_S));
    Ok(())
}

/// Greatest number of pairs. Each pair takes a kilobyte of memory, or eight kilobytes at a low error level.
const PAIRS_MAX: u32 = 100_000;

/// Default time, in seconds, after which an undecided comparison ends.
const PATIENCE_S: f64 = 30.0;

/// Default greatest number of blocks of a sweep.
const BLOCKS_MAX: u32 = 100;

pub fn apply_sweep(definition: &mut Definition, args: &SweepArgs) -> Result<(), Failure> {
    definition.sweep = args.factor.clone().or(definition.sweep.take());
    definition.exhaustive |= args.rule.exhaustive;
    let (rule, stated) = (&mut definition.rule, &args.rule);
    rule.decide(&stated.metric);
    rule.allow(&stated.margin).map_err(Failure::usage)?;
    rule.level = stated.level.unwrap_or(rule.level);
    let saved = if args.commands.definition.is_some() { rule.max_pairs } else { BLOCKS_MAX };
    rule.max_pairs = stated.blocks.unwrap_or(saved);
    rule.max_time_s = stated.max_time.map(|limit| limit.as_secs_f64()).or(rule.max_time_s);
    rule.check_sweep().map_err(Failure::usage)
}

pub fn apply_runs(definition: &mut Definition, args: &RunArgs) -> Result<(), Failure> {
    let saved = match definition.runs {
        // Bounds on the command line apply only to an automatic number of runs, so they replace a fixed number in a
        // saved definition.
        Runs::Count(_) if args.min_runs.is_some() || args.max_runs.is_some() => Runs::Auto,
        saved => saved,
    };
    definition.runs = args.until.map(Runs::Until).or(args.runs).unwrap_or(saved);
    definition.min_runs = args.min_runs.or(definition.min_runs);
    definition.max_runs = args.max_runs.or(definition.max_runs);
    definition.rule.max_time_s =
        args.max_time.map(|limit| limit.as_secs_f64()).or(definition.rule.max_time_s);
    if let (Some(least), Some(most)) = (definition.min_runs, definition.max_runs)
        && least > most
    {
        return Err(Failure::usage(format!("--min-runs {least} is more than --max-runs {most}")));
    }
    if args.no_shell {
        definition.condition.shell = Shell::None;
    }
    Ok(())
}

/// Sets the defaults of verbs that examine a program in its ordinary surroundings: nothing is pinned or padded without
/// an option.
pub fn defaults_as_it_is(condition: &mut Condition, commands: &CommandArgs, stated: &ConditionArgs) {
    if condition.cpu == Placement::Auto {
        condition.cpu = Placement::Free;
    }
    if stated.env_pad.is_none() && commands.definition.is_none() {
        condition.env_pad = EnvPad::None;
    }
}

/// Sets the defaults of `run`. Nothing is compared, so nothing is pinned, and the environment is padded only if nothing
/// else moves the stack. With ASLR on, the kernel places the stack randomly in each run.
pub fn defaults_of_run(condition: &mut Condition, args: &RunArgs, machine: &Machine) {
    let is_random = machine.facts().randomize_va_space.is_some_and(|level| level > 0);
    let moves = condition.aslr != Aslr::Off && is_random;
    let padded = condition.env_pad;
    defaults_as_it_is(condition, &args.commands, &args.condition);
    if !moves {
        condition.env_pad = padded;
    }
}
