//! Time in user mode: more work, or work that takes longer.
//!
//! The number of instructions in a simulator shows how much work there is. Time that additional instructions do not
//! explain is computed from additional cache misses and mispredicted branches, each at its usual cost. Time that
//! remains after that is due to the way in which single instructions execute, and the reason is sought in the
//! instructions with the most samples.

use fauxplat_stats::describe::mean;

use super::super::names::{is_kernel, is_loader, kind_by_source, kind_in};
use super::{Case, change, number, time};
use crate::evidence::{Evidence, SUBSTANTIAL, SampledFunction, Simulated};
use crate::findings::{Account, Cause, Grade, Kind};

/// Usual time of a mispredicted branch, and of a miss of the last-level cache, of the first-level data cache, and of
/// the first-level instruction cache.
const MISPREDICTED_NS: f64 = 5.0;
const LAST_LEVEL_NS: f64 = 70.0;
const FIRST_LEVEL_NS: f64 = 3.5;
const FETCH_NS: f64 = 6.0;
/// Relative change of the number of instructions up to which both programs count as doing the same work.
const SAME_WORK: f64 = 0.02;
/// Share of the additional user time that functions of known libraries need at least to name the kind of work.
const OF_A_KIND: f64 = 0.4;
/// Share of the additional user time that instructions and misses have to explain, so that no slow instructions are
/// sought.
const EXPLAINED: f64 = 0.35;

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    let user_ns = case.more(Account::User);
    if user_ns <= 0.0 {
        return Vec::new();
    }
    let mut found = match &case.evidence.simulated {
        Some(simulated) => counted(case, simulated, user_ns),
        None => vec![unknown(case, user_ns)],
    };
    // Work of a known kind comes first, as it is more specific than "more instructions".
    found.splice(0..0, of_a_kind(case, user_ns));
    found
}

/// Time that mispredicted branches take at their usual time, relative to the whole additional time, from which on the real
/// machine cannot mispredict that many: its predictor is better than the simulated one.
const IMPOSSIBLE: f64 = 3.0;

/// Causes that follow from the counts of a simulator.
fn counted(case: &Case<'_>, simulated: &Simulated, user_ns: f64) -> Vec<Cause> {
    let [few, many] = simulated.of("instructions");
    let fast_ns = case.difference.fast_ns[0].max(1.0);
    let lanes = case.lanes[1].max(1.0);
    let work_ns = (fast_ns * (many - few) / few.max(1.0)).clamp(0.0, user_ns);
    let mut found = vec![work(case, simulated, work_ns)];
    let first_level = simulated.more("l1d-misses") - simulated.more("llc-misses").max(0.0);
    let misses = [
        (
            Kind::Branches,
            "branch-misses",
            simulated.more("branch-misses") * MISPREDICTED_NS,
            "mispredicts more branches",
        ),
        (
            Kind::Caches,
            "llc-misses",
            simulated.more("llc-misses").max(0.0) * LAST_LEVEL_NS + first_level.max(0.0) * FIRST_LEVEL_NS,
            "finds its data in the caches less often",
        ),
        (
            Kind::InstructionCache,
            "l1i-misses",
            simulated.more("l1i-misses") * FETCH_NS,
            "finds its code in the cache less often",
        ),
    ];
    let mut by_misses_ns = 0.0;
    for (kind, count, ns, words) in misses {
        // Misses of caches overlap, and take less than the usual time each. Mispredicted branches cannot, so that fewer of
        // them happen on the real machine: they get the time that more instructions leave.
        let is_impossible = kind == Kind::Branches && ns / lanes > IMPOSSIBLE * user_ns;
        let limit_ns = if is_impossible { user_ns - work_ns } else { user_ns };
        let explains_ns = (ns / lanes).clamp(0.0, limit_ns);
        by_misses_ns += explains_ns;
        found.push(missed(case, simulated, (kind, count, words), explains_ns));
    }
    let left_ns = user_ns - work_ns - by_misses_ns;
    if left_ns > (1.0 - EXPLAINED) * user_ns {
        found.push(slower(case, simulated, left_ns.min(user_ns)));
    }
    found
}

