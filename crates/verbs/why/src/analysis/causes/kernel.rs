//! Time in the kernel as a cause: page faults, new processes and threads, and system calls.

use super::super::names;
use super::{Case, change, number};
use crate::evidence::{CallSum, Count, SampledFunction, Traced, Wait, Written};
use crate::findings::{Account, Cause, Grade, Kind};

/// Usual time of a page fault: some hundred nanoseconds of entry and bookkeeping, and a page to clear.
const FAULT_NS: f64 = 700.0;
/// Usual time of a short system call.
const CALL_NS: f64 = 250.0;
/// Usual time of a new process, and of a new thread.
const PROCESS_NS: f64 = 300_000.0;
const THREAD_NS: f64 = 20_000.0;
/// Functions of the C library that start a thread.
const THREAD_STARTS: [&str; 4] = ["pthread_create", "__pthread_create", "create_thread", "__clone3"];
/// Functions of the kernel in which page faults are served.
const FAULTS: [&str; 3] = ["asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault"];
/// System calls that end when data are on a disk. Their CPU time has the same cause as the wait in them.
const SYNCS: [&str; 6] = ["fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"];
/// Beginnings of names of functions of the kernel that carry out a system call.
const ENTRIES: [&str; 4] = ["__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_"];

pub(super) fn causes(case: &Case<'_>) -> Vec<Cause> {
    let system_ns = case.more(Account::System);
    // A kernel that tells user and system time apart only at timer ticks counts a part of system time as user time, so
    // the additional time of both accounts is the limit for these causes.
    let room_ns = system_ns + case.more(Account::User);
    let faults = faults(case, room_ns);
    let of_calls_ns = system_ns - faults.as_ref().map_or(0.0, |cause| cause.explains_ns);
    let mut found: Vec<Cause> = faults.into_iter().collect();
    found.extend(processes(case));
    found.extend(programs_before(case));
    found.extend(threads(case));
    found.extend(calls(case, room_ns, of_calls_ns.max(0.0)));
    let explained_ns: f64 =
        found.iter().filter(|it| it.account == Account::System).map(|it| it.explains_ns).sum();
    found.extend(in_function(case, (system_ns, system_ns - explained_ns)));
    found
}

/// Share of the additional system time that no other cause may explain for a function of the kernel to be one.
const LEFT_FROM: f64 = 0.5;

/// Usual time of a context switch, and the share of the time left that switches may take for it to be theirs.
const SWITCH_NS: f64 = 1000.0;
const SWITCHES_FROM: f64 = 0.2;

/// The function of the kernel with the largest increase of its own time, as the cause of the system time `left_ns` that
/// nothing else explains: as many calls may each do more, such as reads of more bytes.
fn in_function(case: &Case<'_>, (system_ns, left_ns): (f64, f64)) -> Option<Cause> {
    let sampled = case.evidence.on_cpu.as_ref().filter(|it| it.has_kernel)?;
    let own = sampled.functions.iter().filter(|it| names::is_kernel(&it.object) && it.own_ns.is_more());
    let most = own.max_by(|a, b| a.own_ns.value.total_cmp(&b.own_ns.value))?;
    // Time in the kernel that comes with more waits belongs to what is waited for.
    let switches = case.evidence.count("voluntary-switches").map_or(0.0, |count| count.more.value.max(0.0));
    if left_ns < LEFT_FROM * system_ns || switches * SWITCH_NS >= SWITCHES_FROM * left_ns {
        return None;
    }
    let all_ns = most.own_ns.value / case.lanes[1].max(1.0);
    let mut cause = case.cause(Kind::Calls, Account::System, all_ns.min(left_ns));
    cause.is_certain = true;
    cause.what = "takes more time in the kernel".to_owned();
    cause.place = Some(match &most.caller {
        Some(caller) => format!("{} called by {caller}", most.name),
        None => most.name.clone(),
    });
    cause.because = vec![format!("{} more in {} (sampled)", super::time(all_ns), most.name)];
    if let Some([fast, slow]) =
        case.evidence.traced.as_ref().filter(|both| both.iter().all(|it| !it.is_partial))
    {
        let moved = |traced: &Traced| (traced.read_bytes + traced.written_bytes) as f64;
        let (few, many) = (moved(fast), moved(slow));
        if many > 1.1 * few {
            let told = change(few, many);
            cause.because.push(format!(
                "bytes read and written: {} against {} ({told})",
                number(many),
                number(few)
            ));
        }
    }
    cause.next = case.profile(&format!("--callers-of '{}'", most.name));
    Some(cause)
}

