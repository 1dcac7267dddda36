//! The chain of conclusions from the whole difference to its causes.

use super::account::{Difference, account};
use super::causes::{self, Case};
use super::differences::differences;
use super::shares;
use crate::evidence::{Evidence, Simulated, Traced};
use crate::findings::{Account, Cause, Counted, Difference as Condition, Excluded, Function, Grade, Kind};
use crate::question::Question;

/// Time that the second cause explains, relative to the first, from which on the second one could be the real cause.
const RIVAL: f64 = 0.6;
/// Maximum number of rows of each table of the report.
const ROWS: usize = 30;
/// Additional time relative to that of the function with the largest, below which a function is left out of the table.
const SMALL: f64 = 0.02;
/// Relative change of a count up to which both programs have the same count.
const SAME: f64 = 0.01;

/// Conclusions that [`explain`] draws from the evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// The difference of wall time, divided into accounts; `None` without pairs.
    pub difference: Option<Difference>,
    /// Causes, largest explained time first; a cause that is a part of the first one comes after all others.
    pub causes: Vec<Cause>,
    /// Share of the difference that no cause explains.
    pub unexplained: f64,
    /// Command line of a closer look at the second cause, where that could be the first one; `None` where the first is
    /// clear.
    pub would_tell: Option<String>,
    /// Causes that were tested and not found.
    pub excluded: Vec<Excluded>,
    /// Conditions that differ between the programs.
    pub conditions: Vec<Condition>,
    /// Counts that differ between the programs.
    pub counts: Vec<Counted>,
    /// Functions whose time differs between the programs.
    pub functions: Vec<Function>,
}

/// Explains the difference of two programs.
pub fn explain(evidence: &Evidence) -> Chain {
    explain_until(evidence, &[])
}

/// Explains the difference of two programs from the experiments until an interruption. Causes that depend on one of the
/// questions `open`, whose experiments were interrupted, are left out.
pub fn explain_until(evidence: &Evidence, open: &[Question]) -> Chain {
    let facts = Chain {
        conditions: differences(evidence)
            .into_iter()
            .map(|it| it.told)
            .chain(evidence.apart.clone())
            .collect(),
        counts: counts(evidence),
        functions: functions(evidence),
        ..Chain::default()
    };
    let Some(difference) = account(evidence) else { return facts };
    let case = Case { evidence, difference: &difference, lanes: difference.lanes };
    let mut causes = causes::candidates(&case);
    // Where no difference is shown there is nothing that a cause could explain.
    let is_shown = |it: &Cause| difference.whole.is_more() && shares::is_shown(it, &difference);
    causes.retain(|it| is_shown(it) && !is_excluded(&difference, it.account));
    causes.retain(|it| !causes::open::is_open(it, evidence, open));
    let follows = follows(&difference, &causes);
    shares::settle(&mut causes, &difference);
    let follows = follows * shares::part_that_fits(&causes, &difference, follows);
    causes
        .iter_mut()
        .filter(|it| shares::is_of_cpu(it))
        .for_each(|it| add_waits(it, follows, difference.whole.value));
    causes.retain(|it| it.share >= causes::SHARE_MIN);
    // A cause comes before its parts; otherwise causes are sorted by explained time.
    causes.sort_by(|a, b| a.is_part.cmp(&b.is_part).then(b.explains_ns.total_cmp(&a.explains_ns)));
    if let Some(words) = &evidence.revisions {
        causes.iter_mut().for_each(|cause| look_at_revisions(cause, words));
    }
    if evidence.is_of_sessions {
        causes.iter_mut().for_each(|cause| look_at_now(cause, &evidence.commands[1]));
    }
    let unexplained = shares::unexplained(&difference, &causes);
    let would_tell = would_tell(&causes);
    let excluded = excluded(evidence, &difference, &causes);
    Chain { difference: Some(difference), causes, unexplained, would_tell, excluded, ..facts }
}

/// Replaces the suggested next command line by one that compares the two revisions, since their work trees are removed
/// at the end.
fn look_at_revisions(cause: &mut Cause, words: &str) {
    cause.next = match cause.account {
        Account::User | Account::System | Account::Start => format!("fauxplat compare --profile {words}"),
        _ => format!("fauxplat compare --metric wall,cpu,run-delay {words}"),
    };
}

/// Replaces the suggested next command line by one that looks at the command as it is now, since no other runs can be made
/// of an earlier session.
fn look_at_now(cause: &mut Cause, command: &str) {
    let command = shell_words::quote(command);
    cause.next = match cause.account {
        Account::User | Account::System | Account::Start => format!("fauxplat profile {command}"),
        Account::Blocked => format!("fauxplat profile -e off-cpu {command}"),
        Account::RunQueue | Account::Whole => "fauxplat doctor".to_owned(),
    };
}

