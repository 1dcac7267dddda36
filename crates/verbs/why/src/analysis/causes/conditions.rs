//! Different conditions of the two programs as causes: another CPU quota, other CPUs, another environment.

use super::super::differences::{Differs, VARIABLE, differences, is_same_program};
use super::Case;
use crate::evidence::{Held, Traced, Wait};
use crate::findings::{Account, Cause, Grade, Kind};

/// Waits whose length does not depend on the CPU time that a program gets: for a timer, a disk, another program.
const OWN_WAITS: [Wait; 3] = [Wait::Sleep, Wait::Sync, Wait::Pipe];

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    let all = differences(case.evidence);
    let is_only_difference = is_same_program(case.evidence);
    all.iter().filter_map(|differs| cause(case, differs, is_only_difference, all.len())).collect()
}

fn cause(case: &Case<'_>, differs: &Differs, is_same_program: bool, count: usize) -> Option<Cause> {
    if !differs.is_worse {
        return None;
    }
    // If this condition is the only difference, it explains the whole difference, in whatever account that lies.
    let is_alone = is_same_program && count == 1;
    let (account, explains_ns) = match differs.kind {
        _ if is_alone => {
            let is_in_waits = case.more(Account::RunQueue) >= 0.5 * case.whole();
            (if is_in_waits { Account::RunQueue } else { Account::Whole }, case.whole())
        }
        Kind::Quota => takes_cpus(case, held_back(case)),
        // Threads that share fewer CPUs run one after the other, and so wait for each other as well.
        Kind::Affinity if is_parallel(case) => takes_cpus(case, held_back(case)),
        Kind::Affinity | Kind::Priority => takes_cpus(case, 0.0),
        _ if is_same_program => {
            let all = [Account::User, Account::System, Account::RunQueue, Account::Blocked];
            (Account::Whole, all.into_iter().map(|account| case.more(account)).sum::<f64>().min(case.whole()))
        }
        _ => return None,
    };
    let mut cause = case.cause(differs.kind, account, explains_ns);
    cause.is_certain = is_alone;
    cause.grade = Grade::Condition;
    let told = &differs.told;
    cause.what = match differs.kind {
        Kind::Quota => "has a smaller CPU quota".to_owned(),
        Kind::Affinity => "may use fewer CPUs".to_owned(),
        Kind::Priority => "has a lower priority".to_owned(),
        Kind::HugePages => "gets no huge pages".to_owned(),
        Kind::Locale => "runs in another locale".to_owned(),
        Kind::Place => "has its addresses randomised in another way".to_owned(),
        _ => "runs in another environment".to_owned(),
    };
    cause.place = Some(told.what.clone());
    cause.because = vec![format!("{}: {} against {}", told.what, told.slow, told.fast)];
    if is_same_program {
        cause.because.push(match count {
            1 => "both run the same program with the same arguments, and nothing else differs".to_owned(),
            _ => format!("both run the same program with the same arguments; {count} conditions differ"),
        });
    }
    cause.next = next(case, differs);
    Some(cause)
}

/// Account and explained nanoseconds of a condition that takes CPUs away: all additional waiting for a CPU, and
/// `held_back_ns` of the other waits. Such a condition prolongs neither a sleep nor the answer of a disk or of another
/// program.
fn takes_cpus(case: &Case<'_>, held_back_ns: f64) -> (Account, f64) {
    let waits_ns = case.more(Account::RunQueue);
    let account = if held_back_ns > waits_ns { Account::Blocked } else { Account::RunQueue };
    (account, (waits_ns + held_back_ns).min(case.whole()))
}

/// Additional nanoseconds of waiting for something other than a CPU, without the waits in [`OWN_WAITS`]. A quota can
/// cause them, since threads that it stops do not count as ready to run, and so can a thread without a CPU for which
/// other threads wait. Zero without traces.
fn held_back(case: &Case<'_>) -> f64 {
    let Some([fast, slow]) = &case.evidence.traced else { return 0.0 };
    let own = |traced: &Traced| OWN_WAITS.iter().filter_map(|wait| traced.idle_ns.get(wait)).sum::<f64>();
    (case.more(Account::Blocked) - (own(slow) - own(fast)).max(0.0)).max(0.0)
}

/// Whether either program has several threads or processes that work at the same time.
fn is_parallel(case: &Case<'_>) -> bool {
    case.evidence.traced.as_ref().is_some_and(|traced| traced.iter().any(|it| it.tasks > 1 && it.lanes > 1.2))
}

fn next(case: &Case<'_>, differs: &Differs) -> String {
    match differs.kind {
        Kind::Quota => format!("fauxplat run -e cgroup:throttled {}", case.both()),
        Kind::Affinity | Kind::Priority => {
            format!("fauxplat compare --metric wall,run-delay {}", case.both())
        }
        Kind::HugePages => format!("fauxplat compare -e page-faults {}", case.both()),
        Kind::Locale => format!("fauxplat sweep locale=C,C.UTF-8 {}", case.slow()),
        Kind::Place => format!("fauxplat sweep aslr=on,off {}", case.slow()),
        _ => with_and_without(case, &differs.told.what),
    }
}

/// Command line that compares one of the two commands without and with the variable in which their environments differ,
/// or both commands where the variable cannot be taken away by a change of the command.
fn with_and_without(case: &Case<'_>, what: &str) -> String {
    let name = what.strip_prefix(VARIABLE).unwrap_or(what);
    let has = |held: &Held| held.environment.as_ref().is_some_and(|all| all.contains_key(name));
    // A variable that only the faster program has can only be taken away from that one.
    let side = case.evidence.held().map_or(1, |[_, slow]| usize::from(has(slow)));
    let command = &case.evidence.commands[side];
    match without(command, name) {
        Some(bare) => {
            let [bare, whole] = [&bare, command].map(|line| shell_words::quote(line).into_owned());
            format!("fauxplat compare {bare} {whole}")
        }
        None => format!("fauxplat compare --profile {}", case.both()),
    }
}

/// The command line without a variable of its environment; `None` where the line itself sets the variable, unless by a
/// word between `env` and the program.
fn without(line: &str, name: &str) -> Option<String> {
    let setting = format!("{name}=");
    if !line.contains(&setting) {
        return Some(format!("env -u {} {line}", shell_words::quote(name)));
    }
    let mut words = shell_words::split(line).ok()?;
    let is_env = words.first()?.rsplit('/').next() == Some("env");
    let mut settings = words.iter().skip(1).take_while(|word| word.contains('='));
    let at = settings.position(|word| word.starts_with(&setting)).filter(|_| is_env)?;
    let word = words.remove(1 + at);
    // A word without quotes is cut out of the line, since quoting all words anew would make the line hard to read.
    let cut = line.replacen(&format!(" {word} "), " ", 1);
    let rest = if cut == line { shell_words::join(words) } else { cut };
    Some(rest).filter(|rest| !rest.contains(&setting))
}