/// Largest additional time of a matching function of the kernel with its callees, in nanoseconds; `None` where the
/// kernel was not sampled, or no matching function takes more time.
fn sampled(case: &Case<'_>, is_meant: impl Fn(&SampledFunction) -> bool) -> Option<f64> {
    let sampled = case.evidence.on_cpu.as_ref().filter(|it| it.has_kernel)?;
    let own = sampled.functions.iter().filter(|it| is_meant(it) && it.total_ns.value > 0.0);
    own.map(|it| it.total_ns.value / case.lanes[1].max(1.0)).max_by(f64::total_cmp)
}

fn faults(case: &Case<'_>, room_ns: f64) -> Option<Cause> {
    let minor = case.evidence.count("minor-faults").filter(|count| count.more.is_more())?;
    let measured = sampled(case, |it| FAULTS.contains(&it.name.as_str()));
    let reckoned_ns = minor.more.value * FAULT_NS / case.lanes[1].max(1.0);
    let explains_ns = measured.unwrap_or(0.0).max(reckoned_ns).min(room_ns);
    let measured = measured.filter(|&ns| ns >= reckoned_ns);
    let is_huge = lost_huge_pages(case, minor);
    let kind = if is_huge { Kind::HugePages } else { Kind::PageFaults };
    let mut cause = case.cause(kind, Account::System, explains_ns);
    cause.grade = if measured.is_some() { Grade::Measured } else { Grade::Reckoned };
    cause.is_certain = true;
    cause.what = match is_huge {
        true => "gets small pages where the other program gets huge ones".to_owned(),
        false => "touches more pages for the first time (page faults)".to_owned(),
    };
    cause.because = vec![format!(
        "{} minor page faults against {} ({})",
        number(minor.means[1]),
        number(minor.means[0]),
        change(minor.means[0], minor.means[1])
    )];
    if let (true, Some([fast, slow])) = (is_huge, case.evidence.traced.as_ref()) {
        let [fast, slow] = [fast, slow].map(|it| number(it.huge_bytes.unwrap_or(0) as f64));
        cause.because.push(format!("{slow} bytes in huge pages against {fast} (traced)"));
    }
    if let Some(memory) = case.evidence.count("peak-memory") {
        cause.because.push(format!("peak memory {}", change(memory.means[0], memory.means[1])));
    }
    let metric = "-e page-faults --metric software:page-faults";
    cause.next = format!("fauxplat compare {metric} {}", case.both());
    Some(cause)
}

/// Whether the faster program was seen to have so much more memory in huge pages than the slower one that this explains
/// most of the additional page faults. Many faults alone can have other reasons.
fn lost_huge_pages(case: &Case<'_>, minor: &Count) -> bool {
    let Some([fast, slow]) = &case.evidence.traced else { return false };
    let (Some(many), Some(few)) = (fast.huge_bytes, slow.huge_bytes) else { return false };
    many > 2 * few && many.saturating_sub(few) as f64 / PAGE_BYTES > 0.5 * minor.more.value
}

/// Size of a small page in bytes; the first access to each is a page fault.
const PAGE_BYTES: f64 = 4096.0;

/// Traces of both programs, if a higher count of the slower program can be trusted; `None` without traces, and if the
/// trace of the faster program ended before the run did, since its counts are then too low.
fn counted<'e>(case: &Case<'e>) -> Option<&'e [Traced; 2]> {
    case.evidence.traced.as_ref().filter(|[fast, _]| !fast.is_partial)
}

/// More processes as a cause, by the time that starting and ending them takes. Time in which they compute or wait is
/// explained by other causes, and a process that runs beside the others delays none of them.
fn processes(case: &Case<'_>) -> Option<Cause> {
    let [fast, slow] = counted(case)?;
    let more = f64::from(slow.processes) - f64::from(fast.processes);
    if more < 1.0 {
        return None;
    }
    let waited = |traced: &Traced| {
        let of = |wait| traced.waits.get(&wait).copied().unwrap_or(0.0);
        of(Wait::Tasks) + of(Wait::Pipe)
    };
    let waited_ns = (waited(slow) - waited(fast)).max(0.0);
    let lived_ns = (slow.children_ns - fast.children_ns).max(0.0);
    let usual_ns = (more * PROCESS_NS).min(lived_ns);
    let explains_ns = (slow.starting_ns - fast.starting_ns).max(usual_ns).min(waited_ns).min(case.whole());
    let mut cause = case.cause(Kind::Processes, Account::Whole, explains_ns);
    cause.grade = Grade::Reckoned;
    cause.is_certain = true;
    cause.what = "starts more processes".to_owned();
    cause.because = vec![
        format!("{} processes against {}", slow.processes, fast.processes),
        format!("traced: others wait {} more for them", super::time(waited_ns)),
    ];
    cause.next = format!("fauxplat run -v {}", case.slow());
    Some(cause)
}

