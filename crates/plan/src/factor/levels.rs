//! The levels of each factor: syntax, bounds and defaults.

use fauxplat_model::{
    Background, Beside, Factor, HugePages, Level, Limit, MemoryPolicy, Policy, Priority, Setting, StackLimit,
};
use fauxplat_units::CpuSet;

use super::range::items;
use super::{FactorError, Offer};

pub(super) fn levels(factor: &Factor, range: Option<&str>, offer: &Offer) -> Result<Vec<Level>, FactorError> {
    check_machine(factor, offer)?;
    let items = match range {
        Some(range) => items(factor, range)?,
        None => defaults(factor, offer)?,
    };
    let mut levels: Vec<Level> =
        items.iter().map(|item| level(factor, item, offer)).collect::<Result<_, _>>()?;
    // Levels that are all numbers are sorted, since they lie on an axis. If any level is a word, there is no axis and
    // the numbers are dropped.
    match levels.iter().all(|level| level.number.is_some()) {
        true => {
            levels.sort_by(|a, b| a.number.unwrap_or(0.0).total_cmp(&b.number.unwrap_or(0.0)));
            Ok(levels)
        }
        false => Ok(levels.into_iter().map(|level| Level { number: None, ..level }).collect()),
    }
}

/// The levels of a factor, as text, that are swept when no range is given.
fn defaults(factor: &Factor, offer: &Offer) -> Result<Vec<String>, FactorError> {
    let words = |list: &[&str]| Ok(list.iter().map(|&word| word.to_owned()).collect());
    let range = |text: &str| items(factor, text);
    match factor {
        // Two pages, byte by byte, as in the published sweep of the size of the environment (see labs/env-size).
        Factor::EnvSize => range("0..8192"),
        Factor::ArgvSize => range("0..4096"),
        Factor::CwdLength => range(&format!("{}..1024:32", offer.cwd_bytes_min.next_multiple_of(32))),
        Factor::Aslr => words(&["on", "off"]),
        // Allocators align to 16 bytes, so displacements in between have no effect.
        Factor::HeapPad => range("0..4080:16"),
        Factor::Cpu => Ok(offer.allowed.iter().map(|cpu| cpu.0.to_string()).collect()),
        Factor::Priority if offer.may_raise_priority => words(&["0", "10", "19", "-10", "fifo:1"]),
        Factor::Priority => words(&["0", "10", "19"]),
        Factor::Background if offer.allowed.len() > 1 => {
            words(&["none", "burner@same", "burner@other", "burner@all"])
        }
        Factor::Background => words(&["none", "burner@same"]),
        Factor::Frequency => Ok(spread(&offer.frequencies_khz)),
        Factor::Limit => words(&["none", "cpu:75%", "cpu:50%", "cpu:25%"]),
        Factor::HugePages => words(&["inherit", "never", "malloc"]),
        Factor::MemoryPolicy => {
            let bound = offer.memory_nodes.iter().map(|node| format!("bind:{node}"));
            Ok(std::iter::once("local".to_owned()).chain(bound).collect())
        }
        // With a larger limit of the stack, memory mappings begin further down, by the excess over the minimum gap of
        // 128 MiB; without a limit they grow from the bottom up.
        Factor::StackLimit => words(&["8MiB", "64MiB", "1GiB", "unlimited"]),
        Factor::Locale => words(&["C", "C.UTF-8"]),
        Factor::LinkOrder => range("0..15"),
        Factor::LinkPadding => range("0..240:16"),
        Factor::CodeAlign => words(&["16", "32", "64"]),
        Factor::Parameter(name) => Err(FactorError::NoDefault(name.clone())),
    }
}

/// The lowest, a middle and the highest of ascending frequencies in kHz, as text.
fn spread(frequencies_khz: &[u32]) -> Vec<String> {
    let last = frequencies_khz.len().saturating_sub(1);
    let mut chosen: Vec<u32> =
        [0, last / 2, last].iter().filter_map(|&index| frequencies_khz.get(index).copied()).collect();
    chosen.dedup();
    chosen.iter().map(u32::to_string).collect()
}

/// Checks that the machine has the features that the factor needs.
fn check_machine(factor: &Factor, offer: &Offer) -> Result<(), FactorError> {
    match factor {
        Factor::Frequency if offer.frequencies_khz.is_empty() => Err(absent(
            factor,
            "this machine has no cpufreq (no /sys/devices/system/cpu/cpu*/cpufreq), so its clock cannot be set",
        )),
        Factor::MemoryPolicy if offer.memory_nodes.is_empty() => {
            Err(absent(factor, "this kernel tells of no memory nodes (there is no /sys/devices/system/node)"))
        }
        Factor::Cpu if offer.allowed.len() < 2 => {
            Err(absent(factor, &format!("only CPU {} is allowed to this process", offer.allowed)))
        }
        _ => Ok(()),
    }
}

