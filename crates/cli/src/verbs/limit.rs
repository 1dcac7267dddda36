//! `fauxplat limit`: what happens to programs under limits, and what groups take from each other.

use fauxplat_experiment::measure::limit::Limiting;
use fauxplat_experiment::{Driver, Event, Failure, Listener, Machine, measure};
use fauxplat_model::document::Findings;
use fauxplat_model::{CommandLine, Definition, Limit};
use fauxplat_sys::clock::monotonic_ns;
use fauxplat_units::Nanos;

use crate::begin::{beginning, conclude};
use crate::output;
use fauxplat_options::define;
use fauxplat_options::{LimitArgs, OutputArgs};

/// Name of the control group where the options describe only one, without a name.
const ONLY: &str = "limited";

/// Greatest number of commands, since each has a spawner process of its own.
const COMMANDS_MAX: usize = 64;

pub(crate) fn limit(args: &LimitArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let mut definition = define::definition(&args.commands, &args.condition, &machine)?;
    refuse(&definition)?;
    define::defaults_as_it_is(&mut definition.condition, &args.commands, &args.condition);
    // A limit in the definition becomes the base of the limits of all groups, which this verb creates itself.
    let base = args.limits.limit().or(&std::mem::take(&mut definition.condition.limit));
    let mut groups = groups(args, &base);
    let group_of = assign(&mut definition.commands, &groups)?;
    groups.iter_mut().for_each(|(_, limit)| *limit = std::mem::take(limit).or(&base));
    let asked = Limiting { groups, group_of, on_oom: args.on_oom.on_oom(), longest: args.max_time };
    let shown =
        OutputArgs { quiet: args.output.quiet || args.watch.is_some(), ..OutputArgs::clone(&args.output) };
    let mut beginning = beginning("limit", definition, machine, (&shown, &args.end), invocation)?;
    beginning.listeners.add(Live::new(args.watch.filter(|_| !args.output.is_quiet()), &args.output));
    let mut driver = Driver::of_commands(beginning)?;
    let (found, failed) = measure::limit::limit(&mut driver, &asked);
    conclude(driver.finish(Findings::Limit(Box::new(found)), failed), &args.output, Ok(()))
}

/// The groups that `--group` names, or else a single group with the limits of the other options.
fn groups(args: &LimitArgs, base: &Limit) -> Vec<(String, Limit)> {
    match args.group.is_empty() {
        true => vec![(ONLY.to_owned(), base.clone())],
        false => args.group.clone(),
    }
}

/// The index of the group of each command. A group's name at the beginning of a command line is removed from the line.
/// A single group holds all commands; of several groups, each command names its own, or else the commands and the
/// groups correspond by their order.
fn assign(commands: &mut [CommandLine], groups: &[(String, Limit)]) -> Result<Vec<usize>, Failure> {
    if let Some((name, _)) = groups
        .iter()
        .enumerate()
        .find_map(|(at, group)| groups[..at].iter().any(|before| before.0 == group.0).then_some(group))
    {
        return Err(Failure::usage(format!("--group {name}: there are two groups of this name")));
    }
    if commands.is_empty() {
        return Err(Failure::usage("there is no command to run"));
    }
    if commands.len() > COMMANDS_MAX {
        let given = commands.len();
        return Err(Failure::usage(format!(
            "{given} commands at the same time are too many: {COMMANDS_MAX} at most"
        )));
    }
    let named: Vec<Option<usize>> = commands.iter().map(|line| named_group(&line.command, groups)).collect();
    let group_of = match (groups.len(), named.iter().all(Option::is_some)) {
        (_, true) => named.iter().copied().flatten().collect(),
        (1, false) => vec![0; commands.len()],
        (several, false) if named.iter().all(Option::is_none) && commands.len() == several => {
            (0..several).collect()
        }
        (several, false) => {
            let example = &groups[0].0;
            return Err(Failure::usage(format!(
                "{} commands for {several} groups: say which runs where, as in '{example}=CMD', or give one for each group",
                commands.len()
            )));
        }
    };
    if let Some(empty) = (0..groups.len()).find(|at| !group_of.contains(at)) {
        return Err(Failure::usage(format!("--group {}: no command runs in it", groups[empty].0)));
    }
    for (line, group) in commands.iter_mut().zip(&named) {
        if let Some(group) = group {
            line.command = line.command[groups[*group].0.len() + 1..].trim_start().to_owned();
        }
    }
    Ok(group_of)
}