/// Other programs that the first process executes before the program itself, such as `env` or `nice`, as a cause. Each is
/// loaded and linked, which takes longer than most of what such programs do.
fn programs_before(case: &Case<'_>) -> Option<Cause> {
    let [fast, slow] = case.evidence.traced.as_ref()?;
    if slow.programs_before <= fast.programs_before {
        return None;
    }
    let explains_ns = (slow.before_ns - fast.before_ns).clamp(0.0, case.whole());
    let mut cause = case.cause(Kind::Processes, Account::Whole, explains_ns);
    cause.is_certain = true;
    cause.what = "runs another program first, such as env, nice or a shell".to_owned();
    cause.because = vec![format!(
        "{} executed by the first process before the last one against {}, which take {} more (traced)",
        programs(slow.programs_before),
        fast.programs_before,
        super::time(explains_ns)
    )];
    cause.next = format!("fauxplat compare --metric wall,minor-faults {}", case.both());
    Some(cause)
}

fn programs(count: u32) -> String {
    format!("{count} {}", if count == 1 { "program" } else { "programs" })
}

/// More threads as a cause, by the time that starting and ending them takes.
fn threads(case: &Case<'_>) -> Option<Cause> {
    let [fast, slow] = counted(case)?;
    let count = |traced: &Traced| f64::from(traced.tasks.saturating_sub(traced.processes));
    let more = count(slow) - count(fast);
    if more < 1.0 {
        return None;
    }
    let is_start = |it: &SampledFunction| THREAD_STARTS.iter().any(|start| it.name.starts_with(start));
    let measured = sampled(case, is_start).unwrap_or(0.0);
    let explains_ns = (more * THREAD_NS).max(measured).min(case.whole());
    let mut cause = case.cause(Kind::Threads, Account::Whole, explains_ns);
    cause.grade = Grade::Reckoned;
    cause.is_certain = true;
    cause.what = "starts more threads".to_owned();
    cause.because = vec![format!("{} further threads against {}", number(count(slow)), number(count(fast)))];
    if measured > 0.0 {
        cause
            .because
            .push(format!("{} more below the functions that start them (sampled)", super::time(measured)));
    }
    cause.next = case.profile("--callers-of clone3");
    Some(cause)
}

/// System calls that the slower program makes more often, each as a cause. `of_calls_ns` is the additional system time
/// that nothing else takes: if tracing ended before the slower program, its calls share that time as they shared the
/// traced CPU time.
fn calls(case: &Case<'_>, room_ns: f64, of_calls_ns: f64) -> Vec<Cause> {
    let Some([fast, slow]) = counted(case) else { return Vec::new() };
    // The CPU time that tracing takes was subtracted, and with it that of the cheapest calls.
    let traced_ns = |sum: &CallSum| sum.cpu_ns + sum.count * CALL_NS;
    let all_traced_ns: f64 = slow.calls.values().map(traced_ns).sum();
    let before = |name: &str| fast.calls.get(name).copied().unwrap_or_default();
    let few = |name: &str| before(name).count;
    let mut found = Vec::new();
    for (name, sum) in &slow.calls {
        let more = sum.count - few(name);
        if more < 1.0 || more < 0.02 * few(name) || is_of_waiting(name) {
            continue;
        }
        let is_meant = |it: &SampledFunction| {
            ENTRIES.iter().any(|entry| it.name.strip_prefix(entry) == Some(name))
                && names::is_kernel(&it.object)
        };
        let lanes = case.lanes[1].max(1.0);
        let more_cpu_ns = (sum.cpu_ns - before(name).cpu_ns) / lanes;
        let measured_ns = sampled(case, is_meant).unwrap_or(0.0).max(more_cpu_ns);
        let usual_ns = more * CALL_NS / lanes;
        let reckoned_ns = match slow.is_partial {
            true => usual_ns.max(of_calls_ns * traced_ns(sum) / all_traced_ns),
            false => usual_ns,
        };
        let explains_ns = measured_ns.max(reckoned_ns).min(room_ns);
        let mut cause = case.cause(Kind::Calls, Account::System, explains_ns);
        cause.grade = if measured_ns >= reckoned_ns { Grade::Measured } else { Grade::Reckoned };
        cause.is_certain = true;
        cause.what = format!("makes more system calls ({name})");
        cause.because = vec![format!(
            "{name}: {} against {} ({})",
            super::calls(sum.count),
            number(few(name)),
            change(few(name), sum.count)
        )];
        if slow.is_partial {
            cause.because.push("at least so many, since tracing ended before the run did".to_owned());
        } else if more_cpu_ns > 0.5 * explains_ns {
            cause.because.push(format!("traced: {} more CPU time in them", super::time(more_cpu_ns)));
        }
        cause.next = case.profile(&format!("--callers-of '{name}'"));
        if ["write", "writev", "pwrite64"].contains(&name.as_str()) {
            of_writing(&mut cause, fast, slow);
            with_formatting(case, &mut cause);
        }
        if SYNCS.contains(&name.as_str()) {
            cause.kind = Kind::Sync;
            cause.what = format!("writes its data to a disk more often ({name})");
        }
        if name == "sched_yield" {
            cause.kind = Kind::BusyWait;
            cause.what = "waits by giving its CPU away again and again (sched_yield)".to_owned();
        }
        found.push(cause);
    }
    found
}