/// Parses one level of a factor and checks that it is possible on this machine.
fn level(factor: &Factor, item: &str, offer: &Offer) -> Result<Level, FactorError> {
    let wrong = |reason: String| FactorError::Level { factor: factor.to_string(), reason };
    let sized = |least, most, why, setting: fn(u16) -> Setting| {
        let bytes = bounded(factor, item, least, most, why)?;
        Ok((setting(bytes), Some(f64::from(bytes))))
    };
    let (setting, number) = match factor {
        Factor::EnvSize => sized(0, u16::MAX, BEYOND_PAGES, Setting::EnvSize),
        Factor::ArgvSize => sized(0, u16::MAX, BEYOND_PAGES, Setting::ArgvSize),
        Factor::CwdLength => sized(offer.cwd_bytes_min, PATH_BYTES_MAX, " (PATH_MAX)", Setting::CwdLength),
        Factor::HeapPad => sized(0, u16::MAX, BEYOND_PAGES, Setting::HeapPad),
        Factor::Aslr => aslr(item).map(|on| (Setting::Aslr(on), None)).map_err(wrong),
        Factor::Cpu => cpus(item, offer).map(|cpus| (Setting::Cpus(cpus), None)).map_err(wrong),
        Factor::Priority => priority(factor, item, offer),
        Factor::Background => background(factor, item, offer),
        Factor::Frequency => frequency(factor, item, offer),
        Factor::Limit => limit(factor, item, offer),
        Factor::HugePages => pages(item).map(|pages| (Setting::HugePages(pages), None)).map_err(wrong),
        Factor::MemoryPolicy => {
            memory_policy(item, offer).map(|policy| (Setting::MemoryPolicy(policy), None)).map_err(wrong)
        }
        Factor::StackLimit => item.parse().map(stack_limit).map_err(wrong),
        Factor::Locale => locale(item).map(|name| (Setting::Locale(name), None)).map_err(wrong),
        Factor::LinkOrder => match item.parse::<u64>() {
            Ok(seed) => Ok((Setting::LinkOrder(seed), None)),
            Err(_) => Err(wrong(format!("`{item}` is not a link seed: a number, 0 for the order as it is"))),
        },
        Factor::LinkPadding => {
            let bytes = bounded(factor, item, 0, u16::MAX, BEYOND_PAGES)?;
            Ok((Setting::LinkPadding(bytes.into()), Some(f64::from(bytes))))
        }
        Factor::CodeAlign => {
            let bytes = bounded(factor, item, 1, 4096, " (a page)")?;
            match bytes.is_power_of_two() {
                true => Ok((Setting::CodeAlign(bytes.into()), Some(f64::from(bytes)))),
                false => Err(wrong(format!("{bytes} is not a power of two"))),
            }
        }
        Factor::Parameter(name) => {
            let setting = Setting::Parameter { name: name.clone(), value: item.to_owned() };
            Ok((setting, item.parse::<f64>().ok().filter(|number| number.is_finite())))
        }
    }?;
    Ok(Level { name: item.to_owned(), number, settings: vec![setting], cell: None })
}

/// Reason, in an error, for the upper bound of the sizes that displace the stack or the heap: their effect repeats with
/// every page.
const BEYOND_PAGES: &str = ": sixteen pages of 4096 bytes, after which nothing new comes";
/// Greatest length in bytes of the working directory's path: `PATH_MAX` of `limits.h` less room for file names that the
/// program appends.
const PATH_BYTES_MAX: u16 = 3072;

fn bounded(
    factor: &Factor,
    item: &str,
    least: u16,
    most: u16,
    why: &'static str,
) -> Result<u16, FactorError> {
    let number: Option<u64> = item.parse().ok();
    let Some(number) = number else {
        return Err(FactorError::Range { factor: factor.to_string(), range: item.to_owned() });
    };
    let fits = u16::try_from(number).ok().filter(|bytes| (least..=most).contains(bytes));
    fits.ok_or_else(|| FactorError::Beyond {
        factor: factor.to_string(),
        value: item.to_owned(),
        low: least.into(),
        high: most.into(),
        why,
    })
}