/// Index of the group whose name begins the line, as in `GROUP=CMD`.
fn named_group(line: &str, groups: &[(String, Limit)]) -> Option<usize> {
    let (name, _) = line.split_once('=')?;
    groups.iter().position(|(group, _)| group == name)
}

/// Refuses options that apply to timed runs alone.
fn refuse(definition: &Definition) -> Result<(), Failure> {
    let measured = [
        ("--table", !definition.tables.is_empty()),
        ("--metric-from", !definition.printed.is_empty()),
        ("-e", !definition.counters.is_empty()),
        ("--region", !definition.regions.is_empty()),
        ("--control", definition.control.is_some()),
        ("--simulated", definition.condition.simulate.is_some()),
    ];
    if let Some((option, _)) = measured.iter().find(|(_, is_there)| *is_there) {
        return Err(Failure::usage(format!(
            "{option}: what runs in groups here is watched and not timed; leave it out, or take `fauxplat run --limit`"
        )));
    }
    match definition.parameters.is_empty() && definition.warmup == 0 {
        true => Ok(()),
        false => Err(Failure::usage(
            "-L, -P, --warmup: `limit` runs all commands once, at the same time; write out each of them",
        )),
    }
}

/// A listener that prints how much of their limits the groups use: a line at intervals, and events at once.
struct Live {
    every_ns: Option<u64>,
    is_quiet: bool,
    began_ns: u64,
    next_ns: u64,
}

impl Live {
    fn new(every: Option<Nanos>, output: &OutputArgs) -> Self {
        let now_ns = monotonic_ns();
        let every_ns = every.map(|every| every.0.max(LINES_EVERY_NS));
        Live { every_ns, is_quiet: output.is_quiet(), began_ns: now_ns, next_ns: now_ns }
    }
}

/// Least interval between two lines of the display: lines at a faster rate cannot be read, and the groups are not read
/// more often.
const LINES_EVERY_NS: u64 = 20_000_000;

impl Listener for Live {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Progress(standing) => {
                let (Some(every_ns), now_ns) = (self.every_ns, monotonic_ns()) else { return };
                if now_ns >= self.next_ns {
                    self.next_ns = now_ns + every_ns;
                    let passed_s = (now_ns - self.began_ns) as f64 / 1e9;
                    output::complain(&format!("{passed_s:.1} s: {}", standing.words));
                }
            }
            Event::Warning(warning) if !self.is_quiet => output::complain(warning),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(commands: &[&str], groups: &[&str]) -> Result<(Vec<usize>, Vec<String>), String> {
        let line = |command: &&str| CommandLine { command: (*command).to_owned(), ..CommandLine::default() };
        let mut lines: Vec<CommandLine> = commands.iter().map(line).collect();
        let groups: Vec<(String, Limit)> =
            groups.iter().map(|name| ((*name).to_owned(), Limit::default())).collect();
        let group_of = assign(&mut lines, &groups).map_err(|failure| failure.to_string())?;
        Ok((group_of, lines.into_iter().map(|line| line.command).collect()))
    }

    #[test]
    fn commands_name_their_group_or_have_the_one_in_their_place() {
        let of = |commands: &[&str], groups: &[&str]| assigned(commands, groups).unwrap();
        assert_eq!(of(&["a", "b"], &["one"]).0, [0, 0], "one group has all");
        assert_eq!(of(&["a", "b"], &["x", "y"]).0, [0, 1]);
        let named = of(&["y=a 1", "x=b", "y=A=1 c"], &["x", "y"]);
        assert_eq!(named, (vec![1, 0, 1], ["a 1", "b", "A=1 c"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        let of = |commands: &[&str], groups: &[&str]| assigned(commands, groups).unwrap_err();
        assert!(of(&["a", "b", "c"], &["x", "y"]).contains("3 commands for 2 groups"));
        assert!(of(&["x=a", "b"], &["x", "y"]).contains("'x=CMD'"), "half of them named");
        assert!(of(&["x=a", "x=b"], &["x", "y"]).contains("--group y: no command"));
        assert!(of(&["a", "b"], &["x", "x"]).contains("two groups of this name"));
    }
}
