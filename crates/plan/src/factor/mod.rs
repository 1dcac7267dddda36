//! Sweeps: from the text on the command line (`env-size=0..4096:64*cpu`) to the levels that are visited.

mod apply;
mod error;
mod levels;
mod range;
mod stack;

use fauxplat_model::{Factor, Level};
use fauxplat_units::CpuSet;

pub use apply::apply;
pub use error::FactorError;
pub use stack::stack_class;

/// Features of this machine that a sweep can use with the present permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// CPUs on which the command may run.
    pub allowed: CpuSet,
    /// Frequencies that can be set, in ascending order; empty without cpufreq.
    pub frequencies_khz: Vec<u32>,
    /// Length in bytes of the shortest path of a directory that fauxplat can create.
    pub cwd_bytes_min: u16,
    /// Whether negative nice values and real-time policies are permitted.
    pub may_raise_priority: bool,
    /// Memory nodes that have memory; empty if the kernel reports no nodes.
    pub memory_nodes: CpuSet,
    /// Installed memory.
    pub memory_bytes: u64,
}

/// A requested sweep: one or two factors, and the levels at which the command is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    pub factors: Vec<Factor>,
    /// The levels of the factor. For two factors every combination, with the second factor varying fastest.
    pub levels: Vec<Level>,
}

/// Greatest number of levels. A larger number is most likely a typing error: the default sweep of the size of the
/// environment has 8193.
const LEVELS_MAX: usize = 20_000;

/// Parses a sweep. `places` are the names in braces in the command.
///
/// # Errors
/// Fails for an unknown factor, a range that is empty, reversed or too long, an impossible level, or a feature that the
/// machine lacks ([`FactorError::is_machine`]).
pub fn parse_sweep(text: &str, places: &[String], offer: &Offer) -> Result<Sweep, FactorError> {
    let parts: Vec<&str> = text.split(['*', '×']).map(str::trim).collect();
    // More than two factors are refused first, because each factor is expanded to all its levels as soon as it is
    // parsed.
    if parts.len() > 2 {
        return Err(FactorError::ThreeFactors);
    }
    let parsed: Vec<(Factor, Vec<Level>)> =
        parts.iter().map(|part| one(part, places, offer)).collect::<Result<_, _>>()?;
    let factors: Vec<Factor> = parsed.iter().map(|(factor, _)| factor.clone()).collect();
    let levels = match parsed.as_slice() {
        [(_, levels)] => levels.clone(),
        [(a, _), (b, _)] if a == b => return Err(FactorError::Twice(a.to_string())),
        [(_, first), (_, second)] => {
            let count = first.len() * second.len();
            if count > LEVELS_MAX {
                return Err(FactorError::TooMany { factor: text.to_owned(), count, most: LEVELS_MAX });
            }
            product(first, second)
        }
        _ => return Err(FactorError::ThreeFactors),
    };
    Ok(Sweep { factors, levels })
}

fn one(text: &str, places: &[String], offer: &Offer) -> Result<(Factor, Vec<Level>), FactorError> {
    let (name, range) = text.split_once('=').map_or((text, None), |(name, range)| (name, Some(range)));
    let factor = factor(name.trim(), places)?;
    let levels = levels::levels(&factor, range.map(str::trim), offer)?;
    let word = || factor.to_string();
    if let Some(twice) = repeated(&levels) {
        return Err(FactorError::LevelTwice { factor: word(), level: twice });
    }
    match levels.len() {
        0 => Err(FactorError::Empty(word())),
        1 => Err(FactorError::OneLevel { factor: word(), level: levels[0].name.clone() }),
        count if count > LEVELS_MAX => Err(FactorError::TooMany { factor: word(), count, most: LEVELS_MAX }),
        _ => Ok((factor, levels)),
    }
}

/// Finds a factor by its name. `param:n` is the parameter `n`, even if a factor has that name.
fn factor(name: &str, places: &[String]) -> Result<Factor, FactorError> {
    if let Some(built_in) = Factor::BUILT_IN.into_iter().find(|factor| factor.name() == name) {
        return Ok(built_in);
    }
    let parameter = name.strip_prefix("param:").unwrap_or(name);
    match places.iter().any(|place| place == parameter) {
        true => Ok(Factor::Parameter(parameter.to_owned())),
        false => {
            let known = Factor::BUILT_IN.map(|factor| factor.name().to_owned()).join(", ");
            Err(FactorError::Unknown { name: parameter.to_owned(), known })
        }
    }
}

/// The name of a level that occurs twice; `None` if all names differ.
fn repeated(levels: &[Level]) -> Option<String> {
    let mut names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_owned())
}

