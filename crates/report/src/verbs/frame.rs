//! The end of every report: warnings, metrics that were not measured, condition, machine, and the command line that
//! repeats the experiment.

use std::cmp::Ordering;

use fauxplat_model::document::Header;
use fauxplat_model::{
    Aslr, Condition, CounterFloor, Definition, EnvBase, EnvPad, Heap, IgnoredFailures, KnobOutcome, Limit,
    LoadAccount, MachineFacts, Output, Placement, Shell, TableSource,
};

use crate::parts::spans::code;
use crate::parts::{Medium, Note, Notes, Part, Piece};
use crate::verbs::load::achieved;
use crate::words::{counted, quantity, shell_word, visible};

pub(crate) fn foot(header: &Header) -> Vec<Piece> {
    let mut lines = vec![Note::fact("condition", vec![condition(&header.condition)]).in_full()];
    let why = header.condition.cpu_choice.iter().flat_map(|choice| &choice.why);
    lines.extend(why.map(|why| Note { depth: 2, ..Note::fact("", vec![visible(why)]).in_full() }));
    lines.extend(loads(&header.condition).map(|loads| Note::fact("beside", vec![loads]).in_full()));
    lines.extend(counters(&header.definition).map(|counters| Note::fact("rate", vec![counters]).in_full()));
    let repeat = Note { unbroken: true, ..Note::fact("repeat with", vec![code(&repeat(header))]) };
    below(header, lines, Some(repeat))
}

/// The pieces below the findings of a verb that only inspects the machine, which has no condition and needs no
/// repetition.
pub(crate) fn inspected(header: &Header) -> Vec<Piece> {
    below(header, Vec::new(), None)
}

/// Lines about the machine and the origin of the record, for pages of verbs without measurements, whose reports have no
/// other end.
pub(crate) fn imprint(header: &Header) -> Vec<Piece> {
    let only = |note: Note| Note { media: &[Medium::Page], ..note };
    let lines =
        std::iter::once(Note::fact("machine", vec![machine(&header.machine)])).chain(origin(header, None));
    vec![conditions(lines.map(only).collect()).only(&[Medium::Page])]
}

/// Warnings, metrics that were not measured, the given lines, lines about the machine, and `last` at the end.
fn below(header: &Header, lines: Vec<Note>, last: Option<Note>) -> Vec<Piece> {
    let missing: Vec<String> = header.not_measured.iter().map(|it| visible(it)).collect();
    let mut notes: Vec<Note> = Vec::new();
    let seed = last.as_ref().map(|_| header.seed);
    notes.extend((!missing.is_empty()).then(|| Note::fact("not measured", missing).in_full()));
    let floors: Vec<String> = header.sources.counter_floors.iter().map(counter_floor).collect();
    notes.extend((!floors.is_empty()).then(|| Note::fact("empty program", floors).in_full()));
    notes.extend(lines);
    notes.push(Note::fact("machine", vec![machine(&header.machine)]).in_full());
    notes.extend(origin(header, seed));
    notes.extend(last);
    let mut pieces: Vec<Piece> = header.warnings.iter().map(|it| Piece::warning(it)).collect();
    pieces.push(conditions(notes));
    let joined = |(index, piece): (usize, Piece)| if index > 0 { piece.joined() } else { piece };
    pieces.into_iter().enumerate().map(joined).collect()
}

/// Counts of a metric in an empty program, and how far they are from the true count if that is known.
fn counter_floor(floor: &CounterFloor) -> String {
    let number = |value: u64| quantity(floor.metric, value as f64);
    let spread = match floor.least == floor.most {
        true => format!("the same in {}", counted(floor.runs as usize, "run", "runs")),
        false => format!("{} … {}", number(floor.least), number(floor.most)),
    };
    let off = |executed: u64| match floor.median.cmp(&executed) {
        Ordering::Equal => ", which is what it executes".to_owned(),
        Ordering::Greater => format!(", {} more than it executes", number(floor.median - executed)),
        Ordering::Less => format!(", {} fewer than it executes", number(executed - floor.median)),
    };
    let off = floor.executed.map_or_else(String::new, off);
    format!("{} {} ({spread}{off})", floor.metric.name(), number(floor.median))
}

fn conditions(lines: Vec<Note>) -> Piece {
    Piece::new(Part::Notes(Notes { title: "Conditions".to_owned(), folded: true, lines }))
}

/// Lines with further facts for pages, which have more room: details of the machine, program version and time.
fn origin(header: &Header, seed: Option<u64>) -> impl Iterator<Item = Note> {
    let facts = &header.machine;
    let memory = format!("{} of memory, {}", facts.memory_bytes, visible(&facts.architecture));
    let seed = seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
    let stored = header.id.map_or_else(String::new, |id| format!(", stored as {id}"));
    let version = visible(&header.fauxplat_version);
    let by = format!("fauxplat {version}, {}{seed}{stored}", visible(&header.started));
    [("", memory, 2), ("", format!("boot {}", visible(&facts.boot_id)), 2), ("by", by, 1)]
        .into_iter()
        .map(|(label, value, depth)| Note { depth, media: &[Medium::Page], ..Note::fact(label, vec![value]) })
}

