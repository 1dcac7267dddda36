//! What stands around every report: warnings, what was not measured, condition, machine, how to repeat.

use std::io;

use fauxplat_model::document::Header;
use fauxplat_model::{
    Aslr, Condition, Definition, EnvBase, EnvPad, Heap, KnobOutcome, LoadAccount, MachineFacts, Output,
    Placement, TableSource,
};

use crate::grid::Tone;
use crate::text::page::Page;
use crate::verbs::load::achieved;
use crate::words::{counted, visible};

/// The part below the figures.
pub(crate) fn foot(page: &mut Page, header: &Header) -> io::Result<()> {
    troubles(page, header)?;
    page.paragraph(Tone::Faint, 0, &format!("condition: {}", condition(&header.condition)))?;
    for why in header.condition.cpu_choice.iter().flat_map(|choice| &choice.why) {
        page.paragraph(Tone::Faint, 2, &visible(why))?;
    }
    if let Some(loads) = loads(&header.condition) {
        page.paragraph(Tone::Faint, 0, &format!("beside: {loads}"))?;
    }
    if let Some(counters) = counters(&header.definition) {
        page.paragraph(Tone::Faint, 0, &format!("rate: {counters}"))?;
    }
    page.paragraph(Tone::Faint, 0, &format!("machine: {}", machine(&header.machine)))?;
    // It is the one line that is never broken: a break inside quotes would make it another command.
    let repeat = page.spell(&format!("repeat with: {}", visible(&repeat(header))));
    page.line(Tone::Faint, &repeat)
}

/// The part below what was found by looking alone: there is no condition, and nothing to repeat.
pub(crate) fn inspected(page: &mut Page, header: &Header) -> io::Result<()> {
    troubles(page, header)?;
    page.paragraph(Tone::Faint, 0, &format!("machine: {}", machine(&header.machine)))
}

/// What may spoil the result, and what could not be measured.
fn troubles(page: &mut Page, header: &Header) -> io::Result<()> {
    page.blank()?;
    for warning in &header.warnings {
        page.paragraph(Tone::Doubt, 0, &format!("warning: {}", visible(warning)))?;
    }
    if !header.not_measured.is_empty() {
        let reasons: Vec<String> = header.not_measured.iter().map(|it| visible(it)).collect();
        page.paragraph(Tone::Faint, 0, &format!("not measured: {}", reasons.join("; ")))?;
    }
    Ok(())
}

/// Whose rate is meant; nothing where no counter was watched.
pub(crate) fn counters(definition: &Definition) -> Option<String> {
    let (first, others) = definition.tables.split_first()?;
    let place = |table: &TableSource| visible(&table.to_string());
    let also = others.iter().map(|table| format!(", also watched {}", place(table)));
    Some(format!("of {}{}", place(first), also.collect::<String>()))
}

/// The loads that were held beside all of it, and what they achieved; nothing where there were none.
pub(crate) fn loads(condition: &Condition) -> Option<String> {
    let line = |account: &LoadAccount| {
        let place = account.cpu.map_or(String::new(), |cpu| format!(" on CPU {cpu}"));
        let LoadAccount { kind, asked_percent, .. } = account;
        format!("load {kind}{place}, {} achieved of {asked_percent} % asked", achieved(account))
    };
    let lines: Vec<String> = condition.loaded.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// The condition in one line.
pub(crate) fn condition(condition: &Condition) -> String {
    let mut parts = vec![
        placement(&condition.cpu),
        format!("policy {}", condition.policy),
        match condition.aslr {
            Aslr::Inherit => "ASLR as the machine has it".to_owned(),
            Aslr::On => "ASLR on".to_owned(),
            Aslr::Off => "ASLR off".to_owned(),
        },
        environment(condition),
    ];
    parts.extend(condition.cpu_choice.as_ref().map(|choice| format!("chosen by {}", choice.relation)));
    parts.extend(condition.nice.map(|nice| format!("nice {nice}")));
    parts.extend(condition.stdin.as_ref().map(|path| format!("stdin from {}", path.display())));
    parts.extend(condition.cwd.as_ref().map(|path| format!("in {}", path.display())));
    parts.extend(condition.timeout.map(|limit| format!("time limit {limit}")));
    parts.push(match &condition.output {
        Output::Null => "output discarded".to_owned(),
        Output::Inherit => "output shown".to_owned(),
        Output::File(path) => format!("output to {}", path.display()),
    });
    parts.extend(condition.shell.then(|| "through /bin/sh".to_owned()));
    parts.extend(condition.ignore_failure.then(|| "failures ignored".to_owned()));
    let changed = condition.tuned.iter().filter(|change| change.outcome == KnobOutcome::Changed).count();
    let tuned =
        || format!("tuned by {} ({} changed)", condition.tune.join(" "), counted(changed, "value", "values"));
    parts.extend((!condition.tune.is_empty()).then(tuned));
    visible(&parts.join(", "))
}

fn placement(cpu: &Placement) -> String {
    match cpu {
        Placement::Auto => "CPU chosen per block".to_owned(),
        Placement::Free => "any CPU".to_owned(),
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
        EnvPad::Bytes(bytes) => format!(", padded by {bytes} B"),
    };
    let heap = match condition.heap {
        Heap::Inherit => String::new(),
        Heap::Random => ", heap displaced at random per block".to_owned(),
        Heap::Bytes(bytes) => format!(", heap displaced by {bytes} B"),
    };
    format!("{base}{added}{padding}{heap}")
}

/// The machine in one line.
pub(crate) fn machine(facts: &MachineFacts) -> String {
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

/// The command line that repeats the experiment with the same draws.
pub(crate) fn repeat(header: &Header) -> String {
    let mut words: Vec<String> = header.invocation.iter().map(|word| quoted(word)).collect();
    let has_seed = header.invocation.iter().any(|word| word == "--seed" || word.starts_with("--seed="));
    let verb =
        header.invocation.iter().position(|word| ["run", "compare", "aa", "sweep"].contains(&word.as_str()));
    match verb {
        // A load draws nothing.
        _ if has_seed || header.invocation.get(1).is_some_and(|word| word == "load") => {}
        Some(verb) => words.insert(verb + 1, format!("--seed {}", header.seed)),
        None => words.push(format!("--seed {}", header.seed)),
    }
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    words.join(" ")
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