fn work(case: &Case<'_>, simulated: &Simulated, explains_ns: f64) -> Cause {
    let [few, many] = simulated.of("instructions");
    let mut cause = case.cause(Kind::MoreWork, Account::User, explains_ns);
    cause.grade = Grade::Reckoned;
    cause.is_certain = simulated.is_more("instructions");
    cause.what = "executes more instructions".to_owned();
    cause.because = vec![format!(
        "instructions {} (simulated): {} against {}",
        change(few, many),
        number(many),
        number(few)
    )];
    let most = simulated.most("instructions");
    if let Some((function, rise)) = most {
        cause.because.push(format!("{} of them more in {}", number(rise), told(&function.name)));
    }
    // Samples also show the caller and the line, but they may show a function that takes longer without executing more
    // instructions.
    let does_more = |hot: &SampledFunction| {
        let found = simulated.functions.iter().find(|function| function.name == hot.name);
        found.is_none_or(|function| function.counts[1].first() > function.counts[0].first())
    };
    cause.place = match hottest(case).filter(|hot| does_more(hot)) {
        Some(_) => place(case),
        None => most.map(|(function, _)| function.name.clone()),
    };
    if case.evidence.files.imported.iter().any(|name| name == "__assert_fail") {
        cause.kind = Kind::Assertions;
        cause.what = "checks assertions that the other program was built without".to_owned();
        cause.because.push("only its file calls __assert_fail".to_owned());
    }
    cause.next = next_profile(case);
    cause
}

fn missed(
    case: &Case<'_>,
    simulated: &Simulated,
    (kind, count, words): (Kind, &str, &str),
    explains_ns: f64,
) -> Cause {
    let mut cause = case.cause(kind, Account::User, explains_ns);
    cause.grade = Grade::Reckoned;
    cause.is_certain = simulated.is_more(count);
    cause.what = words.to_owned();
    let names: &[&str] = match kind {
        Kind::Caches => &["l1d-misses", "llc-misses"],
        _ => &[count],
    };
    for name in names {
        let [few, many] = simulated.of(name);
        cause.because.push(format!(
            "{name} {} (simulated): {} against {}",
            change(few, many),
            number(many),
            number(few)
        ));
    }
    // The place is a function in which the count rises that costs the most time.
    let last_level_ns = simulated.more("llc-misses").max(0.0) * LAST_LEVEL_NS;
    let first_level_ns =
        (simulated.more("l1d-misses") - simulated.more("llc-misses").max(0.0)) * FIRST_LEVEL_NS;
    let by = if kind == Kind::Caches && first_level_ns > last_level_ns { "l1d-misses" } else { count };
    if let Some((function, rise)) = simulated.most(by) {
        cause.because.push(format!("{} {by} more in {}", number(rise), told(&function.name)));
        cause.place = Some(function.name.clone());
    }
    cause.next = format!("fauxplat compare --simulated --metric simulated:{count} {}", case.both());
    cause
}

