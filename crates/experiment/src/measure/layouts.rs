//! Layouts of built programs: how many pairs of runs share a layout, and which layouts are compared with each other.

use fauxplat_model::{CommandLine, Definition, Metric, Runs};
use fauxplat_plan::{Layout, Plan, expand};

use crate::median::median_of;
use crate::steer::{Bounds, Rounds};
use crate::surroundings::ProgramBuilds;
use crate::{Failure, Launch, Machine, aside, commands};

/// Minimum number of layouts in a comparison that makes its maximum number of pairs; this bounds how many pairs may
/// share a layout.
const LAYOUTS_MIN: u32 = 32;

/// Arrangement of the runs of a block, with the best number of pairs that share one layout of the programs. The number
/// is one unless building takes longer than running: with √(cost of a layout / cost of a pair) pairs, a given time
/// yields the most information if layouts and pairs vary alike (Kalibera and Jones, ISMM 2013).
pub(crate) fn per_layout(layout: Layout, build_ns: u64, pair_ns: f64, max_pairs: u32) -> Layout {
    let most = f64::from((max_pairs / LAYOUTS_MIN).max(1));
    let best = (build_ns as f64 / pair_ns.max(1.0)).sqrt().round().clamp(1.0, most) as u16;
    match best.max(layout.rounds()) {
        // A block of a duet already has two pairs.
        _ if matches!(layout, Layout::Duet(_)) => layout,
        rounds if rounds == layout.rounds() => layout,
        rounds if matches!(layout, Layout::Twice(_)) => Layout::Twice(rounds.div_ceil(2)),
        rounds => Layout::Repeated(rounds),
    }
}

/// Number of runs of each layout in a search for the slowest and the fastest layout.
const SEARCH_RUNS: u32 = 9;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkSeeds {
    These(Vec<u64>),
    /// The fastest and the slowest of this many layouts.
    WidestOf(u64),
}

impl std::str::FromStr for LinkSeeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || {
            format!(
                "`{text}` is neither two or more different link seeds such as 3,17 nor widest:N with N from 2 on"
            )
        };
        if let Some(count) = text.strip_prefix("widest:") {
            return count
                .parse()
                .ok()
                .filter(|count| (2..=1000).contains(count))
                .map(LinkSeeds::WidestOf)
                .ok_or_else(fail);
        }
        let seeds: Vec<u64> =
            text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| fail())?;
        let distinct = (1..seeds.len()).all(|at| !seeds[..at].contains(&seeds[at]));
        if seeds.len() < 2 || !distinct { Err(fail()) } else { Ok(LinkSeeds::These(seeds)) }
    }
}

/// Turns the one command of a definition into a command for each chosen layout. If the layouts had to be searched for,
/// returns a sentence about the search.
///
/// # Errors
/// Fails if the definition is not a single command that is built, or with an error of building and running.
pub fn choose(
    definition: &mut Definition,
    machine: &Machine,
    seeds: &LinkSeeds,
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
            let ([fastest, slowest], metric) = widest(definition, machine, *count)?;
            let by = match metric == definition.rule.metric {
                true => String::new(),
                false => format!(" by {}", metric.title()),
            };
            let said = format!(
                "layouts {fastest} and {slowest} were chosen as the fastest and the slowest of {count}{by}, in runs that are no \
                 part of this comparison"
            );
            (vec![fastest, slowest], Some(said))
        }
    };
    definition.commands = of_line(&line, &seeds);
    Ok(said)
}

/// Copies of a command line, one for each layout of its program, which the link seed gives.
pub fn of_line(line: &CommandLine, seeds: &[u64]) -> Vec<CommandLine> {
    let named = line.name.as_ref().map_or(String::new(), |name| format!("{name}, "));
    let layout = |&seed: &u64| CommandLine {
        name: Some(format!("{named}layout {seed}")),
        link_seed: Some(seed),
        ..line.clone()
    };
    seeds.iter().map(layout).collect()
}

/// Link seeds of the fastest and the slowest of the first `count` layouts, from a few interleaved runs of all, and the
/// metric by which they are ranked: the deciding metric, or wall time if those runs lack it.
fn widest(definition: &Definition, machine: &Machine, count: u64) -> Result<([u64; 2], Metric), Failure> {
    let (seeds, seed) = ((1..=count).collect::<Vec<u64>>(), definition.seed.unwrap_or(0));
    if expand(definition).map_err(Failure::usage)?.len() != 1 {
        return Err(Failure::usage(
            "--link-seeds takes no parameter lists: it compares layouts of one command",
        ));
    }
    let builds = ProgramBuilds::open(definition, seed)?;
    let mut builds = builds.ok_or_else(|| Failure::usage("there is no program to build"))?;
    let built = builds.candidates(&seeds)?;
    let mut layouts = Vec::new();
    for one in &built {
        layouts.extend(commands::resolve(definition, machine, &[Some(one.path.clone())])?);
    }
    let plan = Plan {
        commands: layouts.len() as u16,
        placement: definition.condition.cpu.clone(),
        env_pad: definition.condition.env_pad,
        heap: definition.condition.heap,
        layout: Layout::Single,
        seed,
    };
    let mut rounds = Rounds::new(plan, Bounds { runs: Runs::Count(SEARCH_RUNS), ..Bounds::default() });
    let samples = aside((machine, &Launch::spawner()), &layouts, &[], &mut rounds)?;
    let decides = definition.rule.metric;
    let medians = |metric| -> Option<Vec<f64>> {
        (0..seeds.len()).map(|command| median_of(&samples, command as u16, metric)).collect()
    };
    // The runs of the search have no counters and no printed metrics, so they may lack the deciding metric.
    let (metric, found) = match medians(decides) {
        Some(found) => (decides, found),
        None => (Metric::WALL, medians(Metric::WALL).unwrap_or_else(|| vec![0.0; seeds.len()])),
    };
    let order = |&a: &usize, &b: &usize| found[a].total_cmp(&found[b]);
    let most = (0..seeds.len()).max_by(order).unwrap_or(0);
    let least = (0..seeds.len()).min_by(order).unwrap_or(0);
    let fastest_first = if metric.more_is_better() { [most, least] } else { [least, most] };
    Ok((fastest_first.map(|at| seeds[at]), metric))
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

    #[test]
    fn link_seeds_are_several_or_a_search() {
        assert_eq!("3,17".parse(), Ok(LinkSeeds::These(vec![3, 17])));
        assert_eq!("widest:8".parse(), Ok(LinkSeeds::WidestOf(8)));
        for bad in ["3", "3,3", "", "widest:1", "widest:x", "a,b", "-1,2"] {
            assert!(bad.parse::<LinkSeeds>().is_err(), "{bad}");
        }
    }
}