/// Every combination of the levels of two factors. A combination has a number if exactly one of the factors has
/// numbers.
fn product(first: &[Level], second: &[Level]) -> Vec<Level> {
    let combine = |(i, a): (usize, &Level), (j, b): (usize, &Level)| Level {
        name: format!("{} × {}", a.name, b.name),
        number: a.number.xor(b.number),
        settings: a.settings.iter().chain(&b.settings).cloned().collect(),
        cell: Some((i as u16, j as u16)),
    };
    let rows = first.iter().enumerate();
    rows.flat_map(|row| second.iter().enumerate().map(move |column| combine(row, column))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer() -> Offer {
        Offer {
            allowed: "0-1".parse().unwrap(),
            frequencies_khz: Vec::new(),
            cwd_bytes_min: 24,
            may_raise_priority: true,
            memory_nodes: "0-1".parse().unwrap(),
            memory_bytes: 8 << 30,
        }
    }

    fn parse(text: &str) -> Result<Sweep, FactorError> {
        parse_sweep(text, &["n".to_owned(), "cpu".to_owned()], &offer())
    }

    fn names(text: &str) -> Vec<String> {
        parse(text).unwrap().levels.into_iter().map(|level| level.name).collect()
    }

    #[test]
    fn ranges_lists_and_defaults() {
        assert_eq!(names("env-size=0..64:16"), ["0", "16", "32", "48", "64"]);
        assert_eq!(parse("env-size").unwrap().levels.len(), 8193);
        assert_eq!(names("aslr"), ["on", "off"]);
        assert_eq!(names("cpu"), ["0", "1"]);
        assert_eq!(names("cpu=0,1,0-1"), ["0", "1", "0-1"]);
        assert_eq!(names("n=1..4"), ["1", "2", "3", "4"]);
        assert_eq!(names("n=8,1,2"), ["1", "2", "8"], "neighbours in number are neighbours in the list");
        assert_eq!(names("param:n=fast,slow"), ["fast", "slow"]);
        assert_eq!(names("param:cpu=a,b"), ["a", "b"]);
        assert_eq!(names("priority=0,19,fifo:1"), ["0", "19", "fifo:1"]);
        assert_eq!(names("code-align"), ["16", "32", "64"]);
        assert_eq!(names("link-order=0,7"), ["0", "7"]);
        assert_eq!(names("limit=none,cpu:50%"), ["none", "cpu:50%"]);
        assert_eq!(names("stack-limit"), ["8MiB", "64MiB", "1GiB", "unlimited"]);
        assert_eq!(names("memory-policy"), ["local", "bind:0", "bind:1"]);
        assert_eq!(names("memory-policy=interleave:0+1,bind:0-1,preferred:1").len(), 3);
        assert_eq!(names("background=none,burner@all:50%"), ["none", "burner@all:50%"]);
    }

    #[test]
    fn numbers_are_kept_where_levels_have_them() {
        let numbers = |text: &str| parse(text).unwrap().levels.iter().map(|it| it.number).collect::<Vec<_>>();
        assert_eq!(numbers("heap-pad=0..32:16"), [Some(0.0), Some(16.0), Some(32.0)]);
        assert_eq!(numbers("n=a,2"), [None, None], "one word makes all of them words");
        assert_eq!(numbers("link-order=1..2"), [None, None], "seeds are no distances");
        assert_eq!(numbers("n=1,2.5"), [Some(1.0), Some(2.5)]);
        assert_eq!(numbers("limit=cpu:25%,cpu:50%"), [Some(25.0), Some(50.0)]);
        assert_eq!(numbers("stack-limit=64MiB,8MiB"), [Some(f64::from(8 << 20)), Some(f64::from(64 << 20))]);
        assert_eq!(numbers("stack-limit=8MiB,unlimited"), [None, None]);
    }

    #[test]
    fn products_are_every_combination() {
        let sweep = parse("env-size=0..32:16*aslr").unwrap();
        assert_eq!(sweep.factors, [Factor::EnvSize, Factor::Aslr]);
        assert_eq!(sweep.levels.len(), 6);
        assert_eq!((sweep.levels[3].name.as_str(), sweep.levels[3].cell), ("16 × off", Some((1, 1))));
        assert_eq!(sweep.levels[3].number, Some(16.0));
        assert_eq!(sweep.levels[3].settings.len(), 2);
        assert_eq!(parse("aslr×cpu").unwrap().levels.len(), 4);
    }

    #[test]
    fn mistakes_are_told_in_one_line() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        insta::assert_snapshot!(
            [
                "colour",
                "m=1..3",
                "env-size=4096..0",
                "env-size=5..5",
                "env-size=",
                "env-size=0..1:0",
                "env-size=0..70000",
                "env-size=x..y",
                "env-size=-4..8",
                "n",
                "n=1..1000000",
                "n=1",
                "n=1,1",
                "cpu=7",
                "cpu=x",
                "aslr=maybe",
                "priority=20",
                "priority=batch",
                "background=storm",
                "limit=disk:3",
                "stack-limit=8MiB,511KiB",
                "limit=memory:99TiB",
                "huge-pages=big",
                "memory-policy=near,local",
                "memory-policy=bind:0+2,local",
                "cwd-length=1..64:8",
                "aslr*aslr",
                "aslr*cpu*n=1,2",
                "env-size*env-size",
                "env-size=0..4096*n=1..100",
                "frequency",
                "argv-size=1..2..3",
                "code-align=16,24",
                "link-order=a,b",
                "link-padding=0..99999:9999",
            ]
            .map(|text| format!("{text}: {}", say(text)))
            .join("\n")
        );
    }

    #[test]
    fn what_the_machine_lacks_is_not_a_mistake_of_the_user() {
        assert!(parse("frequency").unwrap_err().is_machine());
        let poor = Offer { allowed: "3".parse().unwrap(), ..Offer::default() };
        let refused = |text: &str| parse_sweep(text, &[], &poor).unwrap_err();
        assert!(refused("cpu").is_machine() && refused("background=none,burner@other").is_machine());
        assert!(refused("priority=0,-5").is_machine() && refused("priority=0,fifo:1").is_machine());
        assert!(!parse("cpu=9").unwrap_err().is_machine());
    }
}