/// The cause for time that neither more instructions nor the simulated misses explain.
fn slower(case: &Case<'_>, simulated: &Simulated, explains_ns: f64) -> Cause {
    let mut cause = case.cause(Kind::SlowInstructions, Account::User, explains_ns);
    cause.grade = Grade::Reckoned;
    cause.is_certain = is_sure(case);
    cause.place = place(case);
    let [few, many] = simulated.of("instructions");
    cause.because = vec![format!(
        "instructions {} (simulated), and neither branches nor cache misses account for the time",
        change(few, many)
    )];
    let instructions: Vec<&str> =
        hottest(case).map_or(Vec::new(), |it| it.instructions.iter().map(String::as_str).collect());
    if !instructions.is_empty() {
        cause.because.push(format!("most samples at: {}", instructions.join("; ")));
    }
    cause.next = next_profile(case);
    if is_on_fewer(case) {
        cause.kind = Kind::Imbalance;
        cause.what = "has fewer threads at work at the same time".to_owned();
        cause.place = None;
        let [fast, slow] = case.lanes;
        cause.because.push(format!("{slow:.2} threads share the work on average against {fast:.2}"));
        return cause;
    }
    if is_shared(case) {
        cause.kind = Kind::SharedLine;
        cause.what = "has CPUs that take a cache line from each other".to_owned();
        cause.because.push(of_one_cpu(case));
        return cause;
    }
    if let Some(sentence) = from_afar(case, simulated, explains_ns) {
        cause.kind = Kind::Caches;
        cause.what = "waits longer for its data, from a cache or memory further away or in an order that is not foreseen".to_owned();
        cause.because.push(sentence);
        return cause;
    }
    let has = |words: &[&str]| instructions.iter().any(|it| words.iter().any(|word| it.starts_with(word)));
    let is_same_work = (many / few.max(1.0) - 1.0).abs() < SAME_WORK;
    let is_of_numbers = is_same_work && is_same_function(case, simulated) && is_of_floats(&instructions);
    if is_of_numbers
        && has(&[
            "div", "sqrt", "fdiv", "fsqrt", "vdiv", "vsqrt", "mul", "add", "sub", "vmul", "vadd", "vsub",
            "fmul", "fadd", "fsub", "vfm", "fma",
        ])
    {
        cause.kind = Kind::SlowNumbers;
        cause.what = "computes with numbers that take long (denormal ones)".to_owned();
        cause.because.push("both execute the same floating-point instructions".to_owned());
    } else if has(&["div", "idiv", "sqrt", "fdiv", "fsqrt", "vdiv", "vsqrt", "udiv", "sdiv"]) {
        cause.what = "executes instructions that take long (division, square root)".to_owned();
    } else if has(&["pause", "yield"]) {
        cause.kind = Kind::BusyWait;
        cause.what = "waits by looking again and again".to_owned();
    } else if is_same_work {
        cause.kind = Kind::Place;
        cause.what =
            "takes longer for the same instructions, as from another place of code or data".to_owned();
        cause.next = format!("fauxplat explain {}", case.both());
        cause.because.extend(of_place(case));
    } else {
        cause.what = "takes longer for each instruction".to_owned();
    }
    cause
}

/// Size of a cache line in bytes; the processor fetches code by whole lines.
const LINE_BYTES: u64 = 64;

/// Offsets into a cache line, in bytes, at which the function that takes longer begins in the faster and in the slower
/// program; `None` unless its instructions are the same in both.
pub(in super::super) fn places(evidence: &Evidence) -> Option<(&str, [u64; 2])> {
    let function = hottest_of(evidence)?;
    Some((&function.name, function.begins?.map(|address| address % LINE_BYTES)))
}

/// Sentence about the offsets into a cache line at which the same code begins; `None` if they are equal or unknown.
fn of_place(case: &Case<'_>) -> Option<String> {
    let (name, [fast, slow]) = places(case.evidence)?;
    (fast != slow).then(|| {
        format!("the instructions of {name} are the same in both programs, and begin {slow} bytes into a cache line instead of {fast}")
    })
}

/// Whether the function whose own time increases most executes the same number of instructions in both programs, within
/// a thousandth.
fn is_same_function(case: &Case<'_>, simulated: &Simulated) -> bool {
    let found =
        hottest(case).and_then(|hot| simulated.functions.iter().find(|function| function.name == hot.name));
    found.is_some_and(|function| {
        let [few, many] = [0, 1].map(|side| function.counts[side].first().copied().unwrap_or(0.0));
        few > 0.0 && (many / few - 1.0).abs() < 0.001
    })
}

/// Time of a memory access that no prefetch prepared.
const MEMORY_NS: f64 = 150.0;

/// Sentence about the cache misses of the function that takes longer, if it has so many that slower misses could
/// explain `left_ns`, the time left to explain. A simulator only counts misses; it knows no prefetching, translation of
/// addresses or order of accesses.
fn from_afar(case: &Case<'_>, simulated: &Simulated, left_ns: f64) -> Option<String> {
    let name = &hottest(case)?.name;
    let place = simulated.names.iter().position(|known| known == "l1d-misses")?;
    let function = simulated.functions.iter().find(|function| function.name == *name)?;
    let (misses, instructions) = (*function.counts[1].get(place)?, *function.counts[1].first()?);
    let can_take_ns = misses * MEMORY_NS / case.lanes[1].max(1.0);
    (misses > 0.005 * instructions && can_take_ns > 0.5 * left_ns).then(|| {
        format!(
            "{} of its {} instructions in {} miss the first level of the cache (simulated)",
            number(misses),
            number(instructions),
            told(name)
        )
    })
}