/// Whether the interval of an account shows that it holds too small a share of the difference for a cause.
fn is_excluded(difference: &Difference, account: Account) -> bool {
    let is_one = matches!(account, Account::User | Account::System | Account::RunQueue | Account::Blocked);
    is_one && difference.of(account).high < causes::SHARE_MIN * difference.whole.value
}

/// Additional nanoseconds of waiting for a CPU that follow from each additional nanosecond of CPU time: beside other
/// programs, a program that computes longer also waits longer. Zero if a cause for waiting was found, such as a
/// condition or more threads.
fn follows(difference: &Difference, causes: &[Cause]) -> f64 {
    let more = |account| difference.of(account).value.max(0.0);
    let cpu = more(Account::User) + more(Account::System);
    let waits = more(Account::RunQueue);
    let has_reason = causes.iter().any(|it| it.account == Account::RunQueue && it.share >= causes::SHARE_MIN);
    let is_plausible = cpu > 0.0 && waits < FOLLOWS_MAX * cpu;
    if has_reason || !is_plausible { 0.0 } else { waits / cpu }
}

/// Maximum number of nanoseconds of waiting for a CPU that one nanosecond of CPU time can cause, with this many other
/// programs on the same CPU.
const FOLLOWS_MAX: f64 = 4.0;

/// Adds to a cause of CPU time the wait for a CPU that follows from it: `follows` nanoseconds for each nanosecond.
fn add_waits(cause: &mut Cause, follows: f64, whole: f64) {
    let waits_ns = cause.explains_ns * follows;
    if waits_ns < 0.05 * whole {
        return;
    }
    cause.explains_ns += waits_ns;
    cause.share = cause.explains_ns / whole.max(f64::MIN_POSITIVE);
    cause.because.push(format!(
        "{} of that is waiting for a CPU that other programs had meanwhile, which follows from the longer CPU time",
        causes::time(waits_ns)
    ));
}

/// Command line of a closer look at the second of the causes; `None` if only the first is likely.
fn would_tell(causes: &[Cause]) -> Option<String> {
    let [first, second, ..] = causes else { return None };
    let is_apart = second.grade == Grade::Condition || !second.is_part && second.account == first.account;
    let is_rival =
        second.explains_ns >= RIVAL * first.explains_ns && is_apart && second.grade != Grade::Measured;
    is_rival.then(|| second.next.clone())
}

/// Causes that were tested and not found, since their count or account is about the same in both programs.
fn excluded(evidence: &Evidence, difference: &Difference, causes: &[Cause]) -> Vec<Excluded> {
    let mut found = Vec::new();
    let mut add = |what: &str, because: String| found.push(Excluded { what: what.to_owned(), because });
    for (account, what) in [
        (Account::User, "time in user mode"),
        (Account::System, "time in the kernel"),
        (Account::RunQueue, "waiting for a CPU"),
        (Account::Blocked, "waiting for anything else"),
    ] {
        let part = difference.of(account);
        if difference.has(account) && is_excluded(difference, account) {
            add(what, format!("at most {} more", causes::time(part.high.max(0.0))));
        }
    }
    for (name, what) in [("minor-faults", "page faults"), ("major-faults", "pages from a disk")] {
        if let Some(count) = evidence.count(name)
            && !count.more.is_more()
        {
            add(
                what,
                format!("{} against {}", causes::number(count.means[1]), causes::number(count.means[0])),
            );
        }
    }
    if let Some([fast, slow]) = &evidence.traced {
        let all = |traced: &Traced| traced.calls.values().map(|sum| sum.count).sum::<f64>();
        if all(slow) <= 1.02 * all(fast) + 1.0 {
            add(
                "system calls",
                format!("{} against {}", causes::number(all(slow)), causes::number(all(fast))),
            );
        }
    }
    if let Some(simulated) = &evidence.simulated {
        for (name, what) in COUNTS {
            let [few, many] = simulated.of(name);
            let kind = kind_of_count(name);
            if many <= few * (1.0 + SAME) + 1.0 && !causes.iter().any(|cause| cause.kind == kind) {
                add(what, format!("{} (simulated)", causes::change(few, many)));
            }
        }
    }
    if let Some((name, [fast, slow])) = causes::work::places(evidence)
        && fast == slow
    {
        add("place of code", format!("{name} begins {slow} bytes into a cache line in both programs"));
    }
    if let Some(there) = &evidence.readdressed
        && causes::addresses::is_there(there.more, difference.whole.value)
    {
        add("addresses of stack, heap and libraries", causes::addresses::told(there));
    }
    if let Some(there) = evidence.copied
        && causes::addresses::is_there(there, difference.whole.value)
    {
        add("the pages of both files", causes::addresses::told_of_copies(there));
    }
    if let Some(start) = evidence.start.filter(|start| !start.more_ns.is_more()) {
        add(the_start(evidence), format!("at most {} more", causes::time(start.more_ns.high.max(0.0))));
    }
    found
}