/// Raises the explained time of additional output to that of the C library's output function with the largest increase,
/// callees included, if samples show more than the cause explains so far.
fn with_formatting(case: &Case<'_>, cause: &mut Cause) {
    let Some(sampled) = case.evidence.on_cpu.as_ref().filter(|_| cause.kind == Kind::Logging) else { return };
    let own =
        sampled.functions.iter().filter(|it| names::kind_in(&it.name, &it.object) == Some(Kind::Logging));
    let Some(most) = own.max_by(|a, b| a.total_ns.value.total_cmp(&b.total_ns.value)) else { return };
    let all_ns = (most.total_ns.value / case.lanes[1].max(1.0)).min(case.whole());
    if all_ns > cause.explains_ns {
        cause.explains_ns = all_ns;
        cause.share = all_ns / case.whole().max(f64::MIN_POSITIVE);
        cause.because.push(format!(
            "{} more in {} and what it calls (sampled)",
            super::time(all_ns),
            most.name
        ));
    }
}

/// Whether a system call waits for, starts or ends processes, whose time other causes explain.
fn is_of_waiting(name: &str) -> bool {
    ["wait4", "waitid", "execve", "clone", "clone3", "exit_group", "exit"].contains(&name)
}

/// Whether what is written to this place is read by another thread or process.
fn is_of_others(place: &str) -> bool {
    ["pipe:", "socket:"].iter().any(|kind| place.starts_with(kind))
}

/// Makes a cause about system calls that write more specific: output in smaller pieces, more messages to another
/// program, or more output to some file.
fn of_writing(cause: &mut Cause, fast: &Traced, slow: &Traced) {
    let all = |traced: &Traced| {
        traced.written.values().fold(Written::default(), |sum, it| Written {
            calls: sum.calls + it.calls,
            bytes: sum.bytes + it.bytes,
        })
    };
    let (few, many) = (all(fast), all(slow));
    cause.because.push(format!(
        "{} bytes written against {}",
        number(many.bytes as f64),
        number(few.bytes as f64)
    ));
    if few.calls > 0 && many.bytes as f64 <= 1.5 * few.bytes as f64 {
        cause.kind = Kind::SmallWrites;
        cause.what = format!(
            "writes in smaller pieces ({} bytes each against {})",
            number(many.bytes as f64 / many.calls.max(1) as f64),
            number(few.bytes as f64 / few.calls.max(1) as f64)
        );
        return;
    }
    let to_others = |traced: &Traced| {
        let others = traced.written.iter().filter(|(place, _)| is_of_others(place));
        others.map(|(_, it)| it.calls).sum::<u64>()
    };
    let more = |[few, many]: [u64; 2]| many.saturating_sub(few);
    if 2 * more([to_others(fast), to_others(slow)]) > more([few.calls, many.calls]) {
        cause.kind = Kind::Pipe;
        cause.what = "passes more messages through a pipe or a socket (write)".to_owned();
        return;
    }
    let is_new = |(place, written): &(&String, &Written)| {
        let before = fast.written.get(*place).map_or(0, |it| it.bytes);
        written.bytes > 2 * before && place.starts_with('/') && !place.starts_with("/dev/null")
    };
    if let Some((place, written)) = slow.written.iter().filter(is_new).max_by_key(|(_, it)| it.bytes) {
        cause.kind = Kind::Logging;
        cause.what = "writes to a file that the other program does not write".to_owned();
        cause.place = Some(place.clone());
        cause.because.push(format!("{} bytes in {} calls to {place}", written.bytes, written.calls));
    }
}
