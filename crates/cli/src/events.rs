//! The events of a running experiment as lines of JSON, for programs that follow it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fauxplat_experiment::{Event, Failure, Listener, Standing};
use fauxplat_model::document::Header;
use fauxplat_model::{Command, Evidence, Source};
use fauxplat_report::evidence_json;
use fauxplat_sys::signal;
use serde_json::{Value, json};

use fauxplat_options::OutputArgs;

use crate::created::{Awaited, created};
use crate::{exit, output};

const SCHEMA: &str = "fauxplat.event/1";

/// The file of this process's last experiment. A second experiment that confirms the first writes to the same open
/// file: opening it again would truncate a file, and the reader of a pipe would already have seen its end.
static LAST: Mutex<Option<(PathBuf, Awaited)>> = Mutex::new(None);

/// The first error with which an event could not be written. A reader that has left is no error.
static LOST: Mutex<Option<Failure>> = Mutex::new(None);

/// Whether all events of this process were written that somebody wanted to read.
///
/// # Errors
/// Returns the first error of writing them.
pub(crate) fn written() -> Result<(), Failure> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

fn opened(path: &Path) -> io::Result<Awaited> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, file)) if known == path => file.try_clone(),
        _ => {
            let file = created(path)?;
            *last = Some((path.to_owned(), file.try_clone()?));
            Ok(file)
        }
    }
}

pub(crate) struct Events {
    /// The destination of the lines; `None` once its reader is gone or the disk is full, which does not end the
    /// experiment.
    out: Option<Box<dyn Write>>,
    /// The destination as the user named it, for messages.
    path: PathBuf,
    memory: Source,
    blocks: u32,
    words: String,
}

impl Events {
    /// Opens the destination that the options name; `None` if they name none.
    ///
    /// # Errors
    /// Fails where the file cannot be opened, or where the lines would be mixed with those of the report.
    pub(crate) fn open(output: &OutputArgs) -> Result<Option<Self>, Failure> {
        let Some(path) = &output.events else { return Ok(None) };
        let out: Box<dyn Write> = match output::is_stdout(path) {
            true if output.output.is_none() => {
                return Err(Failure::usage(format!(
                    "--events {}: the report goes to standard output as well; send it elsewhere with --output FILE",
                    path.display()
                )));
            }
            true => Box::new(output::stdout()?),
            false => Box::new(opened(path).map_err(|error| {
                let failure = Failure::usage(format!("--events {}: {error}", path.display()));
                if signal::stop_requested() { failure.coded(exit::INTERRUPTED) } else { failure }
            })?),
        };
        let (memory, words) = (Source::None, String::new());
        Ok(Some(Events { out: Some(out), path: path.clone(), memory, blocks: 0, words }))
    }

    fn say(&mut self, event: &str, mut fields: Value) {
        let Some(out) = &mut self.out else { return };
        fields["schema"] = SCHEMA.into();
        fields["event"] = event.into();
        if let Err(error) = writeln!(out, "{fields}").and_then(|()| out.flush()) {
            self.out = None;
            self.lose(&error);
        }
    }

    /// Keeps the error for the end of the experiment, which goes on without its events.
    fn lose(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let line = format!("--events {}: the events could not be written: {error}", self.path.display());
            let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert_with(|| Failure::machine(line));
        }
    }

    fn evidence(&mut self, evidence: &Evidence) {
        let fields = evidence_json(evidence, self.memory);
        self.say("evidence", fields);
    }

    /// Writes an event `block` for each finished block, and an event `look` where only the description of the present
    /// work has changed.
    fn progress(&mut self, standing: &Standing) {
        let Standing { share, words, blocks } = standing;
        let event = if *blocks > self.blocks { "block" } else { "look" };
        if *blocks == self.blocks && *words == self.words {
            return;
        }
        (self.blocks, self.words) = (*blocks, words.clone());
        self.say(event, json!({"blocks": blocks, "share": share, "doing": words}));
    }
}

impl Listener for Events {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun { kind, header, commands } => {
                self.memory = header.sources.peak_memory;
                self.say("begun", begun(kind, header, commands));
            }
            Event::Plan(plan) => self.say("plan", json!({"plan": plan})),
            Event::Samples(samples) => {
                samples.iter().for_each(|sample| self.evidence(&Evidence::Run(sample.clone())));
            }
            Event::Evidence(evidence) => self.evidence(evidence),
            Event::Progress(standing) => self.progress(standing),
            Event::Held { command, pid } => self.say("held", json!({"command": command, "pid": pid})),
            Event::Warning(warning) => self.say("warning", json!({"warning": warning})),
            Event::Finished { state, record } => {
                let header = record.header;
                let findings = serde_json::to_value(record.findings).unwrap_or_default();
                let fields = json!({
                    "state": state,
                    "id": header.id,
                    "findings_schema": record.findings.schema(),
                    "findings": findings,
                    "warnings": header.warnings,
                    "not_measured": header.not_measured,
                });
                self.say("finished", fields);
            }
        }
    }
}

fn begun(kind: &str, header: &Header, commands: &[Command]) -> Value {
    let command = |command: &Command| json!({"name": command.name, "command": command.command});
    json!({
        "kind": kind,
        "id": header.id,
        "uuid": header.uuid,
        "started": header.started,
        "invocation": header.invocation,
        "seed": header.seed,
        "commands": commands.iter().map(command).collect::<Vec<Value>>(),
    })
}