fn aslr(item: &str) -> Result<bool, String> {
    match item {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{item}` is neither on nor off")),
    }
}

/// CPUs of a level. A comma would end the level in the text of a sweep, so lists are written as `0-1` or `0+2`.
fn cpus(item: &str, offer: &Offer) -> Result<CpuSet, String> {
    let cpus: CpuSet = item.replace('+', ",").parse().map_err(|_| {
        format!("`{item}` names no CPUs: a number, a range such as 0-1, or several joined by +")
    })?;
    let forbidden = cpus.without(&offer.allowed);
    match (cpus.is_empty(), forbidden.is_empty()) {
        (true, _) => Err(format!("`{item}` names no CPU")),
        (_, false) => {
            Err(format!("CPU {forbidden} is not online or not allowed; allowed are {}", offer.allowed))
        }
        _ => Ok(cpus),
    }
}

type Made = Result<(Setting, Option<f64>), FactorError>;

fn absent(factor: &Factor, reason: &str) -> FactorError {
    FactorError::Absent { factor: factor.to_string(), reason: reason.to_owned() }
}

fn priority(factor: &Factor, item: &str, offer: &Offer) -> Made {
    let wrong = |reason: String| FactorError::Level { factor: factor.to_string(), reason };
    let raised = |level: Priority| {
        let needs = match level {
            Priority::Nice(nice) => nice < 0,
            Priority::RealTime(_) => true,
        };
        match needs && !offer.may_raise_priority {
            true => {
                Err(absent(factor, &format!("no permission for {item} (needs CAP_SYS_NICE: run as root)")))
            }
            false => Ok(level),
        }
    };
    if let Ok(nice) = item.parse::<i8>() {
        return match (-20..=19).contains(&nice) {
            true => Ok((Setting::Priority(raised(Priority::Nice(nice))?), Some(f64::from(nice)))),
            false => Err(wrong(format!("nice value {nice} is beyond -20 to 19"))),
        };
    }
    match item.parse::<Policy>() {
        Ok(Policy::Other) => Ok((Setting::Priority(Priority::Nice(0)), None)),
        Ok(policy) => Ok((Setting::Priority(raised(Priority::RealTime(policy))?), None)),
        Err(_) => Err(wrong(format!("`{item}` is not a priority: a nice value, fifo:N or rr:N"))),
    }
}

fn background(factor: &Factor, item: &str, offer: &Offer) -> Made {
    let load: Background =
        item.parse().map_err(|reason| FactorError::Level { factor: factor.to_string(), reason })?;
    let elsewhere = matches!(load, Background::Burner { beside: Beside::Other, .. });
    match elsewhere && offer.allowed.len() < 2 {
        true => Err(absent(factor, &format!("no CPU but {} is allowed to this process", offer.allowed))),
        false => Ok((Setting::Background(load), None)),
    }
}

fn frequency(factor: &Factor, item: &str, offer: &Offer) -> Made {
    let wanted = item.parse::<u32>().ok().filter(|wanted| offer.frequencies_khz.contains(wanted));
    wanted.map(|khz| (Setting::FrequencyKhz(khz), Some(f64::from(khz)))).ok_or_else(|| {
        let known: Vec<String> = offer.frequencies_khz.iter().map(u32::to_string).collect();
        FactorError::Level {
            factor: factor.to_string(),
            reason: format!("`{item}` is not a frequency of this machine: {} kHz", known.join(", ")),
        }
    })
}

fn limit(factor: &Factor, item: &str, offer: &Offer) -> Made {
    let wrong = |reason: String| FactorError::Level { factor: factor.to_string(), reason };
    let limit: Limit = item.parse().map_err(wrong)?;
    if let Some(memory) = limit.memory.filter(|memory| memory.0 > offer.memory_bytes) {
        return Err(wrong(format!("{memory} are more than this machine has")));
    }
    let number = only_number(&limit);
    Ok((Setting::Limit(limit), number))
}

/// The number in a limit of a control group; `None` if the limit states several quantities or none.
fn only_number(limit: &Limit) -> Option<f64> {
    let stated = limit.to_string();
    let numbers = [
        limit.cpu_percent.map(f64::from),
        limit.memory.map(|memory| memory.0 as f64),
        limit.weight.map(f64::from),
        limit.swap.map(|swap| swap.0 as f64),
        limit.pids.map(f64::from),
    ];
    numbers.into_iter().flatten().next().filter(|_| !stated.contains('+'))
}

fn stack_limit(limit: StackLimit) -> (Setting, Option<f64>) {
    let number = match limit {
        StackLimit::Bytes(size) => Some(size.0 as f64),
        StackLimit::Inherit | StackLimit::Unlimited => None,
    };
    (Setting::StackLimit(limit), number)
}

/// Memory policy of a level, with its nodes. Lists of nodes are written with `+` instead of a comma, as in [`cpus`].
fn memory_policy(item: &str, offer: &Offer) -> Result<MemoryPolicy, String> {
    let policy: MemoryPolicy = item.replace('+', ",").parse()?;
    let absent = policy.nodes().without(&offer.memory_nodes);
    match absent.is_empty() {
        true => Ok(policy),
        false => Err(format!(
            "`{item}`: no node {absent} with memory for this process; there is {}",
            offer.memory_nodes
        )),
    }
}

fn pages(item: &str) -> Result<HugePages, String> {
    match item {
        "inherit" => Ok(HugePages::Inherit),
        "never" => Ok(HugePages::Never),
        "malloc" => Ok(HugePages::Malloc),
        _ => Err(format!("`{item}` is not a choice of pages: inherit, never, malloc")),
    }
}

/// The name of a locale, in the form that locale(1) lists: `language_TERRITORY.codeset@modifier`.
fn locale(item: &str) -> Result<String, String> {
    let named = |byte: u8| byte.is_ascii_alphanumeric() || b"_.@-+".contains(&byte);
    match !item.is_empty() && item.bytes().all(named) {
        true => Ok(item.to_owned()),
        false => {
            Err(format!("`{item}` is not the name of a locale, such as C.UTF-8 or de_DE.UTF-8 (locale -a)"))
        }
    }
}
