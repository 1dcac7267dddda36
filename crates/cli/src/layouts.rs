//! Comparisons of programs that fauxplat builds: a layout per block, or certain layouts against each other.

use fauxplat_model::{Build, CommandLine, Definition, Runs};
use fauxplat_plan::{Layout, Plan, expand};

use crate::args::{CommandArgs, CompareArgs, LinkSeeds};
use crate::commands;
use crate::failure::Failure;
use crate::foundry::Foundry;
use crate::progress::Progress;
use crate::session::{executor, median_of};
use crate::steering::{Recorder, Rounds};

/// What runs when only builds are given.
const PROGRAM: &str = "{program}";

/// The commands that are compared, before they get their builds: the one line that was given stands for both A and B.
pub(crate) fn commands(args: &CompareArgs) -> CommandArgs {
    let mut given = or_program(&args.commands, args.build_a.is_some() || args.build.is_given());
    if args.build_a.is_some() && given.commands.len() == 1 {
        given.commands.push(given.commands[0].clone());
    }
    given
}

/// The commands that were given, or the built program by itself.
pub(crate) fn or_program(commands: &CommandArgs, builds: bool) -> CommandArgs {
    let mut given = commands.clone();
    if builds && given.commands.is_empty() && given.input.is_none() {
        given.commands.push(PROGRAM.to_owned());
    }
    given
}

/// Gives A and B their builds.
pub(crate) fn apply_builds(definition: &mut Definition, args: &CompareArgs) -> Result<(), Failure> {
    let (Some(a), Some(b)) = (&args.build_a, &args.build_b) else { return Ok(()) };
    let [first, second] = definition.commands.as_mut_slice() else {
        let count = definition.commands.len();
        return Err(Failure::usage(format!(
            "--build-a and --build-b build the programs of one command, or of two, not of {count}; use --build with -L"
        )));
    };
    for (command, line, name) in [(first, a, "A"), (second, b, "B")] {
        command.build = Some(Build { line: line.clone(), objects: Vec::new() });
        command.name.get_or_insert_with(|| name.to_owned());
    }
    Ok(())
}

/// Pairs may share layouts until no more than this many layouts fit into the limit of pairs.
const LAYOUTS_MIN: u32 = 32;

/// How many pairs share a layout. One, unless building takes longer than running: the most is learnt in a given time with
/// √(cost of a layout / cost of a pair) pairs each, if layouts and pairs vary alike (Kalibera and Jones, ISMM 2013).
pub(crate) fn per_layout(layout: Layout, build_ns: u64, pair_ns: f64, max_pairs: u32) -> Layout {
    let most = f64::from((max_pairs / LAYOUTS_MIN).max(1));
    let best = (build_ns as f64 / pair_ns.max(1.0)).sqrt().round().clamp(1.0, most) as u16;
    match best.max(layout.rounds()) {
        // A duet has its own two rounds.
        _ if matches!(layout, Layout::Duet(_)) => layout,
        rounds if rounds == layout.rounds() => layout,
        rounds => Layout::Repeated(rounds),
    }
}

/// Runs of each layout in a search for the slowest and the fastest.
const SEARCH_RUNS: u32 = 9;

/// Makes one command per layout. After a search, a sentence that says so.
pub(crate) fn choose(
    definition: &mut Definition,
    seeds: &LinkSeeds,
    args: &CompareArgs,
) -> Result<Option<String>, Failure> {
    let [line] = definition.commands.as_slice() else {
        return Err(Failure::usage("--link-seeds compares layouts of one command with each other"));
    };
    if line.build.is_none() {
        return Err(Failure::usage("--link-seeds needs --build, or --objects and --link"));
    }
    let line = line.clone();
    let (seeds, said) = match seeds {
        LinkSeeds::These(seeds) => (seeds.clone(), None),
        LinkSeeds::WidestOf(count) => {
            let [fastest, slowest] = widest(definition, *count, args.output.quiet)?;
            let said = format!(
                "layouts {fastest} and {slowest} were chosen as the fastest and the slowest of {count}, in runs that are no \
                 part of this comparison"
            );
            (vec![fastest, slowest], Some(said))
        }
    };
    definition.commands = of_line(&line, &seeds);
    Ok(said)
}

/// One command per layout of a program.
pub(crate) fn of_line(line: &CommandLine, seeds: &[u64]) -> Vec<CommandLine> {
    let named = line.name.as_ref().map_or(String::new(), |name| format!("{name}, "));
    let layout = |&seed: &u64| CommandLine {
        name: Some(format!("{named}layout {seed}")),
        link_seed: Some(seed),
        ..line.clone()
    };
    seeds.iter().map(layout).collect()
}

/// The link seeds of the fastest and of the slowest of the first layouts, from a few interleaved runs of all.
fn widest(definition: &Definition, count: u64, quiet: bool) -> Result<[u64; 2], Failure> {
    let (seeds, seed) = ((1..=count).collect::<Vec<u64>>(), definition.seed.unwrap_or(0));
    if expand(definition).map_err(Failure::usage)?.len() != 1 {
        return Err(Failure::usage(
            "--link-seeds takes no parameter lists: it compares layouts of one command",
        ));
    }
    let mut foundry =
        Foundry::open(definition, seed)?.ok_or_else(|| Failure::usage("there is no program to build"))?;
    let built = foundry.candidates(&seeds)?;
    let machine = fauxplat_topology::discover(std::path::Path::new("/"));
    let mut layouts = Vec::new();
    for one in &built {
        layouts.extend(commands::resolve(definition, &machine.cpu, &[Some(one.path.clone())])?);
    }
    let plan = Plan {
        commands: layouts.len() as u16,
        placement: definition.condition.cpu.clone(),
        env_pad: definition.condition.env_pad,
        heap: definition.condition.heap,
        layout: Layout::Single,
        seed,
    };
    let (mut recorder, progress) = (Recorder::default(), Progress::new(quiet));
    let mut rounds = Rounds::new(&mut recorder, &layouts, plan, Runs::Count(SEARCH_RUNS), &progress);
    executor(&layouts)?.execute(&mut rounds)?;
    progress.end();
    let metric = definition.rule.metric;
    let median = |command: usize| median_of(&recorder.samples, command as u16, metric).unwrap_or(0.0);
    let order = |&a: &usize, &b: &usize| median(a).total_cmp(&median(b));
    let slowest = (0..seeds.len()).max_by(order).unwrap_or(0);
    let fastest = (0..seeds.len()).min_by(order).unwrap_or(0);
    Ok([seeds[fastest], seeds[slowest]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_reused_only_when_they_are_expensive() {
        assert_eq!(per_layout(Layout::Single, 1_000_000, 20e6, 128), Layout::Single);
        assert_eq!(per_layout(Layout::Mirrored, 1_000_000, 20e6, 128), Layout::Mirrored);
        assert_eq!(per_layout(Layout::Single, 180_000_000, 20e6, 128), Layout::Repeated(3));
        assert_eq!(per_layout(Layout::Single, 180_000_000_000, 20e6, 128), Layout::Repeated(4));
        assert_eq!(per_layout(Layout::Mirrored, 100_000_000, 20e6, 128), Layout::Mirrored);
        assert_eq!(per_layout(Layout::Single, 180_000_000_000, 20e6, 12), Layout::Single);
    }
}
