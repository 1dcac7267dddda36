//! The end of an experiment, for those who did not wait for it: a sound, and a command of the user's.

use std::cell::RefCell;
use std::rc::Rc;

use fauxplat_experiment::{Event, Failure, Listener, Notice};
use fauxplat_model::Metric;
use fauxplat_model::document::{Findings, Record};
use fauxplat_report::{Format, Style};
use fauxplat_units::Nanos;

use crate::output;

/// What the experiment said at its end; whoever listens to it and whoever tells it share this.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending(Rc<RefCell<Option<Notice>>>);

impl Listener for Ending {
    fn hear(&mut self, event: &Event<'_>) {
        if let Event::Finished { state, record } = event {
            *self.0.borrow_mut() = Some(Notice::of(state, record.findings, first_sentence(record)));
        }
    }
}

/// What a report begins with, on one line. That of a single command begins with its name, so its median is said too.
fn first_sentence(record: &Record<'_>) -> String {
    let style = Style { colour: false, width: usize::from(u16::MAX), unicode: true };
    let mut text = Vec::new();
    let _in_memory = fauxplat_report::write(record, Format::Text, &style, &mut text);
    let first = String::from_utf8_lossy(&text).lines().next().unwrap_or_default().trim().to_owned();
    match median(record.findings) {
        Some(median) => format!("{first}: median wall time {median}"),
        None => first,
    }
}

/// The median wall time of the only command of `run`.
fn median(findings: &Findings) -> Option<Nanos> {
    let Findings::Run(found) = findings else { return None };
    let [only] = found.as_slice() else { return None };
    let wall = only.summaries.iter().find(|summary| summary.metric == Metric::WALL)?;
    Some(Nanos(wall.median as u64))
}

impl Ending {
    /// Tells it by a line for the shell. That changes nothing: one that fails is told in a line.
    pub(crate) fn tell(&self, line: &str, done: &Result<(), Failure>, exit_code: u8) {
        if let Err(why) = self.notice(done).tell(line, exit_code) {
            output::complain(&format!("--notify `{line}` {why}"));
        }
    }

    /// What is told: the verdict, unless what went wrong is all that there is to say.
    fn notice(&self, done: &Result<(), Failure>) -> Notice {
        let told = self.0.borrow().clone();
        match (told, done) {
            (Some(told), Err(failure)) if told.verdict == "failed" => {
                Notice { sentence: failure.to_string(), ..told }
            }
            (Some(told), _) => told,
            (None, Ok(())) => Notice { verdict: "finished".to_owned(), sentence: String::new() },
            (None, Err(failure)) => Notice { verdict: "failed".to_owned(), sentence: failure.to_string() },
        }
    }
}