fn is_of_floats(instructions: &[&str]) -> bool {
    let is_one = |it: &&str| {
        ["xmm", "ymm", "st(", " d0", " d1", " v0", " v1"].iter().any(|register| it.contains(register))
    };
    instructions.iter().any(is_one)
}

/// Whether the CPU times of both programs hardly differ on one CPU, while the slower program takes more on several.
fn is_shared(case: &Case<'_>) -> bool {
    let Some(alone) = case.evidence.on_one_cpu else { return false };
    let several_ns = on_several(case);
    several_ns > 0.0 && alone.more_cpu_ns.value < 0.4 * several_ns && alone.more_cpu_ns.low < 0.4 * several_ns
}

/// Additional user time of all threads of the slower program, in nanoseconds per run, on the CPUs of the comparison.
fn on_several(case: &Case<'_>) -> f64 {
    let more: Vec<f64> = case.evidence.pairs.iter().map(|it| it.user_ns[1] - it.user_ns[0]).collect();
    mean(&more).unwrap_or(0.0)
}

/// Whether the slower program has fewer threads at work at the same time, while the user time of all its threads grows
/// too little to explain the difference.
fn is_on_fewer(case: &Case<'_>) -> bool {
    let by_account_ns = case.difference.of(Account::User).value * case.lanes[1];
    case.lanes[1] < ON_FEWER * case.lanes[0] && on_several(case) < 0.5 * by_account_ns
}

/// Ratio of the number of threads at work in the slower program to that in the faster one, below which fewer threads
/// count as a cause.
const ON_FEWER: f64 = 0.85;

fn of_one_cpu(case: &Case<'_>) -> String {
    let alone = case.evidence.on_one_cpu.unwrap_or_default();
    let several_ns = on_several(case);
    format!(
        "on one CPU the slower program takes {} of CPU time more, and {} on several",
        time(alone.more_cpu_ns.value),
        time(several_ns)
    )
}

/// The cause where nothing was simulated: more time in user mode, and the function that takes it.
fn unknown(case: &Case<'_>, user_ns: f64) -> Cause {
    let mut cause = case.cause(Kind::MoreWork, Account::User, user_ns);
    cause.is_certain = is_sure(case);
    cause.what = "takes more time in its own code: more work, or slower work".to_owned();
    cause.place = place(case);
    // A program that forks is not simulated as a whole.
    let has_processes =
        case.evidence.traced.as_ref().is_some_and(|all| all.iter().any(|it| it.processes > 1));
    cause.next = match has_processes {
        true => format!("fauxplat compare --profile {}", case.both()),
        false => format!("fauxplat compare --simulated {}", case.both()),
    };
    cause
}

/// Whether the function that takes longer surely does so, by the interval of its samples.
fn is_sure(case: &Case<'_>) -> bool {
    hottest(case).is_some_and(|it| it.own_ns.is_more())
}

/// Function outside the kernel whose own time increases most in samples, if the increase is certain or a large part of
/// that of all functions.
fn hottest<'e>(case: &Case<'e>) -> Option<&'e SampledFunction> {
    hottest_of(case.evidence)
}

fn hottest_of(evidence: &Evidence) -> Option<&SampledFunction> {
    let sampled = evidence.on_cpu.as_ref()?;
    let large_ns = SUBSTANTIAL * sampled.all_ns.value.max(0.0);
    let is_large = |it: &SampledFunction| it.own_ns.is_more() || it.own_ns.value >= large_ns;
    let own = sampled.functions.iter().filter(|it| !is_kernel(&it.object) && it.own_ns.value > 0.0);
    own.filter(|it| is_large(it)).max_by(|a, b| a.own_ns.value.total_cmp(&b.own_ns.value))
}