/// The published counters whose rates the report shows, as a phrase; `None` if no counter was watched.
pub(crate) fn counters(definition: &Definition) -> Option<String> {
    let (first, others) = definition.tables.split_first()?;
    let place = |table: &TableSource| visible(&table.to_string());
    let also = others.iter().map(|table| format!(", also watched {}", place(table)));
    Some(format!("of {}{}", place(first), also.collect::<String>()))
}

/// The loads that worked beside the experiment, with the achieved intensities; `None` without loads.
pub(crate) fn loads(condition: &Condition) -> Option<String> {
    let line = |account: &LoadAccount| {
        let place = account.cpu.map_or(String::new(), |cpu| format!(" on CPU {cpu}"));
        let LoadAccount { kind, asked_percent, .. } = account;
        format!("load {kind}{place}, {} achieved of {asked_percent} % asked", achieved(account))
    };
    let lines: Vec<String> = condition.loaded.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

pub(crate) fn condition(condition: &Condition) -> String {
    let mut parts = vec![
        placement(condition),
        policy(condition),
        match condition.aslr {
            Aslr::Inherit if condition.held.as_ref().and_then(|held| held.no_aslr) == Some(true) => {
                "ASLR off, inherited".to_owned()
            }
            Aslr::Inherit => "ASLR as the machine has it".to_owned(),
            Aslr::On => "ASLR on".to_owned(),
            Aslr::Off => "ASLR off".to_owned(),
        },
        environment(condition),
    ];
    parts.extend(condition.cpu_choice.as_ref().map(|choice| format!("chosen by {}", choice.relation)));
    parts.extend(condition.pin_threads.as_ref().map(|places| format!("threads on CPUs {places}")));
    let policy = &condition.memory_policy;
    parts.extend((!policy.is_inherited()).then(|| format!("memory {policy}")));
    parts.extend(condition.simulate.map(|machine| format!("simulated on {machine}")));
    parts.extend(nice(condition));
    parts.extend((condition.limit != Limit::default()).then(|| format!("limit {}", condition.limit)));
    parts.extend(inherited_limits(condition));
    parts.extend(condition.stdin.as_ref().map(|path| format!("stdin from {}", path.display())));
    parts.extend(condition.cwd.as_ref().map(|path| format!("in {}", path.display())));
    parts.extend(condition.timeout.map(|limit| format!("time limit {limit}")));
    parts.push(match &condition.output {
        Output::Null => "output discarded".to_owned(),
        Output::Inherit => "output shown".to_owned(),
        Output::File(path) => format!("output to {}", path.display()),
    });
    parts.extend(match &condition.shell {
        Shell::None => None,
        Shell::Standard => Some("through /bin/sh".to_owned()),
        Shell::Other(shell) => Some(format!("through {shell}")),
    });
    parts.extend(match &condition.ignore_failure {
        IgnoredFailures::None => None,
        IgnoredFailures::LeftOut => Some("runs that fail left out".to_owned()),
        IgnoredFailures::All => Some("failures ignored".to_owned()),
        IgnoredFailures::Statuses(_) => Some(format!("statuses {} ignored", condition.ignore_failure)),
    });
    let changed = condition.tuned.iter().filter(|change| change.outcome == KnobOutcome::Changed).count();
    let tuned =
        || format!("tuned by {} ({} changed)", condition.tune.join(" "), counted(changed, "value", "values"));
    parts.extend((!condition.tune.is_empty()).then(tuned));
    visible(&parts.join(", "))
}

/// The requested scheduling policy, or else the inherited one, in words.
fn policy(condition: &Condition) -> String {
    let held = condition.held.as_ref().and_then(|held| held.policy.as_deref());
    match (condition.policy, held) {
        (Some(policy), _) => format!("policy {policy}"),
        // The ordinary policy is not called inherited, since it is the rule.
        (None, Some("other")) => "policy other".to_owned(),
        (None, Some(held)) => format!("policy {held} inherited"),
        (None, None) => "policy inherited".to_owned(),
    }
}

/// The requested nice value in words, or else an inherited one that differs from zero; otherwise `None`.
fn nice(condition: &Condition) -> Option<String> {
    let held = condition.held.as_ref().and_then(|held| held.nice).filter(|nice| *nice != 0);
    let inherited = || held.map(|nice| format!("nice {nice} inherited"));
    condition.nice.map(|nice| format!("nice {nice}")).or_else(inherited)
}

/// Words about inherited resource limits that are rarely set and can affect a program; `None` without any.
fn inherited_limits(condition: &Condition) -> Option<String> {
    const RARE: [&str; 5] = ["address-space", "cpu-time", "data-size", "file-size", "resident-set"];
    let held = condition.held.as_ref()?;
    let found = held.limits.iter().filter(|(name, _)| RARE.contains(&name.as_str()));
    let words: Vec<String> = found.map(|(name, soft)| format!("{name} {soft}")).collect();
    (!words.is_empty()).then(|| format!("limited by {} (ulimit)", words.join(" and ")))
}

fn placement(condition: &Condition) -> String {
    let cpu = &condition.cpu;
    match cpu {
        Placement::Auto => "CPU chosen per block".to_owned(),
        Placement::Free => match condition.held.as_ref().and_then(|held| held.cpus.as_ref()) {
            Some(cpus) => format!("any CPU of {cpus}"),
            None => "any CPU".to_owned(),
        },
        Placement::Set(cpus) => format!("CPU {cpus}"),
        Placement::OneOf(cpus) => format!("one CPU of {cpus} per block"),
        Placement::IdleOf(cpus) => format!("one idle CPU of {cpus} per block"),
        Placement::Related(..) => format!("CPU {cpu}"),
    }
}

fn environment(condition: &Condition) -> String {
    let base = match condition.env {
        EnvBase::Inherit => "environment inherited",
        EnvBase::Clean => "environment clean",
    };
    let added = match condition.env_set.len() {
        0 => String::new(),
        count => format!(" with {} set", counted(count, "variable", "variables")),
    };
    let padding = match condition.env_pad {
        EnvPad::None => String::new(),
        EnvPad::Random => ", stack displaced at random per block".to_owned(),
        EnvPad::Level => ", stack level for all commands".to_owned(),
        EnvPad::Bytes(bytes) => format!(", padded by {bytes} B"),
    };
    let heap = match condition.heap {
        Heap::Inherit => String::new(),
        Heap::Random => ", heap displaced at random per block".to_owned(),
        Heap::Bytes(bytes) => format!(", heap displaced by {bytes} B"),
    };
    format!("{base}{added}{padding}{heap}")
}

/// The machine in a line, such as `AMD EPYC 7B13, 2 CPUs, Linux 6.1.0`.
pub fn machine(facts: &MachineFacts) -> String {
    let cpus = match facts.cpu.allowed == facts.cpu.online {
        true => counted(facts.cpu.online.len(), "CPU", "CPUs"),
        false => format!("{} of {}", facts.cpu.allowed.len(), counted(facts.cpu.online.len(), "CPU", "CPUs")),
    };
    let mut parts = vec![facts.cpu.model.clone(), cpus, format!("Linux {}", facts.kernel), facts.os.clone()];
    parts.extend(facts.hypervisor.as_ref().map(|name| format!("under {name}")));
    parts.extend(facts.cpu.governor.as_ref().map(|name| format!("governor {name}")));
    parts.retain(|part| !part.is_empty());
    visible(&parts.join(", "))
}

/// The place of the verb in the command line of an experiment; `None` for verbs other than these.
fn verb_at(header: &Header) -> Option<usize> {
    header.invocation.iter().position(|word| ["run", "compare", "aa", "sweep"].contains(&word.as_str()))
}

/// Whether the experiment is one of `compare`. If it failed, its report is that of its runs.
pub(super) fn is_comparison(header: &Header) -> bool {
    verb_at(header).is_some_and(|at| header.invocation[at] == "compare")
}

/// The command line that repeats the experiment with the same random choices.
pub(crate) fn repeat(header: &Header) -> String {
    let mut words: Vec<String> = header.invocation.iter().map(|word| shell_word(word)).collect();
    let has_seed = header.invocation.iter().any(|word| word == "--seed" || word.starts_with("--seed="));
    match verb_at(header) {
        _ if has_seed || draws_nothing(&header.invocation) => {}
        Some(verb) => words.insert(verb + 1, format!("--seed {}", header.seed)),
        // Words after `--` are measured commands and no options, so the seed comes before it.
        None => {
            let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
            words.insert(end, format!("--seed {}", header.seed));
        }
    }
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    words.join(" ")
}

/// Whether the invoked verb takes no seed: it makes no random choices, or shows or continues an earlier experiment.
fn draws_nothing(invocation: &[String]) -> bool {
    let words: Vec<&str> = invocation.iter().skip(1).take(2).map(String::as_str).collect();
    let is_resumed = || invocation.iter().any(|word| word == "--resume" || word.starts_with("--resume="));
    match words[..] {
        ["load" | "profile", ..] | ["fleet", "report" | "watch" | "take"] => true,
        ["fleet", ..] => is_resumed(),
        _ => false,
    }
}