/// Words for what the runs of the start alone time.
fn the_start(evidence: &Evidence) -> &'static str {
    match starts_programs(evidence) {
        true => "loading and linking of the first program, without the programs that it starts",
        false => "loading and linking",
    }
}

/// Whether a run executes further programs after the first one: in processes of its own, or in place of the first one.
/// Each loads and links itself, and the time of the start alone is that of the first program.
fn starts_programs(evidence: &Evidence) -> bool {
    let executed = |traced: &Traced| traced.calls.get("execve").map_or(0.0, |sum| sum.count);
    let starts = |traced: &Traced| traced.processes > 1 || executed(traced) > 1.0;
    evidence.traced.as_ref().is_some_and(|both| both.iter().any(starts))
}

const COUNTS: [(&str, &str); 5] = [
    ("instructions", "more instructions"),
    ("branch-misses", "mispredicted branches"),
    ("l1d-misses", "cache misses of the first level"),
    ("llc-misses", "cache misses of the last level"),
    ("l1i-misses", "misses of instructions"),
];

fn kind_of_count(name: &str) -> Kind {
    match name {
        "instructions" => Kind::MoreWork,
        "branch-misses" => Kind::Branches,
        "l1i-misses" => Kind::InstructionCache,
        _ => Kind::Caches,
    }
}

/// Counts that differ between the programs.
fn counts(evidence: &Evidence) -> Vec<Counted> {
    let row = |what: &str, source: &str, [fast, slow]: [f64; 2]| Counted {
        what: what.to_owned(),
        source: source.to_owned(),
        fast,
        slow,
    };
    let mut found: Vec<Counted> = Vec::new();
    if let Some(simulated) = &evidence.simulated {
        found.extend(simulated.names.iter().map(|name| row(name, "simulated", simulated.of(name))));
    }
    let sure = evidence.counts.iter().filter(|count| count.more.is_sure());
    found.extend(sure.map(|count| row(&count.title, "kernel", count.means)));
    if let Some([fast, slow]) = &evidence.traced {
        found.extend(of_traces(fast, slow).into_iter().map(|(name, both)| row(&name, "traced", both)));
    }
    found.retain(|it| (it.slow - it.fast).abs() > SAME * it.fast.abs());
    found.truncate(ROWS);
    found
}

/// Counts of traced runs with their names, such as the number of each system call; largest change first.
fn of_traces(fast: &Traced, slow: &Traced) -> Vec<(String, [f64; 2])> {
    let mut names: Vec<&String> = fast.calls.keys().chain(slow.calls.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |traced: &Traced, name: &String| traced.calls.get(name).copied().unwrap_or_default().count;
    let calls = names.into_iter().map(|name| (name.clone(), [of(fast, name), of(slow, name)]));
    let others = [
        ("threads", [fast, slow].map(|it| f64::from(it.tasks))),
        ("libraries", [fast, slow].map(|it| it.libraries.len() as f64)),
        ("bytes read", [fast, slow].map(|it| it.read_bytes as f64)),
        ("bytes written", [fast, slow].map(|it| it.written_bytes as f64)),
    ];
    let others = others.map(|(name, both)| (name.to_owned(), both));
    let mut all: Vec<(String, [f64; 2])> = calls.chain(others).collect();
    all.sort_by(|a, b| (b.1[1] - b.1[0]).abs().total_cmp(&(a.1[1] - a.1[0]).abs()));
    all
}

/// Functions with their additional time in the slower program.
fn functions(evidence: &Evidence) -> Vec<Function> {
    let instructions = |simulated: &Simulated, name: &str| {
        let found = simulated.functions.iter().find(|function| function.name == name)?;
        Some(found.counts[1].first()? - found.counts[0].first()?)
    };
    let sampled = evidence.on_cpu.iter().flat_map(|sampled| &sampled.functions);
    let function = |it: &crate::evidence::SampledFunction| Function {
        name: it.name.clone(),
        caller: it.caller.clone(),
        line: it.line.as_ref().map(|(file, line)| format!("{file}:{line}")),
        more_ns: it.own_ns,
        more_instructions: evidence
            .simulated
            .as_ref()
            .and_then(|simulated| instructions(simulated, &it.name)),
        callers: it.callers.clone(),
        changed_caller: None,
        is_changed: false,
    };
    let mut found: Vec<Function> = sampled.filter(|it| it.own_ns.value != 0.0).map(function).collect();
    found.sort_by(|a, b| b.more_ns.value.abs().total_cmp(&a.more_ns.value.abs()));
    let most = found.first().map_or(0.0, |it| it.more_ns.value.abs());
    found.retain(|it| it.more_ns.value.abs() > SMALL * most);
    found.truncate(ROWS);
    found
}