fn place(case: &Case<'_>) -> Option<String> {
    let function = hottest(case)?;
    let called = function.caller.as_ref().map_or_else(String::new, |caller| format!(" called by {caller}"));
    let line = function.line.as_ref().map_or_else(String::new, |(file, line)| format!(" ({file}:{line})"));
    Some(format!("{}{line}{called}", function.name))
}

fn told(name: &str) -> String {
    if name == "???" { "functions without a name".to_owned() } else { name.to_owned() }
}

/// Whether the instructions of a function are in a file, which those of the vdso and of generated code are not.
fn has_file(function: &SampledFunction) -> bool {
    function.object.starts_with('/')
}

fn next_profile(case: &Case<'_>) -> String {
    match hottest(case) {
        Some(function) => {
            let pattern = shell_words::quote(&function.name).into_owned();
            let look = if has_file(function) { "--annotate" } else { "--callers-of" };
            case.profile(&format!("{look} {pattern}"))
        }
        None => format!("fauxplat profile {}", case.both()),
    }
}

/// Work of a kind that names of functions of widespread libraries reveal, as a cause.
fn of_a_kind(case: &Case<'_>, user_ns: f64) -> Option<Cause> {
    let kinds = [Kind::Allocation, Kind::Exceptions, Kind::Patterns, Kind::Locale, Kind::BusyWait];
    let rise = |kind: Kind| by_kind(case, kind);
    let (kind, ns, name) = kinds
        .into_iter()
        .map(|kind| (kind, rise(kind).0, rise(kind).1))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    if ns < OF_A_KIND * user_ns {
        return None;
    }
    let mut cause = case.cause(kind, Account::User, ns.min(user_ns));
    cause.what = match kind {
        Kind::Allocation => "allocates and frees more memory",
        Kind::Exceptions => "throws more exceptions",
        Kind::Patterns => "compiles patterns more often",
        Kind::Locale => "treats text by the rules of a locale",
        _ => "waits by looking again and again",
    }
    .to_owned();
    cause.is_certain = is_sure(case);
    cause.place = name.clone();
    let most = name.map_or_else(String::new, |name| format!(", the most in {name}"));
    cause.because = vec![format!("{} more in such functions{most}", time(ns))];
    cause.next = next_profile(case);
    Some(cause)
}

/// Additional time in functions of this kind of work, in nanoseconds, and the function with most of it: from samples,
/// or without samples from the instructions in a simulator.
fn by_kind(case: &Case<'_>, kind: Kind) -> (f64, Option<String>) {
    if let Some(sampled) = &case.evidence.on_cpu {
        // Callees are included, since compiling a pattern or throwing an exception also allocates memory.
        let ns = sampled.kinds.iter().find(|(known, _)| *known == kind).map_or(0.0, |(_, ns)| *ns);
        let most = most_of_kind(&sampled.functions, kind);
        return (ns / case.lanes[1].max(1.0), most.map(|it| it.name.clone()));
    }
    let Some(simulated) = &case.evidence.simulated else { return (0.0, None) };
    let [few, _] = simulated.of("instructions");
    let each_ns = case.difference.fast_ns[0] / few.max(1.0);
    let own =
        simulated.functions.iter().filter(|it| kind_by_source(&it.name, it.file.as_deref()) == Some(kind));
    let rises: Vec<(f64, &str)> =
        own.map(|it| (it.counts[1][0] - it.counts[0][0], it.name.as_str())).filter(|it| it.0 > 0.0).collect();
    let most = rises.iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|it| it.1.to_owned());
    (rises.iter().map(|it| it.0 * each_ns).sum(), most)
}

/// Function of this kind of work whose time increases most, callees included. A function whose file is not known, since
/// several files have one of its name, counts by its name alone.
fn most_of_kind(functions: &[SampledFunction], kind: Kind) -> Option<&SampledFunction> {
    let kind_of = |it: &SampledFunction| match it.object.is_empty() {
        true => kind_by_source(&it.name, None),
        false => kind_in(&it.name, &it.object).filter(|_| !is_loader(&it.object)),
    };
    let own = functions.iter().filter(|it| kind_of(it) == Some(kind));
    own.max_by(|a, b| a.total_ns.value.total_cmp(&b.total_ns.value))
}
